"""Cable-driven parallel robots: machines, kinematics, statics, frequencies and control of winches."""

from dalembert.analysis.cables.kinematics import cable_lengths, forward_kinematics, winch_angles
from dalembert.analysis.cables.statics import StaticPose, static_equilibrium, structure_matrix
from dalembert.analysis.cables.tensions import tension_distribution, wrench_feasible
from dalembert.systems.cable_robots.builder import cable_robot
from dalembert.systems.cable_robots.control import WinchPID, winch_reference
from dalembert.systems.cable_robots.modes import frequencies
from dalembert.systems.cable_robots.robots import eight_cable_robot, joining_robot, overturning_robot, pulley_robot

__all__ = [
    "StaticPose",
    "WinchPID",
    "cable_lengths",
    "cable_robot",
    "eight_cable_robot",
    "forward_kinematics",
    "frequencies",
    "joining_robot",
    "overturning_robot",
    "pulley_robot",
    "static_equilibrium",
    "structure_matrix",
    "tension_distribution",
    "winch_angles",
    "winch_reference",
    "wrench_feasible",
]
