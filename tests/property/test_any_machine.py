"""Random machines with everything at once: formulations agree, runs go on where they stopped, files hold them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.io import load_machine
from support.any_machine import AnyMachine, any_machine
from support.comparison import difference

FEW = (1, 2, 8, 9, 10)
MANY, ALL = sorted({*range(18)} - {*FEW}), range(18, 200)
SEEDS = [
    *FEW,
    *(pytest.param(seed, marks=pytest.mark.slow) for seed in MANY),
    *(pytest.param(seed, marks=[pytest.mark.slow, pytest.mark.long]) for seed in ALL),  # two minutes are for CI
]
STEP = 2.0**-9


@cache
def made(seed: int) -> AnyMachine:
    return any_machine(seed)


@cache
def equations(seed: int) -> da.EquationsOfMotion:
    return da.equations(made(seed).machine, backend="vm")


def test_the_few_have_everything() -> None:
    parts = set().union(*(made(seed).parts for seed in FEW))
    wanted = {"beam", "stiffened beam", "elastic cable", "rigid cable", "coupling", "parameters", "motor", "thruster"}
    wanted |= {
        "DistanceConstraint",
        "GearConstraint",
        "MotionConstraint",
        "BallConstraint",
        "revolute",
        "prismatic",
        "spherical",
        "free",
        "planar",
        "fixed",
    }
    assert wanted <= parts, wanted - parts


@pytest.mark.parametrize("seed", SEEDS)
def test_formulations_agree(seed: int) -> None:
    """Free motion as `verify` compares it; with constraints, Newton's law and the accelerations that they ask for."""
    case = made(seed)
    report = da.verify(case.machine, samples=2, seed=seed)
    assert report.ok, str(report)
    if not case.machine.constrained:
        return
    eom, rng = equations(seed), np.random.default_rng(seed)
    J, v, tau = eom.constraint_jacobian(case.q), *rng.normal(size=(2, eom.nv))
    v = v - np.linalg.pinv(J) @ (J @ v)
    a, multipliers = eom.constrained_dynamics(case.q, v, tau)
    M, bias = eom.mass_matrix(case.q), eom.bias(case.q, v)
    scale = max(np.abs(M @ a).max(), np.abs(bias).max(), np.abs(tau).max())
    assert difference(M @ a + bias + J.T @ multipliers, tau, scale) < 1e-9
    on = eom.constraint_system.activity(eom.constraint_system.latch_nominal) > 0
    assert np.abs((J @ a - eom.constraint_rhs(case.q, v))[on]).max(initial=0.0) < 1e-8 * np.abs(a).max()
    if seed in FEW:
        return
    other = da.equations(case.machine, by="lagrange", backend="vm")
    b, others = other.constrained_dynamics(case.q, v, tau)
    assert difference(M @ b, M @ a, scale) < 1e-8
    assert difference(others, multipliers, scale) < 1e-7


@pytest.mark.parametrize("seed", SEEDS)
def test_files_hold_the_machine(seed: int) -> None:
    machine = made(seed).machine
    text = machine.to_yaml()
    back = load_machine(text)
    assert back == machine
    assert back.to_yaml() == text


@pytest.mark.parametrize("seed", SEEDS)
def test_two_halves_are_the_whole(seed: int, tmp_path: Path) -> None:
    """To the bit, also through a file."""
    case, eom = made(seed), equations(seed)
    options: dict[str, Any] = {"step": STEP, "check": False}
    rng = np.random.default_rng(seed)
    if eom.nu:
        options["control"] = rng.normal(size=eom.nu)
    first = da.simulate(eom, duration=4 * STEP, q0=case.q, **options)
    assert first.status == "completed", first.message
    first.save(tmp_path / "run.nc")
    loaded = da.load_run(tmp_path / "run.nc")
    for name in ("t", "x", "y", "held"):
        assert np.array_equal(getattr(loaded, name), getattr(first, name), equal_nan=True), name
    later = da.simulate(eom, duration=4 * STEP, start=loaded, **options)
    whole = da.simulate(eom, duration=8 * STEP, q0=case.q, **options)
    assert whole.status == "completed", whole.message
    both = first.append(later)
    assert np.array_equal(both.t, whole.t)
    assert np.array_equal(both.x, whole.x)
    assert [e.name for e in both.events] == [e.name for e in whole.events]


@pytest.mark.parametrize("seed", [3, 6, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (8, 10))])
def test_native_runs_are_those_of_the_virtual_machine(seed: int) -> None:
    case = made(seed)
    native, vm = (
        da.simulate(case.machine, duration=8 * STEP, q0=case.q, step=STEP, check=False, backend=backend)
        for backend in ("native", "vm")
    )
    assert native.status == vm.status == "completed"
    assert difference(native.x, vm.x) < 1e-9
