"""Limits that end an approach while the arm moves, and the run up to there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from dalembert.core.types import Array
from dalembert.simulation.run import EndState, Run
from dalembert.systems.space_robots.guidance import CaptureGuide
from dalembert.systems.space_robots.twins import ChaserTwins

__all__ = ["UNKNOWN", "GuardedGuide", "cut"]

UNKNOWN = 0.1  # standard deviation of the attitude of the debris at which an approach is given up [rad]
_TURNED = float(np.radians(0.5))  # angle of the base from its attitude at which its control is taken for lost
_NEAR_END = 0.02  # distance of a joint from the end of its range [rad, m]


@dataclass
class GuardedGuide:
    """Guidance of an approach that notes when a limit is near: from then on the approach does not count.

    Attributes
    ----------
    guide, twins, rows
        The guidance, the chaser, and the rows of the quaternion of its base and of its joints in the coordinates.
    abort
        When a limit was near first, and which one; None: none was.
    """

    guide: CaptureGuide
    twins: ChaserTwins
    rows: tuple[slice, Array]
    abort: tuple[float, str] | None = field(default=None)

    def __call__(self, t: float, q: Array, v: Array, s: Mapping[str, float]) -> Array:
        """Values to hold."""
        if self.abort is None:
            reason = self.near(q)
            if reason:
                self.abort = (t, reason)
        return self.guide(t, q, v, s)

    def near(self, q: Array) -> str:
        """The limit that is near in a state as it is measured; empty: none."""
        Q, wanted = q[self.rows[0]], np.asarray(self.guide.plan.attitude, dtype=float)
        angle = 2.0 * float(np.arccos(np.clip(abs(float(Q @ wanted)) / float(np.linalg.norm(Q)), 0.0, 1.0)))
        if angle > _TURNED:
            return f"the base is {np.degrees(angle):.2g} degrees from its attitude"
        estimate = self.guide.estimate
        if estimate is not None and estimate.deviation("attitude") > UNKNOWN:
            return f"the attitude of the debris is known to {estimate.deviation('attitude'):.2g} rad only"
        for name, x in zip(self.twins.joints, q[self.rows[1]], strict=True):
            limits = self.twins.machine.joint(name).limits
            if not limits.lower + _NEAR_END <= x <= limits.upper - _NEAR_END:
                return f"joint '{name}' is at {x:.3g}, near the end of its range"
        return ""


def cut(run: Run, t: float) -> Run:
    """The run up to its first row at a time or after it."""
    n = min(int(np.searchsorted(run.t, t - 1e-9)) + 1, len(run.t))
    return replace(
        run,
        t=run.t[:n],
        x=run.x[:n],
        y=run.y[:n],
        held=run.held[:n],
        events=tuple(e for e in run.events if e.t <= run.t[n - 1]),
        final=EndState(float(run.t[n - 1]), run.x[n - 1]),
    )
