"""Islands of many contacts: towers of boxes, whose forces and motions are known."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da

SIDE, MASS, FRICTION = 0.1, 2.0, (0.5, 0.1)


def tower(boxes: int, speed: float = 0.0) -> da.Experiment:
    """Boxes on top of each other on smooth ground: four contacts below each of them."""
    names = [f"box{k:02d}" for k in range(boxes)]
    machine = da.Machine(
        "tower",
        [da.box(name, MASS, (SIDE, SIDE, 0.02)) for name in names],
        [da.Joint(name, "free", "world", name) for name in names],
        colliders=[
            da.Collider("boxes", friction=FRICTION[0]),
            da.Collider("ground", surface=da.HalfSpace(), friction=FRICTION[1]),
        ],
    )
    start = da.Start(
        q={f"{name}.z": 0.01 + 0.02 * k for k, name in enumerate(names)}, v={f"{name}.vx": speed for name in names}
    )
    return da.Experiment(machine, start=start, duration=0.01, contact="time-stepping")


@pytest.mark.parametrize("boxes", [3, 8, 15])
def test_corners_share_the_weight(boxes: int) -> None:
    """Also with sparse equations, and in a large island. Of twelve rows between two boxes six depend on the others."""
    run = da.simulate(tower(boxes), step=1e-3)
    assert run["contact.residual"][2:].max() < (1e-8 if boxes > 10 else 1e-11)
    assert run["contact.undetermined"].max() == 6.0 * boxes
    contacts = run.metadata["contacts"]
    assert len(contacts) == 4 * boxes
    for contact in contacts:
        above = boxes - round(contact["point"][2] / 0.02)
        assert contact["force"] == pytest.approx([above * MASS * 9.81 / 4, 0.0, 0.0], rel=1e-6, abs=1e-4)


@pytest.mark.parametrize("boxes", [3, 8])
def test_a_tower_that_slides(boxes: int) -> None:
    """Newton's method finds the modes after few sweeps: the ground slips, all others stick."""
    run = da.simulate(tower(boxes, speed=1.0), step=1e-3)
    rate = 9.81 * np.sqrt(np.prod(FRICTION))
    for name in ("box00", f"box{boxes - 1:02d}"):
        np.testing.assert_allclose(run[f"{name}.vx"], 1.0 - rate * run.t, atol=1e-9)
    assert run["contact.sweeps"].max() <= 9
    assert run["contact.residual"].max() < 1e-11
