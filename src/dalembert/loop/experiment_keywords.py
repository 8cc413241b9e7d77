"""The flat keywords that every verb takes which runs a machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

from numpy.typing import ArrayLike

from dalembert.compile.backend import Backend
from dalembert.core.keywords import flat_keywords
from dalembert.core.types import StateLike
from dalembert.engine.methods.constraints import ConstraintMethod
from dalembert.engine.methods.contacts import ContactMethod
from dalembert.loop.events import Event
from dalembert.loop.start import Start
from dalembert.loop.switches import Switch
from dalembert.model.signals import Sensor, Signal
from dalembert.simulation.methods import Method
from dalembert.simulation.run import Run

__all__ = ["KEYWORD_DEFAULTS", "ExperimentKeywords", "experiment_verb"]


class ExperimentKeywords(TypedDict, total=False):
    """The flat keywords of every verb that runs a machine; `Experiment` documents them."""

    start: Start | Run | None
    q0: StateLike
    v0: StateLike
    t0: float
    reach: float | None
    branch: int | Mapping[str, float] | None
    p: Mapping[str, float] | ArrayLike | None
    control: Any
    sensors: Sequence[Sensor] | Sensor
    signals: Sequence[Signal] | Signal
    events: Sequence[Event] | Event
    switches: Sequence[Switch] | Switch
    on_event: Callable[..., Any] | None
    limits: str
    constraints: str | Mapping[str, Any] | ConstraintMethod | None
    contact: str | Mapping[str, Any] | ContactMethod | None
    method: str | Mapping[str, Any] | Method | None
    step: float | None
    rtol: float | None
    atol: ArrayLike | None
    max_step: float | None
    max_steps: int | None
    duration: float | None
    record: float | None
    seed: int
    member: int
    by: str
    backend: Backend


KEYWORD_DEFAULTS: Mapping[str, object] = {
    **dict.fromkeys(ExperimentKeywords.__annotations__),
    "t0": 0.0,
    "reach": None,
    "branch": None,
    **dict.fromkeys(("sensors", "signals", "events", "switches"), ()),
    "limits": "record",
    "seed": 0,
    "member": 0,
    "by": "newton-euler",
    "backend": "auto",
}
"""Defaults of the keywords, in every verb."""

experiment_verb = flat_keywords(ExperimentKeywords, defaults=KEYWORD_DEFAULTS)
"""Decorator of the verbs that take an experiment or its keywords."""
