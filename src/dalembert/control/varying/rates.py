"""Rates of angles and parameters as rates of the blocks of a model."""

from __future__ import annotations

import numpy as np

from dalembert.control.uncertain.model import UncertainMachine, steepest
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
        Largest rates of quantities of the model, in their unit per second; 0: the quantity is constant. Coordinates of
        the model's ``motion`` have their rates and accelerations from there; a rate without a largest acceleration may
        jump.

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
    moving = {name: rate for name, (rate, _) in model.motion.items()}
    moving |= {f"{name}.rate": most for name, (_, most) in model.motion.items()}
    for name, rate in {**moving, **rates}.items():
        if name not in model.ranges:
            raise UnknownNameError("uncertain quantity", name, model.ranges)
        value = np.inf if rate == np.inf else abs(check_number(f"rate of '{name}'", rate, positive=False))
        found[name] = value * steepest(model, name)
    return found
