"""The commands by name: listing commands loads no module; running one loads its module."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from dalembert.cli.output import examples

__all__ = ["CommandEntry", "LazyCommand", "LazyGroup", "arguments", "command"]

_ARGUMENTS: ContextVar[Mapping[str, Any]] = ContextVar("arguments", default=MappingProxyType({}))


def arguments() -> Mapping[str, Any]:
    """Arguments and options of the command that runs now, by name."""
    return _ARGUMENTS.get()


def _known(function: Callable[..., None]) -> Callable[..., None]:
    """Pass the arguments of a command to `arguments`."""

    @functools.wraps(function)
    def call(**given: Any) -> None:
        token = _ARGUMENTS.set(given)
        try:
            function(**given)
        finally:
            _ARGUMENTS.reset(token)

    return call


@dataclass(frozen=True)
class CommandEntry:
    """Where a command is defined, and the examples at the end of its help.

    The command is the function, or the `typer.Typer`, of this name in a module beside this one, or in one with a
    dotted name.
    """

    module: str
    examples: tuple[str, ...]


def command(module: str, *lines: str) -> CommandEntry:
    """Return the entry of a command, with examples as one types them behind ``dalembert``."""
    return CommandEntry(module, lines)


class LazyCommand(TyperCommand):
    """A command whose help is read from the source of its module, without importing it.

    The list of commands shows it. Parsing its arguments needs its options, and imports the module.
    """

    def __init__(self, name: str, entry: CommandEntry) -> None:
        super().__init__(name, help=_help(entry.module, name), rich_markup_mode=None)
        self._entry = entry

    @cached_property
    def loaded(self) -> Any:
        """The command itself."""
        name, entry = str(self.name), self._entry
        attribute = getattr(import_module(_dotted(entry.module)), name)
        app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
        if isinstance(attribute, typer.Typer):
            app.add_typer(attribute, epilog=examples(*entry.examples))
        else:
            app.command(name, epilog=examples(*entry.examples))(_known(attribute))
        return typer.main.get_group(app).commands[name]

    def make_context(self, *args: Any, **options: Any) -> Any:
        """Parse the arguments by the command itself, which is the command of the context from then on."""
        return self.loaded.make_context(*args, **options)


class LazyGroup(TyperGroup):
    """A group of commands that load on first use; a subclass lists them."""

    entries: ClassVar[Mapping[str, CommandEntry]] = {}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: LazyCommand(name, entry) for name, entry in self.entries.items()}


def _dotted(module: str) -> str:
    return module if "." in module else f"{__package__}.{module}"


def _help(module: str, name: str) -> str:
    """Return the docstring of a function of a module of commands, or the help of a `typer.Typer`."""
    place = Path(__file__).with_name(f"{module}.py")
    if "." in module:
        spec = find_spec(module)
        place = Path(str(module if spec is None else spec.origin))
    source = place.read_text(encoding="utf-8")
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return ast.get_docstring(node) or ""
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name and isinstance(node.value, ast.Call):
            return "".join(ast.literal_eval(k.value) for k in node.value.keywords if k.arg == "help")
    raise LookupError(f"no command '{name}' in {__package__}.{module}")
