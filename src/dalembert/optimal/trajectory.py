"""Solutions of plans as functions of time: piecewise polynomials between the points of a grid."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array
from dalembert.optimal.lobatto import Lobatto, lobatto

__all__ = ["PlanPiece", "PlanTrajectory"]


@dataclass(frozen=True, eq=False)
class PlanPiece:
    """A segment of a solution: a smooth motion on a grid.

    Parameters
    ----------
    phase
        Number of its phase.
    start, duration
        Its time.
    widths
        Widths of its intervals as parts of its duration.
    points
        Points of an interval.
    q, v, a, u, force, rates
        Coordinates, velocities, accelerations, inputs, multipliers and rates of the coordinates at all points.
    columns
        All unknowns at all points.
    """

    phase: int
    start: float
    duration: float
    widths: Array
    points: int
    q: Array
    v: Array
    a: Array
    u: Array
    force: Array
    rates: Array
    columns: Array

    @property
    def end(self) -> float:
        """Time at which it ends."""
        return self.start + self.duration

    @property
    def method(self) -> Lobatto:
        """Its collocation."""
        return lobatto(self.points)

    @cached_property
    def nodes(self) -> Array:
        """Times between intervals."""
        return self.start + self.duration * np.concatenate([[0.0], np.cumsum(self.widths)])

    @cached_property
    def t(self) -> Array:
        """Times of all points."""
        inside = self.nodes[:-1, None] + (self.duration * self.widths)[:, None] * self.method.c[:-1]
        return np.concatenate([inside.ravel(), self.nodes[-1:]])

    def _located(self, t: Array) -> tuple[NDArray[np.int64], Array, NDArray[np.int64]]:
        """Interval, fraction of it, and its points, of times (n)."""
        k = np.clip(np.searchsorted(self.nodes, t, side="right") - 1, 0, len(self.widths) - 1).astype(np.int64)
        x = np.clip((t - self.nodes[k]) / (self.duration * self.widths[k]), 0.0, 1.0)
        return k, x, k[:, None] * (self.points - 1) + np.arange(self.points)

    def through(self, values: Array, t: Array) -> Array:
        """Values (n, k) at times (n) of the polynomials through values at the points."""
        _, x, rows = self._located(t)
        return np.einsum("ni,nik->nk", self.method.values(x), values[rows])

    def slopes(self, values: Array) -> Array:
        """Rates (n, k) at the points of the polynomials through values there; at nodes the mean of both sides."""
        s, rates, count = self.points - 1, np.zeros_like(values), np.zeros((len(values), 1))
        for k, width in enumerate(self.widths):
            rows = slice(k * s, (k + 1) * s + 1)
            rates[rows] += self.method.slopes @ values[rows] / (self.duration * width)
            count[rows] += 1.0
        return rates / count

    def integrated(self, values: Array, slopes: Array, t: Array) -> Array:
        """Values (n, k) at times (n) of the polynomials with given slopes at the points."""
        k, x, rows = self._located(t)
        h = self.duration * self.widths[k]
        step = np.einsum("ni,nik->nk", self.method.integrals(x), slopes[rows])
        return values[rows[:, 0]] + h[:, None] * step


@dataclass(frozen=True, eq=False)
class PlanTrajectory:
    """Pieces one after the other.

    Parameters
    ----------
    pieces
        The pieces.
    quaternions
        Places of unit quaternions in the coordinates.
    static
        Places in coordinates and in velocities of those that follow their loads: polynomials through their values.
    """

    pieces: tuple[PlanPiece, ...]
    quaternions: tuple[slice, ...] = ()
    static: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())

    def evaluate(self, what: str, t: Array) -> Array:
        """``"q"``, ``"v"``, ``"a"``, ``"u"``, ``"force"`` at times (...); held before the start and after the end."""
        times = np.asarray(t, dtype=float)
        flat = np.clip(times.ravel(), self.pieces[0].start, self.pieces[-1].end)
        starts = np.array([p.start for p in self.pieces])
        place = np.clip(np.searchsorted(starts, flat, side="right") - 1, 0, len(self.pieces) - 1)
        out: Array | None = None
        for k in np.unique(place):
            chosen = place == k
            values = self.of_piece(self.pieces[int(k)], what, flat[chosen])
            if out is None:
                out = np.zeros((len(flat), values.shape[1]))
            out[chosen] = values
        assert out is not None
        return out.reshape(*times.shape, -1)

    def of_piece(self, piece: PlanPiece, what: str, t: Array) -> Array:
        """Values of one piece at times inside of it."""
        if what == "q":
            q = piece.integrated(piece.q, piece.rates, t)
            for rows in self.quaternions:
                q[:, rows] /= np.linalg.norm(q[:, rows], axis=1, keepdims=True)
            return self._through_static(q, piece, piece.q, 0, t)
        if what == "v":
            return self._through_static(piece.integrated(piece.v, piece.a, t), piece, piece.v, 1, t)
        return piece.through(getattr(piece, what), t)

    def _through_static(self, values: Array, piece: PlanPiece, points: Array, which: int, t: Array) -> Array:
        places = list(self.static[which])
        if places:
            values[:, places] = piece.through(points[:, places], t)
        return values
