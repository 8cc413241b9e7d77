"""Plans of `optimise`: against closed forms with other data, other transcriptions, and the time loop of the engine."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import DalembertWarning
from dalembert.optimal import OptimalPlan
from dalembert.systems.cable_robots import cable_robot


def cart(mass: float = 1.0, effort: float = np.inf, **more: object) -> da.Machine:
    return da.Machine(
        "cart",
        [da.point_mass("m", mass)],
        [da.Joint("x", "prismatic", "world", "m", axis="x")],
        motors=[da.Motor("F", "x", effort=effort)],
        gravity=(0.0, 0.0, 0.0),
        **more,  # type: ignore[arg-type]
    )


def replayed(machine: da.Machine, plan: OptimalPlan, step: float = 1e-3) -> float:
    """Largest difference of states at the end of a simulation with the inputs of the plan."""
    run = da.simulate(machine, duration=plan.duration, q0=plan.q[0], v0=plan.v[0], control=plan.feedforward, step=step)
    n = machine.nq + machine.nv
    return float(np.abs(run.x[-1, :n] - [*plan.q[-1], *plan.v[-1]]).max())


def test_least_effort_in_one_iteration() -> None:
    """A quadratic programme: 12 m^2 d^2 / T^3, exactly, and its motion as functions of time."""
    plan = da.optimise(cart(2.0), end={"x": 1.5}, duration=2.0, intervals=3)
    assert plan.cost == pytest.approx(12.0 * 4.0 * 2.25 / 8.0, rel=1e-12)
    t = np.linspace(0.0, 2.0, 17)
    assert np.allclose(plan.coordinates(t)[:, 0], 1.5 * (t / 2) ** 2 * (3.0 - t), atol=1e-11)
    assert np.allclose(plan.velocities(t)[:, 0], 1.5 * (1.5 * t - 0.75 * t**2), atol=1e-11)
    assert np.allclose(plan.inputs(t)[:, 0], 9.0 / 2.0 * (1.0 - t), atol=1e-9)
    reference = np.array([float(plan.reference(x)) for x in t])
    assert np.abs(reference - plan.coordinates(t)[:, 0]).max() < 1e-14
    assert plan.status == "optimal" and plan.error < 1e-12 and not plan.violations


@pytest.mark.parametrize("limit", [0.08, 0.14])
def test_a_limit_of_a_coordinate_holds_between_the_points(limit: float) -> None:
    """Bryson and Denham: half the integral of u^2 is 4 / (9 l); a grid without refinement passes the limit."""
    at = da.Start(v={"x_dot": 1.0})
    task = {"end": {"x": 0.0, "x_dot": -1.0}, "limits": {"x": (None, limit)}, "cost": da.Cost(effort=0.5)}
    plan = da.optimise(cart(), start=at, duration=1.0, **task)  # type: ignore[arg-type]
    assert plan.cost == pytest.approx(4.0 / (9.0 * limit), rel=1e-8)
    assert plan.coordinates(np.linspace(0.0, 1.0, 5001)).max() <= limit * (1.0 + 1e-9)
    coarse = da.optimise(cart(), start=at, duration=1.0, refinements=0, **task)  # type: ignore[arg-type]
    assert coarse.violation > 1e-7  # which the error of the motion does not show
    assert coarse.error < 1e-10


def test_least_time_with_limits_of_force_and_speed() -> None:
    """A trapezoid of the speed: T = d / v + v / a, with the switches at v / a."""
    d, v, a = 1.3, 0.6, 0.9
    plan = da.optimise(
        cart(2.0, 2.0 * a), end={"x": d}, duration=(0.5, 10.0), limits={"x_dot": (-v, v)}, cost=da.Cost(time=1.0)
    )
    assert plan.duration == pytest.approx(d / v + v / a, rel=1e-8)
    ends = np.array([piece.end for piece in plan.trajectory.pieces[:-1]])
    assert np.abs(ends - v / a).min() < 1e-5 and np.abs(ends - (plan.duration - v / a)).min() < 1e-5
    assert replayed(cart(2.0), plan) < 1e-3


def test_an_impact_between_phases() -> None:
    """A wall with restitution: both phases in closed form, minimised over speed and time of the impact by SciPy."""
    from scipy.optimize import minimize

    e, T, d = 0.3, 1.7, 0.8

    def cost(x: np.ndarray) -> float:
        (speed, t), back = x, T - x[1]
        there = 12 * d**2 / t**3 - 12 * d * speed / t**2 + 4 * speed**2 / t
        return float(there + 12 * d**2 / back**3 - 12 * d * e * speed / back**2 + 4 * (e * speed) ** 2 / back)

    exact = minimize(cost, [1.5, 0.8], method="Nelder-Mead", options={"xatol": 1e-12, "fatol": 1e-14})
    wall = da.Contact("wall", "m", surface=da.HalfSpace((-1, 0, 0), (d, 0, 0)), restitution=e)
    phases = [da.Phase("there", (0.1, 1.6), impact="wall"), da.Phase("back", (0.1, 1.6))]
    plan = da.optimise(cart(contacts=[wall]), end={"x": 0.0}, phases=phases, duration=T)
    assert plan.cost == pytest.approx(exact.fun, rel=1e-9)
    assert plan.phases[0][2] == pytest.approx(exact.x[1], rel=1e-5)
    before, after = (plan.trajectory.pieces[k].v[i, 0] for k, i in ((0, -1), (1, 0)))
    assert after == pytest.approx(-e * before, rel=1e-9)


def test_a_closed_loop_stays_closed() -> None:
    """A four-bar mechanism: on its constraints at every point, and the engine follows its inputs."""
    bars = [da.rod(n, m, length, axis="x") for n, m, length in (("a", 1.0, 0.3), ("b", 2.0, 0.8), ("c", 1.5, 0.6))]
    four = da.Machine(
        "four bar", bars,
        [
            da.Joint("a", "revolute", "world", "a", axis="y"),
            da.Joint("b", "revolute", "a", "b", axis="y", origin=da.Transform((0.3, 0, 0))),
            da.Joint("c", "revolute", "world", "c", axis="y", origin=da.Transform((0.7, 0, 0))),
        ],
        frames=[da.Frame("be", "b", da.Transform((0.8, 0, 0))), da.Frame("ce", "c", da.Transform((0.6, 0, 0)))],
        constraints=[da.BallConstraint("pin", "be", "ce")], motors=[da.Motor("M", "a", effort=30.0)],
    )  # fmt: skip
    plan = da.optimise(four, start={"a": -1.0}, end={"a": -2.2}, duration=1.0)
    assert np.abs(da.equations(four).constraints(plan.q)).max() < 1e-9
    assert replayed(four, plan) < 1e-4
    assert plan.q[-1, 0] == pytest.approx(-2.2)
    t, pull = plan.forces("pin[0]")
    dynamics = da.equations(four).constrained_dynamics(
        plan.q, plan.v, da.equations(four).applied(plan.q, plan.v, plan.u)
    )
    assert len(t) == len(plan.t) and np.abs(dynamics.acceleration - plan.a).max() < 1e-6
    assert np.ptp(pull) > 1.0


def test_tensions_of_a_winched_cable_robot() -> None:
    """Ropes keep their least tension, which acts; the engine with its winches and ropes comes to the same end."""
    corners = [(x, y, 3.0) for x in (-2.0, 2.0) for y in (-2.0, 2.0)]
    robot = cable_robot("robot", da.point_mass("platform", 10.0), corners, [(0, 0, 0)] * 4, mount="point")
    ranges = {f"tension.cable{k}": (20.0, 200.0) for k in (1, 2, 3, 4)}
    plan = da.optimise(
        robot, start={"x": 0.0, "y": 0.0, "z": 1.0}, end={"x": 0.8, "y": 0.5, "z": 1.4}, duration=1.2, limits=ranges,
        refinements=0, intervals=6,
    )  # fmt: skip
    tensions = np.array([plan.forces(f"cable{k}")[1] for k in (1, 2, 3, 4)])
    assert 20.0 - 1e-6 <= tensions.min() < 20.0 + 1e-3
    assert replayed(robot, plan) < 1e-4
    assert plan.coordinates(plan.end)[robot.q_names.index("x")] == pytest.approx(0.8)


def test_a_free_parameter_is_stationary() -> None:
    """The best length of a pendulum: the cost of neighbours is larger by the second order."""
    length = da.Parameter("l", 1.0)
    machine = da.Machine(
        "pendulum",
        [da.point_mass("bob", 1.0, com=(0, 0, -1.0 * length))],
        [da.Joint("th", "revolute", "world", "bob", axis="y")],
        motors=[da.Motor("M", "th")],
    )
    task = {"start": {"th": -1.0}, "end": {"th": 0.6}, "duration": 1.5, "intervals": 6, "refinements": 0}
    plan = da.optimise(machine, parameters={"l": (0.2, 3.0)}, **task)  # type: ignore[arg-type]
    best = plan.parameters["l"]
    assert 0.21 < best < 2.9
    near = [da.optimise(machine, p={"l": best + d}, **task).cost for d in (-1e-3, 0.0, 1e-3)]  # type: ignore[arg-type]
    assert near[1] == pytest.approx(plan.cost, rel=1e-9)
    assert near[0] > near[1] < near[2]
    assert (near[0] - near[2]) / (near[0] + near[2] - 2 * near[1]) == pytest.approx(0.0, abs=0.05)


def test_a_periodic_motion_at_resonance() -> None:
    """A mass on a spring that must swing by one metre costs least at its own frequency: the losses alone."""
    k, c = 9.0, 0.4
    spring = da.Machine(
        "spring", [da.point_mass("m", 1.0)],
        [da.Joint("x", "prismatic", "world", "m", axis="x", stiffness=k, damping=c)],
        motors=[da.Motor("F", "x")], gravity=(0, 0, 0),
    )  # fmt: skip
    half = [da.Phase("out", (0.2, 4.0), end={"x": 1.0, "x_dot": 0.0}), da.Phase("back", (0.2, 4.0))]
    plan = da.optimise(
        spring, start={"x": -1.0}, phases=half, periodic=("x", "x_dot"), free_start=("x_dot",),
        limits={"x": (-1.0, 1.0)}, cost=da.Cost(effort=1.0), keep=None, refinements=0,
    )  # fmt: skip
    assert np.allclose([*plan.q[0], *plan.v[0]], [*plan.q[-1], *plan.v[-1]], atol=1e-9)
    assert plan.status == "optimal"


def test_soft_limits_rates_and_conditions() -> None:
    """A soft limit is passed where that pays, a hard rate is kept, and a condition on a path is followed."""
    at = da.Start(v={"x_dot": 1.0})
    task = {"end": {"x": 0.0, "x_dot": -1.0}, "duration": 1.0, "cost": da.Cost(effort=0.5), "refinements": 0}
    hard = da.optimise(cart(), start=at, limits={"x": (None, 0.1)}, **task)  # type: ignore[arg-type]
    gentle = da.optimise(cart(), start=at, limits={"x": da.soft(-9, 0.1, linear=1.0)}, **task)  # type: ignore[arg-type]
    stern = da.optimise(cart(), start=at, limits={"x": da.soft(-9, 0.1, linear=1e4)}, **task)  # type: ignore[arg-type]
    assert gentle.q.max() > 0.11 and stern.q.max() < 0.1 + 1e-6
    assert stern.cost == pytest.approx(hard.cost, rel=1e-6)
    slow = da.optimise(cart(), end={"x": 1.0}, duration=1.0, limits={"rate.F": (-80.0, 80.0)}, refinements=0,
                       start_inputs={"F": 0.0})  # fmt: skip
    assert slow.u[0, 0] == 0.0 and np.abs(np.diff(slow.u[:, 0]) / np.diff(slow.t)).max() < 80.0 + 1e-6
    arm = da.Machine(
        "arm", [da.rod("a", 1.0, 1.0, axis="x"), da.rod("b", 1.0, 1.0, axis="x")],
        [da.Joint("s", "revolute", "world", "a", axis="y"),
         da.Joint("e", "revolute", "a", "b", axis="y", origin=da.Transform((1.0, 0, 0)))],
        motors=[da.Motor("S", "s"), da.Motor("E", "e")], frames=[da.Frame("tip", "b", da.Transform((1.0, 0, 0)))],
    )  # fmt: skip
    z = ca.Function("z", [da.equations(arm).symbolic.q], [da.equations(arm).symbolic.pose("tip")[2, 3]])
    start = {"s": -0.9, "e": 1.6}
    level = float(z([start["s"], start["e"]]))
    line = da.optimise(
        arm, start=start, end={"position.tip.x": 0.9}, duration=1.0, equal=lambda t, q, v, u: z(q) - level, intervals=6
    )
    heights = np.array([float(z(q)) for q in line.coordinates(np.linspace(0, 1, 41))])
    assert np.abs(heights - level).max() < 1e-6 and np.abs(np.diff(line.q[:, 0])).max() > 0.01


def test_the_solver_receives_exact_derivatives() -> None:
    """Jacobian and Hessian of the programme against differences of its values and Jacobian."""
    from dalembert.optimal.solving import first_columns
    from dalembert.optimal.transcription import Transcription, uniform_mesh

    length = da.Parameter("l", 1.0)
    machine = da.Machine(
        "pendulum", [da.point_mass("bob", 1.0, com=(0, 0, -1.0 * length))],
        [da.Joint("th", "revolute", "world", "bob", axis="y")], motors=[da.Motor("M", "th")],
        wrenches=[da.Wrench("wind", "bob", force=(da.sin(da.TIME), 0, 0))],
    )  # fmt: skip
    plan = da.optimise(machine, end={"th": 1.0}, duration=(0.5, 2.0), parameters={"l": (0.5, 2.0)}, intervals=2,
                       cost=da.Cost(effort=1.0, time=1.0), refinements=0)  # fmt: skip
    problem = plan.problem
    mesh = uniform_mesh(problem, 4)
    made = Transcription(problem, mesh, np.zeros(1), np.ones(1))
    columns, durations = first_columns(problem, mesh, np.zeros(1), np.ones(1), None)
    rng = np.random.default_rng(1)
    x = made.pack(columns, durations, np.array([0.9]))
    x = x + 0.1 * rng.normal(size=x.size)
    programme, y, d = made.programme, rng.normal(size=made.programme.m), rng.normal(size=x.size)

    def gradient(x: np.ndarray) -> np.ndarray:
        slope, entries = programme.slopes(x)
        J = ca.DM(programme.jacobian.sparsity, entries).full()
        return np.asarray(1.7 * slope + J.T @ y)

    h = 1e-6
    (low, g_low), (high, g_high) = programme.values(x - h * d), programme.values(x + h * d)
    slope, entries = programme.slopes(x)
    J = ca.DM(programme.jacobian.sparsity, entries).full()
    assert slope @ d == pytest.approx((high - low) / (2 * h), rel=1e-6)
    assert np.allclose(J @ d, (g_high - g_low) / (2 * h), atol=1e-6)
    upper = ca.DM(programme.hessian.sparsity, programme.bends(x, 1.7, y)).full()
    H = upper + upper.T - np.diag(np.diag(upper))
    assert np.allclose(H @ d, (gradient(x + h * d) - gradient(x - h * d)) / (2 * h), atol=1e-5)


def test_failures_lose_nothing() -> None:
    """The best iterate comes with the error; a progress function can stop the solver."""
    with pytest.raises(da.PlanError, match="no motion of machine 'cart' within the limits") as caught:
        da.optimise(cart(effort=1.0), end={"x": 10.0}, duration=1.0)
    assert isinstance(caught.value.plan, OptimalPlan) and caught.value.plan.status == "infeasible"
    few = da.optimise(cart(effort=9.0), end={"x": 1.0}, duration=(0.2, 3.0), cost=da.Cost(time=1.0), max_iterations=3,
                      check=False)  # fmt: skip
    assert few.status == "not converged" and few.q.shape == (len(few.t), 1)
    seen: list[int] = []
    stopped = da.optimise(cart(effort=9.0), end={"x": 1.0}, duration=(0.2, 3.0), cost=da.Cost(time=1.0), check=False,
                          progress=lambda grid, it: (seen.append(it.number), it.number < 4)[1])  # fmt: skip
    assert stopped.status == "interrupted" and seen == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"duration": (2.0, 1.0)}, "duration"),
        ({"end": {"y": 1.0}}, "no quantity named 'y'"),
        ({"limits": {"z": (0, 1)}}, "no quantity named 'z'"),
        ({"parameters": {"l": (0, 1)}}, "no parameter named 'l'"),
        ({"cost": da.Cost(terminal="lqr")}, "no regulator after its end"),
        ({"phases": [da.Phase("a", 1.0, active={"tie": True})]}, "no constraint, rope or contact"),
        ({"phases": [da.Phase("a", 1.0, impact="floor"), da.Phase("b", 1.0)]}, "no contact named 'floor'"),
        ({"periodic": True}, "periodic and prescribed"),
        ({"points": 2}, "points must be an integer >= 3"),
        ({"start_inputs": {"G": 0.0}}, "no input named 'G'"),
        ({"limits": {"rate.F": da.soft(-1, 1)}}, "no soft limits in plans"),
    ],
)
def test_bad_input(change: dict[str, object], match: str) -> None:
    task: dict[str, object] = {"end": {"x": 1.0}, "duration": 1.0}
    if "phases" in change:
        del task["duration"]
    with pytest.raises(da.DalembertError, match=match):
        da.optimise(cart(), **{**task, **change})  # type: ignore[arg-type]


def test_a_flexible_arm_ends_at_rest() -> None:
    """The plan of a link that vibrates agrees with a simulation, and a grid that is too coarse is not optimal."""
    section = da.Section(4e-5, I_y=1.3e-11, I_z=1.3e-11)
    link = da.Beam("link", 1.0, section, E=7e10, G=3e10, density=2700.0, modes={"y": 2})
    joint = da.Joint("hub", "revolute", "world", "link", axis="z")
    arm = da.Machine("arm", [link], [joint], motors=[da.Motor("M", "hub")], gravity=(0, 0, 0))
    end = {"hub": 0.5} | {name: 0.0 for name in arm.q_names if name != "hub"}
    plan = da.optimise(arm, end=end, duration=1.0, tolerance=1e-6)
    assert plan.status == "optimal" and plan.error < 1e-6 and plan.iterations < 40
    run = da.simulate(arm, duration=1.0, control=plan.feedforward, step=2e-4)
    np.testing.assert_allclose(run.x[-1, : arm.nq], plan.q[-1], atol=1e-6)
    with pytest.warns(DalembertWarning, match="too coarse: the error of the motion between nodes is"):
        coarse = da.optimise(arm, end=end, duration=1.0, intervals=4, refinements=0)
    assert coarse.status == "inaccurate" and coarse.error > 1e-3
