"""A machine with every kind of constrained row: contacts, friction, a cable, a rope over a sheave, a rod, a drive."""

from __future__ import annotations

import dalembert as da
from dalembert.core.parameter import TIME, sin

__all__ = ["LIMIT", "MU", "SLIDING", "machine_of_all_rows"]

MU, LIMIT, SLIDING = 0.3, 1.5, 1.1


def machine_of_all_rows() -> da.Machine:
    """A ball, a box and sliders with contacts, friction, a cable, a rope over a rubbing sheave, a rod and a drive."""
    bodies = [
        da.box("ball", 1.0, (0.2, 0.15, 0.1)), da.point_mass("m", 2.0), da.point_mass("w1", 3.0),
        da.point_mass("w2", 2.5), da.point_mass("cart", 1.5),
    ]  # fmt: skip
    rubs = da.Friction(SLIDING, static=LIMIT)
    joints = [
        da.Joint("b", "free", "world", "ball"),
        da.Joint("x", "prismatic", "world", "m", axis="x", friction=rubs, damping=0.4),
        da.Joint("x1", "prismatic", "world", "w1", axis="-z", origin=(2.9, 0, -0.5)),
        da.Joint("x2", "prismatic", "world", "w2", axis="-z", origin=(3.1, 0, -0.5)),
        da.Joint("s", "prismatic", "world", "cart", axis=(1, 2, 0), stiffness=4.0),
    ]
    guide = da.Guide("world", 0.1, "y", at=(3.0, 0, 0), friction=0.2, name="G")
    return da.Machine(
        "everything",
        bodies,
        joints,
        frames=[da.Frame("top", "world", (0.1, 0.2, 3.0)), da.Frame("ear", "ball", (0.05, 0.02, 0.1))],
        cables=[da.Cable("c", "ear", "top", length=2.0)],
        ropes=[da.Rope("r", [da.Anchor("w1"), guide, da.Anchor("w2")], length=5.0)],
        constraints=[
            da.DistanceConstraint("rod", "m", "cart", length=1.0),
            da.MotionConstraint("drive", joint="s", value=0.2 + 0.1 * sin(3.0 * TIME)),
        ],
        contacts=[
            da.Contact("floor", "ball", da.Sphere(0.1), friction=MU, restitution=0.4),
            da.Contact("smooth", "ball", None, (0.1, 0.0, 0.0)),
        ],
    )
