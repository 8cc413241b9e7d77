"""Whether a run may be believed: the balance of its energies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.core.types import Array

__all__ = ["EnergyAudit"]

_RESOLVED = 1e-9
"""Part of an energy that the audit of a run is trusted to."""


@dataclass(frozen=True, eq=False)
class EnergyAudit:
    r"""Energies of a run and the residual of their balance.

    Parameters
    ----------
    kinetic, potential
        T and V.
    work_input, work_loss
        Work done on the machine by its inputs and by its losses (negative where they dissipate) since the
        start.
    transition
        Energy that jumps of the state at events have brought since the start, beyond the work that they booked.
    residual
        (T + V) - (T + V)(0) - work_input - work_loss - transition: zero in an exact solution.
    peak
        Largest T + \|V - V(0)\|: the energy that the motion has handled.
    """

    kinetic: Array
    potential: Array
    work_input: Array
    work_loss: Array
    transition: Array
    residual: Array
    peak: float

    @classmethod
    def of(cls, t: Array, kinetic: Array, potential: Array, work_input: Array, work_loss: Array) -> EnergyAudit:
        """Balance four histories; works are counted from the first row.

        Time stands still in a transition: two rows at one instant are the states before and after it.
        """
        w_in, w_loss = work_input - work_input[0], work_loss - work_loss[0]
        total = kinetic + potential
        with np.errstate(invalid="ignore"):  # the energy of a diverged run may be infinite
            unbooked = (total - total[0]) - w_in - w_loss
            jumps = np.where(np.diff(t) == 0.0, np.diff(unbooked), 0.0)
        transition = np.concatenate([[0.0], np.cumsum(jumps)])
        peak = float(np.max(kinetic + np.abs(potential - potential[0])))
        return cls(kinetic, potential, w_in, w_loss, transition, unbooked - transition, peak)

    @property
    def total(self) -> Array:
        """T + V."""
        return self.kinetic + self.potential

    @property
    def rounding(self) -> float:
        """Residual that rounding of the energies and works can leave."""
        energies = (self.kinetic, self.potential, self.work_input, self.work_loss)
        return 16.0 * float(np.finfo(float).eps) * sum(float(np.max(np.abs(x), initial=0.0)) for x in energies)

    @property
    def audit(self) -> Array:
        """The residual relative to the peak, over time; rounding of the energies counts as zero.

        A peak that rounding does not resolve to nine digits, that of a machine which stands still, is no measure: then
        the least energy that is resolved to them.
        """
        with np.errstate(invalid="ignore", over="ignore"):
            left = np.where(np.abs(self.residual) <= self.rounding, 0.0, self.residual)
            scale = max(self.peak, self.rounding / _RESOLVED)
            return left / scale if scale > 0.0 else left

    @property
    def drift(self) -> float:
        """Largest absolute value of the audit."""
        return float(np.max(np.abs(self.audit)))
