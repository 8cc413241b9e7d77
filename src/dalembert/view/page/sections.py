"""Parts of reports and of pages that simulate: tables, the machine, its equations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from dalembert.analysis.closed_form.form import closed_form
from dalembert.core.errors import DalembertError
from dalembert.core.parameter import nominal
from dalembert.model.elastic.contract import Elastic
from dalembert.model.machine import Machine
from dalembert.view.page.mathml import mathml

__all__ = ["equations_section", "machine_section", "table"]

_READABLE = 3  # degrees of freedom up to which equations are written
_TERMS = 60  # terms of an expression that fit on a page
_ROWS = 60
_SYMBOLS = (("M", "mass_matrix"), ("c", "coriolis_vector"), ("g", "gravity"), ("k", "elastic"), (r"\tau", "applied"))


def machine_section(machine: Machine, file: str) -> str:
    """Table of the bodies of a machine and of the joints that they hang on, and its file."""
    joints = {joint.child: joint for joint in machine.joints}
    rows = []
    for body in machine.bodies:
        joint = joints[body.name]
        kind = body.kind if isinstance(body, Elastic) else "body"
        rows.append((body.name, kind, f"{nominal(body.mass):.6g}", joint.name, joint.kind, joint.parent))
    text = "<h2>Machine</h2>" + table(("name", "", "mass [kg]", "joint", "kind", "on"), rows, numbers=(2,))
    if machine.cables:
        text += "<p>" + escape(f"cables: {', '.join(cable.name for cable in machine.cables)}") + "</p>"
    if machine.ropes:
        text += "<p>" + escape(f"ropes: {', '.join(rope.name for rope in machine.ropes)}") + "</p>"
    if machine.constraints:
        text += "<p>" + escape(f"constraints: {', '.join(c.name for c in machine.constraints)}") + "</p>"
    if file:
        text += f"<details><summary>machine file</summary><pre>{escape(file)}</pre></details>"
    return text


def equations_section(machine: Machine, wanted: bool | None) -> str:
    """Equations of motion; None: where they are short enough to read."""
    if wanted is False:
        return ""
    rigid = not any(isinstance(body, Elastic) for body in machine.bodies)
    small = machine.nv <= _READABLE and rigid and not machine.constraints and not machine.all_ropes
    if wanted is None and not small:
        return ""
    try:
        form = closed_form(machine, limit=2000 if wanted else _TERMS)
        there = [(sign, name) for sign, name in _SYMBOLS if any(getattr(form, name))]
        terms = [(sign, form.latex(name)) for sign, name in there]
    except DalembertError:
        if wanted:
            raise
        return ""
    signs = [sign for sign, _ in terms]
    forces = [sign for sign in signs[1:] if sign != r"\tau"]
    balance = " + ".join([r"M \dot v", *forces]) + " = " + (r"\tau" if r"\tau" in signs else "0")
    rows = "".join(mathml(f"{sign} = {latex}") for sign, latex in terms)
    values = table(("symbol", "value"), [(n, f"{x:.6g}") for n, x in form.parameters.items()], numbers=(1,))
    return (
        f'<h2>Equations of motion</h2><div class="equations">{mathml(balance)}{rows}</div>'
        f"<details><summary>values of the symbols</summary>{values}</details>"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """HTML of a table; the columns ``numbers`` are aligned as such."""
    every = list(rows)

    def cell(k: int, text: str) -> str:
        return f'<td class="n">{escape(text)}</td>' if k in numbers else f"<td>{escape(text)}</td>"

    lines = ["<tr>" + "".join(cell(k, text) for k, text in enumerate(row)) + "</tr>" for row in every[:_ROWS]]
    if len(every) > _ROWS:
        lines.append(f"<tr><td>... ({len(every)} in all)</td></tr>")
    top = "<tr>" + "".join(f"<th>{escape(text)}</th>" for text in head) + "</tr>" if any(head) else ""
    return f"<table>{top}{''.join(lines)}</table>"
