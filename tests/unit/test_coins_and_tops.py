"""Euler's disc and the tippe top: colliders with rolling contact against steady motions of rigid bodies."""

import numpy as np
import pytest

import dalembert as da

G = 9.81


def on_the_ground(body, friction):
    ground = da.Collider("ground", surface=da.HalfSpace(), friction=friction)
    colliders = [da.Collider("things", friction=friction), ground]
    return da.Machine("spinner", [body], [da.Joint("a", "free", "world", body.name)], colliders=colliders)


def turned(machine, axis, angle, height):
    """Start with the body turned about an axis of the world."""
    names, half = machine.q_names, angle / 2
    quaternion = [np.cos(half), *(np.sin(half) * np.array(axis, dtype=float))]
    return {names[2]: height} | dict(zip(names[3:7], quaternion, strict=True))


def steady(tilt, r, h):
    """Rates of precession and of rotation with which a coin rolls about its centre; its axis and the way to the ground.

    All are in the plane of its axis and the vertical: ``W e_z x L = a x m g e_z`` and ``w x n = W e_z x n``.
    """
    lowest, n = np.array([0.0, np.cos(tilt), -np.sin(tilt)]), np.array([0.0, np.sin(tilt), np.cos(tilt)])
    arm = r * lowest - h / 2 * n
    along = arm / np.linalg.norm(arm)  # at rest are the centre and the point on the ground
    per_mass = (r**2 / 4 + h**2 / 12) * (along @ lowest) * lowest + r**2 / 2 * (along @ n) * n  # L = w per_mass
    up = np.array([0.0, 0.0, 1.0])
    ratio = np.cross(along, n)[0] / np.cross(up, n)[0]  # W = ratio w
    squared = np.cross(arm, G * up)[0] / (ratio * np.cross(up, per_mass)[0])
    return ratio * np.sqrt(squared), np.sqrt(squared) * along, n


@pytest.mark.parametrize("tilt", [0.3, 0.8])
def test_disc_rolls_about_its_centre(tilt):
    """A coin precesses with its centre where it was; a thin one with W^2 = 4 g / (r sin tilt)."""
    r, h = 0.1, 0.01
    thin, _, _ = steady(tilt, r, 1e-9)
    assert thin**2 == pytest.approx(4 * G / (r * np.sin(tilt)), rel=1e-6)
    pace, spin, _ = steady(tilt, r, h)
    machine = on_the_ground(da.cylinder("coin", 0.4, r, h, axis="z"), 2.0)
    height, period = r * np.sin(tilt) + h / 2 * np.cos(tilt), 2 * np.pi / abs(pace)
    turn = np.array([[1, 0, 0], [0, np.cos(tilt), np.sin(tilt)], [0, -np.sin(tilt), np.cos(tilt)]])  # about -x
    rates = dict(zip(("a.wx", "a.wy", "a.wz"), turn.T @ spin, strict=True))
    sinks = []
    for steps in (1000, 2000):
        run = da.simulate(
            machine, duration=period, q0=turned(machine, (1, 0, 0), -tilt, height), v0=rates, contact="time-stepping",
            step=period / steps,
        )  # fmt: skip
        sinks.append(height - run["a.z"][-1])
        assert np.abs(run.x[:, :2]).max() < 0.02 * r
        w, x, y, z = run.x[:, 3:7].T
        axis = np.unwrap(np.arctan2(2 * (y * z - w * x), 2 * (x * z + w * y)))
        assert axis[-1] - axis[0] == pytest.approx(np.sign(pace) * 2 * np.pi, rel=0.02)
    assert abs(sinks[1]) < 0.35 * abs(sinks[0]) < 1e-5 * height  # the path of its point takes no energy to second order


@pytest.mark.slow
def test_tippe_top_inverts():
    """Spun fast, a ball with its centre of mass below that of its sphere turns over, as sliding friction raises it.

    At first it moves as event by event. With more friction it soon rolls, loses no energy and does not turn over.
    """
    r, m, lean = 0.02, 0.02, 0.3
    inertia = m * r**2 * np.array([131 / 350, 131 / 350, 2 / 5])
    body = da.Body("top", m, com=(0.0, 0.0, -0.3 * r), inertia=np.diag(inertia), geometry=da.Sphere(r))

    def spun(friction, **settings):
        machine = on_the_ground(body, friction)
        if "method" in settings:
            contact = da.Contact("floor", "top", da.Sphere(r), friction=friction)
            machine = machine.with_(colliders=(), contacts=[contact])
        start = {"q0": turned(machine, (1, 0, 0), lean, r), "v0": {"a.wz": 155.0}}
        run = da.simulate(machine, record=0.01, **start, **settings)
        return run, 1 - 2 * (run.x[:, 4] ** 2 + run.x[:, 5] ** 2)

    run, upright = spun(0.05, duration=8.0, contact="time-stepping", step=2e-4)
    exact, expected = spun(0.05, duration=1.0, method="dop853", rtol=1e-9)
    np.testing.assert_allclose(upright[:100:10], np.interp(run.t[:100:10], exact.t, expected), atol=1e-4)
    assert upright[0] > 0.95 and upright[-1] < -0.95
    assert run.energy.total[-1] < run.energy.total[0]
    rolls, upright = spun(0.3, duration=4.0, contact="time-stepping", step=2e-4)
    assert upright.min() > 0.95 and rolls.energy.total[-1] == pytest.approx(rolls.energy.total[100], rel=1e-5)
