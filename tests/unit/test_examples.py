"""Every example, and the code that the README shows, runs as a user would run it."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dalembert

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))


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


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(script: Path, tmp_path: Path) -> None:
    assert run_script(script, tmp_path).strip(), f"{script.name} prints nothing: it should say what it shows"


def robot_file(name: str) -> Path:
    """A URDF of the example-robot-data distribution."""
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    return next(Path(str(file.locate())) for file in files if file.name == name)


def test_readme_code_runs(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", readme, re.M | re.S))
    verbs = set(re.findall(r"\bda\.(\w+)", code))
    assert verbs, "the README shows no Python"
    missing = sorted(verbs - set(dalembert.__all__))
    if missing and not FOLDER.exists():  # the public names come before the first example
        pytest.skip(f"not there yet: {', '.join(missing)}")
    shutil.copy(robot_file("panda.urdf"), tmp_path)
    script = tmp_path / "readme.py"
    script.write_text(code, encoding="utf-8")
    assert run_script(script, tmp_path).strip()
