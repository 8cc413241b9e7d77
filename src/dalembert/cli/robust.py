"""``dalembert robust``: margins of a machine under a law, and proofs about it over ranges."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape

from dalembert.cli.experiment_options import spans
from dalembert.cli.interruption import interruptible
from dalembert.cli.machines import MachineArgument, find_experiment
from dalembert.cli.output import console, number, show, table
from dalembert.cli.targets import ForceOption, check_targets
from dalembert.cli.told import Told
from dalembert.core.errors import InputError

__all__ = ["robust"]


def robust(
    machine: MachineArgument,
    range_: Annotated[
        list[str] | None,
        typer.Option(
            "--range", help="Range of a joint's angle [rad] or of a parameter: NAME=LOW:HIGH; may be repeated."
        ),
    ] = None,
    gain: Annotated[
        list[str] | None,
        typer.Option(
            help="Gain of a motor on a displacement or velocity: MOTOR:STATE=NUMBER; default: the file's law."
        ),
    ] = None,
    at: Annotated[
        list[str] | None, typer.Option(help="Coordinate of the configuration: NAME=NUMBER; may be repeated.")
    ] = None,
    rate: Annotated[
        list[str] | None,
        typer.Option(
            help="Largest rate, and acceleration if it has an effect, of a coordinate that moves: NAME=RATE or "
            "NAME=RATE:ACCELERATION. Proves stability while it varies, and searches for rates that break it."
        ),
    ] = None,
    schedule: Annotated[
        list[str] | None,
        typer.Option(help="Tune gains that are polynomials of a measured quantity: NAME or NAME=DEGREE."),
    ] = None,
    decay: Annotated[
        float | None, typer.Option(help="Rate of decay [1/s] to tune for; default a tenth of the median frequency.")
    ] = None,
    period: Annotated[
        float | None, typer.Option(help="Seconds between samples of the law, in proofs with --rate or --schedule.")
    ] = None,
    level: Annotated[
        float | None, typer.Option(help="Prove this level of mu only; default: the least level that can be proven.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="Time limit of the proof.")] = 60.0,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Picture of the proof to write: .png, .pdf, .svg; with --rate or --schedule a report with the "
            "animation of the worst case found: .html."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
    force: ForceOption = False,
) -> None:
    """Margins of a machine's loop, and ranges that are proven stable.

    The law is that of the machine file (any law without internal states), or gains, u = -K x. Exit status 1 if the
    loop is not stable, or is not proven over the whole of the ranges.
    """
    varying = bool(rate or schedule)
    check_targets((out, "report" if varying else "plot"))
    experiment = find_experiment(machine)
    if varying:
        if level is not None:
            raise InputError("--level is about constant values: leave it out with --rate and --schedule")
        if decay is not None and not schedule:
            raise InputError("--decay is the aim of a tuning: give a --schedule")
        _envelope(experiment, range_ or [], rate or [], schedule or [], decay, gain or [], at or [], period, out, json)
        return
    if decay is not None:
        raise InputError("--decay is the aim of a tuning: give a --schedule")
    if period is not None:
        raise InputError("--period is part of proofs with rates: give a --rate or a --schedule")
    from dalembert.view.loop_report import loop_report

    with interruptible(), Told("linear model") as progress:
        answer, proof = loop_report(
            experiment.machine,
            experiment.control,
            ranges=spans(range_ or [], "range"),
            gains=dict(_gain(text) for text in gain or ()),
            at=dict(_assigned(text, "--at") for text in at or ()) or None,
            level=level,
            seconds=seconds,
            progress=progress,
        )
    if json:
        print(json_module.dumps(answer, indent=2))
    else:
        _print(experiment.machine.name, answer)
    if out is not None:
        if proof is None:
            raise InputError("--out draws the proof over ranges: give a --range")
        from dalembert.view.robust import plot_mu

        plot_mu(proof, path=out)
        console().print(f"written: {out}")
    if not answer["stable"] or not answer.get("proven", True):
        raise typer.Exit(1)


def _envelope(
    experiment: Any,
    ranges: list[str],
    rates: list[str],
    schedule: list[str],
    decay: float | None,
    gain: list[str],
    at: list[str],
    period: float | None,
    out: Path | None,
    json: bool,
) -> None:
    """The loop over ranges and rates."""
    from dalembert.view.envelope_page import envelope_page
    from dalembert.view.envelope_report import envelope_report
    from dalembert.view.motion_report import along_motions, motion_page, motion_report

    limits = dict(_rate(text) for text in rates)
    settings: dict[str, Any] = {
        "ranges": spans(ranges, "range"),
        "rates": limits,
        "table": dict(_gain(text) for text in gain),
        "at": dict(_assigned(text, "--at") for text in at),
    }
    with interruptible(), Told("model") as progress:
        if along_motions(experiment.machine, limits) and not schedule and period is None:
            motions = motion_report(experiment.machine, experiment.control, **settings, progress=progress)
            answer = motions.answer
            if out is not None:
                progress("film of the worst case")
                answer["report"] = str(motion_page(motions, out))
        else:
            degrees = dict(_degree(text) for text in schedule) or None
            settings |= {"schedule": degrees, "decay": decay, "period": period}
            envelope = envelope_report(experiment.machine, experiment.control, **settings, progress=progress)
            answer = envelope.answer
            if out is not None and envelope.loops:
                progress("film of the worst case")
                answer["report"] = str(envelope_page(envelope, out))
    if json:
        print(json_module.dumps(answer, indent=2))
    else:
        _print_envelope(experiment.machine.name, answer)
    if not answer["proven"]:
        raise typer.Exit(1)


def _print_envelope(name: str, answer: dict[str, Any]) -> None:
    from dalembert.view.envelope_page import envelope_rows

    for text in answer.get("assumed", ()):
        console().print(escape(text))
    if "tuning" in answer:
        console().print(escape(f"tuning: {answer['tuning']}"))
    if "feasible" in answer:
        console().print(escape(answer["feasible"]))
    if answer["controllers"]:
        names = [escape(row["name"]) for row in answer["controllers"]]
        rows = table("", *names, title=f"{escape(name)}: envelope of the loop")
        for row in envelope_rows(answer):
            rows.add_row(*map(escape, row))
        show(rows)
    for row in answer["controllers"]:
        console().print(escape(f"{row['name']}: {row['proof']}; {row['falsification']}"))
    for entry in answer.get("gains", ()):
        where = ", ".join(f"{n} = {x:.6g}" for n, x in entry["at"].items())
        gains = table("motor", *map(escape, answer["measured"]), title=f"gains at {escape(where)}")
        for motor, numbers in zip(answer["controls"], entry["K"], strict=True):
            gains.add_row(escape(motor), *map(number, numbers))
        show(gains)
    if "report" in answer:
        console().print(f"written: {escape(answer['report'])}")


def _rate(text: str) -> tuple[str, float | tuple[float, float]]:
    name, sign, value = text.partition("=")
    try:
        if not (sign and name):
            raise ValueError
        numbers = tuple(float(x) for x in value.split(":"))
        if len(numbers) == 1:
            return name, numbers[0]
        first, second = numbers
    except ValueError:
        raise InputError(f"--rate must be NAME=RATE or NAME=RATE:ACCELERATION, got '{text}'") from None
    return name, (first, second)


def _degree(text: str) -> tuple[str, int]:
    name, sign, value = text.partition("=")
    try:
        return name, int(value) if sign else 1
    except ValueError:
        raise InputError(f"--schedule must be NAME or NAME=DEGREE, got '{text}'") from None


def _print(name: str, answer: dict[str, Any]) -> None:
    verdict = "stable" if answer["stable"] else "NOT stable"
    rows = table("quantity", "value", title=f"{escape(name)}: the loop is {verdict}")
    rows.add_row("slowest pole [1/s]", number(answer["slowest pole"]))
    if "sensitivity" in answer:
        rows.add_row("norm of the sensitivity at the inputs", number(answer["sensitivity"]))
    for motor, m in answer.get("margins", {}).items():
        low, high = (20.0 * np.log10(max(g, 1e-300)) for g in m["gain"])
        text = f"{low:.2f} to {high:.2f} dB, {m['phase']:.1f} deg at {m['omega']:.4g} rad/s"
        rows.add_row(escape(f"disk margin at {motor}"), text)
    if "mu" in answer:
        rows.add_row("repetitions", escape(", ".join(f"{n}: {k}" for n, k in answer["blocks"].items())))
        rows.add_row("mu", f"{number(answer['mu'][0])} to {number(answer['mu'][1])}")
        rows.add_row("proof", escape(answer["proof"]))
        for n, (low, high) in answer["guaranteed"].items():
            rows.add_row(escape(f"guaranteed range of {n}"), f"{low:.6g} to {high:.6g}")
        if "unstable at" in answer:
            rows.add_row("unstable at", escape(", ".join(f"{n} = {v:.6g}" for n, v in answer["unstable at"].items())))
    show(rows)


def _assigned(text: str, option: str) -> tuple[str, float]:
    name, sign, value = text.partition("=")
    try:
        if not (sign and name):
            raise ValueError
        return name, float(value)
    except ValueError:
        raise InputError(f"{option} must be NAME=NUMBER, got '{text}'") from None


def _gain(text: str) -> tuple[tuple[str, str], float]:
    where, value = _assigned(text, "--gain")
    motor, _, state = where.partition(":")
    return (motor, state), value
