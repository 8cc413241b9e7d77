/* The laws of contacts with Coulomb friction, u = W p + b of k pairs, by how much forces break them, and the forces of
 * given modes; after constraint_algebra.c. Blocks whose law is a limit that is given, as that of a joint which sticks,
 * are pairs without a normal: |p_t| <= mu given, their normal rows are zero.
 *
 * core/cones.py is the same in NumPy, with the laws, the reasons and the sources; keep the two alike.
 */
enum { OPEN = 0, STICK = 1, SLIP = 2 };
enum { SOLVED = -1 }; /* else: the pair at which no forces fulfil the laws */

#define TIGHT 1e-11
#define INNER (1.0 - 1e-9)
#define LEAST 1e-12
#define YIELDS 1e-6

/* What is asked; slip (k x 2) is NaN where a pair does not slip yet. */
struct cones {
    int64_t k;
    const double *W, *b, *mu, *slip, *given;
    const int64_t *yields; /* pairs that leave friction to others if these can bear it; 0: none */
    const int64_t *bare;   /* blocks without a normal; 0: none */
    const double *last;    /* forces (3k) from which those that are indeterminate differ least; 0: none */
};

/* Forces or impulses p (3k), relative velocities u (3k), what each pair does (k). */
struct solution {
    double *p, *u;
    int64_t *modes;
};

FUNCTION double tolerance_of(const struct cones *c) { return TIGHT * largest_of(c->b, 3 * c->k) + NOTHING; }

/* u = W p + b */
FUNCTION void respond_to(const struct cones *c, const double *p, double *u) {
    multiply(c->W, 3 * c->k, 3 * c->k, p, u);
    for (int64_t i = 0; i < 3 * c->k; i++) u[i] += c->b[i];
}

FUNCTION int is_sliding(const struct cones *c, int64_t i) { return isfinite(c->slip[2 * i]); }

FUNCTION double diagonal(const struct cones *c, int64_t row) { return c->W[row * 3 * c->k + row]; }

/* Whether a block has no normal: its limit is given. */
FUNCTION int is_bare(const struct cones *c, int64_t i) { return c->bare && c->bare[i]; }

/* Whether a pair slips so that no push of its would part it (Painleve). */
FUNCTION int is_jammed(const struct cones *c, int64_t i) {
    if (!is_sliding(c, i) || is_bare(c, i)) return 0;
    const double *row = c->W + 3 * i * (3 * c->k + 1);
    return row[0] - c->mu[i] * (row[1] * c->slip[2 * i] + row[2] * c->slip[2 * i + 1]) <= RANK_TOLERANCE * row[0];
}

/* By how much a solution breaks the laws, as a relative velocity. */
FUNCTION double fault_of(const struct cones *c, const struct solution *s) {
    const double slack = 1e-12 * largest_of(s->p, 3 * c->k);
    double worst = 0.0;
    for (int64_t i = 0; i < c->k; i++) {
        const double *p = s->p + 3 * i, *u = s->u + 3 * i;
        const double length = is_bare(c, i) ? fmax(diagonal(c, 3 * i + 1), diagonal(c, 3 * i + 2)) : diagonal(c, 3 * i);
        const double limit = c->mu[i] * (p[0] + c->given[i]), size = hypot(u[1], u[2]), push = hypot(p[1], p[2]);
        if (!is_bare(c, i)) worst = fmax(worst, fabs(fmin(p[0] * length, u[0])));
        worst = fmax(worst, -u[0]);
        if (is_jammed(c, i)) worst = fmax(worst, length * p[0]);
        worst = fmax(worst, length * (push - limit - slack));
        if (c->mu[i] > 0.0 && !is_sliding(c, i) && size > 0.0)
            worst = fmax(worst, fmin(size, length * fabs((u[1] * p[1] + u[2] * p[2]) / size + limit)));
        if (!(p[0] + u[0] + push + size < INFINITY)) return INFINITY;
    }
    return worst;
}

/* Forces with u_n = 0 where pairs push and u_t = 0 where they stick, as near as can be to given ones (near may be 0). */
FUNCTION void linear(const struct cones *c, const int64_t *modes, const double *near, const double *weights,
                     const double *d, double *p, struct memory memory) {
    const int64_t k = c->k, n = 3 * k;
    int64_t count = 0, *rows = take_integers(&memory, n);
    double *basis = take(&memory, n * n), *fixed = take(&memory, n), *S = take(&memory, n * n), *z = take(&memory, n),
           *right = take(&memory, n), *left = take(&memory, n), *more = take(&memory, n), *lengths = take(&memory, n);
    for (int64_t i = 0; i < k; i++) { /* columns of the basis, as rows */
        if (modes[i] == OPEN) continue;
        double *e = basis + count * n;
        if (!is_bare(c, i)) e[3 * i] = weights[3 * i];
        if (modes[i] == SLIP)
            for (int j = 0; j < 2; j++) {
                if (!is_bare(c, i)) e[3 * i + 1 + j] = -c->mu[i] * d[2 * i + j] * weights[3 * i];
                fixed[3 * i + 1 + j] = -c->mu[i] * c->given[i] * d[2 * i + j];
            }
        if (!is_bare(c, i)) rows[count++] = 3 * i;
        if (modes[i] == STICK && c->mu[i] > 0.0)
            for (int j = 1; j < 3; j++)
                if (diagonal(c, 3 * i + j) > 0.0) {
                    basis[count * n + 3 * i + j] = weights[3 * i + j];
                    rows[count++] = 3 * i + j;
                }
    }
    for (int64_t i = 0; i < n; i++) p[i] = fixed[i];
    for (int64_t r = 0; r < count; r++) {
        const double *row = c->W + rows[r] * n;
        lengths[r] = sqrt(diagonal(c, rows[r]));
        right[r] = -(dot(row, fixed, n) + c->b[rows[r]]);
        for (int64_t j = 0; j < count; j++) {
            const int64_t i = rows[j] / 3; /* a column has entries of its own pair only */
            S[r * count + j] = dot(row + 3 * i, basis + j * n + 3 * i, 3);
        }
        if (near) z[r] = near[rows[r]] / basis[r * n + rows[r]];
    }
    for (int round = 0; round < 3; round++) { /* what rounding leaves of an ill-conditioned system */
        for (int64_t r = 0; r < count; r++) left[r] = (right[r] - dot(S + r * count, z, count)) / lengths[r];
        if (!round)
            for (int64_t r = 0; r < count; r++)
                for (int64_t j = 0; j < count; j++) basis[r * count + j] = S[r * count + j] / lengths[r];
        lstsq(basis, count, count, left, more, RANK_TOLERANCE * RANK_TOLERANCE, count, memory);
        for (int64_t j = 0; j < count; j++) z[j] += more[j];
    }
    for (int64_t j = 0; j < count; j++) {
        const int64_t i = rows[j] / 3, way = rows[j] - 3 * i;
        p[rows[j]] += weights[rows[j]] * z[j];
        if (way == 0 && modes[i] == SLIP)
            for (int t = 0; t < 2; t++) p[3 * i + 1 + t] += -c->mu[i] * d[2 * i + t] * weights[3 * i] * z[j];
    }
}

/* Solution with these modes, redundant forces in proportion to the normal ones, of pairs that yield to a part of them; 0 if
 * it breaks a law. What is open may do what it likes. */
FUNCTION int shared_with(const struct cones *c, const struct solution *s, double part, struct memory memory) {
    const int64_t k = c->k;
    double *weights = take(&memory, 3 * k), most = 0.0;
    for (int64_t i = 0; i < 3 * k; i++) weights[i] = 1.0;
    for (int round = 0; round < 2; round++) {
        linear(c, s->modes, c->last, weights, c->slip, s->p, memory);
        most = 0.0;
        for (int64_t i = 0; i < k; i++) most = fmax(most, s->p[3 * i]);
        if (most <= 0.0) break;
        for (int64_t i = 0; i < k; i++)
            if (!is_bare(c, i)) weights[3 * i + 1] = weights[3 * i + 2] =
                sqrt((c->yields && c->yields[i] ? part : 1.0) * fmin(fmax(s->p[3 * i] / most, LEAST), 1.0));
    }
    respond_to(c, s->p, s->u);
    const double least = 1e-13 * largest_of(s->p, 3 * k), tolerance = tolerance_of(c);
    for (int64_t i = 0; i < k; i++) {
        const double *p = s->p + 3 * i, *u = s->u + 3 * i;
        if (s->modes[i] == OPEN) continue;
        if (!is_bare(c, i) && (!(p[0] > least) || !(fabs(u[0]) <= tolerance) || is_jammed(c, i))) return 0;
        if (s->modes[i] != STICK || c->mu[i] == 0.0) continue;
        if (!(hypot(p[1], p[2]) <= INNER * c->mu[i] * (p[0] + c->given[i]))) return 0;
        if (!(fmax(fabs(u[1]), fabs(u[2])) <= tolerance)) return 0;
    }
    return 1;
}

/* The same, what yields with as little friction as it can, or like all others. */
FUNCTION int shared(const struct cones *c, const struct solution *s, struct memory memory) {
    int any = 0;
    for (int64_t i = 0; i < c->k && c->yields; i++) any |= c->yields[i] != 0;
    return (any && shared_with(c, s, YIELDS, memory)) || shared_with(c, s, 1.0, memory);
}

/* The same motion with the forces of all that is at rest shared in proportion to the normal ones, if these obey the laws. */
FUNCTION void ease(const struct cones *c, const struct solution *s, struct memory memory) {
    const int64_t k = c->k, n = 3 * k;
    const double least = 10.0 * tolerance_of(c);
    double *given = take(&memory, n), *b = take(&memory, n), *slip = take(&memory, 2 * k);
    struct solution made;
    made.p = take(&memory, n), made.u = take(&memory, n), made.modes = take_integers(&memory, k);
    struct cones left = *c;
    left.b = b, left.slip = slip;
    for (int64_t i = 0; i < 2 * k; i++) slip[i] = NAN;
    for (int pushing = 0; pushing < 2; pushing++) { /* among all that touch, then among those that push */
        int any = 0;
        for (int64_t i = 0; i < k; i++) {
            const double *u = s->u + 3 * i;
            const int still = c->mu[i] == 0.0 || fmax(fabs(u[1]), fabs(u[2])) <= least;
            const int rests = !is_sliding(c, i) && fabs(u[0]) <= least && still && (!pushing || s->modes[i] == STICK);
            made.modes[i] = rests ? STICK : OPEN, any |= rests;
            for (int j = 0; j < 3; j++) given[3 * i + j] = rests ? 0.0 : s->p[3 * i + j];
        }
        if (!any) return;
        respond_to(c, given, b);
        if (!shared(&left, &made, memory)) continue;
        for (int64_t i = 0; i < n; i++) s->p[i] = made.p[i] + given[i], s->u[i] = made.u[i];
        for (int64_t i = 0; i < k; i++)
            if (made.modes[i] == STICK) s->modes[i] = STICK;
        return;
    }
}

/* Solution without friction, a convex problem, by the method of active sets. */
FUNCTION int64_t smooth(const struct cones *c, const struct solution *s, struct memory memory) {
    const int64_t k = c->k;
    double *W = take(&memory, k * k), *X = take(&memory, k * k), *sizes = take(&memory, k),
           *violation = take(&memory, k), *x = take(&memory, k);
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) W[i * k + j] = c->W[9 * i * k + 3 * j];
    square_root(W, k, X, memory);
    for (int64_t j = 0; j < k; j++) {
        double size = 0.0;
        for (int64_t i = 0; i < k; i++) size += X[i * k + j] * X[i * k + j];
        sizes[j] = fmax(sqrt(size), NOTHING);
        for (int64_t i = 0; i < k; i++) X[i * k + j] /= sizes[j];
        violation[j] = -c->b[3 * j] / sizes[j];
    }
    const int feasible = pulling(X, k, k, violation, TIGHT * largest_of(violation, k), x, memory);
    for (int64_t i = 0; i < k; i++) {
        s->p[3 * i] = x[i] / sizes[i], s->p[3 * i + 1] = s->p[3 * i + 2] = 0.0;
        s->modes[i] = s->p[3 * i] > 0.0 ? STICK : OPEN;
    }
    respond_to(c, s->p, s->u);
    if (feasible) return SOLVED;
    int64_t worst = 0;
    for (int64_t i = 1; i < k; i++)
        if (s->u[3 * i] < s->u[3 * worst]) worst = i;
    return worst;
}

/* Solution with these modes to the last digit, from forces near it; 0 if it breaks a law. */
FUNCTION int polished(const struct cones *c, const int64_t *modes, const double *near, const struct solution *s,
                      struct memory memory) {
    const int64_t k = c->k, n = 3 * k;
    double *d = take(&memory, 2 * k), *before = take(&memory, n), *weights = take(&memory, n);
    for (int64_t i = 0; i < 2 * k; i++) d[i] = c->slip[i];
    for (int64_t i = 0; i < n; i++) weights[i] = 1.0, s->p[i] = near[i];
    for (int64_t i = 0; i < k; i++) s->modes[i] = modes[i];
    respond_to(c, s->p, s->u);
    for (int round = 0; round < 60; round++) {
        double change = 0.0;
        for (int64_t i = 0; i < k; i++) {
            if (modes[i] != SLIP || is_sliding(c, i)) continue;
            const double *u = s->u + 3 * i, *f = near + 3 * i, size = hypot(u[1], u[2]), push = hypot(f[1], f[2]);
            if (size > 0.0) d[2 * i] = u[1] / size, d[2 * i + 1] = u[2] / size;
            else if (push > 0.0) d[2 * i] = -f[1] / push, d[2 * i + 1] = -f[2] / push;
            else return 0;
        }
        for (int64_t i = 0; i < n; i++) before[i] = s->p[i];
        linear(c, modes, near, weights, d, s->p, memory);
        respond_to(c, s->p, s->u);
        for (int64_t i = 0; i < n; i++) change = fmax(change, fabs(s->p[i] - before[i]));
        if (change <= 1e-14 * largest_of(s->p, n)) break;
    }
    return fault_of(c, s) <= 10.0 * tolerance_of(c);
}
