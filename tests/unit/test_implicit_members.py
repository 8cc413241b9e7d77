"""Implicit midpoint steps of many members in lanes, threads and on a GPU, of steppers, FMUs and real-time loops."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.support.finite_element_models import truss
from tests.support.gpu_on_processor import cupy_of_tests, needs_gpp

import dalembert as da
from dalembert.simulation.rollout import cuda

H = 1e-3
METHOD = da.ImplicitMidpoint(step=H, numerical_damping=0.2)
SPEEDS = np.linspace(1.0, 2.0, 11)


@pytest.fixture(scope="module")
def arm() -> da.EquationsOfMotion:
    """A boom with modes of 100 and 8000 rad/s, a damped ball joint (a quaternion) and a load."""
    section = da.Section.tube(0.02, 0.01)
    boom = da.Beam("boom", 1.0, section, E=7e10, G=3e10, density=2700.0, modes={"x": 1, "z": 1})
    load = da.Body("load", 2.0, inertia=(0.01, 0.02, 0.015), com=(0.1, 0, 0))
    joints = [
        da.Joint("swing", "revolute", "world", "boom", axis=(0, 1, 0)),
        da.Joint("wrist", "spherical", "boom.tip", "load", damping=0.1),
    ]
    return da.equations(da.Machine("arm", [boom, load], joints, motors=[da.Motor("motor", "swing")]))


@pytest.fixture(scope="module")
def single(arm: da.EquationsOfMotion) -> da.Run:
    """A run with the speed of the last member."""
    return da.simulate(arm, duration=0.02, v0={"swing_dot": SPEEDS[-1]}, method=METHOD, control=[0.5])


def test_members_in_lanes_take_the_steps_of_a_run(arm: da.EquationsOfMotion, single: da.Run) -> None:
    """Each iterates by itself: a member does not depend on the others, to the last bit."""
    settings = {"duration": 0.02, "method": METHOD, "record": H, "control": [0.5]}
    members = da.rollout(arm, v0={"swing_dot": SPEEDS}, **settings)
    assert members.metadata["backend"] == "lanes" and members.ok.all()
    np.testing.assert_allclose(members.x[-1], single.x, rtol=1e-11, atol=1e-12)
    alone = da.rollout(arm, v0={"swing_dot": SPEEDS[-1:]}, **settings)
    np.testing.assert_array_equal(alone.x[0], members.x[-1])
    assert single["loss.numerical"][-1] > 0.0
    assert members["loss.numerical"][-1][-1] == pytest.approx(single["loss.numerical"][-1], rel=1e-9)


def test_members_stop_at_events_inside_of_a_step(arm: da.EquationsOfMotion) -> None:
    event = da.Event("there", "swing - 0.0155", terminal=True)
    settings = {"duration": 0.02, "method": METHOD, "control": [0.5], "events": [event]}
    members = da.rollout(arm, v0={"swing_dot": SPEEDS[[0, -1]]}, **settings)
    run = da.simulate(arm, v0={"swing_dot": SPEEDS[-1]}, **settings)
    assert members.status.tolist() == [da.simulate(arm, v0={"swing_dot": SPEEDS[0]}, **settings).status, "stopped"]
    assert members.stopped_at[1] == pytest.approx(run.t[-1], abs=1e-12)


def test_steppers_and_real_time_loops_take_the_steps_of_a_run(
    arm: da.EquationsOfMotion, single: da.Run, tmp_path: Path
) -> None:
    """As do FMUs; the stepper begins each period without rates of the step before, as its members may be changed."""
    stepper = da.stepper(arm, period=5 * H, members=2, v0={"swing_dot": SPEEDS[-1]}, method=METHOD, observe=["swing"])
    for k in range(1, 5):
        np.testing.assert_allclose(stepper.step([0.5])[:, 0], single["swing"][5 * k], rtol=1e-10)
    with da.realtime(arm, period=5 * H, duration=0.02, speed=0.0, v0={"swing_dot": SPEEDS[-1]}, method=METHOD,
                     control=[0.5]) as loop:  # fmt: skip
        loop.wait()
    np.testing.assert_allclose(loop.read()["swing"], single["swing"][::5], rtol=1e-10)
    fmpy = pytest.importorskip("fmpy")
    path = da.export_fmu(arm, tmp_path / "arm.fmu", v0={"swing_dot": SPEEDS[-1]}, method=METHOD, control=[0.5])
    table = fmpy.simulate_fmu(str(path), stop_time=0.02, output_interval=H)
    np.testing.assert_allclose(table["swing"], single["swing"], atol=1e-12)


def test_adaptive_steps_of_members_and_fmus(arm: da.EquationsOfMotion, tmp_path: Path) -> None:
    method = da.AdaptiveMidpoint(rtol=1e-5, atol=1e-7)
    settings = {"duration": 0.02, "method": method, "record": 5 * H, "control": [0.5]}
    run = da.simulate(arm, v0={"swing_dot": 2.0}, **settings)
    members = da.rollout(arm, v0={"swing_dot": [1.0, 2.0]}, **settings)
    np.testing.assert_array_equal(members.x[1], run.x)
    fmpy = pytest.importorskip("fmpy")
    path = da.export_fmu(arm, tmp_path / "arm.fmu", v0={"swing_dot": 2.0}, method=method, control=[0.5])
    table = fmpy.simulate_fmu(str(path), stop_time=0.02, output_interval=5 * H)
    np.testing.assert_allclose(table["swing"], run["swing"], atol=1e-6)  # their first steps differ: by the tolerance


@needs_gpp
def test_the_text_for_a_gpu_takes_the_steps_of_lanes(
    arm: da.EquationsOfMotion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda, "import_cupy", lambda: cupy_of_tests(tmp_path))
    settings = {"duration": 0.02, "v0": {"swing_dot": SPEEDS}, "method": METHOD, "record": 0.01, "control": [0.5]}
    there, here = da.rollout(arm, device="cuda", **settings), da.rollout(arm, **settings)
    assert there.metadata["backend"] == "cuda"
    np.testing.assert_allclose(there.x, here.x, rtol=0.0, atol=1e-9)  # launches begin without rates
    with pytest.raises(da.InputError, match=r"'midpoint' iterates in double precision on a GPU, got precision='float'"):
        da.rollout(arm, device="cuda", precision="float", **settings)
    with pytest.raises(da.InputError, match=r"a rollout on a GPU runs .*midpoint.*, not 'adaptive-midpoint'"):
        da.rollout(arm, device="cuda", **{**settings, "method": da.AdaptiveMidpoint()})
    pinned = arm.machine.with_(constraints=[da.BallConstraint("pin", "load", "world", "y")])
    with pytest.raises(da.InputError, match=r"implicit steps of machines without constraints, and machine 'arm' has"):
        da.rollout(pinned, device="cuda", **settings)


@pytest.mark.slow
@needs_gpp
def test_interfaces_of_finite_elements_carry_contacts_and_sensors_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A truss whose tip strikes a stop and is seen by a camera: runs and FMUs are the same; the free one on a GPU."""
    body = truss().body("truss", {"root": "ROOT", "tip": "TIP"}, modes=1, damping=0.02)
    gate = da.Machine(
        "gate",
        [body],
        [da.Joint("hinge", "revolute", "world", "truss", axis=(0, 1, 0))],
        motors=[da.Motor("drive", "hinge")],
        signals=[da.Signal("lamp", frame="truss.tip")],
        sensors=[da.Sensor("camera", ["lamp.position"], period=2e-3, feedback=False)],
        contacts=[
            da.Contact("stop", "truss.tip", da.Sphere(0.01), surface=da.HalfSpace(point=(0, 0, -0.05)), restitution=0.5)
        ],
    )
    run = da.simulate(gate, duration=0.12, method=METHOD, control=[0.0], record=H)
    assert [event.name for event in run.events][:2] == ["stop.impact", "stop.impact"]
    assert run["camera.lamp.z"].min() > -0.0401
    fmpy = pytest.importorskip("fmpy")
    path = da.export_fmu(gate, tmp_path / "gate.fmu", method=METHOD, control=[0.0])
    table = fmpy.simulate_fmu(str(path), stop_time=0.12, output_interval=H)
    np.testing.assert_allclose(table["hinge"], np.interp(table["time"], run.t, run["hinge"]), atol=1e-9)
    np.testing.assert_allclose(table["camera.lamp.z"][-1], run["camera.lamp.z"][-1], atol=1e-9)
    monkeypatch.setattr(cuda, "import_cupy", lambda: cupy_of_tests(tmp_path))
    free = gate.with_(contacts=(), sensors=())
    settings = {"duration": 0.02, "v0": {"hinge_dot": SPEEDS}, "method": METHOD, "record": 0.01, "control": [0.0]}
    there, here = da.rollout(free, device="cuda", **settings), da.rollout(free, **settings)
    assert there.metadata["backend"] == "cuda"
    np.testing.assert_allclose(there.x, here.x, rtol=0.0, atol=1e-9)
