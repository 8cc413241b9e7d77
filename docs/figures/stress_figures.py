"""Figure of the page on stresses: the L-frame while its hinge accelerates."""

from __future__ import annotations

from pathlib import Path

import dalembert as da
from dalembert.studies.flexible_bodies.frame import frame_model
from dalembert.view import plot_stress

HERE = Path(__file__).parent


def accelerated_frame() -> None:
    """The frame with a load at its tip; its hinge swings at 20 rad/s."""
    frame = frame_model().body("frame", {"root": "ROOT", "tip": "TIP"}, 4, stress=True, relief=True, damping=0.02)
    load = da.Body("load", 1.0, inertia=(1e-3, 1e-3, 1e-3))
    joints = [
        da.Joint("hinge", "revolute", "world", "frame", axis=(0, 0, 1)),
        da.Joint("grip", "fixed", "frame.tip", "load"),
    ]
    ramp = da.MotionConstraint("drive", joint="hinge", value=0.6 * (1.0 - da.cos(20.0 * da.TIME)))
    machine = da.Machine("frame", [frame, load], joints, constraints=[ramp])
    run = da.simulate(machine, duration=0.3, method=da.ImplicitMidpoint(step=5e-4, numerical_damping=0.2))
    plot_stress(run, "frame").savefig(HERE / "stresses.png", dpi=110)


if __name__ == "__main__":
    accelerated_frame()
