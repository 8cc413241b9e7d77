"""Disk margins: how much gain and phase may change at once, in one loop while the others stay closed.

With the sensitivity ``S`` of a loop, ``alpha = 1 / || S + (skew - 1)/2 ||`` is the size of the disk of factors
``(1 + (1 - skew)/2 d) / (1 - (1 + skew)/2 d)``, ``|d| < alpha``, that all keep the loop stable (Seiler, Packard,
Gahinet: An introduction to disk margins, IEEE Control Systems 2020). Gain and phase margins are the
points of the disk on the real axis and on the unit circle; unlike the classical ones they hold for both at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.hinf import hinf_norm
from dalembert.control.norms import matrices_of
from dalembert.core.errors import InputError
from dalembert.core.renamed import renamed

if TYPE_CHECKING:
    import control

__all__ = ["DiskMargin", "disk_margins"]


@renamed("rad/s", frequency="omega")
@dataclass(frozen=True)
class DiskMargin:
    """Margins of a loop against factors in a disk.

    Parameters
    ----------
    alpha
        Size of the disk; 0 if the closed loop is not stable.
    skew
        Its skew: 0 balances increase and decrease of the gain.
    omega
        Angular frequency at which the loop is closest to instability [rad/s].
    """

    alpha: float
    skew: float
    omega: float

    @property
    def gain(self) -> tuple[float, float]:
        """Smallest and largest factor of the gain that keep the loop stable."""
        a, s = self.alpha, self.skew
        high = (2.0 + a * (1.0 - s)) / (2.0 - a * (1.0 + s)) if a * (1.0 + s) < 2.0 else np.inf
        return (2.0 - a * (1.0 - s)) / (2.0 + a * (1.0 + s)), high

    @property
    def phase(self) -> float:
        """Phase that may be lost or gained without instability [rad]."""
        low, high = self.gain
        cosine = low if np.isinf(high) else (1.0 + low * high) / (low + high)
        return float(np.arccos(np.clip(cosine, -1.0, 1.0)))


def disk_margins(
    loop: control.StateSpace | control.TransferFunction, *, skew: float = 0.0, tolerance: float = 1e-9
) -> tuple[DiskMargin, ...]:
    """Disk margin of each channel of a loop transfer ``L`` under negative feedback, the other channels closed.

    Parameters
    ----------
    loop
        Open loop, with as many outputs as inputs.
    skew
        Skew of the disk: 1 looks at the sensitivity alone, -1 at the complementary one.
    tolerance
        Relative accuracy.

    Examples
    --------
    >>> import control, math
    >>> (margin,) = disk_margins(control.tf([25], [1, 10, 10, 10]))
    >>> [round(20 * math.log10(g), 2) for g in margin.gain], round(math.degrees(margin.phase), 1)
    ([-4.05, 4.05], 25.8)
    """
    import control

    (A, B, C, D), period = matrices_of(loop)
    n = D.shape[0]
    if D.shape != (n, n):
        raise InputError(f"a loop has as many outputs as inputs, got {D.shape[0]} outputs and {D.shape[1]} inputs")
    if not np.isfinite(skew):
        raise InputError(f"skew must be a finite number, got {skew!r}")
    if abs(np.linalg.det(np.eye(n) + D)) < 1e-12:
        raise InputError("the loop is not well posed: the direct path of 1 + L is singular")
    inverse = np.linalg.inv(np.eye(n) + D)
    parts = (A - B @ inverse @ C, B @ inverse, -inverse @ C, inverse)
    margins = []
    for i in range(n):
        a, b, c, d = parts[0], parts[1][:, i : i + 1], parts[2][i : i + 1], parts[3][i : i + 1, i : i + 1]
        shifted = control.ss(a, b, c, d + (skew - 1.0) / 2.0, period)
        norm = hinf_norm(shifted, tolerance=tolerance)
        alpha = 0.0 if np.isinf(norm.value) else np.inf if norm.value == 0.0 else 1.0 / norm.value
        margins.append(DiskMargin(alpha, float(skew), norm.omega))
    return tuple(margins)
