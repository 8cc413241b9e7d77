/* Methods that use the history of many sweeps, with one member: where sweeps are slow their starts are extrapolated,
 * where they crawl conjugate gradients help. Lanes hand members over whose sweeps are slow.
 *
 * Vectors here have the rows of the blocks that act, one after the other. */

/* Sweeps from which on they are slow and their starts extrapolated, from how many sweeps before; sweeps after which they
 * crawl; steps of conjugate gradients then. */
enum { SLOW = 10, HISTORY = 5, PATIENCE = 30, CONJUGATE = 40 };

#define OF_ACTIVE(C, k, a, j) for (int64_t k = 0, a, j = 0; k < (C)->n_active && (a = (C)->active[k], 1); j += (C)->size[a], k++)

static inline void copy(const double *from, int64_t n, double *to) {
    for (int64_t i = 0; i < n; i++) to[i] = from[i]; /* of a block: shorter than a call */
}

/* Impulses of the blocks that act. */
static inline void gather(const struct moreau *C, double *x) {
    for (int64_t k = 0; k < C->n_active; k++) {
        const int64_t a = C->active[k], n = SIZE(a);
        const double *from = C->x + ROW(a);
        if (n == 3) x[0] = from[0], x[1] = from[1], x[2] = from[2];
        else copy(from, n, x);
        x += n;
    }
}

static int64_t rows_of_active(const struct moreau *C) {
    int64_t rows = 0;
    for (int64_t k = 0; k < C->n_active; k++) rows += C->size[C->active[k]];
    return rows;
}

/* Impulses near x that the law of a block admits, at any velocity. */
static inline void admit(int law, int64_t n, const double *mu, double *x) {
    if (law == STICTION) x[0] = within(x[0], mu[0]);
    else if (!(x[0] > 0.0)) {
        for (int64_t i = 0; i < n; i++) x[i] = 0.0;
    } else if (law == COULOMB || law == RESISTED) {
        const double t = sqrt(x[1] * x[1] + x[2] * x[2]), most = mu[0] * x[0];
        if (t > most) x[1] *= most / t, x[2] *= most / t;
        if (law == RESISTED) {
            const double roll = sqrt(x[4] * x[4] + x[5] * x[5]), limit = mu[2] * x[0];
            x[3] = within(x[3], mu[1] * x[0]);
            if (roll > limit) x[4] *= limit / roll, x[5] *= limit / roll;
        }
    } else if (law == ROPE)
        for (int64_t j = 1; j < n; j++) x[j] = fmin(fmax(x[j], x[j - 1] / mu[j - 1]), x[j - 1] * mu[j - 1]);
}

/* Which velocities of a block are zero under these impulses, as far as its law determines them. */
static void held_by(int law, int64_t n, const double *mu, const double *x, int *rows) {
    if (law == STICTION) rows[0] = fabs(x[0]) < mu[0] * (1.0 - 1e-9);
    else rows[0] = x[0] > 0.0;
    if (law == COULOMB || law == RESISTED) {
        const double most = mu[0] * x[0];
        rows[1] = rows[2] = rows[0] && mu[0] > 0.0 && x[1] * x[1] + x[2] * x[2] < most * most * (1.0 - 1e-9);
    }
    if (law == RESISTED) {
        const double limit = mu[2] * x[0];
        rows[3] = rows[0] && fabs(x[3]) < mu[1] * x[0] * (1.0 - 1e-9);
        rows[4] = rows[5] = rows[0] && x[4] * x[4] + x[5] * x[5] < limit * limit * (1.0 - 1e-9);
    }
    if (law == ROPE) { /* all of them, or sums which are left to the sweeps */
        for (int64_t j = 1; j < n; j++)
            rows[0] &= fmax(x[j] / x[j - 1], x[j - 1] / x[j]) < mu[j - 1] * (1.0 - 1e-9);
        for (int64_t j = 1; j < n; j++) rows[j] = rows[0];
    }
}

/* Largest violation of all laws. */
static double worst(const struct moreau *C) {
    double most = 0.0;
    for (int64_t k = 0; k < C->n_active; k++) {
        const int64_t a = C->active[k];
        double u[MOST_ROWS];
        block_velocity(C, a, C->s, u);
        u[0] += C->bounce[a];
        if (COMPLIANT(a)) u[0] += SPRUNG(a, C->x + ROW(a));
        most = larger(most, law_violation(LAW(a), SIZE(a), BLOCK(a), u, MU(a), C->x + ROW(a)));
    }
    return most;
}

/* Where sweeps crawl, many blocks hold each other (a chain that lies, a stack). Given which of them are open, stick and
 * slip, their impulses solve a linear system: conjugate gradients on it, from the impulses of the sweeps, with the
 * least change where the system is singular. Tangential impulses of slipping blocks are left to the sweeps. The result is
 * taken if it is better (M. Silcowitz, S. Niebe, K. Erleben, The Visual Computer 26 (2010) 893-901). */
static void conjugate_gradients(struct moreau *C, double *room) {
    const int64_t m = rows_of_active(C), nv = C->nv;
    double *r = room, *z = r + m, *p = z + m, *on = p + m, *d = on + m, *s = d + m, *s_old = s + nv;
    double rz = 0.0, r0 = 0.0;
    const double before = worst(C);
    OF_ACTIVE(C, k, a, j) {
        double u[MOST_ROWS];
        const double *w = BLOCK(a);
        int rows[MOST_ROWS] = {0};
        block_velocity(C, a, C->s, u);
        u[0] += C->bounce[a];
        if (COMPLIANT(a)) u[0] += SPRUNG(a, C->x + ROW(a));
        held_by(LAW(a), SIZE(a), MU(a), C->x + ROW(a), rows);
        for (int64_t i = 0; i < SIZE(a); w += SIZE(a) - i, i++) {
            const int64_t q = j + i;
            on[q] = rows[i] ? 1.0 / *w : 0.0;
            r[q] = on[q] > 0.0 ? -u[i] : 0.0, d[q] = 0.0, p[q] = z[q] = on[q] * r[q], rz += r[q] * z[q];
        }
    }
    r0 = rz;
    for (int64_t step = 0; step < CONJUGATE && rz > 1e-24 * r0; step++) {
        double curvature = 0.0, next = 0.0;
        memset(s, 0, (size_t)nv * sizeof(double));
        OF_ACTIVE(C, k, a, j) block_push(C, a, 1, p + j, s);
        for (int64_t i = 0; i < nv; i++) curvature += s[i] * s[i];
        if (C->compliance)
            OF_ACTIVE(C, k, a, j) curvature += GIVE(a) * p[j] * p[j];
        if (!(curvature > 0.0)) break;
        const double alpha = rz / curvature;
        OF_ACTIVE(C, k, a, j) {
            double u[MOST_ROWS];
            block_velocity(C, a, s, u);
            if (COMPLIANT(a)) u[0] += C->give[a] * p[j];
            for (int64_t i = 0; i < SIZE(a); i++) {
                const int64_t q = j + i;
                if (!(on[q] > 0.0)) continue;
                d[q] += alpha * p[q], r[q] -= alpha * (u[i] - C->u0[ROW(a) + i]);
                z[q] = on[q] * r[q], next += r[q] * z[q];
            }
        }
        for (int64_t q = 0; q < m; q++) p[q] = z[q] + next / rz * p[q];
        rz = next;
    }
    gather(C, z);
    memcpy(s_old, C->s, (size_t)nv * sizeof(double));
    OF_ACTIVE(C, k, a, j) {
        double *x = C->x + ROW(a);
        for (int64_t i = 0; i < SIZE(a); i++) x[i] += d[j + i];
        admit(LAW(a), SIZE(a), MU(a), x);
        for (int64_t i = 0; i < SIZE(a); i++) d[j + i] = x[i] - z[j + i];
        block_push(C, a, 1, d + j, C->s);
    }
    if (worst(C) < before) return;
    OF_ACTIVE(C, k, a, j) copy(z + j, SIZE(a), C->x + ROW(a));
    memcpy(C->s, s_old, (size_t)nv * sizeof(double));
}

/* The latest changes of the sweeps, from which the next start is extrapolated where they are slow (D. G. Anderson,
 * Journal of the ACM 12 (1965) 547-560): differences of the results of sweeps, and of their changes. */
struct history {
    int64_t rows, count, next, slow, wait, patience;
    double change; /* that of the sweep before the last extrapolation */
    double *before, *change_old, *made_old, *changes, *made, *room;
};

static struct history history_start(const struct moreau *C) {
    const int64_t m = rows_of_active(C);
    double *room = C->scratch;
    struct history H = {m, -1, 0, SLOW, 1, PATIENCE, INFINITY, room, room + m, room + 2 * m, room + 3 * m,
                        room + (3 + HISTORY) * m, room + (3 + 2 * HISTORY) * m};
    return H;
}

static void restore(struct moreau *C, const double *x) {
    OF_ACTIVE(C, k, a, j) {
        double d[MOST_ROWS];
        for (int64_t i = 0; i < SIZE(a); i++) d[i] = x[j + i] - C->x[ROW(a) + i], C->x[ROW(a) + i] = x[j + i];
        block_push(C, a, 1, d, C->s);
    }
}

/* Take the impulses before a sweep, and those after it, which are in x; set x to a better start of the next one: where
 * the change would vanish if it continued as lately, as far as the laws admit it. */
static void extrapolate(struct moreau *C, struct history *H) {
    const int64_t m = H->rows;
    double A[HISTORY][HISTORY + 1], *f = H->before, *x = H->room;
    gather(C, x);
    for (int64_t i = 0; i < m; i++) f[i] = x[i] - f[i]; /* the change */
    if (H->count >= 0) {
        double *df = H->changes + H->next * m, *dg = H->made + H->next * m;
        for (int64_t i = 0; i < m; i++) df[i] = f[i] - H->change_old[i], dg[i] = x[i] - H->made_old[i];
        H->next = (H->next + 1) % HISTORY;
        if (H->count < HISTORY) H->count++;
    } else
        H->count = 0;
    memcpy(H->change_old, f, (size_t)m * sizeof(double));
    memcpy(H->made_old, x, (size_t)m * sizeof(double));
    const int64_t c = H->count;
    if (c < 1) return;
    double trace = 0.0;
    for (int64_t i = 0; i < c; i++) {
        for (int64_t j = 0; j <= i; j++) {
            double t = 0.0;
            for (int64_t k = 0; k < m; k++) t += H->changes[i * m + k] * H->changes[j * m + k];
            A[i][j] = A[j][i] = t;
        }
        double t = 0.0;
        for (int64_t k = 0; k < m; k++) t += H->changes[i * m + k] * f[k];
        A[i][HISTORY] = t;
        trace += A[i][i];
    }
    for (int64_t i = 0; i < c; i++) A[i][i] += 1e-10 * trace;
    for (int64_t k = 0; k < c; k++) { /* Gauss, without pivoting: positive definite */
        if (!(A[k][k] > 0.0)) return;
        for (int64_t i = k + 1; i < c; i++) {
            const double l = A[i][k] / A[k][k];
            for (int64_t j = k; j < c; j++) A[i][j] -= l * A[k][j];
            A[i][HISTORY] -= l * A[k][HISTORY];
        }
    }
    for (int64_t k = c - 1; k >= 0; k--) {
        double t = A[k][HISTORY];
        for (int64_t j = k + 1; j < c; j++) t -= A[k][j] * A[j][HISTORY];
        A[k][HISTORY] = t / A[k][k];
    }
    OF_ACTIVE(C, k, a, j) {
        double *y = C->x + ROW(a), d[MOST_ROWS];
        for (int64_t i = 0; i < SIZE(a); i++)
            for (int64_t l = 0; l < c; l++) y[i] -= A[l][HISTORY] * H->made[l * m + j + i];
        admit(LAW(a), SIZE(a), MU(a), y);
        for (int64_t i = 0; i < SIZE(a); i++) d[i] = y[i] - x[j + i];
        block_push(C, a, 1, d, C->s);
    }
}

/* After a sweep that was not the last. */
static inline void use_history(struct moreau *C, struct history *H, int64_t sweeps, double change) {
    if (C->n_active == 1 || sweeps == C->max_sweeps) return;
    if (sweeps >= H->patience && !(C->soft > 0.0)) {
        conjugate_gradients(C, H->room), H->patience = 2 * sweeps, H->count = -1, H->change = INFINITY;
        return;
    }
    if (sweeps < H->slow) return;
    if (change > H->change) { /* it was no better: back to where it came from */
        restore(C, H->made_old);
        H->count = -1, H->change = INFINITY, H->slow = sweeps + H->wait, H->wait *= 2;
        return;
    }
    extrapolate(C, H);
    H->change = change;
}
