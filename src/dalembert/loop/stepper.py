"""Many members of one machine, advanced by one period per call: the inner loop of learning and of sampled control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.compile import compile_function
from dalembert.compile.batch import check_threads
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.labels import as_numbers, by_name, has_labels
from dalembert.core.types import Array
from dalembert.core.validation import check_number
from dalembert.loop.experiment import Runnable, Start
from dalembert.loop.experiment_keywords import ExperimentKeywords, experiment_verb
from dalembert.loop.members import (
    MembersOf,
    MemberValues,
    check_member_limits,
    held_inputs,
    initial_states,
    member_values,
    members_of,
    outside_of_lanes,
    processor_engine,
)
from dalembert.loop.outlets import STEPPER
from dalembert.loop.signals import Quantity, make_observations
from dalembert.loop.simulate import compose
from dalembert.loop.stepping import check_gaps
from dalembert.simulation.checks import check_setup
from dalembert.simulation.methods import FixedStepMethod, agree
from dalembert.simulation.rollout.members import Members
from dalembert.simulation.rollout.plan import SEGMENT, Plan
from dalembert.simulation.rollout.singles import SingleRollout
from dalembert.simulation.rollout.stops import terminal_events
from dalembert.simulation.settings import Settings

__all__ = ["Stepper", "stepper"]

_MOST = 1_000_000
"""Substeps of a period."""


class Stepper:
    """Members of a machine that advance together, one period per call (made by `dalembert.stepper`).

    Members have their own states, parameters, inputs and clocks. The motion of a member is bitwise independent of the
    other members, their number and order, and the number of threads.

    Attributes
    ----------
    period
        Seconds of one step.
    input_names, observed
        Names of the columns of the inputs and of the observations.
    experiment
        Settings for all members.
    """

    def __init__(
        self,
        family: MembersOf,
        period: float,
        members: int,
        observe: Mapping[str, Quantity] | tuple[str, ...],
        threads: int,
    ) -> None:
        self.experiment, self._threads, self.period = family.experiment, threads, period
        self._eom = eom = family.experiment.equations
        commanded = family.experiment.control is None and eom.nu > 0
        self._loop = compose(family.experiment, control=np.zeros(eom.nu) if commanded else None)
        problem, held = self._loop.problem, held_inputs(self._loop)
        if self._loop.controller is not None and self._loop.constant is None:
            names = ", ".join(update.name for update in self._loop.controller.updates)
            raise InputError(f"a stepper has its own period and samples nothing else, got {names}")
        method, way = agree(problem, family.experiment.integrator, family.experiment.constraints)
        assert isinstance(method, FixedStepMethod)
        if self._loop.switching is not None:
            self._loop.switching.check_way(way)
        substeps = max(1, int(np.ceil(period / method.step - 1e-9)))
        if substeps > _MOST:
            raise InputError(f"a period of {period:g} s takes {substeps} steps of {method.step:g} s, more than {_MOST}")
        self.input_names = eom.u_names if commanded else ()
        seen = make_observations(eom, problem, observe)
        self.observed = seen.names
        self._look = compile_function(seen.function, backend=eom.backend, shapes={"t": ()})
        self._engine = processor_engine(problem, method.name, eom.backend, seen, way=way, options=method.options)
        segment = np.array([(0.0, period / substeps, 0.0, 0, substeps, -1, -1, -1)], dtype=SEGMENT)
        self._plan = Plan(np.zeros(1), segment, substeps)
        self._start = start = (family.q0, family.v0, family.p)
        x, p = self._states(start, members)
        self._counts = np.zeros(members, dtype=np.int64)
        many = np.array(np.broadcast_to(p, (members, p.shape[-1]))) if p.shape[-1] else p
        commands = np.zeros((members, len(held))) if commanded else held
        self._check(x, p)
        self._members = replace(Members.at_start(x, commands, many, 1, seen.start(members)), clock=np.zeros(members))
        if problem.stepping is None or isinstance(self._engine, SingleRollout) or terminal_events(problem) is not None:
            kept = way if problem.stepping is None else None
            settings = Settings(period, method=replace(method, step=period / substeps), constraints=kept)
            setup = check_setup(problem, x[0], p[0] if p.ndim == 2 else p, settings, period=0.0)
            self._members = outside_of_lanes(
                self._loop, setup, self._members, self._engine, backend=eom.backend, keeps=False, endless=True
            )
        self._seen = np.empty((members, len(seen)))
        self._advance = self._engine.bind(self._plan, self._members, threads=threads)
        self._observe(np.arange(members))

    def __len__(self) -> int:
        """Return the number of members."""
        return len(self._counts)

    @property
    def t(self) -> Array:
        """Time of each member since its last reset (N,)."""
        return np.asarray(self._counts * self.period, dtype=np.float64)

    @property
    def x(self) -> Array:
        """States (N, n), in the order of `state_names` (a copy)."""
        return self._members.x.copy()

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states."""
        return self._loop.problem.state_names

    @property
    def p(self) -> Array:
        """Parameters (N, np) (a copy)."""
        return self._members.p.copy()

    @property
    def ok(self) -> NDArray[np.bool_]:
        """Which members continue; those at a hard stop, and those whose state is not finite, wait for their reset."""
        return np.asarray(self._members.status == 0)

    def step(self, u: ArrayLike | None = None) -> Array:
        """Advance all members by a period and return the observations then (N, n), a new array.

        Parameters
        ----------
        u
            Inputs that are held over the period: (N, nu), or (nu,) for all. None where the members have a law.
        """
        members = self._members
        if self.input_names:
            if u is None:
                raise InputError(f"step needs inputs for {', '.join(self.input_names)}")
            try:
                members.held[:] = u if type(u) is np.ndarray and u.dtype.kind in "fiu" else self._inputs(u)
            except InputError:
                raise
            except (TypeError, ValueError):
                shape = (len(self), len(self.input_names))
                raise InputError(f"inputs must be numbers of shape {shape} or {shape[1:]}, got {np.shape(u)}") from None
            if not np.isfinite(members.held).all():
                i, j = np.argwhere(~np.isfinite(members.held))[0]
                raise InputError(f"input {self.input_names[j]!r} of member {i} must be finite")
        elif u is not None:
            raise InputError(
                f"machine '{self._eom.machine.name}' takes no inputs here: its law sets them, or it has none"
            )
        self._advance()
        alive = members.status == 0
        self._counts += alive
        assert members.clock is not None and members.measured is not None
        np.multiply(self._counts, self.period, out=members.clock)
        self._seen[:] = members.measured[:, 0]
        if not alive.all():
            self._seen[members.status > 0] = np.nan
        return self._seen.copy()

    def reset(
        self,
        which: ArrayLike | None = None,
        *,
        q0: MemberValues = None,
        v0: MemberValues = None,
        p: MemberValues = None,
    ) -> Array:
        """Put members back to their start, or to other states, at time zero; return the observations of all members.

        Parameters
        ----------
        which
            A mask (N,) or numbers of members; None: all.
        q0, v0, p
            As in `dalembert.rollout`, for the chosen members or for all of them; None: as at the start.
        """
        chosen = self._chosen(which)
        if not len(chosen):
            return self._seen.copy()
        values = tuple(
            self._selected(a if a is not None else b, chosen) for a, b in zip((q0, v0, p), self._start, strict=True)
        )
        x, parameters = self._states(values, len(chosen))
        members = self._members
        self._check(x, parameters)
        members.x[chosen], members.status[chosen] = x, 0
        if members.fresh is not None:
            members.fresh[chosen] = 1
        if members.p.ndim == 2:
            members.p[chosen] = parameters
        if members.held.ndim == 2:
            members.held[chosen] = 0.0
        self._counts[chosen] = 0
        assert members.clock is not None
        members.clock[chosen] = 0.0
        self._observe(chosen)
        return self._seen.copy()

    def _states(self, values: Sequence[MemberValues], n: int) -> tuple[Array, Array]:
        """States (n, n_x) and parameters of n members."""
        q0, v0, p = values
        eom = self._eom
        parameters = member_values(p, eom.p_names, eom.machine.p_nominal, "p")
        eom.parameter_values(parameters)
        start = self.experiment.start
        assert isinstance(start, Start)
        x, parameters = initial_states(eom, self._loop, q0, v0, parameters, start)
        many = parameters.ndim == 2 and len(parameters) != n
        if many or len(x) not in (1, n):
            got = len(parameters) if many else len(x)
            raise InputError(f"q0, v0 and p must be of {n} members, or of one for all, got {got}")
        return np.array(np.broadcast_to(x, (n, x.shape[1]))), parameters

    def _inputs(self, u: Any) -> Array:
        """Inputs in order, of data with labels or a mapping by their names."""
        given = by_name(u, "u")
        if not isinstance(given, Mapping):
            return as_numbers(given)
        for name in given:
            if name not in self.input_names:
                raise UnknownNameError("input", name, self.input_names)
        missing = [name for name in self.input_names if name not in given]
        if missing:
            raise InputError(f"step needs inputs for {', '.join(self.input_names)}; {missing[0]!r} is missing")
        columns = [as_numbers(given[name]) for name in self.input_names]
        return np.stack(np.broadcast_arrays(*columns), axis=-1)

    def _check(self, x: Array, p: Array) -> None:
        """Refuse members that start beyond a stop or in penetration."""
        check_member_limits(self.experiment, x, p)
        if self._loop.problem.stepping is not None:
            stepping, stops = self._loop.problem.stepping, self.experiment.limits == "contact"
            check_gaps(self._eom, x, p, limits=stops, stepping=stepping)

    def _chosen(self, which: ArrayLike | None) -> NDArray[np.int64]:
        n = len(self)
        if which is None:
            return np.arange(n)
        if has_labels(which):
            raise InputError("members are chosen by a plain mask or numbers, got data with labels; give .to_numpy()")
        array = np.atleast_1d(np.asarray(which))
        if array.dtype == bool and array.shape == (n,):
            return np.flatnonzero(array)
        if array.ndim != 1 or (len(array) and (array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= n)):
            raise InputError(f"members must be a mask of {n} or numbers from 0 to {n - 1}, got {which!r}")
        return array.astype(np.int64)

    def _selected(self, value: MemberValues, chosen: NDArray[np.int64]) -> MemberValues:
        """Return the values of the chosen members, where values of all members are given."""
        n, value = len(self), by_name(value, "values of members")
        if isinstance(value, Mapping):
            return {k: np.asarray(v)[chosen] if np.shape(v) == (n,) else v for k, v in value.items()}
        if value is None:
            return None
        array = as_numbers(value)
        return array[chosen] if array.shape[:-1] == (n,) else array

    def _observe(self, chosen: NDArray[np.int64]) -> None:
        members = self._members
        held, p = (a[chosen] if a.ndim == 2 else a for a in (members.held, members.p))
        assert members.clock is not None
        self._seen[chosen] = self._look(members.clock[chosen], members.x[chosen], held, p)

    def __repr__(self) -> str:
        return (
            f"Stepper of {self._eom.machine.name!r}: {len(self)} members, period {self.period:g} s in "
            f"{self._plan.steps} steps ({self._engine.backend})\n"
            f"  inputs    {', '.join(self.input_names) or '(none)'}\n  observes  {', '.join(self.observed)}"
        )


@experiment_verb
def stepper(
    machine: Runnable,
    *,
    period: float,
    members: int = 1,
    vary: Mapping[str, ArrayLike] | None = None,
    observe: Mapping[str, Quantity] | tuple[str, ...] | list[str] | None = None,
    threads: int = 1,
    **keywords: Unpack[ExperimentKeywords],
) -> Stepper:
    """Make a one-step kernel of many members: inputs in, a period of time, observations out.

    Parameters
    ----------
    machine
        The machine or its equations, with the keywords of an experiment; or an `Experiment`.
    period
        Seconds of one step, over which the inputs are held.
    members
        Their number.
    vary
        Varied quantities of the members, as in `dalembert.rollout`.
    observe
        Names of the quantities observed after each step (see `dalembert.Measure`), or names with functions of signals;
        None: coordinates and velocities of the machine.
    threads
        Number of threads; 0: one per core. It pays from some thousand members on.
    **keywords
        As in `dalembert.Experiment`; ``q0``, ``v0`` and ``p`` may be of members, as in `dalembert.rollout`. Without
        ``control`` each call of `Stepper.step` gives the inputs of each member; a law must be an expression. The period
        is divided into equal steps, of which none is longer than ``step``. A stepper keeps no log: where limits are
        recorded, members continue.

    Examples
    --------
    >>> import numpy as np
    >>> import dalembert as da
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 1.0, com=(0, 0, -1.0))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))],
    ...     motors=[da.Motor("drive", "theta", effort=2.0)],
    ... )
    >>> swing = da.stepper(pendulum, period=0.02, members=64, observe=["theta", "u.drive"])
    >>> swing.step(np.ones((64, 1))).shape
    (64, 2)
    """
    period = check_number("period", period, unit="s")
    if isinstance(members, bool) or not isinstance(members, int | np.integer) or members < 1:
        raise InputError(f"members must be a whole number >= 1, got {members!r}")
    family = members_of(machine, keywords, vary, STEPPER)
    machine = family.experiment.machine
    seen: Any = (*machine.q_names, *machine.v_names) if observe is None else observe
    if isinstance(seen, str) or not isinstance(seen, Mapping | tuple | list):
        raise InputError(f"observe must be names of signals, or names with functions of signals, got {observe!r}")
    listed = seen if isinstance(seen, Mapping) else tuple(seen)
    return Stepper(family, period, int(members), listed, check_threads(threads))
