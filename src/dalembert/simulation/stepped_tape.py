"""A time-stepping step as one smooth expression, given the impulses of its blocks.

Impulses, and the displacements that close gaps, are inputs of the expression. `contact_modes` has the equations that
make them functions of the state, and ``engine/stepping/step.h`` the step itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from dalembert.compile.kernel import Backend
from dalembert.core.types import Expression
from dalembert.engine.problem.problem import Problem
from dalembert.engine.problem.stepping import SteppingSystem
from dalembert.simulation.step_maps import Along

__all__ = ["StepTape", "step_tape"]


@dataclass(frozen=True, eq=False)
class StepTape:
    """The expression of a step, compiled with its derivatives along directions.

    Parameters
    ----------
    kernel
        Function of t, (x, h, impulses of the first round, of the second, displacements, impulses of which it returns
        the velocities), c, p, and of each block whether it rebounds, whether it rebounds out of a penetration, which
        is not removed then, whether its normal turns, and whether its tangents do.
    inputs, outputs
        Places of the named entries of its second input and of its output.
    moving
        States on which the step depends.
    """

    kernel: Along
    inputs: dict[str, slice]
    outputs: dict[str, slice]
    moving: tuple[int, ...]


def _places(named: Sequence[tuple[str, Any]]) -> dict[str, slice]:
    places, at = dict[str, slice](), 0
    for name, entry in named:
        places[name] = slice(at, at + int(entry.shape[0]))
        at += int(entry.shape[0])
    return places


@dataclass(frozen=True, eq=False)
class _Factors:
    """The mass matrix ``L^T D L`` of a step."""

    system: SteppingSystem
    L: list[list[tuple[int, Any]]]
    d: Any

    def back(self, s: Expression) -> Expression:
        """Return ``L^-1 D^-1/2 s``: velocities of their half-factored form."""
        v: list[Any] = []
        for k in range(self.system.nv):
            v.append(self.d[k] * s[k] - sum((entry * v[j] for j, entry in self.L[k]), ca.SX(0)))
        return ca.vertcat(*v)

    def half(self, force: Expression) -> Expression:
        """Return ``D^-1/2 L^-T f``."""
        r = ca.vertsplit(ca.densify(force))
        for k in reversed(range(self.system.nv)):
            for j, entry in self.L[k]:
                r[j] = r[j] - entry * r[k]
        return self.d * ca.vertcat(*r)


def _terms(system: SteppingSystem, t: Any, x: Any, c: Any, p: Any, h: Any) -> tuple[dict[str, Any], Any, _Factors]:
    """Terms of the step by name, with dense rows of all blocks, and the factors of the mass matrix."""
    terms = {name: ca.SX(y) for name, y in zip(system.terms.name_out(), system.terms(t, x, c, p, h), strict=True)}
    tables = system.tables
    if system.pairs is not None:
        values = ca.vertcat(t, x, p, terms["L"], terms["d"])
        rows = [pair.function(values[list(pair.gather)]) for pair in system.pairs]
        terms["Y"], terms["u0"], turn = (ca.vertcat(*(ca.vec(ca.SX(row[i])) for row in rows)) for i in range(3))
        pulling = terms["bent"][turn.shape[0] :]  # cables and ropes; those of contacts are zeros
        terms["bent"] = ca.vertcat((1.0 - system.theta) * h * turn, pulling)
    Y = ca.SX(tables["row_start"][-1], system.nv)
    for a, support in enumerate(system.supports):
        for j in range(tables["size"][a]):
            for i, place in enumerate(support):
                Y[tables["row_start"][a] + j, place] = terms["Y"][tables["value_start"][a] + j * len(support) + i]
    starts = tables["L_start"]
    L = [[(j, terms["L"][starts[k] + i]) for i, j in enumerate(row)] for k, row in enumerate(system.factor)]
    return terms, Y, _Factors(system, L, terms["d"])


def step_tape(problem: Problem, running: Any = None, backend: Backend = "auto") -> StepTape:
    """Return the tape of the steps of a problem; ``running(t, x, c, p)`` is a cost per second."""
    system = problem.stepping
    assert system is not None
    n, nq, nv, theta = problem.n_states, system.nq, system.nv, system.theta
    tables, k = system.tables, len(system.names)
    R, first_row = tables["row_start"][-1], tables["row_start"][:-1]
    t, c = ca.SX.sym("t"), ca.SX.sym("c", len(problem.held_names))
    p = ca.SX.sym("p", system.n_parameters)
    x, h, lam = ca.SX.sym("x", n), ca.SX.sym("h"), ca.SX.sym("lambda", k)
    first, second = ca.SX.sym("first", R), ca.SX.sym("second", R)
    rebounds, clipped, turns, all_turn = (ca.SX.sym(name, k) for name in ("rebounds", "clipped", "turns", "all_turn"))
    share = ca.SX.sym("share", R)
    given = [("x", x), ("h", h), ("first", first), ("second", second), ("displacement", lam), ("share", share)]

    q_m, v_m = system.move(x, (1.0 - theta) * h * x[nq : nq + nv], p)
    t_m, rest = t + (1.0 - theta) * h, x[nq + nv :]
    x_m = ca.vertcat(q_m, v_m, rest)
    terms, Y, factors = _terms(system, t_m, x_m, c, p, h)
    turn, bounce = ca.SX.zeros(R), ca.SX.zeros(R)
    for a, row in enumerate(first_row):
        for i in range(row, min(row + tables["size"][a], system.n_bent)):
            turn[i] = (turns if i == row else all_turn)[a] * terms["bent"][i]
    opens, before, gained = terms["u0"] - turn, terms["u0"] + turn, Y @ terms["s0"]
    for a, row in enumerate(first_row):
        bounce[row] = rebounds[a] * terms["e"][a] * opens[row]

    # first round: centrifugal forces at the old velocities; second: the mean with those at the new ones
    s_1 = terms["s0"] + Y.T @ first
    v_1 = v_m + factors.back(s_1)
    change = 0.5 * h * (terms["b"] - system.bias(t_m, ca.vertcat(q_m, v_1, rest), c, p))
    s_2 = terms["s0"] + factors.half(change) + Y.T @ second
    dv, u_2 = factors.back(s_2), before + Y @ s_2
    v_2 = v_m + dv

    # the displacement that closes the gaps of contacts that push
    normals = Y[first_row, :]
    gap = (1.0 - clipped) * (terms["g"] + theta * h * (u_2 - 0.5 * turn)[first_row])
    r = normals.T @ lam
    d = factors.back(r)
    zdot, work = system.finish(t_m, x_m, c, p, h, dv)
    q_1, v_end = system.move(ca.vertcat(q_m, v_2, rest), theta * h * v_2 + d, p)

    after = ca.SX(x)
    after[:nq], after[nq : nq + nv] = q_1, v_end
    for offset in problem.quaternions:
        after[offset : offset + 4] = after[offset : offset + 4] / ca.norm_2(after[offset : offset + 4])
    after[nq + nv : nq + nv + system.nz] = rest[: system.nz] + h * zdot
    total = ca.SX(0)
    for a, row in enumerate(first_row):
        rows = slice(row, row + tables["size"][a])
        lost = 0.5 * ca.dot(second[rows], u_2[rows] + opens[rows])
        after[system.forces[a] : system.forces[a] + tables["size"][a]] = second[rows] / h
        if system.losses[a] >= 0:
            after[system.losses[a]] = after[system.losses[a]] - lost
        total = total + lost
    after[system.work_input] = x[system.work_input] + work[0]
    lifted = system.lift(t_m, ca.vertcat(q_m, v_2, rest), d, p)
    after[system.work_loss] = x[system.work_loss] + work[1] + total + lifted
    for place in (system.residual, system.sweeps, system.undetermined, system.lowered):
        after[place] = 0.0
    cost = ca.SX(0)
    if running is not None:  # by the trapezoidal rule
        cost = 0.5 * h * (ca.SX(running(t, x, c, p)) + ca.SX(running(t + h, after, c, p)))
    outputs = [
        ("after", after),
        ("cost", cost),
        ("first", before + Y @ s_1 + bounce),
        ("second", u_2 + bounce),
        ("gap_after", gap + normals @ r),
        ("numbers", terms["mu"]),
        ("gap", terms["g"]),
        ("before", opens[first_row]),
        ("free", (opens + gained)[first_row]),
        ("way", theta * h * (terms["u0"] + 0.5 * turn + gained)[first_row]),
        ("restitution", terms["e"]),
        ("shared", Y @ (Y.T @ share)),
    ]
    whole = ca.vertcat(*(ca.densify(ca.SX(y)) for _, y in outputs))
    symbols = [t, ca.vertcat(*(entry for _, entry in given)), c, p, ca.vertcat(rebounds, clipped, turns, all_turn)]
    account = {system.residual, system.sweeps, system.undetermined, system.lowered}
    depends = ca.which_depends(ca.vertcat(after - x, whole[n:]), x, 1, False)
    return StepTape(
        Along("step_derivatives", symbols, whole, backend),
        _places(given),
        _places(outputs),
        tuple(i for i, one in enumerate(depends) if one and i not in account),
    )
