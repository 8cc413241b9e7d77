"""The studies that exist: every folder of this room with a module ``study``."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from dalembert.core.errors import UnknownNameError
from dalembert.studies.expected import Expected
from dalembert.studies.rows import Row, Stored

__all__ = ["expected_values", "run_study", "studies"]

_ROOM = Path(__file__).parent


def studies() -> dict[str, str]:
    """Return the studies: name and reproduced results.

    Examples
    --------
    >>> "textbook" in studies()
    True
    """
    folders = sorted(m.name for m in pkgutil.iter_modules([str(_ROOM)]) if (_ROOM / m.name / "study.py").is_file())
    modules = {folder: importlib.import_module(f"dalembert.studies.{folder}") for folder in folders}
    return {f.replace("_", "-"): (m.__doc__ or "").strip().splitlines()[0] for f, m in modules.items()}


def expected_values(name: str) -> Expected:
    """Return the expected values of a study, without running it.

    Parameters
    ----------
    name
        Name of the study: its folder with dashes.

    Examples
    --------
    >>> from dalembert.studies import expected_values
    >>> len(expected_values("ropes").entries) > 50
    True
    """
    known = studies()
    if name not in known:
        raise UnknownNameError("study", name, known)
    return Expected(name, _ROOM / name.replace("-", "_") / "expected.yaml")


def run_study(name: str, *, full: bool = True) -> Iterator[Row]:
    """Run a study and compare its results with the expected values, one by one.

    Parameters
    ----------
    name
        Name of the study: its folder with dashes.
    full
        All rows; without it the short form, which leaves out slow rows (``form: full`` in the data file).

    Examples
    --------
    >>> from dalembert.studies import run_study
    >>> row = next(run_study("textbook", full=False))
    >>> row.ok
    True
    """
    expected = expected_values(name)
    folder = name.replace("-", "_")
    results = importlib.import_module(f"dalembert.studies.{folder}.study").results(full=full)
    seen = {}
    for key, obtained in results:
        seen[key] = obtained
        if isinstance(obtained, Stored):
            yield replace(expected.judge(key, obtained.value), stored=obtained.date)
        else:
            yield expected.judge(key, obtained)
    expected.check_complete(seen, full=full)
