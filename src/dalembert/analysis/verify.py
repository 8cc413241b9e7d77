"""Every formulation against every other, and each against the identities of mechanics, for one machine.

Two derivations that share nothing but the poses of the bodies and agree at random states are strong evidence for
both. All comparisons are made in machine coordinates. The Coriolis matrix is compared as the force ``C v`` only: its
entries are not unique.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import casadi as ca
import numpy as np

from dalembert.compile.kernel import Backend
from dalembert.core.doing import doing
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.core.validation import check_seed
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.formulations.registry import FORMULATIONS
from dalembert.model.joint import WORLD
from dalembert.model.machine import Machine

__all__ = ["VerifyReport", "VerifyRow", "verify"]


@dataclass(frozen=True)
class VerifyRow:
    """One comparison.

    Parameters
    ----------
    quantity
        The compared quantity, such as ``"mass matrix"``, or the identity.
    pair
        The two formulations, or the one whose identity it is.
    residual
        Largest relative difference over all samples.
    ok
        Whether the residual is within the tolerance.
    """

    quantity: str
    pair: tuple[str, ...]
    residual: float
    ok: bool


@dataclass(frozen=True)
class VerifyReport:
    """Comparisons of a machine's equations; `str` gives a table, ``ok`` the verdict.

    Parameters
    ----------
    machine
        Name of the machine.
    samples, seed, tolerance
        As in `verify`.
    rows
        The comparisons.
    left_out
        Formulations that do not take the machine, and why.
    """

    machine: str
    samples: int
    seed: int
    tolerance: float
    rows: tuple[VerifyRow, ...]
    left_out: tuple[tuple[str, str], ...] = ()

    @property
    def ok(self) -> bool:
        """Whether all residuals are within the tolerance."""
        return all(row.ok for row in self.rows)

    @property
    def failures(self) -> tuple[VerifyRow, ...]:
        """Rows beyond the tolerance."""
        return tuple(row for row in self.rows if not row.ok)

    @property
    def worst(self) -> VerifyRow:
        """The row with the largest residual."""
        return max(self.rows, key=lambda row: np.inf if np.isnan(row.residual) else row.residual)

    def _title(self) -> str:
        verdict = "agree" if self.ok else f"{len(self.failures)} of {len(self.rows)} comparisons FAIL"
        return f"machine '{self.machine}': {verdict} ({self.samples} random states, tolerance {self.tolerance:g})"

    def _cells(self) -> list[tuple[str, str, str, str]]:
        return [(r.quantity, " | ".join(r.pair), f"{r.residual:.1e}", "ok" if r.ok else "FAIL") for r in self.rows]

    def __str__(self) -> str:
        cells = [("quantity", "formulations", "residual", ""), *self._cells()]
        widths = [max(len(row[k]) for row in cells) for k in range(4)]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in cells]
        missing = [f"left out: {name} ({reason})" for name, reason in self.left_out]
        return "\n".join([self._title(), "", lines[0], "-" * max(map(len, lines)), *lines[1:], *missing])

    def _repr_html_(self) -> str:
        def line(row: tuple[str, ...], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) + "</tr>"

        body = "".join(line(row, "td") for row in self._cells())
        head = line(("quantity", "formulations", "residual", ""), "th")
        return f"<table><caption>{html.escape(self._title())}</caption>{head}{body}</table>"


def verify(
    machine: Machine,
    *,
    samples: int = 20,
    seed: int = 0,
    tolerance: float = 1e-9,
    backend: Backend = "vm",
) -> VerifyReport:
    """Derive a machine's equations by every formulation and compare them at random states.

    It compares M, C v, gravity, bias, inverse dynamics, accelerations (in the norm of M), energies, momentum, centre of
    mass and the Jacobians of the frames pairwise. For each formulation alone it checks the symmetry and positive
    definiteness of M, the skew symmetry of M' - 2 C, the potential forces against the gradient of the energy, the power
    balance, and that inverse undoes forward dynamics. It leaves out the constraints and cables of a machine, and
    compares the equations of its tree.

    Parameters
    ----------
    machine
        The machine.
    samples
        Number of random states.
    seed
        Seed of the states.
    tolerance
        Largest relative difference that counts as agreement. Forces are judged relative to the largest term of their
        equation at that state.
    backend
        ``"vm"`` needs no compiler; ``"native"`` checks the compiled code.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.analysis import verify
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 2.0, com=(0, 0, -0.5))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))],
    ... )
    >>> verify(pendulum).ok
    True
    """
    if not isinstance(machine, Machine):
        raise InputError(f"verify needs a Machine, got {type(machine).__name__}")
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 1:
        raise InputError(f"samples must be a positive integer, got {samples!r}")
    if not isinstance(tolerance, int | float) or not 0.0 < tolerance < np.inf:
        raise InputError(f"tolerance must be a positive number, got {tolerance!r}")
    check_seed(seed)
    if machine.constrained:
        # Loops are closed through the Jacobians of frames, which are compared; the equations are those of the tree.
        machine = machine.with_(constraints=(), cables=(), ropes=())
    equations: dict[str, EquationsOfMotion] = {}
    left_out: list[tuple[str, str]] = []
    for name, kind in FORMULATIONS.items():
        reason = kind.refusal(machine)
        if reason is None:
            equations[name] = derive(machine, name, backend=backend)
        else:
            left_out.append((name, reason))
    converted = {name: eom.in_machine_coordinates() for name, eom in equations.items()}
    first = next(iter(converted.values()))
    state = _State.random(first, samples, seed)
    results = {}
    for name, eom in converted.items():
        with doing(f"evaluating '{machine.name}' by {name}"):
            results[name] = _Results.of(eom, state)
    rows: list[VerifyRow] = []

    def add(quantity: str, pair: tuple[str, ...], residual: float) -> None:
        rows.append(VerifyRow(quantity, pair, residual, bool(residual <= tolerance)))

    for one, two in combinations(converted, 2):
        for quantity, residual in _differences(results[one], results[two]):
            add(quantity, (one, two), residual)
    for name, eom in converted.items():
        with doing(f"checking identities of '{machine.name}' by {name}"):
            for quantity, residual in _identities(eom, state, results[name]):
                add(quantity, (name,), residual)
        if equations[name].constrained:
            gap = _norm(results[name].M, results[name].a - _constrained(equations[name], eom, state))[:, None]
            add("acceleration under constraints", (name,), _residual(gap, _norm(results[name].M, results[name].a)))
    return VerifyReport(machine.name, samples, seed, float(tolerance), tuple(rows), tuple(left_out))


def _constrained(eom: EquationsOfMotion, converted: EquationsOfMotion, s: _State) -> Array:
    """Accelerations of the machine from equations in redundant coordinates, solved with their constraints.

    With ``v_own = E v`` any forces that do the work of tau will do, and ``a = E^+ (a_own - E' v)``.
    """
    x = converted.symbolic
    q, w = eom.formulation.from_machine(x.q, x.v, x.p)
    terms = [q, w, ca.jacobian(w, x.v), ca.jtimes(w, x.q, x.coordinate_rate)]
    f = ca.Function("map", [x.q, x.v, x.p], [ca.densify(e) for e in terms])
    accelerations = []
    for q_k, v_k, tau_k in zip(s.q, s.v, s.tau, strict=True):
        q_own, v_own, E, drift = (np.array(e.full()) for e in f(q_k, v_k, eom.machine.p_nominal))
        a, _ = eom.constrained_dynamics(q_own[:, 0], v_own[:, 0], np.linalg.pinv(E).T @ tau_k)
        accelerations.append(np.linalg.lstsq(E, a - drift[:, 0], rcond=None)[0])
    return np.array(accelerations)


@dataclass(frozen=True)
class _State:
    """Random states in machine coordinates."""

    q: Array
    v: Array
    a: Array
    tau: Array

    @staticmethod
    def random(eom: EquationsOfMotion, samples: int, seed: int) -> _State:
        rng = np.random.default_rng(seed)
        q = np.array([eom.random_configuration(rng) for _ in range(samples)])
        v, a, tau = rng.normal(size=(3, samples, eom.nv))
        return _State(q, v, a, tau)


@dataclass(frozen=True)
class _Results:
    """All functions of one formulation at the states."""

    M: Array
    forces: dict[str, Array]
    a: Array
    others: dict[str, Array]
    scale: Array

    @staticmethod
    def of(eom: EquationsOfMotion, s: _State) -> _Results:
        M = eom.mass_matrix(s.q)
        forces = {
            "Coriolis force C v": _times(eom.coriolis_matrix(s.q, s.v), s.v),
            "gravity": eom.gravity(s.q),
            "bias": eom.bias(s.q, s.v),
            "inverse dynamics": eom.inverse_dynamics(s.q, s.v, s.a),
        }
        kinetic, potential = eom.energy(s.q, s.v)
        others = {
            "kinetic energy": kinetic[:, None],
            # Only differences of potential energy mean something.
            "potential energy": (potential - potential[0])[:, None],
            "linear momentum": eom.momentum(s.q, s.v)[:, :3],
            "angular momentum": eom.momentum(s.q, s.v)[:, 3:],
            "centre of mass": eom.center_of_mass(s.q),
        }
        for frame in _frames(eom.machine):
            others[f"Jacobian of '{frame}'"] = eom.jacobian(frame, s.q)
        terms = [_times(M, s.a), s.tau, *forces.values()]
        scale = np.max([np.abs(x).max(axis=-1) for x in terms], axis=0)
        return _Results(M, forces, eom.forward_dynamics(s.q, s.v, s.tau), others, scale)


def _frames(machine: Machine) -> list[str]:
    """The declared frames, and the bodies at the ends of the branches."""
    parents = {joint.parent for joint in machine.joints}
    ends = [body.name for body in machine.bodies if body.name not in parents]
    return [name for name in (*(f.name for f in machine.frames), *ends) if name != WORLD]


def _times(A: Array, x: Array) -> Array:
    return np.einsum("...ij,...j->...i", A, x)


def _residual(gap: Array, scale: Array) -> float:
    """Largest entry of ``gap`` relative to ``scale``, sample by sample."""
    size = np.abs(gap).reshape(len(gap), -1).max(axis=1)
    return float(np.max(np.divide(size, scale, out=size.copy(), where=scale > 0.0)))


def _size(x: Array) -> Array:
    return np.abs(x).reshape(len(x), -1).max(axis=1)


def _norm(M: Array, x: Array) -> Array:
    return np.sqrt(np.maximum(np.einsum("ki,kij,kj->k", x, M, x), 0.0))


def _differences(one: _Results, two: _Results) -> list[tuple[str, float]]:
    rows = [("mass matrix", _residual(one.M - two.M, _size(one.M)))]
    rows += [(name, _residual(x - two.forces[name], one.scale)) for name, x in one.forces.items()]
    rows.append(("acceleration", _residual(_norm(one.M, one.a - two.a)[:, None], _norm(one.M, one.a))))
    for name, x in one.others.items():
        # Over all samples: a single one may be zero by symmetry.
        rows.append((name, _residual(x - two.others[name], np.full(len(x), np.abs(x).max()))))
    return rows


def _identities(eom: EquationsOfMotion, s: _State, r: _Results) -> list[tuple[str, float]]:
    Mdot, gradient, energy_rate = _rates(eom)(s.q, s.v, r.a)
    C = eom.coriolis_matrix(s.q, s.v)
    N = Mdot - 2.0 * C
    rate = np.max([_size(Mdot), 2.0 * _size(C), _size(r.M) * _size(s.v)], axis=0)
    lowest = np.linalg.eigvalsh((r.M + np.swapaxes(r.M, 1, 2)) / 2)[:, 0]
    power = np.einsum("ki,ki->k", s.v, s.tau)
    traffic = np.maximum(np.abs(power), np.abs(s.v * _times(r.M, r.a)).sum(axis=1))
    back = eom.inverse_dynamics(s.q, s.v, r.a)
    return [
        ("M symmetric", _residual(r.M - np.swapaxes(r.M, 1, 2), _size(r.M))),
        ("M positive definite", _residual(np.minimum(lowest, 0.0)[:, None], _size(r.M))),
        ("M' - 2 C skew", _residual(N + np.swapaxes(N, 1, 2), rate)),
        ("bias at rest = dV/dq", _residual(eom.bias(s.q, 0.0 * s.v) - gradient, r.scale)),
        ("dE/dt = v tau", _residual((energy_rate - power)[:, None], traffic)),
        ("inverse of forward dynamics", _residual(back - s.tau, np.maximum(r.scale, _size(_times(r.M, r.a))))),
    ]


def _rates(eom: EquationsOfMotion) -> Callable[[Array, Array, Array], tuple[Array, Array, Array]]:
    """Functions of (q, v, a): ``M'``, ``dV/dq`` on the tangent space and ``dE/dt``, by differentiation."""
    x = eom.symbolic
    qdot, M = x.coordinate_rate, ca.densify(ca.SX(x.mass_matrix))
    T, V = (ca.SX(e) for e in x.energy)
    Mdot = ca.jtimes(ca.vec(M), x.q, qdot)
    gradient = ca.gradient(ca.jtimes(V, x.q, qdot), x.v)
    rate = ca.jtimes(T + V, x.q, qdot) + ca.jtimes(T, x.v, x.a)
    outputs = [ca.densify(ca.SX(e)) for e in (Mdot, gradient, rate)]
    function = ca.Function("rates", [x.q, x.v, x.a, x.p], outputs)

    def call(q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        n, nv = len(q), eom.nv
        p = np.tile(eom.machine.p_nominal[:, None], (1, n))
        arrays = [np.array(m.full()) for m in function.map(n)(q.T, v.T, a.T, p)]
        return arrays[0].T.reshape(n, nv, nv), arrays[1].T, arrays[2][0]

    return call
