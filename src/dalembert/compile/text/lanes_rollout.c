/* Members of a rollout in lanes, over segments of the time: a segment is `count` steps of length h, the first of which
 * starts at anchor + first * h, and then, if it is not 0, one of length `rest`; its end is recorded in row `row` of
 * each member, unless that is negative. A member whose state stops being finite keeps its last good one, with its
 * status 1 + the number of the first state that is bad, and the time of that step; its later rows are NaN. The other
 * lanes do not see it. */
struct segment {
    double anchor, h, rest;
    int64_t first, count, row;
};

static real *aligned(double *work) {
    return (real *)(((uintptr_t)work + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

EXPORT extern const long JOIN(SYMBOL, _rollout_n_work);
const long JOIN(SYMBOL, _rollout_n_work) = (N_WORK + 4 * N_STATES + N_HELD + N_PARAMETERS + 2) * LANES;
EXPORT extern const long JOIN(SYMBOL, _rollout_width);
const long JOIN(SYMBOL, _rollout_width) = LANES;

EXPORT void JOIN(SYMBOL, _rollout)(int64_t n, double *state, const double *held, const double *parameters,
                                   int64_t p_stride, int64_t n_segments, const struct segment *segments,
                                   int64_t *status, double *failed_at, double *rows, int64_t n_rows, double *work) {
    real *const w = aligned(work), *const x = w + N_WORK, *const next = x + N_STATES, *const stage = next + N_STATES;
    real *const rate = stage + N_STATES, *const c = rate + N_STATES, *const p = c + N_HELD;
    for (int j = 0; j < N_HELD; j++) c[j] = SPLAT(held[j]);
    for (int64_t start = 0; start < n; start += LANES) {
        const int64_t members = n - start < LANES ? n - start : LANES;
        integer alive = J(-1);
        load_block(state + start * N_STATES, members, N_STATES, N_STATES, (n - start) * N_STATES, x);
        if (p_stride)
            load_block(parameters + start * p_stride, members, N_PARAMETERS, p_stride, (n - start) * p_stride, p);
        else
            for (int j = 0; j < N_PARAMETERS; j++) p[j] = SPLAT(parameters[j]);
        for (int64_t i = 0; i < LANES; i++)
            if (status[start + (i < members ? i : members - 1)]) alive[i] = 0;
        for (int64_t s = 0; s < n_segments; s++) {
            const struct segment *const seg = segments + s;
            const int64_t steps = seg->count + (seg->rest > 0.0);
            for (int64_t k = 0; k < steps && any(alive); k++) {
                const double t = seg->anchor + (double)(seg->first + k) * seg->h;
                rollout_step(t, k < seg->count ? seg->h : seg->rest, x, c, p, stage, rate, next, w);
                integer good = J(-1);
                for (int j = 0; j < N_STATES; j++) good &= (next[j] - next[j]) == K(0.0);
                if (__builtin_expect(any(alive & ~good), 0)) {
                    for (int64_t i = 0; i < members; i++) {
                        if (!alive[i] || good[i]) continue;
                        for (int j = N_STATES - 1; j >= 0; j--)
                            if (!(next[j][i] - next[j][i] == 0.0)) status[start + i] = 1 + j;
                        failed_at[start + i] = t;
                    }
                    alive &= good;
                }
                for (int j = 0; j < N_STATES; j++) x[j] = select_(alive, next[j], x[j]);
            }
            if (seg->row < 0) continue;
            for (int64_t i = 0; i < members; i++) {
                double *const target = rows + ((start + i) * n_rows + seg->row) * N_STATES;
                for (int j = 0; j < N_STATES; j++) target[j] = alive[i] ? x[j][i] : NAN;
            }
        }
        store_block(state + start * N_STATES, members, N_STATES, N_STATES, x);
    }
}
