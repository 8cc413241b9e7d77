"""Warnings that point to the line of the user's code that led to them."""

from __future__ import annotations

import sys
import warnings

from dalembert.core.errors import DalembertWarning

__all__ = ["warn"]

_PASSED_OVER = ("dalembert", "dataclasses")


def warn(message: str, category: type[DalembertWarning] = DalembertWarning) -> None:
    """Issue a warning at the nearest caller outside the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _PASSED_OVER:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
