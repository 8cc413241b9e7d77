"""Terms of time-stepping and of implicit steps at random states, against those of the equations of motion."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import Any

import casadi as ca
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.support.all_rows import LIMIT, MU, SLIDING, machine_of_all_rows

import dalembert as da
from dalembert.engine.methods.contacts import TimeStepping
from dalembert.engine.problem.problem import Problem
from dalembert.engine.problem.stepping import BlockLaw, SteppingSystem
from dalembert.loop.closed_loop import close_loop
from dalembert.loop.implicit import middle_tape, midpoint_tape
from dalembert.loop.stepping.tapes import stiffness_matrix
from dalembert.simulation.rollout.contacts import stepping_macros
from dalembert.simulation.stepped_tape import step_tape
from dalembert.systems.flexible_arms import planar_arm

H, THETA = 0.02, 0.7
DAMPING, STIFFNESS = 0.4, 4.0  # of the joints x and s


@cache
def _problems() -> tuple[da.EquationsOfMotion, Problem, Problem]:
    eom = da.equations(machine_of_all_rows(), backend="vm")
    return eom, close_loop(eom, None).problem, close_loop(eom, None, contact=TimeStepping(theta=THETA)).problem


class _At:
    """A random state, for both ways of integration."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.eom, events, stepped = _problems()
        assert events.constrained is not None and stepped.stepping is not None
        self.system: SteppingSystem = stepped.stepping
        self.rows, nq, nv = events.constrained, self.eom.nq, self.eom.nv
        q = self.eom.random_configuration(rng, 0.3)
        q[[self.eom.q_names.index(n) for n in ("x1", "x2", "b.z")]] += 1.0
        self.q, self.v, self.t = q, 0.5 * rng.normal(size=nv), 0.7
        latches = dict(
            zip(self.eom.constraint_system.latch_names, self.eom.constraint_system.latch_nominal, strict=True)
        )
        self.x, self.event_x = (np.zeros(problem.n_states) for problem in (stepped, events))
        for x, problem in ((self.x, stepped), (self.event_x, events)):
            x[:nq], x[nq : nq + nv] = self.q, self.v
            for k, name in enumerate(problem.state_names):
                x[k] = latches.get(name, x[k])
        self.p = np.array(self.eom.machine.p_nominal)
        self.row = {name: k for k, name in enumerate(self.rows.row_names)}

    def of(self, function: ca.Function, *more: Any, x: Any = None) -> dict[str, NDArray[Any]]:
        values = function(self.t, self.x if x is None else x, np.zeros(0), self.p, *more)
        arrays = [np.array(y) for y in (values if isinstance(values, tuple) else (values,))]
        columns = [y[:, 0] if y.shape[1] == 1 else y for y in arrays]
        return dict(zip(function.name_out(), columns, strict=True))

    @property
    def exact(self) -> dict[str, NDArray[Any]]:
        """Terms of the constrained equations."""
        return self.of(self.rows.tape, x=self.event_x)

    def half(self, terms: dict[str, NDArray[Any]]) -> NDArray[Any]:
        """``D^1/2 L`` of the implicit mass matrix."""
        L, entries = np.eye(self.eom.nv), iter(terms["L"])
        for i, columns in enumerate(self.system.factor):
            for j in columns:
                L[i, j] = next(entries)
        return np.asarray(L / terms["d"][:, None])

    @property
    def coasting(self) -> NDArray[Any]:
        """Accelerations of a body that keeps its velocity in the world: its own axes turn."""
        a, k = np.zeros(self.eom.nv), self.eom.v_names.index("b.vx")
        a[k : k + 3] = -np.cross(self.v[k + 3 : k + 6], self.v[k : k + 3])
        return a


@pytest.mark.parametrize("seed", range(2))
def test_the_mass_matrix_and_forces_of_a_step(seed: int) -> None:
    """``M + h theta D + (h theta)^2 K``; forces less what keeps the velocities of bodies that turn."""
    at = _At(seed)
    terms = at.of(at.system.terms, H)
    half = at.half(terms)
    x, s = at.eom.v_names.index("x_dot"), at.eom.v_names.index("s_dot")
    expected = at.eom.mass_matrix(at.q).copy()
    expected[x, x] += H * THETA * DAMPING
    expected[s, s] += (H * THETA) ** 2 * STIFFNESS
    np.testing.assert_allclose(half.T @ half, expected, atol=1e-12)
    bias = at.eom.inverse_dynamics(at.q, at.v, at.coasting)
    np.testing.assert_allclose(terms["b"], bias, atol=1e-12)
    np.testing.assert_allclose(at.of(at.system.bias)["b"], bias, atol=1e-12)
    force = -bias
    force[x] -= DAMPING * at.v[x]
    force[s] -= (2.0 * THETA - 1.0) * H * STIFFNESS * at.v[s]
    np.testing.assert_allclose(half.T @ terms["s0"], H * force, atol=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_rows_of_blocks(seed: int) -> None:
    """Rows, velocities and gaps are those of the constrained equations, with the opposite sign."""
    at = _At(seed)
    terms, exact, s = at.of(at.system.terms, H), at.exact, at.system
    half, row = at.half(terms), at.row
    assert s.names == ("floor", "smooth", "c", "r", "x") and s.sizes.tolist() == [3, 1, 1, 2, 1]
    assert s.laws == (BlockLaw.COULOMB, BlockLaw.UNILATERAL, BlockLaw.UNILATERAL, BlockLaw.ROPE, BlockLaw.STICTION)
    J, u = -exact["Jt"].T, -exact["phidot"]
    sheave, rope = row["r.G.friction"], row["r"]
    chosen = [row["floor"], row["floor.friction[0]"], row["floor.friction[1]"], row["smooth"], row["c"]]
    rows = np.vstack([J[chosen], J[sheave], J[rope] - J[sheave], J[row["x.friction"]]])
    rates = np.concatenate([u[chosen], [u[sheave], u[rope] - u[sheave], u[row["x.friction"]]]])
    found = np.zeros((8, at.eom.nv))
    values = iter(terms["Y"])
    for a, support in enumerate(s.supports):
        for j in range(s.sizes[a]):
            for k in support:
                found[s.tables["row_start"][a] + j, k] = next(values)
    np.testing.assert_allclose(found @ half, rows, atol=1e-12)
    np.testing.assert_allclose(terms["u0"], rates, atol=1e-12)
    gaps = np.append(-exact["phi"][[row["floor"], row["smooth"], row["c"], rope]], 0.0)
    np.testing.assert_allclose(terms["g"], gaps, atol=1e-12)
    np.testing.assert_allclose(at.of(s.gaps)["g"], gaps, atol=1e-12)
    assert terms["e"].tolist() == [0.4, 0.0, 0.0, 0.0, 0.0]
    np.testing.assert_allclose(terms["mu"], [MU, 0.0, 0.0, np.exp(0.2 * np.pi), SLIDING, SLIDING])
    at.x[at.eom.nq + at.eom.v_names.index("x_dot")] = 5e-7  # at rest: it has to be broken away
    assert at.of(s.terms, H)["mu"][-2:].tolist() == [LIMIT, SLIDING]
    names = _problems()[2].state_names
    assert [names[k] for k in s.forces] == [
        "force.floor.normal", "force.smooth.normal", names[s.forces[2]], names[s.forces[3]], names[s.forces[4]],
    ]  # fmt: skip
    assert np.diff(s.forces).tolist() == [3, 3, 1, 2] and s.n_forces == 10 and s.first_force == s.forces[0]
    losses = [names[k] if k >= 0 else "" for k in s.losses]
    assert losses == ["loss.floor", "loss.smooth", "", "loss.r.G", "loss.x"]
    assert s.loads == ((-1, 0),) * 5 and s.tugs == ((),) * 5 and (s.first_bent, s.n_bent) == (4, 7)


def test_rows_that_always_hold() -> None:
    at = _At(3)
    terms, exact, s = at.of(at.system.terms, H), at.exact, at.system
    held = [at.row["rod"], at.row["drive"]]
    Q = terms["Q"].reshape(2, at.eom.nv)
    np.testing.assert_allclose(Q @ at.half(terms), exact["Jt"].T[held], atol=1e-12)
    np.testing.assert_allclose(terms["held_u0"], exact["phidot"][held], atol=1e-12)
    np.testing.assert_allclose(terms["held_t"], exact["phi_t"][held], atol=1e-12)
    found = at.of(s.held)
    np.testing.assert_allclose(found["phi"], exact["phi"][held], atol=1e-12)
    np.testing.assert_allclose(found["rate"], exact["phidot"][held], atol=1e-12)
    assert s.n_held == 2 and np.abs(terms["held_t"]).max() > 0.1
    coupled = {at.eom.v_names.index("x_dot"), at.eom.v_names.index("s_dot")}
    assert coupled <= set(s.supports[4])  # the rod couples the joint that sticks with the cart


def test_velocities_of_contacts_and_cables_change_as_they_turn() -> None:
    """From the start of a step to its middle, bodies keeping their velocities: ``J a - gamma`` by the time between."""
    at, h = _At(4), 1e-5
    exact, row = at.exact, at.row
    past = (1.0 - THETA) * h
    turning = -(exact["Jt"].T @ at.coasting - exact["gamma"])
    sheave, rope = turning[row["r.G.friction"]], turning[row["r"]]
    bent = at.of(at.system.terms, h)["bent"]
    contacts = [turning[row[name]] for name in ("floor", "floor.friction[0]", "floor.friction[1]", "smooth")]
    np.testing.assert_allclose(bent / past, [*contacts, turning[row["c"]], sheave, rope - sheave], atol=1e-4)
    assert min(abs(turning[row[name]]) for name in ("c", "smooth")) > 1e-2


def test_moves_of_a_step() -> None:
    """Coordinates go along; velocities in the axes of a body turn as the body does."""
    at, h = _At(5), 1e-6
    rng = np.random.default_rng(5)
    d = rng.normal(size=at.eom.nv)
    q, v = (np.array(y).ravel() for y in at.system.move(at.x, h * d, at.p))
    np.testing.assert_allclose((q - at.q) / h, (at.eom.integrate(at.q, h * d) - at.q) / h, atol=1e-4)
    k = at.eom.v_names.index("b.vx")
    expected = np.zeros(at.eom.nv)
    expected[k : k + 3] = -np.cross(d[k + 3 : k + 6], at.v[k : k + 3])
    np.testing.assert_allclose((v - at.v) / h, expected, atol=1e-4)
    s = at.eom.symbolic
    potential = ca.Function("V", [s.q, s.p], [s.potential_energy])
    ends = [float(potential(at.eom.integrate(at.q, sign * h * d), at.p)) for sign in (1.0, -1.0)]
    work = float(at.system.lift(at.t, at.x, d, at.p))
    assert work == pytest.approx((ends[0] - ends[1]) / (2.0 * h), rel=1e-6)


def test_works_of_a_step() -> None:
    """Of the damper with the mean velocity, at ``theta`` of the way; a spring does none."""
    at = _At(6)
    dv = np.random.default_rng(6).normal(size=at.eom.nv)
    found = at.of(at.system.finish, H, dv)
    x = at.eom.v_names.index("x_dot")
    middle = at.v[x] + 0.5 * dv[x]
    lost = H * middle * -DAMPING * (at.v[x] + THETA * dv[x])
    np.testing.assert_allclose(found["work"], [0.0, lost], atol=1e-13)
    assert found["zdot"].size == at.system.nz


def _slide() -> da.Machine:
    """A body in a vertical plane on two feet, whose third joint rubs."""
    bodies = [da.Body("one"), da.Body("two"), da.box("b", 2.0, (0.3, 0.1, 0.2), com=(0.05, 0.0, 0.02))]
    rubs = da.Friction(0.3, static=0.5)
    joints = [
        da.Joint("x", "prismatic", "world", "one", axis="x", damping=0.2),
        da.Joint("z", "prismatic", "one", "two", axis="z"),
        da.Joint("turn", "revolute", "two", "b", axis="y", friction=rubs, stiffness=3.0),
    ]
    feet = [
        da.Contact(f"foot{k}", "b", None, (side, 0.0, -0.1), friction=0.4, restitution=0.6)
        for k, side in enumerate((-0.1, 0.2))
    ]
    return da.Machine("slide", bodies, joints, contacts=feet)


@pytest.mark.parametrize("seed", range(3))
def test_a_step_with_given_impulses(seed: int) -> None:
    """Velocities of both rounds, gaps, state and works at the end, by the equations of motion in the middle."""
    eom = da.equations(_slide(), backend="vm")
    problem = close_loop(eom, None, contact=TimeStepping()).problem
    tape = step_tape(problem, lambda t, x, c, p: x[0] ** 2 + t, "vm")
    assert problem.stepping is not None
    system, rng, n = problem.stepping, np.random.default_rng(seed), problem.n_states
    assert system.names == ("foot0", "foot1", "turn") and system.sizes.tolist() == [3, 3, 1]
    x, h, t = np.zeros(n), 0.02, 0.3
    x[:6] = 0.3 * rng.normal(size=6)
    first, second, lam = rng.normal(size=7), rng.normal(size=7), 0.01 * rng.normal(size=3)
    first[[1, 2, 4, 5]] *= 0.1
    share, flags = (
        rng.normal(size=7),
        np.repeat([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0]], [2, 1, 1], axis=0).ravel(),
    )
    inputs = np.concatenate([x, [h], first, second, lam, share])
    values, _ = tape.kernel(t, inputs, np.zeros(0), np.zeros(0), flags, along=[
        np.zeros(1), np.zeros((1, len(inputs))), np.zeros((1, 0)), np.zeros((1, 0))])  # fmt: skip
    out = {name: values[place] for name, place in tape.outputs.items()}
    q, v = x[:3], x[3:6]
    middle = q + 0.5 * h * v
    contacts = eom.constraint_system.contacts
    s = eom.symbolic
    f = ca.Function("f", [s.q, s.v, s.p], [ca.densify(contacts.jacobian), ca.densify(contacts.gaps)])
    rows, gaps = (np.array(y) for y in f(middle, v, []))
    J = np.vstack([rows, [0.0, 0.0, 1.0]])
    M = eom.mass_matrix(middle) + np.diag([0.5 * h * 0.2, 0.0, 0.25 * h**2 * 3.0])
    force = -eom.bias(middle, v) - [0.2 * v[0], 0.0, 0.0]
    later, earlier = (np.array(f(middle + d * v, v, [])[0]) @ v for d in (1e-5, -1e-5))
    turn = np.append(0.5 * h * (later - earlier) / 2e-5, 0.0)  # both feet pushed in the step before
    assert np.abs(turn[[0, 1, 3]]).min() > 1e-6  # a thousand times what the comparisons below allow
    turn[[4, 5]] = 0.0  # the second one slid
    before = J @ v - turn
    free = before + J @ np.linalg.solve(M, h * force)
    normals = [0, 3, 6]
    bounce = np.zeros(7)
    bounce[0] = 0.6 * before[0]
    v1 = v + np.linalg.solve(M, h * force + J.T @ first)
    change = 0.5 * h * (eom.bias(middle, v) - eom.bias(middle, v1))
    dv = np.linalg.solve(M, h * force + change + J.T @ second)
    np.testing.assert_allclose(out["before"], before[normals], atol=1e-12)
    np.testing.assert_allclose(out["free"], free[normals], atol=1e-12)
    way = 0.5 * h * (free + 1.5 * turn)[normals]
    np.testing.assert_allclose(out["way"], way, atol=1e-12)
    np.testing.assert_allclose(out["first"], J @ v1 + turn + bounce, atol=1e-12)
    np.testing.assert_allclose(out["second"], J @ (v + dv) + turn + bounce, atol=1e-12)
    np.testing.assert_allclose(out["gap"], np.append(gaps.ravel(), 0.0), atol=1e-12)
    assert out["restitution"].tolist() == [0.6, 0.6, 0.0] and out["numbers"][:2].tolist() == [0.4, 0.4]
    W = J @ np.linalg.solve(M, J.T)
    np.testing.assert_allclose(out["shared"], W @ share, atol=1e-11)
    shift = np.linalg.solve(M, J[normals].T @ lam)
    open_ = np.array([0.0, 1.0, 1.0])  # what rebounds out of a penetration is not moved
    ends = np.append(gaps.ravel(), 0.0) + 0.5 * h * (J @ (v + dv) + 0.5 * turn)[normals]
    np.testing.assert_allclose(out["gap_after"], open_ * ends + J[normals] @ shift, atol=1e-12)
    after, names = out["after"], list(problem.state_names)
    np.testing.assert_allclose(after[:3], middle + 0.5 * h * (v + dv) + shift, atol=1e-12)
    np.testing.assert_allclose(after[3:6], v + dv, atol=1e-12)
    np.testing.assert_allclose(after[system.forces[1] : system.forces[1] + 3], second[3:6] / h, atol=1e-10)
    u2 = J @ (v + dv) + turn
    lost = [0.5 * second[a:b] @ (u2 + before)[a:b] for a, b in ((0, 3), (3, 6), (6, 7))]
    assert [after[names.index(f"loss.{n}")] for n in system.names] == pytest.approx([-y for y in lost], abs=1e-12)
    damped = h * (v + 0.5 * dv)[0] * -0.2 * (v + 0.5 * dv)[0]
    lifted = (eom.bias(middle, np.zeros(3))) @ shift
    assert (
        after[system.work_loss] == pytest.approx(damped + sum(lost) + lifted, abs=1e-11)
        and after[system.work_input] == 0.0
    )
    cost = 0.5 * h * (q[0] ** 2 + t + after[0] ** 2 + t + h)
    assert out["cost"][0] == pytest.approx(cost, rel=1e-12)
    assert set(range(6)) - {0} <= set(tape.moving)


@pytest.mark.parametrize(("beta", "damping"), [(0.0, 0.0), (0.3, 0.0), (0.0, 0.02), (0.2, 0.03)])
def test_iterations_of_an_implicit_step(beta: float, damping: float) -> None:
    """``(M + W) a_next = f(q_m, v_m) + W a`` with ``W = h^2 K/4 + h D/2``, on a beam between two joints."""
    plain = planar_arm()
    damped = [replace(b, damping=damping) if isinstance(b, da.Beam) else b for b in plain.bodies]
    beams, machine = [b for b in plain.bodies if isinstance(b, da.Beam)], plain.with_(bodies=damped)
    eom = da.equations(machine, backend="vm")
    problem = close_loop(eom, None, contact=da.ImplicitMidpoint(numerical_damping=beta)).problem
    assert problem.midpoint is not None
    rng = np.random.default_rng(7)
    n, nq, nv, h = problem.n_states, eom.nq, eom.nv, 5e-3
    x, y = 0.1 * rng.normal(size=n), 0.3 * rng.normal(size=n)
    p = np.array(machine.p_nominal)
    c = np.zeros(problem.midpoint().size1_in(2))
    found = np.array(problem.midpoint()(0.2, x, c, p, y, [h, beta])).ravel()
    v = x[nq : nq + nv] + 0.5 * h * y[nq : nq + nv]
    q = eom.integrate(x[:nq], 0.5 * h * v)
    B = ca.jacobian(eom.symbolic.coordinate_rate, eom.symbolic.v)
    written = ca.Function("K", [eom.symbolic.q, eom.symbolic.p], [stiffness_matrix(eom, B)])
    floating = da.equations(plain.with_(gravity=(0.0, 0.0, 0.0)), backend="vm")
    still = np.zeros(nv)
    K = np.array([floating.bias(e, still) - floating.bias(-e, still) for e in 0.5e-3 * np.eye(nv)]).T / 1e-3
    np.testing.assert_allclose(np.array(written(q, p)), K, atol=1e-6 * np.abs(K).max())
    assert isinstance(problem.midpoint, partial) and problem.midpoint.func is midpoint_tape
    D, extra = np.zeros((nv, nv)), np.zeros(nv)
    for beam in beams:
        for name, omega, mass in zip(beam.v_names, beam.omega, np.diag(beam.undeformed().modal), strict=True):
            k = eom.v_names.index(name)
            D[k, k] = 2.0 * damping * K[k, k] / omega
            own = np.sqrt(K[k, k] / mass)
            ratio = (0.5 * h * own) ** 2
            extra[k] = 2.0 * beta * own * mass * ratio / (1.0 + ratio)
    W = h**2 / 4.0 * K + h / 2.0 * (D + np.diag(extra))
    a = y[nq : nq + nv]
    force = -D @ v - extra * v - eom.bias(q, v)
    expected = np.linalg.solve(eom.mass_matrix(q) + W, force + W @ a)
    np.testing.assert_allclose(found[nq : nq + nv], expected, rtol=1e-6, atol=1e-7 * np.abs(expected).max())
    np.testing.assert_allclose(found[:nq], v, rtol=1e-12)
    assert found[-1] == pytest.approx(-v @ (D @ v + extra * v), rel=1e-9, abs=1e-15) and found[-2] == 0.0


def _driven() -> tuple[da.EquationsOfMotion, Problem]:
    """A mass on a floor that a continuous law holds."""
    machine = da.Machine(
        "driven", [da.Body("one"), da.point_mass("m", 2.0)],
        [da.Joint("x", "prismatic", "world", "one", axis="x", damping=0.3),
         da.Joint("z", "prismatic", "one", "m", axis="z")],
        motors=[da.Motor("u", "x", 2.0)], contacts=[da.Contact("floor", "m", da.Sphere(0.1))],
    )  # fmt: skip
    eom = da.equations(machine, backend="vm")
    law = da.PD(kp=3.0, kd=0.7, reference=[0.4])
    return eom, close_loop(eom, law, contact=TimeStepping(theta=THETA)).problem


def test_a_law_in_a_step() -> None:
    """Its gains damp and hold as those of a damper and a spring do; its work is that of the force in the step."""
    _, problem = _driven()
    system = problem.stepping
    assert system is not None
    kp, kd, m, h = 3.0, 0.7, 2.0, H  # of the joint, whatever the gear
    x, t = np.zeros(problem.n_states), 0.2
    x[:4] = 0.9, 1.0, -0.6, 0.2
    names = system.terms.name_out()
    terms = dict(
        zip(names, (np.array(y).ravel() for y in system.terms(t, x, np.zeros(0), np.zeros(0), h)), strict=True)
    )
    force = kp * (0.4 - x[0]) - kd * x[2]
    whole = force - 0.3 * x[2] - (2.0 * THETA - 1.0) * h * kp * x[2]
    mass = m + h * THETA * (kd + 0.3) + (h * THETA) ** 2 * kp
    assert terms["d"][0] == pytest.approx(mass**-0.5) and terms["d"][1] == pytest.approx(m**-0.5)
    np.testing.assert_allclose(terms["s0"] / terms["d"], [h * whole, -h * m * 9.81], atol=1e-12)
    dv = np.array([0.35, -0.2])
    _, work = (np.array(y).ravel() for y in system.finish(t, x, np.zeros(0), np.zeros(0), h, dv))
    middle = x[2] + 0.5 * dv[0]
    pull = force - THETA * kd * dv[0] - h * (THETA**2 * kp * dv[0] + (2.0 * THETA - 1.0) * kp * x[2])
    assert work == pytest.approx([h * middle * pull, h * middle * -0.3 * (x[2] + THETA * dv[0])], rel=1e-12)


def test_tables_for_loops_of_many_members() -> None:
    """Sizes and tables of the blocks, as text, with a number at the end that no block uses."""
    eom, _, problem = _problems()
    system = problem.stepping
    assert system is not None
    macros = stepping_macros(problem)
    numbers = {
        "STEPPING": 1, "MANY": 0, "N_COORDINATES": eom.nq, "N_VELOCITIES": eom.nv, "N_BLOCKS": 5, "N_HELD_ROWS": 2,
        "N_ROWS": 8, "N_MU": 6, "ROPES": 1, "MOST_ROWS": 3, "LOADS": 0, "MOST_TESTED": 8, "MOST_GRAM": 36,
        "MAX_SWEEPS": system.way.max_sweeps, "FIRST_BENT": 4, "N_BENT": 7, "N_GIVEN": 1, "N_FORCES": 10,
        "N_VALUES": sum(len(s) * n for s, n in zip(system.supports, system.sizes, strict=True)),
        "N_NUMBERS": sum(law.numbers(n) for law, n in zip(system.laws, system.sizes, strict=True)),
        "N_L": sum(map(len, system.factor)),
    }  # fmt: skip
    assert {name: macros[name] for name in numbers} == numbers
    listed = {"SIZES": [3, 1, 1, 2, 1], "ROW_START": [0, 3, 4, 5, 7, 8], "MU_START": [0, 1, 2, 3, 4, 6],
              "LAWS": [1, 0, 0, 3, 2], "FORCES": list(system.forces), "LOSSES": list(system.losses)}  # fmt: skip
    for name, values in listed.items():
        assert [int(x) for x in str(macros[name]).split(", ")] == [*values, 0]
    assert float(str(macros["THETA"])) == THETA and "HELD(in, out, work)" not in macros
    places = ("RESIDUAL", "SWEEPS", "UNDETERMINED", "LOWERED")
    assert [problem.state_names[int(str(macros[n]))] for n in places] == [f"contact.{n.lower()}" for n in places]


def test_the_middle_of_an_implicit_step_of_a_mechanism() -> None:
    """State, ``W``, and what it adds to the forces, of masses with springs that a rod joins."""
    machine = da.Machine(
        "pair", [da.point_mass("one", 1.0), da.point_mass("two", 2.0)],
        [da.Joint("x", "prismatic", "world", "one", axis="x", stiffness=50.0, damping=0.3),
         da.Joint("y", "prismatic", "world", "two", axis="y", stiffness=20.0)],
        constraints=[da.DistanceConstraint("rod", "one", "two", length=1.0)],
    )  # fmt: skip
    eom = da.equations(machine, backend="vm")
    problem = close_loop(eom, None, contact=da.ImplicitMidpoint()).problem
    assert isinstance(problem.midpoint, partial) and problem.midpoint.func is middle_tape
    rng, n, h = np.random.default_rng(8), problem.n_states, 0.05
    x, y = rng.normal(size=n), rng.normal(size=n)
    tape = problem.midpoint()
    given = (0.1, x, np.zeros(tape.size1_in(2)), np.zeros(0), y, [h, 0.0])
    out = dict(zip(tape.name_out(), (np.array(z).ravel() for z in tape(*given)), strict=True))
    v = x[2:4] + 0.5 * h * y[2:4]
    np.testing.assert_allclose(out["middle"], [*(x[:2] + 0.5 * h * v), *v, *(x[4:] + 0.5 * h * y[4:])], atol=1e-13)
    W = np.diag([h**2 / 4.0 * 50.0 + h / 2.0 * 0.3, h**2 / 4.0 * 20.0])
    np.testing.assert_allclose(out["W"].reshape(2, 2), W, atol=1e-13)
    np.testing.assert_allclose(out["further"], W @ y[2:4], atol=1e-13)
    assert out["power"].tolist() == [0.0]
