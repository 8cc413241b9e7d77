"""Who computes forward dynamics in the benchmark: each evaluates the same states of the same robot."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.benchmarks.mujoco_model import mujoco_xml
from dalembert.benchmarks.pinocchio_cpp import PinocchioLoop, load_loop
from dalembert.benchmarks.robots import robot_machine, robot_pinocchio
from dalembert.compile import build_library, compile_function
from dalembert.core.errors import BuildError, InputError
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.io.conventions import from_mujoco, from_pinocchio, to_mujoco, to_pinocchio

__all__ = ["Case", "Contender", "Skipped", "contenders", "make_case"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Contender:
    """One way to compute the accelerations of all states.

    Parameters
    ----------
    key, title
        Its name in files and in tables.
    run
        Computes all states.
    accelerations
        The accelerations of the last run, in the machine's coordinates.
    repeats
        How often one run computes all states.
    keep
        What must live as long as the contender: memory that native code points to.
    """

    key: str
    title: str
    run: Callable[[], Any]
    accelerations: Callable[[], Array]
    repeats: int = 1
    keep: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Skipped:
    """A contender that cannot take part, and why."""

    key: str
    title: str
    reason: str


@dataclass(frozen=True)
class Case:
    """A robot and the states that all contenders get."""

    name: str
    eom: EquationsOfMotion
    q: Array
    v: Array
    tau: Array

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.q)


def make_case(name: str, states: int, seed: int = 0) -> Case:
    """Load a robot and draw random states."""
    eom = derive(robot_machine(name))
    rng = np.random.default_rng(seed)
    q = np.array([eom.random_configuration(rng) for _ in range(states)])
    v, tau = rng.normal(size=(2, states, eom.nv))
    return Case(name, eom, q, v, 10.0 * tau)


def contenders(case: Case, *, build: bool, announce: Callable[[str], None]) -> Iterator[Contender | Skipped]:
    """All contenders for a robot; ``build`` allows a long build of Pinocchio's C++."""
    yield from _native(case)
    yield _virtual_machine(case)
    yield from _pinocchio(case, build, announce)
    yield from _mujoco(case)


def _pointer(x: NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(x.ctypes.data)


def _loops() -> ctypes.CDLL:
    return build_library(files("dalembert.benchmarks").joinpath("loops.c").read_text(encoding="utf-8"), "loops")


def _native(case: Case) -> Iterator[Contender | Skipped]:
    titles = {
        "native-call": "dalembert, one native call",
        "native-batch": "dalembert, native batch",
        "native-python": "dalembert, from Python",
        "native-bound": "dalembert, from Python, bound arrays",
    }
    kernel = case.eom.kernel("forward_dynamics")
    if kernel.native is None:
        for key, title in titles.items():
            yield Skipped(key, title, "no C compiler")
        return
    a, work = np.empty_like(case.v), np.zeros(max(1, kernel.native.n_work))
    loop, address = _loops().loop_kernel, ctypes.c_void_p(kernel.native.address)
    sizes = [ctypes.c_long(n) for n in (case.states, case.eom.nq, case.eom.nv)]
    arrays = [case.q, case.v, case.tau, a, work]
    arguments = [address, *sizes, *map(_pointer, arrays)]
    keep = (kernel, *arrays)
    yield Contender("native-call", titles["native-call"], lambda: loop(*arguments), lambda: a, keep=keep)

    repeats = max(1, 8192 // case.states)
    batch = kernel.bind(*(np.tile(x, (repeats, 1)) for x in (case.q, case.v, case.tau)))
    last = slice(-case.states, None)
    yield Contender("native-batch", titles["native-batch"], batch, lambda: batch.outputs[0][last], repeats)

    rows = list(zip(case.q, case.v, case.tau, strict=True))
    made: list[Array] = []

    def from_python() -> None:
        forward = case.eom.forward_dynamics
        made[:] = [forward(q, v, tau) for q, v, tau in rows]

    yield Contender("native-python", titles["native-python"], from_python, lambda: np.array(made))

    one = kernel.bind(*(x.copy() for x in rows[0]))
    q1, v1, tau1 = one.inputs
    out = np.empty_like(case.v)

    def bound() -> None:
        for i, (q, v, tau) in enumerate(rows):
            q1[:], v1[:], tau1[:] = q, v, tau
            out[i] = one()

    yield Contender("native-bound", titles["native-bound"], bound, lambda: out)


def _virtual_machine(case: Case) -> Contender:
    kernel = compile_function(case.eom.kernel("forward_dynamics").function, backend="vm")
    batch = kernel.bind(case.q, case.v, case.tau)
    return Contender("casadi-vm", "CasADi virtual machine", batch, lambda: batch.outputs[0])


def _pinocchio(case: Case, build: bool, announce: Callable[[str], None]) -> Iterator[Contender | Skipped]:
    titles = {
        "pinocchio-cpp": "Pinocchio, C++",
        "pinocchio-cpp-world": "Pinocchio, C++, world convention",
        "pinocchio-python": "Pinocchio, from Python",
    }
    try:
        import pinocchio as pin
    except ImportError:
        for key, title in titles.items():
            yield Skipped(key, title, "not installed (pip install pin)")
        return
    machine, model = case.eom.machine, robot_pinocchio(case.name)
    s = to_pinocchio(machine, case.q, case.v, tau=case.tau, continuous=True)
    assert s.v is not None and s.tau is not None

    def back(a: Array) -> Array:
        converted = from_pinocchio(machine, s.q, s.v, a, continuous=True).a
        assert converted is not None
        return converted

    try:
        loop = PinocchioLoop(load_loop(build=build, announce=announce), model, s.q, s.v, s.tau)
    except BuildError as error:
        for key in ("pinocchio-cpp", "pinocchio-cpp-world"):
            yield Skipped(key, titles[key], str(error).splitlines()[0])
    else:
        for key, world in (("pinocchio-cpp", False), ("pinocchio-cpp-world", True)):
            yield Contender(key, titles[key], lambda w=world: loop.run(w), lambda: back(loop.a))  # type: ignore[misc]
    data = model.createData()
    rows = list(zip(s.q, s.v, s.tau, strict=True))
    made: list[Array] = []

    def run() -> None:
        aba = pin.aba
        made[:] = [aba(model, data, q, v, tau) for q, v, tau in rows]

    yield Contender("pinocchio-python", titles["pinocchio-python"], run, lambda: back(np.array(made)))


def _mujoco(case: Case) -> Iterator[Contender | Skipped]:
    titles = {"mujoco-c": "MuJoCo, mj_forward in a C loop", "mujoco-python": "MuJoCo, from Python"}
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
    s = to_mujoco(machine, case.q, case.v, tau=case.tau)
    assert s.v is not None and s.tau is not None
    a = np.empty_like(case.v)

    def back() -> Array:
        converted = from_mujoco(machine, s.q, s.v, a).a
        assert converted is not None
        return converted

    libraries = sorted(Path(mujoco.__file__).parent.glob("libmujoco*"))
    try:
        loop = _loops().loop_mujoco
        forward = ctypes.cast(ctypes.CDLL(str(libraries[0])).mj_forward, ctypes.c_void_p)
        addresses = [ctypes.c_void_p(x._address) for x in (model, data)]
        fields = [_pointer(x) for x in (data.qpos, data.qvel, data.qfrc_applied, data.qacc)]
    except (BuildError, OSError, IndexError, AttributeError) as error:
        yield Skipped("mujoco-c", titles["mujoco-c"], f"no compiled loop: {str(error).splitlines()[0]}")
    else:
        sizes = [ctypes.c_long(n) for n in (case.states, case.eom.nq, case.eom.nv)]
        arrays = [np.ascontiguousarray(x) for x in (s.q, s.v, s.tau)] + [a]
        arguments = [forward, *addresses, *fields, *sizes, *map(_pointer, arrays)]
        keep = (model, data, *arrays)
        yield Contender("mujoco-c", titles["mujoco-c"], lambda: loop(*arguments), back, keep=keep)

    def run() -> None:
        for i in range(case.states):
            data.qpos[:], data.qvel[:], data.qfrc_applied[:] = s.q[i], s.v[i], s.tau[i]  # type: ignore[index]
            mujoco.mj_forward(model, data)
            a[i] = data.qacc

    yield Contender("mujoco-python", titles["mujoco-python"], run, back)
