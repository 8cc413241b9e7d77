"""Output files of commands: never an input of the command, and an existing file only if it may be replaced.

An existing file is replaced if it is the same kind of result (an earlier run in place of a run), or with ``--force``.
Machine files, URDF and MJCF are written by hand too: only ``--force`` replaces them.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from dalembert.cli.commands import arguments
from dalembert.core.errors import InputError
from dalembert.core.files import target_file

__all__ = ["ForceOption", "check_targets", "target"]

ForceOption = Annotated[bool, typer.Option("--force", help="Replace existing files of any kind.")]

_WRITTEN = ("out", "csv", "plot")  # parameters of commands that name files to write
_ENDS = 2**16


def target(path: Path, kind: str, endings: tuple[str, ...] = (), content: str | None = None) -> Path:
    """Return the path of a file that the current command may write.

    Parameters
    ----------
    path
        The file.
    kind
        Kind of the new file: one of `KINDS`, or another word, which no file can be recognised as.
    endings
        Endings that it may have; any if empty.
    content
        Content of the new file, if known already: a file with the same content may be replaced.
    """
    place = target_file(path, endings)
    with suppress(OSError):
        for read in _read_files():
            if place.exists() and place.samefile(read):
                raise InputError(f"cannot write {place}: the command reads this file; give another name")
        if not place.is_file() or arguments().get("force"):
            return place
        if content is not None and place.read_bytes() == content.encode():
            return place
    if not _is_kind(place, kind):
        raise InputError(
            f"{place} exists and is not a {kind} of dalembert; give another name, or --force to replace it"
        )
    return place


def check_targets(*targets: tuple[Path | None, str]) -> None:
    """Check files (each with its kind) before the work is done, not after it; no two may be the same."""
    given = [target(path, kind) for path, kind in targets if path is not None]
    for k, place in enumerate(given):
        if place.resolve() in [other.resolve() for other in given[:k] if not other.exists() or other.is_file()]:
            raise InputError(f"cannot write {place} twice: give each output its own file")


def _read_files() -> Iterator[Path]:
    """Input files of the current command."""
    for name, value in arguments().items():
        for item in value if isinstance(value, list | tuple) else (value,):
            if name not in _WRITTEN and isinstance(item, str | Path):
                with suppress(OSError, ValueError):
                    if Path(item).is_file():
                        yield Path(item)


def _is_kind(path: Path, kind: str) -> bool:
    try:
        with open(path, "rb") as file:
            begin = file.read(_ENDS)
            file.seek(max(0, path.stat().st_size - _ENDS))
            end = file.read()
        return not begin or (kind in KINDS and KINDS[kind](path, begin, end))
    except Exception:  # damaged, or of another kind altogether
        return False


def _run(path: Path, begin: bytes, end: bytes) -> bool:
    import h5py

    if not begin.startswith(b"\x89HDF"):
        return False
    with h5py.File(path) as file:
        return {"format", "final_t", "checksum"} <= set(file.attrs)


def _json(test: Callable[[Any], bool]) -> Callable[[Path, bytes, bytes], bool]:
    return lambda path, begin, end: test(json.loads(path.read_text(encoding="utf-8")))


def _fmu(path: Path, begin: bytes, end: bytes) -> bool:
    with zipfile.ZipFile(path) as archive:
        return b'generationTool="dalembert ' in archive.read("modelDescription.xml")


def _rows(path: Path, begin: bytes, end: bytes) -> bool:
    if begin.startswith(b"PAR1"):
        import pyarrow.parquet as pq

        names = pq.read_schema(path).names
    else:
        names = begin.partition(b"\n")[0].decode().strip().split(",")
    return {"status", "reason"} <= set(names)


KINDS: Mapping[str, Callable[[Path, bytes, bytes], bool]] = {
    "run": _run,
    "table of a run": lambda path, begin, end: (
        begin.startswith(b"t,") and b"energy.kinetic" in begin.partition(b"\n")[0].split(b",")
    ),
    "plot": lambda path, begin, end: b"matplotlib" in (begin + end).lower(),
    "animation": lambda path, begin, end: b"dalembert animation" in begin + end,
    "report": lambda path, begin, end: b'<meta name="generator" content="dalembert">' in begin,
    "FMU": _fmu,
    "schema": _json(lambda data: data["title"] == "dalembert machine file"),
    "benchmark": _json(lambda data: "results" in data and "machine" in data),
    "table of a campaign": _rows,
}
"""Kinds of results, and how one of them is recognised: from the path, and the first and last bytes of the file."""
