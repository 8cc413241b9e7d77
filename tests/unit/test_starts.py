"""Starts of members on their constraints by a kernel: they are those of NumPy, which are those of single runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.loop import consistent_starts
from dalembert.loop.closed_loop import close_loop
from dalembert.loop.members import initial_states, member_values
from dalembert.systems.cable_robots import pulley_robot
from dalembert.systems.mechanisms import four_bars

RNG = np.random.default_rng(31)
N = 9


def two_rods() -> da.Machine:
    """A ball on two rods from points that are ``offset`` apart: at 0 one rod is the other's double."""
    return da.Machine(
        "two-rods",
        bodies=[da.sphere("ball", 1.0, 0.1)],
        joints=[da.Joint("ball", "free", "world", "ball")],
        frames=[da.Frame("aside", "world", da.Transform((da.Parameter("offset", 0.4), 0.0, 0.0)))],
        constraints=[
            da.DistanceConstraint("rod1", "ball", "world", length=1.0),
            da.DistanceConstraint("rod2", "ball", "aside", length=1.0),
        ],
    )


def starts(eom: da.EquationsOfMotion, q0: Any = None, v0: Any = None, p: Any = None, threads: int = 1) -> list[Any]:
    """Initial states without and with the kernel."""
    loop = close_loop(eom, None, limits="ignore")
    own = member_values(p, eom.p_names, eom.machine.p_nominal, "p")
    return [initial_states(eom, loop, q0, v0, own, da.Start(), threads, compiled=on)[0] for on in (False, True)]


def assert_same(numpy: np.ndarray, kernel: np.ndarray) -> None:
    np.testing.assert_allclose(kernel, numpy, rtol=0, atol=1e-11 * np.abs(numpy).max())


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many members NumPy places, call by call."""
    seen: list[int] = []
    place = consistent_starts.consistent_states

    def counting(eom: Any, q: np.ndarray, *args: Any, **named: Any) -> Any:
        seen.append(len(q))
        return place(eom, q, *args, **named)

    monkeypatch.setattr(consistent_starts, "consistent_states", counting)
    return seen


def test_velocities_by_name_by_number_and_none(counted: list[int]) -> None:
    """Coordinates that are off, which takes some iterations, other ones for each member."""
    eom = da.equations(four_bars(1))
    crank = {"crank0": 0.02 * RNG.normal(size=N)}
    assert_same(*starts(eom, crank, {"crank0_dot": RNG.normal(size=N)}))
    assert_same(*starts(eom, crank, RNG.normal(size=(N, eom.machine.nv))))
    assert_same(*starts(eom, crank, threads=2))
    assert counted == [N] * 3


def test_cables_that_measure_themselves(counted: list[int]) -> None:
    """The length of a cable is what it is where its member starts."""
    eom, y = da.equations(pulley_robot(2)), 0.25 + 0.01 * RNG.normal(size=N)
    numpy, kernel = starts(eom, {"platform.y": y, "platform.z": 0.37}, {"platform.vx": 0.1 * RNG.normal(size=N)})
    assert_same(numpy, kernel)
    assert len(np.unique(numpy.round(9), axis=0)) == N
    assert counted == [N]


def test_rows_that_depend_on_each_other_are_left_to_numpy(counted: list[int]) -> None:
    offset = np.array([0.3, 0.0, 0.5])
    q0 = {"ball.x": offset / 2 + 1e-3, "ball.y": 0.0, "ball.z": -np.sqrt(1 - offset**2 / 4)}
    assert_same(*starts(da.equations(two_rods()), q0, {"ball.vy": np.array([0.2, 0.3, 0.4])}, {"offset": offset}))
    assert counted == [3, 1]


def test_no_member_depends_on_the_others() -> None:
    eom, crank, speed = da.equations(four_bars(1)), 0.02 * RNG.normal(size=N), RNG.normal(size=N)
    _, whole = starts(eom, {"crank0": crank}, {"crank0_dot": speed})
    _, part = starts(eom, {"crank0": crank[3:5]}, {"crank0_dot": speed[3:5]})
    np.testing.assert_array_equal(part, whole[3:5])
