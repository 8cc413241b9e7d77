"""Values at edges: limits that are met exactly, nothing of a kind, second of several, and what is just beyond."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import numpy as np
import pytest
import sympy

import dalembert as da
from dalembert import control
from dalembert.analysis.base_parameters import _opened
from dalembert.analysis.closed_form.printing import Writer
from dalembert.core.errors import DalembertError
from dalembert.engine.problem.stepping import BlockLaw, SteppingSystem
from dalembert.formulations.constraints.assembly_search import _turned_to_guess
from dalembert.formulations.constraints.elastic_slips import elastic_slips_of
from dalembert.formulations.constraints.projection import consistent_state, consistent_states
from dalembert.formulations.natural.memory import continued
from dalembert.loop.rope_checks import rope_frequencies
from dalembert.simulation.rollout.contacts import collider_macros, collider_tapes
from dalembert.simulation.stepped_maps import SteppedMaps

ONE_ARGUMENT = ("abs", "acos", "asin", "atan", "cos", "exp", "log", "sin", "sqrt", "tan", "tanh")
TWO_ARGUMENTS = ("atan2", "hypot", "max", "min")


@pytest.mark.parametrize("name", [*ONE_ARGUMENT, *TWO_ARGUMENTS])
def test_functions_of_signals_have_their_arguments(name: str) -> None:
    count = 2 if name in TWO_ARGUMENTS else 1
    da.Signal("s", f"{name}({', '.join(['theta'] * count)})")
    for wrong in {1, 2, 3} - {count}:
        with pytest.raises(DalembertError, match=name):
            da.Signal("s", f"{name}({', '.join(['theta'] * wrong)})")


class _Drawn:
    """A generator that draws what it is told."""

    def __init__(self, *values: float) -> None:
        self._values = list(values)

    def normal(self, size: int) -> Any:
        return np.array([self._values.pop(0) for _ in range(size)])

    def uniform(self, low: float, high: float) -> float:
        return 0.25 * low + 0.75 * high


@pytest.mark.parametrize(
    ("drawn", "expected"), [(0.4, 0.4), (-1.0, 1.0), (2.0, 0.0), (-0.3, 0.3), (1.2, 0.8), (5.0, 0.75)]
)
def test_configurations_within_limits(drawn: float, expected: float) -> None:
    """Reflected at the limit that is passed, if that leads into the range, its ends included."""
    joint = da.Joint("x", "prismatic", "world", "m", limits=da.Limits(0.0, 1.0))
    eom = da.equations(da.Machine("slider", [da.point_mass("m", 1.0)], [joint]), backend="vm")
    assert eom.random_configuration(cast(Any, _Drawn(drawn)))[0] == pytest.approx(expected)


def test_full_turns_are_taken_off() -> None:
    """To within half a turn of the guess; not off a given angle, and not where something counts turns."""

    def conditions(wrong: float) -> Any:
        phi = lambda q: np.full((len(q), 1), wrong) * (np.abs(q[:, :1]) < 5.0)  # noqa: E731
        sizes = SimpleNamespace(angles=[(0, 0), (2, 2)])
        return SimpleNamespace(sizes=sizes, given=(2,), repeated=lambda n: SimpleNamespace(phi=phi))

    found = np.array([[6.0 * np.pi + 0.3, 20.0, 9.0], [-4.0 * np.pi - 0.2, 30.0, 9.0], [3.3, 1.0, 9.0]])
    guess = np.array([0.5, 0.0, 0.0])
    turned = _turned_to_guess(conditions(0.0), found, guess)
    np.testing.assert_allclose(turned, [[0.3, 20.0, 9.0], [-0.2, 30.0, 9.0], [3.3, 1.0, 9.0]], atol=1e-12)
    np.testing.assert_array_equal(_turned_to_guess(conditions(1.0), found, guess), found)
    far = _turned_to_guess(conditions(0.0), found, np.array([6.0 * np.pi, 0.0, 0.0]))
    np.testing.assert_allclose(far[:, 0], 6.0 * np.pi + np.array([0.3, -0.2, 3.3 - 2.0 * np.pi]), atol=1e-12)


@pytest.mark.parametrize("stiffness", [1.0, 4e4])
def test_frequency_of_a_mass_on_a_rope(stiffness: float) -> None:
    """``omega^2 = EA / (l m)``, also of one that is slower than 1 rad/s; two spans of a pulley act together."""
    machine = da.Machine(
        "hung",
        [da.point_mass("m", 2.0)],
        [da.Joint("z", "prismatic", "world", "m", axis="-z")],
        ropes=[da.Rope("r", [da.Anchor("world"), da.Anchor("m")], stiffness=stiffness, length=4.0)],
    )
    eom = da.equations(machine, backend="vm")
    found = rope_frequencies(eom, np.array([4.1]), 0.0, eom.parameter_values(None))
    assert found == {"r": pytest.approx(math.sqrt(stiffness / (4.0 * 2.0)))}


def test_colliders_leave_out_functions_that_are_empty() -> None:
    x = ca.SX.sym("x")
    functions = {
        "terms": ca.Function("terms", [x], [x]),
        "bias": ca.Function("bias", [x], [2 * x]),
        "held": ca.Function("held", [x], [ca.SX(0, 1)]),
    }
    system = cast(SteppingSystem, SimpleNamespace(functions=functions, terms=functions["terms"]))
    macros = collider_macros(system, 17)
    assert macros == {"COLLIDERS": 1, "ALONE": 1, "STEPPING": 0, "N_WORLD": 17, "HELD(in, out, work)": ""}
    terms, further = collider_tapes(system)
    assert terms is functions["terms"] and further == {"BIAS": functions["bias"]}


def test_impacts_close_twice_as_fast_as_free_motion() -> None:
    """Of pairs that push, contacts alone, faster than 1e-7 m/s."""
    before = np.array([[-1.0, -1.0], [-1.0, -1.0], [-1e-8, -1.0], [-1.0, 1.0]])
    free = before + np.array([[0.4, -0.4], [-0.6, 0.1], [0.0, 0.1], [0.1, 0.1]])
    second = np.array([[1.0, 1.0], [1.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    laws = (BlockLaw.COULOMB, BlockLaw.COULOMB)
    maps = SimpleNamespace(
        system=SimpleNamespace(laws=laws, names=("a", "b"), tables={"row_start": [0, 1, 2]}),
        tape=SimpleNamespace(outputs={"before": slice(0, 2), "free": slice(2, 4)}),
        layout=SimpleNamespace(n=1, held=0),
        _solved=lambda *given: SimpleNamespace(on=np.ones((4, 2), dtype=bool), second=second),
        _evaluated=lambda *given: (np.hstack([before, free]), None),
    )
    run = SimpleNamespace(t=np.arange(5.0))
    hits = SteppedMaps.impacts(cast(Any, maps), cast(Any, run), np.zeros((4, 0)), np.zeros(0))
    assert hits == [("a", 0.0), ("b", 0.0), ("b", 1.0), ("a", 3.0)]
    maps.system.laws = (BlockLaw.STICTION, BlockLaw.COULOMB)
    hits = SteppedMaps.impacts(cast(Any, maps), cast(Any, run), np.zeros((4, 0)), np.zeros(0))
    assert hits == [("b", 0.0), ("b", 1.0)]


def test_a_cable_without_a_direction_is_named() -> None:
    """The second of two: its anchor is on the axis of the swivelling pulley."""
    cables = [da.Cable("good", "m", "far", pulley=0.1), da.Cable("lost", "m", pulley=0.1)]
    machine = da.Machine(
        "hung",
        [da.Body("a"), da.Body("b"), da.point_mass("m", 1.0)],
        [da.Joint(n, "prismatic", parent, child, axis=n)
         for n, parent, child in (("x", "world", "a"), ("y", "a", "b"), ("z", "b", "m"))],
        frames=[da.Frame("far", "world", (1.0, 0.5, 0.0))],
        cables=cables,
    )  # fmt: skip
    eom = da.equations(machine, backend="vm")
    q, system = np.array([0.0, 0.0, -1.0]), eom.constraint_system
    latches = system.latch_table.measured(system.latch_nominal, q, 0.0, eom.parameter_values(None))
    with pytest.raises(da.InputError, match="'lost' of machine 'hung' has no defined direction"):
        consistent_state(eom, q, [0.1, 0.0, 0.0], latches=latches)


def test_states_that_have_none_near_them_on_their_constraints() -> None:
    """A mass on a line at 1 m from an anchor, on a rod of 1.75 m: Newton's step is ``(1.75 - r) r / x``."""
    machine = da.Machine(
        "slider",
        [da.point_mass("m", 1.0)],
        [da.Joint("x", "prismatic", "world", "m", axis="x")],
        frames=[da.Frame("anchor", "world", (0.0, 1.0, 0.0))],
        constraints=[da.DistanceConstraint("rod", "m", "anchor", length=1.75)],
    )
    eom = da.equations(machine, backend="vm")
    for x, found in ((1.0, True), (0.08, True), (0.05, False), (1e-4, False)):
        r = math.hypot(x, 1.0)
        assert ((1.75 - r) * r / x < 10.0) == found
        if found:
            state = consistent_state(eom, [x], [0.0], reach=1.0)
            assert state.q[0] == pytest.approx(math.sqrt(1.75**2 - 1.0), rel=1e-9)
        else:
            with pytest.raises(da.InputError, match=r"no state near .* 'rod' remains violated by -0\.7[45]"):
                consistent_state(eom, [x], [0.0], reach=1.0)
    rod: Any = machine.constraints[0]
    near = da.equations(machine.with_(constraints=[replace(rod, length=1.09)]), backend="vm")
    latches = np.zeros((2, 0))
    for x, found in ((0.02, True), (0.006, False)):  # members are treated alike
        r = math.hypot(x, 1.0)
        assert ((1.09 - r) * r / x < 10.0) == found
        rest: dict[str, Any] = {"t": 0.0, "p": np.zeros((2, 0)), "latches": latches, "wanted": {}}
        q = np.array([[0.4], [x]])
        if found:
            states = consistent_states(near, q, np.zeros((2, 1)), **rest)[0]
            np.testing.assert_allclose(states, math.sqrt(1.09**2 - 1.0), rtol=1e-9)
        else:
            with pytest.raises(da.InputError, match="no state near the initial state of member 1 satisfies"):
                consistent_states(near, q, np.zeros((2, 1)), **rest)


def test_a_beam_without_modes_is_a_body() -> None:
    """Its mass, first moment and inertia are those of a rod, in the equations of motion."""
    section = da.Section.rectangle(0.1, 0.05)
    length, density, offset = 2.0, 500.0, (0.1, 0.2, 0.0)
    beam = da.Beam("rod", length, section, E=1e9, density=density, modes={}, offset=offset)
    joint = da.Joint("q", "revolute", "world", "rod", axis="z")
    for by in ("newton-euler", "lagrange"):
        made = da.equations(da.Machine("m", [beam], [joint], gravity=(0, -9.81, 0)), by=by, backend="vm")
        m = density * 0.1 * 0.05 * length
        far = (offset[0] + 0.5 * length) ** 2 + offset[1] ** 2
        slim, turn = m * length**2 / 12.0, density * length * section.I_z
        assert made.mass_matrix([0.3])[0, 0] == pytest.approx(m * far + slim + turn, rel=1e-9)
        c, s = np.cos(0.3), np.sin(0.3)
        lever = c * (offset[0] + 0.5 * length) - s * offset[1]
        assert made.bias([0.3], [0.0])[0] == pytest.approx(m * 9.81 * lever, rel=1e-9)
    lean = da.Section(5e-3, I_y=4e-6, I_z=1e-6, I_yz=1.5e-6)  # about an axis between y and z: I_y + I_z - 2 I_yz counts
    rod = da.Beam("rod", length, lean, E=1e9, density=density, modes={})
    joint = da.Joint("q", "revolute", "world", "rod", axis=(0, 1, 1))
    for by in ("newton-euler", "lagrange"):
        made = da.equations(da.Machine("m", [rod], [joint]), by=by, backend="vm")
        slim, turn = density * 5e-3 * length**3 / 3.0, density * length * (4e-6 + 1e-6 - 2.0 * 1.5e-6) / 2.0
        assert made.mass_matrix([0.3])[0, 0] == pytest.approx(slim + turn, rel=1e-9)
    R, place = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.array([0.5, -0.7, 0.2])
    field = beam.energy_field(ca.SX(0, 1), ca.SX(R), ca.SX(place), lambda x: ca.SX(float(cast(Any, x))))
    middle = place + R @ [offset[0] + 0.5 * length, offset[1], 0.0]
    assert float(field.mass) == pytest.approx(m, rel=1e-12)
    np.testing.assert_allclose(np.array(ca.DM(field.first_moment)).ravel(), m * middle, rtol=1e-12)


def test_an_elastic_rope_that_has_just_become_taut() -> None:
    """It slips as its tensions grow: the rates of two spans decide, as does how fast it slips for the event."""
    EA, mu = 2e4, 0.2
    guide = da.Guide("world", 0.1, "y", friction=mu, name="G")
    machine = da.Machine(
        "hung",
        [da.point_mass("m1", 3.0), da.point_mass("m2", 2.5)],
        [da.Joint("x1", "prismatic", "world", "m1", axis="-z", origin=(-0.1, 0, -0.5)),
         da.Joint("x2", "prismatic", "world", "m2", axis="-z", origin=(0.1, 0, -0.5))],
        ropes=[da.Rope("r", [da.Anchor("m1"), guide, da.Anchor("m2")], stiffness=EA, length=5.0)],
    )  # fmt: skip
    eom = da.equations(machine, backend="vm")
    slips, s, system = elastic_slips_of(eom), eom.symbolic, eom.constraint_system
    (one,) = slips.sections
    arc, E = 0.1 * np.pi / 2.0, np.exp(mu * np.pi)
    x1 = 1.7
    x2 = 5.0 * (1.0 + 1e-9) - 1.0 - 2.0 * arc - x1
    L = np.array([0.5 + x1 + arc, 0.5 + x2 + arc])
    latches = np.zeros(len(system.latch_names))
    latches[system.latch_index("taut.r")] = 1.0
    latches[system.latch_index("material0.r.G")] = L[0] / (1.0 + 1e-9)
    g, specs = one.events
    f = ca.Function("g", [s.q, s.v, s.t, s.p, system.latches, one.states], [ca.vertcat(*g), one.slips])
    for v1, v2 in ((0.1, 0.9), (0.9, 0.1), (0.5, 0.5), (2e-8, 2e-8)):
        r1, r2, c1, c2 = EA * v1 / L[0], EA * v2 / L[1], EA / L[0], EA / L[1]
        slip = max(0.0, (r2 - E * r1) / (c2 + E * c1)) + min(0.0, (E * r2 - r1) / (c1 + E * c2))
        for latch in (0.0, 1.0):
            latches[system.latch_index("slips.r.G")] = latch
            values, found = (np.array(y).ravel() for y in f([x1, x2], [v1, v2], 0.0, [], latches, [0.0]))
            assert found == pytest.approx(slip, rel=1e-6, abs=1e-12)
            sticks, ends = values[[spec.name for spec in specs].index("r.G.slip")], values[-1]
            assert sticks == pytest.approx(1e-8 - abs(slip) if not latch else 1.0, rel=1e-6)
            assert ends == pytest.approx(abs(slip) - 1e-9 if latch else 1.0, rel=1e-6)


def test_laws_have_as_many_states_as_rates() -> None:
    """Laws without states have no rates; those with some have one for each."""
    hub = da.Machine(
        "craft",
        [da.box("hub", 12.0, (0.6, 0.4, 0.2)), da.box("link", 1.0, (0.2, 0.1, 0.1))],
        [da.Joint("hub", "free", "world", "hub"), da.Joint("a", "revolute", "hub", "link", axis="z")],
        motors=[da.Motor("u", "a")],
        gravity=(0, 0, 0),
    )
    eom = da.equations(hub, backend="vm")
    s = eom.symbolic
    laws = [control.CentralizedPD(4.0, 2.0, [0.1]), da.PD(kp=4.0, kd=2.0, reference=[0.1])]
    for law in laws:
        z = ca.SX.sym("z", len(law.state_names(eom)))
        u, rates = law.expression(eom, s.t, s.q, s.v, z, s.p)
        assert ca.SX(rates).shape[0] == len(law.state_names(eom)) == len(law.initial_state(eom))
        assert ca.SX(u).shape == (1, 1)


def test_a_nozzle_opens_when_it_owes_its_least_pulse() -> None:
    """Exactly, up to rounding; it then stays open for that time, and what is left over is owed."""
    jet = da.Thruster("jet", "hub", force=(0, 1, 0), effort=2.0, one_sided=True)
    craft = da.Machine(
        "craft", [da.box("hub", 12.0, (0.6, 0.4, 0.2))], [da.Joint("hub", "free", "world", "hub")], thrusters=[jet]
    )
    eom, h, least, wanted = da.equations(craft, backend="vm"), 0.01, 0.03, 0.6
    law, s = (
        control.PulsedJets(control.Feedforward({"jet": wanted}), h, least),
        da.equations(craft, backend="vm").symbolic,
    )
    z = ca.SX.sym("z", 3)
    assert law.state_names(eom) == ("owed.jet", "open.jet", "propellant")
    made = law.expression(eom, s.t, s.q, s.v, z, s.p)
    f = ca.Function("law", [s.t, s.q, s.v, z, s.p], [ca.densify(ca.SX(y)) for y in made])

    def at(owed: float, left: float) -> tuple[float, Any]:
        u, rates = f(0.0, eom.q_neutral, np.zeros(6), [owed, left, 0.0], eom.parameter_values(None))
        return float(u), np.array(rates).ravel()

    pulse = 2.0 * least
    for owed in (pulse - wanted * h, 0.05, 0.0539, 1.0):
        u, rates = at(owed, 0.0)
        now = min(owed + wanted * h, 2.0 * 2.0 * (least + h))
        opens = now >= pulse * (1.0 - 1e-12)
        assert u == (2.0 if opens else 0.0)
        assert owed + h * rates[0] == pytest.approx(now - (2.0 * h if opens else 0.0))
        assert h * rates[1] == pytest.approx(least - h if opens else 0.0)
        assert rates[2] == pytest.approx(u / (9.80665 * 220.0))
    for left, fires in ((0.02, True), (0.0051, True), (0.0049, False)):
        u, rates = at(0.0, left)
        assert u == (2.0 if fires else 0.0) and left + h * rates[1] == pytest.approx(max(left - h, 0.0))


def test_numbers_with_exponents() -> None:
    """In LaTeX as powers of ten, and as they are elsewhere."""
    small, large, plain = sympy.Float(2.5e-7), sympy.Float(-3.0e12), sympy.Float(0.125)
    latex, text = Writer("latex", {}), Writer("text", {})
    assert latex._number(small) == r"2.5 \cdot 10^{-7}" and latex._number(large) == r"-3 \cdot 10^{12}"
    assert text._number(small) == "2.5e-07" and latex._number(plain) == text._number(plain) == "0.125"
    assert latex._number(sympy.Integer(7)) == "7"


def test_coordinates_that_continue_on_their_turn() -> None:
    """An angle from a pose is taken on the turn nearest to the one before; a quaternion with its sign."""
    kind = SimpleNamespace(wrapped=(0,), quaternion=None)
    memory, q = ca.SX.sym("m"), ca.SX.sym("q")
    f = ca.Function("f", [q, memory], [continued(cast(Any, kind), q, memory)])
    for before in (0.2, 3.0, 6.5, -9.5, 40.0):
        for step in (-1.5, 0.3, 2.9):
            angle = (before + step + np.pi) % (2.0 * np.pi) - np.pi
            assert float(f(angle, before)) == pytest.approx(before + step)
    kind = SimpleNamespace(wrapped=(), quaternion=1)
    q, memory = ca.SX.sym("q", 5), ca.SX.sym("m", 4)
    f = ca.Function("f", [q, memory], [continued(cast(Any, kind), q, memory)])
    Q = np.array([0.5, -0.5, 0.5, 0.5])
    for sign in (1.0, -1.0):
        found = np.array(f([7.0, *Q], sign * (Q + 0.1))).ravel()
        np.testing.assert_allclose(found, [7.0, *(sign * Q)])


def test_parameters_that_enter_linearly() -> None:
    """A machine whose bodies are given by mass, first moments and moments about the origin is the same machine."""
    inertia = np.array([[0.5, 0.02, 0.01], [0.02, 0.6, 0.03], [0.01, 0.03, 0.7]])
    bodies = [da.Body("a", 3.0, (0.3, -0.2, 0.5), inertia), da.Body("b", 1.5, (0.1, 0.4, -0.3), 0.5 * inertia)]
    hinge = da.Joint("k", "revolute", "a", "b", (0.2, 0.1, 0.3), axis=(1, 1, 0))
    joints = [da.Joint("j", "spherical", "world", "a"), hinge]
    machine = da.Machine("two", bodies, joints)
    linear, names, values = _opened(machine, losses=False)
    assert len(names) == len(values) == 20
    plain, other = (da.equations(m, backend="vm") for m in (machine, linear))
    q = plain.random_configuration(np.random.default_rng(1))
    v = np.random.default_rng(2).normal(size=4)
    np.testing.assert_allclose(other.mass_matrix(q), plain.mass_matrix(q), rtol=1e-12)
    np.testing.assert_allclose(other.bias(q, v), plain.bias(q, v), rtol=1e-10, atol=1e-12)
