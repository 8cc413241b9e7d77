"""Tapes that solve constrained equations, on random matrices: against dense solutions of the same equations."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest
from numpy.typing import NDArray

from dalembert.core.constraint_algebra import correction, corrections, minimum_norm
from dalembert.core.constraint_tape import SHARE, SweptLists, TapeFactors, acting, swept_cost, tape_cost
from dalembert.engine.problem.constrained_tape import (
    contact_multipliers_tape,
    dynamics_tape,
    gaps_tape,
    largest_error,
    multipliers_tape,
    projection_tape,
    start_tape,
    swept_motion,
)

NV, M_ROWS = 5, 4
NAMES = ("t", "x", "c", "p")


class _Equations:
    """Random equations of 5 velocities and 4 rows; x has q and v, two switches and a share; row 2 is switched off."""

    def __init__(self, seed: int, rows: int = M_ROWS, sparse: bool = False) -> None:
        rng = np.random.default_rng(seed)
        A = rng.normal(size=(NV, NV))
        self.M = A @ A.T + np.eye(NV)
        self.J = rng.normal(size=(rows, NV))
        if sparse:
            self.J[0, :3] = self.J[1, 3:] = 0.0
            self.M[0, 3:] = self.M[3:, 0] = 0.0
        self.f, self.gamma = rng.normal(size=NV), rng.normal(size=rows)
        self.phi, self.phidot, self.phi_t = rng.normal(size=(3, rows))
        self.x = rng.normal(size=2 * NV + 3)
        self.x[2 * NV : 2 * NV + 2] = 1.0, 0.0
        self.flags = np.array([-1, 2 * NV, 2 * NV + 1, -1], dtype=np.int64)[:rows]
        self.on = np.array([True, True, False, True])[:rows]

    @property
    def arguments(self) -> list[Any]:
        return [ca.SX.sym("t"), ca.SX.sym("x", len(self.x)), ca.SX.sym("c", 1), ca.SX.sym("p", 1)]

    @property
    def terms(self) -> list[Any]:
        rates = ca.DM.ones(len(self.x))
        rows = (self.phi, self.phidot, self.gamma, self.phi_t)
        return [ca.SX(ca.DM(y)) for y in (rates, self.f, self.J.T, *rows, self.M)]

    def tape(self) -> ca.Function:
        names = ["rates", "f", "Jt", "phi", "phidot", "gamma", "phi_t", "M"]
        return ca.Function("tape", self.arguments, self.terms, list(NAMES), names)

    def at(self, function: ca.Function, *more: Any) -> dict[str, NDArray[Any]]:
        values = function(0.0, self.x, 0.0, 0.0, *more)
        arrays = [np.array(y) for y in (values if isinstance(values, tuple) else (values,))]
        columns = [y[:, 0] if y.shape[1] == 1 else y for y in arrays]
        return dict(zip(function.name_out(), columns, strict=True))

    def solved(self, gamma: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        J, n = self.J[self.on], int(self.on.sum())
        K = np.block([[self.M, J.T], [J, np.zeros((n, n))]])
        both = np.linalg.solve(K, np.append(self.f, gamma[self.on]))
        every = np.zeros(len(self.on))
        every[self.on] = both[NV:]
        return both[:NV], every

    def corrected(self, error: NDArray[Any]) -> NDArray[Any]:
        J = self.J[self.on]
        lighter = np.linalg.solve(self.M, J.T)
        return np.asarray(-lighter @ np.linalg.solve(J @ lighter, error[self.on]))

    def sweeps(self) -> ca.Function:
        """``L^-1 b``, ``L^-T b`` and the diagonal of ``D^-1``."""
        b = ca.SX.sym("b", NV)
        C = np.linalg.cholesky(self.M)
        L = C / np.diag(C)
        outputs = [ca.DM(np.linalg.inv(L)) @ b, ca.DM(np.linalg.inv(L).T) @ b, ca.SX(ca.DM(1.0 / np.diag(C) ** 2))]
        return ca.Function("sweeps", [*self.arguments, b], outputs)


def close(got: Any, expected: Any) -> None:
    """Rounding of equations whose condition is below 1e3."""
    np.testing.assert_allclose(got, expected, atol=1e-11 * max(1.0, float(np.abs(expected).max(initial=0.0))))


@pytest.mark.parametrize("sparse", [False, True])
def test_accelerations_and_multipliers(sparse: bool) -> None:
    e = _Equations(1, sparse=sparse)
    a, multipliers = e.solved(e.gamma)
    found = e.at(dynamics_tape(e.tape(), e.flags, [1, 3]), [7.0, 8.0])  # without the terms of Baumgarte
    close(found["a"], a)
    close(found["lambda"], multipliers)
    close(found["phi"], e.phi * [0, 1, 0, 1])
    assert not found["phidot"].any() and SHARE < found["share"][0] < 1.0
    stable = e.at(dynamics_tape(e.tape(), e.flags), [0.7, 1.3])
    a, multipliers = e.solved(e.gamma - 0.7 * e.phidot - 1.3 * e.phi)
    for name, expected in (("a", a), ("lambda", multipliers), ("phi", e.phi), ("phidot", e.phidot), ("M", e.M)):
        close(stable[name], expected)


def test_gaps_are_those_of_watched_rows() -> None:
    e = _Equations(2)
    assert e.at(gaps_tape(e.tape(), [0, 3]))["phi"] == pytest.approx(e.phi * [1, 0, 0, 1])


def test_motion_by_sweeps_along_a_tree() -> None:
    e = _Equations(3)
    a, multipliers = e.solved(e.gamma)
    found = e.at(swept_motion(e.tape(), e.flags, [2], e.sweeps()))
    for name, expected in (("a", a), ("lambda", multipliers), ("phi_t", e.phi_t), ("phi", e.phi * [0, 0, 1, 0])):
        close(found[name], expected)
    assert (found["rates"] == 1.0).all()


def test_multipliers_of_rows_that_repeat_each_other() -> None:
    """Unique ones as they are; of a row and its double the shares of least norm."""
    e = _Equations(4)
    close(e.at(multipliers_tape(e.tape(), e.flags))["lambda"], e.solved(e.gamma)[1])
    e.J[3], e.gamma[3] = 2.0 * e.J[0], 2.0 * e.gamma[0]
    expected = np.zeros(M_ROWS)
    expected[e.on] = minimum_norm(e.M, e.f, e.J[e.on], e.gamma[e.on]).multipliers
    found = e.at(multipliers_tape(e.tape(), e.flags))["lambda"]
    assert found[3] == pytest.approx(2.0 * found[0], rel=1e-7)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)  # the tape has about eight digits here


def _rubbing(e: _Equations, rubbing: list[tuple[int, int, int]], shares: list[int], drag: Any, cone: Any) -> Any:
    terms = [*e.terms, ca.SX(ca.DM(drag)), ca.SX(ca.DM(cone))]
    contact = ca.Function("contact", e.arguments, terms, list(NAMES), [f"y{k}" for k in range(10)])
    return e.at(contact_multipliers_tape(contact, e.flags, rubbing, np.array(shares, dtype=np.int64)))["lambda"]


@pytest.mark.parametrize("order", [(3, 0, 1), (0, 1, 3)], ids=["tangents first", "normal first"])
def test_multipliers_of_a_contact_that_slips(order: tuple[int, int, int]) -> None:
    """``M a + J_n^T l + sum of drag J_t^T l = f``: the friction of its tangents is part of what the normal pushes."""
    e = _Equations(5)
    normal, *tangents = order
    e.flags = np.full(M_ROWS, -1, dtype=np.int64)
    e.flags[tangents] = 2 * NV + 1  # those that slip do not act
    e.on = np.array([k not in tangents for k in range(M_ROWS)])
    drag = np.zeros(M_ROWS)
    drag[tangents] = 0.3, -0.2
    pull = e.J.T.copy()
    pull[:, normal] += e.J[tangents].T @ drag[tangents]
    K = np.block([[e.M, pull[:, e.on]], [e.J[e.on], np.zeros((2, 2))]])
    expected = np.zeros(M_ROWS)
    expected[e.on] = np.linalg.solve(K, np.append(e.f, e.gamma[e.on]))[NV:]
    expected[tangents] = drag[tangents] * expected[normal]
    close(_rubbing(e, [order], [-1] * M_ROWS, drag, np.zeros(3)), expected)


def test_multipliers_of_rows_that_have_a_given_part() -> None:
    """A share of a row that acts is added; a joint that slips has the friction that is known."""
    e = _Equations(6)
    none = [-1] * M_ROWS
    expected = e.solved(e.gamma)[1]
    rubbing = [(-1, 1, -1), (-1, 2, -1)]  # joints: row 1 sticks, row 2 slips
    cone = np.array([9.0, 8.0, 7.0, 6.0, 5.0, 4.0])
    share = [2 * NV + 2, -1, 2 * NV + 2, -1]
    found = _rubbing(e, rubbing, share, np.zeros(M_ROWS), cone)
    close(found, expected + e.x[-1] * np.array([1.0, 0.0, 0.0, 0.0]) + np.array([0.0, 0.0, 4.0, 0.0]))
    close(_rubbing(e, [], none, np.zeros(M_ROWS), np.zeros(0)), expected)
    close(_rubbing(e, [], [0, *none[1:]], np.zeros(M_ROWS), np.zeros(0)), expected + e.x[0] * np.eye(M_ROWS)[0])


def test_multipliers_of_two_contacts_in_a_plane() -> None:
    """Each has one tangent; the first one slips, of the second one nothing acts."""
    e = _Equations(11)
    e.flags = np.array([-1, 2 * NV + 1, 2 * NV + 1, 2 * NV + 1], dtype=np.int64)
    drag = np.array([0.0, 0.4, 0.0, 0.0])
    pull = e.J[0] + 0.4 * e.J[1]
    push = (e.J[0] @ np.linalg.solve(e.M, e.f) - e.gamma[0]) / (e.J[0] @ np.linalg.solve(e.M, pull))
    cone = np.arange(1.0, 7.0)
    close(_rubbing(e, [(0, 1, -1), (2, 3, -1)], [-1] * M_ROWS, drag, cone), push * np.array([1.0, 0.4, 0.0, 0.0]))
    e.flags[2] = -1
    drag[3] = -0.7
    pulls = np.array([pull, e.J[2] - 0.7 * e.J[3]]).T
    K = np.block([[e.M, pulls], [e.J[[0, 2]], np.zeros((2, 2))]])
    a, b = np.linalg.solve(K, np.append(e.f, e.gamma[[0, 2]]))[NV:]
    found = _rubbing(e, [(0, 1, -1), (2, 3, -1)], [-1] * M_ROWS, drag, cone)
    close(found, np.array([a, 0.4 * a, b, -0.7 * b]))


def _move(x: Any, d: Any, p: Any) -> Any:
    return x[:NV] + d


@pytest.mark.parametrize("swept", [False, True])
def test_a_projection_is_a_step_of_newton(swept: bool) -> None:
    e = _Equations(7)
    terms = [ca.SX(ca.DM(y)) for y in (e.J.T, e.phi, e.phidot, e.M)]
    geometry = ca.Function("geometry", e.arguments, terms, list(NAMES), ["Jt", "phi", "phidot", "M"])
    found = e.at(projection_tape(geometry, _move, e.flags, NV, NV, e.sweeps() if swept else None))  # type: ignore[arg-type]
    close(found["q"], e.x[:NV] + e.corrected(e.phi))
    close(found["v"], e.x[NV : 2 * NV] + e.corrected(e.phidot))
    assert found["error"] == pytest.approx(np.abs(e.phi[e.on]).max()) and set(found) >= {"share"}
    assert ("M" in found) != swept


def test_an_error_that_is_not_a_number_is_not_lost() -> None:
    e = _Equations(8)
    for row, bad in ((0, True), (2, False)):  # row 2 does not act
        phi = e.phi.copy()
        phi[row] = np.nan
        terms = [ca.SX(ca.DM(y)) for y in (e.J.T, phi, e.phidot, e.M)]
        geometry = ca.Function("geometry", e.arguments, terms, list(NAMES), ["Jt", "phi", "phidot", "M"])
        error = e.at(projection_tape(geometry, _move, e.flags, NV, NV))["error"][0]  # type: ignore[arg-type]
        assert (error < 100.0) != bad
    assert float(largest_error(acting([None, None]), ca.SX(2, 1))) == 0.0


def test_starts_with_requested_velocities() -> None:
    """The nearest velocities on ``J v + ... = 0`` that have the requested ones; an impossible request shows."""
    e = _Equations(9)
    terms = [ca.SX(ca.DM(y)) for y in (e.J.T, e.phi, e.phidot, e.M)]
    geometry = ca.Function("geometry", e.arguments, terms, list(NAMES), ["Jt", "phi", "phidot", "M"])
    kept = np.array([[0.0, 1.0, 0.0, 0.0, 0.0]])
    start = start_tape(geometry, _move, e.flags, NV, NV, ca.DM(kept))  # type: ignore[arg-type]
    found = e.at(start, [0.4])
    v = e.x[NV : 2 * NV]
    rows = np.vstack([e.J[e.on], kept])
    before = np.append(e.phidot[e.on], kept @ v - 0.4)
    change = correction(e.M, rows, before)
    close(found["v"], v + change)
    assert found["v"][1] == pytest.approx(0.4, abs=1e-12) and found["left"][0] < 1e-12
    close(found["q"], e.x[:NV] + e.corrected(e.phi))
    e.J[0] = kept[0]
    terms[0] = ca.SX(ca.DM(e.J.T))
    geometry = ca.Function("geometry", e.arguments, terms, list(NAMES), ["Jt", "phi", "phidot", "M"])
    found = e.at(start_tape(geometry, _move, e.flags, NV, NV, ca.DM(kept)), [0.4])  # type: ignore[arg-type]
    assert not found["share"][0] >= SHARE  # the row already says what the velocity is
    size = 1.0 + np.abs(before).max() + 0.4
    error = abs(e.phidot[0] - before[-1]) / 2.0  # the two requests are met half way
    assert found["left"][0] * size >= 0.5 * error


def test_corrections_of_many_states() -> None:
    """Each as it would be alone; rows that do not act are zero, and rows that depend on each other are solved."""
    systems = [_Equations(seed) for seed in range(5)]
    systems[2].J[1] = 0.0
    systems[3].J[3] = systems[3].J[0]
    systems[3].phi[3] = systems[3].phi[0]
    M, J, error = (np.array([getattr(e, name) for e in systems]) for name in ("M", "J", "phi"))
    error[2, 1] = 0.0
    found = corrections(M, J, error)
    for k in range(len(systems)):
        rows = J[k] @ np.linalg.solve(M[k], J[k].T)
        expected = -np.linalg.solve(M[k], J[k].T @ np.linalg.pinv(rows, rcond=1e-10) @ error[k])
        np.testing.assert_allclose(found[k], expected, atol=1e-9 * np.abs(expected).max())
        np.testing.assert_array_equal(found[k : k + 1], corrections(M[k : k + 1], J[k : k + 1], error[k : k + 1]))


def test_a_step_of_refinement_repairs_factors_that_are_wrong() -> None:
    """With factors of a mass matrix that is off by 1e-4, a residual with the right one leaves 1e-8."""
    e = _Equations(10, rows=2)
    e.on[:] = True
    off = _Equations(10, rows=2)
    off.M = e.M + 1e-4 * np.diag([1.0, -1.0, 2.0, 0.5, -0.5])
    C = np.linalg.cholesky(off.M)
    L = C / np.diag(C)

    class _Sweeps:
        inverse = ca.SX(ca.DM(1.0 / np.diag(C) ** 2))

        @staticmethod
        def lower(b: Any) -> Any:
            return ca.DM(np.linalg.inv(L)) @ b

        @staticmethod
        def upper(b: Any) -> Any:
            return ca.DM(np.linalg.inv(L).T) @ b

    factors = TapeFactors(None, ca.SX(ca.DM(e.J.T)), acting([None, None]), SweptLists(_Sweeps()))  # type: ignore[arg-type]
    f, gamma = ca.SX(ca.DM(e.f)), ca.SX(ca.DM(e.gamma))
    a, multipliers = e.solved(e.gamma)
    rough, better = (factors.dynamics(f, gamma, r) for r in (None, lambda x: f - ca.DM(e.M) @ x))
    errors = [
        max(np.abs(np.array(ca.evalf(y)).ravel() - z).max() for y, z in zip(pair, (a, multipliers), strict=True))
        for pair in (rough, better)
    ]
    assert errors[0] > 1e-6 and errors[1] < 1e-2 * errors[0]


def test_costs_count_multiplications() -> None:
    """Of a full matrix and full rows: ``n^3/6`` and so on by hand; sweeps in place of triangles cost 15 a velocity."""
    n, m = 3, 2
    M, Jt = ca.SX.sym("M", n, n), ca.SX.sym("J", n, m)
    below = [2, 1, 0]
    mass = sum(b * (b + 5) // 2 for b in below)
    shared = 1 * (1 + 5) // 2
    products = n * m * (m + 1) // 2 + shared
    assert tape_cost(M, Jt) == mass + m * sum(below) + products
    assert swept_cost(Jt) == 15 * (2 * n + n * m) + products
