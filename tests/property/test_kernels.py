"""Native code computes what the CasADi virtual machine computes, for random expressions and random numbers."""

from __future__ import annotations

import ctypes
import tempfile
from pathlib import Path
from unittest import mock

import casadi as ca
import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from dalembert.compile import Kernel, build, compile_function, loops
from dalembert.compile.batch import BATCH_ARGUMENTS, BatchEntry
from dalembert.compile.emit_c import emit_c
from dalembert.compile.forms import EXACT as EXACT_FORM
from dalembert.compile.forms import LANES
from dalembert.compile.tape import read_tape, supported_operations

OPERATIONS = supported_operations()

LIBM = {
    *("EXP", "LOG", "POW", "CONSTPOW", "SIN", "COS", "TAN", "ASIN", "ACOS", "ATAN", "SINH", "COSH", "TANH"),
    *("ASINH", "ACOSH", "ATANH", "ERF", "LOG1P", "EXPM1", "ATAN2", "HYPOT"),
}
"""Operations of the mathematical library, whose last digits IEEE 754 leaves open."""

LAST_DIGITS = 4 * np.finfo(float).eps
"""The mathematical libraries in use keep their functions within two units in the last place each."""

numbers = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 1e-320, -1e-320, 1e308, -1e308, 1e17, 3.0]),
    st.floats(-4, 4),
    st.floats(allow_nan=False, allow_infinity=False),
)


def apply(name: str, x: ca.SX, y: ca.SX) -> ca.SX:
    code = getattr(ca, f"OP_{name}")
    return ca.SX.unary(code, x) if OPERATIONS[name] == 1 else ca.SX.binary(code, x, y)


@pytest.fixture(scope="module")
def every_operation() -> tuple[Kernel, Kernel]:
    """(x, y) -> each operation once, on both backends."""
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    results = ca.vertcat(*[apply(name, x, y) for name in OPERATIONS])
    f = ca.Function("every", [x, y], [results], ["x", "y"], ["z"])
    shapes = {"x": (), "y": ()}
    return (
        compile_function(f, backend="native", shapes=shapes, exact=True),
        compile_function(f, backend="vm", shapes=shapes),
    )


@given(x=numbers, y=numbers)
@settings(max_examples=500)
def test_every_operation(every_operation: tuple[Kernel, Kernel], x: float, y: float) -> None:
    native, vm = (kernel(x, y) for kernel in every_operation)
    for name, got, want in zip(OPERATIONS, native, vm, strict=True):
        if name in LIBM and np.isfinite(want):
            assert got == pytest.approx(want, rel=LAST_DIGITS, abs=5e-324), name
        elif np.isnan(want):
            assert np.isnan(got), name
        else:
            assert got == want, name
        if want == 0 and name not in ("FMIN", "FMAX"):  # C leaves open which zero is the smaller one
            assert np.signbit(got) == np.signbit(want), name


EXACT = sorted(OPERATIONS.keys() - LIBM - {"FMIN", "FMAX"}) + ["MUL", "ADD", "SUB"] * 5
"""Operations that IEEE 754 and C define to the bit; the common ones more often."""


@st.composite
def functions(draw: st.DrawFn) -> ca.Function:
    """Random graphs of operations that IEEE 754 defines to the bit, on dense and sparse inputs and outputs."""
    rows, columns = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    places = draw(st.sets(st.integers(0, rows * columns - 1), min_size=1))
    pattern = ca.Sparsity.triplet(rows, columns, [k // columns for k in places], [k % columns for k in places])
    a, b = ca.SX.sym("a", pattern), ca.SX.sym("b", 2)
    values = [*a.nonzeros(), *b.nonzeros(), ca.SX(draw(st.floats(-3, 3))), ca.SX(0.1)]
    for name in draw(st.lists(st.sampled_from(EXACT), min_size=20, max_size=120)):
        i, j = (draw(st.integers(max(0, len(values) - 25), len(values) - 1)) for _ in range(2))
        values.append(apply(name, values[i], values[j]))
    y = ca.SX(2, 3)
    for k, place in enumerate(sorted(draw(st.sets(st.integers(0, 5), min_size=1)))):
        y[place // 3, place % 3] = values[-1 - k]
    return ca.Function("random", [a, b], [y, ca.vertcat(*values[-4:])], ["a", "b"], ["y", "z"])


def call_chunked(function: ca.Function, chunk_size: int, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """Build a function in chunks of a few operations, call it through its C interface."""
    tape = read_tape(function)
    source = emit_c(tape, chunk_size=chunk_size, form=EXACT_FORM)
    toolchain = build.find_toolchain()
    assert toolchain is not None
    with tempfile.TemporaryDirectory() as folder:
        library = ctypes.CDLL(str(build.build_units(toolchain, source.units, Path(folder), name="chunked")))
    outputs = [np.zeros(n) for n in tape.outputs.values()]
    work = np.full(source.n_work + 1, np.nan)
    tables = [(ctypes.c_void_p * len(xs))(*[x.ctypes.data for x in xs]) for xs in (inputs, outputs)]
    assert library.kernel(*tables, ctypes.c_void_p(work.ctypes.data)) == 0
    return outputs


@given(f=functions(), seed=st.integers(0, 2**32 - 1), n_chunks=st.integers(2, 4))
@settings(max_examples=12)
def test_random_expressions_in_one_piece_and_in_chunks(f: ca.Function, seed: int, n_chunks: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(4, *f.size_in("a"))), rng.normal(size=(4, 2))
    shapes = {"a": f.size_in("a")}
    native = compile_function(f, backend="native", shapes=shapes, exact=True)(a, b)
    vm = compile_function(f, backend="vm", shapes=shapes)(a, b)
    for got, want in zip(native, vm, strict=True):
        np.testing.assert_array_equal(got, want)
    for row in range(4):
        direct = [np.array(y) for y in f(a[row], b[row])]
        np.testing.assert_array_equal(native[0][row], direct[0])
        np.testing.assert_array_equal(native[1][row], direct[1].ravel())
    length = read_tape(f).n_operations
    chunked = call_chunked(f, max(1, length // n_chunks), [a[0], b[0]])
    for got, want in zip(chunked, native, strict=True):
        np.testing.assert_array_equal(got, want[0].ravel())


def call_lanes(function: ca.Function, chunk_size: int, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """Build the lanes of a function without fused operations, and evaluate rows through their C interface."""
    tape = read_tape(function)
    source = emit_c(tape, chunk_size=chunk_size, form=LANES)
    toolchain = build.find_toolchain()
    assert toolchain is not None
    with tempfile.TemporaryDirectory() as folder:
        library = ctypes.CDLL(str(build.build_units(toolchain, source.units, Path(folder), name="lanes", fused=False)))
    n = len(inputs[0])
    outputs = [np.zeros((n, size)) for size in tape.outputs.values()]
    entry = BatchEntry(
        ctypes.CFUNCTYPE(ctypes.c_int, *BATCH_ARGUMENTS)(("kernel_lanes", library)),
        ctypes.c_long.in_dll(library, "kernel_lanes_n_work").value,
        ctypes.c_long.in_dll(library, "kernel_lanes_width").value,
        tape.n_operations,
    )
    assert entry.run(n, inputs, list(tape.inputs.values()), outputs, threads=2) == 0
    return outputs


@given(f=functions(), seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40), n_chunks=st.integers(1, 3))
@settings(max_examples=8)
def test_lanes_of_random_expressions(f: ca.Function, seed: int, n: int, n_chunks: int) -> None:
    """Without fused operations lanes compute what scalars compute, to the bit."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(n, *f.size_in("a"))), rng.normal(size=(n, 2))
    exact = compile_function(f, backend="vm", shapes={"a": f.size_in("a")})(a, b)
    lanes = call_lanes(f, max(1, -(-read_tape(f).n_operations // n_chunks)), [a, b])
    for got, want in zip(lanes, exact, strict=True):
        np.testing.assert_array_equal(got, want.reshape(n, -1))


@given(f=functions(), batch=st.integers(1, 9), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_batches_of_random_expressions_on_the_virtual_machine(f: ca.Function, batch: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(batch, *f.size_in("a"))), rng.normal(size=2)
    kernel = compile_function(f, backend="vm", shapes={"a": f.size_in("a")})
    together = kernel(a, b)
    for row in range(batch):
        for got, want in zip(together, f(a[row], b), strict=True):
            np.testing.assert_array_equal(got[row], np.array(want).reshape(got[row].shape))


@st.composite
def recursions(draw: st.DrawFn) -> ca.Function:
    """Sweeps forth and back over links with random bodies, as dynamics have them; constants of links may differ."""
    turns, width = draw(st.integers(7, 12)), draw(st.integers(1, 3))
    u, c = ca.SX.sym("u", turns), ca.SX.sym("c", width)
    forth, back = (
        [
            (name, draw(st.integers(0, 40)), draw(st.integers(0, 40)))
            for name in draw(st.lists(st.sampled_from(EXACT), min_size=6, max_size=20))
        ]
        for _ in range(2)
    )
    own = draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    constants = rng.normal(size=turns) if own else np.full(turns, 0.7)

    def body(ops: list[tuple[str, int, int]], given: list[ca.SX]) -> list[ca.SX]:
        values = list(given)
        for name, i, j in ops:
            values.append(apply(name, values[-1 - i % len(values)], values[j % len(values)]))
        return values

    state, older, kept = c.nonzeros(), c.nonzeros(), []
    for k in range(turns):
        values = body(forth, [*state, older[0], u[k], ca.SX(constants[k])])
        older, state = state, values[-width:]
        kept.append(values[-1])
    y = []
    for k in reversed(range(turns)):
        values = body(back, [*state, kept[k], kept[0], u[k]])
        state = values[-width:]
        y.append(values[-1])
    return ca.Function("recursion", [u, c], [ca.vertcat(u, *y, 2.5), ca.vertcat(*kept)], ["u", "c"], ["y", "z"])


@pytest.mark.slow
@given(f=recursions(), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_repetitions_become_loops_that_compute_the_same(f: ca.Function, seed: int) -> None:
    rng = np.random.default_rng(seed)
    u, c = rng.normal(size=(3, f.size1_in("u"))), rng.normal(size=(3, f.size1_in("c")))
    exact = compile_function(f, backend="vm")(u, c)
    tape = read_tape(f)
    size = max(1, tape.n_operations - 1)
    with mock.patch.object(loops, "_WORTHWHILE", 6), mock.patch.object(loops, "_WINDOW", 3):
        turns = max(piece.turns for piece in loops.split_tape(tape, size))
        scalars = call_chunked(f, size, [u[1], c[1]])
        lanes = call_lanes(f, size, [u, c])
    event(f"turns of the longest loop: {turns}")
    for got, rows, want in zip(scalars, lanes, exact, strict=True):
        np.testing.assert_array_equal(got, want[1])
        np.testing.assert_array_equal(rows, want)
