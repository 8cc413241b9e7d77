"""Users never need a deep path: what the documentation, examples and docstrings name is a public name.

Public are the names that `dalembert` exports (`dalembert.simulate`) and those that a room exports
(`dalembert.control.design_lqr`); the modules below the rooms may be moved at any time.
"""

from __future__ import annotations

import ast
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import dalembert

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
ROOMS = sorted(m.name for m in pkgutil.iter_modules(dalembert.__path__) if m.ispkg)
USER_ROOMS = sorted(set(ROOMS) - {"cli", "core", "engine"})  # a command, and what other rooms stand on
DOCS = ROOT / "docs"
TEXTS = [
    ROOT / "README.md",
    *sorted(DOCS.glob("*.md")),
    *sorted((DOCS / "tutorials").glob("*.md")),
    *sorted((ROOT / "examples").glob("*.py")),
]
LAZY = ("dalembert", "dalembert.control", "dalembert.systems")

_IMPORT = re.compile(r"from (dalembert[\w.]*) import (?:\(([^)]*)\)|([^\n]*))")
_PATH = re.compile(r"(?<!python -m )(?<![\w/.-])dalembert(?:\.[A-Za-z_]\w*)+")


def exported(module: ModuleType) -> set[str]:
    """Names that a package promises."""
    names = set(getattr(module, "__all__", ()))
    return names | set(USER_ROOMS) if module is dalembert else names


def complaint(path: str) -> str | None:
    """Why a dotted path is not public, or None."""
    here: Any = dalembert
    for name in path.split(".")[1:]:
        if isinstance(here, ModuleType) and name not in exported(here):
            return f"{path}: {here.__name__} does not export {name}"
        if not hasattr(here, name):
            return f"{path}: {here.__name__} has no {name}"
        here = getattr(here, name)
    return None


def complaints(text: str) -> list[str]:
    """What is wrong with the paths and imports of a text."""
    paths = {f"{m[1]}.{name}" for m in _IMPORT.finditer(text) for name in names_of(m[2] or m[3])}
    rest = _IMPORT.sub("", text)
    paths |= {m[0] for m in _PATH.finditer(rest)}
    return [found for path in sorted(paths) if (found := complaint(path))]


def names_of(listing: str) -> Iterator[str]:
    """Names of an import statement."""
    for part in re.sub(r"#[^\n]*", "", listing).replace(">>>", "").replace("...", "").split(","):
        if part.strip():
            yield part.split(" as ")[0].split(";")[0].strip()


def docstrings(path: Path) -> str:
    """All docstrings of a module, those of constants too."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    values = (node.value for node in ast.walk(tree) if isinstance(node, ast.Expr))
    return "\n".join(v.value for v in values if isinstance(v, ast.Constant) and isinstance(v.value, str))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_texts_name_public_things(path: Path) -> None:
    assert not complaints(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("room", [*ROOMS, "api"])
def test_docstrings_name_public_things(room: str) -> None:
    home = SOURCE / "dalembert" / room
    files = sorted(home.rglob("*.py")) if home.is_dir() else [home.with_suffix(".py")]
    found = {path.name: complaints(docstrings(path)) for path in files}
    assert not {name: wrong for name, wrong in found.items() if wrong}


@pytest.mark.parametrize("room", USER_ROOMS)
def test_room_has_a_face(room: str) -> None:
    package = importlib.import_module(f"dalembert.{room}")
    assert package.__all__
    assert not [name for name in package.__all__ if getattr(package, name, None) is None]


@pytest.mark.parametrize("name", LAZY)
def test_lazy_names_are_those_that_type_checkers_see(name: str) -> None:
    package = importlib.import_module(name)
    tree = ast.parse(Path(str(package.__file__)).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    seen = {alias.name: node.module for node in imports for alias in node.names if node.module != name}
    assert seen == package._LATER
    assert seen.keys() <= set(package.__all__)


@pytest.mark.parametrize("room", dalembert.systems._ROOMS)
def test_machines_are_found_under_their_old_names(room: str) -> None:
    package = importlib.import_module(f"dalembert.systems.{room}")
    assert package.__all__
    for name in package.__all__:
        with pytest.warns(DeprecationWarning, match=rf"dalembert\.systems\.{room}\.{name}$"):
            assert getattr(dalembert.systems, name) is getattr(package, name)


def test_a_machine_is_in_one_room() -> None:
    rooms = [importlib.import_module(f"dalembert.systems.{room}").__all__ for room in dalembert.systems._ROOMS]
    names = [name for room in rooms for name in room]
    assert len(names) == len(set(names))
    with pytest.raises(AttributeError, match=r"'dalembert.systems' has no attribute 'perpetual_motion'"):
        dalembert.systems.perpetual_motion  # noqa: B018


def test_all_rooms_can_be_reached_from_the_package() -> None:
    program = f"import dalembert; print(*[getattr(dalembert, room).__name__ for room in {USER_ROOMS!r}])"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.split() == [f"dalembert.{room}" for room in USER_ROOMS], done.stderr


@pytest.mark.parametrize(
    "text",
    [
        "from dalembert.control.lqr import design_lqr",
        "from dalembert.control import (\n    PD,\n    nothing,\n)",
        ">>> from dalembert.model.body import rod",
        "see `dalembert.compile.cuda.compile_cuda`",
        "`dalembert.nothing`",
        "`dalembert.analysis.linearize.linearize`",
        "import dalembert.systems.cranes.machines as machines",
        "from dalembert.systems import planar_crane",
    ],
)
def test_deep_path_is_found(text: str) -> None:
    assert complaints(text)


def test_public_path_is_allowed() -> None:
    text = "from dalembert.control import PD, design_lqr as design\n`dalembert.simulation.Run.plot`, dalembert.Machine"
    assert not complaints(text + "\ndalembert.formulations.natural.mass_matrix")
