"""A law of control moment gyros on a free base, whose steering avoids singular gimbal angles."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.gyro_steering import gyro_inputs
from dalembert.control.law_bases import _Stateless, machine_state
from dalembert.control.rotors import base_gyros
from dalembert.control.spacecraft import PoseReference, pose_reference
from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Expression
from dalembert.core.validation import check_number
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.floating import free_base
from dalembert.spatial.rotations import quaternion_difference, quaternion_matrix

__all__ = ["GyroPD"]


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
        gyros = base_gyros(eom.machine, base)
        if len(gyros) < 3:
            raise InputError(
                f"GyroPD needs three control moment gyros or more on the body of joint '{base}' of machine "
                f"'{eom.machine.name}'; there are {', '.join(gyros) or 'none'}"
            )
        block = next(b for b in eom.layout.blocks if b.name == base)
        Q, w = q[block.q][3:], v[block.v][3:]
        _, Qr, _, rate = pose_reference(self.reference, t, "GyroPD")
        e = quaternion_difference(Q, Qr)
        ed = quaternion_matrix(Q).T @ quaternion_matrix(Qr) @ rate - w
        kp, kd = (ca.DM(as_numbers(x)) for x in (self.kp, self.kd))
        torque = kp * e + kd * ed
        settings = {"rate": self.rate, "avoid": self.avoid, "follow": self.follow}
        return gyro_inputs(eom, base, (t, q, v), torque, **settings), ca.SX(0, 1)
