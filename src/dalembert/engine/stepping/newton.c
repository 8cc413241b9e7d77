/* Impulses of one island by Newton's method on the laws as equations (P. Alart, A. Curnier, Computer Methods in Applied Mechanics and
 * Engineering 92 (1991) 353-375), with a compliance, for the rule of unique.c. */
enum { DENSE = 48, NEWTON = 40, ROUNDS_OF_REF = 20 }; /* DENSE: rows of an island above which its equations are sparse */

/* E = I - P (I - r soft) and K = E^-1 P r of a contact of a large island; P is the derivative of its law's impulse by x - r u.
 * A step is E dx = -F - P r Y ds, ds = Y^T dx: (I + Y^T K Y) ds = -Y^T E^-1 F, in velocities. With the direction w of a slip, of
 * which `part` of a sticking impulse is left, K has 1 / soft of normals, mu w / soft of tangents by normals, and
 * kept (1 - w w^T) of tangents. */
struct response {
    int pushes, slips;
    double way[2], kept, spare; /* spare: by which -F of a sliding contact across w is divided */
};

/* Rows of an island of n blocks one after the other: W (R x R), b, and G (R x R); of a large one, factors in the place of W and G. */
struct island {
    int64_t n, rows, large;
    const int64_t *block;
    double soft, precise, *W, *G, *b, *x, *u, *F, *step, *tried, *ref, *normal, *across, *s;
    struct response *response;
    struct factors N;
    int factored;
};

/* y += Y^T x of all rows, of velocities. */
static void island_push(const struct moreau *C, const struct island *I, const double *x, double *y) {
    for (int64_t k = 0, f = 0; k < I->n; f += SIZE(I->block[k]), k++) block_push(C, I->block[k], 1, x + f, y);
}

/* y <- 0, of the velocities of a large island. */
static void island_clear(const struct island *I, double *y) {
    for (int64_t k = 0; k < I->N.n; k++)
        for (int64_t i = 0; i < I->N.size[k]; i++) y[I->N.first[k] + i] = 0.0;
}

/* Velocities of all rows under the impulses x. */
static void island_velocity(const struct moreau *C, const struct island *I, const double *x, double *u) {
    const int64_t R = I->rows;
    if (!I->large) {
        for (int64_t i = 0; i < R; i++) {
            double sum = I->b[i] + I->soft * (x[i] - I->ref[i]);
            for (int64_t j = 0; j < R; j++) sum += I->W[i * R + j] * x[j];
            u[i] = sum;
        }
        return;
    }
    island_clear(I, I->s);
    island_push(C, I, x, I->s);
    for (int64_t k = 0, f = 0; k < I->n; f += SIZE(I->block[k]), k++) {
        const int64_t a = I->block[k];
        block_velocity(C, a, I->s, u + f);
        for (int64_t i = f; i < f + SIZE(a); i++) u[i] += I->b[i] - C->u0[ROW(a) + i - f] + I->soft * (x[i] - I->ref[i]);
        u[f] += GIVE(a) * x[f];
    }
}

/* The laws as equations F(x) = 0 with velocities u, which have the compliance in them; the length of F is returned. */
static double island_law(const struct moreau *C, const struct island *I, const double *x, double *u, double *F) {
    double size = 0.0;
    island_velocity(C, I, x, u);
    for (int64_t k = 0, f = 0; k < I->n; f += SIZE(I->block[k]), k++) {
        const int64_t a = I->block[k];
        const double r = I->normal[k];
        if (LAW(a) == STICTION) {
            F[f] = x[f] - within(x[f] - r * u[f], MU(a)[0]);
            continue;
        }
        const double push = larger(x[f] - r * u[f], 0.0);
        F[f] = x[f] - push;
        if (SIZE(a) < 3) continue;
        const double across = I->across[k];
        const double y = x[f + 1] - across * u[f + 1], z = x[f + 2] - across * u[f + 2], t = sqrt(y * y + z * z);
        const double limit = MU(a)[0] * push, part = t > limit ? limit / t : 1.0;
        F[f + 1] = x[f + 1] - part * y, F[f + 2] = x[f + 2] - part * z;
    }
    for (int64_t i = 0; i < I->rows; i++) size += F[i] * F[i];
    return sqrt(size);
}

/* Derivative of the equations, into G. */
static void island_derivative(const struct moreau *C, const struct island *I) {
    const int64_t R = I->rows;
    const double *x = I->x, *u = I->u;
    for (int64_t k = 0, f = 0; k < I->n; f += SIZE(I->block[k]), k++) {
        const int64_t a = I->block[k];
        const double r = I->normal[k], aim = x[f] - r * u[f];
        const int pushes = LAW(a) == STICTION ? fabs(aim) < MU(a)[0] : aim > 0.0;
        double *g = I->G + f * R;
        for (int64_t j = 0; j < R; j++) g[j] = pushes ? r * I->W[f * R + j] : 0.0;
        g[f] = pushes ? r * (I->W[f * (R + 1)] + I->soft) : 1.0;
        if (SIZE(a) < 3) continue;
        const double across = I->across[k];
        const double y = x[f + 1] - across * u[f + 1], z = x[f + 2] - across * u[f + 2], t = sqrt(y * y + z * z);
        const double limit = MU(a)[0] * larger(aim, 0.0);
        const int beyond = t > limit, slips = beyond && t > 0.0;
        const double way[2] = {slips ? y / t : 0.0, slips ? z / t : 0.0}, part = slips ? limit / t : 0.0;
        for (int64_t j = 0; j < R; j++) {
            const double d_n = pushes ? (double)(j == f) - g[j] : 0.0; /* of the normal aim */
            double d_t[2];
            for (int64_t q = 0; q < 2; q++) {
                const int64_t row = f + 1 + q;
                d_t[q] = (double)(j == row) - across * (I->W[row * R + j] + (j == row ? I->soft : 0.0));
            }
            if (beyond) {
                const double along = way[0] * d_t[0] + way[1] * d_t[1];
                for (int q = 0; q < 2; q++) d_t[q] = part * (d_t[q] - way[q] * along) + MU(a)[0] * way[q] * d_n;
            }
            for (int64_t q = 0; q < 2; q++) g[(1 + q) * R + j] = (double)(j == f + 1 + q) - d_t[q];
        }
    }
}

#include "elimination.h"

static struct response response_of(const struct moreau *C, const struct island *I, int64_t k, int64_t f) {
    const int64_t a = I->block[k];
    const double r = I->normal[k], aim = I->x[f] - r * I->u[f];
    struct response to = {LAW(a) == STICTION ? fabs(aim) < MU(a)[0] : aim > 0.0, 0, {0.0, 0.0}, 0.0, 1.0};
    if (SIZE(a) < 3) return to;
    const double across = I->across[k];
    const double y = I->x[f + 1] - across * I->u[f + 1], z = I->x[f + 2] - across * I->u[f + 2], t = sqrt(y * y + z * z);
    const double limit = MU(a)[0] * larger(aim, 0.0);
    to.slips = t > limit || !(limit > 0.0);
    const double part = to.slips ? (t > 0.0 ? limit / t : 0.0) : 1.0;
    if (t > 0.0 && to.slips) to.way[0] = y / t, to.way[1] = z / t;
    to.spare = 1.0 - part * (1.0 - across * I->soft), to.kept = part * across / to.spare;
    return to;
}

/* y <- E^-1 y */
static void respond(const struct moreau *C, const struct island *I, int64_t k, const struct response *to, double *y) {
    const int64_t a = I->block[k];
    const double give = I->soft + GIVE(a);
    if (to->pushes) y[0] /= I->normal[k] * give;
    if (SIZE(a) < 3) return;
    const double more = to->pushes ? MU(a)[0] * (1.0 - I->normal[k] * give) * y[0] : 0.0;
    y[1] += more * to->way[0], y[2] += more * to->way[1];
    const double along = to->way[0] * y[1] + to->way[1] * y[2];
    for (int q = 0; q < 2; q++) y[1 + q] = (y[1 + q] - to->way[q] * along) / to->spare + to->way[q] * along;
}

/* K y of the rows y (three or one, `count` wide). */
static void apply_response(const struct moreau *C, const struct island *I, int64_t k, const struct response *to, int64_t count,
                           const double *y, double *out) {
    const int64_t a = I->block[k];
    const double hard = to->pushes ? 1.0 / (I->soft + GIVE(a)) : 0.0;
    if (SIZE(a) < 3) {
        for (int64_t i = 0; i < count; i++) out[i] = hard * y[i];
        return;
    }
    const double w1 = to->way[0], w2 = to->way[1], rub = to->slips ? MU(a)[0] * hard : 0.0, kept = to->kept;
    const double k11 = kept * (1.0 - w1 * w1), k12 = -kept * w1 * w2, k22 = kept * (1.0 - w2 * w2);
    for (int64_t i = 0; i < count; i++) {
        const double n = y[i], t1 = y[count + i], t2 = y[2 * count + i];
        out[i] = hard * n;
        out[count + i] = rub * w1 * n + k11 * t1 + k12 * t2;
        out[2 * count + i] = rub * w2 * n + k12 * t1 + k22 * t2;
    }
}

static int large_factors(const struct moreau *C, const struct island *I) {
    const struct factors *N = &I->N;
    double ky[3 * WIDEST];
    factors_begin(N, 1.0);
    for (int64_t k = 0, f = 0; k < I->n; f += SIZE(I->block[k]), k++) {
        const int64_t a = I->block[k];
        struct response to = response_of(C, I, k, f);
        I->response[k] = to;
        if (!to.pushes) continue;
        apply_response(C, I, k, &to, COUNT(a), C->Y + VALUES(a), ky);
        factors_add(N, SIZE(a), COUNT(a), AT(a), C->Y + VALUES(a), ky);
    }
    return !factors_make(N, 0.0);
}

/* Step of Newton's method of a large island; factors may be older ones. */
static void large_step(const struct moreau *C, const struct island *I) {
    double *ds = I->s, u[MOST_ROWS];
    island_clear(I, ds);
    for (int64_t k = 0, f = 0; k < I->n; f += SIZE(I->block[k]), k++) {
        double *y = I->step + f;
        for (int64_t i = 0; i < SIZE(I->block[k]); i++) y[i] = -I->F[f + i];
        respond(C, I, k, I->response + k, y);
    }
    island_push(C, I, I->step, ds);
    factors_solve(&I->N, ds);
    for (int64_t k = 0, f = 0; k < I->n; f += SIZE(I->block[k]), k++) {
        const int64_t a = I->block[k];
        double made[3];
        block_velocity(C, a, ds, u);
        for (int64_t i = 0; i < SIZE(a); i++) u[i] -= C->u0[ROW(a) + i];
        apply_response(C, I, k, I->response + k, 1, u, made);
        for (int64_t i = 0; i < SIZE(a); i++) I->step[f + i] -= made[i];
    }
}

/* Newton's method from x. 1 if it succeeds. Factors of a large island are kept while a step reduces the error by much. */
static int island_newton(const struct moreau *C, struct island *I) {
    static const double parts[6] = {1.0, 0.5, 0.25, 0.1, 0.03, 0.01};
    const int64_t R = I->rows;
    double size = island_law(C, I, I->x, I->u, I->F);
    for (int round = 0; round < NEWTON; round++) {
        if (size <= I->precise * largest_in(I->x, R)) return 1;
        const int old = I->large && I->factored;
        if (I->large) {
            if (!old && !large_factors(C, I)) return 0;
            I->factored = 1;
            large_step(C, I);
        } else {
            island_derivative(C, I);
            for (int64_t i = 0; i < R; i++) I->step[i] = -I->F[i];
            if (!eliminate(I->G, R, I->step, 0.0)) return 0;
        }
        int better = 0;
        for (int a = 0; a < (old ? 1 : 6) && !better; a++) {
            for (int64_t i = 0; i < R; i++) I->tried[i] = I->x[i] + parts[a] * I->step[i];
            const double made = island_law(C, I, I->tried, I->u, I->F);
            if (made < (old ? CHORD : 1.0) * size) size = made, better = 1;
        }
        if (!better && !old) break;
        if (!better) { /* the factors are too old */
            I->factored = 0, size = island_law(C, I, I->x, I->u, I->F);
            continue;
        }
        for (int64_t i = 0; i < R; i++) I->x[i] = I->tried[i];
    }
    return island_law(C, I, I->x, I->u, I->F) <= 1e3 * I->precise * largest_in(I->x, R);
}

/* In how many directions the impulses x could change without effect on bodies at rest: the rank deficiency of the rows
 * that push and of the tangents that do not slip. */
static int64_t island_undetermined(const struct moreau *C, const struct island *I) {
    const int64_t R = I->rows;
    double *S = I->G;
    const double still = 1e-9 * largest_in(I->b, R); /* velocity of contacts that do not slip */
    int64_t lacks = 0, count = 0, *unknown = C->island + C->nv + 2 * C->n_blocks;
    for (int64_t k = 0, f = 0; k < I->n; f += SIZE(I->block[k]), k++) {
        const int64_t a = I->block[k];
        if (LAW(a) == STICTION || !(I->x[f] > 1e-12 * largest_in(I->x, R))) continue;
        const int rests = SIZE(a) == 3 && MU(a)[0] > 0.0 && larger(fabs(I->u[f + 1]), fabs(I->u[f + 2])) <= still;
        unknown[count++] = f;
        for (int64_t i = 1; i < 3 && rests; i++)
            if (I->W[(f + i) * (R + 1)] > 1e-14 * I->W[f * (R + 1)]) unknown[count++] = f + i;
    }
    for (int64_t i = 0; i < count; i++) {
        const double *row = I->W + unknown[i] * R;
        for (int64_t j = 0; j < count; j++) S[i * count + j] = row[unknown[j]];
        for (int64_t k = 0, f = 0, j = 0; k < I->n; f += SIZE(I->block[k]), k++) { /* friction of slipping contacts */
            while (j < count && unknown[j] < f) j++;
            if (SIZE(I->block[k]) < 3 || j == count || unknown[j] != f) continue;
            if (j + 1 < count && unknown[j + 1] < f + 3) continue;
            for (int q = 1; q < 3; q++) S[i * count + j] += row[f + q] * I->x[f + q] / I->x[f];
        }
    }
    for (int64_t k = 0; k < count; k++) {
        const double pivot = S[k * count + k];
        if (!(fabs(pivot) > 1e-9 * I->W[unknown[k] * (R + 1)])) {
            lacks++;
            continue;
        }
        for (int64_t i = k + 1; i < count; i++) {
            const double part = S[i * count + k] / pivot;
            for (int64_t j = k + 1; j < count && part != 0.0; j++) S[i * count + j] -= part * S[k * count + j];
        }
    }
    return lacks;
}

/* W of the rows of an island. */
static void island_matrix(const struct moreau *C, const struct island *I) {
    const int64_t R = I->rows;
    for (int64_t k = 0, f = 0; k < I->n; f += SIZE(I->block[k]), k++) {
        const int64_t a = I->block[k], m = COUNT(a), *const at = AT(a);
        for (int64_t l = 0, o = 0; l <= k; o += SIZE(I->block[l]), l++) {
            const int64_t other = I->block[l], c = COUNT(other), *const to = AT(other);
            for (int64_t i = 0; i < SIZE(a); i++)
                for (int64_t j = 0; j < SIZE(other); j++) {
                    const double *y = C->Y + VALUES(a) + i * m, *z = C->Y + VALUES(other) + j * c;
                    double sum = 0.0;
                    for (int64_t p = 0, q = 0; p < m && q < c;) {
                        if (at[p] == to[q]) sum += y[p++] * z[q++];
                        else if (at[p] < to[q]) p++;
                        else q++;
                    }
                    I->W[(f + i) * R + o + j] = I->W[(o + j) * R + f + i] = sum;
                }
        }
        if (COMPLIANT(a)) I->W[f * (R + 1)] += C->give[a];
    }
}

/* Impulses of an island of n blocks from those in C->x, with velocities `free` without any. 1 if they are found. */
static int island_solve(struct moreau *C, const int64_t *block, int64_t n, const double *free, double soft) {
    int64_t R = 0;
    for (int64_t k = 0; k < n; k++) R += SIZE(block[k]);
    double *room = C->newton;
    struct island I = {0};
    I.n = n, I.rows = R, I.large = C->apart && R > DENSE, I.block = block, I.soft = soft;
    I.W = C->dense, I.G = C->dense + R * R;
    I.precise = I.large ? larger(1e-14, (R > C->direct ? 1e-4 : 1e-6) * C->tolerance) : 1e-14;
    I.b = room, I.x = I.b + R, I.u = I.x + R, I.F = I.u + R, I.step = I.F + R, I.tried = I.step + R, I.ref = I.tried + R;
    I.normal = I.ref + R, I.across = I.normal + n, I.s = I.across + n;
    I.response = (struct response *)(void *)(I.s + C->nv);
    if (!I.large) island_matrix(C, &I);
    else {
        I.N = factors_of(C);
        if (!plan_island(C, &I.N, block, n)) return 0;
    }
    for (int64_t k = 0, f = 0; k < n; f += SIZE(block[k]), k++) {
        const int64_t a = block[k];
        double own[3] = {0.0, 0.0, 0.0};
        block_velocity(C, a, free, I.b + f);
        I.b[f] += C->bounce[a];
        if (COMPLIANT(a)) I.b[f] += C->rest[a];
        for (int64_t i = 0; i < SIZE(a); i++) {
            if (!I.large) own[i] = I.W[(f + i) * (R + 1)];
            else
                for (int64_t j = 0; j < COUNT(a); j++) own[i] += C->Y[VALUES(a) + i * COUNT(a) + j] * C->Y[VALUES(a) + i * COUNT(a) + j];
            I.x[f + i] = C->x[ROW(a) + i];
            I.ref[f + i] = LAW(a) == STICTION ? C->x[ROW(a) + i] : 0.0;
        }
        if (I.large) own[0] += GIVE(a);
        I.normal[k] = 1.0 / (own[0] + soft);
        I.across[k] = SIZE(a) < 3 ? 0.0 : 2.0 / (own[1] + own[2] + 2.0 * soft);
    }
    for (int round = 0; round < ROUNDS_OF_REF; round++) {
        double change = 0.0;
        if (!island_newton(C, &I)) return 0;
        for (int64_t i = 0; i < R; i++) change = larger(change, fabs(I.x[i] - I.ref[i])), I.ref[i] = I.x[i];
        if (change <= 1e2 * I.precise * largest_in(I.x, R)) break;
    }
    for (int64_t k = 0, f = 0; k < n; f += SIZE(block[k]), k++)
        for (int64_t i = 0; i < SIZE(block[k]); i++) C->x[ROW(block[k]) + i] = I.x[f + i];
    C->undetermined += (double)(I.large ? large_undetermined(C, &I.N, block, n, I.x, I.u, largest_in(I.b, R)) : island_undetermined(C, &I));
    return 1;
}
