"""Files of other engines, told apart by their content: URDF and MJCF share the ending ``.xml``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dalembert.core.files import read_bytes
from dalembert.core.warn import warn
from dalembert.io.mjcf.compiled import root_tag
from dalembert.io.mjcf.load import note_left_out, read_mjcf
from dalembert.io.urdf import load_urdf
from dalembert.model.machine import Machine

__all__ = ["ROBOT_ENDINGS", "load_robot"]

ROBOT_ENDINGS = (".urdf", ".xml", ".mjcf")
"""Endings of the files that `load_robot` reads."""


def load_robot(path: Path) -> tuple[Machine, dict[str, Any]]:
    """Read a URDF or MJCF file, whichever it is, and how its machine is simulated by default.

    A model of MuJoCo starts where its file puts it, its servos are a PD law, and its contacts are taken through
    time-stepping.
    """
    text = read_bytes(path, "URDF or MJCF").decode("utf-8", "replace")
    if root_tag(text) == "robot" or path.suffix.lower() == ".urdf":
        return load_urdf(path), {}
    read = read_mjcf(path)
    note_left_out(read, path)
    machine, settings = read.machine, dict[str, Any]()
    if np.any(read.q0 != machine.q_neutral):
        settings["q0"] = dict(zip(machine.q_names, read.q0.tolist(), strict=True))
    law = read.law()
    if law is not None:
        settings["control"] = law
    elif read.servos:
        names = ", ".join(servo.motor for servo in read.servos)
        warn(f"{path}: servos without a law, beside thrusters or other actuators of their joints: {names}")
    if machine.contacts:
        settings["contact"] = "time-stepping"
    return machine, settings
