"""The engine as an installation compiles it: the one that is installed, or one for all tests of a session."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dalembert.compile import cache_directory
from dalembert.engine import shipped
from dalembert.engine.sources import UNITS

INSTALLED = shipped.FOLDER


def shipped_engine() -> Path:
    """Return a folder with the compiled engine: that of this installation if it has the sources of now.

    Skips where nothing can compile it.
    """
    own, before = cache_directory().parent / "shipped", shipped.FOLDER
    try:
        for folder in (INSTALLED, own):
            shipped.FOLDER = folder
            if all(shipped.shipped_state(unit) == "current" for unit in UNITS):
                return folder
        command = shipped.compiler_command()
        if command is None:
            pytest.skip("there is no C compiler")
        shipped.compile_engine(command, own)
    finally:
        shipped.FOLDER = before
    return own


def bare_environment(folder: Path) -> dict[str, str]:
    """Environment of a process that finds no compiler: ``folder`` is empty and all that is searched for programs."""
    source = Path(shipped.__file__).parents[2]
    kept = ("SYSTEMROOT", "TEMP", "TMP", "LANG", "LD_LIBRARY_PATH")
    bare = {name: os.environ[name] for name in kept if name in os.environ}
    return bare | {"PATH": str(folder), "HOME": str(folder), "PYTHONPATH": str(source), "MPLBACKEND": "Agg"}
