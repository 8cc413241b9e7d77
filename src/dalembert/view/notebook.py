"""Representations of machines, equations and runs in notebooks: short tables in HTML, and a picture of a machine."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from html import escape

from dalembert.core.errors import DalembertError
from dalembert.core.parameter import nominal
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.view.animation import draw_machine
from dalembert.view.page.embed import player_html

__all__ = ["equations_html", "machine_html", "run_html"]

_MOST_ROWS = 30


def machine_html(machine: Machine) -> str:
    """A picture of a machine, and a table of its bodies and the joints that they hang on."""
    joints = {j.child: j for j in machine.joints}
    rows = []
    for body in machine.bodies:
        joint = joints[body.name]
        rows.append((body.name, f"{nominal(body.mass):g}", joint.name, joint.kind, joint.parent))
    table = _table(("body", "mass [kg]", "on joint", "kind", "parent"), rows)
    return f"<div>{_heading(str(machine))}{_picture(machine)}{table}{_names(machine)}</div>"


def equations_html(eom: EquationsOfMotion) -> str:
    """How equations were derived, and the names of their inputs."""
    title = f"equations of motion of '{eom.machine.name}' by {eom.by}: nq = {eom.nq}, nv = {eom.nv}, nu = {eom.nu}"
    lists = (("q", eom.q_names), ("v", eom.v_names), ("u", eom.u_names), ("p", eom.p_names))
    rows = [(label, _listed(names)) for label, names in lists if names]
    return f"<div>{_heading(title)}{_table(('', 'names'), rows)}</div>"


def run_html(run: Run) -> str:
    """The player of a run, if its machine is known, and its outcome, line by line."""
    first, *lines = repr(run).splitlines()
    rows = []
    for line in lines:
        label, _, text = line.strip().partition(" ")
        rows.append((label, text.strip()))
    try:
        player = player_html(run)
    except DalembertError:  # a table without a player is better than no table
        player = ""
    return f"<div>{_heading(first)}{player}{_table(('', ''), rows)}</div>"


def _picture(machine: Machine) -> str:
    try:
        figure = draw_machine(machine, size=(4.2, 3.2))
    except DalembertError:  # a table without a picture is better than no table
        return ""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=80)
    data = base64.b64encode(content.getvalue()).decode("ascii")
    return f'<img alt="{escape(machine.name)}" src="data:image/png;base64,{data}"/>'


def _names(machine: Machine) -> str:
    lists = {
        "coordinates": machine.q_names,
        "inputs": machine.u_names,
        "constraints": [c.name for c in machine.constraints],
        "cables": [c.name for c in machine.cables],
        "ropes": [r.name for r in machine.ropes],
        "contacts": [c.name for c in machine.contacts],
        "parameters": [f"{p.name} = {p.value:g}" for p in machine.parameters],
    }
    return "".join(f"<p>{label}: {escape(_listed(names))}</p>" for label, names in lists.items() if names)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_ROWS])
    return shown if len(names) <= _MOST_ROWS else f"{shown}, ... ({len(names)} in all)"


def _heading(text: str) -> str:
    return f"<p><b>{escape(text)}</b></p>"


def _table(head: Sequence[str], rows: Sequence[Iterable[str]]) -> str:
    def line(cells: Iterable[str], tag: str) -> str:
        return "<tr>" + "".join(f'<{tag} style="text-align:left">{escape(c)}</{tag}>' for c in cells) + "</tr>"

    shown = [line(row, "td") for row in rows[:_MOST_ROWS]]
    if len(rows) > _MOST_ROWS:
        shown.append(line([f"... ({len(rows)} in all)", *[""] * (len(head) - 1)], "td"))
    top = line(head, "th") if any(head) else ""
    return f"<table>{top}{''.join(shown)}</table>"
