"""Settings of the documentation. `make docs` builds it; a warning is an error."""

from __future__ import annotations

import contextlib
import importlib
import os
import pkgutil
import re
import sys
from importlib.resources import files
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "src"))

import dalembert  # noqa: E402
from dalembert.io.key_pages import key_pages  # noqa: E402

project = "dalembert"
author = "The dalembert developers"
copyright = "The dalembert developers, Apache-2.0"
version = release = dalembert.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"dalembert {release}"

# Machines that move on the landing page: `write_live_machine` fills the folder.
LIVE = HERE / "_generated" / "live_pages"
LIVE.mkdir(parents=True, exist_ok=True)
html_extra_path = [str(LIVE)]

# MathJax is one file among the pages: formulas show without a network.
_mathjax = files("sphinx-mathjax-offline") / "static" / "mathjax" / "tex-svg.js"
html_static_path = [str(_mathjax)]
mathjax_path = _mathjax.name

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

default_role = "py:obj"
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
napoleon_google_docstring = False
napoleon_attr_annotations = False
napoleon_use_rtype = False
python_maximum_signature_line_length = 100
# One name may live in several rooms (a class and the port it fulfils): its short form stays plain text.
suppress_warnings = ["ref.python"]

PUBLIC = ["dalembert", *(f"dalembert.{m.name}" for m in pkgutil.iter_modules(dalembert.__path__) if m.ispkg)]


def face_page(name: str) -> str | None:
    """The page of a package with the names that it exports; None if it exports none."""
    package = importlib.import_module(name)
    exported = [n for n in getattr(package, "__all__", ()) if not n.startswith("__")]
    above = [] if package is dalembert else [n for n in exported if getattr(dalembert, n, None) is getattr(package, n)]
    own = [n for n in exported if n not in above]
    if not exported or name == "dalembert.cli":
        return None
    page = f"# {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n"
    if own:
        page += f"   :members: {', '.join(own)}\n"
    page += "```\n"
    if above:
        page += f"\nAlso here: {', '.join(f'{{py:obj}}`dalembert.{n}`' for n in above)}.\n"
    return page


def write_pages(folder: Path, pages: dict[str, str]) -> None:
    """Write the pages of a folder of Markdown and remove all others of it."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        if old.stem not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / f"{name}.md"
        # An unchanged page keeps its date, so that a second build is short.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def write_reference(app: Sphinx) -> None:
    """Write the reference of machine files, one reference page per package, and their index."""
    write_pages(HERE / "_generated" / "keys", key_pages())
    pages = {name.removeprefix("dalembert."): page for name in PUBLIC if (page := face_page(name)) is not None}
    listing = "\n".join(pages)
    pages["index"] = (
        "# Reference\n\nThe names that `dalembert` and its rooms export. Modules below may be moved at any time.\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{listing}\n```\n"
    )
    write_pages(HERE / "_generated", pages)


def write_live_machine(app: Sphinx) -> None:
    """Run the code of the landing page in the folder of live pages: it writes the page that is shown below it."""
    text = (HERE / "index.md").read_text(encoding="utf-8")
    code = "".join(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S))
    folder = LIVE / "live"
    folder.mkdir(exist_ok=True)
    with contextlib.chdir(folder), open(os.devnull, "w") as screen, contextlib.redirect_stdout(screen):
        exec(compile(code, "index.md", "exec"), {"__name__": "__main__"})


def setup(app: Sphinx) -> None:
    """Register the writers of the reference pages and of the live machine."""
    app.connect("builder-inited", write_reference)
    app.connect("builder-inited", write_live_machine)
