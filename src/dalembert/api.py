"""The verbs of everyday use; names of other rooms load on first use (see `dalembert`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Unpack

from dalembert.compile.backend import Backend
from dalembert.core.errors import InputError
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.formulations.mapped import CoordinateMap
from dalembert.loop.experiment import Runnable, experiment_of
from dalembert.loop.experiment_keywords import ExperimentKeywords, experiment_verb
from dalembert.loop.outlets import SIMULATE
from dalembert.loop.simulate import run_experiment
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["equations", "load_run", "simulate"]


def equations(
    machine: Machine,
    by: str = "newton-euler",
    *,
    coordinates: CoordinateMap | None = None,
    backend: Backend = "auto",
    **options: Any,
) -> EquationsOfMotion:
    """Derive the equations of motion of a machine.

    Parameters
    ----------
    machine
        The machine.
    by
        The formulation: ``"newton-euler"`` (fast recursions), ``"lagrange"`` (energies and automatic
        differentiation), ``"gibbs-appell"`` (acceleration energy) or ``"natural"`` (points and vectors of the bodies,
        with constraints).
    coordinates
        Another choice of coordinates.
    backend
        ``"auto"``, ``"native"`` or ``"vm"``: how functions are compiled.
    options
        Options of the formulation. ``"newton-euler"`` has ``approximation``, which terms of the motion of flexible
        bodies it keeps: ``"flex"`` (all of them), ``"flex-M"`` (constant mass matrices), ``"flex-MA"`` (also twist
        propagation), ``"flex-MR"`` (also rotations).

    Examples
    --------
    >>> import dalembert as da
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 2.0, com=(0, 0, -0.5))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))],
    ... )
    >>> da.equations(pendulum).mass_matrix([0.3])
    array([[0.5]])
    """
    return derive(machine, by, coordinates=coordinates, backend=backend, **options)


@experiment_verb
def simulate(
    machine: Runnable,
    *,
    progress: bool | Callable[[float], object] | None = None,
    watch: Callable[[Run], object] | None = None,
    check: bool = True,
    **keywords: Unpack[ExperimentKeywords],
) -> Run:
    """Simulate a machine.

    Parameters
    ----------
    machine
        The machine or its equations, with the keywords of an experiment; or an `Experiment`.
    progress
        Show a progress bar; None: if the run takes longer than a moment and stderr is a terminal. A function is called
        with the fraction done instead; if it returns False, the run ends there as ``"interrupted"``.
    watch
        Called about ten times a second with the new rows, as a run with the status ``"running"``: for live plots.
    check
        Raise `SimulationError` (with the run up to the failure as ``run``) if the simulation diverges or fails; False:
        return the run.
    **keywords
        Fields of an `Experiment`, with the same meaning and default; they override those of a given experiment:
        ``duration`` [s]; ``q0``, ``v0``, ``t0``, ``reach``, ``branch`` or ``start`` (of a `Start`, or an earlier run to
        continue); ``p`` (parameters); ``control``, ``sensors``, ``signals``, ``events``, ``switches``, ``on_event``;
        ``limits``, ``constraints``, ``contact``; ``method`` (`RK4`, `DormandPrince`, ..., or a name) and its settings
        ``step``, ``rtol``, ``atol``, ``max_step``, ``max_steps``; ``record``; ``seed``, ``member``; ``by`` and
        ``backend``.

    Returns
    -------
    Run
        Time histories, events, energy audit and status.

    Examples
    --------
    >>> import dalembert as da
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 1.0, com=(0, 0, -1.0))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))],
    ... )
    >>> run = da.simulate(pendulum, duration=1.0, q0={"theta": 0.1})
    >>> run.status, run.energy.drift < 1e-9
    ('completed', True)
    """
    if not isinstance(check, bool):
        raise InputError(f"check must be true or false, got {check!r}")
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise InputError(f"progress must be true, false, None or a function of the time, got {progress!r}")
    experiment = SIMULATE.check(experiment_of(machine, keywords))
    return run_experiment(experiment, progress=progress, watch=watch, check=check)


def load_run(path: str | Path) -> Run:
    """Read a saved run.

    Examples
    --------
    >>> import dalembert as da
    >>> import tempfile
    >>> from pathlib import Path
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 2.0, com=(0, 0, -0.5))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis="y")],
    ... )
    >>> path = Path(tempfile.mkdtemp()) / "swing.nc"
    >>> saved = da.simulate(pendulum, duration=0.5, q0=[0.1]).save(path)
    >>> da.load_run(path).status
    'completed'
    """
    return Run.load(path)
