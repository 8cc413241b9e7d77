/* Implicit midpoint steps: x_1 = x_0 + h y,  y = f(t + h/2, x_0 + h y/2).
 *
 * The tape returns a better y: with the mass matrix enlarged by h^2 K/4 + h D/2, K and D being stiffness and damping of
 * modes and springs, it solves for the accelerations that leave no residual of the exact equations of motion where it
 * returns its arguments unchanged. The iteration is that of a Newton method with the constant part of the Jacobian. */
#include <math.h>
#include <string.h>

#include "midpoint.h"

/* Largest change of a state that counts by one more iteration, relative to the tolerance. */
static double change_of(const struct midpoint *M, double h, const double *x) {
    double most = 0.0;
    for (int64_t i = 0; i < M->n_counted; i++) {
        const double change = fabs(h * (M->y_next[i] - M->y[i])) / (M->tolerance * (1.0 + fabs(x[i])));
        if (!(change <= most)) most = change; /* also if it is not a number */
    }
    return most;
}

/* Whether a step begins where the last one ended, up to the normalisation of quaternions. */
static int continues(const struct midpoint *M, double t, const double *x) {
    if (!(fabs(t - M->t_known) <= 1e-12 * (1.0 + fabs(t)))) return 0;
    for (int64_t i = 0; i < M->n; i++)
        if (!(fabs(x[i] - M->x_known[i]) <= 1e-12 * (1.0 + fabs(x[i])))) return 0;
    return 1;
}

int midpoint_step(void *context, double t, double h, const double *x, const double *c, const double *p, double *out) {
    struct midpoint *M = context;
    const size_t size = (size_t)M->n * sizeof(double);
    const double settings[2] = {h, M->damping};
    const double *in[6] = {&t, x, c, p, M->y, settings};
    double *outs[1] = {M->y_next};
    double before = INFINITY;
    int grows = 0;
    /* A run does not depend on steps of earlier runs, nor on a step that failed. */
    if (!continues(M, t, x)) memset(M->y, 0, size);
    M->t_known = NAN;
    for (int64_t k = 0;; k++) {
        if (k == M->max_iterations) return 1;
        if (M->tape(in, outs, M->work)) return 1;
        M->n_iterations++;
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
