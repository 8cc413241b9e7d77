"""Runners of the chunks of a campaign: this process and its threads, a pool of processes, GPUs, or a Dask cluster."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from typing import Any

from dalembert.campaigns.processes import MemberProcess, packed_task
from dalembert.campaigns.store import needs
from dalembert.campaigns.tasks import Columns, RolloutTask, Task
from dalembert.compile.build import available_cores
from dalembert.compile.cuda import import_cupy
from dalembert.core.errors import BuildError, InputError, SimulationError
from dalembert.core.files import owner
from dalembert.core.types import Array
from dalembert.core.warn import warn

__all__ = ["RUNNERS", "Chunk", "run_chunks", "visible_gpus"]

RUNNERS = ("local", "dask", "cuda")
_GLANCE, _PATIENCE = 2.0, 30.0  # seconds between looks at the workers of a cluster, and without any

Chunk = tuple[int, int, Array]
"""Number of a chunk, number of its first member, and the values of its members."""


def run_chunks(
    task: Task, chunks: list[Chunk], seed: int, *, runner: str, workers: int, address: str | None
) -> Iterator[tuple[int, Columns]]:
    """Run chunks and yield their rows, in any order.

    Parameters
    ----------
    task
        Task for the members.
    chunks
        The chunks.
    seed
        Seed of the campaign.
    runner
        One of `RUNNERS`; with ``"local"`` rollouts run in threads, everything else in processes.
    workers
        Processes of a pool or of an embedded cluster; 0: one per core. With ``"cuda"`` the number of GPUs, each with
        its own process; 0: all.
    address
        Address of an existing Dask scheduler.
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
            yield from _processes(packed_task(task), chunks, seed, len(gpus), gpus)
            return
    if runner == "dask":
        yield from _dask(task, chunks, seed, workers or available_cores(), address)
    elif isinstance(task, RolloutTask) or workers == 1:
        for number, first, values in chunks:
            yield number, task.run(values, first, seed)
    else:
        yield from _processes(packed_task(task), chunks, seed, workers or available_cores())


def visible_gpus() -> list[str]:
    """Names of the GPUs that this process may use, as ``CUDA_VISIBLE_DEVICES`` has them; one if unknown."""
    try:
        cupy = import_cupy()
    except BuildError:
        return [""]  # the first member reports the missing compiler
    count = int(cupy.cuda.runtime.getDeviceCount())
    names = [name.strip() for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name.strip()]
    return (names or [str(k) for k in range(count)])[: max(1, count)]


def _processes(
    packed: bytes, chunks: list[Chunk], seed: int, workers: int, gpus: list[str] | None = None
) -> Iterator[tuple[int, Columns]]:
    """Run chunks in processes; where there are GPUs each has one of them."""
    own = [{"CUDA_VISIBLE_DEVICES": name} for name in gpus] if gpus else [{}] * min(workers, len(chunks))
    team = [MemberProcess(packed, environment) for environment in own]
    idle: queue.SimpleQueue[MemberProcess] = queue.SimpleQueue()
    for process in team:
        idle.put(process)

    def run(first: int, values: Array) -> Columns:
        process = idle.get()
        try:
            return process.run(values, first, seed)
        finally:
            idle.put(process)

    with ThreadPoolExecutor(len(team)) as pool:
        running = {pool.submit(run, first, values): number for number, first, values in chunks}
        try:
            for future in as_completed(running):
                yield running.pop(future), future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in team:
                process.close()


def _dask(
    task: Task, chunks: list[Chunk], seed: int, workers: int, address: str | None
) -> Iterator[tuple[int, Columns]]:
    needs("distributed", "the runner dask")
    import distributed

    if isinstance(task, RolloutTask):
        task = replace(task, threads=1)
    packed = packed_task(task)
    campaign = f"{owner()}-{os.urandom(4).hex()}"
    with contextlib.ExitStack() as stack:
        client = stack.enter_context(_client(workers, address))
        # Task and values travel with the chunks: a worker that dies loses its chunks, and others run them again. (What
        # is scattered is lost with the worker that has it, if no other one had come yet.)
        futures = {
            client.submit(_run_beside, campaign, packed, values, first, seed, pure=False): number
            for number, first, values in chunks
        }
        try:
            arriving, cluster = distributed.as_completed(futures), _Cluster(client)
            while not arriving.is_empty():
                batch = arriving.next_batch(block=False)
                for future in batch:
                    yield futures[future], future.result()
                if not batch:
                    cluster.look()
                    time.sleep(0.02)
        except (distributed.CancelledError, distributed.scheduler.KilledWorker, OSError, TimeoutError) as error:
            raise SimulationError(
                f"the cluster was lost ({type(error).__name__}: {error}); finished rows are kept: resume the campaign"
            ) from None
        finally:
            with contextlib.suppress(Exception):
                client.cancel(list(futures))
            if client.status == "running":
                with contextlib.suppress(Exception):
                    client.run(_dismiss, campaign, on_error="ignore")


class _Cluster:
    """Whether a cluster has workers.

    Parameters
    ----------
    client
        Client of the cluster.
    """

    def __init__(self, client: Any) -> None:
        self._client, self._had = client, False
        self._seen = self._looked = time.monotonic()

    def look(self) -> None:
        """Raise `SimulationError` if all workers have been gone for a while; warn if none ever came."""
        now = time.monotonic()
        if now - self._looked < _GLANCE:
            return
        self._looked = now
        if self._client.nthreads():
            self._had, self._seen = True, now
        elif now - self._seen > _PATIENCE:
            if self._had:
                raise SimulationError(
                    f"the cluster has lost its workers, and none came for {_PATIENCE:g} s; finished rows are kept: "
                    "resume the campaign"
                )
            warn("the Dask scheduler has no workers yet; the campaign waits for them")
            self._seen = now + 60.0 * _PATIENCE


_beside: dict[tuple[str, int], MemberProcess] = {}
"""Processes that run members for threads of a Dask worker, by campaign and thread."""


def _run_beside(campaign: str, packed: bytes, values: Array, first: int, seed: int) -> Columns:
    """Run members in a process beside the Dask worker that is called: a crash does not kill the worker."""
    key = campaign, threading.get_ident()
    process = _beside.get(key)
    if process is None:
        process = _beside[key] = MemberProcess(packed)
    return process.run(values, first, seed)


def _dismiss(campaign: str) -> None:
    """End the processes of a campaign beside a Dask worker."""
    for key in [key for key in _beside if key[0] == campaign]:
        _beside.pop(key).close()


def _client(workers: int, address: str | None) -> Any:
    import distributed

    if address is not None:
        try:
            return distributed.Client(address, timeout=10)
        except (OSError, RuntimeError, TimeoutError, TypeError, ValueError) as error:
            secure = " (a client needs a certificate: docs/campaigns.md)" if address.startswith("tls:") else ""
            raise InputError(
                f"this client cannot connect to a Dask scheduler at {address!r}: {error}{secure}"
            ) from None
    try:
        cluster = distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
        )
    except (OSError, RuntimeError, TimeoutError) as error:
        raise SimulationError(
            f"workers of the embedded Dask cluster died while they were starting ({error}): they import the script, "
            "which must be a file and must start the campaign under if __name__ == '__main__':"
        ) from None
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
