/* An extended Kalman filter: at each instant the estimate of LAG periods before, with the readings of then, and from it the
 * prediction of now with the inputs since. Memory: count, x, P, inputs and readings of the last LAG + 1 instants. */
enum {
    N_HISTORY = (LAG + 1) * (NU + 2 * NM),
    N_MEMORY = 1 + NX + NX * NX + N_HISTORY,
    N_READ = NU + 2 * NM,
    N_ANSWER = NX + NX + 2
};

struct filter_stage {
    double x[NX], P[NX][NX], AP[NX][NX], F[NX], A[NX][NXF], h[NM], H[NM][NXF], reading[NM], valid[NM], at[NX];
    double read[N_READ], history[LAG + 1][NU + 2 * NM];
};

static void begin(double *x, double (*P)[NX]) {
    memset(P, 0, NX * sizeof *P);
    for (int i = 0; i < NX; i++) x[i] = start_state[i], P[i][i] = start_variance[i];
    normalise(x, P);
}

#define OWN_WORK ((long)((sizeof(struct filter_stage) + 7) / 8))

static int routine(const double *const *in, double *const *out, double *own, double *work) {
    struct filter_stage *const S = (struct filter_stage *)(void *)own;
    const double *const old = in[2] + MEMORY_AT, t = in[0][0];
    double *const answer = out[0], *const next = out[0] + N_ANSWER, count = old[0], surprise = 0.0;
    const long from[5] = {0, 0, 0, 0, 0}, to[1] = {N_READ};
    double *const reads[1] = {S->read};
    int status = READ_TAPE(1, in, from, reads, to, work) ? 1 : 0;
    if (status) memset(S->read, 0, sizeof S->read);
    if (count > 0.0) {
        memcpy(S->x, old + 1, sizeof S->x);
        memcpy(S->P, old + 1 + NX, sizeof S->P);
    } else begin(S->x, S->P);
    if (LAG > 0) memcpy(S->history[1], old + 1 + NX + NX * NX, sizeof S->history - sizeof S->history[0]);
    memcpy(S->history[0], S->read, sizeof S->history[0]);
    for (int m = 0; m < NM; m++) S->history[0][NU + NM + m] *= is_new(m, count) && !status ? 1.0 : 0.0;
    const double now = t - LAG * PERIOD;
    if (count >= LAG) {
        if (count > LAG && filter_predict(S->x, S->P, S->history[LAG], now - PERIOD, S->F, S->A, S->AP, work)) status = 1;
        for (int m = 0; m < NM; m++) {
            const double *const row = S->history[LAG - (int)delay[m]];
            S->reading[m] = row[NU + m], S->valid[m] = row[NU + NM + m];
        }
        nearer_readings(S->reading, S->x);
        memcpy(S->at, S->x, sizeof S->at);
        surprise = filter_correct(S->x, S->P, S->at, S->reading, S->valid, now, S->h, S->H, S->AP, work);
        if (surprise < 0.0) status = 1;
        for (int i = 0; i < NX; i++) S->x[i] = inside(i, S->x[i]);
        normalise(S->x, S->P);
    }
    for (int i = 0; i < NX; i++) status = status || !isfinite(S->x[i]) || !isfinite(S->P[i][i]);
    if (status) begin(S->x, S->P); /* anew */
    next[0] = count + 1.0;
    memcpy(next + 1, S->x, sizeof S->x);
    memcpy(next + 1 + NX, S->P, sizeof S->P);
    memcpy(next + 1 + NX + NX * NX, S->history, sizeof S->history);
    for (int i = 0; i < NX; i++) answer[NX + i] = sqrt(S->P[i][i] > 0.0 ? S->P[i][i] : 0.0);
    for (int k = (count < LAG ? (int)count : LAG) - 1; k >= 0; k--) {
        const double then = t - (k + 1) * PERIOD;
        const double *const along[] = {S->x, S->history[k], &then};
        double *const ahead[] = {S->F, S->A[0]};
        if (STEP_TAPE(1, along, from, ahead, from, work)) break;
        memcpy(S->x, S->F, sizeof S->x);
    }
    memcpy(answer, S->x, sizeof S->x);
    answer[2 * NX] = status, answer[2 * NX + 1] = status ? 0.0 : surprise;
    return 0;
}
