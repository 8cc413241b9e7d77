"""``dalembert doctor``: available and missing tools of this machine, and how to install them."""

from __future__ import annotations

import importlib.metadata
import json as json_module
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Annotated, NamedTuple

import casadi as ca
import numpy as np
import typer
from rich.markup import escape

from dalembert import __version__
from dalembert.cli.output import show, table
from dalembert.compile import cache_content, cache_directory, compile_function, find_toolchain
from dalembert.compile.build import available_cores, missing_toolchain
from dalembert.core.errors import BuildError
from dalembert.engine.shipped import shipped_state
from dalembert.engine.sources import UNITS

__all__ = ["doctor"]


class Remark(NamedTuple):
    """One line of the report."""

    what: str
    state: str  # ok, missing (nothing breaks), broken
    found: str
    advice: str = ""


# Extra of the package, its purpose, and the distributions that identify it ("a|b": one of them).
_EXTRAS = (
    ("compiler", "a C compiler as a wheel", ("ziglang",)),
    ("robust", "floors of H-infinity norms", ("cvxpy", "clarabel")),
    ("campaign", "stores, clusters and sensitivities of campaigns", ("pandas", "pyarrow", "distributed", "SALib")),
    ("meshes", "meshes in other formats than STL and OBJ", ("trimesh", "pycollada")),
    ("mjcf", "MJCF files of MuJoCo", ("mujoco",)),
    ("gym", "environments for reinforcement learning", ("gymnasium",)),
    ("cuda", "batches and rollouts on an NVIDIA GPU", ("cupy-cuda12x|cupy-cuda13x|cupy",)),
    ("peers", "comparison with Pinocchio and MuJoCo", ("pin", "mujoco")),
    ("bench", "benchmarks with Exudyn besides", ("exudyn",)),
)


def doctor(json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False) -> None:
    """Report available and missing tools, and how to install them.

    A kernel is compiled and called. Exit status 1 if something is broken; a missing option is not an error.
    """
    findings = [
        Remark("dalembert", "ok", __version__),
        Remark("Python", "ok", f"{platform.python_version()} ({sys.executable})"),
        Remark("processor", "ok", _processor()),
        *_compiler(),
        _engine(),
        _cache(),
        _gpu(),
        *(_extra(*extra) for extra in _EXTRAS),
    ]
    if json:
        print(json_module.dumps([finding._asdict() for finding in findings], indent=2))
    else:
        colours = {"ok": "[green]ok[/green]", "missing": "missing", "broken": "[bold red]broken[/bold red]"}
        rows = table("what", "", "found", "what to do")
        for finding in findings:
            rows.add_row(escape(finding.what), colours[finding.state], escape(finding.found), escape(finding.advice))
        show(rows)
    if any(finding.state == "broken" for finding in findings):
        raise typer.Exit(1)


def _processor() -> str:
    return f"{platform.machine()}, {available_cores()} cores for this process"


def _compiler() -> list[Remark]:
    toolchain = find_toolchain()
    if toolchain is None:
        advice = 'pip install "dalembert[compiler]", or your system\'s gcc or clang'
        return [
            Remark("C compiler", "missing", f"{missing_toolchain()}; equations run on CasADi's virtual machine", advice)
        ]
    command = " ".join(toolchain.command)
    x = ca.SX.sym("x")
    try:
        kernel = compile_function(ca.Function("doctor", [x], [ca.sin(x)], ["x"], ["y"]), backend="native")
        right = bool(np.isclose(kernel(np.array([0.5])), np.sin(0.5)).all())
    except BuildError as error:
        return [
            Remark("C compiler", "broken", f"{command}: {str(error).splitlines()[-1]}", "set DALEMBERT_CC to another")
        ]
    works = Remark("C compiler", "ok" if right else "broken", command)
    return [works, _calls()]


def _engine() -> Remark:
    states = {shipped_state(unit) for unit in UNITS}
    if states == {"current"}:
        return Remark("compiled engine", "ok", "from the installation; built for this processor where a compiler is")
    if find_toolchain() is not None:
        return Remark("compiled engine", "ok", "built for this processor")
    advice = "install dalembert again, which compiles it, or a C compiler"
    if "stale" in states:
        return Remark("compiled engine", "broken", "compiled from other sources: no simulations", advice)
    return Remark("compiled engine", "missing", "no simulations", advice)


def _calls() -> Remark:
    header = Path(sysconfig.get_path("include"), "Python.h")
    if header.is_file():
        return Remark("fast calls from Python", "ok", str(header))
    return Remark(
        "fast calls from Python", "missing", f"no {header}; calls go through ctypes", "headers of Python (python3-dev)"
    )


def _cache() -> Remark:
    count, size = cache_content()
    free = shutil.disk_usage(cache_directory()).free
    summary = f"{cache_directory()}: {count} kernels, {size / 2**20:.1f} MiB ({free / 2**30:.0f} GiB free)"
    return Remark("kernel cache", "ok", summary, "dalembert cache clean --unused 30" if size > 2**30 else "")


def _gpu() -> Remark:
    program = shutil.which("nvidia-smi")
    if program is None:
        return Remark("NVIDIA GPU", "missing", "no nvidia-smi on the PATH; everything runs on the processor")
    try:
        names = subprocess.run(
            [program, "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True, timeout=20
        ).stdout.split("\n")
    except (OSError, subprocess.TimeoutExpired) as error:
        return Remark("NVIDIA GPU", "broken", f"{program}: {error}")
    return Remark("NVIDIA GPU", "ok" if names[0] else "missing", ", ".join(n for n in names if n) or "none")


def _extra(extra: str, what: str, distributions: tuple[str, ...]) -> Remark:
    versions, missing = [], []
    for names in distributions:
        installed = [f"{name} {version}" for name in names.split("|") if (version := _version(name))]
        versions += installed[:1]
        missing += [] if installed else [names]
    if missing:
        return Remark(f"extra {extra}", "missing", what, f'pip install "dalembert[{extra}]"')
    return Remark(f"extra {extra}", "ok", f"{what}: {', '.join(versions)}")


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""
