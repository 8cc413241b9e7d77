"""Settings of the documentation. `make docs` builds it; a warning is an error."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from importlib.resources import files
from pathlib import Path
from types import ModuleType

from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "src"))

import dalembert  # noqa: E402

project = "dalembert"
author = "The dalembert developers"
copyright = "The dalembert developers, Apache-2.0"
version = release = dalembert.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"dalembert {release}"

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

# From the public face down to the foundation.
ROOMS = (
    "api",
    "cli",
    "studies",
    "benchmarks",
    "campaign",
    "view",
    "systems",
    "io",
    "simulate",
    "control",
    "plan",
    "formulations",
    "compile",
    "model",
    "spatial",
    "core",
)


def is_private(module: str) -> bool:
    """Whether any part of a dotted name starts with an underscore."""
    return any(part.startswith("_") for part in module.split("."))


def exported_here(module: ModuleType) -> list[str]:
    """Names that a module exports and that no other documented module defines."""
    names = []
    for name in getattr(module, "__all__", ()):
        home = getattr(inspect.unwrap(getattr(module, name)), "__module__", module.__name__)
        if home == module.__name__ or is_private(home):
            names.append(name)
    return names


def section(module: ModuleType, *, nested: bool) -> str:
    """The documentation of one module."""
    title = f"## {module.__name__}\n\n" if nested else ""
    members = ", ".join(exported_here(module))
    option = f":members: {members}\n" if members else ""
    return f"{title}```{{eval-rst}}\n.. automodule:: {module.__name__}\n   {option}```\n"


def room_page(room: str) -> str | None:
    """The page of one room, with each public module of it; None while the room does not exist."""
    try:
        package = importlib.import_module(f"dalembert.{room}")
    except ModuleNotFoundError as error:
        if error.name != f"dalembert.{room}":
            raise
        return None
    if getattr(package, "__file__", None) is None:  # an empty folder
        return None
    paths = getattr(package, "__path__", [])
    found = sorted(info.name for info in pkgutil.walk_packages(paths, prefix=f"dalembert.{room}."))
    modules = [importlib.import_module(name) for name in found if not is_private(name)]
    sections = [section(package, nested=False), *(section(module, nested=True) for module in modules)]
    return f"# {room}\n\n" + "\n".join(sections)


def write_reference(app: Sphinx) -> None:
    """Write one reference page per room that exists, and their index."""
    folder = HERE / "_generated"
    folder.mkdir(exist_ok=True)
    pages = {room: page for room in ROOMS if (page := room_page(room)) is not None}
    listing = "\n".join(pages)
    pages["index"] = (
        "# Reference\n\nOne page per room of the package, from the public face down to the foundation.\n"
        f"A room imports only from the rooms below it.\n\n```{{toctree}}\n:maxdepth: 1\n\n{listing}\n```\n"
    )
    for old in folder.glob("*.md"):
        if old.stem not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / f"{name}.md"
        # An unchanged page keeps its date, so that a second build is short.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def leave_out_missing(app: Sphinx, page: str, source: list[str]) -> None:
    """Drop from the index the pages of capabilities that are not there yet."""
    if page == "index":
        names = re.compile(r"^(\w+)\n", re.M)
        source[0] = names.sub(lambda m: m[0] if (HERE / f"{m[1]}.md").exists() else "", source[0])


def setup(app: Sphinx) -> None:
    """Register the writer of the reference pages, and what the index leaves out."""
    app.connect("builder-inited", write_reference)
    app.connect("source-read", leave_out_missing)
