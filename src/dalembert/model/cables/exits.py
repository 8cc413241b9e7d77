"""The register of kinds of cable exit."""

from __future__ import annotations

from inspect import isabstract
from typing import TypeVar

from dalembert.core.errors import MachineError
from dalembert.model.cables.exit import CableExit
from dalembert.model.cables.fixed_pulley import FixedPulley
from dalembert.model.cables.point import PointExit
from dalembert.model.cables.swivelling_pulley import SwivellingPulley
from dalembert.model.register import add_kind

__all__ = ["CABLE_EXITS", "pulley_keys", "register_cable_exit"]

CABLE_EXITS: dict[str, type[CableExit]] = {kind.key: kind for kind in (PointExit, SwivellingPulley, FixedPulley)}

E = TypeVar("E", bound=type[CableExit])


def register_cable_exit(kind: E) -> E:
    """Register a kind of cable exit, so that cables take its key as ``swivel``: a decorator of its class.

    Parameters
    ----------
    kind
        A class that inherits `CableExit`, with a ``key`` and ``path``.

    Examples
    --------
    >>> from dalembert.model import CableExit, register_cable_exit
    >>> @register_cable_exit  # doctest: +SKIP
    ... class OwnExit(CableExit):
    ...     key = "own"
    ...
    ...     def path(self, b, d, R, radius): ...
    """
    if not (isinstance(kind, type) and issubclass(kind, CableExit)):
        raise MachineError(f"a kind of cable exit must inherit dalembert.model.CableExit, got {kind!r}")
    if isabstract(kind):
        raise MachineError(f"{kind.__name__} must define path(b, d, R, radius)")
    add_kind(CABLE_EXITS, kind, "cable exit", shared=False)
    return kind


def pulley_keys() -> tuple[str, ...]:
    """Kinds of exit with a pulley, which ``swivel`` chooses."""
    return tuple(key for key in CABLE_EXITS if key != PointExit.key)
