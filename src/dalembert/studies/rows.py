"""What a study hands back: one row per published number or formula."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Row"]


@dataclass(frozen=True)
class Row:
    """A published value and ours.

    Parameters
    ----------
    study
        Name of the study.
    quantity
        What is compared.
    source
        Document and where in it.
    published, obtained
        Their value and ours: numbers, or formulas as text.
    tolerance
        Largest absolute difference that counts as agreement; zero for formulas, which must be identical.
    unit
        Unit of the numbers.
    ok
        Whether they agree.
    """

    study: str
    quantity: str
    source: str
    published: float | str
    obtained: float | str
    tolerance: float
    unit: str
    ok: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return asdict(self)
