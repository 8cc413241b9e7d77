"""Control of a loop: its stages, the terms of its continuous law, and the schedule of its sampled elements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.cascade import Cascade, Sampled
from dalembert.core.errors import DalembertError, InputError
from dalembert.core.labels import as_numbers
from dalembert.core.ports import Law, NativeStage
from dalembert.core.types import Array, Expression
from dalembert.engine.sampling import Schedule
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.internal_states import InternalStates
from dalembert.loop.quantities import Quantities, sensor_updates
from dalembert.loop.routines import routine_update
from dalembert.loop.sampled import PythonStage, Stages, detached, native_update, python_update
from dalembert.model.signals import Sensor, Signal

__all__ = ["ConstantInputs", "SampledController", "law_terms", "sampling_schedule", "taken_apart"]


@dataclass(frozen=True)
class SampledController:
    """A Python function as a controller that is called at a period.

    Parameters
    ----------
    function
        ``function(t, q, v) -> u``.
    period
        Seconds between two calls.
    name
        Its name in messages.

    Examples
    --------
    >>> import dalembert as da
    >>> da.SampledController(lambda t, q, v: [0.0], period=0.01).period
    0.01
    """

    function: Callable[[float, Array, Array], ArrayLike]
    period: float
    name: str = "controller"

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(f"{self.name} needs a function (t, q, v) -> u, got {self.function!r}")

    def __call__(self, t: float, q: Array, v: Array) -> ArrayLike:
        """Return the inputs to hold until the next sample."""
        return self.function(t, q, v)


@dataclass(frozen=True, eq=False)
class ConstantInputs:
    """Inputs that stay as they are."""

    u: Array
    name: str = "constant input"
    period: float = 1e9

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """Return them."""
        return self.u


def taken_apart(eom: EquationsOfMotion, control: object) -> tuple[Stages, list[Any]]:
    """Return the stages of a control, and their Python functions."""
    if control is None:
        return Stages((), None, None), []
    if eom.nu == 0:
        raise InputError(f"machine '{eom.machine.name}' has no motors or thrusters, so there is nothing to control")
    if isinstance(control, type):
        raise InputError(f"control is the class {control.__name__}, expected an object of it: {control.__name__}(...)")
    if isinstance(control, Law | Sampled | Cascade | NativeStage):
        return detached(control)
    if callable(control):
        if not hasattr(control, "period"):
            raise InputError(
                "a Python controller needs a 'period' in seconds; wrap a function as "
                "SampledController(function, period)"
            )
        return detached(control)
    try:
        u0 = as_numbers(control)
    except (TypeError, ValueError):
        raise InputError(
            f"control must be a law, a controller with a period, or {eom.nu} numbers, got {control!r}"
        ) from None
    if u0.shape != (eom.nu,) or not np.isfinite(u0).all():
        raise InputError(f"constant inputs must be {eom.nu} finite numbers ({', '.join(eom.u_names)}), got {control!r}")
    return detached(ConstantInputs(u0))


def law_terms(known: Quantities, stages: Stages, states: InternalStates) -> Expression:
    """Return the inputs, and add the internal states of a continuous law."""
    eom, law = known.eom, stages.law
    if law is None:
        return ca.SX.zeros(eom.nu) if stages.sampled is None else eom.symbolic.u
    label = f"the law {type(law).__name__}"
    names = _state_names(eom, law, label)
    z = ca.SX.sym("z", len(names))
    u, rates = _expressions(known, law, z, label)
    if u.shape != (eom.nu, 1):
        raise InputError(f"{label} must return {eom.nu} inputs ({', '.join(eom.u_names)}), got {u.shape[0]}")
    if rates.numel() != len(names):
        raise InputError(f"{label} has {len(names)} states but returned {rates.numel()} rates")
    states.add(names, z, rates, _initial(eom, law, len(names), label))
    return u


def _state_names(eom: EquationsOfMotion, law: Law, label: str) -> tuple[str, ...]:
    names = law.state_names(eom)
    if isinstance(names, str) or not isinstance(names, Iterable) or not all(isinstance(n, str) for n in names):
        raise InputError(f"state_names of {label} must return names, got {names!r}")
    return tuple(names)


def _initial(eom: EquationsOfMotion, law: Law, n: int, label: str) -> Array:
    initial = law.initial_state(eom)
    try:
        z0 = as_numbers(initial)
    except (TypeError, ValueError):
        z0 = np.full(1, np.nan)
    if z0.shape != (n,) or not np.isfinite(z0).all():
        raise InputError(f"initial_state of {label} must return {n} finite numbers, got {initial!r}")
    return z0


def _expressions(known: Quantities, law: Any, z: Expression, label: str) -> tuple[Expression, Expression]:
    """Values and rates of a law, made of the symbols that it was given and of quantities that it reads by name."""
    eom, s = known.eom, known.eom.symbolic
    measured = known.q is not s.q
    q, v = (ca.SX.sym("q_seen", eom.nq), ca.SX.sym("v_seen", eom.nv)) if measured else (s.q, s.v)
    try:
        outputs = law.expression(eom, s.t, q, v, z, s.p)
        if not isinstance(outputs, tuple | list) or len(outputs) != 2:
            raise InputError(f"{label} must return inputs and rates of its states, two results, got {outputs!r}")
        u, zdot = ca.SX(outputs[0]), ca.SX(outputs[1])
    except DalembertError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
        raise InputError(f"{label} fails on CasADi symbols: {reason}") from error
    both = ca.densify(ca.vertcat(ca.vec(u), ca.vec(zdot)))
    for x in ca.vertsplit(both):
        if x.is_constant() and not np.isfinite(float(x)):
            raise InputError(f"{label} returns {x}; it computes on CasADi symbols (casadi.sin, not math.sin)")
    both = known.bind(both, label, symbols=[z, q, v])
    if measured:
        both = ca.substitute(both, ca.vertcat(q, v), ca.vertcat(known.q, known.v))
    n = u.numel()
    return ca.reshape(both[:n, 0], *u.shape), both[n:, 0]


def sampling_schedule(
    known: Quantities, stages: Stages, signals: Sequence[Signal], sensors: Sequence[Sensor], arguments: list[Any]
) -> Schedule:
    """Sampled elements: sensors, then stages from the outermost on."""
    updates = [update for sensor in sensors for update in sensor_updates(known, signals, sensor, arguments)]
    for stage in (*stages.outer, *(() if stages.sampled is None else (stages.sampled,))):
        if isinstance(stage, NativeStage):
            updates.append(routine_update(known, stage, signals, sensors, partial(_expressions, known), arguments))
        elif isinstance(stage, PythonStage):
            updates.append(python_update(known, stage, arguments))
        else:
            updates.append(native_update(known, stage, partial(_expressions, known), arguments))
    return Schedule(tuple(updates), known.slots.initial)
