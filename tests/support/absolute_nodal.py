"""A falling hinged beam in absolute nodal coordinates: Exudyn's ANCF cable, which knows no small deflections."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dalembert as da

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SoftPendulum:
    """A uniform beam, hinged at the origin, that falls from the horizontal x axis under gravity along -y."""

    bending: float
    length: float = 1.0
    mass: float = 0.1
    axial: float = 5e3
    gravity: float = 9.81

    def beam(self, **fields: Any) -> da.Beam:
        """The beam by assumed modes; ``fields`` are those of `dalembert.Beam`."""
        E = 1e9
        section = da.Section(self.axial / E, self.bending / E, self.bending / E)
        given: dict[str, Any] = {"density": self.mass * E / self.axial / self.length}
        return da.Beam("beam", self.length, section, E=E, rotary_inertia=False, stiffening=True, **(given | fields))

    def machine(self, modes: int) -> da.Machine:
        """The pendulum with some modes of bending."""
        hinge = da.Joint("hinge", "revolute", "world", "beam")
        return da.Machine("soft pendulum", [self.beam(modes={"y": modes})], [hinge], gravity=(0, -self.gravity, 0))

    def absolute_nodal(self, elements: int, step: float, duration: float) -> tuple[Array, Array]:
        """Positions of the tip (x, y) and its deflections from the tangent at the hinge after each step, by Exudyn."""
        exu, items = importlib.import_module("exudyn"), importlib.import_module("exudyn.itemInterface")
        container = exu.SystemContainer()
        system = container.AddSystem()
        h = self.length / elements
        nodes = [
            system.AddNode(items.NodePoint2DSlope1(referenceCoordinates=[i * h, 0, 1, 0])) for i in range(elements + 1)
        ]
        for pair in pairwise(nodes):
            cable = items.ObjectANCFCable2D(
                length=h,
                massPerLength=self.mass / self.length,
                bendingStiffness=self.bending,
                axialStiffness=self.axial,
                nodeNumbers=list(pair),
                useReducedOrderIntegration=0,
            )
            weight = system.AddMarker(items.MarkerBodyMass(bodyNumber=system.AddObject(cable)))
            system.AddLoad(items.LoadMassProportional(markerNumber=weight, loadVector=[0, -self.gravity, 0]))
        ground = system.AddMarker(
            items.MarkerNodeCoordinate(nodeNumber=system.AddNode(items.NodePointGround()), coordinate=0)
        )
        for k in (0, 1):
            held = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=k))
            system.AddObject(items.ObjectConnectorCoordinate(markerNumbers=[ground, held]))
        kinds = exu.OutputVariableType
        tip, root = (
            system.AddSensor(items.SensorNode(nodeNumber=n, storeInternal=True, outputVariableType=kind))
            for n, kind in ((nodes[-1], kinds.Position), (nodes[0], kinds.Coordinates))
        )
        system.Assemble()
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps = round(duration / step)
        settings.timeIntegration.endTime = duration
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
        settings.solution.sensors.writePeriod = 0.0  # every step
        settings.solution.file.write = False
        system.SolveDynamic(settings)
        path = np.array(system.GetSensorStoredData(tip))
        slope = np.array(system.GetSensorStoredData(root))[:, 3:5] + [1.0, 0.0]
        slope = slope / np.linalg.norm(slope, axis=1)[:, None]
        return path[:, 1:3], slope[:, 0] * path[:, 2] - slope[:, 1] * path[:, 1]
