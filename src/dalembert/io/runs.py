"""Run files: NetCDF through xarray and h5netcdf, and comma-separated tables.

A run is one Dataset: every state, signal and held value is a variable over ``t`` (its ``role`` and, where ``/`` does
not fit into a variable's name, its ``signal`` are attributes); events are variables over ``event``; the end state is
``final_x`` and ``final_held``; ``machine_file`` is the text of the machine's file; everything else is an attribute.
"""

from __future__ import annotations

import json
import os
from collections.abc import Container
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.core.errors import FileFormatError, InputError
from dalembert.core.files import target_file
from dalembert.io.machine_writer import machine_to_yaml
from dalembert.simulation.run import EndState, EventRecord, Run

if TYPE_CHECKING:
    import pandas
    import xarray

__all__ = ["dataset_to_run", "load_run", "run_to_dataset", "run_to_pandas", "run_to_xarray", "save_run", "write_csv"]

_FORMAT = "dalembert run 1"
_ROLES = ("state", "signal", "held")


def run_to_dataset(run: Run) -> xarray.Dataset:
    """Return a run as an xarray Dataset that holds all of it, for a file."""
    import xarray

    variables = _histories(run)
    n = len(run.state_names)
    variables["event_name"] = ("event", np.array([event.name for event in run.events], dtype=object))
    variables["event_t"] = ("event", np.array([event.t for event in run.events], dtype=float))
    variables["event_direction"] = ("event", np.array([event.direction for event in run.events], dtype=np.int64))
    variables["event_x"] = (("event", "state"), np.array([event.x for event in run.events]).reshape(-1, n))
    variables["final_x"] = ("state", run.final.x)
    variables["final_held"] = ("held", run.final.held)
    if run.source is not None:  # a variable, since attributes are short
        variables["machine_file"] = ((), run.source if isinstance(run.source, str) else machine_to_yaml(run.source))
    numbers = {f.name: getattr(run.final, f.name) for f in fields(EndState) if f.name not in ("x", "held")}
    attributes = {
        "format": _FORMAT,
        "status": run.status,
        "message": run.message,
        "metadata": json.dumps(dict(run.metadata)),
        **{f"final_{name}": value for name, value in numbers.items()},
    }
    return xarray.Dataset(variables, coords={"t": ("t", run.t, {"units": "s"})}, attrs=attributes)


def run_to_xarray(run: Run) -> xarray.Dataset:
    """Return the histories of a run as an xarray Dataset; ``to_dataframe()`` of it has a row per time."""
    import xarray

    attributes: dict[str, Any] = {"status": run.status, "message": run.message}
    attributes["metadata"] = json.dumps(dict(run.metadata))
    if run.events:
        attributes |= {"event_name": [e.name for e in run.events], "event_t": [e.t for e in run.events]}
    return xarray.Dataset(_histories(run), coords={"t": ("t", run.t, {"units": "s"})}, attrs=attributes)


def run_to_pandas(run: Run) -> pandas.DataFrame:
    """Return the histories of a run as a pandas DataFrame."""
    try:
        import pandas
    except ImportError:
        raise InputError("to_pandas needs the package pandas, which is not installed; to_csv does without") from None
    index = pandas.Index(run.t, name="t")
    return pandas.DataFrame(np.hstack([run.x, run.y, run.held]), index=index, columns=list(run.names))


def _histories(run: Run) -> dict[str, Any]:
    variables: dict[str, Any] = {}
    blocks = ((run.state_names, run.x), (run.signal_names, run.y), (run.held_names, run.held))
    for role, (names, block) in zip(_ROLES, blocks, strict=True):
        for k, name in enumerate(names):
            attributes = {"role": role, "position": k, "signal": name}
            variables[_variable(name, variables)] = ("t", block[:, k], attributes)
    return variables


def dataset_to_run(dataset: xarray.Dataset) -> Run:
    """Return the run that a Dataset holds."""
    attributes = dataset.attrs
    if attributes.get("format") != _FORMAT:
        raise InputError(f"not a run: its format is {attributes.get('format')!r}, expected {_FORMAT!r}")
    names: dict[str, tuple[str, ...]] = {}
    blocks: dict[str, Any] = {}
    for role in _ROLES:
        found = [v for v in dataset.data_vars.values() if v.attrs.get("role") == role]
        found.sort(key=lambda v: v.attrs["position"])
        names[role] = tuple(str(v.attrs["signal"]) for v in found)
        columns = np.array([v.values for v in found], dtype=float).reshape(len(found), dataset.sizes["t"])
        blocks[role] = np.ascontiguousarray(columns.T)
    events = zip(
        *(dataset[f"event_{key}"].values for key in ("name", "t", "x", "direction")),
        strict=True,
    )
    numbers: dict[str, Any] = {
        f.name: attributes[f"final_{f.name}"] for f in fields(EndState) if f.name not in ("x", "held")
    }
    return Run(
        t=np.array(dataset["t"].values, dtype=float),
        x=blocks["state"],
        y=blocks["signal"],
        held=blocks["held"],
        state_names=names["state"],
        signal_names=names["signal"],
        held_names=names["held"],
        events=tuple(EventRecord(str(name), float(t), np.array(x), int(sign)) for name, t, x, sign in events),
        status=str(attributes["status"]),
        message=str(attributes["message"]),
        final=EndState(
            x=np.array(dataset["final_x"].values, dtype=float),
            held=np.array(dataset["final_held"].values, dtype=float),
            samples=int(numbers.pop("samples")),
            **{name: float(value) for name, value in numbers.items()},
        ),
        metadata=json.loads(attributes["metadata"]),
        source=str(dataset["machine_file"].values[()]) if "machine_file" in dataset else None,
    )


def save_run(run: Run, path: str | os.PathLike[str]) -> Path:
    """Write a run as NetCDF; a file of that name is replaced only once the new one is complete."""
    target = target_file(path)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    dataset = run_to_dataset(run)
    try:
        dataset.to_netcdf(part, engine="h5netcdf", encoding={name: {"_FillValue": None} for name in _floats(dataset)})
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
    return target


def load_run(path: str | os.PathLike[str]) -> Run:
    """Read a run that `save_run` wrote.

    Raises
    ------
    FileFormatError
        If there is no such file, or it does not hold a run.
    """
    import xarray

    try:
        source = Path(path)
    except TypeError:
        raise InputError(f"a run file must be a path, got {path!r}") from None
    if not source.is_file():
        raise FileFormatError(f"{source}: no such run file")
    try:
        with xarray.open_dataset(source, engine="h5netcdf", decode_cf=False) as dataset:
            return dataset_to_run(dataset.load())
    except InputError as error:
        raise FileFormatError(f"{source}: {error}") from None
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise FileFormatError(f"{source}: cannot be read as a run ({type(error).__name__}: {error})") from error


def write_csv(run: Run, path: str | os.PathLike[str]) -> Path:
    """Write t and all signals as columns; numbers have the digits that restore them exactly."""
    import csv

    target = target_file(path)
    table = np.column_stack([run.t, run.x, run.y, run.held])
    with open(target, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["t", *run.names])
        writer.writerows(table.tolist())
    return target


def _variable(name: str, taken: Container[str]) -> str:
    reserved = name.startswith(("event_", "final_")) or name in ("event", "state", "held", "machine_file")
    variable = ("signal_" if reserved else "") + name.replace("/", "|")
    while variable in taken:
        variable += "_"
    return variable


def _floats(dataset: xarray.Dataset) -> list[Any]:
    return [name for name, variable in dataset.variables.items() if variable.dtype == np.float64]
