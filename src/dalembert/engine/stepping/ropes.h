/* The law of a rope over sheaves (laws.h), a block with a row of each span, for one run, lanes and the threads of a GPU.
 *
 * Rows are the rates u_j at which spans slacken, impulses x_j those of their tensions. `mu` has a number E = e^kappa of
 * each sheave: E[j - 1] is the largest ratio of the tensions before and after it. With w_j = u_0 + ... + u_{j-1}, which is
 * the slip past the sheave before span j, and the opening nu = w_n:
 *
 *     0 <= x_0,  nu >= 0,  x_0 nu = 0;    x_{j-1} / E <= x_j <= E x_{j-1},
 *     x_j = E x_{j-1} where w_j > 0,  x_j = x_{j-1} / E where w_j < 0
 *
 * The law is not associated: its solution is no minimum, but that of a linear system for given modes of the sheaves.
 * These are changed one by one, where the law is broken most, from the modes of the last step, then from sheaves that
 * stick, then from the modes of the given impulses, then at the first sheave that breaks the law, from sheaves that stick
 * or slip all one way. A failure shows
 * in the violation. Indeterminate impulses keep their values. A block keeps the upper triangle of W and the
 * inverse of its largest diagonal entry. */
#if STEPPING && ROPES

#define SEARCHES 6
#define SLIPS 1e-3 /* part of a tension by which it may be off its limit after a step in which a sheave slipped */
#define CHANGES(n) (4 * (n)) /* of modes in a search */

/* Where W_ij is in its upper triangle. */
FUNCTION INDEX entry_of(INDEX n, INDEX i, INDEX j) {
    const INDEX row = i < j ? i : j;
    return row * n - row * (row + 1) / 2 + (i < j ? j : i);
}

FUNCTION void rope_make(INDEX n, real *B) {
    real most = B[0];
    for (INDEX i = 1; i < n; i++) most = larger(most, B[entry_of(n, i, i)]);
    B[n * (n + 1) / 2] = K(1.0) / most;
}

/* w_1, ..., w_{n-1}, nu of impulses x into w[1 .. n]. */
FUNCTION void rope_slips(INDEX n, const real *B, const real *b, const real *x, real *w) {
    w[0] = K(0.0);
    for (INDEX i = 0; i < n; i++) {
        real u = b[i];
        for (INDEX j = 0; j < n; j++) u += B[entry_of(n, i, j)] * x[j];
        w[i + 1] = w[i] + u;
    }
}

/* A dx = r (n x (n + 1), overwritten) by elimination with pivots; unknowns without a pivot stay. Their rows are left for later ones: the
 * first spans of a rope may be those that cannot change their lengths. */
FUNCTION void rope_eliminate(INDEX n, real *A, real *dx) {
    const INDEX width = n + 1;
    MASK spare[MOST_ROWS];
    for (INDEX k = 0; k < n; k++) {
        for (INDEX i = 0; i < n; i++) {
            if (i == k || (i < k && !(SOME(spare[i])))) continue;
            const MASK larger_ = fabs(A[i * width + k]) > fabs(A[k * width + k]), more = i < k ? spare[i] & larger_ : larger_;
            if (!(SOME(more))) continue;
            for (INDEX j = k; j < width; j++) {
                const real one = A[k * width + j], two = A[i * width + j];
                A[k * width + j] = SELECT(more, two, one), A[i * width + j] = SELECT(more, one, two);
            }
        }
        const real pivot = A[k * width + k];
        const MASK none = fabs(pivot) <= K(1e3 * FINEST);
        const real inverse = SELECT(none, K(0.0), K(1.0) / SELECT(none, K(1.0), pivot));
        A[k * width + k] = inverse, spare[k] = none;
        for (INDEX i = 0; i < n; i++) {
            if (i == k || (i < k && !(SOME(spare[i])))) continue;
            const real part = i < k ? SELECT(spare[i], A[i * width + k] * inverse, K(0.0)) : A[i * width + k] * inverse;
            for (INDEX j = k + 1; j < width; j++) A[i * width + j] -= part * A[k * width + j];
        }
    }
    for (INDEX k = n - 1; k >= 0; k--) {
        real sum = A[k * width + n];
        for (INDEX j = k + 1; j < n; j++) sum -= A[k * width + j] * dx[j];
        dx[k] = sum * A[k * width + k];
    }
}

/* x becomes the impulses of given modes (1, 0, -1 of each sheave), w their slips. */
FUNCTION void rope_impulses(INDEX n, const real *B, const real *b, const real *E, const real *side, real *x, real *w) {
    const real r = B[n * (n + 1) / 2];
    real A[MOST_ROWS * (MOST_ROWS + 1)], dx[MOST_ROWS];
    rope_slips(n, B, b, x, w);
    for (INDEX j = 0; j < n; j++) { /* the condition of the sheave before span j; the first is that of the whole rope */
        const INDEX last = j ? j : n;
        real *const row = A + j * (n + 1);
        const MASK sticks = j ? (side[j] == K(0.0)) : (r == r);
        const real factor = j ? SELECT(side[j] > K(0.0), E[j - 1], K(1.0) / E[j - 1]) : K(0.0);
        for (INDEX k = 0; k < n; k++) {
            real sum = K(0.0);
            for (INDEX i = 0; i < last; i++) sum += B[entry_of(n, i, k)];
            const real slips = k == j ? K(1.0) : k == j - 1 ? -factor : K(0.0);
            row[k] = SELECT(sticks, r * sum, slips);
        }
        row[n] = SELECT(sticks, -r * w[last], j ? factor * x[j - 1] - x[j] : K(0.0));
    }
    rope_eliminate(n, A, dx);
    for (INDEX i = 0; i < n; i++) x[i] += dx[i];
    rope_slips(n, B, b, x, w);
}

FUNCTION void rope_solve(INDEX n, const real *B, const real *b, const real *E, MASK m, real *x) {
    const real r = B[n * (n + 1) / 2];
    real side[MOST_ROWS], w[MOST_ROWS + 1], start[MOST_ROWS], way[MOST_ROWS], total = K(0.0), size = K(0.0);
    rope_slips(n, B, b, x, w);
    for (INDEX i = 0; i < n; i++) {
        start[i] = larger(x[i], K(0.0));
        total += b[i], size = larger(size, larger(fabs(b[i]), start[i] / r));
    }
    for (INDEX j = 1; j < n; j++) {
        const real aim = start[j] + r * w[j];
        way[j] = SELECT(aim >= E[j - 1] * start[j - 1], K(1.0), SELECT(aim * E[j - 1] <= start[j - 1], K(-1.0), K(0.0)));
        /* a sheave still slips where the given impulses are at its limit and the slip is not reversed */
        const real up = E[j - 1] * start[j - 1] - start[j], down = E[j - 1] * start[j] - start[j - 1];
        const MASK on = (w[j] > K(1e4 * FINEST) * size) & (up < K(SLIPS) * start[j]);
        const MASK back = (w[j] < K(-1e4 * FINEST) * size) & (down < K(SLIPS) * start[j]);
        side[j] = SELECT(on, K(1.0), SELECT(back, K(-1.0), K(0.0)));
    }
    const MASK taut = m & (total < K(0.0));
    MASK open = taut;
    ROLL
    for (int change = 0; change < SEARCHES * CHANGES(n) && SOME(open); change++) {
        real y[MOST_ROWS], worst = K(0.0), at = K(0.0), mode = K(0.0), most = K(0.0);
        for (INDEX i = 0; i < n; i++) y[i] = start[i];
        rope_impulses(n, B, b, E, side, y, w);
        rope_impulses(n, B, b, E, side, y, w); /* the remainder due to rounding */
        for (INDEX i = 0; i < n; i++) x[i] = SELECT(open, y[i], x[i]), most = larger(most, fabs(y[i]));
        const real still = K(64.0 * FINEST) * larger(size, most / r), within_ = K(64.0 * FINEST) * most;
        for (INDEX j = 1; j < n; j++) {
            const real up = y[j] - E[j - 1] * y[j - 1], down = y[j - 1] - E[j - 1] * y[j];
            const MASK sticks = side[j] == K(0.0);
            const real over = larger(up, down), back = -side[j] * w[j] * r;
            real lack = SELECT(sticks, SELECT(over > within_, over, K(0.0)), SELECT(back > still * r, back, K(0.0)));
            real next = SELECT(sticks, SELECT(up > down, K(1.0), K(-1.0)), K(0.0));
            /* a span that cannot keep its length must slip */
            const MASK slides = sticks & (fabs(w[j]) > still);
            lack = SELECT(slides, fabs(w[j]) * r, lack), next = SELECT(slides, SELECT(w[j] > K(0.0), K(1.0), K(-1.0)), next);
            MASK more = lack > worst;
            if (change >= 3 * CHANGES(n)) more = more & (worst == K(0.0));
            worst = SELECT(more, lack, worst), at = SELECT(more, SPLAT((double)j), at), mode = SELECT(more, next, mode);
        }
        open = open & ((worst > K(0.0)) | NO(y[0] > K(0.0)));
        const int search = (change + 1) / CHANGES(n), anew = (change + 1) % CHANGES(n) == 0;
        for (INDEX j = 1; j < n; j++) {
            const real first = search == 2 ? way[j] : search == 4 ? K(1.0) : search == 5 ? K(-1.0) : K(0.0);
            side[j] = SELECT(open & (at == SPLAT((double)j)), mode, side[j]);
            if (anew) side[j] = SELECT(open, first, side[j]);
        }
    }
    const MASK pulls = taut & (x[0] > K(0.0));
    for (INDEX i = 0; i < n; i++) x[i] = SELECT(pulls, larger(x[i], K(0.0)), K(0.0));
}

FUNCTION real rope_violation(INDEX n, const real *B, const real *u, const real *E, const real *x) {
    const real r = B[n * (n + 1) / 2];
    real w = u[0], most = K(0.0);
    for (INDEX j = 1; j < n; j++) {
        const real top = E[j - 1] * x[j - 1], low = x[j - 1] / E[j - 1], aim = x[j] + r * w;
        most = larger(most, fabs(SELECT(aim > top, top, SELECT(aim < low, low, aim)) - x[j]));
        w += u[j];
    }
    return larger(most, fabs(larger(x[0] - r * w, K(0.0)) - x[0]));
}
#endif
