"""The result as a table, and as the file of ``docs/results``, in which people write why a change survives."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.mutants.trials import COUNTED, NOTICED, Verdict

__all__ = ["reasons", "result", "table"]


def reasons(file: Path) -> dict[str, str]:
    """Why changes survive, by their keys, as it was written down."""
    if not file.exists():
        return {}
    return {row["key"]: row["reason"] for row in json.loads(file.read_text())["survivors"]}


def _shares(verdicts: Sequence[Verdict]) -> dict[str, dict[str, int]]:
    shares = {}
    for language in ("c", "python"):
        count = Counter(v.verdict for v in verdicts if v.language == language)
        shares[language] = {"tried": sum(count[name] for name in COUNTED), **dict(sorted(count.items()))}
    return shares


def table(verdicts: Sequence[Verdict], written: Mapping[str, str]) -> str:
    """Survivors, and how many there are."""
    rows = []
    for v in verdicts:
        if v.verdict in COUNTED and v.verdict != NOTICED:
            reason = written.get(v.key) or "no reason known"
            rows.append(f"{v.key} {v.path}:{v.line} {v.old!r} -> {v.new!r}: {v.verdict}; {reason}")
            rows.append(f"             {v.source}")
    for language, count in _shares(verdicts).items():
        if count["tried"]:
            part = 100.0 * count.get(NOTICED, 0) / count["tried"]
            rows.append(f"{language}: {count.get(NOTICED, 0)} of {count['tried']} noticed, {part:.0f} %")
    return "\n".join(rows)


def stored(file: Path) -> list[Verdict]:
    """Verdicts of the file of ``docs/results``, so that a fresh checkout goes on with them."""
    if not file.exists():
        return []
    data = json.loads(file.read_text())
    return [
        Verdict(
            row["key"], (at := row["where"].rpartition(":"))[0], int(at[2]), *row["change"].split(" -> "),
            row["source"], row.get("verdict", NOTICED), row.get("by", ""), row["tests"],
        )
        for row in (*data["survivors"], *data["noticed"])
    ]  # fmt: skip


def result(verdicts: Sequence[Verdict], written: Mapping[str, str], before: Path) -> dict[str, Any]:
    """What goes to ``docs/results``: all verdicts so far, the survivors one by one with their reasons.

    Of the first sample those that tests noticed were only counted (``counted``).
    """

    def row(v: Verdict) -> dict[str, Any]:
        where = {"key": v.key, "where": f"{v.path}:{v.line}", "change": f"{v.old} -> {v.new}", "source": v.source}
        if v.verdict == NOTICED:
            return {**where, "by": v.by, "tests": v.tests}
        return {**where, "verdict": v.verdict, "tests": v.tests, "reason": written.get(v.key, "")}

    counted = json.loads(before.read_text())["counted"] if before.exists() else {}
    shares = _shares(verdicts)
    for language, count in counted.items():
        for name in ("tried", NOTICED):
            shares[language][name] = shares[language].get(name, 0) + count
    rows = [v for v in verdicts if v.verdict in COUNTED]
    return {
        "changes": shares,
        "counted": counted,
        "survivors": [row(v) for v in rows if v.verdict != NOTICED],
        "noticed": [row(v) for v in rows if v.verdict == NOTICED],
    }
