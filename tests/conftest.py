"""Settings of the whole test session: a kernel cache of its own, no display, reproducible random tests."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from dalembert.model.cables import CABLE_EXITS
from dalembert.model.constraints import CONSTRAINT_KINDS
from dalembert.model.contacts import SURFACE_KINDS

# Same examples in every run, so that a failure is a change of the code and not of the draw.
# HYPOTHESIS_PROFILE=explore draws new ones, and more of them.
settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("explore", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# What the terminal of whoever runs the tests asks for is not their business: its width, its colours, that it is dumb.
TERMINAL = ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "PY_COLORS", "GITHUB_ACTIONS")
CACHE_VARIABLE = "DALEMBERT_CACHE"  # read by dalembert.compile.cache
_own_cache = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Give the session an empty kernel cache, shared by its workers and by the commands that the tests start.

    DALEMBERT_TEST_CACHE names a folder to keep instead, for repeated runs while developing.
    """
    gc.disable()  # until all tests are collected: they stay, and looking through them takes a quarter of the time
    for name in TERMINAL:
        os.environ.pop(name, None)
    os.environ["TERM"] = "xterm"
    os.environ["MPLBACKEND"] = "Agg"
    if "slow" not in config.getoption("markexpr"):  # to the bit the same lanes, compiled in half of the time
        os.environ.setdefault("DALEMBERT_QUICK_BUILDS", "1")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a background job: what tests start would inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(config, "workerinput"):  # a pytest-xdist worker inherits the folder of its controller
        return
    kept = os.environ.get("DALEMBERT_TEST_CACHE")
    if kept:
        os.environ[CACHE_VARIABLE] = os.path.abspath(kept)
    else:
        config.stash[_own_cache] = os.environ[CACHE_VARIABLE] = tempfile.mkdtemp(prefix="dalembert-test-")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the kernel cache that the session made for itself."""
    folder = config.stash.get(_own_cache, None)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip slow tests, those that take many minutes, and those with Exudyn, unless the -m expression names them.

    `make test-slow` installs Exudyn: what `make test` runs does not depend on whether that was done before.
    """
    gc.freeze()  # modules and collected tests stay: looking through them again and again takes a tenth of the time
    gc.set_threshold(50_000, 20, 100)
    gc.enable()
    for word, expressions in {"slow": ("slow",), "long": ("long",), "exudyn": ("exudyn", "slow")}.items():
        if any(name in config.getoption("markexpr") for name in expressions):
            continue
        skip = pytest.mark.skip(reason=f"{word}: run with -m {word}")
        for item in items:
            if word in item.keywords:
                item.add_marker(skip)


@pytest.fixture(autouse=True)
def registers() -> Iterator[None]:
    """Kinds that a test registers are its own: other tests do not see them."""
    tables: tuple[dict[str, Any], ...] = (CONSTRAINT_KINDS, SURFACE_KINDS, CABLE_EXITS)
    before = [dict(table) for table in tables]
    yield
    for table, kinds in zip(tables, before, strict=True):
        table.clear()
        table.update(kinds)
