"""A ball that swings on two cables, which go slack and taut again."""

from __future__ import annotations

import dalembert as da

__all__ = ["swing"]


def swing() -> da.Machine:
    """A ball on two cables that only pull, from points of which one can be moved."""
    side = da.Parameter("side", 0.5)
    return da.Machine(
        "swing",
        bodies=[da.sphere("ball", 1.0, 0.1)],
        joints=[da.Joint("ball", "free", "world", "ball")],
        cables=[
            da.Cable("left", "ball", exit_at=(-0.5, 0.0, 0.0), length=1.0),
            da.Cable("right", "ball", exit_at=(side, 0.0, 0.0), length=1.2),
        ],
    )
