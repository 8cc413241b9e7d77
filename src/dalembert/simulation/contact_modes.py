"""Modes of the blocks of solved steps, the equations that hold in them, and how far they are from the next mode.

In a given mode the law of a block (``engine/stepping/laws.h``) is a smooth equation of its impulses x and velocities u:

    open       x = 0
    pushes     u_n = 0                            (u_n includes the rebound)
    sticks     u_t = 0
    slips      x_t + mu x_n u_t / |u_t| = 0
    joint      u = 0 where it sticks, x = -limit sign(u) where it moves

Two quantities of each law exclude each other, and one of them is zero. The other one, relative to its scale in the
step, is the margin of the mode: at zero another mode begins, and the step has no derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array
from dalembert.engine.problem.stepping import BlockLaw
from dalembert.engine.stepping.native import solve_blocks

__all__ = ["BlockMode", "coulomb_equations", "coulomb_mode", "settle_shared", "stiction_equations", "stiction_mode"]

_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class BlockMode:
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
        Distance from the next mode (N, 2), of the normal and of the friction; infinite where there is none.
    """

    pushes: NDArray[np.bool_]
    sticks: NDArray[np.bool_]
    along: Array
    margin: Array


def coulomb_mode(x: Array, u: Array, mu: Array, W: Array, scale: Array) -> BlockMode:
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
    normal, rubbing = np.where(pushes, force, lift), np.full(len(x), np.inf)
    sticks, along = np.zeros(len(x), dtype=bool), np.zeros((len(x), x.shape[1] - 1))
    if x.shape[1] == 3:
        limit, size = np.maximum(mu * x[:, 0], _TINY), np.hypot(x[:, 1], x[:, 2])
        speed = np.hypot(u[:, 1], u[:, 2])
        weight = np.maximum(W[:, 1:].max(axis=1), _TINY)
        slack, slip = 1.0 - size / limit, speed / (weight * limit)
        rubs = pushes & (mu > 0.0)
        sticks = rubs & (slack >= slip)
        along = u[:, 1:] / np.maximum(speed, _TINY)[:, None]
        rubbing = np.where(rubs, np.where(sticks, slack, slip), rubbing)
    return BlockMode(pushes, sticks, along, np.stack([normal, rubbing], axis=1))


def coulomb_equations(
    mode: BlockMode, x: Array, u: Array, mu: Array, W: Array, dx: Array, du: Array, dmu: Array
) -> Array:
    """Derivatives of the equations of a contact along directions, in units of impulses times the root of W.

    Parameters
    ----------
    mode, x, u, mu, W
        As in `coulomb_mode`.
    dx, du, dmu
        Derivatives of impulses, velocities (N, directions, rows) and friction (N, directions).
    """
    root = np.sqrt(np.maximum(W, _TINY))[:, None, :]
    still = (1e-14 * W.sum(axis=1, keepdims=True) >= W)[:, None, :]  # a tangent along which nothing can move
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


def stiction_mode(x: Array, u: Array, limits: Array, broken: NDArray[np.bool_], W: Array) -> BlockMode:
    """Mode of a joint with friction, with its limits at rest and in motion (N, 2), and whether it has broken away."""
    limit = np.maximum(np.where(broken, limits[:, 1], limits[:, 0]), _TINY)
    weight = np.maximum(W[:, 0], _TINY)
    slack, slip = 1.0 - np.abs(x[:, 0]) / limit, np.abs(u[:, 0]) / (weight * limit)
    sticks = slack >= slip
    # in motion it would stop where the friction at rest could hold it
    held = np.abs(slip - np.maximum(limits[:, 0] - limit, 0.0) / limit)
    along = np.where(x[:, 0] != 0.0, np.sign(x[:, 0]), -np.sign(u[:, 0]))[:, None]
    margin = np.where(sticks, slack, held)
    return BlockMode(np.ones(len(x), dtype=bool), sticks, along, np.stack([np.full(len(x), np.inf), margin], axis=1))


def stiction_equations(mode: BlockMode, W: Array, dx: Array, du: Array, dlimit: Array) -> Array:
    """Derivatives of the equation of a joint; arguments are as in `coulomb_equations`, ``dlimit`` of its limit."""
    root = np.sqrt(np.maximum(W, _TINY))[:, None, :]
    moves = (dx - mode.along[:, None, :] * dlimit[..., None]) * root
    return np.where(mode.sticks[:, None, None], du / root, moves)


def settle_shared(
    modes: Sequence[BlockMode],
    laws: Sequence[BlockLaw],
    limits: Sequence[Array],
    x: Array,
    u: Array,
    W: Array,
    near: float,
) -> None:
    """Let blocks at the limit of their friction rest, where the machine would rest with less friction too.

    Forces that are not unique may be at their limits while nothing moves: feet of a body that came to rest, or a joint
    at its stop. Impulses are then found again with all friction lowered by ten times ``near``. If the same blocks rest,
    they do so in all neighbouring states, in whichever mode the rule of equal compliance puts each of them. Their
    margins are then infinite.

    Parameters
    ----------
    modes
        Modes of the blocks, changed in place.
    laws, limits
        Law of each block; friction of a contact, limit of a joint (N).
    x, u, W
        Impulses, velocities (N, rows) and matrix (N, rows, rows) of all blocks.
    near
        Margin below which a block is at its limit.
    """
    if not modes:
        return
    sizes = [3 if law is BlockLaw.COULOMB else 1 for law in laws]
    starts = np.cumsum([0, *sizes])
    some = np.min([mode.margin[:, 1] for mode in modes], axis=0) < near
    for i in np.flatnonzero(some):
        loose = [k for k, mode in enumerate(modes) if mode.margin[i, 1] < near]
        rests = [k for k, mode in enumerate(modes) if mode.sticks[i] or k in loose]
        free = u[i] - W[i] @ x[i]
        less = [(1.0 - 10.0 * near) * limit[i] for limit in limits]
        numbers = [value for law, value in zip(laws, less, strict=True) for _ in range(law.given(1))]
        found = solve_blocks(W[i], free, laws, numbers, guess=x[i])
        speeds = np.abs(W[i] @ found.impulses + free)
        still = np.concatenate([np.arange(starts[k], starts[k + 1]) for k in rests])
        if found.residual <= 1e-9 and speeds[still].max() <= near * np.abs(free).max():
            for k in loose:
                modes[k].sticks[i], modes[k].margin[i, 1] = True, np.inf
