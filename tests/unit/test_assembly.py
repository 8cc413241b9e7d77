"""Starts of closed mechanisms: what is named is kept, the others follow, branches are told apart."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.support.random_mechanisms import five_bar, four_bar, outcomes, slider_crank

import dalembert as da
from dalembert.analysis import equilibrium, mobility, static_equilibrium
from dalembert.campaigns import sensitivities
from dalembert.systems.mechanisms import bricard_mechanism, four_bars

HINGE = {"kind": "revolute", "axis": (0.0, 0.0, 1.0)}
CRANK, COUPLER, ROCKER, GROUND = 0.4, 1.0, 0.8, 1.0


def linkage(size: float = 1.0) -> da.Machine:
    """A four-bar linkage whose zeros are links in one line, torn apart."""
    a, b, c, g = (size * x for x in (CRANK, COUPLER, ROCKER, GROUND))
    return da.Machine(
        "linkage",
        [da.rod(name, 1.0, x, com=(x / 2, 0, 0)) for name, x in (("A", a), ("B", b), ("C", c))],
        [
            da.Joint("a", parent="world", child="A", **HINGE),
            da.Joint("b", parent="A", child="B", origin=da.Transform((a, 0, 0)), **HINGE),
            da.Joint("c", parent="world", child="C", origin=da.Transform((g, 0, 0)), **HINGE),
        ],
        frames=[da.Frame("end", "B", da.Transform((b, 0, 0))), da.Frame("tip", "C", da.Transform((c, 0, 0)))],
        constraints=[da.BallConstraint("loop", "end", "tip", components="xy")],
        motors=[da.Motor("m", "a")],
        gravity=(0.0, -9.81, 0.0),
    )


def closed_form(a: float, side: float) -> float:
    """Angle of the rocker: law of cosines, on one side or the other."""
    x, y = CRANK * np.cos(a) - GROUND, CRANK * np.sin(a)
    d = np.hypot(x, y)
    return float(np.arctan2(y, x) + side * np.arccos((d**2 + ROCKER**2 - COUPLER**2) / (2 * d * ROCKER)))


def turned(x: float) -> float:
    return float(np.angle(np.exp(1j * x)))


@pytest.mark.parametrize("size", [1e-3, 1.0, 100.0])
def test_what_is_named_is_kept_on_both_branches_of_the_closed_form(size: float) -> None:
    found = da.assemblies(linkage(size), {"a": 0.7})
    assert len(found) == 2 and found.starts == 66
    assert all(one.q["a"] == 0.7 and one.mobility.freedoms == 1 and not one.mobility.singular for one in found)
    expected = sorted(turned(closed_form(0.7, side)) for side in (-1.0, 1.0))
    np.testing.assert_allclose(sorted(turned(one.q["c"]) for one in found), expected, rtol=0, atol=1e-9)


def test_assemblies_take_a_series_by_its_labels() -> None:
    found = da.assemblies(linkage(), pd.Series({"a": 0.7}))
    assert dict(found.given) == {"a": 0.7} and str(found) == str(da.assemblies(linkage(), {"a": 0.7}))


@pytest.mark.slow
def test_every_outlet_starts_alike() -> None:
    """Simulate, rollout, stepper, linear model, modes, statics and derivatives; on either branch."""
    swing = da.Experiment(linkage(), start=da.Start(q={"a": 0.7}), duration=0.02, method=da.RK4(1e-2), backend="vm")
    for branch, side in ((None, -1.0), (1, 1.0), ({"c": -1.5}, 1.0)):
        one = swing.replace(branch=branch)
        run = da.simulate(one)
        start = run.array(["a", "b", "c"])[0]
        assert start[0] == 0.7 and turned(start[2]) == pytest.approx(turned(closed_form(0.7, side)), abs=1e-9)
        members = da.rollout(one, vary={"q0.a": np.array([0.6, 0.7, 0.8])})
        np.testing.assert_array_equal(members["a"][:, 0], [0.6, 0.7, 0.8])
        np.testing.assert_allclose(members.x[1, 0, :3], start, rtol=0, atol=1e-9)
        np.testing.assert_allclose(da.stepper(one, period=0.01).reset()[0, :3], start, rtol=0, atol=1e-9)
        rest = equilibrium(da.equations(linkage(), backend="vm"), {"a": 0.7}, branch=branch)
        np.testing.assert_allclose(rest.q, start, rtol=0, atol=1e-9)
        assert da.linearize(linkage(), {"a": 0.7}, branch=branch).A.shape == (2, 2)
        assert da.load_experiment(one.to_yaml()) == one


def test_a_sweep_stays_on_one_branch() -> None:
    """The crank turns twice; neighbouring members are neighbours in all coordinates, but for full turns."""
    angles = np.linspace(-6.0, 6.0, 201)
    rolled = da.rollout(linkage(), vary={"q0.a": angles}, duration=1e-3, step=1e-3, backend="vm")
    jumps = np.angle(np.exp(1j * np.diff(rolled.x[:, 0, :3], axis=0)))
    assert np.abs(jumps).max() < 0.2


def test_kept_coordinates_have_derivatives() -> None:
    """On the second branch, against the closed form of c'(a)."""
    h = 1e-6
    slope = (closed_form(0.7 + h, 1.0) - closed_form(0.7 - h, 1.0)) / (2 * h)
    found = sensitivities(
        linkage(), of=["c"], wrt=["q0.a"], q0={"a": 0.7}, branch=1, duration=1e-2, step=1e-2, backend="vm"
    )
    assert found.derivatives[0, 0, 0] == pytest.approx(slope, abs=1e-8)


def test_what_cannot_be_kept_is_refused_with_the_nearest() -> None:
    """The rocker cannot lie back on the ground: nearest is the end of its range, of the closed form."""
    with pytest.raises(
        da.InputError,
        match=r"do not allow c = 0.1: 'loop.*' would be off by .*; 66 starts were tried; the nearest state.*found is a",
    ) as told:
        da.simulate(linkage(), q0={"c": 0.1}, duration=0.1, backend="vm")
    # crank and coupler in one line, coupler less crank: 0.6 = |ground + rocker|
    least = np.pi - np.arccos((GROUND**2 + ROCKER**2 - (COUPLER - CRANK) ** 2) / (2 * GROUND * ROCKER))
    assert abs(turned(float(str(told.value).rpartition("c = ")[2]))) <= np.pi
    most = np.pi - np.arccos((GROUND**2 + ROCKER**2 - (COUPLER + CRANK) ** 2) / (2 * GROUND * ROCKER))
    got = turned(float(str(told.value).rpartition("c = ")[2]))
    assert min(abs(got - most), abs(got - least)) < 1e-3 and abs(got - most) <= abs(got - least)


def test_values_that_contradict_each_other_are_moved_and_told_or_refused() -> None:
    exact = dict(da.assemblies(linkage(), {"a": 0.7})[0].q)
    with pytest.warns(da.DalembertWarning, match="were moved by up to"):
        run = da.simulate(linkage(), q0={**exact, "b": exact["b"] + 0.01}, duration=1e-3, backend="vm")
    assert 0 < run.metadata["initial_projection"]["position"] < 0.1
    with pytest.raises(da.InputError, match="name fewer of them"):
        da.simulate(linkage(), q0={**exact, "b": exact["b"] + 1.0}, duration=1e-3, backend="vm")
    with pytest.raises(da.InputError, match="has 2 assemblies"):
        da.simulate(linkage(), q0={"a": 0.7}, branch=2, duration=1e-3, backend="vm")
    with pytest.raises(da.InputError, match="'a' is fixed by q0"):
        da.simulate(linkage(), q0={"a": 0.7}, branch={"a": 0.1}, duration=1e-3, backend="vm")
    with pytest.raises(da.InputError, match="branch must be"):
        da.Start(branch="up")  # type: ignore[arg-type]


def test_mobility_is_counted_beside_the_posture() -> None:
    """Bricard: six rows, one freedom; links in one line: a singular posture; elastic cables take nothing."""
    loop = mobility(bricard_mechanism())
    assert (loop.freedoms, loop.redundant, loop.singular) == (1, loop.rows - 4, False)
    flat = mobility(four_bars(1), {"crank0": -np.pi / 2, "crank1": -np.pi / 2, "coupler0": np.pi / 2})
    assert flat.singular and flat.freedoms == 1 and flat.displacements == 2
    point = [da.Joint("p", "planar", "world", "P")]
    hung = da.Machine("hung", [da.sphere("P", 1.0, 0.1)], point, cables=[da.Cable("c", "P", length=1.0, stiffness=1e3)])
    assert mobility(hung).freedoms == 3
    assert (
        mobility(hung.with_(cables=[], constraints=[da.BallConstraint("pin", "P", "world", components="xy")])).freedoms
        == 1
    )


@pytest.mark.parametrize("lengths", [(2.2, 2.2, 3.0, 3.0), (2.5, 4.0, 4.0, 4.0), (2.9, 2.8, 2.75, 2.85)])
def test_rests_with_slack_cables_are_where_a_damped_run_settles(lengths: tuple[float, ...]) -> None:
    exits = [(1.0, 1.0, 3.0), (-1.0, 1.0, 3.0), (-1.0, -1.0, 3.0), (1.0, -1.0, 3.0)]
    slides = [("x", "world", "a"), ("y", "a", "b"), ("z", "b", "m")]
    machine = da.Machine(
        "hung",
        [da.Body("a"), da.Body("b"), da.point_mass("m", 40.0)],
        [da.Joint(n, "prismatic", parent, child, axis=n, damping=120.0) for n, parent, child in slides],
        cables=[
            da.Cable(f"c{k}", "m", exit_at=at, length=length, stiffness=1e5, damping=100.0)
            for k, (at, length) in enumerate(zip(exits, lengths, strict=True))
        ],
    )
    rest = static_equilibrium(machine, lengths, [0.0, 0.0, 1.0])
    assert rest.tensions.min() >= 0.0 and rest.residual < 1e-9
    run = da.simulate(machine, duration=40.0, q0=[0.0, 0.0, 1.0], method="dopri5", record=40.0, backend="vm")
    np.testing.assert_allclose(run.array(["x", "y", "z"])[-1], rest.q, rtol=0, atol=1e-6)


def test_random_mechanisms_are_kept_or_refused() -> None:
    """A few starts of each planar kind; the closed form decides who is right."""
    for number in (0, 1):
        counts = outcomes(number, 2)
        assert counts["kept"] + counts["refused"] == 2
        assert not any(counts[key] for key in ("wrongly kept", "wrongly refused", "not kept", "untold")), counts


@pytest.mark.slow
@pytest.mark.parametrize("number", [*range(4), *(pytest.param(k, marks=pytest.mark.long) for k in range(4, 8))])
def test_more_random_mechanisms_are_kept_or_refused(number: int) -> None:
    counts = outcomes(number, 12, backend="auto")
    assert not any(counts[key] for key in ("wrongly kept", "wrongly refused", "not kept", "untold")), counts


def test_closed_forms_of_the_study_can_say_no() -> None:
    """Names far out of range are refused by each closed form, and near ones are not."""
    rng = np.random.default_rng(0)
    assert slider_crank(rng, 1.0).allows({"x": 9.0}) is False
    verdicts = {four_bar(np.random.default_rng(k), 1.0).allows({"a": 1.0}) for k in range(40)}
    assert verdicts >= {True, False}
    assert five_bar(rng, 1.0).allows({"a": 0.0}) is None
