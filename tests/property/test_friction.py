"""Chains of flexible links that fall, bounce, slide and rest: the laws of friction hold at every row of a run."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import dalembert as da
from dalembert.systems.falling_chains import chain_on_ground


@cache
def chain(links: int, modes: int) -> da.Machine:
    return chain_on_ground(links, modes, friction=da.Parameter("mu", 0.3), restitution=da.Parameter("e", 0.5))


def thrown(links: int, modes: int, seed: int, duration: float) -> tuple[da.Run, float]:
    """A chain that is thrown on the ground nearly flat, and its friction; half of them do not bounce."""
    rng = np.random.default_rng(seed)
    mu, e = float(rng.uniform(0.0, 1.0)), float(rng.choice([0.0, rng.uniform(0.0, 0.9)]))
    q0 = {"base.y": float(rng.uniform(0.05, 0.3)) + 0.05 * links, "base.angle": float(rng.uniform(-0.05, 0.05))}
    q0 |= {f"hinge{i}": float(rng.uniform(-0.03, 0.03)) for i in range(2, links + 1)}
    v0 = {"base.x_dot": float(rng.uniform(-2.0, 2.0))}
    settings = {"method": "dopri5", "rtol": 1e-6, "record": 0.005}
    return da.simulate(chain(links, modes), duration=duration, q0=q0, v0=v0, p={"mu": mu, "e": e}, **settings), mu


def assert_lawful(run: da.Run, mu: float, contacts: int) -> None:
    """Contacts push, friction is within its cone, nothing goes through the ground, and no energy appears."""
    assert run.status == "completed"
    last = np.append(np.diff(run.t) > 0.0, True)  # the row before a transition shows what made it necessary
    largest = max(np.abs(run[f"force.end{i}.normal"][last]).max() for i in range(contacts))
    for i in range(contacts):
        normal, tangent = run[f"force.end{i}.normal"][last], run[f"force.end{i}.tangent1"][last]
        assert normal.min() >= -1e-6 * largest
        assert (np.abs(tangent) - mu * normal).max() <= 1e-6 * largest
        assert run[f"gap.end{i}"].min() > -1e-8  # within that what is open counts as touching
    assert run.energy.drift < 1e-4  # a hundred times what a step may miss
    scale = np.abs(run.energy.total).max()
    assert np.diff(run.energy.total).max() < 1e-5 * scale
    assert all(change["energy_lost"] > -1e-9 * scale for change in run.metadata["transitions"])


@pytest.mark.parametrize("seed", range(8))
def test_three_links(seed: int) -> None:
    run, mu = thrown(3, 1, seed, 1.0)
    assert_lawful(run, mu, 4)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(8, 14), pytest.param(range(14, 28), marks=pytest.mark.long)], ids=str)
@pytest.mark.parametrize(("links", "modes", "duration"), [(2, 2, 1.5), (4, 2, 1.0), (5, 0, 3.0), (7, 1, 1.5)])
def test_more_of_them(links: int, modes: int, duration: float, seeds: range) -> None:
    for seed in seeds:
        try:
            run, mu = thrown(links, modes, seed, duration)
        except da.InputError:
            continue  # it would start in the ground
        assert_lawful(run, mu, links + 1)


@pytest.mark.slow
@pytest.mark.long  # shorter chains rub in the tests above
def test_ten_links_rub_until_they_lie() -> None:
    """Eleven ends of which several come to rest at once: they once turned each other round without end."""
    machine = chain_on_ground(10, 2, friction=0.3)
    start = {"base.y": 1.0, "base.angle": 0.05}
    run = da.simulate(machine, duration=3.0, q0=start, method="dopri5", rtol=1e-6, record=0.01)
    assert_lawful(run, 0.3, 11)
