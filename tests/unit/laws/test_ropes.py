"""Tensions and lengths of ropes over sheaves: closed forms with numbers of their own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.support.laws import evaluated, law

import dalembert as da

G = 9.7
"""Gravity."""


def two_masses(element: Any, r: float, *more: Any) -> da.Machine:
    """Masses of 5.3 and 2.1 kg on a rope over an element at the origin, half a turn."""
    bodies = [da.point_mass("m1", 5.3), da.point_mass("m2", 2.1)]
    joints = [
        da.Joint("x1", "prismatic", "world", "m1", axis="-z", origin=(-r, 0, -0.5)),
        da.Joint("x2", "prismatic", "world", "m2", axis="-z", origin=(r, 0, -0.5)),
    ]
    for body, joint in more:
        bodies.append(body)
        joints.append(joint)
    rope = da.Rope("r", [da.Anchor("m1"), element, da.Anchor("m2")])
    return da.Machine("masses", bodies, joints, ropes=[rope], gravity=(0, 0, -G))


def moved(machine: da.Machine) -> da.Run:
    """The first millisecond from rest."""
    start = {joint.name: 0.0 for joint in machine.joints}
    return da.simulate(machine, duration=1e-3, step=5e-4, q0=start, backend="vm")


def check_slip(run: da.Run, E: float) -> None:
    """Slipping over a massless element with T1 = E T2: m1 falls with g (m1 - E m2) / (m1 + E m2)."""
    a = G * (5.3 - 2.1 * E) / (5.3 + 2.1 * E)
    assert run["x1_dot"][-1] == pytest.approx(a * 1e-3, rel=1e-9)
    assert run["tension.r[0]"][-1] == pytest.approx(5.3 * (G - a), rel=1e-9)
    assert run["tension.r[1]"][-1] == pytest.approx(2.1 * (G + a), rel=1e-9)


@law("Guide.friction", "Guide.radius")
def test_a_rope_slips_over_a_guide_by_eytelwein() -> None:
    run = moved(two_masses(da.Guide("world", 0.13, "y", friction=0.17), 0.13))
    check_slip(run, math.exp(0.17 * math.pi))
    assert run["length.r"][0] == pytest.approx(0.13 * math.pi + 2 * 0.5, rel=1e-12)


@law("RopeObstacle.friction")
def test_a_rope_slips_over_an_obstacle_by_eytelwein() -> None:
    check_slip(
        moved(two_masses(da.RopeObstacle("world", 0.13, "y", friction=0.17, name="o"), 0.13)), math.exp(0.17 * math.pi)
    )


@law("Sheave.friction")
def test_a_rope_slips_over_a_sheave_that_does_not_turn() -> None:
    check_slip(moved(two_masses(da.Sheave("world", 0.13, "y", friction=0.11), 0.13)), math.exp(0.11 * math.pi))


@law("SheaveLoss.bearing", "SheaveLoss.pin", "SheaveLoss.bending")
def test_a_sheave_takes_tension_by_its_bearing_and_by_bending() -> None:
    """At half a turn the pin carries T1 + T2: T1 (1 - c) = T2 (1 + c), c = mu r_pin / r, and bending on top."""
    loss = da.SheaveLoss(bearing=0.14, pin=0.031, bending=0.023)
    c = 0.14 * 0.031 / 0.16
    check_slip(moved(two_masses(da.Sheave("world", 0.16, "y", loss=loss), 0.16)), (1 + c) / (1 - c) * 1.023)


@law("Sheave.radius")
def test_a_rope_turns_a_sheave_at_its_radius() -> None:
    """With teeth: (m1 + m2 + I / r^2) x'' = (m1 - m2) g."""
    wheel = (da.Body("wheel", 1.0, inertia=(0.04, 0.07, 0.04)), da.Joint("w", "revolute", "world", "wheel", axis="y"))
    run = moved(two_masses(da.Sheave("world", 0.19, "y", joint="w", teeth=True), 0.19, wheel))
    a = G * (5.3 - 2.1) / (5.3 + 2.1 + 0.07 / 0.19**2)
    assert run["x1_dot"][-1] == pytest.approx(a * 1e-3, rel=1e-9)
    assert abs(run["w_dot"][-1]) == pytest.approx(a * 1e-3 / 0.19, rel=1e-9)


@law("Drum.radius")
def test_a_drum_holds_the_tension_at_its_radius() -> None:
    """(m + I / r^2) z'' = -m g for a drum that turns freely."""
    machine = da.Machine(
        "hoist",
        bodies=[da.Body("drum", 1.0, inertia=(0.05, 0.09, 0.05)), da.point_mass("bob", 2.7)],
        joints=[
            da.Joint("theta", "revolute", "world", "drum", axis="y"),
            da.Joint("z", "prismatic", "world", "bob", axis="z", origin=(0.21, 0, -1.0)),
        ],
        ropes=[da.Rope("r", [da.Drum("theta", 0.21, axis="y"), da.Anchor("bob")])],
        gravity=(0, 0, -G),
    )
    run = moved(machine)
    a = -2.7 * G / (2.7 + 0.09 / 0.21**2)
    assert run["z_dot"][-1] == pytest.approx(a * 1e-3, rel=1e-9)
    assert run["tension.r[0]"][-1] == pytest.approx(2.7 * (G + a), rel=1e-9)


@law("DrumLayers.turns", "DrumLayers.rope", "DrumLayers.wound", "DrumLayers.ramp")
@pytest.mark.parametrize(("wound", "height"), [(4.6, 0.0), (5.0, 0.5), (6.2, 1.0), (11.1, 2.0)])
def test_a_drum_with_layers_holds_the_tension_at_the_radius_of_its_layer(wound: float, height: float) -> None:
    """Layers of five turns are sqrt(3)/2 of 0.04 m apart; in the middle of the ramp of 0.7 turns half of that."""
    r = 0.21 + height * math.sqrt(3) / 2 * 0.04
    drum = da.Drum("theta", 0.21, axis="y", layers=da.DrumLayers(turns=5, rope=0.04, wound=wound, ramp=0.7))
    machine = da.Machine(
        "hoist",
        bodies=[da.Body("drum", 1.0, inertia=(0.05, 0.09, 0.05)), da.point_mass("bob", 2.7)],
        joints=[
            da.Joint("theta", "revolute", "world", "drum", axis="y"),
            da.Joint("z", "prismatic", "world", "bob", axis="z", origin=(r, 0, -1.0)),
        ],
        ropes=[da.Rope("r", [drum, da.Anchor("bob")])],
        gravity=(0, 0, -G),
    )
    run = moved(machine)
    a = -2.7 * G / (2.7 + 0.09 / r**2)
    assert run["z_dot"][-1] == pytest.approx(a * 1e-3, rel=1e-6)  # within a ramp the radius changes by the way
    assert run["tension.r[0]"][0] == pytest.approx(2.7 * (G + a), rel=1e-6)


def bob_on(rope: da.Rope) -> da.Machine:
    """A mass of 2.7 kg below the end of a rope, without gravity."""
    joint = da.Joint("z", "prismatic", "world", "bob", axis="z", origin=(0, 0, -1.4))
    return da.Machine("bob", [da.Body("bob", 2.7)], [joint], ropes=[rope], gravity=(0, 0, 0))


@law("Rope.stiffness", "Rope.damping", "Rope.length")
def test_an_elastic_rope_pulls_by_its_strain_and_the_rate_of_it() -> None:
    """EA (L - l) / l + EA' L' / l over all of the rope."""
    ends = [da.Anchor("world"), da.Anchor("bob")]
    machine = bob_on(da.Rope("r", ends, length=1.3, stiffness=910.0, damping=29.0))
    strain, rate = (1.6 - 1.3) / 1.3, 0.35 / 1.3
    assert evaluated(machine, "bias", q=[-0.2]) == pytest.approx([-910.0 * strain], rel=1e-12)
    assert evaluated(machine, "applied", q=[-0.2], v=[-0.35]) == pytest.approx([29.0 * rate], rel=1e-12)


@law("Rope.pretension")
def test_an_elastic_rope_has_its_pretension_in_the_neutral_configuration() -> None:
    """T0 at length L0, and EA (L - l) / l with l = L0 / (1 + T0 / EA) elsewhere."""
    machine = bob_on(da.Rope("r", [da.Anchor("world"), da.Anchor("bob")], stiffness=910.0, pretension=37.0))
    l = 1.4 / (1 + 37.0 / 910.0)
    assert evaluated(machine, "bias", q=[0.0]) == pytest.approx([-37.0], rel=1e-12)
    assert evaluated(machine, "bias", q=[-0.2]) == pytest.approx([-910.0 * (1.6 - l) / l], rel=1e-12)


@law("Rope.weight")
def test_a_heavy_rope_hangs_as_an_elastic_catenary() -> None:
    """Irvine's example of 106 m over 100 m and 30 m: H = 3252.32209147 N, V = 2099.94442675 N."""
    place = da.Joint("x", "prismatic", "world", "bob", axis="x", origin=(100, 0, 30))
    rope = da.Rope("r", [da.Anchor("world"), da.Anchor("bob")], length=106.0, stiffness=2.8e7, weight=20.601)
    level = da.Machine("level", [da.point_mass("bob", 1.0)], [place], ropes=[rope])
    assert evaluated(level, "bias", q=[0.0]) == pytest.approx([3252.32209147], rel=1e-11)


@law("RopeObstacle.radius")
def test_a_rope_lies_on_an_obstacle_at_its_radius() -> None:
    """From (-1, 0, 0) to (1, 0, 0) over a cylinder of radius 0.3 about the origin: two tangents and an arc."""
    machine = da.Machine(
        "over",
        bodies=[da.point_mass("bob", 1.0)],
        joints=[da.Joint("x", "prismatic", "world", "bob", axis="x", origin=(1.0, 0, 0))],
        ropes=[
            da.Rope(
                "r",
                [da.Anchor("world", (-1, 0, 0)), da.RopeObstacle("world", 0.3, axis="y", name="o"), da.Anchor("bob")],
            )
        ],
        gravity=(0, 0, 0),
    )
    run = moved(machine)
    arc = math.pi - 2 * math.acos(0.3)
    np.testing.assert_allclose(run["length.r"][0], 2 * math.sqrt(1 - 0.3**2) + 0.3 * arc, rtol=1e-12)
