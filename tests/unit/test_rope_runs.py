"""Ropes over sheaves from event to event, with hand-made rows: closed forms of the laws of Euler and Eytelwein."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
import pytest
from tests.support.hand_made_ropes import atwood, hanging, roped, section
from tests.support.without_compiler import SPUN
from tests.support.without_compiler import atwood as atwood_of_parts

import dalembert as da
from dalembert.campaigns import sensitivities
from dalembert.core.errors import InputError, SimulationError

G, E = 9.81, np.exp(0.2 * np.pi)
GUIDE = [{"x1_dot": 1.0}, {"x2_dot": 1.0}]
START: dict[str, Any] = {"x1": 1.0, "x2": 1.0}


def turning(radius: float) -> list[dict[str, float]]:
    """Rows of two masses on a sheave that turns."""
    return [{"x1_dot": 1.0, "turn_dot": radius}, {"x2_dot": 1.0, "turn_dot": -radius}]


def tensions(run: da.Run, when: int = -1, spans: int = 2) -> np.ndarray:
    return np.array([run[f"tension.rope[{i}]"][when] for i in range(spans)])


def names(run: da.Run) -> list[str]:
    return [event.name for event in run.events]


@dataclass(frozen=True)
class Force:
    """Inputs as a function of time."""

    of: Any

    def state_names(self, eom: Any) -> tuple[str, ...]:
        return ()

    def initial_state(self, eom: Any) -> np.ndarray:
        return np.zeros(0)

    def expression(self, eom: Any, t: Any, q: Any, v: Any, z: Any, p: Any) -> tuple[Any, Any]:
        return ca.SX(self.of(t)), ca.SX(0, 1)


@pytest.mark.parametrize(("m1", "m2", "kappa"), [(10.0, 2.0, 0.2 * np.pi), (3.0, 0.2, 1.3), (7.0, 5.0, 0.05)])
def test_masses_over_a_guide(m1: float, m2: float, kappa: float) -> None:
    """Slip from the start: T1 = e^kappa T2, and a = g (m1 - e^kappa m2) / (m1 + e^kappa m2)."""
    with roped(section(GUIDE, 2.0, kappa)):
        run = da.simulate(hanging(m1, m2), duration=0.5, q0=START, step=0.01, backend="vm")
    a = G * (m1 - np.exp(kappa) * m2) / (m1 + np.exp(kappa) * m2)
    np.testing.assert_allclose(run["x1"] - 1.0, a * run.t**2 / 2, rtol=0, atol=1e-11)
    np.testing.assert_allclose(tensions(run), [m1 * (G - a), m2 * (G + a)], rtol=1e-11)
    lost = m1 * (G - a) * (1.0 - np.exp(-kappa)) * (run["x1"][-1] - 1.0)
    np.testing.assert_allclose(run["loss.rope.s1"][-1], lost, rtol=1e-10)
    assert names(run) == [] and run.energy.drift < 1e-11 and not run["stick.rope.s1"].any()


def test_what_is_thrown_up_comes_to_stick() -> None:
    with roped(section(GUIDE, 2.0, 0.2 * np.pi)):
        run = da.simulate(
            hanging(3.0, 2.5), duration=1.0, q0=START, v0={"x1_dot": -2.0, "x2_dot": 2.0}, step=0.01, backend="vm"
        )
    assert names(run) == ["rope.s1.stick"]
    np.testing.assert_allclose(run.events[0].t, 0.530241770832, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run["x1"][-1], 1.0 - 0.530241770832, rtol=0, atol=1e-12)
    np.testing.assert_allclose(tensions(run), [29.43, 24.525], rtol=1e-12)
    np.testing.assert_allclose(run["slip.rope.s1"][0], 2.0, rtol=1e-14)
    assert run["stick.rope.s1"][[0, -1]].tolist() == [0.0, 1.0] and run.energy.drift < 1e-9


def test_a_slip_reverses_without_sticking() -> None:
    """Thrown up, the heavier mass comes back at once: both ways by closed forms, one event of a slip."""
    m1, m2, v = 10.0, 2.0, 2.0
    with roped(section(GUIDE, 2.0, 0.2 * np.pi)):
        run = da.simulate(
            hanging(m1, m2), duration=1.0, q0=START, v0={"x1_dot": -v, "x2_dot": v}, step=0.01, backend="vm"
        )
    up, down = (G * (m1 - k * m2) / (m1 + k * m2) for k in (1.0 / E, E))
    assert names(run) == ["rope.s1.slip"]
    np.testing.assert_allclose(run.events[0].t, v / up, rtol=1e-12)
    np.testing.assert_allclose(run["x1"][-1], 1.0 - v * v / up / 2 + down * (1.0 - v / up) ** 2 / 2, rtol=1e-11)
    assert run.energy.drift < 1e-9


def test_atwood_with_a_sheave_that_slips() -> None:
    crit = np.log(39.24 / 35.316) / np.pi
    with roped(section(turning(0.1), 2.0, crit / 2 * np.pi)):
        run = da.simulate(atwood(5.0, 3.0, 0.02), duration=0.5, q0=START, step=0.01, backend="vm")
    np.testing.assert_allclose(tensions(run), [38.0064794875, 36.0561123075], rtol=1e-11)
    np.testing.assert_allclose(run["x1_dot"][-1], 0.5 * 2.2087041025, rtol=1e-10)
    np.testing.assert_allclose(run["turn_dot"][-1], -0.5 * 9.75183590005, rtol=1e-10)


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_a_spun_sheave_sticks(method: str) -> None:
    with roped(section(turning(0.1), 2.0, 0.25 * np.pi)):
        settings: dict[str, Any] = {"step": 0.01} if method == "rk4" else {}
        run = da.simulate(
            atwood(5.0, 3.0, 0.02), duration=1.5, q0=START, v0={"turn_dot": 60.0}, method=method, **settings
        )
    assert names(run) == ["rope.s1.stick"]
    np.testing.assert_allclose(run.events[0].t, 0.363594443517, rtol=0, atol=1e-12)
    np.testing.assert_allclose(tensions(run, 0), [55.7419023447, 25.4148585932], rtol=1e-11)
    np.testing.assert_allclose(tensions(run), [39.24, 35.316], rtol=1e-11)
    ends = run["x1"][-1] - 1.0, run["x1_dot"][-1], run["turn_dot"][-1]
    np.testing.assert_allclose(ends, [0.62540666611, 1.743, -17.43], rtol=1e-10)
    assert run.energy.drift < 1e-9


@pytest.mark.parametrize("turns", [False, True], ids=["guide", "sheave"])
def test_a_rope_that_becomes_taut_strikes(turns: bool) -> None:
    rows, kappa, v = (turning(0.12), 0.9 * np.pi, 2.0) if turns else (GUIDE, 0.2 * np.pi, 3.0)
    machine = (atwood(6.0, 3.0, 0.02) if turns else hanging(10.0, 2.0)).with_(gravity=(0.0, 0.0, 0.0))
    with roped(section(rows, 2.0, kappa)):
        run = da.simulate(machine, duration=0.1, q0={"x1": 0.9, "x2": 1.0}, v0={"x1_dot": v}, step=0.01, backend="vm")
    impulses, speed = ([5.06951871658, 3.46524064171], 1.1550802139) if turns else (
        [8.18009190998, 4.363981618], 2.181990809
    )  # fmt: skip
    np.testing.assert_allclose([run["x1_dot"][-1], -run["x2_dot"][-1]], speed, rtol=1e-9)
    transition = next(entry for entry in run.metadata["transitions"] if entry["impulse"])
    assert transition["events"][0] == "rope.taut"
    np.testing.assert_allclose([transition["impulse"][f"rope[{i}]"] for i in range(2)], impulses, rtol=1e-10)
    if not turns:
        np.testing.assert_allclose(transition["energy_lost"], 16.4334966566, rtol=1e-10)
        np.testing.assert_allclose(run["loss.rope.s1"][-1], (impulses[0] - impulses[1]) * (v + speed) / 2, rtol=1e-9)


def test_a_rope_goes_slack_and_taut_as_a_whole() -> None:
    """A motor lifts the heavier mass off its rope, and lets it fall into it again."""
    machine = hanging(3.0, 2.5).with_(motors=[da.Motor("lift", "x1")])
    push = Force(lambda t: -70.0 * ca.sin(3.0 * t) ** 2)
    with roped(section(GUIDE, 2.0, 0.2 * np.pi)):
        run = da.simulate(machine, duration=2.0, q0=START, control=push, step=2e-3, backend="vm")
    assert names(run)[:3] == ["rope.s1.slip", "rope.slack", "rope.taut"]
    slack = (run.t > run.events[1].t) & (run.t < run.events[2].t)
    assert not run["tension.rope[0]"][slack].any() and not run["tension.rope[1]"][slack].any()
    assert ((run["x1"] + run["x2"])[slack] < 2.0 + 1e-12).all() and run.energy.drift < 1e-9
    assert run["tension.rope[0]"][run.t > run.events[2].t].max() > 10.0


K = 1.0449105691056932  # of a bearing with mu = 0.12, pin 0.02 m, sheave 0.15 m, and 1.2 % by bending


@pytest.mark.parametrize("parts", [2, 4, 6])
def test_tackles_stand_between_lowering_and_lifting(parts: int) -> None:
    """Force that lifts: W / (n eta), eta = (1 - k^-n) / (n (k - 1)); that lowers: W (k - 1) / (k (k^n - 1))."""
    weight = 1e4
    lifts = weight * (K - 1.0) / (1.0 - K**-parts)
    lowers = weight * (K - 1.0) / (K * (K**parts - 1.0))
    rows = [{"x1_dot": 1.0}] * parts + [{"x2_dot": 1.0}]
    for force, way in ((1.001 * lifts, -1), (0.999 * lifts, 0), (1.001 * lowers, 0), (0.999 * lowers, 1)):
        with roped(section(rows, parts + 1.0, [np.log(K)] * parts)):
            run = da.simulate(hanging(weight / G, force / G), duration=0.5, q0=START, step=0.05, backend="vm")
        moved = run["x1"][-1] - 1.0
        assert abs(moved) < 1e-12 if way == 0 else moved * way > 1e-5
        T = tensions(run, spans=parts + 1)
        np.testing.assert_allclose(T[:-1].sum(), weight - weight / G * 8.0 * moved, rtol=1e-9)
        ratios = T[1:] / T[:-1]
        assert (ratios < K * (1 + 1e-9)).all() and (ratios > (1 - 1e-9) / K).all()
        if way:
            np.testing.assert_allclose(ratios, K ** (-float(way)), rtol=1e-9)


def test_a_capstan_winch() -> None:
    """A rim that is driven lifts 150 kg by a hand of 20 N, which then eases; the hand has a mass of 1 mg."""
    stuck = 0.0993567551209
    machine = hanging(150.0, 1e-6)
    machine = machine.with_(
        bodies=[*machine.bodies, da.Body("rim", 1.0, inertia=(1, 1, 1))],
        joints=[*machine.joints, da.Joint("turn", "revolute", "world", "rim", axis="y")],
        constraints=[da.GearConstraint("drive", terms={"turn": 1.0}, value=5.0 * da.TIME)],
        motors=[da.Motor("hand", "x2")],
    )
    hand = Force(lambda t: 20.0 - 2.0 * ca.fmax(t - stuck, 0.0))
    with roped(section(turning(0.1), 10.0, 0.25 * 6 * np.pi)):
        run = da.simulate(machine, duration=4.5, q0={"x1": 5.0, "x2": 5.0}, control=hand, step=5e-3, backend="vm")
    assert names(run) == ["rope.s1.stick", "rope.s1.slip"]
    np.testing.assert_allclose([e.t for e in run.events], [stuck, 3.48990038632], rtol=0, atol=1e-5)
    np.testing.assert_allclose(tensions(run, 0), [2226.3555698, 20.0], rtol=1e-6)
    np.testing.assert_allclose(5.0 - run["x1"].min(), 1.99371794601, rtol=0, atol=1e-5)
    np.testing.assert_allclose(run.t[run["x1"].argmin()], 4.31072121122, rtol=0, atol=5e-3)
    assert run.energy.drift < 1e-9


TROLLEY_ROWS = [{"x1_dot": 1.0, "rail_dot": 1.0}, {"x2_dot": 1.0, "rail_dot": -0.5}]


def trolley() -> da.Machine:
    """A guide on a trolley of 1 kg between masses of 50 kg: horizontal on one side, 60 degrees down on the other."""
    machine = hanging(50.0, 50.0)
    return machine.with_(
        bodies=[*machine.bodies, da.Body("trolley", 1.0, inertia=(1, 1, 1))],
        joints=[*machine.joints, da.Joint("rail", "prismatic", "world", "trolley", axis="x")],
    )


def jamming(mu: float, way: float) -> da.Run:
    with roped(section(TROLLEY_ROWS, 2.0, mu * np.pi / 3)):
        start: dict[str, Any] = {"q0": START, "v0": {"x1_dot": way, "x2_dot": -way}}
        return da.simulate(trolley(), duration=0.1, step=0.01, backend="vm", **start)


def test_a_rubbing_guide_on_a_trolley_jams() -> None:
    """No tension keeps it slipping above mu = 0.778983394; it may slip the other way, and below."""
    assert names(jamming(0.77898, -0.1)) == ["rope.s1.stick"]
    assert names(jamming(0.9, 0.1)) == ["rope.s1.stick"]
    for mu in (0.778983, 0.778984):  # tensions of 1e6 times the load, or none
        with pytest.raises(SimulationError, match=r"rope 'rope' .* sheave 'rope.s1' at t = 0 s: it jams there"):
            jamming(mu, -0.1)


def test_lanes_are_single_runs() -> None:
    """Members that slip one way, the other, stick, and whose rope is slack to begin with."""
    machine, spins, lows = atwood(5.0, 3.0, 0.02), np.array([60.0, -60.0, 0.0, 5.0]), np.array([1.0, 1.0, 1.0, 0.95])
    settings: dict[str, Any] = {"duration": 0.5, "step": 1e-2, "limits": "ignore"}
    with roped(section(turning(0.1), 2.0, 0.25 * np.pi)):
        eom = da.equations(machine)
        many = da.rollout(eom, threads=1, q0={"x1": lows, "x2": np.ones(4)}, v0={"turn_dot": spins}, **settings)
        assert many.ok.all()
        for i, (spin, low) in enumerate(zip(spins, lows, strict=True)):
            run = da.simulate(eom, q0={"x1": low, "x2": 1.0}, v0={"turn_dot": spin}, **settings)
            scale = 1.0 + np.abs(run.x).max(axis=0)
            np.testing.assert_allclose(many.final[i] / scale, run.x[-1] / scale, rtol=0, atol=1e-12)
            assert (run["tension.rope[0]"][0] > 0.0) == (low == 1.0) and run["tension.rope[0]"][-1] > 0.0


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_indeterminate_tensions_have_a_memory(method: str) -> None:
    """A span between two fixed guides keeps its tension until a guide is at its limit: as an elastic one would."""
    kappa = 0.4
    machine = hanging(100.0 / G, 100.0 / G).with_(motors=[da.Motor("pull", "x1")])
    pull = Force(
        lambda t: ca.fmin(80.0 * t, ca.fmax(160.0 - 80.0 * t, 80.0 - 40.0 * t)) * (t < 3.0) - 40.0 * (t >= 3.0)
    )
    with roped(section([{"x1_dot": 1.0}, {}, {"x2_dot": 1.0}], 2.0, [kappa, kappa])):
        settings: dict[str, Any] = {"step": 0.01} if method == "rk4" else {"record": 0.01}
        run = da.simulate(machine, duration=3.5, q0=START, control=pull, method=method, backend="vm", **settings)
    for t, first in ((0.0, 100.0), (1.0, 180.0), (2.0, 100.0), (3.0, 60.0), (3.5, 60.0)):
        T = tensions(run, int(np.abs(run.t - t).argmin()), spans=3)
        np.testing.assert_allclose(T[[0, 2]], [first, 100.0], rtol=1e-9)
        middle = {0.0: 100.0, 1.0: 180.0 * np.exp(-kappa), 2.0: 180.0 * np.exp(-kappa)}.get(t, 60.0 * np.exp(kappa))
        np.testing.assert_allclose(T[1], middle, rtol=1e-9 if method == "rk4" else 1e-3)
    assert names(run) == [] and np.abs(run["x1"] - 1.0).max() < 1e-12


def test_a_span_that_cannot_keep_its_length_slips() -> None:
    """A drum pays out to a guide on a trolley, both driven: the rope runs over the guide, at once and both ways."""
    machine = hanging(10.0, 1.0)
    machine = machine.with_(
        constraints=[da.GearConstraint("drum", terms={"x2": 1.0}, value=1.0 - 0.3 * da.sin(2.0 * da.TIME))]
    )
    with roped(section([{"x2_dot": 1.0}, {"x1_dot": 1.0}], 2.0, 0.3)):
        run = da.simulate(machine, duration=2.0, q0=START, v0={"x2_dot": -0.6, "x1_dot": 0.6}, step=5e-3, backend="vm")
    np.testing.assert_allclose(run["x1"], 1.0 + 0.3 * np.sin(2.0 * run.t), rtol=0, atol=1e-9)
    hangs = 10.0 * (G + 1.2 * np.sin(2.0 * run.t))
    np.testing.assert_allclose(run["tension.rope[1]"], hangs, rtol=1e-6)
    assert names(run) == ["rope.s1.slip"]
    np.testing.assert_allclose(run.events[0].t, np.pi / 4, rtol=0, atol=1e-9)
    ratio = np.log(run["tension.rope[1]"] / run["tension.rope[0]"])
    apart = run.t != run.events[0].t
    np.testing.assert_allclose(ratio[apart], np.where(run.t < run.events[0].t, 0.3, -0.3)[apart], atol=1e-9)


def test_members_that_jam_are_named() -> None:
    """In a rollout the member fails by itself, with the same message."""
    with roped(section(TROLLEY_ROWS, 2.0, 0.9 * np.pi / 3)):
        eom = da.equations(trolley())
        settings: dict[str, Any] = {"duration": 0.1, "step": 0.01, "q0": START, "threads": 1, "backend": "vm"}
        many = da.rollout(eom, v0={"x1_dot": np.array([0.1, -0.1]), "x2_dot": np.array([-0.1, 0.1])}, **settings)
    assert many.ok.tolist() == [True, False] and "sheave 'rope.s1' at t = 0 s: it jams there" in many.message(1)


def test_what_ropes_with_friction_are_refused_for() -> None:
    """By name, with what to do instead: their friction is no function of the state."""
    machine = atwood_of_parts()
    for what, attempt in {
        "a run with derivatives": lambda: sensitivities(machine, of=["x1"], wrt=["q0.x2"], duration=0.1, q0=SPUN["q0"]),
        "a rollout on a GPU event by event": lambda: da.rollout(
            machine, q0={"x1": [1.0, 1.0], "x2": 1.0}, duration=0.1, device="cuda"
        ),
    }.items():
        with pytest.raises(
            InputError, match=f"{what} cannot have friction or losses at sheaves .sheave 'sheave' of rope"
        ):
            attempt()
    with pytest.raises(InputError, match="ropes over sheaves of machine 'atwood' need constraints='projection'"):
        da.simulate(machine, duration=0.1, constraints="baumgarte", **SPUN)
    with pytest.raises(InputError, match=r"'tension.rope.0.' is not a function of the state of machine 'atwood'"):
        tension = da.Measure("tension.rope[0]")
        da.rollout(machine, duration=0.1, q0={"x1": [2.0, 2.0], "x2": 2.0}, measure={"T": tension}, backend="vm")


@pytest.mark.slow
def test_random_ropes_obey_their_law() -> None:
    """Up to four sheaves, rows at random, some of zeros: in all rows of all runs the law holds, and energy is kept."""
    rng, happened = np.random.default_rng(7), set()
    for _ in range(40):
        bodies, spans = int(rng.integers(2, 5)), int(rng.integers(2, 6))
        A = rng.normal(size=(spans, bodies)) * (rng.random((spans, bodies)) < 0.6)
        A[:, 0] += 0.5
        if rng.random() < 0.3:
            A[int(rng.integers(spans))] = 0.0
        whole, v = A.sum(axis=0), rng.normal(size=bodies)
        v -= whole * (whole @ v) / (whole @ whole)
        rows = [{f"x{j + 1}_dot": float(a) for j, a in enumerate(row)} for row in A]
        kappa = rng.uniform(0.02, 0.8, spans - 1)
        speeds = {f"x{j + 1}_dot": float(speed) for j, speed in enumerate(v)}
        try:
            with roped(section(rows, 0.0, kappa, rng.uniform(0.5, 2.0, spans))):
                machine = hanging(*rng.uniform(0.5, 10.0, bodies))
                run = da.simulate(machine, duration=1.0, v0=speeds, step=0.01, backend="vm")
        except SimulationError as error:
            assert "it jams there" in str(error)
            continue
        happened |= {name.rpartition(".")[2] for name in names(run)}
        T = np.array([run[f"tension.rope[{i}]"] for i in range(spans)])
        slip = np.array([run[f"slip.rope.s{i + 1}"] for i in range(spans - 1)])
        size, E = np.maximum(T.max(axis=0), 1e-9), np.exp(kappa)[:, None]
        up, down = (T[1:] - E * T[:-1]) / size, (T[:-1] - E * T[1:]) / size
        assert max(up.max(), down.max(), (-T / size).max()) < 1e-9
        at_limit = np.where(slip > 0.0, up, down)[np.abs(slip) > 1e-6]
        assert np.abs(at_limit).max(initial=0.0) < 1e-9 and run.energy.drift < 1e-9
    assert {"slip", "stick"} <= happened


@pytest.mark.parametrize("hand", [1e-3, 1e-8])
def test_a_capstan_holds_by_the_hand_whatever_its_mass(hand: float) -> None:
    """A rim at 0.5 m/s lifts 90 kg by two and a half turns; the hand eases by 2 N/s until the rope slips."""
    path = [
        da.Anchor("load"),
        da.Sheave("world", 0.1, "y", joint="c", friction=0.25, turns=2, name="C"),
        da.Anchor("hand"),
    ]
    machine = da.Machine(
        "capstan",
        [da.point_mass("load", 90.0), da.point_mass("hand", hand), da.Body("drum", 1.0, inertia=(1, 1, 1))],
        [
            da.Joint("z", "prismatic", "world", "load", axis="-z", origin=(-0.1, 0, -6)),
            da.Joint("h", "prismatic", "world", "hand", axis="-z", origin=(0.1, 0, -1)),
            da.Joint("c", "revolute", "world", "drum", axis="y"),
        ],
        constraints=[da.MotionConstraint("turn", joint="c", value=5.0 * da.TIME)],
        wrenches=[da.Wrench("pull", "hand", force=(0, 0, -20.0 + 2.0 * da.TIME))],
        ropes=[da.Rope("r", path)],
    )
    start: dict[str, Any] = {"q0": {"z": 0.0, "h": 0.0}, "v0": {"c_dot": 5.0, "z_dot": 0.0, "h_dot": 0.0}}
    run = da.simulate(machine, duration=1.5, step=2e-3, backend="vm", **start)
    assert [e.name for e in run.events] == ["r.C.stick", "r.C.slip"]
    held = 90.0 * G / np.exp(0.25 * 5 * np.pi)
    assert run.events[1].t == pytest.approx((20.0 + hand * G - held) / 2.0, abs=1e-8)
    k = int(np.searchsorted(run.t, 1.0))
    assert run["tension.r[0]"][k] == pytest.approx(90.0 * G, rel=1e-9) and run.energy.drift < 1e-9
