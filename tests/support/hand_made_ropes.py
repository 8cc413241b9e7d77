"""Machines with hand-made sections of ropes: rows are given here, as expressions, in the place of a geometry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import casadi as ca
import numpy as np

import dalembert as da
from dalembert.formulations.constraints.ropes import RopeSection
from dalembert.formulations.constraints.system import ConstraintSystem

__all__ = ["DOWN", "atwood", "hanging", "roped", "section"]

DOWN = (0.0, 0.0, -1.0)


@contextmanager
def roped(make: Callable[[ConstraintSystem], tuple[RopeSection, ...]]) -> Iterator[None]:
    """Machines have these sections of ropes."""
    with patch.object(ConstraintSystem, "_rope_sections", make):
        yield


def hanging(*masses: float, name: str = "masses") -> da.Machine:
    """Masses that move up and down, downwards counted positive: x1, x2, ..."""
    names = [f"m{i + 1}" for i in range(len(masses))]
    return da.Machine(
        name,
        bodies=[da.Body(n, m, inertia=(1, 1, 1)) for n, m in zip(names, masses, strict=True)],
        joints=[da.Joint(f"x{i + 1}", "prismatic", "world", n, axis=DOWN) for i, n in enumerate(names)],
        constraints=[da.GearConstraint("none", terms={"x1": 1.0}, switchable=True, active=False)],
    )


def atwood(m1: float, m2: float, inertia: float) -> da.Machine:
    """Two masses and a sheave that turns."""
    machine = hanging(m1, m2)
    return machine.with_(
        bodies=[*machine.bodies, da.Body("s", 1.0, inertia=(1, inertia, 1))],
        joints=[*machine.joints, da.Joint("turn", "revolute", "world", "s", axis=(0, 1, 0))],
    )


def section(
    rows: Any, length: float, kappa: Any = (), lengths: Any = None
) -> Callable[[ConstraintSystem], tuple[RopeSection, ...]]:
    """One rope with constant rows (n x nv) by the names of velocities, of which only positions count for its length."""

    def make(system: ConstraintSystem) -> tuple[RopeSection, ...]:
        x, names = system.variables, system.formulation.layout.v_names
        A = np.array([[row.get(name, 0.0) for name in names] for row in rows])
        rates = ca.SX(A) @ x.v
        opening = ca.sum1(ca.SX(A) @ x.q) - length
        given = ca.SX(np.atleast_1d(np.asarray(kappa, dtype=float)))
        sizes = ca.SX(np.ones(len(rows)) if lengths is None else np.asarray(lengths, dtype=float))
        sheaves = tuple(f"s{i + 1}" for i in range(len(rows) - 1))
        return (RopeSection("rope", "rope", opening, rates, sizes, sheaves, given),)

    return make
