"""Parameters from recorded runs: least squares with derivatives, covariance, and what cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np

from dalembert.campaigns.run_differences import needs_differences, values_and_differences
from dalembert.campaigns.sensitivity import sensitivities
from dalembert.core.errors import InputError, SimulationError, UnknownNameError
from dalembert.core.labels import as_numbers, has_labels
from dalembert.core.states import assigned
from dalembert.core.types import Array
from dalembert.core.validation import check_level, check_names, check_number
from dalembert.core.warn import warn
from dalembert.loop.experiment import Experiment, Runnable, experiment_of, values_by_name
from dalembert.loop.experiment_keywords import ExperimentKeywords, experiment_verb
from dalembert.loop.outlets import without_log
from dalembert.model.machine import Machine
from dalembert.simulation.methods import FixedStepMethod
from dalembert.simulation.run import Run

__all__ = ["Identification", "identify"]

_BLIND = 1e-7  # part of the largest singular value below which a direction is taken as not seen
_ROUNDS = 20  # of weights, which settle in a few
_SETTLED = 1e-3  # relative change of a noise that ends the rounds
_EXACT = 1e-10  # part of a signal's spread below which the residual is rounding
_ON_BOUND = 1e-6  # of its size, distance at which a value is on its bound


@dataclass(frozen=True, eq=False)
class Identification:
    """Parameters that explain recorded runs best.

    Parameters
    ----------
    values
        By name.
    covariance
        Covariance of the values, in the order of their names; infinite where they cannot be told apart.
    noise
        Standard deviation of the residuals, by signal.
    blind
        Sets of parameters of which only some combinations are seen, with the combination that is not: changing the
        values along it changes no recorded signal.
    freedom
        Number of measurements less that of parameters.
    cost
        Sum of the squared residuals, each in units of its noise.
    message
        How the search ended.
    at_bound
        Bounds of values that the search would have left its range with: the range decides on them, not the data, and
        intervals do not hold.
    """

    values: Mapping[str, float]
    covariance: Array
    noise: Mapping[str, float]
    blind: tuple[Mapping[str, float], ...]
    freedom: int
    cost: float
    message: str
    at_bound: Mapping[str, float] = field(default_factory=dict)

    @property
    def deviations(self) -> dict[str, float]:
        """Standard deviations by name."""
        return dict(zip(self.values, np.sqrt(np.diag(self.covariance)).tolist(), strict=True))

    def intervals(self, level: float = 0.95) -> dict[str, tuple[float, float]]:
        """Confidence intervals by name (Student's t)."""
        from scipy import stats

        check_level(level)
        width = float(stats.t.ppf(0.5 + level / 2, self.freedom))
        spread = self.deviations
        return {name: (x - width * spread[name], x + width * spread[name]) for name, x in self.values.items()}

    @property
    def correlation(self) -> Array:
        """Correlation of the values."""
        s = np.sqrt(np.diag(self.covariance))
        with np.errstate(invalid="ignore"):
            return np.asarray(self.covariance / np.outer(s, s))

    def __repr__(self) -> str:
        lines = ["Identification"]
        for name, (low, high) in self.intervals().items():
            on = "  on its bound: the range determines it, not the data" if name in self.at_bound else ""
            lines.append(f"  {name} = {self.values[name]:.6g}  (95 %: {low:.6g} to {high:.6g}){on}")
        for one in self.blind:
            lines.append("  not identifiable separately: " + ", ".join(one))
        lines.append("  noise " + ", ".join(f"{k} {v:.3g}" for k, v in self.noise.items()))
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class _Record:
    t: Array
    y: Array  # (times, signals)
    period: float | None  # of evenly spaced times
    settings: dict[str, Any]


@experiment_verb
def identify(
    machine: Runnable,
    data: Any,
    *,
    unknown: Mapping[str, Any] | Sequence[str],
    measured: Sequence[str],
    noise: Mapping[str, float] | None = None,
    **keywords: Unpack[ExperimentKeywords],
) -> Identification:
    """Find parameters and initial values that fit simulations to recorded signals best.

    Derivatives are exact. Where joints stick (``friction_law="stick"``) or ropes rub on their sheaves, they are central
    differences of runs with located events, and every recorded signal may be measured: tensions, too.

    Parameters
    ----------
    machine
        The machine or its equations, with the keywords of an experiment; or an `Experiment`. Its parameters and its
        start are where the search begins.
    data
        Recorded data: a run, a pandas ``DataFrame`` with times as index, a mapping of ``"t"`` and signals to arrays, or
        a list of them. A mapping may hold ``"q0"``, ``"v0"``, ``"p"`` and ``"control"`` of its own.
    unknown
        Names of parameters, ``q0.NAME``, ``v0.NAME``; as a mapping, with their ranges ``(low, high)``.
    measured
        Names of the signals that were recorded.
    noise
        Standard deviations of the measurements by signal; None: estimated from the residuals, and the search repeated
        with signals weighted by them until they settle (iteratively reweighted least squares).
    **keywords
        As in `dalembert.Experiment`; laws must be expressions, and the method an explicit one. Time and duration are
        those of the records; without a method steps are those of the record, at most 1 ms.

    Examples
    --------
    >>> import dalembert as da
    >>> length = da.Parameter("length", 1.0)
    >>> pendulum = da.Machine("pendulum", bodies=[da.point_mass("bob", 1.0, com=(0, 0, -length))],
    ...                       joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))])
    >>> record = da.simulate(pendulum, duration=2.0, q0={"theta": 0.4}, p={"length": 1.3}, record=0.02)
    >>> found = da.identify(pendulum, record, unknown={"length": (0.5, 2.0)}, measured=["theta"], q0={"theta": 0.4})
    >>> round(found.values["length"], 6)
    1.3
    """
    from scipy.optimize import least_squares

    experiment = without_log(experiment_of(machine, keywords))
    names = _distinct(unknown, "unknown")
    signals = _distinct(measured, "measured")
    shared = {"control": experiment.control, **values_by_name(experiment)}
    records = [_record(one, signals, shared) for one in (data if isinstance(data, list | tuple) else [data])]
    if not records:
        raise InputError("there is no record to identify from: data is empty")
    count = sum(r.y.size for r in records)
    if count < len(names):
        raise InputError(f"{count} measurements cannot determine the values of {len(names)} unknowns")
    begin = _begin(experiment.machine, names, records)
    low, high = _bounds(unknown, begin)
    scale = np.where(begin != 0.0, np.abs(begin), np.where(np.isfinite(high - low), 0.5 * (high - low), 1.0))
    spread = np.concatenate([r.y for r in records]).std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    weights = 1.0 / (spread if noise is None else _noise(noise, signals))
    last: dict[bytes, tuple[Array, Array]] = {}

    def evaluated(x: Array) -> tuple[Array, Array]:
        key = x.tobytes()
        if key not in last:
            parts = [_compared(experiment, r, names, signals, x * scale, not last) for r in records]
            last.clear()
            last[key] = np.concatenate([r for r, _ in parts]), np.concatenate([J for _, J in parts]) * scale
        return last[key]

    def misses(x: Array) -> Array:
        return np.asarray((evaluated(x)[0] * weights).ravel())

    def slopes(x: Array) -> Array:
        return np.asarray((evaluated(x)[1] * weights[:, None]).reshape(-1, len(names)))

    x = begin / scale
    for _ in range(_ROUNDS):
        result: Any = least_squares(
            misses, x, jac=slopes, bounds=(low / scale, high / scale),
            x_scale="jac", xtol=1e-12, ftol=1e-14, gtol=1e-12,
        )  # fmt: skip
        x = result.x
        sigma = np.maximum(_unexplained(misses(x), slopes(x), len(signals)) / weights, _EXACT * spread)
        settled = np.abs(sigma * weights - 1.0).max() < _SETTLED
        if noise is not None or settled:
            break
        weights = 1.0 / sigma
    bounds = _met(names, x, slopes(x).T @ misses(x), low / scale, high / scale, scale)
    return _concluded(names, signals, result, misses(x), slopes(x), scale, sigma, bounds)


def _distinct(names: object, what: str) -> tuple[str, ...]:
    listed = tuple(check_names(names, what))
    if not listed or len(set(listed)) < len(listed):
        raise InputError(f"{what} must be one name or more, each once, got {names!r}")
    return listed


def _numbers(values: object, what: str) -> Array:
    """Return a recorded column: finite real numbers in a row."""
    try:
        array = as_numbers(values)
    except InputError as error:
        raise InputError(f"{what} of a record must be plain numbers: {error}") from None
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InputError(f"{what} of a record must be finite numbers in one row, got the shape {array.shape}")
    return array


def _begin(machine: Machine, names: tuple[str, ...], records: list[_Record]) -> Array:
    settings = records[0].settings
    start = {p.name: settings["p"].get(p.name, p.value) for p in machine.parameters}
    start |= {f"q0.{n}": settings["q0"].get(n, x) for n, x in zip(machine.q_names, machine.q_neutral, strict=True)}
    start |= {f"v0.{n}": settings["v0"].get(n, 0.0) for n in machine.v_names}
    for name in names:
        if name not in start:
            raise UnknownNameError("parameter or initial value", name, start, f"machine '{machine.name}'")
    return np.array([float(start[name]) for name in names])


def _bounds(unknown: Mapping[str, Any] | Sequence[str], begin: Array) -> tuple[Array, Array]:
    if not isinstance(unknown, Mapping):
        return np.full(len(begin), -np.inf), np.full(len(begin), np.inf)
    ends = []
    for name, pair in unknown.items():
        try:
            a, b = map(float, pair)
        except (TypeError, ValueError):
            raise InputError(f"the range of '{name}' must be two numbers (low, high), got {pair!r}") from None
        ends.append((a, b))
    low, high = np.array(ends).reshape(-1, 2).T
    for name, a, b, x in zip(unknown, low, high, begin, strict=True):
        if not a < b:
            raise InputError(f"the range of '{name}' must be (low, high) with low < high, got ({a:g}, {b:g})")
        if not a <= x <= b:
            raise InputError(f"the search for '{name}' begins at {x:g}, outside of its range {a:g} to {b:g}")
    return low, high


def _by_signal(one: Any) -> Any:
    """A table, an xarray Dataset or a structured array as arrays by name; the time is its column or index ``t``."""
    if not has_labels(one):
        return one
    if isinstance(one, np.ndarray):
        return {name: one[name] for name in one.dtype.names or ()}
    if hasattr(one, "data_vars"):
        return {str(name): one[name].to_numpy() for name in one.variables}
    if not hasattr(one, "columns") or not hasattr(one, "index"):
        raise InputError(f"a record is a run, a table or a mapping of arrays, got {type(one).__name__}")
    twice = [name for name in one.columns if list(one.columns).count(name) > 1]
    if twice:
        raise InputError(f"a record has the column {twice[0]!r} more than once")
    if "t" not in one.columns and one.index.name != "t" and list(one.index) == list(range(len(one))):
        raise InputError("a record needs the time: give the table a column 't', or make the times its index")
    return {"t": one.index.to_numpy(), **{name: one[name].to_numpy() for name in one.columns}}


def _record(one: Any, signals: tuple[str, ...], shared: Mapping[str, Any]) -> _Record:
    settings, one = dict(shared), _by_signal(one)
    if isinstance(one, Run):
        rows = ~np.isin(one.t, [event.t for event in one.events])  # those have different times
        t, columns = one.t[rows], {s: one[s][rows] for s in signals}
    elif isinstance(one, Mapping):
        for key in ("q0", "v0", "p"):
            if not isinstance(one.get(key) or {}, Mapping):
                raise InputError(f"{key!r} of a record must map names to numbers, got {one[key]!r}")
            settings[key] = {**settings[key], **(one.get(key) or {})}
        settings["control"] = one.get("control", settings["control"])
        missing = [s for s in ("t", *signals) if s not in one]
        if missing:
            raise InputError(f"a record needs 't' and the measured signals; {', '.join(missing)} is missing")
        t, columns = _numbers(one["t"], "times"), {s: _numbers(one[s], repr(s)) for s in signals}
    else:
        raise InputError(f"a record is a run, a pandas DataFrame or a mapping of arrays, got {type(one).__name__}")
    for s in signals:
        if len(columns[s]) != len(t):
            raise InputError(f"a record has {len(t)} times, but {len(columns[s])} values of {s!r}")
    if (np.diff(t) < 0.0).any():
        raise InputError(
            f"times of a record must not decrease, as they do after t = {t[np.argmax(np.diff(t) < 0.0)]:g}"
        )
    y = np.column_stack([columns[s] for s in signals])
    keep = np.append(np.diff(t) > 0, len(t) > 0)[: len(t)]  # the last row of an instant is after a transition
    t, y = t[keep], y[keep]
    if len(t) < 2 or not np.isfinite(y).all():
        raise InputError("a record needs at least two instants, and finite numbers")
    steps = np.diff(t)
    even = bool(np.allclose(steps, steps.mean(), rtol=1e-6, atol=0.0))
    return _Record(t, y, float((t[-1] - t[0]) / len(steps)) if even else None, settings)


def _compared(
    experiment: Experiment,
    record: _Record,
    names: tuple[str, ...],
    signals: tuple[str, ...],
    values: Array,
    first: bool,
) -> tuple[Array, Array]:
    """Return residuals (times, signals) and their derivatives (times, signals, unknowns).

    Values that diverge or that the machine refuses are a wall, before which the search turns back; not the first ones.
    """
    method = experiment.integrator
    h = min(method.step if isinstance(method, FixedStepMethod) else 1e-3, record.period or 1e-3)
    changes: dict[str, Any] = {"duration": float(record.t[-1] - record.t[0]), "t0": float(record.t[0])}
    changes |= {"record": record.period or h} | ({"step": h} if isinstance(method, FixedStepMethod) else {})

    def experiment_at(x: Array) -> Experiment:
        start: dict[str, Any] = assigned(record.settings, zip(names, x.tolist(), strict=True))
        return experiment.replace(**start, **changes, control=record.settings["control"])

    try:
        if needs_differences(experiment.machine):
            simulated, slopes = values_and_differences(experiment_at, values, signals, record.t)
            return simulated - record.y, slopes
        response = sensitivities(experiment_at(values), of=signals, wrt=names)
    except (SimulationError, InputError):
        if first:
            raise
        wall = np.full(record.y.shape, 1e6)
        return wall, np.zeros((*record.y.shape, len(names)))
    near = np.searchsorted(response.t, record.t + 1e-9 * h, side="right") - 1  # the last row of an instant
    if np.abs(response.t[near] - record.t).max() <= 1e-6 * h:
        return response.values[near] - record.y, response.derivatives[near]
    from scipy.interpolate import CubicSpline

    rows = np.append(np.diff(response.t) > 0, True)
    values_, derivatives = (
        CubicSpline(response.t[rows], x[rows])(record.t) for x in (response.values, response.derivatives)
    )
    return values_ - record.y, derivatives


def _noise(noise: Mapping[str, float], signals: tuple[str, ...]) -> Array:
    """Return the deviations that were given, in the order of the signals."""
    if not isinstance(noise, Mapping):
        raise InputError(f"noise must map measured signals to standard deviations, got {noise!r}")
    for name in (*signals, *noise):
        if name not in noise or name not in signals:
            what = "is missing" if name not in noise else "is not measured"
            raise InputError(f"noise must have a standard deviation of each measured signal: {name!r} {what}")
    return np.array([check_number(f"noise of {name!r}", noise[name]) for name in signals])


def _unexplained(residual: Array, J: Array, signals: int) -> Array:
    """Return standard deviations of the residuals by signal, in units of their weights.

    The trace of a signal's part of the hat matrix ``J (J^T J)^-1 J^T`` is the number of its ``n`` residuals that the
    parameters take up: none for a signal that does not depend on them.
    """
    size = np.linalg.norm(J, axis=0)
    U, singular, _ = np.linalg.svd(J / np.where(size > 0, size, 1.0), full_matrices=False)
    U = U[:, singular > _BLIND * singular[0]]
    taken = (U**2).sum(axis=1).reshape(-1, signals).sum(axis=0)
    squares = (residual.reshape(-1, signals) ** 2).sum(axis=0)
    return np.asarray(np.sqrt(squares / np.maximum(len(residual) / signals - taken, 1.0)))


def _met(names: tuple[str, ...], x: Array, slope: Array, low: Array, high: Array, scale: Array) -> dict[str, float]:
    """Return the bounds on which values are, while the cost still falls beyond them."""
    met = {}
    for name, value, g, a, b, s in zip(names, x, slope, low, high, scale, strict=True):
        for bound, outward in ((a, -1.0), (b, 1.0)):
            near = np.isfinite(bound) and abs(value - bound) <= _ON_BOUND * max(1.0, abs(bound))
            if near and outward * g < 0.0:
                met[name] = float(bound * s)
    if met:
        where = ", ".join(f"'{name}' = {bound:g}" for name, bound in met.items())
        warn(f"identified values are on bounds of their ranges: {where}; their confidence intervals are not valid")
    return met


def _concluded(
    names: tuple[str, ...],
    signals: tuple[str, ...],
    result: Any,
    residual: Array,
    J: Array,
    scale: Array,
    sigma: Array,
    bounds: Mapping[str, float],
) -> Identification:
    freedom = max(1, residual.size - len(names))
    size = np.linalg.norm(J, axis=0)
    unit = J / np.where(size > 0, size, 1.0)
    _, singular, V = np.linalg.svd(unit, full_matrices=False)
    seen = singular > _BLIND * singular[0]
    blind = []
    for direction in V[~seen]:
        change = direction / np.where(size > 0, size, 1.0) * scale
        change = change / np.abs(change).max()
        blind.append({n: float(c) for n, c in zip(names, change, strict=True) if abs(c) > 1e-4})
    for k in np.flatnonzero(size == 0.0):
        blind.append({names[k]: 1.0})
    covariance = np.full((len(names),) * 2, np.inf)
    if seen.all() and (size > 0).all():
        covariance = np.linalg.inv(unit.T @ unit) / np.outer(size, size) * np.outer(scale, scale)
    else:
        touched = {n for one in blind for n in one}
        free = [k for k, n in enumerate(names) if n not in touched]
        if free:
            block = np.linalg.inv(unit[:, free].T @ unit[:, free]) / np.outer(size[free], size[free])
            covariance = np.diag([np.inf if k not in free else 0.0 for k in range(len(names))])
            covariance[np.ix_(free, free)] = block * np.outer(scale[free], scale[free])
    values = dict(zip(names, (result.x * scale).tolist(), strict=True))
    found = dict(zip(signals, sigma.tolist(), strict=True))
    cost = float(residual @ residual)
    return Identification(values, covariance, found, tuple(blind), freedom, cost, result.message, bounds)
