"""Which members a campaign has: a table of values, made from a seed, the same on every computer of a kind."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from dalembert.campaigns.distributions import Spread
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["SAMPLINGS", "sample"]

SAMPLINGS = {
    "random": "independent",
    "latin": "Latin hypercube: each quantity fills its range evenly",
    "sobol": "scrambled Sobol points: they fill the box of all ranges evenly",
    "grid": "all combinations of the listed values",
    "saltelli": "for Sobol indices: n (2 + number of quantities) members",
    "morris": "for elementary effects: n trajectories of 1 + number of quantities members",
}
"""Ways to choose the members."""


def sample(spreads: Mapping[str, Spread], n: int | None, seed: int, sampling: str) -> Array:
    """Return the values of all members, shape (members, quantities).

    With ``random``, ``sobol`` and ``saltelli`` (in its first columns) more members begin with the same ones.

    Parameters
    ----------
    spreads
        How each quantity varies.
    n
        Number of members; of base points for ``saltelli``, of trajectories for ``morris``; None for ``grid``.
    seed
        Seed of the random numbers.
    sampling
        One of `SAMPLINGS`.

    Examples
    --------
    >>> spreads = {"mass": Spread("uniform", (80.0, 120.0)), "wind": Spread("normal", (0.0, 2.0))}
    >>> sample(spreads, 4, seed=1, sampling="sobol").shape
    (4, 2)
    """
    if sampling not in SAMPLINGS:
        raise InputError(f"got sampling {sampling!r}, expected one of {', '.join(SAMPLINGS)}")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed must be a whole number >= 0, got {seed!r}")
    if sampling == "grid":
        return _grid(spreads, n)
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise InputError(f"n must be a number of members >= 1, got {n!r}")
    probability = _probabilities(len(spreads), int(n), int(seed), sampling)
    columns = [spread.quantiles(probability[:, k]) for k, spread in enumerate(spreads.values())]
    values = np.column_stack(columns) if columns else np.zeros((len(probability), 0))
    for name, column in zip(spreads, values.T, strict=True):
        if not np.isfinite(column).all():
            raise InputError(f"the distribution of '{name}' gives values that are not finite")
    return np.ascontiguousarray(values)


def _grid(spreads: Mapping[str, Spread], n: int | None) -> Array:
    for name, spread in spreads.items():
        if spread.kind != "choice":
            raise InputError(f"a grid needs a list of values for '{name}', got {spread.description}")
    values = np.array(list(itertools.product(*(s.numbers for s in spreads.values()))))
    if n is not None and n != len(values):
        raise InputError(f"the grid has {len(values)} members, got n = {n}; leave n out")
    return values


def _probabilities(d: int, n: int, seed: int, sampling: str) -> Array:
    from scipy.stats import qmc

    if sampling == "random" or d == 0:
        return np.random.Generator(np.random.Philox(seed)).random((n, d))
    if sampling == "latin":
        return np.asarray(qmc.LatinHypercube(d, rng=np.random.default_rng(seed)).random(n))
    if sampling == "morris":
        return _morris(d, n, seed)
    points = _sobol(2 * d if sampling == "saltelli" else d, n, seed)
    if sampling == "sobol":
        return points
    # Saltelli's design: base points A, the other ones B, and A with each column taken from B. The rows of a base point
    # follow each other, in the order that SALib expects.
    rows = np.repeat(points[:, None, :d], d + 2, axis=1)
    for k in range(d):
        rows[:, 1 + k, k] = points[:, d + k]
    rows[:, -1] = points[:, d:]
    return np.asarray(rows.reshape(-1, d))


def _sobol(d: int, n: int, seed: int) -> Array:
    from scipy.stats import qmc

    engine = qmc.Sobol(d, rng=np.random.default_rng(seed))
    return np.asarray(engine.random_base2(max(0, (n - 1).bit_length()))[:n])


def _morris(d: int, n: int, seed: int, levels: int = 4) -> Array:
    """Trajectories through a grid of levels, one quantity changed at a time (Morris 1991)."""
    rng = np.random.Generator(np.random.Philox(seed))
    jump = levels / (2.0 * (levels - 1.0))
    rows = np.empty((n, d + 1, d))
    for r in range(n):
        low = rng.integers(levels // 2, size=d) / (levels - 1.0)
        up = rng.integers(2, size=d).astype(bool)
        point = np.where(up, low, low + jump)
        rows[r, 0] = point
        for i, k in enumerate(rng.permutation(d)):
            point = point.copy()
            point[k] += jump if up[k] else -jump
            rows[r, i + 1] = point
    # The ends of the levels would be infinite for distributions with tails.
    return np.asarray(np.clip(rows.reshape(-1, d), 0.5 / levels**2, 1.0 - 0.5 / levels**2))
