"""Shapes that collide, in numbers, and the bodies of a machine that have them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import casadi
import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array

__all__ = ["ColliderSystem", "Hull", "ShapeKind", "ShapeTable"]


class ShapeKind(IntEnum):
    """Kinds of shapes, as in scene.h."""

    SPHERE = 0
    CAPSULE = 1
    CYLINDER = 2
    BOX = 3
    HULL = 4
    HALF_SPACE = 5
    CONE = 6
    FIELD = 7


@dataclass(frozen=True, eq=False)
class Hull:
    """Corners of a convex polyhedron (n x 3), outward normals of its faces (m x 3), and the corners of each face."""

    vertices: Array
    normals: Array
    loops: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class ShapeTable:
    """Shapes in numbers.

    Parameters
    ----------
    kinds, bodies
        Kind and body of each shape; body -1: it does not move.
    sizes, places
        As in scene.h (m x 3); position (3) and rotation by rows (9) in the frame of the body (m x 12).
    reach, inner
        Radii of spheres about the centre of each shape, around it and inside of it (m).
    friction, restitution, spinning, rolling
        Coefficients of the shapes (m); the last two are lengths.
    compliance, damping
        Inverse stiffness [m/N] of each shape (m), zero if rigid, and damping [s/m].
    adhesion
        Force [N] with which contacts of each shape pull at most (m).
    belt, grain, across
        In the frame of each shape: velocity of its surface (m x 3), the direction along which it has its friction
        (m x 3; zero: all), and friction across that (m).
    excluded
        Pairs of shapes i < j that do not touch, as i m + j, in rising order.
    contacts
        Number of contacts at most.
    resists, yields, adheres
        Whether contacts have moments against spinning and rolling, and whether some of them are compliant or adhere.
    hulls
        Hulls by the number of their shape.
    """

    kinds: NDArray[np.int64]
    bodies: NDArray[np.int64]
    sizes: Array
    places: Array
    reach: Array
    inner: Array
    friction: Array
    restitution: Array
    spinning: Array
    rolling: Array
    compliance: Array
    damping: Array
    adhesion: Array
    belt: Array
    grain: Array
    across: Array
    excluded: NDArray[np.int64]
    contacts: int
    resists: bool = False
    yields: bool = False
    adheres: bool = False
    hulls: dict[int, Hull] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ColliderSystem:
    """Bodies of a machine with joints that have shapes: one tape for all bodies, whatever the number of pairs.

    Parameters
    ----------
    shapes
        Their shapes.
    names, carriers, owners
        Names of the bodies that move; which of them each frame belongs to (beams have several frames); and the body or
        collider of each shape, for messages.
    poses
        (t, x, c, p, h) -> position (3) and rotation by rows (9) of each frame in the world; its Jacobian in axes of the
        world, six numbers (of the origin, of the rotation) for each velocity that moves it; friction,
        restitution, resistance against spinning and rolling, friction across the grain, compliance, damping, adhesion
        and belts of the shapes; if it is ``flexible``, half of the length of each frame that is a segment of a beam (0:
        it is none), and its rates, one for each of these velocities.
    columns
        Velocities that move each frame.
    supports
        The same, with those that rows which always hold connect with them.
    flexible
        Whether there are beams or rods among the bodies.
    count, deepest, forces, stored
        Places in x: of the number of contacts, of the smallest gap, of the force on each body (3), and of the energy in
        compliant contacts (-1: there are none).
    """

    shapes: ShapeTable
    names: tuple[str, ...]
    carriers: tuple[int, ...]
    owners: tuple[str, ...]
    poses: casadi.Function
    columns: tuple[tuple[int, ...], ...]
    supports: tuple[tuple[int, ...], ...]
    flexible: bool
    count: int
    deepest: int
    forces: int
    stored: int = -1
