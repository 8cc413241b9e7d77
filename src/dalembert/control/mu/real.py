"""Lower bounds of real blocks at one matrix: values that make ``1 - M Delta`` singular, with a proof that they exist.

For complex ``M`` the determinant is two equations. On an edge of the box (all values at the same size ``t``, one of
them free below it) they have two unknowns: the eigenvalues of ``M Delta / t`` are followed along the edge, and cross
the real axis at solutions (R. L. Dailey, ACC 1990). Linear programs on the linearised equations then move a solution
to a smaller size.

The structured singular value of real blocks is not continuous in the matrix. A value counts only if a solution
close to it is certain in spite of rounding: the derivatives of real and imaginary part of the eigenvalue must be
independent. For a real matrix a simple real eigenvalue stays real, and one equation remains.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.core.types import Array

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

__all__ = ["real_lower_bound"]

_GRID, _FINEST = 25, 401  # points of an edge: at least, and where there are few edges
_POINTS = 3200  # of all edges
_WORK = 4e7  # entries of matrices to the third power that edges may cost
_POLISHED, _ENOUGH = 60, 3  # crossings of edges that are refined, and solutions after which that ends
_NEWTON = 12  # steps


def real_lower_bound(
    M: NDArray[Any], blocks: Sequence[DeltaBlock], *, starts: int = 8, iterations: int = 30, seed: int = 0
) -> float:
    """Lower bound of real blocks at one matrix: the least values found that make ``1 - M Delta`` singular.

    Parameters
    ----------
    M
        Square matrix.
    blocks
        Its real blocks, in order; they may be repeated.
    starts, iterations
        Random starts of the linear programs, and their number from each start.
    seed
        Seed of starts and edges.

    Examples
    --------
    >>> real_lower_bound(np.diag([2.0, 0.5]), [DeltaBlock("a", 1), DeltaBlock("b", 1)])
    2.0
    >>> round(real_lower_bound(np.array([[0.0, 1.0], [0.25, 0.0]]), [DeltaBlock("a", 2)]), 12)
    0.5
    """
    from scipy.linalg import matrix_balance
    from scipy.sparse.csgraph import connected_components

    M = np.asarray(M)
    M = np.asarray(M.real if not np.any(M.imag) else M)
    owner = np.repeat(np.arange(len(blocks)), [b.size for b in blocks])
    # The determinant is the product of those of the strongly connected parts.
    count, part = connected_components(M != 0.0, directed=True, connection="strong")
    bound = 0.0
    for k in range(count):
        rows = np.flatnonzero(part == k)
        of_block, owners = np.unique(owner[rows], return_inverse=True)
        # Diagonal similarities by powers of two commute with Delta: units of the signals do not matter.
        own = np.asarray(matrix_balance(M[np.ix_(rows, rows)], permute=False)[0])
        bound = max(bound, _Part(own, owners, len(of_block)).bound(starts, iterations, seed))
    return bound


class _Eigenvalue(NamedTuple):
    """The eigenvalue of ``M Delta`` next to one, its derivatives, rounding error and distance to the others."""

    value: complex
    slope: NDArray[Any]
    rounding: float
    gap: float
    real: bool


class _Part:
    """A part of the matrix that is connected in itself, with the number of the value of each row."""

    def __init__(self, M: NDArray[Any], owners: NDArray[np.intp], count: int) -> None:
        self.M, self.owners, self.count = M, owners, count
        self.size = max(float(np.linalg.norm(M, 2)), 1e-300)

    def bound(self, starts: int, iterations: int, seed: int) -> float:
        """The largest bound found."""
        if self.count == 1:
            return self._single()
        rng = np.random.default_rng(seed)
        best, solutions = 0.0, []
        candidates = sorted(self._crossings(rng), key=lambda d: float(np.abs(d).max()))
        for delta in candidates[:_POLISHED]:
            solution = self._solution(delta)
            if solution is not None:
                solutions.append(solution)
            if len(solutions) == _ENOUGH:
                break
        solutions.sort(key=lambda s: -s[0])
        best = max([s[0] for s in solutions], default=0.0)
        begin = [delta for _, delta in solutions[:2]]
        begin += [rng.uniform(-2.0, 2.0, self.count) / self.size for _ in range(starts - len(begin))]
        for delta in begin:
            best = max(best, self._descend(delta, iterations))
        return best

    def _single(self) -> float:
        """One value: real eigenvalues, which symmetry alone makes certain."""
        if np.iscomplexobj(self.M):
            if np.array_equal(self.M, self.M.conj().T):
                return float(np.abs(np.linalg.eigvalsh(self.M)).max())
            return 0.0
        if len(self.M) == 1:
            return float(abs(self.M[0, 0]))
        best = 0.0
        for value in np.linalg.eigvals(self.M):
            if value.imag == 0.0 and abs(value) > best:
                solution = self._solution(np.array([1.0 / value.real]))
                best = max(best, solution[0]) if solution is not None else best
        return best

    def _crossings(self, rng: np.random.Generator) -> Iterator[Array]:
        """Values on edges of the box at which an eigenvalue is nearly one."""
        k, n = self.count, len(self.M)
        points = int(np.clip(_WORK / n**3, 4 * _GRID, _POINTS))
        edges = list(_edges(k, points // _GRID, rng))
        grid = int(np.clip(points // len(edges), _GRID, _FINEST))
        even = np.linspace(-1.0, 1.0, grid // 2 * 2 + 1)
        x = np.where(np.arange(len(even)) % 2, even, even**3)  # denser about zero, where values may differ in size
        x = np.sort(x)
        for free, signs in edges:
            s = np.tile(signs, (len(x), 1))
            s[:, free] = x
            values = np.linalg.eigvals(self.M * s[:, None, self.owners])
            small = 1e-12 * self.size
            for i, j in zip(*np.nonzero((np.abs(values.imag) <= small) & (np.abs(values.real) > small)), strict=True):
                yield s[i] / values[i, j].real
            here, size = values[:-1], np.abs(values)
            distance = np.abs(here[:, :, None] - values[1:, None, :])
            for apart in (distance, distance / (size[:-1, :, None] + size[1:, None, :] + 1e-300)):
                there = np.take_along_axis(values[1:], apart.argmin(axis=2), axis=1)
                for i, j in zip(*np.nonzero(here.imag * there.imag < 0.0), strict=True):
                    a, b = here[i, j], there[i, j]
                    f = a.imag / (a.imag - b.imag)
                    t = a.real + f * (b.real - a.real)
                    if abs(t) > small:
                        yield (s[i] + f * (s[i + 1] - s[i])) / t

    def _eigenvalue(self, delta: Array) -> _Eigenvalue | None:
        d = delta[self.owners]
        X = self.M * d[None, :]
        values, V = np.linalg.eig(X)
        j = int(np.abs(values - 1.0).argmin())
        try:
            W = np.linalg.inv(V)[j]
        except np.linalg.LinAlgError:
            return None
        terms = (W @ self.M) * V[:, j]
        slope = np.zeros(self.count, dtype=complex)
        np.add.at(slope, self.owners, terms)
        condition = float(np.linalg.norm(W) * np.linalg.norm(V[:, j]))
        rounding = 10.0 * len(d) * np.finfo(float).eps * float(np.linalg.norm(X)) * condition
        others = np.abs(np.delete(values, j) - values[j])
        real = not np.iscomplexobj(self.M) and values[j].imag == 0.0
        return _Eigenvalue(complex(values[j]), slope, rounding, float(others.min(initial=np.inf)) / condition, real)

    def _solution(self, delta: Array) -> tuple[float, Array] | None:
        """Bound of a solution close to values, which Newton's method improves; None if none is certain."""
        for _ in range(_NEWTON):
            e = self._eigenvalue(delta)
            if e is None or not np.isfinite(e.rounding):
                return None
            rows, missing = _equations(e)
            U, sigma, Vt = np.linalg.svd(rows, full_matrices=False)
            if len(sigma) < len(rows) or sigma[-1] <= 0.0:
                return None
            step = Vt.T @ ((U.T @ missing) / sigma)
            reach = 2.0 * (float(np.linalg.norm(missing)) + e.rounding) / float(sigma[-1])
            largest = float(np.abs(delta).max())
            if reach < 1e-6 * largest:
                # Within that distance the eigenvalue stays apart from the others: its derivatives hardly change.
                near = reach * float(np.linalg.norm(e.slope)) < 0.1 * e.gap
                return (1.0 / (largest + (reach if reach > 1e-12 * largest else 0.0)), delta) if near else None
            if float(np.abs(step).max()) > 0.5 * largest:
                return None
            delta = delta + step
        return None

    def _descend(self, delta: Array, iterations: int) -> float:
        """The best bound on the way of linear programs that shrink the largest value."""
        from scipy.optimize import linprog

        k, bound, reach = self.count, 0.0, np.inf
        one = np.vstack([np.eye(k), -np.eye(k)])
        for _ in range(iterations):
            e = self._eigenvalue(delta)
            if e is None:
                break
            rows, missing = _equations(e)
            A, b_ub = np.hstack([one, -np.ones((2 * k, 1))]), np.zeros(2 * k)
            if np.isfinite(reach):
                A = np.vstack([A, np.hstack([one, np.zeros((2 * k, 1))])])
                b_ub = np.concatenate([b_ub, reach + delta, reach - delta])
            program: OptimizeResult = linprog(
                [0.0] * k + [1.0],
                A,
                b_ub,
                np.hstack([rows, np.zeros((len(rows), 1))]),
                missing + rows @ delta,
                bounds=[(None, None)] * k + [(0, None)],
                method="highs",
            )
            if not program.success:
                break
            moved = float(np.abs(program.x[:k] - delta).max())
            delta = program.x[:k]
            reach = moved if np.isinf(reach) else 0.8 * reach
            solution = self._solution(delta) if delta.any() else None
            if solution is not None:
                bound, largest = max(bound, solution[0]), float(np.abs(delta).max())
                if moved < 1e-7 * largest:
                    break
        return bound


def _equations(e: _Eigenvalue) -> tuple[Array, Array]:
    """Derivatives of the equations and their residuals: real part, and imaginary part unless symmetry keeps it zero."""
    missing = 1.0 - e.value
    if e.real:
        return e.slope.real[None, :], np.array([missing.real])
    return np.vstack([e.slope.real, e.slope.imag]), np.array([missing.real, missing.imag])


def _edges(count: int, most: int, rng: np.random.Generator) -> Iterator[tuple[int, Array]]:
    """Edges of the box, one of each pair that differs in sign: the free coordinate, and signs of the others."""
    total = count * 2 ** min(count - 2, 40)
    chosen = range(total) if total <= most else rng.choice(min(total, 2**31), size=most, replace=False)
    for number in chosen:
        free, pattern = int(number) % count, int(number) // count
        signs = np.array([1.0 if pattern >> i & 1 else -1.0 for i in range(count - 2)] + [1.0])
        yield free, np.insert(signs, free, 0.0)
