"""Make the pictures of the page on space robots: ``python docs/figures/space_figures.py``."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from style import BLUE, GREEN, GREY, RED, use_style

from dalembert import Signal, equations, plan, simulate
from dalembert.studies.space_robot.bench import FITTED
from dalembert.studies.space_robot.unprinted_gains import PRINTED, explained, fuel_ratios
from dalembert.systems import space_robots
from dalembert.view import draw_machine

FOLDER = Path(__file__).resolve().parent

use_style(figure_dpi=150)


def chaser() -> None:
    """The chaser with its arm half bent."""
    posture = {"theta1": 0.4, "theta2": -0.9, "theta3": 1.7, "theta4": -0.8}
    draw_machine(space_robots.space_chaser(), posture, frames=["tip"]).savefig(FOLDER / "space_chaser.png", dpi=110)


def capture() -> None:
    """The three ways to meet the target of SPACE, chapter 7: what jumps at the moment of capture."""
    debris = space_robots.tumbling_debris((-0.15, 0.05, -0.08), quaternion=(np.cos(0.5), 0, 0, -np.sin(0.5)))
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.0), layout="constrained", sharex=True)
    cases = (("position", RED), ("velocity", BLUE), ("acceleration", GREEN))
    names = ("distance to the centre [m]", "speed [m/s]", "acceleration [m/s²]")
    for k, (axis, name) in enumerate(zip(axes, names, strict=True)):
        t = np.linspace(0, 9, 400)
        axis.plot(t, np.linalg.norm(debris.target(t)[k], axis=-1), color=GREY, linestyle="--", label="target point")
        for match, colour in cases:
            path = plan.plan_capture(debris.target, [5.0, 2.0, -1.0], match=match, extra=float(match != "position"))
            s = np.linspace(0, path.duration, 200)
            axis.plot(s, np.linalg.norm(path(s)[k], axis=-1), color=colour, label=f"hand, {match} matched")
            axis.plot(path.duration, np.linalg.norm(path(path.duration)[k]), "o", color=colour, markersize=4)
        axis.set_title(name)
        axis.set_xlabel("t [s]")
    axes[0].legend()
    figure.savefig(FOLDER / "capture.png")


def tracking() -> None:
    """The flexible chaser along the move of the page, with the efforts of the base fed forward and without."""
    robot, flexible = (
        equations(space_robots.space_chaser("rigid", arrays="rigid")),
        space_robots.space_chaser(),
    )
    posture = {"base.qw": 1.0, "theta2": -0.9, "theta3": 1.7, "theta4": -0.8}
    q0 = np.array([posture.get(name, 0.0) for name in robot.q_names])
    tip = robot.pose("tip", q0)
    goal = plan.resting_pose(tip[:3, 3] + [0.5, 0.5, 1.5], tip[:3, :3])
    path = plan.meet_pose(lambda t: goal, plan.resting_pose(tip[:3, 3], tip[:3, :3]), 26.0)
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.0), layout="constrained", sharex=True)
    for fed, colour in ((True, GREEN), (False, RED)):
        guidance = space_robots.PathGuidance(robot, path, q0, 30.0, machine=flexible, feedforward=fed)
        run = simulate(
            flexible,
            duration=30.0,
            q0=dict(zip(robot.q_names, q0, strict=True)),
            control=space_robots.tracking_loop(guidance),
            record=0.1,
            signals=[Signal("tip", frame="tip")],
        )
        wanted = np.array([path(t).position for t in run.t])
        miss = np.linalg.norm(run.array(["tip.x", "tip.y", "tip.z"]) - wanted, axis=1)
        turned = np.degrees(2 * np.linalg.norm(run.array(["base.qx", "base.qy", "base.qz"]), axis=1))
        label = "fed forward" if fed else "feedback alone"
        for axis, y in zip(axes, (1e3 * miss, turned, run["u.torque.y"]), strict=True):
            axis.plot(run.t, y, color=colour, label=label)
    for axis, name in zip(
        axes, ("tip off its path [mm]", "base turned [deg]", "torque of the base, y [N m]"), strict=True
    ):
        axis.set_title(name)
        axis.set_xlabel("t [s]")
    axes[2].legend(loc="lower right")
    figure.savefig(FOLDER / "tracking.png")


def unprinted_gains() -> None:
    """Maps of the gains that SPACE does not print, beside the printed figures."""
    stored = json.loads((FOLDER.parent / "results" / "unprinted_gains.json").read_text())
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.0), layout="constrained")
    rows = stored["bench"]
    gains, noises = (sorted({row[k] for row in rows}) for k in ("gain", "noise"))
    miss = {(r["gain"], r["noise"]): 100 * max(abs(r[k] / x - 1.0) for k, x in PRINTED.items()) for r in rows}
    grid = np.array([[miss[g, n] for g in gains] for n in noises])
    shown = left.contourf(gains, noises, grid, levels=[0, 5, 10, 20, 30, 40, 60, 80, 120], cmap="viridis_r")
    figure.colorbar(shown, ax=left, label="largest difference from Table 9.2 [%]")
    left.plot(*FITTED, "*", color=RED, markersize=12, label="within 0.8 %")
    left.set(xlabel="gain of the guidance [1/s]", ylabel="noise of the camera [pixels]", title="Table 9.2")
    left.legend(loc="lower left", frameon=True, facecolor="white")
    pairs = fuel_ratios(stored["captures"])
    kept = np.array([explained(pair)["tip within 1 cm"] for pair in pairs])
    drift = np.array([(a["drift"], b["drift"]) for a, b, _ in pairs])
    right.loglog(*drift[~kept].T, "o", color=GREY, markersize=4, label="tip beyond 1 cm")
    right.loglog(*drift[kept].T, "o", color=BLUE, markersize=5, label="tip within 1 cm, both laws")
    right.plot(4.0, 1.0, "*", color=RED, markersize=12, label="printed")
    right.set(xlabel="drift, decentralised law [degrees]", ylabel="drift, centralised law [degrees]", title="9.1")
    right.legend(loc="lower right")
    figure.savefig(FOLDER / "unprinted_gains.png")


if __name__ == "__main__":
    chaser()
    capture()
    tracking()
    unprinted_gains()
