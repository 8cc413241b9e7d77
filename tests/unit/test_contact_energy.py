"""Contacts never add energy: restitution is lowered, steps that would are refused, runs that did have failed."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.random_falls import dropped_quadruped

import dalembert as da
from dalembert.compile import find_toolchain
from dalembert.core.errors import InputError, SimulationError
from dalembert.systems.legged import quadruped

SIZE = (0.4, 0.05, 0.02)


def thrown_stick(seed: int) -> tuple[da.Machine, dict[str, object]]:
    rng = np.random.default_rng(seed)
    turn = rng.normal(size=4)
    mu, contact = da.Parameter("mu", 0.5), {"restitution": 0.9}
    stick = da.Machine(
        "stick",
        [da.box("b", 1.0, SIZE)],
        [da.Joint("base", "free", "world", "b")],
        contacts=[da.Contact("c", "b", da.Box(SIZE), friction=mu, **contact)],
    )
    v0 = np.append(2.0 * rng.normal(size=3), 8.0 * rng.normal(size=3))
    q0 = np.append([0.0, 0.0, 0.5], turn / np.linalg.norm(turn))
    return stick, {"q0": q0, "v0": v0, "p": {"mu": float(rng.uniform(0.2, 1.0))}}


@pytest.mark.parametrize("seed", [4, 7])
def test_restitution_with_friction_adds_no_energy_in_steps(seed: int) -> None:
    """It did: 0.2 J in one step. The loss of each step is never negative, and the run says that it was lowered."""
    stick, start = thrown_stick(seed)
    with pytest.warns(UserWarning, match="restitution would have added energy"):
        run = da.simulate(stick, duration=1.5, contact="time-stepping", step=1e-3, record=1e-3, **start)
    gained = np.diff(run.energy.work_loss)
    assert gained.max() < 1e-9 * run.energy.peak
    lowered = run["contact.lowered"]
    assert 0.0 < lowered.max() < 0.2
    assert run["contact.residual"].max() < 1e-8
    faults = run.metadata["contact_faults"]
    assert faults["lowered"] == (2 if seed == 4 else 1)
    assert faults["lowered"] == np.count_nonzero(lowered) and faults["most_lowered"] == lowered.max()
    assert faults["lowered_since"] == pytest.approx(run.t[np.argmax(lowered > 0.0)])
    assert faults["lowered_t"] == pytest.approx(run.t[np.argmax(lowered)])
    with pytest.warns(UserWarning, match=f"in {faults['lowered']} of the steps"):
        coarse = da.simulate(stick, duration=1.5, contact="time-stepping", step=1e-3, record=0.25, **start)
    assert coarse.metadata["contact_faults"] == faults


def test_lanes_lower_restitution_too() -> None:
    stick, start = thrown_stick(7)
    settings = {"duration": 1.0, "contact": "time-stepping", "step": 1e-3}
    many = da.rollout(stick, vary={"mu": [start["p"]["mu"], 0.3]}, q0=start["q0"], v0=start["v0"], **settings)  # type: ignore[index]
    with pytest.warns(UserWarning, match="lowered"):
        alone = da.simulate(stick, record=0.001, **settings, **start)
    assert many.final[0] == pytest.approx(alone.x[-1], abs=1e-9)


def test_an_elastic_ball_keeps_its_restitution() -> None:
    ball = da.Machine(
        "ball",
        [da.sphere("ball", 1.0, 0.1)],
        [da.Joint("base", "free", "world", "ball")],
        contacts=[da.Contact("floor", "ball", da.Sphere(0.1), restitution=1.0)],
    )
    run = da.simulate(ball, duration=2.0, q0={"base.z": 0.6}, contact="time-stepping", step=1e-3)
    assert run["contact.lowered"].max() == 0.0
    assert run.energy.kinetic[-700:].max() > 4.8


@pytest.mark.skipif(find_toolchain() is None, reason="a quadruped needs a C compiler")
@pytest.mark.parametrize(
    "seed", [17, pytest.param(59, marks=pytest.mark.slow), pytest.param(15, marks=pytest.mark.slow)]
)
def test_a_step_across_a_jam_is_refused(seed: int) -> None:
    """Limp legs: the step at whose event a foot jams left with 66 J more (17: 254 J before the rule of forces)."""
    q0, v0, _ = dropped_quadruped(seed)
    machine = quadruped(friction=da.Parameter("mu", 0.7))
    run = da.simulate(
        machine,
        duration=0.45 if seed == 17 else 0.6,
        q0=q0,
        v0=v0,
        p={"mu": 0.772},
        method="dopri5",
        rtol=1e-7,
        record=0.02,
    )
    energy = run.energy
    assert (energy.residual + energy.transition).max() < 1e-6 * energy.peak
    normals = [name for name in run.names if name.startswith("force.") and name.endswith(".normal")]
    assert min(run[name].min() for name in normals) >= 0.0


def test_a_run_that_gained_has_failed() -> None:
    """A fixed step that is far too long for a fast spin; with a bound that admits it the run is completed."""
    top = da.Machine(
        "top",
        [da.box("b", 1.0, (0.3, 0.2, 0.1))],
        [da.Joint("base", "free", "world", "b")],
        contacts=[da.Contact("c", "b", da.Sphere(0.2), friction=0.3)],
    )
    start = {"q0": {"base.z": 5.0}, "v0": {"base.wx": 3.0, "base.wy": 40.0, "base.wz": 1.0}}
    settings = {"duration": 0.8, "method": "euler", "step": 5e-3, **start}
    with pytest.raises(SimulationError, match=r"has gained .* J"):
        da.simulate(top, **settings)
    run = da.simulate(top, check=False, **settings)
    assert run.status == "failed" and "energy_bound" in run.message
    assert da.simulate(top, contact=da.EventDriven(energy_bound=1e6), **settings).status == "completed"


@pytest.mark.parametrize("bound", [0.0, -1.0, float("nan"), "much", True])
def test_a_bound_is_a_positive_number(bound: object) -> None:
    with pytest.raises(InputError, match="energy_bound of EventDriven must be a finite number > 0"):
        da.EventDriven(energy_bound=bound)  # type: ignore[arg-type]
