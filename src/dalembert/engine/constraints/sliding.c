/* Contacts with friction, beside constrained.c: the equations of motion where pairs slip are not symmetric.
 *
 *     M a + K^T lambda = f,    J a = gamma,    K_n = J_n + sum drag_j J_j
 *
 * A pair that sticks has its own tangential rows; the friction of one that slips is a part of the normal force, K_n.
 * The multipliers are counted from given ones (`shares`), so that indeterminate forces stay as they were shared, also
 * where constraints that hold could carry it. Friction of slow slips is turned to where they are going.
 *
 * A joint with friction that sticks is a pair without a normal (its row is -1): one tangent, and a limit F in its `cone`.
 * While it slips its friction is known, -F d, and a part of f.
 *
 * The friction of a joint may be proportional to a load, the multipliers N of rows that hold: the tooth force of a gear,
 * the reaction of a bearing. Its `cone` has the coefficient c in the place of the limit; while it slips in the direction d,
 * its friction is -c d |N|, a part of the forces N: K_i = J_i - c d (N_i / |N|) J_t. Where no N fits, the gear jams.
 *
 * The load of the bearing of a turning sheave is the sum of the tensions beside it (`tugs`), which do not change sign: its
 * friction is a part of these tensions (`rub_bearings` of reeving.c).
 *
 * Ropes over sheaves have a normal of the whole rope and a tangent of each sheave (reeving.c).
 */

#define LEAD 1e-4    /* time [s] by which friction of a slip that has only just begun is ahead of it */
#define SLOW 1e-5    /* slip [m/s] beyond which that falls off, */
#define FAST 1e-2    /* and from which on there is none */
#define TURNED 1e-7  /* angle [rad] by which friction may still have to turn */
#define TURNS 12     /* how often it turns at most */
#define HALVES 8     /* and how often a turn is halved */
#define LOAD_ROUNDS 60 /* how often the load of a joint that slips is found anew at most */
#define LOAD_TURNED 1e-11 /* change of its direction that is rounding */
#define DEPENDENT 1e-9 /* part of the largest entry below which a pivot says that rows depend on others */
#define INDEPENDENT 1e-4 /* part above which scaled rows do not, although unscaled ones look so */

#include "elimination.h"

/* S mu = rhs with S = Y^T Z (m x m) not symmetric: by elimination, or with the mu of least norm where rows depend on
 * others (1). Rows of light bodies beside heavy ones look as if they depended, until Y and Z are scaled to columns of
 * length one. The pivot of a contact that jams, where the two are orthogonal, stays small then. */
static int solve_general(struct constrained *C, const double *S, const double *rhs, double *mu) {
    const int64_t m = C->n_active;
    double *A = C->U, *b = C->b, *y = C->dense_work, *z = y + m; /* free up to here */
    memcpy(A, S, doubles(m * m));
    memcpy(b, rhs, doubles(m));
    if (eliminate(A, m, b, DEPENDENT * largest_of(A, m * m))) {
        memcpy(mu, b, doubles(m));
        return 0;
    }
    memset(y, 0, doubles(2 * m));
    for (int64_t k = 0; k < C->nv; k++)
        for (int64_t i = 0; i < m; i++) {
            y[i] += C->Y[k * m + i] * C->Y[k * m + i];
            z[i] += C->Z[k * m + i] * C->Z[k * m + i];
        }
    for (int64_t i = 0; i < 2 * m; i++) y[i] = y[i] > 0.0 ? 1.0 / sqrt(y[i]) : 1.0;
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < m; j++) A[i * m + j] = y[i] * S[i * m + j] * z[j];
        b[i] = y[i] * rhs[i];
    }
    if (eliminate(A, m, b, INDEPENDENT * largest_of(A, m * m))) {
        for (int64_t k = 0; k < m; k++) mu[k] = b[k] * z[k];
        return 0;
    }
    const struct memory memory = {C->dense_work};
    lstsq(S, m, m, rhs, mu, 1e-9, m, memory);
    return 1;
}

/* The multipliers mu nearest to the given ones among all with the same Z mu (Z: nv x count, their effects): rows
 * without given ones, constraints that hold, are free. Else the least norm of all would shift forces of contacts to
 * those of a closed loop, away from how they were shared. */
static void keep_shares(struct constrained *C, const double *Z) {
    const int64_t nv = C->nv, count = C->n_active;
    struct memory memory = {C->dense_work};
    int64_t *place = take_integers(&memory, count), h = 0, c = 0;
    for (int64_t i = 0; i < count; i++)
        if (C->shares[C->active[i]] < 0) place[h++] = i;
    for (int64_t i = 0; i < count; i++)
        if (C->shares[C->active[i]] >= 0) place[h + c++] = i;
    if (!h || !c) return;
    double *A = take(&memory, nv * h), *B = take(&memory, nv * (c + 1)), *y = take(&memory, h), *x = take(&memory, c),
           *column = take(&memory, nv), *w = take(&memory, nv);
    for (int64_t k = 0; k < nv; k++) {
        for (int64_t i = 0; i < h; i++) A[k * h + i] = Z[k * count + place[i]];
        for (int64_t i = 0; i < c; i++) B[k * (c + 1) + i] = Z[k * count + place[h + i]];
        B[k * (c + 1) + c] = w[k] = dot(Z + k * count, C->mu, count);
    }
    for (int64_t i = 0; i <= c; i++) { /* the part that the holding constraints cannot transmit */
        for (int64_t k = 0; k < nv; k++) column[k] = B[k * (c + 1) + i];
        lstsq(A, nv, h, column, y, C->rank_tolerance, h < nv ? h : nv, memory);
        for (int64_t k = 0; k < nv; k++) B[k * (c + 1) + i] -= dot(A + k * h, y, h);
    }
    for (int64_t k = 0; k < nv; k++) column[k] = B[k * (c + 1) + c];
    for (int64_t k = 0; k < nv; k++)
        for (int64_t i = 0; i < c; i++) B[k * c + i] = B[k * (c + 1) + i];
    lstsq(B, nv, c, column, x, C->rank_tolerance, c < nv ? c : nv, memory);
    for (int64_t k = 0; k < nv; k++)
        for (int64_t i = 0; i < c; i++) w[k] -= Z[k * count + place[h + i]] * x[i];
    lstsq(A, nv, h, w, y, C->rank_tolerance, h < nv ? h : nv, memory);
    for (int64_t i = 0; i < count; i++) C->mu[place[i]] = i < h ? y[i] : x[i - h];
}

/* Whether the pair of some rubbing rows slips at x. */
static int slips_at(const struct constrained *C, const double *x, const int64_t *row) {
    if (row[0] < 0) return 0; /* the friction of a joint is a part of f */
    if (!(x[C->flags[row[0]]] > 0.5)) return 0;
    return (row[1] >= 0 && C->drag[row[1]] != 0.0) || (row[2] >= 0 && C->drag[row[2]] != 0.0);
}

/* Numbers of `dense_work` of m rows. */
int64_t contact_memory(int64_t nv, int64_t m) {
    return lstsq_memory(m > nv ? m : nv, m) + m * (5 * m + 3 * nv) + 3 * nv + 24 * m + 48;
}

/* For each pair that slips (else 1) the share of the effect of its normal force on its gap that friction leaves, beyond
 * the threshold of zero: below zero no force keeps it slipping (Painleve). Only constraints that hold are included
 * besides, as at transitions. The matrix is that of `contact_solve`. */
static void find_pivots(struct constrained *C, const double *x, double *g) {
    const int64_t count = C->n_active, nv = C->nv;
    struct memory memory = {C->dense_work};
    int64_t *held = take_integers(&memory, count), *of_pair = take_integers(&memory, C->m), n = 0;
    double *S = take(&memory, count * count), *b = take(&memory, count), *part = take(&memory, count);
    for (int64_t i = 0; i < C->n_unilateral; i++) of_pair[C->unilateral[i]] = 1;
    for (int64_t r = 0; r < C->n_rubbing; r++)
        for (int j = 1; j < 3; j++)
            if (C->rubbing[3 * r + j] >= 0) of_pair[C->rubbing[3 * r + j]] = 1;
    for (int64_t i = 0; i < count; i++)
        if (!of_pair[C->active[i]]) held[n++] = i;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) S[i * n + j] = C->S[held[i] * count + held[j]];
    find_rope_pivots(C, x, held, n, g, memory);
    for (int64_t r = n_sheaves(C); r < C->n_rubbing; r++) {
        const int64_t *row = C->rubbing + 3 * r;
        if (row[0] < 0) return; /* joints come last, and cannot jam */
        g[r] = 1.0;
        if (!slips_at(C, x, row)) continue;
        const int64_t own = place_of(C, row[0]);
        double pivot = C->S[own * count + own], whole = 0.0;
        for (int64_t k = 0; k < nv; k++) whole += C->Y[k * count + own] * C->Y[k * count + own];
        for (int64_t i = 0; i < n; i++) b[i] = C->S[own * count + held[i]];
        if (n) lstsq(S, n, n, b, part, C->rank_tolerance * C->rank_tolerance, n, memory);
        for (int64_t i = 0; i < n; i++) pivot -= part[i] * C->S[held[i] * count + own], whole -= part[i] * b[i];
        g[r] = pivot / whole - 0.5 * C->rank_tolerance;
    }
}

/* Size of the load of a joint. */
static double load_of(const struct constrained *C, int64_t joint) {
    double sum = 0.0;
    for (int64_t i = C->tug_first[joint]; i < C->tug_first[joint + 1]; i++) sum += fmax(0.0, tension_at(C, C->tugs[i]));
    for (int64_t i = 0; i < C->load_count[joint]; i++) sum = hypot(sum, C->lambda[C->load_first[joint] + i]);
    return sum;
}

/* Accelerations and multipliers where pairs slip, with friction as `drag` has it. 0 = ok. */
static int solve_sliding(struct constrained *C, const double *x) {
    const int64_t nv = C->nv, m = C->m;
    const double *rhs = excess(C, x, C->alpha, C->beta);
    if (!rhs) return 1;
    const int64_t count = C->n_active;
    for (int64_t k = 0; k < nv; k++)
        for (int64_t i = 0; i < count; i++) C->Z[k * count + i] = C->Jt[k * m + C->active[i]];
    for (int64_t r = 0; r < C->n_rubbing; r++) {
        const int64_t *row = C->rubbing + 3 * r;
        for (int64_t i = 0; i < count; i++)
            if (C->active[i] == row[0])
                for (int j = 1; j < 3; j++)
                    if (row[j] >= 0 && C->drag[row[j]] != 0.0)
                        for (int64_t k = 0; k < nv; k++) C->Z[k * count + i] += C->drag[row[j]] * C->Jt[k * m + row[j]];
    }
    for (int64_t joint = 0; joint < C->n_joints; joint++) {
        const double drag = drag_of_load(C, joint);
        const int64_t tangent = C->rubbing[3 * entry_of_joint(C, joint) + 1], first = C->load_first[joint];
        for (int64_t i = 0; drag != 0.0 && i < count; i++) {
            const int64_t at = C->active[i] - first;
            if (at < 0 || at >= C->load_count[joint]) continue;
            const double part = drag * C->load_way[MOST_LOADS * joint + at];
            for (int64_t k = 0; k < nv; k++) C->Z[k * count + i] += part * C->Jt[k * m + tangent];
        }
    }
    for (int64_t i = 0; i < count; i++)
        if (!C->of_rope[C->active[i]]) rub_bearings(C, C->active[i], 1.0, C->Z + i, count);
    pull_ropes(C, x);
    solve_lower(C->R, nv, C->Z, count);
    memset(C->S, 0, (size_t)(count * count) * sizeof(double));
    for (int64_t k = 0; k < nv; k++)
        for (int64_t i = 0; i < count; i++) {
            const double y = C->Y[k * count + i];
            if (y == 0.0) continue;
            for (int64_t j = 0; j < count; j++) C->S[i * count + j] += y * C->Z[k * count + j];
        }
    C->redundant = solve_general(C, C->S, rhs, C->mu);
    if (C->redundant) keep_shares(C, C->Z);
    for (int64_t k = 0; k < nv; k++) {
        double s = C->a[k];
        for (int64_t i = 0; i < count; i++) s -= C->Z[k * count + i] * C->mu[i];
        C->a[k] = s;
    }
    solve_upper(C->R, nv, C->a);
    scatter(C, C->mu);
    return 0;
}

/* Whether slow slips would be pulled that were pushed, by forces as they were. */
static int pulls_slips(const struct constrained *C, const double *x, const int64_t *slow, int64_t k, const double *push) {
    for (int64_t i = 0; i < k; i++) {
        const int64_t normal = C->rubbing[3 * slow[i]];
        if (push[i] > 0.0 && C->lambda[normal] + x[C->shares[normal]] < 0.0) return 1;
    }
    return 0;
}

/* Turn friction to where slow slips are going, see loop/constraints.py: of each such pair the direction d is that of
 *
 *     u + T u'(d),    T = 1 / (1 / lead(|u|) + 2 max(0, -u' d) / |u|)
 *
 * by Newton's method on the angles of all of them, with accelerations solved anew after each step. 0 = ok. */
static int turn_slow_slips(struct constrained *C, const double *x) {
    const int64_t nv = C->nv, m = C->m, count = C->n_active;
    struct memory memory = {C->dense_work + lstsq_memory(m, m)};
    int64_t *slow = take_integers(&memory, C->n_rubbing), k = 0;
    for (int64_t r = 0; r < C->n_rubbing; r++) {
        const int64_t *row = C->rubbing + 3 * r;
        if (row[1] >= 0 && row[2] >= 0 && slips_at(C, x, row) && C->cone[3 * r + 2] < FAST) slow[k++] = r;
    }
    if (!k) return 0;
    double *d = take(&memory, 2 * k), *u = take(&memory, 2 * k), *lead = take(&memory, k), *Q = take(&memory, k * nv),
           *across = take(&memory, m), *back = take(&memory, m), *A = take(&memory, k * k), *F = take(&memory, k),
           *turn = take(&memory, k), *moved = take(&memory, nv), *push = take(&memory, k), *way = take(&memory, 2 * k);
    for (int64_t i = 0; i < k; i++) {
        const int64_t r = slow[i], *row = C->rubbing + 3 * r;
        for (int j = 0; j < 2; j++) {
            d[2 * i + j] = -C->drag[row[1 + j]] / C->cone[3 * r];
            u[2 * i + j] = C->cone[3 * r + 2] * d[2 * i + j];
        }
    }
    for (int round = 0; round < TURNS; round++) {
        double most = 0.0;
        for (int64_t i = 0; i < k; i++) {
            const int64_t r = slow[i], *row = C->rubbing + 3 * r;
            const double *w = d + 2 * i, speed = C->cone[3 * r + 2];
            double rate[2];
            for (int j = 0; j < 2; j++) {
                rate[j] = C->gamma[row[1 + j]];
                for (int64_t l = 0; l < nv; l++) rate[j] -= C->Jt[l * m + row[1 + j]] * C->a[l];
            }
            /* its deceleration with all friction turned: that continues where another pair begins to slip or stick */
            const double ratio = speed / SLOW, slows = fmax(0.0, -(rate[0] * u[2 * i] + rate[1] * u[2 * i + 1]) / speed);
            lead[i] = C->lead[r] = 1.0 / ((1.0 + ratio * ratio * ratio * ratio) / LEAD + 2.0 * slows / speed);
            const double ahead[2] = {u[2 * i] + lead[i] * rate[0], u[2 * i + 1] + lead[i] * rate[1]};
            F[i] = w[0] * ahead[1] - w[1] * ahead[0];
            turn[i] = fmax(0.5 * speed, ahead[0] * w[0] + ahead[1] * w[1]);
            for (int64_t l = 0; l < nv; l++) Q[i * nv + l] = w[0] * C->Jt[l * m + row[2]] - w[1] * C->Jt[l * m + row[1]];
            solve_lower_one(C->R, nv, Q + i * nv);
        }
        for (int64_t j = 0; j < k; j++) {
            const int64_t normal = C->rubbing[3 * slow[j]];
            push[j] = C->cone[3 * slow[j]] * (C->lambda[normal] + x[C->shares[normal]]);
            for (int64_t i = 0; i < count; i++) {
                across[i] = 0.0;
                for (int64_t l = 0; l < nv; l++) across[i] += C->Y[l * count + i] * Q[j * nv + l];
            }
            solve_general(C, C->S, across, back);
            for (int64_t l = 0; l < nv; l++) moved[l] = Q[j * nv + l] - dot(C->Z + l * count, back, count);
            for (int64_t i = 0; i < k; i++) A[i * k + j] = lead[i] * push[j] * dot(Q + i * nv, moved, nv);
        }
        for (int64_t i = 0; i < k; i++) { /* rows of like size: slips may differ by many orders */
            A[i * k + i] += turn[i];
            const double size = 1.0 / fmax(turn[i], largest_of(A + i * k, k));
            F[i] *= size;
            for (int64_t j = 0; j < k; j++) A[i * k + j] *= size;
        }
        const struct memory rest = {C->dense_work};
        lstsq(A, k, k, F, turn, 1e-13, k, rest);
        for (int half = 0; half < HALVES; half++) { /* beyond a direction in which it would jam a pair pulls: not across that */
            for (int64_t i = 0; i < k; i++) {
                const int64_t *row = C->rubbing + 3 * slow[i];
                const double angle = ldexp(fmin(fmax(turn[i], -0.5), 0.5), -half), c = cos(angle), s = sin(angle);
                way[2 * i] = c * d[2 * i] - s * d[2 * i + 1], way[2 * i + 1] = s * d[2 * i] + c * d[2 * i + 1];
                most = fmax(most, fabs(turn[i]));
                for (int j = 0; j < 2; j++) {
                    const double change = -C->cone[3 * slow[i]] * way[2 * i + j] - C->drag[row[1 + j]];
                    C->drag[row[1 + j]] += change;
                    for (int64_t l = 0; l < nv; l++) C->f[l] -= C->Jt[l * m + row[1 + j]] * change * x[C->shares[row[0]]];
                }
            }
            if (solve_sliding(C, x)) return 1;
            if (!pulls_slips(C, x, slow, k, push)) break;
        }
        memcpy(d, way, doubles(2 * k));
        if (!(most > TURNED)) break;
    }
    return 0;
}

/* Turn the loads of joints that slip to the directions of the multipliers; returns the largest change. */
static double turn_loads(struct constrained *C) {
    double change = 0.0;
    for (int64_t joint = 0; joint < C->n_joints; joint++) {
        const double size = load_of(C, joint);
        if (drag_of_load(C, joint) == 0.0 || !(size > 0.0)) continue;
        for (int64_t i = 0; i < C->load_count[joint]; i++) {
            double *way = C->load_way + MOST_LOADS * joint + i;
            const double found = C->lambda[C->load_first[joint] + i] / size;
            change = fmax(change, fabs(found - *way)), *way = found;
        }
    }
    return change;
}

/* The same where loaded joints slip: friction and load are found together, from a load without friction on; of one row
 * by trying both signs. Those that do not fit each other are marked: they jam. 0 = ok. */
static int solve_loaded(struct constrained *C, const double *x) {
    memset(C->load_way, 0, doubles(MOST_LOADS * C->n_joints)), memset(C->jams, 0, doubles(C->n_joints));
    double change = 1.0;
    for (int round = 0; round < LOAD_ROUNDS && change > LOAD_TURNED; round++) {
        if (solve_sliding(C, x)) return 1;
        change = turn_loads(C);
    }
    for (int64_t joint = 0; joint < C->n_joints && change > LOAD_TURNED; joint++) C->jams[joint] = drag_of_load(C, joint) != 0.0;
    return 0;
}

/* Accelerations and multipliers at x, the tape having been evaluated there. 0 = ok. */
static int contact_solve(struct constrained *C, const double *x) {
    int slipping = any_taut(C, x), loaded = 0;
    for (int64_t joint = 0; joint < C->n_joints; joint++) loaded |= drag_of_load(C, joint) != 0.0;
    slipping |= loaded;
    for (int64_t r = 0; r < C->n_rubbing; r++) slipping |= slips_at(C, x, C->rubbing + 3 * r), C->lead[r] = NAN;
    if (!slipping) {
        if (solve_index1(C, x, C->alpha, C->beta)) return 1;
        if (C->rank_lost) keep_shares(C, C->Y), scatter(C, C->mu);
    } else {
        memset(C->yields, 0, doubles(n_sheaves(C)));
        do
            if (loaded ? solve_loaded(C, x) : solve_sliding(C, x)) return 1;
        while (C->redundant && yield_once(C, x));
        if (turn_slow_slips(C, x)) return 1;
    }
    find_tensions(C, x);
    spread_tensions(C);
    for (int64_t i = 0; i < C->n_active; i++) {
        const int64_t row = C->active[i];
        if (C->shares[row] >= 0 && !C->of_rope[row]) C->lambda[row] += x[C->shares[row]];
    }
    for (int64_t r = n_sheaves(C); r < C->n_rubbing; r++) {
        const int64_t *row = C->rubbing + 3 * r;
        for (int j = 1; j < 3; j++)
            if (row[j] >= 0 && C->drag[row[j]] != 0.0) C->lambda[row[j]] = C->drag[row[j]] * C->lambda[row[0]];
        if (row[0] >= 0 || x[C->flags[row[1]]] > 0.5) continue;
        const int64_t joint = r - entry_of_joint(C, 0);
        C->lambda[row[1]] = C->cone[3 * r + 2] * (has_load(C, joint) ? load_of(C, joint) : 1.0);
    }
    return 0;
}

static int contact_evaluate(struct constrained *C, const double *const *in) {
    if (moves_freely(C, in[1])) {
        memset(C->drag, 0, doubles(C->m));
        memset(C->tension, 0, doubles(n_sheaves(C) + C->n_ropes));
        return evaluate_free(C, in);
    }
    C->t_seen = NAN;
    double *outs[10] = {C->rates, C->f, C->Jt, C->phi, C->phidot, C->gamma, C->phi_t, C->M, C->drag, C->cone};
    if (C->tape(in, outs, C->tape_work)) return 1;
    enlarge(C);
    return contact_solve(C, in[1]);
}

/* Keep tensions that are indeterminate as they are at the end of a step. 0 = ok. */
static int remember_tensions(struct constrained *C, double t, double *x, const double *c, const double *p) {
    const double *in[4] = {&t, x, c, p};
    if (!C->redundant || !any_taut(C, x)) return 0;
    if (contact_evaluate(C, in)) return 1;
    keep_tensions(C, x);
    C->t_seen = NAN;
    return 0;
}

/* Kernel (t, x, c, p) -> x'. Friction takes energy where pairs slip, each its own. */
int contact_ode(const double *const *in, double *const *out, double *work) {
    struct constrained *C = (struct constrained *)(void *)work;
    if (!was_seen(C, in) && contact_evaluate(C, in)) return 1;
    memcpy(out[0], C->rates, (size_t)C->n * sizeof(double));
    memcpy(out[0] + C->nq, C->a, (size_t)C->nv * sizeof(double));
    double power = 0.0;
    for (int64_t i = 0; i < C->m; i++) power += C->lambda[i] * C->phi_t[i];
    out[0][C->work_input] += power;
    for (int64_t r = 0, one = 0; r < C->n_rubbing; r++)
        if (r < n_sheaves(C) || C->rubbing[3 * r] < 0) out[0][C->impulses + one++] = C->lambda[C->rubbing[3 * r + 1]];
    for (int64_t r = 0; r < C->n_rubbing; r++)
        for (int j = 1; j < 3; j++) {
            const int64_t row = C->rubbing[3 * r + j];
            const int is_contact = r >= n_sheaves(C) && C->rubbing[3 * r] >= 0;
            if (row < 0 || (C->drag[row] == 0.0 && is_contact) || in[1][C->flags[row]] > 0.5) continue;
            const double rubbed = C->lambda[row] * C->phidot[row];
            out[0][C->work_loss] -= rubbed, out[0][C->losses[row]] += rubbed;
        }
    return 0;
}

/* Energy that closing the gaps of the rows that act at x may take or add: forces times gaps. Redundant contacts keep
 * gaps of up to 1e-10 m at a transition, which the projection of the next step closes. */
static double energy_of_gaps(struct constrained *C, double t, const double *x, const double *c, const double *p) {
    const double *in[4] = {&t, x, c, p};
    double sum = 0.0;
    if (contact_evaluate(C, in)) return 0.0;
    for (int64_t i = 0; i < C->n_active; i++) sum += fabs(C->lambda[C->active[i]] * C->phi[C->active[i]]);
    C->t_seen = NAN;
    return sum;
}

/* Whether a step adds no more energy than a part of the kinetic one, apart from the work of inputs, drives and losses:
 * a step across a pole, at which friction jams, leaves with any velocities. */
int contact_admits(void *context, double t, const double *x, double t_next, const double *x_next, const double *c,
                   const double *p, double part) {
    struct constrained *C = context;
    double left[2], kinetic[2];
    for (int after = 0; after < 2; after++) {
        const double *in[4] = {after ? &t_next : &t, after ? x_next : x, c, p};
        double *out[2] = {left + after, kinetic + after};
        if (C->balance(in, out, C->balance_work)) return 0;
    }
    const double gain = left[1] - left[0] - part * (kinetic[0] + kinetic[1]) - 1e-14 * (fabs(left[0]) + fabs(left[1]));
    return gain <= 0.0 || gain <= 2.0 * energy_of_gaps(C, t, x, c, p);
}

/* Kernel (t, x, c, p) -> g: those of constrained_events; then of each sheave and pair with friction how far it is from slipping
 * while it sticks (else 1), then how fast it slips the way it began to, while it slips (else 1), then the pivots of sheaves and
 * contacts. */
int contact_events(const double *const *in, double *const *out, double *work) {
    struct constrained *C = (struct constrained *)(void *)work;
    const int64_t k = C->n_tape_events, u = C->n_unilateral;
    if (C->events && C->events(in, out, C->events_work)) return 1;
    if (contact_evaluate(C, in)) return 1;
    remember(C, in);
    double *g = out[0] + k;
    for (int64_t i = 0; i < u; i++) {
        const int64_t row = C->unilateral[i];
        const double is = in[1][C->flags[row]];
        g[i] = is > 0.5 ? C->lambda[row] : 1.0;
        g[u + i] = gap_of(C, in[1], row);
    }
    g += 2 * u;
    find_pivots(C, in[1], g + 2 * C->n_rubbing);
    rope_events(C, in[1], g);
    for (int64_t r = n_sheaves(C); r < C->n_rubbing; r++) {
        const int64_t *row = C->rubbing + 3 * r;
        const double one = C->lambda[row[1]], two = row[2] >= 0 ? C->lambda[row[2]] : 0.0;
        const int sticks = in[1][C->flags[row[1]]] > 0.5;
        const int64_t joint = r - entry_of_joint(C, 0);
        const int loaded = joint >= 0 && has_load(C, joint);
        const double load = row[0] >= 0 ? C->lambda[row[0]] : loaded ? load_of(C, joint) : 1.0, most = C->cone[3 * r] * load;
        const int acts = row[0] < 0 || in[1][C->flags[row[0]]] > 0.5;
        g[r] = sticks ? most - sqrt(one * one + two * two) : loaded && C->jams[joint] != 0.0 ? -1.0 : 1.0;
        g[C->n_rubbing + r] = acts && !sticks ? C->cone[3 * r + 1] : 1.0;
    }
    return 0;
}

/* As constrained_signals; rows of ropes have the tensions of the spans that end there. */
int64_t contact_signals(struct constrained *C, int64_t rows, const double *t, const double *x, const double *c,
                        int64_t nc, const double *p, int64_t np, double *out) {
    for (int64_t k = 0; k < rows; k++) {
        const double *in[4] = {t + k, x + k * C->n, c + k * nc, p + k * np};
        double *row = out + k * (C->m + 3);
        if (contact_evaluate(C, in)) {
            for (int64_t i = 0; i < C->m + 3; i++) row[i] = NAN;
            continue;
        }
        memcpy(row, C->lambda, (size_t)C->m * sizeof(double));
        let_go_at_zero(C, row);
        for (int64_t i = 0; i < C->n_ropes; i++)
            for (int64_t j = C->rope_first[i]; j <= C->rope_first[i + 1]; j++)
                row[row_behind(C, i, j - C->rope_first[i])] = C->tension[i + j];
        row[C->m] = largest(C, C->phi);
        row[C->m + 1] = largest(C, C->phidot);
        row[C->m + 2] = C->n_active ? (double)undetermined(C, in[1]) : 0.0;
    }
    return 0;
}
