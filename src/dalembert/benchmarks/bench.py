"""The benchmark as a program: topics, tables and files."""

from __future__ import annotations

import json as json_module
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.benchmarks import report
from dalembert.benchmarks.arms import run_bench
from dalembert.benchmarks.cable_robot import run_cable_robot
from dalembert.benchmarks.chains import run_chains
from dalembert.benchmarks.contact import run_contact
from dalembert.benchmarks.crane import run_crane
from dalembert.benchmarks.flexible_arm import run_flexible_arm
from dalembert.benchmarks.fmu import run_fmu
from dalembert.benchmarks.measure import Record
from dalembert.benchmarks.predictive import run_predictive
from dalembert.benchmarks.rollouts import run_rollouts
from dalembert.benchmarks.studio import run_studio
from dalembert.benchmarks.wasm import run_wasm
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.files import target_file, write_file

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["TOPICS", "Topic", "main"]


@dataclass(frozen=True)
class Topic:
    """A topic of measurement.

    Parameters
    ----------
    title
        Description, in a few words.
    run
        Measures it and returns the figures.
    show
        Prints the figures on a console.
    """

    title: str
    run: Callable[..., Record]
    show: Callable[[Console, Record], None]


TOPICS: dict[str, Topic] = {
    "arms": Topic("a two-link arm and published robots", run_bench, report.print_rows),
    "chains": Topic("chains of links: how the cost grows", run_chains, report.print_chains),
    "crane": Topic("cranes of many links", run_crane, report.print_cranes),
    "flexible-arm": Topic("arms with flexible links", run_flexible_arm, report.print_flexible_arm),
    "rollouts": Topic("many simulations at once", run_rollouts, report.print_rollouts),
    "cable-robot": Topic("cable-driven parallel robots", run_cable_robot, report.print_cable_robot),
    "studio": Topic("the player in a browser without a graphics processor", run_studio, report.print_studio),
    "contact": Topic("a quadruped, a pile and a chain that touch the ground", run_contact, report.print_contact),
    "fmu": Topic("FMUs that a program in C steps, beside simulations", run_fmu, report.print_fmu),
    "mpc": Topic("predictive controllers: a sample, beside HPIPM and IPOPT", run_predictive, report.print_predictive),
    "wasm": Topic("pages that simulate in a browser, beside native runs", run_wasm, report.print_wasm),
}
"""Topics, by name."""


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
        Names of robots; all if not given. For the topic ``arms`` only.
    topic
        A name in `TOPICS`.
    quantity
        The computed quantity: a name in `dalembert.benchmarks.QUANTITIES`, or ``"all"``. For the topic ``arms`` only.
    plot
        File for a plot of the cost against the number of links. For the topic ``chains`` only.

    Returns
    -------
    int
        Exit status: 0, or 1 if a contender's results differ from ours.

    Examples
    --------
    >>> from dalembert.benchmarks import main
    >>> main("figures.json", quick=True, topic="crane")  # doctest: +SKIP
    0
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

    selection = {"robots": robots, "quantity": quantity} if topic == "arms" else {}
    figures = TOPICS[topic].run(**selection, quick=quick, announce=announce)
    if json == "-":
        print(json_module.dumps(figures, indent=2))
    else:
        TOPICS[topic].show(console, figures)
    if target is not None:
        write_file(target, json_module.dumps(figures, indent=2) + "\n")
        announce(f"written to {json}")
    if picture is not None:
        report.plot_chains(figures, picture)
        announce(f"written to {plot}")
    return 0 if all(row.get("agrees", True) for row in figures["results"]) else 1


def _check(topic: str, robots: Sequence[str] | None, quantity: str, plot: str | None) -> None:
    if topic not in TOPICS:
        raise UnknownNameError("topic", topic, TOPICS, "the benchmark")
    if topic != "arms" and (robots or quantity != "forward"):
        raise InputError(f"--robot and --quantity belong to the topic arms, got them with {topic}")
    if topic != "chains" and plot:
        raise InputError(f"--plot belongs to the topic chains, got it with {topic}")
