"""Latches of the constraints of a machine: numbers that keep their values between events.

They may change during a run without compiling anything: whether a switchable constraint acts (1 or 0), the numbers that
were measured when it began to act, and of contacts whether they push (``active``) and stick, where they slip to
(``toward``) and how far they may turn (``leeway``), and how they shared indeterminate forces (``share``) when they last
changed. Joints that stick have these but ``active``; sheaves of ropes have them too, with the tension of the span
before the sheave as their ``share``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array, Expression
from dalembert.formulations.contact.system import ContactSystem
from dalembert.formulations.variables import Variables
from dalembert.model.machine import Machine
from dalembert.model.ropes import RopeObstacle
from dalembert.spatial.rotations import quaternion_from_matrix, quaternion_of

__all__ = ["LatchTable"]

_POSE = {"x": 0.0, "y": 0.0, "z": 0.0, "qw": 1.0, "qx": 0.0, "qy": 0.0, "qz": 0.0}
STICKING = ("stick", "toward", "share", "leeway")
"""Latches of a joint or sheave that sticks."""


@dataclass(frozen=True)
class _Held:
    """Numbers that a constraint measures when it begins to act."""

    name: str
    where: slice
    measured: Expression  # a length, or a pose (position, then the rotation matrix by columns)
    once: bool = False  # at the start of a run only


class LatchTable:
    """Names, values, symbols and measurements of the latches of a machine.

    Parameters
    ----------
    machine
        The machine, for its parameters and for messages.
    variables
        Symbols of its formulation.
    """

    def __init__(self, machine: Machine, variables: Variables) -> None:
        self._machine = machine
        self._variables = variables
        self._held: list[_Held] = []
        self.names: tuple[str, ...] = ()
        self.nominal: Array = np.zeros(0)
        self.symbols = ca.SX(0, 1)

    def add(self, numbers: Mapping[str, float], symbol: str) -> None:
        """Add latches by name, with the values that they have if nothing measures them."""
        self.names = (*self.names, *numbers)
        self.nominal = np.concatenate([self.nominal, list(numbers.values())])
        self.symbols = ca.vertcat(self.symbols, ca.SX.sym(symbol, len(numbers)))

    def index(self, name: str) -> int:
        """Place of a name, -1 if it is not there."""
        return self.names.index(name) if name in self.names else -1

    def hold(self, name: str, latch: str, measured: Expression, once: bool = False) -> None:
        """Let a constraint measure a length or a pose into the latches from ``latch`` on, when it begins to act."""
        first, size = self.index(latch), 1 if measured.numel() == 1 else len(_POSE)
        self._held.append(_Held(name, slice(first, first + size), measured, once))

    def at_start(self, expression: Expression) -> Expression:
        """An expression with the ropes on their obstacles as they are at the start of a run."""
        held = [held for held in self._held if held.once]
        old = ca.vertcat(ca.SX(0, 1), *(self.symbols[one.where] for one in held))
        return ca.substitute(expression, old, ca.vertcat(ca.SX(0, 1), *(one.measured for one in held)))

    def is_held(self, name: str) -> bool:
        """Whether a constraint measures itself whenever it begins to act."""
        return any(held.name == name and not held.once for held in self._held)

    @property
    def measuring(self) -> tuple[str, ...]:
        """Names of the constraints that measure themselves when they begin to act."""
        return tuple(held.name for held in self._held)

    @property
    def measures(self) -> list[tuple[str, slice, Expression]]:
        """Measurements of constraints: their names, their places, and their expressions.

        A pose is a position and a quaternion, whose sign may be the other one than that of `measured`.
        """
        return [
            (one.name, one.where, one.measured if one.measured.numel() == 1 else _as_pose(one.measured))
            for one in self._held
            if not one.once
        ]

    @cached_property
    def numbers(self) -> Expression:
        """Measurements of constraints where they begin to act, one below the other."""
        return ca.SX(ca.vertcat(ca.SX(0, 1), *(ca.densify(held.measured) for held in self._held)))

    @cached_property
    def _measure(self) -> ca.Function:
        x = self._variables
        return ca.Function("measure", [x.q, x.t, x.p], [self.numbers])

    def measured(
        self,
        latches: Array,
        q: Array,
        t: float,
        p: Array,
        names: set[str] | None = None,
        values: Array | None = None,
    ) -> Array:
        """Return ``latches`` with the numbers that the named constraints (None: all) measure at a configuration.

        Many configurations at once have shapes (N, n), (N, nq) and (N, np); ``values`` are their `numbers`, if they
        have been evaluated already.
        """
        result = latches.copy()
        if not self._held:
            return result
        many = np.atleast_2d(result)
        if values is None:
            arguments = [ca.DM(np.atleast_2d(a).T) for a in (q, np.full((len(many), 1), t), p)]
            values = np.array(ca.DM(self._measure(*arguments)).full()).T
        ends = np.cumsum([held.measured.numel() for held in self._held])
        for held, numbers in zip(self._held, np.split(values, ends[:-1], axis=1), strict=True):
            if names is not None and held.name not in names:
                continue
            if not np.isfinite(numbers).all():
                raise InputError(
                    f"'{held.name}' of machine '{self._machine.name}' has no length in this configuration: is its "
                    "pulley larger than the distance to its anchor?"
                )
            if numbers.shape[1] == 1:
                many[:, held.where] = numbers
            else:
                R = numbers[:, 3:].reshape(-1, 3, 3).transpose(0, 2, 1)
                many[:, held.where] = [[*r, *quaternion_from_matrix(A)] for r, A in zip(numbers[:, :3], R, strict=True)]
        return result

    def vector(self, active: Mapping[str, bool] | None = None) -> Array:
        """Nominal values with some switchable constraints turned on or off by name."""
        latches = self.nominal.copy()
        switches = [n.removeprefix("active.") for n in self.names if n.startswith("active.")]
        for name, on in (active or {}).items():
            if name not in switches:
                raise UnknownNameError(
                    "switchable constraint or unilateral cable", name, switches, f"machine '{self._machine.name}'"
                )
            if not isinstance(on, bool | np.bool_):
                raise InputError(f"active['{name}'] must be true or false, got {on!r}")
            latches[self.index(f"active.{name}")] = float(on)
        return latches


def latches_before_routes(
    machine: Machine, contacts: ContactSystem, tangents: tuple[tuple[int, ...], ...], sticking: tuple[str, ...]
) -> dict[str, float]:
    """Latches of constraints, cables, lengths, obstacles, contacts and joints, which exist before ropes are routed."""
    numbers = {f"active.{c.name}": float(c.active) for c in machine.constraints if c.switchable}
    numbers |= {f"active.{cable.name}": 1.0 for cable in machine.cables if not cable.elastic and not cable.bilateral}
    for c in machine.constraints:
        if c.holds_pose:
            numbers |= {f"offset.{c.name}.{k}": value for k, value in _POSE.items()}
    for rope in machine.all_ropes:
        if not rope.elastic and (rope.length is None or len(rope.section_names) > 1):
            numbers |= {f"length0.{section}": 0.0 for section in rope.section_names}
    for rope in machine.ropes:
        numbers |= {f"on.{rope.name}.{one.label}": 0.0 for one in rope.path if isinstance(one, RopeObstacle)}
        numbers |= {f"halves.{angle}": 0.0 for angle in rope.counted}
    names: list[str] = []
    for pair, moving in zip(contacts.pairs, tangents, strict=True):
        names.append(f"active.{pair.name}")
        if moving:
            names.append(f"stick.{pair.name}")
            names += [f"toward.{pair.name}[{j}]" for j in range(2)]
            names += [f"share.{pair.name}[{j}]" for j in range(3)]
            names.append(f"leeway.{pair.name}")
    names += [f"{what}.{joint}" for joint in sticking for what in STICKING]
    return numbers | dict.fromkeys(names, 0.0)


def _as_pose(measured: Expression) -> Expression:
    return ca.vertcat(measured[:3], quaternion_of(ca.reshape(measured[3:], 3, 3)))
