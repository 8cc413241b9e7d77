"""Slips that begin, end or all but stand still: their direction turns ever faster, yet they take few steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.support.random_falls import dropped_quadruped, hinged_boxes
from tests.support.thrown_box import thrown_box

import dalembert as da
from dalembert.compile import find_toolchain
from dalembert.control import PD
from dalembert.plan import Sine
from dalembert.systems.legged import quadruped, quadruped_stance

G, MU, K, W = 9.81, 0.3, 40.0, 2.0
REACH, PHASE = np.array([0.09, 0.07]), np.array([0.0, 0.9])

needs_compiler = pytest.mark.skipif(find_toolchain() is None, reason="a quadruped needs a C compiler")


def pulled_block() -> da.Machine:
    """A block that cannot turn, with motors along x and y."""
    bodies = [da.point_mass("a", 0.0), da.point_mass("b", 0.0), da.point_mass("block", 1.0)]
    joints = [
        da.Joint("x", "prismatic", "world", "a", axis="x"),
        da.Joint("y", "prismatic", "a", "b", axis="y"),
        da.Joint("z", "prismatic", "b", "block", axis="z"),
    ]
    motors = [da.Motor("x", "x"), da.Motor("y", "y")]
    return da.Machine("block", bodies, joints, motors=motors, contacts=[da.Contact("floor", "block", friction=MU)])


def pull(t: float, x: np.ndarray) -> np.ndarray:
    """Force of a spring whose other end goes round."""
    return np.asarray(K * (REACH * np.sin(W * t + PHASE) - x))


@pytest.mark.parametrize("backend", ["auto", pytest.param("vm", marks=pytest.mark.slow)])
def test_a_block_is_pulled_from_rest(backend: Any) -> None:
    """Compared with a stiff solver on the law of friction as it is, from the first motion on."""
    law = PD(
        kp=(K, K), kd=(0.0, 0.0), reference=Sine(center=0.0, amplitude=REACH, frequency=W / (2 * np.pi), phase=PHASE)
    )
    eom = da.equations(pulled_block(), backend=backend)
    run = da.simulate(eom, duration=0.6, control=law, method="dopri5", rtol=1e-10, atol=1e-12, record=0.05)
    begins = next(event.t for event in run.events if event.name == "floor.slip")
    load = pull(begins, np.zeros(2))
    assert np.linalg.norm(load) == pytest.approx(MU * G, abs=1e-7)
    # the pull grows by c, and turns: from rest u = c (t - t0)^2 / 2 along it
    ahead, step = 1e-4, 1e-6
    c = (np.linalg.norm(pull(begins + step, np.zeros(2))) - np.linalg.norm(load)) / step

    def rates(t: float, s: np.ndarray) -> np.ndarray:
        u = s[2:]
        return np.concatenate([u, pull(t, s[:2]) - MU * G * u / np.linalg.norm(u)])

    way = pull(begins + ahead, np.zeros(2))
    start = np.concatenate([np.zeros(2), c * ahead**2 / 2 * way / np.linalg.norm(way)])
    stop = next((event.t for event in run.events if event.name == "floor.stick" and event.t > begins), 0.6)
    end = min(stop - 0.01, 0.6)
    exact = solve_ivp(rates, (begins + ahead, end), start, method="Radau", rtol=1e-9, atol=1e-13, dense_output=True)
    rows = (run.t > begins + 0.01) & (run.t < end)
    assert rows.sum() >= 5
    got = np.column_stack([run["x"], run["y"], run["x_dot"], run["y_dot"]])[rows]
    np.testing.assert_allclose(got, exact.sol(run.t[rows]).T, atol=2e-8)
    assert run.metadata["steps"] < 3000  # 2e5 and more where the direction is that of the velocity alone


def test_both_corners_of_an_edge_begin_to_slip_in_both_languages() -> None:
    """Their forces along the edge are indeterminate as long as they stick."""
    machine, settings = thrown_box(29)
    before = da.simulate(machine, duration=1.138, **settings)
    start = {"q0": before.x[-1, :7], "v0": before.x[-1, 7:13], "method": "dopri5", "record": 5e-4}
    runs = [da.simulate(da.equations(machine, backend=b), duration=2e-3, **start) for b in ("auto", "vm")]
    for run in runs:
        assert sorted(event.name for event in run.events) == ["g[5].slip", "g[7].slip"]
        assert 1e-7 < run["slip.g[5]"][-1] < 1e-3
    np.testing.assert_allclose(runs[0].x[:, :13], runs[1].x[:, :13], atol=1e-10)
    assert runs[0].metadata["steps"] < 500


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 14])
def test_hinged_boxes_come_to_rest_on_all_corners(seed: int) -> None:
    """Corners that creep while others stick: who decides on that must have friction as the equations of motion do."""
    machine, settings = hinged_boxes(seed)
    run = da.simulate(machine, duration=2.0, **settings)
    forces = [run[name] for name in run.names if name.startswith("force.") and name.endswith(".normal")]
    assert sum(force[-1] for force in forces) == pytest.approx(2 * G, rel=1e-6)
    assert min(run[name].min() for name in run.names if name.startswith("gap.")) > -2e-11
    assert run.energy.drift < 1e-7


@needs_compiler
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (0, *range(2, 10)))])
def test_a_quadruped_lands_event_by_event(seed: int) -> None:
    """Feet strike, slip, stick and let go in any order: forces push, within their cones, and take energy."""
    machine = quadruped(friction=da.Parameter("mu", 0.7))
    q0, v0, mu = dropped_quadruped(seed)
    stance = quadruped_stance()
    law = PD(kp=250.0, kd=6.0, reference=np.array([stance.get(name, 0.0) for name in machine.u_names]))
    settings: Any = {"q0": q0, "v0": v0, "p": {"mu": mu}, "control": law, "method": "dopri5"}
    run = da.simulate(machine, duration=0.4 if seed == 1 else 1.0, record=0.02, max_steps=20_000, **settings)
    assert run.events
    for name in da.equations(machine).contact_names:
        force = np.column_stack([run[f"force.{name}.{way}"] for way in ("normal", "tangent1", "tangent2")])
        assert run[f"gap.{name}"].min() > -2e-11
        assert force[:, 0].min() > -1e-9
        assert (np.hypot(force[:, 1], force[:, 2]) - mu * force[:, 0]).max() < 1e-8
    assert run.energy.drift < 1e-7
    assert all(change["energy_lost"] > -1e-12 for change in run.metadata["transitions"])


@needs_compiler
@pytest.mark.slow
def test_a_sliding_quadruped_is_what_time_steps_converge_to() -> None:
    machine = quadruped(friction=0.4)
    q0, v0, _ = dropped_quadruped(3)
    stance = quadruped_stance()
    law = PD(kp=250.0, kd=6.0, reference=np.array([stance.get(name, 0.0) for name in machine.u_names]))
    settings: Any = {"duration": 0.25, "q0": q0, "v0": v0, "control": law, "record": 0.25}
    exact = da.simulate(machine, method="dopri5", **settings)
    assert exact.events
    errors = [
        np.linalg.norm(da.simulate(machine, contact="time-stepping", step=step, **settings).x[-1, :3] - exact.x[-1, :3])
        for step in (2e-4, 1e-4, 5e-5, 2.5e-5)
    ]
    assert errors[-1] < 1e-5
    assert errors[-1] < 0.3 * errors[0]  # order 1: an eighth, on average over where impacts lie in a step
