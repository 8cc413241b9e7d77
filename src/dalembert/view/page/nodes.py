"""The parts of a scene as the page draws them: their shapes, and the points or poses that each follows.

The support of a machine is added so that it is visible at a glance: legs below a rail, masts and a frame below the
exits of cables. They follow fixed points.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from dalembert.core.parameter import evaluate, nominal
from dalembert.core.types import Array
from dalembert.model.colliders import world_shapes
from dalembert.model.contacts import Ball, Plane, Tube
from dalembert.model.geometry import Box, Capsule, Cylinder, Sphere
from dalembert.view.baked import Baked, hanging_line
from dalembert.view.looks import body_colours, rail_reach
from dalembert.view.page.arrays import pack_array
from dalembert.view.parts import CablePart, RailPart, SolidPart
from dalembert.view.scene import Scene
from dalembert.view.skins import largest_stress
from dalembert.view.solids import coarse, triangles_of

__all__ = ["Nodes", "inclines", "outline"]

_LINK, _ROD, _CABLE = "#5b7899", "#59636e", "#2f3842"
_PLAN = "#f08c2e"
_BEAM, _BEAM_IN_SPACE = "#7f9dbd", "#e8e9ec"
_RAIL, _STAND, _MASS, _JOINT, _PULLEY = "#7d8894", "#aab3bd", "#b0705f", "#3c4650", "#c4a24a"
_FORCE = "#d1495b"
_MESH_TRIANGLES = 3000
_JOINTS = 30  # of more than that, joints inside of solids are left out


def outline(scene: Scene, baked: Baked) -> Array:
    """Points (m, 3) within which a machine stays over all frames."""
    # The first point is the origin of the world, which a machine need not touch.
    clouds = [baked.points[:, 1:].reshape(-1, 3), *(way.reshape(-1, 3) for way in baked.cables.values())]
    for solid, (low, high) in zip(scene.solids, scene.extents, strict=True):
        corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
        pose = baked.poses[:, solid.pose]
        clouds.append((np.einsum("nij,mj->nmi", pose[..., :3], corners) + pose[:, None, :, 3]).reshape(-1, 3))
    for skin in scene.skins:
        corners, pose = skin.mesh.vertices, baked.poses[:, skin.pose]
        ends = corners[np.unique(np.concatenate([corners.argmin(axis=0), corners.argmax(axis=0)]))]
        clouds.append((np.einsum("nij,mj->nmi", pose[..., :3], ends) + pose[:, None, :, 3]).reshape(-1, 3))
    for rail in scene.rails:
        pose, reach = baked.poses[:, rail.pose], np.array(rail_reach(scene, baked, rail))
        ends = pose[:, None, :, 3] + reach[:, None] * (pose[..., :3] @ np.array(rail.axis))[:, None]
        clouds.append(ends.reshape(-1, 3))
    cloud = np.concatenate(clouds)
    return cloud if len(cloud) else np.zeros((1, 3))


def inclines(planes: list[Plane], cloud: Array, up: Array) -> list[Array]:
    """Corners (4, 3) of the part of each inclined plane that a machine needs and a viewer recognises."""
    slopes = []
    for plane in planes:
        if not 0.2 < plane.normal @ up < 1 - 1e-9:
            continue
        down = -up + (up @ plane.normal) * plane.normal
        down /= np.linalg.norm(down)
        side = np.cross(plane.normal, down)
        X = cloud - plane.point
        size = float(np.ptp(cloud, axis=0).max())
        (a, b), (c, d) = [((X @ axis).min(), (X @ axis).max()) for axis in (down, side)]
        ends, sides = (a - 0.8 * size, b + 0.8 * size), (c - 0.4 * size, d + 0.4 * size)
        corners = [(ends[0], sides[0]), (ends[1], sides[0]), (ends[1], sides[1]), (ends[0], sides[1])]
        slopes.append(np.array([plane.point + x * down + y * side for x, y in corners]))
    return slopes


class Nodes:
    """Collects the nodes of a scene for the page.

    Parameters
    ----------
    scene, baked
        The scene, and where its parts are.
    size
        Extent of the machine [m].
    up
        Direction against gravity.
    level
        Height of the ground along ``up``; None in space.
    gravity
        Whether things stand on the ground by their weight.
    """

    def __init__(
        self, scene: Scene, baked: Baked, size: float, up: Array, level: float | None, *, gravity: bool
    ) -> None:
        self.scene, self.baked, self.size, self.up, self.level = scene, baked, size, up, level
        self.floor = level if gravity else None
        self.colours = body_colours(scene)
        self.nodes: list[dict[str, Any]] = []
        self.ways: list[tuple[str, Array | str]] = []  # what follows the scene's points: cables by name, still points
        self.count = baked.points.shape[1]
        self.levels: list[Array] = []
        self.skinned: list[int] = []  # coordinates that deform surfaces
        self.legend: dict[str, Any] = {}  # newtons of the longest usual arrow, and of the colours of cables
        self.collect()

    @property
    def still(self) -> list[Array]:
        """Points (m, 3) of the support of a machine."""
        return [way for _, way in self.ways if not isinstance(way, str) and way.ndim == 2]

    def points(self, baked: Baked) -> Array:
        """All points (n, m, 3) that the nodes follow: those of the scene, of cables, and fixed ones."""
        n = len(baked.t)
        more = [
            baked.cables[way] if isinstance(way, str) else np.broadcast_to(way, (n, *way.shape[-2:]))
            for _, way in self.ways
        ]
        return np.concatenate([baked.points, *more], axis=1)

    def follow(self, name: str, way: Array | str) -> int:
        """Index of the first point of a cable's way, of still points (m, 3), or of moving ones (n, m, 3)."""
        first = self.count
        self.count += (self.baked.cables[way] if isinstance(way, str) else way).shape[-2]
        self.ways.append((name, way))
        return first

    def number(self, values: Array) -> int:
        """Index of a number (or of the first of several, one per column) that changes from frame to frame."""
        first = len(self.levels)
        self.levels += list(np.atleast_2d(values.T))
        return first

    def collect(self) -> None:
        """Everything but cables and forces, which need more than the scene."""
        scene, size = self.scene, self.size
        for solid in scene.solids:
            self.solid(solid)
        for rail in scene.rails:
            self.rail(rail)
        for link in scene.links:
            radius = (0.004 if link.kind == "rod" else 0.007) * size
            ends = self.baked.points[:, list(link.ends)]
            if np.all(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=-1) < 1e-9 * size):
                continue
            self.pair(link.ends, radius, _ROD if link.kind == "rod" else _LINK, link.name)
        skinned = {skin.name for skin in scene.skins}
        for beam in scene.beams:
            if beam.name in skinned:
                continue
            radius = max(beam.radius, 0.006 * size)
            colour = _BEAM_IN_SPACE if self.level is None else _BEAM
            self.add("tube", first=beam.points[0], count=len(beam.points), radius=radius, colour=colour, name=beam.name)
        heaviest = max(nominal(body.mass) for body in scene.machine.bodies) or 1.0
        for ball in scene.balls:
            if self.hidden(self.baked.points[0, ball.point]):
                continue
            radius = 0.014 * size * (0.5 + 1.1 * (ball.mass / heaviest) ** (1 / 3))
            self.add("ball", point=ball.point, radius=radius, colour=_MASS, name=ball.body)
        if not any(shape.mesh is not None for shape in scene.solids):
            many = len(scene.joints) > _JOINTS
            for joint in scene.joints:
                if many and self.hidden(self.baked.points[0, joint.point]):
                    continue
                radius = 0.011 * size * min(1.0, 3 / len(scene.joints) ** 0.5)
                self.add("ball", point=joint.point, radius=radius, colour=_JOINT, name=joint.name)
        for pulley in scene.pulleys:
            self.add(
                "cylinder", pose=pulley.pose, radius=pulley.radius, length=0.3 * pulley.radius, axis="y",
                colour=_PULLEY, name=pulley.cable,
            )  # fmt: skip
        for frame in scene.frames:
            self.add("frame", pose=frame.pose, size=0.08 * size, name=frame.name)
        self.masts()
        self.bases()

    def add(self, kind: str, **rest: object) -> None:
        """A node of a kind that the page knows (``frontend/src/shapes.js``)."""
        self.nodes.append({"kind": kind, **rest})

    def pair(self, ends: tuple[int, int], radius: float, colour: str, name: str) -> None:
        """A bar between two points of the scene, and the element that it shows."""
        self.add("bar", ends=list(ends), radius=radius, colour=colour, name=name)

    def solid(self, drawn: SolidPart) -> None:
        """A rigid solid."""
        look = {"pose": drawn.pose, "colour": drawn.colour or self.colours[drawn.body], "name": drawn.body}
        match drawn.solid:
            case Box(size=sides):
                self.add("box", size=list(sides), **look)
            case Sphere(radius=r):
                self.add("ball", radius=r, **look)
            case Cylinder(radius=r, length=h):
                self.add("cylinder", radius=r, length=h, **look)
            case Capsule(radius=r, length=h):
                self.add("capsule", radius=max(nominal(r), 0.007 * self.size), length=h, **look)
            case _:
                mesh = coarse(triangles_of(drawn.solid, drawn.mesh), _MESH_TRIANGLES)
                self.add("mesh", vertices=pack_array(mesh.vertices), faces=pack_array(mesh.faces), **look)

    def hidden(self, point: Array) -> bool:
        """Whether a point is inside of a solid at the start."""
        for half, low, pose in self.boxes:
            if np.all(np.abs((point - pose[:, 3]) @ pose[:, :3] - low - half) <= 1.05 * half):
                return True
        return False

    @cached_property
    def boxes(self) -> list[tuple[Array, Array, Array]]:
        """Half sides, lower corner and pose at the start of the box about every solid."""
        both = zip(self.scene.solids, self.scene.extents, strict=True)
        return [((high - low) / 2, low, self.baked.poses[0, solid.pose]) for solid, (low, high) in both]

    def rail(self, drawn: RailPart) -> None:
        """The rail of a carriage: one through it, or, below a bridge, one at either end of it; with legs."""
        joint = self.scene.machine.joint(drawn.joint)
        if any(solid.body == joint.parent for solid in self.scene.solids):
            return  # what carries it is there to be seen
        lower, upper = rail_reach(self.scene, self.baked, drawn)
        if not np.isfinite(drawn.upper - drawn.lower):  # long enough to be visible as one
            middle = (lower + upper) / 2
            lower, upper = (
                max(min(lower, middle - 0.4 * self.size), drawn.lower),
                min(max(upper, middle + 0.4 * self.size), drawn.upper),
            )
        width = 0.012 * self.size
        pose = self.baked.poses[:, drawn.pose]
        direction = pose[0, :, :3] @ np.array(drawn.axis)
        level = abs(direction @ self.up) < 0.1
        side = np.cross(self.up, direction)
        ends = self.ends(joint.child, pose[0, :, 3], side) if level else None
        for shift in [np.zeros(3)] if ends is None else ends:
            self.add(
                "rail", pose=drawn.pose, axis=list(drawn.axis), lower=lower, upper=upper, width=2 * width,
                height=2 * width, shift=shift.tolist(), colour=_RAIL, name=drawn.joint,
            )  # fmt: skip
            still = np.all(np.abs(pose - pose[0]) < 1e-9 * self.size)
            if self.floor is not None and still and level:
                spread = 0.07 * self.size * side if ends is None else np.zeros(3)
                for s in (lower, upper):
                    self.legs(pose[0, :, 3] + shift + s * direction, spread, width)

    def ends(self, body: str, origin: Array, side: Array) -> list[Array] | None:
        """Where rails run below a bridge, relative to the origin of its rail; None for a carriage that is no bridge."""
        corners = []
        for (half, low, pose), solid in zip(self.boxes, self.scene.solids, strict=True):
            if solid.body == body:
                signs = np.array([[x, y, z] for x in (0, 2) for y in (0, 2) for z in (0, 2)])
                corners.append((low + signs * half) @ pose[:, :3].T + pose[:, 3] - origin)
        if not corners:
            return None
        X = np.concatenate(corners)
        across, bottom = X @ side, float((X @ self.up).min())
        if np.ptp(across) < 0.3 * self.size:
            return None
        below = (bottom - 0.012 * self.size) * self.up
        return [float(across.min()) * 0.94 * side + below, float(across.max()) * 0.94 * side + below]

    def legs(self, top: Array, spread: Array, width: float) -> None:
        """From the floor to a point, two that stand apart or one."""
        assert self.floor is not None
        height = float(top @ self.up) - self.floor
        if height < 0.15 * self.size:
            return
        for sign in (-1.0, 1.0) if np.any(spread) else (1.0,):
            foot = top - height * self.up + sign * spread
            self.add("tube", first=self.follow("leg", np.array([foot, top])), count=2, radius=width, colour=_STAND)

    def bases(self) -> None:
        """Supports of joints on the world: a post below a low one, a bracket above one from which things hang."""
        if self.level is None:
            return
        heights = self.baked.points[:, 1:] @ self.up
        for joint in self.scene.joints:
            at = self.baked.points[0, joint.point]
            above = float(at @ self.up) - self.level
            if not joint.grounded or above < 0.02 * self.size:
                continue
            if self.floor is None or above <= 0.3 * (float(heights.max()) - self.level):
                post = np.array([at - above * self.up, at])
                self.add("tube", first=self.follow("post", post), count=2, radius=0.022 * self.size, colour=_STAND)
            elif not self.hidden(at) and float(at @ self.up) >= float(np.percentile(heights, 60)):
                arm = np.cross(self.up, [0.0, 1.0, 0.0] if abs(self.up[1]) < 0.9 else [1.0, 0.0, 0.0])
                bracket = (
                    np.array([at - 0.06 * self.size * arm, at + 0.06 * self.size * arm]) + 0.016 * self.size * self.up
                )
                self.add(
                    "tube", first=self.follow("bracket", bracket), count=2, radius=0.012 * self.size, colour=_STAND
                )

    def masts(self) -> None:
        """Masts below the exits of cables that are fixed in the world, and a frame between their tops."""
        exits = [self.baked.cables[cable.name][:, 0] for cable in self.scene.cables if cable.grounded]
        still = [way[0] for way in exits if np.all(np.abs(way - way[0]) < 1e-9 * self.size)]
        if self.floor is None or not still:
            return
        feet: dict[tuple[float, ...], Array] = {}
        for top in still:
            foot = top + (self.floor - top @ self.up) * self.up
            key = tuple(np.round(foot / (0.01 * self.size)))
            if key not in feet or top @ self.up > feet[key] @ self.up:
                feet[key] = top
        radius = 0.009 * self.size
        tops = list(feet.values())
        for top in tops:
            foot = top + (self.floor - top @ self.up) * self.up
            self.add("tube", first=self.follow("mast", np.array([foot, top])), count=2, radius=radius, colour=_STAND)
        if len(tops) < 3:
            return
        middle = np.mean(tops, axis=0)
        across = np.cross(self.up, [1.0, 0.0, 0.0] if abs(self.up[0]) < 0.9 else [0.0, 1.0, 0.0])
        other = np.cross(self.up, across)
        angle = [float(np.arctan2((top - middle) @ other, (top - middle) @ across)) for top in tops]
        ring = [tops[k] for k in np.argsort(angle)]
        way = np.array([*ring, ring[0]])
        first = self.follow("frame", way)
        self.add("tube", first=first, count=len(way), radius=0.7 * radius, colour=_STAND)

    def cables(self, tensions: dict[str, Array]) -> None:
        """Cables and spans of ropes, coloured by tensions from the least to the largest of all; -1 is slack.

        Parameters
        ----------
        tensions
            Those that are known, by their signals.
        """
        every = np.concatenate([*tensions.values(), np.zeros(1)]) if tensions else np.zeros(1)
        taut = every[every > 1e-9 * max(float(every.max()), 1e-300)]
        least, span = (float(taut.min()), float(np.ptp(taut))) if len(taut) else (0.0, 0.0)
        if len(taut):
            self.legend["tension"] = [least, least + span]
        for cable in self.scene.cables:
            start, ends = self.follow(cable.name, cable.name), self._span_ends(cable)
            for signal, a, b in zip(cable.tensions, ends, ends[1:], strict=False):
                node: dict[str, Any] = {"first": start + a, "count": b - a + 1, "radius": 0.0035 * self.size}
                node |= {"colour": _CABLE, "name": cable.name, "tension": signal, "last": b == ends[-1]}
                if signal in tensions and len(taut):
                    T = tensions[signal]
                    share = (T - least) / span if span > 0.01 * float(taut.max()) else np.full_like(T, 0.3)
                    node["level"] = self.number(np.where(least <= T, share, -1.0))
                self.add("tube", **node)

    def plans(self, paths: dict[str, Array]) -> None:
        """Predicted paths (n, m, 3) of controllers, by name."""
        for name, path in paths.items():
            first = self.follow(name, path)
            self.add("tube", first=first, count=path.shape[1], radius=0.0035 * self.size, colour=_PLAN, name=name)

    def skins(self, baked: Baked) -> None:
        """Surfaces of flexible bodies, deformed by their modal coordinates and coloured by their equivalent stress.

        The largest stress of the film is that of the last colour.
        """
        largest = {skin.name: largest_stress(skin, baked.q) for skin in self.scene.skins}
        most = max([0.0, *(x for x in largest.values() if x is not None)])
        for skin in self.scene.skins:
            first = self.number(baked.q[:, list(skin.modal)])
            self.skinned += skin.modal
            look: dict[str, Any] = {"pose": skin.pose, "modal": first, "colour": _BEAM, "name": skin.name}
            look |= {"coordinates": [self.scene.machine.q_names[k] for k in skin.modal]}
            look |= {"vertices": pack_array(skin.mesh.vertices), "faces": pack_array(skin.mesh.faces)}
            look["shapes"] = pack_array(skin.shapes.reshape(-1, len(skin.modal)).T)
            if skin.stress is not None and most > 0.0:
                look |= {"stress": pack_array(skin.stress.reshape(-1, len(skin.modal)).T / most)}
                self.legend["stress"] = most
            self.add("skin", **look)

    def hanging(self, cable: CablePart) -> int:
        """Place among the points of a cable at which its free line begins that hangs where it is slack."""
        return cable.lines[hanging_line(self.baked.points[:, list(cable.points)], cable.lines)]

    def _span_ends(self, cable: CablePart) -> list[int]:
        """Places on the way of a cable between which a tension holds: its ends, and the middles of its arcs."""
        count = self.baked.cables[cable.name].shape[1]
        if len(cable.tensions) == 1:
            return [0, count - 1]
        more = count - len(cable.points)  # points of the line that may sag
        hanging = self.hanging(cable)
        middles = [(a + 1 + b) // 2 for a, b in pairwise(cable.lines)]
        return [0, *(k + more * (k > hanging) for k in middles), count - 1]

    def arrows(self, forces: dict[str, tuple[Array, Array]]) -> None:
        """Forces by name: where they act (n, 3) and their vectors (n, 3); impacts do not dwarf all others."""
        if not forces:
            return
        sizes = np.concatenate([np.linalg.norm(vector, axis=1) for _, vector in forces.values()])
        usual = float(np.percentile(sizes[sizes > 0], 95)) if np.any(sizes > 0) else 1.0
        self.legend["force"] = usual
        for name, (points, vector) in forces.items():
            length = np.linalg.norm(vector, axis=1, keepdims=True)
            shown = vector * np.minimum(1.0, 1.6 * usual / np.maximum(length, 1e-300))
            self.add(
                "arrow", point=self.follow(name, points[:, None]), vector=self.number(shown),
                scale=0.2 * self.size / usual, radius=0.006 * self.size, colour=_FORCE, name=name,
            )  # fmt: skip

    def surfaces(self, values: dict[str, float]) -> list[Array]:
        """Draw the touched surfaces of the world, other than the floor: ramps, walls, and rings for round ones.

        Returns points of ramps and rings, for the camera.
        """
        seen, ramps = set(), list[Array]()
        shapes = world_shapes(self.scene.machine, lambda x: float(evaluate(x, values)))
        for plane in shapes:
            if not isinstance(plane, Plane):
                continue
            key = tuple(np.round([*plane.normal, plane.normal @ plane.point / self.size], 6))
            if key in seen or (self.floor is not None and plane.normal @ self.up > 1 - 1e-9):
                continue
            seen.add(key)
            if self.floor is not None and (slopes := inclines([plane], outline(self.scene, self.baked), self.up)):
                ramps.append(self.ramp(slopes[0]))
                continue
            self.add("plane", point=plane.point.tolist(), normal=plane.normal.tolist(), size=1.6 * self.size)
        return ramps + [self._ring(*ring) for shape in shapes for ring in self._rings(shape)]

    def ramp(self, corners: Array) -> Array:
        """A wedge between an inclined plane and the floor; returns its corners."""
        assert self.floor is not None
        heights = corners @ self.up
        feet = corners - (np.maximum(heights - self.floor, 0.0))[:, None] * self.up
        self.add("ramp", top=corners.reshape(-1).tolist(), foot=feet.reshape(-1).tolist())
        return np.concatenate([corners, feet])

    def _rings(self, shape: Plane | Ball | Tube) -> list[tuple[Array, Array, float]]:
        """Centre, normal and radius of rings that show a round surface as far as the machine goes along it."""
        match shape:
            case Ball(centre=centre, radius=radius):
                return [(centre, axis, radius) for axis in np.eye(3)]
            case Tube(point=point, axis=axis, radius=radius):
                along = (outline(self.scene, self.baked) - point) @ axis
                ends = [along.min(), along.max()] if np.ptp(along) > 0.2 * radius else [along.mean()]
                return [(point + s * axis, axis, radius) for s in ends]
        return []

    def _ring(self, centre: Array, normal: Array, radius: float) -> Array:
        self.add("ring", point=centre.tolist(), normal=normal.tolist(), radius=radius, thick=0.006 * self.size)
        first = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
        first /= np.linalg.norm(first)
        a = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)[:, None]
        return np.asarray(centre + radius * (np.cos(a) * first + np.sin(a) * np.cross(normal, first)))
