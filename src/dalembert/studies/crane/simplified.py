"""The simplified models of CRANE against the full one, and its horizontal coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dalembert import equations, simulate
from dalembert.core.types import Array
from dalembert.systems.cranes import (
    LumpedCable,
    crane_coordinates,
    document_order,
    hanging,
    planar_crane,
    simplified_crane,
    sway_omega,
    uniform_cable,
)

__all__ = ["simplified_errors", "simplified_models"]


def simplified_errors(
    angles: str, sway: float, *, hoisting: float = 0.05, duration: float = 3.0
) -> tuple[Array, Array]:
    """Time, and difference of the first angle from the full model of a hoisted crane with two links.

    Parameters
    ----------
    angles
        The simplification, as in `simplified_crane`.
    sway
        Angle at the start [rad].
    hoisting
        Part of the weight by which the winch pulls more than it has to.
    duration
        Duration of the runs [s].
    """
    crane = planar_crane(uniform_cable(2, 8.0, payload=50.0, mass=9.0), lengths="hoisted")
    pull = -9.81 * 56.75 * (1 + hoisting)
    options: dict[str, Any] = {"duration": duration, "method": "dopri5", "rtol": 1e-11, "record": 0.05}
    runs = [
        simulate(eom, q0=hanging(crane, theta1=sway), control=[0.0, pull], **options)
        for eom in (simplified_crane(crane, angles), equations(crane))
    ]
    return runs[0].t, runs[0]["theta1"] - runs[1]["theta1"]


def simplified_models() -> Iterator[tuple[str, float]]:
    """Rows on the simplified models."""
    for angles in ("first", "zeroth"):
        error = [np.abs(simplified_errors(angles, sway)[1]).max() for sway in (0.02, 0.01)]
        yield f"small.{angles}", float(np.log2(error[0] / error[1]))
    yield from _two_links()
    error = []
    for mass in (0.2, 0.1):
        w = sway_omega(planar_crane(uniform_cable(5, 5.0, payload=50.0, mass=mass)))[0]
        error.append(w / np.sqrt(9.81 / 5.0) - 1)
    yield "large.order", float(np.log2(error[0] / error[1]))
    yield from _horizontal()


def _two_links() -> Iterator[tuple[str, float]]:
    """(143)-(147), with m_2 in m_32, and (148)-(153), as printed."""
    m, m1, m2 = 5.0, 3.0, 4.0
    crane = planar_crane(LumpedCable(masses=[m1, m2], lengths=[2.0, 1.5]), trolley=m, lengths="variable")
    q = np.array([0.3, 0.4, -0.7, 2.2, 1.3])
    _, t1, t2, l1, l2 = q
    c1, s1, c2, s2, c12, s12 = (f(x) for x in (t1, t2, t1 + t2) for f in (np.cos, np.sin))
    large = [
        [m + m2, m2 * (l1 * c1 + l2 * c12), m2 * l2 * c12, m2 * s1, m2 * s12],
        [0, m2 * (l1**2 + l2**2 + 2 * l1 * l2 * c2), m2 * l1 * l2 * c2 + m2 * l2**2, -m2 * l2 * s2, m2 * l1 * s2],
        [0, 0, m2 * l2**2, -m2 * l2 * s2, 0],
        [0, 0, 0, m2, m2 * c2],
        [0, 0, 0, 0, m2],
    ]
    zeroth = [
        [m + m1 + m2, m1 * l1 + m2 * (l1 + l2), m2 * l2, 0, 0],
        [0, m1 * l1**2 + m2 * l1**2 + m2 * l2**2 + 2 * m2 * l1 * l2, m2 * l1 * l2 + m2 * l2**2, 0, 0],
        [0, 0, m2 * l2**2, 0, 0],
        [0, 0, 0, m1 + m2, m2],
        [0, 0, 0, 0, m2],
    ]
    order = document_order(crane)
    reordered = np.empty(5)
    reordered[order] = q
    for key, angles, printed in (("large", "exact", large), ("zeroth", "zeroth", zeroth)):
        eom = simplified_crane(crane, angles, large_payload=key == "large", backend="vm")
        upper = np.triu(np.array(printed))
        symmetric = upper + np.triu(upper, 1).T
        ours = eom.mass_matrix(reordered)[np.ix_(order, order)]
        yield f"two.{key}", float(np.abs(ours - symmetric).max() / np.abs(symmetric).max())


def _horizontal() -> Iterator[tuple[str, float]]:
    """M_x by (187)-(191), with sines for angles; a run up to the posture that the coordinates do not have."""
    cable = LumpedCable(masses=[3.0, 5.0], lengths=[2.0, 1.5], axial_stiffness=2e3)
    crane = planar_crane(cable, lengths="variable", winches=0, trolley=20.0)
    eom = equations(crane, coordinates=crane_coordinates(crane, "horizontal"), backend="vm")
    plain = equations(crane, coordinates=crane_coordinates(crane), backend="vm")
    theta, l = np.array([0.3, 0.4]), np.array([2.1, 1.4])
    a = np.cumsum(theta)
    Q = np.eye(5)
    Q[3:, 0] = 1.0
    Q[3:, 1:3] = [[l[0] * np.cos(a[0]), 0.0], [l @ np.cos(a), l[1] * np.cos(a[1])]]
    Q[3:, 3:] = [[np.sin(a[0]), 0.0], [np.sin(a[0]), np.sin(a[1])]]
    inverse = np.linalg.inv(Q)
    expected = inverse.T @ plain.mass_matrix([0.0, *theta, *l]) @ inverse
    x = np.cumsum(l * np.sin(a))
    ours = eom.mass_matrix([0.0, *theta, *x])
    yield "horizontal.mass", float(np.abs(ours - expected).max() / np.abs(expected).max())
    start = hanging(crane, theta1=0.3, theta2=0.2)
    options: dict[str, Any] = {"q0": start, "method": "dopri5", "rtol": 1e-10, "record": 0.01}
    run = simulate(eom, duration=3.0, **options)
    full = simulate(crane, duration=float(run.t[-1]), **options)
    yield "horizontal.run", float(np.abs(run["theta1"] - full["theta1"]).max())
    yield "horizontal.stop", float(full["theta1"][-1] + full["theta2"][-1])
