"""Forward dynamics of robots by all contenders, in one run: results, table and file."""

from __future__ import annotations

import json as json_module
import os
import platform
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.benchmarks.contenders import Case, Contender, Skipped, contenders, make_case
from dalembert.benchmarks.measure import interleave
from dalembert.benchmarks.pinocchio_cpp import FLAGS
from dalembert.benchmarks.robots import ROBOTS
from dalembert.compile.build import find_toolchain, usable_flags
from dalembert.core.errors import InputError, UnknownNameError

__all__ = ["main", "run_bench"]

REFERENCE = "native-call"
AGREEMENT = 1e-8
"""Relative difference from our accelerations up to which a contender counts as computing the same."""


def run_bench(
    robots: Sequence[str] | None = None, *, quick: bool = False, announce: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Measure forward dynamics of robots, one call at a time, by everything that is installed.

    Parameters
    ----------
    robots
        Names in `ROBOTS`; all if not given.
    quick
        Few repetitions, UR5 only by default, and no long builds.
    announce
        Is told what is going on.

    Returns
    -------
    dict
        ``date``, ``command``, ``machine``, ``versions``, ``settings``, ``results`` (a list of rows), ``skipped``. A row
        has ``robot, title, nv, operations, contender, name, median_ns, least_ns, ratio, difference, agrees``; ``ratio``
        is the time relative to one native call, the median over the repetitions.
    """
    names = list(robots) if robots else ["ur5"] if quick else list(ROBOTS)
    for name in names:
        if name not in ROBOTS:
            raise UnknownNameError("robot", name, ROBOTS)
    # Short measurements, many times: most of them then fall between two interruptions by other programs.
    settings = {"states": 64, "repetitions": 5, "duration_s": 5e-4, "quick": True}
    if not quick:
        settings = {"states": 256, "repetitions": 201, "duration_s": 5e-4, "quick": False}
    options = (["--quick"] if quick else []) + [f"--robot {name}" for name in robots or []]
    results: list[dict[str, Any]] = []
    skipped: list[dict[str, str]] = []
    for name in names:
        announce(f"{ROBOTS[name].title} ...")
        case = make_case(name, int(settings["states"]))
        taking_part: list[Contender] = []
        for c in contenders(case, build=not quick, announce=announce):
            if isinstance(c, Skipped):
                skipped.append({"robot": name, "contender": c.key, "name": c.title, "reason": c.reason})
            else:
                taking_part.append(c)
        results += _rows(case, taking_part, int(settings["repetitions"]), float(settings["duration_s"]))
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": " ".join(["dalembert bench", *options]),
        "machine": _machine(),
        "versions": _versions(),
        "settings": settings,
        "results": results,
        "skipped": skipped,
    }


def _rows(case: Case, taking_part: Sequence[Contender], repetitions: int, duration: float) -> list[dict[str, Any]]:
    reference = case.eom.forward_dynamics(case.q, case.v, case.tau)
    differences = {}
    for c in taking_part:
        c.run()
        gap = np.abs(c.accelerations() - reference).max(axis=1) / np.abs(reference).max(axis=1)
        differences[c.key] = float(gap.max())
    runs = {c.key: (c.run, c.repeats * case.states) for c in taking_part}
    times = interleave(runs, repetitions=repetitions, duration=duration)
    base = times.get(REFERENCE)
    return [
        {
            "robot": case.name,
            "title": ROBOTS[case.name].title,
            "nv": case.eom.nv,
            "operations": case.eom.kernel("forward_dynamics").function.n_instructions(),
            "contender": c.key,
            "name": c.title,
            "median_ns": 1e9 * times[c.key].median,
            "least_ns": 1e9 * times[c.key].least,
            "ratio": times[c.key].relative_to(base) if base else None,
            "difference": differences[c.key],
            "agrees": differences[c.key] < AGREEMENT,
        }
        for c in taking_part
    ]


def _machine() -> dict[str, Any]:
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
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "compiler": Path(toolchain.command[0]).name if toolchain else None,
        "flags": list(usable_flags(toolchain)) if toolchain else [],
        "pinocchio_flags": list(FLAGS),
    }


def _versions() -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for package in ("dalembert", "casadi", "numpy", "pin", "mujoco", "example-robot-data"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


def main(json: str | None = None, quick: bool = False, robots: Sequence[str] | None = None) -> int:
    """Run the benchmark, print a table, and write the figures.

    Parameters
    ----------
    json
        File to write the figures to; ``"-"`` writes them to the standard output instead of the table.
    quick
        Few repetitions, UR5 only, no long builds.
    robots
        Names of robots; all if not given.

    Returns
    -------
    int
        Exit status: 0, or 1 if a contender's accelerations differ from ours.
    """
    from rich.console import Console

    target = Path(json) if json and json != "-" else None
    if target is not None and not target.parent.is_dir():
        raise InputError(f"the folder of '{json}' does not exist")
    console, notes = Console(), Console(stderr=True)
    figures = run_bench(robots, quick=quick, announce=lambda text: notes.print(text, style="dim"))
    if json == "-":
        print(json_module.dumps(figures, indent=2))
    else:
        _print_tables(console, figures)
    if target is not None:
        target.write_text(json_module.dumps(figures, indent=2) + "\n", encoding="utf-8")
        notes.print(f"written to {json}", style="dim")
    return 0 if all(row["agrees"] for row in figures["results"]) else 1


def _print_tables(console: Any, figures: dict[str, Any]) -> None:
    from rich.table import Table

    for robot in dict.fromkeys(row["robot"] for row in figures["results"]):
        rows = [row for row in figures["results"] if row["robot"] == robot]
        first = rows[0]
        table = Table(title=f"{first['title']}: {first['nv']} degrees of freedom, {first['operations']} operations")
        table.add_column("forward dynamics", no_wrap=True)
        for head in ("median", "least", "relative", "difference"):
            table.add_column(head, justify="right")
        for row in rows:
            ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
            style = None if row["agrees"] else "bold red"
            times = (_time(row["median_ns"]), _time(row["least_ns"]))
            table.add_row(row["name"], *times, ratio, f"{row['difference']:.0e}", style=style)
        for skip in figures["skipped"]:
            if skip["robot"] == robot:
                table.add_row(skip["name"], "skipped", style="dim")
        console.print(table)
    for name, reason in dict.fromkeys((skip["name"], skip["reason"]) for skip in figures["skipped"]):
        console.print(f"{name}: skipped, {reason}", style="yellow", highlight=False)
    machine, settings = figures["machine"], figures["settings"]
    console.print(
        f"{machine['processor']}, {machine['cores']} cores; {settings['repetitions']} interleaved repetitions over "
        f"{settings['states']} random states; times relative to one native call; difference from our accelerations",
        style="dim",
    )


def _time(nanoseconds: float) -> str:
    return f"{nanoseconds:.0f} ns" if nanoseconds < 1e4 else f"{nanoseconds / 1e3:.1f} us"
