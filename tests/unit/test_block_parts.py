"""Functions of unilateral blocks, one by one: by how much forces break a law, jams, forces of given modes.

Each is compared with the statement of the laws in numpy (`engine/unilateral/laws.c`, `ropes.c`). Random problems
have cones, joints that stick and ropes in any order, so that a rope is not the first block.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from dalembert.compile.build import find_toolchain
from support.engine_units import calls, unit_with

pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="no C compiler")

CONE, LIMIT, ROPE = range(3)
OPEN, STICK, SLIP, BACK = range(4)
SOLVED = -1

SHOWN = """
#define SHOWN __attribute__((visibility("default")))
#define ALL int64_t k, int64_t n, const int64_t *law_of, const int64_t *first, const double *W, const double *b, \\
    const double *mu, const double *slip, const double *given, const int64_t *yields, const double *last, \\
    const double *lengths, double *p, double *u, int64_t *modes, double *work
#define MADE const struct blocks c = {k, n, law_of, first, W, b, mu, slip, given, yields, last, lengths}; \\
    const struct solution s = {p, u, modes}; const struct memory memory = {work}; (void)s, (void)memory
SHOWN double fault(ALL) { MADE; return fault_of(&c, &s, memory); }
SHOWN int64_t jams(ALL, int64_t i) { MADE; return is_jammed_cone(&c, i); }
SHOWN int64_t sheave(ALL, int64_t i, double least) { MADE; return sheave_with_pivot(&c, i, modes, least, memory); }
SHOWN int64_t jam(ALL, int64_t i) { MADE; return jam_of(&c, i, modes, memory); }
SHOWN void of_modes(ALL, const double *near, const double *weights, const double *d) {
    MADE; linear(&c, modes, near, weights, d, p, memory); }
SHOWN int64_t polish(ALL, const double *near) { MADE; return polished(&c, modes, near, &s, memory); }
SHOWN int64_t rope_at_rest(ALL, int64_t i, double least, double tolerance) {
    MADE; return rope_rests(&c, i, &s, least, tolerance, memory); }
SHOWN void modes_of(ALL) { MADE; read_modes(&c, &s); }
SHOWN int64_t worst(ALL) { MADE; return change_worst(&c, &s); }
SHOWN int64_t more(ALL, int64_t i) { MADE; return next_modes(&c, i, modes); }
SHOWN int64_t moves(ALL, int64_t i, const int64_t *hold, const double *way, int64_t row) {
    MADE; return sheave_moves(&c, i, hold, way, row, memory); }
SHOWN int64_t depend(ALL) { MADE; return rows_depend(&c, memory); }
SHOWN int64_t solved(ALL) { MADE; return solve_blocks(&c, &s, memory); }
SHOWN int64_t sweep(ALL, double *change) { MADE; return sweep_over(&c, p, modes, change, memory); }
SHOWN void project(ALL, int64_t sweeps) { MADE; project_onto(&c, p, sweeps, memory); }
SHOWN void by_newton(ALL, const double *start) { MADE; newton(&c, start, &s, memory); }
SHOWN int64_t pivot(ALL) { MADE; return pivoted(&c, p, memory); }
SHOWN int64_t proportional(ALL, double part) { MADE; return in_proportion(&c, &s, part, memory); }
SHOWN int64_t at_limit(ALL) { MADE; return any_at_limit(&c, &s); }
SHOWN int64_t without_friction(ALL) { MADE; return smooth(&c, &s, memory); }
SHOWN int64_t one(const double *W, const double *b, double mu, const double *slip, double given, double *p,
                  double *work) {
    const struct memory memory = {work};
    return one_cone(W, b, mu, slip, given, p, memory); }
SHOWN int64_t one_slip(const double *W, const double *b, double mu, double given, int64_t spatial, double *force) {
    return slipping(W, b, mu, given, (int)spatial, force); }
"""


@pytest.fixture(scope="module")
def engine() -> Any:
    integers = ("jams", "sheave", "jam", "polish", "rope_at_rest", "worst", "more", "moves", "depend", "solved",
                "sweep", "proportional", "at_limit", "without_friction", "one", "one_slip", "pivot")  # fmt: skip
    return calls(unit_with(SHOWN, "equations", "block-parts", doubles=("fault",), integers=integers))


class Blocks:
    """A random problem, and a solution to fill: ropes of some spans, of which some sheaves slip already."""

    def __init__(
        self, rng: np.random.Generator, laws: list[tuple[int, int]], sliding: float = 0.0, rank: int = 0
    ) -> None:
        self.laws, self.law = laws, np.array([law for law, _ in laws])
        self.first = np.cumsum([0, *(size for _, size in laws)])
        n = self.n = int(self.first[-1])
        A = rng.normal(size=(n, rank or n + 3))
        self.W = A @ A.T / n + (0.0 if rank else 1.0) * np.eye(n)
        self.b, self.mu = 2.0 * rng.normal(size=n), rng.uniform(0.1, 0.3, n)
        self.slip, self.given = np.full(n, np.nan), np.zeros(n)
        self.yields: np.ndarray | None = None
        self.last: np.ndarray | None = None
        self.lengths: np.ndarray | None = None
        self.p, self.u, self.modes = np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64)
        self.work = np.full(100_000, np.nan)
        for (law, size), f in zip(laws, self.first, strict=False):
            if law == CONE and size == 3:
                self.given[f] = rng.choice([0.0, 0.4])
                if rng.random() < sliding:
                    angle = rng.uniform(-np.pi, np.pi)
                    self.slip[f + 1 : f + 3] = np.cos(angle), np.sin(angle)
            elif law == LIMIT and rng.random() < sliding:
                self.slip[f] = rng.choice([-1.0, 1.0])
            for row in range(f + 1, f + size if law == ROPE else f):
                if rng.random() < sliding:
                    self.slip[row] = rng.choice([-1.0, 1.0])

    @property
    def all(self) -> tuple[Any, ...]:
        return (
            len(self.law), self.n, self.law, self.first, self.W, self.b, self.mu, self.slip, self.given, self.yields,
            self.last, self.lengths, self.p, self.u, self.modes, self.work,
        )  # fmt: skip

    def rows(self, i: int) -> slice:
        return slice(int(self.first[i]), int(self.first[i + 1]))

    def jams(self, i: int) -> bool:
        """Painleve: no push of a cone that slips parts it."""
        f, (law, size) = self.first[i], self.laws[i]
        if law != CONE or size != 3 or np.isnan(self.slip[f + 1]):
            return False
        pivot = self.W[f, f] - self.mu[f] * self.W[f, f + 1 : f + 3] @ self.slip[f + 1 : f + 3]
        return bool(pivot <= 1e-7 * self.W[f, f])

    def groups(self, i: int) -> tuple[np.ndarray, np.ndarray, list[int]]:
        """Sums over spans of a rope that sheaves join with its modes, tensions for unit first ones, first rows."""
        f, end = self.first[i : i + 2]
        starts = [row for row in range(f, end) if row == f or self.modes[row] == STICK]
        sums, push = np.zeros((len(starts), end - f)), np.zeros((end - f, len(starts)))
        for g, (a, b) in enumerate(zip(starts, [*starts[1:], end], strict=True)):
            sums[g, a - f : b - f] = 1.0
            way = np.where(self.modes[a + 1 : b] == SLIP, 1.0, -1.0)
            push[a - f : b - f, g] = np.exp(np.append(0.0, np.cumsum(way * self.mu[a + 1 : b])))
        return sums, push, starts

    def sheave(self, i: int, least: float) -> int:
        """The first sheave that slips already in a group whose own effect on its length is too small."""
        rows = self.rows(i)
        sums, push, starts = self.groups(i)
        W = self.W[rows, rows]
        S, plain = sums @ W @ push, sums @ W @ sums.T
        for g, (a, b) in enumerate(zip(starts, [*starts[1:], rows.stop], strict=True)):
            sliding = [row for row in range(a + 1, b) if np.isfinite(self.slip[row]) and self.mu[row] > 0.0]
            if not sliding:
                continue
            o = [h for h in range(len(starts)) if h != g]
            own, even = (m[g, g] - m[g, o] @ np.linalg.pinv(m[np.ix_(o, o)], rcond=1e-12) @ m[o, g] for m in (S, plain))
            if even > 1e-7 * np.trace(W[a - rows.start : b - rows.start, a - rows.start : b - rows.start]) and own <= (
                least * even
            ):
                return sliding[0]
        return -1

    def fault(self, p: np.ndarray, u: np.ndarray) -> float:
        """By how much the laws of all blocks are broken, forces being as velocities of their own row."""
        worst, slack = 0.0, 1e-12 * np.abs(p).max()
        for i, ((law, size), f) in enumerate(zip(self.laws, self.first, strict=False)):
            if law == ROPE:
                worst = max(worst, self.rope_fault(i, p, u, slack))
                continue
            d = self.W[f, f]
            if law == LIMIT:
                worst = max(worst, self.friction_fault(p[[f]], u[[f]], self.mu[f], d, slack, np.isnan(self.slip[f])))
                continue
            worst = max(worst, abs(min(p[f] * d, u[f])), -u[f])
            if size == 3:
                limit, free = self.mu[f] * (p[f] + self.given[f]), bool(np.isnan(self.slip[f + 1]))
                t = slice(f + 1, f + 3)
                worst = max(worst, self.friction_fault(p[t], u[t], limit, d, slack, free and self.mu[f] > 0.0))
                worst = max(worst, d * p[f] * self.jams(i))
        return float(worst)

    @staticmethod
    def friction_fault(p: np.ndarray, u: np.ndarray, limit: float, d: float, slack: float, free: bool) -> float:
        speed, beyond = np.linalg.norm(u), d * (np.linalg.norm(p) - limit - slack)
        if not free or speed == 0.0:
            return float(beyond)
        return float(max(beyond, min(speed, d * abs(u @ p / speed + limit))))

    def rope_fault(self, i: int, p: np.ndarray, u: np.ndarray, slack: float) -> float:
        rows = self.rows(i)
        T, w, E = p[rows], np.cumsum(u[rows]), np.exp(self.mu[rows])
        d = np.diag(self.W)[rows].max()
        worst = max(-d * (T.min() + slack), abs(min(T[0] * d, w[-1])), -w[-1])
        for j in range(1, len(T)):
            up, down = T[j] - E[j] * T[j - 1], T[j - 1] - E[j] * T[j]
            slip = self.slip[rows][j]
            worst = max(worst, d * (max(up, down) - slack))
            away = d * (abs(up if (w[j - 1] if np.isnan(slip) else slip) > 0.0 else down) - slack)
            worst = max(worst, min(abs(w[j - 1]), away) if np.isnan(slip) else away)
        return float(max(worst, d * np.abs(T).max() if T[0] > 0.0 and self.sheave(i, 1e-7) >= 0 else 0.0))


MIXED = [(CONE, 3), (LIMIT, 1), (CONE, 1), (ROPE, 4), (CONE, 3), (ROPE, 3), (LIMIT, 1)]


@pytest.mark.parametrize("laws", [[one] for one in MIXED[:4]] + [MIXED], ids=["cone", "limit", "plain", "rope", "all"])
def test_by_how_much_forces_break_the_laws(engine: Any, laws: list[tuple[int, int]]) -> None:
    """Near forces that obey them, each condition is the one that is broken most in some of the trials."""
    rng, seen = np.random.default_rng(1), 0
    for trial in range(300):
        c = Blocks(rng, laws, sliding=0.4)
        c.mu *= rng.choice([1.0, 6.0, 40.0])
        seen += any(c.jams(i) for i in range(len(laws)))
        if trial % 7 == 0:
            c.mu[c.first[:-1]] = 0.0
        c.p, c.u = np.abs(rng.normal(size=c.n)), 10.0 ** rng.uniform(-4.0, 1.0) * rng.normal(size=c.n)
        for i, (law, size) in enumerate(laws):
            f, rows = c.first[i], c.rows(i)
            if (law == CONE and size == 3) or law == LIMIT:
                t = slice(rows.stop - (2 if size == 3 else 1), rows.stop)
                limit = c.mu[f] * (c.p[f] + c.given[f] if size == 3 else 1.0)
                way = -c.u[t] if rng.random() < 0.5 else rng.normal(size=len(c.u[t]))
                c.p[t] = way / np.linalg.norm(way) * limit * rng.choice([1.0, 0.7, 1.02])
            elif law == ROPE:
                c.modes[rows] = [STICK, *rng.integers(1, 4, size - 1)]
                for row in range(f + 1, rows.stop):  # one that slips already keeps its mode
                    if np.isfinite(c.slip[row]):
                        c.modes[row] = SLIP if c.slip[row] > 0.0 else BACK
                way = rng.choice([-1.0, 1.0, 0.3], size=size - 1)
                c.p[rows] = c.p[f] * np.exp(np.append(0.0, np.cumsum(way * c.mu[rows][1:])))
            if rng.random() < 0.3:
                c.p[f] = rng.choice([0.0, -0.1, 1e-3])
            if rng.random() < 0.2:
                c.u[rows] = 0.0
        assert engine("fault", *c.all) == pytest.approx(c.fault(c.p, c.u), rel=1e-10, abs=1e-13)
    assert seen > 3 or laws[0] != (CONE, 3)
    c.p[0] = np.nan
    assert engine("fault", *c.all) == np.inf
    c.p[0], c.u[-1] = 1.0, np.inf
    assert engine("fault", *c.all) == np.inf


def test_which_cones_jam(engine: Any) -> None:
    rng, seen = np.random.default_rng(2), set()
    for _ in range(200):
        c = Blocks(rng, [(CONE, 1), (CONE, 3), (LIMIT, 1)], sliding=0.7)
        c.mu *= 10.0
        c.W[1:4, 1:4] *= np.outer(*2 * [rng.uniform(0.01, 0.5, 3)])
        for i in range(3):
            assert engine("jams", *c.all, i) == c.jams(i)
        seen.add(c.jams(1))
    assert seen == {False, True}
    for part, jams in ((1.0 + 1e-6, 0), (1.0 - 1e-6, 1)):  # the pivot is 1e-7 of the diagonal
        c = Blocks(rng, [(LIMIT, 1), (CONE, 3)])
        c.W[1, 1], c.W[1, 2:] = 0.25, (0.3, -0.2)
        c.slip[2:], c.mu[1] = (0.6, -0.8), (0.25 - 0.25e-7 * part) / (0.3 * 0.6 + 0.2 * 0.8)
        assert engine("jams", *c.all, 1) == jams


def test_which_sheaves_jam(engine: Any) -> None:
    """The effect of its own tension on each group of spans decides, while all other groups keep their lengths."""
    rng, seen = np.random.default_rng(3), set()
    for trial in range(300):
        size = int(rng.integers(2, 7))
        c = Blocks(rng, [(CONE, 3), (ROPE, size)], sliding=0.6)
        c.mu[4:] = rng.uniform(0.0, 2.0, size - 1) * (rng.random(size - 1) < 0.9)
        A = rng.normal(size=(size, size + 1)) + (0.0 if trial % 3 else 2.0 * rng.normal(size=size + 1))
        if trial % 5 == 0:
            A[-1] = 0.0  # a span that never changes its length
        c.W[3:, 3:] = A @ A.T
        c.modes[3:] = [STICK, *rng.integers(1, 4, size - 1)]
        for least in (1e-7, 0.3):
            found = engine("sheave", *c.all, 1, least)
            assert found == c.sheave(1, least)
            seen.add(found)
    assert seen >= {-1, 4, 5, 6}
    c.modes[3] = OPEN
    assert engine("sheave", *c.all, 1, 1e9) == -1  # a slack rope never does


def test_a_jam_is_that_of_the_first_modes_or_of_any(engine: Any) -> None:
    rng, seen = np.random.default_rng(4), set()
    for trial in range(200):
        size = int(rng.integers(2, 5))
        c = Blocks(rng, [(LIMIT, 1), (ROPE, size)], sliding=0.5)
        c.mu[2:] = rng.uniform(0.0, 2.5, size - 1) * (rng.random(size - 1) < 0.8)
        A = rng.normal(size=(size, 2)) if trial % 2 else rng.normal(size=(size, size))
        c.W[1:, 1:] = A @ A.T + 0.02 * np.eye(size)
        ways = []
        for row in range(2, 1 + size):
            ahead = SLIP if c.slip[row] > 0.0 or np.isnan(c.slip[row]) else BACK
            settled = np.isfinite(c.slip[row]) or c.mu[row] == 0.0
            ways.append((ahead,) if settled else (STICK, SLIP, BACK))
        found = []
        for least in (1e-7, 1e-4):
            for modes in product(*reversed(ways)):
                c.modes[1:] = [STICK, *reversed(modes)]
                found.append(c.sheave(1, least))
        expected = next((row for row in found if row >= 0), -1)
        assert engine("jam", *c.all, 1) == expected
        seen.add(expected)
    assert seen == {-1, 2, 3, 4}


def test_all_modes_of_a_rope_are_tried_once(engine: Any) -> None:
    rng = np.random.default_rng(5)
    c = Blocks(rng, [(CONE, 1), (ROPE, 5)])
    c.slip[3], c.mu[5] = -1.0, 0.0  # these are settled
    c.modes[:] = [7, STICK, STICK, BACK, STICK, SLIP]
    seen = [tuple(c.modes.tolist())]
    while engine("more", *c.all, 1):
        seen.append(tuple(c.modes.tolist()))
        assert len(seen) < 10
    assert sorted(seen) == sorted((7, STICK, a, BACK, b, SLIP) for a in (1, 2, 3) for b in (1, 2, 3))
    assert tuple(c.modes.tolist()) == seen[0]


def test_modes_are_read_from_forces_and_velocities(engine: Any) -> None:
    rng, seen = np.random.default_rng(6), set()
    for _ in range(200):
        c = Blocks(rng, MIXED, sliding=0.3)
        c.mu[rng.random(c.n) < 0.2] = 0.0
        still = 1e-10 * np.abs(c.b).max()
        for i in range(len(MIXED)):
            rows, size = c.rows(i), 10.0 ** rng.choice([-3.0, 0.0])
            c.p[rows] = rng.uniform(0.5, 1.0, len(c.p[rows])) * rng.choice([0.0, 1e-14, 1e-11, 1.0])
            c.u[rows] = size * rng.normal(size=len(c.u[rows])) * (rng.random(len(c.u[rows])) < 0.7)
            c.u[rows] *= rng.choice([1.0, 0.3 * still])
        c.p[0] = 2.0
        c.modes[:] = 9
        engine("modes_of", *c.all)
        least, expected = 1e-12 * np.abs(c.p).max(), np.full(c.n, 9)
        for i, (law, _) in enumerate(MIXED):
            f, rows = c.first[i], c.rows(i)
            if law == ROPE:
                taut = np.abs(c.p[rows]).max() > least
                expected[f] = STICK if taut else OPEN
                for row in range(f + 1, rows.stop):
                    w = c.u[f:row].sum()
                    way = STICK if abs(w) <= still else SLIP if w > 0.0 else BACK
                    if np.isfinite(c.slip[row]):
                        way = SLIP if c.slip[row] > 0.0 else BACK
                    elif c.mu[row] == 0.0:
                        way = SLIP
                    expected[row] = way if taut else OPEN
                continue
            speed = np.linalg.norm(c.u[f + (law == CONE) : rows.stop])
            given = np.isfinite(c.slip[rows]).any()
            expected[f] = SLIP if c.mu[f] > 0.0 and (speed > still or given) else STICK
            if law == CONE and c.p[f] + c.given[f] <= least:
                expected[f] = OPEN
        np.testing.assert_array_equal(c.modes, expected)
        seen |= set(expected)
    assert seen == {OPEN, STICK, SLIP, BACK, 9}


def set_modes(c: Blocks, rng: np.random.Generator) -> np.ndarray:
    """Random modes of all blocks; directions of those that slip."""
    d = np.zeros(c.n)
    for i, (law, size) in enumerate(c.laws):
        f = c.first[i]
        c.modes[f] = rng.choice(
            [OPEN, STICK, SLIP] if law == CONE else [STICK, SLIP] if law == LIMIT else [OPEN, STICK]
        )
        if law == ROPE:
            c.modes[f + 1 : f + size] = rng.integers(1, 4, size - 1)
        elif law == LIMIT:
            d[f] = rng.choice([-1.0, 1.0])
        elif size == 3:
            angle = rng.uniform(-np.pi, np.pi)
            d[f + 1 : f + 3] = np.cos(angle), np.sin(angle)
    return d


def forces_of_modes(c: Blocks, d: np.ndarray, near: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Forces p = fixed + push z whose rates `sums` vanish, nearest to others in the metric of their weights."""
    columns, sums, fixed, metric = [], [], np.zeros(c.n), np.zeros(c.n)
    for i, (law, size) in enumerate(c.laws):
        f, rows = c.first[i], c.rows(i)
        if c.modes[f] == OPEN:
            continue
        if law == ROPE:
            own, push, _ = c.groups(i)
            lengths = np.ones(c.n) if c.lengths is None else c.lengths
            metric[rows] = lengths[rows] / lengths[rows].mean()
            for g in range(len(own)):
                columns.append(np.zeros(c.n))
                sums.append(np.zeros(c.n))
                columns[-1][rows], sums[-1][rows] = push[:, g], own[g]
            continue
        acts = [f] if law == CONE else []
        if c.modes[f] == SLIP and (law == LIMIT or size == 3):
            t = slice(f + (law == CONE), rows.stop)
            fixed[t] = -c.mu[f] * (c.given[f] if law == CONE else 1.0) * d[t]
        elif c.modes[f] == STICK and c.mu[f] > 0.0:
            acts += [row for row in range(f + (law == CONE), rows.stop) if c.W[row, row] > 0.0]
        for row in acts:
            columns.append(np.eye(c.n)[row])
            sums.append(np.eye(c.n)[row])
            metric[row] = 1.0 if row == f else weights[i] ** -2.0
            if c.modes[f] == SLIP and size == 3:
                columns[-1][f + 1 : f + 3] = -c.mu[f] * d[f + 1 : f + 3]
    B, C = np.array(columns).T, np.array(sums)
    if not columns:
        return fixed
    A, right, m = C @ c.W @ B, -C @ (c.W @ fixed + c.b), np.sqrt(metric)
    start = np.linalg.lstsq(m[:, None] * B, m * near, rcond=None)[0]  # then the shortest way to a solution
    _, R = np.linalg.qr(m[:, None] * B)
    z = start + np.linalg.solve(R, np.linalg.pinv(A @ np.linalg.inv(R), rcond=1e-10) @ (right - A @ start))
    return np.asarray(fixed + B @ z)


@pytest.mark.parametrize("rank", [0, 6])
def test_forces_of_given_modes(engine: Any, rank: int) -> None:
    """Rates vanish where blocks act; forces that are not determined are those nearest to given ones."""
    rng, many = np.random.default_rng(7), 0
    for trial in range(60):
        c = Blocks(rng, MIXED, rank=rank)
        c.b = c.W @ rng.normal(size=c.n)  # so that there are forces
        c.mu[c.first[:-1]] *= rng.random(len(MIXED)) < 0.8
        if trial % 2:
            c.lengths = rng.uniform(0.3, 3.0, c.n)
        if trial % 5 == 0:  # the first cone in a plane
            c.W[2], c.W[:, 2], c.b[2] = 0.0, 0.0, 0.0
        d, near, weights = set_modes(c, rng), rng.normal(size=c.n), rng.uniform(0.2, 3.0, len(MIXED))
        if rank:  # slips are as given only where equations then have a solution
            c.modes[c.first[:-1]] = np.where(c.modes[c.first[:-1]] == SLIP, STICK, c.modes[c.first[:-1]])
            for i in (3, 5):
                c.modes[c.first[i] + 1 : c.first[i + 1]] = STICK
        given_weights = weights if trial % 3 else None
        expected = forces_of_modes(c, d, near, weights if trial % 3 else np.ones(len(MIXED)))
        engine("of_modes", *c.all, near, given_weights, d)
        size = 1.0 + np.abs(expected).max()
        np.testing.assert_allclose(c.p, expected, rtol=0.0, atol=1e-8 * size)
        many += int(np.abs(c.p).max() > 0.0)
        if trial % 4 == 0:  # from nothing
            expected = forces_of_modes(c, d, np.zeros(c.n), weights if trial % 3 else np.ones(len(MIXED)))
            engine("of_modes", *c.all, None, given_weights, d)
            np.testing.assert_allclose(c.p, expected, rtol=0.0, atol=1e-8 * (1.0 + np.abs(expected).max()))
    assert many > 50


def test_whether_a_rope_rests(engine: Any) -> None:
    """Each condition alone breaks it: a slack span, a limit, a rate, a length that changes, a jam."""
    rng = np.random.default_rng(8)
    c = Blocks(rng, [(CONE, 3), (ROPE, 4), (LIMIT, 1)])
    c.modes[3:7] = [STICK, STICK, SLIP, STICK]
    rows, E = slice(3, 7), np.exp(c.mu)
    for up in (-1.0, 1.0):
        T = np.exp(np.append(0.0, np.cumsum(up * 0.99 * c.mu[4:7])))
        beyond = [(row, T[row - 4] * (1.02 * E[row]) ** side) for row in (4, 6) for side in (-1, 1)]
        for at, tension in ((3, T[0]), (3, 0.01), (6, 0.01), *beyond):
            c.p[rows], c.u[:] = T, 5.0
            c.p[at], c.u[rows] = tension, 0.0
            assert engine("rope_at_rest", *c.all, 1, 0.02, 1e-6) == (tension == T[0]), (at, tension)
        c.p[rows] = T
        for changes, rests in (
            ((9e-7, 0, 0, 0), 1), ((2e-6, -2e-6, 0, 0), 0), ((0, 2e-6, -2e-6, 0), 1), ((0, 0, 0, 2e-6), 0),
            ((0, 0, 2e-6, -2e-6), 0), ((0, 0, 0, -2e-6), 0), ((-2e-6, 2e-6, 0, 0), 0),
        ):  # fmt: skip
            c.u[rows] = changes
            assert engine("rope_at_rest", *c.all, 1, 0.02, 1e-6) == rests, changes
    c.u[rows], c.slip[5], c.mu[5] = 0.0, 1.0, 2.0
    assert engine("rope_at_rest", *c.all, 1, 0.02, 1e-6) == (c.sheave(1, 1e-7) < 0) == 1
    c.W[4, 4], c.W[5, 4], c.W[4, 5], c.W[5, 5] = 9.0, -2.0, -2.0, 1.0
    assert engine("rope_at_rest", *c.all, 1, 0.02, 1e-6) == (c.sheave(1, 1e-7) < 0) == 0


def test_the_worst_mode_of_a_rope_changes(engine: Any) -> None:
    rng, seen = np.random.default_rng(9), set()
    for trial in range(300):
        c = Blocks(rng, [(ROPE, 5)], sliding=0.2)
        c.mu[1:] *= rng.random(4) < 0.9
        c.modes[:] = [STICK, *rng.integers(1, 4, 4)]
        c.p = np.exp(np.append(0.0, np.cumsum(rng.uniform(-1.2, 1.2, 4) * c.mu[1:])))
        c.u = rng.normal(size=5) * 10.0 ** rng.uniform(-1.0, 1.0, 5) if trial % 2 else np.zeros(5)
        if trial % 4 == 1:
            c.u *= 1e-13  # they all rest
        d, still, lacks = np.diag(c.W).max(), 1e-11 * np.abs(c.b).max(), {}
        for row in range(1, 5):
            if np.isfinite(c.slip[row]) or c.mu[row] == 0.0:
                continue
            w, E = c.u[:row].sum(), np.exp(c.mu[row])
            up, down = c.p[row] - E * c.p[row - 1], c.p[row - 1] - E * c.p[row]
            if c.modes[row] != STICK:
                back = w if c.modes[row] == BACK else -w
                lacks[row] = (back if back > still else 0.0, STICK)
            elif abs(w) > still:
                lacks[row] = (abs(w), SLIP if w > 0.0 else BACK)
            else:
                lacks[row] = (d * (max(up, down) - 1e-12 * c.p.max()), SLIP if up > down else BACK)
        row, (lack, mode) = max(lacks.items(), key=lambda item: item[1][0], default=(0, (0.0, STICK)))
        expected = c.modes.copy()
        if lack > 0.0:
            expected[row] = mode
        assert engine("worst", *c.all) == (lack > 0.0)
        np.testing.assert_array_equal(c.modes, expected)
        seen.add(int(mode) if lack > 0.0 else 0)
    assert seen == {0, STICK, SLIP, BACK}


def test_which_sheaves_at_their_limits_move(engine: Any) -> None:
    """While a rope keeps its length; one at its limit that is pushed back is held."""
    rng, seen = np.random.default_rng(10), set()
    for _ in range(300):
        size = int(rng.integers(2, 6))
        c = Blocks(rng, [(CONE, 3), (LIMIT, 1), (ROPE, size)])
        if rng.random() < 0.3:  # nothing moves but by all spans together
            c.W[4:, 4:] = np.outer(*2 * [rng.normal(size=size)])
        row = int(rng.integers(5, 4 + size))
        hold = (rng.random(c.n) < 0.4).astype(np.int64)
        way = rng.choice([-1.0, 0.0, 1.0], c.n) * (hold == 0)
        way[row] = rng.choice([-1.0, 1.0])
        L = np.tril(np.ones((size, size)))  # sums of the rates before a row, then of all
        G, at = L @ c.W[4:, 4:] @ L.T, row - 5
        held = [size - 1, *(j for j in range(size - 1) if hold[5 + j] and j != at)]
        while True:
            moved = G[:, at] - G[:, held] @ np.linalg.pinv(G[np.ix_(held, held)], rcond=1e-13) @ G[held, at]
            free = [j for j in range(size - 1) if j not in held and (way[5 + j] or j == at)]
            expected = int(moved[at] > 1e-7 * G[at, at])
            back = {j: way[5 + j] * way[row] * moved[j] / G[j, j] for j in free if j != at}
            if not expected or min(back.values(), default=0.0) >= -1e-7:
                break
            held.append(min(back, key=lambda j: back[j]))
        assert engine("moves", *c.all, 2, hold, way, row) == expected
        seen.add((expected, len(held) > 1))
    assert len(seen) == 4


def test_whether_rows_of_cones_depend_on_each_other(engine: Any) -> None:
    """Rows without friction, or that never move, are no tangents; ropes and joints do not count."""
    rng = np.random.default_rng(11)
    laws, found = [(ROPE, 2), (CONE, 3), (LIMIT, 1), (CONE, 1), (CONE, 3)], []
    for trial in range(60):
        c, taken = Blocks(rng, laws), [2, 3, 4, 6, 7, 8, 9]
        A = rng.normal(size=(c.n, c.n + 2))
        a, b = rng.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 2, replace=False)
        if trial % 2:
            A[a] = 3.0 * A[b]
        if trial % 3 == 0:
            c.mu[2], taken = 0.0, [row for row in taken if row not in (3, 4)]
        if trial % 5 == 0:
            A[9] = 0.0
            taken = [row for row in taken if row != 9]
        c.W = A @ A.T
        expected = np.linalg.matrix_rank(A[taken]) < len(taken)
        assert engine("depend", *c.all) == expected
        found.append(expected)
    assert 5 < sum(found) < 30


@pytest.mark.parametrize("sliding", [0.0, 0.4])
def test_searches_with_ropes_find_forces_that_obey_the_laws(engine: Any, sliding: float) -> None:
    """Projections and sweeps, block by block, and Newton's method from a few of them: the same forces and modes."""
    rng = np.random.default_rng(12)
    for _ in range(6):
        c = Blocks(rng, MIXED, sliding)
        for i in (3, 5):
            c.b[c.rows(i)] -= 0.7  # most ropes are taut
        scale, start = np.abs(c.b).max(), np.zeros(c.n)
        engine("project", *c.all, 200)
        assert c.fault(c.p, c.W @ c.p + c.b) < 1e-7 * scale
        projected = c.p.copy()
        c.p[:] = 0.0
        engine("project", *c.all, 25)
        start[:] = c.p
        engine("by_newton", *c.all, start)
        assert c.fault(c.p, c.u) < 1e-10 * scale
        np.testing.assert_allclose(c.u, c.W @ c.p + c.b, atol=1e-12 * scale)
        np.testing.assert_allclose(projected, c.p, atol=1e-6 * scale)
        exact, modes, change = c.p.copy(), c.modes.copy(), np.zeros(1)
        c.p[:], c.modes[:] = 0.0, OPEN
        for _ in range(80):
            before = c.p.copy()
            assert engine("sweep", *c.all, change) == SOLVED
            assert change[0] == np.abs(c.p - before).max()
        np.testing.assert_allclose(c.p, exact, atol=1e-8 * scale)
        for i, (law, _) in enumerate(MIXED):
            rows = c.rows(i) if law == ROPE else c.rows(i).start
            np.testing.assert_array_equal(c.modes[rows], modes[rows])
        assert engine("solved", *c.all) == SOLVED
        np.testing.assert_allclose(c.p, exact, atol=1e-8 * scale)


@pytest.mark.parametrize("sliding", [0.0, 0.5])
def test_pivots_are_exact_in_a_plane(engine: Any, sliding: float) -> None:
    """Cones with one tangent, joints and ropes have exact forces; some slip already or have no friction."""
    rng, laws, found = np.random.default_rng(21), [(CONE, 3), (ROPE, 3), (LIMIT, 1), (CONE, 1), (ROPE, 2), (CONE, 3)], 0
    for trial in range(40):
        c = Blocks(rng, laws, sliding)
        for f, flat in ((0, 2), (10, 11)):
            c.W[flat], c.W[:, flat], c.b[flat] = 0.0, 0.0, 0.0
            other = f + 3 - (flat - f)
            if np.isfinite(c.slip[other]):
                c.slip[other], c.slip[flat] = np.sign(c.slip[other]), 0.0
        c.mu[rng.random(c.n) < 0.2] = 0.0
        if trial % 2:
            c.b *= 1e3  # forces in another unit
            c.mu[6] *= 1e3
            c.given *= 1e3
        for i in (1, 4):
            c.b[c.rows(i)] -= 0.5 * np.abs(c.b).max()
        if engine("pivot", *c.all) != 1:
            continue  # there need not be a way
        found += 1
        assert c.fault(c.p, c.W @ c.p + c.b) < 1e-8 * np.abs(c.b).max()
    assert found > 36, found


def test_a_slip_that_never_moves_keeps_its_direction(engine: Any) -> None:
    """Its friction is along that of the forces near it; where these have none there is no such solution."""
    rng = np.random.default_rng(13)
    c = Blocks(rng, [(LIMIT, 1), (CONE, 3)])
    c.W, c.b = np.diag([0.0, 2.0, 0.0, 0.0]), np.array([0.0, -3.0, 0.0, 0.0])
    c.modes[:], c.given[1] = [SLIP, SLIP, OPEN, OPEN], 0.4
    near = np.array([-0.2, 1.2, 0.3, -0.4])
    assert engine("polish", *c.all, near) == 1
    push = c.mu[1] * 1.9
    np.testing.assert_allclose(c.p, [-c.mu[0], 1.5, 0.6 * push, -0.8 * push], rtol=1e-13)
    for nothing in (0, slice(2, 4)):
        none = near.copy()
        none[nothing] = 0.0
        assert engine("polish", *c.all, none) == 0
    found = 0
    for _ in range(30):  # one that moves is against its motion
        c = Blocks(rng, [(LIMIT, 1), (CONE, 3), (LIMIT, 1)])
        c.b = 4.0 * rng.normal(size=5)
        c.b[1] = -5.0
        assert engine("solved", *c.all) == SOLVED
        exact, modes = c.p.copy(), c.modes.copy()
        if engine("polish", *c.all, exact + 1e-3 * rng.normal(size=5)):  # directions need not converge
            np.testing.assert_allclose(c.p, exact, atol=1e-9)
            np.testing.assert_array_equal(c.modes, modes)
            found += 1
    assert found > 20


@pytest.mark.parametrize("part", [1.0, 1e-6])
def test_friction_in_proportion_to_normal_forces(engine: Any, part: float) -> None:
    """Forces at rest have the least norm with friction weighed by normal forces; those that yield have less."""
    rng, held = np.random.default_rng(14), 0
    for _ in range(30):
        c = Blocks(rng, [(CONE, 3), (CONE, 3), (LIMIT, 1), (CONE, 3)], rank=6)
        want = 0.05 * rng.normal(size=c.n)
        want[[0, 3, 7]] = rng.uniform(0.5, 2.0, 3)
        c.b, c.given[:], c.mu[:] = -c.W @ want, 0.0, 0.5
        c.yields = np.array([1, 0, 0, 0])
        c.modes[c.first[:-1]] = STICK
        plain = forces_of_modes(c, np.zeros(c.n), np.zeros(c.n), np.ones(4))
        pushes = np.clip(plain[[0, 3, 6, 7]] / plain[[0, 3, 7]].max(), 1e-12, 1.0)
        weights = np.sqrt(np.where(c.yields > 0, part, 1.0) * pushes)
        expected = forces_of_modes(c, np.zeros(c.n), np.zeros(c.n), weights)
        made = engine("proportional", *c.all, part)
        np.testing.assert_allclose(c.p, expected, rtol=0.0, atol=1e-7)
        friction = np.hypot(c.p[[1, 4, 8]], c.p[[2, 5, 9]])
        assert made == ((c.p[[0, 3, 7]] > 0.0).all() and (friction < 0.5 * c.p[[0, 3, 7]]).all() and abs(c.p[6]) < 0.5)
        held += made
    assert held > 5


def test_contacts_that_yield_leave_friction_to_others(engine: Any) -> None:
    """If these can bear it; else all have it in proportion to normal forces. Without any its norm is the least."""
    rng, kinds = np.random.default_rng(19), [0, 0, 0]
    for _ in range(150):
        c = Blocks(rng, [(CONE, 3), (CONE, 3), (CONE, 3)], rank=5)
        want = rng.choice([0.1, 0.4]) * rng.normal(size=c.n)
        want[::3] = rng.uniform(0.5, 2.0, 3)
        c.b, c.given[:], c.mu[:] = -c.W @ want, 0.0, rng.choice([0.2, 0.5, 1.0])
        nothing = np.zeros(c.n)
        c.modes[::3] = STICK
        plain = forces_of_modes(c, nothing, nothing, np.ones(3))
        parts = np.clip(plain[::3] / plain[::3].max(), 1e-12, 1.0)
        by_parts = [forces_of_modes(c, nothing, nothing, np.sqrt(np.array([y, 1.0, 1.0]) * parts)) for y in (1e-6, 1.0)]
        holds = [
            bool((p[::3] > 1e-6).all() and (np.hypot(p[1::3], p[2::3]) < (1.0 - 1e-6) * c.mu[0] * p[::3]).all())
            for p in (*by_parts, plain)
        ]
        if holds[0] or holds[1]:
            c.yields = np.array([1, 0, 0])
            assert engine("solved", *c.all) == SOLVED
            np.testing.assert_allclose(c.p, by_parts[0 if holds[0] else 1], atol=1e-7)
        if holds[2]:
            for yields in (None, np.zeros(3, dtype=np.int64)):
                c.yields = yields
                assert engine("solved", *c.all) == SOLVED
                np.testing.assert_allclose(c.p, plain, atol=1e-7)
        kinds = [n + k for n, k in zip(kinds, (holds[0], holds[1] and not holds[0], holds[2]), strict=True)]
    assert min(kinds) > 2, kinds


def test_a_block_without_forces_is_named(engine: Any) -> None:
    """One cone that jams; of several the one that does."""
    rng = np.random.default_rng(20)
    for blocks, at in ((1, 0), (3, 0), (3, 2)):
        c, f = Blocks(rng, [(CONE, 3)] * blocks), 3 * at
        c.given[:] = 0.0
        A = rng.normal(size=(3, 3)) * [[0.2], [1.0], [1.0]]
        A[0] += 0.8 * A[1]
        c.W[:], c.b[:] = np.eye(c.n), 0.5
        c.W[f : f + 3, f : f + 3], c.mu[f], c.slip[f + 1 : f + 3], c.b[f] = A @ A.T, 3.0, (1.0, 0.0), -1.0
        assert c.jams(at)
        assert engine("solved", *c.all) == at


def test_whether_a_cone_at_rest_is_at_its_limit(engine: Any) -> None:
    rng = np.random.default_rng(15)
    for at in (0, 2):
        for part, given, mode, sliding, expected in (
            (1.0, 0.0, STICK, False, 1), (0.98, 0.0, STICK, False, 0), (1.0, 0.4, STICK, False, 1),
            (0.98, 0.4, STICK, False, 0), (1.0, 0.4, SLIP, False, 0), (1.0, 0.0, STICK, True, 0),
        ):  # fmt: skip
            c = Blocks(rng, [(CONE, 3), (CONE, 1), (CONE, 3)])
            f, c.given[:] = c.first[at], given
            c.modes[c.first[:-1]], c.p[:] = STICK, 1.0
            c.p[[1, 2, 5, 6]] = 0.0
            c.modes[f] = mode
            c.p[f + 1 : f + 3] = c.mu[f] * (1.0 + given) * part * np.array([0.6, -0.8])
            if sliding:
                c.slip[f + 1 : f + 3] = 1.0, 0.0
            assert engine("at_limit", *c.all) == expected


def test_forces_without_friction_and_the_block_that_has_none(engine: Any) -> None:
    rng = np.random.default_rng(16)
    for _ in range(40):
        c = Blocks(rng, [(CONE, 3), (CONE, 1), (CONE, 3), (CONE, 1)])
        c.mu[:] = 0.0
        assert engine("without_friction", *c.all) == SOLVED
        f = c.first[:-1]
        assert (c.p[f] >= 0.0).all() and c.u[f].min() > -1e-10 and np.abs(c.p[f] * c.u[f]).max() < 1e-10
        np.testing.assert_allclose(c.u, c.W @ c.p + c.b, atol=1e-12)
        assert not np.delete(c.p, f).any() and (c.modes[f] == np.where(c.p[f] > 0.0, STICK, OPEN)).all()
    c.b[f] = 1.2, 0.3, -0.7, 0.4
    c.W[f[2]] = c.W[:, f[2]] = 0.0  # driven in, and nothing can push it back
    assert engine("without_friction", *c.all) == 2


def slip_of(W: np.ndarray, b: np.ndarray, mu: float, given: float, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Force and motion of a cone that slips along d."""
    way = np.array([1.0, *(-mu * d)])
    fixed = -mu * given * np.array([0.0, *d])
    pivot = W[0] @ way
    p = fixed + way * (max(0.0, -(b[0] + W[0] @ fixed) / pivot) if pivot > 0.0 else np.nan)
    return p, W[1:] @ p + b[1:]


@pytest.mark.parametrize("spatial", [1, 0])
def test_of_several_slips_the_fastest(engine: Any, spatial: int) -> None:
    """By all directions in which a cone then moves, of two thousand; with much friction there may be none."""
    rng, counts = np.random.default_rng(17), []
    for trial in range(20 if spatial else 60):
        A = rng.normal(size=(3, 4)) * np.array([[0.5], [1.0], [1.2]])
        W, b, given = A @ A.T, rng.normal(size=3), float(rng.choice([0.0, 0.3]))
        mu = float(rng.uniform(0.2, 3.0))
        force = np.zeros(3)
        if not spatial:
            flat = 1 + trial % 2
            W[flat], W[:, flat], b[flat] = 0.0, 0.0, 0.0
            ways = [side * np.eye(2)[2 - flat] for side in (1.0, -1.0)]
        else:
            at = np.linspace(-np.pi, np.pi, 2001)
            crosses = []
            for angle in at:
                d = np.array([np.cos(angle), np.sin(angle)])
                _, u = slip_of(W, b, mu, given, d)
                crosses.append(u[0] * d[1] - u[1] * d[0])
            ways = []
            for k in range(len(at) - 1):
                low, high, f_low = at[k], at[k + 1], crosses[k]
                if not f_low * crosses[k + 1] <= 0.0 or abs(f_low) + abs(crosses[k + 1]) > 1.0:
                    continue  # none, or it passes infinity
                for _ in range(50):
                    middle = 0.5 * (low + high)
                    d = np.array([np.cos(middle), np.sin(middle)])
                    _, u = slip_of(W, b, mu, given, d)
                    if (u[0] * d[1] - u[1] * d[0]) * f_low > 0.0:
                        low = middle
                    else:
                        high = middle
                ways.append(d)
        made = [(float(u @ d), p) for d in ways for p, u in [slip_of(W, b, mu, given, d)] if u @ d > 0.0]
        counts.append(len(made))
        found = engine("one_slip", W, b, mu, given, spatial, force)
        assert found == bool(made)
        if made:
            np.testing.assert_allclose(force, max(made, key=lambda one: one[0])[1], atol=1e-9)
    assert {0, 1} <= set(counts)


def test_a_cone_that_parts_is_held_across_by_a_given_push(engine: Any) -> None:
    """Friction of the given push alone: it rests if that does not press it down again, and is not beyond the limit."""
    rng, modes = np.random.default_rng(18), set()
    for trial in range(200):
        c = Blocks(rng, [(CONE, 3)])
        A = rng.normal(size=(3, 3))
        c.W, c.given[0], c.mu[0] = A @ A.T, 0.6, rng.uniform(0.3, 1.0)
        c.b = np.array([rng.uniform(-0.1, 0.4), *(0.4 * rng.normal(size=2))])
        if trial % 4 == 0:
            flat = 1 + trial // 4 % 2
            c.W[flat], c.W[:, flat], c.b[flat] = 0.0, 0.0, 0.0
        mode = engine("one", c.W, c.b, c.mu[0], c.slip[1:].copy(), 0.6, c.p, c.work)
        modes.add((mode, bool(c.p[0] > 0.0)))
        u = c.W @ c.p + c.b
        assert c.fault(c.p, u) < 1e-10
        assert mode == (SLIP if np.linalg.norm(u[1:]) > 1e-10 else STICK)
    assert modes >= {(STICK, True), (STICK, False), (SLIP, True), (SLIP, False)}
