"""Flexible bodies of any shape: from the matrices of a finite-element model."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import MachineError, UnknownNameError
from dalembert.core.kept import Kept
from dalembert.core.parameter import Scalar
from dalembert.core.types import Array, Expression
from dalembert.core.validation import Bound, check_name, field_scalar
from dalembert.model.elastic.contract import (
    Elastic,
    ElasticBody,
    ElasticSection,
    EnergyField,
    MaterialField,
    UndeformedInertia,
    Value,
)
from dalembert.model.elastic.mesh_checks import as_nodes, check_model, check_spread
from dalembert.model.elastic.mesh_lines import feature_lines
from dalembert.model.elastic.modal import ModalBody, ModalSection
from dalembert.model.elastic.reduction import METHODS, GeometricStiffness, MeshReduction, reduce_model

__all__ = ["FlexibleBody"]

_SECOND = 0.3
"""Part of motions of second order beyond which an expansion to second order is not valid."""


@dataclass(frozen=True)
class FlexibleBody(Elastic):
    """A flexible body from finite elements, reduced to a few shapes; make it by `from_matrices`.

    Its frame has the axes of the mesh and its origin at the centroid of the first interface, where its joint is. Bodies
    and joints hang on the other interfaces and on its stations by ``"NAME.INTERFACE"``. It adds the modal coordinates
    ``NAME.delta1`` and so on. Displacements and rotations are small: sections turn by 3-2-1 angles that are linear in
    the coordinates, as those of a `Beam`; all terms of the mass matrix that are of second order in them are kept.

    Parameters
    ----------
    name
        Unique name.
    reduction
        The reduced model.
    damping
        Damping ratio of every mode.
    source
        Entry of a machine file that describes it, if it came from one.

    Examples
    --------
    A mass on three springs to the corners of a triangle:

    >>> import numpy as np, dalembert as da
    >>> x = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.3, 0.3, 1.0]])
    >>> K = np.zeros((12, 12))
    >>> for i, j in ((1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)):
    ...     b = np.zeros((4, 3))
    ...     b[i] = (x[i] - x[j]) / np.linalg.norm(x[i] - x[j])
    ...     b[j] = -b[i]
    ...     K += 1e4 * np.outer(b, b)
    >>> body = da.FlexibleBody.from_matrices("top", K, np.eye(12), x, {"base": [0, 1, 2]}, modes=1)
    >>> body.q_names, body.displacements([0.0]).shape
    (('top.delta1',), (4, 3))
    """

    kind: ClassVar[str] = "flexible body"

    name: str
    reduction: MeshReduction = field(compare=False, repr=False)
    damping: Scalar = 0.0
    source: tuple[tuple[str, Any], ...] = field(default=(), compare=False, repr=False)
    identity: str = ""

    def __post_init__(self) -> None:
        name = check_name(self.name, "flexible body")
        if "." in name:
            raise MachineError(
                f"the name of flexible body '{name}' must not contain a dot, which separates the name of a section"
            )
        if not isinstance(self.reduction, MeshReduction):
            raise MachineError(f"flexible body '{name}' is made by FlexibleBody.from_matrices(...)")
        object.__setattr__(self, "damping", field_scalar(self.damping, f"damping of flexible body '{name}'", lower=0.0))
        object.__setattr__(self, "identity", _identity(self.reduction))

    @staticmethod
    def from_matrices(
        name: str,
        K: Any,
        M: Any,
        nodes: ArrayLike,
        interfaces: Mapping[str, ArrayLike],
        modes: int = 20,
        *,
        method: str = "craig-bampton",
        relief: bool = False,
        stations: Mapping[str, ArrayLike] | None = None,
        damping: Scalar = 0.0,
        surface: ArrayLike | None = None,
        stress: Any | None = None,
        stiffening: GeometricStiffness | None = None,
    ) -> FlexibleBody:
        """Reduce a finite-element model.

        Parameters
        ----------
        name
            Unique name.
        K, M
            Stiffness [N/m] and mass [kg] matrix without boundary conditions, dense or sparse, both triangles, with the
            freedoms ordered node by node: x, y, z of the first node, then of the second, and so on; or x, y, z and the
            rotations about them, of shells and beams.
        nodes
            Positions (N, 3) of the nodes [m].
        interfaces
            Nodes (indices into ``nodes``, or a mask) of faces that move as rigid bodies, such as ``{"root": ..., "tip":
            ...}``. The joint of the body is at the centroid of the first one.
        modes
            Number of modes with fixed interfaces; each interface but the first adds six static shapes.
        method
            ``"craig-bampton"``, or ``"free"``: modes of the free body relative to the mean motion of the first
            interface, without static shapes; the other interfaces then have the mean motion of their nodes.
        relief
            Add twelve static shapes for the inertia forces of rigid motions: stresses converge slowly without them.
        stations
            Nodes of further sections, which move with the mean motion of these nodes.
        damping
            Damping ratio of every mode.
        surface
            Triangles (m, 3) of node indices, for pictures.
        stress
            Matrix (6 P, freedoms), dense or sparse, from displacements to the stresses xx, yy, zz, xy, yz, zx at P
            points [Pa], for `dalembert.analysis.stress_history`.
        stiffening
            Function of displacements (freedoms, loads) that returns the geometric stiffness matrix under the stresses
            of each load, such as `dalembert.analysis.geometric_stiffness`: spin, gravity and loads then stiffen or
            soften the body. None: they do not.

        Raises
        ------
        MachineError
            If the matrices are not those of a free body, or an interface is empty, overlaps another one or lies on a
            line.

        Examples
        --------
        Four masses at the corners of a tetrahedron, joined by springs:

        >>> import numpy as np, dalembert as da
        >>> x = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.3, 0.3, 1.0]])
        >>> K = np.zeros((12, 12))
        >>> for i, j in ((1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)):
        ...     b = np.zeros((4, 3))
        ...     b[i] = (x[i] - x[j]) / np.linalg.norm(x[i] - x[j])
        ...     b[j] = -b[i]
        ...     K += 1e4 * np.outer(b, b)
        >>> body = da.FlexibleBody.from_matrices("frame", K, np.eye(12), x, {"base": [0, 1, 2]}, modes=2)
        >>> body.mass, body.n_modes
        (4.0, 2)
        """
        what = f"flexible body '{name}'"
        model = check_model(name, K, M, nodes, surface)
        if not isinstance(interfaces, Mapping) or not interfaces:
            raise MachineError(f"interfaces of {what} must map names to nodes, got {interfaces!r}")
        if isinstance(modes, bool) or not isinstance(modes, int) or modes < 0:
            raise MachineError(f"modes of {what} must be a whole number >= 0, got {modes!r}")
        if method not in METHODS:
            raise UnknownNameError("method of reduction", method, METHODS, what)
        if method == "free" and (relief or modes < 1):
            raise MachineError(f"{what}: free modes have no static shapes: leave relief out, and give modes >= 1")
        n = len(model.nodes)
        sets = {key: as_nodes(f"interface '{key}' of {what}", value, n) for key, value in interfaces.items()}
        points = {key: as_nodes(f"station '{key}' of {what}", value, n) for key, value in (stations or {}).items()}
        for key, chosen in points.items():
            check_spread(model, f"station '{key}' of {what}", chosen)
        for key in (*sets, *points):
            check_name(key, f"interface or station of {what}")
            if (key in sets and key in points) or "." in key:
                raise MachineError(f"{what} has two sections '{key}', or a dot in that name")
        if not modes and len(sets) < 2 and not relief:
            raise MachineError(f"{what} would be rigid: give modes >= 1, another interface, or relief=True")
        shape = (6, model.size) if stress is None else np.shape(stress)
        if len(shape) != 2 or shape[1] != model.size or shape[0] % 6:
            raise MachineError(f"stress of {what} has shape {shape}; expected (6 P, {model.size}) for P points")
        if stiffening is not None and (method == "free" or not callable(stiffening)):
            raise MachineError(
                f"stiffening of {what} must be a function of displacements, and needs method='craig-bampton'"
            )
        try:
            reduction = reduce_model(
                model,
                sets,
                modes=modes,
                method=method,
                relief=relief,
                stations=points,
                stress=stress,
                stiffening=stiffening,
            )
        except MachineError as error:
            raise MachineError(f"{what}: {error}") from None
        return FlexibleBody(name, reduction, damping)

    # -- data ------------------------------------------------------------------------------------------------------

    @property
    def n_modes(self) -> int:
        """Number of modal coordinates."""
        return len(self.reduction.omega)

    @property
    def omega(self) -> Array:
        """Angular frequencies [rad/s] of the modes with the first interface fixed."""
        return self.reduction.omega.copy()

    @property
    def largest_angle(self) -> float:
        """Strains are small, and so must be the angles of the sections."""
        return 0.2

    @property
    def mass(self) -> Scalar:
        """Mass."""
        return self.reduction.integrals.volume

    @property
    def lost_mass(self) -> float:
        """Part of the modal mass that lumping to the nodes has lost; 0 for solids, whose integrals are exact."""
        return self.reduction.lost

    @property
    def size(self) -> float:
        """Largest distance of a node from the first interface."""
        return float(np.linalg.norm(self.reduction.positions, axis=1).max())

    @cached_property
    def amplitudes(self) -> Array:
        """Size of each coordinate: no node moves by more than 2 % of the size, no section turns by more than 0.1."""
        moved = np.abs(self.reduction.shapes).max(axis=(0, 1))
        limits = [0.02 * self.size / moved]
        limits += [0.1 / np.maximum(np.abs(S[3:]).max(axis=0), 1e-300) for _, S in self.reduction.sections.values()]
        if self.reduction.stiffening is not None:
            size = [self.reduction.stiffening.size(row[None]) for row in np.eye(self.n_modes)]
            limits.append(_SECOND / (self.n_modes * np.maximum(size, 1e-300)))
        return np.asarray(np.min(limits, axis=0))

    def doubts(self, delta: Array) -> list[str]:
        """Stiffening is an expansion to second order: say where a run has left its range."""
        if self.reduction.stiffening is None or not len(delta):
            return []
        size = self.reduction.stiffening.size(delta)
        if size <= _SECOND:
            return []
        return [
            f"motions of second order of {self.kind} '{self.name}' reach {size:.2g} of those of first order; its "
            f"stiffening is valid below {_SECOND:g}"
        ]

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """The damping ratio."""
        return (self.damping,)

    def bounds(self) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""
        yield Bound(f"damping of flexible body '{self.name}'", self.damping)

    @cached_property
    def kept(self) -> Kept:
        """Results derived from this body: it is frozen, so that they stay valid."""
        return Kept()

    @property
    def coordinate_unit(self) -> str:
        """Modal masses are 1."""
        return "m sqrt(kg)"

    def displacements(self, delta: ArrayLike) -> Array:
        """Displacements (..., N, 3) of the nodes for modal coordinates (..., n), in the frame of the body [m]."""
        return np.asarray(np.einsum("icj,...j->...ic", self.reduction.shapes, np.asarray(delta, dtype=float)))

    # -- the contract of flexible bodies ----------------------------------------------------------------------------

    @property
    def section_names(self) -> tuple[str, ...]:
        """The interfaces but the first, and the stations."""
        return tuple(self.reduction.sections)

    def _section(self, section: str) -> tuple[Array, Array]:
        if section not in self.reduction.sections:
            raise UnknownNameError("section", section, self.reduction.sections, f"flexible body '{self.name}'")
        return self.reduction.sections[section]

    def section_pose(self, section: str) -> tuple[Array, Array]:
        """Rotation and position of a section of the undeformed body: the axes are those of its frame."""
        return np.eye(3), self._section(section)[0]

    def section_modes(self, section: str) -> Array:
        """Displacement and rotation of a section per coordinate."""
        return self._section(section)[1]

    def undeformed(self) -> UndeformedInertia:
        """Mass matrix with zero coordinates."""
        return self.reduction.integrals.undeformed()

    def off_root(self, point: Array) -> str | None:
        """Name a node that moves at a point of the frame."""
        apart = np.linalg.norm(self.reduction.positions - point, axis=1)
        i = int(apart.argmin())
        moves = np.abs(self.reduction.shapes[i]).max() > 1e-9 * np.abs(self.reduction.shapes).max()
        return f"its node {i}, which moves with its modes" if apart[i] <= 1e-9 * self.size and moves else None

    def elastic_body(self, delta: Expression, value: Value, approximation: str = "flex") -> ElasticBody:
        """Inertia, strain and Coriolis forces on the symbols of the modal coordinates."""
        w = self.reduction.omega
        stiffness = ca.SX(ca.sparsify(ca.diag(ca.DM(w**2))))
        damping = value(self.damping) * ca.DM(2 * w)
        constant = approximation != "flex"
        return ModalBody(
            [(1.0, self.reduction.integrals)],
            delta,
            1.0,
            stiffness,
            damping,
            loses=self.damping != 0.0,
            stiffening=self.reduction.stiffening,
            constant=constant,
        )

    def elastic_section(
        self, section: str, delta: Expression, value: Value, approximation: str = "flex"
    ) -> ElasticSection:
        """Motion of a section on the symbols of the modal coordinates."""
        origin, S = self._section(section)
        small = 1e-13 * np.abs(S).max()
        S = np.where(np.abs(S) <= small, 0.0, S)
        bent = self.reduction.stiffening
        second = None if bent is None else bent.sections[section]
        return ModalSection(origin, S[:3], S[3:], delta, second=second, approximation=approximation)

    @property
    def products(self) -> list[tuple[int, int]]:
        """Pairs of coordinates whose products move points, with stiffening."""
        return [] if self.reduction.stiffening is None else self.reduction.stiffening.pairs

    def material_fields(self) -> Iterator[MaterialField]:
        """Vectors whose energy is that of the body: one for each rank of the Gram matrix of its nodes' fields."""
        n = self.n_modes
        for weight, c in zip(*self.reduction.fields, strict=True):
            x, X = c[1:4], c[4:].reshape(3, n)
            if self.reduction.stiffening is not None:
                X = np.hstack([X, self.reduction.stiffening.products(c[:4])])
            yield MaterialField(float(weight), float(c[0]), x, X, x, X)

    def energy_field(self, delta: Expression, R: Expression, p: Expression, value: Value) -> EnergyField:
        """Those vectors in the world."""
        fields = list(self.material_fields())
        moved = ca.vertcat(delta, *[delta[j] * delta[k] for j, k in self.products])
        vectors = [f.share * p + R @ (ca.DM(f.x_left) + ca.DM(f.X_left) @ moved) for f in fields]
        weights = np.array([f.weight for f in fields])
        shares = np.array([f.share for f in fields])
        columns = ca.horzcat(*vectors)
        first = columns @ ca.DM(weights * shares)
        return EnergyField(columns, columns, ca.SX(ca.DM(weights)), float(weights @ shares**2), first)

    def outline(self, delta: Expression, value: Value) -> tuple[list[list[Expression]], float]:
        """Edges of the surface; without one, lines from the first interface to the sections."""
        red = self.reduction
        lines = feature_lines(red.positions, red.faces)
        radius = 0.004 * self.size

        def moved(i: int) -> Expression:
            return ca.DM(red.positions[i]) + ca.DM(red.shapes[i]) @ delta

        if lines:
            return [[moved(i) for i in line] for line in lines], radius
        ends = [self.elastic_section(name, delta, value).p for name in self.section_names]
        if not ends:
            ends = [moved(int(np.linalg.norm(red.positions, axis=1).argmax()))]
        return [[ca.SX(3, 1), end] for end in ends], 4 * radius


def _identity(reduction: MeshReduction) -> str:
    """Digest of all that the motion and the stresses need of a reduced model."""
    text = hashlib.sha256()
    i = reduction.integrals
    arrays = [reduction.positions, reduction.shapes, reduction.omega, i.first, i.second, i.V, i.n, i.B]
    for name, (origin, S) in reduction.sections.items():
        text.update(name.encode())
        arrays += [origin, S]
    if reduction.stress is not None:
        arrays.append(reduction.stress)
    if reduction.stiffening is not None:
        bent = reduction.stiffening
        arrays += [bent.C, *bent.sections.values()]
    for array in arrays:
        text.update(np.ascontiguousarray(array).tobytes())
    return text.hexdigest()[:32]
