"""Machines from URDF files.

Read are the links with their inertia and their shapes (visual and collision), and the joints with origin, axis,
limits, dynamics and mimic; transmissions and extensions are skipped. Every error has the file, the line, the element,
the value and the expected values. Loading a file runs nothing and reads nothing else: meshes are located, and read when
they are needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

from dalembert.core.errors import InputError, MachineError, UnknownNameError
from dalembert.core.files import read_bytes
from dalembert.core.validation import Vector
from dalembert.core.warn import warn
from dalembert.io.source import locating
from dalembert.io.urdf_geometry import Finder, read_colours, read_geometry
from dalembert.io.urdf_parts import Mimic, check_leaders, couplings, read_joint, read_link, read_mimic
from dalembert.io.urdf_xml import Element, parse_xml
from dalembert.model.body import Body
from dalembert.model.joint import WORLD, Joint
from dalembert.model.locking import Position, asked_positions, locked_joint, locked_positions
from dalembert.model.machine import STANDARD_GRAVITY, Machine
from dalembert.model.parts import Coupling, Motor

__all__ = ["load_urdf"]

ROOT_JOINT = "root_joint"
TEXT = "<text>"


def load_urdf(
    source: str | Path,
    *,
    floating_base: bool = False,
    mimic: Literal["independent", "follow"] = "independent",
    lock: Mapping[str, Position] | Iterable[str] | None = None,
    inertia: Literal["refuse", "repair"] = "refuse",
    motors: bool = True,
    gravity: Vector | None = None,
    name: str | None = None,
    geometry: bool = True,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
) -> Machine:
    """Read a machine from a URDF file.

    Links become bodies of the same name, joints keep theirs; the order of the coordinates is that of
    Pinocchio. Joints of type continuous become revolute without limits, floating ones free. A zero velocity
    limit means that none is known, a zero effort limit that a motor can do nothing (with a warning). An inertia is
    judged after the links that are fixed to each
    other are merged: a link that is impossible alone gives a warning, a moving one that is impossible as a
    whole is refused.

    Parameters
    ----------
    source
        Path of the file, or the XML text itself.
    floating_base
        Put the root link on a free joint named ``root_joint`` instead of fixing it to the world.
    mimic
        Treatment of joints that mimic another one: ``"independent"`` gives each its own coordinate (with a warning),
        ``"follow"`` couples them.
    lock
        Joints to fix: a mapping of names to positions, or names only (the neutral position).
    inertia
        ``"refuse"`` an impossible inertia, or ``"repair"``: replace the inertia of each link that is
        impossible by the nearest possible one, with a warning.
    motors
        Give every movable joint with one coordinate a motor of the same name, limited to the joint's effort.
    gravity
        Acceleration of gravity; the default is (0, 0, -9.81).
    name
        Name of the machine instead of that of the robot.
    geometry
        Whether to keep the shapes of the links.
    packages
        Folders of the packages that meshes are named by (``package://NAME/..``), where the environment variable
        ``ROS_PACKAGE_PATH`` and the folders above the file do not lead to them.

    Examples
    --------
    >>> arm = load_urdf('''
    ... <robot name="arm">
    ...   <link name="base"/>
    ...   <link name="link"><inertial>
    ...     <origin xyz="0 0 0.5"/><mass value="2"/>
    ...     <inertia ixx="0.2" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.01"/>
    ...   </inertial></link>
    ...   <joint name="hinge" type="continuous"><parent link="base"/><child link="link"/></joint>
    ... </robot>''')
    >>> arm.q_names, arm.joint("hinge").axis, arm.u_names
    (('hinge',), (1.0, 0.0, 0.0), ('hinge',))
    """
    _check_choice("mimic", mimic, ("independent", "follow"))
    _check_choice("inertia", inertia, ("refuse", "repair"))
    robot, label = _root(source)
    links = [e for e in robot.children if e.tag == "link"]
    elements = [e for e in robot.children if e.tag == "joint"]
    lines = _lines(elements) | _lines(links)
    bodies = {e.text("name"): read_link(e, repair=inertia == "repair") for e in links}
    if geometry:
        find, colours = Finder(None if label == TEXT else Path(label).parent, packages), read_colours(robot)
        for e in links:
            body = bodies[e.text("name")]
            bodies[body.name] = replace(body, geometry=read_geometry(e, find, colours))
    joints = {e.text("name"): read_joint(e) for e in elements}
    mimics = {m.joint: m for e in elements if (m := read_mimic(e)) is not None}
    _check_ends(elements, joints, bodies)

    root = _root_link(robot, joints, bodies, lines)
    fixed = asked_positions(lock)
    followers = _followers(mimics, joints, label, fixed, follow=mimic == "follow")
    locked = locked_positions(list(joints.values()), followers, fixed, label)
    for joint, position in locked.items():
        joints[joint] = locked_joint(joints[joint], position)
    coupled = {c.joint for c in followers}
    driven = [j for j in joints.values() if motors and j.info.nv == 1 and j.name not in coupled]
    if name is None:
        if "name" not in robot.attributes:
            raise robot.error("<robot> has no attribute 'name'; add it, or pass name=...")
        name = robot.text("name")
    parts, tree = _on_world(root, list(bodies.values()), list(joints.values()), floating_base, label)
    with locating(label, robot.line, lines), _hinting(inertia):
        if not any(j.info.nv for j in tree):
            raise robot.error(f"robot '{name}' has no moving joint; floating_base=True puts it on a free one")
        return Machine(
            name,
            bodies=tuple(parts),
            joints=tuple(tree),
            motors=tuple(Motor(j.name, j.name, effort=j.limits.effort) for j in driven),
            couplings=tuple(c for c in followers if c.joint not in locked),
            gravity=STANDARD_GRAVITY if gravity is None else gravity,
        )


@contextmanager
def _hinting(inertia: str) -> Iterator[None]:
    """Name the option that helps with an impossible inertia."""
    try:
        yield
    except MachineError as error:
        if "is impossible" in str(error) and inertia == "refuse":
            raise MachineError(f"{error}; inertia='repair' replaces it by the nearest possible one") from None
        raise


def _check_choice(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InputError(f"{what} must be one of {', '.join(map(repr, known))}, got {value!r}")


def _root(source: str | Path) -> tuple[Element, str]:
    """Return the <robot> element and the name of the file."""
    if not isinstance(source, str | Path):
        raise InputError(f"a URDF source must be a path or an XML text, got {type(source).__name__}")
    if isinstance(source, str) and "<" in source:
        text, label = source.lstrip(), TEXT  # nothing may precede an XML declaration
        robot = parse_xml(text, label, source[: len(source) - len(text)].count("\n"))
    else:
        path = Path(source)
        label = str(path)
        robot = parse_xml(read_bytes(path, "URDF"), label)
    if robot.tag != "robot":
        raise robot.error(f"the root element is <{robot.tag}>, expected <robot>: this is not a URDF file")
    queue = [robot]
    while queue:
        for element in queue.pop().children:
            if element.tag.startswith("xacro:"):
                raise element.error(f"<{element.tag}>: a xacro file; run xacro first and load its result")
            queue.append(element)
    return robot, label


def _lines(elements: list[Element]) -> dict[str, int]:
    """Lines of the elements by name; a name that occurs twice is an error."""
    lines: dict[str, int] = {}
    for element in elements:
        name = element.text("name")
        if name in lines:
            raise element.error(f"is a second {element.tag} of this name, the first is at line {lines[name]}")
        lines[name] = element.line
    return lines


def _check_ends(elements: list[Element], joints: dict[str, Joint], bodies: dict[str, Body]) -> None:
    held: dict[str, str] = {}
    for element in elements:
        joint = joints[element.text("name")]
        for end in ("parent", "child"):
            if getattr(joint, end) not in bodies:
                error = UnknownNameError("link", getattr(joint, end), bodies, element.label)
                raise element.needed(end).error(f"its {end} does not exist: {error}")
        if joint.child in held:
            first = held[joint.child]
            raise element.error(f"its child '{joint.child}' is already the child of joint '{first}'")
        held[joint.child] = joint.name


def _root_link(robot: Element, joints: dict[str, Joint], bodies: dict[str, Body], lines: Mapping[str, int]) -> str:
    if not bodies:
        raise robot.error("<robot> has no <link> element")
    children = {j.child for j in joints.values()}
    roots = [name for name in bodies if name not in children]
    if not roots:
        raise robot.error("there is no root link: each is the child of a joint, so they form a cycle")
    if len(roots) > 1:
        names = ", ".join(f"'{r}' (line {lines[r]})" for r in roots)
        raise robot.error(f"there are {len(roots)} root links, expected one: {names}")
    return roots[0]


def _followers(
    mimics: dict[str, Mimic], joints: dict[str, Joint], label: str, fixed: Mapping[str, object], *, follow: bool
) -> tuple[Coupling, ...]:
    if follow:
        return couplings(mimics, joints)
    check_leaders(mimics, joints)
    names = ", ".join(f"'{name}'" for name in mimics if name not in fixed)
    if names:
        warn(f"{label}: joints that mimic others are independent here: {names}; mimic='follow' couples them")
    return ()


def _on_world(
    root: str, bodies: list[Body], joints: list[Joint], floating_base: bool, label: str
) -> tuple[list[Body], list[Joint]]:
    """Hang the root link on the world. A root link named like the world is the world, unless it floats."""
    if root == WORLD and not floating_base:
        return [b for b in bodies if b.name != WORLD], joints
    if root == WORLD:
        taken = {b.name for b in bodies}
        root = _free_name("world_link", taken)
        warn(f"{label}: the root link is named 'world' like the inertial frame; it floats as '{root}'")
        bodies = [replace(b, name=root) if b.name == WORLD else b for b in bodies]
        joints = [replace(j, parent=root) if j.parent == WORLD else j for j in joints]
    name = _free_name(ROOT_JOINT, {j.name for j in joints})
    kind = "free" if floating_base else "fixed"
    return bodies, [Joint(name, kind, WORLD, root), *joints]


def _free_name(name: str, taken: set[str]) -> str:
    """Return ``name``, with a number where it is taken."""
    names = [name, *(f"{name}_{i}" for i in range(2, len(taken) + 3))]
    return next(n for n in names if n not in taken)
