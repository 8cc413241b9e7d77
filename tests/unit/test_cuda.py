"""CUDA sources compile, read like the C of the same tape, and refuse politely where there is no GPU."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from tests.support.gpu_on_processor import compile_text, needs_gpp

from dalembert.compile import compile_function
from dalembert.compile.cuda import CudaSource, emit_cuda
from dalembert.compile.emit_c import CHUNK_SIZE
from dalembert.compile.tape import supported_operations
from dalembert.core.errors import BuildError, InputError
from dalembert.engine.problem.problem import EventSpec, Problem
from dalembert.engine.sampling import Schedule, Update
from dalembert.loop.members import processor_engine
from dalembert.simulation.checks import check_setup
from dalembert.simulation.rollout.cuda import rollout_source
from dalembert.simulation.rollout.measures import Measures
from dalembert.simulation.rollout.members import Members
from dalembert.simulation.rollout.plan import make_plan
from dalembert.simulation.settings import Settings

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


def oscillator(held: int = 1, *, stops: bool = False) -> Problem:
    t, x, c, p = SX.sym("t"), SX.sym("x", 6), SX.sym("c", held), SX.sym("p", 2)
    rate = ca.vertcat(x[1], -p[0] * x[0] + ca.sin(p[1] * t) + c[0], SX.zeros(4))
    arguments = [t, x, c, p]
    return Problem(
        state_names=("a", "b", "qw", "qx", "qy", "qz"),
        ode=ca.Function("ode", arguments, [rate], ["t", "x", "c", "p"], ["out"]),
        signals=ca.Function("signals", arguments, [SX(0, 1)], ["t", "x", "c", "p"], ["out"]),
        held_names=("u", "seen")[:held],
        quaternions=(2,),
        events=ca.Function("events", arguments, [ca.vertcat(x[1], 0.9 - x[0])], list("txcp"), ["g"]) if stops else None,
        event_specs=(EventSpec("turn"), EventSpec("far", terminal=True, direction=-1)) if stops else (),
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


def gauges(held: int = 1) -> Measures:
    t, x, c, p = (SX.sym(n, k) for n, k in zip("txcp", (1, 6, held, 2), strict=True))
    y = ca.vertcat(x[0], x[0] ** 2, x[1], x[0] > 1)
    function = ca.Function("m", [t, x, c, p], [y], ["t", "x", "c", "p"], ["y"])
    inf = np.inf
    return Measures(
        function,
        ("end", "rms", "far", "first"),
        ("final", "rms", "max", "first"),
        np.array([-inf, 0.1, -inf, -inf]),
        np.array([inf, 0.4, inf, inf]),
    )


def sampled() -> Schedule:
    """A sensor with noise, and a law that reads it less often."""
    t, x, c, p = (SX.sym(n, k) for n, k in zip("txcp", (1, 6, 2, 2), strict=True))

    def update(name: str, period: float, rows: tuple[int, ...], value: SX, w: SX, offset: float = 0.0) -> Update:
        function = ca.Function("update", [t, x, c, p, w], [value], list("txcpw"), ["out"])
        return Update(name, period, rows, function, w.numel(), offset)

    w = SX.sym("w", 3)
    sensor = update("sensor", 0.03, (1,), x[0] + 0.1 * ca.sum1(w), w)
    law = update("law", 0.05, (0,), 0.9 * c[0] - 0.5 * c[1] + 0.1 * ca.sin(t), SX.sym("w", 0), 0.01)
    return Schedule((sensor, law), np.array([0.2, 0.0]))


@needs_nvcc
@pytest.mark.parametrize(
    ("method", "measures", "schedule", "options"),
    [
        ("rk4", None, None, ()),
        ("rk4", gauges(2), sampled(), ()),
        ("rk4", gauges(2), sampled(), ("-DDA_FLOAT",)),
        ("dopri5", None, None, ()),
        ("dopri5", gauges(2), sampled(), ("-DDA_FLOAT",)),
    ],
    ids=["rows", "all", "float", "adaptive", "adaptive, all, float"],
)
def test_rollout_compiles(
    method: str, measures: Measures | None, schedule: Schedule | None, options: tuple[str, ...], tmp_path: Path
) -> None:
    problem = oscillator(1 if schedule is None else 2, stops=schedule is not None)
    build(rollout_source(problem, method, measures, schedule), tmp_path, "-DDA_RESIDENT=4", *options)


@needs_gpp
@pytest.mark.parametrize("schedule", [None, sampled()], ids=["held", "sampled"])
def test_rollout_on_the_processor_is_that_of_lanes(schedule: Schedule | None, tmp_path: Path) -> None:
    """The text for a GPU, compiled as C++: members with their own clocks, parameters, held values, and measures."""
    n_held = 1 if schedule is None else 2
    problem, measures = oscillator(n_held), gauges(n_held)
    source = rollout_source(problem, "rk4", measures, schedule)
    loop = f"""
extern "C" void all(long long n, double *x, double *c, double *p, double *clock, double anchor, double h,
                    long long first, long long count, double rest, int *status, double *failed, double *row,
                    double *values, const long long *due, uint64_t seed, const long long *number, double *begin,
                    double *held) {{
    for (blockIdx.x = 0; blockIdx.x < n; blockIdx.x++)
        {source.entry}(n, x, c, n, 1, p, n, 1, clock, anchor, h, first, count, rest, status, failed, row, values,
                       due, seed, number, begin, held);
}}
"""
    call = compile_text(source.text + loop, tmp_path)["all"]
    rng = np.random.default_rng(3)
    n = 5
    x0 = np.hstack([rng.normal(size=(n, 2)), np.tile([1.0, 0, 0, 0], (n, 1))])
    held, p, clock = rng.normal(size=(n, 1)), rng.uniform(1, 4, size=(n, 2)), rng.uniform(0, 0.3, n)
    x0[4, 0] = 1e308  # diverges in the first step
    setup = check_setup(problem, x0[0], p[0], Settings(0.537, step=1e-2, record=0.1), period=0.0)
    plan = make_plan(setup, schedule)
    numbers = 7 + np.arange(n)
    members = Members.at_start(x0, held, p, len(plan.t), measures.start(n))
    if schedule is not None:
        members = members.sampled(schedule.initial, numbers, 2**33 + 5)
        held = members.held.copy()
    members = replace(members, clock=clock)
    engine = processor_engine(problem, "rk4", "auto", measures, schedule)
    engine.run(plan, members, threads=1, proceed=lambda fraction: True)

    arrays = [np.ascontiguousarray(a.T) for a in (x0, held, p)]
    values = np.ascontiguousarray(measures.start(n).reshape(n, -1).T)
    status, failed = np.zeros(n, dtype=np.int32), np.zeros(n)
    row, held_rows = np.zeros((6, n)), np.full((len(plan.t), n_held, n), np.nan)

    def at(array: np.ndarray) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    for s in plan.segments:
        due = at(plan.instants[s["sample"]]) if s["sample"] >= 0 else None
        begin, end = (at(held_rows[s[k]]) if s[k] >= 0 else None for k in ("begin", "row"))
        call(
            *(ctypes.c_longlong(n), *map(at, (*arrays, clock))),
            *(ctypes.c_double(s["anchor"]), ctypes.c_double(s["h"]), ctypes.c_longlong(s["first"])),
            *(ctypes.c_longlong(s["count"]), ctypes.c_double(s["rest"]), *map(at, (status, failed, row, values))),
            *(due, ctypes.c_ulonglong(members.seed), at(numbers), begin if due else None, end),
        )
    np.testing.assert_array_equal(status, members.status)
    assert status[4] > 0 and failed[4] == members.failed_at[4] == clock[4]
    np.testing.assert_allclose(arrays[0].T, members.x, rtol=1e-12)
    alive = np.flatnonzero(status == 0)
    assert len(alive) == 4
    np.testing.assert_allclose(row.T[alive], members.x[alive], rtol=1e-12)
    assert members.measured is not None
    np.testing.assert_allclose(values.T.reshape(n, 2, 4)[:4], members.measured[:4], rtol=1e-12)
    assert members.measured[alive, 1, :3].all()
    if members.held_rows is not None:
        np.testing.assert_allclose(held_rows.transpose(2, 0, 1), members.held_rows, rtol=1e-12)
        assert len(np.unique(members.held_rows[alive, -1, 1])) == len(alive)


def test_a_tape_is_one_function_with_all_registers() -> None:
    """Values that live long stay out of the work array, and two blocks are resident unless someone says otherwise."""
    rng, x = np.random.default_rng(0), SX.sym("x", 8)
    values = ca.vertsplit(x)
    for a, b, op in zip(*rng.integers(0, 8, size=(2, 2 * CHUNK_SIZE)), rng.integers(0, 3, 2 * CHUNK_SIZE), strict=True):
        values[a] = (values[a] * values[b], values[a] + values[b], ca.sin(values[b]) - values[a])[op]
    text = emit_cuda(ca.Function("plain", [x], [ca.vertcat(*values)], ["x"], ["y"])).text
    assert text.count("CHUNK void da_plain_chunk") == 1
    assert "#define N_WORK 0" in text
    assert "#define DA_RESIDENT 2" in text


def test_long_tapes_are_not_inlined() -> None:
    assert "#define INLINE __noinline__" in emit_cuda(long_tape()).text
    assert "#define INLINE __forceinline__" in emit_cuda(every_operation()).text


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
