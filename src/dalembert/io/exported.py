"""Common parts of exports: the text, the list of missing elements, and joints split into supported ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.files import write_file
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.types import Array
from dalembert.core.validation import VectorLike
from dalembert.core.warn import warn
from dalembert.model.elastic.contract import Elastic
from dalembert.model.joint import Joint
from dalembert.model.machine import Machine
from dalembert.model.transform import Transform
from dalembert.spatial.alignment import plane_axes

__all__ = [
    "Exported",
    "Simple",
    "check_exportable",
    "finish",
    "numbers",
    "parts_without_counterpart",
    "rotation_of",
    "simple_joints",
]


@dataclass(frozen=True)
class Exported:
    """A machine in another format.

    Parameters
    ----------
    text
        The text of the file.
    left_out
        Elements that were not carried over or are different there, each in a line.
    """

    text: str
    left_out: tuple[str, ...]

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Simple:
    """A joint of one of the kinds that every format has.

    Parameters
    ----------
    name
        Its name.
    kind
        ``"revolute"``, ``"prismatic"``, ``"spherical"`` or ``"free"``.
    axis
        In the frame of the joint.
    """

    name: str
    kind: str
    axis: Array


def simple_joints(joint: Joint, what: str, without: Sequence[str] = ()) -> list[Simple]:
    """Joints one after the other that move as a joint does, with its coordinates.

    Parameters
    ----------
    joint
        The joint.
    what
        The format, for the message.
    without
        Kinds that the format does not have, besides screws.

    Raises
    ------
    InputError
        If the format has none.
    """
    axis = np.array([nominal(x) for x in joint.axis])
    match None if joint.kind in without else joint.kind:
        case "revolute" | "prismatic" | "spherical" | "free":
            return [Simple(joint.name, joint.kind, axis)]
        case "cylindrical":
            kinds, axes = ("revolute", "prismatic"), (axis, axis)
        case "universal":
            assert joint.second_axis is not None
            second = np.array([nominal(x) for x in joint.second_axis])
            kinds, axes = ("revolute", "revolute"), (axis, second)
        case "planar":
            E = plane_axes([nominal(x) for x in joint.axis])
            names = zip(joint.q_names, ("prismatic", "prismatic", "revolute"), E.T, strict=True)
            return [Simple(name, kind, np.asarray(a)) for name, kind, a in names]
        case _:
            raise InputError(f"joint '{joint.name}': {what} has no equivalent of a {joint.kind} joint")
    return [Simple(*parts) for parts in zip(joint.q_names, kinds, axes, strict=True)]


def check_exportable(machine: Machine, what: str) -> None:
    """Refuse machines whose coordinates the other format cannot have."""
    if not isinstance(machine, Machine):
        raise InputError(f"a machine is needed, got {type(machine).__name__}")
    beams = [f"{b.kind} '{b.name}'" for b in machine.bodies if isinstance(b, Elastic)]
    if beams:
        raise InputError(f"machine '{machine.name}' has the {beams[0]}: {what} has no flexible bodies")


def parts_without_counterpart(machine: Machine, fields: Sequence[str]) -> list[str]:
    """Lines about parts of a machine that another format does not have, and about its parameters."""
    lines = []
    for field in fields:
        names = [f"'{element.name}'" for element in getattr(machine, field)]
        if names:
            lines.append(f"{field} {', '.join(names)}")
    if machine.parameters:
        lines.append(f"parameters {', '.join(repr(p.name) for p in machine.parameters)}: their values are written")
    return lines


def numbers(values: Scalar | VectorLike) -> str:
    """Numbers with all their digits, parameters at their nominal values."""
    flat = values if isinstance(values, Sequence | np.ndarray) else [values]
    return " ".join(repr(float(nominal(float(x) if isinstance(x, np.floating) else x)) + 0.0) for x in flat)


def rotation_of(place: Transform) -> Array:
    """Rotation matrix of a placement in numbers."""
    return np.array([[nominal(x) for x in row] for row in place.rotation])


def finish(machine: Machine, what: str, text: str, left_out: list[str], path: str | Path | None) -> Exported:
    """Write the file, and list the missing elements."""
    if path is not None:
        write_file(path, text)
    if left_out:
        warn(f"machine '{machine.name}': not carried over to {what}: {'; '.join(left_out)}")
    return Exported(text, tuple(left_out))
