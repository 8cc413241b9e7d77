/* Blocks and their laws as one problem, by block Gauss-Seidel, for one run, lanes and the threads of a GPU.
 *
 * Impulses x of all blocks and velocities u = u0 + Y s, s = s0 + Y^T x, in which every block obeys its law (laws.h); with
 * a rebound, for u_n + e u_n(before) in the place of u_n. Rows of Y are those of J L^-T D^-1/2 with M = L^T D L: Y Y^T
 * is the Delassus matrix J M^-1 J^T, of which only diagonal blocks are formed. A row has entries at the joints between
 * the root and the bodies that touch only. See J. J. Moreau, in "Nonsmooth Mechanics and Applications", 1988; F.
 * Jourdan, P. Alart, M. Jean, Computer Methods in Applied Mechanics and Engineering 155 (1998) 31-47 (Gauss-Seidel); O.
 * Bonnefon, G. Daviet, INRIA report 7595, 2011 (the local problem has a solution where the block is positive definite).
 *
 * A `stepper` has arrays of tapes and of the unknowns; sizes and tables of the machine come through macros of the
 * block's number a: SIZE, COUNT, AT, ROW, VALUES, LAW, BLOCK, MU; ON is whose block acts. Lanes and GPUs know them when
 * they are compiled (rollout/contacts.h), a single run reads them from memory (moreau.h). `active` lists the
 * blocks that act in some member. */
#if STEPPING

FUNCTION void law_make(int law, INDEX n, real *B) {
    (void)n;
    if (law == COULOMB) coulomb_make(B);
#if ROPES
    else if (law == ROPE) rope_make(n, B);
#endif
#if RESISTANCES
    else if (law == RESISTED) resisted_make(B);
#endif
    else unilateral_make(B);
}

/* x has the impulses of the last sweep before, of which ropes and contacts that resist rolling begin. */
FUNCTION void law_solve(int law, INDEX n, real *B, const real *b, const real *mu, MASK m, real *x) {
    (void)n;
    if (law == COULOMB) coulomb_solve(B, b, mu[0], m, x);
    else if (law == STICTION) stiction_solve(B, b, mu[0], x);
#if ROPES
    else if (law == ROPE) rope_solve(n, B, b, mu, m, x);
#endif
#if RESISTANCES
    else if (law == RESISTED) resisted_solve(B, b, mu, x);
#endif
    else unilateral_solve(B, b, x);
}

FUNCTION real law_violation(int law, INDEX n, const real *B, const real *u, const real *mu, const real *x) {
    (void)n;
    if (law == COULOMB) return coulomb_violation(B, u, mu[0], x);
#if ROPES
    if (law == ROPE) return rope_violation(n, B, u, mu, x);
#endif
#if RESISTANCES
    if (law == RESISTED) return resisted_violation(B, u, mu, x);
#endif
    return law == STICTION ? stiction_violation(B, u, mu[0], x) : unilateral_violation(B, u, x);
}

/* u = u0 + Y s of a block. */
FUNCTION void block_velocity(const stepper *C, INDEX a, const real *s, real *u) {
    const INDEX n = COUNT(a), *const at = AT(a);
    const real *const y = C->Y + VALUES(a), *const u0 = C->u0 + ROW(a);
    if (SIZE(a) == 3) {
        real a0 = u0[0], a1 = u0[1], a2 = u0[2];
        for (INDEX i = 0; i < n; i++) {
            const real si = s[at[i]];
            a0 += y[i] * si, a1 += y[n + i] * si, a2 += y[2 * n + i] * si;
        }
        u[0] = a0, u[1] = a1, u[2] = a2;
        return;
    }
    for (INDEX k = 0; k < SIZE(a); k++) {
        real sum = u0[k];
        for (INDEX i = 0; i < n; i++) sum += y[k * n + i] * s[at[i]];
        u[k] = sum;
    }
}

/* s += Y^T dx of a block. */
FUNCTION void block_push(const stepper *C, INDEX a, MASK m, const real *dx, real *s) {
    const INDEX n = COUNT(a), *const at = AT(a);
    const real *const y = C->Y + VALUES(a);
    if (!(SOME(m))) return;
    if (SIZE(a) == 3) {
        for (INDEX i = 0; i < n; i++) {
            const real si = s[at[i]];
            s[at[i]] = SELECT(m, si + (y[i] * dx[0] + y[n + i] * dx[1] + y[2 * n + i] * dx[2]), si);
        }
        return;
    }
    for (INDEX k = 0; k < SIZE(a); k++)
        for (INDEX i = 0; i < n; i++) {
            const real si = s[at[i]];
            s[at[i]] = SELECT(m, si + y[k * n + i] * dx[k], si);
        }
}

#if ROPES
/* y <- the row of the rate at which a gap closes: of a rope the sum of all its rows. */
FUNCTION real summed(INDEX n, INDEX rows, const real *y, INDEX i) {
    real sum = y[i];
    for (INDEX k = 1; k < rows; k++) sum += y[k * n + i];
    return sum;
}
#define ALONG(a, y, i) (LAW(a) == ROPE ? summed(COUNT(a), SIZE(a), y, i) : (y)[i])
#define OPENING(a, u) (LAW(a) == ROPE ? summed(1, SIZE(a), u, 0) : (u)[0])
#else
#define ALONG(a, y, i) (y)[i]
#define OPENING(a, u) (u)[0]
#endif

/* Rows of contacts, cables and ropes turn with the machine, so that velocities that obey them at the start of a step do not do so in its
 * middle. The condition is on u+ + u0 - u(start) in the place of u+; `bent` has u0 - u(start). */
#if !defined(COLLIDES)
#define COLLIDES(a) 0
#endif
#define IS_BENT(a) (ROW(a) < N_BENT || COLLIDES(a))
#define TURN(a) (C->bent + ROW(a))
#define BEFORE(a) ((N_HELD_ROWS || IS_BENT(a) ? C->before : C->u0) + ROW(a))

/* Rows of contacts turn while they push: the normal of one that pushed in the step before, tangents too if it stuck. */
#define IS_CONTACT(a) (ROW(a) < FIRST_BENT || COLLIDES(a))

/* For members m, of rows behind the first for members `all`; others have no turn. */
FUNCTION void bend(stepper *C, INDEX a, MASK m, MASK all) {
    for (INDEX i = 0; i < SIZE(a); i++) {
        const real turn = i ? SELECT(all, TURN(a)[i], K(0.0)) : SELECT(m, TURN(a)[i], K(0.0));
        TURN(a)[i] = turn;
        C->before[ROW(a) + i] = (N_HELD_ROWS ? C->before : C->u0)[ROW(a) + i] - turn;
        C->u0[ROW(a) + i] += turn;
    }
}

/* Back, for members m. */
FUNCTION void unbend(stepper *C, INDEX a, MASK m) {
    for (INDEX i = 0; i < SIZE(a); i++) {
        const real turn = SELECT(m, TURN(a)[i], K(0.0));
        TURN(a)[i] -= turn, C->before[ROW(a) + i] += turn, C->u0[ROW(a) + i] -= turn;
    }
}

/* W of a block and the data that its law keeps. */
FUNCTION void block_make(stepper *C, INDEX a) {
    const INDEX n = COUNT(a);
    const real *const y = C->Y + VALUES(a);
    real *const B = BLOCK(a);
    if (SIZE(a) == 3) {
        const real *const z = y + n, *const q = z + n;
        real w0 = K(0.0), w1 = K(0.0), w2 = K(0.0), w3 = K(0.0), w4 = K(0.0), w5 = K(0.0);
        for (INDEX i = 0; i < n; i++) {
            w0 += y[i] * y[i], w1 += y[i] * z[i], w2 += y[i] * q[i];
            w3 += z[i] * z[i], w4 += z[i] * q[i], w5 += q[i] * q[i];
        }
        B[0] = w0, B[1] = w1, B[2] = w2, B[3] = w3, B[4] = w4, B[5] = w5;
    } else {
        real *to = B;
        for (INDEX j = 0; j < SIZE(a); j++)
            for (INDEX k = j; k < SIZE(a); k++) {
                real sum = K(0.0);
                for (INDEX i = 0; i < n; i++) sum += y[j * n + i] * y[k * n + i];
                *to++ = sum;
            }
    }
    SOFTEN(a, B)
    law_make(LAW(a), SIZE(a), B);
}

/* Impulses y of the rows that always hold (bilateral.h), from increments of Q s. */
FUNCTION void held_back(const stepper *C, real *y) {
    for (INDEX i = N_HELD_ROWS - 1; i >= 0; i--) {
        y[i] = y[i] * C->T[i * N_HELD_ROWS + i];
        for (INDEX j = 0; j < i; j++) y[j] -= C->T[i * N_HELD_ROWS + j] * y[i];
    }
}

#if LOADS
#define MOVES 1e-9 /* rate from which on a joint moves */
#define HAS_TUGS(a) (TUG_START((a) + 1) > TUG_START(a))
#define IS_LOADED(a) (LAW(a) == STICTION && (LOAD(a) >= 0 || HAS_TUGS(a)))

/* Limit of the bearing of a turning sheave: the part c of the impulses of the tensions beside it, as they are. */
FUNCTION void tug_limit(stepper *C, INDEX a) {
    real sum = K(0.0);
    ROLL
    for (INDEX k = 0; k < C->n_active; k++) {
        const INDEX o = C->active[k];
        const MASK m = ON(o);
        for (INDEX i = TUG_START(a); i < TUG_START(a + 1); i++)
            if (TUG(i) >= ROW(o) && TUG(i) < ROW(o) + SIZE(o)) sum += SELECT(m, larger(K(0.0), C->x[TUG(i)]), K(0.0));
    }
    MU(a)[0] = MU(a)[1] * sum;
}

/* Limit of a joint whose friction is at most the part c of a load N + G x, the others being as they are: by its load at rest
 * if it holds there, else the friction y with which it slips, y^2 = c^2 |N - d G y|^2 along d. A gear that locks itself may
 * do either: it does what it did. Where there is no y, the slip is stopped. */
FUNCTION void load_limit(stepper *C, INDEX a, const real *B, real b, real x) {
    real *const now = C->held_phi, *const own = C->held_u0; /* free while blocks are swept */
    const real c = MU(a)[1], rest = -b * B[1], d = SELECT(b < K(0.0), K(-1.0), K(1.0));
    for (INDEX i = 0; i < N_HELD_ROWS; i++) now[i] = C->held_x[i], own[i] = -C->P[ROW(a) * N_HELD_ROWS + i];
    ROLL
    for (INDEX k = 0; k < C->n_active; k++) {
        const INDEX o = C->active[k];
        const MASK m = ON(o);
        for (INDEX j = 0; j < SIZE(o); j++)
            for (INDEX i = 0; i < N_HELD_ROWS; i++)
                now[i] -= SELECT(m, C->P[(ROW(o) + j) * N_HELD_ROWS + i] * (C->x[ROW(o) + j] - (j ? K(0.0) : HOLD(o))), K(0.0));
    }
    held_back(C, now), held_back(C, own);
    real NN = K(0.0), NG = K(0.0), GG = K(0.0);
    for (INDEX i = LOAD(a); i < LOAD(a) + LOAD_COUNT(a); i++) {
        const real N = now[i] - own[i] * x;
        NN += N * N, NG += N * own[i], GG += own[i] * own[i];
    }
    const real at_rest = c * sqrt(larger(K(0.0), NN + K(2.0) * NG * rest + GG * rest * rest));
    const real A = K(1.0) - c * c * GG, H = c * c * d * NG, E = c * c * NN, root = H * H + A * E;
    const real far = -(H + copysign(sqrt(larger(K(0.0), root)), H));
    const real one = SELECT(A != K(0.0), far / SELECT(A != K(0.0), A, K(1.0)), K(-1.0));
    const real two = SELECT(far != K(0.0), -E / SELECT(far != K(0.0), far, K(1.0)), K(0.0));
    const MASK first = (one >= K(0.0)) & (one <= fabs(rest)), second = (two >= K(0.0)) & (two <= fabs(rest));
    const real least = SELECT(first & (NO(second) | (one < two)), one, two);
    const MASK moves = BEFORE(a)[0] * d > K(MOVES);
    const MASK slips = (root >= K(0.0)) & (first | second) & (moves | (fabs(rest) > at_rest));
    MU(a)[0] = SELECT(slips, least, larger(at_rest, fabs(rest)));
}
#else
#define IS_LOADED(a) 0
#endif

/* Impulses of a block of members m with the others as they are; the largest change and impulse go to `change` and
 * `largest`. */
FUNCTION void block_sweep(stepper *C, INDEX a, MASK m, real *change, real *largest) {
    real *const B = BLOCK(a), *const x = C->x + ROW(a), u[MOST_ROWS], b[MOST_ROWS], new_[MOST_ROWS], d[MOST_ROWS], most;
    block_velocity(C, a, C->s, u);
    if (SIZE(a) == 3) {
        b[0] = u[0] - (B[0] * x[0] + B[1] * x[1] + B[2] * x[2]);
        b[1] = u[1] - (B[1] * x[0] + B[3] * x[1] + B[4] * x[2]);
        b[2] = u[2] - (B[2] * x[0] + B[4] * x[1] + B[5] * x[2]);
    } else {
        const real *w = B;
        for (INDEX j = 0; j < SIZE(a); j++) b[j] = u[j];
        for (INDEX j = 0; j < SIZE(a); j++, w++) {
            b[j] -= *w * x[j];
            for (INDEX k = j + 1; k < SIZE(a); k++) w++, b[j] -= *w * x[k], b[k] -= *w * x[j];
        }
    }
    b[0] += C->bounce[a];
    YIELD(a, x, b)
#if LOADS
    if (IS_LOADED(a) && HAS_TUGS(a)) tug_limit(C, a);
    else if (IS_LOADED(a)) load_limit(C, a, B, b[0], x[0]);
#endif
    if (LAW(a) >= ROPE)
        for (INDEX i = 0; i < SIZE(a); i++) new_[i] = x[i];
    law_solve(LAW(a), SIZE(a), B, b, MU(a), m, new_);
    d[0] = new_[0] - x[0], most = fabs(d[0]);
    for (INDEX i = 1; i < SIZE(a); i++) d[i] = new_[i] - x[i], most = larger(most, fabs(d[i]));
    block_push(C, a, m, d, C->s);
    if (LAW(a) == STICTION) most = SELECT(most <= K(NOISE) * MU(a)[0], K(0.0), most);
    *change = SELECT(m, larger(*change, most), *change);
    *largest = SELECT(m, larger(*largest, larger(fabs(new_[0]), fabs(x[0]))), *largest);
    for (INDEX i = 0; i < SIZE(a); i++) x[i] = SELECT(m, new_[i], x[i]);
}
#endif
