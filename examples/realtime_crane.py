"""A crane in a real-time loop, and a controller outside of it, over UDP.

The loop runs in lockstep: it waits for a force before each period, and answers with its state. ``realtime_crane.py``
closes it from Python; ``realtime_crane.py 9000`` waits for another client on that port, such as ``realtime_crane.c``.
"""

from __future__ import annotations

import socket
import sys

import numpy as np

import dalembert as da
from dalembert.io import Realtime, pack_inputs, unpack_outputs

PERIOD, DURATION = 0.005, 5.0
START = {"x": 0.5, "theta": 0.2}
GAINS = np.array([8.94, 5.14, 7.84, 0.58])  # of x, theta and their rates: a linear-quadratic regulator


def crane() -> da.Machine:
    """A trolley that is pushed, and a load on a rope."""
    return da.Machine(
        "crane",
        bodies=[da.point_mass("trolley", 2.0), da.point_mass("load", 0.8, com=(0, 0, -0.6))],
        joints=[
            da.Joint("x", "prismatic", "world", "trolley", axis="x"),
            da.Joint("theta", "revolute", "trolley", "load", axis="y"),
        ],
        motors=[da.Motor("drive", "x", effort=30.0)],
    )


def start(port: int = 0, speed: float = 0.0) -> Realtime:
    """Start the loop; a speed of zero is as fast as the other side answers, one is that of the clock."""
    settings = {"period": PERIOD, "duration": DURATION, "lockstep": True, "patience": 60.0}
    return da.realtime(crane(), port=port, speed=speed, q0=START, **settings)


def steer(port: int) -> list[tuple[float, float, float]]:
    """Bring trolley and load to rest at zero, and return times, places and angles."""
    rows, force = [], 0.0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.connect(("127.0.0.1", port))
        for k in range(round(DURATION / PERIOD)):
            peer.send(pack_inputs([force], k))
            _, t, values = unpack_outputs(peer.recv(4096))
            state = values[:4]  # x, theta, x_dot, theta_dot
            force = -float(GAINS @ state)
            rows.append((t, float(state[0]), float(state[1])))
    return rows


def main() -> None:
    """Close the loop, or serve it."""
    if len(sys.argv) > 1:
        with start(int(sys.argv[1]), speed=1.0) as loop:
            print(f"the crane waits on port {loop.port}", flush=True)
            loop.wait()
        timing = loop.timing
        print(f"{timing.periods} periods, {timing.overruns} overruns, median lateness {1e6 * timing.median:.0f} us")
        return
    with start() as loop:
        rows = steer(loop.port)
    for t, x, theta in rows[199::200]:
        print(f"{t:.3f} s  x = {x:.9f} m  theta = {theta:.9f} rad")


if __name__ == "__main__":
    main()
