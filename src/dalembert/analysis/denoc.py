"""Decoupled natural orthogonal complement (DeNOC) of a tree: its twists as a product of two factors.

The twists of all segments are ``t = N_l N_d v``: the diagonal blocks ``P_i`` of ``N_d`` are the motion of each joint,
and ``N_l = (I - A)^-1`` carries it outward with the blocks ``A_{i,j}``. The equations of motion of the free segments,
premultiplied by ``(N_l N_d)^T``, are those of the machine; its mass matrix is ``N_d^T N_l^T M N_l N_d``.

Source: SPACE (4.28)-(4.32) and (4.55) for chains of rigid segments, (5.41)-(5.51) for flexible ones, (6.27)-(6.30) for
robots on a free base; here for any tree.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion, MachineOrEquations, Parameters, derive
from dalembert.formulations.tree.kinematics import TreeKinematics
from dalembert.formulations.tree.model import TreeModel
from dalembert.model.machine import Machine
from dalembert.model.tree import merged_inertia

__all__ = ["DeNOC", "denoc"]


@dataclass(frozen=True)
class DeNOC:
    """The factors in a configuration; rows are the twists of the segments one after the other.

    A segment is a moving joint with the bodies on it, named after the body on the joint. Its twist is the velocity of
    its origin and its angular velocity, in its axes; that of a flexible body continues with the rates of its modes. A
    section of a flexible body that carries others is a segment without mass.

    Attributes
    ----------
    segments
        Names of the segments, parents first.
    rows
        First row of each segment, and the number of rows at the end.
    N_l, N_d
        The factors: block lower triangular (m, m) with unit diagonal, and block diagonal (m, nv).
    M
        Mass matrices of the segments, block diagonal (m, m).
    armature
        Inertia (nv) that the joints move besides the segments.

    Examples
    --------
    >>> from dalembert.systems.textbook import actuated_pendulum
    >>> factors = denoc(actuated_pendulum(), [0.3])
    >>> factors.N_l.shape, factors.N_d.shape
    ((6, 6), (6, 1))
    """

    segments: tuple[str, ...]
    rows: tuple[int, ...]
    N_l: Array
    N_d: Array
    M: Array
    armature: Array

    @property
    def N(self) -> Array:
        """Natural orthogonal complement (m, nv)."""
        return np.asarray(self.N_l @ self.N_d)

    @property
    def mass_matrix(self) -> Array:
        """Mass matrix of the machine (nv, nv), SPACE (4.55)."""
        return np.asarray(self.N.T @ self.M @ self.N + np.diag(self.armature))

    def jacobian(self, segment: str) -> Array:
        """Rows of a segment of ``N``: its Jacobian, and those of the rates of its modes."""
        if segment not in self.segments:
            raise InputError(f"no segment named '{segment}'; there are {', '.join(self.segments)}")
        k = self.segments.index(segment)
        return self.N[self.rows[k] : self.rows[k + 1]]


def denoc(machine: MachineOrEquations, q: ArrayLike, *, p: Parameters = None) -> DeNOC:
    """DeNOC factors of a machine in a configuration.

    Parameters
    ----------
    machine
        A machine without couplings, or its equations; joints of any kind, rigid and flexible bodies.
    q
        Configuration (nq).
    p
        Values of the parameters.

    Raises
    ------
    InputError
        If coordinates are coupled, or a rotor turns faster than its joint on a moving segment: its motion is not that
        of a segment.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.systems.textbook import floating_two_link
    >>> robot = floating_two_link()
    >>> factors = denoc(robot, robot.q_neutral)
    >>> factors.segments
    ('base', 'link1', 'link2')
    >>> bool(np.allclose(factors.mass_matrix, da.equations(robot).mass_matrix(robot.q_neutral)))
    True
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    machine = eom.machine
    model = TreeModel(machine)
    if machine.couplings:
        names = ", ".join(c.joint for c in machine.couplings)
        raise InputError(f"the DeNOC of machine '{machine.name}' needs independent coordinates; it couples {names}")
    if model.rotors:
        names = ", ".join(model.tree.nodes[r.node].joint.name for r in model.rotors)
        raise InputError(
            f"machine '{machine.name}' has geared rotors on moving segments ({names}): no segment of the DeNOC; "
            "give their inertia as armature of the joints"
        )
    x = as_numbers(q)
    if x.shape != (machine.nq,):
        raise InputError(f"q must have {machine.nq} numbers, got shape {x.shape}")
    segments, rows, expressions = machine.kept.once("denoc", (), lambda: _expressions(machine, model))
    A, N_d, M, J = (np.array(y.full()) for y in expressions(x, eom.parameter_values(p)))
    return DeNOC(segments, rows, np.linalg.inv(np.eye(len(A)) - A), N_d, M, J[:, 0])


def _expressions(machine: Machine, model: TreeModel) -> tuple[tuple[str, ...], tuple[int, ...], ca.Function]:
    """Names and rows of the segments, and ``q, p -> A, N_d, M, armature``."""
    nodes, tree = model.tree.nodes, TreeKinematics(model)
    sizes = [6 + (n.elastic.n_modes if n.is_root and n.elastic is not None else 0) for n in nodes]
    rows = np.concatenate([[0], np.cumsum(sizes)]).astype(int).tolist()
    m = rows[-1]
    A, N_d, M = ca.SX(m, m), ca.SX(m, model.tree.nv), ca.SX(m, m)
    for i, node in enumerate(nodes):
        at = slice(rows[i], rows[i] + 6)
        if node.parent >= 0:
            first = rows[node.parent]
            t = ca.SX.sym("t", 6)
            A[at, first : first + 6] = ca.jacobian(tree.carry(i, t), t)
            if i in tree.sections:
                A[at, first + 6 : rows[node.parent + 1]] = tree.motion_matrix(i)
        if i not in tree.sections:
            N_d[at, node.v] = tree.subspaces[i]
        M[rows[i] : rows[i + 1], rows[i] : rows[i + 1]] = _mass(model, i)
        if node.is_root:
            N_d[rows[i] + 6 : rows[i + 1], node.modal_v] = ca.SX.eye(sizes[i] - 6)
    s = model.variables
    function = ca.Function("denoc", [s.q, s.p], [ca.densify(y) for y in (A, N_d, M, model.armature)])
    return tuple(_name(machine, model, i) for i in range(len(nodes))), tuple(rows), function


def _mass(model: TreeModel, i: int) -> Expression:
    """Mass matrix of a segment about its origin: SPACE (4.14) of a rigid one, (5.16) of a flexible one."""
    node = model.tree.nodes[i]
    m, c, I = merged_inertia(node, model.variables.value)
    body = model.flexible.get(i)
    if body is not None:
        m, c, I = m + body.mass, c + body.first_moment, I + body.inertia
    C = ca.skew(c)
    rigid = ca.vertcat(ca.horzcat(m * ca.SX.eye(3), -C), ca.horzcat(C, I))
    if body is None:
        return rigid
    coupling = ca.vertcat(body.V, body.H)
    return ca.vertcat(ca.horzcat(rigid, coupling), ca.horzcat(coupling.T, body.modal_mass))


def _name(machine: Machine, model: TreeModel, i: int) -> str:
    """Name of a segment: of the body on its joint, or of the section."""
    node = model.tree.nodes[i]
    if node.station is not None and node.elastic is not None:
        return f"{node.elastic.name}.{node.station}"
    return node.joint.child
