"""The benchmark as a program: topics, tables and files."""

from __future__ import annotations

import json as json_module
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.files import target_file, write_file

__all__ = ["TOPICS", "main"]

TOPICS: dict[str, str] = {
    "arms": "a two-link arm and published robots",
    "chains": "chains of links: how the cost grows",
    "crane": "cranes of many links",
    "flexible-arm": "arms with flexible links",
}
if find_spec("dalembert.benchmarks.cable_robot"):
    TOPICS["cable-robot"] = "cable-driven parallel robots"


def main(
    json: str | None = None,
    quick: bool = False,
    robots: Sequence[str] | None = None,
    *,
    topic: str = "arms",
    quantity: str = "forward",
    plot: str | None = None,
) -> int:
    """Run the benchmark, print a table, and write the figures.

    Parameters
    ----------
    json
        File to write the figures to; ``"-"`` writes them to the standard output instead of the table.
    quick
        Few repetitions, small machines, no long builds.
    robots
        Names of robots; all if not given. Of the topic ``arms`` only.
    topic
        A name in `TOPICS`.
    quantity
        What is computed: a name in `dalembert.benchmarks.cases.QUANTITIES`, or ``"all"``. Of the topic ``arms`` only.
    plot
        File for a plot of the cost against the number of links. Of the topic ``chains`` only.

    Returns
    -------
    int
        Exit status: 0, or 1 if a contender's results differ from ours.
    """
    from rich.console import Console

    _check(topic, robots, quantity, plot)
    target = target_file(json) if json and json != "-" else None
    picture = target_file(plot) if plot else None
    console, notes = Console(), Console(stderr=True)
    if not console.is_terminal:
        console = Console(width=110)

    def announce(text: str) -> None:
        notes.print(text, style="dim", soft_wrap=True)

    figures, show = _run(topic, robots, quantity, quick, announce)
    if json == "-":
        print(json_module.dumps(figures, indent=2))
    else:
        show(console, figures)
    if target is not None:
        write_file(target, json_module.dumps(figures, indent=2) + "\n")
        announce(f"written to {json}")
    if picture is not None:
        from dalembert.benchmarks.report import plot_chains

        plot_chains(figures, picture)
        announce(f"written to {plot}")
    return 0 if all(row.get("agrees", True) for row in figures["results"]) else 1


def _run(topic: str, robots: Sequence[str] | None, quantity: str, quick: bool, announce: Any) -> tuple[Any, Any]:
    from dalembert.benchmarks import arms, chains, crane, report

    if topic == "arms":
        return arms.run_bench(robots, quantity=quantity, quick=quick, announce=announce), report.print_rows
    if topic == "chains":
        return chains.run_chains(quick=quick, announce=announce), report.print_chains
    if topic == "crane":
        return crane.run_crane(quick=quick, announce=announce), report.print_cranes
    if topic == "flexible-arm":
        from dalembert.benchmarks import flexible_arm

        return flexible_arm.run_flexible_arm(quick=quick, announce=announce), report.print_flexible_arm
    return _run_cable_robot(quick, announce), report.print_cable_robot


def _run_cable_robot(quick: bool, announce: Any) -> dict[str, Any]:
    from dalembert.benchmarks.rows import describe

    own = import_module("dalembert.benchmarks.cable_robot")
    settings = {"quick": quick, "repetitions": 1 if quick else 3}
    about = describe("dalembert bench cable-robot" + (" --quick" if quick else ""), settings)
    announce("methods that keep the constraints ...")
    short: dict[str, Any] = {"steps": (4e-3,), "duration": 0.5, "repetitions": 1} if quick else {}
    methods = own.compare_methods(**short)
    announce("side by side with Exudyn ...")
    peers = own.compare_with_exudyn(**short)
    paper = []
    if not quick:
        announce("the method and step of the paper ...")
        paper = own.paper_speed()
    return {"topic": "cable-robot", **about, "results": [], "methods": methods, "peers": peers, "paper": paper}


def _check(topic: str, robots: Sequence[str] | None, quantity: str, plot: str | None) -> None:
    if topic not in TOPICS:
        raise UnknownNameError("topic", topic, TOPICS, "the benchmark")
    if topic != "arms" and (robots or quantity != "forward"):
        raise InputError(f"--robot and --quantity belong to the topic arms, got them with {topic}")
    if topic != "chains" and plot:
        raise InputError(f"--plot belongs to the topic chains, got it with {topic}")
