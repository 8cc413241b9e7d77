"""The cable as a continuum: the limit of the N-link crane.

A heavy, inextensible, perfectly flexible cable of length ``L`` and mass ``rho L`` hangs from a point at rest and
carries a payload ``M``. With ``s`` the distance from the point below the payload where the tension would vanish, the
tension is ``rho g s`` and the small horizontal motion obeys ``(g s y')' + w^2 y = 0``, whose solutions are Bessel
functions of order zero of ``2 w sqrt(s/g)`` (D. Bernoulli 1733; H. Lamb, Higher Mechanics).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.parameter import Scalar
from dalembert.core.types import Array

__all__ = ["cable_sway_omega", "elastic_cable_omega", "linear_chain_omega"]


def cable_sway_omega(count: int, *, length: float, mass: float, payload: float = 0.0, gravity: float = 9.81) -> Array:
    """Lowest pendulum frequencies of the continuous cable under a fixed trolley [rad/s].

    Without payload ``w_k = j_{0,k}/2 sqrt(g/L)``. With it, ``s`` runs from ``s_0 = L M/(rho L)`` to ``s_0 + L``; the
    payload's equation ``g y'(s_0) = -w^2 y(s_0)`` and ``y(s_0 + L) = 0`` give the frequency equation.
    """
    from scipy.special import jn_zeros

    _check(count, payload, length=length, mass=mass, gravity=gravity)
    if payload == 0:
        return np.asarray(jn_zeros(0, count)) / 2 * np.sqrt(gravity / length)
    s0 = length * payload / mass
    # Far from the first mode the roots lie nearly one per half wave of the cable's travel time.
    spacing = np.pi * np.sqrt(gravity) / (2 * (np.sqrt(s0 + length) - np.sqrt(s0)))
    return _roots(lambda w: _frequency_function(w, s0, length, gravity), count, spacing)


def _frequency_function(w: float, s0: float, length: float, g: float) -> float:
    from scipy.special import j0, j1, y0, y1

    def basis(s: float) -> tuple[float, float, float, float]:
        x = 2 * w * np.sqrt(s / g)
        slope = w / np.sqrt(g * s)
        return j0(x), y0(x), -slope * j1(x), -slope * y1(x)

    J, Y, dJ, dY = basis(s0)
    J_top, Y_top, _, _ = basis(s0 + length)
    return (g * dJ + w**2 * J) * Y_top - (g * dY + w**2 * Y) * J_top


def elastic_cable_omega(count: int, *, mass: float, stiffness: float, payload: float = 0.0) -> Array:
    """Lowest vertical frequencies of a continuous elastic cable: ``x tan(x) = m/M`` with ``w = x sqrt(K/m)``.

    Parameters
    ----------
    count
        How many.
    mass, stiffness
        Mass and stiffness of the whole cable (``K = E A / L``).
    payload
        Mass ``M`` at its end.

    Examples
    --------
    >>> elastic_cable_omega(2, mass=20.0, stiffness=1e5, payload=500.0).round(3).tolist()
    [14.049, 223.041]
    """
    _check(count, payload, mass=mass, stiffness=stiffness)
    k = np.arange(count)
    if payload == 0:
        return (k + 0.5) * np.pi * np.sqrt(stiffness / mass)
    x = _roots(lambda x: x * payload * np.sin(x) - mass * np.cos(x), count, np.pi)
    return x * np.sqrt(stiffness / mass)


def linear_chain_omega(masses: Sequence[Scalar] | Array, stiffnesses: Sequence[Scalar] | Array) -> Array:
    """Frequencies of a fixed-free chain of masses and springs (CRANE remark 17), ascending [rad/s].

    In coordinates of the masses: ``M = diag(m_i)`` and ``K`` tridiagonal with ``k_i + k_{i+1}`` and ``-k_{i+1}``.

    Examples
    --------
    One mass on one spring:

    >>> linear_chain_omega([2.0], [50.0]).round(9).tolist()
    [5.0]
    """
    from scipy.linalg import eigh

    try:
        m, k = np.asarray(masses, dtype=float), np.asarray(stiffnesses, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"a chain needs masses and stiffnesses, got {masses!r}, {stiffnesses!r}") from None
    if m.ndim != 1 or m.shape != k.shape or not (m > 0).all() or not (k > 0).all():
        raise InputError(f"a chain needs as many masses > 0 as stiffnesses > 0, got {masses!r}, {stiffnesses!r}")
    K = np.diag(k + np.append(k[1:], 0.0)) - np.diag(k[1:], 1) - np.diag(k[1:], -1)
    return np.sqrt(eigh(K, np.diag(m), eigvals_only=True))


def _roots(f: Callable[[float], float], count: int, spacing: float) -> Array:
    """The first positive roots of a function, found on a grid much finer than their spacing."""
    from scipy.optimize import brentq

    roots: list[float] = []
    step = spacing / 60
    a = step * 1e-3
    fa = f(a)
    for _ in range(200 * (count + 2)):
        b = a + step
        fb = f(b)
        if fa * fb < 0:
            roots.append(float(brentq(f, a, b, xtol=1e-14 * b, rtol=1e-14)))
            if len(roots) == count:
                return np.array(roots)
        a, fa = b, fb
    raise InputError(f"only {len(roots)} of {count} frequencies were found")


def _check(count: int, payload: float, **positive: float) -> None:
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InputError(f"the number of frequencies must be an integer >= 1, got {count!r}")
    for name, value in {**positive, "payload": payload}.items():
        zero = name == "payload"
        number = isinstance(value, int | float) and np.isfinite(value)
        if not number or value < 0 or (value == 0 and not zero):
            raise InputError(f"{name} of the cable must be a number {'>= 0' if zero else '> 0'}, got {value!r}")
