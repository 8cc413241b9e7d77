"""The cases of the study ``ropes`` with other parameters: closed forms of each, for random numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import dalembert as da
from dalembert.studies.ropes.machines import atwood, belt, belt_mass, capstan, fixed_span, peg_pendulum, rotor, tackle

G = 9.81
TIGHT: dict[str, Any] = {"method": "dopri5", "rtol": 1e-11, "atol": 1e-12, "backend": "vm"}
SEEDS = pytest.mark.parametrize("seed", [1, 2])


def draw(seed: int, *bounds: tuple[float, float]) -> list[float]:
    rng = np.random.default_rng(seed)
    return [float(rng.uniform(*pair)) for pair in bounds]


@SEEDS
def test_rope_over_a_guide(seed: int) -> None:
    """Thrown up, it slows down with ``g (m1 - m2/E)/(m1 + m2/E)``; it then sticks or comes back, by the law alone."""
    m1, m2, mu, v = draw(seed, (2.0, 9.0), (1.0, 3.0), (0.05, 0.4), (0.5, 3.0))
    E = math.exp(mu * math.pi)
    start: Any = {"q0": {"x1": 4.0, "x2": 0.5}, "v0": {"x1_dot": -v, "x2_dot": v}}
    run = da.simulate(atwood(m1, m2, friction=mu), duration=1.0, **start, **TIGHT)
    slows, back = G * (m1 - m2 / E) / (m1 + m2 / E), G * (m1 - m2 * E) / (m1 + m2 * E)
    stop = v / slows
    assert run.events[0].t == pytest.approx(stop, rel=1e-10) or stop > 1.0
    sticks = m1 < E * m2
    assert run.events[0].name == f"r.S.{'stick' if sticks else 'slip'}"
    rest = 0.0 if sticks else 0.5 * back * (1.0 - stop) ** 2
    assert run["x1"][-1] == pytest.approx(4.0 - 0.5 * v * stop + rest, rel=1e-10)
    a = 0.0 if sticks else back
    assert run["tension.r[0]"][-1] == pytest.approx(m1 * (G - a), rel=1e-9)
    assert run["tension.r[1]"][-1] == pytest.approx(m2 * (G + a), rel=1e-9)


@SEEDS
def test_spun_sheave(seed: int) -> None:
    m1, m2, I, r, mu, spin = draw(seed, (4.0, 6.0), (2.0, 3.5), (0.01, 0.04), (0.08, 0.2), (0.2, 0.4), (20.0, 60.0))
    E = math.exp(mu * math.pi)
    T2 = 2 * G * m1 * m2 / (m1 + E * m2)  # T1 = E T2: the rim pulls the first mass upwards
    a, alpha = G - E * T2 / m1, (E - 1) * T2 * r / I
    stick = spin * r / (r * alpha - a)
    held = G * (m1 - m2) / (m1 + m2 + I / r**2)
    start: Any = {"q0": {"x1": 3.0, "x2": 3.0, "wheel": 0.0}, "v0": {"x1_dot": 0.0, "x2_dot": 0.0, "wheel_dot": spin}}
    run = da.simulate(atwood(m1, m2, radius=r, inertia=I, friction=mu), duration=1.0, **start, **TIGHT)
    assert run["tension.r[0]"][0] == pytest.approx(E * T2, rel=1e-10)
    assert [event.name for event in run.events] == ["r.S.stick"] and run.events[0].t == pytest.approx(stick, rel=1e-10)
    assert run["x1_dot"][-1] == pytest.approx(a * stick + held * (1.0 - stick), rel=1e-9)
    assert run["wheel_dot"][-1] == pytest.approx(-run["x1_dot"][-1] / r, rel=1e-9)


@pytest.mark.parametrize("parts", [3, 5, 8])
def test_tackles_that_accelerate(parts: int) -> None:
    """Tensions fall by ``k`` from the free end on; the load and the pull accelerate in the ratio of the parts."""
    load, mu, pin, bend = draw(parts, (300.0, 2000.0), (0.05, 0.2), (0.01, 0.03), (0.0, 0.02))
    c = mu * pin / 0.15
    k = (1 + c) / (1 - c) * (1 + bend)
    gain = (1 - k**-parts) / (k - 1)  # sum of the tensions of the parts, of that at the free end
    pull = 1.2 * load / gain
    a = G * (gain * pull - load) / (load + gain * parts * pull)
    loss = da.SheaveLoss(mu, pin, bend)
    run = da.simulate(tackle(parts, load, pull, loss=loss), duration=0.1, **TIGHT)
    assert run["z"][-1] == pytest.approx(0.5 * a * 0.01, rel=1e-9)
    assert run["tension.r[0]"][-1] == pytest.approx(pull * (G - parts * a), rel=1e-9)
    assert run[f"tension.r[{parts}]"][-1] == pytest.approx(pull * (G - parts * a) / k**parts, rel=1e-9)
    assert run.energy.drift < 1e-9


@SEEDS
def test_capstan(seed: int) -> None:
    load, hand, mu, speed = draw(seed, (50.0, 200.0), (5.0, 30.0), (0.25, 0.3), (0.2, 1.0))
    E = math.exp(mu * 6 * math.pi)
    a = E * hand / load - G
    rises = a > 0
    still: Any = {"q0": {"x": 0.0, "y": 0.0}, "v0": {"x_dot": 0.0, "y_dot": 0.0}}
    machine = capstan(hand, load=load, friction=mu, speed=speed)
    run = da.simulate(machine, duration=speed / a * 1.5 if rises else 0.1, **still, **TIGHT)
    assert run["tension.r[0]"][0] == pytest.approx(E * hand, rel=1e-8)
    assert [event.name for event in run.events] == ["r.C.stick"] * rises
    if rises:
        assert run.events[0].t == pytest.approx(speed / a, rel=1e-7)
        assert -run["x_dot"][-1] == pytest.approx(speed, rel=1e-9)


@pytest.mark.parametrize(("torque", "mu"), [(3.0, 0.4), (8.0, 0.7)])
def test_belt(torque: float, mu: float) -> None:
    """``1/s1 + 1/s2 = 2`` and ``8000 (s1 - s2) = M/r`` for the stretches of both spans; the ratio is ``s2/s1``."""
    r = 0.10495

    def of(s1: float) -> float:
        return 8000 * (s1 - 1 / (2 - 1 / s1)) - torque / r

    s1 = brentq(of, 0.9, 1.5, xtol=1e-15)
    ratio = 1 / (2 - 1 / s1) / s1
    machine = belt(torque - 0.4 * 12.0 * ratio, brake=0.4, friction=mu)
    run = da.simulate(machine, duration=2.5, v0={"a_dot": 12.0, "b_dot": 12.0}, **TIGHT)
    assert run["b_dot"][-1] / 12.0 == pytest.approx(ratio, abs=1e-9)
    assert run["tension.belt[1]"][-1] == pytest.approx(8000 * (s1 - 0.98), rel=1e-7)


@SEEDS
def test_memory_of_a_span(seed: int) -> None:
    kappa, up, weight = draw(seed, (0.2, 0.5), (0.3, 0.9), (50.0, 200.0))
    top = weight * (1 + up * (math.exp(2 * kappa) - 1))  # within what both guides hold together
    run = da.simulate(
        fixed_span((top - weight) * da.sin(math.pi / 2 * da.TIME), kappa=kappa, weight=weight),
        duration=2.0,
        step=0.01,
        backend="vm",
    )
    middle = max(weight, top * math.exp(-kappa))
    for t in (1.0, 2.0):
        assert run["tension.r[1]"][int(np.abs(run.t - t).argmin())] == pytest.approx(middle, rel=1e-9)


@SEEDS
def test_impact_over_a_sheave(seed: int) -> None:
    """The law of the rope for impulses: it slips where the ratio of sticking ones is above ``exp(mu pi)``."""
    m1, m2, I, r, mu, v = draw(seed, (4.0, 8.0), (1.0, 4.0), (0.005, 0.05), (0.08, 0.2), (0.05, 0.6), (1.0, 4.0))
    E, J = math.exp(mu * math.pi), I / r**2
    u = m1 * v / (m1 + m2 + J)
    P1, P2 = m1 * (v - u), m2 * u
    if P1 > E * P2:
        P2 = v / (1 / m2 + E / m1)
        P1 = E * P2
    machine = atwood(m1, m2, radius=r, inertia=I, friction=mu, length=2.0 + math.pi * r).with_(gravity=(0, 0, 0))
    start: Any = {"q0": {"x1": 0.4, "x2": 0.5, "wheel": 0.0}, "v0": {"x1_dot": v, "x2_dot": 0.0, "wheel_dot": 0.0}}
    run = da.simulate(machine, duration=0.15, **start, **TIGHT)
    taut = next(entry for entry in run.metadata["transitions"] if entry["impulse"])
    assert [taut["impulse"][f"r[{k}]"] for k in (0, 1)] == pytest.approx([P1, P2], rel=1e-9)
    wheel = (P1 - P2) * r / I
    after = 0.5 * m1 * (v - P1 / m1) ** 2 + 0.5 * m2 * (P2 / m2) ** 2 + 0.5 * I * wheel**2
    assert taut["energy_lost"] == pytest.approx(0.5 * m1 * v**2 - after, rel=1e-9)


@SEEDS
def test_stiction(seed: int) -> None:
    """The rotor breaks away where the torque reaches the static friction, and moves by integrals of the torque."""
    static, part = draw(seed, (6.0, 9.0), (0.5, 0.95))
    kinetic, omega = part * static, 2 * math.pi
    away = math.asin(static / 10.0) / omega

    def speed(t: float) -> float:
        return (10.0 * (math.cos(omega * away) - math.cos(omega * t)) / omega - kinetic * (t - away)) / 0.5

    stop = brentq(speed, 0.5 - away, 0.999, xtol=1e-15)
    run = da.simulate(rotor(da.Friction(kinetic, static=static)), duration=stop + 1e-3, **TIGHT)
    assert [event.t for event in run.events[:2]] == pytest.approx([away, stop], rel=1e-10)


def test_stick_slip_on_a_slower_belt() -> None:
    """It slips for ``(2 pi - 2 atan((Fs - Fc)/(v sqrt(k m))))/omega``, with a belt of half the speed."""
    drive = da.MotionConstraint("drive", frame="belt", component="x", value=0.05 * da.TIME)
    machine = belt_mass().with_(constraints=[drive])
    run = da.simulate(machine, duration=2.6, v0={"x_dot": 0.05}, **TIGHT)
    slip, stick, again = (event.t for event in run.events[:3])
    angle = math.atan(4.0 / (0.05 * math.sqrt(200.0 * 2.0)))
    assert stick - slip == pytest.approx((2 * math.pi - 2 * angle) / 10.0, rel=1e-8)
    assert again - stick == pytest.approx(2 * 4.0 / (200.0 * 0.05), rel=1e-8)


@pytest.mark.parametrize("start", [-0.5, -0.8])
def test_peg(start: float) -> None:
    """In the angle of the free part of the rope, whose length falls by the arc on the peg; the bob keeps its speed."""
    R, l, free = 0.15, 1.2, 0.7  # free: below the peg, which touches the vertical through the anchor

    def rates(_: float, y: Any, length: float, radius: float) -> list[float]:
        return [y[1], (radius * y[1] ** 2 - G * math.sin(y[0])) / (length - radius * y[0])]

    def bottom(_: float, y: Any, *how: float) -> float:
        return float(y[0])

    def turns(_: float, y: Any, *how: float) -> float:
        return float(y[1])

    bottom.terminal = turns.terminal = True  # type: ignore[attr-defined]
    bottom.direction, turns.direction = 1, -1  # type: ignore[attr-defined]
    tight: Any = {"rtol": 1e-12, "atol": 1e-13, "method": "DOP853"}
    down = solve_ivp(rates, [0, 3], [start, 0.0], events=[bottom], args=(l, 0.0), **tight)
    met = float(down.t[-1])
    up = solve_ivp(rates, [met, 3], [0.0, down.y[1, -1] * l / free], events=[turns], args=(free, R), **tight)
    q0 = {"x": l * math.sin(start), "z": l - l * math.cos(start)}
    run = da.simulate(peg_pendulum(), duration=float(up.t[-1]), q0=q0, **TIGHT)
    assert [(event.name, event.t) for event in run.events] == [("r.peg.meet", pytest.approx(met, rel=1e-9))]
    assert run["wrap.r.peg"][-1] == pytest.approx(up.y[0, -1], rel=1e-9)
    assert abs(run["x_dot"][-1]) < 1e-8


class _Crane:
    """Equations of a tower crane on an inextensible rope, from its tangents.

    The rope between two wheels that do not turn grows with ``e (v2 - v1)``, and the direction ``e`` of a span of length
    ``l`` turns with ``n (v2 - v1)/l``.
    """

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.mass, self.payout, self.speed = rng.uniform((500.0, 0.2, -0.5), (8000.0, 1.0, 0.5))
        self.amplitude, self.omega = rng.uniform((0.1, 0.8), (0.3, 1.8))
        self.drum, self.sheave, self.hook, self.half = rng.uniform((0.2, 0.15, 0.2, 0.4), (0.5, 0.3, 0.35, 0.8))
        self.bearing, self.bending = rng.uniform(0.05, 0.15, 3), rng.uniform(0.0, 0.01, 3)
        self.tip = np.array([rng.uniform(35.0, 60.0), 25.0 + rng.uniform(-0.5, 0.5)])
        self.radii = np.array([self.drum, self.sheave, -self.hook, self.sheave, 0.0])  # below the rope: positive
        self.at = 18.0

    def trolley(self, t: float) -> np.ndarray:
        """Its position, velocity and acceleration."""
        a, w = self.amplitude, self.omega
        x = self.at + self.speed * t + a * (1 - math.cos(w * t))
        return np.array([x, self.speed + a * w * math.sin(w * t), a * w**2 * math.cos(w * t)])

    def spans(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        """Directions, normals, lengths, relative velocities, angles; accelerations of the wheels without the hook's."""
        x, speed, rate = self.trolley(t)
        places = np.array([[0, 24.8], [x - self.half, 25.0], q, [x + self.half, 25.0], self.tip])
        speeds = np.array([[0, 0], [speed, 0], v, [speed, 0], [0, 0]])
        D, W = np.diff(places, axis=0), np.diff(speeds, axis=0)
        far = np.hypot(*D.T)
        offset = np.diff(self.radii)
        theta = np.arctan2(D[:, 1], D[:, 0]) + np.arcsin(offset / far)
        e = np.array([np.cos(theta), np.sin(theta)]).T
        n = np.array([-np.sin(theta), np.cos(theta)]).T
        given = np.diff(np.array([[0, 0], [rate, 0], [0, 0], [rate, 0], [0, 0]]), axis=0)
        return e, n, np.sqrt(far**2 - offset**2), W, theta, given

    def flows(self, t: float, y: np.ndarray) -> np.ndarray:
        """Speeds of the rope past A, the hook and B."""
        e, _, _, W, _, _ = self.spans(t, y[:2], y[2:])
        return self.payout - np.cumsum((e * W).sum(1))[:3]

    def tensions(self, t: float, y: np.ndarray, signs: np.ndarray) -> np.ndarray:
        e, n, length, W, theta, given = self.spans(t, y[:2], y[2:])
        wrap = np.abs(np.diff(theta))
        c = self.bearing * 0.02 / np.abs(self.radii[1:4])
        mean = 1 - c**2 * np.cos(wrap)
        k = (mean + np.sqrt(mean**2 - (1 - c**2) ** 2)) / (1 - c**2) * (1 + self.bending)
        ratios = np.cumprod(np.concatenate([[1.0], k**signs]))
        pull = (-ratios[1] * e[1] + ratios[2] * e[2]) / self.mass  # of one newton at the drum
        bent = ((n * W).sum(1) ** 2 / length + (e * given).sum(1)).sum()
        along = e[1] - e[2]
        return ratios * (-bent + along[1] * G) / (along @ pull)

    def rates(self, t: float, y: np.ndarray, signs: np.ndarray) -> np.ndarray:
        e = self.spans(t, y[:2], y[2:])[0]
        T = self.tensions(t, y, signs)
        force = -T[1] * e[1] + T[2] * e[2]
        return np.concatenate([y[2:], force / self.mass - [0.0, G]])

    def start(self) -> np.ndarray:
        """Below the trolley, and moving with it."""
        q, speed = np.array([self.at, 10.0]), self.trolley(0.0)[1]
        e, _, _, W, _, _ = self.spans(0.0, q, np.array([speed, 0.0]))
        return np.array([*q, speed, (self.payout - (e * W).sum()) / (e[1] - e[2])[1]])

    def solved(self, end: float) -> tuple[np.ndarray, np.ndarray, dict[float, str]]:
        """State and signs of the flows at the end; instants at which sheaves reverse."""
        t, y = 0.0, self.start()
        signs = np.sign(self.flows(1e-6, y + 1e-6 * self.rates(0.0, y, np.sign(self.flows(0.0, y)))))
        turned: dict[float, str] = {}

        def reversal(k: int) -> Any:
            def flow(t: float, y: np.ndarray, signs: np.ndarray) -> float:
                return float(self.flows(t, y)[k] * signs[k])

            flow.terminal, flow.direction = True, -1  # type: ignore[attr-defined]
            return flow

        events = [reversal(k) for k in range(3)]
        while t < end:
            tight: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-12, "max_step": 0.05}
            found = solve_ivp(self.rates, (t, end), y, "DOP853", events=events, args=(signs,), **tight)
            t, y = float(found.t[-1]), found.y[:, -1]
            for k, times in enumerate(found.t_events):
                if times.size:
                    turned[t] = "AHB"[k]
                    signs[k] = -signs[k]
        return y, signs, turned

    def machine(self) -> da.Machine:
        bodies = (da.Body("trolley", 1.0), da.Body("winch", 1.0, inertia=(1.0, 1.0, 1.0)), da.Body("rail"))
        joints = (
            da.Joint("x", "prismatic", "world", "trolley", axis="x", origin=(0, 0, 25)),
            da.Joint("drum", "revolute", "world", "winch", axis="y", origin=(0, 0, 24.8)),
            da.Joint("hook_x", "prismatic", "world", "rail", axis="x"),
            da.Joint("hook_z", "prismatic", "rail", "hook", axis="z"),
        )
        path = self.at + self.speed * da.TIME + self.amplitude * (1 - da.cos(self.omega * da.TIME))
        drives = (
            da.MotionConstraint("travel", joint="x", value=path),
            da.MotionConstraint("hoisting", joint="drum", value=self.payout / self.drum * da.TIME),
        )
        A, H, B = (da.SheaveLoss(m, 0.02, b) for m, b in zip(self.bearing, self.bending, strict=True))
        rope = (
            da.Drum("drum", self.drum, axis="y", zero="z"),
            da.Sheave("trolley", self.sheave, "y", at=(-self.half, 0, 0), name="A", loss=A, zero="z"),
            da.Sheave("hook", self.hook, "-y", name="H", loss=H, zero="-z"),
            da.Sheave("trolley", self.sheave, "y", at=(self.half, 0, 0), name="B", loss=B, zero="z"),
            da.Anchor("world", (self.tip[0], 0, self.tip[1])),
        )
        hook = da.point_mass("hook", self.mass)
        return da.Machine("crane", (*bodies, hook), joints, constraints=drives, ropes=(da.Rope("hoist", rope),))


@pytest.mark.parametrize("seed", [2, 6])
def test_tower_crane(seed: int) -> None:
    """Other masses, radii, losses and motions: against the equations of its tangents, reversals of sheaves included."""
    crane = _Crane(seed)
    end = 4.0
    y, signs, turned = crane.solved(end)
    _, speed, _ = crane.trolley(0.0)
    x, z, vx, vz = crane.start()
    run = da.simulate(
        crane.machine(),
        duration=end,
        q0={"x": crane.at, "drum": 0.0, "hook_x": x, "hook_z": z},
        v0={"x_dot": speed, "drum_dot": crane.payout / crane.drum, "hook_x_dot": vx, "hook_z_dot": vz},
        **TIGHT,
    )
    assert [run["hook_x"][-1], run["hook_z"][-1]] == pytest.approx(y[:2], abs=1e-9)
    tensions = [run[f"tension.hoist[{k}]"][-1] for k in range(4)]
    assert tensions == pytest.approx(crane.tensions(end, y, signs), rel=1e-10)
    assert turned
    assert [event.name.split(".")[1] for event in run.events] == list(turned.values())
    assert [event.t for event in run.events] == pytest.approx(list(turned), abs=1e-8)


@SEEDS
def test_bristles(seed: int) -> None:
    """LuGre's law with other levels and bristles, against an integration of it by itself."""
    coulomb, more, stribeck, viscous, stiffness = draw(seed, (2, 5), (0.5, 3), (0.02, 0.1), (0.0, 0.5), (500, 5000))
    damping, static = 1.5 * math.sqrt(stiffness * 0.5), coulomb + more

    def rates(t: float, y: np.ndarray) -> list[float]:
        _, v, z = y
        level = coulomb + more * math.exp(-((v / stribeck) ** 2))
        slip = v - stiffness * abs(v) / level * z
        push = stiffness * z + damping * slip + viscous * v
        return [v, (10.0 * math.sin(2 * math.pi * t) - push) / 0.5, slip]

    found = solve_ivp(rates, (0.0, 0.7), np.zeros(3), "Radau", rtol=1e-10, atol=1e-12)
    bristles = {"law": "lugre", "bristle_stiffness": stiffness, "bristle_damping": damping}
    friction = da.Friction(coulomb, static, stribeck, viscous, **bristles)
    run = da.simulate(rotor(friction), duration=0.7, method="cvodes", rtol=1e-10, atol=1e-12, record=0.1)
    assert run["a"][-1] == pytest.approx(found.y[0, -1], rel=1e-6)
    assert run["bristle.a"][-1] == pytest.approx(found.y[2, -1], rel=1e-5)
