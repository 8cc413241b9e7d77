"""Reports of the transitions of a run, and why one failed, by the names of a machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dalembert.core.errors import SimulationError
from dalembert.core.parameter import depends_on_time
from dalembert.core.types import Array
from dalembert.core.warn import warn
from dalembert.engine.problem.pairs import Lacks, TransitionEntry
from dalembert.engine.problem.problem import Problem
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.pairs import Pairs
from dalembert.loop.switches import Switch

__all__ = ["LETS_GO", "TAKES_HOLD", "TransitionLog"]

LETS_GO = {"cable": "slack", "rope": "slack", "contact": "release"}
TAKES_HOLD = {"cable": "taut", "rope": "taut", "contact": "impact"}
"""Names of the events at which a unilateral row lets go and takes hold, by its kind."""

_CLOSED = 1e-6  # gap that counts as closed when a constraint begins to act, as in unilateral.c


class TransitionLog:
    """Transitions of a run, in order.

    Parameters
    ----------
    eom, problem, pairs, switches
        Equations, problem, pairs and switches of the closed loop.
    p
        Parameters of the run.

    Attributes
    ----------
    entries
        Their effects.
    """

    def __init__(
        self, eom: EquationsOfMotion, problem: Problem, pairs: Pairs, switches: Mapping[str, Switch], p: Array
    ) -> None:
        system = eom.constraint_system
        self._machine, self._system, self._pairs, self._switches, self._p = eom.machine, system, pairs, switches, p
        self._kinds = {r.name: r.kind for r in system.rows if r.unilateral}
        self._hidden = frozenset(spec.name for spec in problem.event_specs if spec.hidden)
        self.entries: list[dict[str, Any]] = []

    def add(self, transition: TransitionEntry) -> None:
        """Take a transition into the log; one at which nothing has happened, to any pair, has no events."""
        on, off = self._changed(transition.names)
        told = [name for name in transition.names if name not in self._hidden]
        known = {"t": transition.t, "events": told, "on": sorted(on), "off": sorted(off)}
        self.entries.append(known | self.described(transition))

    def _changed(self, names: Sequence[str]) -> tuple[set[str], set[str]]:
        """Rows that take hold and let go at these events."""
        switched = [self._switches[name] for name in names if name in self._switches]
        on = {name for switch in switched for name in switch.on}
        off = {name for switch in switched for name in switch.off} - on
        for name in names:
            pair, _, what = name.rpartition(".")
            if pair in self._kinds and what in (LETS_GO[self._kinds[pair]], TAKES_HOLD[self._kinds[pair]]):
                into, out_of = (off, on) if what == LETS_GO[self._kinds[pair]] else (on, off)
                into.add(pair)
                out_of.discard(pair)
        return on, off

    def described(self, transition: TransitionEntry) -> dict[str, Any]:
        """Describe a transition, by names; report lowered restitution."""
        machine, impulses = self._machine, transition.impulses.tolist()
        least = 1e-12 * max(1e-9 * transition.speed, max(impulses, default=0.0), -min(impulses, default=0.0))
        named = self._of_spans(impulses)
        entry: dict[str, Any] = {
            "energy_lost": transition.energy_lost,
            "impulse": {n: i for n, i in named if i > least or i < -least},
        }
        if transition.shocks:
            entry["painleve"] = transition.shocks
        if transition.factor < 1.0:
            entry["restitution_factor"] = transition.factor
            warn(
                f"machine '{machine.name}': restitution would have added energy at t = {transition.t:.6g} s "
                f"({', '.join(transition.names)}); it was lowered to {transition.factor:.6g} of its value"
            )
        return entry

    def _of_spans(self, impulses: Sequence[float]) -> Iterator[tuple[str, float]]:
        """Impulses by names, of ropes those of their spans: sums over their rows, from the last one on."""
        rows = {r.name: r.start for r in self._system.rows if r.kind in ("rope", "sheave")}
        of_ropes = set(rows.values())
        named = enumerate(zip(self._system.row_names, impulses, strict=True))
        yield from (both for k, both in named if k not in of_ropes)
        for section in self._system.sections:
            ends = [impulses[rows[name]] for name in (*section.sheave_names, section.name)]
            yield from ((name, sum(ends[span:])) for name, span in section.tensions)

    def ill_posed(self, t: float, pair: int, lacks: int) -> SimulationError:
        """Return the error of a pair at which no impulses, or no forces, obey the law of friction (`Lacks`)."""
        what = "impulses" if lacks == Lacks.IMPULSES else "forces"
        if pair >= len(self._pairs.names):
            joint = self._system.sticking[pair - len(self._pairs.names)]
            if joint in self._machine.sheave_bearings:
                return SimulationError(
                    f"no {what} obey the friction of bearing '{joint}' of machine '{self._machine.name}' at "
                    f"t = {t:.9g} s: lower the loss of its sheave"
                )
            if joint not in self._machine.sticking:
                return SimulationError(
                    f"constraint '{joint}' of machine '{self._machine.name}' jams at t = {t:.9g} s: no {what} obey its "
                    "friction while it slips; raise its efficiency or lower its friction, or give the driving side "
                    "more inertia"
                )
            return SimulationError(
                f"no {what} obey the law of friction at joint '{joint}' of machine '{self._machine.name}' at "
                f"t = {t:.9g} s"
            )
        name = self._pairs.names[pair]
        if lacks >= Lacks.AT_SHEAVE:
            sheave = self._pairs.sheaves[pair][lacks - Lacks.AT_SHEAVE]
            return SimulationError(
                f"no tension lets rope '{name}' of machine '{self._machine.name}' continue to slip on sheave "
                f"'{sheave}' at "
                f"t = {t:.9g} s: it jams there; lower its friction"
            )
        drives = [c.name for c in self._machine.constraints if any(map(depends_on_time, c.scalars))]
        if (drives and not self._pairs.sheaves[pair]) or not self._pairs.coefficients(self._p)[1][pair] > 0.0:
            named = ", ".join(map(repr, drives))
            how = "closing" if self._kinds[name] == "contact" else "getting longer"
            cause = f"the prescribed motion {named} drives" if drives else "the constraints of the machine drive"
            return SimulationError(
                f"no {what} keep {self._kinds[name]} '{name}' of machine '{self._machine.name}' from "
                f"{how} at t = {t:.9g} s: {cause} it there"
            )
        paradox = ": Painleve's paradox; lower its friction" if self._kinds[name] == "contact" else ""
        return SimulationError(
            f"no {what} obey the law of friction at {self._kinds[name]} '{name}' of machine '{self._machine.name}' at "
            f"t = {t:.9g} s{paradox}"
        )

    def not_closed(self, t: float, row: int, gap: float | None = None) -> SimulationError:
        """Return the error of a constraint that cannot begin to act, of which one row has an open gap."""
        name = next(rows.name for rows in self._system.rows if rows.start <= row < rows.stop)
        how = "not closed" if gap is None else f"{gap:.4g}, more than {_CLOSED:g}"
        return SimulationError(f"constraint '{name}' cannot begin to act at t = {t:.9g} s: its gap is {how}")
