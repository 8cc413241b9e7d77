"""The complete description of a run: the machine, its start, its law, events, and the method.

Every outlet takes an `Experiment` (single runs, rollouts, steppers, campaigns, derivatives, FMUs, real time,
environments, reports, the studio, the command line). Their flat keywords (`ExperimentKeywords`) are a short way to
write one: `experiment_of` reads them, and is the only place that does.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from dalembert.compile.backend import BACKENDS, Backend
from dalembert.control.law_blocks import law_block
from dalembert.core.digest import description, digest
from dalembert.core.errors import InputError
from dalembert.core.files import target_file
from dalembert.core.labels import by_name
from dalembert.core.states import named_vector
from dalembert.core.validation import check_number, check_objects, check_seed
from dalembert.engine.methods.constraints import ConstraintMethod, constraint_method
from dalembert.engine.methods.contacts import ContactMethod, EventDriven, contact_method
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.formulations.mapped import CoordinateMap
from dalembert.loop.events import LIMITS, Event
from dalembert.loop.experiment_keywords import KEYWORD_DEFAULTS, ExperimentKeywords
from dalembert.loop.start import Start, frozen_values, merged_values
from dalembert.loop.switches import Switch
from dalembert.model.machine import Machine
from dalembert.model.signals import Sensor, Signal
from dalembert.simulation.methods import (
    METHOD_SETTINGS,
    Method,
    check_method_setting,
    integration_method,
    revised_method,
)
from dalembert.simulation.run import Run
from dalembert.simulation.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "Experiment",
    "Runnable",
    "Start",
    "check_keyword",
    "experiment_of",
    "values_by_name",
]


_SHOWN = 8
"""Values of a start or of parameters that the text of an experiment shows."""


@dataclass(frozen=True, eq=False, repr=False)
class Experiment:
    """A machine and the complete description of a run; a machine file contains one (`dalembert.load_experiment`).

    It is frozen, comparable and printable; `digest` names it, `replace` returns another one, `to_yaml` and `save` write
    it as a machine file. ``dalembert.simulate(machine, duration=10, q0=..., step=...)`` is a short way to write
    ``dalembert.simulate(Experiment(machine, start=Start(q=...), method=RK4(step=...), duration=10))``.

    Parameters
    ----------
    machine
        The machine, or equations of motion derived from it.
    start
        Where it starts: a `Start` (keywords ``q0``, ``v0``, ``t0``, ``reach``, ``branch``), or an earlier run of the
        same machine,
        which is continued.
    p
        Values of parameters, by name or all in order; the others are nominal.
    control
        None, constant inputs, an expression law such as `PD`, a Python controller with a ``period``, a law that is
        `dalembert.control.Sampled`, or a `dalembert.control.Cascade`.
    sensors, signals
        Sensors and signals besides those of the machine.
    events
        User-defined events.
    switches
        Constraints that are added and removed during the run.
    on_event
        Called as ``on_event(t, x, names)`` at located events; may return a new state, or edit ``x``.
    limits
        At joint limits: ``"record"`` an event, ``"stop"`` there, ``"ignore"`` them, or treat them as ``"contact"``:
        hard stops with the restitution of the `Limits`. Outlets without a log (derivatives, a stepper, an FMU, a loop
        in real time) continue where others record.
    constraints
        How constraints are kept: `Projection`, `Baumgarte`, `UdwadiaKalaba`, `Penalty`, `AugmentedLagrangian`,
        `GeneralizedAlpha`, `Idas`, or a name such as ``"augmented-lagrangian"``; the last two bring their own method.
        None: the method's own way if it has one, else by projection.
    contact
        How contacts are treated: `EventDriven` (the default), `TimeStepping`, or their names.
    method
        How it is integrated: `RK4`, `DormandPrince`, `Radau`, ... with their settings, or a name such as ``"dopri5"``
        with the keywords ``step``, ``rtol``, ``atol``, ``max_step``, ``max_steps``. None: `RK4`, or the integrator of
        the constraint or contact method.
    duration
        Seconds to simulate.
    record
        Interval of the recorded rows [s]; None: every step.
    seed, member
        Noise of sensors: a seed, and the number of the rollout member whose noise is used.
    by, backend
        Formulation, and how functions are compiled; as in `dalembert.equations`.

    Examples
    --------
    >>> import dalembert as da
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 1.0, com=(0, 0, -1.0))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))],
    ... )
    >>> swing = da.Experiment(pendulum, start=da.Start(q={"theta": 0.3}), method=da.RK4(step=1e-2), duration=2.0)
    >>> swing == da.Experiment(pendulum).replace(q0={"theta": 0.3}, step=1e-2, duration=2.0)
    True
    >>> da.simulate(swing).status, len(da.rollout(swing, vary={"q0.theta": [0.1, 0.2, 0.3]}))
    ('completed', 3)
    """

    machine: Machine
    start: Start | Run = field(default_factory=Start)
    p: Mapping[str, float] | tuple[float, ...] | None = None
    control: Any = None
    sensors: tuple[Sensor, ...] = ()
    signals: tuple[Signal, ...] = ()
    events: tuple[Event, ...] = ()
    switches: tuple[Switch, ...] = ()
    on_event: Callable[..., Any] | None = None
    limits: str = "record"
    constraints: ConstraintMethod | None = None
    contact: ContactMethod = field(default_factory=EventDriven)
    method: Method | None = None
    duration: float | None = None
    record: float | None = None
    seed: int = 0
    member: int = 0
    by: str = "newton-euler"
    backend: Backend = "auto"
    _equations: ClassVar[EquationsOfMotion | None] = None  # of one that was made with equations
    _variant: ClassVar[tuple[Mapping[str, Any], CoordinateMap | None]] = ({}, None)  # how those were derived

    def __post_init__(self) -> None:
        assign = cast(Callable[[str, Any], None], lambda name, value: object.__setattr__(self, name, value))
        if isinstance(self.machine, EquationsOfMotion):
            equations = self.machine
            assign("_equations", equations)
            assign("_variant", equations.variant)
            assign("machine", equations.machine)
            assign("by", equations.by)
            assign("backend", equations.backend)
        if not isinstance(self.machine, Machine):
            raise InputError(f"an experiment needs a Machine or its equations, got {self.machine!r}")
        if self.start is None:
            assign("start", Start())
        if not isinstance(self.start, Start | Run):
            raise InputError(f"start must be a Start or a run to continue, got {self.start!r}")
        assign("p", frozen_values(self.p, "p"))
        if self.control is not None and not callable(self.control):
            inputs = frozen_values(self.control, "control")
            if isinstance(inputs, Mapping):
                names = self.machine.u_names
                inputs = frozen_values(named_vector(inputs, names, np.zeros(len(names)), "control"), "control")
            assign("control", inputs)
        for name, kind in _LISTED.items():
            assign(name, check_objects(getattr(self, name), kind, name))
        if self.on_event is not None and not callable(self.on_event):
            raise InputError(f"on_event must be a function (t, x, names), got {type(self.on_event).__name__}")
        if self.limits not in LIMITS:
            raise InputError(f"limits must be one of {', '.join(LIMITS)}, got {self.limits!r}")
        if self.constraints is not None:
            assign("constraints", constraint_method(self.constraints))
        assign("contact", EventDriven() if self.contact is None else contact_method(self.contact))
        if self.method is not None:
            assign("method", integration_method(self.method))
        for name in ("duration", "record"):
            if getattr(self, name) is not None:
                assign(name, check_number(name, getattr(self, name), unit="s"))
        check_seed(self.seed)
        check_seed(self.member, "member")
        if self.backend not in BACKENDS:
            raise InputError(f"backend must be one of {', '.join(BACKENDS)}, got {self.backend!r}")

    @property
    def equations(self) -> EquationsOfMotion:
        """The equations of motion: the given ones, or derived once from its settings."""
        if self._equations is not None:
            return self._equations
        options, coordinates = self._variant
        return derive(self.machine, self.by, coordinates=coordinates, backend=self.backend, **options)

    @property
    def integrator(self) -> Method:
        """The method, also where none is named: that of the contact or constraint method, or `RK4`."""
        return integration_method(self.method, default=self._brought)

    @property
    def _brought(self) -> str:
        """Name of the integrator that the contact or constraint method requires."""
        return self.contact.integrator or ("" if self.constraints is None else self.constraints.integrator)

    @property
    def settings(self) -> Settings:
        """Settings for `dalembert.simulation.integrate`; an error without a duration."""
        if self.duration is None:
            raise InputError(f"a run of machine '{self.machine.name}' needs a duration: give duration= in seconds")
        return self.settings_over(self.duration, self.record)

    def settings_over(self, duration: float, record: float | None = None) -> Settings:
        """Settings for `dalembert.simulation.integrate` for a run of another duration, with rows at an interval."""
        t0 = self.start.t if isinstance(self.start, Start) else 0.0
        return Settings(
            duration, t0, self.integrator, record=record, constraints=self.constraints, seed=self.seed,
            member=self.member,
        )  # fmt: skip

    def replace(self, **changes: Any) -> Experiment:
        """Return this experiment with other values: fields of it, or keywords as in `dalembert.simulate`.

        Values by name (``q0``, ``v0``, ``p``) are merged with the existing ones; settings that another method does not
        have are dropped.
        """
        return experiment_of(self, cast(ExperimentKeywords, changes))

    @cached_property
    def digest(self) -> str:
        """Name of the experiment: equal for equal experiments, in every process and outlet (64 hexadecimal digits)."""
        return digest(self.identity)

    @property
    def identity(self) -> dict[str, Any]:
        """The fields that define the experiment, by name, defaults resolved."""
        values = {one.name: getattr(self, one.name) for one in dataclasses.fields(self) if one.name not in _RESOLVED}
        start = self.start.final if isinstance(self.start, Run) else self.start
        nominal = {parameter.name: parameter.value for parameter in self.machine.parameters}
        p = self.p if isinstance(self.p, Mapping) or self.p is None else dict(zip(nominal, self.p, strict=False))
        return {
            "machine": _machine_text(self.machine), "start": start, "p": nominal | dict(p or {}),
            "method": self.integrator, "variant": self._variant, **values,
        }  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Experiment) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __getstate__(self) -> dict[str, Any]:
        state = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
        return state | {"_variant": self._variant}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)

    def keywords(self) -> dict[str, Any]:
        """Return settings other than defaults as keywords: ``simulate(experiment.machine, **keywords)`` is the same."""
        flat: dict[str, Any] = {}
        if isinstance(self.start, Run):
            flat["start"] = self.start
        else:
            flat |= {"q0": self.start.q, "v0": self.start.v, "t0": self.start.t}
            flat |= {"reach": self.start.reach, "branch": self.start.branch}
        method = {} if self.method is None else dict(self.method.plain)
        name = method.pop("name", None)
        flat |= {"method": name} if name != (self._brought or "rk4") else {}
        flat |= method
        for one in dataclasses.fields(self):
            if one.name not in ("machine", "start", "method"):
                flat[one.name] = getattr(self, one.name)
        if self.constraints is not None:
            flat["constraints"] = self.constraints.plain
        flat["contact"] = None if self.contact == EventDriven() else self.contact.plain
        return {
            name: value for name, value in flat.items()
            if name in METHOD_SETTINGS or (value is not None and value != KEYWORD_DEFAULTS.get(name))
        }  # fmt: skip

    def plain_settings(self) -> dict[str, Any]:
        """Those of the keywords that are plain data about how it is run; a run keeps them."""
        plain = {name: value for name, value in self.keywords().items() if name in _PLAIN}
        return {name: dict(value) if isinstance(value, Mapping) else value for name, value in plain.items()}

    def to_yaml(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the machine file of this experiment, and write it to ``path`` if one is given.

        Raises
        ------
        InputError
            If a part of it is Python code, which files cannot store; the message names the part.
        """
        from dalembert.io.experiment_files import experiment_to_yaml

        return experiment_to_yaml(self, path)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it as a machine file, which `dalembert.load_experiment` reads; return the path."""
        target = target_file(path, (".yaml", ".yml"))
        self.to_yaml(target)
        return target

    def __str__(self) -> str:
        lines = [f"Experiment with machine '{self.machine.name}'"]
        if isinstance(self.start, Run):
            lines.append(f"  start        from a run, at t = {self.start.final.t:g} s")
        else:
            states = {"q": self.start.q, "v": self.start.v}
            shown = ", ".join(f"{name} = {_shortened(values)}" for name, values in states.items() if values is not None)
            lines.append(f"  start        t = {self.start.t:g} s, {shown or 'neutral'}")
        if self.p is not None:
            lines.append(f"  parameters   {_shortened(self.p)}")
        law = None if self.control is None else law_block(self.control)
        lines.append(f"  control      {law['law'] if isinstance(law, dict) else law or 'none'}")
        for name in _LISTED:
            items = getattr(self, name)
            if items:
                lines.append(f"  {name:<12} {', '.join(getattr(one, 'name', str(one)) for one in items)}")
        way = "" if self.constraints is None else f", constraints by {self.constraints}"
        lines.append(f"  method       {self.integrator}{way}, contact {self.contact}, limits {self.limits}")
        span = "duration open" if self.duration is None else f"{self.duration:g} s"
        rows = "every step" if self.record is None else f"every {self.record:g} s"
        lines.append(f"  run          {span}, recorded {rows}, equations by {self.by}")
        return "\n".join(lines)

    __repr__ = __str__


_LISTED: Mapping[str, type[Any]] = {"sensors": Sensor, "signals": Signal, "events": Event, "switches": Switch}
_RESOLVED = ("machine", "start", "p", "method")
_PLAIN = (
    "duration", "t0", "reach", "branch", "method", *METHOD_SETTINGS, "record", "constraints", "contact", "limits",
    "seed",
    "member", "by", "backend",
)  # fmt: skip
_OF_START = ("q0", "v0", "t0", "reach", "branch")
_BY_NAME = ("q0", "v0", "p", "control")
_FIELDS = frozenset(one.name for one in dataclasses.fields(Experiment))

Runnable = Experiment | Machine | EquationsOfMotion
"""Input of a verb: an experiment, or a machine or its equations with the keywords of one."""


def _shortened(values: Any) -> str:
    """Values as they were given, or the first of many."""
    if len(values) <= _SHOWN:
        return str(values)
    first: Any = dict(islice(values.items(), _SHOWN)) if isinstance(values, Mapping) else tuple(values[:_SHOWN])
    return f"{str(first)[:-1]}, ... of {len(values)} values"


def _machine_text(machine: Machine) -> str:
    """A machine as a text; kept with it."""

    def make() -> str:
        try:
            return machine.to_yaml()
        except InputError:  # it has parts that no file holds
            return description(machine)

    return machine.kept.once("text", (), make)


def experiment_of(what: Runnable, keywords: ExperimentKeywords) -> Experiment:
    """Return the experiment that a call describes: an experiment or a machine, and keywords over it.

    Parameters
    ----------
    what
        An experiment, a machine, or equations of motion.
    keywords
        Fields of an experiment, and the short forms of `ExperimentKeywords`.
    """
    before = what if isinstance(what, Experiment) else Experiment(cast(Machine, what))
    if not keywords:
        return before
    changes: dict[str, Any] = {
        name: by_name(value, name) if name in _BY_NAME else value for name, value in keywords.items()
    }
    values: dict[str, Any] = {name: changes.pop(name) for name in _FIELDS & changes.keys()}
    stepping = {name: changes.pop(name) for name in METHOD_SETTINGS if name in changes}
    short: dict[str, Any] = {name: changes.pop(name) for name in _OF_START if name in changes}
    if changes:
        raise InputError(f"an experiment has no {', '.join(map(repr, changes))}")
    if short or ("start" in values and values["start"] is not None):
        values["start"] = _started(before, values.get("start"), short)
    elif "start" in values:
        del values["start"]
    if "p" in values:
        names = [parameter.name for parameter in before.machine.parameters]
        values["p"] = merged_values(before.p, values["p"], names)
    way = values.get("constraints", before.constraints)
    contact = values.get("contact", before.contact)
    brought = ("" if contact is None else contact_method(contact).integrator) or (
        "" if way is None else constraint_method(way).integrator
    )
    values["method"] = revised_method(
        before.method, values.get("method"), stepping, brought=brought, brought_before=before._brought
    )
    kept = {one.name: getattr(before, one.name) for one in dataclasses.fields(before)} | values
    same = before.by == kept["by"] and before.backend == kept["backend"] and "machine" not in values
    if same and (before._equations is not None or before._variant != Experiment._variant):
        kept["machine"] = before.equations
    return Experiment(**kept)


def values_by_name(experiment: Experiment) -> dict[str, dict[str, float]]:
    """Return ``q0``, ``v0`` and ``p`` of an experiment, those that are given, by name."""
    start, machine = experiment.start, experiment.machine
    if not isinstance(start, Start):
        raise InputError("this needs a start by name, not a run to continue")
    names = {"q0": machine.q_names, "v0": machine.v_names, "p": [p.name for p in machine.parameters]}
    values = {"q0": start.q, "v0": start.v, "p": experiment.p}
    by_name: dict[str, dict[str, float]] = {}
    for key, state in values.items():
        if state is not None and not isinstance(state, Mapping):
            vector = named_vector(state, names[key], np.zeros(len(names[key])), key)
            state = dict(zip(names[key], vector.tolist(), strict=True))
        by_name[key] = {name: float(value) for name, value in (state or {}).items()}
    return by_name


def check_keyword(name: str, value: Any) -> None:
    """Check the value of one keyword by itself, as far as it can be judged without the others."""
    if name in METHOD_SETTINGS:
        check_method_setting(name, value)
    elif name in ("duration", "record"):
        check_number(name, value, unit="s")
    elif name in ("seed", "member"):
        check_seed(value, name)
    elif name in ("t0", "reach", "branch"):
        Start(**{"t" if name == "t0" else name: value})
    elif name == "method":
        integration_method(value)
    elif name == "constraints":
        constraint_method(value)
    elif name == "contact":
        contact_method(value)
    elif name == "limits" and value not in LIMITS:
        raise InputError(f"limits must be one of {', '.join(LIMITS)}, got {value!r}")


def _started(before: Experiment, start: object, short: Mapping[str, Any]) -> Start | Run:
    """Return the start of a call: one that is given, or that of an experiment, with the short forms over it."""
    settings = {name: value for name, value in short.items() if value is not None or name in ("t0", "reach", "branch")}
    if start is None and isinstance(before.start, Run) and "q0" not in settings and "v0" not in settings:
        start = before.start
    if isinstance(start, Run):
        if "q0" in settings or "v0" in settings:
            raise InputError("give either start (an earlier run) or q0 and v0, not both")
        t0 = settings.get("t0", 0.0)
        if t0 not in (0.0, start.final.t):
            raise InputError(f"t0 = {t0:g} contradicts the run to continue, which ends at t = {start.final.t:g} s")
        return start
    if start is not None and not isinstance(start, Start):
        raise InputError(f"start must be a Start or a run to continue, got {start!r}")
    base = start or (before.start if isinstance(before.start, Start) else Start())
    state = {}
    for name, key in (("q", "q0"), ("v", "v0")):
        names = before.machine.q_names if name == "q" else before.machine.v_names
        state[name] = merged_values(getattr(base, name), settings.get(key), names)
    others = {name: settings.get(name, getattr(base, name)) for name in ("reach", "branch")}
    return Start(**state, t=settings.get("t0", base.t), **others)
