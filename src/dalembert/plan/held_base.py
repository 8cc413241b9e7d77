"""A robot on a free base whose attitude is held: without momentum its tip depends on the joints alone.

The centre of mass does not move, and the base is where the joints put it. Seen from the centre of mass the tip is a
function ``f(theta)`` of the joints, as that of a fixed arm (the virtual manipulator of Vafa and Dubowsky), and the base
needs torques but no force.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.compile import Kernel, compile_function
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array, Expression
from dalembert.core.validation import check_number
from dalembert.formulations.equations import EquationsOfMotion, MachineOrEquations, derive
from dalembert.formulations.floating import free_base
from dalembert.model.machine import Machine
from dalembert.plan.pose import PoseMotion
from dalembert.plan.tip_task import TASKS, Redundancy, chosen_task, linear_solver, task_error, task_rows

__all__ = ["ArmMotion", "HeldBase", "held_base", "way_to"]

_CLIP = 0.3  # largest step of a joint in one iteration [rad, m]
_REACTION = 20.0  # weight of the base's motion against that of the joints, where there is a choice
_RANGE = np.pi  # to either side, of a joint without limits


@dataclass(frozen=True)
class ArmMotion:
    """Motion of the joints along a path of the tip, and its effort; arrays have the leading axes of the path.

    Attributes
    ----------
    joints, rates, accelerations
        Angles, rates and accelerations of the joints, (..., n).
    effort
        Generalised forces (..., nv) in the machine's order: none on the base's translation, its torque in its own axes,
        and the torques of the joints.
    miss
        Distance [m] and angle [rad] by which the tip misses its path, the larger number, (...).
    """

    joints: Array
    rates: Array
    accelerations: Array
    effort: Array
    miss: Array


@dataclass(frozen=True)
class HeldBase:
    """Functions of the joints of a robot whose base keeps its attitude, in axes of the base at the centre of mass.

    Attributes
    ----------
    eom
        Equations of the robot.
    frame, base
        The tip, and the free joint.
    task
        Task of the tip: ``"pose"``, ``"axis"`` or ``"position"``.
    reaction
        Weight of the base's reaction among motions that serve the task alike; without effect where there is one only.
    """

    eom: EquationsOfMotion
    frame: str
    base: str
    task: str = "pose"
    reaction: float = _REACTION

    @cached_property
    def rows(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """Indices of the base's velocities, of the joints' velocities, and of the joints' coordinates."""
        blocks = {b.name: b for b in self.eom.layout.blocks}
        base = blocks.pop(self.base)
        joints = sorted(blocks.values(), key=lambda b: b.v.start)
        v = [i for b in joints for i in range(b.v.start, b.v.stop)]
        q = [i for b in joints for i in range(b.q.start, b.q.stop)]
        return np.arange(base.v.start, base.v.stop), np.array(v, dtype=np.intp), np.array(q, dtype=np.intp)

    @property
    def names(self) -> tuple[str, ...]:
        """The joints."""
        return tuple(self.eom.q_names[i] for i in self.rows[2])

    @cached_property
    def _symbols(self) -> tuple[Expression, Expression, Expression]:
        """Joints, whole configuration with the centre of mass at the origin, and where the base is then."""
        s, n = self.eom.symbolic, len(self.rows[2])
        block = next(b for b in self.eom.layout.blocks if b.name == self.base)
        theta = ca.SX.sym("theta", n)
        q = ca.SX(self.eom.q_neutral)
        q[self.rows[2].tolist()] = theta
        place = -ca.Function("c", [s.q, s.p], [s.center_of_mass])(q, self.eom.parameter_values())
        q[block.q.start : block.q.start + 3] = place
        return theta, q, place

    def _at(self, expression: Expression) -> Expression:
        s = self.eom.symbolic
        return ca.Function("f", [s.q, s.p], [ca.densify(expression)])(self._symbols[1], self.eom.parameter_values())

    @cached_property
    def _jacobian(self) -> tuple[Expression, Expression]:
        theta, s = self._symbols[0], self.eom.symbolic
        X = self._at(s.pose(self.frame))
        turn = self._at(s.jacobian(self.frame, "world"))[3:, self.rows[1].tolist()]
        return X, ca.vertcat(ca.jacobian(X[:3, 3], theta), turn)

    def tip_jacobian(self, joints: Expression) -> Expression:
        """Jacobian (6, n) of the tip as an expression of the joints, world axes."""
        return ca.Function("J", [self._symbols[0]], [ca.densify(self._jacobian[1])])(joints)

    @cached_property
    def _reaction(self) -> tuple[Expression, Expression]:
        """Angular momentum ``H`` (3, n) by the rates of the joints, and the inertia (3, 3) about the base."""
        theta, _, place = self._symbols
        base, joints = self.rows[0].tolist(), self.rows[1].tolist()
        M = self._at(self.eom.symbolic.mass_matrix)
        return M[base[3:], joints] + M[base[3:], base[:3]] @ ca.jacobian(place, theta), M[base[3:], base[3:]]

    @cached_property
    def _redundancy(self) -> Redundancy:
        eom, joints = self.eom, [self.eom.machine.joint(name) for name in self.names]
        M = np.diag(eom.mass_matrix(eom.q_neutral))[self.rows[1]]
        lower = np.array([max(float(j.limits.lower), -_RANGE) for j in joints])
        upper = np.array([min(float(j.limits.upper), _RANGE) for j in joints])
        return Redundancy(float(M.mean()), self.reaction, (lower + upper) / 2, (upper - lower) / 2)

    def _solver(self, square: Expression | None) -> Callable[[Expression], Expression]:
        """Rates of the joints for rows of the task, as expressions of ``theta``."""
        X, J = self._jacobian
        A = task_rows(self.task, X) @ J
        if A.shape[0] == A.shape[1]:
            return linear_solver(A)
        return self._redundancy.solver(A, *self._reaction, self._symbols[0], square)

    @cached_property
    def step(self) -> Kernel:
        """``theta, position, rotation (3, 3) -> step of theta, error`` of the task: one step of Newton's method."""
        theta, x, A = self._symbols[0], ca.SX.sym("position", 3), ca.SX.sym("rotation", 3, 3)
        e = task_error(self.task, self._jacobian[0], x, A)
        inputs, names = [theta, x, A], ["theta", "position", "rotation"]
        return self._kernel(inputs, [self._solver(None)(e), e], names, ["step", "error"], {"rotation": (3, 3)})

    @cached_property
    def _motion(self) -> tuple[list[Expression], Expression, Expression]:
        theta, twist, change = self._symbols[0], ca.SX.sym("twist", 6), ca.SX.sym("change", 6)
        rates = self._solver(ca.dot(twist[:3], twist[:3]))(task_rows(self.task, self._jacobian[0]) @ twist)
        second = ca.jtimes(rates, ca.vertcat(theta, twist), ca.vertcat(rates, change))
        return [theta, twist, change], rates, second

    @cached_property
    def rates(self) -> Kernel:
        """``theta, twist -> theta'``: joints that move the tip with a twist (6) as far as its task asks."""
        inputs, rates, _ = self._motion
        return self._kernel(inputs[:2], [rates], ["theta", "twist"], ["rates"])

    @cached_property
    def accelerations(self) -> Kernel:
        """``theta, twist, change -> theta''``: the derivative of `rates` along the motion."""
        inputs, _, second = self._motion
        return self._kernel(inputs, [second], ["theta", "twist", "change"], ["second"])

    def least(self, joints: Array) -> Array:
        """Least singular values (...) of the Jacobian of the task at joints (..., n)."""
        X, J = self.tip(joints)
        if self.task != "pose":
            turn = _t(X)[..., :2, :] @ J[..., 3:, :]
            J = np.concatenate([J[..., :3, :], turn], axis=-2)[..., : TASKS[self.task], :]
        return np.asarray(np.linalg.svd(J, compute_uv=False)[..., -1])

    @cached_property
    def tip(self) -> Kernel:
        """``theta -> pose (4, 4), Jacobian (6, n)`` of the tip, world axes, at the centre of mass."""
        X, J = self._jacobian
        return self._kernel(
            [self._symbols[0]], [X, J], ["theta"], ["pose", "J"], {"pose": (4, 4), "J": (6, J.shape[1])}
        )

    @cached_property
    def effort(self) -> Kernel:
        """``theta, theta', theta'' -> M a + C v`` (nv)."""
        s, (base, joints, _) = self.eom.symbolic, self.rows
        theta, q, place = self._symbols
        rate, second = (ca.SX.sym(name, len(joints)) for name in ("rate", "second"))
        v, a = ca.SX(self.eom.nv, 1), ca.SX(self.eom.nv, 1)
        speed = ca.jtimes(place, theta, rate)
        v[base[:3].tolist()], v[joints.tolist()] = speed, rate
        a[base[:3].tolist()] = ca.jtimes(speed, theta, rate) + ca.jtimes(place, theta, second)
        a[joints.tolist()] = second
        f = ca.Function("f", [s.q, s.v, s.a, s.p], [s.inverse_dynamics])
        out = ca.densify(f(q, v, a, self.eom.parameter_values()))
        return self._kernel([theta, rate, second], [out], ["theta", "rate", "second"], ["effort"])

    @cached_property
    def place(self) -> Kernel:
        """``theta -> position of the base's frame``, seen from the centre of mass."""
        return self._kernel([self._symbols[0]], [ca.densify(self._symbols[2])], ["theta"], ["place"])

    def points(self, frames: tuple[str, ...]) -> Kernel:
        """``theta -> positions (k, 3)`` of frames."""

        def make() -> Kernel:
            s = self.eom.symbolic
            out = ca.horzcat(*[self._at(s.pose(f)[:3, 3]) for f in frames]).T
            return self._kernel([self._symbols[0]], [out], ["theta"], ["points"], {"points": (len(frames), 3)})

        return self.eom.kept.once("held base points", (self.frame, self.base, frames), make)

    def _kernel(
        self,
        inputs: list[Expression],
        outputs: list[Expression],
        names: list[str],
        results: list[str],
        shapes: Mapping[str, tuple[int, ...]] | None = None,
    ) -> Kernel:
        function = ca.Function("held_base", inputs, [ca.densify(x) for x in outputs], names, results)
        return compile_function(function, backend=self.eom.backend, shapes=shapes)

    def solve(self, joints: Array, position: Array, rotation: Array, steps: int = 3) -> tuple[Array, Array]:
        """Joints that bring the tip to poses (...), from a guess, by Newton's method; and by how much they miss."""
        theta = as_numbers(joints).copy()
        for k in range(steps + 1):
            step, e = self.step(theta, position, rotation)
            if k < steps:
                theta = theta + np.clip(_finite(step), -_CLIP, _CLIP)
        sizes = np.maximum(np.linalg.norm(e[..., :3], axis=-1), np.linalg.norm(e[..., 3:], axis=-1))
        return theta, np.asarray(sizes)

    def follow(self, path: PoseMotion, times: Array, joints: Array, *, steps: int = 2) -> ArmMotion:
        """Motions of the joints along paths of the tip, (..., T), from joints at the first time.

        Parameters
        ----------
        path
            Motion of the tip in axes of the base at the centre of mass, its last leading axis that of time.
        times
            Times (T), or (..., T) where they differ.
        joints
            Guess at the first time, (..., n).
        steps
            Iterations of Newton's method at each time.
        """
        shape = np.shape(path.position)[:-1]
        n = len(self.rows[2])
        theta, rate, miss = np.zeros((*shape, n)), np.zeros((*shape, n)), np.zeros(shape)
        at = np.broadcast_to(as_numbers(joints), (*shape[:-1], n)).copy()
        speed = np.zeros_like(at)
        twists = np.concatenate([path.velocity, path.rate], axis=-1)
        spans = np.diff(as_numbers(times), axis=-1)
        for k in range(shape[-1]):
            if k:
                at = at + np.clip(spans[..., k - 1, None] * speed, -_CLIP, _CLIP)
            at, miss[..., k] = self.solve(at, path.position[..., k, :], path.rotation[..., k, :, :], steps)
            speed = self.rates(at, twists[..., k, :])
            miss[..., k] = np.where(np.isfinite(speed).all(axis=-1), miss[..., k], np.inf)
            speed = _finite(speed)
            theta[..., k, :], rate[..., k, :] = at, speed
        change = np.concatenate([path.acceleration, path.rate_change], axis=-1)
        second = _finite(self.accelerations(theta, twists, change))
        return ArmMotion(theta, rate, second, self.effort(theta, rate, second), miss)

    def configuration(self, joints: Array, centre: Array, attitude: Array) -> Array:
        """Coordinates of the robot (..., nq), its centre of mass at a place, its base at an attitude (w, x, y, z)."""
        R = _matrix(attitude)
        block = next(b for b in self.eom.layout.blocks if b.name == self.base)
        q = np.zeros((*np.shape(joints)[:-1], self.eom.nq))
        q[..., self.rows[2]] = joints
        q[..., block.q.start : block.q.start + 3] = centre + self.place(joints) @ R.T
        q[..., block.q.start + 3 : block.q.start + 7] = attitude
        return q


def held_base(
    robot: MachineOrEquations,
    frame: str = "tip",
    *,
    base: str | None = None,
    task: str | None = None,
    reaction: float = _REACTION,
) -> HeldBase:
    """Functions of a robot on a free base whose attitude is held.

    Parameters
    ----------
    robot
        A rigid robot on a free base with joints of one coordinate each, or its equations.
    frame
        The tip.
    base
        The free joint; needed where there is more than one.
    task
        Task of the tip: ``"pose"`` (6 joints between base and tip), ``"axis"`` (5: the turn about the z axis of
        the tip is free) or ``"position"`` (3: its attitude is free). None: the first of these that the arm can serve.
    reaction
        Weight of the base's reaction where joints are redundant: 0 moves the joints least.

    Examples
    --------
    >>> from dalembert.plan import held_base
    >>> from dalembert.systems.space_robots import space_chaser
    >>> robot = held_base(space_chaser("rigid", arrays=None))
    >>> robot.base, len(robot.names)
    ('base', 6)
    """
    eom = robot if isinstance(robot, EquationsOfMotion) else derive(robot)
    if not eom.formulation.machine_coordinates:
        eom = eom.in_machine_coordinates()
    where = f"machine '{eom.machine.name}'"
    name = free_base(eom, base)
    if frame not in eom.machine.tree.frames:
        raise UnknownNameError("frame", frame, eom.machine.tree.frames, where)
    moving = [b for b in eom.layout.blocks if b.name != name and b.v.stop > b.v.start]
    wide = [b.name for b in moving if b.v.stop - b.v.start != 1 or b.name not in {j.name for j in eom.machine.joints}]
    if wide:
        raise InputError(
            f"a path of the tip needs a robot with joints of one coordinate each; {where} has {', '.join(wide)}: make "
            "flexible bodies rigid, and lock the joints outside the arm"
        )
    weight = check_number("reaction", reaction, positive=False)
    if weight < 0.0:
        raise InputError(f"reaction must be >= 0, got {weight:g}")
    chosen = chosen_task(task, len(way_to(eom.machine, frame)), where)
    key = (frame, name, chosen, weight)
    return eom.kept.once("held base", key, lambda: HeldBase(eom, frame, name, chosen, weight))


def way_to(machine: Machine, frame: str) -> tuple[str, ...]:
    """Moving joints between the free base of a machine and a frame, from the base on."""
    by_child = {j.child: j for j in machine.joints}
    body = next((f.body for f in machine.frames if f.name == frame), frame)
    names: list[str] = []
    while True:
        body = body if body in by_child else body.rpartition(".")[0]
        if body not in by_child:
            return tuple(reversed(names))
        joint = by_child[body]
        if joint.info.nv == 1:
            names.append(joint.name)
        body = joint.parent


def _finite(x: Array) -> Array:
    """Numbers with zeros for those that a singular posture leaves undefined."""
    return np.asarray(np.where(np.isfinite(x), x, 0.0))


def _t(X: Array) -> Array:
    return np.swapaxes(X[..., :3, :3], -1, -2)


def _matrix(Q: Array) -> Array:
    w, x, y, z = np.asarray(Q, dtype=float)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
