/* Steps that each member chooses (runge_kutta.h), for lanes and the threads of a GPU. Lanes are masked, a thread has one
 * member. */
struct tolerance {
    const double *atol;
    double rtol, max_step, max_steps, t_end;
};
/* For each member: the step to try (0: to be chosen), the last error, whether the last try was refused, the tries. */
enum { TO_TRY, LAST_ERROR, REFUSED, TRIES, N_PACE };

#if ADAPTIVE && !ALONE
TABLE double error_weight[] = {ERRORS}, counted[] = {COUNTED};

/* Weighted root mean square over the states that count. */
FUNCTION instant weighed(const struct tolerance *T, const real *v, const real *x, const real *y) {
    instant sum = WIDE(0.0);
    UNROLL
    for (int j = 0; j < N_STATES; j++) {
        const instant size = larger_of(fabs(x[j]), fabs(y[j])), r = counted[j] * (v[j] / (T->atol[j] + T->rtol * size));
        sum += r * r;
    }
    return sqrt(sum / N_COUNTED);
}

/* First step; `rate` is the derivative at x. */
FUNCTION instant first_step(const struct tolerance *T, instant t, double longest, const real *x, const real *c,
                            const real *p, real *stage, real *rate, real *w, const struct beside *B) {
    real *const other = rate + N_STATES;
    const instant most = WIDE(longest < T->max_step ? longest : T->max_step);
    const instant d0 = weighed(T, x, x, x), d1 = weighed(T, rate, x, x);
    const instant h0 = trial_step(d0, d1, most);
    UNROLL
    for (int j = 0; j < N_STATES; j++) stage[j] = x[j] + REAL(h0) * rate[j];
    derivative(REAL(t + h0), stage, c, p, other, w, B);
    UNROLL
    for (int j = 0; j < N_STATES; j++) other[j] = other[j] - rate[j];
    return starting_step(h0, d1, weighed(T, other, x, x) / h0, most, HIGH_ORDER);
}

/* Length of a step towards `target`; *landed: it ends there. */
FUNCTION instant length_of(const struct tolerance *T, const instant *pace, instant t, double target, MASK *landed) {
    return step_length(smaller_of(pace[TO_TRY], WIDE(T->max_step)), target - t, landed);
}

/* A step of length h from x, where the derivative is `slope`; `next` is not normalised yet. Returns the error
 * relative to the tolerance, infinite if the step led nowhere. */
FUNCTION instant attempt(const struct tolerance *T, instant t, instant h, const real *x, const real *c, const real *p,
                         const real *slope, real *stage, real *rate, real *next, real *w, const struct beside *B) {
    real off = K(0.0);
    UNROLL
    for (int j = 0; j < N_STATES; j++) rate[j] = slope[j];
    later_stages(t, h, x, c, p, rate, next, w, B);
    const real *slopes[STAGES];
    UNROLL
    for (int s = 0; s < STAGES; s++) slopes[s] = rate + s * N_STATES;
    combine(0, h, error_weight, STAGES, slopes, stage, N_STATES);
    UNROLL
    for (int j = 0; j < N_STATES; j++) off += next[j] - next[j];
    const instant error = weighed(T, stage, x, next);
    return SELECT((off == K(0.0)) & (error == error), error, WIDE(INFINITY));
}

/* The next step of members that are `going`, after one of length h that is taken if its error is at most 1. */
FUNCTION void choose(instant h, instant error, MASK going, instant *pace) {
    const MASK taken = going & (error <= 1.0), refused = going & NO(error <= 1.0);
    const instant longer = next_step(h, error, pace[LAST_ERROR], pace[REFUSED] > 0.0, pace[TO_TRY], LOW_ORDER);
    pace[TO_TRY] = SELECT(taken, longer, SELECT(refused, shorter_step(h, error, LOW_ORDER), pace[TO_TRY]));
    pace[LAST_ERROR] = SELECT(taken, larger_of(error, WIDE(LEAST_ERROR)), pace[LAST_ERROR]);
    pace[REFUSED] = SELECT(taken, WIDE(0.0), SELECT(refused, WIDE(1.0), pace[REFUSED]));
    pace[TRIES] = SELECT(going, pace[TRIES] + 1.0, pace[TRIES]);
}
#endif
