"""The problems as runs: how each starts, how long it lasts, by which method it is solved here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from dalembert import EquationsOfMotion, Machine, Run, equations, simulate
from dalembert.core.types import Array
from dalembert.systems.mechanisms import (
    ANDREWS_START,
    CAR_AXIS_START,
    andrews_squeezer,
    bricard_mechanism,
    car_axis,
    flyball_governor,
    four_bars,
    point_pendulum,
)

__all__ = ["PROBLEMS", "BenchmarkProblem", "four_bars_angle", "four_bars_problem", "pendulum_angle"]

ACCURATE = {"method": "dopri5", "rtol": 1e-11, "atol": 1e-13}
"""Adaptive steps, errors far below the compared differences."""


@dataclass(frozen=True)
class BenchmarkProblem:
    """A benchmark problem.

    Parameters
    ----------
    make
        Makes the machine.
    duration
        Duration of the run [s].
    q0, v0
        Coordinates and velocities at the start that are not zero.
    settings
        How it is solved here.
    """

    make: Callable[[], Machine]
    duration: float
    q0: Mapping[str, float] = field(default_factory=dict)
    v0: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=lambda: ACCURATE)

    @cached_property
    def equations(self) -> EquationsOfMotion:
        """Equations of the machine."""
        return equations(self.make())

    def run(self, record: float | None = None, **settings: Any) -> Run:
        """Solve it; settings replace those of the problem."""
        chosen: dict[str, Any] = {**(settings or self.settings), "record": record or self.duration}
        return simulate(self.equations, duration=self.duration, q0=dict(self.q0), v0=dict(self.v0), **chosen)


def four_bars_problem(n: int) -> BenchmarkProblem:
    """A02 with ``n`` linkages: the upper joints start at 1 m/s along x.

    Fixed steps: where all links lie on one line the constraints lose their rank for an instant, which the error
    estimate of adaptive steps takes for a jump.
    """
    cranks, couplers = {f"crank{k}_dot": -1.0 for k in range(n + 1)}, {f"coupler{k}_dot": 1.0 for k in range(n)}
    steps = {"method": "rk4", "step": 1e-3, "constraints": "baumgarte"}
    return BenchmarkProblem(lambda: four_bars(n), 10.0, v0=cranks | couplers, settings=steps)


PROBLEMS = {
    "A01": BenchmarkProblem(point_pendulum, 10.0, {"theta": np.pi}),
    "A02": four_bars_problem(2),
    "andrews": BenchmarkProblem(andrews_squeezer, 0.03, ANDREWS_START),
    "A04": BenchmarkProblem(bricard_mechanism, 10.0),
    "A05": BenchmarkProblem(
        flyball_governor, 10.0, {"s": 0.5, "swing1": np.pi / 6, "swing2": np.pi / 6}, {"spin_dot": 2 * np.pi}
    ),
    "caraxis": BenchmarkProblem(car_axis, 3.0, *CAR_AXIS_START),
}
"""The problems by name."""


def pendulum_angle(t: float) -> float:
    """Angle of A01 in closed form: from the horizontal, ``sin(a/2) = k sn(w t + K)`` with a = pi/2 at the start."""
    from scipy.special import ellipj, ellipk

    w, m = np.sqrt(9.81), np.sin(np.pi / 4) ** 2
    sn = ellipj(w * t + ellipk(m), m)[0]
    return float(1.5 * np.pi - 2 * np.arcsin(np.sin(np.pi / 4) * sn))


def four_bars_angle(n: int, t: Array) -> Array:
    """Angle of the cranks of A02 from upright, in closed form.

    All cranks turn alike and the couplers do not turn, so that ``I a'' = G sin a`` with ``I = (n + 1)/3 + n`` and
    ``G = g ((n + 1)/2 + n)``: a pendulum that goes over the top, ``a = pi + 2 am(W t/2 - K, 4 G/(I W^2))``.
    """
    from scipy.special import ellipj, ellipk

    stiffness = 4 * 9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    W = np.sqrt(1.0 + stiffness)
    m = stiffness / W**2
    return np.asarray(np.pi + 2 * ellipj(W * t / 2 - ellipk(m), m)[3])
