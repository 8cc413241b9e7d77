"""Samples of predictive controllers that are late: never applied late, replaced by the old plan, counted."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da


@pytest.fixture(scope="module")
def cart() -> da.Machine:
    return da.Machine(
        "cart",
        [da.point_mass("cart", 2.0)],
        [da.Joint("x", "prismatic", "world", "cart", axis="x")],
        motors=[da.Motor("push", "x")],
    )


def law(cart: da.Machine, **more: Any) -> Any:
    cost = da.Cost(states={"x": 1.0, "x_dot": 0.1}, inputs=1e-2, terminal="lqr")
    limits = {"push": (-1.0, 1.0)}
    brake = da.PD(kp=0.0, kd=3.0, reference=[0.0])
    return da.mpc(
        cart, horizon=1.0, intervals=10, cost=cost, reference={"x": 1.0}, limits=limits, fallback=brake, **more
    )


def test_a_late_sample_applies_the_shifted_plan_then_the_fallback(tmp_path: Path, cart: da.Machine) -> None:
    """The exported controller with a clock that the test turns."""
    folder = da.export_controller(law(cart, rounds=3), tmp_path / "target", name="cart")
    sources = [str(p) for p in folder.glob("*.c") if p.name != "example.c"]
    library = tmp_path / "cart.so"
    flags = "-std=c99 -O1 -Wall -Wextra -pedantic -Werror -DPLAIN_TAPES -shared -fPIC".split()
    subprocess.run(["cc", *flags, *sources, "-lm", "-o", library], check=True)
    native = ctypes.CDLL(str(library))
    u, info, state = np.zeros(1), np.zeros(8), {"now": 0.0, "tick": 0.0}

    @ctypes.CFUNCTYPE(ctypes.c_double)
    def clock() -> float:
        state["now"] += state["tick"]
        return state["now"]

    def sample(k: int, x: list[float]) -> tuple[int, int, float]:
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (np.array(x), np.zeros(1), u, info)]
        status = native.cart_step(ctypes.c_double(0.1 * k), *pointers)
        return int(status), int(info[4]), float(u[0])

    native.cart_deadline.argtypes = [ctypes.c_void_p, ctypes.c_double]
    native.cart_deadline(ctypes.cast(clock, ctypes.c_void_p), 1.0)
    assert sample(0, [0.9, 0.0])[:2] == (0, 0) and info[6] == 0.0
    native.cart_reset()
    native.cart_deadline(None, 0.0)
    free = [sample(k, [0.9, 0.0])[2] for k in range(2)]  # the plan of the first sample, and of a second one
    native.cart_reset()
    native.cart_deadline(ctypes.cast(clock, ctypes.c_void_p), 1.0)
    assert sample(0, [0.9, 0.0]) == (0, 0, free[0])
    state["tick"] = 0.6  # the second reading of the clock is past the deadline
    status, action, shifted = sample(1, [0.0, 0.5])
    assert (status, action) == (4, 2) and info[6] >= 0.6
    # a plan from x = 0 would push with all force: the sample did not use the state that came with it
    assert abs(shifted) < 0.99
    for k in range(2, 10):
        status, action, _ = sample(k, [0.0, 0.5])
        assert (status, action) == (4, 2)
    assert sample(10, [0.0, 0.2]) == (4, 3, pytest.approx(-0.6))  # the plan is used up: the brake
    state["tick"] = 0.0
    assert sample(11, [0.0, 0.0])[:2] == (0, 0)
    # with time for a round but not for all of them, the plan of the first rounds is used and called capped
    found = {}
    for ticks in (4, 8, 16, 32, 64, 128):
        native.cart_reset()
        state["tick"] = 1.0 / ticks
        status, action, _ = sample(0, [0.9, 0.3])
        found[status] = action
    assert found == {4: 3, 1: 0, 0: 0}


def test_realtime_counts_late_samples(cart: da.Machine) -> None:
    """A budget that no sample can keep; the loop is not in step with the clock, so that its length does not matter."""
    late = law(cart, budget=1e-12)
    with da.realtime(cart, late, period=0.05, duration=0.5, speed=0.0, q0={"x": 0.3}, v0={"x_dot": 0.2}) as loop:
        loop.wait()
    rows = loop.read()
    assert loop.timing.late == 5  # samples at 0, 0.1, ..., 0.4
    assert set(rows["mpc.status"][1:]) == {4.0} and set(rows["mpc.action"][1:]) == {3.0}
    assert rows["command.push"][1] == pytest.approx(-3.0 * 0.2)
    # A period of seconds leaves time enough on a busy computer too.
    with da.realtime(cart, law(cart), period=5.0, step=0.05, duration=10.0, speed=0.0, q0={"x": 0.3}) as loop:
        loop.wait()
    assert loop.timing.late == 0 and set(loop.read()["mpc.status"]) == {0.0}
    run = da.simulate(cart, duration=0.5, q0={"x": 0.3}, control=late, step=0.05)
    assert set(run["mpc.status"]) == {0.0} and set(run["mpc.time"]) == {0.0}  # time has no effect outside real time
