"""The contract of a flexible body: what every formulation, check, file and picture asks of one, and nothing else.

A flexible body is a set of material points whose positions in its frame are functions ``x(delta)`` of ``n``
coordinates. Its frame hangs on a joint. With ``w`` the angular velocity of the frame and ``t = [v; w]`` its twist, its
kinetic energy is

    2 T = t^T [[m 1, -c^], [c^, I]] t + 2 v^T V delta' + 2 w^T H delta' + delta'^T M delta',

    m = int dm,  c = int x dm,  I = int -x^ x^ dm,  V = int x_d dm,  H = int x^ x_d dm,  M = int x_d^T x_d dm,

with ``x_d = dx/d(delta)``; its strain energy is ``delta^T K delta / 2`` and its losses are ``-D delta'``.

The three levels of the contract are `Elastic` (the description that a machine holds), `ElasticBody` (those integrals on
the symbols of the coordinates) and `ElasticSection` (the motion of one named section, on which other bodies hang).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

import casadi as ca
import numpy as np

from dalembert.core.kept import Kept
from dalembert.core.parameter import Scalar
from dalembert.core.types import Array, Expression
from dalembert.core.validation import Bound

__all__ = [
    "APPROXIMATIONS",
    "Elastic",
    "ElasticBody",
    "ElasticSection",
    "EnergyField",
    "MaterialField",
    "UndeformedInertia",
    "Value",
]

APPROXIMATIONS = ("flex", "flex-M", "flex-MA", "flex-MR")
"""Full model; constant mass matrices; and constant twist propagation; and constant rotations (SPACE 5.2.6.1)."""

Value = Callable[[Scalar], Expression | float]
"""Value of a scalar on the symbols of the equations."""

_Turns = list[tuple[int, Expression | float, Expression | float]]


class ElasticBody(Protocol):
    """The integrals of a flexible body on the symbols of its coordinates, in the axes of its frame.

    Attributes
    ----------
    n
        Number of coordinates.
    constant
        Whether the mass matrix is held at its undeformed value (an approximation of SPACE 5.2.6.1).
    mass, first_moment, inertia
        ``m``, ``c`` (3) and ``I`` (3 x 3) about the origin, as the mass matrix has them.
    deformed_first_moment
        ``c`` (3) of the deformed body, which gravity acts on; it differs where ``constant``.
    V, H
        Couplings (3 x n) of translation and rotation to the coordinates.
    modal_mass
        ``M`` (n x n).
    stiffness
        ``K`` (n x n), constant in the coordinates.
    damping
        ``D`` (n x n), or its diagonal (n).
    loses
        Whether ``D`` differs from zero.
    """

    n: int
    constant: bool
    loses: bool

    @property
    def mass(self) -> Expression | float: ...  # noqa: D102
    @property
    def first_moment(self) -> Expression: ...  # noqa: D102
    @property
    def deformed_first_moment(self) -> Expression: ...  # noqa: D102
    @property
    def inertia(self) -> Expression: ...  # noqa: D102
    @property
    def V(self) -> Expression: ...  # noqa: D102
    @property
    def H(self) -> Expression: ...  # noqa: D102
    @property
    def modal_mass(self) -> Expression: ...  # noqa: D102
    @property
    def stiffness(self) -> Expression: ...  # noqa: D102
    @property
    def damping(self) -> Expression | ca.DM: ...  # noqa: D102

    def coriolis(
        self, w: Expression, rate: Expression, v: Expression | None = None
    ) -> tuple[Expression, Expression, Expression]:
        """Force, moment and modal force without accelerations, beyond those of a rigid body of this inertia.

        With ``a = 2 w x x_d delta' + x_dd(delta', delta')``: ``int a dm``, ``int x x a dm`` and
        ``int x_d^T (w x (w x x) + a) dm``. ``v``, the velocity of the origin, is for a constant mass matrix only.
        """
        ...

    def coriolis_blocks(self, w: Expression, rate: Expression) -> tuple[Expression, Expression, Expression, Expression]:
        """Blocks (rr, rd, dr, dd) of ``int E^T (w^ E + E') dm``; ``E = [1, -x^, x_d]`` maps twist and rates to points.

        They make ``C = sum J^T (B J + M J')`` a Coriolis matrix with ``M' - 2 C`` skew-symmetric.
        """
        ...


class ElasticSection(Protocol):
    """Motion of a section in the frame of its body: rotation ``R(delta)``, position ``p(delta)`` and derivatives.

    Attributes
    ----------
    R, p
        Rotation (3 x 3) and position (3) of the section.
    lever
        Position in the propagation of twists: ``p``, or the undeformed one where that is an approximation.
    turns
        ``R`` as turns (axis, cosine, sine) about coordinate axes, the last one first; None where that is no cheaper.
    mixed, rates
        ``S = diag(1, rates) mixed``: rates of the position and of three angles per rate of the coordinates (6 x n),
        and the angular velocity per rate of the angles (3 x 3).
    S
        Twist ``[p'; w]`` in body axes per rate of the coordinates (6 x n).
    """

    @property
    def R(self) -> Expression: ...  # noqa: D102
    @property
    def p(self) -> Expression: ...  # noqa: D102
    @property
    def lever(self) -> Expression: ...  # noqa: D102
    @property
    def turns(self) -> _Turns | None: ...  # noqa: D102
    @property
    def mixed(self) -> Expression: ...  # noqa: D102
    @property
    def rates(self) -> Expression: ...  # noqa: D102
    @property
    def S(self) -> Expression: ...  # noqa: D102

    def angle(self, axis: int) -> Expression | None:
        """Angle of the section if it turns about this coordinate axis alone, else None."""
        ...

    def twist(self, rate: Expression) -> tuple[Expression, Expression]:
        """Velocity and angular velocity of the section in the frame of the body."""
        ...

    def convective(self, w: Expression, rate: Expression) -> tuple[Expression, Expression]:
        """Linear and angular acceleration of the section without those of the frame and of the coordinates."""
        ...


@dataclass(frozen=True)
class EnergyField:
    """Columns of moving vectors with ``2 T = sum weights (left'.right')``, mass and first moment in the world."""

    left: Expression
    right: Expression
    weights: Expression
    mass: Expression | float
    first_moment: Expression


@dataclass(frozen=True)
class UndeformedInertia:
    """Mass matrix of a flexible body with zero coordinates, at the nominal parameters.

    Parameters
    ----------
    mass, first, second
        ``int dm``, ``int x dm`` (3) and ``int x x^T dm`` (3 x 3).
    coupling
        ``[V; H]`` (6 x n).
    modal
        ``M`` (n x n).
    """

    mass: float
    first: Array
    second: Array
    coupling: Array
    modal: Array

    @property
    def inertia(self) -> Array:
        """Moments of inertia (3 x 3) about the origin."""
        return np.asarray(np.trace(self.second) * np.eye(3) - self.second)


@dataclass(frozen=True)
class MaterialField:
    """Two fields of a body that is linear in its coordinates, and the weight of their product in the kinetic energy.

    With ``eps`` the coordinates and the products of them that `Elastic.products` names, the body has

        2 T = sum weight y_l'.y_r',    y = share p + R (x + X eps),

    p and R being the pose of its frame: points have the share 1, directors of a section the share 0.
    """

    weight: float
    share: float
    x_left: Array
    X_left: Array
    x_right: Array
    X_right: Array


class Elastic(ABC):
    """A flexible body as a machine describes it; `Beam` is one.

    Bodies and joints hang on its frame by the name ``"NAME"`` and on its sections by ``"NAME.SECTION"``. It adds the
    coordinates ``NAME.delta1``, ``NAME.delta2`` and so on, right after the coordinates of its joint.

    Attributes
    ----------
    kind
        Word for it in messages and tables.
    linear
        Whether its points are linear in the coordinates, ``x = x_0 + X delta`` (except for a shortening of its axis).
    """

    kind: ClassVar[str]
    linear: ClassVar[bool] = True

    name: str

    @property
    @abstractmethod
    def n_modes(self) -> int:
        """Number of coordinates."""

    @property
    @abstractmethod
    def mass(self) -> Scalar:
        """Mass."""

    @property
    @abstractmethod
    def size(self) -> float:
        """Typical length [m]."""

    @property
    @abstractmethod
    def amplitudes(self) -> Array:
        """Size of each coordinate up to which the description means something."""

    @property
    @abstractmethod
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars that may be parameters."""

    @abstractmethod
    def bounds(self) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""

    @property
    @abstractmethod
    def kept(self) -> Kept:
        """Results derived from the body: it is frozen, so that they stay valid."""

    @property
    def omega(self) -> Array:
        """Angular frequencies [rad/s] of the coordinates by themselves, where they are known; may be empty."""
        return np.zeros(0)

    @property
    def largest_angle(self) -> float:
        """Angle [rad] of a section beyond which the description is not valid; infinite: there is no such limit."""
        return np.inf

    def doubts(self, delta: Array) -> list[str]:
        """Sentences on why coordinates (N, n) of a run are beyond what the description resolves; often none."""
        return []

    @property
    def q_names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return tuple(f"{self.name}.delta{i + 1}" for i in range(self.n_modes))

    @property
    def v_names(self) -> tuple[str, ...]:
        """Names of their rates."""
        return tuple(f"{name}_dot" for name in self.q_names)

    @property
    @abstractmethod
    def coordinate_unit(self) -> str:
        """Unit of the coordinates in files that name units."""

    @property
    @abstractmethod
    def section_names(self) -> tuple[str, ...]:
        """Names of the sections on which bodies can hang."""

    @abstractmethod
    def section_pose(self, section: str) -> tuple[Array, Array]:
        """Rotation and position of a section of the undeformed body."""

    @abstractmethod
    def section_modes(self, section: str) -> Array:
        """Twist (6 x n) of a section per rate of the coordinates, undeformed, in the axes of the body."""

    @abstractmethod
    def undeformed(self) -> UndeformedInertia:
        """Mass matrix with zero coordinates."""

    @property
    def root_moves(self) -> bool:
        """Whether the material at the origin moves away from it with the coordinates."""
        return False

    @property
    def lacks_rotary_inertia(self) -> bool:
        """Whether its sections have been described without inertia of rotation."""
        return False

    def off_root(self, point: Array) -> str | None:
        """Where a point of its frame lies on the flexible part, in words; None if it is not known to."""
        return None

    @abstractmethod
    def elastic_body(self, delta: Expression, value: Value, approximation: str = "flex") -> ElasticBody:
        """Its integrals on the symbols ``delta`` of its coordinates."""

    @abstractmethod
    def elastic_section(
        self, section: str, delta: Expression, value: Value, approximation: str = "flex"
    ) -> ElasticSection:
        """Motion of a section on the symbols of its coordinates."""

    @property
    def axis_length(self) -> float | None:
        """Length [m] of the axis along which it is a chain of capsules; None: it has no axis."""
        return None

    def axis_section(self, s: float, delta: Expression, value: Value) -> ElasticSection:
        """Motion of the section at an abscissa of its axis; of bodies with an `axis_length`."""
        raise NotImplementedError(f"{self.kind} '{self.name}' has no axis")

    def axis_radius(self, s: float) -> float | None:
        """Outer radius of the section at an abscissa, see `Section.outer_radius`."""
        raise NotImplementedError(f"{self.kind} '{self.name}' has no axis")

    @property
    def density(self) -> Scalar:
        """Factor on the weights of `material_fields`; a body may have none."""
        return 1.0

    @property
    def products(self) -> list[tuple[int, int]]:
        """Pairs of coordinates whose products move points too, as in the shortening of a bent axis."""
        return []

    def material_fields(self) -> Iterator[MaterialField]:
        """Fields that have its kinetic energy; of bodies that are `linear`."""
        raise NotImplementedError(f"{self.kind} '{self.name}' is not linear in its coordinates")

    @abstractmethod
    def energy_field(self, delta: Expression, R: Expression, p: Expression, value: Value) -> EnergyField:
        """Moving vectors that have its kinetic energy, from the pose (R, p) of its frame; for Lagrange's equations."""

    @abstractmethod
    def outline(self, delta: Expression, value: Value) -> tuple[list[list[Expression]], float]:
        """Lines of points in its frame that show its shape, and the radius to draw them with."""
