"""Analysis of a machine's loop about an equilibrium, as numbers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dalembert.analysis.linearize import law_gain, linearize
from dalembert.control.hinf import hinf_norm
from dalembert.control.margins import disk_margins
from dalembert.control.mu import Robustness, robust_stability
from dalembert.control.signals import gain_table
from dalembert.control.uncertain import uncertain
from dalembert.core.errors import InputError
from dalembert.core.ports import Law
from dalembert.formulations.equations import derive
from dalembert.model.machine import Machine

__all__ = ["loop_report"]


def loop_report(
    machine: Machine,
    law: Law | None,
    *,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    gains: Mapping[tuple[str, str], float] | None = None,
    at: Mapping[str, float] | None = None,
    level: float | None = None,
    seconds: float = 60.0,
    progress: Callable[[str], object] = lambda text: None,
) -> tuple[dict[str, Any], Robustness | None]:
    """Stability, sensitivity and disk margins of a loop, and proofs about it over ranges; the proof itself.

    Parameters
    ----------
    machine
        The machine.
    law
        A law without internal states; not needed with gains.
    ranges
        Ranges of angles [rad] and parameters.
    gains
        Gains by (motor, state), ``u = -K x``, in the place of the law.
    at
        Configuration.
    level, seconds
        As in `robust_stability`.
    progress
        Called with a text now and then.
    """
    import control

    eom = derive(machine)
    plant = linearize(eom, at)
    if gains:
        K = gain_table(gains, plant.input_labels, plant.output_labels)
    elif law is not None:
        K = -law_gain(eom, law, at)
    else:
        raise InputError(f"machine '{machine.name}' has no law: give gains as --gain MOTOR:STATE=NUMBER")
    closed = np.array(plant.A) - np.array(plant.B) @ K @ np.array(plant.C)
    poles = np.linalg.eigvals(closed)
    answer: dict[str, Any] = {"stable": bool(poles.real.max() < 0.0), "slowest pole": float(poles.real.max())}
    loop = control.ss(plant.A, plant.B, K @ np.array(plant.C), np.zeros((plant.ninputs, plant.ninputs)))
    if answer["stable"]:
        progress("margins")
        answer["sensitivity"] = hinf_norm(control.feedback(control.ss([], [], [], np.eye(plant.ninputs)), loop)).value
        answer["margins"] = {
            name: {"gain": list(m.gain), "phase": float(np.degrees(m.phase)), "omega": m.omega}
            for name, m in zip(plant.input_labels, disk_margins(loop), strict=True)
        }
    proof = None
    if ranges:
        spans = dict(ranges)
        progress(f"model over the ranges of {', '.join(spans)}")
        model = uncertain(eom, spans, at=at)
        progress(f"proof over the ranges of {', '.join(spans)}")
        proof = robust_stability(
            model.lft.feedback(K, model.lft.outputs, model.lft.inputs),
            level=level,
            seconds=seconds,
            progress=lambda w, spent: progress(f"proof: up to {w:.4g} rad/s, {spent:.0f} s of processor time"),
        )
        size = 1.0 / max(1.0, proof.upper) if proof.complete and np.isfinite(proof.upper) else 0.0
        low, high = (model.values(**dict.fromkeys(spans, s * size)) for s in (-1.0, 1.0))
        answer |= {
            "blocks": model.lft.sizes,
            "mu": [proof.lower, proof.upper if np.isfinite(proof.upper) else None],
            "proof": proof.message,
            "guaranteed": {n: [low[n], high[n]] for n in spans} if size else {},
            "proven": proof.guaranteed,
        }
        if proof.worst is not None and proof.worst.size <= 1.0:
            answer["unstable at"] = model.values(**{n: proof.worst.values.get(n, 0.0) for n in spans})
    return answer, proof
