/* Moving-horizon estimation: the most probable states of the last NN periods, by Gauss-Newton steps.
 *
 *     min 1/2 |x_0 - x|^2_{1/P} + sum_k 1/2 |w_k|^2_{1/Q} + sum_k 1/2 |y_k - h(x_k)|^2_{1/R},
 *     x_{k+1} = F(x_k, u_k) + E w_k,  lower <= x_k <= upper
 *
 * with the arrival cost x, P of a Kalman filter that follows the oldest state of the window. Readings belong to the instant at
 * which they were taken. Unit quaternions have no uncertainty along themselves. Steps are in the tangent space of the unit
 * sphere and end on it. While the window fills, the stages behind its end repeat the last state.
 * Memory: count, arrival x and P, window of states, inputs and readings. */
enum {
    N_ROW = NI + 2 * NM,
    N_MEMORY = 1 + NX + NX * NX + (NN + 1) * (NX + N_ROW),
    N_READ = NI + 2 * NM,
    N_ANSWER = NX + 3
};

struct window_stage {
    struct quadratic Q;
    double X[NN + 1][NX], row[NN + 1][N_ROW], T[NN + 1], arrival[NX], P[NX][NX], inverse[NX][NX], L[NX][NX];
    double AP[NX][NX], F[NN + 1][NX], A[NN + 1][NX][NXF], h[NN + 1][NM], J[NN + 1][NM][NXF], read[N_READ], at[NX];
};

#define OWN_WORK ((long)((sizeof(struct window_stage) + 7) / 8))

/* Inverse of P by its Cholesky factor; 1 if it is not positive. */
static int invert(double (*P)[NX], double (*L)[NX], double (*inverse)[NX]) {
    for (int j = 0; j < NX; j++) {
        double d = P[j][j];
        for (int k = 0; k < j; k++) d -= L[j][k] * L[j][k];
        if (!(d > 0.0)) return 1;
        L[j][j] = sqrt(d);
        for (int i = j + 1; i < NX; i++) {
            double s = P[i][j];
            for (int k = 0; k < j; k++) s -= L[i][k] * L[j][k];
            L[i][j] = s / L[j][j];
        }
    }
    for (int c = 0; c < NX; c++) {
        double y[NX];
        for (int i = 0; i < NX; i++) {
            double s = i == c ? 1.0 : 0.0;
            for (int k = 0; k < i; k++) s -= L[i][k] * y[k];
            y[i] = s / L[i][i];
        }
        for (int i = NX - 1; i >= 0; i--) {
            double s = y[i];
            for (int k = i + 1; k < NX; k++) s -= L[k][i] * y[k];
            y[i] = s / L[i][i];
        }
        for (int i = 0; i < NX; i++) inverse[i][c] = y[i];
    }
    return 0;
}

/* R + a unit along the quaternions of a state, to and from which no other term leads. */
static void add_along(double *R, int stride, const double *to, const double *from) {
    for (int j = 0; j < N_ATTITUDES; j++) {
        const int first = attitude_at[j];
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) R[(first + a) * stride + first + b] += to[first + a] * from[first + b];
    }
}

/* A row without its parts along the quaternions of a state. */
static void tangent(double *row, const double *x) {
    for (int j = 0; j < N_ATTITUDES; j++) {
        const int first = attitude_at[j];
        double along = 0.0;
        for (int a = 0; a < 4; a++) along += row[first + a] * x[first + a];
        for (int a = 0; a < 4; a++) row[first + a] -= along * x[first + a];
    }
}

/* The arrival cost in the tangent space, and a unit weight along the quaternions. */
static void tangent_cost(double (*H)[NZP], double *g, const double *x) {
    if (N_ATTITUDES == 0) return;
    for (int i = 0; i < NX; i++) tangent(H[i], x);
    for (int i = 0; i < NX; i++) {
        double column[NX];
        for (int k = 0; k < NX; k++) column[k] = H[k][i];
        tangent(column, x);
        for (int k = 0; k < NX; k++) H[k][i] = column[k];
    }
    tangent(g, x);
    add_along(H[0], NZP, x, x);
}

/* One Gauss-Newton step of the window with `last` intervals; 0, or 1 if it fails. */
static int improve(struct window_stage *S, int last, double *work) {
    struct quadratic *const Q = &S->Q;
    /* inputs of the interval k are in row k + 1: those that were held before that instant */
    const double *const along[] = {S->X[0], S->row[1], S->T};
    const long from[] = {NX, N_ROW, 1}, to[] = {NX, NX * NXF};
    double *const ahead[] = {S->F[0], S->A[0][0]};
    const double *const at[] = {S->X[0], S->T};
    const long at_from[] = {NX, 1}, seen_to[] = {NM, NM * NXF};
    double *const seen[] = {S->h[0], S->J[0][0]};
    double cost = 0.0;
    if (last > 0 && STEP_TAPE(last, along, from, ahead, to, work)) return 1;
    if (SEE_TAPE(last + 1, at, at_from, seen, seen_to, work)) return 1;
    for (int k = 0; k < last && N_ATTITUDES > 0; k++) { /* tangent spaces lead to each other, quaternions too */
        for (int i = 0; i < NX; i++) tangent(S->A[k][i], S->X[k]);
        add_along(S->A[k][0], NXF, S->X[k + 1], S->X[k]);
    }
    memset(Q->z, 0, sizeof Q->z), memset(Q->dz, 0, sizeof Q->dz), memset(Q->x0, 0, sizeof Q->x0);
    memset(Q->H, 0, sizeof Q->H), memset(Q->HN, 0, sizeof Q->HN), memset(Q->g, 0, sizeof Q->g);
    for (int k = 0; k < NN; k++)
        for (int i = 0; i < NX; i++) {
            memset(Q->BA[k][i], 0, sizeof Q->BA[k][i]);
            if (k < last) {
                memcpy(Q->BA[k][i], S->A[k][i], NX * sizeof(double));
                Q->c[k][i] = S->F[k][i] - S->X[k + 1][i];
            } else {
                Q->BA[k][i][i] = 1.0;
                Q->c[k][i] = S->X[k][i] - S->X[k + 1][i];
            }
        }
    for (int k = 0; k < NN; k++)
        for (int w = 0; w < NU; w++) {
            if (k < last) Q->BA[k][noisy[w]][NX + w] = 1.0;
            Q->H[k][NX + w][NX + w] = 1.0 / noise_variance[noisy[w]];
        }
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NX; j++) {
            const double e = S->X[0][j] - S->arrival[j];
            Q->H[0][i][j] += S->inverse[i][j];
            Q->g[0][i] += S->inverse[i][j] * e;
            cost += 0.5 * (S->X[0][i] - S->arrival[i]) * S->inverse[i][j] * e;
        }
    tangent_cost(Q->H[0], Q->g[0], S->X[0]);
    for (int k = 0; k <= last; k++)
        for (int m = 0; m < NM; m++) {
            tangent(S->J[k][m], S->X[k]);
            const double weight = S->row[k][NI + NM + m] > 0.5 ? 1.0 / reading_variance[m] : 0.0;
            const double e = S->h[k][m] - S->row[k][NI + m], *const j = S->J[k][m];
            if (weight == 0.0) continue;
            cost += 0.5 * weight * e * e;
            for (int a = 0; a < NX; a++) {
                Q->g[k][a] += weight * e * j[a];
                for (int b = 0; b < NX; b++) {
                    if (k < NN) Q->H[k < NN ? k : 0][a][b] += weight * j[a] * j[b];
                    else Q->HN[a][b] += weight * j[a] * j[b];
                }
            }
        }
#if NB > 0
    for (int k = 0; k <= NN; k++)
        for (int r = 0; r < NR; r++) {
            const int low = k * NC + r, high = low + NR, e = box_entry[r];
            Q->act[low] = k <= last && lower[e] > -1e300 ? 1.0 : 0.0, Q->act[high] = k <= last && upper[e] < 1e300 ? 1.0 : 0.0;
            Q->off[low] = Q->act[low] > 0.0 ? S->X[k][e] - lower[e] : 1.0;
            Q->off[high] = Q->act[high] > 0.0 ? upper[e] - S->X[k][e] : 1.0;
            Q->soft[low] = Q->soft[high] = 0.0, Q->linear[low] = Q->linear[high] = 0.0;
            Q->square[low] = Q->square[high] = 0.0;
        }
#endif
    const double scale = 1e-3 + cost / (NR > 0 ? SIDES : 1);
    const int answer = quadratic_solve(Q, MOST_ITERATIONS, 1e-6 * scale, 1e-6, 0, scale);
    if (answer == BROKEN || Q->residual > 1e-3 || Q->left > 0.5) return 1;
    for (int k = 0; k <= NN; k++)
        for (int i = 0; i < NX; i++) {
            S->X[k][i] = inside(i, S->X[k][i] + Q->z[k][i]);
            if (!isfinite(S->X[k][i])) return 1;
        }
    for (int k = 0; k <= NN; k++)
        for (int j = 0; j < N_ATTITUDES; j++) unit_norm(S->X[k] + attitude_at[j]);
    return 0;
}

static int routine(const double *const *in, double *const *out, double *own, double *work) {
    struct window_stage *const S = (struct window_stage *)(void *)own;
    const double *const old = in[2] + MEMORY_AT, t = in[0][0];
    double *const answer = out[0], *const next = out[0] + N_ANSWER, count = old[0];
    const long from[5] = {0, 0, 0, 0, 0}, to[1] = {N_READ};
    double *const reads[1] = {S->read};
    int iterations = 0, status = READ_TAPE(1, in, from, reads, to, work) ? 1 : 0;
    if (status) memset(S->read, 0, sizeof S->read);
    memcpy(S->arrival, old + 1, sizeof S->arrival);
    memcpy(S->P, old + 1 + NX, sizeof S->P);
    memcpy(S->X, old + 1 + NX + NX * NX, sizeof S->X);
    memcpy(S->row, old + 1 + NX + NX * NX + (NN + 1) * NX, sizeof S->row);
    int last = count < NN ? (int)count : NN;
    if (count == 0.0) {
        memset(S->P, 0, sizeof S->P), memset(S->row, 0, sizeof S->row);
        for (int i = 0; i < NX; i++) S->arrival[i] = start_state[i], S->P[i][i] = start_variance[i];
        normalise(S->arrival, S->P);
        for (int k = 0; k <= NN; k++) memcpy(S->X[k], S->arrival, sizeof S->X[k]);
    }
    if (count > NN) { /* the window moves on, and the arrival cost with its oldest state */
        const double begun = t - (NN + 1) * PERIOD;
        memcpy(S->at, S->X[0], sizeof S->at);
        if (filter_correct(S->arrival, S->P, S->at, S->row[0] + NI, S->row[0] + NI + NM, begun, S->h[0], S->J[0], S->AP, work) <
            0.0)
            status = 1;
        double shifted[NX];
        for (int i = 0; i < NX; i++) shifted[i] = S->arrival[i] - S->at[i];
        if (filter_predict(S->at, S->P, S->row[1], begun, S->F[0], S->A[0], S->AP, work)) status = 1;
        for (int i = 0; i < NX; i++) {
            double s = S->at[i];
            for (int j = 0; j < NX; j++) s += S->A[0][i][j] * shifted[j];
            S->arrival[i] = s;
        }
        normalise(S->arrival, S->P);
        memmove(S->X[0], S->X[1], NN * sizeof S->X[0]);
        memmove(S->row[0], S->row[1], NN * sizeof S->row[0]);
    }
    memset(S->row[last] + NI, 0, 2 * NM * sizeof(double));
    memcpy(S->row[last], S->read, NI * sizeof(double));
    for (int m = 0; m < NM; m++) {
        const int k = last - (int)delay[m];
        if (k < 0 || status) continue;
        S->row[k][NI + m] = S->read[NI + m];
        S->row[k][NI + NM + m] = is_new(m, count) ? S->read[NI + NM + m] : 0.0;
    }
    for (int k = 0; k <= NN; k++) S->T[k] = t + (k - last) * PERIOD;
    if (last > 0 && count > 0.0) {
        const double *const along[] = {S->X[last - 1], S->row[last], &S->T[last - 1]};
        double *const ahead[] = {S->F[0], S->A[0][0]};
        if (STEP_TAPE(1, along, from, ahead, from, work)) status = 1;
        for (int i = 0; i < NX && !status; i++) S->X[last][i] = inside(i, S->F[0][i]);
    }
    for (int j = 0; j < N_ATTITUDES; j++) unit_norm(S->X[last] + attitude_at[j]);
    for (int k = last + 1; k <= NN; k++) memcpy(S->X[k], S->X[last], sizeof S->X[k]);
    for (int k = 0; k <= last; k++) nearer_readings(S->row[k] + NI, S->X[k]);
    memcpy(S->AP, S->P, sizeof S->AP);
    add_along(S->AP[0], NX, S->arrival, S->arrival);
    if (!status && invert(S->AP, S->L, S->inverse)) status = 1;
    for (int round = 0; round < ROUNDS && !status; round++) {
        status = improve(S, last, work);
        iterations += S->Q.iterations;
    }
    double finite = 1.0;
    for (int i = 0; i < NX; i++) finite = finite > 0.0 && isfinite(S->X[last][i]) && isfinite(S->P[i][i]) ? 1.0 : 0.0;
    if (finite < 0.5) { /* begin anew */
        memset(next, 0, N_MEMORY * sizeof(double));
        memcpy(answer, start_state, NX * sizeof(double));
        answer[NX] = 1.0, answer[NX + 1] = iterations, answer[NX + 2] = 0.0;
        return 0;
    }
    next[0] = count + 1.0;
    memcpy(next + 1, S->arrival, sizeof S->arrival);
    memcpy(next + 1 + NX, S->P, sizeof S->P);
    memcpy(next + 1 + NX + NX * NX, S->X, sizeof S->X);
    memcpy(next + 1 + NX + NX * NX + (NN + 1) * NX, S->row, sizeof S->row);
    memcpy(answer, S->X[last], NX * sizeof(double));
    answer[NX] = status, answer[NX + 1] = iterations, answer[NX + 2] = last;
    return 0;
}
