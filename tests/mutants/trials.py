"""Changes are made in a copy of the checkout, and the tests that come by them are run there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.mutants.changes import Change
from tests.mutants.machine_code import same_machine_code, unit_errors
from tests.mutants.notes import Notes
from tests.mutants.plugin import JOB, Job
from tests.mutants.variants import MAP, PYTHON_MODULE, marked_c, marked_python

__all__ = ["Claims", "Copy", "Verdict", "Verdicts"]

NOTICED, SURVIVED, UNCOVERED, SAME, REFUSED = "noticed", "survived", "uncovered", "same code", "no program"
_REFUSED = re.compile(r"mutant (\d+)\.:[\d:]* error")
COUNTED = (NOTICED, SURVIVED, UNCOVERED)
"""Verdicts that count: the others are no changes of what the machine does."""


@dataclass(frozen=True)
class Verdict:
    """What became of a change.

    Parameters
    ----------
    key, path, line, old, new
        The change.
    source
        Its line as it was.
    verdict
        Whether tests noticed it.
    by
        The test that did.
    tests
        How many were run.
    """

    key: str
    path: str
    line: int
    old: str
    new: str
    source: str
    verdict: str
    by: str = ""
    tests: int = 0

    @property
    def language(self) -> str:
        """Of the file."""
        return "python" if self.path.endswith(".py") else "c"


class Verdicts:
    """Verdicts in a file, a line each, by the keys of their changes; a trial that has one is not made again."""

    def __init__(self, file: Path, stored: Iterable[Verdict] = ()) -> None:
        self._file = file
        lines = file.read_text().splitlines() if file.exists() else []
        self.known = {verdict.key: verdict for verdict in (*stored, *(Verdict(**json.loads(line)) for line in lines))}

    def add(self, verdict: Verdict) -> None:
        """Keep a verdict."""
        self.known[verdict.key] = verdict
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a") as out:
            out.write(json.dumps(asdict(verdict)) + "\n")


class Claims:
    """What processes at work have taken on, so that several share the work; what those took that have ended is free.

    Parameters
    ----------
    folder
        Where claims are kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def take(self, name: str) -> bool:
        """Whether this process may do it."""
        file = self._folder / name
        try:
            with file.open("x") as out:
                out.write(str(os.getpid()))
        except FileExistsError:
            owner = int(file.read_text() or 0)
            if owner == os.getpid() or (owner and Path(f"/proc/{owner}").exists()):
                return False
            file.write_text(str(os.getpid()))
        return True


class Copy:
    """A copy of the checkout in which texts mark changes, C has them as variants, and one at a time is made.

    Parameters
    ----------
    root
        The checkout.
    folder
        Where the copy is made.
    kernels
        Cache of compiled code.
    changes
        Those that are to be tried; the others of this class are made by writing files anew.
    """

    def __init__(self, root: Path, folder: Path, kernels: Path, changes: Sequence[Change] = ()) -> None:
        self._folder, self._kernels, self._changes = folder, kernels, tuple(changes)
        self._package, self._map = folder / "src" / "dalembert", folder / "marks"
        self._variants, self.refused = set[int](), set[int]()
        self._age = int(time.time())
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, capture_output=True, text=True, check=True
        )
        for name in filter(None, listed.stdout.split("\0")):
            to = folder / name
            to.parent.mkdir(parents=True, exist_ok=True)
            if (root / name).is_file():
                to.write_bytes((root / name).read_bytes())
        (folder / "src" / "dalembert_marks.py").write_text(PYTHON_MODULE)
        self._map.write_bytes(bytes(1 << 14))
        self._originals = {
            path: (self._package / path).read_text(encoding="utf-8") for path in {x.path for x in changes}
        }
        for path in self._originals:
            self._write(path, self._text(path))
        server = Path(__file__).with_name("server.py")
        self._server = subprocess.Popen(
            [sys.executable, str(server)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Copy:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.communicate()

    def _original(self, path: str) -> str:
        if path not in self._originals:
            self._originals[path] = (self._package / path).read_text(encoding="utf-8")
        return self._originals[path]

    def _text(self, path: str) -> str:
        own = [(k, x) for k, x in enumerate(self._changes) if x.path == path and k not in self.refused]
        if not own:
            return self._original(path)
        if path.endswith(".py"):
            return marked_python(self._original(path), own)
        text, made = marked_c(self._original(path), own)
        self._variants |= made
        return text

    def _write(self, path: str, text: str) -> None:
        file = self._package / path
        file.write_text(text, encoding="utf-8")
        self._age += 2  # compiled modules know their sources by time and size
        os.utime(file, (self._age, self._age))

    @contextmanager
    def changed(self, change: Change) -> Iterator[None]:
        """Make a change, for a while."""
        number = self._changes.index(change) if change in self._changes else -1
        if number in self._variants and number not in self.refused:
            self._activate(number + 1)
        elif change.language == "python":
            own = [(k, x) for k, x in enumerate(self._changes) if x.path == change.path]
            self._write(change.path, marked_python(change.applied(self._original(change.path)), own))
        else:
            self._write(change.path, change.applied(self._original(change.path)))
        try:
            yield
        finally:
            self._activate(0)
            if number not in self._variants or number in self.refused:
                self._write(change.path, self._text(change.path))

    def _activate(self, number: int) -> None:
        with self._map.open("r+b") as file:
            file.write(number.to_bytes(4, sys.byteorder))

    def _run(self, arguments: Sequence[str], seconds: float, **environment: str) -> tuple[int | None, str]:
        """Status of pytest, and what it tells; None if it takes four times the processor time that it may take."""
        assert self._server.stdin is not None and self._server.stdout is not None
        path = [str(self._folder / "src"), str(self._folder)]
        common = {"PYTHONPATH": os.pathsep.join([*path, os.environ.get("PYTHONPATH", "")]), MAP: str(self._map)}
        kernels = {"DALEMBERT_TEST_CACHE": str(self._kernels), "DALEMBERT_QUICK_BUILDS": "1"}
        job = {
            "arguments": ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=short", *arguments],
            "environment": {**common, **kernels, **environment},
            "folder": str(self._folder), "path": path, "seconds": seconds, "wall": 4.0 * seconds,
        }  # fmt: skip
        self._server.stdin.write(json.dumps(job) + "\n")
        self._server.stdin.flush()
        answer: dict[str, Any] = json.loads(self._server.stdout.readline())
        return answer["status"], answer["told"]

    def try_file(self, tests: str, job: Job, scratch: Path, seconds: float) -> str:
        """Run a file of tests with each change that they come by; changes that the compiler refuses are left out."""
        given = scratch / "job.json"
        notes, told = Path(job.notes), Path(job.told)
        while True:
            notes.write_text("")
            told.write_text("")
            given.write_text(json.dumps(asdict(job)))
            status, text = self._run(["-p", "tests.mutants.plugin", tests], seconds, **{JOB: str(given)})
            refused = {int(n) for n in _REFUSED.findall(text)} - self.refused
            if not refused:
                return "" if status in (0, 1, 5) else f"it ended with status {status} {text[-2000:]}"
            self.refuse(refused)

    def variants(self) -> list[int]:
        """Numbers of changes of C that are variants."""
        return sorted(self._variants - self.refused)

    def texts(self) -> dict[str, tuple[str, str]]:
        """Changed texts of Python, with their files, by numbers of the changes."""
        texts = {}
        for k, change in enumerate(self._changes):
            if change.language == "python":
                own = [(j, x) for j, x in enumerate(self._changes) if x.path == change.path]
                texts[str(k)] = change.path, marked_python(change.applied(self._original(change.path)), own)
        return texts

    def refuse_units(self) -> None:
        """Find changes that the compiler refuses in units of the engine, and take them out."""
        while refused := {int(n) for n in _REFUSED.findall(unit_errors(self._package / "engine"))} - self.refused:
            self.refuse(refused)

    def refuse(self, numbers: set[int]) -> None:
        """Take out variants that do not compile."""
        self.refused |= numbers
        for path in {self._changes[number].path for number in numbers}:
            self._write(path, self._text(path))

    def run_tests(self, tests: Sequence[str], limit: float) -> tuple[str, str]:
        """Run tests until one fails: the verdict, and which one it was."""
        status, told = self._run(["-x", "-m", "slow or not slow", *tests], limit)
        if status == 0:
            return SURVIVED, ""
        if "the C compiler failed on" in told:
            return REFUSED, ""
        failed = [line for line in told.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        if failed:
            return NOTICED, failed[0].split()[1]
        ended = status is None or status in (-9, -24)
        return NOTICED, f"no end after {limit:.0f} s" if ended else f"status {status}"

    def judge(self, change: Change, number: int, notes: Notes) -> Verdict:
        """What became of a change, by the notes; one that runs when a module is imported is tried now."""
        if number in self.refused:
            return self._verdict(change, REFUSED)
        if number in notes.noticed:
            return self._verdict(change, NOTICED, *notes.noticed[number])
        if number in notes.spent:
            return self._compared(change, SURVIVED, notes.spent[number][0])
        tests = notes.chosen(number)
        return self.tried(change, tests) if tests else self._compared(change, UNCOVERED, 0)

    def tried(self, change: Change, tests: Sequence[str], limit: float = 300.0) -> Verdict:
        """Make a change and run tests."""
        with self.changed(change):
            verdict, by = self.run_tests(tests, limit)
        if verdict == NOTICED and "::" not in by and self.run_tests(tests, limit)[0] != SURVIVED:
            return self._verdict(change, UNCOVERED, f"tests fail without the change: {by}", len(tests))
        if verdict == SURVIVED:
            return self._compared(change, verdict, len(tests))
        return self._verdict(change, verdict, by, len(tests))

    def _compared(self, change: Change, verdict: str, tests: int) -> Verdict:
        """C that survives is compared as machine code with what it was."""
        text = self._original(change.path)
        if change.language == "c" and same_machine_code(change.path, text, change.applied(text)):
            verdict = SAME
        return self._verdict(change, verdict, "", tests)

    def _verdict(self, change: Change, verdict: str, by: str = "", tests: int = 0) -> Verdict:
        source = self._original(change.path).splitlines()[change.line - 1].strip()
        return Verdict(change.key, change.path, change.line, change.old, change.new, source, verdict, by, tests)
