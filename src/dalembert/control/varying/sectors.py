"""Actuator limits in proofs with rates: a saturated input is a gain that varies, in a region of states.

While a command stays below ``1/least`` times its limit, the actuator gives ``k(t) u`` with ``k`` between ``least`` and
one (sector bound; H. K. Khalil, *Nonlinear Systems*, section 7.1). A proof for a gain that may jump in this sector has
a Lyapunov function. The largest of its level sets in which the commands stay below that bound is invariant: every loop
that starts in it stays in it, and converges.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.uncertain.lft import LFT, parameter
from dalembert.control.varying.proofs import VaryingProof
from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.core.validation import check_number

__all__ = ["SaturationRegion", "saturation", "saturation_region"]


def saturation(name: str, least: float) -> LFT:
    """An actuator limit as a block: a gain between ``least`` and one that may jump.

    Connect it before the input of the plant, ``plant @ saturation("sat", 0.3)``, and leave the block out of the rates.

    Parameters
    ----------
    name
        Name of the block.
    least
        Least gain, between 0 and 1: the command may reach ``1/least`` times the limit.

    Examples
    --------
    >>> sat = saturation("sat", 0.5)
    >>> [float(sat.at(sat=d)[0, 0]) for d in (-1.0, 1.0)]
    [0.5, 1.0]
    """
    low = check_number("least", least)
    if not low < 1.0:
        raise InputError(f"least must be a gain between 0 and 1, got {least!r}")
    return parameter(name) * ((1.0 - low) / 2.0) + (1.0 + low) / 2.0


@dataclass(frozen=True, eq=False)
class SaturationRegion:
    """States from which a loop with actuator limits is proven to converge: ``x^T P(d) x <= level``.

    Parameters
    ----------
    level
        Largest value of the Lyapunov function.
    reach
        Largest deviation of each state alone that lies inside, for all parameters.
    lyapunov
        Matrices of the Lyapunov function, as of the proof.
    """

    level: float
    reach: Array
    lyapunov: Mapping[str, Array] = field(repr=False)

    def contains(self, x: ArrayLike, **numbers: float) -> bool:
        """Whether a state lies inside, at numbers of the blocks that vary at a finite rate (default zero)."""
        state = as_numbers(x)
        P = self.lyapunov[""] + sum(numbers.get(n, 0.0) * p for n, p in self.lyapunov.items() if n)
        return bool(state @ P @ state <= self.level)


def saturation_region(proof: VaryingProof, gains: ArrayLike, limits: ArrayLike, least: ArrayLike) -> SaturationRegion:
    """The region in which a proof with `saturation` blocks holds.

    Parameters
    ----------
    proof
        Proof of stability of the loop with a saturation before each limited input.
    gains
        Commands from states, ``u = -K x``, one row per limited input.
    limits
        Limit of each input, symmetric about its value at the equilibrium.
    least
        Least gain of each saturation.

    Examples
    --------
    ``x' = x + sat(u)``, ``u = -4 x`` with a limit of one diverges from ``x = 1`` on. A sector down to 0.26 proves 0.96:

    >>> import control
    >>> from dalembert.control.uncertain import system_lft
    >>> from dalembert.control.varying import varying_stability
    >>> plant = system_lft(control.ss(1.0, 1.0, 1.0, 0.0)) @ saturation("sat", 0.26)
    >>> proof = varying_stability(plant.feedback([[4.0]], plant.outputs, plant.inputs))
    >>> round(float(saturation_region(proof, [[4.0]], [1.0], [0.26]).reach[0]), 2)
    0.96
    """
    if not proof.proven:
        raise InputError("a region needs a proof of stability of the loop with its saturations")
    if "" not in proof.lyapunov or any("*" in name for name in proof.lyapunov):
        raise InputError("a region needs a Lyapunov function that is affine in the parameters: prove with degree=1")
    K, most, low = np.atleast_2d(as_numbers(gains)), np.atleast_1d(as_numbers(limits)), np.atleast_1d(as_numbers(least))
    P0 = proof.lyapunov[""]
    if K.shape != (len(most), len(P0)) or low.shape != most.shape:
        raise InputError(
            f"gains must be one row of {len(P0)} numbers per limit, and least one number per limit, got gains "
            f"{K.shape}, {len(most)} limits and {len(low)} numbers in least"
        )
    if not ((most > 0.0).all() and ((low > 0.0) & (low < 1.0)).all()):
        raise InputError(f"limits must be positive and least between 0 and 1, got {limits!r} and {least!r}")
    varying = [n for n in proof.lyapunov if n]
    corners = [
        P0 + sum(s * proof.lyapunov[n] for s, n in zip(signs, varying, strict=True))
        for signs in product((-1.0, 1.0), repeat=len(varying))
    ]
    # k P^-1 k^T is convex in P, so that its largest value over the box is at a corner
    level = np.inf
    for k, bound in zip(K, most / low, strict=True):
        largest = max(float(k @ np.linalg.solve(P, k)) for P in corners)
        level = min(level, bound**2 / largest if largest > 0.0 else np.inf)
    level *= 1.0 - 1e-9
    reach = np.sqrt(level / np.max([np.diag(P) for P in corners], axis=0))
    return SaturationRegion(float(level), reach, dict(proof.lyapunov))
