"""Who runs the chunks of a campaign: this process and its threads, a pool of processes, GPUs, or a Dask cluster."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing.queues import SimpleQueue
from typing import Any

from dalembert.campaigns.store import needs
from dalembert.campaigns.tasks import Columns, RolloutTask, Task
from dalembert.compile.build import available_cores
from dalembert.compile.cuda import import_cupy
from dalembert.core.errors import BuildError, InputError, SimulationError
from dalembert.core.types import Array

__all__ = ["RUNNERS", "Chunk", "run_chunks", "visible_gpus"]

RUNNERS = ("local", "dask", "cuda")

Chunk = tuple[int, int, Array]
"""Number of a chunk, number of its first member, and the values of its members."""


def run_chunks(
    task: Task, chunks: list[Chunk], seed: int, *, runner: str, workers: int, address: str | None
) -> Iterator[tuple[int, Columns]]:
    """Run chunks and yield their rows, in any order.

    Parameters
    ----------
    task
        What is done with the members.
    chunks
        The chunks.
    seed
        Of the campaign.
    runner
        One of `RUNNERS`; with ``"local"`` rollouts run in threads, everything else in processes.
    workers
        Processes of a pool or of an embedded cluster; 0: one per core. With ``"cuda"`` GPUs, each with a process of its
        own; 0: all.
    address
        Of a Dask scheduler that exists.
    """
    if runner not in RUNNERS:
        raise InputError(f"got runner {runner!r}, expected one of {', '.join(RUNNERS)}")
    if address is not None and runner != "dask":
        raise InputError(f"an address belongs to the runner dask, got {address!r} with {runner!r}")
    if runner == "cuda":
        gpus = visible_gpus()
        if workers > len(gpus):
            raise InputError(f"got workers = {workers} for the runner cuda, but there are {len(gpus)} GPUs here")
        gpus = gpus[: workers or len(gpus)][: len(chunks)]
        if len(gpus) > 1:
            yield from _processes(task, chunks, seed, len(gpus), gpus)
            return
    workers = workers or available_cores()
    if runner == "dask":
        yield from _dask(task, chunks, seed, workers, address)
    elif isinstance(task, RolloutTask) or workers == 1 or len(chunks) == 1:
        for number, first, values in chunks:
            yield number, task.run(values, first, seed)
    else:
        yield from _processes(task, chunks, seed, workers)


def visible_gpus() -> list[str]:
    """Names of the GPUs that this process may use, as ``CUDA_VISIBLE_DEVICES`` has them; one if nobody can tell."""
    try:
        cupy = import_cupy()
    except BuildError:
        return [""]  # the first member says what is missing
    count = int(cupy.cuda.runtime.getDeviceCount())
    names = [name.strip() for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name.strip()]
    return (names or [str(k) for k in range(count)])[: max(1, count)]


def _take_gpu(names: SimpleQueue[str]) -> None:
    """Let a process see one GPU alone, before it loads anything of CUDA."""
    os.environ["CUDA_VISIBLE_DEVICES"] = names.get()


def _packed(task: Task) -> bytes:
    """Pickle a task; functions that were written in a session or a notebook need cloudpickle."""
    try:
        import cloudpickle
    except ImportError:
        try:
            return pickle.dumps(task)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise InputError(
                f'this task cannot be sent to other processes ({error}): pip install "dalembert[campaign]"'
            ) from None
    packed: bytes = cloudpickle.dumps(task)
    return packed


def _run_packed(packed: bytes, values: Array, first: int, seed: int) -> Columns:
    task: Task = pickle.loads(packed)
    return task.run(values, first, seed)


def _processes(
    task: Task, chunks: list[Chunk], seed: int, workers: int, gpus: list[str] | None = None
) -> Iterator[tuple[int, Columns]]:
    """Run chunks in processes; where there are GPUs each has one of them."""
    packed, waiting = _packed(task), list(reversed(chunks))
    running: dict[Future[Columns], int] = {}
    # Not forked: threads of this process (of a notebook, of BLAS) would be lost in the middle of their work.
    context = multiprocessing.get_context("spawn")
    begin: dict[str, Any] = {}
    if gpus is not None:
        names = context.SimpleQueue()
        for name in gpus:
            names.put(name)
        begin = {"initializer": _take_gpu, "initargs": (names,)}
    with ProcessPoolExecutor(workers, mp_context=context, **begin) as pool:
        try:
            while waiting or running:
                while waiting and len(running) < 2 * workers:
                    number, first, values = waiting.pop()
                    running[pool.submit(_run_packed, packed, values, first, seed)] = number
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    yield running.pop(future), future.result()
        except BrokenProcessPool:
            raise SimulationError(
                "a process of the pool died (killed, or out of memory); what is done is kept: resume the campaign"
            ) from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _dask(
    task: Task, chunks: list[Chunk], seed: int, workers: int, address: str | None
) -> Iterator[tuple[int, Columns]]:
    needs("distributed", "the runner dask")
    import distributed

    if isinstance(task, RolloutTask):
        task = replace(task, threads=1)
    with contextlib.ExitStack() as stack:
        client = stack.enter_context(_client(workers, address))
        # Task and values travel with the chunks: a worker that dies loses its chunks, and others run them again. (What
        # is scattered is lost with the worker that has it, if no other one had come yet.)
        packed = _packed(task)
        futures = {
            client.submit(_run_packed, packed, values, first, seed, pure=False, retries=2): number
            for number, first, values in chunks
        }
        try:
            for future in distributed.as_completed(futures):
                yield futures[future], future.result()
        except (distributed.CancelledError, distributed.scheduler.KilledWorker, OSError, TimeoutError) as error:
            raise SimulationError(
                f"the cluster was lost ({type(error).__name__}: {error}); what is done is kept: resume the campaign"
            ) from None
        finally:
            with contextlib.suppress(Exception):
                client.cancel(list(futures))


def _client(workers: int, address: str | None) -> Any:
    import distributed

    if address is not None:
        try:
            return distributed.Client(address, timeout=10)
        except (OSError, TimeoutError, ValueError) as error:
            raise InputError(f"there is no Dask scheduler at {address!r}: {error}") from None
    cluster = distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
    )
    return _Embedded(distributed.Client(cluster), cluster)


class _Embedded:
    """A cluster of this campaign's own, closed with it."""

    def __init__(self, client: Any, cluster: Any) -> None:
        self.client, self.cluster = client, cluster

    def __enter__(self) -> Any:
        return self.client

    def __exit__(self, *reason: object) -> None:
        with contextlib.suppress(Exception):
            self.client.close(timeout=5)
        with contextlib.suppress(Exception):
            self.cluster.close(timeout=10)
