"""Cross-sections of beams and loads at their tips."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from dalembert.core.errors import MachineError

__all__ = ["Load", "Section"]

_PRINTED = 1e-3  # data are printed with three digits


def _number(value: object, what: str, *, strict: bool = False, lower: float | None = 0.0) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise MachineError(f"{what} must be a plain number, got {value!r}") from None
    if not math.isfinite(number) or (lower is not None and (number < lower or (strict and number == lower))):
        bound = "finite" if lower is None else f"{'>' if strict else '>='} {lower:g} and finite"
        raise MachineError(f"{what} must be {bound}, got {number:g}")
    return number


@dataclass(frozen=True)
class Section:
    """Area and second moments of area of a cross-section, in axes through its centroid.

    Parameters
    ----------
    area
        Area ``S`` [m2].
    I_y, I_z
        Second moments ``int z^2`` (bending in the xz plane) and ``int y^2`` (bending in the xy plane) [m4].
    I_p
        Polar moment, ``I_y + I_z`` (SPACE B.27); given, it must be that sum to the three digits of printed data, as the
        mass of a section cannot have another one.
    torsion
        Torsion constant, by default ``I_p`` (exact for circular sections).
    I_yz
        Product ``int y z`` [m4]. The source needs ``I_yz = -int y z`` for (B.26) and (B.27) to agree; here it is the
        integral itself.

    Examples
    --------
    >>> import dalembert as da
    >>> round(da.Section.rectangle(width=0.04, height=0.06).I_y * 1e8, 3)  # b h^3 / 12 [cm4]
    72.0
    """

    area: float
    I_y: float = 0.0
    I_z: float = 0.0
    I_p: float | None = field(default=None)
    torsion: float | None = field(default=None)
    I_yz: float = 0.0

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "area", _number(self.area, "the area of a section", strict=True))
        for name in ("I_y", "I_z"):
            set_(self, name, _number(getattr(self, name), f"{name} of a section"))
        polar = self.I_y + self.I_z
        if self.I_p is not None and abs(_number(self.I_p, "I_p of a section") - polar) > _PRINTED * polar:
            raise MachineError(f"I_p of a section must be I_y + I_z = {polar:g}, got {self.I_p:g}; leave it out")
        set_(self, "I_p", polar)
        set_(self, "torsion", self.I_p if self.torsion is None else _number(self.torsion, "torsion of a section"))
        set_(self, "I_yz", _number(self.I_yz, "I_yz of a section", lower=None))
        if self.I_yz**2 > self.I_y * self.I_z * (1 + 1e-12):
            raise MachineError(
                f"I_yz of a section must not exceed sqrt(I_y I_z) = {math.sqrt(self.I_y * self.I_z):g} in size, "
                f"got {self.I_yz:g}"
            )

    @property
    def outer_radius(self) -> float | None:
        """Outer radius of the round tube with this area and the mean of both second moments [m].

        With the radii a and b, ``4 I / A = a^2 + b^2`` and ``A / pi = a^2 - b^2``. None: no section has these numbers,
        because a solid circle has the least second moment of an area.
        """
        square, solid = 2.0 * (self.I_y + self.I_z) / self.area, self.area / math.pi
        return math.sqrt((square + solid) / 2.0) if square >= (1.0 - _PRINTED) * solid else None

    @staticmethod
    def tube(outer: float, inner: float = 0.0) -> Section:
        """Circular tube with the given outer and inner radius."""
        a, b = _number(outer, "the outer radius of a tube", strict=True), _number(inner, "the inner radius of a tube")
        if b >= a:
            raise MachineError(f"the inner radius of a tube must be less than the outer one, got {b:g} and {a:g}")
        I = math.pi * (a**4 - b**4) / 4
        return Section(math.pi * (a**2 - b**2), I, I)

    @staticmethod
    def rectangle(width: float, height: float) -> Section:
        """Solid rectangle, ``width`` along y and ``height`` along z; Saint-Venant's torsion constant to 0.5 %."""
        b, h = (_number(x, "the sides of a rectangle", strict=True) for x in (width, height))
        long, short = max(b, h), min(b, h)
        r = short / long
        torsion = long * short**3 * (1 / 3 - 0.21 * r * (1 - r**4 / 12))
        return Section(b * h, b * h**3 / 12, h * b**3 / 12, torsion=torsion)


@dataclass(frozen=True)
class Load:
    """Inertia of the outboard bodies at the tip of a beam, for its modes only (SPACE Table B.1).

    Parameters
    ----------
    mass
        Mass ``M_L``.
    inertia
        Moments ``(J_x, J_y, J_z)`` about the tip (Steiner's terms included), in beam axes.
    first_moment
        Mass times distance of the load's centre of mass beyond the tip along the beam; zero in the source.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Load(mass=10.0, inertia=(0.1, 2.0, 2.0)).mass
    10.0
    """

    mass: float = 0.0
    inertia: tuple[float, float, float] = (0.0, 0.0, 0.0)
    first_moment: float = 0.0

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "mass", _number(self.mass, "the mass of a load"))
        try:
            x, y, z = self.inertia
        except (TypeError, ValueError):
            raise MachineError(f"the inertia of a load must be 3 moments (x, y, z), got {self.inertia!r}") from None
        axes = zip("xyz", (x, y, z), strict=True)
        set_(self, "inertia", tuple(_number(v, f"the inertia of a load about {a}") for a, v in axes))
        set_(self, "first_moment", _number(self.first_moment, "the first moment of a load", lower=None))
        for a, J in zip("yz", self.inertia[1:], strict=True):
            if self.first_moment**2 > self.mass * J * (1 + 1e-9):
                raise MachineError(
                    f"a load of mass {self.mass:g} with the first moment {self.first_moment:g} needs an inertia about "
                    f"{a} of at least {self.first_moment**2 / self.mass if self.mass else math.inf:g}, got {J:g}"
                )
