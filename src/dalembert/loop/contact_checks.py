"""Warnings about steps of time-stepping, from the faults that they have counted."""

from __future__ import annotations

from dalembert.core.warn import warn
from dalembert.engine.stepping.native import StepFaults
from dalembert.simulation.run import Run

__all__ = ["warn_of_contacts"]


def warn_of_contacts(name: str, run: Run) -> None:
    """Warn of restitution that was lowered, and of steps whose impulses violate the laws, recorded or not."""
    if "contact_faults" not in run.metadata:
        return
    faults = StepFaults(**run.metadata["contact_faults"])
    if faults.lowered:
        warn(
            f"machine '{name}': restitution would have added energy in {faults.lowered} of the steps, the first at "
            f"t = {faults.lowered_since:.6g} s; at t = {faults.lowered_t:.6g} s it was lowered to "
            f"{1.0 - faults.most_lowered:.6g} of its value"
        )
    if faults.unsolved:
        warn(
            f"machine '{name}': impulses violate the laws of contact in {faults.unsolved} of the steps, by up to "
            f"{faults.most_residual:.2g} of the largest one at t = {faults.residual_t:.6g} s (contact.residual): take "
            "a shorter step, or raise max_sweeps of the contact method"
        )
