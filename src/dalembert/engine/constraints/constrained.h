/* Constrained equations of motion (constrained.c, constrained_alpha.c, contact.c): the interface to their callers. */
#ifndef CONSTRAINED_H
#define CONSTRAINED_H

#include "kernel.h"

enum { MOST_LOADS = 3 }; /* rows that share a load */

struct constrained {
    int64_t n, nq, nv, m, nc, np, routine, constant_mass, projects, on_tape;
    int64_t work_input; /* index in x: work of the inputs */
    kernel tape, geometry, move, events;
    double *tape_work, *geometry_work, *move_work, *events_work;
    kernel free; /* (t, x, c, p) -> x', Phi while no row acts; 0: some always do */
    double *free_work;
    kernel gaps; /* (t, x, c, p) -> Phi of the rows that are watched; 0: there are none */
    double *gaps_work;
    kernel balance; /* (t, x, c, p) -> energy less works, kinetic energy; 0: they are not balanced */
    double *balance_work;
    kernel motion, shift; /* accelerations and projection by sweeps along a tree, see tape.py; 0: there are none */
    double *motion_work, *shift_work;
    const int64_t *flags;      /* per row: index in x of its switch, -1: it always acts */
    const int64_t *unilateral; /* rows of the cables that can go slack */
    int64_t n_unilateral, n_tape_events;
    double alpha, beta;                 /* Phi'' + 2 alpha Phi' + beta^2 Phi = 0 */
    double penalty, damping, omega; /* CDPR (21): alpha_p, xi_p, omega_p */
    double rank_tolerance, tolerance, drift;
    int64_t max_iterations;
    /* outputs of the tapes */
    double *rates, *M, *f, *Jt, *phi, *phidot, *gamma, *phi_t, *q_moved, *v_moved, *error, *share;
    /* where the motion was last evaluated: a step starts where the last one ended, and events are evaluated there */
    double t_seen;
    double *seen;
    /* scratch */
    double *R, *Y, *S, *y0, *a, *lambda, *b, *mu, *Q, *norms, *U, *moved, *reflectors;
    int64_t *active, *pivot;
    /* account */
    int64_t n_active, factored, rank_lost, iterations;
    /* generalized-alpha */
    kernel rate;
    double *rate_work;
    double alpha_m, alpha_f, gamma_n, beta_n;
    int64_t index, n_newton;
    double t_base, t_known, power_base, power_known;
    double *x_base, *x_known, *acceleration_base, *acceleration_known, *auxiliary_base, *auxiliary_known, *multipliers;
    double *rates_base, *K, *D, *matrix, *residual;
    int64_t *columns;
    double *increment;
    /* contacts; those with friction */
    int64_t n_rubbing, work_loss;
    int64_t impulses; /* index in x: the first integral of the friction of joints that stick */
    const int64_t *losses; /* per row: index in x of the energy that its contact has dissipated, -1: no row of a contact */
    const int64_t *rubbing, *shares; /* rows of normal and tangents (-1: none); index in x of the given multipliers */
    double *drag, *cone, *Z, *dense_work;
    double *lead; /* time by which friction of each such pair was ahead of its slip when they were last solved; else NaN */
    /* ropes over sheaves: of each its entries of `rubbing`, from rope_first[i] to rope_first[i + 1]; there are none before
     * them, and their normal is the row of the whole rope. Tensions of its spans, one more, and their ratios to that of
     * their group */
    int64_t n_ropes;
    const int64_t *rope_first;
    const int64_t *of_rope; /* of each row whether it is one of a rope with sheaves */
    double *tension, *ratio;
    double *yields; /* of each sheave that sticks where its friction is at its limit, though nothing moves: which way; else 0 */
    /* joints whose friction grows with a load: of each joint that sticks the first of the rows whose multipliers are the
     * load (-1: none), and their number, at most MOST_LOADS; the direction of the load in these, and whether no
     * friction fits */
    int64_t n_joints;
    const int64_t *load_first, *load_count;
    double *load_way, *jams;
    /* bearings of turning sheaves, whose load is the sum of the tensions of spans: of each joint that sticks the rows at
     * which these spans end, from tug_first[i] to tug_first[i + 1] */
    const int64_t *tug_first, *tugs;
    int64_t redundant; /* whether rows depended on each other when slips were last solved for */
    /* implicit steps (midpoint.c): terms that enlarge M (nv x nv) and add to f (nv) while a step is iterated, 0 otherwise;
     * the terms by which the metric of the projection after it is enlarged, 0: none */
    const double *enlarged, *further, *metric;
};

int constrained_ode(const double *const *in, double *const *out, double *work);
int constrained_events(const double *const *in, double *const *out, double *work);
int contact_admits(void *context, double t, const double *x, double t_next, const double *x_next, const double *c,
                   const double *p, double part);
int constrained_gaps(const double *const *in, double *const *out, double *work);
int constrained_project(void *context, double t, double *x, const double *c, const double *p);
int constrained_alpha(void *context, double t, double h, const double *x, const double *c, const double *p, double *out);
int64_t constrained_signals(struct constrained *C, int64_t rows, const double *t, const double *x, const double *c,
                            int64_t c_stride, const double *p, int64_t p_stride, double *out);
int64_t contact_memory(int64_t nv, int64_t m);
int contact_ode(const double *const *in, double *const *out, double *work);
int contact_events(const double *const *in, double *const *out, double *work);
int64_t contact_signals(struct constrained *C, int64_t rows, const double *t, const double *x, const double *c,
                        int64_t nc, const double *p, int64_t np, double *out);

#endif
