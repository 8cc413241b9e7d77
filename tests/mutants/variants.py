"""Texts that say which changes were reached, and C in which every change is a variant behind a switch.

A function of C with changes becomes a choice between its original and one variant for each change. A shared file of
bytes, `MAP`, says which variant is active, so that all changes are compiled once; in the same file code marks which
changes it came by. Python needs marks only: a changed module is quickly imported.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.mutants.changes import C_TOKEN, Change

__all__ = ["FIRST", "MAP", "Numbered", "marked_c", "marked_python"]

MAP = "DALEMBERT_MUTANTS_MAP"
"""Environment variable: the file of marks."""
FIRST = 8
"""Where marks begin in the file; before them stands the number of the active variant, from 1, or 0."""

_PREAMBLE = f"""
#ifndef MUTANTS_MAP
#define MUTANTS_MAP
#define MUTANTS_MARK(k) (mutants_map[{FIRST} + (k)] = 1)
#define MUTANTS_ACTIVE (*(volatile int *)mutants_map)
extern char *getenv(const char *);
extern int open(const char *, int, ...);
extern void *mmap(void *, unsigned long, int, int, int, long);
static volatile char mutants_none[1 << 14];
static volatile char *mutants_map = mutants_none;
__attribute__((constructor)) static void mutants_open(void) {{
    const char *name = getenv("{MAP}");
    const int file = name ? open(name, 2) : -1;
    if (file >= 0) mutants_map = mmap(0, 1 << 14, 3, 1, file, 0);
}}
#endif
"""
_MARKS = "dalembert_marks"
PYTHON_MODULE = f"""import mmap, os
with open(os.environ["{MAP}"], "r+b") as file:
    marks = mmap.mmap(file.fileno(), 0)
"""
"""The module ``dalembert_marks``, which has the same marks."""

Numbered = tuple[int, Change]


@dataclass(frozen=True)
class _Token:
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class _Function:
    """Where a function begins, where its body does, and where it ends; its tokens."""

    begin: int
    body: int
    end: int
    tokens: list[_Token]


def _tokens(text: str) -> list[_Token]:
    return [_Token(m.start(), m.end(), m.group()) for m in C_TOKEN.finditer(text) if not m["skip"]]


def _functions(text: str) -> Iterator[_Function]:
    depth, first, tokens = 0, 0, _tokens(text)
    body: int | None = None
    for k, token in enumerate(tokens):
        if token.text == "{":
            if depth == 0 and k and tokens[k - 1].text == ")":
                body = k
            depth += 1
        elif token.text == "}":
            depth -= 1
            if depth == 0 and body is not None:
                yield _Function(tokens[first].start, tokens[body].start, token.end, tokens[first : k + 1])
                body, first = None, k + 1
        if depth == 0 and (token.text in (";", "}") or _ends_macro(text, tokens[first : k + 2])):
            first = k + 1


def _ends_macro(text: str, tokens: list[_Token]) -> bool:
    """Whether tokens, up to the last but one, are a macro that stands alone on its line, as ``MULTIPLY(4, 1)`` does."""
    if len(tokens) < 4 or not tokens[0].text.isupper() or tokens[1].text != "(" or tokens[-2].text != ")":
        return False
    inner = [token.text for token in tokens[1:-1]]
    return inner.count("(") == inner.count(")") and "\n" in text[tokens[-2].end : tokens[-1].start]


def _offset(text: str, change: Change) -> int:
    return sum(map(len, text.splitlines(keepends=True)[: change.line - 1])) + change.column


def _place(function: _Function, offset: int) -> int:
    """Where the statement begins in which a place is, or the innermost one around it that can be marked."""
    tokens = [t for t in function.tokens if function.body <= t.start <= offset]
    places: list[int] = []  # of each open block, where the statement begins that was reached
    openers: list[str] = []  # what stands before its brace
    values = brackets = 0  # open braces of values, open brackets
    begins = label = False
    closed = ""  # what stood before the brace of the last block
    for k, token in enumerate(tokens):
        last = tokens[k - 1].text if k else ")"
        if begins and not brackets and not values:
            label = label or token.text in ("case", "default")
            goes_on = token.text in ("else", "{", "}") or (token.text == "while" and last == "}" and closed == "do")
            if not label and not goes_on:
                places[-1] = token.start
            begins = False
        if token.text == "{" and (values or brackets or last in ("=", ",", "return")):
            values += 1
        elif token.text == "{":
            places.append(places[-1] if places else function.body + 1)
            openers.append(last)
            begins = True
        elif token.text == "}" and values:
            values -= 1
        elif token.text == "}":
            places.pop()
            closed, begins = openers.pop(), True
        elif token.text in ("(", "["):
            brackets += 1
        elif token.text in (")", "]"):
            brackets -= 1
        elif not brackets and not values and (token.text == ";" or (token.text == ":" and label)):
            begins, label = True, False
    return places[-1] if places else function.body + 1


def _call(function: _Function, text: str) -> tuple[str, str, str]:
    """What stands before the name of a function, its name, and its arguments as they are passed on."""
    head = [t for t in function.tokens if t.start < function.body]
    depth, at = 0, len(head)
    while True:
        at -= 1
        depth += (head[at].text == ")") - (head[at].text == "(")
        if depth == 0:
            break
    name = at - 1
    if head[name].text == ")":  # JOIN(SYMBOL, _name)
        while head[name].text != "(":
            name -= 1
        name -= 1
    groups: list[list[str]] = [[]]
    for token in head[at + 1 : -1]:
        depth += (token.text == "(") - (token.text == ")")
        if token.text == "," and depth == 0:
            groups.append([])
        else:
            groups[-1].append(token.text)
    names = []
    for group in groups:
        if group and group != ["void"]:
            stop = group.index("[") if "[" in group else len(group)
            pointer = next((k for k in range(len(group) - 1) if group[k] == "(" and group[k + 1] == "*"), None)
            names.append(group[pointer + 2] if pointer is not None else group[stop - 1])
    called = text[head[name].start : head[at].start].rstrip()
    return text[function.begin : head[name].start], called, ", ".join(names)


def _named(name: str, suffix: str) -> str:
    return f"{name[:-1]}{suffix})" if name.endswith(")") else name + suffix


def marked_c(text: str, changes: Sequence[Numbered]) -> tuple[str, set[int]]:
    """C that marks the changes it comes by, and numbers of those that are variants in it.

    Changes outside functions are none; every function of the file marks them.
    """
    functions = list(_functions(text))
    inside: dict[int, list[tuple[int, int, Change]]] = {}
    outside = []
    for number, change in changes:
        offset = _offset(text, change)
        at = next((k for k, f in enumerate(functions) if f.body < offset < f.end), None)
        if at is None:
            outside.append(number)
        else:
            inside.setdefault(at, []).append((offset, number, change))
    pieces, end, made = [], 0, set[int]()
    everywhere = "".join(f" MUTANTS_MARK({number});" for number in outside)
    for k, function in enumerate(functions):
        own = inside.get(k, [])
        if not own and not outside:
            continue
        before, name, arguments = _call(function, text)
        head, body = text[function.begin : function.body], text[function.body : function.end]
        marks = sorted(
            [(_place(function, offset) - function.body, f"MUTANTS_MARK({number}); ") for offset, number, _ in own],
            reverse=True,
        )
        marked = body
        for place, mark in marks:
            marked = marked[:place] + mark + marked[place:]
        marked = "{" + everywhere + marked[1:]
        pieces.append(text[end : function.begin])
        end = function.end
        if not own:
            pieces.append(head + marked)
            continue
        local = re.sub(r"\b(EXPORT|static|FUNCTION|inline|extern)\b\s*", "", before)
        taken = "FUNCTION " if "FUNCTION" in before else "static "
        rest = head[len(before) + len(name) :]
        cases = ""
        if re.search(rf"\b{re.escape(name)}\s*\(", body):  # it calls itself, and so do its variants before it
            pieces.append(f"\n{head.rstrip()};\n")
        for offset, number, change in own:
            at = offset - function.body
            changed = body[:at] + change.new + body[at + len(change.old) :]
            variant = _named(name, f"__{number}")
            pieces.append(f'\n#line 1 "mutant {number}."\n{taken}{local}{variant}{rest}{changed}\n')
            cases += f"case {number + 1}: return {variant}({arguments}); "
            made.add(number)
        pieces.append(f'\n#line 1 "original"\n{taken}{local}{_named(name, "__own")}{rest}{marked}\n')
        pieces.append(
            f"{head}{{ switch (MUTANTS_ACTIVE) {{ {cases}default: return {_named(name, '__own')}({arguments}); }} }}"
        )
    pieces.append(text[end:])
    return _PREAMBLE + "".join(pieces), made


def marked_python(text: str, changes: Sequence[Numbered]) -> str:
    """Python that marks the changes it comes by; those that run when a module is imported by all its functions."""
    tree, lines = ast.parse(text), text.splitlines()
    marks: dict[int, list[int]] = {}
    starts = [line for node in ast.walk(tree) if (line := _first(node, lines)) is not None]
    for number, change in changes:
        place = _statement(tree, lines, change.line, None)
        for line in starts if place is None else [place]:
            marks.setdefault(line, []).append(number)
    written = []
    for k, line in enumerate(lines, 1):
        indent = line[: len(line) - len(line.lstrip())]
        written += [f'{indent}__import__("{_MARKS}").marks[{FIRST + number}] = 1' for number in marks.get(k, ())]
        written.append(line)
    return "\n".join(written) + "\n"


def _begins(node: ast.stmt, lines: Sequence[str]) -> int | None:
    """The line of a statement, if a line can be put in front of it."""
    decorators = getattr(node, "decorator_list", [])
    line = min([node.lineno, *(d.lineno for d in decorators)])
    text = lines[line - 1]
    alone = not text[: node.col_offset].strip() and not text.lstrip().startswith(("elif ", "elif("))
    return line if alone else None


def _first(node: ast.AST, lines: Sequence[str]) -> int | None:
    if not isinstance(node, ast.FunctionDef):
        return None
    body = node.body
    documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    return _begins(body[1 if documented and len(body) > 1 else 0], lines)


def _statement(node: ast.AST, lines: Sequence[str], line: int, best: int | None, inside: bool = False) -> int | None:
    """The line of the innermost statement of a function around a line."""
    parts = [x for name in ("body", "orelse", "finalbody") for x in getattr(node, name, []) if isinstance(x, ast.stmt)]
    parts += [x for owner in (*getattr(node, "handlers", []), *getattr(node, "cases", [])) for x in owner.body]
    for part in parts:
        if part.lineno <= line <= (part.end_lineno or 0):
            place = _begins(part, lines) if inside else None
            within = inside or isinstance(part, ast.FunctionDef)
            return _statement(part, lines, line, best if place is None else place, within)
    return best
