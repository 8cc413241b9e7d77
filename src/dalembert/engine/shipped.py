"""The engine as an installation brings it: compiled for any processor of the platform, for machines without a compiler.

The standard library is all that this module needs: ``hatch_build.py`` calls `compile_engine` where nothing else is
installed. Libraries lie in the folder ``_built``, each beside the digest of the text that it was compiled from.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

from dalembert.engine.sources import UNITS, checked_text

__all__ = ["FOLDER", "PLATFORMS", "compile_engine", "compiler_command", "shipped_path", "shipped_state"]

FOLDER = Path(__file__).with_name("_built")
"""Where an installation puts the libraries."""
PLATFORMS = {
    "manylinux_2_17_x86_64": "x86_64-linux-gnu.2.17",
    "manylinux_2_17_aarch64": "aarch64-linux-gnu.2.17",
    "macosx_11_0_x86_64": "x86_64-macos.11.0",
    "macosx_11_0_arm64": "aarch64-macos.11.0",
    "win_amd64": "x86_64-windows-gnu",
}
"""Platforms that have a wheel, by their tags, and the targets of zig that compile for them."""
# As for kernels (compile/build.py), but not for one processor only.
_FLAGS = ("-std=c99", "-O2", "-g0", "-fPIC", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")


def shipped_path(unit: str, folder: Path | None = None) -> Path:
    """Return where the library of a unit lies; it has one name on all systems, because it is loaded by its path."""
    return (folder or FOLDER) / f"{unit}.so"


def shipped_state(unit: str) -> Literal["missing", "stale", "current"]:
    """Say whether there is a library of a unit, and whether it was compiled from the sources that are installed."""
    path = shipped_path(unit)
    try:
        digest = _digest_path(path).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return "missing"
    if not path.is_file():
        return "missing"
    return "current" if digest == _digest(unit) else "stale"


def compiler_command(platform: str = "") -> list[str] | None:
    """Return the words that start a C compiler for the baseline of a platform, or None if there is none.

    For the platform at hand: ``DALEMBERT_CC`` if set, else ``cc``, ``gcc`` or ``clang``, else the ziglang wheel, which
    would compile for the processor at hand unless told otherwise. For another one, named by its tag (`PLATFORMS`): the
    ziglang wheel.
    """
    zig = [sys.executable, "-m", "ziglang", "cc", "-mcpu=baseline"]
    has_zig = importlib.util.find_spec("ziglang") is not None
    if platform:
        if platform not in PLATFORMS:
            raise ValueError(f"there is no wheel for platform '{platform}'; known: {', '.join(PLATFORMS)}")
        return [*zig, "-target", PLATFORMS[platform]] if has_zig else None
    override = shlex.split(os.environ.get("DALEMBERT_CC", ""))
    for name in override[:1] or ("cc", "gcc", "clang"):
        program = shutil.which(name)
        if program:
            return [program, *override[1:], *(["-mcpu=baseline"] if "ziglang" in override else [])]
    return zig if has_zig and not override else None


def compile_engine(command: list[str], folder: Path | None = None) -> list[Path]:
    """Compile all units of the engine into a folder, by default that of this installation; return the files.

    Raises
    ------
    RuntimeError
        With the compiler's log.
    """
    folder = folder or FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch, ThreadPoolExecutor() as pool:

        def compiled(unit: str) -> list[Path]:
            source, built, library = Path(scratch, f"{unit}.c"), Path(scratch, f"{unit}.so"), shipped_path(unit, folder)
            source.write_text(checked_text(unit), encoding="utf-8")
            words = [*command, *_FLAGS, "-shared", str(source), "-lm", "-o", str(built)]
            done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"$ {shlex.join(words)}\n{done.stdout}{done.stderr}")
            os.replace(built, library)
            _digest_path(library).write_text(f"{_digest(unit)}\n", encoding="ascii")
            return [library, _digest_path(library)]

        return [file for files in pool.map(compiled, UNITS) for file in files]


def _digest_path(library: Path) -> Path:
    return library.with_suffix(".sha256")


def _digest(unit: str) -> str:
    return hashlib.sha256(checked_text(unit).encode()).hexdigest()
