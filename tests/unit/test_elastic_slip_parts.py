"""Elastic ropes with friction at sheaves at random states: power, the law and its rates, at events and in steps."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq

import dalembert as da
from dalembert.formulations.constraints.elastic_sheaves import elastic_sheaves_of, eliminated, span_lengths
from dalembert.formulations.constraints.elastic_slips import ElasticSlips, elastic_slips_of
from dalembert.studies.ropes.machines import CRANE_START, belt, tackle, tower_crane

LOSS = da.SheaveLoss(bending=0.1)
ROLLS = da.SheaveLoss(bearing=0.2, pin=0.02, bending=0.05)  # depends on the arc
RATE = 100.0  # at which an error of the ratio decays


def _machine(name: str, damping: float) -> da.Machine:
    rope: dict[str, Any] = {"stiffness": 2e5, "damping": damping}
    if name == "tackle":
        return tackle(3, 60.0, 15.0, loss=LOSS, length=11.0, **rope)
    if name == "crane":
        return tower_crane([ROLLS, ROLLS, ROLLS], length=55.0, **rope)
    machine = belt(0.0)
    return machine.with_(ropes=[replace(machine.ropes[0], damping=damping)])


class _State:
    """A random taut state of the rope of a machine, with functions of it."""

    def __init__(
        self, name: str, damping: float, seed: int, slips: int = 0, near: tuple[float, float] = (0.8, 1.1)
    ) -> None:
        rng, (self.eom, self.slips) = np.random.default_rng(seed), _equations(name, damping)
        eom, s = self.eom, self.eom.symbolic
        (self.one,) = self.slips.sections
        self.belt: Any = self.one.belt  # type: ignore[union-attr]
        m, n = len(self.belt.rubs), int(self.belt.L.shape[0])
        q = eom.machine.q_neutral + 0.02 * rng.normal(size=eom.nq)
        if name == "crane":
            q = np.array([CRANE_START["q0"][k] for k in eom.q_names]) + 0.1 * rng.normal(size=eom.nq)
        self.at = [q, rng.normal(size=eom.nv), 0.3, eom.parameter_values(None)]
        found = self._function([s.q, s.p], [self.belt.L, self.belt.rims])(q, self.at[3])
        L, rims = (np.array(ca.DM(x)).ravel() for x in found)
        kappa = ca.vertcat(*(rub.kappa for rub in self.belt.rubs))
        numbers = self._function([s.q, s.p], [self.belt.terms.length, kappa])(q, self.at[3])
        total, kappas = (np.array(x).ravel() for x in numbers)
        part = rng.uniform(*near, m) * rng.choice([-1.0, 1.0], m)  # of the largest ratios
        ratios = np.exp(np.append(0.0, part * kappas)[:n].cumsum())

        def ends(strain: float) -> NDArray[Any]:
            return np.asarray(np.cumsum(L / (1.0 + strain * ratios)))

        strain = brentq(lambda x: ends(x)[-1] - total[0], 1e-6, 1.0)
        before = ends(strain)[:-1]
        if self.belt.ring:
            before = np.append(0.0, before) + rng.uniform(0.0, 0.1)
        started = rng.normal(size=m)
        self.symbols = [s.q, s.v, s.t, s.p, eom.constraint_system.latches, self.one.states]
        system = eom.constraint_system
        self.latches = np.zeros(int(system.latches.numel()))
        self.latches[system.latch_index(f"taut.{self.belt.terms.name}")] = 1.0
        for k, sheave in enumerate(self.belt.names):
            self.latches[system.latch_index(f"slips.{sheave}")] = slips >> k & 1
            self.latches[system.latch_index(f"material0.{sheave}")] = started[k]
        self.material = before + rims - started

    @staticmethod
    def _function(symbols: list[Any], outputs: list[Any]) -> ca.Function:
        return ca.Function("f", symbols, [ca.densify(ca.SX(y)) for y in outputs])

    def __call__(self, *outputs: Any) -> list[NDArray[Any]]:
        f = self._function(self.symbols, list(outputs))
        values = f(*self.at, self.latches, self.material)
        return [np.array(y).squeeze() for y in (values if isinstance(values, tuple) else (values,))]

    def along(self, y: Any) -> Any:
        """The rate of a function of the state while the machine moves and rope slips."""
        s = self.eom.symbolic
        return ca.jtimes(y, s.q, s.coordinate_rate) + ca.jacobian(y, self.one.states) @ self.one.rates


@cache
def _equations(name: str, damping: float) -> tuple[da.EquationsOfMotion, ElasticSlips]:
    eom = da.equations(_machine(name, damping), backend="vm")
    return eom, elastic_slips_of(eom)


CASES = [("tackle", 0.0), ("tackle", 40.0), ("crane", 0.0), ("crane", 40.0), ("belt", 0.0), ("belt", 40.0)]


@pytest.mark.parametrize(
    ("name", "damping", "slips"),
    [
        *((name, 0.0, slips) for name in ("tackle", "crane", "belt") for slips in (0, 1, 2)),
        *((*c, 0) for c in CASES[1::2]),
    ],
)
def test_power_of_a_rope_with_friction(name: str, damping: float, slips: int) -> None:
    """What the machine does on the rope goes into its strain, its sheaves and its damping, to rounding."""
    for seed in range(2):
        state = _State(name, damping, seed, slips)
        one, s, terms = state.one, state.eom.symbolic, state.belt.terms
        work, counted = ca.dot(one.force + terms.force, s.v), ca.dot(s.v, terms.loss)
        outputs = [state.along(one.energy + terms.energy), one.loss, work, one.tensions, one.losses, counted]
        stored, loss, done, T, lost, before = state(*outputs)  # the equations have the damping of the whole rope
        assert T.min() > 0.0
        scale = max(abs(float(stored)), abs(float(done)), float(np.abs(lost).max()))
        assert stored + loss - before == pytest.approx(-done, abs=1e-10 * scale)


def _law(E: Any, T: Any, i: int, j: int) -> Any:
    """Tension beyond the limit, on the side of the larger one."""
    return T[j] - E * T[i] if T[j] >= T[i] else T[i] - E * T[j]


@pytest.mark.parametrize("name", ["tackle", "crane", "belt"])
@pytest.mark.parametrize("slips", [0, 1, 2, 3])
def test_rates_of_tensions_past_a_sheave(name: str, slips: int) -> None:
    """Where it slips, what is beyond the limit decays; where it sticks, the rim carries stretched rope along."""
    for seed in range(2):
        state = _State(name, 0.0, seed, slips)
        one, belt_ = state.one, state.belt
        kappa = ca.vertcat(*(rub.kappa for rub in belt_.rubs))
        T, T_rate, k, k_rate, d, rims, strains, grows, g = state(
            one.tensions, state.along(one.tensions), kappa, belt_.rate(kappa), one.slips, belt_.rim_rates(
                state.eom.symbolic.v), one.strains, one.rates, ca.vertcat(*one.events[0]))  # fmt: skip
        T, T_rate, k, k_rate, d, rims, grows = map(np.atleast_1d, (T, T_rate, k, k_rate, d, rims, grows))
        sliding = [bool(slips >> at & 1) for at in range(len(k))]
        if name == "belt" and slips == 3:
            sliding[0] = False  # the product of all ratios is one: a wheel holds
        for at, (i, j) in enumerate(belt_.between):
            E, h = np.exp(k[at]), 1e-6
            beyond = _law(E, T, i, j)
            later = _law(np.exp(k[at] + h * k_rate[at]), T + h * T_rate, i, j)
            from_ = strains[i] if rims[at] > 0 else strains[j]
            creep = rims[at] * from_ / (1.0 + from_)
            assert grows[at] == pytest.approx(creep - d[at], rel=1e-12, abs=1e-14)
            signal, other = g[2 + 2 * at], g[3 + 2 * at]
            if sliding[at]:
                assert (later - beyond) / h == pytest.approx(-RATE * beyond, rel=1e-4, abs=1e-6 * np.abs(T_rate).max())
                assert other == pytest.approx(d[at] if T[j] >= T[i] else -d[at])
            else:
                assert d[at] == 0.0 and other == 1.0
                up, down = ((E * a - b, E * ra - rb + E * k_rate[at] * a) for a, b, ra, rb in (
                    (T[i], T[j], T_rate[i], T_rate[j]), (T[j], T[i], T_rate[j], T_rate[i])))  # fmt: skip
                room = min(max(x, y / RATE) for x, y in (up, down))
                if not slips >> at & 1:
                    EA = T[0] / strains[0]
                    assert signal * EA == pytest.approx(room, rel=1e-6, abs=1e-8 * T.max())


@pytest.mark.parametrize("name", ["tackle", "crane", "belt"])
def test_the_law_with_damping(name: str) -> None:
    """Tensions, of which damping is a part, are within the limit, and at it where rope slips."""
    held = slid = 0
    for seed in range(6):
        state = _State(name, 2e3 if name == "crane" else 40.0, seed)
        state.at[1] = 30.0 * seed * state.at[1]
        belt_ = state.belt
        T, d, k = state(state.one.tensions, state.one.slips, ca.vertcat(*(rub.kappa for rub in belt_.rubs)))
        for at, (i, j) in enumerate(belt_.between):
            ratio = np.log(T[j] / T[i])
            assert abs(ratio) <= k[at] + 1e-7
            if abs(d[at]) > 1e-9:
                slid += 1
                assert ratio == pytest.approx(np.copysign(k[at], d[at]), abs=1e-7)
            else:
                held += 1
    assert held and slid


@pytest.mark.parametrize("name", ["tackle", "belt"])
def test_events_of_ropes_with_damping(name: str) -> None:
    """Pull and stretch of the section; slips that begin at 1e-8 m/s and end at 1e-9 m/s."""
    for seed in range(3):
        for latch in (0, 1):
            for taut in (0.0, 1.0):
                state = _State(name, 40.0, seed, 3 * latch)
                state.at[1] = 30.0 * seed * state.at[1]
                one, terms, system = state.one, state.belt.terms, state.eom.constraint_system
                state.latches[system.latch_index(f"taut.{terms.name}")] = taut
                g, d, stretch, rate, length = state(
                    ca.vertcat(*one.events[0]), one.slips, terms.stretch, terms.rate, terms.length
                )
                EA = 7840.0 if name == "belt" else 2e5
                pull, least = min(stretch, stretch + 40.0 / EA * rate), 1e-13 * length
                expected = [1.0, pull + least, 1.0] if taut else [least - pull, 1.0, stretch]
                for k in range(len(state.belt.rubs)):
                    sticks = not (latch and k < 2)
                    expected.append(1e-8 - abs(d[k]) if sticks and taut else 1.0)
                    expected.append(1.0 if sticks or not taut else abs(d[k]) - 1e-9)
                np.testing.assert_allclose(g, expected, rtol=1e-9, atol=1e-15)
                assert len(one.events[1]) == len(expected)


def test_all_sections_of_a_machine() -> None:
    """Sums and lists over the ropes of a machine, here of one."""
    state = _State("tackle", 40.0, 2)
    slips, one = state.slips, state.one
    assert slips.names == tuple(f"{what}.r.s{k}" for what in ("material", "loss") for k in (1, 2, 3))
    rates, grows, lost, total, loss, given, force, energy, own = state(
        slips.rates, one.rates, one.losses, slips.loss, one.loss, slips.forces[0], slips.forces[1], slips.energy,
        one.energy)  # fmt: skip
    np.testing.assert_allclose(rates, np.concatenate([grows, lost]))
    np.testing.assert_allclose(force, state(one.force)[0])
    assert total == pytest.approx(float(loss)) and energy == pytest.approx(float(own)) and not given.any()
    tensions = state(one.tensions)[0]
    assert [float(state(slips.pulls[f"r[{k}]"])[0]) for k in range(4)] == pytest.approx(tensions.tolist())
    signals = {name: float(state(y)[0]) for name, y in slips.signals}
    assert [signals[f"tension.r[{k}]"] for k in range(4)] == pytest.approx(tensions.tolist())
    assert {signals[f"stick.r.s{k}"] for k in (1, 2, 3)} == {1.0}
    speeds = state(one.speeds)[0]
    assert [signals[f"slip.r.s{k}"] for k in (1, 2, 3)] == pytest.approx(speeds.tolist())
    state.latches[state.eom.constraint_system.latch_index("slips.r.s2")] = 1.0
    assert [float(state(dict(slips.signals)[f"stick.r.s{k}"])[0]) for k in (1, 2, 3)] == [1.0, 0.0, 1.0]


def test_a_slack_rope_evens_its_strains_out() -> None:
    """No tension and no loss; the rope before each sheave goes to that of equal strains."""
    for name, damping in CASES:
        state = _State(name, damping, 4, 1)
        system = state.eom.constraint_system
        state.latches[system.latch_index(f"taut.{state.belt.terms.name}")] = 0.0
        one, belt_ = state.one, state.belt
        T, L, total, strains, grows, power, rims, lengths = state(
            one.tensions, belt_.L, belt_.terms.length, one.strains, state.along(one.lengths), one.losses,
            belt_.rate(belt_.L), one.lengths)  # fmt: skip
        assert not T.any() and not power.any() and np.ptp(strains) > 1e-4
        even = total * L / L.sum()
        drift = total * (rims / L.sum() - L * rims.sum() / L.sum() ** 2)
        fed = state(belt_.rate(belt_.terms.length))[0] * L / L.sum()
        np.testing.assert_allclose(grows, drift + fed - RATE * (lengths - even), rtol=1e-9, atol=1e-9)


def _in_steps(name: str, damping: float, seed: int, near: tuple[float, float]) -> tuple[_State, Any, Any]:
    """The same state for time-stepping, and a way to evaluate its expressions."""
    state = _State(name, damping, seed, near=near)
    sheaves, s = elastic_sheaves_of(state.eom), state.eom.symbolic
    n = int(sheaves.states.numel())
    m = len(state.belt.rubs)
    place = state.eom.constraint_system.latch_index
    started = np.array([state.latches[place(f"material0.{x}")] for x in state.belt.names])
    y = np.zeros(n)
    y[0], y[1 : 1 + m] = 1.0, state.material + started

    def at(*outputs: Any) -> list[NDArray[Any]]:
        f = ca.Function("f", [s.q, s.v, s.t, s.p, sheaves.states], [ca.densify(ca.SX(x)) for x in outputs])
        values = f(*state.at, y)
        return [np.array(x) for x in (values if isinstance(values, tuple) else (values,))]

    return state, sheaves, at


@pytest.mark.parametrize(("name", "damping"), [("tackle", 0.0), ("crane", 0.0), ("belt", 0.0), ("tackle", 40.0)])
def test_short_steps_are_rates(name: str, damping: float) -> None:
    """Within the limits of all sheaves: force, growth and losses of a step are those of the run by events."""
    state, sheaves, at = _in_steps(name, damping, 3, (0.3, 0.9))
    h, nv, m = 1e-7, state.eom.nv, len(state.belt.rubs)
    force, rates = at(sheaves.force(ca.SX(h)), sheaves.rates(ca.SX(h), ca.SX(nv, 1)))
    expected, grows, lost, speeds = state(state.one.force, state.one.rates, state.one.losses, state.one.speeds)
    np.testing.assert_allclose(force.ravel(), expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())
    assert rates[0] == 0.0
    np.testing.assert_allclose(rates[1 : 1 + m].ravel(), grows, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(h * rates[1 + m : 1 + 2 * m].ravel(), speeds, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(rates[1 + 2 * m :].ravel(), lost, rtol=1e-2, atol=1e-4 * np.abs(lost).max() + 1e-9)


@pytest.mark.parametrize("name", ["tackle", "crane"])
def test_ways_of_slips_in_a_step(name: str) -> None:
    """Beyond their limits sheaves let rope past: as much as the material moves, longer by the mean of both strains."""
    state, sheaves, at = _in_steps(name, 0.0, 5, (1.05, 1.4))
    state.at[1] = 0.0 * np.asarray(state.at[1])
    h, nv, m = 0.02, state.eom.nv, len(state.belt.rubs)
    rates, y = at(sheaves.rates(ca.SX(h), ca.SX(nv, 1)), sheaves.states)
    moved, ways = rates[1 : 1 + m].ravel(), h * rates[1 + m : 1 + 2 * m].ravel() + y.ravel()[1 + m : 1 + 2 * m]
    assert np.abs(moved).max() > 1e-6
    clear = np.abs(moved) > 1e-3 * np.abs(moved).max()
    longer = ways[clear] / -moved[clear]
    assert (longer > 1.0).all() and (longer < 1.4).all()  # strains reach 0.3 in these states


def test_a_short_step_slips_by_the_velocities_at_its_end() -> None:
    """Rims do not turn: damping stretches spans as fast as they move then, wherever the velocities come from."""
    for seed in range(3):
        state, sheaves, at = _in_steps("tackle", 4000.0, seed, (0.5, 0.9))
        dv = np.random.default_rng(seed).normal(size=state.eom.nv)
        h = ca.SX(1e-8)
        (gained,) = at(sheaves.rates(h, ca.SX(dv)))
        state.at[1] = np.asarray(state.at[1]) + dv
        (given,) = at(sheaves.rates(h, ca.SX(state.eom.nv, 1)))
        assert np.abs(given[-len(state.belt.rubs) :]).max() > 1.0  # there are losses
        np.testing.assert_allclose(gained, given, rtol=1e-5, atol=1e-5 * np.abs(given).max())


@pytest.mark.parametrize("name", ["tackle", "belt"])
def test_stiffness_of_spans_that_slips_join(name: str) -> None:
    """The least energy over the rope that moves past sheaves that slip, less that of one spring for the whole rope."""
    joined = set()
    for seed in range(4):
        state, sheaves, at = _in_steps(name, 40.0, seed, (0.5 * (seed % 2), 1.1))
        state.at[1] = 30.0 * seed * state.at[1]
        K, D = sheaves.tangents(ca.SX(1e-3))
        slips = sheaves._mapped(sheaves.belts[0], sheaves._half(sheaves.belts[0], ca.SX(1e-3)), 5e-4)[3]
        k, d, moved, L, A = at(K, D, slips, state.belt.L, state.belt.rows)
        rope = state.belt.terms.rope
        W, some = np.diag(1.0 / L.ravel()), [x for x in range(len(moved)) if moved[x, 0]]
        joined.add(len(some))
        B = np.zeros((len(L), len(some)))
        for column, sheave in enumerate(some):
            i, j = state.belt.between[sheave]
            B[i, column], B[j, column] = 1.0, -1.0
        inner = W - W @ B @ np.linalg.pinv(B.T @ W @ B) @ B.T @ W
        whole = A.sum(axis=0, keepdims=True)
        each = A.T @ inner @ A - whole.T @ whole / L.sum()
        np.testing.assert_allclose(k, float(rope.stiffness) * each, atol=1e-8 * float(rope.stiffness))
        np.testing.assert_allclose(d, 40.0 * each, atol=1e-8 * 40.0)
    assert len(joined) > 1, joined


def test_systems_without_pivots() -> None:
    rng = np.random.default_rng(1)
    A = -rng.uniform(0.1, 1.0, (4, 4))
    A += np.diag(1.1 * np.abs(A).sum(axis=1) - 2.0 * np.diag(A))
    b = rng.normal(size=4)
    made = eliminated([[ca.SX(x) for x in row] for row in A.tolist()], [ca.SX(x) for x in b.tolist()])
    np.testing.assert_allclose([float(x) for x in made], np.linalg.solve(A, b), rtol=1e-12)


def test_rope_in_spans() -> None:
    before = ca.DM([0.3, 1.0, 1.8])
    assert [float(x) for x in span_lengths(before, 3.0, 4, False)] == pytest.approx([0.3, 0.7, 0.8, 1.2])
    assert [float(x) for x in span_lengths(before, 3.0, 3, True)] == pytest.approx([0.7, 0.8, 1.5])


@pytest.mark.parametrize("name", ["tackle", "belt"])
def test_a_rope_that_shortens_fast_pulls_no_more(name: str) -> None:
    """Its whole pull, ``EA (L - l) + D (L' - l')``, decides, although it is stretched."""
    damping = 40.0
    for speed in (-1.0, 1.0):
        state, sheaves, at = _in_steps(name, damping, 3, (0.3, 0.9))
        belt_ = state.belt
        rows = np.array(at(belt_.rows)[0])
        shortens = rows.sum(axis=0)
        if not np.abs(shortens).max() > 0.1:
            state.at[1] = 0.0 * state.at[1]  # the way around the wheels of a belt is constant
        else:
            state.at[1] = speed * 1e5 * shortens / (shortens @ shortens)
        pulls = sheaves.pulls(ca.SX(1e-9))
        T = np.array([float(x[0, 0]) for x in at(*pulls.values())])
        rate, stretch = (float(x[0, 0]) for x in at(belt_.terms.rate, belt_.terms.stretch))
        EA = 7840.0 if name == "belt" else 2e5
        assert stretch > 0.0 and (T > 0.0).all() == (EA * stretch + damping * rate > 0.0)
        assert (T == 0.0).all() or (T > 0.0).all()
        if name == "tackle":
            assert (T > 0.0).all() == (speed > 0.0)
