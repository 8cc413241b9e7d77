"""The result of a simulation."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array
from dalembert.core.validation import check_names
from dalembert.engine.records import EventRecord
from dalembert.simulation.energy import EnergyAudit

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure

__all__ = ["STATUSES", "EndState", "EventRecord", "Run"]

STATUSES = ("completed", "stopped", "interrupted", "diverged", "failed", "running")


@dataclass(frozen=True, eq=False)
class EndState:
    """The end of a run, with everything that a continuation needs.

    Parameters
    ----------
    t, x
        Time and state.
    held
        Values that sampled controllers and sensors had set, unrecorded ones included.
    sample_origin, sample_period, samples
        The sampling grid of the controller (of the innermost of several) and how many of its instants have passed;
        period 0 without a controller.
    step
        Step that an adaptive method would have tried next, 0 if it has none.
    """

    t: float
    x: Array
    held: Array = field(default_factory=lambda: np.zeros(0))
    sample_origin: float = 0.0
    sample_period: float = 0.0
    samples: int = 0
    step: float = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """Time histories of states, signals and held values, with events, status and an energy audit.

    ``run["theta1"]`` is the history of a named state, signal or held value.

    Parameters
    ----------
    t
        Times (n), not decreasing; an instant of transitions appears twice, before and after all of them (once, after
        them, where they follow from values set at a sample).
    x, state_names
        States (n, n_states) and their names.
    y, signal_names
        Signals (n, n_signals) and their names.
    held, held_names
        Values set by sampled controllers and sensors; at a sample instant, the value set there.
    events
        Events, in time.
    status
        ``"completed"``, ``"stopped"`` (by a terminal event), ``"interrupted"``, ``"diverged"`` or ``"failed"``;
        ``"running"`` for a part of an unfinished run.
    message
        In words.
    final
        Final state; `integrate` accepts it as initial state.
    metadata
        Method, step, tolerances, cost, version, name and parameter values of the machine.
    source
        The machine, or the text of its machine file; see `machine`.
    experiment
        The `dalembert.Experiment` that was run; None if it is not known (of a run that was loaded).

    Examples
    --------
    >>> import dalembert as da
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 2.0, com=(0, 0, -0.5))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis="y")],
    ... )
    >>> run = da.simulate(pendulum, duration=1.0, q0=[0.1])
    >>> run.status, run["theta"].shape, run.energy.drift < 1e-9
    ('completed', (1001,), True)
    """

    t: Array
    x: Array
    y: Array
    held: Array
    state_names: tuple[str, ...]
    signal_names: tuple[str, ...]
    held_names: tuple[str, ...]
    events: tuple[EventRecord, ...]
    status: str
    message: str
    final: EndState
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source: Any = None
    experiment: Any = None

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise InputError(f"status of a run must be one of {', '.join(STATUSES)}, got {self.status!r}")
        for array in (self.t, self.x, self.y, self.held):
            array.setflags(write=False)
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)} | {"metadata": dict(self.metadata)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    @property
    def names(self) -> tuple[str, ...]:
        """All names that ``run[name]`` accepts: states, signals, held values."""
        return self.state_names + self.signal_names + self.held_names

    @property
    def ok(self) -> bool:
        """Whether the run went to its end or to a terminal event."""
        return self.status in ("completed", "stopped")

    @cached_property
    def machine(self) -> Any:
        """The machine whose run this is, also after the run was saved and loaded; None if it is not known."""
        from dalembert.io.machine_files import load_machine

        return load_machine(self.source) if isinstance(self.source, str) else self.source

    @cached_property
    def _columns(self) -> dict[str, Array]:
        blocks = ((self.state_names, self.x), (self.signal_names, self.y), (self.held_names, self.held))
        return {name: block[:, k] for names, block in blocks for k, name in enumerate(names)}

    def __getitem__(self, name: str) -> Array:
        if name == "t":
            return self.t
        try:
            return self._columns[name]
        except (KeyError, TypeError):
            raise UnknownNameError("signal", name, self.names, "this run") from None

    def __contains__(self, name: object) -> bool:
        return name == "t" or name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def array(self, names: Sequence[str]) -> Array:
        """Return several signals as columns of one array (n, len(names))."""
        names = [names] if isinstance(names, str) else list(names)
        return np.column_stack([self[name] for name in names]) if names else np.zeros((len(self.t), 0))

    @cached_property
    def energy(self) -> EnergyAudit:
        """Energies, work and the audit of their balance."""
        zero = np.zeros_like(self.t)
        return EnergyAudit.of(
            self.t,
            self["energy.kinetic"],
            self["energy.potential"] + self._columns.get("contact.stored", zero),
            self._columns.get("work.input", zero),
            self._columns.get("work.loss", zero),
        )

    def append(self, later: Run) -> Run:
        """Return this run and its continuation as one run."""
        if not isinstance(later, Run):
            raise InputError(f"a continuation must be a Run, got {later!r}")
        for kind in ("state_names", "signal_names", "held_names"):
            mine, its = getattr(self, kind), getattr(later, kind)
            if mine != its:
                raise InputError(f"runs with different {kind} cannot be joined: {mine} and {its}")
        if later.t[0] != self.t[-1]:
            raise InputError(f"a continuation must start at t = {float(self.t[-1])!r}, got {float(later.t[0])!r}")
        # The last row of this run is the first of the later one, which knows the values held from there on.
        keep = len(self.t) - 1 if np.array_equal(later.x[0], self.x[-1]) else len(self.t)
        self._check_join(later)
        joined: dict[str, Any] = {
            key: np.concatenate([getattr(self, key)[:keep], getattr(later, key)]) for key in ("t", "x", "y", "held")
        }
        metadata = dict(later.metadata)
        for key in ("steps", "rejected", "function_calls", "wall_time"):
            metadata[key] = self.metadata.get(key, 0) + later.metadata.get(key, 0)
        if "transitions" in metadata:
            metadata["transitions"] = [*self.metadata.get("transitions", ()), *metadata["transitions"]]
        for key in ("initial_projection", "initial_impact"):
            if key in self.metadata:
                metadata[key] = self.metadata[key]
        return replace(later, **joined, events=self.events + later.events, metadata=metadata)

    def _check_join(self, later: Run) -> None:
        """Refuse a continuation that starts in another state, unless something happens to it at once."""
        before, after = self.final.x, later.x[0]
        sudden = any(event.t <= later.t[0] for event in later.events)
        apart = np.abs(after - before) > 1e-9 * (1.0 + np.abs(before))
        if sudden or not apart.any():
            return
        k = int(np.argmax(np.abs(after - before)))
        raise InputError(
            f"a continuation must start where this run ends: at t = {float(self.t[-1]):g} s state "
            f"'{self.state_names[k]}' is {before[k]:g} here and {after[k]:g} there; simulate it with start=run"
        )

    def to_xarray(self) -> xarray.Dataset:
        """Return an xarray Dataset: a variable per name over ``t``; status, events and metadata as attributes."""
        from dalembert.io.runs import run_to_xarray

        return run_to_xarray(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Return a pandas DataFrame: a column per name, a row per time (needs the package pandas)."""
        from dalembert.io.runs import run_to_pandas

        return run_to_pandas(self)

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write time and all signals as comma-separated columns, with all digits."""
        from dalembert.io.runs import write_csv

        return write_csv(self, path)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the whole run as a NetCDF file; `load` restores it exactly."""
        from dalembert.io.runs import save_run

        return save_run(self, path)

    def to_mcap(self, path: str | os.PathLike[str]) -> Path:
        """Write signals, poses of the bodies and events as an MCAP file, for Foxglove and rerun (extra ``mcap``)."""
        from dalembert.io.mcap_files import write_mcap

        return write_mcap(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Run:
        """Read a run that was saved."""
        from dalembert.io.runs import load_run

        return load_run(path)

    def plot(self, *names: str | Sequence[str], path: str | os.PathLike[str] | None = None) -> Figure:
        """Draw the named signals (``"theta*"`` is a pattern), or all and the energy audit; into a file at ``path``."""
        from dalembert.view.plots import plot_run

        wanted = [name for group in names for name in check_names(group, "names of signals to plot")]
        return plot_run(self, wanted if names else None, path)

    def animate(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write an animation (.gif, .html, .mp4); the options are those of `dalembert.view.animate`."""
        from dalembert.view.animation import animate

        return animate(self, path, **options)

    def report(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write a report, one self-contained HTML file; the options are those of `dalembert.view.report`."""
        from dalembert.view.page.report import report

        return report(self, path, **options)

    def show(self, *, height: int = 420, live: bool = False) -> Any:
        """Show the player of this run in a notebook: the machine in motion, ``height`` pixels high.

        With ``live`` the machine simulates there, with sliders and plots (`dalembert.share`).
        """
        from dalembert.view.page.embed import Shown, player_html

        return Shown(player_html(self, height=height, live=live))

    def _repr_html_(self) -> str:
        """The outcome, for notebooks, with the player if the machine is known."""
        from dalembert.view.notebook import run_html

        return run_html(self)

    def __repr__(self) -> str:
        meta = self.metadata
        title = f"Run of {meta['machine']!r}" if meta.get("machine") else "Run"
        lines = [f"{title}: {self.status}" + (f" ({self.message})" if self.message else "")]
        lines.append(f"  time      {self.t[0]:g} to {self.t[-1]:g} s in {len(self.t)} rows")
        if meta.get("method"):
            cost = f"{meta.get('steps', 0)} steps, {meta.get('rejected', 0)} rejected"
            lines.append(f"  method    {meta['method']} ({cost}, {meta.get('wall_time', 0.0):.3g} s)")
        for label, names in (
            ("states", self.state_names),
            ("signals", self.signal_names),
            ("held", self.held_names),
        ):
            if names:
                lines.append(f"  {label:9} {_listed(names)}")
        if "energy.kinetic" in self and "energy.potential" in self:
            energy = self.energy
            brought = energy.transition[-1]
            more = f", transitions {brought:+.4g} J" if abs(brought) > 1e-12 * energy.peak else ""
            lines.append(f"  energy    drift {energy.drift:.2e} of the peak {energy.peak:.4g} J{more}")
        if "constraint.position" in self:
            kept = [float(np.max(self[f"constraint.{level}"])) for level in ("position", "velocity")]
            levels = f"{kept[0]:.1e} (positions) and {kept[1]:.1e} (velocities)"
            lines.append(f"  kept      constraints to {levels}, by {meta.get('constraints', '')}")
        if "contact.residual" in self:
            of_all = meta.get("contact_faults", {}).get("most_residual", 0.0)  # rows that are not recorded too
            worst, sweeps = max(float(np.max(self["contact.residual"])), of_all), float(np.max(self["contact.sweeps"]))
            lines.append(f"  contacts  residual up to {worst:.1e}, {sweeps:.0f} sweeps at most, by {meta['contact']}")
        if "contact.undetermined" in self and (most := float(np.max(self["contact.undetermined"]))) > 0.0:
            lines.append(
                f"  forces    not unique, {most:.0f} directions at most: those of equal compliance of all contacts"
            )
        if meta.get("initial_impact"):
            first = meta["initial_impact"]
            struck = sorted({name.rpartition(".friction")[0] or name for name in first["impulse"]})
            lines.append(
                f"  start     with an impact of {_listed(struck)}, which dissipated {first['energy_lost']:.4g} J"
            )
        if self.events:
            lines.append(f"  events    {_listed([f'{event.name} at {event.t:.6g} s' for event in self.events])}")
        return "\n".join(lines)


def _listed(items: Sequence[str], limit: int = 8) -> str:
    shown = ", ".join(items[:limit])
    return shown if len(items) <= limit else f"{shown}, ... ({len(items)} in all)"
