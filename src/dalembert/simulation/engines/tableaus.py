"""Explicit Runge-Kutta methods as data.

Notation and coefficients: E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I",
2nd ed., 1993: table II.1.2 (the classical method), table II.5.2 (Dormand-Prince), section II.10 (its relative of order
8, whose coefficients are decimals); the third-order pair is
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
    b_second, second_order
        Weights and order of a second embedded solution, with which the error estimate is that of section II.10.
    """

    name: str
    title: str
    order: int
    a: Array
    b: Array
    c: Array
    b_hat: Array | None = None
    embedded_order: int = 0
    b_second: Array | None = None
    second_order: int = 0

    @property
    def stages(self) -> int:
        """Number of stages."""
        return len(self.b)

    @property
    def adaptive(self) -> bool:
        """Whether an embedded solution controls the step."""
        return self.b_hat is not None

    @property
    def estimated_order(self) -> int:
        """Order of a solution whose error would go with the step as the estimate does: ``e^2 / e_2`` of two of them."""
        return self.embedded_order if self.b_second is None else 2 * self.embedded_order - self.second_order

    @property
    def fsal(self) -> bool:
        """First same as last: the last stage is the derivative at the new point."""
        return bool(self.c[-1] == 1.0 and np.array_equal(self.a[-1], self.b))


def _tableau(
    name: str,
    title: str,
    order: int,
    rows: str,
    weights: str,
    embedded: str | None = None,
    lower: int = 0,
    second: str | None = None,
    lowest: int = 0,
) -> Tableau:
    def numbers(text: str) -> list[Fraction]:
        return [Fraction(word) for word in text.split()]

    b = numbers(weights)
    a = np.zeros((len(b), len(b)))
    c = np.zeros(len(b))
    for i, row in enumerate(rows.strip().splitlines(), start=1):
        entries = numbers(row)
        a[i, : len(entries)] = [float(entry) for entry in entries]
        c[i] = round(float(sum(entries)), 15)  # the row condition c_i = sum_j a_ij
    b_hat, b_second = (
        None if text is None else np.array([float(w) for w in numbers(text)]) for text in (embedded, second)
    )
    tableau = Tableau(name, title, order, a, np.array([float(w) for w in b]), c, b_hat, lower, b_second, lowest)
    for array in (tableau.a, tableau.b, tableau.c, tableau.b_hat, tableau.b_second):
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
    _tableau(
        "dop853",
        "Dormand-Prince 8(5,3)",
        8,
        """\
        0.05260015195876773
        0.0197250569845379 0.0591751709536137
        0.02958758547680685 0 0.08876275643042054
        0.2413651341592667 0 -0.8845494793282861 0.924834003261792
        0.037037037037037035 0 0 0.17082860872947386 0.12546768756682242
        0.037109375 0 0 0.17025221101954405 0.06021653898045596 -0.017578125
        0.03709200011850479 0 0 0.17038392571223998 0.10726203044637328 -0.015319437748624402 \
            0.008273789163814023
        0.6241109587160757 0 0 -3.3608926294469414 -0.868219346841726 27.59209969944671 20.154067550477894 \
            -43.48988418106996
        0.47766253643826434 0 0 -2.4881146199716677 -0.590290826836843 21.230051448181193 15.279233632882423 \
            -33.28821096898486 -0.020331201708508627
        -0.9371424300859873 0 0 5.186372428844064 1.0914373489967295 -8.149787010746927 -18.52006565999696 \
            22.739487099350505 2.4936055526796523 -3.0467644718982196
        2.273310147516538 0 0 -10.53449546673725 -2.0008720582248625 -17.9589318631188 27.94888452941996 \
            -2.8589982771350235 -8.87285693353063 12.360567175794303 0.6433927460157636
        0.054293734116568765 0 0 0 0 4.450312892752409 1.8915178993145003 -5.801203960010585 \
            0.3111643669578199 -0.1521609496625161 0.20136540080403034 0.04471061572777259""",
        """\
        0.054293734116568765 0 0 0 0 4.450312892752409 1.8915178993145003 -5.801203960010585 \
            0.3111643669578199 -0.1521609496625161 0.20136540080403034 0.04471061572777259 0""",
        """\
        0.04117368912237389 0 0 0 0 5.675469339128614 2.3872768489717506 -7.465581142465571 \
            0.6614932157077935 -0.48634006837553356 0.11944219431891463 0.06706592359165889 0""",
        5,
        """\
        0.2440944881889764 0 0 0 0 0 0 0 0.7338466882816118 0 0 0.022058823529411766 0""",
        3,
    ),
)

TABLEAUS = MappingProxyType({method.name: method for method in _METHODS})
