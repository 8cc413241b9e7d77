"""Parts of analyses, one by one: balance, cycles, cones of friction, closed forms in each language, projections."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import numpy as np
import pytest
import sympy as sp
from numpy.typing import NDArray

import dalembert as da
from dalembert.analysis.cables.catenary import catenary
from dalembert.analysis.cables.held import _first_frequency, _halved
from dalembert.analysis.cables.tensions import tension_distribution
from dalembert.analysis.closed_form.algebra import ONE, Algebra, Polynomial
from dalembert.analysis.closed_form.angles import _forms, shorten_angles
from dalembert.analysis.closed_form.layout import Layouter, _common, _over, _square_root
from dalembert.analysis.closed_form.printing import Writer
from dalembert.analysis.closed_form.replay import _apply, replay
from dalembert.analysis.derivation.formula import WIDE, broken, named, width
from dalembert.analysis.equilibrium import Equilibrium
from dalembert.analysis.modal import MachineModes
from dalembert.analysis.resting import Descent
from dalembert.analysis.sticking import _balanced_in_cones
from dalembert.analysis.stress import StressHistory, rainflow
from dalembert.core.errors import InputError
from dalembert.formulations.equations import derive

Array = NDArray[Any]


def test_the_force_that_is_left_unbalanced() -> None:
    """The largest one relative to the forces at its own velocity, or to a ten-thousandth of the largest anywhere."""

    def rest(residual: list[float], sizes: list[float], scale: float) -> Equilibrium:
        return Equilibrium(np.zeros(3), np.zeros(0), np.array(residual), scale, sizes=np.array(sizes))

    point = rest([2e-3, -0.5, 4e-5], [10.0, 1000.0, 1e-5], 1000.0)  # parts: 2e-4, 5e-4, 4e-4 of 0.1
    assert point.unbalanced(3e-4) == 1 and point.unbalanced(6e-4) is None
    assert rest([2e-3, -0.5, 6e-5], [10.0, 1000.0, 1e-5], 1000.0).unbalanced(3e-4) == 2
    assert rest([0.3, 0.0, 0.0], [10.0, 1.0, 1.0], 10.0).unbalanced(0.02) == 0
    assert rest([0.0, 0.0, -1e-200], [1.0, 1.0, 1.0], 1.0).unbalanced(0.0) == 2
    assert rest([0.0, 0.0, 0.0], [1.0, 1.0, 1.0], 1.0).unbalanced(0.0) is None
    assert rest([1.0, 0.0, 0.0], [1.0, 1.0, 1.0], 1.0).unbalanced(0.0) == 0
    assert rest([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], 0.0).unbalanced(1e-9) is None
    assert rest([1e-9, 0.0, 0.0], [0.0, 0.0, 0.0], 0.0).unbalanced(0.5) == 0  # at least 1e-12 N counts
    assert rest([np.nan, 0.0, 0.0], [1.0, 1.0, 1.0], 1.0).unbalanced(0.1) == 0


def _four_points(history: list[float]) -> dict[tuple[float, float], float]:
    """Cycles by the rule of four points, with a residue of half cycles: by range and mean."""
    x = [a for k, a in enumerate(history) if not k or a != history[k - 1]]
    x = [a for k, a in enumerate(x) if k in (0, len(x) - 1) or (a - x[k - 1]) * (x[k + 1] - a) < 0.0]
    found: dict[tuple[float, float], float] = {}

    def count(a: float, b: float, number: float) -> None:
        key = round(abs(a - b), 9), round((a + b) / 2.0, 9)
        found[key] = found.get(key, 0.0) + number

    k = 0
    while k + 3 < len(x):
        a, b, c, d = x[k : k + 4]
        if abs(b - c) <= abs(a - b) and abs(b - c) <= abs(c - d):
            count(b, c, 1.0)
            del x[k + 1 : k + 3]
            k = 0
        else:
            k += 1
    for a, b in zip(x, x[1:], strict=False):  # noqa: RUF007
        count(a, b, 0.5)
    return found


def test_cycles_of_random_histories() -> None:
    """Those of another method, with runs that rise for several steps and values that repeat; damage is a sum."""
    rng = np.random.default_rng(1)
    for size in (0, 1, 2, 3, 3, 3, 4, 5, 6, 30, 60):
        history = np.round(np.cumsum(rng.normal(size=size)) * (1 + size % 2), 1)
        history = np.repeat(history, rng.integers(1, 3, size))
        cycles = rainflow(history)
        found: dict[tuple[float, float], float] = {}
        for r, m, n in zip(cycles.ranges, cycles.means, cycles.counts, strict=True):
            key = round(float(r), 9), round(float(m), 9)
            found[key] = found.get(key, 0.0) + float(n)
        assert found == _four_points(history.tolist())
        damage = sum(n * (r / 2.0 / 7.0) ** 3.5 for (r, _), n in found.items())
        assert cycles.damage(7.0, 3.5) == pytest.approx(damage, rel=1e-9)
    rising = rainflow([1.0, 2.0, 4.5])
    assert (rising.ranges.tolist(), rising.means.tolist(), rising.counts.tolist()) == ([3.5], [2.75], [0.5])
    for wrong in ([[1.0, 2.0]], [1.0, np.nan]):
        with pytest.raises(InputError, match="finite numbers"):
            rainflow(wrong)


def test_stresses_over_a_run() -> None:
    rng = np.random.default_rng(2)
    sigma = rng.normal(size=(7, 4, 6))
    history = StressHistory(np.arange(7.0), sigma)
    tensor = sigma[..., [[0, 3, 5], [3, 1, 4], [5, 4, 2]]]
    values = np.linalg.eigvalsh(tensor)  # the equivalent stress does not depend on the order of the shears
    expected = np.sqrt(0.5 * sum((values[..., i] - values[..., j]) ** 2 for i, j in ((0, 1), (1, 2), (2, 0))))
    np.testing.assert_allclose(history.von_mises, expected, rtol=1e-9)
    np.testing.assert_allclose(history.largest, expected.max(axis=1), rtol=1e-9)
    assert history.where.tolist() == expected.argmax(axis=1).tolist()
    worst = int(expected.max(axis=0).argmax())
    signs = np.sign(sigma[..., :3].sum(axis=2))
    assert history.critical == worst
    np.testing.assert_allclose(history.signed(), (signs * expected)[:, worst], rtol=1e-9)
    np.testing.assert_allclose(history.signed(2), (signs * expected)[:, 2], rtol=1e-9)
    np.testing.assert_allclose(history.cycles(2).ranges, rainflow((signs * expected)[:, 2]).ranges, rtol=1e-9)


def test_forces_within_cones_of_friction() -> None:
    """In every direction: a force inside the pyramid is one of the cone, and one outside the cone is none."""
    mu = 0.35
    for angle in np.linspace(0.0, 2.0 * np.pi, 41):
        for share, inside in ((0.95, True), (1.001, False)):
            forces = 40.0 * np.array([share * mu * np.cos(angle), share * mu * np.sin(angle), 1.0])
            assert _balanced_in_cones(np.eye(3), forces, [mu]) == inside
    assert not _balanced_in_cones(np.eye(3), np.array([0.0, 0.1, -1.0]), [mu])
    # two contacts that share one load: each takes what the other may not
    J = np.vstack([np.eye(3), np.eye(3)])
    for shear, inside in ((1.75, True), (1.81, False)):
        forces = np.array([shear, 0.0, 1.0, 0.0, 0.0, 1.0])
        assert _balanced_in_cones(J, forces, [0.1, 0.9]) == inside  # at most 0.9 of all that presses: 1.8 of two
    forces = np.array([0.0, 1.0, 1.0, 0.0, -1.0, 1.0])
    assert _balanced_in_cones(J, forces, [0.05, 0.05])  # they push against each other


def test_modes_without_stiffness() -> None:
    def elastic(omega: list[float]) -> list[int]:
        modes = MachineModes(cast(Any, None), np.zeros(0), np.array(omega), np.eye(len(omega)), np.zeros(len(omega)))
        return modes.elastic.tolist()

    assert elastic([0.0, 0.0]) == [] == elastic([])
    assert elastic([-3.0, 0.0, 1e-12, 2.0, 5.0]) == [3, 4]


# -- cables -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["qp", "closed-form"])
def test_tensions_that_balance_a_wrench(method: str) -> None:
    """Within their bounds; the nearest to the middle has no component along motions of tensions that are free."""
    rng = np.random.default_rng(7)
    found = 0
    for _ in range(40):
        A = rng.normal(size=(3, 6))
        low, high = rng.uniform(1.0, 3.0, 6), rng.uniform(8.0, 15.0, 6)
        w = A @ rng.uniform(low, high)
        try:
            f = tension_distribution(A, w, low, high, method=method)
        except InputError:
            assert method == "closed-form"  # which may miss solutions near the border
            continue
        found += 1
        np.testing.assert_allclose(A @ f, w, atol=1e-5 * max(1.0, np.abs(w).max()))
        assert (f >= low).all() and (f <= high).all()
        free = (f > low + 1e-5) & (f < high - 1e-5)
        if method == "closed-form":
            wanted = (low + high)[free] / 2.0
            rest = w - A[:, ~free] @ f[~free]
            nearest = wanted + np.linalg.pinv(A[:, free]) @ (rest - A[:, free] @ wanted)
            np.testing.assert_allclose(f[free], nearest, atol=1e-6)
            continue
        # multipliers of the balance explain what free tensions miss; at bounds they push outwards
        y = np.linalg.lstsq(A[:, free].T, (f - (low + high) / 2.0)[free], rcond=None)[0] if free.any() else np.zeros(3)
        left = f - (low + high) / 2.0 - A.T @ y
        assert np.abs(left[free]).max(initial=0.0) < 1e-4
        if free.sum() >= 3:
            assert (left[f <= low + 1e-5] > -1e-4).all() and (left[f >= high - 1e-5] < 1e-4).all()
    assert found > (30 if method == "qp" else 10)
    twice = np.vstack([np.ones(4), np.ones(4), [1.0, -1.0, 2.0, 0.0]])  # two rows are one
    f = tension_distribution(twice, [12.0, 12.0, 3.0], 1.0, 9.0)
    np.testing.assert_allclose(twice @ f, [12.0, 12.0, 3.0], rtol=1e-7)
    for w in ([12.0, 13.0, 3.0], [50.0, 50.0, 0.0], [3.0, 3.0, 0.0]):
        with pytest.raises(InputError, match="balance the wrench"):
            tension_distribution(twice, w, 1.0, 9.0, method=method)
    with pytest.raises(InputError, match="must not exceed"):
        tension_distribution(twice, [1.0, 1.0, 1.0], 2.0, [3.0, 1.0, 3.0, 3.0])
    with pytest.raises(InputError, match="qp"):
        tension_distribution(twice, [1.0, 1.0, 1.0], 2.0, 3.0, method="lp")


def test_strings_and_searches_by_halves() -> None:
    assert _first_frequency(200.0, 5.0, 9.81 * 0.08, 9.81) == pytest.approx(np.sqrt(200.0 / 0.08) / 10.0)
    limits = np.array([0.3, 2.0, -1.0])
    found = _halved(lambda x: x < limits, np.full(3, -4.0), np.full(3, 5.0))
    np.testing.assert_allclose(found, limits, atol=1e-12)


@pytest.mark.parametrize("stiffness", [np.inf, 3e4])
def test_a_heavy_cable_is_at_rest_and_reacts_to_its_end(stiffness: float) -> None:
    """Balance of all forces, derivatives by differences, and the first frequency of a string."""
    start, end, w, L = np.array([1.0, -2.0, 0.5]), np.array([31.0, 12.0, 9.0]), 12.0, 37.0

    def made(end: Array) -> Any:
        return catenary(start, end, L, w, stiffness=stiffness, gravity=9.5)

    cable = made(end)
    first, last = cable.forces
    np.testing.assert_allclose(first + last, [0.0, 0.0, -w * L], atol=1e-6)
    assert cable.tensions == pytest.approx((np.linalg.norm(first), np.linalg.norm(last)), rel=1e-9)
    across = np.cross(end - start, [0.0, 0.0, 1.0])
    assert abs(first @ across) < 1e-6 * np.linalg.norm(first) * np.linalg.norm(across)
    steps = [(made(end + 1e-4 * e).forces[1] - made(end - 1e-4 * e).forces[1]) / 2e-4 for e in np.eye(3)]
    np.testing.assert_allclose(cable.stiffness_matrix, -np.column_stack(steps), rtol=1e-4, atol=1e-3)
    points = cable.points(2001)
    np.testing.assert_allclose(points[[0, -1]], [start, end], atol=1e-8)
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    stretch = lengths / (L / 2000) - 1.0  # by the tension there
    tension = np.hypot(cable.horizontal, cable.vertical - w * L + w * (np.arange(2000) + 0.5) * L / 2000)
    np.testing.assert_allclose(stretch, tension / stiffness, atol=1e-6)
    d = end - start
    share = (points[:, :2] - start[:2]) @ d[:2] / (d[:2] @ d[:2])
    assert cable.sag == pytest.approx((start[2] + share * d[2] - points[:, 2]).max(), rel=1e-4)
    pull = cable.horizontal * np.linalg.norm(d) / np.hypot(*d[:2])
    assert cable.frequency == pytest.approx(np.sqrt(pull * 9.5 / w) / (2.0 * np.linalg.norm(d)), rel=1e-9)


# -- closed forms ------------------------------------------------------------------------------------------------------


def _value(algebra: Algebra, p: Polynomial, numbers: dict[str, float]) -> float:
    """A polynomial at numbers of its symbols."""
    functions: dict[str, Any] = {
        "sum": lambda x: x, "sqrt": math.sqrt, "tan": math.tan, "asin": math.asin, "acos": math.acos,
        "atan": math.atan, "atan2": math.atan2, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh,
        "exp": math.exp, "log": math.log, "Abs": abs, "sign": np.sign, "Max": max, "Min": min, "Pow": math.pow,
        "floor": math.floor, "ceiling": math.ceil,
    }  # fmt: skip

    def atom(i: int) -> float:
        a = algebra.atoms[i]
        if a.kind == "symbol":
            return numbers[a.name]
        if a.kind == "root":
            return math.sqrt(a.number)
        inner = [_value(algebra, dict(terms), numbers) for terms in a.terms]
        return float(
            {"sin": math.sin, "cos": math.cos}[a.kind](*inner) if a.kind != "call" else functions[a.name](*inner)
        )

    return float(sum(float(c) * math.prod(atom(i) ** e for i, e in m) for m, c in p.items()))


def test_operations_on_polynomials_have_their_values() -> None:
    """Every operation of a tape, evaluated on polynomials and by CasADi."""
    x, y, z = (ca.SX.sym(n) for n in "xyz")
    numbers = {"x": 0.37, "y": 1.9, "z": -0.62}
    cases = [
        x + 2 * y, x - y * z, x / (y + z * z), 1 / y, -x * 2.5, ca.sqrt(x * x + y), ca.sqrt(2.0) * x, y**3, y**-2,
        (x + z) ** 4, ca.power(y, 2.5), ca.power(y, x), ca.sin(x - 2 * y), ca.cos(x + 0.5 * y), ca.sin(z + ca.pi / 2),
        ca.tan(x), ca.asin(x), ca.acos(z), ca.atan(y), ca.atan2(x, z), ca.fmax(x, z), ca.fmin(x, z), ca.fabs(z),
        ca.exp(z), ca.log(y), ca.sign(z), 0.3 * x, x / 7, 1e-3 * y + 0.123456789,
    ]  # fmt: skip
    algebra = Algebra(1000, lambda n: ValueError(n))
    inputs = {"q": (ca.vertcat(x, y, z), [algebra.symbol(n) for n in "xyz"])}
    for case in cases:
        try:
            ((found,),) = replay(algebra, [case], inputs)
        except InputError as error:  # an operation that closed forms refuse by name
            assert "cannot contain the operation" in str(error)
            continue
        exact = float(ca.Function("f", [x, y, z], [case])(*numbers.values()))
        assert _value(algebra, found, numbers) == pytest.approx(exact, rel=1e-12)
    a, half = algebra.symbol("y"), {ONE: Fraction(5, 2)}
    assert _apply(algebra, "POW", a, {ONE: 3}) == algebra.mul(a, algebra.mul(a, a))
    assert _apply(algebra, "CONSTPOW", a, {ONE: -2}) == algebra.div({ONE: 1}, algebra.mul(a, a))
    assert _apply(algebra, "POW", a, {}) == {ONE: 1}
    for exponent in (half, algebra.symbol("x")):
        power = _apply(algebra, "POW", a, exponent)
        ((((i, one),), c),) = power.items()
        assert (one, c, algebra.atoms[i].kind) == (1, 1, "call")
    with pytest.raises(InputError, match="operation ERF"):
        _apply(algebra, "ERF", a, {})
    many = replay(algebra, [ca.vertcat(x, y), ca.SX(3.0)], inputs)
    assert [len(m) for m in many] == [2, 1] and many[1][0] == {ONE: 3}


def _trigonometric(rng: np.random.Generator, algebra: Algebra, size: int) -> Polynomial:
    """Sums of products of parameters, and of sines and cosines of two angles and of half of one."""
    symbols = [algebra.symbol(n) for n in "mnxy"]
    angles = [algebra.symbol("x"), algebra.symbol("y"), {m: Fraction(1, 2) for m in algebra.symbol("x")}]
    waves = [one for angle in angles for one in algebra.cos_sin(angle)]
    total: Polynomial = {}
    for _ in range(size):
        term: Polynomial = {ONE: Fraction(int(rng.integers(1, 7)) * int(rng.choice([-1, 1])), int(rng.integers(1, 5)))}
        for _ in range(int(rng.integers(0, 3))):
            term = algebra.mul(term, symbols[int(rng.integers(4))])
        for _ in range(int(rng.integers(0, 4))):
            term = algebra.mul(term, waves[int(rng.integers(6))])
        total = algebra.add(total, {m: Fraction(c) for m, c in term.items()})
    return total


def test_all_forms_of_a_sum_have_its_value() -> None:
    """Of trigonometric polynomials as waves, products and other squares, and of sums with common factors."""
    rng = np.random.default_rng(8)
    numbers = {"m": 1.3, "n": -0.7, "x": 0.45, "y": 2.1}
    kinds = set()
    for attempt in range(60):
        algebra = Algebra(1000, lambda n: ValueError(n))
        p = _trigonometric(rng, algebra, 1 + attempt % 5)
        if attempt % 3 == 0:  # two waves of one size, which are a product
            (x,), (y,) = algebra.symbol("x"), algebra.symbol("y")
            signs = [int(k) for k in rng.choice([-2, -1, 1, 2], 2)]
            p = {}
            for k in (1, -1):
                wave = algebra.cos_sin({x: Fraction(signs[0]), y: Fraction(signs[1] * k)})[attempt % 2]
                size = Fraction(3, 4) * int(rng.choice([-1, 1]))
                p = algebra.add(p, {m: size * c for m, c in wave.items()})
            if not p:
                continue
        value = _value(algebra, p, numbers)
        angles_only = {m: c for m, c in p.items() if all(algebra.atoms[i].kind in ("sin", "cos") for i, _ in m)}
        first = _value(algebra, angles_only, numbers)
        forms = list(_forms(algebra, angles_only)) if angles_only else []
        for form in forms:
            assert _value(algebra, form, numbers) == pytest.approx(first, rel=1e-12, abs=1e-12)
        kinds.add(len(forms))
        short = shorten_angles(algebra, p)
        assert _value(algebra, short, numbers) == pytest.approx(value, rel=1e-12, abs=1e-12)
        written = Layouter(algebra, frozenset("xy")).expression(p)
        assert float(written.subs(numbers)) == pytest.approx(value, rel=1e-12, abs=1e-12)
    assert len(kinds) > 2
    algebra = Algebra(100, lambda n: ValueError(n))  # an angle and its half: cos x cos(x/2 + y)
    (x,), (y,) = algebra.symbol("x"), algebra.symbol("y")
    p = algebra.mul(algebra.cos_sin({x: 1})[0], algebra.cos_sin({x: Fraction(1, 2), y: 1})[0])
    written = Layouter(algebra, frozenset("xy")).expression({m: Fraction(c) for m, c in p.items()})
    assert sp.simplify(written - sp.cos(sp.Symbol("x")) * sp.cos(sp.Symbol("x") / 2 + sp.Symbol("y"))) == 0


def test_squares_of_binomials() -> None:
    """``(a - b)^2`` in any powers and rational factors; a term more, a sign or a factor that differs is none."""
    rng = np.random.default_rng(3)
    for _ in range(30):
        one, other = (tuple(sorted((int(i), int(rng.integers(1, 4))) for i in rng.choice(4, 2, replace=False)))
                      for _ in range(2))  # fmt: skip
        if one == other:
            continue
        a, b = (Fraction(int(rng.integers(1, 9)), int(rng.integers(1, 9))) for _ in range(2))
        sign = int(rng.choice([-1, 1]))
        if (
            sign > 0
            and all((e + dict(other).get(i, 0)) % 2 == 0 for i, e in one)
            and all((e + dict(one).get(i, 0)) % 2 == 0 for i, e in other)
        ):
            continue  # three squares
        algebra = Algebra(100, lambda n: ValueError(n))
        square = algebra.mul({one: a, other: sign * b}, {one: a, other: sign * b})
        square = {m: Fraction(c) for m, c in square.items()}
        root = _square_root(square)
        assert root is not None
        assert {m: Fraction(c) for m, c in algebra.mul(root, root).items()} == square
        assert _square_root({**square, ((7, 2),): 0.3}) is None  # a fourth term, that is no fraction
        assert _square_root({**square, ((7, 1),): Fraction(1)}) is None
        cross = next(
            m for m in square if m not in (tuple((i, 2 * e) for i, e in one), tuple((i, 2 * e) for i, e in other))
        )
        assert _square_root({**square, cross: square[cross] + 1}) is None
        assert _square_root({m: -c for m, c in square.items()}) is None
        assert _square_root({m: c for m, c in square.items() if m != cross}) is None
        assert _square_root({m: 2 * c for m, c in square.items()}) is None
        assert _square_root({m: float(c) for m, c in square.items()}) is None
    p: Polynomial = {((0, 2), (1, 1)): 1, ((0, 3), (2, 1)): 2, ((0, 2), (1, -1)): 3}
    assert _common(p) == ((0, 2), (1, -1)) and _over(((0, 2), (1, 1)), ((0, 2), (1, -1))) == ((1, 2),)


@pytest.mark.parametrize("style", ["text", "python"])
def test_expressions_are_written_as_they_are_read(style: str) -> None:
    """What is written has the value of the expression, in Python's NumPy or in plain functions."""
    a, b, c = sp.symbols("a b c")
    numbers = {"a": 0.4, "b": 1.7, "c": -0.3}
    plain: dict[str, Any] = {
        n: getattr(np, f) for n, f in (("sin", "sin"), ("cos", "cos"), ("sqrt", "sqrt"), ("asin", "arcsin"),
        ("acos", "arccos"), ("atan", "arctan"), ("atan2", "arctan2"), ("Max", "maximum"), ("Min", "minimum"),
        ("Abs", "abs"), ("exp", "exp"), ("tan", "tan"), ("log", "log"), ("sign", "sign"))
    } | {"pi": np.pi}  # fmt: skip
    for expression in (
        a - b, b - a, -a - b, a * b / c, -a / (b * c), a / b + c**2, (a + b) ** 2 * c, sp.Rational(2, 3) * a,
        a / 2 - b / 7,
        1 / (a + b), a**-2, sp.sqrt(a + b), b ** sp.Rational(5, 2), (a * b) ** a, sp.sin(a - b) * c, sp.cos(a) ** 2,
        sp.atan2(a, c), sp.atan(b), sp.asin(a), sp.acos(c), sp.Abs(c), sp.Max(a, c), sp.Min(a, b), sp.exp(c),
        sp.tan(a) / b, sp.log(b), sp.sign(c), -2 * a, sp.Float(0.123456) * a, sp.Integer(3), sp.pi * a, -(a + b) * c,
        (a * b) ** a, (a * b / 3) ** sp.Rational(-1, 2), (c**2) ** sp.Rational(-1, 2), (c**2) ** sp.Rational(1, 3),
        sp.Rational(2, 3) ** a, 2**a, (a + b) ** sp.Rational(-3, 2), a * (b + c) / (3 * b),
        -sp.Rational(3, 4) * a * sp.sin(b),
    ):  # fmt: skip
        text = Writer(style, {"a": (1, 0), "b": (3, 1), "c": (7, 0)})(expression)
        value = eval(text, {"np": np}, numbers | (plain if style == "text" else {}))
        assert value == pytest.approx(float(expression.subs(numbers)), rel=1e-5 if style == "text" else 1e-14), text


def test_powers_in_latex_have_one_base() -> None:
    a, b = sp.symbols("a theta_b")
    write = Writer("latex", {"a": (1, 0), "theta_b": (3, 1)})
    for expression, text in (
        ((a * b) ** sp.Rational(5, 2), r"\left(a \theta_{b}\right)^{\frac{5}{2}}"),
        ((a**2) ** sp.Rational(1, 3), r"\left(a^{2}\right)^{\frac{1}{3}}"),
        (sp.Rational(2, 3) ** a, r"\left(\frac{2}{3}\right)^{a}"),
        (sp.sin(b) ** 2, r"\sin^{2}(\theta_{b})"),
        (sp.sqrt(a + b), r"\sqrt{a + \theta_{b}}"),
    ):
        assert write(expression) == text


def test_long_formulas_are_broken_at_their_outer_sums() -> None:
    """Parts keep their brackets, and every line but a part that is longer by itself fits."""
    rng = np.random.default_rng(4)
    for attempt in range(40):
        terms = [
            rng.choice(["x", r"\left(a + b\right) c", r"\frac{a - b}{c + d}", "[u + v] w", r"\sin(q - r)"])
            * int(rng.integers(1, 6 + attempt))
            for _ in range(int(rng.integers(1, 9)))
        ]
        line = terms[0] + "".join(f" {rng.choice(['+', '-'])} {term}" for term in terms[1:])
        lines = broken(line)
        assert "".join(lines).replace(r"\quad", "") == line
        for k, part in enumerate(lines):
            body = part.removeprefix(r"\quad")
            assert all(body.count(x) == body.count(y) for x, y in ("()", "{}", "[]"))
            assert body.startswith((" + ", " - ")) == (k > 0)
            rest = body[3:] if k else body
            outer = sum(1 for i in range(len(rest)) if rest[i : i + 3] in (" + ", " - ") and _depth(rest[:i]) == 0)
            assert width(part) <= WIDE or outer == 0
        for first, second in zip(lines, lines[1:], strict=False):  # noqa: RUF007
            head = second.removeprefix(r"\quad")
            cut = next((i for i in range(3, len(head)) if head[i : i + 3] in (" + ", " - ") and _depth(head[:i]) == 0),
                       len(head))  # fmt: skip
            assert width(first + head[:cut]) > WIDE  # no line ends too early
    assert broken("-a + b") == ["-a + b"] and width(r"\left(ab\right) \alpha_{c}^{2}") == 7
    assert named({"m": 2.0, "I": 0.12345678}) == (("m", "2"), ("I", "0.123457"))


def _depth(text: str) -> int:
    return sum(text.count(x) for x in "({[") - sum(text.count(x) for x in ")}]")


# -- projections -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0.02, 1.0, 40.0])
def test_projections_end_nearby_or_not_at_all(size: float) -> None:
    """On the circle of a rod, whatever its size is; a point that is several sizes away is none nearby."""
    machine = da.Machine(
        "pendulum",
        bodies=[da.Body("slide", 0.4), da.point_mass("bob", 1.3)],
        joints=[
            da.Joint("x", "prismatic", "world", "slide", axis=(1, 0, 0)),
            da.Joint("z", "prismatic", "slide", "bob", axis=(0, 0, 1)),
        ],
        constraints=[da.DistanceConstraint("rod", "bob", length=size)],
    )
    eom = derive(machine)
    system = eom.constraint_system
    latches = system.latch_table.measured(system.latch_nominal, np.array([0.0, -size]), 0.0, np.zeros(0))
    descent = Descent(eom, np.zeros(0), latches, np.zeros((0, 2)), 0.0, np.zeros(0))
    descent.sizes = np.full(2, size)
    near = np.array([0.5 * size, -0.95 * size])
    found = descent.projected(near)
    assert found is not None and np.hypot(*found) == pytest.approx(size, rel=1e-11)
    assert np.linalg.norm(found - near) < 0.3 * size
    assert descent.projected(found) is found
    assert descent.projected(np.array([30.0 * size, -30.0 * size])) is None


def test_participation_in_modes_is_kinetic_energy() -> None:
    rng = np.random.default_rng(6)
    root = rng.normal(size=(3, 3))
    M = root @ root.T + np.eye(3)
    shapes = np.linalg.inv(np.linalg.cholesky(M)).T @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
    eom = SimpleNamespace(mass_matrix=lambda q: M)
    modes = MachineModes(cast(Any, eom), np.zeros(3), np.ones(3), shapes, np.zeros(3))
    expected = np.array([[shapes[i, k] * (M[i] @ shapes[:, k]) for k in range(3)] for i in range(3)])
    np.testing.assert_allclose(modes.participation(), expected, rtol=1e-12)
    np.testing.assert_allclose(modes.participation().sum(axis=0), 1.0, rtol=1e-12)
