"""Pages are short enough to be read, and frequencies on them have a unit.

Keys of machine files without description are found by ``test_schema_keys.py``, deep imports by ``test_public_face.py``,
banned phrases by ``test_prose.py``.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.page_checks import LONGEST, frequencies_without_unit, page_files, words

# Lists to look things up in.
REFERENCES = {"errata", "changelog", "contributing"}
PAGES = page_files()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_is_short(page: Path) -> None:
    if page.stem not in REFERENCES:
        count = words(page.read_text(encoding="utf-8"))
        assert count <= LONGEST, f"{page.name} has {count} words: split it"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_frequencies_have_a_unit(page: Path) -> None:
    assert not frequencies_without_unit(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "text",
    [
        "The first frequency is 3.2.",
        "The boom has frequencies of 3.2 and 4.1 in this pose.",
        "a bandwidth of 10 and more",
        "```python\nprint(modes.omega[:3].round(2))\n```\n",
        "```python\nfor k in (1, 2):\n    print(k, natural_frequencies(crane))\n```\n",
    ],
)
def test_frequency_without_unit_is_found(text: str) -> None:
    assert frequencies_without_unit(text)


@pytest.mark.parametrize(
    "text",
    [
        "The first frequency is 3.2 rad/s.",
        "frequencies of 3.2 and 4.1 Hz; the first frequency to 0.09 %",
        "The frequencies of 10 links differ.",
        "a frequency of $3.2$ rad/s",
        "```python\nprint(modes.omega[:3].round(2), 'rad/s')\nprint(natural_frequencies(crane))  # Hz\n```\n",
        "```python\nomega = modes.omega\n```\n",
    ],
)
def test_frequency_with_unit_is_allowed(text: str) -> None:
    assert not frequencies_without_unit(text)
