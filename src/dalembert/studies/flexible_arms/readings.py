"""Algorithm 5.1 of SPACE line by line, with the options of its text: where the printed energy errors can come from.

This is the recursion as the source writes it, on the twists ``t_i = (v, w, delta')`` of segments, with the corrections
of the errata page. It shares only the shape integrals with the formulations of the library. Two of its matrices can be
read in other ways, and then the forces are no longer those of the energy:

- ``R_psi`` of (5.12), from the rates of the elastic angles to an angular velocity. The source speaks of small angles.
  Read to first order, or left out, it does not belong to the finite rotation (5.3).
- ``A'`` of the model flex-MA, where ``A`` is constant. The text says that ``A'`` is then (5.50a), which is printed with
  the deformed ``p^f``; (5.49) keeps all corrective terms.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.core.parameter import nominal
from dalembert.core.types import Expression
from dalembert.engine.problem.problem import Problem
from dalembert.formulations.equations import derive
from dalembert.formulations.factorization import solve_spd
from dalembert.model.machine import Machine
from dalembert.model.tree import Node, merged_inertia, place
from dalembert.simulation.integrate import integrate
from dalembert.spatial.rotations import cross_matrix, euler_rates, rotation_about, rotation_euler321
from dalembert.studies.flexible_arms.runs import PickAndPlace, energy_error

__all__ = ["Reading", "Recursion", "algorithm_5_1", "reading_error"]


@dataclass(frozen=True)
class Reading:
    """How to read the algorithm.

    Parameters
    ----------
    model
        One of flex, flex-M, flex-MA, flex-MR.
    rates
        ``R_psi``: ``"exact"``; ``"first order"`` in the angles; ``"rotation vector"``, the same if they were one;
        ``"unit"``, left out.
    propagation
        ``A'`` of flex-MA: ``"constant"`` (the derivative of ``A``), ``"lever"`` ((5.50a) as printed, with the deformed
        lever), or ``"full"`` ((5.49)).
    """

    model: str = "flex"
    rates: str = "exact"
    propagation: str = "constant"


@dataclass(frozen=True)
class Recursion:
    """Coordinates, velocities and accelerations, the forces that go with them, and the energies."""

    q: Expression
    v: Expression
    a: Expression
    tau: Expression
    kinetic: Expression
    potential: Expression


def algorithm_5_1(machine: Machine, reading: Reading) -> Recursion:
    """Flexible inverse dynamics of a machine with revolute joints about z, and its energies.

    Parameters
    ----------
    machine
        Chain or tree of rigid bodies and beams without gravity, springs, damping and rotors.
    reading
        How to read the source.
    """
    nodes, n = machine.tree.nodes, machine.nv
    q, v, a = (ca.SX.sym(name, n) for name in "qva")
    twists: list[Expression] = []
    rates: list[Expression] = []
    A: list[Expression] = []
    wrenches: list[Expression] = []
    kinetic, potential = ca.SX(0), ca.SX(0)
    for node in nodes:
        t, t_dot = (twists[node.parent], rates[node.parent]) if node.parent >= 0 else (ca.SX(6, 1), ca.SX(6, 1))
        if node.station is None:
            A_i, A_dot = _joint(node, q, t)
            z = ca.DM([0, 0, 0, 0, 0, 1])
            moving = z * v[node.v]
            t_i = A_i @ t + moving
            turned = ca.vertcat(ca.SX(3, 1), ca.cross(t_i[3:], moving[3:]))
            t_dot_i = A_i @ t_dot + A_dot @ t + z * a[node.v] + turned
            if node.is_root:
                t_i, t_dot_i = ca.vertcat(t_i, v[node.modal_v]), ca.vertcat(t_dot_i, a[node.modal_v])
        else:
            A_i, A_dot = _section(node, q, v, t, reading)
            t_i, t_dot_i = A_i @ t, A_i @ t_dot + A_dot @ t
        M, gamma, strain = _segment(node, q, t_i, constant=reading.model != "flex")
        twists.append(t_i)
        rates.append(t_dot_i)
        A.append(A_i)
        wrenches.append(M @ t_dot_i + gamma)
        kinetic, potential = kinetic + ca.dot(t_i, M @ t_i) / 2, potential + strain
    tau = ca.SX(n, 1)
    for i in reversed(range(len(nodes))):
        node = nodes[i]
        if node.station is None:
            tau[node.v] = wrenches[i][5]
            tau[node.modal_v] = wrenches[i][6:]
        if node.parent >= 0:
            wrenches[node.parent] = wrenches[node.parent] + A[i].T @ wrenches[i][:6]
    return Recursion(q, v, a, tau, kinetic, potential)


def _joint(node: Node, q: Expression, t: Expression) -> tuple[Expression, Expression]:
    """``A`` and ``A'`` across a joint: (4.28), (4.38), in the axes of the child."""
    R, p = place(node.placement, nominal)
    R, w = ca.SX(R) @ rotation_about(ca.DM([0, 0, 1]), q[node.q]), t[3:6]
    turn, rest = ca.diagcat(R, R).T, ca.SX(6, t.shape[0] - 6)
    A = ca.blockcat([[ca.SX.eye(3), -cross_matrix(p)], [ca.SX(3, 3), ca.SX.eye(3)]])
    A_dot = ca.blockcat([[ca.SX(3, 3), -cross_matrix(ca.cross(w, p))], [ca.SX(3, 3), ca.SX(3, 3)]])
    return ca.horzcat(turn @ A, rest), ca.horzcat(turn @ A_dot, rest)


def _section(
    node: Node, q: Expression, v: Expression, t: Expression, reading: Reading
) -> tuple[Expression, Expression]:
    """``A`` and ``A'`` from the root of a beam to a section: (5.42)-(5.50), in the axes of the section."""
    assert node.elastic is not None and node.station is not None
    modes, (_, origin) = node.elastic.section_modes(node.station), node.elastic.section_pose(node.station)
    Phi, Delta = ca.DM(modes[:3]), ca.DM(modes[3:])
    delta, rate, w = q[node.modal_q], v[node.modal_v], t[3:6]
    constant = reading.model == "flex-MA"
    psi, u, p = Delta @ delta, Phi @ delta, ca.SX(ca.DM(origin))
    first_order = ca.blockcat([[1, -psi[2], 0], [psi[2], 1, 0], [-psi[1], 0, 1]])
    R_psi = {
        "exact": euler_rates(psi, body=False),
        "first order": first_order,
        "rotation vector": ca.SX.eye(3) + cross_matrix(psi) / 2,
        "unit": ca.SX.eye(3),
    }["unit" if constant else reading.rates]
    R_psi_dot = ca.reshape(ca.jacobian(ca.vec(R_psi), delta) @ rate, 3, 3)
    p_dot = ca.cross(w, p)
    if not constant or reading.propagation == "full":
        p_dot = p_dot + Phi @ rate + ca.cross(w, u)
    elif reading.propagation == "lever":
        p_dot = p_dot + ca.cross(w, u)
    O, W = ca.SX(3, 3), cross_matrix(w)
    A = ca.blockcat([[ca.SX.eye(3), -cross_matrix(p if constant else p + u), Phi], [O, ca.SX.eye(3), R_psi @ Delta]])
    A_dot = ca.blockcat([[O, -cross_matrix(p_dot), W @ Phi], [O, O, (W @ R_psi + R_psi_dot) @ Delta]])
    R = ca.SX.eye(3) if reading.model == "flex-MR" else rotation_euler321(psi)
    turn = ca.diagcat(R, R).T
    return turn @ A, turn @ A_dot


def _segment(node: Node, q: Expression, t: Expression, *, constant: bool) -> tuple[Expression, Expression, Expression]:
    """Mass matrix (5.16), forces ``gamma`` (5.53) with the errata for flex-M, and strain energy (5.20)."""
    m, c, I_o = (ca.SX(x) for x in merged_inertia(node, nominal))
    w = t[3:6]
    W, still = cross_matrix(w), ca.vertcat(ca.SX(3, 1), t[3:])  # E_v t
    if not node.is_root or node.elastic is None:
        M = _mass_matrix(m, c, I_o)
        return M, ca.diagcat(W, W) @ M @ still, ca.SX(0)
    delta, rate, k = q[node.modal_q], t[6:], node.elastic.n_modes
    body = node.elastic.elastic_body(delta, nominal, "flex-M" if constant else "flex")
    c = c + body.first_moment
    rigid, coupling = _mass_matrix(m + body.mass, c, I_o + body.inertia), ca.vertcat(body.V, body.H)
    M = ca.blockcat([[rigid, coupling], [coupling.T, body.modal_mass]])
    Omega = ca.diagcat(W, W, ca.SX(k, k))
    elastic = body.stiffness @ delta
    if constant:
        gamma = (Omega @ M - M @ Omega) @ t
        M_wv, M_wv_dot = cross_matrix(c), cross_matrix(body.V @ rate)
        gamma[3:6] = gamma[3:6] - (M_wv_dot + W @ M_wv - M_wv @ W) @ t[:3]
    else:
        M_dot = ca.reshape(ca.jacobian(ca.vec(M), delta) @ rate, *M.shape)
        gamma = (M_dot + Omega @ M) @ still
        spin = ca.dot(w, M[3:6, 3:6] @ w) / 2 + ca.dot(w, body.H @ rate)
        gamma[6:] = gamma[6:] - ca.gradient(spin, delta)
    gamma[6:] = gamma[6:] + elastic
    return M, gamma, ca.dot(delta, elastic) / 2


def _mass_matrix(m: Expression, c: Expression, I_o: Expression) -> Expression:
    C = cross_matrix(c)
    return ca.blockcat([[m * ca.SX.eye(3), -C], [C, I_o]])


def reading_error(
    machine: Machine,
    reading: Reading,
    *,
    duration: float,
    q0: dict[str, float] | None = None,
    control: PickAndPlace | None = None,
    step: float = 1e-3,
) -> float:
    """RMS energy error (5.2.6.3) of a run of Algorithm 5.1 with Runge-Kutta.

    Parameters
    ----------
    machine, reading
        As in `algorithm_5_1`.
    duration, step
        Duration and step of the run [s].
    q0
        Coordinates at the start that are not zero.
    control
        Torques; none by default.
    """
    r, n = algorithm_5_1(machine, reading), machine.nv
    t, x, c, p = ca.SX.sym("t"), ca.SX.sym("x", 2 * n + 1), ca.SX(0, 1), ca.SX.sym("p", len(machine.p_nominal))
    u = ca.SX(n, 1)
    if control is not None:
        names = [m.joint for m in machine.motors]
        torques, _ = control.expression(derive(machine), t, r.q, r.v, c, p)
        u[[machine.q_names.index(name) for name in names]] = torques
    D, h = ca.jacobian(r.tau, r.a), ca.substitute(r.tau, r.a, ca.SX.zeros(n, 1))
    rates = ca.vertcat(r.v, solve_spd(D, u - h), ca.dot(u, r.v))
    energies = ca.vertcat(r.kinetic, r.potential)
    xdot, y = ca.substitute([rates, energies], [r.q, r.v], [x[:n], x[n : 2 * n]])
    problem = Problem(
        state_names=(*machine.q_names, *machine.v_names, "work.input"),
        ode=ca.Function("ode", [t, x, c, p], [xdot]),
        signals=ca.Function("signals", [t, x, c, p], [y]),
        signal_names=("energy.kinetic", "energy.potential"),
        name=machine.name,
    )
    x0 = np.zeros(2 * n + 1)
    for name, value in (q0 or {}).items():
        x0[machine.q_names.index(name)] = value
    run = integrate(
        problem, x0, p=machine.p_nominal, duration=duration, method="rk4", step=step, record=min(0.01, 10 * step)
    )
    return energy_error(run)
