"""Files that commands write: never what they read, and what is there only if it is the same kind of result."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from dalembert.cli.app import app, run

MACHINE = """
name: bob
bodies: {link: {rod: {mass: 1.0, length: 1.0, axis: z, com: [0, 0, -0.5]}}}
joints: {theta: {kind: revolute, parent: world, child: link, axis: [0, 1, 0]}}
motors: {theta: {}}
simulation:
  {duration: 0.01, step: 0.005, backend: vm, q0: {theta: 0.1}, control: {law: pd, kp: 1.0, kd: 1.0, reference: [0.0]}}
"""
CAMPAIGN = """
machine: m.yaml
vary: {q0.theta: {uniform: [0, 1]}}
n: 2
measure: {peak: {of: theta, by: max}}
"""
WRITTEN = "written by hand\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("m.yaml").write_text(MACHINE)
    Path("sway.yaml").write_text(CAMPAIGN)
    return tmp_path


@pytest.fixture
def saved(here: Path) -> Path:
    assert run(["simulate", "m.yaml", "--out", "run.nc"]) == 0
    return here / "run.nc"


READ = {
    "simulate --out": ("simulate m.yaml --out m.yaml", "m.yaml"),
    "simulate --csv": ("simulate m.yaml --csv m.yaml", "m.yaml"),
    "simulate, another name": ("simulate m.yaml --out ./sub/../m.yaml", "m.yaml"),
    "simulate, a link": ("simulate m.yaml --out linked.yaml", "m.yaml"),
    "simulate, a hard link": ("simulate m.yaml --csv hard.csv", "m.yaml"),
    "simulate --start": ("simulate m.yaml --start run.nc --out run.nc", "run.nc"),
    "export": ("export m.yaml m.yaml", "m.yaml"),
    "report": ("report run.nc --machine m.html --out m.html", "m.html"),
    "bench": ("schema --out m.yaml", ""),
}


@pytest.mark.parametrize("case", READ)
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_no_command_replaces_what_it_reads(
    case: str, force: list[str], saved: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line, eaten = READ[case]
    Path("sub").mkdir()
    Path("linked.yaml").symlink_to("m.yaml")
    os.link("m.yaml", "hard.csv")
    shutil.copy("m.yaml", "m.html")
    if not eaten:  # of nothing that it reads, but of something that is no schema
        assert run(line.split()) == 2 and Path("m.yaml").read_text() == MACHINE
        return
    before = Path(eaten).read_bytes()
    assert run([*line.split(), *force]) == 2
    assert "the command reads this file" in capsys.readouterr().err
    assert Path(eaten).read_bytes() == before


COMMANDS = {
    "simulate m.yaml --out x.nc": "x.nc",
    "simulate m.yaml --csv x.csv": "x.csv",
    "simulate m.yaml --plot x.png": "x.png",
    "simulate m.yaml --plot x.svg": "x.svg",
    "plot run.nc --out x.pdf": "x.pdf",
    "plot run.nc": "run.png",
    "animate run.nc --fps 5": "run.gif",
    "animate run.nc --fps 5 --out x.html": "x.html",
    "report run.nc --no-equations": "run.html",
    "schema --out x.json": "x.json",
    "campaign export sway": "sway.csv",
    "campaign export sway --out x.parquet": "x.parquet",
    "campaign report sway": "sway.html",
    "robust m.yaml --range theta=-0.1:0.1 --level 1 --out x.png": "x.png",
}
SLOW = {"simulate m.yaml --plot x.svg", "plot run.nc", "robust m.yaml --range theta=-0.1:0.1 --level 1 --out x.png"}


@pytest.mark.parametrize(
    "line", [pytest.param(line, marks=[pytest.mark.slow] if line in SLOW else []) for line in COMMANDS]
)
def test_what_is_there_is_replaced_by_its_kind_only(line: str, saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of another kind is refused, with --force replaced; the result is then replaced without."""
    if line.startswith("campaign"):
        assert run(["campaign", "sway.yaml"]) == 0
    path = Path(COMMANDS[line])
    path.write_text(WRITTEN)
    assert run(line.split()) == 2
    assert "exists and is not a" in capsys.readouterr().err and path.read_text() == WRITTEN
    assert run([*line.split(), "--force"]) == 0
    first = path.read_bytes()
    assert first != WRITTEN.encode()
    assert run(line.split()) == 0, capsys.readouterr().err
    # A result of another command is of another kind.
    other = "m.yaml" if path.suffix == ".nc" else "run.nc"
    shutil.copy(other, path)
    assert run(line.split()) == 2 and path.read_bytes() == Path(other).read_bytes()


def test_machine_files_are_replaced_by_force_only(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody may have written them by hand: an export does not take the place of one."""
    for line in ("export m.yaml x.yaml", "export m.yaml x.urdf", "new crane crane.yaml"):
        path = Path(line.split()[2])
        assert run(line.split()) == 0
        before = path.read_text()
        assert run(line.split()) == 2 and "--force" in capsys.readouterr().err and path.read_text() == before
        assert run([*line.split(), "--force"]) == 0


def test_data_of_the_user_are_no_results(here: Path) -> None:
    """Measurements with the columns of a run, and NetCDF files of others, stay."""
    import xarray

    Path("x.csv").write_text("t,theta,theta_dot\n0,1,2\n")
    xarray.Dataset({"theta": ("t", [1.0])}).to_netcdf("x.nc", engine="h5netcdf")
    before = Path("x.nc").read_bytes()
    assert run(["simulate", "m.yaml", "--csv", "x.csv"]) == 2 and Path("x.csv").read_text().startswith("t,theta,")
    assert run(["simulate", "m.yaml", "--out", "x.nc"]) == 2 and Path("x.nc").read_bytes() == before


def test_two_outputs_are_two_files(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", "m.yaml", "--out", "x.nc", "--csv", "./x.nc"]) == 2
    assert "twice" in capsys.readouterr().err and not Path("x.nc").exists()


def test_fmu_is_replaced_by_its_kind_only(here: Path) -> None:
    Path("bob.fmu").write_text(WRITTEN)
    assert run(["fmu", "m.yaml"]) == 2 and Path("bob.fmu").read_text() == WRITTEN


def test_every_command_with_an_output_has_force(here: Path) -> None:
    """Found from the command line itself: whoever writes a file asks `dalembert.cli.targets`."""
    import typer

    group: Callable[..., object] = typer.main.get_command(app)
    names = []
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        options = {option.name for option in getattr(command, "loaded", command).params}
        if options & {"out", "csv", "plot"}:
            names.append(name)
            assert "force" in options, name
    assert set(names) >= {"simulate", "plot",
                          "animate", "report", "campaign", "robust", "bench", "export", "fmu", "new",
                          "schema", "share", "demo"}  # fmt: skip
