"""Coriolis matrix of a tree with ``M' - 2 C`` skew-symmetric, on world-fixed axes.

``C = sum J^T (M J' + B J)``, where the matrix ``B = ((t x*) M - M (t x) + (M t) xbar)/2`` of a rigid body satisfies
``B t = t x* M t`` and ``B + B^T = M'`` in world axes. This is the Christoffel-consistent choice; the product of SPACE
(4.56) gives the same ``C v`` but no skew symmetry. For beams see `ElasticBody.coriolis_blocks`.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from dalembert.core.types import Expression
from dalembert.formulations.tree.kinematics import TreeKinematics
from dalembert.formulations.tree.model import CarriedRotor
from dalembert.formulations.variables import entries
from dalembert.model.tree import merged_inertia
from dalembert.spatial.inertia import Inertia
from dalembert.spatial.rotations import cross_matrix

__all__ = ["coriolis_matrix"]


def coriolis_matrix(tree: TreeKinematics, inertias: Sequence[Inertia]) -> Expression:
    """Coriolis matrix of a tree whose nodes have the given inertias, and of the rotors that they carry."""
    n, nv = len(tree.nodes), tree.model.tree.nv
    columns: list[Expression] = []
    rates: list[Expression] = []
    twists: list[Expression] = []
    composite_M: list[Expression] = []
    composite_B: list[Expression] = []
    C = ca.SX(nv, nv)
    modal_blocks: dict[int, tuple[Expression, Expression, Expression, Expression]] = {}
    for i, node in enumerate(tree.nodes):
        X = _motion_to_world(*tree.model.world_poses[i])
        q, v = tree.variables.q[node.q], entries(tree.variables.v, tree.velocities(i))
        S = X @ tree.motion_matrix(i)
        t = S @ v + (twists[node.parent] if node.parent >= 0 else 0)
        columns.append(S)
        if i in tree.sections:
            rates.append(_rate(tree, S))
        else:
            rates.append(_ad(t) @ S + X @ tree.model.joints[i].subspace_rate(q, v))
        twists.append(t)
        M = inertias[i].in_parent(*tree.model.world_poses[i]).matrix()
        ad = _ad(t)
        composite_M.append(M)
        if i in tree.model.flexible:
            modal_blocks[i], B = _flexible_coriolis(tree, i, t, M)
            composite_B.append(B)
        else:
            composite_B.append((-ad.T @ M - M @ ad + _ad_bar(M @ t)) / 2)
    for j in range(n - 1, -1, -1):
        M, B = composite_M[j], composite_B[j]
        S_j, v_j = columns[j], tree.velocities(j)
        F = B @ S_j + M @ rates[j]
        for i in tree.model.tree.path(j):
            v_i = tree.velocities(i)
            C[v_i, v_j] += columns[i].T @ F
            if i != j:
                C[v_j, v_i] += S_j.T @ B @ columns[i] + (M @ S_j).T @ rates[i]
            if j in tree.model.flexible:
                M_dr, B_rd, B_dr, _ = modal_blocks[j]
                C[v_i, tree.nodes[j].modal_v] += columns[i].T @ B_rd
                C[tree.nodes[j].modal_v, v_i] += M_dr @ rates[i] + B_dr @ columns[i]
        if j in tree.model.flexible:
            modal = tree.nodes[j].modal_v
            C[modal, modal] += modal_blocks[j][3]
        parent = tree.nodes[j].parent
        if parent >= 0:
            composite_M[parent] = composite_M[parent] + M
            composite_B[parent] = composite_B[parent] + B
    for rotor in tree.model.rotors:
        _add_rotor(C, tree, rotor, columns, rates, twists[rotor.node][3:])
    return C


def _add_rotor(
    C: Expression,
    tree: TreeKinematics,
    rotor: CarriedRotor,
    columns: Sequence[Expression],
    rates: Sequence[Expression],
    w: Expression,
) -> None:
    """Add ``J^T (D J' + B J)`` of a rotor, which turns as its node does, but ``n`` times as fast in the joint."""
    e = tree.model.world_poses[rotor.node][0] @ rotor.axis
    D = rotor.inertia * (e @ e.T)
    path = tree.model.tree.path(rotor.node)
    velocities = [tree.velocities(i) for i in path]
    J, Jdot = ([x[i][3:, :] for i in path] for x in (columns, rates))
    for x in (J, Jdot):
        x[0] = x[0] * (1 + rotor.excess)
    w = w + rotor.excess * tree.variables.v[rotor.index] * e
    B = (cross_matrix(w) @ D - D @ cross_matrix(w) - cross_matrix(D @ w)) / 2
    for v_i, J_i in zip(velocities, J, strict=True):
        for v_j, J_j, Jdot_j in zip(velocities, J, Jdot, strict=True):
            C[v_i, v_j] += J_i.T @ (D @ Jdot_j + B @ J_j)


def _flexible_coriolis(
    tree: TreeKinematics, i: int, t: Expression, M: Expression
) -> tuple[tuple[Expression, Expression, Expression, Expression], Expression]:
    """World-axes blocks (M_dr, B_rd, B_dr, B_dd) and B_rr of a beam with the bodies fixed to its root."""
    R, p = tree.model.world_poses[i]
    node, body = tree.nodes[i], tree.model.flexible[i]
    Y = _motion_from_world(R, p)
    w = (Y @ t)[3:]
    m, c, I_o = merged_inertia(node, tree.variables.value)
    rigid = Inertia.rigid(m, c, I_o).in_parent(R, p).matrix()
    ad = _ad(t)
    rr, rd, dr, dd = body.coriolis_blocks(w, entries(tree.variables.v, node.modal_v))
    M_dr = ca.horzcat(body.V.T, body.H.T) @ Y
    B_rr = Y.T @ rr @ Y - (M - rigid) @ ad + (-ad.T @ rigid - rigid @ ad + _ad_bar(rigid @ t)) / 2
    return (M_dr, Y.T @ rd, dr @ Y - M_dr @ ad, dd), B_rr


def _rate(tree: TreeKinematics, x: Expression) -> Expression:
    column = ca.jtimes(ca.densify(ca.vec(x)), tree.variables.q, tree.model.coordinate_rates())
    return ca.reshape(column, *x.shape)


def _motion_to_world(R: Expression, p: Expression) -> Expression:
    """Matrix that turns a twist in node axes at its origin into one in world axes at the world's origin."""
    return ca.vertcat(ca.horzcat(R, cross_matrix(p) @ R), ca.horzcat(ca.SX(3, 3), R))


def _motion_from_world(R: Expression, p: Expression) -> Expression:
    """Inverse of `_motion_to_world`."""
    return ca.vertcat(ca.horzcat(R.T, -R.T @ cross_matrix(p)), ca.horzcat(ca.SX(3, 3), R.T))


def _ad(t: Expression) -> Expression:
    """Motion cross product ``t x`` for twists [v; w]."""
    v, w = cross_matrix(t[:3]), cross_matrix(t[3:])
    return ca.vertcat(ca.horzcat(w, v), ca.horzcat(ca.SX(3, 3), w))


def _ad_bar(h: Expression) -> Expression:
    """Matrix of ``t -> t x* h`` for a momentum ``h = [f; n]``."""
    f, n = cross_matrix(h[:3]), cross_matrix(h[3:])
    return ca.vertcat(ca.horzcat(ca.SX(3, 3), -f), ca.horzcat(-f, -n))
