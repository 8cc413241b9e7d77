"""Gains scheduled on measured quantities, and searches for variations that make loops diverge."""

from __future__ import annotations

import control
import numpy as np
import pytest
from tests.unit.test_uncertain_motion import G, hoisted

import dalembert as da
from dalembert.control import ScheduledGains, scheduled_feedback
from dalembert.control.structured import ControllerGain, Gain, Poles, gains, state_space, tune
from dalembert.control.uncertain import constant, parameter, system_lft, uncertain
from dalembert.control.varying import block_rates, falsify, varying_stability

AT = {"l": 2.0}


@pytest.fixture(scope="module")
def model():
    return uncertain(hoisted(), {"l": (1.0, 3.0)}, at=AT, motion={"l": 0.4})


def table(model) -> ScheduledGains:
    rng = np.random.default_rng(2)
    parts = tuple(rng.normal(size=(2, 3)) for _ in range(3))
    return ScheduledGains(("sway", "sway_dot", "l"), ("M", "F"), {"l": 2}, parts, model)


def test_gains_law_and_blocks_are_the_same_polynomial(model) -> None:
    found = table(model)
    machine = hoisted()
    eom = da.equations(machine, backend="vm")
    law = scheduled_feedback(machine, found, at=AT, reference={"sway": 0.1})
    import casadi as ca

    q, v, p, t = ca.SX.sym("q", 2), ca.SX.sym("v", 2), ca.SX.sym("p", 0), ca.SX.sym("t")
    u = ca.Function("u", [t, q, v, p], [law.expression(eom, t, q, v, ca.SX(0, 1), p)[0]])
    for l in (1.0, 1.7, 3.0):
        d = l - 2.0
        K = found.gains[0] + d * found.gains[1] + d**2 * found.gains[2]
        assert np.allclose(found.at(l=l), K, rtol=1e-14)
        assert np.allclose(found.lft.at(l=d), K, rtol=1e-14)
        y = np.array([0.3, -0.2, l - 2.0])
        command = np.array(u(0.0, [0.3, l], [-0.2, 0.0], []).full())[:, 0]
        assert np.allclose(command, law.u0 + K @ (np.array([0.1, 0.0, 0.0]) - y), rtol=1e-13)
        A = np.asarray(found.loop().at(**model.normalised(**{"l": l, "l.rate": 0.1})).A)
        plant = model.at(**{"l": l, "l.rate": 0.1})
        rows = [list(plant.output_labels).index(n) for n in found.measured]
        assert np.allclose(A, plant.A - plant.B @ K @ np.eye(4)[rows], atol=1e-12)


def test_a_schedule_on_an_angle_runs_the_tangent_of_the_proof() -> None:
    machine = da.Machine(
        "arm",
        bodies=[da.rod("one", 1.0, 1.0, axis="x"), da.rod("two", 1.0, 0.8, axis="x")],
        joints=[
            da.Joint("a", "revolute", "world", "one", axis="z"),
            da.Joint("b", "revolute", "one", "two", origin=da.Transform((1, 0, 0)), axis="z"),
        ],
        motors=[da.Motor("A", "a"), da.Motor("B", "b")],
        gravity=(0, 0, 0),
    )
    model = uncertain(machine, {"b": (-0.5, 2.0)})
    found = ScheduledGains(("a",), ("A",), {"b": 1}, (np.array([[2.0]]), np.array([[3.0]])), model)
    run = da.simulate(machine, duration=0.01, q0=[0.2, 1.3], control=scheduled_feedback(machine, found), record=0.01)
    assert run["u.A"][0] == pytest.approx(-0.2 * float(found.at(b=1.3)[0, 0]), rel=1e-12)


def test_scheduled_gains_are_tuned_and_guaranteed_over_range_and_rate(model) -> None:
    structure = gains({"M": {"sway_dot": None}, "F": {"l": (5.0, 50.0), "l_dot": (5.0, 50.0)}})
    hard = [Poles(decay=0.35), Gain("M", "sway", bound=0.12)]
    result = tune(model, structure, hard=hard, robust=True, schedule={"l": 1}, starts=2, evaluations=2000)
    assert result.status == "met" and result.certified and result.robustness.guaranteed
    found = result.scheduled
    assert found.degrees == {"l": 1} and len(found.gains) == 2
    machine = hoisted()
    for values in model.sample(10):
        plant = da.linearize(machine, at={"l": values["l"]}, v={"l_dot": values["l.rate"]}, require_equilibrium=False)
        rows = [list(plant.output_labels).index(n) for n in found.measured]
        closed = plant.A - plant.B @ found.at(l=values["l"]) @ np.eye(4)[rows]
        assert np.linalg.eigvals(closed).real.max() < -0.35 * 0.998
    proof = varying_stability(found.loop(), block_rates(model))
    assert proof.guaranteed
    assert not falsify(found.loop(), block_rates(model), model=model, evaluations=60).broken


def test_a_crane_hoists_with_the_law_of_the_proof(model) -> None:
    """Lowering at the proven rate from a swinging start: the sway dies out and the rope follows."""
    parts = (np.array([[0.0, 20.0, 0.0, 0.0], [0.0, 0.0, 30.0, 30.0]]), np.array([[0.0, 6.0, 0.0, 0.0], [0.0] * 4]))
    found = ScheduledGains(("sway", "sway_dot", "l", "l_dot"), ("M", "F"), {"l": 1}, parts, model)
    assert varying_stability(found.loop(), block_rates(model)).guaranteed
    reference = {"l": lambda t: -0.9 + 0.4 * t, "l_dot": 0.4}
    law = scheduled_feedback(hoisted(), found, at=AT, reference=reference)
    run = da.simulate(hoisted(), duration=4.5, q0={"sway": 0.2, "l": 1.1}, v0={"l_dot": 0.4}, control=law)
    assert abs(run["sway"][-1]) < 0.02 and run["l"][-1] == pytest.approx(2.9, abs=0.02)


def test_a_variation_that_breaks_a_pendulum_breaks_its_equation() -> None:
    """The growth that the search claims is that of ``sway'' = -g/l sway - (2 l'/l + c/(m l^2)) sway'``."""
    from scipy.integrate import solve_ivp

    model = uncertain(hoisted(damping=0.2), {"l": (1.0, 3.0)}, at=AT, motion={"l": (4.0, 40.0)})
    loop = model.lft.feedback([[0.0] * 4, [0.0, 30.0, 0.0, 30.0]], model.lft.outputs, model.lft.inputs)
    found = falsify(loop, block_rates(model), model=model, evaluations=200)
    assert found.broken and "diverge" in found.message
    lengths = np.array([model.values(l=float(d))["l"] for d in found.numbers["l"]])
    assert lengths.min() >= 1.0 and lengths.max() <= 3.0
    wave = np.fft.rfft(lengths) / len(lengths)  # harmonics of samples in the middle of the steps
    turn = 2 * np.pi / found.period * np.arange(len(wave))

    def motion(t, order):
        terms = wave * (1j * turn) ** order * np.exp(1j * turn * (t - found.t[0]))
        return float(terms[0].real + 2 * terms[1:].real.sum())

    rates, accelerations = ([motion(t, k) for t in found.t] for k in (1, 2))
    assert np.abs(rates).max() <= 4.0 and np.abs(accelerations).max() <= 40.0
    assert np.allclose(rates, 4.0 * found.numbers["l.rate"], atol=1e-9)

    def rhs(t, x):
        l = motion(t, 0)
        return [x[1], -G / l * x[0] - (2 * motion(t, 1) / l + 0.2 / (2.0 * l**2)) * x[1]]

    columns = [solve_ivp(rhs, (0, found.period), x0, rtol=1e-10, atol=1e-12).y[:, -1] for x0 in np.eye(2)]
    exact = np.log(np.abs(np.linalg.eigvals(np.array(columns).T)).max()) / found.period
    assert found.growth == pytest.approx(exact, rel=5e-3) and exact > 0.0


def test_searches_agree_with_proofs_on_an_oscillator() -> None:
    def loop(change: float, damping: float):
        A = constant([[0.0, 1.0], [-1.0, -damping]])
        A = A + constant([[0.0], [-change]]) @ parameter("k") @ constant([[1.0, 0.0]])
        integrators = system_lft(control.ss(np.zeros((2, 2)), np.eye(2), np.eye(2), 0))
        return integrators.feedback(-A, integrators.outputs, integrators.inputs)

    assert falsify(loop(0.5, 0.1), {"k": 2.0}, evaluations=200).broken
    assert falsify(loop(0.5, 0.1), None, evaluations=200).broken  # jumps
    for change, damping, rates in ((0.3, 0.8, None), (0.5, 0.4, {"k": 1.0}), (0.9, 0.1, {"k": 0.0})):
        assert varying_stability(loop(change, damping), rates).proven
        assert not falsify(loop(change, damping), rates, evaluations=100).broken


def test_the_gradient_of_the_growth_is_that_of_differences(model) -> None:
    from dalembert.control.varying.falsification import _Search

    loop = model.lft.feedback([[0.0] * 4, [0.0, 30.0, 0.0, 30.0]], model.lft.outputs, model.lft.inputs)
    search = _Search(loop, block_rates(model), model)
    x = np.random.default_rng(3).uniform(-0.8, 0.8, search.size)
    value, gradient = search.descent(x)
    differences = [(search.growth(x - 1e-4 * e) - search.growth(x + 1e-4 * e)) / 2e-4 for e in np.eye(search.size)]
    assert value == pytest.approx(-search.growth(x))
    assert np.allclose(gradient, differences, atol=0.02 * np.abs(differences).max())


def scheduled(model, structure=None, **settings):
    structure = gains({"M": {"sway": None}}) if structure is None else structure
    return tune(model, structure, **{"hard": [Poles(decay=0.1)], "robust": True, "schedule": {"l": 1}, **settings})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: scheduled(m, schedule={"length": 1}), "'length'"),
        (lambda m: scheduled(m, schedule={"l": 0}), "degree of 'l'"),
        (lambda m: scheduled(m, schedule={"l.rate": 1}), "not measured"),
        (lambda m: scheduled(m, schedule={}), "at least one quantity"),
        (lambda m: scheduled(m, hard=[Gain("r.sway", "u.M")]), "names 'r.sway'"),
        (lambda m: scheduled(m, hard=[ControllerGain(1.0)]), "not supported with a schedule"),
        (lambda m: scheduled(m, state_space(["M"], ["sway"], 1)), "static gains"),
        (lambda m: scheduled(m.lft), "uncertain model of a machine"),
        (lambda m: table(m).at(), "missing: l"),
        (lambda m: falsify(m.lft, evaluations=0), "evaluations"),
        (lambda m: scheduled_feedback(hoisted(), table(m), at=AT, reference={"x": 1.0}), "'x'"),
    ],
)
def test_refusals(model, make, message) -> None:
    with pytest.raises(da.DalembertError, match=message):
        make(model)


def test_requirements_that_cannot_be_met_say_what_can() -> None:
    """``1/(s + 1)`` with a gain of at most 2 has its pole at -3 at best, and a gain of at least a third."""
    plant = control.ss(-1.0, 1.0, 1.0, 0.0, inputs=["u"], outputs=["y"])
    for hard, text in (
        (Poles(decay=10.0), "decay 3 is feasible"),
        (Gain("u", "y", bound=0.1), "bound 0.3333 is feasible"),
    ):
        result = tune(plant, gains({"u": {"y": (0.0, 2.0)}}), hard=[hard], starts=1, evaluations=300)
        assert result.status == "missed" and text in result.message, result.message
