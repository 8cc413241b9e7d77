"""Robust gains of a capture: joints and base tuned together on the flexible chaser in several postures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.analysis.linear_at_rest import linear_matrices
from dalembert.control.structured import Gain, Structure, Tunable, TuneResult, gains, tune
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.core.validation import check_number
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.machine import Machine
from dalembert.systems.space_robots.feedback import CaptureFeedback, CaptureGains
from dalembert.systems.space_robots.gripper import locked_fingers
from dalembert.systems.space_robots.settings import derived_gains, stable_period
from dalembert.systems.space_robots.start import CaptureStart
from dalembert.systems.space_robots.twins import ChaserTwins, chaser_twins

__all__ = ["RobustCapture", "capture_plant", "tune_capture"]


@dataclass(frozen=True, eq=False)
class RobustCapture:
    """Gains of a capture that were tuned in several postures.

    Attributes
    ----------
    gains
        Settings of the loops with the tuned law, for `fly_capture`.
    result
        The tuning: its certified requirements by posture, status and message.
    usual
        Largest requirement with the gains that `fly_capture` derives by itself.
    postures
        Postures of the joints (count, n).
    """

    gains: CaptureGains
    result: TuneResult
    usual: float
    postures: Array

    @property
    def worst(self) -> float:
        """Largest requirement with the tuned gains, a proven bound."""
        return self.result.soft


def capture_plant(
    eom: EquationsOfMotion, twins: ChaserTwins, posture: Array, omega: Array, damping: Array, p: Array
) -> Any:
    """Linear chaser at rest in a posture: accelerations ``w`` and torques ``f`` to ``z``, angles ``x`` and rates ``v``.

    ``z = a + 2 xi omega v + omega^2 x`` of the joints and of the attitude of the base is the acceleration weighted by
    SPACE (8.11). Coordinates without stiffness that no loop holds (the place of the base, wheels, gyros) are
    eliminated: they follow by the conservation of momentum.

    Parameters
    ----------
    eom, twins
        Equations of the chaser as it flies, and its models.
    posture
        Joints, in the order of the models.
    omega, damping
        Frequencies [rad/s] and damping ratios of the weights: joints, then the base (n + 3).
    p
        Values of the parameters.
    """
    import control

    q = eom.q_neutral.copy()
    q[[eom.q_names.index(n) for n in twins.joints]] = posture
    M, C, K = linear_matrices(eom, q, p)
    base = next(b for b in eom.layout.blocks if b.name == twins.base).v
    held = [eom.v_names.index(f"{n}_dot") for n in twins.joints] + list(range(base.start + 3, base.stop))
    driven = {m.joint for m in eom.machine.motors}
    size = max(float(np.abs(K).max()), 1e-12)
    soft = [
        k
        for b in eom.layout.blocks
        if b.name not in driven and b.name != twins.base
        for k in range(b.v.start, b.v.stop)
        if np.abs(K[k]).max() > 1e-9 * size
    ]
    kept = [*held, *soft]
    loose = [k for k in range(eom.nv) if k not in kept]
    across = M[np.ix_(loose, kept)]
    inverse = np.linalg.inv(M[np.ix_(kept, kept)] - across.T @ np.linalg.solve(M[np.ix_(loose, loose)], across))
    n, m = len(kept), len(held)
    one = np.eye(n)[:m]
    motion = -inverse @ np.hstack([K[np.ix_(kept, kept)], C[np.ix_(kept, kept)]])
    drive = np.hstack([np.eye(n)[:, :m], inverse[:, :m]])
    weighted = motion[:m] + np.hstack([omega[:, None] ** 2 * one, 2.0 * (damping * omega)[:, None] * one])
    return control.ss(
        np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), motion]),
        np.vstack([np.zeros((n, 2 * m)), drive]),
        np.vstack([weighted, np.kron(np.eye(2), one)]),
        np.vstack([drive[:m], np.zeros((2 * m, 2 * m))]),
        inputs=[f"{s}{k}" for s in "wf" for k in range(m)],
        outputs=[f"{s}{k}" for s in "zxv" for k in range(m)],
    )


def _structure(first: Array, most: float) -> Structure:
    """Own gains of each joint and axis of the base, up to ``most`` times the first ones (2, n) and as far below."""

    def gain(i: int, term: int) -> Tunable:
        x = float(first[term, i])
        return Tunable(f"K{'pd'[term]}{i}", x, x / most, most * x, x)

    return gains({f"f{i}": {f"{'xv'[term]}{i}": gain(i, term) for term in (0, 1)} for i in range(first.shape[1])})


def _postures(machine: Machine, twins: ChaserTwins, first: Array, spread: float, count: int) -> Array:
    """The first posture, and others around it within the ranges of the joints."""
    rng = np.random.default_rng(0)
    drawn = np.vstack([first, *(first + rng.uniform(-spread, spread, len(first)) for _ in range(count - 1))])
    limits = [machine.joint(n).limits for n in twins.joints]
    return np.clip(drawn, [float(x.lower) for x in limits], [float(x.upper) for x in limits])


def tune_capture(
    chaser: Machine,
    start: CaptureStart,
    *,
    spread: float = 0.5,
    count: int = 3,
    most: float = 3.0,
    evaluations: int = 600,
    parameters: Sequence[Mapping[str, float]] = (),
) -> RobustCapture:
    """Tune the gains of joints and base of a chaser for its capture, for several postures together.

    Structured synthesis (`dalembert.control.structured.tune`) minimises the largest gain from disturbing accelerations
    of the arm, and of the base, to the same accelerations weighted by SPACE (8.11), up to the frequency of the loop; on
    the flexible chaser with its rotors, linearised in each posture. The first numbers are the gains that `fly_capture`
    derives; the period of the law is one at which the sampled law is stable in every posture, also with gains half as
    large again.

    Parameters
    ----------
    chaser, start
        As for `fly_capture`.
    spread, count
        Postures: that of the start and others within this distance of it [rad, m], ``count`` in all.
    most
        How far a gain may go from the first one, as a factor: sensors are noisy, and thrusters follow their noise.
    evaluations
        Evaluations of the search, of which each looks at all postures.
    parameters
        Values of the chaser's parameters for which all postures are tuned as well as for the nominal ones.

    Raises
    ------
    InputError
        If no period makes the tuned law stable.

    Examples
    --------
    >>> from dalembert.systems.space_robots import CaptureStart, three_joint_chaser, tune_capture
    >>> start = CaptureStart(joints={"theta1": 0.3, "theta2": 0.8, "theta3": -1.2})
    >>> tuned = tune_capture(three_joint_chaser(), start, count=1, evaluations=15)
    >>> tuned.result.certified, tuned.worst < tuned.usual
    (True, True)
    """
    check_number("spread of tune_capture", spread, positive=False)
    if check_number("most of tune_capture", most) <= 1.0:
        raise InputError(f"most of tune_capture must be above 1, got {most:g}")
    if count < 1:
        raise InputError(f"count of tune_capture must be at least 1, got {count!r}")
    locked = chaser if start.gripper is None else locked_fingers(chaser, start.gripper)
    twins = chaser_twins(locked, start.tip, start.approach, start.task)
    usual, eom = derived_gains(twins, start), derive(twins.machine)
    posture = start.posture(twins.joints, f"machine '{twins.machine.name}'")
    law = CaptureFeedback.tuned(twins.rigid, usual, posture)
    first = np.array([[*law.kp, *law.base_kp], [*law.kd, *law.base_kd]], dtype=float)
    n = len(twins.joints)
    omega = np.array([usual.arm] * n + [usual.base] * 3)
    damping = np.array([usual.arm_damping] * n + [usual.base_damping] * 3)
    postures = _postures(twins.machine, twins, posture, spread, count)
    values = [eom.parameter_values(dict(x)) for x in ({}, *parameters)]
    plants = {
        f"posture {k + 1}" + (f", parameters {j}" if j else ""): capture_plant(eom, twins, x, omega, damping, p)
        for j, p in enumerate(values)
        for k, x in enumerate(postures)
    }
    blocks = {"arm": (range(n), usual.arm), "base": (range(n, n + 3), usual.base)}
    asked = [
        Gain([f"w{k}" for k in rows], [f"z{k}" for k in rows], band=(0.0, top), name=name)
        for name, (rows, top) in blocks.items()
    ]
    structure = _structure(first, most)
    before = tune(plants, _structure(first, 1.0 + 1e-6), soft=asked, starts=1, evaluations=1)
    result = tune(plants, structure, soft=asked, starts=1, evaluations=evaluations)
    if result.status == "unstable":
        raise InputError(f"no gains of machine '{twins.machine.name}' are stable in all postures: {result.message}")
    tuned = [[result.values[f"K{x}{i}"] for i in range(n + 3)] for x in "pd"]
    kp, kd = (tuple(row[:n]) for row in tuned)
    base_kp, base_kd = (tuple(row[n:]) for row in tuned)
    robust = replace(law, kp=kp, kd=kd, base_kp=base_kp, base_kd=base_kd)
    period = usual.period
    for p in values:
        for x in postures:
            q = eom.q_neutral.copy()
            q[[eom.q_names.index(name) for name in twins.joints]] = x
            found = stable_period(eom, q, p, robust, period)
            if found is None:
                raise InputError(
                    f"the tuned gains of machine '{twins.machine.name}' are unstable as a sampled law: take a smaller "
                    f"most than {most:g}, or give the joints the armature of their rotors"
                )
            period = found
    settings = replace(usual, period=period, every=round(usual.every * usual.period / period), law=robust)
    return RobustCapture(settings, result, before.soft, postures)
