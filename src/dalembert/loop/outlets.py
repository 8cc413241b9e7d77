"""The outlets of an experiment: functions that run it, and the settings that each of them does not support."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dalembert.core.errors import InputError
from dalembert.core.keywords import field_defaults
from dalembert.loop.experiment import Experiment, Start
from dalembert.simulation.methods import check_outlet

__all__ = ["DERIVATIVES", "FMU", "PAGE", "REALTIME", "ROLLOUT", "SIMULATE", "STEPPER", "Outlet", "without_log"]


@dataclass(frozen=True)
class Outlet:
    """A function that runs experiments.

    Parameters
    ----------
    name
        Its name in messages.
    methods
        Name in the table ``OUTLETS`` of ``simulation/methods``: which methods it can run.
    refuses
        Fields of an experiment that it does not support, each with the alternative.
    goes_on
        Whether it can continue an earlier run.
    """

    name: str
    methods: str
    refuses: Mapping[str, str] = field(default_factory=dict)
    goes_on: bool = False

    def check(self, experiment: Experiment) -> Experiment:
        """Return the experiment; raise an error that names a setting that is not supported."""
        for name, instead in self.refuses.items():
            value = getattr(experiment, name)
            if value != _DEFAULTS[name]:
                raise InputError(f"{self.name} does not support {name}={_shown(value)}: {instead}")
        if not self.goes_on and not isinstance(experiment.start, Start):
            raise InputError(f"{self.name} cannot continue a run: give its last state as q0 and v0, or use simulate")
        check_outlet(experiment.integrator, self.methods)
        return experiment


def without_log(experiment: Experiment) -> Experiment:
    """Return an experiment for outlets without a log: limits that would be recorded are passed."""
    return experiment.replace(limits="ignore") if experiment.limits == "record" else experiment


_DEFAULTS = field_defaults(Experiment)


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(getattr(item, 'name', str(item)) for item in value)})"
    return getattr(value, "__qualname__", None) or str(value)


_CALLS_PYTHON = "it calls no Python while it runs; use simulate"

SIMULATE = Outlet("a single run", "simulate", goes_on=True)
ROLLOUT = Outlet("a rollout", "rollout", {"on_event": _CALLS_PYTHON})
STEPPER = Outlet(
    "a stepper",
    "stepper",
    {
        "on_event": _CALLS_PYTHON,
        "switches": "use rollout or simulate",
        "sensors": "it has its own period and samples nothing else; use rollout or simulate",
    },
)
DERIVATIVES = Outlet(
    "a run with derivatives",
    "derivatives",
    {
        "on_event": "a Python function has no derivatives; use switches",
    },
)
FMU = Outlet("an FMU", "program", {"on_event": _CALLS_PYTHON})
PAGE = Outlet("a page that simulates", "program", {"on_event": _CALLS_PYTHON})
REALTIME = Outlet("a loop in real time", "program", {"on_event": _CALLS_PYTHON})
