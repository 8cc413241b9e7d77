"""The pages of verification: an overview, and a page for every study with all its rows, from stored results.

``python -m dalembert.studies.verification`` writes ``docs/verification.md`` and ``docs/verification/NAME.md`` from
``docs/results``. With names of studies (or ``all``) it first runs these studies in full and stores their results. A
stored result is valid as long as its expected value equals that of the data file. A row without a valid result is
shown as not run. A test compares the pages with what this module writes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dalembert.core.errors import FileFormatError
from dalembert.studies.expected import Entry, Expected, formula_text
from dalembert.studies.registry import expected_values, run_study, studies
from dalembert.studies.rows import KINDS, Row

__all__ = ["store_results", "stored_rows", "verification_pages", "write_pages"]

_HEAD = """# Verification

This page counts the results of every [study](studies.md) in its full form (`dalembert reproduce`). Each study has a
page with all its rows: the expected value, its source, the value obtained and the tolerance.

| kind | meaning |
| --- | --- |
| `printed` | the document prints the value |
| `identity` | the value follows from mathematics or physics |
| `regression` | an earlier value of this library; it proves only that nothing has changed |
| `requirement` | the document demands a bound or a property |
| `measured` | the value is shown next to that of the document; no test compares them |

The table counts rows that agree within their tolerance. The page of a study lists every known difference with its
reason; the [errata](errata.md) give the details.
"""

_FOOT = """
`python -m dalembert.studies.verification` writes these pages from the results in `docs/results`; with the name of a
study it runs this study first. A row is shown as not run if its expected value has changed since, or if its search is
limited in time and ran on a busy computer.

```{{toctree}}
:maxdepth: 1
:hidden:

{pages}
```
"""

_WIDTH = 60
"""Characters of a formula that are shown."""


def store_results(name: str, folder: Path) -> Path:
    """Run a study in full and write its results to ``folder/NAME.json``.

    Parameters
    ----------
    name
        Name of the study.
    folder
        Where results are kept.
    """
    return write_rows(name, [row.as_dict() for row in run_study(name)], folder)


def write_rows(name: str, rows: list[dict[str, Any]], folder: Path) -> Path:
    """Write rows of a study to ``folder/NAME.json``, with the date."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    data = {"study": name, "date": f"{datetime.now(UTC):%Y-%m-%d}", "rows": rows}
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return path


def stored_rows(name: str, folder: Path) -> tuple[str, dict[str, Row]]:
    """Return date and rows of a study that are stored, by quantity.

    Parameters
    ----------
    name
        Name of the study.
    folder
        Where results are kept.
    """
    path = folder / f"{name}.json"
    if not path.is_file():
        return "", {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        rows = {row["quantity"]: Row(**row) for row in data["rows"]}
        return str(data["date"]), rows
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        command = f"python -m dalembert.studies.verification {name}"
        raise FileFormatError(f"{path}: is not a file of results ({error}); write it again: {command}") from error


def verification_pages(folder: Path) -> dict[str, str]:
    """Return the pages as Markdown by path: the overview, and one for every study.

    Parameters
    ----------
    folder
        Where results are kept.
    """
    columns = ("study", "run on", *KINDS, "known differences", "not run")
    totals = [f"| {' | '.join(columns)} |", "| --- " * len(columns) + "|"]
    pages = {}
    for name in studies():
        expected = expected_values(name)
        date, stored = stored_rows(name, folder)
        pairs = [(entry, _current(entry, stored)) for entry in expected.entries.values()]
        absent = sum(row is None for _, row in pairs)
        known = sum(bool(entry.known_difference) for entry, _ in pairs)
        cells = " | ".join(_total(kind, pairs) for kind in KINDS)
        totals.append(f"| [`{name}`](verification/{name}.md) | {date} | {cells} | {known or ''} | {absent or ''} |")
        pages[f"verification/{name}.md"] = _section(name, expected, pairs)
    foot = _FOOT.format(pages="\n".join(f"verification/{name}" for name in studies()))
    return {"verification.md": "\n".join([_HEAD, *totals, foot]), **pages}


def write_pages(docs: Path) -> None:
    """Write the pages of a folder of documentation from the results in it, and remove those of other studies."""
    pages = verification_pages(docs / "results")
    (docs / "verification").mkdir(exist_ok=True)
    for old in (docs / "verification").glob("*.md"):
        if f"verification/{old.name}" not in pages:
            old.unlink()
    for path, text in pages.items():
        (docs / path).write_text(text, encoding="utf-8")


def _current(entry: Entry, stored: dict[str, Row]) -> Row | None:
    """The stored row of an entry of the data file, if it is about the same expected value."""
    row = stored.get(entry.quantity)
    if row is None:
        return None
    formula = isinstance(row.published, str) and entry.kind != "measured"
    published = formula_text(entry.published) if formula else entry.published
    same = (entry.kind, entry.unit, published) == (row.kind, row.unit, row.published)
    return row if same and (row.tolerance or 0.0) == entry.tolerance else None


def _total(kind: str, pairs: Iterable[tuple[Entry, Row | None]]) -> str:
    mine = [row for entry, row in pairs if entry.kind == kind and row is not None]
    if kind == "measured":
        return str(len(mine)) if mine else ""
    return f"{sum(row.ok for row in mine)} of {len(mine)}" if mine else ""


def _section(name: str, expected: Expected, pairs: list[tuple[Entry, Row | None]]) -> str:
    lines = [
        f"# Verification: {name}\n\n{expected.document}\n\n[All studies](../verification.md)\n",
        "| quantity | source | kind | expected | obtained | tolerance | |",
        "| --- " * 7 + "|",
    ]
    for entry, row in pairs:
        obtained = "" if row is None else _value(row.obtained, entry.unit)
        if row is None:
            mark = "not run"
        elif entry.kind == "measured":
            mark = ""
        else:
            mark = "ok" if row.ok else "known difference" if entry.known_difference else "MISSED"
        if row is not None and row.stored:
            mark = f"{mark} ({row.stored})".strip()
        tolerance = "" if not entry.tolerance else f"{entry.tolerance:.1e}"
        cells = (
            _plain(entry.quantity),
            _plain(entry.source),
            entry.kind,
            _value(_readable(entry.published), entry.unit),
        )
        lines.append(f"| {' | '.join(cells)} | {obtained} | {tolerance} | {mark} |")
    known = [f"- {_plain(e.quantity)}: {_plain(e.known_difference)}" for e, _ in pairs if e.known_difference]
    if known:
        lines += ["\n## Known differences\n", *known]
    return "\n".join(lines) + "\n"


def _readable(published: float | str | list[Any]) -> float | str:
    return formula_text(published) if isinstance(published, str | list) else published


def _value(x: float | str, unit: str) -> str:
    if isinstance(x, str):
        short = x if len(x) <= _WIDTH else f"{x[:_WIDTH]}..."
        return f"`{short.replace('|', '&#124;')}`"
    return f"{x:.6g}" if str(unit) == "1" else f"{x:.6g} {unit}"


def _plain(text: str) -> str:
    """Text for a cell of a table."""
    for mark in "\\*_<>|[]`$":
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())


def main(arguments: list[str]) -> None:
    """Run the studies that are named, if any, and write the pages."""
    for name in studies() if arguments == ["all"] else arguments:
        print(store_results(name, Path("docs/results")))
    write_pages(Path("docs"))


if __name__ == "__main__":
    main(sys.argv[1:])
