/* The time loop of loop.c and the events of events.c: the interface to their callers. */
#ifndef ENGINE_H
#define ENGINE_H

#include "kernel.h"

/* Why a loop came back. */
enum { REJECTED = -1, REACHED = 0, CROSSING = 1, YIELD = 2, FULL = 3, DIVERGED = 4, UNDERFLOW = 5, EXHAUSTED = 6 };

/* Some of the held values, set anew at sample_origin + offset + count period. */
struct update {
    kernel f; /* (t, x, c, p, w) -> values; 0: the caller's own */
    double *work, *w, *values;
    const int64_t *rows; /* of the held values */
    int64_t n, n_noise, stream;
    double period, offset;
};

struct loop {
    /* problem */
    int64_t n, n_events, n_quaternions, n_held;
    kernel ode, events;
    double *ode_work, *events_work;
    kernel gaps; /* of the events only those from first_gap on, which cost less; 0: not available. With `events_work` */
    int64_t first_gap, n_gaps;
    double *c;
    const double *p;
    const int64_t *quaternions, *directions;
    const double *counted; /* 1 for a state that counts in the error norm, else 0 */
    double n_counted;
    /* method */
    int64_t stages, fsal, adaptive;
    const double *a, *b, *e, *e_second, *nodes; /* e = b - b_hat; of a second embedded solution, or 0 */
    double order, high_order; /* of a solution whose error goes as the estimate; of the method */
    int64_t n_further; /* stages of a polynomial along a step beyond those of the method; 0: there is none */
    const double *further_a, *further_nodes, *inner; /* and its weights: state and slope after 1/3 and 2/3 of the step */
    double step, max_step, rtol;
    const double *atol;
    /* where the loop stands */
    double t, t_end, h, error_old;
    double soon; /* the next step is to be no longer: an event may come before it ends; 0: nothing is known of one */
    double anchor; /* fixed steps end at anchor + k step: time does not accumulate rounding */
    int64_t k, fresh; /* fresh: stage 0 is the derivative at (t, x) */
    double *x, *stage, *signs;
    /* the step that was tried */
    int64_t pending, landed, on_record, whole, rejected_last;
    double t_next, h_used;
    double *x_next, *g_next, *x_stage, *error, *stage_partial;
    /* record */
    double record_origin, record_interval; /* interval 0: every step */
    int64_t record_index, n_rows, capacity;
    double *rows_t, *rows_x, *rows_c;
    /* sampled updates */
    int64_t n_updates, seed, member;
    struct update *updates;
    int64_t *instants; /* how many each of them has had */
    double sample_origin, t_last; /* t_last: end of the run; t_end is the next stop */
    /* account */
    int64_t n_steps, n_rejected, n_calls, max_steps, bad;
    double patience;
    /* constraints: projection of a state, and a one-step method that takes the place of the tableau; 0: none */
    int (*project)(void *context, double t, double *x, const double *c, const double *p);
    int (*custom)(void *context, double t, double h, const double *x, const double *c, const double *p, double *out);
    /* whether a step adds no more energy than that part of the kinetic one; 0: all do */
    int (*admits)(void *context, double t, const double *x, double t_next, const double *x_next, const double *c,
                  const double *p, double part);
    void *context;
    void *steps; /* context of `custom`, where it is another one; 0: the same */
};

/* Events of a loop: see events.c. */
enum { LOG_FULL = 8, ACCUMULATED = 9, ILL_POSED = 10, NOT_FINITE = 11, STOPPED = 12, ASKED = 13 };

/* Action at an event: it is recorded, and the step stays as it is; the step ends there, without a report; it is
 * recorded there; a transition follows; the run ends. Simultaneous events get the strongest of their actions. */
enum { PASSES = 0, CUTS = 1, STAYS = 2, SWITCHES = 3, ENDS = 4 };

struct watch {
    struct loop *loop;
    const int64_t *positive; /* which events must never be negative */
    int64_t n_positive;
    const int64_t *kinds; /* action at each event */
    int64_t asks;         /* whether the caller may change the state wherever a step has ended at an event */
    const int64_t *jumps; /* which events also happen where a transition makes their function jump over zero */
    const int64_t *kinks; /* which events are where the state has a kink: these are not located by polynomials */
    /* State after the events of an instant, in place: -1, or why there is none. `fired`: events that happen, before and after. */
    int64_t (*transition)(void *context, double t, double *x, const double *c, const double *p, int64_t *fired);
    /* Time after which a pair that has come apart at the last transition is expected to touch again; INFINITY: none; 0:
     * unknown. To be asked where the events have just been evaluated. */
    double (*returns)(void *context, const double *x);
    void *context;
    int64_t *n_changes, changes_capacity; /* how many transitions are logged */
    double run_start, run_end;
    double armed_at, armed_for; /* when events were last armed, and by the signs how long after */
    double *stops; /* instants of the last CROWD transitions */
    int64_t n_stops;
    double *x_part, *g_part, *g_start, *g_found, *x_found, *g_kept, *x_kept, *slope;
    int64_t n_nodes, inside; /* inside: the method's own polynomial is used (1), not yet (0), not at all (-1) */
    double *nodes, *newton; /* where the pending step is known, and Newton's coefficients of a polynomial through it */
    double off; /* its error, relative to the allowed one, see error_at */
    int64_t *fired, *passed; /* which happen; which have been recorded in the pending step, which continues */
    /* records of events; a transition is of those from change_first on */
    int64_t n_records, records_capacity;
    int64_t *record_event, *record_sign, *change_first;
    double *record_t, *record_x;
    int64_t unsettled; /* functions that must not be negative are still to be checked */
    int64_t culprit;
};

int64_t loop_derivative(struct loop *L, double t, const double *x, double *out);
int64_t loop_partial(struct loop *L, double s, double *x, double *g);
int64_t loop_settle(struct loop *L);
void loop_push(struct loop *L);
void loop_accept(struct loop *L);
int64_t loop_update(struct loop *L, int64_t i);
int64_t loop_sample(struct loop *L);
double loop_next_sample(const struct loop *L, double end);
void loop_hold(struct loop *L, double t_end);
int64_t loop_advance(struct loop *L);
int64_t loop_offer(struct loop *L);
double loop_first_step(struct loop *L, double longest);
void watch_begin(struct watch *W);
int64_t watch_advance(struct watch *W);
int64_t watch_here(struct watch *W);
int64_t watch_settle(struct watch *W);
int64_t watch_offer(struct watch *W);
int64_t watch_answer(struct watch *W, const double *x, int64_t landed);

#endif
