"""Tuning of scheduled gains: polynomials of measured quantities, over the whole box at once.

The gains of all powers act on the measured signals times the powers of the blocks' numbers. These products are further
outputs of the uncertain model, so that the tuning over ranges and its proofs take scheduled gains as they take others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import casadi as ca
import numpy as np

from dalembert.control.scheduled import ScheduledGains, check_schedule, powers
from dalembert.control.signals import label, place
from dalembert.control.structured.plants import loop_plant
from dalembert.control.structured.ranges import inside, tune_over_ranges
from dalembert.control.structured.requirements import ControllerGain, Gain, Requirement, Variance
from dalembert.control.structured.results import TuneResult, TuneSettings
from dalembert.control.structured.scales import ranges, typical_frequencies
from dalembert.control.structured.structures import Structure, SymbolicMatrices, Tunable
from dalembert.control.uncertain.lft import LFT
from dalembert.control.uncertain.model import UncertainMachine
from dalembert.core.errors import InputError
from dalembert.core.types import ExpressionLike

__all__ = ["tune_scheduled"]


def tune_scheduled(
    model: UncertainMachine,
    structure: Structure,
    hard: Sequence[Requirement],
    soft: Sequence[Requirement],
    settings: TuneSettings,
    schedule: Mapping[str, int],
) -> TuneResult:
    """Tune gains that are polynomials of quantities of the model (see `tune`)."""
    degrees = check_schedule(model, schedule)
    if structure.order:
        raise InputError("a schedule needs static gains, got a structure with states")
    _check_requirements([*hard, *soft])
    powers_of = [f"{label(n)}{k}" for n, degree in degrees.items() for k in range(1, degree + 1)]
    products = [f"{m}_times_{power}" for power in powers_of for m in structure.measured]
    lft = _with_products(model.lft, structure.measured, degrees, products)
    fixed = tune_over_ranges(model, structure, hard, soft, settings)
    if fixed.status != "unstable":  # scheduled gains start at the best fixed ones
        tunables = tuple(replace(t, start=inside(t, fixed.values[t.name])) for t in structure.tunables)
        structure = replace(structure, tunables=tunables)
    wide = _polynomial(structure, _sizes(model.lft, structure, [*hard, *soft], settings), products)
    ends = [{n: float(sign)} for n in degrees if n in lft.sizes for sign in (-1, 1)]
    result = tune_over_ranges(replace(model, lft=lft), wide, hard, soft, settings, first=ends)
    aim = "soft requirements" if soft else "hard requirements"
    value = fixed.soft if soft else fixed.hard
    text = f"{result.message}; fixed gains are {fixed.status}, {aim} at {value:.6g}"
    result = replace(result, message=text, evaluations=result.evaluations + fixed.evaluations, fixed=fixed)
    if result.status == "unstable":
        return result
    D, count = result.matrices[3], len(structure.measured)
    parts = tuple(np.ascontiguousarray(D[:, i : i + count]) for i in range(0, D.shape[1], count))
    return replace(result, scheduled=ScheduledGains(structure.measured, structure.controls, degrees, parts, model))


def _check_requirements(requirements: Sequence[Requirement]) -> None:
    """References and errors of scheduled gains are not signals of the loop of products, and are refused by name."""
    for r in requirements:
        if isinstance(r, ControllerGain):
            raise InputError(f"requirement '{r.name}' bounds the controller alone: not supported with a schedule")
        names = (*r.inputs, *r.outputs) if isinstance(r, Gain | Variance) else ()
        found = [n for n in names if n.startswith(("r.", "e."))]
        if found:
            raise InputError(
                f"requirement '{r.name}' names '{found[0]}': with a schedule, requirements are about inputs and "
                "outputs of the plant and controls u.NAME"
            )


def _with_products(lft: LFT, measured: Sequence[str], degrees: Mapping[str, int], products: Sequence[str]) -> LFT:
    """The model with products of measured signals and powers of numbers as further outputs."""
    P = powers(degrees, len(measured))
    chosen = np.eye(len(lft.outputs))[[place(m, lft.outputs, "output") for m in measured]]
    every, more = len(lft.outputs), len(products)
    M21 = np.vstack([np.zeros((every, more)), P.M21])
    M22 = np.vstack([np.eye(every), np.zeros((more, every))])
    return LFT(P.M11, P.M12 @ chosen, M21, M22, P.blocks, (), (*lft.outputs, *products)) @ lft


def _sizes(lft: LFT, structure: Structure, requirements: Sequence[Requirement], settings: TuneSettings) -> list[float]:
    """Typical sizes of the numbers of a structure in the middle of the ranges, where all products are zero."""
    loops = [loop_plant(lft.at(**dict.fromkeys(lft.sizes, 0.0)), structure, "middle")]
    omega = settings.omega or typical_frequencies(loops, 0, requirements)[0]
    return [r.scale for r in ranges(structure, loops, omega)]


def _polynomial(structure: Structure, sizes: Sequence[float], products: Sequence[str]) -> Structure:
    """The structure on measured signals and their products: its own gains, and as many for each power."""
    count = len(products) // len(structure.measured)
    x = ca.SX.sym("x", len(structure.tunables))
    D = ca.densify(ca.SX(structure.matrices(x)[3]))
    slope = ca.jacobian(ca.vec(D), x)
    if ca.depends_on(slope, x) if slope.nnz() else False:
        raise InputError("a schedule needs gains that are linear in the tuned numbers, such as gains and pd_gains")
    linear = ca.Function("D", [x], [D - ca.substitute(D, x, ca.DM.zeros(x.shape))])
    n = len(structure.tunables)
    tunables = list(structure.tunables)
    for k in range(count):
        what = products[k * len(structure.measured)].rpartition("_times_")[2]
        tunables += [Tunable(f"{t.name}*{what}", 0.0, scale=w) for t, w in zip(structure.tunables, sizes, strict=True)]

    def matrices(y: ExpressionLike) -> SymbolicMatrices:
        own = structure.matrices(y[:n])[3]
        more = [linear(y[n * (k + 1) : n * (k + 2)]) for k in range(count)]
        whole = ca.horzcat(own, *more)
        width = len(structure.measured) * (count + 1)
        return ca.SX(0, 0), ca.SX(0, width), ca.SX(len(structure.controls), 0), whole

    return Structure((*structure.measured, *products), structure.controls, tuple(tunables), 0, matrices)
