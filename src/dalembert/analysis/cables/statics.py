"""Structure matrix and static equilibrium of suspended platforms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.analysis.cables.kinematics import cable_terms, configuration, numbers, platform_velocities
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive
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
        Tensions of the cables.
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


@lru_cache(maxsize=32)
def _balance(machine: Machine) -> ca.Function:
    """(q, f, t, p) -> unbalanced force on the platform, its derivative by a displacement, and the strain of each cable.

    Elastic cables pull with ``f`` here, whatever their length.
    """
    eom = derive(machine, backend="vm")
    s, platform = eom.symbolic, platform_velocities(machine)
    bias = s.bias - eom.formulation.strain_force()
    f = ca.SX.sym("f", len(machine.cables))
    B = ca.jacobian(s.coordinate_rate, s.v)
    L = ca.vertcat(*[eom.constraint_system.paths[c.name].length for c in machine.cables])
    load = ca.substitute(bias - s.wrenches, s.v, ca.SX.zeros(eom.nv))
    force = (load + (ca.jacobian(L, s.q) @ B).T @ f)[platform]
    K = (ca.jacobian(force, s.q) @ B)[:, platform]
    strain = ca.vertcat(*[f[k] / s.value(c.stiffness) if c.elastic else 0 for k, c in enumerate(machine.cables)])
    return ca.Function("balance", [s.q, f, s.t, s.p], [ca.densify(x) for x in (force, K, strain)])


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
    have to push is slack instead, ``f = 0`` and ``L(q) <= l``: which ones are is found by an active-set method.

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
    eom = derive(machine, backend="vm")
    statics = _Statics(machine, eom, numbers(lengths, len(machine.cables), "lengths, one per cable,"), t, p)
    q = configuration(machine, guess)
    taut, seen, error = np.ones(len(machine.cables), dtype=bool), set[bytes](), np.inf
    while taut.tobytes() not in seen:
        seen.add(taut.tobytes())
        pose, long = statics.rest(q, taut, tolerance)
        pushing = np.where(statics.bilateral | ~taut, 0.0, pose.tensions) < -_PUSHES * statics.weight
        too_long = ~taut & (long > _TOO_LONG)
        error = pose.residual
        taut = taut.copy()
        if not error <= _FOUND:  # these cables cannot all be taut: that which is loosest at the guess is not
            loose = np.where(taut & ~statics.bilateral, statics.excess(q), np.inf)
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

    def __init__(self, machine: Machine, eom: EquationsOfMotion, target: Array, t: float, p: Parameters) -> None:
        self._machine, self._eom, self._target, self._t, self._p = machine, eom, target, t, p
        self._balance, self._values = _balance(machine), eom.parameter_values(p)
        self._platform = platform_velocities(machine)
        self.bilateral = np.array([cable.bilateral for cable in machine.cables], dtype=bool)
        self.weight = 1.0

    def excess(self, q: Array, strain: float | Array = 0.0) -> Array:
        """By how much the way of each cable is longer than the cable."""
        L, _ = cable_terms(self._machine, q, t=self._t, p=self._p)
        return np.asarray(L - self._target * (1.0 + strain))

    def rest(self, q: Array, taut: NDArray[np.bool_], tolerance: float) -> tuple[StaticPose, Array]:
        """Rest with some cables taut and the others slack, with its error; and how much too long each way is."""
        eom, platform, n = self._eom, self._platform, len(self._target)
        load = self._evaluated(q, np.zeros(n))[0]
        f = np.zeros(n)
        A = structure_matrix(self._machine, q, p=self._p)
        f[taut] = np.linalg.lstsq(A[:, taut], load[:, 0], rcond=None)[0]
        self.weight = float(np.max(np.abs(load)))
        give = self._evaluated(q, np.ones(n))[2][:, 0]
        error = np.inf
        for _ in range(200):
            force, K, strain = self._evaluated(q, f)
            L, J = cable_terms(self._machine, q, t=self._t, p=self._p)
            long = L - self._target * (1 + strain[:, 0])
            error = max(float(np.max(np.abs(force))) / self.weight, float(np.max(np.abs(long[taut]), initial=0.0)))
            if error <= tolerance or not np.isfinite(error):
                break
            rows = J[taut][:, platform]
            matrix = np.block([[K, rows.T], [rows, -np.diag((self._target * give)[taut])]])
            step = np.linalg.lstsq(matrix, -np.concatenate([force[:, 0], long[taut]]), rcond=1e-12)[0]
            damp = min(1.0, 0.2 / max(float(np.max(np.abs(step[: len(platform)]))), 1e-12))
            move = np.zeros(eom.nv)
            move[platform] = damp * step[: len(platform)]
            q = eom.integrate(q, move)
            f[taut] += damp * step[len(platform) :]
        return StaticPose(q, f, error), self.excess(q)

    def _evaluated(self, q: Array, f: Array) -> list[Array]:
        return [np.array(x.full()) for x in self._balance(q, f, self._t, self._values)]
