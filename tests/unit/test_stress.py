"""Stress recovery: static loads against the full model, von Mises' closed forms, the rainflow count of the standard."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
from dalembert.analysis import StressHistory, rainflow, stress_history, von_mises
from dalembert.io.units import signal_units
from support.finite_element_models import truss


def test_stresses_of_a_spinning_body_are_those_of_the_full_model(tmp_path: Path) -> None:
    """At constant spin about z the body holds the static shape that the full stiffness matrix gives."""
    model = truss(cells=3, stiffness=4e5)
    n, rng = model.K.shape[0], np.random.default_rng(0)
    S = rng.normal(size=(6 * 5, n))
    body = model.body("t", {"root": "ROOT"}, modes=2, relief=True, stress=S, damping=0.7)
    machine = da.Machine("m", [body], [da.Joint("spin", "revolute", "world", "t", axis=(0, 0, 1))], gravity=(0, 0, 0))
    run = da.simulate(machine, duration=1.0, v0={"spin_dot": 1.0}, method=da.ImplicitMidpoint(step=2e-3), check=False)
    w, x = run["spin_dot"][-1], model.nodes
    origin = x[model.sets["ROOT"]].mean(axis=0)
    pull = model.M @ np.concatenate([w**2 * ((p - origin) * [1, 1, 0]) for p in x])
    inner = np.setdiff1d(np.arange(len(x)), model.sets["ROOT"])
    rows = (3 * inner[:, None] + np.arange(3)).ravel()
    u = np.zeros(n)
    u[rows] = np.linalg.solve(model.K[np.ix_(rows, rows)], pull[rows])
    history = stress_history(run, "t")
    expected = (S @ u).reshape(5, 6)
    assert_allclose(history.sigma[-1], expected, atol=1e-3 * np.abs(expected).max())
    assert history.largest[-1] == pytest.approx(von_mises(expected).max(), rel=1e-3)
    assert history.where[-1] == von_mises(expected).argmax()
    assert history.cycles().ranges.max() > 0.0
    _check_signals(run, history, tmp_path)


def _check_signals(run: da.Run, history: StressHistory, folder: Path) -> None:
    """A run has the largest stress and its point as signals, in files and in runs that are continued too."""
    assert_allclose(run["stress.t"], history.largest, rtol=1e-14)
    assert (run["stress_point.t"] == history.where).all()
    assert signal_units(run, ["stress.t", "stress_point.t"]) == {"stress.t": "Pa", "stress_point.t": "1"}
    assert "stress.t" in run.to_csv(folder / "run.csv").read_text().splitlines()[0]
    later = da.simulate(run.machine, duration=0.01, start=run, method=da.ImplicitMidpoint(step=2e-3))
    assert len(run.append(later)["stress.t"]) == len(run.t) + len(later.t) - 1


def test_von_mises_closed_forms() -> None:
    assert von_mises([3.0, 3.0, 3.0, 0, 0, 0]) == 0.0
    assert von_mises([0, -5.0, 0, 0, 0, 0]) == pytest.approx(5.0)
    assert von_mises([0, 0, 0, 0, 2.0, 0]) == pytest.approx(2.0 * 3**0.5)
    with pytest.raises(da.InputError, match="6 components"):
        von_mises([1.0, 2.0])


def test_rainflow_of_the_standard_and_of_a_sine() -> None:
    cycles = rainflow([-2, 1, -3, 5, -1, 3, -4, 4, -2])  # ASTM E1049-85, table X1.1
    total = {r: float(cycles.counts[cycles.ranges == r].sum()) for r in (3, 4, 6, 8, 9)}
    assert total == {3: 0.5, 4: 1.5, 6: 0.5, 8: 1.0, 9: 0.5}
    sine = rainflow(2.0 + 5.0 * np.sin(np.linspace(0.0, 40 * np.pi, 4001)))
    assert sine.counts.sum() == pytest.approx(20.0, abs=0.51)
    assert_allclose(sine.means[sine.counts == 1.0], 2.0, atol=1e-3)
    assert sine.damage(50.0, 3.0) == pytest.approx(20 * (5 / 50) ** 3, rel=0.03)
    assert rainflow([1.0, 1.0]).counts.size == 0


def test_bodies_without_stresses_are_named() -> None:
    model = truss()
    hinge = da.Joint("j", "revolute", "world", "t")
    run = da.simulate(da.Machine("m", [model.body("t", {"root": "ROOT"}, modes=1)], [hinge]), duration=0.01)
    with pytest.raises(da.InputError, match="flexible body 't' has no stresses: give stress="):
        stress_history(run, "t")
    with pytest.raises(da.UnknownNameError, match="no flexible body from finite elements named 'u'"):
        stress_history(run, "u")
    with pytest.raises(da.MachineError, match=r"stress of flexible body 't' has shape \(5, 36\); expected"):
        model.body("t", {"root": "ROOT"}, modes=1, stress=np.zeros((5, 36)))
