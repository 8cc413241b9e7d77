"""Vibration modes and linear models about the start of a machine, as the studio shows them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.analysis.linearize import HINT, equilibrium, linearize
from dalembert.analysis.modal import MachineModes, machine_modes
from dalembert.core.errors import InputError
from dalembert.core.types import StateLike
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.states import Parameters
from dalembert.loop.experiment import Experiment, values_by_name

__all__ = ["linear_model", "vibration_modes"]


def vibration_modes(experiment: Experiment) -> tuple[MachineModes, dict[str, Any]]:
    """Modes about the equilibrium near the start, and what the page lists."""
    equations, q0, branch, p = _at(experiment)
    at = _without_modal(equations, q0)
    modes = machine_modes(equations, equilibrium(equations, at, p=p, branch=branch).q, p=p, allow_singular=True)
    share = modes.participation()
    most = [_coordinate(equations, int(k)) for k in np.argmax(np.abs(share), axis=0)]
    rows = zip(modes.omega.tolist(), modes.damping.tolist(), most, strict=True)
    listed = [
        {"mode": k, "omega": w, "damping": d if np.isfinite(d) else None, "mostly": name}
        for k, (w, d, name) in enumerate(rows)
    ]
    return modes, {"modes": listed, "note": _unbalanced(equations, modes.q, p)}


def linear_model(experiment: Experiment) -> dict[str, Any]:
    """Poles, states and inputs of the linear model about the start."""
    equations, q0, branch, p = _at(experiment)
    at = _without_modal(equations, q0)
    # Most starts are no equilibrium: the residual is shown next to the poles.
    plant = linearize(equations, at, p=p, branch=branch, allow_singular=True, require_equilibrium=False)
    poles = np.asarray(plant.poles())
    order = np.lexsort((poles.imag, -poles.real))
    return {
        "poles": [{"re": float(z.real), "im": float(z.imag)} for z in poles[order]],
        "states": list(plant.state_labels),
        "inputs": list(plant.input_labels),
        "note": _unbalanced(equations, at, p, branch),
        "A": plant.A.round(12).tolist() if len(poles) <= 40 else None,
    }


def _at(experiment: Experiment) -> tuple[EquationsOfMotion, Any, Any, Any]:
    values = values_by_name(experiment)
    # A handful of evaluations is not worth a compiler.
    branch = getattr(experiment.start, "branch", None)
    return experiment.replace(backend="vm").equations, values["q0"], branch, values["p"]


def _without_modal(equations: EquationsOfMotion, q0: StateLike) -> StateLike:
    """A configuration at rest: beams unbent."""
    if not isinstance(q0, dict):
        return q0
    coordinates = {name for joint in equations.machine.coordinate_joints for name in joint.q_names}
    return {name: value for name, value in q0.items() if name in coordinates}


def _unbalanced(equations: EquationsOfMotion, at: StateLike, p: Parameters, branch: Any = None) -> str:
    """Say why a configuration is no equilibrium; nothing if it is one."""
    try:
        linearize(equations, at, p=p, branch=branch, allow_singular=True)
    except InputError as error:
        return str(error).removesuffix(HINT).rstrip("; ")
    return ""


def _coordinate(equations: EquationsOfMotion, row: int) -> str:
    """The coordinate whose rate a velocity is, where that has a name."""
    name = equations.v_names[row]
    rate = name.removesuffix("_dot")
    return rate if rate in equations.q_names else name
