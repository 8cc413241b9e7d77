/* Rows that hold regardless of the others (loops, welds, gears, prescribed motion, cables that also push): u = 0.
 *
 * They are eliminated, not swept. With rows Y_b = J_b L^-T D^-1/2 of N_HELD_ROWS, Y_b = T Q with orthonormal rows of Q
 * and a lower triangle T (Gram-Schmidt, twice): rows that depend on earlier ones have a zero row of Q and no effect, so
 * that a planar loop that is welded in space is no problem. Y_b s = c fixes Q s = T^-1 c =: zeta; rows of the blocks
 * are projected onto the rest, on which pushes of the blocks leave Q s as it is.
 *
 * The condition on the velocities is that the mean of those before and after the step obeys the rows in its middle, as
 * in the midpoint rule, less the error of those before at the start of the step: u+ = u(start) - u0. Loops then cost no
 * energy, smooth motion is of second order, and an error does not persist longer than a step. */
#if STEPPING
#define DEPENDENT 1e-8     /* part of a row that is left by the others, below which it depends on them */
#define MOST_DEPENDENT 1e-3 /* the same, where the machine moves fast */

/* T^-1 c of the rows; zero of those that depend on others. */
FUNCTION void held_forward(const stepper *C, real *c) {
    for (INDEX i = 0; i < N_HELD_ROWS; i++) {
        const real *const T = C->T + i * N_HELD_ROWS;
        for (INDEX j = 0; j < i; j++) c[i] -= T[j] * c[j];
        c[i] = c[i] * T[i];
    }
}

/* Below which square of the part that is left a row depends on others. Different constraints that demand the same do so
 * where all hold; the middle of a step is off by half of the square of the rotation of the rows in half a step. The change
 * of their velocities shows this rotation, the part rho of the rows. */
FUNCTION void held_rank(stepper *C, const real *v) {
    real speed = K(0.0), turned = K(0.0);
    for (INDEX k = 0; k < N_VELOCITIES; k++) {
        real sum = v[k];
        for (INDEX i = FACTOR(k); i < FACTOR(k + 1); i++) sum += C->L[i] * v[COLUMN(i)];
        sum = sum / C->d[k];
        speed += sum * sum;
    }
    for (INDEX i = 0; i < N_HELD_ROWS; i++) {
        const real *const y = C->Q + i * N_VELOCITIES, change = C->held_u0[i] - C->held_rate[i];
        real size = K(0.0);
        for (INDEX k = 0; k < N_VELOCITIES; k++) size += y[k] * y[k];
        const MASK counts = size * speed > K(0.0);
        turned = larger(turned, SELECT(counts, change * change / SELECT(counts, size * speed, K(1.0)), K(0.0)));
    }
    const real part = larger(K(DEPENDENT), K(10.0) * turned); /* turned is the square of rho */
    const real bounded = SELECT(part > K(MOST_DEPENDENT), K(MOST_DEPENDENT), part);
    C->rank = bounded * bounded;
}

/* Q, T (the inverse of whose diagonal is kept, 0 for rows that depend on others) and zeta, of the rows Y_b (in Q), their
 * velocities and those at the start of the step. */
FUNCTION void held_make(stepper *C) {
    for (INDEX i = 0; i < N_HELD_ROWS; i++) {
        real *const y = C->Q + i * N_VELOCITIES, *const T = C->T + i * N_HELD_ROWS;
        real before = K(0.0), after = K(0.0);
        for (INDEX k = 0; k < N_VELOCITIES; k++) before += y[k] * y[k];
        for (INDEX j = 0; j < i; j++) T[j] = K(0.0);
        ROLL
        for (int pass = 0; pass < 2; pass++)
            ROLL
            for (INDEX j = 0; j < i; j++) {
                const real *const q = C->Q + j * N_VELOCITIES;
                real part = K(0.0);
                for (INDEX k = 0; k < N_VELOCITIES; k++) part += q[k] * y[k];
                for (INDEX k = 0; k < N_VELOCITIES; k++) y[k] -= part * q[k];
                T[j] += part;
            }
        for (INDEX k = 0; k < N_VELOCITIES; k++) after += y[k] * y[k];
        const MASK counts = after > C->rank * before;
        const real inverse = SELECT(counts, K(1.0) / sqrt(SELECT(counts, after, K(1.0))), K(0.0));
        for (INDEX k = 0; k < N_VELOCITIES; k++) y[k] = y[k] * inverse;
        T[i] = inverse;
        C->zeta[i] = C->held_rate[i] - K(2.0) * C->held_u0[i];
    }
    held_forward(C, C->zeta);
}

/* s with Q s = zeta; the increment that had to be added to Q s, into z. */
FUNCTION void held_project(const stepper *C, MASK m, real *s, real *z) {
    for (INDEX i = 0; i < N_HELD_ROWS; i++) {
        const real *const q = C->Q + i * N_VELOCITIES;
        real lacks = C->zeta[i];
        for (INDEX k = 0; k < N_VELOCITIES; k++) lacks -= q[k] * s[k];
        z[i] = SELECT(m, lacks, z[i]);
        for (INDEX k = 0; k < N_VELOCITIES; k++) s[k] = SELECT(m, s[k] + lacks * q[k], s[k]);
    }
}

/* Project the rows of a block, whose parts along Q go to P; velocities u0 are then those at s = 0 in the rest, those
 * before the step are in `before`. Returns the members whose gap is not fully closed. */
FUNCTION MASK held_rows(stepper *C, INDEX a) {
    const INDEX n = COUNT(a), *const at = AT(a), first = ROW(a);
    const real *const rows = C->Y + VALUES(a);
    real full = K(0.0), left = K(0.0);
    for (INDEX k = 0; k < n; k++) full += ALONG(a, rows, k) * ALONG(a, rows, k);
    for (INDEX j = 0; j < SIZE(a); j++) {
        real *const y = C->Y + VALUES(a) + j * n, *const P = C->P + (first + j) * N_HELD_ROWS;
        C->before[first + j] = C->u0[first + j];
        for (INDEX i = 0; i < N_HELD_ROWS; i++) {
            const real *const q = C->Q + i * N_VELOCITIES;
            real part = K(0.0);
            for (INDEX k = 0; k < n; k++) part += q[at[k]] * y[k];
            for (INDEX k = 0; k < n; k++) y[k] -= part * q[at[k]];
            P[i] = part;
            C->u0[first + j] += part * C->zeta[i];
        }
    }
    for (INDEX k = 0; k < n; k++) left += ALONG(a, rows, k) * ALONG(a, rows, k);
    return left > C->rank * full;
}

/* Impulses of the rows, into z, which has the increment of Q s without the blocks. */
FUNCTION void held_impulses(const stepper *C, real *z) {
    ROLL
    for (INDEX k = 0; k < C->n_active; k++) {
        const INDEX a = C->active[k];
        const MASK m = ON(a);
        for (INDEX j = 0; j < SIZE(a); j++) {
            const real *const P = C->P + (ROW(a) + j) * N_HELD_ROWS, x = SELECT(m, C->x[ROW(a) + j], K(0.0));
            for (INDEX i = 0; i < N_HELD_ROWS; i++) z[i] -= P[i] * x;
        }
    }
    held_back(C, z);
}
#endif
