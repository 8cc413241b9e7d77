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
