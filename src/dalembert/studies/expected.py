"""Expected values, read from the data file of a study, and the verdict on ours.

A data file is a YAML mapping: ``document`` names the document of the study, ``rows`` maps keys to entries::

    pendulum.inertia:
      quantity: inertia seen by the joint
      source: "ROBOTICS, dynamics of actuated pendulum"
      kind: printed                           # or identity, regression, requirement, measured: see ``studies/rows.py``
      published: I_l + m*d**2 + n**2*I_m      # a formula, a matrix of formulas, or a number
      tolerance: 1.0e-9                       # of a number; a formula must be identical
      reason: printed with three digits       # where the tolerance comes from
      unit: kg m2
      form: full                              # only where the short form of the study leaves it out
      known_difference: a misprint, see ...   # only where the published value cannot be reproduced: why
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dalembert.analysis.closed_form.form import ClosedForm
from dalembert.core.errors import FileFormatError, UnknownNameError
from dalembert.studies.rows import KINDS, Kind, Row

__all__ = ["Entry", "Expected", "Formula", "formula", "formula_text"]

_FUNCTIONS = ("sin", "cos", "tan", "sqrt")


@dataclass(frozen=True)
class Entry:
    """One expected value."""

    quantity: str
    source: str
    kind: Kind
    published: Any
    tolerance: float = 0.0
    reason: str = ""
    unit: str = "1"
    form: str = "short"
    known_difference: str = ""


@dataclass(frozen=True)
class Formula:
    """A SymPy expression (or matrix) that was obtained, and how a person reads it."""

    expression: Any
    text: str

    @staticmethod
    def of(form: ClosedForm, expression: Any) -> Formula:
        """Write an expression in the symbols of a closed form."""
        return Formula(expression, form.write(expression))


def formula(text: Any) -> Any:
    """Read a formula as a SymPy expression; every name in it is a symbol."""
    import sympy

    if isinstance(text, list):
        return sympy.ImmutableDenseMatrix(
            [[formula(x) for x in (row if isinstance(row, list) else [row])] for row in text]
        )
    names = set(re.findall(r"[A-Za-z_]\w*", str(text))) - set(_FUNCTIONS)
    return sympy.sympify(str(text), locals={n: sympy.Symbol(n) for n in names}, rational=True)


class Expected:
    """The expected values of a study.

    Parameters
    ----------
    study
        Name of the study.
    path
        Its data file.
    """

    def __init__(self, study: str, path: Path) -> None:
        import yaml

        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        self.study = study
        self.document: str = data["document"]
        self.entries: dict[str, Entry] = {}
        for key, fields in data["rows"].items():
            if fields.get("kind") not in KINDS:
                expected = f"expected kind: {', '.join(KINDS)}"
                raise FileFormatError(f"{path.name}: '{key}': {expected}; got {fields.get('kind')!r}")
            entry = Entry(**fields)
            if entry.form not in ("short", "full"):
                raise FileFormatError(f"{path.name}: '{key}': expected form: short or full; got {entry.form!r}")
            number = not isinstance(entry.published, str | list)
            if number and entry.kind != "measured" and not (entry.tolerance > 0 and entry.reason):
                raise FileFormatError(f"{path.name}: '{key}' is a number and needs a tolerance with its reason")
            if entry.kind == "measured" and (entry.tolerance or entry.known_difference):
                raise FileFormatError(f"{path.name}: '{key}' is measured: nothing is asserted, so it has no tolerance")
            self.entries[key] = entry

    def __getitem__(self, key: str) -> Entry:
        if key not in self.entries:
            raise UnknownNameError("expected value", key, self.entries, f"study '{self.study}'")
        return self.entries[key]

    def judge(self, key: str, obtained: Formula | float) -> Row:
        """Compare our value with the expected one."""
        entry = self[key]
        if entry.kind == "measured":
            assert not isinstance(obtained, Formula)
            return self._row(entry, entry.published, float(obtained), None, True)
        if isinstance(obtained, Formula):
            ok = _identical(formula(entry.published), obtained.expression)
            return self._row(entry, formula_text(entry.published), obtained.text, 0.0, ok)
        value, published = float(obtained), float(entry.published)
        ok = math.isfinite(value) and abs(value - published) <= entry.tolerance
        return self._row(entry, published, value, entry.tolerance, ok)

    def _row(
        self, entry: Entry, published: float | str, obtained: float | str, tolerance: float | None, ok: bool
    ) -> Row:
        about = (self.study, entry.quantity, entry.source)
        return Row(*about, published, obtained, tolerance, entry.unit, ok, entry.kind, entry.known_difference)

    def check_complete(self, results: Mapping[str, object], *, full: bool = True) -> None:
        """Refuse a study that leaves out a value of its own data file; the short form those that are not for it."""
        for key, entry in self.entries.items():
            if key not in results and (full or entry.form == "short"):
                raise UnknownNameError("result for the expected value", key, results, f"study '{self.study}'")


def _identical(published: Any, obtained: Any) -> bool:
    """Whether two formulas, or matrices of them, are the same."""
    import sympy

    if getattr(published, "shape", ()) != getattr(obtained, "shape", ()):
        return False
    pairs = zip(published, obtained, strict=True) if hasattr(published, "shape") else [(published, obtained)]
    return all(sympy.simplify(a - b) == 0 for a, b in pairs)


def formula_text(published: object) -> str:
    """An expected formula, or matrix of formulas, on one line."""
    if not isinstance(published, list):
        return str(published)
    return "[" + "; ".join(", ".join(map(str, row)) if isinstance(row, list) else str(row) for row in published) + "]"
