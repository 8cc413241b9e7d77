"""A machine as an FMU: generated C, FMI functions, description, and a binary for this kind of computer."""

from __future__ import annotations

import hashlib
import io
import os
import re
import sys
import uuid
import zipfile
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile import find_toolchain
from dalembert.core.errors import InputError
from dalembert.core.files import target_file, temporary_folder, write_file
from dalembert.core.types import StateLike
from dalembert.core.warn import warn
from dalembert.formulations.equations import EquationsOfMotion, MachineOrEquations, derive
from dalembert.io.fmu.build import build_program, is_x86
from dalembert.io.fmu.description import Content, build_description, model_description
from dalembert.io.fmu.program import Standalone, standalone
from dalembert.loop.closed_loop import Event
from dalembert.loop.switches import Switch
from dalembert.simulation.contact.methods import ContactMethod

__all__ = ["export_fmu"]

VERSIONS = ("2.0", "3.0")
_PLATFORMS = {"linux": ("linux64", "x86_64-linux", ".so"), "darwin": ("darwin64", "x86_64-darwin", ".dylib")}
_DATE = (1980, 1, 1, 0, 0, 0)  # the same file for the same machine


def export_fmu(
    machine: MachineOrEquations,
    path: str | os.PathLike[str],
    *,
    control: Any = None,
    q0: StateLike = None,
    v0: StateLike = None,
    p: Mapping[str, float] | ArrayLike | None = None,
    step: float = 1e-3,
    limits: str = "record",
    contact: str | Mapping[str, Any] | ContactMethod | None = None,
    events: Sequence[Event] = (),
    switches: Sequence[Switch] = (),
    version: str = "2.0",
    binary: bool = True,
) -> Path:
    """Write a machine as an FMU, for co-simulation (with its solver) and model exchange.

    Its inputs are the commands of motors and thrusters (without ``control``), its outputs all states and signals of a
    simulation, its parameters those of the machine and the step of the solver (RK4; constraints by projection). Events
    and what happens at them (impacts, cables that slacken, switches) are inside: they are located in co-simulation, and
    indicated in model exchange. The file holds the C sources, which build with any C99 compiler, and a binary for
    every computer of this kind, which uses vectors where the processor has them; nothing of Python is needed where it
    runs. The same machine gives the same file.

    Parameters
    ----------
    machine
        The machine or its equations.
    path
        The file, ``NAME.fmu``.
    control
        A law that is an expression; None: the inputs come from outside.
    q0, v0, p
        Values with which it starts, as of `dalembert.simulate`.
    step
        Longest step of the solver inside [s].
    limits, contact, events, switches
        As of `dalembert.simulate`; events that a run only takes note of are left out, and time-stepping leaves no model
        exchange.
    version
        ``"2.0"`` or ``"3.0"``.
    binary
        Whether a binary is built, too.

    Examples
    --------
    >>> import dalembert as da
    >>> pendulum = da.Machine("pendulum", bodies=[da.point_mass("bob", 1.0, com=(0, 0, -1.0))],
    ...                       joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))])
    >>> da.export_fmu(pendulum, "pendulum.fmu", q0={"theta": 0.5}).name  # doctest: +SKIP
    'pendulum.fmu'
    """
    target = target_file(path, (".fmu",))
    if version not in VERSIONS:
        raise InputError(f"got FMI version {version!r}, expected one of {', '.join(VERSIONS)}")
    if isinstance(step, bool) or not isinstance(step, int | float) or not (np.isfinite(step) and step > 0.0):
        raise InputError(f"step must be a positive number of seconds, got {step!r}")
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    made = standalone(
        eom,
        control,
        "an FMU",
        q0=q0,
        v0=v0,
        p=p,
        step=float(step),
        limits=limits,
        contact=contact,
        events=events,
        switches=switches,
    )
    files = _sources(eom, made, float(step), version)
    if binary:
        files |= _binary(files, version)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, _DATE), files[name], zipfile.ZIP_DEFLATED)
    return write_file(target, buffer.getvalue())


def _sources(eom: EquationsOfMotion, made: Standalone, step: float, version: str) -> dict[str, bytes]:
    problem, own = made.problem, eom.machine
    here, major = resources.files(__package__), version[0]
    texts = dict(made.texts)
    settings = texts.pop("config.h")
    for name in (f"fmi{major}.c", "fmi.h"):
        texts[name] = here.joinpath(name).read_text(encoding="utf-8")
    for header in sorted(here.joinpath("headers").iterdir(), key=lambda h: h.name):
        if header.name.startswith(f"fmi{major}"):
            texts[header.name] = header.read_text(encoding="utf-8")
    if major == "3":
        texts["refusals.h"] = _refusals(texts["fmi3FunctionTypes.h"], texts["fmi3.c"] + texts["fmi.h"])
    settings += f'#define MODEL_NAME "{_plain(own.name)}"\n'
    names = repr((problem.state_names, problem.held_names, eom.p_names, made.outputs, made.indicators, version))
    digest = hashlib.sha256("\0".join([settings, names, *(texts[k] for k in sorted(texts))]).encode()).digest()
    guid = f"{{{uuid.UUID(bytes=digest[:16])}}}"
    texts["config.h"] = f'#ifndef CONFIG_H\n#define CONFIG_H\n#define GUID "{guid}"\n{settings}#endif\n'
    units = tuple(sorted(name for name in texts if name.endswith(".c")))
    content = Content(
        own.name, guid, problem.state_names, made.x0, made.latches, made.inputs, made.c0, made.held,
        len(problem.held_names), eom.p_names, made.p0, made.outputs, made.indicators, step, made.exchange, units,
    )  # fmt: skip
    files = {f"sources/{name}": text.encode() for name, text in texts.items()}
    files["modelDescription.xml"] = model_description(content, version).encode()
    files["documentation/machine.yaml"] = own.to_yaml().encode()
    if major == "3":
        files["sources/buildDescription.xml"] = build_description(content).encode()
    return files


def _plain(text: str) -> str:
    return re.sub(r"[^\w .+-]", "_", text, flags=re.ASCII)


def _refusals(types: str, written: str) -> str:
    """Functions of FMI 3.0 that this model does not have (other types, clocks), from the header."""
    done = set(re.findall(r"\b(fmi3\w+)\(", written)) | {f"fmi3{x}" for x in re.findall(r"FMI\((\w+)\)\(", written)}
    bare = re.sub(r"/\*.*?\*/", "", types, flags=re.DOTALL)
    lines = ["/* What this model does not have. */"]
    for kind, name, arguments in re.findall(
        r"typedef\s+([\w ]+?\*?)\s*\b(fmi3\w+)TYPE\s*\(([^;]*?)\)\s*;", bare, re.DOTALL
    ):
        if name in done:
            continue
        given = " ".join(arguments.split())
        words = [re.sub(r"\[\]$", "", a.strip()).split()[-1].lstrip("*") for a in given.split(",")]
        unused = " ".join(f"UNUSED({w});" for w in words if w != "void")
        first = words[0] if words[0] == "instance" else "0"
        answer = f'return fail({first}, "{name} is not part of this model");' if kind == "fmi3Status" else "return 0;"
        lines.append(f"{kind} {name}({given}) {{ {unused} {'' if kind == 'void' else answer} }}")
    return "\n".join(lines) + "\n"


def _binary(files: Mapping[str, bytes], version: str) -> dict[str, bytes]:
    """Build the shared library for processors of this kind; a warning where that is impossible."""
    toolchain, known = find_toolchain(), _PLATFORMS.get(sys.platform)
    if toolchain is None or known is None:
        warn("the FMU has its C sources, but no binary: there is no C compiler here")
        return {}
    second, third, ending = known
    place = second if version == "2.0" else third
    if not is_x86():
        place = place.replace("x86_64", "aarch64")
    texts = {Path(name).name: data.decode() for name, data in files.items() if name.startswith("sources/")}
    with temporary_folder() as folder:
        library = build_program(toolchain, texts, folder, f"model{ending}")
        return {f"binaries/{place}/model{ending}": library.read_bytes()}
