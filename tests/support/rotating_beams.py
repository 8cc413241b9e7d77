"""Rotating and spinning beams without assumed modes: finite elements of the linear equation, chains of rigid links."""

from __future__ import annotations

from typing import Any

import numpy as np

import dalembert as da


def rotating_frequencies(speed: float, *, radius: float = 0.0, in_plane: bool = False, elements: int = 40) -> Any:
    """Frequencies of a uniform cantilever (l = EI = rho S = 1) on a hub that spins, by cubic elements.

    Out of the plane of rotation ``w'''' - (T w')' + w_tt = 0`` with the tension ``T(s) = speed^2 int_s^1 (r + x) dx``;
    in it ``-speed^2 w`` is added. All integrals are exact, and the frequencies come from above with the fourth power
    of the element length.
    """
    h, n = 1.0 / elements, 2 * (elements + 1)
    points, weights = np.polynomial.legendre.leggauss(5)
    x, weights = (points + 1) / 2, weights / 2
    shapes = np.array([1 - 3 * x**2 + 2 * x**3, h * (x - 2 * x**2 + x**3), 3 * x**2 - 2 * x**3, h * (x**3 - x**2)])
    slopes = np.array([6 * x**2 - 6 * x, h * (1 - 4 * x + 3 * x**2), 6 * x - 6 * x**2, h * (3 * x**2 - 2 * x)]) / h
    curves = np.array([12 * x - 6, h * (6 * x - 4), 6 - 12 * x, h * (6 * x - 2)]) / h**2
    K, M = np.zeros((n, n)), np.zeros((n, n))
    for e in range(elements):
        s = (e + x) * h
        tension = speed**2 * (radius * (1 - s) + (1 - s**2) / 2)
        at = slice(2 * e, 2 * e + 4)
        mass = h * np.einsum("k,ik,jk->ij", weights, shapes, shapes)
        stiffness = h * np.einsum("k,ik,jk->ij", weights, curves, curves)
        K[at, at] += stiffness + h * np.einsum("k,k,ik,jk->ij", weights, tension, slopes, slopes)
        M[at, at] += mass
    if in_plane:
        K = K - speed**2 * M
    L = np.linalg.inv(np.linalg.cholesky(M[2:, 2:]))
    return np.sqrt(np.linalg.eigvalsh(L @ K[2:, 2:] @ L.T))


def spin_up_torque(inertia: float, speed: float, duration: float) -> Any:
    """Torque that brings a heavy hub smoothly to a speed: its rate is ``speed (t/T - sin(2 pi t/T) / 2 pi)``."""
    return inertia * speed / duration * (1.0 - da.cos(da.TIME * (2 * np.pi / duration)))


def link_chain(n: int, *, length: float, bending: float, mass: float, inertia: float, torque: Any) -> da.Machine:
    """A beam as n rigid rods with springs between them, on a hub: no mode, no expansion in the deflection.

    Neighbouring rods are a rod's length apart, the first one half of that from the wall: springs ``EI/h``, ``2 EI/h``.
    """
    h = length / n
    m = mass * h
    bodies = [da.Body("hub", 1.0, inertia=(inertia, inertia, inertia))]
    joints = [da.Joint("spin", "revolute", "world", "hub")]
    for i in range(n):
        name, parent = f"rod{i:03d}", bodies[-1].name
        bodies.append(da.Body(name, m, (h / 2, 0, 0), inertia=(0, m * h**2 / 12, m * h**2 / 12)))
        start, spring = (0.0, 2 * bending / h) if i == 0 else (h, bending / h)
        joints.append(da.Joint(name, "revolute", parent, name, da.Transform((start, 0, 0)), stiffness=spring))
    return da.Machine(
        "chain",
        bodies,
        joints,
        frames=[da.Frame("tip", bodies[-1].name, da.Transform((h, 0, 0)))],
        wrenches=[da.Wrench("drive", "hub", torque=(0.0, 0.0, torque))],
        gravity=(0, 0, 0),
    )
