"""Make the pictures of the pages on constraints and cable robots: ``python docs/figures/cable_figures.py``."""

from __future__ import annotations

import contextlib
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import casadi as ca
import matplotlib.pyplot as plt
import numpy as np
from style import BLUE, GREEN, GREY, PURPLE, RED, SAND, use_style

import dalembert as da
from dalembert import analysis
from dalembert.model.cables.swivelling_pulley import SwivellingPulley
from dalembert.spatial.rotations import numpy, quaternion_matrix
from dalembert.studies.cable_robots.exits import deviation, exit_run
from dalembert.studies.cable_robots.joining import SOFT, STIFF, joining_run
from dalembert.studies.cable_robots.overturning import overturning_run
from dalembert.studies.cable_robots.pulleys import pushed_run
from dalembert.systems import cable_robots as cr

FOLDER = Path(__file__).resolve().parent
COLOURS = (BLUE, RED, GREEN, PURPLE, SAND, GREY, "#66ccee")

use_style(grid_linewidth=0.5, figure_dpi=150)


def save(figure, name: str) -> None:
    figure.savefig(FOLDER / f"{name}.png", bbox_inches="tight")
    plt.close(figure)


def pulley() -> None:
    """Geometry of a cable over a pulley, drawn from the library's own functions."""
    figure, axis = plt.subplots(figsize=(4.6, 3.6))
    r, d, b = 0.3, np.zeros(3), np.array([1.3, 0.0, -0.8])
    path = SwivellingPulley.path(ca.SX(ca.DM(b)), ca.SX(ca.DM(d)), ca.SX.eye(3), r)
    a = numpy(ca.evalf(path.exit))
    angle = np.linspace(0, 2 * np.pi, 200)
    axis.plot(r + r * np.cos(angle), r * np.sin(angle), color=GREY, lw=1)
    psi = np.arctan2(a[2], a[0] - r)
    arc = np.linspace(np.pi, psi, 60)
    axis.plot(r + r * np.cos(arc), r * np.sin(arc), color=BLUE, lw=2.5)
    axis.plot([0, 0], [-0.75, 0], color=BLUE, lw=2.5)
    axis.plot([a[0], b[0]], [a[2], b[2]], color=BLUE, lw=2.5)
    axis.annotate("", (r, 0), (0, 0), arrowprops={"arrowstyle": "->", "color": RED})
    axis.annotate("", (a[0], a[2]), (r, 0), arrowprops={"arrowstyle": "->", "color": RED})
    axis.plot([0, 0], [0, 0.55], color=GREY, ls=":")
    wedge = np.linspace(0, psi, 30)
    axis.plot(r + 0.1 * np.cos(wedge), 0.1 * np.sin(wedge), color=GREEN)
    for text, x, z in (
        ("D", -0.07, 0.0), ("C", r - 0.02, -0.08), ("A", a[0] + 0.02, a[2] + 0.05), ("B", b[0] + 0.03, b[2]),
        ("r s", 0.12, 0.03), ("r n", 0.4, 0.17), ("ψ", r + 0.13, 0.03), ("swivel axis z", -0.02, 0.58),
        ("r (π - ψ)", 0.02, 0.33), ("to the winch", 0.03, -0.7),
    ):  # fmt: skip
        axis.annotate(text, (x, z), fontsize=8)
    axis.plot(*b[[0, 2]], "o", color=BLUE)
    axis.set_aspect("equal")
    axis.set_xlim(-0.2, 1.5)
    axis.set_axis_off()
    save(figure, "cable_pulley")


def methods() -> None:
    """Error against cost of every constraint method."""
    from dalembert.benchmarks.cable_robot import compare_methods

    rows = compare_methods((8e-3, 4e-3, 2e-3, 1e-3), duration=5.0, repetitions=3)
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.1), layout="constrained")
    for colour, name in zip(COLOURS, dict.fromkeys(r["method"] for r in rows), strict=False):
        mine = [r for r in rows if r["method"] == name]
        marker = "s" if name == "projection" else "o"
        style = {"color": colour, "marker": marker, "ms": 4, "lw": 1, "label": name}
        style |= {"ls": "--"} if name == "udwadia-kalaba" else {}  # as accurate as Baumgarte's
        left.loglog([r["seconds"] for r in mine], [r["error"] for r in mine], **style)
        right.loglog([r["seconds"] for r in mine], [max(r["position"], 1e-16) for r in mine], **style)
    left.set(xlabel="seconds for 5 s", ylabel="error of the platform [m]", title="accuracy")
    right.set(xlabel="seconds for 5 s", ylabel="largest |Φ| [m]", title="drift")
    right.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    save(figure, "constraint_methods")


def four_bar() -> None:
    """Coupler curve and reaction force of a four-bar."""
    import sys

    sys.path.insert(0, str(FOLDER.parents[1] / "examples"))
    from four_bar import four_bar_machine, initial_state

    machine = four_bar_machine()
    run = da.simulate(machine, duration=2.0, q0=initial_state(0.7), v0={"a_dot": 6.0}, method="dopri5", rtol=1e-9)
    eom = da.equations(machine)
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 2.9), layout="constrained")
    q = run.x[:, :3]
    for k, alpha in ((0, 1.0), (len(q) // 9, 0.5), (len(q) // 5, 0.25)):
        joints = [eom.pose(f, q[k])[:3, 3] for f in ("crank", "coupler", "coupler_tip", "rocker")]
        line = np.array(joints)
        left.plot(line[:, 0], line[:, 2], "o-", color=BLUE, alpha=alpha, ms=3)
    curve = np.array([eom.pose("middle", x)[:3, 3] for x in q])
    left.plot(curve[:, 0], curve[:, 2], color=RED, lw=1)
    left.set_aspect("equal")
    left.set(title="coupler curve", xlabel="x [m]", ylabel="z [m]")
    force = np.hypot(run["multiplier.loop[0]"], run["multiplier.loop[1]"])
    right.plot(run.t, force, color=BLUE)
    right.set(title="force in the closing joint [N]", xlabel="t [s]")
    save(figure, "four_bar")


def _platform(axis, run, k, anchors, colour, dims=(0, 2)) -> None:
    R = numpy(quaternion_matrix(np.array([run[f"platform.q{c}"][k] for c in "wxyz"])))
    p = np.array([run[f"platform.{c}"][k] for c in "xyz"])
    corners = np.array([p + R @ np.array(b, dtype=float) for b in anchors])
    loop = np.vstack([corners, corners[:1]])
    axis.plot(loop[:, dims[0]], loop[:, dims[1]], color=colour, lw=1.5)


def overturning() -> None:
    """Angles, tensions and snapshots of the overturning platform, with and without pushing cables."""
    run, free = overturning_run(), overturning_run(False)
    figure, axes = plt.subplots(2, 2, figsize=(7.6, 5.2), layout="constrained")
    machine = cr.overturning_robot()
    anchors = [c.anchor_at for c in machine.cables]
    for t, colour in ((0.0, RED), (7.8, GREEN), (14.0, BLUE)):
        k = int(np.argmin(np.abs(run.t - t)))
        _platform(axes[0, 0], run, k, anchors, colour)
        place = (run["platform.x"][k] - 0.05, run["platform.z"][k] - 0.2)
        axes[0, 0].annotate(f"{t:g} s", place, color=colour, fontsize=8)
    s = run.t[run.t <= 10] / 10
    blend = s**3 * (10 - 15 * s + 6 * s**2)
    axes[0, 0].plot(0.82 - 1.5 * blend, 1.15 + 0.15 * blend, color=GREY, ls="--", lw=1)
    axes[0, 0].annotate("moving exit", (-0.6, 1.33), fontsize=8, color=GREY)
    axes[0, 0].plot([0], [2], "s", color=GREY)
    axes[0, 0].set_aspect("equal")
    axes[0, 0].set(title="view along y", xlabel="x [m]", ylabel="z [m]", ylim=(0.3, 2.1))
    R = np.array([numpy(quaternion_matrix(row)) for row in np.column_stack([run[f"platform.q{c}"] for c in "wxyz"])])
    beta = np.degrees(np.arctan2(-R[:, 2, 0], np.hypot(R[:, 0, 0], R[:, 1, 0])))
    alpha = np.degrees(np.arctan2(R[:, 1, 0], R[:, 0, 0]))
    gamma = np.degrees(np.arctan2(R[:, 2, 1], R[:, 2, 2]))
    for name, values, colour in (("α", alpha, BLUE), ("β", beta, RED), ("γ", gamma, GREEN)):
        values = np.where(values < -180 + 1e-6, values + 360, values)  # -180 and 180 are one angle
        style = "--" if name == "γ" else "-"
        axes[0, 1].plot(run.t, values, color=colour, label=name, lw=1.2, ls=style)
    axes[0, 1].axvline(run.events[0].t, color=GREY, ls=":")
    axes[0, 1].annotate(f"{run.events[0].t:.3f} s", (run.events[0].t - 2.2, 100), fontsize=8)
    axes[0, 1].legend()
    axes[0, 1].set(title="Z-Y-X angles [deg]: singular where nothing else is", xlabel="t [s]")
    views = ((axes[1, 0], run, "bilateral cables"), (axes[1, 1], free, "cables that only pull"))
    for axis, r, kind in views:
        title = f"tensions [N], {kind}"
        for k, colour, label in ((1, BLUE, "cables 1 and 2"), (3, RED, "cable 3")):
            axis.plot(r.t, r[f"tension.cable{k}"], color=colour, lw=0.8, label=label)
        axis.set(title=title, xlabel="t [s]", ylim=(-80, 80))
        axis.legend()
    save(figure, "overturning")


def joining() -> None:
    """Tensions and heights of the joining robot, with stiff and with soft winches."""
    figure, axes = plt.subplots(1, 3, figsize=(7.6, 2.8), layout="constrained", width_ratios=(1, 1, 1.2))
    for gains, colour, label in ((STIFF, BLUE, "stiff"), (SOFT, RED, "soft")):
        run = joining_run(gains=gains)
        axes[0].plot(run.t, run["platform.z"], color=colour, lw=1.2, label=f"platform, {label}")
        axes[1].plot(run.t, run["tension.cable1"], color=colour, lw=1)
        run = joining_run(gains=gains, lift=False)
        near = (run.t > 10.8) & (run.t < 15)
        axes[2].plot(run.t[near], run["tension.cable1"][near], color=colour, lw=1)
    axes[0].plot(run.t, joining_run()["payload.z"], color=GREY, label="payload")
    axes[0].axvline(11, color=GREY, ls=":")
    axes[0].set(title="height [m]", xlabel="t [s]", ylim=(-0.05, 2.1))
    axes[0].legend()
    axes[1].set(title="tension of each cable [N]", xlabel="t [s]")
    axes[2].set(title="the pick, without the lift [N]", xlabel="t [s]")
    save(figure, "joining")


def exits() -> None:
    """Deviation of a carriage-driven exit from the prescribed one, over the mass ratio and in time."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 2.8), layout="constrained")
    ratios = np.logspace(-3, 0, 7)
    for bandwidth, colour in ((10.0, RED), (20.0, BLUE), (40.0, GREEN)):
        gaps = [1e3 * deviation(float(ratio), bandwidth) for ratio in ratios]
        left.loglog(ratios, gaps, "o-", color=colour, ms=3, lw=1, label=f"{bandwidth:g} rad/s")
    left.set(title="deviation before the flip [mm]", xlabel="mass of platform / carriage")
    left.legend()
    given = exit_run(duration=14.0)
    for ratio, colour in ((1e-1, RED), (1e-2, BLUE), (1e-3, GREEN)):
        run = exit_run(ratio, duration=14.0)
        gap = np.linalg.norm([run[f"platform.{c}"] - given[f"platform.{c}"] for c in "xyz"], axis=0)
        right.semilogy(run.t[1:], 1e3 * gap[1:], color=colour, lw=1, label=f"ratio {ratio:g}")
    right.axvline(7.606, color=GREY, ls=":")
    right.annotate("flip", (7.7, 2e-5), fontsize=8, color=GREY)
    right.set(title="in time, 20 rad/s [mm]", xlabel="t [s]", ylim=(1e-5, 1e3))
    right.legend(loc="upper left")
    save(figure, "moving_exits")


def pulleys() -> None:
    """Motion of the platform with the three models of its pulleys."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 2.8), layout="constrained")
    runs = {m: pushed_run(m) for m in (1, 2, 3)}
    for m, colour, style in ((1, RED, "-"), (2, BLUE, "-"), (3, GREEN, "--")):
        left.plot(runs[m].t, 1e3 * runs[m]["platform.y"] - 250, color=colour, ls=style, lw=1, label=f"Model {m}")
    left.set(title="y of the platform [mm]", xlabel="t [s]", xlim=(0, 4))
    left.set_ylim(-15, 20)
    left.legend(loc="upper left", ncols=3)
    for m, colour in ((1, RED), (2, BLUE)):
        gap = np.abs(runs[m]["platform.y"] - runs[3]["platform.y"])
        right.semilogy(runs[m].t[1:], 1e3 * gap[1:] + 1e-9, color=colour, lw=0.7, label=f"Model {m} - Model 3")
    right.set(title="difference in y [mm]", xlabel="t [s]", ylim=(1e-5, 1e3))
    right.legend(loc="upper left", ncols=2)
    save(figure, "pulley_models")


def sagging() -> None:
    """Vertical stiffness of a plate in a hall where tensions within bounds hold it, straight and sagging cables."""
    hall = [(-20.0, 0.0, 12.0), (20.0, 0.0, 12.0), (20.0, 0.0, 0.0), (-20.0, 0.0, 0.0)]
    corners = [(-0.5, 0.0, 0.3), (0.5, 0.0, 0.3), (0.5, 0.0, -0.3), (-0.5, 0.0, -0.3)]
    plate = da.Body("plate", 60.0, inertia=(4.0, 4.0, 6.0))
    x, z = np.linspace(-18, 18, 37), np.linspace(1, 11, 21)
    figure, axes = plt.subplots(1, 2, figsize=(7.6, 2.3), layout="constrained", sharey=True)
    levels = np.arange(0.0, 41.0, 4.0)
    for axis, weight in zip(axes, (0.0, 8.0), strict=True):
        options = {"mount": "planar", "winches": False, "lengths": 4 * [21.0], "stiffness": 1e6}
        robot = cr.cable_robot("hall", plate, hall, corners, weight=weight, **options)
        stiff = np.full((len(z), len(x)), np.nan)
        for i, zz in enumerate(z):
            for k, xx in enumerate(x):
                with contextlib.suppress(da.InputError):
                    stiff[i, k] = analysis.hold_pose(robot, [xx, zz, 0.0], 300.0, 2500.0).stiffness[1, 1] / 1e3
        filled = axis.contourf(x, z, stiff, levels=levels, cmap="viridis", extend="max")
        axis.set(title=f"{weight:g} N/m" if weight else "no weight", xlabel="x [m]", xlim=(-20, 20), ylim=(0, 12))
    axes[0].set_ylabel("z [m]")
    figure.colorbar(filled, ax=axes, label="vertical stiffness [kN/m]")
    save(figure, "sagging")


def workspace() -> None:
    """Wrench-feasible workspace of the robot with eight cables, at three heights."""
    machine = cr.eight_cable_robot()
    names = list(machine.q_names)
    x, y = np.linspace(-3, 3, 41), np.linspace(-2, 2, 27)
    figure, axes = plt.subplots(1, 3, figsize=(7.6, 2.1), layout="constrained", sharey=True)
    side = np.array([[sx * 60, sy * 60, 0, 0, 0, 0] for sx in (-1, 1) for sy in (-1, 1)])
    for axis, z in zip(axes, (0.6, 1.5, 2.4), strict=True):
        grid = []
        for yy in y:
            for xx in x:
                q = machine.q_neutral
                q[[names.index(f"platform.{c}") for c in "xyz"]] = xx, yy, z
                grid.append(q)
        rest = analysis.wrench_feasible(machine, grid, 10.0, 600.0).reshape(len(y), len(x))
        push = analysis.wrench_feasible(machine, grid, 10.0, 600.0, wrenches=side).reshape(len(y), len(x))
        axis.contourf(x, y, rest + 1.0 * push, levels=[-0.5, 0.5, 1.5, 2.5], colors=["white", "#c6d8ea", BLUE])
        axis.set(title=f"z = {z:g} m", xlabel="x [m]")
        axis.set_aspect("equal")
    axes[0].set_ylabel("y [m]")
    save(figure, "workspace")


def rattling() -> None:
    """A force lifts a platform off its four upper cables into the play of the lower ones, and lets it fall back."""
    model = cr.eight_cable_robot(pulley=0.0)
    push = da.Parameter("push", 0.0)
    parts = (
        da.box("platform", 30.0, (0.5, 0.4, 0.3)),
        *zip(*((c.exit_at, c.anchor_at) for c in model.cables), strict=True),
    )
    taut = cr.cable_robot("taut", *parts, winches=False)
    play = np.array([0.0, 0.0, 0.0, 0.0, 0.020, 0.021, 0.019, 0.020])
    lengths = analysis.cable_lengths(taut, [0, 0, 1.5, 1, 0, 0, 0]) + play
    force = da.Wrench("push", "platform", force=(0.0, 0.0, 600.0 * push), axes="world")
    robot = cr.cable_robot("loose", *parts, winches=False, lengths=list(lengths), wrenches=(force,))
    run = da.simulate(robot, duration=0.1, q0={"platform.z": 1.5})
    run = run.append(da.simulate(robot, duration=0.4, start=run, p={"push": 1.0}))
    run = run.append(da.simulate(robot, duration=0.5, start=run))
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 2.8), layout="constrained")
    left.plot(run.t, 1e3 * (run["platform.z"] - 1.5), color=BLUE)
    for event in run.events:
        left.axvline(event.t, color=GREY, lw=0.4)
    left.set(title=f"height [mm], and {len(run.events)} events", xlabel="t [s]")
    for names, colour, label in (((1, 2, 3, 4), BLUE, "upper cables"), ((5, 6, 7, 8), RED, "lower cables")):
        for k in names:
            right.plot(run.t, run[f"tension.cable{k}"], color=colour, lw=0.7, label=label if k in (1, 5) else None)
    right.set(title="tensions [N]", xlabel="t [s]", ylim=(-20, 450))
    right.legend(loc="upper right")
    save(figure, "rattling")


def delta() -> None:
    """Snapshots of the Delta robot of ``dalembert systems``, the way of its platform and the torques of its arms."""
    from dalembert.systems import SYSTEMS

    system = SYSTEMS["delta-robot"]
    machine, settings = system.make(), system.settings()
    run = da.simulate(machine, **settings)
    eom = da.equations(machine)
    figure = plt.figure(figsize=(7.6, 3.2), layout="constrained")
    space, right = figure.add_subplot(1, 2, 1, projection="3d"), figure.add_subplot(1, 2, 2)
    for k, alpha in ((0, 0.35), (len(run.t) - 1, 1.0)):
        q = run.x[k, : machine.nq]
        at = {f: eom.pose(f, q)[:3, 3] for f in [b.name for b in machine.bodies] + [f.name for f in machine.frames]}
        for n in (1, 2, 3):
            elbow = (at[f"rod{n}a"] + at[f"rod{n}b"]) / 2
            space.plot(*np.transpose([at[f"arm{n}"], elbow]), color=RED, lw=3, alpha=alpha)
            for side in "ab":
                space.plot(*np.transpose([at[f"rod{n}{side}"], at[f"end{n}{side}"]]), color=BLUE, lw=1.2, alpha=alpha)
            space.plot(*np.transpose([at[f"rod{n}a"], at[f"rod{n}b"]]), color=BLUE, lw=1.2, alpha=alpha)
        seats = [at[f"seat{n}{side}"] for n in (1, 2, 3) for side in "ba"]
        space.plot(*np.transpose([*seats, seats[0]]), color=GREEN, lw=2, alpha=alpha)
    space.plot(run["platform.x"], run["platform.y"], run["platform.z"], color=GREY, ls="--", lw=1)
    space.set(xticks=[-0.4, 0, 0.4], yticks=[-0.4, 0, 0.4], zticks=[-0.8, -0.4, 0])
    space.tick_params(labelsize=7)
    space.set_aspect("equal")
    space.view_init(elev=16, azim=-60)
    for n, colour in ((1, BLUE), (2, RED), (3, GREEN)):
        right.plot(run.t, run[f"u.arm{n}"], color=colour, label=f"arm {n}")
    right.set(title="torques [N m]", xlabel="t [s]")
    right.legend()
    save(figure, "delta_robot")


def assemblies() -> None:
    """Both ways in which a four-bar linkage closes with the same crank angle."""
    crank, coupler, rocker, ground = 0.3, 0.8, 0.6, 0.9
    figure, axes = plt.subplots(1, 2, figsize=(7.6, 2.9), sharey=True)
    a = 0.7
    tip = crank * np.array([np.cos(a), np.sin(a)])
    away = tip - [ground, 0.0]
    d = np.hypot(*away)
    bend = np.arccos((d**2 + rocker**2 - coupler**2) / (2 * d * rocker))
    for number, (space, side) in enumerate(zip(axes, (-1.0, 1.0), strict=True)):
        c = np.arctan2(away[1], away[0]) + side * bend
        end = np.array([ground, 0.0]) + rocker * np.array([np.cos(c), np.sin(c)])
        space.plot(*np.transpose([[0.0, 0.0], tip]), color=RED, lw=4, label="crank, named")
        space.plot(*np.transpose([tip, end]), color=BLUE, lw=4, label="coupler")
        space.plot(*np.transpose([end, [ground, 0.0]]), color=GREEN, lw=4, label="rocker")
        space.plot([0.0, ground], [0.0, 0.0], "k^", ms=8)
        space.set(title=f"branch {number}: a = 0.7, c = {np.angle(np.exp(1j * c)):.3f}", aspect="equal")
        space.axis("off")
    axes[0].legend(fontsize=7, frameon=False, loc="lower left")
    save(figure, "assemblies")


if __name__ == "__main__":
    import sys

    makers = (pulley, four_bar, assemblies, methods, overturning, joining, exits, pulleys, sagging, workspace)
    makers += (rattling, delta)
    makers = {f.__name__: f for f in makers}
    for name in sys.argv[1:] or makers:
        makers[name]()
