"""Lines of derivation sheets: formulas that are too wide are written entry by entry, sums on several lines."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import sympy as sp

from dalembert.analysis.derivation.formula import WIDE, SheetFormula, State, broken, width

STATE = State(*(np.zeros(0) for _ in range(4)))
LONG = sp.Symbol("w" * 120)


def _lines(value: Any, rule: str = "", left: str = "M") -> list[str]:
    form = SimpleNamespace(latex_of=sp.latex)
    return SheetFormula("name", left, value, lambda state: np.zeros(0), rule).lines(cast(Any, form), STATE)


def test_wide_matrices_are_written_entry_by_entry() -> None:
    a, b, c = sp.symbols("a b c")
    square, other = sp.Matrix([[LONG, a], [b, LONG]]), sp.Matrix([[LONG, a], [a, LONG]])
    wide = sp.Matrix([[LONG, a, b], [c, LONG, a]])
    place = r"\left(M\right)_{"
    assert _lines(square) == [
        f"{place}1,1}} = {'w' * 120}", f"{place}1,2}} = a", f"{place}2,1}} = b", f"{place}2,2}} = {'w' * 120}",
    ]  # fmt: skip
    assert _lines(other, r"J^T M J") == [
        "M = J^T M J", f"{place}1,1}} = {'w' * 120}", f"{place}1,2}} = {place}2,1}} = a", f"{place}2,2}} = {'w' * 120}",
    ]  # fmt: skip
    found = _lines(wide)
    assert [line.split(" = ")[0] for line in found] == [f"{place}{i},{j}}}" for i in (1, 2) for j in (1, 2, 3)]
    assert [line.split(" = ")[1] for line in found] == [LONG.name, "a", "b", "c", LONG.name, "a"]
    column = sp.Matrix([LONG, a])
    assert [line.split(" = ")[0] for line in _lines(column)] == [f"{place}1}}", f"{place}2}}"]
    assert [line.split(" = ")[0] for line in _lines(column, left="0")] == ["0", "0"]
    assert _lines(sp.Matrix([[a, b], [c, a]])) == [f"M = {sp.latex(sp.Matrix([[a, b], [c, a]]))}"]


@pytest.mark.parametrize("size", [30, 50])
def test_long_sums_are_broken_between_their_terms(size: int) -> None:
    names = [c * size for c in "abcdef"]
    line = "T = " + " + ".join(names[:3]) + " - " + " - ".join(names[3:])
    lines = broken(line)
    assert " ".join("".join(lines).replace(r"\quad", "").split()) == line
    assert all(width(part) <= WIDE for part in lines) and len(lines) == -(-6 // (105 // size))
    assert all(part.startswith(r"\quad") for part in lines[1:])
    whole = r"T = \left(" + " + ".join(names) + r"\right) x"
    assert broken(whole) == [whole]  # nothing but a factor
    assert width(r"\left(\alpha + \dot{q}_{1}\right) & 2 \\ abc & d") == len("(x+q1)2")


def test_what_is_too_long_to_print_is_shown_by_its_numbers() -> None:
    for values, text in (
        ([[1.5]], "1.5"),
        ([1.5, -2.0], r"\begin{bmatrix} 1.5 \\ -2 \end{bmatrix}"),
        ([[1.5, 2.0], [3.0, 0.25]], r"\begin{bmatrix} 1.5 & 2 \\ 3 & 0.25 \end{bmatrix}"),
    ):
        formula = SheetFormula("name", "M", None, lambda state, x=values: np.array(x), "J^T J")  # type: ignore[misc]
        assert formula.lines(None, STATE) == [f"M = J^T J = {text}"]
