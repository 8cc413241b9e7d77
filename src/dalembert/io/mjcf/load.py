"""Machines from MJCF files, as MuJoCo's own parser and compiler read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.control.laws import PD
from dalembert.core.errors import FileFormatError, InputError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.core.validation import Vector
from dalembert.core.warn import warn
from dalembert.io.conventions import PeerState, from_mujoco, to_mujoco
from dalembert.io.mjcf.colliders import read_colliders
from dalembert.io.mjcf.compiled import TEXT, Compiled, compile_mjcf
from dalembert.io.mjcf.drives import Servo, read_actuators, read_equalities, read_tendons
from dalembert.io.mjcf.geometry import add_geometry, read_contacts
from dalembert.io.mjcf.tree import Placed, read_tree
from dalembert.io.source import locating
from dalembert.model.machine import Machine

__all__ = ["Mjcf", "load_mjcf", "note_left_out", "read_mjcf"]

Contacts = bool | Literal["colliders"]
"""Which contacts of a file are kept: none, those between simple solids and surfaces, or all as colliders."""


@dataclass(frozen=True, eq=False)
class Mjcf:
    """A machine from an MJCF file, the elements that it lacks, and how its states are related to MuJoCo's.

    Parameters
    ----------
    machine
        The machine.
    left_out
        Elements that were not carried over, each in a line.
    q0
        Configuration of the file (``qpos0``), in the machine's order.
    keyframes
        Configuration and velocities of each keyframe, in the machine's order.
    qpos, qvel
        For each coordinate and velocity of the machine its place in MuJoCo's ``qpos`` and ``qvel``.
    servos
        Servos of position and velocity on joints, whose motors the machine has; `law` returns them as a control law.
    """

    machine: Machine
    left_out: tuple[str, ...]
    q0: Array
    keyframes: Mapping[str, tuple[Array, Array]]
    qpos: NDArray[np.int64]
    qvel: NDArray[np.int64]
    servos: tuple[Servo, ...] = ()

    def law(self) -> PD | None:
        """The servos of the file as one law, which gives other motors no input.

        None if the file has no servos, or thrusters, or two actuators on one joint, for which there is no PD law.
        """
        joints = [motor.joint for motor in self.machine.motors]
        if not self.servos or self.machine.thrusters or len(set(joints)) < len(joints):
            return None
        held = {servo.motor: servo for servo in self.servos}
        servos = [held.get(motor.name, Servo(motor.name, 0.0, 0.0, 0.0)) for motor in self.machine.motors]
        return PD(
            kp=[servo.kp for servo in servos],
            kd=[servo.kd for servo in servos],
            reference=[servo.reference for servo in servos],
        )

    def from_mujoco(
        self, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike | None = None, tau: ArrayLike | None = None
    ) -> PeerState:
        """State of the machine from ``qpos``, ``qvel``, ``qacc`` and a generalised force of MuJoCo."""
        rest = (None if x is None else as_numbers(x)[..., self.qvel] for x in (v, a, tau))
        return from_mujoco(self.machine, as_numbers(q)[..., self.qpos], *rest)

    def to_mujoco(
        self, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike | None = None, tau: ArrayLike | None = None
    ) -> PeerState:
        """``qpos``, ``qvel``, ``qacc`` and generalised force of MuJoCo from a state of the machine."""
        state = to_mujoco(self.machine, q, v, a, tau)
        places = (self.qpos, self.qvel, self.qvel, self.qvel)
        return PeerState(*(None if x is None else _spread(x, at) for x, at in zip(state, places, strict=True)))  # type: ignore[arg-type]


def _spread(x: Array, places: NDArray[np.int64]) -> Array:
    result = np.empty_like(x)
    result[..., places] = x
    return result


def load_mjcf(
    source: str | Path,
    *,
    contacts: Contacts = True,
    geometry: bool = True,
    hard_equalities: bool = False,
    gravity: Vector | None = None,
    name: str | None = None,
) -> Machine:
    """Read a machine from an MJCF file (needs the extra ``mjcf``).

    MuJoCo's own parser and compiler read the file, so that defaults, includes, attached models and inertias from geoms
    are the same as there. A body with several joints becomes a chain with bodies without mass; frames of bodies are at
    the anchor of their last joint (``NAME.origin`` is MuJoCo's), sites become frames. Coordinates are the numbers of
    ``qpos``, in the machine's own order. Elements that are not carried over are listed in a warning;
    `dalembert.io.read_mjcf` returns the list, and how states are related.

    Parameters
    ----------
    source
        Path of the file, or the XML text itself.
    contacts
        Whether geoms that collide become contacts: spheres, capsules and boxes with planes, spheres with capsules and
        spheres. They are rigid here, and soft in MuJoCo. ``"colliders"``: all of them become colliders, whose pairs are
        found at run time (`dalembert.Collider`), with their torsional and rolling friction.
    geometry
        Whether to keep the shapes.
    hard_equalities
        Make the equalities ``connect``, ``weld`` and linear ``joint`` constraints; in MuJoCo they are soft.
    gravity
        Acceleration of gravity instead of that of the file.
    name
        Name of the machine instead of that of the model.

    Examples
    --------
    >>> arm = load_mjcf('''
    ... <mujoco model="arm"><worldbody><body pos="0 0 1">
    ...   <joint name="hinge" axis="0 1 0" armature="0.1" damping="0.2"/>
    ...   <geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.5"/>
    ... </body></worldbody><actuator><motor joint="hinge" gear="10"/></actuator></mujoco>''')
    >>> arm.q_names, arm.joint("hinge").armature, arm.motors[0].ratio
    (('hinge',), 0.1, 10.0)
    """
    read = read_mjcf(
        source, contacts=contacts, geometry=geometry, hard_equalities=hard_equalities, gravity=gravity, name=name
    )
    note_left_out(read, source)
    return read.machine


def note_left_out(read: Mjcf, source: str | Path) -> None:
    """Warn about elements of the file that the machine lacks."""
    if read.left_out:
        label = TEXT if isinstance(source, str) and "<" in source else str(source)
        warn(f"{label}: not carried over from MJCF: {'; '.join(read.left_out)}")


def read_mjcf(
    source: str | Path,
    *,
    contacts: Contacts = True,
    geometry: bool = True,
    hard_equalities: bool = False,
    gravity: Vector | None = None,
    name: str | None = None,
) -> Mjcf:
    """Read a machine from an MJCF file, with the elements that were not converted and the map of states to MuJoCo.

    Parameters
    ----------
    source, contacts, geometry, hard_equalities, gravity, name
        As in `dalembert.load_mjcf`, which gives the machine alone.
    """
    compiled = compile_mjcf(source)
    try:
        with locating(compiled.label, None):
            asked = {"geometry": geometry, "hard": hard_equalities}
            return _machine(compiled, contacts=contacts, **asked, gravity=gravity, name=name)
    except (OverflowError, np.linalg.LinAlgError) as error:
        raise FileFormatError(f"{compiled.label}: its numbers are too large to compute with ({error})") from None


def _machine(
    compiled: Compiled,
    *,
    contacts: Contacts,
    geometry: bool,
    hard: bool,
    gravity: Vector | None,
    name: str | None,
) -> Mjcf:
    tree = read_tree(compiled)
    motors, thrusters, servos = read_actuators(compiled, tree)
    constraints = read_equalities(compiled, tree, hard=hard)
    cables = read_tendons(compiled, tree)
    if contacts not in (True, False, "colliders"):
        raise InputError(f"contacts of an MJCF file are True, False or 'colliders', got {contacts!r}")
    if contacts == "colliders" and not geometry:
        raise InputError("contacts='colliders' needs the geometry of the file: leave out geometry=False")
    touching = read_contacts(compiled, tree) if contacts is True else []
    if geometry:
        add_geometry(compiled, tree)
    _note_the_rest(compiled, contacts=bool(contacts))
    pull: Any = (0.0, 0.0, 0.0) if compiled.disabled("GRAVITY") else compiled.model.opt.gravity.tolist()
    machine = Machine(
        name or str(compiled.spec.modelname or "machine"),
        bodies=tuple(tree.bodies),
        joints=tuple(tree.joints),
        frames=tuple(tree.frames),
        motors=tuple(motors),
        thrusters=tuple(thrusters),
        constraints=tuple(constraints),
        cables=tuple(cables),
        contacts=tuple(touching),
        gravity=pull if gravity is None else gravity,
    )
    if contacts == "colliders":
        machine = read_colliders(compiled, tree, machine)
    return replace(_related(compiled, tree, machine), servos=tuple(servos))


def _note_the_rest(source: Compiled, *, contacts: bool) -> None:
    """Note elements without a counterpart."""
    m = source.model
    if m.opt.density or m.opt.viscosity:
        source.leave_out("forces of the medium (density, viscosity)")
    others = {"flexible bodies": "nflex", "skins": "nskin", "sensors": "nsensor", "plugins": "nplugin"}
    for what, count in others.items():
        if getattr(m, count, 0):
            source.leave_out(what)
    if m.ngeom and not contacts and np.any(np.asarray(m.geom_contype) | np.asarray(m.geom_conaffinity)):
        source.leave_out("contacts, as asked")


def _related(source: Compiled, tree: Placed, machine: Machine) -> Mjcf:
    """Say where the coordinates of the machine stand in MuJoCo's arrays."""
    m, number = source.model, {name: j for j, name in enumerate(tree.joint_names)}
    qpos: list[int] = []
    qvel: list[int] = []
    for joint in machine.coordinate_joints:
        j = number[joint.name]
        qpos += range(int(m.jnt_qposadr[j]), int(m.jnt_qposadr[j]) + joint.info.nq)
        qvel += range(int(m.jnt_dofadr[j]), int(m.jnt_dofadr[j]) + joint.info.nv)
    read = Mjcf(machine, tuple(source.left_out), np.zeros(0), {}, np.array(qpos), np.array(qvel))
    states = {}
    for k in range(m.nkey):
        state = read.from_mujoco(m.key_qpos[k], m.key_qvel[k])
        states[source.name("key", k)] = (state.q, np.asarray(state.v))
    return Mjcf(machine, read.left_out, read.from_mujoco(m.qpos0).q, states, read.qpos, read.qvel)
