"""CUDA sources compile, read like the C of the same tape, and refuse politely where there is no GPU."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from dalembert.compile import compile_function
from dalembert.compile.cuda import CudaSource, emit_cuda
from dalembert.compile.emit_c import CHUNK_SIZE
from dalembert.compile.tape import supported_operations
from dalembert.core.errors import BuildError, InputError
from dalembert.simulation.problem import Problem
from dalembert.simulation.rollout.cuda import rollout_source

SX = ca.SX
needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
needs_gpu = pytest.mark.skipif(importlib.util.find_spec("cupy") is None, reason="CuPy is not installed")


def every_operation() -> ca.Function:
    x, y = SX.sym("x", 2), SX.sym("y")
    values = []
    for name, arity in supported_operations().items():
        code = getattr(ca, f"OP_{name}")
        values.append(SX.unary(code, x[0]) if arity == 1 else SX.binary(code, x[1], y))
    return ca.Function("every", [x, y], [ca.vertcat(*values), x[0] * np.inf], ["x", "y"], ["z", "w"])


def long_tape() -> ca.Function:
    x = SX.sym("x", 3)
    y = x
    for k in range(CHUNK_SIZE // 2):
        y = ca.vertcat(y[1] * y[2], y[0] - 0.5, y[1] * x[0] if k % 500 else ca.sin(y[1]))
    return ca.Function("long_tape", [x], [y], ["x"], ["y"])


def oscillator() -> Problem:
    t, x, c, p = SX.sym("t"), SX.sym("x", 6), SX.sym("c", 1), SX.sym("p", 2)
    rate = ca.vertcat(x[1], -p[0] * x[0] + ca.sin(p[1] * t) + c, SX.zeros(4))
    arguments = [t, x, c, p]
    return Problem(
        state_names=("a", "b", "qw", "qx", "qy", "qz"),
        ode=ca.Function("ode", arguments, [rate], ["t", "x", "c", "p"], ["out"]),
        signals=ca.Function("signals", arguments, [SX(0, 1)], ["t", "x", "c", "p"], ["out"]),
        held_names=("u",),
        quaternions=(2,),
    )


def build(source: CudaSource, folder: Path, *options: str) -> None:
    path = folder / "kernel.cu"
    path.write_text(source.text)
    command = ["nvcc", "-arch=sm_90", "-std=c++14", *options, "-ptx", str(path), "-o", str(folder / "kernel.ptx")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f".entry {source.entry}(" in (folder / "kernel.ptx").read_text()


@needs_nvcc
@pytest.mark.parametrize("options", [(), ("-DDA_FLOAT", "-use_fast_math")], ids=["double", "float"])
@pytest.mark.parametrize("make", [every_operation, long_tape])
def test_sources_compile(make, options: tuple[str, ...], tmp_path: Path) -> None:
    build(emit_cuda(make()), tmp_path, *options)


@needs_nvcc
def test_rollout_compiles(tmp_path: Path) -> None:
    build(rollout_source(oscillator(), "rk4"), tmp_path, "-DDA_RESIDENT=4")


def test_long_tapes_are_not_inlined() -> None:
    assert "#define INLINE __noinline__" in emit_cuda(long_tape()).text
    assert "#define INLINE __forceinline__" in emit_cuda(every_operation()).text


def test_rollout_refuses_adaptive_methods() -> None:
    with pytest.raises(InputError, match="one of euler, heun, rk4, got 'dopri5'"):
        rollout_source(oscillator(), "dopri5")


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="CuPy is installed")
def test_without_cupy_the_error_says_what_to_install() -> None:
    kernel = compile_function(long_tape(), backend="vm")
    with pytest.raises(BuildError, match=r"pip install 'dalembert\[cuda\]'"):
        kernel.on("cuda")


def test_unknown_device() -> None:
    kernel = compile_function(long_tape(), backend="vm")
    with pytest.raises(InputError, match="got device 'tpu', expected one of cpu, cuda"):
        kernel.on("tpu")
    assert kernel.on("cpu") is kernel


@needs_gpu
@pytest.mark.parametrize(("precision", "tolerance"), [("double", 1e-12), ("float", 1e-4)])
def test_gpu_agrees_with_the_processor(precision: str, tolerance: float) -> None:
    q, R = SX.sym("q", 3), SX.sym("R", 2, 3)
    f = ca.Function("f", [q, R], [R @ ca.sin(q), ca.sumsqr(q)], ["q", "R"], ["w", "e"])
    kernel = compile_function(f, shapes={"e": ()})
    rng = np.random.default_rng(0)
    arguments = rng.normal(size=(5, 40, 3)), rng.normal(size=(40, 2, 3))
    for got, want in zip(kernel.on("cuda", precision=precision)(*arguments), kernel(*arguments), strict=True):
        np.testing.assert_allclose(got.get(), want, rtol=tolerance, atol=tolerance)
