/* Impulses of an island where Newton's method on the laws (newton.c) fails: in its velocities, by convex problems.
 *
 * With a compliance the impulses of a contact follow from its velocity: x = P(z), z = ref - u / soft. By Coulomb's law, x_n = z_n where
 * that is positive, and x_t is z_t, shortened to mu x_n where it slips. The velocities then satisfy s - s0 - Y^T x(u0 + Y s) = 0.
 *
 * With velocities u_n + shift in the place of u_n, and the projection onto the cone as P, these are the conditions for the least of
 * 1/2 |s - s0|^2 + sum of soft/2 |P(z)|^2, which is convex: Newton's method finds it from anywhere. With shift = mu |u_t| it is Coulomb's
 * law (G. De Saxce, Z.-Q. Feng, 1998; V. Acary, F. Cadoux, C. Lemarechal, J. Malick, ZAMM 91 (2011) 155-175): shifts are repeated until
 * Newton's method on Coulomb's law itself converges. Rounds with ref = x follow, as in unique.c. The compliance falls while they do not
 * converge: corners of a face that stick and rebound, but do not lie exactly in one plane, stress each other until some of them slip.
 *
 * Chains in motion begin with ref = the impulses of the step before (cones_follow). */
#define SEARCH 1e-2 /* compliance of sweeps and of the first round, by the least mean of the diagonal of a block */
#define FOLLOWED 0.03 /* the same, of long islands in motion */
#define HARDER 0.3  /* by which it is multiplied where rounds are slow */
#define ROUGHLY 1.0 /* error of velocities in a round, by what the tolerance allows one block */
#define FEWER 0.5   /* by which a step on Coulomb's law with new factors must reduce the error */
#define WHOLE 0.99  /* part of a step on a convex problem after which Coulomb's law is tried */
enum { STEPS = 400, FOLLOW = 6, LINE = 12, PROXIMAL = 30 };

struct cones {
    int64_t n, rows, associated; /* associated: the convex problem */
    const int64_t *block;
    const double *free;
    double soft, *ref, *x, *u, *z, *shift, *s, *g, *step, *du; /* of rows: ref, x, u, z, du; of velocities: s, g, step */
    struct factors N;
};

/* Product of two vectors of the velocities of the island. */
static double product_of(const struct cones *I, const double *a, const double *b) {
    double sum = 0.0;
    for (int64_t k = 0; k < I->N.n; k++)
        for (int64_t i = I->N.first[k]; i < I->N.first[k] + I->N.size[k]; i++) sum += a[i] * b[i];
    return sum;
}

/* Impulses x of z, and (D, 3 x 3 or 1 x 1; 0: not needed) their derivative. */
static void contact_response(const struct moreau *C, const struct cones *I, int64_t k, const double *z, double *x, double *D) {
    const int64_t a = I->block[k];
    const double mu = LAW(a) == UNILATERAL ? 0.0 : MU(a)[0];
    if (D) memset(D, 0, (size_t)(SIZE(a) * SIZE(a)) * sizeof(double));
    if (SIZE(a) < 3) {
        x[0] = LAW(a) == STICTION ? within(z[0], mu) : larger(z[0], 0.0);
        if (D) D[0] = x[0] == z[0] ? 1.0 : 0.0;
        return;
    }
    const double give = GIVE(a), sigma = I->associated && give > 0.0 ? sqrt((I->soft + give) / I->soft) : 1.0;
    const double n = sigma * z[0], t = sqrt(z[1] * z[1] + z[2] * z[2]), rub = mu / sigma;
    const double least = I->associated ? -rub * t : 0.0; /* it opens */
    x[0] = x[1] = x[2] = 0.0;
    if (!(n > least)) return;
    if (t <= rub * n) {
        for (int i = 0; i < 3; i++) x[i] = z[i];
        if (D) D[0] = D[4] = D[8] = 1.0;
        return;
    }
    const double push = I->associated ? (n + rub * t) / (1.0 + rub * rub) : n, part = rub * push / t;
    x[0] = push / sigma, x[1] = part * z[1], x[2] = part * z[2];
    if (!D) return;
    const double w[2] = {z[1] / t, z[2] / t}, fall = I->associated ? 1.0 / (1.0 + rub * rub) : 1.0;
    D[0] = fall;
    for (int i = 0; i < 2; i++) {
        D[3 * (1 + i)] = sigma * fall * rub * w[i], D[1 + i] = I->associated ? fall * rub * w[i] / sigma : 0.0;
        for (int j = 0; j < 2; j++)
            D[3 * (1 + i) + 1 + j] = (I->associated ? fall * rub * rub : 0.0) * w[i] * w[j] + part * ((i == j) - w[i] * w[j]);
    }
}

/* z of the velocities u of a block. */
static inline void pull_of(const struct moreau *C, const struct cones *I, int64_t k, int64_t f, const double *u, double *z) {
    const int64_t a = I->block[k];
    const double hard = 1.0 / I->soft;
    for (int64_t i = 0; i < SIZE(a); i++) z[i] = I->ref[f + i] - hard * u[i];
    if (I->associated) z[0] -= hard * I->shift[k];
    if (GIVE(a) > 0.0) z[0] *= I->soft / (I->soft + GIVE(a));
}

/* g <- s - s0 - Y^T x and x, of s; its length is returned. */
static double cones_law(const struct moreau *C, const struct cones *I) {
    for (int64_t k = 0; k < I->N.n; k++)
        for (int64_t i = I->N.first[k]; i < I->N.first[k] + I->N.size[k]; i++) I->g[i] = I->s[i] - I->free[i];
    for (int64_t k = 0, f = 0; k < I->n; f += SIZE(I->block[k]), k++) {
        const int64_t a = I->block[k];
        double push[3] = {0.0, 0.0, 0.0};
        block_velocity(C, a, I->s, I->u + f);
        I->u[f] += C->bounce[a];
        if (COMPLIANT(a)) I->u[f] += C->rest[a];
        pull_of(C, I, k, f, I->u + f, I->z + f);
        contact_response(C, I, k, I->z + f, I->x + f, 0);
        for (int64_t i = 0; i < SIZE(a); i++) push[i] = -I->x[f + i];
        block_push(C, a, push[0] != 0.0, push, I->g);
    }
    return sqrt(product_of(I, I->g, I->g));
}

/* Whether two blocks act on the same velocities, as the points of one pair of bodies do. */
static inline int act_together(const struct moreau *C, int64_t a, int64_t b) {
    if (COUNT(a) != COUNT(b)) return 0;
    for (int64_t i = 0; i < COUNT(a); i++)
        if (AT(a)[i] != AT(b)[i]) return 0;
    return 1;
}

/* Factors of the derivative of g at s. Rows of blocks that act on the same velocities are added at once. */
static int cones_factors(const struct moreau *C, const struct cones *I) {
    const struct factors *N = &I->N;
    const double hard = 1.0 / I->soft;
    double Y[3 * WIDEST], KY[3 * WIDEST];
    int64_t rows = 0;
    factors_begin(N, 1.0);
    for (int64_t k = 0, f = 0; k < I->n; f += SIZE(I->block[k]), k++) {
        const int64_t a = I->block[k], m = COUNT(a), n = SIZE(a);
        const double *const y = C->Y + VALUES(a), less = I->soft / (I->soft + GIVE(a));
        double D[9], x[3], *const ky = KY + rows * m;
        contact_response(C, I, k, I->z + f, x, D);
        if (D[0] != 0.0) {
            for (int64_t i = 0; i < n * m; i++) Y[rows * m + i] = y[i];
            if (n < 3)
                for (int64_t i = 0; i < m; i++) ky[i] = hard * less * D[0] * y[i];
            else
                for (int64_t j = 0; j < 3; j++) {
                    const double d0 = hard * less * D[3 * j], d1 = hard * D[3 * j + 1], d2 = hard * D[3 * j + 2];
                    for (int64_t i = 0; i < m; i++) ky[j * m + i] = d0 * y[i] + d1 * y[m + i] + d2 * y[2 * m + i];
                }
            rows += n;
        }
        const int64_t next = k + 1 < I->n ? I->block[k + 1] : a;
        if (next != a && (rows + SIZE(next)) * m <= 3 * WIDEST && act_together(C, a, next)) continue;
        if (rows) factors_add(N, rows, m, AT(a), Y, KY);
        rows = 0;
    }
    return !factors_make(N, 0.0);
}

/* step <- Newton's, with the factors. */
static void cones_step(const struct cones *I) {
    for (int64_t k = 0; k < I->N.n; k++)
        for (int64_t i = I->N.first[k]; i < I->N.first[k] + I->N.size[k]; i++) I->step[i] = -I->g[i];
    factors_solve(&I->N, I->step);
}

static void cones_move(const struct cones *I, double part) {
    for (int64_t k = 0; k < I->N.n; k++)
        for (int64_t i = I->N.first[k]; i < I->N.first[k] + I->N.size[k]; i++) I->s[i] += part * I->step[i];
}

/* Part of a step to the least of the convex function along it: its slope there is small. */
static double cones_line(const struct moreau *C, const struct cones *I) {
    const double length = product_of(I, I->step, I->step), start = product_of(I, I->g, I->step);
    double base = 0.0, low = 0.0, high = INFINITY, part = 1.0, at_low = start, at_high = 0.0;
    for (int64_t k = 0; k < I->N.n; k++)
        for (int64_t i = I->N.first[k]; i < I->N.first[k] + I->N.size[k]; i++) base += (I->s[i] - I->free[i]) * I->step[i];
    if (!(start < 0.0)) return 0.0;
    for (int64_t k = 0, f = 0; k < I->n; f += SIZE(I->block[k]), k++) {
        block_velocity(C, I->block[k], I->step, I->du + f);
        for (int64_t i = 0; i < SIZE(I->block[k]); i++) I->du[f + i] -= C->u0[ROW(I->block[k]) + i];
    }
    for (int turn = 0; turn < LINE; turn++) {
        double slope = base + part * length;
        for (int64_t k = 0, f = 0; k < I->n; f += SIZE(I->block[k]), k++) {
            double u[3] = {0.0, 0.0, 0.0}, z[3] = {0.0, 0.0, 0.0}, x[3];
            for (int64_t i = 0; i < SIZE(I->block[k]); i++) u[i] = I->u[f + i] + part * I->du[f + i];
            pull_of(C, I, k, f, u, z);
            contact_response(C, I, k, z, x, 0);
            for (int64_t i = 0; i < SIZE(I->block[k]); i++) slope -= x[i] * I->du[f + i];
        }
        if (fabs(slope) <= -0.1 * start) break;
        if (slope < 0.0) low = part, at_low = slope;
        else high = part, at_high = slope;
        if (high == INFINITY) part *= 2.0;
        else {
            const double cut = (low * at_high - high * at_low) / (at_high - at_low), width = high - low;
            part = turn % 3 == 2 ? 0.5 * (low + high) : fmin(fmax(cut, low + 0.05 * width), high - 0.05 * width);
        }
    }
    return part;
}

/* Shifts of Coulomb's law at the velocities u' = u + soft (x - ref). */
static void cones_shifts(const struct moreau *C, const struct cones *I) {
    for (int64_t k = 0, f = 0; k < I->n; f += SIZE(I->block[k]), k++) {
        I->shift[k] = 0.0;
        if (SIZE(I->block[k]) < 3) continue;
        const double y = I->x[f + 1] - I->z[f + 1], z = I->x[f + 2] - I->z[f + 2];
        I->shift[k] = MU(I->block[k])[0] * I->soft * sqrt(y * y + z * z);
    }
}

/* Newton's method from s, of at most `most` steps. 1 if g is at most `precise` with Coulomb's law. Steps on that law are tried with
 * older factors while they serve, then with new ones if the last step on a convex problem was a whole one. */
static int cones_newton(const struct moreau *C, struct cones *I, double precise, int most, int *factored) {
    int whole = 1;
    I->associated = 0;
    double size = cones_law(C, I);
    for (int round = 0; round < most && size > precise; round++) {
        int better = 0;
        for (int old = *factored ? 1 : 0; old >= 0 && !better && (old || whole); old--) {
            if (!old && !cones_factors(C, I)) return 0;
            *factored = 1;
            cones_step(I);
            cones_move(I, 1.0);
            const double made = cones_law(C, I);
            if (made < (old ? CHORD : FEWER) * size) size = made, better = 1;
            else cones_move(I, -1.0), cones_law(C, I), *factored = 0;
        }
        if (better) continue;
        if (whole && size <= 100.0 * precise) return 1; /* it is rounding */
        cones_shifts(C, I);
        I->associated = 1;
        cones_law(C, I);
        if (!cones_factors(C, I)) return 0;
        cones_step(I);
        const double part = cones_line(C, I);
        cones_move(I, part);
        I->associated = 0, whole = part > WHOLE;
        size = cones_law(C, I);
    }
    return size <= precise;
}

/* The problem of n blocks, with velocities `free` without impulses: its memory, and s of the impulses that are in C->x. */
static struct cones cones_of(const struct moreau *C, const int64_t *block, int64_t n, const double *free, double soft) {
    struct cones I = {0};
    I.n = n, I.block = block, I.free = free, I.soft = soft, I.N = factors_of(C);
    for (int64_t k = 0; k < n; k++) I.rows += SIZE(block[k]);
    I.ref = C->newton, I.x = I.ref + I.rows, I.u = I.x + I.rows, I.z = I.u + I.rows, I.du = I.z + I.rows;
    I.shift = I.du + I.rows, I.s = I.shift + n, I.g = I.s + C->nv, I.step = I.g + C->nv;
    for (int64_t i = 0; i < C->nv; i++) I.s[i] = free[i];
    for (int64_t k = 0; k < n; k++) block_push(C, block[k], 1, C->x + ROW(block[k]), I.s);
    return I;
}

/* ref <- x; the largest change is returned, the largest impulse is `most`. */
static double cones_round(const struct cones *I, double *most) {
    double change = 0.0;
    *most = 0.0;
    for (int64_t i = 0; i < I->rows; i++) {
        change = larger(change, fabs(I->x[i] - I->ref[i])), *most = larger(*most, fabs(I->x[i]));
        I->ref[i] = I->x[i];
    }
    return change;
}

static void cones_keep(struct moreau *C, const struct cones *I) {
    for (int64_t k = 0, f = 0; k < I->n; f += SIZE(I->block[k]), k++)
        for (int64_t i = 0; i < SIZE(I->block[k]); i++) C->x[ROW(I->block[k]) + i] = I->x[f + i];
}

static double largest_in(const double *x, int64_t n) {
    double most = 0.0;
    for (int64_t i = 0; i < n; i++) most = larger(most, fabs(x[i]));
    return most;
}

/* In how many directions impulses of an island could change without effect on bodies at rest, its factors N having a plan: unknowns less the
 * rank of their rows, tangents of slipping contacts being added to normals. x and u are impulses and velocities of all rows, `speed` is the
 * largest velocity without impulses. */
static int64_t large_undetermined(const struct moreau *C, const struct factors *N, const int64_t *block, int64_t n, const double *x,
                                  const double *u, double speed) {
    double z[3 * WIDEST], top = 0.0, push = 0.0;
    int64_t unknown = 0, velocities = 0;
    for (int64_t k = 0, f = 0; k < n; f += SIZE(block[k]), k++) {
        const double *const y = C->Y + VALUES(block[k]);
        double own = 0.0;
        for (int64_t i = 0; i < COUNT(block[k]); i++) own += y[i] * y[i];
        top = larger(top, own), push = larger(push, 1e-12 * largest_in(x + f, SIZE(block[k])));
    }
    factors_begin(N, 0.0);
    for (int64_t k = 0, f = 0; k < n; f += SIZE(block[k]), k++) {
        const int64_t a = block[k], m = COUNT(a);
        const double *const y = C->Y + VALUES(a);
        if (LAW(a) == STICTION || !(x[f] > push)) continue;
        const int rests = SIZE(a) == 3 && MU(a)[0] > 0.0 && larger(fabs(u[f + 1]), fabs(u[f + 2])) <= 1e-9 * speed;
        int64_t rows = 1;
        double normal = 0.0;
        for (int64_t i = 0; i < m; i++) normal += y[i] * y[i];
        memcpy(z, y, (size_t)m * sizeof(double));
        for (int64_t q = 1; q < SIZE(a); q++) {
            double own = 0.0;
            for (int64_t i = 0; i < m; i++) own += y[q * m + i] * y[q * m + i];
            if (rests && own > 1e-14 * normal) memcpy(z + rows++ * m, y + q * m, (size_t)m * sizeof(double));
            for (int64_t i = 0; i < m && !rests; i++) z[i] += y[q * m + i] * x[f + q] / x[f];
        }
        unknown += rows;
        factors_add(N, rows, m, AT(a), z, z);
    }
    for (int64_t k = 0; k < N->n; k++) velocities += N->size[k];
    return unknown - velocities + factors_make(N, 1e-9 * top);
}

/* Impulses of an island of n blocks, with velocities `free` without any; `size` is a small entry of W. 1 if they are found. */
static int cones_solve(struct moreau *C, const int64_t *block, int64_t n, const double *free, double size) {
    struct cones I = cones_of(C, block, n, free, SEARCH * size);
    double last = INFINITY, most = 0.0;
    int factored = 0;
    if (!plan_island(C, &I.N, block, n)) return 0;
    for (int64_t k = 0, f = 0; k < n; f += SIZE(block[k]), k++)
        for (int64_t i = 0; i < SIZE(block[k]); i++) I.ref[f + i] = LAW(block[k]) == STICTION ? C->x[ROW(block[k]) + i] : 0.0;
    for (int round = 0; round < PROXIMAL; round++) {
        const double all = sqrt(larger(product_of(&I, free, free), product_of(&I, I.s, I.s)));
        const double precise = larger(larger(1e-13, 1e-6 * C->tolerance), 1e-15 * size / I.soft);
        if (!cones_newton(C, &I, precise * all, STEPS, &factored)) {
            if (!(last <= 1e-2 * C->tolerance * size * most)) return 0;
            for (int64_t i = 0; i < I.rows; i++) I.x[i] = I.ref[i]; /* those of the round before will do */
            break;
        }
        const double change = I.soft * cones_round(&I, &most);
        if (change <= larger(1e-12, 1e-4 * C->tolerance) * size * most) break;
        if (change > 0.1 * last) I.soft *= 0.1, factored = 0;
        last = change;
    }
    cones_keep(C, &I);
    double speed = 0.0;
    for (int64_t k = 0; k < n; k++) {
        double u[MOST_ROWS];
        block_velocity(C, block[k], free, u);
        speed = larger(speed, largest_in(u, SIZE(block[k])));
    }
    C->undetermined += (double)large_undetermined(C, &I.N, block, n, I.x, I.u, speed);
    return 1;
}

/* Impulses of the active blocks, a long island in motion, from those in C->x, as far as the tolerance asks for it; N is its plan.
 * Rounds begin with ref = x: where x stays, it obeys the laws of rigid contacts, whatever the compliance. It is large: modes are found in
 * few steps then, and rounds with the same modes need no new factors. Forces that are not unique depend on the start. */
static void cones_follow(struct moreau *C, const struct factors *N, const double *free, double size) {
    struct cones I = cones_of(C, C->active, C->n_active, free, FOLLOWED * size);
    double last = INFINITY, most = 0.0;
    int factored = 0;
    I.N = *N;
    for (int64_t k = 0, f = 0; k < I.n; f += SIZE(I.block[k]), k++)
        for (int64_t i = 0; i < SIZE(I.block[k]); i++) {
            I.x[f + i] = I.ref[f + i] = C->x[ROW(I.block[k]) + i];
            most = larger(most, fabs(I.ref[f + i]));
        }
    for (int round = 0; round < PROXIMAL; round++) {
        const int found = cones_newton(C, &I, ROUGHLY * C->tolerance * most * sqrt(size), FOLLOW, &factored);
        const double change = I.soft * cones_round(&I, &most);
        const double wanted = C->tolerance * size * most;
        if (found && change <= wanted) break;
        if (found && change * pow(change / last, PROXIMAL - round) > wanted) I.soft *= HARDER, factored = 0; /* else rounds would not do */
        last = change;
    }
    cones_keep(C, &I);
}
