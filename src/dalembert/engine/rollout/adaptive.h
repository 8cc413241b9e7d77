/* Steps that each member chooses, for lanes and the threads of a GPU: those of loop.c. Lanes are masked, a thread
 * has one member. */
struct tolerance {
    const double *atol;
    double rtol, max_step, max_steps, t_end;
};
/* Of each member: the step to try (0: to be chosen), the last error, whether the last try was refused, the tries. */
enum { TO_TRY, LAST_ERROR, REFUSED, TRIES, N_PACE };

#if ADAPTIVE && !ALONE
TABLE double error_weight[] = {ERRORS}, counted[] = {COUNTED};

#define LEAST_ERROR 1e-4 /* as in loop.c: with less of it rounding would choose the steps, another one on a GPU */

FUNCTION instant larger(instant a, instant b) { return SELECT(a > b, a, b); }
FUNCTION instant smaller(instant a, instant b) { return SELECT(a < b, a, b); }

/* Weighted root mean square over the states that count. */
FUNCTION instant weighed(const struct tolerance *T, const real *v, const real *x, const real *y) {
    instant sum = WIDE(0.0);
    UNROLL
    for (int j = 0; j < N_STATES; j++) {
        const instant size = larger(fabs(x[j]), fabs(y[j])), r = counted[j] * (v[j] / (T->atol[j] + T->rtol * size));
        sum += r * r;
    }
    return sqrt(sum / N_COUNTED);
}

/* First step, so that an explicit Euler step changes x and x' little (engine/loop/startup.py); `rate` is the
 * derivative at x. */
FUNCTION instant first_step(const struct tolerance *T, instant t, double longest, const real *x, const real *c,
                            const real *p, real *stage, real *rate, real *w, const struct beside *B) {
    real *const other = rate + N_STATES;
    const instant most = WIDE(longest < T->max_step ? longest : T->max_step);
    const instant d0 = weighed(T, x, x, x), d1 = weighed(T, rate, x, x);
    const instant h0 = smaller(SELECT((d0 < 1e-5) | (d1 < 1e-5), WIDE(1e-6), 0.01 * d0 / d1), most);
    UNROLL
    for (int j = 0; j < N_STATES; j++) stage[j] = x[j] + REAL(h0) * rate[j];
    derivative(REAL(t + h0), stage, c, p, other, w, B);
    UNROLL
    for (int j = 0; j < N_STATES; j++) other[j] = other[j] - rate[j];
    const instant d2 = weighed(T, other, x, x) / h0, steepest = larger(d1, d2);
    const instant h1 =
        SELECT(steepest <= 1e-15, larger(WIDE(1e-6), 1e-3 * h0), pow(0.01 / steepest, WIDE(1.0 / HIGH_ORDER)));
    const instant h = smaller(smaller(100.0 * h0, h1), most);
    return SELECT((h > 0.0) & (h < INFINITY), h, smaller(WIDE(1e-6), most));
}

/* Length of a step towards `target`; *landed: it ends there. */
FUNCTION instant length_of(const struct tolerance *T, const instant *pace, instant t, double target, MASK *landed) {
    const instant rest = target - t, h = smaller(pace[TO_TRY], WIDE(T->max_step));
    *landed = rest <= h * (1.0 + 1e-9);
    return SELECT(*landed, rest, SELECT(rest < 2.0 * h, 0.5 * rest, h));
}

/* A step of length h from x, where the derivative is `slope`; `next` is not normalised yet. Returns the error as part of
 * what is tolerated, infinite if the step led nowhere. */
FUNCTION instant attempt(const struct tolerance *T, instant t, instant h, const real *x, const real *c, const real *p,
                         const real *slope, real *stage, real *rate, real *next, real *w, const struct beside *B) {
    real off = K(0.0);
    UNROLL
    for (int j = 0; j < N_STATES; j++) rate[j] = slope[j];
    later_stages(t, h, x, c, p, rate, next, w, B);
    UNROLL
    for (int j = 0; j < N_STATES; j++) {
        real sum = K(0.0);
        UNROLL
        for (int s = 0; s < STAGES; s++) sum += REAL(h * error_weight[s]) * rate[s * N_STATES + j];
        stage[j] = sum;
        off += next[j] - next[j];
    }
    const instant error = weighed(T, stage, x, next);
    return SELECT((off == K(0.0)) & (error == error), error, WIDE(INFINITY));
}

/* The next step of members that are `going`, after one of length h that is taken if its error is at most 1. PI control
 * after K. Gustafsson, ACM Trans. Math. Software 17 (1991) 533-554. */
FUNCTION void choose(instant h, instant error, MASK going, instant *pace) {
    const double beta = 0.2 / (LOW_ORDER + 1.0), power = 1.0 / (LOW_ORDER + 1.0) - 0.75 * beta;
    const instant scaled = pow(larger(error, WIDE(LEAST_ERROR)), WIDE(power));
    const MASK taken = going & (error <= 1.0), refused = going & NO(error <= 1.0);
    const instant shorter = h * SELECT(error < INFINITY, larger(WIDE(0.2), 0.9 / scaled), WIDE(0.2));
    const instant factor = smaller(WIDE(10.0), larger(WIDE(0.2), 0.9 * pow(pace[LAST_ERROR], WIDE(beta)) / scaled));
    instant longer = h * SELECT(pace[REFUSED] > 0.0, smaller(factor, WIDE(1.0)), factor);
    longer = SELECT(h < pace[TO_TRY], larger(longer, pace[TO_TRY]), longer); /* cut to hit an instant: as was planned */
    pace[TO_TRY] = SELECT(taken, longer, SELECT(refused, shorter, pace[TO_TRY]));
    pace[LAST_ERROR] = SELECT(taken, larger(error, WIDE(LEAST_ERROR)), pace[LAST_ERROR]);
    pace[REFUSED] = SELECT(taken, WIDE(0.0), SELECT(refused, WIDE(1.0), pace[REFUSED]));
    pace[TRIES] = SELECT(going, pace[TRIES] + 1.0, pace[TRIES]);
}

/* Whether a step would be too short to change the time. */
FUNCTION MASK too_short(const instant *pace, instant t) {
    return (pace[TO_TRY] < 4.0 * 2.220446049250313e-16 * fabs(t)) | (pace[TO_TRY] < 1e-290);
}
#endif
