"""Contact by time-stepping: against closed forms, conservation laws, an independent solver, and itself at rest."""

import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import DalembertError, InputError
from dalembert.engine.stepping.native import solve_cone

WEIGHT = 9.81


def ball(radius: float = 0.1, *, mass: float = 1.0, **contact: Any) -> da.Machine:
    return da.Machine(
        "ball",
        bodies=[da.sphere("ball", mass, radius)],
        joints=[da.Joint("base", "free", "world", "ball")],
        contacts=[da.Contact("floor", "ball", da.Sphere(radius), **contact)],
    )


def block(size: tuple[float, float, float], normal: tuple[float, float, float], **contact: Any) -> da.Machine:
    return da.Machine(
        "block",
        bodies=[da.box("block", 2.0, size)],
        joints=[da.Joint("base", "free", "world", "block")],
        contacts=[da.Contact("corner", "block", da.Box(size), surface=da.HalfSpace(normal=normal), **contact)],
    )


# -- the complementarity problem ------------------------------------------------------------------------------------


def random_problem(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    k = int(rng.integers(1, 6))
    J = rng.normal(size=(3 * k, int(rng.integers(3 * k, 3 * k + 6))))
    return J @ J.T, rng.normal(size=3 * k) - np.tile([1.0, 0.0, 0.0], k), rng.uniform(0.05, 0.6, k)


def test_impulses_obey_coulombs_law() -> None:
    """Signorini and Coulomb, condition by condition, on random problems."""
    rng = np.random.default_rng(0)
    kinds = set()
    for _ in range(200):
        W, u, mu = random_problem(rng)
        found = solve_cone(W, u, mu)
        x, w = found.impulses, (W @ found.impulses.ravel() + u).reshape(-1, 3)
        size, slip = np.linalg.norm(x[:, 1:], axis=1), np.linalg.norm(w[:, 1:], axis=1)
        scale = 1e-9 * (1.0 + x.max())
        assert (x[:, 0] >= 0.0).all() and (w[:, 0] >= -scale).all()
        assert np.abs(x[:, 0] * w[:, 0]).max() <= scale
        assert (size <= mu * x[:, 0] + scale).all()
        assert np.abs(w[:, 1:] * (mu * x[:, 0])[:, None] + slip[:, None] * x[:, 1:]).max() <= scale * (1.0 + slip.max())
        assert found.residual <= 1e-9
        kinds |= set(np.where(x[:, 0] == 0.0, "open", np.where(slip > scale, "slip", "stick")).tolist())
    assert kinds == {"open", "slip", "stick"}


def test_one_contact_against_search() -> None:
    """The impulse of one slipping contact lies where a fine search over the circle of directions finds it."""
    rng = np.random.default_rng(1)
    compared = 0
    for _ in range(50):
        J = rng.normal(size=(3, 6))
        W, u, mu = J @ J.T, rng.normal(size=3) - [2.0, 0.0, 0.0], 0.2
        x = solve_cone(W, u, [mu]).impulses[0]
        w = W @ x + u
        if x[0] == 0.0 or np.linalg.norm(w[1:]) < 1e-9:
            continue
        angle = np.linspace(0.0, 2.0 * np.pi, 20001)
        d = np.stack([np.ones_like(angle), mu * np.cos(angle), mu * np.sin(angle)])
        n = -u[0] / (W[0] @ d)  # the normal velocity vanishes
        slip = (W @ (d * n) + u[:, None])[1:]
        against = (slip * d[1:]).sum(axis=0) / (mu * np.linalg.norm(slip, axis=0))
        best = int(np.argmin(np.where(n > 0.0, against, 2.0)))
        np.testing.assert_allclose(x, (d * n)[:, best], rtol=0, atol=1e-3 * x[0])
        compared += 1
    assert compared > 10


def test_many_rows_at_few_joints_and_bounded_sweeps() -> None:
    """Redundant contacts (a singular matrix) are solved too, and a solver that may not go on says how far it is."""
    rng = np.random.default_rng(2)
    J = rng.normal(size=(12, 6))
    J[0::3] = np.abs(J[0::3])
    assert solve_cone(J @ J.T, J @ -np.ones(6), np.full(4, 0.3)).residual < 1e-8
    J = rng.normal(size=(12, 14))
    short = solve_cone(J @ J.T, J @ -np.ones(14) - 1.0, np.full(4, 0.3), max_sweeps=1)
    assert short.sweeps == 1 and short.residual > 1e-6


def test_theta_is_from_a_half_to_one() -> None:
    assert [da.TimeStepping(theta=x).theta for x in (0.5, 1.0)] == [0.5, 1.0]
    for theta in (0.49, 1.01):
        with pytest.raises(da.InputError, match="theta of TimeStepping must be from"):
            da.TimeStepping(theta=theta)


def test_slow_sweeps_are_extrapolated() -> None:
    """Contacts that slide together, so that each undoes what the others have done: plain sweeps take 54 to 76."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        J = rng.normal(size=(36, 40)) + 2.0 * np.tile(rng.normal(size=(3, 40)), (12, 1))
        u = np.tile([-1.0, 3.0, 0.5], 12) + 0.1 * rng.normal(size=36)
        found = solve_cone(J @ J.T, u, np.full(12, 0.3), tolerance=1e-10)
        x = found.impulses[found.impulses[:, 0] > 0.0]
        np.testing.assert_allclose(np.hypot(x[:, 1], x[:, 2]), 0.3 * x[:, 0], rtol=1e-9)
        assert found.residual < 1e-9 and found.sweeps <= 40
        assert solve_cone(J @ J.T, u, np.full(12, 0.3), tolerance=1e-10, max_sweeps=10).sweeps == 10


# -- closed forms ----------------------------------------------------------------------------------------------------


def height_after(drop: float, e: float, t: float) -> float:
    """Height of a ball that was dropped, after bounces without end."""
    now, v = np.sqrt(2.0 * drop / WEIGHT), np.sqrt(2.0 * drop * WEIGHT)
    if t < now:
        return float(drop - 0.5 * WEIGHT * t**2)
    while v > 1e-9:
        v *= e
        if t < now + 2.0 * v / WEIGHT:
            return float(v * (t - now) - 0.5 * WEIGHT * (t - now) ** 2)
        now += 2.0 * v / WEIGHT
    return 0.0


@pytest.mark.parametrize("e", [0.0, 0.7])
def test_first_order_over_drop_heights(e: float) -> None:
    machine, drops = ball(restitution=e), np.linspace(0.3, 0.7, 20)
    errors = []
    for h in (4e-3, 1e-3, 2.5e-4):
        error = 0.0
        for drop in drops:
            run = da.simulate(machine, duration=0.6, q0={"base.z": 0.1 + drop}, contact="time-stepping", step=h)
            exact = np.array([height_after(drop, e, t) for t in run.t])
            error += float(np.mean(np.abs(run["base.z"] - 0.1 - exact))) / len(drops)
        errors.append(error)
    if e == 0.0:  # it lies where it hits: nothing is left of the error in time
        assert max(errors) < 1e-12
    else:
        orders = [np.log(a / b) / np.log(4.0) for a, b in pairwise(errors)]
        assert errors[-1] < 1e-3 and min(orders) > 0.8, (errors, orders)


def test_bouncing_ball_comes_to_rest() -> None:
    """Beyond the accumulation of its impacts (3.855 s) the ball lies on the floor, and the energy adds up."""
    run = da.simulate(ball(restitution=0.8), duration=6.0, q0={"base.z": 1.1}, contact="time-stepping", step=1e-3)
    rest = run.t > 4.2
    assert np.abs(run["gap.floor"][rest]).max() < 1e-7
    np.testing.assert_allclose(run["force.floor.normal"][rest], WEIGHT, rtol=1e-12)
    assert run.energy.drift < 1e-12
    np.testing.assert_allclose(run["work.loss"][-1], -WEIGHT, rtol=1e-6)
    assert run.energy.work_loss.min() >= -WEIGHT * (1.0 + 1e-6)


def test_elastic_ball_keeps_its_energy() -> None:
    run = da.simulate(ball(restitution=1.0), duration=3.0, q0={"base.z": 1.1}, contact="time-stepping", step=1e-3)
    total = run["energy.kinetic"] + run["energy.potential"]
    np.testing.assert_allclose(total, total[0], rtol=1e-12)
    assert run["base.z"][-1000:].max() > 1.08


def test_sliding_becomes_rolling() -> None:
    """A ball that is set down with v0 slides for 2 v0 / (7 mu g) and then rolls with 5 v0 / 7."""
    mu, v0 = 0.2, 2.0
    run = da.simulate(
        ball(friction=mu), duration=1.0, q0={"base.z": 0.1}, v0={"base.vx": v0}, contact="time-stepping", step=1e-3
    )
    np.testing.assert_allclose(np.hypot(run["base.vx"], run["base.vz"])[-1], 5.0 * v0 / 7.0, rtol=2e-3)
    rolls = run.t[np.flatnonzero(run["slip.floor"] > 1e-2)[-1]]
    assert abs(rolls - 2.0 * v0 / (7.0 * mu * WEIGHT)) < 5e-3
    assert run["slip.floor"][-1] < 1e-9
    np.testing.assert_allclose(run["loss.floor"][-1], 0.5 * v0**2 * (2.0 / 7.0), rtol=5e-3)


def test_block_on_an_incline_slides_as_it_must() -> None:
    angle, mu = np.radians(30.0), 0.3
    n = np.array([np.sin(angle), 0.0, np.cos(angle)])
    machine = block((0.4, 0.4, 0.02), tuple(n), friction=mu)
    q0 = dict(zip(("base.x", "base.y", "base.z"), 0.01 * n, strict=True))
    q0 |= {"base.qw": np.cos(angle / 2), "base.qy": np.sin(angle / 2)}
    run = da.simulate(machine, duration=0.5, q0=q0, contact="time-stepping", step=1e-3)
    gone = np.linalg.norm(run.array(["base.x", "base.y", "base.z"])[-1] - 0.01 * n)
    slides = 0.5 * WEIGHT * (np.sin(angle) - mu * np.cos(angle)) * 0.5**2
    np.testing.assert_allclose(gone, slides, rtol=3e-3)


# -- rest ------------------------------------------------------------------------------------------------------------


def rest_of_block(degrees: float, duration: float) -> None:
    """Forces are the weight to 1e-10, and nothing creeps: neither set down nor dropped."""
    angle, size = np.radians(degrees), (0.2, 0.3, 0.1)
    n = np.array([np.sin(angle), 0.0, np.cos(angle)])
    machine = block(size, tuple(n), friction=0.5)
    q0 = dict(zip(("base.x", "base.y", "base.z"), 0.05 * n, strict=True))
    q0 |= {"base.qw": np.cos(angle / 2), "base.qy": np.sin(angle / 2)}
    run = da.simulate(machine, duration=duration, q0=q0, contact="time-stepping", step=2e-3, record=duration / 50)
    normal, along = (sum(run[f"force.corner[{k}].{axis}"][1:] for k in range(8)) for axis in ("normal", "tangent1"))
    np.testing.assert_allclose(normal, 2.0 * WEIGHT * np.cos(angle), rtol=1e-10)
    np.testing.assert_allclose(np.abs(along), 2.0 * WEIGHT * np.sin(angle), rtol=1e-10, atol=1e-10)
    place = run.array(["base.x", "base.y", "base.z"])
    assert np.abs(place - place[0]).max() < 1e-9
    assert run["contact.residual"].max() < 1e-10


@pytest.mark.parametrize("degrees", [0.0, 20.0])
def test_rest_neither_drifts_nor_chatters(degrees: float) -> None:
    rest_of_block(degrees, 5.0)


@pytest.mark.slow
@pytest.mark.parametrize("degrees", [0.0, 20.0])
def test_rest_for_long(degrees: float) -> None:
    rest_of_block(degrees, 100.0)


def test_dropped_block_comes_to_rest() -> None:
    machine = block((0.2, 0.2, 0.1), (0.0, 0.0, 1.0), friction=0.5, restitution=0.3)
    q0 = {"base.z": 0.5, "base.qw": np.cos(0.3), "base.qy": np.sin(0.3)}
    run = da.simulate(machine, duration=3.0, q0=q0, v0={"base.wz": 2.0}, contact="time-stepping", step=1e-3)
    total = sum(run[f"force.corner[{k}].normal"][-1] for k in range(8))
    np.testing.assert_allclose(total, 2.0 * WEIGHT, rtol=1e-10)
    assert np.abs(run.array(["base.vx", "base.vz", "base.wx", "base.wz"])[-1]).max() < 1e-12
    assert run.energy.drift < 1e-3  # of the order of the step, in which bodies turn while they hit
    np.testing.assert_allclose(run.energy.total[-1] - run.energy.total[0], run["work.loss"][-1], rtol=1e-3)
    assert run["contact.residual"].max() < 1e-4


# -- several bodies, sweeps ------------------------------------------------------------------------------------------


def test_momentum_of_colliding_balls() -> None:
    """Two balls in free space: momentum stays, and the central impact obeys Newton's law."""
    e, radius = 0.6, 0.1
    machine = da.Machine(
        "balls",
        bodies=[da.sphere("a", 1.0, radius), da.sphere("b", 3.0, radius)],
        joints=[da.Joint("a", "free", "world", "a"), da.Joint("b", "free", "world", "b")],
        contacts=[
            da.Contact(
                "hit", "a", da.Sphere(radius), surface=da.SphericalSurface(radius), on="b", restitution=e, friction=0.3
            )
        ],
        gravity=(0.0, 0.0, 0.0),
    )
    run = da.simulate(
        machine, duration=1.0, q0={"a.x": -0.5, "a.z": 0.05}, v0={"a.vx": 2.0}, contact="time-stepping", step=1e-3
    )
    eom = da.equations(machine)
    start, end = (eom.momentum(run.array(eom.q_names)[k], run.array(eom.v_names)[k]) for k in (0, -1))
    np.testing.assert_allclose(start[:3], end[:3], atol=1e-6)  # second order in the step
    np.testing.assert_allclose(start[3:], end[3:], atol=2e-3)  # the balls are some way into each other when they hit
    k = int(np.argmax(run["force.hit.normal"]))
    u = eom.contact_terms(run.array(eom.q_names)[[k - 1, k]], run.array(eom.v_names)[[k - 1, k]]).velocity[:, 0, 0]
    np.testing.assert_allclose(u[1], -e * u[0], rtol=2e-2)
    assert run.energy.drift < 1e-10


@pytest.mark.parametrize("thing", ["ball", "cylinder"])
def test_fast_balls_hit_what_is_thin(thing: str) -> None:
    """10 mm balls at 50 m/s, which go half a metre in a step, hit a ball and a cylinder of 1 mm."""
    radius, speed, h = 0.005, 50.0, 0.01
    surface = (
        da.SphericalSurface(radius, centre=(0.0, 0.0, 0.0))
        if thing == "ball"
        else da.CylindricalSurface(5e-4, axis=(0.0, 1.0, 0.0))
    )
    machine = da.Machine(
        "shot",
        bodies=[da.sphere("ball", 0.01, radius)],
        joints=[da.Joint("base", "free", "world", "ball")],
        contacts=[da.Contact("hit", "ball", da.Sphere(radius), surface=surface, restitution=1.0)],
        gravity=(0.0, 0.0, 0.0),
    )
    reach = radius + (radius if thing == "ball" else 5e-4)
    for start in np.linspace(-1.7, -0.9, 9):
        run = da.simulate(
            machine, duration=0.06, q0={"base.x": start}, v0={"base.vx": speed}, contact="time-stepping", step=h
        )
        np.testing.assert_allclose(run["base.vx"][-1], -speed, rtol=1e-9)
        np.testing.assert_allclose(run["base.x"][-1], -2.0 * reach - start - speed * 0.06, atol=1e-6)
        past = da.simulate(
            machine,
            duration=0.06,
            q0={"base.x": start, "base.z": 1.01 * reach},
            v0={"base.vx": speed},
            contact="time-stepping",
            step=h,
        )
        np.testing.assert_allclose(past["base.vx"][-1], speed, rtol=1e-12)


@pytest.mark.parametrize("start", [-0.737, -0.75, -0.7501])
def test_fast_balls_without_friction_glance_off_a_wire(start: float) -> None:
    """However far from the middle they hit it, and where in a step: 0.75 m is the middle of the second one."""
    reach, speed = 0.0105, 50.0
    wire = da.CylindricalSurface(0.0005, axis=(0.0, 0.0, 1.0))
    ball = da.Machine(
        "ball",
        [da.sphere("ball", 0.01, 0.01)],
        [da.Joint("base", "free", "world", "ball")],
        contacts=[da.Contact("wire", "ball", da.Sphere(0.01), surface=wire, restitution=1.0)],
        gravity=(0, 0, 0),
    )
    offsets = np.linspace(-1.0, 1.0, 15) * 0.0104
    made = da.rollout(
        ball,
        duration=0.05,
        q0={"base.x": start, "base.y": offsets},
        v0={"base.vx": speed},
        contact="time-stepping",
        step=0.01,
    )
    vx = made.final[:, made.state_names.index("base.vx")]
    np.testing.assert_allclose(vx, speed * (2 * (offsets / reach) ** 2 - 1), atol=1e-3)
    one = da.simulate(
        ball,
        duration=0.05,
        q0={"base.x": start, "base.y": offsets[1]},
        v0={"base.vx": speed},
        contact="time-stepping",
        step=0.01,
    )
    assert one["base.vx"][-1] == pytest.approx(vx[1], abs=1e-9)


# -- implicit damping and stiffness -----------------------------------------------------------------------------------


def stiff_arm(stiffness: float, damping: float) -> da.Machine:
    spring = da.Joint("theta", "revolute", "world", "arm", axis="y", stiffness=stiffness, damping=damping)
    return da.Machine(
        "arm",
        bodies=[da.point_mass("arm", 1.0, com=(1.0, 0.0, 0.0))],
        joints=[spring],
        frames=[da.Frame("tip", "arm", (1.0, 0.0, 0.0))],
        contacts=[da.Contact("floor", "tip", surface=da.HalfSpace(point=(0.0, 0.0, -5.0)))],
        gravity=(0.0, 0.0, 0.0),
    )


def test_stiffness_is_implicit_and_loses_nothing() -> None:
    """omega h = 20: explicit steps would diverge at 2; the middle keeps the energy, the end damps."""
    machine = stiff_arm(4e4, 0.0)
    kept = da.simulate(machine, duration=10.0, q0={"theta": 0.01}, contact="time-stepping", step=0.1)
    np.testing.assert_allclose(kept["energy.kinetic"] + kept["energy.potential"], 0.5 * 4e4 * 1e-4, rtol=1e-9)
    damped = da.simulate(machine, duration=10.0, q0={"theta": 0.01}, contact=da.TimeStepping(theta=1.0), step=0.1)
    assert abs(damped["theta"][-1]) < 1e-6


def test_damping_is_implicit() -> None:
    run = da.simulate(stiff_arm(0.0, 1e4), duration=1.0, v0={"theta_dot": 1.0}, contact="time-stepping", step=0.01)
    assert abs(run["theta_dot"][-1]) < 0.3
    assert run.energy.drift < 1e-9


# -- what a run carries ----------------------------------------------------------------------------------------------


def test_runs_go_on_and_are_saved(tmp_path: Any) -> None:
    machine = ball(restitution=0.5, friction=0.3)
    options: dict[str, Any] = {"contact": da.TimeStepping(tolerance=1e-10), "step": 1e-3}
    whole = da.simulate(machine, duration=1.0, q0={"base.z": 0.4}, v0={"base.vx": 1.0}, **options)
    half = da.simulate(machine, duration=0.5, q0={"base.z": 0.4}, v0={"base.vx": 1.0}, **options)
    both = half.append(da.simulate(machine, duration=0.5, start=half, **options))
    np.testing.assert_array_equal(both.x[-1], whole.x[-1])
    again = da.load_run(whole.save(tmp_path / "run.nc"))
    assert again.metadata["settings"]["contact"] == {"name": "time-stepping", "tolerance": 1e-10}
    redone = da.simulate(again.machine, q0={"base.z": 0.4}, v0={"base.vx": 1.0}, **again.metadata["settings"])
    np.testing.assert_array_equal(redone.x, whole.x)
    assert "contacts  residual" in repr(whole)


def test_every_setting_has_an_effect() -> None:
    size = (0.2, 0.2, 0.1)
    machine = block(size, (0.0, 0.0, 1.0), friction=0.5)
    start: dict[str, Any] = {"q0": {"base.z": 0.1, "base.qw": np.cos(0.2), "base.qx": np.sin(0.2)}, "step": 2e-3}
    runs = [
        da.simulate(machine, duration=0.5, contact=way, **start).x[-1, :13]
        for way in (
            da.TimeStepping(),
            da.TimeStepping(tolerance=1e-2),
            da.TimeStepping(max_sweeps=1),
            da.TimeStepping(theta=0.8),
            da.TimeStepping(margin=1e-4),
        )
    ]
    assert all(not np.array_equal(runs[0], other) for other in runs[1:])


def test_control_acts_through_contacts() -> None:
    """A motor presses a finger against a wall: the wall's force is the motor's."""
    machine = da.Machine(
        "press",
        bodies=[da.point_mass("finger", 1.0)],
        joints=[da.Joint("x", "prismatic", "world", "finger", axis="x")],
        motors=[da.Motor("x", "x")],
        contacts=[da.Contact("wall", "finger", surface=da.HalfSpace(normal=(-1.0, 0.0, 0.0), point=(0.1, 0.0, 0.0)))],
        gravity=(0.0, 0.0, 0.0),
    )
    run = da.simulate(machine, duration=2.0, control=[3.0], contact="time-stepping", step=1e-3)
    np.testing.assert_allclose(run["force.wall.normal"][-1], 3.0, rtol=1e-12)
    held = da.simulate(
        machine, duration=2.0, control=da.PD(kp=100.0, kd=1e4, reference={"x": 0.2}), contact="time-stepping", step=1e-2
    )
    np.testing.assert_allclose(held["x"][-1], 0.1 * (1.0 - np.exp(-0.01 * 2.0)) * 2.0, atol=2e-3)  # kd h / m = 100


# -- bad input -------------------------------------------------------------------------------------------------------


def test_refusals() -> None:
    machine = ball()

    def attempt(machine: da.Machine = machine, **options: Any) -> Any:
        given: dict[str, Any] = {"duration": 0.1, "q0": {"base.z": 1.0}, "contact": "time-stepping"} | options
        return da.simulate(machine, **given)

    for options, message in (
        ({"contact": "time-steping"}, "unknown contact method 'time-steping'.*time-stepping"),
        ({"contact": {"name": "time-stepping", "sweeps": 3}}, "no setting named 'sweeps'"),
        ({"contact": {"name": "time-stepping", "theta": 0.3}}, "theta of TimeStepping must be from 0.5 to 1, got 0.3"),
        ({"contact": 3}, "contact must be one of event-driven, time-stepping"),
        ({"method": "dopri5"}, "steps by 'moreau', not by method 'dopri5'"),
        ({"rtol": 1e-3}, "rtol is for"),
        ({"q0": {"base.z": 0.04}}, "contact 'floor' of machine 'ball'.*starts 0.06 m deep"),
        ({"machine": ball(law="poisson")}, "contact 'floor'.*Poisson"),
        ({"machine": machine.with_(contacts=())}, "machine 'ball' has none"),
        ({"by": "natural"}, "coordinates of the machine"),
    ):
        with pytest.raises(DalembertError, match=message):
            attempt(**options)
    with pytest.raises(DalembertError, match="comes with contact='time-stepping'"):
        da.simulate(machine.with_(contacts=()), duration=0.1, method="moreau")


def test_the_other_way_has_a_name() -> None:
    """Event by event is what is done where nothing is said: to the bit, in runs, rollouts and steppers."""
    machine, start = ball(restitution=0.8), {"base.z": 1.0}
    plain, named = (da.simulate(machine, duration=1.0, q0=start, contact=way) for way in (None, "event-driven"))
    assert len(named.events) == 1 and np.array_equal(named.x, plain.x)
    many = da.rollout(machine, duration=1.0, step=1e-3, q0={"base.z": np.array([1.0, 1.1])}, contact=da.EventDriven())
    np.testing.assert_allclose(many.final[0, :13], named.x[-1, :13], atol=1e-9)
    stepper = da.stepper(machine, period=0.1, step=1e-3, members=2, q0=start, contact="event-driven")
    for _ in range(10):
        stepper.step()
    np.testing.assert_allclose(stepper.x[0, :13], named.x[-1, :13], atol=1e-9)


def test_machine_file_asks_for_it(tmp_path: Any) -> None:
    path = tmp_path / "ball.yaml"
    path.write_text(
        "name: ball\nbodies: {ball: {mass: 1.0, inertia: [0.004, 0.004, 0.004]}}\n"
        "joints: {base: {kind: free, parent: world, child: ball}}\n"
        "contacts: {floor: {frame: ball, sphere: {radius: 0.1}, restitution: 0.5}}\n"
        "simulation: {duration: 1.0, q0: {base.z: 0.4}, contact: {name: time-stepping, margin: 1.0e-7}, step: 0.002}\n"
    )
    machine, settings = da.load_simulation(path)
    run = da.simulate(machine, **settings)
    assert run.metadata["settings"]["contact"] == {"name": "time-stepping", "margin": 1e-7}
    np.testing.assert_allclose(run["base.z"][-1], 0.1, atol=0.05)
    other = da.simulate(da.load_experiment(path), contact="event-driven")
    assert "floor.impact" in {event.name for event in other.events}


def test_flexible_chain_falls_and_comes_to_rest() -> None:
    """Three flexible links on the ground: their modes stay bounded, and in the end each end carries its share."""
    from dalembert.benchmarks.contact_cases import bouncing_chain

    run = da.simulate(
        bouncing_chain(3),
        duration=6.0,
        q0={"base.y": 0.3, "base.angle": 0.2},
        contact="time-stepping",
        step=2e-3,
        record=0.02,
    )
    energy = run.energy.total
    assert energy.max() <= energy[0] * (1.0 + 1e-6)
    forces = [run[f"force.{name}.normal"][-1] for name in ("link1", "link1_tip", "link2_tip", "link3_tip")]
    np.testing.assert_allclose(forces, np.array([0.5, 1.0, 1.0, 0.5]) * WEIGHT, rtol=1e-2)


@pytest.mark.slow
def test_quadruped_is_dropped_on_its_feet() -> None:
    """A robot from a URDF file: it lands on its four spheres, stands, and its feet carry its weight."""
    from dalembert.benchmarks.contact_cases import FEET, quadruped, standing

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", da.DalembertWarning)  # the file has a body whose inertia cannot be
        try:
            machine = quadruped(0.7)
        except InputError as error:
            pytest.skip(str(error))
        eom, q0 = da.equations(machine), standing(machine, 0.1)
    run = da.simulate(eom, duration=4.0, q0=q0, contact="time-stepping", step=1e-3)
    mass = eom.mass_matrix(run.array(eom.q_names)[-1])[0, 0]
    forces = np.array([run[f"force.{foot}.normal"] for foot in FEET])
    np.testing.assert_allclose(forces[:, -1].sum(), mass * WEIGHT, rtol=1e-7)
    assert (forces[:, -1] > 0.2 * mass * WEIGHT).all()
    assert min(run[f"gap.{foot}"].min() for foot in FEET) > -1e-6
    place = run.array(["root_joint.x", "root_joint.y", "root_joint.z"])
    assert np.abs(place[-1] - place[-500]).max() < 1e-6
    assert run.energy.drift < 1e-3
    assert run["contact.residual"].max() < 1e-6


def test_the_two_ways_agree() -> None:
    """Bounces and friction event by event, and by steps: they differ in first order, averaged over drop heights."""
    machine, drops = ball(restitution=0.5, friction=0.2), np.linspace(0.1, 0.3, 20)
    place = ["base.x", "base.y", "base.z"]

    def end(drop: float, **options: Any) -> np.ndarray:
        start: dict[str, Any] = {"q0": {"base.z": 0.1 + drop}, "v0": {"base.vx": 1.0}}
        return da.simulate(machine, duration=0.6, record=0.6, **start, **options).array(place)[-1]

    exact = [end(drop, method="dopri5") for drop in drops]
    errors = [
        np.mean(
            [np.linalg.norm(end(d, contact="time-stepping", step=h) - x) for d, x in zip(drops, exact, strict=True)]
        )
        for h in (4e-3, 2.5e-4)
    ]
    assert errors[-1] < 2e-4
    assert np.log(errors[0] / errors[1]) / np.log(16.0) > 0.8, errors


def test_joint_limits_are_stops() -> None:
    """A pendulum that is let go falls on its stop, and the stop carries its weight."""
    machine = da.Machine(
        "pendulum",
        bodies=[da.point_mass("bob", 1.0, com=(1.0, 0.0, 0.0))],
        joints=[da.Joint("theta", "revolute", "world", "bob", axis="y", limits=da.Limits(-1.0, 0.5))],
    )
    run = da.simulate(machine, duration=3.0, contact="time-stepping", limits="contact", step=1e-3)
    np.testing.assert_allclose(run["theta"][-1], 0.5, atol=1e-7)
    np.testing.assert_allclose(run["force.theta.upper.normal"][-1], WEIGHT * np.cos(0.5), rtol=1e-6)
    assert run["theta"].max() < 0.5 + 1e-7
    np.testing.assert_allclose(run["loss.theta.upper"][-1], WEIGHT * np.sin(0.5), rtol=1e-2)


def test_free_motion_is_of_second_order() -> None:
    """A mass on a rod that turns freely, and slides on it, goes straight on: x = x0 + v t, without any contact."""
    machine = da.Machine(
        "slider",
        bodies=[da.Body("rod"), da.point_mass("bead", 1.3)],
        joints=[
            da.Joint("turn", "revolute", "world", "rod", axis="z"),
            da.Joint("slide", "prismatic", "rod", "bead", axis="x"),
        ],
        contacts=[da.Contact("floor", "bead", surface=da.HalfSpace(point=(0.0, 0.0, -9.0)))],
        gravity=(0, 0, 0),
    )
    errors = []
    for step in (0.02, 0.01, 0.005):
        start = {"q0": {"slide": 0.6}, "v0": {"turn_dot": 2.5, "slide_dot": -0.4}}
        run = da.simulate(machine, duration=0.4, step=step, contact="time-stepping", backend="vm", **start)
        r, angle = run["slide"][-1], run["turn"][-1]
        errors.append(np.hypot(r * np.cos(angle) - 0.6 + 0.4 * 0.4, r * np.sin(angle) - 0.6 * 2.5 * 0.4))
    orders = [np.log2(a / b) for a, b in pairwise(errors)]
    assert min(orders) > 1.9
