"""Plans in which fast deflections follow their loads, against the whole machine and against a closed form."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.optimal import follow

DRIVE, LIGHT, STIFFNESS = 2.0, 0.5, 800.0


def spring_cart() -> da.Machine:
    """A cart with a small mass on a spring: 40 rad/s on its own."""
    return da.Machine(
        "cart",
        [da.point_mass("cart", DRIVE), da.point_mass("light", LIGHT)],
        [
            da.Joint("x", "prismatic", "world", "cart", axis="x"),
            da.Joint("s", "prismatic", "cart", "light", axis="x", stiffness=STIFFNESS),
        ],
        motors=[da.Motor("F", "x")],
        gravity=(0, 0, 0),
    )


def test_a_static_coordinate_has_the_deflection_of_its_load() -> None:
    """The cart moves as one rigid mass of 2.5 kg, and the spring carries ``-m a``: both in closed form."""
    plan = da.optimise(spring_cart(), end={"x": 1.0}, duration=1.0, static=["s"], check=False)
    total = DRIVE + LIGHT
    assert plan.cost == pytest.approx(12.0 * total**2, rel=1e-9)
    t = np.linspace(0.0, 1.0, 41)
    acceleration = 6.0 - 12.0 * t
    np.testing.assert_allclose(plan.inputs(t)[:, 0], total * acceleration, atol=1e-7)
    np.testing.assert_allclose(plan.coordinates(t)[:, 1], -LIGHT * acceleration / STIFFNESS, atol=1e-9)
    np.testing.assert_allclose(plan.velocities(t)[:, 1], np.full(41, 12.0 * LIGHT / STIFFNESS), atol=1e-7)


def test_its_error_is_that_of_the_whole_machine() -> None:
    """The real spring is at rest at the start: it vibrates with the deflection that the plan begins with."""
    machine = spring_cart()
    jerky = da.optimise(machine, end={"x": 1.0}, duration=1.0, static=["s"], check=False)
    assert jerky.status == "inaccurate" and "error of the motion" in jerky.message
    smooth = da.Cost(effort=1.0, rates=0.05)
    still = {"end": {"x": 1.0, "F": 0.0}, "start_inputs": {"F": 0.0}, "cost": smooth, "duration": 2.0}
    gentle = da.optimise(machine, static=["s"], tolerance=2e-2, **still)  # type: ignore[arg-type]
    assert gentle.status == "optimal" and gentle.error < 0.5 * jerky.error
    run = da.simulate(machine, duration=2.0, control=gentle.feedforward, step=1e-3)
    np.testing.assert_allclose(run.x[-1, :2], gentle.q[-1], atol=2e-3)
    whole = da.optimise(machine, refinements=1, tolerance=1e-2, **still)  # type: ignore[arg-type]
    assert gentle.cost == pytest.approx(whole.cost, rel=5e-3)
    law = follow(gentle, Q={"x": 10.0, "s": 10.0}, R=1e-2)
    run = da.simulate(machine, duration=2.0, q0={"x": 0.05}, control=law, step=1e-3)
    assert abs(run["x"][-1] - 1.0) < 5e-3


def test_the_grid_resolves_the_vibrations_that_remain() -> None:
    """With the light mass carried along, the cart on its spring has ``sqrt(k / (M + m))``."""
    joints = [
        da.Joint("x", "prismatic", "world", "cart", axis="x", stiffness=5000.0),
        da.Joint("s", "prismatic", "cart", "light", axis="x", stiffness=1e9),
    ]
    plan = da.optimise(spring_cart().with_(joints=joints), end={"x": 0.01}, duration=3.0, static=["s"], check=False)
    omega = np.sqrt(5000.0 / (DRIVE + LIGHT))
    assert plan.grids[0].intervals == int(np.ceil(3.0 * omega / 3.2)) == 42


def beam_arm(modes: int) -> da.Machine:
    section = da.Section(4e-5, I_y=1.3e-11, I_z=1.3e-11)
    link = da.Beam("link", 1.0, section, E=7e10, G=3e10, density=2700.0, modes={"y": modes})
    joint = da.Joint("hub", "revolute", "world", "link", axis="z")
    return da.Machine("arm", [link], [joint], motors=[da.Motor("M", "hub")], gravity=(0, 0, 0))


def test_a_frequency_chooses_deflections_and_vibrations_beyond_a_grid_are_refused_by_name() -> None:
    arm = beam_arm(4)
    task = {"end": {"hub": 0.5, "link.delta1": 0.0, "M": 0.0}, "start_inputs": {"M": 0.0}, "duration": 2.0}
    cost = da.Cost(effort=1.0, rates=1e-2)
    plan = da.optimise(arm, static=60.0, refinements=1, cost=cost, check=False, **task)  # type: ignore[arg-type]
    assert plan.error < 0.1 and plan.iterations < 30
    moved = np.abs(np.diff(plan.q[:, 2:], axis=0)).max(axis=0)
    assert (moved > 0.0).all()  # static ones are not left out
    free = {"end": {"hub": 0.5}, "duration": 20.0}
    with pytest.raises(da.InputError, match=r"vibrates with up to .* rad/s, mostly in 'link\.delta4'.*static=OMEGA"):
        da.optimise(arm, **free)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"static": 1e6}, r"no deflection of machine 'cart' is faster, it has no flexible bodies"),
        ({"static": ["y"]}, "no coordinate named 'y'"),
        ({"static": ["x"]}, r"'x' has no stiffness at the start"),
        ({"static": ["s"], "end": {"x": 1.0, "s": 0.0}}, r"end: 's' follows its load \(static\)"),
        ({"static": ["s"], "limits": {"s_dot": (-1, 1)}}, r"limit of 's_dot'.*without a rate"),
        ({"static": ["s"], "equal": lambda t, q, v, u: q[0] + q[1] - t}, r"depends on 's', which follows its load"),
        (
            {"static": ["s"], "phases": [da.Phase("a", 1.0, jump=lambda q, v: 0.5 * v), da.Phase("b", 1.0)]},
            r"velocities jump after phase 'a'",
        ),
    ],
)
def test_what_cannot_follow_its_load_is_refused_by_name(change: dict[str, object], match: str) -> None:
    task: dict[str, object] = {"end": {"x": 1.0}, "duration": 1.0}
    if "phases" in change:
        del task["duration"]
    with pytest.raises(da.DalembertError, match=match):
        da.optimise(spring_cart(), **{**task, **change})  # type: ignore[arg-type]


def test_weights_of_inputs_may_have_the_names_of_joints() -> None:
    """Motors are often named as their joints: the group of a weight says which of both is meant."""
    cart = da.Machine(
        "cart", [da.point_mass("m", 2.0)], [da.Joint("x", "prismatic", "world", "m", axis="x")],
        motors=[da.Motor("x", "x")], gravity=(0, 0, 0),
    )  # fmt: skip
    plan = da.optimise(cart, end={"x": 1.0}, duration=1.0, cost=da.Cost(inputs={"x": 0.5}, terminal={"x": 1.0}))
    assert plan.cost == pytest.approx(0.5 * 48.0 + 1.0, rel=1e-9)
    with pytest.raises(da.DalembertError, match="no input named 'y'"):
        da.optimise(cart, end={"x": 1.0}, duration=1.0, cost=da.Cost(inputs={"y": 0.5}))
