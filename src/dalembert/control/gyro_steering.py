"""Steering of control moment gyros that avoids singular gimbal angles, and inputs of a base for a wrench."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from dalembert.control.allocation import Allocation
from dalembert.control.rotors import gyro_cluster
from dalembert.core.parameter import nominal
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.floating import free_base

__all__ = ["base_inputs", "gyro_capacity", "gyro_inputs", "gyro_momentum", "gyro_torques"]

_AVOID, _FOLLOW = 0.01, 20.0  # weight of the avoidance, and frequency of the rate loops [rad/s]
_RATE, _USED = 1.0, 0.8  # largest rate of a gimbal without a limit [rad/s], and the part of its limit that is used


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
    for gyro in gyro_cluster(eom, free_base(eom, joint)):
        d, h = q[blocks[gyro.gimbal].q.start], gyro.inertia * v[blocks[gyro.rotor].v.start]
        s, c = ca.DM(gyro.spin), ca.DM(np.cross(gyro.axis, gyro.spin))
        total = total + h * (ca.cos(d) * s + ca.sin(d) * c)
        columns.append(h * (ca.cos(d) * c - ca.sin(d) * s))
    return total, ca.horzcat(*columns) if columns else ca.SX(3, 0)


def gyro_inputs(
    eom: EquationsOfMotion,
    base: str,
    state: tuple[Expression, Expression, Expression],
    torque: Expression,
    *,
    rate: float | None = None,
    avoid: float = _AVOID,
    follow: float = _FOLLOW,
) -> Expression:
    """Inputs (nu) of the gimbals with which the gyros give a torque (3) on the base, in its axes.

    The torque, and ``w x h`` of the gyros' momentum ``h``, need the gimbal rates ``A^T (A A^T + lambda E)^-1`` of its
    negative: the generalised singularity-robust inverse, see `dalembert.control.GyroPD`. Without torque the momentum of
    the gyros keeps its direction in space. Fewer than three gyros hold their gimbals.

    Parameters
    ----------
    eom, base
        Equations in the machine's coordinates, and the free joint.
    state
        Time, coordinates and velocities.
    torque
        The torque.
    rate
        Largest rate of a gimbal [rad/s]; None: 80 % of the least limit, 1 rad/s without limits.
    avoid, follow
        As in `dalembert.control.GyroPD`.
    """
    t, q, v = state
    gyros, blocks = gyro_cluster(eom, base), {b.name: b for b in eom.layout.blocks}
    if rate is None:
        rate = _largest_rate(eom, base)
    w = v[blocks[base].v][3:]
    spins = ca.vertcat(*(x.inertia * v[blocks[x.rotor].v.start] for x in gyros))
    wanted = ca.SX.zeros(len(gyros))
    if len(gyros) > 2:
        h, A = gyro_momentum(eom, q, v, base)
        size = ca.fmax(ca.norm_2(spins) / np.sqrt(len(gyros)), 1e-9)
        G = A @ A.T / size**2
        m = ca.det(G)
        E = ca.SX.eye(3)
        for k, (i, j) in enumerate(((1, 2), (0, 2), (0, 1))):
            E[i, j] = E[j, i] = 0.1 * ca.sin(0.5 * np.pi * t + k * np.pi / 2.0)
        # 1e-9 keeps the inverse finite for the pseudo-inverse (avoid = 0)
        weight = avoid * ca.exp(-10.0 * m) + 1e-9
        wanted = -(A.T / size**2) @ ca.solve(G + weight * E, torque + ca.cross(w, h))
        wanted = wanted * ca.fmin(1.0, rate / ca.fmax(ca.norm_inf(wanted), 1e-12))
    u = ca.SX.zeros(eom.nu)
    motors = {x.name: x for x in eom.machine.motors}
    for k, gyro in enumerate(gyros):
        d, speed = q[blocks[gyro.gimbal].q.start], v[blocks[gyro.gimbal].v.start]
        s, c = ca.DM(gyro.spin), ca.DM(np.cross(gyro.axis, gyro.spin))
        axis = spins[k] * (ca.cos(d) * s + ca.sin(d) * c)
        held = ca.dot(ca.DM(gyro.axis), ca.cross(w, axis))
        effort = follow * gyro.gimbal_inertia * (wanted[k] - speed) + held
        u[eom.u_names.index(gyro.motor)] = effort / nominal(motors[gyro.motor].ratio)
    return u


def _largest_rate(eom: EquationsOfMotion, base: str) -> float:
    """Rate of the gimbals that steering uses [rad/s]."""
    limits = [float(eom.machine.joint(x.gimbal).limits.velocity) for x in gyro_cluster(eom, base)]
    least = min(limits, default=np.inf)
    return _USED * least if np.isfinite(least) else _RATE


def gyro_capacity(
    eom: EquationsOfMotion, base: str, spins: Mapping[str, float]
) -> tuple[tuple[float, float, float], float]:
    """Largest torques (3) of gyros about the axes of their base [N m], and the momentum that they hold [N m s].

    The torques are half of those at gimbal angles zero, as gimbals that have turned give less. The momentum is that of
    the weakest rotor: a pyramid of four has no singular angles below 1.15 of it.

    Parameters
    ----------
    eom, base
        Equations in the machine's coordinates, and the free joint.
    spins
        Rates of the rotors by the names of their velocities [rad/s].
    """
    gyros = gyro_cluster(eom, base)
    sizes = np.array([x.inertia * abs(spins[f"{x.rotor}_dot"]) for x in gyros])
    A = np.column_stack([h * np.cross(x.axis, x.spin) for h, x in zip(sizes, gyros, strict=True)])
    shares = np.abs(np.linalg.pinv(A)).max(axis=0)
    x, y, z = (0.5 * _largest_rate(eom, base) / shares).tolist()
    return (x, y, z), float(sizes.min())


def gyro_torques(eom: EquationsOfMotion, base: str, q: Array, v: Array) -> Array:
    """Torques (n, 3) of gyros on their base in states (n, nq), (n, nv), in its axes: ``-(A d' + w x h)``."""
    gyros, blocks = gyro_cluster(eom, base), {b.name: b for b in eom.layout.blocks}
    if not gyros:
        return np.zeros((len(q), 3))
    s = eom.symbolic
    h, A = gyro_momentum(eom, s.q, s.v, base)
    rates = ca.vertcat(*(s.v[blocks[x.gimbal].v.start] for x in gyros))
    torque = -(A @ rates + ca.cross(s.v[blocks[base].v][3:], h))
    return np.array(ca.Function("torque", [s.q, s.v], [torque])(q.T, v.T)).T


def base_inputs(
    eom: EquationsOfMotion,
    base: str,
    shared: Allocation,
    state: tuple[Expression, Expression, Expression],
    wrench: Expression,
) -> Expression:
    """Inputs (nu) for a wrench (6) on a base, by the hardware of an allocation; other gyros hold their momentum.

    Parameters
    ----------
    eom, base
        Equations in the machine's coordinates, and the free joint.
    shared
        Its allocation.
    state
        Time, coordinates and velocities.
    wrench
        Force and torque in axes of the base.
    """
    u = shared.expression(wrench)
    if not gyro_cluster(eom, base):
        return ca.SX(u)
    return ca.SX(u) + gyro_inputs(eom, base, state, wrench[3:] if shared.gyros else ca.SX.zeros(3))
