"""State-space form of a machine's uncertain model, and its outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dalembert.analysis.linearize import state_space_names
from dalembert.analysis.linearize_constrained import multiplier_names
from dalembert.analysis.outputs import is_signal, signal_names
from dalembert.control.signals import label
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.uncertain.lft import LFT
from dalembert.control.uncertain.relation import ERROR, AccelerationMap
from dalembert.control.uncertain.tapes import Held
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["signals_of", "state_equations", "with_signals"]


def state_equations(
    eom: EquationsOfMotion,
    made: AccelerationMap,
    drives: Sequence[str],
    sampled: float,
    held: Held | None,
    moving: tuple[tuple[str, float], ...],
) -> LFT:
    """State-space form: ``d' = w``, ``w' = a`` with the accelerations of the map, and the block of its error.

    Outputs are all displacements, velocities and accelerations, then the reactions.
    """
    nv, nu = eom.nv, len(drives)
    own = list(range(nv) if held is None else held.independent)
    free, m = len(own), 0 if held is None else held.number
    A, B, C, D = made.matrices
    n, y = A.shape[0], C.shape[0]
    w, d, u = slice(0, free), slice(free, 2 * free), slice(2 * free, 2 * free + nu)
    zero = np.zeros
    into, seen = made.error if made.error is not None else (zero((y, 0)), zero((0, y + 2 * free + nu)))
    k = into.shape[1]
    E_y, E_w, E_d, E_u = np.split(seen, [y, y + free, y + 2 * free], axis=1)  # what the error depends on
    unknown = np.hstack([D[:, d], D[:, w], C, into])  # of displacements, velocities, blocks and error
    M11 = np.block(
        [
            [zero((free, free)), np.eye(free), zero((free, n + k))],
            [unknown[own]],
            [B[:, d], B[:, w], A, zero((n, k))],
            [E_y @ D[:, d] + E_d, E_y @ D[:, w] + E_w, E_y @ C, zero((k, k))],
        ]
    )
    M12 = np.vstack([zero((free, nu)), D[own][:, u], B[:, u], E_y @ D[:, u] + E_u])
    reactions = _reactions(eom, held)
    count = 3 * nv + len(reactions)
    shown, drive = zero((count, M11.shape[1])), zero((count, nu))
    others = [] if held is None else held.dependent(nv)
    for block, rows in enumerate((own, [i + nv for i in own])):
        shown[rows, block * free : (block + 1) * free] = np.eye(free)
    shown[2 * nv : 3 * nv], drive[2 * nv : 3 * nv] = unknown[:nv], D[:nv, u]
    # unknowns are accelerations, reactions, dependent velocities and dependent displacements
    for first, rows in ((nv + m, [i + nv for i in others]), (nv + m + len(others), others)):
        shown[rows], drive[rows] = unknown[first : first + len(rows)], D[first : first + len(rows), u]
    for i, rows in enumerate(reactions.values()):
        added = [nv + row for row in rows]
        shown[3 * nv + i], drive[3 * nv + i] = unknown[added].sum(axis=0), D[added][:, u].sum(axis=0)
    error = DeltaBlock(ERROR, k, "error", None if made.error is not None else sampled, moving)
    blocks = (DeltaBlock("1/s", 2 * free, "state"), *made.blocks, error)
    rates = (f"{x}.rate" for x in eom.v_names)
    names = tuple(label(x) for x in (*state_space_names(eom), *rates, *_reactions(eom, held)))
    return LFT(M11, M12, shown, drive, blocks, tuple(drives), names)


def _reactions(eom: EquationsOfMotion, held: Held | None) -> dict[str, list[int]]:
    """Reactions by the names that a run gives them: places among the held rows whose multipliers add up to each."""
    if held is None or not held.rows:
        return {}
    known = multiplier_names(eom).items()
    return {
        name: [held.rows.index(row) for row in rows if row in held.rows] for name, rows in known if rows[0] in held.rows
    }


def signals_of(eom: EquationsOfMotion, outputs: Sequence[str], held: Held | None) -> list[str]:
    """Outputs that are signals of frames, declared ones or readings; others are states and reactions, or refused."""
    where = f"machine '{eom.machine.name}'"
    states = tuple(label(x) for x in state_space_names(eom))
    reactions = {} if not eom.constrained else multiplier_names(eom)
    signals = []
    for name in outputs:
        if label(name) in states:
            continue
        if name in reactions:
            if held is not None and held.redundant:
                raise InputError(f"'{name}' of {where} is not determined: its constraints are redundant")
            if held is None or reactions[name][0] not in held.rows:
                raise InputError(f"'{name}' of {where} does not act there, so that it is no output")
        elif is_signal(eom, name):
            signals.append(name)
        else:
            raise UnknownNameError("output", name, (*states, *signal_names(eom), *reactions), where)
    return signals


def with_signals(
    eom: EquationsOfMotion,
    states: LFT,
    seen: LFT | None,
    signals: Sequence[str],
    moving: tuple[tuple[str, float], ...],
) -> LFT:
    """The model with signals behind its states, by the map of these from displacements, velocities, accelerations."""
    if seen is None:
        raise InputError(
            f"outputs {', '.join(signals)} of machine '{eom.machine.name}' over these ranges have no bound"
        )
    n, every, own = seen.M11.shape[0], len(states.outputs), 3 * eom.nv
    M12 = np.hstack([seen.M12, np.zeros((n, every - own))])
    M21 = np.vstack([np.zeros((every, n)), seen.M21])
    M22 = np.vstack([np.eye(every), np.hstack([seen.M22, np.zeros((len(signals), every - own))])])
    names = (*states.outputs, *(label(x) for x in signals))
    blocks = tuple(replace(b, moving=moving) if b.kind == "error" else b for b in seen.blocks)
    return LFT(seen.M11, M12, M21, M22, blocks, (), names) @ states
