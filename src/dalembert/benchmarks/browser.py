"""A browser without a display, for measurements and tests of the page: chromium with software WebGL, by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dalembert.core.errors import InputError

__all__ = ["launch_browser"]

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_SOFTWARE_GL = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist")
_QUIET = (
    "--no-sandbox",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--metrics-recording-only",
    "--disable-default-apps",
    "--disable-extensions",
)


@contextmanager
def launch_browser() -> Iterator[Any]:
    """Launch the browser; raise `InputError` where the program or Playwright is missing.

    Examples
    --------
    >>> from dalembert.benchmarks import launch_browser
    >>> with launch_browser() as browser:  # doctest: +SKIP
    ...     page = browser.new_page()
    """
    program = next((path for name in _PROGRAMS if (path := shutil.which(name))), None)
    if program is None:
        raise InputError("no browser: install chromium (Debian, Ubuntu: apt install chromium)")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise InputError("the browser is driven by the package playwright: pip install playwright") from None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[*_SOFTWARE_GL, *_QUIET])
        try:
            yield browser
        finally:
            browser.close()
