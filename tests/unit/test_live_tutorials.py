"""Machines of the tutorials that simulate in their pages."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.view.page.live import live_experiment

_SPEC = spec_from_file_location("live_machines", Path(__file__).resolve().parents[2] / "docs" / "live_machines.py")
assert _SPEC is not None and _SPEC.loader is not None
_SPEC.loader.exec_module(live_machines := module_from_spec(_SPEC))
TUTORIALS: dict[str, Path] = live_machines.live_tutorials()


def test_most_tutorials_have_one() -> None:
    assert len(TUTORIALS) >= 9 and all(name.startswith("tutorial_") for name in TUTORIALS)


def test_the_crane_of_its_page() -> None:
    experiment = live_machines.tutorial_experiment(TUTORIALS["tutorial_crane"])
    run = da.simulate(live_experiment(experiment), progress=False)
    assert run.status == "completed" and np.ptp(run["theta"]) > 0.5


def test_a_page_without_one_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Nothing\n")
    with pytest.raises(da.InputError, match="has no comment"):
        live_machines.tutorial_experiment(page)
    page.write_text("<!-- live: 1 + 1 -->\n")
    with pytest.raises(da.InputError, match="must be an Experiment, got int"):
        live_machines.tutorial_experiment(page)


@pytest.mark.slow
@pytest.mark.parametrize("name", TUTORIALS)
def test_pages_can_simulate_them(name: str) -> None:
    live_experiment(live_machines.tutorial_experiment(TUTORIALS[name]))
