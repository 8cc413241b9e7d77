"""Functions and tables of the lowest rooms, one by one: numbers shared with C, coefficients, names, units, algebra."""

from __future__ import annotations

import math
import os
import re
import time
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import casadi as ca
import numpy as np
import pytest
from scipy import constants
from scipy.integrate._ivp import dop853_coefficients as hairer
from scipy.integrate._ivp.rk import DOP853, RK23, RK45

import dalembert as da
from dalembert.core.balance import balanced
from dalembert.core.constraint_tape import TapeFactors, acting
from dalembert.core.digest import digests
from dalembert.core.errors import FileFormatError, InputError, MachineError, did_you_mean
from dalembert.core.files import is_abandoned, owner, read_bytes, write_files
from dalembert.core.kept import Kept
from dalembert.core.parameter import evaluate, nominal, operation, smoothstep
from dalembert.core.scalar_text import parse_quantity
from dalembert.core.states import assigned, named_vector, names_given, place_of
from dalembert.core.units import UNITS, parse_unit, unit_table, with_units
from dalembert.core.validation import (
    Bound,
    check_index,
    check_level,
    check_number,
    check_seed,
    field_matrix,
    field_scalar,
    unit_vector,
)
from dalembert.engine.loop.watch import EventKind
from dalembert.engine.methods import tableaus
from dalembert.engine.problem.pairs import Lacks, UnilateralLaw
from dalembert.engine.problem.shapes import ShapeKind
from dalembert.engine.problem.stepping import BlockLaw
from dalembert.engine.setup import Outcome
from dalembert.engine.unilateral.algebra import Reeve, Touch
from dalembert.plan.shaping import ei, zv
from dalembert.simulation.rollout.measures import MeasureKind

ENGINE = Path(da.__file__).parent / "engine"


def _numbers(file: str) -> dict[str, int]:
    """Names of the enumerations of a file in C, by the rule of C: one more than the one before."""
    numbers: dict[str, int] = {}
    for names in re.findall(r"enum \{([^}]*)\}", (ENGINE / file).read_text()):
        following = 0
        for name, value in re.findall(r"(\w+)(?: = ([^,]+))?", names):
            if re.fullmatch(r"-?\d+", value.strip() or "0"):
                numbers[name] = int(value) if value else following
                following = numbers[name] + 1
    return numbers


@pytest.mark.parametrize(
    ("kind", "file", "names"),
    [
        (EventKind, "loop/loop.h", {}),
        (Outcome, "loop/loop.h", {}),
        (UnilateralLaw, "unilateral/laws.c", {}),
        (Touch, "unilateral/laws.c", {}),
        (Reeve, "unilateral/laws.c", {"SLACK": "OPEN"}),
        (Lacks, "unilateral/transitions.h", {"IMPULSES": "OF_IMPULSES", "FORCES": "OF_FORCES"}),
        (ShapeKind, "collide/scene.h", {}),
        (BlockLaw, "stepping/laws.h", {}),
        (MeasureKind, "rollout/measures.h", {}),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_numbers_are_those_of_c(kind: Any, file: str, names: dict[str, str]) -> None:
    """By their names; what has no name there is one more than the last one that has."""
    there = _numbers(file)
    last = -1
    for member in kind:
        name = names.get(member.name, member.name)
        assert member == there.get(name, last + 1), member
        last = int(member)


@pytest.mark.parametrize(
    ("tableau", "method", "order"),
    [
        (tableaus.BOGACKI_SHAMPINE, RK23, 2),
        (tableaus.DORMAND_PRINCE_5, RK45, 4),
        (tableaus.DORMAND_PRINCE_8, DOP853, 5),
    ],
    ids=["bs32", "dopri5", "dop853"],
)
def test_coefficients_are_those_of_scipy(tableau: tableaus.Tableau, method: Any, order: int) -> None:
    """The last stage is the derivative at the new point."""
    n = method.n_stages
    assert (tableau.order, tableau.embedded_order, tableau.stages) == (method.order, order, n + 1)
    assert tableau.fsal and tableau.adaptive
    np.testing.assert_allclose(tableau.a[:n, : n - 1], np.asarray(method.A)[:n, : n - 1], atol=1e-14)
    np.testing.assert_array_equal(np.triu(tableau.a), 0.0)
    np.testing.assert_allclose(tableau.b[:n], method.B, atol=1e-14)
    np.testing.assert_allclose(tableau.c[:n], np.asarray(method.C)[:n], atol=1e-14)
    np.testing.assert_allclose(tableau.a[n], tableau.b, atol=0.0)
    E = hairer.E5 if method is DOP853 else method.E
    assert tableau.b_hat is not None
    sign = (
        1.0
        if np.sum(np.abs((tableau.b - tableau.b_hat) - E)) < np.sum(np.abs((tableau.b_hat - tableau.b) - E))
        else -1.0
    )
    np.testing.assert_allclose(sign * (tableau.b - tableau.b_hat), E, atol=1e-14)
    if method is DOP853:
        assert tableau.b_second is not None and (tableau.second_order, tableau.estimated_order) == (3, 7)
        np.testing.assert_allclose(tableau.b - tableau.b_second, hairer.E3, atol=1e-14)
    else:
        assert tableau.b_second is None and tableau.estimated_order == order


@pytest.mark.parametrize("tableau", [tableaus.EULER, tableaus.HEUN, tableaus.CLASSICAL], ids=["euler", "heun", "rk4"])
def test_conditions_of_order(tableau: tableaus.Tableau) -> None:
    """Those of all trees up to the fourth order (Hairer, Norsett and Wanner, table II.2.1), and not of the next."""
    a, b, c = tableau.a, tableau.b, tableau.a.sum(axis=1)
    np.testing.assert_allclose(tableau.c, c)
    trees = [
        (1, b.sum() - 1.0),
        (2, b @ c - 1 / 2),
        (3, b @ c**2 - 1 / 3),
        (3, b @ a @ c - 1 / 6),
        (4, b @ c**3 - 1 / 4),
        (4, b @ (c * (a @ c)) - 1 / 8),
        (4, b @ a @ c**2 - 1 / 12),
        (4, b @ a @ a @ c - 1 / 24),
        (5, b @ c**4 - 1 / 5),
    ]
    assert max(abs(x) for order, x in trees if order <= tableau.order) < 1e-15
    assert max(abs(x) for order, x in trees if order == tableau.order + 1) > 1e-3
    assert tableau.in_lanes and not tableau.adaptive and not tableau.fsal


def test_the_polynomial_along_a_step_is_that_of_scipy() -> None:
    """State and slope at a third and two thirds of a step, of the same seven coefficients."""
    along = tableaus.DORMAND_PRINCE_8.along
    assert along is not None
    np.testing.assert_allclose(along.a, hairer.A[13:, : along.a.shape[1]], atol=1e-13)
    np.testing.assert_allclose(along.c, hairer.C[13:], atol=1e-14)
    rng = np.random.default_rng(1)
    h, x = 0.37, 1.3
    k = rng.normal(size=16)
    delta = h * tableaus.DORMAND_PRINCE_8.b @ k[:13]
    F = np.zeros(7)
    F[0], F[1], F[2] = delta, h * k[0] - delta, 2.0 * delta - h * (k[12] + k[0])
    F[3:] = h * hairer.D @ k

    def value(z: float) -> float:
        y = 0.0
        for i, f in enumerate(reversed(F)):  # as in scipy's Dop853DenseOutput
            y = (y + f) * (z if i % 2 == 0 else 1.0 - z)
        return x + y

    for k_at, z in enumerate(tableaus.INNER):
        state, slope = along.weights[2 * k_at], along.weights[2 * k_at + 1]
        assert x + h * state @ k == pytest.approx(value(z), rel=1e-12)
        e = 1e-5
        assert h * slope @ k == pytest.approx((value(z + e) - value(z - e)) / (2.0 * e), rel=1e-7)
    assert tableaus.DORMAND_PRINCE_5.along is None and not tableaus.DORMAND_PRINCE_8.in_lanes
    assert tableaus.DORMAND_PRINCE_5.in_lanes and tableaus.BOGACKI_SHAMPINE.in_lanes


def test_factors_on_a_tape() -> None:
    """Pivots in order of rows, the least multipliers of dependent rows, and one refinement."""
    rng = np.random.default_rng(2)
    n, m = 6, 4
    A, J = rng.normal(size=(n, n)), rng.normal(size=(m, n))
    M, f, gamma = A @ A.T + np.eye(n), rng.normal(size=n), rng.normal(size=m)
    M_, Jt_, f_, g_ = ca.SX.sym("M", n, n), ca.SX.sym("Jt", n, m), ca.SX.sym("f", n), ca.SX.sym("g", m)
    made = TapeFactors(M_, Jt_, acting([None] * m))
    outputs = [
        made.share,
        made.least_multipliers(f_, g_),
        *made.dynamics(f_, g_),
        *made.dynamics(f_, g_, lambda a: f_ - M_ @ a),
    ]
    tape = ca.Function("tape", [M_, Jt_, f_, g_], [*outputs, made.correction(g_)])

    def values(J: Any, gamma: Any) -> list[Any]:
        return [np.array(x).ravel() for x in tape(M, J.T, f, gamma)]

    share, least, a, forces, finer, others, change = values(J, gamma)
    S = J @ np.linalg.solve(M, J.T)
    left, kept = S.copy(), []
    for k in range(m):
        kept.append(left[k, k] / S[k, k])
        left[k + 1 :, k + 1 :] -= np.outer(left[k + 1 :, k], left[k, k + 1 :]) / left[k, k]
    # of the masses, only numbers that are constant on the tape are left out: all are positive here
    assert share[0] == pytest.approx(1.0 / (1.0 + np.sum(1.0 / np.array(kept))), rel=1e-10)
    K = np.block([[M, J.T], [J, np.zeros((m, m))]])
    exact = np.linalg.solve(K, [*f, *gamma])
    for got, expected in (
        (a, exact[:n]),
        (finer, exact[:n]),
        (forces, exact[n:]),
        (others, exact[n:]),
        (least, exact[n:]),
    ):
        np.testing.assert_allclose(got, expected, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(change, -np.linalg.solve(M, J.T @ np.linalg.solve(S, gamma)), rtol=1e-9)
    twice = J.copy()
    twice[3] = 0.6 * J[0] - 1.7 * J[1]
    wanted = np.array([*gamma[:3], 0.6 * gamma[0] - 1.7 * gamma[1]])
    S = twice @ np.linalg.solve(M, twice.T)
    expected = np.linalg.pinv(S, rcond=1e-10) @ (twice @ np.linalg.solve(M, f) - wanted)
    np.testing.assert_allclose(values(twice, wanted)[1], expected, rtol=1e-5, atol=1e-6)


def test_systems_of_equal_size() -> None:
    """Powers of two that leave the transfer function, and rows and columns of similar norms."""
    rng = np.random.default_rng(3)
    scale = 10.0 ** rng.uniform(-6, 6, 5)
    A, B, C, D = rng.normal(size=(5, 5)), rng.normal(size=(5, 2)), rng.normal(size=(3, 5)), rng.normal(size=(3, 2))
    far = A * scale[:, None] / scale, B * scale[:, None], C / scale, D
    near = balanced(far)
    t = (near[1] / far[1])[:, 0]
    for got, expected in ((near[0], far[0] * t[:, None] / t), (near[1], far[1] * t[:, None]), (near[2], far[2] / t)):
        np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(np.frexp(t)[0], 0.5)
    assert near[3] is D
    s = 0.3 + 0.7j
    responses = [c @ np.linalg.solve(s * np.eye(5) - a, b) + d for a, b, c, d in (far, near)]
    np.testing.assert_allclose(*responses, rtol=1e-8)
    a, b, c, _ = near
    off = a - np.diag(np.diag(a))
    rows = np.linalg.norm(np.column_stack([off, np.linalg.norm(b, axis=1)]), axis=1)
    columns = np.linalg.norm(np.vstack([off, np.linalg.norm(c, axis=0)]), axis=0)
    assert np.abs(np.log2(rows / columns)).max() < 1.5
    empty = (np.zeros((0, 0)), np.zeros((0, 2)), np.zeros((3, 0)), D)
    assert balanced(empty) is empty


def test_units_by_scipy() -> None:
    """Factors of all symbols, from the constants of scipy and the meaning of prefixes."""
    c: Any = constants
    expected = {
        "kg": 1, "g": c.gram, "mg": c.milli * c.gram, "t": c.metric_ton, "lb": c.pound,
        "m": 1, "km": c.kilo, "dm": c.deci, "cm": c.centi, "mm": c.milli, "um": c.micron, "ft": c.foot, "in": c.inch,
        "s": 1, "ms": c.milli, "us": c.micro, "min": c.minute, "h": c.hour,
        "rad": 1, "mrad": c.milli, "deg": c.degree, "rev": 360 * c.degree, "rpm": 360 * c.degree / c.minute,
        "Hz": 1, "kHz": c.kilo, "N": 1, "mN": c.milli, "kN": c.kilo, "MN": c.mega, "lbf": c.pound_force,
        "Nm": 1, "mNm": c.milli, "kNm": c.kilo, "Nmm": c.milli, "J": 1, "kJ": c.kilo, "W": 1, "kW": c.kilo,
        "Pa": 1, "kPa": c.kilo, "MPa": c.mega, "GPa": c.giga, "bar": c.bar, "A": 1, "mA": c.milli,
    }  # fmt: skip
    assert {name: unit.factor for name, unit in UNITS.items()} == pytest.approx(expected, rel=1e-15)
    named = {kind: unit for kind, unit, _ in unit_table()}
    assert named == {
        "mass": "kg", "length": "m", "time": "s", "angle": "rad", "angular velocity": "rad/s", "frequency": "1/s",
        "force": "kg m/s^2", "torque": "kg m^2/s^2", "energy": "kg m^2/s^2", "power": "kg m^2/s^3",
        "pressure": "kg/m/s^2", "current": "A",
    }  # fmt: skip
    for text, factor, dimension in (
        ("km/h^2", 1000.0 / 3600.0**2, "m/s^2"),
        ("N mm**-2", 1e6, "kg/m/s^2"),
        ("1/ms", 1e3, "1/s"),
        ("1", 1.0, "1"),
        ("kN * cm / deg", 10.0 * 180.0 / math.pi, "kg m^2/s^2/rad"),
        ("g/mm^3/s", 1e6, "kg/m^3/s"),
    ):
        unit = parse_unit(text)
        assert (unit.factor, str(unit.dimension)) == (pytest.approx(factor, rel=1e-14), dimension)
    text, units = with_units("3 kg*m^2 + l2 / 4.5 mm**-1 - 2e-3 deg * 7 / s")
    assert text == "(3 * _unit_0) + l2 / (4.5 * _unit_1) - (2e-3 * _unit_2) * 7 / s"
    assert [str(u.dimension) for u in units.values()] == ["kg m^2", "1/m", "rad"]


def test_names_of_states() -> None:
    twelve, thirteen = ([f"q{k}" for k in range(n)] for n in (12, 13))
    for names, text in ((twelve, ", ".join(twelve)), (thirteen, ", ".join(twelve) + ", ...")):
        with pytest.raises(InputError, match=re.escape(f"must have {len(names)} components ({text}), got shape (2,)")):
            named_vector([1.0, 2.0], names, np.zeros(len(names)), "q0")
    found = named_vector({"b": 3.0}, ["a", "b", "c"], np.array([5.0, 6.0, 7.0]), "q0")
    assert found.tolist() == [5.0, 3.0, 7.0]
    with pytest.raises(InputError, match="q0 must be finite, but b is nan"):
        named_vector([1.0, np.nan, 2.0], ["a", "b", "c"], np.zeros(3), "q0")
    assert names_given({"b": 1.0}, ["a", "b"], "q0") == ("b",) and names_given([1, 2], ["a", "b"], "q0") == ("a", "b")
    assert names_given(None, ["a"], "q0") == ()
    assert [place_of(x) for x in ("q0.a.b", "v0.a", "p.a", "q0", "mass")] == [
        ("q0", "a.b"), ("v0", "a"), ("p", "p.a"), ("p", "q0"), ("p", "mass"),
    ]  # fmt: skip
    start = {"q0": {"a": 1.0}, "p": {"m": 2.0}}
    made = assigned(start, [("q0.a", 3.0), ("v0.b", 4.0), ("k", 5.0)])
    assert made == {"q0": {"a": 3.0}, "v0": {"b": 4.0}, "p": {"m": 2.0, "k": 5.0}} and start["q0"] == {"a": 1.0}


def test_old_names_warn_where_they_are_used() -> None:
    """In the file and line of the caller, whether keyword of a function or attribute or keyword of a class."""
    step = da.plan.SmoothStep(0.0, 1.0, 2.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert zv(frequency=2.0) == zv(2.0)  # type: ignore[call-arg]
        assert ei(frequency=2.0, tolerance=0.1) == ei(2.0, tolerance=0.1)  # type: ignore[call-arg]
        load = da.plan.LoadReference(step, frequency=3.0)  # type: ignore[call-arg]
        assert load.frequency == 3.0  # type: ignore[attr-defined]
    assert [Path(w.filename).name for w in caught] == 4 * [Path(__file__).name]
    assert [b.lineno - a.lineno for a, b in pairwise(caught)] == [1, 1, 1]
    assert "dalembert.plan.zv(frequency=...) is deprecated: its value is in rad/s; the new name is omega" in str(
        caught[0].message
    )


class _Pair:
    """Known by its class and one number, as its copies are."""

    def __init__(self, number: float) -> None:
        self._hidden = number

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (_Pair, (self._hidden,))


class _Items(list[float]):
    pass


def test_objects_that_copies_are_made_of() -> None:
    """An object counts by what it hands over to a copy, without a state as well."""
    assert digests(_Pair(1.0), "x") == digests(_Pair(1.0), "x") != digests(_Pair(2.0), "x")
    ranges = [digests(range(*ends), "x") for ends in ((1, 5), (1, 6), (2, 5))]
    assert ranges[0] != ranges[1] != ranges[2] != ranges[0]
    assert digests(_Items([1.0]), "x") != digests(_Items([2.0]), "x") and digests(_Items([1.0]), "x") != digests(
        [1.0], "x"
    )


def test_numbers_at_their_bounds() -> None:
    strict, loose = Bound("mass", 1.0, 0.0, strict=True), Bound("share", 1.0, 0.0, upper=1.0)
    assert [bool(strict.holds(x)) for x in (-1.0, 0.0, 1e-9, np.nan)] == [False, False, True, False]
    assert [bool(loose.holds(x)) for x in (-0.1, 0.0, 1.0, 1.1, np.nan)] == [False, True, True, False, False]
    assert strict.violation(-2.0) == "mass must be > 0, got -2"
    assert loose.violation(2.0) == "share must be from 0 to 1, got 2"
    assert Bound("mass", 1.0, 3.0).violation(2.0) == "mass must be >= 3, got 2"
    assert check_number("x", 0.0, positive=False) == 0.0 and check_number("x", 1e-9) == 1e-9
    assert [check_index(k, 3, "x", backwards=True) for k in (-3, -1, 0, 2)] == [-3, -1, 0, 2]
    assert check_level(0.5) == 0.5 and check_seed(0) == 0
    assert field_scalar(0.0, "mass", lower=0.0) == 0.0
    assert unit_vector((0.0, 3.0, -4.0), "axis") == pytest.approx((0.0, 0.6, -0.8))
    assert field_matrix((1, 2, 3, 4, 5, 6), "J") == ((1, 4, 5), (4, 2, 6), (5, 6, 3))
    assert field_matrix((1, 2, 3), "J") == ((1, 0, 0), (0, 2, 0), (0, 0, 3))
    for make, words in (
        (lambda: check_number("x", 0.0, unit="s"), "x must be a finite number > 0 s, got 0"),
        (lambda: check_number("x", np.inf), "x must be a finite number > 0, got inf"),
        (lambda: check_number("x", True), "got True"),
        (lambda: check_index(3, 3, "x"), "must be a number from 0 to 2, got 3"),
        (lambda: check_index(-1, 3, "x"), "must be a number from 0 to 2, got -1"),
        (lambda: check_index(-4, 3, "x", backwards=True), "got -4"),
        (lambda: check_level(0.0), "between 0 and 1, got 0"),
        (lambda: check_level(1.0), "between 0 and 1, got 1"),
        (lambda: check_seed(-1), "integer >= 0, got -1"),
        (lambda: field_scalar(0.0, "mass", lower=0.0, strict=True), "mass must be > 0, got 0"),
        (lambda: unit_vector((0.0, 0.0, 1e-10), "axis"), "axis must not be zero"),
        (lambda: field_matrix((1, 2), "J"), "3 numbers, 6 numbers"),
    ):
        with pytest.raises((InputError, MachineError), match=re.escape(words)):
            cast(Any, make)()


# -- settings of constraint and contact methods -----------------------------------------------------------------------


@pytest.mark.parametrize("rho", [1.0, 0.9, 0.5, 0.0])
def test_coefficients_of_generalized_alpha(rho: float) -> None:
    """Second order, and the spectral radius that was asked for at infinite frequency (Chung and Hulbert, 1993)."""
    c = da.GeneralizedAlpha(radius=rho).settings
    m, f, gamma, beta = (c[name] for name in ("alpha_m", "alpha_f", "gamma_n", "beta_n"))
    assert gamma == pytest.approx(0.5 - m + f) and (c["index"], c["max_iterations"]) == (3, 20)
    w2, h = 1e7**2, 1.0  # d, v, a: a(1 - m) + w2 d(1 - f) with the new ones, m and f with the old ones
    D = np.array([1.0, h, h**2 * (0.5 - beta)])
    V = np.array([0.0, 1.0, h * (1.0 - gamma)])
    old = np.array([w2 * f, 0.0, m]) + w2 * (1.0 - f) * D
    a = -old / ((1.0 - m) + w2 * (1.0 - f) * h**2 * beta)
    step = np.array([D + h**2 * beta * a, V + h * gamma * a, a])
    assert np.abs(np.linalg.eigvals(step)).max() == pytest.approx(rho, abs=0.02 + 1e-3)


def test_settings_of_constraint_methods() -> None:
    """Routines are those of constrained.c; tables and bounds."""
    numbers = _numbers("constraints/constrained.c")
    for kind, routine in ((da.Projection, "INDEX_1"), (da.Baumgarte, "INDEX_1"), (da.UdwadiaKalaba, "UDWADIA_KALABA"),
                          (da.Penalty, "PENALTY"), (da.AugmentedLagrangian, "AUGMENTED")):  # fmt: skip
        assert kind.routine == numbers[routine] and kind.projects == (kind is da.Projection) and not kind.implicit
    assert da.GeneralizedAlpha.implicit and da.Idas().integrator == "idas"
    rates = {"alpha": 100.0, "beta": 100.0}
    violation = {"penalty": 1e8, "damping": 1.0, "omega": 100.0}
    for made, expected in (
        (da.Projection(), {"tolerance": 1e-12, "drift": 1e-2}),
        (da.Baumgarte(), rates),
        (da.UdwadiaKalaba(), rates),
        (da.Idas(), rates),
        (da.Penalty(), violation),
        (da.AugmentedLagrangian(), violation | {"max_iterations": 20}),
    ):
        assert made.settings == expected
    assert da.GeneralizedAlpha().radius == 0.9 and da.Baumgarte(alpha=0.0).alpha == 0.0
    for make, words in (
        (lambda: da.Baumgarte(alpha=-1.0), "alpha of Baumgarte must be a finite number >= 0, got -1.0"),
        (lambda: da.Baumgarte(beta=math.inf), "beta of Baumgarte must be a finite number >= 0"),
        (lambda: da.AugmentedLagrangian(max_iterations=2.5), "must be a whole number, got 2.5"),  # type: ignore
        (lambda: da.GeneralizedAlpha(index=1), "index of GeneralizedAlpha must be 2 or 3"),
        (lambda: da.GeneralizedAlpha(radius=1.01), "radius of GeneralizedAlpha must lie between 0 and 1"),
        (lambda: da.TimeStepping(max_sweeps=1.5), "max_sweeps of TimeStepping must be a whole number"),  # type: ignore
        (lambda: da.TimeStepping(tolerance=1.0), "tolerance of TimeStepping must be below 1, got 1"),
        (lambda: da.EventDriven(energy_bound=0.0), "energy_bound"),
    ):
        with pytest.raises(InputError, match=re.escape(words)):
            cast(Any, make)()
    page = (Path(__file__).parents[2] / "docs" / "time_stepping.md").read_text()
    (printed,) = re.findall(r"`da\.TimeStepping\((tolerance=[^)]*energy_bound=[^)]*)\)` has the settings", page)
    for name, value in re.findall(r"(\w+)=([^,]+)", printed):
        assert repr(getattr(da.TimeStepping(), name)) == repr(eval(value))
    assert da.EventDriven().energy_bound == 0.05 and da.GeneralizedAlpha(radius=1.0, index=2).index == 2


# -- texts, files and things that are kept ----------------------------------------------------------------------------


def test_dimensions_of_texts() -> None:
    """Each rule of `parse_quantity`: sums, products, powers, functions; None where nothing in the text tells."""
    given = {name: da.Parameter(name, value) for name, value in (("l", 2.0), ("m", 3.0), ("k", 5.0))}
    known = {"l": UNITS["m"].dimension, "m": UNITS["kg"].dimension}
    for text, value, dimension in (
        ("2 * l", 4.0, "m"),
        ("l / 2 + 30 mm", 1.03, "m"),
        ("3 + l", 5.0, "m"),
        ("m * l**2 / 12", 1.0, "kg m^2"),
        ("2 / l", 1.0, "1/m"),
        ("sqrt(l * 8 m)", 4.0, "m"),
        ("sin(30 deg) * m", 1.5, "kg"),
        ("-l", -2.0, "m"),
        ("+l", 2.0, "m"),
        ("l**-1", 0.5, "1/m"),
        ("2 * 3", 6.0, None),
        ("k * l", 10.0, None),
        ("k + 3", 8.0, None),
        ("k + l", 7.0, "m"),
        ("l**k", 32.0, None),
        ("2**k", 32.0, None),
        ("tanh(l / 2 m)", math.tanh(1.0), None),
        ("pi * l", 2.0 * math.pi, "m"),
        ("90 deg", math.pi / 2, "rad"),
        ("2 * deg", math.pi / 90, "rad"),
        ("t + 1", 1.0, None),
        ("exp(0 * k)", 1.0, None),
    ):
        made, found = parse_quantity(text, given, known)
        assert nominal(made) == pytest.approx(value, rel=1e-12), text
        assert (None if found is None else str(found)) == dimension, text
    for text, words in (
        ("l + m", "adds m and kg, which are different quantities"),
        ("l - 2 s", "adds m and s"),
        ("2**l", "has an exponent in m, expected a number"),
        ("sin(l)", "takes sin of a quantity in m, expected an angle"),
        ("exp(l)", "takes exp of a quantity in m, expected a number"),
        ("1 / 0", "has no value"),
        ("10.0 ** 400", "has no value"),
        ("l // 2", "cannot use 'l // 2'"),
        ("True", "cannot use 'True'"),
        ("l +", "cannot read 'l +' as a number"),
        ("sin(l, l)", "cannot use"),
    ):
        with pytest.raises(InputError, match=re.escape(words)):
            parse_quantity(text, given, known)


def test_quantities_that_are_accepted() -> None:
    """The same units; numbers for angles; the radian may vanish beside masses and lengths, and come in there only."""
    names = {"m": "m", "angle": "rad", "number": "1", "torque": "N m", "rate": "rad/s", "hertz": "1/s"}
    names |= {"stiff": "N m/rad", "arc": "m rad"}
    units = {name: parse_unit(text).dimension for name, text in names.items()}
    accepted = {(a, b) for a in units for b in units if a != b and units[a].admits(units[b])}
    assert accepted == {("angle", "number"), ("m", "arc"), ("arc", "m"), ("stiff", "torque")}
    assert not units["rate"].admits(units["hertz"]) and not units["number"].admits(units["angle"])


def test_few_things_are_kept() -> None:
    """Made once by kind and key; of a kind with a bound the oldest goes first."""
    made: list[str] = []

    def make(name: str) -> Any:
        return lambda: made.append(name) or name

    kept = Kept()
    for key in ("a", "b", "a", "c", "b", "a"):
        assert kept.once("few", key, make(key), at_most=2) == key
    assert made == ["a", "b", "c", "a"]
    for key in ("a", "b", "c", "a"):
        kept.once("many", key, make(key))
    assert made[4:] == ["a", "b", "c"]


def test_files_at_the_edge_of_what_is_read(tmp_path: Path) -> None:
    file = tmp_path / "x.bin"
    file.write_bytes(b"0" * 100)
    assert read_bytes(file, "run", largest=100) == b"0" * 100
    with pytest.raises(FileFormatError, match="is too large for a run file"):
        read_bytes(file, "run", largest=99)
    with pytest.raises(FileFormatError, match="more than 2 MiB"):
        (tmp_path / "y.bin").write_bytes(bytes(2 * 2**20 + 1))
        read_bytes(tmp_path / "y.bin", "run", largest=2 * 2**20)
    with pytest.raises(FileFormatError, match="is a folder, expected a run file"):
        read_bytes(tmp_path, "run")
    with pytest.raises(FileFormatError, match="no such file"):
        read_bytes(tmp_path / "z", "run")
    for name, age, gone in (
        ("pre-0123abcd-1-x", 86401.0, True),
        ("pre-0123abcd-1-x", 86000.0, False),
        (f"pre-{owner()}-x", 10.0, False),
        ("pre-0123abc-1-x", 1e6, False),
        ("other-0123abcd-1-x", 1e6, False),
    ):
        place = tmp_path / name
        place.write_bytes(b"")
        then = time.time() - age
        os.utime(place, (then, then))
        assert is_abandoned(place, "pre-") == gone, name
        place.unlink()
    assert did_you_mean("Theta", ["theta", "phi"]) == " (did you mean 'theta'?)" and did_you_mean("x", ["theta"]) == ""


def test_functions_of_expressions() -> None:
    """Of numbers, of arrays and of symbols, against numpy; the blend is 10 x^3 - 15 x^4 + 6 x^5 between 0 and 1."""
    x = np.linspace(-0.5, 1.5, 41)
    s = np.clip(x, 0.0, 1.0)
    t = da.TIME
    for made, expected in (
        (smoothstep(t), 10 * s**3 - 15 * s**4 + 6 * s**5),
        (da.sin(2.0 * t - 1.0), np.sin(2 * x - 1)),
        (da.cos(t / 3.0), np.cos(x / 3)),
        (da.sqrt(t + 2.0), np.sqrt(x + 2)),
        (-t * 3.0 + t**2.0, -3 * x + x**2),
        (2.0 - t, 2 - x),
        (1.0 / (t + 3.0), 1 / (x + 3)),
    ):
        np.testing.assert_allclose(evaluate(made, {}, x), expected, rtol=1e-13, atol=1e-15)
        for value, one in zip(x[::10], expected[::10], strict=True):
            assert float(ca.evalf(ca.SX(evaluate(made, {}, ca.SX(value))))) == pytest.approx(one, rel=1e-13, abs=1e-15)
    for sign, x_, y_, value in (("+", 2, 3, 5), ("-", 2, 3, -1), ("*", 2, 3, 6), ("/", 3, 2, 1.5), ("**", 2, 3, 8)):
        assert operation(sign, float(x_), float(y_)) == value
    m = da.Parameter("m", 2.0)
    for sign, pair, expected in (
        ("+", (0.0, m), m), ("+", (m, 0.0), m), ("-", (m, 0.0), m), ("*", (0.0, m), 0.0), ("*", (m, 0.0), 0.0),
        ("*", (1.0, m), m), ("*", (m, 1.0), m), ("/", (m, 1.0), m), ("**", (m, 1.0), m), ("/", (0.0, m), 0.0),
    ):  # fmt: skip
        assert operation(sign, *pair) == expected
    for sign, pair in (("-", (0.0, m)), ("/", (1.0, m)), ("**", (1.0, m)), ("+", (1.0, m))):
        assert str(operation(sign, *pair)) == f"{pair[0]} {sign} m"


def test_files_keep_their_content_until_all_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """New and old files alike take their place at once, from a draft beside them, which is gone in the end."""
    seen: list[tuple[str, str]] = []
    replaced = os.replace

    def replacing(draft: Any, place: Any) -> None:
        seen.append((Path(draft).read_text(), Path(place).read_text() if Path(place).exists() else "none"))
        replaced(draft, place)

    monkeypatch.setattr(os, "replace", replacing)
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_text("before")
    write_files({old: "after", new: b"first"})
    assert seen == [("after", "before"), ("first", "none")]
    assert (old.read_text(), new.read_text()) == ("after", "first")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["new.txt", "old.txt"]
