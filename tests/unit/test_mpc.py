"""Predictive control: the regulator it must be without limits, other solvers, limits, failures, outlets, refusals."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert import control
from dalembert.core.errors import InputError
from dalembert.loop.derivatives import linearised_run
from dalembert.view.page.packing import pack_run

WEIGHT = 10.0 * 9.81


def crane_machine(payload: Any = 10.0) -> da.Machine:
    return da.Machine(
        "crane",
        [da.point_mass("trolley", 20.0), da.Body("rope"), da.point_mass("load", payload)],
        [
            da.Joint("x", "prismatic", "world", "trolley", axis="x"),
            da.Joint("swing", "revolute", "trolley", "rope", axis="y"),
            da.Joint("length", "prismatic", "rope", "load", axis=(0, 0, -1)),
        ],
        motors=[da.Motor("drive", "x"), da.Motor("winch", "length")],
    )


STATES = {"x": 1.0, "swing": 10.0, "length": 10.0, "x_dot": 0.1, "swing_dot": 1.0, "length_dot": 0.1}
COST = da.Cost(states=STATES, inputs=1e-5, terminal="lqr")
GOAL = {"x": 3.0, "length": 4.0}
LIMITS = {"drive": (-60.0, 60.0), "winch": (-1.5 * WEIGHT, 0.0), "swing": da.soft(-0.1, 0.1, linear=1e3)}


def above(known: control.Known) -> Any:
    """The load above a stack in the middle of the path."""
    X = known.pose("load")
    return X[2, 3] + 4.2 - 0.9 * ca.exp(-(((X[0, 3] - 1.5) / 0.7) ** 2))


@pytest.fixture(scope="module")
def crane() -> da.Machine:
    return crane_machine()


@pytest.fixture(scope="module")
def law(crane: da.Machine) -> Any:
    over = {"above": (above, da.soft(0, np.inf, linear=1e3))}
    limits = {**LIMITS, "rate.drive": (-400.0, 400.0)}
    return da.mpc(crane, horizon=2.0, intervals=20, cost=COST, reference=GOAL, limits=limits, keep=over)


@pytest.fixture(scope="module")
def run(crane: da.Machine, law: Any) -> Any:
    return da.simulate(crane, duration=6.0, q0={"length": 4.0}, control=law, step=0.01, record=0.1)


def test_above_an_inner_law_its_inputs_are_held_by_name(crane: da.Machine, law: Any, run: Any) -> None:
    """An inner law that passes the inputs on is the controller itself; one at a shorter period may change them."""
    inner = control.Feedforward({name: f"mpc.u.{name}" for name in ("drive", "winch")})
    settings: dict[str, Any] = {"duration": 1.0, "q0": {"length": 4.0}, "step": 0.01, "record": 0.1}
    above = da.simulate(crane, control=control.Cascade(control.Sampled(inner, 0.1), [law.guidance]), **settings)
    for name in ("x", "swing", "length", "command.drive"):
        np.testing.assert_allclose(above[name][:10], run[name][:10], rtol=0, atol=1e-12)
    half = control.Feedforward({"drive": "mpc.u.drive", "winch": lambda t: -WEIGHT})
    other = da.simulate(crane, control=control.Cascade(control.Sampled(half, 0.02), [law.guidance]), **settings)
    assert np.abs(other["command.winch"] + WEIGHT).max() < 1e-12 and np.abs(other["mpc.u.winch"] + WEIGHT).max() > 1.0
    with pytest.raises(InputError, match="sets no inputs"):
        da.simulate(crane, duration=1.0, control=law.guidance)


@pytest.mark.parametrize("integrator", ["rk4", "midpoint"])
def test_without_limits_it_is_the_linear_quadratic_regulator(crane: da.Machine, integrator: str) -> None:
    """The cost at the end is that of the regulator, so that the first inputs of any horizon are its inputs."""
    import control as pc

    law = da.mpc(crane, horizon=0.5, intervals=5, cost=COST, reference=GOAL, integrator=integrator, rounds=6)
    model, h, goal = law.problem.model, 0.1, law.problem.goal
    x, u, par, t = model.symbols
    rate = model.rate(x, u, par, t)
    A, B = (np.array(ca.Function("J", [x, u], [ca.jacobian(rate, y)])(goal[:6], goal[6:])) for y in (x, u))
    if integrator == "rk4":
        powers = [np.linalg.matrix_power(A * h, k) for k in range(4)]
        Ad = np.eye(6) + A * h @ sum(p / f for p, f in zip(powers, (1, 2, 6, 24), strict=True))
        Bd = sum(p / f for p, f in zip(powers, (1, 2, 6, 24), strict=True)) @ B * h
    else:
        left = np.eye(6) - h / 2 * A
        Ad, Bd = np.linalg.solve(left, np.eye(6) + h / 2 * A), np.linalg.solve(left, h * B)
    K = np.asarray(pc.dlqr(Ad, Bd, 2 * h * np.diag(list(STATES.values())), 2 * h * 1e-5 * np.eye(2))[0])
    d = 1e-5 * np.array([1.0, -2.0, 0.5, 1.0, 3.0, -1.0])  # small: the machine is not linear
    start = goal[:6] + d
    run = da.simulate(crane, duration=0.05, q0=start[:3], v0=start[3:], control=law, step=0.01)
    u0 = np.array([run["command.drive"][0], run["command.winch"][0]])
    np.testing.assert_allclose(u0 - goal[6:], -K @ d, atol=2e-4 * np.abs(K @ d).max())


def test_the_plan_is_the_optimum_of_another_solver(crane: da.Machine, law: Any) -> None:
    """Many rounds converge to the solution of the nonlinear programme that IPOPT finds, to nine digits of the cost."""
    problem = law.problem
    over = {"above": (above, da.soft(0, np.inf, linear=1e3))}
    many = da.mpc(
        crane, horizon=2.0, intervals=20, cost=COST, reference=GOAL, limits={**LIMITS, "rate.drive": (-400.0, 400.0)},
        keep=over, rounds=40, iterations=60, tolerance=1e-9,
    )  # fmt: skip
    run = da.simulate(crane, duration=0.05, q0={"length": 4.0}, control=many, step=0.01)
    assert run["mpc.status"][0] == 0
    nx, nu, n, h = problem.nx, problem.nu, 20, 0.1
    X, U, S = ca.MX.sym("X", nx, n + 1), ca.MX.sym("U", nu, n), ca.MX.sym("S", 3, n + 1)
    step, rows = problem.tapes["STEP_TAPE"], problem.tapes["ROWS_TAPE"]
    goal = ca.DM(problem.goal)
    P = ca.DM(_table(problem, "end_weight")).reshape((nx, nx))
    w = ca.DM(_table(problem, "stage_weight"))
    cost: Any = 0
    g, low, high = [X[:, 0] - ca.DM([0, 0, 4.0, 0, 0, 0, 0, 0])], [0.0] * nx, [0.0] * nx
    for k in range(n):
        z = ca.vertcat(X[:, k], U[:, k]) - goal
        cost += ca.dot(w * z, z) / 2 + h * 1e3 * ca.sum1(S[:, k + 1])
        g.append(step(X[:, k], U[:, k], ca.DM(0, 1), k * h)[0] - X[:, k + 1])
        # rows: rate of the drive, then the height above the stack; the swing is a box
        value, after = (rows(X[:, k + i], U[:, min(k + i, n - 1)], ca.DM(0, 1), 0.0)[0] for i in (0, 1))
        g += [value[0], after[1] + S[0, k + 1], X[1, k + 1] + S[1, k + 1], X[1, k + 1] - S[2, k + 1], U[:, k]]
        low += [0.0] * nx + [-400.0, 0.0, -0.1, -np.inf, -60.0, -1.5 * WEIGHT]
        high += [0.0] * nx + [400.0, np.inf, np.inf, 0.1, 60.0, 0.0]
    e = X[:, n] - goal[:nx]
    cost += ca.dot(e, P @ e) / 2
    options = {"ipopt": {"bound_relax_factor": 0.0, "tol": 1e-11, "print_level": 0}, "print_time": False}
    variables = ca.vertcat(ca.vec(X), ca.vec(U), ca.vec(S))
    solver = ca.nlpsol("s", "ipopt", {"x": variables, "f": cost, "g": ca.vertcat(*g)}, options)
    least = np.r_[np.full(variables.numel() - 3 * (n + 1), -np.inf), np.zeros(3 * (n + 1))]
    first = np.r_[np.tile([0, 0, 4.0, 0, 0, 0, 0, 0], n + 1), np.tile([0, -WEIGHT], n), np.zeros(3 * (n + 1))]
    answer = solver(x0=first, lbx=least, lbg=low, ubg=high)
    assert solver.stats()["success"]
    planned = np.array([run["command.drive"][0], run["command.winch"][0]])
    best = np.array(answer["x"]).ravel()[nx * (n + 1) :][:2]
    np.testing.assert_allclose(planned, best, rtol=1e-5)


def _table(problem: Any, name: str) -> list[float]:
    text = next(t for t in problem.tables if f" {name}[]" in t)
    return [float(x) for x in text[text.index("{") + 1 : text.index("}")].split(",")]


def test_limits_hold_and_the_same_inputs_give_the_same_bits(crane: da.Machine, law: Any, run: Any) -> None:
    assert (run["mpc.status"] == 0).all() and (run["mpc.action"] == 0).all()
    assert np.abs(run["u.drive"]).max() <= 60.0
    assert np.abs(np.diff(run["command.drive"][:-1])).max() <= 40.0 * (1 + 1e-6)
    assert np.abs(run["swing"]).max() < 0.102 and run["mpc.slack"].max() < 1e-2
    X = run["x"] - run["length"] * np.sin(run["swing"]), -run["length"] * np.cos(run["swing"])
    assert (X[1] + 4.2 - 0.9 * np.exp(-(((X[0] - 1.5) / 0.7) ** 2))).min() > -1e-2
    assert abs(run["x"][-1] - 3.0) < 0.1
    again = da.simulate(crane, duration=6.0, q0={"length": 4.0}, control=law, step=0.01, record=0.1)
    np.testing.assert_array_equal(again["command.drive"], run["command.drive"])


def test_rollouts_are_the_same_runs(crane: da.Machine, law: Any, run: Any) -> None:
    starts = {"q0.x": np.array([0.0, 0.2, 0.4]), "q0.length": np.full(3, 4.0)}
    runs = da.rollout(crane, duration=2.0, control=law, step=0.01, record=0.1, vary=starts)
    np.testing.assert_allclose(runs["x"][0], run["x"][:21], atol=1e-12)
    single = da.simulate(crane, duration=2.0, q0={"x": 0.4, "length": 4.0}, control=law, step=0.01, record=0.1)
    np.testing.assert_allclose(runs["swing"][2], single["swing"], atol=1e-12)


def test_the_exported_controller_is_the_same_in_strict_c(tmp_path: Path, law: Any, run: Any) -> None:
    folder = da.export_controller(law, tmp_path / "target", name="crane")
    flags = "-std=c99 -O2 -Wall -Wextra -pedantic -Werror -DPLAIN_TAPES".split()
    sources = [str(p) for p in folder.glob("*.c") if p.name != "example.c"]
    for plain in ([], ["-DPLAIN_HORIZON"]):
        library = tmp_path / f"crane{len(plain)}.so"
        subprocess.run(["cc", *flags, *plain, "-shared", "-fPIC", *sources, "-lm", "-o", library], check=True)
        symbols = subprocess.run(["nm", "-u", str(library)], capture_output=True, text=True, check=True).stdout
        assert "malloc" not in symbols and "calloc" not in symbols
        native = ctypes.CDLL(str(library))
        u, info = np.zeros(2), np.zeros(8)
        rows = np.flatnonzero(np.isclose(run.t / 0.1, np.round(run.t / 0.1)))[:30]
        for k in rows:
            x = np.array([run[name][k] for name in law.problem.model.names])
            pointers = [ctypes.c_void_p(a.ctypes.data) for a in (x, np.zeros(1), u, info)]
            status = native.crane_step(ctypes.c_double(run.t[k]), *pointers)
            expected = np.array([run["command.drive"][k], run["command.winch"][k]])
            assert status == 0
            np.testing.assert_allclose(u, expected, rtol=1e-12, atol=1e-10)


def test_a_plan_that_is_impossible_is_never_applied_in_silence() -> None:
    cart = da.Machine(
        "cart",
        [da.point_mass("cart", 2.0)],
        [da.Joint("x", "prismatic", "world", "cart", axis="x")],
        motors=[da.Motor("push", "x")],
    )
    cost = da.Cost(states={"x": 1.0, "x_dot": 0.1}, inputs=1e-3, terminal="lqr")
    brake = da.PD(kp=0.0, kd=3.0, reference=[0.0])
    limits = {"push": (-1.0, 1.0), "x": (-1.0, 0.5)}
    law = da.mpc(cart, horizon=1.0, intervals=10, cost=cost, limits=limits, fallback=brake)
    fine = da.simulate(cart, duration=1.0, q0=[0.4], control=law, step=0.01)
    assert (fine["mpc.status"] == 0).all()
    run = da.simulate(cart, duration=1.0, q0=[0.4], v0=[2.0], control=law, step=0.01)  # cannot stop within 0.1 m
    assert run["mpc.status"][0] == 2 and run["mpc.action"][0] == 3
    assert run["command.push"][0] == -1.0  # -3 * 2, within its bound
    with pytest.raises(InputError, match=r"the start violates a hard limit of 'mpc': x = 0\.6"):
        da.simulate(cart, duration=1.0, q0=[0.6], control=law)
    with pytest.raises(InputError, match=r"the start violates a hard limit of 'mpc': x = -1\.2"):
        da.rollout(cart, duration=1.0, vary={"q0.x": [0.0, -1.2, 0.4]}, control=law, step=0.01)


def test_what_it_cannot_do_is_refused_by_name(crane: da.Machine) -> None:
    settings: dict[str, Any] = {"horizon": 1.0, "intervals": 10, "cost": COST, "reference": GOAL}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"limits": {"swing": (-0.1, 0.1)}}, "hard limits on swing.*fallback"),
        ({"limits": {"swing": (-0.1, 0.1)}, "fallback": lambda t, q, v: [0, 0]}, "calls no Python"),
        ({"cost": da.Cost(states=STATES, inputs={"drive": 1.0})}, "none for winch"),
        ({"cost": da.Cost(states={"y": 1.0}, inputs=1.0)}, "'y'"),
        ({"cost": da.Cost(inputs=1.0, time=1.0)}, "time"),
        ({"period": 0.5}, "at most an interval"),
        ({"integrator": "euler"}, "'rk4' or 'midpoint'"),
        ({"reference": {"z": 1.0}}, "'z'"),
        ({"limits": {"rate.motor": (-1, 1)}}, "motor"),
        ({"known": ["payload"]}, "payload"),
    ]
    for change, message in cases:
        with pytest.raises(da.DalembertError, match=message):
            da.mpc(crane, **{**settings, **change})
    motors = (da.Motor("drive", "x", effort=50.0), da.Motor("winch", "length"))
    with pytest.raises(InputError, match=r"motor 'drive' saturates at 50 inside the model.*bound it instead"):
        da.mpc(crane.with_(motors=motors), **settings)
    da.mpc(crane.with_(motors=motors), **settings, limits={"drive": (-50, 50)})
    stiff = da.Machine(
        "stiff",
        [da.point_mass("a", 1.0)],
        [da.Joint("x", "prismatic", "world", "a", axis="x", stiffness=4e4)],
        motors=[da.Motor("push", "x")],
    )
    cost = da.Cost(states={"x": 1.0}, inputs=1e-3)
    with pytest.raises(InputError, match=r"unstable at the machine's mode of 31.83 Hz.*midpoint"):
        da.mpc(stiff, horizon=1.0, intervals=10, cost=cost)
    with pytest.warns(da.DalembertWarning, match=r"payload.*neither known nor estimated"):
        law = da.mpc(crane_machine(da.Parameter("payload", 10.0)), **settings)
    with pytest.raises(InputError, match=r"not finite at.*length = 0"):
        da.mpc(crane, **{**settings, "reference": None})
    with pytest.raises(InputError, match="routine in C"):
        linearised_run(da.Experiment(crane, da.Start(q={"length": 4.0}), duration=0.2, control=law), ("q0.x",))


@pytest.mark.slow
def test_an_fmu_holds_the_same_controller(tmp_path: Path, crane: da.Machine, law: Any, run: Any) -> None:
    fmpy = pytest.importorskip("fmpy")
    start = da.Experiment(crane, da.Start(q={"length": 4.0}), control=law, method=da.RK4(step=0.01))
    path = da.export_fmu(start, tmp_path / "crane.fmu")
    rows = fmpy.simulate_fmu(str(path), stop_time=2.0, output_interval=0.1, step_size=0.1)
    np.testing.assert_allclose(rows["x"][:21], run["x"][:21], atol=1e-9)
    # an FMU shows the inputs that were held until a communication point
    np.testing.assert_allclose(rows["command.drive"][1:20], run["command.drive"][:19], atol=1e-6)


def test_the_predicted_path_is_the_way_that_follows() -> None:
    """Without disturbance and with converged plans the path is the future of the frame; films draw it."""
    cart = da.Machine(
        "cart",
        [da.point_mass("cart", 2.0), da.point_mass("bob", 1.0, com=(0, 0, -1.0))],
        [da.Joint("x", "prismatic", "world", "cart", axis="x"), da.Joint("swing", "revolute", "cart", "bob", axis="y")],
        frames=[da.Frame("hook", "bob", da.Transform((0, 0, -1.0)))],
        motors=[da.Motor("push", "x")],
    )
    law = da.mpc(
        cart,
        horizon=2.0,
        intervals=20,
        cost=da.Cost(states={"x": 1.0, "swing": 5.0, "x_dot": 0.1, "swing_dot": 0.5}, inputs=1e-3, terminal="lqr"),
        reference={"x": 1.0},
        rounds=8,
        tolerance=1e-9,
        path="hook",
    )
    run = da.simulate(cart, duration=3.0, control=law, step=0.1, record=0.1)
    hook = np.array([da.equations(cart).pose("hook", q)[:3, 3] for q in run.x[:, :2]])
    stages = np.unique(np.linspace(0, 20, 13).round().astype(int))
    for k, stage in enumerate(stages):
        planned = np.array([run[f"mpc.path.{k}.{axis}"][5] for axis in "xyz"])
        np.testing.assert_allclose(planned, hook[5 + stage], atol=2e-4)
    nodes = pack_run(run)["scene"]["nodes"]
    assert [node["count"] for node in nodes if node.get("name") == "mpc.path"] == [13]
    with pytest.raises(da.DalembertError, match=r"no frame named 'hock' in path of mpc"):
        da.mpc(cart, horizon=1.0, intervals=5, cost=da.Cost(inputs=1.0), path="hock")
