"""A ball balancer from a file in millimetres, grams and degrees: moving horizon and mpc joined, in every outlet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert import control

BALANCER = """
name: ball balancer
parameters:
  ball: 120 g
bodies:
  gimbal: {box: {mass: 80 g, size: [40 mm, 40 mm, 10 mm]}}
  plate: {box: {mass: 900 g, size: [300 mm, 300 mm, 6 mm]}}
  slide: {point_mass: {mass: 48 g}}
  ball: {point_mass: {mass: ball}}
joints:
  roll: {kind: revolute, parent: world, child: gimbal, axis: x, damping: 0.02}
  pitch: {kind: revolute, parent: gimbal, child: plate, axis: y, damping: 0.02}
  bx: {kind: prismatic, parent: plate, child: slide, axis: x, origin: {xyz: [0, 0, 20 mm]}}
  by: {kind: prismatic, parent: slide, child: ball, axis: y}
motors:
  servo_roll: {joint: roll, effort: 3 N*m}
  servo_pitch: {joint: pitch, effort: 3 N*m}
sensors:
  camera: {of: [bx, by], period: 40 ms, delay: 40 ms, noise: 0.5 mm, feedback: false}
  tilt: {of: [roll, pitch], period: 20 ms, noise: 0.05 deg, feedback: false}
"""
PERIOD = 0.02
START = {"bx": -0.1, "by": 0.08}


@pytest.fixture(scope="module")
def balancer(tmp_path_factory: pytest.TempPathFactory) -> tuple[da.Machine, Any]:
    file = tmp_path_factory.mktemp("balancer") / "balancer.yaml"
    file.write_text(BALANCER)
    machine = da.load_machine(file)
    states = {"bx": 100.0, "by": 100.0, "bx_dot": 10.0, "by_dot": 10.0, "roll": 1.0, "pitch": 1.0}
    law = da.mpc(
        machine,
        horizon=1.2,
        intervals=30,
        period=PERIOD,
        cost=da.Cost(states=states, inputs=0.05, terminal="lqr"),
        reference={"bx": lambda t: 0.08 * ca.sin(t), "by": 0.05},
        limits={"servo_roll": (-3, 3), "servo_pitch": (-3, 3), "roll": da.soft(-0.3, 0.3, linear=100.0)},
        known=["ball"],
    )
    seen = da.mhe(
        machine,
        horizon=5 * PERIOD,
        period=PERIOD,
        estimate=["ball"],
        noise={"roll_dot": 0.5, "pitch_dot": 0.5, "bx_dot": 0.1, "by_dot": 0.1, "ball": 0.01},
        uncertainty=dict.fromkeys(machine.q_names, 0.05) | dict.fromkeys(machine.v_names, 0.2) | {"ball": 0.05},
        start=START,
        limits={"ball": (0.02, 0.5)},
    )
    return machine, control.Cascade(law, [seen])


@pytest.mark.slow
def test_every_outlet_has_the_same_motion(tmp_path: Path, balancer: tuple[da.Machine, Any]) -> None:
    machine, loop = balancer
    settings: dict[str, Any] = {"control": loop, "step": 0.005, "seed": 1}
    run = da.simulate(machine, duration=2.0, q0=START, p={"ball": 0.15}, record=PERIOD, **settings)
    assert (run["mpc.status"] == 0).all() and (run["mhe.status"] == 0).all()
    late = run.t > 1.5
    assert np.abs(run["bx"] - 0.08 * np.sin(run.t))[late].max() < 0.01
    assert np.abs(run["mhe.bx"] - run["bx"])[late].max() < 3e-3
    members = {"q0.bx": [-0.11, -0.1, -0.09]}
    single, double = (
        da.rollout(machine, duration=1.0, q0=START, vary=members, record=PERIOD, threads=n, **settings) for n in (1, 2)
    )
    np.testing.assert_array_equal(single["bx"], double["bx"])
    assert (single["mpc.status"] == 0).all()
    campaign = da.campaign(
        machine, vary={"ball": (0.1, 0.2)}, n=3, measure={"worst": da.Measure("mpc.status", "max")}, duration=0.5,
        q0=START, **settings,
    )  # fmt: skip
    assert (campaign.table["worst"] == 0).all()
    nominal = da.simulate(machine, duration=0.5, q0=START, record=PERIOD, **settings)
    with da.realtime(machine, period=PERIOD, duration=0.5, speed=0.0, q0=START, **settings) as live:
        live.wait()
        rows = live.read()
    np.testing.assert_allclose(rows["bx"][-1], nominal["bx"][-1], atol=1e-12)
    fmpy = pytest.importorskip("fmpy")
    experiment = da.Experiment(
        machine, da.Start(q=START), control=loop, method=da.RK4(step=0.005), seed=1
    )  # fmt: skip
    path = da.export_fmu(experiment, tmp_path / "balancer.fmu")
    values = fmpy.simulate_fmu(str(path), stop_time=0.5, output_interval=PERIOD, step_size=PERIOD)
    for name in machine.q_names:
        np.testing.assert_allclose(values[name], nominal[name][: len(values)], atol=1e-12)
