/* Time-stepping of one run (history.c, moreau.c): the interface to its callers. */
#ifndef MOREAU_H
#define MOREAU_H

#include "kernel.h"

/* Faults that all steps count: how many have impulses that violate the laws, the largest violation, and when its step ended; how many
 * have a restitution that was lowered, when the first one ended; the largest part that was taken away, and when. */
enum { N_UNSOLVED, MOST_RESIDUAL, RESIDUAL_T, N_LOWERED, LOWERED_SINCE, MOST_LOWERED, LOWERED_T, N_FAULTS };

struct moreau {
    int64_t n, nq, nv, nz, n_blocks, n_fixed, n_held, n_p; /* blocks, and those of them that are always there, which come first */
    int64_t first_bent, n_bent; /* rows of contacts, and of these, cables and ropes */
    kernel terms, bias, gaps, move, finish, lift, held;
    double *terms_work, *bias_work, *gaps_work, *move_work, *finish_work, *lift_work, *held_work;
    /* places in x: account of the solver, works, multipliers of the rows that always hold; of each block its forces, and
     * the energy that it has taken (-1: none) */
    int64_t residual_at, sweeps_at, undetermined_at, lowered_at, work_loss, work_input, multipliers;
    const int64_t *force, *loss;
    /* patterns: rows of L (columns before the diagonal); of each block its law, rows, entries of a row and their places,
     * where its rows, numbers of its law, values and stored numbers begin */
    const int64_t *L_start, *L_column, *law, *size, *count, *support_start, *row_start, *mu_start, *value_start, *block_start;
    const int64_t *support;
    const double *feature; /* length below which nothing passes unseen */
    /* machines with many blocks: rows of each by a separate kernel, from values of (t, x, p, L, d), where it is near */
    const kernel *pair;
    double *pair_work;
    const int64_t *pair_at; /* where the work array of each begins in pair_work */
    double *values, *gathered;
    const int64_t *gather_start, *gather;
    /* settings */
    double theta, tolerance, margin;
    int64_t max_sweeps;
    /* outputs of the tapes */
    double *L, *d, *s0, *g, *e, *mu, *b, *bent, *Y, *u0, *pace, *zdot, *work;
    double *driven; /* of each row: velocity of belts in u0, whose work is an input */
    /* compliant contacts (compliance.c; 0: none), of each block: 1 / stiffness (0: rigid) and damping; its normal velocity is
     * u_n + give x_n + rest; depth at the start. The energy stored in them is a state */
    double *compliance, *damping, *give, *rest, *depth;
    int64_t stored_at;
    double *hold; /* of each block: impulse with which it adheres in this step (adhesion.c; 0: none) */
    /* blocks that act, their numbers, rebounds and impulses; s = s0 + Y^T x; displacements that close gaps */
    int64_t n_active;
    int64_t *active;
    double *w, *bounce, *x, *s, *dv, *r, *gap, *stays, *lambda, *total;
    double *last; /* forces in the last step of blocks that are not always there */
    double jammed; /* 1 where a body is driven into a surface that it cannot leave */
    double rank;   /* see held_rank */
    /* forces that are not unique (unique.c): whether rows may depend on each other, how many directions are undetermined,
     * the compliance with which they are searched for, and the impulses at which it is without effect */
    int64_t depends, direct, apart; /* rows of an island up to which it is solved directly; 1: islands one after the other */
    double were_undetermined, undetermined, soft; /* the first: in the step before */
    double *ref, *gram, *dense;
    int64_t *island, *places, *alone;
    /* large islands (factors.c): nodes and numbers of factors that there is room for */
    int64_t n_nodes, n_factors, *nodes;
    double *factors, *newton;
    const int64_t *known; /* whether a block was there in the step before, 2: and pushed, 3: may open a little; 0: those that push were */
    /* restitution (restrain.c): the part of it that was taken away, s without impulses, rebounds as they were */
    double lowered;
    double *start, *full;
    int64_t *restrained;
    const int64_t *load, *load_count; /* of each block the first of the rows that always hold which are its load; 0: of none */
    const int64_t *tug_start, *tug;   /* and the rows of spans whose tensions are its load, from tug_start[a] on; 0: of none */
    /* rows that always hold */
    double *Q, *held_u0, *held_t, *held_phi, *held_rate, *T, *zeta, *held_x, *P, *before, *held_total;
    /* steps that are cut */
    double *x_middle, *x_swept, *displacement, *lengths, *gap_now, *gap_before;
    int64_t *forced, *fast, *near;
    double *scratch; /* of history.c: 2 nv + 18 times the number of rows */
    /* moreau_retrace: impulses with the bias at the old velocities (0: not kept); parts in which a step was taken */
    double *first;
    int64_t parts;
    double *faults; /* see above */
    double *turns;  /* of each block whose rows turn: 1 if its normal does, 2 if its tangents do, too */
};

int moreau_step(void *context, double t, double h, const double *x, const double *c, const double *p, double *out);

#endif
