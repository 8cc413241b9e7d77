"""What would have no effect, or a wrong one, is refused or told by name: settings, events, switches, limits, laws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
import pytest

import dalembert as da


def pendulum(effort: float = np.inf, limits: da.Limits | None = None) -> da.Machine:
    """A pendulum with a motor."""
    return da.Machine(
        "pendulum",
        bodies=[da.point_mass("bob", da.Parameter("m", 1.0), com=(0, 0, -1.0))],
        joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0), limits=limits or da.Limits())],
        motors=[da.Motor("hip", "theta", effort=effort)],
    )


@dataclass(frozen=True)
class Root:
    """A law that is a number until the time, or the coordinate, reaches one."""

    of: str = "t"

    def state_names(self, eom: Any) -> tuple[str, ...]:
        return ()

    def initial_state(self, eom: Any) -> np.ndarray:
        return np.zeros(0)

    def expression(self, eom: Any, t: Any, q: Any, v: Any, z: Any, p: Any) -> tuple[Any, Any]:
        return 100.0 * ca.sqrt(1.0 - (t if self.of == "t" else q[0])), ca.SX(0, 1)


@pytest.mark.parametrize("of", ["t", "q"])
@pytest.mark.parametrize("effort", [5.0, pytest.param(np.inf, marks=pytest.mark.slow)])
@pytest.mark.parametrize("method", ["rk4", "dopri5", "cvodes"])
@pytest.mark.parametrize("backend", ["auto", "vm"])
def test_an_effort_that_is_not_a_number_ends_the_run_by_name(of, effort, method, backend) -> None:
    """A limit of the motor does not make full effort of it."""
    eom = da.equations(pendulum(effort), backend=backend)
    with pytest.raises(da.SimulationError) as caught:
        da.simulate(eom, duration=3.0, q0=[0.9], v0=[2.0], control=Root(of), method=method)
    run = caught.value.run
    assert run.status in ("diverged", "failed")
    assert "signal 'u.hip' is nan" in str(caught.value)
    assert (run.t if of == "t" else run["theta"])[-1] == pytest.approx(1.0, abs=2e-2)  # a row of cvodes is 6e-3 s
    assert np.isfinite(run["u.hip"]).all()


def test_an_effort_that_is_not_a_number_ends_a_rollout_by_name() -> None:
    result = da.rollout(pendulum(5.0), duration=2.0, q0=[[0.1], [0.2]], control=Root(), step=1e-2, record=0.1)
    assert (result.status == "diverged").all()
    assert result.message(1).startswith("signal 'u.hip' is not a finite number; state")
    assert result.failed_at == pytest.approx([1.0, 1.0], abs=2e-2)


def test_saturation_of_numbers_is_what_it_was() -> None:
    eom = da.equations(pendulum(5.0))
    u = np.array([-1e299, -7.0, -5.0, -3.0, 0.0, 4.9, 5.0, 6.0, 1e299])
    applied = eom.applied(np.zeros((9, 1)), np.zeros((9, 1)), u[:, None])
    assert np.array_equal(applied[:, 0], np.clip(u, -5.0, 5.0))


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (lambda t, q, v: q[0] > 0.5, "got a comparison"),
        (lambda t, q, v: ca.logic_and(q[0] > 0, v[0] < 0), "got a comparison"),
        (lambda t, q, v: True, "never happens"),
        (lambda t, q, v: 0.5, "never happens"),
    ],
)
def test_events_are_numbers_that_change(expression, words) -> None:
    with pytest.raises(da.InputError, match=words):
        da.simulate(pendulum(), duration=0.1, events=[da.Event("odd", expression)])


RANGE = da.Limits(lower=-0.5, upper=0.5)


def test_a_start_outside_of_limits_is_told() -> None:
    machine = pendulum(limits=RANGE)
    words = "'theta' of machine 'pendulum' starts at 0.7, outside of its range -0.5 to 0.5"
    with pytest.warns(da.DalembertWarning, match=words):
        da.simulate(machine, duration=0.1, q0=[0.7])
    with pytest.raises(da.InputError, match=words):
        da.simulate(machine, duration=0.1, q0=[0.7], limits="stop")
    da.simulate(machine, duration=0.1, q0=[0.7], limits="ignore")
    stopped = da.simulate(machine, duration=3.0, v0=[4.0], limits="stop")
    assert stopped.status == "stopped"
    assert da.simulate(machine, duration=0.1, start=stopped, control=[-100.0], limits="stop").status == "completed"
    with pytest.warns(da.DalembertWarning):
        beyond = da.simulate(machine, duration=0.1, q0=[0.7])
    with pytest.raises(da.InputError, match="start: 'theta'"):
        da.simulate(machine, duration=0.1, start=beyond, limits="stop")


def held() -> da.Machine:
    return da.Machine(
        "rail",
        bodies=[da.Body("one", 1.0)],
        joints=[da.Joint("x", "prismatic", "world", "one", axis=(1, 0, 0))],
        constraints=[da.MotionConstraint("hold", "x", value=0.0, switchable=True)],
    )


def test_switches_outside_of_the_run_are_told() -> None:
    for at in (-1.0, 0.0):
        with pytest.raises(da.InputError, match=f"the Switch of hold at t = {at:g} s comes before the run"):
            da.simulate(held(), duration=1.0, switches=[da.Switch(at=at, off="hold")])
    with pytest.warns(da.DalembertWarning, match="the Switch of hold at t = 2 s comes after the end of the run at 1 s"):
        first = da.simulate(held(), duration=1.0, switches=[da.Switch(at=2.0, off="hold")])
    switches = [da.Switch(at=0.5, off="hold"), da.Switch(at=1.5, on="hold")]
    first = da.simulate(held(), duration=1.0, switches=switches[:1])
    later = da.simulate(held(), duration=1.0, start=first, switches=switches[:1])  # done with, in the first part
    assert not later.events
    with pytest.raises(da.InputError, match=r"t0 = 0\.3 contradicts the run to continue"):
        da.simulate(held(), duration=1.0, start=first, t0=0.3)


@pytest.mark.parametrize("wrong", ["0.1", True, b"1"])
def test_text_and_truth_values_are_no_numbers(wrong) -> None:
    machine = pendulum()
    for settings in ({"q0": {"theta": wrong}}, {"q0": [wrong]}, {"v0": [wrong]}, {"p": {"m": wrong}}, {"p": [wrong]}):
        with pytest.raises(da.InputError, match="number"):
            da.simulate(machine, duration=0.1, **settings)
        with pytest.raises(da.InputError, match="number"):
            da.rollout(machine, duration=0.1, **settings)
