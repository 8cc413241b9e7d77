"""Which lines of C each test runs: the engine's texts are built for gcov, and counters are read after every test.

Texts name their files and lines (``#line``), so that what gcov counts in a unit, or in the rollout of a machine, is
counted for the file that it comes from. Libraries are built in a folder that is kept, beside the notes that gcov needs.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dalembert.compile import build, cache, forms, native
from dalembert.engine import sources

__all__ = ["EngineCoverage"]

_MARK = '#line 1 "engine/'
_INCLUDE = re.compile(r'^#include "\w+\.h"\n', re.MULTILINE)
_FLAGS = ("--coverage", "-fprofile-update=single")
_DUMP, _RESET = "__gcov_dump", "__gcov_reset"


def marked(text: str, path: str) -> str:
    """A text that says of each line from where it comes, also after what it includes."""
    pieces, at, line = [f'#line 1 "{path}"\n'], 0, 1
    for match in _INCLUDE.finditer(text):
        piece = text[at : match.end()]
        line += piece.count("\n")
        pieces += [piece, f'#line {line} "{path}"\n']
        at = match.end()
    return "".join([*pieces, text[at:]])


class EngineCoverage:
    """Counts lines of the engine while it lives; only gcc is asked.

    Parameters
    ----------
    folder
        Where instrumented objects are kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._libraries = folder, list[ctypes.CDLL]()
        self._read, self._read_text = sources._read, forms.read_text.__wrapped__
        self._build, self._load = build.build_units, cache.load_cached
        folder.mkdir(parents=True, exist_ok=True)

    def install(self) -> None:
        """Build and load what is compiled from now on with counters; for the rest of the process."""
        read, read_text = self._read, self._read_text
        sources._read = lambda path: marked(read(path), f"engine/{path}")

        def text(name: str) -> str:
            package, _, file = name.rpartition(":")
            if not package.startswith("dalembert.engine"):
                return read_text(name)
            return marked(read_text(name), f"{package.removeprefix('dalembert.').replace('.', '/')}/{file}")

        forms.read_text = text  # type: ignore[assignment]
        cache.build_units = native.build_units = self._build_units  # type: ignore[attr-defined]
        cache.load_cached = self._load_cached

    def _build_units(self, toolchain: build.Toolchain, units: Sequence[str], directory: Path, **options: Any) -> Path:
        if not any(_MARK in text for text in units):
            return self._build(toolchain, units, directory, **options)
        fused = ["-ffp-contract=fast"] if options.get("fused") else []
        flags = [*build.usable_flags(toolchain), *fused]
        objects = []
        for text in units:
            home = self._folder / hashlib.sha256(text.encode()).hexdigest()[:20]
            home.mkdir(exist_ok=True)
            (home / "unit.c").write_text(text)
            counted = _FLAGS if _MARK in text else ()
            command = [*toolchain.command, "-O1", *flags, *counted, "-c", "unit.c", "-o", str(home / "unit.o")]
            subprocess.run(command, cwd=home, check=True)
            objects.append(str(home / "unit.o"))
        library = directory / "library.so"
        wanted = [f"-Wl,-u,{name}" for name in (_DUMP, _RESET)]
        link = [*toolchain.command, "-shared", *objects, *wanted, "--coverage", "-lm", "-o", str(library)]
        subprocess.run(link, check=True)
        return library

    def _load_cached(self, *arguments: Any) -> Any:
        library = self._load(*arguments)
        if isinstance(library, ctypes.CDLL) and hasattr(library, _DUMP):
            self._libraries.append(library)
        return library

    def lines(self) -> dict[str, set[int]]:
        """Lines that were run since the last call, by file below ``src/dalembert``."""
        for library in self._libraries:
            getattr(library, _DUMP)()
            getattr(library, _RESET)()
        found: dict[str, set[int]] = {}
        for counters in self._folder.glob("*/*.gcda"):
            command = ["gcov", "--json-format", "--stdout", counters.name]
            told = subprocess.run(command, cwd=counters.parent, capture_output=True, text=True)
            counters.unlink()
            for report in told.stdout.splitlines():
                for file in json.loads(report)["files"]:
                    run = {line["line_number"] for line in file["lines"] if line["count"]}
                    if run and file["file"].startswith("engine/"):
                        found.setdefault(file["file"], set()).update(run)
        return found

    @staticmethod
    def available() -> bool:
        """Whether gcov is there, and the compiler is one that writes for it."""
        toolchain = build.find_toolchain()
        if toolchain is None or shutil.which("gcov") is None:
            return False
        version = subprocess.run([*toolchain.command, "--version"], capture_output=True, text=True).stdout
        return "Free Software Foundation" in version
