/* Constrained equations of motion beside a tape: factorisation, projection, tensions as events.
 *
 * A tape delivers the rates of all states but the accelerations, M, f, J^T, Phi, Phi', gamma and Phi_t; this file solves
 *
 *     M a + J^T lambda = f,    J a = gamma                                                       CDPR (1), (26)
 *
 * by the chosen method. With `on_tape` the tape has solved them too, without pivoting; its output `share` tells how
 * reliable that solution is (core/constraint_tape.py). This file then solves only where rows depend on each other. The
 * functions that the time loop calls have the form of a kernel; their data are in the structure that takes the place of
 * the kernel's work array.
 *
 * Matrices are row-major. Y = R^-T J^T (M = R^T R) has a row per velocity and a column per acting constraint, so that
 * the inner loops run along rows. After dense.c.
 */
#include "constrained.h"
#include "projection.h"

enum { INDEX_1 = 0, UDWADIA_KALABA = 1, PENALTY = 2, AUGMENTED = 3 };
#define GAP 1e-11 /* at which open constraints take hold, as in problem/constrained.py */
#define SOONER 10.0 /* how much sooner rows are dependent here than in modes.c: forces are to be those that were settled */

/* Rows that act at x. */
static int64_t find_active(struct constrained *C, const double *x) {
    int64_t count = 0;
    for (int64_t i = 0; i < C->m; i++)
        if (C->flags[i] < 0 || x[C->flags[i]] > 0.5) C->active[count++] = i;
    return C->n_active = count;
}

/* Y = R^-T J^T of the rows that act at x. */
static int factorise(struct constrained *C, const double *x) {
    const int64_t nv = C->nv, m = C->m, count = find_active(C, x);
    if (!C->constant_mass || !C->factored) {
        memcpy(C->R, C->M, (size_t)(nv * nv) * sizeof(double));
        if (cholesky(C->R, nv, 0)) return 1;
        C->factored = 1;
    }
    if (count == m) memcpy(C->Y, C->Jt, (size_t)(nv * m) * sizeof(double));
    else
        for (int64_t k = 0; k < nv; k++)
            for (int64_t i = 0; i < count; i++) C->Y[k * count + i] = C->Jt[k * m + C->active[i]];
    solve_lower(C->R, nv, C->Y, count);
    return 0;
}

/* Y = Q_1 T^T Z^T P^T: QR with column pivoting (Householder) and, where the rank is lost, R^T = Z T by Gram-Schmidt.
 * A column counts as dependent when less than `rank_tolerance` of its length is left (beside friction: ten times that). */
static int64_t decompose(struct constrained *C) {
    const int64_t nv = C->nv, m = C->n_active;
    double *Q = C->Q, *norms = C->norms, *head = C->reflectors, *scale = head + C->m, *dot = scale + C->m,
           *left = dot + C->m;
    const double left_over = C->n_rubbing ? SOONER * C->rank_tolerance : C->rank_tolerance, least = left_over * left_over;
    int64_t *pivot = C->pivot, rank = 0;
    memcpy(Q, C->Y, (size_t)(nv * m) * sizeof(double));
    memset(norms, 0, (size_t)m * sizeof(double));
    for (int64_t k = 0; k < nv; k++)
        for (int64_t i = 0; i < m; i++) norms[i] += Q[k * m + i] * Q[k * m + i];
    for (int64_t i = 0; i < m; i++) left[i] = norms[i], pivot[i] = i;
    for (; rank < m && rank < nv; rank++) {
        int64_t best = -1;
        double most = least;
        for (int64_t i = rank; i < m; i++)
            if (norms[i] > 0.0 && left[i] > most * norms[i]) most = left[i] / norms[i], best = i;
        if (best < 0) break;
        if (best != rank) {
            for (int64_t k = 0; k < nv; k++) {
                const double t = Q[k * m + best];
                Q[k * m + best] = Q[k * m + rank], Q[k * m + rank] = t;
            }
            const double t = norms[best], u = left[best];
            norms[best] = norms[rank], norms[rank] = t;
            left[best] = left[rank], left[rank] = u;
            const int64_t p = pivot[best];
            pivot[best] = pivot[rank], pivot[rank] = p;
        }
        double s = 0.0;
        for (int64_t k = rank; k < nv; k++) s += Q[k * m + rank] * Q[k * m + rank];
        /* v = column - length e_1, of which the column keeps all but the head; H = I - 2 v v^T / v^T v */
        const double first = Q[rank * m + rank], length = first > 0.0 ? -sqrt(s) : sqrt(s);
        head[rank] = Q[rank * m + rank] = first - length;
        scale[rank] = 2.0 / (s - 2.0 * first * length + length * length);
        memset(dot, 0, (size_t)m * sizeof(double));
        for (int64_t k = rank; k < nv; k++) {
            const double *restrict row = Q + k * m;
            const double v = scale[rank] * row[rank];
            if (v == 0.0) continue;
            for (int64_t i = rank + 1; i < m; i++) dot[i] += v * row[i];
        }
        for (int64_t k = rank; k < nv; k++) {
            double *restrict row = Q + k * m;
            const double v = row[rank];
            if (v == 0.0) continue;
            for (int64_t i = rank + 1; i < m; i++) row[i] -= v * dot[i];
        }
        Q[rank * m + rank] = length;
        for (int64_t i = rank + 1; i < m; i++) {
            left[i] -= Q[rank * m + i] * Q[rank * m + i];
            if (left[i] > 1e-6 * norms[i]) continue; /* differences of large numbers: sum up again */
            left[i] = 0.0;
            for (int64_t k = rank + 1; k < nv; k++) left[i] += Q[k * m + i] * Q[k * m + i];
        }
    }
    C->rank_lost = m - rank;
    if (rank == m) return rank;
    double *Z = C->U, *T = C->U + m * m; /* Z: rank rows of length m; T: rank x rank upper triangular */
    memset(T, 0, (size_t)(rank * rank) * sizeof(double));
    for (int64_t k = 0; k < rank; k++) {
        double *zk = Z + k * m;
        for (int64_t i = 0; i < m; i++) zk[i] = i >= k ? Q[k * m + i] : 0.0;
        for (int pass = 0; pass < 2; pass++)
            for (int64_t j = 0; j < k; j++) {
                double d = 0.0;
                for (int64_t i = 0; i < m; i++) d += Z[j * m + i] * zk[i];
                T[j * rank + k] += d;
                for (int64_t i = 0; i < m; i++) zk[i] -= d * Z[j * m + i];
            }
        double s = 0.0;
        for (int64_t i = 0; i < m; i++) s += zk[i] * zk[i];
        T[k * rank + k] = sqrt(s);
        for (int64_t i = 0; i < m; i++) zk[i] /= T[k * rank + k];
    }
    return rank;
}

/* With the decomposition: z = Q_1^T (Y^T)^+ rhs (rank numbers) and mu = (Y^T Y)^+ rhs, both of least norm. */
static void solve_decomposed(struct constrained *C, int64_t rank, const double *rhs, double *z, double *mu) {
    const int64_t m = C->n_active;
    const double *Q = C->Q, *Z = C->U, *T = C->U + m * m;
    double *y = C->b, *g = C->mu + C->m;
    for (int64_t i = 0; i < m; i++) y[i] = rhs[C->pivot[i]];
    if (rank == m) {
        for (int64_t k = 0; k < m; k++) {
            z[k] = y[k];
            for (int64_t j = 0; j < k; j++) z[k] -= Q[j * m + k] * z[j];
            z[k] /= Q[k * m + k];
        }
        for (int64_t k = m - 1; k >= 0; k--) {
            y[k] = z[k];
            for (int64_t j = k + 1; j < m; j++) y[k] -= Q[k * m + j] * y[j];
            y[k] /= Q[k * m + k];
        }
    } else {
        for (int64_t k = 0; k < rank; k++) {
            z[k] = 0.0;
            for (int64_t i = 0; i < m; i++) z[k] += Z[k * m + i] * y[i];
        }
        for (int64_t k = rank - 1; k >= 0; k--) {
            for (int64_t j = k + 1; j < rank; j++) z[k] -= T[k * rank + j] * z[j];
            z[k] /= T[k * rank + k];
        }
        for (int64_t k = 0; k < rank; k++) {
            g[k] = z[k];
            for (int64_t j = 0; j < k; j++) g[k] -= T[j * rank + k] * g[j];
            g[k] /= T[k * rank + k];
        }
        for (int64_t i = 0; i < m; i++) {
            y[i] = 0.0;
            for (int64_t k = 0; k < rank; k++) y[i] += Z[k * m + i] * g[k];
        }
    }
    for (int64_t i = 0; i < m; i++) mu[C->pivot[i]] = y[i];
}

/* mu = (Y^T Y)^+ rhs, the Schur complement of the augmented equations: by Cholesky where the constraints are clearly
 * independent, else by the decomposition of Y. */
static void solve_schur(struct constrained *C, const double *rhs, double *mu) {
    const int64_t nv = C->nv, m = C->n_active;
    if (m == 0) return;
    memset(C->S, 0, (size_t)(m * m) * sizeof(double));
    for (int64_t k = 0; k < nv; k++) {
        const double *restrict y = C->Y + k * m;
        for (int64_t i = 0; i < m; i++) {
            const double r = y[i];
            double *restrict row = C->S + i * m;
            if (r == 0.0) continue;
            for (int64_t j = i; j < m; j++) row[j] += r * y[j];
        }
    }
    for (int64_t i = 0; i < m; i++) C->norms[i] = C->S[i * m + i];
    if (!cholesky(C->S, m, C->norms)) {
        memcpy(mu, rhs, (size_t)m * sizeof(double));
        solve_lower_one(C->S, m, mu);
        solve_upper(C->S, m, mu);
        C->rank_lost = 0;
        return;
    }
    solve_decomposed(C, decompose(C), rhs, C->reflectors + 4 * C->m, mu);
}

static void scatter(struct constrained *C, const double *mu) {
    memset(C->lambda, 0, (size_t)C->m * sizeof(double));
    for (int64_t i = 0; i < C->n_active; i++) C->lambda[C->active[i]] = mu[i];
}

/* w = R^-T f into a, and Y^T w - b into the returned array: the error that the constraints have to correct, with
 * Baumgarte's terms in b. 0: the mass matrix is not positive definite. */
static double *excess(struct constrained *C, const double *x, double alpha, double beta) {
    const int64_t nv = C->nv;
    if (factorise(C, x)) return 0;
    const int64_t m = C->n_active;
    double *rhs = C->mu + 2 * C->m;
    memcpy(C->a, C->f, (size_t)nv * sizeof(double));
    solve_lower_one(C->R, nv, C->a);
    for (int64_t i = 0; i < m; i++) {
        const int64_t r = C->active[i];
        rhs[i] = -(C->gamma[r] - 2.0 * alpha * C->phidot[r] - beta * beta * C->phi[r]);
    }
    for (int64_t k = 0; k < nv; k++) {
        const double w = C->a[k];
        const double *restrict y = C->Y + k * m;
        for (int64_t i = 0; i < m; i++) rhs[i] += y[i] * w;
    }
    return rhs;
}

/* Index-1 equations with Baumgarte's terms: J M^-1 J^T lambda = J M^-1 f - b, then M a = f - J^T lambda. */
static int solve_index1(struct constrained *C, const double *x, double alpha, double beta) {
    const int64_t nv = C->nv;
    const double *rhs = excess(C, x, alpha, beta);
    if (!rhs) return 1;
    const int64_t m = C->n_active;
    solve_schur(C, rhs, C->mu);
    for (int64_t k = 0; k < nv; k++) {
        double s = C->a[k];
        for (int64_t i = 0; i < m; i++) s -= C->Y[k * m + i] * C->mu[i];
        C->a[k] = s;
    }
    solve_upper(C->R, nv, C->a);
    scatter(C, C->mu);
    return 0;
}

/* Udwadia and Kalaba: a = a_f + M^-1/2 (J M^-1/2)^+ (b - J a_f), M a_f = f. The factor R of M = R^T R stands for M^1/2: the
 * two differ by a rotation, which the pseudo-inverse (Y^T)^+ takes along. Y^T Y is never formed. */
static int solve_udwadia_kalaba(struct constrained *C, const double *x, double alpha, double beta) {
    const int64_t nv = C->nv;
    const double *rhs = excess(C, x, alpha, beta), *head = C->reflectors, *scale = head + C->m;
    if (!rhs) return 1;
    const int64_t m = C->n_active, rank = m ? decompose(C) : 0;
    double *z = C->reflectors + 4 * C->m, *c = C->moved;
    if (m) solve_decomposed(C, rank, rhs, z, C->mu);
    for (int64_t k = 0; k < nv; k++) c[k] = k < rank ? z[k] : 0.0;
    for (int64_t j = rank - 1; j >= 0; j--) { /* c = Q_1 z, reflection by reflection */
        double d = head[j] * c[j];
        for (int64_t k = j + 1; k < nv; k++) d += C->Q[k * m + j] * c[k];
        d *= scale[j];
        c[j] -= d * head[j];
        for (int64_t k = j + 1; k < nv; k++) c[k] -= d * C->Q[k * m + j];
    }
    for (int64_t k = 0; k < nv; k++) C->a[k] -= c[k];
    solve_upper(C->R, nv, C->a);
    scatter(C, C->mu);
    return 0;
}

/* (M + alpha J^T J) a = f + alpha J^T (gamma - 2 xi omega Phi' - omega^2 Phi), CDPR (21); with repetition (augmented
 * Lagrangian) lambda grows until the accelerations satisfy the constraints. */
static int solve_penalty(struct constrained *C, const double *x) {
    const int64_t nv = C->nv, m = C->m;
    const double p = C->penalty, c1 = 2.0 * C->damping * C->omega, c0 = C->omega * C->omega;
    const int64_t count = find_active(C, x);
    C->rank_lost = 0;
    memcpy(C->R, C->M, (size_t)(nv * nv) * sizeof(double));
    for (int64_t i = 0; i < count; i++) {
        const int64_t r = C->active[i];
        C->b[i] = C->gamma[r] - c1 * C->phidot[r] - c0 * C->phi[r];
        for (int64_t k = 0; k < nv; k++) {
            const double w = p * C->Jt[k * m + r];
            if (w == 0.0) continue;
            for (int64_t j = k; j < nv; j++) C->R[k * nv + j] += w * C->Jt[j * m + r];
        }
    }
    if (cholesky(C->R, nv, 0)) return 1;
    C->factored = 0;
    memset(C->mu, 0, (size_t)count * sizeof(double));
    for (int64_t k = 0; k < nv; k++) C->a[k] = 0.0;
    const int64_t rounds = C->routine == AUGMENTED ? C->max_iterations : 1;
    for (C->iterations = 1; C->iterations <= rounds; C->iterations++) {
        double change = 0.0, size = 0.0;
        for (int64_t k = 0; k < nv; k++) {
            double s = C->f[k];
            for (int64_t i = 0; i < count; i++) s += C->Jt[k * m + C->active[i]] * (p * C->b[i] - C->mu[i]);
            C->y0[k] = s;
        }
        solve_lower_one(C->R, nv, C->y0);
        solve_upper(C->R, nv, C->y0);
        for (int64_t k = 0; k < nv; k++) {
            change += (C->y0[k] - C->a[k]) * (C->y0[k] - C->a[k]), size += C->y0[k] * C->y0[k];
            C->a[k] = C->y0[k];
        }
        for (int64_t i = 0; i < count; i++) {
            double s = -C->b[i];
            for (int64_t k = 0; k < nv; k++) s += C->Jt[k * m + C->active[i]] * C->a[k];
            C->mu[i] += p * s;
        }
        if (C->iterations > 1 && change <= 1e-24 * size + 1e-300) break;
    }
    scatter(C, C->mu);
    return 0;
}

/* Add the terms of an implicit step to M and f. */
static void enlarge(struct constrained *C) {
    if (!C->enlarged) return;
    for (int64_t i = 0; i < C->nv * C->nv; i++) C->M[i] += C->enlarged[i];
    for (int64_t i = 0; i < C->nv; i++) C->f[i] += C->further[i];
}

/* The tape at (t, x, c, p); one that solves gets the weights of Baumgarte's terms, and returns a, lambda and its share
 * as well. */
static int evaluate_tape(struct constrained *C, const double *const *in) {
    const double terms[2] = {2.0 * C->alpha, C->beta * C->beta};
    const double *const ins[5] = {in[0], in[1], in[2], in[3], terms};
    double *outs[11] = {C->rates, C->f, C->Jt, C->phi, C->phidot, C->gamma, C->phi_t, C->M, C->a, C->lambda, C->share};
    C->t_seen = NAN;
    if (C->tape(ins, outs, C->tape_work)) return 1;
    enlarge(C);
    return 0;
}

/* Whether the motion at x is free: no row acts, and there is a tape for that. */
static int moves_freely(const struct constrained *C, const double *x) {
    if (!C->free || C->enlarged) return 0;
    for (int64_t i = 0; i < C->m; i++)
        if (x[C->flags[i]] > 0.5) return 0;
    return 1;
}

/* Rates, accelerations and Phi of the rows that are watched, where no row acts. 0 = ok. */
static int evaluate_free(struct constrained *C, const double *const *in) {
    double *outs[2] = {C->rates, C->phi};
    C->t_seen = NAN, C->n_active = 0;
    if (C->free(in, outs, C->free_work)) return 1;
    memcpy(C->a, C->rates + C->nq, doubles(C->nv));
    memset(C->lambda, 0, doubles(C->m));
    return 0;
}

static int solve(struct constrained *C, const double *x) {
    if (C->on_tape && C->share[0] >= SHARE) return 0;
    if (C->routine == PENALTY || C->routine == AUGMENTED) return solve_penalty(C, x);
    if (C->routine == UDWADIA_KALABA) return solve_udwadia_kalaba(C, x, C->alpha, C->beta);
    return solve_index1(C, x, C->alpha, C->beta);
}

/* Rates, accelerations, multipliers and Phi at (t, x, c, p). 0 = ok. */
static int evaluate_motion(struct constrained *C, const double *const *in) {
    if (moves_freely(C, in[1])) return evaluate_free(C, in);
    if (C->motion) {
        double *outs[6] = {C->rates, C->phi, C->phi_t, C->a, C->lambda, C->share};
        C->t_seen = NAN;
        if (C->motion(in, outs, C->motion_work)) return 1;
        if (C->share[0] >= SHARE) return 0;
    }
    return evaluate_tape(C, in) || solve(C, in[1]);
}

static int was_seen(const struct constrained *C, const double *const *in) {
    const double *at = C->seen;
    return C->t_seen == in[0][0] && !memcmp(at, in[1], doubles(C->n)) &&
           (!C->nc || !memcmp(at + C->n, in[2], doubles(C->nc))) &&
           (!C->np || !memcmp(at + C->n + C->nc, in[3], doubles(C->np)));
}

static void remember(struct constrained *C, const double *const *in) {
    C->t_seen = in[0][0];
    memcpy(C->seen, in[1], doubles(C->n));
    if (C->nc) memcpy(C->seen + C->n, in[2], doubles(C->nc));
    if (C->np) memcpy(C->seen + C->n + C->nc, in[3], doubles(C->np));
}

/* Kernel (t, x, c, p) -> x'. Moving constraints do the work lambda Phi_t on the machine. */
int constrained_ode(const double *const *in, double *const *out, double *work) {
    struct constrained *C = (struct constrained *)(void *)work;
    if (!was_seen(C, in)) {
        if (evaluate_motion(C, in)) return 1;
        remember(C, in);
    }
    memcpy(out[0], C->rates, (size_t)C->n * sizeof(double));
    memcpy(out[0] + C->nq, C->a, (size_t)C->nv * sizeof(double));
    double power = 0.0;
    for (int64_t i = 0; i < C->m; i++) power += C->lambda[i] * C->phi_t[i];
    out[0][C->work_input] += power;
    return 0;
}

/* How far a row is from acting, while it does not (else 1). */
static double gap_of(const struct constrained *C, const double *x, int64_t row) {
    const double is = x[C->flags[row]];
    return is > 0.5 || is < -0.5 ? 1.0 : GAP - C->phi[row];
}

/* Kernel (t, x, c, p) -> g: those of the tape, then for each cable that can go slack its tension while it is taut
 * (else 1), then for each its gap while it is slack (else 1; the switch of a cable that was cut is -1). */
int constrained_events(const double *const *in, double *const *out, double *work) {
    struct constrained *C = (struct constrained *)(void *)work;
    const int64_t k = C->n_tape_events, u = C->n_unilateral;
    if (C->events && C->events(in, out, C->events_work)) return 1;
    if (!u) return 0;
    if (!was_seen(C, in)) {
        if (evaluate_motion(C, in)) return 1;
        remember(C, in);
    }
    for (int64_t i = 0; i < u; i++) {
        const int64_t row = C->unilateral[i];
        const double is = in[1][C->flags[row]];
        out[0][k + i] = is > 0.5 ? C->lambda[row] : 1.0;
        out[0][k + u + i] = gap_of(C, in[1], row);
    }
    return 0;
}

/* The gaps among the events of constrained_events and contact_events. */
int constrained_gaps(const double *const *in, double *const *out, double *work) {
    struct constrained *C = (struct constrained *)(void *)work;
    double *outs[1] = {C->phi}, *g = out[0] + C->n_tape_events + C->n_unilateral;
    C->t_seen = NAN;
    if (C->gaps(in, outs, C->gaps_work)) return 1;
    for (int64_t i = 0; i < C->n_unilateral; i++) g[i] = gap_of(C, in[1], C->unilateral[i]);
    return 0;
}

static double largest(const struct constrained *C, const double *values) {
    double most = 0.0;
    for (int64_t i = 0; i < C->n_active; i++) {
        const double e = fabs(values[C->active[i]]);
        if (!(e <= most)) most = e;
    }
    return most;
}

/* Shift by -M^-1 J^T (J M^-1 J^T)^+ error into `moved` (nv). */
static void correction(struct constrained *C, const double *error) {
    const int64_t nv = C->nv, m = C->n_active;
    double *rhs = C->mu + 2 * C->m;
    for (int64_t i = 0; i < m; i++) rhs[i] = error[C->active[i]];
    solve_schur(C, rhs, C->mu);
    for (int64_t k = 0; k < nv; k++) {
        double s = 0.0;
        for (int64_t i = 0; i < m; i++) s -= C->Y[k * m + i] * C->mu[i];
        C->moved[k] = s;
    }
    solve_upper(C->R, nv, C->moved);
}

static int evaluate_geometry(struct constrained *C, const double *const *in) {
    double *outs[8] = {C->Jt, C->phi, C->phidot, C->M, C->q_moved, C->v_moved, C->error, C->share};
    C->t_seen = NAN; /* the outputs of the tape at another state are overwritten */
    return C->geometry(in, outs, C->geometry_work);
}

static int remember_tensions(struct constrained *C, double t, double *x, const double *c, const double *p);

/* Project x onto Phi = 0 and Phi' = 0, in the metric of M; after implicit steps in that of M + h^2 K/4 + h D/2, which leaves
 * stiff modes where they are. 0 = ok. */
int constrained_project(void *context, double t, double *x, const double *c, const double *p) {
    struct constrained *C = context;
    const double *in[4] = {&t, x, c, p};
    double *moved_out[1] = {C->q_moved};
    double before = INFINITY;
    if (!C->projects || moves_freely(C, x)) return 0;
    for (int64_t k = 0;; k++) {
        int solved = 0;
        if (C->shift) {
            double *outs[4] = {C->q_moved, C->v_moved, C->error, C->share};
            if (C->shift(in, outs, C->shift_work)) return 1;
            solved = C->share[0] >= SHARE;
        }
        if (!solved) {
            if (evaluate_geometry(C, in)) return 1;
            solved = C->on_tape && C->share[0] >= SHARE;
        }
        for (int64_t i = 0; C->metric && i < C->nv * C->nv; i++) C->M[i] += C->metric[i];
        if (!solved && factorise(C, x)) return 1;
        const double error = solved ? C->error[0] : largest(C, C->phi);
        if (!(error <= C->drift)) return 1;
        const int last = SETTLED(error, before, C->tolerance) || k + 1 == MOST_CORRECTIONS;
        before = error;
        if (solved) {
            if (last) memcpy(x + C->nq, C->v_moved, doubles(C->nv));
            else memcpy(x, C->q_moved, doubles(C->nq));
        } else {
            correction(C, last ? C->phidot : C->phi);
            const double *move_in[3] = {x, C->moved, p};
            if (last)
                for (int64_t i = 0; i < C->nv; i++) x[C->nq + i] += C->moved[i];
            else if (C->move(move_in, moved_out, C->move_work)) return 1;
            else memcpy(x, C->q_moved, doubles(C->nq));
        }
        if (last) return C->n_ropes ? remember_tensions(C, t, x, c, p) : 0;
    }
}

#define UNMOVED 1e-7    /* speed [m/s] below which nothing slips, as in pairs.c */
#define DETERMINED 1e-9 /* part of a pivot, by the diagonal, that is left of a row that others do not determine */

/* Whether a row is that of a contact: it has losses, and is none of a rope or a joint that sticks. */
static int is_of_contact(const struct constrained *C, int64_t row) {
    if (C->losses[row] < 0 || C->of_rope[row]) return 0;
    for (int64_t r = 0; r < C->n_rubbing; r++)
        if (C->rubbing[3 * r] < 0 && C->rubbing[3 * r + 1] == row) return 0;
    return 1;
}

/* In how many directions forces of the contacts that act could change without effect on bodies at rest: the rank
 * deficiency of their rows beside those of constraints. Friction that is at its limit where nothing slips counts as
 * friction that sticks. */
static int64_t undetermined(struct constrained *C, const double *x) {
    const int64_t nv = C->nv, m = C->m;
    struct memory memory = {C->dense_work};
    int64_t *rows = take_integers(&memory, m), *slips = take_integers(&memory, m), *rests = take_integers(&memory, m), n = 0,
            held, lacks = 0;
    if (factorise(C, x)) return 0;
    for (int64_t r = 0; r < C->n_rubbing; r++) {
        const int64_t *row = C->rubbing + 3 * r;
        if (row[0] < 0 || !is_of_contact(C, row[0]) || !(x[C->flags[row[0]]] > 0.5)) continue;
        const double one = row[1] >= 0 ? C->phidot[row[1]] : 0.0, two = row[2] >= 0 ? C->phidot[row[2]] : 0.0;
        const int moves = hypot(one, two) > UNMOVED;
        slips[row[0]] = moves ? 1 + r : 0;
        for (int j = 1; j < 3; j++)
            if (row[j] >= 0) rests[row[j]] = !moves && C->cone[3 * r] > 0.0;
    }
    for (int64_t i = 0; i < C->n_active; i++)
        if (!is_of_contact(C, C->active[i])) rows[n++] = C->active[i];
    held = n;
    for (int64_t i = 0; i < m; i++) {
        int of_tangent = 0;
        for (int64_t r = 0; r < C->n_rubbing; r++) of_tangent |= C->rubbing[3 * r + 1] == i || C->rubbing[3 * r + 2] == i;
        if (is_of_contact(C, i) && (of_tangent ? rests[i] : C->flags[i] < 0 || x[C->flags[i]] > 0.5)) rows[n++] = i;
    }
    if (n == held) return 0;
    double *Y = take(&memory, nv * n), *Z = take(&memory, nv * n), *S = take(&memory, n * n), *whole = take(&memory, n);
    for (int64_t k = 0; k < nv; k++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t r = slips[rows[i]] - 1;
            Y[k * n + i] = Z[k * n + i] = C->Jt[k * m + rows[i]];
            for (int j = 1; j < 3 && r >= 0; j++)
                if (C->rubbing[3 * r + j] >= 0)
                    Z[k * n + i] += C->drag[C->rubbing[3 * r + j]] * C->Jt[k * m + C->rubbing[3 * r + j]];
        }
    solve_lower(C->R, nv, Y, n), solve_lower(C->R, nv, Z, n);
    for (int64_t k = 0; k < nv; k++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) S[i * n + j] += Y[k * n + i] * Z[k * n + j];
    for (int64_t i = 0; i < n; i++) whole[i] = S[i * (n + 1)];
    for (int64_t k = 0; k < n; k++) {
        const double pivot = S[k * (n + 1)];
        if (!(fabs(pivot) > DETERMINED * fabs(whole[k]))) {
            lacks += k >= held;
            continue;
        }
        for (int64_t i = k + 1; i < n; i++) {
            const double part = S[i * n + k] / pivot;
            for (int64_t j = k + 1; j < n && part != 0.0; j++) S[i * n + j] -= part * S[k * n + j];
        }
    }
    return lacks;
}

/* Forces of recorded contacts: at the instant at which one is seen to let go it has passed zero, by far where it jams. One
 * that would pull has none. */
static void let_go_at_zero(const struct constrained *C, double *lambda) {
    for (int64_t i = 0; i < C->n_unilateral; i++) {
        const int64_t row = C->unilateral[i];
        if (C->losses[row] < 0 || !(lambda[row] < 0.0)) continue;
        lambda[row] = 0.0;
        for (int64_t r = 0; r < C->n_rubbing; r++)
            for (int j = 1; j < 3 && C->rubbing[3 * r] == row; j++)
                if (C->rubbing[3 * r + j] >= 0) lambda[C->rubbing[3 * r + j]] = 0.0;
    }
}

/* Multipliers and violations of recorded rows: out has m + 3 numbers per row, the last of which says in how many directions
 * the forces of contacts are undetermined; held values and parameters are the same
 * for all where their stride is 0. */
int64_t constrained_signals(struct constrained *C, int64_t rows, const double *t, const double *x, const double *c,
                            int64_t c_stride, const double *p, int64_t p_stride, double *out) {
    for (int64_t k = 0; k < rows; k++) {
        const double *in[4] = {t + k, x + k * C->n, c + k * c_stride, p + k * p_stride};
        double *row = out + k * (C->m + 3);
        if (C->projects ? evaluate_motion(C, in) || evaluate_geometry(C, in) : evaluate_tape(C, in) || solve(C, in[1])) {
            for (int64_t i = 0; i < C->m + 3; i++) row[i] = NAN;
            continue;
        }
        memcpy(row, C->lambda, (size_t)C->m * sizeof(double));
        let_go_at_zero(C, row);
        find_active(C, in[1]);
        row[C->m] = largest(C, C->phi);
        row[C->m + 1] = largest(C, C->phidot);
        row[C->m + 2] = 0.0;
        for (int64_t i = 0; i < C->n_unilateral && row[C->m + 2] == 0.0; i++)
            if (is_of_contact(C, C->unilateral[i])) row[C->m + 2] = (double)undetermined(C, in[1]);
    }
    return 0;
}
