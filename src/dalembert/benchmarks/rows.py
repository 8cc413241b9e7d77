"""Measurement of one case: results compared first, then times, as rows of figures; and the computer."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.benchmarks.cases import Case, Contender, Skipped
from dalembert.benchmarks.measure import Record, interleave
from dalembert.benchmarks.peers.pinocchio_cpp import FLAGS
from dalembert.compile.build import find_toolchain, usable_flags
from dalembert.core.types import Array
from dalembert.formulations.equations import derive

__all__ = ["AGREEMENT", "SETTINGS", "describe", "difference", "measure", "tolerance"]

REFERENCE = "native-call"
AGREEMENT = 1e-8
"""Relative difference from our results up to which a contender counts as computing the same; see `tolerance`."""

# Short measurements, many times: most of them then fall between two interruptions by other programs.
SETTINGS: dict[bool, dict[str, Any]] = {
    True: {"states": 64, "repetitions": 5, "duration_s": 5e-4, "quick": True},
    False: {"states": 256, "repetitions": 201, "duration_s": 5e-4, "quick": False},
}

PACKAGES = (
    *("dalembert", "casadi", "numpy", "pin", "mujoco", "exudyn", "sympy", "jax", "adam-robotics", "frax"),
    "example-robot-data",
)


def difference(values: Array, reference: Array) -> float:
    """Largest relative difference: of each part of each state, by the largest number of the part."""
    if values.shape != reference.shape:
        return float("inf")
    scale = np.abs(reference).max(axis=-1)
    return float((np.abs(values - reference).max(axis=-1) / np.where(scale > 0.0, scale, 1.0)).max())


def tolerance(case: Case) -> float:
    """Relative difference that rounding alone explains: `AGREEMENT`, or more where the mass matrix is ill-conditioned.

    A solution with the mass matrix ``M`` of order n by a backward-stable factorisation may be wrong by about n eps
    cond(M) (N. Higham, "Accuracy and Stability of Numerical Algorithms", chapter 10); chains of hundreds of links come
    to that.
    """
    if case.quantity.key in ("inverse", "mass-matrix"):
        return AGREEMENT
    M = derive(case.eom.machine, backend="vm").mass_matrix(case.q)
    return max(AGREEMENT, case.eom.nv * float(np.finfo(float).eps * np.linalg.cond(M).max()))


def measure(
    case: Case, taking_part: Iterable[Contender | Skipped], settings: Mapping[str, Any]
) -> tuple[list[Record], list[dict[str, str]]]:
    """Compare the results of the contenders, then time them in turns.

    Returns
    -------
    rows, skipped
        See `dalembert.benchmarks.run_bench`.
    """
    about = {"robot": case.name, "quantity": case.quantity.key}
    skipped: list[dict[str, str]] = []
    contenders: list[Contender] = []
    for c in taking_part:
        if isinstance(c, Skipped):
            skipped.append({**about, "contender": c.key, "name": c.title, "reason": c.reason})
        else:
            contenders.append(c)
    reference = case.reference()
    differences = {c.key: difference(c.values(), reference) for c in contenders}
    allowed = AGREEMENT if max(differences.values(), default=0.0) < AGREEMENT else tolerance(case)
    runs = {c.key: (c.run, c.repeats * case.states) for c in contenders}
    times = interleave(runs, repetitions=settings["repetitions"], duration=settings["duration_s"])
    base = times.get(REFERENCE)
    rows = [
        {
            **about,
            "title": case.title,
            "nv": case.eom.nv,
            "operations": case.kernel.function.n_instructions(),
            "contender": c.key,
            "name": c.title,
            "rows": c.rows,
            "median_ns": 1e9 * times[c.key].median,
            "least_ns": 1e9 * times[c.key].least,
            "ratio": times[c.key].relative_to(base) if base else None,
            "difference": differences[c.key],
            "agrees": differences[c.key] < max(allowed, c.accuracy),
        }
        for c in contenders
    ]
    return rows, skipped


def describe(command: str, settings: Mapping[str, Any]) -> Record:
    """Date, command, machine, versions and settings of a run."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command,
        "machine": _machine(),
        "versions": _versions(),
        "settings": dict(settings),
    }


def _machine() -> Record:
    processor = platform.processor()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            processor = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    toolchain = find_toolchain()
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "load": [round(x, 2) for x in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "compiler": Path(toolchain.command[0]).name if toolchain else None,
        "flags": list(usable_flags(toolchain)) if toolchain else [],
        "pinocchio_flags": list(FLAGS),
    }


def _versions() -> dict[str, str | None]:
    versions: dict[str, str | None] = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = None
    return versions
