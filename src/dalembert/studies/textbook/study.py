"""Numbers that ROBOTICS prints, derived by the library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dalembert import closed_form, equations, simulate
from dalembert.studies.expected import Formula
from dalembert.studies.textbook.inertia import (
    box_error,
    cylinder_error,
    euler_errors,
    euler_inertia,
    shapes,
    steiner,
)
from dalembert.studies.textbook.learning import missing
from dalembert.systems.catalogue import load_system
from dalembert.systems.textbook import actuated_pendulum, floating_two_link, motor_side, pr_robot

__all__ = ["results"]


def results(*, full: bool = True) -> Iterator[tuple[str, Formula | float]]:
    """Yield the key of each expected value and our value; the short form is the full one."""
    yield from _pendulum()
    yield from _inertia()
    yield from _exercises()
    yield from _pr_robot()
    yield from _questions()
    yield from _structure()
    yield from _energy()
    yield from _learning()


def _pendulum() -> Iterator[tuple[str, Formula | float]]:
    form = closed_form(actuated_pendulum())
    yield "pendulum.kinetic", Formula.of(form, form.kinetic_energy)
    yield "pendulum.potential", Formula.of(form, form.potential_energy)
    yield "pendulum.left", Formula.of(form, form.equations[0].lhs)
    yield "pendulum.right", Formula.of(form, form.equations[0].rhs)
    form = closed_form(actuated_pendulum(), coordinates=motor_side())
    yield "motor.left", Formula.of(form, form.equations[0].lhs)
    yield "motor.right", Formula.of(form, form.equations[0].rhs)


def _inertia() -> Iterator[tuple[str, Formula | float]]:
    box, tube, end = shapes()
    yield "box.formula", box
    yield "cylinder.formula", tube
    yield "cylinder.end", end
    yield "steiner.formula", steiner()
    yield "box.volume", box_error()
    yield "cylinder.volume", cylinder_error()


def _exercises() -> Iterator[tuple[str, Formula | float]]:
    """Elements of Euler's matrix, and why the inertia matrix is tr(J) 1 - J."""
    yield "euler.formula", euler_inertia()
    for key, error in euler_errors().items():
        yield f"euler.{key}", error


def _questions() -> Iterator[tuple[str, Formula | float]]:
    """Answers to the questions about the PR robot; Q1 is in its matrices C_k."""
    import sympy

    form = closed_form(pr_robot())
    u_1 = sympy.Symbol("u_1")
    rest = dict.fromkeys(form.v, 0)
    force = sympy.Matrix([u_1, 0]) - form.coriolis_vector.subs(rest)
    yield "pr.q2", Formula.of(form, sympy.simplify((form.mass_matrix.inv() * force)[1]))
    yield "pr.q3", Formula.of(form, form.coriolis_matrix)
    yield "pr.q4", Formula.of(form, form.mass_matrix.det())
    yield "inertia.last", _last_inertia()


def _last_inertia() -> float:
    """Largest relative change of the last entry of M over random configurations of an arm with six joints."""
    eom = equations(load_system("six-axis-arm"), backend="vm")
    rng = np.random.default_rng(1)
    last = np.array([eom.mass_matrix(eom.random_configuration(rng))[-1, -1] for _ in range(20)])
    return float(np.ptp(last) / last.mean())


def _learning() -> Iterator[tuple[str, Formula | float]]:
    gaps = missing().max(axis=1)
    yield "learning.torques", float(gaps[-1])
    yield "learning.steps", float(np.sum(np.diff(gaps) > 0.0))


def _pr_robot() -> Iterator[tuple[str, Formula | float]]:
    form = closed_form(pr_robot())
    yield "pr.T2", Formula.of(form, form.kinetic_energy)
    yield "pr.B", Formula.of(form, form.mass_matrix)
    yield "pr.C1", Formula.of(form, form.christoffel[0])
    yield "pr.C2", Formula.of(form, form.christoffel[1])
    yield "pr.c", Formula.of(form, form.coriolis_vector)
    yield "pr.left1", Formula.of(form, form.equations[0].lhs)
    yield "pr.left2", Formula.of(form, form.equations[1].lhs)


def _structure() -> Iterator[tuple[str, Formula | float]]:
    """Skew symmetry with the Christoffel symbols, and its absence with the bracket of the appendix."""
    import sympy

    form = closed_form(pr_robot())
    B, q, v = form.mass_matrix, form.q, form.v
    zero = sympy.zeros(2, 2)
    B_dot = sum((B.diff(q[i]) * v[i] for i in range(2)), zero)
    N = B_dot - 2 * form.coriolis_matrix
    yield "skew.symbolic", Formula.of(form, (N + N.T) / 2)
    yield "skew.numeric", _skew_error()
    gradients = [B[:, i].jacobian(sympy.Matrix(q)) for i in range(2)]
    bracket = sum(((db - db.T / 2) * v[i] for i, db in enumerate(gradients)), zero)
    yield "appendix.force", Formula.of(form, bracket * sympy.Matrix(v))
    yield "appendix.bracket", Formula.of(form, B_dot - 2 * bracket)


def _skew_error() -> float:
    """Largest symmetric part of M' - 2 C at random states, relative to the largest entry of C, from compiled code."""
    import casadi as ca

    eom = equations(floating_two_link())
    s = eom.symbolic
    rate = ca.jtimes(ca.densify(ca.vec(s.mass_matrix)), s.q, s.coordinate_rate)
    M_dot = ca.Function("M_dot", [s.q, s.v], [ca.reshape(rate, eom.nv, eom.nv)])
    rng = np.random.default_rng(0)
    worst = 0.0
    for _ in range(100):
        q, v = eom.random_configuration(rng), rng.normal(size=eom.nv)
        C = eom.coriolis_matrix(q, v)
        N = M_dot(q, v).full() - 2.0 * C
        worst = max(worst, float(np.abs(N + N.T).max() / np.abs(C).max()))
    return worst


def _energy() -> Iterator[tuple[str, Formula | float]]:
    settings: dict[str, Any] = {"duration": 10.0, "method": "dopri5", "rtol": 1e-11, "atol": 1e-12}
    free = simulate(pr_robot(), v0={"q_1_dot": 0.5, "q_2_dot": 4.0}, **settings)
    yield "energy.free", free.energy.drift
    driven = simulate(actuated_pendulum(F_x=1.0), q0={"theta": 0.5}, control=[0.05], **settings)
    yield "energy.work", driven.energy.drift
