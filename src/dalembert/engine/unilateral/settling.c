/* Blocks after an instant: which act, stick, slip or open; after impacts.c.
 *
 * Touching blocks that pull (push) act, all others are open; contacts with friction that act stick or slip. Where rows
 * are redundant the multipliers are shared, those of least norm, among the pairs that keep their gap; a pair that would
 * have none, or act the other way, is left out of the sharing.
 *
 * Slips have leeway: rows that all but depend on each other do not rest to the last digit. Both ends of a flat link slip
 * nearly alike, and one that begins to slip may still move the other way, more slowly than counts as a slip. It has the
 * leeway to turn. A slip at a speed that counts has none: it ends before it turns, at twice the rate `slowest`, where
 * it has no direction any more that a step could tell from its errors.
 */

/* Write the mode of a pair with friction, or of a sheave, into its latches. */
static void set_latches(const int64_t *place, double *x, int64_t mode, const double *force, const double *toward) {
    const double values[6] = {mode == STICK,
                              mode == SLIP ? toward[0] : 0.0,
                              mode == SLIP ? toward[1] : 0.0,
                              mode == OPEN ? 0.0 : force[0],
                              mode == OPEN ? 0.0 : force[1],
                              mode == OPEN ? 0.0 : force[2]};
    for (int j = 0; j < 6; j++)
        if (place[j] >= 0) x[place[j]] = values[j];
}

static void set_friction(const struct transitions *T, double *x, int64_t i, int64_t mode, const double *force,
                         const double *toward) {
    set_latches(latches_of(T, i), x, mode, force, toward);
}

/* Latches of the friction of a pair, or of all sheaves of a rope, that does not act. */
static void open_friction(const struct transitions *T, double *x, int64_t i) {
    const double nothing[3] = {0.0, 0.0, 0.0};
    for (int64_t j = 0; j < T->rubs[i]; j++) set_latches(sheave_latches(T, i, j), x, OPEN, nothing, nothing);
}

/* Whether a pair with friction slips; a rope with any of its sheaves. */
static int slides(const struct transitions *T, const double *x, int64_t i) {
    const int64_t *place = latches_of(T, i);
    if (is_limit(T, i)) return x[place[1]] != 0.0;
    for (int64_t j = 0; is_rope(T, i) && j < T->rubs[i]; j++)
        if (x[T->flags[i]] > 0.5 && x[sheave_latches(T, i, j)[1]] != 0.0) return 1;
    if (is_rope(T, i)) return 0;
    return T->rubs[i] && x[T->flags[i]] > 0.5 && (x[place[1]] != 0.0 || x[place[2]] != 0.0);
}

/* The impact of the pairs that continue to act; MOVED if it has changed slips. */
static int64_t hit_settled(struct transitions *T, double *x, struct collision *made, struct memory memory) {
    double *before = take(&memory, T->equations->m);
    memcpy(before, T->rate, doubles(T->equations->m));
    int64_t outcome = hit(T, x, 1, made, memory);
    for (int64_t i = 0; i < T->n_blocks && outcome == LANDED; i++)
        for (int64_t j = 1; j < ways_of(T, i) && slides(T, x, i); j++) {
            const int64_t row = row_of(T, i, j);
            if (is_rope(T, i) && x[sheave_latches(T, i, j - 1)[1]] == 0.0) continue;
            if (row >= 0 && fabs(T->rate[row] - before[row]) > SLOWEST) outcome = MOVED;
        }
    return outcome;
}

/* Rates by which slips may turn before they end: a nearly dependent slip does not rest to the last digit. A slip
 * at a speed that counts ends before it has turned, when it has become too slow to have a direction. A joint has two
 * directions only: it ends where its rate passes zero. */
static void give_leeway(const struct transitions *T, double *x) {
    for (int64_t i = T->k; i < T->n_blocks; i++)
        x[latches_of(T, i)[6]] = fabs(T->rate[row_of(T, i, 1)]) > SLIPS ? 0.0 : TURNS_BACK;
    for (int64_t i = 0; i < T->k; i++) {
        const int64_t *place = latches_of(T, i);
        double along = 0.0, squared = 0.0;
        for (int64_t j = 0; is_rope(T, i) && j < T->rubs[i]; j++) { /* so has a sheave; one that reverses is let go on a little */
            const int64_t *latch = sheave_latches(T, i, j);
            const double rate = T->rate[row_of(T, i, j + 1)], back = fmax(0.0, x[latch[1]] * rate);
            x[latch[6]] = fabs(rate) > SLIPS ? 0.0 : TURNS_BACK + 1.5 * back;
        }
        if (!T->rubs[i] || is_rope(T, i)) continue;
        for (int j = 0; j < 2; j++) {
            const int64_t row = row_of(T, i, j + 1);
            if (row < 0) continue;
            along -= T->rate[row] * x[place[1 + j]], squared += T->rate[row] * T->rate[row];
        }
        const double turned = 0.5 * sqrt(squared) - along;
        x[place[6]] = squared > SLIPS * SLIPS && turned < 0.0 ? -T->slowest : SLOWEST + 1.5 * fmax(0.0, turned);
    }
}

/* Rows that continue to act, without friction, into `goes_on` (m). */
static int64_t settle_plain(struct transitions *T, const double *x, int64_t *goes_on, struct memory memory) {
    struct constrained *C = T->equations;
    const int64_t nv = C->nv, m = C->m;
    int64_t *part = take_integers(&memory, m), *one_way = take_integers(&memory, m), *pulls = take_integers(&memory, m),
            *needed = take_integers(&memory, m), *rows = take_integers(&memory, m), n = 0, open = 0;
    double *right = take(&memory, m), *lambda = take(&memory, m), *opening = take(&memory, m), *a = take(&memory, nv),
           *force = take(&memory, m), *share = take(&memory, m);
    struct mass Q;
    if (mass_of(T, &Q)) return NO_TERMS;
    taking_part(T, x, part, one_way);
    for (int64_t i = 0; i < m; i++) {
        part[i] = part[i] && (!one_way[i] || T->rate[i] > -STILL);
        if (part[i]) pulls[n] = one_way[i], rows[n] = i, right[n++] = T->gamma[i];
    }
    least_constraint(&Q, T->f, rows, n, right, pulls, 1e-11, a, lambda, opening, memory);
    for (int64_t i = 0, j = 0; i < m; i++)
        if (part[i]) force[i] = lambda[j], share[i] = opening[j++];
    const double small = PULLS * fmax(largest_of(force, m), 1e-6), fastest = largest_of(a, nv);
    for (int64_t i = 0; i < m; i++) {
        needed[i] = part[i] && (!one_way[i] || force[i] > small);
        const double size = norm(T->J + i * nv, nv) * fastest;
        goes_on[i] = needed[i] || (part[i] && share[i] >= -1e-9 * (1.0 + size));
        open |= goes_on[i] && !needed[i];
    }
    while (open) {
        int64_t spare = -1, pushes = 0;
        n = 0, open = 0;
        for (int64_t i = 0; i < m; i++)
            if (goes_on[i]) rows[n] = i, right[n++] = T->gamma[i];
        minimum_norm(&Q, T->f, rows, n, right, a, lambda, memory);
        for (int64_t i = 0, j = 0; i < m; i++) {
            if (!goes_on[i]) continue;
            share[i] = lambda[j++];
            if (!needed[i] && share[i] <= small && (spare < 0 || share[i] < share[spare])) spare = i;
            pushes |= one_way[i] && share[i] <= small;
        }
        if (spare >= 0) goes_on[spare] = 0;
        else if (pushes) memcpy(goes_on, needed, (size_t)m * sizeof(int64_t));
        else break;
        for (int64_t i = 0; i < m; i++) open |= goes_on[i] && !needed[i];
    }
    return LANDED;
}

/* Problem of the sheaves of a chosen rope: how they slip already, tensions as they were, lengths of spans. */
static void ask_rope(const struct transitions *T, const double *x, int64_t block, int64_t spans, const double *u,
                     double *slip, double *last, double *lengths) {
    const struct constrained *C = T->equations;
    int64_t rope = 0;
    double w = 0.0;
    while (C->rope_first[rope] != T->entry[block]) rope++;
    for (int64_t j = 0; j < spans; j++) {
        const int64_t *place = sheave_latches(T, block, j < spans - 1 ? j : 0);
        lengths[j] = C->cone[3 * C->n_rubbing + C->rope_first[rope] + rope + j];
        last[j] = x[place[j < spans - 1 ? 4 : 3]];
        if (j && fabs(w) > SLIPS) slip[j] = w > 0.0 ? 1.0 : -1.0;
        w += u[j];
    }
}

/* Write the modes of the sheaves of a taut rope, block i of the chosen ones, into their latches: which slip (against friction
 * at its limit, if anything can move there), which stick. */
static void settle_rope(const struct transitions *T, double *x, int64_t block, const struct blocks *c, int64_t i,
                        const struct solution *found, struct memory memory) {
    const int64_t f = c->first[i], end = c->first[i + 1];
    const double *tension = found->p, still = 10.0 * tolerance_of(c);
    double w = 0.0, *way = take(&memory, c->n); /* in which a sheave at its limit slips; 0: it is within */
    int64_t *rests = take_integers(&memory, c->n), *hold = take_integers(&memory, c->n);
    for (int64_t row = f + 1; row < end; row++) {
        const double E = exp(c->mu[row]), edge = T->slipping[T->entry[block] + row - f - 1] ? 1.0 - LETS_GO : EDGE;
        const int up = tension[row] >= edge * E * tension[row - 1], down = tension[row - 1] >= edge * E * tension[row];
        way[row] = sheave_slides(c, row) ? c->slip[row] : up ? 1.0 : down ? -1.0 : 0.0;
        w += found->u[row - 1], rests[row] = !sheave_slides(c, row) && fabs(w) <= still;
        hold[row] = rests[row] && way[row] == 0.0;
    }
    for (int64_t row = f + 1; row < end; row++) {
        const double force[3] = {tension[end - 1], tension[row - 1], 0.0}, toward[2] = {way[row], 0.0};
        const int slips = way[row] != 0.0 && (!rests[row] || sheave_moves(c, i, hold, way, row, memory));
        set_latches(sheave_latches(T, block, row - f - 1), x, slips ? SLIP : STICK, force, toward);
    }
}

/* Tensions of a rope that was slack, from which indeterminate ones are to differ least: those without friction. */
static void tensions_without_friction(const struct blocks *c, int64_t i, double *last) {
    const int64_t f = c->first[i], end = c->first[i + 1];
    double pull = 0.0, W = 0.0;
    if (largest_of(last + f, end - f) > 0.0) return;
    for (int64_t j = f; j < end; j++) {
        pull -= c->b[j];
        for (int64_t k = f; k < end; k++) W += c->W[j * c->n + k];
    }
    for (int64_t j = f; j < end && W > 0.0 && pull > 0.0; j++) last[j] = pull / W;
}

#define FIRST_LIMIT 1e6 /* limit with which loaded joints rest to begin with, by the largest force of any */

/* Loads of joints, which are multipliers of rows that hold: without the forces of the chosen blocks, and with them (by
 * rows); and of each chosen block by its own force (MOST_LOADS each). */
struct loads {
    double *held, *sum, *G;
};

/* Multipliers of the held rows with the forces p of the chosen blocks, into `sum`. */
static void load_under(const struct transitions *T, const struct mass *Q, const int64_t *held, int64_t n_held,
                       const struct chosen *some, const double *p, const double *without, double *sum,
                       struct memory memory) {
    memcpy(sum, without, doubles(T->equations->m));
    answer(T, Q, held, n_held, some, p, sum, memory);
}

/* Least friction y in [0, most] of a loaded joint that slips in the direction d, with p = -d y: y^2 = c^2 |N - d G y|^2; -1:
 * there is none. */
static double slipping_friction(double c, double d, const double *N, const double *G, double most) {
    const double A = 1.0 - c * c * dot(G, G, MOST_LOADS), B = c * c * d * dot(N, G, MOST_LOADS), K = c * c * dot(N, N, MOST_LOADS);
    const double root = B * B + A * K;
    if (!(root >= 0.0)) return -1.0;
    const double large = -(B + (B < 0.0 ? -sqrt(root) : sqrt(root)));
    const double y[2] = {A != 0.0 ? large / A : INFINITY, large != 0.0 ? -K / large : 0.0};
    double least = INFINITY;
    for (int i = 0; i < 2; i++)
        if (y[i] >= 0.0 && y[i] <= most && y[i] < least) least = y[i];
    return least < INFINITY ? least : -1.0;
}

/* Limits of loaded joints, with all other forces as they are: that of a joint at rest by its load there if it can rest, else
 * the friction with which it slips. Returns the largest change, relative to the largest force; -1: a joint, `bad`, jams. */
static double find_limits(const struct transitions *T, const struct chosen *some, const struct blocks *c,
                          const struct solution *found, const struct loads *loads, double *mu, int64_t *bad) {
    double change = 0.0;
    for (int64_t i = 0; i < some->count; i++) {
        const int64_t block = some->block[i], f = some->first[i];
        if (!is_loaded(T, block)) continue;
        const double coefficient = limit_of(T, block), w = diagonal(c, f), p = found->p[f], b = found->u[f] - w * p;
        const double *G = loads->G + MOST_LOADS * i;
        double N[MOST_LOADS] = {0.0, 0.0, 0.0}, at_rest[MOST_LOADS] = {0.0, 0.0, 0.0}, limit = -1.0;
        const double holds = w > 0.0 ? -b / w : p;
        for (int64_t j = 0; j < T->equations->load_count[block - T->k]; j++) {
            N[j] = loads->sum[T->equations->load_first[block - T->k] + j] - G[j] * p;
            at_rest[j] = N[j] + G[j] * holds;
        }
        const double tugs = coefficient * tugs_of(T, block, some, found->p), most = tugs + coefficient * norm(at_rest, MOST_LOADS);
        if (!is_sliding(c, i) && fabs(holds) <= (1.0 + 1e-12) * most) limit = most;
        if (limit < 0.0 && is_sliding(c, i)) limit = slipping_friction(coefficient, c->slip[f], N, G, INFINITY);
        else if (limit < 0.0) limit = slipping_friction(coefficient, b < 0.0 ? -1.0 : 1.0, N, G, fabs(holds));
        if (limit < 0.0) return *bad = i, -1.0;
        if (!T->equations->load_count[block - T->k]) limit = tugs; /* which its own friction does not change */
        change = fmax(change, fabs(limit - mu[f])), mu[f] = limit;
    }
    return change / fmax(largest_of(found->p, c->n), NOTHING);
}

/* Joints at rest that pass their static friction slip against their kinetic one, which may be less: mark them, with their
 * directions. Others may have to hold more then. Returns whether any is new. */
static int break_away(const struct transitions *T, const struct chosen *some, const struct solution *found, double *mu,
                      double *slip, double *toward, int64_t *slips) {
    int any = 0;
    for (int64_t i = 0; i < some->count; i++) {
        const int64_t block = some->block[i], f = some->first[i];
        if (!is_limit(T, block) || is_loaded(T, block) || slips[i]) continue;
        const double p = found->p[f], kinetic = kinetic_of(T, block);
        if (!(kinetic < mu[f]) || fabs(p) < (gives_way(T, block) ? 1.0 - LETS_GO : EDGE) * mu[f]) continue;
        toward[f] = slip[f] = p > 0.0 ? -1.0 : 1.0;
        mu[f] = kinetic, slips[i] = any = 1;
    }
    return any;
}

/* Modes of pairs of which some rub. For pairs that slip slowly `ways` has the time by which their friction is ahead of
 * them, and its direction there (of each pair 3; NaN: against its slip). ENDING: slips end within that time. */
static int64_t settle_friction(struct transitions *T, double *x, const double *ways, struct seen *seen,
                               struct memory memory) {
    struct constrained *C = T->equations;
    const int64_t nv = C->nv;
    struct chosen some;
    choose_none(T, &some, &memory);
    for (int64_t i = 0; i < T->n_blocks; i++)
        if (goes_on_touching(T, x, i, seen)) choose(T, i, &some);
    const int64_t n = some.n, count = some.count;
    double *right = take(&memory, C->m), *Z = take(&memory, n * nv), *b = take(&memory, n), *change = take(&memory, n),
           *u = take(&memory, n), *W = take(&memory, n * n), *mu = take(&memory, n), *slip = take(&memory, n),
           *toward = take(&memory, n), *given = take(&memory, n), *a = take(&memory, nv);
    int64_t *held = take_integers(&memory, C->m);
    int64_t *slips = take_integers(&memory, count), *turns = take_integers(&memory, count), ending = 0;
    int64_t *yields = take_integers(&memory, count);
    double *last = take(&memory, n), *lengths = take(&memory, n);
    struct solution found;
    struct factors F;
    struct mass Q;
    found.p = take(&memory, n), found.u = take(&memory, n), found.modes = take_integers(&memory, n);
    const int64_t n_held = gather_held(T, x, T->gamma, 1.0, held, right, memory);
    if (mass_of(T, &Q)) return NO_TERMS;
    struct loads loads;
    double *own = take(&memory, C->m);
    int64_t loaded = 0;
    loads.G = take(&memory, MOST_LOADS * count);
    loads.held = take(&memory, C->m), loads.sum = take(&memory, C->m);
    minimum_norm(&Q, T->f, held, n_held, right, a, own, memory);
    for (int64_t i = 0; i < n_held; i++) loads.held[held[i]] = own[i];
    take_rows(&F, &Q, held, n_held, &memory);
    spread(&some, T->gamma, b);
    spread(&some, T->rate, u);
    spread_along(T, &some, a, change);
    delassus(&F, &some, Z, W, memory);
    for (int64_t i = 0; i < count; i++) {
        const int64_t block = some.block[i], f = some.first[i];
        if (!is_loaded(T, block)) continue;
        struct memory rest = memory;
        double *unit = take(&rest, n), *none = take(&rest, C->m);
        unit[f] = 1.0, loaded++;
        load_under(T, &Q, held, n_held, &some, unit, none, loads.sum, rest);
        for (int64_t j = 0; j < C->load_count[block - T->k]; j++)
            loads.G[MOST_LOADS * i + j] = loads.sum[C->load_first[block - T->k] + j];
    }
    for (int64_t i = 0; i < n; i++) b[i] = change[i] - b[i], toward[i] = slip[i] = NAN;
    const double fastest = largest_of(b, n);
    int known = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t block = some.block[i], f = some.first[i], ahead = is_limit(T, block) ? f : f + 1;
        const int64_t tangents = some.first[i + 1] - ahead;
        const double *way = ways + 3 * block;
        double speed = 0.0;
        coefficients_of(T, block, mu + f);
        if (is_rope(T, block)) {
            ask_rope(T, x, block, tangents + 1, u + f, slip + f, last + f, lengths + f);
            continue;
        }
        for (int64_t j = 0; j < tangents; j++) speed = hypot(speed, u[ahead + j]);
        yields[i] = gives_way(T, block) && !is_limit(T, block), known |= !isnan(way[1]);
        slips[i] = friction_of(T, block) > 0.0 && speed > SLIPS;
        if (is_limit(T, block)) {
            if (slips[i] && !is_loaded(T, block)) mu[f] = kinetic_of(T, block);
            last[f] = x[latches_of(T, block)[4]]; /* forces of redundant joints stay as they were */
        }
        /* friction of a slow slip is against u + T u', where that is: the law of a pair at rest, with u / T to begin with */
        turns[i] = slips[i] && !isnan(way[0]) && speed <= AHEAD * fastest * way[0];
        for (int64_t j = 0; j < tangents && slips[i]; j++) {
            const int64_t row = ahead + j;
            toward[row] = u[row] / speed;
            slip[row] = turns[i] ? NAN : !isnan(way[1 + j]) ? way[1 + j] : toward[row];
            if (turns[i]) b[row] += u[row] / way[0];
        }
    }
    const struct blocks blocks = {count, n, some.law, some.first, W, b, mu, slip, given, yields, last, lengths};
    for (int64_t i = 0; i < count; i++)
        if (some.law[i] == ROPE) tensions_without_friction(&blocks, i, last);
    for (int64_t i = 0; i < count; i++) /* to begin with, loaded joints rest, or have the friction that they had */
        if (is_loaded(T, some.block[i])) {
            const int64_t f = some.first[i], joint = some.block[i] - T->k;
            const double largest = largest_of(b, n) / fmax(diagonal(&blocks, f), NOTHING);
            mu[f] = slips[i] ? limit_of(T, some.block[i]) * norm(loads.held + C->load_first[joint], C->load_count[joint])
                             : FIRST_LIMIT * largest;
        }
    int64_t bad = solve_blocks(&blocks, &found, memory);
    for (int round = 0; loaded && bad == SOLVED && round < LOAD_ROUNDS; round++) {
        load_under(T, &Q, held, n_held, &some, found.p, loads.held, loads.sum, memory);
        const double moved = find_limits(T, &some, &blocks, &found, &loads, mu, &bad);
        if (moved < 0.0 || (round && moved <= LOAD_TURNED)) break;
        bad = solve_blocks(&blocks, &found, memory);
    }
    while (bad == SOLVED && break_away(T, &some, &found, mu, slip, toward, slips)) bad = solve_blocks(&blocks, &found, memory);
    if (bad != SOLVED && known && !is_jammed(&blocks, bad, found.modes, memory)) return LANDED; /* none were found with friction turned */
    if (bad != SOLVED) {
        const int64_t jam = some.law[bad] == ROPE ? jam_of(&blocks, bad, found.modes, memory) : -1;
        T->pair = some.block[bad], T->lacks = jam < 0 ? OF_FORCES : AT_SHEAVE + jam - some.first[bad] - 1;
        return T->pair;
    }
    for (int64_t i = 0; i < count; i++)
        if (turns[i] && found.modes[some.first[i]] == STICK && !seen->ends[some.block[i]])
            seen->ends[some.block[i]] = ending = 1;
    if (ending) return ENDING;
    const double most = fmax(largest_of(found.p, n), 1e-6), motion = 2.0 * kinetic(T, a, memory);
    for (int64_t i = 0; i < T->k; i++) {
        if (x[T->flags[i]] > -0.5) x[T->flags[i]] = 0.0;
        open_friction(T, x, i);
    }
    for (int64_t n = 0; n < count; n++) {
        const int64_t i = some.block[n], f = some.first[n];
        const double *p = found.p + f;
        if (is_limit(T, i)) {
            /* it slips against the friction at its limit; where that is zero, as it is accelerated */
            const double limit = mu[f], way = limit > 0.0 ? -p[0] : found.u[f], force[3] = {0.0, p[0], 0.0};
            const double side = slips[n] ? toward[f] : way < 0.0 ? -1.0 : 1.0, against[2] = {side, 0.0};
            const int passes = fabs(p[0]) >= (gives_way(T, i) ? 1.0 - LETS_GO : EDGE) * limit;
            set_friction(T, x, i, slips[n] || passes ? SLIP : STICK, force, against);
            continue;
        }
        const int64_t rows = some.first[n + 1] - f;
        double compliance = 0.0;
        for (int64_t j = f; j < f + (is_rope(T, i) ? rows : 1); j++) compliance = fmax(compliance, diagonal(&blocks, j));
        /* the force that it would have to hold if all the motion were along it: its rounding is not a force */
        const double natural = sqrt(motion / fmax(compliance, NOTHING));
        const int carries = found.modes[f] == STICK && found.u[f] == 0.0 && !gives_way(T, i) && !T->loose[i] && !is_rope(T, i);
        const double pull = is_rope(T, i) ? largest_of(p, rows) : p[0];
        if (pull <= (T->loose[i] ? LETS_GO : PULLS) * fmax(natural, most) && !carries) continue;
        x[T->flags[i]] = 1.0;
        if (is_rope(T, i)) settle_rope(T, x, i, &blocks, n, &found, memory);
        if (!T->rubs[i] || is_rope(T, i)) continue;
        const double push = hypot(p[1], p[2]), nowhere[2] = {0.0, 0.0};
        if (slips[n]) set_friction(T, x, i, SLIP, p, toward + f + 1);
        else if (!(friction_of(T, i) > 0.0)) set_friction(T, x, i, SLIP, p, nowhere); /* it slips in any direction */
        else if (push > 0.0 && push >= (gives_way(T, i) ? 1.0 - LETS_GO : EDGE) * friction_of(T, i) * p[0]) { /* it slips against the friction at its limit */
            const double toward[2] = {-p[1] / push, -p[2] / push};
            set_friction(T, x, i, SLIP, p, toward);
        } else set_friction(T, x, i, STICK, p, p);
    }
    return LANDED;
}

/* Rate of the slip along a tangential row, as the equations of motion have it. */
static double change_of(const struct constrained *C, int64_t row) {
    double change = C->gamma[row];
    for (int64_t l = 0; l < C->nv; l++) change -= C->Jt[l * C->m + row] * C->a[l];
    return change;
}

/* The same, friction of slow slips being as it is in the equations of motion, turned to where they are going, if
 * the forces of these equations would contradict it otherwise. */
static int64_t settle_slips(struct transitions *T, double t, double *x, const double *c, const double *p,
                            struct seen *seen, struct memory memory) {
    struct constrained *C = T->equations;
    const double *in[4] = {&t, x, c, p};
    double *ways = take(&memory, 3 * T->n_blocks);
    for (int64_t i = 0; i < 3 * T->n_blocks; i++) ways[i] = NAN;
    for (int round = 0;; round++) {
        int fits = 1, slips = 0;
        double most = 0.0;
        const int64_t outcome = settle_friction(T, x, ways, seen, memory);
        for (int64_t i = 0; i < T->k; i++) slips |= !is_rope(T, i) && slides(T, x, i); /* sheaves and joints do not turn */
        if (outcome != LANDED || !slips || round == TURNS) return outcome;
        C->t_seen = NAN;
        if (contact_evaluate(C, in)) return NO_TERMS;
        for (int64_t i = 0, r = 0; i < T->k; r += T->rubs[i], i++) {
            const int64_t rows[3] = {row_of(T, i, 0), row_of(T, i, 1), row_of(T, i, 2)};
            if (!(x[T->flags[i]] > 0.5) || is_rope(T, i)) continue;
            double push = 0.0, speed = 0.0, forward = 0.0, *way = ways + 3 * i;
            const int slips = slides(T, x, i);
            for (int j = 1; j < 3; j++) {
                if (rows[j] < 0) continue;
                push = hypot(push, C->lambda[rows[j]]), speed = hypot(speed, T->rate[rows[j]]);
                if (slips) forward += change_of(C, rows[j]) * x[latches_of(T, i)[j]];
            }
            /* a force that has just passed zero must not pass it again at once */
            fits &= C->lambda[rows[0]] >= (T->loose[i] ? LETS_GO * largest_of(C->lambda, C->m) : 0.0);
            fits &= !T->rubs[i] || slips || push <= (gives_way(T, i) ? 1.0 - LETS_GO : 1.0) * friction_of(T, i) * C->lambda[rows[0]];
            fits &= !(slips && speed <= SLIPS && forward < 0.0);
            if (!slips) continue;
            way[0] = C->lead[r];
            for (int j = 1; j < 3; j++) {
                const double turned = rows[j] >= 0 ? -C->drag[rows[j]] / friction_of(T, i) : 0.0;
                most = fmax(most, fabs(turned - (isnan(way[j]) ? x[latches_of(T, i)[j]] : way[j]))), way[j] = turned;
            }
        }
        for (int64_t i = T->k; i < T->n_blocks; i++) { /* joints with friction of contacts as it is there */
            const int64_t row = row_of(T, i, 1);
            const double side = x[latches_of(T, i)[1]], forward = change_of(C, row) * side;
            const double limit = limit_of(T, i) * (is_loaded(T, i) ? load_of(C, i - T->k) : 1.0);
            if (side == 0.0) fits &= fabs(C->lambda[row]) <= (gives_way(T, i) ? 1.0 - LETS_GO : 1.0) * limit;
            else fits &= !(fabs(T->rate[row]) <= SLIPS && forward < 0.0);
        }
        if (fits || !(most > TURNED)) return LANDED;
    }
}

/* Latches with which the motion continues: touching blocks that pull (push) act, all others are open. */
static int64_t settle_pairs(struct transitions *T, double t, double *x, const double *c, const double *p,
                            struct seen *seen, struct memory memory) {
    int64_t *goes_on = take_integers(&memory, T->equations->m);
    if (T->n_blocks > T->k) return settle_slips(T, t, x, c, p, seen, memory);
    for (int64_t i = 0; i < T->k; i++)
        if (T->rubs[i] && touches(T, x, i)) return settle_slips(T, t, x, c, p, seen, memory);
    const int64_t outcome = settle_plain(T, x, goes_on, memory);
    if (outcome != LANDED) return outcome;
    for (int64_t i = 0; i < T->k; i++) {
        if (x[T->flags[i]] > -0.5) x[T->flags[i]] = goes_on[normal_of(T, i)] ? 1.0 : 0.0;
        open_friction(T, x, i);
    }
    return LANDED;
}
