"""Settings of the documentation. `make docs` builds it; a warning is an error."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from importlib.resources import files
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.inspect import TypeAliasForwardRef

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE)]

from api_pages import api_pages  # noqa: E402
from live_machines import live_tutorials, tutorial_experiment  # noqa: E402

import dalembert  # noqa: E402
from dalembert.compile import find_zig  # noqa: E402
from dalembert.io.key_pages import key_pages  # noqa: E402
from dalembert.systems import SYSTEMS  # noqa: E402

project = "dalembert"
author = "The dalembert developers"
copyright = "The dalembert developers, Apache-2.0"
version = release = dalembert.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"dalembert {release}"

# Machines that simulate in these pages: `write_live_machine` and `write_gallery` fill the folder.
LIVE = HERE / "_generated" / "live_pages"
LIVE.mkdir(parents=True, exist_ok=True)
html_extra_path = [str(LIVE)]

# MathJax is one file among the pages: formulas show without a network.
_mathjax = files("sphinx-mathjax-offline") / "static" / "mathjax" / "tex-svg.js"
html_static_path = [str(_mathjax), "_static"]
mathjax_path = _mathjax.name

# Machines of the gallery that a reader opens by a button in their pictures.
GALLERY = (
    *("double-pendulum", "six-axis-arm", "spatial-crane", "two-cable-crane", "planar-flexible-arm", "mda-arm"),
    *("space-chaser", "delta-robot", "pulley-robot", "eight-cable-robot", "bouncing-ball", "newtons-cradle"),
    *("chain-in-circle", "quadruped"),
)
TUTORIALS = live_tutorials()
if find_zig() is None:
    GALLERY, TUTORIALS = (), {}  # without the ziglang wheel the pictures stay pictures
html_css_files = ["live.css"]
html_js_files = [("live.js", {"data-machines": " ".join([*GALLERY, *TUTORIALS])})]

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

default_role = "py:obj"
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
# Sphinx prints an alias inside of a union as the call that makes it.
TypeAliasForwardRef.__repr__ = lambda alias: alias.name  # type: ignore[method-assign]
# Aliases keep their names in signatures instead of what they stand for.
autodoc_type_aliases = {
    name: name
    for name in (
        "Array",
        "ArrayLike",
        "Backend",
        "Expression",
        "ExpressionLike",
        "Parameters",
        "PoseReference",
        "Positions",
        "Reference",
        "Runnable",
        "Scalar",
        "StateLike",
        "Terms",
        "Time",
        "Vector",
    )
}
napoleon_google_docstring = False
napoleon_attr_annotations = False
napoleon_use_rtype = False
python_maximum_signature_line_length = 100
# One name may live in several rooms (a class and the port it fulfils): its short form stays plain text.
suppress_warnings = ["ref.python"]


def write_pages(folder: Path, pages: dict[str, str]) -> None:
    """Write the pages of a folder of Markdown and remove all others of it."""
    for old in folder.rglob("*.md"):
        if str(old.relative_to(folder).with_suffix("")) not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        # An unchanged page keeps its date, so that a second build is short.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def write_reference(app: Sphinx) -> None:
    """Write the reference of machine files and the API reference."""
    for old in (HERE / "_generated").glob("*.md"):
        old.unlink()
    write_pages(HERE / "_generated" / "keys", key_pages())
    write_pages(HERE / "_generated" / "api", api_pages())


def write_live_machine(app: Sphinx) -> None:
    """Run the code of the landing page in the folder of live pages: it writes the page that is shown below it."""
    text = (HERE / "index.md").read_text(encoding="utf-8")
    code = "".join(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S))
    folder = LIVE / "live"
    folder.mkdir(exist_ok=True)
    with contextlib.chdir(folder), open(os.devnull, "w") as screen, contextlib.redirect_stdout(screen):
        exec(compile(code, "index.md", "exec"), {"__name__": "__main__"})


def write_gallery(app: Sphinx) -> None:
    """Write the pages of the machines of the gallery."""
    folder = LIVE / "live"
    folder.mkdir(exist_ok=True)
    for name in GALLERY:
        dalembert.share(SYSTEMS[name].experiment(), folder / f"{name}.html")


def write_tutorials(app: Sphinx) -> None:
    """Write the pages of the machines of the tutorials."""
    for name, path in TUTORIALS.items():
        dalembert.share(tutorial_experiment(path), LIVE / "live" / f"{name}.html")


def setup(app: Sphinx) -> None:
    """Register the writers of the reference pages and of the machines that simulate."""
    app.connect("builder-inited", write_reference)
    app.connect("builder-inited", write_live_machine)
    app.connect("builder-inited", write_gallery)
    app.connect("builder-inited", write_tutorials)
