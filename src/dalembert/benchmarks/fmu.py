"""FMUs beside simulations: what a program in C takes that steps one, and the native loop of `dalembert.simulate`.

``dalembert bench fmu`` prints its table.
"""

from __future__ import annotations

import ctypes
import io
import time
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from dalembert.api import simulate
from dalembert.benchmarks.loops import compiled_loops, pointer
from dalembert.benchmarks.measure import Record, Timing
from dalembert.benchmarks.rows import AGREEMENT, describe, difference
from dalembert.benchmarks.single_runs import SINGLE_RUNS, SingleRun
from dalembert.compile.build import LIBRARY_SUFFIX, find_toolchain, missing_toolchain
from dalembert.core.errors import BuildError
from dalembert.core.files import temporary_folder
from dalembert.core.types import Array
from dalembert.formulations.equations import derive
from dalembert.io.fmu.build import build_program
from dalembert.io.fmu.export import export_fmu
from dalembert.systems import SYSTEMS

__all__ = ["fmu_cases", "run_fmu"]

_READY_MADE = ("six-axis-arm", "delta-robot", "eight-cable-robot", "quadruped")
_TAKEN = ("q0", "v0", "control", "contact", "step")
_INTERVAL = 0.01  # seconds between two communication points, and two rows
_CO_SIMULATION = 1  # fmi2Type
_PLAIN = "#define PLAIN_TAPES 1\n"


def _ready_made(name: str) -> SingleRun:
    system = SYSTEMS[name]
    settings = {k: v for k, v in system.settings().items() if k in _TAKEN}
    return SingleRun(name.replace("-", " "), lambda: derive(system.make()), settings)


@cache
def fmu_cases() -> dict[str, SingleRun]:
    """Return the measured machines, by name: two seconds of each, after which rounding has not grown."""
    linked = {name: replace(SINGLE_RUNS[name], duration=2.0) for name in ("four-bar", "pulleys")}
    return linked | {name: _ready_made(name) for name in _READY_MADE}


class _Unit:
    """A library of an FMU, stepped by a loop in C."""

    def __init__(self, texts: Mapping[str, str], folder: Path) -> None:
        toolchain = find_toolchain()
        if toolchain is None:
            raise BuildError(f"an FMU needs a C compiler: {missing_toolchain()}")
        folder.mkdir()
        self._library = ctypes.CDLL(str(build_program(toolchain, texts, folder, f"model{LIBRARY_SUFFIX}")))
        self._library.fmi2Instantiate.restype = ctypes.c_void_p
        self._guid = next(line for line in texts["config.h"].splitlines() if "GUID" in line).split('"')[1].encode()
        self._loop = compiled_loops().loop_fmu
        self._loop.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_double)

    def run(self, duration: float, n_states: int) -> tuple[float, Array]:
        """Return the seconds of a run and the states at its end."""
        library = self._library
        unit = ctypes.c_void_p(library.fmi2Instantiate(b"unit", _CO_SIMULATION, self._guid, b"", None, 0, 0))
        zero, states = ctypes.c_double(0.0), np.zeros(n_states)
        library.fmi2SetupExperiment(unit, 0, zero, zero, 0, zero)
        failed = library.fmi2EnterInitializationMode(unit) or library.fmi2ExitInitializationMode(unit)
        began = time.perf_counter()
        failed = failed or self._loop(library.fmi2DoStep, unit, round(duration / _INTERVAL), _INTERVAL)
        seconds = time.perf_counter() - began
        references = (ctypes.c_uint * n_states)(*range(1, n_states + 1))
        failed = failed or library.fmi2GetReal(unit, references, n_states, pointer(states))
        library.fmi2FreeInstance(unit)
        if failed:
            raise BuildError("the FMU does not run")
        return seconds, states


def _measure(name: str, case: SingleRun, repetitions: int, folder: Path) -> list[Record]:
    """Time a machine in turns: simulated, as an FMU, and as one with plain tapes."""
    eom = case.equations()
    fmu = export_fmu(eom, folder / "machine.fmu", binary=False, **case.settings)
    with zipfile.ZipFile(io.BytesIO(fmu.read_bytes())) as archive:
        texts = {Path(n).name: archive.read(n).decode() for n in archive.namelist() if n.startswith("sources/")}
    as_it_is = _Unit(texts, folder / "fmu")
    plain = _Unit({**texts, "tapes.h": _PLAIN + texts["tapes.h"]}, folder / "plain")
    names = (*eom.machine.q_names, *eom.machine.v_names)

    def here() -> tuple[float, Array]:
        run = simulate(eom, duration=case.duration, record=_INTERVAL, **case.settings)
        return float(run.metadata["wall_time"]), np.array([run[x][-1] for x in names])

    contenders: dict[str, tuple[str, Callable[[], tuple[float, Array]]]] = {
        "native": ("dalembert, simulate", here),
        "fmu": ("FMU", lambda: as_it_is.run(case.duration, len(names))),
        "fmu-plain": ("FMU, plain instructions", lambda: plain.run(case.duration, len(names))),
    }
    reference = here()[1]
    differences = {key: difference(run()[1][None], reference[None]) for key, (_, run) in contenders.items()}
    samples: dict[str, list[float]] = {key: [] for key in contenders}
    for _ in range(repetitions):
        for key, (_, run) in contenders.items():
            samples[key].append(run()[0])
    times = {key: Timing(tuple(taken)) for key, taken in samples.items()}
    return [
        {
            "case": name, "title": case.title, "contender": key, "name": title,
            "median_ms": 1e3 * times[key].median, "least_ms": 1e3 * times[key].least,
            "ratio": times[key].relative_to(times["native"]),
            "difference": differences[key], "agrees": differences[key] < AGREEMENT,
        }
        for key, (title, _) in contenders.items()
    ]  # fmt: skip


def run_fmu(*, quick: bool = False, announce: Callable[[str], None] = lambda _: None) -> Record:
    """Measure FMUs beside simulations of the same machines; a quick run takes one of them."""
    repetitions = 3 if quick else 41
    about = describe(
        "dalembert bench fmu" + (" --quick" if quick else ""), {"quick": quick, "repetitions": repetitions}
    )
    rows: list[Record] = []
    for name, case in fmu_cases().items():
        if quick and name != "four-bar":
            continue
        announce(f"{case.title} ...")
        with temporary_folder() as folder:
            rows += _measure(name, case, repetitions, folder)
    return {"topic": "fmu", **about, "results": rows}
