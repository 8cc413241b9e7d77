"""Beams that keep the shortening of their bent axis: definite inertia, energy, and a geometrically exact beam."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

import dalembert as da
from dalembert.model.beam_shortening import ShorteningIntegrals, shortening
from support.absolute_nodal import SoftPendulum
from support.comparison import difference

# Tip (x, y) of the pendulum below at t = 0, 0.1 .. 1 s in absolute nodal coordinates: Exudyn 1.13.6, cables of the kind
# `ObjectANCFCable2D`, 16 elements, generalized-alpha (spectral radius 0.8) with 2000 steps; 8 elements and 1000 steps
# differ by 2e-5 at most (`SoftPendulum.absolute_nodal`; compared live in tests/parity). On its way it deflects by 11 %
# of its length.
ABSOLUTE_NODAL = np.array(
    [
        [1.0, 0.0],
        [0.99722, -0.05086],
        [0.96014, -0.27825],
        [0.79441, -0.60766],
        [0.4452, -0.89488],
        [-0.10121, -0.99463],
        [-0.5677, -0.82339],
        [-0.87557, -0.48135],
        [-0.98096, -0.19215],
        [-0.99949, -0.03109],
        [-0.99761, 0.01896],
    ]
)
PENDULUM, PATH = SoftPendulum(bending=0.22), 3.169


def test_integrals_are_those_of_the_slopes() -> None:
    """By adaptive quadrature of what they are made of, on a stepped beam with modes in all directions."""
    sections = ((0.4, da.Section(2e-3, 2e-6, 3e-6)), (0.5, da.Section(1e-3, 1e-6, 1e-6)))
    beam = da.Beam("b", 0.9, sections, E=1e6, density=1e3, modes={"x": 1, "y": 2, "z": 1}, offset=(0.1, 0.2, 0.3))
    found, (_, y1, y2, z) = ShorteningIntegrals.of(beam), beam.basis

    def volume(f: Callable[[float], float]) -> float:
        return float(sum(section.area * quad(f, a, b, epsabs=1e-13)[0] for a, b, section in beam.pieces))

    def H(i: int, j: int, s: float) -> float:
        return float(shortening(beam, s)[i, j])

    assert_allclose(H(1, 2, 0.7), quad(lambda s: float(y1.shape(s, 1) * y2.shape(s, 1)), 0, 0.7, points=[0.4])[0])
    assert H(1, 3, 0.7) == 0.0 and H(0, 0, 0.7) == 0.0
    assert_allclose(found.H_c[1, 2], volume(lambda s: H(1, 2, s)))
    assert_allclose(found.H_w[2, 2], volume(lambda s: s * H(2, 2, s)))
    assert_allclose(found.P[2, 3, 1, 2], volume(lambda s: float(z.shape(s)) * H(1, 2, s)))
    assert_allclose(found.Q[1, 2, 3, 3], volume(lambda s: H(1, 2, s) * H(3, 3, s)))


@pytest.mark.parametrize("modes", [4, 10])
def test_mass_matrix_is_positive_definite_at_any_deflection(modes: int) -> None:
    """On a hinge without inertia of its own, where the inertia of rotation is all that the bent beam has."""
    eom = da.equations(PENDULUM.machine(modes), backend="vm")
    beam = eom.machine.body("beam")
    rng = np.random.default_rng(0)
    for size in (0.02, 0.1, 0.5, 1.0, 5.0):
        for _ in range(20):
            delta = rng.normal(size=modes) * rng.choice([0.1, 1.0], size=modes)
            tip = sum(m.shape(1.0) * d for m, d in zip(beam.basis, delta, strict=True))
            M = eom.mass_matrix([0.3, *(delta * size / abs(tip))])
            scale = 1 / np.sqrt(np.diag(M))
            assert np.linalg.eigvalsh(scale[:, None] * M * scale)[0] > 1e-12


def test_mass_matrix_is_the_energy_of_the_positions() -> None:
    """Energy of points of the axis that move as the Jacobians of stations say."""
    s, w = np.polynomial.legendre.leggauss(30)
    s, w = (s + 1) / 2, w / 2
    stations = {f"s{i}": float(x) for i, x in enumerate(s)}
    fields = {"modes": {"x": 1, "y": 2, "z": 2}, "stations": stations, "offset": (0.1, 0.05, -0.1)}
    beam = PENDULUM.beam(**fields)
    machine = da.Machine("m", [beam, _hub()], [da.Joint("base", "free", "world", "beam"), _held()])
    eom = da.equations(machine, backend="vm")
    rng = np.random.default_rng(1)
    q, v = eom.random_configuration(rng), rng.normal(size=eom.nv)
    q[7:] *= 5.0
    hub = da.equations(da.Machine("hub", [_hub()], [da.Joint("base", "free", "world", "hub")]), backend="vm")
    twice = 2 * hub.energy(q[:7], v[:6]).kinetic
    for i, weight in enumerate(w):
        velocity = eom.jacobian(f"beam.s{i}", q)[:3] @ v
        twice += PENDULUM.mass * weight * velocity @ velocity
    assert_allclose(eom.energy(q, v).kinetic, twice / 2, rtol=1e-12)


def _hub() -> da.Body:
    return da.Body("hub", 1.0, inertia=(0.1, 0.1, 0.1))


def _held() -> da.Joint:
    return da.Joint("held", "fixed", "beam", "hub")


def test_formulations_agree_far_from_straight() -> None:
    shapes = [da.Shape.polynomial(1.0, [0, 0, 1.5, -0.5]), da.Shape.polynomial(1.0, [0, 0, 1.0, -1.2])]
    modes = {"x": [da.Shape.polynomial(1.0, [0, 1.0])], "y": shapes, "z": shapes[:1]}
    beam = PENDULUM.beam(modes=modes, offset=(0.1, 0.05, -0.1), density=da.Parameter("rho", 2e4))
    machine = da.Machine("m", [beam, _hub()], [da.Joint("ball", "spherical", "world", "beam"), _held()])
    fast, slow = (da.equations(machine, by=by, backend="vm") for by in ("newton-euler", "lagrange"))
    rng = np.random.default_rng(2)
    q, v, tau = fast.random_configuration(rng), rng.normal(size=7), rng.normal(size=7)
    q[4:] *= 10.0
    p = {"rho": 3e4}
    assert difference(fast.mass_matrix(q, p=p), slow.mass_matrix(q, p=p)) < 1e-12
    assert difference(fast.bias(q, v, p=p), slow.bias(q, v, p=p)) < 1e-12
    assert difference(fast.energy(q, v, p=p), slow.energy(q, v, p=p)) < 1e-12
    a = fast.forward_dynamics(q, v, tau, p=p)
    assert difference(slow.inverse_dynamics(q, v, a, p=p), tau, slow.bias(q, v, p=p)) < 1e-10


def test_soft_pendulum_falls_as_a_geometrically_exact_beam() -> None:
    machine = PENDULUM.machine(4)
    eom = da.equations(machine)
    run = da.simulate(eom, duration=1.0, method="dopri5", rtol=1e-9, atol=1e-10, record=0.1)
    assert run.status == "completed" and run.energy.drift < 1e-8
    q = np.column_stack([run[name] for name in machine.q_names])
    tip = eom.pose("beam.tip", q)[:, :2, 3]
    assert np.abs(tip - ABSOLUTE_NODAL).max() < 0.01 * PATH


def test_random_states_of_beams_are_small_deflections() -> None:
    """`verify` compares where the equations mean something: sections turn by tenths of a radian, not by turns."""
    machine = PENDULUM.machine(6)
    eom = da.equations(machine, backend="vm")
    rng = np.random.default_rng(0)
    tips = np.array([eom.pose("beam.tip", [0.0, *eom.random_configuration(rng)[1:]]) for _ in range(200)])
    assert 0.02 < np.abs(tips[:, 1, 3]).max() < 0.3
    assert 0.1 < np.abs(np.arcsin(tips[:, 1, 0])).max() < 1.0
    assert da.verify(PENDULUM.machine(2), samples=5, tolerance=1e-10).ok
