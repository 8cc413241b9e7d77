"""Several cables instead of one, and the cable as a string: CRANE 1.1, 1.3 and 8.3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dalembert import simulate
from dalembert.analysis.linearize import linearize
from dalembert.analysis.modal import natural_frequencies
from dalembert.core.types import Array
from dalembert.systems.cranes import (
    LumpedCable,
    RitzCable,
    cable_sway_omega,
    hanging,
    linear_chain_omega,
    multi_cable_crane,
    planar_crane,
    sway_omega,
    uniform_cable,
)

__all__ = ["ritz_errors", "several_cables", "strings"]

G = 9.81


def several_cables() -> Iterator[tuple[str, float]]:
    """Rows on a payload that hangs on two or four cables."""
    l, (a, b, _) = 5.0, (2.0, 1.0, 0.5)
    pendulum, radius = np.sqrt(G / l), np.sqrt((a**2 + b**2) / 12)
    plane = multi_cable_crane(2, length=l)
    yield "multi.sway", 2 * np.pi * natural_frequencies(plane.lock(["x"]))[0] / pendulum
    two = natural_frequencies(multi_cable_crane(2, spatial=True, length=l).lock(["x", "y"]))
    yaw = a / 2 / radius * pendulum
    yield "multi.yaw", float(np.abs(2 * np.pi * two / yaw - 1).min())
    stiffness = 1e8
    four = multi_cable_crane(4, spatial=True, length=l, stiffness=stiffness)
    stretched = l * (1 + 500.0 * G / 4 / stiffness)
    yaw = np.hypot(a, b) / 2 / radius * np.sqrt(G / stretched)
    yield "multi.yaw4", float(np.abs(2 * np.pi * natural_frequencies(four.lock(["x", "y"])) / yaw - 1).min())
    start = 0.5
    options: dict[str, Any] = {"duration": 5.0, "method": "dopri5", "rtol": 1e-10, "record": 0.05}
    box = simulate(
        plane, q0={"load.x": l * np.sin(start), "load.y": l * (1 - np.cos(start))}, constraints="projection", **options
    )
    single = planar_crane(uniform_cable(1, l, payload=500.0), trolley=100.0)
    point = simulate(single, q0=hanging(single, theta1=start), **options)
    yield "multi.tilt", float(np.abs(box["load.angle"]).max())
    yield "multi.single", float(np.abs(box["load.x"] - l * np.sin(point["theta1"])).max() / l)


def ritz_errors(payload: float, basis: str = "polynomial", *, most: int = 10) -> tuple[Array, Array]:
    """Relative errors of the first three frequencies for 1 .. ``most`` functions, and for as many lumped masses.

    Parameters
    ----------
    payload
        Mass of the payload, of a cable of 4 kg and 5 m.
    basis
        Functions of the `RitzCable`.
    most
        Largest number of functions and masses.
    """
    length, mass = 5.0, 4.0
    exact = cable_sway_omega(3, length=length, mass=mass, payload=payload)
    errors = np.full((2, most, 3), np.nan)
    for n in range(1, most + 1):
        k = min(n, 3)
        smooth = RitzCable(n, length, mass, payload, G, basis).omega()[:k]
        lumped = _lumped_string(uniform_cable(n, length, payload=payload, mass=mass))[:k]
        errors[:, n - 1, :k] = np.abs(np.array([smooth, lumped]) / exact[:k] - 1)
    return errors[0], errors[1]


def _lumped_string(cable: LumpedCable) -> Array:
    """Frequencies of masses that move horizontally on a string under their weights (CRANE, end of 6.2.3)."""
    tension = G * np.cumsum(np.array(cable.masses)[::-1])[::-1]
    return linear_chain_omega(cable.masses, tension / np.array(cable.lengths))


def strings() -> Iterator[tuple[str, float]]:
    """Rows on the cable as a string."""
    frequencies = RitzCable(10, 5.0, 4.0).omega() * np.sqrt(5.0 / G)
    for key, value in zip(("first", "second", "third"), frequencies, strict=False):
        yield f"ritz.{key}", float(value)
    worse = 0
    for payload in (0.0, 4.0, 100.0):
        smooth, lumped = ritz_errors(payload)
        below = np.arange(1, 11)[:, None] > np.arange(1, 4)  # frequencies below the number of functions
        worse += int((smooth[below] >= lumped[below]).sum())
    yield "ritz.better", float(worse)
    smooth, lumped = ritz_errors(4.0, "sine")
    yield "ritz.sine", float(smooth[-1, 0] / lumped[-1, 0])
    rod = planar_crane(uniform_cable(1, 5.0, payload=6.0, mass=4.0, rods=True), trolley=20.0)
    ours, string = (
        np.sort(np.abs(np.linalg.eigvals(np.asarray(plant.A)).imag))[-1]
        for plant in (linearize(rod), RitzCable(1, 5.0, 4.0, 6.0).state_space(20.0))
    )
    yield "string.rod", float(abs(string / ours - 1))
    cable = LumpedCable(masses=[1.0, 2.0, 0.5, 9.0], lengths=[1.0, 0.7, 2.0, 0.4])
    yield "string.lumped", float(np.abs(_lumped_string(cable) / sway_omega(planar_crane(cable)) - 1).max())
