/* The law of a rope over sheaves, a block of n rows, one of each span; after laws.c.
 *
 * Rows are the rates u_j at which spans slacken, forces their tensions T_j (j = 0 .. n - 1). The sheave between the spans
 * j - 1 and j has one number, kappa: the largest |ln(T_j / T_{j-1})| (L. Euler, 1769; J. A. Eytelwein, 1808). It stands
 * in `mu` at row j, as `slip` (which way the rope slips past the sheave already: 1, -1; NaN: it does not) and the mode:
 *
 *     opening of the rope          nu  = u_0 + ... + u_{n-1},    0 <= T_0,  nu >= 0,  T_0 nu = 0
 *     slip at the sheave before j  w_j = u_0 + ... + u_{j-1},    from span j - 1 to span j
 *     STICK  w_j = 0   e^-kappa T_{j-1} <= T_j <= e^kappa T_{j-1}
 *     SLIP   w_j >= 0  T_j = e^kappa T_{j-1}
 *     BACK   w_j <= 0  T_{j-1} = e^kappa T_j
 *
 * The mode at the first row is OPEN (slack) or STICK (taut): with finite friction a rope is slack as a whole or not at
 * all. Sheaves that slip join spans to groups: their velocities add up, their tensions are in given ratios, so that
 * sliding friction makes equations that are not symmetric (C W B tau = -C b, T = B tau; C sums, B multiplies).
 *
 * The law is not associated: no minimum principle, and it may have no solution where a rope slips already. As for a
 * pair, the pivot of a group that slips is the effect of its tension on its lengthening, all other groups keeping their
 * lengths. Where that is not positive, though the group can lengthen, the rope is jammed at that sheave.
 */

FUNCTION int sheave_slides(const struct blocks *c, int64_t row) { return isfinite(c->slip[row]); }

/* Factor from the tension before a sheave to that after it, while it slips. */
FUNCTION double ratio_of(const struct blocks *c, int64_t row, int64_t mode) {
    return exp(mode == SLIP ? c->mu[row] : -c->mu[row]);
}

/* State of a sheave that is not part of the problem: it continues to slip, or sticks; without friction it always slips. */
FUNCTION int64_t first_mode(const struct blocks *c, int64_t row) {
    if (sheave_slides(c, row)) return c->slip[row] > 0.0 ? SLIP : BACK;
    return c->mu[row] > 0.0 ? STICK : SLIP;
}

/* Whether the mode of a sheave is not for the solver to say. */
FUNCTION int is_settled(const struct blocks *c, int64_t row) { return sheave_slides(c, row) || !(c->mu[row] > 0.0); }

/* Spans from j on that a group of the block has, and the ratios of their tensions to that of the first. */
FUNCTION int64_t group_from(const struct blocks *c, int64_t i, const int64_t *modes, int64_t j, double *ratios) {
    int64_t end = j + 1;
    ratios[j] = 1.0;
    for (; end < c->first[i + 1] && modes[end] != STICK; end++) ratios[end] = ratios[end - 1] * ratio_of(c, end, modes[end]);
    return end;
}

/* Row of the sheave at which a rope that slips already is jammed with these modes, its pivot being at most `least` of that
 * of equal tensions; -1: none. */
FUNCTION int64_t sheave_with_pivot(const struct blocks *c, int64_t i, const int64_t *modes, double least, struct memory memory) {
    const int64_t f = c->first[i], end = c->first[i + 1], n = end - f;
    double *ratios = take(&memory, c->n), *S = take(&memory, n * n), *plain = take(&memory, n * n);
    int64_t *starts = take_integers(&memory, n + 1), *sheave = take_integers(&memory, n), m = 0;
    int any = 0;
    for (int64_t row = f + 1; row < end; row++) any |= sheave_slides(c, row) && c->mu[row] > 0.0;
    if (!any || modes[f] == OPEN) return -1;
    for (int64_t j = f; j < end; m++) {
        starts[m] = j, sheave[m] = -1;
        j = group_from(c, i, modes, j, ratios);
        for (int64_t row = starts[m] + 1; row < j && sheave[m] < 0; row++)
            if (sheave_slides(c, row) && c->mu[row] > 0.0) sheave[m] = row;
    }
    starts[m] = end;
    for (int64_t g = 0; g < m; g++)
        for (int64_t h = 0; h < m; h++)
            for (int64_t row = starts[g]; row < starts[g + 1]; row++)
                for (int64_t j = starts[h]; j < starts[h + 1]; j++) {
                    plain[g * m + h] += c->W[row * c->n + j];
                    S[g * m + h] += c->W[row * c->n + j] * ratios[j];
                }
    for (int64_t g = 0; g < m; g++) {
        if (sheave[g] < 0) continue;
        double size = 0.0;
        for (int64_t row = starts[g]; row < starts[g + 1]; row++) size += diagonal(c, row);
        const double lengthens = pivot_of(plain, m, g, RANK_TOLERANCE * RANK_TOLERANCE, memory); /* by equal tensions */
        if (!(lengthens > RANK_TOLERANCE * size)) continue;
        if (pivot_of(S, m, g, RANK_TOLERANCE * RANK_TOLERANCE, memory) <= least * lengthens) return sheave[g];
    }
    return -1;
}

FUNCTION int64_t jammed_sheave(const struct blocks *c, int64_t i, const int64_t *modes, struct memory memory) {
    return sheave_with_pivot(c, i, modes, RANK_TOLERANCE, memory);
}

FUNCTION double rope_fault(const struct blocks *c, int64_t i, const struct solution *s, double slack,
                           struct memory memory) {
    const int64_t f = c->first[i], end = c->first[i + 1];
    double worst = 0.0, length = 0.0, w = 0.0;
    for (int64_t row = f; row < end; row++) length = fmax(length, diagonal(c, row));
    for (int64_t row = f; row < end; row++) {
        worst = fmax(worst, -length * (s->p[row] + slack));
        if (row > f) {
            const double E = exp(c->mu[row]), up = s->p[row] - E * s->p[row - 1], down = s->p[row - 1] - E * s->p[row];
            const double way = sheave_slides(c, row) ? c->slip[row] : w;
            worst = fmax(worst, length * (fmax(up, down) - slack));
            if (way != 0.0)
                worst = fmax(worst, fmin(sheave_slides(c, row) ? INFINITY : fabs(w),
                                         length * (fabs(way > 0.0 ? up : down) - slack)));
        }
        w += s->u[row];
    }
    worst = fmax(worst, fmax(fabs(fmin(s->p[f] * length, w)), -w));
    if (s->p[f] > 0.0 && jammed_sheave(c, i, s->modes, memory) >= 0) worst = fmax(worst, length * largest_of(s->p + f, end - f));
    return worst;
}

/* State of a taut rope with these forces at its sheaves. */
FUNCTION void read_rope(const struct blocks *c, int64_t i, const struct solution *s, double least, double still) {
    const int64_t f = c->first[i], end = c->first[i + 1];
    double w = s->u[f];
    s->modes[f] = largest_of(s->p + f, end - f) > least ? STICK : OPEN;
    for (int64_t row = f + 1; row < end; w += s->u[row++]) {
        if (s->modes[f] == OPEN) s->modes[row] = OPEN;
        else if (is_settled(c, row)) s->modes[row] = first_mode(c, row);
        else s->modes[row] = fabs(w) <= still ? STICK : w > 0.0 ? SLIP : BACK;
    }
}

/* Whether a taut rope obeys its law with a margin, so that no search is needed. */
FUNCTION int rope_rests(const struct blocks *c, int64_t i, const struct solution *s, double least, double tolerance,
                        struct memory memory) {
    const int64_t f = c->first[i], end = c->first[i + 1];
    double w = 0.0;
    for (int64_t row = f; row < end; row++) {
        if (!(s->p[row] > least)) return 0;
        if (row > f && s->modes[row] == STICK) {
            const double E = INNER * exp(c->mu[row]);
            if (!(fabs(w) <= tolerance) || s->p[row] > E * s->p[row - 1] || s->p[row - 1] > E * s->p[row]) return 0;
        }
        w += s->u[row];
    }
    return fabs(w) <= tolerance && jammed_sheave(c, i, s->modes, memory) < 0;
}

/* How the sum of the rates before row a changes with a force on that before row b. */
FUNCTION double effect_of(const struct blocks *c, int64_t i, int64_t a, int64_t b) {
    double sum = 0.0;
    for (int64_t j = c->first[i]; j < a; j++)
        for (int64_t k = c->first[i]; k < b; k++) sum += c->W[j * c->n + k];
    return sum;
}

/* Whether the sheave before a row, which is at its limit, moves in its direction while the rope keeps its length and those
 * that `hold` stick. Others at their limits slip in the directions `way` (0: they are not), and stick against the opposite
 * ones: those that would be driven back are held too. */
FUNCTION int sheave_moves(const struct blocks *c, int64_t i, const int64_t *hold, const double *way, int64_t row,
                          struct memory memory) {
    const int64_t f = c->first[i], end = c->first[i + 1], n = end - f;
    int64_t *to = take_integers(&memory, n + 1), *held = take_integers(&memory, n + 1), m = 0;
    double *G = take(&memory, n * n), *right = take(&memory, n), *part = take(&memory, n);
    to[m++] = end;
    for (int64_t j = f + 1; j < end; j++)
        if ((held[j - f] = hold[j] && j != row)) to[m++] = j;
    for (;;) {
        double worst = -RANK_TOLERANCE;
        int64_t back = -1;
        for (int64_t a = 0; a < m; a++) {
            right[a] = effect_of(c, i, to[a], row);
            for (int64_t b = 0; b < m; b++) G[a * m + b] = effect_of(c, i, to[a], to[b]);
        }
        lstsq(G, m, m, right, part, RANK_TOLERANCE * RANK_TOLERANCE, m, memory);
        for (int64_t j = f + 1; j < end; j++) {
            const double size = effect_of(c, i, j, j);
            double w = effect_of(c, i, j, row);
            if (held[j - f] || (way[j] == 0.0 && j != row)) continue;
            for (int64_t a = 0; a < m; a++) w -= effect_of(c, i, j, to[a]) * part[a];
            if (j == row && !(w > RANK_TOLERANCE * size)) return 0;
            if (j != row && way[j] * way[row] * w < worst * size) worst = way[j] * way[row] * w / size, back = j;
        }
        if (back < 0) return 1;
        held[back - f] = 1, to[m++] = back;
    }
}
