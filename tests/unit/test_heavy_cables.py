"""Heavy cables as elements of machines: forces, stiffness and energy of the elastic catenary."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import fsolve

import dalembert as da
from dalembert.analysis import cable_lengths, catenary, hold_pose, rest_pose, static_equilibrium
from dalembert.core.errors import DalembertWarning, InputError, MachineError
from dalembert.io import load_machine, machine_to_yaml
from dalembert.systems.cable_robots import cable_robot
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
        ({"pulley": 0.1, "swivel": "fixed"}, "got a pulley that does not swivel"),
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
        [
            da.point_mass("m", 100.0),
            da.Body("slide"),
            da.Body("drum", 20.0, inertia=(2, 2, 2)),
            da.point_mass("car", 300.0),
        ],
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
    )
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


def test_a_car_carries_the_winch_and_the_pulley_of_a_heavy_cable() -> None:
    """The winch pays out, and the vertical momentum changes by all weights; the audit counts the cable as an input."""
    machine = da.Machine(
        "hung",
        [da.point_mass("m", 100.0), da.Body("drum", 20.0, inertia=(2, 2, 2)), da.point_mass("car", 300.0)],
        [
            da.Joint("z", "prismatic", "world", "m", axis="z"),
            da.Joint("y", "prismatic", "world", "car", axis="z", origin=(-20, 0, 10), stiffness=2e4),
            da.Joint("w", "revolute", "car", "drum", axis="y"),
        ],
        cables=[
            da.Cable("a", "m", "car", winch="w", drum=0.3, pulley=0.4, length=24.0, stiffness=2e5, weight=20.0),
        ],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", da.DalembertWarning)
        run = da.simulate(machine, duration=0.5, q0={"y": -0.1}, method="dopri5", rtol=1e-9, atol=1e-10, backend="vm")
    assert run.energy.drift < 1e-8 and run["w"][-1] > 0.1
    q = {"z": -0.5, "y": 0.05, "w": 0.7}
    short = da.simulate(machine, duration=1e-6, q0=q, step=1e-6, backend="vm")
    shaken = 100.0 * short["z_dot"][-1] + 320.0 * short["y_dot"][-1]  # vertical momentum
    assert shaken / 1e-6 == pytest.approx(-(420.0 * 9.81 + 2e4 * 0.05 + 20.0 * 24.0), rel=1e-6)


def over_a_pulley(length: float, weight: float, stiffness: float, radius: float, end: np.ndarray) -> tuple[Any, float]:
    """The catenary from where it is tangent to a pulley that touches the z axis at the origin, and its angle there."""
    s = np.array([end[0], end[1], 0.0]) / np.hypot(end[0], end[1])

    def catenary_at(psi: float, tension: float) -> Any:
        start = radius * ((1 + np.cos(psi)) * s + np.sin(psi) * np.array([0.0, 0.0, 1.0]))

        def stretch(angle: float) -> float:  # on the arc, without friction, under its weight
            drop = weight * radius * (np.sin(psi) - np.sin(angle))
            return float(np.sqrt((1 + tension / stiffness) ** 2 - 2 * drop / stiffness))

        arc = radius * quad(lambda angle: 1 / stretch(angle), psi, np.pi, epsabs=1e-13)[0]
        return catenary(start, end, length - arc, weight, stiffness=stiffness)

    def miss(x: np.ndarray) -> list[float]:
        cable = catenary_at(*x)
        low = cable.vertical - weight * cable.length
        return [x[0] - np.arctan2(cable.horizontal, -low), (cable.tensions[0] - x[1]) / 1e3]

    psi, tension = fsolve(miss, [1.5, 1000.0], xtol=1e-12)
    return catenary_at(psi, tension), psi


def test_a_heavy_cable_leaves_a_pulley_as_a_tangent() -> None:
    """Accelerations of a mass in space, and the wrap, against a solution for the tangent point by another method."""
    cable = da.Cable("a", "m", length=106.3, stiffness=2.8e6, weight=20.601, pulley=0.5)
    machine = da.Machine(
        "p",
        [da.point_mass("m", 500.0), da.Body("s1"), da.Body("s2")],
        [
            da.Joint("x", "prismatic", "world", "s1", axis="x", origin=(100, 0, 0)),
            da.Joint("y", "prismatic", "s1", "s2", axis="y"),
            da.Joint("z", "prismatic", "s2", "m", axis="z", origin=(0, 0, -30)),
        ],
        cables=[cable],
    )
    q = np.array([0.4, 2.0, -0.3])
    run = da.simulate(machine, duration=1e-6, q0=dict(zip("xyz", q, strict=True)), step=1e-6, backend="vm")
    expected, psi = over_a_pulley(106.3, 20.601, 2.8e6, 0.5, q + [100.0, 0.0, -30.0])
    assert run["tension.a"][0] == pytest.approx(expected.tensions[1], rel=1e-9)
    assert run["tension_start.a"][0] == pytest.approx(expected.tensions[0], rel=1e-9)
    a = np.array([run[f"{n}_dot"][-1] for n in "xyz"]) / 1e-6
    np.testing.assert_allclose(a, expected.forces[1] / 500.0 - [0, 0, 9.81], rtol=0, atol=1e-5)
    way = build_scene(machine).bake(q[None, :], 0.0).cables["a"][0]
    left = 0.5 * np.array([1 + np.cos(psi), np.sin(psi)])
    along = np.hypot(way[:, 0], way[:, 1])
    assert np.hypot(along - left[0], way[:, 2] - left[1]).min() < 1e-6


@pytest.mark.slow
def test_a_platform_on_heavy_cables_over_pulleys() -> None:
    """Weight, stretch and pulleys in one model: balance, lengths back to the pose, stiffness, friction."""
    posts, corners = [(-20.0, 0.0, 12.0), (20.0, 0.0, 12.0)], [(-0.5, 0.0, 0.3), (0.5, 0.0, 0.3)]
    plate = da.Body("plate", 60.0, inertia=(4.0, 4.0, 6.0))

    def robot(**more: Any) -> da.Machine:
        options: dict[str, Any] = {"mount": "planar", "lengths": [21.0] * 2, "stiffness": 1e5, "weight": 8.0}
        return cable_robot("hall", plate, posts, corners, **(options | {"pulley": 0.4, "winches": False} | more))

    pose, load = [0.0, 5.0, 0.0], [0.0, 60.0 * 9.81, 0.0]
    held = hold_pose(robot(), pose, lower=100.0, upper=4000.0)
    total = np.zeros(3)
    for k, (post, corner) in enumerate(zip(posts, corners, strict=True)):
        cable, psi = over_a_pulley(held.lengths[k], 8.0, 1e5, 0.4, np.array(corner) + [0, 0, 5.0] - post)
        assert cable.tensions == pytest.approx((held.exit_tensions[k], held.tensions[k]), rel=1e-8)
        assert held.wraps[k] == pytest.approx(np.pi - psi, rel=1e-8)
        total += cable.forces[1]
    np.testing.assert_allclose(total[[0, 2]], [0.0, load[1]], rtol=1e-8, atol=1e-5)
    less, more = held.winch_tensions(0.1)
    for side, bound in ((1.0, less), (-1.0, more)):  # along the arc, from its end back to the winch
        for k, wrap in enumerate(held.wraps):

            def slope(a: float, T: np.ndarray, mu: float = 0.1 * side) -> np.ndarray:
                return (3.2 * np.cos(a) + mu * 3.2 * np.sin(a)) / (1 + T / 1e5) + mu * T

            arc = solve_ivp(slope, (wrap, 0.0), [held.exit_tensions[k]], rtol=1e-10)
            assert bound[k] == pytest.approx(arc.y[0, -1], rel=1e-5)
    rubbing = held.machine.with_(cables=[replace(c, friction=0.1, lead=2.0) for c in held.machine.cables])
    np.testing.assert_allclose(replace(held, machine=rubbing).winch_tensions(), (less, more))
    rest = static_equilibrium(robot(), held.lengths, [0.05, 5.1, 0.01])
    np.testing.assert_allclose(rest.q, pose, rtol=0, atol=1e-8)
    K, h = held.stiffness, 1e-4
    for k in range(2):
        ends = []
        for side in (1, -1):
            moved = np.array(pose) + side * h * np.eye(3)[k]
            pull = np.zeros(3)
            for L, post, corner in zip(held.lengths, posts, corners, strict=True):
                end = np.array(corner) + [moved[0], 0, moved[1]] - post
                pull += over_a_pulley(float(L), 8.0, 1e5, 0.4, end)[0].forces[1]
            ends.append(pull[[0, 2]])
        np.testing.assert_allclose(-(ends[0] - ends[1]) / (2 * h), K[:2, k], rtol=1e-5, atol=1e-2)
    point = hold_pose(robot(pulley=0.0), pose, lower=100.0, upper=4000.0)
    assert abs(point.tensions[0] - held.tensions[0]) > 1.0
    light, straight = (hold_pose(robot(weight=w), pose, lower=100.0, upper=4000.0) for w in (1e-2, 0.0))
    np.testing.assert_allclose(light.tensions, straight.tensions, rtol=1e-3)
    np.testing.assert_allclose(light.lengths, straight.lengths, rtol=1e-5)
