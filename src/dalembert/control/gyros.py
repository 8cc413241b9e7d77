"""Control moment gyros of a free base: their momentum, its Jacobian, steering that avoids singular gimbal angles."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.allocation import fixed_to
from dalembert.control.law_bases import _Stateless, machine_state
from dalembert.control.spacecraft import PoseReference, pose_reference
from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.parameter import nominal
from dalembert.core.types import Array, Expression
from dalembert.core.validation import check_number
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.floating import free_base
from dalembert.model.body import Body
from dalembert.model.machine import Machine
from dalembert.spatial.rotations import quaternion_difference, quaternion_matrix

__all__ = ["GyroPD", "base_gyros", "gyro_momentum"]


@dataclass(frozen=True)
class _Gyro:
    """A gyro: motor, joints of gimbal and rotor, their axes in axes of the base, and two inertias about their axes."""

    motor: str
    gimbal: str
    rotor: str
    axis: Array
    spin: Array
    inertia: float
    gimbal_inertia: float


def base_gyros(machine: Machine, base: str) -> tuple[str, ...]:
    """Motors of control moment gyros: gimbals on the body of a free joint with a rotor that no motor drives.

    Parameters
    ----------
    machine, base
        The machine, and its free joint.

    Examples
    --------
    >>> import dalembert as da
    >>> hub, joint = da.box("hub", 100.0, (1, 1, 1)), da.Joint("hub", "free", "world", "hub")
    >>> craft = da.Machine("craft", [hub], [joint], gravity=(0, 0, 0))
    >>> gyro = da.ControlMomentGyro("cmg", "hub", "z", "x", inertia=0.1, momentum=30.0)
    >>> base_gyros(craft.with_parts(gyro), "hub")
    ('cmg',)
    """
    return tuple(motor for motor, *_ in _pairs(machine, base))


def _pairs(machine: Machine, base: str) -> list[tuple[str, str, str]]:
    """Motor, joint of the gimbal and joint of the rotor of the gyros."""
    fixed, driven = fixed_to(machine, machine.joint(base).child), {m.joint for m in machine.motors}
    found = []
    for motor in machine.motors:
        gimbal = machine.joint(motor.joint)
        rotors = [j for j in machine.joints if j.parent == gimbal.child]
        if gimbal.kind != "revolute" or gimbal.parent not in fixed or len(rotors) != 1:
            continue
        (rotor,) = rotors
        s, g = (np.array([nominal(x) for x in j.axis]) for j in (rotor, gimbal))
        if rotor.kind == "revolute" and rotor.name not in driven and abs(s @ g) < 1e-9:
            found.append((motor.name, gimbal.name, rotor.name))
    return found


def _gyros(eom: EquationsOfMotion, base: str) -> list[_Gyro]:
    machine = eom.machine
    bodies = {b.name: b for b in machine.bodies}
    root = np.linalg.inv(eom.pose(machine.joint(base).child, eom.q_neutral))
    gyros = []
    for motor, gimbal, rotor in _pairs(machine, base):
        axes, inertias = [], []
        for name in (gimbal, rotor):
            joint = machine.joint(name)
            own = np.array([nominal(x) for x in joint.axis])
            axes.append((root @ eom.pose(joint.child, eom.q_neutral))[:3, :3] @ own)
            body = bodies[joint.child]
            assert isinstance(body, Body)
            I = np.array([[nominal(x) for x in row] for row in body.inertia])
            inertias.append((I, own))
        wheel, disc = inertias[1][0], inertias[0][0]
        spin = float(inertias[1][1] @ wheel @ inertias[1][1])
        turning = float(inertias[0][1] @ (disc + wheel) @ inertias[0][1])
        gyros.append(_Gyro(motor, gimbal, rotor, axes[0], axes[1], spin, turning))
    return gyros


def gyro_momentum(
    eom: EquationsOfMotion, q: Expression, v: Expression, joint: str | None = None
) -> tuple[Expression, Expression]:
    """Angular momentum (3) of the spin of all gyros in axes of the base, and its Jacobian (3, n) by the gimbal angles.

    With gimbal axis ``g``, spin axis ``s`` at angle zero and momentum ``h`` of the rotor each gyro has
    ``h (cos d s + sin d (g x s))`` and the column ``h (-sin d s + cos d (g x s))``.

    Parameters
    ----------
    eom
        Equations in the machine's coordinates.
    q, v
        Coordinates and velocities, expressions.
    joint
        The free joint; needed where there is more than one.

    Examples
    --------
    >>> import dalembert as da
    >>> hub, base = da.box("hub", 100.0, (1, 1, 1)), da.Joint("hub", "free", "world", "hub")
    >>> gyro = da.ControlMomentGyro("cmg", "hub", "z", "x", inertia=0.1, momentum=30.0)
    >>> craft = da.Machine("craft", [hub], [base], gravity=(0, 0, 0)).with_parts(gyro)
    >>> eom = da.equations(craft, backend="vm")
    >>> s = eom.symbolic
    >>> h, A = gyro_momentum(eom, s.q, s.v)
    >>> h.shape, A.shape
    ((3, 1), (3, 1))
    """
    blocks = {b.name: b for b in eom.layout.blocks}
    total, columns = ca.SX.zeros(3), []
    for gyro in _gyros(eom, free_base(eom, joint)):
        d, h = q[blocks[gyro.gimbal].q.start], gyro.inertia * v[blocks[gyro.rotor].v.start]
        s, c = ca.DM(gyro.spin), ca.DM(np.cross(gyro.axis, gyro.spin))
        total = total + h * (ca.cos(d) * s + ca.sin(d) * c)
        columns.append(h * (ca.cos(d) * c - ca.sin(d) * s))
    return total, ca.horzcat(*columns) if columns else ca.SX(3, 0)


@dataclass(frozen=True)
class GyroPD(_Stateless):
    """PD on the attitude of a free base by control moment gyros, whose steering avoids singular gimbal angles.

    The torque ``kp e + kd e'`` in axes of the base, and ``w x h`` of the gyros' momentum ``h``, need the gimbal rates
    ``A^T (A A^T + lambda E)^-1`` of its negative, with the Jacobian ``A`` of the momentum: the generalised
    singularity-robust inverse of Wie, Bailey and Heiberg (J. Guidance 24, 2001, 865). With
    ``m = det(A A^T) / (mean h)^6`` it is ``lambda = avoid (mean h)^2 exp(-10 m)``; off the diagonal of ``E`` are small
    sines of time, which lead out of singular angles where a constant matrix stays locked. Rates above ``rate`` are
    reduced together. Motors follow them with the frequency ``follow`` on the inertia of their gimbals, and hold against
    the gyroscopic torque of the turning base.

    Parameters
    ----------
    kp, kd
        Gains (3) [N m/rad, N m s/rad].
    reference
        As that of `BasePD`, of which the attitude counts: 7 numbers, a function of time, or `FollowPose`.
    joint
        The free joint; needed where there is more than one.
    rate
        Largest rate of a gimbal [rad/s].
    avoid
        Weight of the avoidance; zero: the pseudo-inverse, which gives no torque along singular directions.
    follow
        Frequency of the rate loops of the gimbals [rad/s].

    Examples
    --------
    >>> law = GyroPD(kp=[20.0] * 3, kd=[90.0] * 3, reference=[0, 0, 0, 1, 0, 0, 0])
    >>> law.avoid
    0.01
    """

    kp: ArrayLike
    kd: ArrayLike
    reference: PoseReference
    joint: str | None = None
    rate: float = 1.0
    avoid: float = 0.01
    follow: float = 20.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("kp", "kd"):
            try:
                gains = np.broadcast_to(as_numbers(getattr(self, name)), (3,))
            except (TypeError, ValueError):
                gains = np.array([np.nan])
            if not np.isfinite(gains).all() or (gains < 0.0).any():
                raise InputError(f"{name} of a GyroPD must be 3 numbers >= 0, got {getattr(self, name)!r}")
            object.__setattr__(self, name, tuple(gains.tolist()))
        check_number("rate of a GyroPD", self.rate, unit="rad/s")
        check_number("follow of a GyroPD", self.follow, unit="rad/s")
        if check_number("avoid of a GyroPD", self.avoid, positive=False) < 0.0:
            raise InputError(f"avoid of a GyroPD must be >= 0, got {self.avoid:g}")

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs as expressions."""
        eom, q, v = machine_state(eom, q, v, p)
        base = free_base(eom, self.joint)
        gyros, blocks = _gyros(eom, base), {b.name: b for b in eom.layout.blocks}
        if len(gyros) < 3:
            raise InputError(
                f"GyroPD needs three control moment gyros or more on the body of joint '{base}' of machine "
                f"'{eom.machine.name}'; there are {', '.join(x.motor for x in gyros) or 'none'}"
            )
        block = blocks[base]
        Q, w = q[block.q][3:], v[block.v][3:]
        _, Qr, _, rate = pose_reference(self.reference, t, "GyroPD")
        e = quaternion_difference(Q, Qr)
        ed = quaternion_matrix(Q).T @ quaternion_matrix(Qr) @ rate - w
        h, A = gyro_momentum(eom, q, v, base)
        kp, kd = (ca.DM(as_numbers(x)) for x in (self.kp, self.kd))
        torque = kp * e + kd * ed + ca.cross(w, h)
        spins = ca.vertcat(*(x.inertia * v[blocks[x.rotor].v.start] for x in gyros))
        size = ca.fmax(ca.norm_2(spins) / np.sqrt(len(gyros)), 1e-9)
        G = A @ A.T / size**2
        m = ca.det(G)
        E = ca.SX.eye(3)
        for k, (i, j) in enumerate(((1, 2), (0, 2), (0, 1))):
            E[i, j] = E[j, i] = 0.1 * ca.sin(0.5 * np.pi * t + k * np.pi / 2.0)
        # 1e-9 keeps the inverse finite for the pseudo-inverse (avoid = 0)
        weight = self.avoid * ca.exp(-10.0 * m) + 1e-9
        wanted = -(A.T / size**2) @ ca.solve(G + weight * E, torque)
        wanted = wanted * ca.fmin(1.0, self.rate / ca.fmax(ca.norm_inf(wanted), 1e-12))
        u = ca.SX.zeros(eom.nu)
        motors = {x.name: x for x in eom.machine.motors}
        for k, gyro in enumerate(gyros):
            d, speed = q[blocks[gyro.gimbal].q.start], v[blocks[gyro.gimbal].v.start]
            s, c = ca.DM(gyro.spin), ca.DM(np.cross(gyro.axis, gyro.spin))
            axis = spins[k] * (ca.cos(d) * s + ca.sin(d) * c)
            held = ca.dot(ca.DM(gyro.axis), ca.cross(w, axis))
            effort = self.follow * gyro.gimbal_inertia * (wanted[k] - speed) + held
            u[eom.u_names.index(gyro.motor)] = effort / nominal(motors[gyro.motor].ratio)
        return u, ca.SX(0, 1)
