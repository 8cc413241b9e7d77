"""Bounds that tell when a contact is near: speeds of its two sides, and sizes of its solids."""

from __future__ import annotations

import math
from collections.abc import Iterable

import casadi as ca
import numpy as np

from dalembert.core.parameter import Scalar, nominal
from dalembert.core.types import Array, Expression
from dalembert.formulations.contact.system import ContactPair, ContactSystem
from dalembert.model.contacts import HalfSpace, SphericalSurface
from dalembert.model.geometry import Box, Capsule, Sphere

__all__ = ["contact_paces", "contact_sizes"]


def contact_paces(system: ContactSystem) -> Expression:
    """Bounds of the speeds with which the two sides of contacts move: of their frames, and of arms that turn."""
    f, v, value = system.formulation, system.variables.v, system.variables.value

    def pace(frame: str, arm: Expression) -> Expression | float:
        if system.machine.tree.frames[frame][0] < 0:
            return 0.0
        twist = ca.densify(ca.SX(f.jacobian(frame)) @ v)
        return ca.norm_2(twist[:3]) + ca.norm_2(twist[3:]) * arm

    def length(vector: Iterable[Scalar]) -> Expression:
        return ca.norm_2(ca.vertcat(*[ca.SX(value(x)) for x in vector]))

    paces = []
    for k, pair in enumerate(system.pairs):
        contact = pair.contact
        if contact is None:
            paces.append(ca.fabs(system.velocity[3 * k]))
            continue
        arm = length(contact.origin.translation)
        match contact.solid:
            case Sphere(radius=radius):
                arm += value(radius)
            case Capsule(radius=radius, length=straight):
                arm += value(radius) + value(straight) / 2
            case Box(size=size):
                arm += length(size) / 2
        if isinstance(contact.surface, SphericalSurface):
            other = length(contact.surface.centre) + value(contact.surface.radius)
        else:
            p_a, p_o = (ca.SX(f.frame_pose(frame)[1]) for frame in contact.frames)
            other = ca.norm_2(p_a - p_o) + arm
        paces.append(ca.SX(pace(contact.frame, arm) + pace(contact.on, other + ca.fabs(system.gaps[k]))))
    return ca.vertcat(*paces)


def contact_sizes(pairs: tuple[ContactPair, ...]) -> Array:
    """Length below which nothing passes unseen: a half-space has no other side, but a ball has a finite size."""
    sizes = []
    for pair in pairs:
        contact = pair.contact
        size = math.inf
        if contact is not None:
            solid = contact.solid
            size = float(nominal(solid.radius)) if isinstance(solid, Sphere | Capsule) else 0.0
            if not isinstance(contact.surface, HalfSpace) and not contact.surface.inside:
                size += float(nominal(contact.surface.radius))
        sizes.append(size if size > 0.0 else math.inf)
    return np.array(sizes)
