"""Pinocchio in C++: compiled loops over its algorithms, built from the headers of its wheel."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.compile.build import LIBRARY_SUFFIX
from dalembert.compile.cache import cache_directory, load_library
from dalembert.core.errors import BuildError
from dalembert.core.types import Array

__all__ = ["FLAGS", "PinocchioLoop", "load_loop"]


FLAGS = (
    "-std=c++17",
    "-O3",
    "-march=native",
    "-DNDEBUG",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
    "-fPIC",
    "-fvisibility=hidden",
    "-w",
)

CODES = {"forward": 0, "inverse": 1, "mass-matrix": 2, "derivatives": 3}


def load_loop(*, build: bool = True, announce: Callable[[str], None] = lambda _: None) -> ctypes.CDLL:
    """Build the loop, or find it in the kernel cache, and load it.

    Parameters
    ----------
    build
        Whether to build it if it is not there: some minutes, once.
    announce
        Is told before a build starts.

    Raises
    ------
    BuildError
        If something is missing; the message names it.
    """
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        raise BuildError("no C++ compiler")
    include, version = _pinocchio_headers()
    eigen = _eigen_headers(include)
    source = files("dalembert.benchmarks.peers").joinpath("pinocchio_loop.cpp").read_text(encoding="utf-8")
    identity = _output([compiler, "--version"]) + _output([compiler, "-march=native", "-Q", "--help=target"])
    key = hashlib.sha256("\0".join([source, *FLAGS, version, str(include), identity]).encode()).hexdigest()
    if not (cache_directory() / "keys" / key).is_file():
        if not build:
            raise BuildError("not built yet: run the benchmark once without --quick")
        announce("building a loop over Pinocchio's C++ from its headers; this takes some minutes, once")

    def make(directory: Path) -> Path:
        text = directory / "pinocchio_loop.cpp"
        text.write_text(source, encoding="utf-8")
        library = directory / f"library{LIBRARY_SUFFIX}"
        command = [compiler, *FLAGS, "-shared", f"-I{include}", f"-I{eigen}", str(text), "-o", str(library)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            raise BuildError(f"Pinocchio's loop does not build\n{done.stdout.decode(errors='replace')[:2000]}")
        return library

    return load_library(key, make)


def _pinocchio_headers() -> tuple[Path, str]:
    for name in ("libpinocchio", "pin"):
        with contextlib.suppress(PackageNotFoundError):
            package = distribution(name)
            include = Path(str(package.locate_file("cmeel.prefix/include")))
            if (include / "pinocchio" / "algorithm" / "aba.hpp").is_file():
                return include, package.version
    include = Path(sys.prefix, "include")
    if (include / "pinocchio" / "algorithm" / "aba.hpp").is_file():
        return include, "unknown"
    raise BuildError("no headers of Pinocchio (pip install pin)")


def _eigen_headers(include: Path) -> Path:
    candidates = [Path(os.environ.get("EIGEN3_INCLUDE_DIR", "."))]
    roots = [include, Path(sys.prefix, "include"), Path("/usr/include"), Path("/usr/local/include")]
    for candidate in [*candidates, *(root / "eigen3" for root in roots), Path("/opt/homebrew/include/eigen3")]:
        if (candidate / "Eigen" / "Core").is_file():
            return candidate
    raise BuildError("no headers of Eigen (apt install libeigen3-dev, or set EIGEN3_INCLUDE_DIR)")


def _output(command: list[str]) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.decode()


class PinocchioLoop:
    """A model of Pinocchio (given by its Python object) behind the compiled loops.

    Parameters
    ----------
    library
        The loop, from `load_loop`.
    model
        The model.
    q, v, x
        States, one per row, in Pinocchio's order; ``x``: forces, or accelerations for the inverse dynamics.
    """

    def __init__(self, library: ctypes.CDLL, model: Any, q: Array, v: Array, x: Array) -> None:
        self._library = library
        library.robot_new.restype = ctypes.c_void_p
        joints = range(1, model.njoints)
        names = [model.joints[i].shortname() for i in joints]
        axes = [_axis(model.joints[i]) for i in joints]
        placements = [np.r_[X.rotation.ravel(), X.translation] for X in (model.jointPlacements[i] for i in joints)]
        inertias = [_inertia(model.inertias[i]) for i in joints]
        parents = np.array([model.parents[i] for i in joints], dtype=np.int32)
        numbers = [axes, placements, inertias, model.gravity.linear, model.armature]
        arrays = [parents, *(np.array(x, dtype=float) for x in numbers)]
        text = "".join(f"{name}\n" for name in names).encode()
        self._handle = ctypes.c_void_p(library.robot_new(len(names), text, *map(_pointer, arrays)))
        if not self._handle:
            raise BuildError(f"the compiled loop does not support one of the joints {', '.join(sorted(set(names)))}")
        rows = [np.ascontiguousarray(x) for x in (q, v, x)]
        library.robot_states(self._handle, ctypes.c_long(len(q)), *map(_pointer, rows))
        self._n, self._nv = rows[1].shape
        self._vectors = np.empty_like(rows[1])

    def timed(self, quantity: str, world: bool = False) -> Callable[[], Any]:
        """Function that computes all states; matrices stay where Pinocchio leaves them.

        Parameters
        ----------
        quantity
            A name in `dalembert.benchmarks.QUANTITIES`.
        world
            The convention of the algorithm, where it has two.
        """
        loop, code = self._library.robot_loop, CODES[quantity]
        place = _pointer(self._vectors) if code < 2 else None
        return lambda: loop(self._handle, code, int(world), place)  # keeps the model alive

    def values(self, quantity: str, world: bool = False) -> Array:
        """Results of all states, in Pinocchio's order: (states, parts, numbers), matrices row by row."""
        code, n, nv = CODES[quantity], self._n, self._nv
        parts = 3 if quantity == "derivatives" else 1
        out = np.full((n, parts, nv) if code < 2 else (n, parts, nv, nv), np.nan)
        self._library.robot_loop(self._handle, code, int(world), _pointer(out))
        if code < 2:
            return out
        out = out.swapaxes(-1, -2)  # they come column by column
        upper = np.triu(out[:, -1])  # crba and the inverse mass matrix: only the upper triangle counts
        out[:, -1] = upper + np.triu(upper, 1).swapaxes(-1, -2)
        return out.reshape(n, parts, nv * nv)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.robot_delete(self._handle)


def _axis(joint: Any) -> Array:
    if "Unaligned" not in joint.shortname():
        return np.zeros(3)
    return np.array(joint.extract().axis, dtype=float)


def _inertia(Y: Any) -> Array:
    I = np.array(Y.inertia)
    return np.array([Y.mass, *Y.lever, I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]])


def _pointer(x: NDArray[np.generic]) -> ctypes.c_void_p:
    return ctypes.c_void_p(x.ctypes.data)
