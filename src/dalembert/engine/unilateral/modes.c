/* Forces of given modes, for blocks of all laws: linear equations; after ropes.c. */

/* By how much a solution breaks the laws, as a relative velocity. */
FUNCTION double fault_of(const struct blocks *c, const struct solution *s, struct memory memory) {
    const double slack = 1e-12 * largest_of(s->p, c->n);
    double worst = 0.0;
    for (int64_t i = 0; i < c->n; i++)
        if (!(fabs(s->p[i]) + fabs(s->u[i]) < INFINITY)) return INFINITY;
    for (int64_t i = 0; i < c->k; i++)
        worst = fmax(worst, c->law[i] == ROPE    ? rope_fault(c, i, s, slack, memory)
                            : c->law[i] == LIMIT ? limit_fault(c, i, s, slack)
                                                 : cone_fault(c, i, s, slack));
    return worst;
}

/* Whether a block that slips already is jammed. */
FUNCTION int is_jammed(const struct blocks *c, int64_t i, const int64_t *modes, struct memory memory) {
    if (c->law[i] == ROPE) return jammed_sheave(c, i, modes, memory) >= 0;
    return is_jammed_cone(c, i);
}

/* Modes in which all blocks act and none begins to slip. */
FUNCTION void first_modes(const struct blocks *c, int64_t *modes) {
    for (int64_t i = 0; i < c->k; i++) {
        modes[c->first[i]] = c->law[i] != ROPE && is_sliding(c, i) ? SLIP : STICK;
        for (int64_t row = c->first[i] + 1; row < c->first[i + 1]; row++)
            modes[row] = c->law[i] == ROPE ? first_mode(c, row) : OPEN;
    }
}

/* Unknowns of given modes: `count` numbers z with p = fixed + push^T z, as many velocities `sum` u = 0 (both of rows, count
 * x n, within a block each), and the z of forces that are near. */
struct unknowns {
    int64_t count, *block;
    double *push, *sum, *z, *fixed;
};

FUNCTION void unknowns_of_cone(const struct blocks *c, int64_t i, const int64_t *modes, const double *near,
                               const double *weights, const double *d, struct unknowns *q) {
    const int64_t n = c->n, f = c->first[i];
    const int slips = modes[f] == SLIP && has_tangents(c, i);
    double *push = q->push + q->count * n;
    push[f] = 1.0;
    for (int64_t j = f + 1; j < f + 3 && slips; j++)
        push[j] = -c->mu[f] * d[j], q->fixed[j] = -c->mu[f] * c->given[f] * d[j];
    if (near) q->z[q->count] = near[f];
    q->sum[q->count * n + f] = 1.0, q->block[q->count++] = i;
    for (int64_t j = f + 1; j < f + 3 && modes[f] == STICK && rubs_at(c, i); j++) {
        if (!(diagonal(c, j) > 0.0)) continue;
        const double weight = weights ? weights[i] : 1.0;
        q->push[q->count * n + j] = weight, q->sum[q->count * n + j] = 1.0;
        if (near) q->z[q->count] = near[j] / weight;
        q->block[q->count++] = i;
    }
}

FUNCTION void unknowns_of_limit(const struct blocks *c, int64_t i, const int64_t *modes, const double *near,
                                const double *d, struct unknowns *q) {
    const int64_t f = c->first[i];
    if (modes[f] == SLIP) q->fixed[f] = -c->mu[f] * d[f];
    else if (c->mu[f] > 0.0 && diagonal(c, f) > 0.0) {
        q->push[q->count * c->n + f] = q->sum[q->count * c->n + f] = 1.0;
        if (near) q->z[q->count] = near[f];
        q->block[q->count++] = i;
    }
}

/* The tension of the first span of each group, in the metric of the lengths of its spans: of indeterminate tensions the
 * solution is that of least differences, as of elastic spans. */
FUNCTION void unknowns_of_rope(const struct blocks *c, int64_t i, const int64_t *modes, const double *near,
                               struct unknowns *q) {
    const int64_t f = c->first[i], end = c->first[i + 1];
    double mean = 1.0;
    if (c->lengths) mean = 0.0;
    for (int64_t j = f; j < end && c->lengths; j++) mean += c->lengths[j] / (double)(end - f);
    for (int64_t j = f, next; j < end; j = next) {
        double *push = q->push + q->count * c->n, *sum = q->sum + q->count * c->n, size = 0.0, along = 0.0;
        next = group_from(c, i, modes, j, push);
        for (int64_t row = j; row < next; row++) {
            const double weight = c->lengths ? c->lengths[row] / mean : 1.0;
            sum[row] = 1.0, size += weight * push[row] * push[row];
            if (near) along += weight * push[row] * near[row];
        }
        const double scale = 1.0 / sqrt(size);
        for (int64_t row = j; row < next; row++) push[row] *= scale;
        q->z[q->count] = along * scale, q->block[q->count++] = i;
    }
}

/* Forces for which u_n = 0 where cones push, u_t = 0 where they stick, and groups of ropes keep their lengths, as near as
 * can be to given ones (near may be 0); friction of each cone at rest by its weight, if there are any. */
FUNCTION void linear(const struct blocks *c, const int64_t *modes, const double *near, const double *weights,
                     const double *d, double *p, struct memory memory) {
    const int64_t n = c->n;
    struct unknowns q;
    q.count = 0, q.block = take_integers(&memory, n), q.push = take(&memory, n * n), q.sum = take(&memory, n * n);
    q.z = take(&memory, n), q.fixed = take(&memory, n);
    double *S = take(&memory, n * n), *scaled = take(&memory, n * n), *row = take(&memory, n), *right = take(&memory, n),
           *left = take(&memory, n), *more = take(&memory, n), *lengths = take(&memory, n);
    for (int64_t i = 0; i < c->k; i++) {
        if (modes[c->first[i]] == OPEN) continue;
        if (c->law[i] == ROPE) unknowns_of_rope(c, i, modes, near, &q);
        else if (c->law[i] == LIMIT) unknowns_of_limit(c, i, modes, near, d, &q);
        else unknowns_of_cone(c, i, modes, near, weights, d, &q);
    }
    const int64_t count = q.count;
    for (int64_t r = 0; r < count; r++) {
        const int64_t f = c->first[q.block[r]], end = c->first[q.block[r] + 1];
        const double *sum = q.sum + r * n;
        for (int64_t j = 0; j < n; j++) row[j] = 0.0;
        right[r] = 0.0;
        for (int64_t i = f; i < end; i++) {
            if (sum[i] == 0.0) continue;
            right[r] -= sum[i] * c->b[i];
            for (int64_t j = 0; j < n; j++) row[j] += sum[i] * c->W[i * n + j];
        }
        right[r] -= dot(row, q.fixed, n);
        const double size = dot(row + f, sum + f, end - f);
        lengths[r] = size > 0.0 ? sqrt(size) : 1.0;
        for (int64_t j = 0; j < count; j++) {
            const int64_t own = c->first[q.block[j]];
            S[r * count + j] = dot(row + own, q.push + j * n + own, size_of(c, q.block[j]));
            scaled[r * count + j] = S[r * count + j] / lengths[r];
        }
    }
    for (int round = 0; round < 3; round++) { /* refinement against the rounding of an ill-conditioned system */
        for (int64_t r = 0; r < count; r++) left[r] = (right[r] - dot(S + r * count, q.z, count)) / lengths[r];
        lstsq(scaled, count, count, left, more, RANK_TOLERANCE * RANK_TOLERANCE, count, memory);
        for (int64_t j = 0; j < count; j++) q.z[j] += more[j];
    }
    for (int64_t i = 0; i < n; i++) p[i] = q.fixed[i];
    for (int64_t j = 0; j < count; j++)
        for (int64_t i = c->first[q.block[j]]; i < c->first[q.block[j] + 1]; i++) p[i] += q.push[j * n + i] * q.z[j];
}

/* Whether a cone or a limit obeys its law with a margin. */
FUNCTION int pair_rests(const struct blocks *c, int64_t i, const struct solution *s, double least, double tolerance) {
    const int64_t f = c->first[i];
    const double *p = s->p + f, *u = s->u + f;
    if (c->law[i] == LIMIT)
        return s->modes[f] != STICK || c->mu[f] == 0.0 || (fabs(p[0]) <= INNER * c->mu[f] && fabs(u[0]) <= tolerance);
    if (!(p[0] > least) || !(fabs(u[0]) <= tolerance) || is_jammed_cone(c, i)) return 0;
    if (s->modes[f] != STICK || !rubs_at(c, i)) return 1;
    if (!(hypot(p[1], p[2]) <= INNER * c->mu[f] * (p[0] + c->given[f]))) return 0;
    return fmax(fabs(u[1]), fabs(u[2])) <= tolerance;
}

/* Solution with these modes, of least norm by the weights; 0 if it breaks a law. Open blocks are unconstrained. */
FUNCTION int holds(const struct blocks *c, const struct solution *s, const double *weights, struct memory memory) {
    linear(c, s->modes, c->last, weights, c->slip, s->p, memory);
    respond_to(c, s->p, s->u);
    const double least = 1e-13 * largest_of(s->p, c->n), tolerance = tolerance_of(c);
    for (int64_t i = 0; i < c->k; i++) {
        if (s->modes[c->first[i]] == OPEN) continue;
        if (!(c->law[i] == ROPE ? rope_rests(c, i, s, least, tolerance, memory) : pair_rests(c, i, s, least, tolerance)))
            return 0;
    }
    return 1;
}

/* Solution in which all blocks act and none begins to slip, forces being those of least norm; 0 if it breaks a law. */
FUNCTION int rests(const struct blocks *c, const struct solution *s, struct memory memory) {
    first_modes(c, s->modes);
    return holds(c, s, 0, memory);
}

/* The same with friction in proportion to the normal forces, that of yielding contacts to a part of them. */
FUNCTION int in_proportion(const struct blocks *c, const struct solution *s, double part, struct memory memory) {
    double *weights = take(&memory, c->k), most = 0.0;
    for (int64_t i = 0; i < c->k; i++) weights[i] = 1.0;
    linear(c, s->modes, c->last, weights, c->slip, s->p, memory);
    for (int64_t i = 0; i < c->k; i++)
        if (c->law[i] == CONE) most = fmax(most, s->p[c->first[i]]);
    for (int64_t i = 0; i < c->k && most > 0.0; i++)
        weights[i] = sqrt((c->yields[i] ? part : 1.0) * fmin(fmax(s->p[c->first[i]] / most, LEAST), 1.0));
    return holds(c, s, weights, memory);
}

FUNCTION int any_yields(const struct blocks *c) {
    int any = 0;
    for (int64_t i = 0; i < c->k && c->yields; i++) any |= c->yields[i] != 0;
    return any;
}

/* Whether a cone at rest has its friction at the limit. */
FUNCTION int any_at_limit(const struct blocks *c, const struct solution *s) {
    for (int64_t i = 0; i < c->k; i++) {
        const int64_t f = c->first[i];
        if (!rubs_at(c, i) || is_sliding(c, i) || s->modes[f] != STICK) continue;
        if (hypot(s->p[f + 1], s->p[f + 2]) > INNER * c->mu[f] * (s->p[f] + c->given[f])) return 1;
    }
    return 0;
}

/* Solution with these modes in which yielding contacts have the least friction, or, where others could not bear that, all
 * have it in proportion to their normal forces: it is not to reach its limit again at once. 0 if it breaks a law. */
FUNCTION int left_to_others(const struct blocks *c, const struct solution *s, struct memory memory) {
    return in_proportion(c, s, YIELDS, memory) || in_proportion(c, s, 1.0, memory);
}

/* The same motion with the forces of all that is at rest shared anew, if these obey the laws. Ropes keep their tensions. */
FUNCTION void share_again(const struct blocks *c, const struct solution *s, struct memory memory) {
    const int64_t k = c->k, n = c->n;
    const double least = 10.0 * tolerance_of(c);
    double *given = take(&memory, n), *b = take(&memory, n), *slip = take(&memory, n);
    struct solution made;
    made.p = take(&memory, n), made.u = take(&memory, n), made.modes = take_integers(&memory, n);
    struct blocks left = *c;
    left.b = b, left.slip = slip;
    for (int64_t i = 0; i < n; i++) slip[i] = NAN;
    for (int pushing = 0; pushing < 2; pushing++) { /* among all that touch, then among those that push */
        int any = 0;
        for (int64_t i = 0; i < k; i++) {
            const int64_t f = c->first[i];
            const double *u = s->u + f;
            const int at_rest = c->law[i] == LIMIT ? c->mu[f] == 0.0 || fabs(u[0]) <= least
                                : !rubs_at(c, i)   ? fabs(u[0]) <= least
                                                   : largest_of(u, 3) <= least;
            const int rests = c->law[i] != ROPE && !is_sliding(c, i) && at_rest && (!pushing || s->modes[f] == STICK);
            made.modes[f] = rests ? STICK : OPEN, any |= rests;
            for (int64_t j = f; j < c->first[i + 1]; j++) given[j] = rests ? 0.0 : s->p[j];
        }
        if (!any) return;
        respond_to(c, given, b);
        if (!left_to_others(&left, &made, memory)) continue;
        for (int64_t i = 0; i < n; i++) s->p[i] = made.p[i] + given[i], s->u[i] = made.u[i];
        for (int64_t i = 0; i < k; i++)
            if (made.modes[c->first[i]] == STICK) s->modes[c->first[i]] = STICK;
        return;
    }
}

/* Solution of cones without friction, a convex problem, by the method of active sets. */
FUNCTION int64_t smooth(const struct blocks *c, const struct solution *s, struct memory memory) {
    const int64_t k = c->k, *f = c->first;
    double *W = take(&memory, k * k), *X = take(&memory, k * k), *sizes = take(&memory, k),
           *violation = take(&memory, k), *x = take(&memory, k);
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) W[i * k + j] = c->W[f[i] * c->n + f[j]];
    square_root(W, k, X, memory);
    for (int64_t j = 0; j < k; j++) {
        double size = 0.0;
        for (int64_t i = 0; i < k; i++) size += X[i * k + j] * X[i * k + j];
        sizes[j] = fmax(sqrt(size), NOTHING);
        for (int64_t i = 0; i < k; i++) X[i * k + j] /= sizes[j];
        violation[j] = -c->b[f[j]] / sizes[j];
    }
    const int feasible = pulling(X, k, k, violation, TIGHT * largest_of(violation, k), x, memory);
    for (int64_t i = 0; i < c->n; i++) s->p[i] = 0.0, s->modes[i] = OPEN;
    for (int64_t i = 0; i < k; i++) {
        s->p[f[i]] = x[i] / sizes[i];
        s->modes[f[i]] = s->p[f[i]] > 0.0 ? STICK : OPEN;
    }
    respond_to(c, s->p, s->u);
    if (feasible) return SOLVED;
    int64_t worst = 0;
    for (int64_t i = 1; i < k; i++)
        if (s->u[f[i]] < s->u[f[worst]]) worst = i;
    return worst;
}

/* Solution with these modes to the last digit, from forces near it; 0 if it breaks a law. */
FUNCTION int polished(const struct blocks *c, const int64_t *modes, const double *near, const struct solution *s,
                      struct memory memory) {
    const int64_t n = c->n;
    double *d = take(&memory, n), *before = take(&memory, n);
    for (int64_t i = 0; i < n; i++) d[i] = c->slip[i], s->p[i] = near[i], s->modes[i] = modes[i];
    respond_to(c, s->p, s->u);
    for (int round = 0; round < 60; round++) {
        double change = 0.0;
        for (int64_t i = 0; i < c->k; i++) {
            const int64_t f = c->first[i] + has_tangents(c, i), count = has_tangents(c, i) ? 2 : 1;
            if (c->law[i] == ROPE || modes[c->first[i]] != SLIP || is_sliding(c, i)) continue;
            const double size = count == 2 ? hypot(s->u[f], s->u[f + 1]) : fabs(s->u[f]);
            const double push = count == 2 ? hypot(near[f], near[f + 1]) : fabs(near[f]);
            if (!(size > 0.0) && !(push > 0.0)) return 0;
            for (int64_t j = f; j < f + count; j++) d[j] = size > 0.0 ? s->u[j] / size : -near[j] / push;
        }
        for (int64_t i = 0; i < n; i++) before[i] = s->p[i];
        linear(c, modes, near, 0, d, s->p, memory);
        respond_to(c, s->p, s->u);
        for (int64_t i = 0; i < n; i++) change = fmax(change, fabs(s->p[i] - before[i]));
        if (change <= 1e-14 * largest_of(s->p, n)) break;
    }
    return fault_of(c, s, memory) <= 10.0 * tolerance_of(c);
}
