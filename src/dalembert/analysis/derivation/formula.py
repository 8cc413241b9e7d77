"""Formulas of a derivation sheet: what is printed, and the kernel that it must agree with."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.core.types import Array

if TYPE_CHECKING:
    import sympy

    from dalembert.analysis.closed_form.form import ClosedForm

__all__ = ["SheetFormula", "SheetStep", "State", "broken", "width"]

WIDE = 110
"""Characters of a line that fits on a page."""


@dataclass(frozen=True, eq=False)
class State:
    """Numbers at which formulas are compared with kernels: coordinates, velocities, accelerations and inputs."""

    q: Array
    v: Array
    a: Array
    u: Array


@dataclass(frozen=True, eq=False)
class SheetFormula:
    """A formula of a sheet.

    Parameters
    ----------
    name
        Its name, unique in the sheet.
    left
        Left side, LaTeX.
    value
        Right side; None where it is too long to print. Its numbers are then shown instead.
    kernel
        Numbers of the right side from the compiled functions of the machine.
    rule
        The general rule that it follows from, LaTeX; empty: none.
    """

    name: str
    left: str
    value: sympy.Expr | sympy.MatrixBase | None
    kernel: Callable[[State], Array]
    rule: str = ""

    def latex(self, form: ClosedForm | None, state: State) -> str:
        """The formula for math mode, or its numbers at a state where it is too long."""
        right = (
            form.latex_of(self.value) if form is not None and self.value is not None else _numbers(self.kernel(state))
        )
        return " = ".join(part for part in (self.left, self.rule, right) if part)

    def lines(self, form: ClosedForm | None, state: State) -> list[str]:
        """The formula as lines that fit on a page.

        A vector or matrix that is too wide is written entry by entry, and a long sum on several lines.
        """
        whole = self.latex(form, state)
        if form is None or self.value is None or width(whole) <= WIDE:
            return [whole]
        if not hasattr(self.value, "shape"):
            return broken(whole)
        made = [" = ".join(part for part in (self.left, self.rule) if part)] if self.rule else []
        rows, columns = self.value.shape
        same = rows == columns and self.value == self.value.T
        for i in range(rows):
            for j in range(i if same else 0, columns):
                place = f"{i + 1}" if columns == 1 else f"{i + 1},{j + 1}"
                entry = self.left if self.left == "0" else f"\\left({self.left}\\right)_{{{place}}}"
                if same and i != j:
                    entry += f" = \\left({self.left}\\right)_{{{j + 1},{i + 1}}}"
                made += broken(f"{entry} = {form.latex_of(self.value[i, j])}")
        return made

    def numbers(self, form: ClosedForm, state: State) -> Array:
        """Evaluate the printed formula at a state, with the nominal parameters."""
        import sympy

        if self.value is None:
            raise ValueError(f"formula '{self.name}' is not printed")
        symbols = {
            **dict(zip((s.name for s in form.q), state.q, strict=True)),
            **dict(zip((s.name for s in form.v), state.v, strict=True)),
            **dict(zip((s.name for s in form.a), state.a, strict=True)),
            **dict(zip((s.name for s in form.u), state.u, strict=True)),
            **form.parameters,
            "t": 0.0,
        }
        matrix = sympy.Matrix([[self.value]]) if not hasattr(self.value, "shape") else self.value
        free = sorted(matrix.free_symbols, key=lambda symbol: symbol.name)
        function = sympy.lambdify(free, matrix, "numpy")
        return np.asarray(function(*[symbols[symbol.name] for symbol in free]), dtype=float)

    def deviation(self, form: ClosedForm, state: State) -> float:
        """Largest difference between the printed formula and the kernel, relative to the largest number."""
        printed, kernel = self.numbers(form, state), np.asarray(self.kernel(state), dtype=float)
        difference = np.abs(printed - kernel.reshape(printed.shape))
        return float(difference.max() / max(1.0, np.abs(kernel).max()))


@dataclass(frozen=True, eq=False)
class SheetStep:
    """A part of a sheet: title, explanation, tables and formulas."""

    title: str
    text: str = ""
    formulas: tuple[SheetFormula, ...] = ()
    tables: tuple[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]], ...] = ()
    rules: tuple[str, ...] = ()


def width(latex: str) -> int:
    """Approximate number of characters of a formula; of a matrix, those of its widest row."""
    text = re.sub(r"\\(?:left|right|mathrm|frac|dot|ddot|begin\{bmatrix\}|end\{bmatrix\})", "", latex)
    return max(len(re.sub(r"[{}_^&\s]|\\,", "", re.sub(r"\\[A-Za-z]+", "x", row))) for row in text.split(r"\\"))


def broken(line: str) -> list[str]:
    """A formula on several lines, each a part of its outer sum."""
    pieces, depth = [""], 0
    for k, c in enumerate(line):
        depth += (c in "({[") - (c in ")}]")
        if depth == 0 and line[k : k + 3] in (" + ", " - ") and pieces[-1].strip():
            pieces.append("")
        pieces[-1] += c
    lines = [pieces[0]]
    for piece in pieces[1:]:
        if width(lines[-1] + piece) > WIDE:
            lines.append(r"\quad")
        lines[-1] += piece
    return lines


def _numbers(values: Any) -> str:
    array = np.asarray(values, dtype=float)
    array = array[:, None] if array.ndim == 1 else np.atleast_2d(array)
    if array.size == 1:
        return _number(float(array[0, 0]))
    rows = " \\\\ ".join(" & ".join(_number(float(x)) for x in row) for row in array)
    return f"\\begin{{bmatrix}} {rows} \\end{{bmatrix}}"


def _number(x: float) -> str:
    text = f"{x:.5g}"
    if "e" in text:
        mantissa, _, exponent = text.partition("e")
        return f"{mantissa} \\cdot 10^{{{int(exponent)}}}"
    return text


def named(values: Mapping[str, float]) -> tuple[tuple[str, ...], ...]:
    """Rows of a table of symbols and values."""
    return tuple((name, f"{value:.6g}") for name, value in values.items())
