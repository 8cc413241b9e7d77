"""Linear models of machines with constraints: reduced to independent displacements and velocities.

The constrained equations ``M a + h + J^T lambda = 0``, ``J a = gamma`` are differentiated with the multipliers of the
state held, so that the stiffness of the reactions, ``d(J^T lambda)/dq``, is part of the model; the accelerations and
the change of the multipliers follow from the same linear system. States are restricted to the constraints,

    d = S y,    dv = S w + T y,    J S = 0,    J T = -dPhi'/dq S

with the independent displacements ``y`` and velocities ``w``; ``T`` is zero at rest. Sheaves that slip have no rows,
but forces in given ratios to the tensions behind them (``analysis/sheaves.py``), and contacts that slide have friction
in proportion to their normal forces (``analysis/contact_forces.py``); the derivatives of both count too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.analysis.elastic_friction import RopeStates
from dalembert.analysis.equilibrium import Equilibrium
from dalembert.analysis.sheaves import all_multipliers, constrained_accelerations, tension_rows
from dalembert.core.constraint_algebra import allowed_motions
from dalembert.core.errors import InputError
from dalembert.core.types import Array, Expression
from dalembert.formulations.constraints.elastic_sheaves import span_tensions
from dalembert.formulations.constraints.reduction import (
    Reduction,
    check_regular,
    locked_rows,
    reduce_motions,
)
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["ReducedModel", "multiplier_names", "reduced_model", "reduction_at"]


@dataclass(frozen=True, eq=False)
class ReducedModel:
    """Matrices of the linear model; ``E`` takes its states to the displacements and velocities of the machine."""

    A: Array
    B: Array
    C: Array
    D: Array
    E: Array


def multiplier_names(eom: EquationsOfMotion) -> dict[str, tuple[int, ...]]:
    """Rows whose multipliers add up to the signals ``tension.CABLE``, ``multiplier.ROW`` and so on."""
    if not eom.constrained:
        return {}
    system = eom.constraint_system
    names = {f"tension.{name}": rows for name, rows in tension_rows(system).items()}
    for r in system.rows:
        if r.kind not in ("internal", "sheave", "rope"):
            head = "tension" if r.kind == "cable" else "multiplier"
            names |= {f"{head}.{name}": (r.start + k,) for k, name in enumerate(r.names)}
    return names


def reduction_at(
    eom: EquationsOfMotion,
    point: Equilibrium,
    names: Sequence[str],
    *,
    locked: Sequence[str] = (),
    independent: Sequence[str] | None = None,
    allow_singular: bool = False,
    t: float,
    p: Array,
) -> Reduction:
    """Independent displacements of a machine at a configuration; a singular position is refused unless allowed."""
    M, where = eom.mass_matrix(point.q, p=p), f"machine '{eom.machine.name}'"
    reduction = reduce_motions(M, point.J, names, where, independent)
    if eom.constrained and not allow_singular:
        check_regular(eom, point.q, point.J, point.latches, t=t, p=p, rows=locked_rows(eom, locked))
    return reduction


def reduced_model(
    eom: EquationsOfMotion,
    point: Equilibrium,
    v0: Array,
    ropes: RopeStates,
    reduction: Reduction,
    inputs: Sequence[str],
    outputs: Sequence[tuple[str, Expression | None]],
    chart: tuple[Expression, Expression, Expression],
    *,
    t: float,
    p: Array,
) -> ReducedModel:
    """Derivatives of the constrained equations on the motions that the constraints allow.

    Parameters
    ----------
    eom, point, v0
        The equations, the configuration with its inputs, and velocities on the constraints.
    ropes
        States of elastic ropes.
    reduction
        Independent displacements.
    inputs
        Names of motors and parameters.
    outputs
        Names, and expressions in the chart's displacements ``d``, in ``v`` and ``a``; None for multipliers.
    chart
        Displacements ``d``, the coordinates that they lead to, and the rate of ``d``.
    t, p
        Time and parameter values.
    """
    s, nv, system, z = eom.symbolic, eom.nv, eom.constraint_system, ropes.symbols
    d, q, rate = chart
    multipliers = ca.SX.sym("lambda", system.m)
    every = all_multipliers(system, multipliers, span_tensions(eom) | ropes.tensions)
    newton = s.inverse_dynamics - s.applied - ropes.force + system.jacobian.T @ every
    terms = ca.Function(
        "terms",
        [s.q, s.v, z, s.u, s.t, s.p, system.latches, s.a, multipliers],
        [ropes.rates, newton, system.jacobian @ s.a - system.rhs, system.velocity, system.phi, every],
    )(q, s.v, z, s.u, s.t, s.p, system.latches, s.a, multipliers)
    shown = [ca.SX(0) if expression is None else expression for _, expression in outputs]
    parts = [ca.densify(ca.SX(x)) for x in (rate, *terms, ca.vertcat(*shown))]
    variables = ca.vertcat(d, s.v, z, s.u, s.p)
    seed = ca.SX.sym("seed", variables.shape[0])
    symbols = [variables, s.t, system.latches, s.a, multipliers]
    sweep = ca.Function("sweep", [*symbols, seed], [ca.jtimes(ca.vertcat(*parts), variables, seed)])

    M, on = eom.mass_matrix(point.q, p=p), system.activity(point.latches) != 0.0
    known = [s.q, s.v, z, s.t, s.p, system.latches]
    parts_of = [ca.jacobian(every, multipliers), ca.substitute(every, multipliers, 0)]
    G, own = (
        np.array(ca.DM(x).full())
        for x in ca.Function("shared", known, parts_of)(point.q, v0, ropes.values, t, p, point.latches)
    )
    G = G[:, on]
    full = eom.constraint_jacobian(point.q, t=t, p=p, latches=point.latches) if system.m else np.zeros((0, nv))
    pull = np.hstack([full.T @ G, point.J[int(on.sum()) :].T])
    a, reactions = _accelerations(eom, point, v0, M, on, pull, full.T @ own[:, 0], t, p)
    value, n_z = np.concatenate([np.zeros(nv), v0, ropes.values, point.u, p]), len(ropes.names)
    n_x = 2 * nv + n_z
    columns = [*range(n_x), *(n_x + [*eom.u_names, *eom.p_names].index(name) for name in inputs)]
    unit = np.eye(len(value))
    swept = [np.array(sweep(value, t, point.latches, a, reactions, unit[k]).full())[:, 0] for k in columns]
    edges = np.cumsum([x.shape[0] for x in parts])[:-1]
    dr, dz, dF, dG, dPhidot, dPhi, dL, dY = np.split(np.column_stack(swept), edges, axis=0)
    _check_parameters(eom, inputs, dPhi[:, n_x:], on)

    S, k = reduction.S, list(reduction.independent)
    E = np.block([[S, np.zeros_like(S)], [_carried(point.J, dPhidot[on, :nv] @ S, k), S]])
    more = n_z + len(inputs)
    at = np.block([[E, np.zeros((2 * nv, more))], [np.zeros((more, E.shape[1])), np.eye(more)]])
    dr, dz, dF, dG, dL, dY = (x @ at for x in (dr, dz, dF, dG, dL, dY))
    n_more = len(point.J) - int(on.sum())
    right = np.vstack([-dG[on], np.zeros((n_more, at.shape[1]))])
    da, dl = (x.T for x in constrained_accelerations(M, -dF.T, point.J, pull, right.T))
    dL = dL + G @ dl[: int(on.sum())]
    by_a = ca.Function("by_a", symbols, [ca.jacobian(parts[-1], s.a)])
    dY = dY + np.array(by_a(value, t, point.latches, a, reactions).full()).reshape(len(outputs), nv) @ da
    J, n = np.vstack([dr[k], da[k], dz, dY]), 2 * len(k) + n_z
    rows = multiplier_names(eom)
    for i, (name, expression) in enumerate(outputs):
        if expression is None:
            J[n + i] = _multiplier(eom, name, rows[name], M, point, on, dL)
    if not np.isfinite(J).all():
        raise InputError(f"machine '{eom.machine.name}' cannot be linearised there: its equations have no derivative")
    J += 0.0  # no negative zeros
    return ReducedModel(J[:n, :n], J[:n, n:], J[n:, :n], J[n:, n:], E)


def _accelerations(
    eom: EquationsOfMotion,
    point: Equilibrium,
    v0: Array,
    M: Array,
    on: NDArray[np.bool_],
    pull: Array,
    rubbed: Array,
    t: float,
    p: Array,
) -> tuple[Array, Array]:
    """Accelerations of the state, and multipliers of the rows that act, of which ``pull`` are the forces.

    ``rubbed`` is friction of a known size, of bearings on elastic ropes.
    """
    force = eom.applied(point.q, v0, point.u, t=t, p=p) - eom.bias(point.q, v0, p=p) - rubbed
    gamma = np.zeros(len(point.J))
    multipliers = np.zeros(len(on))
    if on.any():
        gamma[: on.sum()] = eom.constraint_rhs(point.q, v0, t=t, p=p, latches=point.latches)[on]
    a, reactions = constrained_accelerations(M, force, point.J, pull, gamma)
    multipliers[on] = reactions[: on.sum()]
    return a, multipliers


def _carried(J: Array, rate: Array, independent: list[int]) -> Array:
    """Change ``T`` of the velocities by a displacement while the independent velocities stay: ``J T = -rate``."""
    rest = [i for i in range(J.shape[1]) if i not in independent]
    T = np.zeros((J.shape[1], rate.shape[1]))
    right = np.vstack([-rate, np.zeros((len(J) - len(rate), rate.shape[1]))])
    if rest and rate.any():
        T[rest] = np.linalg.lstsq(J[:, rest], right, rcond=1e-10)[0]
    return T


def _check_parameters(eom: EquationsOfMotion, inputs: Sequence[str], dPhi: Array, on: NDArray[np.bool_]) -> None:
    """Refuse parameters that move the constraints themselves: they are no inputs of a model in displacements."""
    for k, name in enumerate(inputs):
        moved = np.abs(dPhi[:, k]) * on
        if moved.max(initial=0.0) > 0.0:
            row = eom.constraint_system.row_names[int(moved.argmax())]
            raise InputError(
                f"parameter '{name}' is part of constraint '{row}' of machine '{eom.machine.name}', whose "
                "configuration changes with it: it is no input of a linear model; linearize at other p instead"
            )


def _multiplier(
    eom: EquationsOfMotion,
    name: str,
    rows: tuple[int, ...],
    M: Array,
    point: Equilibrium,
    on: NDArray[np.bool_],
    changes: Array,
) -> Array:
    """Change of a sum of multipliers, if it has one."""
    where = f"machine '{eom.machine.name}'"
    if not on[rows[0]]:
        raise InputError(f"'{name}' of {where} does not act there, so that it is no output")
    if allowed_motions(M, point.J).shape[1] + len(point.J) != eom.nv:
        raise InputError(f"'{name}' of {where} is not determined: its constraints are redundant")
    return np.asarray(changes[list(rows)].sum(axis=0))
