"""Prose of the project, sentence by sentence: pages, docstrings, comments, messages.

Code, mathematics and doctests are blanked; offsets stay, so that a sentence knows its line.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.banned_phrases import PHRASES

ROOT = Path(__file__).resolve().parents[2]
_EXEMPT = {ROOT / "docs" / "style.md", ROOT / "docs" / "changelog.md"}  # quotes, and old entries
_LEAST_WORDS = 4  # A string literal of fewer words is a name or a format, not a sentence.

_FENCE = re.compile(r"^([ ]*)(```|~~~).*?^\1\2[ ]*$", re.M | re.S)
_HIDDEN = re.compile(r"<!--.*?-->|\$\$.*?\$\$|(?<=\]\()[^)\n]*", re.S)
_HEADING = re.compile(r"^#+ .*$", re.M)  # "What is not supported" is a good heading and a bad sentence.
_TERM = re.compile(r"^([ ]*)[\w*]+(?:, [\w*]+)*(?: : [^\n]*)?\n(?=\1[ ]{4}\S)", re.M)
_SPAN = re.compile(r"(``[^`]+``|`[^`]+`|\$[^$\n]+\$)", re.S)
_DOCTEST = re.compile(r"^[ ]*>>>.*?(?=^[ ]*$|\Z)", re.M | re.S)
_DIRECTIVE = re.compile(r"^[ ]*[-=]{3,}[ ]*$", re.M)
_C_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*', re.S)
_END = re.compile(r"(?<=[.!?])[)\"'*]*\s+(?=[\"'(*`]*[A-Z`])|\n[ ]*\n|[ ]\|[ ]|\n(?=[ ]*(?:[-*|#]|\d+\.)[ ])")


def _alternatives(pattern: str) -> list[str]:
    """Alternatives of a pattern, split at the bars outside all brackets."""
    bars, depth = [-1], 0
    for bracket in re.finditer(r"\\.|\[(?:\\.|[^\\\]])*\]|[()|]", pattern):
        depth += {"(": 1, ")": -1}.get(bracket[0], 0)
        if bracket[0] == "|" and not depth:
            bars.append(bracket.start())
    return [pattern[a + 1 : b] for a, b in zip(bars, [*bars[1:], len(pattern)], strict=True)]


def _any_of(patterns: list[str]) -> re.Pattern[str]:
    """Search for all patterns at once; most begin a word, and are tried at the beginning of words only."""
    split = [part for pattern in patterns for part in _alternatives(pattern)]
    words = [part.removeprefix(r"\b") for part in split if part.startswith(r"\b")]
    others = [part for part in split if not part.startswith(r"\b")]
    return re.compile("|".join([rf"\b(?:{'|'.join(words)})", *others]))


ANY_PHRASE = _any_of([phrase.pattern for phrase in PHRASES])  # one search for the many sentences without any


@dataclass(frozen=True)
class Sentence:
    """A sentence, on one line, and where it begins."""

    path: Path
    line: int
    text: str


def sentences(path: Path) -> Iterator[Sentence]:
    """Every sentence of a page or of a source file."""
    text = path.read_text(encoding="utf-8")
    read = {".md": _of_page, ".py": _of_python}.get(path.suffix, _of_c)
    for line, passage in read(text):
        start = 0
        for end in [*_END.finditer(passage), None]:
            part = passage[start : end.start() if end else len(passage)]
            lead = len(part) - len(part.lstrip(" \n|#*->"))
            words = " ".join(part[lead:].split())
            if words:
                yield Sentence(path, line + passage.count("\n", 0, start + lead), words)
            start = end.end() if end else start


def prose_files() -> list[Path]:
    """Every page and source file that the check reads, references written by others left out."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    source = [
        path
        for folder in ("src", "examples")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in {".py", ".c", ".h", ".cu"} and "headers" not in path.parts
    ]
    return [path for path in [*pages, *source] if path not in _EXEMPT and "_generated" not in path.parts]


def faults(path: Path) -> list[str]:
    """Banned phrases of a file, one per line: where, which phrase, what to write instead."""
    try:
        name = path.relative_to(ROOT).as_posix()
    except ValueError:
        name = str(path)
    return [
        f"{name}:{sentence.line}: {phrase.name} ({phrase.why}): {sentence.text[:200]}"
        for sentence in sentences(path)
        if ANY_PHRASE.search(sentence.text)
        for phrase in PHRASES
        if phrase.found_in(sentence.text)
    ]


def phrase_table() -> str:
    """All banned phrases as a table in Markdown."""
    rows = [f"| {phrase.name} | {phrase.bad} | {phrase.good} |" for phrase in PHRASES]
    return "\n".join(["| phrase | instead of | write |", "| --- | --- | --- |", *rows])


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _of_page(text: str) -> Iterator[tuple[int, str]]:
    text = _HIDDEN.sub(_blank, _HEADING.sub(_blank, _FENCE.sub(_blank, text)))
    yield 1, _SPAN.sub(_quote, text)


def _quote(match: re.Match[str]) -> str:
    """A span of code, its content hidden."""
    return "`" + re.sub(r"[^\n]", "x", match[0][1:-1]) + "`"


def _of_python(text: str) -> Iterator[tuple[int, str]]:
    nodes = list(ast.walk(ast.parse(text)))
    read: set[int] = set()  # literals that are docstrings, or parts of others
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            value = first.value if isinstance(first, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                read.add(id(value))
                body = _TERM.sub(_blank, _DIRECTIVE.sub(_blank, _DOCTEST.sub(_blank, value.value)))
                yield value.lineno, _SPAN.sub(_quote, body)
        elif isinstance(node, ast.JoinedStr):
            read |= {id(part) for part in node.values}
            yield from _of_literal(node.lineno, "".join(_literal_part(part) for part in node.values))
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in read:
            yield from _of_literal(node.lineno, node.value)
    if "#" in text:
        yield from _of_comments(text)


def _literal_part(part: ast.expr) -> str:
    return part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "`x`"


def _of_literal(line: int, text: str) -> Iterator[tuple[int, str]]:
    if len(text.split()) >= _LEAST_WORDS and not re.search(r"[;{}]\s*\n|#include|/\*|//", text):
        yield line, _SPAN.sub(_quote, text)


def _of_comments(text: str) -> Iterator[tuple[int, str]]:
    block: list[tuple[int, int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        (row, column), words = token.start, token.string.lstrip("#: ")
        alone = token.line.lstrip().startswith("#")  # a comment after code never continues the one above
        if block and (block[-1][0] != row - 1 or block[-1][1] != column or not alone):
            yield block[0][0], "\n".join(line for _, _, line in block)
            block = []
        if not token.string.startswith(("#!", "# type:", "# noqa", "# pragma", "# mypy")):
            block.append((row, column, _SPAN.sub(_quote, words)))
    if block:
        yield block[0][0], "\n".join(line for _, _, line in block)


def _of_c(text: str) -> Iterator[tuple[int, str]]:
    for match in _C_COMMENT.finditer(text):
        if match[0].startswith("/"):
            words = re.sub(r"^[ \t]*(?://|/\*|\*/?)[ ]?|\*/$", " ", match[0], flags=re.M)
            yield text.count("\n", 0, match.start()) + 1, _SPAN.sub(_quote, words)


def main() -> int:
    """Print the banned phrases of files and folders, or the table of `docs/style.md`."""
    if sys.argv[1:] == ["--table"]:
        print(phrase_table())
        return 0
    named = [Path(name).resolve() for name in sys.argv[1:]] or [ROOT]
    paths = [
        path
        for one in named
        for path in ([found for found in prose_files() if one in found.parents] if one.is_dir() else [one])
        if path not in _EXEMPT
    ]
    hits = [hit for path in paths for hit in faults(path)]
    print(*hits, sep="\n", end="\n" if hits else "")
    return 1 if hits else 0


if __name__ == "__main__":
    sys.exit(main())
