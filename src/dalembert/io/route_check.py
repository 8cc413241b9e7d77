"""Whether the ropes of a machine file have a route where its simulation starts."""

from __future__ import annotations

from dalembert.core.errors import DalembertError, FileFormatError, InputError
from dalembert.formulations.constraints.assembly import assembled_start
from dalembert.formulations.equations import derive
from dalembert.io.source import located
from dalembert.io.yaml_nodes import Document
from dalembert.loop.experiment import Experiment
from dalembert.loop.start import Start
from dalembert.model.machine import Machine

__all__ = ["route_faults"]


def route_faults(document: Document, experiment: Experiment) -> list[FileFormatError]:
    """Return why ropes have no route at the start of an experiment, with the lines of these ropes in its file.

    Sheaves that overlap, anchors inside a sheave and negative wraps are errors. Large fleet angles warn, as in a run.
    """
    machine, start = experiment.machine, experiment.start
    errors: list[FileFormatError] = []
    while machine.ropes and isinstance(start, Start):
        try:
            eom = derive(machine, backend="vm")
            p = eom.parameter_values(experiment.p)
            assembled_start(eom, start.q, t=start.t, p=p, branch=start.branch, reach=start.reach, what="q0")
        except InputError as error:
            lost = next((rope.name for rope in machine.ropes if f"rope '{rope.name}'" in str(error)), None)
            smaller = None if lost is None else _without(machine, lost)
            if lost is not None:
                errors.append(located(document.label, document.line(("ropes", lost)), error))
            if smaller is None:
                break
            machine = smaller
        else:
            break
    return errors


def _without(machine: Machine, rope: str) -> Machine | None:
    """The machine without a rope and without readings, which may be readings of that rope; None where it needs it."""
    try:
        return machine.with_(ropes=[one for one in machine.ropes if one.name != rope], signals=(), sensors=())
    except DalembertError:
        return None
