"""Symbols of a machine's equations, and the value of its scalars on them."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from dalembert.core.parameter import Scalar, evaluate
from dalembert.core.types import Expression
from dalembert.model.machine import Machine

__all__ = ["Variables", "entries"]


def entries(x: Expression, r: slice) -> Expression:
    """Entries of a vector as a column, also where there are none (CasADi would make a row of them)."""
    return x[r] if r.stop > r.start else ca.SX(0, 1)


@dataclass(frozen=True)
class Variables:
    """CasADi symbols: coordinates, velocities, accelerations, generalised forces, inputs, time, parameters."""

    q: Expression
    v: Expression
    a: Expression
    tau: Expression
    u: Expression
    t: Expression
    p: Expression
    names: tuple[str, ...]

    @staticmethod
    def of(machine: Machine, nq: int | None = None, nv: int | None = None) -> Variables:
        """Make the symbols of a machine; ``nq`` and ``nv`` default to those of its tree."""
        nq = machine.tree.nq if nq is None else nq
        nv = machine.tree.nv if nv is None else nv
        return Variables(
            q=ca.SX.sym("q", nq),
            v=ca.SX.sym("v", nv),
            a=ca.SX.sym("a", nv),
            tau=ca.SX.sym("tau", nv),
            u=ca.SX.sym("u", machine.nu),
            t=ca.SX.sym("t"),
            p=ca.SX.sym("p", len(machine.parameters)),
            names=tuple(p.name for p in machine.parameters),
        )

    def value(self, x: Scalar) -> Expression | float:
        """Return a scalar of the machine as a number or an expression of the parameter symbols and time."""
        if isinstance(x, float):
            return x
        return evaluate(x, {name: self.p[i] for i, name in enumerate(self.names)}, self.t)
