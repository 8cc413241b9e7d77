"""Beams in machine files: reading their entries and writing them.

A beam is an entry of the section ``bodies``::

    bodies:
      boom:
        beam:
          length: 6.0
          section: {outer: 0.095, inner: 0.075}      # a tube; or width and height; or area, I_y, I_z, ...
          E: 2.5e+9
          G: 7.17e+9
          density: 2185
          modes: {x: 1, y: 4, z: 4, torsion: 1}
          load: {mass: 227.5, inertia: [1.67, 11792, 11792]}
          normalization: segment
          stations: {camera: 3.0}

Elements attached to its tip have the parent ``boom.tip``. A section that varies is a list of ``{length, section}``. In
a direction, ``modes`` is a number or a list of given shapes: ``{polynomial: [0, 0, 1]}`` of the relative abscissa,
``{nodes, values, slopes}`` of a finite-element model, or ``{breaks, coefficients}`` (Legendre, per interval).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.io.body_schema import BeamEntry, SectionEntry, ShapeEntry
from dalembert.model.beam import Beam
from dalembert.model.beam_modes import Support
from dalembert.model.section import Load, Section
from dalembert.model.shapes import Shape

__all__ = ["Read", "beam_to_data", "make_beam", "make_section", "section_to_data"]

Read = Callable[[Any, tuple[str | int, ...]], Any]


def make_beam(name: str, entry: BeamEntry, path: tuple[str | int, ...], number: Read) -> Beam:
    """Make a beam from its entry; ``number`` reads an expression of parameters."""
    scalars = {key: number(getattr(entry, key), (*path, key)) for key in ("length", "E", "G", "density", "damping")}
    if isinstance(entry.section, list):
        section: Any = tuple((s.length, make_section(s.section)) for s in entry.section)
    else:
        section = make_section(entry.section)
    boundary: Any = entry.boundary
    if isinstance(boundary, list):
        boundary = tuple(Support(**s.model_dump()) for s in boundary)
    load = None
    if entry.load is not None:
        load = Load(entry.load.mass, tuple(entry.load.inertia), entry.load.first_moment)
    modes = {
        key: value if isinstance(value, int) else tuple(_shape(s, nominal(scalars["length"])) for s in value)
        for key, value in entry.modes.items()
    }
    return Beam(
        name,
        section=section,
        modes=tuple(modes.items()),
        boundary=boundary,
        load=load,
        offset=tuple(entry.offset),
        normalization=entry.normalization,
        rotary_inertia=entry.rotary_inertia,
        stiffening=entry.stiffening,
        stations=tuple(entry.stations.items()),
        **scalars,
    )


def make_section(entry: SectionEntry) -> Section:
    """Make a cross-section from its entry."""
    keys = entry.model_fields_set
    ways = {
        "tube": {"outer", "inner"},
        "rectangle": {"width", "height"},
        "moments": {"area", "I_y", "I_z", "I_p", "torsion", "I_yz"},
    }
    way = [key for key, fields in ways.items() if keys and keys <= fields]
    if way == ["tube"] and entry.outer is not None:
        return Section.tube(entry.outer, entry.inner)
    if way == ["rectangle"] and keys == ways["rectangle"]:
        return Section.rectangle(entry.width, entry.height)  # type: ignore[arg-type]
    if way == ["moments"] and entry.area is not None:
        return Section(entry.area, entry.I_y, entry.I_z, entry.I_p, entry.torsion, entry.I_yz)
    raise InputError(
        "a section takes outer and inner (a tube), width and height (a rectangle), or area and moments I_y, I_z, I_p, "
        f"torsion, I_yz, got {', '.join(sorted(keys)) or 'nothing'}"
    )


def _shape(entry: ShapeEntry, length: float) -> Shape:
    keys = entry.model_fields_set
    if keys == {"polynomial"}:
        return Shape.polynomial(length, entry.polynomial)  # type: ignore[arg-type]
    if keys == {"breaks", "coefficients"}:
        breaks, coefficients = cast(list[float], entry.breaks), cast(list[list[float]], entry.coefficients)
        return Shape(tuple(map(float, breaks)), tuple(tuple(map(float, c)) for c in coefficients))
    if keys in ({"nodes", "values"}, {"nodes", "values", "slopes"}):
        return Shape.nodal(entry.nodes, entry.values, entry.slopes)  # type: ignore[arg-type]
    raise InputError(
        "a shape takes polynomial, or nodes and values (and slopes), or breaks and coefficients, "
        f"got {', '.join(sorted(keys)) or 'nothing'}"
    )


def beam_to_data(beam: Beam, number: Callable[[Any], Any]) -> dict[str, Any]:
    """Entry of a beam, defaults left out; ``number`` writes a scalar."""
    section = beam.section
    data: dict[str, Any] = {"length": number(beam.length)}
    if isinstance(section, Section):
        data["section"] = section_to_data(section)
    else:
        data["section"] = [{"length": h, "section": section_to_data(s)} for h, s in section]
    data["E"] = number(beam.E)
    for key, default in (("G", 0.0), ("density", None), ("damping", 0.0)):
        if getattr(beam, key) != default:
            data[key] = number(getattr(beam, key))
    data["modes"] = {
        key: modes if isinstance(modes, int) else [_shape_data(s) for s in modes] for key, modes in beam.modes
    }
    if isinstance(beam.boundary, tuple):
        data["boundary"] = [
            {key: getattr(s, key) for key in ("deflection", "slope", "deflection_spring", "slope_spring")}
            for s in beam.boundary
        ]
    elif beam.boundary is not None:
        data["boundary"] = beam.boundary
    if beam.load is not None:
        load = beam.load
        data["load"] = {"mass": load.mass, "inertia": list(load.inertia), "first_moment": load.first_moment}
    if beam.offset != (0.0, 0.0, 0.0):
        data["offset"] = list(beam.offset)
    for key, usual in (("normalization", "unit"), ("rotary_inertia", True), ("stiffening", False)):
        if getattr(beam, key) != usual:
            data[key] = getattr(beam, key)
    if beam.stations:
        data["stations"] = dict(beam.stations)
    return {"beam": data}


def section_to_data(section: Section) -> dict[str, float]:
    """Entry of a cross-section."""
    names = ("area", "I_y", "I_z", "I_p", "torsion", "I_yz")
    return {name: getattr(section, name) for name in names if name != "I_yz" or section.I_yz}


def _shape_data(shape: Shape) -> dict[str, Any]:
    return {"breaks": list(shape.breaks), "coefficients": [list(c) for c in shape.coefficients]}
