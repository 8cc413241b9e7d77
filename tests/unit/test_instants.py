"""Rows of an instant at which the state changes: before all that happens there, and after it."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.control import Sampled
from dalembert.engine.problem.problem import EventSpec, Problem
from dalembert.simulation.instants import told_rows

MU = 0.4


def pushed_block() -> da.Machine:
    """A block in the plane on its two lower corners, pushed along the ground."""
    return da.Machine(
        "block",
        [da.Body("block", 1.0, inertia=(1.0, (0.2**2 + 0.4**2) / 12, 1.0))],
        [da.Joint("b", "planar", "world", "block", axis="-y")],
        frames=[da.Frame("foot", "block", (0.0, 0.0, -0.2))],
        contacts=[
            da.Contact(name, "block", origin=(x, 0.0, -0.2), friction=MU)
            for name, x in (("left", -0.1), ("right", 0.1))
        ],
        thrusters=[da.Thruster("push", "foot", force=(1.0, 0.0, 0.0))],
    )


class Steps:
    """A push that jumps: none, then more than friction holds, then back, so that the block tips over a corner."""

    def state_names(self, eom: object) -> tuple[str, ...]:
        return ()

    def initial_state(self, eom: object) -> np.ndarray:
        return np.zeros(0)

    def expression(self, eom: object, t: ca.SX, q: ca.SX, v: ca.SX, z: ca.SX, p: ca.SX) -> tuple[ca.SX, ca.SX]:
        return ca.if_else(t < 0.25, 0.0, ca.if_else(t < 0.55, 6.0, -9.0)), ca.SX(0, 1)


def python_steps(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
    return [0.0 if t < 0.25 else 6.0 if t < 0.55 else -9.0]


@pytest.mark.parametrize("record", [None, 0.1, 0.25])
@pytest.mark.parametrize(
    ("control", "backend"),
    [
        (Sampled(Steps(), 0.1), "auto"),
        (da.SampledController(python_steps, 0.1), "auto"),
        (da.SampledController(python_steps, 0.1), "vm"),
    ],
    ids=["native", "python", "vm"],
)
def test_forces_are_those_of_a_motion(control: object, backend: str, record: float | None) -> None:
    """Where a sample makes a block slip, and lifts a corner off: no row shows a pull, or friction beyond its limit."""
    eom = da.equations(pushed_block(), backend=backend)
    run = da.simulate(eom, duration=0.7, q0={"b.y": 0.2}, control=control, method="dopri5", record=record)
    assert {"left.slip", "left.release"} <= {event.name for event in run.events}
    for name in ("left", "right"):
        push, rubs = run[f"force.{name}.normal"], run[f"force.{name}.tangent1"]
        assert push.min() > -1e-9
        assert (np.abs(rubs) <= MU * push + 1e-7).all()
    assert np.unique(run.t, return_counts=True)[1].max() <= 2
    slips = np.flatnonzero(np.isclose(run.t, 0.3))
    assert len(slips) == 1 and run["u.push"][slips] == 6.0 and run["stick.left"][slips] == 0.0
    before = run.t < 0.6
    speed = np.maximum(0.0, (6.0 - MU * 9.81) * (run.t[before] - 0.3))  # m a = 6 - mu m g from there on
    np.testing.assert_allclose(run["b.x_dot"][before], speed, atol=1e-9)


def test_which_rows_are_told() -> None:
    """First and last of an instant; of that of a sample only the last, unless the motion jumps."""
    t = np.array([0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0])
    x = np.array([[0.0, 0.0]] * 4 + [[1.0, 0.0], [1.0, 1.0], [1.0, 1.0], [5.0, 1.0], [5.0, 1.0]])
    moves = np.array([True, False])
    assert told_rows(t, x, moves, np.zeros(9, dtype=bool)).tolist() == [True, True, False, *[True] * 6]
    sampled = np.isin(t, [1.0, 2.0, 3.0, 4.0])
    told = told_rows(t, x, moves, sampled)
    assert told.tolist() == [True, False, False, True, False, True, True, True, True]


def falls_in_two(each: bool) -> da.Run:
    """A number that falls to zero; it is then made one, and at that very instant two."""
    t, x, c, p = ca.SX.sym("t"), ca.SX.sym("x", 2), ca.SX.sym("c", 0), ca.SX.sym("p", 0)
    names = ["t", "x", "c", "p"]
    problem = Problem(
        state_names=("y", "more"),
        ode=ca.Function("ode", [t, x, c, p], [ca.vertcat(-1, 0)], names, ["out"]),
        signals=ca.Function("signals", [t, x, c, p], [x[0]], names, ["out"]),
        signal_names=("value",),
        events=ca.Function("events", [t, x, c, p], [ca.vertcat(x[0], 1.5 - ca.fabs(x[1] - 2.0))], names, ["out"]),
        event_specs=(EventSpec("low", direction=-1), EventSpec("again", direction=-1, positive=True)),
    )

    def change(t: float, x: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
        return np.array([1.0, 4.0]) if "low" in names else np.array([2.0, 1.0])

    return da.simulation.integrate(
        problem, [1.0, 1.0], duration=1.5, step=0.1, on_event=change, each_transition=each, record=0.5
    )


def test_several_transitions_of_one_instant() -> None:
    """What is between them is not told, unless it is asked for; what follows is the same."""
    told, each = falls_in_two(False), falls_in_two(True)
    assert [event.name for event in told.events] == ["low", "again"]
    np.testing.assert_allclose(told.t, [0.0, 0.5, 1.0, 1.0, 1.5], atol=1e-12)
    np.testing.assert_allclose(told["y"], [1.0, 0.5, 0.0, 2.0, 1.5], atol=1e-12)
    np.testing.assert_allclose(each["y"], [1.0, 0.5, 0.0, 1.0, 2.0, 1.5], atol=1e-12)
    assert math.isclose(told.final.x[0], each.final.x[0])
