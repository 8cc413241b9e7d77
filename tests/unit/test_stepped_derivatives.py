"""Derivatives through time-stepping with friction: against closed forms and differences of the runs themselves."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from tests.support.changed_runs import changed

import dalembert as da
from dalembert.campaigns import gradient, identify, sensitivities
from dalembert.collide.smooth import with_smooth_contacts
from dalembert.core.errors import DalembertWarning, InputError, SimulationError
from dalembert.simulation import contact_modes
from dalembert.systems import legged

G = 9.81


def differences(machine: Any, name: str, h: float, signals: list[str], given: dict[str, Any]) -> np.ndarray:
    """Differences of fourth order of the signals at the end of runs."""

    def end(change: float) -> np.ndarray:
        return da.simulate(machine, **changed(machine, name, change, given)).array(signals)[-1]

    return (8.0 * (end(h) - end(-h)) - (end(2 * h) - end(-2 * h))) / (12.0 * h)


def agree(machine: Any, quantities: dict[str, float], signals: list[str], rtol: float = 1e-6, **given: Any) -> Any:
    """Compare with differences of the run, and the adjoint with the forward derivatives."""
    given = {"contact": da.TimeStepping(tolerance=1e-12), "step": 1e-3, **given}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)  # of impacts
        found = sensitivities(machine, of=signals, wrt=list(quantities), **given)
        back = gradient(machine, wrt=list(quantities), final=signals[0], **given)
    exact = np.stack([differences(machine, name, h, signals, given) for name, h in quantities.items()], axis=1)
    scale = np.maximum(np.abs(exact).max(axis=1, keepdims=True), 0.1)
    np.testing.assert_allclose(found.derivatives[-1] / scale, exact / scale, atol=rtol)
    np.testing.assert_allclose(back.gradient, found.derivatives[-1, 0], atol=1e-10 * scale[0, 0])
    return found


def puck(legs: tuple[Any, Any] = (0.05, 0.05)) -> da.Machine:
    """A body in a vertical plane on two feet."""
    mu = da.Parameter("mu", 0.3)
    feet = [
        da.Contact(f"foot{k}", "b", None, (side, 0.0, leg if isinstance(leg, da.Parameter) else -leg), friction=mu)
        for k, (side, leg) in enumerate(zip((-0.1, 0.1), legs, strict=True))
    ]
    return da.Machine("puck", [da.box("b", 2.0, (0.2, 0.1, 0.1))], [da.Joint("b", "planar", "world", "b", axis="-y")],
                      contacts=feet)  # fmt: skip


def ball() -> da.Machine:
    """A ball with different moments of inertia."""
    contact = da.Contact(
        "floor", "ball", da.Sphere(0.1), restitution=da.Parameter("e", 0.6), friction=da.Parameter("mu", 0.4)
    )
    body = da.box("ball", 1.0, (0.2, 0.15, 0.1))  # it wobbles
    return da.Machine("ball", [body], [da.Joint("b", "free", "world", "ball")],
                      contacts=[contact])  # fmt: skip


def test_a_body_that_slides_to_a_stop() -> None:
    """x = v^2 / (2 mu g): its derivatives are those of the closed form, to the order of the step."""
    given: dict[str, Any] = {"q0": {"b.y": 0.05}, "v0": {"b.x_dot": 1.0}, "duration": 0.5}
    found = agree(puck(), {"mu": 1e-6, "v0.b.x_dot": 1e-6, "q0.b.x": 1e-6}, ["b.x", "b.y", "work.loss"], **given)
    stop, v, mu = found.derivatives[-1], 1.0, 0.3
    exact = [-(v**2) / (2 * mu**2 * G), v / (mu * G), 1.0]
    np.testing.assert_allclose(stop[0], exact, atol=2e-3)
    np.testing.assert_allclose(stop[1], 0.0, atol=1e-12)
    np.testing.assert_allclose(stop[2], [0.0, -2.0 * v, 0.0], atol=1e-2)  # all of m v^2 / 2 is lost
    # its friction follows from its path
    path = da.simulate(puck(), contact="time-stepping", step=1e-3, record=0.02, **given)
    known = {name: given[name] for name in ("q0", "v0")}
    friction = identify(puck(), path, unknown=["mu"], measured=["b.x"], p={"mu": 0.2}, contact="time-stepping",
                        step=1e-3, **known)  # fmt: skip
    assert friction.values["mu"] == pytest.approx(0.3, abs=1e-9)
    # a cost of the whole way: the mean of it by the trapezoidal rule
    cost = gradient(puck(), wrt=["mu"], integral="b.x", contact="time-stepping", step=1e-3, **given)
    fine = [
        gradient(puck(), wrt=["mu"], integral="b.x", contact="time-stepping", step=1e-3, p={"mu": 0.3 + d}, **given)
        for d in (1e-5, -1e-5)
    ]
    assert cost.gradient[0] == pytest.approx((fine[0].cost - fine[1].cost) / 2e-5, rel=1e-6)


def test_a_ball_that_slips_rolls_and_rebounds() -> None:
    quantities = {"mu": 1e-6, "e": 1e-7, "v0.b.vx": 1e-6, "v0.b.wy": 1e-6}
    signals = ["b.x", "b.y", "b.z", "b.wx", "b.wy", "loss.floor", "force.floor.tangent1"]
    v0 = {"b.vx": 2.0, "b.vy": 0.3, "b.wx": 3.0}
    slides = agree(ball(), quantities, signals, q0={"b.z": 0.1}, v0=v0, duration=0.1)
    assert np.abs(slides.derivatives[-1, :, 0]).max() > 0.1  # it still slips, so friction matters
    agree(ball(), quantities, signals[:-1], q0={"b.z": 0.3}, v0=v0, duration=0.7, rtol=3e-6)


def test_joints_that_stick_and_stop() -> None:
    """Friction that holds, stops of joints and a sampled law."""
    bodies = [da.point_mass("m", 2.0), da.point_mass("n", 1.0)]
    first: dict[str, Any] = {"axis": "x", "stiffness": da.Parameter("k", 40.0)}
    second = da.Joint(
        "y", "prismatic", "m", "n", axis=(1, 1, 0), friction=da.Parameter("Fy", 0.4), friction_law="stick",
        stiffness=10.0,
    )  # fmt: skip
    sticking = da.Joint("x", "prismatic", "world", "m", friction=da.Parameter("F", 1.5), friction_law="stick", **first)
    rubs: dict[str, Any] = {"friction": 0.5, "friction_law": "stick"}  # at the stop its friction is not unique
    stopped = da.Joint("x", "prismatic", "world", "m", limits=da.Limits(-0.1, 0.2), **rubs, **first)
    start: dict[str, Any] = {"q0": {"x": 0.1, "y": 0.3}, "v0": {"x_dot": 1.3}, "duration": 0.4}
    quantities = dict.fromkeys(("k", "Fy", "v0.x_dot", "q0.x", "q0.y"), 1e-6)
    signals = ["x", "y", "x_dot", "y_dot", "work.loss"]
    agree(da.Machine("slides", bodies, [sticking, second]), {"F": 1e-6, **quantities}, signals, **start)
    agree(da.Machine("stops", bodies, [stopped, second]), quantities, signals, limits="contact", **start)


def test_sampled_laws_and_events() -> None:
    """A cart that a load inside pushes on by a sampled law; and one that slides up to an event, whose time changes."""
    mu, load = da.Parameter("mu", 0.3), da.Parameter("load", 1.0)
    cart = da.Machine(
        "cart",
        [da.box("b", 2.0, (0.2, 0.1, 0.1)), da.point_mass("m", load)],
        [
            da.Joint("b", "planar", "world", "b", axis="-y"),
            da.Joint("s", "prismatic", "b", "m", axis="x", damping=0.3),
        ],
        motors=[da.Motor("s", "s")],
        contacts=[da.Contact(f"foot{k}", "b", None, (x, 0.0, -0.05), friction=mu) for k, x in enumerate((-0.1, 0.1))],
    )
    start: dict[str, Any] = {"q0": {"b.y": 0.05, "s": 0.3}, "v0": {"b.x_dot": 0.4}, "duration": 0.1}
    law = da.control.Sampled(da.PD(kp=60.0, kd=6.0, reference=[0.0]), 5e-3)
    agree(cart, dict.fromkeys(("mu", "load", "q0.s"), 1e-6), ["b.x", "s", "b.x_dot"], control=law, **start)
    there = da.Event("there", lambda t, q, v: q[0] - 0.05, terminal=True)
    slides: dict[str, Any] = {"q0": {"b.y": 0.05}, "v0": {"b.x_dot": 1.0}, "duration": 0.5, "step": 1e-3}
    slides |= {"contact": "time-stepping", "events": [there]}
    found = sensitivities(cart, of=["b.x", "b.x_dot", "t"], wrt=["mu"], **slides)
    ends = [da.simulate(cart, p={"mu": 0.3 + d}, **slides) for d in (1e-6, -1e-6)]
    speed, t = ((a - b) / 2e-6 for a, b in zip(*((run["b.x_dot"][-1], run.t[-1]) for run in ends), strict=True))
    np.testing.assert_allclose(found.derivatives[-1, :, 0], [0.0, speed, t], atol=1e-6)


def test_modes_that_are_about_to_change_are_refused() -> None:
    """A body that is pulled by exactly its friction, a start just above the floor, and forces that are not unique."""
    given: dict[str, Any] = {"contact": "time-stepping", "step": 1e-3, "duration": 0.05, "q0": {"b.y": 0.05}}
    slope = puck().with_(gravity=(0.3 * G, 0.0, -G))
    with pytest.raises(
        SimulationError, match=r"'puck' has no derivatives at t = 0 s: 'foot\d' changes its mode .*margin"
    ):
        sensitivities(slope, of=["b.x"], wrt=["mu"], **given)
    steeper = sensitivities(slope, of=["b.x"], wrt=["mu"], p={"mu": 0.2}, **given)
    flatter = sensitivities(slope, of=["b.x"], wrt=["mu"], p={"mu": 0.4}, **given)
    assert steeper["b.x"][-1, 0] == pytest.approx(-0.5 * G * 0.05**2, rel=0.03)
    assert abs(flatter["b.x"][-1, 0]) < 1e-12
    with pytest.raises(SimulationError, match=r"'force.foot0.tangent1' of machine 'puck' .* not unique"):
        sensitivities(puck(), of=["force.foot0.tangent1"], wrt=["mu"], **given)
    h, v = 1e-3, 1.0  # the free fall of a step ends at the floor
    falling = {**given, "q0": {"b.z": 0.1 + h * v + 0.5 * G * h**2}, "v0": {"b.vz": -v}, "duration": h}
    with pytest.raises(
        SimulationError, match=r"'ball' has no derivatives at t = 0 s: 'floor' changes its mode .*margin"
    ):
        sensitivities(ball(), of=["b.z"], wrt=["e"], **falling)


def test_contacts_that_depend_on_each_other() -> None:
    """Four feet of one length follow it; a fourth that grows alone lifts the others."""
    mu, leg, reach = da.Parameter("mu", 0.3), da.Parameter("leg", -0.05), da.Parameter("reach", 0.1)

    def table(*legs: Any) -> da.Machine:
        places = zip(((1, 1), (1, -1), (-1, 1), (-1, -1)), legs, strict=True)
        feet = [
            da.Contact(f"foot{k}", "b", None, (0.1 * x if k else reach, 0.1 * y, z), friction=mu)
            for k, ((x, y), z) in enumerate(places)
        ]
        return da.Machine("table", [da.box("b", 2.0, (0.2, 0.2, 0.1))], [da.Joint("b", "free", "world", "b")],
                          contacts=feet)  # fmt: skip

    given: dict[str, Any] = {"q0": {"b.z": 0.05}, "v0": {"b.vx": 1.0}, "duration": 0.01}
    found = agree(table(leg, leg, leg, leg), {"leg": 1e-7, "v0.b.vx": 1e-6}, ["b.z", "b.x"], **given)
    np.testing.assert_allclose(found.derivatives[-1, 0], [-1.0, 0.0], atol=1e-9)
    # feet that slip in different directions: the motion depends on their shares of the load
    turns = {**given, "v0": {"b.vx": 1.0, "b.wz": 4.0}, "duration": 0.1}
    quantities = dict.fromkeys(("mu", "reach", "v0.b.vx", "v0.b.wz"), 1e-6)  # of a reach, the shares change
    agree(table(leg, leg, leg, leg), quantities, ["b.x", "b.y", "b.wz"], **turns)
    for outlet, cost in ((sensitivities, {"of": ["b.z"]}), (gradient, {"final": "b.z"})):
        with pytest.raises(SimulationError, match=r"'foot0', .* depend on each other, and a change of 'leg' opens one"):
            outlet(table(leg, -0.05, -0.05, -0.05), wrt=["leg"], **cost, contact="time-stepping", step=1e-3, **given)  # type: ignore[operator]


def test_what_is_refused_or_told() -> None:
    with pytest.warns(
        DalembertWarning, match=r"'floor' hits at t = 0\.0\d+ s\. The derivatives are those of the steps"
    ):
        sensitivities(
            ball(), of=["b.z"], wrt=["e"], q0={"b.z": 0.12}, duration=0.08, contact="time-stepping", step=1e-3
        )
    bodies, joint = [da.cylinder("can", 1.0, 0.1, 0.2)], da.Joint("b", "free", "world", "can")
    ground, run = da.Collider("ground", surface=da.HalfSpace()), {"duration": 0.1, "contact": "time-stepping"}
    wanted: dict[str, Any] = {"of": ["b.z"], "wrt": ["q0.b.z"], "q0": {"b.z": 0.2}}
    scene = da.Machine("scene", bodies, [joint], colliders=[da.Collider("all"), ground])
    with pytest.raises(InputError, match=r"'can' and 'ground' of machine 'scene' are a cylinder and a half-space"):
        sensitivities(scene, **wanted, **run)
    scene = scene.with_(bodies=[da.sphere("can", 1.0, 0.1)], colliders=[da.Collider("all", rolling=0.01), ground])
    with pytest.raises(InputError, match=r"collider 'all' has resistance against rolling or spinning: time-stepping"):
        sensitivities(scene, **wanted, **run)
    restitution = da.Parameter("e", 0.5)
    scene = scene.with_(colliders=[da.Collider("all", restitution=restitution), ground])
    with pytest.raises(
        InputError, match=r"'can' and 'ground' .* have different restitutions, of which one is a parameter"
    ):
        sensitivities(scene, **wanted, **run)


def collided(bodies: list[da.Body], joints: list[da.Joint], **coefficients: Any) -> da.Machine:
    """Bodies on the ground, all of them colliders."""
    colliders = [da.Collider("all", **coefficients), da.Collider("ground", surface=da.HalfSpace(), **coefficients)]
    return da.Machine("scene", bodies, joints, colliders=colliders)


def test_colliders_have_the_derivatives_of_their_runs() -> None:
    """A sphere slides on the ground, by differences of runs in which pairs are found in every step."""
    mu = da.Parameter("mu", 0.3)
    machine = collided([da.sphere("a", 1.0, 0.1)], [da.Joint("a", "free", "world", "a")], friction=mu)
    given: dict[str, Any] = {"q0": {"a.z": 0.1}, "v0": {"a.vx": 2.0, "a.wz": 3.0, "a.wx": 1.0}, "duration": 0.1}
    quantities = {"mu": 1e-6, "v0.a.vx": 1e-6, "v0.a.wx": 1e-6}
    found = agree(machine, quantities, ["a.x", "a.y", "a.wy"], **given)
    assert found.derivatives[-1, 0, 0] == pytest.approx(-G * 0.1**2 / 2, rel=2e-2)  # -g t^2 / 2 without the spin
    runs = [
        da.simulate(one, contact=da.TimeStepping(tolerance=1e-12), step=1e-3, **given).array(["a.x", "a.y", "a.wy"])
        for one in (machine, with_smooth_contacts(machine, ""))
    ]
    np.testing.assert_allclose(*runs, atol=1e-11)


@pytest.mark.slow
def test_colliders_that_strike_each_other_have_derivatives() -> None:
    """Two balls collide on the ground; a ball rolls over the edge of a box.

    Friction of a declared contact acts at the surfaces, that of colliders between them. In the step of an impact the
    two differ by the gap, up to 2 mm of 0.1 m.
    """
    mu, e = da.Parameter("mu", 0.3), da.Parameter("e", 0.5)
    balls = [da.sphere("a", 1.0, 0.1), da.sphere("b", 2.0, 0.15)]
    free = [da.Joint(body.name, "free", "world", body.name) for body in balls]
    machine = collided(balls, free, friction=mu, restitution=e)
    quantities = {"mu": 1e-6, "e": 1e-6, "v0.a.vx": 1e-6, "v0.a.wz": 1e-6, "q0.b.y": 1e-7}
    given: dict[str, Any] = {
        "q0": {"a.x": -0.5, "a.z": 0.1, "b.y": 0.05, "b.z": 0.15}, "v0": {"a.vx": 2.0, "a.wz": 3.0}, "duration": 0.2,
    }  # fmt: skip
    found = agree(machine, quantities, ["b.x", "b.y", "a.y", "a.wz"], rtol=2e-2, **given)
    assert np.abs(found.derivatives[-1, 0]).min() > 5e-5
    bodies = [da.sphere("ball", 1.0, 0.1), da.box("step", 1.0, (0.6, 0.6, 0.2))]
    joints = [da.Joint("b", "free", "world", "ball"), da.Joint("s", "fixed", "world", "step")]
    machine = da.Machine("step", bodies, joints, colliders=[da.Collider("all", friction=mu)])
    given = {"q0": {"b.x": 0.25, "b.z": 0.2}, "v0": {"b.vx": 0.5}, "duration": 0.2}
    agree(machine, {"mu": 1e-6, "v0.b.vx": 1e-6}, ["b.x", "b.z"], rtol=1e-4, **given)


def test_equations_of_a_contact_are_those_of_its_law() -> None:
    """The equations of each mode, by differences of the law that the engine solves: all impulses of random blocks."""
    from dalembert.engine.stepping.native import solve_cone

    rng, seen = np.random.default_rng(5), set()
    for _ in range(60):
        A = rng.normal(size=(3, 5))
        W, u0, mu = A @ A.T, rng.normal(size=3), np.array([rng.uniform(0.1, 1.0)])
        x = solve_cone(W, u0, mu).impulses[0]
        du0, dmu, h = rng.normal(size=3), rng.normal(), 1e-6
        ahead, behind = (solve_cone(W, u0 + s * h * du0, mu + s * h * dmu).impulses[0] for s in (1, -1))
        dx = (ahead - behind) / (2 * h)
        u, du, weights = W @ x + u0, W @ dx + du0, np.diag(W)[None]
        mode = contact_modes.coulomb_mode(x[None], u[None], mu, weights, np.abs(u0[:1]))
        if mode.margin.min() < 1e-3:
            continue
        lack = contact_modes.coulomb_equations(
            mode, x[None], u[None], mu, weights, dx[None, None], du[None, None], np.array([[dmu]])
        )
        np.testing.assert_allclose(lack, 0.0, atol=1e-6)
        seen.add((bool(mode.pushes[0]), bool(mode.sticks[0])))
    assert seen == {(False, False), (True, False), (True, True)}


@pytest.mark.slow
def test_a_quadruped_and_a_pile() -> None:
    """Feet that slip and stick, and spheres that roll over each other, in random motion."""
    mu = da.Parameter("mu", 0.35)
    agree(
        legged.quadruped(friction=mu),
        {"mu": 1e-7, "v0.base.vx": 1e-7, "q0.LF_KFE": 1e-7, "v0.RH_HFE_dot": 1e-7},
        ["base.x", "base.z", "LF_KFE", "base.wy"],
        rtol=1e-4,
        q0=legged.quadruped_stance(),
        v0={"base.vx": 0.5, "base.vy": 0.1},
        duration=0.1,
    )
    rng, n = np.random.default_rng(0), 3
    spheres = [da.sphere(f"s{i}", 1.0 + 0.2 * i, 0.1) for i in range(n)]
    joints = [da.Joint(f"j{i}", "free", "world", f"s{i}") for i in range(n)]
    ground = [da.Contact(f"g{i}", f"s{i}", da.Sphere(0.1), friction=mu, restitution=0.2) for i in range(n)]
    between = [
        da.Contact(f"p{i}{j}", f"s{i}", da.Sphere(0.1), on=f"s{j}", surface=da.SphericalSurface(0.1), friction=mu)
        for i in range(n)
        for j in range(i)
    ]
    places = [(0.0, 0.0, 0.1), (0.21, 0.0, 0.1), (0.1, 0.06, 0.28)]
    q0 = {f"j{i}.{a}": value for i, place in enumerate(places) for a, value in zip("xyz", place, strict=True)}
    v0 = {f"j{i}.w{a}": 3.0 * rng.normal() for i in range(n) for a in "xyz"} | {"j0.vx": 0.3}
    agree(
        da.Machine("pile", spheres, joints, contacts=[*ground, *between]),
        {"mu": 1e-8, "v0.j2.vx": 1e-8, "v0.j2.wx": 1e-8, "q0.j2.y": 1e-8},
        ["j2.x", "j2.y", "j2.z", "j0.x", "j1.wx"],
        rtol=1e-4,
        q0=q0,
        v0=v0,
        duration=0.15,
    )


@pytest.mark.slow
def test_random_falls() -> None:
    """A box with an arm that sticks falls, tumbles, hits with corners and tip, and slides on its face."""
    mu, e = da.Parameter("mu", 0.35), da.Parameter("e", 0.3)
    arm = da.Joint(
        "k", "revolute", "b", "arm", (0.15, 0.0, 0.05), axis=(0, 1, 0), damping=0.01,
        friction=da.Parameter("F", 0.05), friction_law="stick",
    )  # fmt: skip
    scene = da.Machine(
        "scene",
        [da.box("b", 2.0, (0.3, 0.2, 0.1)), da.box("arm", 0.7, (0.3, 0.05, 0.05))],
        [da.Joint("j", "free", "world", "b"), arm],
        contacts=[
            da.Contact("box", "b", da.Box((0.3, 0.2, 0.1)), friction=mu, restitution=e),
            da.Contact("tip", "arm", da.Sphere(0.03), (0.15, 0.0, 0.0), friction=mu, restitution=e),
        ],
    )
    eom = da.equations(scene)
    for seed in (1, 2, 4):
        rng = np.random.default_rng(seed)
        q0 = {"j.z": 0.25 + 0.1 * rng.random(), "k": 0.5 * rng.normal()}
        axis, angle = rng.normal(size=3), 0.4 * rng.normal()
        turned = [np.cos(angle / 2), *(np.sin(angle / 2) * axis / np.linalg.norm(axis))]
        q0 |= dict(zip(("j.qw", "j.qx", "j.qy", "j.qz"), turned, strict=True))
        v0 = {f"j.{name}": rng.normal() for name in ("vx", "vy", "vz", "wx", "wy", "wz")} | {"k_dot": rng.normal()}
        agree(
            eom,
            dict.fromkeys(("mu", "e", "F", "v0.j.vx", "q0.k"), 1e-7),
            ["j.x", "j.y", "j.z", "k", "j.vx", "work.loss"],
            rtol=1e-5,
            q0=q0,
            v0=v0,
            duration=0.5,
            contact=da.TimeStepping(tolerance=1e-13, margin=1e-12),  # gaps within the margin are not closed
        )
