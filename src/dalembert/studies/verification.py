"""The page of verification: every row of every study, written from results that are stored.

``python -m dalembert.studies.verification`` writes ``docs/verification.md`` from ``docs/results``. With names of
studies (or ``all``) it runs them in full first and stores their results. A stored result counts as long as its expected
value is still that of the data file; a row without one is shown as not run, so that the page never claims more than was
obtained. A test compares the page with this output.
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

__all__ = ["store_results", "stored_rows", "verification_page"]

_HEAD = """# Verification

Every row of every [study](studies.md), with what `dalembert reproduce` obtained in its full form. The page is written
by `python -m dalembert.studies.verification` from the results in `docs/results`; with the name of a study it runs that
one first. A row whose expected value has changed since is shown as not run, and so is one whose search is limited in
time and was made on a busy computer.

`printed`: the document prints it. `identity`: it must hold by mathematics or physics. `requirement`: a bound or a
property that is required. `measured`: shown next to the document's, not asserted. Results that are known not to be
reproduced are listed with the reason; the [errata](errata.md) have the details.
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
        raise FileFormatError(f"{path}: is no file of results ({error}); write it anew: {command}") from error


def verification_page(folder: Path) -> str:
    """Return the page as Markdown: totals by study and kind, then every row.

    Parameters
    ----------
    folder
        Where results are kept.
    """
    totals = [f"| study | run on | {' | '.join(KINDS)} | not run |", "| --- " * (len(KINDS) + 3) + "|"]
    parts = []
    for name in studies():
        expected = expected_values(name)
        date, stored = stored_rows(name, folder)
        pairs = [(entry, _current(entry, stored)) for entry in expected.entries.values()]
        absent = sum(row is None for _, row in pairs)
        cells = " | ".join(_total(kind, pairs) for kind in KINDS)
        totals.append(f"| [`{name}`](#{name}) | {date} | {cells} | {absent or ''} |")
        parts.append(_section(name, expected, pairs))
    return "\n".join([_HEAD, *totals, "", *parts])


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
        f"## {name}\n\n{expected.document}\n",
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
        lines += ["\nKnown differences:\n", *known]
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
    """Run the studies that are named, if any, and write the page."""
    folder = Path("docs/results")
    for name in studies() if arguments == ["all"] else arguments:
        print(store_results(name, folder))
    Path("docs/verification.md").write_text(verification_page(folder), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
