"""Cables over pulleys that swivel, whose anchors pass the swivel axis, or go through it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da

START: dict[str, Any] = {"q0": {"x": 0.25, "z": -1.0}, "v0": {"x_dot": -2.0}, "duration": 0.3, "backend": "vm"}


def hung(directions: str = "xyz", **cable: Any) -> da.Machine:
    """A point mass that slides along some directions, on a cable over a pulley of 0.1 m at the origin."""
    names = [*directions[:-1], "m"]
    return da.Machine(
        "hung",
        [*(da.Body(name) for name in names[:-1]), da.point_mass("m", 1.0)],
        [
            da.Joint(axis, "prismatic", parent, child, axis=axis)
            for axis, parent, child in zip(directions, ["world", *names], names, strict=False)
        ],
        cables=[da.Cable("c", "m", pulley=0.1, **cable)],
    )


def told(run: da.Run) -> dict[str, float]:
    return {event.name: event.t for event in run.events}


METHODS: dict[str, dict[str, Any]] = {
    "rk4": {"method": "rk4", "step": 1e-3},
    "coarse": {"method": "rk4", "step": 1e-2},
    "dopri5": {"method": "dopri5"},
    "dop853": {"method": "dop853"},
    "baumgarte": {"method": "dopri5", "constraints": "baumgarte"},
    "augmented": {"method": "dopri5", "constraints": "augmented-lagrangian"},
}


@pytest.mark.parametrize("method", METHODS)
def test_a_cable_goes_slack_where_its_anchor_goes_through_the_axis(method: str) -> None:
    """The limit of anchors that pass it ever nearer, which go slack before: at 0.12646 s with 0.1 mm."""
    through = da.simulate(hung(), **START, **METHODS[method])
    assert list(told(through)) == ["c.axis", "c.slack", "c.taut"]
    assert through.energy.drift < 1e-7
    at = float(np.interp(told(through)["c.axis"], through.t, through["x"]))
    assert abs(at) < 1e-8 and told(through)["c.slack"] == told(through)["c.axis"] == pytest.approx(0.12691472, abs=1e-7)


@pytest.mark.parametrize("aside", [1e-9, 1e-6, 1e-4])
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_a_cable_goes_slack_where_its_anchor_passes_the_axis_closely(method: str, aside: float) -> None:
    """However near it passes: fixed steps do not step over it. It then moves as if it had gone through."""
    start = {**START, "q0": {**START["q0"], "y": aside}}
    beside, through = (da.simulate(hung(), **one, **METHODS[method]) for one in (start, START))
    assert list(told(beside)) == ["c.slack", "c.taut"] and beside.energy.drift < 1e-6
    assert 0.0 < told(through)["c.slack"] - told(beside)["c.slack"] < 2.5 * (0.08 * aside**2) ** (1 / 3)
    assert beside["x"][-1] == pytest.approx(through["x"][-1], abs=0.25 * aside ** (2 / 3))


def test_the_plane_and_lanes_go_through_it_alike() -> None:
    plane = hung("xz")
    one = da.simulate(plane, **START, **METHODS["rk4"])
    members = da.rollout(plane, vary={"q0.x": np.array([0.2, 0.25, 0.3])}, **START, **METHODS["rk4"])
    assert list(told(one)) == ["c.axis", "c.slack", "c.taut"]
    np.testing.assert_allclose(members["x"][1, -1], one["x"][-1], rtol=0, atol=1e-10)
    assert members.status[1] == "completed"


def test_a_cable_that_cannot_go_slack_has_an_impact() -> None:
    run = da.simulate(hung("xz", bilateral=True), **START, **METHODS["rk4"])
    assert list(told(run)) == ["c.axis"] and run.energy.drift < 1e-9
    lost = run.energy.kinetic[0] + run.energy.potential[0] - run.energy.kinetic[-1] - run.energy.potential[-1]
    assert lost > 0.1


def test_an_elastic_cable_keeps_its_energy_through_the_axis() -> None:
    run = da.simulate(hung("xz", stiffness=100.0, length=1.2), **START, **METHODS["rk4"])
    assert run["x"].min() < -0.1 and run.energy.drift < 1e-9


def test_a_start_on_the_axis_is_refused_by_name() -> None:
    with pytest.raises(da.InputError, match=r"'c' of machine 'hung' has no defined direction.*axis"):
        da.simulate(hung(), **(START | {"q0": {"z": -1.0}}))
