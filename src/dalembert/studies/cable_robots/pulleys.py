"""CDPR 4.3: one robot with three models of its guiding pulleys, pushed for 10 ms."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np

from dalembert.analysis import hold_pose
from dalembert.api import simulate
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.engine.methods.constraints import UdwadiaKalaba
from dalembert.formulations.equations import derive
from dalembert.model.machine import Machine
from dalembert.model.ropes import Anchor, Rope, Sheave, SheaveLoss
from dalembert.simulation.run import Run
from dalembert.systems.cable_robots import cable_robot, pulley_robot

__all__ = ["LEAD", "PAPER_METHOD", "ROPE", "elastic_run", "heavy_robot", "pushed_run", "rms", "roped_robot", "start"]
__all__ += ["swivel_names"]

LEAD = 1.0
"""Length of rope before a sheave of `roped_robot` [m]."""

PAPER_METHOD = UdwadiaKalaba(alpha=1e3, beta=1e3)
"""Udwadia-Kalaba with Baumgarte's terms, both parameters 1e3 (CDPR 4.3), read as ``Phi'' + 2e3 Phi' + 1e6 Phi``."""

_REST = (0.0, 0.25, 0.37, 1.0, 0.0, 0.0, 0.0)

ROPE = {"stiffness": 5e5, "cable_damping": 1e3}
"""Elastic cables in the place of those of ADAMS, whose data are not printed: a steel rope of 4 mm (EA in N, N s)."""


def start(machine: Machine) -> Array:
    """Configuration at rest: p = [0, 0.25, 0.37] m, pulleys turned into the planes of their cables."""
    names = list(machine.q_names)
    q = machine.q_neutral.copy()
    q[names.index("platform.y")], q[names.index("platform.z")] = 0.25, 0.37
    free = pulley_robot(2)
    eom = derive(free, backend="vm")
    here = free.q_neutral + np.array([0.0, 0.25, 0.37, 0.0, 0.0, 0.0, 0.0])
    for k, cable in enumerate(free.cables):
        if f"swivel{k + 1}" in names:
            swivel = eom.constraint_system.paths[cable.name].swivel
            assert swivel is not None
            angle = ca.Function("swivel", [eom.symbolic.q], [swivel])
            q[names.index(f"swivel{k + 1}")] = float(angle(here))
    return q


def swivel_names(model: int) -> list[str]:
    """Names of the swivel angles in a run."""
    return [f"swivel.cable{k}" if model == 2 else f"swivel{k}" for k in range(1, 5)]


@lru_cache(maxsize=16)
def pushed_run(model: int, by: str = "natural", duration: float = 10.0, **options: Any) -> Run:
    """Run of a model: the force [50, 100, 0] N acts from 0.51 s to 0.52 s.

    The defaults are those of CDPR: natural coordinates, Udwadia-Kalaba with Baumgarte's terms, Runge-Kutta with 1e-4 s.
    """
    settings: dict[str, Any] = {"constraints": PAPER_METHOD, "method": "rk4", "step": 1e-4, "record": 1e-3}
    return _pushed(pulley_robot(model), by, duration, settings | options)


@lru_cache(maxsize=2)
def elastic_run(duration: float = 10.0, **options: Any) -> Run:
    """The same push on elastic cables over pulleys with inertia: nothing is left that keeps their lengths."""
    settings: dict[str, Any] = {"method": "rk4", "step": 2e-4, "record": 1e-3}
    return _pushed(pulley_robot(3, **ROPE), "newton-euler", duration, settings | options)


def roped_robot(loss: SheaveLoss | None = None) -> Machine:
    """The robot on elastic ropes over sheaves that its swivelling pulleys carry, with losses at these.

    Each rope begins `LEAD` below its pulley. Its axial stiffness is higher, so that a rope without losses is as soft as
    the elastic cable of `elastic_run`, which is rigid before the pulley.

    Parameters
    ----------
    loss
        Losses of each sheave; None: none.
    """
    robot, ropes = pulley_robot(3, **ROPE), []
    for k, (cable, point) in enumerate(zip(robot.cables, pulley_robot(2).cables, strict=True), 1):
        x, y, z = (nominal(c) for c in point.exit_at)
        r, length = nominal(cable.pulley), nominal(cable.length or 0.0)
        scale = (length + LEAD) / length
        sheave = Sheave(f"pulley{k}", r, "y", at=(r, 0.0, 0.0), loss=loss, name="S")
        ropes.append(
            Rope(
                f"rope{k}",
                (Anchor("world", (x, y, z - LEAD)), sheave, Anchor("platform", point.anchor_at)),
                length=length + LEAD,
                stiffness=ROPE["stiffness"] * scale,
                damping=ROPE["cable_damping"] * scale,
            )
        )
    return robot.with_(name="roped-robot", cables=(), ropes=tuple(ropes))


def heavy_robot(weight: float, pulley: float = 0.0, friction: float = 0.0) -> tuple[Machine, Array]:
    """The robot on elastic cables of a weight per length, and its configuration at rest.

    Lengths are those that hold the platform where it rests on cables without weight.

    Parameters
    ----------
    weight
        Weight per length [N/m].
    pulley, friction
        Radius of pulleys that swivel without inertia, and friction of the cables on them, `LEAD` before which they end;
        by default their exits are points.
    """
    model = 2 if pulley else 1
    bare = pulley_robot(model)
    exits, anchors = zip(*((c.exit_at, c.anchor_at) for c in bare.cables), strict=True)
    over = {"pulley": pulley, "pulley_friction": friction, "lead": LEAD} if pulley else {}
    options: dict[str, Any] = {"winches": False, "stiffness": ROPE["stiffness"], "weight": weight}
    options |= {"wrenches": bare.wrenches, **over}

    def robot(lengths: list[float]) -> Machine:
        return cable_robot("heavy-robot", bare.body("platform"), exits, anchors, lengths=lengths, **options)

    held = hold_pose(robot([4.0] * 4), np.array(_REST), lower=5.0, upper=100.0)
    return robot(held.lengths.tolist()), np.array(_REST)


def _pushed(machine: Machine, by: str, duration: float, settings: dict[str, Any]) -> Run:
    eom = derive(machine, by)
    run = simulate(eom, duration=0.51, q0=start(machine), **settings)
    run = run.append(simulate(eom, duration=0.01, start=run, p={"push": 1.0}, **settings))
    return run.append(simulate(eom, duration=duration - 0.52, start=run, **settings))


def rms(a: Run, b: Run, name: str, other: str | None = None) -> float:
    """Root mean square of the difference of two runs in a signal, on equal times."""
    difference = a[name] - np.interp(a.t, b.t, b[other or name])
    return float(np.sqrt(np.mean(difference**2)))
