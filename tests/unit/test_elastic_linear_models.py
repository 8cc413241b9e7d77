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


def belt_drive(**rope: Any) -> da.Machine:
    """A belt on two wheels."""
    wheels = [
        da.Sheave("world", 0.1, "y", at=(x, 0, 0), joint=j, friction=0.5, name=j) for x, j in ((0.0, "a"), (0.4, "b"))
    ]
    return da.Machine(
        "drive",
        [da.Body(name, 1.0, inertia=(0.02,) * 3) for name in ("one", "two")],
        [
            da.Joint(j, "revolute", "world", b, axis="y", origin=(x, 0, 0), damping=0.1)
            for j, b, x in (("a", "one", 0.0), ("b", "two", 0.4))
        ],
        motors=[da.Motor("M", "a")],
        ropes=[da.Rope("belt", wheels, closed=True, stiffness=8000.0, pretension=160.0, **rope)],
    )


def test_a_belt_at_rest_is_a_spring_between_its_wheels() -> None:
    """Both parts of the belt are springs: k = 2 EA r^2 / l, with the stretch of rope that wheels carry along."""
    e = 160.0 / 8000.0
    l = (0.4 + math.pi * 0.1) / (1 + e)
    k = 2 * 8000.0 * (0.4 + math.pi * 0.1) / l**2 * 0.1**2 / (1 + e)
    omega = machine_modes(belt_drive()).omega
    assert omega[-1] == pytest.approx(math.sqrt(2 * k / 0.02), rel=1e-9)
    assert omega[0] < 1e-5 * omega[-1]
    plant = da.linearize(belt_drive(), outputs=["tension.belt[0]", "tension.belt[1]"])
    kept = k / 2 / 0.1  # by the angle of one wheel
    np.testing.assert_allclose(plant.C[:, :2], [[-kept, kept], [kept, -kept]], rtol=1e-9)


class Running:
    """The right-hand side of a run about a state in which ropes have given tensions."""

    def __init__(self, machine: da.Machine, v: dict[str, float], spans: list[float], slips: dict[str, float]) -> None:
        self.eom = da.equations(machine, backend="vm")
        self.slips, self.nv = elastic_slips_of(self.eom), self.eom.nv
        (section,) = self.slips.sections
        f, system = rates_of_runs(self.eom, self.slips), self.eom.constraint_system
        self.latches = system.latch_table.measured(system.latch_nominal, np.zeros(self.nv), 0.0, np.zeros(0))
        started = np.array([self.latches[system.latch_index(f"material0.{x}")] for x in section.belt.names])
        for name, side in slips.items():
            self.latches[system.latch_index(f"slips.{name}")] = side
        ends = np.cumsum(spans)[:-1] if not section.belt.ring else np.concatenate([[0.0], np.cumsum(spans)[:-1]])
        self.x0 = np.concatenate([np.zeros(self.nv), [v.get(n, 0.0) for n in self.eom.v_names], ends - started])
        m, u = len(ends), np.zeros(self.eom.nu)
        s = self.eom.symbolic
        inner = [s.q, s.v, self.slips.states, system.latches]
        T = ca.Function("T", inner, [section.tensions, section.slips])
        self.count = m

        def parts(x: np.ndarray) -> tuple[np.ndarray, ...]:
            return x[: self.nv], x[self.nv : 2 * self.nv], np.concatenate([x[2 * self.nv :], np.zeros(m)])

        def rates(x: np.ndarray) -> np.ndarray:
            q, w, more = parts(x)
            a, ds = f(q, w, u, more, self.latches)
            return np.concatenate([w, np.array(ca.DM(a).full())[:, 0], np.array(ca.DM(ds).full())[:m, 0]])

        def tensions(x: np.ndarray) -> np.ndarray:
            return np.array(ca.DM(T(*parts(x), self.latches)[0]).full())[:, 0]

        self.rates, self.tensions = rates, tensions
        self.given = {f"{section.belt.terms.rope.name}[{i}]": T for i, T in enumerate(tensions(self.x0))}


@pytest.mark.parametrize("damping", [0.0, pytest.param(40.0, marks=pytest.mark.slow)])
def test_a_belt_that_runs_against_differences_of_the_run(damping: float) -> None:
    machine = belt_drive(damping=damping)
    L, v = 0.4 + math.pi * 0.1, {"a_dot": 12.0, "b_dot": 11.9}
    whole = 2 * L / 1.02
    run = Running(machine, v, [0.4985 * whole, 0.5015 * whole], {})
    outputs = ["tension.belt[0]", "tension.belt[1]", "material.belt.b"]
    given: dict[str, Any] = {"v": v, "tensions": run.given, "u": [0.0], "require_equilibrium": False}
    plant = da.linearize(machine, outputs=outputs, **given)
    assert plant.state_labels == ["a", "b", "a_dot", "b_dot", "material_belt_a", "material_belt_b"]
    slopes = differences(run.rates, run.x0, 1e-6)
    np.testing.assert_allclose(plant.A, slopes, rtol=1e-6, atol=1e-7 * np.abs(slopes).max())
    slopes = differences(run.tensions, run.x0, 1e-6)
    np.testing.assert_allclose(plant.C[:2], slopes, rtol=1e-6, atol=1e-7 * np.abs(slopes).max())
    np.testing.assert_array_equal(plant.C[2], np.eye(6)[5])
    # a wheel at a given speed is no state, and the rope before it still is
    driven = machine.with_(constraints=[da.MotionConstraint("speed", joint="a", value=12.0 * da.TIME)])
    rest = da.linearize(driven, independent=["b"], outputs=outputs, **given)
    kept = [1, 3, 4, 5]
    np.testing.assert_allclose(rest.A, plant.A[np.ix_(kept, kept)], rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize("wheel", [False, True])
def test_a_damped_rope_that_slips_has_the_rope_before_the_sheave_as_a_state(wheel: bool) -> None:
    law: dict[str, Any] = {"friction": 0.3, "name": "S"}
    over = da.Sheave("world", 0.1, "y", joint="wheel", **law) if wheel else da.Guide("world", 0.1, "y", **law)
    machine = atwood(over, wheel=wheel, damping=30.0, pretension=4.0 * G)
    v = {"x1_dot": 1.0, "x2_dot": -1.0} | ({"wheel_dot": 4.0} if wheel else {})
    L = np.array([0.5, 1.0]) + math.pi * 0.05
    run = Running(machine, v, [float(L[0] / 1.004), float(L.sum() / (1 + 4 * G / EA) - L[0] / 1.004)], {})
    plant = da.linearize(machine, v=v, tensions=run.given, u=[0.0, 0.0], require_equilibrium=False)
    assert plant.state_labels[-1] == "material_r_S"
    slopes = differences(run.rates, run.x0, 1e-7)
    np.testing.assert_allclose(plant.A, slopes, rtol=1e-5, atol=1e-6 * np.abs(slopes).max())


def test_a_wheel_on_which_a_belt_slips_shares_its_rope() -> None:
    """The model is that of the run on the states in which the ratio of the tensions is at its limit."""
    wheels = [
        da.Sheave("world", 0.1, "y", at=(x, 0, z), joint=j, friction=mu, name=j)
        for x, z, j, mu in ((0.0, 0.0, "a", 0.5), (0.4, 0.0, "b", 0.06), (0.2, -0.4, "c", 0.5))
    ]
    turning = (("a", "one", 0.0, 0.0), ("b", "two", 0.4, 0.0), ("c", "three", 0.2, -0.4))
    machine = da.Machine(
        "drive",
        [da.Body(name, 1.0, inertia=(0.02,) * 3) for _, name, _, _ in turning],
        [da.Joint(j, "revolute", "world", b, axis="y", origin=(x, 0, z)) for j, b, x, z in turning],
        ropes=[da.Rope("belt", wheels, closed=True, stiffness=8000.0, pretension=160.0)],
    )
    v = {"a_dot": 12.0, "b_dot": 8.0, "c_dot": 11.95}
    eom = da.equations(machine, backend="vm")
    s, (belt,) = eom.symbolic, elastic_slips_of(eom).sections
    numbers = ca.Function("L", [s.q, s.p], [belt.belt.L, belt.belt.terms.length, belt.belt.rubs[1].kappa])
    L, whole, kappa = (np.array(ca.DM(x).full()).ravel() for x in numbers(np.zeros(3), np.zeros(0)))

    def lengths(ratio: float) -> np.ndarray:
        """Rope in the spans at 190 N in the last one: T_1 = e^(kappa ratio) T_0."""
        from scipy.optimize import brentq

        E = math.exp(ratio)
        last = L[2] / (1 + 190.0 / 8000.0)

        def left(T: float) -> float:
            return float(L[0] / (1 + T / 8000.0) + L[1] / (1 + E * T / 8000.0) + last - whole[0])

        T = brentq(left, 1.0, 500.0, xtol=1e-12)
        return np.array([L[0] / (1 + T / 8000.0), L[1] / (1 + E * T / 8000.0), last])

    run = Running(machine, v, lengths(float(kappa[0])).tolist(), {"belt.b": 1.0})
    plant = da.linearize(machine, v=v, tensions=run.given, require_equilibrium=False)
    assert plant.state_labels[6:] == ["material_belt_a", "material_belt_c"]
    full, T = differences(run.rates, run.x0, 1e-6), differences(run.tensions, run.x0, 1e-6)
    limit = T[1] - math.exp(float(kappa[0])) * T[0]
    kept = [0, 1, 2, 3, 4, 5, 6, 8]
    N = np.eye(9)[:, kept]
    N[7] = -limit[kept] / limit[7]
    np.testing.assert_allclose(plant.A, (full @ N)[kept], rtol=1e-6, atol=1e-7 * np.abs(full).max())
    beyond = {"belt[0]": 100.0, "belt[1]": 200.0, "belt[2]": 160.0}
    with pytest.raises(InputError, match=r"sheave 'belt\.b' .* does not bear the given tensions|do not fit its length"):
        da.linearize(machine, v=v, tensions=beyond, require_equilibrium=False)
    with pytest.raises(InputError, match=r"belt\[2\] are missing"):
        da.linearize(machine, v=v, tensions={"belt[0]": 100.0, "belt[1]": 120.0}, require_equilibrium=False)
