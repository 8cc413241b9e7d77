"""A real browser, without a display: Debian's chromium with software WebGL, driven by Playwright."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dalembert.benchmarks import launch_browser
from dalembert.core.errors import InputError


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    try:
        with launch_browser() as browser:
            yield browser
    except InputError as missing:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{missing} (CI=true: not skipped)")
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def node_modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages that the sources of the page are built and tested with."""
    sources = Path(__file__).resolve().parents[2] / "frontend"
    if all((sources / "node_modules" / name).is_dir() for name in ("axe-core", "puppeteer-core")):
        return sources / "node_modules"
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs npm")
    folder = tmp_path_factory.mktemp("npm") / "frontend"
    shutil.copytree(sources, folder, ignore=shutil.ignore_patterns("node_modules"))
    try:
        subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=folder, check=True, timeout=300)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"npm could not install the packages of the page: {error}")
    return folder / "node_modules"


class Watched:
    """A page, with what went wrong in it and what it asked of whom."""

    def __init__(self, browser: Any) -> None:
        self.context = browser.new_context(viewport={"width": 1000, "height": 640}, accept_downloads=True)
        self.context.set_default_timeout(60_000)
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page = self.new()

    def new(self) -> Any:
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: self.requests.append(request.url))
        return page


def drawn(page: Any, player: str = "studioPage.player") -> None:
    """Wait until the picture of a player shows what it was asked for, sharply."""
    page.wait_for_function(
        f"() => {{ const {{ stage, playing }} = {player}; return !stage.dirty && (playing || !stage.unsharp); }}"
    )


@pytest.fixture
def watched(browser: Any) -> Iterator[Watched]:
    made = Watched(browser)
    yield made
    made.context.close()
