"""Terms of constrained equations of a machine with every kind of row, against differences and formulas of its laws."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.support.all_rows import LIMIT, MU, SLIDING, machine_of_all_rows

import dalembert as da
from dalembert.engine.problem.problem import Problem
from dalembert.loop.closed_loop import close_loop


@cache
def _problem() -> tuple[da.EquationsOfMotion, Problem]:
    eom = da.equations(machine_of_all_rows(), backend="vm")
    return eom, close_loop(eom, None).problem


class _At:
    """A random state of the machine, with latches, and the values of tapes there."""

    def __init__(self, seed: int, latches: float | None = None) -> None:
        rng = np.random.default_rng(seed)
        self.eom, self.problem = _problem()
        assert self.problem.constrained is not None
        self.system = self.problem.constrained
        self.x, self.t = np.zeros(self.problem.n_states), 0.7
        nq, rows = self.eom.nq, self.eom.constraint_system
        self.x[:nq] = self.eom.random_configuration(rng, 0.3)
        self.x[nq : nq + self.eom.nv] = 0.3 * rng.normal(size=self.eom.nv)
        for name, value in zip(rows.latch_names, rows.latch_nominal, strict=True):
            self[name] = value
        self["work.input"], self["work.loss"] = 0.3, -0.2
        self.x[[self.eom.q_names.index("x1"), self.eom.q_names.index("x2")]] += 1.0
        self.x[self.eom.q_names.index("b.z")] += 1.0
        self.c, self.p = np.zeros(0), np.array(self.eom.machine.p_nominal)
        if latches is not None:
            for flag in self.system.flags[self.system.flags >= 0]:
                self.x[flag] = latches

    def __setitem__(self, name: str, value: float) -> None:
        self.x[self.problem.state_names.index(name)] = value

    def __getitem__(self, name: str) -> float:
        return float(self.x[self.problem.state_names.index(name)])

    @property
    def v(self) -> NDArray[Any]:
        return np.asarray(self.x[self.eom.nq : self.eom.nq + self.eom.nv])

    def of(self, function: ca.Function, *more: Any, x: Any = None, t: Any = None) -> dict[str, NDArray[Any]]:
        values = function(self.t if t is None else t, self.x if x is None else x, self.c, self.p, *more)
        values = values if isinstance(values, tuple) else (values,)
        arrays = [np.array(y) for y in values]
        columns = [y[:, 0] if y.shape[1] == 1 else y for y in arrays]
        return dict(zip(function.name_out(), columns, strict=True))

    def moved(self, h: float, a: NDArray[Any] | None = None) -> tuple[NDArray[Any], float]:
        """The state after a short time ``h`` with the accelerations ``a``."""
        x, n = self.x.copy(), self.eom.nq
        x[:n] = self.eom.integrate(self.x[:n], h * self.v)
        if a is not None:
            x[n : n + self.eom.nv] += h * a
        return x, self.t + h


@pytest.mark.parametrize("seed", range(2))
def test_rows_are_derivatives_of_each_other(seed: int) -> None:
    """``Phi' = J v + Phi_t`` is the rate of ``Phi`` where it has one, and ``J a - gamma`` that of ``Phi'``."""
    at = _At(seed, 1.0)
    tape, h = at.system.tape, 1e-6
    here = at.of(tape)
    still = at.x.copy()
    still[at.eom.nq : at.eom.nq + at.eom.nv] = 0.0
    np.testing.assert_allclose(here["phidot"], here["Jt"].T @ at.v + here["phi_t"], atol=1e-12)
    np.testing.assert_allclose(at.of(tape, x=still)["phidot"], here["phi_t"], atol=1e-12)
    (after, later), (before, earlier) = at.moved(h), at.moved(-h)
    ahead, behind = at.of(tape, x=after, t=later), at.of(tape, x=before, t=earlier)
    rates = (ahead["phi"] - behind["phi"]) / (2.0 * h)
    holds = [k for k, name in enumerate(at.system.row_names) if "friction" not in name]
    np.testing.assert_allclose(rates[holds], here["phidot"][holds], atol=1e-8)
    others = [k for k in range(at.system.m) if k not in holds]
    assert not here["phi"][others].any() and len(others) == 4  # two tangents, a sheave and a joint
    np.testing.assert_allclose((ahead["phidot"] - behind["phidot"]) / (2.0 * h), -here["gamma"], atol=1e-7)
    q = at.x[: at.eom.nq]
    np.testing.assert_allclose(here["M"], at.eom.mass_matrix(q), rtol=1e-12)
    geometry = at.of(at.system.geometry)
    assert all(np.array_equal(geometry[name], here[name]) for name in ("Jt", "phi", "phidot", "M"))
    d = 0.1 * np.arange(1.0, at.eom.nv + 1.0)
    there, straight = np.array(at.system.move(at.x, d, at.p))[:, 0], at.eom.integrate(q, d)
    np.testing.assert_allclose(there[3:], straight[3:], atol=1e-12)  # the ball goes along a screw, not straight on
    short = np.array(at.system.move(at.x, h * d, at.p))[:, 0]
    np.testing.assert_allclose((short - q) / h, (at.eom.integrate(q, h * d) - q) / h, atol=1e-5)


def test_forces_and_rates() -> None:
    """Damping and spring; works are those of the damping, and none of inputs."""
    at = _At(3)
    here = at.of(at.system.tape)
    names = at.eom.v_names
    k = names.index("x_dot")
    force = np.zeros(at.eom.nv)
    force[k] = -0.4 * at.v[k]
    bias = at.eom.bias(at.x[: at.eom.nq], at.v)
    np.testing.assert_allclose(here["f"], force - bias, atol=1e-12)
    h, (after, _) = 1e-7, at.moved(1e-7)
    np.testing.assert_allclose(here["rates"][: at.eom.nq], (after - at.x)[: at.eom.nq] / h, atol=1e-6)
    assert not here["rates"][at.eom.nq : at.eom.nq + at.eom.nv].any()
    assert here["rates"][-2] == 0.0
    assert here["rates"][-1] == pytest.approx(-0.4 * at.v[k] ** 2)


def test_derivatives_for_implicit_steps() -> None:
    """Of ``M a + J^T lambda - f`` by displacements and velocities."""
    at, rng = _At(4, 1.0), np.random.default_rng(4)
    a, multipliers = rng.normal(size=at.eom.nv), rng.normal(size=at.system.m)

    def residual(x: NDArray[Any]) -> NDArray[Any]:
        y = at.of(at.system.tape, x=x)
        return np.asarray(y["M"] @ a + y["Jt"] @ multipliers - y["f"])

    found = at.of(at.system.rate, a, multipliers)
    h, n, nv = 1e-6, at.eom.nq, at.eom.nv
    for k in range(nv):
        ends = []
        for sign in (1.0, -1.0):
            x, y = at.x.copy(), at.x.copy()
            x[:n] = at.eom.integrate(at.x[:n], sign * h * np.eye(nv)[k])
            y[n + k] += sign * h
            ends.append((residual(x), residual(y)))
        by_q, by_v = ((ends[0][i] - ends[1][i]) / (2.0 * h) for i in (0, 1))
        np.testing.assert_allclose(found["K"][:, k], by_q, atol=1e-6)
        np.testing.assert_allclose(found["D"][:, k], by_v, atol=1e-6)


def test_tables_of_rows() -> None:
    """Which rows rub, which switch each has, where its share, its loss and its signal are."""
    at = _At(5)
    s, names = at.system, list(at.problem.state_names)
    row = {name: k for k, name in enumerate(s.row_names)}
    floor, tangents = row["floor"], (row["floor.friction[0]"], row["floor.friction[1]"])
    sheave, rope, joint = row["r.G.friction"], row["r"], row["x.friction"]
    assert s.rubbing == ((rope, sheave, -1), (floor, *tangents), (-1, joint, -1))
    assert s.ropes == (1,) and s.unilateral == (row["c"], rope, floor, row["smooth"])
    switches = {name: names[s.flags[k]] if s.flags[k] >= 0 else "" for name, k in row.items()}
    assert switches == {
        "rod": "", "drive": "", "c": "active.c", "r": "active.r", "r.G.friction": "stick.r.G", "floor": "active.floor",
        "smooth": "active.smooth", "floor.friction[0]": "stick.floor", "floor.friction[1]": "stick.floor",
        "x.friction": "stick.x",
    }  # fmt: skip
    shares = {name: names[s.shares[k]] for name, k in row.items() if s.shares[k] >= 0}
    assert shares == {
        "r": "share.r", "r.G.friction": "share.r.G", "floor": "share.floor[0]", "x.friction": "share.x",
        "floor.friction[0]": "share.floor[1]", "floor.friction[1]": "share.floor[2]",
    }  # fmt: skip
    losses = {name: names[s.losses[k]] for name, k in row.items() if s.losses[k] >= 0}
    assert losses == {
        "r.G.friction": "loss.r.G", "floor": "loss.floor", "smooth": "loss.smooth", "x.friction": "loss.x",
        "floor.friction[0]": "loss.floor", "floor.friction[1]": "loss.floor",
    }  # fmt: skip
    signals = dict(zip(s.signal_names, (s.row_names[k] for k in s.signal_rows), strict=True))
    assert signals == {
        "multiplier.rod": "rod", "multiplier.drive": "drive", "tension.c": "c", "tension.r[0]": "r.G.friction",
        "tension.r[1]": "r", "force.floor.normal": "floor", "force.smooth.normal": "smooth", "friction.x": "x.friction",
        "force.floor.tangent1": "floor.friction[0]", "force.floor.tangent2": "floor.friction[1]",
    }  # fmt: skip
    assert names[s.impulses] == "impulse.r.G" and names[s.work_input] == "work.input"
    assert (s.nq, s.nv, s.m, s.constant_mass) == (at.eom.nq, at.eom.nv, 10, at.system.constant_mass)


def _slip(at: _At) -> tuple[NDArray[Any], NDArray[Any], float]:
    """Let the ball slip: its tangential velocity, and the direction in which it began, 20 degrees off."""
    rows = [at.system.row_names.index(f"floor.friction[{k}]") for k in (0, 1)]
    u = -at.of(at.system.tape)["phidot"][rows]
    turn = np.radians(20.0)
    R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    toward = R @ u / np.linalg.norm(u)
    at["active.floor"], at["stick.floor"], at["leeway.floor"] = 1.0, 0.0, 0.05
    for k in (0, 1):
        at[f"toward.floor[{k}]"] = toward[k]
    return u, toward, float(u @ toward)


def test_friction_of_a_contact_that_slips() -> None:
    """Along its velocity, up to 60 degrees from where it began; it has turned where less than half of it is ahead."""
    at = _At(6)
    u, toward, along = _slip(at)
    assert at.system.contact is not None
    rows = [at.system.row_names.index(f"floor.friction[{k}]") for k in (0, 1)]
    found = at.of(at.system.contact)
    np.testing.assert_allclose(found["drag"][rows], -MU * u / np.linalg.norm(u), atol=1e-12)
    place = 3 * 1  # after the sheave
    mu, turned, size = found["cone"][place : place + 3]
    assert mu == MU and size == pytest.approx(np.linalg.norm(u))
    assert turned == pytest.approx(along - 0.5 * np.linalg.norm(u) + 0.05)
    began = 0.3 * u / np.linalg.norm(u) + [-toward[1], toward[0]]  # across
    began = began / np.linalg.norm(began)
    for k in (0, 1):
        at[f"toward.floor[{k}]"] = began[k]
    ahead, aside = u @ began, u - (u @ began) * began
    forward = max(abs(ahead), math.tan(math.pi / 6) * np.linalg.norm(aside))
    d = forward * began + aside
    found = at.of(at.system.contact)
    np.testing.assert_allclose(found["drag"][rows], -MU * d / np.linalg.norm(d), atol=1e-9)
    at["toward.floor[0]"] = at["toward.floor[1]"] = 0.0
    found = at.of(at.system.contact)
    assert not found["drag"].any() and found["cone"][place + 1] == 1.0


def test_forces_that_are_known_beforehand() -> None:
    """Friction of a joint that slips, and given parts of multipliers; those of a rope in the ratio of its sheave."""
    at = _At(7, 0.0)
    assert at.system.contact is not None
    row = {name: k for k, name in enumerate(at.system.row_names)}
    plain = at.of(at.system.tape)
    kappa = at.of(at.system.contact)["cone"][0]
    names = ("toward.x", "leeway.x", "share.x", "toward.r.G", "leeway.r.G", "share.r", "share.r.G", "share.floor[0]",
             "share.floor[1]", "share.floor[2]", "toward.floor[0]", "toward.floor[1]")  # fmt: skip
    for name in names:
        at[name] = 0.0
    quiet = at.of(at.system.contact)
    np.testing.assert_allclose(quiet["f"], plain["f"], atol=1e-12)
    assert kappa == pytest.approx(0.2 * np.pi)  # half a turn about the guide
    u = -plain["phidot"]
    # a joint that slips forwards: its friction is known, as is how far it still moves that way
    at["toward.x"], at["leeway.x"] = 1.0, 0.02
    at["x_dot"] = 0.3
    moving = at.of(at.system.tape)
    found = at.of(at.system.contact)
    rate = -moving["phidot"][row["x.friction"]]
    assert abs(rate) == pytest.approx(0.3)
    friction = found["cone"][6 + 2]
    assert found["cone"][6] == pytest.approx(LIMIT) and friction == pytest.approx(-SLIDING * 1.0)
    assert found["cone"][6 + 1] == pytest.approx(rate + 0.02)
    np.testing.assert_allclose(found["f"], moving["f"] - moving["Jt"][:, row["x.friction"]] * friction, atol=1e-12)
    at["toward.x"] = 0.0
    # shares of rows that act, and only of these
    at["share.x"], at["stick.x"], at["share.floor[0]"], at["active.floor"] = 0.7, 1.0, 2.0, 0.0
    found, moving = at.of(at.system.contact), at.of(at.system.tape)
    np.testing.assert_allclose(found["f"], moving["f"] - 0.7 * moving["Jt"][:, row["x.friction"]], atol=1e-12)
    at["active.floor"] = 1.0
    found = at.of(at.system.contact)
    expected = moving["f"] - moving["Jt"] @ (0.7 * np.eye(10)[row["x.friction"]] + 2.0 * np.eye(10)[row["floor"]])
    np.testing.assert_allclose(found["f"], expected, atol=1e-12)
    # a rope whose sheave slips: the tension before it is that behind it times the limit
    at["stick.x"] = at["active.floor"] = 0.0
    at["active.r"], at["share.r"], at["toward.r.G"], at["leeway.r.G"], at["share.r.G"] = 1.0, 50.0, 1.0, 0.03, 60.0
    found, moving = at.of(at.system.contact), at.of(at.system.tape)
    before = 50.0 * np.exp(-kappa)
    pulled = 50.0 * np.eye(10)[row["r"]] + (before - 50.0) * np.eye(10)[row["r.G.friction"]]
    np.testing.assert_allclose(found["f"], moving["f"] - moving["Jt"] @ pulled, atol=1e-10)
    slip = moving["phidot"][row["r.G.friction"]]
    assert found["cone"][1] == pytest.approx(0.03 - slip) and found["cone"][2] == pytest.approx(np.exp(-kappa) - 1.0)
    at["toward.r.G"], at["stick.r.G"] = 0.0, 1.0
    found = at.of(at.system.contact)
    pulled = 50.0 * np.eye(10)[row["r"]] + (60.0 - 50.0) * np.eye(10)[row["r.G.friction"]]
    np.testing.assert_allclose(found["f"], moving["f"] - moving["Jt"] @ pulled, atol=1e-10)
    assert found["cone"][1] == 1.0 and len(u) == 10
    lengths = found["cone"][9:-1]
    q = dict(zip(at.eom.q_names, at.x[: at.eom.nq], strict=True))
    np.testing.assert_allclose(lengths, [0.5 + q["x1"], 0.5 + q["x2"]], rtol=1e-9)


def test_energy_beside_steps() -> None:
    """What a step of a machine with contacts that rub must not add to: energy less works."""
    at = _At(8)
    assert at.system.balance is not None
    found = at.of(at.system.balance)
    q = at.x[: at.eom.nq]
    kinetic = 0.5 * at.v @ at.eom.mass_matrix(q) @ at.v
    assert found["kinetic"][0] == pytest.approx(kinetic)
    s = at.eom.symbolic
    potential = float(ca.Function("V", [s.q, s.p], [s.potential_energy])(q, at.p))
    whole = kinetic + potential - at["work.input"] - at["work.loss"]
    assert found["left"][0] == pytest.approx(whole)


def test_sweeps_of_the_mass_matrix() -> None:
    at = _At(9)
    assert at.system.sweeps is not None
    M, n = at.of(at.system.tape)["M"], at.eom.nv
    columns = [at.of(at.system.sweeps, b) for b in np.eye(n)]
    lower, upper = (np.array([c[name] for c in columns]).T for name in ("lower", "upper"))
    np.testing.assert_allclose(upper, lower.T, atol=1e-12)
    np.testing.assert_allclose(lower @ M @ upper, np.diag(1.0 / columns[0]["inverse"]), atol=1e-10)
