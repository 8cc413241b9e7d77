/* The model in a page: successive runs, recorded as simulations record them, and the drawing of a row.
 *
 * The page sets states and parameters in place, calls live_begin, and then live_advance until the run is over; each
 * time it reads the rows and events that have been recorded since.
 */
#include "core.h"

#define EXPORT __attribute__((visibility("default")))

static Model model;
static double outputs_of_row[N_OUTPUTS + 1];
static double q[N_Q + 1], scene[N_SCENE + 1];

/* Memory that the page reads and writes. */
enum { X, P, C, ROWS_T, ROWS_X, ROWS_C, OUTPUTS, EVENTS_T, Q, SCENE };

EXPORT double *live_array(int which) {
    struct loop *const L = loop_of(&model);
    switch (which) {
    case X: return L->x;
    case P: return model.image.parameters;
    case C: return L->c;
    case ROWS_T: return L->rows_t;
    case ROWS_X: return L->rows_x;
    case ROWS_C: return L->rows_c;
    case OUTPUTS: return outputs_of_row;
#if N_EVENTS > 0
    case EVENTS_T: return model.image.watch.record_t;
#endif
    case Q: return q;
    case SCENE: return scene;
    default: return 0;
    }
}

EXPORT double live_time(void) { return loop_of(&model)->t; }
EXPORT double live_steps(void) { return (double)(loop_of(&model)->n_steps - loop_of(&model)->n_rejected); }
EXPORT double live_bad(void) { return (double)loop_of(&model)->bad; }
EXPORT int live_rows(void) { return (int)loop_of(&model)->n_rows; }

#if N_EVENTS > 0
EXPORT int live_events(void) { return (int)model.image.watch.n_records; }
EXPORT int live_event(int k) { return (int)model.image.watch.record_event[k]; }
EXPORT int live_sign(int k) { return (int)model.image.watch.record_sign[k]; }
#else
EXPORT int live_events(void) { return 0; }
EXPORT int live_event(int k) { return k; }
EXPORT int live_sign(int k) { return k; }
#endif

/* Back to the experiment that the page was written for. */
EXPORT void live_reset(void) { start(&model); }

/* Takes over the settings, of which `moved` says whether it differs from that experiment. 0 = ok. */
EXPORT int live_settle(int moved) {
    model.moved = moved;
    return take_over(&model);
}

#if HAS_PAIRS
/* Settles the active cables and contacts at the start; a state that differs is the one that is recorded. 0 = ok. */
static int settle_pairs(struct loop *L) {
    static const int flags[] = {FLAGS};
    static double made[N_STATES];
    if (transitions_begin(&model.image.transitions, L->t, L->x, made, L->c, L->p) != LANDED)
        return 1;
    int differs = memcmp(made, L->x, FIRST_LATCH * sizeof(double)) != 0;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        differs |= rint(made[flags[i]]) != rint(L->x[flags[i]]);
    if (differs) {
        memcpy(L->x, made, sizeof made);
        L->fresh = 0, L->n_rows = 0;
        loop_push(L);
    }
    return 0;
}
#endif

/* Begins a run of so many seconds at the present state, which live_settle has made consistent. 0 = ok. */
EXPORT int live_begin(double duration) {
    struct loop *const L = loop_of(&model);
    model.outcome = DIVERGED;
    L->sample_origin = L->t, L->t_last = L->t + duration;
    loop_push(L);
    if (loop_sample(L))
        return 1;
    loop_hold(L, loop_next_sample(L, L->t_last));
    if (L->adaptive)
        L->h = loop_first_step(L, duration);
#if HAS_PAIRS
    if (settle_pairs(L)) {
        model.outcome = ILL_POSED;
        return 1;
    }
#endif
#if N_EVENTS > 0
    model.image.watch.run_start = L->t, model.image.watch.run_end = L->t_last;
    watch_begin(&model.image.watch);
#endif
    return 0;
}

/* Continues for so many seconds of the clock, or until there are rows or events to be read, or the run is over. */
EXPORT int live_advance(double patience) {
    struct loop *const L = loop_of(&model);
    L->patience = patience;
    L->n_rows = 0;
#if N_EVENTS > 0
    model.image.watch.n_records = *model.image.watch.n_changes = 0;
    model.outcome = watch_advance(&model.image.watch);
#else
    model.outcome = loop_advance(L);
#endif
    if (model.outcome == REACHED && L->t < L->t_last)
        model.outcome = DIVERGED; /* a sampled value is not finite */
    return (int)model.outcome;
}

/* Records the state at which a run has stopped, as the last row. */
EXPORT void live_last(void) { loop_push(loop_of(&model)); }

/* Signals of a recorded row, into OUTPUTS. */
EXPORT void live_outputs(int k) {
    struct loop *const L = loop_of(&model);
    outputs(&model, L->rows_t[k], L->rows_x + k * N_STATES, L->rows_c + k * N_HELD, outputs_of_row);
}

/* Signals of the present state, into OUTPUTS. */
EXPORT void live_now(void) {
    struct loop *const L = loop_of(&model);
    outputs(&model, L->t, L->x, L->c, outputs_of_row);
}

/* Everything that is drawn at Q, into SCENE. */
EXPORT void live_scene(double t) {
    const double *in[3] = {q, &t, loop_of(&model)->p};
    double *out[1] = {scene};
    model_scene(in, out, model.image.scene_work);
}
