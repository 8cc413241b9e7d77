"""Exact rods in machine files: reading their entries and writing them.

A rod is an entry of the section ``bodies``::

    bodies:
      strip:
        exact_rod:
          length: 0.5
          section: {width: 0.02, height: 0.001}
          E: 2e9
          density: 1200
          strains: {bending_z: 4}
          pieces: 2
          stations: {middle: 0.25}

Elements attached to its tip have the parent ``strip.tip``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dalembert.io.beam_entries import Read, make_section, section_to_data
from dalembert.io.body_schema import CurvedStretchEntry, ExactRodEntry
from dalembert.model.elastic.rod import Rod
from dalembert.model.section import Section

__all__ = ["make_rod", "rod_to_data"]


def make_rod(name: str, entry: ExactRodEntry, path: tuple[str | int, ...], number: Read) -> Rod:
    """Make a rod from its entry; ``number`` reads an expression of parameters."""
    numbers = ("length", "E", "G", "density", "damping_time")
    scalars = {key: number(getattr(entry, key), (*path, key)) for key in numbers}
    section: Any = entry.section
    section = (
        tuple((s.length, make_section(s.section)) for s in section)
        if isinstance(section, list)
        else make_section(section)
    )
    curved = [s for s in entry.curvature if isinstance(s, CurvedStretchEntry)]
    curvature: Any = tuple((s.length, tuple(s.curvature)) for s in curved) or tuple(entry.curvature)
    return Rod(
        name,
        section=section,
        strains=tuple(entry.strains.items()),
        pieces=tuple(entry.pieces) if isinstance(entry.pieces, list) else entry.pieces,
        curvature=curvature,
        tip_section=None if entry.tip_section is None else make_section(entry.tip_section),
        shear_factor=entry.shear_factor,
        rotary_inertia=entry.rotary_inertia,
        points=entry.points,
        stations=tuple(entry.stations.items()),
        **scalars,
    )


def rod_to_data(rod: Rod, number: Callable[[Any], Any]) -> dict[str, Any]:
    """Entry of a rod, defaults left out; ``number`` writes a scalar."""
    data: dict[str, Any] = {"length": rod.length}
    if isinstance(rod.section, Section):
        data["section"] = section_to_data(rod.section)
    else:
        data["section"] = [{"length": h, "section": section_to_data(s)} for h, s in rod.section]
    data["E"] = number(rod.E)
    for key, default in (("G", 0.0), ("density", None), ("damping_time", 0.0)):
        if getattr(rod, key) != default:
            data[key] = number(getattr(rod, key))
    data["strains"] = dict(rod.strains)
    if rod.pieces != 1:
        data["pieces"] = rod.pieces if isinstance(rod.pieces, int) else list(rod.pieces)
    value: Any = rod.curvature
    if isinstance(value[0], tuple):
        data["curvature"] = [{"length": h, "curvature": list(k)} for h, k in value]
    elif any(value):
        data["curvature"] = list(value)
    if rod.tip_section is not None:
        data["tip_section"] = section_to_data(rod.tip_section)
    for key, usual in (("shear_factor", None), ("rotary_inertia", True), ("points", None)):
        if getattr(rod, key) != usual:
            data[key] = getattr(rod, key)
    if rod.stations:
        data["stations"] = dict(rod.stations)
    return {"exact_rod": data}
