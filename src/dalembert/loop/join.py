"""From one machine to another in the middle of a motion: floating bodies become bodies of the tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.core.validation import check_number
from dalembert.formulations.equations import EquationsOfMotion, MachineOrEquations, Parameters, derive
from dalembert.simulation.run import Run

__all__ = ["Handover", "join"]


@dataclass(frozen=True)
class Handover:
    """State in which another machine continues.

    Attributes
    ----------
    t
        The time.
    q, v
        Coordinates and velocities of the other machine, for ``q0`` and ``v0`` of `dalembert.simulate`.
    gap, turn
        Largest distance [m] and angle [rad] by which a body had to be moved into its new place.
    loss
        Kinetic energy that the impact took [J].
    """

    t: float
    q: Array
    v: Array
    gap: float
    turn: float
    loss: float


def join(
    run: Run, machine: MachineOrEquations, *, p: Parameters = None, gap: float = 1e-3, turn: float = 1e-3
) -> Handover:
    """State at the end of a run as one of another machine, in which bodies that floated are joined to others.

    Coordinates of the same names keep their values. Bodies that lose a free joint are carried by the tree from now on;
    other joints that are gone are locked. Their impact is plastic: of all motions that the new machine can make, it
    gets the one with the same momentum, ``v = (S^T M S)^-1 S^T M v_before``, where ``S`` maps its velocities to those
    of the old one. Linear and angular momentum are conserved because the closing forces act on both sides.

    Parameters
    ----------
    run
        A run up to the moment of the grip.
    machine
        The machine that continues, or its equations.
    p
        Its parameter values; those of the run are known by name.
    gap, turn
        Largest distance [m] and angle [rad] of a body from its place in the new machine.

    Raises
    ------
    InputError
        If a body is farther away: the grip is open. Also if a coordinate of the new machine is not in the old one, or
        if the masses of the two differ.

    Examples
    --------
    >>> import dalembert as da
    >>> bodies = [da.box("a", 2.0, (1, 1, 1)), da.box("b", 1.0, (1, 1, 1))]
    >>> base = da.Joint("a", "free", "world", "a")
    >>> two = da.Machine("two", bodies, [base, da.Joint("b", "free", "world", "b")], gravity=(0, 0, 0))
    >>> one = da.Machine("one", bodies, [base, da.Joint("grip", "fixed", "a", "b", (1, 0, 0))], gravity=(0, 0, 0))
    >>> run = da.simulate(two, duration=1.0, q0={"b.x": 2.0}, v0={"b.vx": -1.0})
    >>> together = da.join(run, one)
    >>> together.v.round(6).tolist(), round(together.loss, 6)
    ([-0.333333, 0.0, 0.0, 0.0, 0.0, 0.0], 0.333333)
    """
    if not isinstance(run, Run) or run.machine is None:
        raise InputError(f"join needs a run that contains its machine, got {run!r}")
    before = _equations(run.machine)
    after = _equations(machine)
    old = before.machine
    parameters = dict(run.metadata.get("parameters") or {})
    values = {name: parameters[name] for name in after.p_names if name in parameters}
    if p is None or isinstance(p, Mapping):
        p = {**values, **({} if p is None else p)}
    p_after = after.parameter_values(p)
    p_before = before.parameter_values(parameters or None)
    q, v = (run.array(names)[-1] for names in (old.q_names, old.v_names))
    unknown = [name for name in after.q_names if name not in before.q_names]
    if unknown:
        raise InputError(
            f"machine '{after.machine.name}' has coordinates that the run of '{old.name}' does not have: "
            f"{', '.join(unknown)}"
        )
    q_new = np.array([q[before.q_names.index(name)] for name in after.q_names])
    S = _embedding(before, after, q_new, p_after)
    far, angle = _gaps(before, after, q, q_new, p_before, p_after, check_number("gap", gap), check_number("turn", turn))
    M = before.mass_matrix(q, p=p_before)
    A = S.T @ M @ S
    other = after.mass_matrix(q_new, p=p_after)
    if np.abs(other - A).max() > (1e-6 + 10.0 * (far + angle)) * np.abs(A).max():
        raise InputError(f"machine '{after.machine.name}' does not have the mass distribution of '{old.name}'")
    v_new = np.asarray(np.linalg.solve(A, S.T @ M @ v), dtype=float)
    loss = 0.5 * float(v @ M @ v) - 0.5 * float(v_new @ A @ v_new)
    return Handover(float(run.t[-1]), q_new, v_new, far, angle, loss)


def _equations(machine: MachineOrEquations) -> EquationsOfMotion:
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    return eom if eom.formulation.machine_coordinates else eom.in_machine_coordinates()


def _gone(before: EquationsOfMotion, after: EquationsOfMotion) -> list[Any]:
    """Blocks of joints that the new machine does not have."""
    kept = {b.name for b in after.layout.blocks}
    return [b for b in before.layout.blocks if b.name not in kept]


def _embedding(before: EquationsOfMotion, after: EquationsOfMotion, q: Array, p: Array) -> Array:
    """Velocities of the old machine per velocity of the new one."""
    S = np.zeros((before.nv, after.nv))
    for k, name in enumerate(after.v_names):
        S[before.v_names.index(name), k] = 1.0
    free = {j.name: j.child for j in before.machine.joints if j.kind == "free" and j.parent == "world"}
    bodies = {b.name for b in after.machine.bodies}
    for block in _gone(before, after):
        if block.name in free:
            body = free[block.name]
            if body not in bodies:
                raise InputError(f"machine '{after.machine.name}' has no body '{body}', which floats in the run")
            S[block.v.start : block.v.stop] = after.jacobian(body, q, p=p)
    return S


def _gaps(
    before: EquationsOfMotion, after: EquationsOfMotion, q: Array, q_new: Array, p: Array, p_new: Array, gap: float,
    turn: float,
) -> tuple[float, float]:  # fmt: skip
    """How far the bodies that floated are from their places."""
    free = {j.name: j.child for j in before.machine.joints if j.kind == "free" and j.parent == "world"}
    far, angle = 0.0, 0.0
    for block in _gone(before, after):
        if block.name not in free:
            continue
        body = free[block.name]
        X, Y = before.pose(body, q, p=p), after.pose(body, q_new, p=p_new)
        d = float(np.linalg.norm(X[:3, 3] - Y[:3, 3]))
        R = X[:3, :3].T @ Y[:3, :3]
        w = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
        a = float(np.arctan2(np.linalg.norm(w), 0.5 * (np.trace(R) - 1.0)))
        if d > gap or a > turn:
            raise InputError(
                f"the grip is open: body '{body}' is {d:.3g} m and {np.degrees(a):.3g} degrees from its place in "
                f"machine '{after.machine.name}'; allowed are {gap:g} m and {np.degrees(turn):.3g} degrees"
            )
        far, angle = max(far, d), max(angle, a)
    return far, angle
