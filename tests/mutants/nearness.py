"""Which files of tests are nearest to a changed file: by names that they use, words, and changes that they noticed."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = ["near_files", "nearest_first"]

MOST_NEAR = 8
"""Files of tests that are near to one changed file."""
_FUNCTION = re.compile(r"^[A-Za-z_][^;=(\n]*?(\w+)\(", re.MULTILINE)


def _names(path: str, text: str) -> set[str]:
    """What a file defines."""
    if path.endswith(".py"):
        kinds = (ast.FunctionDef, ast.ClassDef)
        return {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)}
    return set(_FUNCTION.findall(text))


def _words(path: str) -> set[str]:
    """Words of the name of a file, without the end of plurals; of C also that of its folder."""
    folder, _, name = path.rpartition("/")
    name += "" if path.endswith(".py") else f"_{folder.rpartition('/')[2]}"
    return {word.removesuffix("s") for word in re.split(r"[_.]", name) if len(word) > 2} - {"loop"}


def near_files(
    package: Path, paths: Iterable[str], tests: Mapping[str, str], noticed: Iterable[tuple[str, str]] = ()
) -> dict[str, dict[str, float]]:
    """By changed files, the files of tests that are nearest to them, each with its weight, at most 1.

    The weight of a name, and of a word, is divided by the number of files of tests that have it. `noticed` has changed
    files, and files of tests that noticed a change.
    """
    found = list(noticed)
    before = Counter([*found, *((path.rpartition("/")[0], test) for path, test in found)])
    names = {test: set(re.findall(r"[A-Za-z_]\w+", text)) for test, text in tests.items()}
    words = {test: _words(test) for test in tests}
    users = Counter(name for used in names.values() for name in used)
    titles = Counter(word for used in words.values() for word in used)
    near = {}
    for path in set(paths):
        defined, title = _names(path, (package / path).read_text(encoding="utf-8")), _words(path)
        folder = path.rpartition("/")[0]
        weight = {
            test: sum(1.0 / users[x] for x in defined & names[test])
            + sum(2.0 / titles[x] for x in title & words[test])
            + min(0.5 * before[path, test], 2.0)
            + min(0.1 * before[folder, test], 1.0)
            for test in tests
        }
        most = max(weight.values(), default=0.0) or 1.0
        best = sorted(weight, key=lambda test: -weight[test])[:MOST_NEAR]
        near[path] = {test: weight[test] / most for test in best if weight[test] > 0.0}
    return near


def nearest_first(tests: Iterable[str], near: Mapping[str, Mapping[str, float]], paths: Iterable[str]) -> list[str]:
    """Files of tests, those first that are near to many changes (`paths` has the file of each)."""
    weight = Counter[str]()
    for path in paths:
        weight.update(near[path])
    return sorted(tests, key=lambda test: (-weight[test], test))
