"""Numbers inside of longer computations, against their definitions."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from dalembert.analysis.closed_form.angles import _times
from dalembert.engine.sampling import Sampler


def test_instants_of_samples() -> None:
    sampler = SimpleNamespace(updates=[SimpleNamespace(offset=0.05, period=0.1)], origin=0.2)
    t = np.array([0.15, 0.2, 0.25, 0.3, 0.35, 0.351, 0.45])
    assert Sampler.is_instant(cast(Any, sampler), t).tolist() == [False, False, True, False, True, False, True]


def test_products_of_waves() -> None:
    rng = np.random.default_rng(1)
    u = rng.normal(size=2)

    def value(wave: dict[tuple[int, ...], tuple[Fraction, Fraction]]) -> complex:
        return sum(complex(re, im) * np.exp(1j * np.dot(f, u)) for f, (re, im) in wave.items())

    wave = {
        (1, 0): (Fraction(2, 3), Fraction(-3, 5)),
        (-1, 2): (Fraction(1, 7), Fraction(4)),
        (0, 0): (Fraction(5), Fraction(1)),
    }
    for k in (0, 1):
        for kind, factor in (("cos", np.cos(u[k])), ("sin", np.sin(u[k]))):
            assert value(_times(cast(Any, wave), k, kind)) == pytest.approx(factor * value(wave), rel=1e-13)
