"""Reference numbers of flexible bodies from finite elements and of exact rods."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

import dalembert as da
from dalembert.studies.flexible_bodies.frame import frame_pendulum, tip_after
from dalembert.studies.flexible_bodies.rods import quick_rods, slow_rods

__all__ = ["results"]

_TIP = np.array([0.56174680, 0.15623238])


def results(*, full: bool = True) -> Iterator[tuple[str, float]]:
    """Yield the key of each expected value and our value; the short form leaves out long runs."""
    frame = frame_pendulum().bodies[0]
    assert isinstance(frame, da.FlexibleBody)
    yield "mass", float(frame.reduction.integrals.volume)
    for k, omega in enumerate(frame.omega[:4]):
        yield f"omega{k + 1}", float(omega)
    drift = {}
    for name, step in (("coarse", 1e-4), ("fine", 2.5e-5)):
        run, tip = tip_after(0.05, da.ImplicitMidpoint(step=step))
        yield f"{name}.tip", float(np.linalg.norm(tip - _TIP))
        yield f"{name}.evaluations", float(run.metadata["function_calls"])
        drift[name] = run.energy.drift
    yield "order", float(np.log(drift["coarse"] / drift["fine"]) / np.log(4.0))
    yield from quick_rods()
    if not full:
        return
    yield from slow_rods()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", da.DalembertWarning)
        run, tip = tip_after(0.05, da.DormandPrince8(rtol=1e-10, atol=1e-12))
    yield "drop.hinge", float(run["hinge"][-1])
    yield "drop.x", float(tip[0])
    yield "drop.y", float(tip[1])
