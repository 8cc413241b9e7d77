"""Upper bounds of structured singular values by D and G scalings.

    mu(M) <= beta   if   N^H N + j (G N - N^H G) <= beta^2,    N = T M T^-1,  T = D^(1/2)

for ``T`` that commutes with the blocks and Hermitian ``G`` of the real ones (Fan, Tits and Doyle 1991). The largest
eigenvalue is minimised smoothly: its soft maximum at a falling temperature by L-BFGS, from balanced data. Linear matrix
inequalities give the same bound in many times the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from time import thread_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.control.uncertain.blocks import DeltaBlock, slices
from dalembert.core.types import Array

__all__ = ["Scaling", "largest", "upper_bound"]

Complex = NDArray[np.complex128]

_FAR = 25.0  # of the logarithms of scalings, beyond which nothing is sought
_HOPE = 0.995  # of the squared bound: the least progress of a round with which a target may still be reached


@dataclass(frozen=True, eq=False)
class Scaling:
    """A certificate of an upper bound at one matrix.

    Parameters
    ----------
    T, inverse
        The scaling ``T`` and its inverse.
    G
        Hermitian part of the real blocks, in scaled coordinates.
    bound
        The bound that it proves.
    """

    T: Complex
    inverse: Complex
    G: Complex
    bound: float

    @property
    def sound(self) -> bool:
        """Whether it is far enough from singular to begin another search with it."""
        sizes = [float(np.abs(X).max(initial=0.0)) for X in (self.T, self.inverse, self.G)]
        return bool(np.isfinite(sizes).all()) and sizes[0] * sizes[1] < 1e12 and sizes[2] < 1e8


def largest(N: Complex, G: Complex) -> float:
    """Largest eigenvalue of ``N^H N + j (G N - N^H G)``."""
    return float(np.linalg.eigvalsh(_form(N, G))[-1])


def _form(N: Complex, G: Complex) -> Complex:
    X = N.conj().T @ N + 1j * (G @ N - N.conj().T @ G)
    return np.asarray((X + X.conj().T) / 2.0)


def upper_bound(
    M: NDArray[Any],
    blocks: Sequence[DeltaBlock],
    *,
    target: float | None = None,
    start: Scaling | None = None,
    seconds: float = 10.0,
    rounds: int = 6,
) -> Scaling:
    """Least upper bound found, with its scalings; ends early below ``target``."""
    from scipy.optimize import minimize

    began = thread_time()
    M = np.asarray(M, dtype=complex)
    if start is None:
        T, inverse = _balance(M, blocks)
        G = np.zeros_like(M)
    else:
        T, inverse, G = start.T, start.inverse, start.G
    N = T @ M @ inverse
    unit = _unit(N, G)
    problem = _Problem(N / unit, blocks, np.asarray(G / unit, dtype=complex))
    x = np.zeros(problem.size)
    best = (problem.value(x), x)
    temperature = 0.1
    # Scalings that are only as good as required hold over wider bands of frequency than the best ones.
    enough = 0.0 if target is None else (target / unit) ** 2
    for _ in range(rounds):
        if best[0] <= enough:
            break
        level = max(abs(problem.value(x)), 1e-12)
        latest = {"x": x}

        def stop(y: Array, latest: dict[str, Array] = latest) -> None:
            latest["x"] = y.copy()
            if thread_time() - began > seconds or problem.value(y) <= enough:
                raise StopIteration

        try:
            solve: Any = minimize
            x = solve(
                problem.soft,
                x,
                args=(temperature * level,),
                jac=True,
                method="L-BFGS-B",
                callback=stop,
                options={"maxiter": 120, "maxcor": 30},
            ).x
        except StopIteration:
            x = latest["x"]
        value, before = problem.value(x), best[0]
        if value < before:
            best = (value, x.copy())
        if thread_time() - began > seconds:
            break
        if target is not None and temperature < 0.05 and value > _HOPE * before:
            break  # the remaining gain is too little to get there
        temperature *= 0.3
    _, G, turned = problem.scaled(best[1])
    T = T.copy()
    for (_, s), (V, w) in zip(problem.parts, turned, strict=True):
        T[s] = (V * np.exp(w)) @ (V.conj().T @ T[s])
    # G of the problem is added in its own coordinates, before T changes them: N = F N0 F^-1.
    return _finished(M, T, unit * G, problem.parts)


def _unit(N: Complex, G: Complex) -> float:
    """Size of a scaled matrix: in units of it G is to be about as large as the logarithms of T."""
    size = float(np.sqrt(max(largest(N, G), 0.0)))
    return size if 0.0 < size < np.inf else 1.0


def _finished(M: Complex, T: Complex, G: Complex, parts: Sequence[tuple[DeltaBlock, slice]]) -> Scaling:
    """The certificate of the returned scaling, not of an intermediate one: its own inverse, and the bound with it."""
    inverse = np.zeros_like(T)
    try:
        for _, s in parts:
            inverse[s, s] = np.linalg.inv(T[s, s])
    except np.linalg.LinAlgError:
        return Scaling(
            np.eye(len(M), dtype=complex), np.eye(len(M), dtype=complex), 0.0 * G, float(np.linalg.norm(M, 2))
        )
    return Scaling(T, inverse, G, float(np.sqrt(max(largest(T @ M @ inverse, G), 0.0))))


def _balance(M: Complex, blocks: Sequence[DeltaBlock], sweeps: int = 15) -> tuple[Complex, Complex]:
    """Scaling that makes rows and columns of each block equal in size, as long as the matrix becomes smaller.

    A matrix of low rank has no such scaling: each attempt would only be more nearly singular than the last one.
    """
    n = M.shape[0]
    N, best = M.copy(), (np.eye(n, dtype=complex), np.eye(n, dtype=complex))
    size = float(np.linalg.norm(M))
    T, inverse = best[0].copy(), best[1].copy()
    for _ in range(sweeps):
        floor = 1e-10 * size**2 / max(n, 1)  # of rows and columns that are empty
        if floor < 1e-280:
            break
        for b, s in slices(blocks):
            P, Q = N[s] @ N[s].conj().T, N[:, s].conj().T @ N[:, s]
            k = b.size
            if b.kind == "full":
                ratio = np.sqrt(np.sqrt((np.trace(Q).real + floor) / (np.trace(P).real + floor)))
                t, ti = ratio * np.eye(k), np.eye(k) / ratio
            else:
                P = P + (1e-8 * np.trace(P).real / k + floor) * np.eye(k)
                Q = Q + (1e-8 * np.trace(Q).real / k + floor) * np.eye(k)
                R = np.linalg.cholesky(P)
                w, U = np.linalg.eigh(R.conj().T @ Q @ R)
                ti = (R @ U) / np.maximum(w, 1e-300) ** 0.25
                t = np.linalg.inv(ti)
            N[s] = t @ N[s]
            N[:, s] = N[:, s] @ ti
            T[s] = t @ T[s]
            inverse[:, s] = inverse[:, s] @ ti
        now = float(np.linalg.norm(N))
        if not now < 0.9999 * size:
            return best if not now < size else (T, inverse)
        size, best = now, (T.copy(), inverse.copy())
    return best


class _Problem:
    """Soft maximum of the eigenvalues over Hermitian ``E`` (``T = exp E``) and ``G``, with its gradient."""

    def __init__(self, N: Complex, blocks: Sequence[DeltaBlock], G0: Complex) -> None:
        self.N, self.G0 = N, G0
        self.parts = list(slices(blocks))
        entries = {"full": 0, "complex": 1, "real": 2}  # Hermitian matrices of the block's size
        self.size = sum(entries[b.kind] * b.size**2 or 1 for b, _ in self.parts)
        self._seen: tuple[Array, float] | None = None  # where the eigenvalues were computed last, and the largest

    def unpack(self, x: Array) -> tuple[list[Complex], Complex]:
        """``E`` of each block, and ``G``."""
        E, G, at = [], self.G0.copy(), 0
        for b, s in self.parts:
            k = b.size
            if b.kind == "full":
                E.append(x[at] * np.eye(k, dtype=complex))
                at += 1
                continue
            E.append(_hermitian(x[at : at + k * k].reshape(k, k)))
            at += k * k
            if b.kind == "real":
                G[s, s] += _hermitian(x[at : at + k * k].reshape(k, k))
                at += k * k
        return E, G

    def scaled(self, x: Array) -> tuple[Complex, Complex, list[tuple[Complex, Array]]]:
        """``N = T N0 T^-1``, ``G``, and eigenvectors and eigenvalues of each block of ``E``."""
        E, G = self.unpack(x)
        parts, N = [], self.N.copy()
        for (_, s), e in zip(self.parts, E, strict=True):
            w, V = np.linalg.eigh(e)
            if np.abs(w).max(initial=0.0) > _FAR:
                parts.append((V, w))
                continue
            N[s] = (V * np.exp(w)) @ (V.conj().T @ N[s])
            N[:, s] = ((N[:, s] @ V) * np.exp(-w)) @ V.conj().T
            parts.append((V, w))
        return N, G, parts

    def value(self, x: Array) -> float:
        """Largest eigenvalue."""
        if self._seen is None or not np.array_equal(self._seen[0], x):
            N, G, parts = self.scaled(x)
            far = any(np.abs(w).max(initial=0.0) > _FAR for _, w in parts)
            self._seen = (x.copy(), np.inf if far else largest(N, G))
        return self._seen[1]

    def soft(self, x: Array, temperature: float) -> tuple[float, Array]:
        """``t log sum exp(eigenvalue / t)`` and its gradient."""
        N, G, parts = self.scaled(x)
        if any(np.abs(w).max(initial=0.0) > _FAR for _, w in parts):
            return 1e30 * (1.0 + float(x @ x)), 2e30 * x  # a step that overflows: back towards the beginning
        lam, U = np.linalg.eigh(_form(N, G))
        self._seen = (x.copy(), float(lam[-1]))
        e = np.exp((lam - lam[-1]) / temperature)
        total = float(e.sum())
        P = (U * (e / total)) @ U.conj().T
        Y = 2.0 * (P @ N.conj().T + 1j * P @ G)  # Re tr(Y dN)
        Z, WG = N @ Y - Y @ N, 2j * (N @ P)  # Re tr(Z dT T^-1), from dN = dT T^-1 N - N dT T^-1; Re tr(WG dG)
        slope: list[Array] = []
        for (b, s), (V, w) in zip(self.parts, parts, strict=True):
            up = np.exp(w)
            gap = w[:, None] - w[None, :]
            near = np.abs(gap) < 1e-9
            divided = np.where(
                near, (up[:, None] + up[None, :]) / 2.0, (up[:, None] - up[None, :]) / np.where(near, 1.0, gap)
            )
            WE = V @ (divided * ((V.conj().T @ Z[s, s] @ V) / up[:, None])) @ V.conj().T  # Re tr(WE dE)
            if b.kind == "full":
                slope.append(np.array([np.trace(WE).real]))
                continue
            slope.append(_hermitian_gradient(WE))
            if b.kind == "real":
                slope.append(_hermitian_gradient(WG[s, s]))
        return float(lam[-1] + temperature * np.log(total)), np.concatenate(slope)


@cache
def _triangles(k: int) -> tuple[Array, Array]:
    """Ones on and above the diagonal, and below it."""
    return np.triu(np.ones((k, k))), np.tril(np.ones((k, k)), -1)


def _hermitian(x: Array) -> Complex:
    """Hermitian matrix of as many real numbers: real part above the diagonal, imaginary part below."""
    on, below = _triangles(len(x))
    lower = x * below
    return np.asarray(x * on + (x * below.T).T + 1j * (lower - lower.T))


def _hermitian_gradient(W: Complex) -> Array:
    on, below = _triangles(len(W))
    real, imaginary = W.real + W.real.T, W.imag - W.imag.T
    return np.asarray(real * (on - 0.5 * np.eye(len(W))) + imaginary * below).ravel()
