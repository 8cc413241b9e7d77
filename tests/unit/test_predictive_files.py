"""Predictive controllers in machine files: the same law as in Python, written back, refused by name and line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import dalembert as da

CART = """
name: cart
bodies:
  cart: {mass: 2.0}
joints:
  x: {kind: prismatic, parent: world, child: cart, axis: x}
motors:
  push: {joint: x}
simulation:
  duration: 2.0
  step: 0.01
  q0: {x: 0.2}
  control:
    law: mpc
    horizon: 1.0
    intervals: 10
    cost: {states: {x: 1.0, x_dot: 0.1}, inputs: 1.0e-3, terminal: lqr}
    reference: {x: 1.0}
    limits:
      push: [-1.0, 1.0]
      x_dot: {lower: -0.5, upper: 0.5, linear: 10000}
      x: [null, 1.5]
    keep:
      room: {expression: 1.2 - x, linear: 100, quadratic: 10}
    margin: {x: 0.05}
    period: 0.05
    rounds: 2
    terminal_set: {linear: 10}
    fallback: {law: pd, kp: 0.0, kd: 3.0, reference: [0.0]}
"""


def written(folder: Path, change: dict[str, Any] | None = None) -> Path:
    data = yaml.safe_load(CART)
    data["simulation"]["control"] |= change or {}
    path = folder / "cart.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    return path


def test_the_law_of_a_file_is_that_of_python(tmp_path: Path) -> None:
    experiment = da.load_experiment(written(tmp_path))
    run = da.simulate(experiment)
    law = da.mpc(
        experiment.machine, horizon=1.0, intervals=10, reference={"x": 1.0}, margin={"x": 0.05}, period=0.05, rounds=2,
        cost=da.Cost(states={"x": 1.0, "x_dot": 0.1}, inputs=1e-3, terminal="lqr"),
        limits={"push": (-1.0, 1.0), "x_dot": da.soft(-0.5, 0.5, linear=1e4), "x": (None, 1.5)},
        keep={"room": ("1.2 - x", da.soft(0, np.inf, linear=100.0, quadratic=10.0))},
        terminal_set=("lqr", da.soft(0, np.inf, linear=10.0)), fallback=da.PD(kp=0.0, kd=3.0, reference=[0.0]),
    )  # fmt: skip
    same = da.simulate(experiment.machine, duration=2.0, step=0.01, q0={"x": 0.2}, control=law)
    np.testing.assert_array_equal(run["x"], same["x"])
    assert np.abs(run["x_dot"]).max() < 0.51 and (run["mpc.status"] == 0).all()
    experiment.save(tmp_path / "again.yaml")
    again = da.load_experiment(tmp_path / "again.yaml")
    assert again.digest == experiment.digest
    np.testing.assert_array_equal(da.simulate(again)["x"], run["x"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"law": "mpcc"}, r"no law named 'mpcc'.*mpc"),
        ({"horizont": 1.0}, r"'horizont'.*law 'mpc'"),
        ({"cost": {"state": {"x": 1.0}}}, r"'state' in cost of the law 'mpc'"),
        ({"cost": {"states": {"y": 1.0}, "inputs": 1.0}}, r"'y'"),
        ({"limits": {"push": {"lower": -1.0, "weight": 3.0}}}, r"'weight' in limits.push"),
        ({"limits": [1.0]}, r"'limits' of the law 'mpc' must be a mapping"),
        ({"keep": {"room": {"linear": 1.0}}}, r"'keep.room' of the law 'mpc' needs an expression"),
        ({"limits": {"x": [-1.0, 1.5]}, "fallback": {"law": "pdd"}}, r"no law named 'pdd'"),
        ({"margin": {"z": 0.1}}, r"'z'"),
        ({"hessian": "newton"}, r"'gauss-newton' or 'exact'"),
    ],
)
def test_mistakes_are_refused_by_name_and_line(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(da.DalembertError, match=message) as error:
        da.load_experiment(written(tmp_path, change))
    assert "cart.yaml:" in str(error.value) or "line" in str(error.value)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    data = yaml.safe_load(CART)
    del data["simulation"]["control"]["horizon"]
    path = tmp_path / "cart.yaml"
    path.write_text(yaml.safe_dump(data))
    with pytest.raises(da.DalembertError, match="the law 'mpc' needs 'horizon'"):
        da.load_experiment(path)
