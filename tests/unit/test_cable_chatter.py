"""Many cables that go slack and become taut at once: no cable pushes, none stretches, no run hangs."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import analysis
from dalembert.analysis.cables.tensions import platform_load
from dalembert.engine.unilateral.algebra import least_constraint
from dalembert.systems import cable_robots as cr

CABLES = [f"cable{k}" for k in range(1, 9)]
PUSH = tuple(da.Parameter(f"f{k}", 0.0) for k in "xyz")


def loose_robot(slack, *, pulley: float = 0.0) -> tuple[da.Machine, np.ndarray]:
    """The eight-cable robot on cables of fixed length, longer than the centre needs by ``slack``; and the lengths."""
    model = cr.eight_cable_robot(pulley=0.0)
    parts = (
        da.box("platform", 30.0, (0.5, 0.4, 0.3)),
        [c.exit_at for c in model.cables],
        [c.anchor_at for c in model.cables],
    )
    taut = cr.cable_robot("taut", *parts, winches=False, pulley=pulley)
    lengths = analysis.cable_lengths(taut, [0, 0, 1.5, 1, 0, 0, 0]) + np.asarray(slack)
    push = da.Wrench("push", "platform", force=PUSH, axes="world")
    robot = cr.cable_robot("loose", *parts, winches=False, pulley=pulley, lengths=list(lengths), wrenches=(push,))
    return robot, lengths


def check(run: da.Run, lengths: np.ndarray, *, drift: float = 1e-7) -> None:
    """What must hold whatever the cables do."""
    assert run.status == "completed"
    assert np.isfinite(run.x).all() and np.isfinite(run.y).all()
    assert len(run.events) < 400
    tensions = run.array([f"tension.{c}" for c in CABLES])
    assert tensions.min() > -1e-6 * max(1.0, tensions.max())
    assert (run.array([f"length.{c}" for c in CABLES]) - lengths).max() < 2e-9
    assert all(change["energy_lost"] > -1e-9 for change in run.metadata["transitions"])
    assert run.energy.drift < drift
    assert abs(run.energy.transition[-1]) < 1e-5 * max(run.energy.peak, 1.0)


@pytest.mark.parametrize("seed", range(40))
def test_least_constraint_satisfies_its_conditions(seed) -> None:
    """Newton, rows that hold, no pushing, no stretching, one or the other; dependent and doubled rows included."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 8)), int(rng.integers(1, 12))
    B, J = rng.normal(size=(n, n)), rng.normal(size=(m, n))
    M = B @ B.T + 0.1 * np.eye(n)
    J[-1] = J[0] * rng.choice([1.0, 2.0, -1.0])
    pulls = np.arange(m) >= min(int(rng.integers(0, 3)), n - 1)
    room = np.where(pulls, rng.choice([0.0, 0.0, 1.0], size=m) * rng.random(m), 0.0)
    gamma, force = J @ rng.normal(size=n) + room, 5 * rng.normal(size=n)
    a, multipliers, opening, feasible = least_constraint(M, force, J, gamma, pulls)
    assert feasible
    assert np.allclose(M @ a + J.T @ multipliers, force, atol=1e-9)
    assert np.abs(opening[~pulls]).max(initial=0.0) < 1e-9
    assert opening[pulls].max(initial=0.0) < 1e-9
    assert multipliers[pulls].min(initial=0.0) >= 0.0
    assert np.abs(opening * multipliers)[pulls].max(initial=0.0) < 1e-8


def test_rows_that_contradict_each_other_are_told() -> None:
    J = np.array([[1.0, 0.0], [-1.0, 0.0]])
    found = least_constraint(np.eye(2), np.zeros(2), J, np.array([-1.0, -1.0]), np.array([True, True]))
    assert not found.feasible


@pytest.mark.slow
def test_a_sudden_force_shifts_the_load_to_other_cables() -> None:
    """Eight taut cables hold all six degrees of freedom: the platform stays, cables that would push let go at once."""
    robot, lengths = loose_robot(np.zeros(8))
    rest = da.simulate(robot, duration=0.1, q0={"platform.z": 1.5})
    lower = [f"tension.{c}" for c in CABLES[4:]]
    assert np.abs(rest.array(lower)).max() == 0.0  # they would have to push the platform up
    assert sum(rest[f"tension.{c}"][0] for c in CABLES[:4]) > 30 * 9.81
    for force in ({"fz": 600.0}, {"fx": 400.0, "fy": 150.0, "fz": 900.0}, {"fx": 3000.0}):
        pushed = da.simulate(robot, duration=0.3, start=rest, p=force)
        check(pushed, lengths)
        assert np.abs(pushed.array(["platform.x", "platform.y", "platform.z"]) - [0, 0, 1.5]).max() < 1e-9
        f, q = np.array([pushed[f"tension.{c}"][-1] for c in CABLES]), pushed.x[-1, :7]
        load = platform_load(robot, q, p=force)
        assert np.allclose(analysis.structure_matrix(robot, q) @ f, load, atol=1e-6)
        assert pushed.energy.drift == 0.0  # nothing moves: what is left is rounding


def test_lifted_platform_changes_cables_four_at_a_time() -> None:
    """A force lifts the platform by 20 mm of play: all upper cables go slack at once, all lower ones become taut."""
    robot, lengths = loose_robot([0.0] * 4 + [0.02] * 4)
    rest = da.simulate(robot, duration=0.05, q0={"platform.z": 1.5})
    assert [rest[f"active.{c}"][-1] for c in CABLES] == [1.0] * 4 + [0.0] * 4
    up = da.simulate(robot, duration=0.5, start=rest, p={"fz": 600.0})
    check(up, lengths)
    assert [up[f"active.{c}"][-1] for c in CABLES] == [0.0] * 4 + [1.0] * 4
    assert {e.t for e in up.events} == {up.events[0].t}  # one instant
    assert up["platform.z"][-1] > 1.51
    fall = da.simulate(robot, duration=0.5, start=up)
    check(fall, lengths)
    assert [fall[f"active.{c}"][-1] for c in CABLES] == [1.0] * 4 + [0.0] * 4
    assert fall["platform.z"][-1] == pytest.approx(1.5, abs=1e-9)
    assert fall.metadata["transitions"][0]["energy_lost"] == pytest.approx(
        30 * 9.81 * (up["platform.z"][-1] - 1.5), rel=1e-6
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 5, 10])
def test_cables_that_rattle_come_to_rest(seed) -> None:
    """Impacts that follow each other ever faster (a platform rocking between two cables) end, by any method alike."""
    rng = np.random.default_rng(seed)
    slack = rng.uniform(0, 0.05, 8) * rng.integers(0, 2, 8)
    v0 = rng.normal(size=6) * [1, 1, 1, 2, 2, 2]
    robot, lengths = loose_robot(slack, pulley=0.04 if seed == 5 else 0.0)
    settings = {"duration": 0.5, "q0": {"platform.z": 1.5}, "v0": v0, "step": 1e-3}
    run = da.simulate(robot, **settings)
    check(run, lengths)
    assert len(run.events) > 10
    times = np.diff([e.t for e in run.events])
    assert times.min() < 1e-2 * times.max()
    for options in ({"constraints": "baumgarte"}, {"constraints": "penalty"}, {"by": "natural"}):
        other = da.simulate(robot, **settings, **options)
        check(other, lengths, drift=1e-6)
        assert abs(len(other.events) - len(run.events)) <= 2
        for name in ("platform.x", "platform.y", "platform.z"):
            assert other[name][-1] == pytest.approx(run[name][-1], abs=1e-5)


@pytest.mark.slow
def test_sampled_winches_under_a_sudden_force() -> None:
    robot = cr.eight_cable_robot(pulley=0.0).with_(wrenches=(da.Wrench("push", "platform", force=PUSH, axes="world"),))
    q = robot.q_neutral
    q[list(robot.q_names).index("platform.z")] = 1.5
    f = analysis.tension_distribution(analysis.structure_matrix(robot, q), platform_load(robot, q), 50.0, 800.0)
    at = [list(robot.q_names).index(f"winch{k}") for k in range(1, 9)]
    by = [list(robot.v_names).index(f"winch{k}_dot") for k in range(1, 9)]
    hold = da.SampledController(lambda t, q, v: -0.05 * f - 20.0 * q[at] - v[by], 0.002)
    run = da.simulate(robot, duration=0.1, q0=q, control=hold)
    assert not run.events
    for force in ({"fx": 800.0, "fy": 300.0, "fz": 2400.0}, {}):
        run = da.simulate(robot, duration=0.5, start=run, control=hold, p=force)
        assert run.status == "completed" and 0 < len(run.events) < 100
        assert run.energy.drift < 1e-6
        taut = np.array([run[f"active.{c}"] > 0.5 for c in CABLES]).T
        after = np.append(np.diff(run.t) > 0.0, True)  # rows at an event show the state before it, too
        assert run.array([f"tension.{c}" for c in CABLES])[after][taut[after]].min() > -1e-6


def test_equal_cables_share_and_a_cut_one_stays_cut() -> None:
    bob = da.Machine(
        "bob",
        bodies=[da.Body("slide"), da.point_mass("b", 2.0)],
        joints=[
            da.Joint("x", "prismatic", "world", "slide", axis=(1, 0, 0)),
            da.Joint("z", "prismatic", "slide", "b", axis=(0, 0, 1)),
        ],
        cables=[da.Cable("one", "b", length=1.0), da.Cable("two", "b", length=1.0)],
    )
    hung = da.simulate(bob, duration=0.2, q0={"z": -1.0})
    assert np.allclose(hung.array(["tension.one", "tension.two"]), 9.81)
    # thrown up inside the circle after the first cable was cut: only the second one catches it
    cut = da.simulate(bob, duration=1.5, q0={"z": -1.0}, v0={"x_dot": 5.8}, switches=[da.Switch(at=0.1, off="one")])
    assert cut["active.one"][-1] == -1.0
    assert {e.name for e in cut.events} == {"switch0", "two.slack", "two.taut"}
    assert np.abs(cut["tension.one"][cut.t > 0.1]).max() == 0.0
    again = [da.Switch(at=0.1, off="one"), da.Switch(at=0.2, on="one")]
    swing = da.simulate(bob, duration=0.4, q0={"z": -1.0}, v0={"x_dot": 1.0}, switches=again)
    assert np.allclose(swing["tension.one"][swing.t > 0.2], swing["tension.two"][swing.t > 0.2])
