"""Warnings of ropes: fixed explicit steps that do not resolve a vibration, and free ends that are too light.

The fastest vibration of the spans of a rope, with the rows ``A`` of their stretch and the motions ``N`` that the
constraints allow (``N^T M N = 1``), has the largest eigenvalue of

    omega^2:    N^T A^T diag(EA / l) A N.

A step ``h`` of order four takes about ``(omega h)^6 / 72`` of its energy. Belts of three stiffnesses under a torque
lost 5e-8 to 6e-7 of their energy in 1,000 steps at ``omega h = 0.25``, 2e-5 to 6e-4 at 1.

The tensions of spans between sheaves with friction are one system, whose matrix has the inverses of effective masses of
spans on its diagonal. Tackles of two and four parts with light free ends move right to 1e-12 where these masses differ
by a factor of 1e8, to 1e-8 at 1e9, and 3 % wrong at 1e10.
"""

from __future__ import annotations

from collections.abc import Iterator

import casadi as ca
import numpy as np

from dalembert.core.constraint_algebra import allowed_motions
from dalembert.core.types import Array, Expression
from dalembert.core.warn import warn
from dalembert.engine.methods.contacts import TimeStepping
from dalembert.formulations.constraints.elastic_sheaves import elastic_sheaves_of
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.experiment import Experiment
from dalembert.simulation.run import Run

__all__ = ["rope_frequencies", "warn_of_light_ends", "warn_of_stiff_ropes"]

_RESOLVED = 0.25  # product of step and frequency up to which a vibration keeps its energy for a while
_LIGHT = 3e8  # ratio of effective masses of spans from which on tensions lose their digits
_DRIFT = 1e-6  # part of the energy that may be lost or gained without a warning


def warn_of_stiff_ropes(experiment: Experiment, run: Run) -> None:
    """Warn of ropes that fixed explicit steps do not resolve, where energy was lost or gained, or the run failed."""
    method, eom = experiment.integrator, experiment.equations
    if method.tableau is None or method.adaptive or isinstance(experiment.contact, TimeStepping):
        return
    if not any(rope.elastic for rope in eom.machine.all_ropes) or not len(run.t):
        return
    step, failed = float(getattr(method, "step", 0.0)), run.status in ("diverged", "failed")
    if not (failed or run.energy.drift > _DRIFT):
        return
    q = np.array([run[name][0] for name in eom.q_names])
    for rope, omega in rope_frequencies(eom, q, float(run.t[0]), eom.parameter_values(experiment.p)).items():
        if step * omega > _RESOLVED:
            effect = "the run has failed" if failed else f"the energy has drifted by {run.energy.drift:.2g} of its peak"
            warn(
                f"steps of {step:g} s by {method.name!r} do not resolve rope '{rope}' of machine '{eom.machine.name}', "
                f"whose spans vibrate with {omega:.3g} rad/s: {effect}; take steps of {_RESOLVED / omega:.1g} s, "
                "method='dopri5', or a softer rope"
            )


def warn_of_light_ends(eom: EquationsOfMotion, q: Array, t: float, p: Array) -> None:
    """Warn of spans of inextensible ropes with friction that are far lighter than others, at a configuration."""
    s, system = eom.symbolic, eom.constraint_system
    sections = [section for section in system.sections if section.sheaves] if eom.machine.ropes else []
    if not sections:
        return

    def made() -> ca.Function:
        rows = ca.jacobian(ca.vertcat(*(section.rates for section in sections)), s.v)
        return ca.Function("spans", [s.q, s.t, s.p, system.latches], [ca.densify(rows), ca.densify(s.mass_matrix)])

    latches = system.latch_table.measured(system.latch_nominal, q, t, p)
    A, M = (np.array(ca.DM(x).full()) for x in eom.kept.once("spans of ropes", (), made)(q, t, p, latches))
    mobility = np.einsum("ij,ji->i", A, np.linalg.solve(M, A.T))
    moves = mobility > 0.0
    if not moves.any() or mobility.max() <= _LIGHT * mobility[moves].min():
        return
    first = np.cumsum([0, *(len(section.sheaves) + 1 for section in sections)])
    names = {
        int(start) + k: name for start, section in zip(first, sections, strict=False) for name, k in section.tensions
    }
    light, heavy = int(mobility.argmax()), int(np.where(moves, mobility, np.inf).argmin())
    warn(
        f"span '{names[light]}' of a rope with friction moves an effective mass of {1 / mobility[light]:.2g} kg, span "
        f"'{names[heavy]}' one of {1 / mobility[heavy]:.2g} kg (machine '{eom.machine.name}'): beyond a ratio of "
        f"{_LIGHT:.0e} tensions lose their digits, and at 1e10 motions are wrong; give the light end more mass"
    )


def rope_frequencies(eom: EquationsOfMotion, q: Array, t: float, p: Array) -> dict[str, float]:
    """Return the highest own frequency [rad/s] of each elastic rope at a configuration, the other ropes being slack."""
    s, system = eom.symbolic, eom.constraint_system
    M = eom.mass_matrix(q, p=p)
    J = np.zeros((0, eom.nv))
    if eom.constrained:
        latches = system.latch_table.measured(system.latch_nominal, q, t, p)
        J = eom.constraint_jacobian(q, t=t, p=p, latches=latches)[system.activity(latches) != 0.0]
    N, found = allowed_motions(M, J), dict[str, float]()
    for rope, rows, stiffness in _rows(eom):
        made = ca.Function("rows", [s.q, s.t, s.p], [ca.densify(rows), ca.densify(stiffness)])
        A, k = (np.array(ca.DM(x).full()) for x in made(q, t, p))
        values = np.linalg.eigvalsh((A @ N).T @ (k * (A @ N))) if N.size else np.zeros(1)
        found[rope] = max(found.get(rope, 0.0), float(np.sqrt(max(values.max(), 0.0))))
    return found


def _rows(eom: EquationsOfMotion) -> Iterator[tuple[str, Expression, Expression]]:
    """Rows of the stretch of spans, and their stiffness: of sections, and of spans that friction separates."""
    s = eom.symbolic
    belts = {belt.terms.name: belt for belt in elastic_sheaves_of(eom).belts}
    for terms in eom.formulation.elastic_ropes():
        if terms.rope.heavy or terms.rope.stiffness is None:
            continue
        EA = s.value(terms.rope.stiffness)
        if terms.name in belts:
            yield terms.rope.name, belts[terms.name].rows, EA / belts[terms.name].L
        else:
            B = ca.jacobian(s.coordinate_rate, s.v)
            yield terms.rope.name, ca.jacobian(terms.stretch, s.q) @ B, ca.SX(EA / terms.length)
