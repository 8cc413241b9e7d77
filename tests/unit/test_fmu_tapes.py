"""Tapes of FMUs: plain ones for every processor, and wide ones that give the same numbers where there are vectors."""

from __future__ import annotations

import ctypes
import platform
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import SYSTEMS

CC, ARM = shutil.which("cc") or shutil.which("gcc"), shutil.which("aarch64-linux-gnu-gcc")
EMULATOR, ARM_EMULATOR = shutil.which("qemu-x86_64"), shutil.which("qemu-aarch64")
X86 = platform.machine() in ("x86_64", "AMD64")
DRIVER = Path(__file__).parents[1] / "support" / "fmu_driver.c"
STEPS, WIDE, PLAIN, UNKNOWN = 20, 1, 0, -1
ROUNDING = {"rtol": 1e-10, "atol": 1e-12}  # of some hundred steps of a motion that is not chaotic

pytestmark = pytest.mark.skipif(CC is None or not sys.platform.startswith("linux"), reason="needs a C compiler")


@dataclass(frozen=True)
class Program:
    """A driver of an FMU."""

    path: Path

    def __call__(self, *emulator: str) -> tuple[int, np.ndarray]:
        command = [*emulator, str(self.path), str(STEPS)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        first, *states = done.stdout.split()
        return int(first), np.array([float(x) for x in states])


@pytest.fixture(scope="module")
def robot() -> tuple[da.Machine, dict[str, Any]]:
    """A robot on eight cables, whose equations are equal parts."""
    settings = SYSTEMS["eight-cable-robot"].settings()
    return SYSTEMS["eight-cable-robot"].make(), {k: settings[k] for k in ("q0", "v0", "control") if k in settings}


@pytest.fixture(scope="module")
def folder(robot: tuple[da.Machine, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is in its FMU."""
    machine, settings = robot
    place = tmp_path_factory.mktemp("fmu")
    zipfile.ZipFile(da.export_fmu(machine, place / "robot.fmu", **settings)).extractall(place)
    return place


@pytest.fixture(scope="module")
def build(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Program]:
    """Builds the driver with the sources and flags, or with a library in their place."""

    def built(*flags: str, compiler: str | None = CC, library: Path | None = None) -> Program:
        target = tmp_path_factory.mktemp("driver") / "driver"
        parts = sorted((folder / "sources").glob("*.c")) if library is None else [library]
        defined = ["-DWITH_SOURCES"] if library is None else [f"-Wl,-rpath,{library.parent}"]
        strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-I", str(folder / "sources")]
        command = [str(compiler), *strict, *defined, *flags, str(DRIVER), *map(str, parts), "-lm", "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return Program(target)

    return built


@pytest.fixture(scope="module")
def either(build: Callable[..., Program]) -> Program:
    """The driver with both kinds of tapes, as ``cc`` alone builds it."""
    return build()


@pytest.fixture(scope="module")
def plain(build: Callable[..., Program]) -> Program:
    """The driver with plain tapes alone."""
    return build("-DPLAIN_TAPES")


def test_both_kinds_give_the_motion_of_a_run(
    robot: tuple[da.Machine, dict[str, Any]], either: Program, plain: Program
) -> None:
    machine, settings = robot
    kind, states = either()
    unknown, expected = plain()
    assert unknown == UNKNOWN
    flags = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")), "")
    if X86:
        assert kind == (WIDE if {"avx2", "fma"} <= set(flags.split()) else PLAIN)
    np.testing.assert_allclose(states, expected, **ROUNDING)
    here = da.simulate(machine, duration=0.01 * STEPS, record=0.01, step=1e-3, **settings)
    last = [here[name][-1] for name in (*machine.q_names, *machine.v_names)]
    np.testing.assert_allclose(states[: len(last)], last, **ROUNDING)


@pytest.mark.skipif(not X86 or EMULATOR is None, reason="needs qemu-x86_64")
def test_an_old_processor_runs_plain_tapes(
    folder: Path, build: Callable[..., Program], either: Program, plain: Program
) -> None:
    """To the bit; the binary of the FMU runs there, too."""
    old, new = (str(EMULATOR), "-cpu", "Nehalem"), (str(EMULATOR), "-cpu", "Haswell")
    kind, states = either(*old)
    assert kind == PLAIN
    np.testing.assert_array_equal(states, plain(*old)[1])
    binary = build(library=next((folder / "binaries" / "linux64").glob("*.so")))
    np.testing.assert_allclose(binary(*old)[1], states, **ROUNDING)
    kind, wide = either(*new)
    assert kind == WIDE
    np.testing.assert_allclose(wide, states, **ROUNDING)


@pytest.mark.skipif(ARM is None or ARM_EMULATOR is None, reason="needs aarch64-linux-gnu-gcc and qemu-aarch64")
def test_another_processor_has_plain_tapes(build: Callable[..., Program], plain: Program) -> None:
    kind, states = build("-static", compiler=ARM)(str(ARM_EMULATOR))
    assert kind == UNKNOWN
    np.testing.assert_allclose(states, plain()[1], **ROUNDING)


def test_the_binary_shows_the_functions_of_fmi_alone(folder: Path) -> None:
    """A tool may load several FMUs into one space of names."""
    library = ctypes.CDLL(str(next((folder / "binaries").rglob("*.so"))))
    assert hasattr(library, "fmi2DoStep")
    assert not any(hasattr(library, name) for name in ("model_ode", "loop_advance", "image_wire"))


@pytest.mark.slow
def test_the_ziglang_wheel_builds_it(
    robot: tuple[da.Machine, dict[str, Any]],
    plain: Program,
    build: Callable[..., Program],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is Clang, with another name for plain processors and no ``__builtin_cpu_supports``."""
    pytest.importorskip("ziglang")
    monkeypatch.setenv("DALEMBERT_CC", f"{sys.executable} -m ziglang cc")
    machine, settings = robot
    zipfile.ZipFile(da.export_fmu(machine, tmp_path / "robot.fmu", **settings)).extractall(tmp_path)
    binary = build(library=next((tmp_path / "binaries" / "linux64").glob("*.so")))
    np.testing.assert_allclose(binary()[1], plain()[1], **ROUNDING)
    if X86 and EMULATOR is not None:
        np.testing.assert_allclose(binary(EMULATOR, "-cpu", "Nehalem")[1], plain()[1], **ROUNDING)
