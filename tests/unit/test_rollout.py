"""Rollouts: each member is the simulation of that member, whoever is beside it."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest

import dalembert as da
from dalembert.control.laws import PD, PID
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.loop.laws import SampledController
from dalembert.loop.rollout import rollout

RNG = np.random.default_rng(5)


def cart_pendulum() -> da.Machine:
    """A motor on the cart, a parameter, friction."""
    mass = da.Parameter("mass", 0.8)
    return da.Machine(
        "cart",
        bodies=[da.point_mass("cart", 2.0), da.point_mass("bob", mass, com=(0, 0, -0.6))],
        joints=[
            da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0), damping=0.3),
            da.Joint("theta", "revolute", "cart", "bob", axis=(0, 1, 0)),
        ],
        motors=[da.Motor("drive", "x", effort=30.0)],
    )


def top() -> da.Machine:
    return da.Machine(
        "top",
        bodies=[da.Body("top", mass=1.0, com=(0, 0, 0.3), inertia=np.diag([0.02, 0.03, 0.01]))],
        joints=[da.Joint("tip", "spherical", "world", "top")],
    )


@pytest.fixture(scope="module")
def cart() -> da.EquationsOfMotion:
    return da.equations(cart_pendulum())


LAW = PD(kp=(8.0,), kd=(3.0,), reference=np.zeros(1))
SAME = 1e-10
"""Relative difference between a member and its simulation, of which lanes round differently."""


def assert_same(member: np.ndarray, run: np.ndarray) -> None:
    np.testing.assert_allclose(member, run, rtol=SAME, atol=SAME * np.abs(run).max())


@pytest.mark.parametrize(
    ("control", "settings"),
    [
        (None, {"duration": 0.5, "step": 1e-3}),
        (LAW, {"duration": 0.4, "step": 1e-2, "record": 0.04}),
        (LAW, {"duration": 0.437, "step": 1e-2, "record": 0.1}),  # the last row is not on the grid
        (LAW, {"duration": 0.437, "step": 1e-2}),
        (LAW, {"duration": 0.5, "step": 3e-3, "record": 0.1, "t0": 2.0}),  # steps are cut at each row
        (PID(kp=(8.0,), ki=(2.0,), kd=(3.0,), reference=np.zeros(1)), {"duration": 0.3, "step": 1e-2}),
        ((2.5,), {"duration": 0.3, "step": 1e-2}),
        (LAW, {"duration": 0.3, "step": 1e-2, "method": "heun"}),
        (LAW, {"duration": 0.3, "step": 1e-2, "method": "euler"}),
    ],
)
def test_members_are_simulations(cart: da.EquationsOfMotion, control, settings) -> None:
    q0, mass = RNG.normal(size=(5, 2)), RNG.uniform(0.5, 2, 5)
    result = rollout(cart, q0=q0, v0={"theta_dot": 0.5}, p={"mass": mass}, control=control, **settings)
    assert result.ok.all()
    for i in (0, 4):
        run = da.simulate(
            cart, q0=q0[i], v0={"theta_dot": 0.5}, p={"mass": mass[i]}, control=control, limits="ignore", **settings
        )
        np.testing.assert_allclose(result.t, run.t, rtol=0, atol=1e-14 * result.t[-1])
        assert_same(result.x[i], run.x)
        member = result.member(i)
        for name in run.names:
            assert_same(member[name], run[name])
        assert_same(result["energy.kinetic"][i], run["energy.kinetic"])


def test_quaternions_stay_unit() -> None:
    eom = da.equations(top())
    q0 = RNG.normal(size=(3, 4))
    q0 /= np.linalg.norm(q0, axis=1, keepdims=True)
    v0 = RNG.normal(size=(3, 3)) + [0, 0, 20]
    result = rollout(eom, duration=0.5, q0=q0, v0=v0, step=1e-3, record=0.05)
    np.testing.assert_allclose(np.linalg.norm(result.x[:, :, :4], axis=2), 1.0, rtol=1e-14)
    run = da.simulate(eom, duration=0.5, q0=q0[2], v0=v0[2], step=1e-3, record=0.05)
    assert_same(result.x[2], run.x)


def test_members_do_not_depend_on_number_order_or_threads(cart: da.EquationsOfMotion) -> None:
    q0, mass = RNG.normal(size=(21, 2)), RNG.uniform(0.5, 2, 21)
    settings = {"duration": 0.3, "step": 1e-2, "record": 0.1, "control": LAW}
    whole = rollout(cart, q0=q0, p={"mass": mass}, threads=1, **settings)
    order = RNG.permutation(21)
    shuffled = rollout(cart, q0=q0[order], p={"mass": mass[order]}, threads=3, **settings)
    np.testing.assert_array_equal(shuffled.x, whole.x[order])
    alone = rollout(cart, q0=q0[13], p=mass[13:14], **settings)
    np.testing.assert_array_equal(alone.x[0], whole.x[13])


def test_diverged_members_stop_alone(cart: da.EquationsOfMotion) -> None:
    """A step that is too long for the damping of some: they blow up, their neighbours go on to the bit."""
    law = PD(kp=(1.0,), kd=(1.0,), reference=np.zeros(1))
    q0, v0 = RNG.normal(size=(11, 2)), np.zeros((11, 2))
    settings = {"duration": 2.0, "step": 1e-2, "record": 0.1, "control": law}
    healthy = rollout(cart, q0=q0, v0=v0, **settings)
    assert healthy.ok.all()
    v0[[2, 9], 1] = 1e160  # its square overflows
    mixed = rollout(cart, q0=q0, v0=v0, **settings)
    bad = np.isin(np.arange(11), [2, 9])
    np.testing.assert_array_equal(mixed.ok, ~bad)
    np.testing.assert_array_equal(mixed.x[~bad], healthy.x[~bad])
    for i in (2, 9):
        assert mixed.status[i] == "diverged"
        assert mixed.rows[i] == 1
        assert np.isnan(mixed.x[i, 1:]).all()
        run = mixed.member(i)
        assert (run.status, len(run.t)) == ("diverged", 1)
        assert "became infinite or not a number in the step from t = 0 s" in run.message
    assert np.isnan(mixed.failed_at[~bad]).all()
    assert np.isfinite(mixed.final).all()


def test_good_part_of_a_diverged_member_is_kept(cart: da.EquationsOfMotion) -> None:
    """Explicit Euler on a stiff law diverges after some time, as the simulation does."""
    law = PD(kp=(0.0,), kd=(900.0,), reference=np.zeros(1))
    free = da.equations(cart_pendulum().with_(motors=[da.Motor("drive", "x")]))
    settings = {"duration": 2.0, "step": 1e-2, "method": "euler", "control": law, "record": 0.02}
    result = rollout(free, q0=np.zeros((3, 2)), v0=[[1.0, 0.0], [0.0, 0.0], [1.0, 0.0]], **settings)
    assert list(result.status) == ["diverged", "completed", "diverged"]
    run = da.simulate(free, q0=[0, 0], v0=[1.0, 0.0], limits="ignore", check=False, **settings)
    assert run.status == "diverged"
    n = int(result.rows[0])
    assert 1 < n < len(result.t)
    assert result.t[n - 1] <= result.failed_at[0] < result.t[n]
    np.testing.assert_allclose(result.failed_at[0], run.final.t, atol=1e-9)
    assert np.isfinite(result.x[0, :n]).all()
    assert np.isnan(result.x[0, n:]).all()


def test_virtual_machine_gives_the_same() -> None:
    q0 = RNG.normal(size=(3, 2))
    settings = {"duration": 0.2, "step": 1e-2, "record": 0.1, "control": LAW}
    machine = cart_pendulum()
    compiled = rollout(da.equations(machine), q0=q0, **settings)
    interpreted = rollout(da.equations(machine, backend="vm"), q0=q0, **settings)
    assert (compiled.metadata["backend"], interpreted.metadata["backend"]) == ("lanes", "vm")
    assert_same(compiled.x, interpreted.x)


def test_xarray(cart: da.EquationsOfMotion) -> None:
    mass = np.array([0.5, 1.0])
    dataset = rollout(cart, duration=0.1, p={"mass": mass}, q0={"theta": 0.3}, step=1e-2, control=LAW).to_xarray()
    assert dataset["theta"].dims == ("member", "t")
    np.testing.assert_array_equal(dataset["parameter.mass"], mass)
    assert set(dataset["status"].values) == {"completed"}
    assert dataset["u.drive"].shape == (2, 11)


def test_interrupt_keeps_what_is_done(cart: da.EquationsOfMotion) -> None:
    """Ctrl-C after the first progress report."""
    sent: list[float] = []

    def progress(fraction: float) -> None:
        if not sent:
            os.kill(os.getpid(), signal.SIGINT)
        sent.append(fraction)

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        pytest.skip("someone else handles interrupts")
    assert threading.current_thread() is threading.main_thread()
    q0 = RNG.normal(size=(400, 2))
    result = rollout(cart, duration=200.0, q0=q0, step=1e-3, record=10.0, progress=progress, threads=1)
    assert sent and sent[-1] < 1.0
    assert "interrupted" in result.status
    i = int(np.argmax(result.status == "interrupted"))
    n = int(result.rows[i])
    assert np.isfinite(result.x[i, :n]).all()
    assert np.isnan(result.x[i, n:]).all()
    assert "stopped by the user" in result.message(i)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"q0": np.zeros((3, 3))}, r"q0 must have shape \(members, 2\)"),
        ({"q0": np.zeros((3, 2)), "v0": np.zeros((4, 2))}, "same number of members"),
        ({"q0": np.full((2, 2), np.nan)}, r"q0\[0, 0\] must be finite"),
        ({"q0": np.zeros((0, 2))}, "at least one member"),
        ({"p": {"mass": [1.0, -1.0]}}, "mass"),
        ({"method": "cvodes", "step": None}, "bs32, dopri5, midpoint, adaptive-midpoint, not 'cvodes'"),
        ({"step": 0.0}, "step must be"),
        ({"record": 1e-4}, "shorter than the step"),
        ({"threads": -2}, "threads must be"),
        ({"device": "tpu"}, "expected one of cpu, cuda"),
        ({"control": SampledController(lambda t, q, v: [0.0], 0.1)}, "not Python controllers"),
    ],
)
def test_wrong_arguments(cart: da.EquationsOfMotion, arguments, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rollout(cart, **{"duration": 0.1, "step": 1e-2, **arguments})


def test_unknown_names(cart: da.EquationsOfMotion) -> None:
    with pytest.raises(UnknownNameError, match="phi"):
        rollout(cart, duration=0.1, q0={"phi": 1.0})
    result = rollout(cart, duration=0.1, step=1e-2)
    with pytest.raises(UnknownNameError, match="did you mean 'theta'"):
        result["thet"]
    with pytest.raises(InputError, match="member must be"):
        result.member(1)
    assert "1 members, 1 completed" in repr(result)
