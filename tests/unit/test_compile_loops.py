"""Tapes of long chains are rolled up into loops."""

from __future__ import annotations

import functools

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.benchmarks.machines import chain
from dalembert.compile import compile_function
from dalembert.compile.emit_c import CHUNK_SIZE, emit_c
from dalembert.compile.forms import CUDA, EXACT, LANES, PORTABLE, SCALAR, Form
from dalembert.compile.loops import split_tape
from dalembert.compile.tape import Tape, read_tape


@functools.cache
def tape_of(links: int) -> Tape:
    return read_tape(da.equations(chain(links), backend="vm").kernel("forward_dynamics").function)


def written(tape: Tape) -> int:
    """Operations that the code has."""
    return sum(piece.length for piece in split_tape(tape, CHUNK_SIZE))


def test_code_of_a_chain_does_not_grow_with_its_links() -> None:
    short, long = tape_of(60), tape_of(120)
    assert long.n_operations > 1.9 * short.n_operations
    assert written(long) <= 1.05 * written(short)
    assert written(long) < 0.15 * long.n_operations


def test_pieces_are_the_tape() -> None:
    tape = tape_of(60)
    values = np.concatenate([piece.values.ravel() for piece in split_tape(tape, CHUNK_SIZE)])
    computed = [i for i, op in enumerate(tape.operations) if op not in ("CONST", "INPUT")]
    np.testing.assert_array_equal(values, computed)


def test_short_tapes_stay_straight() -> None:
    tape = tape_of(8)
    assert tape.n_operations <= CHUNK_SIZE
    assert [piece.turns for piece in split_tape(tape, CHUNK_SIZE)] == [1]


def test_what_does_not_repeat_stays_straight() -> None:
    rng = np.random.default_rng(1)
    x = ca.SX.sym("x", 3)
    values = x.nonzeros()
    for _ in range(3000):
        a, b = (values[int(k)] for k in rng.integers(max(0, len(values) - 30), len(values), size=2))
        values.append([a + b, a * b, a - b, ca.sin(a)][int(rng.integers(4))])
    tape = read_tape(ca.Function("f", [x], [ca.vertcat(*values[-30:])]))
    assert all(piece.turns == 1 for piece in split_tape(tape, 500))


@pytest.mark.parametrize("form", [SCALAR, EXACT, LANES, PORTABLE, CUDA], ids=lambda form: form.name)
def test_every_form_has_the_loops(form: Form) -> None:
    text = emit_c(tape_of(60), form=form).text
    assert text.count("ROLL\n") >= 3


def test_native_chain_agrees_with_the_virtual_machine() -> None:
    """The longest loop carries articulated inertias from link to link; a wrong address would be seen at once."""
    function = da.equations(chain(40), backend="vm").kernel("forward_dynamics").function
    rng = np.random.default_rng(3)
    arguments = rng.normal(size=(3, 5, 40))
    native, vm = (compile_function(function, backend=backend)(*arguments) for backend in ("native", "vm"))
    np.testing.assert_allclose(native, vm, rtol=0, atol=1e-9 * np.abs(vm).max())
    np.testing.assert_array_equal(compile_function(function, backend="native", exact=True)(*arguments[:, 0]), vm[0])


def test_outputs_that_are_inputs_or_constants() -> None:
    x = ca.SX.sym("x", 5)
    function = ca.Function("through", [x], [ca.vertcat(x[3], 2.0, x[3] + x[4]), x], ["x"], ["y", "z"])
    y, z = compile_function(function, backend="native")(np.arange(5.0))
    np.testing.assert_array_equal(y, [3.0, 2.0, 7.0])
    np.testing.assert_array_equal(z, np.arange(5.0))


def test_a_turn_with_a_constant_is_not_a_turn_with_an_input() -> None:
    """The number of the first input must not pass for 'constant', nor that of the second for 'no operand'."""
    rng = np.random.default_rng(0)
    q, v = ca.SX.sym("q", 200), ca.SX.sym("v", 200)
    x = ca.SX(1.0)
    for k in range(200):
        other = q[k] if rng.integers(2) else 0.5 + 0.01 * k
        for j in range(12):
            x = ca.sin(ca.atan2(other, x) + 0.1 * j) + v[k] * x
    function = ca.Function("f", [q, v], [x], ["q", "v"], ["x"])
    arguments = rng.normal(size=200), 0.1 * rng.normal(size=200)
    native, vm = (compile_function(function, backend=backend)(*arguments) for backend in ("native", "vm"))
    np.testing.assert_allclose(native, vm, rtol=1e-9)


def test_a_first_turn_that_starts_from_a_value_of_its_own() -> None:
    """Later turns take an operand from the turn before, the first one from itself: there is nothing before the loop."""
    u, c = ca.SX.sym("u", 200), ca.SX.sym("c")
    last, y = None, []
    for k in range(200):
        a = ca.sqrt(1 + (u[k] * c) ** 2)
        b = a * a + u[k]
        start = b if last is None else last
        x = a - b * b
        for _ in range(8):
            x = 0.1 / (1.0 + (x * start) ** 2) + x * u[k]
        last = x
        y.append(x)
    function = ca.Function("f", [u, c], [ca.vertcat(*y)], ["u", "c"], ["y"])
    assert max(piece.turns for piece in split_tape(read_tape(function), CHUNK_SIZE)) > 100
    arguments = np.linspace(0.1, 0.9, 200), np.array([0.3])
    native = compile_function(function, backend="native", exact=True)(*arguments)
    np.testing.assert_array_equal(native, compile_function(function, backend="vm")(*arguments))
