"""Inertia that a force at a frame of a machine meets: the operational-space inertia of everything that is coupled."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, MachineOrEquations, Parameters, derive

__all__ = ["tip_inertia"]


def tip_inertia(
    machine: MachineOrEquations, frame: str, q: ArrayLike, *, axes: str = "frame", p: Parameters = None
) -> Array:
    """Operational-space inertia ``(J M^-1 J^T)^-1`` (6 x 6) of a frame of a machine at rest, its joints loose.

    A wrench ``F`` from outside at the frame gives it the acceleration ``inertia^-1 F``. The mass matrix is that of the
    whole machine: a floating base, an arm, all that bends. An impulse of a contact meets this inertia.

    Parameters
    ----------
    machine
        The machine, or its equations.
    frame
        The frame.
    q
        Configuration.
    axes
        Axes of the wrench: those of the ``"frame"``, or of the ``"world"``.
    p
        Parameter values.

    Raises
    ------
    InputError
        If the frame cannot move in every direction.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert import analysis
    >>> bodies = [da.sphere("base", 3.0, 0.5), da.sphere("hand", 1.0, 0.2)]
    >>> joints = [da.Joint("base", "free", "world", "base"), da.Joint("slide", "prismatic", "base", "hand", axis="x")]
    >>> floating = da.Machine("floating", bodies, joints, gravity=(0, 0, 0))
    >>> inertia = analysis.tip_inertia(floating, "hand", da.equations(floating).q_neutral)
    >>> inertia.diagonal()[:2].round(6).tolist()  # along the slide the hand alone, across it both bodies
    [1.0, 4.0]
    """
    derived = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    eom = derived if derived.formulation.machine_coordinates else derived.in_machine_coordinates()
    J = eom.jacobian(frame, q, axes=axes, p=p)
    mobility = J @ np.linalg.solve(eom.mass_matrix(q, p=p), J.T)
    values = np.linalg.eigvalsh(mobility)
    if not values[0] > 1e-12 * values[-1]:
        raise InputError(
            f"frame '{frame}' of machine '{eom.machine.name}' cannot move in every direction: it has no tip inertia"
        )
    return np.asarray(np.linalg.inv(mobility))
