"""A scene along a run: positions and poses in numbers, exaggerated motion, sagging cables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array

__all__ = ["Baked", "exaggerated", "hanging_line", "interpolated", "sagging"]

SAG = 12  # pieces of the free part of a cable


@dataclass(frozen=True, eq=False)
class Baked:
    """A scene at many instants.

    Parameters
    ----------
    t
        Times (n).
    points
        World positions (n, points, 3).
    poses
        Rotation and position (n, poses, 3, 4).
    cables
        Way of each cable and rope by name, (n, m, 3).
    slack
        When each of them is slack (n).
    q
        Coordinates of the machine (n, nq).
    """

    t: Array
    points: Array
    poses: Array
    cables: Mapping[str, Array]
    slack: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    q: Array = field(default_factory=lambda: np.zeros((0, 0)))


def interpolated(t: Array, rows: Array, q: Array, quaternions: Sequence[int]) -> Array:
    """Coordinates at the times ``t`` from those at ``rows``; quaternions on the shorter way, normalised.

    A time that stands twice is before and after a jump.
    """
    q = q.copy()
    for start in quaternions:
        Q = q[:, start : start + 4]
        flips = np.sign(np.sum(Q[1:] * Q[:-1], axis=1))
        Q[1:] *= np.cumprod(np.where(flips == 0, 1.0, flips))[:, None]
    result = np.column_stack([np.interp(t, rows, column) for column in q.T])
    before = np.flatnonzero(np.diff(t) == 0)
    result[before] = q[np.minimum(np.searchsorted(rows, t[before], side="left"), len(rows) - 1)]
    for start in quaternions:
        result[:, start : start + 4] /= np.linalg.norm(result[:, start : start + 4], axis=1, keepdims=True)
    return result


def exaggerated(bent: tuple[Array, Array], straight: tuple[Array, Array], factor: float) -> tuple[Array, Array]:
    """Points and poses moved by ``factor`` times their way from the undeformed machine; rotations by as many times."""
    points = straight[0] + factor * (bent[0] - straight[0])
    poses = np.empty_like(bent[1])
    poses[..., 3] = straight[1][..., 3] + factor * (bent[1][..., 3] - straight[1][..., 3])
    turn = bent[1][..., :3] @ np.swapaxes(straight[1][..., :3], -1, -2)
    poses[..., :3] = _turned(turn, factor) @ straight[1][..., :3]
    return points, poses


def _turned(R: Array, factor: float) -> Array:
    """Rotations about the same axes by ``factor`` times the angles (Rodrigues)."""
    w = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1) / 2
    sine = np.linalg.norm(w, axis=-1)
    angle = np.arctan2(sine, (np.trace(R, axis1=-2, axis2=-1) - 1) / 2)
    axis = w / np.where(sine > 1e-14, sine, 1.0)[..., None]
    zero = np.zeros_like(sine)
    x, y, z = np.moveaxis(axis, -1, 0)
    K = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(*sine.shape, 3, 3)
    a = (factor * angle)[..., None, None]
    turned: Array = np.eye(3) + np.sin(a) * K + (1 - np.cos(a)) * (K @ K)
    return turned


def sagging(points: Array, slack: Array, gravity: Array, lines: Sequence[int]) -> Array:
    """Way of a cable or rope: its points, its longest free line hanging down as a parabola longer by ``slack``.

    Parameters
    ----------
    points
        Points (n, k, 3).
    slack
        By how much it is longer (n), zero where it is taut.
    gravity
        Acceleration of gravity; without any the cable bows along z.
    lines
        Places of the points at which free lines begin; the one that is longest at first hangs.
    """
    k = lines[hanging_line(points, lines)]
    a, b = points[:, k], points[:, k + 1]
    hangs = slack > 1e-9 * np.linalg.norm(b - a, axis=1)
    s = np.linspace(0.0, 1.0, SAG + 1)
    line = a[:, None] + s[None, :, None] * (b - a)[:, None]
    if hangs.any():
        line[hangs] = _parabola(line[hangs], s, slack[hangs], gravity)
    return np.concatenate([points[:, :k], line, points[:, k + 2 :]], axis=1)


def hanging_line(points: Array, lines: Sequence[int]) -> int:
    """Number of the free line that hangs where a rope is slack: the one that is longest at first."""
    return int(np.argmax(np.linalg.norm(points[0, [k + 1 for k in lines]] - points[0, list(lines)], axis=1)))


def _parabola(line: Array, s: Array, slack: Array, gravity: Array) -> Array:
    """Straight lines (n, k, 3), with points at the fractions ``s``, bowed down until they are longer by ``slack``."""
    size = float(np.linalg.norm(gravity))
    down = gravity / size if size > 0 else np.array([0.0, 0.0, -1.0])
    bow = 4 * s * (1 - s)

    def curve(depth: Array) -> Array:
        return line + (depth[:, None] * bow)[..., None] * down

    def length(x: Array) -> Array:
        total: Array = np.linalg.norm(np.diff(x, axis=1), axis=-1).sum(axis=1)
        return total

    chord = np.linalg.norm(line[:, -1] - line[:, 0], axis=1)
    wanted, low, high = chord + slack, np.zeros_like(slack), chord + slack
    for _ in range(60):  # bisection, all instants at once
        middle = (low + high) / 2
        short = length(curve(middle)) < wanted
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return curve(high)
