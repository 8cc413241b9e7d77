"""Types that recur in every room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Array", "Expression", "ExpressionLike", "StateLike"]

Array = NDArray[np.float64]
"""NumPy array of double precision numbers."""

Expression: TypeAlias = ca.SX
"""CasADi expression: a scalar, vector or matrix of symbols."""

ExpressionLike: TypeAlias = ca.SX | ca.DM | Array
"""Vector or matrix of expressions, or of numbers in their place."""

StateLike = ArrayLike | Mapping[str, float] | None
"""Coordinates or velocities: numbers in order, or by name (the others are neutral), or None for the neutral ones."""
