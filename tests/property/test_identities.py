"""Identities of mechanics on random machines: what must hold whatever the machine and the state."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.formulations import registry
from support.comparison import difference
from support.random_machines import floating_machine, machines, random_machine, random_state

FORMULATIONS = tuple(name for name, kind in registry.FORMULATIONS.items() if kind.minimal)
seeds = st.integers(0, 2**20)
small = machines(max_joints=5, max_nv=12)


def vm(machine: da.Machine, by: str = "newton-euler", **options: Any) -> da.EquationsOfMotion:
    return da.equations(machine, by, backend="vm", **options)


def evaluate(eom: da.EquationsOfMotion, expression: Any, q: Any, v: Any, a: Any = None) -> Any:
    """Value of an expression of the equations' symbols at nominal parameters."""
    x = eom.symbolic
    f = ca.Function("f", [x.q, x.v, x.a, x.p], [ca.densify(ca.SX(expression))])
    value = np.array(f(q, v, np.zeros(eom.nv) if a is None else a, eom.machine.p_nominal).full())
    return value[:, 0] if value.shape[1] == 1 else value


def mass_matrix_rate(eom: da.EquationsOfMotion, q: Any, v: Any) -> Any:
    x = eom.symbolic
    M = ca.densify(ca.SX(x.mass_matrix))
    rate = ca.reshape(ca.jtimes(ca.vec(M), x.q, x.coordinate_rate), eom.nv, eom.nv)
    return np.reshape(evaluate(eom, rate, q, v), (eom.nv, eom.nv))


@given(machine=small, seed=seeds)
@settings(max_examples=24)
def test_mass_matrix_is_symmetric_and_positive_definite(machine: da.Machine, seed: int) -> None:
    eom = vm(machine)
    q, v, _, _ = random_state(eom, seed)
    M = eom.mass_matrix(q)
    assert difference(M, M.T) < 1e-13
    assert np.linalg.eigvalsh(M)[0] > 0.0
    assert v @ M @ v / 2 == pytest.approx(eom.energy(q, v).kinetic, rel=1e-12)


@pytest.mark.parametrize("by", FORMULATIONS)
@given(machine=small, seed=seeds)
@settings(max_examples=8)
def test_rate_of_mass_matrix_minus_twice_coriolis_is_skew(by: str, machine: da.Machine, seed: int) -> None:
    eom = vm(machine, by)
    q, v, _, _ = random_state(eom, seed)
    M, Mdot, C = eom.mass_matrix(q), mass_matrix_rate(eom, q, v), eom.coriolis_matrix(q, v)
    N = Mdot - 2 * C
    scale = max(np.abs(Mdot).max(), 2 * np.abs(C).max(), np.abs(M).max() * np.abs(v).max())
    assert np.abs(N + N.T).max() < 1e-12 * scale


@given(machine=small, seed=seeds)
@settings(max_examples=15)
def test_coriolis_matrix_gives_the_velocity_part_of_the_bias(machine: da.Machine, seed: int) -> None:
    eom = vm(machine)
    q, v, _, _ = random_state(eom, seed)
    still = eom.bias(q, 0 * v)
    moving = eom.bias(q, v) - still
    scale = max(np.abs(still).max(), np.abs(moving).max())
    assert difference(eom.coriolis_matrix(q, v) @ v, moving, scale) < 1e-11
    assert difference(4 * moving, eom.bias(q, 2 * v) - still, scale) < 1e-11  # quadratic in v


@pytest.mark.parametrize("by", FORMULATIONS)
@given(machine=small, seed=seeds)
@settings(max_examples=12)
def test_potential_forces_are_the_gradient_of_the_potential_energy(by: str, machine: da.Machine, seed: int) -> None:
    eom = vm(machine, by)
    q, v, _, _ = random_state(eom, seed)
    force, h = eom.bias(q, 0 * v), 1e-6
    steps = np.concatenate([h * np.eye(eom.nv), -h * np.eye(eom.nv)])
    V = eom.energy(eom.integrate(q, steps), np.zeros(eom.nv)).potential
    numerical = (V[: eom.nv] - V[eom.nv :]) / (2 * h)
    # Rounding of V over the step, and the cubic term of the difference.
    assert np.abs(force - numerical).max() < 1e-15 / h * np.abs(V).max() + 1e-7 * np.abs(force).max() + 1e-8
    without = vm(machine.with_(joints=[_without_spring(j) for j in machine.joints]), by)
    assert difference(eom.gravity(q), without.bias(q, 0 * v), np.abs(force).max()) < 1e-11


def _without_spring(joint: da.Joint) -> da.Joint:
    from dataclasses import replace

    return replace(joint, stiffness=0.0)


@pytest.mark.parametrize("by", FORMULATIONS)
@given(machine=small, seed=seeds)
@settings(max_examples=12)
def test_power_is_the_rate_of_the_energy(by: str, machine: da.Machine, seed: int) -> None:
    eom = vm(machine, by)
    q, v, _, tau = random_state(eom, seed)
    a = eom.forward_dynamics(q, v, tau)
    x = eom.symbolic
    T, V = (ca.SX(e) for e in x.energy)
    rate = ca.jtimes(T + V, x.q, x.coordinate_rate) + ca.jtimes(T, x.v, x.a)
    traffic = np.abs(v * (eom.mass_matrix(q) @ a)).sum()
    assert difference(evaluate(eom, rate, q, v, a), [v @ tau], traffic) < 1e-10


@given(machine=small, seed=seeds)
@settings(max_examples=18)
def test_losses_never_give_power(machine: da.Machine, seed: int) -> None:
    eom = vm(machine)
    q, v, _, _ = random_state(eom, seed)
    assert v @ eom.applied(q, v, np.zeros(eom.nu)) <= 0.0


@given(seed=seeds)
@settings(max_examples=15)
def test_momentum_of_a_floating_machine_is_conserved(seed: int) -> None:
    """Without gravity, forces between the bodies cannot change the momentum, whatever the joints do."""
    machine = floating_machine(seed, max_nv=14)
    eom = vm(machine)
    q, v, _, tau = random_state(eom, seed)
    free = next(b for b in eom.layout.blocks if b.kind == "free")
    tau[free.v] = 0.0
    a = eom.forward_dynamics(q, v, tau)
    x = eom.symbolic
    h = ca.densify(ca.SX(x.momentum))
    terms = [ca.jtimes(h, x.q, x.coordinate_rate), ca.jtimes(h, x.v, x.a)]
    there, here = (evaluate(eom, term, q, v, a) for term in terms)
    assert np.abs(there + here).max() < 1e-10 * max(np.abs(there).max(), np.abs(here).max(), np.abs(tau).max())


@given(seed=seeds)
@settings(max_examples=9)
def test_external_forces_change_the_momentum(seed: int) -> None:
    """Newton and Euler: the rate of the momentum is the weight and its moment, plus the wrench on the base."""
    machine = floating_machine(seed, gravity=True, max_nv=14)
    eom = vm(machine)
    q, v, _, tau = random_state(eom, seed)
    free = next(b for b in eom.layout.blocks if b.kind == "free")
    base = next(j for j in machine.joints if j.parent == da.WORLD).child
    X = eom.pose(base, q)
    f, n = X[:3, :3] @ tau[free.v][:3], X[:3, :3] @ tau[free.v][3:]
    weight = sum(b.mass for b in machine.bodies) * np.array(machine.gravity)
    com = eom.center_of_mass(q)
    expected = np.concatenate([f + weight, n + np.cross(X[:3, 3], f) + np.cross(com, weight)])
    a = eom.forward_dynamics(q, v, tau)
    x = eom.symbolic
    h = ca.densify(ca.SX(x.momentum))
    rate = ca.jtimes(h, x.q, x.coordinate_rate) + ca.jtimes(h, x.v, x.a)
    scale = np.abs(evaluate(eom, ca.jtimes(h, x.v, x.a), q, v, a)).max()
    assert difference(evaluate(eom, rate, q, v, a), expected, scale) < 1e-10


@given(seed=seeds)
@settings(max_examples=9)
def test_linear_momentum_is_mass_times_velocity_of_the_center_of_mass(seed: int) -> None:
    machine = random_machine(seed, max_nv=14)
    eom = vm(machine)
    q, v, _, _ = random_state(eom, seed)
    x = eom.symbolic
    velocity = evaluate(eom, ca.jtimes(ca.densify(ca.SX(x.center_of_mass)), x.q, x.coordinate_rate), q, v)
    fixed = {name for name, (node, _) in machine.tree.frames.items() if node < 0}
    mass = sum(b.mass for b in machine.bodies if b.name not in fixed)
    assert difference(eom.momentum(q, v)[:3], mass * velocity, 1e-3) < 1e-11


@pytest.mark.parametrize("by", FORMULATIONS)
@given(machine=small, seed=seeds)
@settings(max_examples=12)
def test_inverse_undoes_forward_dynamics(by: str, machine: da.Machine, seed: int) -> None:
    eom = vm(machine, by)
    q, v, a, tau = random_state(eom, seed)
    made = eom.forward_dynamics(q, v, tau)
    scale = max(np.abs(eom.mass_matrix(q) @ made).max(), np.abs(eom.bias(q, v)).max())
    assert difference(eom.inverse_dynamics(q, v, made), tau, scale) < 1e-10
    back = eom.forward_dynamics(q, v, eom.inverse_dynamics(q, v, a))
    M = eom.mass_matrix(q)
    assert np.abs(M @ (back - a)).max() < 1e-10 * max(np.abs(M @ a).max(), scale)
    assert difference(eom.inverse_dynamics(q, v, a), M @ a + eom.bias(q, v), scale) < 1e-11


@pytest.mark.parametrize("by", FORMULATIONS)
@given(machine=small, seed=seeds)
@settings(max_examples=9)
def test_jacobian_is_the_derivative_of_the_pose(by: str, machine: da.Machine, seed: int) -> None:
    eom = vm(machine, by)
    q, _, _, _ = random_state(eom, seed)
    h, frame = 1e-6, machine.frames[0].name
    X = eom.pose(frame, q)
    steps = h * np.eye(eom.nv)
    dX = (eom.pose(frame, eom.integrate(q, steps)) - eom.pose(frame, eom.integrate(q, -steps))) / (2 * h)
    R = X[:3, :3]
    linear = np.einsum("ij,kj->ik", R.T, dX[:, :3, 3])
    S = np.einsum("ji,kjl->kil", R, dX[:, :3, :3])
    angular = np.array([S[:, 2, 1], S[:, 0, 2], S[:, 1, 0]])
    J = eom.jacobian(frame, q)
    assert np.abs(J - np.concatenate([linear, angular])).max() < 1e-8 * max(1.0, np.abs(X).max())
    in_world = np.kron(np.eye(2), R) @ J
    assert difference(eom.jacobian(frame, q, axes="world"), in_world, 1.0) < 1e-13


@pytest.mark.parametrize("axes", ["frame", "world"])
@given(machine=small, seed=seeds)
@settings(max_examples=9)
def test_jacobian_rate_is_its_derivative_along_the_motion(axes: str, machine: da.Machine, seed: int) -> None:
    eom = vm(machine)
    q, v, _, _ = random_state(eom, seed)
    h, frame = 1e-6, machine.frames[0].name
    ahead, behind = (eom.jacobian(frame, eom.integrate(q, s * h * v), axes=axes) for s in (1, -1))
    rate = eom.jacobian_rate(frame, q, v, axes=axes)
    assert np.abs(rate - (ahead - behind) / (2 * h)).max() < 1e-7 * max(1.0, np.abs(rate).max())


@given(machine=small, seed=seeds)
@settings(max_examples=18)
def test_difference_undoes_integrate(machine: da.Machine, seed: int) -> None:
    eom = vm(machine)
    rng = np.random.default_rng(seed)
    q0, q1 = eom.random_configuration(rng), eom.random_configuration(rng)
    d = rng.normal(size=eom.nv)
    for b in eom.layout.blocks:  # rotation vectors below half a turn
        if b.kind in ("spherical", "free"):
            turn = d[b.v][-3:]
            turn *= rng.uniform(0, 3.0) / np.linalg.norm(turn)
    assert difference(eom.difference(q0, eom.integrate(q0, d)), d) < 1e-12
    reached = eom.integrate(q0, eom.difference(q0, q1))
    for b in eom.layout.blocks:  # a quaternion and its negative are one attitude
        if b.kind in ("spherical", "free"):
            Q = slice(b.q.stop - 4, b.q.stop)
            reached[Q] *= np.sign(reached[Q] @ q1[Q])
    assert difference(reached, q1, 1.0) < 1e-12
    for _, start in eom.layout.quaternions:
        assert abs(np.linalg.norm(reached[start : start + 4]) - 1) < 1e-14
    h = 1e-7
    rate = (eom.integrate(q0, h * d) - eom.integrate(q0, -h * d)) / (2 * h)
    assert difference(eom.coordinate_rate(q0, d), rate, 1.0) < 1e-7


@given(joints=st.integers(1, 5), seed=seeds)
@settings(max_examples=12)
def test_parameters_as_inputs_give_what_baked_numbers_give(joints: int, seed: int) -> None:
    baked = vm(random_machine(seed, joints, max_nv=12, wrenches=True))
    eom = vm(random_machine(seed, joints, max_nv=12, wrenches=True, parameters=True))
    assert not baked.p_names and eom.q_names == baked.q_names
    q, v, a, tau = random_state(eom, seed)
    u = np.random.default_rng(seed).normal(size=eom.nu)
    scale = np.abs(baked.inverse_dynamics(q, v, a)).max()
    assert difference(eom.mass_matrix(q), baked.mass_matrix(q)) < 1e-12
    assert difference(eom.inverse_dynamics(q, v, a), baked.inverse_dynamics(q, v, a)) < 1e-12
    assert difference(eom.applied(q, v, u), baked.applied(q, v, u), scale) < 1e-12
    M = baked.mass_matrix(q)
    gap = M @ (eom.forward_dynamics(q, v, tau) - baked.forward_dynamics(q, v, tau))
    assert np.abs(gap).max() < 1e-11 * max(scale, np.abs(tau).max())


@given(seed=seeds)
@settings(max_examples=9)
def test_overriding_a_parameter_is_building_another_machine(seed: int) -> None:
    machine = random_machine(seed, 3, kinds=("revolute", "prismatic"), parameters=True)
    eom = vm(machine)
    names = [p.name for p in machine.parameters if p.name.startswith(("m_", "c_", "k", "r"))][:4]
    changed = {name: 1.25 * machine.p_nominal[eom.p_names.index(name)] for name in names}
    other = vm(_with_values(machine, changed))
    q, v, a, _ = random_state(eom, seed)
    assert difference(eom.inverse_dynamics(q, v, a, p=changed), other.inverse_dynamics(q, v, a)) < 1e-12
    assert difference(eom.mass_matrix(q, p=changed), other.mass_matrix(q)) < 1e-12


def _with_values(machine: da.Machine, values: dict[str, float]) -> da.Machine:
    """The machine with other nominal values, by way of its own text form of scalars."""
    from dataclasses import fields, is_dataclass, replace

    def change(x: Any) -> Any:
        if isinstance(x, da.Parameter):
            return da.Parameter(x.name, values.get(x.name, x.value))
        if isinstance(x, tuple):
            return tuple(change(y) for y in x)
        if is_dataclass(x) and not isinstance(x, type) and fields(x):
            return replace(x, **{f.name: change(getattr(x, f.name)) for f in fields(x)})
        return x

    return change(machine)


@given(machine=small, seed=seeds)
@settings(max_examples=9)
def test_wrenches_act_through_the_transposed_jacobian(machine: da.Machine, seed: int) -> None:
    eom = vm(machine)
    q, v, a, tau = random_state(eom, seed)
    rng = np.random.default_rng(seed)
    w = {frame.name: rng.normal(size=6) for frame in machine.frames}
    force = sum(eom.jacobian(name, q).T @ x for name, x in w.items())
    scale = np.abs(eom.inverse_dynamics(q, v, a)).max()
    expected = eom.inverse_dynamics(q, v, a) - force
    assert difference(eom.inverse_dynamics(q, v, a, wrenches=w), expected, scale) < 1e-12
    assert difference(eom.forward_dynamics(q, v, tau, wrenches=w), eom.forward_dynamics(q, v, tau + force)) < 1e-9


@given(seed=seeds)
@settings(max_examples=9)
def test_wrenches_of_the_machine_do_the_work_of_their_forces(seed: int) -> None:
    """Power of the applied wrenches: force times velocity of the frame, torque times its angular velocity."""
    machine = random_machine(seed, 4, max_nv=10, wrenches=True, losses=False, motors=False)
    eom = vm(machine)
    q, v, _, _ = random_state(eom, seed)
    power = 0.0
    for wrench in machine.wrenches:
        twist = eom.jacobian(wrench.frame, q, axes=wrench.axes) @ v
        power += np.concatenate([wrench.force, wrench.torque]) @ twist
    assert v @ eom.applied(q, v, np.zeros(0)) == pytest.approx(power, rel=1e-11, abs=1e-11)


@given(seed=seeds)
@settings(max_examples=6)
def test_other_coordinates_describe_the_same_motion(seed: int) -> None:
    machine = random_machine(seed, 3, kinds=("revolute", "prismatic", "planar"), max_nv=6)
    n = machine.nq
    rng = np.random.default_rng(seed)
    A = np.eye(n) + 0.3 * rng.normal(size=(n, n)) / n

    def to_machine(y: Any, p: Any) -> Any:
        return ca.DM(A) @ y + 0.1 * ca.sin(y)

    names = [f"y{i}" for i in range(n)]
    for by in FORMULATIONS:
        eom = vm(machine, by)
        mapped = vm(machine, by, coordinates=da.CoordinateMap(names, to_machine))
        y, w, _, _ = random_state(mapped, seed)
        E = A + np.diag(0.1 * np.cos(y))
        q, v = A @ y + 0.1 * np.sin(y), E @ w
        tau = rng.normal(size=n)
        np.testing.assert_allclose(mapped.energy(y, w), eom.energy(q, v), rtol=1e-11)
        assert difference(mapped.mass_matrix(y), E.T @ eom.mass_matrix(q) @ E) < 1e-12
        a = eom.forward_dynamics(q, v, tau)
        b = mapped.forward_dynamics(y, w, E.T @ tau)
        drift = -0.1 * np.sin(y) * w * w
        assert difference(E @ b + drift, a) < 1e-9
        N = mass_matrix_rate(mapped, y, w) - 2 * mapped.coriolis_matrix(y, w)
        assert np.abs(N + N.T).max() < 1e-12 * max(np.abs(N).max(), np.abs(mapped.mass_matrix(y)).max())
        assert difference(mapped.jacobian("frame 0", y), eom.jacobian("frame 0", q) @ E, 1.0) < 1e-12


@pytest.mark.slow
@given(seed=seeds)
@settings(max_examples=6)
def test_followers_are_a_constraint_on_the_free_machine(seed: int) -> None:
    """Coupled equations are the free machine's, restricted by d'Alembert's principle: E^T (M E a + bias) = E^T tau."""
    machine = random_machine(seed, 4, couplings=2, max_nv=8, kinds=("revolute", "prismatic", "spherical"))
    if not machine.couplings:
        return
    free = vm(machine.with_(couplings=()))
    q_of, E = _coupling(machine)
    for by in FORMULATIONS:
        eom = vm(machine, by)
        q, v, a, tau = random_state(eom, seed)
        Q, V = q_of(q), E @ v
        np.testing.assert_allclose(eom.energy(q, v), free.energy(Q, V), rtol=1e-11, atol=1e-12)
        assert difference(eom.mass_matrix(q), E.T @ free.mass_matrix(Q) @ E) < 1e-12
        force = free.inverse_dynamics(Q, V, E @ a)
        assert difference(eom.inverse_dynamics(q, v, a), E.T @ force, np.abs(force).max()) < 1e-11
        made = eom.forward_dynamics(q, v, tau)
        scale = np.abs(eom.mass_matrix(q) @ made).max()
        assert difference(E.T @ free.inverse_dynamics(Q, V, E @ made), tau, scale) < 1e-10
        assert difference(eom.jacobian("frame 0", q), free.jacobian("frame 0", Q) @ E, 1.0) < 1e-12


def _coupling(machine: da.Machine) -> tuple[Any, Any]:
    """Coordinates and velocities of the machine without couplings, from the machine's fields."""
    rules = {c.joint: c for c in machine.couplings}
    whole = machine.with_(couplings=())
    E = np.zeros((whole.nv, machine.nv))
    for i, name in enumerate(whole.v_names):
        joint = name.removesuffix("_dot")
        rule = rules.get(joint)
        source = name if rule is None else f"{rule.leader}_dot"
        E[i, machine.v_names.index(source)] = 1.0 if rule is None else rule.ratio

    def q_of(q: Any) -> Any:
        values = dict(zip(machine.q_names, q, strict=True))
        full = []
        for name in whole.q_names:
            rule = rules.get(name)
            full.append(values[name] if rule is None else rule.ratio * values[rule.leader] + rule.offset)
        return np.array(full)

    return q_of, E


SHORT = {seed for seed in range(12) if random_machine(seed).nv <= 9}
SLOW = {seed: [pytest.mark.slow] if seed < 24 else [pytest.mark.slow, pytest.mark.long] for seed in range(200)}
TREES = [seed if seed in SHORT else pytest.param(seed, marks=SLOW[seed]) for seed in range(200)]


@pytest.mark.parametrize("seed", TREES)
def test_formulations_agree(seed: int) -> None:
    """The trees that are also compared with Pinocchio."""
    machine = random_machine(seed)
    one, two = vm(machine), vm(machine, "lagrange")
    q, v, a, tau = random_state(one, seed)
    M = one.mass_matrix(q)
    force = one.inverse_dynamics(q, v, a)
    scale = max(np.abs(force).max(), np.abs(M @ a).max())
    assert difference(two.mass_matrix(q), M) < 1e-10
    assert difference(two.inverse_dynamics(q, v, a), force, scale) < 1e-10
    assert difference(two.gravity(q), one.gravity(q), scale) < 1e-10
    assert difference(two.coriolis_matrix(q, v) @ v, one.coriolis_matrix(q, v) @ v, scale) < 1e-10
    b, c = one.forward_dynamics(q, v, tau), two.forward_dynamics(q, v, tau)
    assert np.sqrt((b - c) @ M @ (b - c)) < 1e-10 * np.sqrt(b @ M @ b)
    assert difference(two.jacobian("frame 0", q), one.jacobian("frame 0", q), 1e-3) < 1e-10
    assert difference(two.momentum(q, v), one.momentum(q, v)) < 1e-10
    for eom in (one, two):
        Mdot, C = mass_matrix_rate(eom, q, v), eom.coriolis_matrix(q, v)
        N = Mdot - 2 * C
        rates = max(np.abs(Mdot).max(), 2 * np.abs(C).max(), np.abs(M).max() * np.abs(v).max())
        assert np.abs(N + N.T).max() < 1e-12 * rates
