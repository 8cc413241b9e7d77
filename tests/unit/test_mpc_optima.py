"""Predictive control beside IPOPT: optima with exact Hessians and terminal sets, and what a terminal set promises."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest
from tests.support.predictive_nlp import by_ipopt, plan_cost

import dalembert as da
from dalembert import control
from dalembert.benchmarks.predictive import ControllerSamples, predictive_cases
from dalembert.core.errors import InputError

STATES = {"x": 1.0, "swing": 5.0, "x_dot": 0.1, "swing_dot": 0.5}
SETTINGS: dict[str, Any] = {
    "horizon": 2.0, "intervals": 16, "cost": da.Cost(states=STATES, inputs=1e-4, terminal="lqr"),
    "reference": {"x": 1.0}, "limits": {"drive": (-40.0, 40.0), "swing": da.soft(-0.25, 0.25, linear=1e3)},
}  # fmt: skip
DIGITS = 1e-9  # relative, of costs


def trolley() -> da.Machine:
    return da.Machine(
        "trolley",
        [da.point_mass("cart", 5.0), da.point_mass("load", 10.0, com=(0, 0, -2.0))],
        [
            da.Joint("x", "prismatic", "world", "cart", axis="x"),
            da.Joint("swing", "revolute", "cart", "load", axis="y"),
        ],
        motors=[da.Motor("drive", "x")],
    )


def inside(known: control.Known) -> Any:
    """Room of the load within a cylinder."""
    com = known.pose("load")[:3, :3] @ ca.DM([0, 0, -2.0]) + known.pose("load")[:3, 3]
    return 1.0 - com[0] ** 2 - (com[2] + 1.2) ** 2


def first_plan(law: Any, machine: da.Machine, start: dict[str, float]) -> tuple[Any, Any, Any, Any]:
    """First state, plan, and recorded values of a first sample."""
    samples = ControllerSamples(law, machine, start)
    x0 = samples.x[: law.problem.nx].copy()
    samples.sample()
    x, u = law.plan(samples.memory)
    return x0, x, u, dict(zip(law.shown, samples.shown, strict=True))


@pytest.fixture(scope="module")
def curved() -> dict[str, Any]:
    """Settings with second derivatives everywhere: dynamics, a limit, and an output far from its reference."""
    output = "sin(2 * swing) * cos(x)"
    return {
        **SETTINGS, "cost": da.Cost(states=STATES, inputs=1e-3, outputs={output: 0.3}, terminal="lqr"),
        "keep": {"inside": (inside, da.soft(0, np.inf, linear=1e3))}, "limits": {"drive": (-200.0, 200.0)},
        "reference": {"x": 1.0, output: 1.0}, "tolerance": 1e-11,
    }  # fmt: skip


@pytest.fixture(scope="module")
def newton(curved: dict[str, Any]) -> Any:
    return da.mpc(trolley(), **curved, hessian="exact", rounds=40)


@pytest.mark.slow
def test_exact_hessians_lead_to_the_optimum_of_ipopt_quadratically(curved: dict[str, Any], newton: Any) -> None:
    machine = trolley()
    best = ControllerSamples(newton, machine, {})
    x0 = best.x[:4].copy()
    best.sample()
    x, u = newton.plan(best.memory)
    peer = by_ipopt(newton, x0)
    assert peer.success and best.shown[0] == 0 and best.shown[-1] == 1.0
    assert plan_cost(newton, x, u) == pytest.approx(peer.cost, rel=DIGITS)
    # the next sample, disturbed: three rounds from the same plan, beside all rounds
    disturbed = best.x.copy()
    disturbed[:4] += [0.02, 0.03, 0.05, -0.05]
    errors = {}
    for hessian in ("gauss-newton", "exact"):
        few = ControllerSamples(da.mpc(machine, **curved, hessian=hessian, rounds=3), machine, {})
        few.follow(best)
        few.x = disturbed.copy()
        few.sample()
        errors[hessian] = few
    best.x = disturbed.copy()
    best.sample()
    _, u = newton.plan(best.memory)
    gauss, exact = (np.abs(few.law.plan(few.memory)[1] - u).max() for few in errors.values())
    assert gauss > 1e-4 and exact < 1e-7  # 6e-4 after a linear rate of 0.07; 4e-10 after 1e-1, 3e-4
    assert errors["exact"].shown[-1] == 1.0


def test_second_derivatives_are_those_of_the_lagrangian(newton: Any) -> None:
    """Differences of the gradients that the other tapes have."""
    rng, tapes = np.random.default_rng(1), newton.problem.tapes
    nx, nu, par = newton.problem.nx, newton.problem.nu, np.zeros(0)
    z, costate, force = rng.normal(size=nx + nu) * 0.3, rng.normal(size=nx), rng.normal(size=1)

    def gradient(z: Any, residual: Any) -> Any:
        x, u = z[:nx], z[nx:]
        BA, J, Jr = (np.array(tapes[f"{t}_TAPE"](x, u, par, 0.2)[1])[:, : nx + nu] for t in ("STEP", "ROWS", "COST"))
        return BA.T @ costate + J.T @ force + Jr.T @ residual

    residual = np.array(tapes["COST_TAPE"](z[:nx], z[nx:], par, 0.2)[0]).ravel()
    d = 1e-5
    for end in (1.0, 0.0):  # residuals count before the end of the horizon
        C = np.array(tapes["CURVE_TAPE"](z[:nx], z[nx:], costate, np.r_[force, end], par, 0.2))[:, : nx + nu]
        slopes = [
            (gradient(z + e, end * residual) - gradient(z - e, end * residual)) / (2 * d) for e in d * np.eye(nx + nu)
        ]
        np.testing.assert_allclose(C, np.array(slopes).T, atol=1e-7 * np.abs(C).max())


def test_a_programme_that_is_not_convex_reports_the_weight_of_its_second_derivatives() -> None:
    """Towards the inverted pendulum, second derivatives make the first programmes non-convex."""
    cost = da.Cost(states={"x": 0.1, "x_dot": 0.1, "swing_dot": 0.01}, outputs={"1 + cos(swing)": 20.0}, inputs=1e-3)
    law = da.mpc(
        trolley(), horizon=2.0, intervals=20, cost=cost, limits={"drive": (-100.0, 100.0)}, hessian="exact", rounds=3
    )
    run = da.simulate(trolley(), duration=1.0, q0={"swing": 0.3}, control=law, step=0.02)
    weight = run["mpc.hessian"]
    assert (weight < 1.0).any() and (np.log2(weight[weight > 0.0]) % 1.0 == 0.0).all()
    assert (run["mpc.status"] <= 1).all()


@pytest.fixture(scope="module")
def bounded() -> Any:
    stop = da.PD(kp=0.0, kd=20.0, reference=[0.0])
    return da.mpc(trolley(), **SETTINGS, terminal_set="lqr", fallback=stop, rounds=30, tolerance=1e-9)


def test_the_plan_ends_in_the_terminal_set_at_the_optimum_of_ipopt(bounded: Any) -> None:
    """From here the set is active: without it the plan would end outside."""
    machine = trolley()
    x0, x, u, shown = first_plan(bounded, machine, {"x": -0.6})
    ends = bounded.terminal_set
    e = x[-1] - ends.centre
    assert shown["mpc.status"] == 0
    assert e @ ends.P @ e == pytest.approx(ends.level, rel=1e-6)
    best = by_ipopt(bounded, x0)
    assert best.success and plan_cost(bounded, x, u) == pytest.approx(best.cost, rel=DIGITS)
    free = da.mpc(machine, **SETTINGS, rounds=30)
    _, x, _, _ = first_plan(free, machine, {"x": -0.6})
    assert not ends.contains(x[-1])


def test_the_regulator_keeps_all_limits_from_everywhere_in_the_terminal_set(bounded: Any) -> None:
    """Runs of the machine itself under the regulator, sampled as the plan, from random points of the boundary."""
    ends, h = bounded.terminal_set, 2.0 / 16
    rng, eom = np.random.default_rng(3), da.equations(trolley())
    root = np.linalg.inv(np.linalg.cholesky(ends.P)).T

    def rate(x: Any, u: Any) -> Any:
        return np.r_[x[2:], eom.forward_dynamics(x[:2], x[2:], np.r_[u, 0.0])]

    largest = 0.0
    for _ in range(20):
        w = rng.normal(size=4)
        x = ends.centre + 0.999 * np.sqrt(ends.level) * root @ (w / np.linalg.norm(w))
        for _ in range(12):
            assert ends.contains(x)
            u = -ends.K @ (x - ends.centre)
            largest = max(largest, abs(u[0]) / 40.0, abs(x[1]) / 0.25)
            assert abs(u[0]) <= 40.0 and abs(x[1]) <= 0.25
            k1 = rate(x, u)
            k2 = rate(x + h / 2 * k1, u)
            k3 = rate(x + h / 2 * k2, u)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(x + h * k3, u))
    assert largest > 0.5  # the set is not needlessly small


def test_the_terminal_set_of_a_cart_has_a_closed_form() -> None:
    """A linear machine: at its level the force of the regulator or the position reaches its limit."""
    import control as pc

    cart = da.Machine(
        "cart",
        [da.point_mass("cart", 2.0)],
        [da.Joint("x", "prismatic", "world", "cart", axis="x")],
        motors=[da.Motor("push", "x")],
    )
    cost = da.Cost(states={"x": 1.0, "x_dot": 0.1}, inputs=1e-2, terminal="lqr")
    A, B = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[0.1**2 / 4], [0.05]])
    K, P, _ = pc.dlqr(A, B, 0.2 * np.diag([1.0, 0.1]), 0.2 * np.array([[1e-2]]))
    inverse = np.linalg.inv(P)
    for side in (0.05, 5.0):
        limits = {"push": (-1.0, 2.0), "x": da.soft(-side, 3.0)}
        law = da.mpc(
            cart, horizon=1.0, intervals=10, cost=cost, limits=limits, terminal_set=("lqr", da.soft(0, np.inf))
        )
        expected = min(1.0 / (K @ inverse @ K.T).item(), side**2 / inverse[0, 0])
        assert law.terminal_set.level == pytest.approx(expected, rel=1e-9)


def test_a_margin_is_the_deviation_of_the_kept_expression() -> None:
    """To first order, for independent errors of the states: here by differences."""
    margin = {"x": 0.05, "swing": 0.02, "swing_dot": 0.1}
    laws = [
        da.mpc(trolley(), **SETTINGS, keep={"inside": (inside, da.soft(-0.5, high))}, margin=m)
        for m, high in (({}, np.inf), (margin, np.inf), (margin, 0.7))
    ]
    plain, tight, both = (law.problem.tapes["ROWS_TAPE"] for law in laws)
    x, u, d = np.array([0.2, 0.3, 0.1, -0.4]), np.zeros(1), 1e-6
    h = lambda x: float(plain(x, u, np.zeros(0), 0.0)[0])  # noqa: E731
    slopes = [(h(x + e) - h(x - e)) / (2 * d) for e in d * np.eye(4)]
    back_off = np.linalg.norm(np.array(slopes) * [0.05, 0.02, 0.0, 0.1])
    assert float(tight(x, u, np.zeros(0), 0.0)[0]) == pytest.approx(h(x) - back_off, rel=1e-6)
    low, high = np.array(both(x, u, np.zeros(0), 0.0)[0]).ravel()
    assert (low, high) == pytest.approx((h(x) - back_off, h(x) + back_off), rel=1e-6)
    assert [(b.lower, b.upper) for b in laws[2].problem.bounds[-2:]] == [(-0.5, np.inf), (-np.inf, 0.7)]
    with pytest.raises(da.DalembertError, match=r"'angle'.*the margin of mpc 'mpc'"):
        da.mpc(trolley(), **SETTINGS, margin={"angle": 0.1})
    with pytest.raises(InputError, match="margin of 'x' of mpc must not be negative"):
        da.mpc(trolley(), **SETTINGS, margin={"x": -0.1})


@pytest.mark.slow
@pytest.mark.parametrize("name", ["crane", "ur5", pytest.param("cable-robot", marks=pytest.mark.long), "planar-arm"])
def test_measured_controllers_find_the_optimum_of_ipopt(name: str) -> None:
    case = predictive_cases()[name]
    machine = case.machine()
    law = da.mpc(machine, **{**case.settings(machine), "rounds": 40, "tolerance": 1e-9})
    start = {machine.q_names[4] if key == "length" else key: value for key, value in case.start.items()}
    x0, x, u, shown = first_plan(law, machine, start)
    best = by_ipopt(law, x0)
    assert best.success and shown["mpc.status"] == 0
    assert plan_cost(law, x, u) == pytest.approx(best.cost, rel=DIGITS)


@pytest.mark.slow
def test_a_cable_robot_finds_the_optimum_of_ipopt_within_its_tensions() -> None:
    """Four winches, elastic cables, implicit steps, tensions between soft limits that are active."""
    corners = {"a": (-2, 0, 3), "b": (2, 0, 3), "c": (-2, 0, 0), "d": (2, 0, 0)}
    drums = [da.winch(f"w{k}", 0.02, damping=0.05) for k in corners]
    robot = da.Machine(
        "robot",
        [da.Body("slide"), da.point_mass("platform", 20.0), *(body for body, _, _ in drums)],
        [
            da.Joint("x", "prismatic", "world", "slide", axis="x"),
            da.Joint("z", "prismatic", "slide", "platform", axis="z"),
            *(joint for _, joint, _ in drums),
        ],
        motors=[motor for _, _, motor in drums],
        cables=[
            da.Cable(f"c{k}", "platform", exit_at=c, length=2.5, winch=f"w{k}", drum=0.05, stiffness=2e4, damping=200.0)
            for k, c in corners.items()
        ],
    )

    def posture(x: float, z: float) -> dict[str, float]:
        spans = np.array([(c[0] - x, c[2] - z) for c in corners.values()])
        lengths = np.linalg.norm(spans, axis=1)
        A = (spans / lengths[:, None]).T
        tension = 150.0 + np.linalg.pinv(A) @ (np.array([0.0, 20.0 * 9.81]) - A @ np.full(4, 150.0))
        angles = (lengths / (1 + tension / 2e4) - 2.5) / 0.05
        return {"x": x, "z": z} | {f"w{k}": a for k, a in zip(corners, angles.tolist(), strict=True)}

    weights = {"x": 100.0, "z": 100.0, "x_dot": 1.0, "z_dot": 1.0}
    weights |= {f"w{k}": 0.1 for k in corners} | {f"w{k}_dot": 0.01 for k in corners}
    limits: dict[str, Any] = {f"u.w{k}": (-60.0, 60.0) for k in corners}
    limits |= {f"tension.c{k}": da.soft(40.0, 480.0, linear=10.0, quadratic=0.1) for k in corners}
    law = da.mpc(
        robot, horizon=0.3, intervals=30, cost=da.Cost(states=weights, inputs=1e-3, terminal="lqr"),
        reference=posture(0.6, 1.9), limits=limits, integrator="midpoint", rounds=60, tolerance=1e-10,
    )  # fmt: skip
    x0, x, u, shown = first_plan(law, robot, posture(0.0, 1.5))
    best = by_ipopt(law, x0)
    assert best.success and shown["mpc.status"] == 0
    assert plan_cost(law, x, u) == pytest.approx(best.cost, rel=DIGITS)


def test_terminal_sets_that_cannot_be_are_refused_by_name() -> None:
    machine, rest = trolley(), da.PD(kp=0.0, kd=20.0, reference=[0.0])
    cases: list[tuple[dict[str, Any], str]] = [
        ({"terminal_set": "lqr"}, "hard limits on the terminal set.*fallback"),
        ({"terminal_set": "box"}, r"terminal_set of mpc 'mpc' must be 'lqr' or \('lqr', soft"),
        ({"terminal_set": ("lqr", da.soft(-1, 1))}, "terminal_set"),
        ({"terminal_set": "lqr", "fallback": rest, "cost": da.Cost(states=STATES, inputs=1.0)}, "terminal='lqr'"),
        (
            {"terminal_set": "lqr", "fallback": rest, "reference": {"x": 9.0}, "limits": {"x": da.soft(-1, 1)}},
            "'x' is viol",
        ),
        ({"terminal_set": "lqr", "fallback": rest, "reference": {"x": lambda t: ca.sin(t)}}, "constant"),
        ({"terminal_set": "lqr", "fallback": rest, "limits": {"rate.drive": (-1.0, 1.0)}}, "rate.drive"),
        ({"hessian": "newton"}, "'gauss-newton' or 'exact'"),
        ({"hessian": "exact", "integrator": "midpoint"}, "rk4"),
        ({"budget": -1.0}, "budget of mpc"),
    ]
    for change, message in cases:
        with pytest.raises(InputError, match=message):
            da.mpc(machine, **{**SETTINGS, **change})
