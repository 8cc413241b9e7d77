"""Compilers that are missing, broken or refuse; big tapes; hand-written C."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import dalembert
from dalembert.compile import build, build_library, compile_function, find_toolchain
from dalembert.compile.native import emit_function
from dalembert.core.errors import BuildError
from dalembert.engine.structs import struct_checks

SX = ca.SX
SOURCES = str(Path(dalembert.__file__).parents[1])

TWO_KERNELS = """
import sys, warnings
{first}
import casadi as ca, numpy as np
from dalembert.compile import compile_function
from dalembert.core.errors import NoCompilerWarning
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for factor in (2, 3):
        x = ca.SX.sym("x", 2)
        kernel = compile_function(ca.Function("f", [x], [factor * x], ["x"], ["y"]))
        assert np.array_equal(kernel(np.array([[1.0, 2.0]])), [[factor, 2.0 * factor]])
own = [w for w in caught if issubclass(w.category, NoCompilerWarning)]
print(kernel.backend, len(own), own[0].message if own else "")
"""


def run_two_kernels(tmp_path: Path, first: str = "", **environment: str) -> str:
    """Compile two kernels in a fresh interpreter; return its backend, number of warnings and their text."""
    done = subprocess.run(
        [sys.executable, "-c", TWO_KERNELS.format(first=first)],
        env=os.environ
        | {"PYTHONPATH": SOURCES, "DALEMBERT_CACHE": str(tmp_path), "DALEMBERT_BACKEND": ""}
        | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def make_chain(length: int) -> ca.Function:
    """A bounded recurrence without a period, in which a value is used again some thousand values later."""
    sines = np.random.default_rng(0).random(length // 3) < 0.1
    x = SX.sym("x", 4)
    values = [x[i] for i in range(4)]
    for k in range(length // 3):
        old = values[max(0, len(values) - 1 - (k * 7919) % 1500)]
        values.append((values[-1] - old) * 0.3 + values[-3])
        if sines[k]:
            values[-1] = ca.sin(values[-1])
    return ca.Function("chain", [x], [ca.vertcat(*values[-6:])], ["x"], ["y"])


def test_override_that_does_not_exist_gives_the_virtual_machine_and_one_warning(tmp_path: Path) -> None:
    output = run_two_kernels(tmp_path, DALEMBERT_CC="/nonexistent")
    assert output.startswith("vm 1 ")
    assert "DALEMBERT_CC='/nonexistent' does not name a program" in output


def test_machine_without_compiler_gives_the_virtual_machine_and_one_warning(tmp_path: Path) -> None:
    output = run_two_kernels(tmp_path, "sys.modules['ziglang'] = None", DALEMBERT_CC="", PATH=str(tmp_path))
    assert output.startswith("vm 1 ")
    assert "no cc, gcc or clang on the PATH" in output


def test_compiler_that_cannot_link_gives_the_virtual_machine_and_its_log(tmp_path: Path) -> None:
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\necho 'math.h: no such file' >&2\nexit 1\n")
    broken.chmod(0o755)
    output = run_two_kernels(tmp_path, DALEMBERT_CC=str(broken))
    assert output.startswith("vm 1 ")
    assert "math.h: no such file" in output


def test_native_backend_without_compiler_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DALEMBERT_CC", "/nonexistent")
    x = SX.sym("x")
    with pytest.raises(BuildError, match="DALEMBERT_CC='/nonexistent' does not name a program"):
        compile_function(ca.Function("f", [x], [x], ["x"], ["y"]), backend="native")
    with pytest.raises(BuildError, match="'loop' needs a C compiler"):
        build_library("int f(void) { return 0; }", "loop")


def test_compiler_is_found_with_its_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = find_toolchain()
    assert plain is not None
    monkeypatch.setenv("DALEMBERT_CC", f"'{plain.command[0]}' -DX=1")
    other = find_toolchain()
    assert other is not None
    assert other.command == (plain.command[0], "-DX=1")
    assert other.identity != plain.identity


def test_flags_that_a_compiler_does_not_know_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = find_toolchain()
    assert real is not None
    picky = tmp_path / "cc"
    picky.write_text(
        '#!/bin/sh\nfor a in "$@"; do [ "$a" = -fno-trapping-math ] && exit 1; done\n'
        f'exec {" ".join(real.command)} "$@"\n'
    )
    picky.chmod(0o755)
    monkeypatch.setenv("DALEMBERT_CC", str(picky))
    toolchain = find_toolchain()
    assert toolchain is not None
    flags = build.usable_flags(toolchain)
    assert "-fno-trapping-math" not in flags
    assert "-fno-math-errno" in flags


@pytest.mark.parametrize("refused", [False, True])
def test_flags_of_gcc_are_left_out_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: bool) -> None:
    monkeypatch.delenv("DALEMBERT_CC", raising=False)
    real = find_toolchain()
    if real is None or "clang" in real.command[0] or "zig" in " ".join(real.command):
        pytest.skip("the flags are those of gcc")
    log, command = tmp_path / "log", " ".join(real.command)
    refuse = 'for a in "$@"; do [ "$a" = -fno-tree-dse ] && exit 1; done\n' if refused else ""
    compiler = tmp_path / "cc"
    compiler.write_text(f'#!/bin/sh\n{refuse}echo "$@" >> {log}\nexec {command} "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("DALEMBERT_CC", str(compiler))
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    source = "double third(double x) { return x / 3.0; }"
    third = build_library(source, "third", optimise=build.TAPE_OPTIMISATION).third
    third.restype, third.argtypes = ctypes.c_double, [ctypes.c_double]
    assert third(1.5) == 0.5
    last = log.read_text().splitlines()[-1]
    assert "-fexpensive-optimizations" in last
    assert ("-fno-tree-dse" in last) is not refused


def test_refusal_shows_command_and_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    with pytest.raises(BuildError) as caught:
        build_library("int broken(void) { return undeclared_thing; }", "loop")
    message = str(caught.value)
    assert "failed on 'loop'" in message
    assert "-ffp-contract=off" in message
    assert "undeclared_thing" in message


def test_hand_written_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    source = "#include <math.h>\ndouble half_sine(double x) { return 0.5 * sin(x); }\n"
    for _ in range(2):
        half_sine = build_library(source, "half sine").half_sine
        half_sine.restype, half_sine.argtypes = ctypes.c_double, [ctypes.c_double]
        assert half_sine(1.0) == pytest.approx(0.5 * np.sin(1.0), rel=1e-15)


def test_ziglang_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wheel serves where there is no other compiler; whether it builds is left to the slow test."""
    pytest.importorskip("ziglang")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("DALEMBERT_CC", raising=False)
    toolchain = find_toolchain()
    assert toolchain is not None
    assert toolchain.command == (sys.executable, "-m", "ziglang", "cc")


@pytest.mark.slow
def test_ziglang_wheel_builds(tmp_path: Path) -> None:
    pytest.importorskip("ziglang")
    output = run_two_kernels(tmp_path, DALEMBERT_CC="", PATH=str(tmp_path))
    assert output.startswith("native 0 ")


@pytest.mark.slow
def test_big_tape_is_split_and_builds() -> None:
    f = make_chain(30_000)
    source = emit_function(f)
    assert source.n_operations > 27_000
    assert len(source.units) > 10
    assert source.n_work < 3000
    kernel = compile_function(f, backend="native", exact=True)
    x = np.random.default_rng(0).normal(size=(3, 4))
    np.testing.assert_array_equal(kernel(x), compile_function(f, backend="vm")(x))


SHARED = [("count", ctypes.c_int64), ("step", ctypes.c_double), ("next", ctypes.c_double), ("x", ctypes.c_void_p)]


@pytest.mark.skipif(find_toolchain() is None, reason="no C compiler")
@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ("int64_t count; double step, next, *x;", None),
        ("int64_t count; double next, step, *x;", "shared_step_differs"),
        ("int64_t count, step; double next, *x;", "shared_step_differs"),
        ("int64_t count; double step, next, x;", "shared_x_differs"),
        ("int64_t count; double step, after, *x;", "no member named"),
        ("int64_t count; double step, next, *x, *y;", "shared_size_differs"),
    ],
)
def test_structures_of_c_and_python_are_the_same(members: str, fault: str | None) -> None:
    source = f"#include <stdint.h>\nstruct shared {{ {members} }};\n" + struct_checks("shared", SHARED)
    if fault is None:
        assert build_library(source, "shared")
        return
    with pytest.raises(BuildError, match=fault):
        build_library(source, "shared")
