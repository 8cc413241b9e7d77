"""Predictive controllers on plants that their models leave out: cable links, modes, lag, noise, loads, wheels and jets.

A crane with a cable of ten links under a controller that knows one pendulum; a flexible arm with four modes per link
under one that knows two; a cable robot with winches whose load and cables are off; a chaser whose wheels and jets have
limits. All commands pass drives with a lag, except those of the chaser.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import dalembert as da
from dalembert import control
from dalembert.systems.cranes import planar_crane, uniform_cable
from dalembert.systems.flexible_arms import planar_arm

LAG = 0.03  # s


def ten_links() -> str:
    """The model is a pendulum; the plant has a cable of 20 kg in ten links, and a payload that is 20 % heavier."""
    model = planar_crane(uniform_cable(1, 5.0, payload=500.0), trolley=200.0)
    plant = planar_crane(uniform_cable(10, 5.0, payload=600.0, mass=20.0, bending_damping=2.0), trolley=200.0)
    law = da.mpc(
        model,
        horizon=4.0,
        intervals=40,
        cost=da.Cost(states={"x": 1.0, "theta1": 50.0, "x_dot": 0.1, "theta1_dot": 5.0}, inputs=1e-6, terminal="lqr"),
        reference={"x": 5.0},
        limits={"F": (-1500, 1500), "theta1": da.soft(-0.12, 0.12, linear=1e3)},
        state={
            "theta1": "(position.payload.x - x) / 5.0",
            "theta1_dot": "(velocity.payload.x - x_dot) / 5.0",
        },
    )
    run = da.simulate(plant, duration=14.0, step=2e-3, record=0.02, control=control.ActuatorLag(law, LAG))
    angles = np.cumsum([run[f"theta{k + 1}"] for k in range(10)], axis=0)
    swing = np.sin(angles).sum(axis=0) / 10.0  # offset of the payload over the length of the cable
    left = np.abs(swing[run.t > 12.0]).max()
    return f"{abs(run['x'][-1] - 5.0):.3f} m from the goal, swing {np.abs(swing).max():.3f} rad, {left:.4f} after 12 s"


def arm(modes: int) -> da.Machine:
    """The planar arm with a number of modes per link, all damped by 0.1 % of critical."""
    rigid = planar_arm()
    links = [replace(x, modes={"y": modes}, damping=1e-3) if isinstance(x, da.Beam) else x for x in rigid.bodies]
    return rigid.with_(bodies=links)


def more_modes() -> str:
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
    run = da.simulate(plant, duration=6.0, step=2e-4, record=0.01, control=control.ActuatorLag(law, 0.005))
    late = run.t > 5.0
    off = max(np.abs(run["theta1"][late] - 0.5).max(), np.abs(run["theta2"][late] + 0.4).max())
    unseen = max(np.abs(run[f"link{k}.delta{j}"]).max() for k in (1, 2) for j in (3, 4))
    return f"within {off:.3f} rad of the goal after 5 s, modes that the model lacks up to {unseen:.1e}"


CORNERS = {"a": (-2, 0, 3), "b": (2, 0, 3), "c": (-2, 0, 0), "d": (2, 0, 0)}


def winched(load: float, stiffness: float, **more: Any) -> da.Machine:
    """A platform on four elastic cables with winches."""
    drums = [da.winch(f"w{k}", 0.02, damping=0.05) for k in CORNERS]
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
        **more,
    )


def posture(x: float, z: float, load: float, stiffness: float) -> dict[str, float]:
    """Coordinates of a platform at rest with tensions around 150 N."""
    spans = np.array([(c[0] - x, c[2] - z) for c in CORNERS.values()])
    lengths = np.linalg.norm(spans, axis=1)
    A = (spans / lengths[:, None]).T
    tension = 150.0 + np.linalg.pinv(A) @ (np.array([0.0, load * 9.81]) - A @ np.full(4, 150.0))
    angles = (lengths / (1 + tension / stiffness) - 2.5) / 0.05
    return {"x": x, "z": z} | {f"w{k}": a for k, a in zip(CORNERS, angles.tolist(), strict=True)}


def cable_robot() -> str:
    """The load is 15 % heavier than in the model, the cables 20 % softer; drives have a lag."""
    model, plant = winched(20.0, 2e4), winched(23.0, 1.6e4)
    weights = {"x": 100.0, "z": 100.0, "x_dot": 1.0, "z_dot": 1.0}
    weights |= {f"w{k}": 0.1 for k in CORNERS} | {f"w{k}_dot": 0.01 for k in CORNERS}
    limits: dict[str, Any] = {f"u.w{k}": (-60.0, 60.0) for k in CORNERS}
    limits |= {f"tension.c{k}": da.soft(70.0, 450.0, linear=10.0, quadratic=0.1) for k in CORNERS}
    law = da.mpc(
        model,
        horizon=0.6,
        intervals=60,
        cost=da.Cost(states=weights, inputs=1e-3, terminal="lqr"),
        reference=posture(0.6, 1.9, 20.0, 2e4),
        limits=limits,
        integrator="midpoint",
    )
    start = posture(0.0, 1.5, 23.0, 1.6e4)
    run = da.simulate(
        plant,
        duration=3.0,
        q0=start,
        v0={"x_dot": 0.5},
        control=control.ActuatorLag(law, 0.003),
        step=5e-4,
        record=2e-3,
    )
    forces = np.array([run[f"tension.c{k}"] for k in CORNERS])
    off = np.hypot(run["x"][-1] - 0.6, run["z"][-1] - 1.9)
    return f"tensions {forces.min():.0f} to {forces.max():.0f} N, {1e3 * off:.0f} mm from the goal"


def chaser() -> str:
    """Approach of a chaser: jets of 5 N, wheels of 0.5 N m and 300 rad/s; its mass is 10 % above that of the model."""

    def machine(mass: float) -> da.Machine:
        axes = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
        wheels = [da.Body(f"wheel_{a}", mass=1.0, inertia=np.diag([0.01, 0.01, 0.01])) for a in axes]
        return da.Machine(
            "chaser",
            [da.box("hull", mass, (1.0, 0.8, 0.8)), *wheels],
            [
                da.Joint("base", "free", "world", "hull"),
                *(da.Joint(f"spin_{a}", "revolute", "hull", f"wheel_{a}", axis=axis) for a, axis in axes.items()),
            ],
            motors=[da.Motor(f"wheel_{a}", f"spin_{a}") for a in axes],
            thrusters=[da.Thruster(f"jet_{a}", "hull", force=axis) for a, axis in axes.items()],
            gravity=(0, 0, 0),
        )

    weights = {f"base.{a}": 1.0 for a in "xyz"} | {f"base.v{a}": 10.0 for a in "xyz"}
    weights |= {f"base.q{a}": 40.0 for a in "xyz"} | {f"base.w{a}": 100.0 for a in "xyz"}
    limits: dict[str, Any] = {f"u.jet_{a}": (-5.0, 5.0) for a in "xyz"} | {f"u.wheel_{a}": (-0.5, 0.5) for a in "xyz"}
    limits |= {f"spin_{a}_dot": da.soft(-300.0, 300.0, linear=1.0) for a in "xyz"}
    limits |= {"base.vx": da.soft(-0.25, 0.25, linear=1e3)}
    law = da.mpc(
        machine(100.0),
        horizon=30.0,
        intervals=30,
        cost=da.Cost(
            states=weights,
            inputs={f"jet_{a}": 0.05 for a in "xyz"} | {f"wheel_{a}": 1.0 for a in "xyz"},
            terminal=weights,
        ),
        limits=limits,
        reference={"base.x": 0.0},
    )
    turned = dict(zip(("base.qw", "base.qx", "base.qy", "base.qz"), (np.cos(0.3), 0.0, np.sin(0.3), 0.0), strict=True))
    run = da.simulate(
        machine(110.0),
        duration=90.0,
        step=0.05,
        record=0.5,
        q0=turned | {"base.x": -10.0, "base.y": 1.0},
        v0={"base.wz": 0.02},
        control=law,
    )
    off = np.linalg.norm([run[f"base.{a}"][-1] for a in "xyz"])
    turn = 2.0 * np.linalg.norm([run[f"base.q{a}"][-1] for a in "xyz"])
    jets = max(np.abs(run[f"u.jet_{a}"]).max() for a in "xyz")
    wheels = max(np.abs(run[f"spin_{a}_dot"]).max() for a in "xyz")
    speed = np.abs(run["base.vx"]).max()
    return (
        f"{1e3 * off:.0f} mm and {turn:.4f} rad from the goal, jets up to {jets:.2f} N, "
        f"wheels up to {wheels:.0f} rad/s, {speed:.2f} m/s"
    )


def main() -> None:
    """Run the four loops, and print their figures."""
    for name, loop in {
        "crane, ten links": ten_links, "arm, four modes": more_modes, "cable robot": cable_robot, "chaser": chaser
    }.items():  # fmt: skip
        print(f"{name}: {loop()}", flush=True)


if __name__ == "__main__":
    main()
