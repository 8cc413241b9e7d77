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
    known_difference
        Why they cannot agree, where that is known: the errata page has the details. Empty otherwise.
    """

    study: str
    quantity: str
    source: str
    published: float | str
    obtained: float | str
    tolerance: float
    unit: str
    ok: bool
    known_difference: str = ""

    @property
    def missed(self) -> bool:
        """Whether they disagree, and nothing explains it."""
        return not self.ok and not self.known_difference

    def as_dict(self) -> dict[str, Any]:
        """Return the row as plain data; ``known_difference`` only where there is one."""
        return {key: value for key, value in asdict(self).items() if key != "known_difference" or value}
