"""A run as one self-contained HTML file: machine, player, plots, equations, energy audit, events, how to repeat it."""

from __future__ import annotations

import os
import platform
import shlex
from collections.abc import Sequence
from html import escape
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dalembert import api
from dalembert.core.errors import DalembertError, InputError
from dalembert.core.files import target_file, write_file
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.experiment import Experiment, Runnable
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.view.page.assets import asset, document, inline_json
from dalembert.view.page.curves import pack_signals
from dalembert.view.page.live import experiment_of_run, pack_live
from dalembert.view.page.packing import pack_run
from dalembert.view.page.sections import equations_section, machine_section, table
from dalembert.view.stress_picture import stress_section

__all__ = ["report"]

_STATUS = {
    "completed": "It ran to its end.",
    "stopped": "A terminal event ended it.",
    "running": "It is still running; this is the part so far.",
    "interrupted": "It was interrupted; this is the part up to there.",
    "diverged": "It diverged; this is the part before.",
    "failed": "It failed; this is the part before.",
}


def report(
    run: Run | Runnable,
    path: str | os.PathLike[str],
    *,
    machine: Machine | None = None,
    command: str | None = None,
    signals: Sequence[str] | None = None,
    equations: bool | None = None,
    live: bool = False,
) -> Path:
    """Write a report of a run: one HTML file that needs nothing else, neither a network nor Python.

    Parameters
    ----------
    run
        The run; or an experiment, a machine or its equations, which is simulated first.
    path
        The file (.html).
    machine
        The machine; None: that of the run.
    command
        Command that reproduces this run; None: ``dalembert simulate`` with the settings of the run.
    signals
        Signals to plot, also as patterns such as ``"theta*"``; None: all of interest, with the energies.
    equations
        Whether the equations of motion are written; None: if the machine is small enough that they are readable.
    live
        Whether the machine simulates in the report, with sliders, as in a page of `dalembert.share`; it takes the
        place of the film and of the plots.

    Examples
    --------
    >>> import dalembert as da
    >>> import tempfile
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 2.0, com=(0, 0, -0.5))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis="y")],
    ... )
    >>> run = da.simulate(pendulum, duration=0.5, q0=[0.1])
    >>> da.report(run, tempfile.mkdtemp() + "/swing.html").name
    'swing.html'
    """
    if isinstance(run, Experiment | Machine | EquationsOfMotion):
        run = api.simulate(run, check=False)
    if not isinstance(run, Run):
        raise InputError(f"a report needs a Run or an Experiment first, got {type(run).__name__}")
    drawn_machine = run.machine if machine is None else machine
    if not isinstance(drawn_machine, Machine):
        raise InputError("this run does not contain its machine; pass it as machine=")
    target = target_file(path, (".html", ".htm"))
    page = report_page(run, drawn_machine, command=command, signals=signals, equations=equations, live=live)
    return write_file(target, page)


def report_page(
    run: Run,
    machine: Machine,
    *,
    command: str | None = None,
    signals: Sequence[str] | None = None,
    equations: bool | None = None,
    extra: str = "",
    live: bool = False,
) -> str:
    """Text of a report; ``extra`` is HTML that stands above the player."""
    file = _file(machine, run.metadata.get("control"))
    bad = "" if run.ok else " bad"
    parts = [
        f"<h1>{escape(machine.name)}</h1>",
        f'<p class="lead">{escape(str(machine))}</p>',
        f'<p><span class="status{bad}">{escape(run.status)}</span>: {escape(run.message or _STATUS[run.status])}</p>',
        extra,
        _LIVE_PLACE if live else _FILM_PLACE,
        _energy(run),
        _events(run),
        stress_section(run, machine),
        machine_section(machine, file),
        equations_section(machine, equations),
        _settings(run),
        _repeat(run, machine, command, file),
        f"<script>{asset('dalembert.js')}</script>",
        _live_script(run) if live else _film_script(run, machine, signals),
    ]
    body = "\n".join(section for section in parts if section)
    return document(f"{machine.name}: {run.status}", body, "da-report", simulates=live)


_FILM_PLACE = '<div class="player" id="player"></div>\n<h2>Signals</h2>\n<div class="plots" id="plots"></div>'
_LIVE_PLACE = '<h2>Simulate it</h2>\n<div id="live"></div>'


def _film_script(run: Run, machine: Machine, signals: Sequence[str] | None) -> str:
    """Play the film of a run."""
    film = inline_json(pack_run(run, machine))
    plots = inline_json(pack_signals(run, signals, numbers=60_000))
    return (
        "<script>(async () => {"
        f"const film = {film}; const plots = {plots};"
        "const player = await dalembert.embed(document.getElementById('player'), film, {own: true});"
        "await dalembert.panels(document.getElementById('plots'), plots, player); player.play();"
        "})();</script>"
    )


def _live_script(run: Run) -> str:
    """Simulate the experiment of a run."""
    data = inline_json(pack_live(experiment_of_run(run), equations=False))
    return f"<script>dalembert.live(document.getElementById('live'), {data}, {{part: true}});</script>"


def _energy(run: Run) -> str:
    if "energy.kinetic" not in run or "energy.potential" not in run:
        return ""
    energy = run.energy
    rows = [
        ("largest energy that the motion handled", f"{energy.peak:.6g} J"),
        ("change of kinetic and potential energy", f"{energy.total[-1] - energy.total[0]:.6g} J"),
        ("work of inputs", f"{energy.work_input[-1]:.6g} J"),
        ("work of losses", f"{energy.work_loss[-1]:.6g} J"),
        ("brought by transitions at events", f"{energy.transition[-1]:.6g} J"),
        ("unexplained rest, relative to the largest energy", f"{energy.drift:.2e}"),
    ]
    return "<h2>Energy audit</h2>" + table(("", ""), rows, numbers=(1,))


def _events(run: Run) -> str:
    if not run.events:
        return ""
    rows = [(event.name, f"{event.t:.6g}", "rising" if event.direction > 0 else "falling") for event in run.events]
    return "<h2>Events</h2>" + table(("event", "t [s]", ""), rows, numbers=(1,))


def _file(machine: Machine, law: object) -> str:
    """The machine file with the law, where it is one that files have; empty if the machine cannot be written as one."""
    import yaml

    try:
        text = machine.to_yaml()
    except DalembertError:
        return ""
    if not isinstance(law, dict):
        return text
    return text + str(yaml.safe_dump({"simulation": {"control": law}}, sort_keys=False, allow_unicode=True))


def _settings(run: Run) -> str:
    known = ("method", "step", "rtol", "atol", "constraints", "controller", "steps", "rejected", "function_calls")
    rows = [("time", f"{run.t[0]:g} to {run.t[-1]:g} s in {len(run.t)} rows")]
    rows += [(key.replace("_", " "), str(run.metadata[key])) for key in known if run.metadata.get(key)]
    parameters = dict(run.metadata.get("parameters") or {})
    rows += [(f"parameter {name}", f"{value:.6g}") for name, value in parameters.items()]
    if "constraint.position" in run:
        rows.append(("constraints kept to", f"{float(run['constraint.position'].max()):.1e}"))
    return "<h2>Simulation</h2>" + table(("", ""), rows)


def _repeat(run: Run, machine: Machine, command: str | None, file: str) -> str:
    text = command or _command(run, machine)
    versions = [f"dalembert {run.metadata.get('version', '')}", f"Python {platform.python_version()}"]
    versions += [f"{name} {metadata.version(name)}" for name in ("numpy", "casadi", "scipy") if find_spec(name)]
    words = "" if command else f"<p>{escape(_conditions(run, machine, file))}</p>"
    digest = run.metadata.get("experiment") if run.experiment is None else run.experiment.digest
    versions += [f"experiment {digest}"] if digest else []
    return f"<h2>To repeat it</h2><pre>{escape(text)}</pre>{words}<p>{escape(', '.join(versions))}</p>"


def _conditions(run: Run, machine: Machine, file: str) -> str:
    """Conditions of the command, and the parts of the run that it does not reproduce."""
    text = f"{machine.name}.yaml is the machine file above."
    if not file:
        text = "The machine has parts that machine files cannot store: build it in Python."
    if isinstance(law := run.metadata.get("control"), str):
        text += f" The inputs came from a law in Python ({law}), which the command does not support."
    settings = dict(run.metadata.get("settings") or {})
    if others := [key for key, value in settings.items() if not _in_words(value) and value is not None]:
        text += f" Settings that are not in the command: {', '.join(others)}."
    return text


def _in_words(value: object) -> bool:
    """Whether an option of the command can say a setting."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _command(run: Run, machine: Machine) -> str:
    """The command of a run of this machine's file with the same settings and start."""
    words = ["dalembert", "simulate", f"{machine.name}.yaml"]
    settings: dict[str, Any] = dict(run.metadata.get("settings") or {})
    for key, value in settings.items():
        if _in_words(value):
            words += [f"--{key.replace('_', '-')}", f"{value:.17g}" if isinstance(value, float) else str(value)]
    for option, names in (("--q0", machine.q_names), ("--v0", machine.v_names)):
        for name in names:
            if name in run and run[name][0] != 0.0:
                words += [option, f"{name}={float(run[name][0])!r}"]
    for name, value in dict(run.metadata.get("parameters") or {}).items():
        if value != {p.name: p.value for p in machine.parameters}.get(name):
            words += ["-p", f"{name}={value!r}"]
    return shlex.join(words)
