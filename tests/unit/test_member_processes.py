"""Members that kill their process, processes that die while they start, and leaders that die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.campaigns.processes import MemberProcess, packed_task
from dalembert.campaigns.tasks import FunctionTask, failed_row, joined
from dalembert.core.errors import InputError, SimulationError

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")


@posix
def test_one_chunk_does_not_kill_the_caller() -> None:
    """All ways to die in the only chunk of a campaign: rows with their reasons, and the others have their numbers."""

    def deadly(x: float) -> dict[str, float]:
        if x == 1.0:
            os.kill(os.getpid(), signal.SIGKILL)
        if x == 2.0:
            os._exit(7)
        if x == 3.0:
            sys.exit("enough")
        print("what a member prints is no answer")
        return {"double": 2.0 * x}

    table = da.campaign(deadly, vary={"x": [0.0, 1.0, 2.0, 3.0, 4.0]}, sampling="grid", workers=2).table
    assert table["status"].tolist() == ["completed", "failed", "failed", "failed", "completed"]
    assert table["reason"][1] == "its process died twice: signal 9 (SIGKILL) ended it, as when memory runs out"
    assert table["reason"][2] == "its process died twice: it ended with exit status 7"
    assert table["reason"][3] == "SystemExit: enough"
    np.testing.assert_array_equal(table["double"], [0.0, np.nan, np.nan, np.nan, 8.0])


@posix
@pytest.mark.slow
def test_pool_goes_on_and_a_second_try_counts(tmp_path: Path) -> None:
    """A process that is killed once, by an operator say, costs no member; a member that always kills costs one."""
    flag = tmp_path / "flag"
    flag.touch()

    def deadly(x: float) -> float:
        if x == 4.0 and flag.exists():
            flag.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        if x == 7.0:
            os.kill(os.getpid(), signal.SIGTERM)
        return x

    vary = {"x": [float(k) for k in range(10)]}
    campaign = da.campaign(deadly, vary=vary, sampling="grid", chunk=2, workers=2, store=tmp_path / "store")
    assert campaign.complete
    assert campaign.failures().index.tolist() == [7]
    assert "SIGTERM" in campaign.table["reason"][7]
    rest = campaign.table.drop(7)
    assert (rest["result"] == rest["x"]).all()


@posix
def test_controller_that_kills_its_process() -> None:
    """Machines whose members run one by one are no different."""
    mass = da.Parameter("mass", 1.0)
    cart = da.Machine(
        "cart",
        bodies=[da.point_mass("cart", mass)],
        joints=[da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0))],
        motors=[da.Motor("drive", "x", effort=5.0)],
    )

    def law(t: float, q: Any, v: Any) -> list[float]:
        if q[0] > 0.5:
            os.abort()
        return [1.0]

    table = da.campaign(
        cart, vary={"q0.x": [0.0, 1.0]}, sampling="grid", measure={"end": da.Measure("x", "final")},
        control=da.SampledController(law, 0.05), duration=0.1, step=0.01, workers=2,
    ).table  # fmt: skip
    assert table["status"].tolist() == ["completed", "failed"]
    assert "SIGABRT" in table["reason"][1]
    assert table["end"][0] == pytest.approx(0.005)


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("os._exit(3)", SimulationError, "died while it was starting: it ended with exit status 3"),
        ("raise ImportError('not here')", InputError, "another process cannot load the task: ImportError: not here"),
    ],
)
def test_process_that_dies_while_it_starts(
    text: str, kind: type[Exception], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The module of the function can be imported by the leader alone."""
    name = f"deadly_module_{kind.__name__}"
    source = f"import os\nif os.getpid() != {os.getpid()}:\n    {text}\ndef twice(x):\n    return 2 * x\n"
    (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    function = __import__(name).twice
    with pytest.raises(kind, match=reason):
        da.campaign(function, vary={"x": (0.0, 1.0)}, n=3, workers=2)


def test_process_that_cannot_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(SimulationError, match="no process can be started for members"):
        da.campaign(abs, vary={"x": (0.0, 1.0)}, n=3, workers=2)


def test_what_cannot_be_sent_is_refused() -> None:
    lock = threading.Lock()

    def locked(x: float) -> float:
        with lock:
            return x

    with pytest.raises(InputError, match=r"cannot be sent to other processes .*workers=1"):
        da.campaign(locked, vary={"x": (0.0, 1.0)}, n=3, workers=2)
    assert da.campaign(locked, vary={"x": (0.0, 1.0)}, n=3, workers=1).complete


def test_close_ends_a_member_that_runs(tmp_path: Path) -> None:
    begun = tmp_path / "begun"

    def forever(x: float) -> float:
        begun.touch()
        time.sleep(600.0)
        return x

    process = MemberProcess(packed_task(FunctionTask(forever, ("x",))))
    errors: list[BaseException] = []

    def run() -> None:
        try:
            process.run(np.ones((1, 1)), 0, 0)
        except SimulationError as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    while not begun.exists():
        assert thread.is_alive()
        time.sleep(0.01)
    process.close()
    thread.join(30.0)
    assert not thread.is_alive()
    assert len(errors) == 1 and "the campaign has ended" in str(errors[0])


SCRIPT = """
import os, time
import dalembert as da

def member(x):
    with open("members", "a") as file:
        file.write(f"{os.getpid()}\\n")
    time.sleep(600.0)

da.campaign(member, vary={"x": (0.0, 1.0)}, n=1, workers=2)
"""


def is_alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{number}/stat")  # one that nobody waits for is dead, too
    return not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] != "Z"


@posix
def test_processes_end_with_their_leader(tmp_path: Path) -> None:
    """Also in the middle of a member, and of a leader that is killed; a script needs no guard of its main part."""
    (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT), encoding="utf-8")
    leader = subprocess.Popen([sys.executable, "script.py"], cwd=tmp_path)
    members = tmp_path / "members"
    while not (members.exists() and members.read_text().endswith("\n")):
        assert leader.poll() is None
        time.sleep(0.05)
    leader.kill()
    leader.wait()
    number = int(members.read_text())
    for _ in range(600):
        if not is_alive(number):
            break
        time.sleep(0.05)
    assert not is_alive(number)


def test_rows_are_joined_by_name() -> None:
    rows = joined([failed_row("one"), FunctionTask(lambda x: {"a": x}, ("x",)).run(np.array([[2.0], [3.0]]), 0, 0)])
    np.testing.assert_array_equal(rows["a"], [np.nan, 2.0, 3.0])
    assert rows["status"] == ["failed", "completed", "completed"]
    assert rows["reason"] == ["one", "", ""]
