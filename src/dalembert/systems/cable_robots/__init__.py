"""Cable-driven parallel robots: machines, and control of their winches."""

from dalembert.systems.cable_robots.builder import cable_robot, gimbal_lock
from dalembert.systems.cable_robots.control import WinchPID, winch_reference
from dalembert.systems.cable_robots.robots import eight_cable_robot, joining_robot, overturning_robot, pulley_robot

__all__ = [
    "WinchPID",
    "cable_robot",
    "eight_cable_robot",
    "gimbal_lock",
    "joining_robot",
    "overturning_robot",
    "pulley_robot",
    "winch_reference",
]
