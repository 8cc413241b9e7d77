"""Sampled laws in proofs with rates: the law computes at a period, on measurements of some age, and holds its inputs.

Between samples the law sees ``y(t_k - T)`` in the place of ``y(t)``. The difference is a linear operator on ``y'``. The
part of the hold has the norm ``2 h / pi`` for a period ``h`` (Wirtinger's inequality on each interval; L. Mirkin, "Some
remarks on the use of time-varying delay to model sample-and-hold circuits", IEEE TAC 52 (2007) 1109-1112), a delay
``T`` the norm ``T``. The bounds hold on every finite interval of time, so that the operator is a block of a proof by
Lyapunov functions. Gains that are scheduled are those of the sample: their number differs from the present one by at
most its rate times ``h + T``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.signals import place
from dalembert.control.uncertain.blocks import DeltaBlock, slices
from dalembert.control.uncertain.lft import LFT, system_lft
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.core.validation import check_number

if TYPE_CHECKING:
    from dalembert.control.norms import LinearSystem

__all__ = ["sampled_loop"]


def sampled_loop(
    plant: LFT,
    controller: LinearSystem | LFT,
    measured: Sequence[str],
    controls: Sequence[str],
    *,
    period: float,
    delay: float = 0.0,
    rates: Mapping[str, float] | None = None,
) -> LFT:
    """Closed loop ``u = -K y`` of a law that computes at a period, for proofs with rates.

    Parameters
    ----------
    plant
        The plant, such as the ``lft`` of an uncertain model.
    controller
        Gains from measured signals to controls: numbers, or an LFT (``ScheduledGains.lft``), without states.
    measured, controls
        Names of outputs, which must be states of the plant, and of inputs.
    period
        Seconds between samples.
    delay
        Age of the measurements at a sample [s].
    rates
        Largest rates of the blocks of the controller [1/s], as those of the proof: at a sample its numbers are older.

    Returns
    -------
    LFT
        The loop, with a block ``sampling``, and blocks ``NAME.sampled`` of the controller's numbers.

    Examples
    --------
    ``x' = -x(t_k)`` is stable up to a period of 2 s. The bound proves ``pi / 2``:

    >>> import control
    >>> from dalembert.control.varying import varying_stability
    >>> plant = system_lft(control.ss(0.0, 1.0, 1.0, 0.0))
    >>> loops = [sampled_loop(plant, [[1.0]], plant.outputs, plant.inputs, period=h) for h in (1.55, 1.6)]
    >>> [varying_stability(loop).proven for loop in loops]
    [True, False]
    """
    h, T = check_number("period", period), check_number("delay", delay, positive=False)
    if T < 0.0:
        raise InputError(f"delay must not be negative, got {delay!r}")
    K = controller if isinstance(controller, LFT) else system_lft(controller)
    if any(b.kind == "state" for b in K.blocks):
        raise InputError("a sampled loop needs gains without states, got a controller with states")
    return _seen(plant, measured, T + 2.0 * h / np.pi).feedback(_older(K, h + T, rates or {}), measured, controls)


def _seen(plant: LFT, measured: Sequence[str], age: float) -> LFT:
    """The plant whose measured outputs are those of the last sample: ``y + Delta (age y')``."""
    rows = [place(name, plant.outputs, "output") for name in measured]
    states = [i for b, s in slices(plant.blocks) if b.kind == "state" for i in range(s.start, s.stop)]
    others = np.delete(plant.M21[rows], states, axis=1)
    C = plant.M21[np.ix_(rows, states)]
    for k, name in enumerate(measured):
        if np.abs(others[k]).max(initial=0.0) or np.abs(plant.M22[rows[k]]).max(initial=0.0):
            raise InputError(f"'{name}' is not a state of the plant: a sampled loop needs measured states")
    n, p, count = plant.M11.shape[0], len(rows), plant.shape[0]
    into = np.zeros((count, p))
    into[rows] = np.eye(p)
    rate_blocks, rate_inputs = age * C @ plant.M11[states], age * C @ plant.M12[states]
    return LFT(
        np.block([[plant.M11, np.zeros((n, p))], [rate_blocks, np.zeros((p, p))]]),
        np.vstack([plant.M12, rate_inputs]),
        np.hstack([plant.M21, into]),
        plant.M22,
        (*plant.blocks, DeltaBlock("sampling", p, "complex")),
        plant.inputs,
        plant.outputs,
    )


def _older(K: LFT, age: float, rates: Mapping[str, float]) -> LFT:
    """The gains at numbers of the last sample: ``d + c e`` with the largest change ``c`` and ``e`` between -1 and 1."""
    if not K.blocks:
        return K
    parts: list[tuple[DeltaBlock, list[int], Array]] = []
    for b, s in slices(K.blocks):
        parts.append((b, list(range(s.start, s.stop)), np.ones(b.size)))
    for b, s in slices(K.blocks):
        if b.kind != "real":
            raise InputError(f"block '{b.name}' of the controller is not a real parameter: it cannot be sampled")
        rate = rates.get(b.name, np.inf)
        # without a bound of the rate the number of the last sample is any other one
        change = min(rate * age, 2.0) if np.isfinite(rate) else 2.0
        if change > 0.0:
            older = replace(b, name=f"{b.name}.sampled")
            parts.append((older, list(range(s.start, s.stop)), np.full(b.size, change)))
    rows = [i for _, where, _ in parts for i in where]
    scale = np.concatenate([c for _, _, c in parts])[:, None]
    M11, M12, M21 = scale * K.M11[np.ix_(rows, rows)], scale * K.M12[rows], K.M21[:, rows]
    return LFT(M11, M12, M21, K.M22, tuple(b for b, _, _ in parts), K.inputs, K.outputs)
