"""A law that takes the angular momentum out of a machine on a free base, and its algebra, which guidance shares."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.control.allocation import allocate
from dalembert.control.gyro_steering import gyro_momentum
from dalembert.control.law_bases import _Stateless, machine_state
from dalembert.control.rotors import base_wheels
from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.types import Expression
from dalembert.core.validation import check_number
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.floating import free_base
from dalembert.spatial.rotations import quaternion_matrix

__all__ = ["Detumbling", "braking_torque", "momentum_about_centre", "rotor_momentum"]


def momentum_about_centre(eom: EquationsOfMotion, q: Expression, v: Expression, p: Expression) -> Expression:
    """Angular momentum (3) of all bodies about their centre of mass, in world axes."""
    s = eom.symbolic
    known = ca.Function("known", [s.q, s.v, s.p], [ca.densify(s.momentum), ca.densify(s.center_of_mass)])
    h, centre = known(q, v, p)
    return h[3:] - ca.cross(centre, h[:3])


def braking_torque(h: Expression, torque: Expression | float, settle: Expression | float) -> Expression:
    """Torque against a momentum: ``-h / settle``, at most ``torque`` in size."""
    return -ca.fmin(1.0 / settle, torque / ca.fmax(ca.norm_2(h), 1e-9)) * h


def rotor_momentum(eom: EquationsOfMotion, base: str, q: Expression, v: Expression) -> Expression:
    """Angular momentum (3) that wheels and gyros on a base have by their turning in it, in axes of the base."""
    effect = allocate(eom, base, need=()).effect
    motors = {m.name: m for m in eom.machine.motors}
    bodies = {b.name: b for b in eom.machine.bodies}
    h = gyro_momentum(eom, q, v, base)[0]
    for name in base_wheels(eom.machine, base):
        motor = motors[name]
        joint = eom.machine.joint(motor.joint)
        axis = -effect[3:, eom.u_names.index(name)] / nominal(motor.ratio)
        own = np.array([nominal(x) for x in joint.axis])
        I = np.array([[nominal(x) for x in row] for row in bodies[joint.child].inertia])  # type: ignore[union-attr]
        block = next(b for b in eom.layout.blocks if b.name == motor.joint)
        h = h + ca.DM(axis * float(own @ I @ own)) * v[block.v.start]
    return h


@dataclass(frozen=True)
class Detumbling(_Stateless):
    """Thrusters of a free base bring a tumbling machine to rest: a torque against its angular momentum.

    The momentum ``h`` is that of all bodies about their centre of mass, less that of wheels and gyros on the base. The
    torque is ``-h / settle``, at most ``torque`` in size: ``|h|`` falls along a straight line, then with the time
    constant ``settle``. The momentum comes to rest whatever moves within the machine; the joints of an arm need a law
    as well, ``Together([PD(...), Detumbling(3.0)])``.

    Parameters
    ----------
    torque
        Largest torque [N m]; not above the torque that the thrusters give in each direction.
    settle
        Time constant of the end [s].
    joint
        The free joint; the machine may have no other one.

    Examples
    --------
    >>> Detumbling(3.0, settle=8.0).settle
    8.0
    """

    torque: float
    settle: float = 8.0
    joint: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("torque of Detumbling", self.torque, unit="N m")
        check_number("settle of Detumbling", self.settle, unit="s")

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs as expressions."""
        eom, q, v = machine_state(eom, q, v, p)
        base = free_base(eom, self.joint)
        free = [j.name for j in eom.machine.joints if j.kind == "free"]
        if len(free) > 1:
            raise InputError(
                f"Detumbling brakes one floating machine, but '{eom.machine.name}' has the free joints "
                f"{', '.join(free)}: join them first (dalembert.join)"
            )
        jets = allocate(eom, base, need=("torque",), wheels=False)
        least = float(jets.capacity[3:].min())
        if self.torque > least * (1.0 + 1e-9):
            raise InputError(
                f"torque of Detumbling is {self.torque:g} N m, but the thrusters of machine '{eom.machine.name}' give "
                f"{least:g} N m about their weakest axis"
            )
        block = next(b for b in eom.layout.blocks if b.name == base)
        R = quaternion_matrix(q[block.q.start + 3 : block.q.start + 7])
        h = R.T @ momentum_about_centre(eom, q, v, p) - rotor_momentum(eom, base, q, v)
        return ca.SX(jets.expression(ca.vertcat(ca.SX.zeros(3), braking_torque(h, self.torque, self.settle)))), ca.SX(
            0, 1
        )
