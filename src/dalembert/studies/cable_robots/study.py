"""What CDPR prints, and what the library obtains."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dalembert.studies.cable_robots.jacobians import errors
from dalembert.studies.cable_robots.joining import PICK, joining_run
from dalembert.studies.cable_robots.overturning import PAPER_PENALTY, overturning_run
from dalembert.studies.cable_robots.pulleys import pushed_run, rms, swivel_names

__all__ = ["results"]


def results(*, full: bool = True) -> Iterator[tuple[str, float]]:
    """Yield the key of each expected value and what the library obtains; the short form leaves out what takes long."""
    yield from _jacobians()
    yield from _joining()
    if full:
        yield from _pulleys()
        yield from _overturning()


def _jacobians() -> Iterator[tuple[str, float]]:
    for name, error in errors().items():
        yield f"jacobian.{name}", error


def _pulleys() -> Iterator[tuple[str, float]]:
    one, two, three = (pushed_run(model) for model in (1, 2, 3))
    for axis in "xyz":
        yield f"pulleys.{axis}.1", rms(one, three, f"platform.{axis}")
        yield f"pulleys.{axis}.2", rms(two, three, f"platform.{axis}")
    for k, (a, b) in enumerate(zip(swivel_names(2), swivel_names(3), strict=True)):
        yield f"pulleys.swivel{k + 1}", rms(two, three, a, b)


def _joining() -> Iterator[tuple[str, float]]:
    run = joining_run()
    steepness = (2.0 - run["platform.z"]) / run["length.cable1"]  # the anchors lie in the plane of the centre of mass
    tension = np.sum([run[f"tension.cable{k}"] for k in range(1, 5)], axis=0)
    lift = steepness * tension
    yield "joining.payload", float(lift[-1] / lift[0])
    before, after = (np.flatnonzero(run.t == PICK)[k] for k in (0, -1))
    yield "joining.step", float(tension[after] > tension[before])
    yield "joining.energy", float(abs(run.metadata["transitions"][0]["energy_lost"]))


def _overturning() -> Iterator[tuple[str, float]]:
    run = overturning_run(constraints=PAPER_PENALTY, step=1e-4)
    yield "overturning.time", next(e.t for e in run.events if e.name == "overturn")
    yield "overturning.trace", float(run["constraint.position"].max())
