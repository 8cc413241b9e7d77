"""A seven-axis arm moves its tool to a pose: inverse kinematics, computed torque, and what an unknown load does.

The Panda comes from the package example-robot-data; without it a six-axis arm of our own takes its place.
"""

from __future__ import annotations

import numpy as np

import dalembert as da
from dalembert.benchmarks import robot_file
from dalembert.systems import load_system

try:
    arm = da.load_urdf(robot_file("panda"), lock=["panda_finger_joint1", "panda_finger_joint2"])
    tool, home = "panda_hand", np.array([0.0, -0.4, 0.0, -2.2, 0.0, 1.9, 0.8])
except da.InputError as error:
    print(f"{error}: a six-axis arm instead")
    arm, tool, home = load_system("six-axis-arm"), "tool", np.array([-0.8, 0.3, 0.6, 0.0, 0.5, 0.0])
print(arm)

eom = da.equations(arm)
start = eom.pose(tool, home)
goal = start.copy()
goal[:3, 3] += [-0.10, 0.25, 0.15]
solution = eom.inverse_kinematics(tool, goal, q0=home)
print(f"inverse kinematics: {solution.iterations} iterations, error {solution.error:.0e}")

move = da.Quintic(home, solution.q, duration=1.0)
law = da.ComputedTorque(kp=100.0, kd=20.0, reference=move)
run = da.simulate(arm, duration=2.0, q0=home, control=law, method="rk4", step=1e-3)
reached = eom.pose(tool, run.array(eom.q_names)[-1])
print(f"computed torque: {1e3 * np.linalg.norm(reached[:3, 3] - goal[:3, 3]):.1e} mm from the goal after 2 s")
print(f"  energy drift {run.energy.drift:.0e}; {1e3 * run.metadata['wall_time'] / 2:.1f} ms per simulated second")

# The same law on an arm that holds a kilogram the law does not know of.
load = da.Wrench("load", tool, force=(0.0, 0.0, -9.81))
believed = eom


def controller(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Computed torque for the goal, from the model without the load; inputs are on the motor side."""
    demand = 100.0 * (solution.q - q) - 20.0 * v
    ratios = np.array([motor.ratio for motor in arm.motors])
    return (believed.inverse_dynamics(q, v, demand) - believed.applied(q, v, np.zeros(believed.nu))) / ratios


sampled = da.SampledController(controller, period=1e-3)
held = da.simulate(arm.with_(wrenches=[load]), duration=2.0, q0=solution.q, control=sampled, method="rk4", step=1e-3)
sagged = eom.pose(tool, held.array(eom.q_names)[-1])
print(f"with an unknown load of 1 kg the tool sags by {1e3 * (goal[2, 3] - sagged[2, 3]):.1f} mm")
