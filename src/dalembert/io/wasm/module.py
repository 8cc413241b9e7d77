"""An experiment as a WebAssembly module: its tapes, the engine, and the functions that the page calls."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from importlib import resources
from pathlib import Path

import casadi as ca

from dalembert.compile import Toolchain, find_zig
from dalembert.compile.cache import load_cached
from dalembert.core.errors import BuildError, InputError
from dalembert.io.fmu.build import WASM, build_program
from dalembert.io.fmu.program import Standalone, standalone
from dalembert.loop.experiment import Experiment
from dalembert.loop.outlets import PAGE

__all__ = ["LARGEST", "build_module", "live_program", "wasm_compiler"]

LARGEST = 12e6
"""Bytes of C; larger sources take minutes to compile and make no page of a sensible size."""


def wasm_compiler() -> Toolchain:
    """Return the compiler for WebAssembly, or say how to get it."""
    zig = find_zig()
    if zig is None:
        raise BuildError(
            "a page that simulates needs the compiler of the ziglang wheel, which is not installed: "
            "pip install 'dalembert[compiler]' (or: pip install ziglang); reports need none"
        )
    return zig


def live_program(experiment: Experiment, scene: ca.Function) -> Standalone:
    """Write an experiment as C for a page: all of it, with the functions that the page calls (``live.c``).

    Parameters
    ----------
    experiment
        Its experiment; with a duration.
    scene
        ``(q, t, p) -> numbers``: everything that is drawn, in one column.
    """
    program = standalone(experiment, PAGE, records=True, tapes={"scene": scene})
    texts = dict(program.texts)
    sizes = {"N_Q": experiment.machine.nq, "N_SCENE": scene.numel_out(0)}
    more = "".join(f"#define {name} {value}\n" for name, value in sizes.items())
    texts["config.h"] = f"#ifndef CONFIG_H\n#define CONFIG_H\n{texts['config.h']}{more}#endif\n"
    texts["live.c"] = resources.files(__package__).joinpath("live.c").read_text(encoding="utf-8")
    size = sum(map(len, texts.values()))
    if size > LARGEST:
        raise InputError(
            f"machine '{experiment.machine.name}' is too large for a page that simulates: its equations are "
            f"{size / 1e6:.1f} MB of C, expected at most {LARGEST / 1e6:.0f} MB; write a report of a run instead"
        )
    return replace(program, texts=texts)


def build_module(program: Standalone) -> bytes:
    """Compile a program to WebAssembly; the same program is compiled once, and then taken from the cache.

    Parameters
    ----------
    program
        As in `live_program`.

    Raises
    ------
    BuildError
        Without the compiler of the ziglang wheel: it says how to get it.
    """
    zig = wasm_compiler()
    texts = program.texts
    parts = [zig.identity, repr(WASM), *(part for name in sorted(texts) for part in (name, texts[name]))]
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return load_cached(
        key,
        lambda folder: build_program(zig, texts, folder, "model.wasm", WASM),
        lambda path: Path(path).read_bytes(),
    )
