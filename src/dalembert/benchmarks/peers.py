"""Pinocchio and MuJoCo as contenders: compiled loops, and from Python."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.benchmarks.cases import Array, Case, Contender, Skipped
from dalembert.benchmarks.contenders import compiled_loops, pointer
from dalembert.benchmarks.mujoco_model import mujoco_xml
from dalembert.benchmarks.pinocchio_cpp import PinocchioLoop, load_loop
from dalembert.core.errors import BuildError, InputError
from dalembert.io.conventions import from_mujoco, from_pinocchio, to_mujoco, to_pinocchio

__all__ = ["mujoco_contenders", "pinocchio_contenders"]

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
    pin: Any, case: Case, model: Any, inputs: tuple[Array, ...], back: Callable[[Array], Array]
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


def _copies(results: Any) -> Any:
    """Pinocchio may return views of its own memory."""
    return tuple(np.array(x) for x in results) if isinstance(results, tuple) else np.array(results)


def mujoco_contenders(case: Case) -> Iterator[Contender | Skipped]:
    """MuJoCo's forward or inverse dynamics, without contacts and constraints, in C and from Python."""
    name = {"forward": "mj_forward", "inverse": "mj_inverse"}.get(case.quantity.key, "")
    titles = {"mujoco-c": f"MuJoCo, {name} in a C loop", "mujoco-python": "MuJoCo, from Python"}
    if not name:
        yield Skipped("mujoco-c", "MuJoCo", "compared in forward and inverse dynamics only")
        return
    machine = case.eom.machine
    try:
        import mujoco

        model = mujoco.MjModel.from_xml_string(mujoco_xml(machine))
    except (ImportError, InputError, ValueError) as error:
        reason = "not installed (pip install mujoco)" if isinstance(error, ImportError) else str(error)
        for key, title in titles.items():
            yield Skipped(key, title, reason.splitlines()[0])
        return
    data = mujoco.MjData(model)
    inverse = name == "mj_inverse"
    s = to_mujoco(machine, case.q, case.v, **{"a" if inverse else "tau": case.x})
    x = s.a if inverse else s.tau
    assert s.v is not None and x is not None
    q, v, y = s.q, s.v, np.empty_like(case.v)
    given, found = (data.qacc, data.qfrc_inverse) if inverse else (data.qfrc_applied, data.qacc)

    def back() -> Array:
        kind = "tau" if inverse else "a"
        return np.asarray(getattr(from_mujoco(machine, q, v, **{kind: y}), kind))[:, None]

    libraries = sorted(Path(mujoco.__file__).parent.glob("libmujoco*"))
    try:
        loop = compiled_loops().loop_mujoco
        evaluate = ctypes.cast(getattr(ctypes.CDLL(str(libraries[0])), name), ctypes.c_void_p)
        addresses = [ctypes.c_void_p(o._address) for o in (model, data)]
        fields = [pointer(o) for o in (data.qpos, data.qvel, given, found)]
    except (BuildError, OSError, IndexError, AttributeError) as error:
        yield Skipped("mujoco-c", titles["mujoco-c"], f"no compiled loop: {str(error).splitlines()[0]}")
    else:
        sizes = [ctypes.c_long(n) for n in (case.states, case.eom.nq, case.eom.nv)]
        arrays = [np.ascontiguousarray(o) for o in (q, v, x)] + [y]
        arguments = [evaluate, *addresses, *fields, *sizes, *map(pointer, arrays)]

        def compiled() -> Array:
            y.fill(np.nan)
            loop(*arguments)
            return back()

        keep = (model, data, *arrays)
        yield Contender("mujoco-c", titles["mujoco-c"], lambda: loop(*arguments), compiled, keep=keep)

    function = getattr(mujoco, name)

    def run() -> None:
        for i in range(case.states):
            data.qpos[:], data.qvel[:], given[:] = q[i], v[i], x[i]
            function(model, data)
            y[i] = found

    def values() -> Array:
        y.fill(np.nan)
        run()
        return back()

    yield Contender("mujoco-python", titles["mujoco-python"], run, values)
