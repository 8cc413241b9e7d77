"""The worst variation of an envelope as a run of the machine, and the envelope as a page with its animation."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from dalembert import api
from dalembert.control.cascade import Sampled
from dalembert.control.scheduled import ScheduledFeedback, scheduled_feedback
from dalembert.control.signals import label
from dalembert.core.errors import InputError
from dalembert.core.files import target_file, write_file
from dalembert.core.types import Array, Expression
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.view.envelope_report import Envelope
from dalembert.view.page.report import report_page
from dalembert.view.page.sections import table

__all__ = ["envelope_page", "envelope_rows", "figures_page", "proven_law", "worst_run"]

_START = 0.05  # deviation of coordinates that no motor drives, in their units
_LONGEST = 120.0  # seconds of an animation
_HARMONICS = 4


def proven_law(envelope: Envelope, reference: dict[str, Any] | None = None, **p: float) -> ScheduledFeedback | Sampled:
    """The law of the last loop of an envelope, as `dalembert.simulate` runs it and its proof takes it.

    Parameters
    ----------
    envelope
        The envelope.
    reference
        References by measured name.
    p
        Values of parameters, at which the equilibrium is.
    """
    loop, model = envelope.loops[-1], envelope.model
    gains = loop.scheduled(model)
    law = scheduled_feedback(envelope.eom, gains, at=envelope.at, reference=reference, p=p)
    return law if loop.period is None else Sampled(law, loop.period)


def worst_run(envelope: Envelope) -> Run:
    """Simulate the machine along the worst variation, from a small deviation of the joints that no motor drives."""
    worst, model, eom = envelope.worst, envelope.model, envelope.eom
    if worst is None:
        raise InputError("the envelope has no loop: nothing was tuned")
    first = {n: float(x[0]) for n, x in worst.numbers.items()}
    p = {n: model.values(**{n: d})[n] for n, d in first.items() if n in eom.p_names}
    q0, v0 = dict(envelope.at), dict[str, float]()
    reference: dict[str, Any] = {}
    for name in model.motion:
        if name not in worst.numbers:
            continue
        values = np.array([model.values(**{name: float(d)})[name] for d in worst.numbers[name]])
        motion = _harmonics(values, worst.period, float(worst.t[0]))
        rate = next(eom.v_names[b.v][0] for b in eom.layout.blocks if b.name == name)
        middle = envelope.at[name]
        reference[label(name)] = partial(motion, order=0, less=middle)
        reference[label(rate)] = partial(motion, order=1)
        q0[name], v0[rate] = float(motion(0.0, 0)), float(motion(0.0, 1))
    measured = envelope.loops[-1].measured
    law = proven_law(envelope, {n: r for n, r in reference.items() if n in measured}, **p)
    driven = {m.joint for m in eom.machine.motors}
    for block in eom.layout.blocks:
        if block.name not in driven and block.name not in q0 and block.kind in ("revolute", "continuous", "prismatic"):
            q0[block.name] = _START
    duration = min(max(3.0 * worst.period, 4.0 / max(abs(worst.growth), 1e-3)), _LONGEST)
    return api.simulate(eom.machine, duration=duration, q0=q0, v0=v0, control=law, p=p, check=False)


def _harmonics(values: Array, period: float, first: float) -> Callable[..., Any]:
    """A periodic motion and its derivatives from samples of one period."""
    wave = np.fft.rfft(values)[:_HARMONICS] / len(values)
    omega = 2.0 * np.pi / period

    def motion(t: Expression | float, order: int, less: float = 0.0) -> Any:
        sine, cosine = (ca.sin, ca.cos) if isinstance(t, ca.SX | ca.MX) else (np.sin, np.cos)
        total: Any = wave[0].real - less if order == 0 else 0.0
        for k in range(1, len(wave)):
            c = 2.0 * wave[k] * (1j * k * omega) ** order
            total = total + c.real * cosine(k * omega * (t - first)) - c.imag * sine(k * omega * (t - first))
        return total

    return motion


def envelope_rows(answer: dict[str, Any]) -> list[tuple[str, ...]]:
    """Figures of the controllers of an envelope, a row per quantity: its name, and a text per controller."""
    controllers = answer["controllers"]

    def rates(row: dict[str, Any], key: str, none: str) -> str:
        return ", ".join(f"{n}: {x:.4g}" for n, x in row[key].items()) if row.get(key) else none

    def number(row: dict[str, Any], key: str, none: str = "none") -> str:
        return f"{row[key]:.4g}" if row.get(key) is not None else none

    def beyond(row: dict[str, Any]) -> str:
        return f"none up to {rates(row, 'tried rates', 'the rates')}"

    found = [
        ("proven at the given rates", *(row.get("extent", "yes" if row["proven"] else "no") for row in controllers)),
        ("broken at the given rates", *("yes" if row["broken"] else "no" for row in controllers)),
        ("proven up to the rates", *(rates(row, "proven rates", "none") for row in controllers)),
        ("broken from the rates", *(rates(row, "broken rates", beyond(row)) for row in controllers)),
        ("ratio of broken to proven rates", *(number(row, "ratio", "open") for row in controllers)),
        ("proven decay [1/s]", *(number(row, "decay") for row in controllers)),
        ("slowest decay found [1/s]", *(number(row, "slowest decay found") for row in controllers)),
    ]
    for ins, outs in [row["gain of"] for row in controllers if "gain of" in row][:1]:
        name = f"proven L2 gain from {', '.join(ins)} to {', '.join(outs)}"
        found.append((name, *(number(row, "gain") for row in controllers)))
    for key in dict.fromkeys(key for row in controllers for key in row.get("runs of the machine", ())):
        found.append((key, *(row.get("runs of the machine", {}).get(key, "none") for row in controllers)))
    for motor in controllers[-1]["margins"]:
        texts = []
        for row in controllers:
            m = row["margins"].get(motor)
            low, high = (20.0 * np.log10(max(g, 1e-300)) for g in m["gain"]) if m else (0.0, 0.0)
            texts.append(f"{low:.2f} to {high:.2f} dB, {m['phase']:.1f} deg" if m else "none")
        found.append((f"least disk margin at {motor}", *texts))
    return found


def envelope_page(envelope: Envelope, path: str | os.PathLike[str]) -> Path:
    """Write an envelope as one HTML file: proofs, margins, the worst variation found, and its animation.

    Parameters
    ----------
    envelope
        The envelope.
    path
        The file (.html).
    """
    target = target_file(path, (".html", ".htm"))
    run, worst = worst_run(envelope), envelope.worst
    assert worst is not None
    constants = ", ".join(f"{n} = {x:.6g}" for n, x in dict(run.metadata.get("parameters") or {}).items())
    where = f" ({constants})" if constants else ""
    end = "diverges at" if worst.broken else "decays at"
    found = worst.message[0].upper() + worst.message[1:]
    film = (
        f"{found}. The film shows the machine under the law of the proof along this variation, as far as its "
        f"motors follow it{where}: its linear model {end} {abs(worst.growth):.4g} 1/s, with a period of "
        f"{worst.period:.4g} s."
    )
    return write_file(target, figures_page(run, envelope.eom.machine, envelope.answer, film))


def figures_page(run: Run, machine: Machine, answer: dict[str, Any], film: str) -> str:
    """A report of the run of a worst case, with the figures of its envelope before it.

    Parameters
    ----------
    run, machine
        The run and its machine.
    answer
        Figures of the envelope.
    film
        Text about the run.
    """
    names = [row["name"] for row in answer["controllers"]]
    spans = [(n, f"{lo:.6g} to {hi:.6g}") for n, (lo, hi) in answer["ranges"].items()]
    parts = ["<h2>Envelope</h2>", table(("quantity", "range"), spans)]
    parts += [f"<p>{escape(text)}</p>" for text in answer.get("assumed", ())]
    parts += ["<h2>Proofs and searches</h2>", table(("", *names), envelope_rows(answer))]
    parts += [f"<p>{escape(row['name'])}: {escape(row['proof'])}.</p>" for row in answer["controllers"]]
    parts += [f"<p>{escape(answer['tuning'])}</p>"] if "tuning" in answer else []
    for entry in answer.get("gains", ()):
        where = ", ".join(f"{n} = {x:.6g}" for n, x in entry["at"].items())
        rows = [(u, *(f"{x:.6g}" for x in K)) for u, K in zip(answer["controls"], entry["K"], strict=True)]
        parts += [f"<h3>Gains at {escape(where)}</h3>", table(("motor", *answer["measured"]), rows)]
    parts.append(f"<h2>The worst variation found</h2><p>{escape(film)}</p>")
    return report_page(run, machine, extra="\n".join(parts))
