/* Time-stepping through contacts after Moreau and Jean, as a one-step method of the time loop in loop.c.
 *
 * A step of length h goes to the middle with the old velocities, solves there for the impulses of all contacts whose gap
 * is closed or would be at the end, and on with the new velocities (theta = 1/2; M. Jean, Computer Methods in Applied Mechanics and Engineering
 * 177 (1999) 235-257):
 *     q_m = q + (1 - theta) h v,   M^ (v+ - v) = h f + J^T x,   q+ = q_m + theta h v+
 * with M^ = M + h theta D + (h theta)^2 K: damping and stiffness of joints and modes are implicit. Centrifugal and
 * gyroscopic forces are taken at v first, then as the mean of those at v and v+: smooth motion is of second order.
 * Velocities in axes that turn are carried along with these. Contacts act on velocities. What is left of a penetration, or of a gap over which a contact pushes, is undone by a displacement, which
 * changes no velocity: a gap divided by the step would be one, and would chatter.
 *
 * What moves by more than its own size in a step is swept: the step is cut at the hit, the impact solved there.
 */
#include "moreau.h"

enum { ROUNDS = 16, LOOKS = 2000, CORRECTIONS = 50 };

static const double STILL = 1e-7; /* velocity below which a machine rests */
static const double FALL = 20.0;  /* acceleration with which what rests may begin to move within a step */

/* `to` is x after a displacement, with velocities that stay what they are in fixed axes. */
static int shifted(struct moreau *C, const double *x, const double *d, const double *p, double *to) {
    const double *in[3] = {x, d, p};
    double *out[2] = {C->moved, C->moved + C->nq};
    if (C->move(in, out, C->move_work)) return 1;
    if (to != x) memcpy(to, x, (size_t)C->n * sizeof(double));
    memcpy(to, C->moved, (size_t)(C->nq + C->nv) * sizeof(double));
    return 0;
}

/* x_middle is x after the time h at its velocities. */
static int to_middle(struct moreau *C, const double *x, double h, const double *p) {
    for (int64_t i = 0; i < C->nv; i++) C->displacement[i] = h * x[C->nq + i];
    return shifted(C, x, C->displacement, p, C->x_middle);
}

/* v = L^-1 D^-1/2 s */
static void velocities(const struct moreau *C, const double *s, double *v) {
    for (int64_t k = 0; k < C->nv; k++) {
        double t = C->d[k] * s[k];
        for (int64_t i = C->L_start[k]; i < C->L_start[k + 1]; i++) t -= C->L[i] * v[C->L_column[i]];
        v[k] = t;
    }
}

static int all_gaps(struct moreau *C, double t, const double *x, double h, const double *c, const double *p, double *g) {
    if (to_middle(C, x, h, p)) return 1;
    const double at = t + h, *in[4] = {&at, C->x_middle, c, p};
    double *out[1] = {g};
    return C->gaps(in, out, C->gaps_work);
}

/* Normal velocity that a contact would gain in the step if it were open. */
static double gained(const struct moreau *C, int64_t a) {
    const double *y = C->Y + C->value_start[a];
    const int64_t *at = C->support + C->support_start[a];
    double u = 0.0;
    for (int64_t i = 0; i < C->count[a]; i++) u += y[i] * C->s0[at[i]];
    return u;
}

static double speed(const struct moreau *C, int64_t a) {
    const double *u = C->u0 + C->row_start[a];
    return C->size[a] == 3 ? sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) : fabs(u[0]);
}

/* Whether the gap of an open contact would be closed at the end of the step. Fast ones are swept: their gap bends. */
static int closes(const struct moreau *C, int64_t a, double h) {
    const double end = C->g[a] + C->theta * h * (C->u0[C->row_start[a]] + gained(C, a));
    return end <= 0.0 && speed(C, a) * h <= C->feature[a];
}

/* Part of a step of length h after which the first of the fast pairs touches; 1: none does; < 0: failed.
 * Conservative advancement: the gap shrinks no faster than the pair moves. */
static double first_hit(struct moreau *C, double t, double h, const double *x, const double *c, const double *p) {
    int64_t n_fast = 0;
    double quickest = 0.0;
    for (int64_t a = 0; a < C->n_contacts; a++) {
        if (!C->near[a]) continue;
        const double way = C->lengths[a] = speed(C, a) * h;
        if (way > C->feature[a] && C->g[a] <= 0.6 * way + C->margin) C->fast[n_fast++] = a;
    }
    if (!n_fast) return 1.0;
    double *before = C->gap_before, *now = C->gap, s = 0.0;
    if (all_gaps(C, t, x, 0.0, c, p, before)) return -1.0;
    for (int64_t look = 0; look < LOOKS && s < 1.0; look++) {
        double ds = 1.0;
        for (int64_t k = 0; k < n_fast; k++) {
            const int64_t a = C->fast[k];
            ds = fmin(ds, larger(before[a], 0.0625 * C->feature[a]) / C->lengths[a]);
        }
        const double next = fmin(1.0, s + ds);
        if (all_gaps(C, t, x, next * h, c, p, now)) return -1.0;
        int hit = 0;
        for (int64_t k = 0; k < n_fast; k++)
            if (before[C->fast[k]] > C->margin && now[C->fast[k]] <= C->margin) hit = 1;
        if (hit) {
            double low = s, high = next;
            for (int64_t k = 0; k < n_fast; k++) quickest = larger(quickest, C->lengths[C->fast[k]]);
            while ((high - low) * quickest > 0.5 * C->margin && high - low > 4.0 * DBL_EPSILON) {
                const double middle = 0.5 * (low + high);
                int inside = 0;
                if (all_gaps(C, t, x, middle * h, c, p, now)) return -1.0;
                for (int64_t k = 0; k < n_fast; k++)
                    if (before[C->fast[k]] > C->margin && now[C->fast[k]] <= C->margin) inside = 1;
                if (inside) high = middle;
                else low = middle;
            }
            if (all_gaps(C, t, x, high * h, c, p, now)) return -1.0;
            for (int64_t k = 0; k < n_fast; k++) {
                const int64_t a = C->fast[k];
                if (before[a] > C->margin && now[a] <= C->margin) C->forced[a] = 1;
            }
            return high;
        }
        quickest = 0.0;
        memcpy(before, now, (size_t)C->n_contacts * sizeof(double));
        s = next;
    }
    return 1.0;
}

/* Displacement that closes the gaps of the contacts that push, and takes the others out of what they penetrate; 0: none
 * is needed. One that rebounds is let go: it leaves by itself, at no cost of energy. */
static int close_gaps(struct moreau *C, const struct cone *K, double h) {
    int any = 0;
    double *s = C->correction;
    memset(s, 0, (size_t)C->nv * sizeof(double));
    for (int64_t a = 0; a < K->n; a++) {
        double u[3];
        velocity(K, a, u);
        const double gap = C->g[C->active[a]] + C->theta * h * u[0]; /* at the end */
        const int rebounds = K->bounce[a] < 0.0;
        C->active_size[a] = K->x[a][0] > 0.0 && !rebounds; /* whether it stays closed */
        C->lengths[a] = rebounds ? larger(gap, 0.0) : gap;
        C->lambda[a] = 0.0;
        if (C->lengths[a] < -C->margin || (C->active_size[a] && gap > C->margin)) any = 1;
    }
    if (!any) return 0;
    for (int k = 0; k < CORRECTIONS; k++) {
        double change = 0.0;
        for (int64_t a = 0; a < K->n; a++) {
            const int64_t n = K->count[a], *at = K->support[a];
            const double *y = K->rows[a];
            double gap = C->lengths[a];
            for (int64_t i = 0; i < n; i++) gap += y[i] * s[at[i]];
            const double free = C->lambda[a] - gap / K->blocks[a].w[0];
            const double next = C->active_size[a] ? free : larger(0.0, free), d = next - C->lambda[a];
            if (d == 0.0) continue;
            C->lambda[a] = next;
            for (int64_t i = 0; i < n; i++) s[at[i]] += y[i] * d;
            change = larger(change, fabs(d) * K->blocks[a].w[0]);
        }
        if (change <= 0.01 * C->margin) break;
    }
    return 1;
}

/* e u_n for a contact that closes, in the way that Newton's law adds it to u_n. What closes no faster than free motion
 * makes it in two steps is at rest: its rebound would be shorter than the step, and would never end. */
static double bounce(const struct moreau *C, int64_t a) {
    const double before = C->u0[C->row_start[a]];
    if (!(before < 0.0) || C->e[a] == 0.0) return 0.0;
    return -before > 2.0 * fabs(gained(C, a)) ? C->e[a] * before : 0.0;
}

/* Whether there is anything that centrifugal and gyroscopic forces could act on. */
static int moves(const struct moreau *C, const double *v) {
    double most = 0.0;
    for (int64_t i = 0; i < C->nv; i++) most = larger(most, larger(fabs(v[i]), fabs(C->dv[i])));
    return !(most < STILL);
}

/* s = D^-1/2 L^-T (h f) once more, with the mean of the bias at old and new velocities; 0: it is what it was (s has not
 * changed), -1: failed. */
static int correct_bias(struct moreau *C, double t, double h, double *xm, const double *c, const double *p) {
    const int64_t nv = C->nv;
    double *v = xm + C->nq, *r = C->b_middle, *old = C->correction;
    memcpy(old, v, (size_t)nv * sizeof(double));
    for (int64_t i = 0; i < nv; i++) v[i] += C->dv[i];
    const double *in[4] = {&t, xm, c, p};
    double *out[1] = {r};
    const int failed = C->bias(in, out, C->bias_work);
    memcpy(v, old, (size_t)nv * sizeof(double));
    if (failed) return -1;
    for (int64_t i = 0; i < nv; i++) r[i] = 0.5 * h * (C->b[i] - r[i]);
    for (int64_t k = nv - 1; k >= 0; k--)
        for (int64_t i = C->L_start[k]; i < C->L_start[k + 1]; i++) r[C->L_column[i]] -= C->L[i] * r[k];
    double change = 0.0, size = 0.0;
    for (int64_t i = 0; i < nv; i++) change = larger(change, fabs(C->d[i] * r[i])), size = larger(size, fabs(C->s0[i]));
    if (change <= 1e-3 * C->tolerance * size) return 0;
    for (int64_t i = 0; i < nv; i++) C->s[i] = C->s0[i] + C->d[i] * r[i];
    return 1;
}

/* Rows and velocities of the contacts that may touch within the step. The others are farther away than what they, or
 * the ground that falls away under them, can go in it. */
static int near_rows(struct moreau *C, double t, double h, const double *x, const double *p) {
    double *to = C->values;
    *to++ = t;
    memcpy(to, x, (size_t)C->n * sizeof(double)), to += C->n;
    memcpy(to, p, (size_t)C->n_p * sizeof(double)), to += C->n_p;
    memcpy(to, C->L, (size_t)C->L_start[C->nv] * sizeof(double)), to += C->L_start[C->nv];
    memcpy(to, C->d, (size_t)C->nv * sizeof(double));
    for (int64_t a = 0; a < C->n_contacts; a++) {
        C->near[a] = C->forced[a] || C->g[a] <= C->margin + 0.6 * h * C->pace[a] + FALL * h * h;
        if (!C->near[a]) continue;
        const int64_t first = C->gather_start[a], n = C->gather_start[a + 1] - first;
        for (int64_t i = 0; i < n; i++) C->gathered[i] = C->values[C->gather[first + i]];
        const double *in[1] = {C->gathered};
        double *out[2] = {C->Y + C->value_start[a], C->u0 + C->row_start[a]};
        if (C->pair[a](in, out, C->pair_work + C->pair_at[a])) return 1;
    }
    return 0;
}

/* One step of length h of x, which h = 0 leaves where it is (an impact). With `cut` a fast pair may cut it: then
 * nothing is done, and `cut` is the part of the step up to the hit. */
static int substep(struct moreau *C, double t, double h, double *x, const double *c, const double *p, double *cut) {
    const int64_t nq = C->nq, nv = C->nv;
    double *xm = C->x_middle, *v = xm + nq;
    const double tm = t + (1.0 - C->theta) * h;
    if (h > 0.0) {
        if (to_middle(C, x, (1.0 - C->theta) * h, p)) return 1;
    } else
        memcpy(xm, x, (size_t)C->n * sizeof(double));
    const double *in[5] = {&tm, xm, c, p, &h};
    double *whole[9] = {C->L, C->d, C->s0, C->g, C->e, C->mu, C->b, C->pair ? C->pace : C->Y, C->u0};
    if (C->terms(in, whole, C->terms_work)) return 1;
    if (C->pair && near_rows(C, tm, h, xm, p)) return 1;
    if (cut) {
        *cut = first_hit(C, t, h, x, c, p);
        if (*cut < 0.0) return 1;
        if (*cut < 1.0) return 0;
        if (to_middle(C, x, (1.0 - C->theta) * h, p)) return 1;
    }
    const int64_t **support = C->active_support;
    const double **rows = C->active_rows, **u0 = C->active_u0;
    double (*impulse)[3] = (double (*)[3])C->active_x;
    struct cone K = {0, C->active_size, C->active_count, support, rows, u0, C->active_bounce, C->active_mu, C->s, impulse,
                     C->active_w, nv, C->scratch, C->tolerance, C->max_sweeps, 0.0, 0};
    for (int64_t a = 0; a < C->n_contacts; a++) {
        if (!C->near[a] || (!(C->g[a] <= C->margin) && !C->forced[a] && !closes(C, a, h))) continue;
        C->active[K.n] = a;
        C->active_size[K.n] = C->size[a], C->active_count[K.n] = C->count[a];
        support[K.n] = C->support + C->support_start[a];
        rows[K.n] = C->Y + C->value_start[a], u0[K.n] = C->u0 + C->row_start[a];
        C->active_mu[K.n] = C->mu[a];
        C->active_bounce[K.n] = bounce(C, a);
        for (int i = 0; i < 3; i++) impulse[K.n][i] = h * x[C->forces + 3 * a + i];
        K.n++;
    }
    memcpy(C->s, C->s0, (size_t)nv * sizeof(double));
    cone_blocks(&K);
    cone_solve(&K);
    velocities(C, C->s, C->dv);
    if (h > 0.0 && moves(C, v)) {
        const int64_t sweeps = K.sweeps;
        const int found = correct_bias(C, tm, h, xm, c, p);
        if (found < 0) return 1;
        if (found) {
            cone_solve(&K);
            K.sweeps += sweeps;
            velocities(C, C->s, C->dv);
        }
    }
    double loss = 0.0;
    for (int64_t k = 0; k < K.n; k++) {
        const int64_t a = C->active[k];
        double u[3], work = 0.0;
        velocity(&K, k, u);
        for (int i = 0; i < C->size[a]; i++) work += 0.5 * impulse[k][i] * (u[i] + u0[k][i]);
        for (int i = 0; i < 3; i++) C->total[3 * a + i] += impulse[k][i];
        x[C->losses + a] -= work;
        loss += work;
    }
    if (K.residual > x[C->residual_at]) x[C->residual_at] = K.residual;
    x[C->sweeps_at] += (double)K.sweeps;
    x[C->work_loss] += loss;
    for (int64_t a = 0; a < C->n_contacts; a++) C->forced[a] = 0;
    if (h > 0.0) {
        const double *given[6] = {&tm, xm, c, p, &h, C->dv};
        double *found[2] = {C->zdot, C->work};
        if (C->finish(given, found, C->finish_work)) return 1;
        for (int64_t i = 0; i < C->nz; i++) x[nq + nv + i] += h * C->zdot[i];
        x[C->work_input] += C->work[0], x[C->work_loss] += C->work[1];
    }
    for (int64_t i = 0; i < nv; i++) v[i] += C->dv[i];
    if (!(h > 0.0)) {
        memcpy(x + nq, v, (size_t)nv * sizeof(double));
        return 0;
    }
    for (int64_t i = 0; i < nv; i++) C->displacement[i] = C->theta * h * v[i];
    if (K.n && close_gaps(C, &K, h)) {
        velocities(C, C->correction, C->dv);
        const double *given[4] = {&tm, xm, C->dv, p};
        double *found[1] = {C->work};
        if (C->lift(given, found, C->lift_work)) return 1;
        x[C->work_loss] += C->work[0];
        for (int64_t i = 0; i < nv; i++) C->displacement[i] += C->dv[i];
    }
    if (shifted(C, xm, C->displacement, p, xm)) return 1;
    memcpy(x, xm, (size_t)(nq + nv) * sizeof(double));
    return 0;
}

int moreau_step(void *context, double t, double h, const double *x, const double *c, const double *p, double *out) {
    struct moreau *C = context;
    memcpy(out, x, (size_t)C->n * sizeof(double));
    if (!(h > 0.0)) return 0;
    memset(C->total, 0, (size_t)(3 * C->n_contacts) * sizeof(double));
    out[C->residual_at] = out[C->sweeps_at] = 0.0;
    double done = 0.0;
    for (int round = 0;; round++) {
        double cut = 1.0, rest = h - done;
        if (substep(C, t + done, rest, out, c, p, round < ROUNDS ? &cut : 0)) return 1;
        if (cut >= 1.0) break;
        for (int64_t a = 0; a < C->n_contacts; a++) C->fast[a] = C->forced[a];
        for (int64_t a = 0; a < C->n_contacts; a++) C->forced[a] = 0;
        if (cut > 0.0 && substep(C, t + done, cut * rest, out, c, p, 0)) return 1;
        done += cut * rest;
        for (int64_t a = 0; a < C->n_contacts; a++) C->forced[a] = C->fast[a];
        if (substep(C, t + done, 0.0, out, c, p, 0)) return 1;
        if (h - done <= 1e-12 * h) break;
    }
    for (int64_t i = 0; i < 3 * C->n_contacts; i++) out[C->forces + i] = C->total[i] / h;
    /* What dies out would become denormal, and every operation on it a hundred times as slow. */
    for (int64_t i = 0; i < C->n; i++) out[i] = fabs(out[i]) < 1e-150 ? 0.0 : out[i];
    return 0;
}

/* For tests: one complementarity problem on plain arrays. Rows of Y are dense: `nv` entries, 3 rows per contact. */
struct problem {
    int64_t n, nv, max_sweeps;
    double tolerance, residual;
    const double *Y, *u0, *bounce, *mu;
    double *s, *x;
    int64_t sweeps;
    /* scratch */
    int64_t *size, *count, *support;
    double *scratch;
    void *w, *supports, *rows, *velocities;
};

void contact_problem(struct problem *P) {
    const int64_t **support = P->supports;
    const double **rows = P->rows, **u0 = P->velocities;
    for (int64_t i = 0; i < P->nv; i++) P->support[i] = i;
    for (int64_t a = 0; a < P->n; a++) {
        P->size[a] = 3, P->count[a] = P->nv, support[a] = P->support;
        rows[a] = P->Y + 3 * a * P->nv, u0[a] = P->u0 + 3 * a;
    }
    struct cone K = {P->n, P->size, P->count, support, rows, u0, P->bounce, P->mu, P->s, (double (*)[3])P->x,
                     P->w, P->nv, P->scratch, P->tolerance, P->max_sweeps, 0.0, 0};
    cone_blocks(&K);
    cone_solve(&K);
    P->residual = K.residual, P->sweeps = K.sweeps;
}
