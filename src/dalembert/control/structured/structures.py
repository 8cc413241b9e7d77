"""Structures of controllers: which numbers may change, and the controller that they make.

A structure is a list of named numbers with bounds and an expression ``x -> (A, B, C, D)`` on CasADi symbols, so that
derivatives are exact whatever it is made of. Controllers act on the error: ``u = K(s) (r - y)``, negative feedback.
Structures are combined in series (``second * first``), in parallel (``+``) and side by side (`beside`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array, Expression, ExpressionLike

if TYPE_CHECKING:
    pass

__all__ = ["Structure", "SymbolicMatrices", "Tunable", "beside", "check_names"]

Entries = ExpressionLike | float
SymbolicMatrices = tuple[Entries, Entries, Entries, Entries]


@dataclass(frozen=True)
class Tunable:
    """A number that the tuning may change.

    Parameters
    ----------
    name
        Its name.
    start
        Its value at the first start; None: found from plants and requirements.
    lower, upper
        Bounds; None: there is none.
    scale
        Its typical size; None: found from plants and requirements.
    power
        How the controller's gains grow with it: 2 for the factors of a product.
    begin
        Where start is None: the first start as a multiple of its typical size.
    hold
        Whether a start keeps it while the others are tuned first, as the poles of a controller while its gains are.
    """

    name: str
    start: float | None = None
    lower: float | None = None
    upper: float | None = None
    scale: float | None = None
    power: float = 1.0
    begin: float = 0.0
    hold: bool = False

    def __post_init__(self) -> None:
        for field in ("start", "lower", "upper", "scale"):
            value = getattr(self, field)
            if value is not None and not (isinstance(value, Real) and np.isfinite(float(value))):
                raise InputError(f"{field} of tunable '{self.name}' must be a finite number or None, got {value!r}")
        if self.lower is not None and self.upper is not None and not self.lower < self.upper:
            raise InputError(f"tunable '{self.name}': lower {self.lower:g} must be below upper {self.upper:g}")
        if self.scale is not None and not self.scale > 0:
            raise InputError(f"scale of tunable '{self.name}' must be positive, got {self.scale!r}")


@dataclass(frozen=True, eq=False)
class Structure:
    """A controller with numbers to be tuned.

    Parameters
    ----------
    measured
        Names of the plant's outputs that it sees (the errors of them).
    controls
        Names of the plant's inputs that it drives.
    tunables
        Its numbers.
    order
        Number of its states.
    matrices
        ``x -> (A, B, C, D)``: CasADi expressions of the numbers.
    contained
        A simpler structure that this one contains, and its numbers as numbers of this one. It is tuned first.
    """

    measured: tuple[str, ...]
    controls: tuple[str, ...]
    tunables: tuple[Tunable, ...]
    order: int
    matrices: Callable[[ExpressionLike], SymbolicMatrices]
    contained: tuple[Structure, Callable[[Array], Array]] | None = None

    def __post_init__(self) -> None:
        for what, names in (("measured", self.measured), ("controls", self.controls)):
            if not names:
                raise InputError(f"a structure needs at least one name in {what}")
            if len(set(names)) != len(names):
                raise InputError(f"{what} names one signal twice: {', '.join(names)}")
        tunable = [t.name for t in self.tunables]
        twice = {n for n in tunable if tunable.count(n) > 1}
        if twice:
            raise InputError(f"a structure has two tunables named {', '.join(sorted(twice))}")

    def packed(self, x: ExpressionLike) -> Expression:
        """The controller as one matrix ``[D C; B A]``: a static gain of the plant with its states added."""
        A, B, C, D = (ca.SX(m) for m in self.matrices(x))
        return ca.vertcat(ca.horzcat(D, C), ca.horzcat(B, A))

    def __mul__(self, first: Structure) -> Structure:
        """In series: ``first`` sees the error, this one its output."""
        if not isinstance(first, Structure):
            return NotImplemented
        if len(first.controls) != len(self.measured):
            raise InputError(
                f"in series: {len(first.controls)} outputs ({', '.join(first.controls)}) meet {len(self.measured)} "
                f"inputs ({', '.join(self.measured)})"
            )
        k = len(first.tunables)

        def matrices(x: ExpressionLike) -> SymbolicMatrices:
            A1, B1, C1, D1 = (ca.SX(m) for m in first.matrices(x[:k]))
            A2, B2, C2, D2 = (ca.SX(m) for m in self.matrices(x[k:]))
            A = ca.vertcat(ca.horzcat(A1, ca.SX(first.order, self.order)), ca.horzcat(B2 @ C1, A2))
            return A, ca.vertcat(B1, B2 @ D1), ca.horzcat(D2 @ C1, C2), D2 @ D1

        tunables = (*first.tunables, *self.tunables)
        return Structure(first.measured, self.controls, tunables, first.order + self.order, matrices)

    def __add__(self, other: Structure) -> Structure:
        """In parallel: both see their errors, and their outputs add up."""
        if not isinstance(other, Structure):
            return NotImplemented
        return _joined((self, other))


def beside(*structures: Structure) -> Structure:
    """Side by side: structures that drive different controls, as one; shared controls add up.

    Examples
    --------
    >>> from dalembert.control.structured import pd_gains
    >>> shoulder = pd_gains({"tau1": ("q1", "q1_dot")})
    >>> elbow = pd_gains({"tau2": ("q2", "q2_dot")})
    >>> beside(shoulder, elbow).controls
    ('tau1', 'tau2')
    """
    if not structures:
        raise InputError("beside needs at least one structure")
    return _joined(structures)


def _joined(structures: Sequence[Structure]) -> Structure:
    measured = tuple(dict.fromkeys(n for s in structures for n in s.measured))
    controls = tuple(dict.fromkeys(n for s in structures for n in s.controls))
    counts = np.cumsum([0, *(len(s.tunables) for s in structures)])

    def matrices(x: ExpressionLike) -> SymbolicMatrices:
        A, B, C = ca.SX(0, 0), ca.SX(0, len(measured)), ca.SX(len(controls), 0)
        D = ca.SX(len(controls), len(measured))
        for s, i, j in zip(structures, counts[:-1], counts[1:], strict=True):
            a, b, c, d = (ca.SX(m) for m in s.matrices(x[int(i) : int(j)]))
            see = ca.DM([[float(n == m) for m in measured] for n in s.measured])
            drive = ca.DM([[float(n == m) for m in s.controls] for n in controls])
            A, B, C = ca.diagcat(A, a), ca.vertcat(B, b @ see), ca.horzcat(C, drive @ c)
            D = D + drive @ d @ see
        return A, B, C, D

    tunables = tuple(t for s in structures for t in s.tunables)
    return Structure(measured, controls, tunables, sum(s.order for s in structures), matrices)


def check_names(structure: Structure, inputs: Sequence[str], outputs: Sequence[str], plant: str) -> None:
    """Refuse a structure whose signals a plant does not have."""
    for name in structure.controls:
        if name not in inputs:
            raise UnknownNameError("input", name, inputs, f"plant '{plant}'")
    for name in structure.measured:
        if name not in outputs:
            raise UnknownNameError("output", name, outputs, f"plant '{plant}'")
