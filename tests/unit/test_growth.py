"""Functions of long chains: what is built in stages against independent computations, and how it grows."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pinocchio as pin
import pytest

import dalembert as da
from dalembert.compile.native import emit_function
from dalembert.compile.rows import RowFunction
from dalembert.core.types import Array
from dalembert.formulations.tree import composite
from dalembert.systems.cranes import planar_crane, spatial_crane, uniform_cable
from dalembert.systems.mechanisms import four_bars
from support.pinocchio_models import pinocchio_model
from support.random_machines import floating_machine, random_machine


def closed_chain(n: int, *, planar: bool = True, components: str = "xz") -> da.Machine:
    """Rods between two anchors, of which a constraint holds the second one."""
    length, m = 1.0 / n, 0.1
    inertia = np.diag([m * length**2 / 24, m * length**2 / 12, m * length**2 / 12])
    bodies = [da.Body(f"rod{i}", m, (length / 2, 0.0, 0.0), inertia) for i in range(n)]
    joints = [
        da.Joint(
            f"hinge{i:03d}",
            "revolute",
            f"rod{i - 1}" if i else "world",
            f"rod{i}",
            origin=(length, 0.0, 0.0) if i else (0.0, 0.0, 0.0),
            axis=(0.0, 1.0, 0.0) if planar or i % 2 == 0 else (0.0, 0.0, 1.0),
        )
        for i in range(n)
    ]
    return da.Machine(
        "closed chain",
        bodies,
        joints,
        frames=[da.Frame("end", f"rod{n - 1}", (length, 0.0, 0.0)), da.Frame("anchor", "world", (0.8, 0.0, 0.0))],
        constraints=[da.BallConstraint("held", "end", "anchor", components=components if planar else "xyz")],
    )


def floating_net(n: int) -> da.Machine:
    """A free body with three branches of n links each, on hinges, ball joints and universal joints in turn."""
    rng = np.random.default_rng(n)
    bodies, joints = [da.Body("hub", 3.0, (0.1, 0.0, 0.2), np.diag([1.0, 1.2, 1.5]))], []
    joints.append(da.Joint("base", "free", "world", "hub"))
    for branch in "abc":
        for i in range(n):
            name, parent = f"{branch}{i:02d}", f"{branch}{i - 1:02d}" if i else "hub"
            kind = ("revolute", "spherical", "universal", "prismatic")[i % 4]
            second = {"second_axis": (0.0, 1.0, 0.0)} if kind == "universal" else {}
            bodies.append(da.Body(name, rng.uniform(0.5, 2.0), rng.normal(size=3) * 0.1, np.diag([0.02, 0.03, 0.04])))
            joints.append(
                da.Joint(
                    f"j{name}",
                    kind,
                    parent,
                    name,
                    origin=rng.normal(size=3) * 0.3,
                    axis=(1.0, 0.0, 0.0),
                    armature=0.05 if i % 4 == 0 else 0.0,
                    **second,
                )
            )
    return da.Machine("net", bodies, joints)


@pytest.fixture
def staged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write small matrices in stages, too."""
    monkeypatch.setattr(composite, "LARGE", 0)


def apart(a: Array, b: Array) -> float:
    """Largest difference by the largest element."""
    return float(np.abs(np.asarray(a) - np.asarray(b)).max() / np.abs(b).max())


def with_velocity(eom: da.EquationsOfMotion, seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    return eom.random_configuration(rng), rng.normal(size=eom.nv)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("make", [random_machine, floating_machine])
def test_matrices_in_stages_are_those_of_lagrange(make, seed: int, staged: None) -> None:  # type: ignore[no-untyped-def]
    machine = make(seed, 5, parameters=True, motors=False)  # rotors are carried, and machines with them not staged
    eom, oracle = (da.equations(machine, by, backend="vm") for by in ("newton-euler", "lagrange"))
    assert eom.symbolic.rows("mass_matrix") is not None
    q, v = with_velocity(eom, seed)
    p = machine.p_nominal * np.random.default_rng(seed).uniform(0.99, 1.01, len(machine.p_nominal))
    assert apart(eom.mass_matrix(q, p=p), oracle.mass_matrix(q, p=p)) < 1e-12
    C = eom.coriolis_matrix(q, v, p=p)
    force = oracle.coriolis_matrix(q, v, p=p) @ v
    assert np.abs(C @ v - force).max() < 1e-11 * max(1.0, np.abs(C).max() * np.abs(v).max())


@pytest.mark.parametrize("make", [random_machine, floating_machine])
def test_matrices_in_stages_are_those_of_the_tape(make, staged: None) -> None:  # type: ignore[no-untyped-def]
    """Entry by entry: the Coriolis matrix is the one whose ``M' - 2 C`` is skew."""
    eom = da.equations(make(11, 7), backend="vm")
    s = eom.symbolic
    tape = ca.Function("tape", [s.q, s.v, s.p], [ca.densify(s.mass_matrix), ca.densify(s.coriolis_matrix)])
    q, v = with_velocity(eom, 3)
    M, C = (np.array(x.full()) for x in tape(q, v, eom.machine.p_nominal))
    assert apart(eom.mass_matrix(q), M) < 1e-13
    assert np.abs(eom.coriolis_matrix(q, v) - C).max() < 1e-12 * max(1.0, np.abs(C).max())


@pytest.mark.slow
def test_the_matrices_of_a_floating_net(staged: None) -> None:
    """Native code against inverse dynamics, column by column; batches; and a place far from the origin of the world."""
    machine = floating_net(8)
    eom = da.equations(machine)
    assert eom.symbolic.rows("mass_matrix") is not None
    q, v = with_velocity(eom, 1)
    M = eom.mass_matrix(q)
    oracle = np.column_stack(
        [eom.inverse_dynamics(q, 0 * v, e) - eom.inverse_dynamics(q, 0 * v, 0 * e) for e in np.eye(eom.nv)]
    )
    assert apart(M, oracle) < 1e-12
    np.testing.assert_array_equal(eom.mass_matrix(np.stack([q, q])), [M, M])
    far = q.copy()
    far[:3] += 7e6
    assert apart(eom.mass_matrix(far), M) < 1e-13
    C = eom.coriolis_matrix(q, v)
    assert np.abs(C @ v - (eom.bias(q, v) - eom.gravity(q))).max() < 1e-12 * np.abs(C @ v).max()
    h = 1e-6
    rate = (eom.mass_matrix(eom.integrate(q, h * v)) - eom.mass_matrix(eom.integrate(q, -h * v))) / (2 * h)
    skew = rate - 2 * C
    assert np.abs(skew + skew.T).max() < 1e-7 * np.abs(rate).max()


@pytest.mark.parametrize(
    ("crane", "n"),
    [
        (planar_crane, 60),
        pytest.param(planar_crane, 200, marks=pytest.mark.slow),
        pytest.param(spatial_crane, 60, marks=pytest.mark.slow),
        pytest.param(spatial_crane, 200, marks=[pytest.mark.slow, pytest.mark.long]),
    ],
)
def test_the_mass_matrix_of_a_long_crane_is_that_of_pinocchio(crane, n: int) -> None:  # type: ignore[no-untyped-def]
    machine = crane(uniform_cable(n, 50.0, payload=500.0, mass=20.0))
    eom = da.equations(machine)
    q, v = with_velocity(eom, n)
    model = pinocchio_model(machine)
    M = pin.crba(model, model.createData(), q)
    M = np.triu(M) + np.triu(M, 1).T
    assert apart(eom.mass_matrix(q), M) < 1e-13
    # Entry by entry as well, however light the end of the cable is beside the whole.
    assert np.abs(np.diag(eom.mass_matrix(q)) / np.diag(M) - 1).max() < 1e-11
    force = pin.rnea(model, model.createData(), q, v, 0 * v) - pin.computeGeneralizedGravity(
        model, model.createData(), q
    )
    assert apart(eom.coriolis_matrix(q, v) @ v, force) < 1e-11


def solved(eom: da.EquationsOfMotion, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
    """Accelerations and multipliers by dense algebra."""
    M, h, J, gamma = eom.mass_matrix(q), eom.bias(q, v), eom.constraint_jacobian(q), eom.constraint_rhs(q, v)
    X, y = np.linalg.solve(M, J.T), np.linalg.solve(M, tau - h)
    multipliers = np.linalg.lstsq(J @ X, J @ y - gamma, rcond=1e-12)[0]
    return y - X @ multipliers, multipliers


@pytest.mark.parametrize(
    ("n", "planar"),
    [(20, True), *(pytest.param(*case, marks=pytest.mark.slow) for case in ((20, False), (100, True), (100, False)))],
)
def test_the_dynamics_of_a_closed_chain(n: int, planar: bool, staged: None) -> None:
    eom = da.equations(closed_chain(n, planar=planar))
    rng = np.random.default_rng(n)
    q, v, tau = 0.4 * rng.normal(size=(2, n)), rng.normal(size=(2, n)), 0.01 * rng.normal(size=(2, n))
    a, multipliers = eom.constrained_dynamics(q, v, tau)
    for k in range(2):
        expected = solved(eom, q[k], v[k], tau[k])
        condition = np.linalg.cond(eom.mass_matrix(q[k]))
        assert apart(a[k], expected[0]) < 1e-15 * condition
        assert apart(multipliers[k], expected[1]) < 1e-15 * condition
        left = eom.inverse_dynamics(q[k], v[k], a[k]) + eom.constraint_jacobian(q[k]).T @ multipliers[k] - tau[k]
        assert np.abs(left).max() < 1e-11 * np.abs(eom.constraint_jacobian(q[k]).T @ multipliers[k]).max()


def test_rows_of_a_long_chain_that_depend_on_each_other(staged: None) -> None:
    """A plane chain cannot leave its plane: the row that holds it there is of no use, and has no multiplier."""
    eom, plain = (da.equations(closed_chain(20, components=held), backend="vm") for held in ("xyz", "xz"))
    rng = np.random.default_rng(5)
    q, v, tau = 0.4 * rng.normal(size=20), rng.normal(size=(3, 20)), 0.01 * rng.normal(size=20)
    a, multipliers = eom.constrained_dynamics(q, v, tau)
    expected, reduced = plain.constrained_dynamics(q, v, tau)
    assert apart(a, expected) < 1e-8
    assert apart(multipliers[:, [0, 2]], reduced) < 1e-8
    assert np.abs(multipliers[:, 1]).max() < 1e-12 * np.abs(reduced).max()


@pytest.mark.parametrize("seed", range(3))
def test_sweeps_and_the_mass_matrix_solve_the_same_equations(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to solve constrained equations, on linkages of a few bodies."""
    results = []
    for large in (0, 10**9):
        monkeypatch.setattr(composite, "LARGE", large)
        eom = da.equations(four_bars(2), backend="vm")
        rng = np.random.default_rng(seed)
        q, v, tau = rng.normal(size=(3, eom.nv))
        results.append(eom.constrained_dynamics(q, v, tau))
    assert apart(results[0][0], results[1][0]) < 1e-10
    assert apart(results[0][1], results[1][1]) < 1e-10


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2, 3))])
@pytest.mark.parametrize("make", [random_machine, floating_machine])
def test_derivatives_by_sweeps_are_those_by_factors(make, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """Both ways to solve for the derivatives of forward dynamics, on trees with joints of several axes."""
    results = []
    for large in (0, 10**9):
        monkeypatch.setattr(composite, "LARGE", large)
        machine = make(seed, 7, parameters=True, kinds=("revolute", "prismatic", "spherical", "screw", "cylindrical"))
        eom = da.equations(machine, backend="vm")
        q, v = with_velocity(eom, seed)
        results.append(eom.forward_dynamics_derivatives(q, v, np.cos(np.arange(eom.nv))))
    for swept, factorised in zip(*results, strict=True):
        assert np.abs(swept - factorised).max(initial=0.0) < 1e-10 * max(1.0, np.abs(factorised).max(initial=0.0))


@pytest.mark.parametrize("n", [50, pytest.param(100, marks=pytest.mark.slow)])
def test_derivatives_of_a_long_crane_are_those_of_the_tape(n: int) -> None:
    """In native code, against derivatives of the forward dynamics by CasADi."""
    eom = da.equations(planar_crane(uniform_cable(n, 50.0, payload=500.0, mass=20.0)))
    rng = np.random.default_rng(n)
    q, v, tau = 0.3 * rng.normal(size=eom.nv), 0.1 * rng.normal(size=eom.nv), rng.normal(size=eom.nv)
    s, seed = eom.symbolic, ca.SX.sym("seed", eom.nv)
    sweep = ca.Function(
        "sweep", [s.q, s.v, s.tau, s.p, seed], [ca.jtimes(s.forward_dynamics, x, seed) for x in (s.q, s.v, s.tau)]
    )
    columns = [sweep(q, v, tau, eom.machine.p_nominal, one) for one in np.eye(eom.nv)]
    derivatives = eom.forward_dynamics_derivatives(q, v, tau)
    M = eom.mass_matrix(q)
    for k in range(3):
        expected = np.column_stack([np.array(column[k].full()) for column in columns])
        assert apart(derivatives[k], expected) < 1e-16 * np.linalg.cond(M)
    np.testing.assert_array_equal(eom.forward_dynamics_derivatives(np.stack([q, q]), v, tau).q[1], derivatives.q)


# -- growth -----------------------------------------------------------------------------------------------------------


def staged_function(machine: da.Machine, name: str) -> RowFunction:
    """A function of a machine without parameters, not compiled."""
    s = da.equations(machine).symbolic
    inputs = {"mass_matrix": ["q"], "coriolis_matrix": ["q", "v"]}.get(name, ["q", "v", "tau"])
    rows = s.rows(name)
    assert rows is not None
    outputs = [f"out{k}" for k in range(len(rows.outputs))]
    return rows.function(name, [getattr(s, x) for x in inputs], inputs, outputs)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mass_matrix", "coriolis_matrix"])
def test_the_code_of_matrices_does_not_grow_with_their_entries(name: str) -> None:
    """Twice the links have four times the entries, but at most twice the statements; tables have all entries."""
    short, long = (
        emit_function(staged_function(planar_crane(uniform_cable(n, 50.0, payload=500.0, mass=20.0)), name)).text
        for n in (150, 300)
    )
    assert long.count(";") < 2 * short.count(";")
    assert len(long) < 4 * len(short)


@pytest.mark.slow
def test_operations_of_derivatives_grow_with_the_entries_of_the_matrices() -> None:
    """Twice the links have four times the entries; products with a factor would take eight times the operations."""
    short, long = (
        staged_function(
            planar_crane(uniform_cable(n, 50.0, payload=500.0, mass=20.0)), "forward_dynamics_derivatives"
        ).n_instructions()
        for n in (60, 120)
    )
    assert long < 4 * short


@pytest.mark.slow
def test_the_tape_of_a_closed_chain_grows_with_its_length() -> None:
    """Twice the links have twice the operations: at most 5 % more, as the ends of a chain have less of them."""
    counts = []
    for n in (50, 100):
        eom = da.equations(closed_chain(n), backend="vm")
        eom.constrained_dynamics(np.zeros(n), np.zeros(n), np.zeros(n))
        counts.append(eom._constraint_kernel("constrained_dynamics").function.n_instructions())
    assert counts[1] < 2.1 * counts[0]
