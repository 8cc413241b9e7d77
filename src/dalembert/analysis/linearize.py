"""Linear models of machines: exact derivatives, in the tangent space of the configuration.

State of the linear model: tangent displacement ``d`` (nv numbers, with ``q = integrate(q0, d)``) and velocity change.
Derivatives come from the tape of the equations itself, one forward sweep per column, so that they are exact and the
cost is that of ``2 nv + nu`` evaluations. For a machine with constraints the states are independent displacements and
velocities (see ``analysis/linearize_constrained.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.contact_forces import touching_latches
from dalembert.analysis.elastic_friction import RopeStates, with_held_spans
from dalembert.analysis.equilibrium import Equilibrium, check_rest, contact_equations, equilibrium, with_contacts
from dalembert.analysis.linear_models import minimal_part, sampled
from dalembert.analysis.linearize_constrained import multiplier_names, reduced_model, reduction_at
from dalembert.analysis.outputs import all_outputs, is_signal, output_signal, signal_names
from dalembert.analysis.sheaves import with_sheaves
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.keywords import field_defaults, flat_keywords, grouped
from dalembert.core.ports import Law
from dalembert.core.states import named_vector
from dalembert.core.types import Array, Expression, StateLike
from dalembert.core.validation import check_names
from dalembert.formulations.constraints.assembly import Branch
from dalembert.formulations.constraints.elastic_sheaves import span_tensions
from dalembert.formulations.constraints.projection import consistent_state, kept_velocities
from dalembert.formulations.constraints.reduction import Reduction, locked_rows
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive
from dalembert.formulations.registry import kind_of
from dalembert.model.checks import refuse_stick
from dalembert.model.machine import Machine

if TYPE_CHECKING:
    import control

__all__ = [
    "HELD_OR_FREE",
    "HINT",
    "Equilibrium",
    "ModelForm",
    "OperatingPoint",
    "equilibrium",
    "law_gain",
    "linearize",
    "reduction",
    "state_space_names",
]

HELD_OR_FREE = "it has no derivative at rest; name joints that stick in locked=, or give them friction=0"
"""The cure for joints that stick."""

HINT = "give an equilibrium, or require_equilibrium=False"


@dataclass(frozen=True)
class OperatingPoint:
    """The operating point of a linear model, besides the configuration.

    Parameters
    ----------
    v
        Velocities; only with ``require_equilibrium=False``. With constraints those by name are kept.
    u
        Inputs; default those that balance gravity, springs and wrenches (see `equilibrium`). A robot with more cables
        than motions needs them, so that every cable pulls.
    locked
        Joints that do not move, such as winches with their brakes on.
    active
        Switchable constraints and cables, by name, that are to act or not; default as in the machine, and cables that
        are longer than their way are slack.
    tensions
        Tensions [N] of the spans of elastic ropes with friction at sheaves, by the names ``R[i]`` of their signals;
        default equal ones, or in the ratios of sheaves past which the rope runs.
    branch
        Which assembly of a closed mechanism, as in `dalembert.Start`.
    t, p
        Time (of wrenches and moving constraints) and parameter values.
    require_equilibrium
        Refuse a state in which the machine does not stay at rest. If False, the model is the derivative of the vector
        field in the chart around the state; its constant term is left out.
    tolerance
        Largest force that may be left unbalanced, relative to the largest one.

    Examples
    --------
    >>> OperatingPoint(locked=["winch"]).require_equilibrium
    True
    """

    v: StateLike = None
    u: ArrayLike | None = None
    locked: Sequence[str] = ()
    active: Mapping[str, bool] | None = None
    tensions: Mapping[str, float] | None = None
    branch: Branch = None
    t: float = 0.0
    p: Mapping[str, float] | ArrayLike | None = None
    require_equilibrium: bool = True
    tolerance: float = 1e-6

    def __post_init__(self) -> None:
        for what, number in (("t", self.t), ("tolerance", self.tolerance)):
            if isinstance(number, bool) or not isinstance(number, int | float) or not np.isfinite(number):
                raise InputError(f"{what} must be a finite number, got {number!r}")
        if self.tolerance < 0.0:
            raise InputError(f"tolerance must be >= 0, got {self.tolerance!r}")


@dataclass(frozen=True)
class ModelForm:
    """The form of a linear model.

    Parameters
    ----------
    independent
        Displacements to take as states of a machine with constraints, as many as it has degrees of freedom; default
        those that carry most of the inertia.
    allow_singular
        Whether to accept a singular position, in which constraints lose rank (a symmetric platform on four locked
        winches). The model is then that of very stiff instead of rigid constraints, with the reactions of least norm.
    period
        Sampling period [s]: the exact model from sample to sample with inputs that are held in between; None: the
        continuous model.
    minimal
        Whether to leave out states that the inputs cannot control or the outputs do not observe. States are
        combinations then, named ``x1``, ``x2``, ..., unless nothing is left out.

    Examples
    --------
    >>> ModelForm(period=0.01, minimal=True).allow_singular
    False
    """

    independent: Sequence[str] | None = None
    allow_singular: bool = False
    period: float | None = None
    minimal: bool = False


class _Keywords(TypedDict, total=False):
    """The fields of an `OperatingPoint` and of a `ModelForm`, as keywords of `linearize`."""

    v: StateLike
    u: ArrayLike | None
    locked: Sequence[str]
    active: Mapping[str, bool] | None
    tensions: Mapping[str, float] | None
    branch: Branch
    t: float
    p: Mapping[str, float] | ArrayLike | None
    require_equilibrium: bool
    tolerance: float
    independent: Sequence[str] | None
    allow_singular: bool
    period: float | None
    minimal: bool


@flat_keywords(_Keywords, defaults=field_defaults(OperatingPoint, ModelForm))
def linearize(
    machine: Machine | EquationsOfMotion,
    at: StateLike = None,
    *,
    point: OperatingPoint | None = None,
    form: ModelForm | None = None,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    by: str = "newton-euler",
    **keywords: Unpack[_Keywords],
) -> control.StateSpace:
    """Linear model of a machine about a configuration, as a python-control StateSpace.

    Parameters
    ----------
    machine
        The machine, or equations of motion derived from it (any formulation, any coordinates).
    at
        Configuration: numbers, or a mapping of coordinate names to numbers (the others are neutral). It is projected
        onto the constraints; for natural coordinates it is that of the machine.
    point
        The rest of the operating point; or give the fields of `OperatingPoint` one by one.
    form
        Independent states, singular positions, sampling, minimal models; or the fields of `ModelForm` one by one.
    inputs
        Motors, or parameters of the machine, by name; default all motors.
    outputs
        Coordinates and velocities by name, components of frames in world axes (position ``"payload.x"``, velocity
        ``"payload.vx"``, rate of rotation ``"payload.wz"``, acceleration ``"payload.ax"``), declared signals, readings
        of sensors ``"SENSOR.SIGNAL"`` (a sensor's name stands for all of them), or reactions as a run names them,
        ``"tension.cable1"`` and ``"multiplier.loop[0]"``, tensions of elastic ropes included; default all states.
    by
        The formulation.
    **keywords
        ``v``, ``u``, ``locked``, ``active``, ``tensions``, ``branch``, ``t``, ``p``, ``require_equilibrium`` and
        ``tolerance`` of the `OperatingPoint`; ``independent``, ``allow_singular``, ``period`` and ``minimal`` of the
        `ModelForm`.

    Returns
    -------
    control.StateSpace
        States: tangent displacements (named as the coordinates; ``NAME.int`` of a velocity where the coordinates are
        quaternions) and velocities, with constraints the independent ones; then the rope ``material.R.S`` before wheels
        that turn under elastic ropes. Inputs and outputs by name. python-control
        allows no dots in labels: they become underscores.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.analysis import linearize
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

    eom = machine if isinstance(machine, EquationsOfMotion) else _derive(machine, by)
    about, shape = grouped(OperatingPoint, point, keywords), grouped(ModelForm, form, keywords)
    v, u, locked, active, t, tolerance = about.v, about.u, about.locked, about.active, about.t, about.tolerance
    values = eom.parameter_values(about.p)
    eom = contact_equations(eom, at, active=active, branch=about.branch, t=t, p=values)
    rest = equilibrium(eom, at, u=u, active=active, locked=locked, branch=about.branch, t=t, p=values)
    refuse_stick(eom.machine, "a linear model", HELD_OR_FREE, locked, sheaves=False)
    v0 = named_vector(v, eom.v_names, np.zeros(eom.nv), "v")
    if v0.any():
        rest = replace(rest, latches=touching_latches(eom, rest.q, v0, rest.latches, active=active, p=values))
    if not about.require_equilibrium and len(rest.J):
        v0 = _velocities(eom, rest, v, v0, t, values)
    eom, ropes = with_held_spans(eom, rest.q, v0, about.tensions, t=t, p=values)
    if about.tensions:
        balance = equilibrium(eom, at, u=u, active=active, locked=locked, branch=about.branch, t=t, p=values)
        rest = replace(balance, latches=rest.latches)
    rest = with_contacts(eom, rest, v0, locked_rows(eom, locked), active=active, t=t, p=values)
    rest = with_sheaves(eom, rest, v0, t=t, p=values)
    if about.require_equilibrium:
        check_rest(eom, rest, v0, tolerance, t=t, p=values, hint=HINT)
    states = state_space_names(eom)
    chosen_in = list(eom.u_names) if inputs is None else check_names(inputs, "inputs")
    for name in chosen_in:
        if name not in (*eom.u_names, *eom.p_names):
            raise UnknownNameError("input", name, (*eom.u_names, *eom.p_names), f"machine '{eom.machine.name}'")
    names = states
    reduced = None
    if len(rest.J) or eom.constrained or eom.machine.sheave_bearings:
        coordinates = states[: eom.nv]
        reduced = reduction_at(
            eom,
            rest,
            coordinates,
            locked=locked,
            independent=shape.independent,
            allow_singular=shape.allow_singular,
            t=t,
            p=values,
        )
        names = tuple(states[i + k] for k in (0, eom.nv) for i in reduced.independent)
    elif shape.independent is not None:
        raise InputError(f"machine '{eom.machine.name}' has no constraints: all its displacements are independent")
    names = (*names, *ropes.names)
    chosen_out = list(names) if outputs is None else all_outputs(eom, check_names(outputs, "outputs"))
    if not chosen_in and len(chosen_out) == 1:
        raise InputError(
            f"machine '{eom.machine.name}' has no motors, and python-control has no model of one output without "
            "inputs: name a parameter as input, or another output"
        )
    A, B, C, D = _derivatives(eom, rest, v0, ropes, chosen_in, chosen_out, states, reduced, t, values)
    if shape.minimal and len(A):
        parts = minimal_part(A, B, C)
        names = names if len(parts[0]) == len(A) else tuple(f"x{k + 1}" for k in range(len(parts[0])))
        A, B, C = parts
    if shape.period is not None:
        A, B = sampled(A, B, shape.period)
    labels = [_labels(some) for some in (chosen_in, chosen_out, names)]
    (name,) = _labels([eom.machine.name])
    dt = 0 if shape.period is None else shape.period
    return control.ss(A, B, C, D, dt, inputs=labels[0], outputs=labels[1], states=labels[2], name=name)


def _labels(names: Sequence[str]) -> list[str]:
    """Return names as python-control takes them: with underscores for dots."""
    known: dict[str, str] = {}
    for name in names:
        other = known.setdefault(label := name.replace(".", "_"), name)
        if other != name:
            raise InputError(f"{other!r} and {name!r} are both {label!r} in python-control: rename one of them")
    return [name.replace(".", "_") for name in names]


def _derive(machine: Machine, by: str) -> EquationsOfMotion:
    """Equations of a machine; a handful of constrained evaluations is not worth a compiler."""
    constrained = isinstance(machine, Machine) and (machine.constrained or not kind_of(by).minimal)
    return derive(machine, by, backend="vm" if constrained else "auto")


def _velocities(eom: EquationsOfMotion, point: Equilibrium, asked: StateLike, v: Array, t: float, p: Array) -> Array:
    """Velocities, if there are any, projected onto the constraints; those by name are kept."""
    if not eom.constrained or not v.any():
        return v
    if isinstance(asked, Mapping) and eom.formulation.machine_coordinates:
        wanted = {name: float(value) for name, value in asked.items()}
        kept = kept_velocities(eom, point.q, v, wanted, t=t, p=p, latches=point.latches)
        if kept is None:
            raise InputError(
                f"v: the constraints of machine '{eom.machine.name}' do not allow the velocities {', '.join(wanted)} "
                "together; name fewer of them, the others follow"
            )
        return kept
    return consistent_state(eom, point.q, v, t=t, p=p, latches=point.latches, what="the state").v


def reduction(
    eom: EquationsOfMotion,
    at: StateLike = None,
    *,
    independent: Sequence[str] | None = None,
    locked: Sequence[str] = (),
    active: Mapping[str, bool] | None = None,
    allow_singular: bool = False,
    t: float = 0.0,
    p: Parameters = None,
) -> Reduction:
    """Independent displacements that `linearize` takes as states, and all displacements from them.

    Parameters
    ----------
    eom
        The equations.
    at, independent, locked, active, allow_singular, t, p
        As in `linearize`.
    """
    values = eom.parameter_values(p)
    eom = contact_equations(eom, at, active=active, t=t, p=values)
    point = equilibrium(eom, at, active=active, locked=locked, t=t, p=values)
    point = with_contacts(eom, point, np.zeros(eom.nv), locked_rows(eom, locked), active=active, t=t, p=values)
    point = with_sheaves(eom, point, np.zeros(eom.nv), t=t, p=values)
    if not len(point.J):
        return Reduction(np.eye(eom.nv), tuple(range(eom.nv)))
    names = state_space_names(eom)[: eom.nv]
    return reduction_at(
        eom,
        point,
        names,
        locked=locked,
        independent=independent,
        allow_singular=allow_singular,
        t=t,
        p=values,
    )


def state_space_names(eom: EquationsOfMotion) -> tuple[str, ...]:
    """Names of the states of the linear model: tangent displacements, then velocities."""
    displacements: list[str] = []
    for block in eom.layout.blocks:
        q, v = eom.q_names[block.q], eom.v_names[block.v]
        displacements += q if len(q) == len(v) else [f"{name}.int" for name in v]
    return (*displacements, *eom.v_names)


def _derivatives(
    eom: EquationsOfMotion,
    point: Equilibrium,
    v0: Array,
    ropes: RopeStates,
    inputs: list[str],
    outputs: list[str],
    states: tuple[str, ...],
    reduced: Reduction | None,
    t: float,
    p: Array,
) -> tuple[Array, Array, Array, Array]:
    s, nv, z = eom.symbolic, eom.nv, ropes.symbols
    d = ca.SX.sym("d", nv)
    # The chart to first order, which is all that first derivatives at d = 0 see: the exponential of a quaternion has
    # no derivative there on a tape.
    B0 = ca.Function("rate", [s.q, s.v, s.p], [s.coordinate_rate])
    q = ca.DM(point.q) + B0(ca.DM(point.q), d, s.p)
    rate = ca.vertcat(*[b.coordinates.chart_rate(d[b.v], s.v[b.v]) for b in eom.layout.blocks])
    if reduced is not None:
        shown = [(name, _output(eom, ropes, name, d, q, states, s.a)) for name in outputs]
        model = reduced_model(eom, point, v0, ropes, reduced, inputs, shown, (d, q, rate), t=t, p=p)
        return model.A, model.B, model.C, model.D
    acceleration = ca.substitute(s.forward_dynamics, s.tau, ca.densify(s.applied + ropes.force))
    a, flows = ca.Function("a", [s.q, s.v, z, s.u, s.t, s.p], [acceleration, ropes.rates])(q, s.v, z, s.u, s.t, s.p)
    x = ca.vertcat(d, s.v, z)
    y_out = [_output(eom, ropes, name, d, q, states, a) for name in outputs]
    seen = [y for y in y_out if y is not None]  # multipliers are none of a machine without constraints
    rates = ca.densify(ca.vertcat(rate, a, flows, *seen))
    variables = ca.vertcat(x, s.u, s.p)
    seed = ca.SX.sym("seed", variables.shape[0])
    sweep = ca.Function("sweep", [variables, s.t, seed], [ca.densify(ca.jtimes(rates, variables, seed))])
    n = x.shape[0]
    columns = [*range(n), *(n + [*eom.u_names, *eom.p_names].index(name) for name in inputs)]
    value = np.concatenate([np.zeros(nv), v0, ropes.values, point.u, p])
    unit = np.eye(len(value))
    J = np.column_stack([np.array(sweep(value, t, unit[k]).full())[:, 0] for k in columns])
    if not np.isfinite(J).all():
        raise InputError(f"machine '{eom.machine.name}' cannot be linearised there: its mass matrix is singular")
    J += 0.0  # no negative zeros
    return J[:n, :n], J[:n, n:], J[n:, :n], J[n:, n:]


def _output(
    eom: EquationsOfMotion,
    ropes: RopeStates,
    name: str,
    d: Expression,
    q: Expression,
    states: tuple[str, ...],
    a: Expression,
) -> Expression | None:
    """A state, or a signal by coordinates and accelerations ``q``, ``a``; None for the multiplier of a constraint."""
    s, z = eom.symbolic, ropes.symbols
    if name in states:
        i = states.index(name)
        return d[i] if i < eom.nv else s.v[i - eom.nv]
    if name in ropes.names:
        return z[ropes.names.index(name)]
    tensions = {f"tension.{span}": T for span, T in (span_tensions(eom) | ropes.tensions).items()}
    if name in tensions:
        return ca.Function("tension", [s.q, s.v, z, s.t, s.p], [tensions[name]])(q, s.v, z, s.t, s.p)
    if is_signal(eom, name):
        return ca.Function("signal", [s.q, s.v, s.a, s.t, s.p], [output_signal(eom, name)])(q, s.v, a, s.t, s.p)
    reactions = multiplier_names(eom)
    if name in reactions:
        return None
    known = (*states, *ropes.names, *signal_names(eom), *reactions, *tensions)
    raise UnknownNameError("output", name, known, f"machine '{eom.machine.name}'")


def law_gain(
    eom: EquationsOfMotion, law: Law, at: StateLike = None, *, t: float = 0.0, p: Parameters = None, **options: Any
) -> Array:
    """Derivative ``K`` (nu x states) of a law's inputs by the states of `linearize`, at rest: ``u = u0 + K x``.

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
    **options
        ``independent``, ``locked``, ``active`` and ``allow_singular``, as in `linearize`.
    """
    if law.state_names(eom):
        raise InputError(f"law_gain needs a law without internal states, got {type(law).__name__}")
    s, values = eom.symbolic, eom.parameter_values(p)
    q0 = equilibrium(eom, at, t=t, p=values).q
    d = ca.SX.sym("d", eom.nv)
    B0 = ca.Function("rate", [s.q, s.v, s.p], [s.coordinate_rate])
    u, _ = law.expression(eom, s.t, s.q, s.v, ca.SX(0, 1), s.p)
    moved = ca.Function("u", [s.q, s.v, s.t, s.p], [u])(ca.DM(q0) + B0(ca.DM(q0), d, s.p), s.v, s.t, s.p)
    x = ca.vertcat(d, s.v)
    seed = ca.SX.sym("seed", 2 * eom.nv)
    sweep = ca.Function("sweep", [x, s.t, s.p, seed], [ca.densify(ca.jtimes(moved, x, seed))])
    zero = np.zeros(2 * eom.nv)
    K = np.column_stack([np.array(sweep(zero, t, values, e).full())[:, 0] for e in np.eye(2 * eom.nv)])
    S = reduction(eom, at, t=t, p=values, **options).S
    return np.asarray(np.hstack([K[:, : eom.nv] @ S, K[:, eom.nv :] @ S]))
