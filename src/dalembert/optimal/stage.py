"""Stages of a loop that are routines: C beside tapes, which keep what they know in held values of the loop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import casadi as ca

__all__ = ["StageCode", "StageView"]


class StageView(Protocol):
    """The loop as a stage sees it when it is composed."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs of the machine."""

    @property
    def time(self) -> Any:
        """Symbol of time."""

    def quantity(self, text: str, owner: str) -> Any:
        """Return the quantity of a name or text as laws see it: measured where a sensor measures it."""

    def command(self, name: str) -> Any:
        """Return the effort of an input that is held now."""

    def bound(self, expression: Any, owner: str) -> Any:
        """Return an expression with the quantities that it reads by name in their place."""

    def law(self, law: Any, label: str) -> Any:
        """Return the inputs of an expression law without states."""

    def sensor(self, name: str, owner: str) -> tuple[Any, tuple[str, ...]]:
        """Return a sensor of the loop, and the quantities that it measures."""

    def reading(self, name: str) -> Any:
        """Return the reading ``SENSOR.QUANTITY``."""


@dataclass(frozen=True, eq=False)
class StageCode:
    """A stage, composed.

    Parameters
    ----------
    reads
        Expressions that it reads from the loop at each instant.
    tapes
        Functions by macro; ``READ_TAPE`` is added.
    text
        C99 with ``OWN_WORK`` and ``routine``; see ``engine/horizon``. ``MEMORY_AT`` is the place of its memory.
    """

    reads: Any
    tapes: Mapping[str, ca.Function]
    text: str
