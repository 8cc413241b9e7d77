/* Time-stepping through contacts (cone.c, moreau.c): what it shares with its callers. */
#ifndef MOREAU_H
#define MOREAU_H

#include "kernel.h"

struct moreau {
    int64_t n, nq, nv, nz, n_contacts;
    kernel terms, bias, gaps, move, finish, lift;
    double *terms_work, *bias_work, *gaps_work, *move_work, *finish_work, *lift_work;
    /* places in x: forces (3 per contact), losses (1 per contact), account of the solver, works */
    int64_t forces, losses, residual_at, sweeps_at, work_loss, work_input;
    /* patterns: rows of L (columns before the diagonal), supports of the contacts */
    const int64_t *L_start, *L_column, *size, *count, *support_start, *row_start, *value_start, *support;
    const double *feature; /* length below which nothing passes unseen */
    /* machines with many contacts: rows of each by a kernel of its own, from values of (t, x, p, L, d), where it is near */
    const kernel *pair;
    double *pair_work;
    const int64_t *pair_at; /* where the work array of each begins in pair_work */
    double *values, *gathered;
    const int64_t *gather_start, *gather;
    int64_t n_p;
    /* settings */
    double theta, tolerance, margin;
    int64_t max_sweeps;
    /* outputs of the tapes */
    double *L, *d, *s0, *Y, *u0, *g, *e, *mu, *b, *pace, *b_middle, *zdot, *work;
    /* scratch */
    double *x_middle, *moved, *displacement, *dv, *s, *correction, *lambda, *total, *gap, *gap_before;
    double *active_x, *active_bounce, *active_mu, *lengths, *scratch;
    int64_t *active, *active_size, *active_count, *forced, *fast, *near;
    void *active_w, *active_support, *active_rows, *active_u0; /* blocks, pointers */
};

int moreau_step(void *context, double t, double h, const double *x, const double *c, const double *p, double *out);

#endif
