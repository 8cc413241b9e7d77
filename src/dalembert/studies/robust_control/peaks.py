"""Peaks of the flexible chaser at random configurations (SPACE Fig. 8.19), as (8.8) to (8.10) are printed.

They have modes without damping, disturb the accelerations of all coordinates, modes among them, and judge all of them.
With the modes' damping of 0.005 and disturbances of base and joints alone peaks are a hundred times smaller.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from dalembert.analysis.linearize import linearize
from dalembert.control.hinf import hinf_norm
from dalembert.core.types import Array
from dalembert.formulations.equations import derive
from dalembert.model.machine import Machine
from dalembert.studies.robust_control.chaser import DAMPING, RATE, driven
from dalembert.studies.robust_control.lyapunov import random_configurations
from dalembert.studies.robust_control.synthesis import FLEXIBLE
from dalembert.systems.space_robots import space_chaser

__all__ = ["printed_peaks", "printed_system"]


@cache
def _chaser() -> Machine:
    return space_chaser("flexible", arrays=None, rotors=False, damping=0.0)


def printed_system(angles: Array) -> tuple[Array, Array, Array, Array]:
    """From accelerations ``w`` of all coordinates to ``z``, weighted by (8.11), under the gains "Multi" of Table 8.4.

    The gains of the base are ``w^2 D_ii`` and ``2 xi w D_ii``; accelerations of the modes have no weight.
    """
    machine = _chaser()
    q = machine.q_neutral
    for k, angle in enumerate(angles):
        q[machine.q_names.index(f"theta{k + 1}")] = angle
    M, A = np.asarray(derive(machine).mass_matrix(q)), np.array(linearize(machine, at=q).A)
    n = len(M)
    rows = [list(machine.v_names).index(v) for v in driven(machine)]
    w = np.zeros(n)
    w[rows] = RATE * np.array([1.0] * 6 + [10.0] * 6)
    base = np.diag(M)[rows][:6]
    gains = np.zeros((n, 2 * n))
    gains[rows, rows] = np.concatenate([RATE**2 * base, FLEXIBLE["multi"][0]])
    gains[rows, [n + k for k in rows]] = np.concatenate([2 * DAMPING * RATE * base, FLEXIBLE["multi"][1]])
    A[n:] -= np.linalg.solve(M, gains)
    return (
        A,
        np.vstack([np.zeros((n, n)), np.eye(n)]),
        A[n:] + np.hstack([np.diag(w**2), np.diag(2 * DAMPING * w)]),
        np.eye(n),
    )


def printed_peaks(count: int, seed: int = 0) -> Array:
    """Largest gains [dB] over all frequencies at random configurations."""
    import control

    gains = [hinf_norm(control.ss(*printed_system(angles))).value for angles in random_configurations(count, seed)]
    return np.asarray(20.0 * np.log10(gains))
