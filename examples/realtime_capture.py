"""A capture guided by a camera, in a loop with hardware: the motion in orbit is repeated by two arms in a room.

The chaser of SPACE 9.2.3 and a debris of 50 kg that tumbles at 11 degrees per second run in a separate loop, in
lockstep over UDP. This client is all the rest of the bench: it maps the motion to two six-axis arms, one on a rail of
10 m (scaling, safety offset, workspace check), whose controllers are 80 ms late; looks through the camera that one of
them carries; estimates the target from its pictures; and sends torques and forces back.
"""

from __future__ import annotations

import socket
import sys
from collections import deque

import numpy as np

import dalembert as da
from dalembert.control import StereoCamera
from dalembert.io import pack_inputs, unpack_outputs
from dalembert.systems.space_robots import CaptureBench, three_joint_chaser

PERIOD, DELAY, DURATION = 0.04, 0.08, 60.0


def scene() -> da.Machine:
    """The chaser, and a debris with a target point on its border."""
    chaser = three_joint_chaser()
    return chaser.with_(
        name="capture",
        bodies=(*chaser.bodies, da.cylinder("can", 50.0, 0.75, 0.5, axis="x")),
        joints=(*chaser.joints, da.Joint("debris", "free", "world", "can")),
        frames=(*chaser.frames, da.Frame("target", "can", da.Transform((-0.25, 0.75, 0.0)))),
    )


class Target:
    """Place, velocity and acceleration of the target point, from places that are seen late."""

    def __init__(self, place: np.ndarray, bandwidth: float = 1.5) -> None:
        self.x = np.array([place, np.zeros(3), np.zeros(3)])
        w = bandwidth
        self.gains = np.array([[3 * w], [3 * w**2], [w**3]])

    def see(self, place: np.ndarray) -> None:
        """Take in the position of the target at the time of the estimate, and advance it by a period."""
        h, (p, v, a) = PERIOD, self.x
        self.x = np.array([p + h * v + 0.5 * h**2 * a, v + h * a, a]) + h * self.gains * (place - p)

    def ahead(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        p, v, a = self.x
        return p + t * v + 0.5 * t**2 * a, v + t * a, a


def law(eom: da.EquationsOfMotion, q: np.ndarray, v: np.ndarray, target: Target) -> np.ndarray:
    """Torques of the joints that bring the tip to the target, and what holds the base."""
    tip = eom.pose("tip", q)
    J = tip[:3, :3] @ eom.jacobian("tip", q)[:3]
    where, speed, acceleration = target.ahead(DELAY)
    gap = 0.8 * (where - tip[:3, 3])
    wanted = speed + gap * min(1.0, 0.12 / max(np.linalg.norm(gap), 1e-9))
    arm = J[:, 6:9]
    rates = np.linalg.solve(arm, wanted - J[:, :6] @ v[:6])
    inertia = np.array([450.0, 450.0, 110.0])
    torque = inertia * (6.0 * (rates - v[6:9]) + np.linalg.solve(arm, acceleration))
    place, turn = q[:3], 2.0 * np.sign(q[3]) * q[4:7]
    force = -40.0 * place - 560.0 * v[:3]
    hold = -160.0 * turn - 1600.0 * v[3:6]
    return np.concatenate([torque, force, hold])


START = {"q0": {"theta2": -0.9, "theta3": 1.8, "debris.x": 6.2}, "v0": {"debris.wx": np.radians(11.0)}}


def orbit(duration: float, port: int = 0) -> da.Realtime:
    """The motion in orbit, which waits for a client to drive it."""
    options = {"period": PERIOD, "duration": duration, "lockstep": True, "speed": 0.0, "step": 0.01, "patience": 60.0}
    return da.realtime(scene(), port=port, **options, **START)


def fly(duration: float = DURATION, *, noise: float = 0.2, seed: int = 0) -> dict[str, np.ndarray]:
    """Fly the capture and return times, distances of the tip from the target, and places on the rail."""
    machine = scene()
    eom = da.equations(machine)
    n = len(machine.q_names)
    bench = CaptureBench(approach=(-1.0, 0.0, 0.0), roll=np.radians(330.0))
    camera, random = StereoCamera(noise=noise), np.random.default_rng(seed)
    late: deque = deque()  # commands that the arms' controllers have not carried out yet, with where the tip was
    target, u, history = None, np.zeros(len(machine.u_names)), []
    with orbit(duration) as loop, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.connect(("127.0.0.1", loop.port))
        for k in range(round(duration / PERIOD)):
            peer.send(pack_inputs(u, k))
            _, t, values = unpack_outputs(peer.recv(8192))
            q, v = values[:n], values[n : n + len(machine.v_names)]
            tip, grip = eom.pose("tip", q)[:3, 3], eom.pose("target", q)
            base = eom.pose("anchor", q)[:3, 3]
            command = bench.command(tip, base, grip[:3, 3], grip[:3, :3])
            if not command.ok:
                raise SystemExit(f"at {t:.2f} s the bench stops: {command.refused}")
            late.append((command, tip))
            if len(late) > round(DELAY / PERIOD):
                there, then = late.popleft()
                pixels = camera.pixels(bench.camera(there)) + noise * random.standard_normal(4)
                place = then + bench.relative(there, camera.points(pixels))
                target = target or Target(place)
                target.see(place)
                u = law(eom, q, v, target)
            history.append((t, *(grip[:3, 3] - tip), command.rail))
    table = np.array(history)
    return {"t": table[:, 0], "gap": table[:, 1:4], "rail": table[:, 4]}


def main() -> None:
    """Fly, and compare with the results of the bench in the source."""
    flown = fly()
    after = flown["t"] > 40.0
    miss = np.linalg.norm(flown["gap"][after], axis=1)
    print(f"tip starts {np.linalg.norm(flown['gap'][0]):.2f} m from the target")
    print(f"rail from {flown['rail'].min():.2f} to {flown['rail'].max():.2f} m")
    print(f"after 40 s: {1e3 * miss.mean():.1f} mm on average, {1e3 * miss.max():.1f} mm at most")
    print("the bench of SPACE 9.2.3 reached 33.4 mm on average")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:  # for the client in C
        with orbit(DURATION, int(sys.argv[2])) as served:
            served.wait()
    else:
        main()
