"""Types that recur in every room."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Array", "StateLike"]

Array = NDArray[np.float64]
"""NumPy array of double precision numbers."""

StateLike = ArrayLike | Mapping[str, float] | None
"""Coordinates or velocities: numbers in order, or by name (the others are neutral), or None for the neutral ones."""
