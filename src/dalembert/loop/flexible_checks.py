"""Warnings about runs of flexible bodies: stiff modes under explicit steps, angles beyond small strains."""

from __future__ import annotations

import numpy as np

from dalembert.core.warn import warn
from dalembert.model.elastic.contract import Elastic
from dalembert.model.machine import Machine
from dalembert.simulation.methods import Method
from dalembert.simulation.run import Run

__all__ = ["warn_of_angles", "warn_of_stiff_modes"]

_APART = 1000.0
"""Ratio of the highest to the lowest frequency of a body beyond which explicit steps are wasted on the highest one."""

_BOUNDED = 2.83
"""Product of step and frequency beyond which explicit steps of order 4, and of lower orders, do not stay bounded."""


def _flexible(machine: Machine) -> list[Elastic]:
    return [body for body in machine.bodies if isinstance(body, Elastic)]


def warn_of_stiff_modes(machine: Machine, method: Method) -> None:
    """Warn of bodies whose highest mode limits explicit steps far below the lowest one."""
    if method.tableau is None:
        return
    for body in _flexible(machine):
        known = body.omega[np.isfinite(body.omega) & (body.omega > 0.0)]
        step = None if method.adaptive else getattr(method, "step", None)
        if known.size and step is not None and step * known.max() > 1.5 * _BOUNDED:
            warn(
                f"steps of {step:g} s by {method.name!r} may not stay bounded: the highest mode of {body.kind} "
                f"'{body.name}' has {known.max():.3g} rad/s, which allows {_BOUNDED / known.max():.2g} s; "
                f"use ImplicitMidpoint(step={step:g})"
            )
            continue
        if known.size and known.max() > _APART * known.min():
            warn(
                f"the highest mode of {body.kind} '{body.name}' has {known.max():.3g} rad/s, the lowest "
                f"{known.min():.3g}: steps of {method.name!r} follow the highest; ImplicitMidpoint(step=...) need not"
            )


def warn_of_angles(machine: Machine, run: Run) -> None:
    """Warn of sections that have turned further than the description of their body is valid, and of its doubts."""
    for body in _flexible(machine):
        if not body.n_modes or not all(name in run.names for name in body.q_names):
            continue
        delta = run.array(list(body.q_names))
        for doubt in body.doubts(delta):
            warn(doubt)
        if not np.isfinite(body.largest_angle):
            continue
        for section in body.section_names:
            angle = np.abs(delta @ body.section_modes(section)[3:].T).max(axis=0)
            if angle.max(initial=0.0) > body.largest_angle:
                warn(
                    f"section '{body.name}.{section}' has turned by {angle.max():.2g} rad; {body.kind} '{body.name}' "
                    f"has small strains, whose angles stay below {body.largest_angle:g} rad"
                )
