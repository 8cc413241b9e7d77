/* Time loop of explicit Runge-Kutta methods, generic over the tableau.
 *
 * The loop owns no memory: `struct loop` points into arrays of its caller. It takes native samples by itself, and
 * continues. It returns to its caller at the end of a segment (the run, or an instant at which the caller has something
 * to sample), at a step in which an event function changes sign (that step is then pending, for events.c), when the
 * record buffer is full, after `patience` seconds, and when it cannot continue. Calling `loop_advance` again resumes.
 */
#define _POSIX_C_SOURCE 199309L
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "loop.h"

/* Types and operations of the generator of random numbers. */
typedef uint64_t word;
typedef double real, instant;
#define FUNCTION static
#define TABLE static const
#define UNROLL
#define WORD(x) ((word)(x))
#define FROM_WORD(x) ((double)(x))
#define REAL(x) (x)
#define WIDE(x) (x)
#define SELECT(m, a, b) ((m) ? (a) : (b))
static double TIMES(double a, double b) {
    volatile double c = a * b; /* a compiler may fuse products and sums, but not this one */
    return c;
}
static word AS_WORD(double x) {
    word i;
    memcpy(&i, &x, sizeof i);
    return i;
}
static double AS_INSTANT(word i) {
    double x;
    memcpy(&x, &i, sizeof x);
    return x;
}
#include "noise.h"

typedef int MASK;
#define NO(m) (!(m))
#include "runge_kutta.h"

#define ADMITTED 100.0 /* energy that a step may add, by the kinetic one and the tolerance */

static double now(void) {
    struct timespec ts;
#ifdef CLOCK_MONOTONIC
    clock_gettime(CLOCK_MONOTONIC, &ts);
#else
    timespec_get(&ts, TIME_UTC);
#endif
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static int same_instant(double a, double b) {
    return fabs(a - b) <= 16.0 * DBL_EPSILON * fmax(fabs(a), fabs(b));
}

static int evaluate(kernel f, const struct loop *L, double t, const double *x, double *out, double *work) {
    const double *in[4] = {&t, x, L->c, L->p};
    double *outs[1] = {out};
    return f(in, outs, work);
}

int64_t loop_derivative(struct loop *L, double t, const double *x, double *out) {
    L->n_calls++;
    return evaluate(L->ode, L, t, x, out, L->ode_work);
}

static void normalise(const struct loop *L, double *x) {
    for (int64_t q = 0; q < L->n_quaternions; q++) {
        double *u = x + L->quaternions[q];
        const double r = 1.0 / sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
        for (int i = 0; i < 4; i++) u[i] *= r;
    }
}

/* Conditions of a state after a step: unit quaternions, constraints. 0 = ok. */
static int settle(const struct loop *L, double t, double *x) {
    normalise(L, x);
    return L->project ? L->project(L->context, t, x, L->c, L->p) : 0;
}

/* Bring a state that the caller has set into the form of a state after a step. 0 = ok. */
int64_t loop_settle(struct loop *L) {
    L->fresh = 0;
    return settle(L, L->t, L->x);
}

/* One step of length h from (t, x) into out; stages 1.. go to `later`, the last one, where it is the slope at the end,
 * only if it is `wanted`. */
static int take(struct loop *L, double h, double *later, double *out, int wanted) {
    const double *k[MOST_STAGES];
    const int64_t n = L->n, stages = L->stages;
    if (L->custom) {
        L->n_calls++;
        return L->custom(L->steps ? L->steps : L->context, L->t, h, L->x, L->c, L->p, out);
    }
    k[0] = L->stage;
    if (!L->fresh) {
        if (loop_derivative(L, L->t, L->x, L->stage)) return 1;
        L->fresh = 1;
    }
    for (int64_t s = 1; s < stages; s++) {
        double *ks = later + s * n;
        combine(L->x, h, L->a + s * stages, (int)s, k, L->x_stage, (int)n);
        if (L->fsal && s == stages - 1 && !wanted) break;
        if (loop_derivative(L, L->t + L->nodes[s] * h, L->x_stage, ks)) return 1;
        k[s] = ks;
    }
    if (L->fsal) memcpy(out, L->x_stage, (size_t)n * sizeof(double));
    else combine(L->x, h, L->b, (int)stages, k, out, (int)n);
    return 0;
}

/* A part of length s of the pending step (or of a step to come), with the event functions at its end. */
int64_t loop_partial(struct loop *L, double s, double *x, double *g) {
    if (s == 0.0) memcpy(x, L->x, (size_t)L->n * sizeof(double));
    else if (take(L, s, L->stage_partial, x, 0)) return DIVERGED;
    if (settle(L, L->t + s, x)) return DIVERGED;
    if (L->n_events && evaluate(L->events, L, L->t + s, x, g, L->events_work)) return DIVERGED;
    return REACHED;
}

/* Index of the state to blame for a step that is not finite (-1: all are finite). */
static int64_t find_bad(const struct loop *L) {
    int64_t bad = -1;
    double sum = 0.0;
    for (int64_t i = 0; i < L->n; i++) sum += 0.0 * L->x_next[i];
    if (sum == 0.0) return -1;
    for (int64_t i = 0; i < L->n; i++)
        if (!isfinite(L->x_next[i]) && (bad < 0 || fabs(L->x[i]) > fabs(L->x[bad]))) bad = i;
    return bad;
}

/* Weighted root mean square of the difference to an embedded solution; `bad` becomes the state that contributes most. */
static double difference(struct loop *L, const double *e) {
    const double *k[MOST_STAGES];
    double sum = 0.0, worst = -1.0;
    for (int64_t s = 0; s < L->stages; s++) k[s] = L->stage + s * L->n;
    if (!L->custom) combine(0, L->h_used, e, (int)L->stages, k, L->error, (int)L->n); /* else it has estimated it */
    for (int64_t i = 0; i < L->n; i++) {
        const double scale = L->atol[i] + L->rtol * fmax(fabs(L->x[i]), fabs(L->x_next[i]));
        const double r = L->counted[i] * (L->error[i] / scale);
        sum += r * r;
        if (r * r > worst) worst = r * r, L->bad = i;
    }
    return sqrt(sum / L->n_counted);
}

/* Estimate of the error; of two embedded solutions that of Hairer, Norsett and Wanner, section II.10. */
static double error_norm(struct loop *L) {
    if (!L->e_second) return difference(L, L->e);
    const double second = difference(L, L->e_second), first = difference(L, L->e);
    return first == 0.0 ? 0.0 : first * first / sqrt(first * first + 0.01 * second * second);
}

/* Evaluate the event functions at the end of a step that was tried: it is then pending. REACHED, or why not. */
static int64_t make_pending(struct loop *L) {
    if (L->n_events) {
        if (evaluate(L->events, L, L->t_next, L->x_next, L->g_next, L->events_work)) return DIVERGED;
        for (int64_t i = 0; i < L->n_events; i++)
            if (isnan(L->g_next[i])) { L->bad = L->n + i; return DIVERGED; }
    }
    L->pending = 1;
    return REACHED;
}

/* Length and end of the next step: it hits the end of the segment and the instants to record. */
static void plan(struct loop *L) {
    double target = L->t_end;
    L->on_record = 0;
    if (L->record_interval > 0.0) {
        const double r = L->record_origin + (double)L->record_index * L->record_interval;
        if (same_instant(r, target)) L->on_record = 1;
        else if (r < target) L->on_record = 1, target = r;
    }
    const double rest = target - L->t;
    L->whole = 1;
    if (!L->adaptive) {
        L->t_next = L->anchor + (double)(L->k + 1) * L->step;
        L->landed = L->t_next >= target - 1e-9 * L->step;
        if (L->landed) L->t_next = target;
        L->h_used = L->t_next - L->t;
        if (fabs(L->h_used - L->step) <= 1e-9 * L->step + 8.0 * DBL_EPSILON * fabs(L->t_next)) L->h_used = L->step;
        return;
    }
    const double longest = fmin(L->h, L->max_step), h = L->soon > 0.0 ? fmin(longest, L->soon) : longest;
    MASK landed;
    L->h_used = step_length(h, rest, &landed);
    L->landed = landed, L->t_next = landed ? target : L->t + L->h_used;
}

/* Whether a step from the present state adds energy without a source; the loop then tries a shorter one. Fixed steps are never
 * refused. */
static int refused(struct loop *L, double t_next, const double *x_next) {
    if (!L->adaptive || !L->admits) return 0;
    if (L->admits(L->context, L->t, L->x, t_next, x_next, L->c, L->p, ADMITTED * L->rtol)) return 0;
    L->n_rejected++;
    L->rejected_last = 1, L->pending = 0;
    L->h = 0.2 * L->h_used;
    return 1;
}

/* Try one step: REACHED (it is pending), REJECTED, or why it failed. */
static int64_t attempt(struct loop *L) {
    if (L->adaptive && too_short(L->h, L->t)) return UNDERFLOW;
    plan(L);
    L->n_steps++;
    L->bad = -1;
    /* the slope at the end is that of the next step, unless that is another one after a projection */
    const int failed = take(L, L->h_used, L->stage, L->x_next, !L->project || (L->adaptive && L->e[L->stages - 1] != 0.0));
    const int64_t bad = failed ? -1 : find_bad(L);
    if (!L->adaptive) {
        L->bad = bad;
        if (failed || bad >= 0) return DIVERGED;
    } else {
        const double error = failed || bad >= 0 ? INFINITY : error_norm(L);
        if (!(error <= 1.0)) {
            L->n_rejected++;
            L->rejected_last = 1;
            L->h = shorter_step(L->h_used, isnan(error) ? INFINITY : error, L->order);
            if (bad >= 0) L->bad = bad;
            return REJECTED;
        }
        L->h = next_step(L->h_used, error, L->error_old, L->rejected_last != 0, L->h, L->order);
        L->error_old = fmax(error, LEAST_ERROR);
        L->rejected_last = 0;
    }
    if (settle(L, L->t_next, L->x_next)) {
        if (!L->adaptive) return DIVERGED;
        L->n_rejected++;
        L->rejected_last = 1;
        L->h = 0.2 * L->h_used;
        return REJECTED;
    }
    return refused(L, L->t_next, L->x_next) ? REJECTED : make_pending(L);
}

static int crosses(const struct loop *L) {
    for (int64_t i = 0; i < L->n_events; i++)
        if (L->signs[i] != 0.0 && L->g_next[i] * L->signs[i] <= 0.0 &&
            (double)L->directions[i] * L->signs[i] <= 0.0) return 1;
    return 0;
}

/* Take a step that another solver has made, from the present state to x_next at t_next: REACHED (it is pending),
 * CROSSING, or why not. */
int64_t loop_offer(struct loop *L) {
    L->n_steps++;
    L->bad = find_bad(L);
    if (L->bad >= 0) return DIVERGED;
    normalise(L, L->x_next);
    const int64_t outcome = make_pending(L);
    return outcome == REACHED && crosses(L) ? CROSSING : outcome;
}

/* Weighted root mean square over the states that count. */
static double weighted_size(const struct loop *L, const double *v) {
    double sum = 0.0;
    for (int64_t i = 0; i < L->n; i++) {
        const double r = L->counted[i] * (v[i] / (L->atol[i] + L->rtol * fabs(L->x[i])));
        sum += r * r;
    }
    return sqrt(sum / L->n_counted);
}

/* First step of an adaptive method; at most `longest`. */
double loop_first_step(struct loop *L, double longest) {
    double *const f = L->stage, *const g = L->x_next;
    longest = fmin(L->max_step, longest);
    if (loop_derivative(L, L->t, L->x, f)) return fmin(1e-6, longest);
    const double d0 = weighted_size(L, L->x), d1 = weighted_size(L, f);
    const double h0 = trial_step(d0, d1, longest);
    for (int64_t i = 0; i < L->n; i++) L->x_stage[i] = L->x[i] + h0 * f[i];
    if (loop_derivative(L, L->t + h0, L->x_stage, g)) return fmin(1e-6, longest);
    for (int64_t i = 0; i < L->n; i++) g[i] -= f[i];
    return starting_step(h0, d1, weighted_size(L, g) / h0, longest, L->high_order);
}

/* Record the state. */
void loop_push(struct loop *L) {
    L->rows_t[L->n_rows] = L->t;
    memcpy(L->rows_x + L->n_rows * L->n, L->x, (size_t)L->n * sizeof(double));
    memcpy(L->rows_c + L->n_rows * L->n_held, L->c, (size_t)L->n_held * sizeof(double));
    L->n_rows++;
}

/* Make the pending step the state. Recorded: every step, or the requested instants, and always a part of a step. */
void loop_accept(struct loop *L) {
    const size_t size = (size_t)L->n * sizeof(double);
    memcpy(L->x, L->x_next, size);
    L->t = L->t_next;
    L->pending = 0, L->soon = 0.0;
    for (int64_t i = 0; i < L->n_events; i++) L->signs[i] = (double)((L->g_next[i] > 0.0) - (L->g_next[i] < 0.0));
    /* The derivative before normalisation differs from that after it by less than the error of the step. */
    const int reuse = L->whole && L->fsal && !L->project;
    if (reuse) memcpy(L->stage, L->stage + (L->stages - 1) * L->n, size);
    L->fresh = reuse;
    if (L->whole) {
        L->k++;
        if (L->landed) L->anchor = L->t, L->k = 0;
        if (L->landed && L->on_record) L->record_index++;
    }
    if (!L->whole || L->record_interval == 0.0 || (L->landed && L->on_record)) loop_push(L);
}

#define SAME_INSTANT 1e-9 /* part of a period within which two instants are one */

static double next_instant(const struct loop *L, int64_t i) {
    const struct update *u = L->updates + i;
    return L->sample_origin + u->offset + (double)L->instants[i] * u->period;
}

static int due(const struct loop *L, int64_t i) {
    return next_instant(L, i) <= L->t + SAME_INSTANT * L->updates[i].period;
}

/* Update the held values of a native update; 1, and no change, if a value is not finite. */
int64_t loop_update(struct loop *L, int64_t i) {
    const struct update *u = L->updates + i;
    const double *in[5] = {&L->t, L->x, L->c, L->p, u->w};
    double *out[1] = {u->values};
    if (u->n_noise)
        draw((uint64_t)L->seed, (word)L->member, (uint32_t)u->stream, (uint64_t)L->instants[i], (int)u->n_noise, u->w);
    if (u->f(in, out, u->work)) return 1;
    for (int64_t k = 0; k < u->n; k++)
        if (!isfinite(u->values[k])) return 1;
    for (int64_t k = 0; k < u->n; k++) L->c[u->rows[k]] = u->values[k];
    L->instants[i]++;
    return 0;
}

/* Update the held values of native updates that are due; 1 if a value is not finite. */
int64_t loop_sample(struct loop *L) {
    for (int64_t i = 0; i < L->n_updates; i++)
        if (L->updates[i].f && due(L, i) && loop_update(L, i)) return 1;
    return 0;
}

/* Time of the next instant of any update, or `end` if that comes first. */
double loop_next_sample(const struct loop *L, double end) {
    double stop = end;
    for (int64_t i = 0; i < L->n_updates; i++) {
        const double next = next_instant(L, i);
        if (next <= end - SAME_INSTANT * L->updates[i].period) stop = fmin(stop, next);
    }
    return stop;
}

/* Continue with new held values: rows recorded at this very time show them. */
void loop_hold(struct loop *L, double t_end) {
    for (int64_t k = L->n_rows - 1; k >= 0 && L->rows_t[k] == L->t; k--)
        memcpy(L->rows_c + k * L->n_held, L->c, (size_t)L->n_held * sizeof(double));
    L->fresh = 0;
    L->t_end = t_end;
}

/* At the end of a segment: sample and continue to the next stop. 0 if this is for the caller to do: the run is over,
 * one of its samples is due, or a value is not finite, which the caller reports as an error. */
static int sample(struct loop *L) {
    if (!L->n_updates || L->t >= L->t_last) return 0;
    for (int64_t i = 0; i < L->n_updates; i++)
        if (!L->updates[i].f && due(L, i)) return 0;
    if (loop_sample(L)) return 0;
    loop_hold(L, loop_next_sample(L, L->t_last));
    return 1;
}

int64_t loop_advance(struct loop *L) {
    const double began = now();
    for (int64_t count = 1;; count++) {
        if (!L->pending) {
            if (L->t >= L->t_end && !sample(L)) return REACHED;
            if (L->n_rows >= L->capacity) return FULL;
            if (L->n_steps >= L->max_steps) return EXHAUSTED;
            if (count % 16 == 0 && now() - began > L->patience) return YIELD;
            const int64_t outcome = attempt(L);
            if (outcome == REJECTED) continue;
            if (outcome != REACHED) return outcome;
            if (crosses(L)) return CROSSING;
        }
        loop_accept(L);
    }
}
