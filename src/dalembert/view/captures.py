"""Pictures and reports of captures: errors, torques, drift, momentum and fuel, against the requirements."""

from __future__ import annotations

import base64
import io
import os
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.files import target_file, write_file
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.formulations.equations import derive
from dalembert.systems.space_robots import CaptureOutcome
from dalembert.systems.space_robots.requirements import base_torques, base_turns
from dalembert.systems.space_robots.twins import ChaserTwins
from dalembert.view.page.report import report_page
from dalembert.view.plots import picture_file, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["capture_report", "capture_rows", "plot_capture"]

_COLOURS = ("#4477aa", "#ee6677", "#228833", "#aa3377", "#ccbb44", "#66ccee")


def capture_rows(outcome: CaptureOutcome) -> list[tuple[str, str, str, str]]:
    """Requirements and other figures of a capture as rows of text: quantity, value, limit, verdict.

    Examples
    --------
    >>> from dalembert.systems.space_robots import random_case, fly_capture
    >>> from dalembert.view import capture_rows
    >>> for row in capture_rows(fly_capture(random_case(0))):  # doctest: +SKIP
    ...     print(*row)
    """
    rows = [
        (r.name, f"{r.value:.3g} {r.unit}", f"{r.limit:g} {r.unit}", "pass" if r.ok else "FAIL")
        for r in outcome.requirements
    ]
    if outcome.approach is None:
        return rows
    whole, plan = outcome.whole, outcome.plan
    assert plan is not None
    twins = _twins(outcome)
    base = outcome.approach.array([f"{twins.base}.{x}" for x in "xyz"])
    moved = np.linalg.norm(base - base[0], axis=1)
    rows += [
        ("synchronised, gripped after", f"{plan.duration:g} s, {outcome.approach.t[-1]:g} s", "", ""),
        ("base moved during the approach", f"{moved.max():.3f} m", "", ""),
        *_consumption(outcome),
    ]
    if outcome.handover is not None and outcome.stack is not None:
        h = _momentum(outcome)
        k = int(np.searchsorted(whole.t, outcome.approach.t[-1] - 1e-9)) + 1  # the first row after the grip
        jump = float(np.linalg.norm(h[k] - h[k - 1]))
        rows += [
            ("momentum before the grip", f"{np.linalg.norm(h[k - 1]):.1f} N m s", "", ""),
            ("its change by the grip", f"{jump:.1e} N m s", "", ""),
            ("energy lost in the grip", f"{1e3 * outcome.handover.loss:.3g} mJ", "", ""),
            ("momentum at the end", f"{np.linalg.norm(h[-1]):.2f} N m s", "", ""),
        ]
    return rows


_PHASES = {"way": "way from the hold point", "approach": "approach", "retreat": "retreat", "rest": "bringing to rest"}


def _consumption(outcome: CaptureOutcome) -> list[tuple[str, str, str, str]]:
    """Time and propellant of each phase, and the use of the limits of the way."""
    rows = []
    if outcome.way is not None:
        path = outcome.way.path
        rows = [
            (f"way: {v.name}", f"{v.value:.3g} {v.unit}", f"{v.limit:.3g} {v.unit}", "pass" if v.ok else "FAIL")
            for v in path.verdicts
        ]
        rows.append(("way: planned change of velocity", f"{path.impulse:.3f} m/s", "", ""))
    used = outcome.propellant
    rows += [
        (f"{_PHASES[name]}: time, propellant", f"{seconds:.0f} s, {1e3 * used[name]:.1f} g", "", "")
        for name, seconds in outcome.times.items()
    ]
    rows.append(("propellant of the mission", f"{1e3 * sum(used.values()):.1f} g", "", ""))
    return rows


def _twins(outcome: CaptureOutcome) -> ChaserTwins:
    """The chaser of an outcome that was flown."""
    if outcome.twins is None:
        raise InputError("the outcome does not contain its chaser: use one that fly_capture returned")
    return outcome.twins


def _momentum(outcome: CaptureOutcome) -> Array:
    """Angular momentum of chaser and debris about their centre of mass, (n, 3)."""
    run = outcome.whole
    eom = derive(run.machine)
    p = eom.parameter_values({k: x for k, x in outcome.parameters.items() if k in eom.p_names} or None)
    q, v = run.array(eom.q_names), run.array(eom.v_names)
    h = eom.momentum(q, v, p=p)
    return np.asarray(h[:, 3:] - np.cross(eom.center_of_mass(q, p=p), h[:, :3]))


def plot_capture(outcome: CaptureOutcome, path: str | os.PathLike[str] | None = None) -> Figure | Path:
    """Draw a capture: error of the tip, attitude of the base, torques, rates and momentum.

    Parameters
    ----------
    outcome
        From `dalembert.systems.space_robots.fly_capture`.
    path
        A picture file; None: return the figure.

    Examples
    --------
    >>> from dalembert.systems.space_robots import random_case, fly_capture
    >>> from dalembert.view import plot_capture
    >>> plot_capture(fly_capture(random_case(0)), "capture.png")  # doctest: +SKIP
    """
    figure = _figure(outcome)
    return figure if path is None else save_figure(figure, picture_file(path))


def _figure(outcome: CaptureOutcome) -> Figure:
    from matplotlib.figure import Figure

    if not isinstance(outcome, CaptureOutcome) or outcome.approach is None or outcome.plan is None:
        raise InputError("a capture without a run cannot be drawn" if isinstance(outcome, CaptureOutcome) else
                         f"plot_capture needs a CaptureOutcome, got {type(outcome).__name__}")  # fmt: skip
    run, first, plan, twins = outcome.whole, outcome.approach, outcome.plan, _twins(outcome)
    limits = {r.name: r.limit for r in outcome.requirements}
    figure = Figure(figsize=(10.0, 8.4), layout="constrained")
    axes = figure.subplots(3, 2)
    t, grip = run.t, float(first.t[-1])

    hand, target = (first.array([f"{n}.{x}" for x in "xyz"]) for n in ("hand", "target"))
    far = 1e3 * np.linalg.norm(hand - target, axis=1)
    _panel(axes[0, 0], "tip to target point [mm]", [(first.t, far, "")], plan.duration, grip)
    axes[0, 0].axhline(limits["tip error from synchronisation on"], color="#666666", linestyle="--", linewidth=0.8)
    axes[0, 0].set_yscale("log")

    turn = np.degrees(base_turns(first, twins.base, plan.attitude))
    _panel(axes[0, 1], "attitude of the base before the grip [degrees]", [(first.t, turn, "")], plan.duration, grip)
    axes[0, 1].axhline(limits["attitude of the base"], color="#666666", linestyle="--", linewidth=0.8)

    eom = derive(run.machine)
    inputs = base_torques(run, eom, twins.base)
    torque = [(t, inputs[:, k], x) for k, x in enumerate("xyz")]
    _panel(axes[1, 0], "torque of the base [N m]", torque, plan.duration, grip)
    for sign in (-1.0, 1.0):
        axes[1, 0].axhline(sign * limits["torque of the base"], color="#666666", linestyle="--", linewidth=0.8)
    motors = {m.joint: m.name for m in run.machine.motors}
    joints = [(t, run[f"u.{motors[name]}"], str(i + 1)) for i, name in enumerate(twins.joints)]
    _panel(axes[1, 1], "torques of the joints [N m]", joints, plan.duration, grip)

    rates = [
        (t, np.degrees(np.linalg.norm(run.array([f"{n}.w{x}" for x in "xyz"]), axis=1)), label)
        for n, label in ((outcome.debris.joint if outcome.debris else "debris", "debris"), (twins.base, "base"))
    ]
    _panel(axes[2, 0], "rates [degrees/s]", rates, plan.duration, grip)
    h = _momentum(outcome)
    _panel(axes[2, 1], "angular momentum of both [N m s]", [(t, h[:, k], x) for k, x in enumerate("xyz")],
           plan.duration, grip)  # fmt: skip
    for axis in axes[2]:
        axis.set_xlabel("t [s]")
    return figure


def _panel(axis: Axes, title: str, lines: list[tuple[Array, Array, str]], meet: float, grip: float) -> None:
    for k, (t, y, label) in enumerate(lines):
        axis.plot(t, y, color=_COLOURS[k % len(_COLOURS)], linewidth=1.1, label=label or None)
    axis.axvline(meet, color="#bbbbbb", linewidth=0.8)
    axis.axvline(grip, color="#222222", linewidth=0.8)
    axis.set_title(title, fontsize=9)
    axis.grid(alpha=0.25)
    axis.tick_params(labelsize=8)
    if any(label for *_, label in lines):
        axis.legend(fontsize=7, ncols=3, frameon=False)


def capture_report(outcome: CaptureOutcome, path: str | os.PathLike[str], *, command: str = "dalembert demo") -> Path:
    """Write a report of a capture: one HTML file with requirements, pictures, plots and a player of the motion.

    Parameters
    ----------
    outcome
        From `dalembert.systems.space_robots.fly_capture`.
    path
        The file (.html).
    command
        Command that reproduces it.
    """
    memory = io.BytesIO()
    _figure(outcome).savefig(memory, format="png", dpi=110)
    picture = base64.b64encode(memory.getvalue()).decode("ascii")
    verdict = "every requirement is kept" if outcome.ok else outcome.reason or "a requirement is missed"
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in capture_rows(outcome)
    )
    plan = outcome.plan
    kept = "" if plan is None else "".join(
        f"<tr><td>{escape(v.name)}</td><td>{v.value:.3g} {escape(v.unit)}</td><td>{v.limit:.3g}</td></tr>"
        for v in plan.verdicts
    )  # fmt: skip
    extra = (
        f"<h2>Capture: {escape(verdict)}</h2>"
        f"<table><tr><th></th><th>value</th><th>limit</th><th></th></tr>{rows}</table>"
        f'<p><img alt="errors, torques, rates and momentum over time" src="data:image/png;base64,{picture}"></p>'
        f"<details><summary>the plan: {escape(str(plan))}</summary>"
        f"<table><tr><th></th><th>value</th><th>limit</th></tr>{kept}</table></details>"
    )
    run, twins = outcome.whole, _twins(outcome)
    debris = outcome.debris.joint if outcome.debris else "debris"
    base = [f"{twins.base}.{x}" for x in ("x", "y", "z", "w*")]
    motors = [m.name for m in run.machine.motors if m.joint in twins.joints]
    thrusters = [x.name for x in run.machine.thrusters if any(map(nominal, x.torque))]
    signals = (*(f"u.{n}" for n in (*thrusters, *motors)), *twins.joints, *base, f"{debris}.w*")
    text = report_page(run, run.machine, command=command, signals=signals, equations=False, extra=extra)
    return write_file(target_file(path, (".html", ".htm")), text)
