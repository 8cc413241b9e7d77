"""Quadratic programmes over a horizon from NumPy arrays, for comparisons with other solvers and for tests.

The predictive controllers call the same C text (``quadratic.h``) without Python in between.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile.cache import build_library
from dalembert.compile.forms import read_text
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.engine.horizon.sources import horizon_text, table

__all__ = ["HorizonProgramme", "ProgrammeSolution"]

_POINTER = ctypes.c_void_p
_ARRAYS = ("A", "B", "c", "H", "g", "G", "low", "high", "linear", "square", "x0")


class _Plain(ctypes.Structure):
    """``struct plain`` of programme.c."""

    _fields_ = (
        *((name, _POINTER) for name in (*_ARRAYS, "z", "lam", "info")),
        *(("tolerance", ctypes.c_double), ("first", ctypes.c_double)),
        *(("most", ctypes.c_int64), ("warm", ctypes.c_int64)),
    )


@dataclass(frozen=True)
class ProgrammeSolution:
    """Solution of a quadratic programme.

    Parameters
    ----------
    x, u
        States (N + 1, nx) and inputs (N, nu).
    multipliers
        Multipliers of the sides of all rows, for a warm start.
    status
        ``"solved"``, ``"capped"`` or ``"broken"``.
    iterations, repairs
        Iterations, and how often a stuck iteration was begun anew.
    complementarity, residual
        Mean complementarity, and largest residual of dynamics and rows.
    """

    x: Array
    u: Array
    multipliers: Array
    status: str
    iterations: int
    repairs: int
    complementarity: float
    residual: float


@dataclass(frozen=True)
class HorizonProgramme:
    """The compiled solver of all programmes of a size; the problem is stated in ``quadratic.h``.

    Parameters
    ----------
    nx, nu, intervals
        Numbers of states, inputs and intervals.
    boxes
        Entries of (x, u) that have bounds.
    rows
        Number of general rows of each stage.
    dense
        Whether Hessians are full, not only diagonal.
    soft
        Whether rows may be soft.
    free
        Whether the first state is free.
    plain
        Whether plain C99 is compiled, without vector types.
    """

    nx: int
    nu: int
    intervals: int
    boxes: tuple[int, ...] = ()
    rows: int = 0
    dense: bool = True
    soft: bool = False
    free: bool = False
    plain: bool = False

    def __post_init__(self) -> None:
        if min(self.nx, self.nu, self.intervals) < 1 or any(not 0 <= b < self.nx + self.nu for b in self.boxes):
            raise InputError(f"a programme needs states, inputs, intervals, and boxes among (x, u), got {self!r}")

    @property
    def text(self) -> str:
        """Its C text."""
        macros = {
            "NX": self.nx, "NU": self.nu, "NN": self.intervals, "NB": len(self.boxes), "NG": self.rows,
            "DENSE_COST": int(self.dense), "SOFT_ROWS": int(self.soft), "FREE_START": int(self.free),
        }  # fmt: skip
        macros |= {"PLAIN_HORIZON": 1} if self.plain else {}
        head = f"{read_text('library.h')}#include <stdint.h>\n"
        return head + horizon_text(
            ("quadratic.h", "programme.c"), macros, [table("box_entry", [int(b) for b in self.boxes], "int")]
        )

    @cached_property
    def _library(self) -> Any:
        return build_library(self.text, "horizon", optimise=("-O3",), fused=True)

    def solve(
        self,
        A: ArrayLike,
        B: ArrayLike,
        c: ArrayLike,
        H: ArrayLike,
        g: ArrayLike,
        x0: ArrayLike,
        low: ArrayLike | None = None,
        high: ArrayLike | None = None,
        G: ArrayLike | None = None,
        *,
        linear: ArrayLike | None = None,
        square: ArrayLike | None = None,
        tolerance: float = 1e-9,
        most: int = 60,
        first: float = 1.0,
        near: ProgrammeSolution | None = None,
    ) -> ProgrammeSolution:
        """Solve one programme.

        Parameters
        ----------
        A, B, c
            (N, nx, nx), (N, nx, nu), (N, nx).
        H, g
            (N + 1, nz, nz), (N + 1, nz); the inputs of the last stage are left out.
        x0
            First state.
        low, high
            (N + 1, boxes + rows), infinite where there is no bound.
        G
            (N + 1, rows, nz).
        linear, square
            Weights of the slacks of soft rows, of the shape of ``low``; ``linear`` is negative for hard ones.
        tolerance, most, first
            Complementarity of the result, largest number of iterations, complementarity of a cold start.
        near
            Solution of a programme nearby, for a warm start.
        """
        n, nz, nr = self.intervals, self.nx + self.nu, len(self.boxes) + self.rows
        shapes: dict[str, Sequence[int]] = {
            "A": (n, self.nx, self.nx), "B": (n, self.nx, self.nu), "c": (n, self.nx), "H": (n + 1, nz, nz),
            "g": (n + 1, nz), "G": (n + 1, self.rows, nz), "low": (n + 1, nr), "high": (n + 1, nr),
            "linear": (n + 1, nr), "square": (n + 1, nr), "x0": (self.nx,),
        }  # fmt: skip
        default = {"low": -np.inf, "high": np.inf, "linear": -1.0}
        given = dict(zip(_ARRAYS, (A, B, c, H, g, G, low, high, linear, square, x0), strict=True))
        arrays = {
            k: np.ascontiguousarray(np.broadcast_to(default.get(k, 0.0) if v is None else v, shapes[k]), dtype=float)
            for k, v in given.items()
        }
        lam, z, info = np.zeros(max(1, (n + 1) * 2 * nr)), np.zeros((n + 1, nz)), np.zeros(4)
        if near is not None:
            lam[:], z[:, : self.nx], z[:-1, self.nx :] = near.multipliers, near.x, near.u
        plain = _Plain()
        for name, array in (*arrays.items(), ("z", z), ("lam", lam), ("info", info)):
            setattr(plain, name, array.ctypes.data)
        plain.tolerance, plain.first, plain.most, plain.warm = tolerance, first, most, near is not None
        self._library.programme_size.restype = ctypes.c_int64
        work = np.zeros(self._library.programme_size() // 8 + 8)
        address = (work.ctypes.data + 63) // 64 * 64
        status = self._library.programme_solve(ctypes.byref(plain), _POINTER(address))
        return ProgrammeSolution(
            z[:, : self.nx], z[:-1, self.nx :], lam, ("solved", "capped", "broken")[status],
            int(info[0]), int(info[3]), float(info[1]), float(info[2]),
        )  # fmt: skip
