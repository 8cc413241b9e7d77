/* Implicit midpoint steps: x_1 = x_0 + h y,  y = f(t + h/2, x_0 + h y/2).
 *
 * The tape returns a better y: with the mass matrix enlarged by W = h^2 K/4 + h D/2, K and D being stiffness and damping
 * of modes and springs, it solves for the accelerations that leave no residual of the exact equations of motion where it
 * returns its arguments unchanged. The iteration is that of a Newton method with the constant part of the Jacobian.
 *
 * With constraints the tape returns the state in the middle and W, and the constrained equations (constrained.c, contact.c)
 * are solved there with M + W and f + W a in place of M and f:
 *
 *     (M + W) a_next + J^T lambda = f + W a,    J a_next = gamma.
 *
 * The time loop projects the end of the step onto the constraints, in the metric of M + W. */
#include <math.h>
#include <string.h>

#include "midpoint.h"

#define NEAR 1e-12      /* by how much, relative to 1 + |x|, a state differs that is where the last step ended; */
#define PROJECTED 1e-6  /* with constraints, which move it there */

/* Largest change of a state that counts by one more iteration, relative to the tolerance. */
static double change_of(const struct midpoint *M, double h, const double *x) {
    double most = 0.0;
    for (int64_t i = 0; i < M->n_counted; i++) {
        const double change = fabs(h * (M->y_next[i] - M->y[i])) / (M->tolerance * (1.0 + fabs(x[i])));
        if (!(change <= most)) most = change; /* also if it is not a number */
    }
    return most;
}

/* Whether a step begins where the last one ended, up to the normalisation of quaternions and a projection. */
static int continues(const struct midpoint *M, double t, const double *x) {
    const double near = M->equations ? PROJECTED : NEAR;
    if (!(fabs(t - M->t_known) <= NEAR * (1.0 + fabs(t)))) return 0;
    for (int64_t i = 0; i < M->n; i++)
        if (!(fabs(x[i] - M->x_known[i]) <= near * (1.0 + fabs(x[i])))) return 0;
    return 1;
}

/* Rates in the middle of a step from a guess of them, into y_next. 0 = ok. */
static int improve(struct midpoint *M, double t, double h, const double *x, const double *c, const double *p) {
    const double settings[2] = {h, M->damping};
    const double *in[6] = {&t, x, c, p, M->y, settings};
    double *outs[1] = {M->y_next};
    struct constrained *C = M->equations;
    M->n_iterations++;
    if (!C) return M->tape(in, outs, M->work);
    double power;
    double *parts[4] = {M->x_middle, M->W, M->further, &power};
    if (M->tape(in, parts, M->work)) return 1;
    const double middle = t + h / 2.0;
    const double *at[4] = {&middle, M->x_middle, c, p};
    C->enlarged = C->metric = M->W, C->further = M->further, C->t_seen = NAN;
    const int failed = M->rates(at, outs, (double *)(void *)C);
    C->enlarged = C->further = 0, C->t_seen = NAN;
    if (failed) return 1;
    M->y_next[M->work_loss] -= power;
    if (M->account >= 0) M->y_next[M->account] = power;
    return 0;
}

/* One step. 0 = ok. */
static int solve_step(struct midpoint *M, double t, double h, const double *x, const double *c, const double *p,
                      double *out) {
    const size_t size = (size_t)M->n * sizeof(double);
    double before = INFINITY;
    int grows = 0;
    /* A run does not depend on steps of earlier runs, nor on a step that failed. */
    if (!continues(M, t, x)) memset(M->y, 0, size);
    M->t_known = NAN;
    for (int64_t k = 0;; k++) {
        if (k == M->max_iterations) return 1;
        if (improve(M, t, h, x, c, p)) return 1;
        const double change = change_of(M, h, x);
        memcpy(M->y, M->y_next, size);
        if (!isfinite(change)) return 1;
        /* An iteration has followed the one that changed nothing that counts: quadratures are those of its state. */
        if (change <= 1.0 && k > 0) break;
        grows = change > before ? grows + 1 : 0;
        if (grows == 4) return 1;
        before = change;
    }
    for (int64_t i = 0; i < M->n; i++) out[i] = x[i] + h * M->y[i];
    M->t_known = t + h;
    memcpy(M->x_known, out, size);
    return 0;
}

/* A step, or with an estimate of the error two steps of half its length: a step of the whole length differs from them by
 * three times the error of the method, which is of second order. */
int midpoint_step(void *context, double t, double h, const double *x, const double *c, const double *p, double *out) {
    struct midpoint *M = context;
    if (!M->error) return solve_step(M, t, h, x, c, p, out);
    if (solve_step(M, t, h, x, c, p, M->error)) return 1;
    M->t_known = t, memcpy(M->x_known, x, (size_t)M->n * sizeof(double)); /* the halves begin with the rates of the whole */
    if (solve_step(M, t, h / 2.0, x, c, p, M->x_half)) return 1;
    if (solve_step(M, t + h / 2.0, h / 2.0, M->x_half, c, p, out)) return 1;
    for (int64_t i = 0; i < M->n; i++) M->error[i] = (out[i] - M->error[i]) / 3.0;
    /* An error of the velocity of a stiff mode moves it by very little: it counts by the distance that it leads to. */
    for (int64_t i = M->first_velocity; i < M->end_velocity; i++) M->error[i] *= h < 1.0 ? h : 1.0;
    return 0;
}
