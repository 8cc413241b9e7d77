"""Make the pictures of the page on flexible arms: ``python docs/figures/flexible_figures.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FixedLocator, NullLocator
from style import BLUE, GREEN, GREY, PURPLE, RED, use_style

import dalembert as da
from dalembert.analysis.modal import machine_modes
from dalembert.studies.flexible_arms.approximations import MODELS, case, cost_over_step, deviations
from dalembert.studies.flexible_arms.runs import free_vibration, pick_and_place
from dalembert.systems.flexible_arms import canadarm, planar_arm
from dalembert.view import animate_mode, plot_modes

FOLDER = Path(__file__).resolve().parent

use_style(figure_dpi=150)


def modes() -> None:
    """Mode shapes of the Canadarm with its joints locked, elbow and wrist bent."""
    arm = canadarm().lock({"theta1": 0.0, "theta2": -0.6, "theta3": 1.2, "theta4": 0.0, "theta5": 0.0, "theta6": 0.0})
    found = machine_modes(arm)
    planar = [k for k in found.elastic if _in_plane(found, k)][:6]
    plot_modes(found, planar, plane="xz", size=0.07).savefig(FOLDER / "canadarm_modes.png", dpi=130)
    animate_mode(found, planar[1], FOLDER / "canadarm_mode.gif", plane="xz", size=0.07)


def _in_plane(found: object, k: int) -> bool:
    share = np.abs(found.participation()[:, k])  # type: ignore[attr-defined]
    names = found.equations.v_names  # type: ignore[attr-defined]
    bending = [i for i, n in enumerate(names) if n.split("delta")[-1] in ("2_dot", "3_dot", "4_dot", "5_dot")]
    return bool(share[bending].sum() > 0.9)


def free() -> None:
    """Free vibration of the planar arm, and what the approximate models leave out."""
    arm = planar_arm()
    runs = {m: free_vibration(arm, m, 4.0) for m in ("flex", "flex-M", "flex-MA", "flex-MR")}
    figure, axes = plt.subplots(1, 3, figsize=(10, 2.8), layout="constrained")
    full = runs["flex"]
    for name, colour in (("link1.delta1", BLUE), ("link2.delta1", RED)):
        axes[0].plot(full.t, full[name], color=colour, label=name, linewidth=1)
    axes[0].set_title("modal coordinates")
    axes[0].set_ylim(-0.11, 0.16)
    for name, colour in (("theta1", BLUE), ("theta2", RED)):
        axes[1].plot(full.t, full[name], color=colour, label=f"{name} [rad]", linewidth=1)
    axes[1].set_title("joints, not driven")
    for model, colour in (("flex-M", GREEN), ("flex-MA", PURPLE), ("flex-MR", RED)):
        error = np.abs(runs[model]["theta1"] - full["theta1"]) + 1e-9
        axes[2].semilogy(full.t, error, color=colour, label=model, linewidth=1)
    axes[2].set_title("error in theta1 [rad]")
    axes[2].set_ylim(1e-6, 1e-1)
    for ax in axes:
        ax.set_xlabel("t [s]")
        ax.legend(loc="upper left", ncols=2 if ax is axes[0] else 1)
    figure.savefig(FOLDER / "planar_free_vibration.png")


def place() -> None:
    """Pick and place of the Canadarm with the torques of the rigid arm."""
    arm = canadarm()
    run = pick_and_place(arm)
    figure, axes = plt.subplots(1, 3, figsize=(10, 2.8), layout="constrained")
    for i, colour in zip((1, 2, 3), (BLUE, RED, GREEN), strict=True):
        axes[0].plot(run.t, run[f"theta{i}"], color=colour, label=f"theta{i}", linewidth=1.2)
    x = run.t / 10.0
    axes[0].plot(run.t, 0.5 * (x - np.sin(2 * np.pi * x) / (2 * np.pi)), "--", color=GREY, label="reference")
    axes[0].set_title("joint angles [rad]")
    for name, colour in (("segment2.delta2", BLUE), ("segment2.delta6", RED), ("segment3.delta2", GREEN)):
        axes[1].plot(run.t, run[name], color=colour, label=name, linewidth=1)
    axes[1].set_title("modal coordinates")
    E = run["energy.kinetic"] + run["energy.potential"]
    axes[2].plot(run.t, E, color=BLUE, label="energy")
    axes[2].plot(run.t, run["work.input"], ":", color=RED, label="work of the torques")
    axes[2].set_title("energy audit [J]")
    for ax in axes:
        ax.set_xlabel("t [s]")
        ax.legend()
    figure.savefig(FOLDER / "canadarm_pick_and_place.png")


def approximations() -> None:
    """What the approximate models of the Canadarm leave out over a pick and place, and what they cost."""
    chosen = case("6dof")
    found = deviations(chosen, {m: chosen.run(m) for m in MODELS})
    figure, axes = plt.subplots(1, 3, figsize=(10, 2.8), layout="constrained")
    colours = dict(zip(MODELS, (BLUE, GREEN, PURPLE, RED), strict=True))
    for model, deviation in found.items():
        axes[0].semilogy(deviation.t, deviation.joints + 1e-9, color=colours[model], label=model, linewidth=1)
        axes[1].semilogy(deviation.t, deviation.tip + 1e-9, color=colours[model], label=model, linewidth=1)
    axes[0].set_title("largest error of a joint angle [rad]")
    axes[1].set_title("error of the tip [m]")
    for ax in axes[:2]:
        ax.set_xlabel("t [s]")
        ax.set_ylim(1e-6, 1e0)
        ax.legend(loc="lower right")
    cost = cost_over_step(chosen)
    for model in MODELS:
        steps = [h for m, h in cost if m == model]
        axes[2].loglog(
            [1e3 * h for h in steps],
            [cost[model, h] for h in steps],
            "o-",
            color=colours[model],
            label=model,
            markersize=3,
        )
    axes[2].set_title("time of a run [% of simulated time]")
    axes[2].set_xlabel("step [ms]")
    for axis, ticks in ((axes[2].xaxis, (0.5, 1, 2)), (axes[2].yaxis, (0.5, 1, 2, 4))):
        axis.set_major_locator(FixedLocator(ticks))
        axis.set_major_formatter("{x:g}")
        axis.set_minor_locator(NullLocator())
    axes[2].legend()
    figure.savefig(FOLDER / "approximate_models.png")


LENGTH, BENDING, MASS = 10.0, 1.4e4, 1.2  # l, EI, rho S of the beam that spins up
HUB, SPEED, DURATION = 1e8, 6.0, 15.0


def spin() -> None:
    """Spin-up manoeuvre with and without geometric stiffening, and of a chain of rigid rods."""
    figure, ax = plt.subplots(figsize=(4.5, 2.8), layout="constrained")
    cases = [
        (_spinning(True), "beam.tip", 15.0, 1e-3, {"color": BLUE, "label": "stiffening"}),
        (_spinning(False), "beam.tip", 9.0, 1e-3, {"color": RED, "label": "linear: diverges"}),
        (_rods(20), "tip", 15.0, 5e-4, {"color": "black", "label": "20 rigid rods", "linestyle": ":"}),
    ]
    for machine, frame, duration, step, look in cases:
        run = da.simulate(machine, duration=duration, step=step, record=0.02, check=False)
        q = np.column_stack([run[n] for n in machine.q_names])
        q[:, 0] = 0.0
        ax.plot(run.t, da.equations(machine).pose(frame, q)[:, 1, 3], **look)
    ax.set_ylim(-1.5, 0.3)
    ax.set_xlabel("t [s]")
    ax.set_title("tip deflection of a beam that spins up to 6 rad/s [m]")
    ax.legend(loc="lower right")
    figure.savefig(FOLDER / "spin_up.png")


def _on_a_hub(name: str, bodies: list, joints: list, frames: list) -> da.Machine:  # type: ignore[type-arg]
    torque = HUB * SPEED / DURATION * (1.0 - da.cos(da.TIME * (2 * np.pi / DURATION)))
    drive = da.Wrench("drive", "hub", torque=(0.0, 0.0, torque))
    return da.Machine(name, bodies, joints, frames=frames, wrenches=[drive], gravity=(0, 0, 0))


def _spinning(stiffening: bool) -> da.Machine:
    section = da.Section(4e-4, 2e-7, 2e-7)
    beam = da.Beam("beam", LENGTH, section, E=7e10, density=3000.0, modes={"y": 3}, stiffening=stiffening)
    hub = da.Body("hub", 1.0, inertia=(HUB, HUB, HUB))
    joints = [da.Joint("spin", "revolute", "world", "beam"), da.Joint("hub", "fixed", "beam", "hub")]
    return _on_a_hub("spin-up", [beam, hub], joints, [])


def _rods(n: int) -> da.Machine:
    """The beam as rigid rods with springs between them."""
    h = LENGTH / n
    m = MASS * h
    bodies = [da.Body("hub", 1.0, inertia=(HUB, HUB, HUB))]
    joints = [da.Joint("spin", "revolute", "world", "hub")]
    for i in range(n):
        start, spring = (0.0, 2 * BENDING / h) if i == 0 else (h, BENDING / h)
        rod = da.Body(f"rod{i:03d}", m, (h / 2, 0, 0), inertia=(0, m * h**2 / 12, m * h**2 / 12))
        place = da.Transform((start, 0, 0))
        joints.append(da.Joint(rod.name, "revolute", bodies[-1].name, rod.name, place, stiffness=spring))
        bodies.append(rod)
    return _on_a_hub("rods", bodies, joints, [da.Frame("tip", bodies[-1].name, da.Transform((h, 0, 0)))])


if __name__ == "__main__":
    modes()
    free()
    place()
    approximations()
    spin()
