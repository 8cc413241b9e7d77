"""Constrained equations solved by sweeps along the tree, and free motion between contacts, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.engine.problem import constrained as system
from dalembert.engine.problem.constrained_tape import swept_motion
from dalembert.systems.falling_chains import chain_on_ground


@pytest.fixture
def swept(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """A mass matrix of any size is too large to be factorised on a tape; returns what was swept instead."""
    made: list[object] = []

    def spied(*arguments: object) -> object:
        made.append(swept_motion(*arguments))
        return made[-1]

    monkeypatch.setattr(system, "tape_cost", lambda M, Jt: 10**9)
    monkeypatch.setattr(system, "swept_motion", spied)
    return made


def both(machine: da.Machine, **settings: object) -> tuple[da.Run, da.Run]:
    native, vm = (
        da.simulate(machine, duration=5e-3, step=5e-4, backend=backend, **settings) for backend in ("native", "vm")
    )
    assert native.status == vm.status == "completed"
    return native, vm


@pytest.mark.parametrize("twice", [False, True])
def test_a_chain_that_lies_on_the_ground(swept: list[object], twice: bool) -> None:
    """All ends touch while the links vibrate; with two contacts at one end rows depend on each other."""
    machine = chain_on_ground(2, 1, restitution=0.0)
    if twice:
        again = da.Contact("again", "link1.tip", surface=da.HalfSpace((0.0, 1.0, 0.0)))
        machine = machine.with_(contacts=(*machine.contacts, again))
    native, vm = both(machine, v0={"link1.delta1_dot": -1e-3, "link2.delta1_dot": 2e-3, "base.x_dot": 0.1})
    np.testing.assert_allclose(native.x, vm.x, atol=1e-10)
    for k in range(3):
        np.testing.assert_allclose(native[f"force.end{k}.normal"], vm[f"force.end{k}.normal"], rtol=1e-7, atol=1e-7)
    assert native["force.end0.normal"][-1] > 1.0
    assert swept


def test_free_motion_ends_where_a_row_acts() -> None:
    """A cable of a ball that flies, and is caught."""
    ball = da.Machine(
        "ball",
        [da.sphere("ball", 1.0, 0.1)],
        [da.Joint("ball", "free", "world", "ball")],
        cables=[da.Cable("c", "ball", exit_at=(0.0, 0.0, 1.0), length=1.2)],
    )
    v0 = {"ball.vx": 0.3, "ball.vz": -60.0}
    native, vm = both(ball, v0=v0)
    np.testing.assert_allclose(native.x, vm.x, atol=1e-9)
    assert [e.name for e in native.events] == ["c.taut"]
