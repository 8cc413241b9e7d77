"""Rigid bodies, and the inertia of homogeneous shapes (ROBOTICS, examples of body inertia matrices)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import (
    Bound,
    Matrix,
    Vector,
    VectorLike,
    check_name,
    field_matrix,
    field_scalar,
    field_vector,
)
from dalembert.model.geometry import Box, Capsule, Cylinder, Geometry, Sphere, along, as_geometry
from dalembert.model.transform import Transform

__all__ = ["Body", "box", "cylinder", "hollow_cylinder", "point_mass", "rod", "sphere"]

_ZERO: Matrix = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True)
class Body:
    """A rigid body.

    Parameters
    ----------
    name
        Unique name.
    mass
        Mass [kg], not negative; zero is legal for a body that carries others.
    com
        Centre of mass in the body frame [m].
    inertia
        Inertia about the centre of mass in axes of the body frame [kg m2]: three numbers (diagonal), six
        (xx, yy, zz, xy, xz, yz, the entries of the matrix) or 3x3.
    geometry
        Geometry for drawing and contact: `Geometry` objects, or solids (`Box`, `Sphere` ..) in the body frame.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Body("disc", 2.0, com=(0, 0, 0.1), inertia=(0.1, 0.1, 0.2)).mass
    2.0
    """

    name: str
    mass: Scalar = 0.0
    com: Vector = (0.0, 0.0, 0.0)
    inertia: Matrix = _ZERO
    geometry: tuple[Geometry, ...] = ()

    def __post_init__(self) -> None:
        name = check_name(self.name, "body")
        set_ = object.__setattr__
        set_(self, "mass", field_scalar(self.mass, f"mass of body '{name}'", lower=0.0))
        set_(self, "com", field_vector(self.com, f"centre of mass of body '{name}'"))
        I = field_matrix(self.inertia, f"inertia of body '{name}'")
        for i, j in ((0, 1), (0, 2), (1, 2)):
            a, b = nominal(I[i][j]), nominal(I[j][i])
            if abs(a - b) > 1e-12 * max(abs(a), abs(b)):
                raise MachineError(
                    f"inertia of body '{name}' must be symmetric, got {a:g} at ({i}, {j}) and {b:g} at ({j}, {i})"
                )
        set_(self, "geometry", as_geometry(self.geometry, name))
        # Equal entries are stored as one scalar: the upper triangle counts.
        set_(self, "inertia", ((I[0][0], I[0][1], I[0][2]), (I[0][1], I[1][1], I[1][2]), (I[0][2], I[1][2], I[2][2])))

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the body that affect its motion."""
        return (self.mass, *self.com, *(x for row in self.inertia for x in row))

    def bounds(self) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""
        yield Bound(f"mass of body '{self.name}'", self.mass)
        for solid in self.geometry:
            yield from solid.bounds(self.name)


def _positive(shape: str, name: str, **lengths: Scalar) -> list[Scalar]:
    return [
        field_scalar(v, f"the {k.replace('_', ' ')} of {shape} '{name}'", lower=0.0, strict=True)
        for k, v in lengths.items()
    ]


def _mass(shape: str, name: str, mass: Scalar) -> Scalar:
    return field_scalar(mass, f"the mass of {shape} '{check_name(name, 'body')}'", lower=0.0)


def box(name: str, mass: Scalar, size: VectorLike, com: VectorLike = (0.0, 0.0, 0.0)) -> Body:
    """Homogeneous parallelepiped with sides ``size = (a, b, c)`` along x, y, z: I_xx = m (b^2 + c^2)/12 and so on.

    Examples
    --------
    >>> import dalembert as da
    >>> da.box("crate", 12.0, (1.0, 2.0, 3.0)).inertia[0][0]
    13.0
    """
    m = _mass("box", name, mass)
    x, y, z = field_vector(size, f"the size of box '{name}'")
    a, b, c = _positive("box", name, length=x, width=y, height=z)
    k = m / 12.0
    inertia = (k * (b**2 + c**2), k * (a**2 + c**2), k * (a**2 + b**2))
    return _solid(name, m, com, inertia, Geometry(Box((a, b, c))))


def hollow_cylinder(
    name: str,
    mass: Scalar,
    outer: Scalar,
    inner: Scalar,
    length: Scalar,
    axis: str = "x",
    com: VectorLike = (0.0, 0.0, 0.0),
) -> Body:
    """Homogeneous tube of outer and inner radius about ``axis``.

    I_axis = m (a^2 + b^2)/2 and I_transverse = m (3 (a^2 + b^2) + h^2)/12 (ROBOTICS, empty cylinder).

    Examples
    --------
    >>> import dalembert as da
    >>> round(da.hollow_cylinder("tube", 4.0, outer=0.1, inner=0.05, length=0.2).inertia[0][0], 9)
    0.025
    """
    m = _mass("hollow cylinder", name, mass)
    a, h = _positive("hollow cylinder", name, outer_radius=outer, length=length)
    b = field_scalar(inner, f"the inner radius of hollow cylinder '{name}'", lower=0.0)
    if nominal(b) > nominal(a):
        raise MachineError(
            f"the inner radius of hollow cylinder '{name}' must not exceed the outer one, "
            f"got {nominal(b):g} > {nominal(a):g}"
        )
    r2 = a**2 + b**2
    inertia = _about(axis, m * r2 / 2.0, m * (3.0 * r2 + h**2) / 12.0)
    return _solid(name, m, com, inertia, Geometry(Cylinder(a, h), along(axis)))


def cylinder(
    name: str, mass: Scalar, radius: Scalar, length: Scalar, axis: str = "x", com: VectorLike = (0.0, 0.0, 0.0)
) -> Body:
    """Homogeneous solid cylinder about ``axis``.

    Examples
    --------
    >>> import dalembert as da
    >>> round(da.cylinder("nut", 4.0, radius=0.1, length=0.2, axis="z").inertia[2][2], 9)
    0.02
    """
    return hollow_cylinder(name, mass, radius, 0.0, length, axis, com)


def rod(name: str, mass: Scalar, length: Scalar, axis: str = "x", com: VectorLike = (0.0, 0.0, 0.0)) -> Body:
    """Slender homogeneous rod along ``axis``: I = m l^2/12 about the transverse axes.

    Examples
    --------
    >>> import dalembert as da
    >>> da.rod("bar", 12.0, length=1.0, axis="z").inertia[0][0]
    1.0
    """
    m = _mass("rod", name, mass)
    (h,) = _positive("rod", name, length=length)
    return _solid(name, m, com, _about(axis, 0.0, m * h**2 / 12.0), Geometry(Capsule(0.0, h), along(axis)))


def sphere(name: str, mass: Scalar, radius: Scalar, com: VectorLike = (0.0, 0.0, 0.0)) -> Body:
    """Homogeneous solid sphere: I = 2 m r^2/5.

    Examples
    --------
    >>> import dalembert as da
    >>> round(da.sphere("ball", 5.0, radius=0.1).inertia[0][0], 9)
    0.02
    """
    m = _mass("sphere", name, mass)
    (r,) = _positive("sphere", name, radius=radius)
    k = 0.4 * m * r**2
    return _solid(name, m, com, (k, k, k), Geometry(Sphere(r)))


def point_mass(name: str, mass: Scalar, com: VectorLike = (0.0, 0.0, 0.0)) -> Body:
    """Point mass, without rotational inertia.

    Examples
    --------
    >>> import dalembert as da
    >>> da.point_mass("bob", 2.0, com=(0, 0, -0.5)).inertia[0][0]
    0.0
    """
    return Body(name, mass, cast(Vector, com))


def _solid(name: str, mass: Scalar, com: VectorLike, inertia: Vector, shape: Geometry) -> Body:
    """Body with one solid about its centre of mass."""
    centre = field_vector(com, f"centre of mass of body '{name}'")
    return Body(
        name, mass, centre, cast(Matrix, inertia), (replace(shape, origin=Transform(centre, shape.origin.rotation)),)
    )


def _about(axis: str, along: Scalar, across: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    if axis not in ("x", "y", "z"):
        raise MachineError(f"the axis of a shape must be 'x', 'y' or 'z', got {axis!r}")
    d = [across, across, across]
    d["xyz".index(axis)] = along
    return (d[0], d[1], d[2])
