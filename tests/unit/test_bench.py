"""A motion in orbit on two arms in a room: what they show is what happens in orbit, or they refuse."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.compile import find_toolchain
from dalembert.core.errors import InputError
from dalembert.systems.space_robots import CaptureBench, bench_arm

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
needs_loop = pytest.mark.skipif(sys.platform == "win32" or find_toolchain() is None, reason="needs POSIX, a C compiler")


def about_x(angle: float) -> Any:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def test_arms_show_the_motion_in_orbit() -> None:
    """Through the forward kinematics of both arms, for random approaches, while the debris turns by half a turn."""
    random = np.random.default_rng(0)
    for _ in range(3):
        approach = random.normal(size=3)
        a = approach / np.linalg.norm(approach)
        bench = CaptureBench(a, offset=1.5, scale=0.2)
        target = random.normal(size=3)
        for angle in np.linspace(0.0, np.pi, 12):
            spin = bench.rotation.T @ about_x(angle) @ bench.rotation  # about the approach
            point = target + spin @ bench.rotation.T @ np.array([0.0, 0.3, 0.1])
            tip = point + 0.8 * a + 0.2 * random.normal(size=3)
            command = bench.command(tip, point + 5.5 * a, point, spin)
            assert command.ok, command.refused
            np.testing.assert_allclose(bench.relative(command), point - tip, atol=1e-5)
            # The tool of the standing arm has turned as the debris has.
            first = bench.arm.pose("eff", bench.command(tip, point + 5.5 * a, point, spin).target)[:3, :3]
            start = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
            np.testing.assert_allclose(first, about_x(angle) @ start, atol=1e-6)
            # The camera looks along the room's x axis and sees the target at the safety offset and the scaled way.
            assert bench.camera(command)[2] == pytest.approx(1.5 + 0.2 * a @ (tip - point), abs=1e-6)


def test_rail_follows_the_distance_along_the_approach() -> None:
    bench = CaptureBench((-1.0, 0.0, 0.0), scale=0.25, start=1.0)
    rails = [bench.command((5.0, 0, 0), (base, 0, 0), (6.0, 0.3, 0)).rail for base in (2.0, 1.9)]
    np.testing.assert_allclose(rails, (1.0 + 0.25 * 4.0, 1.0 + 0.25 * 4.1))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"base": (-60.0, 0, 0)}, r"the rail would be at 18\.\d+ m, it goes from 0 to 10 m"),
        ({"tip": (6.0, 4.0, 0)}, r"the tool of the chaser's arm would be at y = .* its zone is -0\.9 to 0\.9 m"),
        ({"attitude": np.diag([-1.0, -1.0, 1.0])}, "the target's arm cannot reach this pose within"),
    ],
)
def test_what_the_arms_cannot_do_is_refused(change: dict[str, Any], reason: str) -> None:
    bench = CaptureBench((-1.0, 0.0, 0.0))
    there: dict[str, Any] = {"tip": (5.0, 0, 0), "base": (1.75, 0, 0), "target": (6.0, 0.3, 0)}
    assert bench.command(**there, attitude=np.eye(3)).ok
    refused = bench.command(**{**there, "attitude": np.eye(3), **change})
    assert not refused.ok
    assert re.search(reason, refused.refused), refused.refused
    # The arms go on from the last command that was given.
    assert bench.command(**there, attitude=np.eye(3)).ok


def test_bad_benches_are_refused() -> None:
    with pytest.raises(InputError, match="approach of a bench must be a direction"):
        CaptureBench((0, 0, 0))
    with pytest.raises(InputError, match="scale of a bench must be a positive number, got 0"):
        CaptureBench((1, 0, 0), scale=0.0)
    with pytest.raises(InputError, match="do not reach a height of 4 m"):
        CaptureBench((1, 0, 0), height=4.0)


def test_arm_has_the_published_lengths() -> None:
    """Upper arm upright, forearm ahead: 0.1 + 0.755 + 0.085 from its axis, 0.615 + 0.705 + 0.135 above the floor."""
    place = da.equations(bench_arm(tool=0.0), backend="vm").pose("eff", np.zeros(6))[:3, 3]
    np.testing.assert_allclose(place, (0.94, 0.0, 1.455), atol=1e-12)


# -- the loop with a camera ------------------------------------------------------------------------------------------


def example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def built(name: str, folder: Path) -> Path:
    """A client in C."""
    toolchain = find_toolchain()
    assert toolchain is not None
    sources = [str(EXAMPLES / f"{name}.c"), "-lm", "-o", str(folder / name)]
    subprocess.run([*toolchain.command, "-std=c99", "-O2", "-Wall", "-Werror", *sources], check=True)
    return folder / name


@needs_loop
def test_clients_in_python_and_c_steer_the_crane_alike(tmp_path: Path) -> None:
    """And as a sampled law in a simulation does, which knows nothing in its first period."""
    made, client = example("realtime_crane"), built("realtime_crane", tmp_path)
    with made.start() as loop:
        done = subprocess.run([client, str(loop.port)], capture_output=True, text=True, timeout=60, check=True)
    in_c = [[float(line.split()[k]) for k in (0, 4, 8)] for line in done.stdout.splitlines()]
    with made.start() as loop:
        in_python = made.steer(loop.port)[199::200]
    np.testing.assert_allclose(in_c, in_python, atol=1e-9)
    law = da.SampledController(
        lambda t, q, v: [0.0] if t == 0.0 else [-made.GAINS @ np.concatenate([q, v])], period=made.PERIOD
    )
    run = da.simulate(made.crane(), duration=made.DURATION, q0=made.START, control=law, step=1e-3)
    assert in_python[-1] == pytest.approx((run.t[-1], run["x"][-1], run["theta"][-1]), abs=1e-9)
    assert abs(run["x"][-1]) < 2e-3 and abs(run["theta"][-1]) < 2e-3


@needs_loop
def test_clients_in_python_and_c_capture_alike(tmp_path: Path) -> None:
    """Both approach at the same pace; the one in C, which is quick, is followed to the end."""
    made, client = example("realtime_capture"), built("realtime_capture", tmp_path)
    with made.orbit(60.0) as loop:
        done = subprocess.run([client, str(loop.port)], capture_output=True, text=True, timeout=120, check=True)
        loop.wait(10.0)
        loop.check()
    rows = [line.split() for line in done.stdout.splitlines()]
    distances = {float(row[0]): float(row[2]) for row in rows[:-1]}
    mean = float(rows[-1][3])
    assert distances[0.0] == pytest.approx(1324.7, abs=1.0)
    assert mean < 33.4  # what the bench of SPACE 9.2.3 reached on average after 40 s [mm]
    flown = made.fly(10.04)
    python = 1e3 * np.linalg.norm(flown["gap"], axis=1)
    assert python[0] == pytest.approx(distances[0.0], abs=1.0)
    assert python[-1] == pytest.approx(distances[10.0], abs=30.0)  # one rounds pixels, the other adds noise
