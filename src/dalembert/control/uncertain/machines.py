"""Machines as uncertain linear models: linear fractional transformations that bring a bound of their error.

The linearised equations of motion ``M a + D w + K d = B u`` are one tape that is linear in the accelerations,
velocities, displacements and inputs. Replayed on signals it is a relation between them in blocks between -1 and 1, from
which the accelerations are solved; no equation is derived a second time. With constraints the reactions and the
dependent displacements and velocities are solved with them. Redundant channels are reduced, and the error of all these
steps is bounded over the whole box and becomes one more block of the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict, Unpack

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.equilibrium import Equilibrium, check_rest, equilibrium
from dalembert.analysis.linearize import state_space_names
from dalembert.analysis.linearize_constrained import reduction_at
from dalembert.analysis.outputs import all_outputs
from dalembert.control.signals import label, place
from dalembert.control.uncertain.enclosures import UNIT
from dalembert.control.uncertain.lft import LFT, rotation
from dalembert.control.uncertain.model import UncertainMachine, steepest
from dalembert.control.uncertain.reduction import equal_scales, relative
from dalembert.control.uncertain.relation import AccelerationMap, ModelError, acceleration_map, output_map
from dalembert.control.uncertain.replay import replayed, turn
from dalembert.control.uncertain.rest import RestPoint, keeps_moving, stays_at_rest
from dalembert.control.uncertain.state_equations import signals_of, state_equations, with_signals
from dalembert.control.uncertain.tapes import (
    SIGNALS,
    Held,
    ModeFrequency,
    held_rows,
    output_tape,
    relation_tape,
    symbols,
)
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.keywords import field_defaults, flat_keywords, grouped
from dalembert.core.types import Array, StateLike
from dalembert.formulations.constraints.assembly import Branch
from dalembert.formulations.constraints.reduction import locked_rows
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.checks import refuse_stick
from dalembert.model.elastic.finite_elements import FlexibleBody
from dalembert.model.machine import Machine

if TYPE_CHECKING:
    pass

__all__ = ["UncertainMachine", "acceleration_matters", "uncertain"]

_AGREE = 1e-9  # relative difference from the machine at samples beyond which a model is refused


class _Keywords(TypedDict, total=False):
    """The fields of a `RestPoint`, as keywords of `uncertain`."""

    u: ArrayLike | None
    locked: Sequence[str]
    active: Mapping[str, bool] | None
    branch: Branch
    independent: Sequence[str] | None
    p: Mapping[str, float] | ArrayLike | None


@flat_keywords(_Keywords, defaults=field_defaults(RestPoint))
def uncertain(
    machine: Machine | EquationsOfMotion,
    ranges: Mapping[str, tuple[float, float]],
    *,
    at: StateLike = None,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    motion: Mapping[str, float | tuple[float, float]] | None = None,
    tangent: str = "half",
    tolerance: float = 1e-8,
    **keywords: Unpack[_Keywords],
) -> UncertainMachine:
    """Linear model of a machine whose angles and parameters lie in ranges, as a linear fractional transformation.

    Parameters
    ----------
    machine
        The machine. It must be in equilibrium at every value of the ranges in one configuration (no gravity on turning
        parts, or motors that hold them), as a free-flying robot is. With constraints and cables the states are
        independent displacements and velocities, as those of `dalembert.linearize`.
    ranges
        Ranges of coordinates of revolute joints [rad] and of prismatic ones, of parameters, and of frequencies
        ``"BODY.omega1"`` [rad/s] of modes of flexible bodies from finite elements, by name. Quantities that move the
        constraints are refused.
    at
        Configuration of the coordinates that are not named.
    inputs
        Motors, and velocities at which a generalised force acts (as ideal thrusters do at a free base), by name;
        default all motors.
    outputs
        States of the linear model by name, components of frames such as ``"load.x"``, ``"load.vx"``, ``"load.wz"`` or
        ``"load.ax"``, declared signals, readings of sensors such as ``"gyro.base.wz"``, and reactions such as
        ``"tension.cable1"``, as of `dalembert.linearize`; default all states. A reading is the measured quantity
        itself: a proof does not cover that it is sampled.
    motion
        Largest rates of uncertain coordinates that move, or pairs of rate and acceleration, in their units. The model
        is the derivative along such motions, with velocity terms (a rope that is hoisted damps the sway by
        ``2 l'/l``). It has the further quantities ``NAME.rate`` and ``NAME.acceleration``. A rate alone is enough if
        the acceleration has no effect; else it is refused. Proofs by `dalembert.control.varying` then hold for the
        machine.
    tangent
        ``"half"`` or ``"quarter"``: tangent of which part of an angle is the uncertain number (see `rotation`).
    tolerance
        Tolerance of the reduction.
    **keywords
        The rest of the operating point, as of `dalembert.linearize`: ``u``, ``locked``, ``active``, ``branch``,
        ``independent`` and ``p``, values of the parameters that are not named.
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    if not eom.formulation.minimal:
        raise InputError(f"an uncertain model needs minimal coordinates, got the formulation '{eom.formulation.name}'")
    rest = grouped(RestPoint, None, keywords)
    modes = _mode_frequencies(eom, ranges)
    coordinates, numbers = _sorted_ranges(eom, ranges, tangent, modes)
    for end in (0, 1):  # both ends of every range keep the bounds of the machine, as values of calls do
        values = np.array(eom.parameter_values(rest.p), dtype=float)
        values[list(numbers.values())] = [float(ranges[n][end]) for n in numbers]
        eom.parameter_values(values)
    checked = {n: (float(lo), float(hi)) for n, (lo, hi) in ranges.items()}
    nominal = np.array(eom.parameter_values(rest.p), dtype=float)
    instead = "it has no derivative at rest; name joints that stick in locked=, or give them friction=0"
    refuse_stick(eom.machine, "an uncertain linear model", instead, rest.locked)
    point = equilibrium(eom, at, p=nominal, **rest.settings)
    if len(point.J):
        check_rest(eom, point, np.zeros(eom.nv), rest.tolerance, t=0.0, p=nominal)
    moving = _motion(eom, motion, coordinates)
    places = {n: _velocity_of(eom, n) for n in moving}
    faster = [places[n] for n, (_, a) in moving.items() if 0.0 < a < np.inf]
    if moving:
        checked |= {f"{n}.rate": (-rate, rate) for n, (rate, _) in moving.items()}
        checked |= {f"{n}.acceleration": (-a, a) for n, (_, a) in moving.items() if 0.0 < a < np.inf}
        keeps_moving(eom, point, nominal, coordinates, numbers, checked, places)
    for name, mode in modes.items():
        if abs(point.q[mode.q]) > 1e-12:
            raise InputError(
                f"'{eom.q_names[mode.q]}' of machine '{eom.machine.name}' is bent by {point.q[mode.q]:.6g} at rest, "
                f"which moves with '{name}': its frequency can be uncertain where nothing loads it"
            )
    still = {n: span for n, span in checked.items() if n in ranges}
    stays_at_rest(eom, point, nominal, coordinates, numbers, still, rest)
    held = _held(eom, point, rest, nominal)
    turning = _turning(eom)
    angles = {n: k for n, k in coordinates.items() if n in turning}
    others = {n: k for n, k in coordinates.items() if n not in turning}
    quantities = symbols(
        point.q, nominal, angles, others, numbers, tuple(modes.values()), tuple(places.values()), tuple(faster)
    )
    tape = relation_tape(eom, quantities, point, held, given=rest.u is not None)
    fraction = {"half": 0.5, "quarter": 0.25}[tangent]
    whole = rotation("", tangent)
    turns = {n: turn(whole.M11, whole.M12, whole.M21, _tangents(fraction, *checked[n])) for n in angles}
    more = [f"{n}.{what}" for what in ("rate", "acceleration") for n in moving if f"{n}.{what}" in checked]
    spans = {n: checked[n] for n in (*others, *numbers, *modes, *more)}
    raw = replayed(tape, SIGNALS, turns, spans)
    drives = tuple(label(x) for x in (*eom.u_names, *eom.v_names))
    driven = [place(label(x), drives, "motor or velocity") for x in inputs] if inputs is not None else range(eom.nu)
    unknowns, free = tape.size1_in(2), tape.size1_in(3)
    made = acceleration_map(raw, eom.nv, list(driven), tolerance, unknowns=unknowns, free=free)
    model = UncertainMachine(
        LFT(np.zeros((0, 0)), np.zeros((0, 0)), np.zeros((0, 0)), np.zeros((0, 0))),
        made.inertia,
        checked,
        dict.fromkeys(angles, fraction),
        raw.roots,
    )
    sampled = _sampled_error(model, made, tape, [*angles], list(spans), list(driven))
    if not sampled <= _AGREE:
        raise InputError(
            f"the uncertain model of machine '{eom.machine.name}' differs from the machine by {sampled:.2g}, relative: "
            "narrow the ranges, or scale the machine's numbers"
        )
    error = ModelError(made.bound, sampled, made.message)
    states = tuple(label(x) for x in state_space_names(eom))
    own = range(eom.nv) if held is None else held.independent
    asked = None if outputs is None else all_outputs(eom, outputs)
    chosen = [states[i + k] for k in (0, eom.nv) for i in own] if asked is None else [label(x) for x in asked]
    signals = [] if asked is None else signals_of(eom, asked, held)
    limits = tuple((n, rate * steepest(model, n)) for n, (rate, _) in moving.items())
    limits += tuple((n, np.inf) for n in more)
    limits += tuple((n, 0.0) for n in ranges if n not in moving)
    lft = state_equations(eom, made, [drives[k] for k in driven], sampled, held, limits)
    if signals:
        seen = replayed(output_tape(eom, quantities, signals), ("d", "w", "a"), turns, spans, raw.roots)
        if seen.roots != raw.roots:
            raise InputError(f"outputs of machine '{eom.machine.name}' contain roots that its equations do not contain")
        lft = with_signals(eom, lft, output_map(seen, tolerance), signals, limits)
    lft = lft.part([place(x, lft.outputs, "output") for x in chosen], range(lft.shape[1]))
    ties = _ties(model, moving)
    lft = replace(lft, blocks=tuple(replace(b, ties=ties) if b.kind == "error" else b for b in lft.blocks))
    return UncertainMachine(lft, made.inertia, checked, model.tangents, model.roots, error, moving)


def _ties(model: UncertainMachine, moving: Mapping[str, tuple[float, float]]) -> tuple[tuple[str, str, float], ...]:
    """Rates of blocks that are multiples of the numbers of others: of sliding coordinates, and of their rates."""
    sliding = {n: rate for n, (rate, _) in moving.items() if n not in model.tangents}
    ties = [(n, f"{n}.rate", rate * steepest(model, n)) for n, rate in sliding.items()]
    ties += [(f"{n}.rate", f"{n}.acceleration", a / r) for n, (r, a) in moving.items() if 0.0 < a < np.inf]
    return tuple(ties)


def _motion(
    eom: EquationsOfMotion, motion: Mapping[str, float | tuple[float, float]] | None, coordinates: Mapping[str, int]
) -> dict[str, tuple[float, float]]:
    """Largest rates and accelerations of coordinates that move."""
    checked = {}
    for name, asked in (motion or {}).items():
        if name not in coordinates:
            raise UnknownNameError("uncertain coordinate that can move", name, coordinates)
        pair = tuple(asked) if isinstance(asked, Sequence) else (asked, np.inf)
        if not isinstance(asked, Sequence) and acceleration_matters(eom, name):
            raise InputError(
                f"the acceleration of '{name}' has an effect on machine '{eom.machine.name}': give its motion as a "
                "pair, largest rate and largest acceleration"
            )
        finite = all(np.isfinite(x) for x in (pair if isinstance(asked, Sequence) else pair[:1]))
        if len(pair) != 2 or not finite or not (pair[0] > 0.0 and pair[1] >= 0.0):
            raise InputError(
                f"the motion of '{name}' must be a rate above 0, or such a rate and an acceleration >= 0, got {asked!r}"
            )
        checked[name] = (float(pair[0]), float(pair[1]))
    return checked


def acceleration_matters(eom: EquationsOfMotion, name: str) -> bool:
    """Whether the force of an acceleration of a coordinate depends on the configuration."""
    s = eom.symbolic
    unit = ca.DM.zeros(eom.nv)
    unit[_velocity_of(eom, name)] = 1.0
    return bool(ca.depends_on(ca.densify(ca.jtimes(s.inverse_dynamics, s.a, ca.SX(unit))), s.q))


def _velocity_of(eom: EquationsOfMotion, name: str) -> int:
    """Place of the velocity of a coordinate with one."""
    return next(b.v.start for b in eom.layout.blocks if b.name == name)


def _held(eom: EquationsOfMotion, point: Equilibrium, rest: RestPoint, p: Array) -> Held | None:
    """The rows that hold the machine, with the independent displacements that `linearize` takes."""
    if not len(point.J):
        if rest.independent is not None:
            raise InputError(f"machine '{eom.machine.name}' has no constraints: all its displacements are independent")
        return None
    names = state_space_names(eom)[: eom.nv]
    chosen = reduction_at(eom, point, names, locked=rest.locked, independent=rest.independent, t=0.0, p=p).independent
    return held_rows(eom, point, locked_rows(eom, rest.locked), chosen)


def _tangents(fraction: float, lo: float, hi: float) -> tuple[float, float]:
    """Tangents of a part of the ends of a range of angles, a few units in the last place further out."""
    low, high = float(np.tan(fraction * lo)), float(np.tan(fraction * hi))
    return low - 8.0 * float(np.spacing(abs(low))), high + 8.0 * float(np.spacing(abs(high)))


def _turning(eom: EquationsOfMotion) -> frozenset[str]:
    """Coordinates that enter by their sine and cosine."""
    return frozenset(b.name for b in eom.layout.blocks if b.kind in ("revolute", "continuous"))


def _mode_frequencies(eom: EquationsOfMotion, ranges: Mapping[str, object]) -> dict[str, ModeFrequency]:
    """Frequencies of modes among the names, of flexible bodies whose modal masses are one."""
    known = {}
    for body in eom.machine.bodies:
        if isinstance(body, FlexibleBody):
            for k, (name, rate) in enumerate(zip(body.q_names, body.v_names, strict=True)):
                places = eom.q_names.index(name), eom.v_names.index(rate)
                known[f"{body.name}.omega{k + 1}"] = ModeFrequency(*places, float(body.omega[k]), body.damping)
    return {name: known[name] for name in ranges if name in known}


def _sorted_ranges(
    eom: EquationsOfMotion,
    ranges: Mapping[str, tuple[float, float]],
    tangent: str,
    modes: Mapping[str, ModeFrequency],
) -> tuple[dict[str, int], dict[str, int]]:
    """Coordinates and parameters among the names, with their places in ``q`` and ``p``."""
    rotation("", tangent)  # refuses numbers that are no tangent
    moving = {b.name: b.q.start for b in eom.layout.blocks if b.kind in ("revolute", "continuous", "prismatic")}
    turning = _turning(eom)
    coordinates, numbers = {}, {}
    if not ranges:
        raise InputError("uncertain needs at least one range")
    reach = {"half": np.pi, "quarter": 2.0 * np.pi}[tangent]
    for name, span in ranges.items():
        try:
            lo, hi = (float(x) for x in span)
        except (TypeError, ValueError):
            raise InputError(f"the range of '{name}' must be two numbers, got {span!r}") from None
        if not (lo < hi and np.isfinite([lo, hi]).all()):
            raise InputError(f"the range of '{name}' must be two increasing finite numbers, got {span!r}")
        if name in moving:
            if name in turning and not -reach < lo < hi < reach:
                hint = "; angles beyond 180 degrees need tangent='quarter'" if tangent == "half" else ""
                raise InputError(
                    f"the range of angle '{name}' must lie within {np.degrees(reach):.0f} degrees to both sides, got "
                    f"{span!r} rad{hint}"
                )
            coordinates[name] = moving[name]
        elif name in eom.p_names:
            numbers[name] = eom.p_names.index(name)
        elif name in modes:
            if lo <= 0.0:
                raise InputError(f"the range of frequency '{name}' must be positive, got {span!r}")
        else:
            known = (*moving, *eom.p_names)
            raise UnknownNameError("revolute or prismatic joint, parameter or frequency of a mode", name, known)
    return coordinates, numbers


def _sampled_error(
    model: UncertainMachine,
    made: AccelerationMap,
    tape: ca.Function,
    angles: Sequence[str],
    numbers: Sequence[str],
    driven: Sequence[int],
    count: int = 12,
) -> float:
    """Largest error of the unknowns at corners and random points, relative to their sizes, free of units.

    With constraints the rounding of the reference values is subtracted: some exact entries are zero.
    """
    sizes = [tape.size1_in(2 + k) for k in range(len(SIGNALS))]
    width, unknowns, known = sum(sizes), sizes[0], sum(sizes[:3])
    swept = tape.map(width)
    unit = np.split(np.eye(width), np.cumsum(sizes)[:-1], axis=0)
    kept = [*range(unknowns, known), *(known + k for k in driven)]
    ends = [{n: span[k] for n, span in model.ranges.items()} for k in (0, 1)]
    worst = 0.0
    for values in [*ends, *model.sample(count)]:
        given = [np.tile([[values[n]] for n in names] or np.zeros((0, 1)), (1, width)) for names in (angles, numbers)]
        R = np.array(swept(*given, *unit).full())
        N, right = R[:, :unknowns], R[:, kept]
        truth = np.linalg.solve(N, -right)
        error = np.abs(made.accelerations(model.normalised(**values)) - truth)
        if unknowns > made.inertia.shape[0]:
            error = np.maximum(error - _elimination_error(N, right, truth), 0.0)
        worst = max(worst, relative(error, np.abs(truth)))
    return worst


def _elimination_error(N: Array, right: Array, y: Array) -> Array:
    """Rounding of the solution ``N y = -right``, in rows and columns of equal size: elimination mixes all rows."""
    row, column = equal_scales(N)
    size = (np.abs(row[:, None] * N) @ np.abs(y) + np.abs(row[:, None] * right)).sum(axis=0)
    inverse = np.abs(np.linalg.inv(row[:, None] * N * column)).sum(axis=1)
    return np.asarray(8.0 * len(N) * UNIT * column[:, None] * inverse[:, None] * size)
