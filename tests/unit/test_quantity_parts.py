"""Quantities of loops at random values: readings of sensors, events of limits and ropes, tables of pairs, stresses."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.support.all_rows import machine_of_all_rows

import dalembert as da
from dalembert.core.constraint_algebra import minimum_norm
from dalembert.engine.problem.pairs import TransitionEntry, UnilateralLaw
from dalembert.engine.problem.stepping import BlockLaw
from dalembert.loop import stresses
from dalembert.loop.closed_loop import close_loop
from dalembert.loop.constraints import rope_events, rope_signals, sheave_signals, switch_events, tension_specs
from dalembert.loop.derivatives import _impact_map
from dalembert.loop.stepping import tapes
from dalembert.loop.stepping.blocks import HeldRows, rows_held, rows_of, section_of, tug_rows
from dalembert.loop.stepping.rows import coupled_groups, row_entries, scaled_entries
from dalembert.loop.switches import CUT, Switch


def _values(problem: Any, x: Any, t: float = 0.0, p: Any = ()) -> Any:
    return np.array(problem.events(t, x, np.zeros(len(problem.held_names)), p)).ravel()


# -- sensors ----------------------------------------------------------------------------------------------------------


def _craft(*sensors: da.Sensor) -> tuple[da.EquationsOfMotion, Any]:
    machine = da.Machine(
        "craft",
        [da.box("hub", 12.0, (0.6, 0.4, 0.2)), da.box("link", 1.0, (0.2, 0.1, 0.1))],
        [da.Joint("hub", "free", "world", "hub"), da.Joint("turn", "revolute", "hub", "link", axis="z")],
        motors=[da.Motor("u", "turn")], sensors=sensors, gravity=(0, 0, 0),
    )  # fmt: skip
    eom = da.equations(machine, backend="vm")
    return eom, close_loop(eom, None)


@pytest.mark.parametrize("delay", [0.0, 0.1, 0.25, 0.3])
def test_readings_come_later(delay: float) -> None:
    """A reading is used ``delay`` seconds after it was taken; before, that of the start."""
    sensor = da.Sensor("encoder", ["turn", "turn_dot"], 0.1, delay=delay, feedback=False, bias=(0.5, -0.25))
    _, loop = _craft(sensor)
    updates, problem = loop.controller.updates, loop.problem
    place = {name: k for k, name in enumerate(problem.state_names)}
    rows = [problem.held_names.index(f"encoder.{name}") for name in ("turn", "turn_dot")]
    c = loop.controller.initial.copy()

    def state(t: float) -> Any:
        x = np.zeros(problem.n_states)
        x[place["turn"]], x[place["turn_dot"]] = 1.0 + 2.0 * t, 3.0 - t
        return x

    assert [u.offset for u in updates] == pytest.approx([0.0, 0.05] if delay == 0.25 else [0.0])
    instants = sorted((k * 0.1 + u.offset, i) for i, u in enumerate(updates) for k in range(8))
    for t, i in instants:
        u = updates[i]
        c[list(u.rows)] = np.array(u.function(t, state(t), c, [], np.zeros(u.noise))).ravel()
        taken = max(0.0, 0.1 * np.floor((t - delay) / 0.1 + 1e-6))
        assert c[rows] == pytest.approx([1.5 + 2.0 * taken, 2.75 - taken], abs=1e-9)


def test_readings_are_disturbed_and_rounded() -> None:
    """``round((x + bias + noise w) / quantum) quantum`` of numbers, and turns about the own axes of an attitude."""
    noise, bias, quantum = (0.1, 0.2, 0.3, 0.4), (0.01, -0.02, 0.03, 0.05), (0.0, 0.0, 0.0, 0.25)
    sensor = da.Sensor(
        "tracker", ["hub.attitude", "turn"], 0.1, noise=noise, bias=bias, quantum=quantum, feedback=False
    )
    _, loop = _craft(sensor)
    (update,), problem = loop.controller.updates, loop.problem
    assert update.noise == 4
    rng = np.random.default_rng(1)
    x, w = np.zeros(problem.n_states), rng.normal(size=4)
    Q = Rotation.from_rotvec([0.3, -0.5, 0.7])
    k = problem.state_names.index("hub.qw")
    x[k : k + 4] = np.roll(Q.as_quat(), 1)
    x[problem.state_names.index("turn")] = 1.3
    c = loop.controller.initial.copy()
    assert c[problem.held_names.index("tracker.hub.qw")] == 1.0
    c[list(update.rows)] = np.array(update.function(0.0, x, c, [], w)).ravel()
    turned = Q * Rotation.from_rotvec(np.array(bias[:3]) + np.array(noise[:3]) * w[:3])
    expected = np.roll(turned.as_quat(), 1)
    found = np.array([c[problem.held_names.index(f"tracker.hub.{n}")] for n in ("qw", "qx", "qy", "qz")])
    np.testing.assert_allclose(found * np.sign(found @ expected), expected, atol=1e-12)
    reading = np.floor((1.3 + 0.05 + 0.4 * w[3]) / 0.25 + 0.5) * 0.25
    assert c[problem.held_names.index("tracker.turn")] == pytest.approx(reading)


# -- events -----------------------------------------------------------------------------------------------------------


def test_events_of_limits() -> None:
    """Distance from each end that is finite, the speed, and those of the user, in this order."""
    joints = [
        da.Joint("a", "revolute", "world", "m", axis="y", limits=da.Limits(-0.5, 1.5, velocity=2.0)),
        da.Joint("b", "prismatic", "m", "n", axis="x", limits=da.Limits(lower=-1.0)),
    ]
    machine = da.Machine("limited", [da.box("m", 1.0, (1, 1, 1)), da.box("n", 1.0, (1, 1, 1))], joints)
    eom = da.equations(machine, backend="vm")
    own = [da.Event("sum", "a + 2 * b_dot", direction=1), da.Event("late", lambda t, q, v: t - 3.0, terminal=True)]
    for limits, terminal in (("record", False), ("stop", True)):
        problem = close_loop(eom, None, events=own, limits=limits).problem
        specs = {spec.name: spec for spec in problem.event_specs}
        assert list(specs) == ["a.upper", "a.lower", "a.velocity", "b.lower", "sum", "late"]
        assert [spec.terminal for spec in specs.values()] == [terminal] * 4 + [False, True]
        assert [spec.direction for spec in specs.values()] == [-1] * 4 + [1, 0]
        x = np.zeros(problem.n_states)
        x[:4] = 0.7, 0.2, 0.9, -0.4
        a, b, v, w = x[:4]
        expected = [1.5 - a, a + 0.5, 1.0 - (v / 2.0) ** 2, b + 1.0, a + 2.0 * w, 0.25 - 3.0]
        np.testing.assert_allclose(_values(problem, x, 0.25), expected, atol=1e-14)
    problem = close_loop(eom, None, events=own, limits="ignore").problem
    assert [spec.name for spec in problem.event_specs] == ["sum", "late"]


def test_events_and_signals_of_an_elastic_rope() -> None:
    """Its pull, with damping where it shortens; its length, tension, and switches at given times."""
    EA, D, l = 500.0, 40.0, 1.0
    machine = da.Machine(
        "hung", [da.point_mass("m", 2.0)], [da.Joint("z", "prismatic", "world", "m", axis="-z")],
        ropes=[da.Rope("r", [da.Anchor("world"), da.Anchor("m")], stiffness=EA, damping=D, length=l)],
    )  # fmt: skip
    eom = da.equations(machine, backend="vm")
    s = eom.symbolic
    g, specs = rope_events(eom)
    signals = dict(rope_signals(eom))
    assert [(spec.name, spec.direction, spec.jumps) for spec in specs] == [("r.slack", -1, True), ("r.taut", 1, True)]
    f = ca.Function("f", [s.q, s.v], [ca.vertcat(*g), signals["length.r"], signals["tension.r[0]"]])
    for z, v in ((1.2, 0.3), (1.2, -3.0), (0.9, 0.1), (0.9, -0.1)):
        events, length, tension = (np.array(y).ravel() for y in f(z, v))
        pull = min(z - l, z - l + D / EA * v)
        assert events == pytest.approx([pull, pull]) and length[0] == pytest.approx(z)
        whole = EA * (z / l - 1.0) + D * v / l
        assert tension[0] == pytest.approx(max(whole, 0.0) if z > l else 0.0)
    assert rope_events(eom, but=frozenset({"r"})) == ([], [])
    times, switches = switch_events(eom, [Switch(on="a", at=0.5), Switch(on="b", event="e"), Switch(off="a", at=2.0)])
    assert [float(ca.substitute(y, s.t, 0.75)) for y in times] == [0.25, -1.25]
    assert [spec.name for spec in switches] == ["switch0", "switch1"]


# -- tables -----------------------------------------------------------------------------------------------------------


@cache
def _everything() -> tuple[da.EquationsOfMotion, Any]:
    eom = da.equations(machine_of_all_rows(), backend="vm")
    return eom, close_loop(eom, None)


def test_events_of_unilateral_rows() -> None:
    """First those that let go, then those that take hold, then friction: slips, sticks and jams."""
    eom, _ = _everything()
    names = [spec.name for spec in tension_specs(eom)]
    rubs = ["r.G", "floor"]
    assert names == [
        "c.slack", "r.slack", "floor.release", "smooth.release", "c.taut", "r.taut", "floor.impact", "smooth.impact",
        *(f"{n}.slip" for n in (*rubs, "x")), *(f"{n}.stick" for n in (*rubs, "x")), *(f"{n}.jam" for n in rubs),
    ]  # fmt: skip
    assert all(spec.direction == -1 and spec.positive for spec in tension_specs(eom))
    system = eom.constraint_system
    latches = system.latch_table.measured(system.latch_nominal, eom.q_neutral + 0.1, 0.0, eom.parameter_values(None))
    (name, slip), s = sheave_signals(eom)[0], eom.symbolic
    v = np.arange(1.0, eom.nv + 1.0)
    f = ca.Function("slip", [s.q, s.v, s.t, s.p, system.latches], [slip])
    row = system.row_names.index("r.G.friction")
    rate = eom.constraint_velocity(eom.q_neutral + 0.1, v, latches=latches)[row]
    assert name == "slip.r.G" and float(f(eom.q_neutral + 0.1, v, 0.0, [], latches)) == pytest.approx(-rate)


def test_tables_of_pairs() -> None:
    """Law, rows, latches, restitution and friction of cables, ropes, contacts and joints that stick, by name."""
    eom, loop = _everything()
    switching, problem = loop.switching, loop.problem
    table, rows = switching.pair_table(), list(eom.constraint_system.row_names)
    names, x_names = [*switching.pairs.names, "x"], list(problem.state_names)
    found = {name: (law, [rows[k] for k in own]) for name, law, own in zip(names, table.laws, table.rows, strict=True)}
    assert found == {
        "c": (UnilateralLaw.CONE, ["c"]),
        "r": (UnilateralLaw.ROPE, ["r.G.friction", "r"]),
        "floor": (UnilateralLaw.CONE, ["floor", "floor.friction[0]", "floor.friction[1]"]),
        "smooth": (UnilateralLaw.CONE, ["smooth"]),
        "x": (UnilateralLaw.LIMIT, ["x.friction"]),
    }
    flags = {name: x_names[k] if k >= 0 else "" for name, k in zip(names, table.flags, strict=True)}
    assert flags == {"c": "active.c", "r": "active.r", "floor": "active.floor", "smooth": "active.smooth", "x": ""}
    contact = dict(zip(names, table.is_contact.tolist(), strict=True))
    assert contact == {"c": False, "r": False, "floor": True, "smooth": True, "x": False}
    e = dict(zip(names, table.restitution.tolist(), strict=True))
    mu = dict(zip(names, table.friction_coefficient.tolist(), strict=True))
    assert e["floor"] == 0.4 and not any(e[n] for n in ("c", "r", "smooth", "x"))
    assert mu["floor"] == 0.3 and mu["smooth"] == 0.0 and table.rubs.tolist() == [0, 1, 1, 0, 1]
    entries = [[x_names[k] if k >= 0 else "" for k in entry] for entry in table.friction.tolist()]
    assert entries[0] == ["stick.r.G", "toward.r.G", "", "share.r", "share.r.G", "", "leeway.r.G"]
    assert entries[1] == ["stick.floor", "toward.floor[0]", "toward.floor[1]", "share.floor[0]", "share.floor[1]",
                          "share.floor[2]", "leeway.floor"]  # fmt: skip
    assert entries[2] == ["stick.x", "toward.x", "", "", "share.x", "", "leeway.x"] and len(entries) == 3


def test_blocks_of_many_contacts_are_those_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are evaluated one by one from the factors of the step, against the tape of all."""
    eom, _ = _everything()
    rng = np.random.default_rng(3)
    few = close_loop(eom, None, contact=da.TimeStepping()).problem
    monkeypatch.setattr(tapes, "_TOGETHER", 0)
    again = da.equations(eom.machine.with_(name="again"), backend="vm")
    many = close_loop(again, None, contact=da.TimeStepping()).problem
    assert few.stepping is not None and many.stepping is not None and many.stepping.pairs is not None
    x, t, p, h = np.zeros(few.n_states), 0.3, np.zeros(0), 0.01
    x[: eom.nq] = eom.random_configuration(rng, 0.3)
    for name in ("x1", "x2", "b.z"):
        x[eom.q_names.index(name)] += 1.0
    x[eom.nq : eom.nq + eom.nv] = rng.normal(size=eom.nv)
    for name, value in zip(eom.constraint_system.latch_names, eom.constraint_system.latch_nominal, strict=True):
        if name in few.state_names:
            x[few.state_names.index(name)] = value
    one, other = (
        dict(zip(s.terms.name_out(), (np.array(y).ravel() for y in s.terms(t, x, np.zeros(0), p, h)), strict=True))
        for s in (few.stepping, many.stepping)
    )
    for name in ("L", "d", "s0", "g", "e", "mu", "b", "Q"):
        np.testing.assert_allclose(other[name], one[name], atol=1e-13)
    values = np.concatenate([[t], x, p, one["L"], one["d"]])
    rows = [pair.function(values[list(pair.gather)]) for pair in many.stepping.pairs]
    np.testing.assert_allclose(np.concatenate([np.array(r[0]).ravel() for r in rows]), one["Y"], atol=1e-13)
    u0 = np.concatenate([np.array(r[1]).ravel() for r in rows])
    np.testing.assert_allclose(u0, one["u0"], atol=1e-13)
    starts = few.stepping.tables["row_start"]
    assert many.stepping.supports == few.stepping.supports and len(many.stepping.pairs) == 5
    for a in range(2):  # contacts are not faster than their bound, of others it is their speed
        speed = np.linalg.norm(u0[starts[a] : starts[a + 1]])
        assert other["pace"][a] >= speed * (1.0 - 1e-12)
    np.testing.assert_allclose(other["pace"][2:], np.abs(u0[starts[2] :]))


def test_rows_of_steps() -> None:
    eom, _ = _everything()
    pulling, held = rows_of(eom)
    assert [r.name for r in pulling] == ["c", "r"] and [r.name for r in held] == ["rod", "drive"]
    assert section_of(eom, pulling[1]).name == "r" and rows_held(eom).m == 2
    assert tug_rows(eom, [None, None]) == ((), ())  # type: ignore[list-item]
    ball = da.Machine("ball", [da.point_mass("m", 1.0)], [da.Joint("z", "prismatic", "world", "m", axis="z")])
    free = da.equations(ball, backend="vm")
    assert rows_of(free) == ([], []) and isinstance(rows_held(free), HeldRows) and rows_held(free).m == 0
    sets = [frozenset(x) for x in ({0, 1}, {2}, {3, 4}, {1, 3}, {5})]
    assert sorted(map(sorted, coupled_groups(sets))) == [[0, 1, 3, 4], [2], [5]]
    row = ca.SX(1, 3)
    row[0, 1] = 4.0
    entries = row_entries(row)
    assert entries[0] is None and entries[2] is None and float(entries[1]) == 4.0
    scaled = scaled_entries(entries, [2.0, 3.0, 5.0])
    assert scaled[0] is None and float(scaled[1]) == 12.0
    law, given = BlockLaw, [(BlockLaw.UNILATERAL, 1), (BlockLaw.COULOMB, 3), (BlockLaw.STICTION, 1), (BlockLaw.ROPE, 4)]
    assert [kind.given(n) for kind, n in given] == [1, 1, 2, 3] and law.RESISTED.given(6) == 3
    assert [kind.numbers(n) for kind, n in given] == [2, 16, 2, 11] and law.RESISTED.numbers(6) == 37


# -- stresses ---------------------------------------------------------------------------------------------------------


def test_the_largest_stress_of_many_instants(monkeypatch: pytest.MonkeyPatch) -> None:
    """Von Mises' stress of six components, point by point, in blocks of any size."""
    rng = np.random.default_rng(4)
    modes, delta = rng.normal(size=(7, 6, 3)), rng.normal(size=(11, 3))
    expected = np.zeros((11, 2))
    for t, d in enumerate(delta):
        sizes = []
        for point in modes:
            xx, yy, zz, xy, yz, zx = point @ d
            direct = 0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2)
            sizes.append(np.sqrt(direct + 3.0 * (xy**2 + yz**2 + zx**2)))
        expected[t] = max(sizes), int(np.argmax(sizes))
    for block in (1, 6 * 7 * 4, 10**6):
        monkeypatch.setattr(stresses, "_BLOCK", block)
        np.testing.assert_allclose(stresses._largest(modes, delta), expected, rtol=1e-12)


# -- impacts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bounces", [1.0, 0.0])
def test_the_map_of_an_impact(bounces: float) -> None:
    """``J v+ + Phi_t = -e (J v + Phi_t)`` of rows that act, the least change of velocities, and what it took."""
    eom, loop = _everything()
    problem, system = loop.problem, loop.problem.constrained
    rng = np.random.default_rng(5)
    x = np.zeros(problem.n_states)
    x[: eom.nq] = eom.random_configuration(rng, 0.3)
    for name in ("x1", "x2", "b.z"):
        x[eom.q_names.index(name)] += 1.0
    state = slice(eom.nq, eom.nq + eom.nv)
    x[state] = rng.normal(size=eom.nv)
    for name, value in zip(eom.constraint_system.latch_names, eom.constraint_system.latch_nominal, strict=True):
        x[problem.state_names.index(name)] = value
    rows = list(system.row_names)
    acts = np.array([float(name in ("rod", "drive", "floor", "smooth")) for name in rows])
    kernel = _impact_map(loop.switching.eom, problem)
    p, none = np.zeros(0), np.zeros((1, 0))
    along = (np.zeros(1), np.zeros((1, len(x))), none, none)
    after, _ = kernel(0.4, x, p, p, acts, np.array([bounces]), along=along)
    terms = dict(zip(system.tape.name_out(), (np.array(y) for y in system.tape(0.4, x, p, p)), strict=True))
    on = acts > 0.5
    J, rate = terms["Jt"].T[on], terms["phidot"][on, 0]
    e = np.array([0.4 if name == "floor" else 0.0 for name in rows])[on] * bounces
    exact = minimum_norm(terms["M"], np.zeros(eom.nv), J, -(1.0 + e) * rate)
    np.testing.assert_allclose(after[state] - x[state], exact.acceleration, atol=1e-10)
    moved = rate + J @ exact.acceleration
    np.testing.assert_allclose(moved, -e * rate, atol=1e-10)
    np.testing.assert_array_equal(after[: eom.nq], x[: eom.nq])
    v, w, M = x[state], after[state], terms["M"]
    gained = 0.5 * w @ M @ w - 0.5 * v @ M @ v
    work = after[system.work_input] + after[system.work_loss] - x[system.work_input] - x[system.work_loss]
    assert work == pytest.approx(gained, rel=1e-9)  # the energies close
    driven = exact.multipliers @ -terms["phi_t"][on, 0]
    assert abs(after[system.work_input]) == pytest.approx(abs(driven), rel=1e-9) and abs(driven) > 1e-6
    mean = 0.5 * (rate + moved)
    for name in ("floor", "smooth"):
        k = [n for n, a in zip(rows, on, strict=True) if a].index(name)
        taken = after[problem.state_names.index(f"loss.{name}")]
        assert taken == pytest.approx(exact.multipliers[k] * mean[k], rel=1e-9)


# -- transitions ------------------------------------------------------------------------------------------------------


def test_transitions_are_described_by_names() -> None:
    """Impulses of rows, of ropes those of their spans; what is 1e-12 of the largest is none; what was lowered."""
    _, loop = _everything()
    switching = loop.switching.for_run(np.zeros(0), None)
    rows = list(loop.problem.constrained.row_names)
    impulses = np.zeros(len(rows))
    for name, value in (
        ("floor", 5.0),
        ("floor.friction[1]", -0.5),
        ("rod", 1e-13),
        ("r", 3.0),
        ("r.G.friction", -1.0),
    ):
        impulses[rows.index(name)] = value
    entry = TransitionEntry(0.5, ("floor.impact",), impulses, 2.5, 1.0, 0, 4.0)
    found = switching.described(entry)
    expected = {"floor": 5.0, "floor.friction[1]": -0.5, "r[0]": 2.0, "r[1]": 3.0}
    assert found == {"energy_lost": 2.5, "impulse": expected}
    with pytest.warns(da.DalembertWarning, match=r"lowered to 0\.25 of its value"):
        found = switching.described(TransitionEntry(0.5, ("floor.impact",), impulses, 2.5, 0.25, 3, 4.0))
    assert found["painleve"] == 3 and found["restitution_factor"] == 0.25
    switching.noted(entry)
    (logged,) = switching.log
    assert logged["t"] == 0.5 and logged["impulse"] == expected


def test_pairs_without_forces_are_named() -> None:
    """What is missing where, and what to do about it."""
    _, loop = _everything()
    switching = loop.switching.for_run(np.zeros(0), None)
    for pair, lacks, text in (
        (0, 0, "no impulses keep cable 'c' .* from getting longer at t = 0.5 s: the prescribed motion 'drive'"),
        (1, 2, "no tension lets rope 'r' .* slip on sheave 'r.G'"),
        (1, 1, "no forces obey the law of friction at rope 'r'"),
        (2, 1, "no forces keep contact 'floor' .* from closing"),
        (4, 1, "no forces obey the law of friction at joint 'x'"),
    ):
        assert re.search(text, str(switching.ill_posed(0.5, pair, lacks))), (pair, lacks)
    free = machine_of_all_rows()
    free = free.with_(name="free", constraints=[c for c in free.constraints if c.name != "drive"])
    eom = da.equations(free, backend="vm")
    other = close_loop(eom, None).switching
    assert other is not None
    other = other.for_run(np.zeros(0), None)
    assert "Painleve's paradox" in str(other.ill_posed(0.5, 2, 1))
    assert "the constraints of the machine drive it there" in str(other.ill_posed(0.5, 3, 0))
    row = eom.constraint_system.row_names.index("rod")
    assert "constraint 'rod' cannot begin to act at t = 0.5 s: its gap is 0.1, more" in str(
        other.not_closed(0.5, row, 0.1)
    )
    assert str(other.not_closed(0.5, row)).endswith("not closed")


def test_changes_of_latches() -> None:
    """Which pairs act; events of cables that are made slack or taut in a state of the caller's own."""
    _, loop = _everything()
    switching, names = loop.switching.for_run(np.zeros(0), None), list(loop.problem.state_names)
    told = {names[k] for k in switching.flags}
    assert told == {
        "active.c", "active.r", "active.floor", "active.smooth", "stick.floor", "stick.x", "stick.r.G", "toward.x",
        "toward.r.G",
    }  # fmt: skip
    assert switching.needed and switching.sticks and switching.lands_first and switching.settles
    assert switching.has_contacts
    x = np.zeros(len(names))
    x[names.index("active.c")] = 1.0
    made = x.copy()
    assert not switching.differs(x, made) and switching.cable_events(x, made) == ()
    made[names.index("active.c")], made[names.index("active.r")], made[names.index("active.floor")] = 0.0, 1.0, 1.0
    assert switching.differs(x, made) and switching.cable_events(x, made) == ("c.slack", "r.taut")
    moved = x.copy()
    moved[0] += 1e-3
    assert switching.differs(x, moved)
    shared = x.copy()
    shared[names.index("share.floor[0]")] = 3.0
    assert not switching.differs(x, shared)
    table, coefficients = switching.member_table(np.zeros((2, 0)))
    assert table is not None and coefficients.shape == (2, 10)
    np.testing.assert_allclose(coefficients[0], [0, 0, 0.4, 0, 0, 0, 1.0, 0.3, 0, 1.0])


def test_tables_of_switches() -> None:
    """Latches that are set at each event: rows that only act one way are cut, contacts are left to their laws."""
    eom = da.equations(
        da.Machine(
            "switched",
            [da.point_mass("m", 1.0), da.point_mass("n", 1.0)],
            [da.Joint(a, "prismatic", "world", b, axis=a) for a, b in (("x", "m"), ("z", "n"))],
            cables=[da.Cable("c", "n", "world", length=2.0)],
            constraints=[da.DistanceConstraint("rod", "m", "n", length=1.0, switchable=True),
                         da.WeldConstraint("held", "m", "world", active=False, switchable=True)],
            contacts=[da.Contact("floor", "n", da.Sphere(0.1))],
        ), backend="vm",
    )  # fmt: skip
    switches = [Switch(on=["rod", "floor"], off=["c"], at=0.5), Switch(off=["rod"], on=["held", "rod"], at=1.0)]
    loop = close_loop(eom, None, switches=switches)
    specs = [spec.name for spec in loop.problem.event_specs]
    names = list(loop.problem.state_names)
    table = loop.switching.switch_table(specs)
    assert [specs[k] for k in table.events] == ["switch0", "switch1"]
    sets = [{names[k]: value for k, value in one} for one in table.sets]
    assert sets[0] == {"active.rod": 1.0, "active.c": CUT} and sets[1] == {"active.rod": 1.0, "active.held": 1.0}
    ((flag, places),) = table.measures
    assert names[flag] == "active.held" and [names[k] for k in places] == [
        f"offset.held.{k}" for k in ("x", "y", "z", "qw", "qx", "qy", "qz")
    ]
    x = np.zeros(len(names))
    x[:2] = 0.4, -0.3
    pose = np.array(table.measure(0.0, x, np.zeros(0), np.zeros(0))).ravel()
    np.testing.assert_allclose(pose, [0.4, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], atol=1e-14)
    assert table.counts == () and table.kinks == ()
