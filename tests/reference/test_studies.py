"""All studies: the short form of each always, the full form where slow tests run; and the page that lists them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dalembert.core.errors import FileFormatError
from dalembert.studies import KINDS, Row, expected_values, run_study, studies
from dalembert.studies.page import studies_table, with_table
from dalembert.studies.verification import stored_rows, verification_pages, write_rows
from support.shipped_engine import bare_environment, shipped_engine

ROOT = Path(__file__).resolve().parents[2]
FIELDS = {"study", "quantity", "source", "published", "obtained", "tolerance", "unit", "ok", "kind"}


def check(name: str, rows: list[Row]) -> None:
    missed = [f"{r.quantity}: expected {r.published}, obtained {r.obtained}" for r in rows if r.missed]
    assert not missed, "\n".join(missed)
    assert {frozenset(row.as_dict()) - {"known_difference"} for row in rows} == {frozenset(FIELDS)}
    assert len({row.quantity for row in rows}) == len(rows)
    # A mark on a row that agrees would hide nothing, but be wrong.
    assert not [row.quantity for row in rows if row.ok and row.known_difference]


# The slow tests run these in full, or without a compiler; most tables have tests of their own in this folder.
ELSEWHERE = ("benchmark-problems", "cable-robots", "crane", "falling-links", "robust-control")
SLOW = ("operation-counts", "optimal-control", "ropes", "space-robot")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            n,
            marks=[pytest.mark.slow] * (n in (*ELSEWHERE, *SLOW)) + [pytest.mark.long] * (n in ELSEWHERE),
        )
        for n in studies()
    ],
)
def test_short_form(name: str) -> None:
    rows = list(run_study(name, full=False))
    check(name, rows)
    assert len(rows) >= 10


WITHOUT_COMPILER = """
import json, sys
from pathlib import Path
sys.modules["ziglang"] = None
from dalembert.compile import find_toolchain
from dalembert.engine import shipped
from dalembert.studies import run_study
shipped.FOLDER = Path(sys.argv[1])
assert find_toolchain() is None
rows = [(row.quantity, bool(row.missed), str(row.obtained)) for row in run_study(sys.argv[2], full=False)]
print(json.dumps(rows))
"""


WITHOUT_KERNELS = ("robust-control",)  # hardly compiles anything: its linear models are the same without a compiler


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.long) if n in WITHOUT_KERNELS else n for n in studies()]
)
def test_short_form_without_a_compiler(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", WITHOUT_COMPILER, str(shipped_engine()), name]
    done = subprocess.run(command, env=bare_environment(tmp_path), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout.splitlines()[-1])
    assert len(rows) >= 10
    assert not [row for row in rows if row[1]]


@pytest.mark.parametrize("name", studies())
def test_quantities_are_told_apart(name: str) -> None:
    """Results are stored and shown by quantity: two of one name would be mistaken for each other."""
    quantities = [entry.quantity for entry in expected_values(name).entries.values()]
    assert sorted(set(quantities)) == sorted(quantities)


LONG = ("robust-control", "space-robot")  # proofs and random missions that take many minutes


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.long) if n in LONG else n for n in studies()])
def test_full_form(name: str) -> None:
    rows = list(run_study(name))
    check(name, rows)
    assert len(rows) == len(expected_values(name).entries)


def test_the_page_lists_all_studies() -> None:
    """Written by ``python -m dalembert.studies.page``."""
    page = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")
    assert with_table(page) == page
    table = studies_table()
    assert all(f"| `{name}` |" in table for name in studies())


def _text(folder: Path) -> str:
    return "".join(verification_pages(folder).values())


def test_the_verification_page_is_that_of_the_stored_results() -> None:
    docs = ROOT / "docs"
    written = {path: (docs / path).read_text(encoding="utf-8") for path in verification_pages(docs / "results")}
    assert verification_pages(docs / "results") == written, "run: python -m dalembert.studies.verification"
    assert {f"verification/{path.name}" for path in (docs / "verification").glob("*.md")} == set(written) - {
        "verification.md"
    }
    assert "MISSED" not in "".join(written.values())


def test_the_overview_of_verification_is_short() -> None:
    """Two screens: every row is on the page of its study."""
    overview = verification_pages(ROOT / "docs" / "results")["verification.md"]
    assert len(overview.splitlines()) < 70 and len(overview.split()) < 600


def test_verdicts_that_are_stored_are_those_of_the_numbers() -> None:
    files = sorted((ROOT / "docs" / "results").glob("*.json"))
    assert files
    for path in files:
        date, rows = stored_rows(path.stem, path.parent)
        assert date and {row.study for row in rows.values()} == {path.stem}
        for row in rows.values():
            if row.tolerance and isinstance(row.obtained, float) and isinstance(row.published, float):
                assert row.ok == (abs(row.obtained - row.published) <= row.tolerance), row.quantity


def test_changed_expectations_do_not_keep_their_results(tmp_path: Path) -> None:
    """A number that was obtained for another expected value, or for none that is left, is not shown."""
    entries = list(expected_values("textbook").entries.values())
    number = next(e for e in entries if isinstance(e.published, float) and e.kind == "identity")
    verdict = {"tolerance": number.tolerance, "unit": number.unit, "ok": True, "kind": number.kind}
    row = {"study": "textbook", "quantity": number.quantity, "source": number.source, **verdict}
    write_rows("textbook", [{**row, "published": number.published, "obtained": 123456.0}], tmp_path)
    assert f"| {len(entries) - 1} |" in _text(tmp_path) and "123456" in _text(tmp_path)
    write_rows("textbook", [{**row, "published": number.published + 1.0, "obtained": 123456.0}], tmp_path)
    assert f"| {len(entries)} |" in _text(tmp_path) and "123456" not in _text(tmp_path)
    (tmp_path / "textbook.json").write_text("{}")
    with pytest.raises(FileFormatError, match="verification textbook"):
        _text(tmp_path)


def test_most_rows_of_the_crane_study_are_not_published_numbers() -> None:
    """What CRANE prints as such: (138)-(142), (194), (195). Its statements and our requirements are counted apart."""
    kinds = [entry.kind for entry in expected_values("crane").entries.values()]
    assert set(kinds) <= set(KINDS) and kinds.count("printed") == 5
