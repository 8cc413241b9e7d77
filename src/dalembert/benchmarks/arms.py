"""Dynamics of published robots by all contenders, in one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dalembert.benchmarks.cases import MACHINES, QUANTITIES, make_case
from dalembert.benchmarks.contenders import contenders
from dalembert.benchmarks.measure import Record
from dalembert.benchmarks.rows import SETTINGS, describe, measure
from dalembert.core.errors import UnknownNameError

__all__ = ["run_bench"]


def run_bench(
    robots: Sequence[str] | None = None,
    *,
    quantity: str = "forward",
    quick: bool = False,
    announce: Callable[[str], None] = lambda _: None,
) -> Record:
    """Measure dynamics of robots by everything that is installed.

    Parameters
    ----------
    robots
        Names in `MACHINES`; all if not given.
    quantity
        A name in `QUANTITIES`, or ``"all"``.
    quick
        Few repetitions, UR5 only by default, and no long builds.
    announce
        Called with progress messages.

    Returns
    -------
    dict
        ``topic``, ``date``, ``command``, ``machine``, ``versions``, ``settings``, ``results`` (a list of rows),
        ``skipped``. A row has ``robot, quantity, title, nv, operations, contender, name, rows, median_ns, least_ns,
        ratio, difference, agrees``; times are per evaluation, ``rows`` is the length of a batch, and ``ratio`` is the
        time relative to one native call, the median over the repetitions.

    Examples
    --------
    >>> from dalembert.benchmarks import run_bench
    >>> figures = run_bench(["ur5"], quick=True)  # doctest: +SKIP
    >>> figures["results"][0]["name"]  # doctest: +SKIP
    'dalembert, one native call'
    """
    names = list(robots) if robots else ["ur5"] if quick else list(MACHINES)
    for name in names:
        if name not in MACHINES:
            raise UnknownNameError("robot", name, MACHINES)
    if quantity != "all" and quantity not in QUANTITIES:
        raise UnknownNameError("quantity", quantity, (*QUANTITIES, "all"))
    wanted = list(QUANTITIES) if quantity == "all" else [quantity]
    settings = SETTINGS[quick]
    options = (["--quick"] if quick else []) + [f"--robot {name}" for name in robots or []]
    if quantity != "forward":
        options.append(f"--quantity {quantity}")
    results: list[Record] = []
    skipped: list[dict[str, str]] = []
    about = describe(" ".join(["dalembert bench", *options]), settings)
    for name in names:
        for key in wanted:
            announce(f"{name}, {QUANTITIES[key].title} ...")
            case = make_case(name, settings["states"], key)
            rows, absent = measure(case, contenders(case, build=not quick, announce=announce), settings)
            results += rows
            skipped += absent
    return {"topic": "arms", **about, "results": results, "skipped": skipped}
