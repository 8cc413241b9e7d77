"""Equal operations on different values are bundled into short vectors."""

from __future__ import annotations

import ctypes
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.compile import compile_function
from dalembert.compile.batch import pointers
from dalembert.compile.build import build_units, find_toolchain
from dalembert.compile.bundles import Statements, find_bundles, is_angle
from dalembert.compile.emit_c import emit_c
from dalembert.compile.forms import EXACT, SCALAR
from dalembert.compile.tape import Tape, read_tape
from dalembert.systems import load_system

LINKS = 5


def limbs(n: int, *, odd: bool = False, links: int = LINKS) -> ca.Function:
    """Torques of n chains that hang on a shared body; numbers differ, and in one of them the last link does.

    The inward sums go from the tip to the body, the outward ones back, as in the dynamics of a machine.
    """
    q, b = ca.SX.sym("q", n * links), ca.SX.sym("b", 3)
    rng = np.random.default_rng(n)
    sizes = rng.uniform(0.5, 2.0, size=(links, 4))
    total = ca.SX(3, 1)
    wrenches = []
    for limb in range(n):
        f = ca.SX(3, 1)
        for k in reversed(range(links)):
            angle, (m, *p) = q[limb * links + k], sizes[k]
            p = [p[0], p[1] if limb % 2 else -p[1], p[2]]
            c, s = ca.cos(angle), ca.sin(angle)
            if odd and limb == n - 1 and k == links - 1:
                f = f + ca.vertcat(s * c * 0.3, s, c * s)
            f = m * ca.cross(ca.SX(p), b) + ca.vertcat(c * f[0] - s * f[1], s * f[0] + c * f[1], f[2])
            f = f + ca.cross(ca.SX(p), f) / (2 + s * s)
        wrenches.append(f)
        total = total + f
    motion = ca.vertcat(*(ca.dot(total, f) * f for f in wrenches))
    return ca.Function(f"limbs{n}", [q, b], [motion, total], ["q", "b"], ["motion", "total"])


def bundles_of(function: ca.Function) -> tuple[Tape, Statements]:
    tape = read_tape(function)
    return tape, find_bundles(tape)


def assert_sound(tape: Tape, statements: Statements) -> None:
    """Every value is computed once, after its operands, with the operation of its bundle."""
    done = {i for i, op in enumerate(tape.operations) if op in ("CONST", "INPUT")}
    for bundle in statements.order:
        assert done.isdisjoint(bundle)
        assert len({tape.operations[i] for i in bundle}) == 1
        operands = statements.operands(bundle)
        assert all(set(lanes) <= done for lanes in operands)
        for i, *found in zip(bundle, *operands, strict=True):
            assert sorted(found) == sorted(x for x in (tape.left[i], tape.right[i]) if x >= 0)
            if tape.operations[i] in ("SUB", "DIV"):
                assert found == [tape.left[i], tape.right[i]]
        done.update(bundle)
    assert len(done) == len(tape)


@pytest.mark.parametrize(("n", "odd"), [(2, False), (2, True), (4, False), (8, False)])
def test_limbs_are_bundled(n: int, odd: bool) -> None:
    tape, statements = bundles_of(limbs(n, odd=odd))
    assert_sound(tape, statements)
    # All but the shared sum; what follows the odd link is bundled again.
    assert len(statements.order) < tape.n_operations * (1.0 / n + 0.2)
    assert max(map(len, statements.order)) == n


@pytest.mark.parametrize("odd", [False, True])
@pytest.mark.parametrize("n", [2, 3, 4, 8])
def test_bundles_compute_the_same(n: int, odd: bool) -> None:
    function = limbs(n, odd=odd)
    rng = np.random.default_rng(0)
    q, b = rng.normal(size=n * LINKS), rng.normal(size=3)
    native, vm = (compile_function(function, backend=backend)(q, b) for backend in ("native", "vm"))
    for x, y in zip(native, vm, strict=True):
        np.testing.assert_allclose(x, y, rtol=0, atol=1e-13 * np.abs(y).max())


def lone_cosine() -> ca.Function:
    """Four chains of products without sines, and one cosine that is an output and read at their ends."""
    q, b = ca.SX.sym("q", 32), ca.SX.sym("b", 3)
    c = ca.cos(b[0])
    ends = []
    for limb in range(4):
        x = c
        for k in range(8):
            x = x * q[8 * limb + k] + b[1] * x - b[2]
        ends.append(x * c)
    return ca.Function("f", [q, b], [c, ca.vertcat(*ends)])


@pytest.mark.parametrize("function", [limbs(4, links=8), lone_cosine()], ids=["limbs", "cosine"])
def test_bundles_go_through_the_work_array(function: ca.Function, tmp_path: Path) -> None:
    """Functions of some forty statements each: bundles, and single lanes of them, are read across them."""
    toolchain = find_toolchain()
    if toolchain is None:
        pytest.skip("no C compiler")
    source = emit_c(read_tape(function), chunk_size=len(read_tape(function).operations) // 8)
    assert sum(unit.count("_chunk") for unit in source.units) > 3
    library = ctypes.CDLL(str(build_units(toolchain, source.units, tmp_path, name="f", fused=True)))
    rng = np.random.default_rng(0)
    arguments = rng.normal(size=32), rng.normal(size=3)
    want = [np.ravel(y) for y in compile_function(function, backend="vm")(*arguments)]
    found, work = [np.full_like(y, np.nan) for y in want], np.full(source.n_work, np.nan)
    tables = [pointers(arguments), pointers(found)]
    assert library[source.symbol](*(ctypes.c_void_p(x.ctypes.data) for x in (*tables, work))) == 0
    for x, y in zip(found, want, strict=True):
        np.testing.assert_allclose(x, y, rtol=0, atol=1e-13 * np.abs(y).max())


def test_circles_are_dissolved() -> None:
    """Values of equal colours that depend on each other cannot be computed together."""
    x = ca.SX.sym("x", 4)
    rng = np.random.default_rng(2)
    values = x.nonzeros()
    for _ in range(400):
        a, b, c = (values[int(k)] for k in rng.integers(max(0, len(values) - 8), len(values), size=3))
        values += [a * b - c, a * c - b]
    tape, statements = bundles_of(ca.Function("f", [x], [ca.vertcat(*values[-8:])]))
    assert_sound(tape, statements)


def test_a_chain_stays_as_it_is() -> None:
    eom = da.equations(load_system("six-axis-arm"), backend="vm")
    tape, statements = bundles_of(eom.kernel("forward_dynamics").function)
    assert [i for (i,) in statements.order] == [
        i for i, op in enumerate(tape.operations) if op not in ("CONST", "INPUT")
    ]


def test_exact_kernels_have_no_vectors() -> None:
    tape = read_tape(limbs(4))
    assert "real4 a" in emit_c(tape, form=SCALAR).text
    assert "real4" not in emit_c(tape, form=EXACT).text


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 20])
def test_sines_of_many_angles(n: int) -> None:
    """Small angles, and such that only the mathematical library reduces, beside each other."""
    x = ca.SX.sym("x", n)
    kernel = compile_function(ca.Function("f", [x], [ca.sin(x), ca.cos(x)], ["x"], ["s", "c"]), backend="native")
    rng = np.random.default_rng(n)
    angles = rng.normal(size=n) * 10.0 ** rng.integers(-9, 9, size=n)
    for values in (angles, np.arange(n) * 1e7, np.linspace(-3, 3, n)):
        sines, cosines = (np.ravel(y) for y in kernel(values))
        np.testing.assert_allclose(sines, np.sin(values), rtol=4e-16, atol=0)
        np.testing.assert_allclose(cosines, np.cos(values), rtol=4e-16, atol=0)


def test_sines_are_outputs_and_operands() -> None:
    x = ca.SX.sym("x", 3)
    function = ca.Function("f", [x], [ca.vertcat(ca.sin(x[0]), ca.cos(x[2]) * x[1], x[1], ca.sin(2 * x[1]))])
    assert sum(is_angle(read_tape(function), i) for i in range(len(read_tape(function)))) == 2
    v = np.array([0.3, -0.7, 2.0])
    want = [np.sin(v[0]), np.cos(v[2]) * v[1], v[1], np.sin(2 * v[1])]
    np.testing.assert_allclose(compile_function(function, backend="native")(v), want, rtol=1e-15)


def test_runs_of_zeros_are_stored() -> None:
    """Of any length, with numbers on both sides."""
    x = ca.SX.sym("x")
    runs = [ca.vertcat(ca.SX(n, 1), x + n) for n in range(1, 25)]
    kernel = compile_function(ca.Function("f", [x], [ca.densify(ca.vertcat(x, *runs))]), backend="native")
    want = np.concatenate([[3.0], *([*[0.0] * n, 3.0 + n] for n in range(1, 25))])
    for _ in range(3):  # results are new arrays, which hold what was there before
        np.testing.assert_array_equal(kernel(np.array([3.0])), want)
