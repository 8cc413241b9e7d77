"""Space robots: chasers with arms and flexible arrays, debris, their fuel (SPACE chapters 6 to 9, Appendix D)."""

from dalembert.systems.space_robots.balance import PhaseBalance, mission_balance
from dalembert.systems.space_robots.bench import BenchCommand, CaptureBench, bench_arm
from dalembert.systems.space_robots.cases import CASE_DISTRIBUTIONS, CaptureCase, random_case
from dalembert.systems.space_robots.chaser import (
    attitude_thrusters,
    nozzle_cluster,
    solar_array,
    space_chaser,
    three_joint_chaser,
    two_arm_chaser,
    wheel_cluster,
)
from dalembert.systems.space_robots.coordinated import CoordinatedGuidance, coordinated_loop, tune_coordinated
from dalembert.systems.space_robots.debris import debris, flexible_debris, tumbling_debris
from dalembert.systems.space_robots.feedback import CaptureFeedback, CaptureGains
from dalembert.systems.space_robots.flight_data import CapturePhases
from dalembert.systems.space_robots.floating_target import FloatingTarget
from dalembert.systems.space_robots.fuel import fuel_mass
from dalembert.systems.space_robots.gripper import FingerDrive, Gripper, with_gripper
from dalembert.systems.space_robots.guidance import CaptureGuide
from dalembert.systems.space_robots.measures import capture_measures
from dalembert.systems.space_robots.mission import fly_capture
from dalembert.systems.space_robots.native_guidance import capture_loop, capture_start, rigid_twin
from dalembert.systems.space_robots.outcome import CaptureOutcome
from dalembert.systems.space_robots.power import array_power
from dalembert.systems.space_robots.reference import RobotReference, robot_reference
from dalembert.systems.space_robots.requirements import MissionRequirement
from dalembert.systems.space_robots.robust_gains import RobustCapture, tune_capture
from dalembert.systems.space_robots.scene import capture_scene, captured_stack, grip_parameters
from dalembert.systems.space_robots.sensors import FAR_CAMERA, CaptureSensors, SensorNoise
from dalembert.systems.space_robots.start import CaptureStart
from dalembert.systems.space_robots.tracking import PathGuidance, tracking_loop
from dalembert.systems.space_robots.uncertain import uncertain_chaser

__all__ = [
    "CASE_DISTRIBUTIONS",
    "FAR_CAMERA",
    "BenchCommand",
    "CaptureBench",
    "CaptureCase",
    "CaptureFeedback",
    "CaptureGains",
    "CaptureGuide",
    "CaptureOutcome",
    "CapturePhases",
    "CaptureSensors",
    "CaptureStart",
    "CoordinatedGuidance",
    "FingerDrive",
    "FloatingTarget",
    "Gripper",
    "MissionRequirement",
    "PathGuidance",
    "PhaseBalance",
    "RobotReference",
    "RobustCapture",
    "SensorNoise",
    "array_power",
    "attitude_thrusters",
    "bench_arm",
    "capture_loop",
    "capture_measures",
    "capture_scene",
    "capture_start",
    "captured_stack",
    "coordinated_loop",
    "debris",
    "flexible_debris",
    "fly_capture",
    "fuel_mass",
    "grip_parameters",
    "mission_balance",
    "nozzle_cluster",
    "random_case",
    "rigid_twin",
    "robot_reference",
    "solar_array",
    "space_chaser",
    "three_joint_chaser",
    "tracking_loop",
    "tumbling_debris",
    "tune_capture",
    "tune_coordinated",
    "two_arm_chaser",
    "uncertain_chaser",
    "wheel_cluster",
    "with_gripper",
]
