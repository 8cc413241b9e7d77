"""Rules that other code relies on, at the values where they change: checks, weights, distances, and small laws."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest
import sympy

import dalembert as da
from dalembert.analysis.closed_form.printing import Writer
from dalembert.analysis.contact_forces import sliding_multipliers
from dalembert.analysis.denoc import DeNOC
from dalembert.control.estimation import StereoCamera
from dalembert.control.lqr import weight_matrix
from dalembert.control.mu import mu
from dalembert.control.rotors import _spins
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.core.constraint_algebra import independent_rows
from dalembert.core.errors import DalembertError
from dalembert.formulations.tree.model import CarriedRotor
from dalembert.model.celestial import moon_position, sun_position
from dalembert.model.checks import inertia_fault
from dalembert.model.elastic import solids
from dalembert.model.tree import central_inertia
from dalembert.plan.capture import _start
from dalembert.plan.distance import segment_box_distance
from dalembert.plan.tumbling import TumblingBody
from dalembert.simulation.contact_modes import coulomb_equations, coulomb_mode


def test_starts_of_a_plan() -> None:
    """A position, or also velocity and acceleration; what is not given is zero."""
    assert _start([1.0, 2.0, 3.0], 3).tolist() == [[1.0, 2.0, 3.0], [0.0] * 3, [0.0] * 3]
    assert _start(np.arange(9.0).reshape(3, 3), 3).tolist() == np.arange(9.0).reshape(3, 3).tolist()
    for bad in ([1.0, 2.0], np.zeros((4, 3)), np.zeros((2, 2, 3)), [np.nan, 0.0, 0.0], "here", np.zeros((0, 3))):
        with pytest.raises(da.InputError, match="start must be a position"):
            _start(bad, 3)


def test_distance_of_a_segment_and_a_box() -> None:
    pose = np.eye(4)
    pose[:3, 3] = [1.0, 2.0, 3.0]
    a = np.array([[-1.0, 2.0, 3.0], [0.0, 6.0, 3.0], [1.0, 2.0, 3.0]])
    b = np.array([[-4.0, 2.0, 3.0], [2.0, 6.0, 9.0], [9.0, 9.0, 9.0]])
    made = [float(segment_box_distance(x, y, pose, [2.0, 3.0, 1.0])) for x, y in zip(a, b, strict=True)]
    assert made == pytest.approx([1.0, 2.5, 0.0], abs=1e-9)  # from a face, along a face, from inside


def test_a_tumbling_body_drifts() -> None:
    body = TumblingBody(np.diag([1.0, 2.0, 2.5]), (0.1, 0.2, 0.3), position=(1, 2, 3), velocity=(0.5, 0, -1))
    t = np.array([0.0, 2.0, 4.0])
    np.testing.assert_allclose(body.target(t).position, [[1, 2, 3], [2, 2, 1], [3, 2, -1]], atol=1e-14)


def test_what_a_camera_sees() -> None:
    """Up to half of its picture to either side, in both lenses."""
    camera = StereoCamera()
    z, gain = 2.0, camera.gain
    half = np.array(camera.size) / 2.0 * z / gain  # at that depth
    inside = [[0.0, 0.0, z], [0.0, 0.99 * half[1], z], [0.99 * half[0] - 0.5 * camera.baseline, 0.0, z]]
    outside = [[0.0, 1.01 * half[1], z], [1.01 * half[0] - 0.5 * camera.baseline, 0.0, z], [0.0, 0.0, -z]]
    assert camera.seen(inside).all() and not camera.seen(outside).any()


def test_weights_must_be_positive() -> None:
    assert weight_matrix([[2.0, 1.0], [1.0, 2.0]], ["a", "b"], "Q", strict=True).tolist() == [[2.0, 1.0], [1.0, 2.0]]
    assert weight_matrix(np.zeros(2), ["a", "b"], "Q").tolist() == [[0.0, 0.0], [0.0, 0.0]]
    for bad, strict in ((np.zeros(2), True), ([[1.0, 2.0], [2.0, 1.0]], False), ([[1.0, 0.5], [0.0, 1.0]], False)):
        with pytest.raises(DalembertError, match="Q must be"):
            weight_matrix(bad, ["a", "b"], "Q", strict=strict)


def test_bodies_that_look_alike_around_an_axis() -> None:
    top = da.Body("top", 1.0, inertia=(0.2, 0.2, 0.3))
    axes = np.eye(3)
    assert [_spins(top, axes[k]) for k in range(3)] == [False, False, True]
    assert not _spins(da.Body("off", 1.0, com=(0.1, 0.0, 0.0), inertia=(0.2, 0.2, 0.3)), axes[2])


def test_inertia_of_a_rotor_as_of_its_body() -> None:
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    rotor = CarriedRotor(0, 0, ca.DM(axis), 1.0, 0.4)
    np.testing.assert_allclose(ca.DM(rotor.body_inertia).full(), 0.4 * np.outer(axis, axis), atol=1e-15)


def test_inertia_about_the_centre_of_mass() -> None:
    inertia = np.array([[0.5, 0.02, 0.01], [0.02, 0.6, 0.03], [0.01, 0.03, 0.7]])
    body = da.Body("b", 3.0, com=(0.3, -0.2, 0.5), inertia=inertia)
    machine = da.Machine("m", [body], [da.Joint("j", "free", "world", "b")])
    mass, centre, made = central_inertia(machine.tree.nodes[0])
    assert mass == 3.0 and centre == pytest.approx([0.3, -0.2, 0.5])
    np.testing.assert_allclose(made, inertia, atol=1e-14)


def test_inertias_that_no_body_has() -> None:
    assert inertia_fault(np.diag([0.1, 0.1, 0.2])) is None
    assert "triangle" in str(inertia_fault(np.diag([0.1, 0.1, 0.3])))
    assert "negative" in str(inertia_fault(np.diag([-0.1, 0.2, 0.2])))
    assert inertia_fault(np.diag([0.1, 0.1, 0.3]), noise=0.2) is None


def test_gears_that_lose_power() -> None:
    """Two wheels of any ratio; those of a planetary gear turn as a whole."""
    da.GearConstraint("g", {"a": 1.0, "b": -3.0}, efficiency=0.9)
    da.GearConstraint("g", {"a": 1.0, "b": 2.0, "c": -3.0}, efficiency=0.9, carrier="c")
    with pytest.raises(DalembertError, match="must add up to zero"):
        da.GearConstraint("g", {"a": 1.0, "b": 2.0, "c": -2.0}, efficiency=0.9, carrier="c")


def test_the_sun_at_solstices_and_the_moon_near_the_ecliptic() -> None:
    """Declinations of 23.44 degrees in June and December 2024 and none in March (Astronomical Almanac)."""
    for date, expected in ((2460482.36875, 23.44), (2460665.88889, -23.44), (2460389.62917, 0.0)):
        x = np.asarray(sun_position(date), dtype=float).ravel()
        assert np.degrees(np.arcsin(x[2] / np.linalg.norm(x))) == pytest.approx(expected, abs=0.02)
    moon = np.asarray(moon_position(2460482.36875), dtype=float).ravel()
    pole = np.array([0.0, -np.sin(np.radians(23.44)), np.cos(np.radians(23.44))])
    assert abs(np.degrees(np.arcsin(moon @ pole / np.linalg.norm(moon)))) < 5.4


def test_expressions_are_written() -> None:
    write = Writer("text", {})
    a, b, c = sympy.symbols("a b c")
    assert write(a + b) == "a + b" and write(-b + a) == "a - b"
    assert write(-a / c) == "-a/c"


def test_mass_matrix_of_a_complement() -> None:
    rng = np.random.default_rng(1)
    N_l, N_d, M = np.tril(rng.normal(size=(6, 6))), rng.normal(size=(6, 2)), rng.normal(size=(6, 6))
    made = DeNOC(("a",), (0, 6), N_l, N_d, M, np.array([0.3, 0.4])).mass_matrix
    np.testing.assert_allclose(made, (N_l @ N_d).T @ M @ (N_l @ N_d) + np.diag([0.3, 0.4]), rtol=1e-13)


def test_real_numbers_that_turn_nothing_singular() -> None:
    """``1 - d M`` of a rotation is regular for every real d, but not for complex ones."""
    M = np.array([[0.0, 1.0], [-1.0, 0.0]])
    assert mu(M, [DeltaBlock("d", 2, "real")]).upper < 0.05
    assert mu(M, [DeltaBlock("d", 2, "complex")]).upper == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize("size", [1e-8, 1e-6, 1.0, 1e6])
def test_equations_of_contacts_in_any_units(size: float) -> None:
    """One that sticks, one that slides, one that is open, and a tangent along which nothing can move."""
    x = np.array([[1.0, 0.1, 0.0], [1.0, -0.3, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.1]]) / size
    u = np.array([[0.0, 0.0, 0.0], [0.0, 2.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    W, mu_ = size * np.array([[1.0, 2.0, 4.0]] * 3 + [[1.0, 0.0, 4.0]]), np.full(4, 0.3)
    mode = coulomb_mode(x, u, mu_, W, np.ones(4))
    assert mode.pushes.tolist() == [True, True, False, True] and mode.sticks.tolist() == [True, False, False, True]
    rng = np.random.default_rng(2)
    dx, du, dmu = rng.normal(size=(4, 1, 3)), rng.normal(size=(4, 1, 3)), rng.normal(size=(4, 1))
    made = coulomb_equations(mode, x, u, mu_, W, dx, du, dmu)[:, 0]
    root = np.sqrt(W)
    np.testing.assert_allclose(made[0], du[0, 0] / root[0])
    np.testing.assert_allclose(made[2], dx[2, 0] * root[2])
    slip = dx[1, 0, 1:] + (dmu[1, 0] * x[1, 0] + 0.3 * dx[1, 0, 0]) * np.array([1.0, 0.0])
    slip[1] += 0.3 * x[1, 0] * du[1, 0, 2] / 2.0  # the direction turns with the velocity across it
    np.testing.assert_allclose(made[1], [du[1, 0, 0] / root[1, 0], *(slip * root[1, 1:])])
    assert made[3, 1] == dx[3, 0, 1] and made[3, 2] == pytest.approx(du[3, 0, 2] / root[3, 2])


def test_friction_of_what_slides_has_the_size_of_its_law() -> None:
    """Against the velocity, whatever its size; multipliers of a contact that does not slide stay as they are."""
    axes = [("x", "world", "a"), ("y", "a", "b"), ("z", "b", "sled")]
    machine = da.Machine(
        "sledge",
        [da.Body("a"), da.Body("b"), da.point_mass("sled", 2.0)],
        [da.Joint(axis, "prismatic", parent, child, axis=axis) for axis, parent, child in axes],
        contacts=[da.Contact("floor", "sled", da.Sphere(0.1), friction=0.4)],
    )
    eom = da.equations(machine, backend="vm")
    system, s = eom.constraint_system, eom.symbolic
    given = ca.SX.sym("given", len(system.row_names))
    made = sliding_multipliers(system, given)
    f = ca.Function("f", [s.q, s.v, s.p, system.latches, given], [ca.densify(made)])
    latches, multipliers = np.zeros(len(system.latch_names)), np.array([3.0, 0.7, -0.2])
    for v in ([0.3, -0.4, 0.0], [30.0, 40.0, 0.0]):
        assert np.array(f([0, 0, 0.1], v, [], latches, multipliers)).ravel().tolist() == multipliers.tolist()
        latches[system.latch_index("toward.floor[0]")] = 1.0
        found = np.array(f([0, 0, 0.1], v, [], latches, multipliers)).ravel()
        force = eom.constraint_jacobian([0.0, 0.0, 0.1], latches=latches).T @ found
        latches[:] = 0.0
        along = np.array(v[:2]) / np.hypot(*v[:2])
        np.testing.assert_allclose(force, np.sign(force[2]) * np.array([*(-0.4 * 3.0 * along), 3.0]))


def test_corners_of_solid_elements() -> None:
    corners: Any = solids._CORNERS
    assert sorted(map(tuple, corners.tolist())) == sorted((a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1))
    for one, two in solids._EDGES[8]:
        assert np.abs(corners[one] - corners[two]).sum() == 2


def test_rows_count_whatever_their_lengths() -> None:
    assert independent_rows(np.array([[1.0, 1.0], [1e-12, -1e-12]])) == 2
    assert independent_rows(np.array([[1.0, 2.0], [1e-9, 2e-9]])) == 1
    assert independent_rows(np.zeros((3, 0))) == 0


def test_machines_in_which_nothing_has_mass_somewhere() -> None:
    """Every joint needs something that it moves: the first, the middle and the last one are found."""
    for light in range(3):
        bodies = [da.Body(f"b{k}", 1.0, inertia=(0.1, 0.1, 0.0 if k == light else 0.1)) for k in range(3)]
        joints = [da.Joint(f"j{k}", "revolute", "world", f"b{k}", axis=(0, 0, 1)) for k in range(3)]
        with pytest.raises(DalembertError, match=f"j{light}"):
            da.equations(da.Machine("m", bodies, joints))
