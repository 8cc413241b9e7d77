"""Initial value problems with known solutions, for the tests of the integrators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from dalembert.simulation import EventSpec, Problem
from dalembert.simulation.methods import METHODS

__all__ = [
    "Exact",
    "ball",
    "make_problem",
    "oscillator",
    "pendulum",
    "precession",
    "rational",
    "sampled_integrator",
    "stepping",
]


def make_problem(
    names: Sequence[str],
    rate: Callable[[Any, Any, Any, Any], Sequence[Any]],
    *,
    held: Sequence[str] = (),
    n_p: int = 0,
    signals: Callable[[Any, Any, Any, Any], dict[str, Any]] | None = None,
    events: Callable[[Any, Any, Any, Any], Sequence[Any]] | None = None,
    specs: Sequence[EventSpec] = (),
    quaternions: Sequence[int] = (),
    name: str = "",
) -> Problem:
    """Build a problem from Python functions of CasADi symbols."""
    arguments = [ca.SX.sym("t"), ca.SX.sym("x", len(names)), ca.SX.sym("c", len(held)), ca.SX.sym("p", n_p)]

    def function(label: str, values: Sequence[Any]) -> ca.Function:
        dense = ca.densify(ca.vertcat(*values)) if len(values) else ca.SX(0, 1)
        return ca.Function(label, arguments, [dense], ["t", "x", "c", "p"], ["out"])

    named = signals(*arguments) if signals else {}
    return Problem(
        state_names=tuple(names),
        ode=function("ode", rate(*arguments)),
        signals=function("signals", list(named.values())),
        signal_names=tuple(named),
        held_names=tuple(held),
        quaternions=tuple(quaternions),
        events=function("events", events(*arguments)) if events else None,
        event_specs=tuple(specs),
        name=name,
    )


@dataclass(frozen=True)
class Exact:
    """A problem and its solution."""

    problem: Problem
    solution: Callable[[float], np.ndarray]
    duration: float

    @property
    def x0(self) -> np.ndarray:
        return self.solution(0.0)


def rational() -> Exact:
    """x' = -2 t x^2, y' = y cos t, nonlinear and with explicit time: x = 1 / (1 + t^2), y = e^sin t."""
    problem = make_problem(("x", "y"), lambda t, x, c, p: (-2 * t * x[0] ** 2, x[1] * ca.cos(t)))
    return Exact(problem, lambda t: np.array([1 / (1 + t**2), np.exp(np.sin(t))]), 2.0)


def precession(a: float = 1.3, b: float = 0.8, d: float = 0.5) -> Exact:
    """Unit quaternion with body rate w = (a cos bt, -a sin bt, d + b).

    It is q = exp(w1 t / 2) exp(b t e_z / 2) with w1 = (a, 0, d).
    """

    def rate(t: Any, q: Any, c: Any, p: Any) -> Sequence[Any]:
        w = (a * ca.cos(b * t), -a * ca.sin(b * t), d + b)
        return (
            (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]) / 2,
            (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]) / 2,
            (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]) / 2,
            (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) / 2,
        )

    def solution(t: float) -> np.ndarray:
        r = np.hypot(a, d)
        s, k = np.sin(r * t / 2) / r, np.sin(b * t / 2)
        u0, u1, u3, w0 = np.cos(r * t / 2), a * s, d * s, np.cos(b * t / 2)
        return np.array([u0 * w0 - u3 * k, u1 * w0, -u1 * k, u0 * k + u3 * w0])

    return Exact(make_problem(("qw", "qx", "qy", "qz"), rate, quaternions=(0,)), solution, 3.0)


def oscillator(omega: float = 1.0) -> Exact:
    """x'' = -omega^2 x, from x = 1 at rest."""
    problem = make_problem(
        ("x", "v"),
        lambda t, x, c, p: (x[1], -(omega**2) * x[0]),
        signals=lambda t, x, c, p: {"energy.kinetic": x[1] ** 2 / 2, "energy.potential": omega**2 * x[0] ** 2 / 2},
    )
    return Exact(problem, lambda t: np.array([np.cos(omega * t), -omega * np.sin(omega * t)]), 2 * np.pi / omega)


def pendulum(**options: Any) -> Problem:
    """theta'' = -p sin theta, with its energies per unit inertia; the event ``"bottom"`` is its zero crossing."""
    settings: dict[str, Any] = {
        "signals": lambda t, x, c, p: {"energy.kinetic": x[1] ** 2 / 2, "energy.potential": -p * ca.cos(x[0])},
        "events": lambda t, x, c, p: (x[0],),
        "specs": (EventSpec("bottom"),),
        "name": "pendulum",
    }
    return make_problem(
        ("theta", "theta_dot"),
        lambda t, x, c, p: (x[1], -p * ca.sin(x[0])),
        n_p=1,
        **{**settings, **options},
    )


def ball(n: int = 1, *, terminal: bool = False, direction: int = -1) -> Problem:
    """n balls in free fall, height and velocity each; event ``"ground1"``, ... at height zero."""
    names = [f"{kind}{k + 1}" for k in range(n) for kind in ("height", "speed")]
    return make_problem(
        names,
        lambda t, x, c, p: [e for k in range(n) for e in (x[2 * k + 1], -9.81)],
        events=lambda t, x, c, p: [x[2 * k] for k in range(n)],
        specs=[EventSpec(f"ground{k + 1}", terminal=terminal, direction=direction) for k in range(n)],
    )


def sampled_integrator() -> Problem:
    """x' = c: the state shows what was held, and for how long."""
    return make_problem(("x",), lambda t, x, c, p: (c[0],), held=("rate",))


GENERAL_METHODS = tuple(
    name
    for name, kind in METHODS.items()
    if kind.contact is None and not kind.implicit and (kind.brings is None or not kind.brings.implicit)
)
"""Methods that integrate any problem; the others step through constraints or contacts only."""


def stepping(method: str, **settings: Any) -> dict[str, Any]:
    """A method with those of some settings of steps and tolerances that it uses."""
    used = METHODS[method].settings()
    return {"method": method, **{name: value for name, value in settings.items() if name in used}}
