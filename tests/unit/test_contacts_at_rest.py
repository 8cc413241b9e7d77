"""Static and linear models of machines whose contacts are closed: closed forms, and colliders beside contacts."""

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import equilibrium, find_equilibrium, machine_modes

G = 9.81
HALF = 2**-0.5


def _on(bodies, contacts=None, *, surface=None, friction=0.5, **other) -> da.Machine:
    """Bodies on joints of their names, with contacts, or with colliders and the ground."""
    joints = [da.Joint(b.name, "free" if b.mass else "fixed", "world", b.name) for b in bodies]
    if contacts is not None:
        return da.Machine("scene", bodies, joints, contacts=contacts, **other)
    ground = da.Collider("ground", surface=surface or da.HalfSpace(), friction=friction)
    return da.Machine("scene", bodies, joints, colliders=[da.Collider("things", friction=friction), ground], **other)


def _roly(solid=None) -> da.Body:
    """A ball whose centre of mass is below its centre."""
    return da.Body("roly", mass=1.0, com=(0, 0, -0.03), inertia=(0.004,) * 3, geometry=solid or da.Sphere(0.1))


ROLY = np.sqrt(G * 0.03 / (0.004 + 0.07**2))


def _frequencies(machine, at, **options):
    return np.sort(np.abs(np.linalg.eigvals(da.linearize(machine, at, **options).A)))


def test_a_ball_that_rolls_swings_as_closed_forms_say() -> None:
    ball = _on([da.sphere("ball", 1.0, 0.1)])
    rest = equilibrium(da.equations(ball, backend="vm"), {"ball.z": 0.1})
    np.testing.assert_allclose(rest.multipliers, [G, 0.0, 0.0], atol=1e-12)
    model = da.linearize(ball, {"ball.z": 0.1})
    assert model.state_labels[:3] == ["ball_vx_int", "ball_vy_int", "ball_wz_int"]  # it rolls and spins
    np.testing.assert_array_equal(model.A, np.eye(6, k=3))
    bowl = da.SphericalSurface(1.0, inside=True)
    for friction, omega, free in ((0.5, np.sqrt(5 / 7 * G / 0.9), 2), (0.0, np.sqrt(G / 0.9), 6)):
        contact = da.Contact("bowl", "ball", da.Sphere(0.1), surface=bowl, friction=friction)
        machine = _on([da.sphere("ball", 1.0, 0.1)], [contact])
        expected = [0.0] * free + [omega] * 4
        np.testing.assert_allclose(_frequencies(machine, {"ball.z": -0.9}), expected, rtol=1e-9, atol=1e-9)
        modes = machine_modes(machine, {"ball.z": -0.9})
        np.testing.assert_allclose(modes.omega[-2:], omega, rtol=1e-12)


LYING = {"roly.qw": HALF, "roly.qx": HALF}


@pytest.mark.parametrize("solid", ["sphere", "capsule", "cylinder", "sphere on a box", "sphere on a hinged plate"])
def test_rolling_colliders_are_pendulums(solid: str) -> None:
    """The weight below the axis of what rolls: alike for all shapes whose section is a circle."""
    if solid in ("capsule", "cylinder"):
        shape = da.Capsule(0.1, 0.4) if solid == "capsule" else da.Cylinder(0.1, 0.4)
        body = da.Body("roly", mass=1.0, com=(0, -0.03, 0), inertia=(0.004,) * 3, geometry=shape)
        machine, at = _on([body]), {"roly.z": 0.1, **LYING}
        expected = [ROLY] * 2
    else:
        machine, at = _on([_roly()]), {"roly.z": 0.1}
        expected = [0.0] * 2 + [ROLY] * 4
    if "box" in solid:
        machine, at = _on([_roly(), da.Body("table", geometry=da.Box((1.0, 1.0, 0.2)))]), {"roly.z": 0.2}
        machine = machine.with_(colliders=machine.colliders[:1])
    if "plate" in solid:
        plate = da.box("plate", 5.0, (1.0, 1.0, 0.2))
        machine = da.Machine(
            "scene", [_roly(), plate],
            [da.Joint("roly", "free", "world", "roly"), da.Joint("t", "revolute", "world", "plate", axis="x")],
            colliders=[da.Collider("all", friction=0.5)],
        )  # fmt: skip
        at = {"roly.z": 0.2}
        assert len(_frequencies(machine, at)) == 8  # the plate tilts below it
        expected = [0.0] * 2 + [ROLY] * 4
        at_hold = _frequencies(machine, at, locked=["t"])
        np.testing.assert_allclose(at_hold, expected, atol=1e-9)
        return
    np.testing.assert_allclose(_frequencies(machine, at), expected, atol=1e-9)


def test_what_slides_has_friction_that_follows_its_load_and_direction() -> None:
    """A bead in a tube presses with its speed; the friction of a box turns with its velocity and with its spin."""
    R, mu, v = 1.5, 0.3, 2.0
    tube = da.Contact("tube", "bead", surface=da.CylindricalSurface(R, (0, 1, 0), inside=True), friction=mu)
    bead = da.Machine(
        "bead", [da.Body("cart"), da.point_mass("bead", 2.0)],
        [da.Joint("x", "prismatic", "world", "cart", axis="x"), da.Joint("z", "prismatic", "cart", "bead", axis="z")],
        contacts=[tube],
    )  # fmt: skip
    model = da.linearize(bead, {"z": -R}, v={"x_dot": v}, require_equilibrium=False, independent=["x"])
    np.testing.assert_allclose(model.A, [[0, 1], [-G / R - (v / R) ** 2, -2 * mu * v / R]], atol=1e-9)
    h, m = 0.1, 3.0
    box = da.box("box", m, (0.4, 0.4, 2 * h))
    contact = da.Contact("sole", "box", da.Box((0.4, 0.4, 2 * h)), friction=mu)
    for machine in (_on([box], [contact]), _on([box], friction=mu)):
        A = da.linearize(machine, {"box.z": h}, v={"box.vx": v}, require_equilibrium=False).A
        assert A[4, 4] == pytest.approx(-mu * G / v, rel=1e-9)
        assert A[4, 5] == pytest.approx(-v - mu / v * mu * G * h, rel=1e-9)  # more load on the corners in front
        J = m * (0.4**2 + 0.4**2) / 12
        # its friction across tilts it, and the load that this moves from side to side brakes the spin less
        assert A[5, 5] == pytest.approx(-mu / v * m * G * (0.04 - (mu * h) ** 2) / J, rel=1e-9)


def test_a_box_sticks_on_an_incline_up_to_its_friction() -> None:
    half = np.arctan(0.4) / 2
    at = {"box.z": 0.1 * np.sqrt(1.16), "box.qw": np.cos(half), "box.qy": -np.sin(half)}
    for friction, holds in ((0.41, True), (0.39, False)):
        machine = _on([da.box("box", 3.0, (0.4, 0.4, 0.2))], surface=da.HalfSpace((-0.4, 0, 1)), friction=friction)
        rest = equilibrium(da.equations(machine, backend="vm"), at)
        assert (rest.unbalanced(1e-9) is None) == holds
        if holds:
            assert rest.multipliers[:4].sum() == pytest.approx(3.0 * G / np.sqrt(1.16), rel=1e-9)
            place = find_equilibrium(machine, at)
            assert place.converged and place.steps == 0
            continue
        with pytest.raises(da.InputError, match=r"contact 'box.ground.*' of machine 'scene' does not stick there"):
            da.linearize(machine, at)


@pytest.mark.parametrize("collides", [False, True])
def test_the_way_down_ends_on_what_is_touched(collides: bool) -> None:
    solid = da.Box((0.4, 0.4, 0.2))
    box = da.box("box", 3.0, (0.4, 0.4, 0.2))
    machine = _on([box], None if collides else [da.Contact("floor", "box", solid, friction=0.5)])
    tilted = {"box.z": 0.5, "box.qw": np.cos(0.2), "box.qx": 0.8 * np.sin(0.2), "box.qy": 0.6 * np.sin(0.2)}
    place = find_equilibrium(machine, tilted)
    assert place.converged and place.stable
    q = dict(zip(machine.q_names, place.q, strict=True))
    assert q["box.z"] == pytest.approx(0.1, abs=1e-8)
    assert np.hypot(q["box.qx"], q["box.qy"]) < 1e-7
    assert np.abs(place.point.residual).max() < 1e-9


def test_the_way_down_turns_what_rolls_and_stacks_what_lies() -> None:
    place = find_equilibrium(_on([_roly()]), {"roly.z": 0.5, "roly.qw": np.cos(0.4), "roly.qx": np.sin(0.4)})
    q = dict(zip(_on([_roly()]).q_names, place.q, strict=True))
    assert place.converged and place.stable and np.hypot(q["roly.qx"], q["roly.qy"]) < 1e-6
    assert q["roly.z"] == pytest.approx(0.1, abs=1e-8)
    stack = _on([da.box("low", 3.0, (0.4, 0.4, 0.2)), da.box("top", 1.0, (0.2, 0.2, 0.2))])
    place = find_equilibrium(stack, {"low.z": 0.5, "top.z": 1.0})
    q = dict(zip(stack.q_names, place.q, strict=True))
    assert place.converged and q["top.z"] == pytest.approx(0.3, abs=1e-8)


def test_refusals() -> None:
    ball = _on([da.sphere("ball", 1.0, 0.1)])
    at = {"ball.z": 0.1}
    belt = ball.with_(colliders=[ball.colliders[0], da.Collider("ground", surface=da.HalfSpace(), belt=(1, 0, 0))])
    rough = ball.with_(colliders=[da.Collider("things", rolling=1e-3), ball.colliders[1]])
    box = _on([da.box("box", 1.0, (0.2, 0.2, 0.2))])
    edge = _on([da.sphere("ball", 1.0, 0.1), da.Body("table", geometry=da.Box((1, 1, 0.2)))])
    leaning = {"ball.x": 0.5 + 0.1 * HALF, "ball.z": 0.1 + 0.1 * HALF}
    touch = _on([da.sphere("ball", 1.0, 0.1)], [da.Contact("wall", "ball", da.Sphere(0.1))], gravity=(0, 0, 0))
    cases = (
        (ball, {"ball.z": 0.09}, {}, r"'ball' and 'ground' of machine 'scene' overlap by 0\.01 m there"),
        (belt, at, {}, "collider 'ground' has a belt: no linear model has it"),
        (rough, at, {}, "collider 'things' has resistance against rolling or spinning"),
        (edge, leaning, {}, r"touch there with an edge, a rim or the side of a cone \('table'\)"),
        (touch, at, {}, "contact 'wall' of machine 'scene' touches there without a force"),
        (ball, at, {"v": {"ball.vz": -1.0}}, "contact 'ball.ground' of machine 'scene' strikes its surface there at 1"),
        (ball, at, {"v": {"ball.vx": 1.0, "ball.wy": 10.0}}, "contact 'ball.ground' of machine 'scene' rolls there"),
        (box, {"box.z": 0.1}, {}, "machine 'scene' cannot move there"),
        (ball, at, {"active": {"floor": False}}, "no switchable constraint .* named 'floor'"),
    )
    for machine, place, options, message in cases:
        with pytest.raises(da.DalembertError, match=message):
            da.linearize(machine, place, require_equilibrium=False, **options)
    free = da.linearize(touch, at, active={"wall": False})
    assert free.nstates == 12
