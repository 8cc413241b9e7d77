"""Slips of pairs that act one way only: which there are, whether they go on, and when they end."""

from __future__ import annotations

import numpy as np

from dalembert.core.types import Array
from dalembert.loop.pairs import LETS_GO, SLIPS, Mask, Pairs

__all__ = ["fits", "give_leeway", "moves_slips", "slides"]

_SLOWEST = 1e-9  # rate [m/s] below which the direction of a slip is rounding


def fits(
    pairs: Pairs, latches: Array, rate: Array, change: Array, multipliers: Array, loose: frozenset[str], p: Array
) -> bool:
    """Whether forces that the equations of motion have with these latches push, keep what sticks, and let slips go on.

    Parameters
    ----------
    pairs, latches
        What acts one way only, and what it does.
    rate, change
        Rates of all rows, and the rates of these.
    multipliers
        Forces of all rows.
    loose
        What has just let go, and what has been seen of pairs at this instant (see `Instant`).
    p
        Parameter values.
    """
    acts = latches[pairs.flags] > 0.5
    push = multipliers[pairs.rows]
    rubs = np.hypot(*np.where(pairs.tangents >= 0, multipliers[pairs.tangents], 0.0).T)
    sticks, slips = acts & pairs.rubs & ~slides(pairs, latches), slides(pairs, latches)
    u, change = (-np.where(pairs.tangents >= 0, x[pairs.tangents], 0.0) for x in (rate, change))
    begins = slips & (np.hypot(u[:, 0], u[:, 1]) <= SLIPS)
    backward = (change * latches[pairs.friction[:, 1:3]]).sum(axis=1) < 0.0
    # what was seen to pass zero is not to pass it again at once
    lets_go = np.array([name in loose for name in pairs.names], dtype=bool)
    least = np.where(lets_go, LETS_GO * np.abs(multipliers).max(initial=0.0), 0.0)
    most = np.where(pairs.marked("slip", loose), 1.0 - LETS_GO, 1.0) * pairs.coefficients(p)[1] * push
    return bool((push >= least)[acts].all() and (rubs <= most)[sticks].all() and not (begins & backward).any())


def slides(pairs: Pairs, latches: Array) -> Mask:
    """Which pairs slip."""
    return (latches[pairs.flags] > 0.5) & pairs.rubs & latches[pairs.friction[:, 1:3]].any(axis=1)


def moves_slips(pairs: Pairs, latches: Array, change: Array) -> bool:
    """Whether a change of the rates of all rows is one of slips."""
    rows = pairs.tangents[slides(pairs, latches)]
    return bool((np.abs(change[rows[rows >= 0]]) > _SLOWEST).any())


def give_leeway(pairs: Pairs, latches: Array, rate: Array, slowest: float) -> Array:
    """Latches with the rates by which slips may turn before they end.

    Rows that all but depend on each other do not rest to the last digit: both ends of a flat link slip nearly alike,
    and one that begins to slip may still move the other way, more slowly than counts as a slip. It has the leeway to
    turn. What slips at a speed that counts has none: it ends before it turns, at twice the rate ``slowest``, where it
    has no direction any more that a step could tell from its errors. (A corner of a tumbling box could go on at such
    speeds, its direction turning faster and faster.)
    """
    result, places = latches.copy(), pairs.friction[pairs.rubs]
    u = -np.where(pairs.tangents >= 0, rate[pairs.tangents], 0.0)[pairs.rubs]
    along, speed = (u * latches[places[:, 1:3]]).sum(axis=1), np.hypot(u[:, 0], u[:, 1])
    turned = 0.5 * speed - along
    begins = _SLOWEST + 1.5 * np.maximum(0.0, turned)
    result[places[:, 6]] = np.where((speed > SLIPS) & (turned < 0.0), -slowest, begins)
    return result
