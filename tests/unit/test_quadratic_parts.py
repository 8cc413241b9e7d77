"""Parts of the interior point method over a horizon: products, Newton steps, sides at the start, gradients.

A wrong step of Newton's method only takes more iterations, so that solutions do not show it. Here steps obey the
linearised equations, each by itself, with random numbers in the place of an iterate.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from dalembert.compile.build import find_toolchain
from dalembert.compile.cache import build_library
from dalembert.compile.forms import read_text
from dalembert.engine.horizon.sources import horizon_text, table

pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="no C compiler")

FIELDS = (
    "BA", "c", "H", "HN", "g", "G", "x0", "off", "act", "soft", "linear", "square", "z", "lam", "t", "s", "nu", "rb",
    "rd", "dz", "dl", "dt", "ds", "dn", "adjoint",
)  # fmt: skip
SHOWN = """
EXPORT void its_residuals(struct quadratic *Q, double pairs) { residuals(Q, pairs); }
EXPORT int its_factor(struct quadratic *Q) { return factor(Q); }
EXPORT void its_step(struct quadratic *Q, double centre, int correct, int fresh) {
    aim(Q, centre, correct);
    solve(Q, fresh);
}
EXPORT double its_reach(struct quadratic *Q) { return reach(Q); }
EXPORT void its_sides(struct quadratic *Q, int warm, double mu) { centre_sides(Q, warm, mu); }
EXPORT int stationary(struct quadratic *Q) { return is_stationary(Q); }
EXPORT double its_mu(struct quadratic *Q) { return Q->mu; }
EXPORT double its_residual(struct quadratic *Q) { return Q->residual; }
EXPORT double of_three(int which, const double *x, const double *y, int n) {
    return which == 0 ? largest(x, n) : which == 1 ? sum(x, n) : dot(n, x, y); }
EXPORT void product(int rows, int columns, int n, const double *a, int row, int column, const double *B, int ldb,
                    double *C, int ldc, int add) { multiply(rows, columns, n, a, row, column, B, ldb, C, ldc, add); }
EXPORT long its_size(void) { return sizeof(struct quadratic); }
"""


class Programme:
    """A programme whose numbers are all random, and those of an iterate."""

    def __init__(
        self, seed: int, nx: int, nu: int, n: int, boxes: list[int], rows: int, *, dense: bool = True,
        soft: bool = False, free: bool = False, plain: bool = False,
    ) -> None:  # fmt: skip
        macros: dict[str, object] = {
            "NX": nx, "NU": nu, "NN": n, "NB": len(boxes), "NG": rows, "DENSE_COST": int(dense),
            "SOFT_ROWS": int(soft), "FREE_START": int(free),
        }  # fmt: skip
        macros |= {"PLAIN_HORIZON": 1} if plain else {}
        text = f"{read_text('library.h')}#include <stdint.h>\n"
        text += horizon_text(("quadratic.h",), macros, [table("box_entry", boxes, "int")])
        for name in FIELDS:
            text += f"EXPORT double *at_{name}(struct quadratic *Q) {{ return (double *)(void *)Q->{name}; }}\n"
            text += f"EXPORT long count_of_{name}(void) {{ return sizeof(((struct quadratic *)0)->{name}) / 8; }}\n"
        self.library: Any = build_library(text + SHOWN, "quadratic-parts", optimise=("-O0",))
        for name in ("its_reach", "its_mu", "its_residual", "of_three"):
            getattr(self.library, name).restype = ctypes.c_double
        self.nx, self.nu, self.n, self.boxes, self.rows = nx, nu, n, boxes, rows
        self.dense, self.is_soft, self.free = dense, soft, free
        self.nz, self.nr = nx + nu, len(boxes) + rows
        self._room = np.zeros(self.library.its_size() // 8 + 8)
        self.Q = ctypes.c_void_p((self._room.ctypes.data + 63) // 64 * 64)
        self.fill(np.random.default_rng(seed))

    def field(self, name: str) -> np.ndarray:
        of = getattr(self.library, f"at_{name}")
        of.restype = ctypes.c_void_p
        size = getattr(self.library, f"count_of_{name}")()
        return np.ctypeslib.as_array((ctypes.c_double * size).from_address(of(self.Q)))

    def matrix(self, name: str, *shape: int) -> np.ndarray:
        """A field of rows that are padded, without what is behind them."""
        wide = self.field(name).reshape(*shape[:-1], -1)
        return wide[..., : shape[-1]]

    def fill(self, rng: np.random.Generator) -> None:
        nx, nz, n, sides = self.nx, self.nz, self.n, len(self.field("lam"))
        self.BA, self.c = self.matrix("BA", n, nx, nz), self.matrix("c", n, nx)
        self.BA[:], self.c[:] = rng.normal(size=self.BA.shape), rng.normal(size=self.c.shape)
        A = rng.normal(size=(n + 1, nz, nz + 2))
        self.H = A @ A.transpose(0, 2, 1) / nz + np.eye(nz)
        if self.dense:
            self.matrix("H", n, nz, nz)[:] = self.H[:n]
        else:
            self.H[:n] = np.eye(nz) * rng.uniform(0.5, 2.0, (n, 1, nz))
            self.matrix("H", n, 1, nz)[:, 0] = np.diagonal(self.H[:n], axis1=1, axis2=2)
        self.matrix("HN", nx, nx)[:] = self.H[n, :nx, :nx]
        self.g, self.z = self.matrix("g", n + 1, nz), self.matrix("z", n + 1, nz)
        self.g[:], self.z[:] = rng.normal(size=(2, n + 1, nz))
        self.g[n, nx:] = self.z[n, nx:] = 0.0
        self.x0 = self.field("x0")[:nx]
        self.x0[:] = rng.normal(size=nx)
        if self.rows:
            self.matrix("G", n + 1, self.rows, nz)[:] = rng.normal(size=(n + 1, self.rows, nz))
            self.matrix("G", n + 1, self.rows, nz)[n, :, nx:] = 0.0
        for name in ("lam", "t", "s", "nu", "linear", "square"):
            self.field(name)[:] = rng.uniform(0.2, 3.0, sides)
        self.field("off")[:] = rng.normal(size=sides)
        self.field("act")[:] = rng.random(sides) < 0.8
        soft = self.field("soft")
        soft[:] = (rng.random(sides) < 0.6) * self.is_soft
        self.field("square")[rng.random(sides) < 0.3] = 0.0
        if self.nr:
            act = self.field("act").reshape(n + 1, 2, self.nr)
            act[n][:, [j for j, b in enumerate(self.boxes) if b >= nx]] = 0.0  # there is no input at the end
        self.values = self.side_rows()

    def side_rows(self) -> np.ndarray:
        """All sides as rows of all z."""
        n, nz, every = self.n, self.nz, []
        for k in range(n + 1):
            own = [np.eye(nz)[b] for b in self.boxes]
            own += list(self.matrix("G", n + 1, self.rows, nz)[k]) if self.rows else []
            for sign in (1.0, -1.0):
                for row in own:
                    whole = np.zeros((n + 1, nz))
                    whole[k] = sign * row
                    every.append(whole.ravel())
        return np.array(every).reshape(-1, (n + 1) * nz)

    def gradient(self, z: np.ndarray, force: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives by the inputs (and a free start), and the adjoint states, with the forces of all sides."""
        g = np.einsum("kij,kj->ki", self.H, z) + self.g
        g[self.n, self.nx :] = 0.0
        if self.nr:
            g -= (self.values.T @ (force * self.field("act"))).reshape(g.shape)
        p, left = np.zeros((self.n + 1, self.nx)), []
        for k in range(self.n, -1, -1):
            if k < self.n:
                g[k] += self.BA[k].T @ p[k + 1]
                left.append(g[k, self.nx :])
            p[k] = g[k, : self.nx]
        return np.concatenate([*left, p[0] * self.free]), p


KINDS: dict[str, dict[str, Any]] = {
    "soft": {"nx": 5, "nu": 2, "n": 4, "boxes": [5, 6, 0, 3], "rows": 9, "soft": True},
    "diagonal": {"nx": 3, "nu": 3, "n": 3, "boxes": [4, 1], "rows": 2, "dense": False},
    "free": {"nx": 10, "nu": 1, "n": 2, "boxes": [10], "rows": 0, "free": True},
    "none": {"nx": 9, "nu": 4, "n": 2, "boxes": [], "rows": 0},
    "plain": {"nx": 6, "nu": 3, "n": 3, "boxes": [0, 8], "rows": 3, "plain": True, "soft": True, "free": True},
}


@pytest.mark.parametrize("kind", KINDS)
def test_steps_obey_the_linearised_equations(kind: str) -> None:
    """Dynamics, rows, complementarity of sides and slacks, and gradients: all at once, for any aim."""
    for seed in range(3):
        q = Programme(seed, **KINDS[kind])
        rng, lib, Q, f = np.random.default_rng(seed), q.library, q.Q, q.field
        act, soft, lam, t, s, nu = (f(name).copy() for name in ("act", "soft", "lam", "t", "s", "nu"))
        lib.its_residuals(Q, ctypes.c_double(7.0))
        rb = q.c - q.z[1:, : q.nx] + np.einsum("kij,kj->ki", q.BA, q.z[:-1])
        rd = q.values @ q.z.ravel() + f("off") + soft * s - t if q.nr else np.zeros(1)
        np.testing.assert_allclose(q.matrix("rb", q.n, q.nx), rb, atol=1e-12)
        worst = max(np.abs(rb).max(), np.abs(rd * act).max() if q.nr else 0.0)
        assert lib.its_residual(Q) == pytest.approx(worst, rel=1e-12)
        pairs = (act * (lam * t + soft * s * nu)).sum() / 7.0 if q.nr else 0.0
        assert lib.its_mu(Q) == pytest.approx(pairs, rel=1e-12)
        assert lib.its_factor(Q) == 0
        for correct, fresh in ((0, 1), (1, 0)):
            centre, old = rng.uniform(0.1, 0.5), {name: f(name).copy() for name in ("dl", "dt", "ds", "dn")}
            lib.its_step(Q, ctypes.c_double(centre), correct, fresh)
            step = lib.its_reach(Q)
            dz, dl, dt, ds, dn = (f(name).copy() for name in ("dz", "dl", "dt", "ds", "dn"))
            dz = dz.reshape(q.n + 1, -1)[:, : q.nz]
            moved = np.einsum("kij,kj->ki", q.BA, dz[:-1]) + rb
            np.testing.assert_allclose(dz[1:, : q.nx], moved, atol=1e-9)
            if not q.free:
                np.testing.assert_allclose(dz[0, : q.nx], q.x0 - q.z[0, : q.nx], atol=1e-12)
            left, _ = q.gradient(q.z + dz, lam + dl)
            np.testing.assert_allclose(left, 0.0, atol=1e-8 * (1.0 + np.abs(dz).max()))
            if not q.nr:
                assert step == 1e9
                continue
            on, slack = act > 0.0, (act * soft) > 0.0
            rows = q.values @ dz.ravel() + soft * ds - dt + rd
            np.testing.assert_allclose(rows[on], 0.0, atol=1e-8)
            second = correct * old["dl"] * old["dt"]
            np.testing.assert_allclose((t * dl + lam * dt - centre + lam * t + second)[on], 0.0, atol=1e-8)
            second = correct * old["ds"] * old["dn"]
            np.testing.assert_allclose((s * dn + nu * ds - centre + nu * s + second)[slack], 0.0, atol=1e-8)
            price = f("linear") + f("square") * (s + ds) - lam - dl - nu - dn
            np.testing.assert_allclose(price[slack], 0.0, atol=1e-8)
            most = max((-dl / lam)[on].max(), (-dt / t)[on].max())
            if slack.any():
                most = max(most, (-ds / s)[slack].max(), (-dn / nu)[slack].max())
            assert step == pytest.approx(1.0 / most if most > 1e-9 else 1e9)


def test_a_matrix_that_is_not_positive_has_no_factor() -> None:
    for kind, row in (("diagonal", 4), ("none", 10), ("free", 10), ("free", 0)):
        q = Programme(3, **KINDS[kind])
        q.library.its_residuals(q.Q, ctypes.c_double(1.0))
        assert q.library.its_factor(q.Q) == 0
        q.field("act")[:] = 0.0
        if q.dense:
            q.matrix("H", q.n, q.nz, q.nz)[0, row, row] = -1e6
        else:
            q.matrix("H", q.n, 1, q.nz)[0, 0, row] = -1e6
        q.library.its_residuals(q.Q, ctypes.c_double(1.0))
        assert q.library.its_factor(q.Q) == 1


@pytest.mark.parametrize("kind", ["soft", "diagonal"])
@pytest.mark.parametrize("warm", [0, 1])
def test_sides_at_the_start(kind: str, warm: int) -> None:
    """Every pair has the same complementarity; those of a warm start keep their multipliers where they can."""
    q, mu = Programme(5, **KINDS[kind]), 0.3
    f = q.field
    act, soft, lam, linear, square = (f(name).copy() for name in ("act", "soft", "lam", "linear", "square"))
    f("off")[:] = np.abs(f("off"))
    lam[::3] *= 30.0
    f("lam")[:] = lam
    v, off = q.values @ q.z.ravel() + f("off"), f("off").reshape(q.n + 1, 2, q.nr)
    both = act.reshape(q.n + 1, 2, q.nr)[:, ::-1].ravel()
    room = 0.1 * np.where(both > 0.0, np.repeat(off.sum(axis=1)[:, None], 2, axis=1).ravel(), 1.0)
    q.library.its_sides(q.Q, warm, ctypes.c_double(mu))
    capped = np.where((soft > 0.0) & (square == 0.0), np.minimum(lam, 0.99 * linear), lam)
    t = np.maximum(v, np.minimum(room, mu / capped) if warm else room)
    made = mu / t
    hard = (act > 0.0) & (soft == 0.0)
    np.testing.assert_allclose(f("t")[act > 0.0], t[act > 0.0])
    np.testing.assert_allclose(f("lam")[hard], made[hard])
    for name in ("s", "nu"):
        assert (f(name)[hard] == 1.0).all()
    for name in ("t", "lam", "s", "nu"):
        assert (f(name)[act == 0.0] == 1.0).all()
    on = (act * soft) > 0.0
    if not on.any():
        return
    now, s, nu = f("lam")[on], f("s")[on], f("nu")[on]
    linear_only = square[on] == 0.0
    np.testing.assert_allclose(now, np.where(linear_only, np.minimum(made[on], 0.99 * linear[on]), made[on]))
    np.testing.assert_allclose(s * nu, mu)
    np.testing.assert_allclose(linear[on] + square[on] * s - now - nu, 0.0, atol=1e-9)  # the price of the slack


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_by_adjoint_states(kind: str) -> None:
    """They vanish at a Newton step without any sides; adjoint states are those of the forces."""
    q = Programme(6, **KINDS[kind])
    assert q.library.stationary(q.Q) == 0
    _, p = q.gradient(q.z, q.field("lam"))
    np.testing.assert_allclose(q.matrix("adjoint", q.n + 1, q.nx), p, atol=1e-10)
    q.field("act")[:] = 0.0
    q.library.its_residuals(q.Q, ctypes.c_double(1.0))
    assert q.library.its_factor(q.Q) == 0
    q.library.its_step(q.Q, ctypes.c_double(0.1), 0, 1)
    q.z += q.matrix("dz", q.n + 1, q.nz)
    assert q.library.stationary(q.Q) == 1
    size = max(np.abs(p_).max() for p_ in (q.gradient(q.z, q.field("lam"))[1], np.einsum("kij,kj->ki", q.H, q.z) + q.g))
    for at in (q.z[0, q.nx :], q.z[q.n - 1, -1:], *([q.z[0, :1]] if q.free else [])):
        kept = at.copy()
        at += 1e-2 * size
        assert q.library.stationary(q.Q) == 0
        at[:] = kept
    assert q.library.stationary(q.Q) == 1


def test_products_of_blocks_of_all_sizes() -> None:
    """Sums of outer products, with rows and columns of the first factor in any order; numbers behind them stay."""
    rng = np.random.default_rng(8)
    for plain in (False, True):
        q = Programme(0, 2, 1, 1, [], 0, plain=plain)
        product = q.library.product
        for rows in (1, 3, 4, 6, 9):
            for columns in (8, 16, 24, 32, 40, 56, 72):
                n, wide, turned, add = int(rng.integers(1, 7)), columns + 8, bool(rng.integers(2)), int(rng.integers(2))
                a, B, C = rng.normal(size=(rows, n)), rng.normal(size=(n, wide)), rng.normal(size=(rows + 1, wide))
                expected = C.copy()
                expected[:rows, :columns] = add * C[:rows, :columns] + a @ B[:, :columns]
                given = np.ascontiguousarray(a.T if turned else a)
                row, column = (1, rows) if turned else (n, 1)
                pointers = [ctypes.c_void_p(x.ctypes.data) for x in (given, B, C)]
                product(rows, columns, n, pointers[0], row, column, pointers[1], wide, pointers[2], wide, add)
                np.testing.assert_allclose(C, expected, atol=1e-13)
    for n in range(12):
        x, y = rng.normal(size=(2, n + 3))
        made = [q.library.of_three(w, *(ctypes.c_void_p(v.ctypes.data) for v in (x, y)), n) for w in range(3)]
        assert made == pytest.approx([max(x[:n].max(initial=0.0), 0.0), x[:n].sum(), x[:n] @ y[:n]], abs=1e-14)
