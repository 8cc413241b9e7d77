"""The kernels on disk: found again, never trusted when damaged, shared by many processes."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import stat
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import dalembert
from dalembert.compile import build, cache, cache_directory, compile_function, forms, native, together
from dalembert.compile.emit_c import CHUNK_SIZE
from dalembert.core.errors import BuildError, DalembertWarning
from dalembert.core.files import owner
from dalembert.engine.rollout.forms import LANES_ROLLOUT

SX = ca.SX


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of this test alone."""
    toolchain = build.find_toolchain()
    assert toolchain is None or native.kernel_calls(toolchain)  # loaded once per process, from elsewhere
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DALEMBERT_CALLS", "ctypes")  # nothing but kernels in it
    return tmp_path / "cache" / "kernels"


@pytest.fixture
def extension() -> str:
    """Value of DALEMBERT_CALLS that asks for the extension, where it can be built."""
    if not Path(sysconfig.get_path("include"), "Python.h").is_file():
        pytest.skip("there are no headers of Python")
    return "extension"


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of what the compiler is asked to build."""
    names: list[str] = []
    real = native.build_units

    def counting(*args, name: str, **options):
        names.append(name)
        return real(*args, name=name, **options)

    monkeypatch.setattr(native, "build_units", counting)
    return names


def make_function(factor: float = 2.0) -> ca.Function:
    x = SX.sym("x", 3)
    return ca.Function("f", [x], [factor * ca.cos(x)], ["x"], ["y"])


def check(factor: float = 2.0) -> None:
    x = np.array([0.1, 0.2, 0.3])
    kernel = compile_function(make_function(factor), backend="native")
    np.testing.assert_allclose(kernel(x), factor * np.cos(x), rtol=1e-15)


def replace(path: Path, content: bytes) -> None:
    """Replace a file by another one (a library that is loaded must not be written into)."""
    path.unlink()
    path.write_bytes(content)


def objects(folder: Path) -> list[Path]:
    return sorted((folder / "objects").iterdir())


def test_second_compilation_is_found(folder: Path, builds: list[str]) -> None:
    check()
    check()
    assert builds == ["f"]
    check(3.0)
    assert builds == ["f", "f"]
    assert len(objects(folder)) == 2


def test_functions_built_together_are_found(folder: Path, builds: list[str]) -> None:
    """One library of three functions, a long one and two whose code is that of functions that were built alone."""
    x = SX.sym("x", 6)
    long = ca.vertcat(*(ca.sin(k * x) * x[0] + x[k % 6] * x[1] for k in range(CHUNK_SIZE // 3)))
    values = {"angles": ca.sin(x) * x[0] + ca.cos(x[1]) * x, "products": x * x[2] + x[3] * x[4], "long": long}
    functions = [ca.Function(name, [x], [value], ["x"], ["y"]) for name, value in values.items()]
    together.build_together([*functions, make_function(), ca.Function("long", [x], [x])], "native")
    state = np.linspace(0.1, 1.3, 6)
    found = [compile_function(f, backend="native")(state) for f in functions]
    check()
    assert builds == []
    assert len(objects(folder)) == 1
    assert len(list((folder / "keys").iterdir())) == 4
    os.environ["DALEMBERT_CACHE"] += "-alone"  # the fixture restores it
    for function, value in zip(functions, found, strict=True):
        alone = compile_function(function, backend="native")
        np.testing.assert_array_equal(alone(state), value)
        np.testing.assert_allclose(value, np.array(function(state)).ravel(), rtol=1e-13, atol=1e-13)
    assert builds == ["angles", "products", "long"]
    together.build_together(functions[:1], "native")  # a single one is left to its kernel
    together.build_together(functions, "vm")
    assert len(objects(Path(os.environ["DALEMBERT_CACHE"]) / "kernels")) == 3


def test_one_that_cannot_be_built_together_names_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, name: str, **__: object) -> Path:
        raise BuildError(f"the C compiler failed on {name!r}")

    monkeypatch.setattr(together, "build_units", fail)
    x = SX.sym("x")
    with pytest.raises(BuildError, match="failed on 'one, two'"):
        together.build_together([ca.Function("one", [x], [x]), ca.Function("two", [x], [2 * x])], "native")
    assert objects(folder) == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: os.urandom(len(data)),
        lambda data: data[:5000] + bytes([data[5000] ^ 1]) + data[5001:],
        lambda data: data + b"\0",
    ],
    ids=["empty", "truncated", "garbage", "one bit", "longer"],
)
def test_damaged_library_is_built_again(folder: Path, builds: list[str], damage: Callable[[bytes], bytes]) -> None:
    check()
    (library,) = objects(folder)
    whole = library.read_bytes()
    replace(library, damage(whole))
    check()
    assert builds == ["f", "f"]
    check()
    assert builds == ["f", "f"]


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"0" * 64, b"../../../etc/passwd", b"\0" * 64])
def test_damaged_key_is_written_again(folder: Path, builds: list[str], content: bytes) -> None:
    check()
    (key,) = (folder / "keys").iterdir()
    replace(key, content)
    check()
    check()
    assert builds == ["f", "f"]


def test_library_that_does_not_load_is_built_again(folder: Path, builds: list[str]) -> None:
    """As after an upgrade of the C library in a shared home: the bytes are right, but the loader refuses."""
    check()
    (key,) = (folder / "keys").iterdir()
    foreign = b"not a library of this system"
    digest = hashlib.sha256(foreign).hexdigest()
    (folder / "objects" / f"{digest}{objects(folder)[0].suffix}").write_bytes(foreign)
    replace(key, digest.encode())
    check()
    assert builds == ["f", "f"]


def test_folder_that_vanishes_is_made_again(folder: Path, builds: list[str]) -> None:
    check()
    shutil.rmtree(folder)
    check(3.0)
    assert builds == ["f", "f"]


def test_failed_build_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(directory: Path) -> Path:
        (directory / "library.so").write_bytes(b"half")
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        cache.load_library("k" * 64, fail)
    assert objects(folder) == []
    assert list((folder / "keys").iterdir()) == []
    assert list((folder / "build").iterdir()) == []


def test_processor_and_generator_are_part_of_the_key(
    folder: Path, builds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    check()
    monkeypatch.setattr(build, "_processor", lambda: "another processor")
    build._find_toolchain.cache_clear()
    try:
        check()
    finally:
        build._find_toolchain.cache_clear()
    monkeypatch.setattr(native, "generator_digest", lambda: "another version")
    check()
    assert builds == ["f"] * 3


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_folder_is_private(folder: Path) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    assert cache_directory() == folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


STRANGER = 12345


def give_away(path: Path) -> None:
    os.chown(path, STRANGER, STRANGER, follow_symlinks=False)


def open_to_all(path: Path) -> None:
    path.chmod(path.stat().st_mode | 0o022)


def behind_a_link(path: Path) -> None:
    """Put a link in the place of a file or folder, to what was there."""
    elsewhere = path.parent.parent.parent / f"moved-{path.name}"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


PARTS: dict[str, Callable[[Path], Path]] = {
    "library": lambda folder: objects(folder)[0],
    "key": lambda folder: next((folder / "keys").iterdir()),
    "folder of libraries": lambda folder: folder / "objects",
    "folder of keys": lambda folder: folder / "keys",
}
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
root = pytest.mark.skipif(sys.platform == "win32" or os.getuid() != 0, reason="only root can give files away")


@posix
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("change", [pytest.param(give_away, marks=root), open_to_all, behind_a_link])
def test_what_others_could_have_put_there_is_not_loaded(
    folder: Path, builds: list[str], part: str, change: Callable[[Path], None]
) -> None:
    """Its bytes are right, and yet it is built again; once."""
    check()
    change(PARTS[part](folder))
    check()
    assert builds == ["f", "f"]
    for path in (folder, *(folder / name for name in ("keys", "objects")), *objects(folder)):
        status = path.lstat()
        assert status.st_uid == os.getuid()
        assert not stat.S_ISLNK(status.st_mode) and not status.st_mode & 0o022
    check()
    assert builds == ["f", "f"]


@root
def test_library_of_another_user_does_not_run(folder: Path, tmp_path: Path) -> None:
    """A library with a digest of its own, put into a cache that was open to all: its first line would leave a mark."""
    check()
    (key,) = (folder / "keys").iterdir()
    mark, source, library = tmp_path / "mark", tmp_path / "evil.c", tmp_path / "evil.so"
    source.write_text(
        f'#include <stdio.h>\n__attribute__((constructor)) static void run(void) {{ fclose(fopen("{mark}", "w")); }}\n'
    )
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no cc")
    subprocess.run([compiler, "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
    digest = hashlib.sha256(library.read_bytes()).hexdigest()
    planted = folder / "objects" / f"{digest}{objects(folder)[0].suffix}"
    shutil.copy(library, planted)
    replace(key, digest.encode())
    give_away(planted)
    check()
    assert not mark.exists()


@posix
def test_cache_that_was_open_to_all_is_emptied(folder: Path, builds: list[str]) -> None:
    """Anyone may have renamed the keys in it: they belong to the user still, and name the wrong libraries."""
    check()
    check(3.0)
    one, two = (folder / "keys").iterdir()
    swap = [one.read_bytes(), two.read_bytes()]
    replace(one, swap[1])
    replace(two, swap[0])
    folder.chmod(0o777)
    cache._cache_directory.cache_clear()  # as in a new process
    check()
    assert builds == ["f"] * 3
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@posix
def test_cache_may_lie_behind_a_link_of_ones_own(tmp_path: Path, folder: Path, builds: list[str]) -> None:
    folder.parent.mkdir()
    (tmp_path / "disk").mkdir()
    folder.symlink_to(tmp_path / "disk")
    check()
    check()
    assert builds == ["f"]
    if os.getuid() == 0:
        give_away(folder)
        cache._cache_directory.cache_clear()
        with pytest.warns(DalembertWarning, match=f"it belongs to user {STRANGER}"):
            check(3.0)


@posix
def test_umask_does_not_matter(folder: Path, builds: list[str]) -> None:
    before = os.umask(0)
    try:
        check()
        check()
    finally:
        os.umask(before)
    assert builds == ["f"]


def test_without_a_place_to_write_kernels_are_temporary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, builds: list[str]
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("DALEMBERT_CACHE", str(blocked))
    with pytest.warns(DalembertWarning, match="Set DALEMBERT_CACHE"):
        check()
    check()
    assert builds == ["f"]


def test_many_processes_at_once(folder: Path, extension: str) -> None:
    """Kernel and extension for calls are each built once."""
    script = (
        "import sys, casadi as ca, numpy as np\n"
        "from dalembert.compile import compile_function\n"
        "sys.stdin.readline()\n"
        "x = ca.SX.sym('x', 40)\n"
        "f = ca.Function('f', [x], [ca.sin(x) * ca.sumsqr(x)], ['x'], ['y'])\n"
        "print(compile_function(f, backend='native')(np.linspace(0, 1, 40)).tobytes().hex())\n"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(dalembert.__file__).parents[1]), "DALEMBERT_CALLS": extension}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )
        for _ in range(8)
    ]
    outputs = []
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        outputs.append(process.communicate()[0])
        assert process.returncode == 0
    assert len(set(outputs)) == 1
    assert len(outputs[0].strip()) == 40 * 16
    assert len(objects(folder)) == 2
    assert list((folder / "build").iterdir()) == []


def compiler_that(folder: Path, action: str) -> str:
    """Return a compiler that does something else, once, when it is given the unit of a kernel."""
    real = shutil.which("cc")
    if real is None:
        pytest.skip("there is no cc")
    path = folder / "compiler"
    path.write_text(
        f'#!/bin/sh\ncase "$*" in *unit0.c*) if [ ! -e {folder}/met ]; then : > {folder}/met; {action}; fi;; esac\n'
        f'exec {real} "$@"\n'
    )
    path.chmod(0o700)
    return str(path)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_compiler_killed_in_the_middle(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As by the kernel when memory runs out: an error that says so, and a whole library the next time."""
    monkeypatch.setenv("DALEMBERT_CC", compiler_that(tmp_path, "kill -9 $$"))
    with pytest.raises(BuildError, match="killed by signal 9"):
        check()
    assert objects(folder) == []
    assert list((folder / "build").iterdir()) == []
    check()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_process_killed_in_the_middle(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lock and its folder hold up nobody; the folder is removed a day later."""
    script = (
        "import casadi as ca\n"
        "from dalembert.compile import compile_function\n"
        "x = ca.SX.sym('x', 3)\n"
        "compile_function(ca.Function('f', [x], [2.0 * ca.cos(x)], ['x'], ['y']), backend='native')\n"
    )
    compiler = compiler_that(tmp_path, "sleep 600")
    environment = os.environ | {
        "PYTHONPATH": str(Path(dalembert.__file__).parents[1]),
        "DALEMBERT_CC": compiler,
    }
    process = subprocess.Popen([sys.executable, "-c", script], env=environment, start_new_session=True)
    try:
        for _ in range(3000):
            if (tmp_path / "met").exists():
                break
            time.sleep(0.1)
        assert (tmp_path / "met").exists()
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    (left,) = (folder / "build").iterdir()
    monkeypatch.setenv("DALEMBERT_CC", compiler)  # the same one, so that the key is the same; now it works
    elsewhere = folder / "build" / f"{'0' * 8}-{process.pid}-x"  # of a process on another machine, for all we know
    at_work = folder / "build" / f"{owner()}-x"
    elsewhere.mkdir()
    at_work.mkdir()
    check()
    assert not left.exists()
    assert elsewhere.exists()
    assert at_work.exists()
    os.utime(elsewhere, (0, 0))
    check(3.0)
    assert list((folder / "build").iterdir()) == [at_work]


def test_old_locks_are_removed(folder: Path) -> None:
    check()
    (lock,) = (folder / "locks").iterdir()
    os.utime(lock, (0, 0))
    cache._prune_once.cache_clear()  # as in another process
    check(3.0)
    assert not lock.exists()
    check()


def test_kernels_depend_on_all_texts_of_their_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """A time loop whose text was changed is built anew, although that text lies outside of the compiler's room."""
    keys: list[str] = []
    monkeypatch.setattr(native, "load_library", lambda key, build: keys.append(key))
    x = ca.SX.sym("x")
    function, toolchain = ca.Function("f", [x], [x]), build.Toolchain(("cc",), "a compiler")
    native.load_form(function, toolchain, LANES_ROLLOUT)
    read = forms.read_text
    monkeypatch.setattr(forms, "read_text", lambda name: read(name) + ("\n/* new */" if ":step.h" in name else ""))
    native.load_form(function, toolchain, LANES_ROLLOUT)
    assert len(set(keys)) == 2
