"""Neglected dynamics as complex blocks: a weight covers them at every frequency.

``1 + w(s) delta`` with any stable ``delta`` of gain one. Put in series with a model, before its inputs or after its
outputs: ``model.lft @ append(neglected_delay("delay", 0.05))``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.uncertain.lft import LFT, constant, parameter, system_lft
from dalembert.core.errors import InputError

if TYPE_CHECKING:
    import control

    from dalembert.control.norms import LinearSystem

__all__ = ["multiplicative", "neglected_delay", "neglected_lag"]


def multiplicative(name: str, weight: LinearSystem) -> LFT:
    """``1 + w(s) delta``: a relative error of one signal, of the size of the weight.

    Parameters
    ----------
    name
        Name of the block.
    weight
        Stable system of python-control, or a number.

    Examples
    --------
    >>> [block.name for block in multiplicative("gain error", 0.1).blocks]
    ['gain error']
    """
    w = constant([[weight]]) if isinstance(weight, int | float) else system_lft(weight)
    if w.shape != (1, 1):
        raise InputError(f"the weight of block '{name}' must have one input and one output, got {w.shape}")
    return constant([[1.0]]) + parameter(name, "complex") @ LFT(w.M11, w.M12, w.M21, w.M22, w.blocks)


def neglected_delay(name: str, longest: float) -> LFT:
    """Any delay up to the longest [s]: ``w = T s / (1 + T s / sqrt(12))``.

    ``|exp(-j x) - 1|^2 = 2 (1 - cos x) <= x^2 / (1 + x^2 / 12)`` up to ``x = pi``, and four is below the right side
    from ``x = sqrt(6)`` on: the weight covers every shorter delay at every frequency.
    """
    T = _positive(longest, name)
    return multiplicative(name, _first_order(T, T / np.sqrt(12.0)))


def neglected_lag(name: str, slowest: float) -> LFT:
    """Any lag ``1 / (1 + T s)`` up to the slowest [s], as that of an actuator: ``w = T s / (1 + T s)``, exactly.

    Examples
    --------
    >>> [block.name for block in neglected_lag("valve", 0.02).blocks]
    ['valve', '1/s']
    """
    T = _positive(slowest, name)
    return multiplicative(name, _first_order(T, T))


def _first_order(top: float, bottom: float) -> control.TransferFunction:
    import control

    return control.tf([top, 0.0], [bottom, 1.0])


def _positive(value: object, name: str) -> float:
    if not (isinstance(value, int | float) and np.isfinite(value) and value > 0):
        raise InputError(f"the time of block '{name}' must be a positive number of seconds, got {value!r}")
    return float(value)
