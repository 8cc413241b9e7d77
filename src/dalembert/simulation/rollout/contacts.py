"""Time-stepping in the time loops of many members: the functions of a step, and its tables as macros."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

import casadi as ca

from dalembert.engine.problem.problem import Problem
from dalembert.engine.problem.stepping import BlockLaw, SteppingSystem

__all__ = ["collider_macros", "collider_tapes", "stepping_macros", "stepping_tapes"]


def stepping_tapes(system: SteppingSystem) -> tuple[ca.Function, dict[str, ca.Function]]:
    """Return the terms of a step, and its other functions, by macro."""
    further = {"BIAS": system.bias, "MOVE": system.move, "FINISH": system.finish, "LIFT": system.lift}
    if system.n_held:
        further["HELD"] = system.held
    return system.terms, further | {f"PAIR{k}": function for k, function in enumerate(_kinds(system).values())}


def collider_tapes(system: SteppingSystem) -> tuple[ca.Function, dict[str, ca.Function]]:
    """Return the functions of a step of a machine with colliders, as `stepping_tapes` does; none that are empty."""
    further = {name.upper(): f for name, f in system.functions.items() if name != "terms" and _is_filled(f)}
    return system.terms, further


def collider_macros(system: SteppingSystem, words: int) -> dict[str, object]:
    """Describe the colliders of a problem to the time loop of a GPU; ``words`` is the size of a world."""
    empty = [name for name, f in system.functions.items() if name != "terms" and not _is_filled(f)]
    nothing = {f"{name.upper()}(in, out, work)": "" for name in empty}
    return {"COLLIDERS": 1, "ALONE": 1, "STEPPING": 0, "N_WORLD": words, **nothing}


def _is_filled(function: ca.Function) -> bool:
    return any(function.numel_out(k) for k in range(function.n_out()))


def stepping_macros(problem: Problem) -> dict[str, object]:
    """Describe the blocks of a problem to the generated time loops."""
    system = problem.stepping
    if system is None:
        return {"STEPPING": 0}
    tables, gathers = system.tables, [pair.gather for pair in system.pairs or ()]
    many, n_L = system.pairs is not None, tables["L_start"][-1]
    numbers = {key: k for k, key in enumerate(_kinds(system))}
    cases = " ".join(f"case {k}: {{ PAIR{k}(in, out, work) break; }}" for k in numbers.values())
    return {
        "STEPPING": 1,
        "MANY": int(many),
        "N_COORDINATES": system.nq,
        "N_VELOCITIES": system.nv,
        "N_INNER": system.nz,
        "N_BLOCKS": len(system.names),
        "N_HELD_ROWS": system.n_held,
        "FIRST_BENT": system.first_bent,
        "N_BENT": system.n_bent,
        "N_L": n_L,
        "N_ROWS": tables["row_start"][-1],
        "N_VALUES": tables["value_start"][-1],
        "N_NUMBERS": tables["block_start"][-1],
        "N_MU": tables["mu_start"][-1],
        "ROPES": int(BlockLaw.ROPE in system.laws),
        "MOST_ROWS": int(max(system.sizes, default=1)),
        "L_START": _listed(tables["L_start"]),
        "L_COLUMN": _listed(tables["L_column"]),
        "LAWS": _listed(tables["law"]),
        "SIZES": _listed(tables["size"]),
        "COUNTS": _listed(tables["count"]),
        "SUPPORT_START": _listed(tables["support_start"]),
        "SUPPORT": _listed(tables["support"]),
        "ROW_START": _listed(tables["row_start"]),
        "MU_START": _listed(tables["mu_start"]),
        "VALUE_START": _listed(tables["value_start"]),
        "BLOCK_START": _listed(tables["block_start"]),
        "FORCES": _listed(tables["force"]),
        "LOSSES": _listed(tables["loss"]),
        "LOADS": int(any(count for count in tables["load_count"]) or bool(tables["tug"])),
        "LOAD_FIRST": _listed(tables["load"]),
        "LOAD_COUNTS": _listed(tables["load_count"]),
        "TUG_STARTS": _listed(tables["tug_start"]),
        "TUGS": _listed(tables["tug"]),
        "FEATURES": ", ".join(repr(float(min(length, 1e300))) for length in (*system.features, 0.0)),
        "FIRST_FORCE": system.first_force,
        "N_FORCES": system.n_forces,
        "MULTIPLIERS": system.multipliers,
        "RESIDUAL": system.residual,
        "SWEEPS": system.sweeps,
        "UNDETERMINED": system.undetermined,
        "LOWERED": system.lowered,
        "MOST_TESTED": _most_tested(tables["row_start"][-1]),
        "MOST_GRAM": max(1, _most_tested(tables["row_start"][-1]) * (_most_tested(tables["row_start"][-1]) + 1) // 2),
        "WORK_INPUT": system.work_input,
        "WORK_LOSS": system.work_loss,
        "THETA": repr(float(system.theta)),
        "MARGIN": repr(float(system.way.margin)),
        "CONE_TOLERANCE": repr(float(system.way.tolerance)),
        "MAX_SWEEPS": int(system.way.max_sweeps),
        "N_GIVEN": 1 + problem.n_states + problem.n_parameters + n_L + system.nv if many else 1,
        "MOST_GATHERED": max(1, 1, *map(len, gathers)),
        "GATHER_START": _listed([0, *accumulate(map(len, gathers))]),
        "GATHER": _listed([i for gather in gathers for i in gather]),
        "PAIR_KINDS": _listed([numbers[pair.key] for pair in system.pairs or ()]),
        "PAIRS(kind, in, out, work)": f"switch (kind) {{ {cases} }}" if many else "",
        **({} if system.n_held else {"HELD(in, out, work)": ""}),
    }


def _most_tested(rows: int) -> int:
    """Return the number of rows up to which lanes test whether these depend on each other, as in ``one.c``."""
    return max(1, min(48, rows))


def _kinds(system: SteppingSystem) -> dict[str, ca.Function]:
    """Functions of single blocks by key, each once."""
    return {pair.key: pair.function for pair in system.pairs or ()}


def _listed(values: Iterable[int]) -> str:
    """Entries of a table, which is never empty."""
    return ", ".join(map(str, [*values, 0]))
