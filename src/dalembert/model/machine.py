"""The machine: a frozen description from which equations are derived."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, MachineError, UnknownNameError
from dalembert.core.kept import Kept
from dalembert.core.labels import as_numbers
from dalembert.core.parameter import Parameter, Scalar, nominal, parameters_of
from dalembert.core.types import Array
from dalembert.core.validation import Bound, Vector, check_name, field_vector
from dalembert.model.body import Body
from dalembert.model.cables import Cable
from dalembert.model.checks import check_physics
from dalembert.model.colliders import Collider, check_colliders
from dalembert.model.constraints import Constraint, check_constraint_kind
from dalembert.model.contacts import Contact
from dalembert.model.elastic.contract import Elastic
from dalembert.model.fields import ForceField
from dalembert.model.friction import JointFriction
from dalembert.model.joint import WORLD, Joint
from dalembert.model.locking import lock_joints
from dalembert.model.parts import Actuator, Coupling, Frame, Motor, Thruster, Wrench
from dalembert.model.ropes import Rope, RopeBase
from dalembert.model.signals import Sensor, Signal, check_signals
from dalembert.model.soft_contact import SoftContact
from dalembert.model.tree import Node, Tree, build_tree

__all__ = ["STANDARD_GRAVITY", "Machine"]

STANDARD_GRAVITY: Vector = (0.0, 0.0, -9.81)


@dataclass(frozen=True, repr=False)
class Machine:
    """A tree of bodies and joints, with actuators, forces, constraints and contacts.

    Every body hangs on exactly one joint; a body that floats hangs on the world by a free joint. The coordinates are
    those of the joints in depth-first order, children by joint name; a beam's modal coordinates follow its joint's.

    Parameters
    ----------
    name
        Name of the machine.
    bodies, joints, frames, motors, thrusters, wrenches
        Bodies, the joints between them, and loads on them.
    couplings, constraints, cables, ropes, fields, contacts, colliders
        Conditions and forces between bodies.
    signals, sensors
        Quantities that runs record and laws read besides its state.
    gravity
        Acceleration of gravity in world axes [m/s2].
    gains
        Parameters that only laws use; they are inputs of every run like the others.

    Examples
    --------
    >>> import dalembert as da
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.rod("link", mass=1.0, length=1.0, axis="z", com=(0, 0, -0.5))],
    ...     joints=[da.Joint("theta", "revolute", "world", "link", axis=(0, 1, 0))],
    ... )
    >>> pendulum.q_names, pendulum.v_names
    (('theta',), ('theta_dot',))
    """

    name: str
    bodies: tuple[Body | Elastic, ...] = ()
    joints: tuple[Joint, ...] = ()
    frames: tuple[Frame, ...] = ()
    motors: tuple[Motor, ...] = ()
    thrusters: tuple[Thruster, ...] = ()
    wrenches: tuple[Wrench, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    cables: tuple[Cable, ...] = ()
    ropes: tuple[Rope, ...] = ()
    fields: tuple[ForceField, ...] = ()
    contacts: tuple[Contact, ...] = ()
    colliders: tuple[Collider, ...] = ()
    signals: tuple[Signal, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    gravity: Vector = STANDARD_GRAVITY
    gains: tuple[Parameter, ...] = ()

    def __post_init__(self) -> None:
        check_name(self.name, "machine")
        for field, kind in _PARTS.items():
            parts = getattr(self, field)
            if isinstance(parts, str) or not isinstance(parts, Iterable):
                raise MachineError(f"{field} of machine '{self.name}' must be a list of {kind.__name__}, got {parts!r}")
            parts = tuple(parts)
            for element in parts:
                if not isinstance(element, (Body, Elastic) if kind is Body else kind):
                    what = f"{field} of machine '{self.name}' must be a list of {kind.__name__}"
                    raise MachineError(f"{what}, got the element {element!r}")
            object.__setattr__(self, field, parts)
        object.__setattr__(self, "gains", self._checked_gains())
        object.__setattr__(self, "gravity", field_vector(self.gravity, f"gravity of machine '{self.name}'"))
        if not self.bodies:
            raise MachineError(f"machine '{self.name}' has no bodies")
        self._check_names()
        self._check_references()
        if not self.tree.nv:
            raise MachineError(f"machine '{self.name}' has no moving joint")
        for name, count in Counter(self.q_names + self.v_names).items():
            if count > 1:
                raise MachineError(f"machine '{self.name}' has {count} coordinates named '{name}'; rename a joint")
        self._check_signals()
        check_physics(self)

    def _checked_gains(self) -> tuple[Parameter, ...]:
        gains = (self.gains,) if isinstance(self.gains, Parameter) else self.gains
        if isinstance(gains, str) or not isinstance(gains, Iterable):
            raise MachineError(f"gains of machine '{self.name}' must be a list of Parameter, got {gains!r}")
        gains = tuple(gains)
        for gain in gains:
            if not isinstance(gain, Parameter):
                raise MachineError(f"gains of machine '{self.name}' must be Parameter objects, got {gain!r}")
        return gains

    def _check_names(self) -> None:
        groups = {
            "body or frame": [b.name for b in self.bodies] + [f.name for f in self.frames],
            "joint": [j.name for j in self.joints],
            "motor or thruster": list(self.u_names),
            "wrench or force field": [w.name for w in self.wrenches] + [f.name for f in self.fields],
            "coupled joint": [c.joint for c in self.couplings],
            "collider": [c.name for c in self.colliders],
            "constraint, cable, rope or contact": [c.name for c in self._joining],
            "constraint, cable, rope, contact or joint that sticks": [
                *(c.name for c in self._joining),
                *self.sticking,
                *self.sheave_bearings,
            ],
            "contact pair": [name for c in self.contacts for name in c.pairs]
            + [f"{j.name}.{end}" for j in self.joints for end in ("lower", "upper")]
            + list(self.sticking),
        }
        for kind, names in groups.items():
            for name, count in Counter(names).items():
                if count > 1:
                    raise MachineError(
                        f"machine '{self.name}' has {count} of the {kind} name '{name}'; names are unique"
                    )
        elastic = [b for b in self.bodies if isinstance(b, Elastic)]
        sections = {f"{b.name}.{s}": b for b in elastic for s in b.section_names}
        for kind in ("body or frame", "joint"):
            for name in groups[kind]:
                if name in sections:
                    owner = f"{sections[name].kind} '{sections[name].name}'"
                    raise MachineError(
                        f"machine '{self.name}': '{name}' is a section of {owner}, and cannot be the "
                        f"name of a {kind} too; rename it"
                    )
        if WORLD in groups["body or frame"]:
            raise MachineError(f"machine '{self.name}': 'world' is the name of the inertial frame, not of a body")
        values: dict[str, float] = {}
        for p in self.parameters:
            if values.setdefault(p.name, p.value) != p.value:
                raise MachineError(f"parameter '{p.name}' has two values, {values[p.name]:g} and {p.value:g}")

    def _check_references(self) -> None:
        where = f"machine '{self.name}'"
        single = {j.name: j for j in self.joints}
        for motor in self.motors:
            if motor.joint not in single:
                raise MachineError(f"motor '{motor.name}': {UnknownNameError('joint', motor.joint, single, where)}")
            if single[motor.joint].info.nv != 1:
                kind = single[motor.joint].kind
                raise MachineError(
                    f"motor '{motor.name}' must drive a joint with one coordinate, but '{motor.joint}' is {kind}"
                )
            if math.isfinite(single[motor.joint].limits.effort) and parameters_of(motor.ratio):
                raise MachineError(
                    f"joint '{motor.joint}' has an effort limit, but the gear ratio of motor '{motor.name}' is the "
                    f"parameter '{motor.ratio}'; limit the effort of the motor instead"
                )
        acting: tuple[Thruster | Wrench | ForceField, ...] = (*self.thrusters, *self.wrenches, *self.fields)
        for load in acting:
            kind = "force field" if isinstance(load, ForceField) else type(load).__name__.lower()
            if isinstance(load, SoftContact) and load.on not in self.tree.frames:
                error = UnknownNameError("frame", load.on, self.tree.frames, where)
                raise MachineError(f"soft contact '{load.name}': {error}")
            if load.frame not in self.tree.frames:
                error = UnknownNameError("frame", load.frame, self.tree.frames, where)
                raise MachineError(f"{kind} '{load.name}': {error}")
            if self.tree.frames[load.frame][0] < 0:
                raise MachineError(
                    f"{kind} '{load.name}' acts on the frame '{load.frame}', which does not move: it has no effect"
                )
        coupled = {c.joint for c in self.couplings}
        for coupling in self.couplings:
            for name in (coupling.joint, coupling.leader):
                if name not in single or single[name].info.nv != 1:
                    one = [j.name for j in self.joints if j.info.nv == 1]
                    error = UnknownNameError("joint with one coordinate", name, one, where)
                    raise MachineError(f"coupling of joint '{coupling.joint}': {error}")
            if coupling.leader in coupled:
                raise MachineError(f"joint '{coupling.joint}' follows '{coupling.leader}', which is itself coupled")
        for motor in self.motors:
            if motor.joint in coupled:
                raise MachineError(f"motor '{motor.name}' drives joint '{motor.joint}', which follows another joint")
        check_colliders(self)
        self._check_constraints({name for name, joint in single.items() if joint.info.nv == 1})

    def _check_constraints(self, single: set[str]) -> None:
        where = f"machine '{self.name}'"
        for constraint in self.constraints:
            check_constraint_kind(constraint)
        for element in self._joining:
            kind = "constraint" if isinstance(element, Constraint) else type(element).__name__.lower()
            for frame in element.frames:
                if frame not in self.tree.frames:
                    error = UnknownNameError("frame or body", frame, self.tree.frames, where)
                    raise MachineError(f"{kind} '{element.name}': {error}")
            nodes = {self.tree.frames[frame][0] for frame in element.frames}
            turns = isinstance(element, Rope) and element.joints  # sheaves or drums of the rope
            if len(element.frames) == 2 and len(nodes) == 1 and not turns:
                raise MachineError(
                    f"{kind} '{element.name}' joins two frames of one body: nothing can move between them"
                )
            for joint in element.joints:
                if joint not in single:
                    error = UnknownNameError("joint with one coordinate", joint, single, where)
                    raise MachineError(f"{kind} '{element.name}': {error}")
        for rope in self.ropes:
            rope.check_wheels(self)

    def _check_signals(self) -> None:
        for signal in self.signals:
            if not isinstance(signal.expression, str | None):
                raise MachineError(
                    f"signal '{signal.name}' of machine '{self.name}' must be a string; pass functions to simulate"
                )
        check_signals(self, self.signals, self.sensors)

    @property
    def _joining(self) -> tuple[Constraint | RopeBase | Contact, ...]:
        return (*self.constraints, *self.all_ropes, *self.contacts)

    @property
    def all_ropes(self) -> tuple[RopeBase, ...]:
        """Cables, which are ropes of one span, then ropes."""
        return (*self.cables, *self.ropes)

    @property
    def constrained(self) -> bool:
        """Whether anything but its joints constrains the motion."""
        return bool(self.constraints) or any(not rope.elastic for rope in self.all_ropes)

    @cached_property
    def sticking(self) -> tuple[str, ...]:
        """Joints with Coulomb friction that sticks, their own or that of their motors."""
        return tuple(j.name for j in self.joints if self.friction_of(j.name).sticks)

    @cached_property
    def rubbing(self) -> tuple[Constraint, ...]:
        """Constraints with friction in proportion to their forces, which hold a load: gears, bearings."""
        return tuple(c for c in self.constraints if c.rubs)

    @cached_property
    def sheave_bearings(self) -> tuple[str, ...]:
        """Names of the bearings of turning sheaves with losses."""
        return tuple(name for rope in self.ropes for name in rope.bearings)

    @cached_property
    def bristled(self) -> tuple[str, ...]:
        """Joints with friction after LuGre."""
        return tuple(j.name for j in self.joints if self.friction_of(j.name).bristles)

    def friction_of(self, joint: str) -> JointFriction:
        """All friction on a joint: its own and that of its motors."""
        driving = ((m.ratio, m.friction) for m in self.motors if m.joint == joint and m.friction is not None)
        geared = any(m.lossy for m in self.motors if m.joint == joint)
        return JointFriction(((1.0, self.joint(joint).friction_model), *driving), geared)

    @cached_property
    def tree(self) -> Tree:
        """The tree of moving bodies, fixed joints merged."""
        return build_tree(self)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Parameters in order of first appearance (bodies, joints, frames, motors, thrusters, wrenches and so on)."""
        return tuple(dict.fromkeys(p for x in self._scalars() for p in parameters_of(x)))

    def _scalars(self) -> Iterator[Scalar]:
        for field in _PARTS:
            for element in getattr(self, field):
                yield from element.scalars
        yield from self.gravity
        for body in self.bodies:  # last: pictures do not decide about the order of the parameters
            if isinstance(body, Body):
                yield from (x for element in body.geometry for x in element.scalars)
        yield from self.gains

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """Ranges that the scalars of the machine must keep."""
        bounded = (self.bodies, self.joints, self.motors, self.all_ropes, self.contacts, self.colliders)
        return tuple(b for parts in bounded for element in parts for b in element.bounds())

    @cached_property
    def coordinate_joints(self) -> tuple[Joint, ...]:
        """Joints whose coordinates are those of the machine: the moving ones that follow no other."""
        return tuple(n.joint for n in self.coordinate_nodes if n.joint.info.nv)

    @cached_property
    def coordinate_nodes(self) -> tuple[Node, ...]:
        """Nodes of the tree with the coordinates of the machine; of a beam whose joint follows, the modal ones."""
        coupled = {c.joint for c in self.couplings}
        nodes = []
        for node in self.tree.nodes:
            if node.joint.name not in coupled:
                nodes.append(node)
            elif node.is_root:
                held = Joint(node.joint.name, "fixed", node.joint.parent, node.joint.child)
                nodes.append(replace(node, joint=held))
        return tuple(nodes)

    @property
    def q_names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return tuple(s for n in self.coordinate_nodes for s in n.q_names)

    @property
    def v_names(self) -> tuple[str, ...]:
        """Names of the velocities."""
        return tuple(s for n in self.coordinate_nodes for s in n.v_names)

    @property
    def u_names(self) -> tuple[str, ...]:
        """Names of the inputs: the motors, then the thrusters."""
        return (*(m.name for m in self.motors), *(x.name for x in self.thrusters))

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.q_names)

    @property
    def nv(self) -> int:
        """Number of velocities: the degrees of freedom."""
        return len(self.v_names)

    @property
    def limited_motors(self) -> tuple[Motor, ...]:
        """The motors, their efforts limited by the effort limits of their joints: ``|n u| <= effort``."""
        limits = {j.name: j.limits.effort for j in self.joints}
        return tuple(
            replace(m, effort=min(m.effort, limits[m.joint] / abs(nominal(m.ratio)))) if m.joint in limits else m
            for m in self.motors
        )

    @property
    def actuators(self) -> tuple[Actuator, ...]:
        """Elements that the inputs drive, in order: the motors, with the limits of their joints, then the thrusters."""
        return (*self.limited_motors, *self.thrusters)

    @property
    def nu(self) -> int:
        """Number of inputs."""
        return len(self.motors) + len(self.thrusters)

    @property
    def q_neutral(self) -> Array:
        """Neutral configuration: zeros and unit quaternions."""
        return np.array([x for n in self.coordinate_nodes for x in n.neutral])

    @property
    def p_nominal(self) -> Array:
        """Nominal values of the parameters."""
        return np.array([p.value for p in self.parameters])

    def joint(self, name: str) -> Joint:
        """Return the joint of that name."""
        for joint in self.joints:
            if joint.name == name:
                return joint
        raise UnknownNameError("joint", name, (j.name for j in self.joints), f"machine '{self.name}'")

    def body(self, name: str) -> Any:
        """Return the body of that name."""
        for body in self.bodies:
            if body.name == name:
                return body
        raise UnknownNameError("body", name, (b.name for b in self.bodies), f"machine '{self.name}'")

    def with_(self, **fields: Any) -> Machine:
        """Return a copy with some fields replaced."""
        unknown = set(fields) - {"name", "gravity", "gains", *_PARTS}
        if unknown:
            raise UnknownNameError("field", sorted(unknown)[0], ["name", "gravity", "gains", *_PARTS], "a Machine")
        return replace(self, **fields)

    def with_parts(self, *parts: object) -> Machine:
        """Return a copy with more parts, each of which has some of ``bodies``, ``joints``, ``motors`` and so on.

        Such are `ModalAppendage`, `Wheel`, `ControlMomentGyro`, and other machines (their gravity does not count).
        """
        more = {field: [x for element in parts for x in getattr(element, field, ())] for field in _PARTS}
        for element in parts:
            if not any(getattr(element, field, ()) for field in _PARTS):
                raise MachineError(
                    f"machine '{self.name}' cannot take {element!r}: it has no bodies, joints or other parts"
                )
        more["gains"] = [gain for element in parts for gain in getattr(element, "gains", ()) if gain not in self.gains]
        return self.with_(**{field: (*getattr(self, field), *added) for field, added in more.items() if added})

    def lock(self, positions: Mapping[str, float | Sequence[float]] | Iterable[str]) -> Machine:
        """Return the machine with some joints fixed at the given coordinates: a number, or one per coordinate.

        Motors on them disappear; joints that follow a locked one are locked where it takes them.
        """
        return lock_joints(self, positions)

    def parameter_vector(self, p: Mapping[str, ArrayLike] | None) -> Array:
        """Nominal parameter values, overridden by the mapping ``p``; arrays are broadcast."""
        if not p:
            return self.p_nominal
        names = [q.name for q in self.parameters]
        for name in p:
            if name not in names:
                raise UnknownNameError("parameter", name, names, f"machine '{self.name}'")
        try:
            columns = [as_numbers(p.get(q.name, q.value)) for q in self.parameters]
        except (TypeError, ValueError):
            raise InputError(f"parameter values must be numbers or arrays of numbers, got {dict(p)!r}") from None
        try:
            return np.stack(np.broadcast_arrays(*columns), axis=-1)
        except ValueError:
            shapes = ", ".join(f"{q.name} {c.shape}" for q, c in zip(self.parameters, columns, strict=True) if c.shape)
            raise InputError(f"the arrays of parameter values do not broadcast: {shapes}") from None

    def to_yaml(self, path: str | Path | None = None) -> str:
        """Write the machine as a YAML machine file; return its text."""
        from dalembert.io.machine_files import machine_to_yaml

        return machine_to_yaml(self, path)

    @cached_property
    def kept(self) -> Kept:
        """Results derived from this machine: it is frozen, so that they stay valid."""
        return Kept()

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the description only, not derived results."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __repr__(self) -> str:
        return f"<{self}>"

    def _repr_html_(self) -> str:
        """Picture and parts, for notebooks."""
        from dalembert.view.notebook import machine_html

        return machine_html(self)

    def __str__(self) -> str:
        mass = sum(nominal(b.mass) for b in self.bodies)
        bodies, freedoms = _count(len(self.bodies), "body", "bodies"), _count(self.nv, "degree", "degrees")
        motors, parameters = len(self.motors), _count(len(self.parameters), "parameter", "parameters")
        inputs = _count(motors, "motor", "motors")
        if self.thrusters:
            inputs += f", {_count(len(self.thrusters), 'thruster', 'thrusters')}"
        elastic = [sum(rope.elastic for rope in ropes) for ropes in (self.cables, self.ropes)]  # these take no freedom
        counts = (
            (len(self.constraints), "constraint"),
            (len(self.cables) - elastic[0], "cable"),
            (len(self.ropes) - elastic[1], "rope"),
        )
        held = [_count(n, one, one + "s") for n, one in counts if n]
        less = f" less {' and '.join(held)}" if held else ""
        kinds = zip(elastic, ("elastic cable", "elastic rope"), strict=True)
        pulling = "".join(f", {_count(n, one, one + 's')}" for n, one in kinds if n)
        touching = f", {_count(len(self.contacts), 'contact', 'contacts')}" if self.contacts else ""
        touching += f", {_count(len(self.colliders), 'collider', 'colliders')}" if self.colliders else ""
        what = f"{bodies} ({mass:g} kg), {freedoms} of freedom{less}{pulling}{touching}"
        return f"machine '{self.name}': {what}, {inputs}, {parameters}"


def _count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


_PARTS: dict[str, type] = {
    "bodies": Body,
    "joints": Joint,
    "frames": Frame,
    "motors": Motor,
    "thrusters": Thruster,
    "wrenches": Wrench,
    "couplings": Coupling,
    "constraints": Constraint,
    "cables": Cable,
    "ropes": Rope,
    "fields": ForceField,
    "contacts": Contact,
    "colliders": Collider,
    "signals": Signal,
    "sensors": Sensor,
}
