"""A plugin of pytest that runs each test in a child, then once more with each change that it comes by.

A change of C is made by its variant, one of Python by new code for the functions that it is in: nothing is imported or
built for it. ``DALEMBERT_MUTANTS_JOB`` names a file that says what is to be done (`Job`).
"""

from __future__ import annotations

import gc
import importlib
import json
import mmap
import os
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from _pytest.runner import runtestprotocol
from tests.mutants.variants import FIRST, MAP

JOB = "DALEMBERT_MUTANTS_JOB"
MOST_OF_A_FILE, MOST, SECONDS = 8, 60, 30.0
"""How many tests of a file, and of all, are run for a change, and for how many seconds together."""
MOST_NEAR, SECONDS_NEAR = 24, 20.0
"""Likewise of a file that is near to the change (`nearness`), whatever was run before it."""
_OPTIMISED = 0x1
"""A flag of code of functions, which that of modules and classes does not have."""


@dataclass
class Job:
    """What is to be done with a file of tests.

    Parameters
    ----------
    notes
        File to which is written which changes each test comes by, a line for each test.
    told
        File to which is written what came of each trial, likewise.
    variants
        Numbers of changes that are variants of C.
    texts
        Modules with a change of Python, by the number of the change: file, and its changed text.
    spent
        Of each change that nobody noticed so far, how many tests were run, and how many seconds these took.
    near
        Numbers of changes to which the file is near.
    longest
        Seconds that a test may take to be run with changes.
    patience
        Seconds after which no more tests of the file are run.
    """

    notes: str
    told: str
    variants: list[int] = field(default_factory=list)
    texts: dict[str, tuple[str, str]] = field(default_factory=dict)
    spent: dict[str, tuple[int, float]] = field(default_factory=dict)
    near: list[int] = field(default_factory=list)
    longest: float = 10.0
    patience: float = 600.0


def changed_code(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Functions that differ, each as it was and as it is; ValueError if what differs runs at the import."""
    if before == after:
        return
    inner = [[x for x in code.co_consts if isinstance(x, CodeType)] for code in (before, after)]
    pairs = [(a, b) for a, b in zip(*inner, strict=True) if a != b]
    if before.co_flags & _OPTIMISED:
        yield before, after
    elif not pairs:
        raise ValueError(f"{before.co_name} differs itself")
    for a, b in pairs:
        yield from changed_code(a, b)


class Trials:
    """Runs tests in children."""

    def __init__(self, job: Job) -> None:
        with open(os.environ[MAP], "r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)
        self._job, self._of_file = job, dict[int, tuple[int, float]]()
        self._functions: dict[CodeType, list[FunctionType]] = {}
        self._patches: dict[int, Callable[[], None] | None] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """First one case of each test, then the others: cases of a test notice much the same."""
        seen = Counter[str]()
        turn = dict[pytest.Item, int]()
        for item in items:
            name = item.nodeid.partition("[")[0]
            turn[item], seen[name] = seen[name], seen[name] + 1
        items.sort(key=lambda item: turn[item])

    def pytest_runtest_protocol(self, item: pytest.Item) -> bool:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        if used.ru_utime + used.ru_stime > self._job.patience:
            return True
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        self._map[FIRST:] = bytes(len(self._map) - FIRST)
        status, seconds = self._run(item, 0, None, 120.0, 2.0 * self._job.longest)
        marks = [k for k, mark in enumerate(self._map[FIRST:]) if mark]
        if status == 0:
            self._write(self._job.notes, {"test": item.nodeid, "seconds": round(seconds, 3), "marks": marks})
            for number in marks if seconds <= self._job.longest else ():
                if str(number) in self._job.spent:
                    self._try(item, number, seconds)
        return True

    def _try(self, item: pytest.Item, number: int, seconds: float) -> None:
        count, total = self._job.spent[str(number)]
        of_file, own = self._of_file.get(number, (0, 0.0))
        if number in self._job.near:
            enough = of_file >= MOST_NEAR or own + seconds > SECONDS_NEAR
        else:
            enough = of_file >= MOST_OF_A_FILE or count >= MOST or total + seconds > SECONDS
        if count and enough:
            return
        patch = None
        if number not in self._job.variants:
            if number not in self._patches:
                self._patches[number] = self._patch(number)
            patch = self._patches[number]
            if patch is None:
                return
        status, took = self._run(item, number + 1, patch, 10.0 + 10.0 * seconds)
        self._of_file[number] = of_file + 1, own + took
        self._job.spent[str(number)] = count + 1, total + took
        if status != 2:
            told = {"number": number, "test": item.nodeid, "status": status}
            self._write(self._job.told, {**told, "tests": count + 1, "seconds": round(total + took, 2)})
        if status not in (0, 2):
            del self._job.spent[str(number)]

    @staticmethod
    def _write(file: str, row: dict[str, object]) -> None:
        with open(file, "a") as out:
            out.write(json.dumps(row, separators=(",", ":")) + "\n")

    def _run(
        self, item: pytest.Item, active: int, patch: Callable[[], None] | None, limit: float, alone: float = 0.0
    ) -> tuple[int, float]:
        """Status of a test in a child, and its processor time: 0 passed, 1 failed, 2 skipped, 3 crashed.

        `limit` is in processor seconds of each process, `alone` in those of the test without compilers that it starts.
        """
        self._map[:4] = active.to_bytes(4, sys.byteorder)
        pid = os.fork()
        if pid == 0:
            status = 3
            try:
                os.setsid()
                most = resource.getrlimit(resource.RLIMIT_CPU)[1]
                resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, most))
                if patch is not None:
                    patch()
                signal.signal(signal.SIGPROF, signal.SIG_DFL)
                signal.setitimer(signal.ITIMER_PROF, alone)
                reports = runtestprotocol(item, nextitem=None, log=False)
                status = 1 if any(r.failed for r in reports) else 2 if any(r.skipped for r in reports) else 0
            finally:
                os._exit(status)
        end = time.monotonic() + 60.0 + 10.0 * limit
        while not (done := os.wait4(pid, os.WNOHANG))[0]:
            if time.monotonic() > end:
                os.killpg(pid, signal.SIGKILL)
                done = os.wait4(pid, 0)
                break
            time.sleep(0.005)
        self._map[:4] = bytes(4)
        code = os.waitstatus_to_exitcode(done[1])
        return code if code in (0, 1, 2) else 3, done[2].ru_utime + done[2].ru_stime

    def _patch(self, number: int) -> Callable[[], None] | None:
        """What makes a change of Python in a child; None if it runs at the import, or is one of C outside functions."""
        if str(number) not in self._job.texts:
            return None
        path, text = self._job.texts[str(number)]
        file = Path("src", "dalembert", path).resolve()
        try:
            pairs = list(
                changed_code(*(compile(t, str(file), "exec") for t in (file.read_text(encoding="utf-8"), text)))
            )
        except ValueError:
            return None
        importlib.import_module(".".join(("dalembert", *Path(path).with_suffix("").parts)))
        gc.unfreeze()
        wanted = dict(pairs)
        found = [x for x in gc.get_objects() if isinstance(x, FunctionType) and x.__code__ in wanted]
        gc.freeze()
        if not found:
            return None

        def patch() -> None:
            for function in found:
                function.__code__ = wanted[function.__code__]

        return patch


def pytest_configure(config: pytest.Config) -> None:
    """Begin."""
    config.pluginmanager.register(Trials(Job(**json.loads(Path(os.environ[JOB]).read_text()))))
