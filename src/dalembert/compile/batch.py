"""Batches in native code: rows in pieces, over threads, so that no result depends on either."""

from __future__ import annotations

import _thread
import ctypes
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.compile.build import available_cores
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["BATCH_ARGUMENTS", "BatchEntry", "check_threads", "in_parts", "pointers", "run_threads"]

_LONG = np.dtype(ctypes.c_long)
BATCH_ARGUMENTS = (ctypes.c_long, *[ctypes.c_void_p] * 5)
"""Arguments of a function that evaluates rows: how many, inputs and strides, outputs and strides, scratch memory."""

_ROWS_TIMES_OPERATIONS = 50_000_000
"""Work of one call into a batch: some tens of milliseconds, after which Python can see an interrupt."""


def pointers(arrays: Sequence[NDArray[Any]]) -> NDArray[np.uintp]:
    """Return the addresses of arrays, as a C array with a zero at its end."""
    return np.array([a.ctypes.data for a in arrays] + [0], dtype=np.uintp)


def check_threads(threads: object) -> int:
    """Return a number of threads; 0 stands for all cores."""
    if isinstance(threads, bool) or not isinstance(threads, int | np.integer) or threads < 0:
        raise InputError(f"threads must be a whole number >= 1, or 0 for all cores, got {threads!r}")
    return int(threads) or available_cores()


class BatchEntry:
    """A C function that evaluates rows: ``call_rows`` of ``scalar_calls.c``, or ``SYM_lanes`` of ``emit_c.py``.

    Parameters
    ----------
    call
        The function; it takes `BATCH_ARGUMENTS`.
    n_work
        Doubles of scratch memory of one thread.
    width
        Rows that are evaluated together; threads and pieces start at multiples of it.
    n_operations
        Operations per row.
    """

    def __init__(self, call: Callable[..., int], n_work: int, width: int, n_operations: int) -> None:
        self._call = call
        self._n_work = max(1, n_work)
        self._width = width
        blocks = _ROWS_TIMES_OPERATIONS // (max(1, n_operations) * width)
        self._piece = width * max(1, blocks)

    def run(
        self,
        n: int,
        inputs: Sequence[Array],
        in_strides: Sequence[int],
        outputs: Sequence[Array],
        threads: int = 1,
    ) -> int:
        """Evaluate `n` rows; return 0, or 1 + k if input k is not finite.

        Parameters
        ----------
        n
            Number of rows.
        inputs
            Contiguous arrays.
        in_strides
            Doubles from one row to the next; 0 for an input that all rows share.
        outputs
            Contiguous arrays of `n` rows.
        threads
            Number of threads; each takes an equal share of the rows.
        """
        in_stride = np.array(in_strides, dtype=_LONG)
        out_stride = np.array([y.size // max(1, n) for y in outputs], dtype=_LONG)
        blocks = -(-n // self._width)
        threads = max(1, min(threads, blocks))
        bounds = [min(n, blocks * k // threads * self._width) for k in range(threads + 1)]
        statuses = [0] * threads
        stop = threading.Event()

        def work(k: int) -> None:
            statuses[k] = self._rows(bounds[k], bounds[k + 1], inputs, in_stride, outputs, out_stride, stop)

        run_threads(work, threads, stop)
        return next((status for status in statuses if status), 0)

    def _rows(
        self,
        start: int,
        stop: int,
        inputs: Sequence[Array],
        in_stride: NDArray[np.int64],
        outputs: Sequence[Array],
        out_stride: NDArray[np.int64],
        stopped: threading.Event,
    ) -> int:
        source, target = pointers(inputs), pointers(outputs)
        work = np.empty(self._n_work)
        _advance(source, in_stride, start)
        _advance(target, out_stride, start)
        for at in range(start, stop, self._piece):
            if stopped.is_set():
                return 0
            status: int = self._call(
                min(self._piece, stop - at),
                source.ctypes.data,
                in_stride.ctypes.data,
                target.ctypes.data,
                out_stride.ctypes.data,
                work.ctypes.data,
            )
            if status:
                return status
            _advance(source, in_stride, self._piece)
            _advance(target, out_stride, self._piece)
        return 0


def _advance(table: NDArray[np.uintp], stride: NDArray[np.int64], rows: int) -> None:
    table[:-1] += (stride * (8 * rows)).astype(np.uintp)


def run_threads(work: Callable[[int], None], threads: int, stop: threading.Event) -> None:
    """Call ``work(k)`` for each k in a separate thread, the first one in this thread.

    If this thread is interrupted, `stop` is set, the others are waited for, and the interrupt is passed on; likewise an
    exception of another thread.
    """
    ends: list[_thread.LockType] = []
    errors: list[BaseException] = []

    def one(k: int, end: _thread.LockType) -> None:
        try:
            work(k)
        except BaseException as error:
            errors.append(error)
            stop.set()
        finally:
            end.release()

    def wait() -> None:
        for end in ends:
            with end:
                pass

    try:
        for k in range(1, threads):  # a Thread would wait until it runs, up to a millisecond each
            end = _thread.allocate_lock()
            end.acquire()
            _thread.start_new_thread(one, (k, end))
            ends.append(end)
        work(0)
        wait()
    except BaseException:
        stop.set()
        wait()
        raise
    if errors:
        raise errors[0]


def in_parts(work: Callable[[slice], None], n: int, threads: int, least: int = 256) -> None:
    """Call ``work`` with slices of n members, each in a separate thread and of at least ``least`` members.

    The first exception of a thread is raised here, after all have ended.
    """
    threads = max(1, min(threads, n // least))
    bounds = [n * k // threads for k in range(threads + 1)]
    errors: list[Exception] = []

    def piece(k: int) -> None:
        try:
            work(slice(bounds[k], bounds[k + 1]))
        except Exception as error:  # of another thread: it is raised in this one
            errors.append(error)

    run_threads(piece, threads, threading.Event())
    if errors:
        raise errors[0]
