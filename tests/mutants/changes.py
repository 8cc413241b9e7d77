"""Changes of a source text: one operator, sign, constant, index or function at a time, in C and in Python.

What says nothing about numbers is left alone: comments, texts, annotations, messages of errors, preprocessor lines, how
loops end and how much memory is set aside (too little is for sanitizers to find, more changes nothing): sizes of arrays
in declarations of C, of what is taken from a workspace, and functions that say how large one must be (``..._memory``);
and constants beyond 1e-5 and 1e5 (tolerances and infinities: a run that is as exact with twice a tolerance is no fault
of the tests).
"""

from __future__ import annotations

import ast
import hashlib
import io
import re
import tokenize
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Change", "changes_of", "draw", "read_changes"]

_SWAPS = {
    "+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "**": "*",
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "&&": "||", "||": "&&", "and": "or", "or": "and",
}  # fmt: skip
_FUNCTIONS = {"fmin": "fmax", "fmax": "fmin", "sin": "cos", "cos": "sin"}
_TYPES = {
    "double", "float", "real", "int", "int64_t", "uint64_t", "size_t", "char", "void", "const", "INDEX", "MASK",
    "stepper", "kernel", "return", "case",
}  # fmt: skip
_DECLARING = {"double", "float", "real", "int", "int64_t", "integer", "size_t", "char", "const", "static", "struct"}
C_TOKEN = re.compile(
    r"(?P<skip>/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|^[ \t]*#(?:\\\n|[^\n])*)"
    r"|(?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?[uUlLfF]*)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>\+\+|--|->|<<|>>|&&|\|\||[-+*/<>=!]=|[-+*/<>=!&|?:;,(){}\[\].~^%])",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Change:
    """A change of a file.

    Parameters
    ----------
    path
        The file, below ``src/dalembert``.
    line, column
        Where, from 1 and from 0.
    old, new
        What stands there, and what the change puts there.
    key
        A name that stays the same when lines above it come or go.
    """

    path: str
    line: int
    column: int
    old: str
    new: str
    key: str

    @property
    def language(self) -> str:
        """Of the file."""
        return "python" if self.path.endswith(".py") else "c"

    def applied(self, text: str) -> str:
        """The text with the change."""
        lines = text.splitlines(keepends=True)
        line = lines[self.line - 1]
        end = self.column + len(self.old)
        if line[self.column : end] != self.old:
            raise ValueError(f"{self.path}:{self.line} has {line[self.column : end]!r}, not {self.old!r}")
        lines[self.line - 1] = line[: self.column] + self.new + line[end:]
        return "".join(lines)


def draw(changes: list[Change], seed: int) -> list[Change]:
    """Changes in random order, which stays the same when others come or go."""
    return sorted(changes, key=lambda change: hashlib.sha256(f"{seed}\0{change.key}".encode()).digest())


def changes_of(path: str, text: str) -> list[Change]:
    """All changes of a file, in the order of its text."""
    found = changes_of_python(text) if path.endswith(".py") else changes_of_c(text)
    lines = text.splitlines()
    seen: dict[str, int] = {}
    changes = []
    for line, column, old, new in sorted(found):
        source = f"{path}\0{lines[line - 1].strip()}"
        at = column - (len(lines[line - 1]) - len(lines[line - 1].lstrip()))
        name = f"{source}\0{at}\0{old}\0{new}"
        seen[name] = seen.get(name, -1) + 1
        key = hashlib.sha256(f"{name}\0{seen[name]}".encode()).hexdigest()[:12]
        changes.append(Change(path, line, column, old, new, key))
    return changes


Found = tuple[int, int, str, str]


def changes_of_c(text: str) -> Iterator[Found]:
    """Line, column, old and new text of the changes of C."""
    before: list[str] = []  # tokens so far
    header: list[int] = []  # in the header of a loop: parentheses that are open, semicolons that have passed
    starts = [0, *(m.end() for m in re.finditer("\n", text))]
    line = 0
    matches = [match for match in C_TOKEN.finditer(text) if not match["skip"]]
    sizes = _sizes([match.group() for match in matches])
    for k, match in enumerate(matches):
        token = match.group()
        if before[-1:] == ["for"] and token == "(":
            header = [0, 0]
        if header:
            header[0] += (token == "(") - (token == ")")
            header[1] += token == ";"
        ends_loop = bool(header) and header[1] > 0
        if header and header[0] == 0:
            header = []
        while line + 1 < len(starts) and starts[line + 1] <= match.start():
            line += 1
        new = None if ends_loop or k in sizes else _changed_c(match, token, before)
        if new is not None:
            yield line + 1, match.start() - starts[line], token, new
        before.append(token)


def _takes(function: str, argument: str) -> bool:
    return function in ("take", "take_integers") and argument in ("&", "memory")


def _sizes(tokens: list[str]) -> set[int]:
    """Which tokens say how large a piece of memory is."""
    found = set[int]()
    opened: list[bool] = []  # of each open bracket, whether it encloses a size
    declares = value = False  # whether the statement declares, and what follows is the value of a name
    braces, function, called = 0, "", ""
    for k, token in enumerate(tokens):
        last = tokens[k - 1] if k else ";"
        if last in (";", "{", "}") and not opened:
            declares, value = token in _DECLARING, False
        if not opened and token in (",", "="):
            value = token == "="
        if token in ("(", "["):
            named = k > 1 and tokens[k - 2] in _DECLARING  # also of parameters
            sized = named or (declares and not value and not opened) if token == "[" else _takes(last, tokens[k + 1])
            opened.append(sized or any(opened))
            called = last if token == "(" and not braces else called
        elif token in (")", "]") and opened:
            opened.pop()
        if token == "{" and not braces and last == ")":
            function = called
        braces += (token == "{") - (token == "}")
        if any(opened) or (braces and function.endswith("_memory")):
            found.add(k)
    return found


def _changed_c(match: re.Match[str], token: str, before: list[str]) -> str | None:
    last = before[-1] if before else ";"
    if match["number"]:
        return _other_number(token)
    if match["name"]:
        return _FUNCTIONS.get(token)
    binary = last in (")", "]") or ((last[0].isalnum() or last[0] == "_") and last not in _TYPES)
    if token == "*" and (not binary or before[-2:-1] == ["struct"]):
        return None
    if token == "+" and not binary:
        return None
    if token == "-" and not binary:
        return ""
    return _SWAPS.get(token)


def _other_number(token: str) -> str | None:
    number = token.rstrip("uUlLfF") if not token.startswith(("0x", "0X")) else token
    try:
        if re.fullmatch(r"\d+", number):
            return str(int(number) + 1) if int(number) < 1000 else None
        value = float(number)
    except ValueError:
        return None
    if value == 0.0:
        return "1.0"
    return repr(2.0 * value) if 1e-5 < value < 1e5 else None


class _Python(ast.NodeVisitor):
    """Operators, constants and functions of a tree that are numbers' business."""

    def __init__(self, text: str) -> None:
        self.found: list[Found] = []
        self._lines = text.splitlines()
        self._tokens = [
            t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type in (tokenize.OP, tokenize.NAME)
        ]
        self._starts = [token.start for token in self._tokens]

    def _column(self, line: int, offset: int) -> int:
        """From an offset in bytes, which trees have."""
        return len(self._lines[line - 1].encode()[:offset].decode())

    def _between(self, left: ast.expr, right: ast.expr, symbol: str, new: str) -> None:
        begin = (left.end_lineno or 0, self._column(left.end_lineno or 0, left.end_col_offset or 0))
        end = (right.lineno, self._column(right.lineno, right.col_offset))
        for k in range(bisect_left(self._starts, begin), bisect_left(self._starts, end)):
            if self._tokens[k].string == symbol:
                self.found.append((*self._starts[k], symbol, new))
                return

    def visit_BinOp(self, node: ast.BinOp) -> None:
        symbol = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}.get(type(node.op))
        texts = (ast.JoinedStr, ast.List, ast.Tuple)
        words = any(
            isinstance(x, texts) or (isinstance(x, ast.Constant) and isinstance(x.value, str))
            for x in (node.left, node.right)
        )
        if symbol is not None and not words:
            self._between(node.left, node.right, symbol, _SWAPS[symbol])
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        names = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
        left = node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            symbol = names.get(type(op))
            if symbol is not None:
                self._between(left, right, symbol, _SWAPS[symbol])
            left = right
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        symbol = "and" if isinstance(node.op, ast.And) else "or"
        self._between(node.values[0], node.values[1], symbol, _SWAPS[symbol])
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.USub):
            self.found.append((node.lineno, self._column(node.lineno, node.col_offset), "-", ""))
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        symbol = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.Div: "/="}.get(type(node.op))
        if symbol is not None and not isinstance(node.value, ast.List | ast.Tuple | ast.ListComp):
            self._between(node.target, node.value, symbol, _SWAPS[symbol])
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, int | float) and not isinstance(node.value, bool):
            column = self._column(node.lineno, node.col_offset)
            old = self._lines[node.lineno - 1][column : self._column(node.lineno, node.end_col_offset or 0)]
            new = _other_number(old)
            if new is not None:
                self.found.append((node.lineno, column, old, new))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        line, end = node.end_lineno or 0, self._column(node.end_lineno or 0, node.end_col_offset or 0)
        if node.attr == "T" and isinstance(node.ctx, ast.Load):
            self.found.append((line, end - 2, ".T", ""))
        elif node.attr in _FUNCTIONS:
            self.found.append((line, end - len(node.attr), node.attr, _FUNCTIONS[node.attr]))
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for part in (*node.args.defaults, *[d for d in node.args.kw_defaults if d], *node.body):
            self.visit(part)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in node.body:
            self.visit(part)

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self.generic_visit(node)

    def _leave(self, node: ast.AST) -> None:
        """Say nothing about it."""

    visit_Raise = visit_JoinedStr = visit_Import = visit_ImportFrom = visit_Assert = _leave  # type: ignore[assignment]


def changes_of_python(text: str) -> Iterator[Found]:
    """Line, column, old and new text of the changes of Python."""
    visitor = _Python(text)
    visitor.visit(ast.parse(text))
    for line, column, old, new in sorted(set(visitor.found)):
        if text.splitlines()[line - 1][column : column + len(old)] == old:
            yield line, column, old, new


def read_changes(package: Path, rooms: dict[str, tuple[str, ...]]) -> list[Change]:
    """All changes of the files of rooms: folders, and how names of their files end."""
    changes = []
    for room, ends in rooms.items():
        for file in sorted((package / room).rglob("*")):
            if file.suffix in ends and "__pycache__" not in file.parts and file.name != "__init__.py":
                changes += changes_of(file.relative_to(package).as_posix(), file.read_text(encoding="utf-8"))
    return changes
