"""A planned capture refined by direct collocation: the motion of the whole robot with least effort, within limits.

The plan is a path of least jerk of the tip (SPACE 7.46); its motion of base and joints starts the solver. Only the path
is free: start, meeting and the velocities there stay.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError, PlanError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array, Expression
from dalembert.core.validation import check_number
from dalembert.formulations.equations import MachineOrEquations
from dalembert.formulations.factorization import solve_spd
from dalembert.model.geometry import Geometry
from dalembert.optimal.motion import OptimalMotion, optimal_motion
from dalembert.plan.held_base import ArmMotion, HeldBase, held_base
from dalembert.plan.robot_capture import RobotCapture, judge_motion
from dalembert.plan.robot_limits import RobotLimits, Verdict

__all__ = ["RefinedCapture", "refine_capture"]

_COARSE = 1e-3  # metres and radians per interval by which a grid may miss the equations of motion
_ROUNDING = 1e-6  # part of a limit that the solver's tolerance may pass it by


@dataclass(frozen=True)
class RefinedCapture:
    """A refined plan.

    Attributes
    ----------
    motion
        Coordinates, velocities and inputs of the whole robot up to the meeting.
    verdicts
        Every limit with its use by the motion.
    effort
        Integral of the squared efforts of base and joints, of the plan and of the refined motion.
    """

    motion: OptimalMotion
    verdicts: tuple[Verdict, ...]
    effort: tuple[float, float]


def refine_capture(
    robot: MachineOrEquations,
    capture: RobotCapture,
    *,
    frame: str = "tip",
    limits: RobotLimits | None = None,
    attitude: float = np.radians(0.1),
    intervals: int = 24,
    geometry: Geometry | tuple[Geometry, ...] = (),
    radius: float = 0.08,
) -> RefinedCapture:
    """Refine a capture: least effort of joints and base from start to meeting.

    Torques and joint angles are limits of the solver, the base keeps its attitude within ``attitude``, and the sum of
    ``1 / s^2`` over the singular values of the tip's Jacobian stays below that of the limit or of the plan, whichever
    is larger. Clearance, and the rest once more, is judged afterwards as that of a plan is.

    Parameters
    ----------
    robot
        The rigid robot of the plan, or its equations, with thrusters on its base.
    capture
        The plan, of `plan_robot_capture`.
    frame, limits, geometry, radius
        As in `plan_robot_capture`.
    attitude
        Largest angle by which the base may turn on the way [rad].
    intervals
        Number of intervals of the grid.

    Raises
    ------
    PlanError
        If no motion is found, the grid is too coarse for it, or it breaks a limit.
    """
    if not isinstance(capture, RobotCapture):
        raise InputError(f"capture must be a RobotCapture, as plan_robot_capture returns, got {capture!r}")
    limits = RobotLimits() if limits is None else limits
    held = held_base(robot, frame)
    if held.task != "pose" or len(held.names) != 6:
        raise InputError(
            f"refine_capture needs an arm with 6 joints; machine '{held.eom.machine.name}' has {len(held.names)}"
        )
    eom, T = held.eom, capture.duration
    base, rows, _ = held.rows
    end = int(np.argmin(np.abs(capture.t - T)))
    q = np.array([np.interp(T, capture.t, y) for y in capture.q.T])
    v = np.zeros(eom.nv)
    v[rows] = [np.interp(T, capture.t, y) for y in capture.motion.rates.T]
    M = eom.mass_matrix(q)
    v[base[:3]] = -np.linalg.solve(M[np.ix_(base[:3], base[:3])], M[np.ix_(base[:3], rows)] @ v[rows])

    def guess(t: Array) -> Array:
        return np.column_stack([np.interp(t, capture.t, y) for y in capture.q.T])

    singular = np.linalg.svd(held.tip(capture.motion.joints[: end + 1])[1], compute_uv=False)
    most = max(
        1.0 / limits.singularity**2 if limits.singularity else np.inf, float((singular**-2.0).sum(axis=-1).max())
    )

    def keep(t: Expression, q: Expression, v: Expression, u: Expression) -> Expression:
        J = held.tip_jacobian(q[held.rows[2].tolist()])
        return ca.trace(solve_spd(J @ J.T, ca.SX.eye(6))) / most - 1.0

    motion = optimal_motion(
        eom, capture.q[0], q, duration=T, intervals=intervals, end_rate=v, guess=guess, keep=keep,
        limits=_ranges(held, capture, limits, check_number("attitude", attitude, unit="rad")),
    )  # fmt: skip
    if motion.error > _COARSE:
        raise PlanError(
            f"a grid of {intervals} intervals is too coarse: from one of its nodes the robot misses the next one by "
            f"{motion.error:.2g} m or rad (limit {_COARSE:g}); give more intervals"
        )
    forces = eom.inverse_dynamics(motion.q, motion.v, motion.a)
    moved = ArmMotion(motion.q[:, held.rows[2]], motion.v[:, rows], motion.a[:, rows], forces, np.zeros(len(motion.t)))
    verdicts = judge_motion(
        eom, capture.body, capture.q[0], motion.t, moved, frame=frame, limits=limits, geometry=geometry, radius=radius
    )
    broken = [v for v in verdicts if not v.slack > -_ROUNDING]
    if broken:
        what = "; ".join(f"{v.name} {v.value:.3g} (limit {v.limit:.3g}) {v.unit}".rstrip() for v in broken)
        raise PlanError(f"the refined motion breaks limits that the plan keeps: {what}")
    before = _integral(capture.t[: end + 1], capture.motion.effort[: end + 1])
    return RefinedCapture(motion, verdicts, (before, _integral(motion.t, forces)))


def _ranges(held: HeldBase, capture: RobotCapture, limits: RobotLimits, turn: float) -> dict[str, tuple[float, float]]:
    """Ranges of inputs, joints and the attitude of the base, by name."""
    eom, use = held.eom, 1.0 - limits.reserve
    machine = eom.machine
    ranges = dict.fromkeys(held.names, (-limits.joint_range, limits.joint_range))
    torques = np.broadcast_to(np.array(limits.joint_torque), (len(held.names),)).tolist()
    for motor in machine.motors:
        most = use * torques[held.names.index(motor.joint)] / abs(nominal(motor.ratio))
        ranges[f"u.{motor.name}"] = (-most, most)
    child = machine.tree.frames[machine.joint(held.base).child][0]
    turning = [x for x in machine.thrusters if machine.tree.frames[x.frame][0] == child and any(map(nominal, x.torque))]
    if not turning:
        raise InputError(f"machine '{machine.name}' has no thrusters that turn its base: nothing can hold its attitude")
    for thruster in turning:
        most = use * float(np.min(limits.base_torque)) / max(abs(nominal(x)) for x in thruster.torque)
        ranges[f"u.{thruster.name}"] = (0.0 if thruster.one_sided else -most, most)
    start = next(i for joint, i in eom.layout.quaternions if joint == held.base)
    room = turn / (2.0 * np.sqrt(3.0))  # of each component, so that all three together turn by no more
    for name, x in zip(eom.q_names[start : start + 4], capture.attitude, strict=True):
        ranges[name] = (float(x) - room, float(x) + room)
    return ranges


def _integral(t: Array, efforts: Array) -> float:
    """Integral of squared efforts, by trapezia."""
    y = np.sum(efforts**2, axis=-1)
    return float(np.sum(0.5 * (y[1:] + y[:-1]) * np.diff(t)))
