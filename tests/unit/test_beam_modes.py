"""Modes of beams against the roots of their characteristic equations, and shape integrals against quadrature."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.optimize import brentq

import dalembert as da
from dalembert.model.beam_integrals import BeamIntegrals, mode_matrices
from dalembert.model.beam_shortening import shortening

UNIT = da.Section(1.0, 1.0, 1.0)


def _beam(**fields: object) -> da.Beam:
    given: dict[str, object] = {"E": 1.0, "G": 1.0, "density": 1.0, "modes": {"y": 20}, "rotary_inertia": False}
    return da.Beam("beam", 1.0, UNIT, **(given | fields))


def _roots(f: Callable[[Any], Any], count: int, step: float = 1e-2) -> np.ndarray:
    """First positive roots of a function, all sign changes on a fine grid."""
    grid = np.arange(1e-3, (count + 3) * np.pi, step)
    values = f(grid)
    found = [
        brentq(f, a, b, xtol=1e-15, rtol=1e-15)
        for (a, b), (u, v) in zip(pairwise(grid), pairwise(values), strict=True)
        if u * v < 0
    ]
    return np.array(found[:count])


# cos and sin with cosh scaled out, so that nothing overflows.
def _loaded(M: float, J: float, D: float) -> Callable[[Any], Any]:
    """SPACE (B.7) over cosh, with the first moment D of the load as a further term."""

    def f(x: Any) -> Any:
        c, s, t, e = np.cos(x), np.sin(x), np.tanh(x), 1 / np.cosh(x)
        loads = J * x**3 * (s + c * t) + M * x * (s - c * t) + 2 * D * x**2 * s * t
        return -e - c + (M * J - D**2) * x**4 * (-e + c) + loads

    return f


BENDING = {
    "clamped-free": lambda x: np.cos(x) + 1 / np.cosh(x),
    "clamped-clamped": lambda x: np.cos(x) - 1 / np.cosh(x),
    "free-free": lambda x: np.cos(x) - 1 / np.cosh(x),
    "clamped-pinned": lambda x: np.cos(x) * np.tanh(x) - np.sin(x),
    "pinned-pinned": np.sin,
    "pinned-free": lambda x: np.cos(x) * np.tanh(x) - np.sin(x),
}


@pytest.mark.parametrize("boundary", BENDING)
def test_twenty_bending_frequencies(boundary: str) -> None:
    assert_allclose(_beam(boundary=boundary).omega, _roots(BENDING[boundary], 20) ** 2, rtol=1e-10)


@pytest.mark.parametrize(
    ("M", "J", "D"), [(0.5, 0, 0), (3.0, 0.2, 0), (12.0, 40.0, 0), (3.0, 2.0, 1.5), (1e4, 1e5, 1e3)]
)
def test_twenty_loaded_bending_frequencies(M: float, J: float, D: float) -> None:
    beam = _beam(load=da.Load(M, (0.0, J, J), D))
    assert_allclose(beam.omega, _roots(_loaded(M, J, D), 20, 2e-3) ** 2, rtol=1e-10)


@pytest.mark.parametrize("load", [0.0, 0.3, 25.0])
def test_twenty_frequencies_of_traction_and_torsion(load: float) -> None:
    section = da.Section(2.0, 0.5, 0.5)  # S = 2, I_p = 1
    given = da.Load(2 * load, (load, 1.0, 1.0)) if load else None
    beam = da.Beam("beam", 1.0, section, E=1.0, G=1.0, density=1.0, modes={"x": 20, "torsion": 20}, load=given)
    roots = _roots(lambda x: np.cos(x) - load * x * np.sin(x), 20)  # (B.5), (B.6)
    assert_allclose(beam.omega, [*roots, *roots], rtol=1e-10)


def test_no_mode_is_missed() -> None:
    """Mode k of a clamped-free beam has k - 1 nodes: a missed or doubled root would show."""
    s = np.linspace(1e-3, 1.0, 4001)
    for k, mode in enumerate(_beam().basis):
        assert int((np.diff(np.sign(mode.shape(s))) != 0).sum()) == k


def test_step_of_the_section_needs_both_sides() -> None:
    """A stepped beam equals the uniform one when the step vanishes, and a very stiff stretch acts as a rigid one."""
    split = da.Beam("b", 1.0, ((0.37, UNIT), (0.63, UNIT)), E=1.0, density=1.0, modes={"y": 6}, rotary_inertia=False)
    assert_allclose(split.omega, _beam(modes={"y": 6}).omega, rtol=1e-11)
    stiff = da.Section(1e-9, 1e9, 1e9)
    half = da.Beam("b", 1.0, ((0.5, stiff), (0.5, UNIT)), E=1.0, density=1.0, modes={"y": 3}, rotary_inertia=False)
    assert_allclose(half.omega, 4 * _beam(modes={"y": 3}).omega, rtol=1e-6)


def test_springs_between_free_and_clamped() -> None:
    weak, strong = 1e-7, 1e9
    held = [
        _beam(modes={"y": 4}, boundary=(da.Support(True, True), da.Support(False, False, k, k))).omega
        for k in (weak, strong)
    ]
    assert_allclose(held[0], _beam(modes={"y": 4}, boundary="clamped-free").omega, rtol=1e-6)
    assert_allclose(held[1], _beam(modes={"y": 4}, boundary="clamped-clamped").omega, rtol=1e-6)


def test_shapes_satisfy_the_differential_equation() -> None:
    for mode in _beam(modes={"y": 6}, load=da.Load(2.0, (0, 0.5, 0.5), 0.3)).basis:
        s, w = np.linspace(0.01, 0.99, 200), mode.omega
        assert_allclose(mode.shape(s, 4), w**2 * mode.shape(s), atol=1e-7 * w**2)


def test_normalizations() -> None:
    load = da.Load(1.2, (0.1, 0.2, 0.3), 0.2)
    beams = {n: _beam(modes={"y": 3}, load=load, normalization=n) for n in ("unit", "mass", "segment", "load", "tip")}
    for name, beam in beams.items():
        integrals = BeamIntegrals.of(beam)
        K, w2 = np.diag(integrals.K_E), beam.omega**2
        if name == "mass":
            assert_allclose(np.diag(integrals.B[1, 1]), 1.0, rtol=1e-10)
        elif name == "tip":
            assert_allclose([m.shape(1.0) for m in beam.basis], 1.0)
        else:
            assert_allclose(K / w2, {"unit": 1.0, "segment": 1.0, "load": 1.2}[name], rtol=1e-9)


def test_loaded_modes_are_orthogonal_with_their_load() -> None:
    load = da.Load(1.2, (0.1, 0.2, 0.3), 0.2)
    beam = _beam(modes={"y": 4}, load=load)
    integrals, (Phi, Delta) = BeamIntegrals.of(beam), mode_matrices(beam, 1.0)
    w, t = Phi[1], Delta[2]
    M = integrals.B[1, 1] + 1.2 * np.outer(w, w) + 0.3 * np.outer(t, t) + 0.2 * (np.outer(w, t) + np.outer(t, w))
    assert_allclose(M, np.eye(4), atol=1e-10)
    assert_allclose(integrals.K_E, np.diag(beam.omega**2), atol=1e-8 * beam.omega[-1] ** 2)


def test_shape_integrals_against_adaptive_quadrature() -> None:
    """Every integral of the definition, integrated by an independent rule over the section's axis."""
    sections = ((0.4, da.Section(2.0, 0.3, 0.2, I_yz=0.1)), (0.6, da.Section(1.0, 0.2, 0.1)))
    beam = da.Beam(
        "b",
        1.0,
        sections,
        E=1.0,
        G=1.0,
        density=1.0,
        modes={"x": 1, "y": 2, "z": 1, "torsion": 1},
        offset=(0.1, 0.2, 0.3),
    )
    integrals = BeamIntegrals.of(beam)

    def points(s: float) -> tuple[da.Section, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        Phi, Delta = mode_matrices(beam, s)
        columns = [np.cross(Delta.T, e).T for e in (np.eye(3)[1], np.eye(3)[2])]
        section = sections[0][1] if s <= 0.4 else sections[1][1]
        return section, np.array([0.1 + s, 0.2, 0.3]), Phi, columns[0], columns[1]

    def integrate(f: Callable[[float], float]) -> float:
        return sum(quad(f, a, b, epsabs=1e-12, epsrel=1e-12)[0] for a, b in ((0.0, 0.4), (0.4, 1.0)))

    rng = np.random.default_rng(3)
    for _ in range(12):
        b, c, i, j = (*rng.integers(3, size=2), *rng.integers(5, size=2))

        def density_B(s: float, b: int = b, c: int = c, i: int = i, j: int = j) -> float:
            A, _, X, Y, Z = points(s)
            cross = Y[b, i] * Z[c, j] + Z[b, i] * Y[c, j]
            return float(
                A.area * X[b, i] * X[c, j] + A.I_z * Y[b, i] * Y[c, j] + A.I_y * Z[b, i] * Z[c, j] + A.I_yz * cross
            )

        def density_n(s: float, b: int = b, c: int = c, j: int = j) -> float:
            A, x, X, Y, Z = points(s)
            y, z = np.eye(3)[1], np.eye(3)[2]
            cross = y[b] * Z[c, j] + z[b] * Y[c, j]
            return float(A.area * x[b] * X[c, j] + A.I_z * y[b] * Y[c, j] + A.I_y * z[b] * Z[c, j] + A.I_yz * cross)

        assert_allclose(integrals.B[b, c, i, j], integrate(density_B), atol=1e-9)
        assert_allclose(integrals.n[b, c, j], integrate(density_n), atol=1e-9)


def test_shortening_is_half_the_square_of_the_slope() -> None:
    beam = _beam(modes={"y": 1}, load=da.Load(1.0, (0, 0, 0.1)))
    shape = beam.basis[0].shape
    expected = quad(lambda s: float(shape(s, 1)) ** 2, 0.0, 0.6)[0]
    assert_allclose(shortening(beam, 0.6)[0, 0], expected, rtol=1e-9)


def test_given_shapes_polynomial_and_nodal() -> None:
    """The static shape under a tip force, once as a polynomial, once as nodal values of a beam element."""
    cubic = da.Shape.polynomial(1.0, [0, 0, 1.5, -0.5])
    nodal = da.Shape.nodal([0.0, 0.3, 1.0], cubic([0.0, 0.3, 1.0]), cubic([0.0, 0.3, 1.0], 1))
    s = np.linspace(0, 1, 11)
    assert_allclose(nodal(s), cubic(s), atol=1e-14)
    values = [BeamIntegrals.of(_beam(modes={"y": (shape,)})) for shape in (cubic, nodal)]
    assert_allclose(values[0].K_E, 3.0)  # 3 EI / l^3
    assert_allclose(values[0].B[1, 1], 33 / 140)  # the effective mass of a cantilever
    assert_allclose(values[1].B, values[0].B, atol=1e-14)
    linear = da.Shape.nodal([0.0, 1.0], [0.0, 1.0])
    assert_allclose(BeamIntegrals.of(_beam(modes={"x": (linear,)})).B[0, 0], 1 / 3)


def test_participation_of_all_modes_is_the_inertia_of_the_beam() -> None:
    """Effective masses of ever more clamped-free modes add up to mass and inertia about the root."""
    beam = _beam(modes={"y": 20})
    L = BeamIntegrals.of(beam).participation
    modal = np.diag(BeamIntegrals.of(beam).B[1, 1])
    effective = L**2 / modal
    tail = 4 / (20 * np.pi**2)  # of the modes beyond the twentieth, 4 / ((k - 1/2) pi)^2 each
    assert_allclose(effective[1].sum() + tail, 1.0, rtol=1e-4)  # mass
    assert_allclose(effective[5].sum(), 1 / 3, rtol=1e-4)  # rho S l^3 / 3
    assert_allclose(effective[1][:3], [0.6131, 0.1883, 0.0647], atol=5e-5)  # the known shares of a cantilever


def test_a_turned_section_is_soft_across_its_flat_side() -> None:
    """A flat section turned by 0.5 rad about the axis: the lower mode moves the tip along its turned thickness."""
    flat, turn = da.Section.rectangle(0.03, 0.01), 0.5
    soft, stiff = sorted((flat.I_y, flat.I_z))
    c, s = np.cos(turn), np.sin(turn)
    # The wide side is turned from y towards z: I_z is the integral of y^2, I_y that of z^2, I_yz that of y z.
    I_z, I_y, I_yz = stiff * c**2 + soft * s**2, stiff * s**2 + soft * c**2, s * c * (stiff - soft)
    section = da.Section(flat.area, I_y, I_z, I_yz=I_yz)
    beam = da.Beam("b", 1.0, section, 70e9, 26e9, 2700.0, {"y": 1, "z": 1}, rotary_inertia=False)
    machine = da.Machine("turned", [beam], [da.Joint("root", "fixed", "world", "b")], gravity=(0, 0, 0))
    plant = da.linearize(machine, outputs=["b.tip.y", "b.tip.z"])
    values, vectors = np.linalg.eig(-plant.A[2:, :2])
    low, high = np.sort(values)
    assert high / low == pytest.approx(stiff / soft, rel=1e-9)
    y, z = plant.C[:, :2] @ vectors[:, values.argmin()]
    assert y * c + z * s == pytest.approx(0.0, abs=1e-9 * np.hypot(y, z))
