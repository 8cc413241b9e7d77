"""Files of other engines, told apart by what is in them: URDF and MJCF share the ending ``.xml``."""

from __future__ import annotations

from pathlib import Path

from dalembert.io.mjcf.compiled import root_tag
from dalembert.io.mjcf.load import load_mjcf
from dalembert.io.source import read_bytes
from dalembert.io.urdf import load_urdf
from dalembert.model.machine import Machine

__all__ = ["ROBOT_ENDINGS", "load_robot"]

ROBOT_ENDINGS = (".urdf", ".xml", ".mjcf")
"""Endings of the files that `load_robot` reads."""


def load_robot(path: Path) -> Machine:
    """Read a URDF or MJCF file, whichever it is."""
    text = read_bytes(path, "URDF or MJCF").decode("utf-8", "replace")
    urdf = root_tag(text) == "robot" or path.suffix.lower() == ".urdf"
    return load_urdf(path) if urdf else load_mjcf(path)
