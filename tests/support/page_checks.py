"""Checks of pages: their length, and units of frequencies.

``python -m tests.support.page_checks docs/cranes.md`` prints those of a page.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["LONGEST", "frequencies_without_unit", "page_files", "words"]

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 2500
"""Words of a page that one can read at a sitting."""

_FENCE = re.compile(r"^```(?P<language>[\w{}-]*)[^\n]*\n(?P<text>.*?)^```[ ]*$", re.M | re.S)
_NUMBER = r"(?<![\w.#-])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.]*[-_]\w)\b"
_UNIT = r"\s*(?:\\?,|\$|`)*\s*(?:rad/s|Hz|kHz|rpm|1/s)"
# A number right after these words is the value of a frequency.
_VALUE = re.compile(
    rf"\b(?:frequency|frequencies|omega|bandwidth|cut-?off|corner)\b(?:\s+(?:of|is|are|at|was|were|be|=|:|to|about|near))+\s+"
    rf"(?P<value>{_NUMBER})(?P<after>.{{0,24}})",
    re.S | re.I,
)
_OTHER = re.compile(r"\s*(?:%|per cent|times|modes?|functions?|links?|masses|dB|digits|of the|the first)")
_PRINTED = re.compile(r"\b(?:omega|\w*_omega|natural_frequencies|frequency)\b")


def page_files() -> list[Path]:
    """All pages that people write, and the README."""
    docs = ROOT / "docs"
    folders = (docs, docs / "tutorials")
    return [ROOT / "README.md", *(page for folder in folders for page in sorted(folder.glob("*.md")))]


def words(text: str) -> int:
    """Words of a page, its code and tables included."""
    return len(text.split())


def frequencies_without_unit(text: str) -> list[str]:
    """Values of frequencies in sentences, and printed ones in code, that have no unit beside them."""
    found = []
    prose = _FENCE.sub(lambda m: "\n" * m[0].count("\n"), text)
    for match in _VALUE.finditer(prose):
        after = match["after"]
        list_of_values = re.match(rf"(?:\s*(?:,|and|to|or)\s*{_NUMBER})*{_UNIT}", after)
        if not list_of_values and not _OTHER.match(after):
            line = prose.count("\n", 0, match.start()) + 1
            found.append(f"line {line}: {' '.join(match[0].split())}")
    for block in _FENCE.finditer(text):
        if block["language"] == "python":
            first = text.count("\n", 0, block.start("text")) + 1
            found += [f"line {first + n}: {source}" for n, source in _prints(block["text"])]
    return found


def _prints(code: str) -> Iterator[tuple[int, str]]:
    """Calls of print that show a frequency and name no unit, also not in a comment."""
    lines = code.splitlines()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            source = " ".join(line.strip() for line in lines[node.lineno - 1 : node.end_lineno])
            shown = " ".join(ast.unparse(x) for x in ast.walk(node) if isinstance(x, ast.Name | ast.Attribute))
            if _PRINTED.search(shown) and not re.search(r"rad/s|Hz|%|ratio|relative", source):
                yield node.lineno - 1, source


if __name__ == "__main__":
    for argument in sys.argv[1:] or [str(path) for path in page_files()]:
        page = Path(argument).read_text(encoding="utf-8")
        for complaint in frequencies_without_unit(page):
            print(f"{argument}: {complaint}")
        if words(page) > LONGEST:
            print(f"{argument}: {words(page)} words")
