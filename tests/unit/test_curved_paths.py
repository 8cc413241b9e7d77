"""Contacts that turn while they push: paths along curved surfaces, and bodies that pivot, by time-stepping."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da

RADIUS, BALL, SPEED = 0.8, 0.1, 1.2
PLACES = ("b.x", "b.y", "b.z")


def bowl(friction: float) -> da.Machine:
    surface = da.SphericalSurface(RADIUS, centre=(0.0, 0.0, RADIUS), inside=True)
    return da.Machine(
        "bowl",
        [da.sphere("ball", 2.0, BALL)],
        [da.Joint("b", "free", "world", "ball")],
        contacts=[da.Contact("c", "ball", da.Sphere(BALL), surface=surface, friction=friction)],
    )


def run_in_bowl(friction: float, height: float = 0.0, **settings: Any) -> da.Run:
    """A ball starts above the wall at 50 degrees and moves along it, for 2 s."""
    way, lean = RADIUS - BALL - height, np.radians(50.0)
    q0 = {"b.x": way * np.sin(lean), "b.z": RADIUS - way * np.cos(lean)}
    return da.simulate(bowl(friction), duration=2.0, q0=q0, v0={"b.vy": SPEED}, record=2e-3, **settings)


@cache
def exact_run(friction: float) -> da.Run:
    return run_in_bowl(friction, method="dop853", rtol=1e-10)


def error(run: da.Run, exact: da.Run) -> float:
    return max(abs(run[name][-1] - exact[name][-1]) for name in PLACES)


def test_a_smooth_bowl_takes_no_energy() -> None:
    """Its loss is of second order; rows that do not turn would take half a percent of the kinetic energy per second."""
    exact = exact_run(0.0)
    errors, losses = [], []
    for step in (2e-3, 1e-3):
        run = run_in_bowl(0.0, contact="time-stepping", step=step)
        assert (run["force.c.normal"][1:] > 0.0).all() and np.abs(run["gap.c"][2:]).max() < 1e-7
        assert run.energy.drift < 1e-12
        errors.append(error(run, exact))
        losses.append(abs(run["loss.c"][-1]) / exact["energy.kinetic"].max())
    assert errors[0] < 1e-4 and errors[1] < errors[0] / 3.5
    assert losses[0] < 1e-4 and losses[1] < losses[0] / 3.0


def test_a_rough_bowl_takes_what_friction_takes() -> None:
    """The ball slides until it rolls; rows of the tangents turn with the wall, and with the spin of the ball."""
    exact = exact_run(0.3)
    errors = []
    for step in (2e-3, 1e-3):
        run = run_in_bowl(0.3, contact="time-stepping", step=step)
        assert (run["force.c.normal"][1:] > 0.0).all() and run["slip.c"][-1] < 1e-3
        assert run["loss.c"][-1] == pytest.approx(exact["loss.c"][-1], rel=5.0 * step)
        errors.append(error(run, exact))
    assert exact["loss.c"][-1] > 0.1 and errors[0] < 2e-3 and errors[1] < errors[0] / 1.8


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_a_ball_that_falls_into_the_bowl_stays_on_its_wall(friction: float) -> None:
    """The contact has no turn in the step of its impact, and has it from then on."""
    run = run_in_bowl(friction, 0.02, contact="time-stepping", step=2e-3)
    first = int(np.flatnonzero(run["force.c.normal"])[0])
    assert first > 10 and (run["force.c.normal"][first:] > 0.0).all()
    assert np.abs(run["gap.c"][first:]).max() < 1e-5


def test_a_rod_that_pivots_about_its_tip_is_a_pendulum() -> None:
    """It sticks by friction alone; the same rod on a spherical joint has the exact motion."""
    length, lean, spin = 1.0, 0.5, 1.5
    tip = (0.0, 0.0, -0.5 * length)
    free = da.Machine(
        "standing",
        [da.cylinder("rod", 1.5, 0.02, length, "z")],
        [da.Joint("b", "free", "world", "rod")],
        contacts=[da.Contact("tip", "rod", None, tip, friction=5.0)],
    )
    about_tip = da.cylinder("rod", 1.5, 0.02, length, "z", com=(0.0, 0.0, 0.5 * length))
    held = da.Machine("held", [about_tip], [da.Joint("b", "spherical", "world", "rod")])
    turn = {"b.qw": np.cos(lean / 2.0), "b.qx": np.sin(lean / 2.0)}
    middle = {"b.y": -0.5 * length * np.sin(lean), "b.z": 0.5 * length * np.cos(lean)}
    exact = da.simulate(held, duration=0.3, q0=turn, v0={"b.wy": spin}, method="dop853", rtol=1e-10)
    errors = []
    for step in (2e-3, 1e-3):
        v0 = {"b.wy": spin, "b.vx": spin * 0.5 * length}
        run = da.simulate(free, duration=0.3, q0={**middle, **turn}, v0=v0, contact="time-stepping", step=step)
        assert (run["force.tip.normal"][1:] > 0.0).all() and abs(run["loss.tip"][-1]) < 20.0 * step**2
        errors.append(max(abs(run[n][-1] - exact[n][-1]) for n in ("b.qw", "b.qx", "b.qy", "b.qz")))
    assert errors[0] < 1e-5 and errors[1] < errors[0] / 3.5


def pivoting(jointed: bool) -> da.Machine:
    """A rod that leans on an edge of its lower end; beside a cart on a rail, bodies have Jacobians from tapes."""
    bodies, joints = [da.box("rod", 1.5, (0.04, 0.04, 1.0))], [da.Joint("b", "free", "world", "rod")]
    if jointed:
        bodies.append(da.Body("cart", 1.0))
        joints.append(da.Joint("rail", "prismatic", "world", "cart", axis="x"))
    ground = da.Collider("ground", surface=da.HalfSpace(), friction=5.0)
    return da.Machine("pivoting", bodies, joints, colliders=[da.Collider("rod", bodies=["rod"], friction=5.0), ground])


@pytest.mark.parametrize("jointed", [False, True])
def test_a_box_that_pivots_about_its_edge_is_a_pendulum(jointed: bool) -> None:
    """Points of colliders: the edge sticks, and its angle is that of SciPy on the equation of a compound pendulum."""
    lean, spin, edge = 0.5, 1.5, np.array([0.02, 0.0, -0.5])
    inertia = 1.5 / 12.0 * (0.04**2 + 1.0) + 1.5 * (edge @ edge)

    def centre(angle: float) -> np.ndarray:
        c, s = np.cos(angle), np.sin(angle)
        return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]) @ -edge

    def rates(_: float, y: np.ndarray) -> list[float]:
        return [y[1], 1.5 * 9.81 * centre(y[0])[0] / inertia]

    exact = solve_ivp(rates, (0.0, 0.15), [lean, spin], rtol=1e-11, atol=1e-12).y[0, -1]
    x, velocity = centre(lean), np.cross([0.0, spin, 0.0], -edge)  # in axes of the body
    q0 = {"b.x": x[0], "b.z": x[2], "b.qw": np.cos(lean / 2.0), "b.qy": np.sin(lean / 2.0)}
    v0 = {"b.wy": spin, "b.vx": velocity[0], "b.vz": velocity[2]}
    errors = []
    for step in (4e-3, 2e-3):
        run = da.simulate(pivoting(jointed), duration=0.15, q0=q0, v0=v0, contact="time-stepping", step=step)
        assert (run["contact.count"][1:] == 2).all() and abs(run["work.loss"][-1]) < 3.0 * step**2
        errors.append(abs(2.0 * np.arctan2(run["b.qy"][-1], run["b.qw"][-1]) - exact))
    assert errors[0] < 1e-4 and errors[1] < errors[0] / 3.5


@pytest.mark.parametrize("solid", [da.Sphere(0.3), da.Capsule(0.3, 1.0), da.Cylinder(0.3, 1.0)])
def test_a_ball_slides_over_a_round_collider(solid: Any) -> None:
    """Without friction it keeps its energy along the arc."""
    lying = da.Transform.about("x", 0.0 if isinstance(solid, da.Sphere) else -0.5 * np.pi)
    hill, ball = da.Body("hill", geometry=solid), da.sphere("ball", 1.0, 0.1)
    joints = [da.Joint("h", "fixed", "world", "hill", origin=lying), da.Joint("b", "free", "world", "ball")]
    machine = da.Machine("hill", [hill, ball], joints, colliders=[da.Collider("all", friction=0.0)])
    losses = []
    for step in (4e-3, 2e-3):
        start = {"q0": {"b.z": 0.4}, "v0": {"b.vx": 0.8}}
        run = da.simulate(machine, duration=0.3, contact="time-stepping", step=step, **start)
        assert (run["contact.count"][1:] == 1).all() and run["b.z"][-1] < 0.35
        losses.append(abs(run["work.loss"][-1]))
    assert losses[0] < 5e-4 and losses[1] < losses[0] / 3.0
