"""The contenders of the benchmark, and our own methods: native calls, batches, Python, CasADi's interpreter."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.benchmarks.cases import Case, Contender, Skipped
from dalembert.benchmarks.loops import compiled_loops, pointer
from dalembert.benchmarks.peers.jax import jax_contenders
from dalembert.benchmarks.peers.mujoco import mujoco_contenders
from dalembert.benchmarks.peers.pinocchio import pinocchio_contenders
from dalembert.benchmarks.peers.sympy_exudyn import more_contenders
from dalembert.compile import compile_function
from dalembert.core.types import Array

__all__ = ["contenders", "native_contenders"]

BATCH_ROWS = 8192
BATCH_BYTES = 2**25
"""Rows of a batch, and the most that its outputs may take: matrices of large robots come in shorter batches."""


def contenders(case: Case, *, build: bool, announce: Callable[[str], None]) -> Iterator[Contender | Skipped]:
    """All contenders for a case; ``build`` allows builds that take minutes."""
    yield from native_contenders(case)
    yield virtual_machine(case)
    yield from pinocchio_contenders(case, build, announce)
    yield from mujoco_contenders(case)
    yield from more_contenders(case)
    yield from jax_contenders(case, build=build, announce=announce)


def native_contenders(case: Case) -> Iterator[Contender | Skipped]:
    """Our kernel: called from C, in batches, and from Python."""
    titles = {
        "native-call": "dalembert, one native call",
        "native-batch": "dalembert, batch, bound arrays",
        "native-batch-python": "dalembert, batch, one core",
        "native-batch-threads": "dalembert, batch, all cores",
        "native-python": "dalembert, from Python",
        "native-bound": "dalembert, from Python, bound",
    }
    if case.kernel.native is None:
        for key, title in titles.items():
            yield Skipped(key, title, "no C compiler")
        return
    yield _native_call(case, titles["native-call"])
    yield from _batches(case, titles)
    yield from _from_python(case, titles)


def _native_call(case: Case, title: str) -> Contender:
    kernel, n = case.kernel, case.states
    assert kernel.native is not None
    work = kernel.native.work()
    inputs = [np.ascontiguousarray(x) for x in case.inputs]
    outputs = [np.zeros((n, *shape)) for shape in kernel.signature.output_shapes]
    sizes = [math.prod(shape) for shape in kernel.signature.output_shapes]
    loop, address = compiled_loops().loop_kernel, ctypes.c_void_p(kernel.native.address)
    addresses = [np.array([x.ctypes.data for x in arrays], dtype=np.uintp) for arrays in (inputs, outputs)]
    in_step = np.array([x.shape[1] for x in inputs], dtype=np.int_)
    keep_all = np.array(sizes, dtype=np.int_)
    keep_one = np.zeros_like(keep_all) if case.quantity.matrices else keep_all

    def arguments(out_step: NDArray[np.int_]) -> list[Any]:
        ins = (ctypes.c_long(len(inputs)), pointer(addresses[0]), pointer(in_step))
        outs = (ctypes.c_long(len(outputs)), pointer(addresses[1]), pointer(out_step))
        return [address, ctypes.c_long(n), *ins, *outs, pointer(work)]

    timed, checked = arguments(keep_one), arguments(keep_all)

    def values() -> Array:
        if loop(*checked):
            raise AssertionError("the kernel rejected a state")
        return case.quantity.join(tuple(outputs) if case.quantity.parts > 1 else outputs[0])

    keep = (kernel, work, inputs, outputs, addresses, in_step, keep_all, keep_one)
    return Contender("native-call", title, lambda: loop(*timed), values, keep=keep)


def _batches(case: Case, titles: dict[str, str]) -> Iterator[Contender]:
    kernel, n, join = case.kernel, case.states, case.quantity.join
    row_bytes = 8 * sum(math.prod(shape) for shape in kernel.signature.output_shapes)
    repeats = max(1, min(BATCH_ROWS, BATCH_BYTES // row_bytes) // n)
    inputs = [np.tile(x, (repeats, 1)) for x in case.inputs]

    def last(results: Array | tuple[Array, ...]) -> Array:
        several = results if isinstance(results, tuple) else (results,)
        tail = tuple(x[-n:] for x in several)
        return join(tail if case.quantity.parts > 1 else tail[0])

    rows = repeats * n
    bound = kernel.bind(*inputs)
    yield Contender("native-batch", titles["native-batch"], bound, lambda: last(bound()), repeats, rows)
    for key, threads in (("native-batch-python", 1), ("native-batch-threads", 0)):

        def run(threads: int = threads) -> Any:
            return kernel(*inputs, threads=threads)

        yield Contender(key, titles[key], run, lambda run=run: last(run()), repeats, rows)  # type: ignore[misc]


def _from_python(case: Case, titles: dict[str, str]) -> Iterator[Contender]:
    kernel, join = case.kernel, case.quantity.join
    function = getattr(case.eom, case.quantity.function)
    rows = list(zip(*case.inputs, strict=True))

    def run() -> None:
        for row in rows:
            function(*row)

    def values() -> Array:
        return np.array([join(function(*row)) for row in rows])

    yield Contender("native-python", titles["native-python"], run, values)

    one = kernel.bind(*(x.copy() for x in rows[0]))

    def evaluate(row: tuple[Array, ...]) -> Any:
        for mine, numbers in zip(one.inputs, row):  # noqa: B905 -- as a hot loop would do it
            mine[:] = numbers
        return one()

    def run_bound() -> None:
        for row in rows:
            evaluate(row)

    def values_bound() -> Array:
        return np.array([join(evaluate(row)) for row in rows])

    yield Contender("native-bound", titles["native-bound"], run_bound, values_bound)


def virtual_machine(case: Case) -> Contender:
    """The same expression graph, interpreted by CasADi."""
    kernel = compile_function(
        case.kernel.function,
        backend="vm",
        shapes=dict(zip(case.kernel.signature.output_names, case.kernel.signature.output_shapes, strict=True)),
    )
    batch = kernel.bind(*case.inputs)
    return Contender("casadi-vm", "CasADi virtual machine", batch, lambda: case.quantity.join(batch()))
