"""Sway damped by the winch alone, through the velocity couplings of hoisting (CRANE 1.5 (5), Proposition 1, (185)).

The trolley rests and ``l_1' = s`` is the action of the winch. With ``M`` and ``m`` the blocks of the angles and of the
angles with ``l_1``, ``c = M^-1 m`` and the momenta ``p = M theta' + m s = M w``, the energy of the sway is

    E = w^T M w/2 + V(theta, l) - V(0, l),      E' = A s + B s^2,

which holds no ``l_1''``:

    A = dE/dl + w^T (dm - dM c) - c^T dE/dtheta,   B = c^T dM c/2 - c^T dm,   d = derivative along w, p held.

For one link ``A = -m_1 (l theta'^2 - g (1 - cos theta))``: the first part is the coupling (185). Any ``s`` against the
sign of ``A`` that is not too fast takes energy from the sway.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.control.law_bases import driven_response
from dalembert.control.underactuated import partition
from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.renamed import renamed
from dalembert.core.types import Array, Expression
from dalembert.core.validation import check_number
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.formulations.factorization import solve_spd
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.systems.cranes.coordinates import Columns, check_run, hanging, link_lengths

__all__ = ["WinchReach", "WinchSwayDamping", "sway_energy", "winch_reach"]

# Share of lengthening that A of one link asks for, less shortening: 1/2 over the mean of |1/2 - 3/2 cos|.
_DRIFT = 0.4957904


@dataclass(frozen=True)
class _Sway:
    """Expressions of the sway of a hoisted crane, as functions of (theta, w, l, p)."""

    rails: list[int]
    angles: list[int]
    length: int
    energy: ca.Function
    power: ca.Function  # A, B
    coupling: ca.Function  # c

    @staticmethod
    def of(eom: EquationsOfMotion) -> _Sway:
        col = _hoisted(eom.machine)
        a, l = col.angle, col.length[0]
        s = eom.symbolic
        theta, w, length = ca.SX.sym("theta", len(a)), ca.SX.sym("w", len(a)), ca.SX.sym("l")
        q = ca.SX.zeros(eom.nq)
        q[a], q[l] = theta, length
        blocks = ca.Function("blocks", [s.q, s.p], [ca.densify(s.mass_matrix), s.potential_energy])
        at_rest = ca.substitute(q, theta, ca.SX.zeros(len(a)))
        M_all, V = blocks(q, s.p)
        M, m = M_all[a, a], M_all[a, l]
        V = V - blocks(at_rest, s.p)[1]
        c = solve_spd(M, m)
        kinetic = ca.bilin(M, w, w) / 2
        # c as a symbol: derivatives at fixed momenta are those of M and m alone
        c_ = ca.SX.sym("c", len(a))
        slope = ca.gradient(V - kinetic, theta)
        dm, dMc = ca.jtimes(m, theta, w), ca.jtimes(M @ c_, theta, w)
        A = ca.gradient(V - kinetic, length) + ca.dot(w, dm - dMc) - ca.dot(c_, slope)
        B = ca.dot(c_, dMc) / 2 - ca.dot(c_, dm)
        A, B = ca.Function("power", [theta, w, length, c_, s.p], [A, B])(theta, w, length, c, s.p)
        x = [theta, w, length, s.p]
        return _Sway(
            col.cart,
            a,
            l,
            ca.Function("energy", x, [kinetic + V]),
            ca.Function("power", x, [A, B]),
            ca.Function("coupling", [theta, length, s.p], [c]),
        )


def _hoisted(machine: Machine) -> Columns:
    """Columns of a crane of which the winch varies the first length, and nothing else but rails and angles moves."""
    col = Columns(machine)
    lengths = [col.names[i] for i in col.length]
    if lengths != ["l1"] or "l1" not in {motor.joint for motor in machine.motors}:
        raise InputError(
            f"sway is damped by the winch of a crane with lengths='hoisted'; crane '{machine.name}' has "
            f"{'the lengths ' + ', '.join(lengths) if lengths else 'no length'} that vary, and the motors "
            f"{', '.join(machine.u_names) or '(none)'}"
        )
    still = [col.names[i] for i in col.cart if col.names[i] not in {motor.joint for motor in machine.motors}]
    if still:
        raise InputError(f"the rail '{still[0]}' of crane '{machine.name}' has no motor that could hold it; lock it")
    if machine.couplings:
        raise InputError(f"crane '{machine.name}' has telescoping rods; sway is damped on cables with masses at nodes")
    return col


@dataclass(frozen=True)
class WinchSwayDamping:
    """The winch damps the sway by its own motion, with the rails held, so that the energy of the sway does not grow.

    The winch's speed is ``l_1' = -k A/(1 + k |B|)`` with ``k = 4/3 depth w L^2 (1 + sigma sign A)/(E + E_0)``,
    ``w^2 = g/L`` and ``L`` the length of the cable, so that the length swings by about ``depth`` of it, twice per
    period, whatever the sway, and the sway decays exponentially; below ``E_0``, the energy of a sway by ``rest``, it
    fades out. ``|sigma| < 1`` weighs hauling in against paying out by where the length is, which keeps the length
    around ``l_1`` of the hanging crane and cannot change the sign of ``E'``.

    The force makes ``l_1'`` come to this speed, and then equal to it exactly (its rate holds no acceleration of the
    winch), so that ``E' <= 0`` holds for the whole crane while its rails rest and no motor is saturated; losses of the
    crane help. A winch that lags behind damps less, by an eighth of a period nothing, and further behind it drives the
    sway. Motions that no winch reaches are those of `winch_reach`.

    Parameters
    ----------
    depth
        Amplitude of the length, as a part of the length of the cable.
    room
        Excursion of the length [m] at which hauling in or paying out dominates; default a third of the first link.
    rest
        Angle of the sway at which the law begins to fade out [rad].
    kp, kd
        Gains that hold the rails at ``at`` [1/s2, 1/s].
    at
        Positions of the rails, in the order of the machine's coordinates.
    follow
        Rate at which the winch comes to the speed that it should have [1/s].
    """

    depth: float = 0.02
    room: float | None = None
    rest: float = 1e-3
    kp: float = 4.0
    kd: float = 4.0
    at: tuple[float, ...] | float = 0.0
    follow: float = 20.0

    def __post_init__(self) -> None:
        for name in ("depth", "rest", "kp", "kd", "follow", *(("room",) if self.room is not None else ())):
            object.__setattr__(self, name, check_number(f"{name} of WinchSwayDamping", getattr(self, name)))
        many = isinstance(self.at, list | tuple | np.ndarray)
        rails = list(self.at) if many else [self.at]  # type: ignore[arg-type]
        at = tuple(check_number("at of WinchSwayDamping", place, positive=False) for place in rails)
        object.__setattr__(self, "at", at)

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """No internal states."""
        return ()

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """No internal states."""
        return np.zeros(0)

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Forces of the motors as expressions."""
        if not eom.formulation.machine_coordinates:
            raise InputError("WinchSwayDamping works in the crane's own coordinates; give equations without a map")
        sway, s = _Sway.of(eom), eom.symbolic
        a, l, x = sway.angles, sway.length, sway.rails
        assert isinstance(self.at, tuple)
        if len(self.at) not in (1, len(x)):
            raise InputError(f"at of WinchSwayDamping must be {len(x)} numbers, got {len(self.at)}")
        blocks = ca.Function(
            "blocks", [s.q, s.v, s.t, s.p], [ca.densify(s.mass_matrix), s.bias - s.losses - s.wrenches]
        )
        M, h = blocks(q, v, t, p)
        hold = -self.kp * (q[x] - ca.DM(self.at)) - self.kd * v[x]
        theta_, w_, l_, dtheta, dl = (
            ca.SX.sym(x, n) for x, n in zip("twlab", (len(a), len(a), 1, len(a), 1), strict=True)
        )
        c = sway.coupling(theta_, l_, p)
        c_rate = ca.jtimes(c, ca.vertcat(theta_, l_), ca.vertcat(dtheta, dl))
        c, c_rate = ca.substitute([c, c_rate], [theta_, l_, dtheta, dl], [q[a], q[l], v[a], v[l]])
        w = v[a] + c * v[l]
        w_rate = c_rate * v[l] - solve_spd(M[a, a], h[a] + M[a, x] @ hold)
        speed = self._speed(eom, sway, theta_, w_, l_, p)
        rate = ca.jtimes(speed, ca.vertcat(theta_, w_, l_), ca.vertcat(v[a], w_rate, v[l]))
        speed, rate = ca.substitute([speed, rate], [theta_, w_, l_], [q[a], w, q[l]])
        demand = {l: rate + self.follow * (speed - v[l])} | {i: hold[k] for k, i in enumerate(x)}
        b, G = driven_response(eom, t, q, v, p)
        return solve_spd(G, ca.vertcat(*[demand[row] for row in partition(eom).driven]) - b), ca.SX(0, 1)

    def _speed(
        self, eom: EquationsOfMotion, sway: _Sway, theta: Expression, w: Expression, l: Expression, p: Expression
    ) -> Expression:
        """Speed of the winch that takes energy from the sway."""
        machine = eom.machine
        L, g = float(link_lengths(machine).sum()), -nominal(machine.gravity[2])
        l0 = hanging(machine)["l1"]
        mass = sum(nominal(b.mass) for b in machine.bodies if b.name.startswith("node"))
        E = sway.energy(theta, w, l, p)
        A, B = sway.power(theta, w, l, p)
        E0 = mass * g * L * self.rest**2 / 2
        sign = A / ca.sqrt(A**2 + (0.1 * (E + E0) / L) ** 2)
        room = l0 / 3 if self.room is None else self.room
        sigma = ca.tanh((l - l0) / room + np.arctanh(_DRIFT))
        k = 4 / 3 * self.depth * np.sqrt(g / L) * L**2 / (E + E0) * (1 + sigma * sign)
        return -k * A / (1 + k * ca.fabs(B))


def sway_energy(machine: Machine, run: Run) -> Array:
    """Energy of the sway of a hoisted crane along a run [J]: kinetic at held winch, potential above the hanging crane.

    Parameters
    ----------
    machine
        A crane with ``lengths="hoisted"``, with its nominal parameters.
    run
        A run of it.
    """
    _hoisted(machine)
    check_run(machine, run)
    eom = derive(machine, backend="vm")
    sway = _Sway.of(eom)
    q, v = run.array(machine.q_names).T, run.array(machine.v_names).T
    p = np.tile(eom.parameter_values(None)[:, None], q.shape[1])
    c = sway.coupling(q[sway.angles], q[[sway.length]], p).full()
    w = v[sway.angles] + c * v[[sway.length]]
    return np.array(sway.energy(q[sway.angles], w, q[[sway.length]], p).full())[0]


@renamed("rad/s", frequency="omega")
@dataclass(frozen=True)
class WinchReach:
    """Effect of a winch on a mode of the sway.

    Parameters
    ----------
    mode
        Name of the motion.
    omega
        Its angular frequency ``w`` [rad/s].
    reach
        Amplitude of ``A L/E`` at twice the frequency. A length that swings by a part ``eps`` of the cable at ``2 w``
        makes the sway grow or decay with the rate ``eps w reach/2``, depending on its phase; for one link
        ``3/4 eps w``.
    """

    mode: str
    omega: float
    reach: float

    @property
    def damped(self) -> bool:
        """Whether the winch reaches it at all."""
        return self.reach > 1e-6

    def rate(self, depth: float) -> float:
        """Rate [1/s] at which a length that swings by a part ``depth`` damps the mode at best, and drives it at worst.

        Parameters
        ----------
        depth
            Amplitude of the length, as a part of the length of the cable.
        """
        return check_number("depth", depth, positive=False) * self.omega * self.reach / 2


def winch_reach(machine: Machine) -> tuple[WinchReach, ...]:
    """How well the winch reaches each mode of the sway, and which motions it does not reach.

    In 3-D each frequency belongs to two planes. Sway in one plane is reached; circular sway is not: the tension is
    constant along it, and its angular momentum about the vertical stays whatever the winch does.

    Parameters
    ----------
    machine
        A crane with ``lengths="hoisted"``.
    """
    from scipy.linalg import eigh

    _hoisted(machine)
    eom = derive(machine, backend="vm")
    sway, s = _Sway.of(eom), eom.symbolic
    at = hanging(machine)
    q0, p = np.array([at[name] for name in machine.q_names]), eom.parameter_values(None)
    a, l = sway.angles, q0[sway.length]
    bending = ca.Function("K", [s.q, s.p], [ca.jacobian(ca.substitute(s.bias, s.v, ca.SX.zeros(eom.nv)), s.q)])
    M, K = eom.mass_matrix(q0)[np.ix_(a, a)], np.array(bending(q0, p).full())[np.ix_(a, a)]
    spatial, L = any(name.startswith("phi") for name in machine.q_names), float(link_lengths(machine).sum())
    plane = [i for i, k in enumerate(a) if machine.q_names[k].startswith("theta")]
    other = [i for i in range(len(a)) if i not in plane]
    squares, shapes = eigh(K[np.ix_(plane, plane)], M[np.ix_(plane, plane)])
    rows = []
    for k, w in enumerate(np.sqrt(squares), start=1):
        small = 1e-4 * np.sqrt(L / -nominal(machine.gravity[2])) / np.abs(shapes[:, k - 1]).max()
        phi, psi = np.zeros((2, len(a)))
        phi[plane] = small * shapes[:, k - 1]
        rows.append(WinchReach(f"mode {k}", float(w), _amplitude(sway, phi, 0 * phi, w, l, p, L)))
        if spatial:
            psi[other] = small * shapes[:, k - 1]
            rows.append(WinchReach(f"mode {k}, circular", float(w), _amplitude(sway, phi, psi, w, l, p, L)))
    return tuple(rows)


def _amplitude(sway: _Sway, phi: Array, psi: Array, w: float, l: float, p: Array, L: float) -> float:
    """Part of ``A L/E`` at twice the frequency along ``phi cos(wt) + psi sin(wt)``."""
    values = []
    for c, s in ((1.0, 0.0), (0.0, 1.0)):
        theta, rate = phi * c + psi * s, w * (psi * c - phi * s)
        values.append(float(sway.power(theta, rate, l, p)[0] * L / sway.energy(theta, rate, l, p)))
    return abs(values[0] - values[1]) / 2
