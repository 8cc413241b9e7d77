/* The algebra of contacts with Coulomb friction: forces in sustained contact, impulses of impacts; after cone_search.c.
 *
 * core/contact_algebra.py is the same in NumPy, with the reasons and the sources; keep the two alike.
 */
#define SWEEPS 1000
#define ATTEMPTS 3
#define NEARLY 1e-7

static int64_t cones_memory(int64_t k) {
    const int64_t n = 3 * k;
    return 60 * (n + 2) + 4 * n * n + lstsq_memory(n, n) + pulling_memory(k, k) + pivoted_memory(k) + 64;
}

/* Find forces that fulfil the laws: SOLVED, or the pair at which there are none. */
FUNCTION int64_t solve_cones(const struct cones *c, const struct solution *s, struct memory memory) {
    const int64_t k = c->k, n = 3 * k;
    int rubs = 0;
    for (int64_t i = 0; i < k; i++) {
        s->modes[i] = is_sliding(c, i) ? SLIP : STICK;
        rubs |= c->mu[i] != 0.0;
        if (k == 1 && is_jammed(c, i) && c->b[0] < 0.0) return i; /* of several the others may carry it */
    }
    if (shared(c, s, memory)) return SOLVED;
    if (!rubs) return smooth(c, s, memory);
    double *p = take(&memory, n), *near = take(&memory, n), *best_p = take(&memory, n);
    int64_t *modes = take_integers(&memory, k), *best_modes = take_integers(&memory, k);
    const double scale = largest_of(c->b, n), sharp = 10.0 * tolerance_of(c);
    double best = INFINITY, change = 0.0;
    for (int attempt = 0; attempt <= ATTEMPTS; attempt++) { /* the last one from forces found by pivots */
        for (int64_t i = 0; i < n && !attempt && c->last; i++) p[i] = c->last[i];
        if (attempt < ATTEMPTS) project_onto(c, p, 40 * (attempt + 1));
        else if (!pivoted(c, p, memory)) break;
        newton(c, p, s, memory);
        const double fault = fault_of(c, s);
        if (fault < best) {
            best = fault;
            for (int64_t i = 0; i < n; i++) best_p[i] = s->p[i];
            for (int64_t i = 0; i < k; i++) best_modes[i] = s->modes[i];
        }
        if (fault > sharp) continue;
        for (int64_t i = 0; i < n; i++) near[i] = s->p[i];
        for (int64_t i = 0; i < k; i++) modes[i] = s->modes[i];
        if (polished(c, modes, near, s, memory)) {
            ease(c, s, memory);
            return SOLVED;
        }
        break;
    }
    if (best <= NEARLY * scale) {
        for (int64_t i = 0; i < n; i++) s->p[i] = best_p[i];
        for (int64_t i = 0; i < k; i++) s->modes[i] = best_modes[i];
        respond_to(c, s->p, s->u);
        ease(c, s, memory);
        return SOLVED;
    }
    for (int64_t i = 0; i < k; i++) best_modes[i] = -1;
    for (int64_t sweep = 0; sweep < SWEEPS; sweep++) {
        const int64_t bad = sweep_over(c, p, modes, &change, memory);
        int steady = 1;
        if (bad != SOLVED) return bad;
        for (int64_t i = 0; i < k; i++) steady &= modes[i] == best_modes[i], best_modes[i] = modes[i];
        if (steady && sweep % 5 == 4 && polished(c, modes, p, s, memory)) {
            ease(c, s, memory);
            return SOLVED;
        }
        if (change <= 1e-15 * (1.0 + largest_of(p, n))) break;
    }
    for (int64_t i = 0; i < n; i++) s->p[i] = p[i];
    for (int64_t i = 0; i < k; i++) s->modes[i] = modes[i];
    respond_to(c, s->p, s->u);
    if (fault_of(c, s) <= NEARLY * fmax(scale, NOTHING)) {
        ease(c, s, memory);
        return SOLVED;
    }
    int64_t worst = 0;
    for (int64_t i = 0; i < k; i++)
        if (is_jammed(c, i)) return i;
    for (int64_t i = 0; i < n; i++)
        if (fabs(s->u[i]) > fabs(s->u[worst])) worst = i;
    return worst / 3;
}

/* Impulses at a part of the coefficients of restitution, and the energy that they take. */
FUNCTION int64_t impulses_at(double factor, const double *W, int64_t k, const double *u, const double *e,
                             const double *mu, const int64_t *poisson, double *p, double *lost, struct memory memory) {
    const int64_t n = 3 * k;
    double *b = take(&memory, n), *slip = take(&memory, 2 * k), *given = take(&memory, k), *after = take(&memory, n),
           *more = take(&memory, n);
    struct solution s;
    s.p = p, s.u = after, s.modes = take_integers(&memory, k);
    struct cones c;
    c.k = k, c.W = W, c.b = b, c.mu = mu, c.slip = slip, c.given = given, c.yields = c.bare = 0, c.last = 0;
    int restores = 0;
    for (int64_t i = 0; i < 2 * k; i++) slip[i] = NAN;
    for (int64_t i = 0; i < n; i++) b[i] = u[i];
    for (int64_t i = 0; i < k; i++)
        if (!poisson[i]) b[3 * i] += factor * e[i] * fmin(u[3 * i], 0.0);
    int64_t bad = solve_cones(&c, &s, memory);
    if (bad != SOLVED) return bad;
    for (int64_t i = 0; i < k; i++) restores |= poisson[i] && e[i] * factor * p[3 * i] > 0.0;
    if (restores) {
        for (int64_t i = 0; i < k; i++)
            if (poisson[i]) given[i] = factor * e[i] * p[3 * i], p[3 * i] += given[i];
        multiply(W, n, n, p, b);
        for (int64_t i = 0; i < n; i++) b[i] += u[i];
        for (int64_t i = 0; i < k; i++)
            if (!poisson[i]) b[3 * i] += factor * e[i] * fmin(u[3 * i], 0.0);
        s.p = more;
        bad = solve_cones(&c, &s, memory);
        if (bad != SOLVED) return bad;
        for (int64_t i = 0; i < n; i++) p[i] += more[i];
    }
    multiply(W, n, n, p, after);
    *lost = -(dot(p, u, n) + 0.5 * dot(p, after, n));
    return SOLVED;
}

static int64_t strike_memory(int64_t k) { return cones_memory(k) + 20 * k + 64; }

/* Impact of k pairs that touch, all at once, none of them pulling: impulses p, the factor of all restitution (1, or the
 * largest at which no energy is added), and the energy that it takes. SOLVED, or the pair that cannot be. */
FUNCTION int64_t strike(const double *W, int64_t k, const double *u, const double *e, const double *mu,
                        const int64_t *poisson, double *p, double *factor, double *lost, struct memory memory) {
    const int64_t n = 3 * k;
    double *tried = take(&memory, n), taken = 0.0, least = 0.0;
    int64_t bad = impulses_at(1.0, W, k, u, e, mu, poisson, p, lost, memory);
    *factor = 1.0;
    for (int64_t i = 0; i < n; i++) least -= 1e-10 * fabs(p[i] * u[i]);
    if (bad == SOLVED && *lost >= least) return SOLVED;
    bad = impulses_at(0.0, W, k, u, e, mu, poisson, p, lost, memory);
    if (bad != SOLVED) return bad;
    double low = 0.0, high = 1.0;
    while (high - low > 1e-13) {
        const double middle = 0.5 * (low + high);
        const int64_t wrong = impulses_at(middle, W, k, u, e, mu, poisson, tried, &taken, memory);
        if (wrong == SOLVED && taken >= 0.0) {
            low = middle, *lost = taken;
            for (int64_t i = 0; i < n; i++) p[i] = tried[i];
        } else high = middle;
    }
    *factor = low;
    return SOLVED;
}
