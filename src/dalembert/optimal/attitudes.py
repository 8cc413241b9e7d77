"""Unit quaternions among the states of a prediction: unit norm, references and the tangent space.

A prediction has the coordinates of the machine as they are, four components for each attitude. The equations see a
quaternion divided by its norm, so that a step of the search that leaves the unit sphere does no harm, and the rate
``q' = N(q) v`` is normal to the quaternion: steps keep its norm. Regulators are computed in the tangent space, in
which a displacement ``d`` moves the coordinates by ``N(q) d``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["of_unit_norm", "reference_state", "tangent_space"]


def of_unit_norm(eom: EquationsOfMotion, q: Expression) -> Expression:
    """Coordinates with each quaternion divided by its norm.

    Parameters
    ----------
    eom
        The equations.
    q
        Coordinates.
    """
    parts = ca.vertsplit(q)
    for _, i in eom.layout.quaternions:
        norm = ca.norm_2(q[i : i + 4])
        parts[i : i + 4] = [x / norm for x in parts[i : i + 4]]
    return ca.vertcat(*parts)


def reference_state(eom: EquationsOfMotion, goals: Mapping[str, Any], t: Any, owner: str) -> Expression:
    """References of coordinates and velocities: of an attitude without one the axes of the parent.

    A velocity without a reference follows that of the coordinates: ``v = N^T q' / |N|^2`` column by column, since the
    columns of N are orthogonal to each other.

    Parameters
    ----------
    eom
        The equations.
    goals
        References by name, expressions of the time.
    t
        Symbol of time.
    owner
        Whose they are, in messages.
    """
    values = [ca.SX(goals.get(name, 0.0)) for name in eom.q_names]
    for joint, i in eom.layout.quaternions:
        names = eom.q_names[i : i + 4]
        given = [name for name in names if name in goals]
        if not given:
            values[i] = ca.SX(1.0)
        elif len(given) < 4:
            missing = ", ".join(name for name in names if name not in goals)
            raise InputError(f"reference of {owner}: an attitude has four components, and '{joint}' lacks {missing}")
    q = of_unit_norm(eom, ca.vertcat(*values))
    N = ca.substitute(_directions(eom), eom.symbolic.q, q)
    rate = ca.jacobian(q, t)
    follows = [ca.dot(N[:, k], rate) / ca.dot(N[:, k], N[:, k]) for k in range(eom.nv)]
    v = [ca.SX(goals.get(name, follows[k])) for k, name in enumerate(eom.v_names)]
    return ca.densify(ca.vertcat(q, *v))


def tangent_space(eom: EquationsOfMotion, q: Array) -> tuple[Array, Array]:
    """Return T and its left inverse E: deviations of a state are ``T e`` with ``e = (displacement, velocity)``.

    Parameters
    ----------
    eom
        The equations.
    q
        Coordinates with quaternions of unit norm.
    """
    N = np.array(ca.Function("N", [eom.symbolic.q], [_directions(eom)])(q), dtype=float)
    T, E = (np.zeros(shape) for shape in ((eom.nq + eom.nv, 2 * eom.nv), (2 * eom.nv, eom.nq + eom.nv)))
    T[: eom.nq, : eom.nv], E[: eom.nv, : eom.nq] = N, np.linalg.pinv(N)
    T[eom.nq :, eom.nv :] = E[eom.nv :, eom.nq :] = np.eye(eom.nv)
    return T, E


def _directions(eom: EquationsOfMotion) -> Expression:
    """``N(q)`` of ``q' = N(q) v``."""
    return ca.jacobian(eom.symbolic.coordinate_rate, eom.symbolic.v)
