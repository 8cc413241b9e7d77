"""Random numbers from a counter: what a number is depends on where it is used, never on how many were drawn before.

Philox 4x32 with ten rounds: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as
1, 2, 3", SC11 (2011). The key is the seed; the counter is the number of the instant, the member, the stream and the
pair of numbers. Normal numbers follow by the transformation of G. E. P. Box and M. E. Muller (1958). ``noise.h`` of the
room `compile` gives the same integers in lanes and on GPUs, and normal numbers that agree to rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.types import Array

__all__ = ["normals", "philox", "uniforms"]

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


def uniforms(seed: int, member: ArrayLike, stream: int, instant: int, n: int) -> Array:
    """Return (..., n) numbers in (0, 1], n even: 53 bits each, two from a counter.

    Parameters
    ----------
    seed
        Of 64 bits.
    member
        Number of the member, or of several.
    stream, instant
        What draws them, and when: words of 32 bits.
    n
        How many.
    """
    members = np.asarray(member, dtype=np.uint64)
    key = (seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF)
    words = philox((instant & 0xFFFFFFFF, members[..., None], stream, np.arange(n // 2)), key)
    made = np.empty((*members.shape, n // 2, 2))
    for k, (high, low) in enumerate((words[:2], words[2:])):
        whole = (high >> np.uint64(5)).astype(float) * 67108864.0 + (low >> np.uint64(6)).astype(float)
        made[..., k] = (whole + 0.5) * 2.0**-53
    return made.reshape(*members.shape, n)


def normals(seed: int, member: ArrayLike, stream: int, instant: int, n: int) -> Array:
    """Return (..., n) independent normal numbers; parameters as of `uniforms`."""
    u = uniforms(seed, member, stream, instant, n + n % 2)
    radius, angle = np.sqrt(-2.0 * np.log(u[..., ::2])), 2.0 * np.pi * u[..., 1::2]
    made = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    return np.asarray(made.reshape(*u.shape[:-1], -1)[..., :n], dtype=np.float64)
