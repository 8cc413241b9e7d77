/* Forces that are not unique, with one member: those which equal, small compliance of all contacts selects.
 *
 * Rigid bodies with more supports than they need have many impulses that obey the laws. Among them are the limits of those
 * of contacts with a compliance: u + eps (x - ref) obeys the law in the place of u, ref = 0, with the same eps > 0 of all
 * normals and tangents, as eps goes to zero. These are unique where Coulomb's law is, and symmetric where the problem is.
 * While everything sticks they are the impulses of least norm.
 *
 * Few sweeps with a compliance that is large tell the modes; from there Newton's method on the laws as equations (P. Alart,
 * A. Curnier, 1991; newton.c), with a small one. Then ref becomes that solution, and it is solved again: as long as modes stay, the effect of
 * the compliance vanishes, and nothing is added along directions in which impulses are undetermined (a proximal iteration
 * from zero). This is done island by island: blocks that act on common velocities. The equations of a step are dense in the rows of
 * small islands, sparse in the velocities of others (factors.c). Where it fails, convex problems follow (cones.c), or sweeps with the
 * large compliance are repeated with ref. Islands of more than `direct` rows are left to sweeps from the impulses as they were, unless
 * they rest, or are chains in motion, of which Newton's method finds impulses near those (`apart` only).
 *
 * Joints that stick and ropes keep their forces: ref has their last ones. */
#define SMALL 1e-4     /* compliance of Newton's method, by the least mean of the diagonal of a block */
#define UNCHANGED 1e-3 /* part of the tolerance within which impulses are those of the last step */
enum { FEW = 10, BRIEF = 3 }; /* sweeps over an island of many rows after which other methods are used: at rest, in motion */
enum { CHAIN = 4 };           /* products of blocks for each body in the elimination of a chain or tree, in which nothing is filled */

/* Number of the island of a velocity: the first of those that it is joined with. */
static int64_t root_of(int64_t *label, int64_t i) {
    while (label[i] != i) i = label[i] = label[label[i]];
    return i;
}

/* Active blocks one island after the other into `order`; their number is returned, `ends` has where each ends. */
static int64_t islands_of(const struct moreau *C, int64_t *label, int64_t *order, int64_t *ends) {
    int64_t *first = C->places;
    int64_t count = 0, n = 0;
    for (int64_t i = 0; i < C->nv; i++) label[i] = i;
    for (int64_t k = 0; k < C->n_active; k++) {
        const int64_t a = C->active[k], *const at = AT(a);
        int64_t one = root_of(label, at[0]);
        for (int64_t i = 1; i < COUNT(a); i++) {
            if (label[at[i]] == one) continue;
            const int64_t two = root_of(label, at[i]);
            label[one > two ? one : two] = one > two ? two : one, one = label[one];
        }
    }
    /* blocks sorted by their roots: counted, then placed */
    for (int64_t i = 0; i < C->nv; i++) first[i] = 0;
    for (int64_t k = 0; k < C->n_active; k++) first[root_of(label, AT(C->active[k])[0])]++;
    for (int64_t i = 0; i < C->nv; i++)
        if (first[i]) n += first[i], ends[count++] = n, first[i] = n - first[i];
    for (int64_t k = 0; k < C->n_active; k++) order[first[root_of(label, AT(C->active[k])[0])]++] = C->active[k];
    return count;
}

/* Blocks with the compliance `soft`. */
static void set_compliance(struct moreau *C, double soft) {
    C->soft = soft;
    for (int64_t k = 0; k < C->n_active; k++) block_make(C, C->active[k]);
}

/* Rows of an island, as islands_of has them. */
static int64_t rows_of_island(const struct moreau *C, const int64_t *order, const int64_t *ends, int64_t i) {
    int64_t rows = 0;
    for (int64_t k = i ? ends[i - 1] : 0; k < ends[i]; k++) rows += SIZE(order[k]);
    return rows;
}

/* Sweeps with compliance over islands that are not large, from x. */
static void soft_sweeps(struct moreau *C, const int64_t *order, const int64_t *ends, int64_t count, int64_t number, int64_t direct) {
    for (int64_t sweep = 0; sweep < number; sweep++) {
        double change = 0.0, largest = 0.0;
        for (int64_t i = 0; i < count; i++) {
            if (rows_of_island(C, order, ends, i) > direct) continue;
            for (int64_t k = i ? ends[i - 1] : 0; k < ends[i]; k++) block_sweep(C, order[k], 1, &change, &largest);
        }
    }
}

/* to <- from, of the velocities that the active blocks act on. */
static void copy_velocities(const struct moreau *C, const double *from, double *to) {
    int64_t entries = 0;
    for (int64_t k = 0; k < C->n_active && entries < C->nv; k++) entries += COUNT(C->active[k]);
    if (!C->apart || entries >= C->nv) {
        memcpy(to, from, (size_t)C->nv * sizeof(double));
        return;
    }
    for (int64_t k = 0; k < C->n_active; k++) {
        const int64_t a = C->active[k], *const at = AT(a);
        for (int64_t i = 0; i < COUNT(a); i++) to[at[i]] = from[at[i]];
    }
}

/* s of the impulses x, from `free` without any. */
static void push_all(struct moreau *C, const double *free) {
    copy_velocities(C, free, C->s);
    for (int64_t k = 0; k < C->n_active; k++) block_push(C, C->active[k], 1, C->x + ROW(C->active[k]), C->s);
}

/* Whether impulses of the last step still obey the laws to the last digits: of a machine at rest they are those of the rule.
 * s is made that of x. */
static int still_hold(struct moreau *C, const double *free) {
    double largest = 0.0;
    if (!(C->were_undetermined > 0.0)) return 0;
    for (int64_t k = 0; k < C->n_active; k++) {
        const int64_t a = C->active[k];
        if (!rows_that_share(LAW(a), SIZE(a)) || !(C->x[ROW(a)] > 0.0 || (C->known && C->known[a]))) return 0;
        largest = larger(largest, C->x[ROW(a)]);
    }
    push_all(C, free);
    if (worst(C) <= UNCHANGED * C->tolerance * largest) return 1;
    copy_velocities(C, free, C->s);
    return 0;
}

/* The least mean of the diagonal of a block whose rows share forces. */
static double least_mean(const struct moreau *C) {
    double least = INFINITY;
    for (int64_t k = 0; k < C->n_active; k++) {
        const int64_t a = C->active[k];
        double mean = 0.0;
        const double *w = BLOCK(a);
        for (int64_t i = 0; i < SIZE(a); w += SIZE(a) - i, i++) mean += *w / (double)SIZE(a);
        if (rows_that_share(LAW(a), SIZE(a))) least = fmin(least, mean);
    }
    return least;
}

/* Impulses of the active blocks by Newton's method from none, which obey the laws within the tolerance: they do not depend on the past. 1
 * if they are found. */
static int cones_from_none(struct moreau *C, const double *free, double size) {
    struct factors N = factors_of(C);
    if (!plan_island(C, &N, C->active, C->n_active)) return 0;
    for (int64_t k = 0; k < C->n_active; k++)
        for (int64_t i = 0; i < SIZE(C->active[k]); i++)
            if (LAW(C->active[k]) != STICTION) C->x[ROW(C->active[k]) + i] = 0.0;
    cones_follow(C, &N, free, size);
    push_all(C, free);
    return block_residual(C) <= C->tolerance;
}

/* As block_sweeps, with the forces of the rule; islands of more than `direct` rows by sweeps alone. */
static int unique_impulses(struct moreau *C, double *sweeps, int64_t direct) {
    static const int64_t patience[3] = {1, 8, 60};
    const int64_t rows = C->row_start[C->n_blocks], most = rows < C->direct ? rows : C->direct;
    double *free = C->dense + 2 * most * most + 12 * most;
    const int long_ = direct > C->direct; /* one island, of many rows */
    int ropes = 0, large = 0, found = 0;
    for (int64_t k = 0; k < C->n_active; k++)
        if (LAW(C->active[k]) == RESISTED) { /* the rule has no compliance of moments */
            C->undetermined = larger(C->undetermined, 1.0);
            return block_sweeps(C, 1, sweeps);
        }
    copy_velocities(C, C->s, free);
    if (still_hold(C, free)) {
        C->undetermined = C->were_undetermined;
        return 0;
    }
    const double size = least_mean(C);
    for (int64_t k = 0; k < C->n_active; k++) {
        const int64_t a = C->active[k];
        ropes |= LAW(a) == ROPE;
        for (int64_t i = 0; i < SIZE(a); i++) C->ref[ROW(a) + i] = LAW(a) == STICTION || LAW(a) == ROPE ? C->x[ROW(a) + i] : 0.0;
    }
    int64_t *order = C->island + C->nv, *ends = order + C->n_blocks;
    const int64_t count = islands_of(C, C->island, order, ends);
    for (int64_t i = 0; i < count; i++) large |= rows_of_island(C, order, ends, i) > direct;
    const int attempts = long_ ? 2 : C->apart && rows_of_active(C) > DENSE ? 1 : 3; /* convex problems are better than more sweeps */
    for (int attempt = 0; attempt < attempts && !found && !ropes; attempt++) {
        set_compliance(C, SEARCH * size);
        push_all(C, free);
        soft_sweeps(C, order, ends, count, patience[attempt], direct);
        *sweeps += (double)patience[attempt];
        C->undetermined = 0.0, found = 1;
        for (int64_t i = 0; i < count && found; i++) {
            const int64_t first = i ? ends[i - 1] : 0;
            if (rows_of_island(C, order, ends, i) > direct) continue;
            found = island_solve(C, order + first, ends[i] - first, free, SMALL * size);
        }
    }
    if (!found && !ropes && !large && !long_) found = cones_solve(C, order, C->n_active, free, size);
    if (!found && !ropes && !large && !long_) found = cones_from_none(C, free, size);
    if (!found || large) C->undetermined = larger(C->undetermined, 1.0); /* at least */
    set_compliance(C, SEARCH * size);
    for (int round = 0; round < PROXIMAL && !found && !large && !long_; round++) {
        double change = 0.0, largest = 0.0;
        copy_velocities(C, free, C->s);
        block_sweeps(C, 1, sweeps);
        for (int64_t k = 0; k < C->n_active; k++)
            for (int64_t j = ROW(C->active[k]); j < ROW(C->active[k]) + SIZE(C->active[k]); j++) {
                change = larger(change, fabs(C->x[j] - C->ref[j])), largest = larger(largest, fabs(C->x[j]));
                C->ref[j] = C->x[j];
            }
        if (change <= C->tolerance * largest) break;
    }
    set_compliance(C, 0.0);
    if (found && !large) {
        push_all(C, free);
        return 0;
    }
    copy_velocities(C, free, C->s);
    return block_sweeps(C, 1, sweeps);
}

/* Whether an island moves less than in a step of free motion. */
static int rests(const struct moreau *C) {
    double before = 0.0, gained = 0.0;
    for (int64_t k = 0; k < C->n_active; k++) {
        const int64_t a = C->active[k];
        double u[MOST_ROWS];
        block_velocity(C, a, C->s, u);
        for (int64_t i = 0; i < SIZE(a); i++) {
            before = larger(before, fabs(C->u0[ROW(a) + i]));
            gained = larger(gained, fabs(u[i] - C->u0[ROW(a) + i]));
        }
    }
    return before < gained;
}

/* x of the active blocks <-> other. */
static void exchange_impulses(struct moreau *C, double *other) {
    for (int64_t k = 0; k < C->n_active; k++)
        for (int64_t i = ROW(C->active[k]); i < ROW(C->active[k]) + SIZE(C->active[k]); i++) {
            const double own = C->x[i];
            C->x[i] = other[i], other[i] = own;
        }
}

/* Plan of the active blocks, if they are a chain or a tree. */
static int plan_chain(const struct moreau *C, struct factors *N) {
    return plan_island(C, N, C->active, C->n_active) && N->work <= CHAIN * N->n;
}

/* Impulses of the last step in x, times the part of them that leaves the least kinetic energy, where that is less than half: those of a
 * blow are no start for the step after it. `room` is of velocities. */
static void shorten_impulses(struct moreau *C, double *room) {
    double work = 0.0, squares = 0.0;
    for (int64_t k = 0; k < C->n_active; k++)
        for (int64_t i = 0; i < COUNT(C->active[k]); i++) room[AT(C->active[k])[i]] = 0.0;
    for (int64_t k = 0; k < C->n_active; k++) {
        const int64_t a = C->active[k];
        double u[MOST_ROWS];
        block_velocity(C, a, C->s, u);
        u[0] += C->bounce[a];
        for (int64_t i = 0; i < SIZE(a); i++) work -= u[i] * C->x[ROW(a) + i];
        block_push(C, a, 1, C->x + ROW(a), room);
    }
    for (int64_t k = 0; k < C->n_active; k++)
        for (int64_t i = 0; i < COUNT(C->active[k]); i++) {
            double *const gained = room + AT(C->active[k])[i];
            squares += *gained * *gained, *gained = 0.0; /* once */
        }
    if (!(work < 0.5 * squares)) return;
    const double part = larger(work, 0.0) / squares;
    for (int64_t k = 0; k < C->n_active; k++)
        for (int64_t i = ROW(C->active[k]); i < ROW(C->active[k]) + SIZE(C->active[k]); i++) C->x[i] *= part;
}

/* Impulses of one island of many rows, from those of the last step: by sweeps. Where these are slow, by the rule if it rests, else by
 * Newton's method, if it is a chain: in a heap an elimination costs more than many sweeps. */
static void long_impulses(struct moreau *C, double *sweeps, int64_t rows) {
    const int64_t most = C->max_sweeps;
    const int rule = rests(C);
    double *free = C->newton + 5 * rows + C->n_active + 3 * C->nv; /* behind the vectors of newton.c and cones.c */
    struct factors N = factors_of(C);
    const int chain = !rule && plan_chain(C, &N);
    const int64_t few = rule ? FEW : chain ? BRIEF : most;
    shorten_impulses(C, free);
    copy_velocities(C, C->s, free);
    C->max_sweeps = few < most ? few : most;
    block_sweeps(C, 1, sweeps);
    C->max_sweeps = most;
    C->undetermined = 1.0; /* at least */
    if (few >= most || *sweeps < (double)few) return;
    copy_velocities(C, free, C->s);
    if (rule) {
        unique_impulses(C, sweeps, rows);
        return;
    }
    for (int64_t k = 0; k < C->n_active; k++) copy(C->x + ROW(C->active[k]), SIZE(C->active[k]), C->ref + ROW(C->active[k]));
    cones_follow(C, &N, free, least_mean(C));
    push_all(C, free);
    const double left = block_residual(C);
    if (left <= C->tolerance) return;
    exchange_impulses(C, C->ref);
    push_all(C, free);
    if (left < block_residual(C)) exchange_impulses(C, C->ref); /* else those of the sweeps are better */
    copy_velocities(C, free, C->s);
    block_sweeps(C, 1, sweeps);
}

/* Whether rows of the contacts of an island are more than the velocities that they act on: then they depend on each other. `mark`
 * is a number that is not in `places`. */
static int outnumber(const struct moreau *C, int64_t mark) {
    int64_t rows = 0, velocities = 0;
    for (int64_t k = 0; k < C->n_active; k++) {
        const int64_t a = C->active[k], *const at = AT(a);
        if (COMPLIANT(a) || !rows_that_share(LAW(a), SIZE(a))) continue;
        rows += SIZE(a) > 1 && !(MU(a)[0] > 0.0) ? 1 : rows_that_share(LAW(a), SIZE(a));
        for (int64_t i = 0; i < COUNT(a); i++)
            if (C->places[at[i]] != mark) C->places[at[i]] = mark, velocities++;
    }
    return rows > velocities;
}

/* Take the impulses x away from s. */
static void pull_all(struct moreau *C) {
    for (int64_t k = 0; k < C->n_active; k++) {
        const int64_t a = C->active[k];
        double back[MOST_ROWS];
        for (int64_t i = 0; i < SIZE(a); i++) back[i] = -C->x[ROW(a) + i];
        block_push(C, a, 1, back, C->s);
    }
}

/* Impulses of one island after the other (`apart`): by the rule where rows depend on each other and are not too many, else by
 * sweeps, each until its own impulses do not change any more. */
static int island_impulses(struct moreau *C, double *sweeps) {
    int64_t *all = C->active, n_all = C->n_active, *label = C->alone, *order = label + C->nv, *ends = order + C->n_blocks;
    const int64_t count = islands_of(C, label, order, ends);
    double undetermined = 0.0, most = 0.0;
    for (int64_t i = 0; i < count; i++) {
        double own = 0.0;
        int64_t rows = 0;
        C->active = order + (i ? ends[i - 1] : 0), C->n_active = ends[i] - (i ? ends[i - 1] : 0);
        for (int64_t k = 0; k < C->n_active; k++) rows += SIZE(C->active[k]);
        C->undetermined = 0.0, C->were_undetermined = 1.0;
        if (C->n_active > 1 && (outnumber(C, -1 - i) || repeats(C, 1, rows))) {
            if (rows <= C->direct) unique_impulses(C, &own, C->direct);
            else long_impulses(C, &own, rows);
        } else {
            block_sweeps(C, 1, &own);
            if (own >= (double)C->max_sweeps && C->n_active > 1 && block_residual(C) > C->tolerance) {
                pull_all(C);
                if (rows <= C->direct) unique_impulses(C, &own, C->direct); /* sweeps go round in circles: Newton's method does not */
                else long_impulses(C, &own, rows);
            }
        }
        undetermined += C->undetermined, most = larger(most, own);
    }
    C->active = all, C->n_active = n_all, C->undetermined = undetermined;
    *sweeps += most;
    return 0;
}

/* As close_gaps, of one island after the other. */
static void close_island_gaps(struct moreau *C) {
    int64_t *all = C->active, n_all = C->n_active, *label = C->alone, *order = label + C->nv, *ends = order + C->n_blocks;
    const int64_t count = islands_of(C, label, order, ends);
    for (int64_t i = 0; i < count; i++) {
        C->active = order + (i ? ends[i - 1] : 0), C->n_active = ends[i] - (i ? ends[i - 1] : 0);
        if (rows_of_active(C) > C->direct) {
            struct factors N = factors_of(C);
            if (plan_chain(C, &N) && close_chain(C, &N)) continue;
        }
        close_gaps(C, 1);
    }
    C->active = all, C->n_active = n_all;
}
