"""Pages that simulate beside native runs: steps per second of ten machines.

``dalembert bench wasm`` prints its table. The page runs in chromium; both record a hundred rows.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.benchmarks.browser import launch_browser
from dalembert.benchmarks.measure import Record, Timing
from dalembert.benchmarks.rows import describe
from dalembert.loop.experiment import Experiment
from dalembert.loop.simulate import run_experiment
from dalembert.systems import SYSTEMS
from dalembert.view.page.live import live_experiment, share_page

__all__ = ["WASM_MACHINES", "measure_page", "run_wasm"]

WASM_MACHINES = (
    *("double-pendulum", "six-axis-arm", "spatial-crane", "planar-flexible-arm", "canadarm"),
    *("bricard-mechanism", "pulley-robot", "eight-cable-robot", "bouncing-ball", "quadruped"),
)
_ROWS = 100
_WARM = 3  # runs of either that do not count: browsers compile twice, soon and well
_RUN = """async () => {
    const { engine, live, player } = document.body.live;
    player.pause();
    engine.start(live.program.x0, live.program.p0);
    const { seconds, steps, x } = await engine.run(live.settings.duration);
    return { seconds, steps, last: [...x.at(-1)] };
}"""


def measure_page(browser: Any, name: str, repetitions: int) -> Record:
    """Run a ready-made machine natively and in a page, in turns.

    Parameters
    ----------
    browser
        From `launch_browser`.
    name
        Name of the machine.
    repetitions
        Runs of either that count.
    """
    given: Experiment = SYSTEMS[name].experiment()
    duration = given.duration or 10.0
    given = given.replace(duration=duration, record=duration / _ROWS)
    text, experiment = share_page(given), live_experiment(given)
    page = browser.new_page()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(text, encoding="utf-8")
        page.goto(path.as_uri())
        page.wait_for_selector("body[data-run='1']", timeout=120_000)
        runs, there = [], []
        for _ in range(repetitions + _WARM):
            runs.append(run_experiment(experiment, check=False, progress=False))
            there.append(page.evaluate(_RUN))
    page.close()
    native = Timing(tuple(float(run.metadata["wall_time"]) for run in runs[_WARM:]))
    browsed = Timing(tuple(float(run["seconds"]) for run in there[_WARM:]))
    nq = experiment.equations.nq
    return {
        "machine": name,
        "duration": duration,
        "steps": int(runs[-1].metadata["steps"]),
        "native_steps_per_second": runs[-1].metadata["steps"] / native.median,
        "page_steps_per_second": there[-1]["steps"] / browsed.median,
        "native_times_real_time": duration / native.median,
        "page_times_real_time": duration / browsed.median,
        "ratio": browsed.relative_to(native),
        "difference": float(np.abs(np.array(there[-1]["last"][:nq]) - runs[-1].x[-1, :nq]).max()),
        "page_kb": len(text) / 1e3,
    }


def run_wasm(*, quick: bool = False, announce: Callable[[str], None] = lambda _: None) -> Record:
    """Measure pages that simulate beside native runs; a quick run takes one machine."""
    repetitions = 2 if quick else 11
    settings = {"quick": quick, "repetitions": repetitions, "rows": _ROWS}
    about = describe("dalembert bench wasm" + (" --quick" if quick else ""), settings)
    rows: list[Record] = []
    with launch_browser() as browser:
        for name in WASM_MACHINES[:1] if quick else WASM_MACHINES:
            announce(f"{name} ...")
            rows.append(measure_page(browser, name, repetitions))
    return {"topic": "wasm", **about, "results": rows, "skipped": []}
