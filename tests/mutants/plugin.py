"""A plugin of pytest that notes which lines of Python and C each test runs (``-p tests.mutants.plugin``).

``DALEMBERT_MUTANTS`` is the folder for notes, in which each file of tests has one.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Generator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "dalembert"


class Notes:
    """Lines by test, in Python and in C."""

    def __init__(self, folder: Path) -> None:
        import coverage  # of the extra "mutants"

        self.folder, self.seconds, self.native = folder, dict[str, float](), dict[str, dict[str, set[int]]]()
        self.python = coverage.Coverage(data_file=None, source=[str(PACKAGE)], config_file=False)
        self.python.start()
        from tests.mutants.engine_coverage import EngineCoverage

        self.engine = EngineCoverage(folder / "objects") if EngineCoverage.available() else None
        if self.engine is not None:
            self.engine.install()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.python.switch_context(item.nodeid)
        started = time.process_time() + sum(os.times()[2:4])
        result = yield
        self.seconds[item.nodeid] = time.process_time() + sum(os.times()[2:4]) - started
        self.python.switch_context("")
        if self.engine is not None:
            self.native[item.nodeid] = self.engine.lines()
        return result

    def pytest_sessionfinish(self) -> None:
        self.python.stop()
        data = self.python.get_data()
        names = list(self.seconds)
        number = {name: i for i, name in enumerate(names)}
        lines: dict[str, dict[int, list[int]]] = {}
        for file in data.measured_files():
            path = str(Path(file).relative_to(PACKAGE))
            for line, contexts in data.contexts_by_lineno(file).items():
                tests = sorted(number[c] for c in contexts if c in number)
                if tests:
                    lines.setdefault(path, {})[line] = tests
        for name, files in self.native.items():
            for path, run in files.items():
                for line in run:
                    lines.setdefault(path, {}).setdefault(line, []).append(number[name])
        for file in sorted({name.split("::")[0] for name in names}):
            own = [i for i, name in enumerate(names) if name.split("::")[0] == file]
            place = {i: k for k, i in enumerate(own)}
            kept = {
                path: {line: [place[i] for i in tests if i in place] for line, tests in of.items()}
                for path, of in lines.items()
            }
            note = {
                "tests": [names[i] for i in own],
                "seconds": [round(self.seconds[names[i]], 3) for i in own],
                "lines": {p: {n: t for n, t in of.items() if t} for p, of in kept.items() if any(of.values())},
            }
            to = self.folder / "lines" / (file.replace("/", ".") + ".json")
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_text(json.dumps(note, separators=(",", ":")))


def pytest_configure(config: pytest.Config) -> None:
    """Begin."""
    config.pluginmanager.register(Notes(Path(os.environ["DALEMBERT_MUTANTS"])))
