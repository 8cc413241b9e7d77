"""Random numbers from a counter: what a number is depends on where it is used, never on how many were drawn before.

Philox 4x32 with ten rounds: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as
1, 2, 3", SC11 (2011). The key is the seed; the counter is the number of the instant, the member, the stream and the
pair of numbers. A normal number is the inverse of the normal distribution function at an integer of 53 bits.
``noise.h`` of the room `compile` gives the same integers and, to the bit, the same normal numbers in single runs, in
lanes and on GPUs: they are made of sums, products and quotients in one order, without any mathematical library.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.types import Array

__all__ = ["integers", "normals", "philox", "quantile", "quantile_macros"]

Words = NDArray[np.uint64]

_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10
_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
_ROOT = 0x3FE6A09E667F3BCD
"""Bits of sqrt(1/2)."""
_SPREAD = 0x3FF0000000000000 - _ROOT
_LOG = (
    0.666666666666667,
    0.3999999999989889,
    0.28571428626253836,
    0.22222211089379496,
    0.1818289243253687,
    0.15331611722055008,
    0.14617807153417325,
)
"""(2 atanh(s) - 2 s)/s^3 in s^2, for numbers between sqrt(1/2) and sqrt(2)."""
_LN2 = (0.6931471805592082, 7.371002565167799e-13)
"""In two parts: products of the first with exponents are exact."""
_FROM = (0.0, 4.5, 13.0)
"""Where the pieces of the quantile begin, in w."""
_TOP = (
    (
        1.2533141373155003,
        0.4860076558899041,
        0.1288234209496962,
        0.02454086119657329,
        0.0034546259620257,
        0.000367579816297351,
        2.8743403570439175e-05,
        1.5028952223500962e-06,
        4.049815665584809e-08,
    ),
    (
        2.787602523301929,
        1.2804151190211188,
        0.29098254554487096,
        0.04149155301046265,
        0.004029177080450197,
        0.0002728649254632311,
        1.2420137680440824e-05,
        3.2110471416750906e-07,
        2.4401664250162297e-09,
    ),
    (
        4.867509520045023,
        1.6466906673922084,
        0.25617295155501435,
        0.023456412652935188,
        0.0013402952603794164,
        4.571051993948913e-05,
        8.050028052362238e-07,
        5.7003649154709785e-09,
        9.903786292806804e-12,
    ),
)
"""Numerators of the pieces, lowest power first: quotients of polynomials in w less where the piece begins, fitted at 60
digits with errors below 3e-17. All coefficients are positive: nothing cancels."""
_BOTTOM = (
    (
        1.0,
        0.12597861726739695,
        0.056773056819534345,
        0.005710744789094883,
        0.0009978745849262072,
        7.281704965440508e-05,
        5.210690610072594e-06,
        2.0980425942619083e-07,
        1.7746491386643959e-09,
    ),
    (
        1.0,
        0.3471886424742028,
        0.0691898166623744,
        0.008425077165060782,
        0.0007179756959759306,
        4.121461750406098e-05,
        1.5305212899577332e-06,
        2.4661067432123966e-08,
        5.697807238843387e-11,
    ),
    (
        1.0,
        0.29768946737622687,
        0.041305082568366874,
        0.003341310648399446,
        0.00016416461701451512,
        4.434958353950265e-06,
        5.378582020393476e-08,
        2.107907322995084e-10,
        1.1001508509214385e-13,
    ),
)
"""Their denominators."""


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
    piece = (w >= _FROM[1]).astype(np.int64) + (w >= _FROM[2])
    v = w - np.take(_FROM, piece)
    sums = []
    for table in (_TOP, _BOTTOM):
        columns = np.asarray(table).T[::-1]
        total = columns[0][piece]
        for column in columns[1:]:
            total = total * v + column[piece]
        sums.append(total)
    return np.asarray(x * (sums[0] / sums[1]))


def _minus_log(a: Array) -> Array:
    """``-log a`` up to ``a = 1``: ``a = m/2^k``, ``sqrt(1/2) <= m < sqrt(2)``, ``log m = 2 atanh((m - 1)/(m + 1))``."""
    i = a.view(np.uint64) + np.uint64(_SPREAD)
    k = 1023.0 - (i >> np.uint64(52)).astype(np.float64)
    m = ((i & np.uint64(0xFFFFFFFFFFFFF)) + np.uint64(_ROOT)).view(np.float64)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    total = np.full_like(z, _LOG[-1])
    for c in reversed(_LOG[:-1]):
        total = total * z + c
    return np.asarray(k * _LN2[0] - ((s + s) + ((s * z) * total - k * _LN2[1])))


def normals(seed: int, member: ArrayLike, stream: int, instant: int, n: int) -> Array:
    """Return (..., n) independent normal numbers; parameters as of `integers`."""
    return quantile(integers(seed, member, stream, instant, n + n % 2)[..., :n])


def quantile_macros() -> dict[str, object]:
    """Numbers of the quantile, for ``noise.h``."""

    def listed(rows: tuple[object, ...]) -> str:
        return ", ".join(f"{{{listed(row)}}}" if isinstance(row, tuple) else repr(row) for row in rows)

    rows = {"TOP": tuple(zip(*_TOP, strict=True)), "BOTTOM": tuple(zip(*_BOTTOM, strict=True))}
    tables = {"FROM": _FROM, **rows, "LOG": _LOG, "LN2": _LN2}
    macros: dict[str, object] = {f"QUANTILE_{name}": listed(table) for name, table in tables.items()}
    return {**macros, "QUANTILE_ROOT": f"0x{_ROOT:x}u", "QUANTILE_SPREAD": f"0x{_SPREAD:x}u"}
