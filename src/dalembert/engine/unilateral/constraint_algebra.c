/* The linear algebra of constraints, M a + J^T lambda = f, J a = gamma; after dense.c.
 *
 * With Y = R^-T J^T (M = R^T R) everything is a question about the columns of Y. Rows that depend on others are no
 * exception: they are not seen, and multipliers are those of least norm.
 *
 * Rows that only pull: Gauss' principle of least constraint with inequalities. The machine takes the accelerations
 * nearest to the free ones in the metric of the mass matrix, among all with J a = gamma (rows that hold) and J a <=
 * gamma (rows that only pull). They are unique, and have multipliers lambda >= 0 of the pulling rows that vanish where
 * a row opens. The dual active-set method of D. Goldfarb and A. Idnani ("A numerically stable dual method for solving
 * strictly convex quadratic programs", 1983): violated rows are taken in one by one, rows that would push are let go.
 */
#define RANK_TOLERANCE 1e-7
#define NOTHING 1e-300

/* M = R^T R with rows J (m x nv) and Y = R^-T J^T (nv x m): shared by all computations of one instant. */
struct mass {
    int64_t nv, m;
    const double *M, *J;
    double *R, *Y;
};

static int64_t mass_memory(int64_t nv, int64_t m) { return nv * nv + nv * m + 2; }

/* 0 = ok, 1: the mass matrix is not positive definite. */
FUNCTION int factorise_mass(const struct mass *Q) {
    for (int64_t i = 0; i < Q->nv * Q->nv; i++) Q->R[i] = Q->M[i];
    if (cholesky(Q->R, Q->nv, 0)) return 1;
    for (int64_t i = 0; i < Q->nv; i++)
        for (int64_t j = 0; j < Q->m; j++) Q->Y[i * Q->m + j] = Q->J[j * Q->nv + i];
    solve_lower(Q->R, Q->nv, Q->Y, Q->m);
    return 0;
}

/* Column of Y. */
FUNCTION void column_of(const struct mass *Q, int64_t row, double *y) {
    for (int64_t i = 0; i < Q->nv; i++) y[i] = Q->Y[i * Q->m + row];
}

/* Some of the rows, their columns Y (nv x n), and an orthonormal basis U (nv x rank) of these. */
struct factors {
    const struct mass *mass;
    int64_t n, rank;
    double *Y, *U, *lengths;
};

static int64_t factors_memory(int64_t nv, int64_t m) { return 2 * nv * m + m + 4; }

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

/* Take these rows together. */
FUNCTION void take_rows(struct factors *F, const struct mass *Q, const int64_t *rows, int64_t n, struct memory *memory) {
    F->mass = Q, F->n = n;
    F->Y = take(memory, Q->nv * n), F->U = take(memory, Q->nv * n), F->lengths = take(memory, n);
    for (int64_t i = 0; i < Q->nv; i++)
        for (int64_t j = 0; j < n; j++) F->Y[i * n + j] = Q->Y[i * Q->m + rows[j]];
    F->rank = n ? basis_of(F->Y, Q->nv, n, F->lengths, F->U, *memory) : 0;
}

/* w <- w - U U^T w */
FUNCTION void without_reactions(const struct factors *F, double *w) {
    const int64_t nv = F->mass->nv;
    for (int pass = 0; pass < 2; pass++) /* twice: the remainder is clean of U to rounding of its own size */
        for (int64_t j = 0; j < F->rank; j++) {
            double s = 0.0;
            for (int64_t i = 0; i < nv; i++) s += F->U[i * F->rank + j] * w[i];
            for (int64_t i = 0; i < nv; i++) w[i] -= s * F->U[i * F->rank + j];
        }
}

/* Shortest x with Y^T x = rhs. */
FUNCTION void least(const struct factors *F, const double *rhs, double *x, struct memory memory) {
    const int64_t nv = F->mass->nv, n = F->n;
    double *Yt = take(&memory, n * nv), *b = take(&memory, n);
    for (int64_t j = 0; j < n; j++) {
        b[j] = rhs[j] / F->lengths[j];
        for (int64_t i = 0; i < nv; i++) Yt[j * nv + i] = F->Y[i * n + j] / F->lengths[j];
    }
    lstsq(Yt, n, nv, b, x, 0.0, F->rank, memory);
}

/* Multipliers of least norm with Y lambda = w, as nearly as there are. */
FUNCTION void shares_of(const struct factors *F, const double *w, double *lambda, struct memory memory) {
    if (F->n) lstsq(F->Y, F->mass->nv, F->n, w, lambda, 0.0, F->rank, memory);
}

static int64_t minimum_norm_memory(int64_t nv, int64_t m) {
    return factors_memory(nv, m) + 2 * nv * m + 2 * lstsq_memory(nv + m, nv + m) + 8 * (nv + m) + 32;
}

/* M a + J^T lambda = force, J a = gamma of n rows with the multipliers of least norm; lambda may be 0. */
FUNCTION void minimum_norm(const struct mass *Q, const double *force, const int64_t *rows, int64_t n,
                           const double *gamma, double *a, double *lambda, struct memory memory) {
    const int64_t nv = Q->nv;
    struct factors F;
    take_rows(&F, Q, rows, n, &memory);
    double *f = take(&memory, nv), *g = take(&memory, n), *w = take(&memory, nv), *rhs = take(&memory, n),
           *taken = take(&memory, nv), *more = take(&memory, n), *all = take(&memory, n);
    for (int64_t i = 0; i < nv; i++) f[i] = force[i], a[i] = 0.0;
    for (int64_t j = 0; j < n; j++) g[j] = gamma[j];
    for (int round = 0; round < 2; round++) { /* iterative refinement with the residual */
        for (int64_t i = 0; i < nv; i++) w[i] = f[i], taken[i] = 0.0;
        solve_lower_one(Q->R, nv, w);
        for (int64_t j = 0; j < n; j++) {
            double s = -g[j];
            for (int64_t i = 0; i < nv; i++) s += F.Y[i * n + j] * w[i];
            rhs[j] = s;
        }
        if (n) least(&F, rhs, taken, memory);
        for (int64_t i = 0; i < nv; i++) w[i] -= taken[i];
        solve_upper(Q->R, nv, w);
        for (int64_t i = 0; i < nv; i++) a[i] += w[i];
        shares_of(&F, taken, more, memory);
        for (int64_t j = 0; j < n; j++) all[j] += more[j];
        if (round) break;
        for (int64_t i = 0; i < nv; i++) {
            double s = force[i] - dot(Q->M + i * nv, a, nv);
            for (int64_t j = 0; j < n; j++) s -= Q->J[rows[j] * nv + i] * all[j];
            f[i] = s;
        }
        for (int64_t j = 0; j < n; j++) g[j] = gamma[j] - dot(Q->J + rows[j] * nv, a, nv);
    }
    if (lambda)
        for (int64_t j = 0; j < n; j++) lambda[j] = all[j];
}

static int64_t pulling_memory(int64_t rows, int64_t n) { return 2 * rows * n + n * n + 2 * rows + 5 * n + 16; }

/* Columns C (n x rows, rows of it) of which some are taken: C_taken = Q R, Q as rows too, R upper triangular. */
struct taken {
    const double *C;
    int64_t rows, n, count, *which;
    double *Q, *R;
};

/* Component of a column across the taken ones, and along them. */
FUNCTION void part_of(const struct taken *T, const double *column, double *own, double *along) {
    for (int64_t i = 0; i < T->rows; i++) own[i] = column[i];
    for (int64_t k = 0; k < T->count; k++) along[k] = 0.0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = 0; k < T->count; k++) {
            const double *q = T->Q + k * T->rows, s = dot(q, own, T->rows);
            along[k] += s;
            for (int64_t i = 0; i < T->rows; i++) own[i] -= s * q[i];
        }
}

/* Take a column, of which these are the parts. */
FUNCTION void take_column(struct taken *T, int64_t j, const double *own, const double *along) {
    const int64_t k = T->count;
    const double length = norm(own, T->rows);
    for (int64_t i = 0; i < k; i++) T->R[i * T->n + k] = along[i];
    T->R[k * T->n + k] = length;
    for (int64_t i = 0; i < T->rows; i++) T->Q[k * T->rows + i] = own[i] / length;
    T->which[T->count++] = j;
}

/* Let go of the column that came k-th. */
FUNCTION void let_go(struct taken *T, int64_t k, double *own, double *along) {
    const int64_t count = T->count;
    T->count = k;
    for (int64_t i = k + 1; i < count; i++) {
        const int64_t j = T->which[i];
        part_of(T, T->C + j * T->rows, own, along);
        take_column(T, j, own, along);
    }
}

/* Multipliers x >= 0 with violation - X^T X x <= 0, zero where that is negative; X (rows x n). 1 if there are such.
 * The dual active-set method of Goldfarb and Idnani (1983). */
FUNCTION int pulling(const double *X, int64_t rows, int64_t n, const double *violation, double tolerance, double *x,
                     struct memory memory) {
    double *C = take(&memory, rows * n), *Xx = take(&memory, rows), *own = take(&memory, rows),
           *share = take(&memory, n), *along = take(&memory, n);
    int64_t *in = take_integers(&memory, n), *out = take_integers(&memory, n);
    struct taken T;
    T.C = C, T.rows = rows, T.n = n, T.count = 0, T.which = take_integers(&memory, n);
    T.Q = take(&memory, rows * n), T.R = take(&memory, n * n);
    int feasible = 1;
    for (int64_t j = 0; j < n; j++) {
        x[j] = 0.0;
        for (int64_t i = 0; i < rows; i++) C[j * rows + i] = X[i * n + j];
    }
    for (int64_t round = 0; round < 20 * n + 20; round++) {
        int64_t j = -1;
        double most = 0.0;
        for (int64_t r = 0; r < rows; r++) Xx[r] = 0.0;
        for (int64_t k = 0; k < T.count; k++)
            for (int64_t r = 0; r < rows; r++) Xx[r] += x[T.which[k]] * C[T.which[k] * rows + r];
        for (int64_t i = 0; i < n; i++) in[i] = 0;
        for (int64_t k = 0; k < T.count; k++) in[T.which[k]] = 1;
        for (int64_t i = 0; i < n; i++) {
            if (in[i] || out[i]) continue;
            const double left = violation[i] - dot(C + i * rows, Xx, rows);
            if (j < 0 || left > most) most = left, j = i;
        }
        if (j < 0 || most <= tolerance) break;
        const double *column = C + j * rows;
        for (;;) { /* row j takes load until it holds; a row that would push is released */
            double whole = INFINITY, part = INFINITY;
            int64_t first = -1;
            part_of(&T, column, own, along);
            for (int64_t k = T.count - 1; k >= 0; k--)
                share[k] = (along[k] - dot(T.R + k * n + k + 1, share + k + 1, T.count - k - 1)) / T.R[k * n + k];
            if (norm(own, rows) > RANK_TOLERANCE) {
                for (int64_t r = 0; r < rows; r++) Xx[r] = x[j] * column[r];
                for (int64_t k = 0; k < T.count; k++)
                    for (int64_t r = 0; r < rows; r++) Xx[r] += x[T.which[k]] * C[T.which[k] * rows + r];
                whole = (violation[j] - dot(column, Xx, rows)) / dot(own, own, rows);
            }
            for (int64_t k = 0; k < T.count; k++)
                if (share[k] > 1e-12 && x[T.which[k]] / share[k] < part) part = x[T.which[k]] / share[k], first = k;
            const double step = fmin(whole, part);
            if (step == INFINITY) {
                out[j] = 1, x[j] = 0.0, feasible = 0;
                break;
            }
            for (int64_t k = 0; k < T.count; k++) x[T.which[k]] -= step * share[k];
            x[j] += step;
            if (whole <= part) {
                take_column(&T, j, own, along);
                break;
            }
            x[T.which[first]] = 0.0;
            let_go(&T, first, own, along);
        }
    }
    return feasible;
}

static int64_t least_constraint_memory(int64_t nv, int64_t m) {
    return factors_memory(nv, m) + 4 * nv * m + 8 * (nv + m) + pulling_memory(nv, m) + lstsq_memory(nv + m, nv + m) + 64;
}

/* M a + J^T lambda = force where each of n rows holds, or (if it only pulls) holds or opens: Gauss' principle with
 * inequalities. `opening` is J a - gamma. Returns whether there are such forces. */
FUNCTION int least_constraint(const struct mass *Q, const double *force, const int64_t *rows, int64_t n,
                              const double *gamma, const int64_t *pulls, double tolerance, double *a, double *lambda,
                              double *opening, struct memory memory) {
    const int64_t nv = Q->nv;
    double *right_held = take(&memory, n), *right = take(&memory, n), *Y = take(&memory, nv * n),
           *X = take(&memory, nv * n), *sizes = take(&memory, n), *violation = take(&memory, n),
           *found = take(&memory, n), *w = take(&memory, nv), *free = take(&memory, nv), *z = take(&memory, nv),
           *shift = take(&memory, nv);
    int64_t *held = take_integers(&memory, n), *one_way = take_integers(&memory, n), n_held = 0, k = 0;
    struct factors F;
    for (int64_t j = 0; j < n; j++)
        if (pulls[j]) one_way[k] = rows[j], right[k++] = gamma[j];
        else held[n_held] = rows[j], right_held[n_held++] = gamma[j];
    take_rows(&F, Q, held, n_held, &memory);
    for (int64_t i = 0; i < nv; i++) free[i] = force[i];
    solve_lower_one(Q->R, nv, free);
    for (int64_t i = 0; i < nv; i++) z[i] = free[i];
    without_reactions(&F, z);
    if (largest_of(right_held, n_held) > 0.0) least(&F, right_held, shift, memory);
    for (int64_t i = 0; i < nv; i++) z[i] += shift[i];
    double scale = norm(z, nv) + NOTHING, most = 0.0;
    for (int64_t j = 0; j < k; j++) {
        column_of(Q, one_way[j], w);
        sizes[j] = fmax(norm(w, nv), NOTHING);
        violation[j] = (dot(w, z, nv) - right[j]) / sizes[j];
        most = fmax(most, fabs(right[j] / sizes[j]));
        for (int64_t i = 0; i < nv; i++) Y[i * k + j] = w[i];
        without_reactions(&F, w); /* the effect of unilateral rows beside the holding ones */
        for (int64_t i = 0; i < nv; i++) X[i * k + j] = w[i] / sizes[j];
    }
    scale += most;
    const int feasible = pulling(X, nv, k, violation, tolerance * scale, found, memory);
    for (int64_t i = 0; i < nv; i++) z[i] -= dot(X + i * k, found, k);
    for (int64_t j = 0; j < k; j++) found[j] /= sizes[j];
    for (int64_t i = 0; i < nv; i++) w[i] = free[i] - z[i] - dot(Y + i * k, found, k);
    shares_of(&F, w, right_held, memory);
    for (int64_t j = 0, p = 0, h = 0; j < n; j++) lambda[j] = pulls[j] ? found[p++] : right_held[h++];
    for (int64_t i = 0; i < nv; i++) a[i] = z[i];
    solve_upper(Q->R, nv, a);
    for (int64_t j = 0; j < n; j++) opening[j] = dot(Q->J + rows[j] * nv, a, nv) - gamma[j];
    return feasible;
}
