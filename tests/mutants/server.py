"""Runs pytest in children of a process that has imported other packages already (``python tests/mutants/server.py``).

Each line of its input is a job, each line of its output what became of it, both JSON. Of this package nothing is
imported before the child begins: it imports that of the folder of its job.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

_PACKAGES = (
    "numpy", "scipy.linalg", "scipy.optimize", "scipy.integrate", "scipy.interpolate", "scipy.signal", "scipy.stats",
    "scipy.sparse.linalg", "scipy.spatial", "casadi", "yaml", "matplotlib.pyplot", "cvxpy", "sympy", "hypothesis",
    "hypothesis.strategies", "hypothesis.extra.numpy", "pytest",
)  # fmt: skip


def _child(job: dict[str, Any], out: int) -> None:
    os.setsid()
    os.dup2(out, 1)
    os.dup2(out, 2)
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    limit = int(job["seconds"]) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    os.environ.update(job["environment"])
    os.chdir(job["folder"])
    sys.path[:] = [*job["path"], *sys.path[1:]]
    sys.argv = ["pytest"]
    status = 70
    try:
        status = int(importlib.import_module("pytest").main(job["arguments"]))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _wait(pid: int, seconds: float) -> int | None:
    """Status of a child, as of `subprocess`; None if it did not end in time."""
    end = time.monotonic() + seconds
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return None
        time.sleep(0.02)


def main() -> None:
    """Do jobs until there are none."""
    os.environ["MPLBACKEND"] = "Agg"
    for name in _PACKAGES:
        with suppress(ImportError):
            importlib.import_module(name)
    for line in sys.stdin:
        job = json.loads(line)
        with tempfile.TemporaryDirectory() as temporary:
            told = Path(temporary) / "told"
            with told.open("wb") as out:
                pid = os.fork()
                if pid == 0:
                    _child(job, out.fileno())
                status = _wait(pid, job["wall"])
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
            text = told.read_text(errors="replace")
        print(json.dumps({"status": status, "told": text[-200_000:]}), flush=True)


if __name__ == "__main__":
    main()
