"""Contacts that turn while they push: paths along curved surfaces, and bodies that pivot, by time-stepping."""

from functools import cache
from typing import Any

import numpy as np
import pytest

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
