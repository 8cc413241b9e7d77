"""Derivatives of runs through events, constraints and samples: against closed forms and differences of runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.support.changed_runs import changed

import dalembert as da
from dalembert import control
from dalembert.campaigns import gradient, sensitivities
from dalembert.core.errors import InputError, SimulationError
from dalembert.systems import cable_robots

G = 9.81


def on_grid(t: np.ndarray, record: float) -> np.ndarray:
    """Rows at multiples of an interval, of those at one time the last: times that no event changes."""
    return np.append(np.diff(t) > 0, True) & (np.abs(t / record - np.round(t / record)) < 1e-9)


def differences(machine: Any, name: str, h: float, signals: list[str], given: dict[str, Any]) -> np.ndarray:
    """Differences of fourth order of the signals, at the times of records."""

    def rows(change: float) -> np.ndarray:
        run = da.simulate(machine, **{"limits": "ignore", **changed(machine, name, change, given)})
        return run.array(signals)[on_grid(run.t, given["record"])]

    return (8.0 * (rows(h) - rows(-h)) - (rows(2 * h) - rows(-2 * h))) / (12.0 * h)


def agree(machine: Any, quantities: dict[str, float], signals: list[str], **given: Any) -> Any:
    """Compare with differences, and the adjoint with the forward derivatives at the end."""
    found = sensitivities(machine, of=signals, wrt=list(quantities), **given)
    kept = on_grid(found.t, given["record"])
    for k, (name, h) in enumerate(quantities.items()):
        exact = differences(machine, name, h, signals, given)
        scale = np.maximum(np.abs(exact).max(axis=0), 1e-3)
        np.testing.assert_allclose(found.derivatives[kept, :, k] / scale, exact / scale, atol=1e-6, err_msg=name)
    ahead = gradient(machine, wrt=list(quantities), final=signals[0], **given)
    size = np.abs(found.derivatives[-1, 0]).max()
    np.testing.assert_allclose(ahead.gradient, found.derivatives[-1, 0], atol=1e-9 * size)
    name, h = next(iter(quantities.items()))

    def cost(change: float) -> Any:
        at = changed(machine, name, change, given)
        return gradient(machine, wrt=[name], integral=lambda s: s[signals[0]] ** 2, **at)

    back = cost(0.0).gradient[0]
    assert back == pytest.approx((cost(h).cost - cost(-h).cost) / (2 * h), rel=1e-5, abs=1e-5)
    return found


def ball(law: str = "newton") -> da.Machine:
    e = da.Parameter("e", 0.8)
    contact = da.Contact("floor", "ball", da.Sphere(0.1), restitution=e, law=law)
    slide = da.Joint("z", "prismatic", "world", "ball", axis="z")
    return da.Machine("ball", [da.sphere("ball", 1.0, 0.1)], [slide], contacts=[contact])


def bounces(height: float, e: float, t: float) -> tuple[float, list[float]]:
    """Height of the bouncing ball above the floor at a time, and the times of its bounces; closed form."""
    fall = np.sqrt(2.0 * height / G)
    at, speed, times = fall, e * G * fall, []
    while at < t:
        times.append(at)
        if at + 2.0 * speed / G >= t:
            return speed * (t - at) - 0.5 * G * (t - at) ** 2, times
        at, speed = at + 2.0 * speed / G, e * speed
    return height - 0.5 * G * t**2, times


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_a_bouncing_ball(law: str) -> None:
    """Derivatives by restitution and height through three bounces, and those of their times, are exact."""
    found = sensitivities(
        ball(law), of=["z", "t"], wrt=["e", "q0.z"], q0={"z": 1.1}, duration=2.1, step=1e-2, record=0.1
    )
    kept = on_grid(found.t, 0.1)
    h = 1e-6

    def exact(t: float) -> list[float]:
        by_e = (bounces(1.0, 0.8 + h, t)[0] - bounces(1.0, 0.8 - h, t)[0]) / (2 * h)
        return [by_e, (bounces(1.0 + h, 0.8, t)[0] - bounces(1.0 - h, 0.8, t)[0]) / (2 * h)]

    expected = np.array([exact(t) for t in found.t[kept]])
    np.testing.assert_allclose(found["z"][kept], expected, atol=1e-7)
    # t1 = T, t2 = T + 2 e T, t3 = T + 2 e T + 2 e^2 T, with T = sqrt(2 h / g) and dT/dh = 1 / sqrt(2 g h)
    T, dT = np.sqrt(2.0 / G), 1.0 / np.sqrt(2.0 * G)
    times = [[0.0, dT], [2 * T, (1 + 1.6) * dT], [2 * T + 3.2 * T, (1 + 1.6 + 1.28) * dT]]
    assert [event.name for event in found.events] == ["floor.impact"] * 3
    np.testing.assert_allclose([event.derivatives for event in found.events], times, rtol=1e-8, atol=1e-9)
    at_events = np.isin(found.t, [e.t for e in found.events])
    assert found["t"][~at_events].max() == 0.0  # given times do not change, those of events do
    np.testing.assert_allclose(found["t"][at_events][::2], times, rtol=1e-8, atol=1e-9)
    back = gradient(ball(law), wrt=["e", "q0.z"], final="z", q0={"z": 1.1}, duration=2.1, step=1e-2)
    np.testing.assert_allclose(back.gradient, expected[-1], atol=1e-7)


def test_a_ball_that_stays_on_the_floor() -> None:
    """Without restitution the ball rests: its height no longer depends on where it fell from, its work does."""
    given: dict[str, Any] = {"q0": {"z": 1.1}, "p": {"e": 0.0}, "duration": 1.0, "step": 1e-2}
    found = sensitivities(ball(), of=["z", "z_dot", "work.loss", "loss.floor"], wrt=["q0.z"], **given)
    np.testing.assert_allclose(found.derivatives[-1, :, 0], [0.0, 0.0, -G, G], atol=1e-8)


def test_a_stop_ends_the_run() -> None:
    """A block against a spring that is stopped at x = 0.5: sin(w t) v/w = 0.5."""
    k = da.Parameter("k", 4.0)
    joint = da.Joint("x", "prismatic", "world", "b", axis="x", stiffness=k, limits=da.Limits(-1.0, 0.5, stop=True))
    machine = da.Machine("block", [da.point_mass("b", 1.0)], [joint])
    found = sensitivities(
        machine,
        of=["x", "x_dot", "t"],
        wrt=["k", "v0.x_dot"],
        v0={"x_dot": 2.0},
        duration=5.0,
        method="dopri5",
        rtol=1e-11,
        atol=1e-13,
    )
    w, v, x = 2.0, 2.0, 0.5
    t = np.arcsin(x * w / v) / w
    root = np.sqrt(1.0 - (x * w / v) ** 2)
    by_w, by_v = x / v / root / w - np.arcsin(x * w / v) / w**2, -x * w / v**2 / root / w
    speed = np.sqrt(v**2 - w**2 * x**2)
    assert found.t[-1] == pytest.approx(t, abs=1e-10)
    exact = [[0.0, 0.0], [-(x**2) / (2 * speed), v / speed], [by_w / (2 * w), by_v]]
    np.testing.assert_allclose(found.derivatives[-1], exact, atol=1e-9)
    assert found.events[-1].name == "x.upper"
    back = gradient(machine, wrt=["k", "v0.x_dot"], final="t", v0={"x_dot": 2.0}, duration=5.0, step=1e-3)
    np.testing.assert_allclose(back.gradient, exact[2], atol=1e-9)
    soft = da.Event("soft", lambda t, q, v: (q[0] - 0.25) ** 3, terminal=True)  # reaches zero with no speed
    with pytest.raises(SimulationError, match=r"event 'soft' .* is not transversal"):
        sensitivities(machine, of=["x"], wrt=["k"], v0={"x_dot": 2.0}, duration=1.0, events=[soft])


def test_a_joint_that_hits_its_limit() -> None:
    """Hard stops as contacts: a pendulum with a motor against its limit, and away again."""
    m = da.Parameter("m", 1.0)
    joint = da.Joint("a", "revolute", "world", "b", axis="y", limits=da.Limits(-2.0, 0.4), damping=0.1)
    machine = da.Machine("arm", [da.point_mass("b", m, com=(0, 0, -0.7))], [joint], motors=[da.Motor("u", "a")])
    law = da.PD(30.0, 2.0, lambda t: 0.8 * da.control.read("t") * (1.2 - t))
    agree(
        machine,
        {"m": 1e-4, "q0.a": 1e-5},
        ["a", "a_dot"],
        q0={"a": 0.1},
        control=law,
        limits="contact",
        duration=1.5,
        step=5e-3,
        record=0.05,
    )


def test_a_cable_that_goes_slack_and_taut() -> None:
    length = da.Parameter("length", 1.0)
    machine = da.Machine(
        "bob",
        [da.point_mass("carrier", 0.2), da.point_mass("b", 1.5)],
        [
            da.Joint("x", "prismatic", "world", "carrier", axis="x"),
            da.Joint("z", "prismatic", "carrier", "b", axis="z"),
        ],
        cables=[da.Cable("c", "b", length=length)],
    )
    found = agree(
        machine,
        {"length": 1e-5, "v0.x_dot": 1e-5},
        ["x", "z"],
        q0={"z": -1.02},
        v0={"x_dot": 5.9},
        reach=0.1,
        duration=1.4,
        step=2e-3,
        record=0.05,
    )
    assert [e.name for e in found.events][:2] == ["c.slack", "c.taut"]


ROUGH = {"a": 1.0, "b": -0.6, "c": 1.6}  # nearly closed: the start of a run is projected


def four_bar() -> da.Machine:
    """Crank, coupler and rocker in the x-z plane; the coupler's length is a parameter."""
    axis, length = (0.0, -1.0, 0.0), da.Parameter("length", 0.8)
    tip = da.Transform((length, 0, 0))
    return da.Machine(
        "four-bar",
        [
            da.Body("crank", 1.0, com=(0.15, 0, 0), inertia=(0.01, 0.02, 0.02)),
            da.Body("coupler", da.Parameter("mass", 2.0), com=(0.4, 0, 0), inertia=(0.01, 0.1, 0.1)),
            da.Body("rocker", 1.5, com=(0.3, 0, 0), inertia=(0.01, 0.05, 0.05)),
        ],
        [
            da.Joint("a", "revolute", "world", "crank", axis=axis),
            da.Joint("b", "revolute", "crank", "coupler", origin=da.Transform((0.3, 0, 0)), axis=axis),
            da.Joint("c", "revolute", "world", "rocker", origin=da.Transform((0.9, 0, 0)), axis=axis, damping=0.05),
        ],
        frames=[da.Frame("tip", "coupler", tip), da.Frame("end", "rocker", da.Transform((0.6, 0, 0)))],
        constraints=[da.BallConstraint("loop", "tip", "end", components="xz")],
    )


@pytest.mark.parametrize(
    ("by", "method"),
    [
        ("newton-euler", "projection"),
        pytest.param("natural", "projection", marks=[pytest.mark.slow, pytest.mark.long]),
        pytest.param("newton-euler", "baumgarte", marks=pytest.mark.slow),
    ],
)
def test_a_closed_loop(by: str, method: str) -> None:
    """A four-bar linkage whose start is projected: parameters change the start too."""
    eom = da.equations(four_bar(), by=by)
    q0 = {"a": 1.0} if by == "natural" else ROUGH  # what is projected in other coordinates has no derivatives
    found = agree(
        eom,
        {"length": 1e-5, "mass": 1e-4, "v0.a_dot": 1e-5},
        ["a", "c"],
        q0=q0,
        v0={"a_dot": 1.0},
        duration=1.0,
        step=5e-3,
        record=0.1,
        constraints=method,
    )
    # the tips stay together whatever changes
    both = sensitivities(
        eom,
        of=["position.tip.x", "position.end.x", "position.tip.z", "position.end.z"],
        wrt=["length", "mass"],
        q0=q0,
        v0={"a_dot": 1.0},
        duration=1.0,
        step=5e-3,
        record=0.1,
    ).derivatives
    assert np.abs(both[:, 0] - both[:, 1]).max() < 1e-9
    assert np.abs(both[:, 2] - both[:, 3]).max() < 1e-9
    assert found.events == ()


@pytest.mark.slow
def test_formulations_have_the_same_derivatives() -> None:
    given: dict[str, Any] = {"q0": ROUGH, "duration": 0.5, "step": 1e-3, "record": 0.1}
    two = [
        sensitivities(da.equations(four_bar(), by=by), of=["a", "c"], wrt=["mass"], v0={"a_dot": 1.0}, **given)
        for by in ("newton-euler", "lagrange")
    ]
    np.testing.assert_allclose(two[0].derivatives, two[1].derivatives, atol=1e-9)


def test_a_body_that_is_caught() -> None:
    """Two carts, one welded to the other when it comes by, however they then are, and let go later."""
    stiffness = da.Parameter("k", 3.0)
    machine = da.Machine(
        "carts",
        [da.point_mass("one", 1.0), da.point_mass("two", da.Parameter("m", 2.0))],
        [
            da.Joint("x", "prismatic", "world", "one", axis="x", stiffness=stiffness),
            da.Joint("y", "prismatic", "world", "two", axis="x", damping=0.2),
        ],
        constraints=[da.WeldConstraint("grip", "two", "one", switchable=True, active=False)],
    )
    by = da.Event("by", lambda t, q, v: q[1] - 0.4, direction=-1)
    found = agree(
        machine,
        {"k": 1e-4, "m": 1e-4, "q0.y": 1e-5, "v0.y_dot": 1e-5},
        ["x", "y"],
        q0={"x": 0.1, "y": 1.0},
        v0={"y_dot": -1.5},
        events=[by],
        switches=[da.Switch(event="by", on="grip"), da.Switch(at=1.47, off="grip")],
        duration=2.0,
        step=4e-3,
        record=0.1,
    )
    assert [e.name for e in found.events] == ["by", "switch0"]
    assert np.abs(found.events[1].derivatives).max() < 1e-12  # a time that was given


def test_sampled_laws_and_sensors() -> None:
    """A sampled PID on delayed, noisy measurements: the samples depend on everything before them."""
    machine = da.Machine(
        "cart",
        [da.point_mass("cart", 2.0), da.point_mass("bob", da.Parameter("m", 0.8), com=(0, 0, -da.Parameter("l", 0.6)))],
        [
            da.Joint("x", "prismatic", "world", "cart", axis="x", damping=da.Parameter("d", 0.5)),
            da.Joint("s", "revolute", "cart", "bob", axis="y"),
        ],
        motors=[da.Motor("F", "x")],
        gains=[da.Parameter("kp", 20.0)],
        sensors=[da.Sensor("eye", ("x", "x_dot"), period=0.03, delay=0.05, noise=1e-3)],
    )
    law = control.Sampled(da.PID(da.Parameter("kp", 20.0), 5.0, 8.0, [0.5]), 0.02)
    agree(
        machine,
        {"m": 1e-4, "l": 1e-4, "d": 1e-3, "kp": 1e-3, "q0.s": 1e-5},
        ["x", "s", "u.F", "command.F"],
        q0={"s": 0.1},
        control=law,
        duration=1.0,
        step=5e-3,
        record=0.05,
        seed=3,
    )
    coarse = replace(machine.sensors[0], quantum=0.01)
    with pytest.raises(InputError, match="sensor 'eye' rounds"):
        sensitivities(machine.with_(sensors=[coarse]), of=["x"], wrt=["m"], control=law, duration=0.1)


def point_robot(**options: Any) -> da.Machine:
    """A point on three cables in space, each with a winch whose drum is a parameter."""
    drums = [da.Parameter(f"r{k}", 0.04 + 0.002 * k) for k in range(1, 4)]
    exits = [(-2.0, -1.0, 3.0), (2.0, -1.0, 3.0), (0.0, 2.0, 3.0)]
    return cable_robots.cable_robot(
        "robot",
        da.point_mass("load", 12.0),
        exits,
        [(0, 0, 0)] * 3,
        mount="point",
        drum=drums,
        rotor_inertia=0.02,
        damping=0.3,
        **options,
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        pytest.param({"pulley": 0.05}, marks=pytest.mark.slow),
        pytest.param({"stiffness": 2e4, "cable_damping": 50.0}, marks=pytest.mark.slow),
    ],
)
def test_a_cable_robot(options: dict[str, Any]) -> None:
    """Winches that pull a load: inextensible cables, over pulleys, and elastic ones."""
    if "stiffness" in options:
        lengths = np.linalg.norm(np.array([(-2.0, -1.1, 2.0), (2.0, -1.1, 2.0), (0.0, 1.9, 2.0)]), axis=1) - 0.01
        options = {**options, "lengths": lengths.tolist()}
    machine = point_robot(**options)
    u = [-1.9, -2.0, -2.2]
    agree(
        machine,
        {"r1": 1e-5, "r3": 1e-5, "q0.z": 1e-5},
        ["x", "z", "winch1"],
        q0={"z": 1.0, "y": 0.1},
        control=u,
        duration=0.6,
        step=2e-3,
        record=0.05,
    )


def test_what_has_no_derivatives() -> None:
    disc = da.Machine(
        "disc",
        [da.sphere("ball", 1.0, 0.1)],
        [da.Joint("b", "planar", "world", "ball", axis="-y")],
        contacts=[da.Contact("floor", "ball", da.Sphere(0.1), friction=0.3)],
    )
    with pytest.raises(InputError, match="friction have no derivatives"):
        sensitivities(disc, of=["b.x"], wrt=["q0.b.x"], q0={"b.y": 1.0}, duration=0.1)
    with pytest.raises(InputError, match=r"a run with derivatives runs the methods euler, .*, not 'idas'"):
        sensitivities(four_bar(), of=["a"], wrt=["mass"], q0=ROUGH, duration=0.1, method="idas")
    with pytest.raises(InputError, match="nothing to differentiate"):
        gradient(ball(), wrt=[], final="z", duration=0.1)
