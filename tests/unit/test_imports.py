"""The rooms import downward only and mind their own business, and `import dalembert` loads nothing heavy."""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "dalembert"

# Rooms of one line have the same height and do not import each other.
HEIGHTS = (
    ("core",),
    ("spatial",),
    ("model",),
    ("formulations", "compile", "engine"),
    ("collide",),
    ("simulation", "analysis", "plan"),
    ("control",),
    ("optimal",),
    ("loop",),
    ("io",),
    ("systems",),
    ("campaigns",),
    ("view",),
    ("studies", "benchmarks"),
    ("cli",),
)
RANK = {room: height for height, rooms in enumerate(HEIGHTS) for room in rooms}

SIDEWAYS = {("formulations", "compile"), ("formulations", "engine"), ("engine", "compile")}

# Stricter than the ranks: compile and engine know no machine, simulation sees functions and sizes, never bodies.
FORBIDDEN = {
    ("compile", "model"),
    ("compile", "spatial"),
    ("engine", "model"),
    ("engine", "spatial"),
    ("simulation", "model"),
    ("simulation", "formulations"),
}

# The public face (`dalembert`, `dalembert.api`) stands above all rooms. It is what a user programs against,
# and these rooms are users of it. Whoever is below must not see it.
PUBLIC_FACE = "api"
USERS_OF_THE_FACE = {"cli", "studies", "benchmarks", "view"}

# One-line delegations (`Run.plot`, `Run.save`, `Machine.to_yaml`, ...): inside a function, and nowhere else.
DELEGATIONS = {
    ("dalembert.campaigns.rendering", "view"),
    ("dalembert.campaigns.result", "view"),
    ("dalembert.simulation.run", "io"),
    ("dalembert.simulation.run", "view"),
    ("dalembert.model.machine", "io"),
    ("dalembert.model.machine", "view"),
    ("dalembert.formulations.equations", "analysis"),
    ("dalembert.formulations.equations", "view"),
    ("dalembert.loop.experiment", "io"),
    ("dalembert.plan", "optimal"),
}

# Rooms that a simulation does not need (`test_a_simulation_does_not_load`): who needs them now and then may import them
# where they are used. All others are loaded anyway, and an import of them inside a function would only hide a cycle.
LOADED_LATER = {"analysis", "benchmarks", "campaigns", "cli", "io", "studies", "systems", "view"}

LIGHT = {"numpy", "casadi", "pydantic", "pydantic_core"}  # the last is a part of pydantic
HEAVY = {"scipy", "sympy", "yaml", "typer", "rich", "matplotlib", "xarray", "control"}
# The command line is its own process and is never loaded by `import dalembert`; its declarations need typer.
LIGHT_IN_ROOM = {"cli": {"typer", "rich"}}


@dataclass(frozen=True)
class Import:
    """One import: by which module, of what (dotted), and where."""

    importer: str
    target: str
    line: int
    lazy: bool
    typing_only: bool


def module_name(path: Path) -> str:
    """Dotted name of a source file."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(source: str, importer: str, *, package: bool = False) -> list[Import]:
    """All imports of a module, at any depth, with relative ones resolved."""
    found: list[Import] = []

    def visit(node: ast.AST, lazy: bool, typing_only: bool) -> None:
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = importer.split(".") if package else importer.split(".")[:-1]
                parents = parents[: len(parents) - (node.level - 1)]
                base = ".".join([*parents, base] if base else parents)
            # A name from `dalembert` itself is the public face.
            dunder = all(alias.name.startswith("__") for alias in node.names)
            targets = [f"{base}.{node.names[0].name}"] if base == "dalembert" and dunder else [base]
        else:
            targets = []
        found.extend(Import(importer, target, node.lineno, lazy, typing_only) for target in targets)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            lazy = True
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for child in node.body:
                visit(child, lazy, True)
            for child in node.orelse:
                visit(child, lazy, typing_only)
            return
        for child in ast.iter_child_nodes(node):
            visit(child, lazy, typing_only)

    visit(ast.parse(source), False, False)
    return found


def room_of(module: str) -> str:
    """The room of a dotted name; the public face for `dalembert` itself and what stands beside the rooms."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in RANK else PUBLIC_FACE


def complaint(imported: Import) -> str | None:
    """Why an import is not allowed, or None."""
    top = imported.target.split(".")[0]
    source = room_of(imported.importer)
    where = f"{imported.importer}:{imported.line} imports {imported.target}"
    if top != "dalembert":
        light = top in sys.stdlib_module_names or top in LIGHT | LIGHT_IN_ROOM.get(source, set())
        if light or imported.lazy or imported.typing_only:
            return None
        return f"{where} at module level; import it in the function that uses it"
    target = room_of(imported.target)
    delegation = (imported.importer, target) in DELEGATIONS and (imported.lazy or imported.typing_only)
    hidden = imported.lazy and not imported.typing_only and (target == source or target not in LOADED_LATER)
    if hidden and not delegation:
        return f"{where} inside a function: import it at the top of the module"
    if source == PUBLIC_FACE or target == source:
        return None
    if target == PUBLIC_FACE:
        if imported.target.startswith("dalembert.__") or source in USERS_OF_THE_FACE:
            return None
        return f"{where}: the public face stands above room {source}"
    if delegation:
        return None
    if (source, target) in FORBIDDEN:
        return f"{where}: room {source} must not know room {target}"
    if RANK[target] < RANK[source] or (source, target) in SIDEWAYS:
        return None
    return f"{where}: room {target} is not below room {source}"


def source_files() -> Iterator[Path]:
    """The modules of the package."""
    return (path for path in sorted(PACKAGE.rglob("*.py")) if "__pycache__" not in path.parts)


MODULES = {module_name(path): path for path in source_files()}
ROOMS = {room: [m for m in MODULES if room_of(m) == room] for room in sorted({room_of(m) for m in MODULES})}


def test_every_room_has_a_rank() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.rglob("*.py"))}
    assert rooms == RANK.keys(), "a room needs a place in the order of the rooms, and only what is there has one"


@pytest.mark.parametrize("room", ROOMS)
def test_modules_import_downward_and_light(room: str) -> None:
    complaints = []
    for module in ROOMS[room]:
        path = MODULES[module]
        found = imports_of(path.read_text(encoding="utf-8"), module, package=path.name == "__init__.py")
        complaints += [text for text in map(complaint, found) if text]
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize(
    ("importer", "source"),
    [
        ("dalembert.core.ports", "from dalembert.spatial import rotations"),
        ("dalembert.core.ports", "from ..spatial.rotations import skew"),
        ("dalembert.model.body", "from dalembert.formulations.tree.lagrange import energies"),
        ("dalembert.model.body", "def f():\n    import dalembert.io.urdf"),
        ("dalembert.model.machine", "from dalembert.io import yaml"),
        ("dalembert.compile.kernel", "from dalembert.formulations import equations"),
        ("dalembert.compile.kernel", "from dalembert.model.body import Body"),
        ("dalembert.compile.kernel", "from dalembert.spatial import rotations"),
        ("dalembert.simulation.steppers", "from dalembert.model.machine import Machine"),
        ("dalembert.simulation.steppers", "def f():\n    from dalembert.view import plots"),
        ("dalembert.simulation.run", "from dalembert.view import plots"),
        ("dalembert.simulation.run", "def f():\n    from dalembert.control import pid"),
        ("dalembert.simulation.run", "def f():\n    from dalembert.simulation.events import locate"),
        ("dalembert.io.urdf", "def f():\n    from dalembert.core.errors import InputError"),
        ("dalembert.io.urdf", "def f():\n    from dalembert.io.runs import load_run"),
        ("dalembert.analysis.modal", "from dalembert.simulation import problem"),
        ("dalembert.systems.textbook", "from dalembert.view import plots"),
        ("dalembert.io.urdf", "import dalembert"),
        ("dalembert.io.urdf", "from dalembert import simulate"),
        ("dalembert.io.urdf", "from dalembert.api import simulate"),
        ("dalembert.systems.cranes", "if TYPE_CHECKING:\n    from dalembert.view import plots"),
        ("dalembert.io.machine_file", "import yaml"),
        ("dalembert.io.machine_file", "try:\n    import yaml\nexcept ImportError:\n    yaml = None"),
        ("dalembert.spatial.rotations", "from scipy.linalg import expm"),
        ("dalembert.model.machine", "class A:\n    import rich"),
        ("dalembert.view.plots", "import typer"),
    ],
)
def test_wrong_import_is_found(importer: str, source: str) -> None:
    assert [text for text in map(complaint, imports_of(source, importer)) if text]


@pytest.mark.parametrize(
    ("importer", "source"),
    [
        ("dalembert.spatial.rotations", "import numpy\nimport casadi as ca\nimport dalembert.core.errors"),
        ("dalembert.spatial.rotations", "from ..core.errors import InputError\nfrom . import quaternions"),
        ("dalembert.spatial.rotations", "from dalembert import __version__"),
        ("dalembert.formulations.equations", "from dalembert.compile.kernel import Kernel"),
        ("dalembert.simulation.run", "def plot():\n    from dalembert.view.plots import plot"),
        ("dalembert.simulation.run", "def save():\n    import xarray\n    from dalembert.io import runs"),
        ("dalembert.model.machine", "def to_yaml():\n    from dalembert.io import machine_file"),
        ("dalembert.model.machine", "if TYPE_CHECKING:\n    import sympy"),
        ("dalembert.api", "from dalembert.simulation.run import Run\nfrom dalembert.studies import registry"),
        ("dalembert.cli.demo", "import typer\nimport dalembert as da"),
        ("dalembert.cli.demo", "def f():\n    from dalembert.studies import run_study"),
        ("dalembert.studies.textbook.study", "from dalembert import simulate"),
    ],
)
def test_right_import_is_allowed(importer: str, source: str) -> None:
    assert not [text for text in map(complaint, imports_of(source, importer)) if text]


# -- private parts --------------------------------------------------------------------------------------------------

# Of others, and promised by their documentation: the named tuples' own, the caller's frame, the address of a struct.
FOREIGN = {"_asdict", "_replace", "_fields", "_make", "_getframe", "_address"}

# A concrete formulation is known to its own package and to the registry; all others know the contract.
CONCRETE = {"NewtonEuler", "Lagrange", "Natural", "Mapped", "ElasticRopes"}
KNOWS_CONCRETE = {"dalembert.formulations.registry"}


def is_private(name: str) -> bool:
    """Whether a name begins with one underscore."""
    return name.startswith("_") and not name.startswith("__") and name != "_"


@functools.cache
def told(source: str) -> tuple[frozenset[str], list[ast.AST]]:
    """Names that a module gives to something (functions, classes, variables, attributes), and nodes to look at."""
    names: set[str] = set()
    nodes: list[ast.AST] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Attribute):
            if isinstance(node.ctx, ast.Store):
                names.add(node.attr)
            if node.attr.startswith("_"):
                nodes.append(node)
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                names.add(node.id)
        elif isinstance(node, ast.Compare | ast.ImportFrom):
            nodes.append(node)
    return frozenset(names), nodes


def private_accesses(source: str, module: str, own: set[str]) -> list[str]:
    """Accesses to private parts that the names ``own`` of a room do not explain."""
    found = []
    for node in told(source)[1]:
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            known = node.attr in own or node.attr in FOREIGN
            if not known and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
                found.append(f"{module}:{node.lineno} looks into {ast.unparse(node)}")
        elif isinstance(node, ast.ImportFrom) and not node.level and room_of(node.module or "") != room_of(module):
            names = [alias.name for alias in node.names if is_private(alias.name)]
            found += [f"{module}:{node.lineno} imports {name} from {node.module}" for name in names]
            if any(map(is_private, (node.module or "").split("."))):
                found.append(f"{module}:{node.lineno} imports from {node.module}")
        elif isinstance(node, ast.Attribute) and node.attr == "__dict__":
            found.append(f"{module}:{node.lineno} writes behind the back of {ast.unparse(node.value)}")
    return found


def guessed_formulations(source: str, module: str) -> list[str]:
    """Places that ask which formulation they have instead of what it can do."""
    found = []
    for node in told(source)[1]:
        if isinstance(node, ast.Compare) and "by" in (getattr(node.left, "attr", ""), getattr(node.left, "id", "")):
            if any(isinstance(c, ast.Constant) and isinstance(c.value, str) for c in node.comparators):
                found.append(f"{module}:{node.lineno} asks whether {ast.unparse(node)}")
        elif isinstance(node, ast.ImportFrom) and module not in KNOWS_CONCRETE:
            names = {alias.name for alias in node.names} & CONCRETE
            if names and (node.module or "").startswith("dalembert."):
                found.append(f"{module}:{node.lineno} imports {', '.join(sorted(names))}")
    return found


@functools.cache
def own_names(room: str) -> set[str]:
    """Names that the modules of a room define."""
    texts = [path.read_text(encoding="utf-8") for module, path in MODULES.items() if room_of(module) == room]
    return set().union(*(told(text)[0] for text in texts))


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_looks_into_private_parts_of_another(room: str) -> None:
    found = []
    for module in ROOMS[room]:
        source = MODULES[module].read_text(encoding="utf-8")
        found += private_accesses(source, module, own_names(room)) + guessed_formulations(source, module)
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "source",
    [
        "x = eom.symbolic._formulation",
        "from dalembert.formulations.symbolic import _outputs",
        "from dalembert.formulations._hidden import outputs",
        "kept = machine.__dict__.setdefault('_equations', {})",
    ],
)
def test_private_access_is_found(source: str) -> None:
    assert private_accesses(source, "dalembert.loop.closed_loop", {"_own"})


@pytest.mark.parametrize(
    "source",
    ["x = loop._own", "x = self._inherited", "x = point._replace(y=1)", "from dalembert.loop.cables import _rows"],
)
def test_own_private_parts_are_allowed(source: str) -> None:
    assert not private_accesses(source, "dalembert.loop.closed_loop", {"_own"})


@pytest.mark.parametrize(
    "source",
    [
        "if eom.by == 'natural':\n    pass",
        "if by != 'newton-euler':\n    pass",
        "from dalembert.formulations.natural.formulation import Natural",
    ],
)
def test_a_guessed_formulation_is_found(source: str) -> None:
    assert guessed_formulations(source, "dalembert.loop.closed_loop")


@pytest.mark.parametrize("room", ROOMS)
def test_exported_names_exist(room: str) -> None:
    faults = [fault for name in ROOMS[room] if not name.endswith("__main__") for fault in faults_of_exports(name)]
    assert not faults, "\n".join(faults)


def faults_of_exports(module: str) -> Iterator[str]:
    loaded = importlib.import_module(module)
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    public = [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    ]
    private_module = module.rpartition(".")[2].startswith("_")
    if not (hasattr(loaded, "__all__") or private_module or not public):
        yield f"{module}: {public} but no __all__"
    names = list(getattr(loaded, "__all__", ()))
    if len(names) != len(set(names)):
        yield f"{module}.__all__ has duplicates"
    missing = [name for name in names if not hasattr(loaded, name)]
    if missing:
        yield f"{module}.__all__ exports what does not exist: {missing}"


@pytest.mark.parametrize("room", ["engine", "simulation", "loop"])
def test_parts_of_a_room_do_not_need_each_other_in_a_circle(room: str) -> None:
    """Sub-packages, and modules beside them, import each other in one direction."""

    def part(module: str) -> str:
        return ".".join(module.split(".")[:3])

    needs: dict[str, set[str]] = {}
    for module, path in MODULES.items():
        if module.startswith(f"dalembert.{room}."):
            source, package = path.read_text(encoding="utf-8"), path.name == "__init__.py"
            mine = {i.target for i in imports_of(source, module, package=package) if not i.typing_only}
            known = {part(target) for target in mine if target.startswith(f"dalembert.{room}.")}
            needs.setdefault(part(module), set()).update(known - {part(module)})
    while needs:
        free = {name for name, others in needs.items() if not others & needs.keys()}
        assert free, f"in a circle: {sorted(needs)}"
        needs = {name: others for name, others in needs.items() if name not in free}


def test_classes_have_names_of_their_own() -> None:
    homes: dict[str, list[str]] = {}
    for module, path in MODULES.items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(module)
    assert not {name: modules for name, modules in homes.items() if len(modules) > 1}


def loaded_by(program: str) -> set[str]:
    """Modules that a program loads in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; before = set(sys.modules); {program}; print(*set(sys.modules) - before)"],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


def tops(modules: set[str]) -> set[str]:
    """First names of modules."""
    return {name.split(".")[0] for name in modules}


def rooms(modules: set[str]) -> set[str]:
    """Rooms of the modules of dalembert."""
    return {name.split(".")[1] for name in modules if name.startswith("dalembert.")}


def test_import_loads_nothing_of_ours_and_nothing_of_others() -> None:
    loaded = loaded_by("import dalembert")
    assert rooms(loaded) == {"core"}
    assert not tops(loaded) & (LIGHT | HEAVY)


def test_help_loads_no_command_and_no_room() -> None:
    loaded = loaded_by("from dalembert.cli.app import run; run(['--help'])")
    assert rooms(loaded) == {"cli", "core"}
    listed = {name.removeprefix("dalembert.cli.") for name in loaded if name.startswith("dalembert.cli.")}
    commands = {entry.module for entry in importlib.import_module("dalembert.cli.app")._ENTRIES.values()}
    assert "simulate" in commands
    assert not listed & commands
    assert not tops(loaded) & ((LIGHT | HEAVY) - {"typer"})


def test_a_simulation_does_not_load() -> None:
    loaded = loaded_by("from dalembert import PD, Machine, Run, simulate")
    assert "simulation" in rooms(loaded)
    assert not rooms(loaded) & LOADED_LATER
    assert not tops(loaded) & (HEAVY | {"pydantic"})


def test_version_comes_from_the_installation() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" in project["dynamic"]
    assert importlib.import_module("dalembert").__version__ == importlib.metadata.version("dalembert")
    assert not re.search(r"^version:", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
