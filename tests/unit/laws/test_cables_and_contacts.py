"""Tensions of cables, impacts and friction of contacts: closed forms with numbers of their own."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.support.laws import evaluated, law

import dalembert as da
from dalembert.engine.problem.stepping import BlockLaw
from dalembert.engine.stepping.native import solve_blocks


def bob(cable: da.Cable, *more: Any, **parts: Any) -> da.Machine:
    """A mass of 2.7 kg that moves along z below the exit of a cable."""
    bodies, joints = [da.Body("bob", 2.7)], [da.Joint("z", "prismatic", "world", "bob", axis="z")]
    for body, joint in more:
        bodies.append(body)
        joints.append(joint)
    return da.Machine("hoist", bodies, joints, cables=[cable], **({"gravity": (0, 0, 0)} | parts))


@law("Cable.stiffness", "Cable.damping", "Cable.length")
def test_an_elastic_cable_pulls_by_its_strain_and_the_rate_of_it() -> None:
    """EA (L - l)/l + EA' L'/l, not less than nothing; the spring has its potential, the damper none."""
    machine = bob(da.Cable("c", "bob", length=1.6, stiffness=840.0, damping=37.0))
    strain, rate = (1.9 - 1.6) / 1.6, 0.45 / 1.6
    assert evaluated(machine, "bias", q=[-1.9]) == pytest.approx([-840.0 * strain], rel=1e-13)
    assert evaluated(machine, "potential_energy", q=[-1.9]) == pytest.approx([840.0 * 0.3**2 / (2 * 1.6)], rel=1e-13)
    assert evaluated(machine, "applied", q=[-1.9], v=[-0.45]) == pytest.approx([37.0 * rate], rel=1e-13)
    # it pushes not: where damping would, all of the tension is gone, and below its length there is none
    assert evaluated(machine, "applied", q=[-1.9], v=[60.0]) == pytest.approx([-840.0 * strain], rel=1e-13)
    assert (
        evaluated(machine, "bias", q=[-1.5])
        == pytest.approx([0.0])
        == evaluated(machine, "applied", q=[-1.5], v=[-3.0])
    )


@law("Cable.weight")
def test_a_heavy_cable_hangs_as_an_elastic_catenary() -> None:
    """Irvine's example of 106 m over 100 m and 30 m: H = 3252.32209147 N."""
    place = da.Joint("x", "prismatic", "world", "bob", axis="x", origin=(100, 0, 30))
    cable = da.Cable("c", "bob", length=106.0, stiffness=2.8e7, weight=20.601)
    level = da.Machine("level", [da.point_mass("bob", 1.0)], [place], cables=[cable])
    assert evaluated(level, "bias", q=[0.0]) == pytest.approx([3252.32209147], rel=1e-11)


def over_a_pulley(**cable: float) -> da.Machine:
    """A hook that slides level, at the end of a heavy cable over a pulley, and the winch of this."""
    options = {"drum": 0.1, "pulley": 0.2, "length": 7.45, "stiffness": 2e4, "weight": 10.0} | cable
    joints = [
        da.Joint("x", "prismatic", "world", "bob", axis="x", origin=(6, 0, -1)),
        da.Joint("w", "revolute", "world", "drum", axis="y"),
    ]
    bodies = [da.point_mass("bob", 1.0), da.Body("drum", inertia=(0.1, 0.1, 0.1))]
    return da.Machine("m", bodies, joints, cables=[da.Cable("c", "bob", winch="w", **options)])


@law("Cable.lead")
def test_the_lead_of_a_heavy_cable_stretches_with_the_tension_at_its_winch() -> None:
    """The winch holds ``r (T + T^2 / (2 EA))``; a lead of ``s`` takes the unstretched length ``s / (1 + T / EA)``."""
    w = da.equations(over_a_pulley(), backend="vm").v_names.index("w_dot")
    force = evaluated(over_a_pulley(), "bias", q=[0.0, 0.0])
    T = 2e4 * (math.sqrt(1.0 - 2.0 * force[w] / 0.1 / 2e4) - 1.0)
    longer = over_a_pulley(lead=3.0, length=7.45 + 3.0 / (1.0 + T / 2e4))
    assert T > 40.0
    np.testing.assert_allclose(evaluated(longer, "bias", q=[0.0, 0.0]), force, rtol=1e-9)


@law("Cable.friction")
def test_a_heavy_cable_slips_on_its_pulley_at_eytelweins_ratio() -> None:
    """Without weight to speak of, at ``T_0 = T e^(mu wrap)`` while the winch pulls it in."""
    machine = over_a_pulley(weight=1e-4, friction=0.3, lead=1.0)
    drives = [da.MotionConstraint("w", joint="w", value=-1.0 * da.TIME)]
    drives.append(da.MotionConstraint("x", joint="x", value=0.3 + 0.0 * da.TIME))
    run = da.simulate(machine.with_(constraints=drives), duration=0.5, q0={"x": 0.3}, backend="vm")
    assert run.events[-1].name == "c.pulley.slip"
    ratio = run["tension_winch.c"][-1] / run["tension.c"][-1]
    assert ratio == pytest.approx(math.exp(0.3 * run["wrap.c.pulley"][-1]), rel=1e-5)


@law("Cable.drum")
def test_a_winch_holds_the_tension_at_the_radius_of_its_drum() -> None:
    """Inextensible, z = -(l + r theta): (m + I / r^2) z'' = tau / r - m g, with tau against paying out."""
    drum = (da.Body("drum", 1.0, inertia=(0.02, 0.02, 0.03)), da.Joint("theta", "revolute", "world", "drum", axis="z"))
    cable = da.Cable("c", "bob", length=1.2, winch="theta", drum=0.17)
    machine = bob(cable, drum, gravity=(0, 0, -9.7))
    eom = da.equations(machine, backend="vm")
    order = [eom.v_names.index(name) for name in ("z_dot", "theta_dot")]
    q, tau = np.zeros(2), np.zeros(2)
    q[order], tau[order] = (-1.2 - 0.17 * 0.4, 0.4), (0.0, -3.1)
    a, (tension,) = eom.constrained_dynamics(q, np.zeros(2), tau)
    lift = (3.1 / 0.17 - 2.7 * 9.7) / (2.7 + 0.03 / 0.17**2)
    np.testing.assert_allclose(np.asarray(a)[order], [lift, -lift / 0.17], rtol=1e-11)
    assert tension == pytest.approx(2.7 * (9.7 + lift), rel=1e-11)


@law("Cable.pulley")
def test_a_cable_leaves_its_pulley_along_the_tangent() -> None:
    """Its length is the arc from the entry D to the point of tangency, and the tangent from there to the anchor."""
    R, x, z = 0.2, 1.1, -0.9
    centre = np.array([R, 0.0])  # of the pulley in its plane, D at the origin
    place = np.array([x, z])
    d = float(np.linalg.norm(place - centre))
    straight = math.sqrt(d * d - R * R)
    # from D over the top to the point of tangency, which is across the line to the anchor by acos(R/d)
    toward = math.atan2(*(place - centre)[::-1])
    tangent = toward + math.acos(R / d)
    wrapped = (math.pi - tangent) % (2 * math.pi)
    machine = da.Machine(
        "m",
        [da.Body("bob", 1.0)],
        [da.Joint("z", "prismatic", "world", "bob", origin=da.Transform((x, 0.0, 0.0)), axis="z")],
        cables=[da.Cable("c", "bob", length=0.5, pulley=R, stiffness=1.0, bilateral=True)],
        gravity=(0, 0, 0),
    )
    stretch = straight + R * wrapped - 0.5
    assert evaluated(machine, "potential_energy", q=[z]) == pytest.approx([stretch**2 / (2 * 0.5)], rel=1e-12)


def thrown(contact: str, **laws: Any) -> da.Run:
    """A point of 1.4 kg that hits a floor aslant, in no gravity."""
    machine = da.Machine(
        "thrown",
        [da.Body("carrier"), da.Body("slide"), da.Body("ball", 1.4)],
        [
            da.Joint("x", "prismatic", "world", "carrier", axis="x"),
            da.Joint("y", "prismatic", "carrier", "slide", axis="y"),
            da.Joint("z", "prismatic", "slide", "ball", axis="z"),
        ],
        contacts=[da.Contact("floor", "ball", **laws)],
        gravity=(0, 0, 0),
    )
    start = {"q0": {"z": 0.11}, "v0": {"x_dot": 1.2, "y_dot": -0.9, "z_dot": -2.2}}
    return da.simulate(machine, duration=0.1, step=0.01, contact=contact, backend="vm", **start)


@law("Contact.restitution", "Contact.friction", "BlockLaw.COULOMB", "BlockLaw.UNILATERAL")
@pytest.mark.parametrize(
    ("contact", "law_of_impact"), [("event-driven", "newton"), ("event-driven", "poisson"), ("time-stepping", "newton")]
)
def test_an_impact_throws_back_and_rubs(contact: str, law_of_impact: str) -> None:
    """u_n+ = -e u_n-; friction takes mu (1 + e) |u_n-| of the slip of 1.5 m/s, or all of it."""
    for mu, e, left in ((0.23, 0.35, 1.5 - 0.23 * 1.35 * 2.2), (0.0, 0.8, 1.5), (1.1, 0.0, 0.0)):
        run = thrown(contact, friction=mu, restitution=e, law=law_of_impact)
        end = [run[name][-1] for name in ("x_dot", "y_dot", "z_dot")]
        np.testing.assert_allclose(end, [left * 0.8, -left * 0.6, e * 2.2], atol=1e-9)


@law("Collider.restitution", "Collider.friction")
def test_colliders_share_their_coefficients() -> None:
    """A pair has mu = sqrt(0.2 0.45) = 0.3 and e = min(0.35, 0.6): friction takes mu (1 + e) |u_n-| of the velocity."""
    machine = da.Machine(
        "ball",
        bodies=[da.sphere("ball", 1.7, 0.1)],
        joints=[da.Joint("base", "free", "world", "ball")],
        colliders=[
            da.Collider("balls", friction=0.2, restitution=0.6),
            da.Collider("ground", surface=da.HalfSpace(), friction=0.45, restitution=0.35),
        ],
        gravity=(0, 0, 0),
    )
    start, twist = {"base.z": 0.11}, {"base.vx": 1.5, "base.vz": -0.4}
    run = da.simulate(machine, duration=0.1, q0=start, v0=twist, contact="time-stepping", step=1e-3)
    end = [(run[f"base.{axis}"][-1] - run[f"base.{axis}"][-2]) / 1e-3 for axis in "xyz"]
    np.testing.assert_allclose(end, [1.5 - 0.3 * 1.35 * 0.4, 0.0, 0.35 * 0.4], atol=1e-9)


@law("Collider.rolling", "Collider.spinning", "BlockLaw.RESISTED")
def test_a_ball_rolls_out_and_stops_spinning_by_its_arms() -> None:
    """Arms of 4 and 7 mm: a = -(5/7) g f / r while it rolls; a moment of m g s about the normal while it spins."""
    g, r = 9.7, 0.2
    balls = da.Collider("balls", friction=0.8, rolling=0.004, spinning=0.007)
    machine = da.Machine(
        "ball",
        bodies=[da.sphere("ball", 1.7, r)],
        joints=[da.Joint("base", "free", "world", "ball")],
        colliders=[balls, da.Collider("ground", surface=da.HalfSpace(), friction=0.8)],
        gravity=(0, 0, -g),
    )
    settings: dict[str, Any] = {"duration": 0.3, "contact": "time-stepping", "step": 1e-3, "record": 0.1}
    run = da.simulate(machine, q0={"base.z": r}, v0={"base.vx": 0.9, "base.wy": 4.5}, **settings)
    assert run["base.x"][-1] == pytest.approx(0.9 * 0.3 - 5 / 7 * g * 0.004 / r * 0.3**2 / 2, rel=1e-9)
    spun = da.simulate(machine, q0={"base.z": r}, v0={"base.wz": 6.0}, **settings)
    assert spun["base.wz"][-1] == pytest.approx(6.0 - g * 0.007 / (0.4 * r**2) * 0.3, rel=1e-9)


@law("Collider.stiffness", "Collider.damping")
def test_a_compliant_ball_sinks_in_swings_and_rebounds() -> None:
    """Sides of 2e4 and 3e4 N/m: m g / k, 2 pi sqrt(m / k), and c v - ln(1 + c v) the same before and after a hit."""
    m, g, k, c = 1.7, 9.7, 1.2e4, 0.6 * 0.5 + 0.4 * 0.25  # each side has its part of the depth

    def ball(gravity: float, damping: tuple[float, float]) -> da.Machine:
        sides = {"stiffness": 2e4, "damping": damping[0]}, {"stiffness": 3e4, "damping": damping[1]}
        plane = da.HalfSpace()
        return da.Machine(
            "ball",
            bodies=[da.sphere("ball", m, 0.1)],
            joints=[da.Joint("base", "free", "world", "ball")],
            colliders=[da.Collider("balls", **sides[0]), da.Collider("ground", surface=plane, **sides[1])],
            gravity=(0, 0, -gravity),
        )

    settings: dict[str, Any] = {"contact": "time-stepping", "step": 1e-4}
    rest, period = 0.1 - m * g / k, 2 * np.pi * np.sqrt(m / k)
    run = da.simulate(ball(g, (0.0, 0.0)), duration=3 * period, q0={"base.z": rest + 5e-4}, **settings)
    phase = 6 * np.pi * (1e-4 * np.sqrt(k / m)) ** 2 / 12  # error of the trapezoid
    expected = rest + 5e-4 * np.cos(np.sqrt(k / m) * run.t)
    np.testing.assert_allclose(run["base.z"], expected, rtol=0.0, atol=1.2 * 5e-4 * phase)
    hit = da.simulate(ball(0.0, (0.5, 0.25)), duration=0.1, q0={"base.z": 0.11}, v0={"base.vz": -1.3}, **settings)
    invariant = [-c * v - np.log1p(-c * v) for v in hit["base.vz"][[0, -1]]]
    assert invariant[1] == pytest.approx(invariant[0], rel=1e-4)
    assert 0.65 < hit["base.vz"][-1] / 1.3 < 0.75


@law("Collider.belt", "Collider.grain", "Collider.across")
def test_a_belt_carries_and_a_grain_turns() -> None:
    """A belt of 0.7 m/s accelerates a crate by 0.3 g; along and across a grain mu is 0.35 and 0.21."""
    g, machine = 9.7, partial(_crate, friction=0.5)
    settings: dict[str, Any] = {"q0": {"base.z": 0.1}, "contact": "time-stepping", "step": 1e-3, "record": 0.1}
    belt = machine({"friction": 0.18, "belt": (0.0, 0.7, 0.0)})
    run = da.simulate(belt, duration=0.2, **settings)
    np.testing.assert_allclose(run["base.vy"], 0.3 * g * run.t, rtol=1e-9, atol=1e-12)
    file = machine({"friction": 0.35**2 / 0.5, "grain": (0, 1, 0), "across": 0.21**2 / 0.5})
    for speed, part in ((("vx", 1.9), 0.21), (("vy", 1.9), 0.35)):
        run = da.simulate(file, duration=0.2, v0={f"base.{speed[0]}": speed[1]}, **settings)
        assert run[f"base.{speed[0]}"][-1] == pytest.approx(1.9 - part * g * 0.2, rel=1e-9)


@law("Collider.adhesion")
def test_adhesion_adds_to_the_weight() -> None:
    """A crate slides to rest by 0.3 (g + A/m), with the larger of two adhesions."""
    machine = _crate({"friction": 0.18, "adhesion": 6.6}, friction=0.5)
    settings: dict[str, Any] = {"q0": {"base.z": 0.1}, "contact": "time-stepping", "step": 1e-3, "record": 0.1}
    for own, adhesion in ((1.2, 6.6), (7.8, 7.8)):
        sticky = machine.with_(colliders=[replace(machine.colliders[0], adhesion=own), machine.colliders[1]])
        run = da.simulate(sticky, duration=0.2, v0={"base.vx": 1.9}, **settings)
        assert run["base.vx"][-1] == pytest.approx(1.9 - 0.3 * (9.7 + adhesion / 3.0) * 0.2, rel=1e-9)


def _crate(ground: dict[str, Any], friction: float) -> da.Machine:
    """A crate of 3 kg, 0.2 m high, on the ground."""
    colliders = [da.Collider("crate", friction=friction), da.Collider("ground", surface=da.HalfSpace(), **ground)]
    joints, gravity = [da.Joint("base", "free", "world", "crate")], (0.0, 0.0, -9.7)
    return da.Machine("crate", [da.box("crate", 3.0, (0.5, 0.4, 0.2))], joints, colliders=colliders, gravity=gravity)


@law("BlockLaw.COULOMB", "BlockLaw.UNILATERAL", "BlockLaw.STICTION")
def test_blocks_alone() -> None:
    """What sticks has x = -W^-1 b, with both tangents coupled; what slips is on the edge of its cone; limits hold."""
    W = np.array([[1.9, 0.3, -0.2], [0.3, 1.4, 0.5], [-0.2, 0.5, 1.1]])
    b = np.array([-1.7, 0.21, -0.16])
    stuck = solve_blocks(W, b, [BlockLaw.COULOMB], np.array([0.9]))
    np.testing.assert_allclose(stuck.impulses, -np.linalg.solve(W, b), rtol=1e-12)
    push = np.array([-1.0, 0.8, -0.6])
    slips = solve_blocks(np.diag([2.0, 3.0, 3.0]), push, [BlockLaw.COULOMB], np.array([0.3]))
    np.testing.assert_allclose(slips.impulses, [0.5, -0.3 * 0.5 * 0.8, 0.3 * 0.5 * 0.6], rtol=1e-10)
    for u, x in ((-1.3, 1.3 / 2.5), (0.4, 0.0)):
        assert solve_blocks([[2.5]], [u], [BlockLaw.UNILATERAL], [0.0]).impulses == pytest.approx([x], rel=1e-14)
    for u, x in ((-1.3, 0.4), (1.3, -0.4), (0.5, -0.2)):
        assert solve_blocks([[2.5]], [u], [BlockLaw.STICTION], [0.4, 0.4]).impulses == pytest.approx([x], rel=1e-14)
    for u, x in ((-1.3, 0.3), (1.3, -0.3), (0.9, -0.36), (-0.5, 0.2)):  # more holds at rest than in motion
        assert solve_blocks([[2.5]], [u], [BlockLaw.STICTION], [0.4, 0.3]).impulses == pytest.approx([x], rel=1e-14)


@law("BlockLaw.ROPE")
def test_a_rope_over_a_sheave_slips_at_the_ratio_of_its_tensions() -> None:
    """Two spans, E = 1.3: x_1 = E x_0 where the rope runs, both spans as they must where it sticks; slack: nothing."""
    W = np.diag([1.0, 2.0])
    runs = 1.8 / (1.0 + 1.3 * 2.0)  # u_0 + u_1 = 0 with x_1 = E x_0
    for b, x in (((0.2, -2.0), (runs, 1.3 * runs)), ((-1.0, -2.2), (1.0, 1.1)), ((0.3, 0.1), (0.0, 0.0))):
        got = solve_blocks(W, b, [BlockLaw.ROPE], [1.3], sizes=[2]).impulses
        np.testing.assert_allclose(got, x, atol=1e-12)
