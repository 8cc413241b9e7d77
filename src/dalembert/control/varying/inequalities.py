"""Linear matrix inequalities of a system with parameters that vary, and the check of their solution.

The system is ``x' = A x + B w + Bu u``, ``z = C x + D w + Du u``, ``w = Delta z``. Its Lyapunov function is affine or
quadratic in the parameters of finite rate,

    V = x^T P_0 x + sum d_i x^T P_i x + sum d_i d_j x^T P_ij x.

The products ``d_i x`` and ``d_i x'`` are further signals behind blocks ``d_i 1``, so that ``V'`` is a quadratic form of
the signals. The rate ``d_i'`` is a number within bounds, of which the corners suffice, or, where the rate of a
coordinate is a block of the model itself, a multiple of the number of that block (a tie): then the forces of a motion
and the change of ``V`` have the same rate.

A real parameter ``d`` has the multiplier ``z^T Q z - w^T Q w + 2 z^T G w`` with ``Q`` positive semidefinite and ``G``
skew. For ``w = d z`` it is ``(1 - d^2) z^T Q z >= 0`` at every instant. Blocks that are not real have ``G = 0``, full
ones ``Q = q 1``. ``V'`` plus all multipliers is negative for all signals: then ``V`` falls (S-procedure; C. W. Scherer,
"LPV control and full block multipliers", Automatica 37 (2001) 361-375; the scalings are those of mixed mu).
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from dalembert.control.uncertain.blocks import DeltaBlock, slices
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["Certificate", "Inequalities", "Multipliers"]

_UNIT = 2.0**-53
_MOST_VARYING = 6  # parameters of finite rate, whose corners are enumerated


@dataclass(frozen=True, eq=False)
class _Maps:
    """Signals in terms of ``(x, w, d_i x, d_i x', u)``.

    States, their rates, products ``d_i x`` and ``d_i x'``, changes ``d_i' x`` at each corner, blocks ``(z, w)``, output
    and input.
    """

    state: Array
    rate: Array
    products: tuple[Array, ...]
    moved: tuple[Array, ...]
    changes: tuple[tuple[Array, ...], ...]
    blocks: tuple[tuple[Array, Array], ...]
    output: Array
    input: Array

    def absolute(self) -> _Maps:
        """The maps of absolute values, for bounds of rounding."""
        return _Maps(
            np.abs(self.state),
            np.abs(self.rate),
            tuple(np.abs(x) for x in self.products),
            tuple(np.abs(x) for x in self.moved),
            tuple(tuple(np.abs(x) for x in corner) for corner in self.changes),
            tuple((np.abs(z), np.abs(w)) for z, w in self.blocks),
            np.abs(self.output),
            np.abs(self.input),
        )


@dataclass(frozen=True, eq=False)
class Certificate:
    """Numbers that prove the inequalities.

    Parameters
    ----------
    P
        Terms of the Lyapunov function, by the places of their parameters: ``()``, ``(i,)``, ``(i, j)``.
    Q, G
        Multipliers of the blocks.
    R, S
        Multipliers of the parameters in the proof that a quadratic ``V`` is positive.
    margin
        By how much the inequalities hold at least, relative; not positive: they do not.
    """

    P: dict[tuple[int, ...], Array]
    Q: tuple[Array, ...]
    G: tuple[Array | None, ...]
    R: tuple[Array, ...]
    S: tuple[Array, ...]
    margin: float


@dataclass(frozen=True, eq=False)
class Multipliers:
    """Variables of a solver: multipliers of the blocks, and of the parameters in the proof that ``V`` is positive."""

    Q: list[Any]
    skew: list[Any]
    R: list[Any]
    free: list[Any]


_NONE = Certificate({}, (), (), (), (), -np.inf)


class Inequalities:
    """The inequalities of one system.

    Parameters
    ----------
    system
        ``A``, ``B``, ``C``, ``D`` with the signals of the blocks first, then those of the channel.
    blocks
        The blocks, in order.
    rates
        Largest rate of each real block [1/s]; infinite: no bound.
    ties
        Blocks whose rate is a multiple of the number of another block, with that block and the factor [1/s].
    degree
        Degree of the Lyapunov function in the parameters, 1 or 2.
    """

    def __init__(
        self,
        system: Sequence[Array],
        blocks: Sequence[DeltaBlock],
        rates: Mapping[str, float],
        ties: Mapping[str, tuple[str, float]] | None = None,
        degree: int = 1,
    ) -> None:
        A, B, C, D = system
        m, n = sum(b.size for b in blocks), A.shape[0]
        tied = dict(ties or {})
        varying = [b.name for b in blocks if b.kind == "real" and np.isfinite(rates[b.name])]
        loose = [name for name in varying if name not in tied]
        if len(loose) > _MOST_VARYING:
            raise InputError(
                f"at most {_MOST_VARYING} parameters may have a finite rate, got {len(loose)}: "
                "give infinite rates to some of them"
            )
        needed = dict.fromkeys([*varying, *(tied[name][0] for name in varying if name in tied)])
        extra = [(name, kind) for name in needed for kind in ("state", "rate")[: 1 + (degree == 2 and name in varying)]]
        k = n * len(extra)
        one = np.eye(n + m + k + D.shape[1] - m)
        into = np.hstack([C, D[:, :m], np.zeros((C.shape[0], k)), D[:, m:]])
        sources = {"state": one[:n], "rate": np.hstack([A, B[:, :m], np.zeros((n, k)), B[:, m:]])}
        behind = {key: one[n + m + i * n : n + m + (i + 1) * n] for i, key in enumerate(extra)}
        pairs = []
        for b, s in slices(blocks):
            more = [key for key in extra if key[0] == b.name]
            z = np.vstack([into[s], *(sources[kind] for _, kind in more)])
            pairs.append((z, np.vstack([one[n + s.start : n + s.stop], *(behind[key] for key in more)])))
        bounds = [rates[name] for name in loose]
        corners = [dict(zip(loose, c, strict=True)) for c in product(*((-r, r) if r else (0.0,) for r in bounds))]

        def change(name: str, corner: Mapping[str, float]) -> Array:
            if name in tied:
                other, factor = tied[name]
                return np.asarray(factor * behind[other, "state"])
            return np.asarray(corner[name] * sources["state"])

        self._maps = _Maps(
            sources["state"],
            sources["rate"],
            tuple(behind[name, "state"] for name in varying),
            tuple(behind[name, "rate"] for name in varying) if degree == 2 else (),
            tuple(tuple(change(name, corner) for name in varying) for corner in corners),
            tuple(pairs),
            into[m:],
            one[n + m + k :],
        )
        self._kinds = [b.kind for b in blocks]
        places = range(len(varying))
        self._terms = [(), *((i,) for i in places)]
        self._terms += list(combinations_with_replacement(places, 2)) if degree == 2 else []
        self._vertices = [np.array(c) for c in product((-1.0, 1.0), repeat=len(varying))] if degree == 1 else []
        self.varying = tuple(varying)

    def certificate(self, squared_gain: float | None = None) -> Certificate:
        """Solve the inequalities; with a squared gain from ``u`` to ``y`` that is to be proven."""
        return self._solve(squared_gain, least=False)[0]

    def least_squared_gain(self) -> float:
        """The least squared gain, by the solver's word; infinite: none."""
        return self._solve(None, least=True)[1]

    def _solve(self, squared_gain: float | None, *, least: bool) -> tuple[Certificate, float]:
        try:
            cp: Any = importlib.import_module("cvxpy")
        except ImportError:
            raise InputError("proofs with rates need cvxpy and clarabel: pip install 'dalembert[robust]'") from None
        n = self.size
        P = {term: cp.Variable((n, n), symmetric=True) for term in self.terms}
        t: Any = cp.Variable()
        gain: Any = cp.Variable() if least else squared_gain
        multipliers = self.multipliers(cp)
        conditions = [t == 0.0] if least else []
        conditions += self.conditions(P, multipliers, t, gain, cp.bmat)
        Q = multipliers.Q
        if gain is None:  # homogeneous: choose the scale
            conditions.append(cp.trace(P[()]) + sum(cp.trace(q) for q in Q) == n)
        else:
            conditions.append(t <= 1.0)
        problem = cp.Problem(cp.Minimize(gain) if least else cp.Maximize(t), conditions)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # inaccurate or not: the solution is checked here
                problem.solve(solver=cp.CLARABEL)
        except cp.error.SolverError:
            return _NONE, np.inf
        if P[()].value is None:
            return _NONE, np.inf
        if least:
            return _NONE, float(gain.value)
        solution = self.solution({term: (p.value + p.value.T) / 2.0 for term, p in P.items()}, multipliers)
        return self.checked(solution, squared_gain), np.inf

    @property
    def size(self) -> int:
        """Number of states."""
        return int(self._maps.state.shape[0])

    @property
    def terms(self) -> list[tuple[int, ...]]:
        """Terms of the Lyapunov function, by the places of their parameters."""
        return list(self._terms)

    def multipliers(self, cp: Any) -> Multipliers:
        """Variables of the multipliers."""
        n, sizes = self.size, [z.shape[0] for z, _ in self._maps.blocks]
        whole = [kind in ("full", "error") for kind in self._kinds]
        Q = [
            cp.Variable(nonneg=True) * np.eye(k) if f else cp.Variable((k, k), PSD=True)
            for k, f in zip(sizes, whole, strict=True)
        ]
        skew = [cp.Variable((k, k)) if kind == "real" else None for k, kind in zip(sizes, self._kinds, strict=True)]
        count = 0 if self._vertices or not self.varying else len(self.varying)
        R = [cp.Variable((n, n), PSD=True) for _ in range(count)]
        return Multipliers(Q, skew, R, [cp.Variable((n, n)) for _ in range(count)])

    def conditions(
        self, P: Mapping[tuple[int, ...], Any], found: Multipliers, t: Any, gain: Any, join: Any
    ) -> list[Any]:
        """The inequalities with a margin ``t``, in variables."""
        G = [None if s is None else s - s.T for s in found.skew]
        S = [s - s.T for s in found.free]
        conditions = []
        for changes in self._maps.changes:
            half = sum(_terms(self._maps, P, found.Q, G, changes, gain))
            conditions.append(half + half.T << -t * np.eye(half.shape[0]))
        for matrix in self._positive(P, found.R, S, join):
            conditions.append(matrix >> t * np.eye(matrix.shape[0]))
        return conditions

    def solution(self, P: dict[tuple[int, ...], Array], found: Multipliers) -> Certificate:
        """The numbers of the variables, not yet checked."""
        return Certificate(
            P,
            tuple(_semidefinite(np.atleast_2d(q.value)) for q in found.Q),
            tuple(None if s is None else s.value - s.value.T for s in found.skew),
            tuple(_semidefinite(r.value) for r in found.R),
            tuple(s.value - s.value.T for s in found.free),
            -np.inf,
        )

    def checked(self, solution: Certificate, squared_gain: float | None = None) -> Certificate:
        """The certificate with the margin by which it proves the inequalities."""
        return replace(solution, margin=self._margin(solution, squared_gain))

    def _positive(self, P: Mapping[tuple[int, ...], Any], R: Sequence[Any], S: Sequence[Any], join: Any) -> list[Any]:
        """Matrices that must be positive: ``V`` at the vertices, or ``V`` less multipliers in ``(x, d_1 x, ...)``."""
        if not self.varying:
            return [P[()]]
        if self._vertices:
            return [P[()] + sum(d * P[i,] for i, d in enumerate(v)) for v in self._vertices]
        count = len(self.varying)
        rows: list[list[Any]] = [[P[()] - sum(R), *(0.5 * P[i,] - S[i] for i in range(count))]]
        for i in range(count):
            row = [rows[0][1 + i].T]
            for j in range(count):
                term = P[min(i, j), max(i, j)]
                row.append(term + R[i] if i == j else 0.5 * term)
            rows.append(row)
        return [join(rows)]

    def _margin(self, found: Certificate, gain: float | None) -> float:
        """By how much all inequalities hold, relative to their size, less the rounding of this computation."""
        margins = []
        bounds = self._maps.absolute()
        P, Q = {term: np.abs(p) for term, p in found.P.items()}, [np.abs(q) for q in found.Q]
        G = [None if g is None else np.abs(g) for g in found.G]
        for changes, largest in zip(self._maps.changes, bounds.changes, strict=True):
            half = sum(_terms(self._maps, found.P, found.Q, found.G, changes, gain))
            size = sum(np.abs(x) for x in _terms(bounds, P, Q, G, largest, gain))
            operations = 4 * (half.shape[0] + bounds.rate.shape[0] + len(P) + len(Q))
            margins.append(_below(half + half.T, 2.0 * operations * _UNIT * float(np.linalg.norm(size))))
        every = [*P.values(), *(np.abs(r) for r in found.R), *(np.abs(s) for s in found.S)]
        size = 4.0 * len(every) * _UNIT * sum(float(np.linalg.norm(p)) for p in every)
        margins += [_below(-matrix, size) for matrix in self._positive(found.P, found.R, found.S, np.block)]
        definite = [_below(-q, 0.0) >= 0.0 for q in (*found.Q, *found.R) if q.any()]
        return min(margins) if all(definite) else -np.inf


def _terms(
    maps: _Maps,
    P: Mapping[tuple[int, ...], Any],
    Q: Sequence[Any],
    G: Sequence[Any],
    changes: Sequence[Array],
    gain: Any,
) -> list[Any]:
    """Products whose sum plus its transpose is ``V'`` with multipliers and gain, for one corner of the rates."""
    x = maps.state
    found = [x.T @ P[()] @ maps.rate]
    for term, p in P.items():
        if len(term) == 1:
            (i,) = term
            found += [maps.products[i].T @ p @ maps.rate, 0.5 * (x.T @ p @ changes[i])]
        elif term:
            i, j = term
            found.append(0.5 * ((maps.moved[i] + changes[i]).T @ p @ maps.products[j]))
            found.append(0.5 * (maps.products[i].T @ p @ (maps.moved[j] + changes[j])))
    for (z, w), q, g in zip(maps.blocks, Q, G, strict=True):
        found += [0.5 * (z.T @ q @ z), -0.5 * (w.T @ q @ w)]
        if g is not None:
            found.append(z.T @ g @ w)
    if gain is not None:
        found += [0.5 * (maps.output.T @ maps.output), (-0.5 * gain) * (maps.input.T @ maps.input)]
    return found


def _below(matrix: Array, rounding: float) -> float:
    """How far the largest eigenvalue of a symmetric matrix is below zero, relative to the size of the matrix."""
    size = float(np.linalg.norm(matrix)) or 1.0
    largest = float(np.linalg.eigvalsh((matrix + matrix.T) / 2.0)[-1])
    return -(largest + rounding + 20.0 * matrix.shape[0] * _UNIT * size) / size


def _semidefinite(Q: Array) -> Array:
    """A positive definite matrix near to one that a solver calls positive semidefinite."""
    Q = (Q + Q.T) / 2.0
    size = float(np.linalg.norm(Q))
    lift = 40.0 * len(Q) * _UNIT * size + max(0.0, -float(np.linalg.eigvalsh(Q)[0]))
    return np.asarray(Q + 2.0 * lift * np.eye(len(Q)))
