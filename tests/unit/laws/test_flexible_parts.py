"""Beams and modal appendages: frequencies, stiffness and damping of textbook beams."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from tests.support.finite_element_models import truss
from tests.support.laws import evaluated, law

import dalembert as da

L, A, I_Y, I_Z, E, G, RHO = 1.7, 3.1e-4, 2.9e-9, 4.7e-9, 6.8e10, 2.5e10, 2650.0


def segment(modes: dict[str, int], section: da.Section | None = None, **more: Any) -> da.Beam:
    """A beam whose sections have no inertia of rotation, but in torsion, which is nothing else."""
    own = da.Section(A, I_Y, I_Z) if section is None else section
    return da.Beam("b", L, own, E=E, G=G, density=RHO, modes=modes, rotary_inertia="torsion" in modes, **more)


def beam(modes: dict[str, int], section: da.Section | None = None, **more: Any) -> da.Machine:
    """A beam on a wall."""
    one = segment(modes, section, **more)
    return da.Machine("beam", [one], [da.Joint("wall", "fixed", "world", "b")], gravity=(0, 0, 0))


def frequencies(machine: da.Machine) -> list[float]:
    """Of small motions about the straight beam."""
    n = da.equations(machine, backend="vm").nv
    K = np.column_stack([evaluated(machine, "bias", q=row) for row in np.eye(n)])
    return sorted(np.sqrt(np.linalg.eigvals(np.linalg.solve(evaluated(machine, "mass_matrix").reshape(n, n), K)).real))


def bending(I: float, z: float) -> float:
    """Frequency of a bending mode with the root z = beta L of its equation."""
    return (z / L) ** 2 * math.sqrt(E * I / (RHO * A))


@law("Beam.E", "Beam.density", "Beam.length", "Beam.section", "Section.area", "Section.I_y", "Section.I_z")
@pytest.mark.parametrize(("axis", "I"), [("y", I_Z), ("z", I_Y)])
def test_a_cantilever_bends_at_its_frequencies(axis: str, I: float) -> None:
    """cos z cosh z = -1."""
    roots = [brentq(lambda z: math.cos(z) + 1 / math.cosh(z), a, b) for a, b in ((1.0, 3.0), (4.0, 6.0))]
    assert frequencies(beam({axis: 2})) == pytest.approx([bending(I, z) for z in roots], rel=1e-6)


@law("Beam.G", "Section.torsion", "Section.I_p")
def test_a_rod_twists_and_stretches_at_its_frequencies() -> None:
    section = da.Section(A, I_Y, I_Z, I_p=I_Y + I_Z, torsion=3.9e-9)
    twist = math.pi / (2 * L) * math.sqrt(G * 3.9e-9 / (RHO * (I_Y + I_Z)))
    assert frequencies(beam({"torsion": 1}, section)) == pytest.approx([twist], rel=1e-6)
    assert frequencies(beam({"x": 1})) == pytest.approx([math.pi / (2 * L) * math.sqrt(E / RHO)], rel=1e-6)


@law("Section.I_yz")
def test_a_product_of_area_couples_the_planes() -> None:
    """Of a section whose axes are turned, the modes bend about the principal axes."""
    low, high = np.linalg.eigvalsh([[I_Z, 2.2e-9], [2.2e-9, I_Y]])
    z = brentq(lambda z: math.cos(z) + 1 / math.cosh(z), 1.0, 3.0)
    machine = beam({"y": 1, "z": 1}, da.Section(A, I_Y, I_Z, I_yz=2.2e-9))
    assert frequencies(machine) == pytest.approx([bending(low, z), bending(high, z)], rel=1e-6)


@law("Beam.damping")
def test_damping_is_a_part_of_the_critical_one() -> None:
    """-2 zeta w m delta'."""
    machine = beam({"y": 1}, damping=0.037)
    (w,), m = frequencies(machine), evaluated(machine, "mass_matrix").item()
    assert evaluated(machine, "applied", v=[1.3]) == pytest.approx([-2 * 0.037 * w * m * 1.3], rel=1e-6)


@law("Load.mass", "Load.inertia", "Load.first_moment")
def test_modes_of_a_beam_with_a_load_at_its_tip() -> None:
    """A mass: 1 + cos z cosh z = mu z (sin z cosh z - cos z sinh z). In torsion z tan z = 1/j. A mass on an arm."""
    M = 0.6
    mu = M / (RHO * A * L)
    z = brentq(
        lambda z: 1 + math.cos(z) * math.cosh(z) - mu * z * (math.sin(z) * math.cosh(z) - math.cos(z) * math.sinh(z)),
        0.3,
        2.0,
    )
    assert mode(da.Load(M), "y") == pytest.approx(bending(I_Z, z), rel=1e-6)
    J = 3.0e-5
    twist = brentq(lambda z: z * math.tan(z) - RHO * (I_Y + I_Z) * L / J, 1e-3, 1.5707)
    assert mode(da.Load(0.0, (J, 0.0, 0.0)), "torsion") == pytest.approx(twist / L * math.sqrt(G / RHO), rel=1e-6)
    # a point mass at the end of a rigid arm d beyond the tip has the first moment M d and the inertia M d^2
    d = 0.21

    def clamped(z: float) -> float:
        b = z / L
        c, s, ch, sh = math.cos(z), math.sin(z), math.cosh(z), math.sinh(z)
        w2 = bending(I_Z, z) ** 2
        # w = C (cosh - cos) + D (sinh - sin); EI w'' = w2 (M d w + M d^2 w'), EI w''' = -w2 (M w + M d w') at the tip
        rows = []
        for w, w1, w_2, w_3 in (
            (ch - c, b * (sh + s), b**2 * (ch + c), b**3 * (sh - s)),
            (sh - s, b * (ch - c), b**2 * (sh + s), b**3 * (ch + c)),
        ):
            rows.append([E * I_Z * w_2 - w2 * M * d * (w + d * w1), E * I_Z * w_3 + w2 * M * (w + d * w1)])
        return float(np.linalg.det(np.array(rows)))

    z = brentq(clamped, 0.2, 1.5)
    assert mode(da.Load(M, (0.0, M * d**2, M * d**2), M * d), "y") == pytest.approx(bending(I_Z, z), rel=1e-6)


def mode(load: da.Load, axis: str) -> float:
    """Frequency of the first mode of a beam that carries a load."""
    (first,) = segment({axis: 1}, load=load).basis
    return float(first.omega)


@law("Support.deflection_spring", "Support.slope_spring")
def test_modes_of_a_beam_on_springs() -> None:
    """Free ends on a spring each: k or kappa at the tip of a clamped root changes shear or moment there."""
    k, kappa = 5.3e3, 410.0

    def end(z: float) -> float:
        b = z / L
        c, s, ch, sh = math.cos(z), math.sin(z), math.cosh(z), math.sinh(z)
        rows = []
        for w, w1, w2, w3 in (
            (ch - c, b * (sh + s), b**2 * (ch + c), b**3 * (sh - s)),
            (sh - s, b * (ch - c), b**2 * (sh + s), b**3 * (ch + c)),
        ):
            rows.append([E * I_Z * w2 + kappa * w1, E * I_Z * w3 - k * w])
        return float(np.linalg.det(np.array(rows)))

    grid = np.linspace(0.5, 6.0, 200)
    signs = np.sign([end(z) for z in grid])
    at = int(np.flatnonzero(signs[:-1] != signs[1:])[0])
    z = brentq(end, grid[at], grid[at + 1])
    supports = (da.Support(True, True), da.Support(deflection_spring=k, slope_spring=kappa))
    (first,) = segment({"y": 1}, boundary=supports).basis
    assert first.omega == pytest.approx(bending(I_Z, z), rel=1e-6)


@law(
    "ModalAppendage.mass", "ModalAppendage.com", "ModalAppendage.inertia", "ModalAppendage.omega",
    "ModalAppendage.participation", "ModalAppendage.damping", "ModalAppendage.scale",
)  # fmt: skip
def test_an_appendage_obeys_its_modal_equations() -> None:
    """[M_r L^T; L 1], w^2 and 2 zeta w, for a mode that slides, one that turns and one that does both; one scale."""
    m, c, J, scale = 12.0, np.array([1.6, 0.2, -0.1]), np.diag([9.1, 15.0, 18.0]), 1.3
    rows = np.array([[0.0, 1.9, 0.0, 0.0, 0.0, 3.4], [0.0, 0.0, 0.0, 0.7, 0.0, 0.0], [0.8, 0.0, 0.0, 0.2, 0.3, 0.0]])
    w, zeta = np.array([2.3, 3.9, 7.1]), np.array([0.004, 0.011, 0.02])
    part = da.ModalAppendage("a", "hub", m, tuple(c), tuple(map(tuple, J)), w, rows, zeta, scale=scale)
    hub = da.Body("hub", 90.0, inertia=(40.0, 30.0, 35.0))
    craft = da.Machine("craft", [hub], [da.Joint("hub", "free", "world", "hub")], gravity=(0, 0, 0)).with_parts(part)
    rest = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    M = evaluated(craft, "mass_matrix", q=rest)
    C = np.array([[0.0, -c[2], c[1]], [c[2], 0.0, -c[0]], [-c[1], c[0], 0.0]])
    rigid = np.block([[m * np.eye(3), -m * C], [m * C, J - m * C @ C]])
    np.testing.assert_allclose(M[:6, :6], np.diag([90.0] * 3 + [40.0, 30.0, 35.0]) + scale * rigid, atol=1e-12 * 60)
    size = np.sqrt(np.diag(M)[6:])  # of modal coordinates of unit modal mass, but for their signs
    got = M[6:, :6] / size[:, None]
    signs = np.sign((got * rows).sum(axis=1))
    np.testing.assert_allclose(signs[:, None] * got, math.sqrt(scale) * rows, atol=1e-12)
    np.testing.assert_allclose(M[6:, 6:], np.diag(size**2), atol=1e-12)
    delta = np.array([0.01, -0.02, 0.03])
    np.testing.assert_allclose(evaluated(craft, "bias", q=[*rest[:7], *delta])[6:], size**2 * w**2 * delta, rtol=1e-12)
    force = evaluated(craft, "applied", q=rest, v=[0.0] * 6 + list(delta))[6:]
    np.testing.assert_allclose(force, -2 * zeta * w * size**2 * delta, rtol=1e-12)


@law("FlexibleBody.damping")
def test_modes_of_a_finite_element_body_decay_with_their_damping_ratio() -> None:
    """``q'' + 2 zeta w q' + w^2 q = 0``: poles ``-zeta w +- i w sqrt(1 - zeta^2)`` of each mode on a wall."""
    zeta = 0.031
    model = truss()
    body = da.FlexibleBody.from_matrices(
        "frame", model.K, model.M, model.nodes, {"root": model.sets["ROOT"]}, modes=3, damping=zeta
    )
    machine = da.Machine("frame", [body], [da.Joint("wall", "fixed", "world", "frame")], gravity=(0, 0, 0))
    n = da.equations(machine, backend="vm").nv
    M = evaluated(machine, "mass_matrix").reshape(n, n)
    K = np.column_stack([evaluated(machine, "bias", q=row) for row in np.eye(n)])
    D = -np.column_stack([evaluated(machine, "applied", v=row) for row in np.eye(n)])
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    poles = np.linalg.eigvals(A)
    assert -poles.real / np.abs(poles) == pytest.approx(np.full(2 * n, zeta), rel=1e-9)


def exact_rod(strains: dict[str, int], **more: Any) -> da.Machine:
    """An exact rod on a wall."""
    data: dict[str, Any] = {"E": E, "G": G, "density": RHO, "rotary_inertia": "torsion" in strains}
    one = da.Rod("b", L, da.Section(A, I_Y, I_Z), strains=strains, **(data | more))  # type: ignore[arg-type]
    return da.Machine("rod", [one], [da.Joint("wall", "fixed", "world", "b")], gravity=(0, 0, 0))


@law("Rod.E", "Rod.G", "Rod.density", "Rod.length", "Rod.section", "Rod.pieces")
def test_an_exact_rod_vibrates_as_a_beam_about_rest() -> None:
    z = brentq(lambda z: math.cos(z) + 1 / math.cosh(z), 1.0, 3.0)
    for strain, I in (("bending_y", I_Z), ("bending_z", I_Y)):
        assert frequencies(exact_rod({strain: 5}, pieces=(0.6, 1.1)))[0] == pytest.approx(bending(I, z), rel=1e-6)
    twist, stretch = (math.pi / (2 * L) * math.sqrt(modulus / RHO) for modulus in (G, E))
    assert frequencies(exact_rod({"torsion": 5}))[0] == pytest.approx(twist, rel=1e-7)
    assert frequencies(exact_rod({"axial": 5}))[0] == pytest.approx(stretch, rel=1e-7)


@law("Rod.damping_time", "Rod.shear_factor")
def test_an_exact_rod_loses_energy_by_its_rate_of_strain() -> None:
    """Force ``-tau K delta'``; a uniform shear has the stiffness ``k G A L``."""
    machine = exact_rod({"shear_y": 1}, shear_factor=0.87, damping_time=0.012)
    assert evaluated(machine, "bias", q=[0.01]) == pytest.approx([0.87 * G * A * L * 0.01], rel=1e-12)
    assert evaluated(machine, "applied", v=[1.3]) == pytest.approx([-0.012 * 0.87 * G * A * L * 1.3], rel=1e-12)


@law("Rod.curvature", "Rod.stations")
def test_a_bent_rod_is_an_arc_and_a_tapered_one_a_cone() -> None:
    """Tip and middle of a circle; mass of a frustum; stiffness ``E int pi r^4 / 4 ds`` of a uniform bend."""
    k = 0.9
    curved = exact_rod({"bending_y": 1}, curvature=(0.0, 0.0, k), stations={"middle": L / 2}, points=9)
    eom = da.equations(curved, backend="vm")
    for place, s in (("tip", L), ("middle", L / 2)):
        arc = [math.sin(k * s) / k, (1 - math.cos(k * s)) / k, 0.0]
        np.testing.assert_allclose(eom.pose(f"b.{place}", [0.0])[:3, 3], arc, atol=1e-12)
    a, b = 0.02, 0.005
    cone = da.Rod(
        "b", L, da.Section.tube(a), E=E, density=RHO, strains={"bending_y": 1}, tip_section=da.Section.tube(b)
    )  # type: ignore[arg-type]
    assert cone.mass == pytest.approx(RHO * math.pi * L * (a * a + a * b + b * b) / 3, rel=1e-12)
    machine = da.Machine("cone", [cone], [da.Joint("wall", "fixed", "world", "b")], gravity=(0, 0, 0))
    stiffness = E * math.pi / 4 * (a**5 - b**5) / (5 * (a - b)) / L
    assert evaluated(machine, "bias", q=[0.1]) == pytest.approx([stiffness * 0.1], rel=1e-12)
