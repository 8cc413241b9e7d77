"""Exact rods: slender bodies that bend, twist and stretch without a limit to their deflection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import casadi as ca
import numpy as np

from dalembert.core.errors import MachineError
from dalembert.core.kept import Kept
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.types import Array, Expression
from dalembert.core.validation import Bound, check_name, field_scalar
from dalembert.model.elastic.contract import (
    Elastic,
    ElasticBody,
    ElasticSection,
    EnergyField,
    UndeformedInertia,
    Value,
)
from dalembert.model.elastic.rod_kinematics import RodKinematics
from dalembert.model.elastic.rod_motion import RodBody, RodSection, rod_field
from dalembert.model.elastic.rod_points import STRAINS, rod_points
from dalembert.model.section import Section, _number

__all__ = ["Rod"]

_ORDER = ("axial", "bending_y", "bending_z", "torsion", "shear_y", "shear_z")
_BOTH = {"bending": ("bending_y", "bending_z"), "shear": ("shear_y", "shear_z")}
MOST_TERMS = 20
OUTLINE = 24
"""Stretches of the drawn axis, at least."""
_LAST = 0.1
"""Part of the largest coefficient of a series from which on the last one raises doubts."""
_SMALL_ANGLE, _SMALL_STRAIN = 0.05, 1e-3
"""Coefficients below which a series raises none."""
_LONGEST_STEP = 2.0
"""Angle [rad] between two points up to which the exponential series is exact to 1e-12."""
_MORE_POINTS = 4
"""Gauss points of a cell beyond the number of terms of its longest series."""


@dataclass(frozen=True)
class Rod(Elastic):
    """A slender flexible body whose strains are small and whose rotations are of any size.

    Its axis begins at the origin of its frame, along x, and follows from its strains without approximation. The strains
    are series of Legendre polynomials in each piece. Bodies and joints hang on its tip by the name ``"NAME.tip"``, on
    other named sections by ``"NAME.STATION"``. It adds the coordinates ``NAME.delta1`` and so on, piece by piece in the
    order axial, bending_y, bending_z, torsion, shear_y, shear_z. Those of curvatures are angles: the first one of
    ``bending_y`` is the angle by which the piece bends.

    Parameters
    ----------
    name
        Unique name.
    length
        Length [m] without load.
    section
        Its section, or a list of (length, section) from root to tip.
    E, G
        Young's and shear modulus [N/m2].
    density
        Mass per volume [kg/m3].
    strains
        Number of terms of each series: ``bending`` (both planes), ``bending_y`` (towards y: curvature about z),
        ``bending_z`` (curvature about y), ``torsion``, ``axial``, ``shear`` (both), ``shear_y``, ``shear_z``. Strains
        that are left out are locked.
    pieces
        Number of pieces of equal length, or their lengths from root to tip.
    curvature
        Curvature (about x, y and z of the sections) without load [1/m], or a list of (length, curvature) from root to
        tip. The rod is then drawn, and bodies are attached, in this shape.
    tip_section
        Section at the tip of a tapered rod. Between root and tip the square root of the area and the fourth roots of
        the second moments are linear, as those of a cone.
    shear_factor
        Part of the area that carries shear, which strains of shear need: 5/6 of solid rectangles, 0.9 of solid circles.
    damping_time
        Time constant ``tau`` [s] of the material: stresses are ``E (e + tau e')``. A mode has the damping ratio
        ``omega tau / 2``.
    rotary_inertia
        Whether the sections have inertia of rotation.
    points
        Gauss points of each piece, by default four more than the longest series has terms.
    stations
        Abscissae of named sections, such as ``{"camera": 3.0}``.

    Examples
    --------
    A strip of spring steel that its own end moment rolls up to a circle:

    >>> import numpy as np, dalembert as da
    >>> section = da.Section.rectangle(0.0005, 0.02)
    >>> strip = da.Rod("strip", 1.0, section, E=2e11, density=7800.0, strains={"bending_y": 1}, points=12)
    >>> machine = da.Machine("clamped", [strip], [da.Joint("wall", "fixed", "world", "strip")])
    >>> round_about = da.equations(machine, backend="vm").pose("strip.tip", [2 * np.pi])
    >>> round_about[:3, 3].round(12) + 0.0
    array([0., 0., 0.])
    """

    kind: ClassVar[str] = "rod"
    linear: ClassVar[bool] = False

    name: str
    length: float
    section: Section | tuple[tuple[float, Section], ...]
    E: Scalar
    G: Scalar = 0.0
    density: Scalar = 0.0
    strains: tuple[tuple[str, int], ...] = ()
    pieces: int | tuple[float, ...] = 1
    curvature: tuple[float, float, float] | tuple[tuple[float, tuple[float, float, float]], ...] = (0.0, 0.0, 0.0)
    tip_section: Section | None = None
    shear_factor: float | None = None
    damping_time: Scalar = 0.0
    rotary_inertia: bool = True
    points: int | None = None
    stations: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        name, set_ = check_name(self.name, "rod"), object.__setattr__
        if "." in name:
            raise MachineError(
                f"the name of rod '{name}' must not contain a dot, which separates the name of a section"
            )
        set_(self, "length", _number(self.length, f"length of rod '{name}'", strict=True))
        set_(self, "E", field_scalar(self.E, f"E of rod '{name}'", lower=0.0, strict=True))
        set_(self, "G", field_scalar(self.G, f"G of rod '{name}'", lower=0.0))
        set_(self, "density", field_scalar(self.density, f"density of rod '{name}'", lower=0.0, strict=True))
        set_(self, "damping_time", field_scalar(self.damping_time, f"damping_time of rod '{name}'", lower=0.0))
        if not isinstance(self.rotary_inertia, bool):
            raise MachineError(f"rotary_inertia of rod '{name}' must be true or false, got {self.rotary_inertia!r}")
        if self.shear_factor is not None:
            set_(self, "shear_factor", _number(self.shear_factor, f"shear_factor of rod '{name}'", strict=True))
        self._set_sections()
        set_(self, "curvature", self._checked_curvature())
        set_(self, "pieces", self._checked_pieces())
        set_(self, "strains", self._checked_strains())
        most = self._whole_number("points", self.points) if self.points is not None else None
        if most is not None and most < max(k for _, k in self.strains):
            raise MachineError(f"points of rod '{name}' must be at least the terms of its longest series, got {most}")
        set_(self, "stations", self._checked_stations())

    def _whole_number(self, field: str, value: object, most: int | None = None) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < 1 or (most is not None and value > most):
            expected = "a whole number >= 1" if most is None else f"a whole number from 1 to {most}"
            raise MachineError(f"{field} of rod '{self.name}' must be {expected}, got {value!r}")
        return value

    def _stretches(self, field: str, value: Any) -> tuple[tuple[float, Any], ...]:
        """Pairs of a length and something, which add up to the length of the rod."""
        try:
            pairs = tuple((_number(h, f"the length of a stretch in {field}", strict=True), x) for h, x in value)
        except (TypeError, ValueError):
            pairs = ()
        if not pairs:
            raise MachineError(f"{field} of rod '{self.name}' must be a list of (length, {field}), got {value!r}")
        self._check_sum(f"the stretches of {field}", sum(h for h, _ in pairs))
        return pairs

    def _check_sum(self, what: str, total: float) -> None:
        if abs(total - self.length) > 1e-9 * self.length:
            raise MachineError(f"{what} of rod '{self.name}' add up to {total:g}, its length is {self.length:g}")

    def _set_sections(self) -> None:
        if not isinstance(self.section, Section):
            pairs = self._stretches("section", self.section)
            if not all(isinstance(s, Section) for _, s in pairs):
                raise MachineError(f"section of rod '{self.name}' must hold Section objects, got {self.section!r}")
            object.__setattr__(self, "section", pairs)
        if self.tip_section is None:
            return
        if not isinstance(self.tip_section, Section) or not isinstance(self.section, Section):
            raise MachineError(f"tip_section of rod '{self.name}' must be a Section, and section the one at the root")
        if self.section.I_yz or self.tip_section.I_yz:
            raise MachineError(f"sections of rod '{self.name}', which is tapered, must have I_yz = 0")

    def _checked_curvature(self) -> Any:
        value: Any = self.curvature
        if isinstance(value, Iterable) and not isinstance(value, str):
            value = tuple(value)
            if len(value) == 3 and not any(isinstance(x, Iterable) for x in value):
                return self._vector(value)
        return tuple((h, self._vector(k)) for h, k in self._stretches("curvature", value))

    def _vector(self, value: Any) -> tuple[float, ...]:
        numbers = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else ()
        if len(numbers) != 3:
            raise MachineError(f"curvature of rod '{self.name}' must have 3 components, got {value!r}")
        return tuple(_number(x, f"curvature of rod '{self.name}'", lower=None) for x in numbers)

    def _checked_pieces(self) -> int | tuple[float, ...]:
        if not isinstance(self.pieces, Iterable) or isinstance(self.pieces, str):
            return self._whole_number("pieces", self.pieces)
        lengths = tuple(_number(h, f"pieces of rod '{self.name}'", strict=True) for h in self.pieces)
        self._check_sum("the pieces", sum(lengths))
        return lengths

    def _checked_strains(self) -> tuple[tuple[str, int], ...]:
        items = self.strains.items() if isinstance(self.strains, Mapping) else self.strains
        known = ("bending", *_ORDER[1:4], "axial", "shear", *_ORDER[4:])
        chosen: dict[str, int] = {}
        try:
            pairs = [(key, value) for key, value in items]
        except (TypeError, ValueError):
            raise MachineError(f"strains of rod '{self.name}' must map names to numbers, got {items!r}") from None
        for key, value in pairs:
            if key not in known:
                raise MachineError(f"rod '{self.name}' has the strain {key!r}; known: {', '.join(known)}")
            for one in _BOTH.get(key, (key,)):
                if one in chosen:
                    raise MachineError(f"rod '{self.name}' has the strain '{one}' twice, as '{key}' too")
                chosen[one] = self._whole_number(f"strain '{key}'", value, MOST_TERMS)
        if not chosen:
            raise MachineError(f"rod '{self.name}' has no strains: give strains={{'bending': 4}}, or use a Body")
        for one in chosen:
            self._check_stiffness(one)
        return tuple((one, chosen[one]) for one in _ORDER if one in chosen)

    def _check_stiffness(self, strain: str) -> None:
        """Refuse strains against which no section has inertia or the data of a stiffness."""
        if strain.startswith("shear") and self.shear_factor is None:
            raise MachineError(f"rod '{self.name}' has strains of shear: give shear_factor (5/6 of solid rectangles)")
        if strain in ("torsion", "shear_y", "shear_z") and not nominal(self.G) > 0.0:
            raise MachineError(f"rod '{self.name}' has the strain '{strain}' and no shear modulus G")
        for s in self._all_sections:
            size = {"torsion": s.torsion, "bending_y": s.I_z, "bending_z": s.I_y}.get(strain, s.area)
            if not size:
                needed = {"torsion": "torsion constant", "bending_y": "I_z", "bending_z": "I_y"}[strain]
                raise MachineError(f"rod '{self.name}' has no stiffness against '{strain}': its {needed} is zero")
            if strain == "torsion" and not (self.rotary_inertia and s.I_p):
                raise MachineError(f"rod '{self.name}' has no inertia of rotation for the strain 'torsion' to move")

    def _checked_stations(self) -> tuple[tuple[str, float], ...]:
        items = self.stations.items() if isinstance(self.stations, Mapping) else self.stations
        result = []
        for key, value in items:
            check_name(key, f"station of rod '{self.name}'")
            s = _number(value, f"station '{key}' of rod '{self.name}'")
            if key == "tip" or "." in key or s > self.length:
                expected = f"lie in [0, {self.length:g}], not be called tip, and have no dot in its name"
                raise MachineError(f"station '{key}' of rod '{self.name}' must {expected}, got {s:g}")
            result.append((key, s))
        return tuple(result)

    # -- description ------------------------------------------------------------------------------------------------

    @property
    def _all_sections(self) -> list[Section]:
        own = [self.section] if isinstance(self.section, Section) else [s for _, s in self.section]
        return own + ([self.tip_section] if self.tip_section else [])

    @property
    def piece_ends(self) -> list[float]:
        """Abscissae at which pieces begin and end."""
        if isinstance(self.pieces, int):
            return [float(x) for x in np.linspace(0.0, self.length, self.pieces + 1)]
        return [0.0, *(float(x) for x in np.cumsum(self.pieces)[:-1]), self.length]

    @property
    def curvatures(self) -> list[tuple[float, Array]]:
        """Ends of the stretches with constant curvature without load, and these curvatures."""
        value: Any = self.curvature
        if not isinstance(value[0], tuple):
            return [(self.length, np.array(value))]
        ends = np.cumsum([h for h, _ in value])
        return [(float(e), np.array(k)) for e, (_, k) in zip(ends, value, strict=True)]

    def curvature_at(self, s: float) -> Array:
        """Curvature without load at an abscissa."""
        return next((k for end, k in self.curvatures if s < end), self.curvatures[-1][1])

    @property
    def jumps(self) -> list[float]:
        """Abscissae at which section or curvature jump."""
        ends = [end for end, _ in self.curvatures[:-1]]
        if not isinstance(self.section, Section):
            ends += [float(x) for x in np.cumsum([h for h, _ in self.section])[:-1]]
        return sorted(set(ends))

    def section_at(self, s: float) -> Section:
        """Section at an abscissa."""
        if not isinstance(self.section, Section):
            ends = np.cumsum([h for h, _ in self.section])
            return self.section[min(int(np.searchsorted(ends, s, side="right")), len(ends) - 1)][1]
        if self.tip_section is None:
            return self.section
        x = s / self.length

        def between(field: str, power: int) -> float:
            a, b = (float(getattr(q, field) or 0.0) ** (1 / power) for q in (self.section, self.tip_section))
            return float((a + (b - a) * x) ** power)

        I_y, I_z, torsion = (between(field, 4) for field in ("I_y", "I_z", "torsion"))
        return Section(between("area", 2), I_y, I_z, torsion=torsion)

    @property
    def points_per_cell(self) -> int:
        """Gauss points of a cell."""
        return self.points or max(k for _, k in self.strains) + _MORE_POINTS

    @property
    def n_modes(self) -> int:
        """Number of coordinates."""
        return (len(self.piece_ends) - 1) * sum(k for _, k in self.strains)

    def series(self) -> Iterator[tuple[str, int, tuple[str, ...]]]:
        """Strain, piece and names of the coordinates of each series."""
        first = 0
        for piece in range(len(self.piece_ends) - 1):
            for strain, number in self.strains:
                yield strain, piece, self.q_names[first : first + number]
                first += number

    @property
    def mass(self) -> Scalar:
        """Mass."""
        return self.density * rod_points(self).volume

    @property
    def size(self) -> float:
        """Length."""
        return self.length

    @cached_property
    def amplitudes(self) -> Array:
        """Size of each coordinate: a curvature of 1 rad per piece, falling with the degree, or strains of 2 %."""
        sizes = [(1.0 if STRAINS.index(strain) < 3 else 0.02, len(names)) for strain, _, names in self.series()]
        return np.array([size / (k + 1) for size, number in sizes for k in range(number)])

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars that may be parameters."""
        return (self.E, self.G, self.density, self.damping_time)

    def bounds(self) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""
        for field in ("E", "density"):
            yield Bound(f"{field} of rod '{self.name}'", getattr(self, field), strict=True)
        for field in ("G", "damping_time"):
            yield Bound(f"{field} of rod '{self.name}'", getattr(self, field))

    @cached_property
    def kept(self) -> Kept:
        """Results derived from this rod: it is frozen, so that they stay valid."""
        return Kept()

    @cached_property
    def omega(self) -> Array:
        """Angular frequencies [rad/s] of the rod with its root fixed and its tip free, without load."""
        from scipy.linalg import eigh

        p = rod_points(self)
        K = nominal(self.E) * p.stiffness_E + nominal(self.G) * p.stiffness_G
        return np.asarray(np.sqrt(np.maximum(eigh(K, self.undeformed().modal, eigvals_only=True), 0.0)))

    @property
    def coordinate_unit(self) -> str:
        """Angles and strains have no unit."""
        return "1"

    # -- the contract of flexible bodies ----------------------------------------------------------------------------

    @property
    def section_names(self) -> tuple[str, ...]:
        """The tip and the named stations."""
        return ("tip", *(name for name, _ in self.stations))

    def section_abscissa(self, section: str) -> float:
        """Abscissa of a named section."""
        return dict(self.stations, tip=self.length)[section]

    def _kinematics(self, delta: Expression) -> RodKinematics:
        key = tuple(x.element_hash() for x in ca.vertsplit(ca.SX(delta)))
        return self.kept.once("kinematics", key, lambda: RodKinematics(rod_points(self), ca.SX(delta)), at_most=2)

    def _numbers(self, kind: str, outputs: Any) -> Any:
        """Numbers of expressions without load."""

        def make() -> list[Array]:
            delta = ca.SX.sym("delta", self.n_modes)
            f = ca.Function("f", [delta], [ca.densify(x) for x in outputs(delta)])
            values = f(np.zeros(self.n_modes))
            return [np.array(x.full()) for x in (values if isinstance(values, tuple) else (values,))]

        return self.kept.once("numbers", kind, make)

    def section_pose(self, section: str) -> tuple[Array, Array]:
        """Rotation and position of a section without load."""
        return self._pose(self.section_abscissa(section))

    def _pose(self, s: float) -> tuple[Array, Array]:
        R, p = self._numbers(f"pose {s}", lambda delta: self._kinematics(delta).pose(s))
        return R, p[:, 0]

    def section_modes(self, section: str) -> Array:
        """Twist of a section per rate of the coordinates without load."""
        s = self.section_abscissa(section)
        return np.asarray(self._numbers(f"modes {s}", lambda delta: [self._kinematics(delta).columns(s)])[0])

    def undeformed(self) -> UndeformedInertia:
        """Mass matrix without load."""

        def outputs(delta: Expression) -> list[Expression]:
            body = self.elastic_body(delta, nominal)
            return [body.first_moment, body.inertia, ca.vertcat(body.V, body.H), body.modal_mass]

        first, inertia, coupling, modal = self._numbers("undeformed", outputs)
        second = np.trace(inertia) / 2 * np.eye(3) - inertia
        return UndeformedInertia(float(nominal(self.mass)), first[:, 0], second, coupling, modal)

    def doubts(self, delta: Array) -> list[str]:
        """Series whose last coefficient is not small, and steps between points that turn too far."""
        values, result = np.abs(np.atleast_2d(delta)), []
        if not np.isfinite(values).all():
            return []
        turned = np.zeros((len(values), len(self.piece_ends) - 1))
        for strain, piece, names in self.series():
            first = self.q_names.index(names[0])
            own = values[:, first : first + len(names)]
            curves = STRAINS.index(strain) < 3
            if curves:
                turned[:, piece] += own.sum(axis=1)
            sizes = own.max(axis=0, initial=0.0)
            if len(names) > 1 and sizes.max() > (_SMALL_ANGLE if curves else _SMALL_STRAIN):
                ratio = float(sizes[-1] / sizes.max())
                if ratio > _LAST:
                    result.append(
                        f"the last of {len(names)} terms of '{strain}' in piece {piece + 1} of rod '{self.name}' is "
                        f"{ratio:.2g} of the largest one: give the series more terms, or the rod more pieces"
                    )
        steps = rod_points(self).longest_steps * turned.max(axis=0, initial=0.0)
        if steps.max() > _LONGEST_STEP and rod_points(self).axis is None:
            result.append(
                f"sections of rod '{self.name}' turn by up to {steps.max():.2g} rad between two points: give it more "
                "pieces or points"
            )
        return result

    @property
    def lacks_rotary_inertia(self) -> bool:
        """Whether its sections have no inertia of rotation."""
        return not self.rotary_inertia

    def off_root(self, point: Array) -> str | None:
        """Abscissa of a point on the axis without load beyond the root."""
        s = np.linspace(0.0, self.length, 201)

        def outputs(delta: Expression) -> list[Expression]:
            kinematics = self._kinematics(delta)
            return [ca.horzcat(*[kinematics.position(float(t)) for t in s])]

        slack = 1e-9 * self.length
        if np.linalg.norm(point) <= slack:
            return None
        apart = np.linalg.norm(self._numbers("line", outputs)[0].T - point, axis=1)
        place = float(s[apart.argmin()])
        if apart.min() > s[1]:
            return None
        for _ in range(5):  # from the nearest of these places along the tangent
            R, p = self._pose(place)
            moved = point - p
            if np.linalg.norm(moved) <= slack:
                return f"the abscissa {place:.6g} of its flexible axis"
            place = float(np.clip(place + R[:, 0] @ moved, 0.0, self.length))
        return None

    def elastic_body(self, delta: Expression, value: Value, approximation: str = "flex") -> ElasticBody:
        """Inertia, strain and Coriolis forces on the symbols of the coordinates."""
        self._check_exact(approximation)
        p = rod_points(self)
        parts = [
            value(modulus) * ca.SX(ca.sparsify(ca.DM(K)))
            for modulus, K in ((self.E, p.stiffness_E), (self.G, p.stiffness_G))
        ]
        stiffness = parts[0] + parts[1]
        damping = value(self.damping_time) * stiffness
        loses = self.damping_time != 0.0
        return RodBody(self._kinematics(delta), value(self.density), stiffness, damping, loses=loses)

    def elastic_section(
        self, section: str, delta: Expression, value: Value, approximation: str = "flex"
    ) -> ElasticSection:
        """Motion of a section on the symbols of the coordinates."""
        self._check_exact(approximation)
        return RodSection(self._kinematics(delta), self.section_abscissa(section))

    @property
    def axis_length(self) -> float | None:
        """Unstretched length."""
        return self.length

    def axis_section(self, s: float, delta: Expression, value: Value) -> ElasticSection:
        """Motion of the section at an abscissa."""
        return RodSection(self._kinematics(delta), s)

    def axis_radius(self, s: float) -> float | None:
        """Outer radius of the section at an abscissa."""
        return self.section_at(s).outer_radius

    def _check_exact(self, approximation: str) -> None:
        if approximation != "flex":
            raise MachineError(
                f"rod '{self.name}' has no approximate model {approximation!r}: use approximation='flex', or a Beam"
            )

    def energy_field(self, delta: Expression, R: Expression, p: Expression, value: Value) -> EnergyField:
        """Points and directors at Gauss points."""
        return rod_field(self._kinematics(delta), R, p, value(self.density))

    def outline(self, delta: Expression, value: Value) -> tuple[list[list[Expression]], float]:
        """The axis, and the mean radius of gyration of the sections."""
        kinematics = self._kinematics(delta)
        number = max(OUTLINE, 8 * (len(self.piece_ends) - 1))
        line = [kinematics.position(float(s)) for s in np.linspace(0.0, self.length, number + 1)]
        sections = [self.section_at(float(s)) for s in np.linspace(0.0, self.length, 9)]
        radius = np.mean([np.sqrt((s.I_p or 0.0) / s.area) or np.sqrt(s.area / np.pi) for s in sections])
        # Data without a physical section (areas and moduli of 1) would fill the picture.
        return [line], min(float(radius), 0.02 * self.length)
