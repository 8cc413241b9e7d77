"""Matrices of Nastran: OUTPUT4 files (text and binary, dense and sparse columns) and DMIG entries.

An op4 file has a header of each matrix (columns, rows, form, type, name), then one record for each column that is not
empty: its number, the first row (0: the column is in strings of rows) and the number of words that follow. A string
begins with its length in words and its first row, in one word (``row + 65536 (length + 1)``) or, where the number of
rows is given as negative, in two words. Words are of 4 bytes (8 in files of 64-bit integers); dense columns of text
files count numbers instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["read_dmig", "read_op4"]

_REAL = (1, 2)


def read_op4(file: Path) -> dict[str, Any]:
    """Read all real matrices of an op4 file (sparse), by their names in capitals."""
    data = file.read_bytes()
    head = data[:8]
    for order in ("<", ">"):
        for size in (4, 8):
            if len(head) == 8 and int(np.frombuffer(head[:4], order + "i4")[0]) == 6 * size:
                return _binary_op4(data, order, size)
    return _text_op4(data.decode("ascii"))


def _matrix(rows: list[Any], columns: list[Any], values: list[Any], shape: tuple[int, int]) -> Any:
    import scipy.sparse as sp

    if not values:
        return sp.csc_matrix(shape)
    joined = [np.concatenate(x) for x in (rows, columns, values)]
    return sp.coo_matrix((joined[2], (joined[0], joined[1])), shape=shape).tocsc()


def _check_kind(name: str, kind: int) -> None:
    if kind not in _REAL:
        raise ValueError(f"matrix {name} is complex (type {kind}); stiffness and mass are real")


def _records(data: bytes, order: str) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        size = int(np.frombuffer(data, order + "i4", 1, at)[0])
        yield data[at + 4 : at + 4 + size]
        at += size + 8


def _binary_op4(data: bytes, order: str, word: int) -> dict[str, Any]:
    integer, single = f"{order}i{word}", f"{order}f{word}"
    matrices: dict[str, Any] = {}
    records = _records(data, order)
    for head in records:
        n_columns, n_rows, _, kind = (int(x) for x in np.frombuffer(head, integer, 4))
        name = head[4 * word :].decode("ascii", "replace").replace("\0", " ").split()[0].upper()
        _check_kind(name, kind)
        wide, shape = n_rows < 0, (abs(n_rows), n_columns)
        real = single if kind == 1 or word == 8 else f"{order}f8"
        rows, columns, values = list[Any](), list[Any](), list[Any]()
        for record in records:
            column, first, length = (int(x) for x in np.frombuffer(record, integer, 3))
            if column > n_columns:
                break
            body = record[3 * word : (3 + length) * word]
            for row, part in _strings(body, first, integer, word, wide):
                numbers = np.frombuffer(part, real).astype(float)
                rows.append(row - 1 + np.arange(len(numbers)))
                columns.append(np.full(len(numbers), column - 1))
                values.append(numbers)
        matrices[name] = _matrix(rows, columns, values, shape)
    return matrices


def _strings(body: bytes, first: int, integer: str, word: int, wide: bool) -> Iterator[tuple[int, bytes]]:
    """First row and numbers of each string of a column; a dense column is one string."""
    if first > 0:
        yield first, body
        return
    at = 0
    while at < len(body):
        mark = int(np.frombuffer(body, integer, 1, at)[0])
        at += word
        if wide:
            length, row = mark - 1, int(np.frombuffer(body, integer, 1, at)[0])
            at += word
        else:
            length, row = mark // 65536 - 1, mark % 65536
        yield row, body[at : at + length * word]
        at += length * word


def _text_op4(text: str) -> dict[str, Any]:
    lines = iter(text.splitlines())
    matrices: dict[str, Any] = {}
    for head in lines:
        if not head.strip():
            continue
        n_columns, n_rows, _, kind = (int(head[8 * k : 8 * k + 8]) for k in range(4))
        name = head[32:40].split()[0].upper()
        _check_kind(name, kind)
        layout = re.search(r"(\d+)E(\d+)\.\d+", head[40:].upper())
        per_line, width = (int(layout.group(1)), int(layout.group(2))) if layout else (5, 16)
        words = 2 if kind == 2 else 1
        wide = n_rows < 0 or abs(n_rows) > 65535
        rows, columns, values = list[Any](), list[Any](), list[Any]()

        def numbers(count: int, per_line: int = per_line, width: int = width) -> NDArray[np.float64]:
            found: list[float] = []
            while len(found) < count:
                line = next(lines).rstrip()
                take = min(per_line, count - len(found))
                found += [_number(line[width * k : width * (k + 1)]) for k in range(take)]
            return np.array(found)

        for line in lines:
            column, first, length = (int(line[8 * k : 8 * k + 8]) for k in range(3))
            if column > n_columns:
                for _ in range(-(-max(length, 1) // per_line)):
                    next(lines, None)
                break
            left = length
            while left > 0:
                row, count = first, length
                if first == 0:
                    marks = [int(x) for x in next(lines).split()]
                    size, row = (marks[0] - 1, marks[1]) if wide else (marks[0] // 65536 - 1, marks[0] % 65536)
                    count = size // words
                    left -= size + (2 if wide else 1)
                else:
                    left = 0
                part = numbers(count)
                rows.append(row - 1 + np.arange(count))
                columns.append(np.full(count, column - 1))
                values.append(part)
        matrices[name] = _matrix(rows, columns, values, (abs(n_rows), n_columns))
    return matrices


def _number(text: str) -> float:
    """A number of Nastran, whose exponent may lack its letter: 1.5D+3, 1.5+3."""
    plain = text.strip().upper().replace("D", "E")
    return float(re.sub(r"(?<=[\d.])([+-]\d+)$", r"E\1", plain))


def read_dmig(file: Path) -> dict[str, tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]]:
    """Read the entries of all real DMIG matrices: freedoms of rows and columns, and values, by name."""
    kinds: dict[str, int] = {}
    entries: dict[str, list[tuple[int, int, int, int, float]]] = {}
    column: tuple[str, int, int] | None = None
    for line in file.read_text(encoding="ascii", errors="replace").splitlines():
        if not line.strip() or line.startswith("$"):
            continue
        fields = _fields(line)
        if fields[0].rstrip("*").upper() == "DMIG":
            name = fields[1].upper()
            if fields[2] == "0":
                kinds[name] = int(fields[4])
                _check_kind(name, kinds[name])
                entries.setdefault(name, [])
                column = None
                continue
            column = (name, int(fields[2]), int(fields[3] or 0))
            rest = fields[5:]
        elif (column is not None and fields[0].startswith(("*", "+"))) or (column is not None and not fields[0]):
            rest = fields[1:]
        else:
            column = None
            continue
        for k in range(0, len(rest) - 2, 4):
            if rest[k]:
                name, node, direction = column
                value = _number(rest[k + 2])
                entries.setdefault(name, []).append((int(rest[k]), int(rest[k + 1] or 0), node, direction, value))
    result = {}
    for name, rows in entries.items():
        if rows:
            table = np.array([row[:4] for row in rows], dtype=np.int64)
            result[name] = (table[:, :2], table[:, 2:], np.array([row[4] for row in rows]))
    return result


def _fields(line: str) -> list[str]:
    """Fields of a bulk data entry: free, of 8, or (with a star) of 16 characters."""
    if "," in line:
        return [field.strip() for field in line.split(",")]
    line = line.expandtabs()
    wide = "*" in line[:8]
    step, last = (16, 72) if wide else (8, 72)
    return [line[:8].strip(), *(line[k : k + step].strip() for k in range(8, min(last, len(line)), step))]
