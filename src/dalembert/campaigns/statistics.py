"""Proportions with their intervals, and sensitivities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.campaigns.store import needs
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.core.validation import check_level

if TYPE_CHECKING:
    import pandas

__all__ = ["Proportion", "morris_effects", "sobol_indices", "wilson"]


class Proportion(NamedTuple):
    """How often something holds."""

    estimate: float
    low: float
    high: float
    successes: int
    members: int


def wilson(count: int, members: int, level: float = 0.95) -> Proportion:
    """Return a proportion with Wilson's score interval, which also holds near 0 and 1 and for few members.

    Examples
    --------
    >>> p = wilson(192, 200)
    >>> round(p.low, 4), round(p.high, 4)
    (0.9231, 0.9796)
    """
    from scipy import stats

    check_level(level)
    if members < 1:
        raise InputError("a proportion needs at least one member")
    z = float(stats.norm.ppf(0.5 + level / 2))
    p, n = count / members, members
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = (0.0 if count == 0 else middle - half), (1.0 if count == members else middle + half)
    return Proportion(p, float(low), float(high), count, members)


def _problem(names: list[str]) -> dict[str, Any]:
    return {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}


def _finite(values: Array, what: str) -> None:
    bad = int((~np.isfinite(values)).sum())
    if bad:
        raise InputError(f"{what} need a value of every member; {bad} have none (see failures())")


def sobol_indices(names: list[str], values: Array, seed: int) -> pandas.DataFrame:
    """First-order and total indices of values on Saltelli's design."""
    needs("SALib", "Sobol indices")
    import pandas
    from SALib.analyze import sobol

    _finite(values, "Sobol indices")
    indices = sobol.analyze(_problem(names), values, calc_second_order=False, seed=seed)
    columns = {"first": "S1", "first.conf": "S1_conf", "total": "ST", "total.conf": "ST_conf"}
    return pandas.DataFrame({ours: indices[theirs] for ours, theirs in columns.items()}, index=names)


def morris_effects(names: list[str], points: Array, values: Array) -> pandas.DataFrame:
    """Elementary effects of values on Morris' trajectories."""
    needs("SALib", "elementary effects")
    import pandas
    from SALib.analyze import morris

    _finite(values, "elementary effects")
    low, high = points.min(axis=0), points.max(axis=0)
    scaled = (points - low) / np.where(high > low, high - low, 1.0)
    effects = morris.analyze(_problem(names), scaled, values, num_levels=4, seed=0)
    columns = {"mean": "mu", "mean_size": "mu_star", "conf": "mu_star_conf", "deviation": "sigma"}
    return pandas.DataFrame({ours: np.asarray(effects[theirs]) for ours, theirs in columns.items()}, index=names)
