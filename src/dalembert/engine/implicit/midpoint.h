/* Implicit midpoint steps (midpoint.c): the interface to their callers. */
#ifndef MIDPOINT_H
#define MIDPOINT_H

#include "constrained.h"
#include "kernel.h"

struct midpoint {
    int64_t n, n_counted, max_iterations, n_iterations;
    double tolerance, damping;
    kernel tape; /* (t, x, c, p, y, (h, damping)) -> y; with equations: -> x in the middle, W, W a - D_n v, v D_n v */
    double *work, *y, *y_next;
    double t_known, *x_known; /* end of the last step: the next one begins with its rates */
    /* constrained equations, 0: none; their rates (t, x, c, p) -> x' */
    struct constrained *equations;
    kernel rates;
    double *x_middle, *W, *further;
    int64_t work_loss, account; /* index in x: works of losses, and of numerical damping (-1: none) */
    /* adaptive steps: the estimated error of a step, into the memory of the loop; 0: steps of one length */
    double *error, *x_half;
    int64_t first_velocity, end_velocity; /* indices in x: errors of velocities count by the distance within a step */
};

int midpoint_step(void *context, double t, double h, const double *x, const double *c, const double *p, double *out);

#endif
