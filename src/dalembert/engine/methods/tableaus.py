"""Explicit Runge-Kutta methods as data.

Notation and coefficients: E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I",
2nd ed., 1993: table II.1.2 (the classical method), table II.5.2 (Dormand-Prince), section II.10 (its relative of order
8, whose coefficients are decimals, and the polynomial of degree 7 along a step of it); the third-order pair is
P. Bogacki, L. F. Shampine, "A 3(2) pair of Runge-Kutta formulas", Appl. Math. Lett. 2 (1989) 321-325.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from dalembert.core.types import Array

__all__ = [
    "BOGACKI_SHAMPINE",
    "CLASSICAL",
    "DORMAND_PRINCE_5",
    "DORMAND_PRINCE_8",
    "EULER",
    "HEUN",
    "INNER",
    "StepPolynomial",
    "Tableau",
    "explicit_tableau",
]


@dataclass(frozen=True, eq=False)
class StepPolynomial:
    """A polynomial along a step, ``x(t + s) = x + h sum_j w_j(s/h) k_j``, with stages beyond those of the method.

    Parameters
    ----------
    a, c
        Coefficients of the further stages.
    weights
        Those of the state, then of ``h`` times its slope, at each of `INNER`.
    """

    a: Array
    c: Array
    weights: Array


INNER = (1 / 3, 2 / 3)
"""Parts of a step which, with its ends, are known with state and slope: eight data of a polynomial of degree 7."""


@dataclass(frozen=True, eq=False)
class Tableau:
    """Butcher tableau: k_i = f(t + c_i h, x + h sum_j a_ij k_j), x1 = x + h sum_i b_i k_i.

    Parameters
    ----------
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
    along
        Polynomial along a step; None: there is none of the order of the method.
    """

    order: int
    a: Array
    b: Array
    c: Array
    b_hat: Array | None = None
    embedded_order: int = 0
    b_second: Array | None = None
    second_order: int = 0
    along: StepPolynomial | None = None

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

    @cached_property
    def in_lanes(self) -> bool:
        """Whether the loops of rollouts have it: each stage of fixed steps uses the one before, pairs are FSAL."""
        if self.adaptive:
            return self.fsal and self.b_second is None
        return not np.any(self.a - np.diag(np.diag(self.a, -1), -1)) if self.stages > 1 else True


def explicit_tableau(
    order: int,
    rows: str,
    weights: str,
    embedded: str | None = None,
    embedded_order: int = 0,
    *,
    second: tuple[str, int] | None = None,
    along: tuple[str, str] | None = None,
) -> Tableau:
    """Return the tableau of an explicit Runge-Kutta method that is written as text, as books print it.

    Parameters
    ----------
    order
        Order of the solution that is carried on.
    rows
        Rows of the coefficients a from the second on, a line each: fractions or decimals.
    weights
        The weights b.
    embedded, embedded_order
        Weights and order of the embedded solution; None: fixed steps.
    second
        Weights and order of a second embedded solution.
    along
        Further stages and coefficients of the polynomial along a step, as of Hairer's program.

    Examples
    --------
    >>> heun = explicit_tableau(2, "1", "1/2 1/2")
    >>> heun.order
    2
    """

    def numbers(text: str) -> list[Fraction]:
        return [Fraction(word) for word in text.split()]

    b = numbers(weights)
    a = np.zeros((len(b), len(b)))
    c = np.zeros(len(b))
    for i, row in enumerate(rows.strip().splitlines(), start=1):
        entries = numbers(row)
        a[i, : len(entries)] = [float(entry) for entry in entries]
        c[i] = round(float(sum(entries)), 15)  # the row condition c_i = sum_j a_ij
    other, lowest = (None, 0) if second is None else second
    b_hat, b_second = (
        None if text is None else np.array([float(w) for w in numbers(text)]) for text in (embedded, other)
    )
    solution = np.array([float(w) for w in b])
    polynomial = None if along is None else _along(solution, *map(_table, along))
    tableau = Tableau(order, a, solution, c, b_hat, embedded_order, b_second, lowest, polynomial)
    for array in (tableau.a, tableau.b, tableau.c, tableau.b_hat, tableau.b_second):
        if array is not None:
            array.setflags(write=False)
    return tableau


def _table(text: str) -> Array:
    rows = [[float(word) for word in line.split()] for line in text.strip().splitlines()]
    return np.array([row + [0.0] * (max(map(len, rows)) - len(row)) for row in rows])


def _along(b: Array, a: Array, highest: Array) -> StepPolynomial:
    """Polynomial along a step by section II.6: a cubic through states and slopes of its ends, and four terms more.

    With d = x1 - x, s0 and s1 the slopes of the ends and r = 1 - z it is, in z from 0 to 1 beyond x,

        z d + z r (h s0 - d) + z^2 r (2 d - h s0 - h s1) + z^2 r^2 h (D0 + z D1 + z r D2 + z^2 r D3) k.
    """
    total = highest.shape[1]
    d = np.zeros(total)
    d[: len(b)] = b
    s0, s1 = np.eye(total)[0], np.eye(total)[len(b) - 1]
    z, r = np.polynomial.Polynomial([0.0, 1.0]), np.polynomial.Polynomial([1.0, -1.0])
    inner = z**2 * r**2
    parts = [z, z * r, z**2 * r, inner, inner * z, inner * z * r, inner * z**2 * r]
    data = np.vstack([d, s0 - d, 2.0 * d - s0 - s1, highest])
    kinds = parts, [f.deriv() for f in parts]
    weights = [np.array([f(place) for f in kind]) @ data for place in INNER for kind in kinds]
    rows = np.zeros((len(a), total))
    rows[:, : a.shape[1]] = a
    return StepPolynomial(rows, np.round(a.sum(axis=1), 15), np.array(weights))


EULER = explicit_tableau(1, "", "1")
HEUN = explicit_tableau(2, "1", "1/2 1/2")
CLASSICAL = explicit_tableau(4, "1/2\n0 1/2\n0 0 1", "1/6 1/3 1/3 1/6")
BOGACKI_SHAMPINE = explicit_tableau(
    3,
    "1/2\n0 3/4\n2/9 1/3 4/9",
    "2/9 1/3 4/9 0",
    "7/24 1/4 1/3 1/8",
    2,
)
DORMAND_PRINCE_5 = explicit_tableau(
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
)
DORMAND_PRINCE_8 = explicit_tableau(
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
    second=(
        """\
        0.2440944881889764 0 0 0 0 0 0 0 0.7338466882816118 0 0 0.022058823529411766 0""",
        3,
    ),
    along=(
        """\
        0.056167502283047954 0 0 0 0 0 0.25350021021662483 -0.2462390374708025 -0.12419142326381637 \
            0.15329179827876568 0.00820105229563469 0.007567897660545699 -0.008298
        0.03183464816350214 0 0 0 0 0.028300909672366776 0.053541988307438566 -0.05492374857139099 0 0 \
            -0.00010834732869724932 0.0003825710908356584 -0.00034046500868740456 0.1413124436746325
        -0.42889630158379194 0 0 0 0 -4.697621415361164 7.683421196062599 4.06898981839711 0.3567271874552811 0 0 \
            0 -0.0013990241651590145 2.9475147891527724 -9.15095847217987""",
        """\
        -8.428938276109013 0 0 0 0 0.5667149535193777 -3.0689499459498917 2.38466765651207 2.117034582445028 \
            -0.871391583777973 2.2404374302607883 0.6315787787694688 -0.08899033645133331 18.148505520854727 \
            -9.194632392478356 -4.436036387594894
        10.427508642579134 0 0 0 0 242.28349177525817 165.20045171727028 -374.5467547226902 -22.113666853125306 \
            7.733432668472264 -30.674084731089398 -9.332130526430229 15.697238121770845 -31.139403219565178 \
            -9.35292435884448 35.81684148639408
        19.985053242002433 0 0 0 0 -387.0373087493518 -189.17813819516758 527.8081592054236 -11.57390253995963 \
            6.8812326946963 -1.0006050966910838 0.7777137798053443 -2.778205752353508 -60.19669523126412 \
            84.32040550667716 11.99229113618279
        -25.69393346270375 0 0 0 0 -154.18974869023643 -231.5293791760455 357.6391179106141 93.40532418362432 \
            -37.45832313645163 104.0996495089623 29.8402934266605 -43.53345659001114 96.32455395918828 \
            -39.17726167561544 -149.72683625798564""",
    ),
)
