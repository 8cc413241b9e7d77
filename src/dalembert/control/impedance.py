"""Impedance at the tip of an arm, on a base that floats or is fixed, with links that bend.

Without momentum the tip moves by the generalised Jacobian ``J* = J_t - J_b M_bb^-1 M_bt`` of its joints (SPACE 6.2),
and the joints have the inertia ``M* = M_tt - M_tb M_bb^-1 M_bt``. Torques ``J*^T F`` make the force ``F`` at the tip.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.linear_at_rest import linear_matrices
from dalembert.control.law_bases import (
    Reference,
    _driven,
    _motors,
    _reference,
    _Stateless,
    _thrusters_off,
    machine_state,
)
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.labels import as_numbers
from dalembert.core.states import named_vector
from dalembert.core.types import Array, Expression, StateLike
from dalembert.core.validation import check_number
from dalembert.formulations.equations import EquationsOfMotion, Parameters

__all__ = ["TipGains", "TipImpedance", "modal_damping", "tip_gains"]


@dataclass(frozen=True, eq=False)
class TipGains:
    """Gains of the joints that give a tip its impedance.

    Attributes
    ----------
    kp, kd
        Gains (n x n) of the joints.
    jacobian
        Generalised Jacobian ``J*`` (6 x n) in axes of the tip.
    inertia
        Inertia ``M*`` (n x n) of the joints on the base that reacts.
    flexibility
        Twist of the tip (6 x 6) by which links between base and tip bend per wrench at it.
    """

    kp: Array
    kd: Array
    jacobian: Array
    inertia: Array
    flexibility: Array


def modal_damping(M: Array, K: Array, ratio: float) -> Array:
    """Damping matrix that gives all modes of ``M x'' + K x = 0`` one damping ratio.

    With ``M = L L^T`` and ``L^-1 K L^-T = U diag(k) U^T`` it is ``2 ratio L U diag(sqrt(k)) U^T L^T``.
    """
    L = np.linalg.cholesky(M)
    k, U = np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, K).T))
    A = L @ U
    return np.asarray(2.0 * ratio * (A * np.sqrt(np.maximum(k, 0.0))) @ A.T)


def tip_gains(
    eom: EquationsOfMotion,
    frame: str,
    q: Array,
    stiffness: ArrayLike,
    *,
    damping: float = 1.0,
    joints: Sequence[str] | None = None,
    base: str | None = None,
    p: Parameters = None,
) -> TipGains:
    """Gains of the joints that give the tip a stiffness, and every motion of the joints a damping ratio.

    Flexible links are in series with the joints: the joints are stiffer by as much, ``K = (1 - K_d C)^-1 K_d`` with
    the flexibility ``C`` at the tip. Motions of the joints that do not move the tip get the stiffness at which they are
    as fast as the slowest motion that does.

    Parameters
    ----------
    eom
        Equations of the robot, in the machine's coordinates.
    frame
        The tip.
    q
        Configuration.
    stiffness
        Wanted stiffness ``K_d`` of the tip in its axes: 6 numbers [N/m, N m/rad], 3 of its place alone, or 6 x 6.
    damping
        Damping ratio.
    joints
        The joints, in the order of the gains; None: those of the motors.
    base
        The free joint that floats; None: the only one, or none.
    p
        Parameter values.

    Raises
    ------
    InputError
        If the wanted tip is as stiff as its links, or stiffer.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.control import tip_gains
    >>> bodies = [da.sphere("base", 3.0, 0.5), da.sphere("hand", 1.0, 0.2)]
    >>> joints = [da.Joint("base", "free", "world", "base"), da.Joint("slide", "prismatic", "base", "hand", axis="x")]
    >>> floating = da.Machine("floating", bodies, joints, motors=[da.Motor("slide", "slide")], gravity=(0, 0, 0))
    >>> eom = da.equations(floating)
    >>> gains = tip_gains(eom, "hand", eom.q_neutral, [32.0, 0.0, 0.0])
    >>> gains.jacobian[0].round(6).tolist(), gains.kp.round(6).tolist()  # the base moves back by a quarter
    ([0.75], [[18.0]])
    """
    wanted = _stiffness(stiffness)
    names = tuple(m.joint for m in eom.machine.motors) if joints is None else tuple(joints)
    blocks = {b.name: b for b in eom.layout.blocks}
    for name in (*names, *(() if base is None else (base,))):
        if name not in blocks:
            raise UnknownNameError("joint", name, list(blocks), f"machine '{eom.machine.name}'")
    free = [b.name for b in eom.layout.blocks if b.kind == "free"]
    if base is None and len(free) > 1:
        raise InputError(f"machine '{eom.machine.name}' has {len(free)} free joints ({', '.join(free)}); name the base")
    root = base if base is not None else (free[0] if free else None)
    b = list(range(blocks[root].v.start, blocks[root].v.stop)) if root is not None else []
    t = [blocks[name].v.start for name in names]
    others = {k for name in free for k in range(blocks[name].v.start, blocks[name].v.stop)}
    M, _, stiff = linear_matrices(eom, q, eom.parameter_values(p))
    J = eom.jacobian(frame, q, p=p)
    passive = [k for k in range(eom.nv) if k not in t and k not in others]
    e = [k for k in passive if stiff[k, k] > 1e-6 * max(stiff[i, i] for i in passive)]
    C = J[:, e] @ np.linalg.solve(stiff[np.ix_(e, e)], J[:, e].T)
    react = np.linalg.solve(M[np.ix_(b, b)], M[np.ix_(b, t)]) if b else np.zeros((0, len(t)))
    Jt, Mt = J[:, t] - J[:, b] @ react, M[np.ix_(t, t)] - M[np.ix_(t, b)] @ react
    series = np.eye(6) - wanted @ C
    if np.linalg.eigvals(series).real.min() <= 0.0:
        raise InputError(
            f"frame '{frame}' of machine '{eom.machine.name}' is to be stiffer than the links that carry it: take a "
            "smaller stiffness"
        )
    K = Jt.T @ np.linalg.solve(series, wanted) @ Jt
    K = _with_rest(0.5 * (K + K.T), Jt, Mt)
    ratio = check_number("damping", damping, positive=False)
    if ratio < 0.0:
        raise InputError(f"damping must be a ratio >= 0, got {ratio:g}")
    return TipGains(K, modal_damping(Mt, K, ratio), Jt, Mt, C)


def _with_rest(K: Array, J: Array, M: Array) -> Array:
    """Stiffness of the joints, with one for the motions that the tip does not see."""
    L = np.linalg.cholesky(M)
    k, U = np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, K).T))
    seen = k > 1e-9 * max(float(k.max()), 1e-300)
    if seen.all() or not seen.any():
        return K
    A = (L @ U)[:, ~seen]
    return np.asarray(K + float(k[seen].min()) * A @ A.T)


def _stiffness(value: ArrayLike) -> Array:
    try:
        K = as_numbers(value)
    except (TypeError, ValueError):
        K = np.zeros(0)
    if K.shape == (3,):
        K = np.concatenate([K, np.zeros(3)])
    if K.shape == (6,):
        K = np.diag(K)
    known = K.shape == (6, 6) and bool(np.isfinite(K).all())
    if not known or np.linalg.eigvalsh(0.5 * (K + K.T))[0] < -1e-9 * np.abs(K).max():
        raise InputError(f"the stiffness of a tip must be 3 or 6 numbers >= 0, or a matrix 6 x 6, got {value!r}")
    return np.asarray(0.5 * (K + K.T))


@dataclass(frozen=True)
class TipImpedance(_Stateless):
    """Joints that give the tip of an arm a stiffness and a damping about its reference; thrusters stay off.

    ``tau = K (r - q) + D (r' - q')`` with the matrices of `tip_gains` in one posture: a force at the tip moves it as a
    spring of the ``stiffness`` would, whatever the links weigh and however they bend. A base that floats reacts to the
    torques, and the gains know of it.

    Parameters
    ----------
    frame
        The tip.
    stiffness
        Its stiffness in its own axes: 6 numbers [N/m, N m/rad], 3 of its place alone, or 6 x 6.
    reference
        Positions of the driven joints, or a function of time.
    damping
        Damping ratio of all motions of the joints.
    at
        The posture; None: the neutral one.

    Examples
    --------
    >>> from dalembert.control import TipImpedance
    >>> TipImpedance("tip", [200.0, 200.0, 50.0], reference=[0.0, 0.5]).damping
    1.0
    """

    frame: str
    stiffness: ArrayLike
    reference: Reference
    damping: float = 1.0
    at: StateLike = None

    def gains(self, eom: EquationsOfMotion) -> TipGains:
        """Return the matrices."""
        machine = eom.machine
        at = dict(self.at) if isinstance(self.at, Mapping) else self.at
        q = named_vector(at, machine.q_names, machine.q_neutral, "at")
        return tip_gains(eom, self.frame, q, self.stiffness, damping=self.damping)

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs as expressions."""
        eom, q, v = machine_state(eom, q, v, p)
        rows_q, rows_v, n = _driven(eom, "TipImpedance", thrusters=True)
        r, rd, _ = _reference(self.reference, t, _motors(eom), "TipImpedance")
        gains = self.gains(eom)
        tau = ca.DM(gains.kp) @ (r - q[rows_q]) + ca.DM(gains.kd) @ (rd - v[rows_v])
        return _thrusters_off(eom, tau / n), ca.SX(0, 1)
