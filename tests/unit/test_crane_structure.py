"""What the structure report says about CRANE's lemmas, in 2-D and in 3-D."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.systems.cranes import crane_structure, hanging, planar_crane, spatial_crane, uniform_cable

CABLE = uniform_cable(3, 6.0, payload=50.0, mass=20.0)
WRONG_AS_PRINTED = {"lemma 1.3 printed", "lemma 4 printed"}


def test_planar_crane() -> None:
    report = crane_structure(planar_crane(CABLE, lengths="variable"))
    assert report.dimension == 2
    assert (report.degrees_of_freedom, report.inputs, report.underactuation) == (7, 2, 5)
    assert {f.item for f in report if not f.holds} == WRONG_AS_PRINTED
    assert "FAILS" in str(report)


def test_spatial_crane() -> None:
    report = crane_structure(spatial_crane(CABLE, lengths="variable"))
    assert report.dimension == 3
    assert (report.degrees_of_freedom, report.underactuation) == (11, 8)
    # The conjecture of 8.2 holds item by item; what does not carry over are couplings across the two planes.
    assert {f.item for f in report if not f.holds} == {"lemma 1.3 printed", "lemma 1.4-5 across"}
    assert report["lemma 1.8 stronger"].value == 5


@pytest.mark.slow
@pytest.mark.parametrize("links", [1, 2, 4, 5])
def test_other_numbers_of_links(links: int) -> None:
    """What docs/cranes.md says of N up to 5."""
    cable = uniform_cable(links, 6.0, payload=50.0, mass=20.0)
    wrong = WRONG_AS_PRINTED if links > 1 else set()
    assert {f.item for f in crane_structure(planar_crane(cable, lengths="variable")) if not f.holds} == wrong
    space = crane_structure(spatial_crane(cable, lengths="variable"))
    assert {f.item for f in space if not f.holds} == {"lemma 1.4-5 across"} | wrong & {"lemma 1.3 printed"}


def test_one_link_agrees_with_the_printed_lemmas() -> None:
    report = crane_structure(planar_crane(uniform_cable(1, 6.0, payload=50.0), lengths="hoisted"))
    assert all(f.holds for f in report)


def test_property_one_is_checked_for_long_cables_too() -> None:
    report = crane_structure(planar_crane(uniform_cable(30, 6.0, payload=50.0, mass=20.0)), samples=1)
    assert report["property 1"].holds


def test_links_with_masses_leave_out_what_is_said_of_nodes() -> None:
    rods = uniform_cable(2, 6.0, payload=50.0, mass=20.0, rods=True)
    report = crane_structure(planar_crane(rods, lengths="hoisted"), samples=2)
    assert {f.item for f in report if f.holds is None} >= {"lemma 1.3 corrected", "lemma 4 corrected"}
    assert all(f.holds in (True, None) for f in report)
    assert report["proposition 1 velocity"].holds


def test_fixed_lengths_leave_out_what_is_said_of_lengths() -> None:
    report = crane_structure(planar_crane(CABLE))
    items = {f.item for f in report}
    assert "lemma 3" in items
    assert not items & {"lemma 1.1", "lemma 2.1", "lemma 4 corrected"}
    with pytest.raises(da.UnknownNameError, match="lemma 3"):
        report["lemma 9"]


@pytest.mark.parametrize("friction", [0.0, 20.0])
def test_passivity_along_a_run(friction: float) -> None:
    crane = planar_crane(CABLE, lengths="hoisted", rail_friction=friction)
    law = da.PD(kp=[400.0, 4000.0], kd=[300.0, 2000.0], reference=[1.0, 2.0], gravity=True)
    run = da.simulate(crane, duration=4.0, q0=hanging(crane, theta1=0.2), control=law, step=5e-4)
    finding = crane_structure(crane, samples=3, run=run)["passivity"]
    assert finding.holds
    if friction:
        assert run.energy.work_loss[-1] < -1.0  # the inequality is strict: something was lost


def test_a_run_that_gains_energy_is_not_passive() -> None:
    """The check can fail: a winch whose work is not counted."""
    crane = planar_crane(CABLE, lengths="hoisted")
    run = da.simulate(crane, duration=1.0, q0=hanging(crane), control=[0.0, -2 * 9.81 * 66.0])
    from dataclasses import replace

    uncounted = run.x.copy()
    uncounted[:, run.state_names.index("work.input")] = 0.0
    assert not crane_structure(crane, samples=3, run=replace(run, x=uncounted))["passivity"].holds
