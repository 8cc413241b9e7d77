"""Gains that are polynomials of measured quantities: as a law, and as the same law in blocks for proofs.

    u = u0 + (K_0 + sum_i sum_k d_i^k K_ik) (r - y)

The numbers ``d_i`` are those of the blocks of an uncertain model, between -1 and 1 over the ranges: the law that runs
is the controller of the proof, term by term.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.analysis.equilibrium import equilibrium
from dalembert.control.feedback import Reference, commanded, errors
from dalembert.control.law_bases import Stateless
from dalembert.control.signals import label
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.uncertain.lft import LFT
from dalembert.control.uncertain.model import UncertainMachine
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array, Expression, StateLike
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive
from dalembert.model.machine import Machine

__all__ = ["ScheduledFeedback", "ScheduledGains", "check_schedule", "powers", "scheduled_feedback"]

_MOST = 4  # degree of a polynomial


@dataclass(frozen=True, eq=False)
class ScheduledGains:
    """Gains as polynomials of quantities of an uncertain model.

    Parameters
    ----------
    measured, controls
        Signals that the gains take, and motors that they drive.
    degrees
        Degree in each quantity.
    gains
        ``K_0``, then ``K_ik`` by quantity and power, each with a row per motor.
    model
        The uncertain model.
    """

    measured: tuple[str, ...]
    controls: tuple[str, ...]
    degrees: dict[str, int]
    gains: tuple[Array, ...]
    model: UncertainMachine

    def at(self, **values: float) -> Array:
        """The gains at values of the scheduled quantities."""
        missing = [name for name in self.degrees if name not in values]
        if missing:
            raise InputError(f"values of all scheduled quantities are needed, missing: {', '.join(missing)}")
        numbers = self.model.normalised(**{name: values[name] for name in self.degrees})
        return np.asarray(sum(f * K for f, K in zip(self.factors(numbers), self.gains, strict=True)))

    def factors(self, numbers: Mapping[str, Expression | float]) -> list[Expression | float]:
        """Factors of the gains at numbers of the blocks."""
        return [1.0, *(numbers[name] ** k for name, degree in self.degrees.items() for k in range(1, degree + 1))]

    @property
    def lft(self) -> LFT:
        """The gains in blocks, for `LFT.feedback` of a model's ``lft``: ``K_0 y + d (K_1 y + d (K_2 y + ...))``."""
        count = len(self.controls)
        size = count * sum(self.degrees.values())
        M11, M21, blocks, start = np.zeros((size, size)), np.zeros((count, size)), [], 0
        for name, degree in self.degrees.items():
            rows = count * degree
            M21[:, start : start + count] = np.eye(count)
            M11[start : start + rows - count, start + count : start + rows] = np.eye(rows - count)
            blocks.append(DeltaBlock(name, rows, "real"))
            start += rows
        return LFT(
            M11, np.vstack(self.gains[1:]), M21, self.gains[0].copy(), tuple(blocks), self.measured, self.controls
        )

    def loop(self) -> LFT:
        """The closed loop of the model with these gains."""
        return self.model.lft.feedback(self.lft, self.measured, self.controls)


def powers(degrees: Mapping[str, int], count: int) -> LFT:
    """``y -> (d_1 y, d_1^2 y, ..., d_2 y, ...)`` of ``count`` signals in blocks."""
    blocks, M11, M12 = [], [], []
    size = count * sum(degrees.values())
    start = 0
    for name, degree in degrees.items():
        n = count * degree
        rows = np.zeros((n, size))
        rows[count:, start : start + n - count] = np.eye(n - count)
        into = np.zeros((n, count))
        into[:count] = np.eye(count)
        M11.append(rows)
        M12.append(into)
        blocks.append(DeltaBlock(name, n, "real"))
        start += n
    return LFT(np.vstack(M11), np.vstack(M12), np.eye(size), np.zeros((size, count)), tuple(blocks))


def check_schedule(model: UncertainMachine, schedule: Mapping[str, int]) -> dict[str, int]:
    """Degrees by quantity; what the model does not have, or no law can measure, is refused."""
    if not schedule:
        raise InputError("a schedule needs at least one quantity and its degree, such as {'length': 2}")
    for name, degree in schedule.items():
        if name not in model.ranges:
            raise UnknownNameError("uncertain quantity", name, model.ranges)
        if name.rpartition(".")[2] in ("rate", "acceleration") or ".omega" in name:
            raise InputError(f"'{name}' is not measured: gains can be scheduled on coordinates and parameters")
        if isinstance(degree, bool) or not isinstance(degree, int) or not 1 <= degree <= _MOST:
            raise InputError(f"the degree of '{name}' must be a whole number from 1 to {_MOST}, got {degree!r}")
    return dict(schedule)


@dataclass(frozen=True, eq=False)
class ScheduledFeedback(Stateless):
    """The law of scheduled gains (see `scheduled_feedback`).

    Parameters
    ----------
    scheduled
        The gains.
    q0, u0
        The equilibrium.
    reference
        References of some measured signals, as deviations from the equilibrium: numbers or functions of time.
    """

    scheduled: ScheduledGains
    q0: Array
    u0: Array
    reference: Mapping[str, Reference]

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs; there are no states."""
        gains, model = self.scheduled, self.scheduled.model
        e = errors(eom, gains.measured, self.reference, self.q0, (t, q, v))
        numbers: dict[str, Expression | float] = {}
        for name in gains.degrees:
            if name in eom.q_names:
                x = q[eom.q_names.index(name)]
            elif name in eom.p_names:
                x = p[eom.p_names.index(name)]
            else:
                raise UnknownNameError("coordinate or parameter", name, (*eom.q_names, *eom.p_names))
            part = model.tangents.get(name)
            raw = ca.tan(part * x) if part is not None else ca.sqrt(x) if name in model.roots else x
            lo, hi = (model.raw(name, end) for end in model.ranges[name])
            numbers[name] = (raw - (lo + hi) / 2.0) / ((hi - lo) / 2.0)
        command = ca.SX(len(gains.controls), 1)
        for factor, K in zip(gains.factors(numbers), gains.gains, strict=True):
            command += factor * (ca.DM(K) @ e)
        return commanded(eom, gains.controls, self.u0, command), ca.SX(0, 1)


def scheduled_feedback(
    machine: Machine | EquationsOfMotion,
    scheduled: ScheduledGains,
    *,
    at: StateLike = None,
    reference: Mapping[str, Reference] | None = None,
    p: Parameters = None,
) -> ScheduledFeedback:
    """Turn scheduled gains into a law that `dalembert.simulate` and `dalembert.rollout` run natively.

    Outside the ranges the polynomials continue; a proof does not hold there.

    Parameters
    ----------
    machine
        The machine.
    scheduled
        The gains, as `dalembert.control.structured.tune` returns them.
    at
        The equilibrium they were designed at.
    reference
        References by measured name, as deviations from the equilibrium: numbers or functions of time.
    p
        Parameter values.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.control.uncertain import uncertain
    >>> hoist = da.Machine(
    ...     "hoist",
    ...     bodies=[da.Body("rope"), da.point_mass("load", 2.0)],
    ...     joints=[
    ...         da.Joint("sway", "revolute", "world", "rope", axis="y"),
    ...         da.Joint("l", "prismatic", "rope", "load", axis="-z"),
    ...     ],
    ...     motors=[da.Motor("M", "sway"), da.Motor("F", "l")],
    ... )
    >>> model = uncertain(hoist, {"l": (1.0, 3.0)}, at={"l": 2.0})
    >>> K = (np.diag([4.0, 9.0]), np.diag([2.0, 0.0]))
    >>> gains = ScheduledGains(("sway_dot", "l_dot"), ("M", "F"), {"l": 1}, K, model)
    >>> gains.at(l=3.0).tolist()
    [[6.0, 0.0], [0.0, 9.0]]
    >>> law = scheduled_feedback(hoist, gains, at={"l": 2.0})
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    point = equilibrium(eom, at, p=p)
    wanted = {label(n): r for n, r in (reference or {}).items()}
    for name in wanted:
        if name not in scheduled.measured:
            raise UnknownNameError("measured signal", name, scheduled.measured)
    law = ScheduledFeedback(scheduled, point.q, point.u, wanted)
    symbols = (ca.SX.sym("q", eom.nq), ca.SX.sym("v", eom.nv), ca.SX(0, 1), ca.SX.sym("p", len(eom.p_names)))
    law.expression(eom, ca.SX.sym("t"), *symbols)
    return law
