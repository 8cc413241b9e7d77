/* Members of a rollout in lanes, over segments of the time: a segment is `count` steps of length h, the first of which
 * starts at anchor + first * h, and then, if it is not 0, one of length `rest`; its end is recorded in row `row` of
 * each member, unless that is negative. If `sample` is not negative, it is the row of the table of instants with which it
 * starts: held values are then set anew, and belong to the row `begin` if there is one. Members may have individual
 * clocks, to which these times are added. A member whose state stops being finite keeps its last good one, with its
 * status 1 + the number of the first state that is bad (1 + N_STATES: the constraints), and the time of that step; its
 * later rows are NaN, as are those of one that stops. The other lanes do not see it. */
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
    /* steps, and outcomes of the members */
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
    /* sampled values: each member then has individual held values, also in the record */
    int64_t n_updates;
    const struct update *updates;
    const int64_t *instants; /* table of numbers of instants, a column for each update; -1: not due */
    uint64_t seed;
    const int64_t *number; /* of each member, among those that share a seed */
    double *held_rows;
    /* solver of this thread for rows of constraints that depend on each other */
    struct beside beside;
    /* events at which members stop, where no others are watched; status -2 - k at event k */
    int64_t n_events;
    block events; /* (t, x, c, p) -> g */
    const int64_t *directions;
    double *events_work; /* that of `events`, and 2 n_events + 1 vectors */
    /* adaptive steps: how they are chosen, and N_PACE numbers of each member */
    struct tolerance tolerance;
    double *pace;
    /* where there are events: which members have not left their start, signs of all event functions, and the structure that
     * starts a member and takes it over a step outside of its lane (members.c); `first` is the number of the first one */
    int64_t *fresh;
    double *watched;
    int64_t (*begin)(void *steps, int64_t member, double *t, double h, double *x, const double *c, const double *p,
                     double *signs);
    int64_t (*sampled)(void *steps, int64_t member, double t, double h, double end, double *x, const double *c,
                       const double *p, double *signs);
    int64_t (*outside)(void *steps, int64_t member, double *t, double h, double end, double *x, const double *c,
                       const double *p, double *signs);
    void *steps;
    int64_t first;
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
const long JOIN(SYMBOL, _rollout_n_work) = (N_WORK + 3 * N_STATES + N_RATE + N_HELD + N_PARAMETERS + 2 * N_WATCHED + 2) * LANES;
EXPORT extern const long JOIN(SYMBOL, _rollout_width);
const long JOIN(SYMBOL, _rollout_width) = LANES;

/* Update all measures at the end of a step of length h; `slack` is the rounding error of a time. */
static void measure_members(const struct rollout *R, real t, real h, double slack, integer alive, const real *x, const real *c,
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

/* Run the updates that are due for a block of members, one after the other. */
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

/* Number of event functions that are watched. */
static int64_t n_signs(const struct rollout *R) {
#if WATCHES
    (void)R;
    return N_WATCHED;
#else
    return R->n_events;
#endif
}

/* Status of a member outside of its lane: 0 if it continues, else its status; the time is then that of its end. */
static void note_end(const struct rollout *R, int64_t i, int64_t status, double t) {
    if (status) R->status[i] = status, R->failed_at[i] = t;
}

/* Members that have not left their start: settle the active unilateral constraints there, and arm the events. Returns
 * those that can continue. */
static integer begin(const struct rollout *R, int64_t start, int64_t members, real t, double h, int64_t row, integer alive,
                     real *x, const real *c, const real *p, real *signs) {
    int some = 0;
    if (!R->fresh) return alive;
    for (int64_t i = 0; i < members; i++) {
        double *const one = R->beside.member, *const own = one + 2 * N_STATES + N_HELD + N_PARAMETERS, time = t[i];
        if (!R->fresh[start + i] || !alive[i]) continue;
        take_out(&R->beside, (int)i, x, c, p);
        const int64_t status = R->begin(R->steps, R->first + start + i, &time, h, one, one + 2 * N_STATES,
                                        one + 2 * N_STATES + N_HELD, own);
        note_end(R, start + i, status, time);
        R->fresh[start + i] = 0, some = 1;
        if (status) alive[i] = 0;
        for (int j = 0; j < N_STATES; j++) x[j][i] = one[j];
        for (int64_t e = 0; e < n_signs(R); e++) signs[e][i] = own[e];
    }
    if (some && row >= 0) put(R->rows, start, members, R->n_rows, row, N_STATES, alive, x);
    return alive;
}

#if ALONE || (WATCHES && !ADAPTIVE)
/* Apply the effects of the sampled values on members (`some`) at the start of a segment, as their next step would. */
static void settle_sampled(const struct rollout *R, int64_t start, int64_t members, real clock, const struct segment *seg,
                           integer some, integer alive, real *x, const real *c, const real *p, real *signs) {
    int changed = 0;
    for (int64_t i = 0; i < members; i++) {
        double *const one = R->beside.member, *const own = one + 2 * N_STATES + N_HELD + N_PARAMETERS;
        const double t = ADAPTIVE ? seg->anchor : clock[i] + (seg->anchor + (double)seg->first * seg->h);
        const double h = ADAPTIVE ? 0.0 : seg->count ? seg->h : seg->rest, end = ADAPTIVE ? seg->h : t + h;
        if (!some[i]) continue;
        take_out(&R->beside, (int)i, x, c, p);
        for (int64_t e = 0; e < n_signs(R); e++) own[e] = signs[e][i];
        if (!R->sampled(R->steps, R->first + start + i, t, h, end, one, one + 2 * N_STATES, one + 2 * N_STATES + N_HELD, own))
            continue;
        changed = 1;
        for (int j = 0; j < N_STATES; j++) x[j][i] = one[j];
        for (int64_t e = 0; e < n_signs(R); e++) signs[e][i] = own[e];
    }
    if (changed && seg->begin >= 0) put(R->rows, start, members, R->n_rows, seg->begin, N_STATES, alive, x);
}
#endif

/* Take members out of their lanes, one by one, over a step of length h from t to `end` (adaptive: towards it). `next` and
 * `signs` are then those at its end, and t is where each of them is. Returns those that cannot continue; those that
 * have stopped at an event are added to `stopped`. */
static integer leave(const struct rollout *R, int64_t start, int64_t members, integer leaves, real *t, double h, real end,
                     const real *x, const real *c, const real *p, real *next, real *signs, integer *stopped) {
    integer lost = J(0);
    for (int64_t i = 0; i < members; i++) {
        double *const one = R->beside.member, *const own = one + 2 * N_STATES + N_HELD + N_PARAMETERS, time = (*t)[i];
        if (!leaves[i]) continue;
        take_out(&R->beside, (int)i, x, c, p);
        for (int64_t e = 0; e < n_signs(R); e++) own[e] = signs[e][i];
        const int64_t status = R->outside(R->steps, R->first + start + i, &time, h, end[i], one, one + 2 * N_STATES,
                                          one + 2 * N_STATES + N_HELD, own);
        note_end(R, start + i, status, time);
        (*t)[i] = time;
        if (status > 0) lost[i] = -1;
        if (status < 0) (*stopped)[i] = -1;
        if (status > 0) continue;
        for (int j = 0; j < N_STATES; j++) next[j][i] = one[j];
        for (int64_t e = 0; e < n_signs(R); e++) signs[e][i] = own[e];
    }
    return lost;
}

#if !ALONE
/* Event functions at the end of a step, into g, and the lanes in which they cannot be evaluated. */
static integer event_functions(const struct rollout *R, real end, const real *next, const real *c, const real *p, real *g,
                               real *w) {
#if WATCHES
    real share;
    const real *const in[] = {&end, next, c, p};
    real *const out[] = {g, &share};
    (void)R;
    WATCH(in, out, w)
    return ~(share >= K(SHARE));
#else
    const void *const in[] = {&end, next, c, p};
    void *const out[] = {g};
    (void)w;
    R->events(in, out, g + R->n_events);
    return J(0);
#endif
}

#if WATCHES
static const double direction_of[] = {DIRECTIONS};
#define DIRECTION(R, e) direction_of[e]
#else
#define DIRECTION(R, e) ((double)(R)->directions[e])
#endif

/* Lanes in which an event function, g, has changed its sign. */
static integer crossing(const struct rollout *R, const real *g, const real *signs) {
    integer some = J(0);
    for (int64_t e = 0; e < n_signs(R); e++) {
        const real s = signs[e];
        some |= (s != K(0.0)) & ~(g[e] * s > K(0.0)) & (SPLAT(DIRECTION(R, e)) * s <= K(0.0));
    }
    return some;
}

/* Members in whose step from x at t to `next` at `end` an event function changes its sign leave their lanes (with fixed steps,
 * of length h); of the others the signs at its end are kept. Returns as `leave` does; t is then where those are that stop. */
static integer watch(const struct rollout *R, int64_t start, int64_t members, real *t, double h, real end, integer good,
                     const real *x, const real *c, const real *p, real *next, real *signs, real *g, real *w,
                     integer *stopped) {
    integer leaves = event_functions(R, end, next, c, p, g, w);
    leaves = good & (leaves | crossing(R, g, signs));
    const integer stays = good & ~leaves;
    for (int64_t e = 0; e < n_signs(R); e++) {
        const real sign = select_(g[e] > K(0.0), K(1.0), select_(g[e] < K(0.0), K(-1.0), K(0.0)));
        signs[e] = select_(stays, sign, signs[e]);
    }
    if (__builtin_expect(!any(leaves), 1)) return leaves;
    return leave(R, start, members, leaves, t, h, end, x, c, p, next, signs, stopped);
}
#endif

/* A block of members from a table with `stride` doubles each (0: one for all). */
static void load_members(const double *table, int64_t start, int64_t members, int64_t n, int64_t size, int64_t stride,
                         real *block) {
    if (stride) load_block(table + start * stride, members, size, stride, (n - start - 1) * stride + size, block);
    else
        for (int64_t j = 0; j < size; j++) block[j] = SPLAT(table[j]);
}

#if !ALONE
/* One step of each lane's length and the projection after it; returns the lanes that could be projected, or whose
 * iteration has converged. */
static inline integer advance(const struct rollout *R, real t, real h, integer alive, const real *x, const real *c,
                              const real *p, real *stage, real *rate, real *next, real *w) {
#if IMPLICIT
    (void)R;
    return midpoint_step(t, h, x, c, p, stage, rate, next, w, alive);
#else
    rollout_step(t, h, x, c, p, stage, rate, next, w, alive, &R->beside);
#endif
#if PROJECTS
    return rollout_project(t + h, alive, next, c, p, stage, w, &R->beside);
#elif !IMPLICIT
    return J(-1);
#endif
}
#endif

#if ALONE && ADAPTIVE
/* Integrate a block of members, each by itself, to the end of a segment (at seg->h). Returns those that are still alive. */
static integer adapt(const struct rollout *R, int64_t start, int64_t members, const struct segment *seg, double slack,
                     integer alive, real *x, const real *c, const real *p, real *signs) {
    real t = SPLAT(seg->anchor);
    for (int64_t i = members; i < LANES; i++) t[i] = seg->h; /* no member */
    for (;;) {
        const integer going = alive & (t < seg->h);
        const real before = t;
        integer stopped = J(0);
        if (!any(going)) return alive;
        alive &= ~leave(R, start, members, going, &t, 0.0, SPLAT(seg->h), x, c, p, x, signs, &stopped);
        if (R->n_measures && (R->every || any(stopped)))
            measure_members(R, t, R->every ? t - before : K(0.0), slack, alive & (R->every ? going : stopped), x, c, p);
        alive &= ~stopped;
    }
}
#elif ADAPTIVE
/* Integrate a block of members to the end of a segment (at seg->h), each with individual steps. Returns those that are
 * still alive. */
static integer adapt(const struct rollout *R, int64_t start, int64_t members, const struct segment *seg, double slack,
                     integer alive, real *x, const real *c, const real *p, real *stage, real *rate, real *next, real *signs,
                     real *w) {
    const struct tolerance *const T = &R->tolerance;
    const double target = seg->h;
    real *const slope = rate + STAGES * N_STATES, *const last = rate + (STAGES - 1) * N_STATES;
    real t = SPLAT(seg->anchor), pace[N_PACE], planned[N_PACE]; /* planned: before the first try of a step */
    integer begins = J(-1);
    load_members(R->pace, start, members, R->n, N_PACE, N_PACE, pace);
    derivative(t, x, c, p, slope, w, &R->beside);
    for (int j = 0; j < N_PACE; j++) planned[j] = pace[j];
    const integer fresh = pace[TO_TRY] == 0.0;
    if (any(fresh)) {
        for (int j = 0; j < N_STATES; j++) rate[j] = slope[j];
        const real first = first_step(T, t, T->t_end - seg->anchor, x, c, p, stage, rate, w, &R->beside);
        pace[TO_TRY] = select_(fresh, first, pace[TO_TRY]);
    }
    for (;;) {
        const integer going = alive & (t < target);
        if (!any(going)) break;
        const integer tiny = going & too_short(pace[TO_TRY], t), many = going & ~tiny & (pace[TRIES] >= T->max_steps);
        if (__builtin_expect(any(tiny | many), 0)) {
            for (int64_t i = 0; i < members; i++) {
                if (!(tiny[i] | many[i])) continue;
                int worst = 0; /* which changes fastest */
                for (int j = 1; j < N_STATES; j++)
                    if (counted[j] * slope[j][i] * slope[j][i] > counted[worst] * slope[worst][i] * slope[worst][i]) worst = j;
                R->status[start + i] = many[i] ? 2 + N_STATES : 1 + worst;
                R->failed_at[start + i] = t[i];
            }
            alive &= ~(tiny | many);
            continue;
        }
        for (int j = 0; j < N_PACE; j++) planned[j] = select_(begins & going, pace[j], planned[j]);
        begins &= ~going;
        integer landed, stopped = J(0);
        const real length = select_(going, length_of(T, pace, t, target, &landed), K(0.0));
        const real end = select_(landed, SPLAT(target), t + length);
        const real error = attempt(T, t, length, x, c, p, slope, stage, rate, next, w, &R->beside);
        integer taken = going & (error <= 1.0);
        const real before = t;
        real there = end;
        choose(length, error, going, pace);
        for (int j = 0; j < N_STATES; j++) slope[j] = select_(taken, last[j], slope[j]);
        normalise(next);
        if (R->n_events && any(taken)) {
            store_block(R->pace + start * N_PACE, members, N_PACE, N_PACE, planned);
            real where = t;
            const integer lost = watch(R, start, members, &where, 0.0, end, taken, x, c, p, next, signs, signs + R->n_events,
                                       w, &stopped);
            there = select_(stopped, where, end);
            alive &= ~lost, taken &= ~lost;
        }
        begins |= taken;
        for (int j = 0; j < N_STATES; j++) x[j] = select_(taken, next[j], x[j]);
        t = select_(taken, there, t);
        if (R->n_measures && (R->every || any(stopped)))
            measure_members(R, t, R->every ? t - before : K(0.0), slack, R->every ? taken : stopped, x, c, p);
        alive &= ~stopped;
    }
    store_block(R->pace + start * N_PACE, members, N_PACE, N_PACE, pace);
    return alive;
}
#endif

EXPORT void JOIN(SYMBOL, _rollout)(const struct rollout *R) {
    const int64_t n = R->n, m = R->n_measures;
    real *const w = aligned(R->work), *const x = w + N_WORK, *const next = x + N_STATES, *const stage = next + N_STATES;
    real *const rate = stage + N_STATES, *const c = rate + N_RATE, *const p = c + N_HELD;
#if WATCHES
    real *const signs = p + N_PARAMETERS;
#else
    real *const signs = R->n_events ? aligned(R->events_work) : 0;
#endif
#if !ALONE && !ADAPTIVE
    real *const g = signs + n_signs(R);
#endif
    real *const values = m ? aligned(R->measure_work) : 0;
    for (int64_t start = 0; start < n; start += LANES) {
        const int64_t members = n - start < LANES ? n - start : LANES;
        int64_t *const status = R->status + start;
        integer alive = J(-1);
        real clock = K(0.0), t = K(0.0);
        double slack = 0.0;
        forget_rates(rate);
        load_members(R->state, start, members, n, N_STATES, N_STATES, x);
        load_members(R->held, start, members, n, N_HELD, R->held_stride, c);
        load_members(R->parameters, start, members, n, N_PARAMETERS, R->p_stride, p);
        if (n_signs(R)) load_members(R->watched, start, members, n, n_signs(R), n_signs(R), signs);
        if (R->clock) load_members(R->clock, start, members, n, 1, 1, &clock);
        for (int64_t i = 0; i < LANES; i++)
            if (status[i < members ? i : members - 1]) alive[i] = 0;
        if (R->n_segments && R->segments->sample < 0)
            alive = begin(R, start, members, clock + SPLAT(R->segments->anchor), R->segments->h, R->segments->begin, alive, x,
                          c, p, signs);
        if (m) {
            load_members(R->values, start, members, n, 2 * m, 2 * m, values);
            const struct segment *const seg = R->segments;
            t = clock + SPLAT(seg->anchor + (double)seg->first * seg->h);
            slack = 1e-9 * (ADAPTIVE ? seg->rest : seg->h);
            if (R->every && seg->sample < 0) measure_members(R, t, K(0.0), slack, alive, x, c, p);
        }
        for (int64_t s = 0; s < R->n_segments; s++) {
            const struct segment *const seg = R->segments + s;
            const int64_t steps = seg->count + (seg->rest > 0.0);
            if (seg->sample >= 0) {
                sample(R, start, members, seg, clock, alive, x, c, p);
                alive = begin(R, start, members, clock + SPLAT(seg->anchor), seg->h, seg->begin, alive, x, c, p, signs);
#if ALONE || (WATCHES && !ADAPTIVE)
                if (R->sampled && n_signs(R) && any(alive) && (seg->begin >= 0 || (m && R->every))) {
                    integer some = alive;
#if !ALONE
                    some &= event_functions(R, clock + SPLAT(seg->anchor), x, c, p, g, w) | crossing(R, g, signs);
#endif
                    if (any(some)) settle_sampled(R, start, members, clock, seg, some, alive, x, c, p, signs);
                }
#endif
                if (seg->begin >= 0) put(R->held_rows, start, members, R->n_rows, seg->begin, N_HELD, alive, c);
                if (m && R->every) measure_members(R, clock + SPLAT(seg->anchor), K(0.0), slack, alive, x, c, p);
            }
#if ADAPTIVE && ALONE
            alive = adapt(R, start, members, seg, slack, alive, x, c, p, signs);
            t = SPLAT(seg->h);
            (void)steps, (void)next;
#elif ADAPTIVE
            alive = adapt(R, start, members, seg, slack, alive, x, c, p, stage, rate, next, signs, w);
            t = SPLAT(seg->h);
            (void)steps, (void)clock;
#else
            for (int64_t k = 0; k < steps && any(alive); k++) {
                const double at = seg->anchor + (double)(seg->first + k) * seg->h;
                const double h = k < seg->count ? seg->h : seg->rest;
                t = clock + SPLAT(at);
                integer good = J(-1), stopped = J(0);
                real time = t;
#if ALONE
                alive &= ~leave(R, start, members, alive, &time, h, t + SPLAT(h), x, c, p, next, signs, &stopped);
#else
                good = advance(R, t, SPLAT(h), alive, x, c, p, stage, rate, next, w);
                for (int j = 0; j < N_STATES; j++) good &= (next[j] - next[j]) == K(0.0);
                if (n_signs(R))
                    alive &= ~watch(R, start, members, &time, h, t + SPLAT(h), alive & good, x, c, p, next, signs, g, w,
                                    &stopped);
#endif
                const real length = select_(stopped, time - t, SPLAT(h));
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
                    t = select_(stopped, t + length, clock + SPLAT(at + h));
                    if (R->every) measure_members(R, t, length, slack, alive, x, c, p);
                    else if (any(stopped)) measure_members(R, t, K(0.0), slack, stopped, x, c, p);
                }
                alive &= ~stopped;
            }
#endif
            if (seg->row < 0) continue;
            put(R->rows, start, members, R->n_rows, seg->row, N_STATES, alive, x);
            if (R->n_updates) put(R->held_rows, start, members, R->n_rows, seg->row, N_HELD, alive, c);
        }
        if (m) {
            if (!R->every) measure_members(R, t, K(0.0), slack, alive, x, c, p);
            store_block(R->values + start * 2 * m, members, 2 * m, 2 * m, values);
        }
        store_block(R->state + start * N_STATES, members, N_STATES, N_STATES, x);
        if (n_signs(R)) store_block(R->watched + start * n_signs(R), members, n_signs(R), n_signs(R), signs);
        if (R->n_updates) store_block(R->held + start * N_HELD, members, N_HELD, N_HELD, c);
    }
}
