"""Laws of the model by themselves: pairs of boxes that touch, bodies that bend as sums over their points."""

from __future__ import annotations

from itertools import product
from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.model.contacts import sharp
from dalembert.model.elastic.integrals import ModalIntegrals
from dalembert.model.elastic.modal import ModalBody, ModalSection
from dalembert.model.elastic.stiffening import StiffeningIntegrals

HALF_A, HALF_B = np.array([0.31, 0.17, 0.23]), np.array([0.41, 0.29, 0.37])
SIGNS = [np.array([i, j, k]) for k, j, i in product((-1.0, 1.0), repeat=3)]


def _values(pairs: list[sharp.Facing], symbols: list[ca.SX], numbers: list[Any]) -> list[dict[str, Array]]:
    """All numbers of pairs, as dictionaries."""
    f = ca.Function("f", symbols, [ca.densify(ca.SX(x)) for pair in pairs for x in (*pair, pair.window)])
    found = [np.array(x) for x in f(*numbers)]
    keys = [*sharp.Facing._fields, "window"]
    n = len(keys)
    rows = [dict(zip(keys, found[k : k + n], strict=True)) for k in range(0, len(found), n)]
    sizes: dict[str, Any] = {"axes": (3, 3), "point": 3}
    return [{k: x.reshape(sizes.get(k, ())) for k, x in row.items()} for row in rows]


def _beside(away: Any, before: float) -> Any:
    """Windows end before zero; what is beyond is farther away by a millimetre."""
    return away + (1e-3 if away > -before else 0.0)


def _fall(sines: list[float]) -> float:
    """By how much the deepest direction of a solid falls, beyond what may be rounding."""
    most = max([-s - 1e-4 for s in sines], default=-1.0)
    return most if most > 0.0 else -1.0


def _corner(x: Array, b: Array, inwards: list[Array], k: int) -> dict[str, Any]:
    """A corner of a solid, whose edges run along the given directions, on the two faces across axis k."""
    side = 1.0 if x[k] >= 0 else -1.0
    beside = []
    for m in range(3):
        if m != k:
            flush = any(abs(d[k]) < 1e-3 and d[m] * np.sign(x[m]) < -0.5 for d in inwards)
            away = abs(x[m]) - b[m]
            beside.append(away if flush else _beside(away, 5e-7))
    return {
        "gap": abs(x[k]) - b[k],
        "normal": side * np.eye(3)[k],
        "tangent": np.eye(3)[(k + 1) % 3],
        "point": x,
        "beside": max(beside),
        "falls": _fall([side * d[k] for d in inwards]),
        "depth": b[k],
    }


def _farthest_edge(Q: Array, i: int, a: Array, n: Array, label: float) -> tuple[Array, list[Array], float]:
    """Of two opposite edges along an axis that which reaches farther along n: middle, inward directions, extent."""
    one, two = (i + 1) % 3, (i + 2) % 3
    sides = [(s, label * s) for s in (-1.0, 1.0)]
    s1, s2 = max(sides, key=lambda s: n @ (s[0] * a[one] * Q[:, one] + s[1] * a[two] * Q[:, two]))
    centre = s1 * a[one] * Q[:, one] + s2 * a[two] * Q[:, two]
    chord = min(2 * a[m] / (abs(n @ Q[:, m]) + 1e-4) for m in (one, two))
    return centre, [-s1 * Q[:, one], -s2 * Q[:, two]], chord


def _nearest(p: Array, u: Array, o: Array, e: Array) -> tuple[float, float]:
    """Where two lines are nearest."""
    s, r = np.linalg.lstsq(np.column_stack([u, -e]), o - p, rcond=None)[0]
    return float(s), float(r)


def _same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """The tangents are n, t and n x t."""
    n, t = expected.pop("normal"), expected.pop("tangent")
    np.testing.assert_allclose(found["axes"], np.column_stack([n, t, np.cross(n, t)]), atol=1e-12)
    for key, value in expected.items():
        np.testing.assert_allclose(found[key], value, rtol=1e-9, atol=1e-12, err_msg=key)
    assert found["window"] == max(found["beside"], found["falls"])


def _poses() -> list[tuple[Array, Array]]:
    rng = np.random.default_rng(5)
    poses = [(Rotation.random(random_state=seed).as_matrix(), rng.normal(size=3) * 0.4) for seed in range(6)]
    poses += [(Rotation.from_rotvec(rng.normal(size=3)).as_matrix(), np.array([0.1, 0.05, 0.7]) * s) for s in (1, -1)]
    poses.append((Rotation.from_rotvec([0.0, 0.0, 0.4]).as_matrix(), np.array([0.35, -0.22, 0.6])))
    poses.append((Rotation.from_rotvec([0.2, 0.0, 0.0]).as_matrix(), np.array([-0.7, 0.2, 0.1])))
    poses.append((Rotation.from_rotvec([0.0, 2e-3, 0.3]).as_matrix(), np.array([0.3, 0.4, -0.61])))
    return poses


@pytest.fixture(scope="module")
def boxes() -> Any:
    """All numbers of the pairs of two boxes."""
    Q, c, a, b = ca.SX.sym("Q", 3, 3), ca.SX.sym("c", 3), ca.SX.sym("a", 3), ca.SX.sym("b", 3)
    pairs = sharp.box_on_box(Q, c, a, b)
    assert len(pairs) == sharp.BOX_PAIRS == 84
    return lambda *numbers: _values(pairs, [Q, c, a, b], list(numbers))


@pytest.mark.parametrize("seed", range(11))
def test_corners_and_edges_of_two_boxes(boxes: Any, seed: int) -> None:
    """Corners of either on the faces of the other, and the nearest points of the lines of their edges."""
    (Q, c), a, b = _poses()[seed], HALF_A, HALF_B
    found = iter(boxes(Q, c, a, b))
    for signs in SIGNS:
        for k in range(3):
            _same(next(found), _corner(c + Q @ (signs * a), b, [-signs[m] * Q[:, m] for m in range(3)], k))
    for signs in SIGNS:
        for k in range(3):
            expected = _corner(Q.T @ (signs * b - c), a, [-signs[m] * Q[m] for m in range(3)], k)
            n = -Q @ expected["normal"]  # from B to A
            point = signs * b + expected["gap"] * n
            expected |= {"normal": n, "tangent": Q @ expected["tangent"], "point": point}
            _same(next(found), expected)
    for i, j in product(range(3), range(3)):
        u, e = Q[:, i], np.eye(3)[j]
        parallel = np.linalg.norm(np.cross(u, e)) < 1e-6
        n = np.eye(3)[(j + 1) % 3] if parallel else np.cross(u, e) / np.linalg.norm(np.cross(u, e))
        n = n if n @ c >= 0 else -n
        for one, two in product((-1.0, 1.0), repeat=2):
            p, inward_a, chord_a = _farthest_edge(Q, i, a, -n, one)
            o, inward_b, chord_b = _farthest_edge(np.eye(3), j, b, n, two)
            pair = next(found)
            if parallel:
                assert pair["beside"] == 1.0
                continue
            middle = p + c
            s, r = _nearest(middle, u, o, e)
            sines = [n @ d for d in inward_a] + [-n @ d for d in inward_b]
            expected = {
                "normal": n,
                "tangent": u,
                "gap": n @ (middle + s * u - o - r * e),
                "point": middle + s * u,
                "beside": _beside(max(abs(s) - a[i], abs(r) - b[j]), 2.5e-7),
                "falls": _fall(sines),
                "depth": 5e-7 if min(sines) < -1e-9 else chord_a + chord_b,
            }
            _same(pair, expected)
    assert next(found, None) is None


@pytest.mark.parametrize("seed", range(11))
def test_sides_of_capsules_on_edges_and_corners_of_a_box(seed: int) -> None:
    """The axis of a capsule and lines or points of a box, nearest to each other, less the radius."""
    (Q, c), b, half, radius = _poses()[seed], HALF_B, 0.27, 0.08
    symbols = [ca.SX.sym("w", 3), ca.SX.sym("c", 3), ca.SX.sym("h"), ca.SX.sym("r"), ca.SX.sym("b", 3)]
    pairs = sharp.capsule_on_box(*symbols)
    assert len(pairs) == sharp.CAPSULE_PAIRS == 14
    w = Q[:, 0]
    found = iter(_values(pairs, symbols, [w, c, half, radius, b]))
    for j in range(3):
        e = np.eye(3)[j]
        parallel = np.linalg.norm(np.cross(w, e)) < 1e-6
        n = np.eye(3)[(j + 1) % 3] if parallel else np.cross(w, e) / np.linalg.norm(np.cross(w, e))
        n = n if n @ c >= 0 else -n
        for label in (-1.0, 1.0):
            o, inward, chord = _farthest_edge(np.eye(3), j, b, n, label)
            pair = next(found)
            if parallel:
                assert pair["beside"] == 1.0
                continue
            s, r = _nearest(c, w, o, e)
            sines = [-n @ d for d in inward]
            expected = {
                "normal": n,
                "tangent": w,
                "gap": n @ (c + s * w - o - r * e) - radius,
                "point": c + s * w - radius * n,
                "beside": _beside(max(abs(s) - half, abs(r) - b[j]), 2.5e-7),
                "falls": _fall(sines),
                "depth": 5e-7 if min(sines) < -1e-9 else 2 * radius + chord,
            }
            _same(pair, expected)
    for signs in SIGNS:
        corner = signs * b
        s = w @ (corner - c)
        away = np.linalg.norm(c + s * w - corner)
        n = (c + s * w - corner) / away
        expected = {
            "normal": n,
            "tangent": w,
            "gap": away - radius,
            "point": c + s * w - radius * n,
            "beside": _beside(abs(s) - half, 2.5e-7),
            "falls": -1.0,
            "depth": radius,
        }
        _same(next(found), expected)
    assert next(found, None) is None


@pytest.mark.parametrize("width", [-6e-7, -4e-7, -3e-7, -2e-7, 2e-7])
def test_windows_at_the_ends_of_faces_and_edges(width: float) -> None:
    """Points end half a micrometre before the edges of a face; edges half of that before their ends."""
    b = HALF_B
    x = b * np.array([-0.3, 1.0, 0.9]) + [0.0, width, 0.0]
    y, d = ca.SX.sym("y", 3), ca.SX.sym("d", 3)
    on_top = _values(sharp.point_on_box(y, d), [y, d], [x, b])
    assert len(on_top) == sharp.POINT_PAIRS
    for k in (0, 2):
        assert on_top[k]["beside"] == pytest.approx(width + (1e-3 if width > -5e-7 else 0.0), abs=1e-12)
        assert on_top[k]["falls"] == -1.0 and on_top[k]["window"] == on_top[k]["beside"]
    symbols = [ca.SX.sym("w", 3), ca.SX.sym("c", 3), ca.SX.sym("h"), ca.SX.sym("r"), ca.SX.sym("b", 3)]
    along = np.array([0.0, 0.6, -0.8])  # across the end of the edge along x
    centre = np.array([b[0] + width, b[1] + 0.04, b[2] + 0.03])
    edges = _values(sharp.capsule_on_box(*symbols), symbols, [along, centre, 0.3, 0.05, b])[:2]
    least = min(edges, key=lambda pair: pair["gap"] ** 2)
    assert least["beside"] == pytest.approx(width + (1e-3 if width > -2.5e-7 else 0.0), abs=1e-12)


def _integrals(mass: Array, places: Array, X: Array) -> ModalIntegrals:
    """Sums over points at ``places + X delta``."""
    return ModalIntegrals(
        float(mass.sum()),
        mass @ places,
        np.einsum("k,kb,kc->bc", mass, places, places),
        np.einsum("k,kci->ci", mass, X),
        np.einsum("k,kb,kci->bci", mass, places, X),
        np.einsum("k,kbi,kcj->bcij", mass, X, X),
    )


def _agree(pairs: list[tuple[Any, Any]], symbols: list[ca.SX], rng: np.random.Generator) -> None:
    f = ca.Function("f", symbols, [ca.densify(ca.SX(x)) for pair in pairs for x in pair])
    values = f(*[rng.uniform(0.4, 1.3, s.shape) for s in symbols])
    for k, (got, expected) in enumerate(zip(values[::2], values[1::2], strict=True)):
        np.testing.assert_allclose(got.full(), expected.full(), rtol=1e-10, atol=1e-10, err_msg=str(k))


@pytest.mark.parametrize("kind", ["linear", "parts", "stiffened", "constant", "constant stiffened"])
def test_bodies_that_bend_are_sums_over_their_points(kind: str) -> None:
    """Mass matrix, Coriolis forces and their matrix, of points that move by a map of the coordinates."""
    rng, n, m = np.random.default_rng(3), 3, 7
    mass, places, X = rng.uniform(0.5, 2.0, m), rng.normal(size=(m, 3)), rng.normal(size=(m, 3, n))
    delta, rate, w, v, rho, factor = (ca.SX.sym("x", k) for k in (n, n, 3, 3, 1, 1))
    constant, bends = kind.startswith("constant"), kind.endswith("stiffened")
    f = np.column_stack([np.ones(m), places])
    C = rng.normal(size=(4, 3, n, n)) if bends else np.zeros((4, 3, n, n))
    C = C + C.transpose(0, 1, 3, 2)
    second = StiffeningIntegrals(np.einsum("k,ka,kb->ab", mass, f, f), np.einsum("k,ka,kci->aci", mass, f, X), C, {})
    density: Any = {"parts": rho, "stiffened": 1.0}.get(kind, 1.7)
    weights: list[Any] = [density * x for x in mass]
    parts: Any = [(1.0, _integrals(mass, places, X))]
    if kind == "parts":
        some = [(factor, _integrals(mass[:3], places[:3], X[:3])), (0.6, _integrals(mass[3:], places[3:], X[3:]))]
        parts = some
        weights = [factor * x for x in weights[:3]] + [0.6 * x for x in weights[3:]]
    body = ModalBody(
        parts, delta, density, ca.SX(n, n), ca.DM(n, 1), loses=False,
        stiffening=second if bends else None, constant=constant,
    )  # fmt: skip

    def place(k: int, x: ca.SX) -> ca.SX:
        H = np.einsum("a,acij->cij", f[k], C)
        return ca.DM(places[k]) + ca.DM(X[k]) @ x + ca.vertcat(*[x.T @ ca.DM(H[c]) @ x / 2 for c in range(3)])

    deformed = [place(k, delta) for k in range(m)]
    points = [ca.SX(ca.DM(x)) for x in places] if constant else deformed
    modes = [ca.SX(ca.DM(x)) for x in X] if constant else [ca.jacobian(x, delta) for x in points]
    moved = [J @ rate for J in modes]
    late = [ca.reshape(ca.jtimes(ca.vec(J), delta, rate), 3, n) for J in modes]  # J'

    def total(of: list[Any]) -> Any:
        return sum(x * y for x, y in zip(weights, of, strict=True))

    pairs = [
        (body.mass, total([1.0] * m)),
        (body.first_moment, total(points)),
        (body.deformed_first_moment, total(deformed)),
        (body.inertia, total([-ca.skew(x) @ ca.skew(x) for x in points])),
        (body.V, total(modes)),
        (body.H, total([ca.skew(x) @ J for x, J in zip(points, modes, strict=True)])),
        (body.modal_mass, total([J.T @ J for J in modes])),
    ]
    force, moment, modal = body.coriolis(w, rate, v)
    if constant:  # half of it is lost with the dependence on the coordinates
        first, mixed = total(moved), total([ca.cross(x, y) for x, y in zip(points, moved, strict=True)])
        pairs += [
            (force, ca.cross(w, first)),
            (moment, ca.cross(w, mixed) + ca.cross(v, first)),
            (modal, total([J.T @ ca.cross(v, w) for J in modes])),
        ]
    else:
        free = [2 * ca.cross(w, y) + L @ rate for y, L in zip(moved, late, strict=True)]
        spun = [a + ca.cross(w, ca.cross(w, x)) for a, x in zip(free, points, strict=True)]
        pairs += [
            (force, total(free)),
            (moment, total([ca.cross(x, a) for x, a in zip(points, free, strict=True)])),
            (modal, total([J.T @ a for J, a in zip(modes, spun, strict=True)])),
        ]
        E = [ca.horzcat(ca.SX.eye(3), -ca.skew(x), J) for x, J in zip(points, modes, strict=True)]
        E_rate = [ca.horzcat(ca.SX(3, 3), -ca.skew(y), L) for y, L in zip(moved, late, strict=True)]
        B = total([e.T @ (ca.skew(w) @ e + d) for e, d in zip(E, E_rate, strict=True)])
        rr, rd, dr, dd = body.coriolis_blocks(w, rate)
        pairs += [(rr, B[:6, :6]), (rd, B[:6, 6:]), (dr, B[6:, :6]), (dd, B[6:, 6:])]
    _agree(pairs, [delta, rate, w, v, rho, factor], rng)


@pytest.mark.parametrize("kind", ["flex", "flex-MR", "flex-MA"])
@pytest.mark.parametrize("bent", ["", "shortening", "second"])
def test_sections_of_bodies_that_bend(kind: str, bent: str) -> None:
    """Place, angles, twist and accelerations of a section, from derivatives of its place and rotation."""
    rng, n = np.random.default_rng(4), 3
    delta, rate, w = (ca.SX.sym("x", k) for k in (n, n, 3))
    origin, Phi, Delta = rng.normal(size=3), rng.normal(size=(3, n)), rng.normal(size=(3, n))
    H, Q = rng.normal(size=(n, n)), rng.normal(size=(3, n, n))
    H, Q = H + H.T, Q + Q.transpose(0, 2, 1)
    section = ModalSection(
        origin, Phi, Delta, delta, approximation=kind,
        shortening=H if bent == "shortening" else None, second=Q if bent == "second" else None,
    )  # fmt: skip
    straight = ca.DM(origin) + ca.DM(Phi) @ delta
    p = straight
    if bent == "shortening":
        p = p - ca.vertcat(delta.T @ ca.DM(H) @ delta / 2, 0, 0)
    if bent == "second":
        p = p + ca.vertcat(*[delta.T @ ca.DM(Q[c]) @ delta / 2 for c in range(3)])
    psi = ca.DM(Delta) @ delta

    def turn(k: int, a: ca.SX) -> ca.SX:
        c, s = ca.cos(a), ca.sin(a)
        return [
            ca.vertcat(ca.horzcat(1, 0, 0), ca.horzcat(0, c, -s), ca.horzcat(0, s, c)),
            ca.vertcat(ca.horzcat(c, 0, s), ca.horzcat(0, 1, 0), ca.horzcat(-s, 0, c)),
            ca.vertcat(ca.horzcat(c, -s, 0), ca.horzcat(s, c, 0), ca.horzcat(0, 0, 1)),
        ][k]

    R = turn(2, psi[2]) @ turn(1, psi[1]) @ turn(0, psi[0])
    spin = ca.reshape(ca.jtimes(ca.vec(R), delta, rate), 3, 3) @ R.T
    turning = ca.vertcat(spin[2, 1], spin[0, 2], spin[1, 0])
    if kind == "flex-MA":  # linear throughout
        u, turning, lever = ca.SX(ca.DM(Phi)) @ rate, ca.SX(ca.DM(Delta)) @ rate, ca.SX(ca.DM(origin))
        late, tilted = ca.SX(3, 1), ca.SX(3, 1)
    else:
        u, lever = ca.jtimes(p, delta, rate), p
        late, tilted = ca.jtimes(u, delta, rate), ca.jtimes(turning, delta, rate)
    S = ca.vertcat(ca.jacobian(u, rate), ca.jacobian(turning, rate))
    velocity, angular = section.twist(rate)
    linear, accelerated = section.convective(w, rate)
    twice = 1 if kind == "flex-MA" else 2
    _agree(
        [
            (section.p, p),
            (section.lever, lever),
            (section.R, ca.SX.eye(3) if kind == "flex-MR" else R),
            (section.S, S),
            (velocity, u),
            (angular, turning),
            (linear, ca.cross(w, ca.cross(w, lever)) + twice * ca.cross(w, u) + late),
            (accelerated, ca.cross(w, turning) + tilted),
        ],
        [delta, rate, w],
        rng,
    )
    made = ca.SX.eye(3)
    for k, c, s in section.turns:  # the last one first
        made = turn(k, ca.atan2(s, c)) @ made
    _agree([(made, section.R)], [delta], rng)
    assert all(section.angle(k) is None for k in range(3))
    for k in range(3):
        alone = ModalSection(origin, Phi, np.eye(3)[k][:, None] * Delta, delta, approximation=kind)
        assert [x[0] for x in alone.turns] == ([] if kind == "flex-MR" else [k])
        for j in range(3):
            angle = alone.angle(j)
            assert (angle is None) == (j != k)
            if angle is not None:
                _agree([(angle, psi[k])], [delta], rng)
    assert ModalSection(origin, np.zeros((3, 0)), np.zeros((3, 0)), ca.SX(0, 1)).psi.nnz() == 0


SLANTED = da.Section(3e-4, 2.1e-8, 1.3e-8, I_yz=0.6e-8, torsion=1.7e-8)
THICK = da.Section(5e-4, 5.1e-8, 4.3e-8, I_yz=-1.6e-8, torsion=4.7e-8)
SHAPED: dict[str, Any] = {
    "E": 7e8, "G": 3e8, "density": 1700.0, "modes": {"y": 2, "z": 1, "x": 1, "torsion": 1},
    "offset": (0.1, 0.03, -0.02), "stations": {"s": 0.37},
}  # fmt: skip
ROD: dict[str, Any] = {"E": 7e8, "G": 3e8, "density": 1700.0, "stations": {"s": 0.37}, "points": 4}


def _rod(section: Any, **more: Any) -> da.Rod:
    return da.Rod("b", 0.8, section, **(ROD | more))


BENT: dict[str, Any] = {
    "beam": da.Beam("b", 0.8, ((0.3, THICK), (0.5, SLANTED)), **SHAPED),
    "thin beam": da.Beam("b", 0.8, SLANTED, **(SHAPED | {"rotary_inertia": False, "modes": {"y": 2, "z": 1, "x": 1}})),
    "shortened beam": da.Beam("b", 0.8, SLANTED, **(SHAPED | {"modes": {"y": 1, "z": 1}}), stiffening=True),
    "telescope": da.Beam(
        "b", da.Parameter("L", 0.8), SLANTED, **(SHAPED | {"density": da.Parameter("rho", 1700.0), "stations": {}})
    ),
    "rod in space": _rod(
        ((0.3, THICK), (0.5, SLANTED)), points=2, pieces=(0.5, 0.3), strains={"torsion": 1, "bending": 1},
        curvature=(0.2, -0.3, 0.4),
    ),
    "rod with all strains": _rod(
        SLANTED, points=3, pieces=2, shear_factor=0.9,
        strains={"torsion": 1, "bending": 1, "axial": 1, "shear_y": 1, "shear_z": 1},
    ),
    "rod in a plane": _rod(
        THICK, points=3, pieces=(0.3, 0.5), strains={"bending_z": 2, "axial": 2},
        curvature=((0.4, (0.0, 0.7, 0.0)), (0.15, (0.0, -0.4, 0.0)), (0.25, (0.0, 0.3, 0.0))),
    ),
    "thin rod": _rod(THICK, strains={"bending_y": 2}, rotary_inertia=False),
}  # fmt: skip


@pytest.mark.parametrize("kind", BENT)
def test_inertia_of_bodies_that_bend_is_that_of_their_fields(kind: str) -> None:
    """Mass matrix and Coriolis terms from the places of points and directors alone, by differentiation."""
    rng, part = np.random.default_rng(6), BENT[kind]
    n = part.n_modes
    delta, rate, w, v, origin = (ca.SX.sym("x", k) for k in (n, n, 3, 3, 3))
    free = {"L": ca.SX.sym("L"), "rho": ca.SX.sym("rho")}

    def value(x: Any) -> Any:
        return x if isinstance(x, float) else free[x.name]

    field = part.energy_field(delta, ca.SX.eye(3), origin, value)
    body = part.elastic_body(delta, value)
    sides = []
    for columns in (field.left, field.right):
        found = []
        for x in ca.horzsplit(columns):
            J = ca.jacobian(x, delta)
            moved = J @ rate
            late = ca.reshape(ca.jtimes(ca.vec(ca.densify(J)), delta, rate), 3, n)
            along = ca.jacobian(x, origin)  # directors do not move with the origin
            E = ca.horzcat(along, -ca.skew(x), J)
            found.append((E, ca.horzcat(ca.SX(3, 3), -ca.skew(moved), late)))
        sides.append(found)
    M, B = ca.SX(6 + n, 6 + n), ca.SX(6 + n, 6 + n)
    for weight, (E, E_rate), (F, F_rate) in zip(ca.vertsplit(field.weights), *sides, strict=True):
        M += weight * (E.T @ F + F.T @ E) / 2
        B += weight * (E.T @ (ca.skew(w) @ F + F_rate) + F.T @ (ca.skew(w) @ E + E_rate)) / 2
    m, c, I = body.mass, body.first_moment, body.inertia
    rigid = ca.vertcat(
        ca.horzcat(m * ca.SX.eye(3), -ca.skew(c)),
        ca.horzcat(ca.skew(c), I),
    )
    coupling = ca.vertcat(body.V, body.H)
    rr, rd, dr, dd = body.coriolis_blocks(w, rate)
    blocks = ca.vertcat(ca.horzcat(rr, rd), ca.horzcat(dr, dd))
    turned = ca.vertcat(ca.SX(3, 1), w, rate)
    force, moment, modal = body.coriolis(w, rate, v)
    spun = ca.vertcat(ca.cross(w, ca.cross(w, c)), ca.cross(w, I @ w))
    M_rate = ca.reshape(ca.jtimes(ca.vec(ca.densify(M)), delta, rate), 6 + n, 6 + n)
    pairs = [
        (field.mass, m),
        (field.first_moment, c + m * origin),
        (rigid, M[:6, :6]),
        (coupling, M[:6, 6:]),
        (body.modal_mass, M[6:, 6:]),
        (ca.vertcat(force, moment, modal), B @ turned - ca.vertcat(spun, ca.SX(n, 1))),
        (blocks @ turned, B @ turned),
        (blocks + blocks.T, M_rate),
    ]
    symbols = [delta, rate, w, v, origin, *free.values()]
    f = ca.Function("f", symbols, [ca.densify(ca.SX(x)) for pair in pairs for x in pair])
    q, amplitudes = 0.3 * part.amplitudes * rng.uniform(0.5, 1.5, n), part.amplitudes
    numbers = [q, rng.normal(size=n) * amplitudes, *rng.normal(size=(2, 3)), np.zeros(3), 0.95, 1300.0]
    values = [x.full() for x in f(*numbers)]
    numbers[4] = rng.normal(size=3)
    values += [x.full() for x in f(*numbers)[:4]]  # those that depend on the place of the frame
    for k, (got, expected) in enumerate(zip(values[::2], values[1::2], strict=True)):
        np.testing.assert_allclose(got, expected, rtol=1e-8, atol=1e-10 * np.abs(expected).max(), err_msg=str(k))


@pytest.mark.parametrize("kind", BENT)
@pytest.mark.parametrize("s", [0.1, 0.37, 0.8])
def test_sections_of_beams_and_rods(kind: str, s: float) -> None:
    """Twists and accelerations of a section are derivatives of its rotation and place, which the fields pass."""
    rng, part = np.random.default_rng(8), BENT[kind]
    n = part.n_modes
    delta, rate, w = (ca.SX.sym("x", k) for k in (n, n, 3))
    section = part.axis_section(s, delta, lambda x: x if isinstance(x, float) else nominal(x))
    R, p = section.R, section.p
    spin = ca.reshape(ca.jtimes(ca.vec(ca.densify(R)), delta, rate), 3, 3) @ R.T
    turning = ca.vertcat(spin[2, 1], spin[0, 2], spin[1, 0])
    u = ca.jtimes(p, delta, rate)
    late, tilted = ca.jtimes(u, delta, rate), ca.jtimes(turning, delta, rate)
    velocity, angular = section.twist(rate)
    linear, accelerated = section.convective(w, rate)
    turned = ca.SX.eye(3)
    for k, c, x in section.turns or []:
        i, j = (k + 1) % 3, (k + 2) % 3
        step = ca.SX.eye(3)
        step[i, i], step[j, j], step[i, j], step[j, i] = c, c, -x, x
        turned = step @ turned
    if section.turns is not None:
        _agree([(turned, R)], [delta], rng)
    axes = [k for k in range(3) if section.angle(k) is not None]
    assert axes == {"rod in a plane": [1], "thin rod": [2]}.get(kind, [])
    for k in axes:
        _agree([(ca.sin(section.angle(k)), R[(k + 2) % 3, (k + 1) % 3])], [delta], rng)
    pairs = [
        (section.S @ rate, ca.vertcat(u, turning)),
        (section.lever, p),
        (ca.vertcat(velocity, angular), ca.vertcat(u, turning)),
        (ca.vertcat(section.mixed[:3, :] @ rate, section.rates @ (section.mixed[3:, :] @ rate)), section.S @ rate),
        (linear, ca.cross(w, ca.cross(w, p) + 2 * u) + late),
        (accelerated, ca.cross(w, turning) + tilted),
    ]
    f = ca.Function("f", [delta, rate, w], [ca.densify(ca.SX(x)) for pair in pairs for x in pair])
    size = part.amplitudes
    values = [x.full() for x in f(0.3 * size * rng.uniform(0.5, 1.5, n), size * rng.normal(size=n), rng.normal(size=3))]
    for k, (got, expected) in enumerate(zip(values[::2], values[1::2], strict=True)):
        np.testing.assert_allclose(got, expected, rtol=1e-8, atol=1e-10 * np.abs(expected).max(), err_msg=str(k))


@pytest.mark.parametrize("kind", BENT)
def test_outlines_are_places_of_sections(kind: str) -> None:
    """The line of a picture runs along the axis from the origin of the frame, in equal steps."""
    rng, part = np.random.default_rng(9), BENT[kind]
    delta = ca.SX.sym("x", part.n_modes)

    def value(x: Any) -> float:
        return float(x) if isinstance(x, float) else nominal(x)

    (line,), radius = part.outline(delta, value)
    assert 0.0 < radius < 0.05
    places = line if isinstance(part, da.Rod) else line[1:]
    assert len(places) > 8
    pairs = [
        (p, part.axis_section(float(s), delta, value).p)
        for p, s in zip(places, np.linspace(0.0, 0.8, len(places)), strict=True)
    ]
    f = ca.Function("f", [delta], [ca.densify(ca.SX(x)) for pair in [(line[0], ca.SX(3, 1)), *pairs] for x in pair])
    found = [x.full() for x in f(part.amplitudes * rng.normal(size=part.n_modes))]
    for got, expected in zip(found[::2], found[1::2], strict=True):
        np.testing.assert_allclose(got, expected, atol=1e-12)
