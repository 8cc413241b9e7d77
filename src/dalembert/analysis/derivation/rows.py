r"""Constraints of a derivation: their rows, and the equations with multipliers.

.. math:: \Phi(q, t) = 0, \qquad \dot\Phi = J v + \Phi_t, \qquad \ddot\Phi = J \dot v - \gamma, \qquad
          M \dot v + c + g + k + J^T \lambda = \tau

Rows are those of loops, joints, gears and motions, and of cables and ropes that do not stretch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from dalembert.analysis.closed_form.form import ClosedForm
from dalembert.analysis.closed_form.printing import latex_name
from dalembert.analysis.closed_form.symbols import symbol_name
from dalembert.analysis.derivation.formula import WIDE, SheetFormula, SheetStep, State, broken, width
from dalembert.core.errors import InputError
from dalembert.core.types import Array, Expression
from dalembert.formulations.constraints.assembly import assemble
from dalembert.formulations.constraints.system import ConstraintRows
from dalembert.formulations.equations import EquationsOfMotion

if TYPE_CHECKING:
    import sympy

__all__ = ["SheetRows", "on_constraints"]

_TEXT = (
    "Joints that are not in the tree, cables and ropes are conditions on the coordinates: {names}. The first "
    "derivative of a condition with respect to time has the Jacobian J; the second one defines the right side gamma."
)
_LENGTHS = {"length0": "L"}
_WHOLE = (
    r"\begin{bmatrix} M & J^{T} \\ J & 0 \end{bmatrix} \begin{bmatrix} \dot v \\ \lambda \end{bmatrix} = "
    r"\begin{bmatrix} \tau - c - g - k \\ \gamma \end{bmatrix}"
)


@dataclass(frozen=True, eq=False)
class SheetRows:
    """Rows of the constraints of a machine.

    Parameters
    ----------
    eom
        Its compiled equations.
    form
        Closed form of its tree, whose tape has the same rows; None: numbers only.
    state
        State at which constraints that hold the start (lengths of ropes, poses of welds) are measured.
    """

    eom: EquationsOfMotion
    form: ClosedForm | None
    state: State

    @cached_property
    def blocks(self) -> list[ConstraintRows]:
        """Rows by constraint."""
        rows = self.eom.constraint_system.rows if self.eom.has_rows else ()
        return [block for block in rows if block.kind in ("constraint", "cable", "rope")]

    @cached_property
    def latches(self) -> Array:
        """Numbers that the constraints hold."""
        eom, q = self.eom, self.state.q[None]
        nominal, p = eom.constraint_system.latch_nominal[None], eom.parameter_values(None)
        return eom.measured_latches(q, t=0.0, p=np.atleast_2d(p), latches=nominal)[0]

    def _declare(self) -> None:
        """Name the numbers that the rows hold, in the closed form."""
        assert self.form is not None
        system = self.form.tape.constraint_system
        depends = ca.which_depends(system.phi, system.latches) if len(self.latches) else []
        used = [k for k, found in enumerate(depends) if found]
        values = {}
        for k in used:
            what, _, name = system.latch_names[k].partition(".")
            values[symbol_name(f"{_LENGTHS.get(what, what)}_{name}")] = float(self.latches[k])
        if values:
            self.form.declare(ca.vertcat(*(system.latches[k] for k in used)), values)

    def _printed(self, name: str, expression: Expression) -> sympy.MatrixBase | None:
        assert self.form is not None
        try:
            value = self.form.expand(name, expression)
        except InputError:
            return None
        pieces = [piece for entry in value for piece in broken(self.form.latex_of(entry))]
        return None if max(map(width, pieces)) > 3 * WIDE else value

    def step(self) -> SheetStep:
        """Positions, Jacobian and right side of each constraint."""
        eom, latches, formulas = self.eom, self.latches, list[SheetFormula]()
        if self.form is not None:
            self._declare()
        kernels: dict[str, tuple[str, Callable[[State], Array]]] = {
            "phi": (r"\Phi", lambda x: eom.constraints(x.q, latches=latches)),
            "jacobian": ("J", lambda x: eom.constraint_jacobian(x.q, latches=latches)),
            "rhs": (r"\gamma", lambda x: eom.constraint_rhs(x.q, x.v, latches=latches)),
        }
        words = {"phi": "constraint", "jacobian": "jacobian of", "rhs": "right side of"}
        for block in self.blocks:
            rows = slice(block.start, block.stop)
            for what, (symbol, whole) in kernels.items():
                name, value = f"{words[what]} {block.name}", None
                if self.form is not None:
                    value = self._printed(name, getattr(self.form.tape.constraint_system, what)[rows, :])

                def kernel(x: State, whole: Callable[[State], Array] = whole, rows: slice = rows) -> Array:
                    return np.asarray(whole(x)[rows])

                mark = latex_name(symbol_name(block.name))
                formulas.append(SheetFormula(name, f"{symbol}_{{{mark}}}", value, kernel))
        names = ", ".join(block.name for block in self.blocks)
        ropes = any(block.kind == "rope" for block in self.blocks)
        rules = (
            *(
                (r"\Phi_{\mathrm{rope}} = l_{\mathrm{lines}} + l_{\mathrm{arcs}} - l_{\mathrm{drums}} - L",)
                if ropes
                else ()
            ),
            r"\Phi(q, t) = 0",
            r"\dot\Phi = J v + \frac{\partial \Phi}{\partial t} = 0",
            r"\ddot\Phi = J \dot v - \gamma = 0",
        )
        return SheetStep("Constraints", _TEXT.format(names=names), tuple(formulas), rules=rules)

    def solution(self) -> SheetStep:
        """The equations with multipliers, and their solution at the state of the sheet."""
        eom, latches = self.eom, self.latches
        chosen = [k for block in self.blocks for k in range(block.start, block.stop)]

        def accelerations(x: State) -> Array:
            return eom.constrained_dynamics(x.q, x.v, eom.applied(x.q, x.v, x.u), latches=latches).acceleration

        def multipliers(x: State) -> Array:
            tau = eom.applied(x.q, x.v, x.u)
            return np.asarray(eom.constrained_dynamics(x.q, x.v, tau, latches=latches).multipliers[chosen])

        text = (
            "Multipliers are the forces of the constraints along their rows; those of cables and ropes are tensions. "
            "Accelerations and multipliers follow from one linear system. The numbers are its solution at the state of "
            "this sheet, with all cables taut and all contacts open."
        )
        formulas = (
            SheetFormula("solved accelerations", r"\dot v", None, accelerations),
            SheetFormula("multipliers", r"\lambda", None, multipliers),
        )
        return SheetStep("Equations with multipliers", text, formulas, rules=(_WHOLE,))


def on_constraints(eom: EquationsOfMotion, state: State) -> State | None:
    """Return the nearest state that satisfies the constraints; None where there is none nearby."""
    p = np.atleast_2d(eom.parameter_values(None))
    try:
        q = assemble(eom, state.q[None], (), p=p).q[0]
    except InputError:
        return None
    latches = eom.measured_latches(q[None], t=0.0, p=p, latches=eom.constraint_system.latch_nominal[None])[0]
    J = eom.constraint_jacobian(q, latches=latches)
    v = state.v - np.linalg.pinv(J) @ eom.constraint_velocity(q, state.v, latches=latches)
    found = State(q, v, state.a, state.u)
    return found if np.isfinite(v).all() else None
