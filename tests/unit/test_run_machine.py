"""A run knows its machine and its parameter values, also after a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import dalembert as da

LENGTH = da.Parameter("length", 0.5)
PENDULUM = da.Machine(
    "pendulum",
    bodies=[da.rod("link", 1.0, LENGTH, axis="z", com=(0, 0, -LENGTH / 2))],
    joints=[da.Joint("theta", "revolute", "world", "link", axis=(0, 1, 0))],
)


def test_run_file_is_enough(tmp_path: Path) -> None:
    run = da.simulate(PENDULUM, duration=0.1, q0={"theta": 0.3}, p={"length": 0.8}, backend="vm")
    assert run.machine is PENDULUM
    again = da.load_run(run.save(tmp_path / "run.nc"))
    assert again.machine == PENDULUM
    assert again.metadata["parameters"] == {"length": 0.8}
    twice = da.load_run(again.save(tmp_path / "again.nc"))
    assert twice.machine == PENDULUM
    # What the file says is enough to repeat the run to the bit.
    repeated = da.simulate(twice.machine, duration=0.1, q0={"theta": 0.3}, p=twice.metadata["parameters"], backend="vm")
    assert np.array_equal(repeated.x, run.x)


def test_member_of_a_rollout_knows_its_machine() -> None:
    eom = da.equations(PENDULUM, backend="vm")
    members = da.rollout(eom, duration=0.01, p={"length": np.array([0.5, 0.8])}, q0={"theta": 0.3})
    run = members.member(1)
    assert run.machine is PENDULUM
    assert run.metadata["parameters"] == {"length": 0.8}
