"""Full and read-only disks, killed writers, damaged files: nothing is lost, nothing is silent."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import DalembertError, FileFormatError, WriteError
from dalembert.core.files import make_folder, owner, temporary_folder, write_file, write_files
from dalembert.io.runs import run_to_dataset

posix = pytest.mark.skipif(sys.platform == "win32", reason="limits, devices and signals of POSIX")

PENDULUM = """
import os, sys, tempfile
from pathlib import Path
import dalembert as da
from dalembert.compile.export import export_c
from dalembert.core.errors import WriteError
from dalembert.view.animation import animate
machine = da.Machine("pendulum", bodies=[da.point_mass("bob", 1.0, com=(0, 0, -1.0))],
                     joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))])
run = da.simulate(machine, duration=0.2, q0={"theta": 0.1}, backend="vm")
folder = Path(sys.argv[1])
def gif(path):
    animate(run, path)
def c(path):
    import casadi as ca
    x = ca.SX.sym("x")
    export_c([ca.Function("f", [x], [ca.sin(x)])], path, name="m")
writers = {"run.nc": run.save, "run.csv": run.to_csv, "run.png": lambda path: run.plot(path=path), "run.gif": gif,
           "machine.yaml": machine.to_yaml, "c": c}
"""


def child(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PENDULUM + script, *map(str, arguments)],
        # Python would write shortened bytecode where the size of files is limited.
        env=os.environ | {"PYTHONPATH": str(Path(da.__file__).parents[1]), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def assert_all_refused(done: subprocess.CompletedProcess[str], reason: str, times: int = 1) -> None:
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    names = ["run.nc", "run.csv", "run.png", "run.gif", "machine.yaml", "c"] * times
    assert [line.partition(": ")[0] for line in lines] == names
    for line in lines:
        assert "cannot write" in line or "cannot create the folder" in line, line
        assert reason in line, line


TRY_ALL = """
for folder in map(Path, sys.argv[1:]):
    for name, write in writers.items():
        try:
            write(folder / name)
            print(name + ": written")
        except WriteError as error:
            print(name + ": " + str(error))
"""


@pytest.fixture(scope="module")
def pendulum() -> da.Machine:
    return da.Machine(
        "pendulum",
        bodies=[da.point_mass("bob", 1.0, com=(0, 0, -1.0))],
        joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))],
    )


@pytest.fixture(scope="module")
def run(pendulum: da.Machine) -> da.Run:
    return da.simulate(pendulum, duration=0.05, q0={"theta": 0.1}, backend="vm")


def write_old(folder: Path) -> dict[str, bytes]:
    names = ("run.nc", "run.csv", "run.png", "run.gif", "machine.yaml", "c/m.h", "c/m_f.c", "c/example.c", "c/Makefile")
    (folder / "c").mkdir()
    for name in names:
        (folder / name).write_text(f"the old {name}")
    return contents(folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@posix
def test_file_size_limit_leaves_the_old_files(tmp_path: Path) -> None:
    """What a disk does that is full in the middle of a file; HDF5 would end the process with a signal."""
    old = write_old(tmp_path)
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
    assert_all_refused(child(limit + TRY_ALL, tmp_path), "File too large")
    assert contents(tmp_path) == old


@posix
def test_folders_of_somebody_else() -> None:
    """One that may be read, and one that may not even be entered."""
    if os.getuid() != 0:
        pytest.skip("only root can become somebody else")
    become = """
with tempfile.TemporaryDirectory() as scratch:  # imports all that is needed, which the other user may be unable to do
    for name, write in writers.items():
        write(Path(scratch, name))
os.setuid(65534)
"""
    with (
        tempfile.TemporaryDirectory() as one,
        tempfile.TemporaryDirectory() as two,
    ):  # the test's own is in a private one
        folders = {Path(one): 0o555, Path(two): 0o700}
        old = [write_old(folder) for folder in folders]
        for folder, mode in folders.items():
            (folder / "c").chmod(mode)
            folder.chmod(mode)
        done = child(become + TRY_ALL, *folders)
        assert [contents(folder) for folder in folders] == old
    assert_all_refused(done, "Permission denied", 2)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_full_disk(run: da.Run, pendulum: da.Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    full = tmp_path / "full.png"
    full.symlink_to("/dev/full")
    writers: dict[str, Callable[[Any], object]] = {
        "save": run.save,
        "csv": run.to_csv,
        "plot": lambda path: run.plot(path=path),
        "yaml": pendulum.to_yaml,
    }
    for write in writers.values():
        with pytest.raises(WriteError, match=r"cannot write .*full\.png: No space left on device"):
            write(full)
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    assert full.is_symlink()
    rescued = sorted(tmp_path.glob("dalembert-rescued-*/*"))
    assert [path.name for path in rescued] in (["run.csv", "run.nc"], ["run.nc", "run.csv"])
    again = da.load_run(next(path for path in rescued if path.suffix == ".nc"))
    assert np.array_equal(again.x, run.x)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_the_command_says_where_the_run_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from dalembert.cli.app import run as command

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    arguments = [
        "simulate",
        "actuated-pendulum",
        "--duration",
        "0.1",
        "--out",
        "/dev/full",
        "--csv",
        str(tmp_path / "run.csv"),
    ]
    assert command(arguments) == 2
    shown = capsys.readouterr()
    assert "cannot write /dev/full: No space left on device; the run was rescued to" in shown.err
    assert "Traceback" not in shown.err
    assert "run.csv" in shown.out
    da.load_run(shown.err.split("rescued to ")[1].strip())


@posix
def test_killed_writer(tmp_path: Path) -> None:
    target = tmp_path / "run.nc"
    target.write_text("old")
    kill = "import signal\nos.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\nrun.save(folder / 'run.nc')\n"
    assert child(kill, tmp_path).returncode == -signal.SIGKILL
    (part,) = tmp_path.glob(".dalembert-*.part")
    assert target.read_text() == "old"
    at_work = tmp_path / f".dalembert-{owner()}-1.part"
    elsewhere = tmp_path / ".dalembert-00000000-1-1.part"
    somebodys = tmp_path / ".dalembert-notes.part"
    for path in (at_work, elsewhere, somebodys):
        path.touch()
    write_file(target, "new")
    assert target.read_text() == "new"
    assert not part.exists()
    assert at_work.exists()
    assert elsewhere.exists()
    for path in (elsewhere, somebodys):
        os.utime(path, (0, 0))
    write_file(target, b"newer")
    assert not elsewhere.exists()
    assert somebodys.exists()


def test_files_that_belong_together_change_together(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "missing" / "two"
    one.write_text("old")
    with pytest.raises(WriteError, match="two: No such file"):
        write_files({one: "new", two: "new"})
    assert contents(tmp_path) == {"one": b"old"}


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.write_text("old")
    place.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(place)
    write_file(link, "new")
    assert link.is_symlink()
    assert place.read_text() == "new"
    assert stat.S_IMODE(place.stat().st_mode) == 0o640


def test_folders(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WriteError, match=r"cannot create the folder .*file"):
        make_folder(tmp_path / "file" / "inside")
    left = tmp_path / f"dalembert-{owner().rpartition('-')[0]}-{2**22 + 1}-x"  # no process has so large a number
    left.mkdir()
    with temporary_folder(tmp_path) as folder:
        assert folder.is_dir()
        assert not left.exists()
    assert not folder.exists()


# --- damaged run files ------------------------------------------------------------------------------------------------


def test_flipped_bits(run: da.Run, tmp_path: Path) -> None:
    """A file with one bit changed is refused, or the bit had no meaning and all is as it was."""
    path = run.save(tmp_path / "run.nc")
    whole = path.read_bytes()
    rng = np.random.default_rng(1)
    refused = 0
    for k in [*range(0, 96, 5), *rng.integers(0, len(whole), 40)]:
        damaged = bytearray(whole)
        damaged[k] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            again = da.load_run(path)
        except FileFormatError as error:
            assert "run.nc: " in str(error)
            refused += 1
            continue
        for name in ("t", *run.names):
            assert np.array_equal(again[name], run[name])
        known = {**run.metadata, "experiment": run.experiment.digest}
        assert (again.status, dict(again.metadata)) == (run.status, known)
    assert refused > 10
    for length in (0, 3, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(FileFormatError, match=r"run\.nc: "):
            da.load_run(path)


def edits() -> Iterator[Any]:
    def missing(data: Any) -> Any:
        return data.drop_vars("theta")

    def not_finite(data: Any) -> Any:
        data["theta"].values[3] = np.nan
        return data

    def number(data: Any) -> Any:
        data["theta"].values[3] += 1e-9
        return data

    def short_end(data: Any) -> Any:
        data["final_x"] = ("states", data["final_x"].values[:-1])
        return data

    def status(data: Any) -> Any:
        return data.assign_attrs(status="stopped")

    def unsigned(data: Any) -> Any:
        del data.attrs["checksum"]
        return data

    yield pytest.param(missing, "a state is missing", id="missing state")
    yield pytest.param(not_finite, "'theta' has a number that is not finite", id="NaN")
    yield pytest.param(number, "its content is damaged", id="number")
    yield pytest.param(short_end, "the final state has 3 numbers, but there are 4 states", id="short end")
    yield pytest.param(status, "its content is damaged", id="status")
    yield pytest.param(unsigned, "its content is damaged", id="no checksum")


@pytest.mark.parametrize(("edit", "message"), list(edits()))
def test_edited_run_files(run: da.Run, tmp_path: Path, edit: Any, message: str) -> None:
    path = tmp_path / "run.nc"
    edit(run_to_dataset(run).copy(deep=True)).to_netcdf(path, engine="h5netcdf")
    with pytest.raises(FileFormatError, match=f"run.nc: {message}"):
        da.load_run(path)


def test_what_xarray_writes_is_a_run_too(run: da.Run, tmp_path: Path) -> None:
    run_to_dataset(run).to_netcdf(tmp_path / "run.nc", engine="h5netcdf")
    assert np.array_equal(da.load_run(tmp_path / "run.nc").x, run.x)


@posix
@pytest.mark.parametrize("load", [da.load_run, lambda path: da.load_urdf(path), lambda path: da.load_machine(path)])
def test_devices_are_not_read(load: Callable[[str], object]) -> None:
    with pytest.raises(DalembertError, match=r"/dev/zero.*device"):
        load("/dev/zero")
