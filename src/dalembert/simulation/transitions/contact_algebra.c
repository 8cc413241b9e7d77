/* The algebra of contacts with Coulomb friction, u = W p + b of k pairs; after constraint_algebra.c.
 *
 * core/contact_algebra.py is the same in NumPy, with the laws, the reasons and the sources; keep the two alike.
 */
enum { OPEN = 0, STICK = 1, SLIP = 2 };
enum { SOLVED = -1 }; /* else: the pair at which no forces fulfil the laws */

#define TIGHT 1e-11
#define INNER (1.0 - 1e-9)
#define SWEEPS 1000
#define ATTEMPTS 3
#define NEARLY 1e-7
#define DIRECTIONS 97

/* What is asked; slip (k x 2) is NaN where a pair does not slip yet. */
struct cones {
    int64_t k;
    const double *W, *b, *mu, *slip, *given;
};

/* Forces or impulses p (3k), relative velocities u (3k), what each pair does (k). */
struct solution {
    double *p, *u;
    int64_t *modes;
};

static int64_t cones_memory(int64_t k) {
    const int64_t n = 3 * k;
    return 60 * (n + 2) + 4 * n * n + lstsq_memory(n, n) + pulling_memory(k, k) + 64;
}

FUNCTION double tolerance_of(const struct cones *c) { return TIGHT * largest_of(c->b, 3 * c->k) + NOTHING; }

/* u = W p + b */
FUNCTION void respond_to(const struct cones *c, const double *p, double *u) {
    multiply(c->W, 3 * c->k, 3 * c->k, p, u);
    for (int64_t i = 0; i < 3 * c->k; i++) u[i] += c->b[i];
}

FUNCTION int is_sliding(const struct cones *c, int64_t i) { return isfinite(c->slip[2 * i]); }

FUNCTION double diagonal(const struct cones *c, int64_t row) { return c->W[row * 3 * c->k + row]; }

/* By how much a solution breaks the laws, as a relative velocity. */
FUNCTION double fault_of(const struct cones *c, const struct solution *s) {
    const double slack = 1e-12 * largest_of(s->p, 3 * c->k);
    double worst = 0.0;
    for (int64_t i = 0; i < c->k; i++) {
        const double *p = s->p + 3 * i, *u = s->u + 3 * i, length = diagonal(c, 3 * i);
        const double limit = c->mu[i] * (p[0] + c->given[i]), size = hypot(u[1], u[2]), push = hypot(p[1], p[2]);
        worst = fmax(worst, fabs(fmin(p[0] * length, u[0])));
        worst = fmax(worst, -u[0]);
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
        e[3 * i] = weights[3 * i];
        if (modes[i] == SLIP)
            for (int j = 0; j < 2; j++) {
                e[3 * i + 1 + j] = -c->mu[i] * d[2 * i + j] * weights[3 * i];
                fixed[3 * i + 1 + j] = -c->mu[i] * c->given[i] * d[2 * i + j];
            }
        rows[count++] = 3 * i;
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

/* Solution with these modes, redundant forces in proportion to the normal ones; 0 if it breaks a law. */
FUNCTION int shared(const struct cones *c, const struct solution *s, struct memory memory) {
    const int64_t k = c->k;
    double *weights = take(&memory, 3 * k), most = 0.0;
    for (int64_t i = 0; i < 3 * k; i++) weights[i] = 1.0;
    for (int round = 0; round < 2; round++) {
        linear(c, s->modes, 0, weights, c->slip, s->p, memory);
        most = 0.0;
        for (int64_t i = 0; i < k; i++) most = fmax(most, s->p[3 * i]);
        if (most <= 0.0) break;
        for (int64_t i = 0; i < k; i++)
            weights[3 * i + 1] = weights[3 * i + 2] = sqrt(fmin(fmax(s->p[3 * i] / most, 1e-6), 1.0));
    }
    respond_to(c, s->p, s->u);
    const double least = 1e-13 * largest_of(s->p, 3 * k), tolerance = tolerance_of(c);
    for (int64_t i = 0; i < k; i++) {
        const double *p = s->p + 3 * i, *u = s->u + 3 * i;
        if (!(p[0] > least) || !(fabs(u[0]) <= tolerance)) return 0;
        if (s->modes[i] != STICK || c->mu[i] == 0.0) continue;
        if (!(hypot(p[1], p[2]) <= INNER * c->mu[i] * (p[0] + c->given[i]))) return 0;
        if (!(fmax(fabs(u[1]), fabs(u[2])) <= tolerance)) return 0;
    }
    return 1;
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

/* Steps of projections: how much force takes away a unit of velocity, normal and tangential. */
FUNCTION void steps_of(const struct cones *c, int64_t i, double *normal, double *across) {
    const double t = fmax(diagonal(c, 3 * i + 1), diagonal(c, 3 * i + 2));
    *normal = 1.0 / fmax(diagonal(c, 3 * i), NOTHING);
    *across = t > 0.0 ? 1.0 / fmax(t, NOTHING) : 0.0;
}

/* Plain projections onto the cones, pair by pair; p changes in place. */
FUNCTION void project_onto(const struct cones *c, double *p, int64_t sweeps) {
    const int64_t n = 3 * c->k;
    for (int64_t sweep = 0; sweep < sweeps; sweep++)
        for (int64_t i = 0; i < c->k; i++) {
            double u[3], r_n, r_t, *own = p + 3 * i;
            steps_of(c, i, &r_n, &r_t);
            for (int j = 0; j < 3; j++) u[j] = dot(c->W + (3 * i + j) * n, p, n) + c->b[3 * i + j];
            own[0] = fmax(0.0, own[0] - 0.8 * r_n * u[0]);
            const double limit = c->mu[i] * (own[0] + c->given[i]);
            if (is_sliding(c, i)) {
                own[1] = -limit * c->slip[2 * i], own[2] = -limit * c->slip[2 * i + 1];
                continue;
            }
            const double one = own[1] - 0.8 * r_t * u[1], two = own[2] - 0.8 * r_t * u[2], size = hypot(one, two);
            const double part = size <= limit ? 1.0 : limit / size;
            own[1] = one * part, own[2] = two * part;
        }
}

/* The laws as equations F(x) = 0, with z_n, limit, z_t and |z_t| of each pair (5 numbers) for their derivative. */
FUNCTION double law(const struct cones *c, const double *x, double *u, double *F, double *z) {
    respond_to(c, x, u);
    for (int64_t i = 0; i < c->k; i++) {
        const double *p = x + 3 * i;
        double *own = z + 5 * i, r_n, r_t;
        steps_of(c, i, &r_n, &r_t);
        own[0] = p[0] - r_n * u[3 * i];
        own[1] = c->mu[i] * (fmax(own[0], 0.0) + c->given[i]);
        own[2] = p[1] - r_t * u[3 * i + 1], own[3] = p[2] - r_t * u[3 * i + 2];
        own[4] = hypot(own[2], own[3]);
        const double part = own[4] <= own[1] ? 1.0 : own[1] / fmax(own[4], NOTHING);
        F[3 * i] = p[0] - fmax(own[0], 0.0);
        for (int j = 0; j < 2; j++) {
            const double aim = is_sliding(c, i) ? -c->mu[i] * (p[0] + c->given[i]) * c->slip[2 * i + j] : part * own[2 + j];
            F[3 * i + 1 + j] = p[1 + j] - aim;
        }
    }
    return norm(F, 3 * c->k);
}

/* Derivative of the laws, row by row: G = 1 - d(aim)/dx. */
FUNCTION void law_derivative(const struct cones *c, const double *z, double *G) {
    const int64_t n = 3 * c->k;
    for (int64_t i = 0; i < c->k; i++) {
        const double *own = z + 5 * i;
        double *g = G + 3 * i * n, r_n, r_t, way[2] = {0.0, 0.0};
        const int pushes = own[0] > 0.0, slides = is_sliding(c, i), beyond = own[4] > own[1];
        steps_of(c, i, &r_n, &r_t);
        if (beyond) way[0] = own[2] / own[4], way[1] = own[3] / own[4];
        for (int64_t j = 0; j < n; j++) {
            const double d_n = pushes ? (j == 3 * i) - r_n * c->W[3 * i * n + j] : 0.0;
            double d_t[2];
            g[j] = (j == 3 * i) - d_n;
            for (int t = 0; t < 2; t++) d_t[t] = (j == 3 * i + 1 + t) - r_t * c->W[(3 * i + 1 + t) * n + j];
            if (beyond) {
                const double part = own[1] / own[4], along = way[0] * d_t[0] + way[1] * d_t[1];
                for (int t = 0; t < 2; t++) d_t[t] = part * (d_t[t] - way[t] * along) + c->mu[i] * way[t] * d_n;
            }
            for (int t = 0; t < 2; t++) {
                double value = (j == 3 * i + 1 + t);
                if (slides) value += j == 3 * i ? c->mu[i] * c->slip[2 * i + t] : 0.0;
                else if (own[1] > 0.0) value -= d_t[t];
                g[(1 + t) * n + j] = value;
            }
        }
    }
}

/* Newton's method on the laws as equations (Alart and Curnier, 1991), from forces that are nearly right. */
FUNCTION void newton(const struct cones *c, const double *start, const struct solution *s, struct memory memory) {
    const int64_t k = c->k, n = 3 * k;
    const double parts[5] = {1.0, 0.5, 0.25, 0.1, 0.02};
    double *x = s->p, *F = take(&memory, n), *z = take(&memory, 5 * k), *G = take(&memory, n * n),
           *step = take(&memory, n), *tried = take(&memory, n), *F_new = take(&memory, n), *z_new = take(&memory, 5 * k);
    for (int64_t i = 0; i < n; i++) x[i] = start[i];
    double size = law(c, x, s->u, F, z);
    for (int round = 0; round < 30; round++) {
        law_derivative(c, z, G);
        for (int64_t i = 0; i < n; i++) F_new[i] = -F[i];
        lstsq(G, n, n, F_new, step, 1e-12, n, memory);
        int better = 0;
        for (int a = 0; a < 5 && !better; a++) {
            for (int64_t i = 0; i < n; i++) tried[i] = x[i] + parts[a] * step[i];
            const double made = law(c, tried, s->u, F_new, z_new);
            if (made < size) size = made, better = 1;
        }
        if (!better) break;
        for (int64_t i = 0; i < n; i++) x[i] = tried[i], F[i] = F_new[i];
        for (int64_t i = 0; i < 5 * k; i++) z[i] = z_new[i];
        if (size <= 1e-15 * norm(x, n)) break;
    }
    respond_to(c, x, s->u);
    const double least = 1e-12 * largest_of(x, n), still = 10.0 * tolerance_of(c);
    for (int64_t i = 0; i < k; i++) {
        const int slips = is_sliding(c, i) || hypot(s->u[3 * i + 1], s->u[3 * i + 2]) > still;
        s->modes[i] = !(x[3 * i] + c->given[i] > least) ? OPEN : c->mu[i] > 0.0 && slips ? SLIP : STICK;
    }
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

/* Force of a pair with friction against the direction d that stops the normal motion, and what it moves like; its
 * normal part is NaN where there is none. */
FUNCTION void slip_state(const double *W, const double *b, double mu, double given, const double *d, double *p,
                         double *u) {
    const double push = W[1] * d[0] + W[2] * d[1], pivot = W[0] - mu * push;
    p[0] = pivot > 0.0 ? fmax(0.0, -(b[0] - mu * given * push) / pivot) : NAN;
    for (int j = 0; j < 2; j++) p[1 + j] = -mu * (p[0] + given) * d[j];
    for (int j = 0; j < 2; j++) u[j] = b[1 + j] + p[0] * W[3 * (1 + j)] + p[1] * W[3 * (1 + j) + 1] + p[2] * W[3 * (1 + j) + 2];
}

/* Force of a pair that slips: of all directions the one in which it then moves. 0 if there is none. */
FUNCTION int slipping(const double *W, const double *b, double mu, double given, int spatial, double *force) {
    double p[3], u[2], d[2], fastest = -INFINITY, last_across = NAN, last_along = NAN, last_angle = 0.0;
    int found = 0;
    if (!spatial) {
        const double least = -1e-14 * largest_of(b, 3);
        for (int side = 1; side >= -1; side -= 2) {
            d[0] = W[4] >= W[8] ? side : 0.0, d[1] = W[4] >= W[8] ? 0.0 : side;
            slip_state(W, b, mu, given, d, p, u);
            const double speed = u[0] * d[0] + u[1] * d[1];
            if (isfinite(p[0]) && speed >= least && speed > fastest) {
                fastest = speed, found = 1;
                for (int j = 0; j < 3; j++) force[j] = p[j];
            }
        }
        return found;
    }
    const double pi = 3.14159265358979323846;
    for (int a = 0; a < DIRECTIONS; a++) {
        const double angle = a == DIRECTIONS - 1 ? pi : -pi + a * (2.0 * pi / (DIRECTIONS - 1));
        d[0] = cos(angle), d[1] = sin(angle);
        slip_state(W, b, mu, given, d, p, u);
        const double across = u[0] * d[1] - u[1] * d[0], along = u[0] * d[0] + u[1] * d[1];
        if (a && isfinite(across) && isfinite(last_across) && !(across * last_across > 0.0) &&
            (along > 0.0 || last_along > 0.0)) {
            double low = last_angle, high = angle;
            for (int halving = 0; halving < 60; halving++) {
                const double middle = 0.5 * (low + high);
                d[0] = cos(middle), d[1] = sin(middle);
                slip_state(W, b, mu, given, d, p, u);
                if ((u[0] * d[1] - u[1] * d[0]) * last_across > 0.0) low = middle;
                else high = middle;
            }
            const double speed = u[0] * d[0] + u[1] * d[1];
            if (speed > 0.0 && speed > fastest) {
                fastest = speed, found = 1;
                for (int j = 0; j < 3; j++) force[j] = p[j];
            }
        }
        last_across = across, last_along = along, last_angle = angle;
    }
    return found;
}

/* Force of one pair, all others known, and what it does; -1: none fulfils the laws. */
FUNCTION int64_t one_pair(const double *W, const double *b, double mu, const double *slip, double given, double *force,
                          struct memory memory) {
    force[0] = force[1] = force[2] = 0.0;
    if (W[0] <= 0.0) return OPEN;
    if (mu == 0.0) {
        if (b[0] >= 0.0) return OPEN;
        force[0] = -b[0] / W[0];
        return STICK;
    }
    if (isfinite(slip[0])) {
        const double push = W[1] * slip[0] + W[2] * slip[1], pivot = W[0] - mu * push, bn = b[0] - mu * given * push;
        if (pivot <= 0.0 && bn < 0.0) return -1;
        force[0] = pivot > 0.0 ? fmax(0.0, -bn / pivot) : 0.0;
        for (int j = 0; j < 2; j++) force[1 + j] = -mu * (force[0] + given) * slip[j];
        return force[0] > 0.0 ? SLIP : OPEN;
    }
    if (b[0] >= 0.0 && given == 0.0) return OPEN;
    int rows[3] = {0, 0, 0}, count = 1;
    double A[9], right[3], stuck[3];
    for (int j = 1; j < 3; j++)
        if (W[4 * j] > 1e-14 * W[0]) rows[count++] = j;
    for (int i = 0; i < count; i++) {
        right[i] = -b[rows[i]];
        for (int j = 0; j < count; j++) A[i * count + j] = W[3 * rows[i] + rows[j]];
    }
    lstsq(A, count, count, right, stuck, 1e-15, count, memory);
    for (int i = 0; i < count; i++) force[rows[i]] = stuck[i];
    if (force[0] >= 0.0 && hypot(force[1], force[2]) <= mu * (force[0] + given)) return STICK;
    if (!slipping(W, b, mu, given, count == 3, force)) return -1;
    return force[0] + given > 0.0 ? SLIP : OPEN;
}

/* One round over all pairs, each solved with the forces of the others as they are; returns the pair that has none. */
FUNCTION int64_t sweep_over(const struct cones *c, double *p, int64_t *modes, double *change, struct memory memory) {
    const int64_t n = 3 * c->k;
    *change = 0.0;
    for (int64_t i = 0; i < c->k; i++) {
        double W[9], b[3], force[3];
        for (int r = 0; r < 3; r++) {
            const double *row = c->W + (3 * i + r) * n;
            for (int j = 0; j < 3; j++) W[3 * r + j] = row[3 * i + j];
            b[r] = dot(row, p, n) + c->b[3 * i + r] - dot(W + 3 * r, p + 3 * i, 3);
        }
        modes[i] = one_pair(W, b, c->mu[i], c->slip + 2 * i, c->given[i], force, memory);
        if (modes[i] < 0) return i;
        for (int j = 0; j < 3; j++) {
            *change = fmax(*change, fabs(force[j] - p[3 * i + j]));
            p[3 * i + j] = force[j];
        }
    }
    return SOLVED;
}

/* Find forces that fulfil the laws: SOLVED, or the pair at which there are none. */
FUNCTION int64_t solve_cones(const struct cones *c, const struct solution *s, struct memory memory) {
    const int64_t k = c->k, n = 3 * k;
    int rubs = 0;
    for (int64_t i = 0; i < k; i++) {
        s->modes[i] = is_sliding(c, i) ? SLIP : STICK;
        rubs |= c->mu[i] != 0.0;
        if (!is_sliding(c, i)) continue;
        const double *row = c->W + 3 * i * n + 3 * i;
        const double pivot = row[0] - c->mu[i] * (row[1] * c->slip[2 * i] + row[2] * c->slip[2 * i + 1]);
        if (pivot <= RANK_TOLERANCE * row[0] && c->b[3 * i] < 0.0) return i;
    }
    if (shared(c, s, memory)) return SOLVED;
    if (!rubs) return smooth(c, s, memory);
    double *p = take(&memory, n), *near = take(&memory, n), *best_p = take(&memory, n);
    int64_t *modes = take_integers(&memory, k), *best_modes = take_integers(&memory, k);
    const double scale = largest_of(c->b, n), sharp = 10.0 * tolerance_of(c);
    double best = INFINITY, change = 0.0;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        project_onto(c, p, 40 * (attempt + 1));
        newton(c, p, s, memory);
        const double fault = fault_of(c, s);
        if (fault < best) {
            best = fault;
            for (int64_t i = 0; i < n; i++) best_p[i] = s->p[i];
            for (int64_t i = 0; i < k; i++) best_modes[i] = s->modes[i];
        }
        if (fault > sharp) continue;
        for (int64_t i = 0; i < n; i++) near[i] = s->p[i];
        for (int64_t i = 0; i < k; i++) modes[i] = s->modes[i];
        if (polished(c, modes, near, s, memory)) return SOLVED;
        break;
    }
    if (best <= NEARLY * scale) {
        for (int64_t i = 0; i < n; i++) s->p[i] = best_p[i];
        for (int64_t i = 0; i < k; i++) s->modes[i] = best_modes[i];
        respond_to(c, s->p, s->u);
        return SOLVED;
    }
    for (int64_t i = 0; i < k; i++) best_modes[i] = -1;
    for (int64_t sweep = 0; sweep < SWEEPS; sweep++) {
        const int64_t bad = sweep_over(c, p, modes, &change, memory);
        int steady = 1;
        if (bad != SOLVED) return bad;
        for (int64_t i = 0; i < k; i++) steady &= modes[i] == best_modes[i], best_modes[i] = modes[i];
        if (steady && sweep % 5 == 4 && polished(c, modes, p, s, memory)) return SOLVED;
        if (change <= 1e-15 * (1.0 + largest_of(p, n))) break;
    }
    for (int64_t i = 0; i < n; i++) s->p[i] = p[i];
    for (int64_t i = 0; i < k; i++) s->modes[i] = modes[i];
    respond_to(c, s->p, s->u);
    if (fault_of(c, s) <= NEARLY * fmax(scale, NOTHING)) return SOLVED;
    int64_t worst = 0;
    for (int64_t i = 0; i < n; i++)
        if (fabs(s->u[i]) > fabs(s->u[worst])) worst = i;
    return worst / 3;
}

/* Impulses at a part of the coefficients of restitution, and the energy that they take. */
FUNCTION int64_t impulses_at(double factor, const double *W, int64_t k, const double *u, const double *e,
                             const double *mu, const int64_t *poisson, double *p, double *lost, struct memory memory) {
    const int64_t n = 3 * k;
    double *b = take(&memory, n), *slip = take(&memory, 2 * k), *given = take(&memory, k), *after = take(&memory, n),
           *more = take(&memory, n);
    struct solution s;
    s.p = p, s.u = after, s.modes = take_integers(&memory, k);
    struct cones c;
    c.k = k, c.W = W, c.b = b, c.mu = mu, c.slip = slip, c.given = given;
    int restores = 0;
    for (int64_t i = 0; i < 2 * k; i++) slip[i] = NAN;
    for (int64_t i = 0; i < n; i++) b[i] = u[i];
    for (int64_t i = 0; i < k; i++)
        if (!poisson[i]) b[3 * i] += factor * e[i] * fmin(u[3 * i], 0.0);
    int64_t bad = solve_cones(&c, &s, memory);
    if (bad != SOLVED) return bad;
    for (int64_t i = 0; i < k; i++) restores |= poisson[i] && e[i] * factor * p[3 * i] > 0.0;
    if (restores) {
        for (int64_t i = 0; i < k; i++)
            if (poisson[i]) given[i] = factor * e[i] * p[3 * i], p[3 * i] += given[i];
        multiply(W, n, n, p, b);
        for (int64_t i = 0; i < n; i++) b[i] += u[i];
        for (int64_t i = 0; i < k; i++)
            if (!poisson[i]) b[3 * i] += factor * e[i] * fmin(u[3 * i], 0.0);
        s.p = more;
        bad = solve_cones(&c, &s, memory);
        if (bad != SOLVED) return bad;
        for (int64_t i = 0; i < n; i++) p[i] += more[i];
    }
    multiply(W, n, n, p, after);
    *lost = -(dot(p, u, n) + 0.5 * dot(p, after, n));
    return SOLVED;
}

static int64_t strike_memory(int64_t k) { return cones_memory(k) + 20 * k + 64; }

/* Impact of k pairs that touch, all at once, none of them pulling: impulses p, the factor of all restitution (1, or the
 * largest at which no energy is added), and the energy that it takes. SOLVED, or the pair that cannot be. */
FUNCTION int64_t strike(const double *W, int64_t k, const double *u, const double *e, const double *mu,
                        const int64_t *poisson, double *p, double *factor, double *lost, struct memory memory) {
    const int64_t n = 3 * k;
    double *tried = take(&memory, n), taken = 0.0, least = 0.0;
    int64_t bad = impulses_at(1.0, W, k, u, e, mu, poisson, p, lost, memory);
    *factor = 1.0;
    for (int64_t i = 0; i < n; i++) least -= 1e-10 * fabs(p[i] * u[i]);
    if (bad == SOLVED && *lost >= least) return SOLVED;
    bad = impulses_at(0.0, W, k, u, e, mu, poisson, p, lost, memory);
    if (bad != SOLVED) return bad;
    double low = 0.0, high = 1.0;
    while (high - low > 1e-13) {
        const double middle = 0.5 * (low + high);
        const int64_t wrong = impulses_at(middle, W, k, u, e, mu, poisson, tried, &taken, memory);
        if (wrong == SOLVED && taken >= 0.0) {
            low = middle, *lost = taken;
            for (int64_t i = 0; i < n; i++) p[i] = tried[i];
        } else high = middle;
    }
    *factor = low;
    return SOLVED;
}
