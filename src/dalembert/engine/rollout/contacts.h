/* Time-stepping through contacts in the time loops of many members: moreau.c and cone.c, masked where members differ.
 * CHUNKS are the terms of a step, BIAS, MOVE, FINISH and LIFT what they are there, PAIR the rows of one contact where
 * machines have many of them. Sweeps of a member end by its own tolerance, or after MAX_SWEEPS.
 *
 * What cannot be done without looking ahead leaves the lane for the step, which moreau.c then takes: a pair that moves
 * by more than its own size (swept there), and sweeps that are slow (extrapolated there). A thread of a GPU
 * gives up on the former, so that its member is simulated elsewhere, and goes on sweeping in the latter case. Why this is
 * a text of its own is said in cone.c. */
#if STEPPING
TABLE int L_start[] = {L_START}, L_column[] = {L_COLUMN};
TABLE int size_of[] = {SIZES}, count_of[] = {COUNTS}, support_start[] = {SUPPORT_START}, support_of[] = {SUPPORT};
TABLE int row_start[] = {ROW_START}, value_start[] = {VALUE_START};
TABLE double feature_of[] = {FEATURES}; /* length below which nothing passes unseen */
#if MANY
TABLE int gather_start[] = {GATHER_START}, gather_of[] = {GATHER}, pair_of[] = {PAIR_KINDS};
#endif

#define STILL 1e-7 /* as in moreau.c */
#define FALL 20.0
#define CORRECTIONS 50
#define SLOW 10 /* sweeps after which they are slow, as in cone.c */
#if defined(DA_FLOAT)
#define FINEST 1.2e-7
#else
#define FINEST 2.220446049250313e-16
#endif

struct contacts {
    /* outputs of the tapes */
    real L[N_L + 1], d[N_VELOCITIES], s0[N_VELOCITIES], g[N_CONTACTS], e[N_CONTACTS], mu[N_CONTACTS], b[N_VELOCITIES];
    real Y[N_VALUES + 1], u0[N_ROWS + 1], zdot[N_INNER + 1], work[2];
    /* what is solved for: impulses x at contacts that are `on` (1 or 0), s = s0 + Y^T x, blocks w of the contacts */
    real on[N_CONTACTS], bounce[N_CONTACTS], x[3 * N_CONTACTS], w[6 * N_CONTACTS], s[N_VELOCITIES], dv[N_VELOCITIES];
    real r[N_VELOCITIES], gap[N_CONTACTS], stays[N_CONTACTS], lambda[N_CONTACTS];
#if MANY
    real pace[N_CONTACTS], values[N_GIVEN], gathered[MOST_GATHERED];
#endif
};
#define N_RATE ((int)(sizeof(struct contacts) / sizeof(real)))

FUNCTION real larger(real a, real b) { return SELECT(a > b, a, b); }

/* u = u0 + Y s of a contact. */
FUNCTION void contact_velocity(const struct contacts *C, int a, const real *s, real *u) {
    const int n = count_of[a], *const at = support_of + support_start[a];
    const real *const y = C->Y + value_start[a], *const u0 = C->u0 + row_start[a];
    real a0 = u0[0], a1 = K(0.0), a2 = K(0.0);
    if (size_of[a] == 3) {
        a1 = u0[1], a2 = u0[2];
        for (int i = 0; i < n; i++) {
            const real si = s[at[i]];
            a0 += y[i] * si, a1 += y[n + i] * si, a2 += y[2 * n + i] * si;
        }
    } else
        for (int i = 0; i < n; i++) a0 += y[i] * s[at[i]];
    u[0] = a0, u[1] = a1, u[2] = a2;
}

/* s += Y^T dx of a contact. */
FUNCTION void contact_push(struct contacts *C, int a, MASK m, const real *dx) {
    const int n = count_of[a], *const at = support_of + support_start[a];
    const real *const y = C->Y + value_start[a];
    real *const s = C->s;
    if (size_of[a] == 3)
        for (int i = 0; i < n; i++) {
            const real si = s[at[i]];
            s[at[i]] = SELECT(m, si + (y[i] * dx[0] + y[n + i] * dx[1] + y[2 * n + i] * dx[2]), si);
        }
    else
        for (int i = 0; i < n; i++) {
            const real si = s[at[i]];
            s[at[i]] = SELECT(m, si + y[i] * dx[0], si);
        }
}

FUNCTION void contact_block(struct contacts *C, int a) {
    const int n = count_of[a];
    const real *const y = C->Y + value_start[a], *const z = y + n, *const q = z + n;
    real *const w = C->w + 6 * a, w0 = K(0.0), w1 = K(0.0), w2 = K(0.0), w3 = K(0.0), w4 = K(0.0), w5 = K(0.0);
    for (int i = 0; i < n; i++) w0 += y[i] * y[i];
    if (size_of[a] == 3) {
        for (int i = 0; i < n; i++) {
            w1 += y[i] * z[i], w2 += y[i] * q[i];
            w3 += z[i] * z[i], w4 += z[i] * q[i], w5 += q[i] * q[i];
        }
        /* Where a tangent cannot move (a ball in a plane) its impulse is zero. */
        const real least = K(1e-14) * (w0 + w3 + w5);
        const MASK no1 = w3 < least, no2 = w5 < least;
        w4 = SELECT(no1 | no2, K(0.0), w4);
        w1 = SELECT(no1, K(0.0), w1), w3 = SELECT(no1, K(1.0), w3);
        w2 = SELECT(no2, K(0.0), w2), w5 = SELECT(no2, K(1.0), w5);
    } else
        w3 = w5 = K(1.0);
    w[0] = w0, w[1] = w1, w[2] = w2, w[3] = w3, w[4] = w4, w[5] = w5;
}

/* Impulse x of one contact whose velocity is W x + b, as solve_block of cone.c: it opens, sticks or slips. */
FUNCTION void contact_solve(const real *w, const real *b, real mu, MASK m, real *x) {
    const MASK shut = m & (b[0] < K(0.0)), rubs = shut & (mu > K(0.0));
    const real r = K(1.0) / w[0];
    real x0 = -b[0] * r, x1 = K(0.0), x2 = K(0.0);
    if (SOME(rubs)) {
        const real s11 = w[3] - w[1] * w[1] * r, s12 = w[4] - w[1] * w[2] * r, s22 = w[5] - w[2] * w[2] * r;
        const real c1 = b[1] - w[1] * b[0] * r, c2 = b[2] - w[2] * b[0] * r;
        const real det = K(1.0) / (s11 * s22 - s12 * s12);
        const real t1 = (s12 * c2 - s22 * c1) * det, t2 = (s12 * c1 - s11 * c2) * det;
        const real n = -(b[0] + w[1] * t1 + w[2] * t2) * r;
        const MASK sticks = rubs & (n >= K(0.0)) & (t1 * t1 + t2 * t2 <= mu * mu * n * n);
        const MASK slips = rubs & NO(sticks);
        x0 = SELECT(sticks, n, x0), x1 = SELECT(sticks, t1, x1), x2 = SELECT(sticks, t2, x2);
        if (SOME(slips)) {
            const real mean = K(0.5) * (s11 + s22), half = K(0.5) * (s11 - s22), radius = sqrt(half * half + s12 * s12);
            const MASK round = NO(radius > K(1e-15) * mean);
            const real cos2 = half / radius;
            const real cs = SELECT(round, K(1.0), sqrt(K(0.5) * (K(1.0) + cos2)));
            const real sn = SELECT(round, K(0.0), copysign(sqrt(larger(K(0.0), K(0.5) * (K(1.0) - cos2))), s12));
            const real l1 = mean + radius, l2 = mean - radius, d1 = cs * c1 + sn * c2, d2 = cs * c2 - sn * c1;
            const real w1 = cs * w[1] + sn * w[2], w2 = cs * w[2] - sn * w[1];
            real alpha = K(0.0), low = K(0.0), high = K(INFINITY), p1 = K(0.0), p2 = K(0.0), size = K(0.0);
            MASK open = slips;
            ROLL
            for (int k = 0; k < 100; k++) {
                const real i1 = K(1.0) / (l1 + alpha), i2 = K(1.0) / (l2 + alpha);
                p1 = -d1 * i1, p2 = -d2 * i2;
                size = sqrt(p1 * p1 + p2 * p2);
                const real pn = -(b[0] + w1 * p1 + w2 * p2) * r, F = mu * pn - size;
                open = open & NO(fabs(F) <= K(4.0 * FINEST) * size) &
                       NO((high < K(INFINITY)) & (high - low <= K(4.0 * FINEST) * high));
                if (!(SOME(open))) break; /* what is done stays: its alpha does */
                const MASK under = F < K(0.0);
                low = SELECT(open & under, alpha, low), high = SELECT(open & NO(under), alpha, high);
                const real r1 = -p1 * i1, r2 = -p2 * i2;
                const real rate = mu * (-(w1 * r1 + w2 * r2) * r * size - pn * (p1 * r1 + p2 * r2) / size) / (size * size);
                real next = alpha - F / (size * rate);
                const real other = SELECT(high < K(INFINITY), K(0.5) * (low + high), K(2.0) * alpha + l1);
                next = SELECT((next > low) & (next < high), next, other);
                open = open & NO(next == alpha);
                alpha = SELECT(open, next, alpha);
            }
            x0 = SELECT(slips, size / mu, x0);
            x1 = SELECT(slips, cs * p1 - sn * p2, x1), x2 = SELECT(slips, sn * p1 + cs * p2, x2);
        }
    }
    x[0] = SELECT(shut, x0, K(0.0)), x[1] = SELECT(rubs, x1, K(0.0)), x[2] = SELECT(rubs, x2, K(0.0));
}

/* Sweeps over the contacts of the members that are `open`, from the impulses that are there. Returns those whose sweeps
 * are slow. */
FUNCTION MASK contact_sweeps(struct contacts *C, MASK open, real *sweeps) {
    MASK slow = open & NO(open);
    ROLL
    for (int a = 0; a < N_CONTACTS; a++) {
        const MASK m = open & (C->on[a] > K(0.5)) & (C->x[3 * a] != K(0.0));
        if (SOME(m)) contact_push(C, a, m, C->x + 3 * a);
    }
    ROLL
    for (int k = 1; k <= MAX_SWEEPS; k++) {
        real change = K(0.0), largest = K(0.0);
        ROLL
        for (int a = 0; a < N_CONTACTS; a++) {
            const MASK m = open & (C->on[a] > K(0.5));
            if (!(SOME(m))) continue;
            const real *const w = C->w + 6 * a;
            real *const x = C->x + 3 * a, u[3], b[3], new_[3], d[3];
            contact_velocity(C, a, C->s, u);
            b[0] = u[0] + C->bounce[a] - (w[0] * x[0] + w[1] * x[1] + w[2] * x[2]);
            b[1] = u[1] - (w[1] * x[0] + w[3] * x[1] + w[4] * x[2]);
            b[2] = u[2] - (w[2] * x[0] + w[4] * x[1] + w[5] * x[2]);
            contact_solve(w, b, size_of[a] == 3 ? C->mu[a] : K(0.0), m, new_);
            for (int i = 0; i < 3; i++) d[i] = new_[i] - x[i];
            contact_push(C, a, m, d);
            const real most = larger(fabs(d[0]), larger(fabs(d[1]), fabs(d[2])));
            change = SELECT(m, larger(change, most), change);
            largest = SELECT(m, larger(largest, larger(new_[0], x[0])), largest);
            for (int i = 0; i < 3; i++) x[i] = SELECT(m, new_[i], x[i]);
        }
        *sweeps = SELECT(open, *sweeps + K(1.0), *sweeps);
        open = open & NO(change <= K(CONE_TOLERANCE) * largest);
        if (!(SOME(open))) break;
#if defined(LANES)
        if (k == SLOW && k < MAX_SWEEPS) {
            slow = open;
            break;
        }
#endif
    }
    return slow;
}

/* What impulses lack to be those of their velocities, by the largest of them (`violation` of cone.c). */
FUNCTION real contact_residual(const struct contacts *C) {
    real most = K(0.0), top = K(0.0);
    ROLL
    for (int a = 0; a < N_CONTACTS; a++) {
        const MASK m = C->on[a] > K(0.5);
        if (!(SOME(m))) continue;
        const real *const w = C->w + 6 * a, *const x = C->x + 3 * a, mu = size_of[a] == 3 ? C->mu[a] : K(0.0);
        real u[3];
        contact_velocity(C, a, C->s, u);
        const real slip = sqrt(u[1] * u[1] + u[2] * u[2]), r = K(1.0) / larger(w[0], larger(w[3], w[5]));
        const real n = x[0] - r * (u[0] + C->bounce[a] + mu * slip), y = x[1] - r * u[1], z = x[2] - r * u[2];
        const real t = sqrt(y * y + z * z), k = (mu * t + n) / (K(1.0) + mu * mu);
        const MASK polar = mu * t <= -n, outside = t > mu * n;
        const real shrunk = SELECT(t > K(0.0), mu * k / t, K(0.0)), f = SELECT(polar, K(0.0), SELECT(outside, shrunk, K(1.0)));
        const real pn = SELECT(polar, K(0.0), SELECT(outside, k, n));
        const real lack = larger(fabs(pn - x[0]), larger(fabs(f * y - x[1]), fabs(f * z - x[2])));
        most = SELECT(m, larger(most, lack), most);
        top = SELECT(m, larger(top, x[0]), top);
    }
    return SELECT(top > K(0.0), most / top, K(0.0));
}

/* v = L^-1 D^-1/2 s */
FUNCTION void contact_solve_back(const struct contacts *C, const real *s, real *v) {
    for (int k = 0; k < N_VELOCITIES; k++) {
        real t = C->d[k] * s[k];
        for (int i = L_start[k]; i < L_start[k + 1]; i++) t -= C->L[i] * v[L_column[i]];
        v[k] = t;
    }
}

/* Displacement (as s) that closes the gaps of contacts that push, and takes others out of what they penetrate, into
 * `r`; returns the members that need one. */
FUNCTION MASK contact_gaps(struct contacts *C, MASK alive, real h) {
    const MASK none = alive & NO(alive);
    MASK needed = none;
    for (int i = 0; i < N_VELOCITIES; i++) C->r[i] = K(0.0);
    ROLL
    for (int a = 0; a < N_CONTACTS; a++) {
        const MASK m = alive & (C->on[a] > K(0.5));
        real u[3];
        C->lambda[a] = K(0.0);
        if (!(SOME(m))) continue;
        contact_velocity(C, a, C->s, u);
        const real gap = C->g[a] + K(THETA) * h * u[0];
        const MASK rebounds = C->bounce[a] < K(0.0), stays = (C->x[3 * a] > K(0.0)) & NO(rebounds);
        C->stays[a] = SELECT(stays, K(1.0), K(0.0));
        C->gap[a] = SELECT(rebounds, larger(gap, K(0.0)), gap);
        needed = needed | (m & ((C->gap[a] < K(-MARGIN)) | (stays & (gap > K(MARGIN)))));
    }
    MASK open = needed;
    ROLL
    for (int k = 0; k < CORRECTIONS && SOME(open); k++) {
        real change = K(0.0);
        ROLL
        for (int a = 0; a < N_CONTACTS; a++) {
            const MASK m = open & (C->on[a] > K(0.5));
            if (!(SOME(m))) continue;
            const int n = count_of[a], *const at = support_of + support_start[a];
            const real *const y = C->Y + value_start[a], w = C->w[6 * a];
            real gap = C->gap[a];
            for (int i = 0; i < n; i++) gap += y[i] * C->r[at[i]];
            const real free_ = C->lambda[a] - gap / w;
            const real next = SELECT(C->stays[a] > K(0.5), free_, larger(K(0.0), free_)), d = next - C->lambda[a];
            C->lambda[a] = SELECT(m, next, C->lambda[a]);
            for (int i = 0; i < n; i++) {
                const real old = C->r[at[i]];
                C->r[at[i]] = SELECT(m & (d != K(0.0)), old + y[i] * d, old);
            }
            change = SELECT(m, larger(change, fabs(d) * w), change);
        }
        open = open & NO(change <= K(0.01 * MARGIN));
    }
    return needed;
}

/* Which contacts act in the step: closed, or closed at its end. Returns the members with a pair that must be swept. */
FUNCTION MASK contact_choose(struct contacts *C, MASK alive, real t, real h, const real *x, const real *xm, const real *p,
                             real *w) {
    MASK leaves = alive & NO(alive);
#if MANY
    int given = 0;
    C->values[given++] = t;
    for (int j = 0; j < N_STATES; j++) C->values[given++] = xm[j];
    for (int j = 0; j < N_PARAMETERS; j++) C->values[given++] = p[j];
    for (int j = 0; j < N_L; j++) C->values[given++] = C->L[j];
    for (int j = 0; j < N_VELOCITIES; j++) C->values[given++] = C->d[j];
#else
    (void)t, (void)xm, (void)p, (void)w;
#endif
    ROLL
    for (int a = 0; a < N_CONTACTS; a++) {
        real *const y = C->Y + value_start[a], *const u = C->u0 + row_start[a];
        MASK near_ = alive;
        C->on[a] = K(0.0);
#if MANY
        near_ = near_ & (C->g[a] <= K(MARGIN) + K(0.6) * h * C->pace[a] + K(FALL) * h * h);
        if (!(SOME(near_))) continue;
        for (int i = gather_start[a]; i < gather_start[a + 1]; i++)
            C->gathered[i - gather_start[a]] = C->values[gather_of[i]];
        const real *const in[] = {C->gathered};
        real *const out[] = {y, u};
        PAIRS(pair_of[a], in, out, w)
#endif
        const int *const at = support_of + support_start[a];
        real gained = K(0.0); /* in the step if it were open */
        for (int i = 0; i < count_of[a]; i++) gained += y[i] * C->s0[at[i]];
        MASK closes = C->g[a] + K(THETA) * h * (u[0] + gained) <= K(0.0);
        if (feature_of[a] < 1e299) {
            const real speed = size_of[a] == 3 ? sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) : fabs(u[0]);
            const MASK fast = speed * h > SPLAT(feature_of[a]);
            closes = closes & NO(fast);
            leaves = leaves | (near_ & fast & (C->g[a] <= K(0.6) * speed * h + K(MARGIN)));
        }
        const MASK on = near_ & ((C->g[a] <= K(MARGIN)) | closes);
        if (!(SOME(on))) continue;
        C->on[a] = SELECT(on, K(1.0), K(0.0));
        const MASK bounces = (u[0] < K(0.0)) & (C->e[a] != K(0.0)) & (-u[0] > K(2.0) * fabs(gained));
        C->bounce[a] = SELECT(bounces, C->e[a] * u[0], K(0.0));
        for (int i = 0; i < 3; i++)
            C->x[3 * a + i] = i < size_of[a] ? SELECT(on, h * x[FORCES + 3 * a + i], K(0.0)) : K(0.0);
        contact_block(C, a);
    }
    return leaves;
}

FUNCTION void rollout_step(instant t, instant h, const real *x, const real *c, const real *p, real *xm, real *rate,
                           real *next, real *w, MASK alive, const struct beside *B) {
    struct contacts *const C = (struct contacts *)rate;
    const real length = REAL(h), tm = REAL(t + h * (1.0 - THETA));
    MASK leaves;
    /* to the middle, with the old velocities */
    for (int i = 0; i < N_VELOCITIES; i++) C->dv[i] = K(1.0 - THETA) * length * x[N_COORDINATES + i];
    {
        const real *const in[] = {x, C->dv, p};
        real *const out[] = {xm, xm + N_COORDINATES};
        MOVE(in, out, w)
    }
    for (int j = N_COORDINATES + N_VELOCITIES; j < N_STATES; j++) next[j] = xm[j] = x[j];
    {
        const real *const in[] = {&tm, xm, c, p, &length};
#if MANY
        real *const out[] = {C->L, C->d, C->s0, C->g, C->e, C->mu, C->b, C->pace};
#else
        real *const out[] = {C->L, C->d, C->s0, C->g, C->e, C->mu, C->b, C->Y, C->u0};
#endif
        CHUNKS(in, out, w)
    }
    leaves = contact_choose(C, alive, tm, length, x, xm, p, w);
    real sweeps = K(0.0);
    MASK touched = alive & NO(alive);
    ROLL
    for (int a = 0; a < N_CONTACTS; a++) touched = touched | (C->on[a] > K(0.5));
    for (int i = 0; i < N_VELOCITIES; i++) C->s[i] = C->s0[i];
    if (SOME(touched)) leaves = leaves | contact_sweeps(C, touched & NO(leaves), &sweeps);
    contact_solve_back(C, C->s, C->dv);
    /* once more, with the mean of the bias at old and new velocities, where anything moves */
    real most = K(0.0);
    for (int i = 0; i < N_VELOCITIES; i++) most = larger(most, larger(fabs(xm[N_COORDINATES + i]), fabs(C->dv[i])));
    MASK again = alive & NO(leaves) & NO(most < K(STILL));
    if (SOME(again)) {
        /* `next` has the place for it: q there, and the new velocities */
        for (int j = 0; j < N_COORDINATES; j++) next[j] = xm[j];
        for (int i = 0; i < N_VELOCITIES; i++) next[N_COORDINATES + i] = xm[N_COORDINATES + i] + C->dv[i];
        const real *const in[] = {&tm, next, c, p};
        real *const out[] = {C->r};
        BIAS(in, out, w)
        for (int i = 0; i < N_VELOCITIES; i++) C->r[i] = K(0.5) * length * (C->b[i] - C->r[i]);
        for (int k = N_VELOCITIES - 1; k >= 0; k--)
            for (int i = L_start[k]; i < L_start[k + 1]; i++) C->r[L_column[i]] -= C->L[i] * C->r[k];
        real change = K(0.0), size = K(0.0);
        for (int i = 0; i < N_VELOCITIES; i++)
            change = larger(change, fabs(C->d[i] * C->r[i])), size = larger(size, fabs(C->s0[i]));
        again = again & NO(change <= K(1e-3 * CONE_TOLERANCE) * size);
        if (SOME(again)) {
            for (int i = 0; i < N_VELOCITIES; i++) C->s[i] = SELECT(again, C->s0[i] + C->d[i] * C->r[i], C->s[i]);
            if (SOME(touched & again)) leaves = leaves | contact_sweeps(C, touched & again, &sweeps);
            contact_solve_back(C, C->s, C->dv);
        }
    }
    /* forces, losses, the account of the solver, works */
    real loss = K(0.0);
    ROLL
    for (int a = 0; a < N_CONTACTS; a++) {
        const MASK m = C->on[a] > K(0.5);
        real work = K(0.0), u[3];
        for (int i = 0; i < 3; i++) next[FORCES + 3 * a + i] = K(0.0);
        if (!(SOME(m))) continue;
        contact_velocity(C, a, C->s, u);
        for (int i = 0; i < size_of[a]; i++) work += K(0.5) * C->x[3 * a + i] * (u[i] + C->u0[row_start[a] + i]);
        for (int i = 0; i < 3; i++) next[FORCES + 3 * a + i] = SELECT(m, C->x[3 * a + i] / length, K(0.0));
        next[LOSSES + a] = SELECT(m, x[LOSSES + a] - work, x[LOSSES + a]);
        loss = SELECT(m, loss + work, loss);
    }
    next[RESIDUAL] = SOME(touched) ? contact_residual(C) : K(0.0);
    next[SWEEPS] = sweeps;
    {
        const real *const in[] = {&tm, xm, c, p, &length, C->dv};
        real *const out[] = {C->zdot, C->work};
        FINISH(in, out, w)
    }
    for (int j = 0; j < N_INNER; j++) {
        const int k = N_COORDINATES + N_VELOCITIES + j;
        next[k] = x[k] + length * C->zdot[j];
    }
    next[WORK_INPUT] = x[WORK_INPUT] + C->work[0];
    loss = loss + C->work[1];
    /* on with the new velocities */
    for (int i = 0; i < N_VELOCITIES; i++) xm[N_COORDINATES + i] += C->dv[i];
    MASK closing = touched & NO(leaves);
    if (SOME(closing)) closing = contact_gaps(C, closing, length);
    if (SOME(closing)) {
        contact_solve_back(C, C->r, C->dv);
        const real *const in[] = {&tm, xm, C->dv, p};
        real *const out[] = {C->work};
        LIFT(in, out, w)
        loss = SELECT(closing, loss + C->work[0], loss);
    }
    for (int i = 0; i < N_VELOCITIES; i++) {
        const real way = K(THETA) * length * xm[N_COORDINATES + i];
        C->dv[i] = SELECT(closing, way + C->dv[i], way);
    }
    {
        const real *const in[] = {xm, C->dv, p};
        real *const out[] = {next, next + N_COORDINATES};
        MOVE(in, out, w)
    }
    next[WORK_LOSS] = x[WORK_LOSS] + loss;
    if (SOME(leaves)) step_again(B, leaves, t, h, x, c, p, next);
    /* What dies out would become denormal, and every operation on it a hundred times as slow. */
    for (int j = 0; j < N_STATES; j++) next[j] = SELECT(fabs(next[j]) < K(1e-150), K(0.0), next[j]);
    normalise(next);
}
#endif
