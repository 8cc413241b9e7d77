"""Space robots: chasers with arms and flexible arrays, debris, what they spend (SPACE chapters 6 to 9, Appendix D)."""

from dalembert.systems.space_robots.chaser import attitude_thrusters, solar_array, space_chaser, three_joint_chaser
from dalembert.systems.space_robots.coordinated import CoordinatedGuidance, coordinated_loop, tune_coordinated
from dalembert.systems.space_robots.debris import debris, tumbling_debris
from dalembert.systems.space_robots.fuel import fuel_mass
from dalembert.systems.space_robots.reference import RobotReference, robot_reference

__all__ = [
    "CoordinatedGuidance",
    "RobotReference",
    "attitude_thrusters",
    "coordinated_loop",
    "debris",
    "fuel_mass",
    "robot_reference",
    "solar_array",
    "space_chaser",
    "three_joint_chaser",
    "tumbling_debris",
    "tune_coordinated",
]
