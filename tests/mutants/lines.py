"""Which tests run a line: notes that `plugin` makes of every file of tests, and the choice of a few tests from them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Lines", "note_lines"]

CHEAPEST, NEAREST = 12, 12
"""Tests of a line that are run: the cheapest ones, and those that spend most of their lines in its file."""


@dataclass
class Lines:
    """Tests by file and line.

    Parameters
    ----------
    tests
        Of each line of each file, which tests run it.
    seconds
        Processor time of each test.
    share
        Of each file and test, the part of the lines that the test runs which are in the file.
    """

    tests: dict[str, dict[int, list[str]]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    share: dict[str, dict[str, float]] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Lines:
        """What has been noted so far."""
        lines, run = cls(), dict[str, Counter[str]]()
        for note in sorted((folder / "lines").glob("*.json")):
            data = json.loads(note.read_text())
            names = data["tests"]
            lines.seconds.update(zip(names, data["seconds"], strict=True))
            for path, of in data["lines"].items():
                for line, numbers in of.items():
                    lines.tests.setdefault(path, {}).setdefault(int(line), []).extend(names[i] for i in numbers)
                    run.setdefault(path, Counter()).update(names[i] for i in numbers)
        total: Counter[str] = sum(run.values(), Counter())
        lines.share = {path: {name: n / total[name] for name, n in count.items()} for path, count in run.items()}
        return lines

    def chosen(self, path: str, line: int, limit: float) -> list[str]:
        """Tests to run for a line, the cheapest first, of at most `limit` seconds together.

        Lines that run when a module is imported belong to no test: any that runs another line of the file may notice.
        Compilers make no code of a declaration, or of a line within a statement: those around it are run with it.
        """
        of = self.tests.get(path, {})
        around = [line] if path.endswith(".py") else sorted(range(line - 3, line + 4), key=lambda n: abs(n - line))
        tests = next((of[n] for n in around if n in of), [])
        if not tests and path.endswith(".py"):
            tests = sorted({name for names in of.values() for name in names})
        cheap = sorted(tests, key=lambda name: self.seconds[name])
        near = sorted(tests, key=lambda name: -self.share[path][name])
        wanted, total = dict.fromkeys([*near[:NEAREST], *cheap[:CHEAPEST]]), 0.0
        chosen = []
        for name in sorted(wanted, key=lambda name: self.seconds[name]):
            total += self.seconds[name]
            if chosen and total > limit:
                break
            chosen.append(name)
        return chosen


def note_lines(root: Path, folder: Path, files: list[Path], limit: float) -> None:
    """Run files of tests that have no notes yet, each in a process of its own, and note the lines of their tests."""
    for file in files:
        name = file.relative_to(root).as_posix()
        if (folder / "lines" / (name.replace("/", ".") + ".json")).exists():
            continue
        print(f"noting the lines that {name} runs", flush=True)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.mutants.plugin", "-p", "no:cacheprovider", name]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root), os.environ.get("PYTHONPATH", "")]),
            "DALEMBERT_MUTANTS": str(folder),
            "DALEMBERT_TEST_CACHE": str(folder / "kernels"),
        }
        try:
            done = subprocess.run(
                command, cwd=root, env=environment, timeout=limit, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            if done.returncode not in (0, 1, 5):
                print(f"  it ended with status {done.returncode}: no lines of it are known")
        except subprocess.TimeoutExpired:
            print(f"  it takes more than {limit:g} s: left out")
