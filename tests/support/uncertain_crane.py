"""A crane over payload and length, as robust control sees it."""

from __future__ import annotations

import dalembert as da
from dalembert.control.uncertain import UncertainMachine, uncertain

__all__ = ["uncertain_crane"]


def uncertain_crane() -> UncertainMachine:
    """A trolley of 5 kg with a load of 1 to 9 kg on a rope of 1 to 3 m."""
    payload, length = da.Parameter("payload", 3.0), da.Parameter("length", 2.0)
    machine = da.Machine(
        "crane",
        bodies=[da.Body("trolley", mass=5.0, inertia=(1, 1, 1)), da.point_mass("load", payload, com=(0, 0, -length))],
        joints=[
            da.Joint("x", "prismatic", "world", "trolley", axis="x"),
            da.Joint("theta", "revolute", "trolley", "load", axis="y"),
        ],
        motors=[da.Motor("F", "x")],
    )
    return uncertain(machine, {"payload": (1.0, 9.0), "length": (1.0, 3.0)})
