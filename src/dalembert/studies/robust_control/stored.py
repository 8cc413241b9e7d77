"""Results of the long parts of the study, stored with their date and a digest of the code that made them.

    python -m dalembert.studies.robust_control.stored [PART...]

computes parts whose stored results are of other code, one by one, and writes each as soon as it ends: an interrupted
run resumes where it stopped. With names of parts it computes these, whatever is stored.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import process_time

__all__ = ["Part", "code_digest", "read_parts", "recompute"]

_FILE = Path(__file__).with_name("stored.json")
Values = Callable[[], Iterable[tuple[str, float]]]


@dataclass(frozen=True)
class Part:
    """Stored results of a part.

    Parameters
    ----------
    date
        Day on which it was computed.
    digest
        Digest of the code that computed it; empty: unknown.
    seconds
        Processor time; None: unknown.
    values
        Results by key.
    """

    date: str
    digest: str
    seconds: float | None
    values: dict[str, float]

    def takes_at_most(self, seconds: float) -> bool:
        """Whether it is known to take no longer."""
        return self.seconds is not None and self.seconds <= seconds


def code_digest() -> str:
    """Digest of the code that decides on the results: this study and the room of control."""
    here = Path(__file__).parent
    files = [*here.glob("*.py"), *(here.parents[1] / "control").rglob("*.py")]
    total = hashlib.sha256()
    for file in sorted(files):
        total.update(file.read_bytes())
    return total.hexdigest()[:16]


def read_parts(path: Path = _FILE) -> dict[str, Part]:
    """Stored parts by name."""
    data = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {name: Part(**part) for name, part in data.items()}


def recompute(
    parts: Mapping[str, Values],
    path: Path = _FILE,
    *,
    again: Iterable[str] = (),
    tell: Callable[[str], object] = print,
) -> None:
    """Compute parts whose stored results are of other code, and those named in ``again``; write each when it ends."""
    stored, digest = read_parts(path), code_digest()
    again = list(again)
    for name in again or parts:
        if not again and name in stored and stored[name].digest == digest:
            continue
        began = process_time()
        values = dict(parts[name]())
        today = datetime.now(UTC).date().isoformat()
        stored[name] = Part(today, digest, round(process_time() - began, 1), values)
        text = json.dumps({n: asdict(p) for n, p in sorted(stored.items())}, indent=1)
        path.write_text(text + "\n", encoding="utf-8")
        tell(f"{name}: {stored[name].seconds:g} s, {values}")


if __name__ == "__main__":
    from dalembert.studies.robust_control.study import LONG

    recompute(LONG, again=sys.argv[1:])
