"""Linearised frequencies of a constrained machine at rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.machine import Machine

__all__ = ["frequencies"]


def frequencies(
    machine: Machine | EquationsOfMotion,
    q: ArrayLike,
    *,
    locked: Sequence[str] = (),
    t: float = 0.0,
    p: Any = None,
    tolerance: float = 1e-6,
) -> NDArray[np.float64]:
    """Natural frequencies [Hz] about a rest position, ascending; imaginary ones (unstable) are returned as negative.

    On the motions that the constraints allow, ``N`` the null space of ``J``: ``N^T M N``, ``N^T (K + dJ^T lambda) N``.

    Parameters
    ----------
    machine
        The machine, or its equations.
    q
        Configuration at rest.
    locked
        Joints that do not move, such as winches with their brakes on.
    t, p
        Time and parameter values.
    tolerance
        Largest force that may be left unbalanced, relative to the largest one.
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine, backend="vm")
    s, system = eom.symbolic, eom.constraint_system
    blocks = {b.name: b for b in eom.layout.blocks}
    still = []
    for name in locked:
        if name not in blocks:
            raise UnknownNameError("joint", name, blocks, f"machine '{eom.machine.name}'")
        still += list(range(blocks[name].v.start, blocks[name].v.stop))
    free = [i for i in range(eom.nv) if i not in still]
    multipliers = ca.SX.sym("lambda", system.m)
    B = ca.jacobian(s.coordinate_rate, s.v)
    force = s.bias - s.wrenches + system.jacobian.T @ multipliers
    force = ca.substitute(force, s.v, ca.SX.zeros(eom.nv))
    outputs = [s.mass_matrix, system.jacobian, force, ca.jacobian(force, s.q) @ B]
    f = ca.Function("modes", [s.q, multipliers, s.t, s.p, system.mode], [ca.densify(ca.SX(x)) for x in outputs])
    configuration, values = np.asarray(q, dtype=float), eom.parameter_values(p)
    mode = system.measured(system.mode_nominal, configuration, t, values)

    def at(x: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        return [np.array(y.full()) for y in f(configuration, x, t, values, mode)]

    M, J, load, _ = at(np.zeros(system.m))
    J = J[:, free]
    found = np.zeros(system.m)
    if system.m:
        found = np.asarray(np.linalg.lstsq(J.T, -load[free, 0], rcond=1e-10)[0], dtype=float)
    _, _, rest, K = at(found)
    scale = float(np.max(np.abs(load)))
    left = float(np.max(np.abs(rest[free])))
    if left > tolerance * max(scale, 1e-12):
        raise InputError(f"machine '{eom.machine.name}' is not at rest there: {left:.4g} N is left unbalanced")
    N = np.eye(len(free))
    if system.m:
        _, sigma, Vt = np.linalg.svd(J)
        N = Vt[int(np.sum(sigma > 1e-9 * sigma[0])) :].T
    from scipy.linalg import eigh

    k = N.T @ K[np.ix_(free, free)] @ N
    squares = eigh((k + k.T) / 2, N.T @ M[np.ix_(free, free)] @ N, eigvals_only=True)
    return np.asarray(np.sign(squares) * np.sqrt(np.abs(squares)) / (2 * np.pi))
