"""Machines without a compiler: tapes on the virtual machine, and the engine as the installation brought it."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import subprocess
import sys
import threading
import types
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.compile import compile_function
from dalembert.compile.batch import run_threads
from dalembert.core.errors import BuildError
from dalembert.engine import kernels, library, shipped
from dalembert.engine.codes import Code, VirtualTape, code_of
from dalembert.engine.sources import UNITS, checked_text
from support.shipped_engine import bare_environment, shipped_engine
from support.without_compiler import CASES, ball, numbers, swing

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tests" / "support" / "without_compiler.py"
ROUNDING = 1e-12
LOOSER = {
    # Newton's method ends within 1e-13 of the solution, in each of a hundred steps.
    ("generalized-alpha", ""): 1e-11,
    # Steps are as long as an estimate of 1e-6 of the states says, of which rounding is 1e-10: so are the instants at
    # which a member is measured.
    ("adaptive rollout", "measure."): 1e-9,
}


def call(code: Code, inputs: list[np.ndarray], sizes: list[int | None]) -> list[np.ndarray | None]:
    """Call code as the engine does; outputs without a size are not wanted."""
    outputs = [None if size is None else np.full(size, np.nan) for size in sizes]
    function = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 3)(code.address)
    tables = [
        np.array([0 if a is None else a.ctypes.data for a in arrays], dtype=np.uintp) for arrays in (inputs, outputs)
    ]
    work = code.work()
    assert function(tables[0].ctypes.data, tables[1].ctypes.data, work.ctypes.data) == 0
    return outputs


def assert_same(case: str, one: dict[str, np.ndarray], two: dict[str, np.ndarray]) -> None:
    """Same events and statuses; numbers up to rounding, relative to the largest of a column."""
    assert one.keys() == two.keys()
    for key, values in one.items():
        assert values.shape == two[key].shape, key
        if values.dtype.kind in "US":
            np.testing.assert_array_equal(two[key], values, err_msg=key)
            continue
        bounds = [bound for (name, start), bound in LOOSER.items() if name == case and key.startswith(start)]
        np.testing.assert_array_equal(np.isnan(two[key]), np.isnan(values), err_msg=key)
        size = np.nanmax(np.abs(values), initial=1e-3)
        wrong = np.nanmax(np.abs(two[key] - values), initial=0.0) / size
        assert wrong <= max(bounds, default=ROUNDING), (key, wrong)


def test_a_tape_on_the_virtual_machine_is_code_of_the_engine() -> None:
    """Matrices row by row, structural zeros, inputs of length zero, outputs that nobody wants."""
    A, x, nothing = ca.SX.sym("A", 2, 3), ca.SX.sym("x", 3), ca.SX.sym("nothing", 0)
    sparse = ca.SX(2, 2)
    sparse[0, 1] = ca.sin(x[0]) * x[2]
    outputs = [A @ x, sparse, A.T, ca.SX(0, 1)]
    function = ca.Function("f", [A, nothing, x], outputs, ["A", "nothing", "x"], ["Ax", "sparse", "At", "none"])
    rng = np.random.default_rng(1)
    matrix, vector = rng.normal(size=(2, 3)), rng.normal(size=3)
    expected = [matrix @ vector, [0.0, np.sin(vector[0]) * vector[2], 0.0, 0.0], matrix.T.ravel()]
    for code in (VirtualTape(function), code_of(compile_function(function, backend="vm"))):
        first, second, third, _ = call(code, [matrix, np.zeros(0), vector], [2, 4, 6, 0])
        for value, right in zip((first, second, third), expected, strict=True):
            np.testing.assert_allclose(value, right, rtol=1e-15)
    unwanted = call(VirtualTape(function), [matrix, np.zeros(0), vector], [None, 4, None, None])
    np.testing.assert_allclose(unwanted[1], expected[1], rtol=1e-15)


def test_work_arrays_keep_what_they_point_to() -> None:
    """And each has memory of its own: the results of one do not change those of another."""
    x = ca.SX.sym("x", 4)
    tape = VirtualTape(ca.Function("f", [x], [2 * x], ["x"], ["y"]))
    address, works = tape.address, [tape.work() for _ in range(50)]
    del tape
    function = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 3)(address)
    for k, work in enumerate(works):
        values, result = np.full(4, float(k)), np.zeros(4)
        tables = [np.array([a.ctypes.data], dtype=np.uintp) for a in (values, result)]
        function(tables[0].ctypes.data, tables[1].ctypes.data, work.ctypes.data)
        np.testing.assert_array_equal(result, 2.0 * values)


@pytest.mark.parametrize("case", CASES)
def test_virtual_machine_gives_the_same_run(case: str) -> None:
    native, virtual = (CASES[case](backend) for backend in ("native", "vm"))
    assert virtual.metadata["backend"] == "vm" != native.metadata["backend"]
    one, two = numbers(native), numbers(virtual)
    assert_same(case, one, two)
    if "event" in case:
        assert len(one["events"]) > 1


@pytest.mark.parametrize(
    "case", ["smooth", "adaptive method with events", "constraints", "contacts event by event", "time-stepping"]
)
def test_tapes_without_fused_products_give_the_same_bits(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    virtual = CASES[case]("vm")
    monkeypatch.setattr(kernels, "compile_function", functools.partial(compile_function, exact=True))
    native = CASES[case]("native")
    np.testing.assert_array_equal(native.x, virtual.x)
    assert [(event.name, event.t) for event in native.events] == [(event.name, event.t) for event in virtual.events]


def test_members_do_not_depend_on_threads() -> None:
    q0 = np.random.default_rng(2).uniform(-0.5, 0.5, (12, 2))
    eom = da.equations(swing(), backend="vm")
    one, four = (da.rollout(eom, duration=0.3, q0=q0, step=1e-3, threads=k) for k in (1, 4))
    np.testing.assert_array_equal(one.x, four.x)
    assert one.metadata["backend"] == "vm"


def test_threads_that_begin_together_have_all_tapes() -> None:
    """Whoever comes second waits until the first has compiled what both need."""
    for k in range(5):
        throw = {"q0": {"z": [0.15, 0.2, 0.25, 0.3]}, "v0": {"x_dot": 1.0 + k}}
        eom = da.equations(ball(), backend="vm")
        assert da.rollout(eom, duration=0.05, step=5e-3, contact="time-stepping", threads=4, **throw).ok.all()


def test_what_a_thread_raises_is_raised() -> None:
    def work(k: int) -> None:
        if k == 1:
            raise ValueError("in a thread")

    with pytest.raises(ValueError, match="in a thread"):
        run_threads(work, 2, threading.Event())


def test_rollouts_tell_progress_and_stop_when_asked() -> None:
    seen: list[float] = []

    def progress(fraction: float) -> bool:
        seen.append(fraction)
        return fraction < 0.5

    eom = da.equations(swing(), backend="vm")
    result = da.rollout(eom, duration=20.0, q0=np.zeros((8, 2)), step=1e-4, record=1.0, threads=1, progress=progress)
    assert "completed" in result.status and "interrupted" in result.status
    assert seen and seen == sorted(seen) and seen[-1] < 1.0


def test_a_stepper_advances_as_in_lanes() -> None:
    """Members at rest, in motion and at a stop; and after a reset."""
    q0, v0 = np.array([[0.1, 0.0], [0.5, 1.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [2.0, 0.0], [3.0, -9.0]])
    made = [
        da.stepper(da.equations(swing(), backend=b), period=0.02, members=3, step=2e-3, q0=q0, v0=v0)
        for b in ("native", "vm")
    ]
    u = np.array([[1.0], [-2.0], [0.5]])
    for k in range(12):
        lanes, single = (one.step(u) for one in made)
        np.testing.assert_allclose(single, lanes, rtol=ROUNDING, atol=ROUNDING)
        np.testing.assert_array_equal(made[0].ok, made[1].ok)
        if k == 6:
            assert not made[0].ok.all()
            for one in made:
                one.reset([1])


def test_a_process_without_a_compiler_runs_everything(tmp_path: Path) -> None:
    """Constraints, contacts event by event and by time-stepping, sampled laws, adaptive steps, rollouts."""
    folder, file = shipped_engine(), tmp_path / "runs.npz"
    (tmp_path / "bin").mkdir()
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(folder), str(file)],
        env=bare_environment(tmp_path / "bin"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    with np.load(file) as stored:
        alone = {key: stored[key] for key in stored.files}
    for case, run in CASES.items():
        own = {key.partition("|")[2]: values for key, values in alone.items() if key.startswith(f"{case}|")}
        assert_same(case, numbers(run("vm")), own)


def test_an_engine_of_other_sources_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DALEMBERT_CC", "/nonexistent")
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    library.library.cache_clear()
    try:
        missing = r"vm\.so is missing.*'/nonexistent' does not name a program.*Install dalembert again.*ziglang"
        with pytest.raises(BuildError, match=missing):
            library.library("vm")
        for path in shipped_engine_files():
            (tmp_path / path.name).write_bytes(path.read_bytes())
        assert {shipped.shipped_state(unit) for unit in UNITS} == {"current"}
        assert library.library("vm").virtual_kernel
        library.library.cache_clear()
        monkeypatch.setattr(shipped, "checked_text", lambda unit: checked_text(unit) + "\n")
        with pytest.raises(BuildError, match=r"vm\.so was compiled from other sources.*Install dalembert again"):
            library.library("vm")
        monkeypatch.undo()
        monkeypatch.setattr(shipped, "FOLDER", tmp_path)
        broken = tmp_path / "cc"
        broken.write_text("#!/bin/sh\necho 'math.h: no such file' >&2\nexit 1\n")
        broken.chmod(0o755)
        monkeypatch.setenv("DALEMBERT_CC", str(broken))
        assert library.library("vm").virtual_kernel  # what was installed takes the place of a compiler that fails
        library.library.cache_clear()
        other = tmp_path / "other"
        other.mkdir()
        (other / "vm.so").write_bytes(b"no library")
        (other / "vm.sha256").write_bytes((tmp_path / "vm.sha256").read_bytes())
        monkeypatch.setattr(shipped, "FOLDER", other)
        with pytest.raises(BuildError, match=r"(?s)vm\.so does not load.*math\.h: no such file"):
            library.library("vm")
    finally:
        library.library.cache_clear()


def shipped_engine_files() -> list[Path]:
    """Files of the compiled engine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DALEMBERT_CC")
        return sorted(path for path in shipped_engine().iterdir() if path.is_file())


def hook(monkeypatch: pytest.MonkeyPatch, *, warnings: list[str]) -> Any:
    """The build hook, with what hatchling gives it."""
    interface = types.ModuleType("hatchling.builders.hooks.plugin.interface")
    interface.BuildHookInterface = object  # type: ignore[attr-defined]
    for name in ("hatchling", "hatchling.builders", "hatchling.builders.hooks", "hatchling.builders.hooks.plugin"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.EngineHook()
    made.app = types.SimpleNamespace(display_warning=warnings.append)
    return made


def test_the_build_hook_puts_the_engine_into_a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`test_wheel.py` builds a whole wheel with it."""
    built, warnings = shipped_engine(), list[str]()
    files = sorted(path for path in built.iterdir() if path.is_file())
    monkeypatch.setattr(shipped, "compile_engine", lambda command, folder=None: files)
    made, data = hook(monkeypatch, warnings=warnings), {"force_include": {}}
    assert made.dependencies() == []
    made.initialize("standard", data)
    made.finalize("standard", data, "")
    inside = {f"dalembert/engine/_built/{unit}{end}" for unit in UNITS for end in (".so", ".sha256")}
    assert set(data["force_include"].values()) == inside and not data["pure_python"]
    assert data["tag"].startswith("py3-none-") and not data["tag"].endswith("any")
    assert not warnings


def test_an_installation_that_cannot_compile_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    warnings = list[str]()
    monkeypatch.setenv("DALEMBERT_CC", f"{sys.executable} -c raise")
    data: dict[str, Any] = {"force_include": {}}
    hook(monkeypatch, warnings=warnings).initialize("standard", data)
    assert data == {"force_include": {}}
    assert len(warnings) == 1 and "the engine was not compiled" in warnings[0] and sys.executable in warnings[0]
    monkeypatch.setenv("DALEMBERT_CC", "/nonexistent")
    assert hook(monkeypatch, warnings=warnings).dependencies() == ["ziglang>=0.13"]


def test_texts_of_the_engine_need_the_standard_library_alone(tmp_path: Path) -> None:
    """A build environment has neither NumPy nor CasADi."""
    script = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(('numpy', 'casadi', 'pydantic', 'scipy')))\n"
        "from dalembert.engine.sources import UNITS, checked_text\n"
        "from dalembert.engine import shipped\n"
        "print(sum(len(checked_text(unit)) for unit in UNITS))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=bare_environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == sum(len(checked_text(unit)) for unit in UNITS)
