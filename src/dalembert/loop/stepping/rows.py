"""Rows of blocks, solved with half of the factored mass matrix."""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca

from dalembert.core.types import Expression
from dalembert.engine.problem.stepping import PairRows
from dalembert.formulations.factorization import UnitFactors, half_solve
from dalembert.loop.stepping.blocks import StepBlock

__all__ = ["FactorSymbols", "HalfRows", "coupled_groups", "half_rows", "pair_rows", "row_entries", "scaled_entries"]


class HalfRows(NamedTuple):
    """Rows ``J L^-T D^-1/2`` of a block at its support, velocities ``J v``, the support, rates of the velocities."""

    Y: Any
    u: Any
    support: tuple[int, ...]
    turn: Any


def half_rows(block: StepBlock, factors: UnitFactors, scale: list[Any], groups: list[frozenset[int]]) -> HalfRows:
    """Rows of a block times ``L^-T D^-1/2``, at the velocities that it or a group of held rows touches."""
    size, nv = block.J.shape
    rows = [scaled_entries(half_solve(factors, row_entries(block.J[i, :])), scale) for i in range(size)]
    entries = frozenset(j for j in range(nv) if any(row[j] is not None for row in rows))
    support = tuple(sorted(entries.union(*(g for g in groups if g & entries))))
    Y = [0.0 if row[j] is None else row[j] for row in rows for j in support]
    turn = ca.SX(0, 1) if block.turn is None else ca.densify(ca.SX(block.turn))
    return HalfRows(ca.vertcat(*Y) if Y else ca.SX(0, 1), ca.densify(ca.SX(block.u)), support, turn)


def coupled_groups(supports: list[frozenset[int]]) -> list[frozenset[int]]:
    """Velocities that rows couple: unions of those that overlap."""
    groups: list[frozenset[int]] = []
    for support in supports:
        apart = [g for g in groups if not g & support]
        groups = [*apart, support.union(*(g for g in groups if g & support))]
    return groups


class FactorSymbols:
    """Symbols in the place of the factors of the mass matrix, for functions that are given them."""

    def __init__(self, columns: list[list[int]]) -> None:
        self.L, self.d = ca.SX.sym("L", sum(map(len, columns))), ca.SX.sym("d", len(columns))
        entries = iter(ca.vertsplit(self.L) if self.L.numel() else ())
        rows = [{j: next(entries) for j in row} for row in columns]
        self.scale = ca.vertsplit(self.d)
        self.factors = UnitFactors(rows, [e**2 for e in self.scale])


def pair_rows(rows: list[HalfRows], values: Expression) -> tuple[PairRows, ...]:
    """Functions of single contacts; those that differ only in their inputs are one."""
    places = {e.element_hash(): i for i, e in enumerate(ca.vertsplit(values))}
    known: dict[str, str] = {}
    functions = []
    for row in rows:
        outputs = [ca.densify(ca.SX(e)) for e in (row.Y, row.u, row.turn)]
        used = sorted(ca.symvar(ca.vertcat(*outputs)), key=lambda e: places[e.element_hash()])
        inputs = ca.SX.sym("values", len(used))
        if used:
            outputs = ca.substitute(outputs, [ca.vertcat(*used)], [inputs])
        function = ca.Function("pair", [inputs], ca.cse(outputs), ["values"], ["Y", "u0", "turn"])
        key = known.setdefault(function.serialize(), f"pair{len(known)}")
        functions.append(PairRows(key, function, tuple(places[e.element_hash()] for e in used)))
    return tuple(functions)


def row_entries(row: Expression) -> list[Expression | None]:
    """Entries of a sparse row; None where it is zero."""
    return [row[0, j] if row.has_nz(0, j) else None for j in range(row.shape[1])]


def scaled_entries(x: list[Any], scale: list[Any]) -> list[Any]:
    """Entries times their factors; None stays."""
    return [None if e is None else e * f for e, f in zip(x, scale, strict=True)]
