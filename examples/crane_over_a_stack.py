"""Closed loops of a crane over a stack: a plant that differs from the model, payloads wrong by half, kicks.

Alone it runs four members of each design; `python examples/crane_over_a_stack.py 1000 stack` runs 1,000 and keeps them
in the folder `stack`. Interrupted, the same command resumes. The plant has a hook and a sling, drives with a lag, and
noisy encoders; the controller plans with a rope and a load. One design keeps margins for errors of estimate, model and
kicks.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

import dalembert as da
from dalembert import control

SLING, LAG, GOAL, START = 0.8, 0.05, 6.0, 3.7
HOOK, NOMINAL, REACH = 50.0, 500.0, 1.7  # masses; from the trolley to the load above the stack [m]
KICK = 0.15  # rad/s
DAMPING = 20.0  # N m s of the sling: 1 % of critical for the lightest load
DRIVE, WINCH = 4e-6, 8e-6  # weights of inputs, see bandwidth()
TOP, MIDDLE, HALF = 3.0, 3.0, 0.8  # height, centre and half width of the stack [m]


def crane(name: str, bodies: list[da.Body], joints: list[da.Joint], **more: Any) -> da.Machine:
    trolley = da.Joint("x", "prismatic", "world", "trolley", axis="x")
    rope = da.Joint("swing", "revolute", "trolley", "rope", axis="y")
    return da.Machine(
        name,
        bodies=[da.point_mass("trolley", 200.0), da.Body("rope"), *bodies],
        joints=[trolley, rope, *joints],
        motors=[da.Motor("drive", "x"), da.Motor("winch", "length")],
        sensors=[
            da.Sensor("trolley.encoder", "x", period=0.05, noise=2e-3, feedback=False),
            da.Sensor("winch.encoder", "length", period=0.05, noise=2e-3, feedback=False),
        ],
        **more,
    )


def model() -> da.Machine:
    """Model of controller and estimator: hook and load are one point, and the sling continues the rope."""
    load = da.point_mass("load", da.Parameter("payload", NOMINAL), com=(0, 0, -SLING))
    return crane("crane", [load], [da.Joint("length", "prismatic", "rope", "load", axis=(0, 0, -1))])


def plant() -> da.Machine:
    """The crane with a hook, and the load on a sling below it.

    A force from 3 s to 3.2 s, with the load at the stack, changes the rate of the swing by the parameter ``kick``
    [rad/s].
    """
    kick, payload, t = da.Parameter("kick", 0.0), da.Parameter("payload", NOMINAL - HOOK), da.TIME
    pulse = (da.smoothstep((t - 3.0) / 0.05) - da.smoothstep((t - 3.2) / 0.05)) / 0.2
    load = da.point_mass("load", payload, com=(0, 0, -SLING))
    joints = [
        da.Joint("length", "prismatic", "rope", "hook", axis=(0, 0, -1)),
        da.Joint("sling", "revolute", "hook", "load", axis="y", damping=DAMPING),
    ]
    return crane(
        "plant",
        [da.point_mass("hook", HOOK), load],
        joints,
        frames=[da.Frame("eye", "load", da.Transform((0, 0, -SLING)))],
        wrenches=[da.Wrench("gust", "eye", force=(kick * REACH * payload * pulse, 0, 0))],
    )


def stack(x: Any) -> Any:
    return TOP * ca.exp(-(((x - MIDDLE) / HALF) ** 4)) - 5.0


def clearance(known: control.Known) -> Any:
    """Height of the load of the model above the stack."""
    reach = known["length"] + SLING
    x, z = known["x"] - reach * ca.sin(known["swing"]), -reach * ca.cos(known["swing"])
    return z - stack(x)


def estimator(machine: da.Machine) -> Any:
    return da.mhe(
        machine,
        horizon=0.75,
        period=0.05,
        noise={"x_dot": 0.1, "swing_dot": 0.05, "length_dot": 0.1, "payload": 5.0},
        uncertainty={"x": 0.01, "swing": 0.05, "length": 0.01}
        | {"x_dot": 0.05, "swing_dot": 0.1, "length_dot": 0.05, "payload": 200.0},
        estimate=["payload"],
        start={"length": START},
        limits={"payload": (50.0, 2000.0)},
    )


def margins(seen: Any) -> dict[str, float]:
    """Errors of the load above the stack: of the estimate, of the model, and by a kick that has not been seen yet.

    Three standard deviations of the estimates; a sling that swings by 0.1 rad; a kick, which moves the swing by its
    rate over its frequency.
    """
    above = seen.stationary_deviation({"x": MIDDLE, "length": REACH - SLING}, {"winch": -NOMINAL * 9.81})
    bars = {name: 3.0 * above[name] for name in ("x", "swing", "length")}
    kicked = KICK / np.sqrt(9.81 / REACH)
    return bars | {"x": float(np.hypot(bars["x"], 0.1 * SLING)), "swing": float(np.hypot(bars["swing"], kicked))}


def controller(tight: bool = True) -> Any:
    machine = model()
    seen = estimator(machine)
    law = da.mpc(
        machine,
        horizon=4.0,
        intervals=40,
        cost=da.Cost(
            states={"x": 1.0, "swing": 10.0, "length": 10.0, "x_dot": 0.1, "swing_dot": 1.0, "length_dot": 0.1},
            inputs={"drive": DRIVE, "winch": WINCH},
            rates=3e-8,
            terminal="lqr",
        ),
        reference={"x": GOAL, "length": START},
        limits={
            "drive": (-1000, 1000), "winch": (-15000, 0), "swing": da.soft(-0.12, 0.12, linear=1e3),
            "length": da.soft(0.4, 4.2, linear=1e3), "x_dot": da.soft(-1.5, 1.5, linear=1e3),
            "length_dot": da.soft(-1.0, 1.0, linear=1e3),
        },
        keep={"above": (clearance, da.soft(0, np.inf, linear=1e3))},
        margin=margins(seen) if tight else {},
        known=["payload"],
        period=0.05,
    )  # fmt: skip
    return control.ActuatorLag(control.Cascade(law, [seen]), LAG, initial=[0.0, -NOMINAL * 9.81])


def bandwidth(payload: float = 250.0) -> dict[str, float]:
    """Crossover of trolley and winch [rad/s] that the weights of states and inputs lead to, with the lightest payload.

    It stays below a third of the frequency of the sling, the first mode that the model leaves out.
    """
    sling = float(np.sqrt(9.81 / SLING * payload / HOOK))
    return {"drive": (1.0 / DRIVE / 200.0**2) ** 0.25, "winch": (10.0 / WINCH / payload**2) ** 0.25, "sling": sling}


def measured_clearance(s: Any) -> Any:
    """Height of the load of the plant above the stack."""
    angle = s["swing"] + s["sling"]
    x = s["x"] - s["length"] * ca.sin(s["swing"]) - SLING * ca.sin(angle)
    z = -s["length"] * ca.cos(s["swing"]) - SLING * ca.cos(angle)
    return z - stack(x)


def campaign(runs: int, folder: Path | None = None, *, tight: bool = True) -> Any:
    """Run, or resume, the campaign."""
    omega = bandwidth()
    assert 3.0 * max(omega["drive"], omega["winch"]) < omega["sling"]
    return da.campaign(
        plant(),
        vary={"payload": (250.0 - HOOK, 750.0 - HOOK), "kick": (-KICK, KICK), "v0.swing_dot": (-KICK, KICK)},
        n=runs,
        seed=1,
        q0={"length": START},
        control=controller(tight),
        duration=16.0,
        step=5e-3,
        measure={
            "clearance": da.Measure(measured_clearance, "min"),
            "swing": da.Measure("swing", "max abs"),
            "rope": da.Measure("length", "max"),
            "miss": da.Measure(lambda s: ca.fabs(s["x"] - GOAL), "final"),
            "left": da.Measure("swing", "max abs", since=14.0),
            "solver": da.Measure("mpc.status", "max"),
            "action": da.Measure("mpc.action", "max"),
        },
        store=folder,
        chunk=16,
        workers=1,
        progress=True,
    )


def summary(result: Any) -> dict[str, Any]:
    table = result.table
    done = table[table["status"] == "completed"]
    return {
        "runs": len(table),
        "failed": len(table) - len(done),
        "dropped": int((done["rope"] > 4.5).sum()),
        "hit": int((done["clearance"] < 0.0).sum()),
        "not_planned": int((done["action"] > 0).sum()),
        "worst_clearance_m": float(done["clearance"].min()),
        "median_clearance_m": float(done["clearance"].median()),
        "worst_swing_rad": float(done["swing"].max()),
        "share_above_swing_limit": float((done["swing"] > 0.12).mean()),
        "worst_miss_m": float(done["miss"].max()),
        "worst_swing_after_14_s_rad": float(done["left"].max()),
    }


def main() -> None:
    """Run both designs, and print their figures."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    store = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    rows = {}
    for name in ("tightened", "plain"):
        folder = None if store is None else store / name
        rows[name] = summary(campaign(runs, folder, tight=name == "tightened"))
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
