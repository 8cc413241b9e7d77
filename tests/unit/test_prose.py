"""Plain English: pages, docstrings, messages and comments avoid the phrases of `docs/style.md`.

``python -m tests.support.prose FILE...`` prints the hits of files, ``--table`` the table of the page.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.support.banned_phrases import PHRASES, Phrase
from tests.support.prose import ANY_PHRASE, ROOT, faults, phrase_table, prose_files, sentences


def test_phrases_are_many_and_named_once() -> None:
    assert len(PHRASES) >= 40
    assert len({phrase.name for phrase in PHRASES}) == len(PHRASES)


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.name)
def test_example_fails_and_replacement_passes(phrase: Phrase) -> None:
    assert phrase.found_in(phrase.bad) and ANY_PHRASE.search(phrase.bad)
    assert [other.name for other in PHRASES if other.found_in(phrase.good)] == []


def test_files_are_free_of_banned_phrases() -> None:
    hits = [hit for path in prose_files() for hit in faults(path)]
    assert not hits, "\n".join([f"{len(hits)} banned phrases, see docs/style.md:", *hits])


def test_page_shows_the_table() -> None:
    page = (ROOT / "docs" / "style.md").read_text(encoding="utf-8")
    assert phrase_table() in page, "update the table: python -m tests.support.prose --table"
    before = page.split("## Banned phrases")[0]
    assert len(re.findall(r"^\| (?!before|---)", before, re.M)) >= 20


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "# What is here\n\nA list:\n\n- Good.\n- What has no\n  name is `x`.\n"),
        ("a.py", '"""Good.\n\nParameters\n----------\nx\n    What has no\n    name is `x`.\n"""\n'),
        ("a.py", "# Good. What has no\n# name is x.\n"),
        ("a.py", 'raise ValueError(f"{1}: good. What has no name is {2}")\n'),
        ("a.c", "/* Good.\n * What has no name is x. */\n"),
        ("a.c", 'x("//"); // Good. What has no\n// name is x.\n'),
    ],
)
def test_every_kind_of_prose_is_read(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert [hit.split(":")[2].split()[0] for hit in faults(path)] == ["what-subject"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "```\nWhat is told is said.\n```\n\n`what is told`, $is told$ <!-- is told -->\n"),
        ("a.py", '"""Good.\n\n>>> print("x is told")\nx is told\n"""\n'),
        ("a.c", 'char *text = "/* is told */";\n'),
    ],
)
def test_code_is_not_prose(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert faults(path) == []


def test_sentences_know_their_line(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("One fact.\nAnother\nfact. A third.\n\n| a | b |\n| --- | --- |\n| c | d |\n", encoding="utf-8")
    found = {sentence.text: sentence.line for sentence in sentences(path)}
    assert found["One fact."] == 1
    assert found["Another fact."] == 2
    assert found["A third."] == 3
    assert found["c"] == 7
