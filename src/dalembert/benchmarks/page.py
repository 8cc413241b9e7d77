"""The pages of speed, written from the files of ``dalembert bench --out``.

``python -m dalembert.benchmarks.page`` reads ``benchmarks/results`` and writes ``docs/speed.md``,
``docs/speed_machines.md`` and ``docs/speed_runs.md``. Each figure is the newest one, with a letter for its run. A test
compares the pages with the output of this module.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dalembert.benchmarks.cases import QUANTITIES
from dalembert.benchmarks.measure import Record
from dalembert.benchmarks.report import duration
from dalembert.core.errors import FileFormatError

__all__ = ["read_results", "speed_pages"]

_HEAD = """# {title}

`python -m dalembert.benchmarks.page` writes this page from the files in `benchmarks/results`, the output of
`dalembert bench --out`. Each figure is the newest one. The page [Benchmarks](benchmarks.md) names the contenders, the
method of measurement and the limits. See also {others}.

Times are medians. The number in brackets is the time relative to one native call of ours within the same repetition.
Compare these ratios: absolute times change with the processor and its load. A letter names the run of a figure; the
runs are listed at the end. Before the bench times a contender, it compares the results with ours.
"""

_TITLES = {
    "speed": "Speed of one evaluation",
    "speed_machines": "Speed by kind of machine",
    "speed_runs": "Speed of simulations",
}


def read_results(folder: Path) -> list[Record]:
    """Return all runs of the bench in a folder, the oldest first, each with the name of its ``file``."""
    records: list[Record] = []
    for path in sorted(folder.glob("*.json")):
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            raise FileFormatError(f"{path}: is not JSON: {error}") from error
        records_of = [data] if "date" in data else [record for topic in data.values() for record in topic]
        records += [{"topic": "gpu", **record, "file": path.name} for record in records_of]
    if not records:
        raise FileFormatError(f"{folder}: holds no results of dalembert bench (*.json)")
    return sorted(records, key=lambda record: str(record["date"]))


@dataclass
class _Runs:
    """Letters of the cited runs, in the order of citation."""

    letters: dict[int, str] = field(default_factory=dict)
    records: list[Record] = field(default_factory=list)

    def letter(self, record: Record) -> str:
        if id(record) not in self.letters:
            self.letters[id(record)] = chr(ord("a") + len(self.records))
            self.records.append(record)
        return self.letters[id(record)]

    def listed(self) -> str:
        lines = ["| run | date | command | computer | load at its start | file |", "| --- " * 6 + "|"]
        for record in self.records:
            machine = record.get("machine", {})
            computer = record.get("device") or f"{machine['processor']}, {machine['cores']} cores, {machine['system']}"
            load = "" if not machine else f"{machine['load'][0]:.1f}"
            cells = (self.letters[id(record)], str(record["date"])[:10], f"`{record['command']}`", computer, load)
            lines.append(f"| {' | '.join(cells)} | `{record['file']}` |")
        return "\n".join(lines) + "\n"


def speed_pages(records: Sequence[Record]) -> dict[str, str]:
    """Return the pages of speed as Markdown, by the names of their files.

    Parameters
    ----------
    records
        Runs of the bench, the oldest first (`read_results`).
    """
    topics: dict[str, dict[str, Callable[[Sequence[Record], _Runs], str]]] = {
        "speed": {"arms": _arms, "chains": _chains},
        "speed_machines": {
            "crane": _cranes, "flexible-arm": _flexible, "cable-robot": _cables, "contact": _contact,
        },
        "speed_runs": {
            "rollouts": _rollouts, "single-runs": _single, "fmu": _fmus, "gpu": _gpu, "studio": _studio,
        },
    }  # fmt: skip
    return {name: _page(name, records, writers) for name, writers in topics.items()}


def _page(name: str, records: Sequence[Record], writers: dict[str, Callable[[Sequence[Record], _Runs], str]]) -> str:
    others = " and ".join(f"[{title}]({other}.md)" for other, title in _TITLES.items() if other != name)
    runs, parts = _Runs(), [_HEAD.format(title=_TITLES[name], others=others)]
    for topic, write in writers.items():
        mine = [record for record in records if record["topic"] == topic]
        if mine:
            parts.append(write(mine, runs))
    return "\n".join([*parts, "## Runs\n", runs.listed()])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", "| --- " * len(head) + "|", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines) + "\n"


def _newest(records: Sequence[Record], key: Callable[[Record], Any], table: str = "results") -> dict[Any, Any]:
    """Newest row and its run by key."""
    return {key(row): (row, record) for record in records for row in record.get(table, ())}


def _call(newest: tuple[Any, Record] | None, runs: _Runs) -> str:
    if newest is None:
        return ""
    row, record = newest
    ratio = "" if row["ratio"] is None else f" ({row['ratio']:.2f})"
    return f"{duration(row['median_ns'])}{ratio} {runs.letter(record)}"


def _arms(records: Sequence[Record], runs: _Runs) -> str:
    rows = _newest(records, lambda r: (r["quantity"], r["robot"], r["contender"]))
    heads = {r["robot"]: (r["nv"], r["title"]) for r, _ in rows.values()}
    robots = sorted(heads, key=lambda robot: heads[robot])
    names = {(q, c): r["name"] for (q, _, c), (r, _) in rows.items()}
    text = "## One evaluation: robots\n"
    for quantity, about in QUANTITIES.items():
        mine = {c: name for (q, c), name in names.items() if q == quantity}
        if not mine:
            continue
        lines = [
            [name, *(_call(rows.get((quantity, robot, contender)), runs) for robot in robots)]
            for contender, name in mine.items()
        ]
        lines.append(
            ["operations of our tape"]
            + [next((str(r["operations"]) for (q, b, _), (r, _) in rows.items() if (q, b) == (quantity, robot)), "")
               for robot in robots]
        )  # fmt: skip
        head = [about.title, *(f"{heads[robot][1]} ({heads[robot][0]})" for robot in robots)]
        text += "\n" + _table(head, lines)
    return text


def _chains(records: Sequence[Record], runs: _Runs) -> str:
    record = records[-1]
    rows = {(r["nv"], r["contender"]): (r, record) for r in record["results"]}
    links = sorted({nv for nv, _ in rows})
    names = {r["contender"]: r["name"] for r, _ in rows.values()}
    lines = []
    for contender, name in names.items():
        exponent = record["exponents"].get(contender)
        cells = [_call(rows.get((n, contender)), runs) for n in links]
        lines.append([name, *cells, "" if exponent is None else f"{exponent:.2f}"])
    build = record["build"]
    text = (
        f"\nA chain of {build['links']} links ({build['operations']} operations) is derived in "
        f"{build['derive_s']:.1f} s and compiled in {build['compile_s']:.1f} s.\n"
    )
    head = ["forward dynamics, links", *map(str, links), "exponent"]
    return f"## One evaluation: chains\n\n{_table(head, lines)}{text}"


def _cranes(records: Sequence[Record], runs: _Runs) -> str:
    record = records[-1]
    cases = {r["robot"]: r["title"] for r in record["results"]}
    text = "## Cranes\n"
    for case, title in cases.items():
        rows = [r for r in record["results"] if r["robot"] == case]
        text += "\n" + _table([title, "median (relative)"], [[r["name"], _call((r, record), runs)] for r in rows])
    lines = [
        [
            str(r["links"]),
            str(r["coordinates"]),
            str(r["operations"]),
            f"{r['build_s']:.1f} s",
            duration(r["median_ns"]),
        ]
        for r in record["scaling"]
    ]
    return text + "\nAll lengths vary:\n\n" + _table(["links", "coordinates", "operations", "build", "one call"], lines)


def _flexible(records: Sequence[Record], runs: _Runs) -> str:
    record = records[-1]
    calls = [
        [r["title"], r["name"], str(r["unknowns"]), _call((r, record), runs), f"{r['difference']:.0e}"]
        for r in record["results"]
    ]
    steps = [
        [r["title"], r["engine"], f"{1e3 * r['step']:g} ms", f"{r['step_us']:.3g} us ({r['ratio']:.3g})",
         f"{r['real_time']:.3g}", f"{r['error']:.1e} m"]
        for r in record["runs"]
    ]  # fmt: skip
    head = ["arm", "engine", "step", "time (relative)", "times real time", "error after 0.5 s"]
    text = "## Flexible arms\n\n" + _table(["arm", "one evaluation", "unknowns", "median", "difference"], calls)
    return f"{text}\n{_table(head, steps)}"


def _cables(records: Sequence[Record], runs: _Runs) -> str:
    record = records[-1]
    letter = runs.letter(record)
    head = ["method", "step or tolerance", "error", "positions", "velocities", "energy", "times real time"]
    methods = [
        [
            r["method"],
            f"{r['step']:g}" if r["method"] == "idas" else f"{1e3 * r['step']:g} ms",
            *(f"{r[k]:.1e}" for k in ("error", "position", "velocity", "energy")),
            f"{r['real_time']:.3g}",
        ]
        for r in record["methods"]
    ]
    peers = [
        [r["engine"], f"{1e3 * r['step']:g} ms", f"{r['error']:.1e}", f"{r['seconds']:.3g} s"] for r in record["peers"]
    ]
    text = (
        f"## Cable robots\n\nBy constraint method: error, violation of the constraints, energy drift ({letter}). "
        f"The adaptive method has a tolerance instead of a step.\n\n{_table(head, methods)}"
    )
    if peers:
        text += f"\nBeside Exudyn ({letter}):\n\n" + _table(["engine", "step", "error", "time"], peers)
    return text


def _contact(records: Sequence[Record], runs: _Runs) -> str:
    record = records[-1]
    numbers = [k for k, v in record["results"][0].items() if isinstance(v, int | float)]
    words = [k for k, v in record["results"][0].items() if isinstance(v, str)]
    lines = [[*(str(r.get(k, "")) for k in words), *(_short(r.get(k)) for k in numbers)] for r in record["results"]]
    return f"## Contact\n\n({runs.letter(record)})\n\n" + _table(
        [k.replace("_", " ") for k in (*words, *numbers)], lines
    )


def _crossed(records: Sequence[Record], cell: Callable[[Record, Record], str]) -> str:
    """Write a table of machines by contenders."""
    rows = _newest(records, lambda r: (r["title"], r["name"]))
    names = list(dict.fromkeys(name for _, name in rows))
    lines = []
    for title in dict.fromkeys(title for title, _ in rows):
        cells = [rows.get((title, name)) for name in names]
        lines.append([title, *("" if one is None else cell(*one) for one in cells)])
    return _table(["", *names], lines)


def _rollouts(records: Sequence[Record], runs: _Runs) -> str:
    return "## Many simulations at once\n\nSteps per second, by RK4 or by time-stepping with contacts:\n\n" + _crossed(
        records, lambda row, record: f"{row['steps_per_second']:.2e} {runs.letter(record)}"
    )


def _single(records: Sequence[Record], runs: _Runs) -> str:
    rows = _newest(records, lambda r: r["title"])
    lines = [[title, f"{r['steps_per_second']:.2e} {runs.letter(record)}"] for title, (r, record) in rows.items()]
    return "## One simulation\n\n" + _table(["", "steps per second"], lines)


def _fmus(records: Sequence[Record], runs: _Runs) -> str:
    return "## FMUs\n\nThe time of a run here, and of a C program that steps the FMU of the machine:\n\n" + _crossed(
        records, lambda row, record: f"{row['median_ms']:.2f} ms ({row['ratio']:.2f}) {runs.letter(record)}"
    )


def _gpu(records: Sequence[Record], runs: _Runs) -> str:
    rows = {}
    for record in records:
        for row in record["rows"]:
            if row.get("resident", "") == "" and "per_second" in row:
                rows[row["what"], row["robot"], row["precision"]] = (row, record)
    kinds = list(dict.fromkeys(precision for _, _, precision in rows))
    lines = []
    for what, robot in dict.fromkeys((what, robot) for what, robot, _ in rows):
        cells = [rows.get((what, robot, kind)) for kind in kinds]
        lines.append(
            [what, robot, *("" if c is None else f"{c[0]['per_second']:.2e} {runs.letter(c[1])}" for c in cells)]
        )
    return "## On a GPU\n\nEvaluations or steps per second:\n\n" + _table(["quantity", "machine", *kinds], lines)


def _studio(records: Sequence[Record], runs: _Runs) -> str:
    record = records[-1]
    keys = list(record["results"][0])
    lines = [[_short(r.get(k)) for k in keys] for r in record["results"]]
    return f"## The player in a browser\n\n({runs.letter(record)})\n\n" + _table(
        [k.replace("_", " ") for k in keys], lines
    )


def _short(x: object) -> str:
    if isinstance(x, bool) or not isinstance(x, int | float):
        return "" if x is None else str(x)
    return "" if math.isnan(x) else f"{x:.3g}"


if __name__ == "__main__":
    source = Path(sys.argv[1] if len(sys.argv) > 1 else "benchmarks/results")
    folder = Path(sys.argv[2] if len(sys.argv) > 2 else "docs")
    for name, text in speed_pages(read_results(source)).items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
