"""MuJoCo as a contender, without contacts and constraints: a compiled loop, and from Python."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.benchmarks.cases import Case, Contender, Skipped
from dalembert.benchmarks.loops import compiled_loops, pointer
from dalembert.benchmarks.peers.mujoco_model import mujoco_xml
from dalembert.core.errors import BuildError, InputError
from dalembert.core.types import Array
from dalembert.io.conventions import from_mujoco, to_mujoco

__all__ = ["in_our_velocities", "mujoco_contenders"]

STEP = 1e-6
DIFFERENCES = 1e-3
"""Step of the finite differences, which the manual of MuJoCo advises, and their relative error: the step times the
ratio of second to first derivatives, for which a thousand is ample."""


def mujoco_contenders(case: Case) -> Iterator[Contender | Skipped]:
    """MuJoCo's functions for the quantity of a case, in C and from Python."""
    functions = {
        "forward": ("mj_forward",),
        "inverse": ("mj_inverse",),
        "mass-matrix": ("mj_kinematics", "mj_comPos", "mj_crb"),
        "derivatives": ("mj_forward", "mjd_inverseFD"),
    }[case.quantity.key]
    titles = {
        "mujoco-c": f"MuJoCo, {functions[-1]} in a C loop",
        "mujoco-python": "MuJoCo, from Python",
    }
    if case.quantity.key == "derivatives":
        titles = {"mujoco-python": "MuJoCo, finite differences"}
    try:
        peer = _Peer(case, functions)
        compiled = _compiled(peer, titles["mujoco-c"]) if "mujoco-c" in titles else None
    except (ImportError, InputError, ValueError) as error:
        reason = "not installed (pip install mujoco)" if isinstance(error, ImportError) else str(error)
        for key, title in titles.items():
            yield Skipped(key, title, reason.splitlines()[0])
        return
    if compiled is not None:
        yield compiled
    accuracy = DIFFERENCES if case.quantity.key == "derivatives" else 0.0
    yield Contender("mujoco-python", titles["mujoco-python"], peer.run, peer.values, accuracy=accuracy)


class _Peer:
    """Model and states of a case in MuJoCo's conventions, and the results of its functions."""

    def __init__(self, case: Case, functions: tuple[str, ...]) -> None:
        import mujoco

        machine, key = case.eom.machine, case.quantity.key
        if key == "derivatives" and case.eom.nq != case.eom.nv:
            raise InputError("its finite differences are compared for machines without quaternions")
        self.case, self.key, self.names, self.library = case, key, functions, mujoco
        self.model = mujoco.MjModel.from_xml_string(mujoco_xml(machine))
        self.data = mujoco.MjData(self.model)
        inverse = key == "inverse"
        state = to_mujoco(machine, case.q, case.v, **{"a" if inverse else "tau": case.x})
        x = state.a if inverse else state.tau
        assert state.v is not None and x is not None
        self.inputs = [np.ascontiguousarray(a) for a in (state.q, state.v, x)]
        self.drive, self.response = (
            (self.data.qacc, self.data.qfrc_inverse) if inverse else (self.data.qfrc_applied, self.data.qacc)
        )
        self.matrices = [np.zeros((case.eom.nv, case.eom.nv)) for _ in range(3)]
        self._calls = [self._call(name) for name in functions]

    def _call(self, name: str) -> Callable[[], Any]:
        function = getattr(self.library, name)
        if name != "mjd_inverseFD":
            return functools.partial(function, self.model, self.data)
        return functools.partial(function, self.model, self.data, STEP, False, *self.matrices, None, None, None, None)

    def run(self, first: int = 0, last: int | None = None) -> None:
        """All states, or some, from Python."""
        data, drive, response, calls = self.data, self.drive, self.response, self._calls
        q, v, x = self.inputs
        y = np.empty_like(v)
        for i in range(first, self.case.states if last is None else last):
            data.qpos[:], data.qvel[:], drive[:] = q[i], v[i], x[i]
            for call in calls:
                call()
            y[i] = response

    def values(self, evaluate: Callable[[int], object] | None = None) -> Array:
        """Results of all states in our conventions."""
        evaluate = evaluate or (lambda i: self.run(i, i + 1))
        machine, (q, v, _) = self.case.eom.machine, self.inputs
        results = []
        for i in range(self.case.states):
            self.data.qacc[:] = np.nan
            evaluate(i)
            results.append(self._result())
        y = np.array(results)
        if self.key == "mass-matrix":
            y = in_our_velocities(self.case, y)
        elif self.key != "derivatives":
            kind = "tau" if self.key == "inverse" else "a"
            y = np.asarray(getattr(from_mujoco(machine, q, v, **{kind: y}), kind))
        return self.case.quantity.join(tuple(np.moveaxis(y, 1, 0)) if self.key == "derivatives" else y)

    def _result(self) -> Array:
        if self.key == "mass-matrix":
            return self._dense()
        if self.key != "derivatives":
            return np.array(self.response)
        # From tau(q, v, a), whose derivatives MuJoCo stores transposed.
        by_q, by_v, M = (D.T for D in self.matrices)
        return np.array([-np.linalg.solve(M, by_q), -np.linalg.solve(M, by_v), np.linalg.inv(M)])

    def _dense(self) -> Array:
        M = np.zeros((self.case.eom.nv, self.case.eom.nv))
        try:
            self.library.mj_fullM(self.model, self.data, M)
        except TypeError:  # before MuJoCo 4
            self.library.mj_fullM(self.model, M, self.data.qM)
        return M


def in_our_velocities(case: Case, M: Array) -> Array:
    """Mass matrices in the machine's own velocities, from those of MuJoCo: T' M T with v_mujoco = T v."""
    machine, states, nv = case.eom.machine, case.states, case.eom.nv
    columns = [to_mujoco(machine, case.q, np.tile(e, (states, 1))).v for e in np.eye(nv)]
    T = np.stack([np.asarray(c) for c in columns], axis=-1)
    return np.einsum("nki,nkl,nlj->nij", T, M, T)


def _compiled(peer: _Peer, title: str) -> Contender | Skipped:
    """The same calls from C; a mass matrix stays where MuJoCo has it."""
    case, data = peer.case, peer.data
    libraries = sorted(Path(peer.library.__file__).parent.glob("libmujoco*"))
    try:
        loop, library = compiled_loops().loop_mujoco, ctypes.CDLL(str(libraries[0]))
        functions = np.array([ctypes.cast(library[name], ctypes.c_void_p).value for name in peer.names], dtype=np.uintp)
        addresses = [ctypes.c_void_p(o._address) for o in (peer.model, data)]
    except (BuildError, OSError, IndexError, AttributeError) as error:
        return Skipped("mujoco-c", title, f"no compiled loop: {str(error).splitlines()[0]}")
    nq, nv = case.eom.nq, case.eom.nv
    n_found = 0 if case.quantity.matrices else nv
    y = np.zeros((case.states, nv))
    fields = [pointer(o) for o in (data.qpos, data.qvel, peer.drive, peer.response)]
    sizes = [ctypes.c_long(k) for k in (nq, nv, nv, n_found)]

    def arguments(first: int, n: int) -> list[Any]:
        rows = [pointer(a[first:]) for a in (*peer.inputs, y)]
        calls = [pointer(functions), ctypes.c_long(len(functions))]
        return [*calls, *addresses, *fields, ctypes.c_long(n), *sizes, *rows]

    timed = arguments(0, case.states)
    keep = (peer, library, functions, y)
    return Contender(
        "mujoco-c",
        title,
        lambda: loop(*timed),
        lambda: peer.values(lambda i: loop(*arguments(i, 1))),
        keep=keep,
    )
