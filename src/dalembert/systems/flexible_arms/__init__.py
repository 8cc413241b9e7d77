"""Arms with flexible links: the planar two-link arm, the Canadarm and the MDA arm of SPACE Appendix D.1.

Their data are the machine files beside this module, with the source of every number in their heads.
"""

from __future__ import annotations

from pathlib import Path

from dalembert.model.machine import Machine

__all__ = ["FILES", "canadarm", "mda_arm", "planar_arm"]

_FOLDER = Path(__file__).parent
FILES = {name: _FOLDER / f"{name}.yaml" for name in ("planar_arm", "canadarm", "mda_arm")}
"""Machine files by name."""


def _load(name: str) -> Machine:
    from dalembert.io.machine_files import load_machine

    return load_machine(FILES[name])


def planar_arm() -> Machine:
    """Planar arm with two links of two bending modes each, hubs and payload (SPACE D.1.1).

    Examples
    --------
    >>> planar_arm().q_names
    ('theta1', 'link1.delta1', 'link1.delta2', 'theta2', 'link2.delta1', 'link2.delta2')
    """
    return _load("planar_arm")


def canadarm() -> Machine:
    """Six-joint arm with two booms of ten modes each: 26 coordinates (SPACE D.1.2).

    Examples
    --------
    >>> canadarm().nv
    26
    """
    return _load("canadarm")


def mda_arm() -> Machine:
    """Six-joint arm of the debris-removal mission, two booms of six modes each (SPACE D.1.3).

    Examples
    --------
    >>> mda_arm().nv
    18
    """
    return _load("mda_arm")
