/* The estimator for a target: one instance in static memory, no allocation. */
static double memory[2][N_MEMORY], result[N_ANSWER + N_MEMORY], own[OWN_WORK], tape_work[TAPE_WORK], reads[N_READ];
static int current;

void ESTIMATOR_RESET(void) {
    USE_TABLES
    current = 0;
    memset(memory, 0, sizeof memory);
}

int ESTIMATOR_STEP(double t, const double *u, const double *readings, const double *valid, double *estimates, double *info) {
    static const double nothing[1] = {0.0};
    const double *const in[5] = {&t, reads, memory[current], nothing, nothing};
    double *const out[1] = {result};
    memcpy(reads, u, N_APPLIED * sizeof(double));
    memcpy(reads + N_APPLIED, readings, NM * sizeof(double));
    for (int m = 0; m < NM; m++) reads[N_APPLIED + NM + m] = valid ? valid[m] : 1.0;
    routine(in, out, own, tape_work);
    current = 1 - current;
    memcpy(memory[current], result + N_ANSWER, sizeof memory[current]);
    memcpy(estimates, result, NX * sizeof(double));
    memcpy(info, result + NX, (N_ANSWER - NX) * sizeof(double));
    return (int)result[STATUS_AT];
}
