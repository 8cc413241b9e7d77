"""Linear matrix inequalities of a system with parameters that vary, and the check of their solution.

The system is ``x' = A x + B w + Bu u``, ``z = C x + D w + Du u``, ``w = Delta z``. Its Lyapunov function is affine in
the parameters of finite rate, ``V = x^T (P_0 + sum d_i P_i) x``, so that

    V' = 2 x^T P_0 x' + sum 2 (d_i x)^T P_i x' + sum d_i' x^T P_i x.

The products ``d_i x`` are further signals behind blocks ``d_i 1``. A real parameter ``d`` has the multiplier
``z^T Q z - w^T Q w + 2 z^T G w`` with ``Q`` positive semidefinite and ``G`` skew. For ``w = d z`` it is
``(1 - d^2) z^T Q z >= 0`` at every instant. Blocks that are not real have ``G = 0``, full ones ``Q = q 1``. ``V'`` plus
all multipliers is negative for all signals: then ``V`` falls (S-procedure; C. W. Scherer, "LPV control and full block
multipliers", Automatica 37 (2001) 361-375; the scalings are those of mixed mu). The condition is affine in the rates,
so that their corners suffice.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from dalembert.control.uncertain.blocks import DeltaBlock, slices
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["Certificate", "Inequalities"]

_UNIT = 2.0**-53
_MOST_VARYING = 6  # parameters of finite rate, whose corners are enumerated


@dataclass(frozen=True, eq=False)
class _Maps:
    """Signals in terms of ``(x, w, d_i x, u)``: states, their rates, products, blocks ``(z, w)``, output, input."""

    state: Array
    rate: Array
    products: tuple[Array, ...]
    blocks: tuple[tuple[Array, Array], ...]
    output: Array
    input: Array

    def absolute(self) -> _Maps:
        """The maps of absolute values, for bounds of rounding."""
        return _Maps(
            np.abs(self.state),
            np.abs(self.rate),
            tuple(np.abs(x) for x in self.products),
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
        Terms ``P_0``, ``P_1``, ... of the Lyapunov function.
    Q, G
        Multipliers of the blocks.
    margin
        By how much the inequalities hold at least, relative; not positive: they do not.
    """

    P: tuple[Array, ...]
    Q: tuple[Array, ...]
    G: tuple[Array | None, ...]
    margin: float


_NONE = Certificate((), (), (), -np.inf)


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
    """

    def __init__(self, system: Sequence[Array], blocks: Sequence[DeltaBlock], rates: dict[str, float]) -> None:
        A, B, C, D = system
        m, n = sum(b.size for b in blocks), A.shape[0]
        varying = [b.name for b in blocks if b.kind == "real" and np.isfinite(rates[b.name])]
        if len(varying) > _MOST_VARYING:
            raise InputError(
                f"at most {_MOST_VARYING} parameters may have a finite rate, got {len(varying)}: "
                "give infinite rates to some of them"
            )
        k = n * len(varying)
        one = np.eye(n + m + k + D.shape[1] - m)
        into = np.hstack([C, D[:, :m], np.zeros((C.shape[0], k)), D[:, m:]])
        state = one[:n]
        products = tuple(one[n + m + i * n : n + m + (i + 1) * n] for i in range(len(varying)))
        pairs = []
        for b, s in slices(blocks):
            z, w = into[s], one[n + s.start : n + s.stop]
            if b.name in varying:
                z, w = np.vstack([z, state]), np.vstack([w, products[varying.index(b.name)]])
            pairs.append((z, w))
        rate = np.hstack([A, B[:, :m], np.zeros((n, k)), B[:, m:]])
        self._maps = _Maps(state, rate, products, tuple(pairs), into[m:], one[n + m + k :])
        self._kinds = [b.kind for b in blocks]
        bounds = [rates[name] for name in varying]
        self._corners = [np.array(c) for c in product(*((-r, r) if r else (0.0,) for r in bounds))]
        self._vertices = [np.array(c) for c in product((-1.0, 1.0), repeat=len(bounds))]
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
        n, sizes = self._maps.state.shape[0], [z.shape[0] for z, _ in self._maps.blocks]
        P = [cp.Variable((n, n), symmetric=True) for _ in range(1 + len(self.varying))]
        whole = [kind in ("full", "error") for kind in self._kinds]
        Q = [
            cp.Variable(nonneg=True) * np.eye(k) if f else cp.Variable((k, k), PSD=True)
            for k, f in zip(sizes, whole, strict=True)
        ]
        skew = [cp.Variable((k, k)) if kind == "real" else None for k, kind in zip(sizes, self._kinds, strict=True)]
        G = [None if s is None else s - s.T for s in skew]
        t: Any = cp.Variable()
        gain: Any = cp.Variable() if least else squared_gain
        conditions = [t == 0.0] if least else []
        for rates in self._corners:
            half = sum(_terms(self._maps, P, Q, G, rates, gain))
            conditions.append(half + half.T << -t * np.eye(half.shape[0]))
        conditions += [_at(P, d) >> t * np.eye(n) for d in self._vertices]
        if gain is None:  # homogeneous: choose the scale
            conditions.append(cp.trace(P[0]) + sum(cp.trace(q) for q in Q) == n)
        else:
            conditions.append(t <= 1.0)
        problem = cp.Problem(cp.Minimize(gain) if least else cp.Maximize(t), conditions)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # inaccurate or not: the solution is checked here
                problem.solve(solver=cp.CLARABEL)
        except cp.error.SolverError:
            return _NONE, np.inf
        if P[0].value is None:
            return _NONE, np.inf
        if least:
            return _NONE, float(gain.value)
        solution = Certificate(
            tuple((p.value + p.value.T) / 2.0 for p in P),
            tuple(_semidefinite(np.atleast_2d(q.value)) for q in Q),
            tuple(None if s is None else s.value - s.value.T for s in skew),
            -np.inf,
        )
        return replace(solution, margin=self._margin(solution, squared_gain)), np.inf

    def _margin(self, found: Certificate, gain: float | None) -> float:
        """By how much all inequalities hold, relative to their size, less the rounding of this computation."""
        margins = []
        bounds = self._maps.absolute()
        P, Q = [np.abs(p) for p in found.P], [np.abs(q) for q in found.Q]
        G = [None if g is None else np.abs(g) for g in found.G]
        for rates in self._corners:
            half = sum(_terms(self._maps, found.P, found.Q, found.G, rates, gain))
            size = sum(np.abs(x) for x in _terms(bounds, P, Q, G, np.abs(rates), gain))
            operations = 4 * (half.shape[0] + bounds.rate.shape[0] + len(P) + len(Q))
            margins.append(_below(half + half.T, 2.0 * operations * _UNIT * float(np.linalg.norm(size))))
        size = 2.0 * len(P) * _UNIT * sum(float(np.linalg.norm(p)) for p in P)
        margins += [_below(-_at(found.P, d), size) for d in self._vertices]
        definite = [_below(-q, 0.0) >= 0.0 for q in found.Q if q.any()]
        return min(margins) if all(definite) else -np.inf


def _at(P: Sequence[Any], d: Array) -> Any:
    return P[0] + sum(x * p for x, p in zip(d, P[1:], strict=True))


def _terms(maps: _Maps, P: Sequence[Any], Q: Sequence[Any], G: Sequence[Any], rates: Array, gain: Any) -> list[Any]:
    """Products whose sum plus its transpose is ``V'`` with multipliers and gain, for one corner of the rates."""
    x = maps.state
    found = [x.T @ P[0] @ maps.rate]
    for dx, p, r in zip(maps.products, P[1:], rates, strict=True):
        found += [dx.T @ p @ maps.rate, (0.5 * r) * (x.T @ p @ x)]
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
