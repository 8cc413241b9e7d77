"""Nozzles that are on or off, the propellant they use, and wheels that thrusters unload."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.control.allocation import allocate
from dalembert.control.detumbling import rotor_momentum
from dalembert.control.law_bases import _Stateless
from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.ports import Law
from dalembert.core.types import Array, Expression
from dalembert.core.validation import check_number
from dalembert.formulations.actuation import actuator_efforts
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.floating import free_base

__all__ = ["MeteredJets", "PulsedJets", "Unloading", "propellant_flow"]

STANDARD_GRAVITY = 9.80665


@dataclass(frozen=True)
class PulsedJets:
    """A law whose nozzles fire fully or not at all, at least one least pulse at a time.

    Pulse-frequency modulation: each nozzle owes the impulse that the law behind has commanded and that was not fired
    yet. It opens once it owes that of a least pulse, stays open for that long at least, and fires its limit
    ``effort`` then. In the mean it gives the thrust of the law, with an error of less than two least pulses. The state
    ``propellant`` is the mass that all thrusters have used, ``1 / (g0 Isp)`` times the integral of their thrust.

    Parameters
    ----------
    law
        The law behind, an expression law; it asks nozzles (`Thruster(one_sided=True)`) for thrusts >= 0.
    period
        Period of the `Sampled` law that this one runs in [s].
    least_pulse
        Least time that a nozzle is open [s], at least the period.
    specific_impulse
        ``Isp`` [s]; ``g0`` is 9.80665 m/s2.

    Examples
    --------
    >>> from dalembert import control
    >>> law = control.Feedforward({"jet": 0.3})
    >>> PulsedJets(law, period=0.01, least_pulse=0.02).least_pulse
    0.02
    """

    law: Law
    period: float
    least_pulse: float
    specific_impulse: float = 220.0

    def __post_init__(self) -> None:
        if not isinstance(self.law, Law) or getattr(self.law, "sampled", None) is not None:
            raise InputError(f"PulsedJets needs an expression law, got {self.law!r}")
        for name in ("period", "least_pulse", "specific_impulse"):
            object.__setattr__(self, name, check_number(f"{name} of PulsedJets", getattr(self, name), unit="s"))
        if self.least_pulse < self.period * (1.0 - 1e-9):
            raise InputError(
                f"least_pulse of PulsedJets must be at least the period of the law, {self.period:g} s, got "
                f"{self.least_pulse:g} s"
            )

    def _nozzles(self, eom: EquationsOfMotion) -> list[tuple[str, int, float]]:
        """Name, row and thrust of the nozzles."""
        rows = []
        for x in eom.machine.thrusters:
            if x.one_sided:
                if not np.isfinite(x.effort):
                    raise InputError(f"thruster '{x.name}' has no limit: a nozzle that is on or off needs its thrust")
                rows.append((x.name, eom.u_names.index(x.name), float(x.effort)))
        if not rows:
            raise InputError(f"machine '{eom.machine.name}' has no thrusters that only push (one_sided=True)")
        return rows

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """States of the law, impulse owed and time left open of each nozzle, and the propellant used [kg]."""
        nozzles = [n for n, _, _ in self._nozzles(eom)]
        kinds = (f"{kind}.{n}" for kind in ("owed", "open") for n in nozzles)
        return (*self.law.state_names(eom), *kinds, "propellant")

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """Those of the law; all nozzles closed, nothing used."""
        return np.concatenate([self.law.initial_state(eom), np.zeros(2 * len(self._nozzles(eom)) + 1)])

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs, and rates of the states by Euler's method."""
        nozzles, h, least = self._nozzles(eom), self.period, self.least_pulse
        inner = len(self.law.state_names(eom))
        u, zdot = self.law.expression(eom, t, q, v, z[:inner] if inner else ca.SX(0, 1), p)
        u, n = ca.SX(u), len(nozzles)
        owed, left = z[inner : inner + n], z[inner + n : inner + 2 * n]
        rates_owed, rates_left = [], []
        for k, (_, row, thrust) in enumerate(nozzles):
            wanted = ca.fmin(ca.fmax(u[row], 0.0), thrust)
            now = ca.fmin(owed[k] + wanted * h, 2.0 * thrust * (least + h))  # what cannot be fired is forgotten
            opens = ca.logic_and(left[k] < 0.5 * h, now >= thrust * least * (1.0 - 1e-9))
            remaining = ca.if_else(opens, least, left[k])
            fires = remaining > 0.5 * h
            u[row] = ca.if_else(fires, thrust, 0.0)
            rates_owed.append((now - ca.if_else(fires, thrust * h, 0.0) - owed[k]) / h)
            rates_left.append((ca.fmax(remaining - h, 0.0) - left[k]) / h)
        flow = propellant_flow(eom, u, self.specific_impulse, None)
        return u, ca.vertcat(zdot, *rates_owed, *rates_left, flow)


def propellant_flow(eom: EquationsOfMotion, u: Expression, specific_impulse: float, lever: float | None) -> Expression:
    """Mass per second that the thrusters use: ``1 / (g0 Isp)`` times the sum of their thrusts.

    The thrust of a unit input is the size of its force. A thruster without force stands for nozzles with a lever arm:
    its thrust is the torque over ``lever``; None: it is not counted.
    """
    sizes = []
    for x in eom.machine.thrusters:
        force, torque = (float(np.linalg.norm([nominal(c) for c in y])) for y in (x.force, x.torque))
        sizes.append(force if force > 0.0 or lever is None else torque / lever)
    efforts = actuator_efforts(eom.machine, u, eom.symbolic.value, lambda joint: ca.SX(0.0))[len(eom.machine.motors) :]
    thrust = ca.dot(ca.DM(sizes), ca.fabs(ca.vertcat(*efforts))) if sizes else ca.SX(0.0)
    return thrust / (STANDARD_GRAVITY * specific_impulse)


@dataclass(frozen=True)
class MeteredJets:
    """A law whose thrusters are metered: the state ``propellant`` is the mass that they have used [kg].

    Parameters
    ----------
    law
        The law behind, an expression law.
    specific_impulse
        ``Isp`` [s]; ``g0`` is 9.80665 m/s2.
    lever
        Lever arm [m] of the nozzles behind thrusters that give a torque alone; None: these are not counted.

    Examples
    --------
    >>> from dalembert import control
    >>> MeteredJets(control.Feedforward({"jet": 0.3}), specific_impulse=300.0).state_names(None)
    ('propellant',)
    """

    law: Law
    specific_impulse: float = 220.0
    lever: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.law, Law) or getattr(self.law, "sampled", None) is not None:
            raise InputError(f"MeteredJets needs an expression law, got {self.law!r}")
        check_number("specific_impulse of MeteredJets", self.specific_impulse, unit="s")
        if self.lever is not None:
            check_number("lever of MeteredJets", self.lever, unit="m")

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """States of the law, and the propellant used [kg]."""
        return (*self.law.state_names(eom), "propellant")

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """Those of the law; nothing used."""
        return np.concatenate([self.law.initial_state(eom), np.zeros(1)])

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs, and rates of the states."""
        inner = len(self.law.state_names(eom))
        u, zdot = self.law.expression(eom, t, q, v, z[:inner] if inner else ca.SX(0, 1), p)
        return u, ca.vertcat(zdot, propellant_flow(eom, ca.SX(u), self.specific_impulse, self.lever))


@dataclass(frozen=True)
class Unloading(_Stateless):
    """Thrusters take momentum out of the wheels or gyros of a base: a torque ``-gain h`` against their momentum ``h``.

    With ``keep`` the torque is ``-gain (h - keep h / |h|)``, and none while ``|h|`` is below it: thrusters fire only
    when the wheels are near their limits.

    A law that holds the attitude by the wheels, such as `BasePD`, brakes them meanwhile: use the sum of both,
    ``Together([BasePD(...), Unloading(0.02)])``.

    Parameters
    ----------
    gain
        Rate at which the momentum goes [1/s].
    joint
        The free joint; needed where there is more than one.
    keep
        Momentum that stays in the wheels [N m s].

    Examples
    --------
    >>> Unloading(0.02, joint="base").gain
    0.02
    """

    gain: float
    joint: str | None = None
    keep: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("gain of Unloading", self.gain, unit="1/s")
        if check_number("keep of Unloading", self.keep, positive=False) < 0.0:
            raise InputError(f"keep of Unloading must be >= 0 N m s, got {self.keep:g}")

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs as expressions."""
        base = free_base(eom, self.joint)
        shared = allocate(eom, base, need=())
        if not shared.wheels and not shared.gyros:
            raise InputError(
                f"machine '{eom.machine.name}' has no reaction wheels or gyros that span all directions to unload"
            )
        h = rotor_momentum(eom, base, q, v)
        if self.keep > 0.0:
            h = h * ca.fmax(1.0 - self.keep / ca.fmax(ca.norm_2(h), 1e-9), 0.0)
        jets = allocate(eom, base, need=("torque",), wheels=False)
        return ca.SX(jets.expression(ca.vertcat(ca.SX.zeros(3), -self.gain * h))), ca.SX(0, 1)
