"""References to follow, capture of moving targets, and shaping of inputs."""

from dalembert.core.errors import PlanError
from dalembert.plan.capture import CapturePlan, plan_capture
from dalembert.plan.flat import LoadReference, SmoothStep
from dalembert.plan.pose import PoseMotion, PosePath, gripped, meet_pose, resting_pose
from dalembert.plan.references import Quintic, Sine
from dalembert.plan.shaping import SCurve, Shaped, Shaper, ei, excitation, zv, zvd
from dalembert.plan.tumbling import PointMotion, TumblingBody

__all__ = [
    "CapturePlan",
    "LoadReference",
    "PlanError",
    "PointMotion",
    "PoseMotion",
    "PosePath",
    "Quintic",
    "SCurve",
    "Shaped",
    "Shaper",
    "Sine",
    "SmoothStep",
    "TumblingBody",
    "ei",
    "excitation",
    "gripped",
    "meet_pose",
    "plan_capture",
    "resting_pose",
    "zv",
    "zvd",
]
