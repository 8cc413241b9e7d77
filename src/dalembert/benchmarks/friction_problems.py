"""Friction problems in the text format of Siconos, solved by the steps' solver and by Siconos: residuals, times.

``python -m dalembert.benchmarks.friction_problems FOLDER [OUT.json]`` reads all ``*.dat`` of a folder. Siconos runs in
an interpreter that has it (``--python``, Debian's ``python3-siconos``); without one its columns stay empty. Both get
the same arrays. Times are those of the processor, ours without the factor of W, which a step has anyway. Matrices of
files are not symmetric to their last digits, and some are less so: all are made symmetric.

A problem is ``u = W r + q`` with ``r_n >= 0``, ``u_n >= 0``, ``r_n u_n = 0`` and ``|r_t| <= mu r_n``, opposite to the
slip (V. Acary, F. Cadoux, C. Lemarechal, J. Malick, ZAMM 91 (2011), 155). The residual is ``|r - P(r - u~/w)|`` with
``u~ = u + mu |u_t| n``, the projection P onto the cone and the largest diagonal entry w of a contact, by the largest
force.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dalembert.benchmarks.rows import describe
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.engine.stepping.native import solve_cone

__all__ = ["FrictionProblem", "compare", "read_problem", "residual"]

_SCRIPT = Path(__file__).parent / "peers" / "siconos_solve.py"


class FrictionProblem(NamedTuple):
    """A problem: ``W`` (3k x 3k, symmetric), ``q`` (3k), friction (k), and by how much W was not symmetric."""

    W: Array
    q: Array
    mu: Array
    skew: float


def read_problem(path: Path) -> FrictionProblem:
    """Read a file; contacts in the plane get a second tangent along which nothing moves."""
    words = iter(path.read_text().split())

    def numbers(count: int, kind: type = float) -> Array:
        return np.array([kind(next(words)) for _ in range(count)])

    try:
        dimension, contacts, storage = (int(next(words)) for _ in range(3))
        n, columns = (int(next(words)) for _ in range(2))
        if storage == 0:
            numbers(2, int)
            W = numbers(n * columns).reshape(n, columns)
        elif storage == 1:
            W = _sparse_blocks(numbers, n, columns)
        else:
            raise InputError(f"'{path}' stores its matrix as kind {storage}: known are 0 (dense) and 1 (sparse blocks)")
        q, mu = numbers(n), numbers(contacts)
    except InputError:
        raise
    except (StopIteration, ValueError):
        raise InputError(f"'{path}' is not a friction problem of Siconos") from None
    if n != columns or n != dimension * contacts or dimension not in (2, 3):
        raise InputError(f"'{path}' has {contacts} contacts in {dimension} dimensions and a matrix {n} x {columns}")
    skew = float(np.abs(W - W.T).max() / np.abs(W).max())
    rows = (3 * np.arange(contacts)[:, None] + np.arange(dimension)).ravel()
    wide, right = np.zeros((3 * contacts,) * 2), np.zeros(3 * contacts)
    wide[np.ix_(rows, rows)], right[rows] = (W + W.T) / 2, q
    return FrictionProblem(wide, right, mu, skew)


def _sparse_blocks(numbers: Any, n: int, columns: int) -> Array:
    """Rows of blocks one after the other, as Siconos writes its sparse block matrices."""
    _, rows, across = numbers(3, int)
    ends, sides = numbers(rows, int), numbers(across, int)
    filled, used = numbers(2, int)
    first, column = numbers(filled, int), numbers(used, int)
    W = np.zeros((n, columns))
    for i in range(rows):
        for k in range(first[i], first[i + 1]):
            j = column[k]
            top, left = (0 if i == 0 else ends[i - 1]), (0 if j == 0 else sides[j - 1])
            height, width = ends[i] - top, sides[j] - left
            numbers(1, int)  # number of the block
            W[top : top + height, left : left + width] = numbers(height * width).reshape(width, height).T
    return W


def residual(problem: FrictionProblem, r: Array) -> float:
    """Largest violation of the laws by forces r (3k), by the largest of them."""
    u = (problem.W @ r + problem.q).reshape(-1, 3)
    x, mu = r.reshape(-1, 3), problem.mu
    step = 1.0 / np.diag(problem.W).reshape(-1, 3).max(axis=1)
    n = x[:, 0] - step * (u[:, 0] + mu * np.hypot(u[:, 1], u[:, 2]))
    t = x[:, 1:] - step[:, None] * u[:, 1:]
    size = np.hypot(t[:, 0], t[:, 1])
    inside, polar = size <= mu * n, mu * size <= -n
    k = (mu * size + n) / (1.0 + mu**2)
    shown = np.where(inside, n, np.where(polar, 0.0, k))
    part = np.where(inside, 1.0, np.where(polar, 0.0, mu * k / np.where(size > 0.0, size, 1.0)))
    projected = np.column_stack([shown, part[:, None] * t])
    return float(np.abs(projected - x).max() / max(np.abs(x).max(), 1e-300))


def compare(folder: Path, *, python: str | None = None, tolerance: float = 1e-8, most: int = 500) -> dict[str, Any]:
    """Solve all problems of a folder.

    Parameters
    ----------
    folder
        With files ``*.dat``.
    python
        Interpreter that has Siconos; None: none.
    tolerance, most
        Tolerance of all solvers, and their number of sweeps at most.
    """
    problems = {path.stem: read_problem(path) for path in sorted(folder.glob("*.dat"))}
    if not problems:
        raise InputError(f"no friction problems (*.dat) in '{folder}'")
    theirs = _siconos(problems, python, tolerance, most) if python else {}
    rows = []
    for name, problem in problems.items():
        times, factor = [], []
        for _ in range(2):
            started = time.process_time()
            np.linalg.eigh(problem.W)
            factor.append(time.process_time() - started)
            started = time.process_time()
            solution = solve_cone(problem.W, problem.q, problem.mu, tolerance=tolerance, max_sweeps=most)
            times.append(time.process_time() - started)
        row: dict[str, Any] = {
            "problem": name, "contacts": len(problem.mu), "skew": problem.skew,
            "dalembert": {
                "residual": residual(problem, solution.impulses.ravel()), "sweeps": solution.sweeps,
                "undetermined": solution.undetermined, "seconds": max(min(times) - min(factor), 0.0),
            },
        }  # fmt: skip
        for solver in ("NSGS", "NSN_AC"):
            if f"r_{solver}_{name}" in theirs:
                r, seconds = theirs[f"r_{solver}_{name}"], float(theirs[f"time_{solver}_{name}"])
                row[f"siconos {solver}"] = {"residual": residual(problem, r), "seconds": seconds}
        rows.append(row)
    settings = {"tolerance": tolerance, "most_sweeps": most}
    return {"topic": "friction problems", **describe("python -m dalembert.benchmarks.friction_problems", settings)} | {
        "results": rows
    }


def _siconos(problems: dict[str, FrictionProblem], python: str, tolerance: float, most: int) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.npz", Path(folder) / "out.npz"
        arrays: dict[str, Any] = {"tolerance": tolerance, "most": most}
        for name, problem in problems.items():
            arrays |= {f"W_{name}": problem.W, f"q_{name}": problem.q, f"mu_{name}": problem.mu}
        np.savez(source, **arrays)
        done = subprocess.run([python, str(_SCRIPT), str(source), str(target)], capture_output=True, text=True)
        if done.returncode:
            raise InputError(f"'{python}' could not solve by Siconos: {done.stderr.strip()[-400:]}")
        return dict(np.load(target))


def main() -> None:
    """Run the comparison from the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--python", help="interpreter that has Siconos, such as /usr/bin/python3")
    parser.add_argument("--tolerance", type=float, default=1e-8)
    given = parser.parse_args()
    figures = compare(given.folder, python=given.python, tolerance=given.tolerance)
    for row in figures["results"]:
        print(f"{row['problem']}: {row['contacts']} contacts")
        for engine in (e for e in row if isinstance(row[e], dict)):
            print(f"  {engine:16} residual {row[engine]['residual']:9.2e}  {1e3 * row[engine]['seconds']:9.3f} ms")
    if given.out:
        given.out.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
