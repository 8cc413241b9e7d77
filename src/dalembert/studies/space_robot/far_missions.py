"""Random missions from a hold point in orbit to rest, stored one by one: a stopped run of them resumes.

``python -m dalembert.studies.space_robot.far_missions docs/results/random/missions-4.json --speed 4`` flies those of
200 missions at 4 degrees per second that the file does not have yet.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.control.estimation import StereoCamera
from dalembert.model.machine import Machine
from dalembert.model.orbit import Orbit
from dalembert.plan.robot_limits import RobotLimits
from dalembert.studies.space_robot.fast_debris import exceeded_limits, nearest_limit
from dalembert.systems.space_robots import (
    FAR_CAMERA,
    CaptureGains,
    CaptureOutcome,
    fly_capture,
    nozzle_cluster,
    random_case,
    uncertain_chaser,
    wheel_cluster,
)
from dalembert.systems.space_robots.uncertain import uncertain_debris

__all__ = ["HOLD_POINT", "LEAST_PULSE", "ORBIT", "fly_mission", "mission_chaser", "mission_table", "outcome_table"]

ORBIT = Orbit(altitude=700e3, inclination=float(np.radians(98.0)))
HOLD_POINT = 30.0
LEAST_PULSE = 0.008


@cache
def mission_chaser() -> Machine:
    """The ready-made chaser with 24 nozzles of 10 N and four wheels in place of ideal thrusters."""
    frames, jets = nozzle_cluster()
    plain = uncertain_chaser()
    return plain.with_(thrusters=jets, frames=(*plain.frames, *frames)).with_parts(*wheel_cluster())


@cache
def _debris() -> Machine:
    return uncertain_debris()


def fly_mission(seed: int, speed: float) -> dict[str, Any]:
    """Fly a random case from the hold point, and return its figures."""
    start = time.process_time()
    outcome = fly_capture(
        mission_chaser(), _debris(), start=random_case(seed, speed).start, gains=CaptureGains(), limits=RobotLimits(),
        hold_point=HOLD_POINT, orbit=ORBIT, camera=FAR_CAMERA, hand_camera=StereoCamera(), least_pulse=LEAST_PULSE,
    )  # fmt: skip
    return {
        "seed": seed,
        "captured": outcome.ok,
        "reason": outcome.reason,
        "times": {k: round(x, 2) for k, x in outcome.times.items()},
        "propellant": {k: float(f"{x:.4g}") for k, x in outcome.propellant.items()},
        "impulse": None if outcome.way is None else float(f"{outcome.way.path.impulse:.4g}"),
        "wheels": float(f"{_wheel_momentum(outcome):.4g}"),
        "requirements": {r.name: float(f"{r.value:.4g}") for r in outcome.requirements},
        "processor_s": round(time.process_time() - start, 1),
    }


def _wheel_momentum(outcome: CaptureOutcome) -> float:
    """Largest momentum of a wheel [N m s]."""
    inertia = {f"{wheel.name}_dot": float(wheel.inertia) for wheel in wheel_cluster()}
    rows = [run.array(list(inertia)) * list(inertia.values()) for run in outcome.runs.values()]
    return max((float(np.abs(h).max()) for h in rows), default=0.0)


_FIGURES = {
    "tip error from synchronisation on": ("mm", 10.0),
    "attitude of the base": ("degrees", 0.1),
    "torque of the base": ("N m", 5.0),
    "torque of a joint": ("N m", 200.0),
    "rate of the stack at rest": ("degrees/s", 0.05),
    "torque of a joint after the grip": ("N m", 200.0),
}
"""Requirements with their units and limits; thrusters give the torque of the base after the grip, within theirs."""


def mission_table(rows: list[dict[str, Any]]) -> list[tuple[str, float, float]]:
    """Quantity, median and largest value over the missions that were captured."""
    done = [r for r in rows if r["captured"]]
    columns = {f"{name} [{unit}]": [r["requirements"][name] for r in done] for name, (unit, _) in _FIGURES.items()}
    columns["momentum of a wheel [N m s]"] = [r["wheels"] for r in done]
    for phase in ("way", "approach", "rest"):
        columns[f"time of the {phase} [s]"] = [r["times"][phase] for r in done]
        columns[f"propellant of the {phase} [g]"] = [1e3 * r["propellant"][phase] for r in done]
    columns["propellant [g]"] = [1e3 * sum(r["propellant"].values()) for r in done]
    return [(name, float(np.median(values)), float(max(values))) for name, values in columns.items() if values]


def stopped_by(row: dict[str, Any]) -> str:
    """Why a mission is not captured within its limits: the limit of its plan, the figure missed, or its reason."""
    if not row["reason"]:
        return "missed: " + ", ".join(k for k, x in row["requirements"].items() if x > _FIGURES.get(k, ("", x))[1])
    failed = exceeded_limits(row["reason"])
    begin = row["reason"].partition(":")[0]
    return f"{begin}, {nearest_limit(failed)}" if failed else begin


def outcome_table(rows: list[dict[str, Any]]) -> dict[str, int]:
    """Number of missions that were captured, and of those that each limit stops."""
    ends = ["captured" if row["captured"] else stopped_by(row) for row in rows]
    return {"captured": ends.count("captured")} | {name: ends.count(name) for name in sorted(set(ends) - {"captured"})}


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--speed", type=float, default=4.0)
    asked = parser.parse_args()
    stored = json.loads(asked.file.read_text()) if asked.file.exists() else {"speed": asked.speed, "missions": []}
    if stored["speed"] != asked.speed:
        parser.error(f"{asked.file} has missions at {stored['speed']} degrees/s")
    known = {row["seed"] for row in stored["missions"]}
    for seed in range(asked.number):
        if seed in known:
            continue
        stored["missions"].append(fly_mission(seed, asked.speed))
        row = stored["missions"][-1]
        stored["missions"].sort(key=lambda x: x["seed"])
        asked.file.write_text(json.dumps(stored, indent=1) + "\n")
        print(seed, "captured" if row["captured"] else row["reason"], f"{row['processor_s']} s", flush=True)
    print(outcome_table(stored["missions"]))
    for name, *values in mission_table(stored["missions"]):
        print(f"| {name} | " + " | ".join(f"{x:.3g}" for x in values) + " |")


if __name__ == "__main__":
    _main()
