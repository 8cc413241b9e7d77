"""An exported predictive controller over UDP against the loop in real time: periods without an answer are counted."""

from __future__ import annotations

import subprocess
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory

from dalembert.benchmarks.measure import Record
from dalembert.compile.build import find_toolchain, usable_flags
from dalembert.core.errors import BuildError
from dalembert.io.controllers import export_controller
from dalembert.io.realtime import realtime
from dalembert.model.machine import Machine
from dalembert.optimal.cost import Cost
from dalembert.optimal.predictive import PredictiveLaw, mpc
from dalembert.systems.cranes import planar_crane, uniform_cable

__all__ = ["run_over_udp"]

_PERIOD = 1e-3


def crane_controller() -> tuple[Machine, PredictiveLaw]:
    """Return a crane and its controller with samples of a millisecond."""
    machine = planar_crane(uniform_cable(1, 2.0, payload=10.0), trolley=20.0)
    q, v = machine.q_names, machine.v_names
    cost = Cost(states={q[0]: 1.0, q[1]: 5.0, v[0]: 0.1, v[1]: 0.5}, inputs=1e-4, terminal="lqr")
    motor = machine.motors[0].name
    law = mpc(
        machine, horizon=1.0, intervals=20, cost=cost, reference={q[0]: 0.5}, limits={f"u.{motor}": (-60.0, 60.0)},
        period=_PERIOD, iterations=20,
    )  # fmt: skip
    return machine, law


def run_over_udp(seconds: float = 5.0) -> Record:
    """Run the exported controller as a separate process at 1 kHz, and count what was missed.

    Parameters
    ----------
    seconds
        Length of the run.

    Returns
    -------
    Record
        ``periods``; ``missed``: periods in which the loop had no new inputs; ``overruns`` of the loop; ``late``:
        samples that passed the deadline of the controller; ``longest_us``: the longest sample.
    """
    toolchain = find_toolchain()
    if toolchain is None:
        raise BuildError("the exported controller needs a C compiler")
    machine, law = crane_controller()
    with TemporaryDirectory() as folder:
        target = export_controller(law, folder, name="bench")
        client = resources.files(__package__).joinpath("udp_controller.c").read_text(encoding="utf-8")
        (target / "example.c").write_text(client, encoding="utf-8")
        program = Path(folder) / "client"
        flags = [f for f in usable_flags(toolchain) if f != "-fPIC"]
        sources = [str(path) for path in sorted(target.glob("*.c"))]
        macros = ["-DPLAIN_TAPES", f"-DDEADLINE={0.8 * _PERIOD!r}"]
        subprocess.run([*toolchain.command, "-O3", *flags, *macros, *sources, "-lm", "-o", str(program)], check=True)
        periods = round(seconds / _PERIOD)
        with realtime(machine, period=_PERIOD, duration=seconds, port=0, rows=2) as loop:
            done = subprocess.run(
                [str(program), str(loop.port), str(periods + 1000)], capture_output=True, text=True, check=True
            )
            loop.wait()
        timing = loop.timing
    answers, late, longest = done.stdout.split()
    return {
        "periods": timing.periods, "missed": max(0, timing.periods - timing.received), "overruns": timing.overruns,
        "answers": int(answers), "late": int(late), "longest_us": 1e6 * float(longest), "period_us": 1e6 * _PERIOD,
    }  # fmt: skip
