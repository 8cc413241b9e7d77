/* Coulomb friction at points of contact as a nonlinear complementarity problem, by block Gauss-Seidel.
 *
 * With impulses x = (normal, two tangential) and velocities u = u0 + Y s, s = s0 + Y^T x, every contact obeys
 *     0 <= x_n  complementary to  u_n + e u_n(before) >= 0,     |x_t| <= mu x_n,   u_t opposite to x_t where they are equal.
 * Rows of Y are those of J L^-T D^-1/2 with M = L^T D L: Y Y^T is the Delassus matrix J M^-1 J^T, which is never formed
 * but for its diagonal blocks. A row has entries at the joints between the root and the bodies that touch only.
 * See J. J. Moreau, in "Nonsmooth Mechanics and Applications", 1988; F. Jourdan, P. Alart, M. Jean, Computer Methods in
 * Applied Mechanics and Engineering 155 (1998) 31-47 (Gauss-Seidel); O. Bonnefon, G. Daviet, INRIA report 7595, 2011
 * (the local problem has a solution where the block is positive definite).
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { CONJUGATE = 40 };

/* Block of one contact: nn, n1, n2, 11, 12, 22. */
typedef double block[6];

/* Impulse x of one contact whose velocity is W x + b: exact but for rounding. */
static void solve_block(const double *w, const double *b, double mu, double *x) {
    x[0] = x[1] = x[2] = 0.0;
    if (!(b[0] < 0.0)) return; /* it opens */
    const double r = 1.0 / w[0];
    if (!(mu > 0.0)) {
        x[0] = -b[0] * r;
        return;
    }
    /* u_n = 0 eliminates the normal impulse: u_t = S x_t + c */
    const double s11 = w[3] - w[1] * w[1] * r, s12 = w[4] - w[1] * w[2] * r, s22 = w[5] - w[2] * w[2] * r;
    const double c1 = b[1] - w[1] * b[0] * r, c2 = b[2] - w[2] * b[0] * r;
    const double det = 1.0 / (s11 * s22 - s12 * s12);
    const double t1 = (s12 * c2 - s22 * c1) * det, t2 = (s12 * c1 - s11 * c2) * det;
    const double n = -(b[0] + w[1] * t1 + w[2] * t2) * r;
    if (n >= 0.0 && t1 * t1 + t2 * t2 <= mu * mu * n * n) { /* it sticks */
        x[0] = n, x[1] = t1, x[2] = t2;
        return;
    }
    /* It slips: (S + alpha) x_t = -c with |x_t| = mu x_n, alpha > 0. In the axes of S every entry of x_t is a fraction,
     * and mu x_n / |x_t| is nearly linear in alpha: Newton's method with a bracket, which exists (from sticking, outside
     * of the cone, to no friction at all, inside). */
    const double mean = 0.5 * (s11 + s22), half = 0.5 * (s11 - s22), radius = sqrt(half * half + s12 * s12);
    double cs = 1.0, sn = 0.0;
    if (radius > 1e-15 * mean) {
        const double cos2 = half / radius;
        cs = sqrt(0.5 * (1.0 + cos2)), sn = copysign(sqrt(fmax(0.0, 0.5 * (1.0 - cos2))), s12);
    }
    const double l1 = mean + radius, l2 = mean - radius;
    const double d1 = cs * c1 + sn * c2, d2 = cs * c2 - sn * c1, w1 = cs * w[1] + sn * w[2], w2 = cs * w[2] - sn * w[1];
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
    block *w;               /* scratch */
    int64_t nv;
    double *scratch;        /* 2 nv + 15 n */
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

static void diagonal_block(const struct cone *K, int64_t a, double *w) {
    const int64_t n = K->count[a];
    const double *y = K->rows[a], *z = y + n, *q = z + n;
    w[0] = w[1] = w[2] = w[4] = 0.0, w[3] = w[5] = 1.0;
    for (int64_t i = 0; i < n; i++) w[0] += y[i] * y[i];
    if (K->size[a] == 3) {
        w[3] = w[5] = 0.0;
        for (int64_t i = 0; i < n; i++) {
            w[1] += y[i] * z[i], w[2] += y[i] * q[i];
            w[3] += z[i] * z[i], w[4] += z[i] * q[i], w[5] += q[i] * q[i];
        }
        /* Where a tangent cannot move (a ball in a plane) its impulse is zero. */
        const double least = 1e-14 * (w[0] + w[3] + w[5]);
        if (w[3] < least) w[3] = 1.0, w[1] = w[4] = 0.0;
        if (w[5] < least) w[5] = 1.0, w[2] = w[4] = 0.0;
    }
}

/* What the impulse of a contact lacks to be that of its velocity: |x - P(x - r u~)|, with u~ = u + mu |u_t| n, any
 * r > 0, and the projection P onto the cone (G. De Saxce, Z.-Q. Feng, 1998). */
static double violation(const double *w, const double *u, double bounce, double mu, const double *x) {
    const double slip = sqrt(u[1] * u[1] + u[2] * u[2]), r = 1.0 / fmax(w[0], fmax(w[3], w[5]));
    double n = x[0] - r * (u[0] + bounce + mu * slip), a = x[1] - r * u[1], b = x[2] - r * u[2];
    const double t = sqrt(a * a + b * b);
    if (mu * t <= -n) n = a = b = 0.0; /* the polar cone */
    else if (t > mu * n) {
        const double k = (mu * t + n) / (1.0 + mu * mu);
        n = k, a *= t > 0.0 ? mu * k / t : 0.0, b *= t > 0.0 ? mu * k / t : 0.0;
    }
    return fmax(fabs(n - x[0]), fmax(fabs(a - x[1]), fabs(b - x[2])));
}

static double friction(const struct cone *K, int64_t a) { return K->size[a] == 3 ? K->mu[a] : 0.0; }

/* Largest violation, and the largest normal impulse. */
static double worst(const struct cone *K, double *largest) {
    double most = 0.0, top = 0.0;
    for (int64_t a = 0; a < K->n; a++) {
        double u[3];
        velocity(K, a, u);
        most = fmax(most, violation(K->w[a], u, K->bounce[a], friction(K, a), K->x[a]));
        top = fmax(top, K->x[a][0]);
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
        const double *x = K->x[a], *w = K->w[a], mu = friction(K, a);
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

void cone_solve(struct cone *K) {
    double largest = 0.0;
    int64_t patience = 30;
    K->residual = 0.0, K->sweeps = 0;
    for (int64_t a = 0; a < K->n; a++) {
        diagonal_block(K, a, K->w[a]);
        if (K->size[a] == 1) K->x[a][1] = K->x[a][2] = 0.0;
        if (K->x[a][0] != 0.0) push(K, a, K->x[a]);
    }
    if (!K->n) return;
    while (K->sweeps < K->max_sweeps) {
        double change = 0.0;
        largest = 0.0;
        K->sweeps++;
        for (int64_t a = 0; a < K->n; a++) {
            const double *w = K->w[a];
            double u[3], b[3], *x = K->x[a];
            velocity(K, a, u);
            b[0] = u[0] + K->bounce[a] - (w[0] * x[0] + w[1] * x[1] + w[2] * x[2]);
            b[1] = u[1] - (w[1] * x[0] + w[3] * x[1] + w[4] * x[2]);
            b[2] = u[2] - (w[2] * x[0] + w[4] * x[1] + w[5] * x[2]);
            const double old[3] = {x[0], x[1], x[2]};
            solve_block(w, b, friction(K, a), x);
            const double d[3] = {x[0] - old[0], x[1] - old[1], x[2] - old[2]};
            push(K, a, d);
            change = fmax(change, fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2]))));
            largest = fmax(largest, fmax(x[0], old[0]));
        }
        if (change <= K->tolerance * largest) break;
        if (K->sweeps >= patience && K->n > 1) leap(K), patience = 2 * K->sweeps;
    }
    const double most = worst(K, &largest);
    if (largest > 0.0) K->residual = most / largest;
}
