/* Ropes over sheaves with friction in the equations of motion, after constrained.c.
 *
 * A rope has a normal, the row of the whole rope, and a tangent of each sheave: the sums W_j of the rates at which the
 * spans up to it lengthen (formulations/constraints/ropes.py). Multipliers of these rows are the tension of the last span,
 * and the differences of the tensions before and behind the sheaves.
 *
 * Sheaves that slip join spans to groups, whose tensions are in given ratios (unilateral/ropes.c). Unknowns are the
 * tensions of groups, in the metric of the lengths of their spans: indeterminate ones stay nearest to their values
 * when they were last shared. For a sheave `cone` has kappa, the slip speed in the direction in which it began,
 * and the relative excess of the tension before it over that behind it while it slips; after all of them the lengths of
 * the spans of ropes.
 *
 * A span that cannot change its length may have any tension that its sheaves allow: it keeps the one that it had until one
 * of them is at its limit, and follows that limit though nothing slips (`yields`). So tensions have a memory, which is kept
 * at the end of each step.
 */

/* Row that ends at span j of a rope: that of the sheave behind it, or of the whole rope. */
static int64_t row_behind(const struct constrained *C, int64_t rope, int64_t j) {
    const int64_t first = C->rope_first[rope], sheaves = C->rope_first[rope + 1] - first;
    return j < sheaves ? C->rubbing[3 * (first + j) + 1] : C->rubbing[3 * first];
}

/* Sheaves of all ropes: the first entries of `rubbing`. */
static int64_t n_sheaves(const struct constrained *C) { return C->rope_first[C->n_ropes]; }

static int is_taut(const struct constrained *C, const double *x, int64_t rope) {
    return x[C->flags[C->rubbing[3 * C->rope_first[rope]]]] > 0.5;
}

static int any_taut(const struct constrained *C, const double *x) {
    for (int64_t i = 0; i < C->n_ropes; i++)
        if (is_taut(C, x, i)) return 1;
    return 0;
}

/* Place of a row among those that act. */
static int64_t place_of(const struct constrained *C, int64_t row) {
    int64_t place = 0;
    while (C->active[place] != row) place++;
    return place;
}

/* Whether spans on both sides of a sheave have different tensions: it sticks, and does not yield. */
static int parts_spans(const struct constrained *C, const double *x, int64_t r) {
    return x[C->flags[C->rubbing[3 * r + 1]]] > 0.5 && C->yields[r] == 0.0;
}

/* Tension before a sheave by that behind it, where it slips or yields. */
static double factor_at(const struct constrained *C, int64_t r) {
    return C->yields[r] != 0.0 ? exp(-C->cone[3 * r] * C->yields[r]) : 1.0 + C->cone[3 * r + 2];
}

/* Entry of a joint that sticks among those with friction. */
static int64_t entry_of_joint(const struct constrained *C, int64_t joint) { return C->n_rubbing - C->n_joints + joint; }

/* Whether the limit of a joint that sticks is proportional to a load. */
static int has_load(const struct constrained *C, int64_t joint) {
    return C->load_count[joint] || C->tug_first[joint + 1] > C->tug_first[joint];
}

/* Friction of a loaded joint that slips, by its load; 0: it sticks, or its limit is given. */
static double drag_of_load(const struct constrained *C, int64_t joint) {
    return has_load(C, joint) ? C->cone[3 * entry_of_joint(C, joint) + 2] : 0.0;
}

/* Add to the generalized force f (nv numbers, `stride` apart) that of the bearings that turn, by a tension of the span that
 * ends at a row: their friction is in proportion to it. */
static void rub_bearings(const struct constrained *C, int64_t row, double tension, double *f, int64_t stride) {
    for (int64_t joint = 0; joint < C->n_joints; joint++)
        for (int64_t i = C->tug_first[joint]; i < C->tug_first[joint + 1]; i++) {
            const double drag = C->tugs[i] == row ? tension * drag_of_load(C, joint) : 0.0;
            const int64_t tangent = C->rubbing[3 * entry_of_joint(C, joint) + 1];
            for (int64_t k = 0; drag != 0.0 && k < C->nv; k++) f[k * stride] += drag * C->Jt[k * C->m + tangent];
        }
}

/* Tension of the span that ends at a row, of a rope with or without sheaves. */
static double tension_at(const struct constrained *C, int64_t row) {
    for (int64_t i = 0; i < C->n_ropes && C->of_rope[row]; i++)
        for (int64_t j = 0; j <= C->rope_first[i + 1] - C->rope_first[i]; j++)
            if (row_behind(C, i, j) == row) return C->tension[C->rope_first[i] + i + j];
    return C->lambda[row];
}

/* Columns of Z of the groups of taut ropes, each in the place of the row behind its last span: the generalized force of a
 * unit of its unknown; `ratio` has that of each span. */
static void pull_ropes(struct constrained *C, const double *x) {
    const int64_t nv = C->nv, m = C->m, count = C->n_active;
    const double *lengths = C->cone + 3 * C->n_rubbing;
    for (int64_t i = 0; i < C->n_ropes; i++) {
        const int64_t first = C->rope_first[i], n = C->rope_first[i + 1] - first + 1, at = first + i;
        double mean = 0.0, *ratio = C->ratio + at;
        if (!is_taut(C, x, i)) continue;
        for (int64_t j = 0; j < n; j++) mean += lengths[at + j] / (double)n;
        for (int64_t last = n - 1, j; last >= 0; last = j) {
            const int64_t own = place_of(C, row_behind(C, i, last));
            double size = 0.0;
            ratio[last] = 1.0;
            for (j = last - 1; j >= 0 && !parts_spans(C, x, first + j); j--) {
                ratio[j] = ratio[j + 1] * factor_at(C, first + j);
                if (C->yields[first + j] == 0.0) continue;
                const int64_t spare = place_of(C, row_behind(C, i, j)); /* its row holds by itself */
                for (int64_t k = 0; k < nv; k++) C->Z[k * count + spare] = 0.0;
            }
            for (int64_t l = j + 1; l <= last; l++) size += lengths[at + l] / mean * ratio[l] * ratio[l];
            for (int64_t k = 0; k < nv; k++) C->Z[k * count + own] = 0.0;
            for (int64_t l = j + 1; l <= last; l++) {
                ratio[l] /= sqrt(size);
                const int64_t row = row_behind(C, i, l), before = l ? row_behind(C, i, l - 1) : -1;
                for (int64_t k = 0; k < nv; k++)
                    C->Z[k * count + own] += ratio[l] * (C->Jt[k * m + row] - (before < 0 ? 0.0 : C->Jt[k * m + before]));
                rub_bearings(C, row, ratio[l], C->Z + own, count);
            }
        }
    }
}

/* Tensions of ropes from the unknowns of their groups, counted from the shared values. */
static void find_tensions(struct constrained *C, const double *x) {
    for (int64_t i = 0; i < C->n_ropes; i++) {
        const int64_t first = C->rope_first[i], n = C->rope_first[i + 1] - first + 1;
        double *T = C->tension + first + i, z = 0.0;
        const double *ratio = C->ratio + first + i;
        if (!is_taut(C, x, i)) {
            for (int64_t j = 0; j < n; j++) T[j] = 0.0;
            continue;
        }
        for (int64_t j = n - 1; j >= 0; j--) {
            const int64_t row = row_behind(C, i, j);
            const int ends = j == n - 1 || parts_spans(C, x, first + j);
            if (ends) z = C->lambda[row];
            T[j] = ends ? x[C->shares[row]] + ratio[j] * z : T[j + 1] * factor_at(C, first + j);
        }
    }
}

/* The multipliers that they are. */
static void spread_tensions(struct constrained *C) {
    for (int64_t i = 0; i < C->n_ropes; i++) {
        const int64_t first = C->rope_first[i], n = C->rope_first[i + 1] - first + 1;
        const double *T = C->tension + first + i;
        for (int64_t j = 0; j < n; j++) C->lambda[row_behind(C, i, j)] = T[j] - (j < n - 1 ? T[j + 1] : 0.0);
    }
}

/* Whether a row that acts holds by itself, all others that act and whose sheaves do not yield being held. */
static int holds_by_itself(const struct constrained *C, const double *x, int64_t own, struct memory memory) {
    const int64_t nv = C->nv, count = C->n_active;
    int64_t n = 0, *others = take_integers(&memory, count);
    double *A = take(&memory, nv * count), *y = take(&memory, nv), *part = take(&memory, count), left = 0.0;
    for (int64_t i = 0; i < count; i++) {
        int yields = i == own;
        for (int64_t r = 0; r < n_sheaves(C); r++) yields |= C->rubbing[3 * r + 1] == C->active[i] && !parts_spans(C, x, r);
        if (!yields) others[n++] = i;
    }
    for (int64_t k = 0; k < nv; k++) {
        y[k] = C->Y[k * count + own];
        for (int64_t i = 0; i < n; i++) A[k * n + i] = C->Y[k * count + others[i]];
    }
    if (n) lstsq(A, nv, n, y, part, C->rank_tolerance, n < nv ? n : nv, memory);
    const double size = norm(y, nv);
    for (int64_t k = 0; k < nv; k++) y[k] -= dot(A + k * n, part, n), left += y[k] * y[k];
    return sqrt(left) <= C->rank_tolerance * size;
}

/* Take the tensions of spans of a rope as they were shared into the forces f, `sign` times: their unknowns are counted from
 * them. Before sheaves that slip or yield they are in the ratios of these. */
static void count_from_shares(struct constrained *C, const double *x, int64_t rope, double sign) {
    const int64_t first = C->rope_first[rope], n = C->rope_first[rope + 1] - first + 1, m = C->m;
    double T = 0.0;
    for (int64_t j = n - 1; j >= 0; j--) {
        const int64_t row = row_behind(C, rope, j), before = j ? row_behind(C, rope, j - 1) : -1;
        T = j == n - 1 || parts_spans(C, x, first + j) ? x[C->shares[row]] : T * factor_at(C, first + j);
        for (int64_t k = 0; k < C->nv; k++)
            C->f[k] -= sign * T * (C->Jt[k * m + row] - (before < 0 ? 0.0 : C->Jt[k * m + before]));
        rub_bearings(C, row, -sign * T, C->f, 1);
    }
}

/* Let a sheave yield that sticks beyond its limit although nothing moves there; 0: there is none. */
static int yield_once(struct constrained *C, const double *x) {
    const struct memory memory = {C->dense_work};
    find_tensions(C, x);
    for (int64_t i = 0; i < C->n_ropes; i++)
        for (int64_t r = C->rope_first[i]; r < C->rope_first[i + 1]; r++) {
            const double E = exp(C->cone[3 * r]), *T = C->tension + r + i;
            if (!is_taut(C, x, i) || !parts_spans(C, x, r) || (T[1] <= E * T[0] && T[0] <= E * T[1])) continue;
            if (!holds_by_itself(C, x, place_of(C, C->rubbing[3 * r + 1]), memory)) continue;
            count_from_shares(C, x, i, -1.0);
            C->yields[r] = T[1] > E * T[0] ? 1.0 : -1.0;
            count_from_shares(C, x, i, 1.0);
            return 1;
        }
    return 0;
}

/* For each rope that slips (else 1) the pivots of its groups, at their sheaves that slip: the effect of a tension on
 * the lengthening of the group, all others keeping their lengths, relative to that of equal tensions. */
static void find_rope_pivots(struct constrained *C, const double *x, const int64_t *held, int64_t n_held, double *g,
                             struct memory memory) {
    const int64_t count = C->n_active, nv = C->nv;
    const double square = C->rank_tolerance * C->rank_tolerance;
    for (int64_t i = 0; i < C->n_ropes; i++) {
        const int64_t first = C->rope_first[i], end = C->rope_first[i + 1], spans = end - first + 1;
        struct memory rest = memory;
        int64_t *place = take_integers(&rest, count), *group = take_integers(&rest, spans), n = n_held;
        int slips = 0;
        for (int64_t r = first; r < end; r++) g[r] = 1.0, slips |= !(x[C->flags[C->rubbing[3 * r + 1]]] > 0.5);
        if (!slips || !is_taut(C, x, i)) continue;
        memcpy(place, held, (size_t)n_held * sizeof(int64_t));
        for (int64_t j = 0; j < spans; j++) { /* groups, in the order of the rope */
            const int64_t row = row_behind(C, i, j);
            group[j] = n;
            if (j == spans - 1 || parts_spans(C, x, first + j)) place[n++] = place_of(C, row);
        }
        double *Y = take(&rest, nv * n), *S = take(&rest, n * n), *plain = take(&rest, n * n);
        for (int64_t a = 0; a < n; a++) /* rows of held constraints, and of how groups lengthen */
            for (int64_t k = 0; k < nv; k++)
                Y[k * n + a] = C->Y[k * count + place[a]] - (a > n_held ? C->Y[k * count + place[a - 1]] : 0.0);
        for (int64_t a = 0; a < n; a++)
            for (int64_t b = 0; b < n; b++)
                for (int64_t k = 0; k < nv; k++) {
                    plain[a * n + b] += Y[k * n + a] * Y[k * n + b];
                    S[a * n + b] += Y[k * n + a] * C->Z[k * count + place[b]];
                }
        for (int64_t j = 0; j < spans - 1; j++) {
            const int64_t a = group[j];
            if (x[C->flags[row_behind(C, i, j)]] > 0.5) continue;
            const double whole = pivot_of(plain, n, a, square, rest), size = C->ratio[first + i + j];
            double sizes = 0.0;
            for (int64_t k = 0; k < nv; k++) sizes += Y[k * n + a] * Y[k * n + a];
            if (whole > C->rank_tolerance * sizes)
                g[first + j] = pivot_of(S, n, a, square, rest) / (whole * fabs(size)) - 0.5 * C->rank_tolerance;
        }
    }
}

#define AT_LIMIT 1e-12 /* part of a tension within which it is at its limit */

/* Whether a sheave that sticks follows its limit: it yields, or would as soon as it is passed by more than rounding. */
static int follows_limit(const struct constrained *C, const double *x, int64_t r, double room, double tension) {
    const struct memory memory = {C->dense_work};
    if (C->yields[r] != 0.0) return 1;
    return C->redundant && room <= AT_LIMIT * tension && holds_by_itself(C, x, place_of(C, C->rubbing[3 * r + 1]), memory);
}

/* For each sheave the distance from slipping while it sticks and does not follow its limit (else 1), and n_rubbing further
 * the slip speed in the direction in which it began, while it slips (else 1). Rounding decides which of two sheaves follows
 * its limit beside a span whose tension is indeterminate: where the other is beyond its limit, so is this one. */
static void rope_events(const struct constrained *C, const double *x, double *g) {
    for (int64_t i = 0; i < C->n_ropes; i++) {
        double worst = 0.0;
        for (int64_t r = C->rope_first[i]; r < C->rope_first[i + 1]; r++) {
            const double E = exp(C->cone[3 * r]), *T = C->tension + r + i;
            const double room = fmin(E * T[0] - T[1], E * T[1] - T[0]);
            const int sticks = x[C->flags[C->rubbing[3 * r + 1]]] > 0.5;
            const int follows = sticks && follows_limit(C, x, r, room, fmax(T[0], T[1]));
            g[r] = follows ? INFINITY : sticks ? room : 1.0;
            if (sticks && !follows) worst = fmin(worst, room);
            g[C->n_rubbing + r] = is_taut(C, x, i) && !sticks ? C->cone[3 * r + 1] : 1.0;
        }
        for (int64_t r = C->rope_first[i]; r < C->rope_first[i + 1]; r++)
            if (isinf(g[r])) g[r] = worst < 0.0 ? worst : 1.0;
    }
}

/* Latches of how tensions are shared, as they are now. */
static void keep_tensions(const struct constrained *C, double *x) {
    for (int64_t i = 0; i < C->n_ropes; i++)
        for (int64_t j = C->rope_first[i]; j <= C->rope_first[i + 1]; j++)
            x[C->shares[row_behind(C, i, j - C->rope_first[i])]] = C->tension[i + j];
}
