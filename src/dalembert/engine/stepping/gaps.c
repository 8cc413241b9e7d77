/* Gaps at the end of a step, of a long chain of contacts, with one member: by Newton's method, because sweeps carry a displacement one
 * contact at a time.
 *
 * The displacement r = Y^T lambda, as s, is the least one after which gap + Y r = 0 for contacts that push, and >= 0 for others. With a
 * compliance c of each contact, lambda = P(ref - (gap + Y r) / c), where P is the positive part for those that do not push. Then
 * r - Y^T lambda(r) = 0 is linear while no contact of these begins or ends to be moved. Rounds with ref = lambda follow, in which the
 * effect of the compliance vanishes, unless gaps contradict each other, as those of five corners on one face may. */
#define YIELDING 1e-6 /* compliance, by the entry of W of the normal */
enum { PIECES = 20, CLOSINGS = 5 };

/* g <- Y^T lambda - r and lambda, of r; which contacts are moved, into `moved`. Returns whether these are others than before; `open` is the
 * largest gap or depth of contacts that are moved. */
static int chain_gaps(struct moreau *C, const struct factors *N, const double *ref, int64_t *moved, double *g, double *open) {
    int others = 0;
    *open = 0.0;
    for (int64_t k = 0; k < N->n; k++)
        for (int64_t i = N->first[k]; i < N->first[k] + N->size[k]; i++) g[i] = -C->r[i];
    for (int64_t k = 0; k < C->n_active; k++) {
        const int64_t a = C->active[k], *const at = AT(a);
        const double *const y = C->Y + VALUES(a);
        if (LAW(a) == STICTION) continue;
        double gap = C->gap[a];
        for (int64_t i = 0; i < COUNT(a); i++) gap += y[i] * C->r[at[i]];
        const double push = ref[k] - gap / (YIELDING * (BLOCK(a)[0] - GIVE(a)));
        const int64_t moves = C->stays[a] > 0.5 || push > 0.0;
        others |= moves != moved[k], moved[k] = moves, C->lambda[a] = moves ? push : 0.0;
        if (!moves) continue;
        *open = larger(*open, fabs(gap));
        for (int64_t i = 0; i < COUNT(a); i++) g[at[i]] += y[i] * push;
    }
    return others;
}

/* Factors of the derivative of -g. */
static int chain_factors(const struct moreau *C, const struct factors *N, const int64_t *moved) {
    double Y[WIDEST], KY[WIDEST];
    int64_t rows = 0;
    factors_begin(N, 1.0);
    for (int64_t k = 0; k < C->n_active; k++) {
        const int64_t a = C->active[k], m = COUNT(a), next = k + 1 < C->n_active ? C->active[k + 1] : a;
        const double *const y = C->Y + VALUES(a), hard = 1.0 / (YIELDING * (BLOCK(a)[0] - GIVE(a)));
        for (int64_t i = 0; i < m && moved[k]; i++) Y[rows * m + i] = y[i], KY[rows * m + i] = hard * y[i];
        rows += moved[k];
        if (next != a && (rows + 1) * m <= WIDEST && act_together(C, a, next)) continue;
        if (rows) factors_add(N, rows, m, AT(a), Y, KY);
        rows = 0;
    }
    return !factors_make(N, 0.0);
}

/* As close_gaps, of the active blocks, a chain with the plan N. 1 if it succeeds; else nothing has moved. */
static int close_chain(struct moreau *C, const struct factors *N) {
    double *g = C->newton, *ref = g + C->nv, open = 0.0, last = INFINITY;
    int64_t *moved = C->island;
    int step = 0, factored = 0;
    for (int64_t k = 0; k < C->n_active; k++) ref[k] = 0.0, moved[k] = 0;
    for (int round = 0; round < CLOSINGS && step < PIECES; round++) {
        int others = chain_gaps(C, N, ref, moved, g, &open);
        for (step = 0; step < PIECES; step++) {
            if ((others || !factored) && !chain_factors(C, N, moved)) step = PIECES;
            factored = 1;
            factors_solve(N, g);
            for (int64_t k = 0; k < N->n; k++)
                for (int64_t i = N->first[k]; i < N->first[k] + N->size[k]; i++) C->r[i] += g[i];
            others = chain_gaps(C, N, ref, moved, g, &open);
            if (!others) break;
        }
        if (open <= 0.01 * C->margin || open > 0.5 * last) break;
        last = open;
        for (int64_t k = 0; k < C->n_active; k++) ref[k] = LAW(C->active[k]) == STICTION ? 0.0 : C->lambda[C->active[k]];
    }
    if (step < PIECES) return 1;
    for (int64_t k = 0; k < N->n; k++)
        for (int64_t i = N->first[k]; i < N->first[k] + N->size[k]; i++) C->r[i] = 0.0;
    for (int64_t k = 0; k < C->n_active; k++) C->lambda[C->active[k]] = 0.0;
    return 0;
}
