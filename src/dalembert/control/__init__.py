"""Control laws as expressions, compiled into the time loop, and their design."""

from typing import TYPE_CHECKING

from dalembert.control.laws import PD, PID, ComputedTorque, GravityCompensation
from dalembert.core.later import later

if TYPE_CHECKING:
    from dalembert.control.actuators import ActuatorLag, Backlash, DeadZone, NoisySensors
    from dalembert.control.lqr import LQR, design_lqr, lqr_gain
    from dalembert.control.underactuated import (
        EnergyRegulation,
        PartialFeedbackLinearization,
        Partition,
        collocated_inertia,
        driven_response,
        partition,
    )

__all__ = [
    "LQR",
    "PD",
    "PID",
    "ActuatorLag",
    "Backlash",
    "ComputedTorque",
    "DeadZone",
    "EnergyRegulation",
    "GravityCompensation",
    "NoisySensors",
    "PartialFeedbackLinearization",
    "Partition",
    "collocated_inertia",
    "design_lqr",
    "driven_response",
    "lqr_gain",
    "partition",
]

# Laws are needed by every simulation; what is designed from linear models brings the room `analysis` with it.
_LATER = {
    "ActuatorLag": "dalembert.control.actuators",
    "Backlash": "dalembert.control.actuators",
    "DeadZone": "dalembert.control.actuators",
    "EnergyRegulation": "dalembert.control.underactuated",
    "LQR": "dalembert.control.lqr",
    "NoisySensors": "dalembert.control.actuators",
    "PartialFeedbackLinearization": "dalembert.control.underactuated",
    "Partition": "dalembert.control.underactuated",
    "collocated_inertia": "dalembert.control.underactuated",
    "design_lqr": "dalembert.control.lqr",
    "driven_response": "dalembert.control.underactuated",
    "lqr_gain": "dalembert.control.lqr",
    "partition": "dalembert.control.underactuated",
}
__getattr__ = later(__name__, _LATER)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
