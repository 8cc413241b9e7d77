"""Runs of random machines survive files, and two halves are the whole, to the bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dalembert as da
from support.random_machines import machines, random_state

METHODS = {"rk4": {"step": 2.0**-6}, "heun": {"step": 2.0**-7}, "dopri5": {"rtol": 1e-6}, "cvodes": {"rtol": 1e-6}}


def same(one: da.Run, other: da.Run) -> bool:
    """Whether two runs are equal in everything but the time they took."""
    arrays = all(np.array_equal(getattr(one, k), getattr(other, k)) for k in ("t", "x", "y", "held"))
    events = [(e.name, e.t, e.direction, e.x.tolist()) for e in one.events]
    return (
        arrays
        and one.names == other.names
        and one.status == other.status
        and events == [(e.name, e.t, e.direction, e.x.tolist()) for e in other.events]
        and one.final.t == other.final.t
        and np.array_equal(one.final.x, other.final.x)
        and one.final.step == other.final.step
    )


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(machine=machines(max_joints=3, max_nv=8), seed=st.integers(0, 2**16), sampled=st.booleans())
def test_halves_files_and_the_whole(method: str, tmp_path: Path, machine: da.Machine, seed: int, sampled: bool) -> None:
    eom = da.equations(machine, backend="vm")
    q, v, *_ = random_state(eom, seed)
    inputs = np.random.default_rng(seed).normal(size=machine.nu)
    law = None
    if machine.nu:
        law = inputs
        if sampled:
            law = da.SampledController(lambda t, q, v: inputs * np.cos(t) - v[0], period=2.0**-5)
    crossing = da.Event("crossing", lambda t, q, v: v[0])
    options = {"control": law, "method": method, "events": [crossing], "check": False, **METHODS[method]}
    first = da.simulate(eom, duration=0.125, q0=q, v0=v, **options)
    first.save(tmp_path / "run.nc")
    loaded = da.load_run(tmp_path / "run.nc")
    assert same(loaded, first)
    if first.status != "completed":
        return
    later, again = (da.simulate(eom, duration=0.125, start=run, **options) for run in (first, loaded))
    assert same(later, again)
    if method in ("rk4", "heun"):
        whole = da.simulate(eom, duration=0.25, q0=q, v0=v, **options)
        assert np.array_equal(first.append(later).x, whole.x)
        assert [e.t for e in first.append(later).events] == [e.t for e in whole.events]
