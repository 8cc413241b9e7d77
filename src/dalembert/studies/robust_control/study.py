"""Statements of SPACE 8.3 and the literature about robust control, and our proofs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dalembert.control.mu import Robustness, robust_performance, robust_stability
from dalembert.studies.robust_control.chaser import (
    LEVELS,
    PERFORMANCE_RANGES,
    PRINTED_RANGES,
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
from dalembert.studies.robust_control.compleib import compare, floor_of, static_feedback
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
from dalembert.studies.robust_control.synthesis import (
    CONFIGURATIONS,
    centralised,
    mass_matrix,
    soft_index,
    synthesis,
)

__all__ = ["results"]

# Problems of COMPleib whose forty starts take seconds; all of them are in the table of docs/robust_control.md.
_QUICK = ("AC2", "AC4", "AC17", "REA3", "BDT1", "AGS", "PSM", "EB1", "EB3", "NN2")


def _proven(found: Robustness) -> float:
    """One if the whole box is proven of the LFT: the document's numbers are about that."""
    return float(found.complete and found.upper <= 1.0)


def results(*, full: bool = True) -> Iterator[tuple[str, float]]:
    """Yield the key of each expected value and our value; the short form leaves out the long proofs."""
    yield from _literature()
    yield from _static_feedback()
    yield from _chaser()
    yield from ((f"frequencies.{key}", value) for key, value in boom_frequencies())
    yield from _lyapunov()
    yield "synthesis.printed.multi", synthesis("multi", "printed", starts=1, seconds=6.0).soft
    if full:
        yield "compleib.starts", float(sum(c.ten > 1.01 * c.forty for c in map(compare, _QUICK)))
        yield from _synthesis()
        yield from _proofs()
        yield from _performance()


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


def _synthesis() -> Iterator[tuple[str, float]]:
    printed = {"mono1": 0.97, "mono2": 0.97, "multi": 0.99}
    met = 0
    for arm in ("rigid", "flexible"):
        for case, index in printed.items():
            controller = synthesis(case, arm, seconds=30.0)
            met += controller.certified and controller.soft <= (index if arm == "rigid" else 0.99)
            yield f"synthesis.{arm}.{case}", controller.soft
            if arm == "flexible":
                yield f"synthesis.{arm}.{case}.soft", soft_index(controller)
    yield "synthesis.met", float(met)
    shared = centralised("mono1", seconds=30.0)
    yield "synthesis.centralised", shared.soft if shared.certified else np.inf


def _proofs() -> Iterator[tuple[str, float]]:
    for tangent, (level, _) in LEVELS.items():
        proven = proof(tangent, level, seconds=400.0).complete
        yield f"mu.{tangent}.proven", float(proven)
        inside = printed_inside(ranges_at(level, tangent), PRINTED_RANGES[tangent, "at once"])
        yield f"mu.{tangent}.inside", float(inside * proven)
    yield "mu.flexible.proven", float(proof("half", LEVELS["half"][0], "flexible", seconds=600.0).complete)
    yield "mu.half.least", proof("half", None, seconds=90.0).upper
    yield "mu.quarter.least", robust_stability(closed_loop("quarter"), enough=1.0, seconds=300.0).upper
    yield "mu.half.complex", robust_stability(as_complex(closed_loop("half")), enough=1.0, seconds=90.0).upper
    yield "mu.quarter.complex", robust_stability(as_complex(closed_loop("quarter")), enough=1.0, seconds=200.0).upper
    alone = closed_loop("half").close(dict.fromkeys(("theta1", "theta2", "theta3", "theta4"), 0.0))
    yield "mu.theta5", _proven(robust_stability(alone, level=1.0, seconds=120.0))
    for (tangent, order), printed in PRINTED_RANGES.items():
        if order != "at once":
            yield f"mu.box.{tangent}.{order[0]}", _proven(printed_box(tangent, printed))
    for (tangent, order), printed in PRINTED_RANGES.items():
        if order != "at once":
            ranges = one_by_one(order, tangent).ranges
            yield f"mu.iterative.{tangent}.{order[0]}", float(printed_inside(ranges, printed))


def _performance() -> Iterator[tuple[str, float]]:
    for tangent, (_, level) in LEVELS.items():
        loop = performance_loop(tangent)
        bounds = robust_performance(loop, loop.inputs, loop.outputs, level=level, seconds=400.0)
        yield f"performance.{tangent}.proven", float(bounds.complete)
        yield f"performance.{tangent}.lower", bounds.lower
        inside = printed_inside(ranges_at(level, tangent), PERFORMANCE_RANGES[tangent, "at once"])
        yield f"performance.{tangent}.inside", float(inside * bounds.complete)
        every = as_complex(loop)
        complex_ = robust_performance(every, loop.inputs, loop.outputs, enough=1.0, seconds=200.0)
        yield f"performance.{tangent}.complex", complex_.upper
        box = printed_box(tangent, PERFORMANCE_RANGES[tangent, "5 to 1"], gain=level)
        yield f"performance.box.{tangent}", _proven(box)
        ranges = one_by_one("5 to 1", tangent, gain=level).ranges
        inside = printed_inside(ranges, PERFORMANCE_RANGES[tangent, "5 to 1"])
        yield f"performance.iterative.{tangent}", float(inside)
    loop = performance_loop("half")
    yield "performance.half.least", robust_performance(loop, loop.inputs, loop.outputs, seconds=90.0).upper
    yield "performance.random", random_peak(200)
    peaks = printed_peaks(40)
    yield "performance.random.printed", float(peaks.max())
    yield "performance.random.between", float(np.median(peaks) <= 55.6 <= peaks.max())
