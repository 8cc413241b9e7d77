"""The constrained part of the contract of `EquationsOfMotion`, as functions of NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile import Kernel, build_together, compile_function
from dalembert.core.constraint_algebra import ConstrainedDynamics, minimum_norm
from dalembert.core.constraint_tape import SHARE, SweptLists, TapeFactors, acting
from dalembert.core.kept import Kept
from dalembert.core.labels import as_numbers
from dalembert.core.ports import Formulation
from dalembert.core.types import Array
from dalembert.formulations.constraints.system import ConstraintSystem

if TYPE_CHECKING:
    from dalembert.formulations.states import Parameters

__all__ = ["ConstraintContract"]

Active = Mapping[str, bool] | None

_AT_A_START = ("constraints", "constraint_jacobian", "constraint_velocity")
"""Functions that every start needs."""

_SHORT = 2000
"""Operations up to which each of them is compiled together with the first one that is called."""


class ConstraintContract:
    """Functions of the constraints; each takes arrays with any leading batch axes.

    ``active`` switches constraints by name; rows that do not act keep their place, with a multiplier of zero.
    """

    machine: Any
    formulation: Formulation
    symbolic: Any
    kept: Kept
    backend: Any
    nv: int
    p_names: tuple[str, ...]
    parameter_values: Any
    contact_system: Any
    mass_matrix: Any
    bias: Any
    stops: bool

    @cached_property
    def constraint_system(self) -> ConstraintSystem:
        """The expressions of the constraints and contacts."""
        return ConstraintSystem(self.formulation, self.contact_system(limits=self.stops))

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """Names of the rows of ``Phi``."""
        return self.constraint_system.row_names

    @property
    def constrained(self) -> bool:
        """Whether there are constraints, of the machine or of redundant coordinates."""
        return self.machine.constrained or not self.formulation.minimal

    @property
    def has_rows(self) -> bool:
        """Whether there are constraints, contacts (or stops), joints that stick or elastic ropes with friction."""
        rubbing = any(rope.elastic and rope.rubbing for rope in self.machine.all_ropes)
        sticking = self.machine.sticking or self.machine.sheave_bearings
        return self.constrained or rubbing or bool(self.constraint_system.contacts.pairs) or bool(sticking)

    def constraints(
        self, q: ArrayLike, *, t: float = 0.0, p: Parameters = None, latches: ArrayLike | None = None
    ) -> Array:
        """``Phi(q, t)``, shape (..., m)."""
        return self._constraint_call("constraints", [q], t, p, latches)

    def constraint_jacobian(
        self, q: ArrayLike, *, t: float = 0.0, p: Parameters = None, latches: ArrayLike | None = None
    ) -> Array:
        """Jacobian ``J`` of ``Phi`` with respect to the velocities, shape (..., m, nv)."""
        return self._constraint_call("constraint_jacobian", [q], t, p, latches)

    def constraint_velocity(
        self, q: ArrayLike, v: ArrayLike, *, t: float = 0.0, p: Parameters = None, latches: ArrayLike | None = None
    ) -> Array:
        """``Phi' = J v + Phi_t``, shape (..., m)."""
        return self._constraint_call("constraint_velocity", [q, v], t, p, latches)

    def constraint_rhs(
        self, q: ArrayLike, v: ArrayLike, *, t: float = 0.0, p: Parameters = None, latches: ArrayLike | None = None
    ) -> Array:
        """Right side ``gamma`` of ``J v' = gamma``, CDPR (26), shape (..., m)."""
        return self._constraint_call("constraint_rhs", [q, v], t, p, latches)

    def measured_latches(self, q: Array, *, t: float, p: Array, latches: Array, threads: int = 1) -> Array:
        """Latches (N, n) of many states (N, nq), with what constraints measure there (`ConstraintSystem.measured`)."""
        s = self.constraint_system
        if not s.latch_table.measuring:
            return latches.copy()
        kernel = self._constraint_kernel("constraint_measures")
        return s.latch_table.measured(latches, q, t, p, values=kernel(q, float(t), latches, p, threads=threads))

    def constrained_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        active: Active = None,
        t: float = 0.0,
        p: Parameters = None,
        latches: ArrayLike | None = None,
    ) -> ConstrainedDynamics:
        """Accelerations and multipliers that solve ``M a + bias + J^T lambda = tau``, ``J a = gamma``, CDPR (26).

        Redundant constraints are no exception: the accelerations are unique, and of all multipliers those of the least
        norm are returned.
        """
        s = self.constraint_system
        state = s.latch_table.vector(active) if latches is None else as_numbers(latches)
        a, multipliers, share, *terms = self._constraint_call("constrained_dynamics", [q, v, tau], t, p, state)
        on = np.broadcast_to(s.activity(state), multipliers.shape)
        again = ~(np.asarray(share) >= SHARE)
        if again.any():  # rows that depend on each other
            M, bias, J, gamma = terms or self._constraint_terms(q, v, t, p, state, a.shape[:-1])
            force = (np.broadcast_to(as_numbers(tau), a.shape) - bias)[again]
            rows = J[again] * on[again][..., :, None]
            a[again], multipliers[again] = minimum_norm(M[again], force, rows, gamma[again] * on[again])
        return ConstrainedDynamics(a, np.where(on > 0.0, multipliers, 0.0))

    def _constraint_terms(
        self, q: ArrayLike, v: ArrayLike, t: float, p: Parameters, latches: Array, batch: tuple[int, ...]
    ) -> list[Array]:
        """``M``, bias, ``J`` and ``gamma`` of a batch."""
        given: dict[str, Any] = {"t": t, "p": p, "latches": latches}
        terms = [
            self.mass_matrix(q, t=t, p=p),
            self.bias(q, v, t=t, p=p),
            self.constraint_jacobian(q, **given),
            self.constraint_rhs(q, v, **given),
        ]
        return [np.broadcast_to(x, (*batch, *x.shape[x.ndim - n :])) for x, n in zip(terms, (2, 1, 2, 1), strict=True)]

    def _constraint_call(self, name: str, arrays: list[Any], t: float, p: Parameters, latches: ArrayLike | None) -> Any:
        s = self.constraint_system
        state = s.latch_nominal if latches is None else as_numbers(latches)
        return self._constraint_kernel(name)(*arrays, float(t), state, self.parameter_values(p))

    def _constraint_kernel(self, name: str) -> Kernel:
        return self.kept.once("constraint kernel", name, lambda: self._compiled_constraints(name))

    def _compiled_constraints(self, name: str) -> Kernel:
        function, shapes = self._constraint_function(name)
        if name in _AT_A_START and function.n_instructions() < _SHORT:
            others = (self._constraint_function(other)[0] for other in _AT_A_START if other != name)
            build_together((function, *(other for other in others if other.n_instructions() < _SHORT)), self.backend)
        # Batches of the others run row by row: they are short (starts of members), and lanes take longer to build.
        return compile_function(function, backend=self.backend, shapes=shapes, lanes=name == "constrained_dynamics")

    def _constraint_function(self, name: str) -> tuple[ca.Function, dict[str, tuple[int, ...]]]:
        """A function of the constraints, and the shapes of its inputs and outputs."""
        s, e = self.constraint_system, self.symbolic
        nv, m = self.nv, s.m
        table: dict[str, tuple[list[Any], list[tuple[int, ...]], int]] = {
            "constraints": ([s.phi], [(m,)], 1),
            "constraint_jacobian": ([s.jacobian], [(m, nv)], 1),
            "constraint_velocity": ([s.velocity], [(m,)], 2),
            "constraint_rhs": ([s.rhs], [(m,)], 2),
            "constraint_measures": ([s.latch_table.numbers], [(s.latch_table.numbers.numel(),)], 1),
        }
        if name == "constrained_dynamics":
            table[name] = (*self._solved_constraints(), 3)
        outputs, out_shapes, n_inputs = table[name]
        arguments = [*[e.q, e.v, e.tau][:n_inputs], e.t, s.latches, e.p]
        labels = [*["q", "v", "tau"][:n_inputs], "t", "latches", "p"]
        names = [f"out{i}" for i in range(len(outputs))]
        dense = ca.cse([ca.densify(ca.SX(x)) for x in outputs])
        function = ca.Function(name, arguments, dense, labels, names)
        return function, {"t": (), **dict(zip(names, out_shapes, strict=True))}

    def _solved_constraints(self) -> tuple[list[Any], list[tuple[int, ...]]]:
        """Accelerations, multipliers and the share (`TapeFactors`), with their shapes; and what to solve again with.

        A mass matrix that is too large for a tape is factorised along its tree, and not formed.
        """
        s, e, nv, m = self.constraint_system, self.symbolic, self.nv, self.constraint_system.m
        gamma, Jt, f = ca.densify(s.rhs), ca.densify(s.jacobian.T), ca.densify(e.tau - e.bias)
        on = acting([None if flag < 0 else s.latches[int(flag)] for flag in s.row_flags])
        shapes: list[tuple[int, ...]] = [(nv,), (m,), ()]
        sweeps = self.formulation.mass_factors()
        if sweeps is not None and e.rows("mass_matrix") is not None:
            factors = TapeFactors(None, Jt, on, SweptLists(sweeps))
            solved = factors.dynamics(f, gamma, lambda a: e.tau - ca.substitute(e.inverse_dynamics, e.a, a))
            return [*solved, factors.share], shapes
        M = ca.densify(ca.SX(e.mass_matrix))
        factors = TapeFactors(M, Jt, on)
        solved = factors.dynamics(f, gamma, lambda a: f - M @ a)
        return [*solved, factors.share, M, e.bias, s.jacobian, gamma], [*shapes, (nv, nv), (nv,), (m, nv), (m,)]
