/* Quadratic programmes over a horizon, by a primal-dual interior point method on a Riccati recursion.
 *
 *     min sum_k 1/2 z_k' H_k z_k + g_k' z_k,   z_k = (x_k, u_k) for k = 0 .. NN - 1, z_NN = x_NN,
 *     x_{k+1} = [A_k B_k] z_k + c_k,  x_0 given (free with FREE_START),
 *     low <= row z_k + s,  row z_k - s <= high,  s >= 0 costs w s + 1/2 W s^2 where a side is soft, and is 0 elsewhere.
 *
 * Rows are NB entries of z (`box_entry`) and NG general ones. Sizes are known when this is compiled: NX, NU, NN, NB, NG;
 * DENSE_COST says whether H is full or diagonal before the end, SOFT_ROWS whether there are soft sides. Nothing is allocated.
 *
 * Predictor and corrector follow Mehrotra (1992), the recursion Rao, Wright and Rawlings (1998). A side of a row
 * has its distance t = +-(row z - bound) + s > 0 with the multiplier lam > 0, and the slack s > 0 with the multiplier nu > 0. */
#ifndef QUADRATIC_H
#define QUADRATIC_H

#include <math.h>
#include <string.h>

#include "products.h"

enum {
    NZ = NX + NU,
    NXP = PADDED(NX),
    NZP = PADDED(NX + NU),
    NR = NB + NG,       /* rows of a stage */
    NC = 2 * NR,        /* and their sides: all lower ones, then all upper ones */
    SIDES = NR > 0 ? (NN + 1) * NC : 1,
    NCA = NC > 0 ? NC : 1,
    NGA = NG > 0 ? NG : 1,
    NUA = NU > 0 ? NU : 1,
    NRA = NR > 0 ? NR : 1,
    COST_ROWS = DENSE_COST ? NZ : 1
};

enum { SOLVED, CAPPED, BROKEN, OVERDUE };

#ifndef TIMED
#define TIMED 0 /* whether a clock may end it */
#endif

struct quadratic {
    /* the problem; `act` is 1 on sides with a bound, 0 elsewhere; `off` is -low or high */
    double BA[NN][NX][NZP], c[NN][NXP], H[NN][COST_ROWS][NZP], HN[NX][NXP], g[NN + 1][NZP], G[NN + 1][NGA][NZP], x0[NXP];
    double off[SIDES], act[SIDES], soft[SIDES], linear[SIDES], square[SIDES];
    /* its solution */
    double z[NN + 1][NZP], lam[SIDES], t[SIDES], s[SIDES], nu[SIDES];
    double mu, residual, left; /* mean complementarity; largest residual of rows; part of the first stationarity */
    int iterations, repairs;
    /* the recursion */
    double P[NN + 1][NX][NXP], U[NN][NUA][NZP], ud[NN][NUA], Pb[NN + 1][NXP], pv[NN + 1][NXP], y[NN][NUA];
    double W[NX][NZP], M[NZ][NZP], scaled[NZ][NZP], L0[NX][NXP], start[NXP];
    double gb[NN + 1][NZP], dz[NN + 1][NZP], rb[NN][NXP], D[SIDES], value[SIDES];
    double rd[SIDES], rs[SIDES], e[SIDES], fixed[SIDES], dl[SIDES], dt[SIDES], ds[SIDES], dn[SIDES], rm[SIDES], rn[SIDES];
    double ratio[SIDES];
    double adjoint[NN + 1][NXP]; /* derivatives of the cost to go with respect to the states, by is_stationary */
#if TIMED
    double (*clock)(void); /* NULL: no deadline */
    double deadline;
#endif
};

static double largest(const double *x, int n) {
    double m[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int l = 0; l < 4; l++) m[l] = x[i + l] > m[l] ? x[i + l] : m[l];
    for (; i < n; i++) m[0] = x[i] > m[0] ? x[i] : m[0];
    m[0] = m[1] > m[0] ? m[1] : m[0], m[2] = m[3] > m[2] ? m[3] : m[2];
    return m[0] > m[2] ? m[0] : m[2];
}

static double sum(const double *x, int n) {
    double m[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int l = 0; l < 4; l++) m[l] += x[i + l];
    for (; i < n; i++) m[0] += x[i];
    return (m[0] + m[1]) + (m[2] + m[3]);
}

static double dot(int n, const double *x, const double *y) {
    double m[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int l = 0; l < 4; l++) m[l] += x[i + l] * y[i + l];
    for (; i < n; i++) m[0] += x[i] * y[i];
    return (m[0] + m[1]) + (m[2] + m[3]);
}

/* Values of all sides at z: the rows, and their negatives for upper sides. */
static void side_values(const struct quadratic *Q, const double (*z)[NZP], double *value) {
#if NB + NG > 0
    for (int k = 0; k <= NN; k++) {
        double *const v = value + k * NC;
        for (int b = 0; b < NB; b++) v[b] = z[k][box_entry[b]];
        for (int j = 0; j < NG; j++) v[NB + j] = dot(NZP, Q->G[k][j], z[k]);
        for (int r = 0; r < NR; r++) v[NR + r] = -v[r];
    }
#else
    (void)Q, (void)z, (void)value;
#endif
}

/* Residuals of dynamics and rows at the iterate, the weights D of the sides, and the mean complementarity. */
static void residuals(struct quadratic *Q, double n_pairs) {
    double worst = 0.0;
    for (int k = 0; k < NN; k++)
        for (int i = 0; i < NX; i++) {
            const double r = Q->c[k][i] - Q->z[k + 1][i] + dot(NZP, Q->BA[k][i], Q->z[k]);
            Q->rb[k][i] = r;
            worst = fabs(r) > worst ? fabs(r) : worst;
        }
    Q->mu = 0.0;
    if (NR > 0) {
        side_values(Q, (const double(*)[NZP])Q->z, Q->value);
        for (int i = 0; i < SIDES; i++) {
            const double t = Q->t[i], l = Q->lam[i];
            double rd = Q->value[i] + Q->off[i] - t, ratio = t / l, pairs = l * t;
#if SOFT_ROWS
            const double s = Q->s[i], nu = Q->nu[i], on = Q->soft[i];
            const double e = on / (Q->square[i] + nu / s);
            rd += on * s;
            Q->rs[i] = on * (Q->linear[i] + Q->square[i] * s - l - nu);
            Q->e[i] = e;
            ratio += e;
            pairs += on * s * nu;
#endif
            Q->rd[i] = rd * Q->act[i];
            Q->D[i] = Q->act[i] / ratio;
            Q->ratio[i] = pairs * Q->act[i];
        }
        Q->mu = sum(Q->ratio, SIDES) / n_pairs;
        for (int i = 0; i < SIDES; i++) Q->ratio[i] = fabs(Q->rd[i]);
        const double rows = largest(Q->ratio, SIDES);
        worst = rows > worst ? rows : worst;
    }
    Q->residual = worst;
}

/* Hessian of a stage with the weights of its rows, into the first `size` rows of M. */
static void weighted_cost(struct quadratic *Q, int k, int size, double (*M)[NZP]) {
    for (int i = 0; i < size; i++) {
        memset(M[i], 0, sizeof M[i]);
        if (k == NN) memcpy(M[i], Q->HN[i], NX * sizeof(double));
        else if (DENSE_COST) memcpy(M[i], Q->H[k][DENSE_COST ? i : 0], sizeof M[i]);
        else M[i][i] = Q->H[k][0][i];
    }
#if NB + NG > 0
    const double *const D = Q->D + k * NC;
    for (int b = 0; b < NB; b++)
        if (box_entry[b] < size) M[box_entry[b]][box_entry[b]] += D[b] + D[NR + b];
#if NG > 0
    for (int j = 0; j < NG; j++) {
        const double d = D[NB + j] + D[NR + NB + j];
        for (int i = 0; i < NZP; i++) Q->scaled[j % NZ][i] = d * Q->G[k][j][i];
        if (j % NZ == NZ - 1 || j == NG - 1) {
            const int n = j % NZ + 1;
            multiply(size, NZP, n, Q->scaled[0], 1, NZP, Q->G[k][j + 1 - n], NZP, M[0], NZP, 1);
        }
    }
#endif
#endif
}

/* Cholesky factor of the first matrix of the recursion, where the start is free; 1 if it is not positive. */
static int factor_start(struct quadratic *Q) {
#if FREE_START
    for (int j = 0; j < NX; j++) {
        double d = Q->P[0][j][j] - dot(j, Q->L0[j], Q->L0[j]);
        if (!(d > 0.0)) return 1;
        d = sqrt(d);
        Q->L0[j][j] = d;
        for (int i = j + 1; i < NX; i++) Q->L0[i][j] = (Q->P[0][i][j] - dot(j, Q->L0[i], Q->L0[j])) / d;
    }
#else
    (void)Q;
#endif
    return 0;
}

/* Backward recursion of the matrices; 1 if a pivot is not positive. */
static int factor(struct quadratic *Q) {
    weighted_cost(Q, NN, NX, Q->M);
    for (int i = 0; i < NX; i++) memcpy(Q->P[NN][i], Q->M[i], NX * sizeof(double));
    for (int k = NN - 1; k >= 0; k--) {
        double(*const M)[NZP] = Q->M;
        const double *const BA = Q->BA[k][0];
        multiply(NX, NZP, NX, Q->P[k + 1][0], NXP, 1, BA, NZP, Q->W[0], NZP, 0);
        weighted_cost(Q, k, NZ, M);
        if (k > 0 || FREE_START) /* the upper triangle is enough */
            for (int i = 0; i < NX; i += 4) {
                const int rows = NX - i < 4 ? NX - i : 4, from = i / 8 * 8;
                multiply(rows, NXP - from, NX, BA + i, 1, NZP, Q->W[0] + from, NZP, M[i] + from, NZP, 1);
            }
        multiply(NU, NZP, NX, BA + NX, 1, NZP, Q->W[0], NZP, M[NX], NZP, 1);
        for (int j = 0; j < NU; j++) {
            const double pivot = M[NX + j][NX + j];
            if (!(pivot > 0.0) || !isfinite(pivot)) return 1;
            const double d = 1.0 / pivot;
            memcpy(Q->U[k][j], M[NX + j], sizeof M[0]);
            Q->ud[k][j] = d;
            for (int i = j + 1; i < NU; i++) add_scaled(NZP, -d * M[NX + j][NX + i], M[NX + j], M[NX + i]);
            for (int i = 0; i < NZP; i++) Q->scaled[j][i] = -d * M[NX + j][i];
        }
        if (k > 0 || FREE_START) {
            for (int i = 0; i < NX; i += 4) {
                const int rows = NX - i < 4 ? NX - i : 4, from = i / 8 * 8;
                multiply(rows, NXP - from, NU, Q->scaled[0] + i, 1, NZP, Q->U[k][0] + from, NZP, M[i] + from, NZP, 1);
            }
            for (int i = 0; i < NX; i++)
                for (int j = i; j < NX; j++) Q->P[k][i][j] = Q->P[k][j][i] = M[i][j];
        }
    }
    return factor_start(Q);
}

/* Newton step dz for the gradient gb; `fresh`: the residuals of the dynamics have changed since the last one. */
static void solve(struct quadratic *Q, int fresh) {
    memcpy(Q->pv[NN], Q->gb[NN], NX * sizeof(double));
    for (int k = NN - 1; k >= 0; k--) {
        double m[NZP];
        if (fresh)
            for (int i = 0; i < NX; i++) Q->Pb[k + 1][i] = dot(NX, Q->P[k + 1][i], Q->rb[k]);
        memcpy(m, Q->gb[k], sizeof m);
        for (int j = 0; j < NX; j++) add_scaled(NZP, Q->pv[k + 1][j] + Q->Pb[k + 1][j], Q->BA[k][j], m);
        for (int j = 0; j < NU; j++) {
            const double y = m[NX + j] * Q->ud[k][j];
            Q->y[k][j] = y;
            add_scaled(NZP, -y, Q->U[k][j], m);
        }
        memcpy(Q->pv[k], m, NX * sizeof(double));
    }
#if FREE_START
    for (int i = 0; i < NX; i++) Q->start[i] = (-Q->pv[0][i] - dot(i, Q->L0[i], Q->start)) / Q->L0[i][i];
    for (int i = NX - 1; i >= 0; i--) {
        double r = Q->start[i];
        for (int j = i + 1; j < NX; j++) r -= Q->L0[j][i] * Q->start[j];
        Q->start[i] = r / Q->L0[i][i];
    }
    memcpy(Q->dz[0], Q->start, NX * sizeof(double));
#else
    for (int i = 0; i < NX; i++) Q->dz[0][i] = Q->x0[i] - Q->z[0][i];
#endif
    for (int k = 0; k < NN; k++) {
        double *const d = Q->dz[k];
        for (int j = NU - 1; j >= 0; j--) {
            double r = dot(NX, Q->U[k][j], d);
            for (int i = j + 1; i < NU; i++) r += Q->U[k][j][NX + i] * d[NX + i];
            d[NX + j] = -Q->y[k][j] - r * Q->ud[k][j];
        }
        for (int i = 0; i < NX; i++) Q->dz[k + 1][i] = Q->rb[k][i] + dot(NZP, Q->BA[k][i], d);
    }
}

/* The part of the steps of the multipliers that does not depend on dz, and the gradient with it. `centre` is the
 * complementarity to reach, `correct` whether second-order terms of the last step count. */
static void aim(struct quadratic *Q, double centre, int correct) {
    for (int k = 0; k < NN; k++)
#if DENSE_COST
        for (int i = 0; i < NZ; i++) Q->gb[k][i] = Q->g[k][i] + dot(NZP, Q->H[k][i], Q->z[k]);
#else
        for (int i = 0; i < NZ; i++) Q->gb[k][i] = Q->g[k][i] + Q->H[k][0][i] * Q->z[k][i];
#endif
    for (int i = 0; i < NX; i++) Q->gb[NN][i] = Q->g[NN][i] + dot(NX, Q->HN[i], Q->z[NN]);
#if NB + NG > 0
    for (int i = 0; i < SIDES; i++) {
        double rm = centre - Q->lam[i] * Q->t[i] - (correct ? Q->dt[i] * Q->dl[i] : 0.0);
        double x = rm / Q->lam[i] - Q->rd[i];
#if SOFT_ROWS
        const double rn = centre - Q->nu[i] * Q->s[i] - (correct ? Q->ds[i] * Q->dn[i] : 0.0);
        x -= Q->e[i] * (rn / Q->s[i] - Q->rs[i]);
        Q->rn[i] = rn;
#endif
        Q->rm[i] = rm;
        Q->fixed[i] = Q->D[i] * x;
    }
    for (int k = 0; k <= NN; k++) {
        const double *const l = Q->lam + k * NC, *const f = Q->fixed + k * NC, *const a = Q->act + k * NC;
        for (int r = 0; r < NR; r++) {
            const double force = a[NR + r] * (l[NR + r] + f[NR + r]) - a[r] * (l[r] + f[r]);
            if (r < NB) Q->gb[k][box_entry[r]] += force;
#if NG > 0
            else add_scaled(NZP, force, Q->G[k][r - NB], Q->gb[k]);
#endif
        }
    }
#else
    (void)centre, (void)correct;
#endif
}

/* Steps of multipliers, distances and slacks for dz; returns the longest step that leaves all of them positive. */
static double reach(struct quadratic *Q) {
#if NB + NG > 0
    side_values(Q, (const double(*)[NZP])Q->dz, Q->value);
    for (int i = 0; i < SIDES; i++) {
        const double dl = Q->fixed[i] - Q->D[i] * Q->value[i], dt = (Q->rm[i] - Q->t[i] * dl) / Q->lam[i];
        double a = -dl / Q->lam[i];
        const double b = -dt / Q->t[i];
        a = a > b ? a : b;
#if SOFT_ROWS
        const double ds = Q->e[i] * (dl - Q->rs[i] + Q->rn[i] / Q->s[i]);
        const double dn = Q->soft[i] * (Q->rn[i] - Q->nu[i] * ds) / Q->s[i];
        const double c = -ds / Q->s[i] * Q->soft[i], d = -dn / Q->nu[i] * Q->soft[i];
        Q->ds[i] = ds, Q->dn[i] = dn;
        a = a > c ? a : c;
        a = a > d ? a : d;
#endif
        Q->dl[i] = dl, Q->dt[i] = dt;
        Q->ratio[i] = a * Q->act[i];
    }
    const double most = largest(Q->ratio, SIDES);
    return most > 1e-9 ? 1.0 / most : 1e9;
#else
    (void)Q;
    return 1e9;
#endif
}

/* Distances, multipliers and slacks of all sides at z. All pairs get the complementarity mu: a side that is at its bound
 * keeps the multiplier it has (`warm`), one that is away from it gets the multiplier that its distance implies. No pair is
 * then far off the central path, which is where warm starts stall. */
static void centre_sides(struct quadratic *Q, int warm, double mu) {
#if NB + NG > 0
    side_values(Q, (const double(*)[NZP])Q->z, Q->value);
    for (int k = 0; k <= NN; k++)
        for (int j = 0; j < NC; j++) {
            const int i = k * NC + j, o = k * NC + (j < NR ? j + NR : j - NR);
            const double v = Q->value[i] + Q->off[i];
            const double range = Q->act[o] > 0.0 ? Q->off[i] + Q->off[o] : 1.0;
            double t = 0.1 * range, l = Q->lam[i];
            if (!(Q->act[i] > 0.0)) {
                Q->t[i] = Q->lam[i] = Q->s[i] = Q->nu[i] = 1.0;
                continue;
            }
            if (warm && l > 0.0) {
                if (Q->soft[i] > 0.0 && !(Q->square[i] > 0.0) && l > 0.99 * Q->linear[i]) l = 0.99 * Q->linear[i];
                t = mu / l < t ? mu / l : t;
            }
            t = v > t ? v : t;
            l = mu / t;
            Q->s[i] = Q->nu[i] = 1.0;
            if (Q->soft[i] > 0.0) {
                const double w = Q->linear[i], W = Q->square[i];
                if (W > 0.0) {
                    const double b = w - l;
                    Q->s[i] = (sqrt(b * b + 4.0 * W * mu) - b) / (2.0 * W);
                } else {
                    if (l > 0.99 * w) l = 0.99 * w;
                    Q->s[i] = mu / (w - l);
                }
                Q->nu[i] = mu / Q->s[i];
            }
            Q->t[i] = t, Q->lam[i] = l;
        }
#else
    (void)Q, (void)warm, (void)mu;
#endif
}

/* Whether z and lam are stationary: gradients with respect to inputs (and a free start) vanish, by the adjoint states. */
static int is_stationary(struct quadratic *Q) {
    double scale = 1e-300, worst = 0.0;
    for (int k = NN; k >= 0; k--) {
        const int size = k < NN ? NZ : NX;
        double *const g = Q->gb[k];
        for (int i = 0; i < size; i++) {
            const double *const row = k == NN ? Q->HN[i < NX ? i : 0] : Q->H[k < NN ? k : 0][DENSE_COST ? i : 0];
            const double slope = k == NN ? dot(NX, row, Q->z[k]) : DENSE_COST ? dot(NZP, row, Q->z[k]) : row[i] * Q->z[k][i];
            g[i] = Q->g[k][i] + slope;
            scale = fabs(g[i]) > scale ? fabs(g[i]) : scale;
        }
#if NB + NG > 0
        for (int r = 0; r < NR; r++) {
            const int low = k * NC + r, high = low + NR;
            const double force = Q->act[high] * Q->lam[high] - Q->act[low] * Q->lam[low];
            if (r < NB) {
                if (box_entry[r] < size) g[box_entry[r]] += force;
            }
#if NG > 0
            else add_scaled(size, force, Q->G[k][r - NB], g);
#endif
        }
#endif
        if (k < NN)
            for (int j = 0; j < NX; j++) add_scaled(NZ, Q->adjoint[k + 1][j], Q->BA[k][j], g);
        for (int i = NX; i < size; i++) worst = fabs(g[i]) > worst ? fabs(g[i]) : worst;
        memcpy(Q->adjoint[k], g, NX * sizeof(double));
        for (int i = 0; i < NX; i++) scale = fabs(g[i]) > scale ? fabs(g[i]) : scale;
    }
    for (int i = 0; i < NX && FREE_START; i++) worst = fabs(Q->adjoint[0][i]) > worst ? fabs(Q->adjoint[0][i]) : worst;
    return worst <= 1e-5 * scale;
}

/* Solve; z, and lam for a warm start, are where it begins. `first` is the complementarity that a cold start and a repair
 * begin with, `tolerance` that of the result, `feasible` the largest residual of dynamics and rows. An iteration that is
 * stuck is begun anew from the sides at its z. With a clock it ends before the iteration that would pass the deadline. */
static int quadratic_solve(struct quadratic *Q, int most, double tolerance, double feasible, int warm, double first) {
    double pairs = 0.0;
    int stuck = 0;
    for (int i = 0; i < SIDES && NR > 0; i++) pairs += Q->act[i] * (1.0 + Q->soft[i]);
    pairs = pairs > 0.0 ? pairs : 1.0;
    if (!FREE_START) memcpy(Q->z[0], Q->x0, NX * sizeof(double));
    centre_sides(Q, warm, warm ? 10.0 * tolerance : first);
    Q->left = 1.0, Q->iterations = Q->repairs = 0;
#if TIMED
    double lap = 0.0, begun = Q->clock ? Q->clock() : 0.0;
#endif
    for (;;) {
        residuals(Q, pairs);
        if (!isfinite(Q->mu) || !isfinite(Q->residual)) return BROKEN;
        if (Q->iterations && Q->mu < tolerance && Q->residual < feasible && Q->left < 1e-6) {
            if (is_stationary(Q)) return SOLVED;
            stuck = 2; /* nonsense that rounding has hidden */
        }
        if (Q->iterations >= most) return CAPPED;
#if TIMED
        if (Q->clock) {
            const double now = Q->clock();
            lap = now - begun > lap ? now - begun : lap, begun = now;
            if (now + lap >= Q->deadline) return OVERDUE;
        }
#endif
        if (stuck >= 2 && Q->repairs < 2) {
            centre_sides(Q, 0, Q->mu > first ? Q->mu : first);
            Q->left = 1.0, stuck = 0, Q->repairs++;
            residuals(Q, pairs);
        }
        if (factor(Q)) return BROKEN;
        aim(Q, 0.0, 0);
        solve(Q, 1);
        double step = reach(Q);
        if (NR > 0) {
            const double a = step < 1.0 ? step : 1.0;
            for (int i = 0; i < SIDES; i++) {
                double p = (Q->lam[i] + a * Q->dl[i]) * (Q->t[i] + a * Q->dt[i]);
#if SOFT_ROWS
                p += Q->soft[i] * (Q->s[i] + a * Q->ds[i]) * (Q->nu[i] + a * Q->dn[i]);
#endif
                Q->ratio[i] = p * Q->act[i];
            }
            const double part = sum(Q->ratio, SIDES) / pairs / Q->mu;
            const double centre = part * part * part * Q->mu, least = 0.1 * tolerance;
            aim(Q, centre > least ? centre : least, 1);
            solve(Q, 0);
            step = reach(Q);
        }
        step = step < 1.0 / 0.995 ? 0.995 * step : 1.0;
        for (int k = 0; k <= NN; k++) add_scaled(NZP, step, Q->dz[k], Q->z[k]);
        for (int i = 0; i < SIDES && NR > 0; i++) {
            const double a = step * Q->act[i], b = a * Q->soft[i];
            Q->lam[i] += a * Q->dl[i], Q->t[i] += a * Q->dt[i];
            Q->s[i] += b * Q->ds[i], Q->nu[i] += b * Q->dn[i];
        }
        Q->left *= 1.0 - step;
        Q->iterations++;
        stuck = step < 0.1 ? stuck + 1 : 0;
    }
}

#endif
