"""Statements of SPACE 8.3 and the literature about robust control, and our proofs."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

from dalembert.control.mu import Robustness, robust_performance, robust_stability
from dalembert.studies.robust_control.chaser import (
    LEVELS,
    PERFORMANCE_RANGES,
    PRINTED_RANGES,
    SMALLER,
    as_complex,
    closed_loop,
    mass_matrix_error,
    model,
    one_by_one,
    performance_loop,
    printed_box,
    printed_inside,
    proof,
    random_peak,
    ranges_at,
    rule_error,
)
from dalembert.studies.robust_control.compleib import floor_of, missed_by_default, static_feedback
from dalembert.studies.robust_control.frequencies import boom_frequencies
from dalembert.studies.robust_control.literature import column_bounds, spike
from dalembert.studies.robust_control.lyapunov import (
    INDEFINITE,
    abscissa,
    centralised_gains,
    pd_gains,
    unstable,
)
from dalembert.studies.robust_control.peaks import printed_peaks
from dalembert.studies.robust_control.stored import code_digest, read_parts
from dalembert.studies.robust_control.synthesis import (
    CONFIGURATIONS,
    centralised,
    mass_matrix,
    soft_index,
    synthesis,
)
from dalembert.studies.rows import Stored

__all__ = ["LONG", "results"]

# Problems of COMPleib that take seconds; all of them are in the table of docs/robust_control.md.
_QUICK = ("AC2", "AC4", "AC17", "AGS", "PSM", "EB1", "EB3", "NN2", "NN16", "NN17")
_EVALUATIONS = 1500  # of a synthesis
Results = Iterator[tuple[str, float]]
AnyResults = Iterator[tuple[str, float | Stored]]
Job = tuple[Callable[..., Results], *tuple[str, ...]]

_SHORT = 120.0  # processor time [s] up to which a full run computes a part; it reads the others from stored results


def _proven(found: Robustness) -> float:
    """One if the whole box is proven of the LFT: the document's numbers are about that."""
    return float(found.complete and found.upper <= 1.0)


def results(*, full: bool = True) -> AnyResults:
    """Yield the key of each expected value and our value; the short form leaves out the long proofs.

    Limits of searches are evaluations, those of proofs are processor time: the values do not depend on other work of
    the computer. Some long parts run side by side in two processes. Those that take many minutes are read from stored
    results, with their date (`dalembert.studies.robust_control.stored` computes them).
    """
    yield from _literature()
    yield from _static_feedback()
    yield from _chaser()
    yield from ((f"frequencies.{key}", value) for key, value in boom_frequencies())
    yield from _lyapunov()
    yield "synthesis.printed.multi", synthesis("multi", "printed", starts=1, evaluations=600).soft
    if full:
        yield from _long_parts()


def _long_parts() -> AnyResults:
    """Results of the long parts in their order: stored ones, and those of processes that each use one core."""
    stored, digest = read_parts(), code_digest()
    jobs = [job for job in _JOBS if _name(job) not in stored or stored[_name(job)].takes_at_most(_SHORT)]
    before = os.environ.get("OPENBLAS_NUM_THREADS")
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a process that is spawned reads it when it loads NumPy
    context = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(min(2, os.cpu_count() or 1), mp_context=context) as pool:
            running = {_name(job): pool.submit(_listed, *job) for job in jobs}
            for name in map(_name, _JOBS):
                if name in running:
                    yield from running[name].result()
                    continue
                part = stored[name]
                note = part.date if part.digest == digest else f"{part.date}, by earlier code"
                yield from ((key, Stored(value, note)) for key, value in part.values.items())
    finally:
        if before is None:
            del os.environ["OPENBLAS_NUM_THREADS"]
        else:
            os.environ["OPENBLAS_NUM_THREADS"] = before


def _listed(part: Callable[..., Results], *arguments: str) -> list[tuple[str, float]]:
    return list(part(*arguments))


def _name(job: Job) -> str:
    """Name of a part, such as ``proof half``."""
    part, *arguments = job
    return " ".join([part.__name__.strip("_"), *arguments])


def _literature() -> Iterator[tuple[str, float]]:
    below, above = (robust_stability(spike(), level=level, seconds=60.0) for level in (2.49, 2.51))
    yield "spike.lower", below.lower
    yield "spike.below", float(below.complete and below.upper <= 2.49)
    yield "spike.above", float(above.complete and above.upper <= 2.51)
    stability, performance = column_bounds()
    yield "column.stability", stability
    yield "column.performance", performance


def _static_feedback() -> Iterator[tuple[str, float]]:
    for name in ("AC2", "AGS"):
        yield f"compleib.{name}", static_feedback(name, starts=3) / floor_of(name)
    above = [static_feedback(n, starts=2) < (1.0 - 1e-4) * floor_of(n) for n in ("NN2", "DIS2", "HE1", "REA1")]
    yield "compleib.floors", float(sum(above))


def _chaser() -> Iterator[tuple[str, float]]:
    half, quarter = model("half").lft.sizes, model("quarter").lft.sizes
    yield "lft.half", float(half["theta1"])
    yield "lft.quarter", float(quarter["theta1"])
    yield "lft.half.size", float(sum(half.values()))
    yield "lft.quarter.size", float(sum(quarter.values()))
    yield "ranges.rule", rule_error()
    yield "lft.half.error", mass_matrix_error("half")
    yield "lft.quarter.error", mass_matrix_error("quarter")


def _lyapunov() -> Iterator[tuple[str, float]]:
    yield "lyapunov.positive", float(unstable(pd_gains("multi"), 200).unstable)
    Kp, Kd = pd_gains("mono1")
    Kp[3:6, 3:6] = INDEFINITE
    here, there = (abscissa(mass_matrix(q, "printed"), Kp, Kd) for q in CONFIGURATIONS.values())
    yield "lyapunov.indefinite.own", here
    yield "lyapunov.indefinite.other", there
    yield "lyapunov.centralised.equal", float(unstable(centralised_gains(1.0), 200).unstable)
    yield "lyapunov.centralised.unequal", float(unstable(centralised_gains(2.0, seed=3), 200).unstable > 0)


def _by_default() -> Results:
    yield "compleib.default", float(len(missed_by_default(_QUICK)))


def _synthesis(arm: str) -> Results:
    printed = {"mono1": 0.97, "mono2": 0.97, "multi": 0.99}
    met = 0
    for case, index in printed.items():
        controller = synthesis(case, arm, evaluations=_EVALUATIONS)
        met += controller.certified and controller.soft <= (index if arm == "rigid" else 0.99)
        yield f"synthesis.{arm}.{case}", controller.soft
        if arm == "flexible":
            yield f"synthesis.{arm}.{case}.soft", soft_index(controller)
    yield f"synthesis.{arm}.met", float(met)


def _centralised() -> Results:
    shared = centralised("mono1", evaluations=_EVALUATIONS)
    yield "synthesis.centralised", shared.soft if shared.certified else np.inf


def _proof(tangent: str) -> Results:
    level, _ = LEVELS[tangent]
    proven = proof(tangent, level, seconds=400.0).complete
    yield f"mu.{tangent}.proven", float(proven)
    inside = printed_inside(ranges_at(level, tangent), PRINTED_RANGES[tangent, "at once"])
    yield f"mu.{tangent}.inside", float(inside * proven)


def _flexible_proof() -> Results:
    yield "mu.flexible.proven", float(proof("half", LEVELS["half"][0], "flexible", seconds=600.0).complete)


def _smaller(tangent: str) -> Results:
    """Levels below the printed one, for real and for complex parameters."""
    yield f"mu.{tangent}.smaller", proof(tangent, SMALLER[tangent], seconds=400.0).upper
    complex_ = robust_stability(as_complex(closed_loop(tangent)), enough=1.0, seconds=200.0)
    yield f"mu.{tangent}.complex", complex_.upper


def _fifth() -> Results:
    alone = closed_loop("half").close(dict.fromkeys(("theta1", "theta2", "theta3", "theta4"), 0.0))
    yield "mu.theta5", _proven(robust_stability(alone, level=1.0, seconds=120.0))


def _box(tangent: str, order: str) -> Results:
    yield f"mu.box.{tangent}.{order[0]}", _proven(printed_box(tangent, PRINTED_RANGES[tangent, order]))


def _iterative(order: str) -> Results:
    ranges = one_by_one(order, "half").ranges
    yield f"mu.iterative.half.{order[0]}", float(printed_inside(ranges, PRINTED_RANGES["half", order]))


def _performance(tangent: str) -> Results:
    _, level = LEVELS[tangent]
    loop = performance_loop(tangent)
    bounds = robust_performance(loop, loop.inputs, loop.outputs, level=level, seconds=400.0)
    yield f"performance.{tangent}.proven", float(bounds.complete)
    yield f"performance.{tangent}.lower", bounds.lower
    inside = printed_inside(ranges_at(level, tangent), PERFORMANCE_RANGES[tangent, "at once"])
    yield f"performance.{tangent}.inside", float(inside * bounds.complete)
    box = printed_box(tangent, PERFORMANCE_RANGES[tangent, "5 to 1"], gain=level)
    yield f"performance.box.{tangent}", _proven(box)


def _complex_performance(tangent: str) -> Results:
    loop = performance_loop(tangent)
    bounds = robust_performance(as_complex(loop), loop.inputs, loop.outputs, enough=1.0, seconds=200.0)
    yield f"performance.{tangent}.complex", bounds.upper


def _iterative_performance() -> Results:
    ranges = one_by_one("5 to 1", "half", gain=LEVELS["half"][1]).ranges
    yield "performance.iterative.half", float(printed_inside(ranges, PERFORMANCE_RANGES["half", "5 to 1"]))


def _smaller_performance() -> Results:
    loop = performance_loop("half")
    level = SMALLER["performance"]
    yield "performance.half.smaller", robust_performance(loop, loop.inputs, loop.outputs, level=level).upper


def _random() -> Results:
    yield "performance.random", random_peak(200)
    peaks = printed_peaks(40)
    yield "performance.random.printed", float(peaks.max())
    yield "performance.random.between", float(np.median(peaks) <= 55.6 <= peaks.max())


_JOBS: tuple[Job, ...] = (
    (_by_default,),
    (_synthesis, "rigid"),
    (_synthesis, "flexible"),
    (_centralised,),
    (_proof, "half"),
    (_proof, "quarter"),
    (_flexible_proof,),
    (_smaller, "half"),
    (_smaller, "quarter"),
    (_fifth,),
    (_box, "half", "1 to 5"),
    (_box, "half", "5 to 1"),
    (_box, "quarter", "1 to 5"),
    (_box, "quarter", "5 to 1"),
    (_iterative, "1 to 5"),
    (_iterative, "5 to 1"),
    (_performance, "half"),
    (_performance, "quarter"),
    (_complex_performance, "half"),
    (_complex_performance, "quarter"),
    (_iterative_performance,),
    (_smaller_performance,),
    (_random,),
)

LONG = {_name(job): partial(job[0], *job[1:]) for job in _JOBS}
"""Long parts by name; their results are stored."""
