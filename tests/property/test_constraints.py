"""Constraints on random machines: derivatives against differences, equations of motion, native against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from support.random_machines import random_machine


def constrained_machine(seed: int) -> da.Machine:
    """A random tree with constraints of every kind between its bodies and the world; some are redundant."""
    machine = random_machine(seed, joints=5, wrenches=False, parameters=seed % 2 == 0)
    rng = np.random.default_rng(seed)
    bodies = [b.name for b in machine.bodies if machine.tree.frames[b.name][0] >= 0]
    single = [n.joint.name for n in machine.tree.nodes if n.joint.info.nv == 1]
    first, last = bodies[0], bodies[-1]
    axis = tuple(rng.normal(size=3))
    out: list = [
        da.DistanceConstraint("distance", last, length=1.0 + 0.1 * da.sin(da.TIME)),
        da.OrthogonalConstraint("angle", first, axis=axis, angle=1.0 + 0.1 * da.TIME),
        da.MotionConstraint("lift", frame=last, component="z", value=da.TIME**2),
        da.WeldConstraint("grip", last, switchable=True, active=False),
    ]
    if machine.tree.frames[first][0] != machine.tree.frames[last][0]:
        out.append(da.LoopConstraint("loop", last, first, kind=str(rng.choice(["ball", "revolute", "prismatic"]))))
    if single:
        out.append(da.GearConstraint("gear", terms={single[0]: 2.0}, value=0.3))
        out.append(da.GearConstraint("again", terms={single[0]: 4.0}, value=0.6))  # the same once more
    cables = [da.Cable("rope", last, exit_at=(3.0, 2.0 + 0.1 * da.TIME, 4.0), length=1.0, pulley=0.1)]
    return machine.with_(constraints=out, cables=cables)


@settings(max_examples=12)
@given(st.integers(0, 10**6))
def test_jacobian_and_right_side_are_derivatives(seed) -> None:
    """J against the difference of Phi along a displacement, gamma against that of Phi' along a motion."""
    eom = da.equations(constrained_machine(seed), backend="vm")
    rng = np.random.default_rng(seed)
    q, v, a, t, h = eom.random_configuration(rng), rng.normal(size=eom.nv), rng.normal(size=eom.nv), 0.4, 1e-5
    J = eom.constraint_jacobian(q, t=t)
    for d in rng.normal(size=(2, eom.nv)):
        ahead, behind = (eom.constraints(eom.integrate(q, x * d), t=t) for x in (h, -h))
        difference = (ahead - behind) / (2 * h)
        assert np.allclose(J @ d, difference, atol=1e-6 * (1 + np.abs(difference).max()))

    def along(s: float) -> tuple[np.ndarray, np.ndarray]:
        # q' = B(q) v along q(s): a displacement whose rate at s = 0 is v and whose second derivative fits v(s)
        steps = 8
        x, dt = q, s / steps
        for k in range(steps):
            x = eom.integrate(x, dt * (v + (k + 0.5) * dt * a))
        return x, v + s * a

    rates = [eom.constraint_velocity(*along(s), t=t + s) for s in (-h, h)]
    slope = (rates[1] - rates[0]) / (2 * h)
    found = J @ a - eom.constraint_rhs(q, v, t=t)
    assert np.allclose(found, slope, atol=2e-4 * (1 + np.abs(slope).max()))


@settings(max_examples=12)
@given(st.integers(0, 10**6))
def test_solution_satisfies_newton_and_the_constraints(seed) -> None:
    """M a + bias + J^T lambda = tau always; J a = gamma on the rows that can be satisfied; lambda in the range of J."""
    eom = da.equations(constrained_machine(seed), backend="vm")
    rng = np.random.default_rng(seed)
    q, v, tau = eom.random_configuration(rng), rng.normal(size=eom.nv), rng.normal(size=eom.nv)
    a, multipliers = eom.constrained_dynamics(q, v, tau, t=0.4)
    M, J, bias = eom.mass_matrix(q), eom.constraint_jacobian(q, t=0.4), eom.bias(q, v)
    scale = np.abs(M @ a).max() + np.abs(bias).max() + np.abs(J.T @ multipliers).max()
    assert np.allclose(M @ a + bias + J.T @ multipliers, tau, atol=1e-9 * scale)
    on = eom.constraint_system.activity(eom.constraint_system.latch_nominal) > 0
    assert (multipliers[~on] == 0).all()
    # Gauss: among all accelerations that come as near to the constraints, this one is nearest to the free motion
    A = J[on]
    left = A @ a - eom.constraint_rhs(q, v, t=0.4)[on]
    Y = np.linalg.solve(np.linalg.cholesky(M), A.T)
    if np.linalg.matrix_rank(Y, tol=1e-6 * np.linalg.norm(Y, 2)) == len(A):
        assert np.allclose(left, 0, atol=1e-6 * scale)
    # redundant rows share the load: twice the row takes twice the multiplier
    names = eom.constraint_names
    if "again" in names:
        assert multipliers[names.index("again")] == pytest.approx(
            2 * multipliers[names.index("gear")], rel=1e-6, abs=1e-7 * np.abs(multipliers).max()
        )


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 4])
def test_native_solver_agrees_with_numpy_where_rows_are_redundant(seed) -> None:
    machine = constrained_machine(seed)
    keep = [c for c in machine.constraints if c.name in ("gear", "again", "grip", "distance")]
    machine = machine.with_(constraints=keep, cables=())
    eom = da.equations(machine, backend="vm")
    q = eom.random_configuration(np.random.default_rng(seed), 0.3)
    q[list(machine.q_names).index(next(j for c in keep for j in c.joints))] = 0.15
    length = float(np.linalg.norm(eom.pose(machine.constraints[0].frame, q)[:3, 3]))
    keep[0] = da.DistanceConstraint("distance", keep[0].frame, length=length)
    machine = machine.with_(constraints=keep)
    settings = {"duration": 0.02, "q0": q, "step": 1e-3, "reach": 2.0}
    native, slow = (da.simulate(machine, backend=b, **settings) for b in ("native", "vm"))
    assert np.allclose(native.x, slow.x, atol=1e-9)
    assert np.allclose(native.y, slow.y, atol=1e-6 * np.abs(slow.y).max())
    # the Schur complement and the pseudo-inverse are two ways to one result, in C and in NumPy
    ways = [
        da.simulate(machine, backend=b, constraints=name, **settings)
        for name in ("baumgarte", "udwadia-kalaba")
        for b in ("native", "vm")
    ]
    for other in ways[1:]:
        assert np.allclose(other.x, ways[0].x, atol=1e-9)
        assert np.allclose(other.y, ways[0].y, atol=1e-6 * np.abs(ways[0].y).max())
    assert not np.array_equal(ways[0].x, ways[2].x)  # by different arithmetic
