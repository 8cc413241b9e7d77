"""The least H-infinity norm that any controller can reach: the benchmark of a structured one.

For controllers of full order the problem is convex: two linear matrix inequalities in ``R`` and ``S``, with
``[R 1; 1 S]`` positive semidefinite (Gahinet and Apkarian 1994; Iwasaki and Skelton 1994). Solved with cvxpy and
Clarabel (extra ``robust``).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.control.norms import matrices_of
from dalembert.core.errors import ConvergenceError, InputError

if TYPE_CHECKING:
    import control

__all__ = ["hinf_floor"]


def hinf_floor(plant: control.StateSpace, *, controls: int, measurements: int) -> float:
    """Least H-infinity norm from the other inputs to the other outputs that a controller of any order can reach.

    Parameters
    ----------
    plant
        Continuous plant; the controls are its last inputs, the measurements its last outputs.
    controls, measurements
        Their numbers.

    Raises
    ------
    InputError
        If the plant cannot be stabilised from these controls and measurements.

    Examples
    --------
    >>> import control
    >>> plant = control.ss([[1.0]], [[1.0, 1.0]], [[1.0], [0.0], [1.0]], [[0.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> round(hinf_floor(plant, controls=1, measurements=1), 3)
    1.0
    """
    from scipy.linalg import block_diag, null_space

    try:
        cp: Any = importlib.import_module("cvxpy")
    except ImportError:
        raise InputError("hinf_floor needs cvxpy and clarabel: pip install 'dalembert[robust]'") from None
    (A, B, C, D), period = matrices_of(plant)
    if period:
        raise InputError("hinf_floor needs a continuous plant")
    nz, nw = D.shape[0] - measurements, D.shape[1] - controls
    if not (min(controls, measurements, nz, nw) > 0):
        raise InputError(
            f"the plant has {D.shape[1]} inputs and {D.shape[0]} outputs: {controls} controls and {measurements} "
            "measurements leave no other inputs or outputs"
        )
    B1, B2, C1, C2 = B[:, :nw], B[:, nw:], C[:nz], C[nz:]
    D11, D12, D21 = D[:nz, :nw], D[:nz, nw:], D[nz:, :nw]
    n = A.shape[0]
    one = np.eye(n)
    outer_r = block_diag(null_space(np.hstack([B2.T, D12.T])), np.eye(nw))
    outer_s = block_diag(null_space(np.hstack([C2, D21])), np.eye(nz))
    R, S, g = cp.Variable((n, n), symmetric=True), cp.Variable((n, n), symmetric=True), cp.Variable()
    lmi_r = cp.bmat([[A @ R + R @ A.T, R @ C1.T, B1], [C1 @ R, -g * np.eye(nz), D11], [B1.T, D11.T, -g * np.eye(nw)]])
    lmi_s = cp.bmat([[A.T @ S + S @ A, S @ B1, C1.T], [B1.T @ S, -g * np.eye(nw), D11.T], [C1, D11, -g * np.eye(nz)]])
    conditions = [outer.T @ lmi @ outer for outer, lmi in ((outer_r, lmi_r), (outer_s, lmi_s))]
    problem = cp.Problem(
        cp.Minimize(g), [*((x + x.T) / 2 << 0 for x in conditions), cp.bmat([[R, one], [one, S]]) >> 0]
    )
    try:
        problem.solve(solver="CLARABEL")
    except cp.SolverError as error:
        raise ConvergenceError(f"the solver found no floor: {error}") from None
    if problem.status in ("infeasible", "infeasible_inaccurate"):
        raise InputError("no controller stabilises this plant from these controls and measurements")
    if problem.status not in ("optimal", "optimal_inaccurate"):
        raise ConvergenceError(f"the solver found no floor: {problem.status}")
    return float(g.value)
