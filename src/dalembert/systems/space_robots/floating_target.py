"""Target point on a debris of any kind that floats on its own: from position to jerk, over the time of a capture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array, StateLike
from dalembert.core.validation import check_number
from dalembert.formulations.equations import EquationsOfMotion, MachineOrEquations, Parameters, derive
from dalembert.loop.experiment import Start, experiment_of
from dalembert.loop.experiment_keywords import ExperimentKeywords
from dalembert.loop.simulate import run_experiment
from dalembert.plan.pose import PoseMotion, grip_rotation
from dalembert.plan.tumbling import PointMotion
from dalembert.simulation.methods import DormandPrince

__all__ = ["FloatingTarget"]


@dataclass(frozen=True, eq=False)
class FloatingTarget:
    """Motion of a target point on a machine that nothing drives: the counterpart of `dalembert.plan.TumblingBody`.

    The machine is simulated once. At every ``step`` the pose of the frame and its first three derivatives are those of
    the equations of motion, differentiated along the motion; between steps they are joined by polynomials.

    Parameters
    ----------
    machine
        The debris, or its equations; rigid or flexible.
    q0, v0
        State at time zero, as in `dalembert.simulate`.
    duration
        For how long [s].
    frame
        The target.
    p
        Parameter values.
    step
        Between the times at which the motion is computed [s].

    Examples
    --------
    >>> from dalembert.systems.space_robots import debris, tumbling_debris
    >>> body = FloatingTarget(debris(), None, {"debris.wx": -0.15, "debris.wy": 0.05}, 2.0)
    >>> jerk = tumbling_debris((-0.15, 0.05, 0.0)).target(1.234).jerk
    >>> bool(abs(body.target(1.234).jerk - jerk).max() < 1e-7)
    True
    """

    machine: MachineOrEquations
    q0: StateLike
    v0: StateLike
    duration: float
    frame: str = "target"
    p: Parameters = None
    step: float = 0.02
    _curve: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        equations = self.machine if isinstance(self.machine, EquationsOfMotion) else derive(self.machine)
        eom = equations if equations.formulation.machine_coordinates else equations.in_machine_coordinates()
        machine = eom.machine
        duration = check_number("duration of a FloatingTarget", self.duration, unit="s")
        step = check_number("step of a FloatingTarget", self.step, unit="s")
        if self.frame not in machine.tree.frames:
            raise UnknownNameError("frame", self.frame, machine.tree.frames, f"machine '{machine.name}'")
        if machine.constrained:
            raise InputError(f"a FloatingTarget needs a machine without constraints; machine '{machine.name}' has some")
        count = max(int(np.ceil(duration / step - 1e-9)), 1)
        flight: ExperimentKeywords = {
            "start": Start(self.q0, self.v0), "p": self.p, "method": DormandPrince(rtol=1e-11, atol=1e-12),
            "duration": duration, "record": duration / count,
        }  # fmt: skip
        run = run_experiment(experiment_of(eom, flight))
        states = np.hstack([run.array(machine.q_names), run.array(machine.v_names)])
        values = _derivatives(eom, self.frame, eom.parameter_values(self.p)).map(len(run.t))(run.t[None, :], states.T)
        from scipy.interpolate import BPoly

        nodes = np.array(values).T.reshape(len(run.t), 4, 12)
        object.__setattr__(self, "_curve", BPoly.from_derivatives(run.t, nodes))

    def _at(self, t: ArrayLike, count: int) -> list[Array]:
        """Position and rotation (12) at times and their first derivatives."""
        try:
            s = np.asarray(t, dtype=float)
        except (TypeError, ValueError):
            s = np.array(np.nan)
        if not s.size or not np.isfinite(s).all() or s.min() < -1e-9 or s.max() > self.duration * (1.0 + 1e-9):
            raise InputError(f"the motion of the target is known from 0 to {self.duration:g} s, got {t!r}")
        return [np.asarray(self._curve(s, nu=k)) for k in range(count)]

    def target(self, t: ArrayLike) -> PointMotion:
        """Motion of the target point in world axes, for `dalembert.plan.plan_capture`."""
        return PointMotion(*(y[..., :3] for y in self._at(t, 4)))

    def grip(self, rotation: ArrayLike | None = None) -> Callable[[ArrayLike], PoseMotion]:
        """Motion of a grip at the target, for `dalembert.plan.meet_pose`: a function of time.

        Parameters
        ----------
        rotation
            The grip, see `dalembert.plan.grip_rotation`, of the frame; None: the attitude of the frame.
        """
        grip = grip_rotation(rotation)

        def motion(t: ArrayLike) -> PoseMotion:
            y = self._at(t, 3)
            x, v, a = (z[..., :3] for z in y)
            # columns of the rotation follow each other; the error of orthogonality of the polynomials is taken out
            R, D, DD = (np.swapaxes(z[..., 3:].reshape(*z.shape[:-1], 3, 3), -1, -2) for z in y)
            R = R @ (1.5 * np.eye(3) - 0.5 * np.swapaxes(R, -1, -2) @ R)
            turn = np.swapaxes(R, -1, -2)
            w = _vee(D @ turn)
            return PoseMotion(x, v, a, R @ grip, w, _vee(DD @ turn + D @ np.swapaxes(D, -1, -2)))

        return motion


def _vee(W: Array) -> Array:
    """Vector of the skew part of matrices."""
    parts = [W[..., i, j] - W[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0))]
    return np.asarray(0.5 * np.stack(parts, axis=-1))


def _derivatives(eom: EquationsOfMotion, frame: str, p: Array) -> ca.Function:
    """Pose of a frame and its first three derivatives along the motion, with all inputs off, from time and state."""
    s = eom.symbolic
    rest = ca.densify(ca.substitute(s.applied, s.u, ca.DM.zeros(eom.nu)))
    acceleration = ca.substitute(s.forward_dynamics, s.tau, rest)
    X = s.pose(frame)
    y = ca.densify(ca.vertcat(X[:3, 3], ca.vec(X[:3, :3])))
    state, rates = ca.vertcat(s.q, s.v, s.t), ca.vertcat(s.coordinate_rate, acceleration, 1.0)
    parts = [y]
    for _ in range(3):
        parts.append(ca.jtimes(parts[-1], state, rates))
    motion = ca.Function("motion", [s.t, s.q, s.v, s.p], [ca.densify(ca.vertcat(*parts))])
    t, x = ca.SX.sym("t"), ca.SX.sym("x", eom.nq + eom.nv)
    return ca.Function("motion", [t, x], [motion(t, x[: eom.nq], x[eom.nq :], ca.DM(p))])
