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


def result(verdicts: Sequence[Verdict], written: Mapping[str, str]) -> dict[str, Any]:
    """What goes to ``docs/results``: all verdicts so far, and the survivors one by one."""
    survivors = [
        {
            "key": v.key, "where": f"{v.path}:{v.line}", "change": f"{v.old} -> {v.new}", "source": v.source,
            "verdict": v.verdict, "tests": v.tests, "reason": written.get(v.key, ""),
        }
        for v in verdicts if v.verdict in COUNTED and v.verdict != NOTICED
    ]  # fmt: skip
    return {"changes": _shares(verdicts), "survivors": survivors}
