"""Who waits is told what is being done, on a terminal and nowhere else, and tables fit into narrow ones."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import typer.main
from rich.console import Console

import dalembert as da
from dalembert.cli import completion
from dalembert.cli.app import app
from dalembert.cli.output import show, table
from dalembert.cli.patience import Patience
from dalembert.core.doing import doing, done_now

CLEAR = "\r\x1b[2K"


class Terminal(io.StringIO):
    """A text stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@contextmanager
def on_terminal() -> Iterator[tuple[Terminal, Patience]]:
    """One terminal for both streams; the looks of the thread are left to the tests."""
    terminal = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        for stream in ("stdout", "stderr"):
            patch.setattr(sys, stream, terminal)
        patch.setattr(Patience, "_wait", lambda self: None)
        patch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((60, 24)))
        with Patience() as patience:
            yield terminal, patience


def test_the_innermost_of_what_is_done_is_known() -> None:
    assert done_now() == ""
    with doing("deriving"), doing("compiling"):
        assert done_now() == "compiling"
    assert done_now() == ""
    with pytest.raises(ZeroDivisionError), doing("dividing"):
        _ = 1 / 0
    assert done_now() == ""


def test_after_two_seconds_of_silence_a_line_appears_and_goes() -> None:
    with on_terminal() as (screen, patience), doing("compiling 'bias'"):
        began = time.monotonic()
        patience.look(began + 1.0)
        assert screen.getvalue() == ""
        patience.look(began + 3.0)
        assert re.fullmatch(r"\r\x1b\[2K[-|/\\] compiling 'bias' \(3 s\)", screen.getvalue())
        before = screen.getvalue()
        print("written: run.nc")
        assert screen.getvalue() == f"{before}{CLEAR}written: run.nc\n"
        patience.look(time.monotonic() + 1.0)  # it was not silent for long enough
        assert screen.getvalue().endswith("written: run.nc\n")
        patience.look(time.monotonic() + 3.0)
    assert screen.getvalue().endswith(f"s){CLEAR}")


def test_bars_and_unfinished_lines_are_left_alone() -> None:
    with on_terminal() as (screen, patience), doing("working"):
        print("12 of 300 members", end="\x1b[K", file=sys.stderr)
        patience.look(time.monotonic() + 60.0)
        assert screen.getvalue() == "12 of 300 members\x1b[K"
        print("\r\x1b[K", end="", file=sys.stderr)  # the bar has gone
        patience.look(time.monotonic() + 60.0)
        assert "working (60 s)" in screen.getvalue()


def test_a_line_is_never_wider_than_the_terminal() -> None:
    with on_terminal() as (screen, patience), doing("deriving the equations of a machine that has a very long name"):
        patience.look(time.monotonic() + 5.0)
        line = screen.getvalue().removeprefix(CLEAR)
        assert len(line) == 59 and line.endswith("...")


def test_nothing_is_shown_while_nobody_waits() -> None:
    """A studio that serves until Ctrl-C is not being waited for, whatever its threads do."""
    with on_terminal() as (screen, patience):
        patience.look(time.monotonic() + 60.0)
        assert screen.getvalue() == ""
        with doing("working"), doing("compiling"):
            patience.look(time.monotonic() + 60.0)
            with doing(""), doing("simulating"):
                patience.look(time.monotonic() + 61.0)
                assert screen.getvalue().endswith(CLEAR)
            patience.look(time.monotonic() + 62.0)
            assert "compiling (62 s)" in screen.getvalue()


def test_pipes_and_files_get_nothing() -> None:
    code = (
        "import time\nfrom dalembert.cli.patience import Patience\n"
        "with Patience() as p:\n    p.look(time.monotonic() + 60)\n    print('done')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ))
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_narrow_tables_stand_one_row_below_the_other() -> None:
    listing = table("what", "", "found", title="a title")
    listing.add_row("extra campaign", "[green]ok[/green]", "sensitivities of campaigns: pandas")
    listing.add_row("compiler", "", "/usr/local/bin/some-compiler")
    wide, narrow = (Console(width=width, file=io.StringIO()) for width in (80, 32))
    for screen in (wide, narrow):
        show(listing, screen)
    assert "│ extra campaign │ ok │ sensitivities of campaigns: pandas │" in wide.file.getvalue()  # type: ignore[attr-defined]
    lines = [line.rstrip() for line in narrow.file.getvalue().splitlines()]  # type: ignore[attr-defined]
    assert lines == [
        "a title",
        "extra campaign",
        "  ok",
        "  found: sensitivities of",
        "  campaigns: pandas",
        "compiler",
        "  found:",
        "  /usr/local/bin/some-compiler",
    ]


def test_shells_complete_names_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    for name in ("my crane.yaml", "my run.nc", "my notes.txt", ".hidden.yaml", "folder/arm.urdf"):
        Path(name).touch()
    assert completion.starter_names("fl") == ["flexible-arm"]
    assert completion.machine_names("cana") == ["canadarm"]
    assert completion.machine_names("my") == ["my crane.yaml"]
    assert completion.machine_names("folder/") == ["folder/arm.urdf"]
    assert completion.machine_names("nowhere/") == []
    assert completion.machine_or_run_names("my") == ["my crane.yaml", "my run.nc"]
    assert completion.run_files("") == ["folder/", "my run.nc"]
    assert completion.study_names("cra") == ["crane"]
    assert completion.system_names("delta") == ["delta-robot"]


def test_a_shell_is_answered(tmp_path: Path) -> None:
    words = {"_DALEMBERT_COMPLETE": "complete_bash", "COMP_WORDS": "dalembert simulate cana", "COMP_CWORD": "2"}
    given = {**os.environ, "PYTHONPATH": str(Path(da.__file__).parents[1]), **words}
    command = [sys.executable, "-m", "dalembert"]
    done = subprocess.run(command, cwd=tmp_path, env=given, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["canadarm"]


def commands() -> Iterator[tuple[str, object]]:
    """All commands, and those below them."""

    def below(group: object, name: str) -> Iterator[tuple[str, object]]:
        for key, listed in group.commands.items():  # type: ignore[attr-defined]
            command = getattr(listed, "loaded", listed)
            yield f"{name}{key}", command
            if hasattr(command, "commands"):
                yield from below(command, f"{name}{key} ")

    yield from below(typer.main.get_command(app), "")


def test_every_help_has_examples_of_its_own() -> None:
    found = dict(commands())
    assert {"simulate", "cache clean", "systems show"} <= set(found)
    for name, command in found.items():
        assert f"\n  dalembert {name}" in (command.epilog or ""), name  # type: ignore[attr-defined]
        assert "Examples:" not in (command.help or ""), name  # type: ignore[attr-defined]
