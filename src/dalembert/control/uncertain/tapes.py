"""Tapes of a machine's linearised equations over uncertain quantities, linear in signals.

A machine without constraints has ``M a + D w + K d = B u + f``. With constraints ``J d = 0`` the unknowns are the
accelerations, the changes ``r`` of the reactions, and the velocities and displacements that depend on the independent
ones, ``w``, ``d``:

    M a + D w + (K + d(J^T lambda)/dq) d + J^T r = B u + f,    J a = 0,    J w = 0,    J d = 0

with the reactions ``lambda`` at rest. Where these, and the inputs at rest, depend on the uncertain quantities, they are
linear functions of the load and part of the tape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.analysis.equilibrium import Equilibrium
from dalembert.analysis.outputs import output_signal
from dalembert.core.constraint_algebra import independent_rows
from dalembert.core.errors import InputError
from dalembert.core.parameter import Scalar
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["SIGNALS", "Held", "ModeFrequency", "Quantified", "held_rows", "output_tape", "relation_tape", "symbols"]

SIGNALS = ("y", "w", "d", "u", "f")
"""Signals in which the tape of the equations is linear, in the order of the relation's inputs: unknowns come first."""


@dataclass(frozen=True)
class ModeFrequency:
    """An uncertain frequency of a mode of a flexible body with modal masses of one.

    Parameters
    ----------
    q, v
        Places of the modal coordinate and of its rate.
    omega
        Frequency [rad/s] in the equations.
    damping
        Its damping ratio, which stays.
    """

    q: int
    v: int
    omega: float
    damping: Scalar


@dataclass(frozen=True, eq=False)
class Quantified:
    """Uncertain angles and numbers, and coordinates and parameters that hold them.

    Numbers are coordinates, parameters, frequencies of modes, then rates and accelerations of coordinates that move;
    ``motion`` and ``accelerated`` have the places of these among the velocities.
    """

    theta: ca.SX
    number: ca.SX
    q: ca.SX
    p: ca.SX
    modes: tuple[ModeFrequency, ...] = ()
    motion: tuple[int, ...] = ()
    accelerated: tuple[int, ...] = ()

    @property
    def omega(self) -> ca.SX:
        """Frequencies of modes."""
        end = self.number.shape[0] - len(self.motion) - len(self.accelerated)
        return self.number[end - len(self.modes) : end]

    def moved(self, nv: int) -> tuple[ca.SX, ca.SX]:
        """Velocities and accelerations of the motion about which the equations are linearised."""
        v, a = ca.SX(nv, 1), ca.SX(nv, 1)
        second = self.number.shape[0] - len(self.accelerated)
        first = second - len(self.motion)
        for j, i in enumerate(self.motion):
            v[i] = self.number[first + j]
        for j, i in enumerate(self.accelerated):
            a[i] = self.number[second + j]
        return v, a

    @property
    def uncertain(self) -> ca.SX:
        """All uncertain quantities."""
        return ca.vertcat(self.theta, self.number)


@dataclass(frozen=True, eq=False)
class Held:
    """Rows that hold a machine, and its independent displacements.

    Parameters
    ----------
    rows
        Rows of the constraints that act and do not depend on others.
    locked
        Further rows of zero velocity, of joints that do not move.
    independent
        Indices of the independent displacements.
    latches
        Latches of the constraints.
    redundant
        Whether further rows act, which depend on these: single reactions are not determined.
    """

    rows: tuple[int, ...]
    locked: Array
    independent: tuple[int, ...]
    latches: Array
    redundant: bool = False

    @property
    def number(self) -> int:
        """Number of rows."""
        return len(self.rows) + len(self.locked)

    def dependent(self, nv: int) -> list[int]:
        """Indices of the other displacements."""
        return [i for i in range(nv) if i not in self.independent]


def symbols(
    q0: Array,
    p0: Array,
    angles: Mapping[str, int],
    others: Mapping[str, int],
    numbers: Mapping[str, int],
    modes: Sequence[ModeFrequency] = (),
    motion: Sequence[int] = (),
    accelerated: Sequence[int] = (),
) -> Quantified:
    """Symbols of uncertain quantities: angles, other coordinates and parameters by their places in ``q`` and ``p``."""
    count = len(others) + len(numbers) + len(modes) + len(motion) + len(accelerated)
    theta, number = ca.SX.sym("theta", len(angles)), ca.SX.sym("number", count)
    q, p = ca.SX(ca.DM(q0)), ca.SX(ca.DM(p0))
    for k, index in enumerate(angles.values()):
        q[index] = theta[k]
    for k, index in enumerate(others.values()):
        q[index] = number[k]
    for k, index in enumerate(numbers.values()):
        p[index] = number[len(others) + k]
    return Quantified(theta, number, q, p, tuple(modes), tuple(motion), tuple(accelerated))


def held_rows(eom: EquationsOfMotion, point: Equilibrium, locked: Array, independent: Sequence[int]) -> Held | None:
    """The rows that hold a machine at rest, without those that depend on others; None: nothing holds it."""
    from scipy.linalg import qr

    if not len(point.J):
        return None
    on = np.flatnonzero(eom.constraint_system.activity(point.latches)) if eom.constrained else np.zeros(0, dtype=int)
    sizes = np.linalg.norm(point.J, axis=1, keepdims=True)
    count = int(independent_rows(point.J))
    chosen = sorted(int(i) for i in qr((point.J / np.maximum(sizes, 1e-300)).T, pivoting=True, mode="r")[1][:count])
    n = len(on)
    return Held(
        tuple(int(on[i]) for i in chosen if i < n),
        locked[[i - n for i in chosen if i >= n]],
        tuple(independent),
        point.latches,
        count < len(point.J),
    )


def relation_tape(
    eom: EquationsOfMotion, at: Quantified, point: Equilibrium, held: Held | None, *, given: bool = False
) -> ca.Function:
    """The linearised equations as a function of (angles, numbers, y, w, d, u, f), linear in the last five.

    ``given``: the inputs at rest are those of the caller, whatever the uncertain quantities are.
    """
    s, nv = eom.symbolic, eom.nv
    m, free = (0, nv) if held is None else (held.number, len(held.independent))
    depend = [] if held is None else held.dependent(nv)
    a, r, w_dep, d_dep = (ca.SX.sym(n, k) for n, k in (("a", nv), ("r", m), ("w_dep", nv - free), ("d_dep", nv - free)))
    w, d, u, f = (ca.SX.sym(n, k) for n, k in (("w", free), ("d", free), ("u", eom.nu), ("f", nv)))
    every_w, every_d = (_all(nv, held, depend, own, other) for own, other in ((w, w_dep), (d, d_dep)))
    J, latches = _jacobian(eom, held)
    reactions = ca.SX.sym("lambda", m)
    force = s.inverse_dynamics - s.losses - s.wrenches - s.actuation + J.T @ reactions
    omega = ca.SX.sym("omega", len(at.modes))
    for k, mode in enumerate(at.modes):  # what another frequency adds to the strain and its losses
        w0 = mode.omega
        damping = 2 * s.value(mode.damping) * (omega[k] - w0)
        force[mode.v] += (omega[k] ** 2 - w0**2) * s.q[mode.q] + damping * s.v[mode.v]
    rate = ca.Function("rate", [s.q, s.v, s.p], [s.coordinate_rate])
    change = (
        ca.jtimes(force, s.a, a)
        + ca.jtimes(force, s.v, every_w)
        + ca.jtimes(force, s.q, rate(s.q, every_d, s.p))  # the chart to first order
        + ca.jtimes(force, s.u, u)
        + J.T @ r
    )
    kept = [] if held is None else [J @ a, J @ every_w, J @ every_d]
    own = [s.q, s.v, s.a, s.u, s.t, s.p, latches, reactions, omega]
    at_rest = ca.Function("change", [*own, a, r, w_dep, d_dep, w, d, u], [ca.vertcat(change, *kept)])
    v0, a0 = at.moved(nv)
    u0, lambda0 = _at_rest(eom, at, point, held, given)
    L = ca.SX(ca.DM(held.latches)) if held is not None else ca.SX(latches.shape[0], 1)
    total = at_rest(at.q, v0, a0, u0, 0, at.p, L, lambda0, at.omega, a, r, w_dep, d_dep, w, d, u)
    total = ca.densify(total - ca.vertcat(f, ca.SX(total.shape[0] - nv, 1)))
    y = ca.vertcat(a, r, w_dep, d_dep)
    return ca.Function("relation", [at.theta, at.number, y, w, d, u, f], [total], ["theta", "number", *SIGNALS], ["r"])


def output_tape(eom: EquationsOfMotion, at: Quantified, names: Sequence[str]) -> ca.Function:
    """Changes of signals as a function of (angles, numbers, d, w, a), linear in the last three."""
    s, nv = eom.symbolic, eom.nv
    d, w, a = (ca.SX.sym(n, nv) for n in "dwa")
    rate = ca.Function("rate", [s.q, s.v, s.p], [s.coordinate_rate])
    seen = ca.vertcat(*[output_signal(eom, name) for name in names])
    change = ca.jtimes(seen, s.q, rate(s.q, d, s.p)) + ca.jtimes(seen, s.v, w) + ca.jtimes(seen, s.a, a)
    own = [s.q, s.v, s.a, s.t, s.p]
    moved = ca.Function("moved", [*own, d, w, a], [change])(at.q, *at.moved(nv), 0, at.p, d, w, a)
    return ca.Function(
        "outputs", [at.theta, at.number, d, w, a], [ca.densify(moved)], ["theta", "number", "d", "w", "a"], ["y"]
    )


def _all(nv: int, held: Held | None, depend: Sequence[int], own: ca.SX, other: ca.SX) -> ca.SX:
    """All displacements or velocities, of independent and dependent ones."""
    if held is None:
        return own
    every = ca.SX(nv, 1)
    for k, i in enumerate(held.independent):
        every[i] = own[k]
    for k, i in enumerate(depend):
        every[i] = other[k]
    return every


def _jacobian(eom: EquationsOfMotion, held: Held | None) -> tuple[Expression, Expression]:
    """Rows that hold the machine, and the symbols of the latches in them."""
    if held is None:
        return ca.SX(0, eom.nv), ca.SX(0, 1)
    rows, latches = ca.SX(0, eom.nv), ca.SX.sym("none", len(held.latches))
    if held.rows:
        system = eom.constraint_system
        rows, latches = system.jacobian[list(held.rows), :], system.latches
    return ca.vertcat(rows, ca.SX(ca.DM(held.locked))) if len(held.locked) else rows, latches


def _at_rest(
    eom: EquationsOfMotion, at: Quantified, point: Equilibrium, held: Held | None, given: bool
) -> tuple[ca.SX, ca.SX]:
    """Inputs and reactions at rest: numbers, or functions of the uncertain quantities where the equations need them.

    They are linear in the load that they balance, by matrices that do not depend on the uncertain quantities.
    """
    s = eom.symbolic
    J, latches = _jacobian(eom, held)
    L = ca.SX(ca.DM(held.latches)) if held is not None else ca.SX(latches.shape[0], 1)
    load = s.bias - s.losses - s.wrenches
    B = ca.jacobian(s.actuation, s.u)
    zero = ca.SX(eom.nv, 1)
    parts = ca.Function("rest", [s.q, s.v, s.u, s.t, s.p, latches], [load, B, J])
    b, B0, J0 = parts(at.q, zero, ca.SX(ca.DM(point.u)), 0, at.p, L)
    depends = [ca.depends_on(ca.densify(x), at.uncertain) if x.numel() else False for x in (b, B0, J0)]
    if held is not None and held.redundant and depends[2]:
        raise InputError(
            f"constraints of machine '{eom.machine.name}' are redundant, and their directions depend on the uncertain "
            "quantities: leave out the constraints that depend on others"
        )
    stiff = bool(eom.nu) and ca.depends_on(ca.densify(ca.jtimes(s.actuation, s.q, ca.SX.ones(eom.nq))), s.u)
    reacts = held is not None and ca.depends_on(ca.densify(J), s.q)
    constant = ca.SX(ca.DM(point.u))
    if at.motion and (held is not None or stiff):
        raise InputError(
            f"machine '{eom.machine.name}' has constraints, or inputs that its stiffness depends on: coordinates that "
            "move are not supported there"
        )
    if not reacts and (given or not (stiff and any(depends))):
        return constant, ca.SX(J0.shape[0], 1)
    if any(depends[1:]):
        what = "constraints" if depends[2] else "motors"
        raise InputError(
            f"the directions of {what} of machine '{eom.machine.name}' depend on the uncertain quantities, and with "
            "them the forces that hold it at rest: such a model over ranges is not supported"
        )
    B1, J1 = (np.array(ca.DM(x).full()) for x in (B0, J0))
    m = len(J1)
    N = np.linalg.svd(J1)[2][m:].T if m else np.eye(eom.nv)
    U = np.linalg.pinv(N.T @ B1, rcond=1e-10) @ N.T if eom.nu else np.zeros((0, eom.nv))
    u0 = constant if given or not any(depends) else ca.DM(U) @ b
    balance = ca.DM(np.linalg.pinv(J1.T)) if m else ca.DM(0, eom.nv)
    return u0 if stiff else constant, balance @ (ca.DM(B1) @ u0 - b)
