"""Processes in which members run; one that a member kills is started again, and the member is a row with its reason.

Local pools and the workers of a Dask cluster run members in such processes. A process reads chunks from its standard
input and answers on its former standard output, which members find turned to standard error. It ends at once when its
leader does, however that happens. It is no child of `multiprocessing`: a leader's script is not run again in it
(functions of a script travel by value), and workers of Dask, which must not have such children, can lead it.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import Any, BinaryIO

from dalembert.campaigns.tasks import Columns, Task, failed_row, joined
from dalembert.core.errors import InputError, SimulationError
from dalembert.core.types import Array

__all__ = ["MemberProcess", "packed_task", "serve"]

_READY, _ROWS, _REFUSED, _FAILED = "ready", "rows", "refused", "failed"
_GLANCE = 1.0  # seconds between two looks at a process that does not answer


def packed_task(task: Task) -> bytes:
    """Pickle a task; functions that were written in a session or a notebook need cloudpickle."""
    try:
        import cloudpickle

        how, advice = cloudpickle.dumps, ""
    except ImportError:
        how, advice = pickle.dumps, '; pip install "dalembert[campaign]" brings cloudpickle, which can send more'
    try:
        packed: bytes = how(task)
    except Exception as error:  # whatever an object of the user's raises while it is pickled
        raise InputError(
            f"this task cannot be sent to other processes ({type(error).__name__}: {error}): leave out objects of this "
            f"process, such as open files and locks, or run it here with workers=1{advice}"
        ) from None
    return packed


class _DiedError(Exception):
    """The process has ended before it answered."""


class MemberProcess:
    """A process that runs members of a campaign; it is started when it is needed.

    Parameters
    ----------
    packed
        The task, see `packed_task`.
    environment
        Variables that the process has besides those of this one, such as the GPU that it may use.
    """

    def __init__(self, packed: bytes, environment: Mapping[str, str] | None = None) -> None:
        self._packed, self._environment = packed, {**os.environ, **(environment or {})}
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._starting, self._busy = threading.Lock(), threading.Lock()

    def run(self, values: Array, first: int, seed: int) -> Columns:
        """Return the rows of members, as `Task.run` does.

        If the process dies, the members run again one by one; one that it dies of again is a failed row.
        """
        with self._busy:
            with contextlib.suppress(_DiedError):
                return self._rows(values, first, seed)
            rows = []
            for k in range(len(values)):
                try:
                    rows.append(self._rows(values[k : k + 1], first + k, seed))
                except _DiedError as death:
                    rows.append(failed_row(f"its process died twice: {death}"))
            return joined(rows)

    def close(self) -> None:
        """End the process, also in the middle of a member."""
        with self._starting:
            self._closed = True
            if self._process is not None:
                self._process.kill()
        with self._busy:
            if self._process is not None:
                self._end(self._process)

    def _rows(self, values: Array, first: int, seed: int) -> Columns:
        process = self._process or self._started()
        kind, answer = self._asked(process, (values, first, seed))
        if kind == _FAILED:
            raise SimulationError(f"members {first} to {first + len(values) - 1} cannot be run: {answer}")
        rows: Columns = answer
        return rows

    def _started(self) -> subprocess.Popen[bytes]:
        # Where modules are found is known before the first import of ours.
        text = f"import sys; sys.path[:] = {sys.path!r}; from dalembert.campaigns.processes import serve; serve()"
        with self._starting:
            if self._closed:
                raise SimulationError("the campaign has ended")
            try:
                process = self._process = subprocess.Popen(
                    [sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._environment
                )
            except (OSError, ValueError) as error:
                raise SimulationError(f"no process can be started for members ({sys.executable!r}: {error})") from None
        try:
            kind, answer = self._asked(process, self._packed)
        except _DiedError as death:
            raise SimulationError(
                f"a process for members died while it was starting: {death}; its output is on standard error. "
                "Finished rows are kept: resume the campaign, or run it in this process with workers=1"
            ) from None
        if kind == _REFUSED:
            self._end(process)
            raise InputError(f"another process cannot load the task: {answer}; can that process import its module?")
        return process

    def _asked(self, process: subprocess.Popen[bytes], question: Any) -> tuple[str, Any]:
        try:
            assert process.stdin is not None and process.stdout is not None
            pickle.dump(question, process.stdin)
            process.stdin.flush()
            # A process that a member has forked may hold the other end open: its death alone must do.
            while sys.platform != "win32" and not select.select([process.stdout], [], [], _GLANCE)[0]:
                if process.poll() is not None:
                    raise EOFError
            answer: tuple[str, Any] = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise _DiedError(self._end(process)) from None
        return answer

    def _end(self, process: subprocess.Popen[bytes]) -> str:
        """Take leave of a process and say how it ended."""
        with contextlib.suppress(OSError):  # what could not be written to it is still there
            assert process.stdin is not None
            process.stdin.close()
        if process.stdout is not None:
            process.stdout.close()
        code = process.wait()
        self._process = None
        if code >= 0:
            return f"it ended with exit status {code}"
        name = signal.Signals(-code).name if -code in set(signal.Signals) else "unknown"
        memory = ", as when memory runs out" if name == "SIGKILL" else ""
        return f"signal {-code} ({name}) ended it{memory}"


def serve() -> None:
    """Run members for the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the leader, who ends this process
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, inbox), daemon=True).start()

    def tell(kind: str, answer: object) -> None:
        answers.write(pickle.dumps((kind, answer)))
        answers.flush()

    try:
        task: Task = pickle.loads(inbox.get())
    except Exception as error:
        tell(_REFUSED, f"{type(error).__name__}: {error}")
        return
    tell(_READY, None)
    while True:
        values, first, seed = inbox.get()
        try:
            rows = task.run(values, first, seed)
        except Exception as error:
            tell(_FAILED, f"{type(error).__name__}: {error}")
        else:
            tell(_ROWS, rows)


def _listen(requests: BinaryIO, inbox: queue.SimpleQueue[Any]) -> None:
    """Take requests; when the leader is gone, so is this process, whatever it was doing."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            inbox.put(pickle.load(requests))
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
