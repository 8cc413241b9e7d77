/* One member of a rollout per thread: `count` steps of length h, the first of which starts at anchor + first * h, and
 * then, if it is not 0, one of length `rest`. A member whose state stops being finite keeps its last good one, with
 * its status 1 + the number of the first state that is bad (1 + N_STATES: the constraints; -1: rows of them depend on
 * each other, or a fast pair has to be swept, so that it has to be simulated elsewhere), and the time of that step.
 * Arrays are structures of arrays: element e of member i lies at e * n + i, except for held values and parameters,
 * whose strides are given. `clock` holds times of the members to which those of the steps are added, or is 0. With
 * N_MEASURES, `values` holds the reduced values and then how much was seen of each; EVERY selects all steps, or only
 * the end. With N_UPDATES and a table `due` of numbers of instants (-1: not due) held values are set anew first, by
 * UPDATES; those of the row at the start, and of that at the end, go to `held_begin` and `held_row`, unless they are 0.
 * For ADAPTIVE methods h is the time up to which members go, and `rest` how long that is. A thread makes at most
 * `tries` steps; unfinished members set `going`, are at `reached` (NaN: at the start) with the derivative `slopes`, and
 * continue in another launch. With WATCHES events change members. A thread checks the signs of their functions
 * (`watched`) as lanes do; a member whose step contains a change, or whose step cannot be taken here, is queued in the
 * desk with its state before that step, with its number in `left`. The processor takes it over the step (members.c),
 * and another launch takes the `n_back` members `back` from the queue and continues with them. With `samples` members
 * are sampled alone. With COLLIDERS each member has N_WORLD numbers of `worlds`: the structures of its steps and their arrays
 * (engine/collide/worlds.py). */
#if N_MEASURES
TABLE int kind_of[] = {KINDS};
TABLE double since_of[] = {SINCE}, until_of[] = {UNTIL};

FUNCTION void measure_member(double t, double h, double slack, const real *x, const real *c, const real *p, real *before,
                   real *value, real *seen, real *w) {
    real y[N_MEASURES];
    const real time = (real)t;
    const real *const in[] = {&time, x, c, p};
    real *const out[] = {y};
    MEASURE(in, out, w)
    UNROLL
    for (int j = 0; j < N_MEASURES; j++) {
        const double since = since_of[j] - slack, until = until_of[j] + slack;
        const bool on = t >= since && t <= until;
        reduce(kind_of[j], time, (real)h, y[j], before + j, on, on && t - h >= since && h > 0.0, value + j, seen + j);
    }
}
#endif

#if N_UPDATES
FUNCTION void sample(double t, uint64_t seed, uint64_t number, const long long *due, const real *x, real *c, const real *p,
                     real *w) {
    real noise[MOST_NOISE + 1], new_[MOST_UPDATED];
    const real time = (real)t;
    const real *const in[] = {&time, x, c, p, noise};
    real *const out[] = {new_};
    UPDATES
}
#endif

#if WATCHES
#define SAMPLES_AND_LEAVES 2 /* a launch that samples, and leaves the resulting events to the processor */

/* A row of the desk, as in members.c; then the state, signs, held values, pace, and the measures before the step. */
enum { DESK_CLOCK, DESK_T, DESK_LENGTH, DESK_STEP, DESK_STATUS, DESK_STATE };
#define DESK_SIGNS (DESK_STATE + N_STATES)
#define DESK_HELD (DESK_SIGNS + N_WATCHED)
#define DESK_PACE (DESK_HELD + N_HELD)
#define DESK_BEFORE (DESK_PACE + (ADAPTIVE ? N_PACE : 0))
#define DESK_SIZE (DESK_BEFORE + N_MEASURES)
#endif
#if N_WATCHED
TABLE double direction_of[] = {DIRECTIONS};

/* Whether an event function changes its sign in a step that ends at t in `next`, or cannot be evaluated; if not, the
 * signs there are kept. */
FUNCTION bool leaves(double t, const real *next, const real *c, const real *p, real *signs, real *w) {
    const real time = (real)t;
    real g[N_WATCHED], share;
    const real *const in[] = {&time, next, c, p};
    real *const out[] = {g, &share};
    WATCH(in, out, w)
    bool changes = !(share >= K(SHARE));
    UNROLL
    for (int e = 0; e < N_WATCHED; e++)
        changes |= signs[e] != K(0) && !(g[e] * signs[e] > K(0)) && (real)direction_of[e] * signs[e] <= K(0);
    UNROLL
    for (int e = 0; e < N_WATCHED; e++)
        if (!changes) signs[e] = g[e] > K(0) ? K(1) : g[e] < K(0) ? K(-1) : K(0);
    return changes;
}
#elif WATCHES
#define leaves(t, next, c, p, signs, w) false
#endif

/* One step and the projection after it; false: the constraints could not be kept, or the iteration did not converge. */
FUNCTION bool advance(double t, double h, const real *x, const real *c, const real *p, real *stage, real *rate, real *next,
                      real *w, const struct beside *B) {
#if COLLIDERS
    const int failed = engine::articulated_step(rate, t, h, x, c, p, next);
    normalise(next);
    return !failed;
#elif IMPLICIT
    return midpoint_step(t, h, x, c, p, stage, rate, next, w, true);
#else
    rollout_step(t, h, x, c, p, stage, rate, next, w, true, B);
#endif
#if PROJECTS
    return rollout_project(t + h, true, next, c, p, stage, w, B);
#elif !IMPLICIT && !COLLIDERS
    return true;
#endif
}

extern "C" __global__ void BOUNDS JOIN(SYMBOL, _rollout)(
    long long n, real *state, real *held, long long c_element, long long c_row, const real *parameters,
    long long p_element, long long p_row, const double *clock, double anchor, double h, long long first,
    long long count, double rest, int *status, double *failed_at, real *row, real *values,
    const long long *due, uint64_t seed, const long long *number, real *held_begin, real *held_row
#if ADAPTIVE
    ,
    const double *atol, double rtol, double max_step, double max_steps, double t_end, double *paces, double *reached,
    real *slopes, long long tries, int *going
#endif
#if WATCHES
    ,
    real *watched, const int *back, long long n_back, const double *desk, int *left, int *n_left, double *lying,
    long long samples
#endif
#if COLLIDERS
    ,
    double *worlds
#endif
) {
    const long long slot = (long long)blockIdx.x * blockDim.x + threadIdx.x;
#if WATCHES
    if (slot >= (back ? n_back : n)) return;
    const long long i = back ? back[slot] : slot;
    const double *const taken = back ? desk + slot * DESK_SIZE : 0; /* state of the member after its step on the processor */
    bool away = false;
#else
    if (slot >= n) return;
    const long long i = slot;
    const double *const taken = 0;
    const bool away = false;
#endif
#if ADAPTIVE
    if (!taken && reached[i] >= h) return;
#endif
    real x[N_STATES], stage[N_STATES], next[N_STATES], c[N_HELD + 1], p[N_PARAMETERS + 1], w[N_WORK + 1];
#if COLLIDERS
    real *const rate = worlds + i * N_WORLD;
#else
    real rate[N_RATE];
#endif
    const double own = clock ? clock[i] : 0.0;
    int bad = status[i];
    forget_rates(rate);
    UNROLL
    for (int j = 0; j < N_STATES; j++) x[j] = state[j * n + i];
#if WATCHES
    real sign_of[N_WATCHED + 1];
    UNROLL
    for (int e = 0; e < N_WATCHED; e++) sign_of[e] = watched[e * n + i];
    if (taken) {
        bad = (int)taken[DESK_STATUS];
        if (bad) failed_at[i] = taken[DESK_T];
        UNROLL
        for (int j = 0; j < N_STATES; j++) x[j] = (real)taken[DESK_STATE + j];
        UNROLL
        for (int e = 0; e < N_WATCHED; e++) sign_of[e] = (real)taken[DESK_SIGNS + e];
    }
#endif
    UNROLL
    for (int j = 0; j < N_HELD; j++) c[j] = held[j * c_element + i * c_row];
    UNROLL
    for (int j = 0; j < N_PARAMETERS; j++) p[j] = parameters[j * p_element + i * p_row];
#if N_UPDATES
    if (due && !bad) sample(own + anchor, seed, (uint64_t)number[i], due, x, c, p, w);
    UNROLL
    for (int j = 0; j < N_HELD; j++)
        if (held_begin) held_begin[j * n + i] = bad ? K(NAN) : c[j];
#if WATCHES
    if (samples) {
        UNROLL
        for (int j = 0; j < N_HELD; j++) held[j * c_element + i * c_row] = c[j];
        /* members with an event at the new values leave for the processor */
        const double instant = ADAPTIVE ? anchor : own + (anchor + (double)first * h);
        if (samples == SAMPLES_AND_LEAVES && !bad && leaves(instant, x, c, p, sign_of, w)) {
            const int place = atomicAdd(n_left, 1);
            double *const own_row = lying + (long long)place * DESK_SIZE;
            left[place] = (int)i;
            own_row[DESK_CLOCK] = own, own_row[DESK_T] = instant, own_row[DESK_STATUS] = 0.0;
            UNROLL
            for (int j = 0; j < N_STATES; j++) own_row[DESK_STATE + j] = x[j];
            UNROLL
            for (int e = 0; e < N_WATCHED; e++) own_row[DESK_SIGNS + e] = watched[e * n + i];
            UNROLL
            for (int j = 0; j < N_HELD; j++) own_row[DESK_HELD + j] = c[j];
        }
        return;
    }
#endif
#endif
#if N_MEASURES
    real before[N_MEASURES], value[N_MEASURES], seen[N_MEASURES];
    const double slack = 1e-9 * (ADAPTIVE ? rest : h);
#if ADAPTIVE
    double now = reached[i] == reached[i] ? reached[i] : anchor;
#else
    double now = own + (anchor + (double)first * h);
#endif
    UNROLL
    for (int j = 0; j < N_MEASURES; j++) {
        value[j] = values[j * n + i];
        seen[j] = values[(N_MEASURES + j) * n + i];
    }
#if WATCHES
    if (taken) {
        UNROLL
        for (int j = 0; j < N_MEASURES; j++) before[j] = EVERY ? (real)taken[DESK_BEFORE + j] : K(0);
        now = own + (anchor + ((double)first + taken[DESK_STEP]) * h + taken[DESK_LENGTH]);
        if (ADAPTIVE || bad) now = taken[DESK_T];
        if (EVERY && bad <= 0) measure_member(now, taken[DESK_LENGTH], slack, x, c, p, before, value, seen, w);
        else if (bad < 0) measure_member(now, 0.0, slack, x, c, p, before, value, seen, w);
    }
#endif
    if (EVERY && !bad && !taken) measure_member(now, 0.0, slack, x, c, p, before, value, seen, w);
#endif
    bool sick = false;
    const struct beside beside = {&sick};
#if ADAPTIVE
    const struct tolerance tolerance = {atol, rtol, max_step, max_steps, t_end};
    real *const slope = rate + STAGES * N_STATES, *const last = rate + (STAGES - 1) * N_STATES;
    double t = reached[i], pace[N_PACE];
    UNROLL
    for (int j = 0; j < N_PACE; j++) pace[j] = paces[j * n + i];
#if WATCHES
    if (taken) {
        t = taken[DESK_T];
        UNROLL
        for (int j = 0; j < N_PACE; j++) pace[j] = taken[DESK_PACE + j];
    }
#endif
    if (t == t && !taken) {
        UNROLL
        for (int j = 0; j < N_STATES; j++) slope[j] = slopes[j * n + i];
    } else {
        t = taken ? t : anchor;
        derivative(REAL(t), x, c, p, slope, w, &beside);
    }
    if (pace[TO_TRY] == 0.0) {
        UNROLL
        for (int j = 0; j < N_STATES; j++) rate[j] = slope[j];
        pace[TO_TRY] = first_step(&tolerance, t, t_end - anchor, x, c, p, stage, rate, w, &beside);
    }
#if WATCHES
    double planned[N_PACE]; /* before the first try of a step: a member that is away must not use its result */
    bool begins = true;
#endif
    ROLL
    for (long long k = 0; k < tries && !bad && t < h; k++) {
        const bool tiny = too_short(pace[TO_TRY], t);
#if WATCHES
        away = sick || tiny || pace[TRIES] >= max_steps; /* single runs report the cause */
        if (away) break;
        UNROLL
        for (int j = 0; j < N_PACE; j++)
            if (begins) planned[j] = pace[j];
        begins = false;
#else
        if (tiny || pace[TRIES] >= max_steps) {
            int worst = 0; /* which changes fastest */
            for (int j = 1; j < N_STATES; j++)
                if (counted[j] * slope[j] * slope[j] > counted[worst] * slope[worst] * slope[worst]) worst = j;
            bad = tiny ? 1 + worst : 2 + N_STATES;
            failed_at[i] = t;
            break;
        }
#endif
        bool landed;
        const double length = length_of(&tolerance, pace, t, h, &landed);
        const double error = attempt(&tolerance, t, length, x, c, p, slope, stage, rate, next, w, &beside);
        choose(length, error, true, pace);
        if (!sick && !(error <= 1.0)) continue;
        UNROLL
        for (int j = 0; j < N_STATES; j++) slope[j] = last[j];
        normalise(next);
#if WATCHES
        const double end = landed ? h : t + length;
#if PROJECTS
        if (!sick && !rollout_project(end, true, next, c, p, stage, w, &beside) && !sick) {
            pace[TO_TRY] = 0.2 * length;
            pace[REFUSED] = 1.0;
            continue;
        }
#endif
        away = sick || leaves(end, next, c, p, sign_of, w);
        if (away) {
            UNROLL
            for (int j = 0; j < N_PACE; j++) pace[j] = planned[j];
            break;
        }
        begins = true;
#endif
        UNROLL
        for (int j = 0; j < N_STATES; j++) x[j] = next[j];
        t = landed ? h : t + length;
#if PROJECTS
        if (t < h) derivative(REAL(t), x, c, p, slope, w, &beside); /* another one than before the projection */
#endif
#if N_MEASURES
        now = t;
        if (EVERY) measure_member(now, length, slack, x, c, p, before, value, seen, w);
        else if (bad) measure_member(now, 0.0, slack, x, c, p, before, value, seen, w);
#endif
    }
    reached[i] = away ? INFINITY : t; /* members that are away are skipped */
    if (!bad && !away && t < h) *going = 1;
    UNROLL
    for (int j = 0; j < N_PACE; j++) paces[j * n + i] = pace[j];
    UNROLL
    for (int j = 0; j < N_STATES; j++) slopes[j * n + i] = slope[j];
#else
    const long long steps = count + (rest > 0.0);
#if WATCHES
    long long k = taken ? (long long)taken[DESK_STEP] + 1 : 0;
#else
    long long k = 0;
#endif
    ROLL
    for (; k < steps && !bad; k++) {
        const double at = anchor + (double)(first + k) * h, length = k < count ? h : rest;
        const bool kept = advance(own + at, length, x, c, p, stage, rate, next, w, &beside);
#if WATCHES
        away = sick || !kept || leaves(own + at + length, next, c, p, sign_of, w);
        if (away) break;
#endif
        if (!kept) bad = 1 + N_STATES;
        UNROLL
        for (int j = N_STATES - 1; j >= 0; j--)
            if (!(next[j] - next[j] == K(0))) bad = 1 + j;
        if (sick) bad = -1;
        if (bad) {
            failed_at[i] = own + at;
            break;
        }
        double end = length;
        UNROLL
        for (int j = 0; j < N_STATES; j++) x[j] = next[j];
#if N_MEASURES
        now = own + (at + end);
        if (EVERY) measure_member(now, end, slack, x, c, p, before, value, seen, w);
        else if (bad) measure_member(now, 0.0, slack, x, c, p, before, value, seen, w);
#endif
    }
#endif
    status[i] = bad;
#if WATCHES
    if (away) {
        const int place = atomicAdd(n_left, 1);
        double *const own_row = lying + (long long)place * DESK_SIZE;
        left[place] = (int)i;
        own_row[DESK_CLOCK] = own;
        own_row[DESK_STATUS] = 0.0;
#if ADAPTIVE
        own_row[DESK_T] = t;
        UNROLL
        for (int j = 0; j < N_PACE; j++) own_row[DESK_PACE + j] = pace[j];
#else
        own_row[DESK_STEP] = (double)k;
#endif
        UNROLL
        for (int j = 0; j < N_STATES; j++) own_row[DESK_STATE + j] = x[j];
        UNROLL
        for (int e = 0; e < N_WATCHED; e++) own_row[DESK_SIGNS + e] = sign_of[e];
        UNROLL
        for (int j = 0; j < N_HELD; j++) own_row[DESK_HELD + j] = c[j];
#if N_MEASURES && EVERY
        UNROLL
        for (int j = 0; j < N_MEASURES; j++) own_row[DESK_BEFORE + j] = before[j];
#endif
    }
    UNROLL
    for (int e = 0; e < N_WATCHED; e++) watched[e * n + i] = sign_of[e];
#endif
#if N_UPDATES
    UNROLL
    for (int j = 0; j < N_HELD; j++) {
        held[j * c_element + i * c_row] = c[j];
        if (held_row) held_row[j * n + i] = bad ? K(NAN) : c[j];
    }
#endif
#if N_MEASURES
    if (!EVERY && !bad && !away) measure_member(now, 0.0, slack, x, c, p, before, value, seen, w);
    UNROLL
    for (int j = 0; j < N_MEASURES; j++) {
        values[j * n + i] = value[j];
        values[(N_MEASURES + j) * n + i] = seen[j];
    }
#endif
    UNROLL
    for (int j = 0; j < N_STATES; j++) {
        state[j * n + i] = x[j];
        if (row) row[j * n + i] = bad ? K(NAN) : x[j];
    }
}
