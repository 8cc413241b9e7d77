"""Linear models of elastic ropes that stick to sheaves, or slip past them.

They are compared with closed forms, and with differences of the right-hand side of runs from event to event.
"""

from __future__ import annotations

import math
from typing import Any

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import machine_modes
from dalembert.core.errors import InputError
from dalembert.formulations.constraints.elastic_slips import ElasticSlips, elastic_slips_of

G, EA = 9.81, 2e4


def atwood(over: Any, m1: float = 4.0, m2: float = 4.0, *, wheel: bool = False, **rope: Any) -> da.Machine:
    """Two masses on an elastic rope over a guide or sheave."""
    bodies = [da.point_mass("m1", m1), da.point_mass("m2", m2)]
    joints = [
        da.Joint("x1", "prismatic", "world", "m1", axis="-z", origin=(-0.1, 0, -0.5)),
        da.Joint("x2", "prismatic", "world", "m2", axis="-z", origin=(0.1, 0, -1.0)),
    ]
    if wheel:
        bodies.append(da.Body("wheel", 1.0, inertia=(0.03,) * 3))
        joints.append(da.Joint("wheel", "revolute", "world", "wheel", axis="y"))
    path = [da.Anchor("m1"), over, da.Anchor("m2")]
    motors = [da.Motor(f"F{k}", f"x{k}") for k in (1, 2)]
    return da.Machine("atwood", bodies, joints, motors=motors, ropes=[da.Rope("r", path, stiffness=EA, **rope)])


def rates_of_runs(eom: da.EquationsOfMotion, slips: ElasticSlips) -> ca.Function:
    """(q, v, u, states, latches) -> accelerations and rates of the states, as a run has them."""
    s, system = eom.symbolic, eom.constraint_system
    force = ca.SX(s.applied) - s.bias + sum(slips.forces, ca.SX(eom.nv, 1))
    inner = [s.q, s.v, s.u, slips.states, system.latches]
    a = ca.solve(ca.SX(s.mass_matrix), force)
    return ca.Function(
        "rates", inner, [ca.substitute(x, ca.vertcat(s.t, s.p), 0 * ca.vertcat(s.t, s.p)) for x in (a, slips.rates)]
    )


def differences(f: Any, x: np.ndarray, h: float = 1e-5) -> np.ndarray:
    """Central differences of a function."""
    return np.column_stack([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))])


def test_spans_that_stick_to_a_guide_are_two_springs() -> None:
    guide = da.Guide("world", 0.1, "y", friction=0.3, name="G")
    machine = atwood(guide, damping=30.0, pretension=4.0 * G)
    plant = da.linearize(machine, u=[0.0, 0.0])
    halves = np.array([0.5, 1.0]) + math.pi * 0.05
    l = halves / (1 + 4 * G / EA)
    # T = EA (L/l - 1) + D L'/l
    expected = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.diag(EA / l / 4.0), -np.diag(30.0 / l / 4.0)]])
    np.testing.assert_allclose(plant.A, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(machine_modes(machine).omega, np.sort(np.sqrt(EA / l / 4.0)), rtol=1e-9)
    free = machine_modes(atwood(da.Guide("world", 0.1, "y", name="G"), pretension=4.0 * G)).omega
    assert free[0] < 1e-6 * free[1]  # without friction the masses move together


@pytest.mark.parametrize("wheel", [False, True])
def test_a_sheave_that_sticks_against_differences_of_the_run(wheel: bool) -> None:
    law: dict[str, Any] = {"friction": 0.3, "name": "S"}
    over = da.Sheave("world", 0.1, "y", joint="wheel", **law) if wheel else da.Sheave("world", 0.1, "y", **law)
    machine = atwood(over, wheel=wheel, damping=20.0, pretension=4.0 * G)
    eom = da.equations(machine, backend="vm")
    plant = da.linearize(eom, u=[0.0, 0.0])
    slips, nv = elastic_slips_of(eom), eom.nv
    f, system = rates_of_runs(eom, slips), eom.constraint_system
    q0 = np.zeros(nv)
    latches = system.latch_table.measured(system.latch_nominal, q0, 0.0, np.zeros(0))

    def rhs(x: np.ndarray) -> np.ndarray:
        """Accelerations; the rope that rims carry along at rest is a function of their angles."""
        states = np.zeros(slips.states.shape[0])
        if wheel:
            e = 4.0 * G / EA
            states[0] = e / (1 + e) * 0.1 * x[list(eom.q_names).index("wheel")]
        return np.array(ca.DM(f(x[:nv], x[nv:], np.zeros(2), states, latches)[0]).full())[:, 0]

    np.testing.assert_allclose(plant.A[nv:], differences(rhs, np.zeros(2 * nv)), rtol=1e-6, atol=1e-4)


def test_a_guide_past_which_the_rope_slips_shares_its_rope() -> None:
    """T1 = E T2 in motion towards m1: tau of both spans, from sum L_i/(1 + rho_i tau/EA) = l."""
    mu = 0.3
    E = math.exp(mu * math.pi)
    machine = atwood(da.Guide("world", 0.1, "y", friction=mu, name="G"), pretension=4.0 * G)
    plant = da.linearize(machine, v={"x1_dot": 1.0, "x2_dot": -1.0}, u=[0.0, 0.0], require_equilibrium=False)
    L = np.array([0.5, 1.0]) + math.pi * 0.05
    length = L.sum() / (1 + 4 * G / EA)

    def tensions(x: np.ndarray) -> np.ndarray:
        from scipy.optimize import brentq

        def left(tau: float) -> float:
            return float(((L + x) / (1 + np.array([E, 1.0]) * tau / EA)).sum() - length)

        return np.array([E, 1.0]) * brentq(left, -0.1 * EA, 0.5 * EA, xtol=1e-13)

    np.testing.assert_allclose(plant.A[2:, :2], -differences(tensions, np.zeros(2), 1e-6) / 4.0, rtol=1e-6)
    assert np.abs(plant.A[2:, 2:]).max() == 0.0


def test_a_belt_at_rest_is_a_spring_between_its_wheels() -> None:
    """Both parts of the belt are springs: k = 2 EA r^2 / l, with the stretch of rope that wheels carry along."""
    wheels = [
        da.Sheave("world", 0.1, "y", at=(x, 0, 0), joint=j, friction=0.5, name=j) for x, j in ((0.0, "a"), (0.4, "b"))
    ]
    drive = da.Machine(
        "drive",
        [da.Body(name, 1.0, inertia=(0.02,) * 3) for name in ("one", "two")],
        [
            da.Joint(j, "revolute", "world", b, axis="y", origin=(x, 0, 0))
            for j, b, x in (("a", "one", 0.0), ("b", "two", 0.4))
        ],
        ropes=[da.Rope("belt", wheels, closed=True, stiffness=8000.0, pretension=160.0)],
    )
    e = 160.0 / 8000.0
    l = (0.4 + math.pi * 0.1) / (1 + e)
    k = 2 * 8000.0 * (0.4 + math.pi * 0.1) / l**2 * 0.1**2 / (1 + e)
    omega = machine_modes(drive).omega
    assert omega[-1] == pytest.approx(math.sqrt(2 * k / 0.02), rel=1e-9)
    assert omega[0] < 1e-5 * omega[-1]
    with pytest.raises(InputError, match=r"a sheave that turns under an elastic rope \(sheave 'belt\.a'"):
        da.linearize(drive, v={"a_dot": 12.0, "b_dot": 12.0}, require_equilibrium=False, outputs=["a", "b"])
    damped = atwood(da.Guide("world", 0.1, "y", friction=0.3, name="G"), pretension=4.0 * G, damping=1.0)
    with pytest.raises(InputError, match=r"damping of an elastic rope that slips \(sheave 'r\.G'"):
        da.linearize(damped, v={"x1_dot": 1.0, "x2_dot": -1.0}, require_equilibrium=False)
