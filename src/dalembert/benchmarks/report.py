"""Tables and plots of the benchmark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dalembert.benchmarks.cases import QUANTITIES
from dalembert.benchmarks.measure import Record
from dalembert.view.plots import save_figure

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "duration",
    "plot_chains",
    "print_cable_robot",
    "print_chains",
    "print_contact",
    "print_cranes",
    "print_flexible_arm",
    "print_fmu",
    "print_predictive",
    "print_rollouts",
    "print_rows",
    "print_studio",
    "print_wasm",
]


def duration(nanoseconds: float) -> str:
    """A time with its unit."""
    return f"{nanoseconds:.0f} ns" if nanoseconds < 1e4 else f"{nanoseconds / 1e3:.1f} us"


def print_rows(console: Console, figures: Record) -> None:
    """One table for each machine and quantity, then who was skipped and why."""
    from rich.table import Table

    rows, absent = figures["results"], figures["skipped"]
    for robot, quantity in dict.fromkeys((row["robot"], row["quantity"]) for row in rows):
        mine = [row for row in rows if (row["robot"], row["quantity"]) == (robot, quantity)]
        first = mine[0]
        table = Table(title=f"{first['title']}: {first['nv']} degrees of freedom, {first['operations']} operations")
        table.add_column(QUANTITIES[quantity].title, no_wrap=True)
        for head in ("median", "least", "relative", "difference"):
            table.add_column(head, justify="right", no_wrap=True)
        for row in mine:
            ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
            style = None if row["agrees"] else "bold red"
            times = (duration(row["median_ns"]), duration(row["least_ns"]))
            table.add_row(row["name"], *times, ratio, f"{row['difference']:.0e}", style=style)
        for skip in absent:
            if (skip["robot"], skip["quantity"]) == (robot, quantity):
                table.add_row(skip["name"], "skipped", style="dim")
        console.print(table)
    _print_foot(console, figures)


def _print_foot(console: Console, figures: Record) -> None:
    for name, reason in dict.fromkeys((skip["name"], skip["reason"]) for skip in figures["skipped"]):
        console.print(f"{name}: skipped, {reason}", style="yellow", highlight=False, soft_wrap=True)
    machine, settings = figures["machine"], figures["settings"]
    console.print(
        f"{machine['processor']}, {machine['cores']} cores, load {machine['load']}; {settings['repetitions']} "
        f"interleaved repetitions over {settings['states']} random states; times relative to one native call; "
        "difference from ours",
        style="dim",
        soft_wrap=True,
    )


def print_chains(console: Console, figures: Record) -> None:
    """Cost of each contender against the number of links, and the fitted exponents."""
    from rich.table import Table

    rows = figures["results"]
    links = list(dict.fromkeys(row["nv"] for row in rows))
    exponents = figures["exponents"]
    for title, cell in (("time of one evaluation, median", _median), ("time relative to one native call", _ratio)):
        table = Table(title=f"Forward dynamics of chains: {title}")
        table.add_column("links", no_wrap=True)
        for n in links:
            table.add_column(str(n), justify="right", no_wrap=True)
        if cell is _median:
            table.add_column("power", justify="right")
        for key, name in _names(rows):
            by_length = {row["nv"]: row for row in rows if row["contender"] == key}
            cells = [cell(by_length[n]) if n in by_length else "" for n in links]
            if cell is _median and key in exponents:
                cells.append(f"{exponents[key]:.2f}")
            table.add_row(name, *cells, style=None if all(r["agrees"] for r in by_length.values()) else "bold red")
        if cell is _median:
            table.add_row("operations", *(str(next(r for r in rows if r["nv"] == n)["operations"]) for n in links))
        console.print(table)
    build = figures["build"]
    if build:
        console.print(
            f"chain of {build['links']} links: derived in {build['derive_s']:.1f} s, "
            f"compiled in {build['compile_s']:.1f} s",
            soft_wrap=True,
        )
    _print_foot(console, figures)


def _median(row: Record) -> str:
    return duration(row["median_ns"])


def _ratio(row: Record) -> str:
    return "" if row["ratio"] is None else f"{row['ratio']:.2f}"


def plot_chains(figures: Record, path: Path) -> None:
    """Least time of an evaluation against the number of links, both axes logarithmic, and the fitted exponents."""
    from matplotlib import colormaps
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 5.0), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    rows = figures["results"]
    colors = dict(zip(_names(rows), colormaps["tab20"].colors, strict=False))  # type: ignore[attr-defined]
    for (key, name), color in colors.items():
        points = [row for row in rows if row["contender"] == key]
        exponent = figures["exponents"].get(key)
        label = name if exponent is None else f"{name}: exponent {exponent:.2f}"
        x, y = [row["nv"] for row in points], [row["least_ns"] / 1e3 for row in points]
        style = "o-" if key.startswith("native") else "s--"
        axes.loglog(x, y, style, color=color, label=label, markersize=4, linewidth=1.4)
    links = sorted({row["nv"] for row in rows})
    axes.set_xticks(links, [str(n) for n in links])
    axes.minorticks_off()
    axes.set_xlabel("links")
    axes.set_ylabel("time of one evaluation, least [us]")
    axes.set_title(
        f"Forward dynamics of chains, {figures['machine']['processor']}, {figures['date'][:10]}", fontsize=10
    )
    axes.grid(True, which="major", alpha=0.3)
    figure.legend(fontsize=7, loc="outside right upper")
    save_figure(figure, path)


def _names(rows: Sequence[Record]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((row["contender"], row["name"]) for row in rows))


def print_cranes(console: Console, figures: Record) -> None:
    """The crane side by side, and how its cost grows."""
    from rich.table import Table

    print_rows(console, figures)
    table = Table(title="Cranes whose lengths all vary")
    for head in ("links", "coordinates", "operations", "build", "one call"):
        table.add_column(head, justify="right")
    for row in figures["scaling"]:
        cells = (str(row["links"]), str(row["coordinates"]), str(row["operations"]), f"{row['build_s']:.2f} s")
        table.add_row(*cells, duration(row["median_ns"]))
    console.print(table)


def print_rollouts(console: Console, figures: Record) -> None:
    """Steps per second of many members, a table for each machine."""
    from rich.table import Table

    for name in dict.fromkeys(row["case"] for row in figures["results"]):
        rows = [row for row in figures["results"] if row["case"] == name]
        table = Table(title=rows[0]["title"])
        for head in ("", "members", "steps per second", "of single runs", "difference"):
            table.add_column(head, justify="left" if not head else "right")
        for row in rows:
            cells = (row["name"], str(row["members"]), f"{row['steps_per_second']:.3g}", f"{row['speed']:.3g}")
            style = "red" if row["agrees"] is False else ""
            table.add_row(*cells, f"{row['difference']:.0e}", style=style)
        console.print(table)
    for row in figures["skipped"]:
        console.print(f"{row['case']}: without {row['contender']}: {row['reason']}", style="dim")


def print_studio(console: Console, figures: Record) -> None:
    """Frames per second, and the script's time of each."""
    from rich.table import Table

    settings = figures["settings"]
    table = Table(title=f"Player at {settings['width']} x {settings['height']}, WebGL by {settings['webgl']}")
    for head in ("scene", "coordinates", "bodies", "frames/s", "script", "processor", "film"):
        table.add_column(head, justify="left" if head == "scene" else "right")
    for row in figures["results"]:
        counts = (row["scene"], str(row["coordinates"]), str(row["bodies"]), f"{row['frames_per_second']:.0f}")
        busy = row["processor_ms_per_frame"]
        costs = (f"{row['script_ms_per_frame']:.2f} ms", f"{busy:.0f} ms" if busy else "", f"{row['film_kb']:.0f} kB")
        table.add_row(*counts, *costs)
    console.print(table)


def print_cable_robot(console: Console, figures: Record) -> None:
    """Methods, engines and the paper's speed: one table each, with the columns that their rows have."""
    from rich.table import Table

    titles = {"methods": "Methods that keep the constraints", "peers": "Engines", "paper": "The paper's method"}
    for key, title in titles.items():
        rows = figures[key]
        if not rows:
            continue
        table = Table(title=title)
        heads = list(dict.fromkeys(name for row in rows for name in row))
        for head in heads:
            table.add_column(head, justify="left" if isinstance(rows[0].get(head), str) else "right")
        for row in rows:
            cells = [row.get(head, "") for head in heads]
            table.add_row(*(x if isinstance(x, str) else f"{x:.3g}" for x in cells))
        console.print(table)


def print_contact(console: Console, figures: Record) -> None:
    """Steps per second, errors against the converged solution, and speed against real time: one table each."""
    from rich.table import Table

    table = Table(title=f"Contact at a tolerance of {figures['settings']['tolerance']:g}")
    for head in ("case", "engine"):
        table.add_column(head)
    for head in ("step [s]", "steps/s", "relative", "residual", "penetration [m]", "creep [m]"):
        table.add_column(head, justify="right", no_wrap=True)
    for row in figures["results"]:
        numbers = ("" if row[key] is None else f"{row[key]:.1e}" for key in ("residual", "penetration", "creep"))
        pace = f"{row['step']:g}", f"{row['steps_per_second']:,.0f}", f"{row['ratio']:.2f}"
        table.add_row(row["case"], row["engine"], *pace, *numbers)
    console.print(table)
    if figures["errors"]:
        engines = list(dict.fromkeys(row["engine"] for row in figures["errors"]))
        table = Table(title="Base of the quadruped 0.4 s into a sliding drop: error against the converged solution [m]")
        for head in ("step [s]", *engines):
            table.add_column(head, justify="right")
        for step in dict.fromkeys(row["step"] for row in figures["errors"]):
            errors = {row["engine"]: row["error"] for row in figures["errors"] if row["step"] == step}
            table.add_row(f"{step:g}", *(f"{errors[e]:.1e}" if e in errors else "" for e in engines))
        console.print(table)
        console.print("MuJoCo converges to another model of friction: its last error is its floor.")
    for row in figures["real_time"]:
        at = f"a step of {row['step']:g} s" if "step" in row else f"an energy drift of {row['drift']:.0e}"
        console.print(f"{row['case']}: {row['times']:.2g} times real time at {at}")
    for skip in figures["skipped"]:
        console.print(f"{skip['case']}: {skip['reason']}", style="yellow", highlight=False, soft_wrap=True)
    machine, settings = figures["machine"], figures["settings"]
    console.print(
        f"{machine['processor']}, {machine['cores']} cores, load {machine['load']}; the best of "
        f"{settings['repetitions']} repetitions in turns",
        style="dim",
        soft_wrap=True,
    )


def print_flexible_arm(console: Console, figures: Record) -> None:
    """Cost of a call and of a step, one table each."""
    from rich.table import Table

    table = Table(title="One evaluation of an arm with flexible links")
    for head in ("arm", "evaluation"):
        table.add_column(head)
    for head in ("unknowns", "median", "least", "relative", "difference"):
        table.add_column(head, justify="right", no_wrap=True)
    for row in figures["results"]:
        times = (duration(row["median_ns"]), duration(row["least_ns"]))
        cells = (row["title"], row["name"], str(row["unknowns"]), *times, _ratio(row), f"{row['difference']:.0e}")
        table.add_row(*cells, style=None if row["agrees"] else "bold red")
    console.print(table)
    table = Table(title="A free run")
    for head in ("arm", "engine"):
        table.add_column(head)
    for head in ("step", "one step", "relative", "real time", "error [m]"):
        table.add_column(head, justify="right", no_wrap=True)
    for row in figures["runs"]:
        start = (row["title"], row["engine"], f"{row['step']:g} s")
        if "reason" in row:
            table.add_row(*start, "skipped", style="dim")
            continue
        pace = (f"{row['step_us']:.1f} us", f"{row['ratio']:.1f}", f"{row['real_time']:.3g}x", f"{row['error']:.0e}")
        table.add_row(*start, *pace)
    console.print(table)
    _print_foot(console, figures)


def print_fmu(console: Console, figures: Record) -> None:
    """Times of a run, relative to that of the native loop."""
    from rich.table import Table

    table = Table(title="A run: here, and as an FMU that a program in C steps")
    for head in ("machine", "by"):
        table.add_column(head)
    for head in ("median", "least", "relative", "difference"):
        table.add_column(head, justify="right", no_wrap=True)
    for row in figures["results"]:
        times = (f"{row['median_ms']:.2f} ms", f"{row['least_ms']:.2f} ms")
        cells = (row["title"], row["name"], *times, _ratio(row), f"{row['difference']:.0e}")
        table.add_row(*cells, style=None if row["agrees"] else "bold red")
    console.print(table)


def print_predictive(console: Console, figures: Record) -> None:
    """Times of samples, of their programmes beside HPIPM and IPOPT, and by vector unit: tables of 80 columns."""
    from rich.table import Table

    rows = figures["results"]
    tables: list[tuple[str, dict[str, Callable[[Record], str]], list[Record]]] = [
        (
            "A sample of a predictive controller",
            {
                "size": lambda r: f"{r['nx']}, {r['nu']}, {r['intervals']}",
                "median": lambda r: f"{r['median_us']:.0f} us",
                "99.9 %": lambda r: f"{r['quantile_us']:.0f} us",
                "iterations": lambda r: f"{r['iterations']:.1f} (most {r['most_iterations']})",
                "build": lambda r: f"{r['build_processor_s']:.1f} s",
            },
            rows,
        ),
        (
            "Programmes with bounds of inputs: here, HPIPM (wheel), IPOPT",
            {
                "here": lambda r: f"{r['programme_us']:.0f} us",
                "HPIPM": lambda r: f"{r['hpipm_us']:.0f} us",
                "apart": lambda r: f"{r['difference']:.0e}",
                "IPOPT": lambda r: f"{r['ipopt_ms']:.0f} ms" if "ipopt_ms" in r else "",
                "interpreted": lambda r: f"{r['ipopt_vm_ms']:.0f} ms" if "ipopt_vm_ms" in r else "",
            },
            [row for row in rows if "hpipm_us" in row],
        ),
        (
            "Exported controllers by vector unit, scalar tapes",
            {unit: partial(_unit_time, unit) for row in rows[:1] for unit in row.get("processors", {})},
            [row for row in rows if row.get("processors")],
        ),
    ]
    for title, cells, shown in tables:
        if not shown:
            continue
        table = Table(title=title, title_justify="left")
        table.add_column("machine", no_wrap=True)
        for head in cells:
            table.add_column(head, justify="right", no_wrap=True)
        for row in shown:
            style = None if row["agrees"] else "bold red"
            table.add_row(row["title"], *(cell(row) for cell in cells.values()), style=style)
        console.print(table)
    console.print(
        "size: states, inputs, intervals; build: processor time; apart: largest difference of inputs from HPIPM's, "
        "as a part of their range; IPOPT: the whole nonlinear programme once, with compiled and with interpreted tapes",
        style="dim", highlight=False, soft_wrap=True,
    )  # fmt: skip
    udp = figures["udp"]
    console.print(
        f"exported controller over UDP: {udp['periods']} periods of {udp['period_us']:.0f} us, {udp['missed']} missed, "
        f"{udp['late']} samples late (longest {udp['longest_us']:.0f} us), {udp['overruns']} overruns of the loop",
        highlight=False, soft_wrap=True,
    )  # fmt: skip


def _unit_time(unit: str, row: Record) -> str:
    return f"{row['processors'][unit]:.0f} us"


def print_wasm(console: Console, figures: Record) -> None:
    """Steps per second in a page and natively."""
    from rich.table import Table

    table = Table(title="A run in a page (WebAssembly, chromium) and the native run")
    table.add_column("machine")
    for head in ("steps/s, native", "steps/s, page", "times real time", "relative", "difference", "page"):
        table.add_column(head, justify="right", no_wrap=True)
    for row in figures["results"]:
        speeds = (f"{row['native_steps_per_second']:.3g}", f"{row['page_steps_per_second']:.3g}")
        real = f"{row['page_times_real_time']:.3g}"
        table.add_row(
            row["machine"], *speeds, real, _ratio(row), f"{row['difference']:.0e}", f"{row['page_kb']:.0f} kB"
        )
    console.print(table)
