"""Rates of angles and parameters as rates of the blocks of a model."""

from __future__ import annotations

import numpy as np

from dalembert.control.uncertain.machines import UncertainMachine
from dalembert.core.errors import UnknownNameError
from dalembert.core.validation import check_number

__all__ = ["block_rates"]


def block_rates(model: UncertainMachine, **rates: float) -> dict[str, float]:
    """Largest rates of the blocks of a model, for largest rates of its angles and parameters.

    The number ``d`` of a block is a function of the quantity ``x``: the tangent of a part of an angle, the root of a
    modulus of elasticity, else ``x`` itself, each scaled to -1 .. 1. Its rate is at most ``max |dd/dx|`` over the range
    times that of ``x``.

    Parameters
    ----------
    model
        Model of a machine, by `dalembert.control.uncertain.uncertain`.
    rates
        Largest rates of quantities of the model, in their unit per second; 0: the quantity is constant.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.control.uncertain import uncertain
    >>> mass = da.Parameter("payload", 3.0)
    >>> crane = da.Machine(
    ...     "crane",
    ...     bodies=[da.point_mass("load", mass, com=(0, 0, -2.0))],
    ...     joints=[da.Joint("sway", "revolute", "world", "load", axis="y")],
    ...     motors=[da.Motor("M", "sway")],
    ... )
    >>> block_rates(uncertain(crane, {"payload": (1.0, 5.0)}), payload=0.5)
    {'payload': 0.25}
    """
    found = {}
    for name, rate in rates.items():
        if name not in model.ranges:
            raise UnknownNameError("uncertain quantity", name, model.ranges)
        value = abs(check_number(f"rate of '{name}'", rate, positive=False))
        lo, hi = model.ranges[name]
        part = model.tangents.get(name)
        if part is not None:
            ends = np.tan(part * lo), np.tan(part * hi)
            slope = part * (1.0 + max(ends[0] ** 2, ends[1] ** 2))  # of the tangent, largest at an end
        elif name in model.roots:
            ends, slope = (np.sqrt(lo), np.sqrt(hi)), 0.5 / np.sqrt(lo)
        else:
            ends, slope = (lo, hi), 1.0
        found[name] = float(value * slope * 2.0 / (ends[1] - ends[0]))
    return found
