"""The transport manoeuvre that the issue of spill-over is seen on."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis.linearize import law_gain, linearize
from dalembert.control.underactuated import PartialFeedbackLinearization
from dalembert.plan.flat import SmoothStep
from dalembert.plan.shaping import SCurve, ei, excitation, zv, zvd
from dalembert.studies.crane.robustness import CASES, compare_robustness, robustness_table
from dalembert.studies.crane.transport import (
    compare_transport,
    laws,
    perform,
    spill_over,
    transport_crane,
    transport_table,
)
from dalembert.systems.cranes import (
    DesignedOn,
    hanging,
    planar_crane,
    residual_sway,
    sway_angle,
    sway_omega,
    uniform_cable,
)


def test_sway_stays_without_control_of_it() -> None:
    plant = transport_crane(10)
    chosen = {name: law for name, law in laws(plant).items() if name in ("PD, quintic", "PFL, S-curve")}
    performances = compare_transport(plant, chosen)
    assert all(p.residual_sway > 1.0 for p in performances)
    table = transport_table(performances)
    assert all(name in table for name in chosen)
    assert all(p.run.energy.drift < 1e-8 for p in performances)


def test_residual_sway_by_linear_theory() -> None:
    """What an exactly followed reference leaves, against simulation; the modes above the first hardly count."""
    plant = transport_crane(5)
    w = sway_omega(plant)
    period = 2 * np.pi / w[0]
    curve = SCurve.timed([0.0], [1.0], 8.0 - period)
    for reference, share in ((curve, 1.0), (zv(w[0])(curve), 0.0), (ei(w[0])(curve), 0.05)):
        modes = residual_sway(plant, reference, 8.0)
        assert len(modes) == 5
        assert modes[0] == pytest.approx(share * residual_sway(plant, curve, 8.0)[0], abs=1e-7)
        assert modes[1:].max() < 1e-6
        law = PartialFeedbackLinearization(9.0, 6.0, reference)
        run = da.simulate(plant, duration=16.0, control=law, step=2e-3, record=0.02)
        sway = sway_angle(da.equations(plant), run.array(plant.q_names))[run.t >= 8.0].max()
        assert sway == pytest.approx(modes[0], rel=5e-3, abs=1e-4)
    one = transport_crane(1)
    expected = sway_omega(one)[0] / 9.81 * excitation(curve, sway_omega(one), 8.0)
    assert residual_sway(one, curve, 8.0) == pytest.approx(expected, rel=1e-9)


def test_residual_sway_reaches_upper_modes_that_are_excited() -> None:
    """A jerky reference rings the second mode: the sum of the modes bounds the sway that is seen."""
    plant = planar_crane(uniform_cable(2, 5.0, payload=50.0, mass=40.0), trolley=200.0)
    w = sway_omega(plant)
    quick = zv(w[0])(SCurve.timed([0.0], [0.2], 0.4))
    end = quick.duration
    modes = residual_sway(plant, quick, end)
    assert modes[1] > 1e3 * modes[0]
    law = PartialFeedbackLinearization(400.0, 40.0, quick)
    run = da.simulate(plant, duration=end + 6.0, control=law, step=5e-4, record=0.005)
    sway = sway_angle(da.equations(plant), run.array(plant.q_names))[run.t >= end]
    assert sway.max() == pytest.approx(modes.sum(), rel=0.02)


def test_laws_on_cranes_they_were_not_designed_for() -> None:
    names = ("LQR of one link", "energy, set point", "PFL, flat reference")
    found = compare_robustness(3, names=names)
    assert tuple(found) == tuple(name for name in laws(transport_crane(3)) if name in names)
    assert all(tuple(row) == tuple(CASES) for row in found.values())
    assert all(p.residual_sway < 0.5 for p in found["LQR of one link"].values())
    # The flat reference is exact for its own frequency alone.
    flat = {case: p.residual_sway for case, p in found["PFL, flat reference"].items()}
    assert flat["nominal"] < 0.05
    assert min(flat["length -10 %"], flat["length +10 %"]) > 0.5
    table = robustness_table(found)
    assert all(name in table for name in (*names, *CASES))


@pytest.mark.parametrize("payload", [350.0, 500.0, 650.0])
def test_feedback_linearisation_of_another_payload(payload: float) -> None:
    """Overcompensated, the sway of a lighter payload grows; that of a heavier one is damped.

    With the payload m1 and the modelled m1n: (s^2 + kd s + kp)(s^2 + w^2) + (m1 - m1n) w^2/m s^2 = 0 for one link.
    """
    kp, kd, w2 = 9.0, 6.0, 9.81 / 5.0
    cable = [uniform_cable(1, 5.0, payload=m1) for m1 in (payload, 500.0)]
    plant, model = (planar_crane(c, trolley=200.0) for c in cable)
    law = DesignedOn(PartialFeedbackLinearization(kp, kd, [0.0]), model)
    eom = da.equations(plant)
    system = linearize(eom)
    poles = np.linalg.eigvals(np.asarray(system.A) + np.asarray(system.B) @ law_gain(eom, law))
    polynomial = np.polyadd(np.polymul([1, kd, kp], [1, 0, w2]), [(payload - 500.0) * w2 / 200.0, 0, 0])
    assert np.allclose(np.sort_complex(poles), np.sort_complex(np.roots(polynomial)), atol=1e-6)
    assert np.sign(np.round(poles.real.max(), 6)) == np.sign(500.0 - payload)


def test_cures_of_another_payload() -> None:
    """A payload 30 % lighter than modelled: what a stiffer loop leaves, and what a law leaves that has weighed it."""
    nominal = transport_crane(3)
    shaper = zvd(float(sway_omega(nominal)[0]))
    reference = shaper(SCurve.timed([0.0], [5.0], 8.0 - shaper.duration))
    eom = da.equations(transport_crane(3, payload=da.Parameter("payload", 500.0)))
    soft, stiff = (PartialFeedbackLinearization(kp, kd, reference) for kp, kd in ((9.0, 6.0), (36.0, 12.0)))
    chosen = {"soft": DesignedOn(soft, nominal), "stiff": DesignedOn(stiff, nominal), "weighed": soft}
    left = {name: perform(eom, name, law, p={"payload": 350.0}).residual_sway for name, law in chosen.items()}
    assert left["soft"] > 0.5
    assert left["stiff"] < 0.1 * left["soft"]
    assert left["weighed"] < 0.01 * left["soft"]


def test_a_design_on_two_links_spills_over_and_one_on_one_link_does_not() -> None:
    assert all(pole < 0 for pole in spill_over(1).values())
    two = spill_over(2)
    assert two[2] < 0  # on its own model it is stable
    assert two[10] > 0


def test_spill_over_is_seen_in_simulation() -> None:
    from dalembert.control.lqr import design_lqr

    grown = {}
    for n in (2, 3):
        design, plant = transport_crane(2), transport_crane(n)
        law = DesignedOn(design_lqr(design, Q={"x": 1.0, "theta1": 10.0, "x_dot": 1.0}, R=1e-6), design)
        run = da.simulate(plant, duration=40.0, q0={"theta1": 0.01}, control=law, step=2e-3, record=0.1)
        grown[n] = np.abs(run["theta2"][run.t > 35.0]).max()
    assert grown[2] < 1e-3
    assert grown[3] > 10 * grown[2]


def test_hoisting_while_transporting() -> None:
    """Trolley and winch together: 5 m along, 0.7 m up, on eight links of which the first varies.

    With the pendulum's frequency w, the gains put the four poles of trolley and sway at 0.618 w, damping ratio 0.5:
    (s^2 + kd s + kp)(s^2 + w^2) + ks s^3 = (s^2 + 0.618 w s + 0.382 w^2)^2.
    """
    crane = planar_crane(
        uniform_cable(8, 8.0, payload=300.0, mass=16.0), trolley=200.0, lengths="hoisted", minimum_length=0.2
    )
    rest = hanging(crane)
    move = SmoothStep([0.0, rest["l1"]], [5.0, rest["l1"] - 0.7], 10.0)
    w = float(sway_omega(crane)[0])
    kp, kd, ks = 0.146 * w**2, 0.472 * w, 0.764 * w
    law = PartialFeedbackLinearization(kp=[kp, 9.0], kd=[kd, 6.0], reference=move, sway_gain=[ks, 0.0])
    run = da.simulate(crane, duration=25.0, q0=rest, control=law, step=2e-3, record=0.05)
    eom = da.equations(crane)
    q = run.array(crane.q_names)
    assert run["l1"][-1] == pytest.approx(0.3, abs=1e-3)
    assert run["x"][-1] == pytest.approx(5.0, abs=0.05)
    sway = np.degrees(sway_angle(eom, q))
    assert sway.max() < 12.0
    assert sway[run.t > 20.0].max() < 0.5 * sway.max()
    assert run.energy.drift < 1e-7


@pytest.mark.slow
def test_two_hundred_links_of_varying_length() -> None:
    """401 coordinates: conserves energy, and the cost of a call is proportional to the links."""
    operations = {}
    for n in (50, 100, 200):
        cable = uniform_cable(n, 10.0, payload=100.0, mass=20.0, stiffness=2e4)
        crane = planar_crane(cable, lengths="variable", winches=0)
        operations[n] = da.equations(crane).kernel("forward_dynamics").function.n_instructions()
    assert crane.nv == 401
    assert operations[200] - operations[100] == pytest.approx(2 * (operations[100] - operations[50]), rel=0.01)
    # The stiffest axial mode has 1.3e4 rad/s: steps of 10 us follow it, larger ones lose the energy that it carries.
    run = da.simulate(crane, duration=1.0, q0=hanging(crane, theta1=0.2, theta80=-0.2), step=1e-5, record=0.05)
    assert run.status == "completed"
    assert run.energy.drift < 1e-9


@pytest.mark.slow
@pytest.mark.peer
def test_same_accelerations_as_pinocchio() -> None:
    pytest.importorskip("pinocchio")
    from dalembert.benchmarks.crane import compare_with_pinocchio

    rows = compare_with_pinocchio(100, quick=True)
    measured = [row for row in rows if "reason" not in row]
    assert {"native-call", "pinocchio-python"} <= {row["contender"] for row in measured}
    assert all(row["difference"] < 1e-9 for row in measured)
