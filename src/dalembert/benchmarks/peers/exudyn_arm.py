"""Arms with flexible bodies in Exudyn: floating frames with our modes, rigid bodies, joints as constraints.

Exudyn's `ObjectFFRFreducedOrder` knows a flexible body by the positions, masses and mode shapes of points. Here the
points stand at the abscissae of a Gauss rule that integrates products of two of our shapes exactly, four in each
section (on its principal axes, so that mass and second moments of area are those of the section). Its integrals are
then ours to rounding, and both engines have the same kinetic and strain energy of every beam: there is no
finite-element error. The points of a body from finite elements are the vectors that have its kinetic energy
(`MeshReduction.fields`): combinations of nodes, whose share of the translation of the frame differs from 1.

The difference is the rotation of the load at a tip: Exudyn takes the angles ``psi = Delta delta`` as a rotation vector
(`rotationsExponentialMap=2`), we take them as 3-2-1 angles (SPACE 5.3). That is the same where a beam bends about one
axis, and differs by terms of second order in ``psi`` elsewhere.
"""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.formulations.equations import derive
from dalembert.model.beam import Beam
from dalembert.model.beam_integrals import BeamIntegrals, mode_matrices, quadrature, section_at
from dalembert.model.elastic.contract import Elastic
from dalembert.model.elastic.finite_elements import FlexibleBody
from dalembert.model.machine import Machine
from dalembert.model.tree import Node, merged_inertia, place
from dalembert.spatial.rotations import numpy, quaternion_from_matrix, quaternion_rate

__all__ = ["ExudynArm", "PointBody", "exudyn_arm"]


@dataclass(frozen=True)
class PointBody:
    """A flexible body as points: masses (N), positions (N x 3), mode shapes (N x 3 x n) in the frame of its root.

    The last four points are those of the tip; they have no mass. ``shares`` (N) are parts of the translation of the
    frame that points move by: 1 of points of a beam. ``stiffness`` and ``damping`` (n x n) are those of its modes.
    """

    masses: Array
    positions: Array
    shapes: Array
    shares: Array
    stiffness: Array
    damping: Array

    @staticmethod
    def of(body: Elastic) -> PointBody:
        """Points of a beam without product of inertia, or of a body from finite elements; kept with it."""
        if isinstance(body, Beam):
            return body.kept.once("points", None, lambda: PointBody._lumped(body))
        if isinstance(body, FlexibleBody) and body.reduction.stiffening is None and "tip" in body.section_names:
            return body.kept.once("points", None, lambda: PointBody._meshed(body))
        raise InputError(f"{body.kind} '{body.name}' is neither a beam nor a body from finite elements with a 'tip'")

    @staticmethod
    def _meshed(body: FlexibleBody) -> PointBody:
        weights, fields = body.reduction.fields
        n, (tip, modes) = body.n_modes, body.reduction.sections["tip"]
        r = 0.01 * body.size * np.array([[0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])
        ends = np.array([modes[:3] + np.cross(modes[3:], one, axisa=0, axisc=0) for one in r])
        return PointBody(
            np.concatenate([weights, np.zeros(4)]),
            np.vstack([fields[:, 1:4], tip + r]),
            np.concatenate([fields[:, 4:].reshape(-1, 3, n), ends]),
            np.concatenate([fields[:, 0], np.ones(4)]),
            np.diag(body.omega**2),
            np.diag(2 * nominal(body.damping) * body.omega),
        )

    @staticmethod
    def _lumped(beam: Beam) -> PointBody:
        rho = nominal(beam.density)
        masses, positions, shapes = [], [], []
        reach = max(float(np.sqrt(max(s.I_y, s.I_z) / s.area)) for _, _, s in beam.pieces)
        for s, w in [*zip(*quadrature(beam), strict=True), (beam.size, 0.0)]:
            section = section_at(beam, float(s))
            if section.I_yz:
                raise InputError(f"beam '{beam.name}' has sections with a product of inertia")
            # Two points on each principal axis; those that have mass lie on the beam's axis without rotary inertia.
            spread = reach if w == 0.0 else 0.0
            y, z = (
                np.sqrt(2 * I / section.area) if beam.rotary_inertia and w else spread
                for I in (section.I_z, section.I_y)
            )
            Phi, Delta = mode_matrices(beam, float(s))
            for r in np.array([[0, y, 0], [0, -y, 0], [0, 0, z], [0, 0, -z]]):
                masses.append(rho * section.area * w / 4)
                positions.append(np.array(beam.offset) + [s, 0.0, 0.0] + r)
                shapes.append(Phi + np.cross(Delta, r, axisa=0, axisc=0))
        integrals = BeamIntegrals.of(beam)
        return PointBody(
            np.array(masses),
            np.array(positions),
            np.array(shapes),
            np.ones(len(masses)),
            nominal(beam.E) * integrals.K_E + nominal(beam.G) * integrals.K_G,
            np.diag(nominal(beam.damping) * integrals.damping),
        )


@dataclass(frozen=True)
class ExudynArm:
    """An assembled system of Exudyn: the system, its floating frames by beam, and its rigid bodies by name."""

    container: Any
    system: Any
    frames: dict[str, tuple[int, int]]
    bodies: dict[str, int]

    def modal_coordinates(self, beam: str) -> Array:
        """Modal coordinates of a beam now."""
        exu = importlib.import_module("exudyn")
        return np.array(self.system.GetNodeOutput(self.frames[beam][1], exu.OutputVariableType.Coordinates))

    def position(self, body: str) -> Array:
        """Origin of a rigid body in the world now."""
        exu = importlib.import_module("exudyn")
        return np.array(self.system.GetNodeOutput(self.bodies[body], exu.OutputVariableType.Position))


def exudyn_arm(machine: Machine, q: ArrayLike, v: ArrayLike | None = None) -> ExudynArm:
    """Build a chain or tree with revolute joints about z, rigid bodies and beams in Exudyn, in a given state.

    Parameters
    ----------
    machine
        The machine; it has no gravity.
    q, v
        Its coordinates and velocities at the start; at rest by default.

    Raises
    ------
    ImportError
        If Exudyn is not installed, or older than 1.13.
    InputError
        If the machine has something that is not compared: gravity, other joints, bodies on stations of beams.
    """
    q = np.asarray(q, dtype=float)
    return _Builder(machine, q, np.zeros(machine.nv) if v is None else np.asarray(v, dtype=float)).build()


class _Builder:
    def __init__(self, machine: Machine, q: Array, v: Array) -> None:
        self.exu: Any = importlib.import_module("exudyn")
        self.items: Any = importlib.import_module("exudyn.itemInterface")
        if "localHT" not in inspect.signature(self.items.MarkerBodyRigid).parameters:
            raise ImportError("markers with frames of their own need Exudyn 1.13 or later")
        if any(nominal(x) for x in machine.gravity) or machine.couplings or machine.constrained:
            raise InputError(f"machine '{machine.name}' has gravity, coupled joints or constraints")
        self.machine, self.q, self.v, self.eom = machine, q, v, derive(machine)
        self.container = self.exu.SystemContainer()
        self.system = self.container.AddSystem()
        self.frames: dict[str, tuple[int, int]] = {}
        self.bodies: dict[str, int] = {}
        # Exudyn's objects by the index of our node: rigid bodies (-1: the world), beams with the points of their tips.
        self.rigid = {-1: self.system.AddObject(self.items.ObjectGround())}
        self.tips: dict[int, tuple[int, list[int]]] = {}

    def build(self) -> ExudynArm:
        for i, node in enumerate(self.machine.tree.nodes):
            if node.station is not None:  # the section of a beam: its load is a separate body
                if node.bodies:
                    self._join(self._begin(i, np.eye(4)), self._rigid(i, node), fixed=True)
                continue
            if node.joint.kind != "revolute" or [nominal(x) for x in node.joint.axis] != [0.0, 0.0, 1.0]:
                raise InputError(f"joint '{node.joint.name}' is not a revolute joint about z")
            transform = np.eye(4)
            R, p = place(node.placement, nominal)
            transform[:3, :3], transform[:3, 3] = numpy(R), numpy(p)
            start = self._begin(node.parent, transform)
            self._join(start, self._rigid(i, node) if node.elastic is None else self._beam(i, node), fixed=False)
        self.system.Assemble()
        return ExudynArm(self.container, self.system, self.frames, self.bodies)

    def _begin(self, index: int, transform: Array) -> int:
        """Marker on a node where a joint begins."""
        node = self.machine.tree.nodes[index]
        if index in self.rigid:
            marker = self.items.MarkerBodyRigid(bodyNumber=self.rigid[index], localHT=transform)
        elif node.station == "tip":
            beam, points = self.tips[node.parent]
            marker = self.items.MarkerSuperElementRigid(
                bodyNumber=beam, meshNodeNumbers=points, weightingFactors=[0.25] * 4, localHT=transform
            )
        else:
            raise InputError(
                f"'{node.joint.child}' carries a body away from its tip, which this comparison does not support"
            )
        return int(self.system.AddMarker(marker))

    def _join(self, marker: int, node: int, *, fixed: bool) -> None:
        end = self.system.AddMarker(self.items.MarkerNodeRigid(nodeNumber=node))
        kind = self.items.ObjectJointGeneric if fixed else self.items.ObjectJointRevoluteZ
        self.system.AddObject(kind(markerNumbers=[marker, end]))

    def _node(self, frame: str) -> int:
        pose, twist = self.eom.pose(frame, self.q), self.eom.jacobian(frame, self.q) @ self.v
        turn = quaternion_from_matrix(pose[:3, :3])
        rate = [*(pose[:3, :3] @ twist[:3]), *numpy(quaternion_rate(turn, twist[3:]))]
        node = self.items.NodeRigidBodyEP(referenceCoordinates=[*pose[:3, 3], *turn], initialVelocities=rate)
        return int(self.system.AddNode(node))

    def _rigid(self, index: int, node: Node) -> int:
        m, moment, I_o = merged_inertia(node, nominal)
        c, J = numpy(moment) / float(m), numpy(I_o)
        number = self._node(node.joint.child)
        self.rigid[index] = self.system.AddObject(
            self.items.ObjectRigidBody(
                mass=float(m),
                centerOfMass=c,
                inertia=[J[0, 0], J[1, 1], J[2, 2], J[1, 2], J[0, 2], J[0, 1]],
                nodeNumber=number,
            )
        )
        self.bodies[node.bodies[0][0].name] = number
        return number

    def _beam(self, index: int, node: Node) -> int:
        """A floating frame with its modal coordinates; rigid bodies on the root count as part of it."""
        beam = node.elastic
        assert beam is not None
        number = self._node(beam.name)
        modes = self.system.AddNode(
            self.items.NodeGenericODE2(
                numberOfODE2Coordinates=beam.n_modes,
                referenceCoordinates=[0.0] * beam.n_modes,
                initialCoordinates=list(self.q[node.modal_q]),
                initialCoordinates_t=list(self.v[node.modal_v]),
            )
        )
        points = PointBody.of(beam)
        m, x, Psi = points.masses, points.positions, points.shapes
        tilde = np.einsum("abc,ib->iac", _LEVI_CIVITA, x)
        # Blocks psi~ of all modes side by side: 3 x 3 n per point.
        Psi_tilde = np.einsum("abc,ibj->iajc", _LEVI_CIVITA, Psi).reshape(len(m), 3, -1)

        def total(left: Array, right: Array) -> Array:
            return np.einsum("i,iab,iac->bc", m, left, right)

        ones = points.shares[:, None, None] * np.eye(3)
        m_r, moment, I_r = merged_inertia(node, nominal)
        mass = float(m @ points.shares**2) + float(m_r)
        body = self.system.AddObject(
            self.items.ObjectFFRFreducedOrder(
                nodeNumbers=[number, modes],
                massMatrixReduced=self.exu.MatrixContainer(total(Psi, Psi)),
                stiffnessMatrixReduced=self.exu.MatrixContainer(points.stiffness),
                dampingMatrixReduced=self.exu.MatrixContainer(points.damping),
                modeBasis=Psi.reshape(-1, beam.n_modes),
                referencePositions=x.ravel(),
                mass=mass,
                inertia=total(tilde, tilde) + numpy(I_r),
                centerOfMass=((m * points.shares) @ x + numpy(moment)) / mass,
                mPsiTildePsi=total(Psi_tilde, Psi),
                mPsiTildePsiTilde=total(Psi_tilde, Psi_tilde),
                mPhitTPsi=total(ones, Psi),
                mPhitTPsiTilde=total(ones, Psi_tilde),
                mXRefTildePsi=total(tilde, Psi),
                mXRefTildePsiTilde=total(tilde, Psi_tilde),
            )
        )
        n = len(m)
        self.tips[index] = (body, list(range(n - 4, n)))
        self.frames[beam.name] = (number, modes)
        return number


_LEVI_CIVITA = np.zeros((3, 3, 3))
"""Signs ``e_abc`` with ``(x~)_ac = e_abc x_b``, so that ``x~ y = x x y``."""
for _a, _b, _c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    _LEVI_CIVITA[_a, _b, _c], _LEVI_CIVITA[_a, _c, _b] = 1.0, -1.0
