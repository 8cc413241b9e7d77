"""Ways to open a machine in the studio: ready-made, from a text or an upload, from a file of the command line."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from dalembert.control.law_blocks import law_block
from dalembert.core.errors import DalembertError, FileFormatError, InputError, UnknownNameError
from dalembert.core.warn import warn
from dalembert.io.control_blocks import make_law
from dalembert.io.experiment_files import load_experiment
from dalembert.io.machine_check import check_machine
from dalembert.io.realtime import Realtime
from dalembert.io.robot_files import ROBOT_ENDINGS, load_robot
from dalembert.loop.experiment import Experiment
from dalembert.model.body import Body
from dalembert.model.geometry import Geometry, Mesh
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.systems.catalogue import SYSTEMS
from dalembert.view.studio.opened import Opened, machine_text

__all__ = [
    "open_object",
    "open_path",
    "open_run",
    "open_stored",
    "open_system",
    "open_text",
    "open_upload",
    "stored",
    "with_known_meshes",
]


def open_system(name: str) -> Opened:
    """Open a ready-made machine."""
    if name not in SYSTEMS:
        raise UnknownNameError("ready-made machine", name, SYSTEMS)
    system = SYSTEMS[name]
    text = system.to_yaml()
    return Opened(name, system.experiment(), text, _control(text), about=system.description, system=name)


def open_text(text: str, title: str = "machine file", before: Opened | None = None) -> Opened:
    """Open the text of a machine file that came from a page, or say everything that is wrong with it.

    It has no folder; the only meshes that it may name are those of the machine that was open ``before``.
    """
    if not isinstance(text, str) or not text.strip():
        raise FileFormatError(f"{title}: is empty, expected a machine file")
    text = text.rstrip() + "\n"  # with a line's end it is a text, never a path
    try:
        experiment = load_experiment(text)
    except DalembertError as error:
        faults: list[DalembertError] = [*check_machine(text)] or [error]
        raise FileFormatError("\n".join(str(fault).replace("<text>", title, 1) for fault in faults)) from None
    experiment = experiment.replace(machine=with_known_meshes(experiment.machine, title, before))
    folder = before.folder if before is not None else None
    return Opened(title, experiment, text, _control(text), folder=folder)


def with_known_meshes(machine: Machine, title: str, before: Opened | None = None) -> Machine:
    """Refuse a machine from a page that names files of this computer, except meshes that were open before."""
    known = {} if before is None else {_resolved(mesh, before.folder): mesh for mesh in _meshes(before.machine)}
    folder = before.folder if before is not None else None
    named = [_resolved(mesh, folder) for mesh in _meshes(machine)]
    if not named:
        return machine

    def allowed(body: str, mesh: Mesh) -> Path:
        path = _resolved(mesh, folder)
        if path not in known:
            raise FileFormatError(
                f"{title}: body '{body}' has the mesh '{mesh.file}'; a page may not read files: open the "
                "machine with: dalembert studio FILE"
            )
        return path

    return _placed(machine, allowed)


def _placed(machine: Machine, path: Callable[[str, Mesh], Path]) -> Machine:
    """The machine with other paths of its meshes."""

    def placed(body: str, geometry: Geometry) -> Geometry:
        if not isinstance(geometry.solid, Mesh):
            return geometry
        return replace(geometry, solid=replace(geometry.solid, file=str(path(body, geometry.solid))))

    bodies = [
        replace(body, geometry=tuple(placed(body.name, geometry) for geometry in body.geometry))
        if isinstance(body, Body)
        else body
        for body in machine.bodies
    ]
    return machine.with_(bodies=bodies)


def _meshes(machine: Machine) -> list[Mesh]:
    parts = [geometry for body in machine.bodies if isinstance(body, Body) for geometry in body.geometry]
    return [geometry.solid for geometry in parts if isinstance(geometry.solid, Mesh)]


def _resolved(mesh: Mesh, folder: Path | None) -> Path:
    return ((folder or Path.cwd()) / mesh.file).resolve()


def open_run(run: Run, title: str) -> Opened:
    """Open a run, and its machine with the same start and parameters."""
    machine = run.machine
    if not isinstance(machine, Machine):
        raise InputError(f"{title}: this run does not contain its machine")
    starts = {
        "q0": {name: float(run[name][0]) for name in machine.q_names if name in run},
        "v0": {name: float(run[name][0]) for name in machine.v_names if name in run},
        "p": dict(run.metadata.get("parameters") or {}),
    }
    settings: dict[str, Any] = {key: value for key, value in starts.items() if value}
    settings |= dict(run.metadata.get("settings") or {})
    block, note = run.metadata.get("control"), ""
    if isinstance(block, dict):
        settings["control"] = make_law(block, {parameter.name: parameter for parameter in machine.parameters})
    elif block:
        note = f"; its law in Python ({block}) is not part of it"
    law = block if isinstance(block, dict) else None
    experiment = Experiment(machine).replace(**settings)
    return Opened(title, experiment, control=law, run=run, about=f"run file: {run.status}{note}")


def open_object(subject: object) -> Opened:
    """Open an experiment, a machine, a run or a loop of this process."""
    if isinstance(subject, Realtime):
        return open_object(subject.experiment)
    if isinstance(subject, Run):
        return open_run(subject, "run")
    if isinstance(subject, Machine | Experiment):
        experiment = subject if isinstance(subject, Experiment) else Experiment(subject)
        block = None if experiment.control is None else law_block(experiment.control)
        return Opened(experiment.machine.name, experiment, control=block if isinstance(block, dict) else None)
    raise InputError(f"a studio opens an Experiment, a Machine, a Run or a Realtime, got {type(subject).__name__}")


def open_path(path: Path) -> Opened:
    """Open an argument of the command line: a machine file, a URDF, an MJCF or a run file."""
    suffix = path.suffix.lower()
    if suffix == ".nc":
        return open_run(Run.load(path), path.name)
    if suffix in ROBOT_ENDINGS:
        machine, settings = load_robot(path)
        return Opened(path.name, Experiment(machine).replace(**settings), folder=path.resolve().parent)
    if suffix not in (".yaml", ".yml"):
        raise FileFormatError(
            f"{path}: expected a machine file (.yaml, .yml), a .urdf, an MJCF (.xml) or a run file (.nc)"
        )
    experiment = load_experiment(path)
    text = path.read_text(encoding="utf-8")
    return Opened(path.name, experiment, text, _control(text), folder=path.resolve().parent)


def _control(text: str) -> dict[str, Any] | None:
    """The block ``control`` of a machine file that is known to be one."""
    import yaml

    simulation = yaml.safe_load(text).get("simulation") or {}
    control = simulation.get("control")
    return dict(control) if isinstance(control, dict) else None


# -- uploads ----------------------------------------------------------------


def open_upload(digits: str, title: str) -> Opened:
    """Open a run file, a URDF or an MJCF that a page has sent, two hexadecimal digits per byte."""
    try:
        content = bytes.fromhex(digits)
    except ValueError:
        raise InputError(f"{title}: was not received completely") from None
    ending = Path(title).suffix.lower()
    with tempfile.TemporaryDirectory(prefix="dalembert-studio-") as folder:
        path = Path(folder) / f"uploaded{ending if ending in ROBOT_ENDINGS else '.nc'}"
        try:
            if ending in ROBOT_ENDINGS:
                path.write_bytes(_without_files(content, title))
                machine, settings = load_robot(path)
                return Opened(title, Experiment(machine).replace(**settings))
            path.write_bytes(content)
            opened = open_run(Run.load(path), title)
        except DalembertError as error:
            raise FileFormatError(str(error).replace(str(path), title)) from None
    known = with_known_meshes(opened.machine, title)
    return replace(opened, experiment=opened.experiment.replace(machine=known))


def _without_files(content: bytes, title: str) -> bytes:
    """A URDF without its meshes; refuse an MJCF that names other files: a page may not read them."""
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise FileFormatError(f"{title}: is not XML: {error}") from None
    lost = 0
    if root.tag == "robot":
        for link in root.iter("link"):
            for shape in [*link.findall("visual"), *link.findall("collision")]:
                if shape.find("geometry/mesh") is not None:
                    link.remove(shape)
                    lost += 1
    named = next((element for element in root.iter() if {"file", "filename"} & set(element.attrib)), None)
    if named is not None:
        file = named.get("file") or named.get("filename")
        raise FileFormatError(
            f"{title}: <{named.tag}> names the file '{file}'; a page may not read files: open the machine with: "
            "dalembert studio FILE"
        )
    if not lost:
        return content
    warn(f"{title}: {lost} meshes are left out, since a page may not read files; dalembert studio FILE has them")
    return ElementTree.tostring(root, encoding="utf-8")


# -- sessions ----------------------------------------------------------------


def stored(opened: Opened) -> dict[str, Any]:
    """A machine that is open as a session stores it; a run that was opened with it is stored elsewhere."""
    about = {"title": opened.title, "about": opened.about}
    if opened.system:
        return about | {"system": opened.system}
    lost = ""
    try:
        text = opened.text or opened.experiment.to_yaml()
    except InputError as error:
        text, lost = machine_text(opened.experiment), str(error)
    return about | {"text": text, "folder": str(opened.folder) if opened.folder else "", "lost": lost}


def open_stored(data: Mapping[str, Any], run: Run | None = None) -> Opened:
    """Open a machine of a session again."""
    title, about = str(data["title"]), str(data.get("about", ""))
    if run is not None:
        return replace(open_run(run, title), about=about)
    if "system" in data:
        return open_system(str(data["system"]))
    text, folder = str(data["text"]), Path(data["folder"]) if data.get("folder") else None
    if text.startswith("# ") and text.count("\n") == 1:
        raise InputError(text.removeprefix("# ").strip())  # no file could hold the machine
    experiment = load_experiment(text)
    if folder is not None:
        experiment = experiment.replace(machine=_placed(experiment.machine, lambda _, mesh: _resolved(mesh, folder)))
    if data.get("lost"):
        about = f"{about} (without a part that existed in the previous process only: {data['lost']})"
    return Opened(title, experiment, text, _control(text), about=about, folder=folder)
