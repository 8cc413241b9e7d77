"""Motion near orbits, transfers and plans of a rendezvous against integration, closed forms and finer programs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert import plan
from dalembert.control import StereoCamera
from dalembert.model import Orbit, clohessy_wiltshire, orbit_axes, yamanaka_ankersen
from dalembert.plan.rendezvous import _program, _responses
from dalembert.systems.space_robots.flying_around import FlyAround
from dalembert.systems.space_robots.rendezvous_way import Retreat, camera_verdict, rendezvous_way

LOW = Orbit(altitude=700e3, inclination=1.7)
LONG = Orbit(400e3, 0.4, 0.9, 0.2, 0.5, 1.1)
NEAR = np.array([10.0, -30.0, 5.0, 0.1, -0.02, 0.03])


def integrated(orbit: Orbit, x0: np.ndarray, times: tuple[float, float], thrust=None) -> np.ndarray:
    """State by SciPy: the linear tide in axes that do not turn."""

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        r = np.asarray(orbit.motion(t)[0])
        d = np.linalg.norm(r)
        u = r / d
        push = 0.0 if thrust is None else thrust(t)
        return np.concatenate([x[3:], orbit.mu / d**3 * (3.0 * u * (u @ x[:3]) - x[:3]) + push])

    return solve_ivp(rates, times, x0, method="DOP853", rtol=1e-12, atol=1e-12, max_step=10.0).y[:, -1]


@pytest.mark.parametrize("orbit", [LOW, LONG, Orbit(300e3, 0.8)])
@pytest.mark.parametrize("times", [(0.0, 700.0), (300.0, 6300.0)])
def test_transitions_are_integrals_of_the_tide(orbit: Orbit, times: tuple[float, float]) -> None:
    expected = integrated(orbit, NEAR, times)
    X = yamanaka_ankersen(orbit, *times, axes="world")
    assert np.allclose(X @ NEAR, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())
    # axes that turn with the orbit: the same state seen in them
    (A, a, _), (B, b, _) = (orbit_axes(orbit, t) for t in times)

    def seen(x: np.ndarray, R: np.ndarray, rate: float) -> np.ndarray:
        place = R.T @ x[:3]
        return np.concatenate([place, R.T @ x[3:] - np.cross([0.0, 0.0, rate], place)])

    Y = yamanaka_ankersen(orbit, *times)
    assert np.allclose(Y @ seen(NEAR, A, a), seen(expected, B, b), rtol=0.0, atol=1e-9 * np.abs(expected).max())


def test_circles_are_those_of_clohessy_and_wiltshire() -> None:
    t = np.linspace(0.0, LOW.period, 7)
    X = yamanaka_ankersen(LOW, 0.0, t)
    Y = clohessy_wiltshire(LOW.mean_motion, t)
    assert X.shape == (7, 6, 6) and np.allclose(X, Y, rtol=0.0, atol=1e-9 * np.abs(Y).max())
    assert np.allclose(X[3] @ np.linalg.inv(X[2]), yamanaka_ankersen(LOW, t[2], t[3]), atol=1e-7)


@pytest.mark.parametrize("orbit", [None, LOW, LONG])
def test_two_impulses_lead_there(orbit: Orbit | None) -> None:
    end = np.array([2.0, 7.0, -1.0, 0.01, 0.0, 0.02])
    first, last = plan.two_impulses(orbit, NEAR, end, (100.0, 900.0))
    x = NEAR + np.concatenate([np.zeros(3), first])
    if orbit is None:
        arrived = np.concatenate([x[:3] + 800.0 * x[3:], x[3:]])
    else:
        arrived = integrated(orbit, x, (100.0, 900.0))
    assert np.allclose(arrived + np.concatenate([np.zeros(3), last]), end, atol=1e-8)


LIMITS = plan.RendezvousLimits(10.0, acceleration=0.012, plume=(8.0, 0.002))
END = np.array([5.0, 0.0, 0.0, 0.0, 0.0, 0.0])
START = np.array([-30.0, 0.0, 0.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("orbit", [LOW, LONG])
def test_a_plan_keeps_its_limits_and_obeys_the_tide(orbit: Orbit) -> None:
    """From behind the debris: the straight line goes through it."""
    path = plan.plan_rendezvous(START, END, LIMITS, times=(-480.0, -190.0, 0.0), orbit=orbit)
    assert [v.name for v in path.verdicts] == ["keep-out distance", "corridor", "acceleration", "plume"]
    assert all(v.ok for v in path.verdicts), path.verdicts
    fine = np.linspace(-480.0, 0.0, 121)
    x = np.array([path.state(t) for t in fine])
    distance = np.linalg.norm(x[:, :3], axis=1)
    assert distance[fine < -190.0].min() >= 10.0
    inside = x[fine >= -190.0, :3]
    assert np.degrees(np.arccos(inside[:, 0] / np.linalg.norm(inside, axis=1))).max() <= 15.0
    a = path.thrust(fine)
    assert np.abs(a).max() <= 0.012 + 1e-12
    assert (np.sum(a * x[:, :3], axis=1) / distance)[distance < 8.0].max() <= 0.002
    assert np.allclose(path.state(-480.0), START) and np.allclose(path.state(0.0), END, atol=1e-9)
    middle = integrated(orbit, START, (-480.0, -200.0), path.thrust)
    assert np.allclose(path.state(-200.0), middle, atol=1e-7)
    assert "rendezvous in 480 s" in str(path)


def test_least_impulse_on_a_line_is_the_closed_form() -> None:
    """Rest to rest on a line: the least impulse of ramps and a coast is twice the speed of the best trapezoid."""
    length, T, most, ramp = 20.0, 400.0, 0.01, 20.0
    limits = plan.RendezvousLimits(9.0, acceleration=most, ramp=ramp)
    start, end = np.array([30.0, 0, 0, 0, 0, 0]), np.array([10.0, 0, 0, 0, 0, 0])
    path = plan.plan_rendezvous(start, end, limits, times=(0.0, 200.0, T))
    # a pulse of the impulse v ramps up and down: with slope most / ramp it takes 2 sqrt(v ramp / most)
    low, high = length / T, 2.0 * length / T
    for _ in range(80):
        v = 0.5 * (low + high)
        low, high = (v, high) if v * (T - 2.0 * np.sqrt(v * ramp / most)) < length else (low, v)
    assert path.impulse == pytest.approx(2.0 * v, rel=0.03)  # the grid is 5.6 s, a ramp 16 s
    assert path.impulse > 2.0 * v * (1.0 - 1e-3)


def test_the_speed_in_the_corridor_is_limited() -> None:
    """Within a cube of speeds inside of the sphere of the limit; the way is made up for before."""
    t, start, end = np.linspace(0.0, 400.0, 21), np.zeros(6), np.zeros(6)
    start[0], end[0] = 30.0, 10.0
    path, axes = np.linspace(start[:3], end[:3], 21), np.tile(np.eye(3), (21, 1, 1))
    fastest = []
    for speed in (np.inf, 0.05):
        limits = plan.RendezvousLimits(9.0, acceleration=0.01, ramp=10.0, speed=speed)
        _, x = _program(start, end, t, 200.0, limits, _responses(None, tuple(t.tolist())), path, axes)
        fastest.append([np.linalg.norm(x[some, 3:], axis=1).max() for some in (t < 200.0, t >= 200.0)])
    free, held = fastest
    assert free[1] > 0.05 >= held[1] and held[0] > free[0]


def test_thrusts_towards_the_target_are_small_next_to_it() -> None:
    """Thrusts are straight between nodes: those at a node near the target and at both its neighbours are small.

    The path leads away from the target; thrusts are needed for more than four nodes, and cost least at the first ones.
    """
    limits = plan.RendezvousLimits(0.1, acceleration=1e-3, ramp=10.0, plume=(20.0, 1e-5))
    t, start, end = np.linspace(0.0, 400.0, 21), np.zeros(6), np.zeros(6)
    start[0], end[0] = 30.0, 60.0
    path = np.linspace(start[:3], end[:3], 21)
    path[6, 0] = 15.0
    axes = np.tile(np.eye(3), (21, 1, 1))
    a, _ = _program(start, end, t, 390.0, limits, _responses(None, tuple(t.tolist())), path, axes)
    assert a[5:8, 0].max() <= 1e-5
    np.testing.assert_allclose(a[1:5, 0], 1e-3)
    assert a[8, 0] > 1e-4


def test_least_impulse_is_that_along_the_axes_of_the_thrusters() -> None:
    """In axes that turn on the way the plan is cheaper than that for axes at rest, and obeys the same motion."""

    def cost(path: plan.Rendezvous, axes: np.ndarray) -> float:
        return float(np.gradient(path.t) @ np.abs(np.einsum("kji,kj->ki", axes, path.a)).sum(axis=1))

    times, n = (0.0, 250.0, 400.0), 73
    limits = plan.RendezvousLimits(8.0, acceleration=0.02)
    start, end = np.array([-30.0, 4.0, 2.0, 0, 0, 0]), np.array([-2.0, 8.0, 1.0, 0, 0, 0])
    turning = Rotation.from_rotvec(np.linspace(0.0, 1.5, n)[:, None] * [0.2, 0.3, 0.9]).as_matrix()
    plain = plan.plan_rendezvous(start, end, limits, times=times)
    best = plan.plan_rendezvous(start, end, limits, times=times, axes=lambda t, places: turning)
    assert cost(best, turning) < 0.97 * cost(plain, turning)
    assert cost(best, np.tile(np.eye(3), (n, 1, 1))) > cost(plain, np.tile(np.eye(3), (n, 1, 1)))
    assert all(v.ok for v in best.verdicts)
    h = np.diff(best.t)[:, None]
    speed = np.cumsum(0.5 * h * (best.a[1:] + best.a[:-1]), axis=0)
    assert np.allclose(speed, best.x[1:, 3:], atol=1e-12) and np.allclose(best.x[-1], end, atol=1e-9)


def test_plans_that_cannot_be_are_refused() -> None:
    weak = plan.RendezvousLimits(10.0, acceleration=1e-4)
    with pytest.raises(plan.PlanError, match=r"no path of 480 s keeps the limits: 0\.0001 m/s2"):
        plan.plan_rendezvous(START, END, weak, times=(-480.0, -190.0, 0.0))
    for call, match in (
        (lambda: plan.plan_rendezvous(START, END, LIMITS, times=(0.0, 500.0, 480.0)), "must increase"),
        (lambda: plan.plan_rendezvous(END, END, LIMITS, times=(0.0, 200.0, 480.0)), "outside of its keep-out zone"),
        (lambda: plan.plan_rendezvous(START, np.zeros(6), LIMITS, times=(0.0, 200.0, 480.0)), "not be at the target"),
        (lambda: plan.plan_rendezvous(START[:3], END, LIMITS, times=(0.0, 200.0, 480.0)), "6 numbers"),
        (lambda: plan.RendezvousLimits(10.0, corridor=2.0), "below pi / 2"),
        (lambda: plan.two_impulses(LOW, NEAR, END, (0.0, LOW.period)), "no unique velocity"),
        (lambda: plan.two_impulses(LOW, NEAR, END, (5.0, 0.0)), "must end after its begin"),
        (lambda: yamanaka_ankersen(LOW, 0.0, 1.0, axes="earth"), "'orbit' or 'world'"),
    ):
        with pytest.raises(da.InputError, match=match):
            call()


def test_the_way_faces_the_debris_and_ends_at_its_side() -> None:
    side = Rotation.from_rotvec([0.3, 2.2, -0.9]).as_matrix()
    outward = np.array([1.0, 0.0, 0.0])
    first = FlyAround(np.array([1.0, 2.0, 3.0]), outward, side, 30.0, 15.0, 5.0, (300.0, 180.0))
    way = rendezvous_way(first, LIMITS, LOW)
    assert np.allclose(way.pose(0.0)[0], first.pose(0.0)[0]) and np.allclose(way.pose(0.0)[1], np.eye(3), atol=1e-9)
    assert np.allclose(way.pose(480.0)[1], side.T, atol=1e-9)
    assert np.allclose(way.pose(480.0)[0], first.pose(480.0)[0], atol=1e-6)
    assert way.times == pytest.approx((300.0, 180.0)) and way.far == pytest.approx(30.0)
    h = 1e-3
    for t in np.linspace(2.0, 478.0, 30):
        (x, R), (a, A), (b, B) = (way.pose(t + k * h) for k in (0, -1, 1))
        to = way.centre - x
        assert (R @ outward) @ to / np.linalg.norm(to) > np.cos(np.radians(0.3))
        twist = way.motion(t)[1]
        W = R.T @ (B - A) / (2 * h)
        assert np.allclose(twist[:3], R.T @ (b - a) / (2 * h), atol=1e-4)
        assert np.allclose(twist[3:], [W[2, 1], W[0, 2], W[1, 0]], atol=1e-4)
    mount = np.eye(4)
    mount[:3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]  # the camera looks along x
    assert camera_verdict(way, mount, StereoCamera()).value < 0.3
    mount[:3, :3] = np.eye(3)
    assert not camera_verdict(way, mount, StereoCamera()).ok


def test_a_retreat_is_a_straight_smooth_move() -> None:
    R = Rotation.from_rotvec([0.2, -0.4, 0.9]).as_matrix()
    d = np.array([0.6, 0.0, 0.8])
    back = Retreat(np.array([1.0, 0.0, 2.0]), R, d, 20.0, 100.0)
    assert np.allclose(back.motion(100.0)[0][:3], [13.0, 0.0, 18.0])
    h = 1e-3
    for t in (0.0, 13.0, 50.0, 100.0):
        _, v, a = back.motion(t)
        (p, s, _), (q, u, _) = back.motion(t - h), back.motion(t + h)
        assert np.allclose(R @ v[:3], (q - p)[:3] / (2 * h), atol=1e-4) and np.allclose(a, (u - s) / (2 * h), atol=1e-5)
