"""The misprints of CRANE (docs/errata.md): what is printed, what is right, and a derivation that decides.

The derivation is automatic differentiation of the kinetic energy of the nodes, written as speeds of the positions (6),
(7); it shares nothing with the closed forms of the package. Sums of the document that run over ``k`` with
``a_k = theta_1 + .. + theta_k`` are typed as they are printed, so that a limit or a mass can be put right or left
wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.control.underactuated import partition
from dalembert.systems.cranes import LumpedCable, planar_crane

Array = np.ndarray
EXACT = 1e-12


@dataclass(frozen=True)
class State:
    """A motion of the crane; ``a``, ``l`` and their derivatives are indexed from 1, as in the document."""

    masses: Array  # m_1 .. m_N
    x: Array  # x', x''
    theta: Array  # theta, theta', theta''
    length: Array  # l, l', l''

    @property
    def n(self) -> int:
        return len(self.masses)

    def m(self, i: int) -> float:
        return float(self.masses[i - 1])

    def link(self, k: int, order: int = 0) -> float:
        return float(self.length[order, k - 1])

    def a(self, k: int, order: int = 0) -> float:
        return float(self.theta[order, :k].sum())


def random_state(n: int, seed: int, *, payload_only: bool = False, angle: float = 1.0) -> State:
    rng = np.random.default_rng(seed)
    masses = rng.uniform(0.5, 3.0, n)
    if payload_only:
        masses[:-1] = 0.0
    theta = rng.normal(size=(3, n))
    theta[0] *= angle
    length = np.vstack([rng.uniform(0.5, 2.0, n), rng.normal(size=(2, n))])
    return State(masses, rng.normal(size=2), theta, length)


def derived(state: State) -> dict[str, Array]:
    """``d/dt dT/dq'`` and ``dT/dq`` of the nodes, and their mass matrix, by automatic differentiation."""
    n = state.n
    q, v, acc = (ca.SX.sym(name, 2 * n + 1) for name in ("q", "v", "acc"))
    point, T = ca.vertcat(q[0], 0), ca.SX(0)
    for i in range(n):
        a = ca.sum1(q[1 : i + 2])
        point = point + q[n + 1 + i] * ca.vertcat(ca.sin(a), -ca.cos(a))
        T += state.masses[i] / 2 * ca.sumsqr(ca.jtimes(point, q, v))
    momentum = ca.gradient(T, v)
    rate = ca.jtimes(momentum, q, v) + ca.jtimes(momentum, v, acc)
    f = ca.Function("f", [q, v, acc], [rate, ca.gradient(T, q), ca.hessian(T, v)[0]])
    columns = [
        np.concatenate([[x], theta, length])
        for x, theta, length in zip((0.3, *state.x), state.theta, state.length, strict=True)
    ]
    rate_value, gradient, mass = (np.array(y) for y in f(*columns))
    return {"rate": rate_value[:, 0], "gradient": gradient[:, 0], "mass": mass}


def total(first: int, last: int, term: Callable[[int], float]) -> float:
    return sum(term(k) for k in range(first, last + 1))


# -- (26) --------------------------------------------------------------------------------------------------------------


def test_26_momentum_of_one_link() -> None:
    """The brace of (26) has l1' theta1 for l1' sin(theta1), which its derivative by theta1' does not see."""
    s = random_state(1, seed=26)
    derivation = derived(s)
    v = np.array([s.x[0], s.theta[1, 0], s.length[1, 0]])
    momentum = s.m(1) * s.link(1) * np.cos(s.a(1)) * s.x[0] + s.m(1) * s.link(1) ** 2 * s.a(1, 1)
    assert momentum == pytest.approx((derivation["mass"] @ v)[1], rel=EXACT)
    speed = s.x[0] + s.link(1) * s.a(1, 1) * np.cos(s.a(1)) + s.link(1, 1) * np.sin(s.a(1))
    printed = s.x[0] + s.link(1) * s.a(1, 1) * np.cos(s.a(1)) + s.link(1, 1) * s.a(1)
    up = s.link(1) * s.a(1, 1) * np.sin(s.a(1)) - s.link(1, 1) * np.cos(s.a(1))
    energy = 0.5 * v @ derivation["mass"] @ v
    assert s.m(1) / 2 * (speed**2 + up**2) == pytest.approx(energy, rel=EXACT)
    assert abs(s.m(1) / 2 * (printed**2 + up**2) / energy - 1) > 1e-3


def test_27_and_50_of_one_link() -> None:
    """(27) is right; (50) is (27) to first order in the angle, which (49) is not."""
    errors = []
    for angle in (1e-2, 1e-3):
        s = random_state(1, seed=27, angle=angle)
        rate, m, (x1, x2) = derived(s)["rate"][1], s.m(1), s.x
        l, a, c, sine = s.link(1), s.a(1), np.cos(s.a(1)), np.sin(s.a(1))
        turning = 2 * m * l * s.link(1, 1) * s.a(1, 1) + m * l**2 * s.a(1, 2)
        right = m * l * c * x2 + m * s.link(1, 1) * c * x1 - m * l * s.a(1, 1) * sine * x1 + turning
        assert right == pytest.approx(rate, rel=1e-11)
        fifty = m * l * x2 + m * s.link(1, 1) * x1 - m * l * s.a(1, 1) * a * x1 + turning
        errors.append([abs(fifty - rate), abs(equation_49(s, 1, 1) - rate)])
    order = np.log10(np.divide(*errors))
    assert np.allclose(order, [2.0, 1.0], atol=0.1)


# -- large payload: (43), (48), (49), (65), (73) -----------------------------------------------------------------------


def equation_43(s: State, n: int, last: int, sin: Callable[[float], float], cos: Callable[[float], float]) -> float:
    """(43) with the upper limit of its last line as an argument: printed is M."""
    N, x1, x2 = s.n, *s.x

    def forward(k: int) -> float:
        return (
            2 * s.link(k, 1) * s.a(k, 1) * cos(s.a(k))
            + s.link(k) * s.a(k, 2) * cos(s.a(k))
            - s.link(k) * s.a(k, 1) ** 2 * sin(s.a(k))
            + s.link(k, 2) * sin(s.a(k))
        )

    def upward(k: int) -> float:
        return (
            2 * s.link(k, 1) * s.a(k, 1) * sin(s.a(k))
            + s.link(k) * s.a(k, 2) * sin(s.a(k))
            + s.link(k) * s.a(k, 1) ** 2 * cos(s.a(k))
            - s.link(k, 2) * cos(s.a(k))
        )

    def x_rate(k: int) -> float:
        return s.link(k) * s.a(k, 1) * cos(s.a(k)) + s.link(k, 1) * sin(s.a(k))

    def y_rate(k: int) -> float:
        return s.link(k) * s.a(k, 1) * sin(s.a(k)) - s.link(k, 1) * cos(s.a(k))

    return s.m(N) * (
        (x2 + total(1, N, forward)) * total(n, N, lambda k: s.link(k) * cos(s.a(k)))
        - (x1 + total(1, N, x_rate)) * total(n, N, y_rate)
        + total(1, N, upward) * total(n, N, lambda k: s.link(k) * sin(s.a(k)))
        + total(1, N, y_rate) * total(n, last, x_rate)
    )


@pytest.mark.parametrize("n", [1, 2, 3])
def test_43_upper_limits_are_n(n: int) -> None:
    s = random_state(3, seed=43, payload_only=True)
    rate = derived(s)["rate"][n]
    assert equation_43(s, n, 3, np.sin, np.cos) == pytest.approx(rate, rel=1e-11)
    assert abs(equation_43(s, n, 2, np.sin, np.cos) / rate - 1) > 1e-3  # no other limit will do


def last_line_of_48(s: State, n: int) -> float:
    upward = total(1, 3, lambda k: s.link(k) * s.a(k, 1) * s.a(k) - s.link(k, 1))
    return upward * total(n, 3, lambda k: s.link(k) * s.a(k, 1) + s.link(k, 1) * s.a(k))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_48_is_43_to_first_order_with_m_n(n: int) -> None:
    """sin a = a, cos a = 1; m_M of its last line is m_N. What is left is of second order in the angles."""
    errors, without = [], []
    for angle in (1e-2, 1e-3):
        s = random_state(3, seed=48, payload_only=True, angle=angle)
        rate = derived(s)["rate"][n]
        right = equation_43(s, n, 3, lambda a: a, lambda a: 1.0)
        errors.append(abs(right - rate))
        without.append(abs(right - s.m(3) * last_line_of_48(s, n) - rate))
    assert errors[0] / errors[1] == pytest.approx(100.0, rel=0.2)
    assert without[1] > 0.1  # the line is needed, whatever its mass is called


def equation_49(s: State, n: int, first: int) -> float:
    """(49) with the lower limit of its last sum as an argument: printed is i."""
    N = s.n
    return s.m(N) * (
        total(n, N, s.link) * (s.x[1] + total(1, N, lambda k: 2 * s.link(k, 1) * s.a(k, 1) + s.link(k) * s.a(k, 2)))
        + total(n, N, lambda k: s.link(k, 1)) * (s.x[0] + total(1, N, lambda k: s.link(k) * s.a(k, 1)))
        - total(1, N, lambda k: s.link(k, 1)) * total(first, N, lambda k: s.link(k) * s.a(k, 1))
    )


@pytest.mark.parametrize("n", [1, 2, 3])
def test_49_lower_limit_is_n(n: int) -> None:
    s = random_state(3, seed=49, payload_only=True, angle=0.0)
    rate = derived(s)["rate"][n]
    assert equation_49(s, n, n) == pytest.approx(rate, rel=1e-11)
    others = [equation_49(s, n, first) for first in (1, 2, 3) if first != n]
    assert all(abs(value - rate) > 1e-3 for value in others)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_65_diagonal_is_the_payload(n: int) -> None:
    """Right as printed: the sum of (56), which is m_N for every n when the other masses vanish."""
    s = random_state(3, seed=65, payload_only=True)
    assert derived(s)["mass"][3 + n, 3 + n] == pytest.approx(s.m(3), rel=EXACT)
    assert total(n, 3, s.m) == s.m(3)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_73_holds_as_printed_for_the_first_angle_only(n: int) -> None:
    """Second factor: printed is the sum of l_k a_k' from 1, right is from n; then the terms do not cancel."""
    s = random_state(3, seed=73, payload_only=True, angle=0.0)
    N, gradient = 3, derived(s)["gradient"][n]

    def turned(k: int) -> float:
        return s.link(k) * s.a(k, 1)

    wound, wound_below = total(1, N, lambda k: s.link(k, 1)), total(n, N, lambda k: s.link(k, 1))
    right = s.m(N) * ((s.x[0] + total(1, N, turned)) * wound_below - wound * total(n, N, turned))
    first_line = s.m(N) * ((s.x[0] + total(1, N, turned)) * wound_below - wound * total(1, N, turned))
    second_line = s.m(N) * wound_below * (s.x[0] + total(1, N, turned) - total(n, N, turned))
    result = s.m(N) * wound_below * s.x[0]
    assert right == pytest.approx(gradient, rel=1e-11)
    for printed in (first_line, second_line, result):
        assert (abs(printed - gradient) < 1e-11) == (n == 1)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_remarks_after_83(n: int) -> None:
    """For small angles dU/dtheta_n is of first order, not zero; with a large payload the sum begins at n, of a_k."""
    g = 9.81
    crane = planar_crane(LumpedCable(masses=[1.0, 2.0, 4.0], lengths=[1.0, 1.5, 0.7]), trolley=3.0)
    eom = da.equations(crane, backend="vm")
    masses, l = np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.5, 0.7])
    theta = np.array([0.2, -0.5, 0.4])
    errors = []
    for angle in (1e-2, 1e-3):
        a = np.cumsum(angle * theta)
        force = eom.gravity(np.array([0.0, *(angle * theta)]))[n]
        first = g * sum(masses[i] * (l[n - 1 : i + 1] @ a[n - 1 : i + 1]) for i in range(n - 1, 3))
        errors.append(abs(force - first))
        assert abs(force) > 0.1 * angle  # printed: 0
    assert errors[0] / errors[1] == pytest.approx(1e3, rel=0.05)
    light = planar_crane(LumpedCable(masses=[1e-9, 1e-9, 4.0], lengths=l), trolley=3.0)
    force = da.equations(light, backend="vm").gravity(np.array([0.0, *theta]))[n]
    a = np.cumsum(theta)
    assert force == pytest.approx(4.0 * g * l[n - 1 :] @ np.sin(a[n - 1 :]), rel=1e-7)
    assert abs(force - 4.0 * g * l.sum() * np.sin(a[-1])) > 1.0  # as printed


# -- mass matrices: (56), (57), (145), (174), (196) --------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3])
def test_56_and_57_sum_from_n(n: int) -> None:
    """Both have sums from i = l, which is no index; (57) has n_k'' for l_k''."""
    s = random_state(3, seed=56)
    mass = derived(s)["mass"]
    assert total(n, 3, s.m) == pytest.approx(mass[3 + n, 3 + n], rel=EXACT)  # (56)
    wound = np.concatenate([np.zeros(4), s.length[2]])
    for first in (1, 2, 3):
        row = sum(
            s.m(i)
            * (
                total(1, i, lambda k: s.link(k, 2) * np.sin(s.a(k))) * np.sin(s.a(n))
                + total(1, i, lambda k: s.link(k, 2) * np.cos(s.a(k))) * np.cos(s.a(n))
            )
            for i in range(first, 4)
        )
        assert (abs(row - (mass @ wound)[3 + n]) < 1e-11) == (first == n)


def test_comment_after_55() -> None:
    """The couplings of l_n with the angles are sines of a_n - a_k, not proportional to sin(a_n)."""
    s = random_state(3, seed=55)
    upright = State(s.masses, s.x, s.theta.copy(), s.length)
    upright.theta[0] = [0.6, -0.9, 0.3]  # a_3 = 0: the third link hangs straight
    row = derived(upright)["mass"][6]
    assert abs(row[0]) < 1e-15
    assert np.allclose(
        row[1:3], s.m(3) * np.array([s.link(1) * np.sin(-0.6) + s.link(2) * np.sin(0.3), s.link(2) * np.sin(0.3)])
    )


def test_145_has_the_payload() -> None:
    """m_32 has m_2 l_2^2; printed is m l_2^2, with the mass of the trolley."""
    s = random_state(2, seed=145, payload_only=True)
    trolley, (l1, l2) = 7.0, s.length[0]
    crane = planar_crane(LumpedCable(masses=[1e-12, s.m(2)], lengths=[l1, l2]), trolley=trolley, lengths="variable")
    q = np.array([0.0, s.theta[0, 0], l1, s.theta[0, 1], l2])
    ours = da.equations(crane, backend="vm").mass_matrix(q)[3, 1]
    assert ours == pytest.approx(derived(s)["mass"][2, 1], rel=1e-9)
    strong = s.m(2) * l1 * l2 * np.cos(s.theta[0, 1])
    assert strong + s.m(2) * l2**2 == pytest.approx(ours, rel=1e-9)
    assert abs(strong + trolley * l2**2 - ours) > 1.0


def test_174_entries() -> None:
    """m_22 has 2 m_2 l1 l2 cos(theta2) (printed m_1), m_23 has cos(theta2) (printed theta1)."""
    s = random_state(2, seed=174)
    (t1, t2), (l1, l2), m1, m2 = s.theta[0], s.length[0], s.m(1), s.m(2)
    derivation = derived(s)["mass"][:4, :4]
    crane = planar_crane(LumpedCable(masses=[m1, m2], lengths=[l1, l2]), trolley=3.0, lengths="hoisted")
    order = [crane.q_names.index(name) for name in ("x", "theta1", "theta2", "l1")]
    ours = da.equations(crane, backend="vm").mass_matrix(np.array([0.0, t1, l1, t2]))[np.ix_(order, order)]
    assert np.allclose(ours - np.diag([3.0, 0, 0, 0]), derivation, rtol=0, atol=1e-12)
    c1, c2, c12, s1, s2 = np.cos(t1), np.cos(t2), np.cos(t1 + t2), np.sin(t1), np.sin(t2)
    rows = [
        [m1 + m2, m1 * l1 * c1 + m2 * (l1 * c1 + l2 * c12), m2 * l2 * c12, (m1 + m2) * s1],
        [0, m1 * l1**2 + m2 * (l1**2 + l2**2) + 2 * m2 * l1 * l2 * c2, m2 * l2**2 + m2 * l1 * l2 * c2, -m2 * l2 * s2],
        [0, 0, m2 * l2**2, -m2 * l2 * s2],
        [0, 0, 0, m1 + m2],
    ]
    right = np.triu(rows) + np.triu(rows, 1).T
    assert np.allclose(right, derivation, rtol=0, atol=1e-12)
    printed = right.copy()
    printed[1, 1] += 2 * (m1 - m2) * l1 * l2 * c2
    printed[1, 2] += m2 * l1 * l2 * (c1 - c2)
    assert np.abs(printed - derivation)[1, 1] > 0.1
    assert abs(printed[1, 2] - printed[2, 1]) > 0.1


def test_196_coupling_is_a_column() -> None:
    """The matrix is right; its block M_(x l1, theta1) is the column (m1 l1 cos(theta1), 0), not the number."""
    crane = planar_crane(LumpedCable(masses=[2.0], lengths=[1.5]), trolley=3.0, lengths="hoisted")
    eom = da.equations(crane, backend="vm")
    t1, l1 = 0.7, 1.3
    M = eom.mass_matrix(np.array([0.0, t1, l1]))
    parts = partition(eom)
    a, u = list(parts.driven), list(parts.other)
    assert [crane.v_names[i] for i in a] == ["x_dot", "l1_dot"]
    printed = [
        [5.0, 2 * np.sin(t1), 2 * l1 * np.cos(t1)],
        [2 * np.sin(t1), 2.0, 0.0],
        [2 * l1 * np.cos(t1), 0, 2 * l1**2],
    ]
    assert np.allclose(M[np.ix_(a + u, a + u)], printed, rtol=0, atol=1e-14)
    assert np.allclose(M[np.ix_(a, u)], [[2.0 * l1 * np.cos(t1)], [0.0]], rtol=0, atol=1e-14)


# -- section 6.2.3 -----------------------------------------------------------------------------------------------------


def horizontal(q: ca.SX, n: int) -> ca.SX:
    """``q_x = (x, theta, x_1 .. x_N)`` for small angles."""
    x = [q[0]]
    for j in range(n):
        x.append(x[-1] + q[n + 1 + j] * ca.sum1(q[1 : j + 2]))
    return ca.vertcat(q[: n + 1], *x[1:])


def test_623_transformation() -> None:
    """(187)-(190) are right; q_x'' needs dQ/dq where the second derivative is printed, x_i' needs x' too."""
    n, rng = 3, np.random.default_rng(623)
    q, v, acc = (ca.SX.sym(name, 2 * n + 1) for name in ("q", "v", "acc"))
    Q = horizontal(q, n)
    J = ca.jacobian(Q, q)
    rate = ca.jtimes(Q, q, v)
    second = ca.jtimes(rate, q, v) + ca.jtimes(rate, v, acc)
    turned = ca.reshape(ca.jtimes(ca.vec(ca.densify(J)), q, v), *J.shape)
    at = [np.concatenate([rng.normal(size=n + 1), rng.uniform(0.5, 2, n)]), *rng.normal(size=(2, 2 * n + 1))]
    J_, rate_, second_, turned_ = (np.array(y) for y in ca.Function("f", [q, v, acc], [J, rate, second, turned])(*at))
    theta, l, (v_, acc_) = at[0][1 : n + 1], at[0][n + 1 :], at[1:]
    assert np.allclose(second_[:, 0], J_ @ acc_ + turned_ @ v_, atol=1e-12)

    Q_L = np.array([[l[j : i + 1].sum() for j in range(n)] for i in range(n)])  # (188)
    Q_theta = np.tril(np.tile(np.cumsum(theta), (n, 1)))  # (189)
    bar = np.hstack([np.ones((n, 1)), Q_L])
    printed = np.block([[np.eye(n + 1), np.zeros((n + 1, n))], [bar, Q_theta]])  # (187)
    assert np.allclose(printed, J_, atol=1e-12)
    assert np.linalg.det(printed) == pytest.approx(np.prod(np.cumsum(theta)), rel=1e-10)
    solved = np.linalg.inv(Q_theta)
    inverse = np.block([[np.eye(n + 1), np.zeros((n + 1, n))], [-solved @ bar, solved]])  # (190)
    assert np.allclose(inverse @ J_, np.eye(2 * n + 1), atol=1e-9)
    nodes = rate_[n + 1 :, 0]
    assert np.allclose(nodes, bar @ v_[: n + 1] + Q_theta @ v_[n + 1 :], atol=1e-12)
    assert bar.shape == (n, n + 1)  # printed is its product with theta', which has n components
    assert not np.allclose(nodes, Q_L @ v_[1 : n + 1] + Q_theta @ v_[n + 1 :], atol=1e-3)  # what that leaves out: x'


def test_623_speed_of_the_nodes() -> None:
    """x_i is a position in the world: its rate is the speed of A_i, as in the energy; printed is x' + x_i'."""
    s = random_state(3, seed=624, angle=0.0)
    speeds = s.x[0] + np.array([total(1, i, lambda k: s.link(k) * s.a(k, 1)) for i in (1, 2, 3)])
    v = np.concatenate([[s.x[0]], s.theta[1], np.zeros(3)])
    energy = 0.5 * v @ derived(s)["mass"] @ v
    assert 0.5 * s.masses @ speeds**2 == pytest.approx(energy, rel=EXACT)
    assert abs(0.5 * s.masses @ (s.x[0] + speeds) ** 2 / energy - 1) > 0.01
