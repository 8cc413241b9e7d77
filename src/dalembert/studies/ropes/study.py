"""Ropes over sheaves against closed forms and independent integrations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import casadi as ca
import numpy as np

from dalembert import simulate
from dalembert.analysis import catenary
from dalembert.control import PD
from dalembert.core.parameter import TIME
from dalembert.loop.events import Event
from dalembert.model.friction import Friction
from dalembert.model.machine import Machine
from dalembert.model.ropes import Anchor, DrumLayers, Rope, RopeObstacle, SheaveLoss
from dalembert.simulation.methods import DormandPrince
from dalembert.simulation.run import Run
from dalembert.studies.ropes.details import details
from dalembert.studies.ropes.machines import (
    CRANE_START,
    atwood,
    belt,
    belt_mass,
    capstan,
    peg_pendulum,
    rotor,
    tackle,
    tower_crane,
)
from dalembert.systems.cranes import planar_crane, uniform_cable

__all__ = ["results"]

G = 9.81


def results(*, full: bool = True) -> Iterator[tuple[str, float]]:
    """Yield the key of each expected value and our value."""
    runs: list[Run] = []
    for part in (_eytelwein, _atwood, _tackles, _crane, _peg, _surfaces, _stiction, _trolley, _catenaries, _capstan):
        yield from part(runs)
    yield from details(runs)
    yield "energy", max(abs(run.energy.drift) for run in runs)
    for turns in (20, 50):
        yield f"layers.{turns}", DrumLayers(turns=20, rope=0.02, wound=turns, ramp=1e-9).coiled(0.31, turns)
    yield from _elastic()


def _run(runs: list[Run], *args: Any, **options: Any) -> Run:
    """Simulate tightly, and keep the run."""
    run = simulate(*args, method=DormandPrince(rtol=1e-11, atol=1e-12), backend="vm", **options)
    runs.append(run)
    return run


def _eytelwein(runs: list[Run]) -> Iterator[tuple[str, float]]:
    run = _run(runs, atwood(10.0, 2.0, friction=0.2), duration=0.2, q0={"x1": 0.5, "x2": 1.0})
    yield "eytelwein.a", 2 * (run["x1"][-1] - 0.5) / 0.2**2
    yield "eytelwein.T1", run["tension.r[0]"][-1]
    yield "eytelwein.T2", run["tension.r[1]"][-1]
    thrown = {"x1_dot": -2.0, "x2_dot": 2.0}
    run = _run(runs, atwood(3.0, 2.5, friction=0.2), duration=1.0, q0={"x1": 2.0, "x2": 0.5}, v0=thrown)
    yield "eytelwein.stick", next(event.t for event in run.events if event.name == "r.S.stick")
    yield "eytelwein.way", 2.0 - run["x1"][-1]
    yield "eytelwein.held", run["tension.r[0]"][-1]


def _atwood(runs: list[Run]) -> Iterator[tuple[str, float]]:
    start = {"x1": 0.5, "x2": 0.5, "wheel": 0.0}
    run = _run(runs, atwood(5.0, 3.0, inertia=0.02, teeth=True), duration=0.5, q0=start)
    yield "atwood.teeth", 2 * (run["x1"][-1] - 0.5) / 0.5**2
    yield "atwood.T1", run["tension.r[0]"][-1]
    yield "atwood.T2", run["tension.r[1]"][-1]
    run = _run(runs, atwood(5.0, 3.0, inertia=0.02, friction=0.0167686468737), duration=0.2, q0=start)
    yield "atwood.slip", 2 * (run["x1"][-1] - 0.5) / 0.2**2
    yield "atwood.spin", -run["wheel_dot"][-1] / 0.2
    spun, q0 = {"x1_dot": 0.0, "x2_dot": 0.0, "wheel_dot": 60.0}, {"x1": 2.0, "x2": 2.0, "wheel": 0.0}
    run = _run(runs, atwood(5.0, 3.0, inertia=0.02, friction=0.25), duration=1.5, q0=q0, v0=spun)
    yield "spun.T1", run["tension.r[0]"][0]
    yield "spun.T2", run["tension.r[1]"][0]
    yield "spun.stick", next(event.t for event in run.events if event.name == "r.S.stick")
    yield "spun.x", run["x1"][-1] - 2.0
    yield "spun.omega", run["wheel_dot"][-1]


def _tackles(runs: list[Run]) -> Iterator[tuple[str, float]]:
    """Tackles that move steadily: the free end has the weight whose acceleration is zero."""
    loss, W = SheaveLoss(bearing=0.12, pin=0.02, bending=0.012), 1e4
    k = (1 + 0.016) / (1 - 0.016) * 1.012
    for parts in (2, 4, 6):
        ends = {"up": W * (k - 1) / (1 - k**-parts), "down": W * (k - 1) / (k * (k**parts - 1))}
        for (what, F), speed in zip(ends.items(), (0.1, -0.1), strict=True):
            machine = tackle(parts, W / G, F / G, loss=loss)
            v0 = {"z_dot": speed, "h_dot": -speed * parts}
            run = _run(runs, machine, duration=0.1, q0={"z": 0.0, "h": 0.0}, v0=v0)
            yield f"tackle{parts}.{what}", run["tension.r[0]"][-1]
        if parts == 4:
            inside, outside = list[float](), list[float]()
            for F, sign in ((ends["up"], 1.0), (ends["down"], -1.0)):
                for part, speeds in ((-1e-3, inside), (1e-3, outside)):
                    machine = tackle(parts, W / G, F * (1 + sign * part) / G, loss=loss)
                    run = _run(runs, machine, duration=0.1, q0={"z": 0.0, "h": 0.0})
                    speeds.append(float(np.abs(run["z_dot"]).max()))
            yield "tackle4.stands", max(inside)
            yield "tackle4.moves", float(min(outside) > 0.0)


def _crane(runs: list[Run]) -> Iterator[tuple[str, float]]:
    run = _run(runs, tower_crane(), duration=10.0, **CRANE_START)
    yield "crane.length", run["length.hoist"][0]
    yield "crane.x", run["hook_x"][-1]
    yield "crane.z", run["hook_z"][-1]
    yield "crane.T", run["tension.hoist[0]"][-1]
    trolley, hook = (SheaveLoss(c * r / 0.02, 0.02, 0.005) for c, r in ((0.015, 0.2), (0.012, 0.25)))
    lossy = tower_crane((trolley, hook, trolley))
    run = _run(runs, lossy, duration=3.0, **CRANE_START)
    spans = [run[f"tension.hoist[{k}]"] for k in range(4)]
    for k, tension in enumerate(spans):
        yield f"lossy.T{k}", tension[0]
    yield "lossy.x3", run["hook_x"][-1]
    yield "lossy.z3", run["hook_z"][-1]
    for k, tension in enumerate(spans):
        yield f"lossy.T3{k}", tension[-1]
    run = _run(runs, lossy, duration=10.0, **CRANE_START)
    yield "lossy.x", run["hook_x"][-1]
    yield "lossy.z", run["hook_z"][-1]
    for k in range(4):
        yield f"lossy.T10{k}", run[f"tension.hoist[{k}]"][-1]
        yield f"lossy.reversal{k + 1}", run.events[k].t


def _peg(runs: list[Run]) -> Iterator[tuple[str, float]]:
    start, period = -0.9, 2.04307856442
    q0 = {"x": 1.2 * np.sin(start), "z": 1.2 - 1.2 * np.cos(start)}
    run = _run(runs, peg_pendulum(), duration=period, q0=q0)
    times = {event.name: event.t for event in run.events}
    yield "peg.meets", times["r.peg.meet"]
    yield "peg.leaves", times["r.peg.leave"]
    before, after = np.flatnonzero(run.t == times["r.peg.meet"])
    yield "peg.T1", run["tension.r[0]"][before]
    yield "peg.T2", run["tension.r[0]"][after]
    yield "peg.speed", float(np.hypot(run["x_dot"][before], run["z_dot"][before]))
    yield "peg.period", float(np.hypot(run["x"][-1] - q0["x"], run["z"][-1] - q0["z"]))


def _surfaces(runs: list[Run]) -> Iterator[tuple[str, float]]:
    """Lengths and wraps of a rope round a cylinder and a sphere in space."""
    cases = {
        "cylinder": (RopeObstacle("world", 0.3, "-z", name="o"), (-1, 0.1, 0), (0.8, 0.05, 0.6)),
        "sphere": (RopeObstacle("world", 0.4, name="o"), (-1, 0.2, 0.1), (0.9, 0.1, -0.3)),
    }
    for name, (obstacle, first, last) in cases.items():
        rope = Rope("r", (Anchor("world", first), obstacle, Anchor("world", last)))
        machine: Machine = peg_pendulum().with_(ropes=[rope])
        route = rope.neutral_route(machine)
        yield f"{name}.length", float(ca.DM(ca.evalf(route.length)))
        yield f"{name}.wrap", float(ca.DM(ca.evalf(route.wraps[0].arc.angle)))


def _stiction(runs: list[Run]) -> Iterator[tuple[str, float]]:
    """A rotor under an oscillating torque, and a mass on a belt: static friction above the kinetic one."""
    for name, stribeck in (("coulomb", 0.0), ("stribeck", 0.05), ("steep", 0.005)):
        run = _run(runs, rotor(Friction(5.0, static=7.0, stribeck=stribeck)), duration=0.61)
        away, stop = run.events[:2]
        if name == "coulomb":
            yield "stiction.away", away.t
            pause = _run(runs, rotor(Friction(5.0, static=7.0)), duration=0.7).events
            yield "stiction.pause", pause[2].t - pause[1].t
        yield f"stiction.{name}.stop", stop.t
        yield f"stiction.{name}.angle", float(stop.x[0])
    run = _run(runs, belt_mass(), duration=1.5, q0={"x": 0.0}, v0={"x_dot": 0.1}, record=1e-4)
    slip, stick, again = (event.t for event in run.events[:3])
    yield "belt.slip", stick - slip
    yield "belt.period", again - slip
    yield "belt.stretch", float(run["x"].max())


def _trolley(runs: list[Run]) -> Iterator[tuple[str, float]]:
    """A crane's trolley under half of its rail friction, and its error after a move under PD control."""
    crane = planar_crane(uniform_cable(1, 6.0, payload=200.0), rail_friction=Friction(50.0, static=60.0))
    run = simulate(crane, duration=60.0, control=[30.0], step=0.02, backend="vm")
    yield "trolley.stands", float(np.abs(run["x"]).max())
    m, kp, kd, F, reach = 100.0, 200.0, 120.0, 60.0, 0.7
    cart = planar_crane(uniform_cable(1, 6.0, payload=1.0), trolley=m - 1.0, rail_friction=Friction(F)).lock(["theta1"])
    run = _run(runs, cart, duration=10.0, control=PD(kp, kd, [reach]))
    yield "trolley.error", run["x"][-1] - reach


def _catenaries(runs: list[Run]) -> Iterator[tuple[str, float]]:
    """Heavy cables over 100 m and 30 m: one that sags, one that is taut, and one that does not stretch."""
    ends, weight = ((0.0, 0.0, 0.0), (100.0, 0.0, 30.0)), 20.601
    sagging = catenary(*ends, 106.0, weight, stiffness=2.8e7)
    yield "catenary.H", sagging.horizontal
    yield "catenary.V", sagging.vertical
    yield "catenary.start", sagging.tensions[0]
    K = sagging.stiffness_matrix
    for key, (i, j) in {"xx": (0, 0), "xz": (0, 2), "zz": (2, 2)}.items():
        yield f"catenary.K{key}", float(K[i, j])
    taut = catenary(*ends, 104.2, weight, stiffness=2.8e7)
    yield "catenary.taut.H", taut.horizontal
    yield "catenary.taut.V", taut.vertical
    yield "catenary.taut.hz", taut.frequency
    rigid = catenary(*ends, 106.0, weight)
    yield "catenary.rigid.H", rigid.horizontal
    yield "catenary.rigid.V", rigid.vertical


def _capstan(runs: list[Run]) -> Iterator[tuple[str, float]]:
    """A capstan pulls a load up; then the hand eases by 2 N/s until the load slips, and stops."""
    still = {"x_dot": 0.0, "y_dot": 0.0}
    run = _run(runs, capstan(20.0), duration=0.2, q0={"x": 0.0, "y": 0.0}, v0=still)
    T = run["tension.r[0]"][0]
    yield "capstan.T", T
    yield "capstan.ratio", T / run["tension.r[1]"][0]
    yield "capstan.a", T / 150.0 - G
    (stick,) = run.events
    yield "capstan.stick", stick.t
    names = ("drum", "x", "y", "drum_dot", "x_dot", "y_dot")
    state = dict(zip(names, map(float, stick.x), strict=False))
    start: Any = {"q0": {n: state[n] for n in names[:3]}, "v0": {n: state[n] for n in names[3:]}, "t0": stick.t}
    top = Event("top", "x_dot", direction=1)
    run = _run(runs, capstan(20.0 - 2.0 * (TIME - stick.t)), duration=4.5, events=[top], **start)
    times = {event.name: event for event in run.events}
    yield "capstan.slip", times["r.C.slip"].t
    yield "capstan.hand", 20.0 - 2.0 * (times["r.C.slip"].t - stick.t)
    yield "capstan.top", times["top"].t
    yield "capstan.height", -float(times["top"].x[1])


def _elastic() -> Iterator[tuple[str, float]]:
    """Friction on elastic ropes: creep of a belt, and the tower crane, by time-stepping."""
    moving = {"a_dot": 12.0, "b_dot": 12.0}
    for M, ratio in ((5.0, 0.994062515376), (10.0, 0.988160493158)):
        machine = belt(M - 0.4 * 12.0 * ratio, brake=0.4)
        run = simulate(machine, duration=2.5, step=1e-3, contact="time-stepping", backend="vm", v0=moving, record=0.5)
        yield f"creep.{M:g}", run["b_dot"][-1] / 12.0
    trolley, hook = (SheaveLoss(c * r / 0.02, 0.02, 0.005) for c, r in ((0.015, 0.2), (0.012, 0.25)))
    rigid: Any = {"duration": 10.0, "contact": "time-stepping", "backend": "vm", "record": 1.0, **CRANE_START}
    run = simulate(tower_crane((trolley, hook, trolley)), step=1e-2, **rigid)
    yield "steps.distance", float(np.hypot(run["hook_x"][-1] - 19.142979812462, run["hook_z"][-1] - 11.000436168377))
    EA, hook_falls = 1.2e7, (70.5137166941154 - 39.1) / 2
    spans = np.array([14.55, hook_falls, hook_falls, 24.55])  # arcs cut above the trolley's sheaves, below the hook
    T = np.array([9694.792125412, 9952.179585648, 9667.820414352, 9417.787170774])
    crane = tower_crane((trolley, hook, trolley), stiffness=EA, length=float(np.sum(spans / (1 + T / EA))))
    names = ("hook_x", "hook_z", *(f"tension.hoist[{k}]" for k in range(4)))
    ends = []
    for step in (5e-3, 2.5e-3):
        start: Any = CRANE_START
        run = simulate(crane, duration=10.0, step=step, contact="time-stepping", backend="vm", record=1.0, **start)
        ends.append(np.array([run[name][-1] for name in names]))
    limit = (4 * ends[1] - ends[0]) / 3  # the method is of second order
    for name, value in zip(("x", "z", "T0", "T1", "T2", "T3"), limit, strict=True):
        yield f"elastic.{name}", float(value)
