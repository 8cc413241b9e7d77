"""The result of a rollout."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array
from dalembert.core.validation import check_index
from dalembert.simulation.methods import METHODS
from dalembert.simulation.rollout.events import EventSteps
from dalembert.simulation.run import EndState, EventRecord, Run

if TYPE_CHECKING:
    import xarray

__all__ = ["Rollout"]


@dataclass(frozen=True, eq=False, repr=False)
class Rollout:
    """Time histories of N simulations of one machine.

    ``rollout["theta1"]`` is the history (N, n_t) of a named state or signal.

    Parameters
    ----------
    t
        Recorded instants (n_t).
    x, state_names
        States (N, n_t, n_states) and their names. Rows that a member did not reach are NaN.
    p, parameter_names
        Parameters, (N, n_p) or (n_p,) for all.
    held, held_names
        Constant inputs (n_c,), or sampled and held values (N, n_t, n_c); the names are those of the first ones, the
        rest is memory of delays.
    status
        Status of each member: ``"completed"``, ``"stopped"`` at a terminal event, ``"diverged"`` or ``"interrupted"``.
    failed_at
        Time of the step in which a member diverged, NaN for the others.
    failed_state
        Number of the state that stopped being finite in it, -1 for the others.
    stopped_at, stopped_by
        When and at which event a member stopped, NaN and empty for the others.
    rows
        Number of good rows of each member.
    final
        Last good state of each member (N, n_states): at the end, where it stopped, or before the step that failed.
    measures
        The requested numbers of each member (N,) by name; NaN for members that diverged or were interrupted.
    signal_names
        Names of the signals that can be computed from the states.
    evaluate_signals
        ``(t, x, c, p) -> y`` on rows.
    metadata
        Method, step, cost, version, machine.
    source
        The machine, which the members' runs know.
    rerun
        Simulates chosen members again: ``(members, record) -> Rollout``.
    happened
        Events and transitions of the members, if there can be any.
    recorded
        Locates events that are only recorded: ``(members) -> events of those that met some``.
    experiment
        The `dalembert.Experiment` that holds for all members.
    """

    t: Array
    x: Array
    state_names: tuple[str, ...]
    p: Array
    parameter_names: tuple[str, ...]
    held: Array
    held_names: tuple[str, ...]
    status: NDArray[np.str_]
    failed_at: Array
    failed_state: NDArray[np.int64]
    stopped_at: Array
    stopped_by: NDArray[np.str_]
    rows: NDArray[np.int64]
    final: Array
    signal_names: tuple[str, ...]
    evaluate_signals: Callable[[Array, Array, Array, Array], Array]
    measures: Mapping[str, Array] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source: Any = None
    rerun: Callable[[NDArray[np.int64], float | None], Rollout] | None = None
    happened: EventSteps | None = None
    recorded: Callable[[NDArray[np.int64]], dict[int, tuple[EventRecord, ...]]] | None = None
    experiment: Any = None

    def __post_init__(self) -> None:
        arrays = (self.t, self.x, self.p, self.held, self.status, self.failed_at, self.failed_state, self.rows)
        for array in (*arrays, self.stopped_at, self.stopped_by, self.final, *self.measures.values()):
            array.setflags(write=False)
        object.__setattr__(self, "measures", MappingProxyType(dict(self.measures)))
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))

    def __len__(self) -> int:
        """Return the number of members."""
        return len(self.x)

    @property
    def ok(self) -> NDArray[np.bool_]:
        """Which members went to the end."""
        return np.asarray(self.status == "completed")

    @property
    def names(self) -> tuple[str, ...]:
        """All names that ``rollout[name]`` knows: states, signals and held values."""
        return self.state_names + self.signal_names + self.held_names

    @cached_property
    def signals(self) -> Array:
        """Signals (N, n_t, n_signals), computed on first use."""
        y = np.full((*self.x.shape[:2], len(self.signal_names)), np.nan)
        member, row = np.nonzero(np.arange(len(self.t)) < self.rows[:, None])
        p = self.p[member] if self.p.ndim == 2 else self.p
        held = self.held[member, row] if self.held.ndim == 3 else self.held
        y[member, row] = self.evaluate_signals(self.t[row], self.x[member, row], held, p)
        y.setflags(write=False)
        return y

    def __getitem__(self, name: str) -> Array:
        if name in self.state_names:
            return self.x[:, :, self.state_names.index(name)]
        if name in self.signal_names:
            return np.asarray(self.signals[:, :, self.signal_names.index(name)])
        if name in self.held_names:
            k = self.held_names.index(name)
            return np.asarray(np.broadcast_to(self.held[..., k], self.x.shape[:2]))
        if name in self.measures:
            raise InputError(f"{name!r} is a measure of this rollout: use measures[{name!r}]")
        raise UnknownNameError("signal", name, self.names, "this rollout")

    @cached_property
    def events(self) -> tuple[tuple[EventRecord, ...], ...]:
        """Located events of each member, those of limits and of events that are only recorded too.

        They are located on first use: members whose rows pass one are simulated again, singly.
        """
        return self._events(np.arange(len(self)))

    def _events(self, members: NDArray[np.int64]) -> tuple[tuple[EventRecord, ...], ...]:
        told = self.happened if self.happened is not None and self.happened.keeps else None
        noted = {} if self.recorded is None else self.recorded(members)
        return tuple(noted.get(i) or (() if told is None else told.records(i)) for i in members.tolist())

    def message(self, member: int) -> str:
        """Say in words why a member stopped, or return an empty text."""
        member = check_index(member, len(self), "member", backwards=True)
        if self.status[member] == "diverged":
            k, t = int(self.failed_state[member]), float(self.failed_at[member])
            note = "" if self.happened is None else self.happened.message(int(member) % len(self), t)
            if note:
                return note
            if k == len(self.state_names) and METHODS[self.metadata["method"]].implicit:
                return (
                    f"the iteration of the step from t = {t:.9g} s did not converge: the step is too long for forces "
                    "that are neither modes nor springs"
                )
            if k == len(self.state_names):
                return (
                    f"the constraints could not be kept in the step from t = {t:.9g} s: the step is too long, or the "
                    "machine is at a singular position or past the reach of its constraints"
                )
            name = self.state_names[k]
            text = f"state {name!r} became infinite or not a number in the step from t = {t:.9g} s"
            return f"{self._bad_signal(member, t)}{text}"
        if self.status[member] == "failed":
            return f"too many steps: max_steps reached at t = {self.failed_at[member]:.9g} s"
        if self.status[member] == "stopped":
            return f"terminal event {str(self.stopped_by[member])!r} at t = {self.stopped_at[member]:.9g} s"
        if self.status[member] == "interrupted":
            return f"stopped by the user at t = {self.t[self.rows[member] - 1]:.9g} s"
        return ""

    def _bad_signal(self, member: int, t: float) -> str:
        """Name the signal that is not finite where a member failed, looked at in its last recorded state."""
        times = np.array([t, t + float(self.metadata.get("step", 0.0))])
        p = self.p[member] if self.p.ndim == 2 else self.p
        held = self.held[member, [self.rows[member] - 1] * 2] if self.held.ndim == 3 else self.held
        y = self.evaluate_signals(times, np.tile(self.final[member], (2, 1)), held, p)
        for k, name in enumerate(self.signal_names):
            if not np.isfinite(y[:, k]).all() and not name.startswith("energy."):
                return f"signal {name!r} is not a finite number; "
        return ""

    def member(self, member: int) -> Run:
        """Return one member as a `Run`, up to where it is good."""
        member = check_index(member, len(self), "member", backwards=True)
        n = int(self.rows[member])
        t, x = self.t[:n].copy(), self.x[member, :n].copy()
        if self.status[member] == "stopped" and self.held.ndim == 1 and self.stopped_at[member] > t[-1]:
            t, x, n = np.append(t, self.stopped_at[member]), np.vstack([x, self.final[member]]), n + 1
        p = self.p[member] if self.p.ndim == 2 else self.p
        held = self.held[member, :n].copy() if self.held.ndim == 3 else np.tile(self.held, (n, 1))
        parameters = dict(zip(self.parameter_names, p.tolist(), strict=True))
        told = self.happened if self.happened is not None and self.happened.keeps else None
        transitions = {} if told is None else {"transitions": told.log(int(member) % len(self))}
        return Run(
            t=t,
            x=x,
            y=self.evaluate_signals(t, x, held, p),
            held=held[:, : len(self.held_names)],
            state_names=self.state_names,
            signal_names=self.signal_names,
            held_names=self.held_names,
            events=self._events(np.array([int(member) % len(self)]))[0],
            status=str(self.status[member]),
            message=self.message(member),
            final=EndState(float(t[-1]), x[-1].copy(), held[-1].copy()),
            metadata={**self.metadata, **transitions, "parameters": parameters},
            source=self.source,
            experiment=self.experiment,
        )

    def again(self, members: ArrayLike, *, record: float | None = None) -> Rollout:
        """Simulate chosen members again, with all their rows: bitwise identical to the rollout.

        Parameters
        ----------
        members
            Their numbers, or a mask of all members.
        record
            Interval of the recorded rows, from each of which steps are counted anew; None: every step.
        """
        chosen = np.atleast_1d(np.asarray(members))
        if chosen.dtype == bool and chosen.shape == (len(self),):
            chosen = np.flatnonzero(chosen)
        if chosen.ndim != 1 or not len(chosen) or chosen.dtype.kind not in "iu":
            raise InputError(f"members must be numbers from 0 to {len(self) - 1} or a mask of all, got {members!r}")
        if chosen.min() < 0 or chosen.max() >= len(self):
            raise InputError(f"members must be numbers from 0 to {len(self) - 1}, got {members!r}")
        if self.rerun is None:
            raise InputError("this rollout does not contain its settings, so it cannot be repeated")
        return self.rerun(chosen.astype(np.int64), record)

    def to_xarray(self) -> xarray.Dataset:
        """Return an xarray Dataset: a variable per name over ``member`` and ``t``, parameters and status."""
        import xarray

        variables: dict[str, Any] = {name: (("member", "t"), self[name]) for name in self.names}
        parameters = np.broadcast_to(self.p, (len(self), self.p.shape[-1]))
        for k, name in enumerate(self.parameter_names):
            variables[f"parameter.{name}"] = ("member", parameters[:, k])
        variables |= {f"measure.{name}": ("member", values) for name, values in self.measures.items()}
        variables["status"] = ("member", self.status)
        variables["failed_at"] = ("member", self.failed_at)
        variables["stopped_at"] = ("member", self.stopped_at)
        variables["stopped_by"] = ("member", self.stopped_by)
        coordinates = {"member": np.arange(len(self)), "t": self.t}
        return xarray.Dataset(variables, coords=coordinates, attrs=dict(self.metadata))

    def __repr__(self) -> str:
        meta = self.metadata
        counts = ", ".join(f"{np.count_nonzero(self.status == s)} {s}" for s in sorted(set(self.status.tolist())))
        measured = f"  measures  {', '.join(self.measures)}\n" if self.measures else ""
        steps = f"step {meta['step']:g} s" if "step" in meta else f"rtol {meta.get('rtol', 0.0):g}"
        return (
            f"Rollout of {meta.get('machine', '')!r}: {len(self)} members, {counts}\n"
            f"  time      {self.t[0]:g} to {self.t[-1]:g} s in {len(self.t)} rows\n"
            f"{measured}  method    {meta.get('method')} ({steps}, {meta.get('backend')}, "
            f"{meta.get('wall_time', 0.0):.3g} s)"
        )
