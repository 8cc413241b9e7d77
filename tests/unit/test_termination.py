"""SIGTERM saves what Ctrl-C saves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import dalembert as da
from dalembert.simulation.watch import interrupts

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")

MACHINE = """
name: pendulum
bodies:
  bob: {point_mass: {mass: 1.0, com: [0, 0, -1]}}
joints:
  theta: {kind: revolute, parent: world, child: bob, axis: y}
simulation: {q0: {theta: 0.5}, duration: 1.0e+7, step: 1.0e-3, record: 1.0, max_steps: 100000000000}
"""


WATCHED = """
import importlib, os, sys
from dalembert.simulation.watch import Progress

update, sent = Progress.update, []

def updated(self, t):
    if t > 5.0 and not sent:
        sent.append(t)
        os.kill(os.getpid(), int(sys.argv[1]))
    return update(self, t)

Progress.update = updated
command = importlib.import_module("dalembert.cli.app")
sys.exit(command.run(["simulate", "machine.yaml", "--out", "run.nc"]))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_command_writes_what_it_has(number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "machine.yaml").write_text(MACHINE, encoding="utf-8")
    command = [sys.executable, "-c", WATCHED, str(int(number))]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2, done.stderr
    assert "stopped by the user" in done.stderr
    run = da.load_run(tmp_path / "run.nc")
    assert run.status == "interrupted"
    assert 5.0 < run.t[-1] < 1e7


def test_second_signal_ends_the_process() -> None:
    program = """
import os, signal
from dalembert.simulation.watch import interrupts
with interrupts() as flag:
    os.kill(os.getpid(), signal.SIGTERM)
    assert flag.pressed
    print("first", flush=True)
    os.kill(os.getpid(), signal.SIGTERM)
    print("second", flush=True)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == -signal.SIGTERM
    assert done.stdout == "first\n"


def test_handlers_of_others_are_left_alone() -> None:
    heard = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    try:
        with interrupts() as flag:
            os.kill(os.getpid(), signal.SIGTERM)
            assert not flag.pressed
        assert heard == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_command_that_is_terminated_says_so() -> None:
    program = """
import importlib, os, signal, sys
command = importlib.import_module("dalembert.cli.app")
def begin(*arguments, **keywords):
    os.kill(os.getpid(), signal.SIGTERM)
command.app = begin
sys.exit(command.run([]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 143, done.stderr
    assert done.stderr.strip() == "dalembert: error: terminated"
