"""References to follow, capture of moving targets, and shaping of inputs.

Optimal motions are solved in the room `dalembert.optimal`; their names load from there on first use.
"""

from typing import TYPE_CHECKING

from dalembert.core.errors import PlanError
from dalembert.core.later import later
from dalembert.plan.capture import CapturePlan, plan_capture
from dalembert.plan.distance import box_distance, segment_box_distance, segment_distance
from dalembert.plan.flat import LoadReference, SmoothStep
from dalembert.plan.held_base import ArmMotion, HeldBase, held_base
from dalembert.plan.pose import PoseMotion, PosePath, grip_rotation, gripped, meet_pose, resting_pose
from dalembert.plan.references import Quintic, Sine, Spline, Table
from dalembert.plan.rendezvous import Rendezvous, RendezvousLimits, plan_rendezvous, two_impulses
from dalembert.plan.robot_capture import CaptureApproach, RobotCapture, plan_robot_capture
from dalembert.plan.robot_limits import RobotLimits, Verdict
from dalembert.plan.shaping import SCurve, Shaped, Shaper, ei, excitation, zv, zvd
from dalembert.plan.tumbling import PointMotion, TumblingBody

if TYPE_CHECKING:
    from dalembert.optimal.motion import MotionConditions, MotionCost, MotionSettings, OptimalMotion, optimal_motion
    from dalembert.optimal.refined_capture import RefinedCapture, refine_capture

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
    "Rendezvous",
    "RendezvousLimits",
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
    "grip_rotation",
    "gripped",
    "held_base",
    "meet_pose",
    "optimal_motion",
    "plan_capture",
    "plan_rendezvous",
    "plan_robot_capture",
    "refine_capture",
    "resting_pose",
    "segment_box_distance",
    "segment_distance",
    "two_impulses",
    "zv",
    "zvd",
]

_LATER = {
    "MotionConditions": "dalembert.optimal.motion",
    "MotionCost": "dalembert.optimal.motion",
    "MotionSettings": "dalembert.optimal.motion",
    "OptimalMotion": "dalembert.optimal.motion",
    "RefinedCapture": "dalembert.optimal.refined_capture",
    "optimal_motion": "dalembert.optimal.motion",
    "refine_capture": "dalembert.optimal.refined_capture",
}

__getattr__ = later(__name__, _LATER)
