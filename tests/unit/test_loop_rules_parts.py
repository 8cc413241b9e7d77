"""Rules of loops and of runs, one by one: events at limits, memory of ropes, sampled stages, rows passed on."""

from __future__ import annotations

from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple, cast

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.control.cascade import Cascade, Sampled
from dalembert.core.errors import InputError, SimulationError
from dalembert.core.ports import NativeStage
from dalembert.engine.problem.problem import EventSpec
from dalembert.engine.sampling import Schedule, Update
from dalembert.loop import implicit, laws, routines, sampled
from dalembert.loop.events import loop_events
from dalembert.loop.internal_states import InternalStates
from dalembert.loop.laws import SampledController, law_terms, taken_apart
from dalembert.loop.quantities import Slots
from dalembert.loop.rope_memory import RopeMemory
from dalembert.loop.sampled import PythonStage, Stages
from dalembert.simulation import recording
from dalembert.simulation.recording import Recorder

# -- events -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def limited() -> Any:
    """A machine with ranges and largest speeds of all kinds."""
    limits = {
        "a": da.Limits(lower=-0.7, upper=1.3, velocity=2.5),
        "b": da.Limits(lower=-0.4),
        "c": da.Limits(upper=0.9, stop=True, velocity=3.5),
        "d": da.Limits(velocity=4.5),
        "e": da.Limits(),
    }
    bodies = [da.point_mass(f"m{name}", 2.0) for name in limits]
    joints = [
        da.Joint(name, "prismatic", "world", f"m{name}", axis="x", limits=limit) for name, limit in limits.items()
    ]
    ball = da.Joint("ball", "spherical", "world", "body")
    bodies.append(da.Body("body", 1.5, inertia=(0.3, 0.4, 0.5)))
    return da.equations(da.Machine("limited", bodies, [*joints, ball], gravity=(0, 0, 0)), backend="vm")


@pytest.mark.parametrize("action", ["record", "stop", "ignore", "contact"])
def test_the_events_of_limits(limited: Any, action: str) -> None:
    """Each value falls through zero where a coordinate or a speed passes its limit; what stops a run, and what not."""
    eom, s = limited, limited.symbolic
    away = s.q[0] - 3.0 * s.v[1]
    known: Any = SimpleNamespace(
        eom=SimpleNamespace(
            machine=eom.machine, symbolic=s, formulation=SimpleNamespace(singularities=lambda: [("pole", away)])
        )
    )
    own = SimpleNamespace(name="own", terminal=True, direction=1, function=lambda k: k.eom.symbolic.q[1] - 0.25)
    g, specs = loop_events(known, cast(Any, [own]), action)
    rng = np.random.default_rng(1)
    q, v = rng.normal(size=eom.nq), 3.0 * rng.normal(size=eom.nv)
    at = {name: (q[eom.q_names.index(name)], v[eom.v_names.index(f"{name}_dot")]) for name in "abcde"}
    all_: list[tuple[str, float, bool, int]] = [
        ("a.upper", 1.3 - at["a"][0], False, -1),
        ("a.lower", at["a"][0] + 0.7, False, -1),
        ("a.velocity", 1.0 - (at["a"][1] / 2.5) ** 2, False, -1),
        ("b.lower", at["b"][0] + 0.4, False, -1),
        ("c.upper", 0.9 - at["c"][0], True, -1),
        ("c.velocity", 1.0 - (at["c"][1] / 3.5) ** 2, False, -1),
        ("d.velocity", 1.0 - (at["d"][1] / 4.5) ** 2, False, -1),
    ]
    left_out = {
        "record": (),
        "stop": (),
        "ignore": ("a.", "b.", "d.", "c.velocity"),
        "contact": ("a.upper", "a.lower", "b."),
    }[action]
    expected = [
        *((n, x, stops or action == "stop", way) for n, x, stops, way in all_ if not n.startswith(left_out or ("-",))),
        ("pole", q[0] - 3.0 * v[1], True, -1),
        ("own", q[1] - 0.25, True, 1),
    ]
    values = np.array(ca.Function("g", [s.q, s.v], [g])(q, v)).ravel()
    found = list(zip([x.name for x in specs], values, specs, strict=True))
    assert sorted(n for n, _, _ in found) == sorted(n for n, *_ in expected)
    assert [n for n, _, _ in found[-2:]] == ["pole", "own"]
    told = {n: (x, stops, way) for n, x, stops, way in expected}
    for name, value, spec in found:
        assert value == pytest.approx(told[name][0], rel=1e-12), name
        assert (spec.terminal, spec.direction) == told[name][1:], name
        assert spec == EventSpec(name, spec.terminal, spec.direction)


def test_limits_that_a_machine_does_not_have() -> None:
    def known(limits: da.Limits) -> Any:
        machine = da.Machine(
            "cart", [da.point_mass("m", 2.0)], [da.Joint("x", "prismatic", "world", "m", axis="x", limits=limits)]
        )
        return SimpleNamespace(eom=da.equations(machine, backend="vm"))

    speed, lower, upper = da.Limits(velocity=2.0), da.Limits(lower=-1.0), da.Limits(upper=1.0)
    for limits, action, names in (
        (da.Limits(), "record", []),
        (da.Limits(), "ignore", []),
        (speed, "stop", ["x.velocity"]),
        (lower, "stop", ["x.lower"]),
        (upper, "stop", ["x.upper"]),
        (lower, "contact", []),
        (upper, "contact", []),
    ):
        g, specs = loop_events(known(limits), (), action)
        assert [x.name for x in specs] == names and g.shape == (len(names), 1)
    with pytest.raises(InputError, match="no joint of machine 'cart' has a range"):
        loop_events(known(speed), (), "contact")
    with pytest.raises(InputError, match="no joint of machine 'cart' has any"):
        loop_events(known(da.Limits()), (), "stop")
    with pytest.raises(InputError, match="limits must be one of record, stop, ignore, contact, got 'none'"):
        loop_events(known(speed), (), "none")


def test_expressions_of_events() -> None:
    """Functions of the symbols are bound; those that fail, never happen or are comparisons are refused by name."""
    eom = da.equations(
        da.Machine("cart", [da.point_mass("m", 2.0)], [da.Joint("x", "prismatic", "world", "m", axis="x")]),
        backend="vm",
    )
    bound: list[tuple[Any, str, bool]] = []

    def bind(g: Any, owner: str, *, seen: bool) -> Any:
        bound.append((g, owner, seen))
        return 2.0 * g

    known: Any = SimpleNamespace(
        eom=eom, bind=bind, text=lambda text, owner: ca.SX(4.0 if text == "4" else eom.symbolic.t)
    )
    g = da.Event("far", lambda t, q, v: q[0] - 3.0 * v[0] + t).function(known)
    s = eom.symbolic
    value = ca.Function("g", [s.t, s.q, s.v], [g])(0.3, 1.7, 0.4)
    assert float(value) == pytest.approx(2.0 * (1.7 - 1.2 + 0.3)) and bound[0][1:] == ("event 'far'", False)
    assert ca.is_equal(da.Event("late", "t").function(known), s.t)

    def failing(t: Any, q: Any, v: Any) -> Any:
        raise ValueError("first line\nlast line")

    def silent(t: Any, q: Any, v: Any) -> Any:
        raise ValueError

    for expression, words in (
        ("4", "event 'e' never happens: its expression '4' is constant"),
        (lambda t, q, v: 4.0, "never happens: its expression 4 depends on neither"),
        (lambda t, q, v: ca.vertcat(q, v), "must return one expression, got 2"),
        (lambda t, q, v: ca.SX(0, 1), "must return one expression, got 0"),
        (failing, "the expression of event 'e' fails on CasADi symbols: ValueError: last line$"),
        (silent, "fails on CasADi symbols: ValueError: $"),
        *(
            (truth, "got a comparison")
            for truth in (
                lambda t, q, v: q[0] < v[0],
                lambda t, q, v: q[0] <= v[0],
                lambda t, q, v: ca.eq(q[0], v[0]),
                lambda t, q, v: ca.ne(q[0], v[0]),
                lambda t, q, v: ca.logic_not(q[0]),
                lambda t, q, v: ca.logic_and(q[0], v[0]),
                lambda t, q, v: ca.logic_or(q[0], v[0]),
            )
        ),
    ):
        with pytest.raises(InputError, match=words):
            da.Event("e", cast(Any, expression)).function(known)
    with pytest.raises(InputError, match="must be true or false, got 1"):
        da.Event("e", "x", terminal=cast(Any, 1))
    with pytest.raises(InputError, match="needs a function"):
        da.Event("e", cast(Any, 3.0))
    assert (da.Event("e", "x").terminal, da.Event("e", "x").direction) == (False, 0)


# -- memory of ropes --------------------------------------------------------------------------------------------------


def test_the_memory_of_ropes_after_a_step() -> None:
    """What a rope lies on, and its half turns, at the end of the step: straight from the definitions, in numbers."""
    q, v, t = (ca.SX.sym(*x) for x in (("q", 3), ("v", 3), ("t",)))
    names = ("active.x", "on.r.drum", "on.r.pin", "halves.r.drum", "halves.r.wheel", "toward.y")
    latches = ca.SX.sym("latches", len(names))
    meeting = [
        SimpleNamespace(name="drum", leaves=q[0] - 0.3, meets=q[1] + 0.2),
        SimpleNamespace(name="pin", leaves=q[1] * q[2] + t, meets=q[2] - 0.4),
    ]
    angles = [
        SimpleNamespace(name="r.drum", angle=5.0 * q[0], centre=0.7),
        SimpleNamespace(name="r.wheel", angle=4.0 * q[1] + t, centre=-0.4),
        SimpleNamespace(name="r.uncounted", angle=q[1], centre=0.0),
    ]
    system = SimpleNamespace(
        latch_names=names,
        latches=latches,
        latch_index=lambda name: names.index(name) if name in names else -1,
        routes={"r": SimpleNamespace(meetings=meeting, counted=angles)},
    )
    eom = SimpleNamespace(
        constrained=True,
        constraint_system=system,
        symbolic=SimpleNamespace(q=q, v=v, t=t),
        formulation=SimpleNamespace(moved=lambda d: q + d),
    )
    memory = RopeMemory(cast(Any, eom))
    assert memory.latches == [1, 2, 3, 4] and memory.names == names[1:5]
    assert ca.is_equal(memory.states, latches[1:5], 2)
    h, dv = ca.SX.sym("h"), ca.SX.sym("dv", 3)
    rates = ca.Function("rates", [q, v, t, latches, h, dv], [memory.rates(h, dv)])
    rng = np.random.default_rng(4)
    seen = set()
    for _ in range(200):
        q0, v0, a = rng.normal(size=(3, 3))
        step, t0 = rng.uniform(0.1, 0.6), rng.normal()
        before = np.array([0.0, *rng.integers(0, 2, 2), *rng.integers(-2, 3, 2), 0.0], dtype=float)
        end, te = q0 + step / 2 * (v0 + a), t0 + step / 2
        leaves, meets = (end[0] - 0.3, end[1] * end[2] + te), (end[1] + 0.2, end[2] - 0.4)
        on = [leaves[k] > 0 if before[1 + k] else meets[k] <= 0 for k in range(2)]
        lay = bool(before[1]) and on[0]
        turns = [np.rint((5.0 * end[0] - 0.7) / np.pi), np.rint((4.0 * end[1] + te + 0.4) / np.pi)]
        new = [*map(float, on), before[3] + turns[0] if lay else 0.0, before[4] + turns[1]]
        got = np.array(rates(q0, v0, t0, before, step, a)).ravel()
        np.testing.assert_allclose(got * step, np.array(new) - before[1:5], atol=1e-9)
        seen.add((bool(before[1]), bool(on[0])))
    assert len(seen) == 4
    for free in (
        SimpleNamespace(constrained=False),
        SimpleNamespace(constrained=True, constraint_system=SimpleNamespace(latch_names=("active.x",))),
    ):
        nothing = RopeMemory(cast(Any, free))
        assert nothing.latches == [] and nothing.rates(h, dv).shape == (0, 1)
        if free.constrained:
            assert nothing.names == () and nothing.states.shape == (0, 1)


# -- sampled stages ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def carts() -> Any:
    """Two carts with a motor each."""
    return da.equations(
        da.Machine(
            "carts",
            [da.point_mass("a", 2.0), da.point_mass("b", 3.0)],
            [da.Joint(x, "prismatic", "world", m, axis=x) for x, m in (("x", "a"), ("y", "b"))],
            motors=[da.Motor("F", "x"), da.Motor("G", "y")],
        ),
        backend="vm",
    )


class _Lag:
    """A law with three states."""

    def state_names(self, eom: Any) -> tuple[str, ...]:
        return ("lag.a", "lag.b", "lag.c")

    def initial_state(self, eom: Any) -> Any:
        return np.array([0.5, -0.25, 1.5])

    def expression(self, eom: Any, t: Any, q: Any, v: Any, z: Any, p: Any) -> tuple[Any, Any]:
        return ca.vertcat(q[0] * z[0], v[1] - z[2]), ca.vertcat(q[1] - z[0], z[0] * z[1], v[0] + t)


class _Guide(_Lag):
    """The same as an outer stage."""

    name, period, holds = "guide", 0.3, ("wish", "rate")


def test_updates_of_laws_and_of_guidance(carts: Any) -> None:
    """Sampled laws make Euler's step; guidance gives its next states and the time. Each sets its own held values."""
    rng = np.random.default_rng(2)
    s, law = carts.symbolic, cast(Any, _Lag())
    for stage in (Sampled(law, 0.2), _Guide()):
        slots, inner = Slots(), isinstance(stage, Sampled)
        slots.add("other")
        stages = Stages(() if inner else (stage,), stage if inner else None, None)
        sampled.stage_slots(carts, stages, slots)
        own = ["command.F", "command.G"] if inner else ["wish", "rate", "guide.t"]
        assert slots.names == ("other", *own, "lag.a", "lag.b", "lag.c")
        assert slots.initial.tolist() == [0.0] * (1 + len(own)) + [0.5, -0.25, 1.5]
        if inner:
            assert ca.is_equal(ca.vertcat(slots.by_name["command.F"], slots.by_name["command.G"]), s.u, 2)
        arguments = (s.t, ca.vertcat(s.q, s.v), slots.symbols, s.p)
        known: Any = SimpleNamespace(eom=carts, slots=slots)
        labels: list[str] = []

        def expression(of: Any, z: Any, label: str, labels: list[str] = labels) -> Any:
            labels.append(label)
            return of.expression(carts, s.t, s.q, s.v, z, s.p)

        update = sampled.native_update(known, stage, expression, arguments)
        assert labels == ["the law _Lag" if inner else "guidance 'guide'"]
        rows = [*own[:2], "lag.a", "lag.b", "lag.c", *own[2:]]
        assert update.rows == tuple(slots.names.index(name) for name in rows)
        assert (update.name, update.period, update.noise, update.offset) == (
            ("law", 0.2, 0, 0.0) if inner else ("guide", 0.3, 0, 0.0)
        )
        t, (x, c), p = rng.normal(), rng.normal(size=(2, 20)), np.zeros(s.p.numel())
        x, c = x[:4], c[: len(slots.names)]
        z = c[-3:]
        got = np.array(cast(Any, update.function)(t, x, c, p, np.zeros(0))).ravel()
        after = np.array([x[1] - z[0], z[0] * z[1], x[2] + t])
        expected = [x[0] * z[0], x[3] - z[2], *(z + 0.2 * after if inner else after), *([] if inner else [t])]
        np.testing.assert_allclose(got, expected, rtol=1e-12)
        for wrong, words in (
            (lambda of, z, label: (ca.SX(3, 1), z), "must return 2 values .*, got 3"),
            (lambda of, z, label: (ca.SX(2, 1), z[:2]), "has 3 states but returned 2 values"),
        ):
            with pytest.raises(InputError, match=words):
                sampled.native_update(known, stage, wrong, arguments)


def test_a_law_without_states(carts: Any) -> None:
    none = SimpleNamespace(state_names=lambda eom: (), period=0.1, name="n", holds=("w",))
    slots, s = Slots(), carts.symbolic
    slots.add("w")
    slots.add("n.t")
    known: Any = SimpleNamespace(eom=carts, slots=slots)
    arguments = (s.t, ca.vertcat(s.q, s.v), slots.symbols, s.p)

    def expression(of: Any, z: Any, label: str) -> Any:
        assert z.shape == (0, 1)
        return s.q[1] * 3.0, ca.SX(0, 1)

    update = sampled.native_update(known, none, expression, arguments)
    got = cast(Any, update.function)(0.7, [1.0, 2.0, 3.0, 4.0], [0.0, 0.0], np.zeros(s.p.numel()), [])
    assert np.array(got).ravel().tolist() == [6.0, 0.7] and update.rows == (0, 1)
    assert cast(Any, update.function).size1_in(4) == 0


def test_what_python_stages_see_and_return(carts: Any) -> None:
    """The state, and what they read; a stage's values are sorted by name, and its time comes last."""
    calls: list[Any] = []
    s, slots = carts.symbolic, Slots()
    for name in ("e", "rate", "other", "wish", "outer.t", "command.F", "command.G"):
        slots.add(name)
    x = ca.vertcat(s.q, s.v, ca.SX.sym("work", 2))
    arguments = (s.t, x, slots.symbols, s.p)
    sums = {"sum": s.q[0] + 2.0 * s.v[1], "held": slots.by_name["e"] * s.t}
    state, c = np.array([0.3, -0.4, 1.1, 0.7, 9.0, 8.0]), np.array([2.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    p = np.zeros(s.p.numel())
    known: Any = SimpleNamespace(eom=carts, slots=slots, q=s.q, v=s.v, bind=lambda e, owner: sums[e.name()])

    def law(*args: Any) -> Any:
        calls.append(args)
        return {"wish": 4.0, "rate": 5.0}

    for reads in ((), ("held", "sum")):
        for seen in (known, SimpleNamespace(**{**vars(known), "q": 2.0 * s.q, "v": 3.0 * s.v})):
            factors = (1.0, 1.0) if seen is known else (2.0, 3.0)
            stage = PythonStage("outer", 0.2, ("rate", "wish"), reads, 1)
            inner = PythonStage("inner", 0.1, None, reads, 0)
            updates = [sampled.python_update(cast(Any, seen), each, arguments) for each in (stage, inner)]
            assert updates[0].rows == (1, 3, 4) and updates[1].rows == (5, 6)
            assert [(u.name, u.period) for u in updates] == [("outer", 0.2), ("inner", 0.1)]
            native = Update("n", 0.1, (0,), lambda t, x, c, p: [0.0])
            schedule = Schedule((updates[0], native, updates[1]), np.arange(7.0))

            def inputs(t: float, q: Any, v: Any) -> Any:
                calls.append((t, q, v))
                return 7.0 * q

            made = sampled.bound(schedule, [inputs, SimpleNamespace(function=law)], cast(Any, "vm"))
            assert made.initial is schedule.initial and made.updates[1] is native
            calls.clear()
            out = cast(Any, made.updates[0].function)(0.6, state, c, p)
            np.testing.assert_allclose(out, [5.0, 4.0, 0.6])
            t, q, v, read = calls[0]
            np.testing.assert_allclose(q, factors[0] * state[:2])
            np.testing.assert_allclose(v, factors[1] * state[2:4])
            wanted = {"held": 2.5 * 0.6, "sum": 0.3 + 2.0 * 0.7} if reads else {}
            assert t == 0.6 and read == pytest.approx(wanted) and list(read) == list(reads)
            q[:] = v[:] = 100.0  # what a function does with them is its own
            out = cast(Any, made.updates[2].function)(0.6, state, c, p)
            np.testing.assert_allclose(out, 7.0 * factors[0] * state[:2])
            np.testing.assert_allclose(calls[1][2], factors[1] * state[2:4])
    assert sampled.bound(schedule, [], cast(Any, "vm")) is schedule


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ({"a": 1.0}, "must return a, b, got a"),
        ({"a": 1.0, "b": 2.0, "c": 3.0}, "must return a, b, got a, b, c"),
        ([1.0, 2.0, 3.0], r"must return 2 numbers \(a, b\), got shape \(3,\)"),
        ([[1.0, 2.0]], r".*got shape \(1, 2\)"),
        ("text", "must return 2 numbers, got 'text'"),
    ],
)
def test_what_a_stage_may_not_return(returned: Any, words: str) -> None:
    assert sampled._in_order({"b": 2.0, "a": 1.0}, ("a", "b"), "s", 0.25).tolist() == [1.0, 2.0]
    assert sampled._in_order((1.0, 2.0), ("a", "b"), "s", 0.25).tolist() == [1.0, 2.0]
    with pytest.raises(SimulationError, match=f"controller 's' at t = 0.25 s {words}"):
        sampled._in_order(returned, ("a", "b"), "s", 0.25)


def test_a_control_taken_apart() -> None:
    """Functions are taken out and numbered in the order of the stages, outermost first, the innermost last."""

    class _Outer:
        name, period, holds, reads = "outer", 0.4, ["a", "b"], ["r"]

        def function(self, *args: Any) -> Any:
            return None

    class _Inner:
        period = 0.1

        def __call__(self, t: float, q: Any, v: Any) -> Any:
            return None

    first, second, inner = _Outer(), SimpleNamespace(name="s", period=0.2, holds=("c",), function=print), _Inner()
    native: Any = _Guide()
    stages, functions = sampled.detached(Cascade(cast(Any, inner), [cast(Any, x) for x in (first, native, second)]))
    assert functions == [first, second, inner] and stages.law is None
    assert stages.outer == (
        PythonStage("outer", 0.4, ("a", "b"), ("r",), 0),
        native,
        PythonStage("s", 0.2, ("c",), (), 1),
    )
    assert stages.sampled == PythonStage("_Inner", 0.1, None, (), 2)
    law = _Lag()
    assert sampled.detached(law) == (Stages((), None, law), [])
    assert sampled.detached(None) == (Stages((), None, None), [])
    held = Sampled(cast(Any, law), 0.2)
    assert sampled.detached(held) == (Stages((), held, None), [])
    within: Any = _Lag()
    within.sampled = Cascade(cast(Any, inner), [cast(Any, second)])
    stages, functions = sampled.detached(Cascade(within, [cast(Any, first)]))
    assert functions == [first, second, inner] and stages.law is within and len(stages.outer) == 2
    within.sampled = Cascade(cast(Any, _Lag()), [cast(Any, second)])
    with pytest.raises(InputError, match=r"_Lag stands between .* write Cascade\(_Lag\(law"):
        sampled.detached(within)
    with pytest.raises(InputError, match="a stage needs an expression or a function to call, got 3"):
        sampled.detached(3)


# -- rows of runs -----------------------------------------------------------------------------------------------------


class _Named(NamedTuple):
    name: str


class _Engine:
    """Rows that are there already, of which the time loop has come to some."""

    backend, next_step = "vm", 0.125

    def __init__(self, t: Any, x: Any, c: Any) -> None:
        self._t, self._x, self._c, self.n, self.recorded = t, x, c, 1, 0
        self.counts = SimpleNamespace(steps=31, rejected=7, calls=211)
        self.constrained = SimpleNamespace(faults=SimpleNamespace(_asdict=lambda: {"fault": 5}))

    def record(self) -> None:
        self.recorded += 1

    @property
    def t(self) -> float:
        return float(self._t[self.n - 1])

    @property
    def x(self) -> Any:
        return self._x[self.n - 1]

    def rows(self, first: int) -> Any:
        return self._t[first : self.n], self._x[first : self.n]

    def held(self, first: int) -> Any:
        return self._c[first : self.n]


def _recorder(watch: Any = None, *, each: bool = False, stepping: bool = False, adaptive: bool = False) -> Any:
    rng = np.random.default_rng(6)
    t = np.array([0.0, 0.1, 0.2, 0.2, 0.2, 0.3, 0.35, 0.5, 0.5, 0.7])
    engine = _Engine(t, rng.normal(size=(10, 3)), rng.normal(size=(10, 4)))
    specs = (EventSpec("hit"), EventSpec("inner", hidden=True))
    problem = SimpleNamespace(
        counted=np.array([True, True, False]),
        constrained=None,
        held_names=("a", "b", "c", "d"),
        unrecorded=1,
        state_names=("x", "y", "z"),
        signal_names=("s", "u"),
        event_specs=specs,
        stepping=SimpleNamespace(way=SimpleNamespace(name="time-stepping")) if stepping else None,
        name="toy",
    )
    setup = SimpleNamespace(
        problem=problem, p=np.array([2.5]), method="dopri5" if adaptive else "rk4", step=0.02, rtol=3e-7,
        atol=np.array([1e-9, 1e-9, 2e-9]), record="steps",
    )  # fmt: skip
    updates = [SimpleNamespace(period=0.4), SimpleNamespace(period=0.15), SimpleNamespace(period=0.6)]
    sampler = SimpleNamespace(
        is_instant=lambda times: np.zeros(len(times), dtype=bool), held=np.arange(4.0), origin=0.05, updates=updates,
        counts=np.array([11, 17, 13]), label="law", period=0.6,
    )  # fmt: skip
    evaluated: list[Any] = []

    def signals(t: Any, x: Any, held: Any, p: Any) -> Any:
        evaluated.append(t)
        return np.stack([t * p[0] + x[:, 1], held[:, 3] - x[:, 0]], axis=1)

    watcher = SimpleNamespace(skip=0, records=[])
    kernels = SimpleNamespace(evaluate_signals=signals)
    recorder = Recorder(*cast(Any, (engine, setup, kernels, sampler, watcher, watch)), each_transition=each)
    return SimpleNamespace(recorder=recorder, engine=engine, watcher=watcher, evaluated=evaluated, sampler=sampler)


@pytest.mark.parametrize("each", [False, True])
def test_rows_are_passed_on_once(monkeypatch: pytest.MonkeyPatch, *, each: bool) -> None:
    """New rows before the present time, no sooner than a tenth of a second after the last ones; in the end all rows."""
    clock = [100.0, 50.0]
    monkeypatch.setattr(recording, "time", SimpleNamespace(monotonic=lambda: clock[0], perf_counter=lambda: clock[1]))
    parts: list[Any] = []
    made = _recorder(parts.append, each=each)
    engine, watcher = made.engine, made.watcher
    t, x, c = engine._t, engine._x, engine._c
    told = np.arange(10) if each else np.array([0, 1, 2, 4, 5, 6, 7, 8, 9])
    clock[1] = 53.0
    made.recorder.pass_on()  # the present row stays
    assert parts == [] and made.evaluated == []
    clock[0] += 0.0999
    engine.n = 5
    watcher.records += [_Named("hit"), _Named("inner")]
    made.recorder.pass_on()
    assert parts == []
    clock[0] += 0.0001 + 1e-9
    made.recorder.pass_on()
    assert parts[0].t.tolist() == [0.0, 0.1] and parts[0].status == "running" and parts[0].message == ""
    assert parts[0].events == (_Named("hit"),) and parts[0].metadata["wall_time"] == pytest.approx(3.0)
    clock[0] += 0.11
    engine.n = 8
    watcher.records.append(_Named("hit"))
    made.recorder.pass_on()
    rows = told[(told >= 2) & (told <= 6)]
    np.testing.assert_array_equal(parts[1].t, t[rows])
    np.testing.assert_array_equal(parts[1].x, x[rows])
    np.testing.assert_array_equal(parts[1].held, c[rows, :3])
    np.testing.assert_allclose(parts[1].y, np.stack([2.5 * t[rows] + x[rows, 1], c[rows, 3] - x[rows, 0]], axis=1))
    assert parts[1].events == (_Named("hit"),)
    engine.n = 10
    clock[1] = 57.5
    whole = made.recorder.whole("stopped", "by hand")
    assert engine.recorded == 1 and len(parts) == 2
    np.testing.assert_array_equal(whole.t, t[told])
    np.testing.assert_array_equal(whole.x, x[told])
    np.testing.assert_array_equal(whole.held, c[told, :3])
    np.testing.assert_allclose(whole.y, np.stack([2.5 * t[told] + x[told, 1], c[told, 3] - x[told, 0]], axis=1))
    np.testing.assert_array_equal(np.concatenate(made.evaluated), t[told])  # each once
    assert whole.events == (_Named("hit"), _Named("hit")) and (whole.status, whole.message) == ("stopped", "by hand")
    assert (whole.state_names, whole.signal_names, whole.held_names) == (("x", "y", "z"), ("s", "u"), ("a", "b", "c"))
    end = whole.final
    assert (end.t, end.x.tolist(), end.held.tolist()) == (0.7, x[9].tolist(), [0.0, 1.0, 2.0, 3.0])
    assert (end.sample_origin, end.sample_period, end.samples, end.step) == (0.05, 0.6, 13, 0.125)
    assert whole.metadata["wall_time"] == pytest.approx(7.5)


def test_rows_that_did_not_hold_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows at the start that a transition replaced are told neither in parts nor in the end."""
    clock = [1.0]
    monkeypatch.setattr(recording, "time", SimpleNamespace(monotonic=lambda: clock[0], perf_counter=lambda: 0.0))
    parts: list[Any] = []
    made = _recorder(parts.append)
    made.watcher.skip, made.engine.n = 1, 3
    made.recorder.pass_on()
    made.engine.n, clock[0] = 7, 2.0
    made.recorder.pass_on()
    assert [p.t.tolist() for p in parts] == [[0.1], [0.2, 0.2, 0.3]]
    assert made.recorder.whole("completed", "").t.tolist() == [0.1, 0.2, 0.2, 0.3, 0.35]
    silent = _recorder()
    silent.engine.n = 10
    silent.recorder.pass_on()
    assert silent.evaluated == []


def test_what_is_told_about_a_run() -> None:
    for adaptive, stepping in ((False, True), (True, False)):
        made = _recorder(adaptive=adaptive, stepping=stepping)
        made.sampler.updates = []
        made.engine.next_step = None
        run = made.recorder.whole("completed", "")
        end, told = run.final, dict(run.metadata)
        assert (end.sample_period, end.samples, end.step) == (0.0, 0, 0.0)
        accuracy = {"rtol": 3e-7, "atol": [1e-9, 1e-9, 2e-9]} if adaptive else {"step": 0.02}
        more = {"contact": "time-stepping", "contact_faults": {"fault": 5}} if stepping else {}
        assert told.pop("wall_time") >= 0.0 and told.pop("version") == da.__version__
        assert told == {
            "method": "dopri5" if adaptive else "rk4",
            "backend": "vm",
            **accuracy,
            "record": "steps",
            "controller": "law",
            "controller_period": 0.6,
            "steps": 31,
            "rejected": 7,
            "function_calls": 211,
            "machine": "toy",
            **more,
        }
    assert recording._scalar_or_list(np.array([2e-9, 2e-9])) == 2e-9
    assert recording._scalar_or_list(np.array([3e-9])) == 3e-9


def test_routines_at_the_wrong_place() -> None:
    """A routine that sets inputs is no outer stage, one that sets none no inner one."""

    class _Routine:
        name, period, memory = "routine", 0.2, np.zeros(0)

        def __init__(self, *, commands: bool) -> None:
            self.commands, self.feedback, self.shown, self.holds = commands, dict[str, str](), {"wish": 0.5}, ("wish",)

        def check_start(self, values: Any) -> None: ...

        def compose(self, view: Any) -> Any: ...

    setting, seeing = (cast(Any, _Routine(commands=c)) for c in (True, False))
    assert isinstance(setting, NativeStage)
    assert sampled.detached(setting) == (Stages((), setting, None), [])
    assert sampled.detached(Cascade(setting, [seeing])) == (Stages((seeing,), setting, None), [])
    with pytest.raises(InputError, match="'routine' sets no inputs"):
        sampled.detached(seeing)
    with pytest.raises(InputError, match="'routine' sets the inputs, so that it is an inner law"):
        sampled.detached(Cascade(setting, [setting]))


# -- laws and routines ------------------------------------------------------------------------------------------------


def test_controls_as_they_are_given(carts: Any) -> None:
    """Numbers become constant inputs; what cannot control is refused by what it is."""
    assert taken_apart(carts, None) == (Stages((), None, None), [])
    for given in ([3.0, -4.0], np.array([3.0, -4.0]), (3, -4)):
        stages, (constant,) = taken_apart(carts, given)
        assert stages.sampled == PythonStage("constant input", 1e9, None, (), 0) and stages.law is None
        assert constant(0.3, None, None).tolist() == [3.0, -4.0]
    own = SampledController(lambda t, q, v: [t, 2.0], 0.125)
    stages, functions = taken_apart(carts, own)
    assert stages.sampled == PythonStage("controller", 0.125, None, (), 0) and functions == [own]
    assert own(0.5, np.zeros(2), np.zeros(2)) == [0.5, 2.0]
    law = _Lag()
    assert taken_apart(carts, law) == (Stages((), None, law), [])
    for wrong, words in (
        (lambda t, q, v: 0.0, "a Python controller needs a 'period'"),
        (_Lag, "control is the class _Lag, expected an object of it"),
        ("text", "control must be a law, a controller with a period, or 2 numbers, got 'text'"),
        ([1.0], r"constant inputs must be 2 finite numbers \(F, G\), got \[1.0\]"),
        ([1.0, np.inf], "constant inputs must be 2 finite numbers"),
        ([[1.0, 2.0]], "constant inputs must be 2 finite numbers"),
    ):
        with pytest.raises(InputError, match=words):
            taken_apart(carts, wrong)
    with pytest.raises(InputError, match="needs a function"):
        SampledController(cast(Any, 3.0), 0.1)
    still: Any = SimpleNamespace(nu=0, machine=SimpleNamespace(name="still"))
    with pytest.raises(InputError, match="machine 'still' has no motors or thrusters"):
        taken_apart(still, [])


def test_terms_of_a_continuous_law(carts: Any) -> None:
    """Its inputs and the rates of its states, of the state or of what is seen in its place."""
    s, rng = carts.symbolic, np.random.default_rng(7)
    law = _Lag()
    for factors in ((1.0, 1.0), (2.0, 3.0)):
        q, v = (s.q, s.v) if factors == (1.0, 1.0) else (2.0 * s.q, 3.0 * s.v)
        known: Any = SimpleNamespace(eom=carts, q=q, v=v, bind=lambda both, label, symbols: both)
        states = InternalStates()
        u = law_terms(known, Stages((), None, law), states)
        assert states.names == ("lag.a", "lag.b", "lag.c") and states.initial.tolist() == [0.5, -0.25, 1.5]
        f = ca.Function("f", [s.t, s.q, s.v, states.symbols], [u, states.rates])
        x, z, t = rng.normal(size=4), rng.normal(size=3), float(rng.normal())
        got, rates = (np.array(y).ravel() for y in f(t, x[:2], x[2:], z))
        a, b = factors[0] * x[:2], factors[1] * x[2:]
        np.testing.assert_allclose(got, [a[0] * z[0], b[1] - z[2]], rtol=1e-12)
        np.testing.assert_allclose(rates, [a[1] - z[0], z[0] * z[1], b[0] + t], rtol=1e-12)
    none = InternalStates()
    assert ca.DM(law_terms(known, Stages((), None, None), none)).full().tolist() == [[0.0], [0.0]] and len(none) == 0
    assert law_terms(known, Stages((), Sampled(cast(Any, law), 0.1), None), none) is s.u


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"u": ca.SX(3, 1)}, r"must return 2 inputs \(F, G\), got 3"),
        ({"u": ca.SX(1, 2)}, r"must return 2 inputs \(F, G\), got 1"),
        ({"rates": ca.SX(2, 1)}, "has 3 states but returned 2 rates"),
        ({"u": ca.vertcat(ca.SX.sym("y"), np.nan)}, "returns nan; it computes on CasADi symbols"),
        ({"rates": ca.SX([1.0, np.inf, 2.0])}, "returns inf; it computes"),
        ({"outputs": (ca.SX(2, 1), ca.SX(3, 1), ca.SX(1, 1))}, "two results"),
        ({"outputs": ca.SX(2, 1)}, "two results"),
        ({"outputs": ("a", "b")}, "fails on CasADi symbols"),
        ({"names": "lag"}, "state_names of the law _Law must return names, got 'lag'"),
        ({"names": (1, 2, 3)}, "must return names"),
        ({"names": 3}, "must return names, got 3"),
        ({"initial": [1.0, 2.0]}, "initial_state of the law _Law must return 3 finite numbers"),
        ({"initial": [1.0, 2.0, np.nan]}, "must return 3 finite numbers"),
        ({"initial": "abc"}, "must return 3 finite numbers, got 'abc'"),
    ],
)
def test_laws_that_do_not_fit(carts: Any, changed: Any, words: str) -> None:
    class _Law:
        def state_names(self, eom: Any) -> Any:
            return changed.get("names", ("a", "b", "c"))

        def initial_state(self, eom: Any) -> Any:
            return changed.get("initial", [1.0, 2.0, 3.0])

        def expression(self, *args: Any) -> Any:
            return changed.get("outputs", (changed.get("u", ca.SX(2, 1)), changed.get("rates", ca.SX(3, 1))))

    s = carts.symbolic
    known: Any = SimpleNamespace(eom=carts, q=s.q, v=s.v, bind=lambda both, label, symbols: both)
    with pytest.raises(InputError, match=words):
        law_terms(known, Stages((), None, _Law()), InternalStates())


def test_a_single_state_needs_a_number(carts: Any) -> None:
    law: Any = SimpleNamespace(initial_state=lambda eom: "abc")
    with pytest.raises(InputError, match="must return 1 finite numbers, got 'abc'"):
        laws._initial(carts, law, 1, "law")


def test_routines_as_updates(carts: Any) -> None:
    """Inputs, shown values and memory, in this order; where the memory begins; what the routine may ask of the loop."""
    slots, s = Slots(), carts.symbolic
    slots.add("before")
    for name, symbol in zip(("command.F", "command.G"), ca.vertsplit(s.u), strict=True):
        slots.add(name, symbol=symbol)
    views: list[Any] = []
    stage: Any = SimpleNamespace(
        name="see it", period=0.3, commands=True, shown={"y": 0.5, "z": -0.25}, memory=np.array([1.5, 2.5, 3.5])
    )
    tape = ca.Function("own", [ca.SX.sym("x")], [ca.SX(1)])

    def compose(view: Any) -> Any:
        views.append(view)
        reads = ca.vertcat(s.q[0] * s.v[1], 2.0 * s.t)
        return SimpleNamespace(reads=reads, tapes={"OWN_TAPE": tape}, text="int x;")

    stage.compose = compose
    routines.native_slots(stage, slots)
    assert slots.names == ("before", "command.F", "command.G", "y", "z", "see it~0", "see it~1", "see it~2")
    assert slots.unrecorded == 3 and slots.initial.tolist() == [0.0, 0.0, 0.0, 0.5, -0.25, 1.5, 2.5, 3.5]
    encoder = da.Sensor("encoder", ["x"], 0.1)
    calls: list[Any] = []
    known: Any = SimpleNamespace(
        eom=carts,
        slots=slots,
        text=lambda text, owner, seen: ("text", text, owner, seen),
        bind=lambda expression, owner: ("bind", expression, owner),
    )

    def expressions(law: Any, z: Any, label: str) -> Any:
        calls.append((law, z.shape, label))
        return law.u, ca.SX(0, 1)

    arguments = (s.t, ca.vertcat(s.q, s.v), slots.symbols, s.p)
    for commands, memory, rows, place in (
        (True, 3, (1, 2, 3, 4, 5, 6, 7), 5),
        (False, 3, (3, 4, 5, 6, 7), 5),
        (True, 0, (1, 2, 3, 4), 0),
    ):
        stage.commands, stage.memory = commands, stage.memory[:memory]
        update = routines.routine_update(known, stage, (), [encoder], expressions, arguments)
        assert (update.name, update.period, update.rows) == ("see it", 0.3, rows)
        routine: Any = update.function
        assert routine.name == "stage_see_it" and routine.text == f"#define MEMORY_AT {place}\nint x;"
        assert routine.n_out == len(rows) and routine.inputs == (1, 4, 8, s.p.numel(), 0)
        assert set(routine.tapes) == {"READ_TAPE", "OWN_TAPE"} and routine.tapes["OWN_TAPE"] is tape
        out = routine.tapes["READ_TAPE"](0.75, [2.0, 3.0, 5.0, 7.0], np.zeros(8), np.zeros(s.p.numel()), [])
        assert np.array(out).ravel().tolist() == [14.0, 1.5]
    view = views[0]
    assert view.inputs == ("F", "G") and view.time is s.t
    assert view.quantity("a + b", "o") == ("text", "a + b", "o", True) and view.bound("e", "o") == ("bind", "e", "o")
    assert ca.is_equal(view.command("G"), s.u[1]) and ca.is_equal(view.reading("z"), slots.by_name["z"])
    with pytest.raises(InputError, match="'H' has a continuous one"):
        view.command("H")
    law: Any = SimpleNamespace(state_names=lambda eom: (), u=ca.SX(2, 1))
    assert view.law(law, "the law").shape == (2, 1) and calls == [(law, (0, 1), "the law")]
    law.u = ca.SX(3, 1)
    with pytest.raises(InputError, match=r"the law must return 2 inputs \(F, G\), got 3"):
        view.law(law, "the law")
    law.state_names = lambda eom: ("a", "b")
    with pytest.raises(InputError, match="the law has the states a, b"):
        view.law(law, "the law")
    assert view.sensor("encoder", "o") == (encoder, ("x",))
    with pytest.raises(da.DalembertError, match="eye"):
        view.sensor("eye", "o")


def test_starts_that_routines_check() -> None:
    """Each routine of a control sees the start, in a cascade or alone; other stages do not."""
    seen: list[Any] = []

    class _Routine:
        name, period, memory = "routine", 0.2, np.zeros(0)
        commands, holds = True, ("wish",)
        feedback, shown = MappingProxyType[str, str]({}), MappingProxyType[str, float]({})

        def check_start(self, values: Any) -> None:
            seen.append((self, values))

        def compose(self, view: Any) -> Any: ...

    one, two = cast(Any, _Routine()), cast(Any, _Routine())
    start = {"x": 0.5}
    routines.check_native_start(one, start)
    routines.check_native_start(Cascade(one, [two, cast(Any, _Guide())]), start)
    routines.check_native_start(_Lag(), start)
    assert seen == [(one, start), (one, start), (two, start)]


# -- implicit steps ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", ["newton-euler", "lagrange"])
def test_rates_in_the_middle_of_a_step(monkeypatch: pytest.MonkeyPatch, formulation: str) -> None:
    """``(M + W) a' = f(q_m, v_m) + W a``, in numpy, with springs, constant dampers and numerical damping in ``W``."""
    bodies = [da.Body(n, m, com=(0.1, 0.0, -m / 5.0), inertia=(0.2, 0.3, 0.25)) for n, m in (("a", 1.5), ("b", 2.5))]
    joints = [
        da.Joint("x", "revolute", "world", "a", axis="y", stiffness=40.0),
        da.Joint("y", "revolute", "a", "b", axis="y", origin=(0.1, 0.0, -0.7), stiffness=25.0),
    ]
    eom = da.equations(da.Machine("arm", bodies, joints), by=formulation, backend="vm")
    s = eom.symbolic
    extra = np.array([0.3, 0.7])
    monkeypatch.setattr(implicit, "_numerical_damping", lambda eom, K, h, beta: ca.DM(extra) * h * beta)
    z, work, c = ca.SX.sym("z", 2), ca.SX.sym("work", 2), ca.SX.sym("c", 1)
    arguments = [s.t, ca.vertcat(s.q, s.v, z, work), c, s.p]
    damper = np.array([[2.0, 0.4], [0.4, 3.0]])
    forces = ca.vertcat(3.0 * ca.sin(s.t) + c[0], s.q[0] * 2.0)
    losses = -ca.DM(damper) @ s.v
    zdot = ca.vertcat(s.v[0] * z[1], s.t)
    rng = np.random.default_rng(8)
    x, y, t, held = rng.normal(size=8), rng.normal(size=8), 0.9, rng.normal(size=1)
    p, (h, beta) = np.array(eom.parameter_values(), dtype=float).ravel(), (0.08, 0.6)
    half = x + h / 2 * y
    v = half[2:4]
    q, zm, tm = x[:2] + h / 2 * v, half[4:6], t + h / 2
    more = extra * h * beta
    W = h**2 / 4 * np.diag([40.0, 25.0]) + h / 2 * (damper + np.diag(more))
    applied = np.array([3.0 * np.sin(tm) + held[0], 2.0 * q[0]])
    lost = -damper @ v
    free = ca.Function("a", [s.q, s.v, s.tau, s.t, s.p], [s.forward_dynamics])
    M = eom.mass_matrix(q)
    force = M @ np.array(free(q, v, applied + lost - more * v, tm, p)).ravel()
    own = (
        np.diag(np.diag(W)) if formulation == "newton-euler" else W
    )  # its elimination leaves out entries between joints
    expected = np.concatenate(
        [v, np.linalg.solve(M + own, force + W @ y[2:4]), [v[0] * zm[1], tm], [v @ applied, v @ (lost - more * v)]]
    )
    for account in (None, 5):
        tape = implicit.midpoint_tape(eom, arguments, forces, losses, zdot, account)
        got = np.array(tape(t, x, held, p, y, [h, beta])).ravel()
        if account is not None:
            expected[account] = v @ (more * v)
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-11)
    middle, matrix, further, power = (
        np.array(r) for r in implicit.middle_tape(eom, arguments, losses)(t, x, held, p, y, [h, beta])
    )
    np.testing.assert_allclose(middle.ravel(), np.concatenate([q, half[2:]]), rtol=1e-12)
    np.testing.assert_allclose(matrix.reshape(2, 2), W, rtol=1e-12)
    np.testing.assert_allclose(further.ravel(), W @ y[2:4] - more * v, rtol=1e-12)
    assert power.item() == pytest.approx(v @ (more * v))


def test_numerical_damping_of_modes() -> None:
    """Damping ratio ``beta x^2 / (1 + x^2)`` with ``x = h w / 2``, on modes that the machine has, at roots alone."""
    rng = np.random.default_rng(10)
    stiff = rng.uniform(50.0, 900.0, 6)
    K = np.diag(stiff) + np.diag([1.0] * 5, 1)
    K[3, 3] = -4.0

    def node(masses: Any, names: Any, *, root: bool = True) -> Any:
        modal = np.diag(masses) + 0.01
        np.fill_diagonal(modal, masses)
        elastic = SimpleNamespace(undeformed=lambda: SimpleNamespace(modal=modal), v_names=names)
        return SimpleNamespace(is_root=root, elastic=elastic)

    nodes = [
        node([0.5, 0.0, 1.5], ("d", "b", "f")),
        node([2.5, 3.5], ("gone", "c")),
        node([4.5], ("a",), root=False),
        SimpleNamespace(is_root=True, elastic=None),
        SimpleNamespace(is_root=False, elastic=None),
    ]
    machine = SimpleNamespace(tree=SimpleNamespace(nodes=nodes))
    eom: Any = SimpleNamespace(nv=6, v_names=("a", "b", "c", "d", "e", "f"), machine=machine)
    h, beta = 0.07, 0.35
    got = np.array(ca.DM(ca.densify(implicit._numerical_damping(eom, ca.SX(K), ca.SX(h), ca.SX(beta))))).ravel()
    expected = np.zeros(6)
    for i, mass in ((2, 3.5), (5, 1.5)):
        w = np.sqrt(stiff[i] / mass)
        x = h * w / 2
        expected[i] = 2.0 * mass * w * beta * x**2 / (1.0 + x**2)  # D = 2 zeta w m
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_entries_that_do_not_move() -> None:
    """Of a matrix: those that do not depend on the state, made symmetric."""
    q, v, h = ca.SX.sym("q", 2), ca.SX.sym("v", 2), ca.SX.sym("h")
    A = ca.vertcat(ca.horzcat(3.0 + h, q[1] + 2.0), ca.horzcat(5.0, v[0] * 7.0))
    got = ca.Function("f", [h], [implicit._unmoved(A, q, v)])(0.5)
    assert np.array(ca.DM(got).full()).tolist() == [[3.5, 2.5], [2.5, 0.0]]
