"""The statement of SPACE 8.3.3.1 on the chaser: the guarantee of positive gains, and the effect of other gains.

With collocated controls ``f = -Kp x - Kd v`` and symmetric positive definite ``Kp`` and ``Kd`` the energy
``v' D v + x' Kp x + x' K x`` falls, whatever the configuration and however flexible. So the instabilities of Figs. 8.6
and 8.8 need gains that are not: a free block of the base, or the centralised law (8.2), ``D(q0) Kp`` with unequal
gains.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.core.types import Array
from dalembert.studies.robust_control.chaser import DAMPING, LIMITS, RATE
from dalembert.studies.robust_control.synthesis import CONFIGURATIONS, RIGID, mass_matrix

__all__ = ["INDEFINITE", "Samples", "abscissa", "centralised_gains", "pd_gains", "random_configurations", "unstable"]

# A free block Kp_rot of the base [Nm/rad] whose symmetric part is indefinite: it stabilises q1, and not q2.
INDEFINITE = np.array([[8.0, 3.0, 9.0], [-9.0, -3.0, 8.0], [-12.0, -14.0, 6.0]])


@dataclass(frozen=True)
class Samples:
    """Random configurations, and how many of them are unstable."""

    count: int
    unstable: int


def pd_gains(case: str = "mono1", at: str = "q1") -> tuple[Array, Array]:
    """``Kp`` and ``Kd``: Table 8.2 for the joints, ``w^2 D_ii`` and ``2 xi w D_ii`` for the base."""
    base = np.diag(mass_matrix(CONFIGURATIONS[at], "printed"))[:6]
    kp, kd = RIGID[case]
    return np.diag([*(RATE**2 * base), *kp]), np.diag([*(2 * DAMPING * RATE * base), *kd])


def centralised_gains(spread: float, seed: int = 0, at: str = "q1") -> tuple[Array, Array]:
    """Gains of the centralised law (8.2), ``D(q0) Kp``, whose entries differ by factors of the order of ``spread``."""
    Kp, Kd = pd_gains(at=at)
    D0 = mass_matrix(CONFIGURATIONS[at], "printed")[6:, 6:]
    w, rng = 10.0 * RATE, np.random.default_rng(seed)
    Kp[6:, 6:] = D0 * (w**2 * spread ** rng.normal(size=6))
    Kd[6:, 6:] = D0 * (2 * DAMPING * w * spread ** rng.normal(size=6))
    return Kp, Kd


def abscissa(M: Array, Kp: Array, Kd: Array) -> float:
    """Largest real part of the poles of ``M a + Kd v + Kp x = 0``."""
    n = len(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, Kp), -np.linalg.solve(M, Kd)]])
    return float(np.linalg.eigvals(A).real.max())


def random_configurations(count: int, seed: int = 0) -> Array:
    """Angles of the joints within their limits [rad]; joint 6 does not matter."""
    low, high = np.radians(np.array(list(LIMITS.values()), dtype=float)).T
    angles = np.random.default_rng(seed).uniform(low, high, size=(count, 5))
    return np.hstack([angles, np.zeros((count, 1))])


def unstable(gains: tuple[Array, Array], count: int, seed: int = 0) -> Samples:
    """How many random configurations gains leave unstable."""
    indefinite = [abscissa(mass_matrix(q, "printed"), *gains) >= 0.0 for q in random_configurations(count, seed)]
    return Samples(count, sum(indefinite))
