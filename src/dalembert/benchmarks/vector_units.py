"""Samples of exported controllers, compiled for several vector units of one processor."""

from __future__ import annotations

import ctypes
import platform
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dalembert.benchmarks.measure import Record
from dalembert.compile.build import find_toolchain, usable_flags
from dalembert.core.types import Array
from dalembert.io.controllers import export_controller
from dalembert.optimal.predictive import PredictiveLaw

__all__ = ["by_vector_unit"]

_UNITS = {
    "plain": ("-march=x86-64", "-DPLAIN_HORIZON"),
    "SSE2": ("-march=x86-64",),
    "AVX2": ("-march=x86-64-v3",),
    "AVX-512": ("-march=x86-64-v4",),
}


def by_vector_unit(law: PredictiveLaw, states: Sequence[tuple[float, Array]], name: str) -> Record:
    """Return medians [us] of a sample by vector unit, measured in turns on the same states.

    Tapes of exported controllers are scalar. Units that this processor lacks are left out, and on other processors than
    x86 all of them.

    Parameters
    ----------
    law
        The controller.
    states
        Times and states of its samples.
    name
        Name of the case, a part of the names of symbols.
    """
    toolchain = find_toolchain()
    if toolchain is None or platform.machine() not in ("x86_64", "AMD64"):
        return {}
    symbol = f"bench_{name}"
    with TemporaryDirectory() as folder:
        target = export_controller(law, folder, name=symbol)
        sources = [path for path in sorted(target.glob("*.c")) if path.name != "example.c"]
        flags = [flag for flag in usable_flags(toolchain) if not flag.startswith("-march")]
        controllers = {}
        for unit, more in _UNITS.items():
            if not _runs(unit):
                continue
            objects = [str(path.with_suffix(f".{unit}.o")) for path in sources]
            for path, made in zip(sources, objects, strict=True):
                level = "-O1" if path.stem.endswith("_tape") else "-O3"  # long tapes take minutes at -O3
                command = [*toolchain.command, level, *flags, *more, "-DPLAIN_TAPES", "-c", str(path), "-o", made]
                subprocess.run(command, check=True)
            library = Path(folder) / f"{unit}.so"
            subprocess.run([*toolchain.command, "-shared", *objects, "-lm", "-o", str(library)], check=True)
            controllers[unit] = getattr(ctypes.CDLL(str(library)), f"{symbol}_step")
        u, info, none = np.zeros(law.problem.nu), np.zeros(8), np.zeros(1)
        taken: dict[str, list[float]] = {unit: [] for unit in controllers}
        for t, x in states:
            arrays = [ctypes.c_void_p(a.ctypes.data) for a in (x, none, u, info)]
            for unit, step in controllers.items():
                began = time.perf_counter()
                step(ctypes.c_double(t), *arrays)
                taken[unit].append(time.perf_counter() - began)
    return {unit: 1e6 * float(np.median(seconds)) for unit, seconds in taken.items()}


def _runs(unit: str) -> bool:
    """Whether this processor has a vector unit."""
    needed = {"AVX2": {"avx2", "fma"}, "AVX-512": {"avx512f", "avx512dq", "avx512vl", "avx512bw", "avx512cd"}}
    if unit not in needed:
        return True
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False
    line = next((x for x in text.splitlines() if x.startswith("flags")), "")
    return needed[unit] <= set(line.split())
