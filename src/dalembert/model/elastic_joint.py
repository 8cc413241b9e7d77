"""Elastic joints: a motor that turns the link through a gear and a spring (motor side and link side).

The joint is two joints in series about one axis: the motor turns a carrier without mass, and the spring lies between
carrier and link. With the motor's angle ``theta_m`` and the link's angle ``theta_l`` the coordinates are

    NAME.motor = theta_m / n,        NAME = theta_l - theta_m / n      (the deflection of the spring)

and the rotor's inertia ``n^2 I_m`` moves with the first one only. As everywhere in the library the rotor's gyroscopic
coupling with the link that carries it is left out.
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import Vector
from dalembert.model.body import Body
from dalembert.model.joint import Joint
from dalembert.model.parts import Motor
from dalembert.model.transform import IDENTITY, Transform

__all__ = ["ElasticJoint", "elastic_joint"]


@dataclass(frozen=True)
class ElasticJoint:
    """Parts of an elastic joint, to be added to those of a machine."""

    carrier: Body
    motor_side: Joint
    link_side: Joint
    motor: Motor

    @property
    def joints(self) -> tuple[Joint, Joint]:
        """The two joints."""
        return self.motor_side, self.link_side


def elastic_joint(
    name: str,
    kind: str,
    parent: str,
    child: str,
    *,
    stiffness: Scalar,
    rotor_inertia: Scalar,
    ratio: Scalar = 1.0,
    origin: Transform = IDENTITY,
    axis: Vector = (0.0, 0.0, 1.0),
    damping: Scalar = 0.0,
    motor_damping: Scalar = 0.0,
    effort: float = float("inf"),
) -> ElasticJoint:
    """Make an elastic revolute or prismatic joint.

    Parameters
    ----------
    name
        Name of the joint; its motor has the same name, the motor side is called ``NAME.motor``.
    kind, parent, child, origin, axis
        As in `Joint`.
    stiffness, damping
        Stiffness and damping of the spring between motor and link, on the link side of the gear.
    ratio, rotor_inertia, motor_damping, effort
        As in `Motor`.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.model import elastic_joint
    >>> arm = da.Body("arm", 1.0, (0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
    >>> j = elastic_joint("q", "revolute", "world", "arm", stiffness=100.0, rotor_inertia=1e-4, ratio=50.0)
    >>> da.Machine("m", [arm, j.carrier], j.joints, motors=[j.motor]).q_names
    ('q.motor', 'q')
    """
    if kind not in ("revolute", "prismatic"):
        raise MachineError(f"elastic joint '{name}' must be revolute or prismatic, got {kind!r}")
    for field, value in (("stiffness", stiffness), ("rotor inertia", rotor_inertia)):
        if not nominal(_scalar(value)) > 0.0:
            raise MachineError(f"{field} of elastic joint '{name}' must be > 0, got {value!r}")
    carrier = Body(f"{name}.carrier")
    return ElasticJoint(
        carrier,
        Joint(f"{name}.motor", kind, parent, carrier.name, origin, axis),
        Joint(name, kind, carrier.name, child, axis=axis, stiffness=stiffness, damping=damping),
        Motor(name, f"{name}.motor", ratio, rotor_inertia, motor_damping, effort),
    )


def _scalar(value: Scalar) -> Scalar:
    return float(value) if isinstance(value, int) else value
