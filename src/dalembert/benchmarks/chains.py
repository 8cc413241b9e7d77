"""Forward dynamics of chains of revolute joints: how the cost grows with the number of links."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from dalembert.benchmarks.cases import QUANTITIES, Case, Contender, Skipped
from dalembert.benchmarks.contenders import contenders
from dalembert.benchmarks.machines import chain
from dalembert.benchmarks.measure import Record
from dalembert.benchmarks.peers.pinocchio_model import pinocchio_model
from dalembert.benchmarks.rows import SETTINGS, describe, measure
from dalembert.formulations.equations import derive

__all__ = ["LINKS", "build_time", "chain_case", "fitted_exponent", "run_chains"]

LINKS = (10, 20, 50, 100, 200)
BUILD_LINKS = 120


def chain_case(n: int, states: int, quantity: str = "forward", seed: int = 0) -> Case:
    """A chain and random states of it: a gentle motion, in which long chains stay within ordinary numbers."""
    machine = chain(n)
    rng = np.random.default_rng(seed)
    q, v, x = rng.normal(size=(3, states, n))
    return Case(
        f"chain-{n}",
        f"Chain of {n} links",
        derive(machine),
        0.3 * q,
        0.1 * v,
        x,
        lambda: pinocchio_model(machine),
        QUANTITIES[quantity],
        continuous=False,
    )


def fitted_exponent(links: Sequence[int], times: Sequence[float]) -> float:
    """Slope of the straight line through log(time) against log(links)."""
    return float(np.polyfit(np.log(links), np.log(times), 1)[0])


def build_time(n: int) -> Record:
    """Seconds to derive and to compile the forward dynamics of a chain, with an empty cache."""
    with _empty_cache():
        start = time.perf_counter()
        eom = derive(chain(n))
        function = eom.symbolic.forward_dynamics
        derived = time.perf_counter()
        kernel = eom.kernel("forward_dynamics")
        compiled = time.perf_counter()
    del function
    return {
        "links": n,
        "operations": kernel.function.n_instructions(),
        "backend": kernel.backend,
        "derive_s": derived - start,
        "compile_s": compiled - derived,
    }


@contextmanager
def _empty_cache() -> Iterator[None]:
    before = os.environ.get("DALEMBERT_CACHE")
    with tempfile.TemporaryDirectory(prefix="dalembert-bench-") as folder:
        os.environ["DALEMBERT_CACHE"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["DALEMBERT_CACHE"]
            else:
                os.environ["DALEMBERT_CACHE"] = before


def run_chains(
    links: Sequence[int] | None = None, *, quick: bool = False, announce: Callable[[str], None] = lambda _: None
) -> Record:
    """Measure forward dynamics of chains by everything that is installed.

    Parameters
    ----------
    links
        Numbers of links; `LINKS` if not given, and short ones in a quick run.
    quick
        Few repetitions, short chains, no long builds.
    announce
        Called with progress messages.

    Returns
    -------
    dict
        As in `dalembert.benchmarks.run_bench`; besides, ``exponents`` (contender to the fitted power of the number of
        links, from the least times, which other programs disturb least) and ``build`` (seconds to derive and to
        compile a chain of 120 links; None in a quick run).
    """
    counts = tuple(links) if links else (4, 8) if quick else LINKS
    settings = {**SETTINGS[quick], "states": 16, "repetitions": 5 if quick else 101}
    about = describe("dalembert bench chains" + (" --quick" if quick else ""), settings)
    results: list[Record] = []
    skipped: list[dict[str, str]] = []
    for n in counts:
        announce(f"chain of {n} links ...")
        case = chain_case(n, settings["states"])
        rows, absent = measure(case, _without_batches(contenders(case, build=not quick, announce=announce)), settings)
        results += rows
        skipped += absent
    exponents = {}
    for key in dict.fromkeys(row["contender"] for row in results):
        mine = [row for row in results if row["contender"] == key]
        if len(mine) > 1:
            exponents[key] = fitted_exponent([row["nv"] for row in mine], [row["least_ns"] for row in mine])
    build = None
    if not quick:
        announce(f"build of a chain of {BUILD_LINKS} links, from an empty cache ...")
        build = build_time(BUILD_LINKS)
    return {
        "topic": "chains",
        **about,
        "results": results,
        "skipped": skipped,
        "exponents": exponents,
        "build": build,
    }


def _without_batches(contenders: Iterator[Contender | Skipped]) -> Iterator[Contender | Skipped]:
    """One batch is enough for the growth of the cost: on one core, with bound arrays."""
    return (c for c in contenders if c.key not in ("native-batch-python", "native-batch-threads"))
