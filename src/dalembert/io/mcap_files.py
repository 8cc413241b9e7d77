"""Runs as MCAP files, which Foxglove and rerun open: signals, poses of the bodies, events."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.files import target_file, write_file
from dalembert.core.version import __version__
from dalembert.formulations.equations import derive
from dalembert.io.units import signal_units
from dalembert.model.joint import WORLD
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.spatial.rotations import quaternion_from_matrix

__all__ = ["write_mcap"]

_TIME = {"type": "object", "properties": {"sec": {"type": "integer"}, "nsec": {"type": "integer"}}}
_VECTOR = {"type": "object", "properties": {axis: {"type": "number"} for axis in "xyz"}}
_QUATERNION = {"type": "object", "properties": {axis: {"type": "number"} for axis in "xyzw"}}
_TRANSFORM = {
    "type": "object",
    "properties": {
        "timestamp": _TIME,
        "parent_frame_id": {"type": "string"},
        "child_frame_id": {"type": "string"},
        "translation": _VECTOR,
        "rotation": _QUATERNION,
    },
}
_TRANSFORMS = {"type": "object", "properties": {"transforms": {"type": "array", "items": _TRANSFORM}}}
_LOG = {
    "type": "object",
    "properties": {"timestamp": _TIME, "level": {"type": "integer"}, "message": {"type": "string"}},
}
_INFO = 2  # level of a log message


def write_mcap(run: Run, path: str | os.PathLike[str]) -> Path:
    """Write a run as an MCAP file (needs the extra ``mcap``).

    The file has the topics ``/signals`` (all states and signals of a row as one JSON message, with their units in its
    schema), ``/tf`` (poses of all bodies in the world, ``foxglove.FrameTransforms``) and ``/events``
    (``foxglove.Log``). Times are those of the run; values that are not finite are null.

    Parameters
    ----------
    run
        The run.
    path
        The file (.mcap).
    """
    try:
        from mcap.writer import CompressionType, Writer
    except ImportError:
        raise InputError("MCAP files need the package mcap: pip install 'dalembert[mcap]'") from None
    target = target_file(path, (".mcap",))
    if float(run.t[0]) < 0.0:
        raise InputError(f"times of an MCAP file must not be negative, but this run starts at {float(run.t[0]):g} s")
    buffer = BytesIO()
    packed = find_spec("zstandard") is not None
    writer = Writer(buffer, compression=CompressionType.ZSTD if packed else CompressionType.NONE)
    writer.start(profile="", library=f"dalembert {__version__}")
    channels = {}
    for topic, name, schema in (
        ("/signals", "dalembert.Signals", _signals_schema(run)),
        ("/tf", "foxglove.FrameTransforms", _TRANSFORMS),
        ("/events", "foxglove.Log", _LOG),
    ):
        number = writer.register_schema(name=name, encoding="jsonschema", data=json.dumps(schema).encode())
        channels[topic] = writer.register_channel(topic=topic, message_encoding="json", schema_id=number)
    for sequence, (time, topic, message) in enumerate(sorted(_messages(run), key=lambda entry: entry[0])):
        nanoseconds = round(time * 1e9)
        data = json.dumps(message, allow_nan=False).encode()
        writer.add_message(
            channels[topic], log_time=nanoseconds, publish_time=nanoseconds, data=data, sequence=sequence
        )
    writer.finish()
    return write_file(target, buffer.getvalue())


def _signals_schema(run: Run) -> dict[str, Any]:
    units = signal_units(run)
    properties = {name: {"type": "number", "description": f"[{units.get(name, '')}]"} for name in run.names}
    return {"type": "object", "properties": properties}


def _stamp(time: float) -> dict[str, int]:
    nanoseconds = round(time * 1e9)
    return {"sec": nanoseconds // 10**9, "nsec": nanoseconds % 10**9}


def _messages(run: Run) -> Iterator[tuple[float, str, dict[str, Any]]]:
    values = np.column_stack([run[name] for name in run.names])
    for time, row in zip(run.t.tolist(), values.tolist(), strict=True):
        yield time, "/signals", {n: x if np.isfinite(x) else None for n, x in zip(run.names, row, strict=True)}
    for event in run.events:
        yield event.t, "/events", {"timestamp": _stamp(event.t), "level": _INFO, "message": event.name}
    machine = run.machine
    if not isinstance(machine, Machine) or any(name not in run for name in machine.q_names):
        return
    eom = derive(machine, backend="vm")
    q, p = run.array(machine.q_names), run.metadata.get("parameters")
    good = np.flatnonzero(np.isfinite(q).all(axis=1))
    poses = {body.name: eom.pose(body.name, q[good], p=p) for body in machine.bodies}
    for k, row in enumerate(good):
        time = float(run.t[row])
        transforms = [_transform(time, name, pose[k]) for name, pose in poses.items()]
        yield time, "/tf", {"transforms": transforms}


def _transform(time: float, name: str, pose: Any) -> dict[str, Any]:
    w, x, y, z = (float(c) for c in quaternion_from_matrix(pose[:3, :3]))
    place = dict(zip("xyz", (float(c) for c in pose[:3, 3]), strict=True))
    turned = {"x": x, "y": y, "z": z, "w": w}
    return {
        "timestamp": _stamp(time), "parent_frame_id": WORLD, "child_frame_id": name, "translation": place,
        "rotation": turned,
    }  # fmt: skip
