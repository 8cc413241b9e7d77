"""What is known of a batch of changes: which tests come by them, which of them tests noticed, and how many were run."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Notes"]

CHOSEN, SECONDS = 40, 40.0
"""How many tests are run for a change that must be made by writing its file anew, and for how long at most."""


@dataclass
class Notes:
    """Notes by numbers of changes, as `plugin` writes them.

    Parameters
    ----------
    tests
        Which tests come by a change.
    seconds
        Processor time of each test.
    noticed
        Of changes that were noticed, by which test, and how many were run.
    spent
        Of changes that were tried, how many tests were run, and how many seconds these took.
    """

    tests: dict[int, list[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    noticed: dict[int, tuple[str, int]] = field(default_factory=dict)
    spent: dict[int, tuple[int, float]] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Notes:
        """What has been noted so far."""
        notes = cls()
        for file in sorted(folder.glob("*.jsonl")):
            for note in map(json.loads, file.read_text().splitlines()):
                notes.seconds[note["test"]] = note["seconds"]
                for number in note["marks"]:
                    notes.tests.setdefault(number, []).append(note["test"])
        for file in sorted(folder.glob("*.told")):
            for row in map(json.loads, file.read_text().splitlines()):
                number, count = row["number"], row["tests"]
                if row["status"]:
                    how = "" if row["status"] == 1 else ", which crashed or did not end"
                    notes.noticed[number] = row["test"] + how, count
                notes.spent[number] = max(notes.spent.get(number, (0, 0.0)), (count, row["seconds"]))
        return notes

    def chosen(self, number: int) -> list[str]:
        """Tests that come by a change, the cheapest first."""
        chosen, total = list[str](), 0.0
        for name in sorted(self.tests.get(number, []), key=lambda name: self.seconds[name])[:CHOSEN]:
            total += self.seconds[name]
            if chosen and total > SECONDS:
                break
            chosen.append(name)
        return chosen
