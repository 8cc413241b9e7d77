"""Friction of elastic ropes and belts at sheaves: the return mapping, closed forms, independent integrations."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import InputError
from dalembert.formulations.constraints.elastic_sheaves import elastic_sheaves_of, return_mapping, span_lengths
from dalembert.studies.ropes.machines import atwood, belt, tackle

G = 9.81


def mapping(n: int, ring: bool) -> ca.Function:
    """The return mapping of ropes with n spans, EA = 1e4 N."""
    m = n if ring else n - 1
    L, material, total, kappa = (
        ca.SX.sym(name, size) for name, size in (("L", n), ("material", m), ("total", 1), ("kappa", m))
    )
    l = span_lengths(material, total, n, ring)

    def tension(i: int, left: Any) -> tuple[Any, Any]:
        return 1e4 * (L[i] / (l[i] - left) - 1), 1e4 * L[i] / (l[i] - left) ** 2

    made = return_mapping(tension, kappa, ca.sum1(L) > total, ring=ring)
    return ca.Function("mapping", [L, material, total, kappa], list(made))


@pytest.mark.parametrize(("n", "ring"), [(2, False), (3, False), (5, False), (2, True), (4, True)])
def test_the_law_holds_at_all_sheaves_at_once(n: int, ring: bool) -> None:
    """Random ropes, taut and slack: no ratio is beyond its limit, and rope slips only at the limit."""
    rng, solve, N = np.random.default_rng(n), mapping(n, ring), 300
    m = n if ring else n - 1
    L = rng.uniform(0.5, 3.0, (N, n))
    l = L / (1 + rng.uniform(0.001, 0.03, (N, 1)) + rng.uniform(-0.02, 0.02, (N, n)))
    ends = np.cumsum(l, axis=1)
    material = np.column_stack([np.zeros(N), ends[:, :-1]]) if ring else ends[:, :-1]
    kappa = rng.uniform(0.0, 1.5, (N, m))
    made = solve.map(N)(L.T, material.T, ends[:, -1], kappa.T)
    d, T, error = (np.array(ca.DM(x).full()).T for x in made)
    moved = material - d
    edges = np.column_stack([moved, ends[:, -1] + moved[:, 0]]) if ring else np.column_stack([moved, ends[:, -1]])
    left = np.diff(edges, axis=1) if ring else np.diff(edges, axis=1, prepend=np.zeros((N, 1)))
    tension = 1e4 * (L / left - 1)
    taut = L.sum(axis=1) > ends[:, -1]
    assert taut.sum() > 0.5 * N
    np.testing.assert_allclose(T[taut], tension[taut], rtol=1e-7, atol=1e-6)
    np.testing.assert_array_equal(T[~taut], 0.0)
    hard = error[:, 0] > 1e-9  # trial tensions far from all laws: reported, not silent
    assert hard.mean() < 0.01
    taut &= ~hard
    assert T[taut].min() > 0.0
    first, second = (np.roll(T, 1, axis=1), T) if ring else (T[:, :-1], T[:, 1:])
    ratio = np.log(second[taut] / first[taut])
    k, slip = kappa[taut], d[taut]
    assert (np.abs(ratio) - k).max() < 1e-6
    np.testing.assert_allclose(np.where(slip > 1e-12, ratio - k, 0.0), 0.0, atol=1e-6)
    np.testing.assert_allclose(np.where(slip < -1e-12, ratio + k, 0.0), 0.0, atol=1e-6)
    assert (np.abs(slip) > 1e-6).any() and (np.abs(slip) < 1e-12).any()


def steady(M: float, mu: float = 0.5) -> tuple[float, float, float]:
    """Ratio of speeds and the tensions of the belt under a torque, spans of equal lengths (arcs half and half).

    ``T_1 - T_2 = M / r``, the speeds are in the ratio of stretches, and the belt has its length.
    """
    r, L = 0.10495, 0.1 * math.pi + math.pi * 0.10495
    low, high = 0.0, 400.0
    for _ in range(200):  # of the slack span, so that both have twice the natural length 0.98 L
        T = (low + high) / 2
        lengths = [L / (0.98 + x / 8000.0) for x in (T, T + M / r)]
        low, high = (T, high) if sum(lengths) > 2 * L else (low, T)
    stretch = [0.98 + x / 8000.0 for x in (T, T + M / r)]
    return stretch[0] / stretch[1], T + M / r, T


BELT: dict[str, Any] = {"contact": "time-stepping", "backend": "vm", "v0": {"a_dot": 12.0, "b_dot": 12.0}}


@pytest.mark.parametrize(("M", "ratio"), [(5.0, 0.994062515376), (10.0, 0.988160493158)])
def test_a_belt_creeps(M: float, ratio: float) -> None:
    """Under the torque M (a part of which is viscous, to come to rest) the second wheel lags by the stretch."""
    machine = belt(M - 0.4 * 12.0 * ratio, brake=0.4)
    run = da.simulate(machine, duration=2.5, step=1e-3, record=0.5, **BELT)
    np.testing.assert_allclose(run["b_dot"][-1] / 12.0, ratio, rtol=1e-9)
    np.testing.assert_allclose(steady(M)[0], ratio, rtol=1e-10)
    tensions = run["tension.belt[1]"][-1], run["tension.belt[0]"][-1]
    np.testing.assert_allclose(tensions, steady(M)[1:], rtol=1e-4)  # the step of 1 ms
    assert run["friction_error.belt"].max() < 1e-9 and not run["slip.belt.A"].any()
    lost = np.diff(run["loss.belt.A"] + run["loss.belt.B"])[-1]
    np.testing.assert_allclose(lost, M * (12.0 - 12.0 * ratio) * 0.5, rtol=1e-4)  # the power that does not arrive


def test_a_belt_slips_where_its_torque_is_too_large() -> None:
    """Gross slip at the ratio ``e^(mu pi)`` of the tensions; the loss is that of the slip, and the audit closes."""
    machine, r = belt(30.0, brake=0.0, friction=0.3), 0.10495
    run = da.simulate(machine, duration=0.3, step=5e-4, record=0.1, **BELT)
    T = run["tension.belt[1]"][-1], run["tension.belt[0]"][-1]
    assert T[0] / T[1] == pytest.approx(math.exp(0.3 * math.pi), rel=1e-9)
    slowing = (run["b_dot"][-2] - run["b_dot"][-1]) / 0.1
    assert 0.02 * slowing == pytest.approx(30.0 - r * (T[0] - T[1]), rel=1e-3)
    lost = np.diff(run["loss.belt.B"] + run["loss.belt.A"])[-1]
    slipped = (12.0 - (run["b_dot"][-2] + run["b_dot"][-1]) / 2) * r * 0.1  # of both, with the creep
    assert lost == pytest.approx((T[0] - T[1]) * slipped, rel=1e-4)
    assert abs(run.energy.drift) < 1e-5


@cache
def heavy_tackle(friction: float) -> da.Machine:
    loss = da.SheaveLoss(bending=math.expm1(friction)) if friction else None
    return tackle(3, 60.0, 15.0, loss=loss, stiffness=2e5, damping=400.0, length=11.0)


def test_without_friction_it_is_the_elastic_rope() -> None:
    """A ratio of 1 + 1e-9 at all sheaves: the run is that of the same rope without losses, event by event."""
    start = {"z": -0.02, "h": 1.0 + 3 * 3.02 + 0.45 * math.pi - 11.01}
    ideal = da.simulate(heavy_tackle(0.0), duration=0.5, q0=start, record=0.1, backend="vm")
    run = [
        da.simulate(
            heavy_tackle(1e-9), duration=0.5, q0=start, record=0.1, step=h, contact="time-stepping", backend="vm"
        )
        for h in (2e-3, 1e-3)
    ]
    for name in ("z", "h", "z_dot", "tension.r[0]", "tension.r[3]"):
        errors = [np.abs(x[name] - ideal[name])[1:].max() / np.abs(ideal[name]).max() for x in run]
        assert errors[1] < 3e-3 and errors[1] < 0.45 * errors[0], (name, errors)


def test_lanes_are_single_runs_and_the_load_stands() -> None:
    """Losses hold a tackle that is out of balance: it swings on its rope and comes to rest where it is."""
    machine = tackle(2, 100.0, 51.0, loss=da.SheaveLoss(bending=0.04), stiffness=1e6, damping=4e3, length=8.0)
    z = np.array([0.1, 0.2])
    start: dict[str, Any] = {"z": z, "h": 1.0 + 2 * (3 - z) + 0.3 * math.pi - 8.0 * (1 + 480.0 / 1e6)}
    options: dict[str, Any] = {"duration": 1.0, "step": 1e-3, "contact": "time-stepping", "backend": "vm"}
    both = da.rollout(machine, q0=start, record=0.5, **options)
    for k in range(2):
        one = da.simulate(machine, q0={name: float(values[k]) for name, values in start.items()}, record=0.5, **options)
        for name in ("z", "h", "z_dot", "material.r.s1"):
            np.testing.assert_allclose(both[name][k], one[name], rtol=0, atol=1e-11)
    assert abs(one["z_dot"][-1]) < 1e-4


@pytest.mark.slow
def test_compiled_lanes_are_single_runs() -> None:
    """A machine without any block of the solver, in lanes of vectors."""
    machine = tackle(2, 100.0, 51.0, loss=da.SheaveLoss(bending=0.04), stiffness=1e6, damping=4e3, length=8.0)
    z = np.linspace(0.1, 0.3, 8)
    start = {"z": z, "h": 1.0 + 2 * (3 - z) + 0.3 * math.pi - 8.0 * (1 + 480.0 / 1e6)}
    options: dict[str, Any] = {"duration": 0.5, "step": 1e-3, "contact": "time-stepping", "record": 0.25}
    lanes = da.rollout(machine, q0=start, **options)
    for k in (0, 7):
        one = da.simulate(machine, q0={name: float(x[k]) for name, x in start.items()}, backend="vm", **options)
        for name in ("z", "h", "z_dot", "material.r.s1", "loss.r.s1", "tension.r[1]"):
            np.testing.assert_allclose(lanes[name][k], one[name], rtol=1e-9, atol=1e-10)


def test_a_slack_rope_catches_its_load() -> None:
    machine = tackle(2, 20.0, 9.0, loss=da.SheaveLoss(bending=0.05), stiffness=1e5, damping=300.0, length=8.0)
    run = da.simulate(
        machine, duration=0.6, step=5e-4, record=1e-2, contact="time-stepping", backend="vm", q0={"z": 0.4, "h": -0.3}
    )
    T = np.array([run[f"tension.r[{i}]"] for i in range(3)])
    slack = run["length.r"] < 8.0
    assert slack[:5].all() and not T[:, slack].any()
    np.testing.assert_allclose(run["z"][:5], 0.4 - G * run.t[:5] ** 2 / 2, atol=1e-6)
    taut = T.min(axis=0) > 1.0
    assert taut.any() and np.abs(np.log(T[1:, taut] / T[:-1, taut])).max() < math.log(1.05) + 1e-9
    assert run["friction_error.r"].max() < 1e-9


def test_a_belt_begins_at_a_wheel_with_friction() -> None:
    """Whether or not the next one has friction; one is the hull of three circles, one runs the other way on each."""
    wheels = [
        da.Sheave("world", 0.1, "y", at=at, name=name, friction=mu)
        for name, at, mu in (("a", (0, 0, 0), 0.2), ("b", (1, 0, 0), 0.0), ("c", (0.5, 0, -1.0), 0.3))
    ]
    machine = atwood(3.0, 2.5, friction=0.2)
    for path, turns in ((wheels, 1.0), ([wheels[k] for k in (0, 2, 1)], 2.0)):
        rope = da.Rope("r", path, closed=True, stiffness=1e5, pretension=10.0)
        eom = da.equations(machine.with_(ropes=[rope]), backend="vm")
        (one,) = elastic_sheaves_of(eom).belts
        assert one.names == ["r.a", "r.c"] and one.ring
        s = eom.symbolic
        way = ca.Function("way", [s.q, s.t, s.p], [ca.sum1(one.L)])([0.0] * eom.nq, 0.0, [])
        assert float(way) == pytest.approx(1.0 + 2.0 * math.hypot(0.5, 1.0) + turns * 0.2 * math.pi, rel=1e-9)


def test_refusals_name_the_sheave() -> None:
    machine = atwood(3.0, 2.5, friction=0.2)
    wheels = [da.Sheave("world", 0.1, "y", at=(x, 0, 0), name=n) for x, n in ((0.0, "a"), (1.0, "b"), (0.5, "c"))]
    rubbing = [da.Sheave("world", 0.1, "y", at=(0.5, 0, -1.0), name="d", friction=0.2)]
    wrong = machine.with_(ropes=[da.Rope("r", [*wheels[:2], *rubbing], closed=True, stiffness=1e5, pretension=10.0)])
    with pytest.raises(
        InputError, match=r"rope 'r' is closed and has friction: begin its path at one of the wheels.*sheave 'd'"
    ):
        da.simulate(wrong, duration=0.01, backend="vm", contact="time-stepping")
