"""Warnings about steps of time-stepping, from the account of their contacts that a run records."""

from __future__ import annotations

import numpy as np

from dalembert.core.warn import warn
from dalembert.simulation.run import Run

__all__ = ["warn_of_contacts"]

_UNSOLVED = 1e-3
"""Violation of the laws of contacts, relative to the largest impulse, from which on it is reported."""


def warn_of_contacts(name: str, run: Run) -> None:
    """Warn of restitution that was lowered, and of steps whose impulses violate the laws of contact."""
    if "contact.lowered" in run and (lowered := run["contact.lowered"]).any():
        worst = int(np.argmax(lowered))
        warn(
            f"machine '{name}': restitution would have added energy in {np.count_nonzero(lowered)} of the rows, the "
            f"first at t = {run.t[np.argmax(lowered > 0.0)]:.6g} s; at t = {run.t[worst]:.6g} s it was lowered to "
            f"{1.0 - lowered[worst]:.6g} of its value"
        )
    if "contact.residual" in run and (unsolved := run["contact.residual"] > _UNSOLVED).any():
        residual = run["contact.residual"]
        worst = int(np.argmax(residual))
        warn(
            f"machine '{name}': impulses violate the laws of contact in {np.count_nonzero(unsolved)} of the rows, by "
            f"up to {residual[worst]:.2g} of the largest one at t = {run.t[worst]:.6g} s (contact.residual): take a "
            "shorter step, or raise max_sweeps of the contact method"
        )
