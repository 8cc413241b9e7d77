"""Campaigns: which members, who runs them, what is kept when something fails, what is learnt from them."""

from __future__ import annotations

import errno
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas
import pytest
from scipy import stats
from tests.support.hybrid_machines import HYBRID

import dalembert as da
from dalembert.campaigns import Store, runners, sample, wilson
from dalembert.campaigns.distributions import as_spread
from dalembert.campaigns.expressions import SignalExpression
from dalembert.campaigns.run_measures import measure_run
from dalembert.campaigns.tasks import FunctionTask
from dalembert.cli.app import run
from dalembert.core.errors import FileFormatError, InputError, SimulationError, UnknownNameError, WriteError

MASS = da.Parameter("mass", 0.8)
CART = da.Machine(
    "cart",
    bodies=[da.point_mass("cart", 2.0), da.point_mass("bob", MASS, com=(0, 0, -0.6))],
    joints=[
        da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0)),
        da.Joint("theta", "revolute", "cart", "bob", axis=(0, 1, 0)),
    ],
    motors=[da.Motor("drive", "x", effort=30.0)],
)
LAW = da.PD(kp=(8.0,), kd=(3.0,), reference=np.zeros(1))
VARY: dict[str, Any] = {"mass": (0.5, 2.0), "q0.theta": {"normal": [0.0, 0.2]}}
MEASURE = {"peak": da.Measure("theta", "max abs"), "work": da.Measure(lambda s: s["u.drive"] ** 2, "integral")}
SETTINGS: dict[str, Any] = {"control": LAW, "duration": 1.0, "step": 5e-3}


def product(x: float, y: float) -> dict[str, float]:
    return {"product": x * y, "sum": x + y}


def of_cart(**options: Any) -> Any:
    return da.campaign(CART, **{"vary": VARY, "n": 50, "measure": MEASURE, "seed": 3, **SETTINGS, **options})


# Which members


def test_random_members_begin_the_same() -> None:
    spreads = {"a": as_spread((0.0, 1.0), "a"), "b": as_spread(stats.norm(2.0, 0.1), "b")}
    for way in ("random", "sobol"):
        few, many = (sample(spreads, n, 5, way) for n in (10, 100))
        assert np.array_equal(few, many[:10])
        assert not np.array_equal(few, sample(spreads, 10, 6, way))


@pytest.mark.parametrize("way", ["random", "latin", "sobol"])
def test_distributions_are_met(way: str) -> None:
    spreads = {
        "uniform": as_spread((2.0, 3.0), ""),
        "normal": as_spread({"normal": [1.0, 0.5]}, ""),
        "scipy": as_spread(stats.lognorm(s=0.3, scale=2.0), ""),
        "named": as_spread({"gamma": {"a": 2.0, "scale": 0.5}}, ""),
        "log": as_spread({"loguniform": [0.1, 10.0]}, ""),
    }
    values = sample(spreads, 2048, 1, way)
    exact = [stats.uniform(2, 1), stats.norm(1, 0.5), stats.lognorm(s=0.3, scale=2.0), stats.gamma(2.0, scale=0.5),
             stats.loguniform(0.1, 10.0)]  # fmt: skip
    for column, distribution in zip(values.T, exact, strict=True):
        assert stats.kstest(column, distribution.cdf).pvalue > 1e-3


def test_grid_is_all_combinations() -> None:
    found = da.campaign(product, vary={"x": [1.0, 2.0], "y": [5.0, 6.0, 7.0]}, sampling="grid", workers=1).table
    assert sorted(found["product"]) == [5.0, 6.0, 7.0, 10.0, 12.0, 14.0]


@pytest.mark.parametrize(
    ("vary", "reason"),
    [
        ({"x": (2.0, 1.0)}, "low <= high"),
        ({"x": "wide"}, "must vary between"),
        ({"x": {"normel": [0, 1]}}, "did you mean 'normal'"),
        ({"x": {"normal": [0.0, -1.0]}}, "deviation"),
        ({"x": []}, "at least one value"),
        ({"x": (0.0, np.inf)}, "finite"),
        ({"x": {"loguniform": [0.0, 1.0]}}, "positive"),
        ({"x": {"beta": [-1.0, 2.0]}}, "no quantiles|refuses"),
        ([1, 2], "must map names"),
    ],
)
def test_bad_spreads(vary: Any, reason: str) -> None:
    with pytest.raises((InputError, UnknownNameError), match=reason):
        da.campaign(product, vary=vary, n=3)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"n": 0}, "n must be"),
        ({"n": 3, "seed": -1}, "seed"),
        ({"n": 3, "sampling": "dice"}, "sampling"),
        ({"n": 3, "runner": "abacus"}, "runner"),
        ({"n": 3, "duration": 1.0}, "belongs to campaigns of machines"),
        ({"n": 3, "address": "tcp://127.0.0.1:1"}, "belongs to the runner dask"),
        ({"n": 3, "keep": 2}, "give a folder"),
    ],
)
def test_bad_options(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        da.campaign(product, vary={"x": (0.0, 1.0), "y": (0.0, 1.0)}, **options)


def test_bad_machines() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'mass'"):
        of_cart(vary={"mas": (0.0, 1.0)})
    with pytest.raises(UnknownNameError, match="did you mean 'theta'"):
        of_cart(vary={"q0.teta": (0.0, 1.0)})
    with pytest.raises(InputError, match="needs measure"):
        of_cart(measure=None)
    with pytest.raises(UnknownNameError, match="thetta"):
        of_cart(measure={"peak": da.Measure("thetta")})


# What they do


def test_rows_are_those_of_single_runs() -> None:
    campaign = of_cart()
    table = campaign.table
    for member in (0, 17, 49):
        single = da.simulate(
            CART, p={"mass": table["mass"][member]}, q0={"theta": table["q0.theta"][member]}, **SETTINGS
        )
        assert table["peak"][member] == pytest.approx(np.abs(single["theta"]).max(), rel=1e-10)
        assert table["work"][member] == pytest.approx(np.trapezoid(single["u.drive"] ** 2, single.t), rel=1e-10)
        again = campaign.rerun(member)
        assert np.array_equal(again["theta"], single["theta"])


def test_chunks_do_not_matter() -> None:
    pandas.testing.assert_frame_equal(of_cart().table, of_cart(chunk=7).table, check_exact=True)


def feedback(t: float, q: Any, v: Any) -> Any:
    return [-8.0 * q[0] - 3.0 * v[0]]


@pytest.mark.slow
def test_python_law_runs_member_by_member() -> None:
    """What rollouts do not take runs one by one: a Python controller, sampled so fast that it is nearly the law."""
    sampled = of_cart(n=5, control=da.SampledController(feedback, 5e-3), workers=1).table
    np.testing.assert_allclose(of_cart(n=5).table["peak"], sampled["peak"], rtol=1e-2)
    twice = of_cart(n=5, control=da.SampledController(feedback, 5e-3), workers=2, chunk=2).table
    pandas.testing.assert_frame_equal(sampled, twice, check_exact=True)


@pytest.mark.slow
def test_switches_do_not_warn_before_they_are_due() -> None:
    """Whether rollouts take a machine is tried for a step; a switch that comes later is no reason to warn."""
    rail = HYBRID["grip"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = da.campaign(
            rail.make(),
            vary={"v0.x1_dot": [1.0, 3.0]},
            sampling="grid",
            measure={"speed": da.Measure("x2_dot", "max")},
            duration=rail.duration,
            switches=tuple(rail.settings["switches"]),
        ).table
    np.testing.assert_allclose(found["speed"], [2.0 / 3.0, 2.0], rtol=1e-12)


def test_impossible_members_are_rows() -> None:
    table = of_cart(vary={"mass": [1.0, -1.0, 2.0]}, sampling="grid", n=None).table
    assert table["status"].tolist() == ["completed", "failed", "completed"]
    assert "mass" in table["reason"][1]
    assert np.isnan(table["peak"][1])
    assert np.isfinite(table["peak"][[0, 2]]).all()


def test_functions_in_processes_and_seeds() -> None:
    def noisy(x: float, seed: int) -> float:
        if x > 0.9:
            raise ValueError("too far")
        return x + float(np.random.default_rng(seed).normal())

    one = da.campaign(noisy, vary={"x": (0.0, 1.0)}, n=40, workers=1, seed=4).table
    two = da.campaign(noisy, vary={"x": (0.0, 1.0)}, n=40, workers=2, seed=4, chunk=9).table
    pandas.testing.assert_frame_equal(one, two, check_exact=True)
    failed = one[one["x"] > 0.9]
    assert len(failed) and (failed["reason"] == "ValueError: too far").all()
    assert one["result"].nunique() == 40 - len(failed)


def test_dask_gives_the_same_bits(tmp_path: Path) -> None:
    there = of_cart(runner="dask", workers=2, chunk=8, store=tmp_path / "dask")
    pandas.testing.assert_frame_equal(of_cart(chunk=8).table, there.table, check_exact=True)


def which_gpu(x: float) -> float:
    """The GPU that the process of a member may use; it takes a while, so that no process has them all."""
    time.sleep(0.2)
    return float(os.environ["CUDA_VISIBLE_DEVICES"])


@pytest.mark.slow
def test_gpus_share_the_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process sees one GPU; no GPU is needed to see that."""
    monkeypatch.setattr(runners, "visible_gpus", lambda: ["3", "5"])
    chunks = [(k, k, np.full((1, 1), float(k))) for k in range(8)]
    task = FunctionTask(which_gpu, ("x",))
    rows = dict(runners.run_chunks(task, chunks, 0, runner="cuda", workers=0, address=None))
    assert sorted(rows) == list(range(8))
    assert {float(columns["result"][0]) for columns in rows.values()} == {3.0, 5.0}
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")
    alone = dict(runners.run_chunks(task, chunks[:2], 0, runner="cuda", workers=1, address=None))
    assert [alone[k]["result"][0] for k in range(2)] == [7.0, 7.0]  # in this process
    with pytest.raises(InputError, match="workers = 3 for the runner cuda, but there are 2 GPUs"):
        list(runners.run_chunks(task, chunks, 0, runner="cuda", workers=3, address=None))


def test_which_gpus_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = SimpleNamespace(getDeviceCount=lambda: 2)
    monkeypatch.setattr(runners, "import_cupy", lambda: SimpleNamespace(cuda=SimpleNamespace(runtime=runtime)))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert runners.visible_gpus() == ["0", "1"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4, GPU-8f")
    assert runners.visible_gpus() == ["4", "GPU-8f"]


def test_single_runs_are_measured_as_rollouts_are() -> None:
    """Every way to measure, by the time loop and from the rows of the single run."""
    ways = ("final", "max", "min", "max abs", "integral", "mean", "rms")
    measure = {way: da.Measure("theta", way, since=0.2, until=0.8) for way in ways}
    measure |= {way: da.Measure(lambda s: s["velocity.bob.x"] - 0.05, way) for way in ("first", "last")}
    measure["heavy"] = da.Measure("parameter.mass")
    lanes = of_cart(n=4, measure=measure)
    for member, row in lanes.table.iterrows():
        found = measure_run(da.equations(CART), lanes.rerun(int(member)), measure)
        np.testing.assert_allclose([found[k] for k in measure], row[list(measure)].astype(float), rtol=1e-9, atol=1e-12)


# Nothing is lost

SCRIPT = """
import os, signal, sys, time
import dalembert as da

def slow(x):
    time.sleep(0.03)
    return x * x

if __name__ == "__main__":
    done = lambda k, n: print(k, flush=True)
    da.campaign(slow, vary={"x": (0.0, 1.0)}, n=30, chunk=3, store=sys.argv[1], workers=int(sys.argv[2]), progress=done)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "slow_campaign.py"
    path.write_text(textwrap.dedent(SCRIPT), encoding="utf-8")
    return path


def started(script: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(script), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


@pytest.mark.slow
def test_killed_and_resumed(script: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    process = started(script, str(store), "1")
    assert process.stdout is not None
    for _ in range(3):
        process.stdout.readline()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    done = Store(store).done()
    assert 2 <= len(done) < 10
    second = started(script, str(store), "1")
    output, _ = second.communicate(timeout=60)
    assert int(output.split()[0]) == 3 * len(done) + 3  # what was done was not done again
    whole = started(script, str(tmp_path / "whole"), "1")
    whole.communicate(timeout=60)
    pandas.testing.assert_frame_equal(Store(store).table(), Store(tmp_path / "whole").table(), check_exact=True)


def test_a_measure_that_raises_for_one_percent(tmp_path: Path) -> None:
    """Stopped half way and resumed: four of 400 members are rows with their reason, the others have their numbers."""

    def moody(x: float) -> float:
        if x % 100 == 7:
            raise ValueError("not today")
        return 2.0 * x

    options: dict[str, Any] = {
        "vary": {"x": [float(k) for k in range(400)]}, "sampling": "grid", "chunk": 20, "workers": 1,
    }  # fmt: skip
    with pytest.raises(SimulationError, match="finished rows are kept"):
        da.campaign(moody, store=tmp_path / "store", progress=lambda done, members: done < 200, **options)
    resumed = da.campaign(moody, store=tmp_path / "store", **options)
    table = resumed.table
    assert resumed.complete
    pandas.testing.assert_frame_equal(table, da.campaign(moody, **options).table, check_exact=True)
    failed = table[table["status"] == "failed"]
    assert failed["x"].tolist() == [7.0, 107.0, 207.0, 307.0]
    assert set(failed["reason"]) == {"ValueError: not today"}
    rest = table[table["status"] == "completed"]
    assert (rest["result"] == 2.0 * rest["x"]).all()


@pytest.mark.slow
def test_dask_survives_a_killed_worker(tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    flag.touch()

    def deadly(x: float) -> float:
        if x > 0.5 and flag.exists():
            flag.unlink(missing_ok=True)
            os.kill(os.getppid(), signal.SIGKILL)  # members run in a process beside the worker
        return x

    campaign = da.campaign(deadly, vary={"x": (0.0, 1.0)}, n=12, chunk=3, runner="dask", workers=2)
    assert campaign.complete
    assert (campaign.table["result"] == campaign.table["x"]).all()


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and a worker in processes of their own."""
    file = tmp_path / "scheduler.json"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    host = ["--host", "127.0.0.1", "--scheduler-file", str(file)]
    first = [sys.executable, "-m", "distributed.cli.dask_scheduler", *host, "--port", "0", "--no-dashboard"]
    second = [
        sys.executable,
        "-m",
        "distributed.cli.dask_worker",
        *host,
        "--no-nanny",
        "--nthreads",
        "1",
        "--no-dashboard",
    ]
    processes = [subprocess.Popen(first, **quiet)]
    for _ in range(300):
        if file.exists() and file.stat().st_size:
            break
        time.sleep(0.1)
    processes.append(subprocess.Popen(second, **quiet))
    yield json.loads(file.read_text())["address"], processes
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_member_that_kills_its_process_on_a_cluster(
    scheduler: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path
) -> None:
    """The only worker of a cluster, which nobody starts again, outlives a member that kills its process."""
    address, processes = scheduler

    def deadly(x: float) -> float:
        if x == 2.0:
            os.kill(os.getpid(), signal.SIGKILL)
        return 2.0 * x

    vary = {"x": [0.0, 1.0, 2.0, 3.0]}
    table = da.campaign(deadly, vary=vary, sampling="grid", chunk=3, runner="dask", address=address).table
    assert table["status"].tolist() == ["completed", "completed", "failed", "completed"]
    assert "signal 9 (SIGKILL)" in table["reason"][2]
    assert table["result"].dropna().tolist() == [0.0, 2.0, 6.0]
    assert all(process.poll() is None for process in processes)


@pytest.mark.slow
def test_cluster_without_workers(
    scheduler: tuple[str, list[subprocess.Popen[bytes]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, processes = scheduler
    monkeypatch.setattr(runners, "_GLANCE", 0.1)
    monkeypatch.setattr(runners, "_PATIENCE", 1.0)

    def slow(x: float) -> float:
        time.sleep(1.0)
        return x

    def kill(done: int, members: int) -> None:
        processes[1].kill()

    with pytest.raises(SimulationError, match="has lost its workers"):
        da.campaign(
            slow, vary={"x": [1.0, 2.0, 3.0]}, sampling="grid", chunk=1, runner="dask", address=address, progress=kill
        )


TLS_FILES = "--tls-ca-file ca.pem --tls-cert cert.pem --tls-key key.pem"
TLS_CAMPAIGN = """
import sys
import dalembert as da

print(da.campaign(lambda x: abs(x), vary={"x": [-1.0, 2.0]}, sampling="grid", runner="dask", address=sys.argv[1]).table)
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_cluster_with_authentication(tmp_path: Path) -> None:
    """The commands of the page: with a certificate a campaign runs, without one it is refused."""
    page = (Path(__file__).parents[2] / "docs" / "campaigns.md").read_text(encoding="utf-8")
    lines = page.split("### A cluster with authentication", 1)[1].splitlines()
    for line in (line for line in lines if line.startswith("openssl ")):
        subprocess.run(shlex.split(line), cwd=tmp_path, check=True, capture_output=True)
    for name in ("scheduler", "worker"):
        assert any(line.startswith(f"dask {name} ") and line.endswith(TLS_FILES) for line in lines)
    file = tmp_path / "scheduler.json"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    with_files = ["--no-dashboard", "--scheduler-file", str(file), "--host", "127.0.0.1", *TLS_FILES.split()]
    first = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--protocol", "tls", "--port", "0", *with_files]
    processes = [subprocess.Popen(first, **quiet)]
    try:
        while not (file.exists() and file.stat().st_size):
            assert processes[0].poll() is None
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        assert address.startswith("tls://")
        second = [sys.executable, "-m", "distributed.cli.dask_worker", "--no-nanny", "--nthreads", "1", *with_files]
        processes.append(subprocess.Popen(second, **quiet))
        names = {"CA_FILE": "ca.pem", "CLIENT__CERT": "cert.pem", "CLIENT__KEY": "key.pem"}
        known = {f"DASK_DISTRIBUTED__COMM__TLS__{key}": value for key, value in names.items()}
        command: list[str] = [sys.executable, "-c", TLS_CAMPAIGN, address]
        let_in, kept_out = (
            subprocess.run(
                command, env={**os.environ, **more}, cwd=tmp_path, capture_output=True, text=True, timeout=120
            )
            for more in (known, {})
        )
        assert let_in.returncode == 0, let_in.stderr
        assert "completed" in let_in.stdout
        assert kept_out.returncode != 0
        assert "InputError: this client cannot connect to a Dask scheduler" in kept_out.stderr
        assert "a client needs a certificate" in kept_out.stderr
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.slow
def test_lost_scheduler(scheduler: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path) -> None:
    address, processes = scheduler
    store = tmp_path / "store"

    def slow(x: float) -> float:
        time.sleep(0.05)
        return x

    def kill(done: int, members: int) -> None:
        if done == 8:
            for process in processes:
                process.kill()

    options: dict[str, Any] = {"vary": {"x": (0.0, 1.0)}, "n": 40, "chunk": 4, "store": store}
    with pytest.raises(SimulationError, match="resume the campaign"):
        da.campaign(slow, runner="dask", address=address, progress=kill, **options)
    assert 0 < len(Store(store).done()) < 10
    assert da.campaign(slow, workers=1, **options).complete


def test_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "store"
    whole = of_cart(chunk=10)
    from dalembert.core import files

    write, calls = files._put, 0

    def full(descriptor: int, content: bytes) -> None:
        nonlocal calls
        calls += 1
        if calls > 5:  # question, samples, three chunks
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(descriptor, content)

    monkeypatch.setattr(files, "_put", full)
    with pytest.raises(WriteError, match="No space left"):
        of_cart(chunk=10, store=store)
    assert Store(store).done() == [0, 1, 2]
    monkeypatch.setattr(files, "_put", write)
    pandas.testing.assert_frame_equal(of_cart(chunk=10, store=store).table, whole.table, check_exact=True)


def test_two_processes_on_one_store(tmp_path: Path) -> None:
    with (
        Store(tmp_path / "store").locked(),
        pytest.raises(InputError, match=f"process \\(PID {os.getpid()}\\) is running"),
    ):
        of_cart(store=tmp_path / "store")


def test_another_question_is_refused(tmp_path: Path) -> None:
    of_cart(store=tmp_path / "store")
    for other in (
        {"seed": 4},
        {"n": 51},
        {"duration": 2.0},
        {"control": da.PD(kp=(9.0,), kd=(3.0,), reference=np.zeros(1))},
    ):
        with pytest.raises(InputError, match="contains a different campaign"):
            of_cart(store=tmp_path / "store", **other)
    measure = {"peak": da.Measure("theta", "max abs"), "work": da.Measure(lambda s: s["u.drive"] ** 4, "integral")}
    with pytest.raises(InputError, match="contains a different campaign"):
        of_cart(store=tmp_path / "store", measure=measure)


def test_damaged_and_missing_stores(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="no campaign in this folder"):
        da.open_campaign(tmp_path)
    of_cart(store=tmp_path / "store", chunk=10, keep=[1])
    assert da.load_run(tmp_path / "store" / "kept" / "000001.nc").machine == CART
    damaged = tmp_path / "store" / "rows" / "000002.parquet"
    damaged.write_bytes(b"nonsense")
    with pytest.raises(FileFormatError, match=r"000002\.parquet: is damaged"):
        _ = da.open_campaign(tmp_path / "store").table
    damaged.unlink()
    assert not da.open_campaign(tmp_path / "store").complete
    pandas.testing.assert_frame_equal(of_cart(store=tmp_path / "store", chunk=10).table, of_cart(chunk=10).table)


# What is learnt


def test_wilson_covers() -> None:
    """The interval holds the true probability about as often as it says."""
    rng = np.random.default_rng(0)
    for p in (0.02, 0.5, 0.95):
        counts = rng.binomial(100, p, size=4000)
        covered = np.mean([(w := wilson(int(k), 100)).low <= p <= w.high for k in counts])
        assert 0.92 < covered < 0.985
    assert wilson(0, 10).low == 0.0 and wilson(10, 10).high == 1.0


def test_summary_and_probability() -> None:
    campaign = da.campaign(product, vary={"x": (0.0, 1.0), "y": (0.0, 1.0)}, n=4096, sampling="sobol", workers=1)
    summary = campaign.summary()
    assert summary.loc["product", "mean.low"] < 0.25 < summary.loc["product", "mean.high"]
    assert campaign.quantile("sum", 0.5) == pytest.approx(1.0, abs=1e-2)
    share = campaign.probability("sum < 1 and product < 10")
    assert share.low < 0.5 < share.high
    assert campaign.worst("sum", 3)["sum"].is_monotonic_decreasing
    with pytest.raises(InputError, match="cannot be evaluated"):
        campaign.probability("nonsense < 1")
    with pytest.raises(InputError, match="true or false"):
        campaign.probability("sum + 1")
    with pytest.raises(UnknownNameError, match="sum"):
        campaign.worst("summ")


def test_sobol_indices_of_a_known_function() -> None:
    """Ishigami's function: the indices are known in closed form."""
    a, b = 7.0, 0.1

    def ishigami(x: float, y: float, z: float) -> float:
        return float(np.sin(x) + a * np.sin(y) ** 2 + b * z**4 * np.sin(x))

    sides = (-np.pi, np.pi)
    campaign = da.campaign(ishigami, vary=dict.fromkeys("xyz", sides), n=1024, sampling="saltelli", workers=1)
    found = campaign.sobol("result")
    total = a**2 / 8 + b * np.pi**4 / 5 + b**2 * np.pi**8 / 18 + 0.5
    first = np.array([0.5 * (1 + b * np.pi**4 / 5) ** 2, a**2 / 8, 0.0]) / total
    third = 8 * b**2 * np.pi**8 / 225 / total
    np.testing.assert_allclose(found["first"], first, atol=0.03)
    np.testing.assert_allclose(found["total"], first + [third, 0.0, third], atol=0.03)


def test_morris_effects_of_a_linear_function() -> None:
    campaign = da.campaign(
        lambda x, y: 3.0 * x - 0.5 * y, vary={"x": (0.0, 1.0), "y": (0.0, 1.0)}, n=8, sampling="morris", workers=1
    )
    found = campaign.morris("result")
    assert found["deviation"].max() < 1e-9
    assert found["mean"]["x"] / found["mean"]["y"] == pytest.approx(-6.0)
    with pytest.raises(InputError, match="need sampling='saltelli'"):
        campaign.sobol("result")


def test_pictures_and_report(tmp_path: Path) -> None:
    campaign = of_cart(vary={**VARY, "mass": {"uniform": [-0.05, 2.0]}})
    campaign.plot("peak", tmp_path / "peak.png")
    campaign.plot_parallel(path=tmp_path / "lines.svg")
    page = campaign.report(tmp_path / "campaign.html").read_text(encoding="utf-8")
    assert "peak" in page and "data:image/png" in page
    assert "http" not in page
    assert campaign.export(tmp_path / "rows.csv").read_text().count("\n") == 51
    back = pandas.read_parquet(campaign.export(tmp_path / "rows.parquet"))
    pandas.testing.assert_frame_equal(back, campaign.table)


# Files and commands

FILE = """
machine: cart.yaml
vary:
  mass: {uniform: [0.5, 2.0]}
  q0.theta: {normal: [0, 0.2]}
n: 60
seed: 2
sampling: sobol
measure:
  peak: {of: theta, by: max abs}
  miss: {of: "hypot(x, 0.1 * position.bob.z)", by: final, since: 0.2}
success: peak < 0.2
simulation: {duration: 0.5, step: 0.005}
chunk: 16
"""


def test_campaign_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    CART.to_yaml(tmp_path / "cart.yaml")
    (tmp_path / "sway.yaml").write_text(FILE, encoding="utf-8")
    folder = tmp_path / "sway"
    assert run(["campaign", str(tmp_path / "sway.yaml")]) == 0
    text = capsys.readouterr().out
    assert "60 of 60 members done" in text and "success (peak < 0.2)" in text
    (folder / "rows" / "000001.parquet").unlink()
    before = da.open_campaign(folder)
    assert not before.complete
    assert run(["campaign", "resume", str(folder)]) == 0
    assert run(["campaign", "status", str(folder)]) == 0
    assert "60 of 60 members done" in capsys.readouterr().out
    assert run(["campaign", "export", str(folder), "--out", str(tmp_path / "rows.csv")]) == 0
    assert run(["campaign", "report", str(folder)]) == 0
    assert (tmp_path / "sway.html").exists()
    assert run(["campaign", "status", str(tmp_path / "nothing")]) == 2
    assert run(["campaign", "status"]) == 2


@pytest.mark.parametrize(
    ("right", "wrong", "reason"),
    [
        ("n: 60", "m: 60", "sway.yaml:6: unknown key 'm'"),
        ("machine: cart.yaml", "machine: car.yaml", "sway.yaml:2: machine: 'car.yaml' is neither"),
        (
            "of: theta, by: max abs",
            "of: theta, by: biggest",
            "sway.yaml:10: measure 'peak': no way to measure named 'biggest'",
        ),
        ('"hypot(x,', '"open(x,', "no function named 'open'"),
        ("of: theta,", "of: __import__('os'),", "no function named '__import__'"),
        ("{uniform: [0.5, 2.0]}", "{uniform: [0.5]}", "takes two numbers"),
    ],
)
def test_bad_campaign_files(
    right: str, wrong: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    CART.to_yaml(tmp_path / "cart.yaml")
    assert right in FILE
    (tmp_path / "sway.yaml").write_text(FILE.replace(right, wrong), encoding="utf-8")
    assert run(["campaign", str(tmp_path / "sway.yaml")]) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["x.__class__", "[x]", "x if y else z", "'a'", "x and y", "(lambda: 1)()", "x[0]", "f'{x}'", "1 +"]
)
def test_expressions_are_data(text: str) -> None:
    class Names:
        def __getitem__(self, name: str) -> float:
            if name == "x.__class__":
                raise UnknownNameError("signal", name, ["x"])
            return 1.0

    with pytest.raises((InputError, UnknownNameError)):
        SignalExpression(text)(Names())
