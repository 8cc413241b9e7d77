"""Screens of pages that simulate: ``python docs/figures/sharing_figures.py``.

Taken in chromium with software WebGL.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from studio_figures import drawn, save

import dalembert as da
from dalembert.benchmarks import launch_browser
from dalembert.systems import SYSTEMS

FOLDER = Path(__file__).resolve().parent

# Name, machine, size of the window, instant as a part of the run.
SCREENS: dict[str, tuple[str, tuple[int, int], float]] = {
    "sharing": ("double-pendulum", (1200, 1100), 0.3),
    "sharing_phone": ("quadruped", (390, 780), 0.31),
}


def screen(browser: Any, name: str) -> None:
    """Write a page, open it from its file, and take a picture."""
    machine, (width, height), part = SCREENS[name]
    page = browser.new_page(viewport={"width": width, "height": height})
    with tempfile.TemporaryDirectory() as folder:
        path = da.share(SYSTEMS[machine].experiment(), Path(folder) / "machine.html")
        page.goto(path.as_uri())
        page.wait_for_selector("body[data-run='1']", timeout=200_000)
        page.evaluate("(part) => { const p = document.body.live.player; p.pause(); p.seek(part * p.film.end); }", part)
        drawn(page, "document.body.live.player")
        save(page.screenshot(), FOLDER / f"{name}.png", colours=128)
    page.close()


if __name__ == "__main__":
    with launch_browser() as chromium:
        for known in SCREENS:
            screen(chromium, known)
