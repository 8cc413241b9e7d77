"""Which tests come by a change: notes that `plugin` makes of every file of tests, and the choice of tests from them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Notes"]

CHEAPEST, NEAREST = 20, 20
"""Tests of a change that are run: the cheapest ones, and those that come by the fewest other changes."""


@dataclass
class Notes:
    """Tests by change.

    Parameters
    ----------
    tests
        Of each number of a change, which tests come by it.
    seconds
        Processor time of each test.
    breadth
        By how many changes each test comes.
    """

    tests: dict[int, list[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    breadth: dict[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Notes:
        """What has been noted so far."""
        notes = cls()
        for file in sorted(folder.glob("*.jsonl")):
            for note in map(json.loads, file.read_text().splitlines()):
                name = note["test"]
                notes.seconds[name], notes.breadth[name] = note["seconds"], len(note["marks"])
                for number in note["marks"]:
                    notes.tests.setdefault(number, []).append(name)
        return notes

    def chosen(self, number: int, limit: float) -> list[str]:
        """Tests to run for a change, the cheapest first, of at most `limit` seconds together."""
        tests = self.tests.get(number, [])
        cheap = sorted(tests, key=lambda name: self.seconds[name])
        near = sorted(tests, key=lambda name: (self.breadth[name], self.seconds[name]))
        chosen, total = list[str](), 0.0
        for name in dict.fromkeys([*near[:NEAREST], *cheap[:CHEAPEST]]):
            if not chosen or total + self.seconds[name] <= limit:
                total += self.seconds[name]
                chosen.append(name)
        return sorted(chosen, key=lambda name: self.seconds[name])
