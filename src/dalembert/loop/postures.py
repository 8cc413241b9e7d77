"""Postures at the start of an experiment, as the studio and the command line show and change them."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from dalembert.core.errors import DalembertWarning, InputError
from dalembert.core.types import Array
from dalembert.formulations.constraints.assembly import Branch, assembled_start
from dalembert.loop.experiment import Experiment, values_by_name
from dalembert.loop.start import Start

__all__ = ["posture", "revised"]


def posture(experiment: Experiment) -> dict[str, float]:
    """Return the coordinates at the start of an experiment by name: with constraints, all of them, assembled.

    Where that is refused, and without constraints, those that are given.
    """
    given, start, machine = values_by_name(experiment)["q0"], experiment.start, experiment.machine
    if not machine.constrained or not isinstance(start, Start):
        return given
    try:
        q = _assembled(experiment, start)
    except InputError:  # a run says why
        return given
    return dict(zip(machine.q_names, q.tolist(), strict=True))


def revised(experiment: Experiment, **changes: Any) -> Experiment:
    """Return an experiment with changes; initial coordinates that are not among them are kept if they can be.

    Where the constraints do not allow the old coordinates together with the new ones, the old ones only select the
    branch of the assembly. New coordinates no longer select it.

    Parameters
    ----------
    experiment : Experiment
        The experiment to change.
    **changes
        As `Experiment.replace` takes them.
    """
    changed = experiment.replace(**changes)
    q0, start = changes.get("q0"), changed.start
    if not q0 or not changed.machine.constrained or not isinstance(start, Start):
        return changed
    if (branch := _free(start.branch, q0, changed.machine.q_names)) != start.branch:
        start = dataclasses.replace(start, branch=branch)
        changed = changed.replace(start=start)
    others = {name: value for name, value in values_by_name(experiment)["q0"].items() if name not in q0}
    if not others:
        return changed
    try:
        _assembled(changed, start)
        return changed
    except InputError:
        return changed.replace(start=dataclasses.replace(start, q=q0, branch=others))


def _free(branch: Branch, q0: Mapping[str, float], names: Sequence[str]) -> Branch:
    """A branch without the coordinates that are given; None where nothing is left to select."""
    if isinstance(branch, Mapping):
        return {name: value for name, value in branch.items() if name not in q0} or None
    return None if set(names) <= set(q0) else branch


def _assembled(experiment: Experiment, start: Start) -> Array:
    """Coordinates of the machine at a start; a handful of evaluations is not worth a compiler."""
    eom = experiment.replace(backend="vm").equations
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)  # the run reports it
        return assembled_start(
            eom, start.q, t=start.t, p=eom.parameter_values(experiment.p), branch=start.branch, reach=start.reach
        )[0]
