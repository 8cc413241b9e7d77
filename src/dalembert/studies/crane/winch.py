"""Sway damped by the winch alone: CRANE 1.5 (5), Proposition 1, (185)."""

from __future__ import annotations

from collections.abc import Iterator

import casadi as ca
import numpy as np

from dalembert import equations, simulate
from dalembert.control.underactuated import PartialFeedbackLinearization
from dalembert.core.types import Array
from dalembert.simulation.run import Run
from dalembert.systems.cranes import (
    WinchSwayDamping,
    hanging,
    planar_crane,
    spatial_crane,
    sway_energy,
    sway_omega,
    uniform_cable,
    winch_reach,
)

__all__ = ["parametric_rates", "winch_run", "winch_sway"]


def winch_run(links: int, *, depth: float = 0.02, duration: float = 60.0) -> tuple[Run, Array]:
    """A sway of 0.2 rad that the winch damps, and the energy of the sway along it.

    Parameters
    ----------
    links
        Number of links of the cable of 5 m and 4 kg, which carries 50 kg.
    depth
        Amplitude of the length, as a part of the length of the cable.
    duration
        Duration of the run [s].
    """
    crane = planar_crane(uniform_cable(links, 5.0, payload=50.0, mass=4.0), lengths="hoisted")
    run = simulate(
        crane,
        duration=duration,
        q0=hanging(crane, theta1=0.2),
        control=WinchSwayDamping(depth=depth),
        method="dopri5",
        rtol=1e-10,
        record=0.05,
    )
    return run, sway_energy(crane, run)


def parametric_rates(depth: float) -> tuple[float, float]:
    """Rates of growth and decay of the sway of one link while ``l = l_0 (1 + depth cos(2 w t))`` [1/s].

    From the two multipliers of one period of the length, by Floquet's theory.
    """
    crane = planar_crane(uniform_cable(1, 5.0, payload=50.0), lengths="hoisted")
    w = float(sway_omega(crane)[0])
    law = PartialFeedbackLinearization(9.0, 6.0, lambda t: [0 * t, 5.0 * (1 + depth * ca.cos(2 * w * t))])
    columns, small, eom = [], 1e-6, equations(crane)
    for start in ({"theta1": small}, {"theta1_dot": small * w}):
        q0 = hanging(crane, l1=5.0 * (1 + depth), theta1=start.get("theta1", 0.0))
        v0 = {name: value for name, value in start.items() if name.endswith("dot")}
        run = simulate(eom, duration=np.pi / w, q0=q0, v0=v0, control=law, method="dopri5", rtol=1e-12, atol=1e-16)
        columns.append([run["theta1"][-1] / small, run["theta1_dot"][-1] / small / w])
    rates = np.log(np.abs(np.linalg.eigvals(np.array(columns).T))) * w / np.pi
    return float(rates.max()), float(rates.min())


def winch_sway(*, full: bool) -> Iterator[tuple[str, float]]:
    """Rows on the winch; the short form stops at three links."""
    growth, left = [], []
    for n in range(1, 11 if full else 4):
        _, energy = winch_run(n, duration=60.0 if full else 20.0)
        growth.append(np.diff(energy).max() / energy[0])
        left.append(energy[-1] / energy[0])
    yield "winch.energy", max(0.0, float(max(growth[:3])))
    if full:
        yield "winch.energy10", max(0.0, float(max(growth)))
        yield "winch.left", float(max(left))
    lost = 0
    for n in (1, 2, 5, 10):
        crane = planar_crane(uniform_cable(n, 5.0, payload=50.0, mass=4.0), lengths="hoisted")
        lost += sum(not row.damped for row in winch_reach(crane))
    yield "winch.plane", float(lost)
    space = spatial_crane(uniform_cable(2, 5.0, payload=50.0, mass=4.0), lengths="hoisted")
    yield "winch.circular", float(sum(not row.damped for row in winch_reach(space)))
    one = planar_crane(uniform_cable(1, 5.0, payload=50.0), lengths="hoisted")
    yield "winch.reach", winch_reach(one)[0].reach
    depth = 0.01
    rate = 3 / 4 * depth * float(sway_omega(one)[0])
    up, down = parametric_rates(depth)
    yield "winch.growth", up / rate
    yield "winch.decay", down / rate
