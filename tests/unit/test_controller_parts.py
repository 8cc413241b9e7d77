"""Structures of controllers, rows that hold a machine, bounds over boxes and sweeps of mu, one function at a time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import numpy as np
import pytest

from dalembert.control.mu import sweep
from dalembert.control.mu.scalings import Scaling
from dalembert.control.mu.sweep import ExpandedResponse
from dalembert.control.structured.controllers import (
    gains,
    low_pass,
    notch,
    pd_gains,
    pid_gains,
    positive_gains,
    state_space,
)
from dalembert.control.structured.structures import Structure
from dalembert.control.uncertain import tapes
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.varying.intervals import bounds
from dalembert.core.errors import InputError
from dalembert.loop import motion_pairs

Array = np.ndarray
S = 0.7j  # frequency at which responses are compared


def _begin(structure: Structure) -> dict[str, float]:
    return {t.name: t.begin for t in structure.tunables}


def _response(structure: Structure, x: Any, s: complex = S) -> Array:
    A, B, C, D = (np.array(ca.DM(ca.densify(ca.SX(M))).full()) for M in structure.matrices(ca.DM(x)))
    return np.asarray(D + C @ np.linalg.solve(s * np.eye(len(A)) - A, B))


def test_positive_gains_are_squares_and_begin_with_own_gains() -> None:
    loops = {"u1": ("a", "va"), "u2": ("b", "vb"), "u3": ("c", "vc")}
    structure = positive_gains(loops, least=0.3)
    assert structure.measured == ("a", "b", "c", "va", "vb", "vc") and structure.controls == ("u1", "u2", "u3")
    assert {t.power for t in structure.tunables} == {2.0}
    begin = _begin(structure)
    np.testing.assert_allclose(_response(structure, list(begin.values())), 1.3 * np.eye(3, 6) + 1.3 * np.eye(3, 6, 3))
    x = np.random.default_rng(1).normal(size=12)
    value = dict(zip(begin, x, strict=True))
    for k, kind in enumerate(("Lp", "Ld")):
        L = np.array([[value.get(f"{kind}[{i},{j}]", 0.0) for j in loops] for i in loops])
        np.testing.assert_allclose(_response(structure, x)[:, 3 * k : 3 * k + 3], L @ L.T + 0.3 * np.eye(3))


@pytest.mark.parametrize(("m", "p", "order"), [(2, 1, 3), (1, 2, 1), (2, 2, 1), (2, 2, 2), (2, 2, 5)])
def test_first_numbers_of_a_controller_of_given_order(m: int, p: int, order: int) -> None:
    """Own gains of typical size; leads in units of it where there is a state for each of as many controls."""
    controls, measured = [f"u{i}" for i in range(m)], [f"y{i}" for i in range(p)]
    structure = state_space(controls, measured, order)
    begin, lead = _begin(structure), m == p and order >= m
    for t in structure.tunables:
        assert t.hold == (t.name[0] in "AB")
    for i in range(m):
        for j in range(p):
            assert begin[f"D[{i},{j}]"] == (i == j) * (11.0 if lead else 1.0)
        for j in range(order):
            # (1 + s) / (1 + s / 10) of a state -10 is 10 - 90 / (s + 10); C is in units of the gain at a rate 1
            assert begin[f"C[{i},{j}]"] == (-9.0 if lead and i == j else 0.0)
    for i in range(order):
        for j in range(p):
            assert begin[f"B[{i},{j}]"] == float(i % p == j)
        assert all(begin.get(f"A[{i},{j}]", 0.0) == 0.0 for j in range(order) if i != j)
    poles = [begin[f"A[{i},{i}]"] for i in range(order)]
    expected = [-10.0] * p + [
        -10.0 * 2.0 ** (i // 2) if i % 2 == 0 else -0.1 * 2.0 ** (i // 2) for i in range(p, order)
    ]
    assert poles == pytest.approx(expected[:order])
    assert (structure.contained is not None) == lead
    if structure.contained is not None:
        pd, embedded = structure.contained
        x = np.random.default_rng(order).uniform(0.5, 2.0, 3 * m)
        assert [t.begin for t in pd.tunables] == [1.0] * (2 * m) + [10.0] * m
        assert [t.hold for t in pd.tunables] == [False] * (2 * m) + [True] * m
        kp, kd, w = x.reshape(3, m)
        np.testing.assert_allclose(_response(pd, x), np.diag(kp + kd * S * w / (S + w)), rtol=1e-12)
        np.testing.assert_allclose(_response(structure, embedded(x)), _response(pd, x), rtol=1e-12)


def test_first_numbers_and_responses_of_simple_controllers() -> None:
    pid = pid_gains({"u": "y", "w": "z"}, filter_time=0.2)
    assert list(_begin(pid).items()) == [
        (f"{u}.{k}", 0.1 if k == "ki" else 1.0) for u in "uw" for k in ("kp", "ki", "kd")
    ]
    x = np.array([2.0, 0.3, 0.7, 1.1, -0.4, 0.9])
    law = [kp + ki / S + kd * S / (0.2 * S + 1.0) for kp, ki, kd in x.reshape(2, 3)]
    np.testing.assert_allclose(_response(pid, x), np.diag(law), rtol=1e-12)
    pd = pid_gains({"u": "y"}, filter_time=0.2, integral=False)
    np.testing.assert_allclose(_response(pd, [2.0, 0.7]), [[2.0 + 0.7 * S / (0.2 * S + 1.0)]], rtol=1e-12)
    lag = low_pass("u", "y", order=2)
    assert _begin(lag) == {"u.omega": 10.0, "u.damping": 0.0}
    damping = lag.tunables[1]
    assert (damping.start, damping.lower, damping.upper, damping.scale) == (0.7, 0.05, 2.0, 1.0)
    np.testing.assert_allclose(_response(lag, [3.0, 0.4]), [[9.0 / (S**2 + 2.4 * S + 9.0)]], rtol=1e-12)
    np.testing.assert_allclose(_response(low_pass("u", "y", omega=3.0), np.zeros(0)), [[3.0 / (S + 3.0)]], rtol=1e-12)
    gap = notch("u", "y", omega=None, width=0.6)
    assert _begin(gap)["u.omega"] == 1.0 and len(gap.tunables) == 2
    assert (gap.tunables[1].lower, gap.tunables[1].upper) == (0.01, 1.0)
    width = notch("u", "y", omega=2.0).tunables[1]
    assert (width.lower, width.upper) == (0.05, 2.0)
    w, d, z = 1.7, 0.2, 0.6
    expected = (S**2 + 2 * d * z * w * S + w**2) / (S**2 + 2 * z * w * S + w**2)
    np.testing.assert_allclose(_response(gap, [w, d]), [[expected]], rtol=1e-12)
    one = pd_gains({"u": ("a", "va"), "w": ("b", "vb")}, centralised=True)
    paired = {"u<-a", "w<-b", "u<-va", "w<-vb"}
    assert _begin(one) == {f"{u}<-{y}": float(f"{u}<-{y}" in paired) for y in ("a", "b", "va", "vb") for u in "uw"}
    own = pd_gains({"u": ("a", "va"), "w": ("b", "vb")}, kp=(0.5, 4.0), kd=2.5)
    assert [(t.name, t.lower, t.upper) for t in own.tunables] == [("u<-a", 0.5, 4.0), ("w<-b", 0.5, 4.0)]
    np.testing.assert_allclose(_response(own, [1.5, 3.0]), [[1.5, 0.0, 2.5, 0.0], [0.0, 3.0, 0.0, 2.5]])
    table = gains({"u": {"x": None, "y": 3.0}, "w": {"y": (1.0, 2.0)}})
    np.testing.assert_allclose(_response(table, [7.0, 1.5]), [[7.0, 3.0], [0.0, 1.5]])
    for wrong in (0.0, -1.0, np.inf, "1"):
        with pytest.raises(InputError, match="filter_time"):
            pid_gains({"u": "y"}, filter_time=cast(Any, wrong))
    for bad in ([("u", {"y": None})], {"u": [("y", None)]}, {"u": {}}, {"u": {"y": None}, "w": {}}):
        with pytest.raises(InputError, match="gains are given as"):
            gains(cast(Any, bad))
    for entry in ((1.0,), (1.0, 2.0, 3.0), "1", np.nan):
        with pytest.raises(InputError, match="'u<-y' must be a number, a pair of bounds"):
            gains({"u": {"y": cast(Any, entry)}})
    assert len(state_space(["u"], ["y", "z"], 0).tunables) == 2
    for order in (-1, 1.5, True, "1"):
        with pytest.raises(InputError, match="order of a controller must be a whole number"):
            state_space(["u"], ["y"], cast(Any, order))
    with pytest.raises(InputError, match="order of a low-pass must be 1 or 2"):
        low_pass("u", "y", order=3)


def test_rows_that_hold_a_machine_are_chosen_by_their_directions() -> None:
    """Of a long row, one nearly parallel to it and a short one across, the first or second and the third."""
    J = np.array([[1e6, 0.0, 0.0], [1e6, 10.0, 0.0], [0.0, 1e-3, 0.0], [0.0, 0.0, 1e3]])
    free = cast(Any, SimpleNamespace(constrained=False))
    held = tapes.held_rows(free, cast(Any, SimpleNamespace(J=J, latches=np.zeros(0))), J, [])
    assert held is not None and held.redundant
    unit = held.locked / np.linalg.norm(held.locked, axis=1, keepdims=True)
    assert np.linalg.svd(unit)[1].min() > 0.9


def test_bounds_of_every_operation() -> None:
    """Bounds hold all values on a grid and are met at it where each symbol occurs once; zeros are edges."""
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    rng = np.random.default_rng(3)
    for make in (
        lambda m, x, y: x + y, lambda m, x, y: x - y, lambda m, x, y: x * y, lambda m, x, y: x / (3.5 + y),
        lambda m, x, y: -x + 0.0 * y, lambda m, x, y: x**2 - y, lambda m, x, y: 2.0 * x + y,
        lambda m, x, y: 1.0 / (3.5 + y) - x, lambda m, x, y: m.sqrt(3.5 + x) + y,
        lambda m, x, y: m.sin(2.0 * x) + y, lambda m, x, y: m.cos(3.0 * x) - y,
    ):  # fmt: skip
        f = ca.Function("f", [x, y], [make(ca, x, y)])
        ends = [np.sort(rng.uniform(-3.0, 3.0, (2, 40)), axis=0) for _ in "xy"]
        ends[0][0, :3], ends[0][1, 3:6] = 0.0, 0.0
        ends = [np.sort(e, axis=0) for e in ends]
        ((low, high),) = bounds(f, [(e[:1], e[1:]) for e in ends])
        for k in range(40):
            grid = np.meshgrid(*(np.linspace(*e[:, k], 301) for e in ends))
            values = make(np, *grid)
            assert low[0, k] <= values.min() and values.max() <= high[0, k]
            assert low[0, k] == pytest.approx(values.min(), abs=2e-3 * (1.0 + np.abs(values).max()))
            assert high[0, k] == pytest.approx(values.max(), abs=2e-3 * (1.0 + np.abs(values).max()))
    z = ca.SX.sym("z", 2)
    several = ca.Function("f", [x, z], [ca.vertcat(x + z[1], z[0]), x - z[0], 7.0])
    boxes = [([[1.0, 2.0]], [[3.0, 2.5]]), ([[4.0, 0.0], [6.0, 1.0]], [[5.0, 0.5], [9.0, 1.5]])]
    first, second, third = bounds(several, [tuple(map(np.array, box)) for box in boxes])
    np.testing.assert_allclose(first, [[[7.0, 3.0], [4.0, 0.0]], [[12.0, 4.0], [5.0, 0.5]]])
    np.testing.assert_allclose(second, [[[-4.0, 1.5]], [[-1.0, 2.5]]])
    np.testing.assert_allclose(third, [[[7.0, 7.0]], [[7.0, 7.0]]])
    for low, high in ((0.0, 1.0), (-1.0, 0.0), (-1.0, 2.0)):  # zero is within, or an end
        for one in (1.0 / x, y / x):
            with pytest.raises(InputError, match="divide by a number that may be zero"):
                bounds(
                    ca.Function("f", [x, y], [one]), [(np.array([[low]]), np.array([[high]])), (np.ones((1, 1)),) * 2]
                )
    root = ca.Function("f", [x], [ca.sqrt(x)])
    assert bounds(root, [(np.zeros((1, 1)), np.ones((1, 1)))])[0][1][0, 0] == pytest.approx(1.0)
    with pytest.raises(InputError, match="square root"):
        bounds(root, [(np.full((1, 1), -1e-9), np.ones((1, 1)))])
    with pytest.raises(InputError, match="no bound over a box"):
        bounds(ca.Function("f", [x], [ca.exp(x)]), [(np.zeros((1, 1)), np.ones((1, 1)))])


def test_intervals_of_a_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are 99 % of what is proven, above zero; none where it is short or the value at an end exceeds the level."""
    A, I = np.array([[-0.4, 1.0], [-2.0, -0.3]]), np.eye(2)
    response = ExpandedResponse((A, I, I, 0.1 * I), 2)
    one = Scaling(T=I + 0j, inverse=I + 0j, G=0j * I, bound=1.0)

    def gain(w: float) -> float:
        return float(np.linalg.norm(np.linalg.inv(1j * w * I - A) + 0.1 * I, 2))

    def cover(level: float, ends: tuple[float, float] | None) -> sweep._Cover:
        monkeypatch.setattr(sweep, "proven_ends", lambda local, s, at: ends if at == level else None)
        return sweep._Cover(response, (), level, {})

    def interval(w: float, ends: tuple[float, float] | None, level: float = 50.0) -> tuple[float, float, float] | None:
        made = cover(level, ends)
        used = made.use(w, one)
        assert used == bool(made.result.intervals)
        found = made.result.intervals[:1]
        return (found[0].low, found[0].high, found[0].bound) if found else None

    assert interval(1.3, None) is None
    assert interval(1.3, (2.0, 4.0)) == pytest.approx((1.3 - 0.99 / 4.0, 1.3 + 0.99 / 2.0, gain(1.3)))
    assert interval(1.3, (2.0, 0.5)) == pytest.approx((0.0, 1.3 + 0.99 / 2.0, gain(1.3)))
    assert interval(np.inf, (2.0, 4.0)) == pytest.approx((2.0 / 0.99, np.inf, 0.1))
    assert interval(1.3, (2e8, 2e8)) is None and interval(1.3, (2e8, 1e3)) is not None
    assert interval(0.0, (2e13, 2e13)) is not None  # near zero the slowest pole is the measure
    assert interval(0.0, (1e16, 1e16)) is None
    level = 0.5 * (gain(1.2) + gain(1.3))
    assert gain(1.1) < gain(1.2) < level < gain(1.3)
    assert interval(1.2, (9.9, 9.9), level) is None and interval(1.2, (99.0, 9.9), level) is not None
    for w, hole in (
        (np.inf, (1e3 * response.fastest, np.inf)),
        (0.0, (0.0, 1e-3 * response.slowest)),
        (2.0, (1.99, 2.01)),
    ):
        assert cover(1.0, None)._hole(w) == pytest.approx(hole)
    for a, b, apart in (
        (2.0, 6.0, np.log(3.0)),
        (0.0, 1.0, np.log(1e12)),
        (1.0, np.inf, np.log(1e12)),
        (3.0, 3.0, 0.0),
    ):
        assert sweep._distance(a, b) == pytest.approx(apart) == pytest.approx(sweep._distance(b, a))


def test_proofs_of_faster_motions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A factor multiplies rates and accelerations of all joints, not their ranges."""
    asked: list[Any] = []
    monkeypatch.setattr(motion_pairs, "motion_stability", lambda *given, **named: asked.append((given, named)))
    ranges, motion = {"a": (-1.0, 2.0), "m": (1.0, 3.0)}, {"a": (0.4, 1.5), "b": (0.7, 2.5)}
    one, law = cast(Any, "machine"), cast(Any, "law")
    case = motion_pairs.EnvelopeCase("case", one, law, {"a": 0.5}, ranges, motion, 1.0, 1e-2, {})
    case.proof()
    case.proof(3.0, decay=0.2)
    given, named = asked[0]
    assert given == (one, law, ranges, motion) and named == {"at": {"a": 0.5}, "decay": 0.0}
    given, named = asked[1]
    assert given[:3] == (one, law, ranges) and named == {"at": {"a": 0.5}, "decay": 0.2}
    assert given[3] == {"a": pytest.approx((1.2, 4.5)), "b": pytest.approx((2.1, 7.5))}


def test_sweeps_use_known_scalings_first_and_stop_where_they_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that stands still, and by one that advances with each bound."""
    A = np.array([[-0.4, 1.0], [-2.0, -0.3]])
    system = (A, np.eye(2), np.eye(2), np.zeros((2, 2)))
    blocks = (DeltaBlock("d", 2, "full"),)
    peak = max(np.linalg.norm(np.linalg.inv(1j * w * np.eye(2) - A), 2) for w in np.linspace(0.0, 5.0, 2001))
    now = [1e6]
    monkeypatch.setattr(sweep, "thread_time", lambda: now[0])
    known: sweep.Known = {}
    done: list[tuple[float, float]] = []
    one = sweep.sweep(system, blocks, 1.2 * peak, known=known, progress=lambda w, spent: done.append((w, spent)))
    assert one.complete and one.solves >= len(known) == len(done) and one.seconds == 0.0
    assert [w for w, _ in done] == sorted(w for w, _ in done) and done[-1] == (np.inf, 0.0)
    assert one.intervals[0].low == 0.0 and one.intervals[-1].high == np.inf
    assert all(i.bound < 1.2 * peak for i in one.intervals)
    again = sweep.sweep(system, blocks, 1.2 * peak, known=known)
    assert again.complete and again.solves == 0
    none = sweep.sweep(system, blocks, 1.2 * peak, known=dict(known), seconds=-1.0)
    assert none.gaps == [(0.0, np.inf, pytest.approx(np.nan, nan_ok=True))] and none.solves == 0 and not none.intervals
    below = sweep.sweep(system, blocks, 0.9 * peak, first=[1.4], stop_at_gap=True)
    low, high, bound = below.gaps[0]
    assert (low, high) == pytest.approx((1.4 * 0.995, 1.4 * 1.005)) and bound > 0.9 * peak and not below.complete
    assert len(below.gaps) == 3 and np.isnan([g[2] for g in below.gaps[1:]]).all()  # what is left on both sides
    limits: list[float] = []

    def slow(self: sweep._Cover, w: float, seconds: float) -> None:
        limits.append(seconds)
        now[0] += 4.0
        self.result.intervals.append(sweep.Interval(min(w, 90.0), w + 0.5, 1.0))

    monkeypatch.setattr(sweep._Cover, "fit", slow)
    part = sweep.sweep(system, blocks, 1.02 * peak, seconds=9.0, each=6.0)
    assert limits == [6.0, 5.0, 1.0] and part.seconds == 12.0
    middle = np.sqrt(0.5 * 90.0)  # of what is left, on a logarithmic scale
    left = [(0.5, middle), (middle + 0.5, 90.0)]
    assert [g[:2] for g in part.gaps] == [pytest.approx(ends) for ends in left] and np.isnan(part.gaps[0][2])
