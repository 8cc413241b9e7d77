"""One manoeuvre, several laws: a crane of many links carries its payload from rest to rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert import PD, Machine, Quintic, Run, equations, simulate
from dalembert.analysis.linearize import law_gain, linearize
from dalembert.control.lqr import design_lqr
from dalembert.control.underactuated import EnergyRegulation, PartialFeedbackLinearization
from dalembert.core.parameter import Scalar
from dalembert.core.ports import Law
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.plan.flat import SmoothStep
from dalembert.plan.shaping import SCurve, ei, zv, zvd
from dalembert.systems.cranes import (
    DesignedOn,
    PayloadTransport,
    planar_crane,
    residual_sway,
    sway_angle,
    sway_omega,
    uniform_cable,
)

__all__ = [
    "TASK",
    "Manoeuvre",
    "Performance",
    "compare_transport",
    "ei_excitation",
    "laws",
    "perform",
    "spill_over",
    "transport_crane",
    "transport_table",
]


@dataclass(frozen=True)
class Manoeuvre:
    """From rest at 0 to rest at ``distance``; the sway after ``time`` is residual, watched for ``watch`` seconds.

    ``sway`` is the residual sway that a design may plan for, in degrees: half of the 0.5 degrees that are required.
    """

    distance: float = 5.0
    time: float = 8.0
    watch: float = 8.0
    sway: float = 0.25


TASK = Manoeuvre()


@dataclass(frozen=True, eq=False)
class Performance:
    """Performance of a law in the manoeuvre.

    Parameters
    ----------
    law
        Its name.
    settled
        Time after which the payload stays within 2 cm of its place [s]; infinite if it does not.
    peak_sway, residual_sway
        Largest angle of the line from trolley to payload, during and after the manoeuvre [degrees].
    force
        Largest force on the trolley [N].
    run
        The run.
    """

    law: str
    settled: float
    peak_sway: float
    residual_sway: float
    force: float
    run: Run


def transport_crane(n: int, *, payload: Scalar = 500.0, length: Scalar = 5.0) -> Machine:
    """The crane of the comparison: trolley 200 kg, 5 m of cable with 20 kg, payload 500 kg, ``n`` links.

    Examples
    --------
    >>> from dalembert.studies import transport_crane
    >>> print(transport_crane(2))
    machine 'crane-2': ... bodies (720 kg), 3 degrees of freedom, 1 motor, 0 parameters
    """
    return planar_crane(uniform_cable(n, length, payload=payload, mass=20.0), trolley=200.0, name=f"crane-{n}")


def laws(plant: Machine, task: Manoeuvre = TASK) -> dict[str, Law]:
    """The laws that are compared; their gains are the same for every number of links.

    Without sway control: a proportional-derivative law on a quintic, and partial feedback linearisation on an S-curve.
    With it: the same behind input shapers, on the flat reference of the payload, a regulator designed on one link, and
    energy-based regulation with gains that damp the pendulum of one link best. An EI shaper admits 5 % of the
    excitation of the S-curve behind it, as is usual, or the share that leaves ``task.sway``.
    """
    D, T = task.distance, task.time
    w = float(sway_omega(plant)[0])
    one = transport_crane(1)
    load = SmoothStep([0.0], [D], T)
    laws_by_name: dict[str, Law] = {
        "PD, quintic": PD(4000.0, 4000.0, Quintic([0.0], [D], T)),
        "PFL, S-curve": PartialFeedbackLinearization(9.0, 6.0, SCurve.timed([0.0], [D], T)),
    }
    shapers = {"ZV-shaped S-curve": zv(w), "ZVD-shaped S-curve": zvd(w), "EI-shaped S-curve (5 %)": ei(w)}
    admitted = np.radians(task.sway) / ei_excitation(plant, task)
    shapers[f"EI-shaped S-curve ({task.sway:g}°)"] = ei(w, tolerance=float(admitted))
    for name, shaper in shapers.items():
        shaped = shaper(SCurve.timed([0.0], [D], T - shaper.duration))
        laws_by_name[f"PFL, {name}"] = PartialFeedbackLinearization(9.0, 6.0, shaped)
    laws_by_name["PFL, flat reference"] = PartialFeedbackLinearization(9.0, 6.0, PayloadTransport(plant, load).trolley)
    weights: dict[str, Any] = {"Q": {"x": 1.0, "theta1": 100.0, "x_dot": 1.0}, "R": 1e-6}
    reference = PayloadTransport(one, load)
    laws_by_name["LQR of one link"] = DesignedOn(design_lqr(one, reference=reference, **weights), one)
    laws_by_name["energy, set point"] = EnergyRegulation(kp=412.0, kd=917.0, reference=[D])
    return laws_by_name


def ei_excitation(plant: Machine, task: Manoeuvre = TASK) -> float:
    """Sway [rad] that the S-curve behind an EI shaper would leave without it, by linear theory."""
    period = 2 * np.pi / float(sway_omega(plant)[0])
    return float(residual_sway(plant, SCurve.timed([0.0], [task.distance], task.time - period), task.time)[0])


def compare_transport(
    plant: Machine, chosen: Mapping[str, Law] | None = None, task: Manoeuvre = TASK
) -> list[Performance]:
    """Run the manoeuvre under each law.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.studies import compare_transport, transport_crane
    >>> law = da.PD(4000.0, 4000.0, da.Quintic([0.0], [5.0], 8.0))
    >>> rows = compare_transport(transport_crane(1), {"PD": law})
    >>> rows[0].law, rows[0].peak_sway < 6.0  # degrees
    ('PD', True)
    """
    eom = equations(plant)
    return [perform(eom, name, law, task) for name, law in (laws(plant, task) if chosen is None else chosen).items()]


def perform(
    eom: EquationsOfMotion, name: str, law: Law, task: Manoeuvre = TASK, p: Mapping[str, float] | None = None
) -> Performance:
    """Run the manoeuvre under one law, on a crane with other parameters if ``p`` is given."""
    run = simulate(eom, duration=task.time + task.watch, control=law, step=2e-3, record=0.02, p=p)
    q = run.array(eom.machine.q_names)
    sway = np.degrees(sway_angle(eom, q, p=p))
    late = run.t >= task.time - 1e-9
    away = np.abs(eom.pose("payload", q, p=p)[:, 0, 3] - task.distance) > 0.02
    settled = float(run.t[np.flatnonzero(away)[-1] + 1]) if not away[-1] else float("inf")
    force = float(np.abs(run["u.F"]).max())
    return Performance(name, settled, float(sway.max()), float(sway[late].max()), force, run)


def transport_table(rows: list[Performance]) -> str:
    """The comparison as text.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.studies import compare_transport, transport_crane, transport_table
    >>> law = da.PD(4000.0, 4000.0, da.Quintic([0.0], [5.0], 8.0))
    >>> print(transport_table(compare_transport(transport_crane(1), {"PD": law})))
    law                                settled  peak sway   residual    force
    PD                                   never ...°  ...° ... N
    """
    lines = [f"{'law':32} {'settled':>9} {'peak sway':>10} {'residual':>10} {'force':>8}"]
    for r in rows:
        settled = f"{r.settled:7.2f} s" if np.isfinite(r.settled) else "never"
        sways = f"{r.peak_sway:8.2f}°  {r.residual_sway:8.3f}°"
        lines.append(f"{r.law:32} {settled:>9} {sways} {r.force:6.0f} N")
    return "\n".join(lines)


def spill_over(design_links: int, counts: tuple[int, ...] = (1, 2, 3, 5, 10)) -> dict[int, float]:
    """Rightmost pole of cranes of several numbers of links, under a regulator designed on fewer [1/s].

    A positive one is instability that the design's model does not show: it measures modes that it does not know.
    """
    design = transport_crane(design_links)
    law = DesignedOn(design_lqr(design, Q={"x": 1.0, "theta1": 10.0, "x_dot": 1.0}, R=1e-6), design)
    poles = {}
    for n in counts:
        if n >= design_links:
            eom = equations(transport_crane(n))
            plant = linearize(eom)
            closed = np.asarray(plant.A) + np.asarray(plant.B) @ law_gain(eom, law)
            poles[n] = float(np.linalg.eigvals(closed).real.max())
    return poles
