"""Machines as uncertain linear models: linear fractional transformations that bring a bound of their error.

The linearised equations of motion ``M a + D w + K d = B u`` are one tape that is linear in the accelerations,
velocities, displacements and inputs. Replayed on signals it is a relation between them in blocks between -1 and 1, from
which the accelerations are solved; no equation is derived a second time. Redundant channels are reduced, and the error
of all these steps is bounded over the whole box and becomes one more block of the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from dalembert.analysis.linearize import equilibrium, state_space_names
from dalembert.control.signals import label, place
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.uncertain.lft import LFT, rotation
from dalembert.control.uncertain.reduction import relative
from dalembert.control.uncertain.relation import ERROR, AccelerationMap, ModelError, acceleration_map, output_map
from dalembert.control.uncertain.replay import replayed, turn
from dalembert.control.uncertain.rest import stays_at_rest
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array, StateLike
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive
from dalembert.model.checks import refuse_stick
from dalembert.model.machine import Machine

if TYPE_CHECKING:
    import control

__all__ = ["UncertainMachine", "uncertain"]

_SIGNALS = ("a", "w", "d", "u", "f")  # what the tape is linear in, in the order of the relation's inputs
_AGREE = 1e-9  # relative difference from the machine at samples beyond which a model is refused


@dataclass(frozen=True, eq=False)
class UncertainMachine:
    """Linear model of a machine over ranges of angles and parameters.

    Parameters
    ----------
    lft
        The model in blocks between -1 and 1: inputs to outputs, states as integrators.
    inertia
        Accelerations to forces, in the same blocks: the mass matrix.
    ranges
        Range of each angle [rad] or parameter.
    tangents
        For each angle the fraction of it whose tangent is the block's number, before it is normalised.
    roots
        Parameters whose square root is the block's number: moduli of elasticity, which enter damping by their root.
    error
        How far the model may be from the linearised machine; it is a block of ``lft`` too.
    """

    lft: LFT
    inertia: LFT
    ranges: dict[str, tuple[float, float]]
    tangents: dict[str, float] = field(default_factory=dict)
    roots: frozenset[str] = frozenset()
    error: ModelError = field(default_factory=lambda: ModelError(None, np.nan, "not a model of a machine"))

    def normalised(self, **values: float) -> dict[str, float]:
        """Numbers between -1 and 1 of the blocks, for angles [rad] and parameters."""
        blocks = {}
        for name, value in values.items():
            if name not in self.ranges:
                raise UnknownNameError("uncertain quantity", name, self.ranges)
            lo, hi = (self._raw(name, x) for x in self.ranges[name])
            blocks[name] = (self._raw(name, value) - (lo + hi) / 2.0) / ((hi - lo) / 2.0)
        return blocks

    def values(self, **blocks: float) -> dict[str, float]:
        """Angles [rad] and parameters of numbers between -1 and 1: the inverse of `normalised`."""
        numbers = {}
        for name, d in blocks.items():
            lo, hi = (self._raw(name, x) for x in self.ranges[name])
            raw = (lo + hi) / 2.0 + (hi - lo) / 2.0 * d
            f = self.tangents.get(name)
            number = raw**2 if name in self.roots else raw
            numbers[name] = number if f is None else float(np.arctan(raw)) / f
        return numbers

    def _raw(self, name: str, value: float) -> float:
        f = self.tangents.get(name)
        number = float(np.sqrt(value)) if name in self.roots else value
        return number if f is None else float(np.tan(f * value))

    def at(self, **values: float) -> control.StateSpace:
        """The linear model (a python-control system) at values of all uncertain quantities."""
        return self.lft.at(**self._needed(self.lft, values))

    def sample(self, count: int, *, seed: int = 0) -> list[dict[str, float]]:
        """Random angles [rad] and parameters, even in their ranges: values for `at` and `mass_matrix`."""
        rng = np.random.default_rng(seed)
        return [{n: float(rng.uniform(lo, hi)) for n, (lo, hi) in self.ranges.items()} for _ in range(count)]

    def mass_matrix(self, **values: float) -> Array:
        """The mass matrix at values of all uncertain quantities."""
        return np.asarray(self.inertia.at(**self._needed(self.inertia, values)))

    def _needed(self, lft: LFT, values: Mapping[str, float]) -> dict[str, float]:
        """Normalised numbers of the blocks that a map has; a quantity may have dropped out of it."""
        blocks = self.normalised(**values)
        missing = [n for n in lft.sizes if n not in blocks]
        if missing:
            raise InputError(f"values of all uncertain quantities are needed, missing: {', '.join(missing)}")
        return {n: blocks[n] for n in lft.sizes}


def uncertain(
    machine: Machine | EquationsOfMotion,
    ranges: Mapping[str, tuple[float, float]],
    *,
    at: StateLike = None,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    tangent: str = "half",
    tolerance: float = 1e-8,
    p: Parameters = None,
) -> UncertainMachine:
    """Linear model of a machine whose angles and parameters lie in ranges, as a linear fractional transformation.

    Parameters
    ----------
    machine
        The machine, without constraints. It must be in equilibrium at every value of the ranges (no gravity on turning
        parts, or angles that gravity does not depend on), as a free-flying robot is.
    ranges
        Ranges of coordinates of revolute joints [rad] and of parameters, by name.
    at
        Configuration of the coordinates that are not named.
    inputs
        Motors, and velocities at which a generalised force acts (as ideal thrusters do at a free base), by name;
        default all motors.
    outputs
        States of the linear model by name, and components of the positions of frames such as ``"load.x"``, as of
        `dalembert.linearize`; default all states.
    tangent
        ``"half"`` or ``"quarter"``: tangent of which part of an angle is the uncertain number (see `rotation`).
    tolerance
        Tolerance of the reduction.
    p
        Values of the parameters that are not named.
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    if eom.machine.constrained:
        raise InputError(f"machine '{eom.machine.name}' has constraints: uncertain models support trees only")
    coordinates, numbers = _sorted_ranges(eom, ranges, tangent)
    for end in (0, 1):  # both ends of every range keep the bounds of the machine, as values of calls do
        values = np.array(eom.parameter_values(p), dtype=float)
        values[list(numbers.values())] = [float(ranges[n][end]) for n in numbers]
        eom.parameter_values(values)
    checked = {n: (float(lo), float(hi)) for n, (lo, hi) in ranges.items()}
    nominal = np.array(eom.parameter_values(p), dtype=float)
    point = equilibrium(eom, at, p=nominal)
    stays_at_rest(eom, point, nominal, coordinates, numbers, checked)
    turning = _turning(eom)
    angles = {n: k for n, k in coordinates.items() if n in turning}
    others = {n: k for n, k in coordinates.items() if n not in turning}
    tape = _linear_tape(eom, point.q, nominal, point.u, angles, others, numbers)
    fraction = {"half": 0.5, "quarter": 0.25}[tangent]
    whole = rotation("", tangent)
    turns = {n: turn(whole.M11, whole.M12, whole.M21, _tangents(fraction, *checked[n])) for n in angles}
    raw = replayed(tape, _SIGNALS, turns, {n: checked[n] for n in (*others, *numbers)})
    drives = tuple(label(x) for x in (*eom.u_names, *eom.v_names))
    driven = [place(label(x), drives, "motor or velocity") for x in inputs] if inputs is not None else range(eom.nu)
    made = acceleration_map(raw, eom.nv, list(driven), tolerance)
    model = UncertainMachine(
        LFT(np.zeros((0, 0)), np.zeros((0, 0)), np.zeros((0, 0)), np.zeros((0, 0))),
        made.inertia,
        checked,
        dict.fromkeys(angles, fraction),
        raw.roots,
    )
    sampled = _sampled_error(model, made, tape, eom, [*angles], [*others, *numbers], list(driven))
    if not sampled <= _AGREE:
        raise InputError(
            f"the uncertain model of machine '{eom.machine.name}' differs from the machine by {sampled:.2g}, relative: "
            "narrow the ranges, or scale the machine's numbers"
        )
    error = ModelError(made.bound, sampled, made.message)
    lft = _state_equations(eom, made, [drives[k] for k in driven], sampled)
    frames = [] if outputs is None else _frames_of(eom, outputs)
    if frames:
        tape = _frame_tape(eom, point.q, nominal, angles, others, numbers, frames)
        seen = replayed(tape, ("d",), turns, {n: checked[n] for n in (*others, *numbers)}, raw.roots)
        if seen.roots != raw.roots:
            raise InputError(f"outputs of machine '{eom.machine.name}' contain roots that its equations do not contain")
        lft = _with_positions(eom, lft, output_map(seen, tolerance), frames)
    if outputs is not None:
        lft = lft.part([place(label(x), lft.outputs, "output") for x in outputs], range(lft.shape[1]))
    return UncertainMachine(lft, made.inertia, checked, model.tangents, model.roots, error)


def _tangents(fraction: float, lo: float, hi: float) -> tuple[float, float]:
    """Tangents of a part of the ends of a range of angles, a few units in the last place further out."""
    low, high = float(np.tan(fraction * lo)), float(np.tan(fraction * hi))
    return low - 8.0 * float(np.spacing(abs(low))), high + 8.0 * float(np.spacing(abs(high)))


def _turning(eom: EquationsOfMotion) -> frozenset[str]:
    """Coordinates that enter by their sine and cosine."""
    return frozenset(b.name for b in eom.layout.blocks if b.kind in ("revolute", "continuous"))


def _sorted_ranges(
    eom: EquationsOfMotion, ranges: Mapping[str, tuple[float, float]], tangent: str
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
        else:
            raise UnknownNameError("revolute or prismatic joint or parameter", name, (*moving, *eom.p_names))
    return coordinates, numbers


def _symbols(
    q0: Array, p0: Array, angles: Mapping[str, int], others: Mapping[str, int], numbers: Mapping[str, int]
) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
    """Uncertain angles and numbers, and coordinates and parameters that hold them."""
    theta, number = ca.SX.sym("theta", len(angles)), ca.SX.sym("number", len(others) + len(numbers))
    q, p = ca.SX(ca.DM(q0)), ca.SX(ca.DM(p0))
    for k, index in enumerate(angles.values()):
        q[index] = theta[k]
    for k, index in enumerate(others.values()):
        q[index] = number[k]
    for k, index in enumerate(numbers.values()):
        p[index] = number[len(others) + k]
    return theta, number, q, p


def _linear_tape(
    eom: EquationsOfMotion,
    q0: Array,
    p0: Array,
    u0: Array,
    angles: Mapping[str, int],
    others: Mapping[str, int],
    numbers: Mapping[str, int],
) -> ca.Function:
    """``M a + D w + K d - B u - f`` as a function of (angles, numbers, a, w, d, u, f), linear in the last five."""
    refuse_stick(eom.machine, "an uncertain linear model", "it has no derivative at rest; give such joints friction=0")
    s, nv = eom.symbolic, eom.nv
    theta, number, q, p = _symbols(q0, p0, angles, others, numbers)
    a, w, d, u, f = (ca.SX.sym(n, k) for n, k in (("a", nv), ("w", nv), ("d", nv), ("u", eom.nu), ("f", nv)))
    force = s.inverse_dynamics - s.losses - s.wrenches - s.actuation
    rate = ca.Function("rate", [s.q, s.v, s.p], [s.coordinate_rate])
    change = (
        ca.jtimes(force, s.a, a)
        + ca.jtimes(force, s.v, w)
        + ca.jtimes(force, s.q, rate(s.q, d, s.p))  # the chart to first order
        + ca.jtimes(force, s.u, u)
    )
    at_rest = ca.Function("change", [s.q, s.v, s.a, s.u, s.t, s.p, a, w, d, u], [change])
    zero = ca.SX(nv, 1)
    total = ca.densify(at_rest(q, zero, zero, ca.SX(ca.DM(u0)), 0, p, a, w, d, u) - f)
    names = ["theta", "number", *_SIGNALS]
    return ca.Function("relation", [theta, number, a, w, d, u, f], [total], names, ["r"])


def _sampled_error(
    model: UncertainMachine,
    made: AccelerationMap,
    tape: ca.Function,
    eom: EquationsOfMotion,
    angles: Sequence[str],
    numbers: Sequence[str],
    driven: Sequence[int],
    count: int = 12,
) -> float:
    """Largest error of the accelerations at corners and random points, relative to their sizes, free of units."""
    nv = eom.nv
    width = 4 * nv + eom.nu
    swept = tape.map(width)
    unit = np.split(np.eye(width), np.cumsum([nv, nv, nv, eom.nu]), axis=0)
    kept = [*range(nv, 3 * nv), *(3 * nv + k for k in driven)]
    ends = [{n: span[k] for n, span in model.ranges.items()} for k in (0, 1)]
    worst = 0.0
    for values in [*ends, *model.sample(count)]:
        given = [np.tile([[values[n]] for n in names] or np.zeros((0, 1)), (1, width)) for names in (angles, numbers)]
        R = np.array(swept(*given, *unit).full())
        truth = np.linalg.solve(R[:, :nv], -R[:, kept])
        found = made.accelerations(model.normalised(**values))
        worst = max(worst, relative(np.abs(found - truth), np.abs(truth)))
    return worst


def _state_equations(eom: EquationsOfMotion, made: AccelerationMap, drives: Sequence[str], sampled: float) -> LFT:
    """State-space form: ``d' = w``, ``w' = a`` with the accelerations of the map, and the block of their error."""
    nv, nu = eom.nv, len(drives)
    A, B, C, D = made.matrices
    n = A.shape[0]
    w, d, u = slice(0, nv), slice(nv, 2 * nv), slice(2 * nv, 2 * nv + nu)
    zero = np.zeros
    into, seen = made.error if made.error is not None else (zero((nv, 0)), zero((0, 3 * nv + nu)))
    k = into.shape[1]
    E_a, E_w, E_d, E_u = np.split(seen, [nv, 2 * nv, 3 * nv], axis=1)  # what the error depends on
    M11 = np.block(
        [
            [zero((nv, nv)), np.eye(nv), zero((nv, n)), zero((nv, k))],
            [D[:, d], D[:, w], C, into],
            [B[:, d], B[:, w], A, zero((n, k))],
            [E_a @ D[:, d] + E_d, E_a @ D[:, w] + E_w, E_a @ C, zero((k, k))],
        ]
    )
    M12 = np.vstack([zero((nv, nu)), D[:, u], B[:, u], E_a @ D[:, u] + E_u])
    M21 = np.hstack([np.eye(2 * nv), zero((2 * nv, n + k))])
    error = DeltaBlock(ERROR, k, "error", None if made.error is not None else sampled)
    blocks = (DeltaBlock("1/s", 2 * nv, "state"), *made.blocks, error)
    names = tuple(label(x) for x in state_space_names(eom))
    return LFT(M11, M12, M21, zero((2 * nv, nu)), blocks, tuple(drives), names)


def _frames_of(eom: EquationsOfMotion, outputs: Sequence[str]) -> list[str]:
    """Outputs that are components of positions; whatever is neither that nor a state is refused."""
    states = tuple(label(x) for x in state_space_names(eom))
    frames = []
    for name in outputs:
        frame, _, axis = name.rpartition(".")
        if label(name) in states:
            continue
        if axis not in ("x", "y", "z") or frame not in eom.machine.tree.frames:
            known = (*states, *(f"{f}.x|y|z" for f in eom.machine.tree.frames))
            raise UnknownNameError("output", name, known, f"machine '{eom.machine.name}'")
        frames.append(name)
    return frames


def _frame_tape(
    eom: EquationsOfMotion,
    q0: Array,
    p0: Array,
    angles: Mapping[str, int],
    others: Mapping[str, int],
    numbers: Mapping[str, int],
    frames: Sequence[str],
) -> ca.Function:
    """Changes of positions of frames as a function of (angles, numbers, d), linear in the last."""
    s = eom.symbolic
    theta, number, q, p = _symbols(q0, p0, angles, others, numbers)
    d = ca.SX.sym("d", eom.nv)
    rate = ca.Function("rate", [s.q, s.v, s.p], [s.coordinate_rate])
    places = [(name.rpartition(".")[0], "xyz".index(name[-1])) for name in frames]
    positions = ca.vertcat(*[s.pose(frame)[axis, 3] for frame, axis in places])
    moved = ca.Function("moved", [s.q, s.p, d], [ca.jtimes(positions, s.q, rate(s.q, d, s.p))])(q, p, d)
    return ca.Function("frames", [theta, number, d], [ca.densify(moved)], ["theta", "number", "d"], ["y"])


def _with_positions(eom: EquationsOfMotion, states: LFT, positions: LFT | None, frames: Sequence[str]) -> LFT:
    """The model with positions of frames behind its states."""
    if positions is None:
        raise InputError(f"positions of frames of machine '{eom.machine.name}' over these ranges have no bound")
    n, nv = positions.M11.shape[0], eom.nv
    M12 = np.hstack([positions.M12, np.zeros((n, nv))])
    M21 = np.vstack([np.zeros((2 * nv, n)), positions.M21])
    M22 = np.vstack([np.eye(2 * nv), np.hstack([positions.M22, np.zeros((len(frames), nv))])])
    names = (*states.outputs, *(label(x) for x in frames))
    return LFT(positions.M11, M12, M21, M22, positions.blocks, (), names) @ states
