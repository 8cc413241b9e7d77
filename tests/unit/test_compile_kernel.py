"""Calling kernels: shapes, batches, refusals, threads, copies."""

from __future__ import annotations

import copy
import ctypes
import pickle
from concurrent.futures import ThreadPoolExecutor

import casadi as ca
import numpy as np
import pytest

from dalembert.compile import Kernel, batch, compile_function
from dalembert.core.errors import InputError, UnknownNameError

SX = ca.SX


@pytest.fixture(scope="module")
def function() -> ca.Function:
    """(q, R, t) -> (w, S, e): vector, matrix and scalar inputs and outputs; the matrix output is sparse."""
    q, R, t = SX.sym("q", 3), SX.sym("R", 2, 3), SX.sym("t")
    w = R @ ca.sin(q) + t
    S = SX(3, 2)
    S[0, 1], S[2, 0] = q[0] * t, R[1, 2] / (1 + q[1] ** 2)
    return ca.Function("f", [q, R, t], [w, S, ca.sumsqr(w)], ["q", "R", "t"], ["w", "S", "e"])


@pytest.fixture(scope="module", params=["native", "exact", "vm"])
def kernel(request: pytest.FixtureRequest, function: ca.Function) -> Kernel:
    exact = request.param == "exact"
    backend = "native" if exact else request.param
    return compile_function(function, backend=backend, shapes={"t": (), "e": ()}, exact=exact)


SCALAR_AND_LANES = 1e-12
"""Relative difference between a single call and a batch: they round differently."""


def expected(q: np.ndarray, R: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray, float]:
    w = R @ np.sin(q) + t
    S = np.zeros((3, 2))
    S[0, 1], S[2, 0] = q[0] * t, R[1, 2] / (1 + q[1] ** 2)
    return w, S, w @ w


def inputs(*batch: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(*batch, 3)), rng.normal(size=(*batch, 2, 3)), rng.normal(size=batch)


def test_single_call(kernel: Kernel) -> None:
    q, R, t = inputs()
    w, S, e = kernel(q, R, float(t))
    for got, want in zip((w, S, e), expected(q, R, float(t)), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-14, atol=1e-15)
    assert (w.shape, S.shape) == ((2,), (3, 2))
    assert isinstance(e, np.float64)


def test_exact_native_code_agrees_with_the_virtual_machine_to_the_bit(function: ca.Function) -> None:
    arguments = inputs(50)
    shapes = {"t": ()}
    compiled = compile_function(function, backend="native", shapes=shapes, exact=True)(*arguments)
    interpreted = compile_function(function, backend="vm", shapes=shapes)(*arguments)
    for a, b in zip(compiled, interpreted, strict=True):
        np.testing.assert_array_equal(a, b)


def test_batch_equals_single_calls(kernel: Kernel) -> None:
    """To the bit where both run on the same code."""
    q, R, t = inputs(4, 5)
    batch = kernel(q, R, t)
    for index in np.ndindex(4, 5):
        for got, want in zip(batch, kernel(q[index], R[index], float(t[index])), strict=True):
            if kernel.lanes is None:
                np.testing.assert_array_equal(got[index], want)
            else:
                np.testing.assert_allclose(got[index], want, rtol=SCALAR_AND_LANES, atol=1e-14)


def test_batch_depends_neither_on_size_nor_on_order(kernel: Kernel) -> None:
    q, R, t = inputs(37)
    whole = kernel(q, R, t)
    order = np.random.default_rng(3).permutation(37)
    shuffled = kernel(q[order], R[order], t[order])
    part = kernel(q[5:11], R[5:11], t[5:11])
    for a, b, c in zip(whole, shuffled, part, strict=True):
        np.testing.assert_array_equal(a[order], b)
        np.testing.assert_array_equal(a[5:11], c)


def test_long_batches_run_in_pieces(function: ca.Function, monkeypatch: pytest.MonkeyPatch) -> None:
    q, R, t = inputs(23)
    shapes = {"t": ()}
    whole = compile_function(function, backend="native", shapes=shapes)(q, R[0], t)
    monkeypatch.setattr(batch, "_ROWS_TIMES_OPERATIONS", 9 * function.n_instructions())
    kernel = compile_function(function, backend="native", shapes=shapes)
    for a, b in zip(kernel(q, R[0], t), whole, strict=True):
        np.testing.assert_array_equal(a, b)
    q[22, 0] = np.nan
    with pytest.raises(InputError, match=r"q\[22, 0\] is nan"):
        kernel(q, R[0], t)


def test_batch_axes_broadcast(kernel: Kernel) -> None:
    q, R, t = inputs(4, 5)
    q1, R1, t1 = q[:, :1], R[:1, :], t[0, 0]
    got = kernel(q1, R1, t1)
    full = np.broadcast_to(q1, (4, 5, 3)), np.broadcast_to(R1, (4, 5, 2, 3)), np.full((4, 5), t1)
    for a, b in zip(got, kernel(*full), strict=True):
        assert a.shape[:2] == (4, 5)
        np.testing.assert_array_equal(a, b)


def test_unbatched_inputs_are_shared_by_all_rows(kernel: Kernel) -> None:
    q, R, _ = inputs(6)
    w, _, _ = kernel(q, R[0], 0.5)
    np.testing.assert_allclose(w, np.sin(q) @ R[0].T + 0.5, rtol=1e-14)
    w1, _, _ = kernel(q, R[:1], 0.5)
    np.testing.assert_array_equal(w, w1)


def test_single_row_batch_keeps_its_axis(kernel: Kernel) -> None:
    q, R, t = inputs(1)
    assert [y.shape for y in kernel(q, R, t)] == [(1, 2), (1, 3, 2), (1,)]


def test_empty_batch(kernel: Kernel) -> None:
    assert [y.shape for y in kernel(*inputs(0))] == [(0, 2), (0, 3, 2), (0,)]


def test_layouts_and_types_are_converted(kernel: Kernel) -> None:
    q, R, _ = inputs(8)
    reference = kernel(q, R, 2.0)
    for arguments in (
        (np.asfortranarray(q), np.asfortranarray(R), 2),
        (q[::-1][::-1], R.tolist(), np.float32(2)),
        (q.astype(">f8"), R, np.array(2, dtype=np.int8)),
        (np.repeat(q, 2, axis=0)[::2], R, True + True),
    ):
        for got, want in zip(kernel(*arguments), reference, strict=True):
            np.testing.assert_array_equal(got, want)


def test_layouts_and_types_of_a_single_call(kernel: Kernel) -> None:
    q, R, _ = inputs()
    reference = kernel(q, R, 2.0)
    frozen = q.copy()
    frozen.flags.writeable = False
    for arguments in (
        (np.repeat(q, 2)[::2], np.asfortranarray(R), 2.0),  # neither is contiguous
        (frozen, R[::-1][::-1], np.float64(2)),
        (q.astype(">f8"), R.tolist(), np.array(2.0)),
        (q.view(np.recarray), R, 2),
        (np.frombuffer(b"\0" + q.tobytes(), dtype=np.uint8)[1:].view(float), R, 2.0),  # not aligned
    ):
        for got, want in zip(kernel(*arguments), reference, strict=True):
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("backend", ["native", "vm"])
def test_results_that_are_not_finite(backend: str) -> None:
    """They are returned, or refused with the message of the kernel; a kernel keeps it when it is pickled."""
    x = SX.sym("x", 2)
    f = ca.Function("f", [x], [1 / x, x + 1], ["x"], ["y", "z"])
    plain = compile_function(f, backend=backend)
    strict = pickle.loads(pickle.dumps(compile_function(f, backend=backend, nonfinite="no inverse of zero")))
    good, bad = np.array([1.0, 2.0]), np.array([1.0, 0.0])
    np.testing.assert_array_equal(plain(bad)[0], [1.0, np.inf])
    np.testing.assert_array_equal(plain(bad)[1], [2.0, 1.0])
    for fine in (good, [1, 2], np.array([good, good])):
        np.testing.assert_array_equal(strict(fine)[0], np.broadcast_to([1.0, 0.5], np.shape(fine)))
    for wrong in (bad, bad.tolist(), np.array([good, bad])):
        with pytest.raises(InputError, match="no inverse of zero"):
            strict(wrong)
        assert np.isinf(plain(wrong)[0]).any()
    with pytest.raises(InputError, match=r"x\[0\] is nan"):
        strict(bad * np.nan)


def test_long_calls_give_the_interpreter_lock_away(function: ca.Function, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same results with and without it."""
    arguments = inputs()
    kept = compile_function(function, backend="native")(*arguments[:2], np.array([0.5]))
    monkeypatch.setattr("dalembert.compile.native.LOCKED", 0)
    free = compile_function(function, backend="native")
    for got, want in zip(free(*arguments[:2], np.array([0.5])), kept, strict=True):
        np.testing.assert_array_equal(got, want)


def test_results_are_fresh_arrays(kernel: Kernel) -> None:
    q, R, t = inputs()
    first = kernel(q, R, float(t))[0]
    keep = first.copy()
    kernel(q + 1, R, float(t))
    np.testing.assert_array_equal(first, keep)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda q, R, t: (q, R), r"'f' takes 3 inputs \(q, R, t\), got 2"),
        (lambda q, R, t: (q, R, t, t), "takes 3 inputs .* got 4"),
        (lambda q, R, t: (q[:2], R, t), r"input 'q' .* got shape \(2,\), expected \(\.\.\., 3\)"),
        (lambda q, R, t: (q[:, None], R, t), r"input 'q' .* got shape \(3, 1\), expected \(\.\.\., 3\)"),
        (lambda q, R, t: (q, R.T, t), r"input 'R' .* got shape \(3, 2\), expected \(\.\.\., 2, 3\)"),
        (lambda q, R, t: (q, R[0], t), r"input 'R' .* got shape \(3,\), expected \(\.\.\., 2, 3\)"),
        (lambda q, R, t: (1.0, R, t), r"input 'q' .* got shape \(\), expected \(\.\.\., 3\)"),
        (lambda q, R, t: (q + 0j, R, t), "input 'q' .* real numbers: got complex numbers"),
        (lambda q, R, t: (["1", "2", "3"], R, t), "input 'q' .* got text"),
        (lambda q, R, t: (q.astype(object), R, t), "input 'q' .* got"),
        (lambda q, R, t: ([[1, 2, 3], [4]], R, t), "input 'q' .* is not an array of numbers"),
        (lambda q, R, t: (q, R, None), "input 't' .* real numbers"),
        (lambda q, R, t: (np.ma.masked_array(q, mask=[0, 1, 0]), R, t), "input 'q' .* masked array"),
        (lambda q, R, t: (q.astype("M8[s]"), R, t), "input 'q' .* got dates"),
        (
            lambda q, R, t: (np.zeros((4, 3)), np.zeros((5, 2, 3)), t),
            r"do not broadcast: got q \(4,\), R \(5,\), t \(\)",
        ),
    ],
)
def test_wrong_arguments_are_named(kernel: Kernel, change, message: str) -> None:
    q, R, t = inputs()
    with pytest.raises(InputError, match=message):
        kernel(*change(q, R, float(t)))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(kernel: Kernel, bad: float) -> None:
    q, R, t = inputs()
    R[1, 2] = bad
    with pytest.raises(InputError, match=rf"input 'R' of kernel 'f': R\[1, 2\] is {bad}"):
        kernel(q, R, float(t))
    with pytest.raises(InputError, match=f"input 't' of kernel 'f': t is {bad}"):
        kernel(*inputs()[:2], bad)
    q, R, t = inputs(9)
    q[7, 1] = bad
    with pytest.raises(InputError, match=rf"q\[7, 1\] is {bad}"):
        kernel(q, R, t)
    with pytest.raises(InputError, match=r"R\[0, 1\] is .*\(2 such numbers\)"):
        kernel(inputs(9)[0], [[0, bad, 0], [bad, 0, 0]], t)


def test_refusal_leaves_no_trace(kernel: Kernel) -> None:
    q, R, t = inputs()
    before = kernel(q, R, float(t))
    with pytest.raises(InputError):
        kernel(q * np.nan, R, float(t))
    for a, b in zip(kernel(q, R, float(t)), before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_threads_have_their_own_memory(kernel: Kernel) -> None:
    q, R, t = inputs(400)
    serial = [np.array(x) for x in zip(*(kernel(q[i], R[i], float(t[i])) for i in range(400)), strict=True)]
    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(lambda i: kernel(q[i], R[i], float(t[i])), range(400)))
    for k, want in enumerate(serial):
        np.testing.assert_array_equal([row[k] for row in rows], want)


def test_pickle_and_copy(kernel: Kernel) -> None:
    arguments = inputs(3)
    for other in (pickle.loads(pickle.dumps(kernel)), copy.deepcopy(kernel)):
        assert other.signature == kernel.signature
        assert other.backend == kernel.backend
        for a, b in zip(other(*arguments), kernel(*arguments), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("batch", [(), (4,), (2, 3)])
def test_bound_kernel(kernel: Kernel, batch: tuple[int, ...]) -> None:
    q, R, t = inputs(*batch)
    R = R[(0,) * len(batch)].copy()
    bound = kernel.bind(q, R, np.asarray(t))
    assert bound.inputs[0] is q
    for shift in (0.0, 1.0):
        q += shift
        result = bound()
        assert result is bound.outputs
        for a, b in zip(result, kernel(q, R, t), strict=True):
            np.testing.assert_array_equal(a, b)
    q.flat[0] = np.nan
    with pytest.raises(InputError, match="input 'q'"):
        bound()


def test_binding_never_copies(kernel: Kernel) -> None:
    q, R, t = inputs(4)
    for arguments in ((q[:, ::-1], R, t), (q.astype(np.float32), R, t), (q.tolist(), R, t), (q[:, None], R, t)):
        with pytest.raises(InputError, match=r"input 'q' .* cannot be bound"):
            kernel.bind(*arguments)
    with pytest.raises(InputError, match="takes 3 inputs"):
        kernel.bind(q, R)


def test_native_addresses_are_callable(function: ca.Function) -> None:
    """The C interface that integrators use."""
    kernel = compile_function(function, backend="native", shapes={"t": (), "e": ()})
    code = kernel.native
    assert code is not None
    arrays = [np.asarray(x) for x in inputs()]
    results = [np.full(shape, np.nan) for shape in kernel.signature.output_shapes]
    work = np.zeros(code.n_work + 1)
    call = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 3)(code.address)
    table_in = (ctypes.c_void_p * 3)(*[x.ctypes.data for x in arrays])
    table_out = (ctypes.c_void_p * 3)(*[y.ctypes.data for y in results])
    assert call(table_in, table_out, work.ctypes.data) == 0
    for got, want in zip(results, kernel(*arrays), strict=True):
        np.testing.assert_array_equal(got, want)


def test_sizes_of_zero_and_no_inputs() -> None:
    x, p = SX.sym("x", 2), SX.sym("p", 0)
    f = ca.Function("f", [x, p], [2 * x, p], ["x", "p"], ["y", "z"])
    g = ca.Function("g", [], [SX([1, 2, 3])], [], ["y"])
    for backend in ("native", "vm"):
        y, z = compile_function(f, backend=backend)(np.ones((5, 2)), np.zeros(0))
        np.testing.assert_array_equal(y, np.full((5, 2), 2.0))
        assert z.shape == (5, 0)
        np.testing.assert_array_equal(compile_function(g, backend=backend)(), [1, 2, 3])


def test_shapes_are_checked(function: ca.Function) -> None:
    with pytest.raises(UnknownNameError, match=r"no input or output named 'z'.*known: R, S, e, q, t, w"):
        compile_function(function, backend="vm", shapes={"z": (3,)})
    with pytest.raises(InputError, match=r"shape \(4,\) of 'R' .* does not fit 2 x 3 numbers"):
        compile_function(function, backend="vm", shapes={"R": (4,)})


def test_backend_names(function: ca.Function, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="got backend 'gpu', expected one of auto, native, vm"):
        compile_function(function, backend="gpu")
    monkeypatch.setenv("DALEMBERT_BACKEND", "vm")
    assert compile_function(function).backend == "vm"
    assert compile_function(function, backend="native").backend == "native"
    monkeypatch.setenv("DALEMBERT_BACKEND", "fast")
    with pytest.raises(InputError, match="DALEMBERT_BACKEND='fast'"):
        compile_function(function)


def test_source_is_readable(kernel: Kernel) -> None:
    source = kernel.source
    assert "da_f_chunk0(const real *const *in, real *const *out, real *restrict w) {" in source
    assert "const real *restrict x1 = in[1];" in source
