"""One engine: single runs, lanes, steppers, FMUs and runs on the virtual machine do the same on random machines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.compile import find_toolchain

STEP, STEPS = 1e-3, 100
pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="lanes need a C compiler")


def linkage(seed: int) -> tuple[da.Machine, dict[str, Any]]:
    """A random chain on a free body, with a gear between two of its joints, a cable, and balls that meet the ground."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    bodies, joints = [da.sphere("base", rng.uniform(1.0, 3.0), 0.1)], [da.Joint("base", "free", "world", "base")]
    for i in range(n):
        axis, length = rng.normal(size=3), rng.uniform(0.1, 0.3)
        inertia = np.diag(rng.uniform(0.01, 0.02, 3))
        bodies.append(da.Body(f"link{i}", rng.uniform(0.2, 1.0), (0.0, 0.0, length / 2), inertia))
        place = (0.0, 0.0, 0.1) if i == 0 else (0.0, 0.0, 0.2)
        parent = f"link{i - 1}" if i else "base"
        joints.append(da.Joint(f"j{i}", "revolute", parent, f"link{i}", origin=place, axis=axis / np.linalg.norm(axis)))
    contacts = [
        da.Contact("below", "base", da.Sphere(0.1), restitution=rng.uniform(0, 0.7), friction=rng.uniform(0.1, 0.6)),
        da.Contact(
            "tip", f"link{n - 1}", da.Sphere(0.03), restitution=rng.uniform(0, 0.7), friction=rng.uniform(0, 0.6)
        ),
    ]
    machine = da.Machine(
        f"linkage{seed}",
        bodies,
        joints,
        constraints=[da.GearConstraint("gear", {"j0": 1.0, "j1": rng.uniform(0.5, 2.0)})],
        cables=[da.Cable("leash", "base", exit_at=(0.0, 0.0, 1.0), length=rng.uniform(0.9, 1.1))],
        contacts=contacts,
    )
    a = rng.normal() * 0.5
    start = {
        "q0": {"base.z": 0.1 + rng.uniform(0.01, 0.03), "j0": a},
        "v0": {"base.vz": -rng.uniform(0.5, 1.0), "base.vx": rng.normal(), "j0_dot": rng.normal()},
    }
    return machine, start


def events(run: da.Run) -> list[str]:
    return [event.name for event in run.events]


def near(got: np.ndarray, want: np.ndarray) -> None:
    """Equal to 1e-12 of the largest number of a state that there is."""
    np.testing.assert_allclose(got, want, rtol=0.0, atol=1e-12 * max(1.0, np.abs(want).max()))


@pytest.mark.parametrize("contact", ["event-driven", "time-stepping"])
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(k, marks=[pytest.mark.slow, pytest.mark.long][: 1 + (k > 3)]) for k in range(1, 12))]
)
def test_all_ways_through_the_engine_agree(seed: int, contact: str) -> None:
    """Same events, and states to 1e-12 after 100 steps: compiled, on the virtual machine, among others, stepped."""
    machine, start = linkage(seed)
    eom, given = da.equations(machine), {"step": STEP, "contact": contact, "reach": 1.0}
    one = da.simulate(eom, duration=STEPS * STEP, record=STEP, **start, **given)
    assert one.status == "completed"
    moved = len(one.state_names) - 2  # works are sums of all that happens
    slow = da.simulate(da.equations(machine, backend="vm"), duration=STEPS * STEP, record=STEP, **start, **given)
    assert events(slow) == events(one)
    others = {
        key: {name: np.array([value, 0.9 * value, value]) for name, value in values.items()}
        for key, values in start.items()
    }
    many = da.rollout(eom, duration=STEPS * STEP, record=STEP, **others, **given)
    assert events(many.member(2)) == events(one)
    np.testing.assert_array_equal(many.final[0], many.final[2])
    stepper = da.stepper(eom, period=STEPS * STEP, members=2, **start, **given)
    stepper.step()
    for state in (slow.x[-1], many.final[2], stepper.x[1]):
        near(state[:moved], one.x[-1, :moved])


@pytest.mark.slow
@pytest.mark.parametrize("contact", ["event-driven", "time-stepping"])
@pytest.mark.parametrize("seed", range(2))
def test_an_fmu_agrees(seed: int, contact: str, tmp_path: Path) -> None:
    """Its C is the same engine, built with the flags of an FMU."""
    fmpy = pytest.importorskip("fmpy")
    machine, start = linkage(seed)
    given = {"step": STEP, "contact": contact, "reach": 1.0, **start}
    one = da.simulate(machine, duration=STEPS * STEP, record=STEP, **given)
    path = da.export_fmu(machine, tmp_path / "linkage.fmu", **given)
    names, counted = list(one.state_names[:-2]), ["events.count"] * bool(one.events)
    there = fmpy.simulate_fmu(str(path), stop_time=STEPS * STEP, output_interval=STEPS * STEP, output=names + counted)
    assert [there[name][-1] for name in counted] == [len(one.events)] * bool(one.events)
    near(np.array([there[name][-1] for name in names]), one.x[-1, :-2])
