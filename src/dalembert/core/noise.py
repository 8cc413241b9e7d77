"""Random numbers from a counter: a number depends on where it is used, never on how many were drawn before.

Philox 4x32 with ten rounds: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as
1, 2, 3", SC11 (2011). The key is the seed; the counter is the number of the instant, the member, the stream and the
pair of numbers. A normal number is the inverse of the normal distribution function at an integer of 53 bits.
``noise.h`` of the room `compile` gives the same integers and bitwise identical normal numbers in single runs, in lanes
and on GPUs: they are made of sums, products and quotients in one order, without any mathematical library.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.quantile import BOTTOM, FROM, LN2, LOG, ROOT, SPREAD, TOP
from dalembert.core.types import Array

__all__ = ["integers", "normals", "philox", "quantile"]

Words = NDArray[np.uint64]

_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10
_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)


def philox(counter: tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike], key: tuple[int, int]) -> tuple[Words, ...]:
    """Four words of 32 bits for each counter of four words, under a key of two."""
    c: list[Any] = [np.asarray(word, dtype=np.uint64) for word in counter]
    k = list(key)
    for _ in range(_ROUNDS):
        products = [np.uint64(m) * c[i] for m, i in zip(_MULTIPLIERS, (0, 2), strict=True)]
        keys = [np.uint64(word) for word in k]
        c = [(products[1] >> _SHIFT) ^ c[1] ^ keys[0], products[1] & _LOW, (products[0] >> _SHIFT) ^ c[3] ^ keys[1]]
        c.append(products[0] & _LOW)
        k = [(word + step) & 0xFFFFFFFF for word, step in zip(k, _WEYL, strict=True)]
    return tuple(c)


def integers(seed: int, member: ArrayLike, stream: int, instant: int, n: int) -> Array:
    """Return (..., n) whole numbers of 53 bits, n even, two from a counter.

    Parameters
    ----------
    seed
        Seed, 64 bits.
    member
        Number of the member, or of several.
    stream, instant
        Source of the numbers, and their instant: words of 32 bits.
    n
        How many.
    """
    members = np.asarray(member, dtype=np.uint64)
    key = (seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF)
    words = philox((instant & 0xFFFFFFFF, members[..., None], stream, np.arange(n // 2)), key)
    integers = np.empty((*members.shape, n // 2, 2))
    for k, (high, low) in enumerate((words[:2], words[2:])):
        integers[..., k] = (high >> np.uint64(5)).astype(float) * 67108864.0 + (low >> np.uint64(6)).astype(float)
    return integers.reshape(*members.shape, n)


def quantile(whole: ArrayLike) -> Array:
    """Return the normal numbers below which lies the part ``(whole + 1/2) / 2^53`` of all, for integers of 53 bits.

    With ``x = 2 u - 1``, which is exact, the quantile of ``u`` is ``x F(w)`` with ``w = -log(1 - x^2)``: ``F`` is
    smooth from the centre to the tails (M. Giles, GPU Computing Gems Jade Edition, 2011, chapter 10), and here a
    quotient of two polynomials in each of three pieces. Errors are below 1e-15 of the number.
    """
    x = (np.asarray(whole, dtype=np.float64) - 4503599627370495.5) * 2.0**-52
    w = _minus_log((1.0 - x) * (1.0 + x))
    piece = (w >= FROM[1]).astype(np.int64) + (w >= FROM[2])
    v = w - np.take(FROM, piece)
    sums = []
    for table in (TOP, BOTTOM):
        columns = np.asarray(table).T[::-1]
        total = columns[0][piece]
        for column in columns[1:]:
            total = total * v + column[piece]
        sums.append(total)
    return np.asarray(x * (sums[0] / sums[1]))


def _minus_log(a: Array) -> Array:
    """``-log a`` up to ``a = 1``: ``a = m/2^k``, ``sqrt(1/2) <= m < sqrt(2)``, ``log m = 2 atanh((m - 1)/(m + 1))``."""
    i = a.view(np.uint64) + np.uint64(SPREAD)
    k = 1023.0 - (i >> np.uint64(52)).astype(np.float64)
    m = ((i & np.uint64(0xFFFFFFFFFFFFF)) + np.uint64(ROOT)).view(np.float64)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    total = np.full_like(z, LOG[-1])
    for c in reversed(LOG[:-1]):
        total = total * z + c
    return np.asarray(k * LN2[0] - ((s + s) + ((s * z) * total - k * LN2[1])))


def normals(seed: int, member: ArrayLike, stream: int, instant: int, n: int) -> Array:
    """Return (..., n) independent normal numbers; parameters as in `integers`."""
    return quantile(integers(seed, member, stream, instant, n + n % 2)[..., :n])
