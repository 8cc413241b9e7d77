"""Machines with joints whose bodies have shapes, stepped by native code."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np

from dalembert.core.types import Array
from dalembert.engine.collide.native import (
    DIRECT,
    TouchingPoints,
    make_adhesive,
    make_compliant,
    shape_memory,
    touching_points,
)
from dalembert.engine.layout import structure
from dalembert.engine.library import functions, library
from dalembert.engine.memory import Functions, NativeMemory
from dalembert.engine.problem.shapes import ColliderSystem, ShapeTable
from dalembert.engine.problem.stepping import BlockLaw, SteppingSystem
from dalembert.engine.stepping.native import NativeStepping, StepFaults

__all__ = ["NativeColliders", "ShapesAtRest", "native_steps"]

_STEPPING, _COLLIDE = functions("stepping"), functions("collide")


def native_steps(
    system: SteppingSystem, n: int, kernels: dict[str, Any], functions: Functions | None = None
) -> NativeStepping | NativeColliders:
    """Return the time-stepping of a problem of n states; ``functions`` finds those of the engine by name."""
    if system.colliders is None:
        return NativeStepping(system, n, kernels, functions or _STEPPING)
    return NativeColliders(system, system.colliders, n, kernels, functions)


class NativeColliders:
    """Memory of the time-stepping of a machine with colliders; arguments are as of `NativeStepping`."""

    def __init__(
        self,
        system: SteppingSystem,
        colliders: ColliderSystem,
        n: int,
        kernels: dict[str, Any],
        functions: Functions | None = None,
    ) -> None:
        find = functions or (lambda name: (_STEPPING if name == "moreau_step" else _COLLIDE)(name))
        shapes, nv = colliders.shapes, system.nv
        most = shapes.contacts
        sizes = sorted(map(len, colliders.supports), reverse=True)
        stride = min(nv, sum(sizes[:2]))
        more = _contact_tables(system, most, stride, shapes.resists)
        self.steps = steps = NativeStepping(system, n, kernels, find, more=more, direct=DIRECT)
        self._find = find
        self.scene = shape_memory(shapes, len(colliders.carriers), steps.address)
        self.memory = NativeMemory(structure("articulated"))
        a, c, array = self.memory.struct, steps.memory.struct, self.memory.array
        a.scene, a.steps, a.step = self.scene.address, steps.address, find("moreau_step")
        a.count_at, a.deepest_at, a.force_at = colliders.count, colliders.deepest, colliders.forces
        a.terms = c.terms
        self.memory.work("terms_work", kernels["terms"])
        a.poses = kernels["poses"].address
        self.memory.work("poses_work", kernels["poses"])
        c.terms, c.terms_work = find("articulated_terms"), self.memory.address
        steps.memory.arrays.pop("terms_work")
        for name, lists in (("column", colliders.columns), ("support", colliders.supports)):
            array(f"{name}_start", np.array([0, *accumulate(map(len, lists))], dtype=np.int64))
            array(name, np.array([*(j for row in lists for j in row), 0], dtype=np.int64))
        array("force_of", np.array([*colliders.carriers, 0], dtype=np.int64))
        array("jacobian", np.zeros(6 * sum(map(len, colliders.columns)) + 1))
        array("row", np.zeros(nv + 1))
        if colliders.flexible:
            array("half", np.zeros(len(colliders.carriers) + 1))
            self.scene.point("half", self.memory.arrays["half"])
            for name in ("longer", "growth"):
                self.scene.array(name, np.zeros(len(colliders.carriers) + 1))
            array("stretch", np.zeros(sum(map(len, colliders.columns)) + 1))
        array("x_after", np.full(n + 1, np.inf))
        for name in (
            "friction",
            "restitution",
            "spinning",
            "rolling",
            "across",
            "compliance",
            "damping",
            "adhesion",
            "belt",
        ):
            self.memory.point(name, self.scene.arrays[name])
        for name in ("count", "support"):
            self.scene.point(name, steps.memory.arrays[name])
        known = np.zeros(c.n_blocks + most + 1, dtype=np.int64)
        steps.memory.point("known", known)
        self.scene.point("known", known)
        c.apart = 1
        if shapes.yields:
            make_compliant(steps.memory, c.n_blocks + most, colliders.stored)
        if shapes.adheres:
            make_adhesive(steps.memory, c.n_blocks + most)

    def attach(self, loop: Any) -> None:
        """Put this method into the structure of a time loop."""
        loop.custom, loop.context = self.function, self.address

    @property
    def structures(self) -> dict[str, NativeMemory]:
        """All its memory, by the names of the structures."""
        return {"moreau": self.steps.memory, "scene": self.scene, "articulated": self.memory}

    @property
    def faults(self) -> StepFaults:
        """Faults of the contacts in the steps so far."""
        return self.steps.faults

    @property
    def function(self) -> int:
        """Address of the step, ``articulated_step`` of articulated.c."""
        return self._find("articulated_step")

    @property
    def address(self) -> int:
        """Address of its memory, the first argument of the step; no two threads may share it."""
        return self.memory.address


def _contact_tables(system: SteppingSystem, most: int, stride: int, resists: bool) -> dict[str, list[int]]:
    """Tables of the blocks of contacts that are found at run time, which come after the others."""
    ends = {name: values[-1] for name, values in system.tables.items() if name.endswith("_start")}
    law, rows = (BlockLaw.RESISTED, 6) if resists else (BlockLaw.COULOMB, 3)
    steps = {
        "support_start": stride, "row_start": rows, "mu_start": law.given(rows), "value_start": rows * stride,
        "block_start": law.numbers(rows),
    }  # fmt: skip
    starts = {name: [ends[name] + step * (k + 1) for k in range(most)] for name, step in steps.items()}
    same = {"law": int(law), "size": rows, "count": 0, "force": 0, "loss": -1}
    return starts | {name: [value] * most for name, value in same.items()} | {"support": [0] * (stride * most)}


class ShapesAtRest:
    """Contacts of shapes on bodies that do not move.

    Parameters
    ----------
    shapes, bodies
        The shapes, and the number of bodies.
    """

    def __init__(self, shapes: ShapeTable, bodies: int) -> None:
        self._bodies = shapes.bodies
        self._steps = NativeMemory(structure("moreau"))
        self._scene = shape_memory(shapes, bodies, self._steps.address)

    def touching(self, pose: Array, half: Array, reach: float = 0.0) -> TouchingPoints:
        """Contacts that are nearer than ``reach``.

        Parameters
        ----------
        pose, half
            Poses of the bodies (12 each), and half of the lengths of those that are segments of beams (may be empty).
        reach
            Largest gap.
        """
        self._scene.arrays["pose"][: pose.size] = pose.ravel()
        for shape, body in enumerate(self._bodies):
            if body >= 0 and len(half) and half[body] > 0.0:
                self._scene.arrays["size"][3 * shape + 1] = half[body]
        library("collide").scene_touching(self._scene.address, None, reach)
        return touching_points(self._scene)
