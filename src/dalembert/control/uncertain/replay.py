"""The tape of a machine's linearised equations, replayed on signals of a linear fractional transformation.

Every value of the tape is a number, a coefficient (a polynomial in sines, cosines and parameters) or a signal; a signal
times an uncertain number costs one repetition, a signal times cosine and sine of an uncertain angle one rotation block.
Numbers are enclosures, so that the rounding of every entry of the result is bounded; the machine is its tape, with the
constants that are stored in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import casadi as ca
import numpy as np

from dalembert.compile.tape import read_tape
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.uncertain.decisions import DECISIONS, Coefficient, decided
from dalembert.control.uncertain.enclosures import ONE, ZERO, Enclosure, cosine, exact, root, sine
from dalembert.control.uncertain.reduction import Quad
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["Raw", "Turn", "replayed", "turn"]

Signal = dict[tuple[str, int], Enclosure]  # ("w", k): output of block row k; ("u", j): input j


@dataclass(frozen=True, eq=False)
class Raw:
    """A map as the tape gives it, before anything is reduced.

    Parameters
    ----------
    matrices, radii
        Its matrices, and bounds of their rounding errors.
    owners
        Name of the quantity of each block row.
    groups
        Rows that depend on each other at once, in the order of the tape: those of a rotation or of a division; any
        other row depends on earlier ones only.
    roots
        Parameters that were replaced by their roots.
    """

    matrices: Quad
    radii: Quad
    owners: tuple[str, ...]
    groups: tuple[tuple[int, int], ...]
    roots: frozenset[str]

    @property
    def blocks(self) -> tuple[DeltaBlock, ...]:
        """Its blocks, one per row."""
        return tuple(DeltaBlock(name, 1, "real") for name in self.owners)


@dataclass(frozen=True, eq=False)
class Turn:
    """Rotation of ``(x, 0)`` by an uncertain angle, in a block between -1 and 1: matrices of enclosures."""

    M11: list[list[Enclosure]]
    M12: list[Enclosure]
    M21: list[list[Enclosure]]
    M22: list[Enclosure]


def turn(M11: Array, M12: Array, M21: Array, span: tuple[float, float]) -> Turn:
    """A rotation (see `rotation`) whose tangent lies in a range, in exact arithmetic of rational numbers."""
    lo, hi = (Fraction(x) for x in span)
    c, h = (lo + hi) / 2, (hi - lo) / 2
    n = len(M11)
    A = [[Fraction(float(x)) for x in row] for row in M11]
    B = [[Fraction(float(row[0]))] for row in M12]
    C = [[Fraction(float(x)) for x in row] for row in M21]
    inner = [[Fraction(int(i == j)) - c * A[i][j] for j in range(n)] for i in range(n)]
    solved = _solve(inner, [A[i] + B[i] for i in range(n)])  # (1 - c A)^-1 (A | B)
    A1, B1 = [row[:n] for row in solved], [row[n] for row in solved]
    C1 = [[h * (C[r][j] + c * sum(C[r][k] * A1[k][j] for k in range(n))) for j in range(n)] for r in range(2)]
    D1 = [Fraction(int(r == 0)) + c * sum(C[r][k] * B1[k] for k in range(n)) for r in range(2)]
    return Turn(
        [[exact(h * x) for x in row] for row in A1],
        [exact(x) for x in B1],
        [[exact(x) for x in row] for row in C1],
        [exact(x) for x in D1],
    )


def _solve(matrix: list[list[Fraction]], right: list[list[Fraction]]) -> list[list[Fraction]]:
    """Gauss-Jordan elimination of rational numbers."""
    rows = [[*a, *b] for a, b in zip(matrix, right, strict=True)]
    n = len(rows)
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k and rows[i][k]:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[n:] for row in rows]


def replayed(
    function: ca.Function,
    signals: Sequence[str],
    turns: Mapping[str, Turn],
    ranges: Mapping[str, tuple[float, float]],
    roots: frozenset[str] = frozenset(),
) -> Raw:
    """The tape on signals.

    Parameters
    ----------
    function
        Inputs ``theta`` (angles), ``number`` (other uncertain numbers), then those that it is linear in.
    signals
        Names of the inputs that it is linear in.
    turns, ranges
        Rotations by the angles, and ranges of the numbers, in the order of ``theta`` and ``number``.
    roots
        Parameters that are to be replaced by their roots in any case.
    """
    while True:
        builder = _Builder(turns)
        ends = {n: _ends(span, n in roots) for n, span in ranges.items()}
        try:
            outputs, count = _replay(function, signals, builder, list(turns), ends, roots)
            return builder.raw(outputs, count, roots)
        except _RootError as needed:
            if ranges[needed.name][0] <= 0.0:
                raise InputError(
                    f"the equations contain the square root of '{needed.name}': its range must be positive, got "
                    f"{ranges[needed.name]}"
                ) from None
            roots |= {needed.name}


def _ends(span: tuple[float, float], squared: bool) -> tuple[Enclosure, Enclosure]:
    """Middle and half-width of a number, or of its root."""
    lo, hi = (root(Enclosure(x)) if squared else Enclosure(x) for x in span)
    half, minus = Enclosure(0.5), Enclosure(-1.0)
    return lo.plus(hi).times(half), hi.plus(lo.times(minus)).times(half)


class _Builder:
    """Signals over block outputs and inputs, and the rows of the map that they need."""

    def __init__(self, turns: Mapping[str, Turn]) -> None:
        self.turns = turns
        self.rows: list[Signal] = []
        self.owners: list[str] = []
        self.groups: list[tuple[int, int]] = []
        self.turned: dict[Any, tuple[Signal, Signal]] = {}
        self.scaled: dict[Any, Signal] = {}
        self.divisors: dict[str, tuple[Coefficient, Enclosure]] = {}

    def times(self, signal: Signal, factor: tuple[str, str]) -> Signal:
        """A signal times one factor of a monomial."""
        kind, name = factor
        key = (name, tuple(sorted(signal.items())))
        if not signal:
            return {}
        if kind in ("cos", "sin"):
            if key not in self.turned:
                self.turned[key] = self._rotate(name, signal)
            return self.turned[key][kind == "sin"]
        if key not in self.scaled and kind == "over":
            bottom, least = self.divisors[name]
            self.scaled[key] = _scale(self.divided(signal, bottom), least)
        if key not in self.scaled:
            self.scaled[key] = {("w", len(self.rows)): ONE}
            self.rows.append(signal)
            self.owners.append(name)
        return self.scaled[key]

    def over(self, bottom: Coefficient) -> Coefficient:
        """One over ``b + sum c_i delta_i``, as a new factor between -1 and 1: the least divisor over this one."""
        b, terms = _divisor(bottom)
        least = (abs(b.m) - b.r - sum(c.most for c in terms.values())) * (1.0 - 1e-12)
        known = (name for name, (other, _) in self.divisors.items() if other == bottom)
        name = next(known, f"over {len(self.divisors) + 1}")
        self.divisors[name] = bottom, Enclosure(least)
        return {(("over", name),): Enclosure(least).inverse()}

    def divided(self, signal: Signal, bottom: Coefficient) -> Signal:
        """A signal ``x`` over ``b + sum c_i delta_i``: ``y = (x - sum c_i w_i) / b`` with ``w_i = delta_i y``."""
        b, terms = _divisor(bottom)
        start = len(self.rows)
        inverse = b.inverse()
        y = _scale(signal, inverse)
        for k, c in enumerate(terms.values()):
            y = _plus(y, {("w", start + k): ONE}, c.times(inverse).times(Enclosure(-1.0)))
        for name in terms:
            self.rows.append(y)
            self.owners.append(name)
        self.groups.append((start, len(self.rows)))
        return y

    def _rotate(self, name: str, x: Signal) -> tuple[Signal, Signal]:
        """``(cos x, sin x)`` by one rotation block on ``(x, 0)``."""
        L, start = self.turns[name], len(self.rows)
        n = len(L.M11)
        for i in range(n):
            row = _scale(x, L.M12[i])
            for j in range(n):
                row = _plus(row, {("w", start + j): ONE}, L.M11[i][j])
            self.rows.append(row)
            self.owners.append(name)
        self.groups.append((start, len(self.rows)))
        out = []
        for r in range(2):
            signal = _scale(x, L.M22[r])
            for j in range(n):
                signal = _plus(signal, {("w", start + j): ONE}, L.M21[r][j])
            out.append(signal)
        return out[0], out[1]

    def raw(self, outputs: Sequence[Signal], n_inputs: int, roots: frozenset[str]) -> Raw:
        n = len(self.rows)
        M, R = (np.zeros((n + len(outputs), n + n_inputs)) for _ in range(2))
        for i, row in enumerate([*self.rows, *outputs]):
            for (kind, k), v in row.items():
                at = i, k if kind == "w" else n + k
                known = abs(v.m) > v.r  # else nothing but rounding is left of it
                M[at], R[at] = (v.m, v.r) if known else (0.0, v.most)
        matrices, radii = ((X[:n, :n].copy(), X[:n, n:].copy(), X[n:, :n].copy(), X[n:, n:].copy()) for X in (M, R))
        return Raw(matrices, radii, tuple(self.owners), tuple(self.groups), roots)


def _divisor(bottom: Coefficient) -> tuple[Enclosure, dict[str, Enclosure]]:
    """Constant and terms of a divisor ``b + sum c_i delta_i``, which must not be zero in the box."""
    b = bottom.get((), ZERO)
    if any(len(m) != 1 or m[0][0] != "p" for m in bottom if m):
        raise InputError("an uncertain model can divide by sums of parameters only, not by their products")
    terms = {m[0][1]: c for m, c in bottom.items() if m}
    if not abs(b.m) - b.r > sum(c.most for c in terms.values()) * (1.0 + 1e-12):
        raise InputError(f"an uncertain model divides by a sum of {', '.join(terms)} that may be zero")
    return b, terms


def _plus(a: Signal, b: Signal, factor: Enclosure = ONE) -> Signal:
    if factor.zero:
        return a
    result = dict(a)
    for key, v in b.items():
        total = result.get(key, ZERO).plus(v.times(factor))
        if total.zero:
            result.pop(key, None)
        else:
            result[key] = total
    return result


def _scale(a: Signal, factor: Enclosure) -> Signal:
    return {} if factor.zero else {key: v.times(factor) for key, v in a.items()}


class _RootError(Exception):
    """The tape takes the square root of a parameter: its root is to be the uncertain number."""

    def __init__(self, name: str) -> None:
        self.name = name


def _replay(
    function: ca.Function,
    signals: Sequence[str],
    builder: _Builder,
    angles: list[str],
    numbers: Mapping[str, tuple[Enclosure, Enclosure]],
    roots: frozenset[str],
) -> tuple[list[Signal], int]:
    """Outputs of the tape as signals, and their number of inputs; ``numbers`` have a middle and a half-width each."""
    tape = read_tape(function)
    names = list(tape.inputs)
    offsets, count = {}, 0
    for name in signals:
        offsets[name] = count
        count += tape.inputs.get(name, 0)
    values: list[tuple[bool, Any]] = []  # (is a signal, signal or coefficient)
    parameters = list(numbers.items())
    for op, i, j in zip(tape.operations, tape.left, tape.right, strict=True):
        if op == "CONST":
            c = tape.constants[i]
            values.append((False, {(): Enclosure(c)} if c else {}))
            continue
        if op == "INPUT":
            name = names[i]
            if name in offsets:
                values.append((True, {("u", offsets[name] + j): ONE}))
            elif name == "theta":
                values.append((False, {(("angle", angles[j]),): ONE}))
            else:
                parameter, (centre, half) = parameters[j]
                number = {(): centre, (("p", parameter),): half}
                values.append((False, _product(number, number) if parameter in roots else number))
            continue
        if op == "SQRT" and not values[i][0]:
            values.append((False, _root(values[i][1], numbers, roots)))
            continue
        if op in ("SIN", "COS") and not values[i][0]:
            values.append((False, _trigonometry(op, values[i][1])))
            continue
        values.append(_operate(op, values[i], values[j] if j >= 0 else None, builder))
    outputs = []
    for k in tape.stores[0]:
        is_signal, v = values[k] if k >= 0 else (True, {})
        if not is_signal and v:
            raise InputError("the equations have a part that is not linear in displacements, velocities and inputs")
        outputs.append(v if is_signal else {})
    return outputs, count


def _trigonometry(op: str, argument: Coefficient) -> Coefficient:
    """Sine or cosine of an angle plus a constant."""
    constant_part = argument.get((), ZERO)
    rest = {m: c for m, c in argument.items() if m}
    s, c = sine(constant_part), cosine(constant_part)
    if not rest:
        return _clean({(): s if op == "SIN" else c})
    (monomial, factor), *others = rest.items()
    if others or len(monomial) != 1 or monomial[0][0] != "angle" or abs(factor.m) != 1.0 or factor.r:
        raise InputError("the equations contain a sine whose argument is not one uncertain angle plus a constant")
    name = monomial[0][1]
    cos: Coefficient = {(("cos", name),): ONE}
    sin: Coefficient = {(("sin", name),): factor}
    return _mix(sin, c, cos, s) if op == "SIN" else _mix(cos, c, sin, s.times(Enclosure(-1.0)))


def _root(
    argument: Coefficient, numbers: Mapping[str, tuple[Enclosure, Enclosure]], roots: frozenset[str]
) -> Coefficient:
    """Square root of a constant, or of a constant times a parameter that is the square of the uncertain number."""
    if not {m for m in argument if m}:
        return _clean({(): root(argument[()])}) if argument else {}
    names = {name for m in argument for _, name in m}
    (name,) = names if len(names) == 1 else ("",)
    if name in numbers:
        centre, half = numbers[name]
        number: Coefficient = {(): centre, (("p", name),): half}
        whole = _product(number, number) if name in roots else number
        least = centre.m - half.most - centre.r
        factor = argument.get((), ZERO).times(whole[()].inverse())
        if factor.m > factor.r and least > 0.0:
            rest = _mix(argument, ONE, whole, factor.times(Enclosure(-1.0)))
            left = sum(v.most for v in rest.values())
            if left <= 1e-12 * argument[()].m:
                if name not in roots:
                    raise _RootError(name)
                scale = root(factor)
                result = {m: c.times(scale) for m, c in number.items()}
                # sqrt(x + e) - sqrt(x) is at most e / sqrt(x): the difference joins the constant part's radius
                m, r = result[()]
                return {**result, (): Enclosure(m, r + 1.01 * left / (scale.m * least))}
    raise InputError("an uncertain model supports square roots of one parameter times a constant only")


def _clean(a: Coefficient) -> Coefficient:
    return {m: v for m, v in a.items() if not v.zero}


def _mix(a: Coefficient, x: Enclosure, b: Coefficient, y: Enclosure) -> Coefficient:
    total = {m: v.times(x) for m, v in a.items()}
    for m, v in b.items():
        total[m] = total.get(m, ZERO).plus(v.times(y))
    return _clean(total)


def _operate(op: str, A: tuple[bool, Any], B: tuple[bool, Any] | None, builder: _Builder) -> tuple[bool, Any]:
    if op in ("NEG", "TWICE"):
        factor = Enclosure(-1.0 if op == "NEG" else 2.0)
        return A[0], {m: c.times(factor) for m, c in A[1].items()}
    if op in ("ADD", "SUB"):
        assert B is not None
        sign = Enclosure(1.0 if op == "ADD" else -1.0)
        if A[0] == B[0]:
            return A[0], _plus(A[1], B[1], sign) if A[0] else _mix(A[1], ONE, B[1], sign)
        signal, coefficient = (A, B) if A[0] else (B, A)
        if coefficient[1]:
            raise InputError("the equations have a part that is not linear in displacements, velocities and inputs")
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
            over = bottom[1][()].inverse()
            return (False, {(): over}) if op == "INV" else (A[0], {m: c.times(over) for m, c in A[1].items()})
        if op == "DIV" and A[0] and not bottom[0]:
            return True, builder.divided(A[1], bottom[1])
        if not bottom[0]:
            over = builder.over(bottom[1])
            return False, over if op == "INV" else _product(A[1], over)
    if op in DECISIONS:
        return decided(op, A, B)
    raise InputError(f"an uncertain model does not support the operation {op} of uncertain quantities")


def _product(a: Coefficient, b: Coefficient) -> Coefficient:
    total: Coefficient = {}
    for m1, c1 in a.items():
        for m2, c2 in b.items():
            m = tuple(sorted(m1 + m2))
            total[m] = total.get(m, ZERO).plus(c1.times(c2))
    return _clean(total)
