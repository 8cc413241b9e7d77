"""The law of a rope over sheaves, alone or with contacts in a plane, by trying all modes.

Spans j = 0 .. n - 1 have tensions T and slacken with the rates ``u = W T + b``. The rope slips past the sheave before
span j with ``w_j = u_0 + ... + u_{j-1}``, and opens with the sum of all u.
"""

from __future__ import annotations

from itertools import product

import numpy as np

TOLERANCE = 1e-9


def tensions_of_modes(W: np.ndarray, b: np.ndarray, kappa: np.ndarray, modes: tuple[int, ...]) -> np.ndarray:
    """Tensions with given modes (0 sticks, 1 slips on, -1 slips back), of least norm; one equation of each sheave."""
    n = len(b)
    A, right = np.zeros((n, n)), np.zeros(n)
    A[0], right[0] = W.sum(axis=0), -b.sum()
    for j in range(1, n):
        if modes[j - 1]:
            A[j, j], A[j, j - 1] = 1.0, -np.exp(modes[j - 1] * kappa[j - 1])
        else:
            A[j], right[j] = W[:j].sum(axis=0), -b[:j].sum()
    sizes = np.maximum(np.abs(A).max(axis=1), 1e-300)
    return np.linalg.lstsq(A / sizes[:, None], right / sizes, rcond=1e-12)[0]


def rope_fault(W: np.ndarray, b: np.ndarray, kappa: np.ndarray, T: np.ndarray, slip: np.ndarray | None = None) -> float:
    """By how much tensions break the law, as a part of the largest rate; sheaves that slip already have friction."""
    n, u = len(b), W @ T + b
    w, size, stiff = np.cumsum(u), max(np.abs(b).max(), 1e-300), max(np.diag(W).max(), 1e-300)
    worst = [-w[-1], min(abs(T[0]) * stiff, abs(w[-1])), *(-stiff * T)]
    for j in range(1, n):
        E = np.exp(kappa[j - 1])
        up, down = T[j] - E * T[j - 1], T[j - 1] - E * T[j]
        worst += [stiff * up, stiff * down]
        if slip is not None and np.isfinite(slip[j - 1]):
            worst.append(stiff * abs(up if slip[j - 1] > 0 else down))
        else:
            worst.append(min(abs(w[j - 1]), stiff * abs(up if w[j - 1] > 0 else down)))
    return float(max(worst) / size)


def pivots(W: np.ndarray, kappa: np.ndarray, modes: tuple[int, ...]) -> dict[int, float]:
    """Of each group of spans that slips what its tension does against its lengthening, the others keeping theirs.

    By the number of its first sheave, as a part of what equal tensions would do; groups that cannot lengthen have none.
    """
    groups: list[list[int]] = [[0]]
    for j, mode in enumerate(modes, start=1):
        if mode:
            groups[-1].append(j)
        else:
            groups.append([j])
    C = np.array([[float(j in g) for j in range(len(W))] for g in groups])
    B = C.T.copy()
    for column, g in enumerate(groups):
        for j in g[1:]:
            B[j, column] = B[j - 1, column] * np.exp(modes[j - 1] * kappa[j - 1])
    found = {}
    for k, g in enumerate(groups):
        rest = [i for i in range(len(groups)) if i != k]

        def left(S: np.ndarray, k: int = k, rest: list[int] = rest) -> float:
            return float(S[k, k] - S[k, rest] @ np.linalg.pinv(S[np.ix_(rest, rest)], rcond=1e-12) @ S[rest, k])

        lengthens = left(C @ W @ C.T)
        if len(g) > 1 and lengthens > 1e-7 * np.diag(W)[g].sum():
            found[g[1]] = left(C @ W @ B) / lengthens
    return found


def rope_solutions(
    W: np.ndarray, b: np.ndarray, kappa: np.ndarray, slip: np.ndarray | None = None
) -> list[tuple[tuple[int, ...] | None, np.ndarray]]:
    """All modes (None: slack) in which a rope obeys its law, with their tensions. Sheaves that slip go on to."""
    n, ways = len(b), np.full(len(b) - 1, np.nan) if slip is None else slip
    solutions: list[tuple[tuple[int, ...] | None, np.ndarray]] = []
    if b.sum() >= 0.0:
        solutions.append((None, np.zeros(n)))
    for modes in product(*((0, 1, -1) if np.isnan(way) else (int(way),) for way in ways)):
        T = tensions_of_modes(W, b, kappa, modes)
        jams = any(
            pivot <= 1e-7
            for sheave, pivot in pivots(W, kappa, modes).items()
            if any(np.isfinite(ways[j - 1]) for j in range(sheave, n) if all(modes[sheave - 1 : j]))
        )
        if T.min() > 0.0 and rope_fault(W, b, kappa, T, slip) < TOLERANCE and not jams:
            solutions.append((modes, T))
    return solutions


def nearest_tensions(
    W: np.ndarray, b: np.ndarray, kappa: np.ndarray, last: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    """Of all tensions of a rope at rest those nearest to the last ones, in the metric of the lengths of the spans.

    Every set of sheaves is taken to be at one of its limits; of the tensions that pass none the nearest are wanted.
    """
    n, best, least = len(b), None, np.inf
    for limits in product((0, 1, -1), repeat=n - 1):
        edges = [(j, np.exp(way * kappa[j - 1])) for j, way in enumerate(limits, start=1) if way]
        A = np.vstack([W, *(np.eye(n)[j] - E * np.eye(n)[j - 1] for j, E in edges)])
        right = np.append(-b, np.zeros(len(edges)))
        H = np.block([[np.diag(lengths), A.T], [A, np.zeros((len(A), len(A)))]])
        T = np.linalg.lstsq(H, np.append(lengths * last, right), rcond=1e-13)[0][:n]
        ratios, cost = np.log(np.maximum(T[1:], 1e-300) / np.maximum(T[:-1], 1e-300)), float(lengths @ (T - last) ** 2)
        fits = T.min() > 0.0 and (np.abs(ratios) <= kappa + 1e-9).all() and np.abs(A @ T - right).max() < 1e-8
        if fits and cost < least:
            best, least = T, cost
    assert best is not None
    return best


def mixed_solutions(
    W: np.ndarray, b: np.ndarray, kappa: np.ndarray, mu: np.ndarray
) -> list[tuple[tuple[int, ...], np.ndarray]]:
    """All solutions of a rope (its spans first) with contacts in a plane (normal, tangent each), nothing slipping yet.

    Modes: of the rope 0 (taut) or 9 (slack), of its sheaves, then of the contacts 0 (sticks), 1, -1 (slips), 9 (open).
    """
    n, k = len(kappa) + 1, len(mu)
    size, stiff = max(np.abs(b).max(), 1e-300), np.diag(W).max()
    solutions = []
    for taut, sheaves, contacts in product((0, 9), product((0, 1, -1), repeat=n - 1), product((0, 1, -1, 9), repeat=k)):
        if taut and any(sheaves):
            continue
        A, right = np.zeros_like(W), np.zeros_like(b)
        if taut:
            A[:n, :n] = np.eye(n)
        else:
            A[0], right[0] = W[:n].sum(axis=0), -b[:n].sum()
            for j in range(1, n):
                if sheaves[j - 1]:
                    A[j, j], A[j, j - 1] = 1.0, -np.exp(sheaves[j - 1] * kappa[j - 1])
                else:
                    A[j], right[j] = W[:j].sum(axis=0), -b[:j].sum()
        for i, mode in enumerate(contacts):
            normal, tangent = n + 2 * i, n + 2 * i + 1
            if mode == 9:
                A[normal, normal] = A[tangent, tangent] = 1.0
                continue
            A[normal], right[normal] = W[normal], -b[normal]
            if mode:
                A[tangent, tangent], A[tangent, normal] = 1.0, mode * mu[i]
            else:
                A[tangent], right[tangent] = W[tangent], -b[tangent]
        p = np.linalg.lstsq(A, right, rcond=1e-13)[0]
        u = W @ p + b
        fault = rope_fault(W[:n, :n], b[:n] + W[:n, n:] @ p[n:], kappa, p[:n]) * np.abs(b[:n] + W[:n, n:] @ p[n:]).max()
        for i in range(k):
            f, r, v, s = p[n + 2 * i], p[n + 2 * i + 1], u[n + 2 * i], u[n + 2 * i + 1]
            fault = max(fault, -v, -stiff * f, min(abs(f) * stiff, abs(v)), stiff * (abs(r) - mu[i] * f))
            fault = max(fault, min(abs(s), stiff * abs(r + mu[i] * f * np.sign(s))))
        if fault < TOLERANCE * size:
            solutions.append(((taut, *sheaves, *contacts), p))
    return solutions
