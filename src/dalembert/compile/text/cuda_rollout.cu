/* One member of a rollout per thread: `count` steps of length h, the first of which starts at anchor + first * h, and
 * then, if it is not 0, one of length `rest`. A member whose state stops being finite keeps its last good one, with
 * its status 1 + the number of the first state that is bad, and the time of that step. Arrays are structures of
 * arrays: element e of member i lies at e * n + i. */
extern "C" __global__ void BOUNDS JOIN(SYMBOL, _rollout)(
    long long n, real *state, const real *held, const real *parameters, long long p_element, long long p_row,
    double anchor, double h, long long first, long long count, double rest, int *status, double *failed_at,
    real *row) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    real x[N_STATES], stage[N_STATES], rate[N_STATES], next[N_STATES], c[N_HELD + 1], p[N_PARAMETERS + 1], w[N_WORK + 1];
    int bad = status[i];
    UNROLL
    for (int j = 0; j < N_STATES; j++) x[j] = state[j * n + i];
    UNROLL
    for (int j = 0; j < N_HELD; j++) c[j] = held[j];
    UNROLL
    for (int j = 0; j < N_PARAMETERS; j++) p[j] = parameters[j * p_element + i * p_row];
    const long long steps = count + (rest > 0.0);
    ROLL
    for (long long k = 0; k < steps && !bad; k++) {
        const double t = anchor + (double)(first + k) * h;
        rollout_step(t, k < count ? h : rest, x, c, p, stage, rate, next, w);
        UNROLL
        for (int j = N_STATES - 1; j >= 0; j--)
            if (!(next[j] - next[j] == K(0))) bad = 1 + j;
        if (bad) {
            failed_at[i] = t;
            break;
        }
        UNROLL
        for (int j = 0; j < N_STATES; j++) x[j] = next[j];
    }
    status[i] = bad;
    UNROLL
    for (int j = 0; j < N_STATES; j++) {
        state[j * n + i] = x[j];
        if (row) row[j * n + i] = bad ? K(NAN) : x[j];
    }
}
