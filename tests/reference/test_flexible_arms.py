"""Published numbers of flexible arms (SPACE chapter 5, Appendix D.1) and manoeuvres of the literature."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
from dalembert.formulations.outboard import outboard_load
from dalembert.studies import run_study
from dalembert.studies.expected import Expected
from dalembert.studies.flexible_arms import study
from dalembert.studies.flexible_arms.readings import Reading, algorithm_5_1, reading_error
from dalembert.studies.flexible_arms.runs import BENT, energy_error, free_vibration
from dalembert.systems.flexible_arms import canadarm, mda_arm, planar_arm

EXPECTED = Expected("flexible-arms", Path(study.__file__).with_name("expected.yaml"))


def _check(results: Any) -> int:
    rows = [EXPECTED.judge(key, value) for key, value in results]
    assert not any(row.missed for row in rows), [row for row in rows if row.missed]
    return len(rows)


def test_printed_modes_of_all_arms() -> None:
    """All 154 printed frequencies and mode data to half a unit of the last digit, but for those that are marked."""
    assert _check(study._planar_modes()) == 30
    assert _check(study._arm_modes("canadarm", canadarm())) == 62
    assert _check(study._arm_modes("mda", mda_arm())) == 62


def test_loads_of_the_canadarm_are_those_of_its_bodies() -> None:
    arm = canadarm()
    for name in ("segment2", "segment3"):
        found, given = outboard_load(arm, name, first_moment=False), arm.body(name).load
        assert_allclose((found.mass, *found.inertia), (given.mass, *given.inertia), rtol=1e-12)


@pytest.mark.slow
def test_study_is_reproduced() -> None:
    rows = list(run_study("flexible-arms"))
    assert len(rows) == len(EXPECTED.entries)
    # A mark on a row that agrees would hide nothing, but be wrong.
    assert all(row.ok is not bool(row.known_difference) for row in rows), [r for r in rows if r.missed]


@pytest.mark.parametrize("model", ["flex", "flex-M", "flex-MA", "flex-MR"])
def test_algorithm_of_the_source(model: str) -> None:
    """Algorithm 5.1, written out on its own, against the recursions of the library: forces and energies."""
    machine = canadarm()
    recursion = algorithm_5_1(machine, Reading(model))
    forces = ca.Function("f", [recursion.q, recursion.v, recursion.a], [recursion.tau])
    energies = ca.Function("e", [recursion.q, recursion.v], [recursion.kinetic, recursion.potential])
    eom = da.equations(machine, approximation=model, backend="vm")
    rng = np.random.default_rng(8)
    q, v, a = rng.normal(size=(3, machine.nv)) * np.where(["delta" in n for n in machine.q_names], 0.2, 1.0)
    expected = eom.inverse_dynamics(q, v, a)
    assert_allclose(np.array(forces(q, v, a))[:, 0], expected, atol=1e-11 * np.abs(expected).max())
    assert_allclose([float(x) for x in energies(q, v)], eom.energy(q, v), rtol=1e-12)


def test_readings_that_break_the_energy() -> None:
    """What the printed errors can come from, in the plane: A' that is not the derivative of A."""
    error = {
        p: reading_error(planar_arm(), Reading("flex-MA", propagation=p), duration=0.2, q0=BENT)
        for p in ("constant", "lever", "full")
    }
    assert error["constant"] < 1e-7
    assert 1e-5 < error["lever"] < 1e-3 and 1e-5 < error["full"] < 1e-3


def test_free_vibration_of_the_planar_arm() -> None:
    """Independent solution, all six coordinates to half a unit of the eighth decimal."""
    assert _check(study._planar_run()) == 13


def test_approximate_models_of_the_planar_arm() -> None:
    errors = {m: energy_error(free_vibration(planar_arm(), m, 1.0)) for m in ("flex", "flex-M", "flex-MR")}
    assert errors["flex"] < 2.67e-7 and errors["flex-M"] < 2.63e-7  # Table 5.1
    assert 1e-4 < errors["flex-MR"] < 4e-4
    full = free_vibration(planar_arm(), "flex", 1.0)
    rough = free_vibration(planar_arm(), "flex-M", 1.0)
    gap = np.abs(full["theta1"] - rough["theta1"]).max() / np.abs(full["theta1"]).max()
    assert 1e-5 < gap < 5e-3


def test_models_differ_only_in_corrective_terms() -> None:
    """At rest and undeformed all models are one; bent, each leaves out something."""
    machine = mda_arm()
    eoms = {m: da.equations(machine, approximation=m, backend="vm") for m in ("flex", "flex-M", "flex-MA", "flex-MR")}
    rng = np.random.default_rng(5)
    straight = np.array([0.0 if "delta" in n else x for n, x in zip(machine.q_names, rng.normal(size=18), strict=True)])
    bent, v = straight + 0.05 * rng.normal(size=18), rng.normal(size=18)
    M = {m: e.mass_matrix(straight) for m, e in eoms.items()}
    for m in eoms:
        assert_allclose(M[m], M["flex"], rtol=1e-12, atol=1e-9)
    full = eoms["flex"].mass_matrix(bent)
    for m in ("flex-M", "flex-MA", "flex-MR"):
        gap = np.abs(eoms[m].mass_matrix(bent) - full).max() / np.abs(full).max()
        assert 1e-5 < gap < 0.5
        a = rng.normal(size=18)
        e = eoms[m]
        assert_allclose(e.inverse_dynamics(bent, v, e.forward_dynamics(bent, v, a)), a, atol=1e-6)
        assert_allclose(e.coriolis_matrix(bent, v) @ v, e.bias(bent, v) - e.bias(bent, 0 * v), rtol=1e-8, atol=1e-6)
    # flex-M conserves its own energy: power of the Coriolis forces is the rate of the kinetic energy.
    e, step = eoms["flex-M"], 1e-6
    T = [v @ e.mass_matrix(bent + x * v) @ v / 2 for x in (step, -step)]
    assert_allclose((T[0] - T[1]) / (2 * step), v @ (e.bias(bent, v) - e.bias(bent, 0 * v)), rtol=1e-5)


def _spin_up(stiffening: bool) -> tuple[da.Run, np.ndarray]:
    """Beam on a base that spins up to 6 rad/s in 15 s; a heavy hub prescribes the motion. Run and tip displacement."""
    beam = da.Beam(
        "beam",
        10.0,
        da.Section(4e-4, 2e-7, 2e-7),  # EI = 1.4e4, ES = 2.8e7, rho S = 1.2
        E=7e10,
        density=3000.0,
        modes={"x": 1, "y": 3},
        rotary_inertia=False,
        stiffening=stiffening,
    )
    J, T, speed = 1e8, 15.0, 6.0
    hub = da.Body("hub", 1.0, inertia=(J, J, J))
    torque = J * speed / T * (1.0 - da.cos(da.TIME * (2 * np.pi / T)))
    machine = da.Machine(
        "spin-up",
        [beam, hub],
        [da.Joint("spin", "revolute", "world", "beam"), da.Joint("hub", "fixed", "beam", "hub")],
        wrenches=[da.Wrench("drive", "hub", torque=(0.0, 0.0, torque))],
        gravity=(0, 0, 0),
    )
    run = da.simulate(machine, duration=T, step=1e-3, record=0.05, check=False)
    q = np.column_stack([run[name] for name in machine.q_names])
    q[:, 0] = 0.0  # in the frame of the base
    tip = da.equations(machine).pose("beam.tip", q)[:, :3, 3]
    return run, tip - np.array([10.0, 0.0, 0.0])


def test_spin_up_manoeuvre() -> None:
    """Kane, Ryan and Banerjee (1987), with the data of Simo and Vu-Quoc (1987).

    The tip lags by 0.57 m to 0.58 m at about 6.5 s (read from their figures) and comes back; at full speed the beam
    is stretched by w^2 rho S l^3 / (3 ES) = 5.14e-4 m. Without stiffening the spin exceeds the first frequency of the
    beam (3.8 rad/s), and the linear theory diverges.
    """
    run, tip = _spin_up(True)
    assert run.status == "completed"
    assert_allclose(run["spin_dot"][-1], 6.0, rtol=1e-4)
    worst = int(np.argmin(tip[:, 1]))
    assert 0.56 < -tip[worst, 1] < 0.59 and 6.0 < run.t[worst] < 7.5
    assert np.abs(tip[-20:, 1]).max() < 0.02
    stretch = tip[-1, 0] + tip[-1, 1] ** 2 * 0.6 / 10.0  # the shortening of the little that is left is below 1e-5
    assert_allclose(stretch, 5.14e-4, rtol=0.05)
    soft, tip = _spin_up(False)
    assert soft.status == "diverged" or np.abs(tip[:, 1]).max() > 5.0
