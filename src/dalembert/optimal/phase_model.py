"""The machine of a phase on CasADi symbols: balance of forces, acting constraints, and their projections.

With the rows ``Phi(q, t) = 0`` that act in the phase, the equations at each point of the grid are

    M a + bias + J^T lambda = forces,    J a = gamma,    Phi = 0,    J v + Phi_t = 0.

Polynomials leave the constraints by their own error. The part of the error off the constraints is therefore left to
corrections ``mu`` and ``nu``: coordinates and velocities of the polynomial are ``q + (dPhi/dq)^T mu`` and ``v + J^T
nu``. A unit quaternion ``Q`` is treated in the same way, ``(1 + s) Q``: it moves in its tangent space.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.formulations.factorization import solve_spd
from dalembert.model.machine import Machine

__all__ = ["PhaseModel", "independent_rows", "unsaturated"]

_RANK = 1e-9  # of the largest pivot: rows below it depend on the others


def unsaturated(eom: EquationsOfMotion) -> EquationsOfMotion:
    """Return the equations without saturation of motors and thrusters: plans bound the inputs instead."""
    eom = eom if eom.formulation.machine_coordinates else eom.in_machine_coordinates()
    machine: Machine = eom.machine
    finite = [x for x in machine.actuators if np.isfinite(x.effort) or np.isfinite(getattr(x, "speed", np.inf))]
    if not finite and not any(getattr(x, "one_sided", False) for x in machine.thrusters):
        return eom
    motors = [replace(m, effort=np.inf, speed=np.inf) for m in machine.motors]
    thrusters = [replace(x, effort=np.inf, one_sided=False) for x in machine.thrusters]
    options, _ = eom.variant
    return derive(machine.with_(motors=motors, thrusters=thrusters), eom.by, backend=eom.backend, **options)


def independent_rows(J: Array) -> list[int]:
    """Largest set of independent rows of a matrix, by QR with pivots, in their order."""
    from scipy.linalg import qr

    if not J.size:
        return []
    _, R, order = qr(J.T, mode="economic", pivoting=True)
    pivots = np.abs(np.diag(R))
    rank = int((pivots > _RANK * max(1.0, float(pivots.max(initial=0.0)))).sum())
    return sorted(int(k) for k in order[:rank])


@dataclass(frozen=True, eq=False)
class PhaseModel:
    """A machine while certain rows of its constraints act.

    Parameters
    ----------
    eom
        Its equations, without saturation.
    latches
        Latches of the constraints; None: there are none.
    rows
        Rows that act and do not depend on each other.
    dependent
        Rows that act and depend on these.
    """

    eom: EquationsOfMotion
    latches: Array | None
    rows: tuple[int, ...]
    dependent: tuple[int, ...]

    @staticmethod
    def of(
        eom: EquationsOfMotion, active: Mapping[str, bool | str], q: Array, t: float, p: Array, owner: str
    ) -> PhaseModel:
        """Return the model of a phase; constraints measure themselves at the configuration ``q``."""
        if not eom.has_rows:
            if active:
                known: tuple[str, ...] = ()
                raise UnknownNameError("constraint, rope or contact", next(iter(active)), known, owner)
            return PhaseModel(eom, None, (), ())
        system = eom.constraint_system
        latches = system.latch_table.measured(system.latch_nominal.copy(), q, t, p)
        switches = [n.removeprefix("active.") for n in system.latch_names if n.startswith("active.")]
        pairs = {pair.name: pair for pair in system.contacts.pairs}
        for name, value in active.items():
            if name not in switches:
                raise UnknownNameError("constraint, rope or contact that can be switched", name, switches, owner)
            latches[system.latch_index(f"active.{name}")] = float(value is not False)
            if value == "stick":
                if name not in pairs or system.latch_index(f"stick.{name}") < 0:
                    raise InputError(f"{owner}: '{name}' cannot stick, it is not a contact with friction")
                latches[system.latch_index(f"stick.{name}")] = 1.0
            constraint = next((c for c in eom.machine.constraints if c.name == name), None)
            if constraint is not None and constraint.holds_pose and value and not constraint.active:
                raise InputError(
                    f"{owner}: constraint '{name}' holds the pose in which it begins to act, which is unknown in a "
                    "plan; use a constraint with given rows (a loop, a ball, a distance)"
                )
        acting = np.flatnonzero(system.activity(latches) > 0.5)
        J = eom.constraint_jacobian(q, t=t, p=p, latches=latches)[acting]
        chosen = independent_rows(J)
        rows = tuple(int(acting[k]) for k in chosen)
        rest = tuple(int(k) for k in acting if int(k) not in rows)
        return PhaseModel(eom, latches, rows, rest)

    # -- rows -----------------------------------------------------------------------------------------------------

    @property
    def m(self) -> int:
        """Number of rows that act."""
        return len(self.rows)

    @cached_property
    def _kinds(self) -> list[Any]:
        """Constraint of each row of the machine."""
        if self.latches is None:
            return []
        return [r for r in self.eom.constraint_system.rows for _ in range(r.stop - r.start)]

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows that act."""
        return tuple(self.eom.constraint_system.row_names[k] for k in self.rows) if self.m else ()

    @cached_property
    def unilateral(self) -> tuple[bool, ...]:
        """Which of them only pull or push."""
        return tuple(bool(self._kinds[k].unilateral) for k in self.rows)

    @cached_property
    def holonomic(self) -> list[int]:
        """Which of them have positions: all but friction."""
        return [i for i, k in enumerate(self.rows) if self._kinds[k].kind not in ("friction", "stick", "sheave")]

    @cached_property
    def open_rows(self) -> list[int]:
        """Rows of the machine that do not act but must not be passed: open contacts, slack ropes."""
        if self.latches is None:
            return []
        on = {*self.rows, *self.dependent}
        return [k for k, kind in enumerate(self._kinds) if kind.unilateral and k not in on]

    def _picked(self, expression: Expression, rows: Any) -> Expression:
        system = self.eom.constraint_system
        assert self.latches is not None
        chosen = ca.densify(ca.SX(expression))[list(rows), :] if len(rows) else ca.SX(0, expression.shape[1])
        return ca.substitute(chosen, system.latches, ca.DM(self.latches))

    @cached_property
    def phi(self) -> Expression:
        """``Phi`` of the rows that act and have positions."""
        if not self.m:
            return ca.SX(0, 1)
        return self._picked(self.eom.constraint_system.phi, [self.rows[i] for i in self.holonomic])

    @cached_property
    def open_phi(self) -> Expression:
        """``Phi`` of the rows that do not act and must not be positive."""
        return self._picked(self.eom.constraint_system.phi, self.open_rows) if self.open_rows else ca.SX(0, 1)

    @cached_property
    def jacobian(self) -> Expression:
        """``J`` of the rows that act."""
        return self._picked(self.eom.constraint_system.jacobian, self.rows) if self.m else ca.SX(0, self.eom.nv)

    @cached_property
    def velocity(self) -> Expression:
        """``Phi'`` of the rows that act."""
        return self._picked(self.eom.constraint_system.velocity, self.rows) if self.m else ca.SX(0, 1)

    @cached_property
    def rhs(self) -> Expression:
        """``gamma`` of the rows that act."""
        return self._picked(self.eom.constraint_system.rhs, self.rows) if self.m else ca.SX(0, 1)

    @cached_property
    def cones(self) -> list[tuple[int, list[int], float]]:
        """Normal, tangents (places among the rows) and coefficient of friction of the contacts that stick."""
        result = []
        for i, k in enumerate(self.rows):
            if self._kinds[k].kind != "contact":
                continue
            name = self._kinds[k].name
            across = [j for j, r in enumerate(self.rows) if self._kinds[r].kind == "friction" and
                      self._kinds[r].name == name]  # fmt: skip
            pair = next(p for p in self.eom.constraint_system.contacts.pairs if p.name == name)
            if across:
                result.append((i, across, float(nominal(pair.friction))))
        return result

    # -- dynamics -------------------------------------------------------------------------------------------------

    @cached_property
    def multipliers(self) -> Expression:
        """Symbols of the multipliers of the rows that act."""
        return ca.SX.sym("lambda", self.m)

    @cached_property
    def balance(self) -> Expression:
        """``M a + bias + J^T lambda - forces``."""
        s = self.eom.symbolic
        return ca.densify(s.inverse_dynamics - s.applied + self.jacobian.T @ self.multipliers)

    @cached_property
    def solved(self) -> tuple[Expression, Expression]:
        """Accelerations and multipliers of a state and its inputs."""
        s = self.eom.symbolic
        if not self.m:
            return ca.densify(ca.substitute(s.forward_dynamics, s.tau, ca.densify(s.applied))), ca.SX(0, 1)
        M, J, f = ca.SX(s.mass_matrix), self.jacobian, ca.densify(s.applied - s.bias)
        X = solve_spd(M, ca.horzcat(f, J.T))
        force = solve_spd(J @ X[:, 1:], J @ X[:, 0] - self.rhs)
        return ca.densify(X[:, 0] - X[:, 1:] @ force), ca.densify(force)

    @cached_property
    def _slope(self) -> ca.Function:
        s = self.eom.symbolic
        rate = ca.densify(ca.vertcat(s.coordinate_rate, self.solved[0]))
        A = ca.densify(ca.jacobian(rate, ca.vertcat(s.q, s.v)))
        return ca.Function("A", [s.t, s.q, s.v, s.u, s.p], [A])

    def eigenvalues(self, t: float, q: Array, v: Array, u: Array, p: Array) -> Array:
        """Eigenvalues [1/s] of the linearised equations of motion at a state; none where they are not finite."""
        A = np.array(self._slope(t, q, v, u, p), dtype=float)
        return np.asarray(np.linalg.eigvals(A)) if np.isfinite(A).all() else np.zeros(0)

    @property
    def quaternions(self) -> list[slice]:
        """Places of unit quaternions in the coordinates."""
        return [slice(i, i + 4) for _, i in self.eom.layout.quaternions]

    def stretched(self, q: Expression, stretch: Expression) -> Expression:
        """Coordinates with each quaternion longer by its ``s``."""
        result = ca.SX(q)
        for k, rows in enumerate(self.quaternions):
            result[rows] = q[rows] * (1 + stretch[k])
        return result
