/* Entries of a routine: hand-written C beside tapes. Defined before: SYMBOL, N_IN, IN_SIZES, OUT_SIZE, OWN_WORK (doubles of
 * its own memory), TAPE_WORK (the most that a tape needs, an expression) and
 * routine(in, out, own memory, work of tapes), which returns 0. */
static double *aligned_memory(double *work) {
    return (double *)(((uintptr_t)work + 63) / 64 * 64);
}

EXPORT int JOIN(SYMBOL, _call)(const double *const *in, double *const *out, double *work) {
    double *const own = aligned_memory(work);
    return routine(in, out, own, own + OWN_WORK);
}

#if defined(WIDTH)
EXPORT long JOIN(SYMBOL, _n_work)(void) {
    return 8 + OWN_WORK + TAPE_WORK;
}

EXPORT long JOIN(SYMBOL, _width)(void) {
    return WIDTH;
}

static const long in_sizes[] = {IN_SIZES};

EXPORT long JOIN(SYMBOL, _block_n_work)(void) {
    long n = 8 + OWN_WORK + TAPE_WORK + OUT_SIZE;
    for (int k = 0; k < N_IN; k++) n += 2 * in_sizes[k];
    return n;
}

/* One block of lanes, lane by lane; a lane with the inputs of the one before it has its outputs too. */
EXPORT void JOIN(SYMBOL, _block)(const void *const *in, void *const *out, void *work) {
    const long width = WIDTH;
    double *values = work, *const result = out[0], *answer;
    double *now[N_IN], *before[N_IN];
    for (int k = 0; k < N_IN; k++) now[k] = values, before[k] = values + in_sizes[k], values += 2 * in_sizes[k];
    answer = values, values += OUT_SIZE;
    for (long lane = 0; lane < width; lane++) {
        int same = lane > 0;
        const double *arguments[N_IN];
        for (int k = 0; k < N_IN; k++) {
            const double *const vector = in[k];
            for (long j = 0; j < in_sizes[k]; j++) now[k][j] = vector[j * width + lane];
            same = same && !memcmp(now[k], before[k], (size_t)in_sizes[k] * sizeof(double));
            memcpy(before[k], now[k], (size_t)in_sizes[k] * sizeof(double));
            arguments[k] = now[k];
        }
        if (!same) JOIN(SYMBOL, _call)(arguments, &answer, values);
        for (long j = 0; j < OUT_SIZE; j++) result[j * width + lane] = answer[j];
    }
}
#endif
