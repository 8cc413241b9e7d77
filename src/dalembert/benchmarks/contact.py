"""Contact by time-stepping, side by side with MuJoCo and Exudyn: steps per second, errors, penetration and creep.

``dalembert bench contact`` prints its tables.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from dalembert.api import simulate
from dalembert.benchmarks.contact_cases import FEET, bouncing_chain, pile, pile_start, quadruped, standing
from dalembert.benchmarks.measure import Record
from dalembert.benchmarks.peers.exudyn_balls import ExudynBalls
from dalembert.benchmarks.peers.mujoco_contact import MujocoContact
from dalembert.benchmarks.rows import describe
from dalembert.core.errors import DalembertWarning, InputError
from dalembert.core.types import Array
from dalembert.engine.methods.contacts import TimeStepping
from dalembert.formulations.equations import derive
from dalembert.loop.experiment import Experiment, values_by_name
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.systems.falling_chains import chain_on_ground
from dalembert.systems.scenes import brick_wall, domino_row, heap

__all__ = ["run_contact"]

TOLERANCE = 1e-6
"""Tolerance of the solvers of both."""
CHAIN_TOLERANCE = 5e-6
"""Tolerance of the steps of a falling chain, event by event: its energy then drifts by less than 1e-5."""

_BASE = ("root_joint.x", "root_joint.y", "root_joint.z")
_SPRINGS = ((1e-3, 1e4), (1e-4, 1e5))
"""Steps [s] of Exudyn, and stiffnesses of its contacts [N/m] that they can bear: stiffer ones want shorter steps."""
_SLIDE, _FRICTION, _DROP, _AT = 1.0, 0.4, 0.02, 0.4


def run_contact(*, quick: bool = False, announce: Callable[[str], None] = lambda _: None) -> Record:
    """Measure contact.

    Parameters
    ----------
    quick
        Short runs, few repetitions.
    announce
        Called with progress messages.

    Returns
    -------
    dict
        ``results`` (rows with ``case, engine, step, steps_per_second, ratio, residual, penetration, creep``; the ratio
        is that of simulated times, whatever the steps),
        ``errors`` (rows with ``engine, step, error``: of the base of a quadruped 0.4 s into a sliding drop),
        ``real_time`` (of the falling chain) and ``skipped``.
    """
    settings = {"tolerance": TOLERANCE, "repetitions": 2 if quick else 7, "quick": quick}
    figures = {"topic": "contact", **describe("dalembert bench contact" + (" --quick" if quick else ""), settings)}
    figures |= {"results": [], "errors": [], "skipped": [], "real_time": []}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)
        try:
            _quadruped(figures, settings, announce)
        except InputError as error:
            figures["skipped"].append({"case": "quadruped", "reason": str(error)})
        announce("pile of balls ...")
        _pile(figures, settings)
        announce("scenes of many bodies ...")
        _scenes(figures, settings)
        announce("falling chain ...")
        _chain(figures, settings)
    return figures


def _way() -> TimeStepping:
    return TimeStepping(tolerance=TOLERANCE, max_sweeps=1000)


def _quadruped(figures: Record, settings: dict[str, Any], announce: Callable[[str], None]) -> None:
    announce("quadruped at rest ...")
    machine = quadruped(0.7)
    eom, q0, step = derive(machine), standing(machine, 0.02), 1e-3
    settled = simulate(eom, duration=2.0, q0=q0, contact=_way(), step=step, limits="ignore")
    span = 1.0 if settings["quick"] else 10.0

    def ours() -> Run:
        return simulate(eom, duration=span, start=settled, contact=_way(), step=step, record=span, limits="ignore")

    peer = _peer(figures, machine, step, "quadruped at rest")
    if peer is not None:
        peer.start(q0, {})
        peer.advance(round(2.0 / step))
    before = None if peer is None else peer.q
    rest, pace = _side_by_side(ours, peer, None, round(span / step), settings["repetitions"])
    creep = float(np.abs(rest.x[-1, :2] - rest.x[0, :2]).max())
    deep = max(0.0, -min(float(rest[f"gap.{foot}"].min()) for foot in FEET))
    figures["results"] += _rows("quadruped at rest", step, pace, float(rest["contact.residual"].max()), deep, creep)
    if peer is not None and before is not None:
        gone = float(np.abs(peer.q - before)[:2].max()) * span / (span * (settings["repetitions"] + 1))
        figures["results"][-1] |= {"penetration": peer.penetration, "creep": gone}

    announce("quadruped sliding ...")
    machine = quadruped(_FRICTION)
    eom, q0, v0 = derive(machine), standing(machine, _DROP), {"root_joint.vx": _SLIDE}

    def slide(h: float) -> Run:
        way = TimeStepping(tolerance=TOLERANCE if h > 2e-5 else 1e-10, max_sweeps=1000)
        return simulate(
            eom, duration=_AT, q0=q0, v0=v0, contact=way, step=h, record=_AT, limits="ignore", max_steps=10**8
        )

    fine = 1e-4 if settings["quick"] else 1e-5
    exact = _base(slide(fine))
    steps = (2e-3, 1e-3, 5e-4) if settings["quick"] else (4e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4)
    figures["reference"] = {"step": fine, "position": exact.tolist()}
    for h in steps:
        error = float(np.linalg.norm(_base(slide(h)) - exact))
        figures["errors"].append({"engine": "dalembert", "step": h, "error": error})
        peer = _peer(figures, machine, h, "quadruped sliding")
        if peer is not None:
            peer.start(q0, v0)
            peer.advance(round(_AT / h))
            error = float(np.linalg.norm(peer.q[:3] - exact))
            figures["errors"].append({"engine": "MuJoCo", "step": h, "error": error})
    h = 1e-4
    peer = _peer(figures, machine, h, "quadruped sliding")
    run, pace = _side_by_side(lambda: slide(h), peer, (q0, v0), round(_AT / h), settings["repetitions"])
    figures["results"] += _rows("quadruped sliding", h, pace, float(run["contact.residual"].max()), None, None)


def _pile(figures: Record, settings: dict[str, Any]) -> None:
    machine, q0, step = pile(), pile_start(), 1e-3
    eom = derive(machine)
    span = 0.2 if settings["quick"] else 2.0

    def ours() -> Run:
        return simulate(eom, duration=span, q0=q0, contact=_way(), step=step, record=span / 20)

    peer = _peer(figures, machine, step, "pile of 20 balls")
    run, pace = _side_by_side(ours, peer, (q0, {}), round(span / step), settings["repetitions"])
    deep = max(0.0, -min(float(run[f"gap.{name}"].min()) for name in eom.contact_names))
    figures["results"] += _rows("pile of 20 balls", step, pace, float(run["contact.residual"].max()), deep, None)
    if peer is not None:
        figures["results"][-1]["penetration"] = peer.penetration
    for h, stiffness in _SPRINGS[:1] if settings["quick"] else _SPRINGS:
        try:
            balls = ExudynBalls(machine, h, stiffness)
        except ImportError:
            reason = "Exudyn is not installed (pip install exudyn)"
            figures["skipped"].append({"case": "pile of 20 balls", "reason": reason})
            return
        best = np.inf
        for _ in range(settings["repetitions"]):
            balls.start(q0)
            began = time.perf_counter()
            balls.advance(round(span / h))
            best = min(best, (time.perf_counter() - began) / round(span / h))
        row = _rows("pile of 20 balls", h, {"Exudyn": best}, 0.0, None, None, (pace["dalembert"], step))[0]
        figures["results"].append({**row, "penetration": balls.penetration})


def _scenes(figures: Record, settings: dict[str, Any]) -> None:
    """Machines with colliders: heaps that fall and settle, a row of dominoes that falls, a wall that stands."""
    quick, step = settings["quick"], 1e-3
    bodies, time_span, height = (20, 0.1, 3) if quick else (200, 2.0, 10)
    wall = brick_wall(height, height)
    cases = {
        f"heap of {bodies} spheres": (heap(bodies, solid="sphere"), time_span),
        f"heap of {bodies} boxes": (heap(bodies), time_span),
        f"row of {bodies // 2} dominoes": (domino_row(bodies // 2), time_span),
        f"wall of {len(wall.machine.bodies)} bricks": (wall, min(time_span, 1.0)),
    }
    for case, (experiment, span) in cases.items():
        start = values_by_name(experiment)
        peer = _peer(figures, experiment.machine, step, case)

        def ours(experiment: Experiment = experiment, span: float = span) -> Run:
            return simulate(experiment, duration=span, step=step, record=span / 20)

        began, steps = (start["q0"], start["v0"]), round(span / step)
        run, pace = _side_by_side(ours, peer, began, steps, min(3, settings["repetitions"]))
        deep = max(0.0, -float(run["contact.deepest"].min()))
        contacts = int(run["contact.count"].max())
        rows = _rows(case, step, pace, float(run["contact.residual"].max()), deep, None)
        if peer is not None:
            rows[-1]["penetration"] = peer.penetration
        figures["results"] += [{**row, "contacts": contacts} for row in rows]


def _chain(figures: Record, settings: dict[str, Any]) -> None:
    links, span = (3, 1.0) if settings["quick"] else (10, 5.0)
    eom, step = derive(bouncing_chain(links)), 1e-3
    best, residual = np.inf, 0.0
    for _ in range(min(3, settings["repetitions"])):
        way = TimeStepping(tolerance=TOLERANCE, max_sweeps=20)
        run = simulate(
            eom,
            duration=span,
            q0={"base.y": 0.5, "base.angle": 0.3},
            contact=way,
            step=step,
            record=0.01,
            limits="ignore",
        )
        best, residual = min(best, run.metadata["wall_time"]), float(run["contact.residual"].max())
    figures["real_time"].append(
        {
            "case": f"{links} links, 2 modes each",
            "step": step,
            "seconds": span,
            "times": span / best,
            "residual": residual,
        }
    )
    best = np.inf
    q0 = {"base.y": 1.0, "base.angle": 0.05}
    eom = derive(chain_on_ground(links, 2))
    for _ in range(min(3, settings["repetitions"])):
        run = simulate(eom, duration=span, q0=q0, method="dop853", rtol=CHAIN_TOLERANCE, record=0.01)
        best = min(best, run.metadata["wall_time"])
    figures["real_time"].append(
        {
            "case": f"{links} links, 2 modes each, event by event",
            "tolerance": CHAIN_TOLERANCE,
            "seconds": span,
            "times": span / best,
            "drift": run.energy.drift,
            "events": len(run.events),
            "evaluations": run.metadata["function_calls"],
        }
    )


def _base(run: Run) -> Array:
    return np.array([run[name][-1] for name in _BASE])


def _peer(figures: Record, machine: Machine, step: float, case: str) -> MujocoContact | None:
    try:
        return MujocoContact(machine, step, tolerance=TOLERANCE)
    except ImportError:
        if not any(row["case"] == case for row in figures["skipped"]):
            figures["skipped"].append({"case": case, "reason": "MuJoCo is not installed (pip install mujoco)"})
        return None


def _side_by_side(
    ours: Callable[[], Run],
    peer: MujocoContact | None,
    start: tuple[dict[str, float], dict[str, float]] | None,
    steps: int,
    repetitions: int,
) -> tuple[Run, dict[str, float]]:
    """Least seconds per step of both, in turns; the peer begins anew each time where a start is given."""
    best = {"dalembert": np.inf}
    run = ours()  # the first one may compile
    for _ in range(repetitions):
        run = ours()
        best["dalembert"] = min(best["dalembert"], run.metadata["wall_time"] / run.metadata["steps"])
        if peer is not None:
            if start is not None:
                peer.start(*start)
            began = time.perf_counter()
            peer.advance(steps)
            best["MuJoCo"] = min(best.get("MuJoCo", np.inf), (time.perf_counter() - began) / steps)
    return run, best


def _rows(
    case: str,
    step: float,
    pace: dict[str, float],
    residual: float,
    penetration: float | None,
    creep: float | None,
    ours: tuple[float, float] | None = None,
) -> list[Record]:
    """Rows of a table; ``ours`` are our seconds per step and our step, if they are of another run."""
    rows = []
    seconds_of_ours, step_of_ours = ours or (pace["dalembert"], step)
    for engine, seconds in pace.items():
        mine = engine == "dalembert"
        rows.append(
            {
                "case": case,
                "engine": engine,
                "step": step,
                "steps_per_second": 1.0 / seconds,
                "ratio": seconds_of_ours / step_of_ours / (seconds / step),
                "residual": residual if mine else None,
                "penetration": penetration if mine else None,
                "creep": creep if mine else None,
            }
        )
    return rows
