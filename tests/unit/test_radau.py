"""Radau IIA: stiff machines with few steps, events at their closed form, and the refusals."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import InputError
from dalembert.simulation.engines.radau import RadauEngine

# A bob of 1 kg in oil: x'' = -c x' - k x has the rates of a fast and a slow decay.
STIFF, SPRING = 1e5, 1e3
BOB = da.Machine(
    "bob",
    bodies=[da.point_mass("bob", 1.0)],
    joints=[da.Joint("x", "prismatic", "world", "bob", axis=(1, 0, 0), damping=STIFF, stiffness=SPRING)],
    motors=[da.Motor("drive", "x")],
)
SLOW = (STIFF - np.sqrt(STIFF**2 - 4 * SPRING)) / 2
FAST = STIFF - SLOW
EXPERIMENT = da.Experiment(BOB, start=da.Start(q={"x": 1.0}), duration=100.0, record=10.0)


def closed_form(t: np.ndarray) -> np.ndarray:
    """Position of the bob that starts at rest."""
    return (FAST * np.exp(-SLOW * t) - SLOW * np.exp(-FAST * t)) / (FAST - SLOW)


def test_stiff_decay_is_that_of_the_closed_form_in_few_steps() -> None:
    run = da.simulate(EXPERIMENT, method=da.Radau(rtol=1e-9, atol=1e-12))
    np.testing.assert_allclose(run["x"], closed_form(run.t), rtol=1e-8)
    assert run.t.tolist() == list(np.arange(0.0, 101.0, 10.0))
    explicit = da.simulate(EXPERIMENT, method="dopri5", duration=0.2, record=0.2)
    assert run.metadata["steps"] < explicit.metadata["steps"] / 10  # for 500 times the time
    rough = da.simulate(EXPERIMENT, method=da.Radau(rtol=1e-3, atol=1e-5))
    assert rough.metadata["steps"] < run.metadata["steps"]
    np.testing.assert_allclose(rough["x"], closed_form(rough.t), atol=1e-3)


def test_events_are_located_at_their_closed_form() -> None:
    half = da.Event("half", "x - 0.5", terminal=True, direction=-1)
    run = da.simulate(EXPERIMENT, events=half, method=da.Radau(rtol=1e-10, atol=1e-13))
    exact = np.log(2.0 * FAST / (FAST - SLOW)) / SLOW
    assert run.status == "stopped" and run.events[0].t == pytest.approx(exact, rel=1e-7)
    assert run["x"][-1] == pytest.approx(0.5, abs=1e-9)


def test_transitions_and_samples_restart_the_solver() -> None:
    """What is held changes at samples, and a state that an event sets is what the run goes on with."""
    law = da.SampledController(lambda t, q, v: [SPRING if t < 25.0 else 0.0], period=25.0)
    run = da.simulate(EXPERIMENT, control=law, method=da.Radau(rtol=1e-9, atol=1e-12))
    np.testing.assert_allclose(run["x"][:3], 1.0, atol=1e-6)  # held at the equilibrium of the force
    after = run["x"][run.t >= 30.0]
    assert np.log(after[0] / after[-1]) == pytest.approx(SLOW * 70.0, rel=1e-5)

    def double(t: float, x: np.ndarray, names: list[str]) -> np.ndarray:
        x[0] *= 2.0
        return x

    jump = da.simulate(
        EXPERIMENT, events=da.Event("half", "x - 0.5", direction=-1), on_event=double, method=da.Radau(rtol=1e-9)
    )
    assert len(jump.events) == 1
    assert jump["x"][-1] == pytest.approx(np.exp(-SLOW * (100.0 - jump.events[0].t)), rel=1e-5)


def test_rigid_motion_of_a_quaternion() -> None:
    """A tumbling box: energy and the unit norm are kept, and the end is that of an explicit method of order 8."""
    box = da.Machine(
        "box", bodies=[da.box("box", 1.0, (0.1, 0.2, 0.4))], joints=[da.Joint("base", "free", "world", "box")],
        gravity=(0, 0, 0),
    )  # fmt: skip
    spin = da.Experiment(box, start=da.Start(v={"base.wx": 0.1, "base.wy": 3.0}), duration=3.0, record=0.5)
    run = da.simulate(spin, method=da.Radau(rtol=1e-10, atol=1e-12))
    reference = da.simulate(spin, method=da.DormandPrince8(rtol=1e-12, atol=1e-14))
    np.testing.assert_allclose(run.array(box.q_names), reference.array(box.q_names), atol=1e-7)
    assert run.energy.drift < 1e-8


def test_constraints_are_refused() -> None:
    from dalembert.systems.mechanisms import four_bars

    with pytest.raises(InputError, match="method 'radau' cannot keep constraints by 'projection'"):
        da.simulate(four_bars(1), duration=0.1, method="radau")


def test_a_part_of_a_step_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event is located by parts of a step: where the solver cannot make one, the run says so and ends."""

    def fails(self: RadauEngine, t: float, h: float, x: np.ndarray) -> np.ndarray:
        raise RuntimeError("no part")

    low = da.Event("low", lambda t, q, v: q[0] - 0.5)
    machine = da.Machine(
        "mass",
        [da.point_mass("mass", 1.0)],
        [da.Joint("z", "prismatic", "world", "mass", axis="z")],
    )
    monkeypatch.setattr(RadauEngine, "part", fails)
    with pytest.raises(da.SimulationError, match="RuntimeError: no part"):
        da.simulate(machine, duration=1.0, q0={"z": 1.0}, method="radau", events=(low,))
