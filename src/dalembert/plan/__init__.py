"""References to follow, capture of moving targets, and shaping of inputs."""

from dalembert.core.errors import PlanError
from dalembert.plan.capture import CapturePlan, plan_capture
from dalembert.plan.collocation import MotionConditions, MotionCost, MotionSettings, OptimalMotion, optimal_motion
from dalembert.plan.distance import box_distance, segment_box_distance, segment_distance
from dalembert.plan.flat import LoadReference, SmoothStep
from dalembert.plan.held_base import ArmMotion, HeldBase, held_base
from dalembert.plan.pose import PoseMotion, PosePath, gripped, meet_pose, resting_pose
from dalembert.plan.references import Quintic, Sine, Spline, Table
from dalembert.plan.refined import RefinedCapture, refine_capture
from dalembert.plan.robot_capture import CaptureApproach, RobotCapture, RobotLimits, Verdict, plan_robot_capture
from dalembert.plan.shaping import SCurve, Shaped, Shaper, ei, excitation, zv, zvd
from dalembert.plan.tumbling import PointMotion, TumblingBody

__all__ = [
    "ArmMotion",
    "CaptureApproach",
    "CapturePlan",
    "HeldBase",
    "LoadReference",
    "MotionConditions",
    "MotionCost",
    "MotionSettings",
    "OptimalMotion",
    "PlanError",
    "PointMotion",
    "PoseMotion",
    "PosePath",
    "Quintic",
    "RefinedCapture",
    "RobotCapture",
    "RobotLimits",
    "SCurve",
    "Shaped",
    "Shaper",
    "Sine",
    "SmoothStep",
    "Spline",
    "Table",
    "TumblingBody",
    "Verdict",
    "box_distance",
    "ei",
    "excitation",
    "gripped",
    "held_base",
    "meet_pose",
    "optimal_motion",
    "plan_capture",
    "plan_robot_capture",
    "refine_capture",
    "resting_pose",
    "segment_box_distance",
    "segment_distance",
    "zv",
    "zvd",
]
