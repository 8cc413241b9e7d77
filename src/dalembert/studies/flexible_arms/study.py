"""What SPACE prints about flexible arms, obtained by the library."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dalembert.core.parameter import nominal
from dalembert.model.beam import Beam
from dalembert.model.beam_integrals import BeamIntegrals, mode_matrices
from dalembert.model.machine import Machine
from dalembert.studies.flexible_arms.runs import energy_error, free_vibration, pick_and_place
from dalembert.systems.flexible_arms import canadarm, mda_arm, planar_arm

__all__ = ["results"]

Result = tuple[str, float]
PRINTED_FLEX = {"2dof": 2.67e-7, "6dof": 2.81e-5}
PRINTED_FLEX_M = {"2dof": 2.63e-7, "6dof": 4.48e-5}


def results() -> Iterator[Result]:
    """Yield the key of each published value and what the library obtains."""
    yield from _planar_modes()
    yield from _arm_modes("canadarm", canadarm(), participation=True)
    yield from _arm_modes("mda", mda_arm(), participation=False)
    yield from _planar_run()
    yield from _table_5_1()


def _beams(arm: Machine) -> list[Beam]:
    return [body for body in arm.bodies if isinstance(body, Beam)]


def _planar_modes() -> Iterator[Result]:
    for i, beam in enumerate(_beams(planar_arm()), 1):
        integrals, rho = BeamIntegrals.of(beam), nominal(beam.density)
        Phi, Delta = mode_matrices(beam, beam.length)
        for j in range(2):
            yield f"planar.w{i}{j + 1}", beam.frequencies[j]
            yield f"planar.K{i}{j + 1}", nominal(beam.E) * integrals.K_E[j, j]
            yield f"planar.phi{i}{j + 1}", Phi[1, j]
            yield f"planar.slope{i}{j + 1}", Delta[2, j]
            yield f"planar.v{i}{j + 1}", rho * integrals.V[1, j]
            yield f"planar.W{i}{j + 1}", rho * integrals.n[0, 1, j]
        for j, k in ((0, 0), (0, 1), (1, 1)):
            yield f"planar.z{i}{j + 1}{k + 1}", rho * integrals.B[1, 1, j, k]


def _arm_modes(name: str, arm: Machine, *, participation: bool) -> Iterator[Result]:
    for i, beam in enumerate(_beams(arm), 2):
        rho, l = nominal(beam.density), beam.length
        integrals = BeamIntegrals.of(beam)
        count: dict[str, int] = {}
        for j, mode in enumerate(beam.basis):
            if mode.direction == "z" and name == "canadarm":
                continue  # the same as along y
            k = count[mode.direction] = count.get(mode.direction, 0) + 1
            label = f"{name}.{{}}{i}.{mode.direction}{k}"
            yield label.format("w"), beam.frequencies[j]
            # Mode signs are free: the printed ones count in magnitude.
            yield label.format("tip"), abs(float(mode.shape(l)))
            if mode.direction in "yz":
                yield label.format("slope"), abs(float(mode.shape(l, 1)))
            if participation and mode.direction != "torsion":
                row = "xyz".index(mode.direction)
                yield label.format("V"), abs(rho * integrals.V[row, j])
                yield label.format("W"), abs(rho * (integrals.n[0, row, j] - beam.offset[0] * integrals.V[row, j]))


def _planar_run() -> Iterator[Result]:
    run = free_vibration(planar_arm(), duration=1.0)
    half = int(np.argmin(np.abs(run.t - 0.5)))
    for moment, index in (("0.5", half), ("1", -1)):
        for name in ("theta1", "link1.delta1", "theta2", "link2.delta1"):
            yield f"run.{name}.{moment}", float(run[name][index])
    start = run["energy.kinetic"][0] + run["energy.potential"][0]
    yield "run.energy", float(start)


def _table_5_1() -> Iterator[Result]:
    models = ("flex", "flex-M", "flex-MA", "flex-MR")
    planar = {m: energy_error(free_vibration(planar_arm(), m, duration=1.0)) for m in models}
    spatial = {m: energy_error(pick_and_place(canadarm(), m)) for m in models}
    for case, error in (("2dof", planar), ("6dof", spatial)):
        yield f"table.{case}.flex", max(0.0, error["flex"] - PRINTED_FLEX[case])
        yield f"table.{case}.flex-M", max(0.0, error["flex-M"] - PRINTED_FLEX_M[case])
    yield "table.2dof.flex-MR", planar["flex-MR"]
    yield "table.6dof.flex-MR", spatial["flex-MR"]
    order = spatial["flex-M"] < spatial["flex-MA"] < spatial["flex-MR"] and planar["flex-M"] < planar["flex-MR"]
    yield "table.order", float(order)
    halved = energy_error(free_vibration(planar_arm(), duration=1.0, step=5e-4))
    yield "table.step", float(np.log2(planar["flex"] / halved))
