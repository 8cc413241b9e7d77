"""Rollouts through contacts: every member is the single run, alone or among others, in lanes and as a GPU has it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.gpu_on_processor import needs_gpp, stepped_on_a_gpu

import dalembert as da
from dalembert.core.errors import InputError

WAY = da.TimeStepping()


def ball(radius: float = 0.1, **contact: Any) -> da.Machine:
    return da.Machine(
        "ball",
        bodies=[da.sphere("ball", 1.0, radius)],
        joints=[da.Joint("base", "free", "world", "ball")],
        contacts=[da.Contact("floor", "ball", da.Sphere(radius), **contact)],
    )


def block() -> da.Machine:
    """A box whose corners fall on the ground."""
    size = (0.2, 0.3, 0.1)
    return da.Machine(
        "block",
        bodies=[da.box("block", 2.0, size)],
        joints=[da.Joint("base", "free", "world", "block")],
        contacts=[da.Contact("corner", "block", da.Box(size), friction=0.4, restitution=0.2)],
    )


def box_of_balls(n: int) -> da.Machine:
    """Balls over the ground and between walls, all of which may touch each other."""
    names = [f"ball{i}" for i in range(n)]
    walls = {
        "floor": da.HalfSpace(),
        "left": da.HalfSpace((1.0, 0.0, 0.0), (-0.25, 0.0, 0.0)),
        "right": da.HalfSpace((-1.0, 0.0, 0.0), (0.25, 0.0, 0.0)),
        "front": da.HalfSpace((0.0, 1.0, 0.0), (0.0, -0.25, 0.0)),
        "back": da.HalfSpace((0.0, -1.0, 0.0), (0.0, 0.25, 0.0)),
    }
    solid = da.Sphere(0.05)
    contacts = [da.Contact(f"{b}.{w}", b, solid, surface=s, friction=0.5) for b in names for w, s in walls.items()]
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            other = da.SphericalSurface(0.05)
            contacts.append(da.Contact(f"{a}.{b}", a, solid, surface=other, on=b, friction=0.3, restitution=0.5))
    return da.Machine(
        "box of balls",
        bodies=[da.sphere(b, 0.5, 0.05) for b in names],
        joints=[da.Joint(b, "free", "world", b) for b in names],
        contacts=contacts,
    )


def stacked(n: int, members: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Balls above each other, a little beside."""
    q0 = {}
    for i in range(n):
        q0 |= {f"ball{i}.{axis}": rng.uniform(-0.04, 0.04, members) for axis in "xy"}
        q0[f"ball{i}.z"] = np.full(members, 0.06 + 0.11 * i)
    return q0


def swing() -> da.Machine:
    """A pendulum of two links between the limits of its joints, under a motor."""
    limits = da.Limits(lower=-0.4, upper=0.5)
    return da.Machine(
        "swing",
        bodies=[da.point_mass("upper", 1.0, com=(0.0, 0.0, -1.0)), da.point_mass("lower", 0.5, com=(0.0, 0.0, -0.7))],
        joints=[
            da.Joint("a", "revolute", "world", "upper", axis="y", limits=limits),
            da.Joint("b", "revolute", "upper", "lower", da.Transform((0.0, 0.0, -1.0)), axis="y", limits=limits),
        ],
        motors=[da.Motor("a", "a")],
    )


def singles(eom: da.EquationsOfMotion, many: Any, start: dict[str, Any], **settings: Any) -> list[da.Run]:
    """Each member as a single run."""
    runs = []
    for i in range(len(many)):
        own = {side: {k: float(np.asarray(v)[i]) for k, v in values.items()} for side, values in start.items()}
        runs.append(da.simulate(eom, **own, **({"limits": "ignore"} | settings)))
    return runs


def assert_same(
    eom: da.EquationsOfMotion, start: dict[str, Any], *, names: tuple[str, ...] = (), **settings: Any
) -> Any:
    """Members are single runs, in all states or in some: forces, losses, works, residual and sweeps are among them."""
    many = da.rollout(eom, threads=1, **start, **settings)
    assert many.ok.all()
    for i, run in enumerate(singles(eom, many, start, **settings)):
        chosen = [run.state_names.index(name) for name in names or run.state_names]
        got, want = many.x[i][:, chosen], run.x[:, chosen]
        scale = 1.0 + np.abs(want).max(axis=0)
        np.testing.assert_allclose(got / scale, want / scale, rtol=0, atol=1e-10)
    return many


def test_bouncing_and_sliding_balls_are_single_runs() -> None:
    eom, rng, n = da.equations(ball(restitution=0.6, friction=0.3)), np.random.default_rng(0), 11
    start = {
        "q0": {"base.z": rng.uniform(0.15, 0.6, n)},
        "v0": {"base.vx": rng.normal(size=n), "base.wx": 5.0 * rng.normal(size=n)},
    }
    settings: dict[str, Any] = {"duration": 1.2, "step": 1e-3, "record": 0.1, "contact": WAY}
    many = assert_same(eom, start, **settings)
    assert many["loss.floor"][:, -1].min() > 0.0 and np.abs(many["gap.floor"][:, -1]).max() < 0.2
    for i, threads in ((4, 1), (10, 3)):  # to the bit, whoever is beside it
        alone = da.rollout(
            eom, threads=threads, **{k: {n: v[i] for n, v in side.items()} for k, side in start.items()}, **settings
        )
        assert alone.x[0].tobytes() == many.x[i].tobytes()
    order = rng.permutation(n)
    mixed = da.rollout(
        eom, threads=3, **{k: {n: v[order] for n, v in side.items()} for k, side in start.items()}, **settings
    )
    assert mixed.x.tobytes() == many.x[order].tobytes()


def test_a_dropped_block_with_its_corners() -> None:
    """Eight contacts of one body: indeterminate, so that sweeps are slow and members leave their lanes for a step."""
    angle = np.array([0.05, 0.1, 0.2, 0.3, 0.45])
    start = {"q0": {"base.z": np.full(5, 0.3), "base.qw": np.cos(angle), "base.qx": np.sin(angle)}}
    way, eom = da.TimeStepping(tolerance=1e-13), da.equations(block())
    motion = (*eom.q_names, *eom.v_names, "work.loss")  # forces of four corners on a plane are not determined
    many = assert_same(eom, start, names=motion, duration=0.5, step=1e-3, contact=way)
    assert many["contact.sweeps"].max() > 20  # twice the sweeps after which they are slow


@pytest.mark.slow
def test_quick_lanes_have_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    angle, ends = np.linspace(0.1, 0.3, 5), []
    start = {"q0": {"base.z": np.full(5, 0.3), "base.qw": np.cos(angle), "base.qx": np.sin(angle)}}
    for quick in ("0", "1"):
        monkeypatch.setenv("DALEMBERT_QUICK_BUILDS", quick)
        settings = {"duration": 0.2, "step": 1e-3, "contact": da.TimeStepping()}
        ends.append(da.rollout(da.equations(block()), **start, **settings).final)
    np.testing.assert_array_equal(*ends)


@pytest.mark.slow
@pytest.mark.parametrize("sweeps", [4, 500])
def test_balls_among_each_other(sweeps: int) -> None:
    """26 contacts in one tape; a bounded number of sweeps is the same number everywhere."""
    rng = np.random.default_rng(1)
    start = {"q0": stacked(4, 3, rng)}
    way = da.TimeStepping(max_sweeps=sweeps)
    many = assert_same(da.equations(box_of_balls(4)), start, duration=0.3, step=2e-3, contact=way)
    assert many["contact.sweeps"].max() > 2
    if sweeps == 4:
        assert many["contact.sweeps"].max() <= 8  # before and after the bias is corrected


@pytest.mark.slow
def test_many_contacts_are_evaluated_one_by_one() -> None:
    """33 contacts and more: rows of those that are near in some lane, of which the others see nothing."""
    rng = np.random.default_rng(2)
    eom, start = da.equations(box_of_balls(5)), {"q0": stacked(5, 5, rng)}
    settings: dict[str, Any] = {"duration": 0.3, "step": 2e-3, "record": 0.1, "contact": WAY}
    assert len(eom.contact_names) > 32
    many = assert_same(eom, start, **settings)
    alone = da.rollout(eom, q0={k: v[3] for k, v in start["q0"].items()}, **settings)
    assert alone.x[0].tobytes() == many.x[3].tobytes()


def test_limits_of_joints_are_stops() -> None:
    """Both joints at their limits, with a law that pushes; the record holds forces of the stops."""
    eom, rng, n = da.equations(swing()), np.random.default_rng(3), 6
    v0 = {"a_dot": 2.0 * rng.normal(size=n), "b_dot": rng.normal(size=n)}
    start = {"q0": {"a": rng.uniform(-0.3, 0.3, n)}, "v0": v0}
    law = da.PD(kp=40.0, kd=2.0, reference={"a": 0.8})
    settings: dict[str, Any] = {"duration": 1.0, "step": 1e-3, "record": 0.1, "contact": WAY, "limits": "contact"}
    many = assert_same(eom, start, control=law, **settings)
    assert many["a"].max() < 0.5 + 1e-6
    forces = [name for name in many.state_names if name.startswith("force.")]
    assert max(many[name].max() for name in forces) > 1.0


def test_fast_members_leave_their_lane() -> None:
    """Balls of 10 mm at 50 m/s in steps of 10 ms: those that are aimed at a thin cylinder hit it, beside slow ones."""
    rod = da.CylindricalSurface(0.002, axis=(0.0, 1.0, 0.0))
    machine = da.Machine(
        "shot",
        bodies=[da.sphere("ball", 0.1, 0.01)],
        joints=[da.Joint("base", "free", "world", "ball")],
        contacts=[da.Contact("rod", "ball", da.Sphere(0.01), surface=rod, restitution=1.0)],
        gravity=(0.0, 0.0, 0.0),
    )
    start = {
        "q0": {"base.x": np.full(5, -1.13), "base.z": np.array([0.0, 0.0119, 0.0121, 0.0, 0.004])},
        "v0": {"base.vx": np.array([50.0, 50.0, 50.0, 0.5, 30.0])},
    }
    many = assert_same(da.equations(machine), start, duration=0.05, step=1e-2, contact=WAY)
    assert (many["contact.sweeps"].max(axis=1) > 0).tolist() == [True, True, False, False, True]
    np.testing.assert_allclose(many["base.vx"][[0, 2, 3], -1], [-50.0, 50.0, 0.5], rtol=1e-9)


def test_measures_and_signals() -> None:
    eom, heights = da.equations(ball(restitution=0.6, friction=0.3)), np.array([0.3, 0.5, 0.9])
    measure = {
        "residual": da.Measure("contact.residual", "max"),
        "push": da.Measure("force.floor.normal", "integral"),
        "lowest": da.Measure("gap.floor", "min"),
    }
    found = da.rollout(eom, duration=4.0, q0={"base.z": heights}, contact=WAY, measure=measure)
    assert found.measures["residual"].max() <= 1e-8
    assert found.measures["lowest"].min() > -1e-3 * np.sqrt(2.0 * 9.81 * 0.8)  # what it falls in a step
    # at rest in the end: all that gravity has brought went into the ground
    np.testing.assert_allclose(found.measures["push"], 4.0 * 9.81, rtol=1e-3)
    assert found.metadata["contact"] == "time-stepping"
    again = found.again([1], record=0.5)
    np.testing.assert_allclose(again["force.floor.normal"][0, -1], 9.81, rtol=1e-12)


def test_a_stepper_goes_through_contacts() -> None:
    """Periods of a stepper are those of a rollout; a reset member forgets its forces."""
    eom = da.equations(ball(restitution=0.6, friction=0.3))
    heights = np.array([0.12, 0.2, 0.3])
    hop = da.stepper(
        eom, period=0.01, members=3, q0={"base.z": heights}, contact=WAY, observe=["base.z", "force.floor.normal"]
    )
    for _ in range(100):
        seen = hop.step()
    many = da.rollout(eom, duration=1.0, q0={"base.z": heights}, contact=WAY, record=1.0)
    np.testing.assert_allclose(seen[:, 0], many["base.z"][:, -1], rtol=1e-10)
    np.testing.assert_allclose(seen[0, 1], 9.81, rtol=1e-10)
    assert hop.reset([0])[0, 1] == 0.0
    with pytest.raises(InputError, match=r"q0 of member 0: contact 'floor' of machine 'ball'.*starts 0.05 m deep"):
        hop.reset([1], q0={"base.z": 0.05})


def test_sampled_laws_and_noise_act_through_contacts() -> None:
    """A finger that a sampled law presses against a wall, from a noisy reading: member i is `simulate(member=i)`."""
    machine = da.Machine(
        "press",
        bodies=[da.point_mass("finger", 1.0)],
        joints=[da.Joint("x", "prismatic", "world", "finger", axis="x")],
        motors=[da.Motor("x", "x")],
        sensors=[da.Sensor("ruler", ("x", "x_dot"), 0.01, noise=1e-3)],
        contacts=[da.Contact("wall", "finger", surface=da.HalfSpace(normal=(-1.0, 0.0, 0.0), point=(0.1, 0.0, 0.0)))],
        gravity=(0.0, 0.0, 0.0),
    )
    law = da.control.Sampled(da.PD(kp=100.0, kd=20.0, reference={"x": 0.15}), 0.01)
    settings: dict[str, Any] = {"duration": 0.5, "control": law, "contact": WAY, "seed": 3, "record": 0.05}
    many = da.rollout(machine, v0={"x_dot": np.array([0.0, 0.2, 0.4])}, **settings)
    for i in range(3):
        run = da.simulate(machine, v0={"x_dot": 0.2 * i}, member=i, **settings)
        np.testing.assert_allclose(many["x"][i], run["x"], rtol=0, atol=1e-12)
        np.testing.assert_allclose(many["force.wall.normal"][i], run["force.wall.normal"], rtol=1e-9, atol=1e-9)
    assert many["force.wall.normal"][:, -1].min() > 1.0


@needs_gpp
@pytest.mark.parametrize(
    ("balls", "steps"), [(2, 100), pytest.param(5, 45, marks=pytest.mark.slow)], ids=["one tape", "contacts one by one"]
)
def test_the_text_for_a_gpu_is_that_of_lanes(balls: int, steps: int, tmp_path: Path) -> None:
    eom, rng = da.equations(box_of_balls(balls)), np.random.default_rng(4)
    q0 = stacked(balls, 3, rng)
    way = da.TimeStepping(max_sweeps=10)
    many = da.rollout(eom, q0=q0, duration=2e-3 * steps, step=2e-3, contact=way)
    x, status = stepped_on_a_gpu(eom, way, many.x[:, 0], 2e-3, steps, tmp_path)
    assert not status.any()  # before contacts are redundant, whose forces the processor selects
    np.testing.assert_allclose(x, many.final, rtol=1e-10, atol=1e-10)
    assert many["contact.sweeps"].max() > 2


@needs_gpp
def test_a_gpu_gives_up_on_fast_members(tmp_path: Path) -> None:
    """What moves by more than its own size is to be simulated again on the processor, which can sweep it."""
    ground = ball(0.01, restitution=1.0)
    eom, x0 = da.equations(ground), np.zeros((2, 7 + 6 + 4 + 4 + 2))
    x0[:, 2], x0[:, 3], x0[1, 9] = 0.3, 1.0, -50.0
    status = stepped_on_a_gpu(eom, WAY, x0, 1e-2, 3, tmp_path)[1]
    assert status.tolist() == [0, -1]


def test_refusals() -> None:
    machine, free = ball(), ball().with_(contacts=())

    def attempt(machine: da.Machine = machine, **options: Any) -> Any:
        given: dict[str, Any] = {"duration": 0.1, "q0": {"base.z": [1.0, 2.0]}, "contact": WAY} | options
        return da.rollout(machine, **given)

    for options, message in (
        ({"contact": "time-steping"}, "unknown contact method"),
        ({"method": "rk4"}, "steps by 'moreau', not by method 'rk4'"),
        ({"rtol": 1e-6}, "rtol is for"),
        ({"q0": {"base.z": [1.0, 0.04]}}, "q0 of member 1: contact 'floor'.*starts 0.06 m deep"),
        ({"machine": ball(law="poisson")}, "Poisson"),
        ({"machine": free}, "machine 'ball' has none"),
        ({"limits": "never"}, "limits must be one of record, stop, ignore, contact, got 'never'"),
    ):
        with pytest.raises(InputError, match=message):
            attempt(**options)
