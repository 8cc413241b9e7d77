"""H-infinity norms beside SLICOT's ``AB13DD`` on random systems, flexible and badly scaled.

Where the two differ, the gain is evaluated with 40 digits about both peaks: a norm below it is too low, one that no
frequency reaches is too high. ``python -m dalembert.studies.robust_control.norms 10000 FILE`` writes the comparison
(needs slycot and mpmath); an interrupted run resumes where it stopped.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.control.hinf import hinf_norm
from dalembert.control.norms import Matrices
from dalembert.core.types import Array

__all__ = ["KINDS", "Tally", "compare", "random_system", "true_peak"]

KINDS = ("flexible", "badly scaled", "weighted")
_DIFFERENT = 1e-6  # relative difference from which on the two norms are judged
_WRONG = 1e-6  # relative error from which on a norm counts as wrong
_STORED = 100  # systems between two writings of the results


@dataclass
class Tally:
    """Counts of a comparison, of one kind of system."""

    systems: int = 0
    differ: int = 0
    ours_wrong: int = 0
    slicot_wrong: int = 0
    slicot_failed: int = 0
    ours_worst: float = 0.0
    slicot_worst: float = 0.0
    bound_broken: int = 0
    bound_missing: int = 0
    seeds: list[int] = field(default_factory=list)


def random_system(kind: str, seed: int) -> Matrices:
    """A stable system: oscillators over five decades with damping from 1e-5; as it is, badly scaled, or weighted."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    k, m, p = int(rng.integers(1, 9)), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    w, z = 10.0 ** rng.uniform(-1, 4, k), 10.0 ** rng.uniform(-5, -0.5, k)
    A: Array = np.zeros((2 * k, 2 * k))
    B: Array = np.zeros((2 * k, m))
    C: Array = np.zeros((p, 2 * k))
    for i in range(k):
        A[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[0.0, 1.0], [-(w[i] ** 2), -2.0 * z[i] * w[i]]]
    B[1::2], C[:, 0::2] = rng.normal(size=(k, m)), rng.normal(size=(p, k))
    C[:, 1::2] = rng.normal(size=(p, k)) * (rng.random() < 0.5)
    D: Array = rng.normal(size=(p, m)) * 10.0 ** rng.uniform(-6, 1) * (rng.random() < 0.5)
    if kind == "badly scaled":
        if rng.random() < 0.5:
            T: Array = np.eye(2 * k) + 0.3 * rng.normal(size=(2 * k, 2 * k))
            A, B = (np.asarray(np.linalg.solve(T, right), dtype=float) for right in (A @ T, B))
            C = C @ T
        t = 10.0 ** rng.uniform(-6, 6, 2 * k)
        A, B, C = A * t[None, :] / t[:, None], B / t[:, None], C * t[None, :]
    if kind == "weighted":  # as a weight of tracking is behind a sensitivity
        fast, slow = 10.0 ** rng.uniform(-1, 2), 10.0 ** rng.uniform(-5, -2)
        pole, one = fast * slow, np.eye(p)
        A = np.block([[A, np.zeros((2 * k, p))], [C, -pole * one]])
        B, C, D = np.vstack([B, D]), np.hstack([C / 1.5, (fast - pole) / 1.5 * one]), D / 1.5
    return A, B, C, D


def true_peak(system: Matrices, frequencies: list[float]) -> float:
    """Largest gain about frequencies, with 40 digits: from the best of them uphill, by parabolas."""
    import mpmath as mp

    with mp.workdps(40):
        A, B, C, D = (mp.matrix(m.tolist()) for m in system)

        def gain(w: Any) -> Any:
            inverse = mp.inverse(mp.mpc(0, 1) * w * mp.eye(A.rows) - A)
            return mp.svd_c(D + C * inverse * B, compute_uv=False)[0]

        return float(max(_climb(gain, w) for w in frequencies))


def _climb(gain: Callable[[Any], Any], frequency: float) -> Any:
    import mpmath as mp

    w = mp.mpf(frequency)
    best = gain(w)
    step = w * mp.mpf("1e-6")
    for _ in range(12):
        if step == 0:
            break
        low, high = gain(w - step), gain(w + step)
        best = max(best, low, high)
        bend = low - 2 * gain(w) + high
        move = (low - high) / (2 * bend) * step if bend < 0 else (step * 10 if high > low else -step * 10)
        move = max(min(move, 100 * step), -100 * step)
        w = abs(w + move)
        best = max(best, gain(w))
        if abs(move) < mp.mpf("1e-10") * w:
            break
        step = max(abs(move) / 10, mp.mpf("1e-12") * w)
    return best


def compare(kind: str, seeds: range, tally: Tally | None = None) -> Tally:
    """Compare norms on systems of a kind; counts are added to those of earlier systems, if given."""
    import control
    import slycot

    tally = tally if tally is not None else Tally()
    for seed in seeds:
        A, B, C, D = system = random_system(kind, seed)
        n = len(A)
        if np.linalg.eigvals(A).real.max() >= 0.0:  # rounding has moved a pole of small damping
            continue
        tally.systems += 1
        norm = hinf_norm(control.ss(*system))
        tally.bound_missing += not np.isfinite(norm.upper)
        sizes = n, B.shape[1], C.shape[0]
        parts: list[Array] = [m.copy() for m in (A, np.eye(n), B, C, D)]
        try:
            other, frequency = slycot.ab13dd("C", "I", "S", "D", *sizes, *parts, 1e-9)
        except (ArithmeticError, slycot.exceptions.SlycotError):
            tally.slicot_failed += 1
            continue
        if abs(norm.value - other) <= _DIFFERENT * norm.value:
            continue
        tally.differ += 1
        tally.seeds.append(seed)
        places = [w for w in (norm.omega, frequency) if np.isfinite(w)]
        truth = max(true_peak(system, places), float(np.linalg.norm(D, 2)))
        ours, theirs = (abs(float(value) / truth - 1.0) for value in (norm.value, other))
        tally.ours_wrong += ours > _WRONG
        tally.slicot_wrong += theirs > _WRONG
        tally.ours_worst, tally.slicot_worst = max(tally.ours_worst, ours), max(tally.slicot_worst, theirs)
        tally.bound_broken += bool(norm.upper < truth * (1.0 - 1e-12))
    return tally


def main(arguments: list[str]) -> int:
    """Compare a number of systems, from where an earlier run ended; 1 if a bound is below the true norm."""
    count, path = int(arguments[0]) // len(KINDS), Path(arguments[1])
    answer: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for what in KINDS:
        done = answer.get(what, {}).get("drawn", 0)
        tally = Tally(**{k: v for k, v in answer.get(what, {}).items() if k != "drawn"})
        for first in range(done, count, _STORED):
            last = min(first + _STORED, count)
            answer[what] = {"drawn": last, **asdict(compare(what, range(first, last), tally))}
            path.write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")
            print(what, {k: v for k, v in answer[what].items() if k != "seeds"}, flush=True)
    return int(any(part["bound_broken"] for part in answer.values()))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
