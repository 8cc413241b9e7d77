"""``dalembert systems``: the ready-made machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.cli.completion import system_names
from dalembert.cli.output import console, examples, number, show, table
from dalembert.core.errors import UnknownNameError
from dalembert.core.parameter import nominal

if TYPE_CHECKING:
    from dalembert.systems.catalogue import SystemInfo

__all__ = ["systems"]

systems = typer.Typer(
    name="systems",
    help="List the ready-made machines.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


def _find(name: str) -> SystemInfo:
    from dalembert.systems import SYSTEMS

    if name not in SYSTEMS:
        raise UnknownNameError("ready-made machine", name, SYSTEMS)
    return SYSTEMS[name]


@systems.callback()
def _list(
    context: typer.Context,
    yaml: Annotated[
        str | None,
        typer.Option("--yaml", metavar="NAME", help="Print a machine as a machine file.", autocompletion=system_names),
    ] = None,
) -> None:
    from dalembert.systems import SYSTEMS

    if yaml is not None:
        print(_find(yaml).to_yaml(), end="")
        return
    if context.invoked_subcommand is not None:
        return
    listing = table("name", "what", "source")
    for system in SYSTEMS.values():
        listing.add_row(system.name, system.description, system.source)
    show(listing)


@systems.command("show", epilog=examples("systems show canadarm"))
def _show(
    name: Annotated[str, typer.Argument(help="Name of a ready-made machine.", autocompletion=system_names)],
) -> None:
    """Show the parts of a machine."""
    system = _find(name)
    machine = system.make()
    out = console()
    out.print(f"{system.name}: {system.description}\nsource: {system.source}\n{machine}", markup=False)
    bodies = table("body", "mass [kg]", "on joint", "kind", "parent", right=("mass [kg]",))
    joints = {j.child: j for j in machine.joints}
    for body in machine.bodies:
        joint = joints[body.name]
        bodies.add_row(body.name, number(nominal(body.mass)), joint.name, joint.kind, joint.parent)
    show(bodies, out)
    names = (("coordinates", machine.q_names), ("velocities", machine.v_names), ("inputs", machine.u_names))
    for label, members in names:
        out.print(f"{label}: {', '.join(members) or '(none)'}", markup=False)
    for label in ("constraints", "cables", "ropes", "contacts"):
        if parts := getattr(machine, label):
            out.print(f"{label}: {', '.join(element.name for element in parts)}", markup=False)
    if machine.parameters:
        values = ", ".join(f"{p.name} = {number(p.value)}" for p in machine.parameters)
        out.print(f"parameters: {values}")
