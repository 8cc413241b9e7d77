"""Case study I of IMPACT: a flexible link that falls flat on its two ends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import factorial
from typing import Any

import casadi as ca
import numpy as np

from dalembert import Event, equations, simulate
from dalembert.core.types import Array, Expression
from dalembert.formulations import ContactImpact
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model import Beam, Machine, Shape
from dalembert.simulation.run import Run
from dalembert.systems.falling_chains import falling_chain

__all__ = ["EXACT", "HEIGHT", "PRINTED", "Fall", "fall", "falling_link", "free_link", "modal_rate_after"]

EXACT = (4.730040744862704, 1.017809410683)
"""Root of ``cos b cosh b = 1`` and ``(cosh b - cos b)/(sinh b - sin b)``: the first mode of a clamped beam."""
PRINTED = (4.731, 1.017)
"""Values that the document prints: its shape does not end at zero."""

HEIGHT, UP = 0.5, (0.0, 1.0, 0.0)


@dataclass(frozen=True, eq=False)
class Fall:
    """Times of the impacts, the impacts themselves, and the run."""

    times: tuple[float, ...]
    impacts: tuple[ContactImpact, ...]
    run: Run


def falling_link(mode: tuple[float, float] | None) -> Machine:
    """The link with the shape ``sin bx - c cos bx - sinh bx + c cosh bx`` (63); rigid without one.

    Its sections turn with the link, not with its bending, as in (4).
    """
    if mode is None:
        return falling_chain(1, 0)
    return _with(falling_chain(1, 1, rotary_inertia="rigid"), modes=(("y", (_shape(*mode),)),))


def free_link(modes: int = 1) -> Machine:
    """The link with the first modes of a free beam, whose ends move: the start is an additional station."""
    return _with(falling_chain(1, modes, boundary="free-free", rotary_inertia=False), stations=(("start", 0.0),))


def _with(chain: Machine, **fields: Any) -> Machine:
    beam = chain.bodies[0]
    assert isinstance(beam, Beam)
    return chain.with_(bodies=[replace(beam, **fields)])


def _shape(b: float, c: float) -> Shape:
    """The shape as a power series, exact to rounding."""
    signs = {0: 0.0, 1: 0.0, 2: 2.0 * c, 3: -2.0}  # of x^k / k!, k modulo 4
    return Shape.polynomial(1.0, [signs[k % 4] * b**k / factorial(k) for k in range(40)])


def fall(machine: Machine, duration: float) -> Fall:
    """Let a link fall, with e = 1, and find every impact."""
    eom = equations(machine)
    n, start = eom.nq, "link1.start" if "link1.start" in machine.tree.frames else "link1"
    frames = (start, "link1.tip")
    times: list[float] = []
    impacts: list[ContactImpact] = []
    events = [Event(frame, partial(_height, eom, frame), direction=-1) for frame in frames]

    def bounce(t: float, x: Array, names: tuple[str, ...]) -> Array:
        touching = [frame for frame in frames if frame in names or abs(eom.pose(frame, x[:n])[1, 3]) < 1e-9]
        impacts.append(eom.impact(x[:n], x[n : 2 * n], dict.fromkeys(touching, UP), 1.0))
        times.append(t)
        x[n : 2 * n] = impacts[-1].v
        return x

    run = simulate(
        eom,
        duration=duration,
        q0={"base.y": HEIGHT},
        events=events,
        on_event=bounce,
        method="dopri5",
        rtol=1e-11,
        atol=1e-13,
        record=5e-4,
    )
    return Fall(tuple(times), tuple(impacts), run)


def _height(eom: EquationsOfMotion, frame: str, t: Expression, q: Expression, v: Expression) -> Expression:
    return ca.substitute(eom.symbolic.pose(frame)[1, 3], eom.symbolic.q, q)


def modal_rate_after(mode: tuple[float, float]) -> float:
    """Rate of the modal coordinate after the first impact, ``-2 g t int phi / int phi^2``, by quadrature of (63)."""
    b, c = mode
    x, w = np.polynomial.legendre.leggauss(60)
    x, w = (x + 1) / 2, w / 2
    phi = np.sin(b * x) - c * np.cos(b * x) - np.sinh(b * x) + c * np.cosh(b * x)
    return float(-2 * np.sqrt(2 * 9.81 * HEIGHT) * (w @ phi) / (w @ phi**2))
