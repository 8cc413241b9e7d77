"""Stability of machines along motions of their joints, by Lyapunov functions that contain the mass matrix.

About a motion of some joints the loop of a machine with a law is ``M x'' + D x' + K x = 0``, with matrices that depend
on the positions, rates and accelerations of these joints. The Lyapunov function

    V = x'^T M x' / 2 + x^T S M x' + x^T (K_0 + X) x / 2

with the stiffness ``K_0`` at rest is the energy with a coupling ``S`` of displacements and momenta (S. Arimoto,
*Control Theory of Non-linear Mechanical Systems*, 1996). Its derivative contains ``M x''``, for which the equations
give ``-D x' - K x``. No mass matrix is inverted, so that ``-2 V' = x^T W x`` has entries that are as simple as those
of the equations: in each angle a trigonometric polynomial of degree two, in each sliding coordinate a polynomial of
degree two, quadratic in the rates and linear in the accelerations.

``S`` and ``X`` follow from linear matrix inequalities at some values. The proof is an evaluation of ``W`` and ``V``
on a grid: between its nodes a function differs from its multilinear interpolation by at most
``sum_i h_i^2 max |d2W/dx_i2| / 8``, with a bound of the second derivatives from the coefficients of the polynomials.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from dalembert.control.varying.energy import EnergyFunction, LinearFamily, curvature, energy_functions
from dalembert.control.varying.moving import AGREEMENT, MotionLoop, motion_loop
from dalembert.core.ports import Law
from dalembert.core.types import Array, StateLike
from dalembert.core.validation import check_number
from dalembert.formulations.equations import EquationsOfMotion, Parameters
from dalembert.model.machine import Machine

__all__ = ["MotionProof", "motion_stability", "proven_motion", "verified"]

_NODES = 4096  # of the grid at most
_SHARE = 0.5  # of the margin that the distance of the nodes may use


@dataclass(frozen=True, eq=False)
class MotionProof:
    """Result of a proof along motions of joints.

    Parameters
    ----------
    proven
        Whether the loop is proven to be stable for every motion within ranges, rates and accelerations.
    motion
        Largest rates and accelerations of the joints.
    decay
        Rate of decay [1/s] that is proven.
    margin
        By how much the inequalities hold, relative, with the distance of the nodes and rounding taken off.
    nodes
        Number of values of positions at which they were evaluated.
    bent
        Coordinates that the motion itself bends, with the largest force that is left to them. The equations are
        linear about the straight machine there: the force acts as a disturbance, and terms of the second order in
        these coordinates are left out.
    energy
        Matrices of the Lyapunov function; None if nothing was found.
    message
        The result in words.
    """

    proven: bool
    motion: dict[str, tuple[float, float]]
    decay: float
    margin: float
    nodes: int
    bent: dict[str, float]
    energy: EnergyFunction | None = field(repr=False)
    message: str

    @property
    def guaranteed(self) -> bool:
        """Whether it is proven, of motions that bend nothing."""
        return self.proven and not self.bent


def motion_stability(
    machine: Machine | EquationsOfMotion,
    law: Law,
    ranges: Mapping[str, tuple[float, float]],
    motion: Mapping[str, tuple[float, float]],
    *,
    at: StateLike = None,
    decay: float = 0.0,
    p: Parameters = None,
    progress: Callable[[str], object] = lambda text: None,
) -> MotionProof:
    """Prove that the loop of a machine is stable while joints move within ranges, rates and accelerations.

    The joints follow any motion, and the law sees deviations from it: deviations decay exponentially. The law has
    fixed gains and no states. Machines have no constraints and no contacts.

    Parameters
    ----------
    machine
        The machine.
    law
        The law that runs, about a reference that moves.
    ranges
        Ranges of the joints that move [rad, m]; full turns are allowed. A parameter with a range is a constant in it:
        the equations must be polynomials of degree two of it, as they are of masses.
    motion
        Their largest rates and accelerations.
    at
        Configuration of the other coordinates.
    decay
        Rate of decay [1/s] to prove.
    p
        Parameter values.
    progress
        Called with a text now and then.

    Examples
    --------
    A pendulum on a rope of 1 to 3 m that is hoisted, with a damped pivot:

    >>> import dalembert as da
    >>> from dalembert.control import linear_feedback
    >>> hoist = da.Machine(
    ...     "hoist",
    ...     bodies=[da.Body("rope"), da.point_mass("load", 2.0)],
    ...     joints=[
    ...         da.Joint("sway", "revolute", "world", "rope", axis="y", damping=20.0),
    ...         da.Joint("l", "prismatic", "rope", "load", axis="-z"),
    ...     ],
    ...     motors=[da.Motor("F", "l")],
    ... )
    >>> law = linear_feedback(hoist, [[30.0, 30.0]], measured=["l", "l_dot"], controls=["F"], at={"l": 2.0})
    >>> slow, fast = ({"l": (rate, 1.0)} for rate in (0.3, 30.0))
    >>> [motion_stability(hoist, law, {"l": (1.0, 3.0)}, m, at={"l": 2.0}).proven for m in (slow, fast)]
    [True, False]
    """
    sigma = check_number("decay", decay, positive=False)
    progress("equations along the motion")
    loop = motion_loop(machine, law, ranges, motion, at=at, p=p)
    return proven_motion(loop, sigma, progress=progress)


def proven_motion(
    loop: MotionLoop,
    decay: float = 0.0,
    *,
    bent: Mapping[str, float] | None = None,
    simple: bool = False,
    progress: Callable[[str], object] = lambda text: None,
) -> MotionProof:
    """Prove that a loop about motions decays.

    Parameters
    ----------
    loop
        The loop.
    decay
        Rate of decay [1/s] to prove.
    bent
        Coordinates that the motion bends, if they are known.
    simple
        Whether to try functions of the energy only, without linear matrix inequalities.
    progress
        Called with a text now and then.
    """
    family = loop.family
    bent = loop.bent() if bent is None else dict(bent)
    told = {j.name: (j.rate, j.acceleration) for j in loop.joints}
    what = "stability" if not decay else f"a decay of {decay:.4g} 1/s"
    proof = MotionProof(
        False, told, decay, -np.inf, 0, bent, None, f"{what} is not proven: no Lyapunov function of this form was found"
    )
    for energy in energy_functions(family, decay, progress, simple=simple):
        margins, nodes = verified(family, energy, np.diag(energy.scales), decay, progress)
        margin = float(margins.min())
        if margin > 0.0:
            extent = "for the machine along every such motion"
            if bent:
                most = max(bent, key=lambda n: bent[n])
                extent = f"to the first order in coordinates that the motion bends, such as '{most}'"
            return MotionProof(True, told, decay, margin, nodes, bent, energy, f"{what} is proven {extent}")
        message = f"{what} is not proven: the inequalities do not hold between {nodes} nodes"
        proof = MotionProof(False, told, decay, margin, nodes, bent, None, message)
    return proof


def verified(
    family: LinearFamily,
    energy: EnergyFunction,
    frame: Array,
    decay: float,
    progress: Callable[[str], object] = lambda text: None,
) -> tuple[Array, int]:
    """By how much the function falls and is positive between all nodes, and their number; not positive: it does not.

    Parameters
    ----------
    family, energy, decay, progress
        The equations, the function, the rate of decay, and a callback.
    frame
        Displacements and velocities in terms of coordinates of equal size, in which the least eigenvalues are measured.
    """
    d = len(family.spans)

    def scaled(x: Array) -> Array:
        return np.asarray(frame.T @ x @ frame)

    def falls(parts: Array) -> Array:
        """The matrices of all monomials."""
        return np.array([scaled(energy.fall(x, decay, first=k == 0)) for k, x in enumerate(parts)])

    curved, total = np.zeros((2, d)), np.zeros(2)
    for index in np.ndindex(*family.coefficients.shape[1 : 1 + d]):
        parts = family.coefficients[(slice(None), *index)]
        first = not any(index)
        sizes = [
            sum(np.linalg.norm(scaled(energy.fall(x, decay, first=first and k == 0)), 2) for k, x in enumerate(parts)),
            np.linalg.norm(scaled(energy.value(parts[0], first)), 2),
        ]
        bends = [curvature(turns)[i] for i, turns in zip(index, family.turning, strict=True)]
        curved += np.outer(np.array(sizes, dtype=float), bends)
        total += np.array(sizes, dtype=float)
    vertices = np.array(family.vertices)
    rounding = 2.0 * AGREEMENT * total

    def least(counts: Sequence[int]) -> Array:
        """Least eigenvalues of both inequalities at the nodes of a grid."""
        lowest = np.full(2, np.inf)
        grid = list(product(*(np.linspace(*span, n) for span, n in zip(family.spans, counts, strict=True))))
        for k, x in enumerate(grid):
            parts = family.at(x)
            W = np.tensordot(vertices, falls(parts), 1)
            found = np.array([np.linalg.eigvalsh(W)[:, 0].min(), np.linalg.eigvalsh(scaled(energy.value(parts[0])))[0]])
            lowest = np.minimum(lowest, found)
            if k % 50 == 49:
                progress(f"node {k + 1} of {len(grid)}")
            if (lowest <= 0.0).any():
                break
        return lowest

    rough = least([3] * d)
    if (rough <= 0.0).any():
        return rough, 3**d
    widths = np.array([hi - lo for lo, hi in family.spans])
    with np.errstate(divide="ignore"):
        steps = np.sqrt(8.0 * _SHARE * (rough[:, None] / d) / curved).min(axis=0)
    counts = [int(np.ceil(w / h)) + 1 if np.isfinite(h) else 2 for w, h in zip(widths, steps, strict=True)]
    counts = [max(n, 2) for n in counts]
    if np.prod(counts, dtype=float) > _NODES:
        return np.full(2, -np.inf), int(np.prod(counts))
    between = (np.square(widths / (np.array(counts) - 1.0)) / 8.0 * curved).sum(axis=1)
    return np.asarray(least(counts) - between - rounding), int(np.prod(counts))
