"""Whole steps of time-stepping of linear machines, whose tapes are in Python: balances, laws and gaps in numpy.

With constant matrices every number of a step follows from the impulses that it records: velocities, positions, gaps,
works and losses. The impulses have to obey their laws with the velocities at the end.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from dalembert.compile.build import find_toolchain
from dalembert.engine.problem.stepping import BlockLaw, SteppingSystem
from dalembert.engine.stepping.native import NativeStepping
from support.engine_units import Code, arguments, unit_with

pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="no C compiler")

UNILATERAL, COULOMB, STICTION, ROPE, RESISTED = BlockLaw
SIZE = {UNILATERAL: 1, COULOMB: 3, STICTION: 1, ROPE: 3, RESISTED: 6}
MARGIN, THETA, H = 1e-6, 0.5, 0.02
SHOWN = """
__attribute__((visibility("default"))) int64_t go(void *C, double t, double h, const double *x, const double *c,
                                                  const double *p, double *out) {
    return moreau_step(C, t, h, x, c, p, out);
}
__attribute__((visibility("default"))) int64_t again(void *C, int64_t n_steps, const double *t, const double *h,
    const double *x, const double *c, int64_t n_c, const double *p, double *after, double *account) {
    return moreau_retrace(C, n_steps, t, h, x, c, n_c, p, after, account);
}
"""


@pytest.fixture(scope="module")
def engine() -> Any:
    return unit_with(SHOWN, "stepping", "step-parts", integers=("go", "again"))


class Machine:
    """Bodies of some velocities each; M v' = f - K q - b(v) + J^T x; rows of blocks at one body or two."""

    def __init__(
        self, rng: np.random.Generator, bodies: int, size: int, blocks: Sequence[tuple[BlockLaw, tuple[int, ...]]], *,
        held: int = 0, apart: bool = False, bends: str = "", bias: float = 0.3, features: float = np.inf,
        direct: int = 96, many: bool = False,
    ) -> None:  # fmt: skip
        nv = self.nv = bodies * size
        self.rng, self.laws = rng, [law for law, _ in blocks]
        self.M = np.zeros((nv, nv))
        for b in range(bodies):
            A, own = rng.normal(size=(size, size + 3)), slice(b * size, (b + 1) * size)
            self.M[own, own] = A @ A.T / size + 0.5 * np.eye(size)
        V = np.linalg.cholesky(self.M[::-1, ::-1])[::-1, ::-1]  # M = V V^T, V = L^T D^1/2
        self.d = 1.0 / np.diag(V)
        self.L = (V * self.d).T
        self.factor = tuple(tuple(range(k // size * size, k)) for k in range(nv))
        self.back = self.d[:, None] * np.linalg.inv(self.L.T)  # s = D^-1/2 L^-T r
        self.supports = tuple(tuple(k for b in sorted(at) for k in range(b * size, (b + 1) * size)) for _, at in blocks)
        self.sizes = [SIZE[law] for law in self.laws]
        self.first = np.cumsum([0, *self.sizes])
        rows = self.rows = int(self.first[-1])
        self.J = np.zeros((rows, nv))
        for k, support in enumerate(self.supports):
            self.J[self.first[k] : self.first[k + 1], support] = rng.normal(size=(self.sizes[k], len(support)))
        if held:  # the blocks of a machine with rows that always hold act on all velocities
            self.supports = (tuple(range(nv)),) * len(blocks)
        self.f, self.K, self.B = rng.normal(size=nv), 0.5 * np.eye(nv), bias * rng.normal(size=(nv, nv))
        self.g0, self.e = rng.normal(size=len(blocks)), np.zeros(len(blocks))
        kinds = zip(self.laws, self.sizes, strict=True)
        self.mu = [rng.uniform(0.2, 0.6, law.given(n)) + (law is ROPE) for law, n in kinds]
        self.Jb, self.phi0, self.s = rng.normal(size=(held, nv)), rng.normal(size=held), 0.3 * rng.normal(size=held)
        self.bent = 0.05 * rng.normal(size=rows) if bends else np.zeros(0)
        self.first_bent = rows if bends == "contacts" else 0  # cables turn always, contacts if they pushed
        force = 2 * nv + 1
        loss = force + rows
        at = loss + 2 * len(blocks)
        self.n = at + held + 6
        way = SimpleNamespace(tolerance=1e-12, margin=MARGIN, max_sweeps=20000)
        system: Any = SimpleNamespace(
            way=way, theta=THETA, nq=nv, nv=nv, nz=1, pairs=None, n_parameters=int(many), factor=self.factor,
            supports=self.supports, laws=tuple(self.laws), sizes=np.array(self.sizes), n_held=held,
            first_bent=self.first_bent, n_bent=len(self.bent),
            features=np.full(len(blocks), features), names=tuple(map(str, range(len(blocks)))),
            forces=tuple(int(force + f) for f in self.first[:-1]), losses=tuple(range(loss, loss + 2 * len(blocks), 2)),
            loads=((-1, 0),) * len(blocks), tugs=((),) * len(blocks), multipliers=at, residual=at + held,
            sweeps=at + held + 1, undetermined=at + held + 2, lowered=at + held + 3, work_input=at + held + 4,
            work_loss=at + held + 5, colliders=None,
        )  # fmt: skip
        system.tables = SteppingSystem.tables.fget(system)  # type: ignore[attr-defined]
        self.called = list[int]()  # blocks whose rows were computed one by one
        self.system, self.seen, self.probed = system, list[np.ndarray](), list[tuple[float, np.ndarray]]()
        kernels = {
            "terms": Code(self.terms, (1, self.n, 0, 0, 1)), "bias": Code(self.biases, (1, self.n)),
            "gaps": Code(self.gaps, (1, self.n)),
            "move": Code(lambda x, d: (x[:nv] + d, x[nv : 2 * nv]), (self.n, nv)),
            "finish": Code(lambda t, x, c, p, h, dv: ([2.5], [0.125, h[0] * (dv @ dv)]), (1, self.n, 0, 0, 1, nv)),
            "lift": Code(lambda t, x, d: ([self.f @ d],), (1, self.n, nv)),
            "held": Code(lambda t, x: self.holds(t[0], x), (1, self.n)),
        }  # fmt: skip
        self.p, self.many, counts = np.ones(1), many, (1, self.n, 1, sum(map(len, self.factor)), nv)
        if many:  # blocks have rows of their own, of what they gather: here all of t, x, p, L and d
            self.p, every = rng.uniform(0.5, 2.0, 1), sum(counts)
            system.pairs = tuple(SimpleNamespace(key=f"rows {k}", gather=range(every)) for k in range(len(blocks)))
            for k, pair in enumerate(system.pairs):
                kernels[pair.key] = Code(
                    lambda given, k=k: self.own_rows(k, np.split(given, np.cumsum(counts)[:-1])), (every,)
                )
        self.stepping = NativeStepping(system, self.n, kernels, direct=direct)
        self.C = self.stepping.memory.struct
        self.C.apart = apart

    @property
    def along(self) -> np.ndarray:
        """Rows along which gaps close: of a rope the sum of those of its spans."""
        rows = zip(self.laws, self.first, self.sizes, strict=False)
        return np.array([self.J[f : f + n].sum(axis=0) if law is ROPE else self.J[f] for law, f, n in rows])

    def gap(self, q: np.ndarray) -> np.ndarray:
        joints = np.array([law is STICTION for law in self.laws])  # they always touch
        return np.where(joints, 0.0, self.g0 + self.along @ q)

    def gaps(self, t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
        self.probed.append((t[0], x.copy()))
        return (self.gap(x[: self.nv]),)

    def holds(self, t: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.phi0 + self.s * t + self.Jb @ x[: self.nv], self.s + self.Jb @ x[self.nv : 2 * self.nv]

    def bias(self, v: np.ndarray) -> np.ndarray:
        return v * (self.B @ v)

    def lasts(self, x: np.ndarray, gaps: np.ndarray, before: np.ndarray, gained: np.ndarray) -> np.ndarray:
        """Blocks that pushed, and contacts that touch and move no faster than free motion makes them."""
        lasts = x[list(self.system.forces)] > 0.0
        if len(self.bent):
            contacts = self.first[:-1] < self.first_bent
            lasts |= contacts & (gaps <= MARGIN) & (np.abs(before - self.bent[self.first[:-1]]) <= np.abs(gained))
        return np.asarray(lasts)

    def turns(self, u: np.ndarray, lasts: np.ndarray) -> np.ndarray:
        """How rows turn: of cables always, normals of contacts that last, their tangents if these stick too.

        At the start of a step rows of one that sticks move by their turn, or by two of them after a step without it.
        """
        turn = np.zeros(self.rows)
        for k, (law, f, n) in enumerate(zip(self.laws, self.first, self.sizes, strict=False)):
            if not len(self.bent):
                break
            if f >= self.first_bent or lasts[k]:
                turn[f] = self.bent[f]
            own, slip = self.bent[f + 1 : f + n], u[f + 1 : f + n]
            if law is COULOMB and lasts[k] and (slip - 1.5 * own) @ (slip - 1.5 * own) <= (0.36 * own @ own):
                turn[f + 1 : f + n] = own
        return turn

    def unturned(self, turn: np.ndarray, begins: np.ndarray) -> np.ndarray:
        """Without the turn of contacts on velocities that contacts which begin act on."""
        changed = {j for k in np.flatnonzero(begins) for j in self.supports[k]}
        turn = turn.copy()
        for k, support in enumerate(self.supports):
            if self.first[k] < self.first_bent and changed & set(support):
                turn[self.first[k] : self.first[k + 1]] = 0.0
        return turn

    def biases(self, t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
        self.seen.append(x[self.nv : 2 * self.nv].copy())
        return (self.bias(self.seen[-1]),)

    def push(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self.f - self.K @ q - self.bias(v)

    def terms(self, t: np.ndarray, x: np.ndarray, _c: Any, _p: Any, h: np.ndarray) -> tuple[Any, ...]:
        q, v = x[: self.nv], x[self.nv : 2 * self.nv]
        L = [self.L[k, j] for k, row in enumerate(self.factor) for j in row]
        u, Y = self.J @ v, self.J @ self.back.T
        own = [Y[self.first[k] : self.first[k + 1], s].ravel() for k, s in enumerate(self.supports)]
        pace = np.sqrt(np.add.reduceat(u**2, self.first[:-1])) if self.many else None
        return (
            L, self.d, self.back @ (h[0] * self.push(q, v)), self.gap(q), self.e, np.concatenate(self.mu), self.bias(v),
            self.Jb @ self.back.T, self.s + self.Jb @ v, self.s, self.bent,
            *((np.concatenate(own), u) if pace is None else (pace,)),
        )  # fmt: skip

    def own_rows(self, k: int, given: list[np.ndarray]) -> tuple[np.ndarray, ...]:
        """Of a block; they grow with the parameter. And how fast they turn."""
        self.called.append(k)
        _, x, p, L, d = given
        A, at = np.eye(self.nv), slice(self.first[k], self.first[k + 1])
        for i, row in enumerate(self.factor):
            A[i, list(row)], L = L[: len(row)], L[len(row) :]
        J = self.J[at] * (p[0] / self.p[0])
        Y = J @ np.linalg.inv(A) * d
        return Y[:, self.supports[k]], J @ x[self.nv : 2 * self.nv], self.bent[at] / ((1.0 - THETA) * H)

    def state(self) -> np.ndarray:
        x = np.zeros(self.n)
        x[: 2 * self.nv] = self.rng.normal(size=2 * self.nv)
        return x

    def step(self, engine: Any, t: float, h: float, x: np.ndarray) -> np.ndarray:
        out, none = np.full(self.n, np.nan), np.zeros(1)
        arrays = (x, none, self.p, out)
        self.seen.clear()
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in arrays]
        assert engine.go(ctypes.c_void_p(self.stepping.address), ctypes.c_double(t), ctypes.c_double(h), *pointers) == 0
        return out


def faults(m: Machine, x: np.ndarray, u: np.ndarray, acts: np.ndarray, h: float) -> float:
    """By how much impulses and velocities (with rebounds) of blocks that act break their laws."""
    worst = 0.0
    for k, law in enumerate(m.laws):
        at = slice(m.first[k], m.first[k + 1])
        p, w = x[at], u[at]
        if not acts[k]:
            worst = max(worst, np.abs(p).max())
        elif law is STICTION:
            static, kinetic = m.mu[k][0] * h, m.mu[k][1] * h
            slips = abs(w[0]) > 1e-8
            off = abs(p[0] + np.sign(w[0]) * (kinetic if kinetic < static else static)) if slips else abs(p[0]) - static
            worst = max(worst, off)
        else:
            worst = max(worst, -p[0], -w[0], abs(p[0] * w[0]))
            if law is COULOMB:
                limit, speed = m.mu[k][0] * p[0], np.linalg.norm(w[1:])
                slide = np.abs(p[1:] + limit * w[1:] / speed).max() if speed > 1e-8 else 0.0
                worst = max(worst, np.linalg.norm(p[1:]) - limit, slide)
    return float(worst)


def check_step(m: Machine, t: float, h: float, x: np.ndarray, y: np.ndarray, *, laws_alone: bool = False) -> set[str]:
    """Balance of momentum, laws, gaps, positions, works: what a step did."""
    nv, s, did = m.nv, m.system, set[str]()
    q, v, w = x[:nv], x[nv : 2 * nv], y[nv : 2 * nv]
    middle = q + (1.0 - THETA) * h * v
    impulse = h * y[s.forces[0] : s.forces[0] + m.rows] if m.rows else np.zeros(0)
    held = -h * y[s.multipliers : s.multipliers + s.n_held]
    f = h * m.push(middle, v)
    if m.seen:  # once more with the mean of the bias at old and new velocities
        f = f + 0.5 * h * (m.bias(v) - m.bias(m.seen[-1]))
    np.testing.assert_allclose(m.M @ (w - v), f + m.J.T @ impulse + m.Jb.T @ held, atol=1e-8)
    np.testing.assert_allclose(m.Jb @ w + m.s, 0.0, atol=1e-8)
    normals, gap = m.first[:-1], m.gap(middle)
    free = v + np.linalg.solve(m.M, h * m.push(middle, v))
    if s.n_held:
        back = np.linalg.solve(m.M, m.Jb.T) @ np.linalg.inv(m.Jb @ np.linalg.solve(m.M, m.Jb.T))
        free = free - back @ (m.Jb @ free + m.s)
    gained = (m.J @ (free - v))[normals]
    lasts = m.lasts(x, gap, (m.J @ v)[normals], gained)
    turn = m.turns(m.J @ v, lasts)
    closes = gap + THETA * h * (m.J @ free + 0.5 * turn)[normals] <= 0.0
    joints = np.array([law is STICTION for law in m.laws])
    acts = joints | (gap <= MARGIN) | closes
    falls = (m.J @ v - turn)[normals]
    bounces = acts & (falls < 0.0) & (m.e > 0.0) & (-falls > 2.0 * np.abs(gained)) & ~joints
    turn = m.unturned(turn, acts & ~joints & ~lasts)
    before, after, bounce = m.J @ v - turn, m.J @ w + turn, np.zeros(m.rows)
    bounce[normals] = np.where(bounces, m.e * before[normals], 0.0)
    if y[s.lowered] == 0.0:
        assert faults(m, impulse, after + bounce, acts, h) < 1e-7
    if laws_alone:
        return did
    # positions: on with the new velocities, and a displacement that leaves no penetration, and none open that pushes
    rest = y[:nv] - (middle + THETA * h * w)
    end = m.gap(y[:nv]) + 0.5 * THETA * h * turn[normals]  # rows that turn
    pushes = acts & (impulse[normals] > 0.0) & ~joints & ~bounces
    assert (end[acts & ~joints & ~bounces] > -2.0 * MARGIN).all()
    assert np.abs(end[pushes]).max(initial=0.0) < 2.0 * MARGIN
    rows = np.concatenate([m.J[normals[acts & ~joints]], m.Jb])
    if len(rows):
        force = lsq_linear(rows.T, m.M @ rest, (np.concatenate([np.where(pushes, -np.inf, -1e-9)[acts & ~joints],
            np.full(s.n_held, -np.inf)]), np.inf))  # fmt: skip
        assert np.abs(rows.T @ force.x - m.M @ rest).max() < 1e-6
    else:
        assert np.abs(rest).max() < 1e-12
    if s.n_held:
        np.testing.assert_allclose(m.holds(t + h, y)[0], 0.0, atol=1e-8)
    # works: half of both velocities times impulses, of each block and of all
    lost = 0.5 * impulse * (before + after)
    own = np.add.reduceat(lost, normals) if m.rows else np.zeros(0)
    np.testing.assert_allclose(y[list(s.losses)], x[list(s.losses)] - own, atol=1e-9)
    dv = w - v
    lifted = m.f @ rest
    expected = own.sum() + h * (dv @ dv) + 0.5 * held @ (m.Jb @ v + m.s) + lifted
    assert y[s.work_loss] - x[s.work_loss] == pytest.approx(expected, abs=float(1e-7 + 1e-3 * abs(lifted)))
    assert y[s.work_input] - x[s.work_input] == pytest.approx(0.125 - held @ m.s, abs=1e-9)
    assert y[2 * nv] == x[2 * nv] + 2.5 * h
    assert y[s.residual] < 1e-8
    did |= {"bounces"} if bounces.any() else set()
    did |= {"lowered"} if y[s.lowered] else set()
    did |= {"moved"} if np.abs(rest).max() > 1e-3 else set()
    did |= {"open"} if (~acts).any() else set()
    did |= (
        {"turns"}
        if len(m.bent) and any(turn[f + 1] for f, n in zip(m.first, m.sizes, strict=False) if n == 3)
        else set()
    )
    did |= {"parts"} if (acts & ~joints & (impulse[normals] == 0.0)).any() else set()
    did |= {"slips"} if any(law is COULOMB and acts[k] and np.linalg.norm(after[m.first[k] + 1 : m.first[k] + 3]) > 1e-6
        for k, law in enumerate(m.laws)) else set()  # fmt: skip
    return did


LAYOUTS: dict[str, dict[str, Any]] = {
    "contacts": {"blocks": [(COULOMB, (0,)), (COULOMB, (0, 1)), (UNILATERAL, (1,)), (STICTION, (2,)), (COULOMB, (2,))]},
    "held": {"blocks": [(COULOMB, (0,)), (UNILATERAL, (1, 2)), (STICTION, (2,))], "held": 3},
    "islands": {"blocks": [(COULOMB, (2,)), (UNILATERAL, (0,)), (COULOMB, (1,)), (STICTION, (1,))], "apart": True},
    "cables": {"blocks": [(UNILATERAL, (0,)), (UNILATERAL, (0, 1)), (UNILATERAL, (2,))], "bends": "always"},
    "turning": {
        "blocks": [(COULOMB, (0,)), (UNILATERAL, (1,)), (COULOMB, (0, 1)), (COULOMB, (2,))],
        "bends": "contacts",
    },
    "turning, held": {
        "blocks": [(COULOMB, (0,)), (UNILATERAL, (1, 2)), (COULOMB, (2,))],
        "bends": "contacts",
        "held": 3,
    },
    "one by one": {
        "blocks": [(COULOMB, (0,)), (UNILATERAL, (1,)), (COULOMB, (0, 1)), (COULOMB, (2,))],
        "bends": "contacts",
        "many": True,
    },
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_steps_of_linear_machines(engine: Any, layout: str) -> None:
    rng, did = np.random.default_rng(1), set[str]()
    for trial in range(12):
        m = Machine(rng, 3, 5, **LAYOUTS[layout])
        x, h = m.state(), H
        middle = x[: m.nv] + 0.5 * h * x[m.nv : 2 * m.nv]
        wanted = rng.choice([-0.02, 0.0, 0.004, 0.5], len(m.laws))
        m.g0 += wanted - m.gap(middle)
        if trial % 3 == 0 and layout != "cables":
            m.e[:] = 0.4
        if trial % 2:  # an approach
            for k in range(len(m.laws)):
                x[m.nv : 2 * m.nv] -= 0.3 * np.linalg.pinv(m.J[[m.first[k]]])[:, 0]
        if len(m.s):  # what always holds does so at the start
            x[m.nv : 2 * m.nv] -= np.linalg.pinv(m.Jb) @ (m.Jb @ x[m.nv : 2 * m.nv] + m.s)
            m.phi0 = -m.Jb @ x[: m.nv] - m.s * 0.3
            off = x + 0.2 * np.sin(np.arange(m.n)) * (np.arange(m.n) // m.nv == 1)  # or not: an impact makes it so
            check_step(m, 0.3, h, off, m.step(engine, 0.3, h, off), laws_alone=True)
        if m.first_bent and trial % 2 == 0:  # the first contact, which has pushed, sticks
            m.bent[:3] = (m.J @ x[m.nv : 2 * m.nv])[:3] / 1.3
            x[m.system.forces[0]] = 2.0
        for t in (0.3, 0.3 + h):
            y = m.step(engine, t, h, x)
            did |= check_step(m, t, h, x, y)
            x = y
    assert did >= {"open", "moved", "parts"} and ("slips" in did or layout == "cables")
    assert "turns" in did or "turning" not in layout
    assert "bounces" in did or layout in ("cables", "held", "turning, held")


def test_nothing_happens_in_no_time(engine: Any) -> None:
    m = Machine(np.random.default_rng(2), 1, 4, [(UNILATERAL, (0,))])
    x = m.state()
    np.testing.assert_array_equal(m.step(engine, 0.0, 0.0, x), x)


def test_a_bullet_hits_where_it_would_pass(engine: Any) -> None:
    """A pair with a size is swept: the step is cut where the gap closes, and the impact is solved there."""
    rng = np.random.default_rng(3)
    for e in (0.0, 0.5, 1.0):
        m = Machine(rng, 1, 2, [(UNILATERAL, (0,))], bias=0.0, features=0.01)
        m.J[0], m.f[:], m.K[:], m.e[0] = [1.0, 0.0], 0.0, 0.0, e
        m.M[:] = np.diag([2.0, 1.0])
        m.d, m.L = 1.0 / np.sqrt([2.0, 1.0]), np.eye(2)
        m.back = np.diag(m.d)
        x = np.zeros(m.n)
        x[2:4] = -8.0, 3.0
        m.g0[0], h = 0.3, 0.1
        y = m.step(engine, 0.0, h, x)
        assert m.C.parts == 2
        rest = h - 0.3 / 8.0
        np.testing.assert_allclose(y[:2], [-0.3 + 8.0 * e * rest, 0.3], atol=2.0 * MARGIN)
        np.testing.assert_allclose(y[2:4], [8.0 * e, 3.0], atol=1e-9)
        assert h * y[m.system.forces[0]] == pytest.approx(2.0 * 8.0 * (1.0 + e), rel=1e-9)
        assert y[m.system.work_loss] == pytest.approx(-0.5 * 2.0 * 64.0 * (1.0 - e * e), rel=1e-9, abs=1e-9)
        m.g0[0] = 0.9  # it does not get there
        y = m.step(engine, 0.0, h, x)
        assert m.C.parts == 1 and y[0] == pytest.approx(-0.8) and y[m.system.forces[0]] == 0.0


def bullets(rng: np.random.Generator, n: int, speed: np.ndarray, e: np.ndarray) -> tuple[Machine, np.ndarray]:
    """Points that fly along an axis each towards a wall at its start, alone in the world, and their state."""
    m = Machine(rng, n, 1, [(UNILATERAL, (k,)) for k in range(n)], bias=0.0, features=0.01)
    m.J[:], m.f[:], m.K[:], m.e[:] = np.eye(n), 0.0, 0.0, e
    m.M = np.diag(rng.uniform(1.0, 3.0, n))
    m.d, m.L = 1.0 / np.sqrt(np.diag(m.M)), np.eye(n)
    m.back = np.diag(m.d)
    x = np.zeros(m.n)
    x[n : 2 * n], x[2 * n :] = -speed, rng.normal(size=m.n - 2 * n)
    x[list(m.system.forces)] = 0.0
    x[m.system.residual : m.system.residual + 4] = 0.0  # an account of the step itself
    return m, x


def test_bullets_hit_one_after_the_other(engine: Any) -> None:
    """Each at its own time, with its own rebound; those that do not get there fly on, whether they are fast or not."""
    rng, t, h, parts = np.random.default_rng(10), 3.1, 0.1, set[int]()
    for _ in range(12):
        n = 4
        speed, e = rng.uniform(4.0, 9.0, n), rng.uniform(0.2, 0.8, n)
        speed[3], e[3] = 0.05, 0.0  # is not fast: steps are not cut for it
        m, x = bullets(rng, n, speed, e)
        hits = rng.uniform(0.1, 1.6, n) * h
        hits[1], hits[3] = 2.0 * h, rng.choice([0.4, 70.0]) * h
        m.g0[:] = speed * hits
        m.probed.clear()
        y = m.step(engine, t, h, x)
        hit = hits < h
        fast = hit & (speed > 1.0)
        end = np.where(hit, speed * (-hits + e * (h - hits)), -speed * h)
        np.testing.assert_allclose(y[:n], end, atol=1e-5)
        np.testing.assert_allclose(y[n : 2 * n], np.where(hit, e, -1.0) * speed, atol=1e-9)
        force = y[list(m.system.forces)]
        np.testing.assert_allclose(h * force, np.where(hit, np.diag(m.M) * speed * (1.0 + e), 0.0), atol=1e-8)
        assert m.C.parts == 1 + fast.sum()
        parts.add(m.C.parts)
        # gaps are looked for where the motion goes on as it is, with all other states
        until = min([h, *hits[fast]])
        assert all(t <= at <= t + h + 1e-12 for at, _ in m.probed)
        early = [(at, state) for at, state in m.probed if at < t + until - 1e-6]
        for at, state in early:
            np.testing.assert_allclose(state[:n], x[:n] - (at - t) * speed, atol=1e-12)
            np.testing.assert_array_equal(state[n:], x[n:])
        assert early
    assert parts >= {2, 3}


def test_bullets_that_pass_a_ball_or_hit_it(engine: Any) -> None:
    """Its surface falls back again: steps towards it are no longer than the gap that is left."""
    rng, h, e = np.random.default_rng(11), 0.1, 0.5
    for trial in range(40):
        m = Machine(rng, 1, 3, [(COULOMB, (0,))], bias=0.0, features=0.01)
        m.M, m.d, m.L, m.back = np.eye(3), np.ones(3), np.eye(3), np.eye(3)
        m.f[:], m.K[:], m.e[:], m.mu[0][:] = 0.0, 0.0, e, 0.0
        along, side, _ = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        r, v, start = rng.uniform(0.02, 0.05), rng.uniform(5.0, 9.0), rng.uniform(0.1, 0.4)
        off = r * (rng.uniform(0.0, 0.9) if trial % 2 else rng.uniform(1.1, 4.0))
        centre, x = rng.normal(size=3), np.zeros(m.n)
        x[:3], x[3:6] = centre - start * along + off * side, v * along
        way = start - np.sqrt(max(r * r - off * off, 0.0))
        normal = (way - start) * along + off * side
        normal /= np.linalg.norm(normal)
        m.J[:] = normal, *np.linalg.svd(normal[None])[2][1:]
        setattr(m, "gap", lambda q, c=centre, r=r: np.array([np.linalg.norm(q - c) - r]))  # noqa: B010
        y = m.step(engine, 0.0, h, x)
        assert m.C.parts == 1 + trial % 2
        if trial % 2 == 0:
            np.testing.assert_allclose(y[:6], [*(x[:3] + h * x[3:6]), *x[3:6]], atol=1e-12)
            continue
        after = x[3:6] - (1.0 + e) * (x[3:6] @ normal) * normal
        np.testing.assert_allclose(y[3:6], after, atol=1e-9)
        np.testing.assert_allclose(y[:3], x[:3] + way * along + (h - way / v) * after, atol=20.0 * MARGIN)


def test_a_short_way_to_the_margin_is_swept(engine: Any) -> None:
    """A pair that moves by five margins, and is five and a half away, comes within the margin."""
    m = Machine(np.random.default_rng(9), 1, 2, [(UNILATERAL, (0,))], bias=0.0, features=MARGIN)
    m.J[0], m.f[:], m.K[:], m.e[0] = [1.0, 0.0], 0.0, 0.0, 0.5
    m.M[:], m.d, m.L, m.back = np.eye(2), np.ones(2), np.eye(2), np.eye(2)
    x = np.zeros(m.n)
    x[2], h = -8.0, 5.0 * MARGIN / 8.0
    for gaps, parts in ((5.5, 2), (6.5, 1)):
        m.g0[0] = gaps * MARGIN
        y = m.step(engine, 0.0, h, x)
        assert m.C.parts == parts
        assert y[2] == pytest.approx(4.0 if parts == 2 else -8.0)


@pytest.mark.parametrize(("apart", "direct"), [(False, 96), (True, 96), (True, 48)])
def test_forces_of_bodies_at_rest_with_too_many_contacts(engine: Any, apart: bool, direct: int) -> None:
    """While all stick the impulses are those of least norm, island by island, also from step to step."""
    rng, h = np.random.default_rng(4), 0.01
    for trial in range(4):
        more = 14 if direct == 48 else trial * 4  # of one island more rows than that, or many
        bodies = (0, 1, 2, 0, 1, 0, 2, 2, 0, *(0,) * more)
        blocks = [(COULOMB, (b,)) for b in bodies] + [(UNILATERAL, (3,))]
        m = Machine(rng, 4, 3, blocks, apart=apart, bias=0.0, direct=direct)
        for k in range(len(bodies)):
            b = m.supports[k][0]
            m.J[3 * k : 3 * k + 3] = 0.0
            m.J[3 * k, b : b + 3] = np.array([1.0, 0.0, 0.0]) + 0.05 * rng.normal(size=3)
            m.J[3 * k + 1 : 3 * k + 3, b : b + 3] = rng.normal(size=(2, 3)) * [0.05, 1.0, 1.0]
            m.mu[k][:] = 1.0
        m.K[:] = 0.0
        least = m.J @ np.tile([1.0, 0.05, -0.05], 4)
        least[-1] = abs(least[-1])
        m.f[:] = -m.J.T @ least
        x = np.zeros(m.n)
        m.g0[:] = 0.0
        for repeat in range(3):
            y = m.step(engine, 0.0, h, x)
            force = y[m.system.forces[0] :][: m.rows]
            np.testing.assert_allclose(y[12:24], 0.0, atol=1e-9)
            np.testing.assert_allclose(m.J.T @ force, -m.f, atol=1e-8)
            assert y[m.system.residual] < 1e-9
            if direct == 96:  # else sweeps, which end soon, are not unique
                np.testing.assert_allclose(force, least, rtol=1e-5, atol=1e-6)
                lacks = sum(3 * bodies.count(b) - 3 for b in range(3))
                assert y[m.system.undetermined] == lacks or (apart and repeat)
            x = y


def test_compliant_contacts(engine: Any) -> None:
    """h N with N = k (d- + r d+) / 2 - k c d_m ((1 - beta) u- + beta u+) - f k h u+, where that pushes."""
    rng, h, seen = np.random.default_rng(5), 0.01, set()
    for _ in range(60):
        m = Machine(rng, 1, 4, [(UNILATERAL, (0,)), (COULOMB, (0,))], bias=0.0)
        m.mu[1][:] = 0.0
        k, c = 10.0 ** rng.uniform(1.0, 6.0, 2), rng.uniform(0.0, 2.0, 2)
        array = m.stepping.memory.array
        array("compliance", 1.0 / k), array("damping", c)
        for name in ("give", "rest", "depth"):
            array(name, np.zeros(2))
        m.C.stored_at = m.n
        m.system.stored = m.n
        x = m.state()
        middle = x[:4] + 0.5 * h * x[4:8]
        m.g0 += rng.choice([-0.01, -1e-3, 0.002, 0.3], 2) - m.gap(middle)
        out, none, x = np.full(m.n + 1, np.nan), np.zeros(1), np.append(x, 0.0)
        m.C.n = m.n + 1
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (x, none, none, out)]
        for name, size in (("x_middle", m.n + 1), ("x_swept", m.n + 1)):
            array(name, np.zeros(size))
        address = ctypes.c_void_p(m.stepping.address)
        assert engine.go(address, ctypes.c_double(0.0), ctypes.c_double(h), *pointers) == 0
        v, w = x[4:8], out[4:8]
        free = v + np.linalg.solve(m.M, h * m.push(middle, v))
        gap, rows, stored = m.gap(middle), (0, 1), 0.0
        impulse = h * out[m.system.forces[0] :][:4]
        np.testing.assert_allclose(m.M @ (w - free), m.J.T @ impulse, atol=1e-9)
        for a, row in enumerate(rows):
            before, after, without = m.J[row] @ v, m.J[row] @ w, m.J[row] @ free
            start, end = 0.5 * h * before - gap[a], -gap[a] - 0.5 * h * without
            r = 1.0 if start > 0.0 else end / (end - start) if end > 0.0 else 0.0
            W, d_m = m.J[row] @ np.linalg.solve(m.M, m.J[row]), max(-gap[a], 0.0)
            z = h * W * (h * k[a] * r + k[a] * c[a] * d_m)
            f = z / (10.0 + z)
            beta = 0.5 * (1.0 + f)
            at_end = -gap[a] - 0.5 * h * after
            N = 0.5 * k[a] * (max(start, 0.0) + r * at_end) - k[a] * c[a] * d_m * (
                (1.0 - beta) * before + beta * after
            ) - f * k[a] * h * r * after  # fmt: skip
            acts = gap[a] <= MARGIN or end >= 0.0 or start > 0.0
            expected = h * N if acts and z > 1e-12 else 0.0
            if impulse[row] > 0.0:
                assert impulse[row] == pytest.approx(expected, rel=1e-6, abs=1e-10)
            else:
                assert expected <= 1e-9
            seen.add((bool(impulse[row] > 0.0), start > 0.0))
            stored += 0.5 * k[a] * max(at_end, 0.0) ** 2 if acts and z > 1e-12 else 0.0
        assert out[-1] <= stored * (1.0 + 1e-9) + 1e-12
    assert len(seen) == 4


def test_contacts_that_adhere(engine: Any) -> None:
    """0 <= x + h A, u >= 0, one of them zero, and friction of at most mu (x + h A): a contact may pull."""
    rng, h, seen = np.random.default_rng(6), 0.01, set()
    for _ in range(30):
        m = Machine(rng, 2, 4, [(COULOMB, (0,)), (UNILATERAL, (1,)), (COULOMB, (1,))], bias=0.0)
        x = np.zeros(m.n)
        m.g0[:] = 0.0
        m.f *= 3.0
        hold = m.stepping.memory.array("hold", h * rng.uniform(0.0, 1.5, 3) * (rng.random(3) < 0.7))
        y = m.step(engine, 0.0, h, x)
        impulse = h * y[m.system.forces[0] :][: m.rows]
        w = y[8:16]
        np.testing.assert_allclose(m.M @ w, h * m.f + m.J.T @ impulse, atol=1e-10)
        shifted = impulse.copy()
        shifted[m.first[:-1]] += hold
        assert faults(m, shifted, m.J @ w, np.ones(3, bool), h) < 1e-8
        seen |= {bool(p < 0.0) for p in impulse[m.first[:-1]]}
    assert len(seen) == 2


def test_sweeps_are_counted(engine: Any) -> None:
    """A block alone needs one sweep and a second one that changes nothing; of islands the most count."""
    rng = np.random.default_rng(7)
    for apart in (False, True):
        m = Machine(rng, 2, 4, [(UNILATERAL, (0,)), (UNILATERAL, (1,))], apart=apart, bias=0.0)
        m.g0[:] = 0.0
        x = np.zeros(m.n)
        for k, sign in enumerate((-1.0, 1.0)):  # one is pressed on, the other one parts
            m.f[4 * k : 4 * k + 4] = sign * m.J[k, 4 * k : 4 * k + 4]
        y = m.step(engine, 0.0, 0.01, x)
        assert y[m.system.sweeps] == 2.0 and y[m.system.undetermined] == 0.0
        assert (y[m.system.forces[0] :][:2] > 0.0).tolist() == [True, False]


def test_ropes_and_rolling_contacts_in_steps(engine: Any) -> None:
    """Tensions at sheaves within their ratios, at the limit where the rope slips; moments within those of the push."""
    rng, h, seen = np.random.default_rng(8), 0.01, set[str]()
    for trial in range(40):
        m = Machine(rng, 2, 7, [(ROPE, (0, 1)), (UNILATERAL, (1,)), (RESISTED, (0,))], bias=0.0)
        x = m.state()
        if trial % 2:  # sheaves that hold
            x[14:28], m.mu[0][:] = 0.0, 30.0
        x[14:28] -= np.linalg.pinv(m.along) @ np.array([0.5, 0.5, 0.5])
        middle = x[:14] + 0.5 * h * x[14:28]
        m.g0 += rng.choice([-1e-3, 0.2], 3) - m.gap(middle)
        y = m.step(engine, 0.0, h, x)
        impulse, v, w = h * y[m.system.forces[0] :][: m.rows], x[14:28], y[14:28]
        np.testing.assert_allclose(m.M @ (w - v), h * m.push(middle, v) + m.J.T @ impulse, atol=1e-8)
        free = v + np.linalg.solve(m.M, h * m.push(middle, v))
        acts = (m.gap(middle) <= MARGIN) | (m.gap(middle) + 0.5 * h * m.along @ free <= 0.0)
        before, u, T = m.J @ v, m.J @ w, impulse[:3]
        nu = u[:3].sum()
        assert T.min() >= 0.0 and (not acts[0] or nu > -1e-9) and abs(T[0] * nu) < 1e-9 and (acts[0] or not T.any())
        for j in range(2):
            E, slip = m.mu[0][j], u[: j + 1].sum()
            assert T[j] / E * (1.0 - 1e-9) - 1e-12 <= T[j + 1] <= T[j] * E * (1.0 + 1e-9) + 1e-12
            if T[0] > 0.0 and abs(slip) > 1e-7:
                assert T[j + 1] == pytest.approx(T[j] * E if slip > 0.0 else T[j] / E, rel=1e-7)
                seen.add(f"slips {np.sign(slip):+g}")
            elif T[0] > 0.0:
                seen.add("sticks")
        lost = [(T[j + 1] - T[j]) * 0.5 * (u[: j + 1].sum() + before[: j + 1].sum()) for j in range(2)]
        np.testing.assert_allclose(y[m.system.losses[0] :][:2], lost, atol=1e-10)
        p, w_ = impulse[4:], u[4:]
        mu, spinning, rolling = m.mu[2] * p[0]
        assert p[0] >= 0.0 and abs(p[0] * w_[0]) < 1e-8 and np.linalg.norm(p[1:3]) <= mu * (1.0 + 1e-8)
        assert abs(p[3]) <= spinning * (1.0 + 1e-8) and np.linalg.norm(p[4:]) <= rolling * (1.0 + 1e-8)
        if p[0] > 0.0:
            for at, most in ((slice(1, 3), mu), (slice(3, 4), spinning), (slice(4, 6), rolling)):
                speed = np.linalg.norm(w_[at])
                if speed > 1e-6:
                    np.testing.assert_allclose(p[at], -most * w_[at] / speed, atol=1e-6)
                    seen.add(f"resists {at.start}")
        assert y[m.system.residual] < 1e-8
    assert seen >= {"slips +1", "slips -1", "sticks", "resists 1", "resists 3", "resists 4"}


def test_restitution_that_would_add_energy_is_lowered(engine: Any) -> None:
    """By one factor for all contacts of an island, the largest at which impacts give no energy; others keep theirs."""
    rng, h, lowered = np.random.default_rng(12), 1e-3, 0
    for _ in range(60):
        blocks = [(COULOMB, (0,)), (COULOMB, (0,)), (COULOMB, (1,)), (UNILATERAL, (2,))]
        m = Machine(rng, 3, 6, [blocks[k] for k in rng.permutation(4)], bias=0.0)
        m.f[:], m.K[:], m.e[:] = 0.0, 0.0, rng.uniform(0.6, 1.0, 4)
        m.mu = [rng.uniform(0.3, 0.7, 1) if law is COULOMB else mu for law, mu in zip(m.laws, m.mu, strict=True)]
        m.g0[:] = 0.0
        x, body = np.zeros(m.n), np.array([support[0] // 6 for support in m.supports])
        v = rng.normal(size=18)
        for b in range(3):  # bodies approach
            rows, own = m.first[:-1][body == b], slice(6 * b, 6 * b + 6)
            back = np.linalg.pinv(m.J[rows, own])
            v[own] += back @ (-rng.uniform(0.5, 2.0, len(rows)) - m.J[rows, own] @ v[own])
        x[18:36] = v
        m.g0 -= m.gap(0.5 * h * v)
        y = m.step(engine, 0.0, h, x)
        w, impulse, part = y[18:36], h * y[m.system.forces[0] :][: m.rows], 1.0 - y[m.system.lowered]
        np.testing.assert_allclose(m.M @ (w - v), m.J.T @ impulse, atol=1e-8)
        before, after = m.J @ v, m.J @ w
        least = 1.0
        for b in range(3):
            blocks_of = np.flatnonzero(body == b)
            rows = np.concatenate([np.arange(m.first[k], m.first[k + 1]) for k in blocks_of])
            given = 0.5 * impulse[rows] @ (before + after)[rows]
            scale = np.abs(impulse[rows] * (before + after)[rows]).sum()
            assert given < 1e-8 * scale
            acts, tried = body == b, list[tuple[float, float, float]]()
            for factor in {1.0, part}:
                bounce = np.zeros(m.rows)
                bounce[m.first[:-1]] = factor * m.e * before[m.first[:-1]]
                shown = np.where(np.repeat(acts, m.sizes), impulse, 0.0)
                tried.append((faults(m, shown, after + bounce, acts, h), float(factor), float(given / scale)))
            fault, factor, gave = min(tried)
            if fault > 1e-6:  # another island has lost more
                assert y[m.system.lowered] > 0.0
                continue
            least = min(least, factor)
            assert factor == 1.0 or abs(gave) < 1e-8  # all that is possible
        if y[m.system.lowered] > 0.0:
            lowered += 1
            assert least == part
    assert 3 < lowered < 50


def test_rows_of_far_pairs_are_not_computed(engine: Any) -> None:
    """Those that neither their speed nor a fall brings near in a step: beyond 0.6 h u + 20 h^2 and the margin."""
    rng = np.random.default_rng(13)
    for h in (0.02, 0.1):
        for speed in (0.0, 0.8, 5.0):
            m = Machine(rng, 2, 3, [(COULOMB, (0,)), (UNILATERAL, (1,)), (COULOMB, (1,))], bias=0.0, many=True)
            m.f[:], m.K[:] = 0.0, 0.0
            x = m.state()
            x[6:12] *= speed
            pace = np.sqrt(np.add.reduceat((m.J @ x[6:12]) ** 2, m.first[:-1]))
            most = MARGIN + 0.6 * h * pace + 20.0 * h * h
            near = np.array([True, False, True])
            m.g0 += most * np.where(near, 1.0 - 1e-6, 1.0 + 1e-6) - m.gap(x[:6] + 0.5 * h * x[6:12])
            m.called.clear()
            m.step(engine, 0.0, h, x)
            assert sorted(set(m.called)) == [0, 2]


@pytest.mark.parametrize("bends", ["", "contacts"])
def test_steps_taken_again_with_their_account(engine: Any, bends: str) -> None:
    """Impulses of both rounds, rebounds, closing displacements, which rows turn, what acts, coefficients, parts."""
    rng, seen = np.random.default_rng(14), set[str]()
    for _ in range(8):
        blocks = [(COULOMB, (0,)), (UNILATERAL, (1,)), (COULOMB, (0, 1)), (UNILATERAL, (2,)), (COULOMB, (2,))]
        m = Machine(rng, 3, 5, blocks, bends=bends, bias=0.0)
        nv, rows, k = m.nv, m.rows, len(blocks)
        x = m.state()
        m.g0 += rng.choice([-1e-3, 0.0, 0.01, 0.5], k) - m.gap(x[:nv] + 0.5 * H * x[nv : 2 * nv])
        m.e[:] = rng.uniform(0.1, 0.4, k)
        if bends:  # two that touch, and move as their normals turn: they last
            m.bent *= 4.0
            last = m.first[[0, 3]]
            x[nv : 2 * nv] += np.linalg.pinv(m.J[last]) @ (m.bent[last] - m.J[last] @ x[nv : 2 * nv])
            m.g0[[0, 3]] -= m.gap(x[:nv] + 0.5 * H * x[nv : 2 * nv])[[0, 3]]
        lengths = np.array([H, 0.7 * H, 1.1 * H, H])
        t = 0.4 + np.cumsum([0.0, *lengths[:-1]])
        states = [x]
        for at, h in zip(t, lengths, strict=True):
            states.append(m.step(engine, float(at), float(h), states[-1]))
        numbers_ = sum(map(len, m.mu))
        width = 2 * rows + 4 * k + numbers_ + 1
        after, account = np.zeros((4, m.n)), np.full((4, width), np.nan)
        x_of = np.array(states[:4])
        given = (4, t, lengths, x_of, np.zeros(4), 1, m.p, after, account)
        assert engine.again(*arguments(m.stepping.memory, *given)) == 4
        named = [
            0,
            rows,
            2 * rows,
            2 * rows + k,
            2 * rows + 2 * k,
            2 * rows + 3 * k,
            2 * rows + 4 * k,
            width - 1,
            width,
        ]
        normals = m.first[:-1]
        for step, h in enumerate(lengths):
            x, y = states[step], after[step]
            np.testing.assert_allclose(y[: 2 * nv], states[step + 1][: 2 * nv], atol=1e-9)
            first, second, bounce, closing, turns, acts, mu, parts = (
                account[step, one:two] for one, two in pairwise(named)
            )
            np.testing.assert_allclose(second, h * y[m.system.forces[0] :][:rows], atol=1e-12)
            assert parts[0] == 1.0
            np.testing.assert_allclose(mu, np.concatenate(m.mu))
            np.testing.assert_allclose(first, second, atol=1e-8)  # without a bias both rounds are the same
            middle = x[:nv] + 0.5 * h * x[nv : 2 * nv]
            v, gap = x[nv : 2 * nv], m.gap(middle)
            free = v + np.linalg.solve(m.M, h * m.push(middle, v))
            gained, lasts = (
                (m.J @ (free - v))[normals],
                m.lasts(x, gap, (m.J @ v)[normals], (m.J @ (free - v))[normals]),
            )
            turn = m.turns(m.J @ v, lasts)
            on = (gap <= MARGIN) | (gap + 0.5 * h * (m.J @ free + 0.5 * turn)[normals] <= 0.0)
            assert acts.tolist() == on.tolist()
            falls = (m.J @ v - turn)[normals]
            bounces = on & (falls < 0.0) & (-falls > 2.0 * np.abs(gained))
            turn = m.unturned(turn, on & ~lasts)
            tangents = [bool(n == 3 and turn[f + 1]) for f, n in zip(normals, m.sizes, strict=True)]
            if bends:
                np.testing.assert_array_equal(turns[on], (turn[normals] != 0.0)[on] * (1.0 + np.array(tangents)[on]))
            factor = 1.0 - y[m.system.lowered]
            expected = factor * np.where(bounces, m.e * (m.J @ v - turn)[normals], 0.0)
            np.testing.assert_allclose(bounce, expected, atol=1e-9)
            rest = y[:nv] - (middle + 0.5 * h * y[nv : 2 * nv])  # the displacement that closes gaps
            np.testing.assert_allclose(m.M @ rest, m.J[normals].T @ closing, atol=1e-8)
            seen |= {"bounces"} if bounces.any() else set()
            seen |= {"closes"} if np.abs(closing).max() > 1e-4 else set()
            seen |= {"turns"} if turns.any() else set()
            seen |= {"open"} if not on.all() else set()
    assert seen >= {"bounces", "closes", "open"} | ({"turns"} if bends else set())


def test_contacts_that_pushed_last_until_they_have_opened(engine: Any) -> None:
    """By what a body falls in half a step, 20 h^2 / 2, if they were there in the step before and pushed (3)."""
    for h in (0.02, 0.05):
        for known, gap, holds in ((3, 0.99, True), (3, 1.01, False), (2, 0.5, False), (0, 0.5, False), (3, 0.3, True)):
            m = Machine(np.random.default_rng(15), 1, 2, [(UNILATERAL, (0,))], bias=0.0)
            m.J[0], m.f[:], m.K[:] = [1.0, 0.0], [-4.0, 1.0], 0.0
            m.M, m.d, m.L, m.back = np.eye(2), np.ones(2), np.eye(2), np.eye(2)
            m.stepping.memory.array("known", np.array([known]))
            m.g0[0] = gap * 10.0 * h * h  # a pull of 4 does not close it in this step
            y = m.step(engine, 0.0, h, np.zeros(m.n))
            pull = 4.0 if holds else 0.0
            assert y[m.system.forces[0]] == pytest.approx(pull, abs=1e-9)
            np.testing.assert_allclose(y[2:4], [h * (pull - 4.0), h], atol=1e-12)
