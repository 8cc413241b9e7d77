"""Single calls through the extension: the same numbers and errors as through ctypes, and nothing left behind."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import sysconfig
import tracemalloc
import weakref
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.compile import Kernel, calls, compile_function, native
from dalembert.core.errors import BuildError, DalembertError, InputError
from dalembert.systems import load_system
from dalembert.systems.textbook import double_pendulum, floating_two_link

SX = ca.SX
Pair = tuple[Kernel, Kernel]

pytestmark = pytest.mark.skipif(
    not Path(sysconfig.get_path("include"), "Python.h").is_file(), reason="there are no headers of Python"
)


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    return lambda value: monkeypatch.setenv("DALEMBERT_CALLS", value)


@pytest.fixture
def pair(choose: Callable[[str], None]) -> Callable[..., Pair]:
    """Make a kernel twice: called through the extension, and through ctypes."""

    def make(function: Any, **options: Any) -> Pair:
        kernels = []
        for how in ("extension", "ctypes"):
            choose(how)
            kernel = compile_function(function, backend="native", **options)
            assert (type(kernel.direct).__name__ == "Caller") == (how == "extension")
            kernels.append(kernel)
        return kernels[0], kernels[1]

    return make


def mixed() -> ca.Function:
    """(q, R, t) -> (w, S, e): vectors, matrices and single numbers."""
    q, R, t = SX.sym("q", 3), SX.sym("R", 2, 3), SX.sym("t")
    w = R @ ca.sin(q) + t
    return ca.Function("mixed", [q, R, t], [w, w @ q.T, ca.sumsqr(w)], ["q", "R", "t"], ["w", "S", "e"])


SHAPES = {"t": (), "e": ()}
Q, R, T = np.array([0.3, -1.2, 2.0]), np.arange(6.0).reshape(2, 3) - 2.5, 0.7


def assert_same(a: Any, b: Any) -> None:
    """To the bit, and of the same types."""
    assert type(a) is type(b)
    if isinstance(a, tuple):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            assert_same(x, y)
        return
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    assert a.tobytes() == b.tobytes()


GOOD = {
    "arrays": (Q, R, np.array(T)),
    "float": (Q, R, T),
    "numpy float": (Q, R, np.float64(T)),
    "whole number": (Q, R, 2),
    "single precision": (Q.astype(np.float32), R, np.float32(T)),
    "integers": (np.array([1, 2, 3]), R.astype(int), T),
    "lists": (Q.tolist(), R.tolist(), T),
    "tuple": (tuple(Q), R, T),
    "not contiguous": (np.repeat(Q, 2)[::2], R, T),
    "column-major": (Q, np.asfortranarray(R), T),
    "other byte order": (Q.astype(">f8"), R, T),
    "not aligned": (np.frombuffer(b"\0" + Q.tobytes(), dtype=np.uint8)[1:].view(float), R, T),
    "read only": (np.frombuffer(Q.tobytes()), R, T),
    "subclass": (Q.view(np.recarray), R, T),
    "batch": (np.array([Q, 2 * Q]), R, T),
    "empty batch": (np.zeros((0, 3)), R, T),
}


@pytest.mark.parametrize("arguments", GOOD.values(), ids=GOOD)
def test_same_numbers(pair: Callable[..., Pair], arguments: tuple[Any, ...]) -> None:
    fast, slow = pair(mixed(), shapes=SHAPES)
    assert_same(fast(*arguments), slow(*arguments))
    assert_same(fast.direct(*arguments), slow(*arguments))


BAD = {
    "too few": (Q, R),
    "too many": (Q, R, T, T),
    "none": (),
    "shape": (Q[:2], R, T),
    "transposed": (Q, R.T, T),
    "nan": (Q * np.nan, R, T),
    "infinite": (Q, R * np.inf, T),
    "nan for a number": (Q, R, float("nan")),
    "nan in a batch": (np.array([Q, Q * np.nan]), R, T),
    "complex": (Q + 1j, R, T),
    "text": ("abc", R, T),
    "nothing": (None, R, T),
    "masked": (np.ma.masked_array(Q), R, T),
    "ragged": ([1, [2, 3]], R, T),
}


@pytest.mark.parametrize("arguments", BAD.values(), ids=BAD)
def test_same_errors(pair: Callable[..., Pair], arguments: tuple[Any, ...]) -> None:
    messages = []
    for kernel in pair(mixed(), shapes=SHAPES):
        with pytest.raises(DalembertError) as caught:
            kernel(*arguments)
        messages.append((type(caught.value), str(caught.value)))
    assert messages[0] == messages[1]


def test_threads_are_still_an_option(pair: Callable[..., Pair]) -> None:
    fast, slow = pair(mixed(), shapes=SHAPES)
    batch = (np.array([Q, 2 * Q, -Q]), R, T)
    assert_same(fast(*batch, threads=2), slow(*batch))
    for threads in (True, 1.0, -1):
        with pytest.raises(InputError, match="threads must be a whole number"):
            fast(*batch, threads=threads)
    with pytest.raises(TypeError, match="unexpected keyword"):
        fast.direct(*batch, colour="red")


@pytest.mark.parametrize(
    "function",
    [
        ca.Function("one", [SX.sym("x")], [SX(4.0)], ["x"], ["y"]),
        ca.Function("nothing", [], [SX.ones(2, 2)], [], ["y"]),
        ca.Function("empty", [SX.sym("x", 0)], [SX.zeros(0, 3), SX.ones(1)], ["x"], ["y", "z"]),
    ],
    ids=lambda f: f.name(),
)
def test_corner_cases(pair: Callable[..., Pair], function: ca.Function) -> None:
    fast, slow = pair(function)
    arguments = [np.full(shape, 0.5) for shape in fast.signature.input_shapes]
    assert_same(fast(*arguments), slow(*arguments))


def test_more_arrays_or_axes_than_the_extension_takes(choose: Callable[[str], None]) -> None:
    choose("extension")
    x = SX.sym("x", 30)
    many = compile_function(ca.Function("f", ca.vertsplit(x), [ca.sum1(x)]), backend="native")
    assert many(*[np.ones(1)] * 30) == 30.0
    double, shape = ca.Function("g", [x], [2 * x], ["x"], ["y"]), (1, 2, 1, 3, 5)
    assert compile_function(double, shapes={"x": shape}, backend="native")(np.ones(shape)).sum() == 60.0


def test_results_that_are_not_finite(pair: Callable[..., Pair]) -> None:
    x = SX.sym("x", 2)
    f = ca.Function("f", [x], [1 / x], ["x"], ["y"])
    bad = np.array([1.0, 0.0])
    assert_same(*(kernel(bad) for kernel in pair(f)))
    for kernel in pair(f, nonfinite="no inverse of zero"):
        assert_same(kernel(bad + 1), np.array([0.5, 1.0]))
        with pytest.raises(InputError, match="no inverse of zero"):
            kernel(bad)


@pytest.mark.parametrize("locked", [True, False])
def test_calls_from_many_threads(pair: Callable[..., Pair], monkeypatch: pytest.MonkeyPatch, locked: bool) -> None:
    """With work arrays, and with the interpreter lock released where a call takes long."""
    monkeypatch.setattr(calls, "LOCKED", 10**9 if locked else 0)
    x = SX.sym("x", 20)
    y = x
    for _ in range(200):
        y = ca.sin(y[::-1]) * x + 0.5 * y
    fast, slow = pair(ca.Function("f", [x], [y, ca.sumsqr(y)], ["x"], ["y", "s"]))
    assert slow.native is not None
    assert slow.native.n_operations > native.LOCKED // 2
    points = np.random.default_rng(1).normal(size=(400, 20))
    wanted = [slow(point) for point in points]
    with ThreadPoolExecutor(8) as pool:
        for got, want in zip(pool.map(fast, points), wanted, strict=True):
            assert_same(got, want)


def test_results_are_fresh_arrays(pair: Callable[..., Pair]) -> None:
    fast, _ = pair(mixed(), shapes=SHAPES)
    first, again = fast(Q, R, T), fast(Q, R, T)
    first[0][:] = np.nan
    assert np.isfinite(again[0]).all()
    assert again[0].flags.owndata
    assert again[0].flags.writeable


def test_no_references_and_no_memory_are_left(pair: Callable[..., Pair]) -> None:
    fast, _ = pair(mixed(), shapes=SHAPES, nonfinite="not finite")
    arguments = (Q.copy(), R.copy(), np.array(T))
    broken = (Q * 1e300, R * 1e300, np.array(T))  # whose results overflow

    def many(n: int) -> None:
        for _ in range(n):
            fast(*arguments)
            fast(arguments[0].tolist(), *arguments[1:])
            for wrong in ((arguments[0] * np.nan, *arguments[1:]), arguments[:2], broken):
                with pytest.raises(InputError):
                    fast(*wrong)

    many(20)
    before = [sys.getrefcount(x) for x in (*arguments, *broken)]
    tracemalloc.start()
    try:
        many(20)
        gc.collect()
        start = tracemalloc.get_traced_memory()[0]
        many(300)
        for _ in range(20_000):
            fast(*arguments)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - start
    finally:
        tracemalloc.stop()
    assert [sys.getrefcount(x) for x in (*arguments, *broken)] == before
    assert grown < 300 * 56  # a lost array per call would be more than 100 bytes each


def test_kernels_are_freed(pair: Callable[..., Pair]) -> None:
    """Kernel and caller hold each other."""
    fast, slow = pair(mixed(), shapes=SHAPES)
    fast(Q, R, T)
    gone = weakref.ref(fast)
    del fast, slow
    gc.collect()
    assert gone() is None


QUANTITIES: dict[str, tuple[str, ...]] = {
    "mass_matrix": ("q",),
    "coriolis_matrix": ("q", "v"),
    "gravity": ("q",),
    "bias": ("q", "v"),
    "inverse_dynamics": ("q", "v", "a"),
    "forward_dynamics": ("q", "v", "a"),
    "inverse_dynamics_derivatives": ("q", "v", "a"),
    "energy": ("q", "v"),
    "momentum": ("q", "v"),
    "center_of_mass": ("q",),
    "coordinate_rate": ("q", "v"),
    "integrate": ("q", "v"),
    "applied": ("q", "v", "u"),
}


SOME = ("mass_matrix", "gravity", "inverse_dynamics", "forward_dynamics")


def quantities(machine: da.Machine, names: Collection[str]) -> Iterator[Any]:
    """Everything the equations of a fresh machine give, with and without p and t, twice over."""
    eom = da.equations(machine, backend="native")
    rng = np.random.default_rng(2)
    given = {"q": eom.random_configuration(rng), "u": rng.normal(size=eom.nu)}
    given |= {"v": rng.normal(size=eom.nv), "a": rng.normal(size=eom.nv)}
    frame = next(iter(machine.tree.frames))
    for _ in range(2):
        for name in names:
            call, values = getattr(eom, name), [given[k] for k in QUANTITIES[name]]
            yield call(*values)
            if name != "integrate":
                yield call(*values, t=0.5)
                yield call(*values, p=1.01 * machine.p_nominal)
                yield call(*values, p={})
        yield eom.pose(frame, given["q"])
        yield eom.jacobian(frame, given["q"])
        yield eom.jacobian(frame, given["q"], axes="world")
        yield eom.jacobian_rate(frame, given["q"], given["v"], p={})


MACHINES = {
    "arm": lambda: load_system("six-axis-arm"),
    "with parameters": double_pendulum,
    "with a quaternion": floating_two_link,
}
"""Makers of machines: equations are kept by the machine, so that each way to call needs one of its own."""


@pytest.mark.parametrize(
    "make", [pytest.param(make, id=name, marks=[pytest.mark.slow] * (name != "arm")) for name, make in MACHINES.items()]
)
def test_equations_give_the_same(choose: Callable[[str], None], make: Callable[[], da.Machine]) -> None:
    results = []
    for how in ("extension", "ctypes"):
        choose(how)
        machine = make()
        results.append(list(quantities(machine, SOME if machine.name == "six-axis-arm" else QUANTITIES)))
    for a, b in zip(*results, strict=True):
        assert_same(a, b)


@pytest.mark.parametrize("make", MACHINES.values(), ids=MACHINES)
def test_equations_raise_the_same(choose: Callable[[str], None], make: Callable[[], da.Machine]) -> None:
    """Before and after a call that is right."""
    messages: dict[str, list[str]] = {"extension": [], "ctypes": []}
    for how in messages:
        choose(how)
        eom = da.equations(make(), backend="native")
        good = eom.q_neutral
        for _ in range(2):
            for wrong in (good[:-1], np.append(good[:-1], np.nan), "x", [None]):
                with pytest.raises(InputError) as caught:
                    eom.gravity(wrong)
                messages[how].append(str(caught.value))
            eom.gravity(good)
    assert messages["extension"] == messages["ctypes"]


@pytest.fixture
def forgotten() -> Iterator[None]:
    """The extension is looked for again, in this test and in the next."""
    calls._extension.cache_clear()
    yield
    calls._extension.cache_clear()


def test_without_headers_calls_go_through_ctypes(
    choose: Callable[[str], None], forgotten: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    choose("")
    kernel = compile_function(mixed(), backend="native", shapes=SHAPES)
    assert kernel(Q, R, T)[0].shape == (2,)
    assert type(kernel.direct).__name__ == "method"
    choose("extension")
    with pytest.raises(BuildError, match=r"needs the header Python\.h"):
        compile_function(mixed(), backend="native", shapes=SHAPES)(Q, R, T)


def test_an_extension_that_cannot_be_built(
    choose: Callable[[str], None], forgotten: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "read_text", lambda name: "#error not today\n")
    choose("auto")
    assert compile_function(mixed(), backend="native", shapes=SHAPES)(Q, R, T)[0].shape == (2,)
    choose("extension")
    with pytest.raises(BuildError, match="not today"):
        compile_function(mixed(), backend="native", shapes=SHAPES)(Q, R, T)


def test_other_interpreters_do_without(
    choose: Callable[[str], None], forgotten: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: 1)  # Py_GIL_DISABLED among them
    choose("extension")
    with pytest.raises(BuildError, match="CPython with the interpreter lock"):
        compile_function(mixed(), backend="native", shapes=SHAPES)(Q, R, T)


def test_unknown_way_to_call(choose: Callable[[str], None]) -> None:
    choose("quickly")
    with pytest.raises(InputError, match="got DALEMBERT_CALLS='quickly', expected one of auto, extension, ctypes"):
        compile_function(mixed(), backend="native", shapes=SHAPES)(Q, R, T)


def test_virtual_machine_needs_neither(choose: Callable[[str], None]) -> None:
    choose("extension")
    assert compile_function(mixed(), backend="vm", shapes=SHAPES)(Q, R, T)[0].shape == (2,)


def test_forked_processes(choose: Callable[[str], None]) -> None:
    """A process that forks after its first call, as multiprocessing on Linux does."""
    if not hasattr(os, "fork"):
        pytest.skip("there is no fork")
    script = (
        "import casadi as ca, numpy as np, multiprocessing as mp\n"
        "from dalembert.compile import compile_function\n"
        "x = ca.SX.sym('x', 3)\n"
        "kernel = compile_function(ca.Function('f', [x], [ca.sin(x)], ['x'], ['y']), backend='native')\n"
        "first = kernel(np.ones(3))\n"
        "with mp.get_context('fork').Pool(2) as pool:\n"
        "    assert all(np.array_equal(y, first) for y in pool.map(kernel, [np.ones(3)] * 20))\n"
        "print('done')\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "DALEMBERT_CALLS": "extension"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "done\n", done.stderr
