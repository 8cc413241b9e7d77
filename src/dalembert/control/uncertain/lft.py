"""Linear fractional transformations: matrices and systems with an uncertainty pulled out.

    y = (M22 + M21 Delta (1 - M11 Delta)^-1 M12) u,    Delta = diag(delta_i 1, ...)

Integrators are a block like the others (``1/s``), so that one algebra serves constant matrices and systems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce as fold
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.norms import Matrices, matrices_of
from dalembert.control.signals import place
from dalembert.control.uncertain.blocks import DeltaBlock, merged, slices
from dalembert.control.uncertain.reduction import block_diagonal, reduce_map, similar, singular
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array

if TYPE_CHECKING:
    import control

    from dalembert.control.norms import LinearSystem

__all__ = ["LFT", "append", "constant", "parameter", "rotation", "system_lft"]


@dataclass(frozen=True, eq=False)
class LFT:
    """A linear map with blocks.

    Parameters
    ----------
    M11, M12, M21, M22
        Its matrices; rows and columns of ``M11`` belong to the blocks in their order.
    blocks
        The blocks.
    inputs, outputs
        Names of its signals; empty if they have none.
    """

    M11: Array
    M12: Array
    M21: Array
    M22: Array
    blocks: tuple[DeltaBlock, ...] = ()
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()

    __array_ufunc__ = None  # NumPy leaves products with arrays to this class

    def __post_init__(self) -> None:
        n = sum(b.size for b in self.blocks)
        shapes = (self.M11.shape, self.M12.shape[0], self.M21.shape[1], self.M22.shape)
        if shapes != ((n, n), n, n, (self.M21.shape[0], self.M12.shape[1])):
            raise InputError(f"matrices of an LFT with {n} block rows do not fit: {shapes}")

    # -- what it is ---------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of outputs and inputs."""
        return self.M22.shape[0], self.M22.shape[1]

    @property
    def sizes(self) -> dict[str, int]:
        """Repetitions of each uncertain block, by name; states and the error of a model are left out."""
        counts: dict[str, int] = {}
        for b in self.blocks:
            if b.kind not in ("state", "error"):
                counts[b.name] = counts.get(b.name, 0) + b.size
        return counts

    @property
    def size(self) -> int:
        """Size of the uncertainty, states and errors left out."""
        return sum(self.sizes.values())

    def __repr__(self) -> str:
        sizes = ", ".join(f"{n}: {k}" for n, k in self.sizes.items())
        states = sum(b.size for b in self.blocks if b.kind == "state")
        return f"<LFT {self.shape[0]} x {self.shape[1]}, {states} states, {sizes or 'certain'}>"

    # -- algebra ------------------------------------------------------------------------------------------------------

    def __add__(self, other: LFT | Array | float) -> LFT:
        other = _lift(other, self.shape)
        return LFT(
            block_diagonal(self.M11, other.M11),
            np.vstack([self.M12, other.M12]),
            np.hstack([self.M21, other.M21]),
            self.M22 + other.M22,
            (*self.blocks, *other.blocks),
            self.inputs,
            self.outputs,
        )

    def __neg__(self) -> LFT:
        return LFT(self.M11, self.M12, -self.M21, -self.M22, self.blocks, self.inputs, self.outputs)

    def __sub__(self, other: LFT | Array | float) -> LFT:
        return self + (-_lift(other, self.shape))

    def __matmul__(self, other: LFT | Array) -> LFT:
        """In series: ``other`` first. A square map without names takes those of the map that it meets."""
        other = _lift(other, None)
        n1, n2 = self.M11.shape[0], other.M11.shape[0]
        return LFT(
            np.block([[self.M11, self.M12 @ other.M21], [np.zeros((n2, n1)), other.M11]]),
            np.vstack([self.M12 @ other.M22, other.M12]),
            np.hstack([self.M21, self.M22 @ other.M21]),
            self.M22 @ other.M22,
            (*self.blocks, *other.blocks),
            other.inputs or (self.inputs if other.shape[0] == other.shape[1] else ()),
            self.outputs or (other.outputs if self.shape[0] == self.shape[1] else ()),
        )

    def __rmatmul__(self, other: Array) -> LFT:
        return _lift(other, None) @ self

    def __mul__(self, factor: float) -> LFT:
        return LFT(self.M11, self.M12, factor * self.M21, factor * self.M22, self.blocks, self.inputs, self.outputs)

    __rmul__ = __mul__

    @property
    def T(self) -> LFT:
        """Transpose."""
        return LFT(self.M11.T, self.M21.T, self.M12.T, self.M22.T, self.blocks, self.outputs, self.inputs)

    def inverse(self) -> LFT:
        """Inverse of a square map."""
        n = self.shape[0]
        return self.solved(range(n), range(n))

    def solved(self, outputs: Sequence[int] | range, inputs: Sequence[int] | range) -> LFT:
        """The same relation with some outputs given and as many inputs unknown, in their place.

        The size of the uncertainty stays: this is how a mass matrix is inverted.
        """
        o, i = list(outputs), list(inputs)
        D = self.M22[np.ix_(o, i)]
        if D.shape[0] != D.shape[1] or singular(D):
            raise InputError("the relation cannot be solved at the nominal values: its direct part is singular")
        inverse = np.linalg.inv(D)
        row, column = np.hstack([self.M21[o], self.M22[o]]), np.vstack([self.M12, self.M22])[:, i]
        whole = np.block([[self.M11, self.M12], [self.M21, self.M22]])
        n = self.M11.shape[0]
        rest = whole - column @ inverse @ row
        columns, rows = [n + k for k in i], [n + k for k in o]
        rest[:, columns] = column @ inverse
        rest[rows] = -inverse @ row
        rest[np.ix_(rows, columns)] = inverse
        return LFT(rest[:n, :n], rest[:n, n:], rest[n:, :n], rest[n:, n:], self.blocks)

    def part(self, outputs: Sequence[int], inputs: Sequence[int]) -> LFT:
        """Some outputs and inputs."""
        o, i = list(outputs), list(inputs)
        return LFT(
            self.M11,
            self.M12[:, i],
            self.M21[o],
            self.M22[np.ix_(o, i)],
            self.blocks,
            tuple(self.inputs[k] for k in i) if self.inputs else (),
            tuple(self.outputs[k] for k in o) if self.outputs else (),
        )

    def feedback(self, controller: LinearSystem | LFT, measured: Sequence[str], controls: Sequence[str]) -> LFT:
        """Closed loop ``u = -K y`` (negative feedback) between named signals; all signals stay.

        Parameters
        ----------
        controller
            System of python-control, constant gains or an LFT, from measured signals to controls.
        measured, controls
            Names of outputs and of inputs.
        """
        p, m = self.shape
        return self.loop(controller, measured, controls).part(range(p), range(m))

    def loop(self, controller: LinearSystem | LFT, measured: Sequence[str], controls: Sequence[str]) -> LFT:
        """Closed loop ``u = K (r - y)``: references ``r.NAME`` beside the inputs, ``u.NAME`` and ``e.NAME`` as outputs.

        The signals are those of the requirements of `dalembert.control.structured`.
        """
        K = controller if isinstance(controller, LFT) else system_lft(controller)
        y = [place(n, self.outputs, "output") for n in measured]
        u = [place(n, self.inputs, "input") for n in controls]
        if K.shape != (len(u), len(y)):
            raise InputError(
                f"a controller from {len(y)} signals to {len(u)} is needed, got {K.shape[1]} to {K.shape[0]}"
            )
        joined = append(self, K)
        p, m = self.shape
        # [u; e] = F [y; v] + [d; r], with v the output of the controller.
        F = np.zeros((m + len(y), p + len(u)))
        F[u, [p + k for k in range(len(u))]] = 1.0
        for k, row in enumerate(y):
            F[m + k, row] = -1.0
        inner = np.eye(joined.M22.shape[1]) - F @ joined.M22
        if singular(inner):
            raise InputError("the feedback is not well posed: an algebraic loop is singular")
        G, E = np.linalg.solve(inner, F), np.linalg.inv(inner)
        M21, M22 = joined.M21 + joined.M22 @ G @ joined.M21, joined.M22 @ E
        errors = np.hstack([np.zeros((len(y), m)), np.eye(len(y))]) - M22[y]
        return LFT(
            joined.M11 + joined.M12 @ G @ joined.M21,
            joined.M12 @ E,
            np.vstack([M21, -M21[y]]),
            np.vstack([M22, errors]),
            joined.blocks,
            (*self.inputs, *(f"r.{n}" for n in measured)),
            (*self.outputs, *(f"u.{n}" for n in controls), *(f"e.{n}" for n in measured)),
        )

    # -- values and forms ---------------------------------------------------------------------------------------------

    def close(self, values: Mapping[str, float | complex]) -> LFT:
        """Put numbers in the place of some blocks."""
        names = {b.name for b in self.blocks}
        for name in values:
            if name not in names:
                raise UnknownNameError("block", name, names)
        gone = [i for b, s in slices(self.blocks) if b.name in values for i in range(s.start, s.stop)]
        kept = [i for b, s in slices(self.blocks) if b.name not in values for i in range(s.start, s.stop)]
        d = np.array([values[b.name] for b, s in slices(self.blocks) if b.name in values for _ in range(b.size)])
        whole = np.block([[self.M11, self.M12], [self.M21, self.M22]])
        n = self.M11.shape[0]
        rest = [*kept, *range(n, whole.shape[0])]
        cols = [*kept, *range(n, whole.shape[1])]
        inner = np.eye(len(gone)) - whole[np.ix_(gone, gone)] * d[None, :]
        if singular(inner):
            raise InputError(f"the LFT is singular at {dict(values)}")
        closed = whole[np.ix_(rest, cols)] + (whole[np.ix_(rest, gone)] * d[None, :]) @ np.linalg.solve(
            inner, whole[np.ix_(gone, cols)]
        )
        k = len(kept)
        blocks = tuple(b for b in self.blocks if b.name not in values)
        return LFT(closed[:k, :k], closed[:k, k:], closed[k:, :k], closed[k:, k:], blocks, self.inputs, self.outputs)

    def without_error(self) -> LFT:
        """The same map without the blocks that stand for the error of a model."""
        return self.close({b.name: 0.0 for b in self.blocks if b.kind == "error"})

    def at(self, **values: float) -> control.StateSpace | Array:
        """The matrix, or the python-control system, at given values of all its uncertain blocks."""
        missing = [n for n in self.sizes if n not in values]
        if missing:
            raise InputError(f"at() needs values of all blocks, missing: {', '.join(missing)}")
        closed = self.close(values).without_error()
        if not closed.blocks:
            return closed.M22
        import control

        labels = {k: v for k, v in (("inputs", list(self.inputs)), ("outputs", list(self.outputs))) if v}
        return control.ss(closed.M11, closed.M12, closed.M21, closed.M22, **labels)

    def sample(self, count: int, *, seed: int = 0) -> list[dict[str, complex]]:
        """Random values of all uncertain blocks, for `at` and `close`: even in -1 to 1, of complex ones in the disk.

        Raises
        ------
        InputError
            If a full block is larger than one: no number stands for it.
        """
        for b in self.blocks:
            if b.kind == "full" and b.size > 1:
                raise InputError(f"the full block '{b.name}' has no single value: samples need repeated blocks")
        rng = np.random.default_rng(seed)
        kinds = {b.name: b.kind for b in self.blocks if b.kind not in ("state", "error")}

        def one(kind: str) -> complex:
            if kind == "real":
                return float(rng.uniform(-1.0, 1.0))
            return complex(np.sqrt(rng.uniform()) * np.exp(2j * np.pi * rng.uniform()))

        return [{name: one(kind) for name, kind in kinds.items()} for _ in range(count)]

    def state_space(self) -> tuple[Matrices, tuple[DeltaBlock, ...]]:
        """System ``[z_Delta; y] = G(s) [w_Delta; u]`` and the blocks of Delta, in their order."""
        blocks, order = merged(self.blocks)
        n = sum(b.size for b in blocks if b.kind == "state")
        M11, M12, M21 = self.M11[np.ix_(order, order)], self.M12[order], self.M21[:, order]
        A, B, C = M11[:n, :n], np.hstack([M11[:n, n:], M12[:n]]), np.vstack([M11[n:, :n], M21[:, :n]])
        D = np.block([[M11[n:, n:], M12[n:]], [M21[:, n:], self.M22]])
        return (A, B, C, D), tuple(b for b in blocks if b.kind != "state")

    def normalised(self, ranges: Mapping[str, tuple[float, float]]) -> LFT:
        """The same map in blocks between -1 and 1: ``delta = (lo + hi)/2 + (hi - lo)/2 d``."""
        for name in ranges:
            if name not in self.sizes:
                raise UnknownNameError("block", name, self.sizes)
        c, h = [], []
        for b in self.blocks:
            lo, hi = ranges.get(b.name, (-1.0, 1.0))
            if not lo < hi:
                raise InputError(f"the range of block '{b.name}' must be two increasing numbers, got {(lo, hi)!r}")
            ranged = b.kind != "state" and b.name in ranges
            c += [(lo + hi) / 2.0 if ranged else 0.0] * b.size
            h += [(hi - lo) / 2.0 if ranged else 1.0] * b.size
        centre, half = np.array(c), np.array(h)
        inner = np.eye(len(c)) - self.M11 * centre[None, :]
        if singular(inner):
            raise InputError("the LFT is singular at the middle of these ranges")
        M11 = np.linalg.solve(inner, self.M11 * half[None, :])
        M12 = np.linalg.solve(inner, self.M12)
        shifted = self.M21 * centre[None, :]
        return LFT(
            M11,
            M12,
            self.M21 * half[None, :] + shifted @ M11,
            self.M22 + shifted @ M12,
            self.blocks,
            self.inputs,
            self.outputs,
        )

    def reduced(self, tolerance: float = 1e-8) -> LFT:
        """The same map with as few repetitions as its structured reachable and observable subspaces need.

        States, full blocks and errors of models are left as they are. The retained part does not depend on units.

        Parameters
        ----------
        tolerance
            Sine of the angle below which a direction counts as a part of a subspace; zero: only parts that no path of
            entries joins with inputs and outputs are left out.
        """
        blocks, order = merged(self.blocks)
        maps = (self.M11[np.ix_(order, order)], self.M12[order], self.M21[:, order], self.M22)
        reduced = reduce_map(maps, blocks, tolerance)
        return LFT(*reduced.matrices, reduced.blocks, self.inputs, self.outputs)

    def balanced(self) -> LFT:
        """The same map in coordinates of its blocks in which inputs and outputs have equal size.

        A similarity of each repeated block leaves the map as it is; without it evaluations lose digits, and bounds of
        structured singular values are far off.
        """
        maps = similar((self.M11, self.M12, self.M21, self.M22), self.blocks)
        return LFT(*maps, self.blocks, self.inputs, self.outputs)


def constant(matrix: ArrayLike) -> LFT:
    """A matrix without uncertainty.

    Examples
    --------
    >>> constant([[1.0, 2.0]]).blocks
    ()
    """
    M = np.atleast_2d(as_numbers(matrix))
    return LFT(np.zeros((0, 0)), np.zeros((0, M.shape[1])), np.zeros((M.shape[0], 0)), M)


def parameter(name: str, kind: str = "real") -> LFT:
    """An uncertain number."""
    one, zero = np.ones((1, 1)), np.zeros((1, 1))
    return LFT(zero, one, one, zero, (DeltaBlock(name, 1, kind),))


def system_lft(system: LinearSystem) -> LFT:
    """A certain system of python-control.

    Examples
    --------
    >>> import control
    >>> [block.name for block in system_lft(control.tf([1.0], [1.0, 1.0])).blocks]
    ['1/s']
    """
    (A, B, C, D), period = matrices_of(system)
    if period:
        raise InputError("LFTs are continuous: give a continuous system")
    labels = (tuple(getattr(system, "input_labels", ())), tuple(getattr(system, "output_labels", ())))
    blocks = (DeltaBlock("1/s", A.shape[0], "state"),) if A.size else ()
    return LFT(A, B, C, D, blocks, *labels)


def rotation(name: str, tangent: str = "half") -> LFT:
    """Rotation by an angle in the plane, ``[cos -sin; sin cos]``, in the fewest repetitions.

    ``"half"``: two of ``tan(theta/2)``, SPACE (8.19), for angles within 180 degrees. ``"quarter"``: four of
    ``tan(theta/4)``, SPACE (8.22), for angles up to 180 degrees and beyond.
    """
    if tangent == "half":
        M11, M12 = [[0.0, 1.0], [-1.0, 0.0]], [[2.0, 0.0], [0.0, -2.0]]
        M21 = [[0.0, 1.0], [1.0, 0.0]]
    elif tangent == "quarter":
        M11 = [[0.0, 1.0, -2.0, 0.0], [1.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]]
        M12 = [[0.0, -4.0], [0.0, 0.0], [4.0, 0.0], [0.0, 0.0]]
        M21 = [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
    else:
        raise InputError(f"tangent must be 'half' or 'quarter', got {tangent!r}")
    return LFT(np.array(M11), np.array(M12), np.array(M21), np.eye(2), (DeltaBlock(name, len(M11), "real"),))


def append(*maps: LFT) -> LFT:
    """Maps side by side, with all their inputs and outputs."""

    def two(a: LFT, b: LFT) -> LFT:
        return LFT(
            block_diagonal(a.M11, b.M11),
            block_diagonal(a.M12, b.M12),
            block_diagonal(a.M21, b.M21),
            block_diagonal(a.M22, b.M22),
            (*a.blocks, *b.blocks),
            (*a.inputs, *b.inputs),
            (*a.outputs, *b.outputs),
        )

    return fold(two, maps)


def _lift(value: LFT | ArrayLike, shape: tuple[int, int] | None) -> LFT:
    if isinstance(value, LFT):
        return value
    M = as_numbers(value)
    if M.ndim == 0 and shape is not None:
        M = float(M) * np.ones(shape) if shape == (1, 1) else float(M) * np.eye(*shape)
    return constant(M)
