"""Base parameters of rigid trees: combinations of masses, centres and inertias that motions and torques determine.

Inverse dynamics is linear in mass, first moment and inertia about the body's origin of each body, and in rotor inertias
and viscous losses: ``tau = Y(q, v, a) pi``. Not all of these ten numbers per body can be told apart; how many can is
the rank of Y over all motions, and which sums of them is read off a QR decomposition (M. Gautier, Numerical calculation
of the base inertial parameters of robots, J. Robotic Systems 8, 1991).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile import Kernel, compile_function
from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.parameter import Parameter, nominal
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import derive
from dalembert.model.body import Body
from dalembert.model.elastic.contract import Elastic
from dalembert.model.joint import Joint
from dalembert.model.machine import Machine
from dalembert.model.mobility import random_coordinates
from dalembert.model.parts import Motor

__all__ = ["BaseParameters", "base_parameters"]

_MOMENTS = ("mass", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_RANK = 1e-9


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """The sums of inertial parameters that motions and torques determine.

    Parameters
    ----------
    machine
        The machine.
    names
        All parameters: ``BODY.mass``, ``BODY.hx`` (first moment, mass times centre), ``BODY.Ixx`` (inertia about the
        body's origin), ``MOTOR.rotor_inertia``, ``JOINT.damping``, ``JOINT.armature`` (where a joint has one).
    nominal
        Their values in the machine.
    independent
        Which of them head a sum.
    combination
        (base, all): the base parameters are ``combination @ nominal``; columns of parameters without effect are zero.
    """

    machine: Machine
    names: tuple[str, ...]
    nominal: Array
    independent: tuple[int, ...]
    combination: Array
    _regressor: Kernel

    def __len__(self) -> int:
        """Return the number of base parameters."""
        return len(self.independent)

    @cached_property
    def values(self) -> Array:
        """Base parameters of the machine as it is described."""
        return np.asarray(self.combination @ self.nominal)

    @property
    def descriptions(self) -> tuple[str, ...]:
        """The sums in words, such as ``"link.Ixx - 1 link.Izz"``."""
        texts = []
        for row, head in zip(self.combination, self.independent, strict=True):
            terms = [self.names[head]]
            for k in np.flatnonzero(np.abs(row) > 1e-9):
                if k != head:
                    terms.append(f"{'-' if row[k] < 0 else '+'} {abs(row[k]):.6g} {self.names[k]}")
            texts.append(" ".join(terms))
        return tuple(texts)

    def regressor(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Return Y with ``tau = Y @ base parameters``, shape (..., nv, base)."""
        whole = np.asarray(self._regressor(q, v, a))
        return np.asarray(whole[..., list(self.independent)])

    def tracking_regressor(
        self, q: Expression, v: Expression, velocity: Expression, acceleration: Expression, t: Expression
    ) -> tuple[Expression, Expression]:
        """Return Y and c with ``M acceleration + C(q, v) velocity + dV/dq - losses - wrenches = Y @ base + c``.

        Expressions, for laws that track a reference (`SlotineLi`). With ``velocity`` equal to ``v`` the left side is
        inverse dynamics less losses and wrenches. ``c`` has the forces that do not depend on the unknown parameters.
        """
        results: Any = self._tracking(q, v, velocity, acceleration, t)
        return results[0], results[1]

    @cached_property
    def _tracking(self) -> ca.Function:
        open_machine, names, values = _opened(self.machine, any(n.endswith(".damping") for n in self.names))
        eom = derive(open_machine)
        s = eom.symbolic
        w = ca.SX.sym("w", eom.nv)
        potential = ca.substitute(s.bias, s.v, ca.SX.zeros(eom.nv))
        forces = s.mass_matrix @ s.a + s.coriolis_matrix @ w + potential - s.losses - s.wrenches
        unknown = [eom.p_names.index(f"pi{k}") for k in range(len(names))]
        point = ca.DM([{p.name: p.value for p in open_machine.parameters}[n] for n in eom.p_names])
        Y, whole = (ca.substitute(x, s.p, point) for x in (ca.jacobian(forces, s.p)[:, unknown], forces))
        known = whole - Y @ ca.DM(values)
        arguments = [s.q, s.v, w, s.a, s.t]
        return ca.Function("tracking", arguments, [ca.densify(Y[:, list(self.independent)]), ca.densify(known)])

    def fit(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, tau: ArrayLike) -> tuple[Array, Array]:
        """Return base parameters from measured motions and joint forces (samples, nv), and their standard deviations.

        Each joint is weighted by its own noise, estimated from a first fit.
        """
        Y, forces = self.regressor(q, v, a), as_numbers(tau)
        if forces.shape != Y.shape[:2]:
            raise InputError(f"tau must have the shape {Y.shape[:2]} of the samples and joints, got {forces.shape}")
        if Y.shape[0] * Y.shape[1] <= len(self):
            raise InputError(f"{len(self)} parameters need more than {Y.shape[0] * Y.shape[1]} measured forces")
        weights = np.ones(Y.shape[1])
        for _ in range(2):
            A = (Y * weights[:, None]).reshape(-1, len(self))
            solution, _, rank, _ = np.linalg.lstsq(A, (forces * weights).ravel(), rcond=None)
            residual = forces - Y @ solution
            weights = 1.0 / np.maximum(residual.std(axis=0), 1e-12 * max(1.0, float(np.abs(forces).max())))
        if rank < len(self):
            raise InputError(
                f"these motions excite {rank} of {len(self)} base parameters: move all joints, at several speeds"
            )
        freedom = A.shape[0] - len(self)
        variance = float(np.sum((residual * weights) ** 2)) / freedom
        return np.asarray(solution, dtype=float), np.sqrt(np.diag(np.linalg.inv(A.T @ A)) * max(variance, 0.0))


def base_parameters(machine: Machine, *, losses: bool = False, seed: int = 0) -> BaseParameters:
    """Find the sums of inertial parameters of a rigid tree that motions and torques determine.

    Parameters
    ----------
    machine
        A machine of rigid bodies, without constraints.
    losses
        Whether viscous losses of joints and rotor inertias of motors are unknown, too.
    seed
        Seed of the random motions that determine the rank.

    Examples
    --------
    A pendulum tells one inertia about its axis, and its first moment through gravity.

    >>> import dalembert as da
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.rod("rod", mass=2.0, length=1.0, com=(0.5, 0, 0))],
    ...     joints=[da.Joint("theta", "revolute", "world", "rod", axis=(0, 1, 0))],
    ... )
    >>> da.analysis.base_parameters(pendulum).descriptions
    ('rod.hx', 'rod.hz', 'rod.Iyy')
    """
    if machine.constrained or any(isinstance(b, Elastic) for b in machine.bodies):
        raise InputError(
            f"base parameters are defined for trees of rigid bodies; machine '{machine.name}' has flexible bodies, "
            "constraints, cables or "
            "ropes"
        )
    open_machine, names, values = _opened(machine, losses)
    eom = derive(open_machine)
    s = eom.symbolic
    forces = s.inverse_dynamics - (s.losses if losses else 0)
    wanted = [eom.p_names.index(f"pi{k}") for k in range(len(names))]
    Y = ca.jacobian(forces, s.p)[:, wanted]
    # Linear in the parameters: their values do not matter, but first moments are divided by masses on the way.
    point = {p.name: p.value for p in open_machine.parameters}
    Y = ca.substitute(Y, s.p, ca.DM([point[n] for n in eom.p_names]))
    inputs = {"q": s.q, "v": s.v, "a": s.a}
    if not set(map(str, ca.symvar(Y))) <= {str(e) for x in inputs.values() for e in ca.symvar(x)}:
        raise InputError(f"machine '{machine.name}' has forces that depend on time; leave them out")
    function = ca.Function("regressor", list(inputs.values()), [ca.cse(ca.densify(Y))], list(inputs), ["Y"])
    kernel = compile_function(function, backend=eom.backend)
    rng = np.random.default_rng(seed)
    samples = 4 * len(names) + 20
    q = np.stack([_random_q(machine, rng) for _ in range(samples)])
    v, a = rng.normal(size=(2, samples, machine.nv))
    independent, combination = _base(np.asarray(kernel(q, v, a)).reshape(-1, len(names)))
    return BaseParameters(machine, names, values, independent, combination, kernel)


def _random_q(machine: Machine, rng: np.random.Generator) -> Array:
    return np.concatenate([np.atleast_1d(random_coordinates(joint, rng)) for joint in machine.coordinate_joints])


def _base(W: Array) -> tuple[tuple[int, ...], Array]:
    """Choose independent columns, the first ones of each dependent set, and the others as sums of them."""
    scale = np.linalg.norm(W, axis=0)
    moving = scale > _RANK * scale.max()
    chosen: list[int] = []
    Q = np.zeros((W.shape[0], 0))
    for k in np.flatnonzero(moving):
        column = W[:, k] / scale[k]
        rest = column - Q @ (Q.T @ column)
        rest -= Q @ (Q.T @ rest)
        if np.linalg.norm(rest) > _RANK * 1e2:
            chosen.append(int(k))
            Q = np.column_stack([Q, rest / np.linalg.norm(rest)])
    combination = np.zeros((len(chosen), W.shape[1]))
    others = [k for k in np.flatnonzero(moving) if k not in chosen]
    combination[np.arange(len(chosen)), chosen] = 1.0
    if others:
        combination[:, others] = np.linalg.lstsq(W[:, chosen], W[:, others], rcond=None)[0]
    combination[np.abs(combination) < 1e-10] = 0.0
    return tuple(chosen), combination


def _opened(machine: Machine, losses: bool) -> tuple[Machine, tuple[str, ...], Array]:
    """Return the machine with all inertial numbers as parameters pi0, pi1, ..., their names and values."""
    names: list[str] = []
    values: list[float] = []

    def unknown(name: str, value: float) -> Parameter:
        names.append(name)
        values.append(value)
        return Parameter(f"pi{len(names) - 1}", value)

    bodies = []
    for body in machine.bodies:
        assert isinstance(body, Body)
        m = nominal(body.mass)
        c = np.array([nominal(x) for x in body.com])
        I_c = np.array([[nominal(x) for x in row] for row in body.inertia])
        I_o = I_c + m * (c @ c * np.eye(3) - np.outer(c, c))
        numbers = [m, *(m * c), I_o[0, 0], I_o[1, 1], I_o[2, 2], I_o[0, 1], I_o[0, 2], I_o[1, 2]]
        if m == 0.0:
            bodies.append(body)
            continue
        mass, *rest = (unknown(f"{body.name}.{k}", float(x)) for k, x in zip(_MOMENTS, numbers, strict=True))
        h, (xx, yy, zz, xy, xz, yz) = rest[:3], rest[3:]
        com = (h[0] / mass, h[1] / mass, h[2] / mass)
        hh = [[h[i] * h[j] / mass for j in range(3)] for i in range(3)]
        inertia = (
            (xx - hh[1][1] - hh[2][2], xy + hh[0][1], xz + hh[0][2]),
            (xy + hh[0][1], yy - hh[0][0] - hh[2][2], yz + hh[1][2]),
            (xz + hh[0][2], yz + hh[1][2], zz - hh[0][0] - hh[1][1]),
        )
        bodies.append(replace(body, mass=mass, com=com, inertia=inertia, geometry=()))
    joints: list[Joint] = list(machine.joints)
    motors: list[Motor] = list(machine.motors)
    if losses:
        joints = [
            replace(j, damping=unknown(f"{j.name}.damping", nominal(j.damping))) if j.info.nv == 1 else j
            for j in joints
        ]
        joints = [
            replace(j, armature=unknown(f"{j.name}.armature", nominal(j.armature))) if j.armature != 0.0 else j
            for j in joints
        ]
        motors = [
            replace(m, rotor_inertia=unknown(f"{m.name}.rotor_inertia", nominal(m.rotor_inertia))) for m in motors
        ]
    opened = machine.with_(bodies=tuple(bodies), joints=tuple(joints), motors=tuple(motors))
    return opened, tuple(names), np.array(values)
