"""Heavy cables as elements of machines: forces, stiffness and energy of the elastic catenary."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import cable_lengths, catenary, rest_pose
from dalembert.core.errors import DalembertWarning, InputError, MachineError
from dalembert.io import load_machine, machine_to_yaml
from dalembert.view import build_scene

STAY = {"length": 106.0, "stiffness": 2.8e7, "weight": 20.601}


def mass(**stay: float) -> da.Machine:
    """A point mass in space on springs, at the end of cable A."""
    joints = [
        da.Joint("x", "prismatic", "world", "a", axis="x", origin=(100, 0, 30), stiffness=300.0),
        da.Joint("y", "prismatic", "a", "b", axis="y", stiffness=300.0),
        da.Joint("z", "prismatic", "b", "m", axis="z", stiffness=300.0),
    ]
    rope = da.Rope("stay", [da.Anchor("world"), da.Anchor("m")], **(STAY | stay))
    return da.Machine("held", [da.Body("a"), da.Body("b"), da.point_mass("m", 500.0)], joints, ropes=[rope])


def platform(n: int = 4) -> da.Machine:
    """A platform in space on heavy cables from posts of 12 m."""
    posts = [(-20, -15, 12), (20, -15, 12), (20, 15, 12), (-20, 15, 12)][:n]
    corners = [(-0.5, -0.5, 0.3), (0.5, -0.5, 0.3), (0.5, 0.5, 0.3), (-0.5, 0.5, 0.3)]
    ropes = [
        da.Rope(f"c{k}", [da.Anchor("world", post), da.Anchor("p", corner)], length=25.2, stiffness=1e6, weight=8.0)
        for k, (post, corner) in enumerate(zip(posts, corners, strict=False))
    ]
    body = da.Body("p", 60.0, inertia=(4.0, 4.0, 6.0))
    return da.Machine("robot", [body], [da.Joint("p", "free", "world", "p")], ropes=ropes)


def test_forces_are_those_of_the_catenary() -> None:
    """Random poses of a platform: forces and moments of all cables at their anchors."""
    machine, rng = platform(), np.random.default_rng(1)
    eom = da.equations(machine, backend="vm")
    free = da.equations(machine.with_(ropes=[]), backend="vm")
    for _ in range(5):
        q = eom.q_neutral + rng.normal(size=7) * 0.1
        q[3:] /= np.linalg.norm(q[3:])
        J = eom.jacobian("p", q)
        pose = eom.pose("p", q)
        R, p = pose[:3, :3], pose[:3, 3]
        expected = np.zeros(6)
        for rope in machine.ropes:
            start, corner = (np.array(e.at, dtype=float) for e in rope.path)
            force = catenary(start, p + R @ corner, 25.2, 8.0, stiffness=1e6).forces[1]
            expected += J.T @ np.concatenate([R.T @ force, np.cross(corner, R.T @ force)])
        pull = free.bias(q, np.zeros(6)) - eom.bias(q, np.zeros(6))
        np.testing.assert_allclose(pull, expected, rtol=1e-9, atol=1e-7)


def test_stiffness_is_exact() -> None:
    eom = da.equations(mass(), backend="vm")
    at = {"x": 0.4, "y": -2.0, "z": 0.7}
    plant = da.linearize(eom, at, require_equilibrium=False, inputs=[], outputs=["x", "y"])
    cable = catenary((0, 0, 0), (100.4, -2.0, 30.7), 106.0, 20.601, stiffness=2.8e7)
    np.testing.assert_allclose(
        -500.0 * plant.A[3:, :3] - 300.0 * np.eye(3), cable.stiffness_matrix, rtol=1e-8, atol=1e-6
    )


def test_energy_is_kept_and_fast_motion_warned_of() -> None:
    """Sway of about 0.2 Hz on a cable with 0.19 Hz: no energy is lost, but the cable would not follow."""
    with pytest.warns(DalembertWarning, match=r"the ends of rope 'stay' of machine 'held' move at about 0\.\d+ Hz"):
        run = da.simulate(mass(), duration=12.0, step=5e-3, record=0.05, backend="vm", v0={"y_dot": 0.5})
    total = run["energy.kinetic"] + run["energy.potential"]
    assert np.ptp(run["energy.kinetic"]) > 100.0 and np.ptp(total) < 1e-6 * np.ptp(run["energy.kinetic"])
    first = catenary((0, 0, 0), (100, 0, 30), 106.0, 20.601, stiffness=2.8e7)
    np.testing.assert_allclose([run["tension_start.stay"][0], run["tension.stay[0]"][0]], first.tensions, rtol=1e-10)
    np.testing.assert_allclose(run["own_frequency.stay"][0], first.frequency, rtol=1e-10)


def test_a_platform_on_sagging_cables_rests() -> None:
    """Pose, tensions and stiffness of a cable robot against a balance of its catenaries and differences of it."""
    machine = platform()
    rest = rest_pose(machine, {"p.z": 6.0})
    assert rest.stable
    p, up = rest.q[:3], np.array([0.0, 0.0, 1.0])
    np.testing.assert_allclose(p[:2], 0.0, atol=1e-8)
    pulls = []
    for rope in machine.ropes:
        start, corner = (np.array(e.at, dtype=float) for e in rope.path)
        cable = catenary(start, p + corner, 25.2, 8.0, stiffness=1e6)
        pulls.append(cable.forces[1])
        assert rest.tensions[f"{rope.name}[0]"] == pytest.approx(cable.tensions[1], rel=1e-9)
    np.testing.assert_allclose(np.sum(pulls, axis=0), 60.0 * 9.81 * up, atol=1e-6)
    stiff = np.array(
        [catenary(r.path[0].at, p + np.array(r.path[1].at), 25.2, 8.0, stiffness=1e6) for r in machine.ropes]
    )
    np.testing.assert_allclose(rest.stiffness[:3, :3], sum(c.stiffness_matrix for c in stiff), rtol=1e-7, atol=1e-5)
    straight = machine.with_(ropes=[da.Rope(r.name, r.path, length=25.2, stiffness=1e6) for r in machine.ropes])
    assert p[2] > rest_pose(straight, {"p.z": p[2] - 0.1}).q[2] + 0.05  # sag shortens the way between its ends


def test_pictures_show_the_sag() -> None:
    machine = mass()
    way = build_scene(machine).bake(np.zeros((1, 3)), 0.0).cables["stay"][0]
    cable = catenary((0, 0, 0), (100, 0, 30), 106.0, 20.601, stiffness=2.8e7)
    curve = cable.points(2000)
    np.testing.assert_allclose(way[:, 2], np.interp(way[:, 0], curve[:, 0], curve[:, 2]), atol=0.02 * cable.sag)
    assert way[:, 2].min() == pytest.approx(curve[:, 2].min(), abs=0.02 * cable.sag) and len(way) > 10


def test_files_and_refusals() -> None:
    machine = mass()
    assert da.load_machine(machine.to_yaml()).ropes == machine.ropes
    ends = [da.Anchor("world"), da.Anchor("m")]
    sheave = da.Sheave("world", 0.2, "y", name="S")
    for path, stay, message in (
        ([ends[0], sheave, ends[1]], {}, "rope 'stay' has weight: it must hang between two anchors, got sheave 'S'"),
        (ends, {"stiffness": None}, "rope 'stay' has weight: give its stiffness"),
        (ends, {"length": None}, "rope 'stay' has weight: give its length"),
        (ends, {"damping": 5.0}, "rope 'stay' has weight: it takes no damping"),
        (ends, {"weight": -1.0}, "weight of rope 'stay' must be"),
    ):
        with pytest.raises(MachineError, match=message):
            da.Rope("stay", path, **(STAY | stay))
    with pytest.raises(InputError, match="the anchors of rope 'stay', which has weight, lie above each other"):
        da.simulate(mass(), duration=0.1, q0={"x": -100.0}, backend="vm")
    with pytest.raises(InputError, match="rest_pose takes machines without constraints"):
        rest_pose(machine.with_(constraints=[da.MotionConstraint("m", joint="x", value=0.0)]))


POSTS = [(-20, -15, 12), (20, -15, 12), (20, 15, 12), (-20, 15, 12)]


def test_a_heavy_cable_of_a_robot_is_a_heavy_rope() -> None:
    """The same rest, tensions and stiffness by both descriptions; other lengths give other poses."""
    body: dict[str, Any] = {
        "bodies": [da.Body("p", 60.0, inertia=(4.0, 4.0, 6.0))],
        "joints": [da.Joint("p", "free", "world", "p")],
    }
    L = da.Parameter("L", 25.2)
    common: dict[str, Any] = {"stiffness": 1e6, "weight": 8.0}
    places = [(post, (post[0] / 40, post[1] / 30, 0.3)) for post in POSTS]
    cables = [
        da.Cable(f"c{k}", "p", "world", anchor_at=at, exit_at=post, length=L, **common)
        for k, (post, at) in enumerate(places)
    ]
    ropes = [
        da.Rope(f"c{k}", [da.Anchor("world", post), da.Anchor("p", at)], length=L, **common)
        for k, (post, at) in enumerate(places)
    ]
    robot = da.Machine("robot", cables=cables, **body)
    one, other = (rest_pose(m, {"p.z": 6.0}) for m in (robot, da.Machine("robot", ropes=ropes, **body)))
    np.testing.assert_allclose(one.q, other.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(list(one.tensions.values()), list(other.tensions.values()), rtol=1e-12)
    np.testing.assert_allclose(one.stiffness, other.stiffness, rtol=1e-12, atol=1e-9)
    lower = rest_pose(robot, {"p.z": 5.0}, p={"L": 25.4})
    assert lower.q[2] < one.q[2] - 0.1
    again = load_machine(machine_to_yaml(robot))
    assert again.cables == robot.cables
    run = da.simulate(robot, duration=0.1, q0={"p.z": float(one.q[2])}, step=1e-2, backend="vm")
    assert run["tension.c0"][-1] == pytest.approx(one.tensions["c0"], rel=1e-6)
    with pytest.raises(InputError, match="cable 'c0' of machine 'robot' has weight"):
        cable_lengths(robot, [0, 0, 6, 1, 0, 0, 0])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"pulley": 0.1}, "got a pulley"),
        ({"stiffness": None}, "give its stiffness"),
        ({"damping": 5.0}, "it takes no damping"),
    ],
)
def test_heavy_cables_that_cannot_be_are_refused(more: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"length": 5.0, "stiffness": 1e5, "weight": 3.0} | more
    with pytest.raises(MachineError, match=f"cable 'c' has weight: .*{message}"):
        da.Cable("c", "p", "world", **given)


@pytest.mark.parametrize("exit", ["world", "car"])
def test_a_winch_coils_a_heavy_cable(exit: str) -> None:
    """Torque of the winch, weight on the car and energy: paying out lifts nothing that rests on the drum."""
    place = (-20.0, 0.0, 10.0)
    common: dict[str, Any] = {"length": 24.0, "stiffness": 2e5, "weight": 20.0}
    machine = da.Machine(
        "hung",
        [da.point_mass("m", 100.0), da.Body("slide"), da.Body("drum", 20.0, inertia=(2, 2, 2)), da.point_mass("car", 300.0)],
        [
            da.Joint("x", "prismatic", "world", "slide", axis="x"),
            da.Joint("z", "prismatic", "slide", "m", axis="z"),
            da.Joint("y", "prismatic", "world", "car", axis="z", origin=place, stiffness=2e4),
            da.Joint("w", "revolute", "car", "drum", axis="y"),
        ],
        cables=[
            da.Cable("a", "m", exit, exit_at=place if exit == "world" else (0, 0, 0), winch="w", drum=0.3, **common),
            da.Cable("b", "m", "world", exit_at=(20, 0, 10), **common),
        ],
    )  # fmt: skip
    eom = da.equations(machine, backend="vm")
    q = {"x": 0.3, "z": -0.5, "y": 0.05, "w": 0.7}
    force = dict(zip(eom.v_names, eom.bias([q[n] for n in eom.q_names], np.zeros(4)), strict=True))
    rises = 0.05 if exit == "car" else 0.0
    cable = catenary((-20, 0, 10 + rises), (0.3, 0, -0.5), 24.0 + 0.3 * 0.7, 20.0, stiffness=2e5)
    T = cable.tensions[0]
    assert force["w_dot"] == pytest.approx(-0.3 * (T + T**2 / 4e5), rel=1e-9)
    own = 320.0 * 9.81 + 2e4 * 0.05
    pulled = cable.forces[0][2] + 20.0 * 0.3 * 0.7  # the drum is lighter by the cable that it has paid out
    assert force["y_dot"] == pytest.approx(own - (pulled if exit == "car" else 0.0), rel=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", da.DalembertWarning)
        run = da.simulate(machine, duration=1.0, q0={"y": -0.1}, method="dopri5", rtol=1e-9, atol=1e-10, backend="vm")
    assert run.energy.drift < 1e-9 and run["w"][-1] > 1.0
    assert da.load_machine(machine.to_yaml()).cables == machine.cables
