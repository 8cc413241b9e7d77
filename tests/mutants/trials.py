"""A change is made in a copy of the checkout, and the tests of its line are run there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.mutants.changes import Change

__all__ = ["Copy", "Verdict", "Verdicts"]

NOTICED, SURVIVED, UNCOVERED, SAME, REFUSED = "noticed", "survived", "uncovered", "same code", "no program"
COUNTED = (NOTICED, SURVIVED, UNCOVERED)
"""Verdicts that count: the others are no changes of what the machine does."""

_MACHINE_CODE = """
import subprocess, sys
from pathlib import Path
from dalembert.engine.sources import UNITS, unit_text
from dalembert.compile.build import find_toolchain, usable_flags
folder, chain = Path(sys.argv[1]), find_toolchain()
for unit in UNITS:
    (folder / "unit.c").write_text(unit_text(unit))
    (folder / (unit + ".text")).write_text(unit_text(unit))
    command = [*chain.command, "-O1", *usable_flags(chain), "-c", "unit.c", "-o", unit + ".o"]
    if subprocess.run(command, cwd=folder).returncode:
        sys.exit(3)
"""


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


class Copy:
    """A copy of the checkout in which one file at a time is changed.

    Parameters
    ----------
    root
        The checkout.
    folder
        Where the copy is made, of links to what is in the checkout.
    kernels
        Cache of compiled code.
    """

    def __init__(self, root: Path, folder: Path, kernels: Path) -> None:
        self._root, self._folder, self._kernels = root, folder, kernels
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, capture_output=True, text=True, check=True
        )
        for name in filter(None, listed.stdout.split("\0")):
            to = folder / name
            to.parent.mkdir(parents=True, exist_ok=True)
            if (root / name).is_file():
                to.write_bytes((root / name).read_bytes())
        self._age = int(time.time())

    @contextmanager
    def changed(self, change: Change) -> Iterator[None]:
        """Make a change, for a while."""
        file = self._folder / "src" / "dalembert" / change.path
        text = file.read_text(encoding="utf-8")
        self._write(file, change.applied(text))
        try:
            yield
        finally:
            self._write(file, text)

    def _write(self, file: Path, text: str) -> None:
        file.write_text(text, encoding="utf-8")
        self._age += 2  # compiled modules know their sources by time and size
        os.utime(file, (self._age, self._age))

    def _environment(self) -> dict[str, str]:
        path = os.pathsep.join([str(self._folder / "src"), str(self._folder), os.environ.get("PYTHONPATH", "")])
        kernels = {"DALEMBERT_TEST_CACHE": str(self._kernels), "DALEMBERT_QUICK_LANES": "1"}
        return {**os.environ, "PYTHONPATH": path, **kernels}

    def run_tests(self, tests: Sequence[str], limit: float) -> tuple[str, str]:
        """Run tests until one fails: the verdict, and which one it was."""
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            "--tb=short",
        ]
        process = subprocess.Popen(
            [*command, "-m", "slow or not slow", *tests],
            cwd=self._folder, env=self._environment(), text=True, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            told = process.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return NOTICED, f"no end after {limit:.0f} s"
        if process.returncode == 0:
            return SURVIVED, ""
        if "the C compiler failed on" in told:
            return REFUSED, ""
        failed = [line for line in told.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        return NOTICED, failed[0].split()[1] if failed else f"status {process.returncode}"

    def units(self, folder: Path) -> tuple[dict[str, bytes], dict[str, bytes]] | None:
        """Texts and machine code of the engine's units; None if the compiler refuses them."""
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-c", _MACHINE_CODE, str(folder)]
        if subprocess.run(command, env=self._environment(), capture_output=True).returncode:
            return None
        texts, code = ({file.stem: file.read_bytes() for file in folder.glob(f"*.{end}")} for end in ("text", "o"))
        return texts, code

    def judge(self, change: Change, tests: Sequence[str], limit: float, scratch: Path) -> Verdict:
        """Make a change and run its tests; C that survives is compared as machine code with what it was."""
        source = (self._folder / "src" / "dalembert" / change.path).read_text(encoding="utf-8").splitlines()
        known = (change.key, change.path, change.line, change.old, change.new, source[change.line - 1].strip())
        if not tests:
            return Verdict(*known, UNCOVERED)
        after = None
        with self.changed(change):
            verdict, by = self.run_tests(tests, limit)
            if verdict == SURVIVED and change.language == "c":
                after = self.units(scratch)
                verdict = SURVIVED if after is not None else REFUSED
        if verdict == NOTICED and "::" not in by and self.run_tests(tests, limit)[0] != SURVIVED:
            return Verdict(*known, UNCOVERED, f"tests fail without the change: {by}", len(tests))
        if verdict == SURVIVED and change.language == "c":
            before = self.units(scratch)
            if before is not None and after is not None and before[0] != after[0] and before[1] == after[1]:
                verdict = SAME
        return Verdict(*known, verdict, by, len(tests))
