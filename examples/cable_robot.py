"""A cable robot: lengths and tensions of a pose, frequencies, and a platform that is moved by its winches."""

from __future__ import annotations

import casadi as ca
import numpy as np

import dalembert as da
from dalembert import analysis
from dalembert.systems import cable_robots


def main() -> None:
    """Hang a platform on four cables, lower it by half a metre, and look at the tensions."""
    exits = [(-2.0, -1.5, 3.0), (-2.0, 1.5, 3.0), (2.0, 1.5, 3.0), (2.0, -1.5, 3.0)]
    anchors = [(-0.2, -0.15, 0.1), (-0.2, 0.15, 0.1), (0.2, 0.15, 0.1), (0.2, -0.15, 0.1)]
    robot = cable_robots.cable_robot(
        "robot", da.box("platform", 20.0, (0.4, 0.3, 0.2)), exits, anchors, pulley=0.05, drum=0.04, rotor_inertia=1e-3
    )
    q = robot.q_neutral
    z = list(robot.q_names).index("platform.z")
    q[z] = 1.5

    lengths = analysis.cable_lengths(robot, q)
    rest = analysis.static_equilibrium(robot, lengths, q)
    print("lengths  [m]", np.round(lengths, 4))
    print("tensions [N]", np.round(rest.tensions, 2))
    # four cables in a symmetric pose have rank 3: a singular position, in which they count as very stiff
    found = analysis.natural_frequencies(robot, rest.q, locked=robot.u_names, allow_singular=True)
    print("frequencies with locked winches [Hz]", np.round(found, 3))

    def path(t: object) -> object:
        pose = ca.SX(ca.DM(q))
        s = ca.fmin(t / 4.0, 1.0)
        pose[z] = 1.5 - 0.5 * s**3 * (10 - 15 * s + 6 * s**2)
        return pose

    hold = tuple(-0.04 * float(f) for f in rest.tensions)
    law = cable_robots.WinchPID(30.0, 20.0, 1.5, cable_robots.winch_reference(robot, path, start=q), hold)
    run = da.simulate(robot, duration=5.0, q0=q, control=law, record=0.01)
    print(run)
    print(f"platform at z = {run['platform.z'][-1]:.4f} m, tensions {run['tension.cable1'][-1]:.2f} N")


if __name__ == "__main__":
    main()
