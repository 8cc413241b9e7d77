"""Commented machine files to begin with."""

from __future__ import annotations

from importlib import resources

from dalembert.core.errors import UnknownNameError

__all__ = ["STARTERS", "starter"]

STARTERS: dict[str, str] = {
    "crane": "bridge, trolley, rope and load under PD control",
    "arm": "three joints with geared motors, moved by computed torque",
    "cable-robot": "a platform on four cables with winches",
    "flexible-arm": "two flexible links with a payload",
    "chaser": "a floating satellite with an arm and thrusters",
    "falling-chain": "three rods that fall on the ground and come to rest",
}
"""Descriptions of the starters, by name."""


def starter(name: str) -> str:
    """Return the text of a commented machine file to begin with.

    Parameters
    ----------
    name
        One of `STARTERS`.

    Examples
    --------
    >>> starter("crane").count("joints:")
    1
    """
    if name not in STARTERS:
        raise UnknownNameError("starter", name, STARTERS)
    return resources.files("dalembert.io.starters").joinpath(f"{name}.yaml").read_text(encoding="utf-8")
