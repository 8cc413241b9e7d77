"""The free base of a robot, by name."""

from __future__ import annotations

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["free_base"]


def free_base(eom: EquationsOfMotion, base: str | None) -> str:
    """Return the name of the free joint that holds the base on the world.

    Parameters
    ----------
    eom
        The equations.
    base
        The joint; needed where there is more than one.
    """
    where = f"machine '{eom.machine.name}'"
    free = [j.name for j in eom.machine.joints if j.kind == "free" and j.parent == "world"]
    if not free:
        raise InputError(f"{where} has no free base: no joint of kind 'free' on the world")
    if base is None and len(free) > 1:
        raise InputError(f"{where} has {len(free)} free joints ({', '.join(free)}); name the base")
    if base is not None and base not in free:
        raise UnknownNameError("free joint", base, free, where)
    return free[0] if base is None else base
