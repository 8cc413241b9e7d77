"""A linear controller as a law: a design on a linear model, in the native time loop of the machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from dalembert.analysis.linearize import equilibrium, state_space_names
from dalembert.control.norms import matrices_of
from dalembert.control.signals import label
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array, Expression, StateLike
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive
from dalembert.model.machine import Machine

if TYPE_CHECKING:
    import control

__all__ = ["LinearFeedback", "Reference", "commanded", "errors", "linear_feedback"]

Reference = float | Callable[[Expression], Expression]


@dataclass(frozen=True, eq=False)
class LinearFeedback:
    """``u = u0 + K(s) (r - y)``, ``y`` displacements and velocities from an equilibrium (see `linear_feedback`).

    Parameters
    ----------
    A, B, C, D
        The controller.
    measured
        Its inputs, by the names of the states of the linear model.
    controls
        Its outputs, by the names of the motors.
    q0, u0
        The equilibrium.
    reference
        References of some measured signals, as deviations from the equilibrium: numbers or functions of time.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    measured: tuple[str, ...]
    controls: tuple[str, ...]
    q0: Array
    u0: Array
    reference: Mapping[str, float | Callable[[Expression], Expression]]

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """States of the controller."""
        return tuple(f"controller{k + 1}" for k in range(self.A.shape[0]))

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """All of them start at zero."""
        return np.zeros(self.A.shape[0])

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs and rates of the controller's states."""
        e = errors(eom, self.measured, self.reference, self.q0, (t, q, v))
        command = ca.DM(self.C) @ z + ca.DM(self.D) @ e if self.A.size else ca.DM(self.D) @ e
        u = commanded(eom, self.controls, self.u0, command)
        return u, ca.DM(self.A) @ z + ca.DM(self.B) @ e if self.A.size else ca.SX(0, 1)


def errors(
    eom: EquationsOfMotion,
    measured: Sequence[str],
    reference: Mapping[str, Reference],
    q0: Array,
    state: tuple[Expression, Expression, Expression],
) -> Expression:
    """``r - y`` of measured displacements and velocities from an equilibrium, at time, coordinates and velocities."""
    t, q, v = state
    names = [label(n) for n in state_space_names(eom)]
    deviation = ca.vertcat(eom.layout.difference(ca.SX(ca.DM(q0)), q), v)
    differences = []
    for name in measured:
        if name not in names:
            raise UnknownNameError("measured signal", name, names, f"machine '{eom.machine.name}'")
        wanted = reference.get(name, 0.0)
        r = wanted(t) if callable(wanted) else wanted
        differences.append(ca.SX(r) - deviation[names.index(name)])
    return ca.SX(ca.vertcat(*differences))


def commanded(eom: EquationsOfMotion, controls: Sequence[str], u0: Array, command: Expression) -> Expression:
    """Inputs of a machine: those of the equilibrium, and the commands of some motors by name."""
    motors = [label(n) for n in eom.u_names]
    u = ca.SX(ca.DM(u0))
    for i, name in enumerate(controls):
        if name not in motors:
            raise UnknownNameError("motor", name, motors, f"machine '{eom.machine.name}'")
        u[motors.index(name)] = u[motors.index(name)] + command[i]
    return u


def linear_feedback(
    machine: Machine | EquationsOfMotion,
    controller: control.StateSpace | control.TransferFunction | Sequence[Sequence[float]],
    *,
    measured: Sequence[str],
    controls: Sequence[str],
    at: StateLike = None,
    reference: Mapping[str, float | Callable[[Expression], Expression]] | None = None,
    p: Parameters = None,
) -> LinearFeedback:
    """Turn a linear controller into a law that `dalembert.simulate` and `dalembert.rollout` run natively.

    Parameters
    ----------
    machine
        The machine.
    controller
        Continuous system of python-control (or constant gains) from the errors ``r - y`` to the motors.
    measured
        Names of the displacements and velocities that it sees, as states of `dalembert.linearize`.
    controls
        Names of the motors that it drives.
    at
        The equilibrium it was designed at.
    reference
        References by measured name, as deviations from the equilibrium: numbers or functions of time.
    p
        Parameter values.
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    (A, B, C, D), period = matrices_of(controller)
    if period:
        raise InputError("linear_feedback takes a continuous controller; a sampled one is a SampledController")
    names, motors = tuple(label(n) for n in measured), tuple(label(n) for n in controls)
    if D.shape != (len(motors), len(names)):
        raise InputError(
            f"the controller has {D.shape[0]} outputs and {D.shape[1]} inputs, but {len(motors)} controls and "
            f"{len(names)} measured signals are named"
        )
    point = equilibrium(eom, at, p=p)
    wanted = {label(n): r for n, r in (reference or {}).items()}
    for name in wanted:
        if name not in names:
            raise UnknownNameError("measured signal", name, names)
    law = LinearFeedback(A, B, C, D, names, motors, point.q, point.u, wanted)
    law.expression(
        eom, ca.SX.sym("t"), ca.SX.sym("q", eom.nq), ca.SX.sym("v", eom.nv), ca.SX.sym("z", len(A)), ca.SX(0, 1)
    )
    return law
