"""The result as a table, and as the file of ``docs/results``, in which people write why a change survives."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.mutants.trials import COUNTED, NOTICED, Verdict

__all__ = ["REASONS", "reasons", "result", "stored", "table"]

EQUIVALENT = "Equivalent:"
"""How reasons begin of changes that give the same results for every input, or to rounding."""
ANOTHER_WAY = "Another way to the same solution:"
"""Likewise of changes after which a search takes another way, or more of it, and ends at the same solution."""
GAP = "A gap of the tests:"
"""Likewise of changes of results that no test notices."""
REASONS = (EQUIVALENT, ANOTHER_WAY, GAP)


def reasons(file: Path) -> dict[str, str]:
    """Why changes survive, by their keys, as it was written down."""
    if not file.exists():
        return {}
    data = json.loads(file.read_text())
    return {row["key"]: row["reason"] for row in (*data["survivors"], *data["others"]) if "reason" in row}


def _shares(verdicts: Sequence[Verdict], written: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """Counts of verdicts, and the noticed part of the changes: without equivalent ones, and without detours too."""
    shares = {}
    for language in ("c", "python"):
        own = [v for v in verdicts if v.language == language]
        count = Counter(v.verdict for v in own)
        why = [written.get(v.key, "") for v in own if v.verdict in COUNTED and v.verdict != NOTICED]
        same, detours = (sum(reason.startswith(kind) for reason in why) for kind in (EQUIVALENT, ANOTHER_WAY))
        tried = sum(count[name] for name in COUNTED)
        numbers = {"tried": tried, **dict(sorted(count.items())), "equivalent": same, "another way": detours}
        noticed = 100.0 * count[NOTICED]
        shares[language] = {
            **numbers,
            "percent noticed": round(noticed / max(1, tried - same), 1),
            "percent noticed of changes of results": round(noticed / max(1, tried - same - detours), 1),
        }
    return shares


def table(verdicts: Sequence[Verdict], written: Mapping[str, str]) -> str:
    """Survivors, and how many there are."""
    rows = []
    for v in verdicts:
        if v.verdict in COUNTED and v.verdict != NOTICED:
            reason = written.get(v.key) or "no reason known"
            rows.append(f"{v.key} {v.path}:{v.line} {v.old!r} -> {v.new!r}: {v.verdict}; {reason}")
            rows.append(f"             {v.source}")
    for language, count in _shares(verdicts, written).items():
        if count["tried"]:
            rows.append(
                f"{language}: {count.get(NOTICED, 0)} of {count['tried']} noticed, {count['equivalent']} equivalent: "
                f"{count['percent noticed']} % of the others; {count['another way']} take another way to the same "
                f"solution: {count['percent noticed of changes of results']} % without them"
            )
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
        for row in (*data["survivors"], *data["noticed"], *data["others"], *data["no changes"])
    ]  # fmt: skip


def result(sample: Sequence[Verdict], others: Sequence[Verdict], written: Mapping[str, str]) -> dict[str, Any]:
    """What goes to ``docs/results``: verdicts on a sample, and others that are known, survivors with their reasons."""

    def row(v: Verdict) -> dict[str, Any]:
        where = {"key": v.key, "where": f"{v.path}:{v.line}", "change": f"{v.old} -> {v.new}", "source": v.source}
        if v.verdict == NOTICED:
            return {**where, "by": v.by, "tests": v.tests}
        return {**where, "verdict": v.verdict, "tests": v.tests, "reason": written.get(v.key, "")}

    rows = [v for v in sample if v.verdict in COUNTED]
    return {
        "changes": _shares(sample, written),
        "survivors": [row(v) for v in rows if v.verdict != NOTICED],
        "noticed": [row(v) for v in rows if v.verdict == NOTICED],
        "no changes": [row(v) for v in sample if v.verdict not in COUNTED],
        "others": [row(v) for v in others if v.verdict == NOTICED or written.get(v.key)],
    }
