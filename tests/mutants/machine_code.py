"""Whether a changed text of the engine compiles to the same machine code: such a change is none."""

from __future__ import annotations

import re
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

from dalembert.compile.build import find_toolchain, usable_flags
from dalembert.engine import sources

__all__ = ["same_machine_code", "unit_errors"]


def same_machine_code(path: str, before: str, after: str) -> bool:
    """Whether every unit of the engine in which a file is has the same code with one text of it as with another.

    Texts of kernels and rollouts are in no unit: of them it is not known.
    """
    file = path.removeprefix("engine/")
    texts = [_units(file, text) for text in (before, after)]
    return bool(texts[0]) and all(_compiled(a) == _compiled(b) for a, b in zip(*texts, strict=True))


def _units(file: str, text: str) -> list[str]:
    """Texts of the units in which a file is."""
    read = sources._read

    def other(path: str) -> str:
        return text if path == file else read(path)

    sources._read = other
    try:
        made = [sources.unit_text.__wrapped__(name) for name in sources.UNITS]
        sources._read = lambda path: "" if path == file else read(path)
        without = [sources.unit_text.__wrapped__(name) for name in sources.UNITS]
    finally:
        sources._read = read
    return [unit for unit, rest in zip(made, without, strict=True) if unit != rest]


def unit_errors(engine: Path) -> str:
    """What the compiler says of the units that are made of the texts of a folder."""
    toolchain, read = find_toolchain(), sources._read
    if toolchain is None:
        return ""
    sources._read = lambda path: (engine / path).read_text(encoding="utf-8")
    told = ""
    try:
        for name in sources.UNITS:
            command = [*toolchain.command, *usable_flags(toolchain), "-fsyntax-only", "-x", "c", "-"]
            text = sources.unit_text.__wrapped__(name)
            told += subprocess.run(command, input=text, capture_output=True, text=True).stderr
    finally:
        sources._read = read
    return told


@lru_cache(maxsize=len(sources.UNITS))
def _compiled(text: str) -> bytes | None:
    """Machine code of a text; None if there is no compiler or it refuses the text."""
    toolchain = find_toolchain()
    if toolchain is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "unit.c").write_text(re.sub(r"[ \t]+\n", "\n", text))
        command = [*toolchain.command, "-O1", *usable_flags(toolchain), "-c", "unit.c", "-o", "unit.o"]
        done = subprocess.run(command, cwd=folder, capture_output=True)
        return (Path(folder) / "unit.o").read_bytes() if done.returncode == 0 else None
