"""From the hold point to where the arm begins, and back: the way, its flight, and a retreat where a limit is near."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dalembert.control.allocation import allocate
from dalembert.control.estimation import TumblingEstimate, TumblingFilter
from dalembert.core.errors import PlanError
from dalembert.core.types import Array
from dalembert.formulations.equations import derive
from dalembert.loop.experiment import Start
from dalembert.model.orbit import Orbit
from dalembert.plan.rendezvous import RendezvousLimits
from dalembert.simulation.run import Run
from dalembert.systems.space_robots.flight_data import Flight
from dalembert.systems.space_robots.flying_around import USE, FlightGuide, FlyAround, chosen_way, flight_loop
from dalembert.systems.space_robots.guidance import pose_of
from dalembert.systems.space_robots.outcome import CaptureOutcome
from dalembert.systems.space_robots.rendezvous_way import RendezvousWay, Retreat, camera_verdict, rendezvous_way

__all__ = ["first_way", "fly_way", "retreated", "way_to_side"]

_TIMES = (90.0, 60.0)  # shortest times of the way around the debris and of the straight part [s]
_ZONE = 1.3  # radius of the keep-out zone over the distance at which the arm begins
_PLUME = (2.0, 0.3)  # distance, over that of the arm, and part of the acceleration that may blow at the debris there
_LONGER, _TRIES = 1.25, 6
_SLOWER = 5  # periods of guidance while the arm moves that are one on the way


def way_limits(flight: Flight, away: float) -> RendezvousLimits:
    """Limits of the way, from the forces and the mass of the chaser."""
    twins = flight.twins
    force = float(allocate(derive(twins.machine), twins.base).capacity[:3].min())
    q = twins.rigid.eom.q_neutral
    mass = float(twins.rigid.eom.mass_matrix(q)[twins.rigid.rows[0][0], twins.rigid.rows[0][0]])
    most = USE * force / (mass * np.sqrt(3.0))  # along each axis of the world, however the base is turned
    zone = _ZONE * away if flight.phases.keep_out is None else flight.phases.keep_out
    return RendezvousLimits(
        zone, flight.phases.corridor, min(most, 1.0), plume=(_PLUME[0] * away, _PLUME[1] * min(most, 1.0))
    )


def first_way(flight: Flight, centre: Array, away: float) -> FlyAround | None:
    """A way from the hold point that is long enough for every side; None: it is not flown."""
    far = flight.phases.hold_point
    if far is None:
        return None
    twins, outward = flight.twins, flight.twins.outward
    limits = way_limits(flight, away)
    if far < 1.2 * max(away, limits.keep_out):
        raise PlanError(
            f"the hold point at {far:g} m is too near: the arm begins at {away:.3g} m, the keep-out zone has "
            f"{limits.keep_out:.3g} m"
        )
    capacity = allocate(derive(twins.machine), twins.base).capacity
    across = np.eye(3)[int(np.argmin(np.abs(outward)))]
    opposite = 2.0 * np.outer(across, across) - np.eye(3)  # half a turn, the longest way
    near = max(1.5 * away, 0.5 * far, limits.keep_out)
    way = chosen_way(twins, capacity, flight.posture, FlyAround(centre, outward, opposite, far, near, away, _TIMES))
    for _ in range(_TRIES):
        if _flyable(_Ends.of(way), limits, flight.phases.orbit):
            return way
        way = replace(way, times=(_LONGER * way.times[0], _LONGER * way.times[1]))
    raise PlanError(f"no way of {way.duration:.0f} s leads around the debris within {limits}")


class _Ends(NamedTuple):
    """Ends and times of a first way, as a key."""

    places: tuple[float, ...]
    side: tuple[float, ...]
    distances: tuple[float, float, float]
    times: tuple[float, float]

    @staticmethod
    def of(way: FlyAround) -> _Ends:
        places = (*way.centre.tolist(), *way.outward.tolist())
        return _Ends(places, tuple(way.side.ravel().tolist()), (way.far, way.near, way.distance), way.times)


@lru_cache(maxsize=32)
def _flyable(ends: _Ends, limits: RendezvousLimits, orbit: Orbit | None) -> bool:
    """Whether a way between ends keeps the limits; chasers that differ little share it."""
    centre, outward, side = np.array(ends.places[:3]), np.array(ends.places[3:]), np.array(ends.side).reshape(3, 3)
    try:
        rendezvous_way(FlyAround(centre, outward, side, *ends.distances, ends.times), limits, orbit)
    except PlanError:
        return False
    return True


def way_to_side(flight: Flight, first: FlyAround, away: float, side: Array) -> RendezvousWay:
    """The way of least impulse to a side of the debris, in the time of the first one.

    Raises
    ------
    PlanError
        If a limit is not kept, with its name.
    """
    way = rendezvous_way(replace(first, side=side), way_limits(flight, away), flight.phases.orbit)
    verdicts = list(way.path.verdicts)
    if flight.sensors.camera is not None:
        verdicts.append(camera_verdict(way, flight.mount, flight.sensors.camera))
    way = replace(way, path=replace(way.path, verdicts=tuple(verdicts)))
    bad = [v for v in verdicts if not v.ok]
    if bad:
        listed = "; ".join(f"{v.name} {v.value:.3g} of {v.limit:.3g} {v.unit}" for v in bad)
        raise PlanError(f"the way to the side of the plan misses its limits: {listed}")
    return way


def fly_way(
    flight: Flight,
    outcome: CaptureOutcome,
    way: RendezvousWay,
    start: tuple[dict[str, float], dict[str, float]],
    seen: tuple[TumblingEstimate | None, TumblingFilter | None],
    rng: np.random.Generator,
) -> CaptureOutcome:
    """Fly a way from its begin; the outcome has the run and the estimate at its end."""
    twins, (q, v), scene = flight.twins, start, flight.scene
    place = {f"{twins.base}.{n}": float(x) for n, x in zip("xyz", way.pose(0.0)[0], strict=True)}
    guide = FlightGuide(
        way, twins, flight.posture, -way.duration, estimate=seen[0], watch=seen[1], scene=scene, mount=flight.mount,
        centre=flight.debris.centre, rng=rng,
    )  # fmt: skip
    law = flight_loop(guide, flight.gains, flight.tuned_at, lambda law: flight.jets(flight.unloaded(law)), _SLOWER)
    begin = Start({**q, **place, **flight.base_start}, v, -way.duration)
    run = flight.run(law, begin, way.duration, calm=True)
    return replace(outcome, flight=run, way=way, estimate=guide.estimate)


def retreated(
    flight: Flight, outcome: CaptureOutcome, reason: str, fingers: Mapping[str, float] | None = None
) -> CaptureOutcome:
    """Leave the debris along a straight line, from where the last run has ended, and report why.

    Without a hold point the chaser goes twice as far away as it is. ``fingers`` are parameters of fingers that are not
    open.
    """
    run = next((x for x in (outcome.opening, outcome.approach, outcome.flight) if x is not None), None)
    if run is None or run.status != "completed" or not _can_leave(flight):
        return replace(outcome, reason=reason)
    scene, twins, debris = flight.scene, flight.twins, flight.debris
    q, v = run.array(scene.q_names)[-1], run.array(scene.v_names)[-1]
    block = next(b for b in scene.layout.blocks if b.name == twins.base)
    X = pose_of(q[block.q.start : block.q.stop].tolist())
    other = next(b for b in scene.layout.blocks if b.name == debris.joint)
    Y = pose_of(q[other.q.start : other.q.stop].tolist())
    away = X[:3, 3] - (Y[:3, 3] + Y[:3, :3] @ debris.centre)
    distance = float(np.linalg.norm(away))
    far = max(2.0 * distance if flight.phases.hold_point is None else flight.phases.hold_point, 1.2 * distance)
    most = way_limits(flight, distance).acceleration
    # the largest slope of a smooth move is 5.7735 of its length over the square of its time
    back = Retreat(
        X[:3, 3],
        X[:3, :3],
        away / distance,
        far - distance,
        max(60.0, float(np.sqrt(5.7735 * (far - distance) / most))),
    )
    posture = np.array([q[scene.q_names.index(n)] for n in twins.joints])
    rates = np.array([v[scene.v_names.index(f"{n}_dot")] for n in twins.joints])
    guide = FlightGuide(
        back, twins, posture, float(run.t[-1]), estimate=None, watch=None, scene=scene, mount=flight.mount,
        centre=debris.centre, rng=np.random.default_rng(0), rates=rates,
    )  # fmt: skip
    law = flight_loop(guide, flight.gains, flight.tuned_at, lambda law: flight.jets(flight.unloaded(law)))
    flown = flight.run(law, Start(q, v, float(run.t[-1])), back.duration, outcome.used, fingers)
    apart = _apart(flown, twins.base, debris.joint)
    reason = f"aborted: {reason}; the chaser retreated from {distance:.3g} m to {apart[-1]:.3g} m"
    if flown.status != "completed":
        reason = f"aborted: {reason}; the retreat {flown.status}: {flown.message}"
    flight.say(reason)
    return replace(outcome, reason=reason, retreat=flown)


def _apart(run: Run, *joints: str) -> Array:
    """Distances of two free joints at the rows of a run."""
    a, b = (run.array([f"{n}.{x}" for x in "xyz"]) for n in joints)
    return np.asarray(np.linalg.norm(a - b, axis=1))


def _can_leave(flight: Flight) -> bool:
    """Whether thrusters push the base in every direction."""
    shared = allocate(derive(flight.twins.machine), flight.twins.base, need=())
    return not any(x.startswith("force") for x in shared.missing)
