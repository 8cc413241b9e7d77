"""Sources of an FMU, built by a C compiler alone."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

__all__ = ["build_sources"]


def build_sources(path: Path, folder: Path, *flags: str) -> None:
    """Build them with strict warnings; skip where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
        assert not any(name.startswith("binaries") for name in archive.namelist())
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fPIC", "-shared"]
    sources = sorted(map(str, (folder / "sources").glob("*.c")))
    command = [compiler, *strict, *flags, "-o", str(folder / "model.so"), *sources, "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
