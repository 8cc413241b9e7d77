"""A robot on a free base whose attitude is held: without momentum its tip depends on the joints alone.

The centre of mass does not move, and the base is where the joints put it. Seen from the centre of mass the tip is a
function ``f(theta)`` of the joints, as that of a fixed arm (the virtual manipulator of Vafa and Dubowsky), and the base
needs torques but no force.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.compile import Kernel, compile_function
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion, MachineOrEquations, derive
from dalembert.formulations.floating import free_base
from dalembert.plan.pose import PoseMotion

__all__ = ["ArmMotion", "HeldBase", "held_base"]

_CLIP = 0.3  # largest step of a joint in one iteration [rad, m]


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
    """

    eom: EquationsOfMotion
    frame: str
    base: str

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
    def tip(self) -> Kernel:
        """``theta -> pose (4, 4), Jacobian (6, n)`` of the tip, world axes, at the centre of mass."""
        X, J = self._jacobian
        return self._kernel(
            [self._symbols[0]], [X, J], ["theta"], ["pose", "J"], {"pose": (4, 4), "J": (6, J.shape[1])}
        )

    @cached_property
    def drift(self) -> Kernel:
        """``theta, theta' -> J' theta'`` (6)."""
        theta, rate = self._symbols[0], ca.SX.sym("rate", len(self.rows[2]))
        J = ca.densify(self._jacobian[1])
        out = ca.reshape(ca.jtimes(ca.vec(J), theta, rate), *J.shape) @ rate
        return self._kernel([theta, rate], [out], ["theta", "rate"], ["drift"])

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
            X, J = self.tip(theta)
            e = np.concatenate([position - X[..., :3, 3], _times(X[..., :3, :3], _turn(_t(X) @ rotation))], axis=-1)
            if k == steps:
                break
            theta = theta + np.clip(_solved(J, e), -_CLIP, _CLIP)
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
            speed = _solved(self.tip(at)[1], twists[..., k, :])
            theta[..., k, :], rate[..., k, :] = at, speed
        change = np.concatenate([path.acceleration, path.rate_change], axis=-1)
        second = _solved(self.tip(theta)[1], change - self.drift(theta, rate))
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


def held_base(robot: MachineOrEquations, frame: str = "tip", *, base: str | None = None) -> HeldBase:
    """Functions of a robot on a free base whose attitude is held.

    Parameters
    ----------
    robot
        A rigid robot on a free base with six joints of one coordinate each, or its equations.
    frame
        The tip.
    base
        The free joint; needed where there is more than one.
    """
    eom = robot if isinstance(robot, EquationsOfMotion) else derive(robot)
    if not eom.formulation.machine_coordinates:
        eom = eom.in_machine_coordinates()
    where = f"machine '{eom.machine.name}'"
    name = free_base(eom, base)
    if frame not in eom.machine.tree.frames:
        raise UnknownNameError("frame", frame, eom.machine.tree.frames, where)
    wide = [b.name for b in eom.layout.blocks if b.name != name and b.q.stop - b.q.start != 1]
    if wide or eom.nv != 12:
        motions = f"{eom.nv - 6} velocities" + (f", joints of several ({', '.join(wide)})" if wide else "")
        raise InputError(f"a path of the tip needs a robot with 6 joints of one coordinate each; {where} has {motions}")
    return eom.kept.once("held base", (frame, name), lambda: HeldBase(eom, frame, name))


def _t(X: Array) -> Array:
    return np.swapaxes(X[..., :3, :3], -1, -2)


def _times(A: Array, x: Array) -> Array:
    return np.asarray(np.einsum("...ij,...j->...i", A, x))


def _solved(J: Array, b: Array) -> Array:
    """Solution of ``J x = b``; with a singular Jacobian the damped solution."""
    try:
        return np.asarray(np.linalg.solve(J, b[..., None])[..., 0])
    except np.linalg.LinAlgError:
        A = np.swapaxes(J, -1, -2) @ J + 1e-12 * np.eye(J.shape[-1])
        return np.asarray(np.linalg.solve(A, np.swapaxes(J, -1, -2) @ b[..., None])[..., 0])


def _turn(R: Array) -> Array:
    """Rotation as a vector, (..., 3); near half a turn its direction is lost, not its size."""
    w = 0.5 * np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    s = np.linalg.norm(w, axis=-1)
    angle = np.arctan2(s, 0.5 * (np.trace(R, axis1=-2, axis2=-1) - 1.0))
    return np.asarray(np.where(s < 1e-9, 1.0, angle / np.where(s < 1e-9, 1.0, s))[..., None] * w)


def _matrix(Q: Array) -> Array:
    w, x, y, z = np.asarray(Q, dtype=float)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
