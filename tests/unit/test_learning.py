"""Torques learnt on repeated runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.control import Learning, Trial, learn_torques
from dalembert.studies.textbook.learning import learnt, missing

MASS, DAMPING = 2.0, 3.0


def slide(ratio: float = 1.0) -> da.Machine:
    return da.Machine(
        "slide",
        bodies=[da.point_mass("load", MASS)],
        joints=[da.Joint("x", "prismatic", "world", "load", axis=(1, 0, 0), damping=DAMPING)],
        motors=[da.Motor("F", "x", ratio=ratio)],
    )


def learn(machine: da.Machine, trials: int, *, lead: int = 1, **task: Any) -> Learning:
    eom, move = da.equations(machine), da.Quintic([0.0], [0.5], duration=1.0)
    settings = {"duration": 1.0, "period": 0.01, "kp": 200.0, "kd": 40.0} | task
    first = Trial(machine, move, **settings)
    return learn_torques(lambda trial: da.simulate(eom, duration=1.0, control=trial), first, trials=trials, lead=lead)


@pytest.mark.parametrize("ratio", [1.0, 20.0])
def test_learnt_force_is_that_of_newton(ratio: float) -> None:
    """m x'' + b x' of the quintic, in the middle of each sample, through a gear."""
    result = learn(slide(ratio), 30)
    s = result.times + 0.005
    x_dot = 0.5 * (30 * s**2 - 60 * s**3 + 30 * s**4)
    x_ddot = 0.5 * (60 * s - 180 * s**2 + 120 * s**3)
    force = MASS * x_ddot + DAMPING * x_dot
    np.testing.assert_allclose(result.torques[:-1, 0] * ratio, force[:-1], atol=2e-3 * np.abs(force).max())
    assert result.history.shape == (30, 100, 1)
    assert not result.history[0].any()


def test_what_is_missing_falls_with_every_trial() -> None:
    gaps = missing().max(axis=1)
    assert (np.diff(gaps) < 0).all()
    assert gaps[0] == 1.0 and gaps[-1] < 1e-2
    assert learnt().errors[-1].max() < 1e-3 * learnt().errors[0].max()


@pytest.mark.parametrize(("lead", "kp", "kd"), [(0, 200.0, 40.0), (1, 4000.0, 40.0), (1, 200.0, 300.0)])
def test_the_conditions_of_the_docstring_are_sharp(lead: int, kp: float, kd: float) -> None:
    """No lead, kd^2 < 2 m kp, or kd period > 4/3 m: high frequencies, or those near the resonance, grow."""
    noise = 1e-6 * np.random.default_rng(0).normal(size=(100, 1))
    kept, broken = (learn(slide(), 30, torques=noise, **g) for g in ({}, {"lead": lead, "kp": kp, "kd": kd}))

    def growth(result: Learning) -> float:
        change = np.abs(np.diff(result.history, axis=0))[:, :-1].max(axis=(1, 2))
        return float(change[-1] / change[15])

    assert growth(kept) < 1.0 < growth(broken)


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: Trial(None, None, duration=1.0, period=0.1, kp=1.0, kd=1.0), "needs a Machine"),  # type: ignore[arg-type]
        (lambda: learn(slide(), 1, period=0.3), "whole number of periods"),
        (lambda: learn(slide(), 1, period=-0.1), "period of a Trial must be a number > 0"),
        (lambda: learn(slide(), 1, kp=[1.0, 2.0]), "kp must be one number or 1 numbers"),
        (lambda: learn(slide(), 1, torques=np.zeros((3, 1))), r"shape \(100, 1\), got the shape \(3, 1\)"),
        (lambda: learn(slide(), 0), "trials of learn_torques must be a whole number >= 1, got 0"),
        (lambda: learn(slide(), 1, lead=100), "less than the 100 samples"),
        (lambda: learn_torques(print, None), "needs a Trial"),  # type: ignore[arg-type]
    ],
)
def test_refusals(call: Callable[[], Any], complaint: str) -> None:
    with pytest.raises(da.InputError, match=complaint):
        call()
