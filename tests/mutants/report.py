"""The result as a table, and as the file of ``docs/results``, in which people write why a change survives."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.mutants.trials import COUNTED, NOTICED, Verdict

__all__ = ["reasons", "result", "stored", "table"]

EQUIVALENT = "Equivalent:"
"""How reasons begin of changes that no test can notice."""


def reasons(file: Path) -> dict[str, str]:
    """Why changes survive, by their keys, as it was written down."""
    if not file.exists():
        return {}
    data = json.loads(file.read_text())
    return {row["key"]: row["reason"] for row in (*data["survivors"], *data["others"]) if "reason" in row}


def _shares(verdicts: Sequence[Verdict], written: Mapping[str, str]) -> dict[str, dict[str, int]]:
    shares = {}
    for language in ("c", "python"):
        own = [v for v in verdicts if v.language == language]
        count = Counter(v.verdict for v in own)
        same = sum(v.verdict != NOTICED and written.get(v.key, "").startswith(EQUIVALENT) for v in own)
        tried = sum(count[name] for name in COUNTED)
        shares[language] = {"tried": tried, **dict(sorted(count.items())), "equivalent": same}
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
        noticed, tried = count.get(NOTICED, 0), count["tried"]
        if tried:
            part, real = 100.0 * noticed / tried, 100.0 * noticed / max(1, tried - count["equivalent"])
            rows.append(
                f"{language}: {noticed} of {tried} noticed, {part:.0f} %; {real:.0f} % of those that are not equivalent"
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
