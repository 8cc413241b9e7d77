"""Control laws as expressions, compiled into the time loop, and their design."""

from typing import TYPE_CHECKING

from dalembert.control.allocation import Allocation, allocate
from dalembert.control.cascade import Cascade, Follow, Guidance, Known, NativeGuidance, Sampled, read
from dalembert.control.detumbling import Detumbling
from dalembert.control.gyro_steering import gyro_momentum
from dalembert.control.gyros import GyroPD
from dalembert.control.law_bases import driven_response
from dalembert.control.law_blocks import register_law
from dalembert.control.laws import PD, PID, ComputedTorque, GravityCompensation
from dalembert.control.nozzles import MeteredJets, PulsedJets, Unloading
from dalembert.control.passivity import PassivityBased, SlotineLi
from dalembert.control.rotors import base_gyros
from dalembert.control.spacecraft import BasePD, CentralizedPD, Feedforward, FollowPose, Together
from dalembert.core.later import later

if TYPE_CHECKING:
    from dalembert.control import mu, structured, uncertain, varying
    from dalembert.control.actuators import ActuatorLag, Backlash, DeadZone, NoisySensors
    from dalembert.control.estimation import StereoCamera, TumblingEstimate, TumblingFilter, pose_from_points
    from dalembert.control.feedback import LinearFeedback, linear_feedback
    from dalembert.control.floor import hinf_floor
    from dalembert.control.hinf import HinfNorm, hinf_norm
    from dalembert.control.impedance import TipGains, TipImpedance, tip_gains
    from dalembert.control.law_tape import export_law, law_digest, law_function
    from dalembert.control.learning import Learning, Trial, learn_torques
    from dalembert.control.lqr import LQR, Holding, design_lqr, lqr_gain
    from dalembert.control.margins import DiskMargin, disk_margins
    from dalembert.control.norms import h2_norm
    from dalembert.control.scheduled import ScheduledFeedback, ScheduledGains, scheduled_feedback
    from dalembert.control.underactuated import (
        EnergyRegulation,
        PartialFeedbackLinearization,
        Partition,
        collocated_inertia,
        partition,
    )

__all__ = [
    "LQR",
    "PD",
    "PID",
    "ActuatorLag",
    "Allocation",
    "Backlash",
    "BasePD",
    "Cascade",
    "CentralizedPD",
    "ComputedTorque",
    "DeadZone",
    "Detumbling",
    "DiskMargin",
    "EnergyRegulation",
    "Feedforward",
    "Follow",
    "FollowPose",
    "GravityCompensation",
    "Guidance",
    "GyroPD",
    "HinfNorm",
    "Holding",
    "Known",
    "Learning",
    "LinearFeedback",
    "MeteredJets",
    "NativeGuidance",
    "NoisySensors",
    "PartialFeedbackLinearization",
    "Partition",
    "PassivityBased",
    "PulsedJets",
    "Sampled",
    "ScheduledFeedback",
    "ScheduledGains",
    "SlotineLi",
    "StereoCamera",
    "TipGains",
    "TipImpedance",
    "Together",
    "Trial",
    "TumblingEstimate",
    "TumblingFilter",
    "Unloading",
    "allocate",
    "base_gyros",
    "collocated_inertia",
    "design_lqr",
    "disk_margins",
    "driven_response",
    "export_law",
    "gyro_momentum",
    "h2_norm",
    "hinf_floor",
    "hinf_norm",
    "law_digest",
    "law_function",
    "learn_torques",
    "linear_feedback",
    "lqr_gain",
    "mu",
    "partition",
    "pose_from_points",
    "read",
    "register_law",
    "scheduled_feedback",
    "structured",
    "tip_gains",
    "uncertain",
    "varying",
]

# Laws are needed by every simulation; designs from linear models load the room `analysis`.
_LATER = {
    "ActuatorLag": "dalembert.control.actuators",
    "Backlash": "dalembert.control.actuators",
    "DeadZone": "dalembert.control.actuators",
    "DiskMargin": "dalembert.control.margins",
    "EnergyRegulation": "dalembert.control.underactuated",
    "HinfNorm": "dalembert.control.hinf",
    "Holding": "dalembert.control.lqr",
    "LQR": "dalembert.control.lqr",
    "Learning": "dalembert.control.learning",
    "LinearFeedback": "dalembert.control.feedback",
    "ScheduledFeedback": "dalembert.control.scheduled",
    "ScheduledGains": "dalembert.control.scheduled",
    "export_law": "dalembert.control.law_tape",
    "law_digest": "dalembert.control.law_tape",
    "law_function": "dalembert.control.law_tape",
    "scheduled_feedback": "dalembert.control.scheduled",
    "NoisySensors": "dalembert.control.actuators",
    "PartialFeedbackLinearization": "dalembert.control.underactuated",
    "Partition": "dalembert.control.underactuated",
    "StereoCamera": "dalembert.control.estimation",
    "TipGains": "dalembert.control.impedance",
    "TipImpedance": "dalembert.control.impedance",
    "Trial": "dalembert.control.learning",
    "TumblingEstimate": "dalembert.control.estimation",
    "TumblingFilter": "dalembert.control.estimation",
    "collocated_inertia": "dalembert.control.underactuated",
    "design_lqr": "dalembert.control.lqr",
    "disk_margins": "dalembert.control.margins",
    "h2_norm": "dalembert.control.norms",
    "hinf_floor": "dalembert.control.floor",
    "hinf_norm": "dalembert.control.hinf",
    "learn_torques": "dalembert.control.learning",
    "linear_feedback": "dalembert.control.feedback",
    "lqr_gain": "dalembert.control.lqr",
    "partition": "dalembert.control.underactuated",
    "pose_from_points": "dalembert.control.estimation",
    "tip_gains": "dalembert.control.impedance",
}
__getattr__ = later(__name__, _LATER, ["mu", "structured", "uncertain", "varying"])


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
