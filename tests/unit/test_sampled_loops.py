"""Sampled laws in proofs, and the digest by which the proven law is the one that runs."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import control
import numpy as np
import pytest
from scipy.linalg import expm
from tests.unit.test_uncertain_motion import hoisted

import dalembert as da
from dalembert.control import ScheduledGains, export_law, law_digest, law_function, scheduled_feedback
from dalembert.control.uncertain import system_lft, uncertain
from dalembert.control.varying import block_rates, sampled_loop, varying_stability

AT = {"l": 2.0}


def integrator(gain: float, **timing: float) -> bool:
    plant = system_lft(control.ss(0.0, 1.0, 1.0, 0.0))
    return varying_stability(sampled_loop(plant, [[gain]], plant.outputs, plant.inputs, **timing)).proven


@pytest.mark.parametrize("k", [1.0, 40.0])
def test_periods_and_delays_of_an_integrator(k: float) -> None:
    """``x' = -k x(t_k)`` is stable below ``2/k``, ``x' = -k x(t - T)`` below ``pi/(2k)``; proven: pi/2 and 1."""
    assert integrator(k, period=0.99 * np.pi / 2.0 / k)
    assert not integrator(k, period=1.01 * np.pi / 2.0 / k)
    assert integrator(k, period=1e-4 / k, delay=0.99 / k)
    assert not integrator(k, period=1e-4 / k, delay=1.01 / k)


def test_periods_that_are_proven_are_stable_by_exact_discretisation() -> None:
    rng = np.random.default_rng(3)
    proven = 0
    for _ in range(12):
        A, B, K = rng.normal(size=(3, 3)), rng.normal(size=(3, 2)), rng.normal(size=(2, 3))
        A = A - (np.linalg.eigvals(A - B @ K).real.max() + 1.0) * np.eye(3)
        plant = system_lft(control.ss(A, B, np.eye(3), 0.0))
        h = float(rng.uniform(0.02, 0.3))
        if varying_stability(sampled_loop(plant, K, plant.outputs, plant.inputs, period=h)).proven:
            proven += 1
            whole = expm(np.block([[A, B], [np.zeros((2, 5))]]) * h)
            assert np.abs(np.linalg.eigvals(whole[:3, :3] - whole[:3, 3:] @ K)).max() < 1.0
    assert proven >= 3


@pytest.fixture(scope="module")
def scheduled() -> ScheduledGains:
    model = uncertain(hoisted(), {"l": (1.0, 3.0)}, at=AT, motion={"l": 0.4})
    parts = (np.array([[0.0, 20.0, 0.0, 0.0], [0.0, 0.0, 30.0, 30.0]]), np.array([[0.0, 6.0, 0.0, 0.0], [0.0] * 4]))
    return ScheduledGains(("sway", "sway_dot", "l", "l_dot"), ("M", "F"), {"l": 1}, parts, model)


def test_a_scheduled_law_is_proven_as_it_runs_sampled(scheduled: ScheduledGains) -> None:
    """The gains are those of the last sample, too; a loop with a period that is proven converges in a simulation."""
    model = scheduled.model
    rates = block_rates(model)

    def loop(period: float):
        lft, gains = model.lft, scheduled
        return sampled_loop(lft, gains.lft, gains.measured, gains.controls, period=period, rates=rates)

    assert loop(0.02).sizes["l.sampled"] == scheduled.lft.sizes["l"]
    numbers = dict.fromkeys(loop(0.02).sizes, 0.0) | {"l": 0.7, "l.rate": -0.3}
    assert np.allclose(loop(0.02).at(**numbers).A, scheduled.loop().at(**{"l": 0.7, "l.rate": -0.3}).A, atol=1e-12)
    assert varying_stability(loop(0.02), rates, degree=1).guaranteed
    assert not varying_stability(loop(0.5), rates, degree=1).proven
    law = da.control.Sampled(scheduled_feedback(hoisted(), scheduled, at=AT), 0.02)
    run = da.simulate(hoisted(), duration=4.0, q0={"sway": 0.2, "l": 1.5}, control=law, step=0.005)
    assert abs(run["sway"][-1]) < 0.02 and abs(run["l"][-1] - 2.0) < 0.05


def test_the_proven_law_is_digest_for_digest_the_law_that_runs(scheduled: ScheduledGains, tmp_path: Path) -> None:
    machine = hoisted()
    law = scheduled_feedback(machine, scheduled, at=AT, reference={"l": 0.1})
    proven = law_digest(machine, law)
    run = da.simulate(machine, duration=0.02, q0={"sway": 0.2, "l": 2.5}, control=law, step=0.01)
    assert law_digest(machine, run.experiment.control) == proven
    fmu = da.export_fmu(run.experiment, tmp_path / "hoist.fmu")
    with zipfile.ZipFile(fmu) as archive:
        assert archive.read("documentation/law.sha256").decode().strip() == proven
    other = scheduled_feedback(machine, scheduled, at=AT, reference={"l": 0.1 + 1e-15})
    assert law_digest(machine, other) != proven
    assert law_digest(machine, da.control.Sampled(law, 0.02)) != law_digest(machine, da.control.Sampled(law, 0.01))
    sampled = da.control.Sampled(law, 0.02)
    for one, period in ((law, 0.0), (sampled, 0.02)):
        folder = export_law(machine, one, tmp_path / "c", name="hoist")
        header = (folder / "hoist.h").read_text()
        assert f'#define HOIST_SHA256 "{law_digest(machine, one)}"\n#define HOIST_PERIOD {period}\n' in header
    q, v = ([run[n][0] for n in names] for names in (machine.q_names, machine.v_names))
    exact = law_function(machine, law)(0.0, q, v, [], [])[0].full()[:, 0]
    assert _in_c(folder, q, v) == pytest.approx(exact.tolist(), rel=1e-14)
    assert [run["u.M"][0], run["u.F"][0]] == pytest.approx(exact.tolist(), rel=1e-14)


def _in_c(folder: Path, q: list[float], v: list[float]) -> list[float]:
    """Inputs of the exported law at a state, by a program that includes its header."""
    numbers = ", ".join(map(repr, map(float, q))), ", ".join(map(repr, map(float, v)))
    (folder / "example.c").write_text(
        '#include <stdio.h>\n#include "hoist.h"\nint main(void) {\n'
        f"double t[] = {{0}}, q[] = {{{numbers[0]}}}, v[] = {{{numbers[1]}}};\n"
        "double z[1] = {0}, p[1] = {0}, u[2], zd[1];\n"
        "hoist_law(t, q, v, z, p, u, zd);\n"
        'printf("%.17g %.17g\\n", u[HOIST_U_M], u[HOIST_U_F]);\nreturn 0;\n}\n'
    )
    done = subprocess.run(["make", "-s", "-C", str(folder)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [float(x) for x in subprocess.check_output([str(folder / "example")], text=True).split()]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: integrator(1.0, period=-0.1), "period"),
        (lambda: integrator(1.0, period=0.1, delay=-1.0), "delay must not be negative"),
        (lambda: law_function(hoisted(), "law"), "expression law"),
    ],
)
def test_refusals(make, message) -> None:
    with pytest.raises(da.DalembertError, match=message):
        make()


def test_signals_that_are_no_states_and_controllers_with_states_are_refused() -> None:
    plant = system_lft(control.ss(-1.0, 1.0, 1.0, 1.0))
    with pytest.raises(da.InputError, match="not a state of the plant"):
        sampled_loop(plant, [[1.0]], plant.outputs, plant.inputs, period=0.1)
    plain = system_lft(control.ss(-1.0, 1.0, 1.0, 0.0))
    with pytest.raises(da.InputError, match="without states"):
        sampled_loop(plain, control.ss(-1.0, 1.0, 1.0, 0.0), plain.outputs, plain.inputs, period=0.1)


def test_delays_add_to_the_age_of_samples() -> None:
    """``x' = -x(t_k - T)``: the block has the norm ``T + 2 h / pi``, which must be below one."""
    plant = system_lft(control.ss(0.0, 1.0, 1.0, 0.0))
    for period, proven in ((0.75, True), (0.82, False)):
        loop = sampled_loop(plant, [[1.0]], plant.outputs, plant.inputs, period=period, delay=0.5)
        assert varying_stability(loop).proven is proven
