"""Machines of the tutorials that simulate in their pages.

The comment ``<!-- live: EXPRESSION -->`` in a tutorial stands where an experiment can be made of the blocks above it.
The build of the documentation runs these blocks, evaluates the expression and writes the page, which a button in the
tutorial's first picture opens.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import dalembert as da

__all__ = ["live_tutorials", "tutorial_experiment"]

TUTORIALS = Path(__file__).resolve().parent / "tutorials"
_LIVE = re.compile(r"^<!-- live: (?P<expression>.*?) -->$", re.M | re.S)
_BLOCK = re.compile(r"(?:^<!-- (?P<comment>[^\n]*) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.M | re.S)
_PICTURE = re.compile(r"^!\[[^\]]*\]\(\.\./figures/(?P<name>\w+)\.png\)", re.M)


def live_tutorials() -> dict[str, Path]:
    """Tutorials that have a live machine, by the name of their first picture."""
    pages = {}
    for path in sorted(TUTORIALS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        if _LIVE.search(text):
            picture = _PICTURE.search(text)
            assert picture, f"{path.name}: a live machine needs a picture"
            pages[picture["name"]] = path
    return pages


def tutorial_experiment(path: Path) -> da.Experiment:
    """The experiment of a tutorial: its blocks above the mark are run in an empty folder.

    Parameters
    ----------
    path
        The tutorial.
    """
    text = path.read_text(encoding="utf-8")
    mark = _LIVE.search(text)
    if mark is None:
        raise da.InputError(f"{path.name} has no comment <!-- live: EXPRESSION -->")
    names: dict[str, Any] = {"__name__": "__main__", "da": da}
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        open(os.devnull, "w") as screen,
        contextlib.redirect_stdout(screen),
    ):
        for block in _BLOCK.finditer(text, 0, mark.start()):
            comment = block["comment"] or ""
            if comment.startswith("file: "):
                Path(comment.removeprefix("file: ")).write_text(block["text"], encoding="utf-8")
            elif block["language"] == "python" and not comment.startswith("no-run"):
                exec(compile(block["text"], path.name, "exec"), names)
        experiment = eval(" ".join(mark["expression"].split()), names)
    if not isinstance(experiment, da.Experiment):
        raise da.InputError(f"the live machine of {path.name} must be an Experiment, got {type(experiment).__name__}")
    return experiment
