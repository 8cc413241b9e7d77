"""The contract of a kind of joint (`dalembert.model.joints.kind`), checked as mathematics for every kind there is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
import pytest

from dalembert.core.types import Array
from dalembert.model.joints import JOINT_KINDS, JointKind
from dalembert.spatial.rotations import cross_matrix, numpy, rotation_about

KINDS = sorted(JOINT_KINDS)
MOVING = [k for k in KINDS if JOINT_KINDS[k].nv]
EPS = 1e-12  # a few roundings of numbers of order one


def unit(rng: np.random.Generator) -> Array:
    x = rng.normal(size=3)
    return np.asarray(x / np.linalg.norm(x))


def joint(name: str, rng: np.random.Generator) -> JointKind:
    """A joint of a kind with random geometry."""
    kind = JOINT_KINDS[name]
    second = unit(rng) if "second_axis" in kind.needs else None
    return kind(unit(rng), second, 0.3 if "pitch" in kind.needs else None)


def somewhere(kind: JointKind | type[JointKind], rng: np.random.Generator) -> Array:
    d = rng.normal(size=kind.nv)
    return np.ravel(numpy(kind.integrate(ca.DM(kind.neutral), ca.DM(d))))


def derivative(f: Callable[[Any], Any], q: Array, rate: Array) -> Array:
    """Derivative of ``f`` along ``rate`` at ``q``, by automatic differentiation."""
    x = ca.SX.sym("q", len(q))
    y = ca.SX(f(x))
    made = ca.Function("d", [x], [ca.reshape(ca.jtimes(ca.densify(ca.vec(y)), x, ca.DM(rate)), *y.shape)])
    return np.array(made(q).full())


def rate_of(kind: Any, q: Array, v: Array) -> Array:
    return np.ravel(numpy(kind.rate(ca.DM(q), ca.DM(v))))


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_says_its_size(name: str) -> None:
    kind = JOINT_KINDS[name]
    assert kind.name == name
    assert len(kind.neutral) == len(kind.q) == kind.nq
    assert len(kind.v) == kind.nv
    assert set(kind.wrapped) <= set(kind.angles) <= set(range(kind.nq))


@pytest.mark.parametrize("name", KINDS)
def test_neutral_coordinates_are_the_identity(name: str) -> None:
    R, p, _ = joint(name, np.random.default_rng(0)).posed(JOINT_KINDS[name].neutral)
    assert np.allclose(R, np.eye(3), atol=EPS)
    assert np.allclose(p, 0.0, atol=EPS)


@pytest.mark.parametrize("name", MOVING)
def test_poses_in_numbers_are_those_of_each_joint(name: str) -> None:
    """Joints that differ in one field, at the same coordinates: kept poses of the one are not those of the other."""
    rng = np.random.default_rng(2)
    kind = joint(name, rng)
    q = somewhere(kind, rng)
    changes: list[dict[str, Any]] = [{}, {"axis": unit(rng)}]
    changes += [{"second_axis": unit(rng)}] if kind.second_axis is not None else []
    changes += [{"pitch": 0.7}] if kind.pitch is not None else []
    for change in (*changes, {}):
        other = replace(kind, **change)
        pose = other.posed(q)
        for array, expected in zip(pose, (*other.motion(ca.DM(q)), other.subspace(ca.DM(q))), strict=True):
            assert np.array_equal(np.ravel(array), np.ravel(np.array(ca.DM(expected).full())))
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0.0


@pytest.mark.parametrize("name", MOVING)
def test_the_subspace_is_the_derivative_of_the_motion(name: str) -> None:
    rng = np.random.default_rng(1)
    kind = joint(name, rng)
    q, v = somewhere(kind, rng), rng.normal(size=kind.nv)
    rate = rate_of(kind, q, v)
    R, _, P = kind.posed(q)
    twist = P @ v
    spin = R.T @ derivative(lambda x: kind.motion(x)[0], q, rate)
    assert np.allclose(spin, np.array(ca.DM(cross_matrix(twist[3:])).full()), atol=EPS)
    assert np.allclose(R.T @ derivative(lambda x: kind.motion(x)[1], q, rate)[:, 0], twist[:3], atol=EPS)


@pytest.mark.parametrize("name", MOVING)
def test_the_rate_of_the_subspace_is_its_derivative(name: str) -> None:
    rng = np.random.default_rng(2)
    kind = joint(name, rng)
    q, v = somewhere(kind, rng), rng.normal(size=kind.nv)
    expected = derivative(kind.subspace, q, rate_of(kind, q, v))
    made = np.array(ca.DM(kind.subspace_rate(ca.DM(q), ca.DM(v))).full())
    assert np.allclose(made, expected, atol=EPS)
    assert kind.constant == bool(np.allclose(expected, 0.0, atol=EPS))


@pytest.mark.parametrize("name", MOVING)
def test_turns_make_the_rotation(name: str) -> None:
    rng = np.random.default_rng(3)
    kind = joint(name, rng)
    q = somewhere(kind, rng)
    turns = kind.turns(ca.DM(q))
    if turns is None:
        assert kind.quaternion is not None
        return
    R = np.eye(3)
    for axis, angle in turns:
        R = R @ np.array(ca.DM(rotation_about(axis, angle)).full())
    assert np.allclose(R, kind.posed(q)[0], atol=EPS)


@pytest.mark.parametrize("name", MOVING)
def test_the_structure_comes_from_the_brackets_of_the_velocities(name: str) -> None:
    rng = np.random.default_rng(4)
    kind = JOINT_KINDS[name]
    q, p = somewhere(kind, rng), rng.normal(size=kind.nv)
    n = kind.nv
    B = np.column_stack([rate_of(kind, q, e) for e in np.eye(n)])
    G = np.zeros((n, n))
    for i, e in enumerate(np.eye(n)):
        for j, f in enumerate(np.eye(n)):
            bracket = derivative(lambda x, f=f: kind.rate(x, ca.DM(f)), q, B[:, i])[:, 0]
            bracket -= derivative(lambda x, e=e: kind.rate(x, ca.DM(e)), q, B[:, j])[:, 0]
            G[i, j] = p @ np.linalg.lstsq(B, bracket, rcond=None)[0]
    assert np.allclose(np.array(ca.DM(kind.structure(ca.DM(p))).full()), G, atol=EPS)


@pytest.mark.parametrize("name", MOVING)
def test_displacements(name: str) -> None:
    rng = np.random.default_rng(5)
    kind = JOINT_KINDS[name]
    q, d = somewhere(kind, rng), 0.5 * rng.normal(size=kind.nv)
    moved = np.ravel(numpy(kind.integrate(ca.DM(q), ca.DM(d))))
    assert np.allclose(np.ravel(numpy(kind.difference(ca.DM(q), ca.DM(moved)))), d, atol=EPS)
    h = 1e-6
    ahead, behind = (np.ravel(numpy(kind.integrate(ca.DM(q), ca.DM(s * d)))) for s in (h, -h))
    assert np.allclose((ahead - behind) / (2 * h), rate_of(kind, q, d), atol=1e-9)  # h^2, and rounding over h
    if kind.quaternion is not None:
        assert np.linalg.norm(moved[kind.quaternion : kind.quaternion + 4]) == pytest.approx(1.0, abs=EPS)


@pytest.mark.parametrize("name", MOVING)
def test_the_chart_follows_the_motion_to_first_order(name: str) -> None:
    rng = np.random.default_rng(6)
    kind = JOINT_KINDS[name]
    q, v, direction = somewhere(kind, rng), rng.normal(size=kind.nv), rng.normal(size=kind.nv)
    errors = []
    for size in (2e-2, 1e-2):
        d = size * direction
        moved = np.ravel(numpy(kind.integrate(ca.DM(q), ca.DM(d))))
        chart = np.ravel(numpy(kind.chart_rate(ca.DM(d), ca.DM(v))))
        made = derivative(lambda x: kind.integrate(ca.DM(q), x), d, chart)[:, 0]
        errors.append(np.linalg.norm(made - rate_of(kind, moved, v)))
    assert errors[1] < EPS or errors[0] / errors[1] > 3.5  # second order: 4


@pytest.mark.parametrize("name", MOVING)
def test_the_flow_of_a_constant_velocity(name: str) -> None:
    rng = np.random.default_rng(7)
    kind = JOINT_KINDS[name]
    q, direction = somewhere(kind, rng), rng.normal(size=kind.nv)
    errors = []
    for size in (0.4, 0.2):
        d, x, n = size * direction, q, 40
        for _ in range(n):  # the classical Runge-Kutta method: its error is far below that of the series
            k1 = rate_of(kind, x, d)
            k2 = rate_of(kind, x + k1 / (2 * n), d)
            k3 = rate_of(kind, x + k2 / (2 * n), d)
            x = x + (k1 + 2 * k2 + 2 * k3 + rate_of(kind, x + k3 / n, d)) / (6 * n)
        errors.append(np.linalg.norm(numpy(kind.integrate(ca.DM(q), kind.flow(ca.DM(d)))) - x))
    assert errors[1] < 1e-9 or errors[0] / errors[1] > 12  # fourth order: 16


@pytest.mark.parametrize("name", KINDS)
def test_constraints_admit_the_motion_and_nothing_else(name: str) -> None:
    rng = np.random.default_rng(8)
    kind = joint(name, rng)
    q = somewhere(kind, rng)
    R, p, P = kind.posed(q)
    twist = ca.SX.sym("t", 6)
    s = ca.SX.sym("s")
    moved = (ca.DM(R) @ (ca.SX.eye(3) + s * cross_matrix(twist[3:])), ca.DM(p) + s * (ca.DM(R) @ twist[:3]))
    Phi = kind.constraints(*moved)
    f = ca.Function("f", [twist, s], [ca.densify(Phi), ca.densify(ca.jacobian(ca.jacobian(Phi, s), twist))])
    value, J = (np.array(x.full()) for x in f(np.zeros(6), 0.0))
    assert value.shape[0] == 6 - kind.nv
    assert np.allclose(value, 0.0, atol=EPS)
    assert np.linalg.matrix_rank(J) == 6 - kind.nv if J.size else kind.nv == 6
    assert np.allclose(J @ P, 0.0, atol=EPS)


@pytest.mark.parametrize("name", KINDS)
def test_the_state_is_found_from_the_pose(name: str) -> None:
    rng = np.random.default_rng(9)
    kind = joint(name, rng)
    q, v = somewhere(kind, rng), rng.normal(size=kind.nv)
    R, p, P = kind.posed(q)
    twist = P @ v
    found, rate = kind.state(ca.SX(R), ca.SX(p), ca.SX(R @ twist[:3]), ca.SX(twist[3:]))
    assert found.shape == (kind.nq, 1) and rate.shape == (kind.nv, 1)
    assert np.allclose(np.ravel(numpy(rate)), v, atol=EPS)
    there = kind.posed(np.ravel(numpy(found)))
    assert np.allclose(there[0], R, atol=EPS)
    assert np.allclose(there[1], p, atol=EPS)
    others = [i for i in range(kind.nq) if i not in kind.wrapped]
    if kind.quaternion is None:
        far = q.copy()
        far[list(kind.angles)] += 2 * np.pi
        R, p, _ = kind.posed(far)
        found = np.ravel(numpy(kind.state(ca.SX(R), ca.SX(p), ca.SX(3, 1), ca.SX(3, 1))[0]))
        assert np.allclose(found[others], far[others], atol=EPS)
