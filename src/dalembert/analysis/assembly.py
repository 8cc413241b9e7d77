"""Assemblies of closed mechanisms, and how a machine can move in a posture: freedoms, redundant rows, singularity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dalembert.core.constraint_algebra import allowed_motions
from dalembert.core.errors import InputError
from dalembert.core.frozen import FrozenMapping
from dalembert.core.states import named_vector, names_given
from dalembert.core.types import Array, StateLike
from dalembert.formulations.constraints.assembly import Branch, assembled_start, every_assembly
from dalembert.formulations.constraints.assembly_search import STARTS
from dalembert.formulations.constraints.conditions import sizes_of
from dalembert.formulations.constraints.reduction import motions_beside
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive
from dalembert.model.machine import Machine

__all__ = ["Assemblies", "Assembly", "Mobility", "assemblies", "mobility"]

_NOTHING = 1e-10  # part of its size from which on a row acts
_SLACK = 1e-9  # gap from which on a cable counts as slack


@dataclass(frozen=True)
class Mobility:
    """How a machine can move in a posture.

    Parameters
    ----------
    freedoms
        Degrees of freedom: independent motions beside the posture. In a singular posture the constraints allow more
        displacements than that.
    displacements
        Independent displacements that the constraints allow in the posture.
    rows
        Rows of constraints and taut cables. Elastic cables have none: they pull, but take no freedom.
    redundant
        How many of these rows depend on the others beside the posture.
    singular
        Whether the rows lose rank in the posture itself (a dead centre, links in one line).
    """

    freedoms: int
    displacements: int
    rows: int
    redundant: int
    singular: bool

    def __str__(self) -> str:
        text = f"{self.freedoms} {'freedom' if self.freedoms == 1 else 'freedoms'}"
        if self.redundant:
            text += f", {self.redundant} of {self.rows} constraint rows redundant"
        if self.singular:
            text += f", singular posture ({self.displacements} displacements)"
        return text


@dataclass(frozen=True)
class Assembly:
    """One assembly of a closed mechanism.

    Parameters
    ----------
    q
        Coordinates by name, all of them: they can be given as ``q0``, ``at`` and so on.
    mobility
        How it can move there.
    """

    q: Mapping[str, float]
    mobility: Mobility


@dataclass(frozen=True)
class Assemblies(Sequence[Assembly]):
    """The assemblies that a search found; a sequence, numbered as ``branch`` counts them.

    Parameters
    ----------
    items
        The assemblies: that of a start without a branch first, then those nearest to the nominal posture.
    given
        Coordinates that they have in common.
    starts
        From how many postures the search began.
    """

    items: tuple[Assembly, ...]
    given: Mapping[str, float]
    starts: int

    def __getitem__(self, k):  # type: ignore[no-untyped-def]  # an index or a slice
        return self.items[k]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Assembly]:
        return iter(self.items)

    def __str__(self) -> str:
        given = ", ".join(f"{name} = {value:.6g}" for name, value in self.given.items())
        count = f"{len(self)} {'assembly' if len(self) == 1 else 'assemblies'}"
        lines = [f"{count}{f' with {given}' if given else ''}, from {self.starts} starts"]
        for k, one in enumerate(self.items):
            rest = ", ".join(f"{name} = {value:.6g}" for name, value in one.q.items() if name not in self.given)
            lines.append(f"  {k}: {rest} ({one.mobility})")
        return "\n".join(lines)


def assemblies(
    machine: Machine | EquationsOfMotion,
    q0: StateLike = None,
    *,
    starts: int = STARTS,
    t: float = 0.0,
    p: Parameters = None,
) -> Assemblies:
    """Return the assemblies of a closed mechanism with the given coordinates.

    Where freedoms are left, an assembly stands for all that it can move to, by its posture nearest to the nominal one.
    The search does not prove that it finds all assemblies; more starts find more.

    Parameters
    ----------
    machine
        The machine, or its equations.
    q0
        Coordinates by name, which are kept.
    starts
        Number of postures to search from; they are the same in every call.
    t, p
        Time and parameter values.

    Raises
    ------
    InputError
        If there is none; with the nearest state that was found.

    Examples
    --------
    >>> import dalembert as da
    >>> hinge = {"kind": "revolute", "axis": (0, 0, 1)}
    >>> four_bar = da.Machine(
    ...     "four-bar",
    ...     [da.rod(n, 1.0, length, com=(length / 2, 0, 0)) for n, length in (("a", 0.4), ("b", 1.0), ("c", 0.8))],
    ...     [
    ...         da.Joint("a", parent="world", child="a", **hinge),
    ...         da.Joint("b", parent="a", child="b", origin=da.Transform((0.4, 0, 0)), **hinge),
    ...         da.Joint("c", parent="world", child="c", origin=da.Transform((1.0, 0, 0)), **hinge),
    ...     ],
    ...     frames=[da.Frame("end", "b", da.Transform((1.0, 0, 0))), da.Frame("tip", "c", da.Transform((0.8, 0, 0)))],
    ...     constraints=[da.BallConstraint("loop", "end", "tip", components="xy")],
    ... )
    >>> print(da.assemblies(four_bar, {"a": 0.7}))
    2 assemblies with a = 0.7, from 66 starts
      0: b = -0.14494, c = 1.37479 (1 freedom)
      1: b = -1.96606, c = -2.08579 (1 freedom)
    """
    if isinstance(starts, bool) or not isinstance(starts, int | np.integer) or starts < 1:
        raise InputError(f"starts must be a whole number >= 1, got {starts!r}")
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine, backend="vm")
    values, names = eom.parameter_values(p), eom.machine.q_names
    if not eom.machine.constrained:
        raise InputError(f"machine '{eom.machine.name}' has no constraints, so it has exactly one assembly")
    found = every_assembly(eom, q0, t=t, p=values, starts=int(starts))
    coordinates = dict(zip(names, named_vector(q0, names, eom.machine.q_neutral, "q0"), strict=True))
    given = {name: float(coordinates[name]) for name in names_given(q0, names, "q0")}
    own = eom.in_machine_coordinates()
    items = tuple(
        Assembly(FrozenMapping(dict(zip(names, map(float, q), strict=True))), _mobility(own, q, t, values))
        for q in found.q
    )
    return Assemblies(items, FrozenMapping(given), found.starts)


def mobility(
    machine: Machine | EquationsOfMotion,
    at: StateLike = None,
    *,
    branch: Branch = None,
    reach: float | None = None,
    t: float = 0.0,
    p: Parameters = None,
) -> Mobility:
    """Return how a machine can move in a posture, which is assembled first.

    Parameters
    ----------
    machine
        The machine, or its equations.
    at
        Coordinates: by name, and the others follow; all of them; or None.
    branch, reach
        As in `dalembert.Start`.
    t, p
        Time and parameter values.

    Examples
    --------
    >>> from dalembert.systems.mechanisms import four_bars
    >>> mobility(four_bars(1))
    Mobility(freedoms=1, displacements=1, rows=2, redundant=0, singular=False)
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine, backend="vm")
    values = eom.parameter_values(p)
    q, _ = assembled_start(eom, at, t=t, p=values, branch=branch, reach=reach, what="q0")
    return _mobility(eom.in_machine_coordinates(), q, t, values)


def _mobility(eom: EquationsOfMotion, q: Array, t: float, p: Array) -> Mobility:
    """Mobility at a state on the constraints, in the machine's own coordinates."""
    if not eom.machine.constrained:
        return Mobility(eom.nv, eom.nv, 0, 0, False)
    system = eom.constraint_system
    latches = system.latch_table.measured(system.latch_nominal, q, t, p)
    phi = eom.constraints(q, t=t, p=p, latches=latches)
    for rows in system.rows:
        if rows.unilateral and phi[rows.start] < -_SLACK:
            latches[rows.flag] = 0.0
    on = system.activity(latches) != 0.0
    J, sizes = eom.constraint_jacobian(q, t=t, p=p, latches=latches)[on], sizes_of(eom)
    seen = np.linalg.norm(J * sizes.v, axis=-1) > _NOTHING * sizes.rows[on]  # what rounding leaves of a row is no row
    N = allowed_motions(eom.mass_matrix(q, t=t, p=p), J[seen])
    displacements, none = int(N.shape[1]), np.zeros((0, eom.nv))
    beside = motions_beside(eom, q, N, latches, t=t, p=p, rows=none) if displacements else 0
    freedoms = 0 if beside is None else min(beside, displacements)
    return Mobility(freedoms, displacements, len(J), len(J) - (eom.nv - freedoms), freedoms < displacements)
