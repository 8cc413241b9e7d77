"""Configurations in which a machine stays at rest, found by descent, and whether they are stable.

Newton's method alone ends at any equilibrium, stable or not. Here each step loses potential energy. On the motions
``N`` that the constraints allow, orthonormal in the mass matrix, with the forces ``g`` at rest, the tangent stiffness
``K`` (that of the reactions included) and ``N^T K N = Y diag(l) Y^T``, the step is

    d = -N Y diag(1/|l|) Y^T N^T g,

which is Newton's where the stiffness is positive, and leads away from equilibria that are not stable where it is not
(Y. Dauphin et al., "Identifying and attacking the saddle point problem in high-dimensional non-convex optimization",
Adv. Neural Inf. Process. Syst. 27 (2014)). The state is projected onto the constraints after each step; steps that do
not lose the energy they promise are repeated with a smaller radius.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.equilibrium import Equilibrium, _configuration, equilibrium
from dalembert.analysis.touching import refuse_touching
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
    not stable, or in which forces are left over, is marked as such, with a warning.

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
    system = Descent(eom, inputs, latches, locked_rows(eom, locked), t, values)
    steps, kicks = 0, 0
    while True:
        q, taken, converged = system.descend(q)
        steps += taken
        squares, least = system.stiffness(q)
        stable = not squares.size or squares[0] > -_FLOOR * max(np.abs(squares).max(), 1e-300)
        if stable or kicks == 3 or not converged:
            break
        kicks += 1
        q = eom.integrate(q, 0.1 * _LONGEST * least / np.abs(least / system.sizes).max())
    point = equilibrium(eom, _named(eom, q), u=inputs, active=active, locked=locked, t=t, p=p)
    refuse_touching(eom, point.q, values, "a search for equilibria")
    if not converged:
        left = np.abs(point.residual)
        warn(
            f"no equilibrium of machine '{eom.machine.name}' was found in {steps} steps: a force of "
            f"{left.max(initial=0.0):.3g} is left at '{eom.v_names[int(left.argmax())]}'; give another guess"
        )
    elif not stable:
        warn(f"the equilibrium of machine '{eom.machine.name}' is not stable: omega^2 = {squares[0]:.4g} rad^2/s^2")
    return RestingPlace(point, squares, stable and converged, converged, steps)


def _named(eom: EquationsOfMotion, q: Array) -> StateLike:
    return dict(zip(eom.q_names, q.tolist(), strict=True)) if eom.constrained else q


class Descent:
    """Forces, stiffness and steps of a machine at rest."""

    def __init__(
        self, eom: EquationsOfMotion, u: Array, latches: Array, rows: Array, t: float, p: Array, most: int = 500
    ) -> None:
        self._eom, self._u, self._latches, self._rows, self._t, self._p, self._most = eom, u, latches, rows, t, p, most
        self.on = np.zeros(0, dtype=bool)
        if eom.constrained:
            self.on = eom.constraint_system.activity(latches) != 0.0
        self.sizes = _sizes(eom)
        self.held, self._stiffness = eom.kept.once("rest", (), self._functions)

    def _functions(self) -> tuple[ca.Function, ca.Function]:
        """Functions (forces, those without potential, potential, M, J, phi) and K d of the coordinates."""
        eom, s, nv = self._eom, self._eom.symbolic, self._eom.nv
        system = eom.constraint_system
        latches = system.latches if eom.constrained else ca.SX.sym("latches", len(self._latches))
        multipliers = ca.SX.sym("multipliers", len(self.on))
        J, phi = (system.jacobian, system.phi) if eom.constrained else (ca.SX(0, nv), ca.SX(0, 1))
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
        multipliers = np.zeros(len(self.on))
        if len(J):
            forces = np.linalg.lstsq(J @ np.linalg.solve(M, J.T), -J @ np.linalg.solve(M, g), rcond=1e-12)[0]
            multipliers[self.on] = forces[: int(self.on.sum())]
        one = np.eye(self._eom.nv)
        K = np.array(self._stiffness(*self.arguments(q), multipliers, one).full())
        return allowed_motions(M, J), multipliers, K

    def _spectrum(self, q: Array, g: Array, M: Array, J: Array) -> tuple[Array, Array]:
        """Eigenvalues of the stiffness and motions (nv x k) on the rows, orthonormal in the mass matrix."""
        N, _, K = self.tangent(q, g, M, J)
        squares, Y = np.linalg.eigh(N.T @ ((K + K.T) / 2) @ N)
        return squares, N @ Y

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
        radius = _LONGEST
        for step in range(self._most):
            g, other, V, M, J, _ = self.at(q)
            squares, Y = self._spectrum(q, g, M, J)
            pull = Y.T @ g
            if not squares.size or np.linalg.norm(pull) <= 1e-12 * self._scale(Y, squares, g):
                return q, step, True
            floor = 1e-14 * np.abs(squares).max()
            d = -Y @ (pull / np.maximum(np.abs(squares), max(floor, 1e-300)))
            length = float(np.abs(d / self.sizes).max())
            while True:
                share = min(1.0, radius / max(length, 1e-300))
                new = self.projected(self._eom.integrate(q, share * d))
                if new is not None:
                    _, after, V_new, *_ = self.at(new)
                    gain = float((V_new - V)[0]) - share * float(d @ (other + after)) / 2
                    expected = share * float(g @ d)
                    noise = 1e-13 * (abs(float(V[0])) + abs(float(V_new[0])) + 1e-300)
                    if gain <= 1e-3 * expected + noise:
                        break
                radius = 0.25 * min(radius, length)
                if radius < 1e-12:
                    return q, step, bool(np.linalg.norm(pull) <= 1e-8 * self._scale(Y, squares, g))
            q, radius = new, min(2.0 * radius, _LONGEST)
        return q, self._most, False

    def _scale(self, Y: Array, squares: Array, g: Array) -> float:
        """Forces that motions of the size of the machine would raise, and the forces at hand."""
        raised = np.linalg.norm(np.abs(squares) * np.linalg.norm(np.linalg.pinv(Y) @ np.diag(self.sizes), axis=1))
        return float(0.1 * raised + np.linalg.norm(np.abs(Y.T) @ np.abs(g)) + 1e-300)

    def scale(self, q: Array) -> float:
        """Size of the forces on allowed motions, relative to which a rest is balanced."""
        g, _, _, M, J, _ = self.at(q)
        squares, Y = self._spectrum(q, g, M, J)
        return self._scale(Y, squares, g)

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
