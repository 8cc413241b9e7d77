/* Predictive control: nonlinear least squares over a horizon, by Gauss-Newton steps, or Newton steps (EXACT).
 *
 * At each sample the plan of the last one is shifted, the machine is linearised along it by tapes (all intervals in one
 * call), and a quadratic programme gives the step to the new plan; ROUNDS of them, one for a real-time iteration. All that
 * is kept from sample to sample is in `memory`, so that the same inputs give the same bits.
 *
 * Tapes are macros `NAME(n, in, in_stride, out, out_stride, work)` that return 0 if all inputs are finite:
 *   STEP_TAPE   x, u, par, t -> F, [A B]             one interval (explicit steps), or
 *               x, u, a, par, t -> [R_a R_z R]       equations of motion at its midpoint (MIDPOINT)
 *   GOAL_TAPE   par, t -> z                          references
 *   COST_TAPE   x, u, par, t -> r, dr/dz             residuals, where the cost is not diagonal (DENSE_COST)
 *   ROWS_TAPE   x, u, par, t -> h, dh/dz             general rows (NG > 0)
 *   CURVE_TAPE  x, u, l, f, par, t -> d2/dz2         of l' F + f' h, and r' d2r where the last f is 1 (EXACT)
 *
 * A Newton step has the Hessian G + w C with the Gauss-Newton part G, which is positive semidefinite, and the rest C of the
 * second derivatives of the Lagrangian. The recursion needs a positive reduced Hessian alone, so that w is 1 near a strict
 * minimum; elsewhere w is halved until all pivots are positive, and 0 after HALVINGS. */

enum { PLANNED, RESTARTED, SHIFTED, FELL_BACK };       /* where the inputs come from */
enum { IS_SOLVED, IS_CAPPED, IS_INFEASIBLE, NOT_FINITE, IS_LATE }; /* status of a sample */
enum { HALVINGS = 6 };

enum {
    N_X = (NN + 1) * NX,
    N_U = NN * NU,
    N_LAM = NR > 0 ? SIDES : 0,
    N_A = MIDPOINT ? NN * NV : 0,
    N_MEMORY = 2 + N_X + N_U + N_LAM + N_A,
    N_ANSWER = NU + 8 + 3 * N_PATH
};

struct control {
    struct quadratic Q;
    double X[NN + 1][NX], U[NN + 1][NU], A[NN + 1][NV], T[NN + 1], goal[NN + 1][NZ], start[NX];
    double F[NN][NX], h[NN + 1][NGA], r[NN][N_RESIDUALS + 1], J[NN][N_RESIDUALS + 1][NZP];
    double S[NN][MIDPOINT ? NV : 1][MIDPOINT ? NZ + 1 : 1], R[MIDPOINT ? NV : 1][PADDED(NV + NX + NU + 1)];
    double E[NN][MIDPOINT ? NV : 1][MIDPOINT ? NV + NZ + 1 : 1];
#if EXACT
    double C[NN + 1][NZ][NZP], costate[NN + 1][NX], force[NN + 1][NG + 1], old_lam[SIDES];
#endif
    double cost, exact, budget; /* `exact` is the weight of C in the last step; `budget` the seconds of a sample */
    int iterations;
};

static double clipped(int i, double u) {
    u = u < input_low[i] ? input_low[i] : u;
    return u > input_high[i] ? input_high[i] : u;
}

/* The plan of the last sample, later by SHIFT intervals. */
static void shift(const double *old, int n, int size, double *now, int last) {
    for (int k = 0; k < n; k++) {
        const double *const a = old + k * size, *const b = old + (k + 1 < n ? k + 1 : last) * size;
        for (int i = 0; i < size; i++) now[k * size + i] = SHIFT == 1.0 ? b[i] : a[i] + SHIFT * (b[i] - a[i]);
    }
}

static void begin_warm(struct control *S, const double *memory) {
    const double *const x = memory + 2, *const u = x + N_X, *const lam = u + N_U, *const a = lam + N_LAM;
    shift(x, NN + 1, NX, S->X[0], NN);
    shift(u, NN, NU, S->U[0], NN - 1);
    if (N_LAM) shift(lam, NN + 1, NCA, S->Q.lam, NN);
    if (MIDPOINT) shift(a, NN, NV, S->A[0], NN - 1);
    else (void)a;
}

static void begin_cold(struct control *S, const double *x) {
    for (int k = 0; k <= NN; k++) {
        memcpy(S->X[k], x, NX * sizeof(double));
        for (int i = 0; i < NU; i++) S->U[k][i] = clipped(i, S->goal[k < NN ? k : NN - 1][NX + i]);
        memset(S->A[k], 0, sizeof S->A[k]);
    }
}

#if MIDPOINT
/* [A B] and the next state of all intervals from the equations of motion at their midpoints: the accelerations are
 * further unknowns, which the linear equations of an interval eliminate (LU with partial pivots). 1: singular. */
static int eliminate(struct control *S) {
    enum { WIDTH = NV + NZ + 1, WIDE = PADDED(NV + NX + NU + 1) };
    for (int k = 0; k < NN; k++) {
        double(*const R)[WIDE] = S->R;
        for (int i = 0; i < NV; i++) {
            memcpy(R[i], S->E[k][i], WIDTH * sizeof(double));
            memset(R[i] + WIDTH, 0, (WIDE - WIDTH) * sizeof(double));
        }
        for (int p = 0; p < NV; p++) {
            int best = p;
            for (int i = p + 1; i < NV; i++) best = fabs(R[i][p]) > fabs(R[best][p]) ? i : best;
            if (!(fabs(R[best][p]) > 0.0)) return 1;
            if (best != p)
                for (int j = 0; j < WIDE; j++) {
                    const double keep = R[p][j];
                    R[p][j] = R[best][j], R[best][j] = keep;
                }
            const int from = p / 8 * 8;
            for (int i = p + 1; i < NV; i++) {
                const double f = R[i][p] / R[p][p];
                if (f != 0.0) add_scaled(WIDE - from, -f, R[p] + from, R[i] + from);
            }
        }
        for (int p = NV - 1; p >= 0; p--) {
            for (int i = p + 1; i < NV; i++)
                for (int j = NV; j < WIDTH; j++) R[p][j] -= R[p][i] * R[i][j];
            for (int j = NV; j < WIDTH; j++) R[p][j] /= R[p][p];
        }
        for (int i = 0; i < NV; i++) {
            double *const bq = S->Q.BA[k][i], *const bv = S->Q.BA[k][NV + i], *const s = S->S[k][i];
            for (int j = 0; j <= NZ; j++) s[j] = -R[i][NV + j];
            memset(bq, 0, NZP * sizeof(double)), memset(bv, 0, NZP * sizeof(double));
            for (int j = 0; j < NZ; j++) bv[j] = INTERVAL * s[j];
            bv[NV + i] += 1.0;
            for (int j = 0; j < NZ; j++) bq[j] = 0.5 * INTERVAL * bv[j];
            bq[i] += 1.0, bq[NV + i] += 0.5 * INTERVAL;
            const double v = S->X[k][NV + i] + INTERVAL * (S->A[k][i] + s[NZ]);
            S->F[k][NV + i] = v;
            S->F[k][i] = S->X[k][i] + 0.5 * INTERVAL * (S->X[k][NV + i] + v);
        }
        for (int i = 2 * NV; i < NX; i++) { /* inputs of the last interval */
            memset(S->Q.BA[k][i], 0, NZP * sizeof(double));
            S->Q.BA[k][i][NX + i - 2 * NV] = 1.0;
            S->F[k][i] = S->U[k][i - 2 * NV];
        }
    }
    return 0;
}
#endif

/* The quadratic programme at the plan; 1 if something is not finite. */
static int linearise(struct control *S, const double *par, double *work) {
    struct quadratic *const Q = &S->Q;
    memcpy(S->U[NN], S->U[NN - 1], sizeof S->U[NN]);
    const double *const in[] = {S->X[0], S->U[0], par, S->T};
    const long from[] = {NX, NU, 0, 1};
#if MIDPOINT
    const double *const at[] = {S->X[0], S->U[0], S->A[0], par, S->T};
    const long along[] = {NX, NU, NV, 0, 1};
    double *const out[] = {S->E[0][0]};
    const long to[] = {NV * (NV + NZ + 1)};
    if (STEP_TAPE(NN, at, along, out, to, work) || eliminate(S)) return 1;
#else
    double *const out[] = {S->F[0], Q->BA[0][0]};
    const long to[] = {NX, NX * NZP};
    if (STEP_TAPE(NN, in, from, out, to, work)) return 1;
#endif
    for (int k = 0; k < NN; k++)
        for (int i = 0; i < NX; i++) Q->c[k][i] = S->F[k][i] - S->X[k + 1][i];
    S->cost = 0.0;
#if DENSE_COST
    double *const residuals_[] = {S->r[0], S->J[0][0]};
    const long apart[] = {N_RESIDUALS + 1, (N_RESIDUALS + 1) * NZP};
    if (COST_TAPE(NN, in, from, residuals_, apart, work)) return 1;
    for (int k = 0; k < NN; k++) {
        multiply(NZ, NZP, N_RESIDUALS, S->J[k][0], 1, NZP, S->J[k][0], NZP, Q->H[k][0], NZP, 0);
        memset(Q->g[k], 0, sizeof Q->g[k]);
        for (int j = 0; j < N_RESIDUALS; j++) add_scaled(NZP, S->r[k][j], S->J[k][j], Q->g[k]);
        S->cost += 0.5 * dot(N_RESIDUALS, S->r[k], S->r[k]);
    }
#else
    for (int k = 0; k < NN; k++)
        for (int i = 0; i < NZ; i++) {
            const double e = (i < NX ? S->X[k][i] : S->U[k][i - NX]) - S->goal[k][i];
            Q->H[k][0][i] = stage_weight[i];
            Q->g[k][i] = stage_weight[i] * e;
            S->cost += 0.5 * stage_weight[i] * e * e;
        }
#endif
    for (int i = 0; i < NX; i++) {
        double sum_ = 0.0;
        for (int j = 0; j < NX; j++) sum_ += end_weight[i * NX + j] * (S->X[NN][j] - S->goal[NN][j]);
        Q->g[NN][i] = sum_;
        S->cost += 0.5 * sum_ * (S->X[NN][i] - S->goal[NN][i]);
        memcpy(Q->HN[i], end_weight + i * NX, NX * sizeof(double));
    }
#if NG > 0
    double *const rows[] = {S->h[0], Q->G[0][0]};
    const long rows_to[] = {NG, NG * NZP};
    if (ROWS_TAPE(NN + 1, in, from, rows, rows_to, work)) return 1;
#else
    (void)in, (void)from;
#endif
#if NB + NG > 0
    for (int k = 0; k <= NN; k++)
        for (int r = 0; r < NR; r++) {
            const int low = k * NC + r, high = low + NR, on = k >= row_from[r] && k <= row_to[r];
            const int e = r < NB ? box_entry[r] : 0;
            const double v = r >= NB ? S->h[k][r - NB] : e < NX ? S->X[k][e] : S->U[k][e - NX];
            Q->act[low] = on && row_low[r] > -1e300 ? 1.0 : 0.0;
            Q->act[high] = on && row_high[r] < 1e300 ? 1.0 : 0.0;
            Q->off[low] = Q->act[low] > 0.0 ? v - row_low[r] : 1.0;
            Q->off[high] = Q->act[high] > 0.0 ? row_high[r] - v : 1.0;
            for (int i = low; i <= high; i += NR) {
                Q->soft[i] = row_soft[r];
                Q->linear[i] = row_linear[r], Q->square[i] = row_square[r];
            }
        }
#endif
    return isfinite(S->cost) ? 0 : 1;
}

#if EXACT
/* Second derivatives C of the Lagrangian at the plan, with the multipliers of rows in S and their adjoint states. */
static int curvature(struct control *S, const double *par, double *work) {
    struct quadratic *const Q = &S->Q;
    const double *const in[] = {S->X[0], S->U[0], S->costate[0], S->force[0], par, S->T};
    const long from[] = {NX, NU, NX, NG + 1, 0, 1}, to[] = {NZ * NZP};
    double *const out[] = {S->C[0][0]};
    is_stationary(Q); /* for the adjoint states */
    for (int k = 0; k < NN; k++) memcpy(S->costate[k], Q->adjoint[k + 1], sizeof S->costate[k]);
    memset(S->costate[NN], 0, sizeof S->costate[NN]);
    for (int k = 0; k <= NN; k++) {
#if NG > 0
        for (int j = 0; j < NG; j++) {
            const int low = k * NC + NB + j, high = low + NR;
            S->force[k][j] = Q->act[high] * Q->lam[high] - Q->act[low] * Q->lam[low];
        }
#endif
        S->force[k][NG] = k < NN ? 1.0 : 0.0; /* residuals have no end */
    }
    return CURVE_TAPE(NN + 1, in, from, out, to, work);
}

/* Add w C to the Hessians. */
static void add_curvature(struct control *S, double w) {
    for (int k = 0; k <= NN; k++)
        for (int i = 0; i < (k < NN ? NZ : NX); i++)
            add_scaled(k < NN ? NZ : NX, w, S->C[k][i], k < NN ? S->Q.H[k < NN ? k : 0][i] : S->Q.HN[i < NX ? i : 0]);
}
#endif

/* Solve the quadratic programme at the plan; the weight of second derivatives falls until it is convex. */
static int improve(struct control *S, const double *par, int warm, int newton, double scale, double *work) {
    struct quadratic *const Q = &S->Q;
    int answer;
    S->exact = 0.0;
#if EXACT
    if (newton) {
        memcpy(S->old_lam, Q->lam, sizeof Q->lam);
        if (curvature(S, par, work)) return BROKEN;
        add_curvature(S, S->exact = 1.0);
    }
#else
    (void)par, (void)work, (void)newton;
#endif
    for (;;) {
        memset(Q->z, 0, sizeof Q->z), memset(Q->dz, 0, sizeof Q->dz);
        answer = quadratic_solve(Q, MOST_ITERATIONS, TOLERANCE * scale, FEASIBLE, warm, scale);
        S->iterations += Q->iterations;
        if (answer != BROKEN || !(S->exact > 0.0)) return answer;
#if EXACT
        const double next = S->exact > 1.5 / (1 << HALVINGS) ? 0.5 * S->exact : 0.0;
        add_curvature(S, next - S->exact);
        S->exact = next;
        memcpy(Q->lam, S->old_lam, sizeof Q->lam);
#endif
    }
}

#if END_ROW >= 0
/* The row of the terminal set is 1 - e' P e / END_LEVEL with the P of the cost at the end. Its multiplier adds its curvature
 * to the Hessian (sequential convex quadratic programming): without it, full steps need not converge. */
static void add_end_curvature(struct quadratic *Q) {
    const double w = 2.0 / END_LEVEL * Q->lam[NN * NC + NB + END_ROW];
    for (int i = 0; i < NX; i++) add_scaled(NX, w, end_weight + i * NX, Q->HN[i]);
}
#endif

static int is_late(const struct control *S, double more) {
    return S->Q.clock && S->Q.clock() + more >= S->Q.deadline;
}

/* One attempt from the plan in S, of some rounds; the first one begins with the multipliers in S if it is `warm`; `newton`:
 * second derivatives count where there are multipliers. Returns the status. Rounds that are done in time count. */
static int attempt(struct control *S, const double *x, const double *par, int rounds, int warm, int newton, double *work) {
    struct quadratic *const Q = &S->Q;
    int status = IS_LATE;
    double lap = 0.0;
    for (int round = 0; round < rounds; round++) {
        double largest_ = 0.0;
        const double begun = Q->clock ? Q->clock() : 0.0;
        if (is_late(S, lap)) return round ? IS_CAPPED : IS_LATE;
        if (linearise(S, par, work)) return NOT_FINITE;
        if (Q->clock) lap = Q->clock() - begun;
        for (int i = 0; i < NX; i++) Q->x0[i] = x[i] - S->X[0][i];
        memset(Q->z, 0, sizeof Q->z);
#if END_ROW >= 0
        if (warm || round) add_end_curvature(Q);
#endif
        const double mean = S->cost / (NR > 0 ? SIDES : 1), scale = mean > COST_FLOOR ? mean : COST_FLOOR;
        const int answer = improve(S, par, warm || round, newton && (warm || round), scale, work);
        if (answer == OVERDUE || is_late(S, 0.0)) {
            memset(Q->z, 0, sizeof Q->z);
            return round ? IS_CAPPED : IS_LATE;
        }
        if (answer == BROKEN) return Q->iterations > 0 ? IS_INFEASIBLE : NOT_FINITE; /* multipliers without bound */
        if (Q->residual > ACCEPTED || Q->left > 0.5) return IS_INFEASIBLE;
        status = answer == CAPPED ? IS_CAPPED : IS_SOLVED;
        for (int k = 0; k <= NN; k++)
            for (int i = 0; i < (k < NN ? NZ : NX); i++) {
                double *const at = i < NX ? &S->X[k][i] : &S->U[k][i - NX];
                const double step = fabs(Q->z[k][i]) / (1.0 + fabs(*at));
                *at += Q->z[k][i];
                largest_ = step > largest_ ? step : largest_;
            }
#if MIDPOINT
        for (int k = 0; k < NN; k++)
            for (int i = 0; i < NV; i++) S->A[k][i] += S->S[k][i][NZ] + dot(NZ, S->S[k][i], Q->z[k]);
#endif
        if (!isfinite(largest_)) return NOT_FINITE;
        if (largest_ < CONVERGED) break;
    }
    return status;
}

#if NB + NG > 0
/* Largest violation of hard rows and of soft ones by the plan itself, not by the linearised rows. */
static void beyond(struct control *S, const double *par, double *violation, double *slack, double *work) {
    memcpy(S->U[NN], S->U[NN - 1], sizeof S->U[NN]);
#if NG > 0
    const double *const in[] = {S->X[0], S->U[0], par, S->T};
    const long from[] = {NX, NU, 0, 1}, to[] = {NG, NG * NZP};
    double *const out[] = {S->h[0], S->Q.G[0][0]};
    if (ROWS_TAPE(NN + 1, in, from, out, to, work)) *violation = NAN;
#else
    (void)par, (void)work;
#endif
    for (int k = 0; k <= NN; k++)
        for (int r = 0; r < NR; r++) {
            if (k < row_from[r] || k > row_to[r]) continue;
            const int e = r < NB ? box_entry[r] : 0;
            const double v = r >= NB ? S->h[k][r - NB] : e < NX ? S->X[k][e] : S->U[k][e - NX];
            const double low = row_low[r] - v, high = v - row_high[r], most = low > high ? low : high;
            double *const worst = row_soft[r] > 0.0 ? slack : violation;
            *worst = most > *worst ? most : *worst;
        }
}
#endif

/* The state with the quaternions that are nearer to the reference. */
static void nearer_signs(const double *x, const double *goal, double *nearer) {
    memcpy(nearer, x, NX * sizeof(double));
    for (int j = 0; j < N_ATTITUDES; j++)
        nearer_quaternion(x + attitude_at[j], goal + attitude_at[j], nearer + attitude_at[j]);
}

#if N_PATH > 0
/* Positions of a frame at some stages of a plan; without one, its position now. */
static void predicted_path(struct control *S, const double *memory, const double *par, double *path, double *work) {
    for (int j = 0; j < N_PATH; j++) {
        const int k = memory[0] > 0.5 ? path_stage[j] : 0;
        const double *const in[] = {memory[0] > 0.5 ? memory + 2 + k * NX : S->start, par, &S->T[k]};
        const long from[] = {0, 0, 0}, to[] = {3};
        double *const out[] = {path + 3 * j};
        if (PATH_TAPE(1, in, from, out, to, work)) memset(path + 3 * j, 0, 3 * sizeof(double));
    }
}
#endif

/* A sample: x, parameters and the inputs of the fallback law in; inputs, status, iterations, violation, slack, action,
 * cost, seconds, weight of second derivatives and the predicted path out. */
static void control_sample(struct control *S, double t, const double *x, const double *par, const double *fallback,
                           const double *memory, double *next, double *answer, double *work) {
    struct quadratic *const Q = &S->Q;
    const double *const in[] = {par, S->T};
    const long from[] = {0, 1}, to[] = {NZ};
    double *const out[] = {S->goal[0]};
    int status = NOT_FINITE, action = PLANNED, finite = 1;
    double violation = 0.0, slack = 0.0;
    const double begun = Q->clock ? Q->clock() : 0.0;
    Q->deadline = begun + S->budget;
    S->iterations = 0, S->cost = S->exact = 0.0;
    for (int k = 0; k <= NN; k++) S->T[k] = t + k * INTERVAL;
    for (int i = 0; i < NX; i++) finite = finite && isfinite(x[i]);
    if (GOAL_TAPE(NN + 1, in, from, out, to, work)) finite = 0;
    nearer_signs(x, S->goal[0], S->start);
    x = S->start;
    if (finite) {
        if (memory[0] > 0.5) {
            begin_warm(S, memory);
            status = attempt(S, x, par, ROUNDS, 1, 1, work);
            if (status >= IS_INFEASIBLE && status != IS_LATE) { /* the same plan, with multipliers from nowhere */
                action = RESTARTED;
                begin_warm(S, memory);
                status = attempt(S, x, par, ROUNDS, 0, 0, work);
            }
        }
        for (int newton = EXACT; newton >= 0 && status >= IS_INFEASIBLE && status != IS_LATE; newton--) {
            action = memory[0] > 0.5 || newton < EXACT ? RESTARTED : PLANNED;
            begin_cold(S, x);
            status = attempt(S, x, par, COLD_ROUNDS, 0, newton, work);
        }
    }
    memset(next, 0, N_MEMORY * sizeof(double));
    if (status < IS_INFEASIBLE) {
        double *const at = next + 2;
        next[0] = 1.0;
        memcpy(at, S->X, N_X * sizeof(double));
        memcpy(at + N_X, S->U, N_U * sizeof(double));
        if (N_LAM) memcpy(at + N_X + N_U, Q->lam, N_LAM * sizeof(double));
        if (N_A) memcpy(at + N_X + N_U + N_LAM, S->A, N_A * sizeof(double));
#if NB + NG > 0
        beyond(S, par, &violation, &slack, work);
#endif
        memcpy(answer, S->U[0], NU * sizeof(double));
    } else if (memory[0] > 0.5 && memory[1] < NN - 1) {
        action = SHIFTED;
        begin_warm(S, memory);
        next[0] = 1.0, next[1] = memory[1] + 1.0;
        memcpy(next + 2, S->X, N_X * sizeof(double));
        memcpy(next + 2 + N_X, S->U, N_U * sizeof(double));
        if (N_LAM) memcpy(next + 2 + N_X + N_U, Q->lam, N_LAM * sizeof(double));
        if (N_A) memcpy(next + 2 + N_X + N_U + N_LAM, S->A, N_A * sizeof(double));
        memcpy(answer, S->U[0], NU * sizeof(double));
    } else {
        action = FELL_BACK;
        for (int i = 0; i < NU; i++) answer[i] = isfinite(fallback[i]) ? fallback[i] : 0.0;
    }
    for (int i = 0; i < NU; i++) answer[i] = clipped(i, answer[i]);
    answer[NU] = status, answer[NU + 1] = S->iterations, answer[NU + 2] = violation, answer[NU + 3] = slack;
    answer[NU + 4] = action, answer[NU + 5] = isfinite(S->cost) ? S->cost : 0.0;
    answer[NU + 6] = Q->clock ? Q->clock() - begun : 0.0, answer[NU + 7] = S->exact;
#if N_PATH > 0
    predicted_path(S, next, par, answer + NU + 8, work);
#endif
}
