"""Every example, and the code that the README shows, runs as a user would run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))
SLOW = {"capture_campaign", "crane_laws_over_a_stack", "crane_over_a_stack", "crane_transport", "flexible_arm"}
SLOW |= {"identification", "panda_computed_torque"}
LONG = {"plants_of_other_fidelity"}


def marks(name: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] * (name in SLOW | LONG) + [pytest.mark.long] * (name in LONG)


def run_script(script: Path, folder: Path) -> str:
    """Run a script in a folder of its own, without a display, and return what it prints."""
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=folder,
        env={**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{script.name} failed\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_examples_are_found() -> None:
    """A folder of examples in which none is found is a mistake, not a success."""
    assert EXAMPLES or not FOLDER.exists()
    assert set(FOLDER.rglob("*.py")) == set(EXAMPLES), "examples are the files of one folder"


@pytest.mark.parametrize("script", [pytest.param(p, id=p.stem, marks=marks(p.stem)) for p in EXAMPLES])
def test_example_runs(script: Path, tmp_path: Path) -> None:
    assert run_script(script, tmp_path).strip(), f"{script.name} prints nothing: it should say what it shows"
