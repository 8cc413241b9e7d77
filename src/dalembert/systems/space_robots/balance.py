"""Balances of a capture: momentum, energy and propellant of each phase, from the rows of its runs."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.control.nozzles import propellant_flow
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.parts import Thruster
from dalembert.model.soft_contact import SoftContact
from dalembert.simulation.run import Run
from dalembert.systems.space_robots.outcome import CaptureOutcome

__all__ = ["PhaseBalance", "mission_balance"]


@dataclass(frozen=True)
class PhaseBalance:
    """Residuals of the balances of a phase of a capture; zero in an exact solution.

    Attributes
    ----------
    phase
        Its name; ``"lock"`` is the instant in which chaser and debris become one machine.
    linear, angular
        Change of the momentum of chaser and debris less the impulse of the thrusters [N s, N m s], the largest
        component at any row; the angular one about the origin.
    impulse
        Sum of the sizes of the impulses of all thrusters with a force [N s].
    energy, peak
        Largest residual of the energy [J], and the largest energy of the phase [J].
    propellant
        Metered propellant less that of the recorded thrusts [kg].
    """

    phase: str
    linear: float
    angular: float
    impulse: float
    energy: float
    peak: float
    propellant: float


def mission_balance(
    outcome: CaptureOutcome, *, specific_impulse: float = 220.0, lever: float = 0.85
) -> tuple[PhaseBalance, ...]:
    """Balances of momentum, energy and propellant of all phases of a capture.

    Thrusts are those of the recorded rows, which hold until the next one: fly with a ``record`` that divides the period
    of the law (4 ms, or 4 ms halved once or twice), else rows miss some of them.

    Parameters
    ----------
    outcome
        A capture in free space.
    specific_impulse, lever
        As in its `CapturePhases`.

    Raises
    ------
    InputError
        If the capture was flown in an orbit, whose tide changes the momentum, or if nothing was flown.

    Examples
    --------
    >>> from dalembert.systems import space_robots
    >>> outcome = space_robots.fly_capture(record=0.004)  # doctest: +SKIP
    >>> for row in space_robots.mission_balance(outcome):  # doctest: +SKIP
    ...     print(row.phase, row.linear, row.angular, row.energy)
    """
    if not outcome.runs:
        raise InputError(f"there is no run: {outcome.reason}")
    rows: list[PhaseBalance] = []
    last: tuple[Array, float] | None = None
    for phase, run in outcome.runs.items():
        eom = derive(run.machine)
        if any(not isinstance(f, SoftContact) for f in eom.machine.fields):
            raise InputError("forces of an orbit change the momentum: balances are those of captures in free space")
        h, given, flow = _histories(run, eom, specific_impulse, lever)
        if phase == "rest" and last is not None and outcome.handover is not None:
            jump, energy = np.abs(h[0] - last[0]), float(run.energy.kinetic[0]) - last[1] + outcome.handover.loss
            figures = (float(jump[:3].max()), float(jump[3:].max()), 0.0, abs(energy), last[1], 0.0)
            rows.append(PhaseBalance("lock", *figures))
        left_over = np.abs(h - h[0] - given)
        audit = run.energy
        used = float(run["propellant"][-1]) - flow if "propellant" in run else 0.0
        rows.append(
            PhaseBalance(
                phase,
                float(left_over[:, :3].max()),
                float(left_over[:, 3:].max()),
                float(np.linalg.norm(np.diff(given[:, :3], axis=0), axis=1).sum()),
                float(np.abs(audit.residual).max()),
                audit.peak,
                used,
            )
        )
        last = h[-1], float(audit.kinetic[-1])
    return tuple(rows)


def _histories(run: Run, eom: EquationsOfMotion, specific_impulse: float, lever: float) -> tuple[Array, Array, float]:
    """Momentum (N, 6), impulse of the thrusters up to each row (N, 6), and the propellant of their thrusts."""
    p = eom.parameter_values(dict(run.metadata.get("parameters") or {}))
    q, v = run.array(eom.q_names), run.array(eom.v_names)
    step = np.diff(run.t)
    given = np.zeros((len(run.t), 6))
    for thruster in eom.machine.thrusters:
        u = np.clip(run[f"u.{thruster.name}"], 0.0 if thruster.one_sided else -thruster.effort, thruster.effort)
        unit, rate = _unit_wrench(thruster, eom, (q, v), p)
        # the thrust of a row holds until the next one, while the frame moves: integral of Hermite's polynomial
        h = step[:, None]
        shares = 0.5 * h * (unit[:-1] + unit[1:]) + h**2 / 12.0 * (rate[:-1] - rate[1:])
        given[1:] += np.cumsum(shares * u[:-1, None], axis=0)
    inputs = ca.SX.sym("u", eom.nu)
    flow = ca.Function("flow", [inputs], [propellant_flow(eom, inputs, specific_impulse, lever)])
    u = run.array([f"u.{name}" for name in eom.u_names])[:-1]
    mass = float(np.array(flow(u.T)).ravel() @ step)
    return eom.momentum(q, v, p=p), given, mass


def _unit_wrench(
    thruster: Thruster, eom: EquationsOfMotion, state: tuple[Array, Array], p: Array
) -> tuple[Array, Array]:
    """Force and moment about the origin (N, 6) of a unit input in world axes, and their rates of change."""
    q, v = state
    X, J = eom.pose(thruster.frame, q, p=p), eom.jacobian(thruster.frame, q, p=p, axes="world")
    twist = np.einsum("kij,kj->ki", J, v)
    f, n = (np.broadcast_to(np.array(x, dtype=float), (len(q), 3)) for x in (thruster.force, thruster.torque))
    turn = twist[:, 3:] if thruster.axes == "frame" else np.zeros((len(q), 3))
    if thruster.axes == "frame":
        f, n = (np.einsum("kij,kj->ki", X[:, :3, :3], x) for x in (f, n))
    df, dn, place = np.cross(turn, f), np.cross(turn, n), X[:, :3, 3]
    return (
        np.concatenate([f, n + np.cross(place, f)], axis=1),
        np.concatenate([df, dn + np.cross(twist[:, :3], f) + np.cross(place, df)], axis=1),
    )
