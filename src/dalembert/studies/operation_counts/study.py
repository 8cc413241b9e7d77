"""Operation counts of Table 2, beside those of the tape; that the ways to derive the equations agree; their times."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import casadi as ca
import numpy as np

from dalembert.core.types import Array
from dalembert.studies.operation_counts.counts import METHODS, chain_count, derivation
from dalembert.studies.operation_counts.printed import printed_counts
from dalembert.studies.timing import least_times
from dalembert.systems.falling_chains import falling_chain

__all__ = ["results"]

KEYS = {
    "3x3, as written": "written",
    "3x3, matrices kept": "kept",
    "gibbs-appell": "gibbs-appell",
    "4x4": "4x4",
    "hybrid": "hybrid",
    "newton-euler": "newton-euler",
    "forward dynamics": "forward",
}


def results(*, full: bool = True) -> Iterator[tuple[str, float]]:
    """Yield the key of each expected value and our value; the short form counts no long chain."""
    for method in ("3x3", "4x4"):
        sums, products = printed_counts(method, 10, 2)
        yield f"table2.{method}.sums", sums
        yield f"table2.{method}.products", products
    for method in METHODS:
        yield f"agree.{KEYS[method]}", max(_difference(method, n, m) for n, m in ((1, 1), (2, 1), (3, 2)))
    count, (sums, products) = chain_count("gibbs-appell", 10, 2).written, printed_counts("3x3", 10, 2)
    yield "fewer", float(count.additions <= sums and count.multiplications <= products)
    if not full:
        return
    for method, key in KEYS.items():
        counted = chain_count(method, 10, 2)
        for kind, count in (("count", counted.written), ("shared", counted.shared)):
            yield f"{kind}.{key}.sums", count.additions
            yield f"{kind}.{key}.products", count.multiplications
    machine = falling_chain(2, 1, rotary_inertia=False)
    timed = {key: partial(METHODS[key], machine) for key in ("gibbs-appell", "4x4", "hybrid")}
    for key, seconds in least_times(timed).items():
        yield f"time.{key}", seconds


def _difference(method: str, n: int, m: int) -> float:
    """Largest difference of inertia matrix and right side to those of Newton-Euler, relative to their size."""
    ours, theirs = (_values(name, n, m) for name in (method, "newton-euler"))
    return max(float(np.abs(x - y).max() / np.abs(y).max()) for x, y in zip(ours, theirs, strict=True))


def _values(method: str, n: int, m: int) -> list[Array]:
    inputs, outputs = derivation(method, n, m)
    size, rng = inputs[0].shape[0], np.random.default_rng(10 * n + m)
    values = ca.Function("f", inputs, outputs)(0.3 * rng.normal(size=size), rng.normal(size=size))
    return [np.array(x.full()) for x in values]
