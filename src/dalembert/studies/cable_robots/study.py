"""Numbers that CDPR prints, and those of the library."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dalembert.analysis.modal import natural_frequencies
from dalembert.studies.cable_robots.exits import deviation
from dalembert.studies.cable_robots.jacobians import errors
from dalembert.studies.cable_robots.joining import PICK, SOFT, closed_loop_poles, joining_run, oscillation
from dalembert.studies.cable_robots.overturning import (
    PAPER_PENALTY,
    euler_run,
    overturning_run,
    winch_inertia_error,
    winch_run,
)
from dalembert.studies.cable_robots.pulleys import ROPE, elastic_run, heavy_robot, pushed_run, rms, start, swivel_names
from dalembert.studies.registry import expected_values
from dalembert.systems.cable_robots import pulley_robot

__all__ = ["results"]


def results(*, full: bool = True) -> Iterator[tuple[str, float]]:
    """Yield the key of each expected value and our value; the short form leaves out slow rows."""
    yield from _jacobians()
    yield from _joining()
    yield "overturning.inertia", winch_inertia_error()
    yield "euler.stop", euler_run().events[-1].t
    if full:
        yield from _soft_winches()
        yield from _pulleys()
        yield from _overturning()
        yield from _exits()
        yield from _times()


def _jacobians() -> Iterator[tuple[str, float]]:
    for name, error in errors().items():
        yield f"jacobian.{name}", error


def _pulleys() -> Iterator[tuple[str, float]]:
    one, two, three, elastic = (*(pushed_run(model) for model in (1, 2, 3)), elastic_run())
    for axis in "xyz":
        name = f"platform.{axis}"
        yield f"pulleys.{axis}.1", rms(one, three, name)
        yield f"pulleys.{axis}.2", rms(two, elastic, name)
        yield f"pulleys.{axis}.3", rms(three, elastic, name)
    for k, (free, turned) in enumerate(zip(swivel_names(2), swivel_names(3), strict=True), 1):
        yield f"pulleys.swivel{k}.2", rms(two, elastic, free, turned)
        yield f"pulleys.swivel{k}.3", rms(three, elastic, turned)
    printed = expected_values("cable-robots")
    pairs = {axis: (f"platform.{axis}", f"platform.{axis}") for axis in "xyz"}
    pairs |= {names[1]: names for names in zip(swivel_names(2), swivel_names(3), strict=True)}
    bounds = {key: sum(printed[f"pulleys.{key}.{model}"].published for model in (2, 3)) for key in pairs}
    yield "pulleys.triangle", max(rms(two, three, *names) / bounds[key] for key, names in pairs.items())
    rigid, soft = pulley_robot(3), pulley_robot(3, **ROPE)
    lowest = [float(natural_frequencies(machine, start(machine))[0]) for machine in (rigid, soft)]
    yield "pulleys.frequency", 100.0 * abs(lowest[0] / lowest[1] - 1.0)
    light = pulley_robot(2)
    heavy = natural_frequencies(*heavy_robot(0.1, 0.05, 0.1))[0] / natural_frequencies(light, start(light))[0]
    yield "pulleys.heavy.frequency", 100.0 * abs(float(heavy) - 1.0)


def _joining() -> Iterator[tuple[str, float]]:
    run = joining_run()
    steepness = (2.0 - run["platform.z"]) / run["length.cable1"]  # the anchors lie in the plane of the centre of mass
    tension = np.sum([run[f"tension.cable{k}"] for k in range(1, 5)], axis=0)
    lift = steepness * tension
    yield "joining.payload", float(lift[-1] / lift[0])
    before, after = (np.flatnonzero(run.t == PICK)[k] for k in (0, -1))
    yield "joining.step", float(tension[after] > tension[before])
    yield "joining.energy", float(abs(run.metadata["transitions"][0]["energy_lost"]))


def _soft_winches() -> Iterator[tuple[str, float]]:
    """The oscillation after the pick, in the run and in the linear model."""
    seen = oscillation(joining_run(gains=SOFT, lift=False))
    poles = closed_loop_poles(SOFT)
    linear = complex(poles[np.argmin(np.abs(poles - seen))])
    yield "joining.frequency", seen.imag / linear.imag
    yield "joining.damping", seen.real / linear.real
    yield "joining.stable", float(poles.real.max())


def _overturning() -> Iterator[tuple[str, float]]:
    run = overturning_run(constraints=PAPER_PENALTY, step=1e-4)
    passages = [e.t for e in run.events if e.name == "overturn"]
    yield "overturning.time", passages[0]
    yield "overturning.passages", float(len(passages))
    yield "overturning.trace", float(run["constraint.position"].max())
    yield "overturning.winches", next(e.t for e in winch_run().events if e.name == "overturn")
    printed, ours = joining_run(constraints=PAPER_PENALTY, step=1e-4), joining_run()
    yield "joining.penalty", float(np.abs(printed["platform.z"] - ours["platform.z"]).max())
    yield "joining.penalty.trace", float(printed["constraint.position"].max())


def _exits() -> Iterator[tuple[str, float]]:
    yield "exits.ratio", float(np.log10(deviation(1e-1) / deviation(1e-2)))
    yield "exits.bandwidth", float(np.log2(deviation(1e-2, 40.0) / deviation(1e-2, 80.0)))


def _times() -> Iterator[tuple[str, float]]:
    """Time of the loop in one run each, by the printed method and step."""
    for model in (1, 2, 3):
        yield f"seconds.model{model}", float(pushed_run(model).metadata["wall_time"])
    yield "seconds.joining", float(joining_run(constraints=PAPER_PENALTY, step=1e-4).metadata["wall_time"])
    yield "seconds.overturning", float(winch_run().metadata["wall_time"])
