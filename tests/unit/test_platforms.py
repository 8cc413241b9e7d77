"""The engine on other platforms: its time loop, events, transitions and time-stepping, cross-compiled and emulated.

An FMU carries the C sources of the engine and of the equations of a machine. A driver steps it and prints its states;
they must be those of this processor. On Debian: apt install qemu-user wine
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import SYSTEMS

DRIVER = Path(__file__).parents[1] / "support" / "fmu_driver.c"
STEPS = 60
"""Of 10 ms each."""


def bob_on_a_cable() -> da.Machine:
    """A mass in the plane on a cable of 1 m; thrown up from the height of the exit, the cable goes slack and taut."""
    return da.Machine(
        "bob",
        bodies=(da.Body("slider"), da.point_mass("bob", 2.0)),
        joints=(
            da.Joint("x", "prismatic", da.WORLD, "slider", axis=(1.0, 0.0, 0.0)),
            da.Joint("z", "prismatic", "slider", "bob", axis=(0.0, 0.0, 1.0)),
        ),
        cables=(da.Cable("cable", "bob", exit_at=(0.0, 0.0, 0.0), length=1.0),),
    )


EMULATED = {
    "arm": ("aarch64-linux-musl", shutil.which("qemu-aarch64")),
    "windows": ("x86_64-windows-gnu", shutil.which("wine64") or shutil.which("wine")),
}
MACHINES: dict[str, tuple[Any, dict[str, Any]]] = {
    "impacts": (SYSTEMS["rocking-block"].make, {"q0": SYSTEMS["rocking-block"].settings()["q0"]}),
    "slack cable": (lambda: bob_on_a_cable(), {"q0": {"x": 1.0, "z": 0.0}, "v0": {"z_dot": 1.5}}),
    "time-stepping": (
        SYSTEMS["box-on-incline"].make,
        {"q0": SYSTEMS["box-on-incline"].settings()["q0"], "contact": "time-stepping"},
    ),
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the ziglang wheel"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="emulators run on Linux"),
]


@pytest.fixture(scope="module", params=sorted(MACHINES))
def sources(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sources in the FMU of a machine."""
    make, settings = MACHINES[request.param]
    folder = tmp_path_factory.mktemp("fmu")
    zipfile.ZipFile(da.export_fmu(make(), folder / "it.fmu", binary=False, **settings)).extractall(folder)
    return folder / "sources"


def states(sources: Path, folder: Path, target: str = "", emulator: str = "") -> np.ndarray:
    """States at the end, of a driver that zig built for a target."""
    program = folder / f"driver{target or '-here'}.exe"
    words = [sys.executable, "-m", "ziglang", "cc", *(["-target", target] if target else []), "-mcpu=baseline"]
    flags = ["-std=c99", "-O1", "-ffp-contract=off", "-fno-math-errno", "-DWITH_SOURCES", "-I", str(sources)]
    files = [str(DRIVER), *map(str, sorted(sources.glob("*.c")))]
    built = subprocess.run([*words, *flags, *files, "-lm", "-o", str(program)], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    quiet = {**os.environ, "WINEPREFIX": str(folder.parent / "wine"), "WINEDEBUG": "-all"}
    command = [*([emulator] if emulator else []), str(program), str(STEPS)]
    done = subprocess.run(command, capture_output=True, text=True, env=quiet)
    assert done.returncode == 0, done.stderr
    return np.array([float(x) for x in done.stdout.split()[1:]])


@pytest.fixture(scope="module")
def states_here(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    return states(sources, tmp_path_factory.mktemp("here"))


@pytest.mark.parametrize("platform", sorted(EMULATED))
def test_the_engine_gives_the_same_states_on_other_platforms(
    platform: str, sources: Path, states_here: np.ndarray, tmp_path: Path
) -> None:
    """Rounding apart: sines and cosines come from the mathematical library of the platform."""
    target, emulator = EMULATED[platform]
    if emulator is None:
        pytest.skip(f"no emulator of {platform} is installed")
    there = states(sources, tmp_path, target, emulator)
    assert len(states_here) and np.abs(states_here).max() > 0.01
    np.testing.assert_allclose(there, states_here, rtol=1e-9, atol=1e-11)
