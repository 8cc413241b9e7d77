"""Rare mechanics that was wrong in silence: shared effort limits, wheels, loads on the world, starts, settings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.io import machine_to_yaml
from dalembert.systems import space_robots


def cart(**parts: Any) -> da.Machine:
    """A mass on a rail."""
    limits = parts.pop("limits", da.Limits())
    return da.Machine(
        "cart", [da.Body("c", 1.0)], [da.Joint("x", "prismatic", "world", "c", axis="x", limits=limits)],
        gravity=(0, 0, 0), **parts,
    )  # fmt: skip


def pendulum(g: float = 9.81, mass: Any = 1.0, **parts: Any) -> da.Machine:
    """A rod on a hinge."""
    hinge = da.Joint("th", "revolute", "world", "b", axis="y")
    return da.Machine("pendulum", [da.Body("b", mass, (0, 0, -1.0), (0.1,) * 3)], [hinge], gravity=(0, 0, -g), **parts)


# -- efforts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["newton-euler", "natural"])
def test_an_effort_limit_holds_for_all_motors_of_a_joint_together(by: str) -> None:
    motors = [da.Motor("a", "x"), da.Motor("b", "x", ratio=2.0)]
    eom = da.equations(cart(limits=da.Limits(effort=1.0), motors=motors), by=by, backend="vm")
    cases = {(5.0, 5.0): 1.0, (0.2, 0.1): 0.4, (-3.0, -0.1): -1.0, (1.0, -0.5): 0.0, (0.9, 0.2): 1.0}
    for u, force in cases.items():
        assert eom.applied([0.0], [0.0], u)[0] == pytest.approx(force, abs=1e-14)
    run = da.simulate(eom, duration=1.0, control=[5.0, 5.0])
    assert run["x_dot"][-1] == pytest.approx(1.0)
    assert run["u.a"][-1] + 2.0 * run["u.b"][-1] == pytest.approx(1.0)
    assert run.energy.drift < 1e-12


def test_a_joint_with_several_motors_keeps_its_limit_in_mujoco() -> None:
    motors = [da.Motor("a", "x"), da.Motor("b", "x", ratio=2.0)]
    with pytest.warns(da.DalembertWarning, match="points"):
        text = da.to_mjcf(cart(limits=da.Limits(effort=1.0), motors=motors)).text
    assert 'actuatorfrcrange="-1.0 1.0"' in text


@pytest.mark.parametrize("torque", [1.0, -1.0])
def test_a_wheel_does_not_pass_its_momentum(torque: float) -> None:
    hub = da.Machine(
        "craft",
        [da.Body("hub", 100.0, inertia=(50,) * 3)],
        [da.Joint("base", "free", "world", "hub")],
        gravity=(0,) * 3,
    )
    craft = hub.with_parts(da.Wheel("w", "hub", inertia=0.1, torque=1.0, momentum=40.0))
    assert da.load_machine(machine_to_yaml(craft)).motors == craft.motors
    run = da.simulate(craft, duration=60.0, control=[torque], step=0.01, record=1.0)
    h = 0.1 * run["w_dot"]
    assert np.abs(h).max() <= 40.0
    assert h[-1] == pytest.approx(40.0 * torque, rel=1e-6)
    assert [e.name for e in run.events] == ["w.velocity"]
    total = run["base.wz"] * 50.0 + 0.1 * (run["base.wz"] + run["w_dot"])
    assert np.abs(total).max() < 1e-9
    back = da.simulate(craft, duration=1.0, v0={"w_dot": 400.0 * torque}, control=[-torque], step=0.01)
    assert abs(back["w_dot"][-1]) < 395.0  # it brakes


@pytest.mark.parametrize("speed", [0.0, -1.0, np.nan])
def test_a_motor_without_speed_is_refused(speed: float) -> None:
    with pytest.raises(da.MachineError, match="speed limit of motor 'm' must be"):
        da.Motor("m", "x", speed=speed)


# -- loads, starts, states --------------------------------------------------------------------------------------------


def test_loads_on_the_world_are_refused() -> None:
    with pytest.raises(da.MachineError, match=r"wrench 'push' acts on the frame 'world', which does not move"):
        cart(wrenches=[da.Wrench("push", "world", force=(1, 0, 0))])
    post = da.Frame("post", "world", (0, 0, 1))
    with pytest.raises(da.MachineError, match=r"wrench 'push' acts on the frame 'post'"):
        cart(frames=[post], wrenches=[da.Wrench("push", "post", force=(1, 0, 0))])


def test_on_event_may_edit_the_state_in_place() -> None:
    def edited(t: float, x: Any, names: Any) -> None:
        x[1] = -x[1]

    def returned(t: float, x: Any, names: Any) -> Any:
        return np.array([x[0], -x[1], *x[2:]])

    def nothing(t: float, x: Any, names: Any) -> None:
        assert list(names) == ["mid"]

    ends = [
        da.simulate(cart(), duration=1.0, v0=[1.0], events=[da.Event("mid", "x - 0.5")], on_event=f)["x"][-1]
        for f in (edited, returned, nothing)
    ]
    assert ends == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)


def test_a_run_goes_on_with_its_own_machine_only(tmp_path: Any) -> None:
    run = da.simulate(pendulum(), duration=0.1, q0=[0.3])
    with pytest.raises(da.InputError, match="different gravity than 'pendulum' has"):
        da.simulate(pendulum(1.62), duration=0.1, start=run)
    with pytest.raises(da.InputError, match="different bodies"):
        da.simulate(pendulum(mass=2.0), duration=0.1, start=da.load_run(run.save(tmp_path / "run.nc")))
    # What is only watched may differ, and so may values of parameters.
    watched = pendulum(frames=[da.Frame("tip", "b", (0, 0, -1))])
    assert da.simulate(watched, duration=0.1, start=run).t[0] == 0.1
    heavy = pendulum(mass=da.Parameter("m", 1.0))
    first = da.simulate(heavy, duration=0.1, q0=[0.3])
    assert da.simulate(heavy, duration=0.1, p={"m": 2.0}, start=first).status == "completed"


def test_runs_with_a_jump_between_them_are_not_joined() -> None:
    run, other = (da.simulate(pendulum(), duration=1.0, q0=[q]) for q in (0.3, 0.9))
    with pytest.raises(da.InputError, match=r"at t = 1 s state 'th' is -0.29\d* here and 0.9 there"):
        run.append(replace(other, t=other.t + 1.0))
    assert run.append(da.simulate(pendulum(), duration=1.0, start=run)).t[-1] == 2.0


# -- names and settings -----------------------------------------------------------------------------------------------


def test_a_name_that_means_two_things_is_refused_in_texts() -> None:
    both = da.Parameter("th", 2.0)
    message = "'th' is a coordinate and a parameter of machine 'pendulum'"
    with pytest.raises(da.MachineError, match=f"signal 's': {message}"):
        pendulum(mass=both, signals=[da.Signal("s", "2 * th")])
    with pytest.raises(da.DalembertError, match=message):
        da.simulate(pendulum(mass=both), duration=0.1, events=[da.Event("e", "th - 1")])
    plain = pendulum(mass=both, signals=[da.Signal("s", "parameter.th + th_dot")])
    assert da.simulate(plain, duration=0.1, v0=[0.5])["s"][0] == 2.5


@pytest.mark.parametrize("limits", ["contact", "stop"])
@pytest.mark.parametrize("verb", [da.simulate, da.rollout])
def test_limits_that_no_joint_has_are_refused(verb: Any, limits: str) -> None:
    with pytest.raises(da.InputError, match=f"limits='{limits}' .* no joint of machine 'pendulum' has"):
        verb(pendulum(), duration=0.1, limits=limits)
    bounded = cart(limits=da.Limits(lower=-1.0, upper=1.0))
    assert verb(bounded, duration=0.1, limits=limits) is not None


@pytest.mark.parametrize("verb", [da.simulate, da.rollout])
def test_a_way_to_keep_constraints_that_do_not_exist_is_refused(verb: Any) -> None:
    with pytest.raises(da.InputError, match="machine 'pendulum' has none"):
        verb(pendulum(), duration=0.1, constraints="baumgarte")


def test_advice_about_boxes_on_round_surfaces_can_be_taken() -> None:
    def machine(shape: Any, surface: Any) -> da.Machine:
        contact = da.Contact("touch", "b", shape, surface=surface)
        bodies = [da.Body("b", 1.0, inertia=(0.1,) * 3)]
        return da.Machine("box", bodies, [da.Joint("f", "free", "world", "b")], contacts=[contact])

    ball = da.SphericalSurface(radius=1.0)
    with pytest.raises(da.MachineError, match=r"a Capsule or points .* a HalfSpace or BoxSurface in place of"):
        machine(da.Box((1, 1, 1)), ball)
    for shape in (da.Sphere(0.1), da.Capsule(0.1, 1.0), None):
        machine(shape, ball)
    machine(da.Box((1, 1, 1)), da.HalfSpace())


def test_the_loops_of_a_capture_belong_to_one_robot() -> None:
    other = space_robots.space_chaser("rigid", arrays="rigid")
    heavy = other.with_(bodies=[replace(b, mass=900.0) if b.name == "base" else b for b in other.bodies])
    plan = object.__new__(da.plan.RobotCapture)
    object.__setattr__(plan, "robot", heavy)
    with pytest.raises(da.InputError, match="the plan is for machine 'space-chaser' with other bodies"):
        space_robots.capture_loop(plan)


# -- derivatives ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "height"), [(da.Box((1.0, 0.8, 0.6)), 0.75), (da.Capsule(0.1, 1.0), 0.7)])
def test_sensitivities_of_a_free_body_with_several_contact_points(shape: Any, height: float) -> None:
    """Through an impact, against differences; they were not numbers, even before any impact."""
    contact = da.Contact("c", "b", shape, surface=da.HalfSpace(), restitution=0.5)
    bodies = [da.Body("b", 1.0, inertia=(0.1, 0.12, 0.14))]
    machine = da.Machine("thrown", bodies, [da.Joint("f", "free", "world", "b")], contacts=[contact])
    eom = da.equations(machine, backend="vm")
    turned = da.Transform.about((0.3, 0.4, -0.2), 0.54).rotation
    q0 = dict(zip(("f.qw", "f.qx", "f.qy", "f.qz"), da.spatial.quaternion_from_matrix(np.array(turned)), strict=True))
    settings = {"duration": 0.25, "step": 0.005}
    start = {"q0": {"f.z": height, **q0}, "v0": {"f.wx": 1.0, "f.wy": -0.5}}
    found = da.campaigns.sensitivities(eom, of=["f.z", "f.wx"], wrt=["q0.f.z", "v0.f.wy"], **settings, **start)
    h = 1e-5
    for k, changes in enumerate(([{"q0": {"f.z": height + s * h}} for s in (1, -1)],
                                 [{"v0": {"f.wy": -0.5 + s * h}} for s in (1, -1)])):  # fmt: skip
        runs = [
            da.simulate(eom, **settings, **{name: {**start[name], **change.get(name, {})} for name in start})
            for change in changes
        ]
        assert all(len(run.events) == 1 for run in runs)
        for name in ("f.z", "f.wx"):
            slope = (runs[0][name][-1] - runs[1][name][-1]) / (2 * h)
            assert found[name][-1, k] == pytest.approx(slope, rel=1e-6, abs=1e-9)


# -- transitions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("ceiling", [False, True])
def test_a_weld_closes_at_the_impact_of_a_rubbing_contact(ceiling: bool, friction: float) -> None:
    """It ended with "events accumulate": the weld held the contact beyond its gap, which was found again at once."""
    surface = da.HalfSpace(point=(0, 0, 1), normal=(0, 0, -1)) if ceiling else da.HalfSpace()
    machine = da.Machine(
        "caught", [da.Body("b", 1.0, inertia=(0.1, 0.12, 0.14))], [da.Joint("f", "free", "world", "b")],
        contacts=[da.Contact("wall", "b", da.Sphere(0.1), surface=surface, friction=friction)],
        constraints=[da.WeldConstraint("grip", "b", "world", switchable=True, active=False)],
    )  # fmt: skip
    start = {"q0": {"f.z": 0.5}, "v0": {"f.vx": 1.0, "f.vz": 4.0 if ceiling else 0.0}}
    switch = da.Switch(event="wall.impact", on=("grip",))
    run = da.simulate(da.equations(machine, backend="vm"), duration=0.4, step=2e-3, switches=[switch], **start)
    assert [e.name for e in run.events] == ["wall.impact"]
    hit = (4.0 - np.sqrt(16.0 - 0.8 * 9.81)) / 9.81 if ceiling else np.sqrt(0.8 / 9.81)
    assert run.events[0].t == pytest.approx(hit, abs=1e-9)
    assert run["f.z"][-1] == pytest.approx(0.9 if ceiling else 0.1, abs=1e-10)
    assert np.abs(run.x[-1, 7:13]).max() < 1e-12


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"restitution": 0.0}, "contact 'wall' of machine 'cart' from closing at t = 1.8 s"),
        ({"restitution": 0.5}, "contact 'wall' of machine 'cart' from closing at t = 1.8 s"),
        ({"friction": 0.4}, "contact 'wall' of machine 'cart' from closing at t = 1.8 s"),
        (None, "cable 'rope' of machine 'cart' from getting longer at t = 1.8 s"),
    ],
)
def test_prescribed_motion_into_a_wall_names_the_drive(parts: Any, message: str) -> None:
    wall = da.HalfSpace(point=(1.0, 0, 0), normal=(-1, 0, 0))
    held: dict[str, Any] = (
        {"cables": [da.Cable("rope", "c", length=0.9)]} if parts is None
        else {"contacts": [da.Contact("wall", "c", da.Sphere(0.1), surface=wall, **parts)]}
    )  # fmt: skip
    drive = da.MotionConstraint("drive", joint="x", value=0.5 * da.TIME)
    eom = da.equations(cart(constraints=[drive], **held), backend="vm")
    with pytest.raises(da.SimulationError, match=f"no impulses keep {message}: the prescribed motion 'drive' drives"):
        da.simulate(eom, duration=3.0, step=1e-2, q0={"x": 0.0})


def test_the_energy_audit_of_generalized_alpha_is_of_second_order_with_a_drive() -> None:
    """The work of prescribed motion followed a rectangle rule: 7e-4 at 1 ms, and half of it at half the step."""
    bodies = [da.Body("cart", 2.0), da.Body("bob", 1.0, (0, 0, -1.0), (0.01,) * 3)]
    joints = [
        da.Joint("x", "prismatic", "world", "cart", axis="x"),
        da.Joint("th", "revolute", "cart", "bob", axis="y"),
    ]
    drive = da.MotionConstraint("drive", joint="x", value=0.3 * da.sin(2 * da.TIME))
    eom = da.equations(da.Machine("driven", bodies, joints, constraints=[drive]), backend="vm")
    start = {"q0": {"th": 0.3}, "v0": {"x_dot": 0.6}}
    coarse, fine = (
        da.simulate(eom, duration=1.0, step=h, constraints="generalized-alpha", **start) for h in (4e-3, 2e-3)
    )
    assert coarse.energy.drift == pytest.approx(4.0 * fine.energy.drift, rel=0.1)
    exact = da.simulate(eom, duration=1.0, step=2e-3, **start)["work.input"][-1]
    errors = [abs(run["work.input"][-1] - exact) for run in (coarse, fine)]
    assert errors[0] == pytest.approx(4.0 * errors[1], rel=0.1)


def test_measures_of_a_resting_box_are_the_forces_of_its_rows() -> None:
    """Four corners share the weight in rows that depend on each other; measures were not numbers there."""
    contact = da.Contact("floor", "b", da.Box((0.4, 0.4, 0.4)), surface=da.HalfSpace(), friction=0.3)
    bodies = [da.Body("b", 1.0, inertia=(0.1,) * 3)]
    machine = da.Machine("box", bodies, [da.Joint("f", "free", "world", "b")], contacts=[contact])
    eom = da.equations(machine, backend="vm")
    name, settings = "force.floor[0].normal", {"duration": 0.02, "step": 5e-3, "q0": {"f.z": 0.2}, "record": 0.01}
    run = da.simulate(eom, **settings)
    assert run[name] == pytest.approx(9.81 / 4, rel=1e-12)
    measures = {by: da.Measure(name, by) for by in ("min", "max", "final", "mean")}
    found = da.rollout(eom, measure=measures, **settings)
    for by in measures:
        assert np.ravel(found.measures[by]) == pytest.approx(9.81 / 4, rel=1e-7)  # eight digits of least norm
