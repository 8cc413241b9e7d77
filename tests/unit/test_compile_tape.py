"""Reading CasADi functions into tapes, and writing tapes as C."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from dalembert.compile.emit_c import emit_c
from dalembert.compile.native import emit_function
from dalembert.compile.tape import read_tape, row_major, supported_operations
from dalembert.core.errors import InputError

SX = ca.SX


def test_equal_operations_are_one_value() -> None:
    x, y = SX.sym("x"), SX.sym("y")
    tape = read_tape(ca.Function("f", [x, y], [ca.vertcat(x * y + 1, ca.sin(y * x))], ["x", "y"], ["z"]))
    assert tape.operations.count("MUL") == 1
    assert tape.inputs == {"x": 1, "y": 1}
    assert tape.outputs == {"z": 2}


def test_operands_come_before_their_use() -> None:
    x = SX.sym("x", 4)
    tape = read_tape(ca.Function("f", [x], [ca.sumsqr(x) * ca.sin(x) / (1 + x)], ["x"], ["z"]))
    for i, (op, a, b) in enumerate(zip(tape.operations, tape.left, tape.right, strict=True)):
        if op not in ("CONST", "INPUT"):
            assert a < i
            assert b < i


def test_unknown_operation_is_named() -> None:
    x = SX.sym("x")
    with pytest.raises(InputError, match=r"'f' uses operation ERFINV.*supported: .*ATAN2"):
        read_tape(ca.Function("f", [x], [ca.erfinv(x)], ["x"], ["y"]))


def test_free_symbols_are_named() -> None:
    x, mass = SX.sym("x"), SX.sym("mass")
    f = ca.Function("f", [x], [x * mass], ["x"], ["y"], {"allow_free": True})
    with pytest.raises(InputError, match="free symbols: mass"):
        read_tape(f)


def test_embedded_solver_is_refused() -> None:
    x = ca.MX.sym("x")
    root = ca.rootfinder("root", "newton", {"x": x, "g": ca.cos(x) - x})
    f = ca.Function("f", [x], [root(x, ca.MX())], ["x"], ["y"])
    with pytest.raises(InputError, match="'f' uses operation CALL, which cannot be compiled"):
        read_tape(f)


def test_function_without_scalar_form_is_refused() -> None:
    x = ca.MX.sym("x", 3)
    f = ca.Function("f", [x], [ca.find(x)], ["x"], ["y"])
    with pytest.raises(InputError, match="'f' cannot be written as scalar operations"):
        read_tape(f)


def test_mx_function_is_expanded() -> None:
    x = ca.MX.sym("x", 3)
    tape = read_tape(ca.Function("f", [x], [ca.dot(x, x)], ["x"], ["y"]))
    assert tape.outputs == {"y": 1}
    assert tape.operations.count("SQ") == 3


def test_row_major_of_sparse_matrices() -> None:
    pattern = ca.Sparsity.lower(3)
    a, b = SX.sym("a", pattern), SX.sym("b", 2, 3)
    f = ca.Function("f", [a, b], [b @ a, a.T], ["a", "b"], ["p", "t"])
    rng = np.random.default_rng(1)
    A, B = rng.normal(size=(3, 3)), rng.normal(size=(2, 3))
    p, t = row_major(f)(A.ravel(), B.ravel())
    np.testing.assert_allclose(np.array(p).reshape(2, 3), B @ np.tril(A), rtol=1e-14)
    np.testing.assert_array_equal(np.array(t).reshape(3, 3), np.tril(A).T)


def test_every_operation_can_be_written() -> None:
    x, y = SX.sym("x"), SX.sym("y")
    for name, arity in supported_operations().items():
        code = getattr(ca, f"OP_{name}")
        z = SX.unary(code, x) if arity == 1 else SX.binary(code, x, y)
        emit_c(read_tape(ca.Function("f", [x, y], [z], ["x", "y"], ["z"])))


def test_work_slots_are_reused() -> None:
    """A chain of dependent values needs one slot at each chunk boundary, whatever its length."""
    x = SX.sym("x")
    y = x
    for _ in range(200):
        y = ca.sin(y)
    source = emit_c(read_tape(ca.Function("f", [x], [y], ["x"], ["y"])), chunk_size=10)
    assert len(source.units) == 21
    assert source.n_work <= 2


def test_unchunked_tape_needs_no_work() -> None:
    x = SX.sym("x", 5)
    source = emit_c(read_tape(ca.Function("f", [x], [ca.sin(x)], ["x"], ["y"])))
    assert (len(source.units), source.n_work, source.n_operations) == (1, 0, 5)


def test_entries_may_call_further_tapes_that_share_the_work_array() -> None:
    x = ca.SX.sym("x", 3)
    long = x
    for k in range(2000):
        long = ca.sin(long) + k
    first, second = ca.Function("first", [x], [ca.sumsqr(x)]), ca.Function("second", [x], [long])
    source = emit_function(first, further={"SECOND": second})
    alone = emit_function(second)
    assert "#define CHUNKS(in, out, work) da_first_chunk0(in, out, work);" in source.text
    assert "#define SECOND(in, out, work) da_first_second_chunk0(in, out, work); da_first_second_chunk1" in source.text
    assert (source.n_work, source.n_operations) == (alone.n_work, alone.n_operations)
