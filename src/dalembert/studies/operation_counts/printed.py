"""Operation counts that IMPACT prints: Table 2."""

from __future__ import annotations

__all__ = ["printed_counts"]

_TERMS = {
    "3x3": (
        (-18, 26, -6, 13, -4, 11, -15, 3, 5),
        (-27, 37.5, -9, 18, -6, 16.5, -22.5, 3, 4.5),
    ),
    "4x4": (
        (-33, 48, -10, 25, -9, 20, -28, 6, 4),
        (-41, 62.5, -13, 27, -10, 27.5, -37.5, 6, 7.5),
    ),
}
"""Coefficients of 1, n, m, m n2, m n, m2 n2, m2 n, m2, n2 in the sums and in the products."""


def printed_counts(method: str, n: int, m: int) -> tuple[float, float]:
    """Sums and products of Table 2 for n links with m modes each, by ``"3x3"`` or ``"4x4"``."""
    powers = (1, n, m, m * n * n, m * n, m * m * n * n, m * m * n, m * m, n * n)
    sums, products = (sum(c * x for c, x in zip(terms, powers, strict=True)) for terms in _TERMS[method])
    return float(sums), float(products)
