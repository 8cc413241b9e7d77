"""Pinocchio as a contender: a compiled loop, and from Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from dalembert.benchmarks.cases import Case, Contender, Skipped
from dalembert.benchmarks.peers.pinocchio_cpp import PinocchioLoop, load_loop
from dalembert.core.errors import BuildError
from dalembert.core.types import Array
from dalembert.io.conventions import from_pinocchio, to_pinocchio

__all__ = ["pinocchio_contenders"]

WORLD = ("forward", "mass-matrix")
"""Quantities for which Pinocchio has two conventions."""


def pinocchio_contenders(case: Case, build: bool, announce: Callable[[str], None]) -> Iterator[Contender | Skipped]:
    """Pinocchio's algorithm for the quantity of a case, in C++ and from Python."""
    titles = {"pinocchio-cpp": "Pinocchio, C++", "pinocchio-cpp-world": "Pinocchio, C++, world convention"}
    if case.quantity.key not in WORLD:
        titles.pop("pinocchio-cpp-world")
    python = ("pinocchio-python", "Pinocchio, from Python")
    try:
        import pinocchio as pin
    except ImportError:
        for key, title in (*titles.items(), python):
            yield Skipped(key, title, "not installed (pip install pin)")
        return
    machine, model, key = case.eom.machine, case.model(), case.quantity.key
    third = {"a" if key == "inverse" else "tau": case.x}
    s = to_pinocchio(machine, case.q, case.v, **third, continuous=case.continuous)
    x = s.a if key == "inverse" else s.tau
    assert s.v is not None and x is not None
    q, v = s.q, s.v

    def back(y: Array) -> Array:
        if case.quantity.matrices:
            return y
        kind = "tau" if key == "inverse" else "a"
        converted = getattr(from_pinocchio(machine, q, v, **{kind: y[:, 0]}, continuous=case.continuous), kind)
        return np.asarray(converted)[:, None]

    try:
        loop = PinocchioLoop(load_loop(build=build, announce=announce), model, q, v, x)
    except BuildError as error:
        for name, title in titles.items():
            yield Skipped(name, title, str(error).splitlines()[0])
    else:
        for name, title in titles.items():
            world = name == "pinocchio-cpp-world"
            yield Contender(name, title, loop.timed(key, world), lambda w=world: back(loop.values(key, w)))  # type: ignore[misc]
    yield Contender(*python, *_pinocchio_python(pin, case, model, (q, v, x), back))


def _pinocchio_python(
    pin: ModuleType, case: Case, model: Any, inputs: tuple[Array, ...], back: Callable[[Array], Array]
) -> tuple[Callable[[], None], Callable[[], Array]]:
    data = model.createData()
    names = {"forward": "aba", "inverse": "rnea", "mass-matrix": "crba", "derivatives": "computeABADerivatives"}
    function = getattr(pin, names[case.quantity.key])
    rows = list(zip(*inputs[: len(case.inputs)], strict=True))

    def run() -> None:
        for row in rows:
            function(model, data, *row)

    def values() -> Array:
        return back(np.array([case.quantity.join(_copies(function(model, data, *row))) for row in rows]))

    return run, values


def _copies(results: Array | tuple[Array, ...]) -> Array | tuple[Array, ...]:
    """Pinocchio may return views of its own memory."""
    return tuple(np.array(x) for x in results) if isinstance(results, tuple) else np.array(results)
