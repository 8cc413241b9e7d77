/* One member of a rollout per thread: `count` steps of length h, the first of which starts at anchor + first * h, and
 * then, if it is not 0, one of length `rest`. A member whose state stops being finite keeps its last good one, with
 * its status 1 + the number of the first state that is bad (1 + N_STATES: the constraints; -1: rows of them depend on
 * each other, or a fast pair has to be swept, so that it has to be simulated elsewhere), and the time of that step. Arrays are structures of
 * arrays: element e of member i lies at e * n + i, but for held values and parameters, whose strides are given. `clock`
 * holds times of the members to which those of the steps are added, or is 0. With N_MEASURES, `values` holds what is
 * reduced and then how much was seen of it; EVERY says whether all steps are looked at or the end alone.
 * With N_UPDATES and a table `due` of numbers of instants (-1: not due) held values are set anew first, by UPDATES; those
 * of the row at the start, and of that at the end, go to `held_begin` and `held_row`, unless they are 0. */
#if N_MEASURES
TABLE int kind_of[] = {KINDS};
TABLE double since_of[] = {SINCE}, until_of[] = {UNTIL};

FUNCTION void look(double t, double h, double slack, const real *x, const real *c, const real *p, real *before,
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
    real noise[MOST_NOISE + 1], new_[MOST_ROWS];
    const real time = (real)t;
    const real *const in[] = {&time, x, c, p, noise};
    real *const out[] = {new_};
    UPDATES
}
#endif

#if N_EVENTS
#define PROBE 1e-6  /* part of a step after which the sign of an event function counts at the start */
#define WIDTH 1e-13 /* part of a step to which an event is located */
TABLE int direction_of[] = {DIRECTIONS};

/* Number of the first event that has happened, or -1; `g` are the functions. */
FUNCTION int happened(double t, const real *x, const real *c, const real *p, const real *signs, real *g, real *w) {
    const real time = (real)t;
    const real *const in[] = {&time, x, c, p};
    real *const out[] = {g};
    int which = -1;
    EVENTS(in, out, w)
    UNROLL
    for (int e = N_EVENTS - 1; e >= 0; e--)
        if (signs[e] != K(0) && g[e] * signs[e] <= K(0) && (real)direction_of[e] * signs[e] <= K(0)) which = e;
    return which;
}

FUNCTION void take_signs(real *signs, const real *g) {
    UNROLL
    for (int e = 0; e < N_EVENTS; e++) signs[e] = SIGN(g[e]);
}
#endif

/* One step and the projection after it; false: the constraints could not be kept. */
FUNCTION bool advance(double t, double h, const real *x, const real *c, const real *p, real *stage, real *rate, real *next,
                      real *w, const struct beside *B) {
    rollout_step(t, h, x, c, p, stage, rate, next, w, true, B);
#if PROJECTS
    return rollout_project(t + h, true, next, c, p, stage, w, B);
#else
    return true;
#endif
}

extern "C" __global__ void BOUNDS JOIN(SYMBOL, _rollout)(
    long long n, real *state, real *held, long long c_element, long long c_row, const real *parameters,
    long long p_element, long long p_row, const double *clock, double anchor, double h, long long first,
    long long count, double rest, int *status, double *failed_at, real *row, real *values,
    const long long *due, uint64_t seed, const long long *number, real *held_begin, real *held_row,
    real *signs) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    real x[N_STATES], stage[N_STATES], rate[N_RATE], next[N_STATES], c[N_HELD + 1], p[N_PARAMETERS + 1], w[N_WORK + 1];
    const double own = clock ? clock[i] : 0.0;
    int bad = status[i];
    UNROLL
    for (int j = 0; j < N_STATES; j++) x[j] = state[j * n + i];
    UNROLL
    for (int j = 0; j < N_HELD; j++) c[j] = held[j * c_element + i * c_row];
    UNROLL
    for (int j = 0; j < N_PARAMETERS; j++) p[j] = parameters[j * p_element + i * p_row];
#if N_UPDATES
    if (due && !bad) sample(own + anchor, seed, (uint64_t)number[i], due, x, c, p, w);
    UNROLL
    for (int j = 0; j < N_HELD; j++)
        if (held_begin) held_begin[j * n + i] = bad ? K(NAN) : c[j];
#endif
#if N_MEASURES
    real before[N_MEASURES], value[N_MEASURES], seen[N_MEASURES];
    double now = own + (anchor + (double)first * h);
    UNROLL
    for (int j = 0; j < N_MEASURES; j++) {
        value[j] = values[j * n + i];
        seen[j] = values[(N_MEASURES + j) * n + i];
    }
    if (EVERY && !bad) look(now, 0.0, 1e-9 * h, x, c, p, before, value, seen, w);
#endif
    bool sick = false;
    const struct beside beside = {&sick};
    const long long steps = count + (rest > 0.0);
#if N_EVENTS
    real sign_of[N_EVENTS], g[N_EVENTS];
    UNROLL
    for (int e = 0; e < N_EVENTS; e++) sign_of[e] = signs[e * n + i];
    if (steps && !bad && sign_of[0] != sign_of[0]) {
        const double begin = own + (anchor + (double)first * h);
        advance(begin, PROBE * h, x, c, p, stage, rate, next, w, &beside);
        happened(begin + PROBE * h, next, c, p, sign_of, g, w);
        take_signs(sign_of, g);
    }
#endif
    ROLL
    for (long long k = 0; k < steps && !bad; k++) {
        const double at = anchor + (double)(first + k) * h, length = k < count ? h : rest;
        if (!advance(own + at, length, x, c, p, stage, rate, next, w, &beside)) bad = 1 + N_STATES;
        UNROLL
        for (int j = N_STATES - 1; j >= 0; j--)
            if (!(next[j] - next[j] == K(0))) bad = 1 + j;
        if (sick) bad = -1;
        if (bad) {
            failed_at[i] = own + at;
            break;
        }
        double end = length;
#if N_EVENTS
        int event = happened(own + (at + length), next, c, p, sign_of, g, w);
        if (event < 0) take_signs(sign_of, g);
        else {
            double near_ = 0.0;
            while (end - near_ > WIDTH * length) {
                const double middle = near_ + 0.5 * (end - near_);
                if (middle <= near_ || middle >= end) break;
                advance(own + at, middle, x, c, p, stage, rate, next, w, &beside);
                if (happened(own + at + middle, next, c, p, sign_of, g, w) >= 0) end = middle;
                else near_ = middle;
            }
            advance(own + at, end, x, c, p, stage, rate, next, w, &beside);
            event = happened(own + at + end, next, c, p, sign_of, g, w);
            failed_at[i] = own + at + end;
            bad = -2 - (event < 0 ? 0 : event);
        }
#endif
        UNROLL
        for (int j = 0; j < N_STATES; j++) x[j] = next[j];
#if N_MEASURES
        now = own + (at + end);
        if (EVERY) look(now, end, 1e-9 * h, x, c, p, before, value, seen, w);
        else if (bad) look(now, 0.0, 1e-9 * h, x, c, p, before, value, seen, w);
#endif
    }
    status[i] = bad;
#if N_EVENTS
    UNROLL
    for (int e = 0; e < N_EVENTS; e++) signs[e * n + i] = sign_of[e];
#endif
#if N_UPDATES
    UNROLL
    for (int j = 0; j < N_HELD; j++) {
        held[j * c_element + i * c_row] = c[j];
        if (held_row) held_row[j * n + i] = bad ? K(NAN) : c[j];
    }
#endif
#if N_MEASURES
    if (!EVERY && !bad) look(now, 0.0, 1e-9 * h, x, c, p, before, value, seen, w);
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
