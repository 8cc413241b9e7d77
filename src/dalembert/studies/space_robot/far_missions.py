"""Random missions from a hold point in orbit to rest, stored one by one: a stopped run of them resumes.

``python -m dalembert.studies.space_robot.far_missions docs/results/random/missions.json --number 200`` flies those that
the file does not have yet.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.model.orbit import Orbit
from dalembert.systems.space_robots import FAR_CAMERA, fly_capture, random_case

__all__ = ["HOLD_POINT", "ORBIT", "fly_mission", "mission_table"]

ORBIT = Orbit(altitude=700e3, inclination=float(np.radians(98.0)))
HOLD_POINT = 30.0


def fly_mission(seed: int, speed: float) -> dict[str, Any]:
    """Fly a random case from the hold point, and return its figures."""
    start = time.process_time()
    outcome = fly_capture(random_case(seed, speed), hold_point=HOLD_POINT, orbit=ORBIT, camera=FAR_CAMERA)
    return {
        "seed": seed,
        "captured": outcome.ok,
        "reason": outcome.reason,
        "times": {k: round(x, 2) for k, x in outcome.times.items()},
        "propellant": {k: float(f"{x:.4g}") for k, x in outcome.propellant.items()},
        "impulse": None if outcome.way is None else float(f"{outcome.way.path.impulse:.4g}"),
        "requirements": {r.name: float(f"{r.value:.4g}") for r in outcome.requirements},
        "processor_s": round(time.process_time() - start, 1),
    }


_UNITS = {
    "tip error from synchronisation on": "mm",
    "attitude of the base": "degrees",
    "torque of the base": "N m",
    "torque of a joint": "N m",
    "rate of the stack at rest": "degrees/s",
    "torque of the base after the grip": "N m",
    "torque of a joint after the grip": "N m",
}


def mission_table(rows: list[dict[str, Any]]) -> list[tuple[str, float, float]]:
    """Quantity, median and largest value over the missions that were captured."""
    done = [r for r in rows if r["captured"]]
    columns = {f"{name} [{unit}]": [r["requirements"][name] for r in done] for name, unit in _UNITS.items()}
    for phase in ("way", "approach", "rest"):
        columns[f"time of the {phase} [s]"] = [r["times"][phase] for r in done]
        columns[f"propellant of the {phase} [g]"] = [1e3 * r["propellant"][phase] for r in done]
    columns["propellant [g]"] = [1e3 * sum(r["propellant"].values()) for r in done]
    return [(name, float(np.median(values)), float(max(values))) for name, values in columns.items() if values]


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
    for name, *values in mission_table(stored["missions"]):
        print(f"| {name} | " + " | ".join(f"{x:.3g}" for x in values) + " |")


if __name__ == "__main__":
    _main()
