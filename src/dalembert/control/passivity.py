"""Tracking laws that keep the passivity of the machine, with known and with adapted inertial parameters.

With the error ``e = q - r``, the reference velocity ``w = r' - rate e`` and ``s = v - w``:

    tau = M(q) w' + C(q, v) w + dV/dq - kd s                 known parameters
    tau = Y(q, v, w, w') theta - kd s,  theta' = -gamma Y^T s  adapted ones

``V = 1/2 s^T M s + e^T rate kd e`` falls at the rate ``e'^T kd e' + e^T rate kd rate e``, because ``M' - 2 C`` is
skew-symmetric. Adapted parameters add ``1/2 (theta - true)^T gamma^-1 (theta - true)`` to V and do not change its rate
(J.-J. Slotine, W. Li, On the adaptive control of robot manipulators, Int. J. Robotics Research 6, 1987). ``theta`` are
the base parameters: a sum that motions do not determine needs no estimate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.law_bases import (
    Reference,
    _driven,
    _gain,
    _motors,
    _reference,
    _Stateless,
    _Value,
    machine_state,
)
from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion

if TYPE_CHECKING:
    from dalembert.analysis.base_parameters import BaseParameters
    from dalembert.model.machine import Machine

__all__ = ["PassivityBased", "SlotineLi"]


@dataclass(frozen=True)
class _Tracking:
    """Signals of a tracking law: reference velocity and acceleration of all velocities, and ``kd s`` at the motors."""

    velocity: Expression
    acceleration: Expression
    sliding: Expression
    feedback: Expression


def _tracking(
    law: PassivityBased | SlotineLi,
    eom: EquationsOfMotion,
    t: Expression,
    q: Expression,
    v: Expression,
    p: Expression,
) -> tuple[_Tracking, list[int], Expression]:
    """Signals of the law, rows of the driven velocities and gear ratios; refuse velocities without a motor."""
    name = type(law).__name__
    rows_q, rows_v, n = _driven(eom, name)
    missing = [velocity for i, velocity in enumerate(eom.v_names) if i not in rows_v]
    if missing:
        raise InputError(
            f"{name} needs a motor at every velocity of machine '{eom.machine.name}'; there is none at "
            f"{', '.join(missing)}"
        )
    if eom.machine.constrained:
        raise InputError(
            f"{name} supports open chains only; machine '{eom.machine.name}' has constraints, cables or ropes"
        )
    r, rd, rdd = _reference(law.reference, t, _motors(eom), name)
    rate, kd = (_gain(x, _motors(eom), what, at=(eom, p)) for x, what in ((law.rate, "rate"), (law.kd, "kd")))
    e, ed = q[rows_q] - r, v[rows_v] - rd
    velocity, acceleration, sliding = (ca.SX(eom.nv, 1) for _ in range(3))
    velocity[rows_v], acceleration[rows_v], sliding[rows_v] = rd - rate * e, rdd - rate * ed, ed + rate * e
    return _Tracking(velocity, acceleration, sliding, kd * (ed + rate * e)), rows_v, n


@dataclass(frozen=True)
class PassivityBased(_Stateless):
    """``tau = M w' + C w + dV/dq - losses - kd s`` with ``w = r' - rate e``, ``s = v - w``: nothing is cancelled.

    Needs a motor at every velocity.

    Parameters
    ----------
    rate
        Rate of decay of the error where ``s = 0`` [1/s].
    kd
        Gains on ``s``.
    reference
        Joint positions or a function of time.

    Examples
    --------
    >>> import dalembert as da
    >>> arm = da.Machine(
    ...     "arm",
    ...     bodies=[da.rod("link", 1.0, 0.5, com=(0.25, 0, 0))],
    ...     joints=[da.Joint("q", "revolute", "world", "link", axis="y")],
    ...     motors=[da.Motor("q", "q", effort=20.0)],
    ... )
    >>> law = da.PassivityBased(rate=10.0, kd=2.0, reference=da.Quintic([0.0], [0.5], duration=1.0))
    >>> round(float(da.simulate(arm, duration=1.5, control=law)["q"][-1]), 6)
    0.5
    """

    units: ClassVar[Mapping[str, str]] = {"rate": "1/s", "kd": "{f} s/{q}"}

    rate: ArrayLike
    kd: ArrayLike
    reference: Reference

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs as expressions."""
        eom, q, v = machine_state(eom, q, v, p)
        track, rows, n = _tracking(self, eom, t, q, v, p)
        s = eom.symbolic
        w, a = ca.SX.sym("w", eom.nv), ca.SX.sym("a", eom.nv)
        potential = ca.substitute(s.bias, s.v, ca.SX.zeros(eom.nv))
        forces = s.mass_matrix @ a + s.coriolis_matrix @ w + potential - s.losses - s.wrenches
        model = ca.Function("model", [s.q, s.v, w, a, s.p, s.t], [ca.densify(forces)])
        tau = model(q, v, track.velocity, track.acceleration, p, t)[rows]
        return (tau - track.feedback) / n, ca.SX(0, 1)


@dataclass(frozen=True)
class SlotineLi(_Value):
    """The same law with adapted base parameters: ``tau = Y theta - kd s``, ``theta' = -adaptation Y^T s``.

    The law takes geometry, springs and gravity from the machine, but neither masses nor inertias. Its states are the
    estimates, ``estimate.NAME`` with the names of `base_parameters`. The position error tends to zero; the estimates
    tend to the true values only if the motion excites all of them.

    Parameters
    ----------
    rate, kd, reference
        As in `PassivityBased`.
    adaptation
        Gain of the adaptation, for all base parameters or one for each.
    start
        First estimates: a number for all, or one for each base parameter.
    losses
        Whether viscous losses and rotor inertias are adapted, too; otherwise the law takes them from the machine.

    Examples
    --------
    >>> import dalembert as da
    >>> arm = da.Machine(
    ...     "arm",
    ...     bodies=[da.rod("link", 1.0, 0.5, com=(0.25, 0, 0))],
    ...     joints=[da.Joint("q", "revolute", "world", "link", axis="y")],
    ...     motors=[da.Motor("q", "q", effort=20.0)],
    ... )
    >>> law = da.SlotineLi(10.0, 2.0, da.Sine([0.0], [0.5], frequency=1.0), adaptation=1.0)
    >>> run = da.simulate(arm, duration=20.0, control=law)
    >>> round(float(run["estimate.link.hx"][-1]), 3)  # mass times centre of mass
    0.25
    """

    units: ClassVar[Mapping[str, str]] = PassivityBased.units

    rate: ArrayLike
    kd: ArrayLike
    reference: Reference
    adaptation: ArrayLike = 1.0
    start: ArrayLike = 0.0
    losses: bool = False

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """Names of the estimates."""
        base = _base(eom.machine, self.losses)
        return tuple(f"estimate.{base.names[k]}" for k in base.independent)

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """First estimates."""
        return _per_parameter(self.start, "start", len(_base(eom.machine, self.losses)))

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs and rates of the estimates as expressions."""
        eom, q, v = machine_state(eom, q, v, p)
        track, rows, n = _tracking(self, eom, t, q, v, p)
        base = _base(eom.machine, self.losses)
        gain = _per_parameter(self.adaptation, "adaptation", len(base))
        if not (gain > 0.0).all():
            raise InputError(f"adaptation of SlotineLi must be positive, got {self.adaptation!r}")
        Y, known = base.tracking_regressor(q, v, track.velocity, track.acceleration, t)
        tau = (Y @ z + known)[rows]
        return (tau - track.feedback) / n, -ca.DM(gain) * (Y.T @ track.sliding)


@cache
def _base(machine: Machine, losses: bool) -> BaseParameters:
    from dalembert.analysis.base_parameters import base_parameters

    return base_parameters(machine, losses=losses)


def _per_parameter(value: ArrayLike, name: str, count: int) -> Array:
    """A number for all base parameters, or one for each."""
    try:
        array = np.broadcast_to(as_numbers(value), (count,)).astype(float)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} of SlotineLi must be one number or {count} (one per base parameter), got {value!r}"
        ) from None
    if not np.isfinite(array).all():
        raise InputError(f"{name} of SlotineLi must be finite, got {value!r}")
    return array
