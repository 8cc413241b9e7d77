"""A machine as one HTML file that simulates: WebAssembly, sliders, player, plots, energy audit, equations."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import casadi as ca
import numpy as np

from dalembert.control.law_blocks import law_block
from dalembert.core.errors import DalembertError, InputError
from dalembert.core.files import target_file, write_file
from dalembert.core.parameter import Parameter
from dalembert.core.version import __version__
from dalembert.formulations.equations import derive
from dalembert.formulations.layout import Layout
from dalembert.io.control_blocks import make_law
from dalembert.io.fmu.program import Standalone
from dalembert.io.wasm.module import build_module, live_program, wasm_compiler
from dalembert.loop.experiment import Experiment, Runnable, experiment_of
from dalembert.loop.experiment_keywords import ExperimentKeywords, experiment_verb
from dalembert.loop.outlets import PAGE
from dalembert.loop.simulate import run_experiment
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.view.page.assets import asset, document
from dalembert.view.page.curves import pack_signals
from dalembert.view.page.forces import DrawnForce, drawn_forces
from dalembert.view.page.packing import LaidOut, lay_out
from dalembert.view.page.sections import equations_section, machine_section
from dalembert.view.scene import Scene
from dalembert.view.studio.opened import Changes, Opened
from dalembert.view.studio.opening import open_object

__all__ = ["experiment_of_run", "live_experiment", "pack_live", "share", "share_page"]

_LARGEST, _LARGEST_WITH_MESHES = 1.5e6, 2.5e6  # bytes of a page
_FLAG = re.compile(r"\W")


@experiment_verb
def share(
    machine: Runnable,
    path: str | os.PathLike[str],
    *,
    equations: bool | None = None,
    **keywords: Unpack[ExperimentKeywords],
) -> Path:
    """Write a machine as one HTML file that simulates offline in a browser.

    The page holds the tapes of the machine and the engine as WebAssembly: the same C that FMUs carry. Sliders change
    parameters, the gains of the control law and the start; the page then simulates again. It shows the machine in
    motion, plots, the energy audit, events, and the equations of small machines.

    Parameters
    ----------
    machine
        The machine or its equations, with the keywords of an experiment; or an `Experiment`.
    path
        The file (.html).
    equations
        Whether the equations of motion are written; None: if the machine is small enough that they are readable.
    **keywords
        As in `dalembert.Experiment`. A law must be an expression, and the method an explicit Runge-Kutta method,
        implicit midpoint, generalized-alpha or time-stepping.

    Raises
    ------
    InputError
        If the experiment has a part that calls Python, or the page would be too large.
    BuildError
        If the compiler of the ziglang wheel is not installed.

    Examples
    --------
    >>> import dalembert as da
    >>> pendulum = da.Machine("pendulum", bodies=[da.point_mass("bob", 1.0, com=(0, 0, -1.0))],
    ...                       joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))])
    >>> da.share(pendulum, "pendulum.html", q0={"theta": 0.5}).name  # doctest: +SKIP
    'pendulum.html'
    """
    target = target_file(path, (".html", ".htm"))
    return write_file(target, share_page(experiment_of(machine, keywords), equations=equations))


def share_page(experiment: Experiment, *, equations: bool | None = None) -> str:
    """Text of a page that simulates."""
    machine = experiment.machine
    live = pack_live(experiment, equations=equations)
    payload = {"style": asset("dalembert.css"), "script": asset("dalembert.js"), "live": live}
    text = json.dumps(payload, separators=(",", ":"), allow_nan=False)
    packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode("ascii")
    boot = asset("boot.js").replace('"DIGEST"', f'"{hashlib.sha256(packed.encode()).hexdigest()}"')
    body = (
        "<noscript>This page simulates a machine; it needs JavaScript.</noscript>\n"
        f'<script type="text/plain" id="payload">{packed}</script>'
    )
    page = document(f"{machine.name}: a machine that simulates", body, "da-live", script=boot, simulates=True)
    meshes = any(node["kind"] in ("mesh", "skin") for node in live["scene"]["nodes"])
    most = _LARGEST_WITH_MESHES if meshes else _LARGEST
    if len(page) > most:
        raise InputError(
            f"machine '{machine.name}' is too large for a page that simulates: the page would be {len(page) / 1e6:.2f} "
            f"MB, expected at most {most / 1e6:.1f} MB; write a report of a run instead"
        )
    return page


def experiment_of_run(run: Run) -> Experiment:
    """Return the experiment of a run; refuse a run without one, or one that continues another run."""
    if not isinstance(run.experiment, Experiment):
        raise InputError(
            "live=True needs a run that contains its experiment: one that da.simulate returned in this process"
        )
    return PAGE.check(run.experiment)


def live_experiment(experiment: Experiment) -> Experiment:
    """Return what a page simulates: as the studio would, with the numbers of the control law as parameters."""
    opened = open_object(experiment)
    block = None if experiment.control is None else law_block(experiment.control)
    if isinstance(block, dict) and opened.gains():
        law, gains = _with_parameters(opened, block)
        machine = experiment.machine.with_(gains=(*experiment.machine.gains, *gains))
        experiment = experiment.replace(machine=machine, control=make_law(law, {p.name: p for p in machine.parameters}))
    return open_object(experiment).simulation(Changes())


def _with_parameters(opened: Opened, block: Mapping[str, Any]) -> tuple[dict[str, Any], list[Parameter]]:
    """Return the block of a law with a parameter for each of its numbers, and these parameters."""
    taken = {parameter.name for parameter in opened.machine.parameters}
    labels, made, law = opened.gain_labels(), list[Parameter](), dict(block)

    def parameter(name: str, value: float) -> Parameter:
        free = _FLAG.sub("_", name)
        while free in taken:
            free += "_"
        taken.add(free)
        made.append(Parameter(free, value))
        return made[-1]

    for name, value in opened.gains().items():
        if not isinstance(value, list):
            law[name] = parameter(name, value)
            continue
        each = [parameter(f"{name}_{label}", x) for label, x in zip(labels[name], value, strict=True)]
        by_motor = isinstance(block[name], dict)
        law[name] = {**block[name], **dict(zip(labels[name], each, strict=True))} if by_motor else each
    return law, made


@dataclass(frozen=True)
class _Drawing:
    """The numbers that the tape of a scene gives, in this order."""

    function: ca.Function
    sizes: dict[str, int]
    forces: list[DrawnForce]
    gaps: tuple[str, ...]


def _drawing(scene: Scene, machine: Machine, signals: tuple[str, ...]) -> _Drawing:
    """Points, poses and lengths of cables; where forces act and their axes; gaps of contacts."""
    eom = derive(machine, backend="vm")
    x, inner = eom.formulation.variables, scene.kernel.function
    forces = drawn_forces(eom, signals)
    system = eom.contact_system() if machine.contacts else None
    arguments = [x.q, x.t, x.p][: inner.n_in()]
    points, poses, lengths = inner.call(arguments)
    rows = {
        "points": ca.vec(points.T),
        "poses": ca.vec(poses.T),
        "lengths": ca.vec(lengths.T),
        "forces": ca.vertcat(*(ca.vertcat(f.point, *(vector for vector, _ in f.axes)) for f in forces)),
        "gaps": ca.SX(0, 1) if system is None else ca.vec(system.gaps),
    }
    column = ca.cse(ca.densify(ca.SX(ca.vertcat(*rows.values()))))
    function = ca.Function("scene", [x.q, x.t, x.p], [column], ["q", "t", "p"], ["out"])
    names = () if system is None else tuple(system.names)
    return _Drawing(function, {name: int(row.numel()) for name, row in rows.items()}, forces, names)


def pack_live(experiment: Experiment, *, equations: bool | None = None) -> dict[str, Any]:
    """Return everything that the page of a machine needs to simulate it, as data.

    Parameters
    ----------
    experiment
        The machine and how it is simulated.
    equations
        As in `share`.
    """
    wasm_compiler()  # a missing compiler is reported before anything is simulated
    given, experiment = PAGE.check(experiment), live_experiment(experiment)
    machine, eom = experiment.machine, experiment.equations
    run = run_experiment(experiment, check=False, progress=False)
    laid_out = lay_out(run, machine, idle=True)
    drawing = _drawing(laid_out.scene, machine, run.names)
    program = live_program(experiment, drawing.function)
    module = build_module(program)
    card = open_object(experiment).card()
    signals = pack_signals(run, numbers=1)
    own = eom.formulation.machine_coordinates
    layout = Layout.of_nodes(machine.coordinate_nodes)
    return {
        "name": machine.name,
        "about": str(given.machine),
        "version": __version__,
        "digest": given.digest,
        "module": _packed(module),
        "scene": laid_out.film["scene"],
        "drawing": _drawing_data(drawing, laid_out, machine),
        "program": _program_data(program),
        "quaternions": [start for _, start in layout.quaternions],
        "turns": {
            joint.name: [machine.q_names.index(name) for name in joint.q_names[joint.info.quaternion :][:4]]
            for joint in machine.coordinate_joints
            if joint.info.quaternion is not None
        },
        "modal": list(laid_out.scene.modal),
        "q_names": list(machine.q_names),
        "v_names": list(machine.v_names),
        "sliders": {
            "parameters": card["parameters"],
            "gains": card["gain_parameters"],
            "q0": card["q0"] if own else [],
            "v0": card["v0"] if own else [],
        },
        "law": card["law"],
        "settings": {
            "duration": experiment.duration,
            "method": experiment.integrator.title,
            "step": getattr(experiment.integrator, "step", None),
            "contact": experiment.contact.name if machine.contacts else "",
        },
        "panels": signals["panels"],
        "units": signals["units"],
        "sections": [equations_section(given.machine, equations), machine_section(given.machine, _file(given))],
    }


def _file(experiment: Experiment) -> str:
    """The machine file of an experiment; of the machine alone where that cannot be written, and empty without both."""
    for thing in (experiment, experiment.machine):
        try:
            return thing.to_yaml()
        except DalembertError:
            continue
    return ""


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def _program_data(program: Standalone) -> dict[str, Any]:
    problem = program.problem
    return {
        "states": list(problem.state_names),
        "held": list(problem.held_names),
        "outputs": list(program.outputs),
        "parameters": list(program.experiment.equations.p_names),
        "x0": program.x0.tolist(),
        "p0": program.p0.tolist(),
        "moves": [bool(moves) for moves in problem.counted],
        "events": [{"name": spec.name, "hidden": spec.hidden, "ends": spec.terminal} for spec in problem.event_specs],
    }


def _drawing_data(drawing: _Drawing, laid_out: LaidOut, machine: Machine) -> dict[str, Any]:
    """Description of the numbers that the tape of the scene gives, for the page."""
    measured = {rope.name: list(rope.section_names) if rope.length is None else [] for rope in machine.all_ropes}
    cables = {
        cable.name: {
            "row": cable.row,
            "points": list(cable.points),
            "hangs": laid_out.nodes.hanging(cable),
            "bilateral": cable.bilateral,
            "measured": measured[cable.name],
        }
        for cable in laid_out.scene.cables
    }
    ways: list[dict[str, Any]] = []
    for name, way in laid_out.nodes.ways:
        if isinstance(way, str):
            ways.append({"cable": way})
        elif np.ndim(way) == 3 and np.shape(way)[1] > 1:  # forces act at one point
            ways.append({"plan": name, "count": int(np.shape(way)[1])})
        elif np.ndim(way) == 2:
            ways.append({"still": [float(f"{x:.7g}") for x in way.ravel()]})
        else:
            ways.append({"force": name})
    return {
        "sizes": drawing.sizes,
        "cables": cables,
        "ways": ways,
        "levels": len(laid_out.nodes.levels),
        "forces": [{"name": f.name, "signals": [signal for _, signal in f.axes]} for f in drawing.forces],
        "gaps": list(drawing.gaps),
    }
