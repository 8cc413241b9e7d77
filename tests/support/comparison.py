"""Relative differences, against a scale that is stated."""

from __future__ import annotations

from typing import Any

import numpy as np


def difference(x: Any, y: Any, scale: Any = 0.0) -> float:
    """Largest entry of ``x - y``, relative to the largest of ``y`` or to ``scale`` if that is larger."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    assert x.shape == y.shape, f"shapes {x.shape} and {y.shape}"
    if x.size == 0:
        return 0.0
    assert np.isfinite(x).all() and np.isfinite(y).all()
    size = max(float(np.abs(y).max()), float(np.max(scale)))
    gap = float(np.abs(x - y).max())
    return gap / size if size > 0.0 else gap
