"""Influences on one capture that weightlessness leaves out: tide, oblate Earth, Moon and Sun, air, sunlight, torques.

The chaser, its joints locked, and the debris float freely for the 62 s of a capture, the debris 7.4 m above. Chosen
here: 700 km with an inclination of 1.7 rad, noon of 20 March 2026 (an equinox), air of 3.6e-14 kg/m3, surfaces that
face wind and Sun: arrays of 16 m2 on the chaser, 5.66 m2 of debris; a dipole of 10 A m2 that the chaser may have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dalembert import Machine, equations, simulate
from dalembert.core.types import Array
from dalembert.model import (
    Drag,
    ForceField,
    MagneticTorque,
    Orbit,
    SolarPressure,
    clohessy_wiltshire,
    in_orbit,
    sun_position,
)
from dalembert.systems.space_robots import debris, space_chaser

__all__ = ["environment_results"]

_ORBIT, _TIME, _ABOVE = Orbit(altitude=700e3, inclination=1.7), 62.0, 7.4
_EPOCH = 2461120.0
_AREA = {"base": 16.0, "debris": 5.66}
# Moon and Sun move things by nanometres, less than steps that differ from run to run tolerate; equal steps cancel.
_FINE: dict[str, Any] = {"method": "rk4", "step": 0.02}


def environment_results() -> Iterator[tuple[str, float]]:
    """Yield the key of each expected value and our value."""
    chaser = space_chaser("rigid", arrays="rigid").lock([f"theta{i}" for i in range(1, 7)])
    pair = (chaser, debris())
    plain = [_end(m) for m in pair]
    tide = [_end(in_orbit(m, _ORBIT)) for m in pair]
    yield "orbit.tide", _apart(tide, plain)
    yield "orbit.near", _near(tide[1][:3])
    kinds: dict[str, dict[str, Any]] = {key: {key: True} for key in ("oblate", "moon", "sun")}
    for key, more in kinds.items():
        yield f"orbit.{key}", _apart([_end(in_orbit(m, _ORBIT, epoch=_EPOCH, **more)) for m in pair], tide)
    v, s = _ORBIT.motion(0.0)[1], sun_position(_EPOCH)
    wind, sun = (tuple(x / np.linalg.norm(x)) for x in (v, s))
    names = [m.joints[0].child for m in pair]
    air = [Drag("drag", n, _ORBIT, area=_AREA[n], normal=wind, density=3.6e-14) for n in names]
    light = [SolarPressure("light", n, area=_AREA[n], normal=sun, sun=sun) for n in names]
    for key, forces in (("drag", air), ("light", light)):
        yield f"orbit.{key}", _apart([_end(m, [f]) for m, f in zip(pair, forces, strict=True)], plain)
    yield "orbit.gradient", _turn(_end(in_orbit(chaser, _ORBIT)))
    across = tuple(10.0 * _ORBIT.axes[:, 2])
    yield "orbit.magnetic", _turn(_end(chaser, [MagneticTorque("dipole", "base", _ORBIT, across, _EPOCH)]))


def _end(machine: Machine, fields: Sequence[ForceField] = ()) -> Array:
    """Coordinates at the end of a capture, from rest."""
    above = _ABOVE * _ORBIT.axes[:, 0] if machine.joints[0].child == "debris" else np.zeros(3)
    whole = machine.with_(fields=(*machine.fields, *fields))
    run = simulate(equations(whole, backend="vm"), duration=_TIME, q0=[*above, 1, 0, 0, 0], **_FINE)
    return np.asarray(run.x[-1, :7])


def _apart(now: Sequence[Array], before: Sequence[Array]) -> float:
    """How far the way from chaser to debris has changed [mm]."""
    a, b = (x[1][:3] - x[0][:3] for x in (now, before))
    return 1e3 * float(np.linalg.norm(a - b))


def _turn(q: Array) -> float:
    return float(np.degrees(2.0 * np.arcsin(np.linalg.norm(q[4:7]))))


def _near(end: Array) -> float:
    """The debris against the closed form of Clohessy and Wiltshire, from the world's origin."""
    n = _ORBIT.mean_motion
    near = (clohessy_wiltshire(n, _TIME) @ [_ABOVE, 0.0, 0.0, 0.0, -_ABOVE * n, 0.0])[:3]
    c, s = np.cos(n * _TIME), np.sin(n * _TIME)
    turned = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ near
    return float(np.linalg.norm(end - _ORBIT.axes @ turned))
