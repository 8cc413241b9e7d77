"""A four-bar linkage: a tree of three links, closed by a constraint."""

from __future__ import annotations

import numpy as np

import dalembert as da

CRANK, COUPLER, ROCKER, GROUND = 0.3, 0.8, 0.6, 0.9


def four_bar_machine() -> da.Machine:
    """Crank, coupler and rocker in the x-z plane; the tips of coupler and rocker coincide."""
    axis = (0.0, -1.0, 0.0)
    return da.Machine(
        "four-bar",
        bodies=[
            da.rod("crank", 1.0, CRANK, axis="x", com=(CRANK / 2, 0, 0)),
            da.rod("coupler", 2.0, COUPLER, axis="x", com=(COUPLER / 2, 0, 0)),
            da.rod("rocker", 1.5, ROCKER, axis="x", com=(ROCKER / 2, 0, 0)),
        ],
        joints=[
            da.Joint("a", "revolute", "world", "crank", axis=axis),
            da.Joint("b", "revolute", "crank", "coupler", origin=da.Transform((CRANK, 0, 0)), axis=axis),
            da.Joint("c", "revolute", "world", "rocker", origin=da.Transform((GROUND, 0, 0)), axis=axis),
        ],
        frames=[
            da.Frame("middle", "coupler", da.Transform((COUPLER / 2, 0, 0.2))),
            da.Frame("coupler_tip", "coupler", da.Transform((COUPLER, 0, 0))),
            da.Frame("rocker_tip", "rocker", da.Transform((ROCKER, 0, 0))),
        ],
        constraints=[da.BallConstraint("loop", "coupler_tip", "rocker_tip", components="xz")],
    )


def initial_state(theta: float) -> dict[str, float]:
    """Angles for a crank angle, from the triangle over the diagonal."""
    x, z = CRANK * np.cos(theta), CRANK * np.sin(theta)
    diagonal = np.hypot(GROUND - x, z)
    coupler = np.arctan2(-z, GROUND - x) + np.arccos((COUPLER**2 + diagonal**2 - ROCKER**2) / (2 * COUPLER * diagonal))
    rocker = np.arctan2(z + COUPLER * np.sin(coupler), x + COUPLER * np.cos(coupler) - GROUND)
    return {"a": theta, "b": float(coupler - theta), "c": float(rocker)}


def main() -> None:
    """Let it swing for two seconds."""
    run = da.simulate(four_bar_machine(), duration=2.0, q0=initial_state(0.7), v0={"a_dot": 6.0})
    print(run)
    print(f"loop closed to {run['constraint.position'].max():.1e} m, {run['constraint.velocity'].max():.1e} m/s")
    force = np.hypot(run["multiplier.loop[0]"], run["multiplier.loop[1]"])
    print(f"largest force in the closing joint: {force.max():.1f} N")


if __name__ == "__main__":
    main()
