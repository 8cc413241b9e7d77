"""Machines as uncertain linear models: their tape, replayed on signals of a linear fractional transformation.

The linearised equations of motion ``M a + D w + K d = B u`` are one tape that is linear in the accelerations,
velocities, displacements and inputs. Replayed, every value is a number, a coefficient (a polynomial in sines, cosines
and parameters) or a signal; a signal times an uncertain number costs one repetition, a signal times cosine and sine of
an uncertain angle one rotation block. No equation is derived a second time; what is redundant is reduced afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from dalembert.analysis.linearize import equilibrium, state_space_names
from dalembert.compile.tape import read_tape
from dalembert.control.signals import label, place
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.uncertain.lft import LFT, rotation
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array, StateLike
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive
from dalembert.model.checks import refuse_stick
from dalembert.model.machine import Machine

if TYPE_CHECKING:
    import control

__all__ = ["UncertainMachine", "uncertain"]

_SIGNALS = ("a", "w", "d", "u", "f")  # what the tape is linear in, in the order of the relation's inputs

Signal = dict[tuple[str, int], float]  # ("w", k): output of block row k; ("u", j): input j
Monomial = tuple[tuple[str, str], ...]  # factors ("cos" | "sin" | "p" | "1/p", name)
Coefficient = dict[Monomial, float]


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
    """

    lft: LFT
    inertia: LFT
    ranges: dict[str, tuple[float, float]]
    tangents: dict[str, float] = field(default_factory=dict)
    roots: frozenset[str] = frozenset()

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
        The machine, without constraints. It must be in equilibrium at every value of the ranges (no gravity on what
        turns, or angles that gravity does not see), as a free-flying robot is.
    ranges
        Ranges of coordinates of revolute joints [rad] and of parameters, by name.
    at
        Configuration of the coordinates that are not named.
    inputs
        Motors, and velocities at which a generalised force acts (as ideal thrusters do at a free base), by name;
        default all motors.
    outputs
        States of the linear model by name, as of `dalembert.linearize`; default all of them.
    tangent
        ``"half"`` or ``"quarter"``: tangent of which part of an angle is the uncertain number (see `rotation`).
    tolerance
        Of the reduction.
    p
        Values of the parameters that are not named.
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    if eom.machine.constrained:
        raise InputError(f"machine '{eom.machine.name}' has constraints: uncertain models are made of trees")
    angles, numbers = _sorted_ranges(eom, ranges)
    for end in (0, 1):  # both ends of every range keep the bounds of the machine, as values of calls do
        values = np.array(eom.parameter_values(p), dtype=float)
        values[list(numbers.values())] = [float(ranges[n][end]) for n in numbers]
        eom.parameter_values(values)
    point = equilibrium(eom, at, p=p)
    tape = _linear_tape(eom, point.q, eom.parameter_values(p), point.u, angles, numbers)
    spread = {n: (float(ranges[n][0]), float(ranges[n][1])) for n in numbers}
    builder, rows, roots = _replayed(tape, rotation("", tangent), list(angles), spread)
    nv, nu = eom.nv, eom.nu
    raw = builder.lft(rows, 4 * nv + nu)
    fraction = {"half": 0.5, "quarter": 0.25}[tangent]
    tangents = dict.fromkeys(angles, fraction)
    spans = {n: (float(np.tan(fraction * ranges[n][0])), float(np.tan(fraction * ranges[n][1]))) for n in angles}
    relation = raw.normalised({n: s for n, s in spans.items() if n in raw.sizes}).reduced(tolerance)
    inertia = relation.part(range(nv), range(nv)).reduced(tolerance)
    lft = _state_equations(eom, relation, inputs, outputs).reduced(tolerance)
    checked = {n: (float(lo), float(hi)) for n, (lo, hi) in ranges.items()}
    return UncertainMachine(lft, inertia, checked, tangents, roots)


def _sorted_ranges(
    eom: EquationsOfMotion, ranges: Mapping[str, tuple[float, float]]
) -> tuple[dict[str, int], dict[str, int]]:
    """Angles and parameters among the names, with their places in ``q`` and ``p``."""
    turning = {b.name: b.q.start for b in eom.layout.blocks if b.kind in ("revolute", "continuous")}
    angles, numbers = {}, {}
    if not ranges:
        raise InputError("uncertain needs at least one range")
    for name, span in ranges.items():
        try:
            lo, hi = (float(x) for x in span)
        except (TypeError, ValueError):
            raise InputError(f"the range of '{name}' must be two numbers, got {span!r}") from None
        if not lo < hi:
            raise InputError(f"the range of '{name}' must be two increasing numbers, got {span!r}")
        if name in turning:
            if not -2 * np.pi < lo < hi < 2 * np.pi:
                raise InputError(f"the range of angle '{name}' must lie within one turn, got {span!r} rad")
            angles[name] = turning[name]
        elif name in eom.p_names:
            numbers[name] = eom.p_names.index(name)
        else:
            raise UnknownNameError("revolute joint or parameter", name, (*turning, *eom.p_names))
    return angles, numbers


def _linear_tape(
    eom: EquationsOfMotion, q0: Array, p0: Array, u0: Array, angles: Mapping[str, int], numbers: Mapping[str, int]
) -> ca.Function:
    """``M a + D w + K d - B u - f`` as a function of (angles, numbers, a, w, d, u, f), linear in the last five."""
    refuse_stick(eom.machine, "an uncertain linear model", "it has no derivative at rest; give such joints friction=0")
    s, nv = eom.symbolic, eom.nv
    theta, number = ca.SX.sym("theta", len(angles)), ca.SX.sym("number", len(numbers))
    a, w, d, u, f = (ca.SX.sym(n, k) for n, k in (("a", nv), ("w", nv), ("d", nv), ("u", eom.nu), ("f", nv)))
    q, p = ca.SX(ca.DM(q0)), ca.SX(ca.DM(p0))
    for k, index in enumerate(angles.values()):
        q[index] = theta[k]
    for k, index in enumerate(numbers.values()):
        p[index] = number[k]
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


class _Builder:
    """Signals over block outputs and inputs, and the rows of the LFT that they need."""

    def __init__(self, turn: LFT) -> None:
        self.turn = turn
        self.rows: list[Signal] = []
        self.owners: list[str] = []
        self.turned: dict[tuple[str, tuple[tuple[tuple[str, int], float], ...]], tuple[Signal, Signal]] = {}
        self.scaled: dict[tuple[str, tuple[tuple[tuple[str, int], float], ...]], Signal] = {}

    def times(self, signal: Signal, factor: tuple[str, str]) -> Signal:
        """A signal times one factor of a monomial."""
        kind, name = factor
        key = tuple(sorted(signal.items()))
        if not signal:
            return {}
        if kind in ("cos", "sin"):
            if (name, key) not in self.turned:
                self.turned[name, key] = self._rotate(name, signal)
            return self.turned[name, key][kind == "sin"]
        if (name, key) not in self.scaled:
            self.scaled[name, key] = {("w", len(self.rows)): 1.0}
            self.rows.append(signal)
            self.owners.append(name)
        return self.scaled[name, key]

    def divided(self, signal: Signal, bottom: Coefficient) -> Signal:
        """A signal ``x`` over ``b + sum c_i delta_i``: ``y = (x - sum c_i w_i) / b`` with ``w_i = delta_i y``."""
        b = bottom.get((), 0.0)
        terms = {m[0][1]: c for m, c in bottom.items() if m}
        if b == 0.0 or any(len(m) != 1 or m[0][0] != "p" for m in bottom if m):
            raise InputError("an uncertain model can divide by sums of parameters only, and by none that may be zero")
        y = _scale(signal, 1.0 / b)
        for k, c in enumerate(terms.values()):
            y = _plus(y, {("w", len(self.rows) + k): 1.0}, -c / b)
        for name in terms:
            self.rows.append(y)
            self.owners.append(name)
        return y

    def _rotate(self, name: str, x: Signal) -> tuple[Signal, Signal]:
        """``(cos x, sin x)`` by one rotation block on ``(x, 0)``."""
        L, start = self.turn, len(self.rows)
        n = L.M11.shape[0]
        for i in range(n):
            row = _scale(x, L.M12[i, 0])
            for j in range(n):
                row = _plus(row, {("w", start + j): 1.0}, L.M11[i, j])
            self.rows.append(row)
            self.owners.append(name)
        out = []
        for r in range(2):
            signal = dict(x) if r == 0 else {}
            for j in range(n):
                signal = _plus(signal, {("w", start + j): 1.0}, L.M21[r, j])
            out.append(signal)
        return out[0], out[1]

    def lft(self, outputs: Sequence[Signal], n_inputs: int) -> LFT:
        n = len(self.rows)
        M = np.zeros((n + len(outputs), n + n_inputs))
        for i, row in enumerate([*self.rows, *outputs]):
            for (kind, k), v in row.items():
                M[i, k if kind == "w" else n + k] += v
        blocks = tuple(DeltaBlock(name, 1, "real") for name in self.owners)
        return LFT(M[:n, :n], M[:n, n:], M[n:, :n], M[n:, n:], blocks)


def _plus(a: Signal, b: Signal, factor: float = 1.0) -> Signal:
    if factor == 0.0:
        return a
    result = dict(a)
    for key, v in b.items():
        total = result.get(key, 0.0) + factor * v
        if total == 0.0:
            result.pop(key, None)
        else:
            result[key] = total
    return result


def _scale(a: Signal, factor: float) -> Signal:
    return {key: factor * v for key, v in a.items()} if factor else {}


class _RootError(Exception):
    """The tape takes the square root of a parameter: its root is to be the uncertain number."""

    def __init__(self, name: str) -> None:
        self.name = name


def _replayed(
    function: ca.Function, turn: LFT, angles: list[str], ranges: Mapping[str, tuple[float, float]]
) -> tuple[_Builder, list[Signal], frozenset[str]]:
    """The tape on signals, and the parameters that had to be replaced by their roots."""
    roots: frozenset[str] = frozenset()
    while True:
        builder = _Builder(turn)
        ends = {n: (np.sqrt(lo), np.sqrt(hi)) if n in roots else (lo, hi) for n, (lo, hi) in ranges.items()}
        numbers = {n: (float(lo + hi) / 2.0, float(hi - lo) / 2.0) for n, (lo, hi) in ends.items()}
        try:
            return builder, _replay(function, builder, angles, numbers, roots), roots
        except _RootError as needed:
            if ranges[needed.name][0] <= 0.0:
                raise InputError(
                    f"the equations hold the square root of '{needed.name}': its range must be positive, got "
                    f"{ranges[needed.name]}"
                ) from None
            roots |= {needed.name}


def _replay(
    function: ca.Function,
    builder: _Builder,
    angles: list[str],
    numbers: Mapping[str, tuple[float, float]],
    roots: frozenset[str],
) -> list[Signal]:
    """Outputs of the tape as signals; ``numbers`` have a middle and a half-width each."""
    tape = read_tape(function)
    names = list(tape.inputs)
    offsets, count = {}, 0
    for name in _SIGNALS:
        offsets[name] = count
        count += tape.inputs.get(name, 0)
    values: list[tuple[bool, Any]] = []  # (is a signal, signal or coefficient)
    parameters = list(numbers.items())
    for op, i, j in zip(tape.operations, tape.left, tape.right, strict=True):
        if op == "CONST":
            c = tape.constants[i]
            values.append((False, {(): c} if c else {}))
            continue
        if op == "INPUT":
            name = names[i]
            if name in offsets:
                values.append((True, {("u", offsets[name] + j): 1.0}))
            elif name == "theta":
                values.append((False, {(("angle", angles[j]),): 1.0}))
            else:
                parameter, (centre, half) = parameters[j]
                number = {(): centre, (("p", parameter),): half}
                values.append((False, _product(number, number) if parameter in roots else number))
            continue
        if op == "SQRT" and not values[i][0]:
            values.append((False, _root(values[i][1], numbers, roots)))
            continue
        if op in ("SIN", "COS"):
            values.append((False, _trigonometry(op, values[i][1])))
            continue
        values.append(_operate(op, values[i], values[j] if j >= 0 else None, builder))
    outputs = []
    for k in tape.stores[0]:
        is_signal, v = values[k] if k >= 0 else (True, {})
        if not is_signal and v:
            raise InputError("the machine is not in equilibrium over these ranges: a force is left at rest")
        outputs.append(v if is_signal else {})
    return outputs


def _trigonometry(op: str, argument: Coefficient) -> Coefficient:
    """Sine or cosine of an angle plus a constant."""
    constant_part = argument.get((), 0.0)
    rest = {m: c for m, c in argument.items() if m}
    if not rest:
        return {(): float(np.sin(constant_part) if op == "SIN" else np.cos(constant_part))}
    (monomial, factor), *others = rest.items()
    if others or len(monomial) != 1 or monomial[0][0] != "angle" or abs(factor) != 1.0:
        raise InputError("the equations hold a sine of something else than one uncertain angle plus a constant")
    name = monomial[0][1]
    cos: Coefficient = {(("cos", name),): 1.0}
    sin: Coefficient = {(("sin", name),): factor}
    c, s = float(np.cos(constant_part)), float(np.sin(constant_part))
    return _mix(sin, c, cos, s) if op == "SIN" else _mix(cos, c, sin, -s)


def _root(argument: Coefficient, numbers: Mapping[str, tuple[float, float]], roots: frozenset[str]) -> Coefficient:
    """Square root of a constant, or of a constant times a parameter that is the square of the uncertain number."""
    if not {m for m in argument if m}:
        return {(): float(np.sqrt(argument.get((), 0.0)))}
    names = {name for m in argument for _, name in m}
    (name,) = names if len(names) == 1 else ("",)
    if name in numbers:
        centre, half = numbers[name]
        number: Coefficient = {(): centre, (("p", name),): half}
        whole = _product(number, number) if name in roots else number
        factor = argument.get((), 0.0) / whole[()]
        rest = _mix(argument, 1.0, whole, -factor)
        if factor > 0 and all(abs(v) <= 1e-12 * abs(argument[()]) for v in rest.values()):
            if name not in roots:
                raise _RootError(name)
            return {m: float(np.sqrt(factor)) * c for m, c in number.items()}
    raise InputError("an uncertain model can hold the square root of one parameter times a constant only")


def _mix(a: Coefficient, x: float, b: Coefficient, y: float) -> Coefficient:
    total = {m: v * x for m, v in a.items()}
    for m, v in b.items():
        total[m] = total.get(m, 0.0) + v * y
    return {m: v for m, v in total.items() if v}


def _operate(op: str, A: tuple[bool, Any], B: tuple[bool, Any] | None, builder: _Builder) -> tuple[bool, Any]:
    if op in ("NEG", "TWICE"):
        factor = -1.0 if op == "NEG" else 2.0
        return A[0], {m: factor * c for m, c in A[1].items()}
    if op in ("ADD", "SUB"):
        assert B is not None
        sign = 1.0 if op == "ADD" else -1.0
        if A[0] == B[0]:
            return A[0], (_plus if A[0] else _mixed)(A[1], B[1], sign)
        signal, coefficient = (A, B) if A[0] else (B, A)
        if coefficient[1]:
            raise InputError("the machine is not in equilibrium over these ranges: a force is left at rest")
        return True, signal[1] if signal is A else _scale(signal[1], sign)
    if op in ("MUL", "SQ"):
        other = A if op == "SQ" else B
        assert other is not None
        if A[0] and other[0]:
            raise InputError("the relation is not linear in accelerations, velocities and displacements")
        if not A[0] and not other[0]:
            return False, _product(A[1], other[1])
        signal, coefficient = (A[1], other[1]) if A[0] else (other[1], A[1])
        total: Signal = {}
        for monomial, c in coefficient.items():
            x = signal
            for factor in monomial:
                x = builder.times(x, factor)
            total = _plus(total, x, c)
        return True, total
    if op in ("DIV", "INV"):
        bottom = A if op == "INV" else B
        assert bottom is not None
        if not bottom[0] and set(bottom[1]) == {()}:
            factor = 1.0 / bottom[1][()]
            return (False, {(): factor}) if op == "INV" else (A[0], {m: c * factor for m, c in A[1].items()})
        if op == "DIV" and A[0] and not bottom[0]:
            return True, builder.divided(A[1], bottom[1])
    raise InputError(f"an uncertain model cannot hold the operation {op} of uncertain quantities")


def _mixed(a: Coefficient, b: Coefficient, sign: float) -> Coefficient:
    return _mix(a, 1.0, b, sign)


def _product(a: Coefficient, b: Coefficient) -> Coefficient:
    total: Coefficient = {}
    for m1, c1 in a.items():
        for m2, c2 in b.items():
            m = tuple(sorted(m1 + m2))
            total[m] = total.get(m, 0.0) + c1 * c2
    return {m: c for m, c in total.items() if c}


def _state_equations(
    eom: EquationsOfMotion, relation: LFT, inputs: Sequence[str] | None, outputs: Sequence[str] | None
) -> LFT:
    """State-space form: ``d' = w``, ``w' = a`` with ``a`` solved from the relation."""
    nv, nu = eom.nv, eom.nu
    solved = relation.solved(range(nv), range(nv)).part(range(nv), range(nv, 4 * nv + nu))  # (w, d, u, f) -> a
    n = solved.M11.shape[0]
    w, d, u = slice(0, nv), slice(nv, 2 * nv), slice(2 * nv, 3 * nv + nu)
    zero = np.zeros
    M11 = np.block(
        [
            [zero((nv, nv)), np.eye(nv), zero((nv, n))],
            [solved.M22[:, d], solved.M22[:, w], solved.M21],
            [solved.M12[:, d], solved.M12[:, w], solved.M11],
        ]
    )
    M12 = np.vstack([zero((nv, nu + nv)), solved.M22[:, u], solved.M12[:, u]])
    M21 = np.hstack([np.eye(2 * nv), zero((2 * nv, n))])
    blocks = (DeltaBlock("1/s", 2 * nv, "state"), *solved.blocks)
    names = tuple(label(x) for x in state_space_names(eom))
    drives = tuple(label(x) for x in (*eom.u_names, *eom.v_names))
    whole = LFT(M11, M12, M21, zero((2 * nv, nu + nv)), blocks, drives, names)
    rows = [place(label(x), names, "output") for x in outputs] if outputs is not None else range(2 * nv)
    columns = [place(label(x), drives, "motor or velocity") for x in inputs] if inputs is not None else range(nu)
    return whole.part(list(rows), list(columns))
