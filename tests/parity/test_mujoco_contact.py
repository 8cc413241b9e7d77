"""Contact by time-stepping against MuJoCo, whose contacts are soft: what both agree on, and the benchmark."""

import json
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert import benchmarks

pytestmark = pytest.mark.peer


def test_ball_that_slides_and_rolls() -> None:
    pytest.importorskip("mujoco")
    from dalembert.benchmarks.peers.mujoco_contact import MujocoContact

    radius = 0.1
    ball = da.Machine(
        "ball",
        bodies=[da.sphere("ball", 1.0, radius)],
        joints=[da.Joint("base", "free", "world", "ball")],
        contacts=[da.Contact("floor", "ball", da.Sphere(radius), friction=0.3)],
    )
    q0, v0, span = {"base.z": radius + 0.02}, {"base.vx": 2.0}, 0.6
    run = da.simulate(ball, duration=span, q0=q0, v0=v0, contact="time-stepping", step=1e-3)
    peer = MujocoContact(ball, 1e-4)
    peer.start(q0, v0)
    peer.advance(round(span / 1e-4))
    # The ground of MuJoCo gives way by a millimetre and its friction creeps.
    np.testing.assert_allclose(run.array(["base.x", "base.y", "base.z"])[-1], peer.q[:3], atol=5e-3)


@pytest.mark.slow
def test_bench_contact(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "contact.json"
    assert benchmarks.main(json=str(path), quick=True, topic="contact") == 0
    figures = json.loads(path.read_text())
    cases = {row["case"] for row in figures["results"]}
    scenes = {"heap of 20 spheres", "heap of 20 boxes", "row of 10 dominoes", "wall of 8 bricks"}
    assert cases == {"quadruped at rest", "quadruped sliding", "pile of 20 balls"} | scenes
    ours = [row for row in figures["results"] if row["engine"] == "dalembert" and row["case"] not in scenes]
    assert all(row["residual"] < 1e-5 for row in ours)
    errors = {(row["engine"], row["step"]): row["error"] for row in figures["errors"]}
    assert errors["dalembert", 1e-3] < 1e-3
    assert "Contact at a tolerance" in capsys.readouterr().out
