"""Run files: NetCDF through xarray and h5netcdf, and comma-separated tables.

A run is one Dataset: every state, signal and held value is a variable over ``t`` (its ``role`` and, where ``/`` does
not fit into a variable's name, its ``signal`` are attributes); events are variables over ``event``; the end state is
``final_x`` and ``final_held``; ``machine_file`` is the text of the machine's file; everything else is an attribute.
One of them is a digest of all the others and of the arrays: a file in which a bit has changed is not a run.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Container
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.core.errors import DalembertError, FileFormatError, InputError
from dalembert.core.files import read_bytes, rescue_file, write_file
from dalembert.io.machine_writer import machine_to_yaml
from dalembert.io.units import signal_units
from dalembert.simulation.run import EndState, EventRecord, Run

if TYPE_CHECKING:
    import pandas
    import xarray

__all__ = ["dataset_to_run", "load_run", "run_to_dataset", "run_to_pandas", "run_to_xarray", "save_run", "write_csv"]

_FORMAT = "dalembert run 1"
_ROLES = ("state", "signal", "held")


def _metadata(run: Run) -> dict[str, Any]:
    """Metadata of a run, with the digest of its experiment."""
    digest = {} if run.experiment is None else {"experiment": run.experiment.digest}
    return {**run.metadata, **digest}


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
        "metadata": json.dumps(_metadata(run)),
        **{f"final_{name}": value for name, value in numbers.items()},
    }
    dataset = xarray.Dataset(variables, coords={"t": ("t", run.t, {"units": "s"})}, attrs=attributes)
    dataset.attrs["checksum"] = _checksum(dataset)
    return dataset


def run_to_xarray(run: Run) -> xarray.Dataset:
    """Return the histories of a run as an xarray Dataset; ``to_dataframe()`` of it has a row per time."""
    import xarray

    attributes: dict[str, Any] = {"status": run.status, "message": run.message}
    attributes["metadata"] = json.dumps(dict(run.metadata))
    if run.events:
        attributes |= {"event_name": [e.name for e in run.events], "event_t": [e.t for e in run.events]}
    dataset = xarray.Dataset(_histories(run), coords={"t": ("t", run.t, {"units": "s"})}, attrs=attributes)
    units = signal_units(run)
    for variable in dataset.data_vars.values():
        if variable.attrs["signal"] in units:
            variable.attrs["units"] = units[variable.attrs["signal"]]
    return dataset


def run_to_pandas(run: Run) -> pandas.DataFrame:
    """Return the histories of a run as a pandas DataFrame."""
    try:
        import pandas
    except ImportError:
        raise InputError("to_pandas needs the package pandas, which is not installed; to_csv does not") from None
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
        variables = [v for v in dataset.data_vars.values() if v.attrs.get("role") == role]
        variables.sort(key=lambda v: v.attrs["position"])
        if [int(v.attrs["position"]) for v in variables] != list(range(len(variables))):
            raise InputError(f"a {role} is missing: found {', '.join(str(v.attrs['signal']) for v in variables)}")
        names[role] = tuple(str(v.attrs["signal"]) for v in variables)
        columns = np.array([v.values for v in variables], dtype=float).reshape(len(variables), dataset.sizes["t"])
        blocks[role] = np.ascontiguousarray(columns.T)
    events = zip(
        *(dataset[f"event_{key}"].values for key in ("name", "t", "x", "direction")),
        strict=True,
    )
    numbers: dict[str, Any] = {
        f.name: attributes[f"final_{f.name}"] for f in fields(EndState) if f.name not in ("x", "held")
    }
    run = Run(
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
    _check_complete(run)
    return run


def _check_complete(run: Run) -> None:
    """Refuse a run in which something is missing: states of its end or of events, rows, numbers."""
    states = len(run.state_names)
    sizes = {"the final state": run.final.x.size} | {f"event '{e.name}'": e.x.size for e in run.events}
    for what, size in sizes.items():
        if size != states:
            raise InputError(f"{what} has {size} numbers, but there are {states} states")
    if run.final.held.size < len(run.held_names):
        raise InputError(f"the final held values are {run.final.held.size}, expected {len(run.held_names)} or more")
    if not len(run.t):
        raise InputError("it has no rows")
    if np.any(np.diff(run.t) < 0.0):
        raise InputError("its times decrease")
    columns = {"t": run.t, "final_x": run.final.x, **{name: run[name] for name in (*run.state_names, *run.held_names)}}
    for name, values in columns.items():
        if not np.isfinite(values).all():
            raise InputError(f"'{name}' has a number that is not finite")


def _checksum(dataset: xarray.Dataset) -> str:
    """Digest of all variables and attributes, whatever the order in which a file keeps them."""
    digest = hashlib.sha256()

    def put(text: str) -> None:
        digest.update(f"{len(text)}:{text}".encode("utf-8", "surrogatepass"))

    def put_attributes(attributes: dict[Any, Any]) -> None:
        for key in sorted(map(str, attributes)):
            if key != "checksum" and not key.startswith("_"):  # those belong to the format (_FillValue)
                value = attributes[key]
                put(f"{key}={value.item() if isinstance(value, np.generic) else value!s}")

    for name in sorted(map(str, dataset.variables)):
        variable = dataset.variables[name]
        put(f"{name} {variable.dims} {variable.shape}")
        put_attributes(variable.attrs)
        if variable.dtype.kind in "fiu":
            digest.update(np.ascontiguousarray(variable.values, dtype=np.dtype(variable.dtype.kind + "8")).tobytes())
        else:
            for item in variable.values.ravel():
                put(str(item))
    put_attributes(dataset.attrs)
    return digest.hexdigest()


def save_run(run: Run, path: str | os.PathLike[str]) -> Path:
    """Write a run as NetCDF; a file of that name is replaced only once the new one is complete.

    HDF5 writes to memory: it does not survive a disk that is full.

    Raises
    ------
    WriteError
        If it cannot be written there; the message says where it was rescued to.
    """
    dataset = run_to_dataset(run)
    encoding = {name: {"_FillValue": None} for name in _floats(dataset)}
    return _write(path, bytes(dataset.to_netcdf(engine="h5netcdf", encoding=encoding)), "run.nc")


def load_run(path: str | os.PathLike[str]) -> Run:
    """Read a run that `save_run` wrote.

    Raises
    ------
    FileFormatError
        If there is no such file, it does not hold a run, or its checksum differs.
    """
    import h5py
    import xarray

    try:
        source = Path(path)
    except TypeError:
        raise InputError(f"a run file must be a path, got {path!r}") from None
    data = read_bytes(source, "run", largest=2**40)
    try:
        with h5py.File(io.BytesIO(data)) as header:  # fails here where h5netcdf would be left half open
            list(header.attrs.items())
        with xarray.open_dataset(io.BytesIO(data), engine="h5netcdf", decode_cf=False) as opened:
            dataset = opened.load()
        run = dataset_to_run(dataset)
        whole = dataset.attrs.get("checksum") == _checksum(dataset)
    except InputError as error:
        raise FileFormatError(f"{source}: {error}") from None
    except Exception as error:  # a damaged file makes HDF5 and its readers fail in any way
        raise FileFormatError(f"{source}: cannot be read as a run ({type(error).__name__}: {error})") from error
    if not whole:
        raise FileFormatError(f"{source}: its content is damaged (the checksum differs)")
    return run


def write_csv(run: Run, path: str | os.PathLike[str]) -> Path:
    """Write t and all signals as columns; numbers have the digits that restore them exactly."""
    import csv

    table = np.column_stack([run.t, run.x, run.y, run.held])
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["t", *run.names])
    writer.writerows(table.tolist())
    return _write(path, text.getvalue(), "run.csv")


def _write(path: str | os.PathLike[str], data: bytes | str, name: str) -> Path:
    """Write a run, or write it elsewhere and say where: it may have taken hours."""
    try:
        return write_file(path, data)
    except DalembertError as error:
        rescued = rescue_file(name, data)
        place = "it could not be written elsewhere either" if rescued is None else f"the run was rescued to {rescued}"
        raise type(error)(f"{error}; {place}") from error


def _variable(name: str, taken: Container[str]) -> str:
    reserved = name.startswith(("event_", "final_")) or name in ("event", "state", "held", "machine_file")
    variable = ("signal_" if reserved else "") + name.replace("/", "|")
    while variable in taken:
        variable += "_"
    return variable


def _floats(dataset: xarray.Dataset) -> list[Any]:
    return [name for name, variable in dataset.variables.items() if variable.dtype == np.float64]
