"""Frequencies of hanging cranes against the continuous cable (Bessel functions) and the linear chain."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.systems.cranes import (
    cable_sway_omega,
    elastic_cable_omega,
    linear_chain_omega,
    planar_crane,
    spatial_crane,
    sway_omega,
    uniform_cable,
)

LENGTH, MASS = 5.0, 4.0


def errors(payload: float, counts: tuple[int, ...], **options) -> np.ndarray:
    exact = cable_sway_omega(2, length=LENGTH, mass=MASS, payload=payload)
    cranes = [planar_crane(uniform_cable(n, LENGTH, payload=payload, mass=MASS, **options)) for n in counts]
    return np.array([np.abs(sway_omega(crane)[:2] / exact - 1) for crane in cranes])


def test_bernoulli_frequencies() -> None:
    """The first zeros of J0 are 2.4048, 5.5201, 8.6537 (Abramowitz and Stegun, table 9.5)."""
    w = cable_sway_omega(3, length=LENGTH, mass=MASS)
    assert np.allclose(w / np.sqrt(9.81 / LENGTH) * 2, [2.40482556, 5.52007811, 8.65372791], atol=1e-8)


def test_light_cable_is_a_pendulum() -> None:
    w = cable_sway_omega(1, length=LENGTH, mass=1e-6, payload=100.0)
    assert np.isclose(w[0], np.sqrt(9.81 / LENGTH), rtol=1e-8)


def test_payload_frequency_tends_to_bernoulli() -> None:
    w = cable_sway_omega(3, length=LENGTH, mass=MASS, payload=1e-7)
    assert np.allclose(w, cable_sway_omega(3, length=LENGTH, mass=MASS), rtol=1e-6)


@pytest.mark.parametrize("payload", [0.0, 2.0, 100.0])
def test_second_order_with_half_of_each_link_at_its_ends(payload: float) -> None:
    e = errors(payload, (16, 32))
    assert np.allclose(np.log2(e[0] / e[1]), 2.0, atol=0.05)


def test_second_order_with_rigid_rods() -> None:
    e = errors(2.0, (16, 32), rods=True)
    assert np.allclose(np.log2(e[0] / e[1]), 2.0, atol=0.05)


@pytest.mark.parametrize(
    ("counts", "margin"),  # what the next order leaves of the second frequency: twice as many links, half of it
    [((8, 16, 32), 0.1), pytest.param((16, 32, 64), 0.05, marks=pytest.mark.slow)],
)
def test_first_order_with_all_of_each_link_at_its_lower_end(counts: tuple[int, ...], margin: float) -> None:
    e = errors(0.0, counts, lumping="nodes")
    orders = np.log2(e[:-1] / e[1:])
    assert (np.diff(np.abs(orders - 1), axis=0) < 0).all()  # ever closer to one
    assert np.allclose(orders[-1], 1.0, atol=margin)


def test_spatial_crane_has_each_frequency_twice() -> None:
    cable = uniform_cable(4, LENGTH, payload=2.0, mass=MASS)
    twice = sway_omega(spatial_crane(cable))
    once = sway_omega(planar_crane(cable))
    assert np.allclose(twice[::2], once, rtol=1e-9)
    assert np.allclose(twice[1::2], once, rtol=1e-9)


@pytest.mark.parametrize("payload", [0.0, 50.0])
def test_elastic_links_are_a_linear_chain(payload: float) -> None:
    cable = uniform_cable(6, LENGTH, payload=payload, mass=MASS, stiffness=1e5)
    chain = linear_chain_omega(cable.masses, cable.axial_stiffness)
    crane = sway_omega(planar_crane(cable, lengths="variable", winches=0))
    assert all(np.abs(crane / w - 1).min() < 1e-10 for w in chain)


@pytest.mark.parametrize("payload", [0.0, 50.0])
def test_elastic_chain_converges_to_the_bar(payload: float) -> None:
    exact = elastic_cable_omega(2, mass=MASS, stiffness=1e5, payload=payload)
    e = []
    for n in (16, 32):
        cable = uniform_cable(n, LENGTH, payload=payload, mass=MASS, stiffness=1e5)
        e.append(np.abs(linear_chain_omega(cable.masses, cable.axial_stiffness)[:2] / exact - 1))
    assert np.allclose(np.log2(e[0] / e[1]), 2.0, atol=0.02)
