"""A box on two or four cables: frequencies in closed form, a parallelogram, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import machine_modes
from dalembert.systems.cranes import hanging, multi_cable_crane, planar_crane, uniform_cable

G, L = 9.81, 5.0


def test_two_parallel_cables_in_the_plane_are_a_single_one() -> None:
    """The box does not tilt, so it moves as a point on one cable does, trolley included."""
    crane, single = multi_cable_crane(2), planar_crane(uniform_cable(1, L, payload=500.0), trolley=100.0)
    start = 0.5
    options = {"duration": 3.0, "method": "dopri5", "rtol": 1e-10, "record": 0.1}
    run = da.simulate(crane, q0={"load.x": L * np.sin(start), "load.y": L * (1 - np.cos(start))}, **options)
    point = da.simulate(single, q0=hanging(single, theta1=start), **options)
    assert np.abs(run["load.angle"]).max() < 1e-9
    np.testing.assert_allclose(run["x"], point["x"], atol=1e-7)
    np.testing.assert_allclose(run["load.x"], L * np.sin(point["theta1"]), atol=1e-7)


def test_modes_of_two_cables_in_space() -> None:
    """Along the cables' plane a pendulum, across it a double pendulum, about the vertical a bifilar one."""
    crane = multi_cable_crane(2, spatial=True, size=(2.0, 1.0, 0.5)).lock(["x", "y"])
    found = np.sort(machine_modes(crane).omega)
    m, c = 500.0, 0.25  # centre of the box below its anchors
    about_x = m * (1.0**2 + 0.5**2) / 12
    M = np.array([[m * L**2, m * L * c], [m * L * c, m * c**2 + about_x]])
    double = np.sqrt(np.linalg.eigvals(np.linalg.solve(M, np.diag([m * G * L, m * G * c]))))
    yaw = 1.0 / np.sqrt((2.0**2 + 1.0**2) / 12) * np.sqrt(G / L)
    np.testing.assert_allclose(found, np.sort([*double, np.sqrt(G / L), yaw]), rtol=1e-9)


def test_four_elastic_cables_hang_at_rest_and_turn() -> None:
    crane = multi_cable_crane(4, spatial=True, stiffness=1e7, spacing=(1.6, 0.8), trolley_spacing=(1.0, 0.5))
    eom = da.equations(crane)
    rest = eom.bias(crane.q_neutral, np.zeros(crane.nv))
    assert np.abs(rest).max() < 1e-9 * 500.0 * G
    parallel = multi_cable_crane(4, spatial=True, stiffness=1e9, spacing=(1.6, 0.8)).lock(["x", "y"])
    stretched = L * (1 + 500.0 * G / 4 / 1e9)
    slow = np.sort(machine_modes(parallel).omega)[:3]
    yaw = np.hypot(0.8, 0.4) / np.sqrt((2.0**2 + 1.0**2) / 12) * np.sqrt(G / stretched)
    np.testing.assert_allclose(slow[2], yaw, rtol=1e-6)
    np.testing.assert_allclose(slow[:2], np.sqrt(G / stretched), rtol=1e-4)  # tilts by what the cables stretch


def test_energy_of_a_box_that_turns() -> None:
    crane = multi_cable_crane(2, spatial=True)
    run = da.simulate(crane, duration=2.0, v0={"load.vy": 0.6, "load.wz": 0.5}, method="dopri5", rtol=1e-9)
    assert run.status == "completed"
    assert np.abs(run["load.qz"]).max() > 0.05
    assert run.energy.drift < 1e-7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cables": 3}, "2 or 4 cables, got 3"),
        ({"cables": 4}, "expected cables=2, or spatial=True"),
        ({"cables": 4, "spatial": True}, "give them a stiffness"),
        ({"spacing": (1.0, 2.0, 3.0)}, "one number, or two"),
        ({"spacing": 0.0}, "must be > 0 for 2 cables"),
        ({"size": (1.0, 0.0, 1.0)}, "width of box 'load'"),
        ({"trolley_spacing": 20.0}, "do not reach"),
        ({"stiffness": -1.0}, "stiffness"),
        ({"gravity": "down"}, "gravity"),
        ({"spatial": "yes"}, "spatial .* true or false, got 'yes'"),
        ({"bridge": 500.0}, "expected spatial=True"),
        ({"damping": 3.0}, "inextensible"),
    ],
)
def test_impossible_ones_are_refused(options: dict, message: str) -> None:
    with pytest.raises(da.MachineError, match=message):
        multi_cable_crane(**options)
