"""The pulley robot on elastic cables against Exudyn's reeved ropes over sheaves that swivel (CDPR 4.3)."""

from __future__ import annotations

import importlib
import inspect
import warnings
from typing import Any

import numpy as np
import pytest

pytest.importorskip("exudyn")

from dalembert.core.parameter import nominal
from dalembert.studies.cable_robots.pulleys import LEAD, ROPE, elastic_run, pushed_run, rms, start
from dalembert.systems.cable_robots import pulley_robot

pytestmark = [pytest.mark.peer, pytest.mark.exudyn]

exu: Any = importlib.import_module("exudyn")


def reeved_run(duration: float, step: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, positions of the platform and swivel angles of the pushed robot in Exudyn, by generalized-alpha."""
    item: Any = importlib.import_module("exudyn.itemInterface")
    rigid: Any = importlib.import_module("exudyn.rigidBodyUtilities")
    machine = pulley_robot(3, **ROPE)
    platform, q = machine.body("platform"), start(machine)
    angles = [q[list(machine.q_names).index(f"swivel{k}")] for k in range(1, 5)]
    mbs = exu.SystemContainer().AddSystem()
    ground = mbs.CreateGround()
    tensor = np.array([[nominal(x) for x in row] for row in platform.inertia])
    body = mbs.CreateRigidBody(
        inertia=rigid.RigidBodyInertia(mass=nominal(platform.mass), inertiaTensor=tensor),
        referencePosition=[0.0, 0.25, 0.37],
        gravity=[0.0, 0.0, -9.81],
    )
    mbs.AddLoad(
        item.LoadForceVector(
            markerNumber=mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=body)),
            loadVectorUserFunction=lambda _, t, __: [50.0, 100.0, 0.0] if pushed(t) else [0.0, 0.0, 0.0],
        )
    )
    output = exu.OutputVariableType
    where = item.SensorBody(bodyNumber=body, storeInternal=True, outputVariableType=output.Position)
    sensors = [mbs.AddSensor(where)]
    free = pulley_robot(2)
    for cable, rope, angle in zip(free.cables, machine.cables, angles, strict=True):
        d, radius, length = [nominal(x) for x in cable.exit_at], nominal(cable.pulley), nominal(rope.length)
        c, s = np.cos(angle), np.sin(angle)
        node = mbs.AddNode(item.Node1D(referenceCoordinates=[0.0]))
        wheel = mbs.AddObject(
            item.ObjectRotationalMass1D(
                nodeNumber=node,
                referencePosition=d,
                referenceRotation=[[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]],
                **{_inertia_name(item): 5e-3},
            )
        )
        ends = [
            mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=ground, localPosition=[d[0], d[1], d[2] - LEAD])),
            mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=wheel, localPosition=[radius, 0.0, 0.0])),
            mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=body, localPosition=[nominal(x) for x in cable.anchor_at])),
        ]
        scale = (length + LEAD) / length  # the rope before the sheave is rigid in ours
        mbs.AddObject(
            item.ReevingSystemSprings(
                markerNumbers=ends,
                stiffnessPerLength=ROPE["stiffness"] * scale,
                dampingPerLength=ROPE["cable_damping"] * scale,
                regularizationForce=-1,
                referenceLength=length + LEAD,
                sheavesAxes=exu.Vector3DList([[0.0, 1.0, 0.0]] * 3),
                sheavesRadii=[0.0, radius, 0.0],
            )
        )
        turn = item.SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=output.Coordinates)
        sensors.append(mbs.AddSensor(turn))
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = round(duration / step)
    settings.timeIntegration.endTime = duration
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.timeIntegration.verboseMode = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = 1e-3
    mbs.SolveDynamic(settings)
    stored = [np.asarray(mbs.GetSensorStoredData(sensor)) for sensor in sensors]
    swivels = np.column_stack([data[:, 1] + angle for data, angle in zip(stored[1:], angles, strict=True)])
    return stored[0][:, 0], stored[0][:, 1:4], swivels


def pushed(t: float) -> bool:
    """Whether the push acts; Exudyn adds its steps up, and arrives at 0.51 s a rounding error sooner or later."""
    return 0.51 - 1e-9 <= t < 0.52 - 1e-9


def _inertia_name(item: Any) -> str:
    """Name of an argument that changed with Exudyn 1.12."""
    known = inspect.signature(item.ObjectRotationalMass1D).parameters
    return "inertia" if "inertia" in known else "physicsInertia"


def gaps(run: Any, t: np.ndarray, position: np.ndarray, swivels: np.ndarray, swivel: str) -> np.ndarray:
    """Root mean squares of the differences: x, y, z, and the four swivel angles."""
    names = [f"platform.{c}" for c in "xyz"] + [swivel.format(k) for k in range(1, 5)]
    theirs = np.hstack([position, swivels])
    ours = np.column_stack([np.interp(t, run.t, run[name]) for name in names])
    return np.sqrt(np.mean((ours - theirs) ** 2, axis=0))


def test_ropes_over_swivelling_sheaves() -> None:
    """Two seconds, the push in them: Exudyn's error falls with the square of its step, and nothing else is left."""
    run = elastic_run(2.0)
    coarse, fine = (gaps(run, *reeved_run(2.0, step), "swivel{}") for step in (1e-3, 5e-4))
    moved = np.array([np.ptp(run[f"platform.{c}"]) for c in "xyz"])
    assert (moved > [4e-3, 2e-2, 5e-4]).all()
    assert (fine[:3] < 1e-4 * moved).all(), fine
    assert (fine < 0.3 * coarse).all(), (coarse, fine)


@pytest.mark.slow
def test_distances_of_the_paper_from_a_model_with_real_cables() -> None:
    """Tables 3 and 4 with Exudyn in the place of ADAMS: the rows of the study, which take our elastic robot instead."""
    theirs = reeved_run(10.0, 2.5e-4)
    for model, swivel in ((2, "swivel.cable{}"), (3, "swivel{}")):
        run = pushed_run(model)
        rows = [rms(run, elastic_run(), f"platform.{c}") for c in "xyz"]
        rows += [rms(run, elastic_run(), swivel.format(k), f"swivel{k}") for k in range(1, 5)]
        np.testing.assert_allclose(gaps(run, *theirs, swivel), rows, rtol=0.05)
