"""Mechanisms of the benchmark libraries: what can be asked of them beside the study that runs them."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.systems.mechanisms import ANDREWS_START, andrews_squeezer, bricard_mechanism, car_axis, four_bars


def test_mass_matrix_of_the_squeezer_is_that_of_the_book() -> None:
    """Entries of Hairer and Wanner (VII.7) that hold lever arms and signs."""
    machine = andrews_squeezer()
    eom = da.equations(machine, backend="vm")
    q = dict(zip(eom.q_names, np.random.default_rng(0).normal(size=7), strict=True))
    M = eom.mass_matrix(np.array(list(q.values())))
    at = {name: i for i, name in enumerate(eom.q_names)}
    m, r, c = 0.00365, 0.007, 0.0115
    assert M[at["theta"], at["beta"]] == pytest.approx(m * (c**2 - c * r * np.cos(q["theta"])) + 4.410e-7, rel=1e-12)
    m, u, c = 0.00706, 0.04, 0.02 - 0.01421
    assert M[at["phi"], at["delta"]] == pytest.approx(m * (c**2 + u * c * np.sin(q["phi"])) + 5.667e-7, rel=1e-12)
    assert M[at["omega"], at["epsilon"]] == pytest.approx(m * (c**2 - u * c * np.sin(q["omega"])) + 5.667e-7, rel=1e-12)


def test_starts_fulfil_the_constraints() -> None:
    for machine, start in ((andrews_squeezer(), ANDREWS_START), (bricard_mechanism(), {}), (four_bars(3), {})):
        eom = da.equations(machine, backend="vm")
        q = np.array([start.get(name, 0.0) for name in eom.q_names])
        assert np.abs(eom.constraints(q)).max() < 1e-15


@pytest.mark.parametrize("make", [car_axis, lambda: four_bars(2)])
def test_formulations_agree(make) -> None:
    assert da.verify(make(), samples=2).ok


@pytest.mark.parametrize("n", [0, -1, 2.5, "two"])
def test_a_wrong_number_of_linkages_is_refused(n) -> None:
    with pytest.raises(da.InputError, match="number of four-bar linkages must be an integer >= 1"):
        four_bars(n)
