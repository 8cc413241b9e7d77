"""Frames per second of the player in software WebGL, and the time that its script takes of each.

``dalembert bench studio`` plays a crane of 36 coordinates and a chain of 200 bodies in chromium at 1280 x 800, without
a graphics processor: the performance of a laptop in a virtual machine, or of the least of computers.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.benchmarks.browser import launch_browser
from dalembert.benchmarks.measure import Record
from dalembert.benchmarks.rows import describe
from dalembert.core.types import Array
from dalembert.model.body import box
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.transform import Transform
from dalembert.systems.cranes import planar_crane, uniform_cable
from dalembert.view.page.assets import asset, document, inline_json
from dalembert.view.page.packing import pack_motion

__all__ = ["boxes", "measure_player", "run_studio", "swinging"]

_SIZE = (1280, 800)


def boxes(n: int) -> Machine:
    """A chain of boxes, which a spring-like motion winds up and unwinds."""
    bodies = [box(f"box{i}", 1.0, (0.2, 0.08, 0.05), com=(0.1, 0.0, 0.0)) for i in range(n)]
    joints = [
        Joint(
            f"q{i:03d}",
            "revolute",
            f"box{i - 1}" if i else WORLD,
            f"box{i}",
            Transform((0.2, 0.0, 0.02)) if i else Transform(),
            axis=(0.0, 0.0, 1.0),
        )
        for i in range(n)
    ]
    return Machine(f"{n} boxes", bodies=tuple(bodies), joints=tuple(joints))


def swinging(machine: Machine, amplitude: float, offset: float = 0.0) -> tuple[Machine, Array, Array]:
    """A motion of a machine: waves that run along its coordinates."""
    t = np.linspace(0.0, 10.0, 601)
    k = np.arange(machine.nq)
    return machine, t, offset + amplitude * np.sin(2.0 * t[:, None] - 0.3 * k) / (1 + 0.1 * k)


def measure_player(browser: Any, machine: Machine, t: Array, q: Array, seconds: float) -> Record:
    """Play a motion for some seconds, and count.

    Parameters
    ----------
    browser
        From `launch_browser`.
    machine
        The machine.
    t, q
        Times (n) and coordinates (n, nq).
    seconds
        How long it is watched, after one second that does not count.
    """
    film = inline_json(pack_motion(machine, t, q))
    width, height = _SIZE
    body = (
        '<div id="player" style="position:fixed;inset:0"></div>'
        f"<script>{asset('dalembert.js')}</script>"
        f"<script>dalembert.embed(document.getElementById('player'), {film}, {{own: true, autoplay: true}});</script>"
    )
    page = browser.new_page(viewport={"width": width, "height": height})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "player.html"
        path.write_text(document(machine.name, body, "da-bench"), encoding="utf-8")
        page.goto(path.as_uri())
        page.wait_for_selector("#player[data-loaded]")
        page.wait_for_timeout(1000)
        busy = _processor_time()
        counted = page.evaluate(
            """async (ms) => {
                const { player } = document.getElementById('player');
                const before = { ...player.stats }, began = performance.now();
                await new Promise((done) => setTimeout(done, ms));
                const frames = player.stats.frames - before.frames;
                const script = player.stats.script - before.script;
                return { frames, script, calls: player.stats.calls, ms: performance.now() - began };
            }""",
            1000 * seconds,
        )
        busy = _processor_time() - busy
    page.close()
    frames = max(1, counted["frames"])
    return {
        "scene": machine.name,
        "coordinates": machine.nq,
        "bodies": len(machine.bodies),
        "frames_per_second": 1000 * counted["frames"] / counted["ms"],
        "script_ms_per_frame": counted["script"] / frames,
        "draw_calls": counted["calls"],
        "processor_ms_per_frame": 1000 * busy / frames or None,
        "film_kb": len(film) / 1e3,
    }


def _processor_time() -> float:
    """Seconds of processor time of all processes that this one has started, the browser's; zero where /proc is not.

    Unlike the frames per second, this does not depend on other load of the computer.
    """
    children: dict[int, list[tuple[int, int]]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            first, rest = path.read_text().split(" ", 1)
        except OSError:  # it has just ended
            continue
        fields = rest.rpartition(")")[2].split()
        children.setdefault(int(fields[1]), []).append((int(first), int(fields[11]) + int(fields[12])))
    ticks, waiting = 0, [os.getpid()]
    while waiting:
        for number, used in children.get(waiting.pop(), []):
            ticks += used
            waiting.append(number)
    return ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0


def run_studio(*, quick: bool = False, announce: Callable[[str], None] = lambda _: None) -> Record:
    """Measure the player; a quick run watches it for one second."""
    seconds = 1.0 if quick else 6.0
    settings = {"width": _SIZE[0], "height": _SIZE[1], "seconds": seconds, "webgl": "software (SwiftShader)"}
    about = describe("dalembert bench studio" + (" --quick" if quick else ""), settings)
    crane = planar_crane(uniform_cable(35, 10.0, payload=200.0, mass=20.0))
    cases = [swinging(crane, 0.05), swinging(boxes(200), 0.1, 0.03)]
    rows = []
    with launch_browser() as browser:
        for machine, t, q in cases:
            announce(f"{machine.name}: {machine.nq} coordinates ...")
            rows.append(measure_player(browser, machine, t, q, seconds))
    return {"topic": "studio", **about, "results": rows, "skipped": []}
