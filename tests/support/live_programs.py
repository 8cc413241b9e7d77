"""The program of a page that simulates, built for this processor and called as the page calls it."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from dalembert.compile import find_toolchain
from dalembert.core.types import Array
from dalembert.io.fmu.build import build_program
from dalembert.io.wasm.module import live_program
from dalembert.loop.experiment import Experiment

X, P, ROWS_T, ROWS_X, OUTPUTS, EVENTS_T = 0, 1, 3, 4, 6, 7  # as in live.c
REACHED, YIELD, FULL, LOG_FULL, STOPPED = 0, 2, 3, 8, 12  # as in loop.h


class LiveProgram:
    """An experiment as the page runs it."""

    def __init__(self, experiment: Experiment, folder: Path) -> None:
        machine = experiment.machine
        q, t, p = (ca.SX.sym(name, n) for name, n in (("q", machine.nq), ("t", 1), ("p", len(machine.parameters))))
        self.program = live_program(experiment, ca.Function("scene", [q, t, p], [q], ["q", "t", "p"], ["out"]))
        toolchain = find_toolchain()
        assert toolchain is not None
        self.code = ctypes.CDLL(str(build_program(toolchain, self.program.texts, folder, "live.so")))
        self.code.live_array.restype = ctypes.POINTER(ctypes.c_double)
        self.code.live_time.restype = ctypes.c_double
        self.code.live_begin.argtypes = self.code.live_advance.argtypes = [ctypes.c_double]

    def array(self, which: int, count: int, first: int = 0) -> Array:
        pointer = self.code.live_array(which)
        return np.ctypeslib.as_array(pointer, (first + count,))[first:]

    def run(self, duration: float, x: Array | None = None, p: Array | None = None) -> dict[str, Any]:
        """Rows, signals and events of a run; with another start or other parameters."""
        code, n = self.code, len(self.program.x0)
        rows: dict[str, Any] = {"t": [], "x": [], "y": [], "events": []}
        code.live_reset()
        if x is not None:
            self.array(X, n)[:] = x
        if p is not None:
            self.array(P, len(self.program.p0))[:] = p
        assert code.live_settle(int(x is not None or p is not None)) == 0
        assert code.live_begin(duration) == 0
        while True:
            for k in range(code.live_rows()):
                code.live_outputs(k)
                rows["t"].append(self.array(ROWS_T, 1, k)[0])
                rows["x"].append(self.array(ROWS_X, n, k * n).copy())
                rows["y"].append(self.array(OUTPUTS, len(self.program.outputs)).copy())
            for k in range(code.live_events()):
                spec = self.program.problem.event_specs[code.live_event(k)]
                if not spec.hidden:
                    rows["events"].append((spec.name, float(self.array(EVENTS_T, 1, k)[0])))
            if rows.get("outcome", FULL) not in (YIELD, FULL, LOG_FULL):
                break
            rows["outcome"] = code.live_advance(10.0)
        return rows | {name: np.array(rows[name]) for name in ("t", "x", "y")}
