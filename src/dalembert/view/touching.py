"""Surfaces that a machine touches, and the contact forces, for pictures by matplotlib.

Surfaces that stand in the world are drawn once. An arrow at a contact is its force, and the impulses that it had since
the last picture, by the time between the two. Arrows grow with the forces, and ever less where these are many times the
weight of the machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.core.parameter import evaluate, nominal
from dalembert.core.types import Array
from dalembert.formulations.equations import derive
from dalembert.formulations.layout import Layout
from dalembert.model.colliders import world_shapes
from dalembert.model.contacts import Ball, Plane, Tube
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.view.baked import interpolated
from dalembert.view.page.forces import forces_of
from dalembert.view.strokes import Camera, Strokes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Arrows", "contact_arrows", "draw_surfaces", "floor_level"]

_FACE, _EDGE, _FORCE = "#e8e4dc", "#8a8377", "#cc6600"
_LONGEST = 0.3  # part of the machine's size that no arrow reaches
_ROUND = np.linspace(0.0, 2.0 * np.pi, 73)


@dataclass(frozen=True, eq=False)
class Arrows:
    """Forces of contacts, as arrows that point away from where they act.

    Parameters
    ----------
    points, vectors
        In the world (n, k, 3), of n pictures and k contacts.
    usual
        A force whose arrow has half of the greatest length.
    every
        One of this many baked instants is a picture.
    """

    points: Array
    vectors: Array
    usual: float
    every: int = 1

    def paint(self, k: int, strokes: Strokes, size: float) -> None:
        """Draw those of the baked instant number ``k``."""
        k //= self.every
        for point, vector in zip(self.points[k], self.vectors[k], strict=True):
            force = float(np.linalg.norm(vector))
            if force <= 1e-3 * self.usual:
                continue
            length = _LONGEST * size * force / (force + self.usual)
            camera = strokes.camera
            start, end = camera.flat(point), camera.flat(point + length * vector / force)
            along = end - start
            seen = float(np.linalg.norm(along))
            if seen <= 1e-9 * size:
                continue
            d = along / seen
            across, head = np.array([-d[1], d[0]]), min(0.04 * size, 0.6 * seen)
            thin, wide, neck = 0.004 * size * across, 0.016 * size * across, end - head * d
            outline = np.array([start - thin, neck - thin, neck - wide, end, neck + wide, neck + thin, start + thin])
            strokes.add([outline], [float(point @ camera.towards) + size], _FORCE, _FORCE, 0.4)


def contact_arrows(
    run: Run, machine: Machine, times: Array, *, every: int = 1, exaggerate: float = 1.0
) -> Arrows | None:
    """Forces of the contacts of a run at the instants of its pictures; None if there are none.

    Parameters
    ----------
    run, machine
        The run and its machine.
    times
        Instants that are baked.
    every
        One of this many instants is a picture.
    exaggerate
        Factor on the displacements by the bending of beams.
    """
    names = [pair for contact in machine.contacts for pair in contact.pairs]
    if not names:
        return None
    times = times[::every]
    known = forces_of(run, machine, times)
    eom = derive(machine, backend="vm")
    quaternions = [start for _, start in Layout.of_nodes(machine.coordinate_nodes).quaternions]
    q = interpolated(times, run.t, run.array(machine.q_names), quaternions)
    p = dict(run.metadata.get("parameters") or {}) or None
    points, axes = eom.contact_points(q, p=p)
    if exaggerate != 1.0:
        straight = q.copy()
        for node in machine.tree.nodes:
            straight[:, node.modal_q] = 0.0
        points = (1.0 - exaggerate) * eom.contact_points(straight, p=p)[0] + exaggerate * points
    vectors = np.zeros_like(points)
    for j, name in enumerate(names):
        if name in known:
            vectors[:, j] = known[name][1]
    span = float(times[1] - times[0]) if len(times) > 1 else 1.0
    for entry in run.metadata.get("transitions") or ():
        k = min(int(np.searchsorted(times, entry["t"])), len(times) - 1)
        for j, name in enumerate(names):
            only = 1 if f"force.{name}.tangent1" in run else 2  # where it has one tangent
            for suffix, axis in (("", 0), (".friction", only), (".friction[0]", 1), (".friction[1]", 2)):
                impulse = entry.get("impulse", {}).get(name + suffix, 0.0)
                vectors[k, j] += impulse / span * axes[k, j, axis]
    if not np.any(vectors) or not np.isfinite(vectors).all():
        return None
    weight = sum(nominal(b.mass) for b in machine.bodies) * float(np.linalg.norm([nominal(g) for g in machine.gravity]))
    sizes = np.linalg.norm(vectors, axis=-1)
    return Arrows(points, vectors, max(0.5 * weight, 1e-3 * float(sizes.max())), every)


def _standing(machine: Machine, p: Mapping[str, float] | None) -> list[Plane | Ball | Tube]:
    """Shapes of the surfaces that stand in the world, once each, at parameter values."""
    values = {x.name: x.value for x in machine.parameters} | dict(p or {})
    return world_shapes(machine, lambda x: float(evaluate(x, values)))


def floor_level(machine: Machine, up: Array, p: Mapping[str, float] | None = None) -> float | None:
    """Height of the highest level ground that the machine can touch; None if there is none."""
    planes = [shape for shape in _standing(machine, p) if isinstance(shape, Plane)]
    return max((float(plane.point @ up) for plane in planes if plane.normal @ up > 1 - 1e-9), default=None)


def draw_surfaces(
    axes: Axes, machine: Machine, camera: Camera, up: Array, outline: Array, p: Mapping[str, float] | None
) -> None:
    """Draw the touched surfaces of the world; the level ground in space has its grid."""
    box = outline.reshape(-1, 3)
    middle, size = (box.min(axis=0) + box.max(axis=0)) / 2, max(float(np.ptp(box, axis=0).max()), 1e-9)
    flat_picture = camera.up @ up > 1 - 1e-9 and abs(camera.towards @ up) < 1e-9
    for shape in _standing(machine, p):
        match shape:
            case Plane(point=point, normal=normal):
                if abs(normal @ camera.towards) < 1e-9:
                    _edge_on(axes, camera, normal, point, middle, 20 * size)
                elif not (normal @ up > 1 - 1e-9) and not flat_picture:
                    _patch(axes, camera, normal, point, middle, 0.7 * size)
            case Ball(centre=centre, radius=radius):
                ring = np.outer(np.cos(_ROUND), camera.right) + np.outer(np.sin(_ROUND), camera.up)
                _closed(axes, camera.flat(centre + radius * ring), filled=not shape.inside)
            case Tube():
                _tube(axes, camera, shape, middle, size)


def _edge_on(axes: Axes, camera: Camera, normal: Array, point: Array, middle: Array, reach: float) -> None:
    """A half-space whose plane is seen as a line: filled below."""
    along = np.cross(normal, camera.towards)
    start = middle - (normal @ (middle - point)) * normal
    ends = [start - reach * along, start + reach * along]
    corners = np.array([*ends, ends[1] - reach * normal, ends[0] - reach * normal])
    axes.fill(*camera.flat(corners).T, color=_FACE, linewidth=0, zorder=0.5)
    axes.plot(*camera.flat(np.array(ends)).T, color=_EDGE, linewidth=1.2, zorder=0.6)


def _patch(axes: Axes, camera: Camera, normal: Array, point: Array, middle: Array, reach: float) -> None:
    """A piece of a plane in space."""
    first = np.eye(3)[int(np.argmin(np.abs(normal)))]
    first = first - (first @ normal) * normal
    first /= np.linalg.norm(first)
    second, start = np.cross(normal, first), middle - (normal @ (middle - point)) * normal
    corners = [start + reach * (a * first + b * second) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    _closed(axes, camera.flat(np.array(corners)), filled=True)


def _closed(axes: Axes, flat: Array, *, filled: bool) -> None:
    kind: dict[str, Any] = {
        "facecolor": _FACE if filled else "none",
        "edgecolor": _EDGE,
        "linewidth": 1.2,
        "zorder": 0.5,
    }
    axes.fill(*flat.T, **kind)


def _tube(axes: Axes, camera: Camera, tube: Tube, middle: Array, size: float) -> None:
    """A cylinder: a circle where it is seen along its axis, else two of them and its outline."""
    point, axis, radius = tube.point, tube.axis, tube.radius
    first = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = first - (first @ axis) * axis
    first /= np.linalg.norm(first)
    ring = point + radius * (np.outer(np.cos(_ROUND), first) + np.outer(np.sin(_ROUND), np.cross(axis, first)))
    start = ring + (axis @ (middle - point)) * axis
    if abs(axis @ camera.towards) > 1 - 1e-9:
        _closed(axes, camera.flat(start), filled=not tube.inside)
        return
    side = np.cross(axis, camera.towards)
    side /= np.linalg.norm(side)
    centre = point + (axis @ (middle - point)) * axis
    ends = [centre + a * radius * side + b * 0.6 * size * axis for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    _closed(axes, camera.flat(np.array(ends)), filled=not tube.inside)
    for b in (-1, 1):
        _closed(axes, camera.flat(start + b * 0.6 * size * axis), filled=not tube.inside)
