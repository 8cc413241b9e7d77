"""Results of random cases by their number, stored in a file from time to time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["run_missing", "write_results"]

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
            write_results(target, done)


def write_results(target: Path, results: dict[str, dict[str, Any]]) -> None:
    """Write results of cases, a line each, with numbers of five digits."""
    rounded = {key: {name: _rounded(x) for name, x in result.items()} for key, result in results.items()}
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(result)}" for key, result in rounded.items())
    target.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def _rounded(x: Any) -> Any:
    return float(f"{x:.5g}") if isinstance(x, float) else x
