"""From a wanted wrench on a free base to the inputs of the hardware: wheels, gyros, thrusters, nozzles that push."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.control.rotors import base_wheels, gyro_cluster
from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.floating import free_base
from dalembert.model.machine import Machine
from dalembert.model.parts import Thruster

__all__ = ["COMPONENTS", "Allocation", "allocate"]

COMPONENTS = ("force along x", "force along y", "force along z", "torque about x", "torque about y", "torque about z")
"""Names of the six components of a wrench."""


@dataclass(frozen=True)
class Allocation:
    """Inputs of a machine for wrenches on its base, in axes of the base.

    The inputs are ``sum of P_k max(w_k, 0) + N_k max(-w_k, 0)`` over the six components of the wrench, with columns
    ``P`` and ``N`` that give each component alone and none of the others, from nozzles that only push with inputs
    >= 0. Each column is the one of least thrust; two components together may not be.

    Attributes
    ----------
    positive, negative
        Inputs (nu, 6) for a unit of each component, and for a negative unit; NaN where the hardware cannot give it.
    capacity
        Largest size (6) of each component alone, within the limits of the inputs.
    effect
        Wrench (6, nu) on the base by a unit of each input.
    wheels, jets
        Names of the wheels and thrusters that are used.
    gyros
        Names of the motors of control moment gyros that give the torque. Their inputs depend on the gimbal angles and
        are not in the columns: `dalembert.control.BasePD` adds them. Their capacity counts as infinite, as it is in
        proportion to the spin of the rotors, which is a part of the state.
    """

    positive: Array
    negative: Array
    capacity: Array
    effect: Array
    wheels: tuple[str, ...]
    jets: tuple[str, ...]
    gyros: tuple[str, ...] = ()

    @property
    def linear(self) -> bool:
        """Whether the inputs are a linear function of the wrench."""
        both = np.isfinite(self.positive) & np.isfinite(self.negative)
        return bool(np.allclose(np.where(both, self.positive + self.negative, 0.0), 0.0, atol=1e-12))

    @property
    def missing(self) -> tuple[str, ...]:
        """Components that the hardware cannot give."""
        bad = np.isnan(self.positive + self.negative).sum(axis=0)
        return tuple(name for name, count in zip(COMPONENTS, bad.tolist(), strict=True) if count)

    def expression(self, wrench: Expression) -> Expression:
        """Inputs (nu) for a wrench (6); components that the hardware cannot give are left out."""
        P, N = (np.nan_to_num(x) for x in (self.positive, self.negative))
        if self.linear:
            return ca.DM(P) @ wrench
        return ca.DM(P) @ ca.fmax(wrench, 0.0) + ca.DM(N) @ ca.fmax(-wrench, 0.0)

    def __call__(self, wrench: Array) -> Array:
        """Inputs (nu) for a wrench (6) in numbers."""
        w = np.asarray(wrench, dtype=float)
        P, N = (np.nan_to_num(x) for x in (self.positive, self.negative))
        return np.asarray(P @ np.maximum(w, 0.0) + N @ np.maximum(-w, 0.0))


def allocate(
    eom: EquationsOfMotion,
    joint: str | None = None,
    *,
    need: Sequence[str] = ("force", "torque"),
    wheels: bool = True,
) -> Allocation:
    """Share out wrenches on a free base among the wheels and thrusters of its machine.

    Wheels that span all directions give the torque, else control moment gyros that do, and thrusters the force; without
    them thrusters give both. Where
    every thruster pushes both ways the inputs are the least ones relative to their limits (a linear map); nozzles that
    only push are chosen by linear programs of least thrust, one per component and sign.

    Parameters
    ----------
    eom
        Equations in the machine's coordinates.
    joint
        The free joint of the base; needed where there is more than one.
    need
        Components that must be possible: ``"force"``, ``"torque"`` or both.
    wheels
        Whether wheels and gyros may be used; they give no torque for long, thrusters do.

    Raises
    ------
    InputError
        If the hardware cannot give what is needed, with the components that it lacks.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.systems import space_robots
    >>> chaser = da.equations(space_robots.space_chaser("rigid", arrays="rigid"))
    >>> allocate(chaser).capacity.tolist()
    [20.0, 20.0, 20.0, 5.0, 5.0, 5.0]
    """
    name = free_base(eom, joint)
    machine = eom.machine
    rotors, jets = _wheel_columns(eom, name), _jet_columns(eom, name)
    positive, negative, effect = np.zeros((eom.nu, 6)), np.zeros((eom.nu, 6)), np.zeros((6, eom.nu))
    turning = wheels and len(rotors[0]) > 2 and np.linalg.matrix_rank(rotors[1]) == 3
    gyros = _turning_gyros(eom, name) if wheels and not turning else ()
    rows = list(eom.u_names)
    for k, n in enumerate(rotors[0]):
        effect[3:, rows.index(n)] = rotors[1][:, k]
    for k, n in enumerate(jets[0]):
        effect[:, rows.index(n)] = jets[1][:, k]
    limits = _limits(machine, rows)
    for k in range(6):
        sides = ((positive, 1.0), (negative, -1.0))
        wanted = np.eye(6)[k]
        for out, sign in sides:
            if k >= 3 and gyros:
                continue
            if k >= 3 and turning:
                u = _least(rotors[1], sign * wanted[3:], _limits(machine, rotors[0]), [False] * len(rotors[0]))
                used = rotors[0]
            else:
                one_sided = [_thruster(machine, n).one_sided for n in jets[0]]
                u = _least(jets[1], sign * wanted, _limits(machine, jets[0]), one_sided)
                used = jets[0]
            if u is None:
                out[:, k] = np.nan
                continue
            for n, x in zip(used, u, strict=True):
                out[rows.index(n), k] = x
    with np.errstate(divide="ignore", invalid="ignore"):
        rooms = [
            np.where(np.abs(x) > 1e-12, limits[:, None] / np.abs(x), np.inf).min(axis=0) for x in (positive, negative)
        ]
    capacity = np.where(np.isnan(positive).any(axis=0) | np.isnan(negative).any(axis=0), 0.0, np.minimum(*rooms))
    shared = Allocation(positive, negative, capacity, effect, rotors[0] if turning else (), jets[0], gyros)
    lacking = [x for x in shared.missing if x.split()[0] in need]
    if lacking:
        has = ", ".join((*rotors[0], *jets[0])) or "none"
        raise InputError(
            f"the actuators on the body of joint '{name}' of machine '{machine.name}' cannot produce "
            f"{', '.join(lacking)} "
            f"independently, in both directions; available are: {has}"
        )
    return shared


def _thruster(machine: Machine, name: str) -> Thruster:
    return next(x for x in machine.thrusters if x.name == name)


def _limits(machine: Machine, names: Sequence[str]) -> Array:
    by_name = {m.name: m.effort for m in machine.motors} | {x.name: x.effort for x in machine.thrusters}
    return np.array([by_name[n] for n in names])


def _wheel_columns(eom: EquationsOfMotion, base: str) -> tuple[tuple[str, ...], Array]:
    """Wheels, and the torque on the base (3, n) by a unit of each input: against the rotor's."""
    machine = eom.machine
    names = base_wheels(machine, base)
    root = np.linalg.inv(eom.pose(machine.joint(base).child, eom.q_neutral))
    columns = []
    for n in names:
        motor = next(m for m in machine.motors if m.name == n)
        joint = machine.joint(motor.joint)
        R = (root @ eom.pose(joint.child, eom.q_neutral))[:3, :3]
        columns.append(-nominal(motor.ratio) * R @ np.array([nominal(x) for x in joint.axis]))
    return names, np.array(columns).reshape(-1, 3).T


def _turning_gyros(eom: EquationsOfMotion, base: str) -> tuple[str, ...]:
    """Motors of control moment gyros, three or more, whose torques span all directions; else none."""
    gyros = gyro_cluster(eom, base)
    turned = [x for gyro in gyros for x in (gyro.spin, np.cross(gyro.axis, gyro.spin))]
    if len(gyros) < 3 or np.linalg.matrix_rank(np.array(turned)) < 3:
        return ()
    return tuple(gyro.motor for gyro in gyros)


def _jet_columns(eom: EquationsOfMotion, base: str) -> tuple[tuple[str, ...], Array]:
    """Thrusters on the base, and the wrench (6, n) at its frame by a unit of each input."""
    machine, s = eom.machine, eom.symbolic
    node = machine.tree.frames[machine.joint(base).child][0]
    block = next(b for b in eom.layout.blocks if b.name == base)
    names, columns = [], []
    for thruster in machine.thrusters:
        if machine.tree.frames[thruster.frame][0] != node:
            continue
        if thruster.axes != "frame":
            raise InputError(f"thruster '{thruster.name}' acts in world axes: an allocation needs those of its frame")
        J = ca.Function("J", [s.q, s.p], [ca.densify(s.jacobian(thruster.frame)[:, block.v])])
        numbers = J(eom.q_neutral, eom.parameter_values())
        names.append(thruster.name)
        columns.append(np.array(numbers.full()).T @ [nominal(x) for x in (*thruster.force, *thruster.torque)])
    return tuple(names), np.array(columns).reshape(-1, 6).T


def _least(B: Array, w: Array, limits: Array, one_sided: Sequence[bool]) -> Array | None:
    """Least inputs with ``B u = w``; None where there are none."""
    n = B.shape[1]
    if not n:
        return None
    scale = np.where(np.isfinite(limits), limits, 1.0)
    if not any(one_sided):
        u = scale * (np.linalg.pinv(B * scale) @ w)
    else:
        from scipy.optimize import linprog

        two_sided = [k for k, x in enumerate(one_sided) if not x]
        both = np.hstack([B, -B[:, two_sided]])  # a thruster that pushes both ways is two nozzles
        answer = linprog(np.ones(both.shape[1]), A_eq=both, b_eq=w, bounds=(0.0, None), method="highs")
        if answer.status != 0:
            return None
        x = np.asarray(answer.x, dtype=float)
        u = x[:n].copy()
        u[two_sided] -= x[n:]
    return np.asarray(u) if np.allclose(B @ u, w, atol=1e-9) else None
