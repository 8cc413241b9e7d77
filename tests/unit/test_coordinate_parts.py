"""Coordinates, latches, reductions, starts and forces of equations, one by one, against numpy and closed forms."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.formulations.constraints.elastic_ropes import _tension
from dalembert.formulations.constraints.latches import LatchTable, latches_before_routes
from dalembert.formulations.constraints.reduction import check_regular, locked_rows, motions_beside, reduce_motions
from dalembert.formulations.layout import Layout
from dalembert.formulations.named import derived_quantity
from dalembert.loop.start import Start, frozen_values, merged_values
from dalembert.systems.mechanisms import four_bars


def _machine(**more: Any) -> da.Machine:
    fields: dict[str, Any] = {
        "bodies": [
            da.box("a", 2.0, (0.5, 0.4, 0.3)),
            da.box("b", 1.5, (0.4, 0.3, 0.2)),
            da.box("c", 1.0, (0.2, 0.3, 0.4)),
        ],
        "joints": [
            da.Joint("p", "prismatic", "world", "a", axis=(0.6, 0.0, 0.8), limits=da.Limits(-0.4, 0.9)),
            da.Joint("s", "spherical", "a", "b", (0.4, 0.1, 0.2)),
            da.Joint("r", "revolute", "b", "c", (0.3, -0.2, 0.1), axis=(0.0, 0.6, 0.8), limits=da.Limits(0.1, 0.3)),
        ],
        "frames": [da.Frame("tool", "c", (0.2, 0.1, -0.3))],
        "motors": [da.Motor("m", "r", ratio=-4.0), da.Motor("n", "p", ratio=2.5)],
    }
    return da.Machine("arm", **(fields | more))


# -- layouts and states -----------------------------------------------------------------------------------------------


def test_blocks_of_coordinates_follow_each_other() -> None:
    layout = da.equations(_machine(), backend="vm").layout
    assert [(b.name, b.q, b.v) for b in layout.blocks] == [
        ("p", slice(0, 1), slice(0, 1)),
        ("s", slice(1, 5), slice(1, 4)),
        ("r", slice(5, 6), slice(4, 5)),
    ]
    assert (layout.nq, layout.nv, layout.quaternions) == (6, 5, (("s", 1),))
    both = layout + Layout.plain(["x", "y"]) + Layout.carried(["k", "l"]) + layout
    assert [(b.name, b.q.start, b.v.start, b.v.stop - b.v.start) for b in both.blocks][3:] == [
        ("x", 6, 5, 1), ("y", 7, 6, 1), ("k", 8, 7, 0), ("l", 9, 7, 0), ("p", 10, 7, 1), ("s", 11, 8, 3),
        ("r", 15, 11, 1),
    ]  # fmt: skip
    assert both.quaternions == (("s", 1), ("s", 11)) and len(both.moving) == 8
    assert both.v_names[5:7] == ("x_dot", "y_dot") and both.q_names[8:10] == ("k", "l")
    assert (both.nq, both.nv) == (16, 12)


def test_displacements_lead_from_one_configuration_to_another() -> None:
    """A step along a displacement is undone by its difference; small ones are rates."""
    eom = da.equations(_machine(), backend="vm")
    layout, rng = eom.layout, np.random.default_rng(1)
    q, d = eom.random_configuration(rng), 0.6 * rng.normal(size=5)
    x, y, h = ca.SX.sym("x", 6), ca.SX.sym("y", 5), 1e-6
    step = ca.Function("step", [x, y], [layout.integrate(x, y)])
    end = np.array(step(q, d)).ravel()
    gap = np.array(ca.DM(layout.difference(ca.DM(q), ca.DM(end)))).ravel()
    np.testing.assert_allclose(np.array(step(q, gap)).ravel(), end, atol=1e-12)
    rate = (np.array(step(q, h * d)).ravel() - np.array(step(q, -h * d)).ravel()) / (2 * h)
    np.testing.assert_allclose(np.array(ca.DM(layout.rates(ca.DM(q), ca.DM(d)))).ravel(), rate, atol=1e-8)


def test_random_configurations_are_within_limits() -> None:
    """Drawn numbers beyond a limit are reflected at it; in a range too narrow for that they are drawn anew."""
    eom, reflected, anew = da.equations(_machine(), backend="vm"), 0, 0
    for seed in range(40):
        raw = 0.7 * np.random.default_rng(seed).normal(size=6)
        q = eom.random_configuration(np.random.default_rng(seed), 0.7)
        assert np.linalg.norm(q[1:5]) == pytest.approx(1.0)
        for k, lower, upper in ((0, -0.4, 0.9), (5, 0.1, 0.3)):
            assert lower <= q[k] <= upper
            if lower <= raw[k] <= upper:
                assert q[k] == raw[k]
                continue
            mirrored = 2 * lower - raw[k] if raw[k] < lower else 2 * upper - raw[k]
            if lower <= mirrored <= upper:
                assert q[k] == mirrored
                reflected += 1
            else:
                anew += 1
    assert reflected > 10 and anew > 10
    beam = da.Beam("beam", 0.9, da.Section.tube(0.02), E=4e8, density=1500.0, modes={"y": 2})
    bent = da.equations(da.Machine("m", [beam], [da.Joint("w", "fixed", "world", "beam")]), backend="vm")
    raw = np.random.default_rng(3).normal(size=2)
    np.testing.assert_allclose(bent.random_configuration(np.random.default_rng(3)), raw * beam.amplitudes)


def test_quaternions_are_checked_to_a_millionth() -> None:
    eom = da.equations(_machine(), backend="vm")
    q = eom.q_neutral
    assert q.tolist() == [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    q[1:5] = np.array([0.5, -0.5, 0.7, 0.1])
    q[1:5] /= np.linalg.norm(q[1:5])
    for factor in (1.0, 1.0 + 0.4e-6, 1.0 - 0.4e-6, 1.0 + 0.9e-6, 1.0 - 0.9e-6):
        good = q.copy()
        good[1:5] *= factor
        eom.check_quaternions(good)
        eom.check_quaternions(np.stack([q, good]))
        eom.check_quaternions(good.tolist())
    for factor, said in ((1.2, "1.2"), (1.0 - 3e-6, "0.999997")):
        bad = q.copy()
        bad[1:5] *= factor
        for given in (bad, np.stack([q, bad, q]), bad.tolist()):
            with pytest.raises(InputError, match=f"of joint 's' in q must have unit norm, got norm {said}"):
                eom.check_quaternions(given)


def test_forces_of_inputs_and_by_name() -> None:
    """Efforts of motors through their gears, on top of given forces; by the order or the names of each."""
    eom = da.equations(_machine(), backend="vm")
    rng = np.random.default_rng(2)
    q, v, u = eom.random_configuration(rng), rng.normal(size=5), {"m": 0.7, "n": -0.3}
    none = eom.forward_dynamics(q, v, np.zeros(5))
    M = eom.mass_matrix(q)
    for arguments, force in (
        ({"u": u}, [-0.3 * 2.5, 0, 0, 0, 0.7 * -4.0]),
        ({"u": [u[name] for name in eom.u_names]}, [-0.75, 0, 0, 0, -2.8]),
        ({"tau": {"r_dot": 1.5}}, [0, 0, 0, 0, 1.5]),
        ({"tau": [1.0, 2.0, 3.0, 4.0, 5.0], "u": {"m": 1.0}}, [1.0, 2.0, 3.0, 4.0, 1.0]),
    ):
        change = eom.forward_dynamics(q, v, **cast(Any, arguments)) - none
        np.testing.assert_allclose(M @ change, force, atol=1e-11)
    for arguments, words in (({}, "needs forces 'tau'"), ({"tau": {"m": 1.0}}, "'m' is an input of machine 'arm'")):
        with pytest.raises(InputError, match=words):
            eom.forward_dynamics(q, v, **cast(Any, arguments))


def test_quantities_by_their_names() -> None:
    machine = _machine(gravity=(0.0, 0.0, -da.Parameter("g", 9.5)))
    eom = da.equations(machine, backend="vm")
    s, rng = eom.symbolic, np.random.default_rng(4)
    q, v = eom.random_configuration(rng), rng.normal(size=5)
    X, J = eom.pose("tool", q), eom.jacobian("tool", q, axes="world")
    for k, axis in enumerate("xyz"):
        for kind, expected in (("position", X[k, 3]), ("velocity", J[k] @ v)):
            made = derived_quantity(eom, f"{kind}.tool.{axis}")
            f = ca.Function("f", [s.t, s.q, s.v, s.p], [made])
            assert float(f(0.0, q, v, [9.5])) == pytest.approx(expected, abs=1e-12)
    g = derived_quantity(eom, "parameter.g")
    assert g is not None and ca.is_equal(g, s.p[0])
    for name in ("position.tool.w", "speed.tool.x", "position.nothing.x", "parameter.k", "tool", "position.tool"):
        assert derived_quantity(eom, name) is None


# -- reductions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_all_displacements_from_independent_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = 7, 3
    A, J = rng.normal(size=(n, n)), rng.normal(size=(m, n))
    J = np.vstack([J, 0.3 * J[0] - 2.0 * J[2]])  # a row that follows from others
    M, names = A @ A.T + np.eye(n), [f"x{k}" for k in range(n)]
    made = reduce_motions(M, J, names, "machine 'm'")
    assert len(made.independent) == n - m and sorted(made.independent) == list(made.independent)
    np.testing.assert_allclose(J @ made.S, 0.0, atol=1e-9)
    np.testing.assert_array_equal(made.selection @ made.S, np.eye(n - m))
    np.testing.assert_array_equal(made.selection, np.eye(n)[list(made.independent)])
    given = reduce_motions(M, J, names, "machine 'm'", ["x5", "x0", "x3", "x6"])
    N = null_space(J)
    np.testing.assert_allclose(given.S, N @ np.linalg.inv(N[[5, 0, 3, 6]]), atol=1e-8)
    with pytest.raises(InputError, match="has 4 degrees of freedom there, but 'independent' names 3"):
        reduce_motions(M, J, names, "machine 'm'", ["x5", "x0", "x3"])
    with pytest.raises(InputError, match="names 3"):
        reduce_motions(M, J, names, "machine 'm'", ["x5", "x0", "x3", "x0"])
    with pytest.raises(UnknownNameError):
        reduce_motions(M, J, names, "machine 'm'", ["x5", "x0", "x3", "y"])
    tied = np.zeros((1, n))
    tied[0, [1, 2]] = 1.0, -1.0
    with pytest.raises(InputError, match="x1, x2, x0, x3, x4, x5 of machine 'm' depend on each other"):
        reduce_motions(M, tied, names, "machine 'm'", ["x1", "x2", "x0", "x3", "x4", "x5"])
    with pytest.raises(InputError, match="leave no degree of freedom"):
        reduce_motions(M, np.eye(n), names, "machine 'm'")
    heavy = reduce_motions(np.diag([1.0, 1e6, 1.0, 1e4, 1.0, 1.0, 1.0]), rng.normal(size=(5, n)), names, "machine 'm'")
    assert heavy.independent == (1, 3)  # those that carry most of the inertia


def test_joints_that_are_locked() -> None:
    eom = da.equations(_machine(), backend="vm")
    np.testing.assert_array_equal(locked_rows(eom, ["r", "s"]), np.eye(5)[[4, 1, 2, 3]])
    assert locked_rows(eom, []).shape == (0, 5)
    with pytest.raises(InputError, match="write \\['r'\\]"):
        locked_rows(eom, "r")
    with pytest.raises(UnknownNameError):
        locked_rows(eom, ["t"])


def test_positions_in_which_constraints_lose_rank() -> None:
    """A parallelogram that lies in one line may leave it in two ways; elsewhere it has one motion."""
    eom = da.equations(four_bars(1), backend="vm")
    p, latches = eom.parameter_values(None), eom.constraint_system.latch_nominal
    none, names = np.zeros((0, eom.nv)), eom.q_names
    for turn, singular in ((-np.pi / 2.0, True), (-0.6, False)):
        q = np.zeros(eom.nq)
        q[[names.index(n) for n in ("crank0", "crank1", "coupler0")]] = turn, turn, -turn
        assert np.abs(eom.constraints(q)).max() < 1e-12
        J = eom.constraint_jacobian(q)
        N = reduce_motions(eom.mass_matrix(q), J, eom.v_names, "machine").S
        assert N.shape[1] == 1 + singular
        if singular:
            with pytest.raises(InputError, match="is in a singular position there"):
                check_regular(eom, q, J, latches, t=0.0, p=p, rows=none)
            continue
        check_regular(eom, q, J, latches, t=0.0, p=p, rows=none)
        assert motions_beside(eom, q, N, latches, t=0.0, p=p, rows=none) == 1
        assert motions_beside(eom, q, N, latches, t=0.0, p=p, rows=locked_rows(eom, ["crank0"])) == 0


# -- latches ----------------------------------------------------------------------------------------------------------


def test_latches_that_measure() -> None:
    """A length and a pose of named constraints, of one configuration or of many; those of the start apart."""
    q, t, p = ca.SX.sym("q", 3), ca.SX.sym("t"), ca.SX.sym("p", 1)
    variables: Any = SimpleNamespace(q=q, t=t, p=p)
    table = LatchTable(cast(Any, SimpleNamespace(name="m")), variables)
    table.add({"active.rod": 1.0, "length0.r": 5.0}, "first")
    table.add({f"offset.weld.{k}": float(n) for n, k in enumerate(("x", "y", "z", "qw", "qx", "qy", "qz"))}, "pose")
    table.add({"on.r.o": 0.0, "active.line": 0.0}, "last")
    assert len(table.names) == 11 and table.index("offset.weld.qw") == 5 and table.index("other") == -1
    assert table.nominal.tolist() == [1.0, 5.0, 0, 1, 2, 3, 4, 5, 6, 0.0, 0.0] and table.symbols.numel() == 11
    length = q[0] ** 2 + 2.0 * t + p[0]
    angle = q[1]
    R = ca.blockcat([[ca.cos(angle), -ca.sin(angle), 0], [ca.sin(angle), ca.cos(angle), 0], [0, 0, 1]])
    table.hold("r", "length0.r", length)
    table.hold("weld", "offset.weld.x", ca.vertcat(q, ca.vec(R)))
    table.hold("r.o", "on.r.o", q[2] > 0.0, once=True)
    assert table.measuring == ("r", "weld", "r.o") and table.is_held("r") and not table.is_held("r.o")
    assert [(name, where.start, where.stop, made.numel()) for name, where, made in table.measures] == [
        ("r", 1, 2, 1),
        ("weld", 2, 9, 7),
    ]
    Q = np.array([[0.3, 0.8, -0.2], [1.4, -2.9, 0.6]])
    latches = np.random.default_rng(5).normal(size=(2, 11))
    found = table.measured(latches, Q, 1.5, np.array([[0.1], [0.2]]))
    for k in range(2):
        expected = latches[k].copy()
        expected[1] = Q[k, 0] ** 2 + 3.0 + 0.1 * (k + 1)
        turn = Rotation.from_rotvec([0, 0, Q[k, 1]]).as_quat()[[3, 0, 1, 2]]
        expected[2:9], expected[9] = [*Q[k], *turn], float(Q[k, 2] > 0.0)
        sign = np.sign(found[k, 5] * expected[5])
        found[k, 5:9] *= sign
        np.testing.assert_allclose(found[k], expected, atol=1e-12)
    one = table.measured(latches[0], Q[0], 1.5, np.array([0.1]), names={"r"})
    np.testing.assert_allclose(one, [*latches[0, :1], 0.09 + 3.1, *latches[0, 2:]])
    assert ca.is_equal(ca.simplify(table.at_start(table.symbols[9])), ca.SX(q[2] > 0.0), 3)
    np.testing.assert_array_equal(table.vector({"line": True, "rod": False})[[0, 10]], [0.0, 1.0])
    with pytest.raises(UnknownNameError, match="named 'weld' in machine 'm'; known: line, rod"):
        table.vector({"weld": True})
    with pytest.raises(InputError, match="must be true or false, got 1"):
        table.vector(cast(Any, {"rod": 1}))
    with pytest.raises(InputError, match="'r' of machine 'm' has no length"):
        table.measured(latches[0], np.array([np.inf, 0.0, 0.0]), 0.0, np.array([0.0]))


def test_latches_of_contacts_and_joints() -> None:
    """One for each pair, seven more for one that rubs, four of each joint that sticks."""
    contacts: Any = SimpleNamespace(pairs=[SimpleNamespace(name="g"), SimpleNamespace(name="h")])
    machine = _machine(
        constraints=[da.DistanceConstraint("rod", "tool", "world", length=1.0, switchable=True, active=False)]
    )
    made = latches_before_routes(machine, contacts, ((4, 5), ()), ("r",))
    assert list(made) == [
        "active.rod", "active.g", "stick.g", "toward.g[0]", "toward.g[1]", "share.g[0]", "share.g[1]", "share.g[2]",
        "leeway.g", "active.h", "stick.r", "toward.r", "share.r", "leeway.r",
    ]  # fmt: skip
    assert set(made.values()) == {0.0}
    on = latches_before_routes(
        machine.with_(constraints=[da.DistanceConstraint("rod", "tool", "world", length=1.0, switchable=True)]),
        contacts,
        ((), ()),
        (),
    )
    assert on == {"active.rod": 1.0, "active.g": 0.0, "active.h": 0.0}


# -- ropes and starts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bilateral", [False, True])
def test_tension_of_an_elastic_rope(bilateral: bool) -> None:
    """``(EA e + d e') / l``; a rope does not push, neither by its strain nor by its damping."""
    rope: Any = SimpleNamespace(stiffness=700.0, damping=30.0, bilateral=bilateral)
    for stretch, rate in ((0.02, 0.3), (0.02, -0.3), (0.02, -0.7), (-0.01, 0.5), (-0.01, -0.5)):
        found = [float(x) for x in _tension(rope, ca.DM(stretch), ca.DM(1.6), ca.DM(rate), float)]
        elastic, total = 700.0 * stretch / 1.6, (700.0 * stretch + 30.0 * rate) / 1.6
        if not bilateral:
            elastic, total = max(elastic, 0.0), max(total, 0.0) if stretch > 0.0 else 0.0
        assert found == pytest.approx([elastic, total], abs=1e-12)


def test_values_of_a_start() -> None:
    names = ("a", "b", "c")
    assert merged_values([1.0, 2.0, 3.0], {"b": 5.0}, names) == {"a": 1.0, "b": 5.0, "c": 3.0}
    assert merged_values({"a": 1.0}, {"b": 5.0}, names) == {"a": 1.0, "b": 5.0}
    assert merged_values({"a": 1.0}, [4.0], names) == [4.0] and merged_values({"a": 1.0}, None, names) == {"a": 1.0}
    assert merged_values(None, {"b": 5.0}, names) == {"b": 5.0}
    assert frozen_values(np.array([1, 2]), "q0") == (1.0, 2.0) and frozen_values({}, "q0") is None
    assert frozen_values({"a": np.float32(0.5), "b": np.array(2)}, "q0") == {"a": 0.5, "b": 2.0}
    assert frozen_values([[1.0, 2.0]], "q0") == [[1.0, 2.0]] and frozen_values("x", "q0") == "x"
    assert Start(branch=0).branch == 0 and Start(branch={"a": 1.0}).branch == {"a": 1.0} and Start().t == 0.0
    for fields, words in (
        ({"branch": -1}, "branch must be a whole number >= 0"),
        ({"branch": True}, "branch must be a whole number >= 0"),
        ({"branch": [1.0]}, "branch must be a whole number >= 0"),
        ({"reach": 0.0}, "reach must be a finite number > 0"),
        ({"t": np.inf}, "t0 must be a finite number"),
    ):
        with pytest.raises(InputError, match=re.escape(words)):
            Start(**cast(Any, fields))
    assert Start(t=-3.0, reach=0.2).t == -3.0
