/* The algebra of blocks: forces in sustained contact, impulses of impacts; after searches.c.
 *
 * The search for forces first assumes that all blocks act and none begins to slip, where redundant forces are those of
 * least norm; a rope by itself by its modes; then by Newton's method from a few projections, or from
 * pivots where blocks depend on each other so nearly that projections do not tell them apart (a flat chain that rubs);
 * last by Gauss-Seidel sweeps with exact solutions block by block (J. J. Moreau; M. Jean). These tell the modes, whose
 * equations are linear.
 *
 * Impacts. Newton: u_n+ >= -e u_n- where a pair approaches (IMPACT 61). Poisson: compression without restitution, then at
 * least e times its normal impulses. Where either would add energy (T. R. Kane's double pendulum), all restitution is
 * lowered by one factor to the largest that adds none. Ropes have none: their law is that of forces.
 */
#define SWEEPS 1000
#define ATTEMPTS 3
#define NEARLY 1e-7
#define REPEATED 1e-12   /* part of a row, squared, below which it depends on others */
#define COMPLIANCE 1e-2 /* to begin with, by the least mean of the diagonal of a block */
#define LEVELS 3        /* each a tenth of the last one */
#define PROXIMAL 40     /* rounds that take its effect away */
enum { FAILS = -2 };

static int64_t blocks_memory(int64_t k, int64_t n) {
    return 140 * (n + 4) + 15 * n * n + 2 * lstsq_memory(n, n) + pulling_memory(k, k) + 2 * k * k + 8 * k +
           2 * pivoted_memory(k, n) + 64;
}

/* Find forces that fulfil the laws: SOLVED, or the block at which there are none. */
FUNCTION int64_t find_forces(const struct blocks *c, const struct solution *s, struct memory memory) {
    const int64_t k = c->k, n = c->n;
    int rubs = 0;
    first_modes(c, s->modes);
    for (int64_t i = 0; i < k; i++) rubs |= c->law[i] == ROPE ? size_of(c, i) > 1 : c->mu[c->first[i]] != 0.0;
    if (k == 1 && is_jammed_cone(c, 0) && c->b[0] < 0.0) return 0; /* of several the others may carry it */
    if (!any_yields(c) && rests(c, s, memory)) return SOLVED;
    if (!rubs) return smooth(c, s, memory);
    if (k == 1 && c->law[0] == ROPE) return one_rope(c, s, memory);
    double *p = take(&memory, n), *near = take(&memory, n), *best_p = take(&memory, n);
    int64_t *modes = take_integers(&memory, n), *best_modes = take_integers(&memory, n);
    const double scale = largest_of(c->b, n), sharp = 10.0 * tolerance_of(c);
    double best = INFINITY, change = 0.0;
    for (int attempt = 0; attempt <= ATTEMPTS; attempt++) { /* the last one from forces found by pivots */
        for (int64_t i = 0; i < n && !attempt && c->last; i++) p[i] = c->last[i];
        if (attempt < ATTEMPTS) project_onto(c, p, 40 * (attempt + 1), memory);
        else if (!pivoted(c, p, memory)) break;
        newton(c, p, s, memory);
        const double fault = fault_of(c, s, memory);
        if (fault < best) {
            best = fault;
            for (int64_t i = 0; i < n; i++) best_p[i] = s->p[i], best_modes[i] = s->modes[i];
        }
        if (fault > sharp) continue;
        for (int64_t i = 0; i < n; i++) near[i] = s->p[i], modes[i] = s->modes[i];
        if (polished(c, modes, near, s, memory)) return SOLVED;
        break;
    }
    if (best <= NEARLY * scale) {
        for (int64_t i = 0; i < n; i++) s->p[i] = best_p[i], s->modes[i] = best_modes[i];
        respond_to(c, s->p, s->u);
        return SOLVED;
    }
    for (int64_t i = 0; i < n; i++) best_modes[i] = -1;
    first_modes(c, modes);
    for (int64_t sweep = 0; sweep < SWEEPS; sweep++) {
        const int64_t bad = sweep_over(c, p, modes, &change, memory);
        int steady = 1;
        if (bad != SOLVED) return bad;
        for (int64_t i = 0; i < n; i++) steady &= modes[i] == best_modes[i], best_modes[i] = modes[i];
        if (steady && sweep % 5 == 4 && polished(c, modes, p, s, memory)) return SOLVED;
        if (change <= 1e-15 * (1.0 + largest_of(p, n))) break;
    }
    for (int64_t i = 0; i < n; i++) s->p[i] = p[i], s->modes[i] = modes[i];
    respond_to(c, s->p, s->u);
    if (fault_of(c, s, memory) <= NEARLY * fmax(scale, NOTHING)) return SOLVED;
    int64_t worst = 0;
    for (int64_t i = 0; i < k; i++)
        if (is_jammed(c, i, s->modes, memory)) return i;
    for (int64_t i = 0; i < n; i++)
        if (fabs(s->u[i]) > fabs(s->u[worst])) worst = i;
    int64_t block = 0;
    while (c->first[block + 1] <= worst) block++;
    return block;
}

/* Whether rows of cones depend on those before them. */
FUNCTION int rows_depend(const struct blocks *c, struct memory memory) {
    const int64_t n = c->n;
    double *S = take(&memory, n * n);
    int64_t *rows = take_integers(&memory, n), m = 0;
    for (int64_t i = 0; i < c->k; i++)
        for (int64_t j = c->first[i]; j < c->first[i + 1] && c->law[i] == CONE; j++)
            if (diagonal(c, j) > 0.0 && (j == c->first[i] || rubs_at(c, i))) rows[m++] = j;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) S[i * m + j] = c->W[rows[i] * n + rows[j]];
    for (int64_t k = 0; k < m; k++) {
        const double pivot = S[k * m + k];
        if (!(pivot > REPEATED * diagonal(c, rows[k]))) return 1;
        for (int64_t i = k + 1; i < m; i++) {
            const double part = S[i * m + k] / pivot;
            for (int64_t j = k + 1; j < m && part != 0.0; j++) S[i * m + j] -= part * S[k * m + j];
        }
    }
    return 0;
}

/* Give all cones the same compliance: W is that of the problem, with `soft` on the diagonals of their rows. */
FUNCTION void soften(const struct blocks *c, double soft, double *W) {
    for (int64_t i = 0; i < c->k; i++)
        for (int64_t j = c->first[i]; j < c->first[i + 1] && c->law[i] == CONE; j++)
            if (diagonal(c, j) > 0.0) W[j * (c->n + 1)] = diagonal(c, j) + soft;
}

/* Forces that are not unique: those which equal, small compliance of all cones selects, in the limit; SOLVED, or -2 where
 * that fails. With a compliance u + eps p obeys the laws in the place of u, and forces are unique. The compliance is then
 * counted from the last forces (a proximal iteration), so that its effect vanishes: nothing is added along directions in
 * which forces are undetermined. */
FUNCTION int64_t select_forces(const struct blocks *c, const struct solution *s, struct memory memory) {
    const int64_t n = c->n;
    double *W = take(&memory, n * n), *b = take(&memory, n), *before = take(&memory, n), mean = INFINITY, eps = COMPLIANCE;
    const double sharp = 10.0 * tolerance_of(c);
    int64_t *modes = take_integers(&memory, n);
    struct blocks soft = *c;
    soft.W = W, soft.b = b;
    for (int64_t i = 0; i < c->k; i++) {
        double sum = 0.0;
        for (int64_t j = c->first[i]; j < c->first[i + 1]; j++) sum += diagonal(c, j) / (double)size_of(c, i);
        if (c->law[i] == CONE && sum > 0.0) mean = fmin(mean, sum);
    }
    if (!(mean < INFINITY)) return FAILS;
    for (int64_t i = 0; i < n * n; i++) W[i] = c->W[i];
    for (int64_t i = 0; i < n; i++) b[i] = c->b[i];
    soften(c, eps * mean, W);
    if (find_forces(&soft, s, memory) != SOLVED) return FAILS;
    for (int level = 1; level < LEVELS; level++) { /* down as far as forces are found from the last ones */
        for (int64_t i = 0; i < n; i++) before[i] = s->p[i];
        soften(c, 0.1 * eps * mean, W);
        newton(&soft, before, s, memory);
        if (fault_of(&soft, s, memory) <= sharp) {
            eps *= 0.1;
            continue;
        }
        for (int64_t i = 0; i < n; i++) s->p[i] = before[i];
        soften(c, eps * mean, W);
        break;
    }
    for (int round = 0; round < PROXIMAL; round++) {
        double change = 0.0;
        for (int64_t i = 0; i < n; i++) before[i] = s->p[i];
        for (int64_t i = 0; i < n; i++) b[i] = c->b[i] - (W[i * (n + 1)] - diagonal(c, i)) * before[i];
        newton(&soft, before, s, memory);
        for (int64_t i = 0; i < n; i++) change = fmax(change, fabs(s->p[i] - before[i]));
        if (change <= 1e-11 * largest_of(s->p, n)) break;
    }
    respond_to(c, s->p, s->u);
    read_modes(c, s);
    for (int64_t i = 0; i < n; i++) before[i] = s->p[i], modes[i] = s->modes[i];
    if (polished(c, modes, before, s, memory)) return SOLVED; /* exact in these modes, nearest to the selected forces */
    for (int64_t i = 0; i < n; i++) s->p[i] = before[i], s->modes[i] = modes[i];
    respond_to(c, s->p, s->u);
    return fault_of(c, s, memory) <= sharp ? SOLVED : FAILS;
}

/* Forces that fulfil the laws, by the rule where they are not unique: SOLVED, or the block at which there are none. A
 * block that yields, seen at its limit while others hold it, leaves its friction to these: else it stays at the limit.
 * In transitions none is left at rest at the limit if the laws allow it. */
FUNCTION int64_t solve_blocks(const struct blocks *c, const struct solution *s, struct memory memory) {
    const int yields = any_yields(c);
    first_modes(c, s->modes);
    if (yields && left_to_others(c, s, memory)) return SOLVED;
    if (!yields && rests(c, s, memory)) return SOLVED;
    if (yields || !rows_depend(c, memory) || select_forces(c, s, memory) != SOLVED) {
        const int64_t bad = find_forces(c, s, memory);
        if (bad != SOLVED) return bad;
    }
    if (yields || (c->yields && any_at_limit(c, s))) share_again(c, s, memory);
    for (int64_t i = 0; i < c->k; i++) /* a pull that the laws admit is rounding */
        if (c->law[i] == CONE) s->p[c->first[i]] = fmax(s->p[c->first[i]], 0.0);
    return SOLVED;
}

/* Impact of blocks that touch, all at once: of each its law and first row, coefficients (by rows) and restitution (by
 * blocks); velocities u before it. */
struct impact {
    int64_t k, n;
    const int64_t *law, *first, *poisson;
    const double *W, *u, *e, *mu;
};

/* Impulses at a part of the coefficients of restitution, and the energy that they take. */
FUNCTION int64_t impulses_at(double factor, const struct impact *I, double *p, double *lost, struct memory memory) {
    const int64_t k = I->k, n = I->n, *f = I->first;
    double *b = take(&memory, n), *slip = take(&memory, n), *given = take(&memory, n), *after = take(&memory, n),
           *more = take(&memory, n);
    struct solution s;
    s.p = p, s.u = after, s.modes = take_integers(&memory, n);
    const struct blocks c = {k, n, I->law, f, I->W, b, I->mu, slip, given, 0, 0, 0};
    int restores = 0;
    for (int64_t i = 0; i < n; i++) slip[i] = NAN, b[i] = I->u[i];
    for (int64_t i = 0; i < k; i++)
        if (!I->poisson[i]) b[f[i]] += factor * I->e[i] * fmin(I->u[f[i]], 0.0);
    int64_t bad = solve_blocks(&c, &s, memory);
    if (bad != SOLVED) return bad;
    for (int64_t i = 0; i < k; i++) restores |= I->poisson[i] && I->e[i] * factor * p[f[i]] > 0.0;
    if (restores) {
        for (int64_t i = 0; i < k; i++)
            if (I->poisson[i]) given[f[i]] = factor * I->e[i] * p[f[i]], p[f[i]] += given[f[i]];
        multiply(I->W, n, n, p, b);
        for (int64_t i = 0; i < n; i++) b[i] += I->u[i];
        for (int64_t i = 0; i < k; i++)
            if (!I->poisson[i]) b[f[i]] += factor * I->e[i] * fmin(I->u[f[i]], 0.0);
        s.p = more;
        bad = solve_blocks(&c, &s, memory);
        if (bad != SOLVED) return bad;
        for (int64_t i = 0; i < n; i++) p[i] += more[i];
    }
    multiply(I->W, n, n, p, after);
    *lost = -(dot(p, I->u, n) + 0.5 * dot(p, after, n));
    return SOLVED;
}

static int64_t strike_memory(int64_t k, int64_t n) { return blocks_memory(k, n) + 10 * (k + n) + 64; }

/* Impulses p of an impact, none of them pulling, the factor of all restitution (1, or the largest at which no energy is
 * added), and the energy that it takes. SOLVED, or the block that cannot be. */
FUNCTION int64_t strike(const struct impact *I, double *p, double *factor, double *lost, struct memory memory) {
    const int64_t n = I->n;
    double *tried = take(&memory, n), taken = 0.0, least = 0.0;
    int64_t bad = impulses_at(1.0, I, p, lost, memory);
    *factor = 1.0;
    for (int64_t i = 0; i < n; i++) least -= 1e-10 * fabs(p[i] * I->u[i]);
    if (bad == SOLVED && *lost >= least) return SOLVED;
    bad = impulses_at(0.0, I, p, lost, memory);
    if (bad != SOLVED) return bad;
    double low = 0.0, high = 1.0;
    while (high - low > 1e-13) {
        const double middle = 0.5 * (low + high);
        const int64_t wrong = impulses_at(middle, I, tried, &taken, memory);
        if (wrong == SOLVED && taken >= 0.0) {
            low = middle, *lost = taken;
            for (int64_t i = 0; i < n; i++) p[i] = tried[i];
        } else high = middle;
    }
    *factor = low;
    return SOLVED;
}
