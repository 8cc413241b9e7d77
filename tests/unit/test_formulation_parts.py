"""Parts of equations at random states: rows of contacts, mapped coordinates, efforts, factors; and sampling grids."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation
from tests.support.flexible_machines import random_flexible_machine, random_flexible_state

import dalembert as da
from dalembert.core.parameter import nominal
from dalembert.engine.sampling import Sampler, Schedule, Update
from dalembert.formulations.actuation import actuator_efforts, gear_excess, gear_friction
from dalembert.formulations.constraints.system import _moving_tangents
from dalembert.formulations.contact.system import ContactSystem
from dalembert.formulations.factorization import half_solve, solve_spd, unit_factors
from dalembert.formulations.mapped import _same, tree_coordinates
from dalembert.model.parts import SPEED_RAMP


def _pair() -> da.Machine:
    """Two bodies that float, a slider with stops, and contacts of solids of one with the ground and with the other."""
    bodies = [da.box("a", 1.0, (0.4, 0.3, 0.2)), da.box("b", 2.0, (1.0, 0.8, 0.6)), da.point_mass("m", 1.0)]
    joints = [
        da.Joint("a", "free", "world", "a"),
        da.Joint("b", "free", "world", "b"),
        da.Joint("s", "prismatic", "b", "m", axis="x", limits=da.Limits(-0.2, 0.3, restitution=0.25)),
    ]
    frames = [da.Frame("ear", "a", (0.1, 0.2, -0.1)), da.Frame("top", "b", (0.1, 0.0, 0.3))]
    contacts = [
        da.Contact("ground", "ear", da.Sphere(0.1), (0.02, 0.0, 0.05), friction=0.3, restitution=0.5),
        da.Contact("moving", "ear", da.Sphere(0.1), (0.02, 0.0, 0.05), on="top", friction=0.2, law="poisson"),
        da.Contact("point", "a", None, (0.2, 0.1, 0.0)),
    ]
    return da.Machine("pair", bodies, joints, frames=frames, contacts=contacts)


@pytest.mark.parametrize("seed", range(3))
def test_rows_of_contacts(seed: int) -> None:
    """Gaps and their rates, velocities of the points of both bodies that face each other, and their rates."""
    eom = da.equations(_pair(), backend="vm")
    system = ContactSystem(eom.formulation, limits=True)
    assert system.names == ("ground", "moving", "point", "s.lower", "s.upper")
    assert system.rubs.tolist() == [True, True, False, False, False]
    assert system.poisson.tolist() == [False, True, False, False, False]
    rng, s = np.random.default_rng(seed), eom.symbolic
    q, v = eom.random_configuration(rng, 0.4), rng.normal(size=eom.nv)
    f = ca.Function("f", [s.q, s.v, s.p], [ca.densify(ca.SX(y)) for y in (
        system.gaps, system.jacobian, system.velocity, system.bias, system.points, system.axes, system.restitution,
        system.friction, system.parting)])  # fmt: skip
    p = eom.parameter_values(None)
    g, J, u, b, points, axes, e, mu, parting = (np.array(y) for y in f(q, v, p))
    np.testing.assert_allclose(u.ravel(), J @ v, atol=1e-12)
    assert e.ravel().tolist() == [0.5, 0.0, 0.0, 0.25, 0.25] and mu.ravel().tolist() == [0.3, 0.2, 0.0, 0.0, 0.0]
    h = 1e-6
    ahead, behind = (f(eom.integrate(q, sign * h * v), v, p) for sign in (1.0, -1.0))
    rates = (np.array(ahead[0]) - np.array(behind[0])).ravel() / (2.0 * h)
    np.testing.assert_allclose(rates, u[::3, 0], atol=1e-7)
    np.testing.assert_allclose(parting.ravel(), rates, atol=1e-7)
    bias = (np.array(ahead[2]) - np.array(behind[2])).ravel() / (2.0 * h)
    np.testing.assert_allclose(b.ravel(), bias, atol=1e-6)
    slide = q[eom.q_names.index("s")]
    assert axes.shape == (3, 15) and points.shape == (15, 1) and not axes[:, 9:].any() and not points[9:].any()
    assert g[3:, 0] == pytest.approx([slide + 0.2, 0.3 - slide])
    for k, (frame, on) in enumerate((("ear", None), ("ear", "top"), ("a", None))):
        R, place = axes[:, 3 * k : 3 * k + 3], points[3 * k : 3 * k + 3, 0]
        np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-12)
        X = eom.pose(frame, q)
        centre = X[:3, :3] @ [0.02, 0.0, 0.05] + X[:3, 3] if frame == "ear" else X[:3, :3] @ [0.2, 0.1, 0.0] + X[:3, 3]
        radius = 0.1 if frame == "ear" else 0.0
        plane = np.eye(4) if on is None else eom.pose(on, q)
        normal = plane[:3, 2]
        np.testing.assert_allclose(R[:, 0], normal, atol=1e-12)
        np.testing.assert_allclose(place, centre - radius * normal, atol=1e-12)
        assert g[k, 0] == pytest.approx(normal @ (centre - plane[:3, 3]) - radius)

        def moving(name: str | None, at: Any) -> Any:
            if name is None:
                return np.zeros(3)
            twist = eom.jacobian(name, q, axes="world") @ v
            return twist[:3] + np.cross(twist[3:], at - eom.pose(name, q)[:3, 3])

        faces = place - g[k, 0] * normal  # the point of the surface
        expected = R.T @ (moving(frame, place) - moving(on, faces))
        np.testing.assert_allclose(u[3 * k : 3 * k + 3, 0], expected, atol=1e-12)
    expected = np.array([v[eom.v_names.index("s_dot")], 0.0, 0.0])
    np.testing.assert_allclose(u[9:, 0], [*expected, *-expected], atol=1e-12)


def _arm() -> da.Machine:
    tip = da.point_mass("two", da.Parameter("m", 1.3), com=(0, 0, -0.6))
    return da.Machine(
        "arm",
        [da.box("one", 2.0, (0.1, 0.1, 0.8), com=(0, 0, -0.4)), tip],
        [da.Joint("a", "revolute", "world", "one", axis="y", damping=0.3, stiffness=2.0),
         da.Joint("b", "revolute", "one", "two", (0, 0, -0.8), axis="y")],
        motors=[da.Motor("u", "b", 5.0)],
    )  # fmt: skip


@pytest.mark.parametrize("by", ["newton-euler", "lagrange"])
def test_equations_in_other_coordinates(by: str) -> None:
    """``q = f(y)``, ``v = E w``: all terms are those of the machine, seen through E and its rate."""
    maps = da.CoordinateMap(
        ["sum", "bent"],
        lambda y, p: [y[0] - ca.sin(y[1]), y[1] + 0.2 * y[1] ** 3 + 0.1 * p["m"]],
        lambda q, p: _inverted(q, float(p["m"])),
    )
    plain, other = (da.equations(_arm(), by=by, coordinates=c, backend="vm") for c in (None, maps))
    rng = np.random.default_rng(4)
    y, w, a, u = 0.5 * rng.normal(size=2), rng.normal(size=2), rng.normal(size=2), rng.normal(size=1)
    p = {"m": 1.7}

    def point(y: Any) -> Any:
        return np.array([y[0] - np.sin(y[1]), y[1] + 0.2 * y[1] ** 3 + 0.17])

    E = np.array([[1.0, -np.cos(y[1])], [0.0, 1.0 + 0.6 * y[1] ** 2]])
    rate = w[1] * np.array([[0.0, np.sin(y[1])], [0.0, 1.2 * y[1]]])
    q, v, turned = point(y), E @ w, E @ a + rate @ w
    assert other.q_names == ("sum", "bent")
    q_machine, v_machine = other.to_machine(y, w, p=p)
    np.testing.assert_allclose(q_machine, q, atol=1e-13)
    np.testing.assert_allclose(v_machine, v, atol=1e-13)
    back, rates = other.from_machine(q, v, p=p)
    np.testing.assert_allclose(back, y, atol=1e-9)
    np.testing.assert_allclose(rates, w, atol=1e-8)
    M = plain.mass_matrix(q, p=p)
    np.testing.assert_allclose(other.mass_matrix(y, p=p), E.T @ M @ E, atol=1e-12)
    np.testing.assert_allclose(
        other.inverse_dynamics(y, w, a, p=p), E.T @ plain.inverse_dynamics(q, v, turned, p=p), atol=1e-12
    )
    bias = E.T @ plain.inverse_dynamics(q, v, rate @ w, p=p)
    np.testing.assert_allclose(other.bias(y, w, p=p), bias, atol=1e-12)
    C = other.coriolis_matrix(y, w, p=p)
    still = E.T @ plain.inverse_dynamics(q, np.zeros(2), np.zeros(2), p=p)
    np.testing.assert_allclose(C @ w, bias - still, atol=1e-12)
    tau = rng.normal(size=2)
    np.testing.assert_allclose(
        other.forward_dynamics(y, w, tau, p=p), np.linalg.solve(E.T @ M @ E, tau - bias), atol=1e-11
    )
    np.testing.assert_allclose(other.applied(y, w, u, p=p), E.T @ plain.applied(q, v, u, p=p), atol=1e-12)
    np.testing.assert_allclose(other.pose("two", y, p=p), plain.pose("two", q, p=p), atol=1e-13)
    np.testing.assert_allclose(other.jacobian("two", y, p=p), plain.jacobian("two", q, p=p) @ E, atol=1e-13)
    one, two = other.energy(y, w, p=p), plain.energy(q, v, p=p)
    np.testing.assert_allclose(np.array(one, dtype=float), np.array(two, dtype=float), rtol=1e-12)


def _inverted(q: Any, m: float) -> Any:
    """The inverse of the map of the test, by Newton's method."""
    bent = 0.0
    for _ in range(50):
        bent -= (bent + 0.2 * bent**3 + 0.1 * m - float(q[1])) / (1.0 + 0.6 * bent**2)
    return [float(q[0]) + np.sin(bent), bent]


def test_joints_that_follow_others_are_filled_in() -> None:
    """``q = ratio q_leader + offset``, in the order of the tree, with the rates of the leader."""
    machine = _arm().with_(couplings=[da.Coupling("b", "a", ratio=-2.0, offset=0.3)], motors=[])
    np.testing.assert_allclose(np.array(tree_coordinates(machine, np.array([0.4]))).ravel(), [0.4, -0.5])
    plain = da.equations(_arm().with_(motors=[]), backend="vm")
    made = da.equations(machine, backend="vm")
    E = np.array([[1.0], [-2.0]])
    M = plain.mass_matrix([0.4, -0.5])
    np.testing.assert_allclose(made.mass_matrix([0.4]), E.T @ M @ E, rtol=1e-13)
    np.testing.assert_allclose(made.bias([0.4], [0.7]), E.T @ plain.bias([0.4, -0.5], [0.7, -1.4]), rtol=1e-12)


def test_efforts_of_motors() -> None:
    """Cut at their limits, lowered near the largest speed, and shared where a joint takes less than its motors give."""
    joint = da.Joint("a", "revolute", "world", "m", axis="y", limits=da.Limits(effort=10.0))
    motors = [
        da.Motor("u", "a", 2.0, effort=4.0),
        da.Motor("w", "a", -3.0, effort=3.0, speed=6.0),
    ]
    machine = da.Machine("driven", [da.box("m", 1.0, (1, 1, 1))], [joint], motors=motors)
    u, rate = ca.SX.sym("u", 2), ca.SX.sym("rate")
    efforts = actuator_efforts(machine, u, nominal, lambda name: rate)
    f = ca.Function("efforts", [u, rate], [ca.vertcat(*efforts)])
    cases = [
        (1.0, 2.0, 0.0),
        (9.0, -9.0, 0.5),
        (-9.0, 2.0, -1.0),
        (3.0, -4.0, 1.99),
        (3.0, 4.0, 1.99),
        (0.5, -5.0, 2.5),
    ]
    for *commands, speed in cases:
        one, two = np.clip(commands[0], -4.0, 4.0), np.clip(commands[1], -3.0, 3.0)
        turns = -3.0 * speed
        if two * turns > 0.0:  # it drives
            two *= min(1.0, max(0.0, (1.0 - abs(turns) / 6.0) / SPEED_RAMP))
        total = 2.0 * one - 3.0 * two
        factor = min(1.0, 10.0 / abs(total)) if total else 1.0
        np.testing.assert_allclose(np.array(f(commands, speed)).ravel(), [factor * one, factor * two], atol=1e-12)
    assert not np.isfinite(np.array(f([np.nan, 1.0], 0.0))[0, 0])  # not a number is not full effort


def test_gears_that_lose_effort() -> None:
    """The middle and half the width of the band between driving and being driven."""
    lossy = da.Motor("u", "a", 3.0, efficiency=0.8)
    machine = da.Machine(
        "geared", [da.box("m", 1.0, (1, 1, 1))], [da.Joint("a", "revolute", "world", "m", axis="y")], motors=[lossy]
    )
    effort = ca.SX(2.0)
    middle, width = (float(nominal(x)) for x in lossy.gear)
    assert float(gear_excess(lossy, effort, nominal)) == pytest.approx((middle - 1.0) * 6.0)
    assert float(gear_friction(machine, "a", [effort], nominal)) == pytest.approx(width * 6.0)
    assert float(gear_friction(machine, "a", [-effort], nominal)) == pytest.approx(width * 6.0)
    assert (middle - width) == pytest.approx(0.8)  # it drives with what the gear leaves


@pytest.mark.parametrize("n", [0, 1, 5, 9])
def test_sparse_systems_that_are_positive_definite(n: int) -> None:
    """``A = L^T D L``, solved for full and sparse right sides."""
    rng = np.random.default_rng(n)
    B = rng.normal(size=(n, n)) * (rng.uniform(size=(n, n)) < 0.4)
    A = B @ B.T + 2.0 * np.eye(n)
    b = rng.normal(size=(n, 2)) * (rng.uniform(size=(n, 2)) < 0.7)
    found = np.array(ca.DM(ca.evalf(solve_spd(ca.SX(ca.sparsify(ca.DM(A))), ca.SX(ca.sparsify(ca.DM(b)))))).full())
    np.testing.assert_allclose(found.reshape(n, 2), np.linalg.solve(A, b) if n else b, atol=1e-12)
    factors = unit_factors(ca.SX(ca.DM(A)))
    L = np.eye(n)
    for i, row in enumerate(factors.rows):
        for j, x in row.items():
            L[i, j] = float(x)
    D = 1.0 / np.array([float(x) for x in factors.inverse])
    np.testing.assert_allclose(L.T @ np.diag(D) @ L, A, atol=1e-12)
    if n == 5:
        one = half_solve(factors, [None, None, ca.SX(1.0), None, None])
        exact = np.linalg.solve(L.T, np.eye(5)[2])
        np.testing.assert_allclose([0.0 if x is None else float(x) for x in one], exact, atol=1e-12)
        assert one[3] is None and one[4] is None  # what is beyond stays zero


def test_values_are_set_at_the_instants_of_their_grids() -> None:
    """Each ``origin + offset + k period``, in order; a run that continues begins at the next ones."""
    calls: list[tuple[str, float]] = []

    def update(name: str, period: float, rows: tuple[int, ...], offset: float = 0.0) -> Update:
        def function(t: float, x: Any, c: Any, p: Any) -> Any:
            calls.append((name, t))
            return [10.0 * t + len(rows)] * len(rows)

        return Update(name, period, rows, function, offset=offset)

    schedule = Schedule((update("a", 0.2, (0, 2)), update("b", 0.3, (1,), 0.1)), np.array([1.0, 2.0, 3.0]))
    names = ("u", "v", "w")
    sampler = Sampler(schedule, names, 0.5, np.zeros(0))
    assert sampler.held.tolist() == [1.0, 2.0, 3.0] and sampler.period == 0.2 and sampler.label == "b"
    t, stops = 0.5, []
    while t < 1.5:
        sampler.sample(t, np.zeros(1))
        t = sampler.next_stop(1.5)
        stops.append(t)
    expected = sorted({round(0.5 + 0.2 * k, 9) for k in range(1, 5)} | {round(0.6 + 0.3 * k, 9) for k in range(3)})
    assert stops == pytest.approx([*expected, 1.5])
    assert [t for name, t in calls if name == "a"] == pytest.approx([0.5, 0.7, 0.9, 1.1, 1.3])
    assert [t for name, t in calls if name == "b"] == pytest.approx([0.6, 0.9, 1.2])
    assert sampler.held == pytest.approx([15.0, 13.0, 15.0]) and sampler.counts.tolist() == [5, 3]
    later = Sampler(schedule, names, 0.5, np.zeros(0), start=0.95, held=np.array([7.0, 8.0, 9.0]))
    assert later.counts.tolist() == [3, 2] and later.held.tolist() == [7.0, 8.0, 9.0]
    assert later.next_stop(5.0) == pytest.approx(1.1) and later.next_stop(1.0) == 1.0
    exact = Sampler(schedule, names, 0.5, np.zeros(0), start=0.9)
    assert exact.counts.tolist() == [2, 1]
    assert Sampler(Schedule((), np.zeros(0)), (), 0.0, np.zeros(0)).next_stop(2.0) == 2.0


def test_answers_of_controllers() -> None:
    """Numbers in order or by name, finite, and as many as are asked for."""
    one = Update("law", 0.1, (1, 0), lambda t, x, c, p: None)
    sampler = Sampler(Schedule((one,), np.zeros(2)), ("u.left", "u.right"), 0.0, np.zeros(0))
    checked = sampler._checked
    assert checked(0.0, one, [1.0, 2.0]).tolist() == [1.0, 2.0]
    assert checked(0.0, one, {"left": 3.0, "right": 4.0}).tolist() == [4.0, 3.0]
    assert checked(0.0, one, {"u.right": 5.0, "u.left": 6.0}).tolist() == [5.0, 6.0]
    wrong = [(None, "2 numbers"), ([1.0], "got shape"), ([1.0, np.nan], "'u.left'"), ({"left": 1.0}, "expected")]
    for bad, text in wrong:
        with pytest.raises(da.SimulationError, match=text):
            checked(0.0, one, cast(Any, bad))


def test_displacements_of_all_kinds_of_joints() -> None:
    """To a configuration and back, and along a velocity; a body that coasts keeps its velocity in the world."""
    kinds: dict[str, dict[str, Any]] = {
        "free": {}, "spherical": {}, "planar": {"axis": "z"}, "cylindrical": {"axis": "x"},
        "universal": {"axis": "x", "second_axis": "y"}, "screw": {"axis": "z", "pitch": 0.2}, "revolute": {"axis": "y"},
    }  # fmt: skip
    bodies = [da.box(kind, 1.0, (0.3, 0.2, 0.1)) for kind in kinds]
    joints = [da.Joint(f"j{kind}", kind, "world", kind, **more) for kind, more in kinds.items()]
    eom = da.equations(da.Machine("kinds", bodies, joints), backend="vm")
    rng = np.random.default_rng(3)
    for _ in range(5):
        q, d, v = eom.random_configuration(rng, 0.5), 0.8 * rng.normal(size=eom.nv), rng.normal(size=eom.nv)
        there = eom.integrate(q, d)
        np.testing.assert_allclose(eom.difference(q, there), d, atol=1e-12)
        for _, start in eom.layout.quaternions:
            assert np.linalg.norm(there[start : start + 4]) == pytest.approx(1.0)
        symbols = [ca.SX.sym("v", eom.nv), ca.SX.sym("d", eom.nv)]
        outputs = [eom.layout.transported(*symbols), eom.layout.coasting(symbols[0]), eom.layout.flow(symbols[1])]
        f = ca.Function("f", symbols, [ca.densify(y) for y in outputs])
        turned, coasts, flows = (np.array(y).ravel() for y in f(v, d))
        for body in ("free", "planar"):
            ends = [eom.jacobian(body, at, axes="world")[:3] @ speed for at, speed in ((q, v), (there, turned))]
            np.testing.assert_allclose(ends[1], ends[0], atol=1e-12)
        h = 1e-6
        steps = [np.array(f(v, sign * h * v)[0]).ravel() for sign in (1.0, -1.0)]
        np.testing.assert_allclose(coasts, (steps[0] - steps[1]) / (2.0 * h), atol=1e-8)
        start = eom.v_names.index("jfree.vx")
        linear, turn = d[start : start + 3], d[start + 3 : start + 6]
        twist = np.zeros((4, 4))
        twist[:3, :3], twist[:3, 3] = np.cross(np.eye(3), turn), linear
        exact = d.copy()
        exact[start : start + 3] = expm(twist)[:3, 3]  # the series on SE(3), of which three terms are kept
        left = np.linalg.norm(turn) ** 3 * np.linalg.norm(linear) / 24.0
        assert np.abs(flows - exact).max() <= left


@pytest.mark.parametrize("seed", [0, 2])
def test_jacobians_of_flexible_machines(seed: int) -> None:
    """Of all bodies and frames, by the velocities of their poses, in formulations that derive them apart."""
    turned = da.Transform((0.05, -0.1, 0.2), Rotation.from_rotvec([0.3, -0.6, 0.4]).as_matrix())
    machine = random_flexible_machine(seed, 3)
    machine = machine.with_(frames=[*machine.frames, da.Frame("camera", "beam1.middle", turned)])
    for by in ("newton-euler", "gibbs-appell"):
        eom = da.equations(machine, by=by, backend="vm")
        q, v = random_flexible_state(eom, seed)[:2]
        for name in sorted(machine.tree.frames.keys() - {"world"}):
            J, X, h = eom.jacobian(name, q), eom.pose(name, q), 1e-6
            ahead, behind = (eom.pose(name, eom.integrate(q, sign * h * v)) for sign in (1.0, -1.0))
            change = np.linalg.inv(X) @ (ahead - behind) / (2.0 * h)
            turn = [change[2, 1] - change[1, 2], change[0, 2] - change[2, 0], change[1, 0] - change[0, 1]]
            twist = [*change[:3, 3], *(0.5 * np.array(turn))]
            np.testing.assert_allclose(J @ v, twist, atol=1e-6 * (1.0 + np.abs(twist).max()))


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 0, -1), (0.6, 0, 0.8), (0.48, 0.64, -0.6), (0, 1, 0), (1, 0, 0)])
@pytest.mark.parametrize("turned", [False, True])
def test_joints_on_beams_that_bend_in_a_plane(axis: tuple[float, ...], turned: bool) -> None:
    """Rotations of section and joint are added up only about one axis; the mass matrix is that of Newton and Euler."""
    place = da.Transform((0.02, 0.01, 0.0), Rotation.from_rotvec([0.3, -0.2, 0.5]).as_matrix()) if turned else (0, 0, 0)
    beam = da.Beam("beam", 0.9, da.Section.tube(0.02), E=4e8, density=1500.0, modes={"y": 2}, offset=(0.1, 0.0, 0.0))
    machine = da.Machine(
        "planar",
        [beam, da.Body("load", 1.3, com=(0.2, -0.1, 0.3), inertia=(0.2, 0.3, 0.25))],
        [da.Joint("a", "revolute", "world", "beam", axis="z"),
         da.Joint("b", "revolute", "beam.tip", "load", place, axis=axis)],
    )  # fmt: skip
    one, other = (da.equations(machine, by=by, backend="vm") for by in ("gibbs-appell", "newton-euler"))
    rng = np.random.default_rng(4)
    q, v = one.random_configuration(rng, 0.5), rng.normal(size=one.nv)
    np.testing.assert_allclose(one.mass_matrix(q), other.mass_matrix(q), rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(one.bias(q, v), other.bias(q, v), rtol=1e-9, atol=1e-9)


def test_configurations_that_are_the_same() -> None:
    """Angles of revolute joints up to whole turns, other coordinates as they are; to eight digits."""
    joints = [("revolute", ("a",)), ("prismatic", ("x",)), ("universal", ("b", "c"))]
    nodes = [SimpleNamespace(joint=SimpleNamespace(kind=kind), q_names=names) for kind, names in joints]
    machine: Any = SimpleNamespace(coordinate_nodes=nodes)
    one = np.array([0.4, 3.0, -0.7, 2.1])
    turn = 2.0 * np.pi
    for change, same in (
        ([0, 0, 0, 0], True),
        ([turn, 0, 0, 0], True),
        ([-3 * turn, 0, 0, 0], True),
        ([turn / 2, 0, 0, 0], False),
        ([0, turn, 0, 0], False),
        ([0, 0, turn, 0], False),
        ([turn + 1e-8, 3e-8, 1e-8, 2e-8], True),
        ([turn + 5e-6, 0, 0, 0], False),
        ([0, 5e-8, 0, 0], False),
    ):
        assert _same(machine, one + change, one) == same, change


@pytest.mark.parametrize("planar", [False, True])
def test_tangents_along_which_something_moves(planar: bool) -> None:
    """In a plane across its axis nothing moves; pairs without friction have no tangents."""
    kind = da.Joint("b", "planar", "world", "b", axis="y") if planar else da.Joint("b", "free", "world", "b")
    contacts = [
        da.Contact("rough", "b", da.Sphere(0.1), (0.1, 0.02, -0.2), friction=0.3),
        da.Contact("smooth", "b", da.Sphere(0.1), (-0.1, 0.02, -0.2)),
    ]
    eom = da.equations(da.Machine("m", [da.box("b", 1.0, (0.4, 0.3, 0.2))], [kind], contacts=contacts), backend="vm")
    system = ContactSystem(eom.formulation)
    rough, smooth = _moving_tangents(system)
    assert smooth == () and len(rough) == (1 if planar else 2) and set(rough) <= {1, 2}
    if planar:
        s = eom.symbolic
        axes = np.array(ca.Function("f", [s.q, s.v, s.p], [ca.densify(system.axes)])(eom.q_neutral, np.zeros(3), []))
        assert abs(axes[1, rough[0]]) < 1e-12 and abs(axes[1, 3 - rough[0]]) == pytest.approx(1.0)
