"""A plugin of pytest that notes which changes each test comes by (``-p tests.mutants.plugin``).

``DALEMBERT_MUTANTS_MAP`` is the file of marks, ``DALEMBERT_MUTANTS_NOTE`` the file for the notes.
"""

from __future__ import annotations

import json
import mmap
import os
import time
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.mutants.variants import FIRST, MAP

NOTE = "DALEMBERT_MUTANTS_NOTE"


class Notes:
    """Marks by test, of tests that pass, a line each: what is noted stays when a test takes too long."""

    def __init__(self) -> None:
        with open(os.environ[MAP], "r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)
        self._none = bytes(len(self._map) - FIRST)
        self._note, self._failed = Path(os.environ[NOTE]), set[str]()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self._map[FIRST:] = self._none
        started = time.process_time()
        result = yield
        if item.nodeid not in self._failed:
            marks = [k for k, mark in enumerate(self._map[FIRST:]) if mark]
            note = {"test": item.nodeid, "seconds": round(time.process_time() - started, 3), "marks": marks}
            with self._note.open("a") as out:
                out.write(json.dumps(note, separators=(",", ":")) + "\n")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self._failed.add(report.nodeid)


def pytest_configure(config: pytest.Config) -> None:
    """Begin."""
    config.pluginmanager.register(Notes())
