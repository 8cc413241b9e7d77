"""Predictive controllers on plants that their models leave out: cable links, modes, lag, noise, loads, wheels and jets.

A crane with a cable of ten links under a controller that knows one pendulum; a flexible arm with four modes per link
under one that knows two; a cable robot with winches whose load and cables are off; a chaser with wheels and 24 nozzles.
All sensors are noisy, and estimators stand between them and the controllers. The drives of the first three have a lag.

Alone it runs two members of each campaign; `python examples/plants_of_other_fidelity.py 1000 plants` runs 1,000 of
each and keeps them in the folder `plants`. Interrupted, the same command resumes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

import dalembert as da
from dalembert import control
from dalembert.systems.cranes import planar_crane, uniform_cable
from dalembert.systems.flexible_arms import planar_arm


@dataclass(frozen=True)
class Loop:
    """A plant under a controller, and the campaign on it.

    Parameters
    ----------
    plant, control
        Machine and law.
    settings
        Start, duration and steps of the runs.
    vary
        Ranges of parameters and start.
    measure
        Measured quantities.
    """

    plant: da.Machine
    control: Any
    settings: dict[str, Any]
    vary: dict[str, Any]
    measure: dict[str, Any]


def ten_links() -> Loop:
    """The model is a pendulum; the plant has a cable of 20 kg in ten links, and its payload is off by up to half.

    Encoder and camera see the trolley and the horizontal offset of the payload. A kick sets the cable swinging.
    """
    period = 0.05

    def sensed(machine: da.Machine) -> da.Machine:
        return machine.with_(
            signals=[da.Signal("offset", "position.payload.x - x")],
            sensors=[
                da.Sensor("encoder", "x", period=period, noise=2e-3, feedback=False),
                da.Sensor("camera", "offset", period=period, noise=5e-3, feedback=False),
            ],
        )

    payload = da.Parameter("payload", 500.0)
    model = sensed(planar_crane(uniform_cable(1, 5.0, payload=payload), trolley=200.0))
    cable = uniform_cable(10, 5.0, payload=payload, mass=20.0, bending_damping=2.0)
    seen = da.mhe(
        model,
        period=period,
        horizon=0.75,
        noise={"x_dot": 0.1, "theta1_dot": 0.05, "payload": 5.0},
        uncertainty={"x": 0.01, "theta1": 0.05, "x_dot": 0.05, "theta1_dot": 0.05, "payload": 200.0},
        estimate=["payload"],
        limits={"payload": (50.0, 2000.0)},
    )
    law = da.mpc(
        model,
        horizon=4.0,
        intervals=40,
        cost=da.Cost(states={"x": 1.0, "theta1": 50.0, "x_dot": 0.1, "theta1_dot": 5.0}, inputs=1e-6, terminal="lqr"),
        reference={"x": 5.0},
        limits={"F": (-1500, 1500), "theta1": da.soft(-0.12, 0.12, linear=1e3)},
        known=["payload"],
        period=period,
    )
    return Loop(
        sensed(planar_crane(cable, trolley=200.0)),
        control.ActuatorLag(control.Cascade(law, [seen]), 0.03),
        {"duration": 14.0, "step": 2e-3},
        {"payload": (250.0, 750.0), "v0.theta1_dot": (-0.15, 0.15)},
        {
            "off_m": da.Measure(lambda s: ca.fabs(s["x"] - 5.0), "final"),
            "swing_rad": da.Measure(lambda s: ca.fabs(s["offset"]) / 5.0, "max"),
            "left_rad": da.Measure(lambda s: ca.fabs(s["offset"]) / 5.0, "max", since=12.0),
            "force_N": da.Measure("u.F", "max abs"),
        },
    )


def arm(modes: int) -> da.Machine:
    """The planar arm with a number of modes per link, all damped by 0.1 % of critical; encoders, and a tracker."""
    rigid, period = planar_arm(), 0.01
    links = [replace(x, modes={"y": modes}, damping=1e-3) if isinstance(x, da.Beam) else x for x in rigid.bodies]
    return rigid.with_(
        bodies=links,
        signals=[da.Signal(f"tip_{a}", f"position.payload.{a}") for a in "xy"],
        sensors=[
            da.Sensor("encoders", ["theta1", "theta2"], period=period, noise=1e-4, feedback=False),
            da.Sensor("tracker", ["tip_x", "tip_y"], period=period, noise=1e-3, feedback=False),
        ],
    )


def more_modes() -> Loop:
    """The model has two modes per link, the plant four. Without any damping the modes that the model lacks are lost."""
    model, plant = arm(2), arm(4)
    weights = dict.fromkeys(model.q_names, 1.0) | dict.fromkeys(("theta1", "theta2"), 100.0)
    weights |= dict.fromkeys(("theta1_dot", "theta2_dot"), 1.0)
    weights |= {name: 10.0 for name in model.v_names if "delta" in name}
    law = da.mpc(
        model,
        horizon=0.9,
        intervals=90,
        cost=da.Cost(states=weights, inputs=10.0, rates=1e-2, terminal="lqr"),
        reference={"theta1": 0.5, "theta2": -0.4},
        limits={"u.theta1": (-5, 5), "u.theta2": (-2, 2)},
        integrator="midpoint",
    )
    seen = da.ekf(
        model,
        period=0.01,
        steps=2,
        noise=dict.fromkeys(model.v_names, 0.3),
        uncertainty=dict.fromkeys(model.q_names, 1e-3) | dict.fromkeys(model.v_names, 0.05),
    )
    unseen = [f"link{k}.delta{j}" for k in (1, 2) for j in (3, 4)]
    return Loop(
        plant,
        control.ActuatorLag(control.Cascade(law, [seen]), 0.005),
        {"duration": 6.0, "step": 2e-4},
        {"v0.theta1_dot": (-0.1, 0.1), "v0.theta2_dot": (-0.1, 0.1)},
        {
            "off_rad": da.Measure(
                lambda s: ca.fmax(ca.fabs(s["theta1"] - 0.5), ca.fabs(s["theta2"] + 0.4)), "max", since=5.0
            ),
            "unseen": da.Measure(lambda s: ca.mmax(ca.vertcat(*[ca.fabs(s[name]) for name in unseen])), "max"),
        },
    )


CORNERS = {"a": (-2, 0, 3), "b": (2, 0, 3), "c": (-2, 0, 0), "d": (2, 0, 0)}


def winched(load: Any, stiffness: Any) -> da.Machine:
    """A platform on four elastic cables with winches; encoders of the drums, and a tracker of the platform."""
    drums, period = [da.winch(f"w{k}", 0.02, damping=0.05) for k in CORNERS], 0.01
    return da.Machine(
        "robot",
        [da.Body("slide"), da.point_mass("platform", load), *(body for body, _, _ in drums)],
        [
            da.Joint("x", "prismatic", "world", "slide", axis="x"),
            da.Joint("z", "prismatic", "slide", "platform", axis="z"),
            *(joint for _, joint, _ in drums),
        ],
        motors=[motor for _, _, motor in drums],
        cables=[
            da.Cable(
                f"c{k}", "platform", exit_at=c, length=2.5, winch=f"w{k}", drum=0.05, stiffness=stiffness, damping=200.0
            )
            for k, c in CORNERS.items()
        ],
        sensors=[
            da.Sensor("encoders", [f"w{k}" for k in CORNERS], period=period, noise=1e-3, feedback=False),
            da.Sensor("tracker", ["x", "z"], period=period, noise=1e-3, feedback=False),
        ],
    )


def posture(x: float, z: float, load: float, stiffness: float) -> dict[str, float]:
    """Coordinates of a platform at rest with tensions around 150 N."""
    spans = np.array([(c[0] - x, c[2] - z) for c in CORNERS.values()])
    lengths = np.linalg.norm(spans, axis=1)
    A = (spans / lengths[:, None]).T
    tension = 150.0 + np.linalg.pinv(A) @ (np.array([0.0, load * 9.81]) - A @ np.full(4, 150.0))
    angles = (lengths / (1 + tension / stiffness) - 2.5) / 0.05
    return {"x": x, "z": z} | {f"w{k}": a for k, a in zip(CORNERS, angles.tolist(), strict=True)}


def cable_robot() -> Loop:
    """The load is up to 15 % off, the cables up to 15 % stiffer or softer, and the platform moves at the start.

    The filter has noise of the angles of the drums too: a lag of 3 ms moves a drum by 0.03 rad in a period, and this
    is thirty times the noise of its encoder.
    """
    model = winched(da.Parameter("load", 20.0), 2e4)
    weights = {"x": 100.0, "z": 100.0, "x_dot": 1.0, "z_dot": 1.0}
    weights |= {f"w{k}": 0.1 for k in CORNERS} | {f"w{k}_dot": 0.01 for k in CORNERS}
    limits: dict[str, Any] = {f"u.w{k}": (-60.0, 60.0) for k in CORNERS}
    limits |= {f"tension.c{k}": da.soft(90.0, 400.0, linear=10.0, quadratic=0.1) for k in CORNERS}
    law = da.mpc(
        model,
        horizon=0.6,
        intervals=60,
        cost=da.Cost(states=weights, inputs=1e-3, terminal="lqr"),
        reference=posture(0.6, 1.9, 20.0, 2e4),
        limits=limits,
        integrator="midpoint",
        known=["load"],
    )
    start = posture(0.0, 1.5, 20.0, 2e4)
    noise = {"x": 0.01, "z": 0.01, "x_dot": 0.1, "z_dot": 0.1, "load": 0.5}
    unsure = {"x": 0.01, "z": 0.01, "x_dot": 0.2, "z_dot": 0.1, "load": 5.0}
    seen = da.ekf(
        model,
        period=0.01,
        steps=4,
        noise=noise | {f"w{k}": 0.3 for k in CORNERS} | {f"w{k}_dot": 30.0 for k in CORNERS},
        uncertainty=unsure | {f"w{k}": 0.02 for k in CORNERS} | {f"w{k}_dot": 0.1 for k in CORNERS},
        estimate=["load"],
        start=start,
        limits={"load": (5.0, 50.0)},
    )

    def tensions(s: Any) -> Any:
        return ca.vertcat(*[s[f"tension.c{k}"] for k in CORNERS])

    return Loop(
        winched(da.Parameter("load", 20.0), da.Parameter("EA", 2e4)),
        control.ActuatorLag(control.Cascade(law, [seen]), 0.003),
        {"duration": 3.0, "step": 5e-4, "q0": start},
        {"load": (17.0, 23.0), "EA": (1.7e4, 2.3e4), "v0.x_dot": (-0.3, 0.3)},
        {
            "least_N": da.Measure(lambda s: ca.mmin(tensions(s)), "min"),
            "most_N": da.Measure(lambda s: ca.mmax(tensions(s)), "max"),
            "off_m": da.Measure(lambda s: ca.hypot(s["x"] - 0.6, s["z"] - 1.9), "final"),
        },
    )


AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def spacecraft(mass: Any, period: float) -> da.Machine:
    """A hull with three wheels and 24 nozzles that only push; camera, star tracker, tachometers."""
    corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.4, 0.4) for z in (-0.4, 0.4)]
    frames, jets = [], []
    for k, corner in enumerate(corners):
        for axis, sign in enumerate(np.sign(corner)):
            name, force = f"jet{3 * k + axis + 1}", np.zeros(3)
            force[axis] = -sign
            frames.append(da.Frame(name, "hull", corner))
            jets.append(da.Thruster(name, name, force=tuple(force), effort=1.25, one_sided=True))
    wheels = [da.Body(f"wheel_{a}", mass=1.0, inertia=np.diag([0.01, 0.01, 0.01])) for a in AXES]
    measured = {
        "camera": ([f"base.{a}" for a in "xyz"], 5e-3),
        "stars": ([f"base.q{a}" for a in "wxyz"], 5e-4),
        "tacho": ([f"spin_{a}_dot" for a in AXES], 0.1),
    }
    return da.Machine(
        "chaser",
        [da.box("hull", mass, (1.0, 0.8, 0.8)), *wheels],
        [
            da.Joint("base", "free", "world", "hull"),
            *(da.Joint(f"spin_{a}", "revolute", "hull", f"wheel_{a}", axis=axis) for a, axis in AXES.items()),
        ],
        motors=[da.Motor(f"wheel_{a}", f"spin_{a}", effort=0.5) for a in AXES],
        frames=frames,
        thrusters=jets,
        sensors=[da.Sensor(n, of, period=period, noise=x, feedback=False) for n, (of, x) in measured.items()],
        gravity=(0, 0, 0),
    )


def chaser() -> Loop:
    """Approach over 10 m: wheels of 0.5 N m and 300 rad/s, nozzles that are on or off for at least 50 ms.

    The controller plans thrusts every half second; `control.PulsedJets` gives them as pulses. The mass is up to 10 %
    off.
    """
    period, pulse = 0.5, 0.05
    model = spacecraft(100.0, period)
    weights = {f"base.{a}": 1.0 for a in "xyz"} | {f"base.v{a}": 10.0 for a in "xyz"}
    weights |= {f"base.q{a}": 40.0 for a in "xyz"} | {f"base.w{a}": 100.0 for a in "xyz"}
    nozzles = [x.name for x in model.thrusters]
    limits: dict[str, Any] = dict.fromkeys(nozzles, (0.0, 1.25)) | {f"u.wheel_{a}": (-0.5, 0.5) for a in AXES}
    limits |= {f"spin_{a}_dot": da.soft(-300.0, 300.0, linear=1.0) for a in AXES}
    law = da.mpc(
        model,
        horizon=30.0,
        intervals=30,
        period=period,
        cost=da.Cost(
            states=weights,
            inputs=dict.fromkeys(nozzles, 0.05) | {f"wheel_{a}": 1.0 for a in AXES},
            terminal=weights,
        ),
        limits=limits | {"base.vx": da.soft(-0.25, 0.25, linear=1e3)},
        reference={"base.x": 0.0},
    )
    start = {"base.x": -10.0, "base.y": 1.0, "base.qw": float(np.cos(0.3)), "base.qy": float(np.sin(0.3))}
    noise = {f"base.{a}": 1e-3 for a in "xyz"} | {f"base.q{a}": 1e-4 for a in "wxyz"}
    noise |= {f"base.{a}{b}": 5e-3 for a in "vw" for b in "xyz"}
    noise |= {f"spin_{a}": 0.01 for a in AXES} | {f"spin_{a}_dot": 1.0 for a in AXES}
    unsure = {f"base.{a}": 0.05 for a in "xyz"} | {f"base.q{a}": 0.01 for a in "wxyz"}
    unsure |= {f"base.{a}{b}": 0.03 for a in "vw" for b in "xyz"}
    unsure |= {f"spin_{a}": 0.1 for a in AXES} | {f"spin_{a}_dot": 1.0 for a in AXES}
    seen = da.ekf(model, period=period, noise=noise, uncertainty=unsure, start=start)
    plans = {name: f"mpc.u.{name}" for name in (*nozzles, *(f"wheel_{a}" for a in AXES))}
    inner = control.Sampled(control.PulsedJets(control.Feedforward(plans), pulse, pulse), pulse)
    return Loop(
        spacecraft(da.Parameter("mass", 100.0), period),
        control.Cascade(inner, [seen, law.guidance]),
        {"duration": 90.0, "step": 0.05, "q0": start},
        {"mass": (90.0, 110.0), **{f"v0.base.w{a}": (-0.02, 0.02) for a in "xyz"}},
        {
            "off_m": da.Measure(lambda s: ca.norm_2(ca.vertcat(*[s[f"base.{a}"] for a in "xyz"])), "final"),
            "turn_rad": da.Measure(lambda s: 2.0 * ca.norm_2(ca.vertcat(*[s[f"base.q{a}"] for a in "xyz"])), "final"),
            "wheels_rad_s": da.Measure(
                lambda s: ca.mmax(ca.fabs(ca.vertcat(*[s[f"spin_{a}_dot"] for a in AXES]))), "max"
            ),
            "speed_m_s": da.Measure("base.vx", "max abs"),
            "propellant_kg": da.Measure("propellant", "final"),
        },
    )


LOOPS: dict[str, Callable[[], Loop]] = {
    "crane, ten links": ten_links,
    "arm, four modes": more_modes,
    "cable robot": cable_robot,
    "chaser": chaser,
}


def campaign(loop: Loop, runs: int, folder: Path | None = None) -> dict[str, Any]:
    """Run, or resume, the campaign on a plant; return the median and the extremes of its measures."""
    solver = {"solver": da.Measure("mpc.status", "max"), "action": da.Measure("mpc.action", "max")}
    result = da.campaign(
        loop.plant,
        vary=loop.vary,
        n=runs,
        seed=1,
        control=loop.control,
        measure=loop.measure | solver,
        store=folder,
        chunk=16,
        workers=1,
        **loop.settings,
    )
    table = result.table
    done = table[table["status"] == "completed"]
    rows: dict[str, Any] = {"runs": len(table), "failed": len(table) - len(done)}
    for name in (*loop.measure, *solver):
        column = done[name]
        rows[name] = {"least": float(column.min()), "median": float(column.median()), "most": float(column.max())}
    return rows


def main() -> None:
    """Run the four campaigns, and print their figures."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    store = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    for name, loop in LOOPS.items():
        folder = None if store is None else store / name.replace(", ", "-").replace(" ", "-")
        print(json.dumps({name: campaign(loop(), runs, folder)}), flush=True)


if __name__ == "__main__":
    main()
