"""Pictures and reports of campaigns."""

from __future__ import annotations

import base64
import html
import io
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.files import target_file, write_file
from dalembert.view.plots import picture_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from dalembert.campaigns import Campaign

__all__ = ["plot_parallel", "plot_scatter", "write_report"]

_MOST = 5000  # points and lines that can still be distinguished, and that a browser can still draw


def _rows(campaign: Campaign, measure: str) -> DataFrame:
    table = campaign.table
    if measure not in table.columns:
        raise InputError(f"there is no measure {measure!r}; measures: {', '.join(campaign.measures)}")
    good = table[np.isfinite(table[measure].to_numpy(dtype=float))]
    if not len(good):
        raise InputError(f"no member has a value of {measure!r}")
    return good.iloc[:: max(1, len(good) // _MOST)]


def _saved(figure: Figure, path: str | os.PathLike[str] | None) -> Figure:
    if path is not None:
        target = picture_file(path)
        buffer = io.BytesIO()
        figure.savefig(buffer, format=target.suffix[1:], dpi=120)
        write_file(target, buffer.getvalue())
    return figure


def plot_scatter(campaign: Campaign, measure: str, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw a measure over each quantity that varies, and how it is distributed."""
    from matplotlib.figure import Figure

    rows, names = _rows(campaign, measure), campaign.quantities
    columns = math.ceil(math.sqrt(len(names) + 1))
    lines = -(-(len(names) + 1) // columns)
    figure = Figure(figsize=(3.6 * columns, 2.8 * lines), layout="constrained")
    panels = np.atleast_1d(figure.subplots(lines, columns)).ravel()
    for panel, name in zip(panels, names, strict=False):
        panel.plot(rows[name], rows[measure], ".", markersize=2.5, alpha=0.5)
        panel.set_xlabel(name)
        panel.set_ylabel(measure)
    last = panels[len(names)]
    last.hist(rows[measure], bins=min(60, max(10, len(rows) // 20)), color="C1")
    for probability, style in ((0.5, "-"), (0.95, "--")):
        value = float(np.quantile(rows[measure], probability))
        last.axvline(value, color="k", linestyle=style, linewidth=1, label=f"{100 * probability:g} % below {value:.3g}")
    last.set_xlabel(measure)
    last.set_ylabel("members")
    last.legend(fontsize="small", frameon=False)
    for panel in panels[len(names) + 1 :]:
        panel.set_visible(False)
    return _saved(figure, path)


def plot_parallel(campaign: Campaign, measure: str, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw each member as a line through its values and measures, coloured by one of these."""
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

    rows = _rows(campaign, measure)
    rows = rows.iloc[:: max(1, len(rows) // 1000)]
    names = [*campaign.quantities, *(m for m in campaign.measures if m != measure), measure]
    data = rows[names].to_numpy(dtype=float)
    low, high = np.nanmin(data, axis=0), np.nanmax(data, axis=0)
    scaled = (data - low) / np.where(high > low, high - low, 1.0)
    order = np.argsort(data[:, -1])
    segments = [np.column_stack([np.arange(len(names)), scaled[i]]) for i in order]
    figure = Figure(figsize=(max(5.0, 1.6 * len(names)), 4.0), layout="constrained")
    panel = figure.subplots()
    lines = LineCollection(
        segments, cmap=colormaps["viridis"], norm=Normalize(low[-1], high[-1]), linewidths=0.7, alpha=0.6
    )
    lines.set_array(data[order, -1])
    panel.add_collection(lines)
    panel.set_xlim(0, len(names) - 1)
    panel.set_ylim(-0.05, 1.05)
    panel.set_xticks(range(len(names)), [f"{n}\n{a:.3g} to {b:.3g}" for n, a, b in zip(names, low, high, strict=True)])
    panel.set_yticks([])
    for k in range(len(names)):
        panel.axvline(k, color="k", linewidth=0.8)
    figure.colorbar(lines, ax=panel, label=measure)
    return _saved(figure, path)


_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:.5rem 0;font-size:13px}
th,td{padding:.2rem .6rem;border-bottom:1px solid #ddd;text-align:right}
th:first-child,td:first-child{text-align:left}img{max-width:100%}h2{margin-top:2rem}
"""


def _picture(figure: Figure) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100)
    return f'<img alt="" src="data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}">'


def write_report(campaign: Campaign, path: str | os.PathLike[str]) -> Path:
    """Write question, summary, plots, worst cases and failures as one HTML file."""
    target = target_file(path, (".html", ".htm"))
    question, table = campaign.question, campaign.table
    name = html.escape(str(question["what"]))
    parts = [f"<h1>Campaign of {name}</h1>", f"<p>{len(table)} of {len(campaign.values)} members are done.</p>"]
    counts = table["status"].value_counts()
    parts.append("<p>" + ", ".join(f"{count} {html.escape(str(status))}" for status, count in counts.items()) + "</p>")
    vary = "".join(
        f"<tr><td>{html.escape(k)}</td><td>{html.escape(str(v))}</td></tr>" for k, v in question["vary"].items()
    )
    parts.append(
        f"<h2>What varies</h2><p>{html.escape(question['sampling'])}, seed {question['seed']}</p><table>{vary}</table>"
    )
    parts.append("<h2>What was measured</h2>" + campaign.summary().to_html(float_format="%.4g", border=0))
    for measure in campaign.measures:
        if not np.isfinite(table[measure].to_numpy(dtype=float)).any():
            continue
        parts.append(f"<h2>{html.escape(measure)}</h2>{_picture(plot_scatter(campaign, measure))}")
        parts.append(_picture(plot_parallel(campaign, measure)))
        parts.append("<h3>Largest</h3>" + campaign.worst(measure).to_html(float_format="%.6g", border=0))
    failures = campaign.failures()
    if len(failures):
        shown = failures.head(50)
        parts.append(f"<h2>Failures ({len(failures)})</h2>" + shown.to_html(float_format="%.6g", border=0))
    foot = f"<p>dalembert {html.escape(question['version'])}</p>"
    page = (
        '<!doctype html><html lang=en><meta charset=utf-8><meta name="generator" content="dalembert">'
        f"<title>Campaign of {name}</title><style>{_STYLE}</style>"
    )
    return write_file(target, page + "\n".join(parts) + foot + "</html>\n")
