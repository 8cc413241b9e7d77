"""The falling link and falling chains with contacts declared in the machine, event by event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert import simulate
from dalembert.model import Beam, Contact, HalfSpace, Machine
from dalembert.studies.falling_links.link import EXACT, HEIGHT, falling_link, free_link
from dalembert.systems import SYSTEMS
from dalembert.systems.falling_chains import chain_on_ground

__all__ = ["chain_results", "free_impacts", "on_ground", "second_impact", "span_results", "stepped_impact"]

_TIGHT: dict[str, Any] = {"method": "dopri5", "rtol": 1e-11, "atol": 1e-13}


def on_ground(link: Machine, stations: Sequence[float] = (), *, restitution: float = 1.0) -> Machine:
    """The link above the ground, which its ends touch, and its sections at ``stations``."""
    beam = link.bodies[0]
    assert isinstance(beam, Beam)
    more = tuple((f"at{k}", float(s)) for k, s in enumerate(stations))
    start = "link1.start" if "start" in dict(beam.stations) else "link1"
    frames = (start, "link1.tip", *(f"link1.{name}" for name, _ in more))
    ground = HalfSpace((0.0, 1.0, 0.0))
    contacts = [Contact(f"end{k}", f, surface=ground, restitution=restitution) for k, f in enumerate(frames)]
    return link.with_(bodies=[replace(beam, stations=(*beam.stations, *more))], contacts=contacts)


def second_impact(machine: Machine, **settings: Any) -> float:
    """Time of the next impact after the flight; NaN where the run does not get there."""
    chosen: dict[str, Any] = {"record": 0.01, "check": False} | (settings or _TIGHT)
    run = simulate(machine, duration=1.0, q0={"base.y": HEIGHT}, **chosen)
    return next((event.t for event in run.events if event.t > 0.4), float("nan"))


def stepped_impact(machine: Machine, step: float) -> float:
    """The same by time-stepping: the end of the first step after the flight in which the fall turns."""
    settings: dict[str, Any] = {"contact": "time-stepping", "step": step, "record": step, "check": False}
    run = simulate(machine, duration=1.0, q0={"base.y": HEIGHT}, **settings)
    rate = run["base.y_dot"]
    turns = np.flatnonzero((rate[:-1] < -1.0) & (rate[1:] > 0.0) & (run.t[1:] > 0.4))
    return float(run.t[turns[0] + 1]) if len(turns) else float("nan")


def free_impacts(modes: int) -> tuple[int, float]:
    """How often a link with free ends hits before it flies, and when it comes back, with a number of its modes."""
    machine = on_ground(free_link(modes))
    run = simulate(machine, duration=1.3, q0={"base.y": HEIGHT}, record=0.01, check=False, **_TIGHT)
    times = np.unique(np.round([event.t for event in run.events], 9))  # both ends hit at one time
    return int(np.count_nonzero(times < 0.4)), float(next(iter(times[times > 0.4]), np.nan))


def span_results() -> Iterator[tuple[str, float]]:
    """Motion of the link when more than its ends can touch, and its dependence on steps."""
    link = falling_link(EXACT)
    run = simulate(on_ground(link), duration=0.33, q0={"base.y": HEIGHT}, record=1e-5, **_TIGHT)
    beam: Any = link.bodies[0]
    middle = float(beam.basis[0].shape(0.5))
    yield "span.depth", float((run["base.y"] + middle * run["link1.delta1"]).min())
    for count in (1, 9):
        yield f"stations{count}", second_impact(on_ground(link, np.linspace(0.0, 1.0, count + 2)[1:-1].tolist()))
    for step, name in ((1e-3, "coarse"), (1e-4, "fine")):
        yield f"steps.{name}", second_impact(on_ground(link), method="rk4", step=step)


def chain_results() -> Iterator[tuple[str, float]]:
    """A chain inside a circle, and one of ten links that falls."""
    circle = SYSTEMS["chain-in-circle"]
    run = simulate(circle.make(), **circle.settings())
    yield "circle.first", run.events[0].t
    yield "circle.lost", -float(run["work.loss"][-1])
    yield "circle.drift", run.energy.drift
    ten = chain_on_ground(10, 1)
    run = simulate(ten, duration=0.6, q0={"base.y": 1.0, "base.angle": 0.05}, method="dopri5", rtol=1e-7, record=0.01)
    yield "ten.impacts", float(len(run.events))
    yield "ten.drift", run.energy.drift
