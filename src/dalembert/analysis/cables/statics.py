"""Structure matrix and static equilibrium of suspended platforms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.cables.kinematics import cable_terms, configuration, numbers, platform_velocities
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.formulations.equations import Parameters, derive
from dalembert.model.machine import Machine

__all__ = ["StaticPose", "static_equilibrium", "structure_matrix"]


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

    Solved are ``bias = A f`` and ``L(q) = l``, or ``L(q) = l (1 + f / EA)`` for an elastic cable.

    Parameters
    ----------
    machine
        The robot.
    lengths
        Lengths of the cables, of elastic ones without load.
    guess
        Configuration to start from.
    t, p
        Time and parameter values.
    tolerance
        Largest error of forces (relative to the weight) and lengths.

    Raises
    ------
    InputError
        If no equilibrium is found, or a cable that cannot push would have to.
    """
    q = configuration(machine, guess)
    eom = derive(machine, backend="vm")
    platform, values = platform_velocities(machine), eom.parameter_values(p)
    target = numbers(lengths, len(machine.cables), "lengths, one per cable,")
    balance = _balance(machine)
    load = np.array(balance(q, np.zeros(len(target)), t, values)[0].full())[:, 0]
    f = np.linalg.lstsq(structure_matrix(machine, q, p=p), load, rcond=None)[0]
    weight = float(np.max(np.abs(load)))
    give = np.array(balance(q, np.ones(len(target)), t, values)[2].full())[:, 0]
    error = np.inf
    for _ in range(200):
        force, K, strain = (np.array(x.full()) for x in balance(q, f, t, values))
        L, J = cable_terms(machine, q, t=t, p=p)
        A, excess = -J[:, platform].T, L - target * (1 + strain[:, 0])
        residual = np.concatenate([force[:, 0], excess])
        error = max(float(np.max(np.abs(force))) / weight, float(np.max(np.abs(excess))))
        if error <= tolerance:
            break
        matrix = np.block([[K, -A], [J[:, platform], -np.diag(target * give)]])
        step = np.linalg.lstsq(matrix, -residual, rcond=1e-12)[0]
        damp = min(1.0, 0.2 / max(float(np.max(np.abs(step[: len(platform)]))), 1e-12))
        move = np.zeros(eom.nv)
        move[platform] = damp * step[: len(platform)]
        q, f = eom.integrate(q, move), f + damp * step[len(platform) :]
    if not error <= 1e-7:
        raise InputError(f"no static equilibrium of machine '{machine.name}' near the guess (error {error:.3g})")
    for cable, tension in zip(machine.cables, f, strict=True):
        if not cable.bilateral and tension < -1e-9 * weight:
            raise InputError(
                f"in this equilibrium cable '{cable.name}' would have to push with {-tension:.4g} N; "
                "the robot cannot rest there"
            )
    return StaticPose(q, f, error)
