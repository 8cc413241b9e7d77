/* All blocks that act: sweeps, the violations of their laws, and gaps (blocks.h). */
#if STEPPING
#define CORRECTIONS 50 /* sweeps over gaps */

/* Friction of joints that have reached what they hold at rest falls to that in motion; returns the members in which one does. */
FUNCTION MASK block_breaks(stepper *C, MASK open) {
    MASK any = open & NO(open);
    ROLL
    for (INDEX k = 0; k < C->n_active; k++) {
        const INDEX a = C->active[k];
        if (LAW(a) != STICTION) continue;
        real *const mu = MU(a);
        const MASK m = open & ON(a) & (mu[1] < mu[0]) & (fabs(C->x[ROW(a)]) >= K(1.0 - 1e-9) * mu[0]);
        mu[0] = SELECT(m, mu[1], mu[0]);
        any = any | m;
    }
    return any;
}

/* Sweeps over the blocks of the members that are `open`, from the given impulses, each of them until its impulses
 * change by less than the tolerance. Methods that use the history of many sweeps run with one member alone
 * (look_back.c); lanes return those whose sweeps are slow, and a GPU continues to sweep. */
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
        const real lack = law_violation(LAW(a), SIZE(a), BLOCK(a), u, MU(a), C->x + ROW(a));
        most = SELECT(m, larger(most, lack), most);
        top = SELECT(m, larger(top, fabs(C->x[ROW(a)])), top);
    }
    return SELECT(top > K(0.0), most / SELECT(top > K(0.0), top, K(1.0)), SELECT(most > K(0.0), K(1.0), K(0.0)));
}

/* Displacement (as s) that closes the gaps of blocks that push or pull, and takes others out of what they penetrate,
 * into `r`; returns the members that need one. One that rebounds is let go: it leaves by itself, at no cost of energy. */
FUNCTION MASK block_gaps(stepper *C, MASK alive, real h) {
    MASK needed = alive & NO(alive);
    for (INDEX i = 0; i < N_VELOCITIES; i++) C->r[i] = K(0.0);
    ROLL
    for (INDEX k = 0; k < C->n_active; k++) {
        const INDEX a = C->active[k];
        const MASK m = alive & ON(a);
        real u[MOST_ROWS];
        C->lambda[a] = K(0.0);
        if (LAW(a) == STICTION) continue;
        block_velocity(C, a, C->s, u);
        const real gap = C->g[a] + K(THETA) * h * OPENING(a, u); /* at the end */
        const MASK rebounds = C->bounce[a] < K(0.0), stays = (C->x[ROW(a)] > K(0.0)) & NO(rebounds);
        C->stays[a] = SELECT(stays, K(1.0), K(0.0));
        C->gap[a] = SELECT(rebounds, larger(gap, K(0.0)), gap);
        needed = needed | (m & ((C->gap[a] < K(-(MARGIN))) | (stays & (gap > K(MARGIN)))));
    }
    MASK open = needed;
    ROLL
    for (int round = 0; round < CORRECTIONS && SOME(open); round++) {
        real change = K(0.0);
        ROLL
        for (INDEX k = 0; k < C->n_active; k++) {
            const INDEX a = C->active[k], n = COUNT(a), *const at = AT(a);
            const MASK m = open & ON(a);
            const real *const y = C->Y + VALUES(a);
            real w = BLOCK(a)[0];
            if (LAW(a) == STICTION || !(SOME(m))) continue;
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
        open = open & NO(change <= K(0.01 * MARGIN));
    }
    return needed;
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
