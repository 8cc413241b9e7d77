"""Links and joints of a URDF file as bodies, joints, motors and couplings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.core.errors import UnknownNameError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.core.warn import warn
from dalembert.io.source import locating
from dalembert.io.urdf_xml import Element
from dalembert.model.body import Body
from dalembert.model.checks import inertia_fault
from dalembert.model.joint import Joint, Limits
from dalembert.model.parts import Coupling
from dalembert.model.transform import Transform

__all__ = ["JOINT_TYPES", "Mimic", "check_leaders", "couplings", "read_joint", "read_link", "read_mimic", "read_origin"]

JOINT_TYPES = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "planar": "planar",
    "floating": "free",
}


def read_origin(parent: Element) -> Transform:
    """Placement given by the <origin> of an element; the identity where there is none."""
    origin = parent.one("origin")
    if origin is None:
        return Transform()
    xyz = origin.numbers("xyz", 3, (0.0, 0.0, 0.0))
    roll, pitch, yaw = origin.numbers("rpy", 3, (0.0, 0.0, 0.0))
    return Transform.rpy(roll, pitch, yaw, xyz)


def read_link(link: Element, *, repair: bool = False) -> Body:
    """Body of a link: its inertia turned from the axes of the inertial frame into those of the link.

    Parameters
    ----------
    link
        The <link> element.
    repair
        Replace an impossible inertia by the nearest possible one, with a warning.
    """
    name = link.text("name")
    inertial = link.one("inertial")
    with locating(link.label, link.line):
        if inertial is None:
            return Body(name)
        pose = read_origin(inertial)
        mass = inertial.needed("mass").number("value")
        tensor = inertial.needed("inertia")
        xx, xy, xz, yy, yz, zz = (tensor.number(k) for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    fault = inertia_fault(I, 1e-15 * max(mass, 0.0))
    if repair and fault:
        I = nearest_inertia(I)
        warn(
            f"{link.label}:{tensor.line}: inertia of link '{name}' was impossible ({fault}) and is replaced "
            f"by the nearest possible one"
        )
    R = np.array([[nominal(x) for x in row] for row in pose.rotation])
    if not np.array_equal(R, np.eye(3)):
        I = R @ I @ R.T
    upper = [float(I[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    with locating(link.label, inertial.line):
        return Body(name, mass, pose.translation, upper)  # type: ignore[arg-type]


def nearest_inertia(inertia: Array) -> Array:
    """Nearest inertia (Frobenius norm of the second moments) that a body can have.

    The second moments of mass S = tr(I)/2 1 - I are positive semidefinite exactly if the principal moments
    are not negative and keep the triangle inequality; negative eigenvalues of S are set to zero and I = tr(S)
    1 - S.
    """
    S = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    values, vectors = np.linalg.eigh(0.5 * (S + S.T))
    S = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return np.asarray(np.trace(S) * np.eye(3) - S)


def read_joint(element: Element) -> Joint:
    """Joint of a <joint> element; losses and limits where its kind has them."""
    name = element.text("name")
    kind = element.text("type")
    if kind not in JOINT_TYPES:
        raise element.error(f"type is {kind!r}; known types: {', '.join(JOINT_TYPES)}")
    parent, child = (element.needed(end).text("link") for end in ("parent", "child"))
    origin = read_origin(element)
    with locating(element.label, element.line):
        if kind == "fixed":
            return Joint(name, "fixed", parent, child, origin)
        damping = friction = 0.0
        if (dynamics := element.one("dynamics")) is not None:
            damping, friction = dynamics.number("damping", 0.0), dynamics.number("friction", 0.0)
        axis = (0.0, 0.0, 1.0)
        if kind != "floating":
            axis_element = element.one("axis")
            axis = axis_element.numbers("xyz", 3) if axis_element else (1.0, 0.0, 0.0)  # type: ignore[assignment]
        limits = Limits()
        if kind in ("revolute", "continuous", "prismatic"):
            limits = _limits(element, bounded=kind != "continuous")
        return Joint(name, JOINT_TYPES[kind], parent, child, origin, axis, limits, damping=damping, friction=friction)


def _limits(element: Element, *, bounded: bool) -> Limits:
    limit = element.one("limit")
    if limit is None:
        if bounded:
            kind = element.text("type")
            raise element.error(f"type {kind!r} needs a <limit> element with effort and velocity")
        return Limits()
    speed, effort = (limit.number(key, infinite=True) for key in ("velocity", "effort"))
    with locating(limit.label, limit.line):
        for key, value in (("velocity", speed), ("effort", effort)):
            if value < 0:
                raise limit.error(f"attribute '{key}' of <limit> must be >= 0, got {value:g}")
        speed, effort = _unlimited(speed), _unlimited(effort)
        # A speed of zero stands for "not known" in the files in use: a joint that cannot move would be fixed.
        speed = speed or np.inf
        if effort == 0.0:
            warn(
                f"{limit.label}:{limit.line}: joint '{element.text('name')}' has the effort limit 0: a motor on it can "
                "do nothing; write the largest effort, or inf where it is not known"
            )
        if not bounded:
            return Limits(velocity=speed, effort=effort)
        lower, upper = (_unlimited(limit.number(end, 0.0, infinite=True)) for end in ("lower", "upper"))
        if lower > upper:
            raise limit.error(f"the lower limit {lower:g} must not exceed the upper limit {upper:g}")
        return Limits(lower, upper, speed, effort)


def _unlimited(value: float) -> float:
    """Infinity for the largest number, which stands for it where readers do not know the word."""
    return float(np.copysign(np.inf, value)) if abs(value) >= np.finfo(float).max else value


@dataclass(frozen=True)
class Mimic:
    """A <mimic> element: this joint follows ``leader``."""

    element: Element
    joint: str
    leader: str
    multiplier: float
    offset: float


def read_mimic(element: Element) -> Mimic | None:
    """Return the <mimic> of a joint that moves, if it has one."""
    mimic = element.one("mimic")
    if mimic is None or element.text("type") == "fixed":
        return None
    return Mimic(
        mimic,
        element.text("name"),
        mimic.text("joint"),
        mimic.number("multiplier", 1.0),
        mimic.number("offset", 0.0),
    )


def check_leaders(mimics: dict[str, Mimic], joints: dict[str, Joint]) -> None:
    """Refuse a joint that mimics one that does not exist."""
    for mimic in mimics.values():
        if mimic.leader not in joints:
            error = UnknownNameError("joint", mimic.leader, joints, mimic.element.label)
            raise mimic.element.error(f"mimics another joint, but there is {error}")


def couplings(mimics: dict[str, Mimic], joints: dict[str, Joint]) -> tuple[Coupling, ...]:
    """Couplings of the joints that follow others; a chain of followers is resolved to its first leader."""
    result = []
    for mimic in mimics.values():
        ratio, offset, leader, seen = mimic.multiplier, mimic.offset, mimic.leader, [mimic.joint]
        while leader in mimics:
            if leader in seen:
                names = ", ".join(sorted(seen))
                raise mimic.element.error(f"the joints {names} mimic each other in a cycle")
            seen.append(leader)
            above = mimics[leader]
            ratio, offset, leader = ratio * above.multiplier, ratio * above.offset + offset, above.leader
        if leader not in joints or joints[leader].info.nv != 1:
            one = [name for name, joint in joints.items() if joint.info.nv == 1]
            error = UnknownNameError("joint with one coordinate", leader, one, mimic.element.label)
            raise mimic.element.error(f"mimics another joint, but there is {error}")
        result.append(Coupling(mimic.joint, leader, ratio, offset))
    return tuple(result)
