"""Estimation: a camera that watches a tumbling body, and the filter that estimates its motion."""

from dalembert.control.estimation.camera import StereoCamera, pose_from_points
from dalembert.control.estimation.tumbling_filter import TumblingEstimate, TumblingFilter

__all__ = ["StereoCamera", "TumblingEstimate", "TumblingFilter", "pose_from_points"]
