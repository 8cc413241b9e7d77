/* Implicit midpoint steps (midpoint.c): the interface to their callers. */
#ifndef MIDPOINT_H
#define MIDPOINT_H

#include "kernel.h"

struct midpoint {
    int64_t n, n_counted, max_iterations, n_iterations;
    double tolerance, damping;
    kernel tape; /* (t, x, c, p, y, (h, damping)) -> y */
    double *work, *y, *y_next;
    double t_known, *x_known; /* end of the last step: the next one begins with its rates */
};

int midpoint_step(void *context, double t, double h, const double *x, const double *c, const double *p, double *out);

#endif
