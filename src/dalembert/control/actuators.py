"""Components between a law and the machine: actuator lag, dead zone, mechanical play, sampled and noisy sensors.

The disturbances and neglected dynamics of CRANE 1.3, as wrappers: each takes a law or a sampled controller and is a
law, so that they can be stacked in the order of the machine, from the sensors to the joint:
``Backlash(ActuatorLag(NoisySensors(law, eom, 0.01, 1e-3), 0.1), 0.01, 1e5, 20.0)``. Coulomb friction is a field of the
joint, uncertain parameters are a matter of ``p``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.cascade import Cascade, Sampled
from dalembert.control.law_bases import _driven, machine_state
from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.ports import Controller, Law, NativeStage
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["ActuatorLag", "Backlash", "DeadZone", "NoisySensors"]


def _positive(value: ArrayLike, n: int, what: str, *, zero: bool = False) -> ca.DM:
    try:
        array = np.broadcast_to(as_numbers(value), (n,))
    except (TypeError, ValueError):
        raise InputError(f"{what} must be one number or {n} (one per motor), got {value!r}") from None
    if not np.isfinite(array).all() or (array < 0).any() or (not zero and (array == 0).any()):
        raise InputError(f"{what} must be finite and {'not negative' if zero else '> 0'}, got {value!r}")
    return ca.DM(array)


def dead_zone(x: Expression, half_width: ca.DM) -> Expression:
    """``x`` reduced by the half width: zero in between, continuous."""
    return ca.fmax(x - half_width, 0) + ca.fmin(x + half_width, 0)


@dataclass(frozen=True)
class _Held:
    """A sampled controller as a law: its command is held between its samples."""

    sampled: Controller | Sampled | Cascade | NativeStage

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        return ()

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        return np.zeros(0)

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        return eom.symbolic.u, ca.SX(0, 1)


class _Wrapper:
    """A component between a law, or a sampled controller, and the machine."""

    law: Law | Controller | Sampled | Cascade | NativeStage

    @property
    def _behind(self) -> Law:
        if isinstance(self.law, Law):
            return self.law
        if isinstance(self.law, Controller | Sampled | Cascade | NativeStage):
            return _Held(self.law)
        raise InputError(f"{type(self).__name__} needs a law or a controller with a period, got {self.law!r}")

    @property
    def sampled(self) -> Controller | Sampled | Cascade | NativeStage | None:
        """The sampled controller behind, if there is one."""
        return getattr(self._behind, "sampled", None)

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """States of the law behind."""
        return self._behind.state_names(eom)

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """Initial states of the law behind."""
        return self._behind.initial_state(eom)


@dataclass(frozen=True)
class DeadZone(_Wrapper):
    """Commands within the half width have no effect, larger ones lose it.

    Parameters
    ----------
    law
        The law behind.
    half_width
        Effort lost, per motor or once for all.

    Examples
    --------
    >>> from dalembert.control import PD
    >>> DeadZone(PD(kp=40.0, kd=8.0, reference=[0.0]), half_width=0.5).half_width
    0.5
    """

    law: Law | Controller | Sampled | Cascade | NativeStage
    half_width: ArrayLike

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs and rates of the states."""
        u, zdot = self._behind.expression(eom, t, q, v, z, p)
        return dead_zone(u, _positive(self.half_width, eom.nu, "half_width", zero=True)), zdot


@dataclass(frozen=True)
class ActuatorLag(_Wrapper):
    """First-order lag ``T u' = command - u``.

    Parameters
    ----------
    law
        The law behind.
    time_constant
        ``T`` [s], per motor or once for all.
    initial
        Efforts at the start, such as the weight that a winch holds; default zero.
    """

    law: Law | Controller | Sampled | Cascade | NativeStage
    time_constant: ArrayLike
    initial: ArrayLike = 0.0

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """States of the law, and an effort per motor."""
        return (*super().state_names(eom), *(f"effort.{name}" for name in eom.u_names))

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """Initial states of the law, and the initial efforts."""
        try:
            start = np.broadcast_to(as_numbers(self.initial), (eom.nu,))
        except (TypeError, ValueError):
            raise InputError(f"initial must be one number or {eom.nu} (one per motor), got {self.initial!r}") from None
        return np.concatenate([super().initial_state(eom), start])

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs and rates of the states."""
        inner = z.shape[0] - eom.nu
        command, zdot = self._behind.expression(eom, t, q, v, z[:inner], p)
        T = _positive(self.time_constant, eom.nu, "time_constant")
        return z[inner:], ca.vertcat(zdot, (command - z[inner:]) / T)


@dataclass(frozen=True)
class Backlash(_Wrapper):
    """Mechanical play between a motor with inertia and the joint that it drives (dynamic backlash).

    The motor has a separate position; it pushes the joint through a spring and damper that touch only outside the gap.
    The law commands the effort on the motor. All quantities are on the joint's side.

    Parameters
    ----------
    law
        The law behind.
    gap
        Width of the play, in the joint's coordinate.
    stiffness, damping
        Stiffness and damping of the contact.
    inertia
        Inertia of the motor.

    All of them per motor or once for all; a gap of zero leaves a stiff shaft.
    """

    law: Law | Controller | Sampled | Cascade | NativeStage
    gap: ArrayLike
    stiffness: ArrayLike
    inertia: ArrayLike
    damping: ArrayLike = 0.0

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """States of the law; position relative to the joint and speed of each motor."""
        motors = [f"motor.{x}.{name}" for x in ("lead", "speed") for name in eom.u_names]
        return (*super().state_names(eom), *motors)

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """Motors start in the middle of the gap, at rest."""
        return np.concatenate([super().initial_state(eom), np.zeros(2 * eom.nu)])

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs and rates of the states."""
        n = eom.nu
        inner = z.shape[0] - 2 * n
        command, zdot = self._behind.expression(eom, t, q, v, z[:inner], p)
        # the contact acts on the joint itself, not on the readings of sensors
        eom, _, v = machine_state(eom, eom.symbolic.q, eom.symbolic.v, p)
        _, rows_v, ratio = _driven(eom, "Backlash")
        lead, speed = z[inner : inner + n], z[inner + n :]
        half = _positive(self.gap, n, "gap", zero=True) / 2
        k, c = _positive(self.stiffness, n, "stiffness"), _positive(self.damping, n, "damping", zero=True)
        squeezed = dead_zone(lead, half)
        slip = speed - v[rows_v]
        # The damper acts in contact only, and contact only pushes: it never pulls the motor back.
        push = k * squeezed + c * slip * (squeezed != 0)
        force = ca.if_else(lead > 0, ca.fmax(push, 0), ca.fmin(push, 0))
        rates = (command * ratio - force) / _positive(self.inertia, n, "inertia")
        return force / ratio, ca.vertcat(zdot, slip, rates)


@dataclass
class NoisySensors:
    """A law run at a sampling period on noisy measurements: a sampled controller for `simulate`.

    The noise is white from sample to sample, normal, and depends on the seed and the number of the sample alone, so
    that a run can be repeated. Internal states of the law are advanced by Euler's method, once per sample: faster
    dynamics, such as an `ActuatorLag` or a `Backlash`, go around the sensors, not into them. The law computes with the
    nominal values of the machine's parameters, whatever the machine has.

    Parameters
    ----------
    law
        The law behind.
    eom
        The equations of the machine that it controls.
    period
        Seconds between samples.
    position_noise, velocity_noise
        Standard deviations, per coordinate and velocity or once for all.
    seed
        Seed of the noise.
    """

    law: Law
    eom: EquationsOfMotion
    period: float
    position_noise: ArrayLike = 0.0
    velocity_noise: ArrayLike = 0.0
    seed: int = 0
    name: str = "noisy sensors"
    _z: Array = field(init=False, repr=False)
    _last: int = field(init=False, repr=False, default=-1)

    def __post_init__(self) -> None:
        eom = self.eom
        if not isinstance(self.law, Law):
            raise InputError(f"NoisySensors needs a law, got {self.law!r}")
        if isinstance(self.law, _Wrapper):
            raise InputError(
                f"NoisySensors wraps the law itself: {type(self.law).__name__} acts after the sensors; write "
                f"{type(self.law).__name__}(NoisySensors(law, ...), ...)"
            )
        if not self.period > 0:
            raise InputError(f"period of NoisySensors must be > 0, got {self.period!r}")
        if eom.layout.quaternions:
            raise InputError(
                f"NoisySensors: machine '{eom.machine.name}' has quaternions, to which noise cannot be added"
            )
        self._sigma = np.concatenate(
            [
                np.array(_positive(x, n, what, zero=True).full())[:, 0]
                for x, n, what in (
                    (self.position_noise, eom.nq, "position_noise"),
                    (self.velocity_noise, eom.nv, "velocity_noise"),
                )
            ]
        )
        s = eom.symbolic
        z = ca.SX.sym("z", len(self.law.state_names(eom)))
        u, zdot = self.law.expression(eom, s.t, s.q, s.v, z, s.p)
        self._function = ca.Function("law", [s.t, s.q, s.v, z, s.p], [ca.densify(ca.SX(u)), ca.densify(ca.SX(zdot))])
        self._p = eom.parameter_values(None)
        self._z = np.asarray(self.law.initial_state(eom), dtype=float)

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """Inputs to hold until the next sample."""
        sample = round(t / self.period)
        if sample <= self._last:  # a new run
            self._z = np.asarray(self.law.initial_state(self.eom), dtype=float)
        self._last = sample
        noise = np.random.Generator(np.random.Philox(key=self.seed, counter=[sample, 0, 0, 0]))
        error = self._sigma * noise.standard_normal(len(self._sigma))
        u, zdot = self._function(t, q + error[: len(q)], v + error[len(q) :], self._z, self._p)
        self._z = self._z + self.period * np.array(zdot.full())[:, 0]
        return np.array(u.full())[:, 0]
