"""A machine as an FMU: generated C, FMI functions, description, and a binary for this kind of computer."""

from __future__ import annotations

import hashlib
import io
import os
import re
import sys
import uuid
import zipfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Unpack

from dalembert.compile import find_toolchain
from dalembert.control.cascade import Sampled
from dalembert.control.law_tape import law_digest
from dalembert.core.errors import InputError
from dalembert.core.files import target_file, temporary_folder, write_file
from dalembert.core.ports import Law
from dalembert.core.warn import warn
from dalembert.io.fmu.build import build_program, is_x86
from dalembert.io.fmu.description import Content, build_description, model_description
from dalembert.io.fmu.program import Standalone, standalone
from dalembert.io.units import name_units
from dalembert.loop.experiment import Experiment, Runnable, experiment_of
from dalembert.loop.experiment_keywords import ExperimentKeywords, experiment_verb
from dalembert.loop.outlets import FMU
from dalembert.model.machine import Machine

__all__ = ["export_fmu"]

VERSIONS = ("2.0", "3.0")
_PLATFORMS = {"linux": ("linux64", "x86_64-linux", ".so"), "darwin": ("darwin64", "x86_64-darwin", ".dylib")}
_DATE = (1980, 1, 1, 0, 0, 0)  # the same file for the same machine


@experiment_verb
def export_fmu(
    machine: Runnable,
    path: str | os.PathLike[str],
    *,
    version: str = "2.0",
    binary: bool = True,
    **keywords: Unpack[ExperimentKeywords],
) -> Path:
    """Write a machine as an FMU, for co-simulation (with its solver) and model exchange.

    Its inputs are the commands of motors and thrusters (without ``control``), its outputs all states and signals of a
    simulation, its parameters those of the machine and the step of the solver. Events and their effects (impacts,
    cables that slacken, switches) are inside: they are located in co-simulation, and indicated in model exchange. The
    file holds the C sources, which build with any C99 compiler, and a binary for every computer of this kind, which
    uses vectors where the processor has them; the FMU runs without Python. The same experiment gives the same file.

    Parameters
    ----------
    machine
        The machine or its equations, with the keywords of an experiment; or an `Experiment`.
    path
        The file, ``NAME.fmu``.
    version
        ``"2.0"`` or ``"3.0"``.
    binary
        Whether a binary is built, too.
    **keywords
        As in `dalembert.Experiment`. A law must be an expression; without one the inputs come from outside. The solver
        inside is that of the experiment, if it is an explicit Runge-Kutta method, implicit midpoint, generalized-alpha
        or time-stepping. Events that a run only records are left out, and time-stepping leaves no model exchange.

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
    program = standalone(experiment_of(machine, keywords), FMU)
    files = _sources(program, version)
    if binary:
        files |= _binary(files, version, model_identifier(program.experiment.machine))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, _DATE), files[name], zipfile.ZIP_DEFLATED)
    return write_file(target, buffer.getvalue())


def _sources(program: Standalone, version: str) -> dict[str, bytes]:
    problem, experiment = program.problem, program.experiment
    eom, machine = experiment.equations, experiment.machine
    here, major = resources.files(__package__), version[0]
    texts = dict(program.texts)
    settings = texts.pop("config.h")
    for name in (f"fmi{major}.c", "fmi.h"):
        texts[name] = here.joinpath(name).read_text(encoding="utf-8")
    for header in sorted(here.joinpath("headers").iterdir(), key=lambda h: h.name):
        if header.name.startswith(f"fmi{major}"):
            texts[header.name] = header.read_text(encoding="utf-8")
    if major == "3":
        texts["refusals.h"] = _refusals(texts["fmi3FunctionTypes.h"], texts["fmi3.c"] + texts["fmi.h"])
    settings += f'#define MODEL_NAME "{_plain(machine.name)}"\n'
    names = repr((problem.state_names, problem.held_names, eom.p_names, program.outputs, program.indicators, version))
    digest = hashlib.sha256("\0".join([settings, names, *(texts[k] for k in sorted(texts))]).encode()).digest()
    guid = f"{{{uuid.UUID(bytes=digest[:16])}}}"
    texts["config.h"] = f'#ifndef CONFIG_H\n#define CONFIG_H\n#define GUID "{guid}"\n{settings}#endif\n'
    units = tuple(sorted(name for name in texts if name.endswith(".c")))
    content = Content(
        machine.name, guid, problem.state_names, program.x0, program.latches, program.inputs, program.c0, program.held,
        len(problem.held_names), eom.p_names, program.p0, program.outputs, program.indicators, program.step,
        program.exchange, units, getattr(experiment.start, "t", 0.0), experiment.duration, model_identifier(machine),
        name_units(machine, (*problem.state_names, *program.inputs, *program.held, *program.outputs)),
    )  # fmt: skip
    files = {f"sources/{name}": text.encode() for name, text in texts.items()}
    files["modelDescription.xml"] = model_description(content, version).encode()
    files |= _documentation(experiment)
    if major == "3":
        files["sources/buildDescription.xml"] = build_description(content).encode()
    return files


def _documentation(experiment: Experiment) -> dict[str, bytes]:
    """Machine file of the experiment, and its digest; of the machine alone where a part of it is Python code."""
    try:
        text = experiment.to_yaml()
    except InputError:
        try:
            text = experiment.machine.to_yaml()
        except InputError as error:  # a body that was made from arrays
            text = f"# {error}\n"
    files = {"machine.yaml": text, "experiment.sha256": f"{experiment.digest}\n"}
    if isinstance(experiment.control, Law | Sampled):
        files["law.sha256"] = f"{law_digest(experiment.machine, experiment.control)}\n"
    return {f"documentation/{name}": content.encode() for name, content in files.items()}


def model_identifier(machine: Machine) -> str:
    """Name of a machine as a C identifier, which names the binary of its FMU."""
    word = re.sub(r"\W", "_", machine.name, flags=re.ASCII)[:60]
    return word if re.match(r"[A-Za-z]", word) else f"machine_{word}"


def _plain(text: str) -> str:
    return re.sub(r"[^\w .+-]", "_", text, flags=re.ASCII)


def _refusals(types: str, written: str) -> str:
    """Functions of FMI 3.0 that this model does not have (other types, clocks), from the header."""
    done = set(re.findall(r"\b(fmi3\w+)\(", written)) | {f"fmi3{x}" for x in re.findall(r"FMI\((\w+)\)\(", written)}
    bare = re.sub(r"/\*.*?\*/", "", types, flags=re.DOTALL)
    lines = ["/* Functions that this model does not support. */"]
    for kind, name, arguments in re.findall(
        r"typedef\s+([\w ]+?\*?)\s*\b(fmi3\w+)TYPE\s*\(([^;]*?)\)\s*;", bare, re.DOTALL
    ):
        if name in done:
            continue
        signature = " ".join(arguments.split())
        words = [re.sub(r"\[\]$", "", a.strip()).split()[-1].lstrip("*") for a in signature.split(",")]
        unused = " ".join(f"UNUSED({w});" for w in words if w != "void")
        first = words[0] if words[0] == "instance" else "0"
        answer = f'return fail({first}, "{name} is not part of this model");' if kind == "fmi3Status" else "return 0;"
        lines.append(f"{kind} {name}({signature}) {{ {unused} {'' if kind == 'void' else answer} }}")
    return "\n".join(lines) + "\n"


def _binary(files: Mapping[str, bytes], version: str, name: str) -> dict[str, bytes]:
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
        library = build_program(toolchain, texts, folder, f"{name}{ending}")
        return {f"binaries/{place}/{name}{ending}": library.read_bytes()}
