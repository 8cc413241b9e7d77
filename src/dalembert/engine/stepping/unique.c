/* Forces that are not unique, with one member: those which equal, small compliance of all contacts selects.
 *
 * Rigid bodies with more supports than they need have many impulses that obey the laws. Among them are the limits of those
 * of contacts with a compliance: u + eps (x - ref) obeys the law in the place of u, ref = 0, with the same eps > 0 of all
 * normals and tangents, as eps goes to zero. These are unique where Coulomb's law is, and symmetric where the problem is.
 * While everything sticks they are the impulses of least norm.
 *
 * Few sweeps with a compliance that is large tell the modes; from there Newton's method on the laws as equations (P. Alart,
 * A. Curnier, 1991), with a small one. Then ref becomes that solution, and it is solved again: as long as modes stay, the effect of
 * the compliance vanishes, and nothing is added along directions in which impulses are undetermined (a proximal iteration
 * from zero). This is done island by island: blocks that act on common velocities. Where it fails, sweeps with the large
 * compliance are repeated with ref; islands of more than `direct` rows are left to plain sweeps from the impulses as they were.
 *
 * Joints that stick and ropes keep their forces: ref has their last ones. */
#define SEARCH 1e-2 /* compliance of sweeps, by the least mean of the diagonal of a block */
#define SMALL 1e-4  /* that of Newton's method */
#define UNCHANGED 1e-3 /* part of the tolerance within which impulses are those of the last step */
enum { NEWTON = 40, ROUNDS_OF_REF = 20, PROXIMAL = 30 };

/* Rows of an island of n blocks one after the other: laws on plain arrays, W (R x R), b, and G (R x R). */
struct island {
    int64_t n, rows;
    const int64_t *block;
    double soft, *W, *G, *b, *x, *u, *F, *step, *tried, *ref;
};

/* The laws as equations F(x) = 0 with velocities u, which have the compliance in them. */
static double island_law(const struct moreau *C, const struct island *I, const double *x, double *u, double *F) {
    const int64_t R = I->rows;
    double size = 0.0;
    for (int64_t i = 0; i < R; i++) {
        double sum = I->b[i] + I->soft * (x[i] - I->ref[i]);
        for (int64_t j = 0; j < R; j++) sum += I->W[i * R + j] * x[j];
        u[i] = sum;
    }
    for (int64_t k = 0, f = 0; k < I->n; f += SIZE(I->block[k]), k++) {
        const int64_t a = I->block[k];
        const double r = 1.0 / (I->W[f * (R + 1)] + I->soft);
        if (LAW(a) == STICTION) {
            F[f] = x[f] - within(x[f] - r * u[f], MU(a)[0]);
            continue;
        }
        const double push = larger(x[f] - r * u[f], 0.0);
        F[f] = x[f] - push;
        if (SIZE(a) < 3) continue;
        const double across = 2.0 / (I->W[(f + 1) * (R + 1)] + I->W[(f + 2) * (R + 1)] + 2.0 * I->soft);
        const double y = x[f + 1] - across * u[f + 1], z = x[f + 2] - across * u[f + 2], t = sqrt(y * y + z * z);
        const double limit = MU(a)[0] * push, part = t > limit ? limit / t : 1.0;
        F[f + 1] = x[f + 1] - part * y, F[f + 2] = x[f + 2] - part * z;
    }
    for (int64_t i = 0; i < R; i++) size += F[i] * F[i];
    return sqrt(size);
}

/* Derivative of the equations, into G. */
static void island_derivative(const struct moreau *C, const struct island *I) {
    const int64_t R = I->rows;
    const double *x = I->x, *u = I->u;
    for (int64_t k = 0, f = 0; k < I->n; f += SIZE(I->block[k]), k++) {
        const int64_t a = I->block[k];
        const double r = 1.0 / (I->W[f * (R + 1)] + I->soft), aim = x[f] - r * u[f];
        const int pushes = LAW(a) == STICTION ? fabs(aim) < MU(a)[0] : aim > 0.0;
        double *g = I->G + f * R;
        for (int64_t j = 0; j < R; j++) g[j] = pushes ? r * I->W[f * R + j] : 0.0;
        g[f] = pushes ? r * (I->W[f * (R + 1)] + I->soft) : 1.0;
        if (SIZE(a) < 3) continue;
        const double across = 2.0 / (I->W[(f + 1) * (R + 1)] + I->W[(f + 2) * (R + 1)] + 2.0 * I->soft);
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

static double largest_in(const double *x, int64_t n) {
    double most = 0.0;
    for (int64_t i = 0; i < n; i++) most = larger(most, fabs(x[i]));
    return most;
}

/* Newton's method from x. 1 if it succeeds. */
static int island_newton(const struct moreau *C, const struct island *I) {
    static const double parts[6] = {1.0, 0.5, 0.25, 0.1, 0.03, 0.01};
    const int64_t R = I->rows;
    double size = island_law(C, I, I->x, I->u, I->F);
    for (int round = 0; round < NEWTON; round++) {
        if (size <= 1e-14 * largest_in(I->x, R)) return 1;
        island_derivative(C, I);
        for (int64_t i = 0; i < R; i++) I->step[i] = -I->F[i];
        if (!eliminate(I->G, R, I->step, 0.0)) return 0;
        int better = 0;
        for (int a = 0; a < 6 && !better; a++) {
            for (int64_t i = 0; i < R; i++) I->tried[i] = I->x[i] + parts[a] * I->step[i];
            const double made = island_law(C, I, I->tried, I->u, I->F);
            if (made < size) size = made, better = 1;
        }
        if (!better) break;
        for (int64_t i = 0; i < R; i++) I->x[i] = I->tried[i];
    }
    return island_law(C, I, I->x, I->u, I->F) <= 1e-11 * largest_in(I->x, R);
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

/* Impulses of an island of n blocks from those in C->x, with velocities `free` without any. 1 if they are found. */
static int island_solve(struct moreau *C, const int64_t *block, int64_t n, const double *free, double soft) {
    int64_t R = 0;
    for (int64_t k = 0; k < n; k++) R += SIZE(block[k]);
    double *room = C->dense;
    struct island I = {n, R, block, soft, room, room + R * R, 0, 0, 0, 0, 0, 0, 0};
    room += 2 * R * R;
    I.b = room, I.x = I.b + R, I.u = I.x + R, I.F = I.u + R, I.step = I.F + R, I.tried = I.step + R, I.ref = I.tried + R;
    for (int64_t k = 0, f = 0; k < n; f += SIZE(block[k]), k++) {
        const int64_t a = block[k], m = COUNT(a), *const at = AT(a);
        block_velocity(C, a, free, I.b + f);
        I.b[f] += C->bounce[a];
        if (COMPLIANT(a)) I.b[f] += C->rest[a];
        for (int64_t l = 0, o = 0; l <= k; o += SIZE(block[l]), l++) {
            const int64_t other = block[l], c = COUNT(other), *const to = AT(other);
            for (int64_t i = 0; i < SIZE(a); i++)
                for (int64_t j = 0; j < SIZE(other); j++) {
                    const double *y = C->Y + VALUES(a) + i * m, *z = C->Y + VALUES(other) + j * c;
                    double sum = 0.0;
                    for (int64_t p = 0, q = 0; p < m && q < c;) {
                        if (at[p] == to[q]) sum += y[p++] * z[q++];
                        else if (at[p] < to[q]) p++;
                        else q++;
                    }
                    I.W[(f + i) * R + o + j] = I.W[(o + j) * R + f + i] = sum;
                }
        }
        if (COMPLIANT(a)) I.W[f * (R + 1)] += C->give[a];
        for (int64_t i = 0; i < SIZE(a); i++) {
            I.x[f + i] = C->x[ROW(a) + i];
            I.ref[f + i] = LAW(a) == STICTION ? C->x[ROW(a) + i] : 0.0;
        }
    }
    for (int round = 0; round < ROUNDS_OF_REF; round++) {
        double change = 0.0;
        if (!island_newton(C, &I)) return 0;
        for (int64_t i = 0; i < R; i++) change = larger(change, fabs(I.x[i] - I.ref[i])), I.ref[i] = I.x[i];
        if (change <= 1e-12 * largest_in(I.x, R)) break;
    }
    for (int64_t k = 0, f = 0; k < n; f += SIZE(block[k]), k++)
        for (int64_t i = 0; i < SIZE(block[k]); i++) C->x[ROW(block[k]) + i] = I.x[f + i];
    C->undetermined += (double)island_undetermined(C, &I);
    return 1;
}

/* Number of the island of a velocity: the first of those that it is joined with. */
static int64_t root_of(int64_t *label, int64_t i) {
    while (label[i] != i) i = label[i] = label[label[i]];
    return i;
}

/* Active blocks one island after the other into `order`; their number is returned, `ends` has where each ends. */
static int64_t islands_of(const struct moreau *C, int64_t *label, int64_t *order, int64_t *ends) {
    int64_t *first = C->places;
    int64_t count = 0, n = 0;
    for (int64_t i = 0; i < C->nv; i++) label[i] = i;
    for (int64_t k = 0; k < C->n_active; k++) {
        const int64_t a = C->active[k], *const at = AT(a);
        for (int64_t i = 1; i < COUNT(a); i++) {
            const int64_t one = root_of(label, at[0]), two = root_of(label, at[i]);
            label[one > two ? one : two] = one > two ? two : one;
        }
    }
    /* blocks sorted by their roots: counted, then placed */
    for (int64_t i = 0; i < C->nv; i++) first[i] = 0;
    for (int64_t k = 0; k < C->n_active; k++) first[root_of(label, AT(C->active[k])[0])]++;
    for (int64_t i = 0; i < C->nv; i++)
        if (first[i]) n += first[i], ends[count++] = n, first[i] = n - first[i];
    for (int64_t k = 0; k < C->n_active; k++) order[first[root_of(label, AT(C->active[k])[0])]++] = C->active[k];
    return count;
}

/* Blocks with the compliance `soft`. */
static void set_compliance(struct moreau *C, double soft) {
    C->soft = soft;
    for (int64_t k = 0; k < C->n_active; k++) block_make(C, C->active[k]);
}

/* Rows of an island, as islands_of has them. */
static int64_t rows_of_island(const struct moreau *C, const int64_t *order, const int64_t *ends, int64_t i) {
    int64_t rows = 0;
    for (int64_t k = i ? ends[i - 1] : 0; k < ends[i]; k++) rows += SIZE(order[k]);
    return rows;
}

/* Sweeps with compliance over islands that are not large, from x. */
static void soft_sweeps(struct moreau *C, const int64_t *order, const int64_t *ends, int64_t count, int64_t number) {
    for (int64_t sweep = 0; sweep < number; sweep++) {
        double change = 0.0, largest = 0.0;
        for (int64_t i = 0; i < count; i++) {
            if (rows_of_island(C, order, ends, i) > C->direct) continue;
            for (int64_t k = i ? ends[i - 1] : 0; k < ends[i]; k++) block_sweep(C, order[k], 1, &change, &largest);
        }
    }
}

/* s of the impulses x, from `free` without any. */
static void push_all(struct moreau *C, const double *free) {
    memcpy(C->s, free, (size_t)C->nv * sizeof(double));
    for (int64_t k = 0; k < C->n_active; k++) block_push(C, C->active[k], 1, C->x + ROW(C->active[k]), C->s);
}

/* Whether impulses of the last step still obey the laws to the last digits: of a machine at rest they are those of the rule.
 * s is made that of x. */
static int still_hold(struct moreau *C, const double *free) {
    double largest = 0.0;
    if (!(C->were_undetermined > 0.0)) return 0;
    for (int64_t k = 0; k < C->n_active; k++) {
        const int64_t a = C->active[k];
        if (!rows_that_share(LAW(a), SIZE(a)) || !(C->x[ROW(a)] > 0.0 || (C->known && C->known[a]))) return 0;
        largest = larger(largest, C->x[ROW(a)]);
    }
    push_all(C, free);
    if (worst(C) <= UNCHANGED * C->tolerance * largest) return 1;
    memcpy(C->s, free, (size_t)C->nv * sizeof(double));
    return 0;
}

/* As block_sweeps, with the forces of the rule; large islands by sweeps alone. */
static int unique_impulses(struct moreau *C, double *sweeps) {
    static const int64_t patience[3] = {1, 8, 60};
    const int64_t rows = C->row_start[C->n_blocks], most = rows < C->direct ? rows : C->direct;
    double *free = C->dense + 2 * most * most + 12 * most, size = INFINITY;
    int ropes = 0, large = 0, found = 0;
    for (int64_t k = 0; k < C->n_active; k++)
        if (LAW(C->active[k]) == RESISTED) { /* the rule has no compliance of moments */
            C->undetermined = larger(C->undetermined, 1.0);
            return block_sweeps(C, 1, sweeps);
        }
    memcpy(free, C->s, (size_t)C->nv * sizeof(double));
    if (still_hold(C, free)) {
        C->undetermined = C->were_undetermined;
        return 0;
    }
    for (int64_t k = 0; k < C->n_active; k++) {
        const int64_t a = C->active[k];
        double mean = 0.0;
        const double *w = BLOCK(a);
        for (int64_t i = 0; i < SIZE(a); w += SIZE(a) - i, i++) mean += *w / (double)SIZE(a);
        if (rows_that_share(LAW(a), SIZE(a))) size = fmin(size, mean);
        ropes |= LAW(a) == ROPE;
        for (int64_t i = 0; i < SIZE(a); i++) C->ref[ROW(a) + i] = LAW(a) == STICTION || LAW(a) == ROPE ? C->x[ROW(a) + i] : 0.0;
    }
    int64_t *order = C->island + C->nv, *ends = order + C->n_blocks;
    const int64_t count = islands_of(C, C->island, order, ends);
    for (int64_t i = 0; i < count; i++) large |= rows_of_island(C, order, ends, i) > C->direct;
    for (int attempt = 0; attempt < 3 && !found && !ropes; attempt++) {
        set_compliance(C, SEARCH * size);
        push_all(C, free);
        soft_sweeps(C, order, ends, count, patience[attempt]);
        *sweeps += (double)patience[attempt];
        C->undetermined = 0.0, found = 1;
        for (int64_t i = 0; i < count && found; i++) {
            const int64_t first = i ? ends[i - 1] : 0;
            if (rows_of_island(C, order, ends, i) > C->direct) continue;
            found = island_solve(C, order + first, ends[i] - first, free, SMALL * size);
        }
    }
    if (!found || large) C->undetermined = larger(C->undetermined, 1.0); /* at least */
    set_compliance(C, SEARCH * size);
    for (int round = 0; round < PROXIMAL && !found && !large; round++) {
        double change = 0.0, largest = 0.0;
        memcpy(C->s, free, (size_t)C->nv * sizeof(double));
        block_sweeps(C, 1, sweeps);
        for (int64_t k = 0; k < C->n_active; k++)
            for (int64_t j = ROW(C->active[k]); j < ROW(C->active[k]) + SIZE(C->active[k]); j++) {
                change = larger(change, fabs(C->x[j] - C->ref[j])), largest = larger(largest, fabs(C->x[j]));
                C->ref[j] = C->x[j];
            }
        if (change <= C->tolerance * largest) break;
    }
    set_compliance(C, 0.0);
    if (found && !large) {
        push_all(C, free);
        return 0;
    }
    memcpy(C->s, free, (size_t)C->nv * sizeof(double));
    return block_sweeps(C, 1, sweeps);
}

/* Impulses of one island after the other (`apart`): by the rule where rows depend on each other and are not too many, else by
 * sweeps, each until its own impulses do not change any more. */
static int island_impulses(struct moreau *C, double *sweeps) {
    int64_t *all = C->active, n_all = C->n_active, *label = C->alone, *order = label + C->nv, *ends = order + C->n_blocks;
    const int64_t count = islands_of(C, label, order, ends);
    double undetermined = 0.0, most = 0.0;
    for (int64_t i = 0; i < count; i++) {
        double own = 0.0;
        int64_t rows = 0;
        C->active = order + (i ? ends[i - 1] : 0), C->n_active = ends[i] - (i ? ends[i - 1] : 0);
        for (int64_t k = 0; k < C->n_active; k++) rows += SIZE(C->active[k]);
        C->undetermined = 0.0, C->were_undetermined = 1.0;
        if (C->n_active > 1 && repeats(C, 1, rows)) {
            if (rows <= C->direct) unique_impulses(C, &own);
            else block_sweeps(C, 1, &own), C->undetermined = 1.0; /* at least */
        } else block_sweeps(C, 1, &own);
        undetermined += C->undetermined, most = larger(most, own);
    }
    C->active = all, C->n_active = n_all, C->undetermined = undetermined;
    *sweeps += most;
    return 0;
}
