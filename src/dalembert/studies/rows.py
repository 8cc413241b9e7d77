"""The result of a study: one row per expected number or formula, and the totals of each kind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

__all__ = ["KINDS", "Kind", "Row", "Stored", "totals"]

Kind = Literal["printed", "identity", "regression", "requirement", "measured"]
"""Kinds of an expected value.

``printed``: the document prints it. ``identity``: it must hold by mathematics or physics (two derivations, a theorem, a
conservation law, an independent solution). ``regression``: an earlier number of this library, which shows that nothing
has changed and proves no more. ``requirement``: a bound or a property that is required, or that follows
from the document. ``measured``: a time or a size that is shown next to the document's, and not asserted.
"""

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Stored:
    """A result that an earlier run has stored, with its date."""

    value: float
    date: str


@dataclass(frozen=True)
class Row:
    """An expected value and ours.

    Parameters
    ----------
    study
        Name of the study.
    quantity
        The compared quantity.
    source
        Document and where in it.
    published, obtained
        The expected value and ours: numbers, or formulas as text.
    tolerance
        Largest absolute difference that counts as agreement; zero for formulas, which must be identical; None where
        nothing is asserted.
    unit
        Unit of the numbers.
    ok
        Whether they agree; a row that is only measured cannot be missed.
    kind
        Kind of the expected value: one of `KINDS`. Only ``printed`` ones are published numbers.
    known_difference
        Why they cannot agree, where that is known: the errata page has the details. Empty otherwise.
    stored
        Date of a result that was stored and not computed now. Empty otherwise.
    """

    study: str
    quantity: str
    source: str
    published: float | str
    obtained: float | str
    tolerance: float | None
    unit: str
    ok: bool
    kind: Kind
    known_difference: str = ""
    stored: str = ""

    @property
    def missed(self) -> bool:
        """Whether they disagree, and nothing explains it."""
        return not self.ok and not self.known_difference

    def as_dict(self) -> dict[str, Any]:
        """Return the row as plain data; ``known_difference`` and ``stored`` only where there is one."""
        return {key: value for key, value in asdict(self).items() if value or key not in ("known_difference", "stored")}


_VERBS = {
    "printed": "reproduced",
    "identity": "hold",
    "regression": "unchanged",
    "requirement": "met",
    "measured": "shown",
}


def totals(rows: Iterable[Row]) -> str:
    """Return a line with the number of rows of each kind that agree.

    Examples
    --------
    >>> totals([Row("s", "q", "BOOK (1)", 1.5, 1.5, 0.05, "kg", True, "printed")])
    'printed: 1 of 1 reproduced'
    """
    rows, parts = list(rows), []
    for kind in KINDS:
        mine = [row for row in rows if row.kind == kind]
        known = sum(bool(row.known_difference) for row in mine)
        explained = f" ({known} known differences, explained on the errata page)" if known else ""
        if mine:
            parts.append(f"{kind}: {sum(row.ok for row in mine)} of {len(mine)} {_VERBS[kind]}{explained}")
    return "; ".join(parts)
