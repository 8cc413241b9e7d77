"""Compliant contacts of colliders: bounces, shares, energy, bits of rigid ones, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.engine.collide.native import TouchingPoints, stored_energy

_FREE = da.Joint("base", "free", "world", "ball")
_SLIDE = da.Joint("base", "prismatic", "world", "ball", axis="z")


def _ball(stiffness: Any, damping: float = 0.0, joint: da.Joint = _FREE, **settings: Any) -> da.Machine:
    colliders = [
        da.Collider("balls", stiffness=stiffness, damping=damping, friction=0.5),
        da.Collider("ground", surface=da.HalfSpace(), friction=0.5),
    ]
    return da.Machine("ball", [da.sphere("ball", 2.0, 0.1)], [joint], colliders=colliders, **settings)


def _run(machine: da.Machine, duration: float, **settings: Any) -> da.Run:
    return da.simulate(machine, duration=duration, contact="time-stepping", **settings)


def test_second_order() -> None:
    """Bounces of a ball approach those of the force k d (1 + c d') by the square of the step."""

    def rates(_: float, y: Any) -> list[float]:
        depth = max(0.1 - y[0], 0.0)
        return [y[1], max(2e4 * depth * (1.0 - 0.5 * y[1]), 0.0) / 2.0 - 9.81]

    t = np.linspace(0.0, 0.6, 301)
    exact = solve_ivp(rates, (0.0, 0.6), [0.15, 0.0], t_eval=t, rtol=1e-9, atol=1e-12, max_step=1e-3).y[0]
    runs = [_run(_ball(2e4, 0.5), 0.6, q0={"base.z": 0.15}, step=h, record=2e-3) for h in (1e-3, 2.5e-4)]
    errors = [np.abs(run["base.z"] - exact).max() for run in runs]
    assert errors[0] < 2e-4
    assert errors[1] < errors[0] / 8


def test_machines_with_joints_do_the_same() -> None:
    """A ball on a vertical slide, stepped by its tapes, moves as a free one, from a start in the surface, for any k."""
    k = da.Parameter("k", 1e4)
    settings: dict[str, Any] = {"step": 1e-3, "record": 0.01, "p": {"k": 2e4}}
    free = _run(_ball(k, 0.5), 0.5, q0={"base.z": 0.09}, **settings)
    guided = _run(_ball(k, 0.5, _SLIDE), 0.5, q0={"base": 0.09}, **settings)
    np.testing.assert_allclose(guided["base"], free["base.z"], atol=1e-12)
    np.testing.assert_allclose(guided["contact.stored"], free["contact.stored"], atol=1e-10)
    assert free["contact.stored"][0] == pytest.approx(0.5 * 2e4 * 0.01**2)
    assert max(free.energy.drift, guided.energy.drift) < 1e-9
    assert free["base.z"].max() > 0.11
    hanging = _run(_ball(k, 0.5), 0.5, start=free, step=1e-3, p={"k": 2e4})
    assert hanging["contact.stored"][0] == free["contact.stored"][-1]


def test_a_stack_shares_its_weight() -> None:
    """Corners bear a quarter of the weight above them; two compliant sides are half as stiff as one on rigid ground."""
    bodies = [da.box("box", 4.0, (0.4, 0.3, 0.2)), da.box("top", 2.0, (0.2, 0.2, 0.1))]
    joints = [da.Joint("b", "free", "world", "box"), da.Joint("t", "free", "world", "top")]
    colliders = [
        da.Collider("boxes", stiffness=2e4, damping=30.0, friction=0.6),
        da.Collider("ground", surface=da.HalfSpace(), friction=0.6),
    ]
    stack = da.Machine("stack", bodies, joints, colliders=colliders)
    g, low, high = 9.81, 6 * 9.81 / 4 / 2e4, 2 * 9.81 / 4 / 1e4
    start = {"b.z": 0.1 - 0.9 * low, "t.z": 0.25 - 0.9 * (low + high)}
    run = _run(stack, 1.0, q0=start, step=2e-3, record=0.1)
    assert 0.1 - run["b.z"][-1] == pytest.approx(low, rel=1e-3)
    assert 0.25 - run["t.z"][-1] == pytest.approx(low + high, rel=1e-3)
    forces = sorted(entry["force"][0] for entry in run.metadata["contacts"])
    np.testing.assert_allclose(forces, np.repeat([2 * g / 4, 6 * g / 4], 4), rtol=1e-3)
    assert run["contact.stored"][-1] == pytest.approx(2e4 * low**2 * 2 + 1e4 * high**2 * 2, rel=2e-3)


def test_no_stiffness_adds_energy() -> None:
    """Hits with friction, from soft to far stiffer than the step resolves, lose energy; resolved ones keep the rest."""
    random = np.random.default_rng(3)
    for stiffness in np.geomspace(1e3, 1e9, 13):
        start = {"base.z": 0.1 + random.uniform(0.0, 0.005)}
        speeds = {"base.vz": -random.uniform(0.5, 3.0), "base.vx": random.uniform(-2, 2), "base.wy": 4.0}
        run = _run(_ball(stiffness, gravity=(0, 0, 0)), 0.15, q0=start, v0=speeds, step=1e-3)
        loss, kinetic = run["work.loss"], run.energy.kinetic[0]
        assert (loss - np.minimum.accumulate(loss)).max() < 1e-6 * kinetic, stiffness
        assert run.energy.drift < 1e-12
        if stiffness < 2e4:
            assert np.diff(run["base.z"])[-1] == pytest.approx(-np.diff(run["base.z"])[0], rel=2e-3)


def test_energy_of_compliant_contacts() -> None:
    """Half of the stiffness times the depth squared; two shapes are springs in series, and rigid ones store none."""
    shapes = np.array([[0, 1], [0, 2], [1, 2], [1, 2], [0, 0]])
    gaps = np.array([-0.01, -0.02, -0.03, 0.01, -0.04])
    touching = TouchingPoints(shapes, np.zeros((5, 3)), np.zeros((5, 3)), gaps)
    expected = 0.5 * (0.02**2 / 1e-3 + 0.03**2 / 3e-3 + 0.01**2 / 2e-3)
    assert stored_energy(np.array([0.0, 2e-3, 1e-3]), touching) == pytest.approx(expected, rel=1e-12)


def test_rigid_contacts_keep_their_bits() -> None:
    """A compliant ball beside a rigid stack changes no bit of it."""
    bodies = [da.box("box", 4.0, (0.4, 0.3, 0.2)), da.sphere("ball", 2.0, 0.1)]
    joints = [da.Joint("b", "free", "world", "box"), da.Joint("f", "free", "world", "ball")]
    box, ground = da.Collider("boxes", bodies=["box"], friction=0.6), da.Collider("ground", surface=da.HalfSpace())
    start = {"b.z": 0.13, "b.x": 3.0, "f.z": 0.15}
    runs = []
    for stiffness in (None, 1e4):
        balls = da.Collider("balls", bodies=["ball"], stiffness=stiffness)
        yard = da.Machine("yard", bodies, joints, colliders=[box, ground, balls])
        runs.append(_run(yard, 0.3, q0=start, v0={"b.wx": 2.0}, step=1e-3))
    for name in ("b.x", "b.y", "b.z", "b.qw", "b.wx"):
        assert np.array_equal(runs[0][name], runs[1][name])
    assert not np.array_equal(runs[0]["f.z"], runs[1]["f.z"])
    assert "contact.stored" not in runs[0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"damping": 1.0}, "collider 'c' has damping and no 'stiffness'"),
        ({"stiffness": 0.0}, "stiffness of collider 'c' must be > 0, got 0; None is rigid"),
        ({"stiffness": -1.0}, "stiffness of collider 'c'"),
        ({"stiffness": np.inf}, "stiffness of collider 'c'"),
        ({"stiffness": 1e4, "damping": -1.0}, "damping of collider 'c'"),
        ({"stiffness": 1e4, "restitution": 0.5}, "collider 'c' has a stiffness and restitution"),
    ],
)
def test_bad_compliance(settings: dict[str, Any], message: str) -> None:
    """What has no meaning is refused by name."""
    with pytest.raises(da.MachineError, match=message):
        da.Collider("c", **settings)


def test_linear_models_refuse_it() -> None:
    """No linear model of compliant colliders is made."""
    with pytest.raises(da.DalembertError, match="'balls' has a stiffness"):
        da.linearize(_ball(1e4, joint=_SLIDE), at={"base": 0.1})
