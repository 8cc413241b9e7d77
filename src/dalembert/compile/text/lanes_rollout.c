/* Members of a rollout in lanes, over segments of the time: a segment is `count` steps of length h, the first of which
 * starts at anchor + first * h, and then, if it is not 0, one of length `rest`; its end is recorded in row `row` of
 * each member, unless that is negative. If `sample` is not negative, it is the row of the table of instants with which it
 * starts: held values are then set anew, and belong to the row `begin` if there is one. Members may have clocks of their own, to which these times are added. A member
 * whose state stops being finite keeps its last good one, with its status 1 + the number of the first state that is
 * bad (1 + N_STATES: the constraints), and the time of that step; its later rows are NaN. The other lanes do not see
 * it. */
struct segment {
    double anchor, h, rest;
    int64_t first, count, row, begin, sample;
};

/* A function of lanes from another library: one block of vectors (SYM_block of lanes_entries.c). */
typedef void (*block)(const void *const *in, void *const *out, void *work);

/* Some of the held values, set anew by (t, x, c, p, w) -> values with normal random numbers w, an even number of them. */
struct update {
    block function;
    int64_t n_rows;
    const int64_t *rows;
    int64_t n_noise, stream;
};

struct rollout {
    /* members */
    int64_t n;
    double *state;
    double *held; /* stride 0: the same for all; parameters likewise */
    int64_t held_stride;
    const double *parameters;
    int64_t p_stride;
    const double *clock; /* 0: none */
    /* steps, and what became of the members */
    int64_t n_segments;
    const struct segment *segments;
    int64_t *status;
    double *failed_at, *rows;
    int64_t n_rows;
    /* measures: 0 or more, looked at after every step or in the end only */
    int64_t n_measures, every;
    block measure; /* (t, x, c, p) -> y */
    const int64_t *kinds;
    const double *since, *until;
    double *values; /* of each member: the values, then how much of it was seen (the time, 1 or 0) */
    /* what is sampled: each member then has held values of its own, also in the record */
    int64_t n_updates;
    const struct update *updates;
    const int64_t *instants; /* table of numbers of instants, a column for each update; -1: not due */
    uint64_t seed;
    const int64_t *number; /* of each member, among those that share a seed */
    double *held_rows;
    /* who solves again where rows of constraints depend on each other, in this thread */
    struct beside beside;
    /* memory of this thread: SYM_rollout_n_work doubles; those of `measure` and 4 n_measures + 1 vectors; for the
     * updates most random numbers, most rows, most work of one of them, and a vector */
    int64_t most_noise, most_rows;
    double *work, *measure_work, *sample_work;
};
EXPORT extern const long JOIN(SYMBOL, _rollout_size);
const long JOIN(SYMBOL, _rollout_size) = sizeof(struct rollout);

static real *aligned(double *work) {
    return (real *)(((uintptr_t)work + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

EXPORT extern const long JOIN(SYMBOL, _rollout_n_work);
const long JOIN(SYMBOL, _rollout_n_work) = (N_WORK + 4 * N_STATES + N_HELD + N_PARAMETERS + 2) * LANES;
EXPORT extern const long JOIN(SYMBOL, _rollout_width);
const long JOIN(SYMBOL, _rollout_width) = LANES;

/* Look at all measures at the end of a step of length h; `slack` is what rounding may do to a time. */
static void look(const struct rollout *R, real t, real h, double slack, integer alive, const real *x, const real *c,
                 const real *p) {
    const int64_t n = R->n_measures;
    real *const value = aligned(R->measure_work), *const seen = value + n, *const y = seen + n, *const before = y + n;
    const void *const in[] = {&t, x, c, p};
    void *const out[] = {y};
    R->measure(in, out, before + n);
    for (int64_t j = 0; j < n; j++) {
        const real since = SPLAT(R->since[j] - slack), until = SPLAT(R->until[j] + slack);
        const integer on = alive & (t >= since) & (t <= until);
        reduce(R->kinds[j], t, h, y[j], before + j, on, on & (t - h >= since) & (h > K(0.0)), value + j, seen + j);
    }
}

/* Set anew what is due for a block of members, one update after the other. */
static void sample(const struct rollout *R, int64_t start, int64_t members, const struct segment *seg, real clock,
                   integer alive, const real *x, real *c, const real *p) {
    real *const w = aligned(R->sample_work), *const new_ = w + R->most_noise, *const work = new_ + R->most_rows;
    const int64_t *const instant_ = R->instants + seg->sample * R->n_updates;
    const real t = clock + SPLAT(seg->anchor);
    word number;
    for (int64_t i = 0; i < LANES; i++) number[i] = (uint64_t)R->number[start + (i < members ? i : members - 1)];
    for (int64_t k = 0; k < R->n_updates; k++) {
        const struct update *const U = R->updates + k;
        const void *const in[] = {&t, x, c, p, w};
        void *const out[] = {new_};
        if (instant_[k] < 0) continue;
        draw(R->seed, number, (uint32_t)U->stream, (uint64_t)instant_[k], (int)U->n_noise, w);
        U->function(in, out, work);
        for (int64_t j = 0; j < U->n_rows; j++) c[U->rows[j]] = select_(alive, new_[j], c[U->rows[j]]);
    }
}

/* A row of the record: values of the members that are alive. */
static void put(double *rows, int64_t start, int64_t members, int64_t n_rows, int64_t row, int size, integer alive,
                const real *values) {
    for (int64_t i = 0; i < members; i++) {
        double *const target = rows + ((start + i) * n_rows + row) * size;
        for (int j = 0; j < size; j++) target[j] = alive[i] ? values[j][i] : NAN;
    }
}

/* A block of members from a table with `stride` doubles each (0: one for all). */
static void load_members(const double *table, int64_t start, int64_t members, int64_t n, int64_t size, int64_t stride,
                         real *block) {
    if (stride) load_block(table + start * stride, members, size, stride, (n - start - 1) * stride + size, block);
    else
        for (int64_t j = 0; j < size; j++) block[j] = SPLAT(table[j]);
}

EXPORT void JOIN(SYMBOL, _rollout)(const struct rollout *R) {
    const int64_t n = R->n, m = R->n_measures;
    real *const w = aligned(R->work), *const x = w + N_WORK, *const next = x + N_STATES, *const stage = next + N_STATES;
    real *const rate = stage + N_STATES, *const c = rate + N_STATES, *const p = c + N_HELD;
    real *const values = m ? aligned(R->measure_work) : 0;
    for (int64_t start = 0; start < n; start += LANES) {
        const int64_t members = n - start < LANES ? n - start : LANES;
        int64_t *const status = R->status + start;
        integer alive = J(-1);
        real clock = K(0.0), t = K(0.0);
        double slack = 0.0;
        load_members(R->state, start, members, n, N_STATES, N_STATES, x);
        load_members(R->held, start, members, n, N_HELD, R->held_stride, c);
        load_members(R->parameters, start, members, n, N_PARAMETERS, R->p_stride, p);
        if (R->clock) load_members(R->clock, start, members, n, 1, 1, &clock);
        for (int64_t i = 0; i < LANES; i++)
            if (status[i < members ? i : members - 1]) alive[i] = 0;
        if (m) {
            load_members(R->values, start, members, n, 2 * m, 2 * m, values);
            const struct segment *const seg = R->segments;
            t = clock + SPLAT(seg->anchor + (double)seg->first * seg->h);
            slack = 1e-9 * seg->h;
            if (R->every && seg->sample < 0) look(R, t, K(0.0), slack, alive, x, c, p);
        }
        for (int64_t s = 0; s < R->n_segments; s++) {
            const struct segment *const seg = R->segments + s;
            const int64_t steps = seg->count + (seg->rest > 0.0);
            if (seg->sample >= 0) {
                sample(R, start, members, seg, clock, alive, x, c, p);
                if (seg->begin >= 0) put(R->held_rows, start, members, R->n_rows, seg->begin, N_HELD, alive, c);
                if (m && R->every) look(R, clock + SPLAT(seg->anchor), K(0.0), slack, alive, x, c, p);
            }
            for (int64_t k = 0; k < steps && any(alive); k++) {
                const double at = seg->anchor + (double)(seg->first + k) * seg->h;
                const double h = k < seg->count ? seg->h : seg->rest;
                t = clock + SPLAT(at);
                rollout_step(t, SPLAT(h), x, c, p, stage, rate, next, w, alive, &R->beside);
                integer good = J(-1);
#if PROJECTS
                good = rollout_project(t + SPLAT(h), alive, next, c, p, stage, w, &R->beside);
#endif
                for (int j = 0; j < N_STATES; j++) good &= (next[j] - next[j]) == K(0.0);
                if (__builtin_expect(any(alive & ~good), 0)) {
                    for (int64_t i = 0; i < members; i++) {
                        if (!alive[i] || good[i]) continue;
                        status[i] = 1 + N_STATES;
                        for (int j = N_STATES - 1; j >= 0; j--)
                            if (!(next[j][i] - next[j][i] == 0.0)) status[i] = 1 + j;
                        R->failed_at[start + i] = t[i];
                    }
                    alive &= good;
                }
                for (int j = 0; j < N_STATES; j++) x[j] = select_(alive, next[j], x[j]);
                if (m) {
                    t = clock + SPLAT(k < seg->count ? at + h : at + seg->rest);
                    if (R->every) look(R, t, SPLAT(h), slack, alive, x, c, p);
                }
            }
            if (seg->row < 0) continue;
            put(R->rows, start, members, R->n_rows, seg->row, N_STATES, alive, x);
            if (R->n_updates) put(R->held_rows, start, members, R->n_rows, seg->row, N_HELD, alive, c);
        }
        if (m) {
            if (!R->every) look(R, t, K(0.0), slack, alive, x, c, p);
            store_block(R->values + start * 2 * m, members, 2 * m, 2 * m, values);
        }
        store_block(R->state + start * N_STATES, members, N_STATES, N_STATES, x);
        if (R->n_updates) store_block(R->held + start * N_HELD, members, N_HELD, N_HELD, c);
    }
}
