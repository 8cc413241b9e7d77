"""Cable robots with sagging cables: tensions, lengths, stiffness, poses, workspaces, as for straight cables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert import analysis
from dalembert.core.errors import InputError
from dalembert.systems.cable_robots import cable_robot, eight_cable_robot

EXITS = [(-20.0, 0.0, 12.0), (20.0, 0.0, 12.0), (20.0, 0.0, 0.0), (-20.0, 0.0, 0.0)]
ANCHORS = [(-0.5, 0.0, 0.3), (0.5, 0.0, 0.3), (0.5, 0.0, -0.3), (-0.5, 0.0, -0.3)]
POSE = np.array([1.0, 5.0, 0.02])
EA = 1e6


def planar(weight: float, lengths: Any = (21.0,) * 4, cables: int = 4) -> da.Machine:
    """A plate of 60 kg in the x-z plane on four cables that cross a hall of 40 m."""
    body = da.Body("plate", 60.0, inertia=(4.0, 4.0, 6.0))
    places = EXITS[:cables], ANCHORS[:cables]
    options: dict[str, Any] = {"mount": "planar", "lengths": lengths[:cables], "winches": False, "stiffness": EA}
    return cable_robot("hall", body, *places, weight=weight, **options)


def ends(pose: np.ndarray) -> list[np.ndarray]:
    """Anchors in the world."""
    x, z, angle = pose
    c, s = np.cos(angle), np.sin(angle)
    return [np.array([x + c * a[0] - s * a[2], 0.0, z + s * a[0] + c * a[2]]) for a in ANCHORS]


def pulls(pose: np.ndarray, lengths: np.ndarray, weight: float) -> np.ndarray:
    """Force and moment (x, z, about the centre) of catenaries with these lengths, cable by cable."""
    total = []
    for exit_at, anchor, length in zip(EXITS, ends(pose), lengths, strict=True):
        force = analysis.catenary(exit_at, anchor, float(length), weight, stiffness=EA).forces[1]
        arm = anchor - np.array([pose[0], 0.0, pose[1]])
        total.append([force[0], force[2], arm[0] * force[2] - arm[2] * force[0]])
    return np.array(total)


@pytest.fixture(scope="module")
def heavy() -> da.Machine:
    return planar(8.0)


def test_tensions_hold_the_pose(heavy: da.Machine) -> None:
    """The balance of four catenaries of the lengths found, within bounds along their whole length."""
    held = analysis.hold_pose(heavy, POSE, lower=300.0, upper=2500.0, wrench=[30.0, -20.0, 5.0])
    forces = pulls(POSE, held.lengths, 8.0)
    np.testing.assert_allclose(forces.sum(axis=0), [-30.0, 60.0 * 9.81 + 20.0, -5.0], atol=1e-6)
    for k, (exit_at, anchor) in enumerate(zip(EXITS, ends(POSE), strict=True)):
        cable = analysis.catenary(exit_at, anchor, float(held.lengths[k]), 8.0, stiffness=EA)
        np.testing.assert_allclose([held.exit_tensions[k], held.tensions[k]], cable.tensions, rtol=1e-9)
        assert held.own_frequencies[f"cable{k + 1}"] == pytest.approx(cable.frequency, rel=1e-9)
        along = np.linalg.norm(np.gradient(cable.points(201), axis=0), axis=1) / (held.lengths[k] / 200.0)
        tension = EA * (along - 1.0)
        assert tension.min() > 300.0 * 0.99 and tension.max() < 2500.0 * 1.01


def test_stiffness_is_the_difference_of_the_pulls(heavy: da.Machine) -> None:
    """Central differences of the catenaries at fixed lengths, and the stiffness of the same machine at rest."""
    held = analysis.hold_pose(heavy, POSE, 300.0, 2500.0)
    columns = []
    for axis in np.eye(3):
        slopes = []
        for step in (1e-4, 2e-4):
            sides = [pulls(POSE + sign * step * axis, held.lengths, 8.0).sum(axis=0) for sign in (1.0, -1.0)]
            slopes.append(-(sides[0] - sides[1]) / (2.0 * step))
        columns.append((4.0 * slopes[0] - slopes[1]) / 3.0)  # Richardson: of fourth order
    # `catenary` misses its end by up to 1e-12 of its length: 2e-11 m at 1e5 N/m, divided by the step
    np.testing.assert_allclose(held.stiffness, np.array(columns).T, rtol=1e-6, atol=0.02)
    np.testing.assert_allclose(held.stiffness, held.stiffness.T, rtol=1e-9, atol=1e-6)
    rest = analysis.rest_pose(planar(8.0, held.lengths.tolist()), POSE)
    np.testing.assert_allclose(rest.q, POSE, atol=1e-9)
    np.testing.assert_allclose(rest.stiffness, held.stiffness, rtol=1e-7, atol=1e-4)


def test_pose_from_lengths(heavy: da.Machine) -> None:
    held = analysis.hold_pose(heavy, POSE, 300.0, 2500.0)
    guess = POSE + [0.5, -0.4, 0.1]
    np.testing.assert_allclose(analysis.forward_kinematics(heavy, held.lengths, guess), POSE, atol=1e-9)
    rest = analysis.static_equilibrium(heavy, held.lengths, guess)
    np.testing.assert_allclose(rest.tensions, held.tensions, rtol=1e-8)
    longer = analysis.forward_kinematics(heavy, held.lengths + [0.3, 0.3, 0.0, 0.0], POSE)
    assert longer[1] < POSE[1] - 0.2
    balance = pulls(longer, held.lengths + [0.3, 0.3, 0.0, 0.0], 8.0).sum(axis=0)
    np.testing.assert_allclose(balance, [0.0, 60.0 * 9.81, 0.0], atol=1e-6)


def test_light_cables_are_straight_ones(heavy: da.Machine) -> None:
    """Weight to zero: tensions of the quadratic programme, lengths, stiffness and workspace of straight cables."""
    straight, light = planar(0.0), planar(1e-3)
    one, other = (analysis.hold_pose(robot, POSE, 300.0, 2500.0) for robot in (straight, light))
    A, load = analysis.structure_matrix(straight, POSE), analysis.platform_load(straight, POSE)
    np.testing.assert_allclose(one.tensions, analysis.tension_distribution(A, load, 300.0, 2500.0), rtol=1e-9)
    ways = analysis.cable_lengths(straight, POSE)
    np.testing.assert_allclose(one.lengths, ways / (1.0 + one.tensions / EA), rtol=1e-12)
    np.testing.assert_allclose(other.tensions, one.tensions, rtol=1e-4)
    np.testing.assert_allclose(other.stiffness, one.stiffness, rtol=1e-4, atol=1.0)
    columns = [np.array([x, 5.0, 0.0]) for x in np.linspace(-19.0, 19.0, 9)]
    maps = [analysis.wrench_feasible(robot, columns, 300.0, 2500.0) for robot in (straight, light, heavy)]
    assert maps[0].tolist() == maps[1].tolist() == [False, *[True] * 7, False]
    assert maps[2].tolist() == [False, False, *[True] * 5, False, False]  # the weight of the cables leaves less room


def test_loads_exclude_the_pull_of_elastic_cables() -> None:
    """Elastic cables that are stretched by 1 m in this pose do not change the load that cables must hold."""
    taut = planar(0.0, (20.0,) * 4)
    np.testing.assert_allclose(analysis.platform_load(taut, POSE), [0.0, 588.6, 0.0], atol=1e-9)


def test_refusals(heavy: da.Machine) -> None:
    with pytest.raises(InputError, match=r"cable 'cable1' of machine 'hall' has weight: .* use hold_pose"):
        analysis.structure_matrix(heavy, POSE)
    with pytest.raises(InputError, match="no tensions within the bounds balance the wrench"):
        analysis.hold_pose(heavy, POSE, 300.0, 2500.0, wrench=[1e5, 0.0, 0.0])
    with pytest.raises(InputError, match="cable 'cable1' cannot hang there with at most 90 N: it is too heavy"):
        analysis.hold_pose(heavy, POSE, 10.0, 90.0)
    with pytest.raises(InputError, match="tension of cable 'cable1' cannot lie between 250 and 300 N"):
        analysis.hold_pose(heavy, POSE, 250.0, 300.0)
    with pytest.raises(InputError, match="the ends of cable 'cable1', which has weight, lie above each other"):
        analysis.hold_pose(heavy, [-19.5, 5.0, 0.0], 300.0, 2500.0)
    with pytest.raises(InputError, match="cable 'cable1' does not stretch"):
        robot = eight_cable_robot()
        _ = analysis.hold_pose(robot, [0.1, 0.0, 1.5, 1.0, 0.0, 0.0, 0.0] + 8 * [0.0], 50.0, 800.0).stiffness
    with pytest.raises(InputError, match="lengths, one per cable, must be > 0"):
        analysis.static_equilibrium(heavy, [21.0, 21.0, 0.0, 21.0], POSE)
