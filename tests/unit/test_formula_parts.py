"""Formulas inside of models and plans, against their definitions: the cases that longer computations pass over."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import numpy as np
import pytest
from numpy.polynomial import legendre
from scipy.integrate import quad
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.analysis.closed_form.algebra import add_to
from dalembert.control.estimation.tumbling_motion import apart, moved
from dalembert.model.appendages import _rigid_mass, _steiner
from dalembert.model.elastic.mesh_lines import _joined
from dalembert.model.elastic.rod_turns import Magnus, _rotation
from dalembert.model.ropes.catenary import Hanging, compliance, cut, potential, pull, reach
from dalembert.model.ropes.elements import SheaveLoss
from dalembert.model.ropes.pulley_catenary import PulleyExit
from dalembert.model.shapes import HERMITE
from dalembert.plan.pose import _shapes
from dalembert.plan.rendezvous import _responses
from dalembert.plan.robot_capture import _sides
from dalembert.plan.tumbling import _amplitude
from dalembert.simulation.rollout.lanes import LaneRollout
from dalembert.spatial.rotations import quaternion_exp, quaternion_from_matrix, quaternion_matrix


def numbers(*values: Any) -> list[np.ndarray]:
    return [np.array(ca.DM(ca.densify(ca.SX(x))).full()) for x in values]


def test_quaternions_of_matrices_and_vectors() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        q = rng.normal(size=4)
        q *= np.sign(q[0]) / np.linalg.norm(q)
        R = numbers(quaternion_matrix(ca.DM(q)))[0]
        np.testing.assert_allclose(quaternion_from_matrix(R), q, atol=1e-14)
    for size in (0.0, 3e-5, 9.9e-5, 1.01e-4, 0.5, 3.0):  # the series ends at 1e-4
        w = size * np.array([2.0, -1.0, 2.0]) / 3.0
        half = np.array([np.cos(size / 2.0), *(0.5 * np.sinc(size / (2.0 * np.pi)) * w)])
        np.testing.assert_allclose(numbers(quaternion_exp(ca.DM(w)))[0][:, 0], half, rtol=1e-15, atol=1e-16)


@pytest.mark.parametrize("axis", range(3))
def test_rotations_about_axes(axis: int) -> None:
    made = numbers(_rotation(axis, ca.SX(0.7)))[0]
    np.testing.assert_allclose(made, Rotation.from_rotvec(0.7 * np.eye(3)[axis]).as_matrix(), atol=1e-15)


def test_generators_of_a_rotation_of_sixth_order() -> None:
    """The rotation vector of ``R' = R [a_1 + t a_2 + t^2 a_3]`` over ``|t| <= 1/2``: its error falls with h^7."""
    rng = np.random.default_rng(2)
    a = rng.normal(size=(3, 3))
    errors = []
    for h in (1.0, 0.5):
        scaled = [h * a[0], h**2 * a[1], h**3 * a[2]]
        W = numbers(Magnus(cast(Any, tuple(ca.DM(x) for x in scaled))).W)[0][:, 0]
        R, n = Rotation.identity(), 4000
        for t in (np.arange(n) + 0.5) / n - 0.5:
            R = R * Rotation.from_rotvec((scaled[0] + t * scaled[1] + t * t * scaled[2]) / n)
        errors.append(np.linalg.norm((R.inv() * Rotation.from_rotvec(W)).as_rotvec()))
    assert errors[0] < 5e-3 and errors[1] < errors[0] / 60.0


def test_hermite_polynomials_have_their_values_and_slopes() -> None:
    for k, column in enumerate(HERMITE.T):
        slope = legendre.legder(column)
        ends = [legendre.legval(x, c) for x in (-1.0, 1.0) for c in (column, slope)]
        np.testing.assert_allclose(ends, np.eye(4)[k], atol=1e-15)


def test_inertia_of_a_mass_beside_the_origin() -> None:
    m, c, J = 2.0, np.array([0.3, -1.1, 0.7]), np.diag([0.4, 0.5, 0.6])
    body = SimpleNamespace(mass=m, com=tuple(c), inertia=tuple(map(tuple, J)))
    M = _rigid_mass(cast(Any, body))
    assert np.abs(M - M.T).max() < 1e-14
    np.testing.assert_allclose(_steiner(m, tuple(c)), m * (c @ c * np.eye(3) - np.outer(c, c)), atol=1e-14)
    for k in range(5):
        v, w = np.random.default_rng(k).normal(size=(2, 3))
        twice = m * np.sum((v + np.cross(w, c)) ** 2) + w @ J @ w  # kinetic energy, by the velocity of the centre
        twist = np.concatenate([v, w])
        assert twist @ M @ twist == pytest.approx(twice, rel=1e-13)


def test_edges_become_lines() -> None:
    lines = _joined([(2, 5), (0, 2), (5, 7), (7, 9), (9, 11), (9, 12)])
    assert sorted(min(line, line[::-1]) for line in lines) == [[0, 2, 5, 7, 9], [9, 11], [9, 12]]
    (ring,) = _joined([(1, 2), (2, 3), (1, 3)])
    assert ring[0] == ring[-1] and set(ring) == {1, 2, 3}


H, V, L, w, EA = 40.0, 90.0, 12.0, 5.0, 3e3


def test_catenary_by_its_integrals() -> None:
    """Pull, stretch and height along the cable, element by element."""
    low = V - w * L

    def tension(s: float) -> float:
        return float(np.hypot(H, low + w * s))

    def along(s: float, of: float) -> float:
        return of / tension(s) * (1.0 + tension(s) / EA)

    l, h = (quad(lambda s, f=f: along(s, f(s)), 0.0, L)[0] for f in (lambda s: H, lambda s: low + w * s))
    made = [float(x) for x in reach(H, V, L, w, EA)]
    assert made == pytest.approx([l, h], rel=1e-10)
    strain = quad(lambda s: tension(s) ** 2 / (2.0 * EA), 0.0, L)[0]
    weight = quad(lambda s: w * quad(lambda r: along(r, low + w * r), 0.0, s)[0], 0.0, L)[0]
    assert float(potential(H, V, L, w, EA)) == pytest.approx(strain + weight, rel=1e-8)
    e = 1e-5
    (lH, hH), (lV, hV) = (
        [(float(a) - float(b)) / (2.0 * e) for a, b in zip(reach(*up), reach(*down), strict=True)]
        for up, down in (((H + e, V, L, w, EA), (H - e, V, L, w, EA)), ((H, V + e, L, w, EA), (H, V - e, L, w, EA)))
    )
    assert [float(x) for x in compliance(H, V, L, w, EA)] == pytest.approx([lH, lV, hV], rel=1e-6)
    assert hH == pytest.approx(lV, rel=1e-6)
    l_, h_ = (ca.SX(x) for x in made)
    solved = numbers(*pull(l_, h_, ca.SX(L), ca.SX(w), ca.SX(EA)))
    assert [float(x[0, 0]) for x in solved] == pytest.approx([L, H, V, 0.0], rel=1e-9, abs=1e-12)
    solved = numbers(*cut(l_, h_, ca.SX(H), ca.SX(w), ca.SX(EA)))
    assert [float(x[0, 0]) for x in solved] == pytest.approx([V, L, 0.0], rel=1e-9, abs=1e-12)


def test_points_of_a_catenary_are_ends_of_its_parts() -> None:
    """At equal distances of the unstretched cable: each part hangs with the pull that it has at its end."""
    start, end, gravity = ca.SX([0.3, -0.2, 1.0]), ca.SX([6.3, 4.8, 2.5]), ca.SX([0.0, 0.0, -9.81])
    cable = Hanging.between(start, end, gravity, (ca.SX(L), ca.SX(w), ca.SX(EA)))
    pull_H, pull_V = (float(x[0, 0]) for x in numbers(cable.H, cable.V))
    points = [x.ravel() for x in numbers(*cable.points(4))]
    for k, point in enumerate(points, start=1):
        s = k * L / 5
        along, up = (float(x) for x in reach(pull_H, pull_V - w * (L - s), s, w, EA))
        level = np.array([6.0, 5.0]) / np.hypot(6.0, 5.0)
        np.testing.assert_allclose(point, [*([0.3, -0.2] + along * level), 1.0 + up], rtol=1e-9)


@pytest.mark.parametrize("stiffness", [1e2, 1e4, 1e6])
def test_catenaries_of_all_sizes_have_one_shape(stiffness: float) -> None:
    """Lengths are multiples of the size, forces of the weight of as much cable; slack or taut, all are solved."""
    rng, n = np.random.default_rng(1), 400
    l, h, total, EA = (ca.SX.sym(name) for name in ("l", "h", "total", "EA"))
    solve = ca.Function("solve", [l, h, total, EA], list(pull(l, h, total, ca.SX(w), EA))).map(n)
    chord, slope = 1.0 - 10.0 ** rng.uniform(-4.0, 0.0, n) + 1e-3, rng.uniform(-1.5, 1.5, n)
    place = chord * np.cos(slope), chord * np.sin(slope), np.ones(n), np.full(n, w * stiffness)
    shape = np.vstack([np.array(x) for x in solve(*place)])
    assert shape[3].max() < 1e-12
    for size in (1e-3, 30.0, 1e3):
        made = np.vstack([np.array(x) for x in solve(*(size * x for x in place))])
        np.testing.assert_allclose(made[:3] / size, shape[:3], rtol=1e-7)  # H of a taut one is as ill-conditioned
        assert made[3].max() < 1e-12


def test_loss_of_a_sheave_is_that_of_its_pin() -> None:
    """``(k - 1) r = mu r_pin |T_1 + T_2|`` with tensions 1 and k on either side of the wrap, then the bending."""
    loss, r = SheaveLoss(bearing=0.2, pin=0.05, bending=0.03), 0.25
    context = SimpleNamespace(value=lambda x: float(x))
    for wrap in (0.4, 1.9, np.pi, 4.0):
        k = np.exp(numbers(loss.kappa(ca.SX(wrap), ca.SX(r), cast(Any, context)))[0].item()) / 1.03
        resultant = np.sqrt(1.0 + k * k - 2.0 * k * np.cos(wrap))
        assert (k - 1.0) * r == pytest.approx(0.2 * 0.05 * resultant, rel=1e-12)


def test_a_light_cable_has_one_tension_on_its_pulley() -> None:
    x, z = ca.SX([1.0, 0.0, 0.0]), ca.SX([0.0, 0.0, 1.0])
    zero = ca.SX(3, 1)
    pulley = PulleyExit(ca.SX.eye(3), zero, zero, x, z, ca.SX(0.3), ca.SX(1.0), ca.SX([2.0, 0.0, -1.0]))
    shape = SimpleNamespace(w=ca.SX(1e-12), EA=ca.SX(500.0), tensions=(ca.SX(120.0), ca.SX(120.0)))
    length, tension, energy = numbers(*vars(pulley.arc(ca.SX(1.0), cast(Any, shape))).values())
    arc = 0.3 * (np.pi - 1.0)
    assert tension.item() == pytest.approx(120.0) and length.item() == pytest.approx(arc / 1.24)
    assert energy.item() == pytest.approx(120.0**2 / (2.0 * 500.0) * arc / 1.24)


def test_bristles_come_to_rest_where_they_give_the_friction() -> None:
    friction = da.Friction(coulomb=3.0, law="lugre", bristle_stiffness=50.0, bristle_damping=2.0)
    for rate in (0.4, -0.4):
        z = np.sign(rate) * 3.0 / 50.0
        change, force = numbers(*friction.bristle(ca.SX(z), ca.SX(rate), float))
        assert abs(change.item()) < 1e-15 and force.item() == pytest.approx(np.sign(rate) * 3.0)


def test_free_motion_and_accelerations_of_a_path() -> None:
    t = (0.0, 2.0, 3.0, 7.0)
    free, forced = _responses(None, t)
    for k, time in enumerate(t):
        np.testing.assert_allclose(free[k], np.kron([[1.0, time], [0.0, 1.0]], np.eye(3)), atol=1e-12)
        constant = forced[k].sum(axis=1)  # by the same acceleration at all nodes
        np.testing.assert_allclose(constant, np.vstack([time**2 / 2.0 * np.eye(3), time * np.eye(3)]), atol=1e-10)


def test_rotations_that_are_spread() -> None:
    R = _sides(40)
    assert (R[0] == np.eye(3)).all()
    np.testing.assert_allclose(R @ R.transpose(0, 2, 1), np.tile(np.eye(3), (40, 1, 1)), atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(R), 1.0)


def test_functions_of_a_small_angle() -> None:
    """The series, and the closed forms where their differences still have digits."""
    x = np.array([0.0, 0.02, 0.0999, 0.1001, 0.7])
    a, b, da_, db = _shapes(x)
    s = x**2
    for made, terms, rounding in (
        (a, [1 / 2, -1 / 24, 1 / 720, -1 / 40320, 1 / 3628800, -1 / 479001600], 1e-15),
        (b, [1 / 6, -1 / 120, 1 / 5040, -1 / 362880, 1 / 39916800, -1 / 6227020800], 1e-15),
        (da_, [-1 / 12, 1 / 180, -1 / 6720, 1 / 453600, -1 / 47900160], 5e-15),  # of one term less
        (db, [-1 / 60, 1 / 1260, -1 / 60480, 1 / 4989600, -1 / 622702080], 5e-15),
    ):
        np.testing.assert_allclose(made, sum(c * s**k for k, c in enumerate(terms)), rtol=1e-8)
        np.testing.assert_allclose(made[:3], sum(c * s[:3] ** k for k, c in enumerate(terms)), rtol=rounding)


def test_amplitude_on_the_separatrix() -> None:
    u = np.array([-800.0, -2.0, 0.0, 1.0, 800.0])
    expected = [-np.pi / 2, np.arcsin(np.tanh(-2.0)), 0.0, np.arcsin(np.tanh(1.0)), np.pi / 2]
    np.testing.assert_allclose(_amplitude(u, 0.0), expected, atol=1e-15)


def test_errors_of_an_estimate_move_it() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=16)
    x[6:10] /= np.linalg.norm(x[6:10])
    for size in (1e-12, 0.3):
        d = size * rng.normal(size=15)
        np.testing.assert_allclose(apart(x, moved(x, d)), d, atol=1e-14)


def test_terms_that_cancel_are_removed() -> None:
    for value, rest in ((3, -3), (Fraction(1, 3), Fraction(-1, 3)), (0.1 + 0.2, -0.3)):
        total = {((0, 1),): value}
        add_to(cast(Any, total), ((0, 1),), cast(Any, rest))
        assert total == {}
    total = {((0, 1),): 3}
    add_to(cast(Any, total), ((0, 1),), -2)
    assert total == {((0, 1),): 1}


def test_calls_of_a_rollout_have_bounded_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dalembert.simulation.rollout.lanes._WORK", 1000)
    steps = np.random.default_rng(5).integers(1, 30, 60)
    plan = SimpleNamespace(segments=np.array([(n, 0.0) for n in steps], dtype=[("count", int), ("rest", float)]))
    rollout = SimpleNamespace(_adaptive=False, _cost=10, width=4)
    members, parts = LaneRollout._pieces(cast(Any, rollout), 10, cast(Any, plan), 1)
    assert members == [(0, 4), (4, 8), (8, 10)]
    assert parts[0][0] == 0 and parts[-1][1] == 60 and all(a[1] == b[0] for a, b in pairwise(parts))
    assert all(steps[first : last - 1].sum() < 100 for first, last in parts)  # the last segment ends it
    for long in ([700], [700, 1], [1, 700], [0, 700]):  # one segment is a call, whatever its work
        plan.segments = np.array([(n, 0.0) for n in long], dtype=plan.segments.dtype)
        parts = LaneRollout._pieces(cast(Any, rollout), 10, cast(Any, plan), 1)[1]
        assert [k for first, last in parts for k in range(first, last)] == list(range(len(long)))
        assert all(sum(long[first : last - 1]) < 100 for first, last in parts)


def test_threads_share_a_rollout_in_several_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen for each thread, of whole groups of members, none of less work than is worth a call."""
    monkeypatch.setattr("dalembert.simulation.rollout.lanes._WORK", 10**6)
    plan = SimpleNamespace(segments=np.array([(7, 0.0), (4, 0.1)], dtype=[("count", int), ("rest", float)]))
    rollout = SimpleNamespace(_adaptive=False, _cost=10, width=4)  # a group of four has 12 steps of the cost 10

    def pieces(n: int, threads: int, least: int) -> list[tuple[int, int]]:
        monkeypatch.setattr("dalembert.simulation.rollout.lanes._LEAST", least)
        members, parts = LaneRollout._pieces(cast(Any, rollout), n, cast(Any, plan), threads)
        assert members[0][0] == 0 and members[-1][1] == n and parts == [(0, 2)]
        assert all(a[1] == b[0] for a, b in pairwise(members))
        return members

    for threads, n, size in ((3, 960, 20), (3, 961, 24), (5, 960, 12), (2, 10, 4)):
        assert {b - a for a, b in pieces(n, threads, 1)[:-1]} == {size}
    assert len(pieces(960, 3, 1)) == 48
    assert {b - a for a, b in pieces(960, 3, 1200)[:-1]} == {40}  # ten groups
    assert {b - a for a, b in pieces(960, 3, 1201)[:-1]} == {44}
    assert pieces(960, 1, 1) == [(0, 960)]
    plan.segments["rest"] = (0.02, 0.1)
    rollout._adaptive = True  # steps of the usual length fill the time
    monkeypatch.setattr("dalembert.simulation.rollout.lanes._WORK", 10 * 2 * 50)
    monkeypatch.setattr("dalembert.simulation.rollout.lanes.RK4", SimpleNamespace(step=0.01))
    members, parts = LaneRollout._pieces(cast(Any, rollout), 100, cast(Any, plan), 1)
    assert {b - a for a, b in members[:-1]} == {4 * (1000 // 120)} and parts == [(0, 2)]
