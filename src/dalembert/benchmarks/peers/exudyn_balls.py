"""Balls between planes in Exudyn: its general contact of spheres and triangles, which are springs and dampers."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.states import named_vector
from dalembert.core.types import Array
from dalembert.model.contacts import HalfSpace, SphericalSurface
from dalembert.model.geometry import Sphere
from dalembert.model.joint import WORLD
from dalembert.model.machine import Machine
from dalembert.spatial.alignment import plane_axes

__all__ = ["ExudynBalls"]

_EXTENT = 1.0
"""Half the side of the squares that stand for planes [m]."""
_ZONE = 1e-3
"""Slip below which friction is proportional to it [m/s]."""
_DAMPING = 0.7
"""Ratio of the dampers of contacts."""


class ExudynBalls:
    """Free balls that touch planes of the world and each other, by explicit Euler steps.

    Contacts are springs with dampers, friction is regularised: how deep balls sink and how far they creep depends on
    the stiffness, and how long a step may be as well.

    Parameters
    ----------
    machine
        Balls on free joints, all with one coefficient of friction.
    step
        Length of a step.
    stiffness
        Stiffness of the contacts [N/m].
    """

    def __init__(self, machine: Machine, step: float, stiffness: float) -> None:
        self._exu: Any = importlib.import_module("exudyn")
        self._rigid: Any = importlib.import_module("exudyn.rigidBodyUtilities")
        self._items: Any = importlib.import_module("exudyn.itemInterface")
        self.machine, self.step, self.stiffness = machine, step, stiffness
        frictions = {float(nominal(contact.friction)) for contact in machine.contacts}
        if len(frictions) != 1 or any(joint.kind != "free" for joint in machine.joints):
            raise InputError(f"machine '{machine.name}' is not made of free balls with one coefficient of friction")
        (self._friction,) = frictions
        self._planes: dict[HalfSpace, None] = {}
        self._radii: dict[str, float] = {}
        for contact in machine.contacts:
            plane = isinstance(contact.surface, HalfSpace) and contact.on == WORLD
            if not isinstance(contact.solid, Sphere) or not (plane or isinstance(contact.surface, SphericalSurface)):
                raise InputError(f"contact '{contact.name}': only balls and planes of the world are built in Exudyn")
            self._radii[contact.frame] = float(nominal(contact.solid.radius))
            if isinstance(contact.surface, HalfSpace):
                self._planes[contact.surface] = None

    def start(self, q0: dict[str, float]) -> None:
        """Assemble the system at coordinates of the machine, at rest."""
        machine, mass = self.machine, min(float(nominal(body.mass)) for body in self.machine.bodies)
        q = named_vector(q0, machine.q_names, machine.q_neutral, "q0")
        self._container = self._exu.SystemContainer()
        self._mbs = mbs = self._container.AddSystem()
        touch = mbs.AddGeneralContact()
        touch.verboseMode = 0
        touch.frictionProportionalZone = _ZONE
        touch.SetFrictionPairings(np.array([[self._friction]]))
        touch.SetSearchTreeCellSize([6, 6, 8])
        touch.SetSearchTreeBox(np.full(3, -_EXTENT), np.full(3, _EXTENT))
        law = {
            "contactStiffness": self.stiffness,
            "contactDamping": 2.0 * _DAMPING * np.sqrt(self.stiffness * mass),
            "frictionMaterialIndex": 0,
        }
        ground = mbs.AddMarker(self._items.MarkerBodyRigid(bodyNumber=mbs.CreateGround()))
        for plane in self._planes:
            normal, point = (np.array([nominal(x) for x in v], dtype=float) for v in (plane.normal, plane.point))
            a, b, _ = plane_axes(normal / np.linalg.norm(normal)).T
            corners = [point + _EXTENT * (i * a + j * b) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            touch.AddTrianglesRigidBodyBased(
                rigidBodyMarkerIndex=ground, pointList=corners, triangleList=[[0, 1, 2], [0, 2, 3]], **law
            )
        self._bodies = []
        for joint in machine.joints:
            body, at = machine.body(joint.child), machine.q_names.index(f"{joint.name}.x")
            tensor = np.array([[nominal(x) for x in row] for row in body.inertia], dtype=float)
            body_number = mbs.CreateRigidBody(
                inertia=self._rigid.RigidBodyInertia(mass=float(nominal(body.mass)), inertiaTensor=tensor),
                referencePosition=q[at : at + 3].tolist(),
                gravity=[float(nominal(x)) for x in machine.gravity],
                nodeType=self._exu.NodeType.RotationRotationVector,
            )
            self._bodies.append(body_number)
            node = self._items.MarkerNodeRigid(nodeNumber=mbs.GetObject(body_number)["nodeNumber"])
            touch.AddSphereWithMarker(mbs.AddMarker(node), radius=self._radii[joint.child], **law)
        mbs.Assemble()

    def advance(self, steps: int) -> None:
        """Make some steps, in one thread."""
        settings = self._exu.SimulationSettings()
        time = settings.timeIntegration
        time.numberOfSteps, time.endTime, time.verboseMode = steps, steps * self.step, 0
        settings.parallel.numberOfThreads = 1
        with warnings.catch_warnings():  # names until 1.12, which later versions know as well
            warnings.simplefilter("ignore", DeprecationWarning)
            settings.solutionSettings.writeSolutionToFile = False
            time.explicitIntegration.computeEndOfStepAccelerations = False
            time.explicitIntegration.computeMassMatrixInversePerBody = True
        self._mbs.SolveDynamic(settings, solverType=self._exu.DynamicSolverType.ExplicitEuler)

    @property
    def positions(self) -> Array:
        """Centres of the balls (n, 3)."""
        kind = self._exu.OutputVariableType.Position
        return np.array([self._mbs.GetObjectOutputBody(body, kind) for body in self._bodies])

    @property
    def penetration(self) -> float:
        """Depth of the deepest contact [m]."""
        x, radii = self.positions, np.array([self._radii[joint.child] for joint in self.machine.joints])
        between = np.linalg.norm(x[:, None] - x[None], axis=-1) - (radii[:, None] + radii)
        deepest = -float(between[~np.eye(len(x), dtype=bool)].min(initial=0.0))
        for plane in self._planes:
            normal, point = (np.array([nominal(v) for v in y], dtype=float) for y in (plane.normal, plane.point))
            deepest = max(deepest, -float(((x - point) @ normal / np.linalg.norm(normal) - radii).min()))
        return max(deepest, 0.0)
