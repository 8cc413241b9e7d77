"""A machine in step with the clock: the whole loop in C, inputs and outputs over UDP, for an external client.

A packet begins with 16 bytes: four letters, a count (32 bits) and the model's time (64 bits). ``DLBI`` is followed by
the inputs, ``DLBO`` (the reply to the address of the last packet) by states and signals, as 64-bit numbers in the byte
order of the computer, in the order of `Realtime.inputs` and `Realtime.outputs`. Packets of another length, other
letters, with numbers that are not finite or beyond 1e30, or with which the period cannot be computed are counted, and
the loop continues with its previous inputs.
"""

from __future__ import annotations

import ctypes
import hashlib
import re
import struct
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from types import TracebackType
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile.build import LIBRARY_SUFFIX, find_toolchain, missing_toolchain
from dalembert.compile.cache import load_library
from dalembert.core.errors import BuildError, InputError, SimulationError
from dalembert.core.types import Array
from dalembert.io.fmu.build import build_program, plain_flags
from dalembert.io.fmu.program import Standalone, standalone
from dalembert.io.units import name_units
from dalembert.loop.experiment import Runnable, experiment_of
from dalembert.loop.experiment_keywords import ExperimentKeywords, experiment_verb
from dalembert.loop.outlets import REALTIME

__all__ = ["Punctuality", "Realtime", "pack_inputs", "packet_header", "realtime", "unpack_outputs"]

_BINS = 32
_HEAD = struct.Struct("=4sId")


class _Loop(ctypes.Structure):
    _fields_ = (
        ("period", ctypes.c_double), ("speed", ctypes.c_double), ("periods", ctypes.c_int64),
        ("lockstep", ctypes.c_int32), ("socket", ctypes.c_int32), ("patience", ctypes.c_double),
        ("capacity", ctypes.c_int64), ("written", ctypes.c_int64), ("stop", ctypes.c_int32),
        ("done", ctypes.c_int64), ("overruns", ctypes.c_int64), ("received", ctypes.c_int64),
        ("refused", ctypes.c_int64), ("sent", ctypes.c_int64), ("late", ctypes.c_int64), ("latest", ctypes.c_double),
        ("histogram", ctypes.c_int64 * _BINS), ("status", ctypes.c_int32),
    )  # fmt: skip


@dataclass(frozen=True)
class Punctuality:
    """How well the loop kept the time.

    Parameters
    ----------
    periods, overruns
        Periods done, and those whose work was not done when the next one began.
    median, worst
        Lateness of a period's end [s]; the median is that of the histogram, within a factor of two.
    histogram
        Periods by lateness: below 1, 2, 4, ... microseconds.
    received, refused, sent
        Packets: taken, left alone (see the packets of the module), and sent.
    late
        Samples of predictive controllers that were not ready at their deadline: their shifted plan or their fallback
        acted.
    """

    periods: int
    overruns: int
    median: float
    worst: float
    histogram: tuple[int, ...]
    received: int
    refused: int
    sent: int
    late: int = 0


def pack_inputs(values: ArrayLike, count: int = 0, t: float = 0.0) -> bytes:
    """Return the packet with which inputs are sent to a loop."""
    return _HEAD.pack(b"DLBI", count, t) + np.asarray(values, dtype="=f8").tobytes()


def unpack_outputs(packet: bytes) -> tuple[int, float, Array]:
    """Return count, time and values of a packet that a loop has sent."""
    if len(packet) < _HEAD.size or packet[:4] != b"DLBO":
        raise InputError(f"a packet of outputs begins with DLBO, got {packet[:4]!r} in {len(packet)} bytes")
    _, count, t = _HEAD.unpack_from(packet)
    return count, t, np.frombuffer(packet, dtype="=f8", offset=_HEAD.size)


@experiment_verb
def realtime(
    machine: Runnable,
    law: Any = None,
    /,
    *,
    period: float = 1e-3,
    port: int | None = None,
    lockstep: bool = False,
    patience: float = 5.0,
    speed: float = 1.0,
    rows: int = 100_000,
    **keywords: Unpack[ExperimentKeywords],
) -> Realtime:
    """Start a machine in real time, in a separate thread that does not wait for Python.

    Parameters
    ----------
    machine
        The machine or its equations, with the keywords of an experiment; or an `Experiment`.
    law
        Short for ``control=law``.
    period
        Seconds between two deadlines, at which inputs are taken and outputs sent.
    port
        UDP port on 127.0.0.1; 0: one that is free; None: no port.
    lockstep
        Whether each period waits for an input (hardware or a simulation outside sets the pace); else the newest one is
        held.
    patience
        Seconds to wait for one.
    speed
        Model time relative to the clock; 0: as fast as possible.
    rows
        Periods that are kept for `Realtime.read`.
    **keywords
        As in `dalembert.Experiment`. A law must be an expression; without one the inputs come from outside, or stay
        zero. Without a ``duration`` it runs until `Realtime.stop`. The solver is that of the experiment, if it is an
        explicit Runge-Kutta method, implicit midpoint, generalized-alpha or time-stepping. Events that a run only
        records are left out.

    Examples
    --------
    >>> import dalembert as da
    >>> pendulum = da.Machine("pendulum", bodies=[da.point_mass("bob", 1.0, com=(0, 0, -1.0))],
    ...                       joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))])
    >>> with da.realtime(pendulum, period=2e-3, duration=0.1, q0={"theta": 0.3}) as loop:
    ...     done = loop.wait()
    >>> loop.timing.periods
    50
    """
    for name, value, least in (("period", period, 1e-6), ("patience", patience, 0.0), ("speed", speed, 0.0)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not (np.isfinite(value) and value >= least):
            raise InputError(f"{name} must be a number >= {least:g}, got {value!r}")
    if law is not None:
        keywords["control"] = law
    experiment = experiment_of(machine, keywords)
    duration = experiment.duration
    if duration is not None and not duration >= period:
        raise InputError(f"duration must be at least one period of {period:g} s, got {duration!r}")
    if lockstep and port is None:
        raise InputError("lockstep waits for inputs over UDP: give a port")
    if port is not None and not (isinstance(port, int) and 0 <= port < 65536):
        raise InputError(f"port must be a number from 0 to 65535, got {port!r}")
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 2:
        raise InputError(f"rows must be a number >= 2, got {rows!r}")
    program = standalone(experiment, REALTIME)
    periods = 0 if duration is None else round(duration / period)
    return Realtime(program, float(period), periods, port, lockstep, float(patience), float(speed), rows)


class Realtime:
    """A loop that runs; `dalembert.realtime` makes it.

    Attributes
    ----------
    inputs, outputs
        Names of the values in packets: inputs; states and signals.
    states
        Names of the states, which are the first outputs.
    port
        UDP port on 127.0.0.1, or None.
    experiment
        Its experiment.
    """

    def __init__(
        self,
        program: Standalone,
        period: float,
        periods: int,
        port: int | None,
        lockstep: bool,
        patience: float,
        speed: float,
        rows: int,
    ) -> None:
        self.experiment, self._library = program.experiment, _build(program)
        self.inputs, self._held = program.inputs, program.held
        self.states = program.problem.state_names
        self.outputs = (*self.states, *program.outputs)
        self._width = int(self._library.row_size())
        self._ring = np.zeros((rows, self._width))
        self._model = ctypes.create_string_buffer(int(self._library.model_size()))
        self._library.model_start(self._model)
        self._loop = _Loop(period=period, speed=speed, periods=periods, lockstep=lockstep, socket=-1, patience=patience)
        self._loop.capacity = rows
        self.port: int | None = None
        if port is not None:
            bound = ctypes.c_int()
            self._loop.socket = self._library.open_port(port, ctypes.c_double(patience), ctypes.byref(bound))
            if self._loop.socket < 0:
                raise InputError(f"the UDP port {port} of 127.0.0.1 cannot be opened; is another loop using it?")
            self.port = int(bound.value)
        ring = self._ring.ctypes.data_as(ctypes.c_void_p)
        self._spare = ctypes.create_string_buffer(len(self._model))
        self._told = False
        arguments = (ctypes.byref(self._loop), self._model, self._spare, ring)
        self._thread = threading.Thread(target=self._library.run_loop, args=arguments, daemon=True)
        self._thread.start()

    @property
    def header(self) -> str:
        """C header of the packets: a structure of each kind, with the names, units and order of its values."""
        units = name_units(self.experiment.machine, (*self.inputs, *self.outputs))
        return packet_header(self.experiment.machine.name, self.inputs, self.outputs, units)

    @property
    def running(self) -> bool:
        """Whether it still runs."""
        return self._thread.is_alive()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end; return whether it was reached in time.

        Raises
        ------
        SimulationError
            If the loop ended for another reason than its duration, an event or `stop`.
        """
        begin = time.monotonic()
        while self._thread.is_alive() and (seconds is None or time.monotonic() - begin < seconds):
            self._thread.join(0.05 if seconds is None else min(0.05, seconds))
        self.check()
        return not self._thread.is_alive()

    def stop(self) -> None:
        """End the loop after its period, and close the port."""
        self._library.stop_loop(ctypes.byref(self._loop))
        self._thread.join()
        if self._loop.socket >= 0:
            self._library.close_port(self._loop.socket)
            self._loop.socket = -1

    def read(self) -> dict[str, Array]:
        """Return the rows that are kept, by name: ``t``, states, signals, held values; the oldest first."""
        written = int(self._library.rows_written(ctypes.byref(self._loop)))
        capacity = len(self._ring)
        first = max(0, written - capacity + 1)  # the oldest one may be written over at this moment
        rows = self._ring[np.arange(first, written) % capacity].copy()
        names = ("t", *self.outputs, *self._held)
        return {name: rows[:, k] for k, name in enumerate(names)}

    @property
    def timing(self) -> Punctuality:
        """How well the time was kept so far."""
        loop = self._loop
        counts = tuple(loop.histogram)
        total = sum(counts)
        below = np.cumsum(counts)
        median = 1e-6 * 2.0 ** int(np.searchsorted(below, total / 2.0)) if total else float("nan")
        return Punctuality(
            loop.done, loop.overruns, median, loop.latest, counts, loop.received, loop.refused, loop.sent,
            loop.late,
        )  # fmt: skip

    def check(self) -> None:
        """Raise `SimulationError` if the loop ended for another reason than its duration, an event or `stop`."""
        if self.running or self._loop.status not in (1, 2):
            return
        reason = "no input arrived in lockstep mode"
        if self._loop.status == 1:
            reason = (self._library.model_complaint(self._model) or b"the start cannot be made consistent").decode()
        self._told = True
        raise SimulationError(f"{reason} after {self._loop.done} periods", None)

    def __enter__(self) -> Realtime:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if error is None and not self._told:
            self.check()


def packet_header(name: str, inputs: Sequence[str], outputs: Sequence[str], units: Mapping[str, str]) -> str:
    """Return the C header of the packets of a loop.

    Parameters
    ----------
    name
        Name of the machine.
    inputs, outputs
        Names of the values, in the order of the packets.
    units
        Units by name, where they are known.
    """

    def members(names: Sequence[str]) -> str:
        lines = []
        taken: set[str] = set()
        for k, value in enumerate(names):
            word = re.sub(r"\W", "_", value, flags=re.ASCII)
            word = word if re.match(r"[A-Za-z]", word) and word not in taken else f"value{k}_{word}"
            taken.add(word)
            unit = f" [{units[value]}]" if units.get(value, "1") != "1" else ""
            lines.append(f"    double {word}; /* {k}: {value}{unit} */")
        return "\n".join(lines)

    head = '    char letters[4]; /* "{0}" */\n    uint32_t count;\n    double time; /* of the model [s] */\n'
    parts = [
        f"/* Packets of the loop of '{name}' over UDP: byte order of the computer, no padding. */",
        "#ifndef DALEMBERT_PACKETS_H",
        "#define DALEMBERT_PACKETS_H",
        "#include <stdint.h>",
    ]
    for kind, letters, names in (("inputs", "DLBI", inputs), ("outputs", "DLBO", outputs)):
        body = members(names)
        parts.append(f"struct packet_{kind} {{\n{head.format(letters)}{body}\n}};")
        parts.append(f"#define PACKET_{kind.upper()} {len(names)} /* values after the head of 16 bytes */")
    return "\n".join([*parts, "#endif"]) + "\n"


def _build(program: Standalone) -> ctypes.CDLL:
    toolchain = find_toolchain()
    if toolchain is None:
        raise BuildError(f"a loop in real time needs a C compiler: {missing_toolchain()}")
    source = resources.files("dalembert.io.fmu").joinpath("realtime.c").read_text(encoding="utf-8")
    # units of controllers read the clock of the loop in real time alone
    timed = {name: f"#define REAL_TIME 1\n{text}" for name, text in program.texts.items() if "REAL_TIME" in text}
    texts = {**program.texts, **timed, "realtime.c": source}
    parts = [text for name in sorted(texts) for text in (name, texts[name])]
    key = hashlib.sha256("\0".join([toolchain.identity, *plain_flags(toolchain), *parts]).encode()).hexdigest()
    library = load_library(key, lambda folder: build_program(toolchain, texts, folder, f"realtime{LIBRARY_SUFFIX}"))
    for name in ("row_size", "model_size", "loop_size"):
        getattr(library, name).restype = ctypes.c_size_t
    library.rows_written.restype = ctypes.c_int64
    library.model_complaint.restype = ctypes.c_char_p
    if int(library.loop_size()) != ctypes.sizeof(_Loop):
        raise BuildError("the loop in real time does not fit this computer: its memory layout differs")
    return library
