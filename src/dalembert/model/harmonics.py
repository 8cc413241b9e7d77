"""Gravity of a body that is no sphere: spherical harmonics to a degree and order, and files of coefficients."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.types import Array, Expression
from dalembert.model.orbit import EARTH_MU, EARTH_RADIUS

__all__ = ["GravityModel", "earth_zonals", "read_gfc"]

_MOST = 120
_EGM96_ZONALS = (-484.165371736e-6, 0.957254173792e-6, 0.539873863789e-6, 0.685323475630e-7, -0.149957994714e-6)
"""Fully normalised coefficients of degree 2 to 6 and order 0 of EGM96 (Lemoine et al., NASA/TP-1998-206861)."""


@dataclass(frozen=True, eq=False)
class GravityModel:
    """Gravity of a body by spherical harmonics, in axes that turn with it.

    The potential is ``mu / r (1 + sum (R/r)^n P_nm(sin phi) (C_nm cos m lambda + S_nm sin m lambda))`` with fully
    normalised functions and coefficients, from degree 2 on: SPACE 6.1 prints the general form. The terms
    ``(R/r)^(n+1) P_nm (cos, sin)(m lambda)`` follow from each other in Cartesian coordinates (Cunningham 1970), here
    normalised, so that there is no singularity at the poles.

    Parameters
    ----------
    C, S
        Coefficients, (degree + 1, degree + 1) with the row n and the column m; those of degree 0 and 1 are not used.
    mu, radius
        Gravitational parameter [m3/s2] and reference radius [m] of the coefficients.
    name
        Its name.

    Examples
    --------
    >>> earth = earth_zonals(2)
    >>> round(float(-np.sqrt(5.0) * earth.C[2, 0]), 10)  # J2
    0.0010826267
    """

    C: Array
    S: Array
    mu: float = EARTH_MU
    radius: float = EARTH_RADIUS
    name: str = ""

    def __post_init__(self) -> None:
        C, S = (np.array(x, dtype=float) for x in (self.C, self.S))
        if C.ndim != 2 or C.shape[0] != C.shape[1] or C.shape != S.shape or len(C) < 3:
            raise InputError(
                f"C and S of a gravity model must be square, of degree 2 or more, got {C.shape}, {S.shape}"
            )
        if len(C) > _MOST + 1 or not (np.isfinite(C).all() and np.isfinite(S).all()):
            raise InputError(f"a gravity model needs finite coefficients up to degree {_MOST}, got degree {len(C) - 1}")
        if not (self.mu > 0.0 and self.radius > 0.0):
            raise InputError(f"mu and radius of a gravity model must be > 0, got {self.mu!r} and {self.radius!r}")
        object.__setattr__(self, "C", C)
        object.__setattr__(self, "S", S)

    @property
    def degree(self) -> int:
        """Highest degree."""
        return len(self.C) - 1

    def to_degree(self, degree: int, order: int | None = None) -> GravityModel:
        """Return the model up to a degree and an order."""
        order = degree if order is None else order
        if not 2 <= degree <= self.degree or not 0 <= order <= degree:
            raise InputError(
                f"degree must be 2 to {self.degree} and order 0 to the degree, got {degree} and {order} of model "
                f"'{self.name}'"
            )
        C, S = (x[: degree + 1, : degree + 1].copy() for x in (self.C, self.S))
        C[:, order + 1 :], S[:, order + 1 :] = 0.0, 0.0
        return GravityModel(C, S, self.mu, self.radius, self.name)

    def disturbance(self, x: Expression) -> Expression:
        """Potential [m2/s2] of degrees 2 and higher, at a place in axes of the body, as an expression."""
        r2 = ca.dot(x, x)
        x_, y_, z_ = (x[k] * self.radius / r2 for k in range(3))
        rho = self.radius**2 / r2
        orders = [m for m in range(self.degree + 1) if self.C[:, m].any() or self.S[:, m].any()]
        last = max(orders, default=0)
        V, W = self.radius / ca.sqrt(r2), ca.SX(0.0)  # those of degree and order m
        total = ca.SX(0.0)
        for m in range(last + 1):
            if m:
                f = np.sqrt((2.0 if m == 1 else 1.0) * (2 * m + 1) / (2 * m))
                V, W = f * (x_ * V - y_ * W), f * (x_ * W + y_ * V)
            before, now = (ca.SX(0.0), ca.SX(0.0)), (V, W)
            for n in range(m, self.degree + 1):
                if n > m:
                    a = np.sqrt((2 * n + 1) * (2 * n - 1) / ((n - m) * (n + m)))
                    b = 0.0 if n == m + 1 else np.sqrt(
                        (2 * n + 1) * (n + m - 1) * (n - m - 1) / ((2 * n - 3) * (n - m) * (n + m))
                    )  # fmt: skip
                    before, now = now, (a * z_ * now[0] - b * rho * before[0], a * z_ * now[1] - b * rho * before[1])
                if n >= 2 and (self.C[n, m] or self.S[n, m]):
                    total = total + self.C[n, m] * now[0] + self.S[n, m] * now[1]
        return self.mu / self.radius * total

    def attraction(self, x: Expression) -> Expression:
        """Acceleration [m/s2] at a place in axes of the body, without that of a sphere, as an expression."""
        return ca.gradient(self.disturbance(x), x)

    @cached_property
    def _functions(self) -> tuple[Any, Any]:
        x = ca.SX.sym("x", 3)
        U = self.mu / ca.norm_2(x) + self.disturbance(x)
        return ca.Function("U", [x], [U]), ca.Function("g", [x], [ca.gradient(U, x)])

    def potential(self, position: ArrayLike) -> float:
        """Potential [m2/s2] at a place in axes of the body."""
        return float(self._functions[0](_place(position)))

    def acceleration(self, position: ArrayLike) -> Array:
        """Acceleration (3) [m/s2] at a place in axes of the body."""
        return np.array(self._functions[1](_place(position))).ravel()


def _place(position: ArrayLike) -> Array:
    x = np.asarray(position, dtype=float)
    if x.shape != (3,) or not np.isfinite(x).all() or not x.any():
        raise InputError(f"position must be three numbers from the centre, got {position!r}")
    return x


def earth_zonals(degree: int = 6) -> GravityModel:
    """Zonal harmonics of the Earth of degree 2 to 6, of EGM96.

    Parameters
    ----------
    degree
        Highest degree, 2 to 6.

    Examples
    --------
    >>> earth = earth_zonals(4)
    >>> bool(earth.acceleration([7.0e6, 0.0, 0.0])[0] < -8.1)
    True
    """
    if not isinstance(degree, int) or not 2 <= degree <= 6:
        raise InputError(f"zonal harmonics of degree 2 to 6 are built in, got {degree!r}; `read_gfc` reads more")
    C = np.zeros((degree + 1, degree + 1))
    C[2:, 0] = _EGM96_ZONALS[: degree - 1]
    return GravityModel(C, np.zeros_like(C), 3.986004415e14, 6378136.3, "EGM96 zonals")


def read_gfc(path: str | os.PathLike[str], degree: int | None = None, order: int | None = None) -> GravityModel:
    """Read a gravity model from a file of the International Centre for Global Earth Models (``.gfc``).

    Parameters
    ----------
    path
        The file.
    degree, order
        Highest degree and order to keep; None: all of the file, of degree 120 at most.

    Raises
    ------
    InputError
        If it is no such file, its coefficients depend on time, or it ends before the degree.

    Examples
    --------
    >>> import tempfile
    >>> lines = ["earth_gravity_constant 3.986e14", "radius 6378136.3", "max_degree 2", "end_of_head"]
    >>> lines += ["gfc 2 0 -4.84e-4 0.0", "gfc 2 1 0.0 0.0", "gfc 2 2 2.4e-6 -1.4e-6"]
    >>> file = Path(tempfile.mkdtemp(), "earth.gfc")
    >>> written = file.write_text(chr(10).join(lines))
    >>> float(read_gfc(file).C[2, 2])
    2.4e-06
    """
    file = Path(path)
    try:
        lines = file.read_text(encoding="latin-1").splitlines()
    except OSError as error:
        raise InputError(f"cannot read '{file}': {error.strerror or error}") from None
    header: dict[str, str] = {}
    rows = iter(lines)
    for line in rows:
        words = line.split()
        if words and words[0] == "end_of_head":
            break
        if len(words) >= 2:
            header[words[0]] = words[1]
    else:
        raise InputError(f"'{file}' is not a .gfc file: it has no line 'end_of_head'")
    missing = [k for k in ("earth_gravity_constant", "radius", "max_degree") if k not in header]
    if missing:
        raise InputError(f"the head of '{file}' does not give {', '.join(missing)}")
    if header.get("norm", "fully_normalized") != "fully_normalized":
        raise InputError(f"'{file}' has coefficients of norm '{header['norm']}'; expected fully_normalized")
    most = min(int(header["max_degree"]), _MOST) if degree is None else degree
    if not 2 <= most <= int(header["max_degree"]):
        raise InputError(f"degree must be 2 to {header['max_degree']}, which '{file}' has, got {most}")
    C, S, seen = np.zeros((most + 1, most + 1)), np.zeros((most + 1, most + 1)), np.zeros((most + 1, most + 1), bool)
    for number, line in enumerate(rows, len(header) + 2):
        words = line.split()
        if not words:
            continue
        if words[0] in ("gfct", "trnd", "acos", "asin", "dot"):
            raise InputError(f"'{file}' has coefficients that depend on time ('{words[0]}'), which are not read")
        try:
            n, m = int(words[1]), int(words[2])
            values = [float(w.replace("D", "e").replace("d", "e")) for w in words[3:5]]
            if words[0] != "gfc" or len(values) != 2 or not 0 <= m <= n:
                raise ValueError
        except (ValueError, IndexError):
            raise InputError(f"'{file}', about line {number}: expected 'gfc n m C S', got {line[:60]!r}") from None
        if n <= most:
            C[n, m], S[n, m], seen[n, m] = *values, True
    lacking = [(n, m) for n in range(2, most + 1) for m in range(n + 1) if not seen[n, m]]
    if lacking:
        raise InputError(f"'{file}' ends before degree {most}: there is no coefficient {lacking[0]}")
    mu, radius = (float(header[k].replace("D", "e").replace("d", "e")) for k in ("earth_gravity_constant", "radius"))
    model = GravityModel(C, S, mu, radius, header.get("modelname", file.stem))
    return model if order is None else model.to_degree(most, order)
