"""Deflections up to which a proof along motions holds for the machine, with all terms of its equations.

A motion that bends the machine has a proof that is linear in the deflections. At a state with deflections ``d``, rates
``d'`` and accelerations ``d''`` the matrices of the loop, linear about this state, differ from those of the proof by at
most ``sum_k b_k sup |dP/dx_k|`` entry by entry, over the box ``|x_k| <= b_k`` of these numbers (mean value theorem).
Interval arithmetic bounds the derivatives. While the inequalities hold by more than the norm of this change, two
neighbouring runs of the machine approach each other at every state of the box: runs that stay in the box converge
(W. Lohmiller, J.-J. Slotine, "On contraction analysis for non-linear systems", Automatica 34 (1998) 683-696).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import casadi as ca
import numpy as np

from dalembert.control.varying.energy import EnergyFunction
from dalembert.control.varying.intervals import largest_magnitudes
from dalembert.control.varying.motions import MotionProof
from dalembert.control.varying.moving import MotionLoop, loop_equations
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["DeflectionBox", "proven_deflections"]

_CELLS, _FEWER = 16, 6  # of the range of a joint, of one or two and of three quantities
_LEAST, _MOST = 1e-6, 64.0  # smallest and largest box that is tried
_STEPS, _FEWER_STEPS = 8, 3  # bisections of a small and of a large box


@dataclass(frozen=True)
class DeflectionBox:
    """Deflections up to which a proof holds for the machine.

    Parameters
    ----------
    share
        Size of the box relative to the deflections that the largest forces of the motion cause at rest; 0: none.
    deflections, rates, accelerations
        Bounds by coordinate; rates and accelerations are those of a vibration of this size at the frequency of the
        coordinate.
    """

    share: float
    deflections: dict[str, float]
    rates: dict[str, float]
    accelerations: dict[str, float]


def proven_deflections(loop: MotionLoop, proof: MotionProof) -> DeflectionBox:
    """Largest box of deflections in which a proof holds for the machine, its terms of higher order included.

    Runs of the machine that stay in this box, while joints move within their ranges, rates and accelerations, approach
    each other at the decay of the proof. Whether they stay in it is not proven.

    Parameters
    ----------
    loop
        The loop about motions.
    proof
        Its proof.
    """
    if not proof.proven or proof.energy is None or not proof.bent:
        raise InputError("a box of deflections needs a proof along motions that bend the machine")
    eom, s = loop.eom, loop.eom.symbolic
    names = [n.removesuffix("_dot") for n in proof.bent]
    v = [eom.v_names.index(n) for n in proof.bent]
    unknown = [n for n in names if n not in eom.q_names]
    if unknown:
        raise InputError(f"the motion moves '{unknown[0]}', which is not the coordinate of a deflection")
    q = [eom.q_names.index(n) for n in names]
    parts = loop_equations(eom, loop.law, loop.point.u)(s.q, s.v, s.a, 0.0, s.p)
    x = ca.vertcat(s.q[q], s.v[v], s.a[v])
    slopes = [ca.densify(ca.jacobian(ca.vec(part), x)) for part in parts]
    f = ca.Function("slopes", [s.q, s.v, s.a, s.p], slopes)
    middle = loop.family.at([0.5 * sum(x.positions) for x in loop.varied])[0]
    stiffness, mass = np.diag(middle[4])[v], np.diag(middle[0])[v]
    if (stiffness <= 0.0).any():
        raise InputError(f"'{names[int(stiffness.argmin())]}' has no stiffness: its deflection has no size")
    omega = np.sqrt(stiffness / mass)
    rest = np.array(list(proof.bent.values())) / stiffness

    def holds(share: float) -> bool:
        d = share * rest
        box = np.concatenate([d, omega * d, omega**2 * d])
        try:
            found = largest_magnitudes(f, _cells(loop, q, v, box))
        except InputError:
            return False
        n = eom.nv
        change = np.array([(y.reshape(len(box), n * n).T @ box).reshape(n, n).T for y in found])
        assert proof.energy is not None
        return max(_norms(proof.energy, change, proof.decay)) < (1.0 - 1e-9) * proof.margin

    low, high = _LEAST, 1.0
    while high < _MOST and holds(high):
        low, high = high, 4.0 * high
    if low == _LEAST and not holds(low):
        return DeflectionBox(0.0, dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0))
    for _ in range(_STEPS if low < 1.0 else _FEWER_STEPS):
        middle_share = float(np.sqrt(low * high))
        low, high = (middle_share, high) if holds(middle_share) else (low, middle_share)
    d = low * rest
    sizes = (dict(zip(names, (omega**k * d).tolist(), strict=True)) for k in (0, 1, 2))
    return DeflectionBox(low, *sizes)


def _cells(loop: MotionLoop, q: list[int], v: list[int], box: Array) -> list[tuple[Array, Array]]:
    """Boxes of coordinates, velocities, accelerations and parameters that cover all motions and deflections."""
    eom, m = loop.eom, len(q)
    count = _CELLS if len(loop.varied) < 3 else _FEWER
    edges = [np.linspace(*x.span, count + 1) for x in loop.varied]
    cells = list(product(range(count), repeat=len(loop.varied)))

    def wide(middle: Array) -> tuple[Array, Array]:
        return np.tile(middle[:, None], (1, len(cells))), np.tile(middle[:, None], (1, len(cells)))

    where, rate, push, p = (wide(y) for y in (loop.point.q, np.zeros(eom.nv), np.zeros(eom.nv), loop.p))
    for i, x in enumerate(loop.varied):
        low, high = (np.array([edges[i][c[i] + k] for c in cells]) for k in (0, 1))
        into = p if x.v is None else where
        into[0][x.place], into[1][x.place] = low, high
        if x.v is not None:
            rate[0][x.v], rate[1][x.v] = -x.rate, x.rate
            push[0][x.v], push[1][x.v] = -x.acceleration, x.acceleration
    for places, target, sizes in ((q, where, box[:m]), (v, rate, box[m : 2 * m]), (v, push, box[2 * m :])):
        for place, size in zip(places, sizes, strict=True):
            target[0][place] -= size
            target[1][place] += size
    return [where, rate, push, p]


def _norms(energy: EnergyFunction, change: Array, decay: float) -> tuple[float, float]:
    """Bounds of the change of both inequalities, from bounds of the change of all matrices, entry by entry."""
    M, moved, D, K, rest, softer = change
    S, scale = np.abs(energy.S), energy.scales
    value = np.block([[rest, S @ M], [(S @ M).T, M]])
    corner = (D + moved).T @ S.T + K + rest
    upper, lower = S @ K, D + S @ M
    fall = np.block([[upper + upper.T + softer, corner.T], [corner, lower + lower.T + moved]])
    fall = fall + 2.0 * decay * value
    first, second = (float(np.linalg.norm(scale[:, None] * x * scale, 2)) for x in (fall, value))
    return first, second
