/* Steps of one run (step.h) as a one-step method of the time loop in loop.c.
 *
 * A pair that moves by more than its own size in a step is swept: the step is cut at the hit, the impact solved there. */
#define UNSOLVED 1e-3 /* violation of the laws, by the largest impulse, that is counted */
enum { ROUNDS = 16, ADVANCES = 2000 };

static int all_gaps(struct moreau *C, double t, const double *x, double h, const double *c, const double *p, double *g) {
    double *to = C->x_swept;
    for (int64_t i = 0; i < C->nv; i++) C->displacement[i] = h * x[C->nq + i];
    const double *shift_in[] = {x, C->displacement, p};
    double *shift_out[] = {to, to + C->nq};
    if (CALLED(C, move)(shift_in, shift_out, C->move_work)) return 1;
    memcpy(to + C->nq + C->nv, x + C->nq + C->nv, (size_t)(C->n - C->nq - C->nv) * sizeof(double));
    const double at = t + h, *in[4] = {&at, to, c, p};
    double *out[1] = {g};
    return CALLED(C, gaps)(in, out, C->gaps_work);
}

static double speed(const struct moreau *C, int64_t a) {
    const double *u = BEFORE(a);
    return SIZE(a) == 3 ? sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) : fabs(u[0]);
}

/* Part of a step of length h after which the first of the fast pairs touches; 1: none does; < 0: failed.
 * Conservative advancement: the gap shrinks no faster than the pair moves. */
static double first_hit(struct moreau *C, double t, double h, const double *x, const double *c, const double *p) {
    int64_t n_fast = 0;
    double quickest = 0.0;
    for (int64_t a = 0; a < C->n_fixed; a++) {
        if (!C->near[a]) continue;
        const double way = C->lengths[a] = speed(C, a) * h;
        if (way > C->feature[a] && C->g[a] <= 0.6 * way + C->margin) C->fast[n_fast++] = a;
    }
    if (!n_fast) return 1.0;
    double *before = C->gap_before, *now = C->gap_now, s = 0.0;
    if (all_gaps(C, t, x, 0.0, c, p, before)) return -1.0;
    for (int64_t made = 0; made < ADVANCES && s < 1.0; made++) {
        double ds = 1.0;
        for (int64_t k = 0; k < n_fast; k++) {
            const int64_t a = C->fast[k];
            ds = fmin(ds, larger(before[a], 0.0625 * C->feature[a]) / C->lengths[a]);
        }
        const double next = fmin(1.0, s + ds);
        if (all_gaps(C, t, x, next * h, c, p, now)) return -1.0;
        int hit = 0;
        for (int64_t k = 0; k < n_fast; k++)
            if (before[C->fast[k]] > C->margin && now[C->fast[k]] <= C->margin) hit = 1;
        if (hit) {
            double low = s, high = next;
            for (int64_t k = 0; k < n_fast; k++) quickest = larger(quickest, C->lengths[C->fast[k]]);
            while ((high - low) * quickest > 0.5 * C->margin && high - low > 4.0 * DBL_EPSILON) {
                const double middle = 0.5 * (low + high);
                int inside = 0;
                if (all_gaps(C, t, x, middle * h, c, p, now)) return -1.0;
                for (int64_t k = 0; k < n_fast; k++)
                    if (before[C->fast[k]] > C->margin && now[C->fast[k]] <= C->margin) inside = 1;
                if (inside) high = middle;
                else low = middle;
            }
            if (all_gaps(C, t, x, high * h, c, p, now)) return -1.0;
            for (int64_t k = 0; k < n_fast; k++) {
                const int64_t a = C->fast[k];
                if (before[a] > C->margin && now[a] <= C->margin) C->forced[a] = 1;
            }
            return high;
        }
        quickest = 0.0;
        memcpy(before, now, (size_t)C->n_fixed * sizeof(double));
        s = next;
    }
    return 1.0;
}

/* One step of length h of x, which h = 0 leaves where it is (an impact). With `cut` a fast pair may cut it: then
 * nothing is done, and `cut` is the part of the step up to the hit. */
static int substep(struct moreau *C, double t, double h, double *x, const double *c, const double *p, double *cut) {
    const double tm = t + (1.0 - C->theta) * h;
    const int fast = step_begin(C, t, tm, h, x, c, p, C->x_middle, x, 0, 1);
    if (fast < 0) return 1;
    if (fast && cut) {
        *cut = first_hit(C, t, h, x, c, p);
        if (*cut < 0.0) return 1;
        if (*cut < 1.0) return 0;
    }
    if (step_end(C, t, tm, h, x, c, p, C->x_middle, x, 0, 1, 0)) return 1;
    memset(C->forced, 0, (size_t)C->n_fixed * sizeof(int64_t));
    return 0;
}

/* Count the faults of the contacts of a step that ends at t: not all steps are recorded. */
static void count_faults(double *F, double t, double residual, double lowered) {
    F[N_UNSOLVED] += residual > UNSOLVED, F[N_LOWERED] += lowered > 0.0;
    if (F[N_LOWERED] < 2.0 && lowered > 0.0) F[LOWERED_SINCE] = t;
    if (residual > F[MOST_RESIDUAL]) F[MOST_RESIDUAL] = residual, F[RESIDUAL_T] = t;
    if (lowered > F[MOST_LOWERED]) F[MOST_LOWERED] = lowered, F[LOWERED_T] = t;
}

int moreau_step(void *context, double t, double h, const double *x, const double *c, const double *p, double *out) {
    struct moreau *C = (struct moreau *)context;
    memcpy(out, x, (size_t)C->n * sizeof(double));
    if (!(h > 0.0)) return 0;
    memset(C->total, 0, (size_t)C->row_start[C->n_fixed] * sizeof(double));
    memset(C->held_total, 0, (size_t)C->n_held * sizeof(double));
    C->were_undetermined = x[C->undetermined_at];
    out[C->residual_at] = out[C->sweeps_at] = out[C->undetermined_at] = out[C->lowered_at] = 0.0;
    double done = 0.0;
    for (int round = 0;; round++) {
        double cut = 1.0, rest = h - done;
        if (substep(C, t + done, rest, out, c, p, round < ROUNDS ? &cut : 0)) return 1;
        C->parts = round + 1;
        if (cut >= 1.0) break;
        for (int64_t a = 0; a < C->n_fixed; a++) C->fast[a] = C->forced[a];
        for (int64_t a = 0; a < C->n_fixed; a++) C->forced[a] = 0;
        if (cut > 0.0 && substep(C, t + done, cut * rest, out, c, p, 0)) return 1;
        done += cut * rest;
        for (int64_t a = 0; a < C->n_fixed; a++) C->forced[a] = C->fast[a];
        if (substep(C, t + done, 0.0, out, c, p, 0)) return 1;
        if (h - done <= 1e-12 * h) break;
    }
    for (int64_t a = 0; a < C->n_fixed; a++)
        for (int64_t i = 0; i < SIZE(a); i++) out[FORCE(a) + i] = C->total[ROW(a) + i] / h;
    for (int64_t i = 0; i < C->n_held; i++) out[C->multipliers + i] = C->held_total[i] / h;
    /* Decaying values would become denormal, and every operation on them a hundred times as slow. */
    for (int64_t i = 0; i < C->n; i++) out[i] = fabs(out[i]) < 1e-150 ? 0.0 : out[i];
    count_faults(C->faults, t + h, out[C->residual_at], out[C->lowered_at]);
    return 0;
}

/* Steps of a run taken again, from each of its states: `after` has the states at their ends, `account` a row for each step with the
 * impulses of both rounds, of each block its rebound, the displacement that closes its gap, which rows turn and whether it acts, the numbers of all
 * laws, and in how many parts the step was taken. Returns the first step that fails, or n_steps. */
int64_t moreau_retrace(struct moreau *C, int64_t n_steps, const double *t, const double *h, const double *x, const double *c,
                       int64_t n_c, const double *p, double *after, double *account) {
    const int64_t rows = C->row_start[C->n_fixed], k = C->n_fixed, numbers = C->mu_start[k];
    const int64_t width = 2 * rows + 4 * k + numbers + 1;
    for (int64_t step = 0; step < n_steps; step++, account += width) {
        double *first = account, *second = first + rows, *bounce = second + rows, *lambda = bounce + k, *turns = lambda + k, *on = turns + k;
        memset(account, 0, (size_t)width * sizeof(double));
        memset(C->x, 0, (size_t)rows * sizeof(double));
        memset(C->bounce, 0, (size_t)k * sizeof(double));
        memset(C->lambda, 0, (size_t)k * sizeof(double));
        C->first = first, first[0] = NAN;
        const int failed = moreau_step(C, t[step], h[step], x + step * C->n, c + step * n_c, p, after + step * C->n);
        C->first = 0;
        if (failed) return step;
        if (isnan(first[0])) memcpy(first, C->x, (size_t)rows * sizeof(double));
        for (int64_t i = 0; i < C->n_active; i++) {
            const int64_t a = C->active[i];
            memcpy(second + ROW(a), C->x + ROW(a), (size_t)SIZE(a) * sizeof(double));
            bounce[a] = C->bounce[a], lambda[a] = C->lambda[a], turns[a] = C->turns[a], on[a] = 1.0;
        }
        memcpy(on + k, C->mu, (size_t)numbers * sizeof(double));
        on[k + numbers] = (double)C->parts;
    }
    return n_steps;
}

/* For tests: blocks on plain arrays. All blocks act, from the impulses x; s is s0 before and Y^T x more afterwards. */
void block_problem(struct moreau *C, double *residual, double *sweeps) {
    C->n_active = C->n_fixed = C->n_blocks;
    for (int64_t a = 0; a < C->n_blocks; a++) C->active[a] = a, block_make(C, a);
    *sweeps = C->undetermined = 0.0;
    C->depends = depends(C, 1, C->s, 0.0); /* s is zero: all begin to touch */
    IMPULSES(C, 1, sweeps);
    *residual = block_residual(C);
}
