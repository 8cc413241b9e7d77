"""The start that a user names, the same in files, FMUs, the studio and runs; and small questions that are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.hybrid_machines import four_bar

import dalembert as da
from dalembert.io.fmu.program import standalone
from dalembert.loop.outlets import FMU
from dalembert.loop.postures import posture


def experiment(**changes: Any) -> da.Experiment:
    return da.Experiment(four_bar()).replace(**({"q0": {"a": 0.7}, "duration": 0.02, "backend": "vm"} | changes))


@pytest.mark.parametrize("changes", [{}, {"q0": {"a": 0.7, "b": 0.35, "c": 1.5}, "reach": 1.0}])
def test_an_fmu_starts_where_the_run_does(changes: dict[str, Any], tmp_path: Path) -> None:
    """With a `reach`, too, which moves values that contradict each other; the file is read as the command does."""
    one = experiment(**changes)
    run = da.simulate(one)
    np.testing.assert_allclose(standalone(one, FMU).x0[:3], run.x[0, :3], rtol=0, atol=1e-12)
    text = (
        one.machine.to_yaml() + f"simulation: {{q0: {one.start.q}, reach: {one.start.reach or 0.1}, duration: 0.02}}\n"
    )
    file = tmp_path / "m.yaml"
    file.write_text(text, encoding="utf-8")
    again = da.load_experiment(file).replace(backend="vm")
    np.testing.assert_allclose(standalone(again, FMU).x0[:3], run.x[0, :3], rtol=0, atol=1e-12)


def test_the_studio_shows_the_assembled_start() -> None:
    one = experiment()
    run, shown = da.simulate(one), posture(one)
    assert shown == pytest.approx({name: run[name][0] for name in "abc"}, abs=1e-12)
    assert shown["a"] == pytest.approx(0.7, abs=1e-12)


def test_runs_that_do_not_fit_are_not_appended() -> None:
    first = da.simulate(experiment())
    with pytest.raises(da.InputError, match=r"a continuation must start at t = 0\.02, got 0"):
        first.append(da.simulate(experiment()))
    later = da.simulate(experiment(start=da.Start(t=0.02, q={"a": 0.9})))
    with pytest.raises(da.InputError, match=r"must start where this run ends: at t = 0\.02 s state '\w+' is"):
        first.append(later)


def test_a_continuation_may_be_off_by_rounding() -> None:
    """By a billionth of the state and of one, as of another program: at 1 km by a micrometre."""
    joint = da.Joint("x", "prismatic", "world", "m", axis="x")
    machine = da.Machine("far", [da.point_mass("m", 1.0)], [joint], gravity=(0, 0, 0))
    options: dict[str, Any] = {"duration": 0.1, "step": 0.05, "method": "rk4", "backend": "vm"}
    first = da.simulate(machine, q0=[1e3], v0=[0.5], **options)
    later = da.simulate(machine, start=first, **options)
    for error in (0.0, 9e-7, -9e-7, 1.1e-6, -1.1e-6):
        off = later.x.copy()
        off[:, 0] += error
        if abs(error) < 1e-6:
            assert first.append(replace(later, x=off)).t[-1] == 0.2
            continue
        with pytest.raises(da.InputError, match="must start where this run ends"):
            first.append(replace(later, x=off))


def test_a_class_is_no_law_and_a_member_is_counted_in_whole_numbers() -> None:
    pendulum = da.Machine(
        "p",
        [da.point_mass("b", 1.0, com=(0, 0, -1))],
        [da.Joint("th", "revolute", "world", "b", axis="y")],
        motors=[da.Motor("m", "th")],
    )
    with pytest.raises(da.InputError, match="control is the class PD, expected an object of it"):
        da.simulate(pendulum, duration=0.1, control=da.PD)  # type: ignore[arg-type]
    many = da.rollout(pendulum, duration=0.01, q0={"th": [0.1, 0.2]}, backend="vm")
    with pytest.raises(da.InputError, match=r"member must be a number from 0 to 1, got 1\.5"):
        many.member(1.5)  # type: ignore[arg-type]
    measures = {"angle": da.Measure("th", "final")}
    rows = da.campaign(pendulum, vary={"q0.th": [0.1, 0.2]}, n=2, duration=0.01, measure=measures, workers=1)
    with pytest.raises(da.InputError, match=r"a probability must be a number from 0 to 1, got 1\.5"):
        rows.quantile("angle", 1.5)
