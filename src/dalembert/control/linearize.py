"""Linear models of machines: exact derivatives, in the tangent space of the configuration.

State of the linear model: tangent displacement ``d`` (nv numbers, with ``q = integrate(q0, d)``) and velocity change.
Derivatives come from the tape of the equations itself, one forward sweep per column, so that they are exact and the
cost is that of ``2 nv + nu`` evaluations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.ports import Law
from dalembert.core.states import named_vector
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.machine import Machine

if TYPE_CHECKING:
    import control

__all__ = ["Equilibrium", "equilibrium", "law_gain", "linearize", "state_space_names"]

Array = NDArray[np.float64]
State = ArrayLike | Mapping[str, float] | None


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A configuration in which the machine stays at rest, and the inputs that keep it there.

    Parameters
    ----------
    q, u
        Coordinates and inputs.
    residual
        Generalised forces that the inputs do not balance, per velocity.
    scale
        Largest generalised force at work, or that a unit displacement would raise: what the residual is to be compared
        with.
    """

    q: Array
    u: Array
    residual: Array
    scale: float


def equilibrium(
    eom: EquationsOfMotion, at: State = None, *, u: ArrayLike | None = None, t: float = 0.0, p: Any = None
) -> Equilibrium:
    """Inputs that balance gravity, springs and wrenches at rest; least squares where motors are missing.

    Parameters
    ----------
    eom
        The equations.
    at
        Configuration: numbers, or a mapping of names (the others are neutral).
    u
        Inputs to take instead of those that balance best.
    t, p
        Time (of wrenches) and parameter values.
    """
    if eom.constrained:
        raise InputError(
            f"machine '{eom.machine.name}' has constraints, which this linear model would ignore; for frequencies at "
            "rest use dalembert.systems.cable_robots.frequencies"
        )
    s = eom.symbolic
    q = named_vector(at, eom.q_names, eom.q_neutral, "at")
    values = eom.parameter_values(p)
    load = s.bias - s.losses - s.wrenches
    outputs = [load, ca.jacobian(s.actuation, s.u), s.actuation, s.gravity, s.bias - s.gravity]
    f = ca.Function("load", [s.q, s.v, s.u, s.t, s.p], outputs)
    zero = np.zeros(eom.nv)
    demand, B, _, weight, springs = (np.array(ca.DM(x).full()) for x in f(q, zero, np.zeros(eom.nu), t, values))
    if u is None:
        inputs = np.linalg.lstsq(B, demand[:, 0], rcond=None)[0] if eom.nu else np.zeros(0)
    else:
        inputs = np.asarray(u, dtype=float)
        if inputs.shape != (eom.nu,) or not np.isfinite(inputs).all():
            raise InputError(f"u must be {eom.nu} finite numbers ({', '.join(eom.u_names)}), got {u!r}")
    given = np.array(ca.DM(f(q, zero, inputs, t, values)[2]).full())[:, 0]  # after saturation
    raised = _stiffness_scale(eom, load, q, t, values)
    scale = float(max(raised, *(np.abs(x).max(initial=0.0) for x in (demand, given, weight, springs))))
    return Equilibrium(q, inputs, demand[:, 0] - given, scale)


def _stiffness_scale(eom: EquationsOfMotion, load: Any, q: Array, t: float, p: Array) -> float:
    """Size of ``d load/d q`` from a few directions: random signs s give |K s|^2 the mean |K|^2 (Hutchinson)."""
    s = eom.symbolic
    seed = ca.SX.sym("seed", eom.nq)
    f = ca.Function("K", [s.q, s.v, s.u, s.t, s.p, seed], [ca.densify(ca.jtimes(load, s.q, seed))])
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(3, eom.nq))
    columns = [np.array(f(q, np.zeros(eom.nv), np.zeros(eom.nu), t, p, x).full()) for x in signs]
    return float(np.sqrt(np.mean(np.square(columns), axis=0)).max(initial=0.0))


def linearize(
    machine: Machine | EquationsOfMotion,
    at: State = None,
    *,
    v: State = None,
    u: ArrayLike | None = None,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    t: float = 0.0,
    p: Mapping[str, float] | ArrayLike | None = None,
    require_equilibrium: bool = True,
    tolerance: float = 1e-6,
    by: str = "newton-euler",
) -> control.StateSpace:
    """Linear model of a machine about a configuration, as a python-control StateSpace.

    Parameters
    ----------
    machine
        The machine, or equations of motion derived from it (any formulation, any coordinates).
    at
        Configuration: numbers, or a mapping of coordinate names to numbers (the others are neutral).
    v
        Velocities; only with ``require_equilibrium=False``.
    u
        Inputs; default those that balance gravity, springs and wrenches (see `equilibrium`).
    inputs
        Motors, or parameters of the machine, by name; default all motors.
    outputs
        Coordinates and velocities by name, or components of frames such as ``"payload.x"``; default all states.
    t, p
        Time (of wrenches) and parameter values.
    require_equilibrium
        Refuse a state in which the machine does not stay at rest. If False, the model is the derivative of the vector
        field in the chart around the state; its constant term is left out.
    tolerance
        Largest force that may be left unbalanced, relative to the largest one.
    by
        The formulation.

    Returns
    -------
    control.StateSpace
        States: tangent displacements (named as the coordinates; ``NAME.int`` of a velocity where the coordinates are
        quaternions) and velocities; inputs and outputs by name. python-control allows no dots in labels: they become
        underscores.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.control.linearize import linearize
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 1.0, com=(0, 0, -2.0))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))],
    ...     motors=[da.Motor("torque", "theta")],
    ... )
    >>> plant = linearize(pendulum)
    >>> plant.A.round(3).tolist(), plant.B.round(3).tolist()
    ([[0.0, 1.0], [-4.905, 0.0]], [[0.0], [0.25]])
    """
    import control

    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine, by)
    point = equilibrium(eom, at, u=u, t=t, p=p)
    v0 = named_vector(v, eom.v_names, np.zeros(eom.nv), "v")
    if require_equilibrium:
        _check_rest(eom, point, v0, tolerance)
    states = state_space_names(eom)
    chosen_in = list(eom.u_names if inputs is None else inputs)
    chosen_out = list(states if outputs is None else outputs)
    for name in chosen_in:
        if name not in (*eom.u_names, *eom.p_names):
            raise UnknownNameError("input", name, (*eom.u_names, *eom.p_names), f"machine '{eom.machine.name}'")
    A, B, C, D = _derivatives(eom, point, v0, chosen_in, chosen_out, states, t, eom.parameter_values(p))
    labels = [[name.replace(".", "_") for name in names] for names in (chosen_in, chosen_out, states)]
    return control.ss(A, B, C, D, inputs=labels[0], outputs=labels[1], states=labels[2], name=eom.machine.name)


def state_space_names(eom: EquationsOfMotion) -> tuple[str, ...]:
    """Names of the states of the linear model: tangent displacements, then velocities."""
    displacements: list[str] = []
    for block in eom.layout.blocks:
        q, v = eom.q_names[block.q], eom.v_names[block.v]
        displacements += q if len(q) == len(v) else [f"{name}.int" for name in v]
    return (*displacements, *eom.v_names)


def _check_rest(eom: EquationsOfMotion, point: Equilibrium, v: Array, tolerance: float) -> None:
    where = f"machine '{eom.machine.name}'"
    hint = "give an equilibrium, or require_equilibrium=False"
    if v.any():
        raise InputError(f"{where} is not at rest with v = {v.tolist()}; {hint}")
    left = np.abs(point.residual)
    if left.size and left.max() > tolerance * max(point.scale, 1e-12):
        worst = int(left.argmax())
        raise InputError(
            f"{where} is not in equilibrium there: a force of {point.residual[worst]:.6g} at '{eom.v_names[worst]}' "
            f"is left unbalanced by the motors; {hint}"
        )


def _derivatives(
    eom: EquationsOfMotion,
    point: Equilibrium,
    v0: Array,
    inputs: list[str],
    outputs: list[str],
    states: tuple[str, ...],
    t: float,
    p: Array,
) -> tuple[Array, Array, Array, Array]:
    s, nv = eom.symbolic, eom.nv
    d = ca.SX.sym("d", nv)
    # The chart to first order, which is all that first derivatives at d = 0 see: the exponential of a quaternion has
    # no derivative there on a tape.
    B0 = ca.Function("rate", [s.q, s.v, s.p], [s.coordinate_rate])
    q = ca.DM(point.q) + B0(ca.DM(point.q), d, s.p)
    rate = ca.vertcat(*[_chart_rate(b.kind, d[b.v], s.v[b.v]) for b in eom.layout.blocks])
    acceleration = ca.substitute(s.forward_dynamics, s.tau, ca.densify(s.applied))
    a = ca.Function("a", [s.q, s.v, s.u, s.t, s.p], [acceleration])(q, s.v, s.u, s.t, s.p)
    y_out = [_output(eom, name, d, q, states) for name in outputs]
    x = ca.vertcat(d, s.v)
    rates = ca.densify(ca.vertcat(rate, a, *y_out))
    variables = ca.vertcat(x, s.u, s.p)
    seed = ca.SX.sym("seed", variables.shape[0])
    sweep = ca.Function("sweep", [variables, s.t, seed], [ca.densify(ca.jtimes(rates, variables, seed))])
    columns = list(range(2 * nv))
    columns += [2 * nv + [*eom.u_names, *eom.p_names].index(name) for name in inputs]
    value = np.concatenate([np.zeros(nv), v0, point.u, p])
    unit = np.eye(len(value))
    J = np.column_stack([np.array(sweep(value, t, unit[k]).full())[:, 0] for k in columns])
    if not np.isfinite(J).all():
        raise InputError(f"machine '{eom.machine.name}' cannot be linearised there: its mass matrix is singular")
    J += 0.0  # no negative zeros
    n = 2 * nv
    return J[:n, :n], J[:n, n:], J[n:, :n], J[n:, n:]


def _chart_rate(kind: str, d: Any, v: Any) -> Any:
    """Rate of the tangent displacement ``d`` for the velocity ``v``, to first order in ``d``.

    A rotation by the vector ``d`` in body axes has ``d' = w + d x w / 2 + ..``.
    """
    match kind:
        case "spherical":
            return v + ca.cross(d, v) / 2
        case "free":
            return ca.vertcat(v[:3] + ca.cross(d[3:], v[:3]), v[3:] + ca.cross(d[3:], v[3:]) / 2)
    return v


def _output(eom: EquationsOfMotion, name: str, d: Any, q: Any, states: tuple[str, ...]) -> Any:
    """A state, or a component of the position of a frame's origin."""
    s = eom.symbolic
    if name in states:
        i = states.index(name)
        return d[i] if i < eom.nv else s.v[i - eom.nv]
    frame, _, axis = name.rpartition(".")
    if axis in ("x", "y", "z") and frame in eom.machine.tree.frames:
        position = s.pose(frame)[:3, 3]
        return ca.Function("position", [s.q, s.p], [position["xyz".index(axis)]])(q, s.p)
    known = (*states, *(f"{f}.x|y|z" for f in eom.machine.tree.frames))
    raise UnknownNameError("output", name, known, f"machine '{eom.machine.name}'")


def law_gain(eom: EquationsOfMotion, law: Law, at: State = None, *, t: float = 0.0, p: Any = None) -> Array:
    """Derivative ``K`` (nu x 2 nv) of a law's inputs by displacements and velocities, at rest: ``u = u0 + K x``.

    With `linearize` it gives the poles of the closed loop, ``A + B K``.

    Parameters
    ----------
    eom
        The equations.
    law
        A law without internal states.
    at
        Configuration.
    t, p
        Time, and parameter values.
    """
    if law.state_names(eom):
        raise InputError(f"law_gain needs a law without internal states, got {type(law).__name__}")
    s, q0 = eom.symbolic, named_vector(at, eom.q_names, eom.q_neutral, "at")
    d = ca.SX.sym("d", eom.nv)
    B0 = ca.Function("rate", [s.q, s.v, s.p], [s.coordinate_rate])
    u, _ = law.expression(eom, s.t, s.q, s.v, ca.SX(0, 1), s.p)
    moved = ca.Function("u", [s.q, s.v, s.t, s.p], [u])(ca.DM(q0) + B0(ca.DM(q0), d, s.p), s.v, s.t, s.p)
    x = ca.vertcat(d, s.v)
    seed = ca.SX.sym("seed", 2 * eom.nv)
    sweep = ca.Function("sweep", [x, s.t, s.p, seed], [ca.densify(ca.jtimes(moved, x, seed))])
    values, zero = eom.parameter_values(p), np.zeros(2 * eom.nv)
    return np.column_stack([np.array(sweep(zero, t, values, e).full())[:, 0] for e in np.eye(2 * eom.nv)])
