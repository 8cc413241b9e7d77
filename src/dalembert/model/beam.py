"""Beams: slender flexible segments described by assumed modes (SPACE 5.1 and Appendix B.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, overload

import casadi as ca
import numpy as np

from dalembert.core.errors import MachineError
from dalembert.core.kept import Kept
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.renamed import renamed
from dalembert.core.types import Array, Expression
from dalembert.core.validation import Bound, check_name, field_scalar
from dalembert.model.beam_integrals import BeamIntegrals, mode_matrices
from dalembert.model.beam_modes import BeamPiece, EndLoad, Support, beam_modes
from dalembert.model.elastic.beam_fields import beam_field, bent_pairs, material_fields
from dalembert.model.elastic.beam_motion import beam_body, beam_section
from dalembert.model.elastic.contract import (
    Elastic,
    ElasticBody,
    ElasticSection,
    EnergyField,
    MaterialField,
    UndeformedInertia,
    Value,
)
from dalembert.model.section import Load, Section, _number
from dalembert.model.shapes import Shape

__all__ = ["DIRECTIONS", "NORMALIZATIONS", "Beam", "Mode"]

DIRECTIONS = ("x", "y", "z", "torsion")
NORMALIZATIONS = ("unit", "mass", "segment", "load", "tip")
MOST_MODES = 40
OUTLINE = 16
"""Stretches of the drawn axis."""
_SUPPORTS = {
    "clamped": Support(True, True),
    "pinned": Support(True, False),
    "free": Support(),
    "loaded": Support(),
}
_NAMES = {"x": "traction", "y": "bending along y", "z": "bending along z", "torsion": "torsion"}


@dataclass(frozen=True)
class Mode:
    """One assumed mode: direction (x, y, z, torsion), shape, and angular frequency.

    ``omega`` [rad/s] is None if the shape was given.
    """

    direction: str
    shape: Shape
    omega: float | None


@renamed("rad/s", frequencies="omega")
@dataclass(frozen=True)
class Beam(Elastic):
    """A flexible segment: a rigid elbow, then an Euler-Bernoulli beam along the x axis of its frame.

    Bodies and joints hang on its tip by the name ``"NAME.tip"``, on other named sections by ``"NAME.STATION"``, and on
    its root frame by ``"NAME"``. It adds the modal coordinates ``NAME.delta1``, ``NAME.delta2`` and so on, in the order
    traction, bending along y, bending along z, torsion, right after the coordinates of its joint.

    Parameters
    ----------
    name
        Unique name.
    length
        Length of the slender part [m]. With a parameter the beam of the nominal length is stretched along its axis:
        mode shapes, lengths of sections and abscissae of stations. Modal coordinates then deflect it in proportion to
        its length.
    section
        Its section, or a list of (length, section) from root to tip.
    E, G
        Young's and shear modulus [N/m2].
    density
        Mass per volume [kg/m3].
    modes
        Number of modes by direction, such as ``{"x": 1, "y": 4, "z": 4, "torsion": 1}``, or a list of `Shape` to use in
        that direction. A direction that is left out is rigid.
    boundary
        Boundary conditions of the modes, ROOT-TIP with clamped, pinned, free and (tip) loaded; default clamped-loaded
        if there is a load, else clamped-free. Or a pair of `Support` (which may hold springs), for bending.
    load
        Inertia at the tip for the modes; see `dalembert.analysis.with_outboard_loads`.
    offset
        Start of the slender part in the frame of the segment, ``p_a`` of (B.19).
    normalization
        ``"unit"``: modal mass with load 1, stiffness ``w^2``. ``"mass"``: own modal mass 1. ``"segment"``: stiffness
        ``m w^2`` with the segment's mass (SPACE D.1.1, D.1.2). ``"load"``: stiffness ``w^2`` times the larger of load
        mass and inertia in bending, the load mass in traction, its inertia in torsion (D.1.3). ``"tip"``: unit tip.
    damping
        Damping ratio of every mode: force ``2 zeta (K_jj / w_j) delta_j'``, with the frequency that E, G and density
        give where they are parameters.
    rotary_inertia
        Whether the sections have inertia of rotation; ``"rigid"``: they turn with the frame of the beam, not with its
        bending (``J'`` of IMPACT 4).
    stiffening
        Whether the shortening of the bent axis is kept (geometric stiffening).
    stations
        Abscissae of named sections, such as ``{"camera": 3.0}``.

    Examples
    --------
    >>> import dalembert as da
    >>> boom = da.Beam("boom", 2.0, da.Section.tube(0.05, 0.04), E=70e9, density=2700.0, modes={"z": 2})
    >>> boom.omega.round(1)  # rad/s
    array([143.3, 898. ])
    """

    kind: ClassVar[str] = "beam"

    name: str
    length: Scalar
    section: Section | tuple[tuple[float, Section], ...]
    E: Scalar
    G: Scalar = 0.0
    density: Scalar = 0.0
    modes: tuple[tuple[str, Any], ...] = ()
    boundary: str | tuple[Support, Support] | None = None
    load: Load | None = None
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    normalization: str = "unit"
    damping: Scalar = 0.0
    rotary_inertia: bool | str = True
    stiffening: bool = False
    stations: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        name, set_ = check_name(self.name, "beam"), object.__setattr__
        if "." in name:
            raise MachineError(
                f"the name of beam '{name}' must not contain a dot, which separates the name of a section"
            )
        if not isinstance(self.offset, Iterable) or any(not isinstance(x, int | float) for x in self.offset):
            raise MachineError(
                f"offset of beam '{name}' must be plain numbers, got {self.offset!r}: length, E, G, density and "
                "damping may be parameters"
            )
        set_(self, "length", field_scalar(self.length, f"length of beam '{name}'", lower=0.0, strict=True))
        if self.stiffening is True and not isinstance(self.length, float):
            raise MachineError(
                f"length of beam '{name}' is '{self.length}': the integrals of its stiffening need a plain number"
            )
        offset = tuple(_number(x, f"offset of beam '{name}'", lower=None) for x in self.offset)
        if len(offset) != 3:
            raise MachineError(f"offset of beam '{name}' must have 3 components, got {self.offset!r}")
        set_(self, "offset", offset)
        set_(self, "E", field_scalar(self.E, f"E of beam '{name}'", lower=0.0, strict=True))
        set_(self, "G", field_scalar(self.G, f"G of beam '{name}'", lower=0.0))
        set_(self, "density", field_scalar(self.density, f"density of beam '{name}'", lower=0.0, strict=True))
        set_(self, "damping", field_scalar(self.damping, f"damping of beam '{name}'", lower=0.0))
        if self.load is not None and not isinstance(self.load, Load):
            raise MachineError(f"load of beam '{name}' must be a Load, got {self.load!r}")
        if self.normalization not in NORMALIZATIONS:
            known = ", ".join(NORMALIZATIONS)
            raise MachineError(f"normalization of beam '{name}' is {self.normalization!r}; known: {known}")
        if self.normalization == "load" and self.load is None:
            raise MachineError(f"beam '{name}' has no load, which its normalization 'load' refers to")
        for field, more in (("rotary_inertia", ("rigid",)), ("stiffening", ())):
            value = getattr(self, field)
            if not isinstance(value, bool) and not (isinstance(value, str) and value in more):
                expected = ", ".join(("true", "false", *more)) if more else "true or false"
                raise MachineError(f"{field} of beam '{name}' must be {expected}, got {value!r}")
        self._check_section()
        set_(self, "modes", self._checked_modes())
        self._supports()
        set_(self, "stations", self._checked_stations())

    def _check_section(self) -> None:
        if isinstance(self.section, Section):
            return
        try:
            pieces = tuple((_number(h, "the length of a stretch", strict=True), s) for h, s in self.section)
        except (TypeError, ValueError):
            pieces = ()
        if not pieces or not all(isinstance(s, Section) for _, s in pieces):
            raise MachineError(
                f"section of beam '{self.name}' must be a Section or a list of (length, Section), got {self.section!r}"
            )
        total = sum(h for h, _ in pieces)
        if abs(total - self.size) > 1e-9 * self.size:
            got = f"{total:g}, its length is {self.size:g}"
            raise MachineError(f"the stretches of beam '{self.name}' add up to {got}")
        object.__setattr__(self, "section", pieces)

    def _checked_modes(self) -> tuple[tuple[str, Any], ...]:
        by_direction: dict[str, Any] = {}
        for key, value in _pairs(self.modes, f"modes of beam '{self.name}'", "directions to numbers"):
            what = f"modes of beam '{self.name}' in direction '{key}'"
            if key not in DIRECTIONS:
                raise MachineError(f"beam '{self.name}' has modes in direction {key!r}; known: {', '.join(DIRECTIONS)}")
            if isinstance(value, bool) or not isinstance(value, int):
                shapes = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else ()
                if not shapes or not all(isinstance(s, Shape) for s in shapes):
                    raise MachineError(f"{what} must be a whole number or a list of Shape, got {value!r}")
                for s in shapes:
                    if abs(s.length - self.size) > 1e-9 * self.size:
                        raise MachineError(f"{what}: a shape has length {s.length:g}, the beam {self.size:g}")
                value = shapes
            elif not 1 <= value <= MOST_MODES:
                expected = f"between 1 and {MOST_MODES} (leave a rigid direction out)"
                raise MachineError(f"{what} must be {expected}, got {value}")
            self._check_support_of(key)
            by_direction[key] = value
        return tuple((d, by_direction[d]) for d in DIRECTIONS if d in by_direction)

    def _check_support_of(self, direction: str) -> None:
        """Refuse modes that the section has no stiffness or no inertia for."""
        for _, _, section in self.pieces:
            stiffness, inertia = self._properties(section, direction)
            if stiffness <= 0.0:
                lacking = {"x": "E", "y": "I_z", "z": "I_y", "torsion": "G or torsion constant"}[direction]
                raise MachineError(f"beam '{self.name}' has no stiffness in {_NAMES[direction]}: its {lacking} is zero")
            if inertia <= 0.0 or (direction == "torsion" and not self.sections_turn):
                raise MachineError(f"beam '{self.name}' has no inertia in {_NAMES[direction]} for modes to move")

    def _checked_stations(self) -> tuple[tuple[str, float], ...]:
        result = []
        for key, value in _pairs(self.stations, f"stations of beam '{self.name}'", "names to abscissae"):
            check_name(key, f"station of beam '{self.name}'")
            s = _number(value, f"station '{key}' of beam '{self.name}'")
            if key == "tip" or s > self.size:
                expected = f"lie in [0, {self.size:g}] and not be called tip"
                raise MachineError(f"station '{key}' of beam '{self.name}' must {expected}, got {s:g}")
            result.append((key, s))
        return tuple(result)

    def _supports(self) -> tuple[Support, Support]:
        boundary = self.boundary
        if boundary is None:
            boundary = "clamped-free" if self.load is None else "clamped-loaded"
        if isinstance(boundary, tuple) and len(boundary) == 2 and all(isinstance(s, Support) for s in boundary):
            return boundary
        root, _, tip = boundary.partition("-") if isinstance(boundary, str) else ("", "", "")
        if root not in ("clamped", "pinned", "free") or tip not in _SUPPORTS:
            raise MachineError(
                f"boundary of beam '{self.name}' must be ROOT-TIP of clamped, pinned, free and (tip) loaded, or two "
                f"Support, got {self.boundary!r}"
            )
        if (tip == "loaded") != (self.load is not None):
            raise MachineError(f"beam '{self.name}': the boundary {boundary} and the load {self.load} contradict")
        return _SUPPORTS[root], _SUPPORTS[tip]

    # -- physical data --------------------------------------------------------------------------------------------

    @property
    def pieces(self) -> tuple[tuple[float, float, Section], ...]:
        """Stretches (start, end, section) from root to tip, at the nominal length."""
        if isinstance(self.section, Section):
            return ((0.0, self.size, self.section),)
        ends = np.cumsum([0.0] + [h for h, _ in self.section])
        ends[-1] = self.size
        return tuple((float(a), float(b), s) for a, b, (_, s) in zip(ends[:-1], ends[1:], self.section, strict=True))

    def _properties(self, section: Section, direction: str) -> tuple[float, float]:
        """Stiffness and inertia per length of a section in a direction, at nominal values."""
        E, G, rho = nominal(self.E), nominal(self.G), nominal(self.density)
        stiffness = {
            "x": E * section.area,
            "y": E * section.I_z,
            "z": E * section.I_y,
            "torsion": G * (section.torsion or 0.0),
        }[direction]
        return stiffness, rho * ((section.I_p or 0.0) if direction == "torsion" else section.area)

    @property
    def sections_turn(self) -> bool:
        """Whether sections have inertia when they turn with bending and torsion."""
        return self.rotary_inertia is True

    @property
    def mass(self) -> Scalar:
        """Mass of the slender part."""
        mass = self.density * sum((b - a) * s.area for a, b, s in self.pieces)
        return mass if isinstance(self.length, float) else mass * (self.length / self.size)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the beam."""
        return (self.length, self.E, self.G, self.density, self.damping)

    def bounds(self) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""
        for field in ("length", "E", "density"):
            yield Bound(f"{field} of beam '{self.name}'", getattr(self, field), strict=True)
        for field in ("G", "damping"):
            yield Bound(f"{field} of beam '{self.name}'", getattr(self, field))

    # -- the contract of flexible bodies ----------------------------------------------------------------------------

    @cached_property
    def size(self) -> float:
        """Length of the slender part, at its nominal value."""
        return nominal(self.length)

    def stretch(self, value: Value) -> Expression | float:
        """Length over its nominal value."""
        return 1.0 if isinstance(self.length, float) else value(self.length) / self.size

    @property
    def coordinate_unit(self) -> str:
        """Unit of the modal coordinates, which their normalisation decides."""
        return "m sqrt(kg)" if self.normalization in ("unit", "mass") else "m"

    @property
    def section_names(self) -> tuple[str, ...]:
        """The tip and the named stations."""
        return ("tip", *(name for name, _ in self.stations))

    def section_abscissa(self, station: str) -> float:
        """Abscissa of a named section, at the nominal length."""
        return dict(self.stations, tip=self.size)[station]

    def section_pose(self, section: str) -> tuple[Array, Array]:
        """Rotation and position of a section of the straight beam."""
        return np.eye(3), np.array(self.offset) + [self.section_abscissa(section), 0.0, 0.0]

    def section_modes(self, section: str) -> Array:
        """Twist of a section per modal rate."""
        return np.vstack(mode_matrices(self, self.section_abscissa(section)))

    def undeformed(self) -> UndeformedInertia:
        """Mass matrix of the straight beam."""
        return BeamIntegrals.of(self).undeformed(nominal(self.density))

    @property
    def root_moves(self) -> bool:
        """Whether a mode moves the root, as those of a free end do."""
        return any(abs(m.shape(0.0)) > 1e-6 for m in self.basis if m.direction != "torsion")

    @property
    def lacks_rotary_inertia(self) -> bool:
        """Whether its sections have no inertia of rotation."""
        return not self.rotary_inertia

    def off_root(self, point: Array) -> str | None:
        """Abscissa of a point on the flexible axis beyond the root."""
        x, y, z = (float(t) - o for t, o in zip(point, self.offset, strict=True))
        slack = 1e-9 * self.size
        on_axis = abs(y) <= slack and abs(z) <= slack and slack < x <= self.size + slack
        return f"the abscissa {x:g} of its flexible axis" if on_axis else None

    def elastic_body(self, delta: Expression, value: Value, approximation: str = "flex") -> ElasticBody:
        """Inertia, strain and Coriolis forces on the symbols of the modal coordinates."""
        return beam_body(self, delta, value, approximation)

    def elastic_section(
        self, section: str, delta: Expression, value: Value, approximation: str = "flex"
    ) -> ElasticSection:
        """Motion of a section on the symbols of the modal coordinates."""
        return beam_section(self, self.section_abscissa(section), delta, value, approximation)

    @property
    def axis_length(self) -> float | None:
        """Length of the slender part; None if it is a parameter: sizes of shapes are numbers."""
        return self.length if isinstance(self.length, float) else None

    def axis_section(self, s: float, delta: Expression, value: Value) -> ElasticSection:
        """Motion of the section at an abscissa."""
        return beam_section(self, s, delta, value, "flex")

    def axis_radius(self, s: float) -> float | None:
        """Outer radius of the section at an abscissa."""
        return next((section for _, end, section in self.pieces if s < end), self.pieces[-1][2]).outer_radius

    @property
    def products(self) -> list[tuple[int, int]]:
        """Pairs of bending modes whose product shortens the axis, if that is kept."""
        return bent_pairs(self)

    def material_fields(self) -> Iterator[MaterialField]:
        """Points of the axis and directors of the sections, per unit density."""
        return material_fields(self)

    def energy_field(self, delta: Expression, R: Expression, p: Expression, value: Value) -> EnergyField:
        """Points of the axis and directors of the sections, at Gauss points."""
        return beam_field(self, delta, R, p, value)

    def outline(self, delta: Expression, value: Value) -> tuple[list[list[Expression]], float]:
        """The axis from the origin of the frame on, and the mean radius of gyration of the sections."""
        line: list[Expression] = [ca.SX(3, 1)]
        places = np.linspace(0.0, self.size, OUTLINE + 1)
        line += [beam_section(self, float(s), delta, value, "flex").p for s in places]
        area = sum((b - a) * s.area for a, b, s in self.pieces) / self.size
        moment = sum((b - a) * (s.I_y + s.I_z) / 2 for a, b, s in self.pieces) / self.size
        radius = float(np.sqrt(2 * moment / area) if moment > 0 else np.sqrt(area / np.pi))
        # Data without a physical section (areas and moduli of 1) would fill the picture.
        return [line], min(radius, 0.03 * self.size)

    @cached_property
    def kept(self) -> Kept:
        """Results derived from this beam: it is frozen, so that they stay valid."""
        return Kept()

    # -- modes ------------------------------------------------------------------------------------------------------

    @cached_property
    def basis(self) -> tuple[Mode, ...]:
        """The assumed modes in the order of the modal coordinates."""
        return tuple(m for direction, chosen in self.modes for m in self._direction_modes(direction, chosen))

    @property
    def n_modes(self) -> int:
        """Number of modal coordinates."""
        return sum(chosen if isinstance(chosen, int) else len(chosen) for _, chosen in self.modes)

    @property
    def omega(self) -> Array:
        """Angular frequencies [rad/s] of the modes with their boundary conditions; NaN for given shapes."""
        return np.array([np.nan if m.omega is None else m.omega for m in self.basis])

    @cached_property
    def amplitudes(self) -> Array:
        """Size of each modal coordinate up to which small deflections mean something.

        Bending and torsion turn some section by 0.1 rad there, traction moves one by 1 % of the length.
        """
        s = np.linspace(0.0, self.size, 101)
        largest = [np.abs(m.shape(s, m.direction in ("y", "z"))).max() for m in self.basis]
        meant = [0.01 * self.size if m.direction == "x" else 0.1 for m in self.basis]
        return np.array([a / x if x > 0.0 else 1.0 for a, x in zip(meant, largest, strict=True)])

    def _direction_modes(self, direction: str, chosen: int | tuple[Shape, ...]) -> list[Mode]:
        if not isinstance(chosen, int):
            return [Mode(direction, s, None) for s in chosen]
        load = self._end_load(direction)
        pieces = [BeamPiece(a, b, *self._properties(s, direction)) for a, b, s in self.pieces]
        order = 2 if direction in ("y", "z") else 1
        w, shapes = beam_modes(pieces, order, self._supports(), load, chosen)
        if len(w) < chosen:
            raise MachineError(f"beam '{self.name}' supports {len(w)} modes in {_NAMES[direction]}, got {chosen}")
        factors = [self._factor(direction, load, pieces, order, s) for s in shapes]
        return [Mode(direction, s.scaled(f), float(x)) for s, f, x in zip(shapes, factors, w, strict=True)]

    def _end_load(self, direction: str) -> EndLoad:
        if self.load is None:
            return EndLoad()
        J_x, J_y, J_z = self.load.inertia
        match direction:
            case "x":
                return EndLoad(self.load.mass)
            case "torsion":
                return EndLoad(J_x)
        return EndLoad(self.load.mass, self.load.first_moment, J_z if direction == "y" else J_y)

    @overload
    def end_parts(self, mode: Mode) -> tuple[float, float]: ...

    @overload
    def end_parts(self, mode: Mode, stretch: Expression) -> tuple[Expression, Expression]: ...

    def end_parts(self, mode: Mode, stretch: Expression | float = 1.0) -> tuple[Any, Any]:
        """Modal mass of the load at the tip, and modal stiffness of the springs of the supports."""
        order = 2 if mode.direction in ("y", "z") else 1
        load = self._end_load(mode.direction)
        longer = 1.0 if mode.direction == "torsion" else stretch  # deflections grow with the length, angles do not
        ends = [(float(mode.shape(s)) * longer, float(mode.shape(s, 1)) * (order == 2)) for s in (0.0, self.size)]
        u, slope = ends[1]
        mass = load.mass * u**2 + 2 * load.first_moment * u * slope + load.inertia * slope**2
        pairs = zip(self._supports(), ends, strict=True)
        return mass, sum(e.deflection_spring * x**2 + e.slope_spring * y**2 for e, (x, y) in pairs)

    def _factor(self, direction: str, load: EndLoad, pieces: list[BeamPiece], order: int, shape: Shape) -> float:
        """Factor that brings a shape of unit modal mass to the chosen normalisation."""
        match self.normalization:
            case "segment":
                return float(np.sqrt(nominal(self.mass)))
            case "load":
                scale = max(load.mass, load.inertia) if order == 2 else load.mass
                return float(np.sqrt(scale))
            case "mass":
                tip = np.array([shape(self.size), shape(self.size, 1)], dtype=float)
                modal_mass = 1.0 - load.mass * tip[0] ** 2
                if order == 2:
                    modal_mass -= 2 * load.first_moment * tip[0] * tip[1] + load.inertia * tip[1] ** 2
                return float(1 / np.sqrt(modal_mass))
            case "tip":
                end = float(shape(self.size))
                if abs(end) < 1e-9:
                    raise MachineError(
                        f"beam '{self.name}': a mode without tip deflection cannot be normalized to a unit tip "
                        "deflection"
                    )
                return 1.0 / end
        return 1.0


def _pairs(pairs: Iterable[Any], what: str, kinds: str) -> list[tuple[Any, Any]]:
    """Items of a mapping, or of the pairs that it was stored as."""
    items = pairs.items() if isinstance(pairs, Mapping) else pairs
    try:
        return [(key, value) for key, value in items]
    except (TypeError, ValueError):
        raise MachineError(f"{what} must map {kinds}, got {pairs!r}") from None
