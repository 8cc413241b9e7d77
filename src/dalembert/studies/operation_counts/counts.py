"""Counts of the ways to derive the equations of a falling chain, side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import casadi as ca

from dalembert import equations
from dalembert.analysis import OperationCount, count_operations
from dalembert.core.types import Expression
from dalembert.formulations.tree.gibbs_appell.formulation import GibbsAppell
from dalembert.model.machine import Machine
from dalembert.studies.operation_counts.as_written import inertia_as_written
from dalembert.studies.operation_counts.transforms import Transforms
from dalembert.systems.falling_chains import falling_chain

__all__ = ["METHODS", "ChainCount", "chain_count", "derivation"]


def _rotations(machine: Machine) -> tuple[GibbsAppell, Expression, Expression]:
    e = GibbsAppell(machine)
    return e, ca.triu(e.mass_matrix()), e.bias()


def _as_written(machine: Machine, *, kept: bool = False) -> tuple[GibbsAppell, Expression, Expression]:
    e = GibbsAppell(machine)
    return e, inertia_as_written(e, kept=kept), e.bias()


def _transforms(machine: Machine) -> tuple[GibbsAppell, Expression, Expression]:
    e = GibbsAppell(machine)
    t = Transforms(e)
    return e, t.inertia_matrix(), t.right_side()


def _hybrid(machine: Machine) -> tuple[GibbsAppell, Expression, Expression]:
    e = GibbsAppell(machine)
    return e, Transforms(e).inertia_matrix(), e.bias()


METHODS: dict[str, Callable[[Machine], tuple[GibbsAppell, Expression, Expression]]] = {
    "3x3, as written": _as_written,
    "3x3, matrices kept": partial(_as_written, kept=True),
    "gibbs-appell": _rotations,
    "4x4": _transforms,
    "hybrid": _hybrid,
}
"""Inertia matrix (upper half) and right side. The terms of IMPACT one by one, with each matrix formed in place,
or once; the formulation of the library; transforms; and the inertia matrix with transforms, the right side with
rotations: the balance between few operations and few formulas that the document's conclusion asks for."""


@dataclass(frozen=True)
class ChainCount:
    """Operations of a method for n links with m modes: all that are written down, and each one once."""

    method: str
    n: int
    m: int
    written: OperationCount
    shared: OperationCount


def derivation(method: str, n: int, m: int) -> tuple[list[Expression], list[Expression]]:
    """Symbols and expressions of inertia matrix and right side (or accelerations) of a chain."""
    machine = falling_chain(n, m, rotary_inertia=False)
    if method in METHODS:
        e, M, bias = METHODS[method](machine)
        return [e.variables.q, e.variables.v], [M, bias]
    x = equations(machine).symbolic
    if method == "newton-euler":
        return [x.q, x.v], [ca.triu(x.mass_matrix), x.bias]
    return [x.q, x.v, x.tau], [x.forward_dynamics]


def chain_count(method: str, n: int, m: int) -> ChainCount:
    """Count a method: one of `METHODS`, ``"newton-euler"`` or ``"forward dynamics"``."""
    inputs, outputs = derivation(method, n, m)
    written, shared = (count_operations(inputs, outputs, shared=x) for x in (False, True))
    return ChainCount(method, n, m, written, shared)
