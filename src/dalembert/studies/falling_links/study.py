"""Impacts of the falling link: exact mode, rigid link, and the digits that the document prints of the mode."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dalembert import equations
from dalembert.studies.falling_links.contact import chain_results, free_impacts, on_ground, second_impact, span_results
from dalembert.studies.falling_links.link import (
    EXACT,
    HEIGHT,
    PRINTED,
    Fall,
    fall,
    falling_link,
    free_link,
    modal_rate_after,
)

__all__ = ["results"]

GRAVITY = 9.81


def results(*, full: bool = True) -> Iterator[tuple[str, float]]:
    """Yield the key of each expected value and our value; the short form leaves out the printed mode."""
    link = fall(falling_link(EXACT), 0.939)
    for key, k in (("first", 0), ("second", 3)):
        yield f"{key}.printed", link.times[k]
    for k in range(4):
        yield f"impact{k + 1}", link.times[k]
    after = link.impacts[0]
    yield "after.height", float(after.v[1] - np.sqrt(2 * GRAVITY * HEIGHT))
    yield "after.mode", float(after.v[3])
    yield "after.mode.closed", float(after.v[3] - modal_rate_after(EXACT))
    yield "energy", max(abs(hit.energy_lost) for hit in link.impacts) + link.run.energy.drift
    yield "angle", float(np.abs(link.run["base.angle"]).max())
    yield "share", _share(link)
    rigid = fall(falling_link(None), 0.96)
    yield "rigid", rigid.times[1]
    free = fall(free_link(), 0.967)
    for k in range(1, 5):
        yield f"free{k + 1}", free.times[k]
    yield "declared.second", second_impact(on_ground(falling_link(EXACT)))
    if not full:
        return
    yield from span_results()
    yield from chain_results()
    for name, modes in (("three", 3), ("five", 5)):
        yield f"free.{name}", free_impacts(modes)[1]
    printed = fall(falling_link(PRINTED), 1.0)
    for name, t in zip(("next", "last"), (t for t in printed.times if t > 0.4), strict=False):
        yield f"printed.{name}", t
    yield "printed.angle", float(np.abs(printed.run["base.angle"]).max())


def _share(link: Fall) -> float:
    """Part of the energy (heights from the ground) that is in the motion of the centre of mass after the chatter."""
    eom = equations(falling_link(EXACT))
    q, v = np.zeros(4), link.impacts[2].v
    k = int(np.searchsorted(link.run.t, link.times[2]))
    q[3] = float(link.run["link1.delta1"][k])
    mass, velocity = 1.0, eom.momentum(q, v)[1]
    height = float(eom.center_of_mass(q)[1])
    return float(mass * (velocity**2 / 2 + GRAVITY * height) / (mass * GRAVITY * HEIGHT))
