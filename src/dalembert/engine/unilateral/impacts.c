/* Impacts of pairs: with restitution and friction, of rows that are stopped, of slips that end; after pairs.c.
 *
 * For pairs that only just act only the direction is known; once it is settled which of them continue to act, these
 * keep their gaps closed. An impact without restitution is the problem of least constraint with rates in place of
 * accelerations (J. J. Moreau), and never adds energy.
 *
 * A slip that comes to rest is seen to end when it has turned by a rate that is rounding, and of several that are so
 * slow none can be identified as still slipping. Their accelerations determine which of them stick, and where the
 * others slip to (settling.c): from rest, so that nothing slips against its friction, and pairs that begin to stick do
 * not move the others, which would make them turn, and turn the first again, without end. Pairs that this brings to
 * rest in turn rest too. The velocities are those nearest in the metric of the mass matrix, so that no energy is added.
 * Sheaves of ropes have leeway instead (settling.c): where their slips are almost prescribed, stopping them would take any
 * impulse.
 */

/* Observations of the pairs at an instant: slips that end, and pairs that open. */
struct seen {
    int64_t *ends, *opens;
};

/* Effects of an impact: impulses of all rows, the energy that they took, -(u- + u+) p / 2 of each, and by how much
 * restitution had to be lowered. */
struct collision {
    double *impulses, lost, factor;
};

/* Impact with restitution and friction of the pairs that touch, under the constraints that act. */
static int64_t strike_pairs(struct transitions *T, double *x, const struct chosen *some, struct collision *made,
                            struct memory memory) {
    struct constrained *C = T->equations;
    const int64_t nv = C->nv, n = some->n, count = some->count;
    double *right = take(&memory, C->m), *Z = take(&memory, n * nv), *u = take(&memory, n), *change = take(&memory, n),
           *W = take(&memory, n * n), *e = take(&memory, count), *mu = take(&memory, n), *p = take(&memory, n),
           *v = take(&memory, nv), *dv = take(&memory, nv), *none = take(&memory, nv), *lambda = take(&memory, C->m),
           *before = x + C->nq, factor = 1.0, lost = 0.0;
    int64_t *held = take_integers(&memory, C->m), *poisson = take_integers(&memory, count), strikes = 0;
    const int64_t n_held = gather_held(T, x, T->rate, -1.0, held, right, memory);
    struct mass Q;
    if (mass_of(T, &Q)) return NO_TERMS;
    const int moves = largest_of(right, n_held) > RESTS; /* constraints that begin to act, or drift */
    if (moves) minimum_norm(&Q, none, held, n_held, right, dv, lambda, memory);
    for (int64_t j = 0; moves && j < n_held; j++) {
        made->impulses[held[j]] += lambda[j];
        made->lost += (0.5 * dot(T->J + held[j] * nv, dv, nv) - right[j]) * lambda[j];
    }
    for (int64_t j = 0; j < nv; j++) v[j] = before[j] + dv[j];
    spread(some, T->rate, u);
    spread_along(T, some, dv, change);
    for (int64_t i = 0; i < n; i++) u[i] += change[i];
    for (int64_t i = 0; i < count; i++) {
        const int64_t block = some->block[i];
        e[i] = T->e[block], poisson[i] = T->poisson[block];
        coefficients_of(T, block, mu + some->first[i]);
        strikes |= opening_of(some, i, u) < -STRIKES;
    }
    if (strikes) {
        struct factors F;
        take_rows(&F, &Q, held, n_held, &memory);
        delassus(&F, some, Z, W, memory);
        const struct impact impact = {count, n, some->law, some->first, poisson, W, u, e, mu};
        const int64_t bad = strike(&impact, p, &factor, &lost, memory);
        if (bad != SOLVED) {
            T->pair = some->block[bad], T->lacks = OF_IMPULSES;
            return T->pair;
        }
        respond(&F, Z, n, p, v, memory);
        gather(some, p, made->impulses);
        answer(T, &Q, held, n_held, some, p, made->impulses, memory);
        made->lost += lost, made->factor = fmin(made->factor, factor);
    }
    change_velocities(T, before, v);
    return LANDED;
}

/* Velocities after the least change that stops the active rows, unilateral ones where they would continue. */
static int64_t stop_rows(struct transitions *T, double *x, const int64_t *part, const int64_t *one_way,
                         struct collision *made, struct memory memory) {
    struct constrained *C = T->equations;
    const int64_t nv = C->nv, m = C->m;
    int64_t *pulls = take_integers(&memory, m), *rows = take_integers(&memory, m), n = 0;
    double *right = take(&memory, m), *lambda = take(&memory, m), *opening = take(&memory, m), *dv = take(&memory, nv),
           *none = take(&memory, nv), *v = take(&memory, nv);
    struct mass Q;
    for (int64_t i = 0; i < m; i++)
        if (part[i]) pulls[n] = one_way[i], rows[n] = i, right[n++] = -T->rate[i];
    if (mass_of(T, &Q)) return NO_TERMS;
    least_constraint(&Q, none, rows, n, right, pulls, 1e-11, dv, lambda, opening, memory);
    for (int64_t j = 0; j < nv; j++) v[j] = x[C->nq + j] + dv[j];
    change_velocities(T, x + C->nq, v);
    for (int64_t j = 0; j < n; j++) {
        made->impulses[rows[j]] += lambda[j];
        made->lost += 0.5 * (T->rate[rows[j]] - right[j]) * lambda[j];
    }
    return LANDED;
}

/* The first of the pairs that touch if no velocities obey them and the prescribed motion, else LANDED. Constraints that do
 * not depend on time always allow rest. */
static int64_t driven_on(struct transitions *T, const double *x, const int64_t *part, const int64_t *one_way,
                         const struct chosen *some, double fastest) {
    const struct constrained *C = T->equations;
    double driven = 0.0, left = 0.0;
    for (int64_t i = 0; i < C->m; i++) {
        if (!part[i]) continue;
        if (acts(C, x, i)) driven = fmax(driven, fabs(C->phi_t[i]));
        left = fmax(left, one_way[i] ? T->rate[i] : fabs(T->rate[i]));
    }
    if (!some->count || driven == 0.0 || left <= 1e-6 * fastest + RESTS) return LANDED;
    T->lacks = OF_IMPULSES;
    return T->pair = some->block[0];
}

/* Velocities after the impact of all active constraints and touching pairs; once it is settled which of them continue
 * to act, these keep their gaps closed. */
static int64_t hit(struct transitions *T, double *x, int settled, struct collision *made, struct memory memory) {
    struct constrained *C = T->equations;
    const int64_t m = C->m;
    struct chosen some;
    int bounces = 0;
    choose_none(T, &some, &memory);
    for (int64_t i = 0; i < T->k; i++)
        if (touches(T, x, i) && !T->loose[i]) {
            choose(T, i, &some);
            bounces |= T->e[i] > 0.0 || friction_of(T, i) > 0.0;
        }
    if (!settled && bounces) return strike_pairs(T, x, &some, made, memory);
    int64_t *part = take_integers(&memory, m), *one_way = take_integers(&memory, m);
    taking_part(T, x, part, one_way);
    for (int64_t i = T->k; i < T->n_blocks && !settled; i++) part[row_of(T, i, 1)] = 0; /* a finite force has no impulse */
    for (int64_t i = 0; i < m; i++) one_way[i] = one_way[i] && !(settled && acts(C, x, i));
    double fastest = 0.0;
    for (int64_t i = 0; i < m; i++)
        if (part[i]) fastest = fmax(fastest, one_way[i] ? T->rate[i] : fabs(T->rate[i]));
    if (fastest <= RESTS) return LANDED;
    const int64_t outcome = stop_rows(T, x, part, one_way, made, memory);
    return outcome == LANDED && !settled ? driven_on(T, x, part, one_way, &some, fastest) : outcome;
}

/* Whether a pair may continue to act: it touches and does not open. */
static int goes_on_touching(const struct transitions *T, const double *x, int64_t i, const struct seen *seen) {
    if (is_limit(T, i)) return 1;
    if (seen->opens[i] || !touches(T, x, i)) return 0;
    return !(T->loose[i] && !T->is_contact[i]) && T->rate[normal_of(T, i)] > -STILL;
}

/* Velocities after all pairs that no longer slip have come to rest together, and slips that end. */
static int64_t rest(struct transitions *T, double *x, const struct seen *seen, struct collision *made,
                    struct memory memory) {
    struct constrained *C = T->equations;
    const int64_t m = C->m;
    int64_t *part = take_integers(&memory, m), *one_way = take_integers(&memory, m),
            *close = take_integers(&memory, T->n_blocks), *still = take_integers(&memory, T->n_blocks);
    for (int64_t i = 0; i < m; i++) part[i] = acts(C, x, i);
    for (int64_t i = 0; i < T->n_blocks; i++) {
        close[i] = goes_on_touching(T, x, i, seen);
        if (!is_limit(T, i)) one_way[normal_of(T, i)] = !(x[T->flags[i]] > 0.5), part[normal_of(T, i)] = close[i];
        for (int64_t j = 1; j < ways_of(T, i); j++)
            if (row_of(T, i, j) >= 0) part[row_of(T, i, j)] = 0;
    }
    for (;;) {
        double fastest = 0.0;
        for (int64_t i = 0; i < T->n_blocks; i++) {
            if (!close[i] || still[i] || is_rope(T, i) || !(friction_of(T, i) > 0.0)) continue;
            double u[2] = {0.0, 0.0};
            for (int j = 0; j < 2; j++)
                if (row_of(T, i, j + 1) >= 0) u[j] = T->rate[row_of(T, i, j + 1)];
            const double speed = hypot(u[0], u[1]);
            if (!(speed <= SLIPS || seen->ends[i])) continue;
            still[i] = 1, fastest = fmax(fastest, speed);
            for (int64_t j = 1; j < ways_of(T, i); j++)
                if (row_of(T, i, j) >= 0) part[row_of(T, i, j)] = 1;
        }
        if (!(fastest > RESTS)) return LANDED;
        const int64_t outcome = stop_rows(T, x, part, one_way, made, memory);
        if (outcome != LANDED) return outcome;
    }
}
