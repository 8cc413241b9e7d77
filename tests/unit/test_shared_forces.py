"""Forces that contacts share with each other and with constraints: a plank that tips, one on a rod, a linkage."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da


def plank(friction: float, **more: object) -> da.Machine:
    """1 kg in the x-z plane on two feet, 0.5 m to the left and to the right of its centre, at its height."""
    feet = [
        da.Contact(name, "plank", origin=(x, 0, 0), friction=friction) for name, x in (("left", -0.5), ("right", 0.5))
    ]
    joint = da.Joint("base", "planar", "world", "plank", axis=(0, -1, 0))
    body = da.Body("plank", 1.0, inertia=(0.1, 0.1, 0.1))
    return da.Machine("plank", [body], [joint], contacts=feet, **more)


@pytest.mark.parametrize("backend", ["native", "vm"])
def test_a_plank_tips_while_it_is_pushed(backend: str) -> None:
    """A torque takes the load off the right foot, ``(g - 2 k t)/2``, which sticks until it lifts."""
    rate, g = 10.0, 9.81
    tips = da.Wrench("tips", "plank", force=(2.0, 0, 0), torque=(0, -rate * da.TIME, 0))
    run = da.simulate(plank(0.6, wrenches=[tips]), duration=0.6, step=1e-2, backend=backend)
    released = g / (2.0 * rate)
    before = run.t < released - 1e-8  # a force of 1e-9 of the weight counts as none
    assert run["force.right.normal"][before] == pytest.approx(0.5 * (g - 2.0 * rate * run.t[before]), abs=1e-9)
    for foot in ("left", "right"):
        assert (np.abs(run[f"force.{foot}.tangent1"]) <= 0.6 * run[f"force.{foot}.normal"] + 1e-9).all()
    assert np.abs(run["base.x"][before]).max() < 1e-12
    assert run.t[run["active.right"] > 0.5][-1] == pytest.approx(released, abs=1e-8)
    assert len(run.events) < 6  # friction is left to the other foot, which can bear it
    assert run["base.angle"][-1] > 0.0


@pytest.mark.parametrize("backend", ["native", "vm"])
def test_feet_leave_to_a_rod_what_it_holds(backend: str) -> None:
    """A rod takes the push, which both feet and the rod could carry: it is twice of what friction could."""
    m = plank(
        0.3,
        wrenches=[da.Wrench("push", "plank", force=(6.0 * da.TIME, 0, 0))],
        frames=[da.Frame("wall", "world", (-2.0, 0, 0))],
        constraints=[da.DistanceConstraint("rod", "plank", "wall", length=2.0)],
    )
    run = da.simulate(m, duration=1.0, step=1e-2, backend=backend)
    assert not run.events
    assert np.abs(run["base.x"]).max() < 1e-12
    assert run["force.left.normal"] == pytest.approx(np.full(len(run.t), 0.5 * 9.81), abs=1e-9)


def linkage(seed: int) -> tuple[da.Machine, dict[str, float], float]:
    """Four bars hinged to a closed loop, with random restitution and friction of their hinges, above the ground."""
    rng = np.random.default_rng(seed)
    lengths = np.array([0.6, 0.35, 0.5, 0.4])
    bodies = [
        da.Body(f"bar{i}", 1.0, (x / 2, 0, 0), np.diag([0.01, x**2 / 12 + 0.01, x**2 / 12 + 0.01]))
        for i, x in enumerate(lengths)
    ]
    hinges = [
        da.Joint(f"hinge{i}", "revolute", f"bar{i - 1}", f"bar{i}", origin=(lengths[i - 1], 0, 0), axis=(0, -1, 0))
        for i in (1, 2, 3)
    ]
    e, mu = rng.uniform(0.0, 0.8), rng.uniform(0.0, 0.7)
    machine = da.Machine(
        "linkage",
        bodies,
        [da.Joint("base", "planar", "world", "bar0", axis=(0, -1, 0)), *hinges],
        frames=[da.Frame("end", "bar3", (lengths[3], 0, 0)), da.Frame("root", "bar0")],
        constraints=[da.BallConstraint("close", "end", "root", components="xz")],
        contacts=[da.Contact(f"end{i}", f"bar{i}", restitution=e, friction=mu) for i in range(4)],
    )
    # the triangle over the diagonal from the first bar's start to the second one's end
    turn = rng.uniform(1.2, 1.9)
    x, z = lengths[0] + lengths[1] * math.cos(turn), lengths[1] * math.sin(turn)
    diagonal = math.hypot(x, z)
    inner = math.acos((lengths[2] ** 2 + diagonal**2 - lengths[3] ** 2) / (2.0 * lengths[2] * diagonal))
    outer = math.acos((lengths[2] ** 2 + lengths[3] ** 2 - diagonal**2) / (2.0 * lengths[2] * lengths[3]))
    third = math.atan2(-z, -x) - turn - inner
    q0 = {
        "base.y": 1.0,
        "base.angle": rng.uniform(-3.0, 3.0),
        "hinge1": turn,
        "hinge2": third,
        "hinge3": math.pi - outer,
    }
    return machine, q0, rng.uniform(-1.0, 1.0)


@pytest.mark.parametrize(
    "seed", [8, 49, pytest.param(20, marks=pytest.mark.slow), pytest.param(26, marks=pytest.mark.slow)]
)
def test_a_closed_linkage_falls_and_rubs(seed: int) -> None:
    """Links lie on both of their ends, which share friction with each other and with the loop."""
    machine, q0, push = linkage(seed)
    run = da.simulate(machine, duration=2.0, q0=q0, v0={"base.x_dot": push}, method="dop853", rtol=1e-9, atol=1e-11)
    assert run.status == "completed"
    assert run.energy.drift < 1e-8
    assert run["constraint.position"].max() < 1e-11
    for i in range(4):
        assert run[f"gap.end{i}"].min() > -1e-10
        normal = run[f"force.end{i}.normal"]
        assert normal.min() > -1e-7
        assert (np.abs(run[f"force.end{i}.tangent1"]) <= machine.contacts[i].friction * normal + 1e-6).all()
