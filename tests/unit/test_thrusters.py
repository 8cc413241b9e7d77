"""Thrusters: inputs at a frame of any body, in every formulation, run and file."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.io import machine_to_yaml
from dalembert.systems.space_robots import fuel_mass
from dalembert.systems.textbook import floating_two_link

FINE: dict[str, Any] = {"method": "dopri5", "rtol": 1e-11, "atol": 1e-12}


def craft(**options: Any) -> da.Machine:
    """A box that floats, with a nozzle on a corner and a torque about its own z axis."""
    nozzle = da.Frame("nozzle", "hub", da.Transform((0.3, -0.2, 0.1)))
    thrusters = [
        da.Thruster("jet", "nozzle", force=(0, 1, 0), **options),
        da.Thruster("spin", "hub", torque=(0, 0, 1), effort=2.0),
    ]
    return da.Machine(
        "craft",
        [da.box("hub", 12.0, (0.6, 0.4, 0.2))],
        [da.Joint("hub", "free", "world", "hub")],
        frames=[nozzle],
        thrusters=thrusters,
        gravity=(0, 0, 0),
    )


@pytest.mark.parametrize("by", ["newton-euler", "lagrange", "natural"])
@pytest.mark.parametrize("axes", ["frame", "world"])
def test_a_thruster_is_a_wrench_of_its_input(by: str, axes: str) -> None:
    hub = craft()
    machine = hub.with_(
        bodies=[*hub.bodies, da.box("link", 2.0, (0.8, 0.1, 0.2), com=(0.4, 0, 0))],
        joints=[*hub.joints, da.Joint("hinge", "revolute", "hub", "link", da.Transform((0.3, 0, 0)), axis="y")],
        motors=[da.Motor("hinge", "hinge")],
        thrusters=(),
    )
    force, torque = (0.3, -0.4, 0.5), (0.1, 0.2, -0.7)
    pushed = machine.with_(thrusters=[da.Thruster("push", "link", force, torque, axes=axes)])
    loaded = machine.with_(
        wrenches=[da.Wrench("load", "link", tuple(1.7 * x for x in force), tuple(1.7 * x for x in torque), axes=axes)]
    )
    e, f = da.equations(pushed, by=by), da.equations(loaded, by=by)
    rng = np.random.default_rng(3)
    own = da.equations(machine)
    q, v = e.from_machine(own.random_configuration(rng), rng.normal(size=own.nv))
    u = rng.normal(size=machine.nu)
    np.testing.assert_allclose(e.applied(q, v, [*u, 1.7]), f.applied(q, v, u), rtol=1e-13, atol=1e-13)
    assert e.u_names == (*machine.u_names, "push")


@pytest.mark.parametrize("by", ["newton-euler", "lagrange", "natural"])
def test_a_pull_toward_a_point_is_the_gradient_of_the_distance(by: str, tmp_path: Any) -> None:
    """Virtual work: the tension of a cable acts against the rate of its length; files keep the point."""
    hub, points = craft(), {"cable": (1.5, -2.0, 3.0), "stay": (da.Parameter("far", -1.0), 0.4, -2.0)}
    pulls = [da.Thruster(name, "nozzle" if name == "cable" else "hub", toward=x) for name, x in points.items()]
    machine = hub.with_(thrusters=pulls)
    eom = da.equations(machine, by=by).in_machine_coordinates()
    s, ends = eom.symbolic, ((1.5, -2.0, 3.0), (-1.0, 0.4, -2.0))
    lengths = [ca.norm_2(ca.DM(x) - s.pose(f.frame)[:3, 3]) for f, x in zip(pulls, ends, strict=True)]
    rates = ca.jacobian(ca.vertcat(*lengths), s.q) @ s.coordinate_rate
    work = ca.Function("w", [s.q, s.v, s.u, s.p], [ca.densify(s.applied), -ca.jacobian(rates, s.v).T @ s.u])
    turned = np.array([0.2, -0.4, 0.1, 0.5, 0.5, -0.5, 0.5])
    applied, virtual = work(turned, np.zeros(6), [100.0, 37.0], eom.parameter_values())
    np.testing.assert_allclose(np.array(applied), np.array(virtual), atol=1e-12)
    (tmp_path / "pulls.yaml").write_text(machine_to_yaml(machine))
    assert da.load_machine(tmp_path / "pulls.yaml").thrusters == machine.thrusters


def test_force_and_torque_change_the_momentum() -> None:
    """A constant force in world axes at the centre of mass gives p = F t, wherever the box turns to."""
    machine = craft().with_(thrusters=[da.Thruster("pull", "hub", force=(1, 0, 0), axes="world")])
    run = da.simulate(machine, duration=3.0, v0={"hub.wx": 0.4, "hub.wz": -1.0}, control=[0.7], **FINE)
    eom = da.equations(machine)
    h = [eom.momentum(x[:7], x[7:13]) for x in run.x[[0, -1]]]
    np.testing.assert_allclose((h[1] - h[0])[:3], [2.1, 0, 0], atol=1e-9)
    assert run.energy.drift < 1e-9


def test_it_saturates_and_one_sided_ones_only_push() -> None:
    eom = da.equations(craft(effort=5.0, one_sided=True))
    at = (eom.q_neutral, np.zeros(6))
    for command, got in ((3.0, 3.0), (9.0, 5.0), (-1.0, 0.0)):
        np.testing.assert_allclose(eom.applied(*at, [command, 0.0])[:3], [0, got, 0], atol=1e-15)
    # the lever arm of the nozzle: r x F
    np.testing.assert_allclose(eom.applied(*at, [1.0, 0.0])[3:], np.cross([0.3, -0.2, 0.1], [0, 1, 0]), atol=1e-15)
    run = da.simulate(eom, duration=0.1, control=[9.0, -7.0])
    assert run["u.jet"][-1] == 5.0
    assert run["u.spin"][-1] == -2.0


def test_linear_models_files_rollouts_and_units(tmp_path: Any) -> None:
    machine = craft(effort=50.0, one_sided=True)
    path = tmp_path / "craft.yaml"
    machine.to_yaml(path)
    assert da.load_machine(path) == machine
    plant = da.linearize(machine, inputs=["spin"], outputs=["hub.wz"])
    inertia = 12.0 * (0.6**2 + 0.4**2) / 12
    np.testing.assert_allclose(np.abs(plant(1j)).ravel(), [1 / inertia], rtol=1e-12)
    run = da.simulate(machine, duration=0.5, control=[2.0, 1.0], step=1e-2)
    many = da.rollout(machine, duration=0.5, control=[2.0, 1.0], step=1e-2, q0=np.tile(machine.q_neutral, (3, 1)))
    np.testing.assert_allclose(many.x[:, -1, :7], np.tile(run.x[-1, :7], (3, 1)), rtol=1e-12, atol=1e-12)
    assert run.to_xarray()["u.jet"].attrs["units"] == "N"
    assert run.to_xarray()["u.spin"].attrs["units"] == "N m"


def test_laws_of_joints_leave_thrusters_off() -> None:
    machine = floating_two_link()
    held = machine.with_(thrusters=[da.Thruster("push", "base", force=(1, 0, 0))])
    law = da.PID(4.0, 1.0, 2.0, [0.3, -0.2])
    a, b = (da.simulate(m, duration=1.0, control=law, record=0.1) for m in (machine, held))
    np.testing.assert_allclose(a.x, b.x, atol=1e-12)
    assert not b["u.push"].any()


def test_fuel_of_a_burn() -> None:
    """SPACE (9.1): constant thrust F for t seconds burns F t / (g0 Isp)."""
    run = da.simulate(craft(), duration=4.0, control=[3.0, 0.5], record=0.5)
    unit = 4.0 / (9.80665 * 220.0)
    assert fuel_mass(run, 220.0, names=["jet"]) == pytest.approx(3.0 * unit, rel=1e-12)
    assert fuel_mass(run, 220.0, arm=0.25, each=True) == pytest.approx(5.0 * unit, rel=1e-12)
    with pytest.raises(da.InputError, match=r"'spin' gives a torque.*arm"):
        fuel_mass(run, 220.0, names="spin")
    with pytest.raises(da.InputError, match=r"different places: hub .*, nozzle .*each=True"):
        fuel_mass(run, 220.0, arm=0.25)
    with pytest.raises(da.UnknownNameError, match="thruster"):
        fuel_mass(run, 220.0, names=["jte"])
    both = [da.Thruster("pull", "hub", force=(1, 0, 0)), da.Thruster("turn", "hub", torque=(0, 1, 0))]
    run = da.simulate(craft().with_(thrusters=both), duration=4.0, control=[3.0, 1.0], record=0.5)
    assert fuel_mass(run, 220.0, arm=0.25) == pytest.approx(5.0 * unit, rel=1e-12)  # |(3, 4, 0)|
    with pytest.raises(da.InputError, match="no fuel to count"):
        fuel_mass(da.simulate(floating_two_link(), duration=0.1), 220.0)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"force": (0, 0, 0)}, "neither force nor torque"),
        ({"force": (1, 0, 0), "axes": "body"}, "axes of thruster 'jet' must be 'world' or 'frame'"),
        ({"force": (1, 0, 0), "effort": -1.0}, "effort limit of thruster 'jet' must be >= 0"),
        ({"force": (1, 0, 0), "one_sided": 1}, "'one_sided' of thruster 'jet' must be true or false"),
        ({"force": (1, 0), "frame": "hub"}, "force of thruster 'jet'"),
        ({"force": (1, 0, 0), "toward": (0, 0, 1)}, "has a wrench and pulls toward a point"),
    ],
)
def test_bad_thrusters_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(da.MachineError, match=message):
        da.Thruster(**({"name": "jet", "frame": "hub"} | fields))


def test_thrusters_of_a_machine_are_checked() -> None:
    with pytest.raises(da.MachineError, match="thruster 'jet': no frame named 'nozle'"):
        craft().with_(thrusters=[da.Thruster("jet", "nozle", force=(1, 0, 0))])
    with pytest.raises(da.MachineError, match="acts on the frame 'world', which does not move"):
        craft().with_(thrusters=[da.Thruster("jet", "world", force=(1, 0, 0))])
    twice = da.Thruster("jet", "hub", force=(1, 0, 0))
    with pytest.raises(da.MachineError, match="2 of the motor or thruster name 'jet'"):
        craft().with_(thrusters=[twice, twice])
    with pytest.raises(da.InputError, match=r"ComputedTorque drives joints only.*thrusters jet, spin"):
        da.simulate(craft(), duration=0.1, control=da.ComputedTorque(1.0, 1.0, 0.0))
