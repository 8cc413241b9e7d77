"""The L-frame: 160 solid elements of 20 nodes, assembled by CalculiX 2.20; sets ROOT (x = 0) and TIP (y = 0.3 m)."""

from __future__ import annotations

from functools import cache
from importlib import resources

import numpy as np

import dalembert as da
from dalembert.core.types import Array

__all__ = ["frame_model", "frame_pendulum", "tip_after"]


@cache
def frame_model() -> da.FiniteElements:
    """Return its matrices: 1221 nodes, 3663 freedoms, 2.592 kg."""
    with resources.as_file(resources.files(__package__).joinpath("lframe.npz")) as path:
        return da.read_finite_elements(path)


@cache
def frame_pendulum(modes: int = 10) -> da.Machine:
    """Return the frame on a hinge about z at its root, under ten times gravity along -y."""
    frame = frame_model().body("frame", {"root": "ROOT", "tip": "TIP"}, modes=modes)
    hinge = da.Joint("hinge", "revolute", "world", "frame", axis=(0, 0, 1))
    return da.Machine("L-frame", (frame,), (hinge,), gravity=(0, -98.1, 0))


def tip_after(duration: float, method: da.Method) -> tuple[da.Run, Array]:
    """Return the run of a drop from rest, and the position of the tip at its end."""
    machine = frame_pendulum()
    run = da.simulate(machine, duration=duration, method=method)
    q = np.asarray(run.x[-1, : machine.nq])
    tip = da.equations(machine).pose("frame.tip", q)[:2, 3]
    return run, np.asarray(tip)
