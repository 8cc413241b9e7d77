"""A copy of a machine in which every physical number is a parameter with a name that a reader expects."""

from __future__ import annotations

import keyword
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dalembert.core.errors import InputError
from dalembert.core.parameter import Parameter, Scalar, parameters_of
from dalembert.core.validation import Vector
from dalembert.formulations.layout import Layout
from dalembert.model.body import Body
from dalembert.model.friction import Friction
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Coupling, Motor, Wrench
from dalembert.model.transform import Transform

__all__ = ["SymbolMachine", "VariableNames", "symbol_name", "with_symbols"]

_LEFT_OUT = ("constraints", "cables", "ropes", "fields", "contacts")


@dataclass(frozen=True)
class SymbolMachine:
    """A machine whose numbers have names.

    Parameters
    ----------
    machine
        The copy.
    named
        Names that were given here; the other parameters are the user's own.
    masses, gravity, loads
        Names that stand for masses, components of gravity and components of wrenches: a product is written in this
        order.
    """

    machine: Machine
    named: frozenset[str]
    masses: frozenset[str]
    gravity: frozenset[str]
    loads: frozenset[str]


def symbol_name(name: str) -> str:
    """Return a name of a machine as an identifier: ``base.x`` becomes ``base_x``."""
    text = re.sub(r"\W", "_", name)
    return f"_{text}" if text[:1].isdigit() or keyword.iskeyword(text) else text


@dataclass(frozen=True)
class VariableNames:
    """Names of the symbols of coordinates, velocities, accelerations and inputs."""

    q: tuple[str, ...]
    v: tuple[str, ...]
    a: tuple[str, ...]
    u: tuple[str, ...]

    @staticmethod
    def of(layout: Layout, machine: Machine) -> VariableNames:
        """Name the symbols; an input that is called like a coordinate becomes ``u_`` and its name."""
        q, v = (tuple(map(symbol_name, names)) for names in (layout.q_names, layout.v_names))
        a = tuple(f"{n[:-4]}_ddot" if n.endswith("_dot") else f"{n}_dot" for n in v)
        taken = {*q, *v, *a, "t"}
        u = tuple(f"u_{n}" if n in taken else n for n in map(symbol_name, machine.u_names))
        for name, count in Counter([*q, *v, *a, *u, "t"]).items():
            if count > 1:
                raise InputError(
                    f"machine '{machine.name}' has {count} coordinates, velocities or inputs that would be written "
                    f"'{name}' in a closed form; rename a joint or a motor"
                )
        return VariableNames(q, v, a, u)

    @property
    def all(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.q, *self.v, *self.a, *self.u)


def _labels(names: Iterable[str]) -> dict[str, str]:
    """Subscript of each name: nothing for a single one, its number where names are numbered, else the name itself."""
    names = list(names)
    if len(names) == 1:
        return {names[0]: ""}
    digits = {n: re.sub(r"^\D*", "", n) for n in names}
    numbered = all(d.isdigit() for d in digits.values()) and len(set(digits.values())) == len(names)
    return {n: digits[n] if numbered else symbol_name(n) for n in names}


class _Namer:
    """Turns numbers into parameters."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)
        self.named: list[str] = []

    def __call__(self, value: Scalar, *parts: str) -> Scalar:
        """Return a nonzero number as a parameter, its sign kept outside; anything else as it is."""
        if not isinstance(value, float) or value == 0.0:
            return value
        name = stem = "_".join(p for p in parts if p)
        count = 1
        while name in self.taken:
            count += 1
            name = f"{stem}_{count}"
        self.taken.add(name)
        self.named.append(name)
        parameter = Parameter(name, abs(value))
        return parameter if value > 0 else -parameter

    def ratio(self, value: Scalar, *parts: str) -> Scalar:
        """Return a number without unit as a parameter, unless it is plus or minus one."""
        return value if isinstance(value, float) and abs(value) == 1.0 else self(value, *parts)

    def vector(self, values: Vector, alone: str, base: str, label: str) -> Vector:
        """Name a vector's components: ``alone`` if there is but one, else ``base_x`` and so on."""
        single = sum(v != 0.0 for v in values) == 1
        x, y, z = (
            self(v, alone, label) if single else self(v, base, axis, label)
            for v, axis in zip(values, "xyz", strict=True)
        )
        return (x, y, z)


def with_symbols(machine: Machine, reserved: Sequence[str], *, rows: bool = False) -> SymbolMachine:
    """Return a copy of a machine in which every nonzero physical number is a parameter.

    Parameters and expressions keep their names; zeros, unit ratios, halves of couplings, axes and rotation matrices
    stay numbers. Effort limits are lifted: a closed form is that of motors which do not saturate.

    Parameters
    ----------
    machine
        The machine.
    reserved
        Names that no parameter may have: those of coordinates, velocities and inputs.
    rows
        Whether constraints, cables and ropes are allowed: the forms are those of the tree then, and the numbers of
        these elements stay numbers.
    """
    rigid = _rigid_bodies(machine, ("fields", "contacts") if rows else _LEFT_OUT)
    parameters = {p.name for p in machine.parameters}
    clash = sorted(parameters & set(reserved))
    if clash:
        raise InputError(
            f"machine '{machine.name}' has a parameter and a coordinate or input named '{clash[0]}'; rename one"
        )
    name = _Namer(parameters | set(reserved) | {"t", "pi"})
    body_label = _labels(b.name for b in machine.bodies)
    moving = [j for j in machine.joints if j.info.nv]
    joint_label = {**_labels(j.name for j in machine.joints), **_labels(j.name for j in moving)}

    start = len(name.named)
    bodies = [replace(b, mass=name(b.mass, "m", body_label[b.name])) for b in rigid]
    masses = {*name.named[start:], *(p.name for b in rigid for p in parameters_of(b.mass))}
    bodies = [_body(b, name, body_label[b.name]) for b in bodies]

    children = Counter(j.parent for j in machine.joints if any(x != 0.0 for x in j.origin.translation))
    joints = [
        _joint(j, name, joint_label[j.name], _length_label(j, children, body_label, joint_label))
        for j in machine.joints
    ]

    mounted = Counter(f.body for f in machine.frames)
    frames = []
    for f in machine.frames:
        last = mounted[f.body] == 1 and not children[f.body] and f.body in body_label
        frames.append(replace(f, origin=_offset(f.origin, name, body_label[f.body] if last else symbol_name(f.name))))

    motor_label = _labels(m.name for m in machine.motors)
    motors = [_motor(m, name, motor_label[m.name], joint_label.get(m.joint, "")) for m in machine.motors]
    start = len(name.named)
    wrench_label = _labels(w.name for w in machine.wrenches)
    wrenches = [_wrench(w, name, wrench_label[w.name]) for w in machine.wrenches]
    loads = {*name.named[start:], *(p.name for w in machine.wrenches for x in w.scalars for p in parameters_of(x))}
    couplings = [_coupling(c, name, joint_label[c.joint]) for c in machine.couplings]
    start = len(name.named)
    gravity = name.vector(machine.gravity, "g", "g", "")
    pulls = {*name.named[start:], *(p.name for x in machine.gravity for p in parameters_of(x))}
    copy = machine.with_(
        bodies=bodies,
        joints=joints,
        frames=frames,
        motors=motors,
        thrusters=[replace(x, effort=math.inf, one_sided=False) for x in machine.thrusters],
        wrenches=wrenches,
        couplings=couplings,
        gravity=gravity,
    )
    return SymbolMachine(copy, frozenset(name.named), frozenset(masses), frozenset(pulls), frozenset(loads))


def _rigid_bodies(machine: Machine, refused: Sequence[str]) -> list[Body]:
    """Return the bodies; refuse elements that a closed form would leave out in silence."""
    for field in refused:
        parts = getattr(machine, field, ())
        if parts:
            names = ", ".join(x.name for x in parts)
            raise InputError(
                f"machine '{machine.name}' has {field} ({names}), whose forces a closed form does not include; "
                f"machine.with_({field}=()) leaves them out"
            )
    rigid = []
    for body in machine.bodies:
        if type(body) is not Body:
            raise InputError(f"body '{body.name}' is a {type(body).__name__}; a closed form needs rigid bodies")
        rigid.append(body)
    return rigid


def _body(body: Body, name: _Namer, label: str) -> Body:
    com = name.vector(body.com, "d", "c", label)
    entries = {
        (i, j): name(body.inertia[i][j], f"I_{'xyz'[i]}{'xyz'[j]}", label) for i in range(3) for j in range(i, 3)
    }
    inertia = tuple(tuple(entries[min(i, j), max(i, j)] for j in range(3)) for i in range(3))
    return replace(body, com=com, inertia=inertia, geometry=())  # type: ignore[arg-type]


def _length_label(joint: Joint, children: Counter[str], body_label: dict[str, str], joint_label: dict[str, str]) -> str:
    """Subscript of the offset that carries a joint: that of the link it belongs to, where the link has but one."""
    if children[joint.parent] > 1:
        return joint_label[joint.name] or symbol_name(joint.name)
    return "0" if joint.parent == WORLD else body_label[joint.parent]


def _offset(origin: Transform, name: _Namer, label: str) -> Transform:
    return replace(origin, translation=name.vector(origin.translation, "l", "l", label))


def _joint(joint: Joint, name: _Namer, label: str, length: str) -> Joint:
    friction, slow = joint.friction, joint.friction_law == "smooth" and joint.friction != 0.0
    return replace(
        joint,
        origin=_offset(joint.origin, name, length),
        stiffness=name(joint.stiffness, "k", label),
        rest=name(joint.rest, symbol_name(joint.name), "rest"),
        damping=name(joint.damping, "b", label),
        friction=_friction(friction, name, label) if isinstance(friction, Friction) else name(friction, "F_c", label),
        friction_velocity=name(joint.friction_velocity, "v_s", label)
        if slow and not isinstance(friction, Friction)
        else joint.friction_velocity,
        limits=replace(joint.limits, effort=math.inf),
        armature=name(joint.armature, "J", label),
        pitch=None if joint.pitch is None else name(joint.pitch, "h", label),
    )


def _friction(friction: Friction, name: _Namer, label: str) -> Friction:
    symbols = {"coulomb": "F_c", "static": "F_s", "stribeck": "v_s", "viscous": "b_v", "velocity": "v_e"}
    return friction.map(lambda key, value: name(value, symbols[key], label) if key in symbols else value)


def _motor(motor: Motor, name: _Namer, fallback: str, joint: str) -> Motor:
    label = joint or fallback
    return replace(
        motor,
        ratio=name.ratio(motor.ratio, "n", label),
        rotor_inertia=name(motor.rotor_inertia, "I_m", label),
        damping=name(motor.damping, "b_m", label),
        friction=None if motor.friction is None else _friction(motor.friction, name, f"m{label}"),
        effort=math.inf,
    )


def _wrench(wrench: Wrench, name: _Namer, label: str) -> Wrench:
    force, torque = (
        tuple(name(v, base, axis, label) for v, axis in zip(values, "xyz", strict=True))
        for values, base in ((wrench.force, "F"), (wrench.torque, "N"))
    )
    return replace(wrench, force=force, torque=torque)  # type: ignore[arg-type]


def _coupling(coupling: Coupling, name: _Namer, label: str) -> Coupling:
    halved = isinstance(coupling.ratio, float) and abs(coupling.ratio) == 0.5  # the middle of something, not a gear
    return replace(
        coupling,
        ratio=coupling.ratio if halved else name.ratio(coupling.ratio, "r", label),
        offset=name(coupling.offset, symbol_name(coupling.joint), "offset"),
    )
