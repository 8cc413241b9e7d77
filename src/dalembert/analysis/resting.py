"""Configurations in which a machine stays at rest, found by descent, and whether they are stable.

Newton's method alone ends at any equilibrium, stable or not. Here each step solves

    (K + sigma M) d + J^T lambda = -g,      J d = -phi,

with the forces ``g`` at rest, the tangent stiffness ``K`` (that of the reactions included) and ``sigma`` so large that
``K + sigma M`` is positive definite on the motions that the constraints allow: an implicit step of length ``1/sigma``
of a motion without inertia that loses potential energy (pseudo-transient continuation: C. T. Kelley, D. E. Keyes,
SIAM J. Numer. Anal. 35 (1998) 508-523). Near a stable equilibrium sigma falls with the forces, and the steps are those
of Newton's method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.equilibrium import Equilibrium, _configuration, equilibrium
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
    not stable, or in which forces are left over, says so and warns.

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
    (True, [0.352, 0.0, -0.304])
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine, backend="vm")
    values = eom.parameter_values(p)
    q, latches = _configuration(eom, guess, active, branch, t, values)
    inputs = np.zeros(eom.nu) if u is None else np.asarray(u, dtype=float)
    if inputs.shape != (eom.nu,) or not np.isfinite(inputs).all():
        raise InputError(f"u must be {eom.nu} finite numbers ({', '.join(eom.u_names)}), got {u!r}")
    system = _Descent(eom, inputs, latches, locked_rows(eom, locked), t, values)
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


class _Descent:
    """Forces, stiffness and steps of a machine at rest."""

    def __init__(
        self, eom: EquationsOfMotion, u: Array, latches: Array, rows: Array, t: float, p: Array, most: int = 400
    ) -> None:
        self._eom, self._u, self._latches, self._rows, self._t, self._p, self._most = eom, u, latches, rows, t, p, most
        self._on = np.zeros(0, dtype=bool)
        if eom.constrained:
            self._on = eom.constraint_system.activity(latches) != 0.0
        self.sizes = _sizes(eom)
        self._forces = np.zeros(len(self._on))
        self._functions = self._made()

    def _made(self) -> Callable[[Array, Array], list[Array]]:
        eom, s, nv = self._eom, self._eom.symbolic, self._eom.nv
        system = eom.constraint_system
        latches = system.latches if eom.constrained else ca.SX.sym("latches", len(self._latches))
        forces = ca.SX.sym("multipliers", len(self._on))
        load = s.bias - s.losses - s.wrenches - s.actuation
        reaction = system.jacobian.T @ forces if eom.constrained else ca.SX(nv, 1)
        phi = system.phi if eom.constrained else ca.SX(0, 1)
        J = system.jacobian if eom.constrained else ca.SX(0, nv)
        B = ca.jacobian(s.coordinate_rate, s.v)
        pull = ca.substitute(ca.vertcat(load, load + reaction), s.v, ca.SX.zeros(nv))
        K = ca.jacobian(pull[nv:], s.q) @ ca.substitute(B, s.v, ca.SX.zeros(nv))
        outputs = [ca.densify(ca.SX(x)) for x in (pull[:nv], K, s.mass_matrix, J, phi)]
        f = ca.Function("rest", [s.q, s.u, s.t, s.p, latches, forces], ca.cse(outputs))
        return lambda q, x: [np.array(y.full()) for y in f(q, self._u, self._t, self._p, self._latches, x)]

    def terms(self, q: Array, forces: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Forces, symmetric stiffness, mass matrix, rows that hold, and their gaps."""
        g, K, M, J, phi = self._functions(q, forces)
        rows = np.vstack([J[self._on], self._rows])
        gaps = np.concatenate([phi[self._on, 0], np.zeros(len(self._rows))])
        return g[:, 0], (K + K.T) / 2, M, rows, gaps

    def descend(self, q: Array) -> tuple[Array, int, bool]:
        """Go downhill; return the end, the number of steps, and whether all forces balance there."""
        forces, before, sigma = self._forces, np.inf, 0.0
        for step in range(self._most):
            g, K, M, J, phi = self.terms(q, forces)
            N = allowed_motions(M, J)  # orthonormal in M
            squares = np.linalg.eigvalsh(N.T @ K @ N) if N.shape[1] else np.zeros(0)
            pull = N.T @ g
            size = float(np.linalg.norm(pull))
            scale = float(np.linalg.norm(np.abs(N.T) @ np.abs(K @ (0.1 * self.sizes)))) + float(
                np.linalg.norm(np.abs(N.T) @ np.abs(g))
            )
            if size <= 1e-11 * max(scale, 1e-300) and np.abs(phi).max(initial=0.0) < 1e-11:
                return q, step, True
            largest = np.abs(squares).max(initial=0.0)
            lowest = float(squares.min(initial=np.inf))
            sigma = max(4.0 * sigma, abs(lowest), 1e-9 * largest) if size > 2.0 * before else 0.2 * sigma
            shift = max(sigma, -2.0 * min(lowest, 0.0)) + 1e-14 * largest
            d, forces = self._step(K + shift * M, J, g, phi, forces)
            self._forces = forces
            d = d / max(1.0, float(np.abs(d / self.sizes).max(initial=0.0)) / _LONGEST)
            if not np.isfinite(d).all():
                return q, step, False
            q, before = self._eom.integrate(q, d), size
        return q, self._most, False

    def _step(self, A: Array, J: Array, g: Array, phi: Array, forces: Array) -> tuple[Array, Array]:
        n, m = len(g), len(J)
        system = np.block([[A, J.T], [J, np.zeros((m, m))]])
        x = np.linalg.lstsq(system, np.concatenate([-g, -phi]), rcond=1e-14)[0]
        on = forces.copy()
        on[self._on] = x[n : n + int(self._on.sum())]
        return x[:n], on

    def stiffness(self, q: Array) -> tuple[Array, Array]:
        """Eigenvalues of the stiffness relative to the mass matrix, and the least stiff motion."""
        _, K, M, J, _ = self.terms(q, self._forces)
        N = allowed_motions(M, J)
        if not N.shape[1]:
            return np.zeros(0), np.zeros(self._eom.nv)
        squares, Y = np.linalg.eigh(N.T @ K @ N)
        return squares, N @ Y[:, 0]


def _sizes(eom: EquationsOfMotion) -> Array:
    """Size of each velocity's motion: radians, the length of the machine, or amplitudes of flexible bodies."""
    sizes = np.ones(eom.nv)
    for body in eom.machine.bodies:
        if isinstance(body, Elastic):
            for name, amplitude in zip(body.v_names, body.amplitudes, strict=True):
                if name in eom.v_names:
                    sizes[eom.v_names.index(name)] = amplitude
    return sizes
