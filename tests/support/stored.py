"""Results of random cases by their number, stored in a file from time to time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["run_missing"]

_EVERY = 20
"""Cases after which the file is written."""


def run_missing(judged: Callable[[int], dict[str, Any]], path: str, number: int) -> None:
    """Judge the cases below ``number`` that have no result in the file yet."""
    target = Path(path)
    done = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    for k in range(number):
        if str(k) in done:
            continue
        done[str(k)] = judged(k)
        if k % _EVERY == _EVERY - 1 or k == number - 1:
            target.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")
