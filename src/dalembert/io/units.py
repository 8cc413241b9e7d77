"""Units of the signals of a run: from the parts of its machine, and from the prefix of a name."""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.core.parameter import nominal
from dalembert.model.constraints import Constraint, LoopConstraint
from dalembert.model.joints import JointKind
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run

__all__ = ["coordinate_units", "machine_units", "name_units", "signal_units"]

_ONE = "1"
_BY_PREFIX = {
    "energy": "J",
    "work": "J",
    "length": "m",
    "length0": "m",
    "swivel": "rad",
    "turned": "rad",
    "tangent_error": "m",
    "tension": "N",
    "stress": "Pa",
    "stress_point": _ONE,
    "wrap": "rad",
    "fleet": "rad",
    "active": _ONE,
    "stick": _ONE,
    "multiplier": "N or N m",
    "force": "N",
    "gap": "m",
    "slip": "m/s",
    "loss": "J",
    "contact": _ONE,
}
_BY_NAME = {"constraint.position": "m or rad", "constraint.velocity": "m/s or rad/s"}


def signal_units(run: Run, names: Iterable[str] | None = None) -> dict[str, str]:
    """Units of the signals of a run whose unit is known, by name; ``"1"`` for pure numbers.

    Parameters
    ----------
    run
        The run.
    names
        The signals; None: all.
    """
    machine = run.machine
    return name_units(machine if isinstance(machine, Machine) else None, run.names if names is None else names)


def name_units(machine: Machine | None, names: Iterable[str]) -> dict[str, str]:
    """Units of names of states, inputs and signals of a machine, where they are known."""
    known = machine_units(machine) if machine is not None else {}
    units = {}
    for name in names:
        unit = known.get(name) or _BY_NAME.get(name) or _BY_PREFIX.get(name.partition(".")[0] if "." in name else "")
        if unit is not None:
            units[name] = unit
    return units


def coordinate_units(name: str, kind: type[JointKind]) -> dict[str, str]:
    """Units of the coordinates and velocities of a joint, by their names."""
    start, units = kind.quaternion, {}
    quaternion = range(start, start + 4) if start is not None else range(0)
    for k, suffix in enumerate(kind.q):
        units[name + suffix] = _ONE if k in quaternion else "rad" if k in kind.angles else "m"
    for k, suffix in enumerate(kind.v):
        turns = k in kind.angles if start is None else suffix.endswith((".wx", ".wy", ".wz"))
        units[name + suffix] = "rad/s" if turns else "m/s"
    return units


def machine_units(machine: Machine) -> dict[str, str]:
    """Units of coordinates, velocities, inputs and signals named after them."""
    units: dict[str, str] = {}
    for node in machine.coordinate_nodes:
        n = len(node.joint.q_names)
        units |= coordinate_units(node.joint.name, node.joint.info)
        if node.is_root and node.elastic is not None:
            # Modes of unit modal mass have shapes in 1/sqrt(kg), all others plain ones.
            modal = node.elastic.coordinate_unit
            units |= dict.fromkeys(node.q_names[n:], modal)
            units |= dict.fromkeys(node.v_names[len(node.joint.v_names) :], f"{modal}/s")
    for motor in machine.motors:
        joint = machine.joint(motor.joint)
        effort = "N m" if 0 in joint.info.angles else "N"
        for prefix in ("u", "command", "effort"):
            units[f"{prefix}.{motor.name}"] = effort
        units[f"integral.{motor.name}"] = "rad s" if 0 in joint.info.angles else "m s"
    for name in machine.sticking:
        units[f"friction.{name}"] = effort = "N m" if 0 in machine.joint(name).info.angles else "N"
        units[f"share.{name}"], units[f"impulse.{name}"] = effort, f"{effort} s"
    for constraint in machine.rubbing:
        turns = constraint.frames or 0 in machine.joint(constraint.joints[0]).info.angles
        units[f"friction.{constraint.name}"] = effort = "N" if not turns or _slides(constraint) else "N m"
        units[f"share.{constraint.name}"], units[f"impulse.{constraint.name}"] = effort, f"{effort} s"
    for name in machine.sheave_bearings:
        units[f"friction.{name}"] = units[f"share.{name}"] = "N m"
        units[f"impulse.{name}"] = "N m s"
    for thruster in machine.thrusters:
        kinds = [
            unit for unit, wrench in (("N", thruster.force), ("N m", thruster.torque)) if any(map(nominal, wrench))
        ] or ["N"]  # the tension of a cable
        for prefix in ("u", "command", "effort"):
            units[f"{prefix}.{thruster.name}"] = kinds[0] if len(kinds) == 1 else _ONE
    for constraint in machine.constraints:
        rows = constraint.multiplier_units
        names = [f"multiplier.{constraint.name}" + (f"[{k}]" if len(rows) > 1 else "") for k in range(len(rows))]
        units |= dict(zip(names, rows, strict=True))
    return units


def _slides(constraint: Constraint) -> bool:
    """Whether the friction of a constraint acts along a guide."""
    return isinstance(constraint, LoopConstraint) and constraint.kind == "prismatic"
