"""Further numbers of these cases: accelerations, tensions, impacts, memory, jams, starting belts, gears, bristles."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import casadi as ca
import numpy as np

from dalembert import equations, simulate
from dalembert.analysis import rope_efficiency
from dalembert.core.errors import SimulationError
from dalembert.core.parameter import TIME, sin
from dalembert.loop.events import Event
from dalembert.model.body import Body
from dalembert.model.constraints import GearConstraint, MotionConstraint
from dalembert.model.friction import Friction
from dalembert.model.joint import Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame, Motor
from dalembert.model.ropes import Anchor, Rope, RopeObstacle, SheaveLoss
from dalembert.simulation.methods import DormandPrince
from dalembert.simulation.run import Run
from dalembert.studies.ropes.machines import (
    CRANE_START,
    G,
    atwood,
    belt,
    bollard,
    fixed_span,
    heavy_tackle,
    peg_pendulum,
    rotor,
    starting_belt,
    tackle,
    tower_crane,
    trolley_guide,
)

__all__ = ["details"]

_TIGHT: Any = {"method": DormandPrince(rtol=1e-11, atol=1e-12), "backend": "vm"}
_TIGHTER: Any = {"method": DormandPrince(rtol=1e-13, atol=1e-14), "backend": "vm"}


def details(runs: list[Run]) -> Iterator[tuple[str, float]]:
    """Yield keys and values; ``runs`` takes the runs whose energy must close."""
    for part in (_guide, _atwood, _efficiencies, _impacts, _peg, _memory, _jam, _belts, _crane, _worm, _bristles):
        yield from part(runs)
    yield "cylinder.eytelwein", _eytelwein_angle()
    yield from zip(("chain.H", "chain.V"), _rod_chain(100), strict=True)


def _guide(runs: list[Run]) -> Iterator[tuple[str, float]]:
    run = simulate(atwood(10.0, 2.0, friction=0.2), duration=1.0, q0={"x1": 0.5, "x2": 3.5}, **_TIGHT)
    yield "eytelwein.x1", run["x1"][-1] - 0.5
    start: Any = {"q0": {"x1": 2.0, "x2": 0.5}, "v0": {"x1_dot": -2.0, "x2_dot": 2.0}}
    thrown = simulate(atwood(3.0, 2.5, friction=0.2), duration=1.0, record=0.1, **start, **_TIGHT)
    yield "eytelwein.slows", (thrown["x1_dot"][4] + 2.0) / thrown.t[4]
    yield "eytelwein.held2", thrown["tension.r[1]"][-1]
    hold = 1000.0 * math.exp(-0.15 * 5 * math.pi)
    slow: Any = {"q0": {"x1": 0.5, "x2": 3.5}, "v0": {"x1_dot": 0.1, "x2_dot": -0.1}}
    lowers = simulate(bollard(1000.0, hold, friction=0.15, turns=2), duration=0.1, **slow, **_TIGHT)
    yield "bollard.hold", 1000.0 * lowers["tension.r[1]"][-1] / lowers["tension.r[0]"][-1]
    runs += [run, thrown, lowers]


def _atwood(runs: list[Run]) -> Iterator[tuple[str, float]]:
    q0 = {"x1": 2.0, "x2": 2.0, "wheel": 0.0}
    teeth = simulate(atwood(5.0, 3.0, inertia=0.02, teeth=True), duration=0.1, q0=q0, **_TIGHT)
    critical = math.log(teeth["tension.r[0]"][-1] / teeth["tension.r[1]"][-1]) / math.pi
    yield "atwood.critical", critical
    slips = simulate(atwood(5.0, 3.0, inertia=0.02, friction=critical / 2), duration=0.1, q0=q0, **_TIGHT)
    for k in (0, 1):
        yield f"atwood.slip.T{k + 1}", slips[f"tension.r[{k}]"][-1]
    v0 = {"x1_dot": 0.0, "x2_dot": 0.0, "wheel_dot": 60.0}
    spun = simulate(atwood(5.0, 3.0, inertia=0.02, friction=0.25), duration=1.5, record=0.1, q0=q0, v0=v0, **_TIGHT)
    yield "spun.rises", -spun["x1_dot"][2] / spun.t[2]
    (stick,) = spun.events
    yield "spun.stick.omega", float(stick.x[3])  # after the coordinates wheel, x1, x2
    yield "spun.v", spun["x1_dot"][-1]
    runs += [teeth, slips, spun]


def _efficiencies(runs: list[Run]) -> Iterator[tuple[str, float]]:
    loss = SheaveLoss(bearing=0.12, pin=0.02, bending=0.012)
    for parts in (2, 4, 6):
        found = rope_efficiency(tackle(parts, 1e4 / G, 1.0, loss=loss), "r", held=["h"])
        yield f"tackle{parts}.eta", found.lifting
        yield f"tackle{parts}.eta_down", found.lowering
    run = simulate(tackle(2, 1e4 / G, 5500.0 / G, loss=loss), duration=0.1, **_TIGHT)
    yield "tackle.k", run["tension.r[0]"][-1] / run["tension.r[1]"][-1]
    runs.append(run)
    for parts, load, force in ((2, 500.0, 2800.0), (4, 1000.0, 2900.0)):
        bearing = SheaveLoss(bearing=0.12, pin=0.02)
        run = simulate(heavy_tackle(parts, load, force, inertia=0.3, loss=bearing), duration=0.1, **_TIGHT)
        yield f"tackle{parts}.inertia.acceleration", run["z_dot"][-1] / run.t[-1]
        for k in range(1, parts + 1):
            yield f"tackle{parts}.inertia.T{k}", run[f"tension.r[{k}]"][-1]


def _impacts(runs: list[Run]) -> Iterator[tuple[str, float]]:
    """Ropes of given length become taut while one of their masses moves."""
    cases: dict[str, tuple[Machine, float]] = {
        "guide": (atwood(10.0, 2.0, friction=0.2, length=2.1 + math.pi * 0.1), 3.0),
        "sheave": (atwood(6.0, 3.0, radius=0.12, inertia=0.02, friction=0.9, length=2.0 + math.pi * 0.12), 2.0),
    }
    for name, (machine, speed) in cases.items():
        still = machine.with_(gravity=(0.0, 0.0, 0.0))
        turns = {"wheel": 0.0} if name == "sheave" else {}
        v0 = {"x1_dot": speed, "x2_dot": 0.0} | {f"{k}_dot": v for k, v in turns.items()}
        run = simulate(still, duration=0.1, q0={"x1": 0.4, "x2": 0.5} | turns, v0=v0, **_TIGHT)
        (taut,) = (entry for entry in run.metadata["transitions"] if entry["impulse"])
        for k in (0, 1):
            yield f"impact.{name}.P{k + 1}", taut["impulse"][f"r[{k}]"]
        yield f"impact.{name}.speed", run["x1_dot"][-1]
        if name == "guide":
            yield "impact.guide.lost", taut["energy_lost"]
        runs.append(run)


def _peg(runs: list[Run]) -> Iterator[tuple[str, float]]:
    """The pendulum on its peg, where it comes to rest on the other side."""
    q0 = {"x": 1.2 * math.sin(-0.9), "z": 1.2 - 1.2 * math.cos(0.9)}
    top = Event("top", "x_dot", direction=-1, terminal=True)
    run = simulate(peg_pendulum(), duration=1.2, q0=q0, events=[top], **_TIGHT)
    yield "peg.top", run.t[-1]
    yield "peg.angle", run["wrap.r.peg"][-1]
    yield "peg.tension", run["tension.r[0]"][-1]
    x, z = run["x"][-1] - 0.15, run["z"][-1] - 1.2 + 0.5  # from the centre of the peg
    yield "peg.free", math.sqrt(x * x + z * z - 0.15**2)
    runs.append(run)


def _memory(runs: list[Run]) -> Iterator[tuple[str, float]]:
    """The span between two fixed guides while one weight is pulled with 80 N, let go, and lifted by 40 N."""
    course = 60.0 * sin(math.pi / 2 * TIME) + 20.0 * sin(math.pi / 2 * TIME) ** 2
    run = simulate(fixed_span(course), duration=3.0, record=1.0, step=0.01, backend="vm")
    for t in (1, 2, 3):
        yield f"memory.{t}", run["tension.r[1]"][int(np.abs(run.t - t).argmin())]
    runs.append(run)


def _jam(runs: list[Run]) -> Iterator[tuple[str, float]]:
    """The inverse of a tension that keeps the slip going is linear in ``exp(kappa)``: it vanishes where it jams."""
    start: Any = {"q0": {"rail": 0.0, "x1": 0.0, "x2": 0.0}, "v0": {"rail_dot": 0.0, "x1_dot": -0.1, "x2_dot": 0.1}}
    E, inverse = np.zeros(2), np.zeros(2)
    for k, mu in enumerate((0.3, 0.7)):
        run = simulate(trolley_guide(mu), duration=1e-4, **start, **_TIGHT)
        E[k], inverse[k] = math.exp(mu * math.pi / 3), 1.0 / run["tension.r[0]"][0]
        runs.append(run)
    limit = E[0] - inverse[0] * (E[1] - E[0]) / (inverse[1] - inverse[0])
    yield "jam.mu", math.log(limit) / (math.pi / 3)
    jammed = 0
    for mu, named in ((0.77898, False), (0.778984, True)):
        try:
            simulate(trolley_guide(mu), duration=1e-9, **start, **_TIGHT)
        except SimulationError as error:
            jammed += named and "it jams there" in str(error)
        else:
            jammed += not named
    yield "jam.named", float(jammed)


def _crane(runs: list[Run]) -> Iterator[tuple[str, float]]:
    """The tower crane on an elastic rope event by event, from the tensions of the reference, which differ at the hook.

    An event at 1e-7 s moves rope past the sheaves, from equal tensions.
    """
    EA, hook_falls = 1.2e7, (70.5137166941154 - 39.1) / 2
    L = np.array([14.55, hook_falls, hook_falls, 24.55])
    l = L / (1 + np.array([9694.792125412, 9952.179585648, 9667.820414352, 9417.787170774]) / EA)
    moved = np.cumsum(l - l.sum() * L / L.sum())[:3]
    trolley, hook = (SheaveLoss(c * r / 0.02, 0.02, 0.005) for c, r in ((0.015, 0.2), (0.012, 0.25)))
    crane = tower_crane((trolley, hook, trolley), stiffness=EA, length=float(l.sum()))
    start: Any = CRANE_START
    names = simulate(crane, duration=1e-3, step=1e-3, backend="vm", **start).names
    places = [names.index(f"material.hoist.{sheave}") for sheave in "AHB"]

    def begin(t: float, x: Any, events: Any) -> Any:
        x[places] += moved * ("begin" in events)
        return x

    event = Event("begin", lambda t, q, v: 1e6 * t - 0.1)
    run = simulate(crane, duration=10.0, record=1.0, events=[event], on_event=begin, **_TIGHT, **start)
    runs.append(run)
    for name, signal in (("x", "hook_x"), ("z", "hook_z"), *((f"T{k}", f"tension.hoist[{k}]") for k in range(4))):
        yield f"elastic.events.{name}", run[signal][-1]


def _belts(runs: list[Run]) -> Iterator[tuple[str, float]]:
    """Belts event by event: tensions and creep of steady drives, gross slip, and a start from rest."""
    moving = {"a_dot": 12.0, "b_dot": 12.0}
    for M, ratio in ((5.0, 0.994062515376), (10.0, 0.988160493158)):
        run = simulate(belt(M - 0.4 * 12.0 * ratio, brake=0.4), duration=3.0, v0=moving, **_TIGHTER)
        runs.append(run)
        slack, tight = (run[f"tension.belt[{k}]"][-1] for k in (0, 1))
        yield f"belt.{M:g}.creep", run["b_dot"][-1] / 12.0
        yield f"belt.{M:g}.exact", run["b_dot"][-1] / 12.0
        yield f"belt.{M:g}.tight", tight
        yield f"belt.{M:g}.slack", slack
        if M == 10.0:
            yield "belt.arc", math.log(tight / slack) / 0.5
    run = simulate(belt(30.0), duration=0.1, v0=moving, **_TIGHT)
    torque = (run["tension.belt[1]"][-1] - run["tension.belt[0]"][-1]) * 0.10495
    yield "belt.gross.lumped", torque
    yield "belt.gross", torque
    start = simulate(starting_belt(), duration=2.0, record=0.05, events=[Event("ramp", "t - 0.25")], **_TIGHTER)
    for t in (0.25, 0.4, 0.6, 2.0):
        yield f"belt.start.{t:g}", start["b_dot"][int(np.abs(start.t - t).argmin())]
    runs += [run, start]


def _worm(runs: list[Run]) -> Iterator[tuple[str, float]]:
    """Part of its power that a worm of the slope 0.08 with a coefficient of friction of 0.1 transmits, both ways."""
    lead, rho, n = math.atan(0.08), math.atan(0.1), 30.0
    worm = GearConstraint(
        "worm",
        (("a", 1.0), ("b", -n)),
        efficiency=math.tan(lead) / math.tan(lead + rho),
        back_efficiency=math.tan(lead - rho) / math.tan(lead),
    )
    drive = MotionConstraint("drive", joint="a", value=3.0 * TIME)
    shafts = Machine(
        "worm",
        tuple(Body(name, 1.0, inertia=(0.01, 0.01, 0.01)) for name in ("screw", "wheel")),  # type: ignore[arg-type]
        tuple(
            Joint(joint, "revolute", "world", body, axis="z")  # type: ignore[arg-type]
            for joint, body in (("a", "screw"), ("b", "wheel"))
        ),
        motors=(Motor("load", "b"),),
        constraints=(worm, drive),
        gravity=(0.0, 0.0, 0.0),
    )
    for key, load in (("worm.eta", -60.0), ("worm.back", 60.0)):
        run = simulate(shafts, duration=0.1, v0={"a_dot": 3.0, "b_dot": 3.0 / n}, control=[load], **_TIGHT)
        torque = -run["multiplier.drive"][-1]  # of the drive on the screw
        yield key, -load / n / torque if load < 0 else -torque * n / load
        runs.append(run)


def _bristles(runs: list[Run]) -> Iterator[tuple[str, float]]:
    """Angle at the first stop of the rotor with bristles of three stiffnesses."""
    for stiffness in (1e3, 1e4, 1e5):
        damping = 2 * math.sqrt(stiffness * 0.5)
        friction = Friction(5.0, 7.0, 0.05, law="lugre", bristle_stiffness=stiffness, bristle_damping=damping)
        run = simulate(rotor(friction), duration=0.75, method="cvodes", rtol=1e-9, atol=1e-12, record=1e-4)
        yield f"lugre.{stiffness:g}", float(run["a"].max())


def _eytelwein_angle() -> float:
    """Angle of wrap times the cosine of the slope of a helix, from the friction of the rope."""
    obstacle = RopeObstacle("world", 0.3, "-z", name="o", friction=1.0)
    rope = Rope("r", (Anchor("world", (-1, 0.1, 0)), obstacle, Anchor("world", (0.8, 0.05, 0.6))))
    machine: Machine = peg_pendulum().with_(ropes=[rope])
    ((_, rub),) = rope.neutral_route(machine).sections[0].rubs
    return float(ca.DM(ca.evalf(rub.kappa)))


def _rod_chain(rods: int) -> tuple[float, float]:
    """Pull of a chain of uniform rods between two points, as the multipliers of a loop.

    The posture is that of equilibrium: the pull of a rod, at its middle, is along it.
    """
    span, length, weight = np.array([100.0, 30.0]), 106.0, 20.601
    l, w = length / rods, weight * length / rods
    H, V = 3000.0, -100.0  # at the lower end
    middle = (np.arange(rods) + 0.5) * w
    for _ in range(40):
        size = np.hypot(H, V + middle)
        c, s = H / size, (V + middle) / size
        gap = l * np.array([c.sum(), s.sum()]) - span
        J = l * np.array([[(s**2 / size).sum(), -(c * s / size).sum()], [-(c * s / size).sum(), (c**2 / size).sum()]])
        H, V = np.array([H, V]) - np.linalg.solve(J, gap)
    angles = np.arctan2(V + middle, H)
    eom = equations(_chain(rods, l, w / G), backend="vm")
    q = np.diff(angles, prepend=0.0)
    multipliers = np.linalg.lstsq(eom.constraint_jacobian(q).T, eom.gravity(q), rcond=None)[0]
    return float(multipliers[0]), float(multipliers[1])


def _chain(rods: int, length: float, mass: float) -> Machine:
    bodies, joints, parent = [], [], "world"
    for k in range(rods):
        inertia = mass * length**2 / 12
        body = Body(f"rod{k}", mass, com=(length / 2, 0, 0), inertia=(0.0, inertia, inertia))  # type: ignore[arg-type]
        bodies.append(body)
        origin = (length if k else 0.0, 0, 0)
        joints.append(Joint(f"a{k}", "revolute", parent, body.name, axis="-y", origin=origin))  # type: ignore[arg-type]
        parent = body.name
    held = tuple(
        MotionConstraint(f"end_{component}", frame="end", component=component, value=value)
        for component, value in (("x", 100.0), ("z", 30.0))
    )
    frame = Frame("end", parent, (length, 0, 0))  # type: ignore[arg-type]
    return Machine("chain", tuple(bodies), tuple(joints), frames=(frame,), constraints=held)
