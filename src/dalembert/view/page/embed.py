"""The player in a notebook: an HTML fragment that brings the page with it, once per document."""

from __future__ import annotations

import secrets
from typing import Any

from dalembert.core.errors import InputError
from dalembert.loop.experiment import Experiment, experiment_of
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.view.page.assets import compressed, inline_json
from dalembert.view.page.live import experiment_of_run, pack_live
from dalembert.view.page.packing import pack_machine, pack_run

__all__ = ["Shown", "player_html"]

# The first view of a document unpacks the page; those after it wait for the same promise. All views of a document
# share one WebGL context. Neither < nor ampersands: a fragment may be read as XML.
_LOADER = """
(async () => {
  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  };
  window.dalembertPage ??= (async () => {
    const script = document.createElement("script");
    script.textContent = await unpack("%(script)s");
    document.head.append(script);
    const style = document.createElement("style");
    style.textContent = await unpack("%(style)s");
    document.head.append(style);
  })();
  await window.dalembertPage;
  const data = %(data)s;
  const show = window.dalembert.%(verb)s;
  for (const host of document.querySelectorAll("#%(id)s:not([data-loaded])")) await show(host, data%(options)s);
})();
"""


class Shown:
    """A player for a notebook, which shows itself."""

    def __init__(self, html: str) -> None:
        self._html = html

    def _repr_html_(self) -> str:
        return self._html

    def __repr__(self) -> str:
        return "<player of a run, for a notebook>"


def player_html(shown: Run | Machine | Experiment, *, height: int = 420, live: bool = False) -> str:
    """An HTML fragment with the player of a run, or of a machine that stands still.

    Parameters
    ----------
    shown
        The run or machine; with ``live`` also an experiment.
    height
        Height of the view [pixels]; a machine that simulates takes the height that it needs.
    live
        Whether the machine simulates there, with sliders and plots, as in a page of `dalembert.share`.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.systems.textbook import double_pendulum
    >>> player_html(double_pendulum(), height=300).count("<script") > 0
    True
    """
    if not isinstance(height, int) or not 100 <= height <= 4000:
        raise InputError(f"the height of a player must be 100 to 4000 pixels, got {height!r}")
    name = f"dalembert-{secrets.token_hex(6)}"
    filled: dict[str, str] = {"script": compressed("dalembert.js"), "style": compressed("dalembert.css"), "id": name}
    if live:
        experiment = experiment_of_run(shown) if isinstance(shown, Run) else experiment_of(shown, {})
        data: dict[str, Any] = pack_live(experiment, equations=False)
        filled |= {"verb": "live", "options": ", {part: true}", "data": inline_json(data)}
    elif isinstance(shown, Experiment):
        raise InputError("an experiment is shown with live=True; simulate it to see its run")
    else:
        film = pack_machine(shown) if isinstance(shown, Machine) else pack_run(shown)
        filled |= {"verb": "embed", "options": "", "data": inline_json(film)}
    size = "padding:4px 12px 12px" if live else f"height:{height}px;overflow:hidden"
    frame = f"border:1px solid #dde2e8;border-radius:8px;{size}"
    return f'<div id="{name}" style="{frame}"></div><script>{_LOADER % filled}</script>'
