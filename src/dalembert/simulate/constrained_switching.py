"""Constraints that begin and cease to act during a run: switches, cables that go slack and become taut again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.errors import InputError, SimulationError, UnknownNameError
from dalembert.formulations.constraints_contract import minimum_norm
from dalembert.formulations.constraints_projection import consistent_state, impact
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.simulate.problem import Problem

__all__ = ["Switch", "Switching"]

Array = NDArray[np.float64]
_CLOSED = 1e-6  # gap that counts as closed when a constraint begins to act


@dataclass(frozen=True)
class Switch:
    """Constraints that are added and removed at an instant, or at an event.

    Parameters
    ----------
    at
        Time.
    event
        Name of an event of the run, instead of a time.
    on, off
        Names of the constraints.
    """

    at: float | None = None
    event: str | None = None
    on: tuple[str, ...] = ()
    off: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.at is None) == (self.event is None):
            raise InputError("a Switch happens either at a time or at an event: give one of 'at' and 'event'")
        if self.at is not None and not (isinstance(self.at, int | float) and np.isfinite(self.at)):
            raise InputError(f"the time of a Switch must be a finite number, got {self.at!r}")
        for side in ("on", "off"):
            names = getattr(self, side)
            object.__setattr__(self, side, (names,) if isinstance(names, str) else tuple(names))
        if not self.on and not self.off:
            raise InputError("a Switch turns nothing on or off: give 'on' or 'off'")


@dataclass(eq=False)
class Switching:
    """Keeps the switches of a run and the state consistent with them.

    Parameters
    ----------
    eom
        The equations.
    problem
        The closed loop.
    mode
        Range in x of the switches and measured numbers.
    switches
        What is switched when, by the name of the event that triggers it.
    """

    eom: EquationsOfMotion
    problem: Problem
    mode: slice
    switches: dict[str, Switch]
    p: Array = field(default_factory=lambda: np.zeros(0))
    user: Callable[..., ArrayLike | None] | None = None
    log: list[dict[str, Any]] = field(default_factory=list)
    held: Callable[[], Array] = field(default=lambda: np.zeros(0))

    @staticmethod
    def check(eom: EquationsOfMotion, switches: Sequence[Switch], events: Sequence[str]) -> None:
        """Refuse names that do not exist."""
        known = [n.removeprefix("active.") for n in eom.constraint_system.mode_names if n.startswith("active.")]
        for switch in switches:
            if not isinstance(switch, Switch):
                raise InputError(f"switches must be Switch objects, got {switch!r}")
            for name in (*switch.on, *switch.off):
                if name not in known:
                    where = f"machine '{eom.machine.name}'"
                    raise UnknownNameError("switchable constraint or unilateral cable", name, known, where)
            if switch.event is not None and switch.event not in events:
                raise UnknownNameError("event", switch.event, events, "this run")

    def for_run(self, p: Array, user: Callable[..., ArrayLike | None] | None) -> Switching:
        """Return the same for one run: its parameters, the user's own transition, an empty log."""
        return Switching(self.eom, self.problem, self.mode, self.switches, p, user)

    @property
    def needed(self) -> bool:
        """Whether anything can be switched."""
        return bool(self.switches) or any(r.unilateral for r in self.eom.constraint_system.rows)

    def bind(self, held: Callable[[], Array]) -> None:
        """Tell how to get the values that a sampled controller holds."""
        self.held = held

    # -- start ------------------------------------------------------------------------------------------------------

    def prepare(self, x: Array, t: float, reach: float) -> tuple[Array, dict[str, float]]:
        """Return the initial state on the constraints, and how far it was moved.

        Cables that are longer than their way start slack; so do cables that would have to push.
        """
        eom, system = self.eom, self.eom.constraint_system
        x = x.copy()
        q, v = x[: eom.nq], x[eom.nq : eom.nq + eom.nv]
        mode = system.measured(x[self.mode], q, t, self.p)
        phi = eom.constraints(q, t=t, p=self.p, mode=mode)
        for rows in system.rows:
            if rows.unilateral and phi[rows.start] < -1e-9:
                mode[rows.flag] = 0.0
        found = consistent_state(eom, q, v, t=t, p=self.p, mode=mode, reach=reach)
        x[: eom.nq], x[eom.nq : eom.nq + eom.nv], x[self.mode] = found.q, found.v, mode
        x = self._release(t, x, set())
        return x, {"position": found.position_correction, "velocity": found.velocity_correction}

    # -- transitions --------------------------------------------------------------------------------------------------

    def __call__(self, t: float, x: Array, names: tuple[str, ...]) -> ArrayLike | None:
        """State after the events of an instant."""
        on, off = self._wanted(names)
        new = x.copy()
        if on or off:
            new = self._switch(t, new, on, off, names)
        if self.user is not None:
            answer = self.user(t, new, names)
            if answer is not None:
                return answer
        return new if on or off else None

    def _wanted(self, names: tuple[str, ...]) -> tuple[set[str], set[str]]:
        on: set[str] = set()
        off: set[str] = set()
        cables = {r.name for r in self.eom.constraint_system.rows if r.unilateral}
        for name in names:
            if name in self.switches:
                on |= set(self.switches[name].on)
                off |= set(self.switches[name].off)
            part, _, what = name.rpartition(".")
            if part in cables:
                (off if what == "slack" else on if what == "taut" else set()).add(part)
        return on, off - on

    def _switch(self, t: float, x: Array, on: set[str], off: set[str], names: tuple[str, ...]) -> Array:
        eom, system = self.eom, self.eom.constraint_system
        mode = x[self.mode].copy()
        q, v = x[: eom.nq], x[eom.nq : eom.nq + eom.nv]
        begin = {n for n in on if mode[system._index(f"active.{n}")] < 0.5}
        for name in on | off:
            mode[system._index(f"active.{name}")] = float(name in on)
        mode = system.measured(mode, q, t, self.p, begin)
        self._check_gap(t, q, mode, begin)
        active = system.activity(mode) != 0.0
        pulling = np.array([r.unilateral for r in system.rows for _ in range(r.stop - r.start)], dtype=bool)
        M = eom.mass_matrix(q, p=self.p)
        J = eom.constraint_jacobian(q, t=t, p=self.p, mode=mode)[active]
        rate = eom.constraint_velocity(q, v, t=t, p=self.p, mode=mode)[active]
        hit = impact(M, J, rate, v, pulling[active])
        impulses = np.zeros(system.m)
        impulses[active] = hit.impulses
        x[eom.nq : eom.nq + eom.nv], x[self.mode] = hit.v, mode
        assert self.problem.constrained is not None
        x[self.problem.constrained.work_loss] -= hit.energy_lost
        x = self._release(t, x, off)
        self.log.append(
            {
                "t": t,
                "events": list(names),
                "on": sorted(on),
                "off": sorted(off),
                "energy_lost": hit.energy_lost,
                "impulse": {n: float(i) for n, i in zip(system.row_names, impulses, strict=True) if i != 0.0},
            }
        )
        return x

    def _check_gap(self, t: float, q: Array, mode: Array, begin: set[str]) -> None:
        system = self.eom.constraint_system
        phi = self.eom.constraints(q, t=t, p=self.p, mode=mode)
        for rows in system.rows:
            gap = np.max(np.abs(phi[rows.start : rows.stop]), initial=0.0)
            if rows.name in begin and not rows.unilateral and gap > _CLOSED:
                raise SimulationError(
                    f"constraint '{rows.name}' cannot begin to act at t = {t:.9g} s: its gap is {gap:.4g}, "
                    f"more than {_CLOSED:g}"
                )

    def _release(self, t: float, x: Array, slack: set[str]) -> Array:
        """Let go of the cables that would have to push, and hold those that would open with zero rate."""
        system = self.eom.constraint_system
        rows = [r for r in system.rows if r.unilateral]
        if not rows:
            return x
        assert self.problem.constrained is not None
        x, mode = x.copy(), x[self.mode].copy()
        tape = self.problem.constrained.tape.call([np.atleast_1d(a) for a in (t, x, self.held(), self.p)])
        _, f, Jt, phi, phidot, gamma, _, M = (np.array(a.full()) for a in tape)
        for _ in range(4 * len(rows) + 4):
            on = system.activity(mode) != 0.0
            a, found = minimum_norm(M, f[:, 0], Jt.T[on], gamma[on, 0])
            tension = np.zeros(system.m)
            tension[on] = found
            scale = 1e-9 * float(np.max(np.abs(tension), initial=1e-6))
            acceleration = Jt.T @ a - gamma[:, 0]
            pushing = [r for r in rows if mode[r.flag] > 0.5 and tension[r.start] < -scale]
            leaving = [r for r in pushing if abs(phidot[r.start, 0]) < 1e-6]
            if leaving:
                mode[min(leaving, key=lambda r: tension[r.start]).flag] = 0.0
                slack = slack | {min(leaving, key=lambda r: tension[r.start]).name}
                continue
            opening = [
                r
                for r in rows
                if mode[r.flag] < 0.5 and r.name not in slack and abs(phi[r.start, 0]) < 1e-9
                and abs(phidot[r.start, 0]) < 1e-9 and acceleration[r.start] > 1e-9
            ]  # fmt: skip
            if not opening:
                break
            mode[opening[0].flag] = 1.0
        x[self.mode] = mode
        return x
