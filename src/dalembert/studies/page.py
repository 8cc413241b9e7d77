"""The table of all studies on their documentation page, written from the data files.

``python -m dalembert.studies.page`` writes it into ``docs/studies.md``, and the page of verification with it. A test
compares the page with this output, so that the list cannot rot.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from dalembert.core.errors import FileFormatError
from dalembert.studies.registry import expected_values, studies
from dalembert.studies.rows import KINDS
from dalembert.studies.verification import write_pages

__all__ = ["studies_table", "with_table"]

BEGIN, END = "<!-- studies: begin -->", "<!-- studies: end -->"


def studies_table() -> str:
    """Return all studies as a Markdown table: document, reproduced results, rows of each kind, known differences."""
    lines = [f"| study | document | what | {' | '.join(KINDS)} | short form |", "| --- " * (len(KINDS) + 4) + "|"]
    for name, what in studies().items():
        expected = expected_values(name)
        count = Counter(entry.kind for entry in expected.entries.values())
        known = Counter(entry.kind for entry in expected.entries.values() if entry.known_difference)
        cells = [f"{count[kind]} ({known[kind]} not)" if known[kind] else str(count[kind]) for kind in KINDS]
        short = sum(entry.form == "short" for entry in expected.entries.values())
        about = what.split(": ", 1)[-1].rstrip(".")
        lines.append(f"| `{name}` | {expected.document} | {about} | {' | '.join(cells)} | {short} rows |")
    return "\n".join(lines) + "\n"


def with_table(page: str) -> str:
    """Return the text of a page with the table between its two marks replaced.

    Parameters
    ----------
    page
        Text of the page.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise FileFormatError(f"expected the marks {BEGIN} and {END} in the page")
    return f"{before}{BEGIN}\n\n{studies_table()}\n{END}{after}"


if __name__ == "__main__":
    docs = Path(sys.argv[1] if len(sys.argv) > 1 else "docs")
    listed = docs / "studies.md"
    listed.write_text(with_table(listed.read_text(encoding="utf-8")), encoding="utf-8")
    write_pages(docs)
