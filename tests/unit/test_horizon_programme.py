"""Quadratic programmes over a horizon: every solution is that of another solver, also from bad warm starts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
import pytest

from dalembert.engine.horizon.programme import HorizonProgramme

TIGHT = dict.fromkeys(("eps_abs", "eps_rel", "eps_duality_gap_abs", "eps_duality_gap_rel"), 1e-12)


def random_programme(rng: np.random.Generator, size: HorizonProgramme) -> dict[str, Any]:
    nx, nu, n, rows = size.nx, size.nu, size.intervals, size.rows
    nz, nb = nx + nu, len(size.boxes)
    A = np.eye(nx) + 0.3 * rng.normal(size=(n, nx, nx)) / np.sqrt(nx)
    J = rng.normal(size=(n + 1, nz, nz))
    H = J @ J.transpose(0, 2, 1) / nz + 0.1 * np.eye(nz)
    if not size.dense:
        H[:n] = np.eye(nz) * rng.uniform(0.1, 2.0, size=(n, 1, nz))
    low, high = np.full((n + 1, nb + rows), -np.inf), np.full((n + 1, nb + rows), np.inf)
    linear, square = np.full_like(low, -1.0), np.zeros_like(low)
    for j, b in enumerate(size.boxes):
        if b >= nx:
            low[:n, j], high[:n, j] = -0.5, 0.7
        else:
            reach = 1.0 if size.soft else 30.0
            low[1:, j], high[1:, j] = -reach, 1.5 * reach
            linear[:, j] = rng.uniform(1, 20) if size.soft else -1.0
            square[:, j] = rng.choice([0.0, 3.0])
    high[1:, nb:] = 1.0 if size.soft else 40.0
    linear[:, nb:], square[:, nb:] = (5.0, 1.0) if size.soft else (-1.0, 0.0)
    G = rng.normal(size=(n + 1, rows, nz))
    G[n, :, nx:] = 0.0
    return {
        "A": A, "B": rng.normal(size=(n, nx, nu)), "c": 0.1 * rng.normal(size=(n, nx)), "H": H,
        "g": rng.normal(size=(n + 1, nz)), "x0": rng.normal(size=nx), "low": low, "high": high, "G": G,
        "linear": linear, "square": square,
    }  # fmt: skip


def by_piqp(size: HorizonProgramme, d: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """States and inputs of the same programme, written as one without structure, with slacks as variables."""
    nx, nu, n = size.nx, size.nu, size.intervals
    nz, nv = nx + nu, (n + 1) * (nx + nu) - nu
    opti: list[Any] = []
    z = ca.SX.sym("z", nv)
    stage = [z[k * nz : k * nz + (nz if k < n else nx)] for k in range(n + 1)]
    cost: Any = 0
    equal = [] if size.free else [stage[0][:nx] - d["x0"]]
    slacks = []
    for k, zk in enumerate(stage):
        m = zk.numel()
        cost += ca.mtimes([zk.T, ca.DM(d["H"][k][:m, :m]), zk]) / 2 + ca.dot(ca.DM(d["g"][k][:m]), zk)
        if k < n:
            equal.append(stage[k + 1][:nx] - ca.DM(np.c_[d["A"][k], d["B"][k]]) @ zk - ca.DM(d["c"][k]))
        rows = [zk[b] if b < m else None for b in size.boxes] + [ca.dot(ca.DM(g[:m]), zk) for g in d["G"][k]]
        for j, row in enumerate(rows):
            for sign, bound in ((1, d["low"][k, j]), (-1, -d["high"][k, j])):
                if row is None or not np.isfinite(bound):
                    continue
                value = sign * row - bound
                if d["linear"][k, j] >= 0:
                    slacks.append(ca.SX.sym("s"))
                    cost += d["linear"][k, j] * slacks[-1] + d["square"][k, j] * slacks[-1] ** 2 / 2
                    value = value + slacks[-1]
                opti.append(value)
    variables = ca.vertcat(z, *slacks)
    constraints = ca.vertcat(*equal, *opti, *slacks)
    n_equal = ca.vertcat(ca.SX(0, 1), *equal).numel()
    upper = np.r_[np.zeros(n_equal), np.full(constraints.numel() - n_equal, np.inf)]
    solver = ca.qpsol("peer", "piqp", {"x": variables, "f": cost, "g": constraints}, {"piqp": TIGHT})
    answer = solver(lbg=np.zeros(constraints.numel()), ubg=upper)
    assert solver.stats()["success"]
    v = np.append(np.array(answer["x"]).ravel()[:nv], np.zeros(nu)).reshape(n + 1, nz)
    return v[:, :nx], v[:n, nx:]


SIZES = [
    HorizonProgramme(5, 2, 6, (5, 6, 0, 3), 2, soft=True),
    HorizonProgramme(3, 2, 5, (3, 4, 1), 1, dense=False),
    HorizonProgramme(9, 1, 3, (9,), 0, soft=False, free=True),
]


@pytest.mark.parametrize("size", SIZES, ids=("soft", "diagonal", "free"))
def test_solutions_are_those_of_another_solver(size: HorizonProgramme) -> None:
    rng = np.random.default_rng(7)
    plain = replace(size, plain=True)
    for _ in range(6):
        d = random_programme(rng, size)
        x, u = by_piqp(size, d)
        mine, other = size.solve(**d, tolerance=1e-11), plain.solve(**d, tolerance=1e-11)
        assert mine.status == other.status == "solved"
        for solution in (mine, other):
            np.testing.assert_allclose(solution.x, x, atol=3e-7)
            np.testing.assert_allclose(solution.u, u, atol=3e-7)
        np.testing.assert_allclose(mine.u, other.u, atol=1e-8)
        assert size.solve(**d, tolerance=1e-9, near=mine).iterations <= 3
        # a warm start with nonsense stalls at first, and ends at the same solution
        bad = replace(mine, x=mine.x + 3.0, u=mine.u - 2.0, multipliers=1e6 * rng.random(mine.multipliers.shape))
        repaired = size.solve(**d, tolerance=1e-11, near=bad, most=80)
        assert repaired.status == "solved"
        np.testing.assert_allclose(repaired.u, u, atol=3e-7)


def test_what_is_told_of_a_programme_that_is_not_begun() -> None:
    """Without an iteration inputs are zero, and residuals of the dynamics are what a machine at its start lacks."""
    size = SIZES[1]
    d = random_programme(np.random.default_rng(1), size)
    d["low"], d["high"] = None, None
    answer = size.solve(**d, most=0)
    lacks = d["c"].copy()
    lacks[0] += d["A"][0] @ d["x0"]
    assert (answer.status, answer.iterations, answer.repairs, answer.complementarity) == ("capped", 0, 0, 0.0)
    assert answer.residual == pytest.approx(np.abs(lacks).max(), rel=1e-12)
    np.testing.assert_array_equal(answer.x, np.vstack([d["x0"], 0.0 * d["c"]]))
    assert not answer.u.any()
    d = random_programme(np.random.default_rng(1), size)
    assert size.solve(**d, most=3, first=2.0).iterations == 3
    # multipliers and distances of sides begin with the given product
    assert size.solve(**d, most=0, first=2.5).complementarity == pytest.approx(2.5)


def test_a_programme_without_solution_says_so() -> None:
    size = SIZES[1]
    d = random_programme(np.random.default_rng(0), size)
    d["low"][3, 2], d["high"][3, 2] = 200.0, 201.0  # out of reach of the bounded inputs
    answer = size.solve(**d)
    assert answer.status != "solved" and answer.residual > 1.0
