"""Functions in stages: native code against the same operations written out."""

from __future__ import annotations

import pickle

import casadi as ca
import numpy as np
import pytest

from dalembert.compile import compile_function, row_tables
from dalembert.compile import native as native_module
from dalembert.compile.rows import RowFunction, RowSum
from dalembert.compile.rows_builder import RowsBuilder

COLUMNS = 19  # two packs and a part of a third


@pytest.fixture(autouse=True)
def staged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write short functions in stages, too."""
    monkeypatch.setattr(native_module, "STAGED", 0)


@pytest.fixture(params=["straight", "tables"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How sums are written. It goes into the names of functions: kernels are found again by what they compute."""
    if request.param == "tables":
        monkeypatch.setattr(row_tables, "_STRAIGHT", 0)
    return str(request.param)


def every_stage(gap: int = 0, way: str = "straight") -> RowFunction:
    """A function with all kinds of stages; `gap` numbers of the board are left out."""
    x = ca.SX.sym("x", 4)
    p = ca.SX.sym("p", 2)
    board = RowsBuilder()
    j = np.arange(COLUMNS)
    A = board.give(ca.sin(x @ (1.0 + 0.1 * j)[None, :]) + p[0])
    board.block(1, gap)
    B = board.block(3, COLUMNS)
    board.map(lambda a: [ca.vertcat(a[0] * a[1] - 2 * a[2], -a[3], a[0] * a[0] + 0.5)], [A], [B])
    b = board.read(B)
    C = board.give(ca.vertcat(b[0, :] + p[1], b[2, :] * x[0]))
    out = board.block(3, 2 * COLUMNS)
    d = board.block(1, 1)
    board.clear(out)
    board.pivot(d.place(0), B.place(2, 3))
    # Columns 2 to 11 and two more of row 0, two others differently; row 1 from row 0, in place; row 2 stays zero.
    sums = ((d.place(0), B.place(0)), (A.place(1, 5), C.place(1)), (C.place(0, 0), A.place(3)))
    cells = dict.fromkeys([*range(2, 12), 14, 18], (A.place(0), sums)) | dict.fromkeys((0, 15), (None, sums[:1]))
    board.row(out.place(0), cells)
    board.row(out.place(1), dict.fromkeys(range(2 * COLUMNS), (None, ((A.place(2, 2), out.place(0)),))))
    board.row(out.place(1), dict.fromkeys(range(5, 30), (out.place(1), ((d.place(0), out.place(1)),))))
    square = board.block(3, 3)
    board.row(square.place(0), dict.fromkeys(range(3), (A.place(0), ())))
    board.row(square.place(1), dict.fromkeys(range(1, 3), (A.place(1), ())))
    board.row(square.place(2), {2: (A.place(2), ())})
    rows = board.finish([out, square, B, board.block(3, 0)], symmetric=[square])
    return rows.function(f"every_stage_{way}", [x, p], ["x", "p"], ["out", "square", "B", "nothing"])


def numpy_reference(x: np.ndarray, p: np.ndarray) -> list[np.ndarray]:
    """The same, independently."""
    A = np.sin(np.outer(x, 1.0 + 0.1 * np.arange(COLUMNS))) + p[0]
    B = np.array([A[0] * A[1] - 2 * A[2], -A[3], A[0] ** 2 + 0.5])
    C = np.array([B[0] + p[1], B[2] * x[0]])
    out = np.zeros((3, 2 * COLUMNS))
    d = -1 / B[2, 3]
    some = [*range(2, 12), 14, 18]
    out[0, some] = (A[0] + d * B[0] + A[1, 5] * C[1] + C[0, 0] * A[3])[some]
    out[0, [0, 15]] = d * B[0, [0, 15]]
    out[1] = A[2, 2] * out[0]
    out[1, 5:30] += d * out[1, 5:30]
    square = np.triu(A[:3, :3])
    return [out, square + np.triu(square, 1).T, B, np.zeros((3, 0))]


@pytest.mark.parametrize("gap", [0, 40_000], ids=["short tables", "long tables"])
def test_native_code_computes_what_the_stages_say(gap: int, way: str) -> None:
    function = every_stage(gap, way)
    x, p = np.array([0.3, -1.2, 0.7, 2.0]), np.array([0.4, -0.9])
    kernel = compile_function(function, backend="native")
    assert ("typedef int row_index" if gap else "typedef short row_index") in kernel.source
    assert (f"row_steps(b, da_every_stage_{way}" in kernel.source) == (way == "tables")
    for mine, theirs in zip(kernel(x, p), numpy_reference(x, p), strict=True):
        assert mine == pytest.approx(theirs, rel=1e-13, abs=1e-13)


def test_exact_code_equals_the_virtual_machine_to_the_bit(way: str) -> None:
    function = every_stage(0, way)
    exact = compile_function(function, backend="native", exact=True)
    interpreted = compile_function(function, backend="vm")
    rng = np.random.default_rng(0)
    for _ in range(5):
        x, p = rng.normal(size=4), rng.normal(size=2)
        for mine, theirs in zip(exact(x, p), interpreted(x, p), strict=True):
            assert np.array_equal(mine, theirs)


def substitution(columns: int, shift: int, way: str) -> RowFunction:
    """Rows of a matrix that become sums of those before them, which are read from a column that is `shift` farther."""
    x = ca.SX.sym("x", 6)
    board = RowsBuilder()
    A = board.give(ca.horzcat(*(ca.cos(x + 0.3 * j) for j in range(columns + shift))))
    board.map(lambda a: [a], [A], [A])
    for i in range(1, 6):
        terms = tuple((A.place(k, columns + shift - 1), A.place(k, shift)) for k in range(i))
        board.row(A.place(i), dict.fromkeys(range(columns), (A.place(i), terms)))
    rows = board.finish([A])
    return rows.function(f"substitution_{columns}_{shift}_{way}", [x], ["x"], ["A"])


@pytest.mark.parametrize(("columns", "shift"), [(64, 8), (61, 1), (64, 16), (7, 9), (96, 100)])
def test_rows_that_depend_on_other_columns(columns: int, shift: int, way: str) -> None:
    x = np.array([0.3, -1.2, 0.7, 2.0, 0.1, -0.4])
    A = np.cos(x[:, None] + 0.3 * np.arange(columns + shift))
    for i in range(1, 6):
        A[i, :columns] += sum(A[k, -1] * A[k, shift : shift + columns] for k in range(i))
    found = compile_function(substitution(columns, shift, way), backend="native")(x)
    assert found == pytest.approx(A, rel=1e-13, abs=1e-13)


def test_panels_share_their_code() -> None:
    """Sixteen packs of columns, all treated alike: one function, called for each panel."""
    tables = row_tables.RowTables("f")
    for i in range(3):
        tables.add(RowSum(target=1024 + 128 * i, runs=((0, 128),), terms=tuple((k, 1024 + 128 * k) for k in range(i))))
    calls = tables.call()
    assert len({call.split("(")[0] for call in calls}) == 1
    assert len(calls) > 2
    assert len(set(calls)) == len(calls)


def test_a_batch_equals_single_calls_and_does_not_depend_on_its_size() -> None:
    kernel = compile_function(every_stage(), backend="native")
    rng = np.random.default_rng(1)
    x, p = rng.normal(size=(21, 4)), rng.normal(size=(21, 2))
    batch = kernel(x, p)
    one = [np.array(y) for y in zip(*(kernel(*row) for row in zip(x, p, strict=True)), strict=True)]
    few = kernel(x[5:8], p[5:8], threads=2)
    for b, s, f in zip(batch, one, few, strict=True):
        assert b == pytest.approx(s, rel=1e-12, abs=1e-13)
        assert np.array_equal(b[5:8], f)


def test_calls_do_not_leave_traces() -> None:
    kernel = compile_function(every_stage(), backend="native")
    x, p = np.array([0.3, -1.2, 0.7, 2.0]), np.array([0.4, -0.9])
    before = kernel(x, p)
    kernel(100 * x, -p)
    for first, again in zip(before, kernel(x, p), strict=True):
        assert np.array_equal(first, again)


def test_short_functions_are_one_tape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_module, "STAGED", 10**9)
    assert "row_steps" not in compile_function(every_stage(), backend="vm").source


def test_kernels_in_stages_can_be_pickled() -> None:
    kernel = compile_function(every_stage(), backend="native")
    again = pickle.loads(pickle.dumps(kernel))
    x, p = np.array([0.3, -1.2, 0.7, 2.0]), np.array([0.4, -0.9])
    assert np.array_equal(again(x, p)[0], kernel(x, p)[0])
    assert again.signature == kernel.signature


def test_expressions_are_those_of_the_function() -> None:
    x = ca.SX.sym("x", 3)
    board = RowsBuilder()
    A = board.give(x.T)
    out = board.block(1, 3)
    board.row(out.place(0), dict.fromkeys(range(3), (None, ((A.place(0, 1), A.place(0)),))))
    (y,) = board.finish([out]).expressions()
    assert np.allclose(ca.Function("f", [x], [y])([1.0, 2.0, 3.0]).full(), [[2.0, 4.0, 6.0]])
