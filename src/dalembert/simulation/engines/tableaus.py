"""Explicit Runge-Kutta methods as data.

Notation and coefficients: E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I",
2nd ed., 1993: table II.1.2 (the classical method), table II.5.2 (Dormand-Prince); the third-order pair is
P. Bogacki, L. F. Shampine, "A 3(2) pair of Runge-Kutta formulas", Appl. Math. Lett. 2 (1989) 321-325.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

import numpy as np

from dalembert.core.types import Array

__all__ = ["TABLEAUS", "Tableau"]


@dataclass(frozen=True, eq=False)
class Tableau:
    """Butcher tableau: k_i = f(t + c_i h, x + h sum_j a_ij k_j), x1 = x + h sum_i b_i k_i.

    Parameters
    ----------
    name
        The name by which `integrate` knows the method.
    title
        The name by which people know it.
    order
        Order of the solution that is carried on.
    a, b, c
        Coefficients; a is strictly lower triangular.
    b_hat
        Weights of the embedded solution, None for a fixed-step method.
    embedded_order
        Order of the embedded solution.
    """

    name: str
    title: str
    order: int
    a: Array
    b: Array
    c: Array
    b_hat: Array | None = None
    embedded_order: int = 0

    @property
    def stages(self) -> int:
        """Number of stages."""
        return len(self.b)

    @property
    def adaptive(self) -> bool:
        """Whether an embedded solution controls the step."""
        return self.b_hat is not None

    @property
    def fsal(self) -> bool:
        """First same as last: the last stage is the derivative at the new point."""
        return bool(self.c[-1] == 1.0 and np.array_equal(self.a[-1], self.b))


def _tableau(
    name: str, title: str, order: int, rows: str, weights: str, embedded: str | None = None, lower: int = 0
) -> Tableau:
    def numbers(text: str) -> list[Fraction]:
        return [Fraction(word) for word in text.split()]

    b = numbers(weights)
    a = np.zeros((len(b), len(b)))
    c = np.zeros(len(b))
    for i, row in enumerate(rows.strip().splitlines(), start=1):
        entries = numbers(row)
        a[i, : len(entries)] = [float(entry) for entry in entries]
        c[i] = float(sum(entries))  # the row condition c_i = sum_j a_ij
    b_hat = None if embedded is None else np.array([float(w) for w in numbers(embedded)])
    tableau = Tableau(name, title, order, a, np.array([float(w) for w in b]), c, b_hat, lower)
    for array in (tableau.a, tableau.b, tableau.c, tableau.b_hat):
        if array is not None:
            array.setflags(write=False)
    return tableau


_METHODS = (
    _tableau("euler", "explicit Euler", 1, "", "1"),
    _tableau("heun", "Heun", 2, "1", "1/2 1/2"),
    _tableau("rk4", "classical Runge-Kutta", 4, "1/2\n0 1/2\n0 0 1", "1/6 1/3 1/3 1/6"),
    _tableau(
        "bs32",
        "Bogacki-Shampine 3(2)",
        3,
        "1/2\n0 3/4\n2/9 1/3 4/9",
        "2/9 1/3 4/9 0",
        "7/24 1/4 1/3 1/8",
        2,
    ),
    _tableau(
        "dopri5",
        "Dormand-Prince 5(4)",
        5,
        """1/5
        3/40 9/40
        44/45 -56/15 32/9
        19372/6561 -25360/2187 64448/6561 -212/729
        9017/3168 -355/33 46732/5247 49/176 -5103/18656
        35/384 0 500/1113 125/192 -2187/6784 11/84""",
        "35/384 0 500/1113 125/192 -2187/6784 11/84 0",
        "5179/57600 0 7571/16695 393/640 -92097/339200 187/2100 1/40",
        4,
    ),
)

TABLEAUS = MappingProxyType({method.name: method for method in _METHODS})
