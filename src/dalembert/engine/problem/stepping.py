"""The contacts of a problem: what a step after Moreau and Jean asks for."""

from __future__ import annotations

from dataclasses import dataclass

import casadi
import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array
from dalembert.engine.methods.contacts import TimeStepping

__all__ = ["PairRows", "SteppingSystem"]


@dataclass(frozen=True, eq=False)
class PairRows:
    """Rows of one contact, where machines have so many that they are evaluated one by one.

    Parameters
    ----------
    key
        Name of the function; contacts of the same kind share it.
    function
        (values) -> rows ``J L^-T D^-1/2`` at the support of the contact; velocities ``J v``.
    gather
        Which of the values (t, x, p, L, ``D^-1/2``) it takes.
    """

    key: str
    function: casadi.Function
    gather: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class SteppingSystem:
    """Contacts of a problem that is stepped from velocity to velocity: ``M^ (v+ - v) = h f + J^T x``.

    Parameters
    ----------
    way
        The settings.
    theta
        Where in the step damping and stiffness are taken.
    nq, nv, nz
        Numbers of coordinates, velocities and internal states (of laws).
    terms
        (t, x, c, p, h) -> entries of L and ``D^-1/2`` of ``M^ = L^T D L``; ``D^-1/2 L^-T h f``; gaps; restitution;
        friction; what ``f`` has of the bias of the equations; then rows ``J L^-T D^-1/2`` of the contacts at their
        supports and velocities ``J v``, or, with ``pairs``, bounds of the speeds of the contacts.
    pairs
        Rows of each contact; None: they are in ``terms``.
    n_parameters
        Number of run-time parameters p.
    bias
        (t, x, c, p) -> that bias.
    gaps
        (t, x, c, p) -> gaps.
    move
        (x, d, p) -> q moved by the tangent displacement d, and v as it is in the axes there.
    finish
        (t, x, c, p, h, dv) -> rates of the internal states; work of inputs and of losses in the step.
    lift
        (t, x, d, p) -> potential energy that a small displacement d brings.
    factor
        Columns before the diagonal of each row of L that are not zero.
    supports
        Velocities that each contact depends on.
    sizes
        Rows of each contact: 3, or 1 without friction.
    features
        Length of each contact below which nothing can pass through it unseen; infinite: it need not be looked for.
    names
        Names of the contacts.
    forces, losses, residual, sweeps, work_input, work_loss
        Places in x: of the forces (3 per contact), of the energies lost, of the account of the solver, of the works.
    """

    way: TimeStepping
    theta: float
    nq: int
    nv: int
    nz: int
    terms: casadi.Function
    pairs: tuple[PairRows, ...] | None
    n_parameters: int
    bias: casadi.Function
    gaps: casadi.Function
    move: casadi.Function
    finish: casadi.Function
    lift: casadi.Function
    factor: tuple[tuple[int, ...], ...]
    supports: tuple[tuple[int, ...], ...]
    sizes: NDArray[np.int64]
    features: Array
    names: tuple[str, ...]
    forces: int
    losses: int
    residual: int
    sweeps: int
    work_input: int
    work_loss: int
