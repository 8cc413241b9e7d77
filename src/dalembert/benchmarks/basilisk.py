"""Wheels with friction and jets beside Basilisk: rates, attitudes, wheel speeds and propellant of the same scenarios.

``python -m dalembert.benchmarks.basilisk OUT.json --python PYTHON`` runs both; Basilisk (the package ``bsk``) runs in
the interpreter PYTHON, in a separate environment. The spacecraft and its wheels (Honeywell HR16) are those of its
examples of attitude feedback, the jets are those of Moog Monarc-5. Without Basilisk the stored results are compared.

Basilisk's jets close a sixth of a step late (the last stage of its Runge-Kutta step sees them open): this difference
falls with its step. Where a wheel passes zero its dry friction changes sign over a range of speeds, not at once; this
difference stays. It records speeds of wheels a step late, so that ours are compared a step earlier.

Basilisk's hub has the inertia of the whole craft with the wheels; here each wheel is a body, and the hub has the rest.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from dalembert import control
from dalembert.core.types import Array

__all__ = ["SCENARIOS", "compare", "fly_jets", "fly_wheels"]

_SCRIPT = Path(__file__).parent / "peers" / "basilisk_scenarios.py"
_STEPS = (1e-2, 1e-3)  # of Basilisk [s]
_DIAGONAL = 1.0 / 3.0**0.5
_HUB: dict[str, Any] = {
    "mass": 750.0,
    "inertia": [[900.0, 0.0, 0.0], [0.0, 800.0, 0.0], [0.0, 0.0, 600.0]],
    "rate": [0.001, -0.01, 0.03],
    "record": 1.0,
}
SCENARIOS: dict[str, dict[str, Any]] = {
    "wheels": {
        **_HUB,
        "step": 0.001,
        "duration": 60.0,
        "wheels": [
            {"axis": [1.0, 0.0, 0.0], "speed": 10.0, "friction": 5e-4, "damping": 1e-4, "torque": 0.02},
            {"axis": [0.0, 1.0, 0.0], "speed": 20.0, "friction": 5e-4, "damping": 1e-4, "torque": 0.0},
            {"axis": [_DIAGONAL] * 3, "speed": 30.0, "friction": 0.02, "damping": 0.0, "torque": -0.03},
        ],
    },
    "jets": {
        **_HUB,
        "step": 0.001,
        "duration": 20.0,
        "thrust": 4.5,
        "specific_impulse": 226.1,
        "least_pulse": 0.02,
        "jets": [
            {"place": [1.0, 0.2, 0.0], "direction": [0.0, 0.0, 1.0], "open": 0.5},
            {"place": [0.0, 1.0, 0.0], "direction": [1.0, 0.0, 0.0], "open": 2.0},
            {"place": [0.0, 0.0, 1.0], "direction": [0.0, -1.0, 0.0], "open": 0.02},
        ],
    },
}
"""Both scenarios: the third wheel is braked through zero, and one jet is open for the least pulse."""
for _wheel in SCENARIOS["wheels"]["wheels"]:
    _wheel["momentum"] = 50.0


def _spin(data: dict[str, Any]) -> dict[str, float]:
    return dict(zip(("hub.wx", "hub.wy", "hub.wz"), data["rate"], strict=True))


def _mrp(run: da.Run) -> Array:
    """Attitude of the hub as modified Rodrigues parameters, the short way."""
    Q = run.array(["hub.qw", "hub.qx", "hub.qy", "hub.qz"])
    Q = Q * np.where(Q[:, :1] < 0.0, -1.0, 1.0)
    return np.asarray(Q[:, 1:] / (1.0 + Q[:, :1]))


def _velocity(run: da.Run) -> Array:
    """Velocity of the hub in world axes."""
    twist = run.array(["hub.vx", "hub.vy", "hub.vz"])
    R = da.equations(run.machine, backend="vm").pose("hub", run.array(run.machine.q_names))[:, :3, :3]
    return np.asarray(np.einsum("nij,nj->ni", R, twist))


def _rows(run: da.Run) -> dict[str, Array]:
    return {"t": run.t, "rate": run.array(["hub.wx", "hub.wy", "hub.wz"]), "mrp": _mrp(run), "velocity": _velocity(run)}


def fly_wheels(data: dict[str, Any], inertia: float, late: float) -> dict[str, Array]:
    """Wheels with dry and viscous friction under constant torques; speeds are recorded late."""
    wheels, whole, v0 = [], np.array(data["inertia"]), _spin(data)
    for k, x in enumerate(data["wheels"]):
        axis = np.array(x["axis"])
        whole = whole - 0.5 * inertia * (np.eye(3) + np.outer(axis, axis))
        wheels.append(
            da.Wheel(f"w{k}", "hub", x["axis"], inertia, friction=x["friction"], damping=x["damping"], torque=0.2)
        )
        v0[f"w{k}_dot"] = x["speed"]
    hub = da.Body("hub", data["mass"], inertia=whole.tolist())
    craft = da.Machine("craft", (hub,), (da.Joint("hub", "free", "world", "hub"),), gravity=(0.0, 0.0, 0.0))
    run = da.simulate(
        craft.with_parts(*wheels), duration=data["duration"], step=data["step"], record=late, v0=v0,
        control=control.Feedforward({f"w{k}": x["torque"] for k, x in enumerate(data["wheels"])}),
    )  # fmt: skip
    every = round(data["record"] / late)
    speeds = run.array([f"w{k}_dot" for k in range(len(wheels))])
    rows = {key: values[::every] for key, values in _rows(run).items()}
    return {**rows, "speeds": speeds[np.maximum(np.arange(len(rows["t"])) * every - 1, 0)]}


def fly_jets(data: dict[str, Any]) -> dict[str, Array]:
    """Jets that are open for given times from the start; the last row of ``propellant`` is the mass used."""
    hub = da.Body("hub", data["mass"], inertia=data["inertia"])
    frames = tuple(da.Frame(f"f{k}", "hub", x["place"]) for k, x in enumerate(data["jets"]))
    jets = tuple(
        da.Thruster(f"j{k}", f"f{k}", force=x["direction"], effort=data["thrust"], one_sided=True)
        for k, x in enumerate(data["jets"])
    )
    free = da.Joint("hub", "free", "world", "hub")
    craft = da.Machine("craft", (hub,), (free,), frames=frames, thrusters=jets, gravity=(0.0, 0.0, 0.0))
    asked = {}
    for k, x in enumerate(data["jets"]):
        # a command within the law's sample: half a sample before its end it is still open
        asked[f"j{k}"] = lambda t, end=x["open"] - 0.5 * data["step"]: data["thrust"] * (t < end)
    law = control.Sampled(
        control.PulsedJets(control.Feedforward(asked), data["step"], data["step"], data["specific_impulse"]),
        data["step"],
    )
    run = da.simulate(
        craft, duration=data["duration"], step=data["step"], record=data["record"], control=law,
        v0=_spin(data),
    )  # fmt: skip
    return {**_rows(run), "propellant": run["propellant"]}


def compare(peer: dict[str, Any]) -> dict[str, dict[str, tuple[float, ...]]]:
    """Largest differences of our rows from those of Basilisk at each of its steps, by scenario and quantity.

    ``before`` is that of the rates of the hub until the third wheel passes zero, after 47 s.
    """
    inertia = float(peer["rows"][0]["wheels"]["inertias"][0])
    jets = fly_jets(SCENARIOS["jets"])
    found: dict[str, dict[str, list[float]]] = {"wheels": {}, "jets": {}}

    def note(name: str, key: str, difference: Array) -> None:
        found[name].setdefault(key, []).append(float(np.abs(difference).max()))

    for step, rows in zip(peer["steps"], peer["rows"], strict=True):
        ours, theirs = fly_wheels(SCENARIOS["wheels"], inertia, step), rows["wheels"]
        for key in ("rate", "mrp", "speeds"):
            note("wheels", key, ours[key] - np.array(theirs[key]))
        note("wheels", "before", (ours["rate"] - np.array(theirs["rate"]))[ours["t"] < 47.5])
        for key in ("rate", "mrp", "velocity"):
            note("jets", key, jets[key] - np.array(rows["jets"][key]))
    return {name: {key: tuple(x) for key, x in values.items()} for name, values in found.items()}


def _flown(python: str, step: float) -> dict[str, Any]:
    """Rows of Basilisk with a step."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = (Path(folder) / n for n in ("in.json", "out.json"))
        source.write_text(json.dumps({name: {**data, "step": step} for name, data in SCENARIOS.items()}))
        subprocess.run([python, str(_SCRIPT), str(source), str(target)], check=True)
        return dict(json.loads(target.read_text()))


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--python", help="interpreter that has Basilisk; without it the stored rows are compared")
    asked = parser.parse_args()
    if asked.python:
        peer = {"steps": list(_STEPS), "rows": [_flown(asked.python, step) for step in _STEPS]}
        asked.file.write_text(json.dumps(peer) + "\n")
    for name, values in compare(json.loads(asked.file.read_text())).items():
        for key, differences in values.items():
            print(f"{name:8} {key:10} " + " ".join(f"{x:.1e}" for x in differences))


if __name__ == "__main__":
    _main()
