/* All blocks that act: sweeps, the violations of their laws, and gaps (blocks.h). */
#if STEPPING
#if !defined(CLOSE_GAPS)
#define CLOSE_GAPS(C, open) close_gaps(C, open)
#endif
#define CORRECTIONS 50 /* sweeps over gaps */
#define MANY_GAPS 64   /* blocks up to which gaps are closed as finely as symmetric scenes need it: sweeps have an order */
#define REPEATED 1e-10 /* part of a row, squared, that is left by those before it, below which it depends on them */

/* Rows of a block whose impulses may be at odds with those of others; none of blocks that keep them (joints, ropes). */
FUNCTION INDEX rows_that_share(INDEX law, INDEX size) {
    return law == UNILATERAL || law == COULOMB ? size : law > ROPE ? 3 : 0; /* of contacts that resist rolling the forces */
}

/* Members of `begins` with rows of contacts that depend on each other. With more than MOST_TESTED rows, rows are counted against
 * the velocities that they act on. */
FUNCTION MASK repeats(stepper *C, MASK begins, INDEX rows) {
    MASK some = begins & NO(begins);
    if (rows > MOST_TESTED) {
        for (INDEX i = 0; i < N_VELOCITIES; i++) C->r[i] = K(0.0);
        real count = K(0.0), extent = K(0.0);
        ROLL
        for (INDEX k = 0; k < C->n_active; k++) {
            const INDEX a = C->active[k], n = COUNT(a), *const at = AT(a);
            if (!rows_that_share(LAW(a), SIZE(a))) continue;
            count = SELECT(ON(a), count + SPLAT((double)SIZE(a)), count);
            for (INDEX i = 0; i < n; i++) C->r[at[i]] = SELECT(ON(a), K(1.0), C->r[at[i]]);
        }
        for (INDEX i = 0; i < N_VELOCITIES; i++) extent += C->r[i];
        return begins & (count > extent);
    }
    /* Y Y^T = G^T D G, row by row: a pivot of which nothing is left belongs to a row that depends on those before it */
    INDEX row = 0;
    ROLL
    for (INDEX k = 0; k < C->n_active; k++) {
        const INDEX a = C->active[k], n = COUNT(a), *const at = AT(a);
        const INDEX size = rows_that_share(LAW(a), SIZE(a));
        for (INDEX j = 0; j < size; j++, row++) {
            const real *const y = C->Y + VALUES(a) + j * n;
            real *const own = C->gram + row * (row + 1) / 2, whole = K(0.0), left;
            const MASK counts = j ? ON(a) & (MU(a)[0] > K(0.0)) : ON(a) & (MU(a)[0] == MU(a)[0]);
            for (INDEX i = 0; i < n; i++) whole += y[i] * y[i];
            if (j == 0 && COMPLIANT(a)) whole += GIVE(a);
            INDEX other = 0;
            ROLL
            for (INDEX l = 0; l < k; l++) {
                const INDEX o = C->active[l], m = COUNT(o), *const to = AT(o);
                for (INDEX q = 0; q < rows_that_share(LAW(o), SIZE(o)); q++, other++) {
                    const real *const z = C->Y + VALUES(o) + q * m;
                    real sum = K(0.0);
                    for (INDEX i = 0, r = 0; i < n && r < m;) {
                        if (at[i] == to[r]) sum += y[i++] * z[r++];
                        else if (at[i] < to[r]) i++;
                        else r++;
                    }
                    own[other] = sum;
                }
            }
            for (INDEX q = 0; q < j; q++, other++) {
                const real *const z = C->Y + VALUES(a) + q * n;
                real sum = K(0.0);
                for (INDEX i = 0; i < n; i++) sum += y[i] * z[i];
                own[other] = sum;
            }
            left = whole;
            for (INDEX i = 0; i < row; i++) {
                const real *const above = C->gram + i * (i + 1) / 2;
                real sum = own[i];
                for (INDEX l = 0; l < i; l++) sum -= own[l] * above[l];
                own[i] = sum * above[i]; /* the diagonal has inverse roots of pivots, 0 of rows that depend on others */
                left -= own[i] * own[i];
            }
            const MASK repeated = counts & NO(left > K(REPEATED) * whole);
            some = some | (begins & repeated);
            const MASK kept = counts & NO(repeated);
            own[row] = SELECT(kept, K(1.0) / sqrt(SELECT(kept, left, K(1.0))), K(0.0));
        }
    }
    return some;
}

/* Members with rows of contacts that may depend on each other, so that their forces are not unique. Only contacts that
 * begin to touch are tested, and members in which rows did depend in the step before (`were` > 0): otherwise only singular
 * postures of the machine change it. */
FUNCTION MASK depends(stepper *C, MASK open, const real *x, real were) {
    MASK some = open & NO(open), begins = open & (were > K(0.0));
    INDEX rows = 0;
    if (C->n_active < 2) return some;
    some = begins;
    ROLL
    for (INDEX k = 0; k < C->n_active; k++) {
        const INDEX a = C->active[k];
        if (rows_that_share(LAW(a), SIZE(a))) begins = begins | (open & ON(a) & (LAST_FORCE(a, 0) == K(0.0)));
        rows += rows_that_share(LAW(a), SIZE(a));
    }
    begins = begins & NO(some);
    if (!(SOME(begins))) return some;
    return some | repeats(C, begins, rows);
}

/* Friction of joints that have reached their static limit falls to the kinetic one; returns the members with such a joint. */
FUNCTION MASK block_breaks(stepper *C, MASK open) {
    MASK any = open & NO(open);
    ROLL
    for (INDEX k = 0; k < C->n_active; k++) {
        const INDEX a = C->active[k];
        if (LAW(a) != STICTION || IS_LOADED(a)) continue;
        real *const mu = MU(a);
        const MASK m = open & ON(a) & (mu[1] < mu[0]) & (fabs(C->x[ROW(a)]) >= K(1.0 - 1e-9) * mu[0]);
        mu[0] = SELECT(m, mu[1], mu[0]);
        any = any | m;
    }
    return any;
}

/* Sweeps over the blocks of the members that are `open`, from the given impulses, each of them until its impulses
 * change by less than the tolerance. Methods that use the history of many sweeps run with one member alone
 * (history.c); lanes return those whose sweeps are slow, and a GPU continues to sweep. */
FUNCTION MASK block_sweeps(stepper *C, MASK open, real *sweeps) {
    const MASK all = open;
    MASK slow = open & NO(open);
    START_SWEEPS
    ROLL
    for (INDEX k = 0; k < C->n_active; k++) {
        const INDEX a = C->active[k];
        block_push(C, a, open & ON(a) & (C->x[ROW(a)] != K(0.0)), C->x + ROW(a), C->s);
    }
    ROLL
    for (INDEX number = 1; number <= MAX_SWEEPS; number++) {
        real change = K(0.0), largest = K(0.0);
        BEFORE_SWEEP(number)
        ROLL
        for (INDEX k = 0; k < C->n_active; k++) {
            const INDEX a = C->active[k];
            const MASK m = open & ON(a);
            if (SOME(m)) block_sweep(C, a, m, &change, &largest);
        }
        *sweeps = SELECT(open, *sweeps + K(1.0), *sweeps);
        open = open & NO(change <= K(CONE_TOLERANCE) * largest);
        if (!(SOME(open))) open = block_breaks(C, all & NO(slow));
        if (!(SOME(open))) break;
        AFTER_SWEEP(number)
    }
    return slow;
}

#define GIVES 1e-10 /* part of the work of impulses that is more than rounding */

/* Energy that the impulses of a block give, u being the mean of its velocities before and after; its size is added to
 * `scale`. */
FUNCTION real block_share(const stepper *C, INDEX a, real *scale) {
    const real *const before = BEFORE(a);
    real sum = K(0.0), u[MOST_ROWS];
    if (COMPLIANT(a)) return sum; /* it has its own account */
    block_velocity(C, a, C->s, u);
    for (INDEX i = 0; i < SIZE(a); i++) {
        const real x = i ? C->x[ROW(a) + i] : C->x[ROW(a)] - HOLD(a);
        sum += K(0.5) * x * (u[i] + before[i]);
        *scale += K(0.5) * fabs(x) * (fabs(u[i]) + fabs(before[i]));
    }
    return sum;
}

/* Members with a contact that rebounds, and one that gives energy: restitution may add more than was there. */
FUNCTION MASK block_gains(const stepper *C, MASK open) {
    MASK rebounds = open & NO(open), gives = rebounds;
    ROLL
    for (INDEX k = 0; k < C->n_active; k++) rebounds = rebounds | (open & ON(C->active[k]) & (C->bounce[C->active[k]] < K(0.0)));
    if (!(SOME(rebounds))) return rebounds;
    ROLL
    for (INDEX k = 0; k < C->n_active; k++) {
        real scale = K(0.0);
        const real given = block_share(C, C->active[k], &scale);
        gives = gives | (rebounds & ON(C->active[k]) & (given > K(GIVES) * scale));
    }
    return gives;
}

/* Difference of impulses from those of their velocities, by the largest of them. */
FUNCTION real block_residual(const stepper *C) {
    real most = K(0.0), top = K(0.0);
    ROLL
    for (INDEX k = 0; k < C->n_active; k++) {
        const INDEX a = C->active[k];
        const MASK m = ON(a);
        real u[MOST_ROWS];
        block_velocity(C, a, C->s, u);
        u[0] += C->bounce[a];
        if (COMPLIANT(a)) u[0] += SPRUNG(a, C->x + ROW(a));
        const real lack = law_violation(LAW(a), SIZE(a), BLOCK(a), u, MU(a), C->x + ROW(a));
        most = SELECT(m, larger(most, lack), most);
        top = SELECT(m, larger(top, fabs(C->x[ROW(a)])), top);
    }
    return SELECT(top > K(0.0), most / SELECT(top > K(0.0), top, K(1.0)), SELECT(most > K(0.0), K(1.0), K(0.0)));
}

/* Gaps at the end of a step; returns the members that need a displacement. A block that rebounds is let go: it leaves by itself, at no
 * cost of energy. */
FUNCTION MASK gaps_left(stepper *C, MASK alive, real h) {
    MASK needed = alive & NO(alive);
    ROLL
    for (INDEX k = 0; k < C->n_active; k++) {
        const INDEX a = C->active[k];
        const MASK m = alive & ON(a);
        real u[MOST_ROWS];
        C->lambda[a] = K(0.0);
        if (LAW(a) == STICTION) continue;
        block_velocity(C, a, C->s, u);
        real gap = C->g[a] + K(THETA) * h * OPENING(a, u); /* at the end */
        if (IS_BENT(a)) gap -= K(0.5 * THETA) * h * OPENING(a, TURN(a));
        MASK rebounds = C->bounce[a] < K(0.0), stays = (C->x[ROW(a)] > K(0.0)) & NO(rebounds);
        if (COMPLIANT(a)) gap += DEPTH(a), stays = stays & NO(stays);
        C->stays[a] = SELECT(stays, K(1.0), K(0.0));
        C->gap[a] = SELECT(rebounds, larger(gap, K(0.0)), gap);
        needed = needed | (m & ((C->gap[a] < K(-(MARGIN))) | (stays & (gap > K(MARGIN)))));
    }
    return needed;
}

/* Displacement (as s), added to `r`, that closes the gaps of blocks that push or pull, and removes the penetration of others. */
FUNCTION void close_gaps(stepper *C, MASK open) {
    ROLL
    for (int round = 0; round < (N_BLOCKS > MANY_GAPS ? 1 : 10) * CORRECTIONS && SOME(open); round++) {
        real change = K(0.0);
        ROLL
        for (INDEX k = 0; k < C->n_active; k++) {
            const INDEX a = C->active[k], n = COUNT(a), *const at = AT(a);
            const MASK m = open & ON(a);
            const real *const y = C->Y + VALUES(a);
            real w = BLOCK(a)[0];
            if (LAW(a) == STICTION || !(SOME(m))) continue;
            if (COMPLIANT(a)) w -= GIVE(a);
            real gap = C->gap[a];
            for (INDEX i = 0; i < n; i++) gap += ALONG(a, y, i) * C->r[at[i]];
            if (LAW(a) == ROPE) {
                w = K(0.0);
                for (INDEX i = 0; i < n; i++) w += ALONG(a, y, i) * ALONG(a, y, i);
            }
            const real free_ = C->lambda[a] - gap / w;
            const real next = SELECT(C->stays[a] > K(0.5), free_, larger(K(0.0), free_)), d = next - C->lambda[a];
            const MASK moves = m & (d != K(0.0));
            if (!(SOME(moves))) continue;
            C->lambda[a] = SELECT(m, next, C->lambda[a]);
            for (INDEX i = 0; i < n; i++) C->r[at[i]] = SELECT(moves, C->r[at[i]] + ALONG(a, y, i) * d, C->r[at[i]]);
            change = SELECT(m, larger(change, fabs(d) * w), change);
        }
        open = open & NO(change <= K(MARGIN) * (N_BLOCKS > MANY_GAPS ? K(0.01) : K(1e-6)));
    }
}

/* v = L^-1 D^-1/2 s */
FUNCTION void solve_back(const stepper *C, const real *s, real *v) {
    for (INDEX k = 0; k < N_VELOCITIES; k++) {
        real t = C->d[k] * s[k];
        for (INDEX i = FACTOR(k); i < FACTOR(k + 1); i++) t -= C->L[i] * v[COLUMN(i)];
        v[k] = t;
    }
}
#endif
