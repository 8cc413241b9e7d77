"""The constrained part of a closed loop: tapes of M, f, J, Phi, gamma, and the events of cables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca

from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.switching import Switch
from dalembert.simulation.constrained.system import ConstrainedSystem
from dalembert.simulation.problem import EventSpec

__all__ = ["cable_events", "cable_signals", "constrained_part", "switch_events", "tension_specs"]


def constrained_part(
    eom: EquationsOfMotion, arguments: list[Any], rates: Any, force: Any, n_before: int
) -> ConstrainedSystem:
    """Tapes of the constrained equations of motion.

    Parameters
    ----------
    eom
        The equations.
    arguments
        Symbols t, x, c, p; x = (q, v, z, latches, work).
    rates
        Rates of x, zero for the velocities.
    force
        Applied generalised forces (motors, losses, wrenches).
    n_before
        Number of states before ``latches``.
    """
    s, system = eom.symbolic, eom.constraint_system
    n, m, nv = int(arguments[1].shape[0]), system.m, eom.nv
    M, f = ca.densify(ca.SX(s.mass_matrix)), ca.densify(force - s.bias)
    Jt = ca.densify(system.jacobian.T)
    phi, phidot, gamma, phi_t = (ca.densify(e) for e in (system.phi, system.velocity, system.rhs, system.time_rate))
    names = ["t", "x", "c", "p"]
    outputs = ca.cse([ca.densify(rates), f, Jt, phi, phidot, gamma, phi_t, M])
    labels = ["rates", "f", "Jt", "phi", "phidot", "gamma", "phi_t", "M"]
    tape = ca.Function("tape", arguments, outputs, names, labels)
    geometry = ca.Function("geometry", arguments, ca.cse([Jt, phi, phidot, M]), names, ["Jt", "phi", "phidot", "M"])
    d = ca.SX.sym("d", nv)
    moved = ca.densify(eom.formulation.moved(eom.layout.flow(d)))
    move = ca.Function("move", [arguments[1], d, arguments[3]], [moved], ["x", "d", "p"], ["q"])
    a, multipliers = ca.SX.sym("a", nv), ca.SX.sym("lambda", m)
    residual = M @ a + Jt @ multipliers - f
    B = ca.jacobian(s.coordinate_rate, s.v)
    K, D = ca.densify(ca.jacobian(residual, s.q) @ B), ca.densify(ca.jacobian(residual, s.v))
    rate = ca.Function("rate", [*arguments, a, multipliers], ca.cse([K, D]), [*names, "a", "lambda"], ["K", "D"])
    recorded = [r for r in system.rows if r.kind != "internal"]
    signal_names = [f"tension.{n}" if r.kind == "cable" else f"multiplier.{n}" for r in recorded for n in r.names]
    flags = system.row_flags
    return ConstrainedSystem(
        nq=eom.nq,
        nv=nv,
        m=m,
        tape=tape,
        geometry=geometry,
        move=move,
        rate=rate,
        flags=flags + (flags >= 0) * n_before,
        row_names=system.row_names,
        signal_names=tuple(signal_names),
        signal_rows=tuple(i for r in recorded for i in range(r.start, r.stop)),
        unilateral=tuple(r.start for r in system.rows if r.unilateral),
        work_input=n - 2,
        work_loss=n - 1,
        constant_mass=bool(M.is_constant()),
    )


def tension_specs(eom: EquationsOfMotion) -> tuple[EventSpec, ...]:
    """Events of inextensible cables: first all that go slack, then all that become taut."""
    cables = [r.name for r in eom.constraint_system.rows if r.unilateral]
    return tuple(
        EventSpec(f"{name}.{what}", direction=-1, positive=True) for what in ("slack", "taut") for name in cables
    )


def cable_events(eom: EquationsOfMotion) -> tuple[list[Any], list[EventSpec]]:
    """Events of elastic cables: stretch or tension passes zero (a damped cable that shortens fast pulls no more)."""
    g: list[Any] = []
    specs: list[EventSpec] = []
    for c in eom.formulation.cables():
        if not c.cable.bilateral:
            value = eom.symbolic.value
            pull = ca.fmin(c.stretch, c.stretch + value(c.cable.damping) / value(c.cable.stiffness) * c.rate)
            g += [pull, pull]
            name = c.cable.name
            specs += [EventSpec(f"{name}.slack", direction=-1), EventSpec(f"{name}.taut", direction=1)]
    return g, specs


def switch_events(eom: EquationsOfMotion, switches: Sequence[Switch]) -> tuple[list[Any], list[EventSpec]]:
    """Events of switches at given times."""
    timed = [s for s in switches if s.at is not None]
    specs = [EventSpec(f"switch{k}", direction=1) for k, _ in enumerate(timed)]
    return [eom.symbolic.t - float(s.at) for s in timed if s.at is not None], specs


def cable_signals(eom: EquationsOfMotion) -> list[tuple[str, Any]]:
    """Lengths of cables, swivel angles of pulleys and tensions of elastic cables."""
    signals: list[tuple[str, Any]] = []
    system = eom.constraint_system
    tensions = {c.cable.name: c.tension for c in eom.formulation.cables()}
    for cable in eom.machine.cables:
        path = system.paths[cable.name]
        signals.append((f"length.{cable.name}", path.length))
        if cable.has_pulley and cable.swivel == "free":
            signals.append((f"swivel.{cable.name}", path.swivel))
        if cable.elastic:
            signals.append((f"tension.{cable.name}", tensions[cable.name]))
    return signals
