"""Configurations in which a machine stays at rest, found by descent, and whether they are stable.

Newton's method alone ends at any equilibrium, stable or not. Here each step loses potential energy. On the motions
``N`` that the constraints allow, orthonormal in the mass matrix, with the forces ``g`` at rest, the tangent stiffness
``K`` (that of the reactions included) and ``N^T K N = Y diag(l) Y^T``, the step is

    d = -N Y diag(1/|l|) Y^T N^T g,

which is Newton's where the stiffness is positive, and leads away from equilibria that are not stable where it is not
(Y. Dauphin et al., "Identifying and attacking the saddle point problem in high-dimensional non-convex optimization",
Adv. Neural Inf. Process. Syst. 27 (2014)). The state is projected onto the constraints after each step; steps that do
not lose the energy they promise are repeated with a smaller radius.

Contacts hold without friction on the way down: a step ends where one closes, which is a constraint from there on, and
one that would have to pull is released. The result needs no friction; a guess that rests by friction is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.equilibrium import Equilibrium, _configuration, contact_equations, equilibrium
from dalembert.collide import collider_gap
from dalembert.core.constraint_algebra import allowed_motions
from dalembert.core.errors import InputError
from dalembert.core.types import Array, StateLike
from dalembert.core.warn import warn
from dalembert.formulations.constraints.assembly import Branch
from dalembert.formulations.constraints.reduction import locked_rows
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive
from dalembert.model.elastic.contract import Elastic
from dalembert.model.machine import Machine

__all__ = ["RestingPlace", "find_equilibrium"]

_FLOOR = 1e-9
"""Part of the largest stiffness below which another one counts as zero."""
_DEEP = 1e-9
"""Depth [m] that counts as outside."""
_TOUCHES = 50
"""How often other shapes may begin to touch on the way."""
_LONGEST = 0.5
"""Longest step, in radians and parts of the length of the machine, or of the amplitude of a flexible body."""


@dataclass(frozen=True, eq=False)
class RestingPlace:
    """An equilibrium that was found, and how stiff the machine is there.

    Parameters
    ----------
    point
        The equilibrium: coordinates, inputs, multipliers.
    squares
        Eigenvalues of the tangent stiffness relative to the mass matrix [rad^2/s^2], ascending, on the motions that the
        constraints allow: squares of frequencies where positive.
    stable
        Whether none of them is negative, beyond rounding.
    converged
        Whether all forces balance.
    steps
        Number of steps.
    """

    point: Equilibrium
    squares: Array
    stable: bool
    converged: bool
    steps: int

    @property
    def q(self) -> Array:
        """Coordinates."""
        return self.point.q


def find_equilibrium(
    machine: Machine | EquationsOfMotion,
    guess: StateLike = None,
    *,
    u: ArrayLike | None = None,
    locked: Sequence[str] = (),
    active: Mapping[str, bool] | None = None,
    branch: Branch = None,
    t: float = 0.0,
    p: Parameters = None,
) -> RestingPlace:
    """Find a stable configuration at rest, from a guess downhill.

    If the way ends at an equilibrium that is not stable, it is continued along the least stiff motion. A result that is
    not stable, or in which forces are left over, is marked as such, with a warning. Contacts and colliders stop the way
    down, without friction; a guess that rests by the friction of its contacts stays where it is.

    Parameters
    ----------
    machine
        The machine, or its equations.
    guess
        Configuration to begin with: numbers, or a mapping of names; machines with constraints are assembled first.
    u
        Inputs, which stay constant; by default zero.
    locked, active, branch
        Joints that do not move, constraints that act and the assembly, as in `dalembert.analysis.equilibrium`.
    t, p
        Time (of wrenches and constraints) and parameter values.

    Examples
    --------
    A strip of plastic under its own weight, and its tip:

    >>> import dalembert as da
    >>> from dalembert.analysis import find_equilibrium
    >>> section = da.Section.rectangle(0.02, 0.001)
    >>> strip = da.Rod("strip", 0.5, section, E=2e9, density=1200.0, strains={"bending_z": 4})
    >>> shelf = da.Machine("shelf", [strip], [da.Joint("wall", "fixed", "world", "strip")])
    >>> rest = find_equilibrium(shelf)
    >>> rest.stable, da.equations(shelf, backend="vm").pose("strip.tip", rest.q)[:3, 3].round(3).tolist()
    (True, [0.347, 0.0, -0.334])
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine, backend="vm")
    values = eom.parameter_values(p)
    q, latches = _configuration(eom, guess, active, branch, t, values)
    inputs = np.zeros(eom.nu) if u is None else np.asarray(u, dtype=float)
    if inputs.shape != (eom.nu,) or not np.isfinite(inputs).all():
        raise InputError(f"u must be {eom.nu} finite numbers ({', '.join(eom.u_names)}), got {u!r}")
    q, steps, converged, squares, stable = _downhill(eom, q, inputs, latches, locked, t, values)
    point = equilibrium(eom, _named(eom, q), u=inputs, active=active, locked=locked, t=t, p=p)
    if not converged:
        left = np.abs(point.residual)
        warn(
            f"no equilibrium of machine '{eom.machine.name}' was found in {steps} steps: a force of "
            f"{left.max(initial=0.0):.3g} is left at '{eom.v_names[int(left.argmax())]}'; give another guess"
        )
    elif not stable:
        warn(f"the equilibrium of machine '{eom.machine.name}' is not stable: omega^2 = {squares[0]:.4g} rad^2/s^2")
    return RestingPlace(point, squares, stable and converged, converged, steps)


def _downhill(
    eom: EquationsOfMotion, q: Array, u: Array, latches: Array, locked: Sequence[str], t: float, p: Array
) -> tuple[Array, int, bool, Array, bool]:
    """End of the way downhill, its number of steps, whether forces balance there, stiffnesses, and stability."""
    rows, steps, kicks, touched = locked_rows(eom, locked), 0, 0, 0
    while True:
        here = contact_equations(eom, _named(eom, q), t=t, p=p)
        system = Descent(here, u, _carried(eom, here, latches), rows, t, p)
        system.gap = collider_gap(eom, p) if eom.machine.colliders else None
        rest = equilibrium(here, _named(here, q), u=u, locked=locked, t=t, p=p) if not steps else None
        if rest is not None and system.contacts and rest.unbalanced(1e-9) is None:
            system.hold(rest.latches)
            taken, converged = 0, True
        else:
            q, taken, converged = system.descend(q)
        steps += taken
        if system.met and touched < _TOUCHES:  # other shapes touch: contacts are others
            touched += 1
            continue
        squares, least = system.stiffness(q)
        stable = not squares.size or bool(squares[0] > -_FLOOR * max(np.abs(squares).max(), system.pace(q), 1e-300))
        if stable or kicks == 3 or not converged:
            return q, steps, converged, squares, stable
        kicks += 1
        q = eom.integrate(q, 0.1 * _LONGEST * least / np.abs(least / system.sizes).max())


def _carried(eom: EquationsOfMotion, other: EquationsOfMotion, latches: Array) -> Array:
    """Latches of equations that have more contacts, which are open."""
    carried, system = other.constraint_system.latch_nominal.copy(), other.constraint_system
    for name, value in zip(eom.constraint_system.latch_names, latches, strict=True):
        carried[system.latch_index(name)] = value
    return carried


def _named(eom: EquationsOfMotion, q: Array) -> StateLike:
    return dict(zip(eom.q_names, q.tolist(), strict=True)) if eom.constrained else q


class Descent:
    """Forces, stiffness and steps of a machine at rest."""

    def __init__(
        self, eom: EquationsOfMotion, u: Array, latches: Array, rows: Array, t: float, p: Array, most: int = 500
    ) -> None:
        self._eom, self._u, self._rows, self._t, self._p, self._most = eom, u, rows, t, p, most
        self.contacts = {r.start: r.flag for r in eom.constraint_system.rows if r.kind == "contact"}
        self.gap: Callable[[Array], float] | None = None
        self.met = False
        self.hold(latches)
        self.sizes = _sizes(eom)
        self.held, self._stiffness = eom.kept.once("rest", (), self._functions)

    def hold(self, latches: Array) -> None:
        """Let the rows of these latches act."""
        self._latches = latches.copy()
        rows = self._eom.constrained or bool(self.contacts)
        self.on = self._eom.constraint_system.activity(latches) != 0.0 if rows else np.zeros(0, dtype=bool)

    def _switch(self, row: int, on: bool) -> None:
        """Close or open the contact of a row."""
        latches = self._latches.copy()
        latches[self.contacts[row]] = float(on)
        self.hold(latches)

    def _functions(self) -> tuple[ca.Function, ca.Function]:
        """Functions (forces, those without potential, potential, M, J, phi) and K d of the coordinates."""
        eom, s, nv = self._eom, self._eom.symbolic, self._eom.nv
        system = eom.constraint_system
        rows = len(self.on) > 0
        latches = system.latches if rows else ca.SX.sym("latches", len(self._latches))
        multipliers = ca.SX.sym("multipliers", len(self.on))
        J, phi = (system.jacobian, system.phi) if rows else (ca.SX(0, nv), ca.SX(0, 1))
        other = s.losses + s.wrenches + s.actuation
        still = [
            ca.SX(x) for x in (s.bias - other, other, s.potential_energy, s.mass_matrix, J, phi, s.coordinate_rate)
        ]
        B = ca.jacobian(still.pop(), s.v)
        still = ca.substitute([*still, B], [s.v], [ca.SX.zeros(nv)])
        B = still.pop()
        load = still[0] + still[4].T @ multipliers
        arguments = [s.q, s.u, s.t, s.p, latches]
        held = ca.Function("rest", arguments, ca.cse([ca.densify(x) for x in still]))
        d = ca.SX.sym("d", nv)
        column = ca.densify(ca.jtimes(load, s.q, B @ d))  # for each motion: a whole matrix of a long rod takes minutes
        return held, ca.Function("stiffness", [*arguments, multipliers, d], [ca.cse(column)])

    def arguments(self, q: Array) -> tuple[Array, Array, float, Array, Array]:
        """Arguments of the functions of a configuration."""
        return q, self._u, self._t, self._p, self._latches

    def at(self, q: Array) -> list[Array]:
        """Forces, those without potential, potential, mass matrix, rows that hold, and their gaps."""
        values = self.held(*self.arguments(q))
        g, other, V, M, J, phi = (np.array(x.full()) for x in values)
        rows = np.vstack([J[self.on], self._rows])
        return [g[:, 0], other[:, 0], V[0], M, rows, np.concatenate([phi[self.on, 0], np.zeros(len(self._rows))])]

    def tangent(self, q: Array, g: Array, M: Array, J: Array) -> tuple[Array, Array, Array]:
        """Motions (nv x k) that the rows allow, orthonormal in the mass matrix, multipliers, and tangent stiffness."""
        multipliers = self._multipliers(g, M, J)
        K = np.array(self._stiffness(*self.arguments(q), multipliers, np.eye(self._eom.nv)).full())
        return allowed_motions(M, J), multipliers, K

    def _spectrum(self, q: Array, g: Array, M: Array, J: Array) -> tuple[Array, Array]:
        """Eigenvalues of the stiffness and motions (nv x k) on the rows, orthonormal in the mass matrix."""
        N, _, K = self.tangent(q, g, M, J)
        squares, Y = np.linalg.eigh(N.T @ ((K + K.T) / 2) @ N)
        return squares, N @ Y

    def _multipliers(self, g: Array, M: Array, J: Array) -> Array:
        """Multipliers of the rows that act, zero elsewhere."""
        multipliers = np.zeros(len(self.on))
        if len(J):
            forces = np.linalg.lstsq(J @ np.linalg.solve(M, J.T), -J @ np.linalg.solve(M, g), rcond=1e-12)[0]
            multipliers[self.on] = forces[: int(self.on.sum())]
        return multipliers

    def _release(self, q: Array) -> None:
        """Open contacts that would have to pull, the worst one first."""
        while closed := [row for row in self.contacts if self.on[row]]:
            g, _, _, M, J, _ = self.at(q)
            forces = self._multipliers(g, M, J)
            worst = min(closed, key=lambda row: forces[row])
            if forces[worst] >= -1e-9 * np.abs(forces).max():
                return
            self._switch(worst, False)

    def _outside(self, q: Array) -> bool:
        """Whether no contact that is open, and no shape, is inside another one."""
        if self.gap is not None and self.gap(q) < -_DEEP:
            return False
        gaps = self._gaps(q)
        return all(gaps[row] > -_DEEP for row in self.contacts if not self.on[row])

    def _gaps(self, q: Array) -> dict[int, float]:
        phi = np.array(self.held(*self.arguments(q))[5].full())[:, 0]
        return {row: -float(phi[row]) for row in self.contacts}

    def _until_contact(self, q: Array, d: Array, share: float) -> tuple[Array | None, float]:
        """Where a step ends, and which part of it is left, if contacts that are open must not be closed further."""
        new = self.projected(self._eom.integrate(q, share * d))
        if new is None or not (self.contacts or self.gap) or self._outside(new):
            return new, share
        low, high, best = 0.0, share, q
        for _ in range(60):
            middle = (low + high) / 2
            new = self.projected(self._eom.integrate(q, middle * d))
            if new is not None and self._outside(new):
                low, best = middle, new
            else:
                high = middle
        return best, low

    def _close(self, q: Array) -> None:
        """Close the contacts that touch; ``met``: shapes touch that are none of them."""
        for row, gap in self._gaps(q).items():
            if gap < 10.0 * _DEEP and not self.on[row]:
                self._switch(row, True)

    def projected(self, q: Array) -> Array | None:
        """Nearest configuration on the constraints; None if there is none nearby."""
        for _ in range(12):
            *_, M, J, phi = self.at(q)
            if np.abs(phi).max(initial=0.0) < 1e-12:
                return q
            X = np.linalg.solve(M, J.T)
            d = -X @ np.linalg.lstsq(J @ X, phi, rcond=1e-12)[0]
            if not np.abs(d / self.sizes).max() < 1.0:
                return None
            q = self._eom.integrate(q, d)
        return q if np.abs(self.at(q)[-1]).max(initial=0.0) < 1e-9 else None

    def descend(self, q: Array) -> tuple[Array, int, bool]:
        """Go downhill; return the end, the number of steps, and whether all forces balance there."""
        radius, self.met = _LONGEST, False
        if self.contacts:
            self._close(q)
        for step in range(self._most):
            self._release(q)
            g, other, V, M, J, _ = self.at(q)
            squares, Y = self._spectrum(q, g, M, J)
            pull = Y.T @ g
            if not squares.size or np.linalg.norm(pull) <= 1e-12 * self._scale(Y, squares, g, M):
                return q, step, True
            floor = 1e-14 * np.abs(squares).max()
            along = pull / np.maximum(np.abs(squares), max(floor, 1e-300))
            if self.contacts:  # what lies on a floor has motions without stiffness: they do not shorten the others
                lengths = np.abs(Y * along / self.sizes[:, None]).max(axis=0)
                along *= np.minimum(1.0, radius / np.maximum(lengths, 1e-300))
            d = -Y @ along
            length = float(np.abs(d / self.sizes).max())
            while True:
                asked = min(1.0, radius / max(length, 1e-300))
                new, share = self._until_contact(q, d, asked)
                if new is not None:
                    _, after, V_new, *_ = self.at(new)
                    gain = float((V_new - V)[0]) - share * float(d @ (other + after)) / 2
                    expected = share * float(g @ d)
                    noise = 1e-13 * (abs(float(V[0])) + abs(float(V_new[0])) + 1e-300)
                    if gain <= 1e-3 * expected + noise:
                        break
                radius = 0.25 * min(radius, length)
                if radius < 1e-12:
                    return q, step, bool(np.linalg.norm(pull) <= 1e-8 * self._scale(Y, squares, g, M))
            q, radius = new, min(2.0 * radius, _LONGEST)
            if share < asked:
                self._close(q)
                if self.gap is not None:
                    self.met = True
                    return q, step + 1, False
        return q, self._most, False

    def _scale(self, Y: Array, squares: Array, g: Array, M: Array) -> float:
        """Forces that motions of the size of the machine would raise, and the forces at hand."""
        borne = float(np.sqrt(g @ np.linalg.solve(M, g))) if self.contacts else 0.0
        raised = np.linalg.norm(np.abs(squares) * np.linalg.norm(np.linalg.pinv(Y) @ np.diag(self.sizes), axis=1))
        return float(borne + 0.1 * raised + np.linalg.norm(np.abs(Y.T) @ np.abs(g)) + 1e-300)

    def scale(self, q: Array) -> float:
        """Size of the forces on allowed motions, relative to which a rest is balanced."""
        g, _, _, M, J, _ = self.at(q)
        squares, Y = self._spectrum(q, g, M, J)
        return self._scale(Y, squares, g, M)

    def pace(self, q: Array) -> float:
        """Largest acceleration without contacts, by the size of the motion [1/s^2]: a scale of stiffness for those."""
        g, _, _, M, _, _ = self.at(q)
        return float(np.abs(np.linalg.solve(M, g) / self.sizes).max()) if self.contacts else 0.0

    def stiffness(self, q: Array) -> tuple[Array, Array]:
        """Eigenvalues of the stiffness relative to the mass matrix, and the least stiff motion."""
        g, _, _, M, J, _ = self.at(q)
        squares, Y = self._spectrum(q, g, M, J)
        return (squares, Y[:, 0]) if squares.size else (squares, np.zeros(self._eom.nv))


def _sizes(eom: EquationsOfMotion) -> Array:
    """Size of each velocity's motion: radians, the length of the machine, or amplitudes of flexible bodies."""
    sizes = np.ones(eom.nv)
    for body in eom.machine.bodies:
        if isinstance(body, Elastic):
            for name, amplitude in zip(body.v_names, body.amplitudes, strict=True):
                if name in eom.v_names:
                    sizes[eom.v_names.index(name)] = amplitude
    return sizes
