"""Contact, impact and friction, event by event, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.support.thrown_box import thrown_box

import dalembert as da
from dalembert import systems
from dalembert.engine.unilateral.algebra import Cones, Touch, delassus, solve_cones, strike
from dalembert.systems import falling_chains

G = 9.81


def ball(e: float, law: str = "newton") -> da.Machine:
    contact = da.Contact("floor", "ball", da.Sphere(0.1), restitution=e, law=law)
    slide = da.Joint("z", "prismatic", "world", "ball", axis="z")
    return da.Machine("ball", [da.sphere("ball", 1.0, 0.1)], [slide], contacts=[contact])


def block(width: float, height: float, friction: float, tilt: float = 0.0) -> da.Machine:
    """A block in the plane on its two lower corners."""
    ground = da.HalfSpace((math.sin(tilt), 0.0, math.cos(tilt)))
    body = da.Body("block", 1.0, inertia=(1.0, (width**2 + height**2) / 12, 1.0))
    return da.Machine(
        "block",
        [body],
        [da.Joint("b", "planar", "world", "block", axis="-y")],
        contacts=[
            da.Contact(name, "block", origin=(x, 0, -height / 2), surface=ground, friction=friction)
            for name, x in (("left", -width / 2), ("right", width / 2))
        ],
    )


def set_down(eom: da.EquationsOfMotion, q: np.ndarray, pair: int) -> np.ndarray:
    """Move a configuration along the normal of a pair until that touches."""
    for _ in range(3):
        gap, J = eom.contact_gaps(q)[pair], eom.contact_terms(q, np.zeros(eom.nv)).jacobian[pair, 0]
        free = np.where(np.abs(J) > 1e-9, J, 0.0)
        free[2 if eom.nv == 3 else 3 :] = 0.0
        q = eom.integrate(q, -free * gap / (free @ free))
    return q


@pytest.mark.parametrize(
    ("e", "law", "backend"),
    [(0.0, "newton", "auto"), (0.8, "newton", "auto"), (0.5, "newton", "vm"), (0.5, "poisson", "auto")],
)
def test_a_ball_bounces_to_rest(e: float, law: str, backend: str) -> None:
    eom = da.equations(ball(e, law), backend=backend)
    run = da.simulate(eom, duration=6.0, q0={"z": 1.1}, method="dopri5", record=0.05)
    fall = math.sqrt(2.0 / G)
    times = np.array([event.t for event in run.events])
    flights = np.cumsum([1.0, *(2.0 * e**k for k in range(1, len(times)))])
    assert {event.name for event in run.events} == {"floor.impact"}
    # gaps are seen to close at 1e-11 m, which a rebound of 1e-4 m/s passes in 1e-7 s
    assert np.allclose(times, fall * flights, rtol=0, atol=1e-7)
    assert np.allclose(times[:8], (fall * flights)[:8], rtol=0, atol=1e-10)
    # what is left when the rebound is 1e-4 m/s is taken to be rest
    assert times[-1] == pytest.approx(fall * (1 + e) / (1 - e), abs=2e-4 / (G * (1 - e)))
    assert run["z"][-1] == pytest.approx(0.1, abs=1e-11)
    assert run["force.floor.normal"][-1] == pytest.approx(G, rel=1e-12)
    assert run["active.floor"][-1] == 1.0
    assert run["gap.floor"].min() > -1.1e-11
    assert run.energy.drift < 1e-12
    first = run.metadata["transitions"][0]
    assert first["impulse"]["floor"] == pytest.approx((1 + e) * math.sqrt(2 * G))
    assert first["energy_lost"] == pytest.approx((1 - e**2) * G)


@pytest.mark.parametrize("gap", [0.0, 1e-3])
@pytest.mark.parametrize("e", [0.5, 1.0])
def test_newtons_cradle(gap: float, e: float) -> None:
    """Touching balls share the impact by Newton's law; across gaps, and with e = 1, only the last one moves."""
    n = 5
    joints = [da.Joint(f"x{i}", "prismatic", "world", f"b{i}", axis="x") for i in range(n)]
    contacts = [
        da.Contact(f"c{i}", f"b{i}", da.Sphere(0.05), surface=da.SphericalSurface(0.05), on=f"b{i + 1}", restitution=e)
        for i in range(n - 1)
    ]
    bodies = [da.sphere(f"b{i}", 1.0, 0.05) for i in range(n)]
    machine = da.Machine("cradle", bodies, joints, gravity=(0, 0, 0), contacts=contacts)
    q0 = [-0.5, *(0.1 + i * (0.1 + gap) for i in range(n - 1))]
    run = da.simulate(machine, duration=0.75, q0=q0, v0=[1.0, *[0.0] * (n - 1)], method="dopri5", record=0.05)
    after = [run[f"x{i}_dot"][-1] for i in range(n)]
    if gap == 0.0:
        expected = [1 - (1 + e) * (n - 1) / n, *[(1 + e) / n] * (n - 1)]
        assert after == pytest.approx(expected, abs=1e-12)
        assert [event.name for event in run.events] == ["c0.impact"]
    elif e == 1.0:
        assert after == pytest.approx([0.0] * (n - 1) + [1.0], abs=1e-9)
        assert [event.name for event in run.events] == [f"c{i}.impact" for i in range(n - 1)]


def test_a_block_rocks() -> None:
    """The rate drops by 1 - 3/2 sin^2 at each impact; the times are those of the nonlinear equation."""
    eom = da.equations(block(0.2, 0.4, 0.5))
    q0 = set_down(eom, np.array([0.0, 0.0, 0.2]), 0)
    apex = da.Event("apex", lambda t, q, v: v[2], direction=1)
    run = da.simulate(eom, duration=0.4, q0=q0, method="dopri5", rtol=1e-12, atol=1e-13, events=[apex])
    first = run.events[0]
    k = int(np.flatnonzero(np.diff(run.t) == 0.0)[0])
    rate = run["b.angle_dot"]
    assert (first.name, first.t) == ("right.impact", pytest.approx(0.204591669, abs=2e-9))
    assert rate[k + 1] / rate[k] == pytest.approx(0.7, abs=1e-9)
    top = next(event for event in run.events if event.name == "apex")
    assert abs(top.x[2]) == pytest.approx(0.0851648, abs=6e-8)
    assert run["stick.left"][0] == 1.0
    assert run.energy.drift < 1e-10


def block_rows(width: float, height: float) -> tuple[np.ndarray, np.ndarray]:
    M = np.diag([1.0, 1.0, (width**2 + height**2) / 12])
    rows = [[[0, 1, -x], [1, 0, -height / 2], [0, 0, 0]] for x in (-width / 2, width / 2)]
    return M, np.array(rows, dtype=float).reshape(6, 3)


@pytest.mark.parametrize(("friction", "ratio"), [(0.5, 0.7), (0.3, 0.6129032258)])
def test_impact_of_a_rocking_block_as_algebra(friction: float, ratio: float) -> None:
    M, A = block_rows(0.2, 0.4)
    W, respond = delassus(M, A, np.zeros((0, 3)))
    v = np.array([0.2, -0.1, 1.0])  # about the left corner
    u = (A @ v).reshape(2, 3)
    assert np.abs(u[0]).max() < 1e-15
    made = strike(W, u, np.zeros(2), np.full(2, friction), np.zeros(2, dtype=bool))
    assert (v + respond(A.T @ made.impulses.ravel()))[2] == pytest.approx(ratio, abs=1e-10)
    assert made.energy_lost > 0.0


def test_restitution_that_would_add_energy_is_lowered() -> None:
    """T. R. Kane's double pendulum, which Newton's law and friction make faster."""
    a, b = np.deg2rad([20.0, 30.0])
    M = np.array([[4 / 3, math.cos(b - a) / 2], [math.cos(b - a) / 2, 1 / 3]])
    A = np.array([[math.sin(a), math.sin(b)], [math.cos(a), math.cos(b)], [0.0, 0.0]])
    v = np.array([-0.1, -0.2])
    W, respond = delassus(M, A, np.zeros((0, 2)))
    u = (A @ v).reshape(1, 3)
    aim = u.copy()
    aim[0, 0] *= 1.5
    p = solve_cones(Cones.of(W, aim.ravel(), np.array([0.5]))).p
    faster = v + respond(A.T @ p.ravel())
    assert 0.5 * v @ M @ v == pytest.approx(0.0231814, abs=5e-8)
    assert 0.5 * faster @ M @ faster == pytest.approx(0.0368004, abs=5e-8)
    made = strike(W, u, np.array([0.5]), np.array([0.5]), np.array([False]))
    assert 0.5 * made.factor == pytest.approx(0.396839, abs=5e-7)
    assert abs(made.energy_lost) < 1e-12

    joints = [
        da.Joint("one", "revolute", "world", "upper", axis="-y"),
        da.Joint("two", "revolute", "upper", "lower", (0, 0, -1.0), axis="-y"),
    ]
    rods = [da.rod(name, 1.0, 1.0, axis="z", com=(0, 0, -0.5)) for name in ("upper", "lower")]
    depth = math.cos(a) + math.cos(b)
    tip = da.Contact(
        "tip", "lower", origin=(0, 0, -1), surface=da.HalfSpace(point=(0, 0, -depth)), restitution=0.5, friction=0.5
    )
    pendulum = da.Machine("kane", rods, joints, contacts=[tip])
    with pytest.warns(da.DalembertWarning, match="restitution would have added energy"):
        run = da.simulate(
            pendulum, duration=1e-3, q0=[a, b - a], v0={"one_dot": -0.1, "two_dot": -0.1}, method="dopri5"
        )
    assert run["energy.kinetic"][0] == pytest.approx(0.0231814, abs=5e-8)


def test_painleves_rod() -> None:
    """Beyond the critical friction no force keeps the rod sliding: a shock stops it; the other way it slides on."""
    angle = math.atan(2.0)
    critical = (2.0 + 4.0 / 2.0) / 3.0
    body = da.Body("rod", 1.0, inertia=(1.0, 1.0 / 12.0, 1.0))

    def rod(friction: float) -> da.EquationsOfMotion:
        tip = da.Contact("tip", "rod", origin=(-0.5, 0, 0), friction=friction)
        joint = da.Joint("b", "planar", "world", "rod", axis="-y")
        return da.equations(da.Machine("rod", [body], [joint], contacts=[tip]))

    def start(friction: float, speed: float) -> da.Run:
        eom = rod(friction)
        q0 = set_down(eom, np.array([0.0, 0.0, angle]), 0)
        return da.simulate(eom, duration=1e-3, q0=q0, v0={"b.x_dot": speed, "b.y_dot": 0, "b.angle_dot": 0})

    run = start(1.5, -1.0)
    v = np.array([run[f"b.{n}_dot"][0] for n in ("x", "y", "angle")])
    assert v[:2] - [-1.0, 0.0] == pytest.approx([0.4, 0.3], abs=1e-12)
    assert 0.5 - run["energy.kinetic"][0] == pytest.approx(0.2, abs=1e-12)
    assert run.metadata["initial_impact"]["painleve"] == 1
    assert "start     with an impact of tip, which dissipated 0.2 J" in repr(run)
    assert "force.tip.normal" in list(run)
    assert start(1.5, 1.0)["b.x_dot"][0] == 1.0
    below = start(0.99 * critical, -1.0)
    assert below["b.x_dot"][0] == -1.0
    assert below["force.tip.normal"][0] > 100.0
    assert start(1.01 * critical, -1.0)["b.x_dot"][0] == pytest.approx(-0.6)


def test_a_sphere_slides_and_then_rolls() -> None:
    v0, mu = 2.0, 0.3
    contact = da.Contact("ground", "s", da.Sphere(0.1), friction=mu)
    machine = da.Machine("s", [da.sphere("s", 1.0, 0.1)], [da.Joint("b", "free", "world", "s")], contacts=[contact])
    given = {"q0": {"b.z": 0.1}, "v0": {"b.vx": v0}, "method": "dopri5", "rtol": 1e-11, "atol": 1e-13, "record": 0.01}
    run = da.simulate(machine, duration=0.4, **given)
    assert [event.name for event in run.events] == ["ground.stick"]
    assert run.events[0].t == pytest.approx(2 * v0 / (7 * mu * G), abs=1e-9)
    assert np.linalg.norm(run.array(["b.vx", "b.vy", "b.vz"])[-1]) == pytest.approx(5 * v0 / 7, abs=1e-9)
    assert run["slip.ground"][-1] < 1e-12
    assert run["force.ground.tangent1"][0] == pytest.approx(-mu * G)
    assert run["work.loss"][-1] == pytest.approx(-(v0**2) / 7, abs=1e-9)
    assert run.energy.drift < 1e-10


@pytest.mark.parametrize("tilt", [0.0, 20.0])
def test_a_box_at_rest_stays_where_it_is(tilt: float) -> None:
    """Four corners and their friction are indeterminate; each keeps within its cone, and nothing creeps in 100 s."""
    angle = math.radians(tilt)
    n = np.array([math.sin(angle), 0.0, math.cos(angle)])
    contact = da.Contact("g", "box", da.Box((0.3, 0.3, 0.3)), surface=da.HalfSpace(tuple(n)), friction=0.5)
    machine = da.Machine(
        "box", [da.box("box", 2.0, (0.3, 0.3, 0.3))], [da.Joint("b", "free", "world", "box")], contacts=[contact]
    )
    q0 = np.array([*(0.15 * n), math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0])
    run = da.simulate(machine, duration=100.0, q0=q0, method="dopri5", record=5.0)
    corners = range(4)
    forces = run.array([f"force.g[{k}].normal" for k in corners])
    assert forces[-1].sum() == pytest.approx(2.0 * G * math.cos(angle), rel=1e-10)
    assert np.abs(run.x[:, :7] - run.x[0, :7]).max() < 1e-9
    assert not run.events
    tangential = sum(run[f"force.g[{k}].tangent1"][-1] for k in corners)
    assert abs(tangential) == pytest.approx(2.0 * G * math.sin(angle), abs=1e-9)
    for k in corners:
        friction = math.hypot(run[f"force.g[{k}].tangent1"][-1], run[f"force.g[{k}].tangent2"][-1])
        assert friction <= 0.5 * run[f"force.g[{k}].normal"][-1] * (1.0 + 1e-9)


def test_a_box_slides_down_where_friction_is_too_small() -> None:
    angle, mu = math.radians(30.0), 0.3
    eom = da.equations(block(0.3, 0.1, mu, tilt=angle))
    q0 = np.array([0.0, 0.0, -angle])
    q0 = set_down(eom, q0, 0)
    assert np.abs(eom.contact_gaps(q0)).max() < 1e-12
    run = da.simulate(eom, duration=0.5, q0=q0, method="dopri5", record=0.01)
    speed = np.hypot(run["b.x_dot"][-1], run["b.y_dot"][-1])
    assert speed == pytest.approx(0.5 * G * (math.sin(angle) - mu * math.cos(angle)), rel=1e-8)
    assert run["stick.left"].max() == 0.0
    assert run.energy.drift < 1e-9


def test_backends_agree_on_a_box_that_slides_and_stops() -> None:
    contact = da.Contact("g", "box", da.Box((0.3, 0.3, 0.1)), friction=0.3)
    machine = da.Machine(
        "box", [da.box("box", 2.0, (0.3, 0.3, 0.1))], [da.Joint("b", "free", "world", "box")], contacts=[contact]
    )
    runs = [
        da.simulate(
            da.equations(machine, backend=backend),
            duration=0.5,
            q0={"b.z": 0.05},
            v0={"b.vx": 1.0, "b.wz": 2.0},
            method="dopri5",
            record=0.1,
        )
        for backend in ("auto", "vm")
    ]
    for run in runs:
        assert np.abs(run.x[-1, 7:13]).max() < 1e-12
        assert sum(run[f"force.g[{k}].normal"][-1] for k in range(8)) == pytest.approx(2 * G, rel=1e-10)
        assert run.energy.drift < 1e-8
    assert np.allclose(runs[0].x[-1, :7], runs[1].x[-1, :7], atol=1e-6)


def test_limits_as_hard_stops() -> None:
    machine = da.Machine(
        "flap",
        [da.rod("flap", 1.0, 1.0, axis="x", com=(0.5, 0, 0))],
        [da.Joint("hinge", "revolute", "world", "flap", axis="y", limits=da.Limits(-1.0, 0.3))],
    )
    run = da.simulate(machine, duration=2.0, q0={"hinge": 0.0}, limits="contact", method="dopri5", record=0.05)
    assert [event.name for event in run.events] == ["hinge.upper.impact"]
    assert run["hinge"][-1] == pytest.approx(0.3, abs=1e-11)
    assert run["force.hinge.upper.normal"][-1] == pytest.approx(G * 0.5 * math.cos(0.3), rel=1e-9)
    assert run["force.hinge.lower.normal"].max() == 0.0


@pytest.mark.slow
def test_stops_with_restitution() -> None:
    """A slider between two stops: at each of them it keeps the same part of its speed, in both ways of contact."""
    machine = da.Machine(
        "slider",
        [da.sphere("slider", 2.0, 0.1)],
        [da.Joint("x", "prismatic", "world", "slider", axis="x", limits=da.Limits(-1.0, 1.0, restitution=0.5))],
    )
    settings = {"duration": 14.0, "v0": {"x_dot": 1.0}, "limits": "contact", "record": 1.0}
    run = da.simulate(machine, method="dopri5", **settings)
    times = [1.0, 1.0 + 2.0 / 0.5, 1.0 + 2.0 / 0.5 + 2.0 / 0.25]
    assert [event.t for event in run.events] == pytest.approx(times, abs=1e-9)
    assert run["x_dot"][-1] == pytest.approx(-(0.5**3), rel=1e-12)
    stepped = da.simulate(machine, contact="time-stepping", step=1e-3, **settings)
    assert stepped["x_dot"][-1] == pytest.approx(-(0.5**3), rel=1e-9)
    with pytest.raises(da.MachineError, match=r"restitution of limits must be from 0 to 1, got 1\.5"):
        da.Limits(-1.0, 1.0, restitution=1.5)


def test_a_contact_lets_go_when_it_would_pull() -> None:
    """A bead slides down a sphere and leaves it at two thirds of the height."""
    point = da.Contact("hill", "bead", surface=da.SphericalSurface(1.0))
    joint = da.Joint("b", "planar", "world", "bead", axis="-y")
    body = da.Body("bead", 1.0, inertia=(1.0, 1.0, 1.0))
    bead = da.Machine("bead", [body], [joint], contacts=[point])
    eom = da.equations(bead)
    q0 = np.array([math.sin(0.1), math.cos(0.1), 0.0])
    run = da.simulate(eom, duration=1.2, q0=q0, method="dopri5", rtol=1e-11, atol=1e-13)
    assert [event.name for event in run.events] == ["hill.release"]
    height = run.events[0].x[1]
    assert height == pytest.approx(2 / 3 * math.cos(0.1), abs=1e-9)
    assert run.energy.drift < 1e-10


def test_cones_with_random_matrices() -> None:
    """The laws hold for any number of pairs, also where forces are indeterminate."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        k, n = int(rng.integers(1, 6)), int(rng.integers(3, 9))
        A = rng.normal(size=(3 * k, n))
        W, _ = delassus(np.eye(n), A, np.zeros((0, n)))
        b, mu = A @ rng.normal(size=n), rng.uniform(0.0, 0.5, size=k)
        found = solve_cones(Cones.of(W, b, mu))
        p, u = found.p, (W @ found.p.ravel() + b).reshape(k, 3)
        size, push = np.hypot(u[:, 1], u[:, 2]), np.hypot(p[:, 1], p[:, 2])
        scale = np.abs(b).max()
        assert (p[:, 0] >= -1e-12).all() and (u[:, 0] >= -1e-6 * scale).all()
        assert np.abs(p[:, 0] * u[:, 0]).max() < 1e-6 * scale * (1 + p[:, 0].max())
        assert (push <= mu * p[:, 0] + 1e-9).all()
        slips = (size > 1e-6 * scale) & (p[:, 0] > 1e-9)
        against = -(mu * p[:, 0] / np.maximum(size, 1e-30))[:, None] * u[:, 1:]
        assert np.allclose(p[slips, 1:], against[slips], atol=1e-5)
        assert set(found.modes) <= set(Touch)


def test_bad_starts_are_refused() -> None:
    with pytest.raises(da.InputError, match=r"contact 'floor' .*'ball' and the surface on 'world' overlap by 0\.05 m"):
        da.simulate(ball(0.5), duration=1.0, q0={"z": 0.05})
    limits = da.Limits(-0.5, 0.2)
    joint = da.Joint("q", "revolute", "world", "ball", axis="y", limits=limits)
    stop = da.Machine("stop", [da.sphere("ball", 1.0, 0.1, com=(0, 0, -1))], [joint])
    with (
        pytest.warns(da.DalembertWarning, match="outside of its range"),
        pytest.raises(da.InputError, match=r"joint 'q' of machine 'stop' starts 0\.3 beyond its stop 'q\.upper'"),
    ):
        da.simulate(stop, duration=1.0, q0={"q": 0.5}, limits="contact")
    with pytest.raises(da.InputError, match=r"contacts of machine .* need constraints='projection'"):
        da.simulate(ball(0.5), duration=1.0, q0={"z": 1.0}, constraints="penalty")


@pytest.mark.parametrize("by", ["lagrange", "gibbs-appell", "natural"])
def test_a_ball_bounces_by_every_formulation(by: str) -> None:
    """In natural coordinates, too: those of a body that only slides are not redundant."""
    e, h = 0.5, 0.9
    run = da.simulate(ball(e), duration=3.0, q0={"z": h + 0.1}, by=by, method="dopri5", backend="vm")
    times = [event.t for event in run.events if event.name == "floor.impact"]
    flight = math.sqrt(2.0 * h / G)
    expected = [flight * (1.0 + sum(2.0 * e**j for j in range(1, k))) for k in range(1, 5)]
    assert times[:4] == pytest.approx(expected, abs=1e-9)
    assert run["force.floor.normal"][-1] == pytest.approx(G, rel=1e-10)


@pytest.mark.parametrize("backend", ["native", "vm"])
def test_what_is_driven_into_the_ground_is_told(backend: str) -> None:
    """No impulse holds back what a constraint drives; it has nothing to do with friction."""
    drive = da.MotionConstraint("drive", joint="z", value=1.0 - 5.0 * da.TIME)
    eom = da.equations(ball(0.5).with_(constraints=[drive]), backend=backend)
    with pytest.raises(da.SimulationError, match=r"keep contact 'floor' .* the prescribed motion 'drive' drives it"):
        da.simulate(eom, duration=1.0, q0={"z": 1.0}, v0={"z_dot": -5.0})
    for friction in (0.0, 0.3):
        with pytest.raises(da.InputError, match="the velocities contradict the constraints of machine 'ball'"):
            eom.impact([0.1], [-5.0], {"ball": (0.0, 0.0, 1.0)}, 0.5, friction=friction)


def test_what_happened_is_told_after_a_run_goes_on_or_fails() -> None:
    """The transitions of both parts of a run, and those up to where a run failed, with its machine."""
    eom = da.equations(ball(0.5))
    whole = da.simulate(eom, duration=1.0, q0={"z": 0.5}, method="dopri5")
    half = da.simulate(eom, duration=0.4, q0={"z": 0.5}, method="dopri5")
    both = half.append(da.simulate(eom, duration=0.6, start=half, method="dopri5"))
    times = [change["t"] for change in whole.metadata["transitions"]]
    assert 0 < len(half.metadata["transitions"]) < len(times)
    assert [change["t"] for change in both.metadata["transitions"]] == pytest.approx(times, abs=1e-9)
    with pytest.raises(da.SimulationError) as raised:
        da.simulate(eom, duration=1.0, q0={"z": 0.5}, method="dopri5", max_steps=whole.metadata["steps"] // 2)
    good = raised.value.run
    assert isinstance(good, da.Run)
    assert [change["t"] for change in good.metadata["transitions"]] == times[: len(good.metadata["transitions"])]
    assert good.metadata["transitions"]
    assert good.machine == eom.machine


READY = ("rocking-block", "painleve-rod")
MORE = ("bouncing-ball", "newtons-cradle", "box-on-incline", "rolling-sphere", "chain-on-ground")


@pytest.mark.parametrize("name", [*READY, *(pytest.param(name, marks=pytest.mark.slow) for name in MORE)])
def test_ready_made_machines_run_from_their_files(name: str) -> None:
    system = systems.SYSTEMS[name]
    machine, settings = da.load_simulation(system.to_yaml())
    assert machine == system.make()
    run = da.simulate(machine, **settings)
    assert run.status == "completed"
    assert run.energy.drift < 1e-7


def test_a_falling_link_strikes_as_declared() -> None:
    """Case study I of IMPACT with contacts in place of events of the caller's own."""
    link = falling_chains.chain_on_ground(1, 1, restitution=1.0, boundary="clamped-clamped", rotary_inertia=False)
    run = da.simulate(link, duration=0.94, q0={"base.y": 0.5}, method="dopri5", rtol=1e-11, atol=1e-13, record=0.01)
    times = sorted({round(event.t, 6) for event in run.events})
    assert times == pytest.approx([0.319275, 0.321170, 0.323237, 0.938853], abs=1.1e-6)
    assert run.energy.drift < 1e-8


def test_a_chain_falls_inside_a_circle() -> None:
    system = systems.SYSTEMS["chain-in-circle"]
    run = da.simulate(system.make(), **system.settings() | {"duration": 0.6})
    assert run.events
    assert min(run[f"gap.end{k}"].min() for k in range(3)) > -2e-11
    assert run.energy.drift < 1e-6
    assert all(change["energy_lost"] > -1e-9 for change in run.metadata["transitions"])


@pytest.mark.parametrize(
    "seed",
    [
        0,
        6,
        29,
        41,
        43,
        293,
        *(pytest.param(seed, marks=pytest.mark.slow) for seed in (*range(1, 6), *range(7, 12), 18, 171)),
    ],
)
def test_boxes_tumble_and_come_to_rest(seed: int) -> None:
    """Corners strike, stick, slip and rattle in any order; no energy appears, nothing goes through, all is at rest."""
    machine, settings = thrown_box(seed)
    run = da.simulate(machine, duration=3.0, **settings)
    assert np.abs(run.x[-1, 7:13]).max() < 1e-12
    assert sum(run[f"force.g[{k}].normal"][-1] for k in range(8)) == pytest.approx(2 * G, rel=1e-9)
    assert min(run[f"gap.g[{k}]"].min() for k in range(8)) > -2e-11
    assert run.energy.drift < 1e-7
    assert all(change["energy_lost"] > -1e-7 for change in run.metadata["transitions"])


def fast_ball(surface: da.SphericalSurface | da.CylindricalSurface) -> da.Machine:
    """A ball of 10 mm that flies towards a surface of its size or less."""
    contact = da.Contact("hit", "ball", da.Sphere(0.01), surface=surface, restitution=1.0)
    joint = da.Joint("base", "free", "world", "ball")
    return da.Machine("fast", [da.sphere("ball", 0.01, 0.01)], [joint], contacts=[contact], gravity=(0, 0, 0))


WIRE = da.CylindricalSurface(0.0005, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
BALL = da.SphericalSurface(0.01, (1.0, 0.0, 0.0))


@pytest.mark.parametrize("backend", ["native", "vm"])
@pytest.mark.parametrize("settings", [{"method": "rk4", "step": 0.01}, {"method": "dopri5"}], ids=["rk4", "dopri5"])
@pytest.mark.parametrize("surface", [BALL, WIRE], ids=["ball", "wire"])
def test_nothing_goes_through_within_a_step(surface: object, settings: dict[str, object], backend: str) -> None:
    """At 50 m/s a step ends half a metre further, or with the run; off the middle it leaves at the angle of the hit."""
    machine = fast_ball(surface)  # type: ignore[arg-type]
    off, reach = 0.004, 0.01 + surface.radius  # type: ignore[attr-defined]
    for y, hits in ((off, True), (1.5 * reach, False)):
        run = da.simulate(
            machine,
            duration=0.1,
            q0={"base.x": 0.013, "base.y": y},
            v0={"base.vx": 50.0},
            backend=backend,
            **settings,  # type: ignore[arg-type]
        )
        assert [event.name for event in run.events] == ["hit.impact"] * hits  # who passes by is not told of
        assert len(run.metadata["transitions"]) == hits
        slope = y / reach
        assert run["base.vx"][-1] == pytest.approx(50.0 * (2 * slope**2 - 1) if hits else 50.0, abs=1e-6)
        if hits:
            assert run.events[0].t == pytest.approx((0.987 - reach * math.sqrt(1 - slope**2)) / 50.0, abs=1e-10)


def test_members_hit_what_they_would_pass_through() -> None:
    offsets = np.linspace(-0.0104, 0.0104, 9)
    made = da.rollout(
        fast_ball(WIRE),
        duration=0.1,
        q0={"base.x": 0.013, "base.y": offsets},
        v0={"base.vx": 50.0},
        method="rk4",
        step=0.01,
    )
    vx = made.final[:, made.state_names.index("base.vx")]
    np.testing.assert_allclose(vx, 50.0 * (2 * (offsets / 0.0105) ** 2 - 1), atol=1e-6)


@pytest.mark.parametrize("settings", [{"method": "rk4", "step": 0.02}, {"method": "dop853", "rtol": 1e-4}])
def test_the_end_of_a_spinning_rod_dips_into_the_ground(settings: dict[str, object]) -> None:
    """By a millimetre, for six thousandths of a second."""
    ends = [da.Contact(name, "rod", origin=(x, 0, 0)) for name, x in (("left", -0.5), ("right", 0.5))]
    joint = da.Joint("base", "planar", "world", "rod", axis="-y")
    rod = da.Machine("rod", [da.rod("rod", 1.0, 1.0, axis="x")], [joint], contacts=ends, gravity=(0, 0, 0))
    start = {"q0": {"base.y": 0.499}, "v0": {"base.angle_dot": 10.0}}
    run = da.simulate(rod, duration=0.5, **start, **settings)  # type: ignore[arg-type]
    assert run.events[0].name == "left.impact"
    assert run.events[0].t == pytest.approx(math.asin(0.499 / 0.5) / 10.0, abs=1e-8)


def test_friction_may_be_zero_by_its_parameter() -> None:
    """A box that turns as it slides on ice keeps its velocity; it neither sticks nor slips."""
    contact = da.Contact("ice", "box", da.Box((0.2, 0.2, 0.1)), friction=da.Parameter("mu", 0.5))
    machine = da.Machine(
        "ice", [da.box("box", 1.0, (0.2, 0.2, 0.1))], [da.Joint("base", "free", "world", "box")], contacts=[contact]
    )
    v0 = {"base.vx": 0.1, "base.wz": 1.0}
    run = da.simulate(
        machine, duration=0.5, q0={"base.z": 0.05}, v0=v0, p={"mu": 0.0}, method="dopri5", rtol=1e-9, backend="vm"
    )
    assert not run.events
    assert (run["base.x"][-1], run["base.wz"][-1]) == pytest.approx((0.05, 1.0), abs=1e-8)
    assert sum(run[f"force.ice[{k}].normal"][-1] for k in range(8)) == pytest.approx(9.81)
