"""Parts of assemblies: conditions and their derivatives, all postures of a four-bar linkage, what welds measure."""

from __future__ import annotations

from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.core.errors import DalembertError
from dalembert.formulations.constraints.assembly import _check_quaternions, _tightened, assemble, conditions_of
from dalembert.formulations.constraints.assembly_search import (
    _descended,
    _differs,
    _displacement,
    _within_limits,
    followed,
    solutions,
)
from dalembert.formulations.constraints.conditions import Conditions, machine_size, settle

CRANK, COUPLER, ROCKER, GROUND = 0.4, 1.1, 0.8, 1.0


@cache
def _linkage(crank: float = CRANK, **limits: float) -> da.EquationsOfMotion:
    """A crank, a coupler that hangs on it, and a rod from its end to the ground: it closes in two ways."""
    machine = da.Machine(
        "four-bar",
        [da.box("crank", 1.0, (crank, 0.1, 0.1)), da.box("coupler", 1.0, (1, 0.1, 0.1))],
        [da.Joint("a", "revolute", "world", "crank", axis="z"),
         da.Joint("b", "revolute", "crank", "coupler", (crank, 0, 0), axis="z", limits=da.Limits(**limits))],
        frames=[da.Frame("end", "coupler", (COUPLER, 0, 0)), da.Frame("pivot", "world", (GROUND, 0, 0))],
        constraints=[da.DistanceConstraint("rocker", "end", "pivot", length=ROCKER)],
    )  # fmt: skip
    return da.equations(machine, backend="vm")


def _closed(a: float, crank: float = CRANK) -> list[float]:
    """Both angles of the coupler, by the law of cosines at the end of the crank."""
    far = np.array([GROUND, 0.0]) - crank * np.array([np.cos(a), np.sin(a)])
    reach = np.linalg.norm(far)
    cosine = (COUPLER**2 + reach**2 - ROCKER**2) / (2.0 * COUPLER * reach)
    if abs(cosine) > 1.0:
        return []
    angles = [np.arctan2(far[1], far[0]) + sign * np.arccos(cosine) - a for sign in (1.0, -1.0)]
    return [float((x + np.pi) % (2 * np.pi) - np.pi) for x in angles]


def _conditions(eom: da.EquationsOfMotion, given: list[int], values: Any, q: Any) -> Conditions:
    n, p = len(q), eom.parameter_values(None)
    latches = np.tile(eom.constraint_system.latch_nominal, (n, 1))
    return conditions_of(eom, given, np.array(values), t=0.0, p=np.tile(p, (n, 1)), latches=latches, q=np.array(q))


@pytest.mark.parametrize("a", [0.3, -2.0, 3.1])
def test_all_postures_of_a_linkage(a: float) -> None:
    """Both are found, the one nearer to the guess first where none is led to."""
    eom = _linkage()
    for guess in _closed(a):
        q = np.array([[a, guess + 0.3]])
        found = solutions(_conditions(eom, [0], [[a]], q), q[0], starts=12)
        assert found.nearest is None and found.starts == 14 and len(found.q) == 2
        np.testing.assert_allclose(found.q[:, 0], a, atol=1e-12)
        apart = np.abs(np.subtract.outer(found.q[:, 1], _closed(a)) + np.pi) % (2 * np.pi) - np.pi
        assert np.abs(apart).min(axis=1).max() < 1e-8
        assert abs((found.q[0, 1] - guess + np.pi) % (2 * np.pi) - np.pi) < 1e-8
        assert all(abs(y - q[0, 1]) <= np.pi + 1e-9 for y in found.q[:, 1])  # no more turns than needed


def test_postures_within_limits_come_first() -> None:
    a = 0.5
    up, down = sorted(_closed(a), reverse=True)
    middle = 0.5 * (up + down)
    for lower, upper, first in ((middle, np.pi, up), (-np.pi, middle, down)):
        eom = _linkage(lower=lower, upper=upper)
        q = np.array([[a, 0.5 * (lower + upper)]])
        found = solutions(_conditions(eom, [0], [[a]], q), q[0], starts=12)
        assert found.q[0, 1] == pytest.approx(first, abs=1e-8)
        assert [_within_limits(eom, np.array([a, y])) for y in (up, down)] == [first == up, first == down]


def test_a_posture_that_is_out_of_reach() -> None:
    """The nearest crank angle at which the linkage closes is that at which coupler and rocker are in one line."""
    crank = 1.5
    limit = np.arccos((crank**2 + GROUND**2 - (COUPLER + ROCKER) ** 2) / (2.0 * crank * GROUND))
    eom = _linkage(crank)
    asked = limit + 0.3
    q = np.array([[asked, 0.2]])
    found = solutions(_conditions(eom, [0], [[asked]], q), q[0], starts=12)
    assert not len(found.q) and found.nearest is not None
    assert found.nearest[0] == pytest.approx(limit, abs=1e-3) and np.abs(eom.constraints(found.nearest)).max() < 1e-9


def test_given_values_are_led_to_their_targets() -> None:
    """The branch stays that of the nominal posture; a full turn more is none."""
    eom = _linkage()
    targets = np.array([0.4, -0.9, 2.5, 0.4 + 2.0 * np.pi])
    q = np.column_stack([targets, np.ones(4)])
    c = _conditions(eom, [0], targets[:, None], q)
    made = followed(c, q)
    assert made.solved.all()
    np.testing.assert_array_equal(made.q[:, 0], targets)
    start = settle(c.without().of([0]), np.array([[0.0, 1.0]]), by_mass=True).q[0, 1]
    branch = int(np.argmin([abs(y - start) for y in _closed(0.0)]))
    for a, b in made.q:
        exact = _closed(a)[branch]
        assert abs((b - exact + np.pi) % (2 * np.pi) - np.pi) < 1e-8


def _floating() -> da.EquationsOfMotion:
    machine = da.Machine(
        "hung",
        [da.box("m", 1.0, (0.4, 0.3, 0.2)), da.point_mass("s", 1.0)],
        [da.Joint("b", "free", "world", "m"), da.Joint("s", "prismatic", "world", "s", axis="x", origin=(0, 0, 3.0))],
        frames=[da.Frame("ear", "m", (0.1, 0.2, -0.1))],
        constraints=[da.DistanceConstraint("rod", "ear", "s", length=2.0),
                     da.WeldConstraint("held", "ear", "world", active=False, switchable=True)],
    )  # fmt: skip
    return da.equations(machine, backend="vm")


def test_quaternions_of_postures_are_rotations() -> None:
    """Their norms are told from one within a millionth, the worst of several states."""
    eom = _floating()
    q = np.tile(eom.machine.q_neutral, (3, 1))
    ((name, first),) = eom.layout.quaternions
    q[1, first : first + 4] *= 1.0 + 0.9e-6
    _check_quaternions(eom, q, "q0")
    q[2, first : first + 4] *= 1.1
    with pytest.raises(DalembertError, match=f"quaternion of joint '{name}' must have unit norm, got norm 1.1"):
        _check_quaternions(eom, q, "q0")


def test_errors_and_their_derivatives() -> None:
    """By displacements in their sizes, of given coordinates and of quaternions too; rows that do not act are zero."""
    eom = _floating()
    assert machine_size(eom.machine) == pytest.approx(3.0)  # the farthest joint
    rng = np.random.default_rng(1)
    q = np.array([eom.random_configuration(rng, 0.4) for _ in range(3)])
    given = [eom.q_names.index(n) for n in ("s", "b.y", "b.qx", "b.qz")]
    c = _conditions(eom, given, rng.normal(size=(3, 4)), q)
    rows = {name: k for k, name in enumerate(eom.constraint_system.row_names)}
    assert c.acting.sum(axis=1).tolist() == [1, 1, 1] and c.acting[:, rows["rod"]].all()
    straight = ("b.vx", "b.vy", "b.vz", "s_dot")
    assert c.sizes.v.tolist() == [3.0 if n in straight else 1.0 for n in eom.v_names]
    np.testing.assert_allclose(c.given_sizes, [3.0, 3.0, 1.0, 1.0])
    F, J, h = c.errors(q), c.rows(q), 1e-6
    np.testing.assert_allclose(F[:, -4:], (q[:, given] - c.values) / c.given_sizes)
    np.testing.assert_allclose(c.moved(q), np.abs(F[:, -4:]))
    for k in range(eom.nv):
        d = np.tile(np.eye(eom.nv)[k] * c.sizes.v[k], (3, 1))
        slope = (c.errors(eom.integrate(q, h * d)) - c.errors(eom.integrate(q, -h * d))) / (2.0 * h)
        np.testing.assert_allclose(J[..., k], slope, atol=1e-7)
    exact = c.exact(q)
    np.testing.assert_array_equal(exact[:, given], c.values)
    one = c.of([2])
    np.testing.assert_allclose(one.errors(q[2:]), F[2:])
    assert c.repeated(4).values.shape == (4, 4) and c.without().errors(q).shape[1] == F.shape[1] - 4
    begin = c.without()
    landed = _descended(begin, q)
    assert np.abs(begin.phi(landed)).max() < 1e-9 and np.abs(begin.phi(q)).max() > 1e-3


def test_displacements_between_postures() -> None:
    """In sizes, the shorter way round: of angles, and of attitudes of either sign."""
    eom = _linkage()
    c = _conditions(eom, [], np.zeros((1, 0)), [[0.0, 0.0]])
    there = _displacement(c, np.array([3.0, 0.1]), np.array([-3.0, 0.1 + 4.0 * np.pi]))
    np.testing.assert_allclose(there, [2.0 * np.pi - 6.0, 0.0], atol=1e-12)
    assert not _differs(c, np.array([1.0, 0.2]), np.array([1.0 + 2.0 * np.pi, 0.2 + 5e-5]))
    assert _differs(c, np.array([1.0, 0.2]), np.array([1.0, 0.2002]))
    free = _floating()
    q = free.random_configuration(np.random.default_rng(2), 0.3)
    other = q.copy()
    other[3:7] *= -1.0
    other[0] += 0.6
    c = _conditions(free, [], np.zeros((1, 0)), [q])
    k = free.q_names.index("b.x")
    assert np.linalg.norm(_displacement(c, q, other)) == pytest.approx(0.6 / 3.0) and k == 0


def test_what_welds_measure() -> None:
    """The pose of one frame in the other when it begins to act, as a position and a quaternion."""
    eom = _floating()
    table = eom.constraint_system.latch_table
    assert table.measuring == ("held",) and table.is_held("held") and not table.is_held("rod")
    q = eom.random_configuration(np.random.default_rng(3), 0.5)
    k, p = table.index("offset.held.x"), eom.parameter_values(None)
    made = table.measured(table.nominal, q, 0.0, p)
    frame, on = (eom.pose(n, q) for n in ("ear", "world"))
    inside = np.linalg.inv(on) @ frame
    np.testing.assert_allclose(made[k : k + 3], inside[:3, 3], atol=1e-12)
    R = Rotation.from_quat(np.roll(made[k + 3 : k + 7], -1)).as_matrix()
    np.testing.assert_allclose(R, inside[:3, :3], atol=1e-12)
    ((name, where, pose),) = table.measures
    s = eom.symbolic
    written = np.array(ca.Function("pose", [s.q, s.t, s.p], [pose])(q, 0.0, p)).ravel()
    assert name == "held" and where == slice(k, k + 7)
    np.testing.assert_allclose(written[:3], made[k : k + 3], atol=1e-12)
    np.testing.assert_allclose(
        written[3:] * np.sign(written[3:] @ made[k + 3 : k + 7]), made[k + 3 : k + 7], atol=1e-12
    )
    many = table.measured(np.tile(table.nominal, (2, 1)), np.stack([q, eom.q_neutral]), 0.0, np.tile(p, (2, 1)))
    np.testing.assert_allclose(many[0], made, atol=1e-13)
    np.testing.assert_array_equal(table.measured(table.nominal, q, 0.0, p, names={"rod"}), table.nominal)
    place = table.index("active.held")
    assert table.nominal[place] == 0.0 and table.vector({"held": True})[place] == 1.0
    assert table.vector()[place] == 0.0 and table.index("active.nobody") == -1
    for active in ({"rod": True}, {"held": 1}):
        with pytest.raises(DalembertError):
            table.vector(active)  # type: ignore[arg-type]


def test_cables_act_where_they_are_taut() -> None:
    """Slack ones let go, those that are too short hold; contacts, and welds that begin where they are, never count."""
    machine = da.Machine(
        "hung",
        [da.point_mass("m", 1.0)],
        [da.Joint("z", "prismatic", "world", "m", axis="-z")],
        cables=[da.Cable("short", "m", "world", length=0.5), da.Cable("long", "m", "world", length=2.0)],
        contacts=[da.Contact("floor", "m", da.Sphere(0.1))],
        constraints=[da.WeldConstraint("held", "m", "world", active=True, switchable=True)],
    )
    eom = da.equations(machine, backend="vm")
    names = list(eom.constraint_system.row_names)
    q = np.array([[1.0], [0.3], [2.5]])
    p, nominal = eom.parameter_values(None), np.tile(eom.constraint_system.latch_nominal, (3, 1))
    nominal[:, [eom.constraint_system.latch_index(f"active.{n}") for n in ("short", "long", "floor", "held")]] = 1.0
    c = conditions_of(eom, [], np.zeros((3, 0)), t=0.0, p=np.tile(p, (3, 1)), latches=nominal, q=q)
    acting = {name: c.acting[:, k].tolist() for k, name in enumerate(names) if name in ("short", "long", "floor")}
    assert acting == {"short": [True, False, True], "long": [False, False, True], "floor": [False] * 3}
    assert c.acting.sum() == 3 and (nominal == 1.0).any()
    places = [eom.constraint_system.latch_index(f"active.{n}") for n in ("short", "long")]
    assert c.latches[:, places].tolist() == [[1.0, 0.0], [0.0, 0.0], [1.0, 1.0]]
    farther = _tightened(c, nominal, np.array([[2.2], [0.4], [3.0]]))
    assert farther.acting[:, names.index("long")].tolist() == [True, False, True]
    assert farther.latches[:, places].tolist() == [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]
    nominal[:, places[1]] = 0.0  # switched off by its owner
    assert _tightened(c, nominal, np.array([[2.2], [0.4], [3.0]])).acting.sum() == 3


def test_members_are_assembled() -> None:
    """The given values stay, the others follow, from a start or on a branch; values that no posture has are moved."""
    eom = _linkage()
    p = eom.parameter_values(None)
    for a in (0.3, 1.2):
        for angle in _closed(a):
            q = np.array([[a, angle + 0.1]])
            made = assemble(eom, q, [0], p=np.tile(p, (1, 1)), branch=np.array([0.0, angle]))
            assert made.q[0, 0] == a and not made.moved.any()
            assert (made.q[0, 1] - angle + np.pi) % (2 * np.pi) - np.pi == pytest.approx(0.0, abs=1e-8)
    angle = _closed(0.3)[0]
    made = assemble(eom, np.array([[0.3, angle + 0.01]]), [0, 1], p=np.tile(p, (1, 1)))
    assert np.abs(eom.constraints(made.q[0])).max() < 1e-10 and 1e-3 < made.moved.max() < 0.02
    np.testing.assert_allclose(made.moved[0], np.abs(made.q[0] - [0.3, angle + 0.01]), atol=1e-14)
    with pytest.raises(DalembertError):
        assemble(eom, np.array([[0.3, angle + 0.8]]), [0, 1], p=np.tile(p, (1, 1)))


def test_given_angles_take_the_shorter_way() -> None:
    """A crank that cannot go all around is led to an angle that is written with full turns."""
    eom = _linkage(1.6)
    assert not _closed(np.pi, 1.6)
    start = np.array([[0.0, 1.0]])
    for target in (0.5, 0.5 + 2.0 * np.pi, 0.5 - 4.0 * np.pi, -0.5 - 2.0 * np.pi):
        made = followed(_conditions(eom, [0], [[target]], start), start)
        assert made.solved.all() and made.q[0, 0] == target
        assert min(abs((made.q[0, 1] - x + np.pi) % (2 * np.pi) - np.pi) for x in _closed(target, 1.6)) < 1e-8


def test_least_changes_are_those_of_the_mass_matrix() -> None:
    """A small error is taken away across all motions that keep the constraints, in the metric of the masses."""
    machine = da.Machine(
        "rail",
        [da.box("cart", 2.0, (0.3, 0.2, 0.1)), da.box("arm", 0.7, (3.0, 0.1, 0.2), com=(1.0, 0.2, 0.0)),
         da.box("hand", 0.4, (0.5, 0.1, 0.3), com=(0.3, -0.1, 0.1))],
        [da.Joint("x", "prismatic", "world", "cart", axis="x"),
         da.Joint("a", "revolute", "cart", "arm", (0, 0, 0.2), axis="z"),
         da.Joint("b", "revolute", "arm", "hand", (3.0, 0, 0), axis="z")],
        frames=[da.Frame("end", "hand", (0.9, 0.1, 0)), da.Frame("pivot", "world", (2.0, 2.5, 0.2))],
        constraints=[da.DistanceConstraint("rod", "end", "pivot", length=1.3)],
    )  # fmt: skip
    eom = da.equations(machine, backend="vm")
    free = _conditions(eom, [0], [[0.0]], np.zeros((1, 3))).without()
    q = settle(free, np.array([[0.3, 0.4, 0.6]])).q
    off = q + 1e-6 * np.random.default_rng(1).normal(size=(1, 3))
    J = eom.constraint_jacobian(q[0])
    still = np.linalg.svd(J)[2][1:].T
    v = free.sizes.v
    assert v.max() > 2.0 * v.min()
    for by_mass, metric in ((True, eom.mass_matrix(q[0])), (False, np.diag(1.0 / v**2))):
        landed = settle(free, off, by_mass=by_mass)
        change = (landed.q - off)[0]
        assert landed.solved.all() and np.linalg.norm(change) > 1e-8
        assert np.abs(still.T @ metric @ change).max() < 1e-4 * np.abs(metric @ change).max()
        assert landed.travel[0] == pytest.approx(np.abs(change / v).max(), rel=1e-3)
