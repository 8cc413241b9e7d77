"""Modes of the blocks of solved steps, the equations that hold in them, and how far they are from the next mode.

In a given mode the law of a block (``engine/stepping/laws.h``) is a smooth equation of its impulses x and velocities u:

    open       x = 0
    pushes     u_n = 0                            (u_n includes the rebound)
    sticks     u_t = 0
    slips      x_t + mu x_n u_t / |u_t| = 0
    joint      u = 0 where it sticks, x = -limit sign(u) where it moves

Of two quantities that exclude each other one is zero. The other one, relative to its scale in the step, is the margin
of the mode: at zero another mode begins, and the step has no derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array

__all__ = ["Mode", "coulomb_equations", "coulomb_mode", "stiction_equations", "stiction_mode"]

_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Mode:
    """Mode of a block in each of N steps.

    Parameters
    ----------
    pushes
        Whether it has a normal impulse; true for joints.
    sticks
        Whether its tangents do not move.
    along
        Direction of the slip (N, 2), or of the friction of a joint (N, 1).
    margin
        Distance from the next mode.
    """

    pushes: NDArray[np.bool_]
    sticks: NDArray[np.bool_]
    along: Array
    margin: Array


def coulomb_mode(x: Array, u: Array, mu: Array, W: Array, scale: Array) -> Mode:
    """Mode of a contact.

    Parameters
    ----------
    x, u
        Impulses and velocities (N, 3), or (N, 1) without friction.
    mu
        Friction (N).
    W
        Diagonal of its matrix (N, rows).
    scale
        Normal velocity that the contact has to stop (N).
    """
    scale = np.maximum(scale, _TINY)
    force, lift = x[:, 0] * W[:, 0] / scale, u[:, 0] / scale
    pushes = force > lift
    margin = np.where(pushes, force, lift)
    sticks, along = np.zeros(len(x), dtype=bool), np.zeros((len(x), x.shape[1] - 1))
    if x.shape[1] == 3:
        limit, size = np.maximum(mu * x[:, 0], _TINY), np.hypot(x[:, 1], x[:, 2])
        speed = np.hypot(u[:, 1], u[:, 2])
        weight = np.maximum(W[:, 1:].max(axis=1), _TINY)
        slack, slip = 1.0 - size / limit, speed / (weight * limit)
        rubs = pushes & (mu > 0.0)
        sticks = rubs & (slack >= slip)
        along = u[:, 1:] / np.maximum(speed, _TINY)[:, None]
        margin = np.where(rubs, np.minimum(margin, np.where(sticks, slack, slip)), margin)
    return Mode(pushes, sticks, along, margin)


def coulomb_equations(mode: Mode, x: Array, u: Array, mu: Array, W: Array, dx: Array, du: Array, dmu: Array) -> Array:
    """Derivatives of the equations of a contact along directions, in units of impulses times the root of W.

    Parameters
    ----------
    mode, x, u, mu, W
        As in `coulomb_mode`.
    dx, du, dmu
        Derivatives of impulses, velocities (N, directions, rows) and friction (N, directions).
    """
    root = np.sqrt(np.maximum(W, _TINY))[:, None, :]
    still = (W <= 1e-14 * W.sum(axis=1, keepdims=True))[:, None, :]  # a tangent along which nothing can move
    resting, free = du / root, dx * root
    equations = np.where(mode.pushes[:, None, None], resting, free)
    if x.shape[1] == 3:
        along, speed = mode.along[:, None, :], np.maximum(np.hypot(u[:, 1], u[:, 2]), _TINY)[:, None, None]
        turn = (du[..., 1:] - along * np.sum(along * du[..., 1:], axis=-1, keepdims=True)) / speed
        normal, rubbing = x[:, 0][:, None, None], mu[:, None, None]
        slips = dx[..., 1:] + (dmu * x[:, :1] + mu[:, None] * dx[..., 0])[..., None] * along + rubbing * normal * turn
        slides = (mode.pushes & ~mode.sticks)[:, None, None]
        equations[..., 1:] = np.where(slides, slips * root[..., 1:], equations[..., 1:])
    return np.where(still, dx, equations)


def stiction_mode(x: Array, u: Array, limits: Array, broken: NDArray[np.bool_], W: Array) -> Mode:
    """Mode of a joint with friction; ``limits`` (N, 2) at rest and in motion, ``broken``: whether it has broken away."""
    limit = np.maximum(np.where(broken, limits[:, 1], limits[:, 0]), _TINY)
    weight = np.maximum(W[:, 0], _TINY)
    slack, slip = 1.0 - np.abs(x[:, 0]) / limit, np.abs(u[:, 0]) / (weight * limit)
    sticks = slack >= slip
    # in motion it would stop where the friction at rest could hold it
    held = np.abs(slip - np.maximum(limits[:, 0] - limit, 0.0) / limit)
    along = np.where(x[:, 0] != 0.0, np.sign(x[:, 0]), -np.sign(u[:, 0]))[:, None]
    return Mode(np.ones(len(x), dtype=bool), sticks, along, np.where(sticks, slack, held))


def stiction_equations(mode: Mode, W: Array, dx: Array, du: Array, dlimit: Array) -> Array:
    """Derivatives of the equation of a joint; arguments are as in `coulomb_equations`, ``dlimit`` of its limit."""
    root = np.sqrt(np.maximum(W, _TINY))[:, None, :]
    moves = (dx - mode.along[:, None, :] * dlimit[..., None]) * root
    return np.where(mode.sticks[:, None, None], du / root, moves)
