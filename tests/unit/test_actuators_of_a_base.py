"""Hardware that moves a free base: nozzles that are on or off, wheels, unloading; closed forms and balances."""

from __future__ import annotations

import itertools

import casadi as ca
import numpy as np
import pytest
from tests.support.chasers import six_joints

import dalembert as da
from dalembert import control
from dalembert.control.nozzles import STANDARD_GRAVITY
from dalembert.systems import space_robots

PERIOD, LEAST, ISP, MASS = 0.01, 0.03, 220.0, 50.0


def hub(*parts, thrust: float = 2.0) -> da.Machine:
    frames, jets = space_robots.nozzle_cluster("hub", (1.0, 1.0, 1.0), thrust)
    free = da.Joint("hub", "free", "world", "hub")
    body = da.box("hub", MASS, (1, 1, 1))
    return da.Machine("hub", [body], [free], frames=frames, thrusters=jets, gravity=(0, 0, 0)).with_parts(*parts)


def wheels(**settings) -> list[da.Wheel]:
    return [da.Wheel(f"w{a}", "hub", axis=a, inertia=0.05, **settings) for a in "xyz"]


def test_pulses_give_the_impulse_that_is_asked_for() -> None:
    """Momentum, impulse and propellant add up; every pulse is at least the least one; the mean is the thrust wanted."""
    machine = hub()
    ask = {"jet1": 0.31, "jet2": 0.05, "jet9": 1.7}
    law = control.Sampled(control.PulsedJets(control.Feedforward(ask), PERIOD, LEAST, ISP), PERIOD)
    run = da.simulate(da.equations(machine, backend="vm"), duration=12.0, control=law, step=PERIOD, record=PERIOD)
    for name, wanted in ask.items():
        on = run[f"u.{name}"][:-1] > 0.0
        assert set(np.unique(run[f"u.{name}"])) <= {0.0, 2.0}
        edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(int)))
        lengths = (edges[1::2] - edges[::2]) * PERIOD
        assert len(lengths) > 3 and lengths[:-1].min() > LEAST - 1e-9
        impulse = 2.0 * PERIOD * on.sum()
        assert abs(impulse - wanted * 12.0) < 2.0 * 2.0 * (LEAST + PERIOD)
    u = run.array([f"u.{n}" for n in machine.u_names])
    spent = STANDARD_GRAVITY * ISP * run["propellant"]
    # after the sample of each row; at the end there is none
    assert np.allclose(spent[:-1], PERIOD * np.cumsum(u.sum(axis=1))[:-1], rtol=0, atol=1e-9)
    # momentum is the impulse of the nozzles: each row's inputs act until the next one, in axes that turn meanwhile
    eom = da.equations(machine, backend="vm")
    q, v = run.array(machine.q_names), run.array(machine.v_names)
    h = eom.momentum(q, v)[:, :3]
    force = u @ control.allocate(eom).effect[:3].T
    turned = [eom.pose("hub", x)[:3, :3] for x in q]
    middle = [0.5 * (A + B) for A, B in itertools.pairwise(turned)]
    pushed = PERIOD * np.cumsum([R @ f for R, f in zip(middle, force[:-1], strict=True)], axis=0)
    assert np.abs(h[1:] - pushed).max() < 1e-4 * np.abs(h).max()  # the mean of two attitudes is of second order


def test_a_straight_push_is_the_closed_form() -> None:
    """Nozzles without torque: speed and propellant are those of the sum of the pulses, to rounding."""
    machine = hub()
    pair = [n for n, x in zip(machine.u_names, machine.thrusters, strict=True) if x.force == (1.0, 0.0, 0.0)]
    law = control.PulsedJets(control.Feedforward(dict.fromkeys(pair, 0.7)), PERIOD, LEAST, ISP)
    run = da.simulate(
        da.equations(machine, backend="vm"),
        duration=5.0,
        control=control.Sampled(law, PERIOD),
        step=PERIOD,
        record=PERIOD,
    )
    u = run.array([f"u.{n}" for n in pair])
    fired = PERIOD * u[:-1].sum()  # a row shows the input of the interval that begins there
    assert MASS * run["hub.vx"][-1] == pytest.approx(fired, rel=1e-9)
    spent = run["propellant"] * STANDARD_GRAVITY * ISP
    assert np.allclose((spent - PERIOD * u.sum(axis=1))[:-1], MASS * run["hub.vx"][:-1], rtol=0, atol=1e-9)
    assert spent[-1] == pytest.approx(MASS * run["hub.vx"][-1], rel=1e-9)
    assert abs(fired - 0.7 * len(pair) * 5.0) < len(pair) * 2.0 * 2.0 * (LEAST + PERIOD)


def test_an_attitude_is_held_by_pulses() -> None:
    law = control.BasePD([0] * 3 + [4.0] * 3, [0] * 3 + [16.0] * 3, [0, 0, 0, 1, 0, 0, 0])
    pulsed = control.Sampled(control.PulsedJets(law, PERIOD, LEAST), PERIOD)
    run = da.simulate(
        da.equations(hub(), backend="vm"), duration=80.0, control=pulsed, step=PERIOD, record=0.1,
        q0=[0, 0, 0, np.cos(0.1), np.sin(0.1), 0, 0],
    )  # fmt: skip
    angle = 2 * np.degrees(np.arcsin(np.linalg.norm(run.array(["hub.qx", "hub.qy", "hub.qz"]), axis=1)))
    assert angle[0] > 11.0 and angle[-1] < 0.5
    assert run["propellant"][-1] > 0.0
    with pytest.raises(da.InputError, match="at least the period of the law"):
        control.PulsedJets(law, 0.05, 0.01)
    with pytest.raises(da.InputError, match="no thrusters that only push"):
        control.PulsedJets(law, 0.01, 0.01).state_names(da.equations(hub().with_(thrusters=()), backend="vm"))


def test_wheels_turn_a_base_and_thrusters_unload_them() -> None:
    """The wheels take the momentum of a slew; unloading brings them to rest, with the momentum that jets gave."""
    machine = hub(*wheels(torque=0.2, momentum=4.0))
    eom = da.equations(machine, backend="vm")
    hold = control.BasePD([0] * 3 + [3.0] * 3, [0] * 3 + [10.0] * 3, [0, 0, 0, 1, 0, 0, 0])
    spun = {"wx": 20.0, "wy": -10.0}
    start = {"v0": {f"{n}_dot": x for n, x in spun.items()}, "step": 0.02, "record": 0.5}
    left = da.simulate(eom, duration=60.0, control=hold, **start)
    assert left["wx_dot"][-1] == pytest.approx(20.0, abs=0.3)  # without jets the momentum stays
    h = eom.momentum(left.array(machine.q_names), left.array(machine.v_names))
    assert np.allclose(h, h[0], atol=1e-9)
    both = control.Together([hold, control.Unloading(0.08)])
    run = da.simulate(eom, duration=90.0, control=both, **start)
    speeds = run.array(["wx_dot", "wy_dot", "wz_dot"])
    assert np.abs(speeds[-1]).max() < 0.1 and np.abs(run.array(["hub.wx", "hub.wy", "hub.wz"])[-1]).max() < 1e-3
    # the momentum decays as exp(-gain t), by the part I gain^2 / kp of 2 % more slowly, since the base gives way
    late = (run.t > 20.0) & (run.t < 40.0)
    rate = np.polyfit(run.t[late], np.log(np.abs(speeds[late, 0])), 1)[0]
    assert rate == pytest.approx(-0.08 / (1.0 + 8.4 * 0.08**2 / 3.0), rel=0.01)
    # with a part that stays: the excess decays, and thrusters are off below it
    kept = control.Together([hold, control.Unloading(0.08, keep=0.8)])
    run = da.simulate(eom, duration=90.0, control=kept, **start)
    held = 0.05 * np.linalg.norm(run.array(["wx_dot", "wy_dot", "wz_dot"]), axis=1)
    assert held[0] == pytest.approx(0.05 * np.hypot(20.0, 10.0)) and held[-1] == pytest.approx(0.8, abs=0.01)
    low = {**start, "v0": {"wx_dot": 12.0}}
    quiet = da.simulate(eom, duration=20.0, control=kept, **low)
    assert not np.abs(quiet.array([f"u.{x.name}" for x in machine.thrusters])).max()
    with pytest.raises(da.InputError, match="keep of Unloading must be >= 0"):
        control.Unloading(0.1, keep=-1.0)
    with pytest.raises(da.InputError, match="no reaction wheels or gyros that span all directions"):
        control.Unloading(0.1).expression(da.equations(hub(), backend="vm"), *[None] * 5)  # type: ignore[arg-type]


def test_a_wheel_keeps_its_momentum_limit() -> None:
    """A wheel of 4 N m s against a steady torque stays below it, and its torque against friction is the closed form."""
    machine = hub(*wheels(torque=0.2, momentum=4.0))
    push = control.Feedforward({"wx": 0.2})
    run = da.simulate(da.equations(machine, backend="vm"), duration=60.0, control=push, step=0.02, record=0.5)
    assert 0.05 * run["wx_dot"].max() < 4.0 * (1.0 + 1e-9) and 0.05 * run["wx_dot"][-1] > 3.9
    rubbed = hub(*wheels(torque=0.2, damping=2e-3))
    run = da.simulate(da.equations(rubbed, backend="vm"), duration=20.0, step=0.02, record=1.0, v0={"wx_dot": 30.0})
    I, J = MASS * (1.0 + 1.0) / 12.0 + 2 * 0.025, 0.05  # hub about x with the discs of the other wheels; the wheel
    reduced = I * J / (I + J)
    relative = run["wx_dot"]
    assert np.allclose(relative, 30.0 * np.exp(-2e-3 / reduced * run.t), rtol=1e-6)


def test_joints_and_base_have_laws_of_their_own_beside_wheels() -> None:
    """PD of the arm takes a reference of its joints alone; the wheels belong to the base."""
    machine = six_joints()
    eom = da.equations(machine, backend="vm")
    law = control.Together(
        [
            da.PD(kp=20.0, kd=20.0, reference=[0.1] * 6),
            control.BasePD([0] * 3 + [20.0] * 3, [0] * 3 + [60.0] * 3, [0, 0, 0, 1, 0, 0, 0]),
        ]
    )
    s = eom.symbolic
    u = ca.Function("u", [s.t, s.q, s.v, s.p], [ca.densify(law.expression(eom, s.t, s.q, s.v, ca.SX(0, 1), s.p)[0])])
    q = eom.q_neutral.copy()
    turned = q.copy()
    at = machine.q_names.index("hub.qw")
    turned[at : at + 4] = [np.cos(0.05), 0.0, np.sin(0.05), 0.0]
    still, moved = (np.array(u(0.0, x, np.zeros(eom.nv), eom.parameter_values())).ravel() for x in (q, turned))
    named = dict(zip(machine.u_names, still, strict=True))
    assert [named[f"m{k}"] for k in range(1, 7)] == pytest.approx([2.0] * 6)
    assert all(abs(named[f"w{k}"]) < 1e-12 for k in range(4))
    torque = control.allocate(eom).effect[3:] @ (moved - still)
    assert torque == pytest.approx([0.0, -20.0 * 0.1, 0.0], abs=1e-9)
    every = da.PD(kp=1.0, kd=1.0, reference=[0.0] * 10)
    assert every.expression(eom, s.t, s.q, s.v, ca.SX(0, 1), s.p)[0].shape[0] == eom.nu
    # another body that floats beside it changes nothing
    beside = machine.with_(
        bodies=[*machine.bodies, da.box("rock", 5.0, (1, 1, 1))],
        joints=[*machine.joints, da.Joint("rock", "free", "world", "rock")],
    )
    both, joints = da.equations(beside, backend="vm"), da.PD(kp=20.0, kd=20.0, reference=[0.1] * 6)
    s = both.symbolic
    tau = ca.Function("u", [s.t, s.q, s.v, s.p], [joints.expression(both, s.t, s.q, s.v, ca.SX(0, 1), s.p)[0]])
    at_rest = np.array(tau(0.0, both.q_neutral, np.zeros(both.nv), both.parameter_values())).ravel()
    assert at_rest == pytest.approx([named[n] for n in beside.u_names], abs=1e-12)


def loose(*parts) -> da.Machine:
    """A hub with a loose arm of two links; its nozzles give pure torques."""
    bodies = [da.box("hub", MASS, (1, 1.4, 0.8)), *(da.cylinder(n, 6.0, 0.05, 1.0, axis="x") for n in ("a", "b"))]
    joints = [
        da.Joint("hub", "free", "world", "hub"),
        da.Joint("s", "revolute", "hub", "a", (0.9, 0.3, 0), axis="z", stiffness=3.0, damping=2.0),
        da.Joint("e", "revolute", "a", "b", (0.9, 0, 0), axis="y", stiffness=1.0, damping=1.0),
    ]
    frames, jets = space_robots.nozzle_cluster("hub", (1.0, 1.0, 1.0), 4.0)
    machine = da.Machine("stack", bodies, joints, frames=frames, thrusters=jets, gravity=(0, 0, 0))
    return machine.with_parts(*parts)


SPIN = {"hub.wx": 0.5, "hub.wy": -0.3, "hub.wz": 0.4, "hub.vx": 0.1, "s_dot": 0.2}


def test_detumbling_takes_momentum_out_along_the_closed_form() -> None:
    """|h| about the centre of mass falls along a line, then exponentially, in its own direction, whatever moves inside.

    The nozzles give pure torques: nothing else changes the momentum of the stack with its loose arm.
    """
    eom = da.equations(loose())
    torque, settle = 1.2, 5.0
    law = control.Detumbling(torque, settle)
    run = da.simulate(eom, duration=40.0, v0=SPIN, control=law, method="dopri5", rtol=1e-10, atol=1e-12, record=0.1)
    q, v = run.array(eom.q_names), run.array(eom.v_names)
    momentum, centre = eom.momentum(q, v), eom.center_of_mass(q)
    h = momentum[:, 3:] - np.cross(centre, momentum[:, :3])
    first = float(np.linalg.norm(h[0]))
    corner = (first - torque * settle) / torque
    assert 5.0 < corner < 30.0
    size = np.where(
        run.t < corner, first - torque * run.t, torque * settle * np.exp(-np.maximum(run.t - corner, 0.0) / settle)
    )
    assert np.abs(h - size[:, None] * h[0] / first).max() < 1e-6 * first  # steps across the corner are of the method
    assert np.abs(momentum[:, :3] - momentum[0, :3]).max() < 1e-9  # pure torques
    with pytest.raises(da.InputError, match="4 N m about their weakest axis"):
        law = control.Detumbling(5.0)
        da.simulate(eom, duration=1.0, control=law)


def test_detumbling_leaves_their_momentum_to_the_wheels() -> None:
    eom = da.equations(loose(*wheels()))
    run = da.simulate(
        eom, duration=90.0, v0={**SPIN, "wz_dot": 40.0}, control=control.Detumbling(1.2, 5.0), step=0.02, record=1.0
    )
    rate = np.linalg.norm(run.array(["hub.wx", "hub.wy", "hub.wz"]), axis=1)
    assert rate[0] > 0.7 and rate[-1] < 1e-3
    # without torque of its motor a wheel keeps its momentum about its axis: as the hub stops it turns faster in it
    assert run["wz_dot"][-1] == pytest.approx(40.0 + 0.4, abs=1e-6)


@pytest.mark.parametrize("pulsed", [False, True])
def test_propellant_and_momentum_add_up(pulsed: bool) -> None:
    """A move along x by nozzles through the centre of mass: momentum is the impulse, propellant the sum of thrusts."""
    machine = hub()
    hold = control.BasePD([2.0, *[0.0] * 5], [20.0, *[0.0] * 5], [0.4, 0, 0, 1, 0, 0, 0])
    law = control.PulsedJets(hold, PERIOD, LEAST, ISP) if pulsed else control.MeteredJets(hold, ISP)
    eom = da.equations(machine, backend="vm")
    run = da.simulate(eom, duration=20.0, control=control.Sampled(law, PERIOD), step=PERIOD, record=PERIOD)
    u = run.array([f"u.{n}" for n in machine.u_names])[:-1]
    h = eom.momentum(run.array(machine.q_names), run.array(machine.v_names))
    impulse = PERIOD * np.cumsum(u @ control.allocate(eom).effect[:3].T, axis=0)
    assert np.abs(impulse).max() > 1.0 and np.abs(h[1:, :3] - impulse).max() < 1e-9
    spent = STANDARD_GRAVITY * ISP * run["propellant"]
    assert np.abs(spent[:-1] - PERIOD * np.cumsum(np.abs(u).sum(axis=1))).max() < 1e-9
    assert run["hub.x"][-1] == pytest.approx(0.4, abs=0.1)


def test_what_saturates_is_metered_as_it_flows() -> None:
    """A command above the thrust of a nozzle uses what the nozzle gives; thrusters of torques count by their lever."""
    machine = hub()
    law = control.Sampled(control.MeteredJets(control.Feedforward({"jet1": 50.0, "jet2": -3.0}), ISP), PERIOD)
    run = da.simulate(da.equations(machine, backend="vm"), duration=1.0, control=law, step=PERIOD, record=PERIOD)
    assert STANDARD_GRAVITY * ISP * run["propellant"][-1] == pytest.approx(2.0, rel=0.02)
    turning = machine.with_(thrusters=[da.Thruster("turn", "hub", torque=(0, 0, 3.0))])
    for lever, expected in ((None, 0.0), (0.5, 6.0)):
        law = control.Sampled(control.MeteredJets(control.Feedforward({"turn": 1.0}), ISP, lever), PERIOD)
        run = da.simulate(da.equations(turning, backend="vm"), duration=1.0, control=law, step=PERIOD, record=PERIOD)
        assert STANDARD_GRAVITY * ISP * run["propellant"][-1] == pytest.approx(expected, rel=0.02)
