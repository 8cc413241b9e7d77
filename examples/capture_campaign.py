"""Many captures as one campaign: in how many of 500 does the tip stay within a centimetre?

Alone it flies two; `python examples/capture_campaign.py 500 captures` flies 500 on two cores and keeps them in the
folder `captures`. Interrupted, the same command resumes where it stopped.
"""

from __future__ import annotations

import resource
import sys
import time

import dalembert as da
from dalembert.campaigns import Campaign
from dalembert.systems.space_robots import capture_measures


def fly(members: int, store: str | None = None, speed: float = 4.0) -> Campaign:
    """Fly the random cases 0 to ``members - 1``, each in one of two processes."""
    return da.campaign(
        capture_measures,
        vary={"case": list(range(members)), "speed": [speed]},
        sampling="grid",
        workers=2,
        chunk=2,
        store=store,
        progress=True,
    )


def main() -> None:
    """Fly, and say how it went."""
    members = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    store = sys.argv[2] if len(sys.argv) > 2 else None
    speed = float(sys.argv[3]) if len(sys.argv) > 3 else 4.0
    began = time.perf_counter()
    captures = fly(members, store, speed)
    wall = time.perf_counter() - began
    print(captures.summary()[["mean", "median", "q95", "max"]].round(3).to_string())
    share = captures.probability("captured > 0.5")
    print(f"captured: {share.successes} of {share.members}, {share.low:.3f} to {share.high:.3f} with 95 % confidence")
    for reason in captures.failures()["reason"]:
        print(reason)
    workers, own = (
        resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)
    )
    print(f"{wall:.0f} s; largest process {workers:.0f} MB, this one {own:.0f} MB")


if __name__ == "__main__":
    main()
