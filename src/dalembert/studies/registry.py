"""The studies that exist: every folder of this room with a module ``study``."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

from dalembert.core.errors import UnknownNameError
from dalembert.studies.expected import Expected
from dalembert.studies.rows import Row

__all__ = ["run_study", "studies"]

_ROOM = Path(__file__).parent


def studies() -> dict[str, str]:
    """Return the studies: name and what each reproduces.

    Examples
    --------
    >>> "textbook" in studies()
    True
    """
    folders = sorted(m.name for m in pkgutil.iter_modules([str(_ROOM)]) if (_ROOM / m.name / "study.py").is_file())
    modules = {folder: importlib.import_module(f"dalembert.studies.{folder}") for folder in folders}
    return {f.replace("_", "-"): (m.__doc__ or "").strip().splitlines()[0] for f, m in modules.items()}


def run_study(name: str) -> Iterator[Row]:
    """Run a study and compare its results with the published values, one by one.

    Parameters
    ----------
    name
        Name of the study: its folder with dashes.
    """
    known = studies()
    if name not in known:
        raise UnknownNameError("study", name, known)
    folder = name.replace("-", "_")
    expected = Expected(name, _ROOM / folder / "expected.yaml")
    results = importlib.import_module(f"dalembert.studies.{folder}.study").results()
    seen = {}
    for key, obtained in results:
        seen[key] = obtained
        yield expected.judge(key, obtained)
    expected.check_complete(seen)
