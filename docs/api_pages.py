"""The API reference as pages of Markdown: one page per class, function or constant, grouped by purpose.

Groups follow from the modules that names come from, so that a new name finds its group by itself. A page shows the
signature, the docstring, an example and the pages of the documentation that use the name. The example is that of the
docstring; without one, the shortest code block of a page that uses the name. All of them run as tests. The page of a
class that others return or hold leads to these.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, get_origin

import dalembert

__all__ = ["api_pages", "example", "public_names", "returned_by"]

DOCS = Path(__file__).resolve().parent

# Names of dalembert itself: purpose, and the modules that they come from; the first rule that fits counts.
GROUPS: list[tuple[str, str, tuple[str, ...]]] = [
    ("machines", "Describe a machine", ("model.machine", "model.body", "model.joint", "model.parts", "model.transform",
                                        "model.appendages", "model.signals", "loop.join")),
    ("parameters", "Parameters and expressions", ("core.parameter",)),
    ("flexible", "Flexible bodies", ("model.beam", "model.section", "model.shapes")),
    ("cables", "Cables and ropes", ("model.cables", "model.ropes")),
    ("constraints", "Constraints", ("model.constraints",)),
    ("contact", "Geometry and contact", ("model.contacts", "model.geometry")),
    ("machines", "Describe a machine", ("model.",)),
    ("equations", "Derive, verify and linearize equations", ("api.equations", "formulations.", "analysis.")),
    ("methods", "Integration methods", ("simulation.methods",)),
    ("constraint_methods", "Constraint and contact methods", ("engine.methods",)),
    ("many", "Many runs: rollouts, campaigns, identification", ("loop.rollout", "loop.stepper", "campaigns.")),
    ("files", "Read and write files, reports, exports", ("io.", "api.load_run", "view.")),
    ("control", "Control laws and references", ("control.", "plan.", "optimal.", "loop.optimise",
                                                "loop.closed_loop.SampledController")),
    ("simulate", "Simulate", ("api.simulate", "loop.", "simulation.")),
    ("errors", "Errors and warnings", ("core.errors",)),
]  # fmt: skip

# Purposes of the packages, in the order of the index.
PACKAGES = {
    "analysis": "Analyse: modes, equilibria, linear models, inverse kinematics",
    "control": "Design controllers",
    "control.structured": "Tune structured controllers",
    "control.mu": "Structured singular values",
    "control.uncertain": "Uncertain models",
    "control.varying": "Proofs for parameters that vary",
    "plan": "Plan motions: references, shaping, capture",
    "optimal": "Optimal control: costs, limits, plans",
    "campaigns": "Campaigns, stores, environments, sensitivities",
    "view": "Plot, animate, report",
    "systems": "Ready-made machines",
    "io": "Files and other engines",
    "simulation": "Integrate over time",
    "loop": "Compose closed loops",
    "formulations": "Formulations and their contract",
    "compile": "Compile native code",
    "model": "Kinds of parts",
    "spatial": "Rotations, inertia, DH tables",
    "studies": "Published results",
    "benchmarks": "Measure speed",
}


def public_names() -> dict[str, list[str]]:
    """Public names by package, each once: in `dalembert`, or in the package that holds its module."""
    found: dict[str, list[str]] = {}
    internal = ("cli", "collide", "core", "engine")
    rooms = [m.name for m in pkgutil.iter_modules(dalembert.__path__) if m.ispkg and m.name not in internal]
    below = [f"systems.{room}" for room in getattr(dalembert.systems, "_ROOMS", ())]
    below += ["control.structured", "control.mu", "control.uncertain", "control.varying"]
    for name in ("", *rooms, *below):
        package = importlib.import_module(f"dalembert.{name}".rstrip("."))
        exported = [n for n in getattr(package, "__all__", ()) if not n.startswith("__")]
        found[name] = [n for n in exported if not isinstance(getattr(package, n), ModuleType)]
        if name:
            found[name] = [n for n in found[name] if getattr(dalembert, n, None) is not getattr(package, n)]
    for name, names in found.items():
        found[name] = [n for n in names if not name or not _elsewhere(name, n, found)]
    return {name: names for name, names in found.items() if names}


def _elsewhere(package: str, name: str, found: Mapping[str, list[str]]) -> bool:
    """Whether another package lists a name that both export, and holds its module."""
    home = str(getattr(_get(f"dalembert.{package}", name), "__module__", "")).removeprefix("dalembert.")
    return not home.startswith(package) and any(
        other and home.startswith(f"{other}.") and name in names for other, names in found.items() if other != package
    )


def api_pages() -> dict[str, str]:
    """Return the pages by path below their folder: ``index``, ``GROUP/index`` and ``GROUP/NAME``."""
    titles: dict[str, str] = {}
    members: dict[str, set[tuple[str, str]]] = {}
    for package, names in public_names().items():
        for name in names:
            key, title = _group(package, name)
            titles.setdefault(key, title)
            members.setdefault(key, set()).add((f"dalembert.{package}".rstrip("."), name))
    order = [key for key, *_ in GROUPS] + [name.replace(".", "_") for name in PACKAGES]
    keys = sorted(titles, key=lambda key: order.index(key) if key in order else len(order))
    uses, sources, pages, rows = _uses(), returned_by(), {}, []
    for key in keys:
        listed = sorted(members[key], key=lambda pair: pair[1].lower())
        files = _files([name for _, name in listed])
        table = [f"| [`{name}`]({files[name]}.md) | {_summary(_get(package, name))} |" for package, name in listed]
        head = f"# {titles[key]}\n\n| name | |\n| --- | --- |\n"
        pages[f"{key}/index"] = head + "\n".join(table) + "\n"
        back = f"[{titles[key]}](index.md)"
        pages |= {f"{key}/{files[name]}": _page(package, name, uses, sources, back) for package, name in listed}
        some = ", ".join(name for _, name in listed[:8]) + (", ..." if len(listed) > 8 else "")
        rows.append(f"| [{titles[key]}]({key}/index.md) | {some} |")
    introduction = (
        "# API reference\n\nEach public class and function has a page. Import the names of the first groups from "
        "`dalembert` and the others from the package on their page. Modules below the packages may move.\n\n"
        "| purpose | names |\n| --- | --- |\n"
    )
    pages["index"] = introduction + "\n".join(rows) + _contents(f"{key}/index" for key in keys)
    return pages


def _contents(names: Iterable[str]) -> str:
    return "\n\n```{toctree}\n:maxdepth: 1\n:hidden:\n\n" + "\n".join(names) + "\n```\n"


def _files(names: list[str]) -> dict[str, str]:
    """File of each name: `Box` and `box` need different files where the case of letters does not count."""
    lower = [name.lower() for name in names]
    return {n: f"{n}_function" if lower.count(n.lower()) > 1 and not n[0].isupper() else n for n in names}


def _group(package: str, name: str) -> tuple[str, str]:
    if package:
        title = PACKAGES.get(package) or f"Ready-made machines: {package.partition('.')[2].replace('_', ' ')}"
        return package.replace(".", "_"), title
    home = f"{dalembert._LATER.get(name, 'dalembert.core')}.{name}".removeprefix("dalembert.")
    for key, title, starts in GROUPS:
        if any(home.startswith(start) for start in starts):
            return key, title
    return "simulate", "Simulate"


def _get(package: str, name: str) -> Any:
    return getattr(importlib.import_module(package), name)


def _summary(thing: Any) -> str:
    if get_origin(thing) is not None:  # an alias of a type: its docstring is that of a built-in class
        return "Type " + _literal(re.sub(r"typing\.|dalembert\.[a-z_.]*", "", str(thing)), 80).replace("|", r"\|")
    if not callable(thing):
        return _value(thing).replace("``", "`").replace("|", r"\|")
    text = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    return re.sub(r"`+([^`]+)`+", r"`\1`", text).replace("|", r"\|")


def returned_by() -> dict[str, list[str]]:
    """Public functions, methods and classes that return or hold an object of a class, by the name of the class."""
    found: dict[str, set[str]] = {}
    for package, names in public_names().items():
        for name in names:
            thing = _get(f"dalembert.{package}".rstrip("."), name)
            for label, annotation in _annotations(name, thing):
                for word in re.findall(r"\b[A-Z]\w+\b", annotation):
                    if word != name:
                        found.setdefault(word, set()).add(label)
    return {word: sorted(labels) for word, labels in found.items()}


def _annotations(name: str, thing: Any) -> Iterable[tuple[str, str]]:
    """Label and type of what a function returns, or of fields, properties and methods of a class."""
    if not inspect.isclass(thing):
        yield name, str(getattr(thing, "__annotations__", {}).get("return", ""))
        return
    for key, member in vars(thing).items():
        function = getattr(member, "fget", None) or getattr(member, "func", member)  # of properties, cached or not
        if not key.startswith("_") and inspect.isfunction(function):
            yield f"{name}.{key}", str(function.__annotations__.get("return", ""))
    for key, annotation in getattr(thing, "__annotations__", {}).items():
        if not key.startswith("_"):
            yield f"{name}.{key}", str(annotation)


def example(thing: Any, name: str, uses: dict[str, list[str]]) -> str:
    """Block of a page that shows a name whose docstring has no example; empty: there is none."""
    if ">>>" in (inspect.getdoc(thing) or ""):
        return ""
    word = re.compile(rf"\b{name}\b")
    blocks = [(block, page) for page in uses.get(name, ()) for block in _blocks(page) if word.search(block)]
    if not blocks:
        return ""
    block, page = min(blocks, key=lambda pair: len(pair[0]))
    return f"\nFrom the page [{Path(page).stem.replace('_', ' ')}](../../../{page}):\n\n```python\n{block}```\n"


def _page(package: str, name: str, uses: dict[str, list[str]], sources: dict[str, list[str]], back: str) -> str:
    """Page of a name; tables of groups lead to it, not the navigation, which every page would repeat."""
    thing = _get(package, name)
    if inspect.isclass(thing):
        directive = f".. autoclass:: {package}.{name}\n   :members:\n"
    elif inspect.isroutine(thing) or hasattr(thing, "__wrapped__"):
        directive = f".. autofunction:: {package}.{name}\n"
    else:
        directive = f".. py:data:: {package}.{name}\n\n   {_value(thing)}\n"
    page = f"---\norphan: true\n---\n\n# {name}\n\n{back}\n\n```{{eval-rst}}\n{directive}```\n"
    if inspect.isclass(thing) and (labels := sources.get(name)):
        more = ", ..." if len(labels) > 6 else ""
        page += f"\nReturned by or part of: {', '.join(f'`{label}`' for label in labels[:6])}{more}.\n"
    page += example(thing, name, uses)
    if pages := uses.get(name):
        links = ", ".join(f"[{Path(path).stem.replace('_', ' ')}](../../../{path})" for path in pages[:6])
        page += f"\nPages that use it: {links}.\n"
    return page


def _value(thing: Any) -> str:
    """A constant in a line: its keys or entries; autodoc would show the docstring of its type."""
    if isinstance(thing, Mapping | list | tuple | set | frozenset):
        kind = "Mapping with the keys" if isinstance(thing, Mapping) else "Entries:"
        return f"{kind} {', '.join(_literal(x, 40) for x in list(thing)[:30])}."
    return _literal(thing, 80)


def _literal(thing: Any, length: int) -> str:
    """A value on one line, at most ``length`` characters of it."""
    return f"``{' '.join(str(thing).replace('`', '').split())[:length].strip()}``"


def _uses() -> dict[str, list[str]]:
    """Pages whose Python blocks use a name, by name."""
    found: dict[str, list[str]] = {}
    for page in [*sorted(DOCS.glob("*.md")), *sorted((DOCS / "tutorials").glob("*.md"))]:
        path = str(page.relative_to(DOCS))
        for name in sorted(set(re.findall(r"\b[A-Za-z_]\w+\b", " ".join(_blocks(path))))):
            found.setdefault(name, []).append(path)
    return found


@cache
def _blocks(page: str) -> list[str]:
    """Python blocks of a page."""
    return re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.M | re.S)
