"""Numbers that SPACE prints about flexible arms, obtained by the library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dalembert import simulate
from dalembert.core.parameter import nominal
from dalembert.model.beam import Beam
from dalembert.model.beam_integrals import BeamIntegrals, mode_matrices, quadrature
from dalembert.model.machine import Machine
from dalembert.studies.flexible_arms.approximations import (
    MODELS,
    case,
    cost_over_step,
    deviations,
    operations,
    time_ratios,
)
from dalembert.studies.flexible_arms.readings import Reading, reading_error
from dalembert.studies.flexible_arms.runs import BENT, PickAndPlace, energy_error
from dalembert.systems.flexible_arms import canadarm, mda_arm, planar_arm

__all__ = ["results"]

Result = tuple[str, float]
PRINTED = {
    "2dof": {"flex": 2.67e-7, "flex-M": 2.63e-7, "flex-MA": 3.93e-4, "flex-MR": 2.49e-4},
    "6dof": {"flex": 2.81e-5, "flex-M": 4.48e-5, "flex-MA": 2.09e-3, "flex-MR": 1.43e-2},
}
"""RMS energy errors of Table 5.1."""


def results(*, full: bool = True) -> Iterator[Result]:
    """Yield the key of each expected value and our value; the short form leaves out slow rows."""
    yield from _planar_modes()
    yield from _arm_modes("canadarm", canadarm())
    yield from _arm_modes("mda", mda_arm())
    yield from _planar_run()
    yield from _table_5_1("2dof")
    if full:
        yield from _table_5_1("6dof")
        yield from _causes()
        yield from _cost()


def _beams(arm: Machine) -> list[Beam]:
    return [body for body in arm.bodies if isinstance(body, Beam)]


def _planar_modes() -> Iterator[Result]:
    for i, beam in enumerate(_beams(planar_arm()), 1):
        integrals, rho = BeamIntegrals.of(beam), nominal(beam.density)
        Phi, Delta = mode_matrices(beam, beam.size)
        for j in range(2):
            yield f"planar.w{i}{j + 1}", beam.omega[j]
            yield f"planar.K{i}{j + 1}", nominal(beam.E) * integrals.K_E[j, j]
            yield f"planar.phi{i}{j + 1}", Phi[1, j]
            yield f"planar.slope{i}{j + 1}", Delta[2, j]
            yield f"planar.v{i}{j + 1}", rho * integrals.V[1, j]
            yield f"planar.W{i}{j + 1}", rho * integrals.n[0, 1, j]
        for j, k in ((0, 0), (0, 1), (1, 1)):
            yield f"planar.z{i}{j + 1}{k + 1}", rho * integrals.B[1, 1, j, k]


def _arm_modes(name: str, arm: Machine) -> Iterator[Result]:
    for i, beam in enumerate(_beams(arm), 2):
        rho, l = nominal(beam.density), beam.size
        integrals = BeamIntegrals.of(beam)
        points, weights = quadrature(beam)
        count: dict[str, int] = {}
        for j, mode in enumerate(beam.basis):
            if mode.direction == "z" and name == "canadarm":
                continue  # the same as along y
            k = count[mode.direction] = count.get(mode.direction, 0) + 1
            label = f"{name}.{{}}{i}.{mode.direction}{k}"
            yield label.format("w"), beam.omega[j]
            # Mode signs are free: the printed ones count in magnitude.
            yield label.format("tip"), abs(float(mode.shape(l)))
            if mode.direction in "yz":
                yield label.format("slope"), abs(float(mode.shape(l, 1)))
            if mode.direction != "x":  # V_psi of (B.22), without the area of the section
                turn = mode.shape(points) if mode.direction == "torsion" else mode.shape(points, 1)
                yield label.format("Vpsi"), abs(rho * float(weights @ turn))
            if mode.direction != "torsion":
                row = "xyz".index(mode.direction)
                yield label.format("V"), abs(rho * integrals.V[row, j])
                yield label.format("W"), abs(rho * (integrals.n[0, row, j] - beam.offset[0] * integrals.V[row, j]))


def _planar_run() -> Iterator[Result]:
    arm = planar_arm()
    run = simulate(arm, duration=1.0, q0=BENT, method="dopri5", rtol=1e-12, atol=1e-14, record=0.5)
    for moment, index in (("0.5", 1), ("1", 2)):
        for name in arm.q_names:
            yield f"run.{name}.{moment}", float(run[name][index])
    yield "run.energy", float(run["energy.kinetic"][0] + run["energy.potential"][0])


def _table_5_1(name: str) -> Iterator[Result]:
    chosen = case(name)
    runs = {m: chosen.run(m) for m in MODELS}
    error = {m: energy_error(run) for m, run in runs.items()}
    for m in ("flex", "flex-M"):
        yield f"table.{name}.{m}", max(0.0, error[m] - PRINTED[name][m])
    for m in ("flex-MA", "flex-MR"):
        yield f"table.{name}.{m}", error[m]
    order = ("flex-MR", "flex-MA") if name == "2dof" else ("flex-MA", "flex-MR")
    yield f"table.{name}.order", float(max(error["flex"], error["flex-M"]) < error[order[0]] < error[order[1]])
    deviations_by_model = deviations(chosen, runs)
    for m, deviation in deviations_by_model.items():
        yield f"deviation.{name}.{m}.joints", float(deviation.joints.max())
        yield f"deviation.{name}.{m}.tip", float(deviation.tip.max())
    least = min(deviations_by_model, key=lambda m: deviations_by_model[m].tip.max())
    yield f"deviation.{name}.least", float(least == "flex-M")
    for m, share in operations(chosen).items():
        if m != "flex":
            yield f"operations.{name}.{m}", share
    if name == "2dof":
        halved = energy_error(chosen.run("flex", 5e-4))
        yield "table.step", float(np.log2(error["flex"] / halved))


def _cost() -> Iterator[Result]:
    """Times: shown next to those of the source, not asserted."""
    for name in ("2dof", "6dof"):
        for m, share in time_ratios(case(name)).items():
            if m != "flex":
                yield f"time.{name}.{m}", share
    for (m, h), share in cost_over_step(case("6dof"), ("flex", "flex-M")).items():
        yield f"cost.{m}.{1e3 * h:g}", share


def _causes() -> Iterator[Result]:
    """Energy errors when Algorithm 5.1 is read with terms that do not belong together; see `readings`."""
    reach: dict[str, Any] = {"duration": 10.0, "control": PickAndPlace()}
    free: dict[str, Any] = {"duration": 1.0, "q0": BENT}
    rough = reading_error(canadarm(), Reading(rates="first order"), **reach)
    finer = reading_error(canadarm(), Reading(rates="first order"), **reach, step=5e-4)
    vector = reading_error(canadarm(), Reading(rates="rotation vector"), **reach)
    yield "cause.rates.6dof", float(rough < PRINTED["6dof"]["flex"] < PRINTED["6dof"]["flex-M"] < vector)
    yield "cause.rates.step", rough / finer
    flat = [reading_error(planar_arm(), Reading(rates=rates), **free) for rates in ("first order", "exact")]
    yield "cause.rates.2dof", flat[0] / flat[1]
    planar, spatial = (
        {p: reading_error(arm, Reading("flex-MA", propagation=p), **settings) for p in ("constant", "lever", "full")}
        for arm, settings in ((planar_arm(), free), (canadarm(), reach))
    )
    yield "cause.propagation.2dof", float(planar["lever"] < PRINTED["2dof"]["flex-MA"] < planar["full"])
    yield "cause.propagation.6dof", float(spatial["constant"] < PRINTED["6dof"]["flex-MA"] < spatial["lever"])
