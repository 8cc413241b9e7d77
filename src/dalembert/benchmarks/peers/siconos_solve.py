"""Friction problems by Siconos: ``python3 siconos_solve.py IN.npz OUT.npz``, with the interpreter that has it.

The input has the arrays ``W_NAME`` (n x n), ``q_NAME`` (n) and ``mu_NAME`` (n/3) of each problem and ``tolerance``; the
output ``r_SOLVER_NAME`` and ``time_SOLVER_NAME``, the least processor time of two solutions. ``most`` limits the
sweeps of NSGS.
"""

import sys
import time
from importlib import import_module
from typing import Any

import numpy as np

__all__ = ["main"]


def main(source: str, target: str) -> None:
    """Solve all problems of a file by all solvers."""
    sn: Any = import_module("siconos.numerics")
    solvers = {"NSGS": sn.SICONOS_FRICTION_3D_NSGS, "NSN_AC": sn.SICONOS_FRICTION_3D_NSN_AC}
    arrays = np.load(source)
    out: dict[str, Any] = {}
    for name in [key[2:] for key in arrays if key.startswith("W_")]:
        W, q, mu = (np.asfortranarray(arrays[f"{what}_{name}"]) for what in ("W", "q", "mu"))
        for solver, number in solvers.items():
            if solver == "NSN_AC" and not np.diag(W).all():
                continue  # contacts in the plane: its matrices are singular
            times = []
            for _ in range(2):
                problem = sn.FrictionContactProblem(3, len(mu), W, q, mu)
                options = sn.SolverOptions(number)
                options.dparam[sn.SICONOS_DPARAM_TOL] = float(arrays["tolerance"])
                options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = int(arrays["most"]) if solver == "NSGS" else 50
                r, u = np.zeros(len(q)), np.zeros(len(q))
                started = time.process_time()
                sn.fc3d_driver(problem, r, u, options)
                times.append(time.process_time() - started)
            out[f"r_{solver}_{name}"], out[f"time_{solver}_{name}"] = r, min(times)
    np.savez(target, **out)


if __name__ == "__main__":
    main(*sys.argv[1:3])
