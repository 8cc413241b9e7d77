"""The command line as a whole: its commands, its errors in one line, its exit status.

Exit status: 0 if all is well, 1 if a check fails (`verify`, `reproduce`, `bench`), 2 if the input is wrong.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Annotated

import typer

import dalembert
from dalembert.cli.commands import LazyGroup, command
from dalembert.cli.patience import Patience
from dalembert.core.doing import doing
from dalembert.core.errors import DalembertError, DalembertWarning
from dalembert.core.termination import Terminated, terminable

__all__ = ["app", "run"]


_ENTRIES = {
    "demo": command("demo", "demo", "demo --seed 7 --speed 6", "demo arm --out report"),
    "new": command("check", "new", "new crane", "new arm my_arm.yaml"),
    "check": command("check", "check crane.yaml", "check *.yaml"),
    "simulate": command(
        "simulate",
        "simulate spatial-crane --plot crane.png",
        "simulate crane.yaml --duration 20 -p length=6 --out crane.nc",
        "simulate canadarm --method dopri5 --rtol 1e-10 --csv arm.csv",
    ),
    "optimise": command(
        "optimise",
        "optimise crane.yaml --end x=5 --duration 6",
        "optimise crane.yaml --end x=5 --between 2:10 --time 1 --effort 0 --limit F=-40:40 --out plan.nc",
    ),
    "plot": command("plot", "plot crane.nc", 'plot crane.nc "swing*" x --out angles.pdf'),
    "animate": command(
        "animate", "animate crane.nc --trace hook_point", "animate arm.nc --exaggerate 10 --out arm.html"
    ),
    "report": command("report", "report crane.nc", 'report crane.nc "theta*" --out angles.html'),
    "campaign": command(
        "campaign",
        "campaign sway.yaml",
        "campaign sway.yaml results --runner dask --workers 4",
        "campaign status results",
        "campaign resume results",
        "campaign export results --out rows.csv",
        "campaign report results",
    ),
    "studio": command("studio", "studio", "studio spatial-crane", "studio crane.yaml", "studio run.nc"),
    "verify": command("verify", "verify crane.yaml", "verify canadarm --samples 100 --json"),
    "robust": command(
        "robust",
        "robust crane.yaml",
        "robust crane.yaml --range payload=1:9 --range length=1:3 --out mu.png",
        "robust pendulum.yaml --gain theta:theta=20 --gain theta:theta_dot=4 --range m=0.5:3 --level 1",
    ),
    "reproduce": command("reproduce", "reproduce", "reproduce crane --short"),
    "bench": command("bench", "bench", "bench arms --robot ur5 --quantity all", "bench chains --plot chains.png"),
    "export": command(
        "export", "export canadarm arm.urdf", "export crane.yaml crane.xml", "export robot.xml robot.yaml"
    ),
    "fmu": command("fmu", "fmu crane.yaml", "fmu six-axis-arm --fmi 3.0 --open --out arm.fmu"),
    "share": command("share", "share crane.yaml", "share double-pendulum --duration 20 --out pendulum.html"),
    "derive": command("derive", "derive arm.yaml", "derive double-pendulum --out pendulum.pdf"),
    "realtime": command("realtime", "realtime crane.yaml", "realtime crane.yaml --open --port 9000 --period 0.002"),
    "schema": command("check", "schema", "schema --out machine.schema.json"),
    "doctor": command("doctor", "doctor", "doctor --json"),
    "systems": command("systems", "systems", "systems show canadarm", "systems --yaml canadarm > arm.yaml"),
    "cache": command("cache", "cache", "cache clean", "cache clean --unused 30"),
}
"""All commands in the order of the help: their modules, and examples of their use."""


class _Commands(LazyGroup):
    """All commands."""

    entries = _ENTRIES


app = typer.Typer(
    cls=_Commands,
    name="dalembert",
    help="Equations of motion of machines: derived, verified, compiled, simulated.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(value: bool) -> None:
    if value:
        print(f"dalembert {dalembert.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with the given arguments (those of the process by default) and return its exit status."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning  # type: ignore[assignment]
        try:
            with terminable(), Patience(), doing("working"):
                app(None if arguments is None else list(arguments), prog_name="dalembert")
        except SystemExit as leave:
            return leave.code if isinstance(leave.code, int) else 0 if leave.code is None else 1
        except DalembertError as error:
            return _complain(str(error))
        except OSError as error:
            return _complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        except Terminated:
            return _complain("terminated", 143)
        except KeyboardInterrupt:
            return _complain("interrupted", 130)
    return 0


def _complain(message: str, status: int = 2) -> int:
    """Print an error in one line (a compiler's log keeps its own lines)."""
    print(f"dalembert: error: {message}", file=sys.stderr)
    return status


def _show_warning(message: Warning | str, category: type[Warning], filename: str, lineno: int, *rest: object) -> None:
    if issubclass(category, DalembertWarning) or category is UserWarning:  # such as of a font without a letter
        print(f"dalembert: warning: {message}", file=sys.stderr)
    else:
        print(warnings.formatwarning(message, category, filename, lineno), file=sys.stderr, end="")
