/* Members of a rollout one after another, after members.c: lanes_rollout.c at the width 1, with tapes that
 * are functions. Each step is one of members.c. */
#define K(x) (x)
#define MASK int64_t
#include "measures.h"

/* As in lanes_rollout.c. */
struct segment {
    double anchor, h, rest;
    int64_t first, count, row, begin, sample;
};

struct singles {
    struct members *steps;
    /* of all members: as in lanes_rollout.c */
    double *state, *held;
    int64_t held_stride;
    const double *parameters;
    int64_t p_stride;
    const double *clock;
    int64_t *fresh;
    double *watched;
    int64_t *status;
    double *failed_at, *rows;
    int64_t n_rows;
    int64_t n_measures, every;
    kernel measure; /* (t, x, c, p) -> y */
    double *measure_work;
    const int64_t *kinds;
    const double *since, *until;
    double *values;
    int64_t n_updates;
    const struct update *updates; /* functions, their memory, and the values that they set */
    const int64_t *instants;
    int64_t seed;
    const int64_t *number;
    double *held_rows;
    /* memory of this thread: n_measures numbers twice, and a state */
    double *before, *y, *kept;
};

/* A member as its steps see it. */
struct one {
    int64_t i;
    double *x, *c, *signs;
    const double *p;
};

static void measure_at(const struct singles *R, const struct one *O, double t, double h, double slack) {
    const int64_t n = R->n_measures;
    double *const value = R->values + O->i * 2 * n, *const seen = value + n;
    const double *const in[] = {&t, O->x, O->c, O->p};
    double *const out[] = {R->y};
    R->measure(in, out, R->measure_work);
    for (int64_t j = 0; j < n; j++) {
        const double since = R->since[j] - slack, until = R->until[j] + slack;
        const int64_t on = t >= since && t <= until;
        reduce(R->kinds[j], t, h, R->y[j], R->before + j, on, on && t - h >= since && h > 0.0, value + j, seen + j);
    }
}

static void put_row(double *rows, const struct singles *R, int64_t i, int64_t row, int64_t size, const double *values) {
    double *const to = rows + (i * R->n_rows + row) * size;
    for (int64_t j = 0; j < size; j++) to[j] = R->status[i] ? NAN : values[j];
}

/* Run the updates that are due, one after the other. */
static void sample_at(const struct singles *R, const struct one *O, double t, const int64_t *instant_) {
    for (int64_t k = 0; k < R->n_updates; k++) {
        const struct update *const U = R->updates + k;
        const double *const in[] = {&t, O->x, O->c, O->p, U->w};
        double *const out[] = {U->values};
        if (instant_[k] < 0) continue;
        if (U->n_noise)
            draw((uint64_t)R->seed, (word)R->number[O->i], (uint32_t)U->stream, (uint64_t)instant_[k], (int)U->n_noise, U->w);
        U->f(in, out, U->work);
        for (int64_t j = 0; j < U->n; j++) O->c[U->rows[j]] = U->values[j];
    }
}

/* A member that has not left its start: settle its active unilateral constraints, and arm its events. */
static void begin_at(const struct singles *R, const struct one *O, double t, double h, int64_t row) {
    if (!R->fresh[O->i] || R->status[O->i]) return;
    const int64_t status = members_begin(R->steps, O->i, &t, h, O->x, O->c, O->p, O->signs);
    if (status) R->status[O->i] = status, R->failed_at[O->i] = t;
    R->fresh[O->i] = 0;
    if (row >= 0) put_row(R->rows, R, O->i, row, R->steps->watch->loop->n, O->x);
}

/* Apply the effects of the sampled values at the start of a segment, where they matter. */
static void sampled_at(const struct singles *R, const struct one *O, double clock, const struct segment *seg) {
    const struct loop *const L = R->steps->watch->loop;
    const double t = L->adaptive ? seg->anchor : clock + (seg->anchor + (double)seg->first * seg->h);
    const double h = L->adaptive ? 0.0 : seg->count ? seg->h : seg->rest, end = L->adaptive ? seg->h : t + h;
    if (R->status[O->i] || !L->n_events || !(seg->begin >= 0 || (R->n_measures && R->every))) return;
    if (!members_sampled(R->steps, O->i, t, h, end, O->x, O->c, O->p, O->signs)) return;
    if (seg->begin >= 0) put_row(R->rows, R, O->i, seg->begin, L->n, O->x);
}

/* A step of length h (adaptive: of its own) from *t towards `end`: after it *t is where the member is. One that cannot
 * continue stays where it was. */
static void step_to(const struct singles *R, const struct one *O, double *t, double h, double end) {
    const int64_t n = R->steps->watch->loop->n;
    const size_t size = (size_t)n * sizeof(double);
    const double start = *t;
    memcpy(R->kept, O->x, size);
    int64_t status = members_step(R->steps, O->i, t, h, end, O->x, O->c, O->p, O->signs);
    for (int64_t j = n - 1; j >= 0 && status <= 0; j--)
        if (!isfinite(O->x[j])) status = 1 + j, *t = start;
    if (status) R->status[O->i] = status, R->failed_at[O->i] = *t;
    if (status > 0) memcpy(O->x, R->kept, size);
}

/* Member i over some segments of the plan. */
void singles_run(const struct singles *R, int64_t i, int64_t n_segments, const struct segment *segments) {
    const struct loop *const L = R->steps->watch->loop;
    const int64_t m = R->n_measures, *const status = R->status + i;
    const double clock = R->clock ? R->clock[i] : 0.0;
    const double slack = 1e-9 * (L->adaptive ? segments->rest : segments->h);
    const struct one one = {
        i, R->state + i * L->n, R->held + i * R->held_stride, R->watched + i * L->n_events, R->parameters + i * R->p_stride,
    }, *const O = &one;
    double t = clock + (segments->anchor + (double)segments->first * segments->h);
    R->steps->guess_of = i; /* rates of its last step, but none of an earlier call: members do not depend on each other */
    if (R->steps->guess_at) *R->steps->guess_at = NAN;
    if (segments->sample < 0) {
        begin_at(R, O, clock + segments->anchor, segments->h, segments->begin);
        if (m && R->every && !*status) measure_at(R, O, L->adaptive ? segments->anchor : t, 0.0, slack);
    }
    for (int64_t s = 0; s < n_segments; s++) {
        const struct segment *const seg = segments + s;
        const int64_t steps = seg->count + (seg->rest > 0.0);
        if (seg->sample >= 0) {
            if (!*status) sample_at(R, O, clock + seg->anchor, R->instants + seg->sample * R->n_updates);
            begin_at(R, O, clock + seg->anchor, seg->h, seg->begin);
            sampled_at(R, O, clock, seg);
            if (seg->begin >= 0) put_row(R->held_rows, R, i, seg->begin, L->n_held, O->c);
            if (m && R->every && !*status) measure_at(R, O, clock + seg->anchor, 0.0, slack);
        }
        if (L->adaptive) {
            for (t = seg->anchor; !*status && t < seg->h;) {
                const double before = t;
                step_to(R, O, &t, 0.0, seg->h);
                if (!m || *status > 0) continue;
                if (R->every) measure_at(R, O, t, t - before, slack);
                else if (*status) measure_at(R, O, t, 0.0, slack);
            }
        } else {
            for (int64_t k = 0; k < steps && !*status; k++) {
                const double at = seg->anchor + (double)(seg->first + k) * seg->h, start = clock + at;
                const double h = k < seg->count ? seg->h : seg->rest;
                t = start;
                step_to(R, O, &t, h, start + h);
                if (!*status) t = clock + (at + h);
                if (!m || *status > 0) continue;
                if (R->every) measure_at(R, O, t, *status ? t - start : h, slack);
                else if (*status) measure_at(R, O, t, 0.0, slack);
            }
        }
        if (seg->row < 0) continue;
        put_row(R->rows, R, i, seg->row, L->n, O->x);
        if (R->n_updates) put_row(R->held_rows, R, i, seg->row, L->n_held, O->c);
    }
    if (m && !R->every && !*status) measure_at(R, O, t, 0.0, slack);
}
