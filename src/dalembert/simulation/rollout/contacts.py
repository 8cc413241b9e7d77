"""Contacts in the time loops of many members: the functions of a step by time-stepping, and its tables as macros."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

import casadi as ca

from dalembert.engine.problem.problem import Problem
from dalembert.engine.problem.stepping import SteppingSystem

__all__ = ["stepping_macros", "stepping_tapes"]


def stepping_tapes(system: SteppingSystem) -> tuple[ca.Function, dict[str, ca.Function]]:
    """Return the terms of a step, and what else contacts.h calls, by macro."""
    further = {"BIAS": system.bias, "MOVE": system.move, "FINISH": system.finish, "LIFT": system.lift}
    return system.terms, further | {f"PAIR{k}": function for k, function in enumerate(_kinds(system).values())}


def stepping_macros(problem: Problem) -> dict[str, object]:
    """Describe the contacts of a problem to the generated time loops."""
    system = problem.stepping
    if system is None:
        return {"STEPPING": 0}
    sizes = [int(n) for n in system.sizes]
    counts = [len(support) for support in system.supports]
    many = system.pairs is not None
    n_values, n_L = sum(n * m for n, m in zip(sizes, counts, strict=True)), sum(map(len, system.factor))
    macros: dict[str, object] = {
        "STEPPING": 1,
        "MANY": int(many),
        "N_COORDINATES": system.nq,
        "N_VELOCITIES": system.nv,
        "N_INNER": system.nz,
        "N_CONTACTS": len(sizes),
        "N_L": n_L,
        "N_ROWS": sum(sizes),
        "N_VALUES": n_values,
        "L_START": _listed([0, *accumulate(map(len, system.factor))]),
        "L_COLUMN": _listed([j for row in system.factor for j in row]),
        "SIZES": _listed(sizes),
        "COUNTS": _listed(counts),
        "SUPPORT_START": _listed([0, *accumulate(counts)]),
        "SUPPORT": _listed([j for support in system.supports for j in support]),
        "ROW_START": _listed([0, *accumulate(sizes)]),
        "VALUE_START": _listed([0, *accumulate(n * m for n, m in zip(sizes, counts, strict=True))]),
        "FEATURES": ", ".join(repr(float(min(length, 1e300))) for length in system.features),
        "FORCES": system.forces,
        "LOSSES": system.losses,
        "RESIDUAL": system.residual,
        "SWEEPS": system.sweeps,
        "WORK_INPUT": system.work_input,
        "WORK_LOSS": system.work_loss,
        "THETA": repr(float(system.theta)),
        "MARGIN": repr(float(system.way.margin)),
        "CONE_TOLERANCE": repr(float(system.way.tolerance)),
        "MAX_SWEEPS": int(system.way.max_sweeps),
    }
    if system.pairs is not None:
        numbers = {key: k for k, key in enumerate(_kinds(system))}
        gathers = [pair.gather for pair in system.pairs]
        cases = " ".join(f"case {k}: {{ PAIR{k}(in, out, work) break; }}" for k in numbers.values())
        macros |= {
            "N_GIVEN": 1 + problem.n_states + problem.n_parameters + n_L + system.nv,
            "MOST_GATHERED": max(1, *map(len, gathers)),
            "GATHER_START": _listed([0, *accumulate(map(len, gathers))]),
            "GATHER": _listed([i for gather in gathers for i in gather]),
            "PAIR_KINDS": _listed([numbers[pair.key] for pair in system.pairs]),
            "PAIRS(kind, in, out, work)": f"switch (kind) {{ {cases} }}",
        }
    return macros


def _kinds(system: SteppingSystem) -> dict[str, ca.Function]:
    """Functions of single contacts by key, each once."""
    return {pair.key: pair.function for pair in system.pairs or ()}


def _listed(values: Iterable[int]) -> str:
    """Entries of a table, which is never empty."""
    return ", ".join(map(str, [*values, 0]))
