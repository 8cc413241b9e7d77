/* One instance of the model: its memory, and the functions of it. Shared by both versions of FMI and by the loop in
 * real time.
 *
 * image.h has the structures of the time loop (loop.h), of its constrained equations (constrained.h), of transitions at
 * events (transitions.h) and of time-stepping (moreau.h), as far as the machine needs them, and the arrays that they
 * point to: they are set up once, in memory of the instance, and nothing is allocated afterwards.
 */
#ifndef CORE_H
#define CORE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "image.h"

#define N_DERIVATIVES (N_STATES - N_LATCHES) /* latches keep their values between events: they are no continuous states */
#define N_OUTPUTS (N_SIGNALS + N_MULTIPLIERS + N_ACCOUNT)
#define VIOLATION 1e-5 /* of a constraint, or of the length of a quaternion, that the solver of another tool may leave */

/* Value references: time, states, derivatives, held values (the inputs come first), parameters, outputs, the step of the
 * solver, event indicators. */
enum {
    STATE = 1,
    DERIVATIVE = STATE + N_STATES,
    INPUT = DERIVATIVE + N_DERIVATIVES,
    PARAMETER = INPUT + N_HELD,
    OUTPUT = PARAMETER + N_PARAMETERS,
    STEP = OUTPUT + N_OUTPUTS,
    INDICATOR = STEP + 1,
    END = INDICATOR + N_EVENTS
};

typedef struct {
    struct image image;
    double rate[N_STATES], y[N_OUTPUTS + 1], g[N_EVENTS + 1];
    double count, last;   /* events so far, and when the last ones were */
    int stale;            /* computed values do not belong to the present state */
    int moved;            /* states or parameters were set from outside */
    int begun;            /* sampled updates have had their first instant */
    int64_t outcome;      /* of the last motion, as of loop.h */
} Model;

static struct loop *loop_of(Model *m) { return &m->image.loop; }

/* Index in x of a continuous state. */
static int state_of(int i) { return i < FIRST_LATCH ? i : i + N_LATCHES; }

static void start(Model *m) {
    memset(m, 0, sizeof *m);
    image_start(&m->image);
    image_wire(&m->image);
    m->last = NAN;
    m->stale = 1;
}

static void copy(Model *to, const Model *from) {
    memcpy(to, from, sizeof *to);
    image_wire(&to->image);
}

static void set_time(Model *m, double t) {
    loop_of(m)->t = t;
    loop_of(m)->fresh = 0;
    m->stale = 1;
}

/* Outputs at a state: signals, multipliers, and the account of events. */
static void outputs(Model *m, double t, const double *x, const double *c, double *y) {
    const double *in[4] = {&t, x, c, loop_of(m)->p};
    double *out[1] = {y};
    model_signals(in, out, m->image.signals_work);
#if N_MULTIPLIERS > 0
    double rows[N_ROWS + 3];
    static const int chosen[] = {MULTIPLIERS};
    CONSTRAINT_SIGNALS(&m->image.constrained, 1, &t, x, c, 0, loop_of(m)->p, 0, rows);
    for (int i = 0; i < N_MULTIPLIERS; i++)
        y[N_SIGNALS + i] = rows[chosen[i]];
#endif
#if N_ACCOUNT > 0
    y[N_OUTPUTS - 2] = m->count, y[N_OUTPUTS - 1] = m->last;
#endif
}

/* Derivatives, outputs and event indicators at the present state. */
static void evaluate(Model *m) {
    struct loop *const L = loop_of(m);
    if (!m->stale)
        return;
#if HAS_ODE
    if (loop_derivative(L, L->t, L->x, m->rate))
        for (int i = 0; i < N_STATES; i++)
            m->rate[i] = NAN;
#endif
    outputs(m, L->t, L->x, L->c, m->y);
#if N_EVENTS > 0
    const double *in[4] = {&L->t, L->x, L->c, L->p};
    double *indicators[1] = {m->g};
    if (L->events(in, indicators, L->events_work))
        for (int i = 0; i < N_EVENTS; i++)
            m->g[i] = NAN;
#endif
    m->stale = 0;
}

/* Where a variable lies; 0 if there is none of that reference. */
static double *place(Model *m, unsigned r) {
    struct loop *const L = loop_of(m);
    if (r == 0)
        return &L->t;
    if (r < DERIVATIVE)
        return &L->x[r - STATE];
    if (r < INPUT)
        return &m->rate[state_of((int)(r - DERIVATIVE))];
    if (r < PARAMETER)
        return &L->c[r - INPUT];
    if (r < OUTPUT)
        return &m->image.parameters[r - PARAMETER];
    if (r < STEP)
        return &m->y[r - OUTPUT];
    if (r == STEP)
        return L->adaptive ? &L->max_step : &L->step;
    return r < END ? &m->g[r - INDICATOR] : 0;
}

static int get(Model *m, const unsigned r[], size_t n, double value[]) {
    evaluate(m);
    for (size_t i = 0; i < n; i++) {
        const double *const from = place(m, r[i]);
        if (!from)
            return 1;
        value[i] = *from;
    }
    return 0;
}

static int within(unsigned r, unsigned first, unsigned end) { return r >= first && r < end; }

static int is_latch(unsigned r) { return within(r, STATE + FIRST_LATCH, STATE + FIRST_LATCH + N_LATCHES); }

static int settable(unsigned r) {
    if (within(r, STATE, DERIVATIVE))
        return !is_latch(r);
    return within(r, INPUT, INPUT + N_INPUTS) || within(r, PARAMETER, OUTPUT) || r == STEP;
}

static int set(Model *m, const unsigned r[], size_t n, const double value[]) {
    for (size_t i = 0; i < n; i++)
        if (!settable(r[i]) || !isfinite(value[i]) || (r[i] == STEP && !(value[i] > 0.0)))
            return 1;
    for (size_t i = 0; i < n; i++) {
        double *const to = place(m, r[i]);
        if (*to != value[i] && (r[i] < DERIVATIVE || within(r[i], PARAMETER, OUTPUT)))
            m->moved = 1;
        *to = value[i];
    }
    loop_of(m)->fresh = 0;
    m->stale = 1;
    return 0;
}

static int is_finite(const double x[], int n) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return 0;
    return 1;
}

static void get_states(Model *m, double x[]) {
    for (int i = 0; i < N_DERIVATIVES; i++)
        x[i] = loop_of(m)->x[state_of(i)];
}

static void set_states(Model *m, const double x[]) {
    for (int i = 0; i < N_DERIVATIVES; i++)
        loop_of(m)->x[state_of(i)] = x[i];
    loop_of(m)->fresh = 0;
    m->stale = 1;
}

static void get_rates(Model *m, double rate[]) {
    evaluate(m);
    for (int i = 0; i < N_DERIVATIVES; i++)
        rate[i] = m->rate[state_of(i)];
}

/* Takes the entries of the log. */
static void account(Model *m) {
    loop_of(m)->n_rows = loop_of(m)->n_steps = 0;
#if N_EVENTS > 0
    struct watch *const W = &m->image.watch;
    if (W->n_records)
        m->count += (double)W->n_records, m->last = W->record_t[W->n_records - 1];
    W->n_records = *W->n_changes = 0;
#endif
}

/* Reason why a motion ended, in words; 0 if nothing is wrong. */
static const char *complaint(const Model *m) {
    switch (m->outcome) {
    case REACHED:
    case STOPPED:
        return 0;
    case ACCUMULATED:
        return "events accumulate";
    case ILL_POSED:
        return "a transition leads nowhere: no forces obey the laws of its contacts, or a gap is open";
    default:
        return "the state stopped being finite, or the constraints could not be kept";
    }
}

/* Takes over parameters and states that were set from outside: coefficients of contacts, constraints. 0 = ok. */
static int take_over(Model *m) {
    struct loop *const L = loop_of(m);
    m->outcome = DIVERGED;
#if HAS_COEFFICIENTS
    const double *in[1] = {L->p};
    double *out[2] = {m->image.restitution, m->image.friction};
    model_coefficients(in, out, m->image.coefficients_work);
#endif
    if (!m->moved)
        return 0;
#if HAS_TRANSITIONS
    if (transitions_start(&m->image.transitions, L->t, L->x, L->c, L->p) != LANDED) {
        m->outcome = ILL_POSED;
        return 1;
    }
#endif
#if HAS_CONSTRAINTS
    const double drift = m->image.constrained.drift;
    m->image.constrained.drift = REACH;
#endif
    const int64_t failed = loop_settle(L);
#if HAS_CONSTRAINTS
    m->image.constrained.drift = drift;
#endif
    return failed != 0;
}

/* Makes the state consistent before a motion: constraints, contacts, signs of the events. 0 = ok. */
static int begin(Model *m) {
    struct loop *const L = loop_of(m);
    L->anchor = L->t, L->k = 0, L->pending = 0, L->fresh = 0;
    m->stale = 1;
    if (take_over(m))
        return 1;
    if (!m->begun) {
        L->sample_origin = L->t;
        if (loop_sample(L))
            return 1;
    }
#if HAS_TRANSITIONS
    if (m->moved || N_HELD || LANDS_FIRST) {
        if (transitions_land(&m->image.transitions, L->t, L->x, L->c, L->p) != LANDED) {
            m->outcome = ILL_POSED;
            return 1;
        }
    }
#endif
    m->moved = 0, m->begun = 1;
    if (!is_finite(L->x, N_STATES))
        return 1;
#if N_EVENTS > 0
    m->image.watch.run_end = L->t + HORIZON, m->image.watch.run_start = L->t;
    watch_begin(&m->image.watch);
#endif
    m->outcome = REACHED;
    return 0;
}

/* Moves over a communication interval from `t` on: whole steps, none longer than that of the solver, through all events.
 * 0 = ok; the state at an event that ends the run is ok, too, with the time that it has. */
static int advance(Model *m, double t, double interval) {
    struct loop *const L = loop_of(m);
    const double end = t + interval;
    if (fabs(t - L->t) > 1e-9 * L->step)
        set_time(m, t), m->moved = 1;
    if (m->moved && begin(m))
        return 1;
    m->stale = 1;
    L->t_last = end;
    loop_hold(L, L->n_updates ? L->t : end); /* due samples are taken before the loop continues */
    for (;;) {
        account(m);
#if N_EVENTS > 0
        m->image.watch.run_end = end + HORIZON, m->image.watch.run_start = end;
        m->outcome = watch_advance(&m->image.watch);
#else
        m->outcome = loop_advance(L);
#endif
        if (m->outcome != FULL && m->outcome != LOG_FULL && m->outcome != YIELD && m->outcome != EXHAUSTED)
            break;
    }
    account(m);
    if (m->outcome == REACHED && L->t < end)
        m->outcome = DIVERGED; /* a sampled value is not finite */
    return m->outcome != REACHED && m->outcome != STOPPED;
}

/* -- model exchange: another solver moves the states ------------------------------------------------------------------ */

/* Whether that has left the constraints, or the unit quaternions, too far behind. */
static int strays(Model *m) {
    struct loop *const L = loop_of(m);
    double most = 0.0;
    for (int64_t k = 0; k < L->n_quaternions; k++) {
        const double *const u = L->x + L->quaternions[k];
        most = fmax(most, fabs(sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) - 1.0));
    }
#if HAS_CONSTRAINTS
    double rows[N_ROWS + 3];
    CONSTRAINT_SIGNALS(&m->image.constrained, 1, &L->t, L->x, L->c, 0, L->p, 0, rows);
    most = fmax(most, rows[N_ROWS]);
#endif
    return !(most <= VIOLATION);
}

/* Handles everything that is due at the present state: samples, events, and the projection onto constraints; `next` is
 * the time of the next sample. 0 = ok. */
static int update(Model *m, int *changed, int *ended, double *next) {
    *changed = *ended = 0;
    m->outcome = DIVERGED, m->stale = 1;
    if (loop_sample(loop_of(m)))
        return 1;
    *next = loop_next_sample(loop_of(m), INFINITY);
    if (m->moved)
        return *changed = 1, begin(m);
    if (strays(m)) {
        *changed = 1;
        if (loop_settle(loop_of(m)))
            return 1;
    }
    m->outcome = REACHED;
#if N_EVENTS > 0
    const double before = m->count;
    m->image.watch.run_end = loop_of(m)->t + HORIZON, m->image.watch.run_start = loop_of(m)->t;
    do {
        account(m);
        m->outcome = watch_here(&m->image.watch);
    } while (m->outcome == FULL || m->outcome == LOG_FULL);
    account(m);
    *ended = m->outcome == STOPPED;
    if (m->count != before)
        *changed = 1;
#endif
    return m->outcome != REACHED && m->outcome != STOPPED;
}

#endif
