"""YAML text as plain data with the line of every value.

Only mappings with text keys, lists, text, numbers, truth values and null exist here; tags are refused, so
that a file is data and nothing else. Plain scalars follow YAML 1.2 (`yes` and `1:30` are text). Keys are text
as written. Aliases are allowed as long as the data that they expand to stays small.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from dalembert.core.errors import FileFormatError
from dalembert.io.source import located

__all__ = ["Document", "Path", "parse_yaml", "plain_value"]

_MAX_VALUES = 200_000
_MAX_DEPTH = 50
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **{sign + word: float(sign + "inf") for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")},
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}

_PLAIN = {"str", "int", "float", "bool", "null", "seq", "map", "timestamp", "merge", "value"}

Path = tuple[str | int, ...]


@dataclass
class Document:
    """Data of a YAML text, and the line at which each value begins, by its path.

    ``twice`` says which keys occur twice, where that was not refused: their first value holds.
    """

    label: str
    data: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    twice: list[FileFormatError] = field(default_factory=list)

    def line(self, path: Path) -> int:
        """Line of the value at ``path``, or of the nearest one that contains it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def plain_value(text: str) -> Any:
    """Value of a plain (not quoted) scalar: null, a truth value, a number, or else text."""
    if text in _SPECIAL:
        return _SPECIAL[text]
    if _INTEGER.fullmatch(text) and len(text) < 400:
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def parse_yaml(text: str | bytes, label: str, *, lenient: bool = False) -> Document:
    """Read a YAML text.

    Parameters
    ----------
    text
        The text.
    label
        File name, for messages.
    lenient
        Only take note of keys that occur twice, in place of refusing the text.
    """
    import yaml

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = ", ".join(clause for clause in (error.context, error.problem) if clause)
        raise located(label, mark.line + 1 if mark else None, f"is not valid YAML: {reason}") from None
    except yaml.YAMLError as error:
        raise located(label, None, f"is not valid YAML: {' '.join(str(error).split())}") from None
    except (UnicodeDecodeError, ValueError) as error:
        raise located(label, None, f"is not valid YAML: {error}") from None
    except RecursionError:
        raise located(label, None, "is nested too deeply") from None
    if node is None:
        raise located(label, None, "is empty")
    reader = _Reader(Document(label), lenient)
    reader.document.data = reader.read(node, (), ())
    return reader.document


class _Reader:
    """Turns composed nodes into data; counts values, so that aliases cannot blow up."""

    def __init__(self, document: Document, lenient: bool) -> None:
        self.document = document
        self.lenient = lenient
        self.count = 0

    def read(self, node: Any, path: Path, open_nodes: tuple[int, ...]) -> Any:
        line = node.start_mark.line + 1
        self.document.lines.setdefault(path, line)
        self.count += 1
        label = self.document.label
        if self.count > _MAX_VALUES:
            raise located(label, line, f"expands to more than {_MAX_VALUES} values")
        if id(node) in open_nodes:
            raise located(label, line, "an alias refers to the value that contains it")
        if len(open_nodes) > _MAX_DEPTH:
            raise located(label, line, f"is nested more than {_MAX_DEPTH} levels deep")
        if node.tag.removeprefix("tag:yaml.org,2002:") not in _PLAIN:
            raise located(label, line, f"the tag {node.tag!r} is not allowed: machine files are plain data")
        inner = (*open_nodes, id(node))
        if node.id == "scalar":
            return node.value if node.style is not None else plain_value(node.value)
        if node.id == "sequence":
            return [self.read(child, (*path, i), inner) for i, child in enumerate(node.value)]
        data: dict[str, Any] = {}
        for key, value in node.value:
            at = key.start_mark.line + 1
            if key.id != "scalar":
                raise located(label, at, f"a key must be text, got a {key.id}")
            name = key.value
            if name in data:
                first = self.document.lines[(*path, name)]
                fault = located(label, at, f"the key {name!r} occurs twice, first at line {first}")
                if not self.lenient:
                    raise fault
                self.document.twice.append(fault)
                continue
            self.document.lines[(*path, name)] = at
            data[name] = self.read(value, (*path, name), inner)
        return data
