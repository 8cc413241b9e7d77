/* The algebra of blocks: forces in sustained contact, impulses of impacts; after searches.c.
 *
 * The search for forces first assumes that all blocks act and none begins to slip, where redundant forces are shared in
 * proportion to the normal ones; a rope by itself by its modes; then by Newton's method from a few projections, or from
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

static int64_t blocks_memory(int64_t k, int64_t n) {
    return 120 * (n + 4) + 12 * n * n + 2 * lstsq_memory(n, n) + pulling_memory(k, k) + 2 * k * k + 8 * k +
           2 * pivoted_memory(k, n) + 64;
}

/* Find forces that fulfil the laws: SOLVED, or the block at which there are none. */
FUNCTION int64_t solve_blocks(const struct blocks *c, const struct solution *s, struct memory memory) {
    const int64_t k = c->k, n = c->n;
    int rubs = 0;
    first_modes(c, s->modes);
    for (int64_t i = 0; i < k; i++) rubs |= c->law[i] == ROPE ? size_of(c, i) > 1 : c->mu[c->first[i]] != 0.0;
    if (k == 1 && is_jammed_cone(c, 0) && c->b[0] < 0.0) return 0; /* of several the others may carry it */
    if (shared(c, s, memory)) return SOLVED;
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
        if (polished(c, modes, near, s, memory)) {
            share_evenly(c, s, memory);
            return SOLVED;
        }
        break;
    }
    if (best <= NEARLY * scale) {
        for (int64_t i = 0; i < n; i++) s->p[i] = best_p[i], s->modes[i] = best_modes[i];
        respond_to(c, s->p, s->u);
        share_evenly(c, s, memory);
        return SOLVED;
    }
    for (int64_t i = 0; i < n; i++) best_modes[i] = -1;
    first_modes(c, modes);
    for (int64_t sweep = 0; sweep < SWEEPS; sweep++) {
        const int64_t bad = sweep_over(c, p, modes, &change, memory);
        int steady = 1;
        if (bad != SOLVED) return bad;
        for (int64_t i = 0; i < n; i++) steady &= modes[i] == best_modes[i], best_modes[i] = modes[i];
        if (steady && sweep % 5 == 4 && polished(c, modes, p, s, memory)) {
            share_evenly(c, s, memory);
            return SOLVED;
        }
        if (change <= 1e-15 * (1.0 + largest_of(p, n))) break;
    }
    for (int64_t i = 0; i < n; i++) s->p[i] = p[i], s->modes[i] = modes[i];
    respond_to(c, s->p, s->u);
    if (fault_of(c, s, memory) <= NEARLY * fmax(scale, NOTHING)) {
        share_evenly(c, s, memory);
        return SOLVED;
    }
    int64_t worst = 0;
    for (int64_t i = 0; i < k; i++)
        if (is_jammed(c, i, s->modes, memory)) return i;
    for (int64_t i = 0; i < n; i++)
        if (fabs(s->u[i]) > fabs(s->u[worst])) worst = i;
    int64_t block = 0;
    while (c->first[block + 1] <= worst) block++;
    return block;
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
