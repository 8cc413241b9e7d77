"""Capsules of beams and rods: their axis as a chain of straight segments, for colliders."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from dalembert.core.errors import MachineError
from dalembert.model.elastic.contract import Elastic

if TYPE_CHECKING:
    from dalembert.model.colliders import Collider

__all__ = ["MOST_SEGMENTS", "AxisSegment", "axis_segments"]

MOST_SEGMENTS = 200
"""Capsules of a beam or rod, at most."""
_SEGMENTS = 8
"""Their number where none is given."""


@dataclass(frozen=True)
class AxisSegment:
    """A capsule between two sections of a beam or rod.

    Parameters
    ----------
    body
        The beam or rod.
    start, end
        Abscissae of the sections.
    radius
        Radius of the capsule.
    """

    body: Elastic
    start: float
    end: float
    radius: float


def axis_segments(body: Elastic, collider: Collider, where: str) -> list[AxisSegment]:
    """Capsules of a beam or rod of a collider, from root to tip; ``where`` names the machine in errors.

    The rounded ends of the first and the last one reach as far as the axis does.
    """
    label = f"{body.kind} '{body.name}' of collider '{collider.name}' of {where}"
    length = body.axis_length
    if length is None:
        reason = (
            "sizes of shapes are numbers, and its length is a parameter" if body.kind == "beam" else "it has no axis"
        )
        raise MachineError(f"{label} has no capsules: {reason}; let bodies on its sections collide")

    def radius_at(s: float) -> float:
        radius = body.axis_radius(s) if collider.radius is None else collider.radius
        if radius is None:
            raise MachineError(
                f"the section of {label} at {s:g} m has less second moments than a solid circle with its area: give "
                "the collider a radius"
            )
        return radius

    first, last = radius_at(0.0), radius_at(length)
    if not 2.0 * (first + last) < length:
        raise MachineError(
            f"{label} is {length:g} m long, and its capsules have the radius {max(first, last):g} m: give the collider "
            "a radius of less than a quarter of the length"
        )
    ends = [float(s) for s in np.linspace(first, length - last, (collider.segments or _SEGMENTS) + 1)]
    return [AxisSegment(body, a, b, radius_at((a + b) / 2)) for a, b in pairwise(ends)]
