/* Transitions of unilateral constraints (unilateral.c): data shared with their callers. */
#ifndef TRANSITIONS_H
#define TRANSITIONS_H

#include "constrained.h"

/* Outcome of a transition, besides a pair (0, 1, ...) at which no forces or impulses obey the laws. */
enum { LANDED = -1, NO_TERMS = -2, NOT_CLOSED = -3, ENDING = -4, MOVED = -5 }; /* the last two within a transition only */
/* The quantity without a solution: impulses, forces, those of a rope that jams at its sheave 0, 1, ... */
enum { OF_IMPULSES = 0, OF_FORCES = 1, AT_SHEAVE = 2 };

struct transitions {
    struct constrained *equations;
    int64_t k;               /* pairs: cables, ropes and contacts, which have a normal */
    int64_t n_blocks;        /* these, and after them joints that stick, with a limit that is given */
    const int64_t *law;      /* of each block its law (laws.c), */
    const int64_t *first;    /* where its rows begin in `row`; there is one more, their end, */
    const int64_t *row;      /* its rows (-1: one that never moves), of a rope those of its sheaves and then its own, */
    const int64_t *flags;    /* the index in x of the latch that says whether it acts (-1: always), */
    const int64_t *entry;    /* its first entry among those with friction (`rubbing` of the equations), */
    const int64_t *friction; /* of each entry the indices in x of stick, toward (2), share (3) and leeway (-1: none) */
    const int64_t *is_contact, *rubs, *poisson; /* rubs: how many entries it has, of a rope one of each sheave */
    const double *e, *mu;
    const int64_t *varies; /* where the coefficient of friction is in `cone`, if it depends on the state; else -1 */
    double slowest; /* half the rate at which a slip ends */
    /* switches: of each its event, and latches (those from first[i] to first[i + 1]) with the values that they get */
    int64_t n_switches;
    const int64_t *switch_event, *switch_first, *switch_latch;
    const double *switch_value;
    /* events at which a latch grows by a step */
    int64_t n_counts;
    const int64_t *count_event, *count_latch;
    const double *count_step;
    /* events just after which the direction of a row jumps, and the time in which a motion gets there from them */
    int64_t n_kinks;
    const int64_t *kink_event;
    double kink_time;
    /* constraints that measure themselves when they begin to act: of each the latch that is 1 while it acts, and those
     * that keep the results of the kernel (t, x, c, p) */
    int64_t n_measures;
    const int64_t *measure_flag, *measure_first, *measure_latch;
    kernel measure;
    double *measure_work, *measured;
    /* terms at an instant; J is m x nv */
    double *M, *f, *J, *gamma, *phi, *rate, *x_bare;
    double *R, *Y; /* M = R^T R and Y = R^-T J^T (nv x m), where they are known */
    int64_t factored;
    double *work; /* scratch of `transitions_memory` numbers */
    /* blocks that have just released, friction that has just reached its limit, and when */
    int64_t *loose, *slipping; /* by blocks; by entries */
    int64_t *acted; /* which pairs acted before a transition, apart from switching */
    double *toward; /* where each entry slipped to before it; NaN: it stuck */
    double t_loose;
    /* log of the last transitions, from the entry `n_log` on; of each the impulses of all rows */
    int64_t n_log, log_capacity;
    double *log_t, *log_impulses, *log_lost, *log_factor, *log_speed;
    int64_t *log_shocks;
    /* why one failed: the pair, or the row whose gap is open */
    int64_t pair, lacks;
};

int64_t transitions_memory(int64_t nv, int64_t m, int64_t n);
int64_t transitions_start(struct transitions *T, double t, double *x, const double *c, const double *p);
int64_t transitions_land(struct transitions *T, double t, double *x, const double *c, const double *p);
int64_t transitions_begin(struct transitions *T, double t, const double *x, double *made, const double *c,
                          const double *p);
int64_t transitions_switch(void *context, double t, double *x, const double *c, const double *p, int64_t *fired);
double transitions_return(void *context, const double *x);

#endif
