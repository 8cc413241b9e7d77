"""Geoms of a compiled model as geometry of bodies, and pairs of them that collide as contacts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dalembert.core.errors import MachineError
from dalembert.core.types import Array
from dalembert.io.mjcf.compiled import TEXT, Compiled, pose, unique
from dalembert.io.mjcf.tree import Placed
from dalembert.model.body import Body
from dalembert.model.contacts import Contact, HalfSpace, SphericalSurface, Surface
from dalembert.model.geometry import Box, Capsule, Cylinder, Geometry, HeightField, Mesh, Solid, Sphere
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.transform import Transform

__all__ = ["PairOfGeoms", "add_geometry", "colliding_geoms", "geom_kind", "geom_place", "read_contacts", "static_body"]

STATIC = "static"
"""Name of the body that carries the geoms of the world."""


def add_geometry(source: Compiled, tree: Placed) -> None:
    """Give bodies the shapes of their geoms; those of the world go to a body that rests."""
    parts: dict[str, list[Geometry]] = {}
    m = source.model
    for g in range(m.ngeom):
        body, solid = int(m.geom_bodyid[g]), _solid(source, g)
        if solid is not None:
            touches = bool(m.geom_contype[g] or m.geom_conaffinity[g]) and not source.disabled("CONTACT")
            shown = Geometry(solid, geom_place(source, tree, g), _colour(m.geom_rgba[g]), collision=touches)
            parts.setdefault(tree.names[body], []).append(shown)
    if WORLD in parts:
        name = unique([STATIC], {*tree.names, *(f.name for f in tree.frames)})[0]
        tree.bodies.append(Body(name))
        joint = unique([f"{name}.fixed"], {j.name for j in tree.joints})[0]
        tree.joints.append(Joint(joint, "fixed", WORLD, name))
        parts[name] = parts.pop(WORLD)
    tree.bodies[:] = [replace(b, geometry=tuple(parts.get(b.name, ()))) for b in tree.bodies]


def geom_kind(source: Compiled, g: int) -> str:
    """Kind of a geom, such as ``"capsule"``."""
    return str(source.mujoco.mjtGeom(int(source.model.geom_type[g])).name).removeprefix("mjGEOM_").lower()


def _solid(source: Compiled, g: int) -> Solid | None:
    kind, size = geom_kind(source, g), [float(x) for x in source.model.geom_size[g]]
    match kind:
        case "sphere":
            return Sphere(size[0])
        case "capsule":
            return Capsule(size[0], 2.0 * size[1])
        case "cylinder":
            return Cylinder(size[0], 2.0 * size[1])
        case "box":
            return Box((2.0 * size[0], 2.0 * size[1], 2.0 * size[2]))
        case "mesh":
            return _mesh(source, g)
        case "plane":
            return None  # other geoms touch it
        case "hfield":
            return _height_field(source, g)
    source.leave_out(f"the {kind} '{source.name('geom', g)}', a shape that machines do not have")
    return None


def _height_field(source: Compiled, g: int) -> HeightField:
    """Rows of MuJoCo's heights are along y, and parts of its largest one."""
    model, k = source.model, int(source.model.geom_dataid[g])
    rows, columns, start = int(model.hfield_nrow[k]), int(model.hfield_ncol[k]), int(model.hfield_adr[k])
    x, y, top = (float(s) for s in model.hfield_size[k][:3])
    heights = top * np.array(model.hfield_data[start : start + rows * columns]).reshape(rows, columns).T
    return HeightField(heights.tolist(), (2.0 * x, 2.0 * y))


def _mesh(source: Compiled, g: int) -> Mesh | None:
    name = source.name("mesh", int(source.model.geom_dataid[g]))
    mesh = next((x for x in source.spec.meshes if _mesh_name(x) == name), None)
    file = str(getattr(mesh, "file", "") or "")
    if not file:
        source.leave_out(f"the mesh '{name}', whose corners are in the model file itself")
        return None
    folder = Path(source.label).parent if source.label != TEXT else Path()
    compiler = getattr(source.spec, "compiler", None)
    inner = str(getattr(compiler, "meshdir", None) or getattr(source.spec, "meshdir", "") or "")
    path = (folder / inner / file).resolve()
    scale = tuple(float(x) for x in getattr(mesh, "scale", (1.0, 1.0, 1.0)))
    try:
        return Mesh(str(path), scale)  # type: ignore[arg-type]
    except MachineError:
        return None


def _mesh_name(mesh: Any) -> str:
    """MuJoCo calls a mesh without a name by its file."""
    return str(mesh.name or Path(str(mesh.file)).stem)


def geom_place(source: Compiled, tree: Placed, g: int) -> Transform:
    """Placement of a geom in its body."""
    m = source.model
    place = pose(m.geom_pos[g], m.geom_quat[g])
    data = int(m.geom_dataid[g])
    if geom_kind(source, g) == "mesh" and data >= 0:
        # MuJoCo moves the corners to the centre and the principal axes of the mesh: back to those of the file.
        place = place @ pose(m.mesh_pos[data], m.mesh_quat[data]).inverse()
    return tree.placement(int(m.geom_bodyid[g]), place)


def _colour(rgba: Array) -> str | None:
    if not np.isfinite(rgba).all():
        return None
    levels = (round(255 * min(max(float(x), 0.0), 1.0)) for x in rgba[:3])
    return "#" + "".join(f"{level:02x}" for level in levels)


def read_contacts(source: Compiled, tree: Placed) -> list[Contact]:
    """Contacts of the pairs of geoms that MuJoCo lets collide, as far as there are contacts for such shapes."""
    if source.disabled("CONTACT") or source.disabled("CONSTRAINT"):
        return []
    shapes = [_Shape(source, tree, g) for g in range(source.model.ngeom)]
    labels: list[str] = []
    contacts: list[dict[str, Any]] = []
    missing: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    for pair in colliding_geoms(source):
        a, b = pair.first, pair.second
        contact = _contact(shapes[a], shapes[b]) or _contact(shapes[b], shapes[a])
        if contact is None:
            missing[" and ".join(sorted((shapes[a].kind, shapes[b].kind)))] += 1
            continue
        labels.append(f"{source.name('geom', a)}-{source.name('geom', b)}")
        contacts.append({**contact, "friction": pair.friction})
        if pair.rows > 3:
            left_out["torsional friction" if pair.rows == 4 else "torsional and rolling friction"] += 1
    for kinds, count in sorted(missing.items()):
        source.leave_out(f"contact between {kinds} ({count} pair{'s' * (count > 1)})")
    for what, count in sorted(left_out.items()):
        source.leave_out(f"{what} ({count} contact{'s' * (count > 1)} with condim 4 or 6)")
    return [Contact(name, **settings) for name, settings in zip(unique(labels), contacts, strict=True)]


class _Shape:
    """Queries of a contact about a geom."""

    def __init__(self, source: Compiled, tree: Placed, g: int) -> None:
        body = int(source.model.geom_bodyid[g])
        self.kind, self.solid, self.place = geom_kind(source, g), _solid(source, g), geom_place(source, tree, g)
        self.body, self.radius = tree.names[body], float(source.model.geom_size[g, 0])


def _contact(shape: _Shape, other: _Shape) -> dict[str, Any] | None:
    """Fields of the contact of a solid with the surface of another shape, if there is such a contact."""
    solid, place = shape.solid, other.place
    if not isinstance(solid, Sphere | Capsule | Box) or shape.body == WORLD:
        return None
    surface: Surface
    if other.kind == "plane":
        surface = HalfSpace(tuple(row[2] for row in place.rotation), place.translation)  # type: ignore[arg-type]
    elif other.kind == "sphere" and not isinstance(solid, Box):
        surface = SphericalSurface(other.radius, place.translation)
    else:
        return None
    return {"frame": shape.body, "solid": solid, "origin": shape.place, "surface": surface, "on": other.body}


class PairOfGeoms(NamedTuple):
    """Two geoms that may collide: rows of their contact (condim), friction, and resistance to rotation [m]."""

    first: int
    second: int
    rows: int
    friction: float
    spinning: float
    rolling: float


def _pair(first: int, second: int, rows: int, friction: Any) -> PairOfGeoms:
    """Return a pair with the coefficients that contacts of so many rows have."""
    slide, spin, roll = (float(x) for x in friction)
    return PairOfGeoms(
        first, second, rows, slide if rows > 1 else 0.0, spin if rows > 3 else 0.0, roll if rows > 4 else 0.0
    )


def static_body(machine: Machine, tree: Placed) -> str:
    """Name of the body that `add_geometry` gives the geoms of the world, or of the world if there is none."""
    return next((b.name for b in machine.bodies if b.name.startswith(STATIC) and b.name not in tree.names), WORLD)


def colliding_geoms(source: Compiled) -> list[PairOfGeoms]:
    """Pairs of geoms that may collide, with their coefficients; MuJoCo's rules of masks and exclusions."""
    m = source.model
    excluded = {frozenset((int(s) >> 16, int(s) & 0xFFFF)) for s in m.exclude_signature}
    chosen = {frozenset((int(m.pair_geom1[k]), int(m.pair_geom2[k]))): k for k in range(m.npair)}
    kind, affinity, body = (np.asarray(x) for x in (m.geom_contype, m.geom_conaffinity, m.geom_bodyid))
    meet = (kind[:, None] & affinity[None, :]) != 0
    weld = np.asarray(m.body_weldid)[body]
    pairs = []
    for a, b in np.argwhere(np.triu(meet | meet.T, 1) & (weld[:, None] != weld[None, :])).tolist():
        bodies = int(body[a]), int(body[b])
        if frozenset((a, b)) not in chosen and frozenset(bodies) not in excluded and not _family(source, *bodies):
            pairs.append(_pair(a, b, _dimension(source, a, b), _friction(source, a, b)))
    for pair, k in chosen.items():
        a, b = sorted(pair)
        slide, _, spin, roll, _ = m.pair_friction[k]
        pairs.append(_pair(a, b, int(m.pair_dim[k]), (slide, spin, roll)))
    return pairs


def _family(source: Compiled, i: int, j: int) -> bool:
    """Whether two bodies are parent and child (not: a child of the world)."""
    m = source.model
    one, other = int(m.body_weldid[i]), int(m.body_weldid[j])
    if source.disabled("FILTERPARENT"):
        return False
    above = {k: int(m.body_weldid[m.body_parentid[k]]) for k in (one, other)}
    return (one != 0 and above[other] == one) or (other != 0 and above[one] == other)


def _friction(source: Compiled, a: int, b: int) -> Array:
    """Coefficients of the geom with the higher priority, of equals the larger ones."""
    m = source.model
    if m.geom_priority[a] != m.geom_priority[b]:
        return np.asarray(m.geom_friction[a if m.geom_priority[a] > m.geom_priority[b] else b])
    return np.maximum(m.geom_friction[a], m.geom_friction[b])


def _dimension(source: Compiled, a: int, b: int) -> int:
    """Rows of a contact: those of the geom with the higher priority, of equals the larger number."""
    m = source.model
    if m.geom_priority[a] != m.geom_priority[b]:
        return int(m.geom_condim[a if m.geom_priority[a] > m.geom_priority[b] else b])
    return int(max(m.geom_condim[a], m.geom_condim[b]))
