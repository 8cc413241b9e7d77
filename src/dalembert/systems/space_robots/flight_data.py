"""Data that all phases of one capture share: its phases, machines, laws and runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.allocation import allocate
from dalembert.control.cascade import Cascade
from dalembert.control.nozzles import MeteredJets, PulsedJets, Unloading
from dalembert.control.spacecraft import Together
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.parameter import nominal
from dalembert.core.ports import Law
from dalembert.core.types import Array
from dalembert.core.validation import check_number
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.loop.experiment import Start, experiment_of
from dalembert.loop.experiment_keywords import ExperimentKeywords
from dalembert.loop.simulate import run_experiment
from dalembert.model.machine import Machine
from dalembert.model.orbit import Orbit
from dalembert.model.orbiting import in_orbit
from dalembert.plan.robot_limits import RobotLimits
from dalembert.simulation.methods import RK4
from dalembert.simulation.run import Run
from dalembert.systems.space_robots.debris_twin import DebrisTwin
from dalembert.systems.space_robots.feedback import CaptureFeedback, CaptureGains
from dalembert.systems.space_robots.scene import captured_stack, flying_scene
from dalembert.systems.space_robots.sensors import CaptureSensors, SensorNoise
from dalembert.systems.space_robots.settings import time_step
from dalembert.systems.space_robots.start import CaptureStart
from dalembert.systems.space_robots.twins import ChaserTwins

__all__ = ["CapturePhases", "Flight", "feedback_of", "rigid_stack", "true_stack"]

_UNLOAD = (0.02, 0.6)  # rate at which wheels are unloaded [1/s], and the part of their momentum that stays


@dataclass(frozen=True)
class CapturePhases:
    """The phases of a capture.

    Parameters
    ----------
    watch
        How long the debris is watched before the plan [s].
    hold
        How long the tip goes with the debris before the grip closes [s].
    detumble
        Whether the grip closes and the stack is brought to rest.
    record
        Interval of the recorded rows [s].
    step
        Longest step of the integration [s]; None: a millisecond, or shorter where something bends fast, and two where
        the arms rest. The balances of `mission_balance` are those of the step.
    hold_point
        Distance of the base from the centre of the debris at which the mission begins [m]: from there the chaser
        watches, flies around the debris to the side of the plan and on to it through a corridor, by its thrusters.
        None: it begins at the side of the plan, at the distance of the arm, without flying there.
    orbit
        Orbit of the debris, which needs a hold point: tide and gravity gradient act on everything from there on, and
        the plan of the way knows them. None: free space.
    keep_out, corridor
        Radius around the debris that the base enters in the corridor only [m], and half angle of the corridor [rad];
        None: 1.3 times the distance at which the arm begins.
    least_pulse
        Least time that a nozzle is open [s]: nozzles (`Thruster(one_sided=True)`) then fire fully or not at all. None:
        thrust is continuous.
    specific_impulse, lever
        Specific impulse ``Isp`` of the propellant [s], and the lever arm [m] of the nozzles behind thrusters that give
        a torque alone.
    tank
        Parameter of the chaser that is the mass of its propellant [kg]: each phase begins with the mass that the
        phases before have left. None: the mass stays.
    attitude
        Quaternion (w, x, y, z) of the base, in world axes, into which the stack is turned after it has come to rest;
        None: it stays as it is.

    Examples
    --------
    >>> from dalembert.systems.space_robots import CapturePhases
    >>> CapturePhases(watch=60.0, hold_point=30.0).detumble
    True
    """

    watch: float = 90.0
    hold: float = 10.0
    detumble: bool = True
    record: float = 0.05
    step: float | None = None
    hold_point: float | None = None
    orbit: Orbit | None = None
    keep_out: float | None = None
    corridor: float = float(np.radians(15.0))
    least_pulse: float | None = None
    specific_impulse: float = MeteredJets.specific_impulse
    lever: float = 0.85
    tank: str | None = None
    attitude: ArrayLike | None = None

    def __post_init__(self) -> None:
        if self.attitude is not None:
            Q = np.asarray(self.attitude, dtype=float)
            if Q.shape != (4,) or not abs(float(np.linalg.norm(Q)) - 1.0) < 1e-6:
                raise InputError(f"attitude of CapturePhases must be a unit quaternion, got {self.attitude!r}")
            object.__setattr__(self, "attitude", tuple(Q.tolist()))
        for name in ("step", "hold_point", "keep_out", "corridor", "least_pulse", "specific_impulse", "lever"):
            if getattr(self, name) is not None:
                check_number(f"{name} of CapturePhases", getattr(self, name))
        if self.orbit is not None and not isinstance(self.orbit, Orbit):
            raise InputError(f"orbit of CapturePhases must be an Orbit, got {self.orbit!r}")
        if self.orbit is not None and self.hold_point is None:
            raise InputError("a mission in an orbit begins at a hold point: give hold_point, such as 30 m")


@dataclass(frozen=True)
class Flight:
    """Data that all phases of one capture share."""

    start: CaptureStart
    twins: ChaserTwins
    debris: DebrisTwin
    phases: CapturePhases
    sensors: CaptureSensors
    gains: CaptureGains
    limits: RobotLimits
    derived: bool
    say: Callable[[str], object]
    loose: Machine | None = None  # the chaser with moving fingers; None: without a gripper

    def __post_init__(self) -> None:
        if self.full_tank < 0.0:
            raise InputError(f"parameter '{self.phases.tank}', the propellant, must be >= 0 kg, got {self.full_tank:g}")

    @property
    def posture(self) -> Array:
        """Joints at the start."""
        return self.start.posture(self.twins.joints, f"machine '{self.twins.machine.name}'")

    @property
    def tuned_at(self) -> tuple[float, ...]:
        """Joints at which the gains are those of the settings."""
        named = self.start.joints if self.start.tuned_at is None else self.start.tuned_at
        return tuple(float(named.get(name, 0.0)) for name in self.twins.joints)

    @property
    def scene(self) -> EquationsOfMotion:
        """Equations before the grip."""
        return _scene(
            self.twins, self.debris, self.sensors.noise, (self.gains.period, self.start.eye, self.phases.orbit)
        )

    @property
    def mount(self) -> Array:
        """Pose (4 x 4) of the camera in axes of the base."""
        q, eye = self.scene.q_neutral, "eye" if self.start.eye is None else self.start.eye
        return np.asarray(np.linalg.inv(self.scene.pose(self.twins.body, q)) @ self.scene.pose(eye, q))

    @property
    def base_start(self) -> dict[str, float]:
        """Attitude of the base and posture of the joints at the start, by name."""
        half = 0.5 * np.array(self.start.turn)
        Q = np.array([1.0, *half]) / np.sqrt(1.0 + half @ half)
        named = {f"{self.twins.base}.{n}": float(x) for n, x in zip(("qw", "qx", "qy", "qz"), Q, strict=True)}
        return {**named, **dict(zip(self.twins.joints, self.posture.tolist(), strict=True))}

    @property
    def spinning(self) -> dict[str, float]:
        """Rates of the rotors of gyros at the start, by name."""
        return dict(self.twins.spins)

    def truth(self, eom: EquationsOfMotion, used: float = 0.0) -> dict[str, float]:
        """True values of the parameters of equations, with the propellant that is left after some was used [kg]."""
        values = {k: float(x) for k, x in self.start.parameters.items() if k in eom.p_names}
        return values if self.phases.tank is None else {**values, self.phases.tank: self.full_tank - used}

    @property
    def full_tank(self) -> float:
        """Mass of the propellant at the begin [kg]; infinite where it is not modelled."""
        name = self.phases.tank
        if name is None:
            return np.inf
        known = {x.name: nominal(x) for x in self.twins.machine.parameters}
        if name not in known:
            raise UnknownNameError("parameter", name, known, f"machine '{self.twins.machine.name}'")
        return float(self.start.parameters.get(name, known[name]))

    def unloaded(self, law: Law) -> Law:
        """A law whose wheels or gyros thrusters unload when their momentum is near its limit, where it has both."""
        twins = self.twins
        if not (twins.allocation.wheels or twins.allocation.gyros) or not np.isfinite(twins.wheel_momentum):
            return law
        able = allocate(derive(twins.machine), twins.base, need=(), wheels=False)
        if any(x.startswith("torque") for x in able.missing):
            return law
        return Together([law, Unloading(_UNLOAD[0], twins.base, _UNLOAD[1] * twins.wheel_momentum)])

    def jets(self, law: Law, period: float | None = None) -> Law:
        """A law with its thrusters metered, or with nozzles that are on or off."""
        phases = self.phases
        if phases.least_pulse is not None:
            return PulsedJets(
                law, self.gains.period if period is None else period, phases.least_pulse, phases.specific_impulse
            )
        return MeteredJets(law, phases.specific_impulse, phases.lever) if self.twins.machine.thrusters else law

    def time_step(self, gains: CaptureGains | None = None, *, calm: bool = False) -> float:
        """Step of the integration, with the period of the law of some gains [s]."""
        return time_step(self.twins, self.debris, gains or self.gains, calm, self.phases.step)

    def run(
        self,
        control: Cascade,
        start: Start,
        duration: float,
        used: float = 0.0,
        fingers: Mapping[str, float] | None = None,
        *,
        calm: bool = False,
    ) -> Run:
        """Simulate the scene before the grip, with the mass that is left after some propellant was used [kg].

        ``fingers`` are parameters of fingers that are not open; in a ``calm`` run the arms rest.
        """
        scene = self.scene
        experiment: ExperimentKeywords = {
            "start": start,
            "p": {**self.truth(scene, used), **(fingers or {})},
            "control": control,
            "method": RK4(self.time_step(calm=calm)),
            "duration": duration,
            "record": self.phases.record,
            "seed": self.start.seed,
        }
        return run_experiment(experiment_of(scene, experiment), check=False)


def _orbiting(machine: Machine, orbit: Orbit | None) -> Machine:
    return machine if orbit is None else in_orbit(machine, orbit)


@lru_cache(maxsize=8)
def _scene(
    twins: ChaserTwins,
    debris: DebrisTwin,
    noise: SensorNoise | None,
    settings: tuple[float, str | None, Orbit | None],
) -> EquationsOfMotion:
    """The simulated machine; derived and compiled once."""
    period, eye, orbit = settings
    return derive(_orbiting(flying_scene(twins, debris, noise, period, eye), orbit))


@lru_cache(maxsize=32)
def feedback_of(twins: ChaserTwins, gains: CaptureGains, posture: tuple[float, ...]) -> CaptureFeedback:
    """The inner law."""
    if gains.law is not None:
        if gains.law.joints != twins.joints or gains.law.base != twins.base:
            raise InputError(
                f"the law of the gains is for the joints {', '.join(gains.law.joints)} on '{gains.law.base}', but "
                f"machine '{twins.machine.name}' has {', '.join(twins.joints)} on '{twins.base}'"
            )
        return gains.law
    return CaptureFeedback.tuned(twins.rigid, gains, np.array(posture))


@lru_cache(maxsize=8)
def true_stack(
    twins: ChaserTwins, debris: DebrisTwin, noise: SensorNoise | None, period: float, orbit: Orbit | None
) -> EquationsOfMotion:
    """The stack that is simulated."""
    whole, other = twins.machine, debris.machine
    stack = captured_stack(whole, None, other, noise=noise, period=period, frame=twins.frame, goal=debris.target)
    return derive(_orbiting(stack, orbit))


@lru_cache(maxsize=8)
def rigid_stack(twins: ChaserTwins, debris: DebrisTwin) -> EquationsOfMotion:
    """The nominal rigid stack that the chaser computes with."""
    whole, other = twins.rigid.eom.machine, debris.rigid.machine
    return derive(captured_stack(whole, None, other, frame=twins.frame, goal=debris.target))
