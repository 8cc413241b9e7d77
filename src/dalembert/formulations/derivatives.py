"""Derivatives of inverse and forward dynamics with respect to q, v, the input and the parameters.

Derivatives with respect to ``q`` are taken in the tangent space: along ``integrate(q, d)`` at ``d = 0``, nv columns.

Inverse dynamics are differentiated by CasADi on the tape, or in closed form where that gives fewer operations. The
closed form is the spatial-vector algorithm of S. Singh, R. Russell and P. Wensing ("Efficient Analytical Derivatives of
Rigid-Body Dynamics using Spatial Vector Algebra", 2022), in world axes: with the joint axes ``S``, twists ``t``,
composite inertias ``I``, composite matrices ``B`` (``B t = t x* I t``) and composite wrenches ``f``, for a node ``j``
on the path of node ``i``,

    psi' = t_parent x S,   psi'' = a_parent x S + t_parent x psi',   S' = t x S,
    d tau_i/d q_j = S_i^T (2 B_i psi'_j + I_i psi''_j),   d tau_i/d v_j = S_i^T (2 B_i S_j + I_i (psi'_j + S'_j)),
    d tau_j/d q_i = S_j^T (2 B_i psi'_i + I_i psi''_i + S_i x* f_i),
    d tau_j/d v_i = S_j^T (2 B_i S_i + I_i (psi'_i + S'_i)).

It needs rigid bodies and joint axes that are constant in moving axes (no planar joints). Forward dynamics follow from
``da = -M^-1 (d tau at a)``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.core.errors import InputError
from dalembert.core.ports import Formulation
from dalembert.formulations.factorization import solve_spd
from dalembert.formulations.joint_kinematics import joint_subspace
from dalembert.formulations.newton_euler import NewtonEuler
from dalembert.formulations.tree_model import TreeModel
from dalembert.model.tree import merged_inertia
from dalembert.spatial.rotations import cross_matrix

__all__ = ["Derivatives", "forward_derivatives", "inverse_derivatives"]


class Derivatives(NamedTuple):
    """Derivatives of a dynamics function by ``q`` (tangent), ``v``, its input (``a`` or ``tau``) and the parameters."""

    q: NDArray[np.float64]
    v: NDArray[np.float64]
    input: NDArray[np.float64]
    p: NDArray[np.float64]


def inverse_derivatives(formulation: Formulation) -> tuple[Any, Any, Any, Any]:
    """Derivatives of the inverse dynamics by q, v, a and p, as expressions of (q, v, a, p)."""
    x = formulation.variables
    tau = formulation.inverse_dynamics()
    by_p = ca.jacobian(tau, x.p)
    rates = ca.jacobian(formulation.model.coordinate_rates(), x.v)
    tau = ca.cse(tau)
    by_tape = (ca.jacobian(tau, x.q) @ rates, ca.jacobian(tau, x.v), formulation.mass_matrix())
    choices = [by_tape]
    if isinstance(formulation, NewtonEuler) and _is_plain(formulation.model):
        choices.append(_closed_form(formulation.model))
    return *min(choices, key=lambda c: _length(x, c)), by_p


def _length(x: Any, expressions: tuple[Any, ...]) -> int:
    """Operations of some expressions after common ones are merged."""
    merged = ca.cse([ca.densify(e) for e in expressions])
    return int(ca.Function("f", [x.q, x.v, x.a, x.p], merged).n_instructions())


def forward_derivatives(formulation: Formulation) -> tuple[Any, Any, Any, Any]:
    """Derivatives of the forward dynamics by q, v, tau and p, as expressions of (q, v, tau, p)."""
    machine = formulation.model.machine
    if machine.constrained:
        raise InputError(f"machine '{machine.name}' has constraints: its forward dynamics has no such derivatives")
    x = formulation.variables
    by_q, by_v, M, by_p = inverse_derivatives(formulation)
    nv = M.shape[0]
    at_a = ca.substitute([by_q, by_v, by_p], [x.a], [formulation.forward_dynamics()])
    solved = solve_spd(M, ca.horzcat(*at_a, ca.SX.eye(nv)))
    by_q, by_v, by_p, inverse = ca.horzsplit(solved, [0, nv, 2 * nv, solved.shape[1] - nv, solved.shape[1]])
    return -by_q, -by_v, ca.triu2symm(ca.triu(inverse)), -by_p


def _is_plain(model: TreeModel) -> bool:
    """Whether all joint axes are constant in moving axes and all bodies rigid."""
    rigid = all(node.beam is None for node in model.tree.nodes)
    return rigid and all(node.joint.kind != "planar" for node in model.tree.nodes)


class _Momentum(NamedTuple):
    """Composite quantities in world axes: mass, first moment, inertia; and B = [0, -h^; 0, E]."""

    m: Any
    c: Any
    D: Any
    h: Any
    E: Any

    def plus(self, other: _Momentum) -> _Momentum:
        return _Momentum(*(a + b for a, b in zip(self, other, strict=True)))

    def inertia(self, v: Any, w: Any) -> Any:
        """``I [v; w]``."""
        return _inertia_times(self.m, self.c, self.D, ca.vertcat(v, w))

    def coriolis(self, w: Any) -> Any:
        """``B [v; w]``; only the angular part counts."""
        return ca.vertcat(_cross(w, self.h), self.E @ w)


def _closed_form(model: TreeModel) -> tuple[Any, Any, Any]:
    nodes, x, nv = model.tree.nodes, model.variables, model.tree.nv
    world = ca.vertcat(-model.gravity_vector, ca.SX(3, 1))
    still = ca.SX(6, 1)
    S: list[Any] = []
    psi: list[Any] = []
    psi2: list[Any] = []
    slope: list[Any] = []
    t: list[Any] = []
    a: list[Any] = []
    composite: list[_Momentum] = []
    f: list[Any] = []
    for i, node in enumerate(nodes):
        R, p = model.world_poses[i]
        P = joint_subspace(node.joint, x.q[node.q])
        S_w = R @ P[3:, :]
        S_i = ca.vertcat(R @ P[:3, :] + cross_matrix(p) @ S_w, S_w)
        t_p, a_p = (still, world) if node.parent < 0 else (t[node.parent], a[node.parent])
        psi_i = _motion_cross(t_p, S_i)
        psi2_i = _motion_cross(a_p, S_i) + _motion_cross(t_p, psi_i)
        v, qdd = x.v[node.v], x.a[node.v]
        t_r = S_i @ v
        t_i = t_p + t_r
        # The rate of S is t_i x S; t_r x S v vanishes, so that the joint adds psi v.
        a_i = a_p + psi_i @ v + S_i @ qdd
        m, c, D = _world_inertia(model, i)
        momentum = _inertia_times(m, c, D, t_i)
        f_i = _inertia_times(m, c, D, a_i) + _force_cross(t_i, momentum)
        composite.append(_Momentum(m, c, D, momentum[:3], _rotary(t_i, c, D, momentum)))
        S.append(S_i)
        psi.append(psi_i)
        psi2.append(psi2_i)
        slope.append(psi_i + _motion_cross(t_i, S_i))
        t.append(t_i)
        a.append(a_i)
        f.append(f_i)
    by_q, by_v, M = ca.SX(nv, nv), ca.SX(nv, nv), ca.SX(nv, nv)
    for i in range(len(nodes) - 1, -1, -1):
        I_i, S_i, v_i = composite[i], S[i], nodes[i].v
        columns = range(S_i.shape[1])
        inertia_S = _each(I_i.inertia, S_i)
        coriolis_S = ca.horzcat(*[I_i.coriolis(S_i[3:, k]) for k in columns])
        own_q = 2 * ca.horzcat(*[I_i.coriolis(psi[i][3:, k]) for k in columns]) + _each(I_i.inertia, psi2[i])
        # On the diagonal the axes turn with the wrench, and the last term drops out.
        rate_q = own_q + ca.horzcat(*[_force_cross(S_i[:, k], f[i]) for k in columns])
        rate_v = 2 * coriolis_S + _each(I_i.inertia, slope[i])
        # Rows of S_i^T B_i: the transposed action of B on the joint's axes.
        row_B = ca.horzcat(*[_cross(I_i.h, S_i[:3, k]) + I_i.E.T @ S_i[3:, k] for k in columns])
        for j in model.tree.path(i):
            v_j = nodes[j].v
            by_q[v_j, v_i] = S[j].T @ (own_q if j == i else rate_q)
            by_v[v_j, v_i] = S[j].T @ rate_v
            block = S[j].T @ inertia_S
            M[v_j, v_i] = block
            if j != i:
                M[v_i, v_j] = block.T
                by_q[v_i, v_j] = 2 * row_B.T @ psi[j][3:, :] + inertia_S.T @ psi2[j]
                by_v[v_i, v_j] = 2 * row_B.T @ S[j][3:, :] + inertia_S.T @ slope[j]
        parent = nodes[i].parent
        if parent >= 0:
            composite[parent] = composite[parent].plus(I_i)
            f[parent] = f[parent] + f[i]
    by_q = by_q + ca.jacobian(model.spring_force, x.q) @ ca.jacobian(model.coordinate_rates(), x.v)
    return by_q, by_v, M + ca.diag(model.armature)


def _world_inertia(model: TreeModel, i: int) -> tuple[Any, Any, Any]:
    """Mass, first moment and inertia of a node about the world's origin, in world axes."""
    m, c, I_o = merged_inertia(model.tree.nodes[i], model.variables.value)
    R, p = model.world_poses[i]
    c_r = R @ c
    P = cross_matrix(p)
    mixed = P @ cross_matrix(c_r)
    D = R @ I_o @ R.T - mixed - mixed.T - m * (P @ P)
    return ca.SX(m), c_r + m * p, ca.triu2symm(ca.triu(D))


def _inertia_times(m: Any, c: Any, D: Any, t: Any) -> Any:
    return ca.vertcat(m * t[:3] + _cross(t[3:], c), _cross(c, t[:3]) + D @ t[3:])


def _rotary(t: Any, c: Any, D: Any, momentum: Any) -> Any:
    """Angular block of B: half of the rate of D minus the cross matrix of the angular momentum."""
    V, C, W = cross_matrix(t[:3]), cross_matrix(c), cross_matrix(t[3:])
    turn = W @ D
    slide = V @ C
    # D' = w^ D - D w^ - v^ c^ - c^ v^ for a body that turns with w and whose origin point moves with v.
    return (turn + turn.T - slide - slide.T - cross_matrix(momentum[3:])) / 2


def _cross(a: Any, b: Any) -> Any:
    return ca.cross(a, b)


def _motion_cross(t: Any, S: Any) -> Any:
    """``t x S``, column by column."""
    V, W = cross_matrix(t[:3]), cross_matrix(t[3:])
    return ca.vertcat(W @ S[:3, :] + V @ S[3:, :], W @ S[3:, :])


def _force_cross(t: Any, f: Any) -> Any:
    """``t x* f``."""
    return ca.vertcat(_cross(t[3:], f[:3]), _cross(t[3:], f[3:]) + _cross(t[:3], f[:3]))


def _each(function: Any, S: Any) -> Any:
    return ca.horzcat(*[function(S[:3, k], S[3:, k]) for k in range(S.shape[1])])
