/* The linear algebra of constraints, M a + J^T lambda = f, J a = gamma; after dense.c.
 *
 * core/constraint_algebra.py is the same in NumPy, with the reasons and the sources; keep the two alike.
 */
#define RANK_TOLERANCE 1e-7
#define NOTHING 1e-300

/* M = R^T R and Y = R^-T J^T (nv x m), with an orthonormal basis U (nv x rank) of its columns. */
struct factors {
    int64_t nv, m, rank;
    double *R, *Y, *U, *lengths;
};

static int64_t factors_memory(int64_t nv, int64_t m) { return nv * nv + 2 * nv * m + m + 4; }

/* U (n x rank) of the columns of Y, each taken by its own length. */
FUNCTION int64_t basis_of(const double *Y, int64_t n, int64_t m, double *lengths, double *U, struct memory memory) {
    double *A = take(&memory, n * m), *heads = take(&memory, m), *betas = take(&memory, m), *u = take(&memory, n);
    int64_t *place = take_integers(&memory, m);
    for (int64_t j = 0; j < m; j++) {
        double s = 0.0;
        for (int64_t i = 0; i < n; i++) s += Y[i * m + j] * Y[i * m + j];
        lengths[j] = fmax(sqrt(s), NOTHING);
        for (int64_t i = 0; i < n; i++) A[i * m + j] = Y[i * m + j] / lengths[j];
    }
    const int64_t rank = pivoted_qr(A, n, m, 0, place, heads, betas, RANK_TOLERANCE, m);
    for (int64_t j = 0; j < rank; j++) {
        for (int64_t i = 0; i < n; i++) u[i] = i == j;
        for (int64_t k = rank - 1; k >= 0; k--) {
            double s = heads[k] * u[k];
            for (int64_t i = k + 1; i < n; i++) s += A[i * m + k] * u[i];
            s *= betas[k];
            u[k] -= s * heads[k];
            for (int64_t i = k + 1; i < n; i++) u[i] -= s * A[i * m + k];
        }
        for (int64_t i = 0; i < n; i++) U[i * rank + j] = u[i];
    }
    return rank;
}

/* Factorise M and the rows J (m x nv). 0 = ok, 1: the mass matrix is not positive definite. */
FUNCTION int factorise_rows(struct factors *F, const double *M, int64_t nv, const double *J, int64_t m,
                            struct memory *memory) {
    F->nv = nv, F->m = m;
    F->R = take(memory, nv * nv), F->Y = take(memory, nv * m), F->U = take(memory, nv * m);
    F->lengths = take(memory, m);
    for (int64_t i = 0; i < nv * nv; i++) F->R[i] = M[i];
    if (cholesky(F->R, nv, 0)) return 1;
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < nv; i++) F->Y[i * m + j] = J[j * nv + i];
    solve_lower(F->R, nv, F->Y, m);
    F->rank = m ? basis_of(F->Y, nv, m, F->lengths, F->U, *memory) : 0;
    return 0;
}

/* w <- w - U U^T w */
FUNCTION void without_reactions(const struct factors *F, double *w) {
    for (int pass = 0; pass < 2; pass++) /* twice: what is left is clean of U to rounding of its own size */
        for (int64_t j = 0; j < F->rank; j++) {
            double s = 0.0;
            for (int64_t i = 0; i < F->nv; i++) s += F->U[i * F->rank + j] * w[i];
            for (int64_t i = 0; i < F->nv; i++) w[i] -= s * F->U[i * F->rank + j];
        }
}

/* Shortest x with Y^T x = rhs. */
FUNCTION void least(const struct factors *F, const double *rhs, double *x, struct memory memory) {
    const int64_t nv = F->nv, m = F->m;
    double *Yt = take(&memory, m * nv), *b = take(&memory, m);
    for (int64_t j = 0; j < m; j++) {
        b[j] = rhs[j] / F->lengths[j];
        for (int64_t i = 0; i < nv; i++) Yt[j * nv + i] = F->Y[i * m + j] / F->lengths[j];
    }
    lstsq(Yt, m, nv, b, x, 0.0, F->rank, memory);
}

/* Multipliers of least norm with Y lambda = w, as nearly as there are. */
FUNCTION void shares_of(const struct factors *F, const double *w, double *lambda, struct memory memory) {
    if (F->m) lstsq(F->Y, F->nv, F->m, w, lambda, 0.0, F->rank, memory);
}

static int64_t minimum_norm_memory(int64_t nv, int64_t m) {
    return factors_memory(nv, m) + 2 * nv * m + 2 * lstsq_memory(nv + m, nv + m) + 8 * (nv + m) + 32;
}

/* M a + J^T lambda = force, J a = gamma with the multipliers of least norm; lambda may be 0. 0 = ok. */
FUNCTION int minimum_norm(const double *M, int64_t nv, const double *force, const double *J, int64_t m,
                          const double *gamma, double *a, double *lambda, struct memory memory) {
    struct factors F;
    if (factorise_rows(&F, M, nv, J, m, &memory)) return 1;
    double *f = take(&memory, nv), *g = take(&memory, m), *w = take(&memory, nv), *rhs = take(&memory, m),
           *taken = take(&memory, nv), *more = take(&memory, m), *all = take(&memory, m);
    for (int64_t i = 0; i < nv; i++) f[i] = force[i], a[i] = 0.0;
    for (int64_t j = 0; j < m; j++) g[j] = gamma[j];
    for (int round = 0; round < 2; round++) { /* what is left of the equations is solved for once more */
        for (int64_t i = 0; i < nv; i++) w[i] = f[i], taken[i] = 0.0;
        solve_lower_one(F.R, nv, w);
        for (int64_t j = 0; j < m; j++) {
            double s = -g[j];
            for (int64_t i = 0; i < nv; i++) s += F.Y[i * m + j] * w[i];
            rhs[j] = s;
        }
        if (m) least(&F, rhs, taken, memory);
        for (int64_t i = 0; i < nv; i++) w[i] -= taken[i];
        solve_upper(F.R, nv, w);
        for (int64_t i = 0; i < nv; i++) a[i] += w[i];
        shares_of(&F, taken, more, memory);
        for (int64_t j = 0; j < m; j++) all[j] += more[j];
        if (round) break;
        for (int64_t i = 0; i < nv; i++) {
            double s = force[i] - dot(M + i * nv, a, nv);
            for (int64_t j = 0; j < m; j++) s -= J[j * nv + i] * all[j];
            f[i] = s;
        }
        for (int64_t j = 0; j < m; j++) g[j] = gamma[j] - dot(J + j * nv, a, nv);
    }
    if (lambda)
        for (int64_t j = 0; j < m; j++) lambda[j] = all[j];
    return 0;
}

static int64_t pulling_memory(int64_t rows, int64_t n) { return rows * n + 2 * rows + 5 * n + lstsq_memory(rows, n) + 16; }

/* Multipliers x >= 0 with violation - X^T X x <= 0, zero where that is negative; X (rows x n). 1 if there are such.
 * The dual active-set method of Goldfarb and Idnani (1983). */
FUNCTION int pulling(const double *X, int64_t rows, int64_t n, const double *violation, double tolerance, double *x,
                     struct memory memory) {
    double *A = take(&memory, rows * n), *Xx = take(&memory, rows), *own = take(&memory, rows),
           *share = take(&memory, n), *column = take(&memory, rows);
    int64_t *taken = take_integers(&memory, n), *out = take_integers(&memory, n), count = 0;
    int feasible = 1;
    for (int64_t i = 0; i < n; i++) x[i] = 0.0;
    for (int64_t round = 0; round < 20 * n + 20; round++) {
        int64_t j = -1;
        double most = 0.0;
        multiply(X, rows, n, x, Xx);
        for (int64_t i = 0; i < n; i++) {
            double left = violation[i];
            int is_taken = 0;
            for (int64_t k = 0; k < count; k++) is_taken |= taken[k] == i;
            if (is_taken || out[i]) continue;
            for (int64_t r = 0; r < rows; r++) left -= X[r * n + i] * Xx[r];
            if (j < 0 || left > most) most = left, j = i;
        }
        if (j < 0 || most <= tolerance) break;
        for (;;) { /* row j takes up what it can until it holds; a row that would push is let go */
            double whole = INFINITY, part = INFINITY;
            int64_t first = -1;
            for (int64_t r = 0; r < rows; r++) {
                column[r] = X[r * n + j];
                for (int64_t k = 0; k < count; k++) A[r * count + k] = X[r * n + taken[k]];
            }
            if (count) lstsq(A, rows, count, column, share, 1e-15 * (double)(rows + count), count, memory);
            for (int64_t r = 0; r < rows; r++) own[r] = column[r] - dot(A + r * count, share, count);
            if (norm(own, rows) > RANK_TOLERANCE) {
                multiply(X, rows, n, x, Xx);
                whole = (violation[j] - dot(column, Xx, rows)) / dot(own, own, rows);
            }
            for (int64_t k = 0; k < count; k++)
                if (share[k] > 1e-12 && x[taken[k]] / share[k] < part) part = x[taken[k]] / share[k], first = k;
            const double step = fmin(whole, part);
            if (step == INFINITY) {
                out[j] = 1, x[j] = 0.0, feasible = 0;
                break;
            }
            for (int64_t k = 0; k < count; k++) x[taken[k]] -= step * share[k];
            x[j] += step;
            if (whole <= part) {
                taken[count++] = j;
                break;
            }
            x[taken[first]] = 0.0;
            for (int64_t k = first; k + 1 < count; k++) taken[k] = taken[k + 1];
            count--;
        }
    }
    return feasible;
}

static int64_t least_constraint_memory(int64_t nv, int64_t m) {
    return factors_memory(nv, m) + 4 * nv * m + 8 * (nv + m) + pulling_memory(nv, m) + lstsq_memory(nv + m, nv + m) + 64;
}

/* M a + J^T lambda = force where each row holds, or (if it only pulls) holds or opens: Gauss' principle with
 * inequalities. `opening` is J a - gamma. 0 = ok, 1: the mass matrix is not positive definite. */
FUNCTION int least_constraint(const double *M, int64_t nv, const double *force, const double *J, int64_t m,
                              const double *gamma, const int64_t *pulls, double tolerance, double *a, double *lambda,
                              double *opening, int *feasible, struct memory memory) {
    double *held = take(&memory, m * nv), *right_held = take(&memory, m), *right = take(&memory, m),
           *Y = take(&memory, nv * m), *X = take(&memory, nv * m), *sizes = take(&memory, m),
           *violation = take(&memory, m), *found = take(&memory, m), *w = take(&memory, nv), *free = take(&memory, nv),
           *z = take(&memory, nv), *shift = take(&memory, nv);
    int64_t n_held = 0, n = 0;
    struct factors F;
    for (int64_t j = 0; j < m; j++) {
        if (pulls[j]) {
            right[n++] = gamma[j];
            continue;
        }
        for (int64_t i = 0; i < nv; i++) held[n_held * nv + i] = J[j * nv + i];
        right_held[n_held++] = gamma[j];
    }
    if (factorise_rows(&F, M, nv, held, n_held, &memory)) return 1;
    for (int64_t i = 0; i < nv; i++) free[i] = force[i];
    solve_lower_one(F.R, nv, free);
    for (int64_t i = 0; i < nv; i++) z[i] = free[i];
    without_reactions(&F, z);
    if (n_held) least(&F, right_held, shift, memory);
    for (int64_t i = 0; i < nv; i++) z[i] += shift[i];
    double scale = norm(z, nv) + NOTHING, most = 0.0;
    for (int64_t j = 0, k = 0; j < m; j++) {
        if (!pulls[j]) continue;
        for (int64_t i = 0; i < nv; i++) w[i] = J[j * nv + i];
        solve_lower_one(F.R, nv, w);
        sizes[k] = fmax(norm(w, nv), NOTHING);
        violation[k] = (dot(w, z, nv) - right[k]) / sizes[k];
        most = fmax(most, fabs(right[k] / sizes[k]));
        for (int64_t i = 0; i < nv; i++) Y[i * n + k] = w[i];
        without_reactions(&F, w); /* what the rows that only pull can do besides those that hold */
        for (int64_t i = 0; i < nv; i++) X[i * n + k] = w[i] / sizes[k];
        k++;
    }
    scale += most;
    *feasible = pulling(X, nv, n, violation, tolerance * scale, found, memory);
    for (int64_t i = 0; i < nv; i++) z[i] -= dot(X + i * n, found, n);
    for (int64_t k = 0; k < n; k++) found[k] /= sizes[k];
    for (int64_t i = 0; i < nv; i++) w[i] = free[i] - z[i] - dot(Y + i * n, found, n);
    shares_of(&F, w, right_held, memory);
    for (int64_t j = 0, k = 0, h = 0; j < m; j++) lambda[j] = pulls[j] ? found[k++] : right_held[h++];
    for (int64_t i = 0; i < nv; i++) a[i] = z[i];
    solve_upper(F.R, nv, a);
    for (int64_t j = 0; j < m; j++) opening[j] = dot(J + j * nv, a, nv) - gamma[j];
    return 0;
}
