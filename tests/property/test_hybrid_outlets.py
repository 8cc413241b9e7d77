"""Random machines with cables, contacts, welds, stops and sampled laws: every way to run one shows the same."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.support.random_hybrids import STRUCTURES, VARIANTS, WAYS, differences, structure

import dalembert as da
from dalembert.compile import find_toolchain

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "random" / "hybrid-runs.json"


@pytest.mark.slow
@pytest.mark.skipif(find_toolchain() is None, reason="lanes need a C compiler")
@pytest.mark.parametrize("number", range(4))
def test_all_signals_and_measures_are_those_of_a_single_run(number: int) -> None:
    """A short form of the study, whose results are stored: four structures with three variants."""
    pytest.importorskip("fmpy")
    found = differences(number, 3)
    assert set(found) >= {"lanes", "measures", "resumed", "interpreted", "fmu"}
    assert not any(found.values()), found


def test_the_study_found_no_difference() -> None:
    done = json.loads(RESULTS.read_text())
    assert sum(one["machines"] for one in done.values()) == STRUCTURES * VARIANTS == 200
    assert not [number for number, one in done.items() if any(one["differ"].values())]


def test_the_machines_have_all_that_they_are_to_have() -> None:
    found = [structure(number) for number in range(STRUCTURES)]
    assert sum(bool(one.machine.cables) for one in found) >= 8
    assert sum(any(c.pulley for c in one.machine.cables) for one in found) >= 2
    assert sum("switches" in one.settings for one in found) >= 4
    assert sum(one.settings["limits"] == "contact" for one in found) >= 4
    assert sum(isinstance(one.settings.get("control"), da.control.Sampled) for one in found) >= 5
    assert set(WAYS) == {"lanes", "measures", "stepper", "resumed", "interpreted", "fmu"}


def sledge() -> da.Machine:
    """A point mass that slides over the ground, 2 kg with a coefficient of 0.3."""
    return da.Machine(
        "sledge",
        [da.Body("slide", 0.0), da.point_mass("m", 2.0)],
        [da.Joint("x", "prismatic", "world", "slide", axis="x"), da.Joint("z", "prismatic", "slide", "m", axis="z")],
        contacts=[da.Contact("ground", "m", da.Sphere(0.1), friction=0.3)],
    )


@pytest.mark.parametrize("speed", [1.0, -1.0])
def test_friction_is_measured_while_a_pair_slips(speed: float) -> None:
    """Coulomb's law by hand, in rows and measures; forces of a slip are no multipliers of the equations."""
    names = ["force.ground.normal", "force.ground.tangent1"]
    rolled = da.rollout(
        sledge(),
        q0={"z": 0.1},
        v0={"x_dot": np.array([speed, 0.0])},
        duration=0.1,
        step=1e-2,
        measure={name: da.Measure(name) for name in names} | {"push": da.Measure(names[1], "max abs")},
        backend="vm",
    )
    np.testing.assert_allclose(rolled.measures[names[0]], 2.0 * 9.81, rtol=1e-9)
    np.testing.assert_allclose(np.abs(rolled.measures[names[1]]), [0.3 * 2.0 * 9.81, 0.0], atol=1e-7)
    np.testing.assert_allclose(rolled.measures["push"], [0.3 * 2.0 * 9.81, 0.0], atol=1e-7)
    run = da.simulate(sledge(), q0={"z": 0.1}, v0={"x_dot": speed}, duration=0.1, step=1e-2, backend="vm")
    assert rolled.measures[names[1]][0] == pytest.approx(run[names[1]][-1], rel=1e-9)


def test_what_is_only_recorded_changes_no_motion() -> None:
    """An event of the user's, on a machine with contacts: no step ends at it."""
    given = {"q0": {"z": 0.3}, "v0": {"x_dot": 1.0}, "duration": 0.5, "step": 1e-2, "backend": "vm"}
    passes = da.Event("passes", lambda t, q, v: q[0] - 0.1234)
    plain, noted = (da.simulate(sledge(), events=events, **given) for events in ([], [passes]))
    assert [e.name for e in noted.events].count("passes") == 1
    np.testing.assert_array_equal(noted.x, plain.x)
