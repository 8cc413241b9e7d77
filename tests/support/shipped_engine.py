"""The engine compiled as an installation does it, once for all tests of a session."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dalembert.compile import cache_directory
from dalembert.engine import shipped
from dalembert.engine.sources import UNITS


def shipped_engine() -> Path:
    """Return a folder with the compiled engine; skip where nothing can compile it."""
    command = shipped.compiler_command()
    if command is None:
        pytest.skip("there is no C compiler")
    folder, before = cache_directory().parent / "shipped", shipped.FOLDER
    try:
        shipped.FOLDER = folder
        if any(shipped.shipped_state(unit) != "current" for unit in UNITS):
            shipped.compile_engine(command, folder)
    finally:
        shipped.FOLDER = before
    return folder


def bare_environment(folder: Path) -> dict[str, str]:
    """Environment of a process that finds no compiler: ``folder`` is empty and all that is searched for programs."""
    source = Path(shipped.__file__).parents[2]
    kept = ("SYSTEMROOT", "TEMP", "TMP", "LANG", "LD_LIBRARY_PATH")
    bare = {name: os.environ[name] for name in kept if name in os.environ}
    return bare | {"PATH": str(folder), "HOME": str(folder), "PYTHONPATH": str(source), "MPLBACKEND": "Agg"}
