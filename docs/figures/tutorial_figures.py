"""Make the pictures of the tutorials: ``python docs/figures/tutorial_figures.py [NAME ...]``.

The code of a page runs first, as it stands there, and what it leaves is drawn: the picture shows what the page does.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.image as image
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection
from style import BLUE, GREEN, GREY, PURPLE, RED, SAND, use_style

import dalembert as da
from dalembert.analysis import stress_history
from dalembert.control import linear_feedback
from dalembert.view import draw_machine

FOLDER = Path(__file__).resolve().parent
PAGES = FOLDER.parent / "tutorials"

use_style(figure_dpi=150)


def ran(name: str) -> dict[str, Any]:
    """Names that the code of a page leaves; its files are written and its commands run as well."""
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "page"}
    blocks = re.findall(r"^(?:<!-- (.*?) -->\n)?```(\w+)\n(.*?)^```", text, re.M | re.S)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for comment, language, block in blocks:
            if language == "python":
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(block, name, "exec"), names)
            elif comment.startswith("file: "):
                Path(comment.removeprefix("file: ")).write_text(block, encoding="utf-8")
            elif comment == "run":
                for line in block.splitlines():
                    subprocess.run([sys.executable, "-m", *shlex.split(line)], check=True, stdout=subprocess.DEVNULL)
    return names


def portrait(axes: Any, machine: Any, q: Any, **options: Any) -> None:
    """Draw a machine into axes, through a picture: `draw_machine` has a figure of its own."""
    figure = draw_machine(machine, q, **options)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=200)
    plt.close(figure)
    buffer.seek(0)
    drawn = image.imread(buffer)
    ink = np.argwhere((drawn[..., :3] < 0.98).any(axis=-1))
    (top, left), (bottom, right) = ink.min(axis=0), ink.max(axis=0)
    axes.imshow(drawn[top : bottom + 1, left : right + 1])
    axes.set_axis_off()


def last(run: Any, names: Any) -> dict[str, float]:
    return {name: float(run[name][-1]) for name in names}


def save(figure: Any, name: str) -> None:
    figure.tight_layout()
    path = FOLDER / f"tutorial_{name}.png"
    figure.savefig(path, dpi=130)
    plt.close(figure)
    print(path.name, f"{path.stat().st_size / 1e3:.0f} kB")


def arm(n: dict[str, Any]) -> None:
    figure, axes = plt.subplots(1, 3, figsize=(9.4, 3.1), width_ratios=(1, 1, 1.2))
    for where, found, title in ((axes[0], n["start"], "start"), (axes[1], n["end"], "end")):
        portrait(where, n["arm"], dict(zip(n["arm"].q_names, found.q, strict=True)), frames=["tool"])
        where.set_title(title)
    for (name, run), colour in zip(n["runs"].items(), (RED, BLUE), strict=True):
        wanted = np.array([n["eom"].pose("tool", n["move"](t).full().ravel())[:3, 3] for t in run.t])
        miss = np.linalg.norm(run.array(["tool.x", "tool.y", "tool.z"]) - wanted, axis=1)
        axes[2].plot(run.t, 1e3 * miss, color=colour, label=name)
    axes[2].set(title="distance of the tool from its path [mm]", xlabel="time [s]")
    axes[2].legend()
    save(figure, "arm")


def crane(n: dict[str, Any]) -> None:
    figure, axes = plt.subplots(1, 3, figsize=(9.4, 2.9), width_ratios=(1.1, 1, 1))
    portrait(axes[0], n["heavy"], last(n["run"], n["heavy"].q_names) | {"theta1": 0.25})
    for (name, run), colour in zip(n["runs"].items(), (RED, BLUE), strict=True):
        axes[1].plot(run.t, np.degrees(run["theta"]), color=colour, label=name)
        axes[2].plot(run.t, run["u.drive"], color=colour)
    axes[1].axvline(8.0, color=GREY, lw=0.8, ls=":")
    axes[1].set(title="sway of the load [deg]", xlabel="time [s]")
    axes[1].legend()
    axes[2].set(title="force of the drive [N]", xlabel="time [s]")
    save(figure, "crane")


def cable_robot(n: dict[str, Any]) -> None:
    figure, axes = plt.subplots(1, 3, figsize=(9.4, 3.0), width_ratios=(1.2, 1, 1))
    portrait(axes[0], n["robot"], dict(zip(n["robot"].q_names, n["q"], strict=True)))
    for k, colour in zip((1, 2, 3, 4), (BLUE, GREEN, RED, PURPLE), strict=True):
        axes[1].plot(n["move"].t, n["move"][f"tension.cable{k}"], color=colour, lw=1.2)
        axes[2].plot(n["broken"].t, n["broken"][f"tension.cable{k}"], color=colour, lw=1, label=f"cable {k}")
    axes[1].set(title="lowered: tensions [N]", xlabel="time [s]", ylim=(0, 120))
    axes[2].set(title="cable 3 breaks: tensions [N]", xlabel="time [s]")
    axes[2].legend(loc="upper left", ncols=2)
    save(figure, "cable_robot")


def flexible_arm(n: dict[str, Any]) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(9.4, 3.0), width_ratios=(1, 1.3))
    run = n["runs"]["plain"]
    for t, tone in ((0.0, 0.35), (0.35, 0.5), (0.6, 0.65), (0.85, 0.8), (1.2, 1.0)):
        k = int(np.searchsorted(run.t, t))
        station = np.linspace(0, 3.0, 40)
        bend = run["tip.y"][k] * np.cos(run["theta"][k]) - run["tip.x"][k] * np.sin(run["theta"][k])
        y = 5.0 * bend * 0.5 * (station / 3.0) ** 2 * (3 - station / 3.0)  # drawn five times as large
        c, s = np.cos(run["theta"][k]), np.sin(run["theta"][k])
        axes[0].plot(c * station - s * y, s * station + c * y, color=BLUE, lw=2, alpha=tone)
        axes[0].plot(c * 3.0 - s * y[-1], s * 3.0 + c * y[-1], "o", color=SAND, ms=7)
    axes[0].plot(0, 0, "s", color=GREY, ms=10)
    axes[0].set(title="from above, bending x 5", aspect="equal", xlabel="x [m]", ylabel="y [m]")
    for (name, run), colour in zip(n["runs"].items(), (RED, BLUE), strict=True):
        bend = run["tip.y"] * np.cos(run["theta"]) - run["tip.x"] * np.sin(run["theta"])
        axes[1].plot(run.t, 1e3 * bend, color=colour, label=name, lw=1.2)
    axes[1].axvline(1.2, color=GREY, lw=0.8, ls=":")
    axes[1].set(title="deflection of the tip [mm]", xlabel="time [s]")
    axes[1].legend()
    save(figure, "flexible_arm")


def falling_chain(n: dict[str, Any]) -> None:
    figure, axes = plt.subplots(1, 3, figsize=(9.4, 2.9), width_ratios=(1.3, 1, 1))
    run = n["run"]
    for t, tone in ((0.0, 0.2), (0.28, 0.35), (0.42, 0.55), (0.6, 0.75), (2.0, 1.0)):
        k = min(int(np.searchsorted(run.t, t)), len(run.t) - 1)
        angles = np.cumsum([run[name][k] for name in ("base.angle", "knee1", "knee2")])
        x = run["base.x"][k] + np.concatenate(([0], np.cumsum(0.4 * np.cos(angles))))
        y = run["base.y"][k] + np.concatenate(([0], np.cumsum(0.4 * np.sin(angles))))
        axes[0].plot(x, y, "o-", color=BLUE, alpha=tone, lw=2.2, ms=4)
    axes[0].axhline(0, color=GREY, lw=2)
    axes[0].set(title="the chain at five instants", aspect="equal", xlabel="x [m]", ylabel="z [m]")
    for k, colour in enumerate((BLUE, GREEN, RED, PURPLE)):
        axes[1].plot(run.t, run[f"gap.p{k}"], color=colour, lw=1)
    axes[1].set(title="heights of its points [m]", xlabel="time [s]")
    axes[2].plot(run.t, run.energy.total - run.energy.total[-1], color=BLUE, lw=1.2, label="energy")
    axes[2].plot(run.t, -run.energy.work_loss, color=RED, lw=1.2, label="lost")
    axes[2].set(title="energy [J]", xlabel="time [s]")
    axes[2].legend()
    save(figure, "falling_chain")


def capture(n: dict[str, Any]) -> None:
    figure = plt.figure(figsize=(9.4, 3.2))
    axes = figure.add_subplot(1, 3, 1)
    found, flown = n["found"], n["flown"]
    portrait(axes, n["flexible"], last(flown, n["flexible"].q_names))
    axes.set_title("the chaser at the end")
    middle = figure.add_subplot(1, 3, 2)
    wanted = np.array([found.path(t).position for t in flown.t])
    hand = flown.array(["tip.x", "tip.y", "tip.z"])
    for k, (axis, colour) in enumerate(zip("xyz", (BLUE, RED, GREEN), strict=True)):
        middle.plot(flown.t, wanted[:, k], color=colour, lw=3, alpha=0.3)
        middle.plot(flown.t, hand[:, k], color=colour, lw=1, label=axis)
    middle.set(title="tip: planned (wide) and flown [m]", xlabel="time [s]")
    middle.legend(ncols=3)
    right = figure.add_subplot(1, 3, 3)
    for axis, colour in zip("xyz", (BLUE, RED, GREEN), strict=True):
        right.plot(flown.t, flown[f"u.torque.{axis}"], color=colour, lw=1)
    for limit in (-3.75, 3.75):
        right.axhline(limit, color=GREY, lw=0.8, ls=":")
    right.set(title="torque of the base and its limit [N m]", xlabel="time [s]")
    save(figure, "capture")


def robust_controller(n: dict[str, Any]) -> None:
    figure, axes = plt.subplots(2, 2, figsize=(9.4, 4.0), sharex=True)
    p = {"payload": n["grid"][:, 0], "length": n["grid"][:, 1]}
    import control

    nominal = linear_feedback(
        n["crane"], control.ss([], [], [], n["K"]), measured=n["structure"].measured,
        controls=n["structure"].controls, reference={"x": 1.0},
    )  # fmt: skip
    first = da.rollout(n["crane"], duration=30.0, p=p, control=nominal, record=0.05)
    for column, tries, title in ((0, first, "made for one crane"), (1, n["tries"], "made for all")):
        axes[0, column].plot(tries.t, np.clip(tries["x"].T, -1, 3), lw=0.9)
        axes[1, column].plot(tries.t, np.degrees(np.clip(tries["theta"].T, -1, 1)), lw=0.9)
        axes[0, column].set(title=f"{title}: trolley [m]", ylim=(-0.2, 2.2))
        axes[1, column].set(title="sway [deg]", xlabel="time [s]", ylim=(-32, 32))
    save(figure, "robust_controller")


def own_crane(n: dict[str, Any]) -> None:
    figure, axes = plt.subplots(1, 3, figsize=(9.4, 3.0), width_ratios=(1.1, 1, 1))
    portrait(axes[0], n["crane"].machine, {"x": 12.0, "sway": -0.12})
    for duration, colour in ((12.0, RED), (20.0, BLUE)):
        run = n["runs"][duration]
        axes[1].plot(run.t, run["x"], color=colour, label=f"move in {duration:.0f} s")
        axes[2].plot(run.t, np.degrees(run["sway"]), color=colour)
    axes[1].set(title="trolley [m]", xlabel="time [s]")
    axes[1].legend()
    axes[2].axhspan(-4, 4, color=GREY, alpha=0.15, lw=0)
    axes[2].set(title="sway [deg], allowed: 4 deg", xlabel="time [s]")
    save(figure, "own_crane")


def linkage(n: dict[str, Any]) -> None:
    figure, axes = plt.subplots(1, 3, figsize=(9.4, 2.8), width_ratios=(1.3, 1, 1))
    r, l, a = n["crank"], n["rod"], 1.0
    pin = np.array([r * np.cos(a), r * np.sin(a)])
    circle = np.linspace(0, 2 * np.pi, 100)
    axes[0].plot(r * np.cos(circle), r * np.sin(circle), color=GREY, lw=0.8, ls=":")
    for side, tone in ((1, 1.0), (-1, 0.35)):
        x = pin[0] + side * np.sqrt(l**2 - pin[1] ** 2)
        axes[0].plot([pin[0], x], [pin[1], 0], color=BLUE, lw=3, alpha=tone, solid_capstyle="round")
        axes[0].add_patch(plt.Rectangle((x - 0.03, -0.035), 0.06, 0.07, color=SAND, alpha=tone, lw=0))
    axes[0].plot([0, pin[0]], [0, pin[1]], color=RED, lw=4, solid_capstyle="round")
    axes[0].plot([0, *pin[:1]], [0, *pin[1:]], "o", color="0.2", ms=4)
    axes[0].set(title="both assemblies", aspect="equal")
    axes[0].set_axis_off()
    driven = n["driven"]
    angle = np.degrees(driven["a"])
    axes[1].plot(angle, driven["multiplier.bearing[0]"] / 1e3, color=BLUE, label="axial")
    axes[1].plot(angle, driven["multiplier.bearing[1]"] / 1e3, color=RED, label="lateral")
    axes[1].set(title="multipliers of the pin [kN]", xlabel="crank angle [deg]")
    axes[1].legend()
    for mass, colour in ((6.0, RED), (24.0, BLUE)):
        run = n["runs"][mass]
        axes[2].plot(1e3 * run.t, run["a_dot"], color=colour, lw=1, label=f"flywheel {mass:.0f} kg")
    axes[2].set(title="speed [rad/s]", xlabel="time [ms]")
    axes[2].legend()
    save(figure, "linkage")


def quadruped(n: dict[str, Any]) -> None:
    figure, axes = plt.subplots(1, 3, figsize=(9.4, 2.9), width_ratios=(1, 1, 1.1))
    portrait(axes[0], n["robot"], dict(zip(n["robot"].q_names, n["q"], strict=True)))
    drop = n["drop"]
    for leg, colour in zip(("LF", "LH", "RF", "RH"), (BLUE, GREEN, RED, PURPLE), strict=True):
        axes[1].plot(drop.t, drop[f"force.{leg}.normal"], color=colour, lw=1, label=leg)
    axes[1].set(title="landing: normal forces [N]", xlabel="time [s]", xlim=(0.2, 0.8))
    axes[1].legend(ncols=2)
    tilt = np.degrees(np.arccos(np.clip(n["upright"], -1, 1)))
    for friction, row, colour in zip(n["mu"][:, 0], tilt, (BLUE, GREEN, SAND, RED), strict=True):
        axes[2].plot(n["speed"][0], row, "o-", ms=3, lw=0.8, color=colour, label=f"friction {friction}")
    axes[2].set(title="push: tilt after 2 s [deg]", xlabel="sideways speed [m/s]")
    axes[2].legend()
    save(figure, "quadruped")


def predictive_controller(n: dict[str, Any]) -> None:
    figure, axes = plt.subplots(1, 3, figsize=(9.4, 2.7))
    run, runs = n["run"], n["runs"]
    axes[0].plot(runs.t, np.asarray(runs["x"]).T, color=GREY, lw=0.4)
    axes[0].plot(run.t, run["x"], color=BLUE, lw=1.4)
    axes[0].set(title="trolley [m]: 8 kg, and 64 loads", xlabel="time [s]")
    axes[1].plot(runs.t, np.asarray(runs["sway"]).T, color=GREY, lw=0.4)
    axes[1].plot(run.t, run["sway"], color=BLUE, lw=1.4)
    for side in (-0.1, 0.1):
        axes[1].axhline(side, color=RED, lw=0.8, ls="--")
    axes[1].set(title="sway [rad] and its limit", xlabel="time [s]")
    axes[2].step(run.t, run["command.drive"], color=BLUE, lw=1.2, where="post")
    axes[2].set(title="drive [N]", xlabel="time [s]")
    save(figure, "predictive_controller")


def own_chaser(n: dict[str, Any]) -> None:
    run = n["outcome"].approach
    drawn = draw_machine(run.machine, run.array(run.machine.q_names)[-1], view=(-70.0, 24.0), size=(7.0, 5.0))
    drawn.savefig(Path(__file__).parent / "tutorial_own_chaser.png", dpi=90)


def hoist(n: dict[str, Any]) -> None:
    figure, axes = plt.subplots(1, 3, figsize=(9.4, 3.0), width_ratios=(1, 1, 1.1))
    portrait(axes[0], n["hoist"], {})
    lift = n["lift"]
    for part, colour in enumerate((BLUE, GREEN, SAND, RED)):
        axes[1].plot(lift.t, lift[f"tension.fall[{part}]"], color=colour, lw=1, label=f"part {part + 1}")
    axes[1].set(title="tensions while it lifts [N]", xlabel="time [s]")
    axes[1].legend(ncols=2)
    for name, colour in (("plain", RED), ("shaped", BLUE)):
        run = n["runs"][name]
        axes[2].plot(run.t, run["block.x"], color=colour, lw=1, label=name)
    axes[2].set(title="sway of the block [m]", xlabel="time [s]")
    axes[2].legend()
    save(figure, "hoist")


def finite_elements(n: dict[str, Any]) -> None:
    figure, axes = plt.subplots(1, 3, figsize=(9.4, 3.1), width_ratios=(1.25, 1, 1))
    arm, run = n["arm"], n["runs"]["damping"]
    sizes = stress_history(run, "arm").von_mises.reshape(len(run.t), n["bricks"], 4).max(axis=2) / 1e6
    delta = run.array(list(arm.q_names))
    for t in (0.0, 0.2, 0.3, 0.38, 1.6):
        k = min(int(np.searchsorted(run.t, t)), len(run.t) - 1)
        c, s = np.cos(run["slew"][k]), np.sin(run["slew"][k])
        moved = (arm.reduction.positions + 3.0 * arm.displacements(delta[k])) @ [[c, s, 0], [-s, c, 0], [0, 0, 1]]
        top = PolyCollection(moved[n["elements"][:, 4:8], :2], cmap="viridis", edgecolors="face", linewidths=1.5)
        top.set_array(sizes[k])
        top.set_clim(0.0, sizes.max())
        axes[0].add_collection(top)
        ends = moved[n["model"].sets["TIP"]].mean(axis=0)
        axes[0].plot(ends[0], ends[1], "s", color=SAND, ms=6)
        axes[0].annotate(f"{t:.2g} s", ends[:2], xytext=(-8, 6), textcoords="offset points", fontsize=8)
    axes[0].plot(0, 0, "o", color=GREY, ms=10)
    axes[0].set(title="from above, displacements x 3", aspect="equal", xlim=(-0.15, 1.25), ylim=(-0.12, 1.2))
    axes[0].set(xlabel="x [m]", ylabel="y [m]")
    figure.colorbar(top, ax=axes[0], label="stress [MPa]", fraction=0.05)
    for (name, one), colour in zip(n["runs"].items(), (RED, BLUE), strict=True):
        axes[1].plot(one.t, n["off"][name], color=colour, lw=1.2, label=name)
        axes[2].plot(one.t, one["stress.arm"] / 1e6, color=colour, lw=1.2, label=name)
    axes[1].set(title="tip to its goal [mm]", xlabel="time [s]", xlim=(0.5, 1.6), ylim=(0, 60))
    axes[2].axhline(n["hand"].max() / 1e6, color=GREY, lw=1, ls="--", label="rigid arm, by hand")
    axes[2].set(title="largest stress [MPa]", xlabel="time [s]", ylim=(0, 60))
    axes[1].legend()
    axes[2].legend()
    save(figure, "finite_elements")


DRAWN = (
    hoist, own_chaser, finite_elements,
    own_crane, linkage, quadruped, arm, crane, cable_robot, flexible_arm, falling_chain, capture, robust_controller,
    predictive_controller,
)  # fmt: skip

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for draw in DRAWN:
        if not sys.argv[1:] or draw.__name__ in sys.argv[1:]:
            draw(ran(draw.__name__))
