"""A machine as an FMU: generated C, FMI functions, description, and a binary for this kind of computer."""

from __future__ import annotations

import hashlib
import io
import os
import platform
import re
import subprocess
import sys
import uuid
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile import export_c, find_toolchain
from dalembert.core.errors import BuildError, InputError
from dalembert.core.files import target_file, temporary_folder, write_file
from dalembert.core.states import named_vector
from dalembert.core.types import Array, StateLike
from dalembert.core.warn import warn
from dalembert.formulations.equations import EquationsOfMotion, MachineOrEquations, derive
from dalembert.io.fmu.description import Content, build_description, model_description
from dalembert.loop.closed_loop import ClosedLoop, close_loop
from dalembert.simulation.problem import Problem

__all__ = ["Standalone", "export_fmu", "standalone"]

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
    version: str = "2.0",
    binary: bool = True,
) -> Path:
    """Write a machine as an FMU, for co-simulation (with its solver) and model exchange.

    Its inputs are the commands of motors and thrusters (without ``control``), its outputs all states and signals of a
    simulation, its parameters those of the machine and the step of the solver (RK4). The file holds the generated C
    sources, which build with any C99 compiler, and a binary for this kind of computer with plain instructions; nothing
    of Python is needed where it runs. The same machine gives the same file.

    Parameters
    ----------
    machine
        The machine or its equations; without constraints, inextensible cables and contacts.
    path
        The file, ``NAME.fmu``.
    control
        A law that is an expression; None: the inputs come from outside.
    q0, v0, p
        Values with which it starts, as of `dalembert.simulate`.
    step
        Longest step of the solver inside [s].
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
    made = standalone(eom, control, q0, v0, p, float(step), "an FMU")
    files = _sources(eom, made, float(step), version)
    if binary:
        files |= _binary(files, version)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, _DATE), files[name], zipfile.ZIP_DEFLATED)
    return write_file(target, buffer.getvalue())


def _loop(eom: EquationsOfMotion, control: Any, what: str) -> ClosedLoop:
    name = eom.machine.name
    if eom.constrained:
        raise InputError(
            f"machine '{name}' has constraints or cables that can slacken: {what} of them is not there yet"
        )
    if eom.machine.contacts:
        raise InputError(f"machine '{name}' has contacts: {what} of them is not there yet")
    loop = close_loop(eom, np.zeros(eom.nu) if control is None and eom.nu else control, limits="ignore")
    if loop.problem.held_names and loop.constant is None:
        raise InputError(f"{what} takes laws that are expressions of time and state, not sampled or Python controllers")
    return loop


@dataclass(frozen=True, eq=False)
class Standalone:
    """A machine in its loop as C that stands alone.

    Parameters
    ----------
    texts
        ``core.h``, ``config.h`` without the identifier, ``model.h``, ``model_ode.c``, ``model_signals.c``.
    problem
        What it integrates.
    x0, c0, p0
        Initial states, inputs and parameters.
    """

    texts: Mapping[str, str]
    problem: Problem
    x0: Array
    c0: Array
    p0: Array


def standalone(
    eom: EquationsOfMotion, control: Any, q0: StateLike, v0: StateLike, p: Any, step: float, what: str
) -> Standalone:
    """Write a machine in its loop as C; ``what`` names its use in refusals."""
    loop = _loop(eom, control, what)
    problem, own = loop.problem, eom.machine
    q = named_vector(q0, own.q_names, own.q_neutral, "q0")
    v = named_vector(v0, own.v_names, np.zeros(own.nv), "v0")
    q, v = eom.from_machine(q, v, p=p)
    x0 = np.concatenate([q, v, loop.z0, [0.0, 0.0]])
    c0 = np.zeros(0) if loop.constant is None else loop.constant
    p0 = eom.parameter_values(p)
    texts = {"core.h": resources.files(__package__).joinpath("core.h").read_text(encoding="utf-8")}
    with temporary_folder() as folder:
        export_c([_renamed("ode", problem.ode), _renamed("signals", problem.signals)], folder, name="model")
        for name in ("model.h", "model_ode.c", "model_signals.c"):
            texts[name] = (folder / name).read_text(encoding="utf-8")
    quaternions = problem.quaternions
    config = {
        "MODEL_NAME": f'"{_plain(own.name)}"',
        "N_STATES": len(x0), "N_INPUTS": len(c0), "N_PARAMETERS": len(p0), "N_SIGNALS": len(problem.signal_names),
        "N_QUATERNIONS": len(quaternions), "QUATERNIONS": ", ".join(map(str, quaternions)) or "0",
        "START_STATES": _numbers(x0), "START_INPUTS": _numbers(c0), "START_PARAMETERS": _numbers(p0),
        "START_STEP": repr(step),
    }  # fmt: skip
    texts["config.h"] = "".join(f"#define {key} {value}\n" for key, value in config.items())
    return Standalone(texts, problem, x0, c0, p0)


def _sources(eom: EquationsOfMotion, made: Standalone, step: float, version: str) -> dict[str, bytes]:
    problem, own = made.problem, eom.machine
    here, major = resources.files(__package__), version[0]
    texts = dict(made.texts)
    settings = texts.pop("config.h")
    texts[f"fmi{major}.c"] = here.joinpath(f"fmi{major}.c").read_text(encoding="utf-8")
    for header in sorted(here.joinpath("headers").iterdir(), key=lambda h: h.name):
        if header.name.startswith(f"fmi{major}"):
            texts[header.name] = header.read_text(encoding="utf-8")
    if major == "3":
        texts["refusals.h"] = _refusals(texts["fmi3FunctionTypes.h"], texts["fmi3.c"])
    names = repr((problem.state_names, problem.held_names, eom.p_names, problem.signal_names, version))
    digest = hashlib.sha256("\0".join([settings, names, *(texts[k] for k in sorted(texts))]).encode()).digest()
    guid = f"{{{uuid.UUID(bytes=digest[:16])}}}"
    texts["config.h"] = f'#ifndef CONFIG_H\n#define CONFIG_H\n#define GUID "{guid}"\n{settings}#endif\n'
    content = Content(
        own.name, guid, problem.state_names, made.x0, problem.held_names, made.c0, eom.p_names, made.p0,
        problem.signal_names, step,
    )  # fmt: skip
    files = {f"sources/{name}": text.encode() for name, text in texts.items()}
    files["modelDescription.xml"] = model_description(content, version).encode()
    files["documentation/machine.yaml"] = own.to_yaml().encode()
    if major == "3":
        files["sources/buildDescription.xml"] = build_description().encode()
    return files


def _renamed(name: str, function: ca.Function) -> ca.Function:
    """Return a function of a problem under the names that core.h calls."""
    inputs = [ca.SX.sym(label, function.numel_in(k)) for k, label in enumerate("txcp")]
    return ca.Function(name, inputs, [function(*inputs)], list("txcp"), ["result"])


def _numbers(values: Array) -> str:
    return ", ".join(repr(float(x)) for x in values) or "0"


def _plain(text: str) -> str:
    return re.sub(r"[^\w .+-]", "_", text, flags=re.ASCII)


def _refusals(types: str, written: str) -> str:
    """Functions of FMI 3.0 that this model does not have (other types, clocks), from the header."""
    done = set(re.findall(r"\b(fmi3\w+)\(", written))
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
    """Build the shared library with plain instructions of this processor; a warning where that is impossible."""
    toolchain, known = find_toolchain(), _PLATFORMS.get(sys.platform)
    if toolchain is None or known is None:
        warn("the FMU has its C sources, but no binary: there is no C compiler here")
        return {}
    machine = platform.machine().lower()
    flags = ["-march=x86-64", "-mtune=generic"] if machine in ("x86_64", "amd64") else []
    second, third, ending = known
    place = second if version == "2.0" else third
    if machine not in ("x86_64", "amd64"):
        place = place.replace("x86_64", "aarch64")
    with temporary_folder() as folder:
        for name, data in files.items():
            if name.startswith("sources/"):
                (folder / Path(name).name).write_bytes(data)
        library = folder / f"model{ending}"
        sources = sorted(str(f) for f in folder.glob("*.c"))
        command = [
            *toolchain.command,
            "-std=c99",
            "-O2",
            *flags,
            "-fPIC",
            "-shared",
            "-o",
            str(library),
            *sources,
            "-lm",
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise BuildError(f"the C compiler refused the FMU\n$ {' '.join(command)}\n{done.stderr}")
        return {f"binaries/{place}/model{ending}": library.read_bytes()}
