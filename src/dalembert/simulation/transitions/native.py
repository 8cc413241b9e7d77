"""Transitions of a time loop in native code: `unilateral.c` behind the events of `engines/events.c`."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from dalembert.core.errors import SimulationError
from dalembert.simulation.constrained.native import NativeConstrained, constrained_library
from dalembert.simulation.engines.engine import Outcome, Setup
from dalembert.simulation.run import EventRecord
from dalembert.simulation.transitions.layout import TRANSITIONS_FIELDS, WATCH_FIELDS
from dalembert.simulation.transitions.pairs import PairTable, TransitionEntry

__all__ = ["NativeTransitions"]

_CHANGES = 64  # transitions that are logged between two looks of Python
_CROWD = 500  # as in events.c


class _Transitions(ctypes.Structure):
    _fields_ = TRANSITIONS_FIELDS


class _Watch(ctypes.Structure):
    _fields_ = WATCH_FIELDS


class NativeTransitions:
    """Memory of the transitions of one run, and of the events that lead to them.

    Parameters
    ----------
    setup
        Of the run.
    equations
        Its constrained equations in native code.
    table
        Its pairs.
    loop
        Address of the time loop's structure.
    """

    def __init__(self, setup: Setup, equations: NativeConstrained, table: PairTable, loop: int) -> None:
        problem = setup.problem
        system = problem.constrained
        assert system is not None
        self._specs = problem.event_specs
        self._kept: list[Any] = [equations]
        self._struct, self._watch = made, watch = _Transitions(), _Watch()
        n, n_events, m, nv, k = problem.n_states, len(self._specs), system.m, system.nv, len(table.rows)
        library = constrained_library()
        made.equations, made.k = equations.address, k
        for name in ("rows", "flags", "tangents", "friction", "is_contact", "rubs", "poisson"):
            self._array(made, name, np.asarray(getattr(table, name), dtype=np.int64))
        self._array(made, "e", table.restitution)
        self._array(made, "mu", table.friction_coefficient)
        sizes = {"M": nv * nv, "f": nv, "J": m * nv, "gamma": m, "phi": m, "rate": m, "x_bare": n}
        for name, size in (sizes | {"work": library.transitions_memory(nv, m, k)}).items():
            self._array(made, name, np.zeros(size))
        for name in ("loose", "slipping"):
            self._array(made, name, np.zeros(k, dtype=np.int64))
        made.t_loose, made.log_capacity = float("nan"), _CHANGES
        self._log = {
            name: self._array(made, f"log_{name}", np.zeros((_CHANGES, m) if name == "impulses" else _CHANGES))
            for name in ("t", "impulses", "lost", "factor", "speed")
        }
        self._log["shocks"] = self._array(made, "log_shocks", np.zeros(_CHANGES, dtype=np.int64))

        records = max(4 * _CHANGES, 2 * n_events)
        watch.loop, watch.first_own = loop, n_events - system.n_events
        watch.transition = ctypes.cast(library.transitions_switch, ctypes.c_void_p).value
        watch.context = ctypes.addressof(made)
        watch.n_changes = ctypes.addressof(made) + _Transitions.n_log.offset
        watch.changes_capacity, watch.records_capacity = _CHANGES, records
        watch.run_start, watch.run_end, watch.armed_at = setup.t0, setup.t_end, float("-inf")
        sizes = {"stops": _CROWD} | dict.fromkeys(("x_part", "x_found", "x_kept", "slope_end"), n)
        for name, size in (sizes | dict.fromkeys(("g_part", "g_start", "g_found", "g_kept"), n_events)).items():
            self._array(watch, name, np.zeros(size))
        self._array(watch, "fired", np.zeros(n_events, dtype=np.int64))
        self._records = {
            "event": self._array(watch, "record_event", np.zeros(records, dtype=np.int64)),
            "sign": self._array(watch, "record_sign", np.zeros(records, dtype=np.int64)),
            "t": self._array(watch, "record_t", np.zeros(records)),
            "x": self._array(watch, "record_x", np.zeros((records, n))),
        }
        self._first = self._array(watch, "change_first", np.zeros(_CHANGES + 1, dtype=np.int64))
        self.address = ctypes.addressof(watch)
        self._seen: tuple[list[EventRecord], list[TransitionEntry]] = ([], [])

    def _array(self, struct: Any, name: str, values: Any) -> Any:
        array = np.array(values, order="C")
        self._kept.append(array)
        setattr(struct, name, array.ctypes.data)
        return array

    @property
    def armed(self) -> tuple[float, float]:
        """When events were last armed, and by the signs that they had how long after."""
        return self._watch.armed_at, self._watch.armed_for

    @armed.setter
    def armed(self, value: tuple[float, float]) -> None:
        self._watch.armed_at, self._watch.armed_for = value

    def drain(self) -> None:
        """Take what has happened out of the log of the native code."""
        made, watch = self._struct, self._watch
        records, entries = self._seen
        stop = int(watch.n_records)
        for k in range(stop):
            event, sign = int(self._records["event"][k]), int(self._records["sign"][k])
            t, x = float(self._records["t"][k]), self._records["x"][k].copy()
            records.append(EventRecord(self._specs[event].name, t, x, sign))
        for j in range(int(made.n_log)):
            last = int(self._first[j + 1]) if j + 1 < made.n_log else stop
            events = self._records["event"][int(self._first[j]) : last]
            log = self._log
            entries.append(
                TransitionEntry(
                    float(log["t"][j]),
                    tuple(self._specs[i].name for i in events),
                    log["impulses"][j].copy(),
                    float(log["lost"][j]),
                    float(log["factor"][j]),
                    int(log["shocks"][j]),
                    float(log["speed"][j]),
                )
            )
        watch.n_records = made.n_log = 0

    def taken(self) -> tuple[list[EventRecord], list[TransitionEntry]]:
        """What has happened since this was last asked: events, and what transitions did."""
        self.drain()
        seen, self._seen = self._seen, ([], [])
        return seen

    @property
    def pair(self) -> tuple[int, bool] | None:
        """Pair at which no impulses (forces: True) obey the laws, if that is why native code gave up."""
        return (int(self._struct.pair), bool(self._struct.lacks)) if self._watch.culprit >= 0 else None

    def error(self, outcome: Outcome, t: float) -> SimulationError:
        """Return why native code gave up at ``t``, if not for a pair."""
        if outcome is Outcome.ACCUMULATED:
            name = self._specs[int(self._watch.culprit)].name
            return SimulationError(f"events accumulate at t = {t:g} s: {_CROWD} of them up to {name!r}")
        return SimulationError(f"the transition at t = {t:.9g} s has no finite state: the equations are singular there")
