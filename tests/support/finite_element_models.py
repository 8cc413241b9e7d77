"""Finite-element models of the tests: a truss of springs, a beam with rotational freedoms."""

from __future__ import annotations

import numpy as np

import dalembert as da


def truss(seed: int = 0, cells: int = 2, stiffness: float = 4e3) -> da.FiniteElements:
    """Masses on a grid of cubes, joined by springs along all edges and diagonals; sets ROOT and TIP are its ends."""
    rng = np.random.default_rng(seed)
    grid = [(i, j, k) for i in range(cells + 1) for j in range(2) for k in range(2)]
    x = np.array(grid, dtype=float) * [0.4, 0.2, 0.15] + 0.01 * rng.normal(size=(len(grid), 3))
    n = len(x)
    K, m = np.zeros((3 * n, 3 * n)), np.diag(0.1 + 0.2 * rng.random(n))
    for a in range(n):
        for b in range(a):
            if abs(grid[a][0] - grid[b][0]) > 1:
                continue
            e = (x[a] - x[b]) / np.linalg.norm(x[a] - x[b])
            g = np.zeros(3 * n)
            g[3 * a : 3 * a + 3], g[3 * b : 3 * b + 3] = e, -e
            K += stiffness * (1 + rng.random()) * np.outer(g, g)
            coupling = 0.01 * rng.random()  # a consistent mass: neighbours share some of it
            m[a, b] = m[b, a] = coupling
    sets = {"ROOT": np.flatnonzero([c[0] == 0 for c in grid]), "TIP": np.flatnonzero([c[0] == cells for c in grid])}
    return da.FiniteElements(K, np.kron(m, np.eye(3)), x, sets)


def beam_elements(
    length: float, section: da.Section, E: float, G: float, density: float, count: int
) -> da.FiniteElements:
    """Euler-Bernoulli elements with consistent mass along x: freedoms x, y, z and rotations about them at each node."""
    h = length / count
    A, I_y, I_z, J, I_p = section.area, section.I_y, section.I_z, section.torsion, section.I_p
    k, m = np.zeros((12, 12)), np.zeros((12, 12))
    bar, ends = np.array([[1, -1], [-1, 1]]), np.array([[2, 1], [1, 2]]) / 6
    for at, stiff, heavy in (((0, 6), E * A / h, density * A * h), ((3, 9), G * J / h, density * I_p * h)):
        k[np.ix_(at, at)] += stiff * bar
        m[np.ix_(at, at)] += heavy * ends
    bend = np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]], dtype=float)
    mass = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]]) / 420
    for at, sign, I in (((1, 5, 7, 11), 1.0, I_z), ((2, 4, 8, 10), -1.0, I_y)):
        scale = np.outer([1, sign * h, 1, sign * h], [1, sign * h, 1, sign * h])
        k[np.ix_(at, at)] += E * I / h**3 * bend * scale
        m[np.ix_(at, at)] += density * A * h * mass * scale
    size = 6 * (count + 1)
    K, M = np.zeros((size, size)), np.zeros((size, size))
    for i in range(count):
        part = slice(6 * i, 6 * i + 12)
        K[part, part] += k
        M[part, part] += m
    x = np.zeros((count + 1, 3))
    x[:, 0] = np.linspace(0.0, length, count + 1)
    return da.FiniteElements(K, M, x, {"ROOT": np.array([0]), "TIP": np.array([count])})


_SQUARE, _MIDDLES = [(-1, -1), (1, -1), (1, 1), (-1, 1)], [(0, -1), (1, 0), (0, 1), (-1, 0)]
_BRICK = np.array(
    [(*p, z) for layer, z in ((_SQUARE, -1), (_SQUARE, 1), (_MIDDLES, -1), (_MIDDLES, 1), (_SQUARE, 0)) for p in layer]
)
_TETRAHEDRA = [(0, 1, 3, 4), (1, 2, 3, 6), (1, 6, 4, 5), (3, 4, 6, 7), (1, 3, 4, 6)]
_TETRAHEDRON_EDGES = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]


def bricks(counts: tuple[int, int, int], size: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and 20-node bricks of a box from x = 0 on, about the x axis."""
    n = np.array(counts)
    grid = [g for g in np.ndindex(*(2 * n + 1)) if sum(i % 2 for i in g) < 2]
    place = {g: k for k, g in enumerate(grid)}
    elements = [[place[tuple(2 * np.array(c) + 1 + p)] for p in _BRICK] for c in np.ndindex(*n)]
    return (np.array(grid) / (2 * n) - [0.0, 0.5, 0.5]) * size, np.array(elements)


def solid_of(k: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and elements with k nodes of a distorted cube: one brick, or five tetrahedra."""
    rng = np.random.default_rng(seed)
    corners = _BRICK[:8] + 0.2 * rng.uniform(-1, 1, (8, 3))
    if k == 8:
        return corners, np.arange(8)[None]
    if k == 20:
        edges = [np.flatnonzero(np.abs(_BRICK[:8] - middle).sum(axis=1) == 1) for middle in _BRICK[8:]]
        return np.vstack([corners, [corners[pair].mean(axis=0) for pair in edges]]), np.arange(20)[None]
    if k == 4:
        return corners, np.array(_TETRAHEDRA)
    nodes, known, elements = list(corners), {}, []
    for tetrahedron in _TETRAHEDRA:
        element = list(tetrahedron)
        for a, b in _TETRAHEDRON_EDGES:
            pair = frozenset((tetrahedron[a], tetrahedron[b]))
            if pair not in known:
                known[pair] = len(nodes)
                nodes.append((corners[tetrahedron[a]] + corners[tetrahedron[b]]) / 2)
            element.append(known[pair])
        elements.append(element)
    return np.array(nodes), np.array(elements)


def brick_model(
    counts: tuple[int, int, int], size: tuple[float, float, float], E: float, nu: float, density: float
) -> da.FiniteElements:
    """A bar of 20-node bricks with sets ROOT and TIP; its matrices are integrals of monomials, one by one."""
    nodes, elements = bricks(counts, size)
    solids = da.Solids(elements, E, nu)
    half = np.array(size) / counts / 2
    powers = np.array([p for p in np.ndindex(3, 3, 3) if p.count(2) < 2])
    shapes = np.linalg.inv(np.prod(_BRICK[:, None] ** powers, axis=2))
    mu, first = E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))

    def inner(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Integrals over the cube of products of polynomials with these exponents, with their factors."""
        total = a[0][:, None] + b[0][None]
        even = np.where(total % 2 == 0, 2.0 / (total + 1), 0.0)
        return np.prod(even, axis=2) * np.outer(a[1], b[1]) * np.prod(half)

    derivative = [(np.maximum(powers - step, 0), powers[:, a] / half[a]) for a, step in enumerate(np.eye(3, dtype=int))]
    D = [[shapes.T @ inner(derivative[a], derivative[b]) @ shapes for b in range(3)] for a in range(3)]
    m = density * shapes.T @ inner((powers, np.ones(20)), (powers, np.ones(20))) @ shapes
    k = np.zeros((20, 3, 20, 3))
    for a in range(3):
        for b in range(3):
            k[:, a, :, b] += first * D[a][b] + mu * D[b][a]
            k[:, a, :, a] += mu * D[b][b]
    K, M = np.zeros((2, 3 * len(nodes), 3 * len(nodes)))
    for element in elements:
        rows = (3 * element[:, None] + np.arange(3)).ravel()
        K[np.ix_(rows, rows)] += k.reshape(60, 60)
        M[np.ix_(rows, rows)] += np.kron(m, np.eye(3))
    ends = {name: np.flatnonzero(np.abs(nodes[:, 0] - x) < 1e-9) for name, x in (("ROOT", 0.0), ("TIP", size[0]))}
    return da.FiniteElements(K, M, nodes, ends, solids=(solids,))
