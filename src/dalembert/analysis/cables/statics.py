"""Structure matrix and static equilibrium of suspended platforms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.analysis.cables.kinematics import cable_terms, configuration, numbers, platform_velocities
from dalembert.analysis.cables.pulls import CablePulls
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.formulations.equations import Parameters
from dalembert.model.machine import Machine

__all__ = ["StaticPose", "static_equilibrium", "structure_matrix"]

_FOUND = 1e-7  # error up to which it is an equilibrium
_PUSHES = 1e-9  # part of the weight that a cable may push with: rounding
_TOO_LONG = 1e-9  # by how much [m] the way of a slack cable may be longer than the cable: rounding


@dataclass(frozen=True, eq=False)
class StaticPose:
    """A configuration at rest.

    Parameters
    ----------
    q
        Configuration.
    tensions
        Tensions of the cables, at their anchors.
    residual
        Largest unbalanced force, and length error, that is left.
    """

    q: Array
    tensions: Array
    residual: float


def structure_matrix(machine: Machine, q: ArrayLike, *, p: Parameters = None) -> Array:
    """Matrix ``A`` with the platform's generalised force ``A f`` of the tensions ``f``: ``A = -(dL/dv)^T``.

    Its rows belong to the velocities that are no winches (for a free platform: body twist).
    """
    _, J = cable_terms(machine, q, p=p)
    return np.asarray(-J[:, platform_velocities(machine)].T)


def static_equilibrium(
    machine: Machine,
    lengths: ArrayLike,
    guess: ArrayLike,
    *,
    t: float = 0.0,
    p: Parameters = None,
    tolerance: float = 1e-11,
) -> StaticPose:
    """Rest of a suspended platform whose cables have given lengths, by Newton's method.

    Solved are ``bias = A f`` and ``L(q) = l``, or ``L(q) = l (1 + f / EA)`` for an elastic cable. A cable that would
    have to push is slack instead, ``f = 0`` and ``L(q) <= l``: which ones are is found by an active-set method. Cables
    with weight hang as catenaries of the given lengths; they always pull.

    Parameters
    ----------
    machine
        The robot.
    lengths
        Lengths of the cables; of elastic ones unstretched.
    guess
        Configuration to start from.
    t, p
        Time and parameter values.
    tolerance
        Largest error of forces (relative to the weight) and lengths.

    Raises
    ------
    InputError
        If no equilibrium is found.
    """
    q = configuration(machine, guess)
    target = numbers(lengths, len(machine.cables), "lengths, one per cable,")
    if not (target > 0.0).all():
        raise InputError(f"lengths, one per cable, must be > 0, got {target.tolist()}")
    statics = _Statics(CablePulls(machine, t=t, p=p), target)
    taut, seen, error = np.ones(len(machine.cables), dtype=bool), set[bytes](), np.inf
    while taut.tobytes() not in seen:
        seen.add(taut.tobytes())
        pose, long = statics.rest(q, taut, tolerance)
        pushing = np.where(statics.never_slack | ~taut, 0.0, pose.tensions) < -_PUSHES * statics.weight
        too_long = ~taut & (long > _TOO_LONG)
        error = pose.residual
        taut = taut.copy()
        if not error <= _FOUND:  # these cables cannot all be taut: that which is loosest at the guess is not
            loose = np.where(taut & ~statics.never_slack, statics.excess(q), np.inf)
            if not np.isfinite(loose.min()):
                break
            taut[int(np.argmin(loose))] = False
        elif pushing.any():
            taut[int(np.argmin(np.where(pushing, pose.tensions, 0.0)))] = False
        elif too_long.any():
            taut[int(np.argmax(np.where(too_long, long, 0.0)))] = True
        else:
            return pose
        q = pose.q if error <= _FOUND else q
    raise InputError(f"no static equilibrium of machine '{machine.name}' near the guess (error {error:.3g})")


class _Statics:
    """The equations of a platform at rest under cables of given lengths."""

    def __init__(self, cables: CablePulls, target: Array) -> None:
        self._cables, self._target = cables, target
        self.never_slack = np.array([cable.bilateral for cable in cables.machine.cables], dtype=bool) | cables.heavy
        self.weight = 1.0

    def excess(self, q: Array) -> Array:
        """By how much the way of each straight cable is longer than the cable without load."""
        heavy = self._cables.heavy
        return np.where(heavy, 0.0, self._cables.at(q, np.where(heavy, self._start(q), 0.0)).lengths - self._target)

    def rest(self, q: Array, taut: NDArray[np.bool_], tolerance: float) -> tuple[StaticPose, Array]:
        """Rest with some cables taut and the others slack, with its error; and how much too long each way is."""
        cables, n = self._cables, len(self._target)
        platform, heavy = cables.platform, cables.heavy
        f = np.where(heavy, self._start(q), 0.0)
        here = cables.at(q, f)
        light = taut & ~heavy
        f[light] = np.linalg.lstsq(-here.force_f[:, light], here.force, rcond=None)[0]
        self.weight = max(float(np.max(np.abs(cables.load(q)))), float(np.max(f, initial=0.0, where=heavy)))
        error = np.inf
        for _ in range(200):
            here = cables.at(q, f)
            long = here.lengths - self._target
            error = max(float(np.max(np.abs(here.force))) / self.weight, float(np.max(np.abs(long[taut]), initial=0.0)))
            if error <= tolerance or not np.isfinite(error):
                break
            matrix = np.block(
                [[here.force_x, here.force_f[:, taut]], [here.lengths_x[taut], np.diag(here.lengths_f)[taut][:, taut]]]
            )
            step = np.linalg.lstsq(matrix, -np.concatenate([here.force, long[taut]]), rcond=1e-12)[0]
            tighter = np.zeros(n)
            tighter[taut] = step[len(platform) :]
            damp = min(1.0, 0.2 / max(float(np.max(np.abs(step[: len(platform)]))), 1e-12))
            damp = min(damp, 0.7 / max(float(np.max(-tighter[heavy] / f[heavy], initial=0.0)), 1e-12))
            move = np.zeros(cables.eom.nv)
            move[platform] = damp * step[: len(platform)]
            q = cables.eom.integrate(q, move)
            f = f + damp * tighter
        return StaticPose(q, here.anchors, error), self.excess(q)

    def _start(self, q: Array) -> Array:
        """Tensions with which the cables have their lengths."""
        return self._cables.tensions_of(q, self._target)
