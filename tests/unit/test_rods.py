"""Exact rods: kinematics, agreement of formulations, equilibria and their stability, energy, files, refusals."""

from __future__ import annotations

import warnings
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, root
from scipy.spatial.transform import Rotation
from scipy.special import iv, jn_zeros, jv

import dalembert as da
from dalembert.analysis import find_equilibrium, machine_modes
from dalembert.core.types import Array
from dalembert.model.elastic.rod_points import STRAINS, _generators
from dalembert.model.elastic.rod_turns import Magnus
from dalembert.studies.flexible_bodies.rods import catenary_rod
from support.finite_element_models import truss

CURVED = ((0.5, (0.2, 0.0, 1.0)), (0.7, (0.0, -0.4, 0.3)))


def _clamped(rod: da.Rod, gravity: tuple[float, float, float] = (0, 0, 0), **parts: object) -> da.Machine:
    return da.Machine("clamped", [rod], [da.Joint("wall", "fixed", "world", rod.name)], gravity=gravity, **parts)


def _rod(**changes: object) -> da.Rod:
    data: dict[str, object] = {
        "name": "rod", "length": 1.2, "section": da.Section.rectangle(0.02, 0.03), "E": 1e7, "G": 4e6,
        "density": 1200.0, "strains": {"bending": 1, "torsion": 1},
    }  # fmt: skip
    return da.Rod(**(data | changes))  # type: ignore[arg-type]


def _unit_rod(terms: int, **changes: object) -> da.Rod:
    """Rod in the plane with unit length, mass and stiffness, without rotary inertia."""
    section = da.Section(1.0, 0.0, 1.0)
    data = {"E": 1.0, "density": 1.0, "strains": {"bending_y": terms}, "rotary_inertia": False}
    return da.Rod("rod", 1.0, section, **(data | changes))  # type: ignore[arg-type]


def _integrated(rod: da.Rod, delta: Array, s: float) -> tuple[Array, Array]:
    """Rotation and position from the differential equations of the rod, with quaternions."""
    series = [(strain, piece, [rod.q_names.index(n) for n in names]) for strain, piece, names in rod.series()]

    def slope(t: float, y: Array, piece: int, curvature: Array) -> Array:
        a, b = rod.piece_ends[piece : piece + 2]
        strains = np.zeros(6)
        for strain, k, places in series:
            if k == piece:
                c = STRAINS.index(strain)
                value = np.polynomial.legendre.legval(2 * (t - a) / (b - a) - 1, delta[places])
                strains[c] += value / (b - a) if c < 3 else value
        w = strains[:3] + curvature
        turn = Rotation.from_quat(y[:4])
        x, v = y[3], y[:3]
        rate = np.r_[(x * w + np.cross(v, w)) / 2, -v @ w / 2]
        return np.r_[rate, turn.apply(np.array([1.0, 0, 0]) + strains[3:])]

    y, at = np.array([0.0, 0, 0, 1, 0, 0, 0]), 0.0
    ends = sorted({*rod.piece_ends[1:], *rod.jumps, s})
    for end in (e for e in ends if e <= s + 1e-12):
        middle = (at + end) / 2
        piece = int(np.searchsorted(rod.piece_ends, middle)) - 1
        arguments = (piece, rod.curvature_at(middle))
        y = solve_ivp(slope, (at, end), y, method="DOP853", rtol=1e-12, atol=1e-13, args=arguments).y[:, -1]
        at = end
    return Rotation.from_quat(y[:4]).as_matrix(), y[4:]


@pytest.mark.parametrize("kind", ["space", "plane"])
def test_sections_solve_the_equations_of_the_rod(kind: str) -> None:
    """Poses of stations and of the tip against the differential equations; their twists against differences."""
    if kind == "space":
        strains = {"bending": 2, "torsion": 2, "axial": 1, "shear": 1}
        rod = _rod(
            strains=strains, pieces=(0.4, 0.8), curvature=CURVED, shear_factor=0.9, points=14, stations={"a": 0.73}
        )
    else:
        rod = _rod(
            strains={"bending_z": 3, "axial": 1}, pieces=2, curvature=(0, 0.7, 0), points=14, stations={"a": 0.25}
        )
    eom = da.equations(_clamped(rod), backend="vm")
    rng = np.random.default_rng(4)
    q = 0.5 * rod.amplitudes * rng.normal(size=rod.n_modes)
    for section in rod.section_names:
        pose = eom.pose(f"rod.{section}", q)
        R, p = _integrated(rod, q, rod.section_abscissa(section))
        assert_allclose(pose[:3, :3], R, atol=2e-10)
        assert_allclose(pose[:3, 3], p, atol=2e-10)
        J, h = eom.jacobian(f"rod.{section}", q), 1e-6
        for k in range(rod.n_modes):
            ahead, behind = (eom.pose(f"rod.{section}", q + x * np.eye(rod.n_modes)[k]) for x in (h, -h))
            change = (ahead - behind) / (2 * h)
            W = pose[:3, :3].T @ change[:3, :3]
            assert_allclose(J[:3, k], pose[:3, :3].T @ change[:3, 3], atol=1e-8)
            assert_allclose(J[3:, k], [W[2, 1], W[0, 2], W[1, 0]], atol=1e-8)


def test_a_step_of_the_rotation_has_order_six() -> None:
    """One step through a curvature of degree 2, of length h: the error of the rotation falls with the power 7 of h."""
    c = np.array([[0.9, -0.4, 0.7], [0.5, 0.8, -0.6], [-0.7, 0.6, 0.4]])  # curvature c[0] + c[1] s + c[2] s^2
    errors = []
    for h in (0.4, 0.2):
        x, w = np.polynomial.legendre.leggauss(4)
        a = _generators(np.array([c[0] + c[1] * s + c[2] * s**2 for s in h / 2 * (1 + x)]), x, w, h)
        W = np.array(ca.DM(Magnus(tuple(ca.SX(ca.DM(v)) for v in a)).W).full())[:, 0]

        def slope(s: float, y: Array) -> Array:
            k = c[0] + c[1] * s + c[2] * s**2
            return np.r_[(y[3] * k + np.cross(y[:3], k)) / 2, -y[:3] @ k / 2]

        y = solve_ivp(slope, (0, h), [0.0, 0, 0, 1], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
        errors.append((Rotation.from_quat(y).inv() * Rotation.from_rotvec(W)).magnitude())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(7.0, abs=0.2)


def _agree(machine: da.Machine, seed: int) -> None:
    eoms = [da.equations(machine, by=by, backend="vm") for by in ("newton-euler", "lagrange")]
    rng = np.random.default_rng(seed)
    q, v = eoms[0].random_configuration(rng), 0.5 * rng.normal(size=machine.nv)
    M, bias = ([getattr(e, x)(*a) for e in eoms] for x, a in (("mass_matrix", (q,)), ("bias", (q, v))))
    a = [e.forward_dynamics(q, v, np.zeros(machine.nv)) for e in eoms]
    assert_allclose(M[0], M[1], atol=1e-13 * np.abs(M[1]).max())
    assert_allclose(bias[0], bias[1], atol=1e-12 * np.abs(bias[1]).max())
    assert_allclose(a[0], a[1], atol=1e-10 * np.abs(a[1]).max())
    C = eoms[0].coriolis_matrix(q, v)
    assert_allclose(C @ v, bias[0] - eoms[0].bias(q, 0 * v), atol=1e-11 * np.abs(bias[1]).max())
    h = 1e-6
    ahead, behind = (eoms[0].mass_matrix(eoms[0].integrate(q, x * v)) for x in (h, -h))
    S = (ahead - behind) / (2 * h) - 2 * C
    assert_allclose(S + S.T, 0.0, atol=1e-8 * np.abs(M[1]).max())


def test_formulations_agree_on_a_planar_rod() -> None:
    """Two pieces, tapered, with a load beyond the tip and a section on the way."""
    rod = _rod(
        strains={"bending_y": 2, "axial": 1},
        pieces=(0.5, 0.7),
        tip_section=da.Section.rectangle(0.01, 0.015),
        points=5,
        stations={"middle": 0.8},
    )
    load = da.Body("load", 0.3, com=(0.1, 0.05, 0.02), inertia=(0.01, 0.02, 0.015))
    mast = da.Body("mast", 0.1, inertia=(1e-3, 2e-3, 2e-3))
    joints = [
        da.Joint("hinge", "revolute", "world", "rod", axis=(0, 0.6, 0.8)),
        da.Joint("wrist", "revolute", "rod.tip", "load", axis=(0, 1, 0)),
        da.Joint("foot", "fixed", "rod.middle", "mast"),
    ]
    _agree(da.Machine("m", [rod, load, mast], joints), 2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_formulations_agree_on_mixed_machines(seed: int) -> None:
    """A rod in space on a body from finite elements, and a beam on the rod."""
    body = truss().body("truss", {"root": "ROOT", "tip": "TIP"}, modes=1, method="free")
    rods = [_rod(points=4, curvature=(0.1, 0, 0.5)), _rod(strains={"bending_z": 1, "torsion": 1}, pieces=2, points=3)]
    boom = da.Beam("boom", 0.8, da.Section.tube(0.02, 0.01), E=7e9, density=2700.0, modes={"z": 1})
    joints = [
        da.Joint("base", "revolute", "world", "truss", axis=(0.6, 0, 0.8)),
        da.Joint("shoulder", "spherical", "truss.tip", "rod"),
        da.Joint("elbow", "revolute", "rod.tip", "boom", axis=(0, 0, 1)),
    ]
    _agree(da.Machine("mixed", [body, rods[seed], boom], joints), seed)


def test_cost_of_three_terms_per_strain_in_space() -> None:
    """Tangents with constant quadratic forms: 15,000 operations for the forward dynamics on a hinge, 7 points."""
    rod = _rod(section=da.Section.tube(0.01), strains={"bending": 3, "torsion": 3})
    machine = da.Machine("hinged", [rod], [da.Joint("hinge", "revolute", "world", "rod", axis=(0, 0, 1))])
    kernel = da.equations(machine, backend="vm").kernel("forward_dynamics")
    assert rod.points_per_cell == 7
    assert kernel.function.n_instructions() < 15_000


def test_small_vibrations_are_those_of_a_beam() -> None:
    """Bending, torsion and stretch of a rod with two stretches of section against `Beam`, whose modes are exact."""
    sections = ((0.5, da.Section.tube(0.02)), (0.7, da.Section.tube(0.015)))
    data = {"E": 7e10, "G": 2.7e10, "density": 2700.0}
    for strain, direction in (("bending_y", "y"), ("bending_z", "z"), ("torsion", "torsion"), ("axial", "x")):
        thin = strain.startswith("bending")
        beam = da.Beam("b", 1.2, sections, **data, modes={direction: 2}, rotary_inertia=not thin)  # type: ignore[arg-type]
        rod = da.Rod("r", 1.2, sections, **data, strains={strain: 6}, pieces=(0.5, 0.7), rotary_inertia=not thin)  # type: ignore[arg-type]
        assert_allclose(rod.omega[:2], beam.omega, rtol=1e-7)
    cones = [
        _rod(length=1.0, section=da.Section.tube(0.02), tip_section=da.Section.tube(0.02 * x), strains={"bending_y": 8},
             rotary_inertia=False)
        for x in (1e-4, 2e-4)
    ]  # fmt: skip
    unit = np.sqrt(1e7 * np.pi / 4 * 0.02**4 / (1200.0 * np.pi * 0.02**2))
    z = brentq(lambda z: jv(2, z) * iv(3, z) + iv(2, z) * jv(3, z), 5.0, 6.5)  # Kirchhoff's cone, clamped at its base
    blunt, blunter = (cone.omega[0] / unit for cone in cones)
    assert 2 * blunt - blunter == pytest.approx(z**2 / 4, rel=1e-6)


def test_elastica_in_any_direction() -> None:
    """Tip loads of random direction against a shooting solution of the pendulum equation of the angle."""
    force = tuple(da.Parameter(f"F{x}", 0.0) for x in "xy")
    machine = _clamped(_unit_rod(10), wrenches=[da.Wrench("load", "rod.tip", force=(*force, 0.0))])
    eom = da.equations(machine, backend="vm")
    for F in ((2.0, 3.0), (-1.5, 2.0), (-4.0, 3.0)):

        def shot(k: float, F: tuple[float, float] = F) -> Array:
            def slope(_: float, y: Array) -> list[float]:
                return [y[1], F[0] * np.sin(y[0]) - F[1] * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])]

            return np.asarray(solve_ivp(slope, (0, 1), [0, k, 0, 0], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1])

        rest = find_equilibrium(eom, p={"Fx": F[0], "Fy": F[1]})
        start = float(np.polynomial.legendre.legval(-1.0, rest.q))
        k = float(root(lambda k: shot(k[0])[1:2], [start], tol=1e-12).x[0])
        assert rest.stable
        assert_allclose(eom.pose("rod.tip", rest.q)[:2, 3], shot(k)[2:], atol=1e-7)


def test_moments_balance_along_a_bent_rod_in_space() -> None:
    """``C k(s)`` of a curved rod under a tip load is the moment of the load about each section."""
    sections = {f"s{i}": s for i, s in enumerate((0.05, 0.5, 1.1))}
    rod = _rod(strains={"bending": 6, "torsion": 6}, curvature=(0, 0, 0.8), stations=sections)
    F = np.array([0.3, -0.2, 0.9])
    eom = da.equations(_clamped(rod, wrenches=[da.Wrench("load", "rod.tip", force=tuple(F))]), backend="vm")
    rest = find_equilibrium(eom)
    assert rest.stable and np.abs(rest.q).max() > 0.3
    section = rod.section_at(0.0)
    stiffness = {"torsion": 4e6 * section.torsion, "bending_y": 1e7 * section.I_z, "bending_z": 1e7 * section.I_y}
    tip = eom.pose("rod.tip", rest.q)[:3, 3]
    for name, s in sections.items():
        pose = eom.pose(f"rod.{name}", rest.q)
        moment = pose[:3, :3].T @ np.cross(tip - pose[:3, 3], F)
        for strain, _, names in rod.series():
            c = [rest.q[rod.q_names.index(n)] for n in names]
            own = stiffness[strain] * np.polynomial.legendre.legval(2 * s / 1.2 - 1, c) / 1.2
            assert own == pytest.approx(moment[STRAINS.index(strain)], abs=2e-4)


def test_equilibria_are_stable_ones() -> None:
    """A standing rod is straight up to Greenhill's weight 7.8373 EI/L^3 and bent beyond; `linearize` has its modes."""
    g = da.Parameter("g", 1.0)
    machine = _clamped(_unit_rod(6), gravity=(-g, 0.0, 0.0))  # type: ignore[arg-type]
    eom = da.equations(machine, backend="vm")
    straight, bent = (find_equilibrium(eom, p={"g": x}) for x in (7.83, 20.0))
    assert straight.stable and not straight.q.any() and 0.0 < straight.squares[0] < 0.05
    assert bent.stable and abs(bent.q[0]) > 1.0
    from_above = find_equilibrium(eom, bent.q, p={"g": 7.85})
    assert from_above.stable and abs(from_above.q[0]) > 0.01
    modes = machine_modes(eom, bent.q, p={"g": 20.0}).omega
    assert_allclose(modes**2, bent.squares, rtol=1e-9)
    A = da.linearize(machine, at=bent.q, p={"g": 20.0}).A
    assert_allclose(np.sort(np.abs(np.linalg.eigvals(A)))[::2], modes, rtol=1e-8)


def _modes_of_a_bent_cantilever(g: float, n: int = 40) -> Array:
    """Three frequencies about the rest of a horizontal cantilever of unit length, mass and stiffness.

    Linearised equations of the elastica by collocation at Chebyshev points, with the angle as the unknown: the
    displacements are integrals of it from the root, and the forces integrals of these from the tip.
    """
    s = (1 - np.cos(np.pi * np.arange(n + 1) / n)) / 2
    powers = np.polynomial.chebyshev.chebvander(2 * s - 1, n)
    whole = np.eye(n + 1)
    slopes = np.array([np.polynomial.chebyshev.chebval(2 * s - 1, np.polynomial.chebyshev.chebder(c)) for c in whole])
    areas = np.array(
        [np.polynomial.chebyshev.chebval(2 * s - 1, np.polynomial.chebyshev.chebint(c, lbnd=-1)) for c in whole]
    )
    D, S = (np.linalg.solve(powers.T, part).T for part in (2 * slopes, areas / 2))  # derivative, integral from the root
    to_tip = S[-1] - S
    theta = np.zeros(n + 1)
    for _ in range(30):  # Newton: theta'' = g (1 - s) cos(theta)
        left = D @ D @ theta - g * (1 - s) * np.cos(theta)
        slope = D @ D + np.diag(g * (1 - s) * np.sin(theta))
        left[0], left[-1] = theta[0], D[-1] @ theta
        slope[0], slope[-1] = whole[0], D[-1]
        theta = theta - np.linalg.solve(slope, left)
    x, y = -S * np.sin(theta), S * np.cos(theta)
    A = D @ D + np.diag(g * (1 - s) * np.sin(theta))
    B = -np.cos(theta)[:, None] * (to_tip @ y) + np.sin(theta)[:, None] * (to_tip @ x)
    A[0], A[-1], B[0], B[-1] = whole[0], D[-1], 0.0, 0.0
    squares = 1.0 / np.sort(np.linalg.eigvals(np.linalg.solve(A, B)).real)[::-1][:3]
    return np.sqrt(squares)


def test_modes_about_bent_states_of_other_weights() -> None:
    """Against a boundary-value problem, which itself has the study's 5.02897485, 21.61062774 and 55.6443438."""
    assert_allclose(_modes_of_a_bent_cantilever(10.0), [5.02897485, 21.61062774, 55.6443438], rtol=1e-8)
    eom = da.equations(_clamped(_unit_rod(12), (0, -da.Parameter("g", 1.0), 0)), backend="vm")  # type: ignore[arg-type]
    for g in (2.3, 17.0):
        rest = find_equilibrium(eom, p={"g": g})
        assert_allclose(np.sqrt(rest.squares[:3]), _modes_of_a_bent_cantilever(g), rtol=1e-7)


@pytest.mark.slow
def test_curved_rods_under_loads_in_any_direction() -> None:
    """Tips of a rod that is curved, stretched and sheared, against a shooting solution of Reissner's equations."""
    length, E, G, area, Iy, Iz = 60.0, 2e7, 7e6, 0.8, 0.05, 0.08
    strains = {"bending": 7, "torsion": 7, "axial": 4, "shear": 4}
    rod = da.Rod(
        "rod", length, da.Section(area, Iy, Iz), E, G, 1.0, strains=strains, curvature=(0.0, 0.004, -0.012),
        shear_factor=1.0, points=12,
    )  # fmt: skip
    section = rod.section_at(0.0)
    bending = np.array([G * section.torsion, E * Iy, E * Iz])
    stretching = np.array([E * area, G * area, G * area])
    F = [da.Parameter(f"F{x}", 0.0) for x in "xyz"]
    eom = da.equations(_clamped(rod, wrenches=[da.Wrench("load", "rod.tip", force=tuple(F))]), backend="vm")

    def shot(moment: Array, force: Array) -> Array:
        def slope(_: float, y: Array) -> Array:
            turn = Rotation.from_quat(y[3:7])
            k = np.array([0.0, 0.004, -0.012]) + turn.inv().apply(y[7:]) / bending
            along = turn.apply(np.array([1.0, 0.0, 0.0]) + turn.inv().apply(force) / stretching)
            q = y[3:7]
            turned = 0.5 * np.r_[q[3] * k + np.cross(q[:3], k), -q[:3] @ k]
            return np.r_[along, turned, np.cross(force, along)]

        start = np.r_[np.zeros(3), 0.0, 0.0, 0.0, 1.0, moment]
        return np.asarray(solve_ivp(slope, (0.0, length), start, method="DOP853", rtol=1e-11, atol=1e-11).y[:, -1])

    for force in (np.array([-120.0, 60.0, 310.0]), np.array([40.0, -330.0, 90.0])):
        rest = find_equilibrium(eom, p={f"F{x}": float(f) for x, f in zip("xyz", force, strict=True)})
        tip = eom.pose("rod.tip", rest.q, p={f"F{x}": float(f) for x, f in zip("xyz", force, strict=True)})[:3, 3]
        found = root(lambda m, f: shot(m, f)[7:], np.cross(tip, force), args=(force,), tol=1e-10)
        assert rest.stable and found.success
        assert_allclose(tip, shot(found.x, force)[:3], atol=1e-6)


def test_hanging_ropes_and_spinning_arms_of_other_sizes() -> None:
    """Modes by zeros of the Bessel function for two lengths; stretch ``tan(k L)/k - L`` for another speed and arm."""
    for length, g in ((0.7, 9.81), (2.4, 3.7)):
        rope = replace(_unit_rod(7, E=1e-12), length=length)
        hinge = da.Joint("root", "revolute", "world", "rod", axis=(0, 0, 1))
        squares = find_equilibrium(da.Machine("rope", [rope], [hinge], gravity=(g, 0, 0))).squares
        assert_allclose(np.sqrt(squares[:3]), jn_zeros(0, 3) / 2 * np.sqrt(g / length), rtol=1e-6)
    E, rho, length, speed = 3e6, 900.0, 2.0, 8.0
    arm = da.Rod("rod", length, da.Section(1e-3), E, density=rho, strains={"axial": 4}, rotary_inertia=False)
    hinge = da.Joint("root", "revolute", "world", "rod", axis=(0, 0, 1))
    eom = da.equations(da.Machine("arm", [arm], [hinge], gravity=(0, 0, 0)), backend="vm")
    at_rest, spin = np.zeros(5), speed * np.eye(5)[0]
    force = eom.bias(at_rest, spin)[1:]
    slope = np.column_stack([eom.bias(x, spin)[1:] - force for x in np.eye(5)[1:]])  # linear in the strains
    delta = -np.linalg.solve(slope, force)
    k = speed * np.sqrt(rho / E)
    stretch = eom.pose("rod.tip", np.r_[0.0, delta])[0, 3] - length
    assert stretch == pytest.approx(np.tan(k * length) / k - length, rel=1e-8)


def test_a_rope_between_nails_is_a_catenary() -> None:
    L, span = 1.5, 1.1
    a = brentq(lambda a: 2 * a * np.sinh(span / 2 / a) - L, 0.1, 10.0)
    half = float(brentq(lambda x: np.sin(x) / x - span / L, 0.1, 3.0))
    eom, guess = catenary_rod(L, span, half, terms=4)
    rest = find_equilibrium(eom, guess)
    assert rest.stable and rest.squares[0] > 0.0
    assert -eom.pose("rod.middle", rest.q)[1, 3] == pytest.approx(a * (np.cosh(span / 2 / a) - 1), abs=1e-5)
    assert abs(rest.point.multipliers[0]) == pytest.approx(9.81 * a, rel=1e-5)


def test_a_result_without_balance_says_so() -> None:
    """A pendulum with a constant torque beyond its weight has no equilibrium."""
    bob = da.Body("bob", 1.0, com=(1, 0, 0), inertia=(0, 0.1, 0.1))
    torque = da.Wrench("torque", "bob", torque=(0, -20.0, 0))
    machine = da.Machine("m", [bob], [da.Joint("j", "revolute", "world", "bob", axis=(0, 1, 0))], wrenches=[torque])
    with pytest.warns(da.DalembertWarning, match="no equilibrium of machine 'm' was found"):
        rest = find_equilibrium(machine)
    assert not rest.converged and not rest.stable


def test_energy_of_explicit_and_implicit_steps() -> None:
    """A soft pendulum: audit 1e-9 by explicit steps; by implicit ones it falls with the square of the step."""
    rod = _unit_rod(4, E=0.05, density=0.1, damping_time=2e-3)
    hinge = da.Joint("hinge", "revolute", "world", "rod", axis=(0, 0, 1))
    machine = da.Machine("soft", [rod], [hinge], gravity=(0, -9.81, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", da.DalembertWarning)
        exact = da.simulate(machine, duration=0.2, method=da.DormandPrince8(rtol=1e-10))
        drift, end = [], []
        for step in (2e-3, 1e-3):
            run = da.simulate(machine, duration=0.2, method=da.ImplicitMidpoint(step=step))
            drift.append(run.energy.drift)
            end.append(abs(run["hinge"][-1] - exact["hinge"][-1]))
        lanes = da.rollout(machine, q0={"hinge": [0.0, 0.1]}, duration=0.02, record=0.01, method=da.RK4(step=2e-4))
    assert exact.energy.drift < 1e-9
    assert exact["work.loss"][-1] < -1e-4
    assert np.log2(drift[0] / drift[1]) == pytest.approx(2.0, abs=0.2)
    assert np.log2(end[0] / end[1]) == pytest.approx(2.0, abs=0.3)
    assert np.isfinite(lanes["hinge"]).all()


@pytest.mark.slow
def test_a_rod_falls_on_the_ground_and_runs_in_lanes() -> None:
    """Contacts on a station and the tip end the fall at their radius; a rollout equals single runs."""
    rod = _rod(
        length=1.0, section=da.Section.tube(0.005), E=5e7, density=1100.0, strains={"bending_z": 3}, damping_time=5e-3,
        stations={"middle": 0.5},
    )  # fmt: skip
    hinge = da.Joint("hinge", "revolute", "world", "rod", origin=da.Transform((0, 0, 0.3)), axis=(0, 1, 0))
    touching = [da.Contact(n, f"rod.{n}", da.Sphere(0.01), restitution=0.3, friction=0.4) for n in ("tip", "middle")]
    machine = da.Machine("fall", [rod], [hinge], contacts=touching)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", da.DalembertWarning)
        run = da.simulate(machine, duration=0.6)
        free = machine.with_(contacts=())
        lanes = da.rollout(free, duration=0.05, step=2e-4, q0={"hinge": [0.0, 0.3]})
        single = da.simulate(free, duration=0.05, step=2e-4, q0={"hinge": 0.3})
    eom = da.equations(machine, backend="vm")
    assert run.ok and run.events
    for place in ("tip", "middle"):
        assert eom.pose(f"rod.{place}", run.x[-1, : machine.nq])[2, 3] == pytest.approx(0.01, abs=1e-8)
    assert_allclose(lanes["hinge"][1][-1], single["hinge"][-1], atol=1e-12)


def test_doubts_are_warned_of() -> None:
    rod = _unit_rod(3)
    assert not rod.doubts(np.array([[1.0, 0.3, 0.05], [0.5, 0.3, 0.01]]))
    (doubt,) = rod.doubts(np.array([[1.0, 0.3, 0.05], [0.5, 0.3, 0.2]]))
    assert doubt.startswith("the last of 3 terms of 'bending_y' in piece 1 of rod 'rod' is 0.2 of the largest one")
    far = _rod().doubts(np.array([[8.0, 6.0, 5.0]]))
    assert len(far) == 1 and "between two points" in far[0]
    assert not _rod(pieces=3).doubts(np.tile([3.0, 0.0, 0.0], 3)[None, :])


def test_files_and_pictures() -> None:
    rod = _rod(
        strains={"bending": 2, "torsion": 1, "shear_y": 1}, pieces=(0.5, 0.7), curvature=CURVED, shear_factor=0.9,
        damping_time=da.Parameter("tau", 1e-3), points=9, stations={"camera": 0.4}, rotary_inertia=True,
    )  # fmt: skip
    thick, thin = da.Section.tube(0.02), da.Section.tube(0.01)
    tapered = _rod(tip_section=thin, section=thick, pieces=2, curvature=(0, 1, 0))
    for one in (rod, tapered, _rod(section=((0.2, thick), (1.0, thin)))):
        machine = _clamped(one)
        again = da.load_machine(machine.to_yaml())
        assert again.bodies[0] == one
    from dalembert.view.scene_builder import build_scene

    scene = build_scene(_clamped(rod), backend="vm")
    assert len(scene.beams) == 1 and len(scene.beams[0].points) == 25
    bad = _clamped(rod).to_yaml().replace("torsion: 1,", "twist: 1,")
    with pytest.raises(da.DalembertError, match="rod 'rod' has the strain 'twist'; known: bending"):
        da.load_machine(bad)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"length": 0.0}, "length of rod 'rod' must be > 0"),
        ({"strains": {}}, "has no strains"),
        ({"strains": {"bend": 2}}, "has the strain 'bend'; known: bending, bending_y, bending_z, torsion, axial"),
        ({"strains": {"bending": 2, "bending_y": 1}}, "'bending_y' twice"),
        ({"strains": {"bending": 0}}, "whole number from 1 to 20, got 0"),
        ({"strains": {"shear": 1}}, "give shear_factor"),
        ({"G": 0.0}, "has the strain 'torsion' and no shear modulus G"),
        ({"rotary_inertia": False}, "no inertia of rotation for the strain 'torsion'"),
        ({"rotary_inertia": 1}, "rotary_inertia of rod 'rod' must be true or false"),
        ({"section": da.Section(1.0, 1.0, 0.0)}, "no stiffness against 'bending_y': its I_z is zero"),
        ({"section": [(1.0, da.Section.tube(0.1))]}, "add up to 1, its length is 1.2"),
        ({"section": 3}, "must be a list of \\(length, section\\)"),
        ({"pieces": 0}, "pieces of rod 'rod' must be a whole number >= 1, got 0"),
        ({"pieces": (0.1, 0.2)}, "the pieces of rod 'rod' add up to 0.3"),
        ({"points": 0}, "points of rod 'rod' must be a whole number"),
        ({"points": 1, "strains": {"bending": 3}}, "at least the terms of its longest series, got 1"),
        ({"curvature": (0, 1)}, "curvature"),
        ({"curvature": [(0.2, (0, 0, 1))]}, "add up to 0.2"),
        ({"tip_section": 1.0}, "tip_section of rod 'rod' must be a Section"),
        ({"stations": {"tip": 0.1}}, "not be called tip"),
        ({"stations": {"a": 2.0}}, "lie in \\[0, 1.2\\]"),
        ({"name": "a.b"}, "must not contain a dot"),
        ({"damping_time": -1.0}, "damping_time of rod 'rod' must be"),
    ],
)
def test_bad_rods_are_refused_by_name(changes: dict[str, object], words: str) -> None:
    with pytest.raises(da.MachineError, match=words):
        _rod(**changes)


def test_points_of_a_curved_axis_are_known_from_points_beside_it() -> None:
    """A quarter of a circle, and an axis that is curved in space: at any abscissa, and not a millionth beside it."""
    round_, wound = _unit_rod(1, curvature=(0.0, 0.0, np.pi / 2.0), points=14), _rod(curvature=CURVED, points=9)
    for rod, stations in ((round_, (0.5, 0.123456, 1.0)), (wound, (0.31, 1.1999))):
        for s in stations:
            if rod is round_:
                place = np.array([np.sin(s * np.pi / 2.0), 1.0 - np.cos(s * np.pi / 2.0), 0.0]) * 2.0 / np.pi
            else:
                place = _integrated(rod, np.zeros(rod.n_modes), s)[1]
            assert rod.off_root(place) == f"the abscissa {s:.6g} of its flexible axis"
            assert rod.off_root(place + np.array([0.0, 0.0, 1e-6])) is None
        assert rod.off_root(np.zeros(3)) is None and rod.off_root(np.array([0.2, -0.3, 0.0])) is None


def test_what_is_not_known_of_rods_is_refused() -> None:
    machine = _clamped(_rod())
    with pytest.raises(da.InputError, match="has the rod 'rod', whose points are not linear in its coordinates"):
        da.equations(machine, by="gibbs-appell")
    with pytest.raises(da.InputError, match="has flexible bodies"):
        da.equations(machine, by="natural")
    with pytest.raises(da.MachineError, match="rod 'rod' has no approximate model 'flex-M'"):
        da.equations(machine, approximation="flex-M").mass_matrix(np.zeros(3))
    hung = [
        da.Joint("wall", "fixed", "world", "rod"),
        da.Joint("j", "fixed", "rod", "b", origin=da.Transform((0.6, 0, 0))),
    ]
    with pytest.raises(da.MachineError, match=r"root frame of rod 'rod' at the abscissa 0\.6"):
        da.Machine("m", [_rod(), da.Body("b", 1.0)], hung)
    assert replace(_rod(), points=None) == _rod()
