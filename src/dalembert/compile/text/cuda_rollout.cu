/* One member of a rollout per thread: `count` steps of length h, the first of which starts at anchor + first * h, and
 * then, if it is not 0, one of length `rest`. A member whose state stops being finite keeps its last good one, with
 * its status 1 + the number of the first state that is bad (1 + N_STATES: the constraints; -1: rows of them depend on
 * each other, so that it has to be simulated elsewhere), and the time of that step. Arrays are structures of
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

extern "C" __global__ void BOUNDS JOIN(SYMBOL, _rollout)(
    long long n, real *state, real *held, long long c_element, long long c_row, const real *parameters,
    long long p_element, long long p_row, const double *clock, double anchor, double h, long long first,
    long long count, double rest, int *status, double *failed_at, real *row, real *values,
    const long long *due, uint64_t seed, const long long *number, real *held_begin, real *held_row) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    real x[N_STATES], stage[N_STATES], rate[N_STATES], next[N_STATES], c[N_HELD + 1], p[N_PARAMETERS + 1], w[N_WORK + 1];
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
    ROLL
    for (long long k = 0; k < steps && !bad; k++) {
        const double at = anchor + (double)(first + k) * h, length = k < count ? h : rest;
        rollout_step(own + at, length, x, c, p, stage, rate, next, w, true, &beside);
#if PROJECTS
        if (!rollout_project(own + (at + length), true, next, c, p, stage, w, &beside)) bad = 1 + N_STATES;
#endif
        UNROLL
        for (int j = N_STATES - 1; j >= 0; j--)
            if (!(next[j] - next[j] == K(0))) bad = 1 + j;
        if (sick) bad = -1;
        if (bad) {
            failed_at[i] = own + at;
            break;
        }
        UNROLL
        for (int j = 0; j < N_STATES; j++) x[j] = next[j];
#if N_MEASURES
        now = own + (at + length);
        if (EVERY) look(now, length, 1e-9 * h, x, c, p, before, value, seen, w);
#endif
    }
    status[i] = bad;
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
