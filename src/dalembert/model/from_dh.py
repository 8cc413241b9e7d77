"""Serial machines from Denavit-Hartenberg tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from dalembert.core.errors import MachineError
from dalembert.core.validation import Vector, VectorLike
from dalembert.model.body import Body
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import STANDARD_GRAVITY, Machine
from dalembert.model.parts import Frame, Motor
from dalembert.model.transform import IDENTITY, Transform
from dalembert.spatial.dh import DHRow, DHTable

__all__ = ["machine_from_dh"]


def machine_from_dh(
    table: DHTable,
    bodies: Sequence[Body],
    *,
    name: str = "arm",
    joint_names: Sequence[str] | None = None,
    motors: bool | Sequence[Motor] = True,
    gravity: VectorLike = STANDARD_GRAVITY,
) -> Machine:
    """Return the serial machine of a Denavit-Hartenberg table.

    The frame of body ``i`` is the frame of row ``i`` in the table's convention; the frame ``"tool"`` is the
    end of the table. The coordinates are the joint variables, which are added to theta or d. In a classic
    table the frame of a row lies at the far end of its segment, away from the axis of its joint: there a
    massless body ``<joint>_axis`` stands between the joint and the body.

    Parameters
    ----------
    table
        The table.
    bodies
        One body per row, with centre of mass and inertia in the frame of the row.
    name
        Name of the machine.
    joint_names
        Names of the joints; the default is q1, q2, ...
    motors
        Whether each joint has a motor of its name, or the motors.
    gravity
        Acceleration of gravity.

    Examples
    --------
    >>> from dalembert.model import rod
    >>> links = [rod(f"link{i}", mass=1.0, length=1.0, com=(-0.5, 0, 0)) for i in (1, 2)]
    >>> arm = machine_from_dh(DHTable("classic", [(0, 0, 1, 0), (0, 0, 1, 0)]), links)
    >>> arm.q_names
    ('q1', 'q2')
    """
    if not isinstance(table, DHTable):
        raise MachineError(f"table must be a DHTable, got {table!r}")
    bodies = list(bodies) if isinstance(bodies, Iterable) else [bodies]
    if not all(isinstance(body, Body) for body in bodies):
        raise MachineError(f"bodies of a DH table must be a list of Body, got {bodies!r}")
    if joint_names is not None and (isinstance(joint_names, str) or not isinstance(joint_names, Iterable)):
        raise MachineError(f"joint_names of a DH table must be a list of names, got {joint_names!r}")
    names = [f"q{i + 1}" for i in range(len(table.rows))] if joint_names is None else list(joint_names)
    for what, listed in (("bodies", bodies), ("joint_names", names)):
        if len(listed) != len(table.rows):
            n = len(table.rows)
            raise MachineError(f"{what} must be one per row of the DH table, {n}, got {len(listed)}")
    parts: list[Body] = []
    joints: list[Joint] = []
    parent, before = WORLD, _product(table.base, table.convention)
    for row, joint, body in zip(table.rows, names, bodies, strict=True):
        fixed = row_transform(row, table.convention)
        if table.convention == "classic":
            axis = Body(f"{joint}_axis")
            joints.append(Joint(joint, row.kind, parent, axis.name, before))
            joints.append(Joint(f"{joint}_link", "fixed", axis.name, body.name, fixed))
            parts += [axis, body]
        else:
            joints.append(Joint(joint, row.kind, parent, body.name, before @ fixed))
            parts.append(body)
        parent, before = body.name, IDENTITY
    drives = [Motor(n, n) for n in names] if motors is True else list(motors or ())
    return Machine(
        name,
        bodies=tuple(parts),
        joints=tuple(joints),
        frames=(Frame("tool", parent, _product(table.tool, table.convention)),),
        motors=tuple(drives),
        gravity=cast(Vector, gravity),
    )


def row_transform(row: DHRow, convention: str) -> Transform:
    """Fixed transform of a row, without its joint's variable."""
    x = Transform.rpy(roll=row.alpha, translation=(row.a, 0.0, 0.0))
    if convention == "adapted":
        return Transform((0.0, 0.0, row.d)) @ x @ Transform.rpy(yaw=row.theta)
    z = Transform.rpy(yaw=row.theta, translation=(0.0, 0.0, row.d))
    return z @ x if convention == "classic" else x @ z


def _product(rows: Sequence[DHRow], convention: str) -> Transform:
    pose = IDENTITY
    for row in rows:
        pose = pose @ row_transform(row, convention)
    return pose
