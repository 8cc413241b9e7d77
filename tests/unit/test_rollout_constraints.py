"""Rollouts of constrained machines: members are their simulations, also where rows depend on each other."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest
from tests.support.gpu_on_processor import compile_text, needs_gpp

import dalembert as da
from dalembert.loop import consistent_starts
from dalembert.loop.closed_loop import close_loop
from dalembert.simulation.rollout.cuda import rollout_source
from dalembert.simulation.rollout.members import Members
from dalembert.systems.cable_robots import pulley_robot
from dalembert.systems.mechanisms import four_bars

RNG = np.random.default_rng(11)
START = {"platform.y": 0.25, "platform.z": 0.37}


def assert_same(member: np.ndarray, run: np.ndarray) -> None:
    np.testing.assert_allclose(member, run, rtol=1e-10, atol=1e-10 * np.abs(run).max())


def two_rods() -> da.Machine:
    """A ball on two rods from points that are ``offset`` apart: at 0 one rod is the other's double."""
    offset = da.Parameter("offset", 0.4)
    return da.Machine(
        "two-rods",
        bodies=[da.sphere("ball", 1.0, 0.1)],
        joints=[da.Joint("ball", "free", "world", "ball")],
        frames=[da.Frame("aside", "world", da.Transform((offset, 0.0, 0.0)))],
        constraints=[
            da.DistanceConstraint("rod1", "ball", "world", length=1.0),
            da.DistanceConstraint("rod2", "ball", "aside", length=1.0),
        ],
    )


@pytest.fixture(scope="module")
def rods() -> da.EquationsOfMotion:
    return da.equations(two_rods())


def hanging(offset: np.ndarray) -> dict[str, np.ndarray]:
    """The ball below the middle of the two points, or beside where they are one."""
    x = np.where(offset == 0.0, 0.6, 0.5 * offset)
    return {"ball.x": x, "ball.z": -np.sqrt(1.0 - x**2)}


@pytest.mark.parametrize("by", ["newton-euler", pytest.param("natural", marks=pytest.mark.slow)])
def test_members_are_simulations(by) -> None:
    """A platform on four cables over pulleys that is pushed, from velocities of which some are named."""
    eom = da.equations(pulley_robot(2), by=by)
    v0, push = {"platform.vx": 0.1 * RNG.normal(size=5)}, RNG.uniform(size=5)
    settings = {"q0": START, "duration": 0.125, "step": 2e-3, "record": 0.05}
    result = da.rollout(eom, v0=v0, p={"push": push}, **settings)
    assert result.ok.all()
    for i in (0, 4):
        one = {name: values[i] for name, values in v0.items()}
        run = da.simulate(eom, v0=one, p={"push": push[i]}, limits="ignore", **settings)
        assert_same(result.x[i], run.x)
        member = result.member(i)
        assert set(member.names) == set(run.names)
        for name in ("tension.cable1", "energy.kinetic", "length.cable2"):
            assert_same(member[name], run[name])
    assert result["constraint.position"].max() < 1e-11


def test_members_do_not_depend_on_number_order_or_threads(rods: da.EquationsOfMotion) -> None:
    """Some of them have rods that are doubles, and are solved again outside of their lanes all the time."""
    offset = RNG.choice([0.0, 0.3, 0.5], size=21)
    assert 0 < np.count_nonzero(offset == 0.0) < 21
    q0, v0 = hanging(offset), {"ball.vy": RNG.normal(size=21)}
    settings = {"duration": 0.3, "step": 1e-2, "record": 0.1}
    whole = da.rollout(rods, q0=q0, v0=v0, p={"offset": offset}, threads=1, **settings)
    assert whole.ok.all()
    order = RNG.permutation(21)

    def part(values: dict[str, np.ndarray], which) -> dict[str, np.ndarray]:
        return {name: value[which] for name, value in values.items()}

    mixed = da.rollout(rods, q0=part(q0, order), v0=part(v0, order), p={"offset": offset[order]}, threads=3, **settings)
    np.testing.assert_array_equal(mixed.x, whole.x[order])
    for i in (int(np.flatnonzero(offset == 0.0)[0]), int(np.flatnonzero(offset > 0.0)[0])):
        alone = da.rollout(rods, q0=part(q0, i), v0=part(v0, i), p={"offset": offset[i]}, **settings)
        np.testing.assert_array_equal(alone.x[0], whole.x[i])
        run = da.simulate(rods, q0=part(q0, i), v0=part(v0, i), p={"offset": offset[i]}, limits="ignore", **settings)
        assert_same(whole.x[i], run.x)


def test_doubled_rods_are_one_pendulum(rods: da.EquationsOfMotion) -> None:
    """Two equal rows, of which an elimination without pivots would divide by zero: they share the load of one."""
    single = da.equations(two_rods().with_(constraints=two_rods().constraints[:1]))
    settings = {"q0": hanging(np.zeros(3)), "v0": {"ball.vy": [0.1, 0.5, 1.0]}, "duration": 0.5, "record": 0.1}
    two, one = (da.rollout(eom, p={"offset": 0.0}, **settings) for eom in (rods, single))
    for name in ("ball.x", "ball.y", "ball.z"):
        np.testing.assert_allclose(two[name], one[name], atol=1e-12)
    np.testing.assert_allclose(2.0 * two["multiplier.rod1"], one["multiplier.rod1"], rtol=1e-9)


def test_members_outside_of_their_lanes_have_all_values_that_are_held() -> None:
    """A ball on doubled rods below a carriage that a sampled law moves in two directions, between samples of it."""
    machine = da.Machine(
        "doubled",
        bodies=[da.point_mass("bridge", 3.0), da.point_mass("carriage", 1.5), da.sphere("ball", 1.0, 0.1)],
        joints=[
            da.Joint("x", "prismatic", "world", "bridge", axis="x"),
            da.Joint("y", "prismatic", "bridge", "carriage", axis="y"),
            da.Joint("ball", "free", "world", "ball"),
        ],
        motors=[da.Motor("mx", "x"), da.Motor("my", "y")],
        constraints=[da.DistanceConstraint(f"rod{k}", "ball", "carriage", length=1.0) for k in (1, 2)],
    )
    law = da.control.Sampled(da.PD(kp=(30.0, 50.0), kd=(9.0, 7.0), reference=(0.3, -0.2)), 0.02)
    settings = {"q0": {"ball.x": 0.6, "ball.z": -0.8}, "duration": 0.1, "step": 5e-3, "record": 0.05, "control": law}
    speeds = {"x_dot": np.array([0.4, -0.3, 0.2]), "y_dot": np.array([0.1, 0.5, -0.6])}
    many = da.rollout(machine, v0=speeds, **settings)
    for i in range(3):
        run = da.simulate(machine, v0={k: v[i] for k, v in speeds.items()}, limits="ignore", **settings)
        assert_same(many.x[i], run.x)


def test_terms_of_baumgarte_hold_members_too(rods: da.EquationsOfMotion) -> None:
    settings = {"duration": 0.1, "step": 1e-3, "record": 0.05, "constraints": da.Baumgarte(alpha=20.0, beta=20.0)}
    q0 = {name: float(value) for name, value in hanging(np.array(0.4)).items()}
    result = da.rollout(rods, q0=q0, v0={"ball.vy": [2.0, 3.0]}, **settings)
    run = da.simulate(rods, q0=q0, v0={"ball.vy": 3.0}, limits="ignore", **settings)
    assert_same(result.x[1], run.x)
    assert 1e-14 < result["constraint.position"].max() < 1e-8


def test_virtual_machine_gives_the_same() -> None:
    settings = {"v0": {"crank0_dot": [2.0, 3.0]}, "duration": 0.05, "step": 5e-3}
    native, vm = (da.rollout(da.equations(four_bars(1), backend=b), **settings) for b in ("native", "vm"))
    assert (native.metadata["backend"], vm.metadata["backend"]) == ("lanes", "vm")
    assert_same(native.x, vm.x)


def test_constraints_that_are_lost_end_a_member_alone(rods: da.EquationsOfMotion) -> None:
    """A ball so fast that one step leaves the reach of the projection."""
    q0 = {name: float(value) for name, value in hanging(np.array(0.4)).items()}
    settings = {"q0": q0, "duration": 0.4, "step": 2e-2, "record": 0.1}
    speeds = np.array([1.0, 300.0, 2.0])
    result = da.rollout(rods, v0={"ball.vy": speeds}, **settings)
    assert list(result.status) == ["completed", "diverged", "completed"]
    assert "the constraints could not be kept in the step from t = 0 s" in result.message(1)
    healthy = da.rollout(rods, v0={"ball.vy": speeds[[0, 2]]}, **settings)
    np.testing.assert_array_equal(result.x[[0, 2]], healthy.x)


def test_refusals_name_the_member_and_the_way() -> None:
    eom = da.equations(four_bars(1))
    with pytest.raises(
        da.InputError, match=r"'four-bars-1' \(member 2\) do not allow crank0 = 0.9, crank1 = 0 together"
    ):
        da.rollout(eom, duration=0.1, q0={"crank0": [0.0, 0.01, 0.9], "crank1": 0.0})
    with pytest.raises(da.InputError, match=r"do not allow the velocities crank0_dot, crank1_dot of member 1 together"):
        da.rollout(eom, duration=0.1, v0={"crank0_dot": 1.0, "crank1_dot": [1.0, 2.0]})
    with pytest.raises(da.InputError, match=r"a rollout runs the methods euler, .*, not 'generalized-alpha'"):
        da.rollout(eom, duration=0.1, constraints="generalized-alpha")


@needs_gpp
def test_text_for_a_gpu_gives_the_same_and_says_what_it_cannot_do(rods: da.EquationsOfMotion, tmp_path: Path) -> None:
    """The CUDA text, compiled as C++: members as in lanes, but for doubled rods, which it leaves to the processor."""
    source = rollout_source(close_loop(rods, None, limits="ignore").problem, "rk4")
    loop = f"""
extern "C" void all(long long n, double *x, double *p, long long count, double h, int *status, double *failed) {{
    for (blockIdx.x = 0; blockIdx.x < n; blockIdx.x++)
        {source.entry}(n, x, NULL, 0, 0, p, n, 1, NULL, 0.0, h, 0, count, 0.0, status, failed, NULL, NULL, NULL, 0,
                       NULL, NULL, NULL);
}}
"""
    call = compile_text(source.text + loop, tmp_path)["all"]
    offset = np.array([0.3, 0.0, 0.5])
    settings = {"q0": hanging(offset), "v0": {"ball.vy": [0.2, 0.3, 0.4]}, "p": {"offset": offset}}
    result = da.rollout(rods, duration=0.3, step=1e-2, record=0.3, **settings)
    x, p = np.ascontiguousarray(result.x[:, 0].T), np.array(offset)
    status, failed = np.zeros(3, dtype=np.int32), np.zeros(3)
    pointer = ctypes.c_void_p
    call(
        *(ctypes.c_longlong(3), pointer(x.ctypes.data), pointer(p.ctypes.data), ctypes.c_longlong(30)),
        *(ctypes.c_double(1e-2), pointer(status.ctypes.data), pointer(failed.ctypes.data)),
    )
    assert status.tolist() == [0, -1, 0]
    assert_same(x.T[[0, 2]], result.x[[0, 2], -1])
    np.testing.assert_array_equal(x.T[1], result.x[1, 0])


def test_members_are_taken_out_and_put_back() -> None:
    """What a GPU leaves to the processor: with the values that they began with, into their places."""
    x0, held, p = RNG.normal(size=(4, 3)), RNG.normal(size=2), RNG.normal(size=(4, 1))
    members = Members.at_start(x0, held, p, 2)
    members.x[:], members.status[1] = 7.0, -1
    some = members.some(np.array([1]), x0[[1]], held, None)
    np.testing.assert_array_equal(some.x, x0[1:2])
    np.testing.assert_array_equal(some.p, p[1:2])
    some.x[:], some.rows[:, 1], some.done[:] = 2.0, 3.0, 2
    members.put(np.array([1]), some)
    np.testing.assert_array_equal(members.x[:, 0], [7.0, 2.0, 7.0, 7.0])
    assert members.status.tolist() == [0, 0, 0, 0]
    assert members.rows[1, 1, 0] == 3.0 and members.done.tolist() == [1, 2, 1, 1]


def test_members_are_put_on_their_constraints_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start states are the same bits in any number of threads, and those of one alone; the first refused is named."""
    monkeypatch.setattr(consistent_starts, "_WORTH", 256)
    eom = da.equations(pulley_robot(2))
    v0 = {"platform.vx": 0.1 * np.random.default_rng(1).normal(size=600)}
    settings = {"q0": START, "duration": 1e-3, "step": 1e-3, "record": 1e-3}
    one, many = (da.rollout(eom, v0=v0, threads=k, **settings).x for k in (1, 2))
    np.testing.assert_array_equal(one, many)
    alone = da.rollout(eom, v0={"platform.vx": v0["platform.vx"][577]}, **settings)
    np.testing.assert_array_equal(many[577], alone.x[0])
    cranks = np.zeros(600)
    cranks[[590, 130]] = 0.9
    with pytest.raises(da.InputError, match=r"\(member 130\) do not allow"):
        da.rollout(da.equations(four_bars(1)), duration=1e-3, q0={"crank0": cranks, "crank1": 0.0}, threads=2)
