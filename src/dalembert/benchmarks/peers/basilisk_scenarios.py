"""Wheels with friction and jets by Basilisk: ``python basilisk_scenarios.py IN.json OUT.json``, where it is installed.

The input describes both scenarios (the module that starts it has them); the output has times, rates and attitude of the
hub (modified Rodrigues parameters), speeds of the wheels, velocity of the hub, and the propellant flow of the jets.
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["main"]


def _module(name: str) -> Any:
    return import_module(f"Basilisk.{name}")


def _hub(data: dict[str, Any]) -> tuple[Any, Any]:
    """A simulation with its task, and the spacecraft."""
    macros = _module("utilities.macros")
    sim = _module("utilities.SimulationBaseClass").SimBaseClass()
    process = sim.CreateNewProcess("process")
    process.addTask(sim.CreateNewTask("task", macros.sec2nano(data["step"])))
    craft = _module("simulation.spacecraft").Spacecraft()
    craft.ModelTag = "hub"
    craft.hub.mHub = data["mass"]
    craft.hub.r_BcB_B = [[0.0], [0.0], [0.0]]
    craft.hub.IHubPntBc_B = data["inertia"]
    craft.hub.omega_BN_BInit = [[x] for x in data["rate"]]
    return sim, craft


def _run(sim: Any, craft: Any, data: dict[str, Any], others: dict[str, Any]) -> dict[str, Any]:
    """Simulate, and return rows of the hub and of other messages."""
    macros = _module("utilities.macros")
    every = macros.sec2nano(data["record"])
    log = craft.scStateOutMsg.recorder(every)
    recorders = {name: message.recorder(every) for name, message in others.items()}
    for recorder in (log, *recorders.values()):
        sim.AddModelToTask("task", recorder)
    sim.InitializeSimulation()
    sim.ConfigureStopTime(macros.sec2nano(data["duration"]))
    sim.ExecuteSimulation()
    rows = {
        "t": np.asarray(log.times()) * 1e-9,
        "rate": np.asarray(log.omega_BN_B),
        "mrp": np.asarray(log.sigma_BN),
        "velocity": np.asarray(log.v_CN_N),
    }
    return {key: value.tolist() for key, value in rows.items()} | recorders


def wheels(data: dict[str, Any]) -> dict[str, Any]:
    """Wheels with dry and viscous friction under constant torques of their motors."""
    sim, craft = _hub(data)
    factory = _module("utilities.simIncludeRW").rwFactory()
    rpm = 30.0 / np.pi
    for wheel in data["wheels"]:
        factory.create(
            "Honeywell_HR16", wheel["axis"], maxMomentum=wheel["momentum"], Omega=wheel["speed"] * rpm,
            RWModel=_module("architecture.messaging").BalancedWheels, useRWfriction=True,
            fCoulomb=wheel["friction"], cViscous=wheel["damping"],
        )  # fmt: skip
    effector = _module("simulation.reactionWheelStateEffector").ReactionWheelStateEffector()
    factory.addToSpacecraft("wheels", effector, craft)
    messaging = _module("architecture.messaging")
    torques = messaging.ArrayMotorTorqueMsg().write(
        messaging.ArrayMotorTorqueMsgPayload(motorTorque=[x["torque"] for x in data["wheels"]])
    )
    effector.rwMotorCmdInMsg.subscribeTo(torques)
    for model in (effector, craft):
        sim.AddModelToTask("task", model)
    out = _run(sim, craft, data, {f"wheel{k}": message for k, message in enumerate(effector.rwOutMsgs)})
    count = len(data["wheels"])
    speeds = np.array([out.pop(f"wheel{k}").Omega for k in range(count)]).T
    inertias = [float(factory.rwList[name].Js) for name in factory.rwList]
    return {**out, "speeds": speeds.tolist(), "inertias": inertias}


def jets(data: dict[str, Any]) -> dict[str, Any]:
    """Jets that are open for given times from the start."""
    sim, craft = _hub(data)
    factory = _module("utilities.simIncludeThruster").thrusterFactory()
    for jet in data["jets"]:
        factory.create(
            "MOOG_Monarc_5", jet["place"], jet["direction"], MaxThrust=data["thrust"],
            steadyIsp=data["specific_impulse"], useMinPulseTime=True, MinOnTime=data["least_pulse"],
        )  # fmt: skip
    effector = _module("simulation.thrusterDynamicEffector").ThrusterDynamicEffector()
    factory.addToSpacecraft("jets", effector, craft)
    messaging = _module("architecture.messaging")
    times = messaging.THRArrayOnTimeCmdMsg().write(
        messaging.THRArrayOnTimeCmdMsgPayload(OnTimeRequest=[x["open"] for x in data["jets"]])
    )
    effector.cmdsInMsg.subscribeTo(times)
    for model in (effector, craft):
        sim.AddModelToTask("task", model)
    return _run(sim, craft, data, {})


def main(source: str, target: str) -> None:
    """Simulate both scenarios of a file."""
    data = json.loads(Path(source).read_text())
    out = {"version": _module("__init__").__version__} if hasattr(_module("__init__"), "__version__") else {}
    Path(target).write_text(json.dumps({**out, "wheels": wheels(data["wheels"]), "jets": jets(data["jets"])}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:3])
