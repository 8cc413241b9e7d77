"""Kinds of joint, one module each; `JOINT_KINDS` is their register.

A new kind is a module with a subclass of `JointKind` and one line here; ``model/joints/kind.py`` has the contract.
"""

from dalembert.model.joints.cylindrical import Cylindrical
from dalembert.model.joints.fixed import Fixed
from dalembert.model.joints.free import Free
from dalembert.model.joints.kind import Coordinates, JointKind
from dalembert.model.joints.planar import Planar
from dalembert.model.joints.prismatic import Prismatic
from dalembert.model.joints.revolute import Revolute
from dalembert.model.joints.screw import Screw
from dalembert.model.joints.spherical import Spherical
from dalembert.model.joints.universal import Universal

__all__ = ["JOINT_KINDS", "Coordinates", "JointKind"]

JOINT_KINDS: dict[str, type[JointKind]] = {
    kind.name: kind for kind in (Revolute, Prismatic, Screw, Cylindrical, Universal, Spherical, Planar, Free, Fixed)
}
