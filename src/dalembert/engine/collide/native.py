"""Free rigid bodies with shapes, stepped by native code."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array
from dalembert.engine.layout import structure
from dalembert.engine.library import functions, library
from dalembert.engine.memory import NativeMemory
from dalembert.engine.methods.contacts import TimeStepping
from dalembert.engine.problem.shapes import Hull, ShapeTable
from dalembert.engine.problem.stepping import BlockLaw
from dalembert.engine.stepping.native import StepFaults, block_memory, step_faults

__all__ = [
    "DIRECT",
    "STORED",
    "NativeScene",
    "SceneTable",
    "TouchingPoints",
    "account_names",
    "make_adhesive",
    "make_compliant",
    "rigid_gaps",
    "shape_memory",
    "stored_energy",
    "touching_points",
]

_ACCOUNT = ("contact.residual", "contact.sweeps", "contact.undetermined", "contact.lowered", "work.input", "work.loss")
"""States behind coordinates and velocities of rigid bodies."""

DIRECT = 128
"""Rows of an island up to which forces that are not unique follow the rule: 42 contacts."""

STORED = "contact.stored"
"""State of machines with compliant contacts, behind the others: the energy in them."""

_COEFFICIENTS = (
    "friction", "restitution", "spinning", "rolling", "across", "compliance", "damping", "adhesion", "belt",
    "grain",
)  # fmt: skip

_KERNELS = ("terms", "bias", "move", "finish", "lift")


@dataclass(frozen=True, eq=False)
class SceneTable:
    """Free bodies and their shapes in numbers.

    Parameters
    ----------
    mass, inertia
        Masses (n), and moments about principal axes (n x 3).
    gravity
        Acceleration (3).
    shapes
        Their shapes, in principal frames.
    """

    mass: Array
    inertia: Array
    gravity: Array
    shapes: ShapeTable


class TouchingPoints(NamedTuple):
    """Contacts: shapes (k x 2), points (k x 3), normals from the second to the first (k x 3), and gaps (k)."""

    shapes: NDArray[np.int64]
    points: Array
    normals: Array
    gaps: Array


class NativeScene:
    """Memory of a scene and of its steps.

    Parameters
    ----------
    table
        Bodies and shapes.
    way
        Settings of the steps.
    """

    def __init__(self, table: SceneTable, way: TimeStepping) -> None:
        n, k = len(table.mass), table.shapes.contacts
        self._kernels = functions("collide")
        self.steps = NativeMemory(structure("moreau"))
        self.scene = shape_memory(table.shapes, n, self.steps.address)
        for name in ("mass", "inertia", "gravity"):
            self.scene.array(name, np.append(np.asarray(getattr(table, name), dtype=float), 0.0))
        for name, size in {"x_middle": 13 * n, "displacement": 6 * n}.items():
            self.scene.array(name, np.zeros(size + 1))
        self._compliance = table.shapes.compliance
        self._set_up_steps(n, k, way, table.shapes.yields)
        if table.shapes.adheres:
            make_adhesive(self.steps, k)

    def _set_up_steps(self, n: int, k: int, way: TimeStepping, yields: bool) -> None:
        """Fill the structure of the steps: each contact is a block of three rows on two bodies."""
        c, nq, nv, rows = self.steps.struct, 7 * n, 6 * n, int(self.scene.struct.rows)
        first = nq + nv
        self.n_states = first + len(account_names(yields))
        c.n, c.nq, c.nv = self.n_states, nq, nv
        c.residual_at, c.sweeps_at, c.undetermined_at, c.lowered_at, c.work_input, c.work_loss = range(first, first + 6)
        c.theta, c.tolerance, c.margin, c.max_sweeps = 0.5, way.tolerance, way.margin, int(way.max_sweeps)
        c.apart = 1
        law = BlockLaw.COULOMB if rows == 3 else BlockLaw.RESISTED
        kept, given = law.numbers(rows), law.given(rows)
        tables = {
            "L_start": np.zeros(nv + 1), "L_column": np.zeros(1), "law": np.full(k + 1, int(law)),
            "size": np.full(k + 1, rows), "support_start": 12 * np.arange(k + 1), "row_start": rows * np.arange(k + 1),
            "mu_start": given * np.arange(k + 1), "value_start": 12 * rows * np.arange(k + 1),
            "block_start": kept * np.arange(k + 1),
            "force": np.zeros(k + 1), "loss": np.full(k + 1, -1),
        }  # fmt: skip
        for name, integers in tables.items():
            self.steps.array(name, np.asarray(integers, dtype=np.int64))
        for name, length in (("count", k + 1), ("support", 12 * k + 12), ("known", k + 1)):
            self.scene.point(name, self.steps.array(name, np.zeros(length, dtype=np.int64)))
        self.steps.array("feature", np.full(k + 1, np.inf))
        block_memory(
            self.steps, self.n_states, nv=nv, blocks=k, rows=rows * k, values=12 * rows * k, numbers=given * k,
            kept=kept * k, bent=rows * k,
            direct=DIRECT, nodes=n,
        )  # fmt: skip
        if yields:
            make_compliant(self.steps, k, self.n_states - 1)
        for name in _KERNELS:
            setattr(c, name, self._kernels(f"scene_{name}"))
            setattr(c, f"{name}_work", self.scene.address)
        self._next = np.zeros(self.n_states)

    def advance(self, x: Array, t: float, step: float, steps: int) -> int:
        """Take some steps from the state x, which changes in place; 0, or the number of the step that failed."""
        return int(
            library("collide").scene_advance(
                functions("stepping")("moreau_step"), self.scene.address, t, step, steps, x.ctypes.data,
                self._next.ctypes.data,
            )
        )  # fmt: skip

    def forget(self) -> None:
        """Let the next step begin without contacts of a step before it."""
        self.scene.struct.h = 0.0

    @property
    def faults(self) -> StepFaults:
        """Faults of the contacts in the steps so far."""
        return step_faults(self.steps)

    @property
    def full(self) -> bool:
        """Whether there were more contacts than there is room for."""
        return bool(self.scene.struct.full)

    def touching(self, x: Array | None = None, reach: float = 0.0) -> TouchingPoints:
        """Contacts of the last step, or those of a state that are nearer than ``reach``."""
        if x is not None:
            library("collide").scene_touching(self.scene.address, np.ascontiguousarray(x).ctypes.data, reach)
        return touching_points(self.scene)

    def stored(self, x: Array) -> float:
        """Energy that compliant contacts store in a state."""
        return stored_energy(self._compliance, self.touching(x))

    def forces(self) -> Array:
        """Forces of contacts of the last step along their normals and tangents, and moments about them (k x rows)."""
        s = self.scene.struct
        impulses = _array_at(self.steps.struct.total, s.rows * s.n_contacts, ctypes.c_double).reshape(-1, s.rows)
        pairs = touching_points(self.scene).shapes
        along, across = (np.prod(self.scene.arrays[name][pairs], axis=1) ** 0.5 for name in ("friction", "across"))
        most = np.maximum(np.maximum(along, across), np.finfo(float).tiny)
        impulses[:, 1:3] *= np.column_stack([along / most, across / most])  # tangents are shortened (contact_axes)
        return impulses / s.h if s.h > 0.0 else 0.0 * impulses


def account_names(yields: bool) -> tuple[str, ...]:
    """Names of the states behind coordinates and velocities; ``yields``: whether contacts are compliant."""
    return (*_ACCOUNT, STORED) if yields else _ACCOUNT


def make_compliant(steps: NativeMemory, blocks: int, stored: int) -> None:
    """Allocate what compliant contacts need (compliance.c); ``stored`` is the place of their energy in x."""
    for name in ("compliance", "damping", "give", "rest", "depth"):
        steps.array(name, np.zeros(blocks + 1))
    steps.struct.stored_at = stored


def make_adhesive(steps: NativeMemory, blocks: int) -> None:
    """Allocate what contacts that adhere need (adhesion.c)."""
    steps.array("hold", np.zeros(blocks + 1))


def stored_energy(compliance: Array, touching: TouchingPoints) -> float:
    """Energy of compliant contacts, with the compliance of each shape: half of stiffness times depth squared."""
    both = compliance[touching.shapes].sum(axis=1)
    depth = np.where(both > 0.0, np.maximum(-touching.gaps, 0.0), 0.0)
    return float(np.sum(0.5 * depth**2 / np.where(both > 0.0, both, 1.0)))


def rigid_gaps(compliance: Array, touching: TouchingPoints) -> Array:
    """Gaps of contacts; of compliant ones, which may be deep, infinite."""
    return np.where(compliance[touching.shapes].sum(axis=1) > 0.0, np.inf, touching.gaps)


def shape_memory(shapes: ShapeTable, bodies: int, steps: int) -> NativeMemory:
    """Memory of a scene with these shapes on a number of bodies; ``steps`` is the address of that of its steps."""
    m, k = len(shapes.kinds), shapes.contacts
    scene = NativeMemory(structure("scene"))
    s = scene.struct
    s.steps, s.n_bodies, s.n_shapes, s.most_contacts = steps, bodies, m, k
    s.n_excluded, s.n_hashes = len(shapes.excluded), 2 * k + 1
    numbers = {name: getattr(shapes, name) for name in ("reach", "inner", *_COEFFICIENTS)}
    s.rows = 6 if shapes.resists else 3
    for name, values in (numbers | {"size": shapes.sizes, "place": shapes.places}).items():
        scene.array(name, np.append(np.asarray(values, dtype=float), 0.0))
    for name, integers in {"kind": shapes.kinds, "body": shapes.bodies, "excluded": shapes.excluded}.items():
        scene.array(name, np.append(np.asarray(integers, dtype=np.int64), 0))
    for name, values in _hull_tables(shapes.hulls, m).items():
        scene.array(name, values)
    reals = {
        "pose": 12 * bodies, "pace": 2 * bodies, "twist": 6 * bodies, "drift": 6 * bodies,
        "position": 3 * m, "rotation": 9 * m, "low": 3 * m, "high": 3 * m,
        "point": 3 * k, "point_before": 3 * k, "force_before": 6 * k, "hold_before": k, "where": 3 * k,
        "normal": 3 * k, "gap": k, "normal_rate": 3 * k, "point_rate": 3 * k,
    }  # fmt: skip
    for name, size in reals.items():
        scene.array(name, np.zeros(size + 1))
    scene.array("order", np.arange(m + 1, dtype=np.int64))
    for name, size in {"pair": k, "pair_before": k, "turns": k, "hashes": 2 * k + 1}.items():
        scene.array(name, np.full(size + 1, -1, dtype=np.int64))
    return scene


def touching_points(scene: NativeMemory) -> TouchingPoints:
    """Contacts that a scene has found last."""
    s = scene.struct
    pairs = _array_at(s.pair, s.n_contacts, ctypes.c_int64)
    points, normals = (_array_at(at, 3 * s.n_contacts, ctypes.c_double).reshape(-1, 3) for at in (s.where, s.normal))
    shapes = np.column_stack([pairs // s.n_shapes, pairs % s.n_shapes])
    return TouchingPoints(shapes, points, normals, _array_at(s.gap, s.n_contacts, ctypes.c_double))


def _array_at(address: int, size: int, kind: Any) -> NDArray[Any]:
    """Return a copy of an array of the engine."""
    return np.array((kind * int(size)).from_address(address))


def _hull_tables(hulls: dict[int, Hull], shapes: int) -> dict[str, NDArray[Any]]:
    """Return the tables of all hulls one after the other, with a last entry that is not used."""
    vertex_start, face_start, loop_start, loop = [0], [0], [0], list[int]()
    vertices, normals = [np.zeros((0, 3))], [np.zeros((0, 3))]
    for i in range(shapes):
        hull = hulls.get(i)
        vertices += [] if hull is None else [hull.vertices]
        normals += [] if hull is None else [hull.normals]
        for corners in () if hull is None else hull.loops:
            loop += corners
            loop_start.append(len(loop))
        vertex_start.append(sum(map(len, vertices)))
        face_start.append(len(loop_start) - 1)
    integers = {"vertex_start": vertex_start, "face_start": face_start, "loop_start": loop_start, "loop": [*loop, 0]}
    reals = {"vertex": np.vstack([*vertices, np.zeros((1, 3))]), "face_normal": np.vstack([*normals, np.zeros((1, 3))])}
    return {name: np.array(values, dtype=np.int64) for name, values in integers.items()} | reals
