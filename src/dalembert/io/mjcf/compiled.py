"""A model file as MuJoCo's own parser and compiler understand it: defaults, includes, inertias of geoms resolved."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.core.errors import FileFormatError, InputError
from dalembert.core.files import read_bytes
from dalembert.core.types import Array
from dalembert.model.transform import Transform

__all__ = ["TEXT", "Compiled", "compile_mjcf", "pose", "root_tag", "unique"]

TEXT = "<text>"
_KINDS = {
    "body": "mjOBJ_BODY",
    "joint": "mjOBJ_JOINT",
    "geom": "mjOBJ_GEOM",
    "site": "mjOBJ_SITE",
    "actuator": "mjOBJ_ACTUATOR",
    "equality": "mjOBJ_EQUALITY",
    "tendon": "mjOBJ_TENDON",
    "key": "mjOBJ_KEY",
    "mesh": "mjOBJ_MESH",
}
_ROOT = re.compile(r"<!--.*?-->|<[?!][^>]*>|<\s*([A-Za-z_][\w:.-]*)", re.DOTALL)


class Compiled:
    """A compiled model with names for all of its elements, and the list of elements that are not carried over.

    Parameters
    ----------
    mujoco
        The package.
    spec, model
        The source text, and the model that MuJoCo compiled from it.
    label
        Name of the file.
    """

    def __init__(self, mujoco: Any, spec: Any, model: Any, label: str) -> None:
        self.mujoco, self.spec, self.model, self.label = mujoco, spec, model, label
        self.left_out: list[str] = []

    def name(self, kind: str, index: int) -> str:
        """Name of an element; an unnamed one is called by its kind and number."""
        text = self.mujoco.mj_id2name(self.model, getattr(self.mujoco.mjtObj, _KINDS[kind]), int(index))
        return str(text).strip() if text and str(text).strip() else f"{kind}{index}"

    def array(self, name: str, size: int) -> Array:
        """A field of the model; zeros where this version of MuJoCo has none."""
        value = getattr(self.model, name, None)
        return np.zeros(size) if value is None else np.asarray(value, dtype=float)

    def disabled(self, flag: str) -> bool:
        """Whether an option of the file switches something off."""
        return bool(self.model.opt.disableflags & int(getattr(self.mujoco.mjtDisableBit, f"mjDSBL_{flag}")))

    def leave_out(self, what: str) -> None:
        """Note something that the machine does not have."""
        if what not in self.left_out:
            self.left_out.append(what)


def compile_mjcf(source: str | Path) -> Compiled:
    """Parse and compile a model file, or the XML text of one."""
    if not isinstance(source, str | Path):
        raise InputError(f"an MJCF source must be a path or an XML text, got {type(source).__name__}")
    try:
        import mujoco
    except ImportError:
        raise InputError("MJCF is read by MuJoCo's own parser: pip install 'dalembert[mjcf]'") from None
    is_text = isinstance(source, str) and "<" in source
    label = TEXT if is_text else str(source)
    text = str(source) if is_text else read_bytes(Path(source), "MJCF").decode("utf-8", "replace")
    tag = root_tag(text)
    if tag != "mujoco":
        hint = ": this is a URDF file, which load_urdf reads" if tag == "robot" else ": this is not an MJCF file"
        complaint = f"the root element is <{tag}>" if tag else "there is no XML element"
        raise FileFormatError(f"{label}: {complaint}, expected <mujoco>{hint}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is out of date in the file is for its author
            spec = mujoco.MjSpec.from_string(text) if is_text else mujoco.MjSpec.from_file(str(source))
            return Compiled(mujoco, spec, spec.compile(), label)
    except (ValueError, mujoco.FatalError) as error:
        message = " ".join(str(error).split()) or "MuJoCo rejects it without a reason"
        line = re.search(r"line (\d+)", message)
        place = f"{label}:{line[1]}" if line and int(line[1]) > 0 else label
        raise FileFormatError(f"{place}: MuJoCo rejects it: {message}") from None


def root_tag(text: str) -> str | None:
    """Name of the first element of an XML text."""
    return next((match[1] for match in _ROOT.finditer(text) if match[1]), None)


def unique(wanted: list[str], taken: set[str] | None = None) -> list[str]:
    """Names made unique by numbers behind those that occur again."""
    used, count, result = set(taken or ()), Counter[str](), []
    for name in wanted:
        candidate = name
        while candidate in used:
            count[name] += 1
            candidate = f"{name}.{count[name] + 1}"
        used.add(candidate)
        result.append(candidate)
    return result


def pose(position: Array, quaternion: Sequence[float] | Array) -> Transform:
    """A placement from MuJoCo's numbers."""
    return Transform.quaternion([float(x) for x in quaternion], [float(x) for x in position])
