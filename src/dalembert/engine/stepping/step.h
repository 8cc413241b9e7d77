/* Time-stepping after Moreau and Jean, for one run, lanes and the threads of a GPU.
 *
 * A step of length h goes to the middle with the old velocities, solves there for the impulses of all blocks that act,
 * contacts and cables among them whose gap is closed or would be at the end, and on with the new velocities (theta = 1/2;
 * M. Jean, Computer Methods in Applied Mechanics and Engineering 177 (1999) 235-257):
 *     q_m = q + (1 - theta) h v,   M^ (v+ - v) = h f + J^T x,   q+ = q_m + theta h v+
 * with M^ = M + h theta D + (h theta)^2 K: damping and stiffness of joints and modes are implicit. Centrifugal and
 * gyroscopic forces are taken at v first, then as the mean of those at v and v+: smooth motion is of second order.
 * Velocities in axes that turn are carried along with these. Blocks act on velocities; those of cables and ropes, and of contacts
 * that last, on the mean of the velocities before and after, less the error at the start (as in
 * bilateral.h): a path along a curved surface costs no energy. A displacement, which changes no
 * velocity, removes the remaining penetration, or the gap over which a contact pushes, and the errors of rows that
 * always hold at the end: a gap divided by the step would be a velocity, and would chatter.
 *
 * Tapes are called by TERMS, BIAS, MOVE, FINISH, LIFT, HELD and PAIR_ROWS, which may return from where they are called. */
#if STEPPING
#define STILL 1e-7 /* velocity below which a machine rests */
#define FALL 20.0  /* acceleration with which a body at rest may begin to move within a step */
#define SQUARE(y) ((y) * (y))
/* Whether the tangents of a contact move as those of one that sticks: at the start of the step by the turn, or by two of them after a
 * step in which they did not turn. */
#define STICKS(a, u)                                                                               \
    (SIZE(a) < 3 ? alive & NO(alive)                                                               \
                 : SQUARE((u)[1] - K(1.5) * TURN(a)[1]) + SQUARE((u)[2] - K(1.5) * TURN(a)[2]) <=  \
                       K(0.36) * (SQUARE(TURN(a)[1]) + SQUARE(TURN(a)[2])))
#if !defined(KEEP_BEND)
#define KEEP_BEND(a, rows)
#endif

#if !defined(PUSHED)
#define PUSHED(a) (alive & NO(alive)) /* whether a contact of free bodies pushed in the last step */
#endif

/* x after a displacement, with velocities that stay the same in fixed axes. */
#define SHIFT(from, by, to)                                  \
    {                                                        \
        const real *const in[] = {from, by, p};              \
        real *const out[] = {to, to + N_COORDINATES};        \
        MOVE(in, out, w)                                     \
    }

/* Rows of the blocks that may act, and which of them do: closed, or closed at the end. Returns the members with a pair
 * that moves by more than its own size, and has to be swept. */
FUNCTION MASK step_choose(stepper *C, MASK alive, real t, real h, const real *x, const real *xm, const real *p, real *w) {
    MASK fast = alive & NO(alive);
    (void)t, (void)xm, (void)p, (void)w;
    if (MANY) {
        INDEX given = 0;
        C->values[given++] = t;
        COPY(C->values + given, xm, N_STATES) given += N_STATES;
        COPY(C->values + given, p, N_PARAMETERS) given += N_PARAMETERS;
        COPY(C->values + given, C->L, N_L) given += N_L;
        COPY(C->values + given, C->d, N_VELOCITIES)
    }
    C->n_active = 0, C->jammed = K(0.0);
    for (INDEX i = 0; i < N_VELOCITIES; i++) C->r[i] = K(0.0); /* 1: a contact that begins changes it */
    ROLL
    for (INDEX a = 0; a < N_BLOCKS; a++) {
        const INDEX n = COUNT(a), *const at = AT(a);
        real *const y = C->Y + VALUES(a), *const u = C->u0 + ROW(a);
        MASK near_ = alive;
        NEAR(a, 0)
        if (BY_PAIR(a)) {
            /* The others are farther away than they, or the ground that falls away under them, can move in the step. */
            near_ = near_ & (FORCED(a) | (C->g[a] <= K(MARGIN) + K(0.6) * h * C->pace[a] + K(FALL) * h * h));
            if (!(SOME(near_))) continue;
            for (INDEX i = GATHER_AT(a); i < GATHER_AT(a + 1); i++) C->gathered[i - GATHER_AT(a)] = C->values[GATHERED(i)];
            const real *const in[] = {C->gathered};
            real *const out[] = {y, u, TURN(a)};
            PAIR_ROWS(a, in, out, w)
            for (INDEX i = 0; i < SIZE(a) && ROW(a) < FIRST_BENT; i++) TURN(a)[i] = K(1.0 - THETA) * h * TURN(a)[i];
        }
        NEAR(a, 1)
        const real before = OPENING(a, u);
        /* One that pushed in the last step is closed until it has opened by more than a body falls within the step: of two bodies that
         * fall alike other contacts may hold only one. */
        const MASK little = C->g[a] <= K(THETA * FALL) * h * h, shut = (C->g[a] <= K(MARGIN)) | (PUSHED(a) & little);
        MASK slow = alive;
        if (FEATURE(a) < 1e299) {
            const real speed = SIZE(a) == 3 ? sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) : fabs(u[0]);
            slow = NO(speed * h > SPLAT(FEATURE(a)));
            fast = fast | (near_ & NO(slow) & (C->g[a] <= K(0.6) * speed * h + K(MARGIN)));
        }
        MASK able = alive;
        if (N_HELD_ROWS) able = held_rows(C, a);
        real gained = OPENING(a, u) - before; /* in the step if it were open */
        for (INDEX i = 0; i < n; i++) gained += ALONG(a, y, i) * C->s0[at[i]];
        real turn = K(0.0);
        MASK lasts = alive & (LAST_FORCE(a, 0) > K(0.0));
        if (IS_BENT(a)) {
            /* also one that touches without a force, and neither opens nor closes faster than free motion makes it */
            const MASK still = (C->g[a] <= K(MARGIN)) & (fabs(before - OPENING(a, TURN(a))) <= fabs(gained));
            MASK sticks = alive;
            if (IS_CONTACT(a)) lasts = lasts | (alive & still), sticks = lasts & STICKS(a, u);
            bend(C, a, IS_CONTACT(a) ? lasts : alive, sticks);
            turn = OPENING(a, TURN(a));
            KEEP_BEND(a, lasts + sticks)
        }
        const MASK closes = slow & (C->g[a] + K(THETA) * h * (before + K(0.5) * turn + gained) <= K(0.0));
        const MASK wanted = near_ & (shut | closes | FORCED(a) | IS_DEEP(a, h, before) | ADHERES(a)), on = wanted & able;
        if (!COMPLIANT(a)) C->jammed = SELECT(wanted & NO(able) & (C->g[a] < K(-(MARGIN))), K(1.0), C->jammed);
        if (!(SOME(on)) || !COMPLY(a, h, before, before + gained)) continue;
        TURN_ON(a, on)
        C->active[C->n_active++] = a;
        if (LAW(a) == STICTION && !IS_LOADED(a)) MU(a)[0] = MU(a)[0] * h, MU(a)[1] = MU(a)[1] * h;
        /* A pair that closes no faster than free motion makes it in two steps is at rest: its rebound would be shorter
         * than the step, and would never end. */
        const real opens = before - turn;
        const MASK bounces = (opens < K(0.0)) & (C->e[a] != K(0.0)) & (-opens > K(2.0) * fabs(gained));
        const MASK begins = on & NO(lasts);
        if (LAW(a) < STICTION || LAW(a) > ROPE)
            for (INDEX i = 0; i < n && SOME(begins); i++) C->r[at[i]] = SELECT(begins, K(1.0), C->r[at[i]]);
        C->bounce[a] = COMPLIANT(a) ? K(0.0) : SELECT(bounces, C->e[a] * opens, K(0.0));
        for (INDEX i = 0; i < SIZE(a); i++) C->x[ROW(a) + i] = SELECT(on, h * LAST_FORCE(a, i), K(0.0));
        block_make(C, a);
    }
    ROLL
    for (INDEX k = 0; k < C->n_active; k++) { /* where another contact begins, bodies do not keep the velocities with which rows turn */
        const INDEX a = C->active[k], *const at = AT(a);
        MASK changed = alive & NO(alive);
        for (INDEX i = 0; i < COUNT(a) && IS_BENT(a) && IS_CONTACT(a); i++) changed = changed | (C->r[at[i]] > K(0.5));
        if (!(SOME(changed))) continue;
        C->bounce[a] = SELECT(changed & (C->bounce[a] < K(0.0)), C->bounce[a] + C->e[a] * TURN(a)[0], C->bounce[a]);
        unbend(C, a, changed);
        KEEP_BEND(a, 0)
    }
    SHIFT_IMPULSES(C, 1.0)
    return fast;
}

/* To the middle, into xm, and the terms to be solved there. `next` gets all states that a step does not change. Returns as
 * step_choose does. */
FUNCTION MASK step_begin(stepper *C, real t, real tm, real h, const real *x, const real *c, const real *p, real *xm,
                         real *next, real *w, MASK alive) {
    if (IMPACT(h)) {
        COPY(xm, x, N_COORDINATES + N_VELOCITIES)
    } else {
        for (INDEX i = 0; i < N_VELOCITIES; i++) C->dv[i] = K(1.0 - THETA) * h * x[N_COORDINATES + i];
        SHIFT(x, C->dv, xm)
    }
    const INDEX pose = N_COORDINATES + N_VELOCITIES;
    COPY(xm + pose, x + pose, N_STATES - pose)
    if (next != x) COPY(next + pose, x + pose, N_STATES - pose)
    {
        const real *const in[] = {&tm, xm, c, p, &h};
        real *const out[] = {C->L, C->d, C->s0, C->g, C->e, C->mu, C->b, C->Q, C->held_u0, C->held_t, C->bent,
                             MANY ? C->pace : C->Y, C->u0};
        TERMS(in, out, w)
    }
    if (N_HELD_ROWS) {
        const real *const in[] = {&t, x, c, p};
        real *const out[] = {C->held_phi, C->held_rate};
        HELD(in, out, w)
        held_rank(C, xm + N_COORDINATES);
        held_make(C);
    }
    return step_choose(C, alive, tm, h, x, xm, p, w);
}

/* Move `next` to where its rows hold; the potential energy that this adds is added to `raised`. Returns an empty mask. */
FUNCTION MASK step_hold(stepper *C, real t, const real *c, const real *p, real *xm, real *next, real *w, MASK open,
                        real *raised) {
    real before = K(1e300);
    (void)w;
    ROLL
    for (int round = 0; round < 6; round++) {
        real error = K(0.0);
        {
            const real *const in[] = {&t, next, c, p};
            real *const out[] = {C->held_phi, C->held_rate};
            HELD(in, out, w)
        }
        for (INDEX i = 0; i < N_HELD_ROWS; i++) {
            error = larger(error, fabs(C->held_phi[i]));
            C->held_phi[i] = -C->held_phi[i];
        }
        open = open & (error > K(1e-4 * MARGIN)) & (error < K(0.5) * before);
        if (!(SOME(open))) break;
        before = error;
        held_forward(C, C->held_phi);
        for (INDEX k = 0; k < N_VELOCITIES; k++) {
            real sum = K(0.0);
            for (INDEX i = 0; i < N_HELD_ROWS; i++) sum += C->Q[i * N_VELOCITIES + k] * C->held_phi[i];
            C->r[k] = sum;
        }
        solve_back(C, C->r, C->dv);
        {
            const real *const in[] = {&t, next, C->dv, p};
            real *const out[] = {C->work};
            LIFT(in, out, w)
            *raised = SELECT(open, *raised + C->work[0], *raised);
        }
        for (INDEX i = 0; i < N_VELOCITIES; i++) C->dv[i] = SELECT(open, C->dv[i], K(0.0));
        SHIFT(next, C->dv, xm)
        for (INDEX j = 0; j < N_COORDINATES + N_VELOCITIES; j++) next[j] = SELECT(open, xm[j], next[j]);
    }
    return open & NO(open);
}

/* Impulses, velocities and the end of the step. Returns the members whose sweeps are slow; nothing is to be made of them. */
FUNCTION MASK step_end(stepper *C, real t, real tm, real h, const real *x, const real *c, const real *p, real *xm,
                       real *next, real *w, MASK alive, MASK leaves) {
    real sweeps = K(0.0);
    MASK touched = alive & NO(alive);
    ROLL
    for (INDEX k = 0; k < C->n_active; k++) touched = touched | ON(C->active[k]);
    PULL_TOGETHER(C)
    COPY(C->s, C->s0, N_VELOCITIES)
    if (N_HELD_ROWS) held_project(C, alive, C->s, C->held_x);
    DEPENDS(touched & NO(leaves), x)
    if (SOME(touched)) leaves = leaves | IMPULSES(C, touched & NO(leaves), &sweeps);
    solve_back(C, C->s, C->dv);
    /* once more, with the mean of the bias at old and new velocities, where anything moves */
    real most = K(0.0);
    for (INDEX i = 0; i < N_VELOCITIES; i++) most = larger(most, larger(fabs(xm[N_COORDINATES + i]), fabs(C->dv[i])));
    MASK again = alive & NO(leaves) & NO(most < K(STILL));
    if (!IMPACT(h) && SOME(again)) {
        /* `next` has the place for it: q there, and the new velocities */
        COPY(next, xm, N_COORDINATES)
        for (INDEX i = 0; i < N_VELOCITIES; i++) next[N_COORDINATES + i] = xm[N_COORDINATES + i] + C->dv[i];
        const real *const in[] = {&tm, next, c, p};
        real *const out[] = {C->r};
        BIAS(in, out, w)
        for (INDEX i = 0; i < N_VELOCITIES; i++) C->r[i] = K(0.5) * h * (C->b[i] - C->r[i]);
        for (INDEX k = N_VELOCITIES - 1; k >= 0; k--)
            for (INDEX i = FACTOR(k); i < FACTOR(k + 1); i++) C->r[COLUMN(i)] -= C->L[i] * C->r[k];
        real change = K(0.0), size = K(0.0);
        for (INDEX i = 0; i < N_VELOCITIES; i++)
            change = larger(change, fabs(C->d[i] * C->r[i])), size = larger(size, fabs(C->s0[i]));
        again = again & NO(change <= K(1e-3 * CONE_TOLERANCE) * size);
        if (SOME(again)) {
            for (INDEX i = 0; i < N_VELOCITIES; i++) C->s[i] = SELECT(again, C->s0[i] + C->d[i] * C->r[i], C->s[i]);
            if (N_HELD_ROWS) held_project(C, again, C->s, C->held_x);
            if (SOME(touched & again)) leaves = leaves | IMPULSES(C, touched & again, &sweeps);
            solve_back(C, C->s, C->dv);
        }
    }
    const MASK gains = block_gains(C, touched & NO(leaves));
    if (SOME(gains)) {
        leaves = leaves | RESTRAIN(C, gains, &sweeps);
        solve_back(C, C->s, C->dv);
    }
    /* impulses, losses, the account of the solver, works */
    real loss = K(0.0), input = K(0.0);
    EMPTY(next, h)
    SHIFT_IMPULSES(C, -1.0)
    ROLL
    for (INDEX k = 0; k < C->n_active; k++) {
        const INDEX a = C->active[k];
        const MASK m = ON(a);
        const real *const before = BEFORE(a);
        real lost = K(0.0), u[MOST_ROWS];
        block_velocity(C, a, C->s, u);
        for (INDEX i = 0; i < SIZE(a); i++) lost += K(0.5) * C->x[ROW(a) + i] * (u[i] + before[i]);
#if BELTS
        for (INDEX i = 0; i < SIZE(a); i++) input -= C->x[ROW(a) + i] * C->driven[ROW(a) + i];
#endif
        for (INDEX i = 0; i < SIZE(a); i++) KEEP_IMPULSE(a, i, m, C->x[ROW(a) + i])
        if (LOSS(a) >= 0 && LAW(a) == ROPE) { /* of each sheave the loss of tension by friction, along its slip */
            real slip = K(0.0);
            for (INDEX i = 1; i < SIZE(a); i++) {
                const real *const x = C->x + ROW(a) + i;
                real *const taken = next + LOSS(a) + i - 1;
                slip += K(0.5) * (u[i - 1] + before[i - 1]);
                *taken = SELECT(m, *taken + (x[0] - x[-1]) * slip, *taken);
            }
        } else if (LOSS(a) >= 0) next[LOSS(a)] = SELECT(m, next[LOSS(a)] - lost, next[LOSS(a)]);
        loss = SELECT(m, loss + lost, loss);
        STORE(a, h, before[0], u[0], next)
    }
    if (N_HELD_ROWS) {
        held_impulses(C, C->held_x);
        for (INDEX i = 0; i < N_HELD_ROWS; i++) {
            input -= C->held_x[i] * C->held_t[i];
            loss += K(0.5) * C->held_x[i] * C->held_rate[i];
            KEEP_MULTIPLIER(i, -C->held_x[i])
        }
    }
    SHIFT_IMPULSES(C, 1.0)
    const real residual = larger(C->jammed, SOME(touched) ? block_residual(C) : K(0.0));
    next[RESIDUAL] = larger(next[RESIDUAL], residual);
    next[SWEEPS] += sweeps;
    next[UNDETERMINED] = larger(next[UNDETERMINED], FOUND(touched));
    next[LOWERED] = larger(next[LOWERED], BY_FACTOR(touched));
    if (IMPACT(h)) {
        for (INDEX i = 0; i < N_VELOCITIES; i++) next[N_COORDINATES + i] = xm[N_COORDINATES + i] + C->dv[i];
        next[WORK_INPUT] += input, next[WORK_LOSS] += loss;
        return leaves;
    }
    {
        const real *const in[] = {&tm, xm, c, p, &h, C->dv};
        real *const out[] = {C->zdot, C->work};
        FINISH(in, out, w)
    }
    for (INDEX j = N_COORDINATES + N_VELOCITIES; j < N_COORDINATES + N_VELOCITIES + N_INNER; j++)
        next[j] = x[j] + h * C->zdot[j - N_COORDINATES - N_VELOCITIES];
    input = input + C->work[0], loss = loss + C->work[1];
    /* on with the new velocities */
    for (INDEX i = 0; i < N_VELOCITIES; i++) xm[N_COORDINATES + i] += C->dv[i];
    MASK closing = touched & NO(leaves);
    if (SOME(closing)) closing = gaps_left(C, closing, h);
    if (SOME(closing)) {
        for (INDEX i = 0; i < N_VELOCITIES; i++) C->r[i] = K(0.0);
        CLOSE_GAPS(C, closing);
        solve_back(C, C->r, C->dv);
        const real *const in[] = {&tm, xm, C->dv, p};
        real *const out[] = {C->work};
        LIFT(in, out, w)
        loss = SELECT(closing, loss + C->work[0], loss);
    }
    for (INDEX i = 0; i < N_VELOCITIES; i++) {
        const real way = K(THETA) * h * xm[N_COORDINATES + i];
        C->dv[i] = SELECT(closing, way + C->dv[i], way);
    }
    SHIFT(xm, C->dv, next)
    if (N_HELD_ROWS) leaves = leaves | step_hold(C, t + h, c, p, xm, next, w, alive & NO(leaves), &loss);
    next[WORK_INPUT] += input, next[WORK_LOSS] += loss;
    return leaves;
}
#endif
