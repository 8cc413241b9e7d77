"""Lanes: functions of vectors to two units in the last place, and rows that do not know their neighbours."""

from __future__ import annotations

import platform
import shutil

import casadi as ca
import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import mpmath
import numpy as np
import pytest
from hypothesis import given

import dalembert as da
from dalembert.compile import Kernel, compile_function
from dalembert.compile.forms import SCALAR
from dalembert.compile.passes import share_reciprocals
from dalembert.compile.tape import read_tape, supported_operations
from dalembert.core.errors import InputError
from dalembert.systems import load_system

SX = ca.SX
RNG = np.random.default_rng(7)


UNARY = sorted(name for name, arity in supported_operations().items() if arity == 1)
BINARY = sorted(name for name, arity in supported_operations().items() if arity == 2)


@pytest.fixture(scope="module")
def unary() -> tuple[Kernel, Kernel]:
    """All operations of one number, in native code and on the virtual machine."""
    x = SX.sym("x")
    results = [SX.unary(getattr(ca, f"OP_{name}"), x) for name in UNARY]
    f = ca.Function("unary", [x], results, ["x"], UNARY)
    shapes = dict.fromkeys(("x", *UNARY), ())
    return compile_function(f, backend="native", shapes=shapes), compile_function(f, backend="vm", shapes=shapes)


@pytest.fixture(scope="module")
def binary() -> tuple[Kernel, Kernel]:
    """All operations of two numbers."""
    x, y = SX.sym("x"), SX.sym("y")
    results = [SX.binary(getattr(ca, f"OP_{name}"), x, y) for name in BINARY]
    f = ca.Function("binary", [x, y], results, ["x", "y"], BINARY)
    shapes = dict.fromkeys(("x", "y", *BINARY), ())
    return compile_function(f, backend="native", shapes=shapes), compile_function(f, backend="vm", shapes=shapes)


def exact_values(name: str, x: np.ndarray) -> list[mpmath.mpf]:
    with mpmath.workprec(1200):  # enough for the reduction of any double by pi/2
        function = getattr(mpmath, {"log": "ln"}.get(name, name))
        return [function(mpmath.mpf(float(v))) for v in x]


def ulps(got: np.ndarray, want: list[mpmath.mpf]) -> float:
    """Largest error in units in the last place of the result."""
    worst = 0.0
    for g, w in zip(got, want, strict=True):
        unit = max(np.spacing(abs(float(w))), 5e-324)
        with mpmath.workprec(1200):
            worst = max(worst, float(abs(mpmath.mpf(float(g)) - w) / mpmath.mpf(float(unit))))
    return worst


def near_multiples_of_half_pi(limit: float) -> np.ndarray:
    """Doubles next to multiples of pi/2: where a reduction that is short of digits fails."""
    k = np.unique(np.r_[1:40, RNG.integers(1, int(limit * 2 / np.pi), 400)])
    x = k * (np.pi / 2)
    return np.concatenate([x, np.nextafter(x, 0), np.nextafter(x, np.inf), -x])


ANGLES = np.concatenate(
    [
        RNG.uniform(-np.pi, np.pi, 700),
        RNG.uniform(-1e5, 1e5, 500),
        RNG.uniform(0.99e6, 1.01e6, 50),  # across the limit of the fast reduction
        np.geomspace(1e-300, 1e300, 121),
        near_multiples_of_half_pi(6e5),
    ]
)
EXPONENTS = np.concatenate([RNG.uniform(-745, 709.7, 500), RNG.uniform(-1, 1, 500), RNG.normal(size=99) * 1e-9])
POSITIVE = np.concatenate(
    [np.exp(RNG.uniform(-700, 700, 500)), RNG.uniform(0.5, 2, 500), 1 + RNG.normal(size=99) * 1e-7]
)
TANH = np.concatenate([RNG.uniform(-30, 30, 500), RNG.uniform(-1, 1, 500), np.geomspace(1e-310, 30, 200)])
UNIT = np.concatenate([RNG.uniform(-1, 1, 500), [1.0, -1.0, 0.0]])


@pytest.mark.parametrize(
    ("name", "x"),
    [
        *[(name, ANGLES) for name in ("sin", "cos", "tan", "atan")],
        *[("exp", EXPONENTS), ("expm1", EXPONENTS), ("log", POSITIVE), ("sqrt", POSITIVE), ("tanh", TANH)],
        *[("asin", UNIT), ("acos", UNIT), ("sinh", TANH), ("cosh", TANH), ("log1p", POSITIVE)],
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_functions_are_accurate_to_two_units_in_the_last_place(
    unary: tuple[Kernel, Kernel], name: str, x: np.ndarray
) -> None:
    got = unary[0](x)[UNARY.index(name.upper())]
    assert ulps(got, exact_values(name, x)) <= 2.0


def test_single_calls_are_as_accurate() -> None:
    x = SX.sym("x", 50)
    kernel = compile_function(ca.Function("f", [x], [ca.sin(x), ca.cos(x)], ["x"], ["s", "c"]), backend="native")
    angles = RNG.permutation(ANGLES)[: len(ANGLES) // 50 * 50]
    results = [kernel(row) for row in angles.reshape(-1, 50)]
    assert ulps(np.ravel([s for s, _ in results]), exact_values("sin", angles)) <= 2.0
    assert ulps(np.ravel([c for _, c in results]), exact_values("cos", angles)) <= 2.0


SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 2.0, 5e-324, -1e-310, 1e308, -1e308, 710.0, -746.0, 800.0, -800.0, 1e22])


def test_special_numbers_are_treated_as_by_the_virtual_machine(unary: tuple[Kernel, Kernel]) -> None:
    """Zeros with their signs, overflow, underflow, NaN outside of the domain."""
    for name, got, want in zip(UNARY, unary[0](SPECIAL), unary[1](SPECIAL), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-15, atol=5e-324, err_msg=name)
        zero = want == 0
        np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(want[zero]), err_msg=name)


def test_operations_of_two_numbers(binary: tuple[Kernel, Kernel]) -> None:
    numbers = np.r_[SPECIAL, RNG.normal(size=20)]
    a, b = np.meshgrid(numbers, numbers)
    for name, got, want in zip(BINARY, binary[0](a, b), binary[1](a, b), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-15, atol=5e-324, err_msg=name)


def plane(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Points (y, x) in all directions, on axes and diagonals, where the reduction changes, of all magnitudes."""
    angles = np.concatenate([rng.uniform(-np.pi, np.pi, 600), np.arange(-8, 9) * np.pi / 8])
    near = np.concatenate([k * np.pi / 2 + s * np.nextafter(0.5, [0, 1]) for k in range(4) for s in (-1, 1)])
    angles = np.concatenate([angles, near, near + rng.normal(size=near.size) * 1e-3])
    y, x = np.sin(angles), np.cos(angles)
    sizes = np.exp(rng.uniform(-690, 690, (2, 600)))
    signs = rng.choice([-1.0, 1.0], (2, 600))
    ends = np.array([1e-300, 9.9e-301, 2.3e-308, 1e-310, 5e-324, 7.9e307, 8.1e307, 1.7e308])
    a, b = (g.ravel() for g in np.meshgrid(np.r_[ends, -ends], np.r_[ends, -ends]))
    return np.concatenate([y, signs[0] * sizes[0], a]), np.concatenate([x, signs[1] * sizes[1], b])


def test_angles_of_two_numbers_are_accurate_to_two_units_in_the_last_place(binary: tuple[Kernel, Kernel]) -> None:
    y, x = plane(np.random.default_rng(11))
    got = binary[0](y, x)[BINARY.index("ATAN2")]
    with mpmath.workprec(1200):
        want = [mpmath.atan2(mpmath.mpf(float(a)), mpmath.mpf(float(b))) for a, b in zip(y, x, strict=True)]
    assert ulps(got, want) <= 2.0
    np.testing.assert_array_equal(np.signbit(got), np.signbit(y))


@given(hnp.arrays(float, (5, 2), elements=st.floats(allow_nan=False, allow_infinity=False)))
def test_angles_of_any_two_numbers(binary: tuple[Kernel, Kernel], points: np.ndarray) -> None:
    """Against the C library, to the three units that two of ours and one of its own make; signs of zeros exactly."""
    y, x = points.T
    got, want = binary[0](y, x)[BINARY.index("ATAN2")], np.arctan2(y, x)
    assert np.all(np.abs(got - want) <= 3 * np.spacing(np.abs(want)))
    np.testing.assert_array_equal(np.signbit(got), np.signbit(want))


def test_angles_of_infinities_and_nan() -> None:
    """Numbers that arise inside of a function, since inputs that are not finite are refused."""
    y, x, scale = SX.sym("y"), SX.sym("x"), SX.sym("scale")
    f = ca.Function("f", [y, x, scale], [ca.atan2(y * scale, x * scale)], ["y", "x", "scale"], ["angle"])
    kernel = compile_function(f, backend="native", shapes=dict.fromkeys(("y", "x", "scale", "angle"), ()))
    numbers = np.array([0.0, -0.0, 1e-200, -1e-200, 1.0, -1.0, 1e200, -1e200])
    a, b = (g.ravel() for g in np.meshgrid(numbers, numbers))
    inverse = SX.sym("inverse")  # 1/0 makes infinities, and 0/0 NaN
    g = ca.Function("g", [y, x, inverse], [ca.atan2(y / inverse, x / inverse), ca.atan2(y, x / inverse)])
    ratios = compile_function(g, backend="native", shapes=dict.fromkeys(g.name_in(), ()))
    with np.errstate(all="ignore"):
        wanted = np.arctan2(a * 1e200, b * 1e200)
        for got, want in (
            (kernel(a, b, 1e200), wanted),
            (np.ravel(ratios(a, b, 0.0)[0]), np.arctan2(a / 0.0, b / 0.0)),
            (np.ravel(ratios(a, b, 0.0)[1]), np.arctan2(a, b / 0.0)),
        ):
            np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
            number = ~np.isnan(want)
            np.testing.assert_allclose(got[number], want[number], rtol=1e-15, atol=0)
            np.testing.assert_array_equal(np.signbit(got[number]), np.signbit(want[number]))


def mixed_function() -> ca.Function:
    """Wide and narrow inputs and outputs, every vectorised function, angles beyond the fast reduction."""
    a, b, t = SX.sym("a", 11), SX.sym("b", 3), SX.sym("t")
    s, c = ca.sin(a * t), ca.cos(a * t)
    y = ca.vertcat(s[:5] * c[5:10], ca.exp(-ca.fabs(a)), ca.tanh(a[0]), ca.log(1 + a[1] ** 2), ca.sqrt(ca.sumsqr(a)))
    z = ca.vertcat(ca.dot(b, b) / (1 + t**2), ca.atan2(b[0], b[1]), b[2] / (1 + t**2), b[1] / (1 + t**2))
    return ca.Function("mixed", [a, b, t], [y, z], ["a", "b", "t"], ["y", "z"])


@pytest.fixture(scope="module")
def mixed() -> Kernel:
    return compile_function(mixed_function(), backend="native", shapes={"t": ()})


def mixed_inputs(n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(n)
    t = rng.normal(size=n)
    t[:: max(1, n // 3)] = 1e9  # a few lanes leave the fast path of sine and cosine
    return [rng.normal(size=(n, 11)), rng.normal(size=(n, 3)), t]


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 9, 16, 37, 64])
def test_rows_do_not_depend_on_size_order_or_threads(mixed: Kernel, n: int) -> None:
    arguments = mixed_inputs(n)
    whole = mixed(*arguments)
    order = np.random.default_rng(n).permutation(n)
    for row in range(n):
        for got, want in zip(mixed(*[x[row : row + 1] for x in arguments]), whole, strict=True):
            np.testing.assert_array_equal(got[0], want[row])
    for got, want in zip(mixed(*[x[order] for x in arguments]), whole, strict=True):
        np.testing.assert_array_equal(got, want[order])
    for threads in (2, 3, 8, 0):
        for got, want in zip(mixed(*arguments, threads=threads), whole, strict=True):
            np.testing.assert_array_equal(got, want)


@pytest.mark.skipif(platform.machine() != "x86_64" or not shutil.which("gcc"), reason="flags of gcc on x86")
@pytest.mark.parametrize(("flags", "width"), [("-mno-avx512f", 4), ("-mno-avx", 2), ("-mno-avx -mno-sse4.1", 2)])
def test_narrower_processors(monkeypatch: pytest.MonkeyPatch, unary, mixed: Kernel, flags: str, width: int) -> None:
    monkeypatch.setenv("DALEMBERT_CC", f"gcc {flags}")
    arguments = mixed_inputs(21)
    kernel = compile_function(mixed_function(), backend="native", shapes={"t": ()})
    assert kernel.lanes is not None
    assert kernel.lanes.width <= width
    for got, want in zip(kernel(*arguments), mixed(*arguments), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-15)
    functions = compile_function(unary[0].function, backend="native", shapes=dict.fromkeys(("x", *UNARY), ()))
    x = np.r_[SPECIAL, RNG.uniform(-5, 5, 100), near_multiples_of_half_pi(1e5)[:200]]
    for name, got, want in zip(UNARY, functions(x), unary[1](x), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-15, atol=5e-324, err_msg=name)


def test_quick_builds_have_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs, results, keys = mixed_inputs(37), [], []
    for quick in ("0", "1"):
        monkeypatch.setenv("DALEMBERT_QUICK_BUILDS", quick)
        kernel = compile_function(mixed_function(), backend="native", shapes={"t": ()})
        results.append([*kernel(*inputs), *kernel(*(x[5] for x in inputs))])  # in lanes, and one call
        keys.append(SCALAR.optimisation)
    assert keys[0] != keys[1]
    for a, b in zip(*results, strict=True):
        np.testing.assert_array_equal(a, b)


def test_lanes_agree_with_single_calls(mixed: Kernel) -> None:
    arguments = mixed_inputs(50)
    whole = mixed(*arguments)
    for row in range(50):
        for got, want in zip(mixed(*[x[row] for x in arguments]), whole, strict=True):
            np.testing.assert_allclose(got, want[row], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("row", [0, 7, 8, 20, 36])
def test_a_number_that_is_not_finite_is_found_in_every_row(mixed: Kernel, row: int, threads: int) -> None:
    a, b, t = mixed_inputs(37)
    b[row, 1] = np.inf
    with pytest.raises(InputError, match=rf"b\[{row}, 1\] is inf"):
        mixed(a, b, t, threads=threads)


@pytest.mark.parametrize("threads", [-1, 1.5, "2", True])
def test_wrong_number_of_threads(mixed: Kernel, threads: object) -> None:
    with pytest.raises(InputError, match="threads must be a whole number"):
        mixed(*mixed_inputs(2), threads=threads)


def test_memory_around_the_batch_is_left_alone() -> None:
    """Blocks are read and written as whole vectors; nothing outside of the rows may change."""
    x = SX.sym("x", 3)
    kernel = compile_function(ca.Function("f", [x], [2 * x], ["x"], ["y"]), backend="native")
    bound = kernel.bind(np.arange(3.0 * 19).reshape(19, 3))
    guarded = np.full(19 * 3 + 16, 99.0)
    bound.outputs[0][...] = 0
    kernel._batch.run(19, bound.inputs, [3], [guarded[8 : 8 + 19 * 3].reshape(19, 3)])
    np.testing.assert_array_equal(guarded[:8], 99.0)
    np.testing.assert_array_equal(guarded[-8:], 99.0)
    np.testing.assert_array_equal(guarded[8:-8], 2 * np.arange(19 * 3))


def test_shared_reciprocals() -> None:
    x, d = SX.sym("x", 5), SX.sym("d")
    tape = read_tape(ca.Function("f", [x, d], [x / d, ca.sin(d) / x[0]], ["x", "d"], ["y", "z"]))
    assert tape.operations.count("DIV") == 6
    shared = share_reciprocals(tape)
    assert (shared.operations.count("DIV"), shared.operations.count("INV")) == (1, 1)
    few = read_tape(ca.Function("f", [x, d], [x[:2] / d], ["x", "d"], ["y"]))
    assert share_reciprocals(few) is few


@pytest.mark.parametrize("name", ["forward_dynamics", "inverse_dynamics", "mass_matrix"])
def test_dynamics_in_lanes_in_single_calls_and_exactly(name: str) -> None:
    machine = load_system("six-axis-arm")
    kernel = da.equations(machine).kernel(name)
    exact = compile_function(kernel.function, exact=True, shapes={"out0": kernel.signature.output_shapes[0]})
    inputs = [RNG.normal(size=(60, n)) for (n,) in kernel.signature.input_shapes]
    lanes = kernel(*inputs)
    for reference in (exact(*inputs), np.array([kernel(*row) for row in zip(*inputs, strict=True)])):
        scale = np.abs(reference).reshape(60, -1).max(axis=1).reshape(-1, *[1] * (lanes.ndim - 1))
        assert np.max(np.abs(lanes - reference) / scale) < 1e-12
