"""Parts of time-stepping that other parts would repair: factors, laws as equations, extrapolations, ranks.

As in `test_engine_parts`, functions are called one by one, of the unit ``stepping``, and compared with numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from dalembert.compile.build import find_toolchain
from support.engine_units import calls, unit_with

pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="no C compiler")

UNILATERAL, COULOMB, STICTION, ROPE, RESISTED = range(5)

SHOWN = """
#define SHOWN __attribute__((visibility("default")))
#define BLOCKS int64_t nv, int64_t n, const int64_t *law, const int64_t *size, const int64_t *count, \\
               const int64_t *support, double *mu, double *Y, double *u0, double *x, double *s, double *bounce, \\
               double *give
#define MADE struct moreau C = made(nv, n, law, size, count, support, mu, Y, u0, x, s, bounce, give); (void)C
enum { MANY_BLOCKS = 512, MANY_NUMBERS = 1 << 20 };
static int64_t places[8][MANY_BLOCKS], whole_[1 << 17];
static double numbers[4][MANY_NUMBERS];

static struct moreau made(BLOCKS) {
    struct moreau C = {0};
    int64_t rows = 0, values = 0, entries = 0;
    for (int64_t a = 0; a < n; a++) {
        places[0][a] = entries, places[1][a] = rows, places[2][a] = 3 * a, places[3][a] = values, places[4][a] = 64 * a;
        places[5][a] = a;
        entries += count[a], rows += size[a], values += size[a] * count[a];
    }
    places[1][n] = rows;
    C.nv = nv, C.n_blocks = C.n_fixed = n;
    C.n_active = n, C.law = law, C.size = size, C.count = count, C.support = support;
    C.support_start = places[0], C.row_start = places[1], C.mu_start = places[2], C.value_start = places[3];
    C.block_start = places[4], C.active = places[5], C.mu = mu, C.Y = Y, C.u0 = u0, C.x = x, C.s = s, C.bounce = bounce;
    C.compliance = give, C.give = give, C.rest = numbers[3], C.w = numbers[0], C.scratch = numbers[1];
    C.n_nodes = 200, C.n_factors = MANY_NUMBERS, C.nodes = whole_, C.factors = numbers[2];
    C.island = whole_ + (1 << 16), C.gram = numbers[1], C.r = numbers[1] + (1 << 19);
    for (int64_t i = 0; i < n; i++) numbers[3][i] = 0.0;
    for (int64_t a = 0; a < n; a++) block_make(&C, a);
    return C;
}

/* An island of all blocks with the compliance `soft`, at the impulses C.x; vectors in `room`, matrices in `dense`. */
static struct island all_of(struct moreau *C, double soft, int64_t large, double *room, double *dense) {
    struct island I = {0};
    const int64_t R = C->row_start[C->n_blocks], n = C->n_blocks;
    I.n = n, I.rows = R, I.large = large, I.block = C->active, I.soft = soft, I.W = dense, I.G = dense + R * R;
    I.b = room, I.x = C->x, I.u = room + R, I.F = room + 2 * R, I.step = room + 3 * R, I.ref = room + 4 * R;
    I.normal = room + 5 * R, I.across = I.normal + n, I.s = I.across + n;
    I.response = (struct response *)(void *)(I.s + C->nv);
    for (int64_t i = 0; i < R; i++) I.ref[i] = 0.0, I.b[i] = C->u0[i];
    island_matrix(C, &I);
    for (int64_t k = 0, f = 0; k < n; f += C->size[k], k++) {
        const double *const w = I.W + f * (R + 1);
        I.normal[k] = 1.0 / (*w + soft);
        I.across[k] = C->size[k] < 3 ? 0.0 : 2.0 / (w[R + 1] + w[2 * (R + 1)] + 2.0 * soft);
    }
    I.N = factors_of(C);
    if (large) plan_island(C, &I.N, C->active, n);
    return I;
}

SHOWN int64_t inverse(int64_t n, double *A, double least) { return invert(n, A, least); }
SHOWN int64_t solution(double *A, int64_t n, double *x) { return eliminate(A, n, x, 0.0); }
SHOWN void disc(const double *W, const double *c, double most, double *r) { within_disc(W[0], W[1], W[2], c, most, r); }
SHOWN double resistance(double *B, const double *b, const double *mu, double *x, const double *u) {
    resisted_make(B);
    if (!u) resisted_solve(B, b, mu, x);
    return u ? resisted_violation(B, u, mu, x) : 0.0;
}
SHOWN void admitted(int64_t law, int64_t n, const double *mu, double *x) { admit((int)law, n, mu, x); }
SHOWN void gathered(BLOCKS, double *to) { MADE; gather(&C, to); }
SHOWN int64_t factored(BLOCKS, double a, double least, double *y) {
    MADE;
    struct factors N = factors_of(&C);
    if (!plan_island(&C, &N, C.active, n)) return -1;
    factors_begin(&N, a);
    for (int64_t k = 0; k < n; k++) {
        const double *const y = Y + C.value_start[k];
        factors_add(&N, size[k], count[k], support + C.support_start[k], y, y);
    }
    const int64_t small = factors_make(&N, least);
    factors_solve(&N, y);
    return small;
}
SHOWN double island_equations(BLOCKS, double soft, int64_t large, double *F, double *G, double *step, double *room,
                              double *dense) {
    MADE;
    struct island I = all_of(&C, soft, large, room, dense);
    const int64_t R = I.rows;
    const double length = island_law(&C, &I, C.x, I.u, I.F);
    memcpy(F, I.F, (size_t)R * sizeof(double));
    if (large) {
        large_factors(&C, &I), large_step(&C, &I);
        memcpy(step, I.step, (size_t)R * sizeof(double));
    } else {
        island_derivative(&C, &I);
        memcpy(G, I.G, (size_t)(R * R) * sizeof(double));
    }
    return length;
}
SHOWN int64_t island_by_newton(BLOCKS, double soft, int64_t large, double *tried, double *room, double *dense) {
    MADE;
    struct island I = all_of(&C, soft, large, room, dense);
    I.tried = tried, I.precise = 1e-14;
    return island_newton(&C, &I);
}
SHOWN int64_t undetermined(BLOCKS, int64_t large, double *room, double *dense) {
    MADE;
    struct island I = all_of(&C, 0.0, large, room, dense);
    island_law(&C, &I, C.x, I.u, I.F);
    if (!large) return island_undetermined(&C, &I);
    return large_undetermined(&C, &I.N, I.block, I.n, I.x, I.u, largest_in(I.b, I.rows));
}
SHOWN double cone_equations(BLOCKS, int64_t associated, double soft, double *ref, double *shift, const double *free,
                            double *to, double *step, double *shifts, double *room) {
    MADE;
    struct cones I = {0};
    const int64_t R = C.row_start[n];
    I.n = n, I.rows = R, I.associated = associated, I.block = C.active, I.free = free, I.soft = soft;
    I.N = factors_of(&C);
    plan_island(&C, &I.N, C.active, n);
    I.ref = ref, I.shift = shift, I.s = s, I.x = room, I.u = room + R, I.z = room + 2 * R, I.g = to, I.step = step;
    I.du = room + 3 * R;
    const double length = cones_law(&C, &I);
    cones_factors(&C, &I), cones_step(&I);
    I.shift = shifts;
    cones_shifts(&C, &I);
    return length;
}
SHOWN int64_t chain_closed(BLOCKS, double *gap, double *stays, double *lambda, double *room, double *r) {
    MADE;
    C.gap = gap, C.stays = stays, C.lambda = lambda, C.newton = room, C.margin = 1e-8, C.r = r;
    struct factors N = factors_of(&C);
    return plan_island(&C, &N, C.active, n) ? close_chain(&C, &N) : -1;
}
SHOWN int64_t is_chain(BLOCKS) {
    MADE;
    struct factors N = factors_of(&C);
    return plan_chain(&C, &N);
}
SHOWN int64_t planned_work(BLOCKS) {
    MADE;
    struct factors N = factors_of(&C);
    return plan_island(&C, &N, C.active, n) ? N.work : -1;
}
static double along_of(const struct moreau *C, int64_t a, int64_t i) { return ALONG(a, C->Y + VALUES(a), i); }
SHOWN double along_row(BLOCKS, int64_t a, int64_t i) { MADE; return along_of(&C, a, i); }
SHOWN void held_rows_of(int64_t law, int64_t n, const double *mu, const double *x, int64_t *rows) {
    int is[MOST_ROWS] = {0};
    held_by((int)law, n, mu, x, is);
    for (int64_t i = 0; i < n; i++) rows[i] = is[i];
}
SHOWN double swept_once(BLOCKS) {
    MADE;
    double change = 0.0, largest = 0.0;
    block_sweep(&C, 0, 1, &change, &largest);
    return change;
}
SHOWN double rank_of(int64_t rows, int64_t nv, double *Q, double *d, double *now, double *before, const double *v) {
    static const int64_t none[64] = {0};
    struct moreau C = {0};
    C.n_held = rows, C.nv = nv, C.Q = Q, C.d = d, C.held_u0 = now, C.held_rate = before, C.L_start = none;
    held_rank(&C, v);
    return C.rank;
}
SHOWN void exchanged(BLOCKS, double *other) { MADE; exchange_impulses(&C, other); }
SHOWN void shortened(BLOCKS, double *room) { MADE; shorten_impulses(&C, room); }
SHOWN double given_energy(BLOCKS, double *scale) { MADE; return given_by(&C, C.active, n, scale); }
SHOWN int64_t gains(BLOCKS) { MADE; return block_gains(&C, 1); }
SHOWN void matrices(BLOCKS, double *w) {
    MADE;
    for (int64_t a = 0; a < n; a++) memcpy(w + 64 * a, C.w + 64 * a, 6 * sizeof(double));
}
SHOWN double stored(BLOCKS, double h, double before, double u, double *g, double *depth, double *sum) {
    MADE;
    C.theta = 0.5, C.margin = 1e-6, C.g = g, C.depth = depth;
    return store(&C, 0, h, before, u, sum);
}
SHOWN void tugged(BLOCKS, const int64_t *start, const int64_t *tug) {
    MADE;
    C.tug_start = start, C.tug = tug;
    tug_limit(&C, 0);
}
SHOWN double loaded(BLOCKS, int64_t held, double *P, double *held_x, double *T, double b, double *room) {
    MADE;
    static const int64_t load[64] = {0}, all[64] = {2};
    C.n_held = held, C.P = P, C.held_x = held_x, C.T = T, C.held_phi = room, C.held_u0 = room + held, C.before = u0;
    C.load = load, C.load_count = all;
    load_limit(&C, 0, C.w, b, x[0]);
    return mu[0];
}
SHOWN void held(int64_t rows, int64_t nv, double *Q, double *T, double *zeta, double *rate, double *u0) {
    struct moreau C = {0};
    C.n_held = rows, C.nv = nv, C.Q = Q, C.T = T, C.zeta = zeta, C.held_rate = rate, C.held_u0 = u0, C.rank = 1e-20;
    held_make(&C);
}
SHOWN int64_t projected(BLOCKS, int64_t held, double *Q, double *zeta, double *P, double *before, double rank,
                        int64_t a) {
    MADE;
    C.n_held = held, C.Q = Q, C.zeta = zeta, C.P = P, C.before = before, C.rank = rank;
    return held_rows(&C, a);
}
SHOWN void put_on_rows(int64_t rows, int64_t nv, double *Q, double *zeta, int64_t is, double *s, double *z) {
    struct moreau C = {0};
    C.n_held = rows, C.nv = nv, C.Q = Q, C.zeta = zeta;
    held_project(&C, (int)is, s, z);
}
SHOWN void of_rows(BLOCKS, int64_t rows, double *T, double *P, double *z) {
    MADE;
    C.n_held = rows, C.T = T, C.P = P;
    held_impulses(&C, z);
}
SHOWN int64_t repeated(BLOCKS) { MADE; return repeats(&C, 1, C.row_start[n]); }
SHOWN int64_t together(BLOCKS, int64_t a, int64_t b) { MADE; return act_together(&C, a, b); }
SHOWN int64_t split_up(BLOCKS, int64_t *label, int64_t *order, int64_t *ends, int64_t *places) {
    MADE;
    C.places = places;
    return islands_of(&C, label, order, ends);
}
SHOWN void held_solved(BLOCKS, double *room) { MADE; conjugate_gradients(&C, room); }
SHOWN void counted(double *faults, double t, double residual, double lowered) {
    count_faults(faults, t, residual, lowered); }
SHOWN int64_t at_rest(BLOCKS) { MADE; return rests(&C); }
SHOWN int64_t number_of_faults(void) { return N_FAULTS; }
SHOWN void softened(int64_t n, double soft, double *B) { soften(n, soft, B); }
static void yield_of(const struct moreau *C, int64_t a, double *b) { YIELD(a, C->x + C->row_start[a], b) }
SHOWN void softly(BLOCKS, double soft, double *ref, int64_t a, double *b) {
    MADE; /* velocities of a block that impulses add where forces are searched for with a compliance */
    C.soft = soft, C.ref = ref;
    for (int64_t i = 0; i < size[a]; i++) b[i] = 0.0;
    yield_of(&C, a, b);
}
SHOWN void changed(BLOCKS, int64_t first, int64_t rounds, const double *change, const double *swept, int64_t *is) {
    MADE; /* sweeps that end at these impulses, with these changes, and whether the next one begins elsewhere */
    const int64_t R = C.row_start[n];
    struct history H = history_start(&C);
    for (int64_t k = 0; k < rounds; k++, swept += R) {
        gather(&C, H.before);
        restore(&C, swept);
        use_history(&C, &H, first + k, change[k]);
        for (int64_t i = 0; i < R; i++) is[k] |= x[i] != swept[i];
    }
}
SHOWN int64_t long_island(BLOCKS, double tolerance, int64_t most, int64_t alone, double *ref, double *room) {
    MADE; /* impulses of a long island in motion, or those of as many sweeps alone */
    double sweeps = 0.0;
    C.tolerance = tolerance, C.max_sweeps = alone ? 3 : most, C.ref = ref, C.newton = room;
    if (!alone) long_impulses(&C, &sweeps, C.row_start[n]);
    for (int part = 0; alone && part < 2; part++, C.max_sweeps = most) {
        memset(s, 0, (size_t)nv * sizeof(double));
        block_sweeps(&C, 1, &sweeps);
    }
    return (int64_t)sweeps;
}
SHOWN void extrapolated(BLOCKS, const double *A, const double *c, int64_t rounds, double *x_of) {
    MADE; /* x <- A x + c in the place of sweeps */
    const int64_t R = C.row_start[n];
    struct history H = history_start(&C);
    for (int64_t k = 0; k < rounds; k++) {
        gather(&C, H.before);
        for (int64_t i = 0; i < R; i++) {
            x_of[i] = c[i];
            for (int64_t j = 0; j < R; j++) x_of[i] += A[i * R + j] * H.before[j];
        }
        restore(&C, x_of);
        extrapolate(&C, &H);
    }
    gather(&C, x_of);
}
"""


@pytest.fixture(scope="module")
def engine() -> Any:
    doubles = ("resistance", "island_equations", "cone_equations", "given_energy", "stored", "loaded", "rank_of",
               "swept_once", "along_row")  # fmt: skip
    integers = ("inverse", "solution", "factored", "undetermined", "repeated", "gains", "chain_closed", "is_chain",
                "together", "split_up", "number_of_faults", "at_rest", "long_island", "planned_work",
                "island_by_newton", "projected")  # fmt: skip
    return calls(unit_with(SHOWN, "stepping", "stepping-parts", doubles=doubles, integers=integers))


class Contacts:
    """Random contacts of bodies of six velocities each; every contact has a law, and one body or two."""

    def __init__(
        self, rng: np.random.Generator, bodies: int, laws: list[int], pairs: Sequence[tuple[int, ...]]
    ) -> None:
        self.nv, self.law = 6 * bodies, np.array(laws)
        self.size = np.array([{UNILATERAL: 1, STICTION: 1, COULOMB: 3}[law] for law in laws])
        self.count = np.array([6 * len(pair) for pair in pairs])
        self.support = np.concatenate([np.arange(6 * b, 6 * b + 6) for pair in pairs for b in sorted(pair)])
        self.parts = [rng.normal(size=(n, c)) for n, c in zip(self.size, self.count, strict=True)]
        self.rows = int(self.size.sum())
        self.first = np.cumsum([0, *self.size])
        self.mu = np.zeros((len(laws), 3))
        self.mu[:, 0] = rng.uniform(0.2, 0.6, len(laws))
        self.u0, self.x = rng.normal(size=self.rows), rng.normal(size=self.rows)
        self.s, self.bounce, self.give = np.zeros(self.nv), np.zeros(len(laws)), np.zeros(len(laws))

    @property
    def Y(self) -> np.ndarray:
        whole, at = np.zeros((self.rows, self.nv)), np.split(self.support, np.cumsum(self.count)[:-1])
        for f, part, columns in zip(self.first, self.parts, at, strict=False):
            whole[f : f + len(part), columns] = part
        return whole

    @property
    def given(self) -> tuple[Any, ...]:
        self._flat = np.concatenate([part.ravel() for part in self.parts])
        blocks = (self.nv, len(self.law), self.law, self.size, self.count, self.support)
        return (*blocks, self.mu, self._flat, self.u0, self.x, self.s, self.bounce, self.give)


def chain(rng: np.random.Generator, bodies: int, laws: tuple[int, ...] = (COULOMB, UNILATERAL, STICTION)) -> Contacts:
    """Contacts of each body with the next one, with some other, and of some with the ground."""
    pairs: list[tuple[int, ...]] = [(b, b + 1) for b in range(bodies - 1)]
    pairs += [tuple(sorted(rng.choice(bodies, 2, replace=False))) for _ in range(3)]
    pairs += [(int(b),) for b in rng.choice(bodies, 3)]
    return Contacts(rng, bodies, [int(rng.choice(laws)) for _ in pairs], pairs)


def room() -> np.ndarray:
    return np.zeros(200_000)


def test_linear_equations(engine: Any) -> None:
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 6, 9):
        A = rng.normal(size=(n, n)) * rng.uniform(0.01, 10.0, (n, 1))
        made = A.copy()
        assert engine("inverse", n, made, 0.0) == 0
        assert np.abs(made @ A - np.eye(n)).max() < 1e-10
        made, x = A.copy(), np.ones(n)
        assert engine("solution", made, n, x) == 1 and np.abs(A @ x - 1.0).max() < 1e-10
    made = np.diag([3.0, 1e-12, 2.0])
    assert engine("inverse", 3, made, 1e-9) == 1  # the pivots that are small are counted


@pytest.mark.parametrize("bodies", [3, 20, 70])
def test_factors_of_velocities_that_contacts_connect(engine: Any, bodies: int) -> None:
    rng = np.random.default_rng(bodies)
    c = chain(rng, bodies)
    right = rng.normal(size=c.nv)
    solved, A = right.copy(), 0.7 * np.eye(c.nv) + c.Y.T @ c.Y
    assert engine("factored", *c.given, 0.7, 0.0, solved) == 0
    used = np.isin(np.arange(c.nv), c.support)
    assert np.abs(solved - np.linalg.solve(A, right))[used].max() < 1e-11
    assert engine("factored", *c.given, 0.0, 1e-6, right) == c.nv - np.linalg.matrix_rank(c.Y)


def test_factors_of_nodes_of_other_sizes(engine: Any) -> None:
    """A body on a slide of two velocities beside free bodies: products of blocks that are not six by six."""
    rng = np.random.default_rng(8)
    c = chain(rng, 4)
    keep = [np.arange(len(part[0])) % 6 < 2 + 4 * (k % 2) for k, part in enumerate(c.parts)]
    at = np.split(c.support, np.cumsum(c.count)[:-1])
    c.parts = [np.ascontiguousarray(part[:, own]) for part, own in zip(c.parts, keep, strict=True)]
    c.support = np.concatenate([columns[own] for columns, own in zip(at, keep, strict=True)])
    c.count = np.array([part.shape[1] for part in c.parts])
    right = rng.normal(size=c.nv)
    solved, used = right.copy(), np.isin(np.arange(c.nv), c.support)
    assert engine("factored", *c.given, 0.4, 0.0, solved) == 0
    expected = np.linalg.solve(0.4 * np.eye(c.nv) + c.Y.T @ c.Y, right)
    assert np.abs(solved - expected)[used].max() < 1e-11


def within_disc(W: np.ndarray, c: np.ndarray, most: float, r: np.ndarray) -> float:
    """By how much r breaks (W + alpha) r = -c, alpha >= 0, |r| <= most, alpha (most - |r|) = 0."""
    left, size = -c - W @ r, np.linalg.norm(r)
    alpha = left @ r / max(r @ r, 1e-300)
    return float(max(np.abs(left - alpha * r).max(), size - most, -alpha, abs(alpha * (most - size))))


def test_moments_within_a_disc(engine: Any) -> None:
    rng = np.random.default_rng(2)
    for most in (0.01, 0.3, 1.0, 30.0):
        for _ in range(20):
            A, c, r = rng.normal(size=(2, 2)), rng.normal(size=2), np.zeros(2)
            W = A @ A.T + 0.05 * np.eye(2)
            engine("disc", W[np.triu_indices(2)], c, most, r)
            assert within_disc(W, c, most, r) < 1e-10


def test_contacts_that_resist_spinning_and_rolling(engine: Any) -> None:
    """Impulses obey the law, and the measure of its violation is the distance from its fixed point, as numpy has it."""
    rng = np.random.default_rng(3)

    def held(x: float, most: float) -> float:
        return float(np.clip(x, -most, most))

    seen = set()
    for _ in range(60):
        A = rng.normal(size=(6, 8))
        W, b, mu = A @ A.T / 6.0 + 0.5 * np.eye(6), rng.normal(size=6), rng.uniform(0.05, 1.0, 3)
        b[0] = -abs(b[0]) - 0.5
        B = np.zeros(64)
        B[:21] = W[np.triu_indices(6)]
        x = np.zeros(6)
        for _ in range(10):  # it alternates between forces and moments: as often as sweeps would
            engine("resistance", B.copy(), b, mu, x, None)
        u = W @ x + b
        assert x[0] > 0.0 and abs(u[0]) < 1e-8 and np.hypot(x[1], x[2]) <= mu[0] * x[0] * (1.0 + 1e-9)
        assert abs(x[3] - held(x[3] - u[3], mu[1] * x[0])) < 1e-8
        assert within_disc(W[4:, 4:], u[4:] - W[4:, 4:] @ x[4:], mu[2] * x[0], x[4:]) < 1e-7
        seen |= {("spins", abs(u[3]) > 1e-6), ("rolls", np.hypot(*u[4:]) > 1e-6)}
        assert engine("resistance", B.copy(), b, mu, x, u) < 1e-8
        y = rng.normal(size=6)
        y[0] = abs(y[0])
        y[1:3] *= mu[0] * y[0] / np.hypot(y[1], y[2]) * 0.5
        v = np.array([0.0, 0.0, 0.0, *rng.normal(size=3)])  # the forces obey Coulomb's law: what is left are moments
        turn = y[4:] - v[4:] / max(W[4, 4], W[5, 5])
        turn *= min(1.0, mu[2] * y[0] / np.linalg.norm(turn))
        expected = max(abs(held(y[3] - v[3] / W[3, 3], mu[1] * y[0]) - y[3]), np.abs(turn - y[4:]).max())
        assert abs(engine("resistance", B.copy(), b, mu, y, v) - expected) < 1e-12
    assert len(seen) == 4
    B[:21] = np.diag([1.0, 1.0, 1.0, 0.3, 0.2, 0.1])[np.triu_indices(6)]  # moments count, however light the bodies are
    assert engine("resistance", B.copy(), b, mu, np.array([1.0, 0, 0, 0, 0.9, 0.1]), np.zeros(6)) > 0.0


def test_rows_that_impulses_hold(engine: Any) -> None:
    """Where they are within all limits of their law: then the velocities of these rows are zero."""

    def held(law: int, mu: list[float], x: list[float]) -> list[int]:
        rows = np.zeros(len(x), int)
        engine("held_rows_of", law, len(x), np.array(mu), np.array(x), rows)
        return [int(row) for row in rows]

    for push, is_held in ((1.9, 1), (-1.9, 1), (2.1, 0), (-2.0, 0)):
        assert held(STICTION, [2.0, 0.5, 0.5], [push]) == [is_held]
    assert held(UNILATERAL, [0.0] * 3, [1.0]) == [1] and held(UNILATERAL, [0.0] * 3, [0.0]) == [0]
    for x, rows in (([1.0, 0.2, 0.2], [1, 1, 1]), ([1.0, 0.3, 0.3], [1, 0, 0]), ([0.0, 0.0, 0.0], [0, 0, 0])):
        assert held(COULOMB, [0.4, 0.1, 0.1], x) == rows
    assert held(COULOMB, [0.0] * 3, [1.0, 0.0, 0.0]) == [1, 0, 0]
    normal = [2.0, 0.7, 0.3]  # friction is at most 0.8, spinning 0.2, rolling 0.4
    for spin, roll, rows in (
        (0.19, 0.39, [1, 1, 1, 1, 1, 1]),
        (0.21, 0.3, [1, 1, 1, 0, 1, 1]),
        (-0.1, 0.41, [1, 1, 1, 1, 0, 0]),
    ):
        assert held(RESISTED, [0.4, 0.1, 0.2], [*normal, spin, 0.0, roll]) == rows
    for tensions, is_held in (([4.0, 5.0, 4.0], 1), ([4.0, 6.1, 6.0], 0), ([4.0, 5.0, 9.9], 1), ([4.0, 5.0, 2.4], 0)):
        assert held(ROPE, [1.5, 2.0], tensions) == [is_held] * 3


def test_rows_along_which_gaps_close(engine: Any) -> None:
    """Of contacts that of the normal, of ropes the sum of those of their spans."""
    rng = np.random.default_rng(22)
    c = Contacts(rng, 2, [COULOMB, UNILATERAL], [(0, 1), (1,)])
    for law, row in ((COULOMB, c.parts[0][0]), (ROPE, c.parts[0].sum(axis=0))):
        c.law[0] = law
        assert [engine("along_row", *c.given, 0, i) for i in range(12)] == pytest.approx(row, rel=1e-14)
    assert [engine("along_row", *c.given, 1, i) for i in range(6)] == c.parts[1][0].tolist()


def test_impulses_that_a_law_admits(engine: Any) -> None:
    rng = np.random.default_rng(4)
    for _ in range(40):
        x, mu = rng.normal(size=6), rng.uniform(0.1, 0.8, 3)
        x[0] = abs(x[0]) + 0.1
        y = x.copy()
        engine("admitted", RESISTED, 6, mu, y)
        assert y[0] == x[0] and abs(y[3] - np.clip(x[3], -mu[1] * x[0], mu[1] * x[0])) < 1e-15
        for i, most in ((1, mu[0] * x[0]), (4, mu[2] * x[0])):
            part = min(1.0, most / np.hypot(x[i], x[i + 1]))
            assert np.abs(y[i : i + 2] - part * x[i : i + 2]).max() < 1e-15
        y = x.copy()
        engine("admitted", STICTION, 1, mu, y)
        assert y[0] == min(x[0], mu[0]) and (y[1:] == x[1:]).all()
        y, ratios = np.abs(x) + 0.01, 1.0 + mu
        expected = y.copy()
        for j, most in enumerate(ratios):  # the nearest one that the tension before it admits
            expected[j + 1] = np.clip(expected[j + 1], expected[j] / most, expected[j] * most)
        engine("admitted", ROPE, 4, ratios, y)
        np.testing.assert_allclose(y, expected, rtol=1e-14)
        y = -x
        engine("admitted", COULOMB, 3, mu, y)
        assert (y[:3] == 0.0).all()


def test_impulses_of_blocks_one_after_the_other(engine: Any) -> None:
    c = chain(np.random.default_rng(5), 6)
    to = np.zeros(c.rows)
    engine("gathered", *c.given, to)
    assert (to == c.x).all()


@pytest.mark.parametrize("gives", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_derivative_and_step_of_the_laws_of_an_island(engine: Any, seed: int, gives: bool) -> None:
    """The derivative is that of differences; the sparse step of large islands solves the same equations."""
    rng = np.random.default_rng(seed)
    c, soft = chain(rng, 4), 0.3
    c.x[c.first[:-1][c.law != STICTION]] = rng.uniform(-0.2, 1.5, int((c.law != STICTION).sum()))
    c.u0 *= rng.choice([0.1, 2.0])
    if gives:
        c.give[c.law != STICTION] = rng.choice([0.0, 0.4, 1.3], int((c.law != STICTION).sum()))
    R, F, G, step = c.rows, np.zeros(c.rows), np.zeros((c.rows, c.rows)), np.zeros(c.rows)

    def law(x: np.ndarray, *, large: int = 0) -> np.ndarray:
        c.x, made = x.copy(), np.zeros(R)
        length = engine("island_equations", *c.given, soft, large, made, G, step, room(), room())
        assert abs(length - np.linalg.norm(made)) < 1e-12
        return made

    x = c.x.copy()
    F, derivative = law(x), G.copy()
    e = 1e-7
    numeric = np.array([(law(x + e * d) - law(x - e * d)) / (2.0 * e) for d in np.eye(R)]).T
    assert np.abs(numeric - derivative).max() < 1e-5
    assert np.abs(law(x, large=1) - F).max() < 1e-12
    assert np.abs(derivative @ step + F).max() < 1e-9 * max(1.0, np.abs(step).max())


@pytest.mark.parametrize("large", [0, 1])
def test_newton_finds_impulses_of_compliant_islands(engine: Any, large: int) -> None:
    """Of most islands from none; with u + soft x in the place of u they obey the laws."""
    found, soft = 0, 0.3
    for seed in range(30):
        c = chain(np.random.default_rng(seed), 5, (COULOMB, UNILATERAL))
        c.x = np.zeros(c.rows)
        if not engine("island_by_newton", *c.given, soft, large, room(), room(), room()):
            continue
        found += 1
        x, u = c.x, c.u0 + c.Y @ (c.Y.T @ c.x) + soft * c.x
        for k, f in enumerate(c.first[:-1]):
            assert abs(min(x[f], u[f])) < 1e-10
            if c.law[k] == COULOMB:
                t, most = slice(f + 1, f + 3), c.mu[k, 0] * x[f]
                assert np.linalg.norm(x[t]) < most + 1e-10
                assert np.abs(x[t] * np.linalg.norm(u[t]) + most * u[t]).max() < 1e-10
    assert found > 20


def test_impulses_of_a_blow_are_shortened(engine: Any) -> None:
    """To the part that leaves the least kinetic energy |s + Y^T x|^2 / 2, if it is less than half; never below zero."""
    rng, seen = np.random.default_rng(10), set()
    for _ in range(20):
        c = chain(rng, 5, (COULOMB, UNILATERAL))
        c.s, c.bounce, x = rng.normal(size=c.nv), -rng.uniform(0.0, 0.5, len(c.law)), c.x.copy()
        target = rng.choice([-0.4, 0.1, 0.4, 0.6, 1.5])  # the part that is best, by the velocities
        gained, rebounds = c.Y.T @ x, np.zeros(c.rows)
        rebounds[c.first[:-1]] = c.bounce
        c.u0 += x * (-target * gained @ gained - x @ (c.u0 + rebounds + c.Y @ c.s)) / (x @ x)
        engine("shortened", *c.given, room())
        part = max(target, 0.0) if target < 0.5 else 1.0
        assert np.abs(c.x - part * x).max() < 1e-12
        seen.add(target)
    assert len(seen) == 5


def test_chains_are_told_from_heaps(engine: Any) -> None:
    rng = np.random.default_rng(11)
    pairs = [(b, b + 1) for b in range(39)] + [(b,) for b in range(40)]
    assert engine("is_chain", *Contacts(rng, 40, [COULOMB] * len(pairs), pairs).given) == 1
    pairs += [(b, c) for b in range(40) for c in range(b + 2, 40, 5)]
    assert engine("is_chain", *Contacts(rng, 40, [COULOMB] * len(pairs), pairs).given) == 0


def test_work_of_eliminations(engine: Any) -> None:
    """Of each node the square of its neighbours and itself, when it is eliminated; those with the fewest come first."""
    n, rng = 12, np.random.default_rng(17)
    path, star = [(b, b + 1) for b in range(n - 1)], [(0, b) for b in range(1, n)]
    every = [(b, c) for b in range(n) for c in range(b)]
    ring = [*path, (0, n - 1)]
    for pairs, work in (
        (path, 4 * (n - 1) + 1), (star, 4 * (n - 1) + 1), (ring, 9 * (n - 2) + 4 + 1),
        (every, sum(k * k for k in range(1, n + 1))),
    ):  # fmt: skip
        c = Contacts(rng, n, [COULOMB] * len(pairs), [tuple(sorted(pair)) for pair in pairs])
        assert engine("planned_work", *c.given) == work
    for n in (64, 65, 130, 199):  # neighbours are bits of words of 64
        path = [(b, b + 1) for b in range(n - 1)]
        for pairs, work in ((path, 4 * (n - 1) + 1), ([*path, (0, n - 1)], 9 * (n - 2) + 4 + 1)):
            c = Contacts(rng, n, [UNILATERAL] * len(pairs), pairs)
            assert engine("planned_work", *c.given) == work


def test_a_gap_that_nothing_can_close_moves_nothing(engine: Any) -> None:
    rng = np.random.default_rng(18)
    c = chain(rng, 6, (UNILATERAL,))
    c.parts[3][:] = 0.0
    n = len(c.law)
    push, r = np.ones(n), np.zeros(c.nv)
    assert engine("chain_closed", *c.given, np.full(n, -1e-5), np.ones(n), push, room(), r) == 0
    assert not r.any() and not push.any()


def test_impulses_are_exchanged(engine: Any) -> None:
    c = chain(np.random.default_rng(12), 5)
    x, other = c.x.copy(), np.random.default_rng(13).normal(size=c.rows)
    y = other.copy()
    engine("exchanged", *c.given, other)
    assert (c.x == y).all() and (other == x).all()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("gives", [False, True])
def test_least_displacement_that_closes_the_gaps_of_a_chain(engine: Any, gives: bool, seed: int) -> None:
    """It obeys the conditions of the least one: r = Y^T lambda, gaps closed, or open where nothing moves them.

    A contact that gives way closes as others do.
    """
    rng = np.random.default_rng(seed)
    c = chain(rng, 12)
    n = len(c.law)
    if gives:
        c.give = np.where(c.law == STICTION, 0.0, rng.uniform(5.0, 50.0, n))
    gap, stays = 1e-5 * rng.normal(size=n), (rng.random(n) < 0.5).astype(float)
    push, r = np.ones(n), np.zeros(c.nv)
    assert engine("chain_closed", *c.given, gap, stays, push, room(), r) == 1
    contact = c.law != STICTION
    normals = c.Y[c.first[:-1]]
    left = (gap + normals @ r)[contact]
    rounding = 1e-9  # of gaps of 1e-5 m, 1e-16 by the compliance of 1e-6, with the condition of random rows
    assert np.abs(r - normals[contact].T @ push[contact]).max() < rounding
    assert np.abs(left[stays[contact] > 0.5]).max() < 1.1e-10  # a hundredth of the margin
    others = stays[contact] < 0.5
    assert left[others].min() > -1.1e-10 and push[contact][others].min() >= 0.0
    assert np.abs(push[contact][others] * left[others]).max() < 1e-14
    assert (push[contact][others] > 0.0).any() and (push[contact][others] == 0.0).any()


def test_gaps_that_contradict_each_other(engine: Any) -> None:
    """Twice the same contact with different gaps: both are moved to the mean of them, where they stay."""
    rng = np.random.default_rng(14)
    c = Contacts(rng, 3, [UNILATERAL] * 3, [(0, 1), (1, 2), (1, 2)])
    c.parts[2] = c.parts[1].copy()
    gap, push, r = np.array([2e-5, 1e-5, 3e-5]), np.zeros(3), np.zeros(c.nv)
    assert engine("chain_closed", *c.given, gap, np.ones(3), push, room(), r) == 1
    assert np.abs(gap + c.Y @ r - [0.0, -1e-5, 1e-5]).max() < 1e-9


@pytest.mark.parametrize("friction", [True, False])
def test_forces_that_are_not_determined_are_counted(engine: Any, friction: bool) -> None:
    """Unknowns less the rank of their rows; tangents of contacts that slip follow their normals.

    A tangent along which nothing can move, as in a plane, is no unknown, nor are joints that stick and contacts that
    do not push.
    """
    rng = np.random.default_rng(9)
    for trial in range(20):
        c = chain(rng, 2, (COULOMB, UNILATERAL) if trial % 2 else (COULOMB, COULOMB, UNILATERAL, STICTION))
        for part in c.parts:
            if trial % 3 and len(part) == 3:
                part[trial % 3] = 0.0
        c.x = rng.uniform(0.5, 1.5, c.rows)
        pushes = (c.law != STICTION) & (rng.random(len(c.law)) < 0.8)
        c.x[np.repeat(~pushes & (c.law != STICTION), c.size)] = 0.0
        c.u0 = -(c.Y @ (c.Y.T @ c.x))  # all rest
        slips = (c.law == COULOMB) & (rng.random(len(c.law)) < 0.5)
        c.u0[c.first[:-1][slips] + 1] += 1.0
        if not friction:
            c.mu[:, 0], slips = 0.0, c.law == COULOMB
        own, moved = list[np.ndarray](), list[np.ndarray]()
        for k in np.flatnonzero(pushes):
            f = c.first[k]
            part = c.Y[f : f + c.size[k]]
            rests = part[part.any(axis=1)]
            own += list(part[:1] if slips[k] else rests)
            moved += [part[0] + (c.x[f + 1 : f + 3] @ part[1:]) / c.x[f]] if slips[k] else list(rests)
        few = len(own) - np.linalg.matrix_rank(np.array(own) @ np.array(moved).T, tol=1e-8)
        many = len(own) - np.linalg.matrix_rank(np.array(moved), tol=1e-8)
        assert engine("undetermined", *c.given, 0, room(), room()) == few
        assert engine("undetermined", *c.given, 1, room(), room()) == many


def test_contacts_that_slip_alike_share_one_force(engine: Any) -> None:
    """Twice the same contact, one with more of the load: both push along the same row, normal and friction."""
    rng = np.random.default_rng(24)
    c = Contacts(rng, 1, [COULOMB] * 2, [(0,), (0,)])
    c.parts[1] = c.parts[0].copy()
    for part, lacks in ((3.0, 1), (-3.0, 0)):
        c.x = np.array([1.0, 0.3, 0.2, 3.0, 0.3 * part, 0.2 * part])
        c.u0 = np.tile([0.0, 1.0, 0.5], 2) - c.Y @ (c.Y.T @ c.x)
        assert engine("undetermined", *c.given, 1, room(), room()) == lacks


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("associated", [0, 1])
@pytest.mark.parametrize("gives", [False, True])
def test_step_of_the_convex_problem(engine: Any, associated: int, gives: bool, seed: int) -> None:
    """Velocities with s = s0 + Y^T x(s): Newton's step is that of the derivative by differences."""
    rng = np.random.default_rng(seed)
    c, soft = chain(rng, 4), 0.3
    if gives:
        c.give = np.where(c.law == STICTION, 0.0, rng.choice([0.0, 0.2], len(c.law)))
    c.s, free = rng.normal(size=c.nv), rng.normal(size=c.nv)
    ref, shift, shifts = 0.2 * rng.normal(size=c.rows), rng.uniform(0.0, 0.3, len(c.law)), np.zeros(len(c.law))
    x = room()
    used = np.isin(np.arange(c.nv), c.support)

    def law(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        c.s, g, step = s.copy(), np.zeros(c.nv), np.zeros(c.nv)
        fixed = (ref, shift, free)
        length = engine("cone_equations", *c.given, associated, soft, *fixed, g, step, shifts, x)
        assert abs(length - np.linalg.norm(g)) < 1e-12
        return g, step

    s, e = c.s.copy(), 1e-7
    g, step = law(s)
    u = c.Y @ s + c.u0
    z = ref - u / soft
    for k, f in enumerate(c.first[:-1]):
        z[f] = (z[f] - associated * shift[k] / soft) * soft / (soft + c.give[k])
        if c.law[k] != COULOMB:
            expected = np.clip(z[f], -c.mu[k, 0], c.mu[k, 0]) if c.law[k] == STICTION else max(z[f], 0.0)
            assert abs(x[f] - expected) < 1e-12
        elif not associated:
            push = max(z[f], 0.0)
            part = min(1.0, c.mu[k, 0] * push / np.hypot(z[f + 1], z[f + 2]))
            assert np.abs(x[f : f + 3] - [push, part * z[f + 1], part * z[f + 2]]).max() < 1e-12
            slip = np.hypot(*(x[f + 1 : f + 3] - z[f + 1 : f + 3]))
            assert abs(shifts[k] - c.mu[k, 0] * soft * slip) < 1e-12
    assert np.abs(g - (s - free - c.Y.T @ x[: c.rows]))[used].max() < 1e-12
    numeric = np.array([(law(s + e * d)[0] - law(s - e * d)[0]) / (2.0 * e) for d in np.eye(c.nv)]).T
    J = numeric[np.ix_(used, used)]
    assert np.abs(J @ step[used] + g[used]).max() < 1e-5 * max(1.0, np.abs(step).max())
    if associated:  # it is the derivative of a convex function
        assert np.abs(J - J.T).max() < 1e-5 and np.linalg.eigvalsh(J).min() > 1.0 - 1e-5


def test_rows_that_depend_on_each_other_are_found(engine: Any) -> None:
    rng = np.random.default_rng(6)
    for k in range(10):
        pairs: list[tuple[int, ...]] = [(0,), (0, 1), (1, 2), (2,)]
        c = Contacts(rng, 3, [COULOMB, UNILATERAL, COULOMB, UNILATERAL], pairs)
        assert engine("repeated", *c.given) == 0
        extra = Contacts(rng, 3, [COULOMB, UNILATERAL, COULOMB, UNILATERAL, UNILATERAL], [*pairs, (0, 1)])
        extra.parts[:4] = c.parts
        mean = c.Y.T @ rng.normal(size=c.rows)
        if k % 2:  # a row of the two bodies that others have together: with the third body held, none
            mean = c.parts[1][0] @ np.eye(12, 18) * 0.4 + c.Y[0] * 0.7 + c.Y[2] * 0.3
            extra.parts[4] = mean[None, :12].copy()
            assert engine("repeated", *extra.given) == 1
            extra.parts[4] = extra.parts[4] + 1e-3 * rng.normal(size=(1, 12))
            assert engine("repeated", *extra.given) == 0


def test_extrapolation_of_linear_sweeps_ends_at_their_fixed_point(engine: Any) -> None:
    """Anderson: with as many differences as unknowns nothing is left of a linear iteration."""
    rng = np.random.default_rng(7)
    for unknowns in (1, 2, 3, 4):
        c = Contacts(rng, 2, [STICTION] * unknowns, [(0, 1)] * unknowns)
        c.mu[:, 0] = 1e6  # any impulse is admitted
        A = rng.normal(size=(unknowns, unknowns))
        A *= 0.9 / np.abs(np.linalg.eigvals(A)).max()
        right, x = rng.normal(size=unknowns), np.zeros(unknowns)
        c.s = c.Y.T @ c.x
        engine("extrapolated", *c.given, A, right, unknowns + 2, x)
        expected = np.linalg.solve(np.eye(unknowns) - A, right)
        assert np.abs(x - expected).max() < 1e-4 * np.abs(expected).max()
        assert np.abs(c.s - c.Y.T @ x).max() < 1e-9  # velocities follow


@pytest.mark.parametrize(("seed", "helps"), [(0, True), (1, True), (2, True), (136, False), (176, False)])
def test_newton_after_the_first_sweeps_over_a_chain(engine: Any, seed: int, helps: bool) -> None:
    """Forces obey their laws then; if they do not (4 of 300 such chains), the sweeps go on from what they had."""
    rng, found, bodies = np.random.default_rng(seed), list[np.ndarray](), 12
    pairs: list[tuple[int, ...]] = [*((b, b + 1) for b in range(bodies - 1)), *((b,) for b in range(0, bodies, 2))]
    c = Contacts(rng, bodies, [int(rng.choice((COULOMB, UNILATERAL))) for _ in pairs], pairs)
    c.mu[:, 0] = rng.uniform(0.2, 3.0, len(c.law))
    c.u0 *= 3.0
    for alone in (0, 1):
        c.x, c.s = np.zeros(c.rows), np.zeros(c.nv)
        sweeps = engine("long_island", *c.given, 1e-13, 4, alone, np.zeros(c.rows), room())
        assert sweeps == (3 if helps and not alone else 7)
        found.append(c.x.copy())
    if not helps:
        np.testing.assert_array_equal(found[0], found[1])
        return
    x, worst = found[0], 0.0
    u = c.u0 + c.Y @ (c.Y.T @ x)
    for k, f in enumerate(c.first[:-1]):
        worst = max(worst, abs(min(x[f], u[f])))
        if c.law[k] == COULOMB:
            t, most = slice(f + 1, f + 3), c.mu[k, 0] * x[f]
            slides = np.abs(x[t] * np.linalg.norm(u[t]) + most * u[t]).max()
            worst = max(worst, np.linalg.norm(x[t]) - most, slides)
    assert worst < 1e-11 * np.abs(x).max()  # the tolerance of 1e-13 with the condition of random rows


def test_extrapolation_that_is_no_better_waits(engine: Any) -> None:
    """A start is tried from the second sweep that is seen on; where it was no better, sweeps go on from what they had.

    The next one is seen after 1, 2, 4 ... sweeps.
    """
    rng = np.random.default_rng(15)
    c = Contacts(rng, 2, [STICTION] * 3, [(0, 1)] * 3)
    c.mu[:, 0] = 1e6  # any impulse is admitted
    expected = [0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1]
    n = len(expected)
    change, made = np.ones(n), np.zeros(n, int)
    change[[2, 5, 9]] = 2.0  # after a start that was tried
    c.s = c.Y.T @ c.x
    engine("changed", *c.given, 10, n, change, rng.normal(size=(n, 3)), made)
    assert made.tolist() == expected


def test_blocks_that_act_on_the_same_velocities(engine: Any) -> None:
    pairs: list[tuple[int, ...]] = [(0,), (0, 1), (1, 2), (0, 1), (0,), (2,)]
    c = Contacts(np.random.default_rng(16), 3, [COULOMB, UNILATERAL] * 3, pairs)
    for a, one in enumerate(pairs):
        assert [engine("together", *c.given, a, b) for b in range(6)] == [int(one == other) for other in pairs]


def test_matrices_and_energies_of_blocks(engine: Any) -> None:
    """``W = Y Y^T`` of each block; the energy that impulses give is half of their product with both velocities."""
    rng = np.random.default_rng(10)
    c = chain(rng, 4, (COULOMB, UNILATERAL))
    w, scale = np.zeros((len(c.law), 64)), np.zeros(1)
    engine("matrices", *c.given, w)
    for k, part in enumerate(c.parts):
        n = len(part)
        np.testing.assert_allclose(w[k, : n * (n + 1) // 2], (part @ part.T)[np.triu_indices(n)], rtol=1e-13)
    c.s = rng.normal(size=c.nv)
    u = c.u0 + c.Y @ c.s
    assert engine("given_energy", *c.given, scale) == pytest.approx(0.5 * c.x @ (u + c.u0), rel=1e-12)
    assert scale[0] == pytest.approx(0.5 * np.abs(c.x) @ (np.abs(u) + np.abs(c.u0)), rel=1e-12)
    for k in (0, len(c.law) - 1):  # one contact that rebounds and gives energy is enough, whichever it is
        c.x[:], c.bounce[:] = 0.0, 0.0
        c.x[c.first[k]], c.bounce[k] = np.sign(u[c.first[k]] + c.u0[c.first[k]]), -0.1
        assert engine("gains", *c.given) == 1
        c.x *= -1.0
        assert engine("gains", *c.given) == 0


def test_energy_of_a_compliant_contact(engine: Any) -> None:
    """Depth at the end by the gap and velocity in the middle; half the stiffness times the change of its square."""
    c = Contacts(np.random.default_rng(11), 1, [UNILATERAL], [(0,)])
    k, h, u, before = 400.0, 0.01, -0.3, -0.5
    c.give[:] = 1.0 / k
    g, depth, total = np.array([-0.004]), np.array([0.0015]), np.zeros(1)
    c.x[:] = 100.0  # the contact has taken more than it stores
    grown = engine("stored", *c.given, h, before, u, g, depth, total)
    assert depth[0] == pytest.approx(0.004 + 0.5 * h * 0.3) and total[0] == pytest.approx(0.5 * k * depth[0] ** 2)
    assert grown == pytest.approx(0.5 * k * (depth[0] ** 2 - 0.0015**2))
    c.x[:], depth[0] = 0.0, 0.0015  # nothing was taken: what is deeper belongs to the penetration of rigid contacts
    engine("stored", *c.given, h, before, u, g, depth, total)
    assert depth[0] == pytest.approx(0.0015)


def test_limits_of_friction_by_loads(engine: Any) -> None:
    """Of a sheave by the tensions beside it; of a joint by a load that its own friction changes."""
    rng = np.random.default_rng(12)
    c = Contacts(rng, 2, [STICTION, UNILATERAL, UNILATERAL, UNILATERAL], [(0,), (0, 1), (1,), (0,)])
    c.mu[0], c.x = [9.0, 0.3, 0.0], np.array([0.1, 2.0, -3.0, 4.0])
    engine("tugged", *c.given, np.array([0, 2, 2, 2, 2]), np.array([1, 3]))
    assert c.mu[0, 0] == pytest.approx(0.3 * 6.0)
    engine("tugged", *c.given, np.array([0, 2, 2, 2, 2]), np.array([2, 1]))
    assert c.mu[0, 0] == pytest.approx(0.3 * 2.0)  # a span that is slack has none
    for sign in (1.0, -1.0):
        P, held_x, T = 0.3 * rng.normal(size=(4, 2)), rng.normal(size=2), np.eye(2)
        c.u0[0], b = sign, 50.0 * sign  # it moves, and would not hold
        c.mu[0] = [9.0, 0.3, 0.0]
        y = engine("loaded", *c.given, 2, P, held_x, T, b, np.zeros(8))
        N = held_x - P.T @ c.x - (-P[0]) * c.x[0]
        assert y > 0.0 and y == pytest.approx(0.3 * np.linalg.norm(N - sign * (-P[0]) * y), rel=1e-10)


def test_friction_of_a_loaded_joint_has_the_least_size_that_fits(engine: Any) -> None:
    """y = c |N(y)| within the friction that would hold, where it moves or does not hold; else all that holds."""
    rng, seen = np.random.default_rng(23), set[str]()
    for _ in range(200):
        c = Contacts(rng, 2, [STICTION, UNILATERAL, UNILATERAL, UNILATERAL], [(0,), (0, 1), (1,), (0,)])
        coefficient, b = rng.uniform(0.1, 1.5), rng.normal() * rng.choice([0.3, 3.0, 30.0])
        c.mu[0], c.u0[0] = [9.0, coefficient, 0.0], rng.choice([-1.0, 0.0, 1.0])
        P, held_x, T = rng.normal(size=(4, 2)), rng.normal(size=2), np.tril(rng.normal(size=(2, 2)))
        L = np.tril(T, -1) + np.diag(1.0 / np.diag(T))
        own = np.linalg.solve(L.T, -P[0])
        N = np.linalg.solve(L.T, held_x - P.T @ c.x) - own * c.x[0]
        W, d = (c.Y[0] @ c.Y[0]), -1.0 if b < 0.0 else 1.0
        rest = -b / W
        made = engine("loaded", *c.given, 2, P, held_x, T, float(b), np.zeros(8))
        at_rest = coefficient * np.linalg.norm(N + own * rest)
        squares = coefficient**2 * np.array([own @ own, -2.0 * d * (N @ own), N @ N]) - [1.0, 0.0, 0.0]
        roots = [y.real for y in np.roots(squares) if abs(y.imag) < 1e-12 and 0.0 <= y.real <= abs(rest)]
        moves = c.u0[0] * d > 0.0
        if roots and (moves or abs(rest) > at_rest):
            assert made == pytest.approx(min(roots), rel=1e-8)
            seen.add("moves" if moves else "begins")
        else:
            assert at_rest >= abs(rest)  # else some friction would fit
            assert made == pytest.approx(at_rest, rel=1e-10)
            seen.add("holds")
    assert len(seen) == 3


def test_joints_at_rest_change_by_more_than_rounding(engine: Any) -> None:
    """A change of a millionth of a millionth of the largest impulse at rest is none, whatever that in motion is."""
    c = Contacts(np.random.default_rng(19), 1, [STICTION], [(0,)])
    W = c.parts[0][0] @ c.parts[0][0]
    for part, counts in ((0.5, False), (2.0, True)):
        c.mu[0], c.x[0] = [3.0, 1e-3, 0.0], 0.4
        c.s = c.parts[0][0] * c.x[0]
        aim = 0.4 + part * 3e-12
        c.u0[0] = -W * aim
        change = engine("swept_once", *c.given)
        assert c.x[0] == pytest.approx(aim, rel=1e-15)
        assert change == (pytest.approx(aim - 0.4, rel=1e-3) if counts else 0.0)


def test_how_far_rows_have_turned_in_half_a_step(engine: Any) -> None:
    """By the change of their velocities, for rows and motion of unit size; the rank is that of ten times its square."""
    rng = np.random.default_rng(20)
    Q, d, v, before = rng.normal(size=(3, 5)), rng.uniform(0.5, 1.5, 5), rng.normal(size=5), rng.normal(size=3)
    for turned, expected in ((1e-3, 1e-5), (1e-6, 1e-8), (0.1, 1e-3)):  # ten times the square, within bounds
        for row in range(3):
            now = before.copy()
            now[row] += turned * np.linalg.norm(Q[row]) * np.linalg.norm(v / d)
            assert engine("rank_of", 3, 5, Q, d, now, before, v) == pytest.approx(expected**2, rel=1e-9)


def test_rows_that_always_hold_are_made_orthogonal(engine: Any) -> None:
    rng = np.random.default_rng(13)
    Y = rng.normal(size=(4, 7))
    Y[2] = 0.5 * Y[0] - Y[1]  # it depends on the others
    Q, T, zeta, rate, u0 = Y.copy(), np.zeros((4, 4)), np.zeros(4), rng.normal(size=4), rng.normal(size=4)
    engine("held", 4, 7, Q, T, zeta, rate, u0)
    kept = [0, 1, 3]
    np.testing.assert_allclose(Q[kept] @ Q[kept].T, np.eye(3), atol=1e-13)
    assert T[2, 2] == 0.0 and not Q[2].any()
    lower = np.tril(T, -1)
    lower[kept, kept] = 1.0 / np.diag(T)[kept]
    np.testing.assert_allclose(lower @ Q, Y, atol=1e-12)
    np.testing.assert_allclose((lower @ zeta)[kept], (rate - 2.0 * u0)[kept], atol=1e-12)
    assert zeta[2] == 0.0


def test_velocities_and_impulses_of_rows_that_always_hold(engine: Any) -> None:
    """Velocities become the nearest ones with Q s = zeta; impulses are those of Y = T Q, less what blocks push."""
    rng = np.random.default_rng(28)
    Q, zeta = np.linalg.qr(rng.normal(size=(7, 4)))[0].T.copy(), rng.normal(size=4)
    s, z = rng.normal(size=7), np.full(4, 7.0)
    lacks, nearest, before = zeta - Q @ s, s + Q.T @ (zeta - Q @ s), s.copy()
    engine("put_on_rows", 4, 7, Q, zeta, 0, s, z)
    assert (s == before).all() and (z == 7.0).all()
    engine("put_on_rows", 4, 7, Q, zeta, 1, s, z)
    np.testing.assert_allclose(s, nearest, atol=1e-14)
    np.testing.assert_allclose(z, lacks, atol=1e-14)
    c = chain(rng, 4)
    T, P, z = np.tril(rng.normal(size=(4, 4)) + 3.0 * np.eye(4)), rng.normal(size=(c.rows, 4)), rng.normal(size=4)
    expected = np.linalg.solve(T.T, z - P.T @ c.x)
    T[np.diag_indices(4)] = 1.0 / np.diag(T)
    engine("of_rows", *c.given, 4, T, P, z)
    np.testing.assert_allclose(z, expected, rtol=1e-12)


@pytest.mark.parametrize("law", [UNILATERAL, COULOMB])
def test_rows_of_a_block_beside_rows_that_always_hold(engine: Any, law: int) -> None:
    """They lose their parts along these; one of which nothing is left but rounding cannot act."""
    rng = np.random.default_rng(25)
    for trial in range(12):
        c, held = Contacts(rng, 2, [UNILATERAL, law, STICTION], [(0, 1)] * 3), 4
        if trial % 3 == 1:  # it acts on one velocity alone
            c.parts[1][0] = 0.0
            c.parts[1][0, (trial // 3) % 2 * 5] = rng.normal()
        if trial % 4 == 2:  # of a large mass
            c.parts[1] *= 1e-12
        Y, size = c.Y, c.size[1]
        rows = rng.normal(size=(held, c.nv))
        if trial % 2:
            rows[0] = Y[1]  # which is held already
        mixed = np.linalg.qr(rng.normal(size=(held, held)))[0]
        Q, zeta = mixed @ np.linalg.qr(rows.T)[0].T, rng.normal(size=held)
        P, before, given = np.full((c.rows, held), 7.0), np.full(c.rows, 7.0), c.given
        u0, at = c.u0.copy(), slice(1, 1 + size)
        able = engine("projected", *given, held, Q, zeta, P, before, 1e-20, 1)
        part = Y[at] @ Q.T
        assert able == (trial % 2 == 0)
        np.testing.assert_allclose(P[at], part, atol=1e-13)
        np.testing.assert_array_equal(before[at], u0[at])
        np.testing.assert_allclose(c.u0[at], u0[at] + part @ zeta, atol=1e-13)
        left = np.split(c._flat, np.cumsum(c.size * c.count)[:-1])[1].reshape(size, -1)
        np.testing.assert_allclose(left, Y[at] - part @ Q, atol=1e-13)
        others = np.array([0, *range(1 + size, c.rows)])
        assert (P[others] == 7.0).all() and (before[others] == 7.0).all() and (c.u0[others] == u0[others]).all()


@pytest.mark.parametrize("seed", range(5))
def test_islands_are_the_parts_of_a_graph(engine: Any, seed: int) -> None:
    """Blocks that velocities join, directly or by others; islands keep their order, and begin by the first velocity."""
    rng = np.random.default_rng(seed)
    bodies = 14
    pairs: list[tuple[int, ...]] = [tuple(sorted(rng.choice(bodies, 2, replace=False))) for _ in range(7)]
    pairs += [(int(b),) for b in rng.choice(bodies, 5)]
    pairs = [pairs[k] for k in rng.permutation(len(pairs))]
    c = Contacts(rng, bodies, [int(rng.choice((COULOMB, UNILATERAL))) for _ in pairs], pairs)
    if seed % 2:  # of one velocity or two, at any place of the body
        c.parts = [np.ascontiguousarray(part[:, 1 : 1 + len(pair)]) for part, pair in zip(c.parts, pairs, strict=True)]
        c.count, c.support = (
            np.array([len(pair) for pair in pairs]),
            np.concatenate([6 * np.array(p) + 2 for p in pairs]),
        )
    joined = np.eye(c.nv, dtype=bool)
    for at in np.split(c.support, np.cumsum(c.count)[:-1]):
        joined[np.ix_(at, at)] = True
    _, label = connected_components(joined)
    of = label[c.support[np.cumsum([0, *c.count[:-1]])]]
    expected = [np.flatnonzero(of == part).tolist() for part in sorted(set(of.tolist()))]  # labels rise with velocities
    order, ends = np.full(len(pairs), -1), np.full(len(pairs), -1)
    count = engine("split_up", *c.given, np.full(c.nv, 77), order, ends, np.full(c.nv, 55))
    assert count == len(expected)
    assert [part.tolist() for part in np.split(order, ends[: count - 1])] == expected and ends[count - 1] == len(pairs)


@pytest.mark.parametrize("seed", range(6))
def test_conjugate_gradients_solve_for_impulses_that_hold(engine: Any, seed: int) -> None:
    """Rows of blocks that push or stick have no velocity then, with rebounds and springs; others keep impulses."""
    rng, bodies = np.random.default_rng(seed), 5
    pairs: list[tuple[int, ...]] = [(0, 1), (1, 2), (3,), (2, 3), (4,), (0,), (3, 4)]
    c = Contacts(rng, bodies, [COULOMB, UNILATERAL, STICTION, COULOMB, COULOMB, UNILATERAL, UNILATERAL], pairs)
    c.mu[2, 0] = 50.0
    held = np.ones(c.rows, dtype=bool)
    at = [slice(c.first[k], c.first[k + 1]) for k in range(len(pairs))]
    solution = np.zeros(c.rows)
    for k, law in enumerate(c.law):
        solution[c.first[k]] = rng.uniform(1.0, 3.0)
        if law == COULOMB:
            solution[c.first[k] + 1 : c.first[k + 1]] = 0.3 * c.mu[k, 0] * rng.normal(size=2)
    for k in (4, 6):  # one that is open, and one that slips
        held[at[k]] = False
        solution[at[k]] = 0.0
    solution[at[3]], held[at[3]] = 2.0 * np.array([1.0, -0.6 * c.mu[3, 0], 0.8 * c.mu[3, 0]]), [True, False, False]
    c.bounce[:3] = rng.normal(size=3)
    c.give[[1, 5]] = rng.uniform(0.3, 1.0, 2)
    W = c.Y @ c.Y.T
    W[c.first[[1, 5]], c.first[[1, 5]]] += c.give[[1, 5]]
    bounce = np.zeros(c.rows)
    bounce[c.first[:-1]] = c.bounce
    c.u0 = -W @ solution - bounce
    for k in (3, 4, 6):
        c.u0[c.first[k]] += 0.0 if k == 3 else 1.0
    sliding = slice(c.first[3] + 1, c.first[4])
    c.u0[sliding] -= 0.7 * solution[sliding]
    start = solution + np.where(held, 0.03 * rng.normal(size=c.rows), 0.0)
    start[sliding] *= start[c.first[3]] / solution[c.first[3]]  # at the limit
    c.x, c.s = start.copy(), c.Y.T @ start
    # what slips keeps its friction: the others hold against that
    free = np.flatnonzero(held)
    expected = start.copy()
    rest = c.u0 + bounce + W[:, ~held] @ start[~held]
    expected[free] = np.linalg.solve(W[np.ix_(free, free)], -rest[free])
    engine("held_solved", *c.given, room())
    np.testing.assert_allclose(c.x[free], expected[free], atol=1e-9)
    within = min(1.0, c.mu[3, 0] * c.x[c.first[3]] / np.linalg.norm(start[sliding]))
    np.testing.assert_allclose(c.x[sliding], within * start[sliding], atol=1e-12)
    np.testing.assert_allclose(c.s, c.Y.T @ c.x, atol=1e-9)
    assert not c.x[at[4]].any() and not c.x[at[6]].any()
    # where the result is worse everything stays: without friction the middle one would have to pull
    c.x, c.s = start.copy(), c.Y.T @ start
    c.u0[c.first[0]] += 40.0
    kept, moved = c.x.copy(), c.s.copy()
    before = broken(c, W, bounce)
    engine("held_solved", *c.given, room())
    np.testing.assert_allclose(c.s, c.Y.T @ c.x, atol=1e-9)
    if broken(c, W, bounce) >= before:
        assert (c.x == kept).all() and (c.s == moved).all()


def broken(c: Contacts, W: np.ndarray, bounce: np.ndarray) -> float:
    """By how much impulses break their laws: how far each block is from the impulse that it would take by itself."""
    u, worst = W @ c.x + c.u0 + bounce, 0.0
    for k, f in enumerate(c.first[:-1]):
        r = 1.0 / W[f, f]
        if c.law[k] == STICTION:
            worst = max(worst, abs(np.clip(c.x[f] - r * u[f], -c.mu[k, 0], c.mu[k, 0]) - c.x[f]))
        else:
            worst = max(worst, abs(max(c.x[f] - r * u[f], 0.0) - c.x[f]))
    return worst


def test_faults_of_steps_are_counted(engine: Any) -> None:
    """Residuals above a thousandth, restitution that was lowered: how many, the first, the largest and when."""
    rng = np.random.default_rng(20)
    assert engine("number_of_faults") == 7
    for _ in range(20):
        faults = np.zeros(7)
        t = 5.0 + np.cumsum(rng.uniform(0.1, 1.0, 9))
        residual = rng.choice([0.0, 2e-4, 9.9e-4, 1.1e-3, 0.3, 0.7], 9)
        lowered = rng.choice([0.0, 0.0, 0.2, 0.6, 0.9], 9)
        for row in zip(t, residual, lowered, strict=True):
            engine("counted", faults, *map(float, row))
        expected = np.zeros(7)
        expected[0], expected[3] = (residual > 1e-3).sum(), (lowered > 0.0).sum()
        expected[1], expected[5] = residual.max(), lowered.max()
        expected[2] = t[residual.argmax()] if residual.any() else 0.0
        expected[6] = t[lowered.argmax()] if lowered.any() else 0.0
        expected[4] = t[(lowered > 0.0).argmax()] if lowered.any() else 0.0
        np.testing.assert_allclose(faults, expected)


def test_compliance_of_a_search(engine: Any) -> None:
    """All of the diagonal of a block, and at the impulses that it leaves as they are it adds nothing."""
    rng = np.random.default_rng(21)
    for n in (1, 3, 6):
        upper, place = rng.normal(size=n * (n + 1) // 2), np.triu_indices(n)
        W, soft = np.zeros((n, n)), np.zeros((n, n))
        W[place] = upper
        engine("softened", n, 0.7, upper)
        soft[place] = upper
        np.testing.assert_allclose(soft, W + 0.7 * np.eye(n), rtol=1e-15)
    c, ref, b = chain(rng, 3), rng.normal(size=40), np.zeros(3)
    c.give[::2] = rng.uniform(0.2, 0.9, len(c.give[::2]))
    for a, f in enumerate(c.first[:-1]):
        n = int(c.size[a])
        engine("softly", *c.given, 0.4, ref, a, b)
        expected = 0.4 * (c.x[f : f + n] - ref[f : f + n])
        expected[0] += c.give[a] * c.x[f]
        np.testing.assert_allclose(b[:n], expected, atol=1e-14)


def test_islands_at_rest(engine: Any) -> None:
    """They move less than impulses change their velocities: the fastest row before, and the largest change."""
    rng, seen = np.random.default_rng(22), set[bool]()
    for trial in range(60):
        c = chain(rng, 3)
        c.x *= 1e-3 if trial % 2 else 1.0
        c.u0 *= 10.0 ** rng.uniform(-4.0, 1.0)
        c.s = c.Y.T @ c.x
        change = c.Y @ c.s
        if trial % 3 == 0:
            c.u0 *= rng.choice([0.98, 1.02]) * np.abs(change).max() / np.abs(c.u0).max()
        rests = bool(np.abs(c.u0).max() < np.abs(change).max())
        assert engine("at_rest", *c.given) == int(rests)
        seen.add(rests)
    assert len(seen) == 2
