"""Impacts as algebra: the document's linear system, closed forms, contacts that do not pull, restitution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.systems.falling_chains import falling_chain
from support.comparison import difference
from support.random_machines import random_machine, random_state

UP = (0.0, 1.0, 0.0)


def rod(inertia: float = 1.0 / 3.0) -> da.Machine:
    """A free rod of mass 1 and length 2 in a plane (or a body with more inertia), with frames at its ends."""
    return da.Machine(
        "rod",
        bodies=[da.Body("rod", 1.0, inertia=(inertia, inertia, inertia))],
        joints=[da.Joint("base", "planar", "world", "rod", axis=(0, 0, 1))],
        frames=[da.Frame(name, "rod", da.Transform((x, 0, 0))) for name, x in (("left", -1.0), ("right", 1.0))],
    )


def test_one_end_of_a_rod_in_closed_form() -> None:
    """Impulse ``(1 + e) v / (1/m + x^2/I)`` of an end that falls with v."""
    eom = da.equations(rod(), backend="vm")
    hit = eom.impact([0.0, 0.0, 0.0], [0.3, -2.0, 0.0], {"right": UP}, 0.6)
    impulse = 1.6 * 2.0 / (1.0 + 1.0 / (4.0 / 12.0))
    assert hit.impulses == pytest.approx([impulse], rel=1e-12)
    assert hit.v == pytest.approx([0.3, -2.0 + impulse, impulse / (4.0 / 12.0)], rel=1e-12)
    assert hit.energy_lost == pytest.approx(0.5 * (1 - 0.36) * 4.0 / (1.0 + 3.0), rel=1e-12)
    assert hit.contacts == ("right",)


def test_a_contact_does_not_pull() -> None:
    eom = da.equations(rod(), backend="vm")
    q, ends = np.zeros(3), {"left": UP, "right": UP}
    both = eom.impact(q, [0.0, -1.0, 0.0], ends, 1.0)
    assert both.v == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)
    # The left end touches at rest, the right one falls. A rod presses its left end down, a heavy dumbbell lifts it.
    v = [0.0, -1.0, -1.0]
    pressed = eom.impact(q, v, ends, 0.0)
    assert (pressed.impulses > 0.0).all()
    assert np.abs(pressed.v).max() < 1e-12
    lifted = da.equations(rod(4.0), backend="vm").impact(q, v, ends, 0.0)
    assert lifted.impulses[0] == 0.0
    assert lifted.impulses[1] == pytest.approx(2.0 / (1.0 + 0.25), rel=1e-12)
    assert lifted.v[1] - lifted.v[2] > 0.0
    # Away from the obstacle nothing happens.
    away = eom.impact(q, [0.0, 1.0, 0.5], ends, 1.0)
    assert away.v == pytest.approx([0.0, 1.0, 0.5], abs=0.0)
    assert away.energy_lost == 0.0


@pytest.mark.parametrize("by", ["newton-euler", "gibbs-appell"])
def test_the_linear_system_of_the_document(by: str) -> None:
    """(62) for a joint along X2 and a tip along X1 and X2 at once, where every contact pushes."""
    eom = da.equations(falling_chain(3, 2), by=by, backend="vm")
    rng = np.random.default_rng(3)
    contacts: dict[str, Any] = {"link1": UP, "link3.tip": [(-1.0, 0.0, 0.0), UP]}
    found = 0
    for _ in range(40):
        q, v = 0.1 * rng.normal(size=eom.nq), rng.normal(size=eom.nv)
        M = eom.mass_matrix(q)
        rows = [eom.jacobian(name, q, axes="world")[:3] for name in contacts]
        J = np.array([rows[0][1], -rows[1][0], rows[1][1]])
        A = np.block([[M, -J.T], [J, np.zeros((3, 3))]])
        solved = np.linalg.solve(A, np.concatenate([M @ v, -0.7 * J @ v]))
        if (solved[eom.nv :] <= 0.0).any() or (J @ v >= 0.0).any():
            continue
        found += 1
        hit = eom.impact(q, v, contacts, 0.7)
        assert difference(hit.v, solved[: eom.nv]) < 1e-9
        assert difference(hit.impulses, solved[eom.nv :]) < 1e-9
        assert hit.energy_lost > 0.0
    assert found >= 2


def test_case_study_one() -> None:
    """IMPACT, case study I: both ends of a link that bends, e = 1; X2' = 3.13209, delta' = -5.11360 after it."""
    machine = falling_chain(1, 1, boundary="clamped-clamped", rotary_inertia=False)
    eom = da.equations(machine, backend="vm")
    t = np.sqrt(2 * 0.5 / 9.81)
    assert t == pytest.approx(0.319275, abs=5e-7)
    hit = eom.impact(np.zeros(4), [0.0, -9.81 * t, 0.0, 0.0], {"link1": UP, "link1.tip": UP}, 1.0)
    beam = machine.bodies[0]
    assert isinstance(beam, da.Beam)
    b, c = 4.7300407448627, 1.0178094107
    middle = (
        np.sin(b / 2) - c * np.cos(b / 2) - np.sinh(b / 2) + c * np.cosh(b / 2)
    )  # the document's shape, full digits
    assert hit.v[1] == pytest.approx(3.13209, abs=5e-6)
    assert hit.v[3] * float(beam.basis[0].shape(0.5)) / middle == pytest.approx(-5.11360, abs=5e-6)
    assert abs(hit.energy_lost) < 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_impacts_of_random_machines(seed: int) -> None:
    """Newton's second and third law hold row by row, and no energy is added."""
    machine = random_machine(seed, 5, kinds=("revolute", "prismatic", "free", "planar"))
    eom = da.equations(machine, backend="vm")
    rng = np.random.default_rng(seed)
    q, v, _, _ = random_state(eom, seed)
    contacts = {f.name: rng.normal(size=(2, 3)) for f in machine.frames}
    e = rng.uniform(0, 1, size=4)
    hit = eom.impact(q, v, contacts, e)
    J = np.vstack(
        [n @ eom.jacobian(name, q, axes="world")[:3] / np.linalg.norm(n) for name in contacts for n in contacts[name]]
    )
    before, after = J @ v, J @ hit.v
    size = max(np.abs(before).max(), np.abs(after).max())
    slack = after + hit.restitution * np.minimum(before, 0.0)
    assert (hit.impulses >= 0.0).all()
    assert (slack >= -1e-9 * size).all()
    assert np.abs(slack * hit.impulses).max() <= 1e-9 * size * hit.impulses.max(initial=1.0)
    M = eom.mass_matrix(q)
    assert difference(M @ (hit.v - v), J.T @ hit.impulses, np.abs(M @ v).max()) < 1e-9
    assert hit.energy_lost >= -1e-9 * eom.energy(q, v).kinetic
    assert (hit.restitution <= e + 1e-15).all()


def test_restitution_that_would_add_energy_is_lowered() -> None:
    """A rod whose left end just leaves the ground while the right one hits it: the shock presses the left one back."""
    eom = da.equations(rod(), backend="vm")
    q, v = np.zeros(3), np.array([0.0, -0.25, -0.75])
    M, J = eom.mass_matrix(q), np.array([[0.0, 1.0, -1.0], [0.0, 1.0, 1.0]])
    assert J @ v == pytest.approx([0.5, -1.0])
    # The left end stopped, the right one thrown back at its speed: more energy than before.
    thrown = v + np.linalg.solve(M, J.T @ np.linalg.solve(J @ np.linalg.solve(M, J.T), [0.0, 1.0] - J @ v))
    assert thrown @ M @ thrown > 1.01 * v @ M @ v
    hit = eom.impact(q, v, {"left": UP, "right": UP}, 1.0)
    assert (hit.impulses > 0.0).all()
    assert J @ hit.v == pytest.approx([0.0, hit.restitution[1]], abs=1e-12)
    assert 0.5 < hit.restitution[1] < 1.0
    assert hit.energy_lost == pytest.approx(0.0, abs=1e-9)


def test_a_body_between_two_walls_stops() -> None:
    """No impulses give back the speed where the way is barred: restitution is lowered to what can be."""
    slide = da.Joint("x", "prismatic", "world", "ball", axis=(1, 0, 0))
    eom = da.equations(da.Machine("ball", [da.point_mass("ball", 1.0)], [slide]), backend="vm")
    hit = eom.impact([0.0], [1.0], {"ball": [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)]}, 0.5)
    assert hit.v == pytest.approx([0.0], abs=1e-15)
    assert hit.restitution.max() == 0.0


def test_constraints_hold_during_an_impact() -> None:
    """A rod whose left end is pinned by a constraint takes the impact as one that a joint pins."""
    machine = rod()
    anchor = da.Frame("anchor", "world", da.Transform((-1.0, 0.0, 0.0)))
    pinned = machine.with_(
        frames=[*machine.frames, anchor], constraints=[da.BallConstraint("pin", "left", "anchor", components="xy")]
    )
    hit = da.equations(pinned, backend="vm").impact(np.zeros(3), [0.0, -1.0, -1.0], {"right": UP}, 0.5)
    # About the pin: inertia m l^2/3 = 4/3; the rate -1 becomes 0.5.
    assert hit.v == pytest.approx([0.0, 0.5, 0.5], abs=1e-12)
    assert hit.impulses == pytest.approx([4.0 / 3.0 * 1.5 / 2.0], rel=1e-12)


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_cables_pull_where_they_are_taut(friction: float) -> None:
    """A ball on a cable: taut, it goes where the cable lets it, with friction too; slack, the cable is not there."""
    joints = [
        da.Joint("x", "prismatic", "world", "slide", axis=(1, 0, 0)),
        da.Joint("z", "prismatic", "slide", "ball", axis=(0, 0, 1)),
    ]
    bodies = [da.Body("slide", 0.0), da.point_mass("ball", 1.0)]
    rope = da.Cable("rope", "ball", exit_at=(0.0, 0.0, 1.0), length=1.0)
    eom = da.equations(da.Machine("ball", bodies, joints, cables=[rope]), backend="vm")
    n, v = np.array([2.0, -1.0]) / np.sqrt(5.0), np.array([-2.0, 0.0])  # an overhang that would throw the ball down
    hit = eom.impact([0.0, 0.0], v, {"ball": (n[0], 0.0, n[1])}, 0.5, friction=friction)
    # The cable keeps the height: the velocity along x alone makes the normal velocity -e times what it was.
    assert hit.v == pytest.approx([1.0, 0.0], abs=1e-12)
    assert hit.restitution == pytest.approx([0.5])
    loose = eom.impact([0.0, 0.5], v, {"ball": (n[0], 0.0, n[1])}, 0.5, friction=friction)
    free = da.equations(da.Machine("ball", bodies, joints), backend="vm")
    alone = free.impact([0.0, 0.5], v, {"ball": (n[0], 0.0, n[1])}, 0.5, friction=friction)
    assert loose.v == pytest.approx(alone.v, abs=1e-14)
    assert loose.v[1] < -0.1


def test_what_is_driven_may_bring_energy() -> None:
    """A rod of 1 m whose near end is driven upwards strikes with its far end, which rebounds as it should."""
    body = da.Body("rod", 1.0, (0.5, 0.0, 0.0), inertia=(0.0, 1.0 / 12.0, 1.0 / 12.0))
    joints = [
        da.Joint("z", "prismatic", "world", "slide", axis=(0, 0, 1)),
        da.Joint("turn", "revolute", "slide", "rod", axis=(0, -1, 0)),
    ]
    machine = da.Machine(
        "driven rod",
        [da.Body("slide", 0.0), body],
        joints,
        frames=[da.Frame("tip", "rod", (1.0, 0.0, 0.0))],
        constraints=[da.MotionConstraint("drive", joint="z", value=3.0 * da.TIME)],
    )
    hit = da.equations(machine, backend="vm").impact([0.0, 0.0], [3.0, -4.0], {"tip": (0.0, 0.0, 1.0)}, 0.9)
    assert hit.v == pytest.approx([3.0, -2.1], rel=1e-12)
    assert hit.impulses == pytest.approx([1.9 / 3.0], rel=1e-12)  # m/3 of the change of its velocity
    assert hit.restitution == pytest.approx([0.9])
    assert hit.energy_lost < 0.0


def test_an_impact_is_the_same_in_natural_coordinates() -> None:
    machine = da.Machine(
        "body",
        [da.Body("b", 2.0, (0.1, 0.0, 0.2), np.diag([0.1, 0.2, 0.25]))],
        [da.Joint("f", "free", "world", "b")],
        frames=[da.Frame("corner", "b", da.Transform((0.3, 0.2, -0.1)))],
    )
    eom, natural = (da.equations(machine, by=by, backend="vm") for by in ("newton-euler", "natural"))
    rng = np.random.default_rng(0)
    q, v = eom.random_configuration(rng), rng.normal(size=6)
    down = eom.jacobian("corner", q, axes="world")[:3] @ v
    hit = eom.impact(q, v, {"corner": -down}, 0.4)
    own_q, own_v = natural.from_machine(q, v)
    other = natural.impact(own_q, own_v, {"corner": -down}, 0.4)
    assert hit.impulses[0] > 0.0
    assert difference(other.impulses, hit.impulses) < 1e-10
    assert difference(natural.to_machine(own_q, other.v)[1], hit.v) < 1e-10


def test_bad_input_is_refused_by_name() -> None:
    eom = da.equations(rod(), backend="vm")
    q, v = np.zeros(3), np.array([0.0, -1.0, 0.0])
    bad: list[tuple[str, tuple[Any, ...]]] = [
        ("restitution must be one number from 0 to 1", (q, v, {"left": UP}, 1.5)),
        ("restitution must be one number from 0 to 1", (q, v, {"left": UP}, [0.1, 0.2])),
        ("restitution must be", (q, v, {"left": UP}, "much")),
        ("contacts must map frames", (q, v, {}, 0.5)),
        ("contacts must map frames", (q, v, ["left"], 0.5)),
        ("frame 'left' must be a normal", (q, v, {"left": (0, 0, 0)}, 0.5)),
        ("frame 'left' must be a normal", (q, v, {"left": "up"}, 0.5)),
        ("lft", (q, v, {"lft": UP}, 0.5)),
        ("v must be 3 finite numbers", (q, [0.0, np.nan, 0.0], {"left": UP}, 0.5)),
        ("q must be 3 finite numbers", (np.zeros((2, 3)), v, {"left": UP}, 0.5)),
    ]
    for message, arguments in bad:
        with pytest.raises(da.DalembertError, match=message):
            eom.impact(*arguments)


def test_friction_at_an_impact() -> None:
    """A rocking block lands on its other corner, without slip and with it, and Kane's pendulum is not made faster."""
    body = da.Body("block", 1.0, inertia=(1.0, (0.2**2 + 0.4**2) / 12, 1.0))
    frames = [da.Frame(name, "block", (x, 0, -0.2)) for name, x in (("left", -0.1), ("right", 0.1))]
    joint = da.Joint("b", "planar", "world", "block", axis="-y")
    eom = da.equations(da.Machine("block", [body], [joint], frames=frames))
    q, up = np.zeros(3), (0.0, 0.0, 1.0)
    J = np.vstack([eom.jacobian("left", q, axes="world")[[0, 2]], [[0, 0, 1]]])
    v = np.linalg.solve(J, [0.0, 0.0, 1.0])  # about the left corner
    v = v if (eom.jacobian("right", q, axes="world") @ v)[2] < 0 else -v
    for friction, ratio in ((0.5, 0.7), (0.3, 0.6129032258)):
        hit = eom.impact(q, v, {"left": up, "right": up}, friction=friction)
        assert hit.v[2] / v[2] == pytest.approx(ratio, abs=1e-10)
        assert hit.energy_lost > 0.0
        assert np.linalg.norm(hit.friction, axis=1) == pytest.approx(friction * hit.impulses, abs=1e-12) or ratio == 0.7
    with pytest.raises(da.InputError, match="friction must be one number >= 0"):
        eom.impact(q, v, {"left": up}, friction=-1.0)


@pytest.mark.parametrize("reeled", [0.0, 0.3])
def test_a_cable_that_is_about_to_be_stretched_stops_the_impact(reeled: float) -> None:
    """The ball moves at 0.6 m/s against a cable that is reeled in, and goes up as fast as that: no cable bounces."""
    joints = [
        da.Joint("x", "prismatic", "world", "slide", axis=(1, 0, 0)),
        da.Joint("z", "prismatic", "slide", "ball", axis=(0, 0, 1)),
    ]
    bodies = [da.Body("slide", 0.0), da.point_mass("ball", 1.4)]
    rope = da.Cable("rope", "ball", exit_at=(0.0, 0.0, 1.0), length=1.0 - reeled * da.TIME)
    eom = da.equations(da.Machine("ball", bodies, joints, cables=[rope]), backend="vm")
    n, v = np.array([2.0, -1.0]) / np.sqrt(5.0), np.array([-2.0, -0.6])
    hit = eom.impact([0.0, 0.0], v, {"ball": (n[0], 0.0, n[1])}, 0.5)
    before = n @ v
    assert hit.v[1] == pytest.approx(reeled, abs=1e-12)
    assert n @ hit.v == pytest.approx(-hit.restitution[0] * before, rel=1e-9)
    assert hit.impulses[0] == pytest.approx(1.4 * (hit.v[0] - v[0]) / n[0], rel=1e-9)
