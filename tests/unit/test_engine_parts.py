"""Parts of the engine that other parts would repair: searches for forces, laws as equations, their derivatives.

A wrong step of Newton's method only takes more iterations, and what does not converge is solved in another way: runs do
not show it. These functions are called one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import nnls

from dalembert.compile.build import find_toolchain
from support.engine_units import calls, unit_with

pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="no C compiler")

CONE, LIMIT, ROPE = range(3)
OPEN, STICK, SLIP = range(3)
SOLVED = -1

SHOWN = """
#define SHOWN __attribute__((visibility("default")))
#define BLOCKS int64_t k, int64_t n, const int64_t *law_of, const int64_t *first, const double *W, const double *b, \\
               const double *mu, const double *slip, const double *given
#define MADE const struct blocks c = {k, n, law_of, first, W, b, mu, slip, given, 0, 0, 0}; (void)c
#define SPARE struct memory memory = {work}
SHOWN int64_t a_cone(const double *W, const double *b, double mu, const double *slip, double given, double *p,
                     double *work) {
    SPARE; return one_cone(W, b, mu, slip, given, p, memory); }
SHOWN int64_t a_limit(double W, double b, double most, double slip, double *p) {
    return one_limit(W, b, most, slip, p); }
SHOWN double laws(BLOCKS, const double *x, double *u, double *F, double *z) { MADE; return law(&c, x, u, F, z); }
SHOWN void derivative(BLOCKS, const double *z, double *G) { MADE; law_derivative(&c, z, G); }
SHOWN void by_newton(BLOCKS, const double *start, double *p, double *u, int64_t *modes, double *work) {
    MADE; SPARE; const struct solution s = {p, u, modes}; newton(&c, start, &s, memory); }
SHOWN void project(BLOCKS, double *p, int64_t sweeps, double *work) {
    MADE; SPARE; project_onto(&c, p, sweeps, memory); }
SHOWN int64_t sweep(BLOCKS, double *p, int64_t *modes, double *change, double *work) {
    MADE; SPARE; return sweep_over(&c, p, modes, change, memory); }
SHOWN int64_t pivot(BLOCKS, double *p, double *work) { MADE; SPARE; return pivoted(&c, p, memory); }
SHOWN int64_t lemke(double *T, int64_t n, double *z, double *work) { SPARE; return complementary(T, n, z, memory); }
SHOWN void least_squares(const double *A, int64_t m, int64_t n, const double *b, double *x, double *work) {
    SPARE; lstsq(A, m, n, b, x, 1e-12, n, memory); }
SHOWN double remainder_of(const double *S, int64_t m, int64_t g, double *work) {
    SPARE; return pivot_of(S, m, g, 1e-12, memory); }
SHOWN int64_t rests_at(BLOCKS, int64_t i, double *p, double *u, int64_t *modes, double least, double tolerance) {
    MADE; const struct solution s = {p, u, modes}; return pair_rests(&c, i, &s, least, tolerance); }
SHOWN void full(double *A, double *b, int64_t n, int64_t *columns) { solve_full(A, b, n, columns); }
SHOWN int64_t pulls(const double *X, int64_t rows, int64_t n, const double *violation, double *x, double *work) {
    SPARE; return pulling(X, rows, n, violation, 1e-12, x, memory); }
SHOWN void decomposed(int64_t m, const int64_t *pivot, double *R, const double *rhs, double *z, double *mu, double *b,
                      double *room) {
    struct constrained C = {0};
    C.n_active = C.m = m, C.pivot = (int64_t *)(void *)pivot, C.Q = R, C.U = room, C.b = b, C.mu = room + 2 * m * m;
    solve_decomposed(&C, m, rhs, z, mu); }
SHOWN int64_t of_contact(const int64_t *losses, const int64_t *of_rope, int64_t n, const int64_t *rubbing,
                         int64_t row) {
    struct constrained C = {0};
    C.losses = losses, C.of_rope = of_rope, C.n_rubbing = n, C.rubbing = rubbing;
    return is_of_contact(&C, row); }
SHOWN void let_go_of(const int64_t *losses, int64_t n, const int64_t *rubbing, int64_t m, const int64_t *rows,
                     double *lambda) {
    struct constrained C = {0};
    C.losses = losses, C.n_rubbing = n, C.rubbing = rubbing, C.n_unilateral = m, C.unilateral = rows;
    let_go_at_zero(&C, lambda); }
SHOWN int64_t seen_before(int64_t n, int64_t nc, int64_t np, double t, double *seen, const double *x, const double *c,
                          const double *p) {
    struct constrained C = {0};
    const double at = 1.5, *in[4] = {&at, x, c, p};
    C.n = n, C.nc = nc, C.np = np, C.t_seen = t, C.seen = seen;
    return was_seen(&C, in); }
SHOWN void remembered(int64_t n, int64_t nc, int64_t np, double *seen, const double *x, const double *c,
                      const double *p) {
    struct constrained C = {0};
    const double at = 1.5, *in[4] = {&at, x, c, p};
    C.n = n, C.nc = nc, C.np = np, C.seen = seen;
    remember(&C, in); }
SHOWN void shared(int64_t nv, int64_t n, const int64_t *shares, int64_t *active, const double *Z, double *mu,
                  double *work) {
    struct constrained C = {0};
    C.nv = nv, C.n_active = n, C.shares = shares, C.active = active, C.mu = mu, C.dense_work = work;
    C.rank_tolerance = 1e-10;
    keep_shares(&C, Z); }
SHOWN int64_t general(int64_t nv, int64_t m, double *Y, double *Z, const double *rhs, double *mu, double *room) {
    struct constrained C = {0};
    double *S = room, *work = room + 2 * m * m + m;
    C.nv = nv, C.n_active = C.m = m, C.Y = Y, C.Z = Z, C.U = S + m * m, C.b = C.U + m * m, C.dense_work = work;
    for (int64_t i = 0; i < m * m; i++) S[i] = 0.0;
    for (int64_t k = 0; k < nv; k++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < m; j++) S[i * m + j] += Y[k * m + i] * Z[k * m + j];
    return solve_general(&C, S, rhs, mu); }
SHOWN int64_t forces(BLOCKS, double *p, double *u, int64_t *modes, double *work) {
    MADE; SPARE; const struct solution s = {p, u, modes}; return solve_blocks(&c, &s, memory); }
SHOWN void shared_anew(BLOCKS, const int64_t *yields, double *p, double *u, int64_t *modes, double *work) {
    MADE; SPARE; const struct solution s = {p, u, modes};
    struct blocks all = c;
    all.yields = yields;
    share_again(&all, &s, memory); }
SHOWN void of_rope(int64_t n, const int64_t *first, const int64_t *rubbing, const int64_t *flags, double *cone,
                   double *tension, double *yields, const double *x, double *g) {
    struct constrained C = {0};
    C.n_ropes = n, C.rope_first = first, C.n_rubbing = first[n], C.rubbing = rubbing, C.flags = flags;
    C.cone = cone, C.tension = tension, C.yields = yields;
    rope_events(&C, x, g); }
SHOWN void root(const double *W, int64_t n, double *X, double *work) { SPARE; square_root(W, n, X, memory); }
"""


@pytest.fixture(scope="module")
def engine() -> Any:
    integers = ("a_cone", "a_limit", "sweep", "pivot", "lemke", "rests_at", "pulls", "of_contact", "seen_before",
                "forces")  # fmt: skip
    return calls(unit_with(SHOWN, "equations", "parts", doubles=("laws", "remainder_of"), integers=integers))


def work() -> np.ndarray:
    return np.zeros(200_000)


class Blocks:
    """A random problem: cones with and without tangents, joints that stick, ropes."""

    def __init__(self, rng: np.random.Generator, laws: list[tuple[int, int]], sliding: bool = False) -> None:
        self.laws = laws
        self.law = np.array([law for law, _ in laws])
        self.first = np.cumsum([0, *(size for _, size in laws)])
        n = self.n = int(self.first[-1])
        A = rng.normal(size=(n, n + 3))
        self.W = A @ A.T / n + np.eye(n)
        self.b = 2.0 * rng.normal(size=n)
        self.mu, self.slip, self.given = rng.uniform(0.1, 0.3, n), np.full(n, np.nan), np.zeros(n)
        for (law, size), f in zip(laws, self.first, strict=False):
            if law == CONE and size == 3:
                self.given[f] = rng.choice([0.0, 0.4])
            if sliding and rng.random() < 0.5:
                if law == CONE and size == 3:
                    angle = rng.uniform(-np.pi, np.pi)
                    self.slip[f + 1 : f + 3] = np.cos(angle), np.sin(angle)
                elif law == LIMIT:
                    self.slip[f] = rng.choice([-1.0, 1.0])

    @property
    def given_to(self) -> tuple[Any, ...]:
        return (len(self.law), self.n, self.law, self.first, self.W, self.b, self.mu, self.slip, self.given)

    def faults(self, p: np.ndarray) -> float:
        """By how much forces break the laws of cones and limits."""
        u, worst = self.W @ p + self.b, 0.0
        for (law, size), f in zip(self.laws, self.first, strict=False):
            if law == LIMIT:
                force = cone_of_friction(p[f : f + 1], u[f : f + 1], self.mu[f], self.slip[f : f + 1])
            else:
                worst = max(worst, -p[f], -u[f], abs(p[f] * u[f]))
                limit = self.mu[f] * (p[f] + self.given[f])
                at = slice(f + 1, f + size)
                force = cone_of_friction(p[at], u[at], limit, self.slip[at]) if size == 3 else 0.0
            worst = max(worst, force)
        return worst


def cone_of_friction(p: np.ndarray, u: np.ndarray, limit: float, slip: np.ndarray) -> float:
    """How far friction is from its law."""
    speed = np.linalg.norm(u)
    if np.isfinite(slip).all():
        return float(np.abs(p + limit * slip).max())
    beyond = max(0.0, np.linalg.norm(p) - limit)
    return float(max(beyond, min(speed, np.abs(p + limit * u / max(speed, 1e-300)).max())))


MIXED = [(CONE, 3), (LIMIT, 1), (CONE, 1), (CONE, 3)]


@pytest.mark.parametrize("sliding", [False, True])
@pytest.mark.parametrize("laws", [MIXED, [(ROPE, 4), *MIXED], [(CONE, 1), (ROPE, 3)]], ids=["cones", "all", "rope"])
def test_the_derivative_of_the_laws(engine: Any, laws: list[tuple[int, int]], sliding: bool) -> None:
    rng = np.random.default_rng(3)
    for _ in range(25):
        c = Blocks(rng, laws, sliding)
        x, n = rng.normal(size=c.n) * rng.choice([0.3, 3.0]), c.n
        u, F, z, G = np.zeros(n), np.zeros(n), np.zeros(5 * n), np.zeros((n, n))
        size = engine("laws", *c.given_to, x, u, F, z)
        engine("derivative", *c.given_to, z, G)
        assert size == pytest.approx(np.linalg.norm(F), rel=1e-14)
        np.testing.assert_allclose(u, c.W @ x + c.b, rtol=1e-13, atol=1e-13)
        for j in range(n):
            ends = []
            for side in (1e-7, -1e-7):
                moved, other = x.copy(), np.zeros(n)
                moved[j] += side
                engine("laws", *c.given_to, moved, u, other, z.copy())
                ends.append(other)
            np.testing.assert_allclose(G[:, j], (ends[0] - ends[1]) / 2e-7, rtol=0.0, atol=1e-6 * np.abs(G).max())


@pytest.mark.parametrize("sliding", [False, True])
def test_every_search_finds_forces_that_obey_the_laws(engine: Any, sliding: bool) -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        c = Blocks(rng, MIXED, sliding)
        n, zero = c.n, np.zeros(c.n)
        p, u, modes, other, again, change = (
            zero.copy(),
            zero.copy(),
            np.zeros(n, int),
            zero.copy(),
            zero.copy(),
            zero[:1].copy(),
        )
        engine("project", *c.given_to, other, 300, work())
        assert c.faults(other) < 1e-8  # projections contract
        engine("by_newton", *c.given_to, other, p, u, modes, work())
        assert c.faults(p) < 1e-12
        np.testing.assert_allclose(u, c.W @ p + c.b, atol=1e-13)
        engine("project", *c.given_to, (held := p.copy()), 1, work())
        np.testing.assert_allclose(held, p, atol=1e-12)  # a solution stays
        for _ in range(60):
            swept = engine("sweep", *c.given_to, again, (found := np.zeros(n, int)), change, work())
            assert swept == SOLVED
        np.testing.assert_allclose(again, p, atol=1e-9)
        assert change[0] < 1e-9
        at = c.first[:-1]
        np.testing.assert_array_equal(found[at], modes[at])


def test_forces_of_one_cone(engine: Any) -> None:
    rng, seen = np.random.default_rng(5), set()
    for trial in range(300):
        c = Blocks(rng, [(CONE, 3)], sliding=trial % 3 == 0)
        c.b[0] -= 1.0
        if trial % 5 == 0:  # parted by what is given, and held across
            c.b, c.given[0] = np.array([1.0, 0.1, 0.1]) * np.abs(c.b) + [0.1, 0.0, 0.0], 0.4
        if trial % 2:  # in a plane
            c.W[2], c.W[:, 2], c.b[2] = 0.0, 0.0, 0.0
            if np.isfinite(c.slip[1]):
                c.slip[1:] = np.sign(c.slip[1]), 0.0
        p = np.zeros(3)
        mode = engine("a_cone", c.W, c.b, c.mu[0], c.slip[1:].copy(), c.given[0], p, work())
        assert c.faults(p) < 1e-12
        u = c.W @ p + c.b
        slides = np.isfinite(c.slip[1]) or np.linalg.norm(u[1:]) > 1e-12
        assert mode == (OPEN if p[0] + c.given[0] == 0.0 else SLIP if slides else STICK), trial
        seen.add(mode)
    assert seen == {OPEN, STICK, SLIP}


def test_force_of_one_limit(engine: Any) -> None:
    for b in (-3.0, -0.5, 0.0, 0.5, 3.0):
        p = np.zeros(1)
        mode = engine("a_limit", 2.0, b, 0.7, np.nan, p)
        assert p[0] == pytest.approx(np.clip(-b / 2.0, -0.7, 0.7), abs=1e-15)
        assert mode == (STICK if abs(b) <= 1.4 else SLIP)
    assert engine("a_limit", 2.0, 0.1, 0.7, 1.0, p) == SLIP and p[0] == -0.7
    assert engine("a_limit", 0.0, 0.1, 0.7, np.nan, p) == STICK and p[0] == 0.0


def test_pivots(engine: Any) -> None:
    rng = np.random.default_rng(6)
    for n in (1, 3, 6, 9):
        for _ in range(10):
            A = rng.normal(size=(n, n))
            A, q, z = A @ A.T + 0.1 * np.eye(n) + 0.3 * (A - A.T), rng.normal(size=n), np.zeros(n)
            assert engine("lemke", np.column_stack([A, np.zeros(n), q]), n, z, work()) == 1
            w = A @ z + q
            size = 1.0 + np.abs(z).max()
            assert min(z.min(), w.min()) > -1e-10 * size and np.abs(w * z).max() < 1e-9 * size**2
        c = Blocks(rng, [(CONE, 1), (LIMIT, 1), (LIMIT, 1), (CONE, 1)])  # with no cone that would be made of planes
        p = np.zeros(c.n)
        assert engine("pivot", *c.given_to, p, work()) == 1
        assert c.faults(p) < 1e-9


def test_pivots_of_ropes_and_of_cones_made_of_planes(engine: Any) -> None:
    rng = np.random.default_rng(8)
    for laws in ([(ROPE, 4), (ROPE, 2)], [(CONE, 1), (ROPE, 3), (LIMIT, 1)], [(CONE, 3), (CONE, 3)]):
        solved = 0
        for _ in range(8):
            c = Blocks(rng, laws)
            c.given[:] = 0.0
            n, p = c.n, np.zeros(c.n)
            if engine("pivot", *c.given_to, p, work()) != 1:
                continue  # of ropes pivots need not find an answer
            solved += 1
            u, F = c.W @ p + c.b, np.zeros(n)
            engine("laws", *c.given_to, p, u.copy(), F, np.zeros(5 * n))
            if laws[0] != (CONE, 3):
                np.testing.assert_allclose(F, 0.0, atol=1e-9)
                continue
            for f in (0, 3):  # eight planes inside of the cone: a part of cos(pi / 8), and as far from the direction
                np.testing.assert_allclose(F[f], 0.0, atol=1e-9)
                limit, push, speed = c.mu[f] * p[f], np.linalg.norm(p[f + 1 : f + 3]), np.linalg.norm(u[f + 1 : f + 3])
                assert push <= limit * (1.0 + 1e-9) + 1e-12
                if speed > 1e-9:
                    assert push >= limit * (np.cos(np.pi / 8) - 1e-9) - 1e-12
                    assert -(p[f + 1 : f + 3] @ u[f + 1 : f + 3]) >= limit * speed * (np.cos(np.pi / 8) - 1e-9) - 1e-12
        assert solved >= (4 if laws[0] != (CONE, 3) else 8)


def test_a_pair_rests_where_every_condition_of_its_law_holds(engine: Any) -> None:
    rng = np.random.default_rng(12)
    c = Blocks(rng, MIXED)
    for i, ((law, size), f) in enumerate(zip(MIXED, c.first, strict=False)):
        p, u, modes = rng.uniform(-9.0, 9.0, c.n), rng.normal(size=c.n), np.full(c.n, STICK)
        p[f], u[f : f + size] = (0.9 * c.mu[f] if law == LIMIT else 2.0), 0.0
        limit = c.mu[f] * (p[f] + c.given[f])
        if size == 3:
            p[f + 1 : f + 3] = -0.59 * limit, 0.79 * limit  # together 0.986 of the limit
        broken: list[tuple[np.ndarray, int, float]] = [(u, f, 1e-3), (u, f, -1e-3)]
        if law == LIMIT:
            broken += [(p, f, 1.1 * c.mu[f]), (p, f, -1.1 * c.mu[f])]
        else:
            broken += [(p, f, 0.005)]
        if size == 3:
            broken += [(p, f + 1, 0.63 * limit), (p, f + 2, -0.83 * limit), (u, f + 1, -1e-3), (u, f + 2, 1e-3)]
        rests = [engine("rests_at", *c.given_to, i, p, u, modes, 0.01, 1e-6)]
        for array, at, value in broken:
            kept, array[at] = array[at], value
            rests.append(engine("rests_at", *c.given_to, i, p, u, modes, 0.01, 1e-6))
            array[at] = kept
        assert rests == [1, *(0 for _ in broken)], i
        if size == 3:  # one that slips needs no friction within the cone
            modes[f], p[f + 1] = SLIP, 9.0
            assert engine("rests_at", *c.given_to, i, p, u, modes, 0.01, 1e-6) == 1


def test_forces_of_a_table_are_those_of_equal_legs(engine: Any) -> None:
    """Where forces are not unique they are those of least norm that push; a leg on which nothing rests has none."""
    rng = np.random.default_rng(13)
    for legs in (4, 6, 9):
        for idle in (0, 2, legs):
            A = np.column_stack([np.ones(legs), rng.uniform(-1.0, 1.0, (legs, 2))])  # up, and about two axes
            load = 10.0 * A.T @ (rng.dirichlet(np.ones(legs)) ** 3)
            A = np.insert(A, idle, 0.0, axis=0)
            n = legs + 1
            c = Blocks(rng, [(CONE, 1)] * n)
            c.W, c.b, c.mu = A @ A.T, -A @ load, np.zeros(n)
            p, u, modes = np.zeros(n), np.zeros(n), np.zeros(n, int)
            assert engine("forces", *c.given_to, p, u, modes, work()) == SOLVED
            least, _ = nnls(np.vstack([1e5 * A.T, np.eye(n)]), np.append(1e5 * load, np.zeros(n)))
            np.testing.assert_allclose(p, least, rtol=0.0, atol=1e-7)  # weights of 1e5 leave errors of 1e-10
            np.testing.assert_allclose(u, 0.0, atol=1e-8)


def test_what_is_at_rest_shares_forces_and_what_moves_does_not(engine: Any) -> None:
    """Of two legs side by side one has all; a third contact opens, whose force would be a pull."""
    c = Blocks(np.random.default_rng(14), [(CONE, 1)] * 3)
    c.W, c.mu = np.array([[2.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0]]), np.zeros(3)
    c.b = np.array([0.7, -4.0, -4.0])
    for slow in (0.0, 4e-11):  # ten times 1e-11 of the largest acceleration is rounding
        p, u, modes = np.array([0.0, 4.0, 0.0]), np.array([0.7, slow, -slow]), np.array([OPEN, STICK, OPEN])
        engine("shared_anew", *c.given_to, np.zeros(3, int), p, u, modes, work())
        np.testing.assert_allclose(p, [0.0, 2.0, 2.0], atol=1e-9)
        assert modes.tolist() == [OPEN, STICK, STICK]


def test_impulses_of_contacts_never_pull(engine: Any) -> None:
    """Not even by rounding: where a contact needs no more than it is given, which its friction may use, it has none."""
    rng = np.random.default_rng(15)
    for just in (0, 1, 2) * 10:
        c = Blocks(rng, [(CONE, 3)] * 3)
        p, u, modes, want = np.zeros(c.n), np.zeros(c.n), np.zeros(c.n, int), 0.02 * rng.normal(size=c.n)
        c.given[::3], c.mu[:] = 0.4, 0.3
        want[::3] = rng.uniform(0.5, 2.0, 3)
        want[3 * just] = 0.0
        c.b = -c.W @ want
        assert engine("forces", *c.given_to, p, u, modes, work()) == SOLVED
        assert (p[::3] >= 0.0).all()
        np.testing.assert_allclose(p, want, atol=1e-9)


def test_dense_matrices(engine: Any) -> None:
    rng = np.random.default_rng(7)
    for m, n, rank in ((4, 4, 4), (7, 4, 4), (4, 7, 4), (6, 6, 3), (3, 8, 2), (8, 3, 1)):
        A, b, x = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n)), rng.normal(size=m), np.zeros(n)
        engine("least_squares", A, m, n, b, x, work())
        np.testing.assert_allclose(x, np.linalg.pinv(A, rcond=1e-11) @ b, rtol=1e-9, atol=1e-11)
        S, X = A @ A.T, np.zeros((m, m))
        engine("root", S, m, X, work())
        np.testing.assert_allclose(X.T @ X, S, atol=1e-11 * np.abs(S).max())
        for g in range(m):
            others = [i for i in range(m) if i != g]
            want = S[g, g] - S[g, others] @ np.linalg.pinv(S[np.ix_(others, others)], rcond=1e-11) @ S[others, g]
            assert engine("remainder_of", S, m, g, work()) == pytest.approx(want, abs=1e-9 * np.abs(S).max())


def test_equations_by_full_pivoting(engine: Any) -> None:
    """Unknowns without a pivot are zero, and the others solve what can be solved."""
    rng = np.random.default_rng(8)
    for n, rank, size in (
        (1, 1, 1.0), (4, 4, 1e-3), (6, 6, 1e5), (5, 3, 1e-3), (6, 2, 1e5), (5, 4, 1e5), (3, 0, 1.0),
    ):  # fmt: skip
        A = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, n)) * size
        x = A @ rng.normal(size=n)
        right, columns = x.copy(), np.zeros(2 * n, dtype=np.int64)
        engine("full", A.copy(), x, n, columns)
        assert np.abs(A @ x - right).max() < 1e-11 * size and np.count_nonzero(x) == rank


def test_rows_that_only_pull(engine: Any) -> None:
    """Multipliers x >= 0 with violation - X^T X x <= 0, of which one or the other is zero; else it is said."""
    rng = np.random.default_rng(9)
    active = set()
    for _ in range(60):
        rows, n = 7, int(rng.integers(1, 7))
        X, violation, x = rng.normal(size=(rows, n)), rng.normal(size=n) + 0.5, np.zeros(n)
        if rng.random() < 0.3:
            X[:, -1] = X[:, 0]  # redundant, but not at odds
            violation[-1] = violation[0]
        assert engine("pulls", X, rows, n, violation, x, work()) == 1
        left = violation - X.T @ X @ x
        assert x.min() >= 0.0 and left.max() < 1e-9 and np.abs(x * left).max() < 1e-9
        active.add(int((x > 0.0).sum()))
    assert len(active) > 4
    X = np.array([[1.0, -1.0], [0.0, 0.0]])  # both would have to hold, each against the other
    assert engine("pulls", X, 2, 2, np.array([1.0, 1.0]), np.zeros(2), work()) == 0


def test_equations_with_factors_of_full_rank(engine: Any) -> None:
    rng = np.random.default_rng(10)
    for m in (1, 3, 5):
        R, pivot, right = np.triu(rng.normal(size=(m, m)) + 2.0 * np.eye(m)), rng.permutation(m), rng.normal(size=m)
        z, mu = np.zeros(m), np.zeros(m)
        engine("decomposed", m, pivot, R, right, z, mu, np.zeros(m), work())
        np.testing.assert_allclose(z, np.linalg.solve(R.T, right[pivot]), rtol=1e-9)
        np.testing.assert_allclose(mu[pivot], np.linalg.solve(R.T @ R, right[pivot]), rtol=1e-9)


def test_rows_of_contacts(engine: Any) -> None:
    """Rows 0 to 2 are a contact, 3 a joint that sticks, 4 a rope over sheaves, 5 a stop without losses."""
    losses, of_rope = np.array([7, 7, 7, 8, 9, -1]), np.array([0, 0, 0, 0, 1, 0])
    rubbing = np.array([0, 1, 2, -1, 3, -1])
    found = [engine("of_contact", losses, of_rope, 2, rubbing, row) for row in range(6)]
    assert found == [1, 1, 1, 0, 0, 0]
    force = np.array([-1.0, 2.0, 3.0, -4.0, 5.0, -6.0])
    engine("let_go_of", losses, 2, rubbing, 2, np.array([0, 5]), force)
    assert force.tolist() == [0.0, 0.0, 0.0, -4.0, 5.0, -6.0]  # a contact that would pull has no friction either


def test_states_that_were_seen(engine: Any) -> None:
    x, c, p = np.array([1.0, 2.0]), np.array([3.0]), np.array([4.0, 5.0])
    seen = np.full(6, 9.0)
    engine("remembered", 2, 1, 2, seen, x, c, p)
    assert seen.tolist() == [*x, *c, *p, 9.0]
    assert engine("seen_before", 2, 1, 2, 1.5, seen, x, c, p) == 1
    assert engine("seen_before", 2, 1, 2, 1.6, seen, x, c, p) == 0
    for array in (x, c, p):
        array[-1] += 1.0
        assert engine("seen_before", 2, 1, 2, 1.5, seen, x, c, p) == 0
        array[-1] -= 1.0
    assert engine("seen_before", 2, 0, 0, 1.5, seen, x, c, p) == 1


def test_shares_of_contacts_beside_constraints(engine: Any) -> None:
    """The generalized force stays; contacts have the least forces with which constraints can transmit the rest."""
    rng = np.random.default_rng(11)
    for contacts in ([1, 3, 4], [0], [2, 5], []):
        nv, n = 8, 6
        Z, mu = rng.normal(size=(nv, n)), rng.normal(size=n)
        Z[:, 5] = Z[:, 2]  # they share what they carry
        shares = np.array([7 if k in contacts else -1 for k in range(n)])
        force, held = Z @ mu, np.setdiff1d(np.arange(n), contacts)
        made = mu.copy()
        engine("shared", nv, n, shares, np.arange(n), Z, made, work())
        if not contacts:
            assert (made == mu).all()
            continue
        A, B = Z[:, held], Z[:, contacts]
        rest = np.eye(nv) - A @ np.linalg.pinv(A, rcond=1e-9)
        x = np.linalg.pinv(rest @ B, rcond=1e-9) @ (rest @ force)
        np.testing.assert_allclose(made[contacts], x, atol=1e-10)
        np.testing.assert_allclose(made[held], np.linalg.pinv(A, rcond=1e-9) @ (force - B @ x), atol=1e-10)


def test_equations_of_contacts_that_slip(engine: Any) -> None:
    """Y^T Z mu = b without symmetry; rows of light bodies beside heavy ones too, and least norms where rows depend."""
    rng = np.random.default_rng(12)
    for nv, m, scales, dependent in ((5, 3, 0.0, 0), (6, 6, 0.0, 0), (7, 4, 7.0, 0), (6, 5, 6.0, 0), (6, 4, 0.0, 1),
                                     (7, 5, 0.0, 2), (4, 6, 0.0, 0)):  # fmt: skip
        Y = rng.normal(size=(nv, m))
        Z = Y + 0.2 * rng.normal(size=(nv, m))
        for k in range(dependent):
            Y[:, k], Z[:, k] = 0.6 * Y[:, -1] - Y[:, -2], 0.6 * Z[:, -1] - Z[:, -2]
        if scales:  # of both, so that entries of the product differ by their square
            by = 10.0 ** -np.linspace(0.0, scales, m)
            Y, Z = Y * by, Z * by[::-1] * 10.0**scales if nv == 6 else Z * by
        S, b, mu, room = Y.T @ Z, rng.normal(size=m), np.zeros(m), rng.normal(size=work().shape)
        lacks = m - np.linalg.matrix_rank(Y / np.linalg.norm(Y, axis=0))
        if lacks:
            b = S @ rng.normal(size=m)
        assert engine("general", nv, m, np.ascontiguousarray(Y), np.ascontiguousarray(Z), b, mu, room) == (lacks > 0)
        left, right = 1.0 / np.linalg.norm(Y, axis=0), 1.0 / np.linalg.norm(Z, axis=0)
        if lacks:
            expected = np.linalg.pinv(S, rcond=1e-9) @ b
        else:
            expected = right * np.linalg.solve(left[:, None] * S * right, left * b)
        np.testing.assert_allclose(mu, expected, rtol=1e-7, atol=1e-10)


def test_events_of_sheaves(engine: Any) -> None:
    """How far the tensions beside a sheave are from its limit while it sticks, and how fast it slips on a taut rope.

    One that follows its limit is beyond it where another one of its rope is, and by as much.
    """
    rng = np.random.default_rng(16)
    sheaves, first = 9, np.array([0, 4, 7, 9])
    rope = np.repeat(np.arange(3), np.diff(first))
    rubbing = np.column_stack([3 + rope, np.arange(6, 15), np.full(9, -1)])  # rows: of a rope, and of each sheave
    flags = rng.permutation(20)[:15]
    taut = np.array([1.0, 1.0, 0.0])
    for trial in range(40):
        x, cone, g = rng.normal(size=20), rng.uniform(0.1, 0.9, (sheaves, 3)), np.full(2 * sheaves + 1, 9.0)
        sticks, follows = rng.random(sheaves) < 0.6, rng.random(sheaves) < 0.4
        x[flags[3:6]], x[flags[6:]] = taut, sticks
        tension = rng.uniform(4.0, 7.0 if trial % 2 else 4.3, sheaves + 3)
        at = np.arange(sheaves) + rope  # spans before the sheaves
        E = np.exp(cone[:, 0])
        room = np.minimum(E * tension[at] - tension[at + 1], E * tension[at + 1] - tension[at])
        engine("of_rope", 3, first, rubbing, flags, cone, tension, follows.astype(float), x, g)
        for r in range(sheaves):
            others = room[(rope == rope[r]) & sticks & ~follows]
            worst = min(others.min(initial=0.0), 0.0)
            alone = room[r] if sticks[r] else 1.0
            expected = (worst if worst < 0.0 else 1.0) if sticks[r] and follows[r] else alone
            assert g[r] == pytest.approx(expected, rel=1e-13)
            assert g[sheaves + r] == (cone[r, 1] if taut[rope[r]] and not sticks[r] else 1.0)
        assert g[-1] == 9.0
