/* Generalized-alpha on the constrained equations of motion, index 3 or 2, on any configuration space:
 * M. Arnold, O. Bruls, "Convergence of the generalized-alpha scheme for constrained mechanical systems",
 * Multibody System Dynamics 18 (2007) 185-202. Increments of the coordinates are tangent displacements.
 *
 *     (1 - alpha_m) u1 + alpha_m u0 = (1 - alpha_f) a1 + alpha_f a0
 *     q1 = q0 moved by h v0 + h^2 ((1/2 - beta) u0 + beta u1),    v1 = v0 + h ((1 - gamma) u0 + gamma u1)
 *     M a1 + J^T lambda = f,    Phi = 0 (index 3)  or  Phi' = 0 (index 2)
 *
 * Internal states of controllers and works follow the trapezoidal rule. The text continues constrained.c.
 */

/* Solve A x = b (n x n, row-major) by full pivoting; unknowns without a pivot become zero. */
static void solve_full(double *A, double *b, int64_t n, int64_t *columns) {
    int64_t *order = columns + n, rank = 0;
    double scale = 0.0;
    for (int64_t i = 0; i < n; i++) order[i] = i;
    for (int64_t i = 0; i < n * n; i++) scale = fmax(scale, fabs(A[i]));
    for (; rank < n; rank++) {
        int64_t r = rank, s = rank;
        double most = 0.0;
        for (int64_t i = rank; i < n; i++)
            for (int64_t j = rank; j < n; j++)
                if (fabs(A[i * n + j]) > most) most = fabs(A[i * n + j]), r = i, s = j;
        if (!(most > 1e-13 * scale)) break;
        for (int64_t j = 0; j < n && r != rank; j++) {
            const double t = A[r * n + j];
            A[r * n + j] = A[rank * n + j], A[rank * n + j] = t;
        }
        const double t = b[r];
        b[r] = b[rank], b[rank] = t;
        for (int64_t i = 0; i < n && s != rank; i++) {
            const double u = A[i * n + s];
            A[i * n + s] = A[i * n + rank], A[i * n + rank] = u;
        }
        const int64_t o = order[s];
        order[s] = order[rank], order[rank] = o;
        for (int64_t i = rank + 1; i < n; i++) {
            const double factor = A[i * n + rank] / A[rank * n + rank];
            if (factor == 0.0) continue;
            for (int64_t j = rank + 1; j < n; j++) A[i * n + j] -= factor * A[rank * n + j];
            b[i] -= factor * b[rank];
        }
    }
    for (int64_t k = rank - 1; k >= 0; k--) {
        for (int64_t j = k + 1; j < rank; j++) b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
    for (int64_t k = rank; k < n; k++) b[k] = 0.0;
    for (int64_t k = 0; k < n; k++) A[order[k]] = b[k];
    memcpy(b, A, (size_t)n * sizeof(double));
}

/* Whether a state is the one that was known before, up to the normalisation of quaternions. */
static int same_state(double t, double t_known, const double *x, const double *known, int64_t n) {
    if (!(fabs(t - t_known) <= 1e-12 * (1.0 + fabs(t)))) return 0;
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(x[i] - known[i]) <= 1e-12 * (1.0 + fabs(x[i])))) return 0;
    return 1;
}

/* Power of constraints that move with time. */
static double power_of_drives(const struct constrained *C, const double *lambda) {
    double power = 0.0;
    for (int64_t i = 0; i < C->m; i++) power += lambda[i] * C->phi_t[i];
    return power;
}

/* Accelerations, auxiliary variables, multipliers and power at the start of a step: known from the last one, or computed. */
static int start_step(struct constrained *C, double t, const double *x, const double *c, const double *p) {
    const size_t nv = (size_t)C->nv * sizeof(double), n = (size_t)C->n * sizeof(double);
    if (same_state(t, C->t_base, x, C->x_base, C->n)) return 0;
    if (same_state(t, C->t_known, x, C->x_known, C->n)) {
        memcpy(C->acceleration_base, C->acceleration_known, nv);
        memcpy(C->auxiliary_base, C->auxiliary_known, nv);
        C->power_base = C->power_known;
    } else {
        const double *in[4] = {&t, x, c, p};
        if (evaluate_tape(C, in) || solve_index1(C, x, 0.0, 0.0)) return 1;
        memcpy(C->acceleration_base, C->a, nv);
        memcpy(C->auxiliary_base, C->a, nv);
        memcpy(C->multipliers, C->lambda, (size_t)C->m * sizeof(double));
        C->power_base = power_of_drives(C, C->lambda);
    }
    C->t_base = t;
    memcpy(C->x_base, x, n);
    const double *in[4] = {&t, x, c, p};
    if (evaluate_tape(C, in)) return 1;
    memcpy(C->rates_base, C->rates, n);
    return 0;
}

static int acts(const struct constrained *C, const double *x, int64_t row) {
    return C->flags[row] < 0 || x[C->flags[row]] > 0.5;
}

int constrained_alpha(void *context, double t, double h, const double *x0, const double *c, const double *p, double *x) {
    struct constrained *C = context;
    const int64_t nv = C->nv, nq = C->nq, n = C->n, m = C->m, size = nv + m;
    const double weight = (1.0 - C->alpha_f) / (1.0 - C->alpha_m);
    const double bh2 = C->beta_n * h * h * weight, gh = C->gamma_n * h * weight, t1 = t + h;
    double *a = C->acceleration_known, *u = C->auxiliary_known, *lambda = C->multipliers;
    if (h == 0.0) {
        memcpy(x, x0, (size_t)n * sizeof(double));
        return 0;
    }
    if (start_step(C, t, x0, c, p)) return 1;
    memcpy(a, C->acceleration_base, (size_t)nv * sizeof(double));
    memcpy(x, x0, (size_t)n * sizeof(double));
    for (int64_t i = nq + nv; i < n; i++) x[i] = x0[i] + h * C->rates_base[i];
    double before = INFINITY;
    for (int64_t k = 0; k <= C->max_iterations; k++) {
        for (int64_t i = 0; i < nv; i++) {
            u[i] = ((1.0 - C->alpha_f) * a[i] + C->alpha_f * C->acceleration_base[i] -
                    C->alpha_m * C->auxiliary_base[i]) / (1.0 - C->alpha_m);
            const double v0 = x0[nq + i], u0 = C->auxiliary_base[i];
            C->moved[i] = h * v0 + h * h * ((0.5 - C->beta_n) * u0 + C->beta_n * u[i]);
            x[nq + i] = v0 + h * ((1.0 - C->gamma_n) * u0 + C->gamma_n * u[i]);
        }
        const double *move_in[3] = {x0, C->moved, p}, *in[4] = {&t1, x, c, p};
        double *moved_out[1] = {x};
        if (C->move(move_in, moved_out, C->move_work) || evaluate_tape(C, in)) return 1;
        C->power_known = power_of_drives(C, lambda);
        for (int64_t i = nq + nv; i < n; i++) x[i] = x0[i] + 0.5 * h * (C->rates_base[i] + C->rates[i]);
        x[C->work_input] += 0.5 * h * (C->power_base + C->power_known);
        /* residual, scaled so that its matrix stays regular as h goes to zero */
        double *r = C->residual;
        for (int64_t i = 0; i < nv; i++) {
            double s = -C->f[i];
            for (int64_t j = 0; j < nv; j++) s += C->M[i * nv + j] * a[j];
            for (int64_t j = 0; j < m; j++) s += C->Jt[i * m + j] * lambda[j];
            r[i] = -bh2 * s;
        }
        for (int64_t j = 0; j < m; j++) {
            const double error = C->index == 3 ? C->phi[j] : C->phidot[j] * bh2 / gh;
            r[nv + j] = acts(C, x, j) ? -error : 0.0;
        }
        const double *rate_in[6] = {&t1, x, c, p, a, lambda};
        double *rate_out[2] = {C->K, C->D};
        if (C->rate(rate_in, rate_out, C->rate_work)) return 1;
        double *A = C->matrix;
        memset(A, 0, (size_t)(size * size) * sizeof(double));
        for (int64_t i = 0; i < nv; i++) {
            for (int64_t j = 0; j < nv; j++)
                A[i * size + j] = C->M[i * nv + j] + gh * C->D[i * nv + j] + bh2 * C->K[i * nv + j];
            for (int64_t j = 0; j < m; j++)
                if (acts(C, x, j)) A[i * size + nv + j] = A[(nv + j) * size + i] = C->Jt[i * m + j];
        }
        for (int64_t j = 0; j < m; j++)
            if (!acts(C, x, j)) A[(nv + j) * size + nv + j] = 1.0, r[nv + j] = -lambda[j] * bh2;
        solve_full(A, r, size, C->columns);
        double change = 0.0, scale = 0.0;
        for (int64_t i = 0; i < nv; i++) {
            a[i] += r[i] / bh2;
            change = fmax(change, fabs(r[i])), scale = fmax(scale, fabs(C->moved[i]));
        }
        for (int64_t j = 0; j < m; j++) lambda[j] += r[nv + j] / bh2;
        if (!isfinite(change)) return 1;
        C->n_newton++;
        if (change <= 1e-13 * (1.0 + scale) || (k > 2 && change >= 0.5 * before && change < 1e-9)) {
            if (k > 0) break;
        }
        if (k == C->max_iterations) return 1;
        before = change;
    }
    C->t_known = t1;
    memcpy(C->x_known, x, (size_t)n * sizeof(double));
    return 0;
}
