"""Machine files: a machine as a YAML text.

A machine file is data. Loading one runs nothing, and every error has the file, the line, the value and the expected
values. A pendulum on a cart::

    name: cart-pendulum
    gravity: [0, 0, -9.81]              # the default
    parameters: {m: 1.0, l: 0.5}        # numbers that stay inputs of every kernel
    bodies:
      cart: {mass: 2.0}
      bob:
        rod: {mass: m, length: l, axis: z, com: [0, 0, -l/2]}
    joints:
      x: {kind: prismatic, parent: world, child: cart, axis: [1, 0, 0], damping: 0.1}
      theta: {kind: revolute, parent: cart, child: bob, axis: [0, 1, 0]}
    frames:
      tip: {body: bob, origin: {xyz: [0, 0, -l]}}
    motors:
      x: {effort: 20.0}
    wrenches:
      wind: {frame: tip, force: [0.1 * sin(2 * pi * t), 0, 0]}
    simulation:
      duration: 10.0
      q0: {theta: pi/6}

Any number may be an expression of numbers, units, ``pi``, the parameters (unless the number is a constant) and the
functions sin, cos, tan, sqrt, exp, tanh, smoothstep. Numbers are in SI units and radians unless they have a unit:
``45 deg``, ``30 mm``, ``2 kg m^2``; its dimension must be that of the key. ``schema_keys.py`` describes all keys; the
documentation has them as "Keys of machine files".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.files import read_bytes
from dalembert.core.parameter import Parameter, Scalar, parameters_of
from dalembert.core.scalar_text import parse_quantity
from dalembert.core.units import Dimension, parse_unit
from dalembert.core.warn import warn
from dalembert.io.beam_entries import make_beam
from dalembert.io.body_schema import SHAPES, BodyEntry, OriginEntry
from dalembert.io.contact_entries import make_collider, make_contact
from dalembert.io.control_blocks import make_law
from dalembert.io.field_entries import make_field
from dalembert.io.flexible_entries import make_flexible
from dalembert.io.friction_entries import FrictionEntry
from dalembert.io.geometry_entries import file_folder, make_geometry
from dalembert.io.kind_entries import make_cable, make_constraint
from dalembert.io.machine_schema import (
    CouplingEntry,
    JointEntry,
    MachineFile,
    MotorEntry,
    SensorEntry,
    ThrusterEntry,
    WrenchEntry,
    machine_file,
)
from dalembert.io.machine_writer import machine_to_yaml
from dalembert.io.predictive_blocks import PREDICTIVE, make_predictive
from dalembert.io.rod_entries import make_rod
from dalembert.io.rope_entries import make_rope
from dalembert.io.schema_errors import describe, path_name
from dalembert.io.schema_units import expected_unit
from dalembert.io.schema_values import unit_fault
from dalembert.io.simulation_entries import StateNames, read_sensor, read_simulation
from dalembert.io.source import located, locating
from dalembert.io.yaml_nodes import Document, parse_yaml
from dalembert.model import body as shapes
from dalembert.model.body import Body
from dalembert.model.elastic.contract import Elastic
from dalembert.model.friction import Friction
from dalembert.model.joint import Joint, Limits
from dalembert.model.machine import Machine
from dalembert.model.parts import Coupling, Frame, Motor, Thruster, Wrench
from dalembert.model.signals import Sensor, Signal
from dalembert.model.transform import IDENTITY, Transform

__all__ = ["MachineReader", "load_machine", "load_simulation", "machine_to_yaml", "read_document"]

_LARGEST = 8 * 2**20
_AXES = ("axis", "second_axis")


def load_machine(source: str | Path) -> Machine:
    """Read a machine from a YAML machine file.

    Parameters
    ----------
    source
        Path of the file, or the YAML text itself.

    Examples
    --------
    >>> pendulum = load_machine('''
    ... name: pendulum
    ... parameters: {m: 1.0}
    ... bodies:
    ...   link: {rod: {mass: m, length: 1.0, axis: z, com: [0, 0, -0.5]}}
    ... joints:
    ...   theta: {kind: revolute, parent: world, child: link, axis: [0, 1, 0]}
    ... ''')
    >>> pendulum.q_names, [str(x) for x in pendulum.body("link").inertia[0]]
    (('theta',), ['m / 12.0', '0.0', '0.0'])
    """
    return _read(source)[0]


def load_simulation(source: str | Path) -> tuple[Machine, dict[str, Any]]:
    """Read a machine and its simulation settings: ``simulate(machine, **settings)``.

    `dalembert.load_experiment` returns the same as one `dalembert.Experiment`.

    Parameters
    ----------
    source
        Path of a machine file, or the YAML text itself.

    Returns
    -------
    machine
        The machine.
    settings
        The block ``simulation`` of the file, only the given entries: numbers and text, ``q0``, ``v0``, ``p`` (numbers
        by name), ``switches`` and ``control`` (the law).

    Examples
    --------
    >>> machine, settings = load_simulation('''
    ... name: slider
    ... bodies: {cart: {mass: 1.0}}
    ... joints: {x: {kind: prismatic, parent: world, child: cart}}
    ... simulation: {duration: 2.0}
    ... ''')
    >>> settings
    {'duration': 2.0}
    """
    machine, settings, reader = _read(source)
    if isinstance(settings.get("control"), dict):
        settings["control"] = reader.law(settings["control"], machine)
    return machine, settings


def _read(source: str | Path) -> tuple[Machine, dict[str, Any], MachineReader]:
    document = read_document(source)
    try:
        file = machine_file().model_validate(document.data)
    except ValidationError as error:
        raise describe(error, machine_file(), document) from None
    reader = MachineReader(document, file)
    machine = reader.machine()
    if file.simulation is None:
        return machine, {}, reader
    names = StateNames.of(machine, reader.parameter_unit)
    return machine, read_simulation(file.simulation, names, document, reader.number), reader


def read_document(source: str | Path, *, lenient: bool = False) -> Document:
    """Return the data of a machine file, with the lines; ``lenient``: keys that occur twice are only taken note of."""
    document = _document(source, lenient)
    if not isinstance(document.data, dict):
        keys = ", ".join(MachineFile.model_fields)
        raise located(document.label, 1, f"must be a mapping with the keys {keys}")
    return document


def _document(source: str | Path, lenient: bool) -> Document:
    if isinstance(source, Path):
        return parse_yaml(read_bytes(source, "machine", _LARGEST), str(source), lenient=lenient)
    if not isinstance(source, str):
        raise InputError(f"a machine source must be a path or a YAML text, got {type(source).__name__}")
    if "\n" in source or source.lstrip().startswith("{"):
        return parse_yaml(source, "<text>", lenient=lenient)
    return _document(Path(source), lenient)


class MachineReader:
    """Builds the parts of a machine from the entries of a file, with the line of each in its errors."""

    def __init__(self, document: Document, file: MachineFile) -> None:
        self.document = document
        self.file = file
        self.parameters: dict[str, Parameter] = {}
        self.dimensions: dict[str, Dimension] = {}
        self.used: dict[str, Dimension] = {}
        for name, value in file.parameters.items():
            with locating(document.label, document.line(("parameters", name))):
                number, dimension = parse_quantity(value, {}, {}) if isinstance(value, str) else (value, None)
                self.parameters[name] = Parameter(name, number)  # type: ignore[arg-type]
            if dimension is not None:
                self.dimensions[name] = dimension

    def machine(self) -> Machine:
        """Return the machine."""
        return self.assembled({s: tuple(self.element(s, name) for name in getattr(self.file, s)) for s in self.makers})

    @property
    def makers(self) -> dict[str, Callable[[str, Any], Any]]:
        """Constructors of the elements of each section."""
        return {
            "bodies": self.body,
            "joints": self.joint,
            "frames": lambda name, e: Frame(name, e.body, self.origin(e.origin, ("frames", name, "origin"))),
            "motors": self.motor,
            "thrusters": self.thruster,
            "wrenches": self.wrench,
            "couplings": self.coupling,
            "constraints": lambda name, e: make_constraint(name, e, self.number, self.origin),
            "cables": lambda name, e: make_cable(name, e, self.number, self.origin),
            "ropes": lambda name, e: make_rope(name, e, self.number),
            "fields": lambda name, e: make_field(name, e, self.number, self.origin),
            "contacts": lambda name, e: make_contact(name, e, self.number, self.origin),
            "colliders": lambda name, e: make_collider(name, e, self.number, self.origin),
            "signals": lambda name, e: Signal(name, e.expression, e.frame),
            "sensors": self.sensor,
        }

    def element(self, section: str, name: str) -> Any:
        """Return an element, with its line in the errors."""
        with locating(self.document.label, self.document.line((section, name)), owner=f"'{name}'"):
            return self.makers[section](name, getattr(self.file, section)[name])

    def assembled(self, parts: dict[str, tuple[Any, ...]]) -> Machine:
        """Return the machine of these parts."""
        file, document = self.file, self.document
        gravity = self.vector(file.gravity, ("gravity",))
        names: dict[str, int] = {}
        for section in parts:
            for name in getattr(file, section):
                names.setdefault(name, document.line((section, name)))
        with locating(document.label, document.line(()), names):
            machine = Machine(file.name, gravity=gravity, gains=self.gains(), **parts)
        unused = [name for name in self.parameters if name not in {p.name for p in machine.parameters}]
        if unused:
            warn(f"{document.label}: the parameters {', '.join(unused)} occur in no number of the machine")
        return machine

    def gains(self) -> tuple[Parameter, ...]:
        """Return the parameters that laws use."""
        for i, name in enumerate(self.file.gains):
            if name not in self.parameters:
                error = UnknownNameError("parameter", name, self.parameters, "the parameters of the file")
                raise located(self.document.label, self.document.line(("gains", i)), f"gains: {error}")
        return tuple(self.parameters[name] for name in self.file.gains)

    def number(self, value: Scalar | str, path: tuple[str | int, ...], unit: str | None = None) -> Scalar:
        """Return a number or the expression that a text stands for.

        Its dimension must be that of ``unit``, by default of the unit that the schema has for the path.
        """
        if not isinstance(value, str):
            return value
        with locating(self.document.label, self.document.line(path)):
            number, dimension = parse_quantity(value, self.parameters, self.dimensions)
            expected = expected_unit(self.file, path) if unit is None else unit
            if fault := unit_fault(value, dimension, expected):
                raise InputError(f"{path_name(path)} {fault}")
        if isinstance(number, Parameter) and dimension is None and expected and "|" not in expected:
            self.used.setdefault(number.name, parse_unit(expected).dimension)
        return number

    def parameter_unit(self, name: str) -> str:
        """Return the unit of a parameter: its own, or that of a field that it fills alone; empty if not known."""
        known = {**self.used, **self.dimensions}
        return str(known[name]) if name in known else ""

    def vector(self, values: list[Any], path: tuple[str | int, ...]) -> Any:
        """Return a list of numbers."""
        return tuple(self.number(v, (*path, i)) for i, v in enumerate(values))

    def numbers(self, entry: BaseModel, path: tuple[str | int, ...], *names: str) -> dict[str, Any]:
        """Return the named fields of an entry, text read as expressions."""
        fields: dict[str, Any] = {}
        for name in names:
            value = getattr(entry, name)
            if isinstance(value, str) and name in _AXES:
                fields[name] = value
                continue
            read = self.vector if isinstance(value, list) else self.number
            fields[name] = read(value, (*path, name))
        return fields

    def plain_numbers(self, entry: BaseModel, path: tuple[str | int, ...]) -> dict[str, Any]:
        """Return the fields of an entry, text read as numbers, of which no parameter may be part."""
        fields = entry.model_dump()
        for name, value in fields.items():
            if isinstance(value, str):
                fields[name] = self.plain_number(value, (*path, name))
        return fields

    def plain_number(self, value: float | str, path: tuple[str | int, ...]) -> float:
        """Return a number, of which no parameter may be part."""
        read = self.number(value, path)
        if not isinstance(read, int | float):
            raise InputError(f"'{path[-1]}' must be a plain number, got the expression {value!r}")
        return read

    def origin(self, entry: OriginEntry, path: tuple[str | int, ...]) -> Transform:
        """Return the placement that an entry stands for."""
        document = self.document
        rotations = [key for key in ("rpy", "quaternion", "matrix") if getattr(entry, key) is not None]
        if len(rotations) > 1:
            message = f"an origin takes one rotation, got {' and '.join(rotations)}"
            raise located(document.label, document.line(path), message)
        xyz = self.vector(entry.xyz, (*path, "xyz"))
        owner = f"{'body' if path[0] == 'bodies' else str(path[0])[:-1]} '{path[1]}'"
        with locating(document.label, document.line((*path, rotations[0]) if rotations else path), owner=owner):
            if entry.rpy is not None:
                roll, pitch, yaw = self.vector(entry.rpy, (*path, "rpy"))
                return Transform.rpy(roll, pitch, yaw, xyz)
            if entry.quaternion is not None:
                return Transform.quaternion(entry.quaternion, xyz)
            if entry.matrix is not None:
                rows = tuple(self.vector(row, (*path, "matrix", i)) for i, row in enumerate(entry.matrix))
                return Transform(xyz, rows)
            return Transform(xyz, IDENTITY.rotation)

    def body(self, name: str, entry: BodyEntry) -> Body | Elastic:
        """Return a body, a beam or another flexible body."""
        path = ("bodies", name)
        flexible = ("beam", "exact_rod", "finite_elements")
        shape_keys = [shape for shape in (*SHAPES, *flexible) if getattr(entry, shape) is not None]
        keys = entry.model_fields_set - {"geometry"}
        if len(shape_keys) > 1 or (shape_keys and keys != set(shape_keys)):
            raise InputError(
                f"body '{name}' takes mass, com and inertia, or one shape, or a beam, exact_rod or finite_elements, "
                f"got {' and '.join(sorted(keys))}"
            )
        if entry.geometry is None:
            return self.plain_body(name, entry, shape_keys)
        if entry.beam is not None:
            raise InputError(f"beam '{name}' takes no geometry: its section defines its shape")
        if entry.exact_rod is not None:
            raise InputError(f"rod '{name}' takes no geometry: its section defines its shape")
        if entry.finite_elements is not None:
            raise InputError(f"flexible body '{name}' takes no geometry: its mesh defines its shape")
        solids = make_geometry(entry.geometry, (*path, "geometry"), self.number, self.origin, self.document)
        return replace(self.plain_body(name, entry, shape_keys), geometry=solids)

    def plain_body(self, name: str, entry: BodyEntry, shape_keys: list[str]) -> Any:
        """Return a body or a beam, with the geometry of its own shape if it has one."""
        path = ("bodies", name)
        if not shape_keys:
            fields = self.numbers(entry, path, "mass", "com")
            rows = entry.inertia
            if isinstance(rows[0], list):
                inertia = tuple(self.vector(row, (*path, "inertia", i)) for i, row in enumerate(rows))
            else:
                inertia = self.vector(rows, (*path, "inertia"))
            return Body(name, inertia=inertia, **fields)
        if entry.beam is not None:
            with locating(self.document.label, self.document.line((*path, "beam"))):
                return make_beam(name, entry.beam, (*path, "beam"), self.number)
        if entry.exact_rod is not None:
            with locating(self.document.label, self.document.line((*path, "exact_rod"))):
                return make_rod(name, entry.exact_rod, (*path, "exact_rod"), self.number)
        if entry.finite_elements is not None:
            here = (*path, "finite_elements")
            with locating(self.document.label, self.document.line(here)):
                damping = self.number(entry.finite_elements.damping, (*here, "damping"))
                return make_flexible(name, entry.finite_elements, file_folder(self.document), damping)
        shape = getattr(entry, shape_keys[0])
        names = [field for field in type(shape).model_fields if field != "axis"]
        fields = self.numbers(shape, (*path, shape_keys[0]), *names)
        axis = {"axis": shape.axis} if "axis" in type(shape).model_fields else {}
        make: Callable[..., Body] = getattr(shapes, shape_keys[0])
        with locating(self.document.label, self.document.line((*path, shape_keys[0]))):
            return make(name, **fields, **axis)

    def joint(self, name: str, entry: JointEntry) -> Joint:
        """Return a joint."""
        path = ("joints", name)
        origin = self.origin(entry.origin, (*path, "origin"))
        with locating(self.document.label, self.document.line((*path, "limits")), owner=f"joint '{name}'"):
            limits = Limits(**self.plain_numbers(entry.limits, (*path, "limits")))
        losses = ["stiffness", "rest", "damping", "friction_velocity", "armature"]
        if not isinstance(entry.friction, FrictionEntry):
            losses.append("friction")
        optional = [key for key in ("second_axis", "pitch") if getattr(entry, key) is not None]
        fields = self.numbers(entry, path, "axis", *losses, *optional)
        if isinstance(entry.friction, FrictionEntry):
            fields["friction"] = self.friction(entry.friction, (*path, "friction"), f"joint '{name}'")
        law = entry.friction_law
        return Joint(name, entry.kind, entry.parent, entry.child, origin, limits=limits, friction_law=law, **fields)

    def friction(self, entry: FrictionEntry, path: tuple[str | int, ...], owner: str) -> Friction:
        """Return the friction of a joint or a motor."""
        names = [name for name in entry.model_fields_set if name != "law" and getattr(entry, name) is not None]
        with locating(self.document.label, self.document.line(path), owner=owner):
            return Friction(law=entry.law, **self.numbers(entry, path, *names))

    def motor(self, name: str, entry: MotorEntry) -> Motor:
        """Return a motor."""
        back = () if entry.back_efficiency is None else ("back_efficiency",)
        fields = self.numbers(entry, ("motors", name), "ratio", "rotor_inertia", "damping", "efficiency", *back)
        if entry.friction is not None:
            fields["friction"] = self.friction(entry.friction, ("motors", name, "friction"), f"motor '{name}'")
        effort, speed = (self.plain_number(getattr(entry, key), ("motors", name, key)) for key in ("effort", "speed"))
        return Motor(name, name if entry.joint is None else entry.joint, effort=effort, speed=speed, **fields)

    def thruster(self, name: str, entry: ThrusterEntry) -> Thruster:
        """Return a thruster."""
        pulled = () if entry.toward is None else ("toward",)
        numbers = self.numbers(entry, ("thrusters", name), "force", "torque", *pulled)
        return Thruster(name, entry.frame, axes=entry.axes, effort=entry.effort, one_sided=entry.one_sided, **numbers)

    def sensor(self, name: str, entry: SensorEntry) -> Sensor:
        """Return a sensor."""
        return read_sensor(name, entry, ("sensors", name), self.number)

    def wrench(self, name: str, entry: WrenchEntry) -> Wrench:
        """Return a wrench."""
        return Wrench(name, entry.frame, axes=entry.axes, **self.numbers(entry, ("wrenches", name), "force", "torque"))

    def coupling(self, name: str, entry: CouplingEntry) -> Coupling:
        """Return a coupling."""
        return Coupling(name, entry.leader, **self.numbers(entry, ("couplings", name), "ratio", "offset"))

    def law(self, block: dict[str, Any], machine: Machine | None = None) -> Any:
        """Return the control law of a block ``control``; its gains may use the parameters of ``machine``."""
        control = ("simulation", "control")

        def number(text: str, path: tuple[str | int, ...]) -> Scalar:
            value = self.number(text, (*control, *path))
            own = {p.name for p in (machine.parameters if machine else self.parameters.values())}
            lacking = sorted(p.name for p in parameters_of(value) if p.name not in own)
            if lacking and path[0] != "reference":
                raise InputError(
                    f"{path[0]} uses the parameter '{lacking[0]}', which occurs in no number of the machine: "
                    "list it under 'gains'"
                )
            return value

        def place(path: tuple[str | int, ...]) -> Any:
            return locating(self.document.label, self.document.line((*control, *path)))

        def plain(settings: Mapping[str, Any]) -> Any:
            return make_law(settings, self.parameters, number=number, place=place)

        if block.get("law") == PREDICTIVE and machine is not None:
            return make_predictive(block, machine, plain, number, place)
        return None if block.get("law") == PREDICTIVE else plain(block)
