"""Parts of single runs, one by one: methods and their settings, samples, rows that are told, warnings, the log."""

from __future__ import annotations

import math
import re
import warnings
from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import InputError, SimulationError
from dalembert.core.warn import DalembertWarning
from dalembert.engine.problem.pairs import TransitionEntry
from dalembert.engine.sampling import Sampler, Schedule, Update
from dalembert.loop.bristles import bristles_of
from dalembert.loop.closed_loop import close_loop
from dalembert.loop.flexible_checks import warn_of_angles, warn_of_stiff_modes
from dalembert.loop.heavy_checks import _crossings, warn_of_heavy_cables
from dalembert.loop.signals import Measure
from dalembert.loop.transition_log import TransitionLog
from dalembert.simulation.checks import _absolute, _check_fixed_step
from dalembert.simulation.engines.idas import AlgebraicPart
from dalembert.simulation.events import _CLOSER, EventWatcher
from dalembert.simulation.instants import told_rows
from dalembert.simulation.methods import METHODS
from dalembert.simulation.methods.choice import agree, integration_method, revised_method
from dalembert.simulation.settings import Settings
from dalembert.simulation.watch import Progress


def _warned(call: Any, *args: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*args)
    return [str(w.message) for w in caught if issubclass(w.category, DalembertWarning)]


# -- methods and settings ---------------------------------------------------------------------------------------------


def test_defaults_of_methods_are_those_of_the_manual() -> None:
    """Steps of 1 ms; tolerances of 1e-8 and 1e-10, of implicit ones 1e-5 and 1e-7; ten million steps."""
    for name, kind in METHODS.items():
        made = kind()
        assert made.max_steps == 10_000_000 and made.plain == {"name": name} and str(made) == name
        values = {key: getattr(made, key) for key in ("step", "rtol", "atol", "max_step") if hasattr(made, key)}
        coarse = name == "adaptive-midpoint"
        expected = {
            "step": 1e-3,
            "rtol": 1e-5 if coarse else 1e-8,
            "atol": 1e-7 if coarse else 1e-10,
            "max_step": math.inf,
        }
        assert values == {key: expected[key] for key in values} and ("step" in values) != ("rtol" in values)
        if "midpoint" in name:
            assert made.options == {"numerical_damping": 0.0, "tolerance": 1e-10, "max_iterations": 50}
        else:
            assert made.options == {}
    assert (da.RK4(step=2e-3, max_steps=7).plain, str(da.RK4(max_steps=7))) == (
        {"name": "rk4", "step": 2e-3, "max_steps": 7},
        "rk4 (max_steps 7)",
    )
    assert str(da.DormandPrince(atol=(1e-3, 1e-4))) == "dopri5 (atol per state)"
    outlets = {name: kind.outlets() for name, kind in METHODS.items()}
    lanes = {name for name, places in outlets.items() if "rollout" in places}
    assert lanes == {"euler", "heun", "rk4", "bs32", "dopri5", "midpoint", "adaptive-midpoint", "moreau"}
    assert {n for n, x in outlets.items() if "stepper" in x} == {"euler", "heun", "rk4", "midpoint", "moreau"}
    assert {n for n, x in outlets.items() if "derivatives" in x} == {
        "euler",
        "heun",
        "rk4",
        "bs32",
        "dopri5",
        "dop853",
        "moreau",
    }
    assert {n for n, x in outlets.items() if x == {"simulate"}} == {"cvodes", "radau", "idas"}


def test_settings_at_their_bounds() -> None:
    assert da.RK4(max_steps=1).max_steps == 1 and da.DormandPrince(max_step=0.5).max_step == 0.5
    assert da.ImplicitMidpoint(numerical_damping=1.0, tolerance=1e-3, max_iterations=2).max_iterations == 2
    for make, words in (
        (lambda: da.RK4(max_steps=0), "max_steps must be a whole number >= 1, got 0"),
        (lambda: da.RK4(step=0.0), "step must be a finite number > 0 s, got 0"),
        (lambda: da.DormandPrince(rtol=1.0), "and 1, got 1"),
        (lambda: da.DormandPrince(rtol=1e-17), "and 1, got 1e-17"),
        (lambda: da.DormandPrince(max_step=0.0), "max_step must be a finite number > 0 s"),
        (lambda: da.ImplicitMidpoint(numerical_damping=1.1), "between 0 and 1, got 1.1"),
        (lambda: da.ImplicitMidpoint(numerical_damping=-0.1), "between 0 and 1, got -0.1"),
        (lambda: da.ImplicitMidpoint(tolerance=2e-3), "and 0.001, got 0.002"),
        (lambda: da.ImplicitMidpoint(max_iterations=1), "whole number >= 2, got 1"),
        (lambda: integration_method({"step": 1e-3}), "needs its 'name'"),
        (lambda: integration_method("rk45"), "unknown method 'rk45'"),
        (lambda: integration_method("rk4", {"rtol": 1e-6}), "method 'rk4' has none"),
        (lambda: Settings(0.0), "duration must be a finite number > 0 s"),
        (lambda: Settings(1.0, record=0.0), "record must be a finite number > 0 s"),
        (lambda: Measure("x", since=1.0, until=1.0), "a Measure needs since < until"),
        (lambda: Measure("x", since=math.nan), "'since' of a Measure must be a time"),
        (lambda: _check_fixed_step(1.001, 0.0, 1.0, 10), "step = 1.001 s is longer than the duration of 1 s"),
        (lambda: _check_fixed_step(1e-3, 0.0, 1.0, 999), "takes 1e+03 steps, more than max_steps = 999"),
        (lambda: _check_fixed_step(1e-3, -1e9, 1.0, 9999), "cannot be resolved at t = 1e+09 s"),
    ):
        with pytest.raises(InputError, match=re.escape(words)):
            cast(Any, make)()
    states: Any = SimpleNamespace(n_states=2)
    assert _absolute(states, 1e-3).tolist() == [1e-3, 1e-3] and _absolute(states, [1e-3, 1e-4]).tolist() == [1e-3, 1e-4]
    with pytest.raises(InputError, match="atol must be > 0 for every state, got 0"):
        _absolute(states, [1e-3, 0.0])
    with pytest.raises(InputError, match="atol must have shape"):
        _absolute(states, [1e-3])
    _check_fixed_step(1.0, 0.0, 1.0, 1)
    _check_fixed_step(1e-3, 0.0, 1.0, 1000)
    _check_fixed_step(1e-3, 4e8, 1.0, 1000)
    plain = Settings(2.0)
    assert (plain.t0, plain.method, plain.record, plain.seed, plain.member, plain.backend) == (
        0.0,
        None,
        None,
        0,
        0,
        "auto",
    )
    assert not plain.each_transition and Settings(2.0, step=0.5).method == da.RK4(step=0.5)


def test_methods_as_they_are_given() -> None:
    assert integration_method() == da.RK4() and integration_method(default="heun") == da.Heun()
    assert integration_method("dopri5", {"rtol": 1e-6, "step": None}) == da.DormandPrince(rtol=1e-6)
    assert integration_method({"name": "rk4", "step": 0.1}, {"max_steps": 5}) == da.RK4(step=0.1, max_steps=5)
    assert integration_method(da.RK4(step=0.1), {"max_steps": 5}) == da.RK4(step=0.1, max_steps=5)
    none: dict[str, Any] = {"brought": "", "brought_before": ""}
    assert revised_method(None, None, {}, **none) is None
    assert revised_method(None, None, {"step": 0.1}, **none) == da.RK4(step=0.1)
    assert revised_method(da.RK4(step=0.1), "heun", {}, **none) == da.Heun(step=0.1)
    assert revised_method(da.RK4(step=0.1), "dopri5", {}, **none) == da.DormandPrince()
    assert revised_method(da.RK4(step=0.1), None, {"max_steps": 9}, **none) == da.RK4(step=0.1, max_steps=9)
    assert revised_method(da.RK4(step=0.1), None, {}, brought="moreau", brought_before="") == METHODS["moreau"](
        step=0.1
    )
    assert revised_method(METHODS["moreau"](step=0.1), None, {}, brought="", brought_before="moreau") == da.RK4(
        step=0.1
    )
    assert revised_method(METHODS["moreau"](), None, {}, brought="", brought_before="moreau") is None
    assert revised_method(da.RK4(step=0.1), da.Heun(), {"step": 0.3}, **none) == da.Heun(step=0.3)


def test_methods_that_go_with_constraints_and_contacts() -> None:
    free: Any = SimpleNamespace(name="m", stepping=None, constrained=None)
    held: Any = SimpleNamespace(name="m", stepping=None, constrained=object())
    stepped: Any = SimpleNamespace(name="m", stepping=SimpleNamespace(way=da.TimeStepping()), constrained=None)
    assert [x.name for x in agree(free, None, None)] == ["rk4", "projection"]
    assert [x.name for x in agree(free, "dopri5", "baumgarte")] == ["dopri5", "baumgarte"]
    assert [x.name for x in agree(held, None, "idas")] == ["idas", "idas"]
    assert [x.name for x in agree(held, "idas", None)] == ["idas", "idas"]
    assert [x.name for x in agree(held, "generalized-alpha", None)] == ["generalized-alpha"] * 2
    assert [x.name for x in agree(stepped, None, None)] == ["moreau", "projection"]
    method, way = agree(held, "midpoint", None)
    assert method.name == "midpoint" and type(way).__name__ == "EnlargedProjection"
    for arguments, words in (
        ((stepped, "rk4", None), "steps by 'moreau', not by method 'rk4'"),
        ((stepped, None, "projection"), "keeps constraints by itself"),
        ((free, "moreau", None), "comes with contact='time-stepping'"),
        ((held, "rk4", "idas"), "steps by 'idas', not by method 'rk4'"),
        ((held, "midpoint", "baumgarte"), "keeps constraints by 'projection', not by 'baumgarte'"),
        ((held, "cvodes", "projection"), "cannot keep constraints by 'projection'"),
        ((held, "idas", "projection"), "leave constraints out"),
    ):
        with pytest.raises(InputError, match=words):
            agree(*cast(Any, arguments))


# -- samples ----------------------------------------------------------------------------------------------------------


def test_instants_of_several_grids() -> None:
    """Every value is set at its own instants; where they coincide, in the order of the updates; none is missed."""
    calls: list[tuple[str, float, list[float]]] = []

    def setting(name: str, n: int) -> Any:
        def call(t: float, x: Any, c: Any, p: Any) -> Any:
            calls.append((name, t, c.tolist()))
            return [100.0 * t + k for k in range(n)]

        return call

    a = Update("a", 0.2, (2, 0), setting("a", 2), offset=0.05)
    b = Update("b", 0.3, (1,), setting("b", 1))
    schedule = Schedule((a, b), np.array([7.0, 8.0, 9.0]))
    sampler = Sampler(schedule, ("x", "y", "z"), 1.0, np.zeros(0), backend="vm")
    assert sampler.period == 0.2 and sampler.label == "b" and sampler.counts.tolist() == [0, 0]
    t, stops = 1.0, []
    while t < 2.0:
        stops.append(t)
        sampler.sample(t, np.zeros(1))
        t = sampler.next_stop(2.0)
    expected = sorted({round(1.05 + 0.2 * k, 9) for k in range(5)} | {round(1.0 + 0.3 * k, 9) for k in range(4)})
    assert stops == pytest.approx(expected)
    assert [(n, round(s, 9)) for n, s, _ in calls] == sorted(
        [("a", round(1.05 + 0.2 * k, 9)) for k in range(5)] + [("b", round(1.0 + 0.3 * k, 9)) for k in range(4)],
        key=lambda x: (x[1], x[0]),
    )
    assert calls[0][2] == [7.0, 8.0, 9.0] and calls[1][2] == [7.0, 100.0, 9.0]
    assert sampler.held == pytest.approx([186.0, 190.0, 185.0])
    assert sampler.counts.tolist() == [5, 4]
    for start, counts in ((1.0, [0, 0]), (1.05, [0, 1]), (1.3, [2, 1]), (1.25 + 1e-13, [1, 1]), (1.31, [2, 2])):
        again = Sampler(schedule, ("x", "y", "z"), 1.0, np.zeros(0), backend="vm", start=start, held=np.ones(3))
        assert again.counts.tolist() == counts and again.held.tolist() == [1.0, 1.0, 1.0]
    assert Sampler(schedule, ("x", "y", "z"), 1.0, np.zeros(0), backend="vm").next_stop(1.0) == 1.0


def test_answers_of_laws_that_are_not_numbers() -> None:
    for values, words in (
        ([1.0], "must return 2 numbers (u.push, u.pull), got shape (1,)"),
        ([1.0, np.nan], "returned nan for 'u.pull', expected a finite number"),
        ({"push": 1.0}, "expected push, pull"),
        ("x", "must return 2 numbers"),
    ):
        update = Update("law", 0.1, (0, 1), lambda t, x, c, p, values=values: values)
        sampler = Sampler(Schedule((update,), np.zeros(2)), ("u.push", "u.pull"), 0.0, np.zeros(0), backend="vm")
        with pytest.raises(SimulationError, match=re.escape(words)):
            sampler.sample(0.0, np.zeros(1))
    for values in ({"pull": 2.0, "push": 1.0}, {"u.push": 1.0, "u.pull": 2.0}, (1.0, 2.0)):
        update = Update("law", 0.1, (0, 1), lambda t, x, c, p, values=values: values)
        sampler = Sampler(Schedule((update,), np.zeros(2)), ("u.push", "u.pull"), 0.0, np.zeros(0), backend="vm")
        sampler.sample(0.0, np.zeros(1))
        assert sampler.held.tolist() == [1.0, 2.0]
    for period in (0.0, -1.0, math.inf):
        with pytest.raises(InputError, match="must be > 0 s"):
            Update("law", period, (0,), lambda t, x, c, p: 0.0)


@pytest.mark.parametrize("seed", range(4))
def test_rows_that_are_told(seed: int) -> None:
    """One by one: the last row of each instant, and its first one unless a sample is there and nothing jumps."""
    rng = np.random.default_rng(seed)
    t = np.sort(rng.integers(0, 12, 40)).astype(float)
    x = np.repeat(rng.normal(size=(40, 1)), 3, axis=1)
    x[:, 1] = np.where(rng.random(40) < 0.5, 1.0, 1.0 + 1e-3 * rng.normal(size=40))
    x[:, 0] = 2.0
    moves, sampled = np.array([True, True, False]), np.isin(t, [1.0, 3.0, 4.0, 8.0])
    expected = np.zeros(40, dtype=bool)
    for time in np.unique(t):
        rows = np.flatnonzero(t == time)
        expected[rows[-1]] = True
        jumps = np.abs(x[rows[-1], :2] - x[rows[0], :2]).max() > 1e-6
        if not sampled[rows[0]] or jumps:
            expected[rows[0]] = True
    np.testing.assert_array_equal(told_rows(t, x, moves, sampled), expected)


def test_progress_is_a_part_of_the_duration() -> None:
    seen: list[float] = []

    def show(part: float) -> bool:
        seen.append(part)
        return part < 0.5

    progress = Progress(show, 2.0, 6.0)
    assert progress.update(3.0) and seen == [0.25]
    assert progress.update(5.0) and seen == [0.25]  # not again at once
    progress._next = 0.0
    assert not progress.update(5.0) and seen == [0.25, 0.75]
    assert Progress(False, 0.0, 1.0).update(0.5)


# -- warnings ---------------------------------------------------------------------------------------------------------


def test_frequency_of_what_passes_its_mean() -> None:
    t = np.linspace(0.0, 4.0, 4001)
    length = 5.0 + 1e-3 * np.sin(2.0 * np.pi * 1.75 * t + 0.3)
    assert _crossings(t, length) == pytest.approx(1.75, rel=2e-3)
    assert _crossings(t, 5.0 + 2e-5 * (length - 5.0) / 1e-3) == 0.0  # 4e-5 of 5 m
    assert _crossings(t, 5.0 + 3e-5 * (length - 5.0) / 1e-3) > 1.0
    assert _crossings(t[:400], length[:400]) == 0.0  # less than three times

    def heavy(own: float, rows: int = 4001) -> list[str]:
        rope = SimpleNamespace(name="r", heavy=True)
        light = SimpleNamespace(name="no", heavy=False)
        data = {"length.r": length[:rows], "own_frequency.r": np.linspace(own + 1.0, own, rows)}

        class Made(dict[str, Any]):
            pass

        run = Made(data)
        run.t = t[:rows]  # type: ignore[attr-defined]
        machine: Any = SimpleNamespace(name="m", all_ropes=[light, rope])
        return _warned(warn_of_heavy_cables, machine, run)

    from dalembert.loop import heavy_checks

    limit = 1.75 / heavy_checks._NEAR
    assert heavy(1.02 * limit) == [] and len(heavy(0.98 * limit)) == 1 and heavy(0.1 * limit, 7) == []
    assert f"at about 1.75 Hz, its own first frequency is {0.98 * limit:.3g} Hz" in heavy(0.98 * limit)[0]


def test_warnings_of_stiff_modes_and_large_angles() -> None:
    """Of fixed steps by ``w h = 1.5 * 2.83``; of frequencies a thousand times apart; of angles of sections."""
    beam = da.Beam("beam", 1.2, da.Section.tube(0.02), E=4e8, density=1500.0, modes={"y": 3})
    machine = da.Machine("m", [beam], [da.Joint("a", "revolute", "world", "beam", axis="z")])
    most = float(np.max(beam.omega))
    h = 1.5 * 2.83 / most
    assert _warned(warn_of_stiff_modes, machine, da.RK4(step=0.99 * h)) == []
    (words,) = _warned(warn_of_stiff_modes, machine, da.RK4(step=1.01 * h))
    assert f"has {most:.3g} rad/s, which allows {2.83 / most:.2g} s" in words
    assert _warned(warn_of_stiff_modes, machine, da.DormandPrince()) == []
    assert _warned(warn_of_stiff_modes, machine, da.ImplicitMidpoint(step=1.0)) == []
    for ratio, count in ((999.0, 0), (1001.0, 1)):

        class Wide(da.Beam):
            omega = property(lambda self, ratio=ratio: np.array([0.0, 2.0, 2.0 * ratio, np.inf]))  # type: ignore

        wide = Wide("wide", 1.0, da.Section.tube(0.02), E=4e8, density=1500.0, modes={"y": 2})
        apart: Any = SimpleNamespace(bodies=[wide])
        assert len(_warned(warn_of_stiff_modes, apart, da.DormandPrince())) == count

    class Narrow(da.Beam):
        largest_angle = 0.3  # type: ignore

    narrow = Narrow("beam", 1.2, da.Section.tube(0.02), E=4e8, density=1500.0, modes={"y": 3})
    modes = narrow.section_modes("tip")[5]
    for part, count in ((0.98, 0), (-0.98, 0), (1.02, 1), (-1.02, 1)):
        delta = np.zeros((3, 3))
        delta[1] = modes / (modes @ modes) * part * 0.3
        run: Any = SimpleNamespace(names=beam.q_names, array=lambda names, delta=delta: delta)
        told = _warned(warn_of_angles, cast(Any, SimpleNamespace(bodies=[narrow])), run)
        assert len(told) == count and all("has turned by 0.31 rad" in x for x in told)


# -- friction with bristles, and the log ------------------------------------------------------------------------------


def test_bristles_of_joints_and_motors() -> None:
    """LuGre: ``z' = v - s |v| z / g(v)`` and ``F = s z + d z'``, behind gears with the rate of the motor."""
    own = da.Friction(
        coulomb=3.0, static=4.0, viscous=0.7, stribeck=0.2, law="lugre", bristle_stiffness=50.0, bristle_damping=2.0
    )
    drive = da.Friction(
        coulomb=0.4, static=0.6, viscous=0.05, stribeck=0.9, law="lugre", bristle_stiffness=9.0, bristle_damping=0.3
    )
    machine = da.Machine(
        "arm",
        [da.box("a", 2.0, (0.5, 0.2, 0.1)), da.box("b", 1.0, (0.4, 0.1, 0.1))],
        [da.Joint("p", "revolute", "world", "a", axis="z", friction=own),
         da.Joint("q", "revolute", "a", "b", (0.5, 0, 0), axis="z", friction=own)],
        motors=[da.Motor("m", "q", ratio=-6.0, friction=drive)],
    )  # fmt: skip
    eom = da.equations(machine, backend="vm")
    made, s = bristles_of(eom), eom.symbolic
    assert made.names == ("bristle.p", "bristle.q[0]", "bristle.q[1]")
    f = ca.Function("f", [s.q, s.v, s.p, made.states], [made.rates, made.force, *(x for _, x in made.signals)])
    v, z = np.array([0.31, -0.17]), np.array([0.03, -0.05, 0.02])
    rates, force, *signals = (np.array(x).ravel() for x in f([0.4, -0.8], v, eom.parameter_values(None), z))
    pushes = []
    for k, (friction, rate) in enumerate(((own, v[0]), (own, v[1]), (drive, -6.0 * v[1]))):
        F: Any = friction
        level = F.coulomb + (F.static - F.coulomb) * np.exp(-((rate / F.stribeck) ** 2))
        change = rate - F.bristle_stiffness * abs(rate) * z[k] / level
        assert rates[k] == pytest.approx(change, rel=1e-9)
        pushes.append(F.bristle_stiffness * z[k] + F.bristle_damping * change)  # viscous friction is that of the joint
    expected = [-pushes[0], -pushes[1] + 6.0 * pushes[2]]
    np.testing.assert_allclose(force, expected, rtol=1e-9)
    assert [n for n, _ in made.signals] == ["friction.p", "friction.q"]
    np.testing.assert_allclose([x[0] for x in signals], expected, rtol=1e-9)


def _log(**more: Any) -> TransitionLog:
    rows = [
        SimpleNamespace(name="rod", kind="distance", unilateral=False, start=0, stop=2),
        SimpleNamespace(name="line", kind="cable", unilateral=True, start=2, stop=3),
        SimpleNamespace(name="ball", kind="contact", unilateral=True, start=3, stop=6),
        SimpleNamespace(name="r.wheel", kind="sheave", unilateral=False, start=6, stop=7),
        SimpleNamespace(name="r", kind="rope", unilateral=True, start=7, stop=8),
    ]
    section = SimpleNamespace(name="r", sheave_names=("r.wheel",), tensions=(("r[0]", 0), ("r[1]", 1)))
    names = ("rod.x", "rod.y", "line", "ball", "ball.a", "ball.b", "r.wheel", "r")
    system = SimpleNamespace(rows=rows, row_names=names, sections=[section], sticking=("hinge", "gear", "axle"))
    machine = SimpleNamespace(
        name="m", constraints=more.get("constraints", ()), sheave_bearings=("axle",), sticking={"hinge": 1}
    )
    eom: Any = SimpleNamespace(machine=machine, constraint_system=system)
    problem: Any = SimpleNamespace(
        event_specs=(SimpleNamespace(name="tick", hidden=True), SimpleNamespace(name="ball.impact", hidden=False))
    )
    pairs: Any = SimpleNamespace(
        names=("line", "ball", "r"), sheaves=((), (), ("wheel", "second")),
        coefficients=lambda p: (np.zeros(3), np.array(more.get("friction", [0.0, 0.3, 0.0]))),
    )  # fmt: skip
    switches: Any = {
        "go": SimpleNamespace(on=("rod",), off=("line",)),
        "swap": SimpleNamespace(on=("line",), off=("rod", "ball")),
    }
    return TransitionLog(eom, problem, pairs, switches, np.zeros(0))


def _entry(names: tuple[str, ...], impulses: Any, **more: Any) -> TransitionEntry:
    fields: dict[str, Any] = {"t": 1.25, "energy_lost": 0.5, "factor": 1.0, "shocks": 0, "speed": 2.0}
    values = np.array(impulses, dtype=float)
    return cast(TransitionEntry, SimpleNamespace(names=names, impulses=values, **{**fields, **more}))


def test_transitions_in_the_log() -> None:
    """Rows that take hold and let go, also of switches; impulses of rows, of ropes the tensions of their spans."""
    log = _log()
    impulses = [0.0, 2.0, -1e-13, 3.0, 1e-11, 0.0, 0.7, 1.6]
    for names, on, off in (
        (("ball.impact", "tick"), ["ball"], []),
        (("go",), ["rod"], ["line"]),
        (("go", "swap"), ["line", "rod"], ["ball"]),
        (("go", "line.taut"), ["line", "rod"], []),
        (("ball.release", "r.slack"), [], ["ball", "r"]),
        (("r.slack", "r.taut"), ["r"], []),
        (("rod.taut", "ball.taut"), [], []),
    ):
        log.add(_entry(names, impulses))
        made = log.entries[-1]
        assert (made["on"], made["off"], made["t"]) == (on, off, 1.25), names
        assert made["events"] == [n for n in names if n != "tick"] and made["energy_lost"] == 0.5
    assert made["impulse"] == pytest.approx({"rod.y": 2.0, "ball": 3.0, "ball.a": 1e-11, "r[0]": 2.3, "r[1]": 1.6})
    assert not {"painleve", "restitution_factor"} & made.keys()
    made = log.described(_entry(("hit",), np.zeros(8), shocks=3))
    assert made["painleve"] == 3 and made["impulse"] == {}
    tiny = log.described(_entry(("hit",), [1e-19, 5e-22, 0, 0, 0, 0, 0, 0], speed=1.0))
    assert list(tiny["impulse"]) == ["rod.x"]  # the least that counts is 1e-21
    (told,) = _warned(log.described, _entry(("hit", "other"), impulses, factor=0.25))
    assert "restitution would have added energy at t = 1.25 s (hit, other); it was lowered to 0.25" in told


def test_errors_of_transitions_name_the_cause() -> None:
    log = _log()
    driven = _log(
        constraints=[SimpleNamespace(name="drive", scalars=(da.TIME,)), SimpleNamespace(name="rod", scalars=(1.0,))]
    )
    for made, pair, lacks, words in (
        (log, 1, 0, "no impulses obey the law of friction at contact 'ball' of machine 'm' at t = 1.5 s: Painleve's"),
        (log, 1, 1, "no forces obey the law of friction at contact 'ball'"),
        (
            log,
            0,
            1,
            "no forces keep cable 'line' of machine 'm' from getting longer at t = 1.5 s: the constraints of the",
        ),
        (
            driven,
            1,
            0,
            "no impulses keep contact 'ball' of machine 'm' from closing at t = 1.5 s: the prescribed motion 'drive'",
        ),
        (log, 2, 2, "no tension lets rope 'r' of machine 'm' continue to slip on sheave 'wheel'"),
        (log, 2, 3, "on sheave 'second'"),
        (log, 3, 1, "at joint 'hinge'"),
        (log, 4, 1, "constraint 'gear' of machine 'm' jams"),
        (log, 5, 0, "no impulses obey the friction of bearing 'axle'"),
    ):
        assert words in str(made.ill_posed(1.5, pair, lacks))
    for row, name in ((0, "rod"), (1, "rod"), (2, "line"), (5, "ball"), (7, "r")):
        assert f"constraint '{name}' cannot begin to act at t = 1.5 s: its gap is not closed" in str(
            log.not_closed(1.5, row)
        )
    assert "its gap is 0.02, more than 1e-06" in str(log.not_closed(1.5, 3, 0.02))


# -- events, and the algebraic part -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("times", "turned", "refused"),
    [
        ([1.0, 1.5, 1.75, 1.8, 1.81, 1.812, 1.8121], True, True),
        ([1.0, 1.5, 1.75, 1.8, 1.81, 1.812, 1.8121], False, False),
        ([1.0, 1.5, 1.75, 1.8, 1.81, 1.812, 1.8122], True, False),
        ([1.0, 1.5, 1.75, 1.78, 1.85, 1.851, 1.8511], True, None),
    ],
    ids=["accumulating", "reversed", "far apart", "not ever faster"],
)
def test_events_that_recur_ever_faster(times: list[float], turned: bool, refused: bool | None) -> None:
    """Refused if each gap is shorter than the one before, the last one less than a thousandth of a step."""
    specs = (SimpleNamespace(name="other", positive=False), SimpleNamespace(name="floor", positive=False))
    watcher: Any = SimpleNamespace(_specs=specs, _times={})
    signs = np.array([1.0, -1.0])
    said = ""
    few = _CLOSER + 1
    shown = times[-few:]
    for k, t in enumerate(shown):
        engine: Any = SimpleNamespace(t=t, h_used=0.15, signs=np.array([1.0, 1.0 if turned and k == few - 1 else -1.0]))
        try:
            EventWatcher._check_returns(watcher, engine, ["floor"], signs)
        except SimulationError as error:
            said = str(error)
            assert k == few - 1
    gaps = np.diff(shown)
    ever = bool((np.diff(gaps) < 0.0).all())
    assert bool(said) == (turned and ever and gaps[-1] <= 1.5e-4)
    if refused is not None:
        assert bool(said) == refused
    if said:
        assert f"'floor' recurs ever faster, the last time after {gaps[-1]:.3g} s" in said
    positive: Any = SimpleNamespace(_specs=(SimpleNamespace(name="floor", positive=True),), _times={})
    EventWatcher._check_returns(positive, engine, ["floor"], np.array([-1.0]))
    assert not positive._times


def test_states_of_transitions_of_users() -> None:
    watcher: Any = SimpleNamespace(_setup=SimpleNamespace(problem=SimpleNamespace(state_names=("a", "b"))))
    assert EventWatcher._checked(watcher, [1, 2], 0.5).tolist() == [1.0, 2.0]
    for answer in ([1.0], [1.0, np.nan], "x", None):
        with pytest.raises(SimulationError, match=r"the transition at t = 0.5 s must return 2 finite states"):
            EventWatcher._checked(watcher, cast(Any, answer), 0.5)


def test_algebraic_equations_of_a_mechanism() -> None:
    """``M a + J' l = f`` and ``J a = gamma - 2 alpha phi' - beta^2 phi``, of rows that act; else zero multipliers."""
    machine = da.Machine(
        "pair",
        [da.Body("a", 2.0, com=(0.1, -0.2, 0.0), inertia=(0.3, 0.4, 0.5)), da.point_mass("b", 1.3)],
        [da.Joint("p", "planar", "world", "a"), da.Joint("x", "prismatic", "world", "b", axis=(0.6, 0.8, 0.0))],
        frames=[da.Frame("ear", "a", (0.2, 0.1, 0.0))],
        constraints=[da.DistanceConstraint("rod", "ear", "b", length=1.0 + 0.1 * da.TIME),
                     da.DistanceConstraint("line", "a", "world", length=2.0, switchable=True)],
        gravity=(1.3, -2.1, -9.7),
    )  # fmt: skip
    eom = da.equations(machine, backend="vm")
    problem = close_loop(eom, None).problem
    system = cast(Any, problem.constrained)
    rng = np.random.default_rng(6)
    x = np.zeros(problem.n_states)
    x[: eom.nq + eom.nv] = rng.normal(size=eom.nq + eom.nv)
    way: Any = da.Idas(alpha=3.0, beta=7.0)
    arrays = {"lambda": np.arange(1.0, 5.0)}
    native: Any = SimpleNamespace(memory=SimpleNamespace(arrays=arrays))
    for on in (1.0, 0.0, -1.0):
        for i in system.flags:
            if i >= 0:
                x[int(i)] = on
        setup: Any = SimpleNamespace(problem=problem, constraint_method=way, t0=0.4, x0=x, p=np.zeros(0))
        part = AlgebraicPart(setup, native)
        t_, x_, c_, p_ = (ca.SX.sym(n, k) for n, k in zip("txcp", (1, len(x), len(problem.held_names), 0), strict=True))
        made = ca.Function("f", [t_, x_, c_, p_, part.z], list(part.equations(t_, x_, c_, p_)))
        z = rng.normal(size=system.nv + system.m)
        rates, residual = (np.array(y).ravel() for y in made(0.4, x, np.zeros(len(problem.held_names)), [], z))
        q, v = x[: eom.nq], x[eom.nq : eom.nq + eom.nv]
        a, forces = z[: eom.nv], z[eom.nv :]
        acts = np.array([x[int(i)] > 0.5 if i >= 0 else True for i in system.flags], dtype=float)
        J, M = eom.constraint_jacobian(q, t=0.4), eom.mass_matrix(q)
        inner = M @ a + J.T @ (acts * forces) + eom.bias(q, v)
        np.testing.assert_allclose(residual[: eom.nv], inner, atol=1e-9)
        error, rate = eom.constraints(q, t=0.4), eom.constraint_velocity(q, v, t=0.4)
        held = J @ a - eom.constraint_rhs(q, v, t=0.4) + 6.0 * rate + 49.0 * error
        np.testing.assert_allclose(residual[eom.nv :], np.where(acts > 0.0, held, forces), atol=1e-7)
        np.testing.assert_allclose(rates[eom.nq : eom.nq + eom.nv], a)
        driven = eom.constraint_velocity(q, 0.0 * v, t=0.4)  # by time alone: its work is that of no input
        assert rates[system.work_input] == pytest.approx(driven @ (acts * forces), rel=1e-9) and driven.any()
    guess = part.start(np.arange(float(len(x))))
    np.testing.assert_allclose(
        guess, 1.001 * np.array([*np.arange(eom.nq, eom.nq + eom.nv), *arrays["lambda"][: system.m]])
    )


def test_tasks_of_desks_are_those_of_c() -> None:
    """``DESK_...`` of members.c; the queue of a GPU has its state at the same place."""
    from pathlib import Path

    from dalembert.simulation.rollout import desk

    text = (Path(da.__file__).parent / "engine" / "rollout" / "members.c").read_text()
    (first,) = re.findall(r"enum \{ (DESK_CLOCK[^}]*) \}", text)
    places = [name.strip() for name in first.split(",")]
    assert [places.index(f"DESK_{name}") for name in ("CLOCK", "T", "STATUS", "STATE")] == [
        desk._CLOCK, desk._T, desk._STATUS, desk._STATE,
    ]  # fmt: skip
    (second,) = re.findall(r"enum \{ (DESK_STEPS[^}]*) \}", text)
    tasks = dict(re.findall(r"DESK_(\w+) = (\d+)", second))
    assert {name: getattr(desk, name) for name in tasks} == {name: int(value) for name, value in tasks.items()}
    row = desk.DeskRow(7, 3, 2, 4, 5)
    assert (row.x, row.signs, row.held, row.size) == (slice(5, 12), slice(12, 15), slice(15, 17), 26)
