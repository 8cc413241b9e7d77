/* Coulomb friction at points of contact as a nonlinear complementarity problem, by block Gauss-Seidel.
 *
 * With impulses x = (normal, two tangential) and velocities u = u0 + Y s, s = s0 + Y^T x, every contact obeys
 *     0 <= x_n  complementary to  u_n + e u_n(before) >= 0,     |x_t| <= mu x_n,   u_t opposite to x_t where they are equal.
 * Rows of Y are those of J L^-T D^-1/2 with M = L^T D L: Y Y^T is the Delassus matrix J M^-1 J^T, which is never formed
 * but for its diagonal blocks. A row has entries at the joints between the root and the bodies that touch only.
 * See J. J. Moreau, in "Nonsmooth Mechanics and Applications", 1988; F. Jourdan, P. Alart, M. Jean, Computer Methods in
 * Applied Mechanics and Engineering 155 (1998) 31-47 (Gauss-Seidel); O. Bonnefon, G. Daviet, INRIA report 7595, 2011
 * (the local problem has a solution where the block is positive definite).
 *
 * compile/text/contacts.h sweeps in the same way for many members at once, in a text of its own: here most contacts open
 * or stick, and what decides that returns at once from factors that are kept with each block; there members differ, both
 * sides of every decision are computed, and factors that are kept would not fit into registers. Sizes are known to that
 * text, not to this one, and what looks back over many sweeps (extrapolation, conjugate gradients) is here alone.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Sweeps from which on they are slow and their starts extrapolated, from how many sweeps before; sweeps after which they
 * crawl; steps of conjugate gradients then. */
enum { SLOW = 10, HISTORY = 5, PATIENCE = 30, CONJUGATE = 40 };

/* fmax is a call where it has to know about what is not a number. */
static inline double larger(double a, double b) { return b > a ? b : a; }

/* What the sweeps need of one contact: its block W (nn, n1, n2, 11, 12, 22), and of S, which is left of it when u_n = 0
 * eliminates the normal impulse, the inverse, the eigenvalues and their axes (cs, sn); n1 and n2 in these as well. */
struct block {
    double w[6], r, i11, i12, i22, l1, l2, cs, sn, w1, w2;
};

/* Impulse x of one contact whose velocity is W x + b: exact but for rounding. */
static void solve_block(const struct block *B, const double *b, double mu, double *x) {
    x[0] = x[1] = x[2] = 0.0;
    if (!(b[0] < 0.0)) return; /* it opens */
    const double *w = B->w, r = B->r;
    if (!(mu > 0.0)) {
        x[0] = -b[0] * r;
        return;
    }
    /* u_n = 0 eliminates the normal impulse: u_t = S x_t + c */
    const double c1 = b[1] - w[1] * b[0] * r, c2 = b[2] - w[2] * b[0] * r;
    const double t1 = -(B->i11 * c1 + B->i12 * c2), t2 = -(B->i12 * c1 + B->i22 * c2);
    const double n = -(b[0] + w[1] * t1 + w[2] * t2) * r;
    if (n >= 0.0 && t1 * t1 + t2 * t2 <= mu * mu * n * n) { /* it sticks */
        x[0] = n, x[1] = t1, x[2] = t2;
        return;
    }
    /* It slips: (S + alpha) x_t = -c with |x_t| = mu x_n, alpha > 0. In the axes of S every entry of x_t is a fraction,
     * and mu x_n / |x_t| is nearly linear in alpha: Newton's method with a bracket, which exists (from sticking, outside
     * of the cone, to no friction at all, inside). */
    const double l1 = B->l1, l2 = B->l2, cs = B->cs, sn = B->sn, w1 = B->w1, w2 = B->w2;
    const double d1 = cs * c1 + sn * c2, d2 = cs * c2 - sn * c1;
    double alpha = 0.0, low = 0.0, high = INFINITY, p1 = 0.0, p2 = 0.0, pn = 0.0, size = 0.0;
    for (int k = 0; k < 100; k++) {
        const double i1 = 1.0 / (l1 + alpha), i2 = 1.0 / (l2 + alpha);
        p1 = -d1 * i1, p2 = -d2 * i2;
        size = sqrt(p1 * p1 + p2 * p2);
        pn = -(b[0] + w1 * p1 + w2 * p2) * r;
        const double F = mu * pn - size;
        if (fabs(F) <= 4.0 * DBL_EPSILON * size ||
            (high < INFINITY && high - low <= 4.0 * DBL_EPSILON * high)) break;
        if (F < 0.0) low = alpha;
        else high = alpha;
        const double r1 = -p1 * i1, r2 = -p2 * i2; /* rates by alpha */
        const double rate = mu * (-(w1 * r1 + w2 * r2) * r * size - pn * (p1 * r1 + p2 * r2) / size) / (size * size);
        double next = alpha - F / (size * rate);
        if (!(next > low && next < high)) next = high < INFINITY ? 0.5 * (low + high) : 2.0 * alpha + l1;
        if (next == alpha) break;
        alpha = next;
    }
    x[0] = size / mu;
    x[1] = cs * p1 - sn * p2, x[2] = sn * p1 + cs * p2;
}

struct cone {
    int64_t n;              /* contacts that act */
    const int64_t *size;    /* rows of each: 1 (no friction) or 3 */
    const int64_t *count;   /* entries of a row of each */
    const int64_t *const *support; /* their places in s */
    const double *const *rows;     /* rows of Y of each, one after the other */
    const double *const *u0;       /* velocities before the step, which s = 0 would keep */
    const double *bounce;   /* e times the normal velocity before */
    const double *mu;
    double *s;              /* (in) without contact, (out) with it */
    double (*x)[3];         /* impulses: (in) guess, (out) solution */
    struct block *blocks;   /* as cone_blocks has made them */
    int64_t nv;
    double *scratch;        /* 2 nv + 54 n */
    double tolerance;
    int64_t max_sweeps;
    double residual;        /* (out) of the complementarity problem, by the largest impulse */
    int64_t sweeps;         /* (out) */
};

static void velocity(const struct cone *K, int64_t a, double *u) {
    const int64_t n = K->count[a];
    const int64_t *at = K->support[a];
    const double *y = K->rows[a], *s = K->s;
    u[0] = K->u0[a][0], u[1] = u[2] = 0.0;
    if (K->size[a] == 3) {
        double a0 = u[0], a1 = K->u0[a][1], a2 = K->u0[a][2];
        for (int64_t i = 0; i < n; i++) {
            const double si = s[at[i]];
            a0 += y[i] * si, a1 += y[n + i] * si, a2 += y[2 * n + i] * si;
        }
        u[0] = a0, u[1] = a1, u[2] = a2;
    } else
        for (int64_t i = 0; i < n; i++) u[0] += y[i] * s[at[i]];
}

static void push(const struct cone *K, int64_t a, const double *dx) {
    const int64_t n = K->count[a];
    const int64_t *at = K->support[a];
    const double *y = K->rows[a];
    double *s = K->s;
    if (K->size[a] == 3)
        for (int64_t i = 0; i < n; i++) s[at[i]] += y[i] * dx[0] + y[n + i] * dx[1] + y[2 * n + i] * dx[2];
    else
        for (int64_t i = 0; i < n; i++) s[at[i]] += y[i] * dx[0];
}

static void make_block(const struct cone *K, int64_t a) {
    const int64_t n = K->count[a];
    const double *y = K->rows[a], *z = y + n, *q = z + n;
    struct block *B = K->blocks + a;
    double *w = B->w;
    w[0] = w[1] = w[2] = w[4] = 0.0, w[3] = w[5] = 1.0;
    for (int64_t i = 0; i < n; i++) w[0] += y[i] * y[i];
    B->r = 1.0 / w[0];
    if (K->size[a] != 3) return;
    w[3] = w[5] = 0.0;
    for (int64_t i = 0; i < n; i++) {
        w[1] += y[i] * z[i], w[2] += y[i] * q[i];
        w[3] += z[i] * z[i], w[4] += z[i] * q[i], w[5] += q[i] * q[i];
    }
    /* Where a tangent cannot move (a ball in a plane) its impulse is zero. */
    const double least = 1e-14 * (w[0] + w[3] + w[5]);
    if (w[3] < least) w[3] = 1.0, w[1] = w[4] = 0.0;
    if (w[5] < least) w[5] = 1.0, w[2] = w[4] = 0.0;
    const double s11 = w[3] - w[1] * w[1] * B->r, s12 = w[4] - w[1] * w[2] * B->r, s22 = w[5] - w[2] * w[2] * B->r;
    const double det = 1.0 / (s11 * s22 - s12 * s12);
    B->i11 = s22 * det, B->i12 = -s12 * det, B->i22 = s11 * det;
    const double mean = 0.5 * (s11 + s22), half = 0.5 * (s11 - s22), radius = sqrt(half * half + s12 * s12);
    B->l1 = mean + radius, B->l2 = mean - radius, B->cs = 1.0, B->sn = 0.0;
    if (radius > 1e-15 * mean) {
        const double cos2 = half / radius;
        B->cs = sqrt(0.5 * (1.0 + cos2)), B->sn = copysign(sqrt(larger(0.0, 0.5 * (1.0 - cos2))), s12);
    }
    B->w1 = B->cs * w[1] + B->sn * w[2], B->w2 = B->cs * w[2] - B->sn * w[1];
}

/* What the impulse of a contact lacks to be that of its velocity: |x - P(x - r u~)|, with u~ = u + mu |u_t| n, any
 * r > 0, and the projection P onto the cone (G. De Saxce, Z.-Q. Feng, 1998). */
static double violation(const double *w, const double *u, double bounce, double mu, const double *x) {
    const double slip = sqrt(u[1] * u[1] + u[2] * u[2]), r = 1.0 / larger(w[0], larger(w[3], w[5]));
    double n = x[0] - r * (u[0] + bounce + mu * slip), a = x[1] - r * u[1], b = x[2] - r * u[2];
    const double t = sqrt(a * a + b * b);
    if (mu * t <= -n) n = a = b = 0.0; /* the polar cone */
    else if (t > mu * n) {
        const double k = (mu * t + n) / (1.0 + mu * mu);
        n = k, a *= t > 0.0 ? mu * k / t : 0.0, b *= t > 0.0 ? mu * k / t : 0.0;
    }
    return larger(fabs(n - x[0]), larger(fabs(a - x[1]), fabs(b - x[2])));
}

static double friction(const struct cone *K, int64_t a) { return K->size[a] == 3 ? K->mu[a] : 0.0; }

/* Largest violation, and the largest normal impulse. */
static double worst(const struct cone *K, double *largest) {
    double most = 0.0, top = 0.0;
    for (int64_t a = 0; a < K->n; a++) {
        double u[3];
        velocity(K, a, u);
        most = larger(most, violation(K->blocks[a].w, u, K->bounce[a], friction(K, a), K->x[a]));
        top = larger(top, K->x[a][0]);
    }
    *largest = top;
    return most;
}

static void add_rows(const struct cone *K, const double *x, double *s) {
    struct cone T = *K;
    T.s = s;
    memset(s, 0, (size_t)K->nv * sizeof(double));
    for (int64_t a = 0; a < K->n; a++) push(&T, a, x + 3 * a);
}

/* Where sweeps crawl, many contacts hold each other (a chain that lies, a stack). Given which of them are open, stick
 * and slip, their impulses solve a linear system: conjugate gradients on it, from where the sweeps are, which moves as
 * little as it must where the system is singular. Tangential impulses of what slips are left to the sweeps. The result is
 * taken if it is better (M. Silcowitz, S. Niebe, K. Erleben, The Visual Computer 26 (2010) 893-901). */
static void leap(struct cone *K) {
    const int64_t n = K->n, m = 3 * n;
    double *r = K->scratch, *z = r + m, *p = z + m, *on = p + m, *d = on + m, *s = d + m, *s_old = s + K->nv;
    double top, rz = 0.0, r0 = 0.0;
    const double before = worst(K, &top);
    for (int64_t a = 0; a < n; a++) {
        const double *x = K->x[a], *w = K->blocks[a].w, mu = friction(K, a);
        const int closed = x[0] > 0.0;
        const int sticks = closed && mu > 0.0 && x[1] * x[1] + x[2] * x[2] < mu * mu * x[0] * x[0] * (1.0 - 1e-9);
        double u[3];
        velocity(K, a, u);
        u[0] += K->bounce[a];
        for (int i = 0; i < 3; i++) {
            const int64_t k = 3 * a + i;
            on[k] = (i ? sticks : closed) ? 1.0 / (i == 0 ? w[0] : i == 1 ? w[3] : w[5]) : 0.0;
            r[k] = on[k] > 0.0 ? -u[i] : 0.0, d[k] = 0.0, p[k] = z[k] = on[k] * r[k], rz += r[k] * z[k];
        }
    }
    r0 = rz;
    for (int64_t k = 0; k < CONJUGATE && rz > 1e-24 * r0; k++) {
        double curvature = 0.0, next = 0.0;
        add_rows(K, p, s);
        for (int64_t i = 0; i < K->nv; i++) curvature += s[i] * s[i];
        if (!(curvature > 0.0)) break;
        const double alpha = rz / curvature;
        struct cone T = *K;
        T.s = s;
        for (int64_t a = 0; a < n; a++) {
            double u[3];
            velocity(&T, a, u);
            for (int i = 0; i < K->size[a]; i++) {
                const int64_t q = 3 * a + i;
                if (!(on[q] > 0.0)) continue;
                d[q] += alpha * p[q], r[q] -= alpha * (u[i] - K->u0[a][i]);
                z[q] = on[q] * r[q], next += r[q] * z[q];
            }
        }
        for (int64_t q = 0; q < m; q++) p[q] = z[q] + next / rz * p[q];
        rz = next;
    }
    memcpy(z, K->x, (size_t)m * sizeof(double));
    memcpy(s_old, K->s, (size_t)K->nv * sizeof(double));
    for (int64_t a = 0; a < n; a++) {
        double *x = K->x[a], mu = friction(K, a);
        for (int i = 0; i < 3; i++) x[i] += d[3 * a + i];
        if (!(x[0] > 0.0)) x[0] = x[1] = x[2] = 0.0;
        const double t = sqrt(x[1] * x[1] + x[2] * x[2]);
        if (t > mu * x[0]) x[1] *= mu * x[0] / t, x[2] *= mu * x[0] / t;
        for (int i = 0; i < 3; i++) d[3 * a + i] = x[i] - z[3 * a + i];
        push(K, a, d + 3 * a);
    }
    if (!(worst(K, &top) < before)) {
        memcpy(K->x, z, (size_t)m * sizeof(double));
        memcpy(K->s, s_old, (size_t)K->nv * sizeof(double));
    }
}

/* What sweeps have done lately, from which the next start is extrapolated where they are slow (D. G. Anderson, Journal of
 * the ACM 12 (1965) 547-560): differences of what sweeps made, and of the changes that they made. */
struct history {
    int64_t count, next;
    double *before, *change_old, *made_old, *changes, *made; /* 3 n each, the last two HISTORY times */
};

static void restore(struct cone *K, const double *x) {
    for (int64_t a = 0; a < K->n; a++) {
        double d[3];
        for (int i = 0; i < 3; i++) d[i] = x[3 * a + i] - K->x[a][i], K->x[a][i] = x[3 * a + i];
        push(K, a, d);
    }
}

/* Take the impulses before a sweep, and those after it, which are in x; set x to a better start of the next one: where
 * the change would vanish if it went on as it did lately, within the cones. */
static void extrapolate(struct cone *K, struct history *H) {
    const int64_t m = 3 * K->n;
    double *x = K->x[0], A[HISTORY][HISTORY + 1], *f = H->before;
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
    for (int64_t a = 0; a < K->n; a++) {
        double *y = K->x[a], d[3], mu = friction(K, a);
        const double old[3] = {y[0], y[1], y[2]};
        for (int i = 0; i < 3; i++)
            for (int64_t j = 0; j < c; j++) y[i] -= A[j][HISTORY] * H->made[j * m + 3 * a + i];
        if (!(y[0] > 0.0)) y[0] = y[1] = y[2] = 0.0;
        const double t = sqrt(y[1] * y[1] + y[2] * y[2]);
        if (t > mu * y[0]) y[1] *= mu * y[0] / t, y[2] *= mu * y[0] / t;
        for (int i = 0; i < 3; i++) d[i] = y[i] - old[i];
        push(K, a, d);
    }
}

/* Blocks of the contacts that act; once for all solutions with the same rows. */
void cone_blocks(struct cone *K) {
    for (int64_t a = 0; a < K->n; a++) make_block(K, a);
}

void cone_solve(struct cone *K) {
    double largest = 0.0;
    int64_t patience = PATIENCE, slow = SLOW, wait = 1;
    const int64_t m = 3 * K->n;
    double *room = K->scratch + 2 * K->nv + 5 * m, before = INFINITY;
    struct history H = {-1, 0, room, room + m, room + 2 * m, room + 3 * m, room + (3 + HISTORY) * m};
    K->residual = 0.0, K->sweeps = 0;
    for (int64_t a = 0; a < K->n; a++) {
        if (K->size[a] == 1) K->x[a][1] = K->x[a][2] = 0.0;
        if (K->x[a][0] != 0.0) push(K, a, K->x[a]);
    }
    if (!K->n) return;
    while (K->sweeps < K->max_sweeps) {
        double change = 0.0;
        largest = 0.0;
        K->sweeps++;
        if (K->sweeps >= slow) memcpy(H.before, K->x, (size_t)m * sizeof(double));
        for (int64_t a = 0; a < K->n; a++) {
            const double *w = K->blocks[a].w;
            double u[3], b[3], *x = K->x[a];
            velocity(K, a, u);
            b[0] = u[0] + K->bounce[a] - (w[0] * x[0] + w[1] * x[1] + w[2] * x[2]);
            b[1] = u[1] - (w[1] * x[0] + w[3] * x[1] + w[4] * x[2]);
            b[2] = u[2] - (w[2] * x[0] + w[4] * x[1] + w[5] * x[2]);
            const double old[3] = {x[0], x[1], x[2]};
            solve_block(K->blocks + a, b, friction(K, a), x);
            const double d[3] = {x[0] - old[0], x[1] - old[1], x[2] - old[2]};
            push(K, a, d);
            change = larger(change, larger(fabs(d[0]), larger(fabs(d[1]), fabs(d[2]))));
            largest = larger(largest, larger(x[0], old[0]));
        }
        if (change <= K->tolerance * largest) break;
        if (K->n == 1 || K->sweeps == K->max_sweeps) continue;
        if (K->sweeps >= patience) {
            leap(K), patience = 2 * K->sweeps, H.count = -1, before = INFINITY;
            continue;
        }
        if (K->sweeps < slow) continue;
        if (change > before) { /* it was no better: back to where it came from */
            restore(K, H.made_old);
            H.count = -1, before = INFINITY, slow = K->sweeps + wait, wait *= 2;
            continue;
        }
        extrapolate(K, &H);
        before = change;
    }
    const double most = worst(K, &largest);
    if (largest > 0.0) K->residual = most / largest;
}
