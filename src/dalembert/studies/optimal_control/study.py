"""Optima of small control problems, by plans of machines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dalembert.studies.optimal_control.problems import (
    brachistochrone,
    bryson_denham,
    double_integrator,
    least_energy,
    least_time,
    regulator,
    trapezoid,
    wall,
)

__all__ = ["results"]


def results(*, full: bool = True) -> Iterator[tuple[str, float]]:
    """Yield the key of each expected value and our value; the short form leaves out other data."""
    yield "double.cost", double_integrator()[0].cost
    plan, _ = bryson_denham()
    yield "bryson.cost", plan.cost
    yield "bryson.violation", float(plan.coordinates(np.linspace(0.0, 1.0, 20001)).max() * 9.0 - 1.0)
    yield "trapezoid.time", trapezoid()[0].duration
    yield "regulator.cost", regulator()[0].cost
    yield "crane.time", least_time()[0].duration
    yield "crane.energy", least_energy()[0].cost
    plan, _ = wall()
    yield "wall.cost", plan.cost
    yield "wall.time", plan.phases[0][2]
    yield "wire.time", brachistochrone()[0].duration
    if full:
        yield from _other_data()


def _other_data() -> Iterator[tuple[str, float]]:
    """Largest relative differences from the closed forms, with data drawn at random."""
    rng = np.random.default_rng(32)

    def draw(low: float, high: float) -> float:
        return float(rng.uniform(low, high))

    worst = dict.fromkeys(("double", "bryson", "trapezoid", "regulator", "energy", "time", "wall"), 0.0)
    for _ in range(3):
        v, a = draw(0.3, 1.0), draw(0.5, 2.0)
        speed, T = draw(0.5, 2.0), draw(0.5, 2.0)
        plan, (exact, _) = wall(draw(0.2, 0.8), draw(1.0, 3.0), draw(0.5, 2.0))
        found = {
            "double": double_integrator(draw(0.5, 3.0), draw(0.5, 2.0), draw(0.5, 3.0)),
            "bryson": bryson_denham(speed * T * draw(0.06, 0.15), speed, T),
            "trapezoid": trapezoid(v**2 / a + draw(0.3, 2.0), a, v),
            "regulator": regulator(draw(0.3, 3.0), draw(0.3, 3.0), draw(0.5, 2.0)),
            "energy": least_energy(draw(2.0, 8.0), draw(4.0, 8.0), draw(2.0, 6.0)),
            "time": least_time(draw(4.0, 6.0), draw(0.8, 1.2), draw(3.0, 5.0)),
            "wall": (plan, exact),
        }
        for name, (solved, value) in found.items():
            worst[name] = max(worst[name], abs(solved.cost / value - 1.0))
    for name, value in worst.items():
        yield f"other.{name}", value
