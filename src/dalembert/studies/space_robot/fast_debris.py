"""Plans for debris that tumbles faster, and the limit that stops those without one: a campaign of plans, not flights.

``python -m dalembert.studies.space_robot.fast_debris docs/results/random/fast_debris.json --number 200`` plans the
random cases that the file does not have yet.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from dalembert.core.errors import PlanError
from dalembert.plan.robot_capture import plan_robot_capture
from dalembert.plan.robot_limits import RobotLimits
from dalembert.systems.space_robots import random_case
from dalembert.systems.space_robots.debris_twin import debris_twin
from dalembert.systems.space_robots.flight_data import CapturePhases
from dalembert.systems.space_robots.settings import stand_off
from dalembert.systems.space_robots.twins import chaser_twins
from dalembert.systems.space_robots.uncertain import case_machines
from dalembert.systems.space_robots.watching import later

__all__ = ["SPEEDS", "exceeded_limits", "limit_table", "nearest_limit", "plan_case"]

SPEEDS = (6.0, 8.0)
_ENTRY = re.compile(r"([a-z ]+): (\d+) \(nearest (\S+), limit (\S+?)[ )]")


def plan_case(seed: int, speed: float) -> dict[str, Any]:
    """Plan a random case whose debris is known, and return which limits its candidates exceed."""
    start, phases = random_case(seed, speed).start, CapturePhases()
    chaser, debris = case_machines()
    twins = chaser_twins(chaser, start.tip, start.approach, start.task)
    target = debris_twin(debris, start.target)
    away = stand_off(twins, target) if start.distance is None else start.distance
    body = later(target.tumbling(start.rate, start.quaternion, away * twins.outward, start.parameters), phases.watch)
    posture = dict(zip(twins.joints, start.posture(twins.joints, "chaser").tolist(), strict=True))
    try:
        plan = plan_robot_capture(
            twins.rigid.eom, body, posture, frame=twins.frame, hold=phases.hold, limits=RobotLimits(),
            geometry=target.solids, axis=start.axis, task=twins.task,
        )  # fmt: skip
    except PlanError as error:
        failed = exceeded_limits(str(error)) or {"no candidate": (0, 0.0, 0.0)}
        return {"seed": seed, "planned": False, "failed": failed}
    return {"seed": seed, "planned": True, "duration": plan.duration}


def exceeded_limits(message: str) -> dict[str, tuple[int, float, float]]:
    """Limits in the message of a plan that was not found: number of candidates, the nearest value, and the limit."""
    return {
        name.strip(): (int(n), float(x), float(y))
        for name, n, x, y in _ENTRY.findall(message.partition("failed by ")[2])
    }


def nearest_limit(failed: dict[str, Any]) -> str:
    """The limit that stops a case: the last one that its candidates meet, once the arm reaches the target for 10 s."""
    able = [name for name in failed if name not in ("reach of the path", "no candidate")]
    return max(able, key=lambda name: failed[name][0]) if able else next(iter(failed))


def limit_table(rows: list[dict[str, Any]]) -> dict[str, int]:
    """Number of cases with a plan, and of those that each limit stops."""
    table = {"planned": sum(row["planned"] for row in rows)}
    limits = [nearest_limit(row["failed"]) for row in rows if not row["planned"]]
    for name in sorted(set(limits)):
        table[name] = limits.count(name)
    return table


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--number", type=int, default=200)
    asked = parser.parse_args()
    stored = json.loads(asked.file.read_text()) if asked.file.exists() else {f"{s:g}": [] for s in SPEEDS}
    for speed, rows in stored.items():
        for seed in range(len(rows), asked.number):
            rows.append(plan_case(seed, float(speed)))
            asked.file.write_text(json.dumps(stored, indent=0) + "\n")
        print(speed, len(rows), limit_table(rows), flush=True)


if __name__ == "__main__":
    _main()
