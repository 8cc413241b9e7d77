"""Which constitutive laws there are: numbers of the model that decide on forces, and laws of blocks of the engine.

A test of ``tests/unit/laws`` says by the decorator `law` which of them it holds against a closed form.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import casadi as ca
import numpy as np

import dalembert as da
from dalembert import model
from dalembert.core.types import Array
from dalembert.engine.problem.stepping import BlockLaw
from dalembert.model.fields import ForceField

__all__ = ["documented_laws", "evaluated", "known_laws", "law", "laws_with_tests"]

F = TypeVar("F", bound=Callable[..., Any])

ROOT = Path(__file__).resolve().parents[2]
_NUMBERS = re.compile(r"\b(Scalar|float|Vector|Matrix|Terms|Array)\b")

NO_LAWS = {
    "Ball", "Plane", "Tube", "Box", "Capsule", "Cone", "Cylinder", "HeightField", "Mesh", "Sphere", "Geometry", "Shape",
    "Transform", "CablePath",
    "HalfSpace", "CylindricalSurface", "SphericalSurface", "BoxSurface",  # geometry: tests/unit/test_surface_kinds.py
    "Body", "Machine", "Parameter",  # inertia and gravity: all formulations agree, closed forms of pendulums
    "DistanceConstraint", "LoopConstraint", "MotionConstraint", "OrthogonalConstraint", "ParallelConstraint",
    "WeldConstraint", "BallConstraint",  # kinematics: tests/unit/test_constraint_kinds.py
    "Sensor", "Signal",  # what is read: tests/unit/test_noise.py, test_signals.py
}  # fmt: skip
"""Classes of the model whose numbers are no constitutive laws, and where they are tested."""

PLACES = {
    "Joint": {"axis", "second_axis"}, "Limits": {"lower", "upper"}, "Cable": {"anchor_at", "exit_at"},
    "Wheel": {"axis"}, "ControlMomentGyro": {"gimbal_axis", "spin_axis"}, "Beam": {"offset", "stations"},
    "Collider": {"radius"},
    "ThirdBody": {"epoch"}, "MagneticTorque": {"epoch"}, "OrbitalGravity": {"epoch"},
}  # fmt: skip
"""Numbers of the others that say where something is, or when."""


def law(*names: str) -> Callable[[F], F]:
    """Say which laws a test holds against a closed form: ``"Joint.stiffness"``."""
    assert names

    def same(test: F) -> F:
        return test

    return same


def known_laws() -> set[str]:
    """All laws: numbers of the classes of the model that are neither geometry nor places, and laws of blocks."""
    classes = {name: getattr(model, name) for name in model.__all__}
    classes |= {kind.__name__: kind for kind in ForceField.__subclasses__() if kind.__module__.startswith("dalembert.")}
    laws = {f"BlockLaw.{one.name}" for one in BlockLaw}
    for name, kind in classes.items():
        if isinstance(kind, type) and dataclasses.is_dataclass(kind) and name not in NO_LAWS:
            laws |= {
                f"{name}.{field.name}"
                for field in dataclasses.fields(kind)
                if _NUMBERS.search(str(field.type)) and field.name not in PLACES.get(name, ())
            }
    return laws


def documented_laws() -> set[str]:
    """Laws of the table of parts in ``docs/machines.md``: numbers of a part that its row names."""
    text = (ROOT / "docs" / "machines.md").read_text(encoding="utf-8").split("## Motors, springs, losses, loads")[1]
    laws = set()
    for kind, row in re.findall(r"^\| `(?:da\.)?(\w+)\((.*)$", text, re.MULTILINE):
        if dataclasses.is_dataclass(getattr(model, kind, None)):
            words = set(re.findall(r"\w+", row))
            laws |= {f"{kind}.{f.name}" for f in dataclasses.fields(getattr(model, kind)) if f.name in words}
    return laws


def laws_with_tests(folder: Path) -> dict[str, list[str]]:
    """Laws that tests of a folder name, and the tests."""
    found: dict[str, list[str]] = {}
    for file in sorted(folder.glob("test_*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            for mark in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
                if isinstance(mark, ast.Call) and getattr(mark.func, "id", "") == "law":
                    for argument in mark.args:
                        found.setdefault(ast.literal_eval(argument), []).append(node.name)
    return found


def evaluated(machine: da.Machine, name: str, **values: Any) -> Array:
    """An expression of a machine's equations (``"applied"``, ``"bias"`` ..) at values; what is not given is zero."""
    s = da.equations(machine, backend="vm").symbolic
    symbols = {key: getattr(s, key) for key in ("q", "v", "a", "u", "t")}
    function = ca.Function("f", list(symbols.values()), [getattr(s, name)])
    given = [np.zeros(x.shape) if values.get(k) is None else np.asarray(values[k], float) for k, x in symbols.items()]
    result = np.array(function(*given))
    return result[:, 0] if result.shape[1] == 1 else result
