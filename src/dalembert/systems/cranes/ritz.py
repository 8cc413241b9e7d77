"""The hanging cable as a string under a trolley, by a Rayleigh-Ritz approach (CRANE 1.1 (2), 1.2, 8.3).

The horizontal position of the point at the part ``xi`` of the length below the trolley is ``x + sum_k a_k phi_k(xi)``,
and for small deflections

    T = m x'^2/2 + rho L/2 int (x' + phi^T a')^2 dxi + M (x' + phi(1)^T a')^2/2,
    V = 1/(2 L) int g (M + rho L (1 - xi)) (phi'^T a)^2 dxi.

The tension ``g (M + rho L (1 - xi))`` is that of the cable at rest: this is the string of the partial differential
equations, in a finite number of functions. Its frequencies are never below those of the string (Rayleigh's principle).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.renamed import renamed
from dalembert.core.types import Array
from dalembert.core.validation import check_number

__all__ = ["RitzCable"]

BASES = ("polynomial", "sine")


@renamed("rad/s", frequencies="omega")
@dataclass(frozen=True)
class RitzCable:
    """A heavy string of constant length below a trolley, in ``functions`` functions.

    Parameters
    ----------
    functions
        Number of functions.
    length, mass
        Length and mass of the cable.
    payload
        Mass at its end.
    gravity
        Acceleration of gravity.
    basis
        ``"polynomial"``: integrated Legendre polynomials, which span ``xi .. xi^n``; ``"sine"``:
        ``sin((k - 1/2) pi xi)``, the modes of a string under constant tension with a free end.

    Examples
    --------
    >>> RitzCable(4, length=5.0, mass=4.0).omega().round(3)[:2]
    array([1.684, 3.866])
    """

    functions: int
    length: float
    mass: float
    payload: float = 0.0
    gravity: float = 9.81
    basis: str = "polynomial"

    def __post_init__(self) -> None:
        n = self.functions
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 1 <= n <= 60:
            raise InputError(f"the number of functions of a RitzCable must be an integer from 1 to 60, got {n!r}")
        for name in ("length", "mass", "gravity", "payload"):
            value = check_number(f"{name} of a RitzCable", getattr(self, name), positive=name != "payload")
            if value < 0:
                raise InputError(f"{name} of a RitzCable must be a number >= 0, got {value:g}")
            object.__setattr__(self, name, value)
        if not isinstance(self.basis, str) or self.basis not in BASES:
            raise InputError(f"basis of a RitzCable must be one of {', '.join(BASES)}, got {self.basis!r}")

    def shapes(self, xi: ArrayLike) -> tuple[Array, Array]:
        """Functions and their slopes at parts of the length, each (..., functions)."""
        try:
            x = np.asarray(xi, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"parts of the length of a RitzCable must be numbers, got {xi!r}") from None
        if not ((x >= 0) & (x <= 1)).all():
            raise InputError(f"parts of the length of a RitzCable must lie between 0 and 1, got {xi!r}")
        if self.basis == "sine":
            w = (np.arange(self.functions) + 0.5) * np.pi
            return np.sin(w * x[..., None]), w * np.cos(w * x[..., None])
        P = np.polynomial.legendre.legvander(2 * x.ravel() - 1, self.functions).reshape(*x.shape, self.functions + 1)
        k = np.arange(1, self.functions)
        later = (P[..., 2:] - P[..., :-2]) / (2 * (2 * k + 1))  # int P_k = (P_{k+1} - P_{k-1})/(2 k + 1), zero at 0
        return np.concatenate([x[..., None], later], axis=-1), P[..., :-1]

    def _integrals(self) -> tuple[float, Array, Array, Array]:
        """Mass of all that hangs, its coupling with the trolley, mass and stiffness matrix of the functions."""
        node, weight = np.polynomial.legendre.leggauss(self.functions + 40)
        xi, weight = (node + 1) / 2, weight / 2
        phi, slope = self.shapes(xi)
        end, _ = self.shapes(1.0)
        M = self.mass * (phi.T * weight) @ phi + self.payload * np.outer(end, end)
        tension = self.gravity * (self.payload + self.mass * (1 - xi))
        K = (slope.T * (weight * tension)) @ slope / self.length
        return self.mass + self.payload, self.mass * weight @ phi + self.payload * end, M, K

    def omega(self) -> Array:
        """Angular frequencies below a trolley at rest [rad/s], ascending."""
        from scipy.linalg import eigh

        _, _, M, K = self._integrals()
        return np.asarray(np.sqrt(eigh(K, M, eigvals_only=True)))

    def state_space(self, trolley: float) -> Any:
        """Linear model with a trolley: from its force ``F`` to ``x`` and the payload's position, as a StateSpace.

        Parameters
        ----------
        trolley
            Mass of the trolley.
        """
        import control

        trolley = check_number("the mass of the trolley of a RitzCable", trolley)
        hanging, coupling, M_a, K_a = self._integrals()
        n = self.functions + 1
        M, K = np.zeros((2, n, n))
        M[0, 0], M[0, 1:], M[1:, 0], M[1:, 1:], K[1:, 1:] = trolley + hanging, coupling, coupling, M_a, K_a
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), np.zeros((n, n))]])
        B = np.concatenate([np.zeros(n), np.linalg.solve(M, np.eye(n)[0])])[:, None]
        C = np.zeros((2, 2 * n))
        C[0, 0] = C[1, 0] = 1.0
        C[1, 1:n], _ = self.shapes(1.0)
        states = [*(f"a{k}" for k in range(1, n))]
        names = ["x", *states, "x_dot", *(f"{s}_dot" for s in states)]
        return control.ss(A, B, C, 0, inputs=["F"], outputs=["x", "payload"], states=names)
