"""Exported C compiles without a warning, stands alone, and computes what the kernels compute."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.compile import compile_function
from dalembert.compile.export import export_c
from dalembert.compile.tape import supported_operations
from dalembert.core.errors import InputError, UnknownNameError

SX = ca.SX
STRICT = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1"]
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no cc")


def run_example(folder: Path) -> dict[tuple[str, str], np.ndarray]:
    """Compile all sources strictly, run the example, and return its numbers by function and output."""
    sources = [str(path) for path in sorted(folder.glob("*.c"))]
    subprocess.run(["cc", *STRICT, *sources, "-o", str(folder / "strict"), "-lm"], check=True)
    lines = subprocess.run([str(folder / "strict")], capture_output=True, text=True, check=True).stdout.splitlines()
    values: dict[tuple[str, str], list[float]] = {}
    for line in lines:
        function, output, _, value = line.split()
        values.setdefault((function, output), []).append(float(value))
    return {key: np.array(numbers) for key, numbers in values.items()}


@needs_compiler
def test_equations_of_a_machine(tmp_path: Path) -> None:
    machine = da.Machine(
        "double pendulum",
        bodies=[
            da.point_mass("a", da.Parameter("mass", 1.5), com=(0, 0, -1)),
            da.point_mass("b", 0.5, com=(0, 0, -0.7)),
        ],
        joints=[
            da.Joint("t1", "revolute", "world", "a", axis=(0, 1, 0)),
            da.Joint("t2", "revolute", "a", "b", origin=da.Transform((0, 0, -1)), axis=(0, 1, 0)),
        ],
    )
    eom = da.equations(machine)
    kernels = [eom.kernel(name) for name in ("forward_dynamics", "mass_matrix", "energy")]
    numbers = {"q": [0.3, -0.8], "v": [1.1, 0.2], "tau": [0.5, -0.1], "p": [2.5]}
    folder = export_c(kernels, tmp_path / "new" / "folder", name="pendulum", examples=numbers)
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["Makefile", "example.c", "pendulum.h", *(f"pendulum_{k.name}.c" for k in kernels)]
    )
    got = run_example(folder)
    for kernel in kernels:
        results = kernel(*[np.array(numbers[n]) for n in kernel.signature.input_names])
        results = results if isinstance(results, tuple) else (results,)
        for name, want in zip(kernel.signature.output_names, results, strict=True):
            np.testing.assert_allclose(got[f"pendulum_{kernel.name}", name], np.ravel(want), rtol=1e-12)


@needs_compiler
def test_every_operation_and_awkward_names(tmp_path: Path) -> None:
    x, y, nothing = SX.sym("x", 2), SX.sym("double"), SX.sym("nothing", 0)
    values = []
    for name, arity in supported_operations().items():
        code = getattr(ca, f"OP_{name}")
        values.append(SX.unary(code, x[0]) if arity == 1 else SX.binary(code, x[1], y))
    f = ca.Function(
        "every",
        [x, y, nothing],
        [ca.vertcat(*values), y, SX(0, 1)],
        ["x", "double", "nothing"],
        ["z", "x", "none"],
        {"allow_duplicate_io_names": True},
    )
    got = run_example(export_c([f], tmp_path, examples={"x": [0.3, 0.6], "double": 1.25}))
    want = compile_function(f, backend="vm")(np.array([0.3, 0.6]), np.array([1.25]), np.zeros(0))
    np.testing.assert_allclose(got["machine_every", "z"], want[0], rtol=1e-14)
    np.testing.assert_array_equal(got["machine_every", "x"], [1.25])


@needs_compiler
def test_long_functions_are_split(tmp_path: Path) -> None:
    x = SX.sym("x", 3)
    y = x
    for _ in range(2000):
        y = ca.vertcat(y[1] * y[2], y[0] - 0.5, ca.sin(y[1]))
    f = ca.Function("long", [x], [y], ["x"], ["y"])
    got = run_example(export_c([f], tmp_path))
    assert "machine_long__chunk1(" in (tmp_path / "machine_long_.c").read_text()
    np.testing.assert_allclose(got["machine_long_", "y"], np.array(f([0.1, 0.2, 0.3])).ravel(), rtol=1e-12)


@pytest.mark.skipif(shutil.which("make") is None or shutil.which("cc") is None, reason="there is no make")
def test_makefile(tmp_path: Path) -> None:
    x = SX.sym("x")
    export_c([ca.Function("f", [x], [x / 3], ["x"], ["y"])], tmp_path)
    subprocess.run(["make", "-s"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "example"], capture_output=True, text=True, check=True).stdout == (
        "machine_f y 0 0.033333333333333333\n"
    )


def test_wrong_arguments(tmp_path: Path) -> None:
    x = SX.sym("x")
    f = ca.Function("f", [x], [x], ["x"], ["y"])
    with pytest.raises(InputError, match="C identifier, got '7up'"):
        export_c([f], tmp_path, name="7up")
    with pytest.raises(InputError, match="at least one"):
        export_c([], tmp_path)
    with pytest.raises(InputError, match="different names"):
        export_c([f, f], tmp_path)
    with pytest.raises(UnknownNameError, match="known: x"):
        export_c([f], tmp_path, examples={"z": 1.0})
    with pytest.raises(InputError, match="1 finite numbers"):
        export_c([f], tmp_path, examples={"x": [1.0, 2.0]})
    assert not list(tmp_path.iterdir())


@needs_compiler
def test_names_of_the_generated_code_itself(tmp_path: Path) -> None:
    a, b = SX.sym("in", 2), SX.sym("work")
    function = ca.Function("f", [a, b], [a * b, a[0] + b], ["in", "work"], ["out", "main"])
    got = run_example(export_c([function], tmp_path, examples={"in": [2.0, 3.0], "work": 5.0}))
    assert got[("machine_f", "out")].tolist() == [10.0, 15.0]
    assert got[("machine_f", "main")].tolist() == [7.0]
