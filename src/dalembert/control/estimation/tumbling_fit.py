"""Most probable motion of a freely tumbling body in a sequence of pictures, by Gauss-Newton steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dalembert.control.estimation.tumbling_motion import apart, moved, sight, stepped
from dalembert.core.errors import ConvergenceError
from dalembert.core.types import Array

__all__ = ["Fit"]

_ROUNDS, _SMALL = 40, 1e-6
_ROUGH = 1e-2  # change of the state at which a fit to a part of the pictures is good enough for the next part
_START = 4.0  # time over which a motion is fitted first [s]
_FAR = 0.5  # largest change of a number of the state in a step


@dataclass(frozen=True)
class Fit:
    """Motions that are fitted to pictures.

    Parameters
    ----------
    markers
        Points on the body (n, 3).
    lens, size
        Focal length in pixels and baseline of the camera; standard deviation of a pixel.
    pictures
        Times, markers, pixels and poses of the camera, in order.
    """

    markers: Array
    lens: Array
    size: float
    pictures: Sequence[tuple[float, Array, Array, Array]]

    def best(self, guesses: Sequence[tuple[float, Array, Array]]) -> tuple[Array, Array]:
        """State and covariance at the last picture, of the motion that fits best from several guesses.

        Parameters
        ----------
        guesses
            Time before the pictures, state and covariance then.
        """
        found = [self._fitted(*guess) for guess in guesses]
        misfit, change, x, P = min(found, key=lambda one: one[0])
        if not np.isfinite(misfit):
            change = min(one[1] for one in found)
            raise ConvergenceError(
                f"the pictures do not fit the motion of a free body: after {_ROUNDS} steps the state still changes by "
                f"{change:.2g}"
            )
        return x, P

    def _fitted(self, t: float, guess: Array, covariance: Array) -> tuple[float, float, Array, Array]:
        """Misfit, last change, state and covariance at the end, from a guess; the misfit is infinite if it fails."""
        known = np.linalg.inv(covariance)
        times = np.array([p[0] for p in self.pictures])
        x, change, until = guess, np.inf, times[0]
        while until < times[-1]:
            until = min(t + max(2.0 * (until - t), _START), times[-1])
            few, small = self.pictures[: int(np.searchsorted(times, until, side="right"))], _ROUGH
            if len(few) == len(self.pictures):
                small = _SMALL
            for _ in range(_ROUNDS):
                N, g, _, _, _ = self._through(x, t, few)
                step = np.asarray(np.linalg.solve(N + known, g + known @ apart(x, guess)), dtype=float)
                change = float(np.abs(step).max())
                if not np.isfinite(change):
                    return np.inf, np.inf, guess, covariance
                x = moved(x, step * min(1.0, _FAR / max(change, _FAR)))
                if change < small:
                    break
        if not change < _SMALL:
            return np.inf, change, guess, covariance
        N, _, end, F, misfit = self._through(x, t, self.pictures)
        away = apart(x, guess)
        P = F @ np.linalg.inv(N + known) @ F.T
        return misfit + float(away @ known @ away), change, end, np.asarray(0.5 * (P + P.T))

    def _through(
        self, x: Array, t: float, pictures: Sequence[tuple[float, Array, Array, Array]]
    ) -> tuple[Array, Array, Array, Array, float]:
        """Information and its gradient at the start; state, matrix of its errors and misfit at the end of a motion."""
        N, g, F, misfit = np.zeros((17, 17)), np.zeros(17), np.eye(17), 0.0
        for time, chosen, pixels, C in pictures:
            x, step = stepped(x, time - t)
            t, F = time, step @ F
            if not np.isfinite(x).all():
                return N, np.full(17, np.nan), x, F, np.inf
            if not len(chosen):
                continue
            expected, H = sight(len(chosen))(x, C, self.markers[chosen], self.lens)
            A, left = H @ F / self.size, (pixels.ravel() - expected) / self.size
            N += A.T @ A
            g += A.T @ left
            misfit += float(left @ left)
        return N, g, x, F, misfit
