"""Members that stop at hard stops and limits of joints, located as in single runs; events that change nothing."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import InputError

RNG = np.random.default_rng(9)


def swing(*, stop: bool = True) -> da.Machine:
    """A double pendulum with a motor, whose first joint has limits."""
    limits = da.Limits(lower=-0.8, upper=0.6, velocity=40.0, stop=stop)
    return da.Machine(
        "swing",
        bodies=[da.point_mass("a", 1.0, com=(0, 0, -0.5)), da.point_mass("b", 0.5, com=(0, 0, -0.4))],
        joints=[
            da.Joint("theta1", "revolute", "world", "a", axis=(0, 1, 0), limits=limits),
            da.Joint("theta2", "revolute", "a", "b", origin=da.Transform((0, 0, -0.5)), axis=(0, 1, 0)),
        ],
        motors=[da.Motor("drive", "theta1")],
    )


@pytest.fixture(scope="module")
def eom() -> da.EquationsOfMotion:
    return da.equations(swing())


Q0 = np.array([[0.1, 0.0], [0.5, 1.0], [-0.7, -1.5], [0.0, 0.0], [0.6, 0.3], [-0.8, 0.2]])
V0 = np.array([[0.0, 0.0], [2.0, 0.0], [-1.0, 1.0], [3.0, -9.0], [-1.0, 0.0], [1.0, 0.0]])
SETTINGS = {"duration": 1.0, "step": 5e-3}
MEASURES = {"far": da.Measure("theta1", "max"), "path": da.Measure("theta2", "integral"), "end": da.Measure("t")}


def test_members_stop_where_single_runs_do(eom: da.EquationsOfMotion) -> None:
    """Among them members that start on a limit and leave it, and some that never reach one."""
    result = da.rollout(eom, q0=Q0, v0=V0, measure=MEASURES, record=0.05, **SETTINGS)
    assert set(result.status) == {"completed", "stopped"}
    for i in range(len(Q0)):
        run = da.simulate(eom, q0=Q0[i], v0=V0[i], record=0.05, limits="ignore", **SETTINGS)
        assert result.status[i] == run.status
        member = result.member(i)
        np.testing.assert_allclose(member.t, run.t, rtol=0, atol=1e-12)
        np.testing.assert_allclose(member.x, run.x, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(result.final[i], run.final.x, rtol=1e-10, atol=1e-10)
        assert result.message(i) == run.message
        whole = da.simulate(eom, q0=Q0[i], v0=V0[i], limits="ignore", **SETTINGS)
        np.testing.assert_allclose(result.measures["end"][i], run.final.t, rtol=0, atol=1e-12)
        np.testing.assert_allclose(result.measures["far"][i], whole["theta1"].max(), rtol=1e-10)
        integral = np.trapezoid(whole["theta2"], whole.t)
        np.testing.assert_allclose(result.measures["path"][i], integral, rtol=1e-10, atol=1e-12)
        if run.status == "stopped":
            assert result.stopped_by[i] == run.events[-1].name
            assert np.isnan(result.x[i, result.rows[i] :]).all()
        else:
            assert result.stopped_by[i] == "" and np.isnan(result.stopped_at[i])


def test_all_limits_on_request() -> None:
    eom = da.equations(swing(stop=False))
    free = da.rollout(eom, q0=Q0, v0=V0, **SETTINGS)
    assert free.ok.all()
    held = da.rollout(eom, q0=Q0, v0=V0, limits="stop", **SETTINGS)
    for i in range(len(Q0)):
        run = da.simulate(eom, q0=Q0[i], v0=V0[i], limits="stop", **SETTINGS)
        assert held.status[i] == run.status
        np.testing.assert_allclose(held.final[i], run.final.x, rtol=1e-10, atol=1e-10)


def test_stops_do_not_depend_on_others(eom: da.EquationsOfMotion) -> None:
    many = np.vstack([Q0] * 4), np.vstack([V0] * 4)
    order = RNG.permutation(len(many[0]))
    whole = da.rollout(eom, q0=many[0], v0=many[1], measure=MEASURES, threads=1, **SETTINGS)
    mixed = da.rollout(eom, q0=many[0][order], v0=many[1][order], measure=MEASURES, threads=3, **SETTINGS)
    for name in ("final", "stopped_at", "stopped_by", "status"):
        np.testing.assert_array_equal(getattr(mixed, name), getattr(whole, name)[order])
    np.testing.assert_array_equal(mixed.measures["path"], whole.measures["path"][order])
    alone = da.rollout(eom, q0=Q0[3], v0=V0[3], **SETTINGS)
    np.testing.assert_array_equal(alone.stopped_at[0], whole.stopped_at[3])


def test_virtual_machine_stops_the_same(eom: da.EquationsOfMotion) -> None:
    compiled = da.rollout(eom, q0=Q0[:4], v0=V0[:4], measure=MEASURES, duration=0.3, step=1e-2)
    interpreted = da.rollout(
        da.equations(swing(), backend="vm"), q0=Q0[:4], v0=V0[:4], measure=MEASURES, duration=0.3, step=1e-2
    )
    np.testing.assert_array_equal(interpreted.status, compiled.status)
    np.testing.assert_array_equal(interpreted.stopped_by, compiled.stopped_by)
    np.testing.assert_allclose(interpreted.final, compiled.final, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(interpreted.stopped_at, compiled.stopped_at, rtol=1e-10)
    np.testing.assert_allclose(interpreted.measures["path"], compiled.measures["path"], rtol=1e-9, atol=1e-11)


def test_a_stepper_waits_at_a_hard_stop(eom: da.EquationsOfMotion) -> None:
    stepper = da.stepper(eom, period=0.05, members=3, q0=Q0[:3], v0=V0[:3], step=5e-3)
    for _ in range(20):
        seen = stepper.step(np.zeros(1))
    result = da.rollout(eom, q0=Q0[:3], v0=V0[:3], **SETTINGS)
    np.testing.assert_array_equal(stepper.ok, result.ok)
    np.testing.assert_allclose(seen, result.final[:, :4], rtol=1e-10, atol=1e-10)
    stepper.reset()
    assert stepper.ok.all()


def test_events_that_change_nothing_are_passed() -> None:
    """An elastic cable that goes slack and taut: single runs note its events, and keep their steps as they are."""
    machine = da.Machine(
        "bungee",
        bodies=[da.point_mass("load", 2.0)],
        joints=[da.Joint("z", "prismatic", "world", "load", axis=(0, 0, 1))],
        frames=[da.Frame("top", "world", da.Transform((0, 0, 1.0))), da.Frame("hook", "load", da.Transform())],
        cables=[da.Cable("rope", "top", "hook", length=1.0, stiffness=400.0, damping=2.0)],
    )
    q0 = np.array([[-0.2], [0.3], [-0.4]])
    result = da.rollout(machine, q0=q0, duration=1.5, step=1e-3, record=0.1)
    for i in range(3):
        run = da.simulate(machine, q0=q0[i], duration=1.5, step=1e-3, record=0.1)
        assert {event.name for event in run.events} >= {"rope.slack", "rope.taut"}
        np.testing.assert_allclose(result.x[i], run.x, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(result["tension.rope"][i], run["tension.rope"], rtol=1e-9, atol=1e-9)


def test_refusals(eom: da.EquationsOfMotion) -> None:
    with pytest.raises(InputError, match=r"'theta1' of member 1 of machine 'swing' starts at 0\.7, outside"):
        da.rollout(eom, q0=[[0.0, 0.0], [0.7, 0.0]], **SETTINGS)
    with pytest.raises(InputError, match=r"'theta1' of machine 'swing' starts at 0\.7"):
        da.stepper(eom, period=0.1, q0={"theta1": 0.7})
    with pytest.raises(InputError, match="limits must be one of record, stop, ignore, contact, got True"):
        da.rollout(eom, limits=True, **SETTINGS)
